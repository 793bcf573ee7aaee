/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "program.h"

static const struct {
	int line;
	const char *what;
	uint64_t records[32];
	const char *want; /* offset, depth, entries, iterations, instructions */
} rows[] = {
	{__LINE__,
	 "a block that leads to itself; the first iteration is part of a longer block",
	 {RUN(W), RUN(W_INTO), RUN(W_LOOP), RUN(W_LOOP), RUN(W_OUT), RUN(W_PIC), END},
	 "0x21 1 1 3 6\n"},
	{__LINE__,
	 "one in another",
	 {RUN(W), RUN(W_INTO), RUN(W_LOOP), RUN(W_LOOP), RUN(W_OUT), RUN(W_INTO), RUN(W_LOOP),
	  RUN(W_OUT), RUN(W_PIC), END},
	 /* The jump back leads into the inner one's middle: its head is the block's start. */
	 "0x20 1 1 2 14\n0x21 2 2 5 10\n"},
	{__LINE__,
	 "with a call in it, which is no part of it",
	 {RUN(W), RUN(W_LEAF), RUN(L), RUN(L_RET), RUN(W_LBACK), RUN(W_LEAF), RUN(L), RUN(L_RET),
	  RUN(W_LBACK), RUN(W_RET), END},
	 "0x9 1 1 2 4\n"},
	{__LINE__,
	 "a string instruction is none",
	 {RUN(W), RUN(W_REP), RUN(W_REP), RUN(W_REP), RUN(W_RBACK), END},
	 ""},
	{__LINE__,
	 "nor is recursion",
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_WORK), RUN(W), RUN(W_WORK), RUN(W), END},
	 ""},
	{__LINE__,
	 "nor a jump back that is not repeated",
	 {RUN(W), RUN(W_SYS), RUN(W_SBACK), RUN(W_LEAF), RUN(L), RUN(L_RET), RUN(W_LBACK),
	  RUN(W_RET), END},
	 ""},
	{__LINE__,
	 "a signal that comes back into its middle",
	 {RUN(W), RUN(W_INTO), RUN(W_LOOP), RUN(H), RUN(H_RET), RUN(R), SIGRETURN, RUN(W_LOOP),
	  RUN(W_LOOP), RUN(W_OUT), RUN(W_PIC), END},
	 "0x21 1 2 4 8\n"},
};

static void check_row(size_t index)
{
	struct takt_trace_profile *result;
	struct takt_text text = {0};

	result = program_run_row(rows[index].records, NULL, 0);
	if (!result)
		return;
	takt_text_add_string(&text, "");
	for (uint32_t i = 0; i < result->loop_count; i++)
		takt_text_printf(&text, "0x%" PRIx64 " %u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
				 result->loops[i].offset, result->loops[i].depth,
				 result->loops[i].entries, result->loops[i].iterations,
				 result->loops[i].weight.insns);
	tap_is_string(__FILE__, rows[index].line, text.data ? text.data : "", rows[index].want,
		      rows[index].what);
	takt_text_release(&text);
	takt_trace_result_free(result);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check_row(i);
	return tap_done();
}
