/* SPDX-License-Identifier: MIT */
/*
 * A stream's core is filled with rubbish again and again, and its state, kept as bytes before,
 * put into it: if all comes out as ever, the bytes are all there is to the state. Whoever adds
 * to the core's state and not to state_*.c is told here.
 */
#include <string.h>

#include "programs.h"
#include "spoil.h"

#define RUBBISH 0xa5

static uint8_t bytes[SIM_STATE_BYTES_MAX], again[SIM_STATE_BYTES_MAX];

/* The same bytes come out of it again. */
static bool pass_through(struct sim_stream *stream)
{
	uint32_t size = spoil_pack(stream, bytes);

	if (!size)
		return true;
	spoil_pass_through(stream, RUBBISH, bytes);
	return spoil_pack(stream, again) == size && !memcmp(bytes, again, size);
}

static void check_program(const char *core, const struct program *program)
{
	struct outcome plain = {0}, spoilt = {0};
	struct feed *feed = program_new(core, program, true, 0);
	bool same = true;

	for (uint32_t i = 0; i < PROGRAM_STEPS; i++)
		program_step(feed, program, i);
	program_end(feed, &plain);
	feed = program_new(core, program, true, 0);
	for (uint32_t i = 0; i < PROGRAM_STEPS; i++) {
		program_step(feed, program, i);
		if (i % 7 == 3)
			same = pass_through(feed->stream) && same;
	}
	program_end(feed, &spoilt);
	tap_ok_at(__FILE__, program->line, same, "%s: the same state when read and written", core);
	tap_ok_at(__FILE__, program->line, !memcmp(&plain, &spoilt, sizeof(plain)),
		  "%s: nothing of a core's state is missing in its bytes: %llu cycles, %llu", core,
		  (unsigned long long)spoilt.totals.cycles,
		  (unsigned long long)plain.totals.cycles);
}

int main(void)
{
	for (size_t c = 0; c < TAKT_COUNT_OF(program_cores); c++)
		for (size_t p = 0; p < TAKT_COUNT_OF(programs); p++)
			check_program(program_cores[c], &programs[p]);
	return tap_done();
}
