/* SPDX-License-Identifier: MIT */
/* Runs one region through all engines and fills one record. */
#include <math.h>

#include "analyze/work.h"

#define CYCLES_LISTED_MAX 16u

/* The record and the arena it lives in; callers see the record. */
struct owned_analysis {
	struct takt_analysis record;
	struct takt_arena arena;
};

static void fill_ports(struct takt_work *work)
{
	const struct takt_prepared *prepared = &work->prepared;
	struct takt_analysis *record = work->record;
	uint32_t pseudo = takt_model_pseudo_ports(prepared->model);

	record->port_count = takt_model_port_count(prepared->model);
	for (uint32_t port = 0; port < record->port_count; port++) {
		record->port_names[port] =
			takt_arena_string(work->arena, takt_model_port_name(prepared->model, port));
		record->port_pseudo[port] = pseudo >> port & 1;
		for (uint32_t i = 0; i < prepared->load_count; i++)
			record->port_cycles[port] += work->shares[i * TAKT_PORTS_MAX + port];
	}
}

static double most_loaded(const double *shares, uint32_t load_count)
{
	double most = 0;

	for (uint32_t port = 0; port < TAKT_PORTS_MAX; port++) {
		double cycles = 0;

		for (uint32_t i = 0; i < load_count; i++)
			cycles += shares[i * TAKT_PORTS_MAX + port];
		most = fmax(most, cycles);
	}
	return most;
}

static void find_ports(struct takt_work *work)
{
	const struct takt_prepared *prepared = &work->prepared;
	size_t cells = (size_t)prepared->load_count * TAKT_PORTS_MAX;
	double *split = TAKT_NEW_ARRAY(work->scratch, cells, double);
	double *best = split;

	takt_ports_split(prepared->loads, prepared->load_count, split);
	work->record->bounds.ports_cycles = takt_ports_bound(prepared->loads, prepared->load_count);
	work->record->bounds.fixed_ports_cycles = most_loaded(split, prepared->load_count);
	if (!work->record->fixed) {
		best = TAKT_NEW_ARRAY(work->scratch, cells, double);
		takt_ports_assign(prepared->loads, prepared->load_count, work->scratch, best);
	}
	work->shares = best;
}

static void find_paths(struct takt_work *work)
{
	struct takt_graph_options options = {
		.loop = true, /* in both modes one execution of the block follows another */
		.repeats = work->prepared.mode == TAKT_MODE_LOOP,
		.no_memory_dependences = work->options->no_memory_dependences,
		.streams = work->options->memory_streams,
		.entry_values = work->prepared.entry_values,
		.entry_value_count = work->prepared.entry_value_count,
	};
	struct takt_bounds *bounds = &work->record->bounds;

	takt_graph_build(work->prepared.model, &work->prepared.block, work->prepared.timings,
			 &options, work->scratch, &work->graph);
	takt_critical_path(&work->graph, work->scratch, &work->path);
	takt_loop_carried(&work->graph, TAKT_NEAR_LIMIT, CYCLES_LISTED_MAX, work->scratch,
			  &work->loop_carried);
	bounds->critical_path_cycles = work->path.cycles;
	bounds->instruction_path_cycles =
		takt_critical_path_of_instructions(&work->graph, work->scratch);
	bounds->loop_carried_cycles = work->loop_carried.cycles;
}

/* Find the bound of the parts before rename; rename itself is the issue bound. */
static void find_front_end(struct takt_work *work)
{
	const struct takt_prepared *prepared = &work->prepared;
	const struct takt_front_end_options options = {
		.loop = prepared->mode == TAKT_MODE_LOOP,
		.alignment_bytes = work->record->alignment_bytes,
	};
	struct takt_bounds *bounds = &work->record->bounds;
	bool is_x86 = prepared->block.isa == &takt_isa_x86;
	struct takt_front_end_bounds found;

	takt_front_end_bound(prepared->model, &prepared->block, prepared->timings, &options,
			     work->scratch, &found);
	const struct {
		double cycles;
		const char *part;
	} parts[] = {
		{found.predecoder, is_x86 ? "predecoder" : "fetch"},
		{found.decoders, "decoders"},
		{found.op_cache, "op cache"},
		{found.loop_buffer, "loop buffer"},
	};
	work->uncached = found.uncached;
	work->uncached_insn = found.uncached_insn;
	bounds->front_end_part = "";
	for (size_t i = 0; i < TAKT_COUNT_OF(parts); i++)
		if (parts[i].cycles > bounds->front_end_cycles) {
			bounds->front_end_cycles = parts[i].cycles;
			bounds->front_end_part = parts[i].part;
		}
}

/* Find the largest bound; of equal ones, the first here. */
static double find_limit(struct takt_analysis *record)
{
	const struct takt_bounds *bounds = &record->bounds;
	const struct {
		double cycles;
		const char *name;
	} limits[] = {
		{record->fixed ? bounds->fixed_ports_cycles : bounds->ports_cycles, "ports"},
		{bounds->loop_carried_cycles, "loop-carried dependence"},
		{bounds->issue_cycles, "issue"},
		{bounds->front_end_cycles, bounds->front_end_part},
	};
	size_t worst = 0;

	for (size_t i = 1; i < TAKT_COUNT_OF(limits); i++)
		if (limits[i].cycles > limits[worst].cycles + 1e-9)
			worst = i;
	record->limit = limits[worst].name;
	return limits[worst].cycles;
}

/* Decide the headline. If no bound explains the simulated cycles, the largest stall cause does. */
static void decide_headline(struct takt_work *work)
{
	struct takt_analysis *record = work->record;
	double cycles = find_limit(record);

	if (!work->options->bounds_only) {
		takt_work_simulate(work);
		if (cycles < (1 - TAKT_NEAR_LIMIT) * record->simulated_cycles)
			record->limit = takt_work_stall_limit(work);
		cycles = record->simulated_cycles;
	}
	record->cycles_per_iteration = cycles / record->unroll_factor;
}

static uint32_t alignment(const struct takt_work *work)
{
	const struct takt_analysis_options *options = work->options;
	uint64_t address = work->prepared.block.insns[0].address;

	return (uint32_t)((options->alignment ? options->alignment - 1 : address) %
			  TAKT_ALIGNMENTS);
}

/* Fill the record from the decoded block. */
TAKT_MUST_CHECK static enum takt_status run(struct takt_work *work, enum takt_mode mode,
					    struct takt_diag *diag)
{
	struct takt_analysis *record = work->record;
	struct takt_prepared *prepared = &work->prepared;
	uint32_t decoded = prepared->block.count;
	int32_t width = takt_model_params(prepared->model)->issue_width;
	enum takt_status status;

	takt_prepared_set_mode(prepared, mode);
	work->branch_dropped = prepared->block.count < decoded;
	takt_prepared_run(prepared, work->scratch);
	record->arch = takt_arena_string(work->arena, takt_model_name(prepared->model));
	record->arch_title = takt_arena_string(work->arena, takt_model_title(prepared->model));
	if (takt_model_choice(prepared->model))
		record->arch_choice =
			takt_arena_string(work->arena, takt_model_choice(prepared->model));
	if (takt_model_doubt(prepared->model))
		record->arch_doubt =
			takt_arena_string(work->arena, takt_model_doubt(prepared->model));
	record->isa = takt_arena_string(work->arena, prepared->block.isa->name);
	record->region_name = takt_arena_string(work->arena, work->region->name);
	record->mode = prepared->mode;
	record->unroll_factor = work->options->unroll_factor > 0 ? work->options->unroll_factor : 1;
	record->fixed = work->options->fixed;
	record->issue_slots = prepared->issue_slots;
	record->issue_width = width > 0 ? (uint32_t)width : 0;
	record->simulated_cycles = NAN;
	record->alignment_bytes = alignment(work);
	record->bounds.issue_cycles = takt_prepared_issue_cycles(prepared);
	find_ports(work);
	find_paths(work);
	find_front_end(work);
	decide_headline(work);
	fill_ports(work);
	takt_work_fill_insns(work);
	takt_work_fill_paths(work);
	takt_work_fill_memory(work);
	if (!work->options->bounds_only) {
		takt_work_fill_stalls(work);
		takt_work_fill_relaxations(work);
		takt_work_fill_changes(work);
	}
	takt_work_fill_inner_loops(work);
	status = takt_work_fill_execution(work, diag);
	takt_work_fill_bottlenecks(work);
	takt_work_fill_notes(work);
	return status;
}

static enum takt_status refuse_core(const struct takt_model *model, const struct takt_code *code,
				    struct takt_diag *diag)
{
	takt_error(diag, "'%s' is %s code; %s is a core for %s", takt_code_file(code),
		   takt_code_isa(code)->title, takt_model_name(model),
		   takt_model_isa(model)->title);
	takt_note(diag, "choose a core for %s; 'takt model list' names them",
		  takt_code_isa(code)->title);
	return TAKT_BAD_INPUT;
}

enum takt_status takt_analyze(const struct takt_model *model, const struct takt_code *code,
			      size_t region_index, const struct takt_analysis_options *options,
			      struct takt_diag *diag, struct takt_analysis **ret_analysis)
{
	static const struct takt_analysis_options defaults;
	struct takt_arena scratch;
	struct owned_analysis *owned;
	struct takt_work work = {.code = code, .region_index = region_index, .scratch = &scratch};
	enum takt_status status;

	if (region_index >= takt_code_region_count(code)) {
		takt_error(diag, "no region with index %zu", region_index);
		return TAKT_NOT_FOUND;
	}
	work.options = options ? options : &defaults;
	work.region = takt_code_region(code, region_index);
	work.prepared.model = model;
	if (!takt_isa_is_kin(takt_model_isa(model), takt_code_isa(code)))
		return refuse_core(model, code, diag);
	takt_arena_init(&scratch);
	status = takt_prepared_decode(&work.prepared, code, region_index, &scratch, diag);
	if (status == TAKT_OK && !work.prepared.block.count) {
		takt_error(diag, "region '%s' has no instructions", work.region->name);
		status = TAKT_BAD_INPUT;
	}
	if (status == TAKT_OK)
		status = takt_prepared_read_entry_values(&work.prepared, work.options, &scratch,
							 diag);
	if (status == TAKT_OK) {
		owned = takt_xcalloc(1, sizeof(*owned));
		work.arena = &owned->arena;
		work.record = &owned->record;
		status = run(&work, work.options->mode, diag);
		if (status == TAKT_OK)
			*ret_analysis = &owned->record;
		else
			takt_analysis_free(&owned->record);
	}
	takt_arena_release(&scratch);
	return status;
}

void takt_analysis_free(struct takt_analysis *analysis)
{
	TAKT_FREE_OWNER(struct owned_analysis, analysis);
}
