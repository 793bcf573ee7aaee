/* SPDX-License-Identifier: MIT */
/*
 * What must hold for any block on any core, checked on blocks of real binaries: the
 * exact port optimum is not above the equal split; the assignment sums to the µops;
 * the headline is the largest bound; the fast predictor agrees with the analysis; the
 * JSON says the same as the record.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "../unit/tap.h"
#include "isa/isa.h"
#include "model/model.h"
#include "support/elf_text.h"

#define BLOCKS_PER_CORE 400u
#define STRIDE 997u

struct checker {
	const struct takt_model *model;
	struct takt_predictor *predictor;
	uint64_t seen;
	uint32_t checked, bad;
};

static void complain(struct checker *checker, const char *what, const uint8_t *bytes, size_t size)
{
	checker->bad++;
	printf("# %s: %s:", takt_model_name(checker->model), what);
	for (size_t i = 0; i < size; i++)
		printf(" %02x", bytes[i]);
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

static void check_analysis(struct checker *checker, const struct takt_analysis *a,
			   const uint8_t *bytes, size_t size)
{
	const struct takt_bounds *b = &a->bounds;
	double largest = fmax(fmax(b->ports_cycles, b->issue_cycles), b->loop_carried_cycles);
	double quick = NAN;

	if (b->ports_cycles > b->fixed_ports_cycles + 1e-6)
		complain(checker, "optimum above equal split", bytes, size);
	if (fabs(a->cycles_per_iteration - largest) > 1e-6)
		complain(checker, "headline is not the largest bound", bytes, size);
	if (!ports_sum_up(a))
		complain(checker, "port cycles do not sum up", bytes, size);
	if (takt_predict(checker->predictor, bytes, size, &quick) != TAKT_OK ||
	    fabs(quick - a->cycles_per_iteration) > 1e-6)
		complain(checker, "predictor and analysis differ", bytes, size);
	if (!json_agrees(a))
		complain(checker, "JSON and record differ", bytes, size);
}

static void check_block(struct checker *checker, const uint8_t *bytes, size_t size)
{
	struct takt_code_options from = {
		.data = bytes, .data_size_bytes = size, .format = TAKT_INPUT_RAW, .whole = true};
	struct takt_analysis_options options = {.mode = TAKT_MODE_UNROLL};
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
	checker->checked++;
}

static void visit(void *context, const uint8_t *bytes, size_t size_bytes, uint64_t address)
{
	struct checker *checker = context;
	size_t start = 0;

	for (size_t at = 0; at < size_bytes && checker->checked < BLOCKS_PER_CORE;) {
		struct takt_insn insn;
		bool good = takt_decode(bytes + at, size_bytes - at, address, &insn) == TAKT_OK;

		if (good && !(insn.flags & TAKT_INSN_BRANCH)) {
			at += insn.length_bytes;
			continue;
		}
		if (good && at > start && checker->seen++ % STRIDE == 0)
			check_block(checker, bytes + start, at - start);
		at += good ? insn.length_bytes : 1;
		start = at;
	}
}

int main(int argc, char **argv)
{
	struct takt_diag *diag = takt_diag_new();

	for (size_t core = 0; core < takt_model_builtin_count(); core++) {
		struct checker checker = {0};
		struct takt_model *model;

		if (!ok(takt_model_open(takt_model_builtin_name(core), NULL, diag, &model) ==
				TAKT_OK,
			"%s opens", takt_model_builtin_name(core)))
			continue;
		checker.model = model;
		checker.predictor = takt_predictor_new(model, TAKT_MODE_UNROLL);
		for (int i = 1; i < argc; i++)
			elf_text_visit(argv[i], visit, &checker);
		ok(checker.bad == 0 && checker.checked > 0, "%s: %u blocks",
		   takt_model_builtin_name(core), checker.checked);
		takt_predictor_free(checker.predictor);
		takt_model_close(model);
	}
	takt_diag_free(diag);
	return tap_done();
}
