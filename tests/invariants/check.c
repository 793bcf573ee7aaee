/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "isa/isa.h"

/* A slope over thousands of cycles, not a period, may be a cycle off. */
#define SIMULATION_SLACK 0.005
/*
 * A loop has a jump more, and may have what surrounds it at other places in a cycle. Chosen, so
 * that a loop that is simulated as something else is found.
 */
#define MODES_RATIO 1.25
#define JUMP_CYCLES 3

/* The block at hand. */
struct block {
	struct checker *checker;
	enum takt_mode mode;
	const uint8_t *bytes;
	size_t size;
};

static void complain(const struct block *block, const char *what)
{
	block->checker->bad++;
	printf("# %s, %s: %s:", takt_model_name(block->checker->model),
	       block->mode == TAKT_MODE_LOOP ? "loop" : "unroll", what);
	for (size_t i = 0; i < block->size; i++)
		printf("%s%02x", i ? "" : " ", block->bytes[i]);
	printf("\n");
}

static double number_at(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static bool json_agrees(const struct takt_analysis *analysis)
{
	struct takt_text *text = takt_text_new();
	json_t *root, *bounds;
	bool agrees;

	takt_write_analysis_json(analysis, text);
	root = json_loads(takt_text_data(text), 0, NULL);
	bounds = json_object_get(root, "bounds");
	agrees = root &&
		 fabs(number_at(root, "cycles_per_iteration") - analysis->cycles_per_iteration) <
			 0.001 &&
		 fabs(number_at(bounds, "ports") - analysis->bounds.ports_cycles) < 0.001 &&
		 json_array_size(json_object_get(root, "instructions")) == analysis->insn_count;
	json_decref(root);
	takt_text_free(text);
	return agrees;
}

/* The headline is on its second line. */
static bool text_agrees(const struct takt_analysis *analysis)
{
	const struct takt_write_options options = {.columns = 200};
	struct takt_text *text = takt_text_new();
	char wanted[64];
	bool agrees;

	snprintf(wanted, sizeof(wanted), "%.2f cycles per iteration on ",
		 analysis->cycles_per_iteration);
	takt_write_analysis_text(analysis, &options, text);
	agrees = strstr(takt_text_data(text), wanted) != NULL;
	takt_text_free(text);
	return agrees;
}

static bool ports_sum_up(const struct takt_analysis *analysis)
{
	for (uint32_t port = 0; port < analysis->port_count; port++) {
		double sum = 0;

		for (uint32_t i = 0; i < analysis->insn_count; i++)
			sum += analysis->insns[i].port_cycles[port];
		if (fabs(sum - analysis->port_cycles[port]) > 1e-6 ||
		    sum > analysis->bounds.ports_cycles + 1e-6)
			return false;
	}
	return true;
}

static bool waits_sum_up(const struct takt_analysis *analysis)
{
	double sum = 0;

	for (uint32_t i = 0; i < analysis->stall_count; i++)
		sum += analysis->stalls[i].cycles;
	/* Waits are of whole iterations near the end; if there is no period, these are not all
	 * alike. */
	return fabs(sum - analysis->simulated_cycles) < 0.01 + 0.001 * analysis->simulated_cycles;
}

/* Written so that what is not a number fails. */
static bool relaxations_help(const struct takt_analysis *analysis)
{
	for (uint32_t i = 0; i < analysis->relaxation_count; i++)
		if (!(analysis->relaxations[i].cycles > 0.005) ||
		    !(analysis->relaxations[i].cycles <= analysis->simulated_cycles) ||
		    (i && analysis->relaxations[i].cycles < analysis->relaxations[i - 1].cycles))
			return false;
	return true;
}

static void check_bounds(const struct block *block, const struct takt_analysis *a)
{
	const struct takt_bounds *b = &a->bounds;
	const struct {
		const char *what;
		double cycles;
	} bounds[] = {
		{"ports", b->ports_cycles},
		{"issue", b->issue_cycles},
		{b->front_end_part, b->front_end_cycles},
		{"loop-carried", b->loop_carried_cycles},
	};
	char what[96];

	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		if (bounds[i].cycles <= a->simulated_cycles * (1 + SIMULATION_SLACK) + 1e-6)
			continue;
		snprintf(what, sizeof(what), "%s %.3f above simulation %.3f", bounds[i].what,
			 bounds[i].cycles, a->simulated_cycles);
		complain(block, what);
	}
}

static void check_predictor(const struct block *block, const struct takt_analysis *a)
{
	struct takt_predictor *predictor =
		block->checker->predictors[block->mode == TAKT_MODE_LOOP];

	for (int run = 0; run < 2; run++) {
		double quick = NAN;

		if (takt_predict(predictor, block->bytes, block->size, &quick) != TAKT_OK ||
		    !(fabs(quick - a->cycles_per_iteration) <= 1e-6))
			complain(block, "predictor and analysis differ");
	}
}

static void check_analysis(const struct block *block, const struct takt_analysis *a)
{
	check_bounds(block, a);
	check_predictor(block, a);
	if (!(a->simulated_cycles > 0.005))
		complain(block, "no cycles");
	if (a->bounds.ports_cycles > a->bounds.fixed_ports_cycles + 1e-6)
		complain(block, "optimum above equal split");
	if (fabs(a->cycles_per_iteration - a->simulated_cycles) > 1e-6)
		complain(block, "headline is not the simulation");
	if (!ports_sum_up(a))
		complain(block, "port cycles do not sum up");
	if (!waits_sum_up(a))
		complain(block, "waits do not sum up");
	if (!relaxations_help(a))
		complain(block, "relaxations are worse, nothing, or not in order");
	if (!json_agrees(a))
		complain(block, "JSON and record differ");
	if (!text_agrees(a))
		complain(block, "text and record differ");
}

double check_block(struct checker *checker, enum takt_mode mode, const uint8_t *bytes, size_t size)
{
	const struct block block = {checker, mode, bytes, size};
	struct takt_code_options from = {.data = bytes,
					 .data_size_bytes = size,
					 .format = TAKT_INPUT_RAW,
					 .isa = takt_model_isa_name(checker->model),
					 .whole = true};
	struct takt_analysis_options options = {
		.mode = mode,
		.sensitivity = checker->checked % checker->relaxed_every ? TAKT_SENSITIVITY_NONE
									 : TAKT_SENSITIVITY_SHORT};
	struct takt_diag *diag = takt_diag_new();
	struct takt_analysis *analysis;
	struct takt_code *code;
	double cycles = 0;

	if (takt_code_open(&from, diag, &code) == TAKT_OK) {
		if (takt_analyze(checker->model, code, 0, &options, diag, &analysis) == TAKT_OK) {
			check_analysis(&block, analysis);
			cycles = analysis->simulated_cycles;
			takt_analysis_free(analysis);
		} else {
			complain(&block, takt_diag_text(diag));
		}
		takt_code_close(code);
	} else {
		complain(&block, takt_diag_text(diag));
	}
	takt_diag_free(diag);
	return cycles;
}

void check_modes(struct checker *checker, double copies, double loop, const uint8_t *bytes,
		 size_t size)
{
	const struct block block = {checker, TAKT_MODE_LOOP, bytes, size};
	/* Decoding is often slower than the op cache, and registers stand in for memory. */
	bool alike = takt_model_isa(checker->model) != &takt_isa_x86;
	char what[96];

	if (!(loop > copies * MODES_RATIO + JUMP_CYCLES) &&
	    !(alike && copies > loop * MODES_RATIO + JUMP_CYCLES))
		return;
	snprintf(what, sizeof(what), "%.2f as copies, %.2f as a loop", copies, loop);
	complain(&block, what);
}

void checker_init(struct checker *checker, const struct takt_model *model)
{
	struct takt_predictor_options options = {.engine = TAKT_ENGINE_SIM};

	*checker = (struct checker){.model = model, .relaxed_every = 1};
	options.mode = TAKT_MODE_UNROLL;
	checker->predictors[0] = takt_predictor_new(model, &options);
	options.mode = TAKT_MODE_LOOP;
	checker->predictors[1] = takt_predictor_new(model, &options);
}

void checker_release(struct checker *checker)
{
	takt_predictor_free(checker->predictors[0]);
	takt_predictor_free(checker->predictors[1]);
}
