/* SPDX-License-Identifier: MIT */
/*
 * Makes models of the processors for which LLVM has scheduling tables, for `llvm:TRIPLE:CPU`.
 * LLVM's units are the ports and its scheduling classes the forms. Figures that LLVM does not give
 * are guesses, and marked as such.
 */
#include <string.h>

#include "isa/llvm.h"
#include "model/draft.h"

#define NAME_PREFIX "llvm:"
#define UNKNOWN_CYCLES 100u /* an unknown latency, as llvm-mca assumes it */
#define IN_ORDER_ROB 64u
#define FETCH_BYTES_MIN 16u
#define PORTS_PER_LETTER 16u

struct maker {
	const char *name;
	const struct takt_isa *isa;
	const struct takt_llvm_processor *processor;
	struct takt_arena *arena;
	struct takt_core_draft *core;
	struct takt_model_text *text;
	struct takt_source_draft *tables, *guess;
	struct takt_llvm_schedule *schedules; /* by class; a class without a schedule has 0 µops */
	bool *scheduled;
	struct takt_llvm_class_use *uses;
};

bool takt_is_llvm_name(const char *name)
{
	return takt_compare_nocase(name, NAME_PREFIX, strlen(NAME_PREFIX)) == 0;
}

/* ---- LLVM's schedules ----------------------------------------------------------- */

static void read_schedules(struct maker *maker)
{
	unsigned count = maker->processor->class_count;

	maker->schedules = TAKT_NEW_ARRAY(maker->arena, count, struct takt_llvm_schedule);
	maker->scheduled = TAKT_NEW_ARRAY(maker->arena, count, bool);
	maker->uses = TAKT_NEW_ARRAY(maker->arena, count, struct takt_llvm_class_use);
	maker->isa->llvm->uses(maker->isa->target, maker->uses);
	for (unsigned i = 1; i < count; i++)
		maker->scheduled[i] =
			maker->isa->llvm->schedule(maker->isa->target, i, &maker->schedules[i]);
}

/* ---- ports ------------------------------------------------------------------------ */

/* Name a port: "p0" … "pF", then "q0" … */
static void name_port(unsigned number, char *name)
{
	name[0] = (char)('p' + number / PORTS_PER_LETTER);
	name[1] = "0123456789ABCDEF"[number % PORTS_PER_LETTER];
}

static const char *title_of(struct maker *maker, unsigned number)
{
	const struct takt_llvm_unit *unit = &maker->processor->units[number];

	if (unit->number == 0)
		return unit->name;
	return takt_arena_printf(maker->arena, "%s/%u", unit->name, unit->number);
}

/* Find the pseudo ports, such as dividers: units only ever busy beside those that take µops. */
static uint32_t find_pseudo(const struct maker *maker)
{
	uint32_t seen = 0, alone = 0;

	for (unsigned i = 1; i < maker->processor->class_count; i++) {
		const struct takt_llvm_schedule *schedule = &maker->schedules[i];
		bool extra = maker->scheduled[i] && schedule->resource_count > schedule->uops;

		for (unsigned r = 0; maker->scheduled[i] && r < schedule->resource_count; r++) {
			seen |= schedule->resources[r].units;
			if (!extra || schedule->resources[r].cycles <= 1)
				alone |= schedule->resources[r].units;
		}
	}
	return seen & ~alone;
}

static void make_ports(struct maker *maker)
{
	struct takt_port_list *ports = &maker->core->ports;

	ports->count = maker->processor->unit_count;
	for (unsigned i = 0; i < ports->count; i++) {
		name_port(i, ports->names[i]);
		maker->core->port_titles[i] = title_of(maker, i);
	}
	ports->pseudo = find_pseudo(maker);
	maker->text->ports = *ports;
}

/* ---- rows --------------------------------------------------------------------------- */

static uint16_t cycles_of(const struct takt_llvm_write *write)
{
	return write->cycles == TAKT_LLVM_CYCLES_UNKNOWN ? (uint16_t)UNKNOWN_CYCLES : write->cycles;
}

static void add_latency(struct takt_timing *timing, struct takt_latency *latencies, uint8_t source,
			uint8_t destination, int cycles)
{
	if (timing->latency_count == TAKT_ROW_LATENCIES_MAX)
		return;
	latencies[timing->latency_count++] =
		(struct takt_latency){source, destination, (uint16_t)(cycles > 0 ? cycles : 0)};
}

/* Add latencies of sources that are needed later than others; a source's first figure counts. */
static void add_advances(const struct takt_llvm_schedule *schedule, unsigned definitions,
			 struct takt_timing *timing, struct takt_latency *latencies)
{
	unsigned done = UINT8_MAX;

	for (unsigned i = 0; i < schedule->advance_count; i++) {
		const struct takt_llvm_advance *advance = &schedule->advances[i];
		unsigned slot = definitions + advance->use;

		if (slot > TAKT_SLOT_5 || advance->use == done || advance->cycles == 0 ||
		    (advance->kind && !advance->from_same_class))
			continue;
		done = advance->use;
		for (unsigned d = 0; d < definitions && d < schedule->write_count; d++)
			add_latency(timing, latencies, (uint8_t)slot, (uint8_t)d,
				    cycles_of(&schedule->writes[d]) - advance->cycles);
	}
}

static void set_latencies(const struct maker *maker, unsigned number, struct takt_timing *timing)
{
	const struct takt_llvm_schedule *schedule = &maker->schedules[number];
	unsigned definitions = maker->uses[number].definitions;
	struct takt_latency *latencies =
		TAKT_NEW_ARRAY(maker->arena, TAKT_ROW_LATENCIES_MAX, struct takt_latency);

	timing->latencies = latencies;
	timing->latency_default = 0;
	for (unsigned i = 0; i < schedule->write_count; i++)
		if (cycles_of(&schedule->writes[i]) > timing->latency_default)
			timing->latency_default = cycles_of(&schedule->writes[i]);
	add_advances(schedule, definitions, timing, latencies);
	for (unsigned d = 0; d < definitions && d < schedule->write_count && d <= TAKT_SLOT_5; d++)
		if (cycles_of(&schedule->writes[d]) != timing->latency_default)
			add_latency(timing, latencies, TAKT_SLOT_ANY, (uint8_t)d,
				    cycles_of(&schedule->writes[d]));
}

static void set_uops(const struct maker *maker, const struct takt_llvm_schedule *schedule,
		     struct takt_timing *timing)
{
	struct takt_uops *uops =
		TAKT_NEW_ARRAY(maker->arena, schedule->resource_count, struct takt_uops);
	uint32_t total = 0;

	for (unsigned i = 0; i < schedule->resource_count; i++) {
		uops[i] = (struct takt_uops){.ports = schedule->resources[i].units,
					     .count = schedule->resources[i].cycles};
		if (!(uops[i].ports & maker->core->ports.pseudo))
			total += uops[i].count;
	}
	timing->uops = uops;
	timing->uops_count = schedule->resource_count;
	timing->uop_total = (uint16_t)(total < TAKT_COUNT_MAX ? total : TAKT_COUNT_MAX);
	if (schedule->uops && schedule->uops < timing->uop_total)
		timing->uop_total = schedule->uops;
	timing->slots = timing->mite = schedule->uops ? schedule->uops : 1;
	timing->simple_decoders = UINT8_MAX;
}

static struct takt_row make_row(const struct maker *maker, unsigned number)
{
	struct takt_form foreign = {.is_foreign = true};
	struct takt_row row = {
		.form = takt_form_pack(&foreign) | (takt_form_key)number << TAKT_LLVM_CLASS_SHIFT,
		.source = maker->tables,
		.text = maker->text,
	};

	set_uops(maker, &maker->schedules[number], &row.timing);
	set_latencies(maker, number, &row.timing);
	return row;
}

static void make_rows(struct maker *maker, struct takt_loaded_core *ret_loaded)
{
	unsigned count = maker->processor->class_count;
	struct takt_row *rows = TAKT_NEW_ARRAY(maker->arena, count, struct takt_row);

	ret_loaded->rows = TAKT_NEW_ARRAY(maker->arena, count, const struct takt_row *);
	for (unsigned i = 1; i < count; i++) {
		if (!maker->scheduled[i])
			continue;
		rows[i] = make_row(maker, i);
		ret_loaded->rows[ret_loaded->row_count++] = &rows[i];
	}
}

/* ---- loads, stores, the rest --------------------------------------------------------- */

/* Find the scheduling class of most plain loads, or stores; 0 if there is none. */
static unsigned most_frequent_class(const struct maker *maker, bool stores)
{
	unsigned best = 0, most = 0;

	for (unsigned i = 1; i < maker->processor->class_count; i++) {
		unsigned count = stores ? maker->uses[i].stores : maker->uses[i].loads;

		if (maker->scheduled[i] && count > most) {
			most = count;
			best = i;
		}
	}
	return best;
}

static void make_access_row(struct maker *maker, unsigned compose, bool stores)
{
	unsigned number = most_frequent_class(maker, stores);
	struct takt_row *row;

	if (!number)
		return;
	row = TAKT_NEW(maker->arena, struct takt_row);
	*row = make_row(maker, number);
	row->form = 0;
	row->timing.latency_count = 0;
	maker->core->compose[compose] = row;
}

/* Make the default row, for instructions without figures: one µop on any port. */
static void make_defaults(struct maker *maker)
{
	uint32_t count = maker->core->ports.count;
	uint32_t all = count == TAKT_PORTS_MAX ? UINT32_MAX : ((uint32_t)1 << count) - 1;
	struct takt_uops *any = TAKT_NEW(maker->arena, struct takt_uops);
	struct takt_row *row = TAKT_NEW(maker->arena, struct takt_row);

	*any = (struct takt_uops){.ports = all & ~maker->core->ports.pseudo, .count = 1};
	*row = (struct takt_row){
		.timing = {.uops = any,
			   .uops_count = 1,
			   .latency_default = 1,
			   .slots = 1,
			   .mite = 1,
			   .uop_total = 1,
			   .simple_decoders = UINT8_MAX},
		.source = maker->guess,
		.text = maker->text,
	};
	for (unsigned i = 0; i < TAKT_CLASS_COUNT; i++)
		maker->core->defaults[i] = row;
	make_access_row(maker, 0, false);
	make_access_row(maker, TAKT_COMPOSE_STORE, true);
}

/* ---- parameters ------------------------------------------------------------------------ */

static void set(struct maker *maker, enum takt_param param, unsigned value,
		const struct takt_source_draft *source)
{
	maker->core->params[param] = (int32_t)value;
	maker->core->param_sources[param] = source;
}

static unsigned at_least(unsigned value, unsigned least)
{
	return value < least ? least : value;
}

/* LLVM's buffer holds instructions; in takt's scheduler each unit that one uses takes an entry. */
#define PLACES_OF_INSN 4u

/*
 * Set the reorder buffer and the scheduler. A core that executes in order gets a scheduler of one
 * cycle's instructions, so that an instruction that cannot start holds up those behind it.
 */
static void set_window(struct maker *maker, unsigned width)
{
	const struct takt_llvm_processor *processor = maker->processor;

	if (processor->is_out_of_order) {
		unsigned entries = at_least(processor->micro_op_buffer, width);

		set(maker, TAKT_PARAM_rob_entries, entries, maker->tables);
		set(maker, TAKT_PARAM_scheduler_entries, entries * PLACES_OF_INSN, maker->guess);
		return;
	}
	set(maker, TAKT_PARAM_rob_entries, at_least(IN_ORDER_ROB, width), maker->guess);
	set(maker, TAKT_PARAM_scheduler_entries, width, maker->guess);
	set(maker, TAKT_PARAM_rename_to_dispatch_cycles, 0, maker->guess);
}

static void make_params(struct maker *maker)
{
	static const struct {
		enum takt_param param;
		unsigned value;
	} absent[] = {
		{TAKT_PARAM_predecode_width, 0}, {TAKT_PARAM_predecode_delay_cycles, 0},
		{TAKT_PARAM_op_cache_width, 0},	 {TAKT_PARAM_microcode_width, 0},
		{TAKT_PARAM_stack_engine, 0},	 {TAKT_PARAM_high8_renamed, 0},
	};
	const struct takt_llvm_processor *processor = maker->processor;
	unsigned width = at_least(processor->issue_width, 1), bytes = FETCH_BYTES_MIN;
	unsigned load = at_least(processor->load_latency, 1);

	for (size_t i = 0; i < TAKT_COUNT_OF(absent); i++)
		set(maker, absent[i].param, absent[i].value, maker->guess);
	while (bytes < 2 * 4 * width)
		bytes *= 2;
	set(maker, TAKT_PARAM_fetch_bytes, bytes, maker->guess);
	set(maker, TAKT_PARAM_decode_width, width, maker->guess);
	set(maker, TAKT_PARAM_issue_width, width, maker->tables);
	set(maker, TAKT_PARAM_retire_width, width, maker->guess);
	set(maker, TAKT_PARAM_load_latency_int, load, maker->tables);
	set(maker, TAKT_PARAM_load_latency_vector, load, maker->tables);
	set(maker, TAKT_PARAM_store_forward_cycles, load + 1, maker->guess);
	set(maker, TAKT_PARAM_mispredict_cycles, processor->mispredict_penalty, maker->tables);
	set_window(maker, width);
}

/* ---- together ---------------------------------------------------------------------------- */

static struct takt_source_draft *make_source(struct maker *maker, const char *tag,
					     enum takt_origin origin, const char *text)
{
	struct takt_source_draft *source = TAKT_NEW(maker->arena, struct takt_source_draft);

	*source = (struct takt_source_draft){.tag = tag, .text = text, .origin = origin};
	return source;
}

static void make_core(struct maker *maker)
{
	const char *cpu = strrchr(maker->name, ':') + 1;
	bool in_order = !maker->processor->is_out_of_order;

	maker->core = TAKT_NEW(maker->arena, struct takt_core_draft);
	maker->text = TAKT_NEW(maker->arena, struct takt_model_text);
	maker->text->isa = maker->isa;
	maker->tables =
		make_source(maker, "m", TAKT_ORIGIN_MODEL,
			    takt_arena_printf(maker->arena, "LLVM 19 scheduling model of %s", cpu));
	maker->guess = make_source(maker, "e", TAKT_ORIGIN_ESTIMATED,
				   "LLVM does not say; assumed for every such processor");
	maker->core->name = maker->name;
	maker->core->title = takt_arena_printf(
		maker->arena, "%s %s, by LLVM's tables%s%s", maker->isa->title, cpu,
		in_order ? "; in order" : "",
		maker->processor->units_cut ? "; some of its units are left out" : "");
	maker->core->isa = maker->isa->name;
	maker->core->text = maker->text;
	read_schedules(maker);
	make_ports(maker);
	make_params(maker);
	make_defaults(maker);
}

static enum takt_status build(struct maker *maker, struct takt_diag *diag,
			      struct takt_model **ret_model)
{
	struct takt_loaded_core loaded = {0};
	struct takt_image_bytes bytes;
	struct takt_image image;
	const char *error;

	make_core(maker);
	make_rows(maker, &loaded);
	loaded.core = maker->core;
	if (!takt_image_write(&loaded, 1, maker->arena, diag, &bytes))
		return TAKT_BAD_INPUT;
	if (!takt_image_open(bytes, &image, &error)) {
		takt_error(diag, "model of '%s': %s", maker->name, error);
		takt_image_free(bytes);
		return TAKT_BAD_INPUT;
	}
	*ret_model = takt_model_from_image(&image, image.cores, bytes);
	(*ret_model)->isa = maker->isa;
	return TAKT_OK;
}

enum takt_status takt_llvm_model_open(const char *name, struct takt_diag *diag,
				      struct takt_model **ret_model)
{
	struct takt_arena arena = {0};
	struct maker maker = {.name = name, .arena = &arena};
	enum takt_status status = takt_isa_find(name, diag, &maker.isa);

	if (status != TAKT_OK)
		return status;
	maker.processor = maker.isa->llvm->processor(maker.isa->target);
	if (!maker.processor->has_schedule || !strchr(name + strlen(NAME_PREFIX), ':')) {
		takt_error(diag, "LLVM has no scheduling model of '%s'", name);
		takt_note(diag,
			  "'takt model list --llvm=%s' lists the processors that it has one "
			  "of",
			  maker.isa->title);
		return TAKT_NOT_FOUND;
	}
	status = build(&maker, diag, ret_model);
	takt_arena_release(&arena);
	return status;
}
