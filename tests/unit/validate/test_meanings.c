/* SPDX-License-Identifier: MIT */
/* What events are expected to count: names, sums, units. */
#include "../tap.h"
#include "validate/meanings.h"

static const struct {
	int line;
	const char *event;
	double value; /* of the counts below */
	bool volume;
} rows[] = {
	{__LINE__, "ex_ret_instr", 1000, false},
	{__LINE__, "L1D_CACHE", 500, false},
	{__LINE__, "FP_ARITH_INST_RETIRED.256B_PACKED_DOUBLE", 20, false},
	{__LINE__, "fp_ret_sse_avx_ops.all", 8 + 40 + 80, false},
	{__LINE__, "FP_SP_FIXED_OPS_SPEC", 40, false},
	{__LINE__, "FP_DP_FIXED_OPS_SPEC", 88, false},
	{__LINE__, "CMEM_RD_DATA", 14, true},
	{__LINE__, "CMEM_WR_TOTAL_BYTES", 192, true},
	{__LINE__, "umc_cas_cmd.wr", 3, true},
};

static const struct oracle_counts counts = {
	.insns = 1000,
	.loads = 300,
	.stores = 200,
	.fp64_ops = {8, 0, 80, 0},
	.fp32_ops = {0, 40, 0, 0},
	.l3_in = 7,
	.l3_out = 3,
};

static void check_values(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const struct check_meaning *meaning = takt_meaning_find(rows[i].event);

		if (!tap_ok_at(__FILE__, rows[i].line, meaning != NULL, "%s", rows[i].event))
			continue;
		is_int((long long)takt_meaning_value(meaning, &counts), (long long)rows[i].value,
		       rows[i].event);
		ok(takt_meaning_is_volume(meaning) == rows[i].volume, "%s: of caches or not",
		   rows[i].event);
	}
	ok(takt_meaning_find("ls_not_halted_cyc") == NULL, "cycles: nothing to expect");
}

/* No row is for an event that no family has, or there twice; all words are the oracle's. */
static void check_names(void)
{
	struct events_library library;
	struct takt_arena arena = {0};

	if (!ok(takt_events_library_open(NULL, &arena, NULL, &library) == TAKT_OK, "families"))
		return;
	for (size_t i = 0; i < takt_meaning_count; i++) {
		const struct check_meaning *meaning = &takt_meanings[i];
		bool found = false;

		for (uint32_t k = 0; k < library.family_count && !found; k++)
			found = takt_events_event_find(&library, &library.families[k],
						       meaning->event) != NULL;
		ok(found, "%s: a family has it", meaning->event);
		ok(takt_meaning_find(meaning->event) == meaning && meaning->per > 0 &&
			   takt_meaning_value(meaning, &counts) >= 0,
		   "%s: once, and known words", meaning->event);
	}
	takt_arena_release(&arena);
}

static void check_list(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_text *text = takt_text_new();

	ok(takt_write_meanings("ZEN3", diag, text) == TAKT_OK &&
		   strstr(takt_text_data(text), "ex_ret_instr: ") != NULL &&
		   strstr(takt_text_data(text), "Of which kernels say nothing") != NULL,
	   "a core's family");
	ok(takt_write_meanings("zen33", diag, text) == TAKT_NOT_FOUND, "none");
	is_string(
		takt_diag_text(diag),
		"error: no family of cores is named 'zen33'\nnote: did you mean 'zen3', 'zen2' or "
		"'zen4'?\n",
		"which is said");
	takt_text_free(text);
	takt_diag_free(diag);
}

int main(void)
{
	check_values();
	check_names();
	check_list();
	return tap_done();
}
