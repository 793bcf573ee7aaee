/* SPDX-License-Identifier: MIT */
/*
 * Of every form that loads, on every core: the way from the address to a register is published as
 * no shorter than a load, and simulated as no longer than published, since what is published is a
 * measured chain, load and all.
 */
#include "sim/block/block.h"
#include "unit/tap.h"

/* What follows a load takes a cycle at least. */
#define COMPUTE_CYCLES 1

struct sweep {
	const char *core;
	struct takt_model *model;
	struct takt_writers names;
	unsigned checked, wrong;
};

__attribute__((format(printf, 3, 4))) static void
complain(struct sweep *sweep, const struct takt_insn *insn, const char *format, ...)
{
	struct takt_text text = {0};
	va_list args;

	takt_insn_write(insn, TAKT_SYNTAX_INTEL, &text);
	takt_text_add_string(&text, ": ");
	va_start(args, format);
	takt_text_vprintf(&text, format, args);
	va_end(args);
	tap_note("%s: %s", sweep->core, takt_text_data(&text));
	takt_text_release(&text);
	sweep->wrong++;
}

static int least_load(const struct takt_core_params *params)
{
	return params->load_latency_fast ? params->load_latency_fast : params->load_latency_int;
}

static bool names_address(const struct takt_timing *timing, uint8_t destination)
{
	for (unsigned i = 0; i < timing->latency_count; i++) {
		const struct takt_latency *latency = &timing->latencies[i];

		if ((latency->source == TAKT_SLOT_BASE || latency->source == TAKT_SLOT_INDEX ||
		     latency->source == TAKT_SLOT_ANY_ADDRESS) &&
		    (latency->destination == destination || latency->destination == TAKT_SLOT_ANY))
			return true;
	}
	return false;
}

/* From the loaded value to the part; -1: it does not depend on it. */
static int way_to(const struct sim_flow *flow, const struct sim_source *loaded, uint8_t part)
{
	int way = -1;

	for (unsigned r = 0; r < flow->result_count; r++) {
		const struct sim_result *result = &flow->results[r];
		unsigned group = loaded->group, lead = flow->lead_cycles[group];

		if (result->part != part)
			continue;
		if (result->latency_cycles[group] != SIM_NO_LATENCY)
			way = result->latency_cycles[group];
		if (group && lead != SIM_NO_LATENCY &&
		    result->latency_cycles[0] != SIM_NO_LATENCY &&
		    (int)(lead + result->latency_cycles[0]) > way)
			way = (int)(lead + result->latency_cycles[0]);
	}
	return way < 0 ? way : way + loaded->extra_cycles;
}

static const struct sim_source *find_loaded(const struct sim_flow *flow)
{
	for (unsigned s = 0; s < flow->source_count; s++)
		if (flow->sources[s].part == SIM_PART_LOADED &&
		    flow->sources[s].group < flow->group_count)
			return &flow->sources[s];
	return NULL;
}

static void check_result(struct sweep *sweep, const struct takt_insn *insn,
			 const struct takt_timing *timing, const struct sim_flow *flow,
			 const struct takt_access *access)
{
	const struct sim_source *loaded = find_loaded(flow);
	int published = (int)takt_timing_latency(timing, TAKT_SLOT_BASE, access->slot);
	uint8_t parts[TAKT_PARTS_MAX];
	int way;

	if (!loaded || !names_address(timing, access->slot) ||
	    !takt_parts_written(&sweep->names, insn, access, parts))
		return;
	way = way_to(flow, loaded, parts[0]);
	if (way < 0)
		return;
	sweep->checked++;
	way += flow->memories[0].load_cycles;
	if (published < least_load(takt_model_params(sweep->model)))
		complain(sweep, insn, "published as %d cycles, fewer than a load", published);
	else if (way > published + COMPUTE_CYCLES)
		complain(sweep, insn, "simulated as %d cycles, published as %d", way, published);
}

static bool is_in_scope(const struct takt_insn *insn)
{
	const struct takt_memory *memory = insn->memories;

	return insn->memory_count == 1 && memory->read && !memory->write && !memory->address_only &&
	       memory->slot <= TAKT_SLOT_5 && memory->base &&
	       insn->insn_class != TAKT_CLASS_GATHER && insn->insn_class != TAKT_CLASS_STRING &&
	       insn->insn_class != TAKT_CLASS_SYSTEM;
}

static void check_sample(struct sweep *sweep, const struct takt_sample *sample)
{
	struct takt_timing_storage storage;
	struct takt_timing timing;
	struct takt_insn insn;
	struct sim_uops uops;
	struct sim_flow flow;

	if (takt_decode(&takt_isa_x86, sample->bytes, sample->length_bytes, 0, &insn) != TAKT_OK ||
	    !is_in_scope(&insn))
		return;
	takt_model_timing(sweep->model, &insn, &storage, &timing);
	if (timing.match == TAKT_MATCH_DEFAULT ||
	    timing.flags & (TAKT_TIMING_ZERO | TAKT_TIMING_BREAKS | TAKT_TIMING_ELIM))
		return;
	sim_uops_find(sweep->model, &insn, &timing, NULL, &uops);
	sim_flow_find(sweep->model, &insn, &timing, &sweep->names, uops.compute_count, &flow);
	for (unsigned a = 0; a < insn.access_count; a++)
		if (insn.accesses[a].flags & TAKT_WRITE && insn.accesses[a].location &&
		    !(insn.accesses[a].flags & TAKT_ADDRESS))
			check_result(sweep, &insn, &timing, &flow, &insn.accesses[a]);
}

static void check_core(const char *core, const struct takt_sample *samples, size_t count)
{
	struct sweep sweep = {.core = core};

	if (takt_model_open(core, NULL, NULL, &sweep.model) != TAKT_OK) {
		printf("Bail out! no %s\n", core);
		exit(EXIT_FAILURE);
	}
	if (takt_model_isa(sweep.model) == &takt_isa_x86) {
		takt_writers_init(&sweep.names, takt_model_params(sweep.model));
		for (size_t s = 0; s < count; s++)
			check_sample(&sweep, &samples[s]);
		ok(sweep.checked > 1000, "%s: %u ways", core, sweep.checked);
		ok(sweep.wrong == 0, "%s: %u of them cannot be", core, sweep.wrong);
	}
	takt_model_close(sweep.model);
}

int main(void)
{
	struct takt_arena arena = {0};
	size_t count;
	const struct takt_sample *samples = takt_samples_find(&arena, &count);

	for (size_t i = 0; i < takt_model_builtin_count(); i++)
		check_core(takt_model_builtin_name(i), samples, count);
	takt_arena_release(&arena);
	return tap_done();
}
