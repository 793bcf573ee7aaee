/* SPDX-License-Identifier: MIT */
/*
 * Imports LLVM's scheduling tables for x86-64: one encoded instruction per opcode, whose bytes give
 * the form, with latency, µops and resources. Resources are mapped to ports by their names.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/reader.h"
#include "import/single.h"

#define UNKNOWN_MIN 100u /* LLVM's latency and µops of instructions that were not measured */

struct llvm {
	struct takt_import_table *table;
	const char *cpu;
};

/* ---- resources -------------------------------------------------------------- */

static bool ends_with(const char *text, size_t size, const char *end)
{
	size_t end_size = strlen(end);

	return size >= end_size && memcmp(text + size - end_size, end, end_size) == 0;
}

/* Return the letter of ports for a unit's name; 0 if the unit is not a port. */
static char letter_of(const char *name, size_t size)
{
	static const struct {
		const char *end;
		char letter;
	} letters[] = {
		{"VPort", 0}, {"Port", 'p'}, {"ALU", 'a'}, {"AGU", 'g'},
		{"FPU", 'f'}, {"FP", 'f'},   {"BRU", 'b'},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(letters); i++)
		if (ends_with(name, size, letters[i].end))
			return letters[i].letter;
	return 0;
}

/*
 * Map a unit to ports by its name, such as "SKLPort5", "ADLPPort10", "SBPort23" (two units),
 * "Zn4FP45" or "HWFPDivider".
 */
static uint32_t ports_of_unit(const struct takt_import_table *table, const char *name,
			      unsigned units)
{
	size_t size = strlen(name), digits = 0;
	uint32_t mask = 0;
	char letter;

	if (ends_with(name, size, "Divider"))
		return takt_import_divider(table);
	while (digits < size && takt_is_digit(name[size - digits - 1]))
		digits++;
	letter = letter_of(name, size - digits);
	if (!letter || !digits || digits > 8)
		return 0;
	if (digits != units)
		return takt_import_port(table, letter, (unsigned)atoi(name + size - digits));
	for (size_t i = size - digits; i < size; i++)
		mask |= takt_import_port(table, letter, (unsigned)(name[i] - '0'));
	return mask;
}

static uint32_t ports_of(const struct takt_import_table *table,
			 const struct takt_llvm_resource *resource)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < resource->unit_count; i++)
		mask |= ports_of_unit(table, resource->units[i], resource->unit_sizes[i]);
	return mask;
}

/* Convert resources to µops by port; false if there are resources but none is a port. */
static bool read_resources(const struct takt_import_table *table, const struct takt_llvm_row *from,
			   struct takt_uops *uops, struct takt_timing *timing)
{
	uint32_t total = 0;

	for (size_t i = 0; i < from->resource_count; i++) {
		uint32_t mask = ports_of(table, &from->resources[i]);
		long cycles = lround(from->resources[i].cycles);
		uint8_t at = 0;

		if (!mask)
			continue;
		/* 4·n cycles of any of 4 units mean that copies of n µops wait for each other. */
		if (mask & (mask - 1) && cycles == (long)from->uops * __builtin_popcount(mask))
			cycles = (long)from->uops;
		while (at < timing->uops_count && uops[at].ports != mask)
			at++;
		if (at == TAKT_IMPORT_UOPS_MAX)
			continue;
		if (at == timing->uops_count)
			uops[timing->uops_count++] = (struct takt_uops){.ports = mask};
		uops[at].count = (uint16_t)(uops[at].count + (cycles > 0 ? cycles : 1));
		if (!(mask & table->ports.pseudo))
			total += (uint32_t)(cycles > 0 ? cycles : 1);
	}
	timing->uops = uops;
	timing->uop_total = (uint16_t)(total < 60000 ? total : 60000);
	return timing->uops_count > 0 || from->resource_count == 0;
}

/* ---- rows --------------------------------------------------------------------- */

static enum takt_import_use use_of(const struct takt_insn *insn)
{
	const struct takt_memory *memory = &insn->memories[0];

	if (insn->memory_count == 0 || memory->address_only || memory->slot > TAKT_SLOT_5)
		return TAKT_USE_NONE;
	if (memory->write)
		return memory->read ? TAKT_USE_MODIFY : TAKT_USE_STORE;
	return insn->insn_class == TAKT_CLASS_MOVE ? TAKT_USE_LOAD : TAKT_USE_LOAD_OP;
}

/* Return a higher rank for opcodes that exist only for the compiler or the disassembler. */
static uint32_t rank_of(const char *opcode)
{
	return strstr(opcode, "_Int") || strstr(opcode, "_REV") || strstr(opcode, "_alt") ||
	       strstr(opcode, "_NOREX");
}

static void add_row(struct takt_import_table *table, const struct takt_llvm_row *from,
		    const struct takt_insn *insn)
{
	struct takt_uops uops[TAKT_IMPORT_UOPS_MAX] = {{0}};
	struct takt_import_row row = {.form = insn->form, .rank = rank_of(from->opcode)};
	enum takt_import_use use = use_of(insn);
	/* A value stored at an implicit address, as by push, is ready after one cycle, too. */
	bool push = use == TAKT_USE_NONE && insn->flags & TAKT_INSN_STORES &&
		    !(insn->flags & TAKT_INSN_LOADS);
	uint32_t uop_count = from->uops, latency = from->latency_cycles;

	row.timing.simple_decoders = UINT8_MAX;
	if (!read_resources(table, from, uops, &row.timing)) {
		takt_import_skip(table, "resources that are no ports of the core", from->opcode);
		return;
	}
	/* Cycles beyond the µops mean busy ports, but a store's two µops may count as one. */
	if (use == TAKT_USE_STORE || use == TAKT_USE_MODIFY)
		uop_count++;
	if (from->uops && uop_count < row.timing.uop_total)
		row.timing.uop_total = (uint16_t)uop_count;
	if (from->resource_count == 0 && insn->insn_class == TAKT_CLASS_MOVE)
		row.timing.flags |= TAKT_TIMING_ELIM;
	if (from->resource_count == 0)
		latency = 0;
	takt_import_single_latency(table, &row, use, push ? 1 : latency,
				   from->advance_cycles ? from->advance_cycles
							: TAKT_ADVANCE_UNKNOWN);
	takt_import_fused_slots(table, &row, use);
	takt_import_add(table, &row);
}

static bool on_row(void *context, const struct takt_llvm_row *from)
{
	struct llvm *llvm = context;
	struct takt_import_table *table = llvm->table;
	struct takt_insn insn;

	if (takt_decode(&takt_isa_x86, from->bytes, from->size_bytes, 0, &insn) != TAKT_OK ||
	    insn.form == 0 || insn.length_bytes != from->size_bytes)
		takt_import_skip(table, "no form in takt", from->opcode);
	else if (!takt_model_supports(table->model, &insn))
		takt_import_skip(table, "not among the core's extensions", from->opcode);
	else if (from->latency_cycles >= UNKNOWN_MIN || from->uops >= UNKNOWN_MIN)
		takt_import_skip(table, "figures that only say 'slow'", from->opcode);
	else
		add_row(table, from, &insn);
	return true;
}

static void on_skip(void *context, const char *opcode, const char *reason)
{
	struct llvm *llvm = context;

	takt_import_skip(llvm->table, reason, opcode);
}

static void on_error(void *context, const char *what)
{
	struct llvm *llvm = context;

	takt_error(llvm->table->diag, "%s '%s'", what, llvm->cpu);
	takt_note(llvm->table->diag, "choose a processor of the same kind that LLVM models: "
				     "'llc -mcpu=help' lists them");
}

static void on_unknown_cpu(void *context, const char *const *names, size_t count)
{
	struct llvm *llvm = context;
	struct takt_text nearest = {0};

	takt_error(llvm->table->diag, "LLVM has no x86-64 processor '%s'", llvm->cpu);
	if (takt_nearest_names(llvm->cpu, names, count, 3, &nearest))
		takt_note(llvm->table->diag, "did you mean %s?", nearest.data);
	else
		takt_note(llvm->table->diag, "its names are those of gcc's and clang's -march: "
					     "'llc -mcpu=help' lists them");
	takt_text_release(&nearest);
}

/* Return the ports of the plain load among the rows. */
static uint32_t load_ports(const struct takt_import_table *table)
{
	uint32_t ports = 0;

	for (size_t i = 0; i < table->row_count; i++)
		if (strcmp(table->rows[i].text, "mov r64, m64") == 0)
			for (unsigned j = 0; j < table->rows[i].timing.uops_count; j++)
				ports |= table->rows[i].timing.uops[j].ports;
	return ports;
}

bool takt_import_llvm(struct takt_import_table *table, const char *cpu)
{
	union {
		void *address;
		takt_llvm_tables tables;
	} entry = {.address = takt_module_symbol("takt-llvm", "takt_shim_tables", table->diag)};
	struct llvm llvm = {.table = table, .cpu = cpu};
	struct takt_llvm_events events = {
		.context = &llvm,
		.row = on_row,
		.skip = on_skip,
		.unknown_cpu = on_unknown_cpu,
		.error = on_error,
	};

	if (!entry.address) {
		takt_note(table->diag, "install takt with its LLVM module");
		table->unavailable = true;
		return false;
	}
	if (!entry.tables(cpu, &events))
		return false;
	takt_import_match_loads(table, load_ports(table));
	return true;
}
