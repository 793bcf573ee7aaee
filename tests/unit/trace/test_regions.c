/* SPDX-License-Identifier: MIT */
/* Regions: by symbol, by addresses, by markers; nested and recursive. */
#include <inttypes.h>

#include "program.h"

static const struct {
	int line;
	const char *what, *regions[3];
	uint64_t records[32];
	const char *want; /* name, entries, instructions */
} rows[] = {
	{__LINE__,
	 "a function, with what it calls",
	 {"work"},
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_LEAF), RUN(L), RUN(L_RET), RUN(W_LBACK), RUN(W_RET),
	  RUN(M_BACK), END},
	 "work 1 6\n"},
	{__LINE__,
	 "a recursive one is entered twice, its instructions count once",
	 {"r=work"},
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_WORK), RUN(W), RUN(W_RET), RUN(W_WBACK), RUN(W_RET),
	  RUN(M_BACK), END},
	 "r 2 6\n"},
	{__LINE__,
	 "one in another, and alone",
	 {"work", "leaf"},
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_LEAF), RUN(L), RUN(L_RET), RUN(W_LBACK), RUN(W_RET),
	  RUN(M_BACK), END},
	 "work 1 6\nleaf 1 2\n"},
	{__LINE__,
	 "up to the return, also of what it jumps to",
	 {"work"},
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_TAIL), RUN(L), RUN(L_RET), RUN(M_BACK), END},
	 "work 1 4\n"},
	{__LINE__,
	 "it ends with longjmp",
	 {"work"},
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_LEAF), RUN(L), RUN(L_JUMP), RUN(M_BACK), END},
	 "work 1 4\n"},
	{__LINE__,
	 "addresses, with what is called there",
	 {"call=0x401109-0x401110"},
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_LEAF), RUN(L), RUN(L_RET), RUN(W_LBACK), RUN(W_LEAF),
	  RUN(L), RUN(L_RET), RUN(W_LBACK), RUN(W_RET), RUN(M_BACK), END},
	 "call 1 8\n"},
	{__LINE__,
	 "addresses in others",
	 {"in=0x401102-0x401107", "out=0x401100-0x401200"},
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_WORK), RUN(W), RUN(W_RET), RUN(W_WBACK), RUN(W_WORK),
	  RUN(W), RUN(W_RET), RUN(W_WBACK), RUN(W_RET), RUN(M_BACK), END},
	 "in 2 6\nout 1 10\n"},
	{__LINE__,
	 "markers, with what is called between",
	 {"markers"},
	 {RUN(M), RUN(M_BEGIN), RUN(M_WORK), RUN(W), RUN(W_RET), RUN(M_BACK), RUN(M_END),
	  RUN(M_BACK), END},
	 "marker main+0xa 1 10\n"},
	{__LINE__, "nothing of it ran", {"nothing"}, {RUN(M), END}, "nothing 0 0\n"},
};

static void check_row(size_t index)
{
	struct takt_trace_profile *result;
	struct takt_text text = {0};
	uint32_t region_count = 0;

	while (region_count < 3 && rows[index].regions[region_count])
		region_count++;
	result = program_run_row(rows[index].records, rows[index].regions, region_count);
	if (!result)
		return;
	for (uint32_t i = 0; i < result->region_count; i++)
		takt_text_printf(&text, "%s %" PRIu64 " %" PRIu64 "\n", result->regions[i].name,
				 result->regions[i].entries, result->regions[i].weight.insns);
	tap_is_string(__FILE__, rows[index].line, text.data, rows[index].want, rows[index].what);
	takt_text_release(&text);
	takt_trace_result_free(result);
}

static void check_refused(void)
{
	static const char *const wrong[] = {"", "=main", "name=", "0x10", "0x20-0x10", "0x10-20"};

	for (size_t i = 0; i < TAKT_COUNT_OF(wrong); i++) {
		const struct takt_trace_options options = {.regions = &wrong[i], .region_count = 1};
		struct takt_diag *diag = takt_diag_new();
		struct trace_dictionary dictionary;
		struct trace_profile profile;

		program_load(&dictionary);
		ok(takt_trace_profile_init(&profile, &dictionary, &options, diag) ==
				   TAKT_BAD_INPUT &&
			   takt_diag_error_count(diag) == 1,
		   "'%s' is refused", wrong[i]);
		takt_trace_profile_release(&profile);
		takt_trace_dictionary_release(&dictionary);
		takt_diag_free(diag);
	}
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check_row(i);
	check_refused();
	return tap_done();
}
