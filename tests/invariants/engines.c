/* SPDX-License-Identifier: MIT */
/*
 * What must hold for any block on any core, checked on blocks of real binaries and on blocks
 * put together at random from their instructions, as loops and as copies: no bound exceeds
 * the simulation; the exact port optimum is not above the equal split; the assignment sums
 * to the µops; the fast predictor agrees with the analysis; nothing gets slower by being
 * relaxed; what cycles are spent on sums to them; the JSON says the same as the record.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../unit/tap.h"
#include "isa/isa.h"
#include "model/model.h"
#include "support/elf_text.h"

#define BLOCKS_PER_CORE 240u   /* real ones; half as many random ones follow */
#define STRIDE 1499u
#define RELAXED_EVERY 24u
#define POOL_COUNT 2048u
#define POOL_STRIDE 211u
#define BLOCK_SIZE_MAX 1024u
#define RANDOM_INSNS_MAX 14u
#define JUMP_BYTES 6u
/* A slope over thousands of cycles, not a period, may be a cycle off. */
#define SIMULATION_SLACK 0.005

/* An instruction for random blocks. */
struct pooled {
	uint8_t bytes[15], length_bytes;
};

struct checker {
	const struct takt_model *model;
	struct takt_predictor *predictors[2];
	enum takt_mode mode;
	struct pooled pool[POOL_COUNT];
	uint32_t pool_count;
	uint64_t seen, insns_seen, random;
	uint32_t checked, bad;
};

static void complain(struct checker *checker, const char *what, const uint8_t *bytes, size_t size)
{
	checker->bad++;
	printf("# %s, %s: %s:", takt_model_name(checker->model),
	       checker->mode == TAKT_MODE_LOOP ? "loop" : "unroll", what);
	for (size_t i = 0; i < size; i++)
		printf("%s%02x", i ? "" : " ", bytes[i]);
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
	agrees = root && fabs(number_at(root, "cycles_per_iteration") -
			      analysis->cycles_per_iteration) < 0.001 &&
		 fabs(number_at(bounds, "ports") - analysis->bounds.ports_cycles) < 0.001 &&
		 json_array_size(json_object_get(root, "instructions")) == analysis->insn_count;
	json_decref(root);
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

	for (uint32_t i = 0; i < analysis->wait_count; i++)
		sum += analysis->waits[i].cycles;
	return fabs(sum - analysis->simulated_cycles) < 0.01 + 0.001 * analysis->simulated_cycles;
}

static bool relaxations_help(const struct takt_analysis *analysis)
{
	for (uint32_t i = 0; i < analysis->relaxation_count; i++)
		if (analysis->relaxations[i].cycles > analysis->simulated_cycles ||
		    (i && analysis->relaxations[i].cycles < analysis->relaxations[i - 1].cycles))
			return false;
	return true;
}

static void check_bounds(struct checker *checker, const struct takt_analysis *a,
			 const uint8_t *bytes, size_t size)
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
		complain(checker, what, bytes, size);
	}
}

static void check_analysis(struct checker *checker, const struct takt_analysis *a,
			   const uint8_t *bytes, size_t size)
{
	struct takt_predictor *predictor = checker->predictors[checker->mode == TAKT_MODE_LOOP];
	double quick = NAN;

	check_bounds(checker, a, bytes, size);
	if (a->bounds.ports_cycles > a->bounds.fixed_ports_cycles + 1e-6)
		complain(checker, "optimum above equal split", bytes, size);
	if (fabs(a->cycles_per_iteration - a->simulated_cycles) > 1e-6)
		complain(checker, "headline is not the simulation", bytes, size);
	if (!ports_sum_up(a))
		complain(checker, "port cycles do not sum up", bytes, size);
	if (!waits_sum_up(a))
		complain(checker, "waits do not sum up", bytes, size);
	if (!relaxations_help(a))
		complain(checker, "relaxations are worse or not in order", bytes, size);
	if (takt_predict(predictor, bytes, size, &quick) != TAKT_OK ||
	    fabs(quick - a->cycles_per_iteration) > 1e-6)
		complain(checker, "predictor and analysis differ", bytes, size);
	if (!json_agrees(a))
		complain(checker, "JSON and record differ", bytes, size);
}

static void check_block(struct checker *checker, const uint8_t *bytes, size_t size)
{
	struct takt_code_options from = {
		.data = bytes, .data_size_bytes = size, .format = TAKT_INPUT_RAW, .whole = true};
	struct takt_analysis_options options = {
		.mode = checker->mode,
		.sensitivity = checker->checked % RELAXED_EVERY ? TAKT_SENSITIVITY_NONE
								: TAKT_SENSITIVITY_SHORT};
	struct takt_diag *diag = takt_diag_new();
	struct takt_analysis *analysis;
	struct takt_code *code;

	if (takt_code_open(&from, diag, &code) == TAKT_OK) {
		if (takt_analyze(checker->model, code, 0, &options, diag, &analysis) == TAKT_OK) {
			check_analysis(checker, analysis, bytes, size);
			takt_analysis_free(analysis);
		} else {
			complain(checker, "no analysis", bytes, size);
		}
		takt_code_close(code);
	} else {
		complain(checker, "not opened", bytes, size);
	}
	takt_diag_free(diag);
}

/* As copies, and as a loop by a jump behind it. */
static void check_both(struct checker *checker, const uint8_t *bytes, size_t size)
{
	int32_t back = -(int32_t)(size + JUMP_BYTES);
	uint8_t loop[BLOCK_SIZE_MAX + JUMP_BYTES];

	if (size > BLOCK_SIZE_MAX)
		return;
	memcpy(loop, bytes, size);
	memcpy(loop + size, "\x0f\x85", 2);
	memcpy(loop + size + 2, &back, sizeof(back));
	checker->mode = TAKT_MODE_UNROLL;
	check_block(checker, bytes, size);
	checker->mode = TAKT_MODE_LOOP;
	check_block(checker, loop, size + JUMP_BYTES);
	checker->checked++;
}

static uint32_t draw(struct checker *checker, uint32_t below)
{
	checker->random = checker->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((checker->random >> 33) % below);
}

static void check_random(struct checker *checker)
{
	for (uint32_t i = 0; checker->pool_count && i < BLOCKS_PER_CORE / 2; i++) {
		uint8_t bytes[BLOCK_SIZE_MAX];
		size_t size = 0;

		for (uint32_t left = 1 + draw(checker, RANDOM_INSNS_MAX); left; left--) {
			const struct pooled *insn =
				&checker->pool[draw(checker, checker->pool_count)];

			memcpy(bytes + size, insn->bytes, insn->length_bytes);
			size += insn->length_bytes;
		}
		check_both(checker, bytes, size);
	}
}

static void pool(struct checker *checker, const uint8_t *bytes, uint8_t length_bytes)
{
	struct pooled *pooled = &checker->pool[checker->pool_count];

	if (checker->insns_seen++ % POOL_STRIDE || checker->pool_count == POOL_COUNT)
		return;
	memcpy(pooled->bytes, bytes, length_bytes);
	pooled->length_bytes = length_bytes;
	checker->pool_count++;
}

static void visit(void *context, const uint8_t *bytes, size_t size_bytes, uint64_t address)
{
	struct checker *checker = context;
	size_t start = 0;

	for (size_t at = 0; at < size_bytes && checker->checked < BLOCKS_PER_CORE;) {
		struct takt_insn insn;
		bool good = takt_decode(&takt_isa_x86, bytes + at, size_bytes - at, address, &insn) == TAKT_OK;

		if (good && !(insn.flags & TAKT_INSN_BRANCH)) {
			pool(checker, bytes + at, insn.length_bytes);
			at += insn.length_bytes;
			continue;
		}
		if (good && at > start && checker->seen++ % STRIDE == 0)
			check_both(checker, bytes + start, at - start);
		at += good ? insn.length_bytes : 1;
		start = at;
	}
}

static void check_core(const char *name, int path_count, char **paths, struct takt_diag *diag)
{
	static struct checker checker;
	struct takt_predictor_options options = {.engine = TAKT_ENGINE_SIM};
	struct takt_model *model;

	if (!ok(takt_model_open(name, NULL, diag, &model) == TAKT_OK, "%s opens", name))
		return;
	checker = (struct checker){.model = model, .random = 1};
	options.mode = TAKT_MODE_UNROLL;
	checker.predictors[0] = takt_predictor_new(model, &options);
	options.mode = TAKT_MODE_LOOP;
	checker.predictors[1] = takt_predictor_new(model, &options);
	for (int i = 0; i < path_count; i++)
		elf_text_visit(paths[i], visit, &checker);
	check_random(&checker);
	ok(checker.bad == 0 && checker.checked > 0, "%s: %u blocks", name, checker.checked);
	takt_predictor_free(checker.predictors[0]);
	takt_predictor_free(checker.predictors[1]);
	takt_model_close(model);
}

int main(int argc, char **argv)
{
	struct takt_diag *diag = takt_diag_new();

	for (size_t core = 0; core < takt_model_builtin_count(); core++)
		check_core(takt_model_builtin_name(core), argc - 1, argv + 1, diag);
	takt_diag_free(diag);
	return tap_done();
}
