/* SPDX-License-Identifier: MIT */
/* The predictors that are compared. To add one, write a function and add a row to the table. */
#include <math.h>
#include <string.h>

#include "evaluate/evaluate.h"

/* ---- takt, block by block ---- */

/* Return takt's own predictor for code that starts at this offset. */
static struct takt_predictor *code_predictor(const struct evaluate_predictor *predictor,
					     const struct evaluate_code *code, uint64_t offset)
{
	struct takt_predictor_options options = predictor->options;
	size_t place = offset % TAKT_LINE_BYTES;

	if (!code->own[place]) {
		options.alignment_bytes = (uint32_t)place;
		code->own[place] = takt_predictor_new(code->model, &options);
	}
	return code->own[place];
}

static double predict_block(const struct evaluate_predictor *predictor,
			    const struct evaluate_code *code, const struct takt_flow_block *block,
			    const char **ret_remark)
{
	double cycles;

	if (takt_predict(code_predictor(predictor, code, block->offset), block->bytes,
			 block->size_bytes, &cycles) == TAKT_OK)
		return cycles;
	*ret_remark = "a block cannot be decoded";
	return NAN;
}

/* Return Σ executions × cycles of each block alone. */
static double lift_blocks(const struct evaluate_predictor *predictor,
			  const struct evaluate_code *code, const char **ret_remark)
{
	double sum = 0;

	for (size_t i = 0; i < code->graph.block_count && !isnan(sum); i++) {
		const struct takt_flow_block *block = &code->graph.blocks[i];

		sum += predictor->block(predictor, code, block, ret_remark) *
		       (double)block->executions;
	}
	return sum;
}

/* ---- takt, path by path ---- */

/* Predict the cycles of a call from its paths; a `predict` of struct evaluate_predictor. */
static double predict_paths(const struct evaluate_predictor *predictor,
			    const struct evaluate_code *code, const char **ret_remark)
{
	const struct takt_nest_code nest = {
		.model = code->model,
		.isa = &takt_isa_x86,
		.counts = code->graph,
		.base = code->base,
		.no_memory_dependences = predictor->options.no_memory_dependences,
	};
	size_t count;
	double cycles = takt_nest_predict(&nest, code->arena, &count)[0].cycles;

	if (isnan(cycles))
		*ret_remark = "a path cannot be predicted";
	return cycles;
}

/* ---- takt, the whole run ---- */

static const struct takt_model *same_model(void *context, const char *isa)
{
	const struct takt_model *model = context;

	return strcmp(isa, takt_model_isa_name(model)) == 0 ? model : NULL;
}

/* Return the two largest causes of a function's cycles: "dependences 61 %, branch 20 %". */
static const char *describe(const struct takt_trace_weight *weight, struct takt_arena *arena)
{
	uint32_t first = 0, second = 0;

	for (uint32_t i = 1; i < TAKT_TRACE_LOSSES; i++)
		if (weight->losses[i] > weight->losses[first])
			first = i;
	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++)
		if (i != first && (second == first || weight->losses[i] > weight->losses[second]))
			second = i;
	return takt_arena_printf(arena, "%s %.0f %%, %s %.0f %%", takt_trace_loss_name(first),
				 100.0 * (double)weight->losses[first] / (double)weight->cycles,
				 takt_trace_loss_name(second),
				 100.0 * (double)weight->losses[second] / (double)weight->cycles);
}

/* Simulate `calls` calls; return their cycles, or NaN. The remark names causes, or the reason. */
static double time_calls(const struct evaluate_code *code, unsigned calls, bool branch,
			 const char **ret_remark)
{
	union {
		const struct takt_model *model;
		void *context;
	} model = {.model = code->model};
	const struct takt_trace_core core = {
		.model = same_model,
		.context = model.context,
		.ideal = TAKT_IDEAL_CACHES | (branch ? 0 : TAKT_IDEAL_BRANCHES),
	};
	/* What the kernel's runner does first, and so what branch prediction has seen before the
	 * kernel, depends on the environment: it is empty. */
	char *const no_variables[] = {NULL};
	const struct takt_trace_options options = {.core = &core,
						   .profile = true,
						   .named_file = takt_path_name(code->path),
						   .variables = no_variables};
	char *argv[] = {code->runner, code->path, takt_arena_printf(code->arena, "%u", calls),
			NULL};
	struct takt_diag *diag = takt_diag_new();
	struct takt_trace_totals *totals;
	double cycles = NAN;

	*ret_remark = "the kernel did not run";
	if (takt_trace_run(argv, &options, diag, &totals) == TAKT_OK) {
		uint32_t kernel = takt_counts_find_kernel(totals->profile, code->path);

		if (kernel != UINT32_MAX) {
			const struct takt_trace_weight *self =
				&totals->profile->functions[kernel].self;

			cycles = (double)self->cycles;
			*ret_remark = describe(self, code->arena);
		}
		takt_trace_totals_free(totals);
	} else {
		*ret_remark = takt_arena_string(code->arena, takt_diag_text(diag));
	}
	takt_diag_free(diag);
	return cycles;
}

static double predict_trace(const struct evaluate_predictor *predictor,
			    const struct evaluate_code *code, const char **ret_remark)
{
	(void)predictor;
	return time_calls(code, EVALUATE_CALLS, false, ret_remark) / EVALUATE_CALLS;
}

/* Branches are learned in the first calls, as in the warm-up before the measurement. */
#define LEARNING_CALLS 4
#define LEARNED_CALLS 4

static double predict_trace_branches(const struct evaluate_predictor *predictor,
				     const struct evaluate_code *code, const char **ret_remark)
{
	double first = time_calls(code, LEARNING_CALLS, true, ret_remark);

	(void)predictor;
	if (isnan(first))
		return NAN;
	return (time_calls(code, LEARNING_CALLS + LEARNED_CALLS, true, ret_remark) - first) /
	       LEARNED_CALLS;
}

/* ---- the table ---- */

const struct evaluate_predictor takt_evaluate_predictors[] = {
	{.name = "takt bounds",
	 .options = {.engine = TAKT_ENGINE_BOUNDS},
	 .predict = lift_blocks,
	 .block = predict_block,
	 .by_block = true},
	{.name = "takt sim, no memory",
	 .options = {.engine = TAKT_ENGINE_SIM, .no_memory_dependences = true},
	 .predict = lift_blocks,
	 .block = predict_block,
	 .by_block = true},
	{.name = "takt sim",
	 .options = {.engine = TAKT_ENGINE_SIM},
	 .predict = lift_blocks,
	 .block = predict_block,
	 .by_block = true},
	{.name = "takt paths, no memory",
	 .options = {.engine = TAKT_ENGINE_SIM,
		     .mode = TAKT_MODE_LOOP,
		     .no_memory_dependences = true},
	 .predict = predict_paths},
	{.name = "takt paths",
	 .options = {.engine = TAKT_ENGINE_SIM, .mode = TAKT_MODE_LOOP},
	 .predict = predict_paths},
	{.name = "takt trace", .predict = predict_trace},
	{.name = "takt trace, branches", .predict = predict_trace_branches},
	{.name = "takt measure",
	 .predict = lift_blocks,
	 .block = takt_block_measure,
	 .by_block = true,
	 .host = true},
	{.name = "llvm-mca-14",
	 .program = "llvm-mca-14",
	 .predict = takt_blocks_mca,
	 .by_block = true},
	{.name = "llvm-mca-19",
	 .program = "llvm-mca-19",
	 .predict = takt_blocks_mca,
	 .by_block = true},
	{.name = "OSACA",
	 .program = "osaca",
	 .predict = lift_blocks,
	 .block = takt_block_osaca,
	 .by_block = true},
	{.name = "uiCA",
	 .program = "uiCA.py",
	 .predict = lift_blocks,
	 .block = takt_block_uica,
	 .by_block = true},
};

const size_t takt_evaluate_predictor_count = TAKT_COUNT_OF(takt_evaluate_predictors);
