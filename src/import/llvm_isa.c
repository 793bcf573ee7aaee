/* SPDX-License-Identifier: MIT */
/*
 * Imports LLVM's scheduling models of AArch64 cores: for every opcode a sample instruction, whose
 * bytes give the form, and whose operands give the slots that each latency is from and to. Units
 * are mapped to ports by the core file's `unit` lines.
 */
#include <stdlib.h>
#include <string.h>

#include "import/table.h"
#include "isa/llvm.h"

#define TRIPLE "aarch64-unknown-linux-gnu"
#define VARIANTS_MAX 256u
#define UNKNOWN_MIN 100u   /* LLVM's latency of instructions that were not measured */
#define LONG_CYCLES_MIN 4u /* cycles from which a busy port means a divider behind it */
#define WRITE_BACK_CYCLES 1u

struct importer {
	struct takt_import_table *table;
	const struct takt_llvm_api *api;
	struct takt_llvm_target *target;
	const struct takt_llvm_processor *processor;
	const char *cpu;
	uint32_t unit_ports[TAKT_LLVM_UNITS_MAX];
	uint8_t locations[TAKT_LLVM_LOCATIONS_MAX + 2]; /* takt's location by LLVM's */
};

/* One sample instruction, as takt and LLVM decode it, with LLVM's schedule. */
struct sample {
	const struct importer *importer;
	const char *opcode;
	const struct takt_insn *insn;
	const struct takt_llvm_insn *llvm;
	const struct takt_llvm_schedule *schedule;
};

/* ---- opening ---------------------------------------------------------------- */

/* Return the port of unit `number` of a name with as many units as ports; else all its ports. */
static uint32_t pick_port(uint32_t ports, uint32_t number, int units)
{
	if (units != __builtin_popcount(ports))
		return ports;
	while (number--)
		ports &= ports - 1;
	return ports & -ports;
}

static void map_units(struct importer *importer)
{
	const struct takt_llvm_processor *processor = importer->processor;

	for (unsigned i = 0; i < processor->unit_count; i++) {
		const struct takt_llvm_unit *unit = &processor->units[i];
		int same = 0;

		for (unsigned j = 0; j < processor->unit_count; j++)
			same += strcmp(processor->units[j].name, unit->name) == 0;
		importer->unit_ports[i] =
			pick_port(takt_model_unit_ports(importer->table->model, unit->name),
				  unit->number, same);
		if (!importer->unit_ports[i])
			takt_import_skip(importer->table, "units without a 'unit' line",
					 unit->name);
	}
}

/* Map LLVM's registers to takt's by name: "x3" and "v7" are the same in both. */
static void map_locations(struct importer *importer)
{
	for (uint16_t i = 1;
	     i <= importer->processor->location_count && i < TAKT_COUNT_OF(importer->locations);
	     i++) {
		const char *name = importer->api->location_name(importer->target, i);

		for (unsigned own = TAKT_LOC_NONE + 1; own < TAKT_LOC_COUNT; own++)
			if (name &&
			    strcmp(takt_location_name(&takt_isa_aarch64, (uint8_t)own), name) == 0)
				importer->locations[i] = (uint8_t)own;
	}
}

/* ---- operands to slots ------------------------------------------------------- */

/* Find the slot that reads or writes (`flag`) the register; TAKT_SLOT_ANY if there is none. */
static uint8_t slot_of(const struct sample *sample, const struct takt_llvm_register *reg,
		       unsigned flag)
{
	for (unsigned part = 0; part < reg->part_count; part++) {
		uint8_t location = sample->importer->locations[reg->parts[part]];

		for (unsigned i = 0; location && i < sample->insn->access_count; i++) {
			const struct takt_access *access = &sample->insn->accesses[i];

			if (access->location == location && access->flags & flag)
				return access->slot;
		}
	}
	return TAKT_SLOT_ANY;
}

struct writes {
	uint8_t slots[TAKT_LLVM_OPERANDS_MAX];
	uint16_t cycles[TAKT_LLVM_OPERANDS_MAX];
	unsigned count;
	uint16_t longest;
};

static void add_write(const struct sample *sample, const struct takt_llvm_register *reg,
		      unsigned number, struct writes *writes)
{
	const struct takt_llvm_schedule *schedule = sample->schedule;
	uint8_t slot = slot_of(sample, reg, TAKT_WRITE);
	uint16_t cycles = number < schedule->write_count ? schedule->writes[number].cycles
							 : TAKT_LLVM_CYCLES_UNKNOWN;

	if (slot == TAKT_SLOT_ANY || writes->count == TAKT_COUNT_OF(writes->slots))
		return;
	if (cycles == TAKT_LLVM_CYCLES_UNKNOWN)
		cycles = 0; /* find_writes() sets it to the longest */
	writes->slots[writes->count] = slot;
	writes->cycles[writes->count++] = cycles;
}

static void find_writes(const struct sample *sample, struct writes *writes)
{
	const struct takt_llvm_schedule *schedule = sample->schedule;
	unsigned number = 0;

	*writes = (struct writes){0};
	for (unsigned i = 0; i < schedule->write_count; i++)
		if (schedule->writes[i].cycles != TAKT_LLVM_CYCLES_UNKNOWN &&
		    schedule->writes[i].cycles > writes->longest)
			writes->longest = schedule->writes[i].cycles;
	for (unsigned i = 0; i < sample->llvm->operand_count; i++)
		if (sample->llvm->operands[i].is_definition)
			add_write(sample, &sample->llvm->operands[i].reg, number++, writes);
	for (unsigned i = 0; i < sample->llvm->implicit_write_count; i++)
		add_write(sample, &sample->llvm->implicit_writes[i], number++, writes);
	for (unsigned i = 0; i < writes->count; i++)
		if (writes->cycles[i] == 0 && sample->schedule->resource_count)
			writes->cycles[i] = writes->longest;
}

/* Return the operand that LLVM calls the n-th use. */
static const struct takt_llvm_operand *use_at(const struct takt_llvm_insn *insn, unsigned use)
{
	unsigned definitions = 0;

	for (unsigned i = 0; i < insn->operand_count; i++)
		definitions += insn->operands[i].is_definition;
	return definitions + use < insn->operand_count ? &insn->operands[definitions + use] : NULL;
}

/*
 * Return the cycles that the source may come later than others. Advances only for producers of
 * other scheduling classes are left out, because a form has one figure for all producers.
 */
static int advance_of(const struct sample *sample, uint8_t slot)
{
	for (unsigned i = 0; i < sample->schedule->advance_count; i++) {
		const struct takt_llvm_advance *advance = &sample->schedule->advances[i];
		const struct takt_llvm_operand *use = use_at(sample->llvm, advance->use);

		if (!use || use->type != TAKT_LLVM_REGISTER ||
		    (advance->kind && !advance->from_same_class) ||
		    slot_of(sample, &use->reg, TAKT_READ) != slot)
			continue;
		return advance->cycles;
	}
	return 0;
}

/* ---- latencies ----------------------------------------------------------------- */

static void add_pair(struct takt_timing *timing, struct takt_latency *latencies, uint8_t source,
		     uint8_t destination, uint32_t cycles)
{
	if (timing->latency_count == TAKT_IMPORT_PAIRS_MAX)
		return;
	for (unsigned i = 0; i < timing->latency_count; i++)
		if (latencies[i].source == source && latencies[i].destination == destination)
			return;
	timing->latencies = latencies;
	latencies[timing->latency_count++] =
		(struct takt_latency){source, destination, (uint16_t)cycles};
}

/* Swap latencies where a table has those of a load with write-back in the wrong order. */
static void untangle(struct writes *writes)
{
	unsigned base = 0;

	while (base < writes->count && writes->slots[base] != TAKT_SLOT_BASE)
		base++;
	for (unsigned i = 0; base < writes->count && i < writes->count; i++) {
		uint16_t cycles = writes->cycles[i];

		if (cycles >= writes->cycles[base])
			continue;
		writes->cycles[i] = writes->cycles[base];
		writes->cycles[base] = cycles;
	}
}

/* Add the latency of a base register's write-back: one cycle, unless the table gives another. */
static void add_write_back(const struct writes *writes, struct takt_timing *timing,
			   struct takt_latency *latencies)
{
	for (unsigned i = 0; i < writes->count; i++)
		if (writes->slots[i] == TAKT_SLOT_BASE && writes->cycles[i])
			add_pair(timing, latencies, TAKT_SLOT_ANY, TAKT_SLOT_BASE,
				 writes->cycles[i]);
	for (unsigned i = 0; i < writes->count; i++)
		if (writes->slots[i] == TAKT_SLOT_BASE && !writes->cycles[i])
			add_pair(timing, latencies, TAKT_SLOT_ANY, TAKT_SLOT_BASE,
				 WRITE_BACK_CYCLES);
}

/* Add the latencies of sources that are needed later than others, to each destination. */
static void add_advances(const struct sample *sample, const struct writes *writes,
			 struct takt_timing *timing, struct takt_latency *latencies)
{
	for (unsigned s = TAKT_SLOT_1; s <= TAKT_SLOT_FLAGS; s++) {
		uint8_t slot = (uint8_t)s;
		int advance = advance_of(sample, slot);

		for (unsigned i = 0; advance && i < writes->count; i++) {
			int cycles = (int)writes->cycles[i] - advance;

			if (writes->slots[i] == TAKT_SLOT_BASE)
				continue;
			add_pair(timing, latencies, slot, writes->slots[i],
				 cycles > 0 ? (uint32_t)cycles : 0);
		}
	}
}

static void set_latencies(const struct sample *sample, struct takt_timing *timing,
			  struct takt_latency *latencies)
{
	const struct takt_core_params *params = takt_model_params(sample->importer->table->model);
	const struct takt_memory *memory = takt_insn_data_memory(sample->insn);
	uint32_t forward =
		(uint32_t)(params->store_forward_cycles > 1 ? params->store_forward_cycles - 1 : 0);
	struct writes writes;
	uint16_t longest = 0;

	find_writes(sample, &writes);
	if (memory && memory->read)
		untangle(&writes);
	for (unsigned i = 0; i < writes.count; i++)
		if (writes.slots[i] != TAKT_SLOT_BASE && writes.cycles[i] > longest)
			longest = writes.cycles[i];
	timing->latency_default = longest;
	if (memory && memory->write && !memory->read)
		timing->latency_default = TAKT_STORE_CYCLES;
	add_write_back(&writes, timing, latencies);
	if (memory && memory->read && !memory->write && timing->latency_default != forward)
		add_pair(timing, latencies, memory->slot, TAKT_SLOT_ANY, forward);
	add_advances(sample, &writes, timing, latencies);
	for (unsigned i = 0; i < writes.count; i++)
		if (writes.slots[i] != TAKT_SLOT_BASE &&
		    writes.cycles[i] != timing->latency_default && !memory)
			add_pair(timing, latencies, TAKT_SLOT_ANY, writes.slots[i],
				 writes.cycles[i]);
}

/* ---- µops ------------------------------------------------------------------------ */

static void add_uops(struct takt_timing *timing, struct takt_uops *uops, uint32_t ports,
		     uint32_t count)
{
	unsigned at = 0;

	while (at < timing->uops_count && uops[at].ports != ports)
		at++;
	if (at == TAKT_IMPORT_UOPS_MAX)
		return;
	if (at == timing->uops_count)
		uops[timing->uops_count++] = (struct takt_uops){.ports = ports};
	uops[at].count = (uint16_t)(uops[at].count + count);
}

static uint32_t ports_of(const struct importer *importer, uint32_t units)
{
	uint32_t ports = 0;

	for (unsigned i = 0; i < importer->processor->unit_count; i++)
		if (units >> i & 1)
			ports |= importer->unit_ports[i];
	return ports;
}

/* Return the divider that is behind the core's ports; 0 if none is known. */
static uint32_t divider_of(const struct sample *sample)
{
	unsigned insn_class = sample->insn->insn_class;

	if (insn_class != TAKT_CLASS_INT_DIV && insn_class != TAKT_CLASS_FP_DIV)
		return 0;
	return takt_model_unit_ports(sample->importer->table->model,
				     takt_class_word((enum takt_insn_class)insn_class));
}

/* Set the µops; false if a resource is on no port. */
static bool set_uops(const struct sample *sample, struct takt_timing *timing,
		     struct takt_uops *uops)
{
	uint32_t pseudo = sample->importer->table->ports.pseudo, divider = divider_of(sample);
	uint32_t total = 0;

	timing->uops = uops;
	for (unsigned i = 0; i < sample->schedule->resource_count; i++) {
		uint32_t ports = ports_of(sample->importer, sample->schedule->resources[i].units);
		uint32_t cycles = sample->schedule->resources[i].cycles;

		if (!ports)
			return false;
		if (divider && !(ports & pseudo) && cycles >= LONG_CYCLES_MIN &&
		    cycles > sample->schedule->uops) {
			add_uops(timing, uops, divider, cycles);
			cycles = sample->schedule->uops ? sample->schedule->uops : 1;
		}
		add_uops(timing, uops, ports, cycles);
		if (!(ports & pseudo))
			total += cycles;
	}
	/* Cycles beyond the µops mean busy ports, but a store's address and data are two µops. */
	timing->uop_total = (uint16_t)total;
	if (!(sample->insn->flags & TAKT_INSN_STORES) && sample->schedule->uops &&
	    sample->schedule->uops < total)
		timing->uop_total = sample->schedule->uops;
	return true;
}

static void set_slots(const struct sample *sample, struct takt_timing *timing)
{
	const struct takt_core_params *params = takt_model_params(sample->importer->table->model);
	uint32_t each = params->slot_uops > 1 ? (uint32_t)params->slot_uops : 1;
	uint32_t uops = params->slot_uops > 0 ? sample->schedule->uops : timing->uop_total;
	uint32_t slots = (uops + each - 1) / each;

	timing->slots = (uint16_t)(slots ? slots : 1);
	timing->mite = timing->slots;
}

/* Set the flags: an instruction that no unit executes is done at rename. */
static void set_flags(const struct sample *sample, struct takt_timing *timing)
{
	bool move = sample->insn->insn_class == TAKT_CLASS_MOVE;

	if (timing->uops_count)
		return;
	if (move && sample->insn->flags & TAKT_INSN_HAS_IMM)
		timing->flags |= TAKT_TIMING_ZERO;
	else if (move)
		timing->flags |= TAKT_TIMING_ELIM;
	timing->latency_default = 0;
	timing->latency_count = 0;
}

/* ---- rows ------------------------------------------------------------------------- */

static takt_form_key with_qualifiers(const struct takt_insn *insn)
{
	struct takt_form form = takt_form_unpack(insn->form);

	if (insn->flags & TAKT_INSN_IMM0)
		form.flags |= TAKT_FORM_IMM0;
	if (insn->flags & TAKT_INSN_SHORT)
		form.flags |= TAKT_FORM_SHORT;
	return takt_form_pack(&form);
}

static void add_row(const struct sample *sample)
{
	struct takt_import_table *table = sample->importer->table;
	struct takt_latency latencies[TAKT_IMPORT_PAIRS_MAX];
	struct takt_uops uops[TAKT_IMPORT_UOPS_MAX] = {{0}};
	struct takt_import_row row = {.form = with_qualifiers(sample->insn)};

	row.timing.simple_decoders = UINT8_MAX;
	if (!set_uops(sample, &row.timing, uops)) {
		takt_import_skip(table, "units that are no ports of the core", sample->opcode);
		return;
	}
	set_latencies(sample, &row.timing, latencies);
	set_slots(sample, &row.timing);
	set_flags(sample, &row.timing);
	if (row.timing.latency_default >= UNKNOWN_MIN) {
		takt_import_skip(table, "figures that only say 'slow'", sample->opcode);
		return;
	}
	takt_import_add(table, &row);
}

/* Add a row for a sample instruction, or count it as skipped. */
static void import_sample(struct importer *importer, uint32_t opcode, const uint8_t *bytes,
			  size_t size_bytes)
{
	const char *name = importer->api->opcode_name(importer->target, opcode);
	struct takt_llvm_schedule schedule;
	struct takt_llvm_insn llvm;
	struct takt_insn insn;
	struct sample sample = {importer, name, &insn, &llvm, &schedule};

	if (!importer->api->decode(importer->target, bytes, size_bytes, 0, false, &llvm))
		takt_import_skip(importer->table, "not decoded by LLVM", name);
	else if (takt_decode(&takt_isa_aarch64, bytes, size_bytes, 0, &insn) != TAKT_OK ||
		 insn.form == 0)
		takt_import_skip(importer->table, "no form in takt", name);
	else if (!importer->api->schedule(importer->target, llvm.scheduling_class, &schedule))
		takt_import_skip(importer->table, "no scheduling data", name);
	else
		add_row(&sample);
}

/* ---- aliases ---------------------------------------------------------------- */

#define REGISTER_MASK 31u /* it is also the number of the zero register */
#define LINK_REGISTER 30u
#define SHIFT_TYPE 22u
#define EXTENSION 13u

/* Bit positions of the registers Rd, Rn, Ra and Rm in encodings. */
static const uint8_t register_shifts[] = {0, 5, 10, 16};

/* Import a changed encoding of the opcode if it has another form. */
static void import_alias(struct importer *importer, uint32_t opcode, uint32_t word,
			 takt_form_key form)
{
	struct takt_llvm_insn llvm;
	struct takt_insn insn;
	uint8_t bytes[sizeof(word)];

	memcpy(bytes, &word, sizeof(word));
	if (takt_decode(&takt_isa_aarch64, bytes, sizeof(bytes), 0, &insn) != TAKT_OK ||
	    insn.form == form ||
	    !importer->api->decode(importer->target, bytes, sizeof(bytes), 0, false, &llvm) ||
	    llvm.opcode != opcode)
		return;
	import_sample(importer, opcode, bytes, sizeof(bytes));
}

/* Import all kinds of shift or extension of the last register, as samples do not have them all. */
static void import_shifts(struct importer *importer, uint32_t opcode, const char *name,
			  uint32_t word, takt_form_key form)
{
	const size_t length = strlen(name);
	const bool shifted = length > 2 && strcmp(name + length - 2, "rs") == 0;
	const bool extended = length > 2 && strstr(name + length - 3, "rx") != NULL;

	for (uint32_t type = 0; shifted && type < 4; type++)
		import_alias(importer, opcode,
			     (word & ~(UINT32_C(3) << SHIFT_TYPE)) | type << SHIFT_TYPE, form);
	for (uint32_t option = 0; extended && option < 8; option++)
		import_alias(importer, opcode,
			     (word & ~(UINT32_C(7) << EXTENSION)) | option << EXTENSION, form);
}

/*
 * Import the aliases of an opcode. Samples have a different register in each operand, but with the
 * zero register in some, or one register in two operands, many instructions have another name:
 * subs is cmp, madd is mul, orr is mov.
 */
static void import_aliases(struct importer *importer, uint32_t opcode, const uint8_t *bytes)
{
	const char *name = importer->api->opcode_name(importer->target, opcode);
	struct takt_insn insn;
	uint32_t word;

	/* Here register 31 is the stack pointer, not the zero register: this mov is another one. */
	if (strcmp(name, "ADDXri") == 0 || strcmp(name, "ADDWri") == 0 ||
	    takt_decode(&takt_isa_aarch64, bytes, sizeof(word), 0, &insn) != TAKT_OK)
		return;
	memcpy(&word, bytes, sizeof(word));
	for (size_t i = 0; i < TAKT_COUNT_OF(register_shifts); i++)
		import_alias(importer, opcode, word | REGISTER_MASK << register_shifts[i],
			     insn.form);
	/* The zero register in both Rn and Rm, then one register in both. */
	import_alias(importer, opcode, word | REGISTER_MASK << 5 | REGISTER_MASK << 16, insn.form);
	import_alias(importer, opcode,
		     (word & ~(REGISTER_MASK << 16)) | (word >> 5 & REGISTER_MASK) << 16,
		     insn.form);
	/* The alias ret without an operand. */
	import_alias(importer, opcode, (word & ~(REGISTER_MASK << 5)) | LINK_REGISTER << 5,
		     insn.form);
	import_shifts(importer, opcode, name, word, insn.form);
}

static void import_opcode(struct importer *importer, uint32_t opcode)
{
	for (uint32_t variant = 0; variant < VARIANTS_MAX; variant++) {
		uint8_t bytes[16];
		int size = importer->api->sample(importer->target, opcode, variant, bytes);

		if (size < 0)
			return;
		if (size <= 0)
			continue;
		import_sample(importer, opcode, bytes, (size_t)size);
		if (size == (int)sizeof(uint32_t))
			import_aliases(importer, opcode, bytes);
	}
}

/* ---- qualified rows ------------------------------------------------------------------ */

static bool same_timing(const struct takt_timing *left, const struct takt_timing *right)
{
	return left->uops_count == right->uops_count &&
	       left->latency_count == right->latency_count &&
	       left->latency_default == right->latency_default && left->slots == right->slots &&
	       left->uop_total == right->uop_total && left->flags == right->flags &&
	       memcmp(left->uops, right->uops, left->uops_count * sizeof(*left->uops)) == 0 &&
	       (!left->latency_count ||
		memcmp(left->latencies, right->latencies,
		       left->latency_count * sizeof(*left->latencies)) == 0);
}

static takt_form_key plain_key(takt_form_key key)
{
	struct takt_form form = takt_form_unpack(key);

	form.flags &= (uint16_t)~TAKT_FORM_QUALIFIERS;
	return takt_form_pack(&form);
}

static int compare_forms(const void *left, const void *right)
{
	const struct takt_import_row *a = left, *b = right;
	takt_form_key plain_a = plain_key(a->form), plain_b = plain_key(b->form);

	if (plain_a != plain_b)
		return plain_a < plain_b ? -1 : 1;
	if (a->form != b->form)
		return a->form < b->form ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static void make_plain(struct takt_import_table *table, struct takt_import_row *row)
{
	struct takt_text text = {0};

	row->form = plain_key(row->form);
	takt_form_write(&takt_isa_aarch64, row->form, &text);
	row->text = takt_text_move(&text, &table->arena);
}

/* Drop qualified rows with the timing of the plain one; one without a plain row becomes plain. */
static void drop_qualified(struct takt_import_table *table)
{
	size_t kept = 0;

	qsort(table->rows, table->row_count, sizeof(*table->rows), compare_forms);
	for (size_t i = 0, plain = 0; i < table->row_count; i++) {
		struct takt_import_row *row = &table->rows[i];
		bool first =
			kept == 0 || plain_key(table->rows[plain].form) != plain_key(row->form);

		if (first)
			make_plain(table, row);
		else if (row->form == table->rows[kept - 1].form ||
			 same_timing(&row->timing, &table->rows[plain].timing))
			continue;
		if (first)
			plain = kept;
		table->rows[kept++] = *row;
	}
	table->row_count = kept;
}

/* ---- together ----------------------------------------------------------------------- */

static void report(void *context, const char *message)
{
	struct importer *importer = context;

	takt_error(importer->table->diag, "%s", message);
	takt_note(importer->table->diag,
		  "'takt model list --llvm=aarch64' lists the processors that LLVM models");
}

static bool open_processor(struct importer *importer)
{
	struct takt_import_table *table = importer->table;

	importer->target = importer->api->open(TRIPLE, importer->cpu, "", report, importer);
	if (!importer->target)
		return false;
	importer->processor = importer->api->processor(importer->target);
	if (!importer->processor->has_schedule) {
		takt_error(table->diag, "LLVM has no scheduling model of '%s'", importer->cpu);
		return false;
	}
	if (!takt_model_has_units(table->model)) {
		takt_error(table->diag, "the core file of %s says not which ports LLVM's units are",
			   takt_model_name(table->model));
		takt_note(table->diag,
			  "add lines such as 'unit %s p0'; LLVM's tables list the "
			  "names",
			  importer->processor->unit_count ? importer->processor->units[0].name
							  : "NAME");
		return false;
	}
	return true;
}

bool takt_import_llvm_isa(struct takt_import_table *table, const char *cpu)
{
	union {
		void *address;
		const struct takt_llvm_api *(*entry)(void);
	} symbol = {
		.address = takt_module_symbol("takt-llvm-aarch64", "takt_llvm_entry", table->diag)};
	struct importer importer = {.table = table, .cpu = cpu};

	if (!symbol.address) {
		takt_note(table->diag, "install takt with its LLVM module");
		table->unavailable = true;
		return false;
	}
	importer.api = symbol.entry();
	if (!open_processor(&importer))
		return false;
	map_units(&importer);
	map_locations(&importer);
	for (uint32_t opcode = 0; opcode < importer.api->opcode_count(importer.target); opcode++)
		import_opcode(&importer, opcode);
	drop_qualified(table);
	return true;
}
