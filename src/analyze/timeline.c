/* SPDX-License-Identifier: MIT */
/* Simulates a region's first iterations, and fills an open record of them. */
#include <stdlib.h>

#include "analyze/analyze.h"
#include "analyze/prepared.h"

struct owned_timeline {
	struct takt_timeline record; /* first member, so that a pointer to it is one to the owner */
	struct takt_analysis *analysis; /* NULL: `names` is used */
	struct takt_analysis names;
	struct takt_arena arena;
};

struct filling {
	struct owned_timeline *owned;
	const struct takt_insn *insns; /* instructions of the trace */
	const struct sim_trace *trace;
};

/* Return the name of what a µop waits for. */
static const char *name_location(const struct filling *filling, const struct sim_trace_uop *uop)
{
	uint32_t insn = filling->trace->slots[uop->slot].insn;

	return takt_value_name(&filling->insns[insn], uop->location);
}

static const char *name_kind(const struct filling *filling, const struct sim_trace_uop *uop)
{
	static const char *const names[] = {
		[SIM_UOP_COMPUTE] = "compute",
		[SIM_UOP_LOAD] = "load",
		[SIM_UOP_STORE_ADDRESS] = "store address",
		[SIM_UOP_STORE_DATA] = "store data",
	};

	return filling->trace->slots[uop->slot].inserted ? "merge" : names[uop->kind];
}

static void fill_uops(struct filling *filling)
{
	const struct sim_trace *trace = filling->trace;
	struct takt_timeline_uop *uops =
		TAKT_NEW_ARRAY(&filling->owned->arena, trace->uop_count, struct takt_timeline_uop);

	for (uint32_t u = 0; u < trace->uop_count; u++) {
		const struct sim_trace_uop *uop = &trace->uops[u];
		bool stalls = uop->source != SIM_TRACE_NONE;

		uops[u] = (struct takt_timeline_uop){
			.kind = name_kind(filling, uop),
			.slot = uop->slot,
			.port = uop->port,
			.unit = uop->unit,
			.ready = uop->ready,
			.dispatched = uop->dispatched,
			.done = uop->done,
			.source = stalls ? uop->source : TAKT_NO_INDEX,
			.location = stalls ? name_location(filling, uop) : "",
			.store = uop->store == SIM_TRACE_NONE ? TAKT_NO_INDEX : uop->store,
		};
	}
	filling->owned->record.uops = uops;
	filling->owned->record.uop_count = trace->uop_count;
}

static void fill_slots(struct filling *filling)
{
	const struct sim_trace *trace = filling->trace;
	struct takt_timeline_slot *slots = TAKT_NEW_ARRAY(&filling->owned->arena, trace->slot_count,
							  struct takt_timeline_slot);

	for (uint32_t s = 0; s < trace->slot_count; s++) {
		const struct sim_trace_slot *slot = &trace->slots[s];

		slots[s] = (struct takt_timeline_slot){
			.insn = slot->insn,
			.iteration = slot->iteration,
			.first_uop = slot->first_uop,
			.uop_count = slot->uop_count,
			.queued = slot->queued,
			.renamed = slot->renamed,
			.done = slot->done,
			.retired = slot->retired,
			.inserted = slot->inserted,
		};
	}
	filling->owned->record.slots = slots;
	filling->owned->record.slot_count = trace->slot_count;
}

static void fill_fetches(struct filling *filling)
{
	static const char *const names[SIM_SOURCE_COUNT] = {
		[SIM_SOURCE_OP_CACHE] = "op cache",
		[SIM_SOURCE_DECODERS] = "decoders",
		[SIM_SOURCE_LOOP_BUFFER] = "loop buffer",
		[SIM_SOURCE_MICROCODE] = "microcode",
	};
	const struct sim_trace *trace = filling->trace;
	struct takt_timeline_fetch *fetches = TAKT_NEW_ARRAY(
		&filling->owned->arena, trace->slot_count, struct takt_timeline_fetch);

	for (uint32_t s = 0; s < trace->slot_count; s++)
		fetches[s] = (struct takt_timeline_fetch){.source = names[trace->slots[s].source],
							  .fetched = trace->slots[s].fetched,
							  .predecoded = trace->slots[s].predecoded};
	filling->owned->record.fetches = fetches;
}

static void fill_cycles(struct filling *filling)
{
	const struct sim_trace *trace = filling->trace;
	struct takt_timeline_cycle *cycles = TAKT_NEW_ARRAY(
		&filling->owned->arena, trace->cycle_count, struct takt_timeline_cycle);
	const struct takt_isa *isa = filling->insns->isa;

	for (uint32_t c = 0; c < trace->cycle_count; c++) {
		enum sim_stall stop = trace->cycles[c].stop;
		enum sim_stall front_end = trace->cycles[c].front_end;

		cycles[c] = (struct takt_timeline_cycle){
			.stop = stop == SIM_STALL_NONE ? "queue empty" : takt_cause_word(isa, stop),
			.front_end = front_end == SIM_STALL_RENAME
					     ? "queue full"
					     : takt_cause_word(isa, front_end),
		};
	}
	filling->owned->record.cycles = cycles;
	filling->owned->record.cycle_count = trace->cycle_count;
}

static void fill(struct filling *filling)
{
	filling->owned->record.iterations = filling->trace->iterations;
	fill_slots(filling);
	fill_fetches(filling);
	fill_uops(filling);
	fill_cycles(filling);
}

static void trace_steps(struct takt_prepared *prepared, const struct takt_analysis *analysis,
			bool no_memory_dependences, uint32_t iterations, struct takt_arena *arena,
			struct sim_trace *ret_trace)
{
	const struct sim_options options = {.loop = analysis->mode == TAKT_MODE_LOOP,
					    .alignment_bytes = analysis->alignment_bytes};
	struct sim_block block;

	takt_prepared_set_mode(prepared, analysis->mode);
	takt_prepared_run(prepared, arena);
	if (!no_memory_dependences)
		takt_prepared_find_memory(prepared, arena);
	block = takt_prepared_block(prepared);
	takt_simulate_trace(&block, &options, iterations, arena, ret_trace);
}

struct request {
	const struct takt_model *model;
	const struct takt_code *code;
	size_t region_index;
	struct takt_analysis_options options;
	uint32_t iterations;
};

static enum takt_status run(const struct request *request, struct owned_timeline *owned,
			    struct takt_diag *diag)
{
	struct takt_prepared prepared = {.model = request->model};
	struct filling filling = {.owned = owned};
	struct sim_trace trace;
	struct takt_arena scratch = {0};
	enum takt_status status;

	status = takt_prepared_decode(&prepared, request->code, request->region_index, &scratch,
				      diag);
	if (status == TAKT_OK)
		status = takt_prepared_read_entry_values(&prepared, &request->options, &scratch,
							 diag);
	if (status == TAKT_OK) {
		trace_steps(&prepared, owned->analysis, request->options.no_memory_dependences,
			    request->iterations, &scratch, &trace);
		filling.insns = prepared.block.insns;
		filling.trace = &trace;
		owned->record.analysis = owned->analysis;
		fill(&filling);
	}
	takt_arena_release(&scratch);
	return status;
}

enum takt_status takt_timeline_new(const struct takt_model *model, const struct takt_code *code,
				   size_t region_index, const struct takt_analysis_options *options,
				   uint32_t iterations, struct takt_diag *diag,
				   struct takt_timeline **ret_timeline)
{
	struct request request = {model, code, region_index, {.mode = TAKT_MODE_AUTO}, iterations};
	struct owned_timeline *owned = takt_xcalloc(1, sizeof(*owned));
	enum takt_status status;

	if (options)
		request.options = *options;
	request.options.bounds_only = true;
	request.options.sensitivity = TAKT_SENSITIVITY_NONE;
	status = takt_analyze(model, code, region_index, &request.options, diag, &owned->analysis);
	if (status == TAKT_OK)
		status = run(&request, owned, diag);
	if (status == TAKT_OK)
		*ret_timeline = &owned->record;
	else
		takt_timeline_free(&owned->record);
	return status;
}

/* ---- from instructions that ran elsewhere ---- */

/* Fill names and instructions, which is all a timeline needs of an analysis. */
static void fill_names(const struct takt_recorded *recorded, struct owned_timeline *owned)
{
	struct takt_analysis *names = &owned->names;
	struct takt_arena *arena = &owned->arena;
	uint32_t pseudo = takt_model_pseudo_ports(recorded->model);
	struct takt_analysis_insn *insns =
		TAKT_NEW_ARRAY(arena, recorded->insn_count, struct takt_analysis_insn);
	struct takt_text text = {0};

	names->arch = takt_model_name(recorded->model);
	names->arch = takt_arena_string(arena, names->arch);
	names->arch_choice = takt_model_choice(recorded->model);
	if (names->arch_choice)
		names->arch_choice = takt_arena_string(arena, names->arch_choice);
	names->arch_doubt = takt_model_doubt(recorded->model);
	if (names->arch_doubt)
		names->arch_doubt = takt_arena_string(arena, names->arch_doubt);
	names->region_name = takt_arena_string(arena, recorded->title);
	names->port_count = takt_model_port_count(recorded->model);
	for (uint32_t port = 0; port < names->port_count; port++) {
		const char *name = takt_model_port_name(recorded->model, port);

		names->port_names[port] = takt_arena_string(arena, name);
		names->port_pseudo[port] = pseudo >> port & 1;
	}
	for (uint32_t i = 0; i < recorded->insn_count; i++) {
		takt_text_clear(&text);
		takt_insn_write(&recorded->insns[i], TAKT_SYNTAX_AUTO, &text);
		insns[i].address = recorded->insns[i].address;
		insns[i].length_bytes = recorded->insns[i].length_bytes;
		insns[i].slots = !recorded->fused[i];
		insns[i].text = takt_arena_copy(arena, text.data ? text.data : "", text.size_bytes);
		insns[i].form = insns[i].note = "";
	}
	takt_text_release(&text);
	names->insns = insns;
	names->insn_count = recorded->insn_count;
}

struct takt_timeline *takt_timeline_of(const struct takt_recorded *recorded)
{
	struct owned_timeline *owned = takt_xcalloc(1, sizeof(*owned));
	struct filling filling = {
		.owned = owned, .insns = recorded->insns, .trace = recorded->trace};

	fill_names(recorded, owned);
	owned->record.analysis = &owned->names;
	owned->record.is_part = true;
	fill(&filling);
	return &owned->record;
}

void takt_timeline_free(struct takt_timeline *timeline)
{
	struct owned_timeline *owned = (struct owned_timeline *)timeline;

	if (!owned)
		return;
	takt_analysis_free(owned->analysis);
	takt_arena_release(&owned->arena);
	free(owned);
}
