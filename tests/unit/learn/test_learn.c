/* SPDX-License-Identifier: MIT */
/*
 * The simulator plays cores that differ from known ones in parameters, with noise; learning starts
 * from the known ones and must find the differences from times alone.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "learn/learn.h"
#include "unit/isa/aarch64_rows.h"
#include "unit/tap.h"

#define NOISE 0.01
#define DISTURBED 0.02

static char directory[] = "/tmp/takt-learn-XXXXXX";

static void remove_plots(void)
{
	const struct learn_experiment *experiments;
	size_t count;
	char path[96];

	experiments = learn_experiments(&count);
	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/plots/%s.svg", directory, experiments[i].name);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/plots", directory);
	rmdir(path);
}

static void remove_files(void)
{
	static const char *const names[] = {"learn.journal",
					    "cores/learnt.core",
					    "timing/learnt.timing",
					    "experiments.csv",
					    "forms.sqlite",
					    "forms-nearest.sqlite",
					    "cores",
					    "timing",
					    ""};
	char path[64];

	remove_plots();
	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		if (unlink(path) != 0)
			rmdir(path);
	}
}

static bool learn(const struct takt_model *played, const char *from, const char *only,
		  struct takt_learning **ret_learning)
{
	const struct takt_learn_options options = {.played = played,
						   .from = from,
						   .noise = NOISE,
						   .disturbed = DISTURBED,
						   .seed = 1,
						   .only = only,
						   .directory = directory};
	struct takt_diag *diag = takt_diag_new();
	bool good = takt_learn(&options, diag, ret_learning) == TAKT_OK && *ret_learning;

	if (!good)
		tap_note("%s", takt_diag_text(diag));
	takt_diag_free(diag);
	return good;
}

static const struct takt_learnt_parameter *find(const struct takt_learning *learning,
						const char *name)
{
	for (uint32_t i = 0; i < learning->parameter_count; i++)
		if (strcmp(learning->parameters[i].name, name) == 0)
			return &learning->parameters[i];
	return NULL;
}

/* The written model has what the report says. */
static void test_model(const struct takt_learning *learning, const char *name, const char *value)
{
	const struct takt_setting setting = {name, value};
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *learnt = NULL, *same = NULL;

	ok(takt_model_open(learning->name, directory, diag, &learnt) == TAKT_OK &&
		   takt_model_set(learnt, &setting, 1, diag, &same) == TAKT_OK &&
		   takt_model_digest(learnt) == takt_model_digest(same),
	   "the model has %s %s %s", name, value, takt_diag_text(diag));
	takt_model_close(same);
	takt_model_close(learnt);
	takt_diag_free(diag);
}

static void test_parameter(const char *core, const char *name, const char *value, const char *only)
{
	const struct takt_setting setting = {name, value};
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *known = NULL, *played = NULL;
	struct takt_learning *learning = NULL;
	const struct takt_learnt_parameter *found;
	int number = strcmp(value, "yes") == 0 ? 1 : atoi(value);

	if (takt_model_open(core, NULL, diag, &known) != TAKT_OK ||
	    takt_model_set(known, &setting, 1, diag, &played) != TAKT_OK ||
	    !learn(played, core, only, &learning)) {
		ok(false, "%s %s of %s: %s", name, value, core, takt_diag_text(diag));
	} else {
		found = find(learning, name);
		ok(found && found->value == number && found->least <= found->value &&
			   found->most >= found->value && found->how == TAKT_LEARNT_MEASURED,
		   "%s with %s %s: learnt %d (%d to %d), %s", core, name, value,
		   found ? found->value : -9, found ? found->least : -9, found ? found->most : -9,
		   found ? takt_learnt_text(found->how) : "missing");
		test_model(learning, name, value);
	}
	takt_learning_free(learning);
	takt_model_close(played);
	takt_model_close(known);
	takt_diag_free(diag);
	remove_files();
	if (!mkdtemp(strcpy(directory, "/tmp/takt-learn-XXXXXX")))
		exit(1);
}

/* Rows of a core that are corrected to those of another, whose instruction is faster. */
struct correction {
	const char *played, *from;
	const struct takt_isa *isa;
	uint8_t bytes[4];
	int wanted_cycles;
	uint32_t least_checked, least_corrected;
	bool most_agree;
};

static void test_forms(const struct correction *correction)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *played = NULL, *learnt = NULL;
	struct takt_learning *learning = NULL;
	struct takt_timing_storage storage;
	struct takt_timing timing;
	struct takt_insn insn;

	if (takt_model_open(correction->played, NULL, diag, &played) == TAKT_OK &&
	    learn(played, correction->from, "forms", &learning) &&
	    takt_model_open("learnt", directory, diag, &learnt) == TAKT_OK &&
	    takt_decode(correction->isa, correction->bytes, sizeof(correction->bytes), 0, &insn) ==
		    TAKT_OK) {
		takt_model_timing(learnt, &insn, &storage, &timing);
		is_int((int)takt_timing_latency(&timing, TAKT_SLOT_1, TAKT_SLOT_1),
		       correction->wanted_cycles, "the learnt latency");
		ok(learning->forms_checked >= correction->least_checked &&
			   learning->forms_corrected >= correction->least_corrected &&
			   (!correction->most_agree ||
			    learning->forms_agreeing > learning->forms_corrected),
		   "%u forms, %u agree, %u corrected", learning->forms_checked,
		   learning->forms_agreeing, learning->forms_corrected);
	} else {
		ok(false, "forms: %s", takt_diag_text(diag));
	}
	takt_learning_free(learning);
	takt_model_close(learnt);
	takt_model_close(played);
	takt_diag_free(diag);
	remove_files();
	if (!mkdtemp(strcpy(directory, "/tmp/takt-learn-XXXXXX")))
		exit(1);
}

static void test_aarch64(void)
{
	/* fadd d0, d0, d0: 2 cycles, not 4 */
	static const struct correction additions = {
		"N1", "A72", &takt_isa_aarch64, {0x00, 0x28, 0x60, 0x1e}, 2, 110, 50, false};

	if (!can_decode()) {
		tap_skip("AArch64", AARCH64_MODULE);
		return;
	}
	test_parameter("N1", "rob_entries", "150", "rob_entries");
	test_parameter("N1", "decode_width", "3", "decode_width");
	test_parameter("V2", "op_cache_width", "6", "op_cache_width");
	test_parameter("A72", "scheduler_entries", "80", "scheduler_entries");
	test_parameter("TX2", "load_queue_entries", "50", "load_queue_entries");
	test_parameter("V2", "store_forward_cycles", "7", "store_forward_cycles");
	test_forms(&additions);
}

int main(void)
{
	/* mulsd xmm0, xmm1: 3 cycles, not 5 */
	static const struct correction multiplications = {
		"BDW", "HSW", &takt_isa_x86, {0xf2, 0x0f, 0x59, 0xc1}, 3, 251, 5, true};

	if (!mkdtemp(directory))
		return 1;
	test_parameter("SKL", "rob_entries", "250", "rob_entries");
	test_parameter("SKL", "load_queue_entries", "61", "load_queue_entries");
	test_parameter("HSW", "store_queue_entries", "50", "store_queue_entries");
	test_parameter("SKL", "scheduler_entries", "80", "scheduler_entries");
	test_parameter("SKL", "fetch_bytes", "32", "fetch_bytes");
	test_parameter("ZEN+", "op_cache_width", "7", "op_cache_width");
	test_parameter("SKL", "store_forward_fail_cycles", "9", "store_forward_fail_cycles");
	test_parameter("SKL", "move_elimination_int_slots", "2", "move_elimination_int_slots");
	test_parameter("SKL", "length_change_cycles", "5", "length_change_cycles");
	test_parameter("SKL", "nops_share", "yes", "nops_share");
	test_forms(&multiplications);
	test_aarch64();
	remove_files();
	return tap_done();
}
