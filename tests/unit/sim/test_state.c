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

/* ---- items ----------------------------------------------------------------------------------- */

#define FIELD(member)                                                                              \
	offsetof(struct sim_dynamic, member), sizeof(((struct sim_dynamic *)0)->member)
#define FLAGS_END (offsetof(struct sim_dynamic, flags) + 1)
#define SECOND_FACT (offsetof(struct sim_dynamic, facts) + sizeof(struct sim_fact))

/* What a chunk's hash says in another way, or the core does not read. */
static const struct {
	size_t first, size_bytes;
} outside[] = {
	{FIELD(address)}, /* the number of the step's block */
	{FIELD(step)},	  /* to whom cycles are charged, and */
	{FIELD(insn)},	  /* to what of it: of the items that run, not of those remembered */
	{FLAGS_END, offsetof(struct sim_dynamic, facts) - FLAGS_END}, /* padding */
	{SECOND_FACT, sizeof(struct sim_dynamic) - SECOND_FACT},      /* of no operand */
};

static bool is_outside(size_t byte)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(outside); i++)
		if (byte >= outside[i].first && byte - outside[i].first < outside[i].size_bytes)
			return true;
	return false;
}

static struct sim_hash hash_of(const struct feed *feed, const struct sim_dynamic *dynamic)
{
	struct sim_hash hash = {0};

	sim_hash_item(&hash, feed->stream->core, dynamic);
	sim_hash_step(&hash, 0, 1);
	return hash;
}

/* Each byte of what is known of an item makes its chunk another one, or is named above. */
static void check_items(const char *core)
{
	struct feed *feed = program_new(core, &programs[0], true, 0);
	struct sim_dynamic dynamic = {
		.first_store = 1000,
		.facts = {{.store = 997, .flags = SIM_FACT_STORED | SIM_FACT_FAILS}},
	};
	const struct sim_hash plain = hash_of(feed, &dynamic);
	unsigned forgotten = 0;

	for (size_t byte = 0; byte < sizeof(dynamic); byte++) {
		struct sim_dynamic changed = dynamic;
		struct sim_hash hash;

		/* The step's block says it, and it must be one that there is. */
		if (byte - offsetof(struct sim_dynamic, record) < sizeof(dynamic.record))
			continue;
		((uint8_t *)&changed)[byte] ^= 4;
		hash = hash_of(feed, &changed);
		if ((hash.low != plain.low || hash.high != plain.high) == !is_outside(byte))
			continue;
		forgotten++;
		tap_note("byte %zu of an item", byte);
	}
	tap_ok_at(__FILE__, __LINE__, !forgotten, "%s: all that is known of an item is in its hash",
		  core);
	feed_free(feed);
}

int main(void)
{
	check_items("SKL");
	check_items("ZEN4");
	for (size_t c = 0; c < TAKT_COUNT_OF(program_cores); c++)
		for (size_t p = 0; p < TAKT_COUNT_OF(programs); p++)
			check_program(program_cores[c], &programs[p]);
	for (size_t p = 0; p < TAKT_COUNT_OF(programs); p++)
		check_program("ZEN5", &programs[p]);
	return tap_done();
}
