/* SPDX-License-Identifier: MIT */
/* The predictors that are compared. To add one: a function, and a row in the table at the end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/evaluate.h"

/* ---- takt, block by block ---- */

struct takt_predictor *takt_code_predictor(const struct evaluate_predictor *predictor,
					   const struct evaluate_code *code, uint64_t offset)
{
	struct takt_predictor_options options = predictor->options;
	size_t place = offset % EVALUATE_LINE_BYTES;

	if (!code->own[place]) {
		options.alignment_bytes = (uint32_t)place;
		code->own[place] = takt_predictor_new(code->model, &options);
	}
	return code->own[place];
}

static double predict_blocks(const struct evaluate_predictor *predictor,
			     const struct evaluate_code *code, const char **ret_reason)
{
	double sum = 0;

	for (size_t i = 0; i < code->graph.block_count; i++) {
		const struct evaluate_block *block = &code->graph.blocks[i];
		double cycles;

		if (takt_predict(takt_code_predictor(predictor, code, block->offset), block->bytes,
				 block->size_bytes, &cycles) != TAKT_OK ||
		    isnan(cycles)) {
			*ret_reason = "a block cannot be predicted";
			return NAN;
		}
		sum += cycles * (double)block->executions;
	}
	return sum;
}

/* ---- takt, the whole run ---- */

static const struct takt_model *same_model(void *context, const char *isa)
{
	const struct takt_model *model = context;

	return strcmp(isa, takt_model_isa_name(model)) == 0 ? model : NULL;
}

/* Cycles of so many calls; NaN, with a reason, if it cannot be run. */
static double time_calls(const struct evaluate_code *code, unsigned calls, bool branch,
			 const char **ret_reason)
{
	union {
		const struct takt_model *model;
		void *context;
	} model = {.model = code->model};
	const struct takt_trace_core core = {
		.model = same_model, .context = model.context, .branch = branch};
	const struct takt_trace_options options = {.core = &core, .profile = true};
	char *argv[] = {code->runner, code->path, takt_arena_printf(code->arena, "%u", calls),
			NULL};
	struct takt_diag *diag = takt_diag_new();
	struct takt_trace_totals *totals;
	double cycles = NAN;

	if (takt_trace_run(argv, &options, diag, &totals) == TAKT_OK) {
		uint32_t kernel = takt_counts_find_kernel(totals->profile, code->path);

		if (kernel != UINT32_MAX)
			cycles = (double)totals->profile->functions[kernel].self.cycles;
		takt_trace_totals_free(totals);
	}
	if (isnan(cycles))
		*ret_reason = takt_arena_printf(code->arena, "%s", takt_diag_text(diag));
	takt_diag_free(diag);
	return cycles;
}

static double predict_trace(const struct evaluate_predictor *predictor,
			    const struct evaluate_code *code, const char **ret_reason)
{
	(void)predictor;
	return time_calls(code, EVALUATE_CALLS, false, ret_reason) / EVALUATE_CALLS;
}

/* Branches are learned in the first calls, as they are before the measurement. */
#define LEARNING_CALLS 4
#define LEARNED_CALLS 4

static double predict_trace_branches(const struct evaluate_predictor *predictor,
				     const struct evaluate_code *code, const char **ret_reason)
{
	double first = time_calls(code, LEARNING_CALLS, true, ret_reason);

	(void)predictor;
	if (isnan(first))
		return NAN;
	return (time_calls(code, LEARNING_CALLS + LEARNED_CALLS, true, ret_reason) - first) /
	       LEARNED_CALLS;
}

/* ---- llvm-mca ---- */

#define MCA_ITERATIONS 100 /* what it does unless told otherwise */
#define MCA_SECONDS 60

static bool write_block(const struct evaluate_block *block, size_t number, struct takt_text *text)
{
	const uint8_t *next = block->bytes, *end = next + block->size_bytes;
	struct takt_insn insn;

	takt_text_printf(text, "# LLVM-MCA-BEGIN %zu\n", number);
	for (uint64_t address = block->offset; next < end; next += insn.length_bytes) {
		if (takt_decode(&takt_isa_x86, next, (size_t)(end - next), address, &insn) !=
		    TAKT_OK)
			return false;
		takt_insn_write(&insn, TAKT_SYNTAX_ATT, text);
		takt_text_add_string(text, "\n");
		address += insn.length_bytes;
	}
	takt_text_add_string(text, "# LLVM-MCA-END\n");
	return true;
}

/* Sums up "Total Cycles:" of region after region. */
static double lift_report(const char *report, const struct evaluate_code *code)
{
	static const char word[] = "Total Cycles:";
	double sum = 0;

	for (size_t i = 0; i < code->graph.block_count; i++) {
		report = strstr(report, word);
		if (!report)
			return NAN;
		report += strlen(word);
		sum += strtod(report, NULL) / MCA_ITERATIONS * (double)code->graph.blocks[i].executions;
	}
	return sum;
}

static double predict_mca(const struct evaluate_predictor *predictor,
			  const struct evaluate_code *code, const char **ret_reason)
{
	const char *const argv[] = {predictor->program,
				    "-mtriple=x86_64",
				    "-mcpu=native",
				    "-iterations=100",
				    "-instruction-info=0",
				    "-resource-pressure=0",
				    NULL};
	struct takt_text input, output;
	double cycles = NAN;
	bool fine = true;

	takt_text_init(&input);
	takt_text_init(&output);
	for (size_t i = 0; fine && i < code->graph.block_count; i++)
		fine = write_block(&code->graph.blocks[i], i, &input);
	if (fine && takt_program_run(argv, takt_text_data(&input), MCA_SECONDS, &output) == 0)
		cycles = lift_report(takt_text_data(&output), code);
	if (isnan(cycles))
		*ret_reason = takt_arena_printf(code->arena, "%.300s", takt_text_data(&output));
	takt_text_release(&output);
	takt_text_release(&input);
	return cycles;
}

const struct evaluate_predictor takt_evaluate_predictors[] = {
	{"takt bounds", NULL, {.engine = TAKT_ENGINE_BOUNDS}, predict_blocks},
	{"takt sim, no memory",
	 NULL,
	 {.engine = TAKT_ENGINE_SIM, .no_memory_dependences = true},
	 predict_blocks},
	{"takt sim", NULL, {.engine = TAKT_ENGINE_SIM}, predict_blocks},
	{"takt paths, no memory",
	 NULL,
	 {.engine = TAKT_ENGINE_SIM, .mode = TAKT_MODE_LOOP, .no_memory_dependences = true},
	 takt_paths_cycles},
	{"takt paths",
	 NULL,
	 {.engine = TAKT_ENGINE_SIM, .mode = TAKT_MODE_LOOP},
	 takt_paths_cycles},
	{"takt trace", NULL, {.engine = TAKT_ENGINE_SIM}, predict_trace},
	{"takt trace, branches", NULL, {.engine = TAKT_ENGINE_SIM}, predict_trace_branches},
	{"llvm-mca-14", "llvm-mca-14", {.engine = TAKT_ENGINE_SIM}, predict_mca},
	{"llvm-mca-19", "llvm-mca-19", {.engine = TAKT_ENGINE_SIM}, predict_mca},
};

const size_t takt_evaluate_predictor_count = TAKT_COUNT_OF(takt_evaluate_predictors);
