/* SPDX-License-Identifier: MIT */
/* Converts one latency to latencies by operand, and unfused µops to issue slots. */
#include <assert.h>
#include <string.h>

#include "import/single.h"

/* Most slots or cycles in a row, as in the loader; larger ones are cut. */
#define COUNT_MAX 60000u

static uint16_t cut_count(uint32_t number)
{
	return (uint16_t)(number < COUNT_MAX ? number : COUNT_MAX);
}

static uint32_t less(uint32_t from, uint32_t by)
{
	return from > by ? from - by : 0;
}

/* ---- figures of the core's own rows -------------------------------------- */

static void known_timing(const struct takt_import_table *table, const uint8_t *bytes, size_t size,
			 struct takt_timing_storage *storage, struct takt_timing *ret_timing)
{
	struct takt_insn insn;
	enum takt_status status = takt_decode(&takt_isa_x86, bytes, size, 0, &insn);

	assert(status == TAKT_OK); /* the bytes are constants of this file */
	(void)status;
	takt_model_timing(table->model, &insn, storage, ret_timing);
}

static uint32_t issue_uops(const struct takt_import_table *table, const struct takt_timing *timing)
{
	uint32_t count = 0;

	for (unsigned i = 0; i < timing->uops_count; i++)
		if (!(timing->uops[i].ports & table->ports.pseudo))
			count += timing->uops[i].count;
	return count < timing->uop_total ? count : timing->uop_total;
}

static uint32_t load_ports(const struct takt_import_table *table)
{
	static const uint8_t load[] = {0x48, 0x8b, 0x03}; /* mov rax, [rbx] */
	struct takt_timing_storage storage;
	struct takt_timing timing;
	uint32_t ports = 0;

	known_timing(table, load, sizeof(load), &storage, &timing);
	for (unsigned i = 0; i < timing.uops_count; i++)
		ports |= timing.uops[i].ports & ~table->ports.pseudo;
	return ports;
}

static uint32_t swap_bits(uint32_t mask, uint32_t left, uint32_t right)
{
	bool has_left = mask & left, has_right = mask & right;

	return (mask & ~(left | right)) | (has_left ? right : 0) | (has_right ? left : 0);
}

static bool is_one_bit(uint32_t mask)
{
	return mask && !(mask & (mask - 1));
}

void takt_import_match_loads(struct takt_import_table *table, uint32_t theirs)
{
	uint32_t own = load_ports(table);
	uint32_t only_own = own & ~theirs, only_theirs = theirs & ~own;

	if (!is_one_bit(only_own) || !is_one_bit(only_theirs))
		return;
	for (size_t i = 0; i < table->row_count; i++) {
		struct takt_timing *timing = &table->rows[i].timing;
		struct takt_uops *uops =
			TAKT_NEW_ARRAY(&table->arena, timing->uops_count, struct takt_uops);

		for (unsigned j = 0; j < timing->uops_count; j++) {
			uops[j] = timing->uops[j];
			uops[j].ports = swap_bits(uops[j].ports, only_own, only_theirs);
		}
		timing->uops = uops;
	}
}

void takt_import_fused_slots(const struct takt_import_table *table, struct takt_import_row *row,
			     enum takt_import_use use)
{
	static const uint8_t samples[][3] = {
		[TAKT_USE_LOAD] = {0x48, 0x8b, 0x03},	 /* mov rax, [rbx] */
		[TAKT_USE_LOAD_OP] = {0x48, 0x03, 0x03}, /* add rax, [rbx] */
		[TAKT_USE_STORE] = {0x48, 0x89, 0x03},	 /* mov [rbx], rax */
		[TAKT_USE_MODIFY] = {0x48, 0x01, 0x03},	 /* add [rbx], rax */
	};
	struct takt_timing_storage storage;
	struct takt_timing known;
	uint32_t slots = issue_uops(table, &row->timing);

	if (use != TAKT_USE_NONE) {
		known_timing(table, samples[use], sizeof(samples[use]), &storage, &known);
		slots = less(slots, less(issue_uops(table, &known), known.slots));
	}
	row->timing.slots = cut_count(slots ? slots : 1);
	row->timing.mite = row->timing.slots;
}

/* ---- use and latency of memory operands ---------------------------------- */

static bool is_vector_kind(unsigned kind)
{
	return (kind >= TAKT_KIND_MM && kind <= TAKT_KIND_K) || kind == TAKT_KIND_XMM0;
}

static bool has_vector(const struct takt_form *form)
{
	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
		if (is_vector_kind(form->kinds[i]))
			return true;
	return false;
}

/* Return the index of the memory operand, or TAKT_FORM_OPERANDS_MAX. */
static unsigned memory_operand(const struct takt_form *form)
{
	unsigned i = 0;

	while (i < TAKT_FORM_OPERANDS_MAX &&
	       !takt_kind_is_memory((enum takt_operand_kind)form->kinds[i]))
		i++;
	return i;
}

static bool is_move(const char *mnemonic)
{
	mnemonic += *mnemonic == 'v';
	return strncmp(mnemonic, "mov", 3) == 0 || strncmp(mnemonic, "kmov", 4) == 0 ||
	       strncmp(mnemonic, "set", 3) == 0 || strncmp(mnemonic, "pop", 3) == 0 ||
	       strncmp(mnemonic, "fst", 3) == 0 || strncmp(mnemonic, "fist", 4) == 0;
}

enum takt_import_use takt_import_use_of_form(takt_form_key key)
{
	static const char *const readers[] = {"cmp",  "test", "bt",   "push", "jmp", "call",
					      "mul",  "imul", "div",  "idiv", "fld", "fild",
					      "fadd", "fsub", "fmul", "fdiv", "fcom"};
	struct takt_form form = takt_form_unpack(key);
	const char *mnemonic = takt_mnemonic_text(&takt_isa_x86, form.mnemonic);
	unsigned operand = memory_operand(&form);

	if (operand == TAKT_FORM_OPERANDS_MAX)
		return TAKT_USE_NONE;
	if (operand > 0)
		return is_move(mnemonic) ? TAKT_USE_LOAD : TAKT_USE_LOAD_OP;
	if (takt_string_is_one_of(mnemonic, readers, TAKT_COUNT_OF(readers)))
		return TAKT_USE_LOAD_OP;
	return is_move(mnemonic) || has_vector(&form) ? TAKT_USE_STORE : TAKT_USE_MODIFY;
}

/*
 * Latencies are set as in composed rows: from the address the whole latency, from a register the
 * operation's, from the value in memory the operation's plus the load's half of a round trip
 * through memory, whose other half is one cycle of the store.
 */
void takt_import_single_latency(struct takt_import_table *table, struct takt_import_row *row,
				enum takt_import_use use, uint32_t latency, uint32_t advance)
{
	const struct takt_core_params *params = takt_model_params(table->model);
	struct takt_form form = takt_form_unpack(row->form);
	uint8_t value = (uint8_t)(TAKT_SLOT_1 + memory_operand(&form)), count = 0;
	uint32_t load = (uint32_t)(has_vector(&form) ? params->load_latency_vector
						     : params->load_latency_int);
	uint32_t forward = less((uint32_t)params->store_forward_cycles, 1), work;
	struct takt_latency *latencies = TAKT_NEW_ARRAY(&table->arena, 3, struct takt_latency);

	row->timing.latencies = latencies;
	row->timing.latency_default = cut_count(use == TAKT_USE_STORE ? 1 : latency);
	if (use != TAKT_USE_NONE && use != TAKT_USE_STORE) {
		work = less(latency, advance == TAKT_ADVANCE_UNKNOWN ? load : advance);
		if (use != TAKT_USE_LOAD && work == 0)
			work = 1;
		latencies[count++] = (struct takt_latency){TAKT_SLOT_ANY_ADDRESS, TAKT_SLOT_ANY,
							   cut_count(latency)};
		latencies[count++] =
			(struct takt_latency){value, TAKT_SLOT_ANY, cut_count(work + forward)};
		if (use == TAKT_USE_MODIFY)
			latencies[count++] =
				(struct takt_latency){value, value, cut_count(work + forward + 1)};
		row->timing.latency_default = cut_count(work);
	}
	row->timing.latency_count = count;
}
