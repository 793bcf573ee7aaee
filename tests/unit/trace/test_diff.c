/* SPDX-License-Identifier: MIT */
/* Which functions are the same, and what changed in them. */
#include "trace/trace.h"
#include "../tap.h"

#define MOST 8

/* A trace made by hand. Bytes of a block are one letter: mov al, letter. */
struct trace {
	struct takt_trace_totals totals;
	struct takt_trace_profile profile;
	struct takt_trace_function functions[MOST];
	struct takt_trace_block blocks[MOST];
	uint8_t codes[MOST][2];
};

static void trace_init(struct trace *trace)
{
	*trace = (struct trace){
		.totals = {.guest = "x86-64", .core = "SKX", .profile = &trace->profile},
		.profile = {.functions = trace->functions, .blocks = trace->blocks},
	};
}

static void add_function(struct trace *trace, const char *symbol, const char *file, uint64_t cycles)
{
	uint32_t index = trace->profile.function_count++;

	trace->functions[index] = (struct takt_trace_function){
		.name = symbol ? symbol : "made up",
		.symbol = symbol,
		.file = file,
		.address = 0x1000 + index,
		.self = {.cycles = cycles, .insns = 2 * cycles},
	};
	trace->totals.all.cycles += cycles;
	trace->totals.all.insns += 2 * cycles;
}

/* Of the function that was added last. */
static void add_block(struct trace *trace, char letter, uint64_t offset, uint64_t cycles)
{
	uint32_t index = trace->profile.block_count++;

	trace->codes[index][0] = 0xb0;
	trace->codes[index][1] = (uint8_t)letter;
	trace->blocks[index] = (struct takt_trace_block){
		.function = trace->profile.function_count - 1,
		.offset = offset,
		.size_bytes = 2,
		.bytes = trace->codes[index],
		.weight = {.cycles = cycles, .insns = 2 * cycles},
	};
}

/* "before/after change" of each function, and of a diff's functions all. */
static void show(const struct takt_diff *diff, char *text, size_t size)
{
	static const struct takt_trace_weight none;
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < diff->function_count && used < size; i++) {
		const struct takt_diff_function *function = &diff->functions[i];
		uint64_t before =
			takt_diff_figure(diff, function->before ? &function->before->self : &none);
		uint64_t after =
			takt_diff_figure(diff, function->after ? &function->after->self : &none);

		used += (size_t)snprintf(text + used, size - used, "%s/%s %lld\n",
					 function->before ? function->before->name : "-",
					 function->after ? function->after->name : "-",
					 (long long)(after - before));
	}
}

static void check(int line, struct trace *before, struct trace *after, const char *want)
{
	struct takt_diff *diff;
	char got[512];

	if (!tap_ok_at(__FILE__, line,
		       takt_diff_new(&before->totals, &after->totals, TAKT_DIFF_CYCLES, NULL,
				     &diff) == TAKT_OK,
		       "compared"))
		return;
	show(diff, got, sizeof(got));
	if (!tap_ok_at(__FILE__, line, strcmp(got, want) == 0, "functions"))
		tap_note("got: %s", got);
	takt_diff_free(diff);
}

static void match_functions(void)
{
	struct trace before, after;

	trace_init(&before);
	trace_init(&after);
	check(__LINE__, &before, &after, "");
	add_function(&before, "same", "/a/old", 100);
	add_function(&before, "slower", "/a/old", 100);
	add_function(&before, "gone", "/a/old", 5);
	add_function(&before, "clone.isra.0", "/a/old", 10);
	add_function(&before, "twice", "/lib/one", 10);
	add_function(&before, "twice", "/lib/two", 20);
	add_function(&before, NULL, "/lib/two", 3);
	add_function(&after, NULL, "/new/lib/two", 1);
	add_function(&after, "twice", "/new/lib/two", 50);
	add_function(&after, "twice", "/new/lib/one", 10);
	add_function(&after, "clone", "/a/new", 50);
	add_function(&after, "added", "/a/new", 7);
	add_function(&after, "slower", "/a/new", 200);
	add_function(&after, "same", "/a/new", 100);
	check(__LINE__, &before, &after,
	      "slower/slower 100\nclone.isra.0/clone 40\ntwice/twice 30\n-/added 7\ngone/- -5\n"
	      "made up/made up -2\n");
}

/* Functions of the same name in one file are taken in the order of their addresses. */
static void match_namesakes(void)
{
	struct trace before, after;

	trace_init(&before);
	trace_init(&after);
	add_function(&before, "init", "a", 10);
	add_function(&before, "init", "a", 20);
	add_function(&after, "init", "b", 11);
	add_function(&after, "init", "b", 20);
	check(__LINE__, &before, &after, "init/init 1\n");
}

static void find_parts(void)
{
	struct trace before, after;
	const struct takt_diff_part *parts;
	struct takt_diff *diff;

	trace_init(&before);
	trace_init(&after);
	add_function(&before, "f", "a", 100);
	add_block(&before, 'a', 0, 10);
	add_block(&before, 'b', 2, 40);
	add_block(&before, 'c', 4, 30);
	add_block(&before, 'd', 6, 20);
	add_function(&after, "f", "a", 120);
	add_block(&after, 'd', 8, 25); /* out of order, as a hand-written result may have it */
	add_block(&after, 'a', 0, 10);
	add_block(&after, 'x', 2, 35);
	add_block(&after, 'y', 4, 20);
	add_block(&after, 'c', 6, 30);
	if (!ok(takt_diff_new(&before.totals, &after.totals, TAKT_DIFF_CYCLES, NULL, &diff) ==
			TAKT_OK,
		"compared"))
		return;
	is_int(diff->function_count, 1, "functions");
	is_int(diff->functions[0].part_count, 2, "parts that changed");
	parts = diff->functions[0].parts;
	ok(!parts[0].same && parts[1].same, "which code is the same");
	is_int(parts[0].before_count, 1, "blocks before");
	is_int(parts[0].after_count, 2, "blocks after");
	is_int((long long)parts[0].before_weight.cycles, 40, "cycles before");
	is_int((long long)parts[0].after_weight.cycles, 55, "cycles after");
	is_int((long long)parts[0].after[1]->offset, 4, "in their order");
	is_int((long long)parts[1].after_weight.cycles, 25, "same code, more cycles");
	takt_diff_free(diff);
}

static void choose_figures(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct trace before, after;
	struct takt_diff *diff = NULL;

	trace_init(&before);
	trace_init(&after);
	add_function(&before, "f", "a", 100);
	add_function(&after, "f", "a", 110);
	before.totals.core = NULL;
	ok(takt_diff_new(&before.totals, &after.totals, TAKT_DIFF_CYCLES, diag, &diff) ==
			   TAKT_BAD_INPUT &&
		   !diff && takt_diag_error_count(diag) == 1,
	   "cycles on one side only");
	takt_diag_free(diag);
	if (ok(takt_diff_new(&before.totals, &after.totals, TAKT_DIFF_INSNS, NULL, &diff) ==
		       TAKT_OK,
	       "instructions do"))
		is_int((long long)takt_diff_total(diff, diff->after), 220, "instructions");
	takt_diff_free(diff);
	after.totals.core = NULL;
	if (ok(takt_diff_new(&before.totals, &after.totals, TAKT_DIFF_CYCLES, NULL, &diff) ==
		       TAKT_OK,
	       "no cycles"))
		is_int(diff->by, TAKT_DIFF_INSNS, "instructions are taken");
	takt_diff_free(diff);
	takt_diff_free(NULL);
}

static void compare_totals_alone(void)
{
	struct trace before, after;
	struct takt_diff *diff;

	trace_init(&before);
	trace_init(&after);
	add_function(&before, "f", "a", 100);
	before.totals.profile = NULL;
	if (ok(takt_diff_new(&before.totals, &after.totals, TAKT_DIFF_CYCLES, NULL, &diff) ==
		       TAKT_OK,
	       "no profile"))
		is_int(diff->function_count, 0, "no functions");
	takt_diff_free(diff);
}

int main(void)
{
	match_functions();
	match_namesakes();
	find_parts();
	choose_figures();
	compare_totals_alone();
	return tap_done();
}
