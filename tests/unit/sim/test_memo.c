/* SPDX-License-Identifier: MIT */
/* With a memo all comes out as without; every hit is simulated as well, and compared. */
#include <string.h>

#include "programs.h"

static struct outcome run(const char *core, const struct program *program, bool no_memo,
			  uint32_t check_every, struct sim_memo_counts *ret_counts)
{
	struct feed *feed = program_new(core, program, no_memo, check_every);
	struct outcome outcome = {0};

	for (uint32_t i = 0; i < PROGRAM_STEPS; i++)
		program_step(feed, program, i);
	takt_sim_stream_memo(feed->stream, ret_counts);
	program_end(feed, &outcome);
	return outcome;
}

static void check_program(const char *core, const struct program *program)
{
	struct sim_memo_counts counts, checked;
	struct outcome plain = run(core, program, true, 0, &counts);
	struct outcome memo = run(core, program, false, 0, &counts);
	struct outcome twice = run(core, program, false, 1, &checked);
	struct outcome mixed = run(core, program, false, 3, &(struct sim_memo_counts){0});

	tap_ok_at(__FILE__, program->line, !memcmp(&plain, &memo, sizeof(plain)) && plain.in_order,
		  "%s: all as without: %llu, %llu cycles", core,
		  (unsigned long long)plain.totals.cycles, (unsigned long long)memo.totals.cycles);
	tap_ok_at(__FILE__, program->line,
		  !memcmp(&plain, &twice, sizeof(plain)) && !memcmp(&plain, &mixed, sizeof(plain)),
		  "%s: simulated again or not", core);
	tap_ok_at(__FILE__, program->line, checked.checked == checked.hits && !checked.wrong,
		  "%s: %llu hits, %llu wrong", core, (unsigned long long)checked.hits,
		  (unsigned long long)checked.wrong);
	tap_ok_at(__FILE__, program->line, counts.hits * 100 >= counts.chunks * program->hits_least,
		  "%s: %llu hits of %llu", core, (unsigned long long)counts.hits,
		  (unsigned long long)counts.chunks);
}

#define WILD_STEPS 3000u
#define CALM_STEPS 9000u
#define TURNS 4u

/*
 * What never repeats makes the memo pause; when it goes on, nothing is known of what was fed
 * meanwhile, so that lines of it might still come from memory, on cores where that takes time.
 */
static void check_pauses(const char *core, bool misses)
{
	struct program wild = programs[3], calm = programs[1];
	struct sim_memo_counts counts;
	struct outcome outcome = {0};
	struct feed *feed;

	wild.misses = calm.misses = misses;
	wild.period = UINT32_MAX;
	calm.period = 3;
	feed = program_new(core, &wild, false, 1);
	for (uint32_t turn = 0; turn < TURNS; turn++) {
		for (uint32_t i = 0; i < WILD_STEPS; i++)
			program_step(feed, &wild, turn * WILD_STEPS + i);
		for (uint32_t i = 0; i < CALM_STEPS; i++)
			program_step(feed, &calm, i);
	}
	takt_sim_stream_memo(feed->stream, &counts);
	program_end(feed, &outcome);
	tap_ok_at(__FILE__, __LINE__, counts.checked && !counts.wrong && outcome.in_order,
		  "%s%s: between pauses, %llu checked of %llu, %llu wrong", core,
		  misses ? ", misses" : "", (unsigned long long)counts.checked,
		  (unsigned long long)counts.chunks, (unsigned long long)counts.wrong);
}

int main(void)
{
	for (size_t c = 0; c < TAKT_COUNT_OF(program_cores); c++) {
		/* There, the program does not come to a state again between two pauses. */
		if (!strcmp(program_cores[c], "ZEN5"))
			continue;
		check_pauses(program_cores[c], false);
		check_pauses(program_cores[c], true);
	}
	for (size_t c = 0; c < TAKT_COUNT_OF(program_cores); c++)
		for (size_t p = 0; p < TAKT_COUNT_OF(programs); p++)
			check_program(program_cores[c], &programs[p]);
	return tap_done();
}
