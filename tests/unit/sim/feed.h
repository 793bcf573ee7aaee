/* SPDX-License-Identifier: MIT */
/* A stream and what came out of it. */
#ifndef TAKT_TESTS_SIM_FEED_H
#define TAKT_TESTS_SIM_FEED_H

#include "kernel.h"
#include "sim/stream/stream.h"

#define FEED_BYTES_MAX 512

struct feed {
	struct sim_stream_sink sink; /* first, so that it is one */
	struct sim_kernel *kernel;
	struct sim_code *code;
	struct sim_code_block *block;
	struct sim_stream *stream;
	uint64_t prepared, cycles, losses[SIM_LOSS_COUNT];
	uint64_t parts[SIM_LOSS_COUNT], all_parts; /* what the cycles are made of */
	uint64_t middle, middle_parts;		   /* of that many steps */
	uint64_t before_parts; /* of all steps but the last: a step may share a cycle with the next
				*/
	uint64_t fed, next_cookie;
	bool in_order;
};

static void feed_retired(struct sim_stream_sink *sink, uint64_t cookie,
			 const struct sim_charges *charges)
{
	struct feed *feed = (struct feed *)sink;

	feed->before_parts = feed->all_parts;
	for (unsigned loss = 0; loss < SIM_LOSS_COUNT; loss++) {
		feed->parts[loss] += charges->parts[loss];
		feed->all_parts += charges->parts[loss];
		feed->losses[loss] = feed->parts[loss] / SIM_CYCLE_PARTS;
	}
	feed->cycles = feed->all_parts / SIM_CYCLE_PARTS;
	feed->in_order = feed->in_order && cookie == feed->next_cookie++;
	if (++feed->prepared == feed->middle)
		feed->middle_parts = feed->all_parts;
}

static size_t feed_bytes(const char *hex, uint8_t bytes[FEED_BYTES_MAX])
{
	size_t size = 0;
	unsigned byte;

	while (size < FEED_BYTES_MAX && sscanf(hex + 2 * size, "%2x", &byte) == 1)
		bytes[size++] = (uint8_t)byte;
	return size;
}

/* `options` may be NULL. */
__attribute__((unused)) static struct feed *feed_new(const char *core, const char *hex,
						     const struct sim_stream_options *options)
{
	struct feed *feed = takt_xcalloc(1, sizeof(*feed));
	struct sim_stream_options wanted = options ? *options : (struct sim_stream_options){0};
	uint8_t bytes[FEED_BYTES_MAX];
	size_t size = feed_bytes(hex, bytes);

	feed->sink.retired = feed_retired;
	feed->in_order = true;
	feed->kernel = kernel_new(core, bytes, size);
	feed->code = takt_sim_code_new(feed->kernel->model);
	feed->block = takt_sim_code_add(feed->code, 0x1000, feed->kernel->prepared.block.insns,
					feed->kernel->prepared.block.count);
	if (!feed->block)
		bail_out("no room for code");
	wanted.sink = &feed->sink;
	feed->stream = takt_sim_stream_new(feed->code, &wanted);
	return feed;
}

__attribute__((unused)) static void feed_free(struct feed *feed)
{
	takt_sim_stream_free(feed->stream);
	takt_sim_code_free(feed->code);
	kernel_free(feed->kernel);
	free(feed);
}

/* The step again and again; cycles each, in the second half. */
__attribute__((unused)) static double feed_loop(struct feed *feed, struct sim_stream_step step,
						uint32_t times)
{
	feed->middle = feed->prepared + times / 2;
	step.block = feed->block;
	if (!step.insn_count)
		step.insn_count = feed->block->insn_count;
	for (uint32_t i = 0; i < times; i++) {
		step.cookie = feed->fed++;
		takt_sim_stream_step(feed->stream, &step);
	}
	takt_sim_stream_drain(feed->stream);
	return (double)(feed->before_parts - feed->middle_parts) / SIM_CYCLE_PARTS /
	       (double)(times - 1 - times / 2);
}

#endif
