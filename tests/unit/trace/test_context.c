/* SPDX-License-Identifier: MIT */
/* Stacks of calls as control flow tells them, as folded stacks with instructions. */
#include "program.h"

static const struct {
	int line;
	const char *what;
	uint64_t records[32];
	const char *want;
} rows[] = {
	{__LINE__,
	 "calls and returns",
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_LEAF), RUN(L), RUN(L_RET), RUN(W_LBACK), RUN(W_RET),
	  RUN(M_BACK), END},
	 "main 3\nmain;work 4\nmain;work;leaf 2\n"},
	{__LINE__,
	 "recursion",
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_WORK), RUN(W), RUN(W_WORK), RUN(W), RUN(W_RET),
	  RUN(W_WBACK), RUN(W_RET), RUN(W_WBACK), RUN(W_RET), RUN(M_BACK), END},
	 "main 3\nmain;work 4\nmain;work;work 4\nmain;work;work;work 2\n"},
	{__LINE__,
	 "a tail call takes the caller's place, and returns to its caller",
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_TAIL), RUN(L), RUN(L_RET), RUN(M_BACK), END},
	 "main 3\nmain;leaf 2\nmain;work 2\n"},
	{__LINE__,
	 "a part of a function that lies elsewhere, and back",
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_COLD), RUN(C), RUN(W_RET), RUN(M_BACK), END},
	 "main 3\nmain;work 3\nmain;work.cold 1\n"},
	{__LINE__,
	 "longjmp to a function further down",
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_LEAF), RUN(L), RUN(L_JUMP), RUN(M_BACK), RUN(M_WORK),
	  RUN(W), RUN(W_RET), RUN(M_BACK), END},
	 "main 5\nmain;work 4\nmain;work;leaf 2\n"},
	{__LINE__,
	 "a return over several calls, as after an exception",
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_LEAF), RUN(L), RUN(L_RET), RUN(M_BACK), RUN(M_RET),
	  END},
	 "main 4\nmain;work 2\nmain;work;leaf 2\n"},
	{__LINE__,
	 "a call that only tells where it is",
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_PIC), RUN(W_PBACK), RUN(W_RET), RUN(M_BACK), END},
	 "main 3\nmain;work 4\n"},
	{__LINE__,
	 "a signal between two blocks, whose handler calls",
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_LOOP), RUN(H), RUN(H_LEAF), RUN(L), RUN(L_RET),
	  RUN(H_BACK), RUN(H_RET), RUN(R), SIGRETURN, RUN(W_LOOP), RUN(W_OUT), RUN(W_PIC),
	  RUN(W_PBACK), RUN(W_RET), RUN(M_BACK), END},
	 "main 3\nmain;work 9\nmain;work;handler 4\nmain;work;handler;leaf 2\nmain;work;restore "
	 "1\n"},
	{__LINE__,
	 "a signal after a system call",
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_SYS), SYSCALL(1), RUN(H), RUN(H_RET), RUN(R),
	  SIGRETURN, RUN(W_SBACK), RUN(W_RET), RUN(M_BACK), END},
	 "main 3\nmain;work 4\nmain;work;handler 2\nmain;work;restore 1\n"},
	{__LINE__,
	 "longjmp out of a handler",
	 {RUN(M), RUN(M_WORK), RUN(W), RUN(W_LOOP), RUN(H), RUN(H_LEAF), RUN(L), RUN(L_JUMP),
	  RUN(M_BACK), RUN(M_RET), END},
	 "main 4\nmain;work 3\nmain;work;handler 2\nmain;work;handler;leaf 2\n"},
	{__LINE__, "code of no file", {RUN(M), RUN(J), RUN(M_BACK), END}, "[unknown] 1\nmain 2\n"},
	{__LINE__, "a return to nowhere", {RUN(M), RUN(M_RET), RUN(W), END}, "main 2\nwork 1\n"},
	{__LINE__,
	 "a string instruction that repeats is one",
	 {RUN(W), RUN(W_REP), RUN(W_REP), RUN(W_REP), RUN(W_RBACK), END},
	 "work 3\n"},
};

static void check_row(size_t index)
{
	struct takt_trace_profile *result;
	struct takt_text text = {0};

	result = program_run_row(rows[index].records, NULL, 0);
	if (!result)
		return;
	takt_write_trace_folded(result, &text);
	tap_is_string(__FILE__, rows[index].line, text.data, rows[index].want, rows[index].what);
	takt_text_release(&text);
	takt_trace_result_free(result);
}

static const struct takt_trace_function *find(const struct takt_trace_profile *result,
					      const char *name)
{
	for (uint32_t i = 0; i < result->function_count; i++)
		if (strcmp(result->functions[i].name, name) == 0)
			return &result->functions[i];
	return NULL;
}

/* Deeper than nodes and frames go: what is not told apart is not lost. */
static void check_depth(void)
{
	size_t depth = 100000, count = 0;
	uint64_t *records = takt_xcalloc(2 * depth + 8, sizeof(*records)), sum = 0;
	const struct takt_trace_function *work;
	struct takt_trace_profile *result;

	records[count++] = START(0);
	records[count++] = RUN(M);
	records[count++] = RUN(M_WORK);
	for (size_t i = 0; i < depth; i++) {
		records[count++] = RUN(W);
		records[count++] = RUN(W_WORK);
	}
	records[count++] = END;
	result = program_run(records, count, NULL, 0);
	free(records);
	if (!result)
		return;
	for (uint32_t i = 0; i < result->node_count; i++)
		sum += result->nodes[i].insns;
	work = find(result, "work");
	is_int((long long)sum, 2 * (long long)depth + 2, "deep recursion: all instructions");
	ok(result->node_count < 1000, "but not a node for each call");
	is_int((long long)work->calls, (long long)depth, "calls are counted all the same");
	is_int((long long)work->self.insns, 2 * (long long)depth, "and so are its instructions");
	takt_trace_result_free(result);
}

static void check_totals(void)
{
	static const uint64_t records[] = {START(0),	RUN(M), RUN(M_WORK), RUN(W),
					   RUN(W_WORK), RUN(W), RUN(W_LEAF), RUN(L),
					   RUN(L_RET),	END};
	struct takt_trace_profile *result = program_run(records, TAKT_COUNT_OF(records), NULL, 0);

	if (!result)
		return;
	is_int((long long)find(result, "main")->total_insns, 8, "main, with all that it calls");
	is_int((long long)find(result, "work")->total_insns, 6, "a recursive one counts once");
	is_int((long long)find(result, "work")->calls, 2, "calls of it");
	takt_trace_result_free(result);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check_row(i);
	check_depth();
	check_totals();
	return tap_done();
}
