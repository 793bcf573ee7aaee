/* SPDX-License-Identifier: MIT */
/*
 * The code of pairs, and cores that fuse other pairs than the one that learning starts from: the
 * simulator plays them, with noise, and their pairs must be found.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "learn/fusing.h"
#include "unit/isa/aarch64_rows.h"
#include "unit/tap.h"

/* ---- code ------------------------------------------------------------------------------ */

static bool decodes(const struct takt_isa *isa, const struct learn_pair_insn *insn,
		    struct takt_insn *ret_insn)
{
	return takt_decode(isa, insn->bytes, insn->size_bytes, 0, ret_insn) == TAKT_OK &&
	       ret_insn->length_bytes == insn->size_bytes;
}

/* Copies of a pair decode to the named instructions, and the jump leads to what is behind it. */
static bool is_pair(const struct takt_isa *isa, const struct learn_pair *pair,
		    const struct learn_pair_copy *copy)
{
	struct takt_insn first, second;

	if (!decodes(isa, &copy->first, &first) || !decodes(isa, &copy->second, &second))
		return false;
	if (pair->role == TAKT_FUSE_JUMP)
		return second.flags & TAKT_INSN_CONDITIONAL &&
		       pair->conditions >> second.condition & 1 &&
		       second.branch_target == copy->second.size_bytes;
	return strcmp(takt_mnemonic_text(isa, takt_form_unpack(first.form).mnemonic),
		      pair->first) == 0 &&
	       strcmp(takt_mnemonic_text(isa, takt_form_unpack(second.form).mnemonic),
		      pair->second) == 0;
}

static void test_x86_code(void)
{
	uint32_t count = 0, bad = 0;

	for (const struct learn_pair *pair; (pair = learn_x86_pair(count)); count++) {
		for (uint32_t i = 0; i < 8 && !pair->varies_first; i++) {
			struct learn_pair_copy copy;

			if (learn_x86_pair_copy(pair, pair, i, &copy) &&
			    is_pair(&takt_isa_x86, pair, &copy))
				continue;
			tap_note("%s %s, copy %u", pair->first, pair->second, i);
			bad++;
		}
	}
	ok(count > 200 && bad == 0, "%u pairs of x86-64 are what they are called", count);
}

static void test_aarch64_code(void)
{
	uint32_t count = 0, bad = 0;

	if (!can_decode()) {
		tap_skip("pairs of AArch64", AARCH64_MODULE);
		return;
	}
	for (const struct learn_pair *pair; (pair = learn_aarch64_pair(count)); count++) {
		struct learn_pair_copy copy;
		struct takt_insn first;

		bad += !learn_aarch64_pair_copy(pair, pair, count, &copy) ||
		       !is_pair(&takt_isa_aarch64, pair, &copy) ||
		       !decodes(&takt_isa_aarch64, &copy.first, &first) ||
		       strcmp(takt_mnemonic_text(&takt_isa_aarch64,
						 takt_form_unpack(first.form).mnemonic),
			      pair->first) != 0;
	}
	ok(count > 5 && bad == 0, "%u pairs of AArch64 are what they are called", count);
}

/* ---- cores ------------------------------------------------------------------------------ */

static char directory[] = "/tmp/takt-fusing-XXXXXX";

static void remove_files(void)
{
	static const char *const names[] = {"learn.journal",
					    "cores/learnt.core",
					    "timing/learnt.timing",
					    "experiments.csv",
					    "cores",
					    "timing",
					    "plots",
					    ""};
	char path[64];

	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		if (unlink(path) != 0)
			rmdir(path);
	}
}

static bool learn(const struct takt_model *played, const char *from, struct takt_diag *diag,
		  struct takt_learning **ret_learning)
{
	const struct takt_learn_options options = {.played = played,
						   .from = from,
						   .noise = 0.01,
						   .disturbed = 0.02,
						   .seed = 1,
						   .only = "fusing",
						   .directory = directory};

	return takt_learn(&options, diag, ret_learning) == TAKT_OK && *ret_learning;
}

/* True if the pair becomes one µop on the core. */
static bool fuses(const struct takt_model *model, const struct learn_pair *pair)
{
	const struct takt_isa *isa = takt_model_isa(model);
	struct learn_pair_copy copy;
	struct takt_insn insns[2];

	return (isa == &takt_isa_x86 ? learn_x86_pair_copy(pair, pair, 0, &copy)
				     : learn_aarch64_pair_copy(pair, pair, 0, &copy)) &&
	       decodes(isa, &copy.first, &insns[0]) && decodes(isa, &copy.second, &insns[1]) &&
	       takt_model_fuses_next(model, insns, 2);
}

/* Count the pairs that two cores treat alike, and those that only the first of them fuses. */
static void compare(const struct takt_model *learnt, const struct takt_model *played,
		    uint32_t *ret_alike, uint32_t *ret_more, uint32_t *ret_all)
{
	const struct learn_pair *pair;

	*ret_alike = *ret_more = *ret_all = 0;
	for (uint32_t i = 0;
	     (pair = takt_model_isa(played) == &takt_isa_x86 ? learn_x86_pair(i)
							     : learn_aarch64_pair(i));
	     i++) {
		bool now, true_one;

		if (pair->varies_first)
			continue;
		now = fuses(learnt, pair);
		true_one = fuses(played, pair);
		*ret_alike += now == true_one;
		*ret_more += now && !true_one;
		++*ret_all;
	}
}

/* Learn a core's pairs, beginning with another one. */
static void test_core(const char *core, const char *from)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *played = NULL, *learnt = NULL;
	struct takt_learning *learning = NULL;
	uint32_t alike, more, all;

	if (!mkdtemp(strcpy(directory, "/tmp/takt-fusing-XXXXXX")))
		exit(1);
	if (takt_model_open(core, NULL, diag, &played) == TAKT_OK &&
	    learn(played, from, diag, &learning) &&
	    takt_model_open("learnt", directory, diag, &learnt) == TAKT_OK) {
		compare(learnt, played, &alike, &more, &all);
		ok(alike == all && learning->pair_count > 0,
		   "%s from %s: %u of %u pairs as they are, %u more", core, from, alike, all, more);
	} else {
		ok(false, "%s from %s: %s", core, from, takt_diag_text(diag));
	}
	takt_learning_free(learning);
	takt_model_close(learnt);
	takt_model_close(played);
	takt_diag_free(diag);
	remove_files();
}

int main(void)
{
	test_x86_code();
	test_aarch64_code();
	test_core("SKL", "SKL");
	test_core("GNR", "SPR");
	test_core("SPR", "GNR");
	test_core("ZEN3", "ZEN2");
	test_core("ZEN2", "ZEN3");
	if (can_decode())
		test_core("TX2", "A64FX");
	else
		tap_skip("TX2", AARCH64_MODULE);
	return tap_done();
}
