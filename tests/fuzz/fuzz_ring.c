/* SPDX-License-Identifier: MIT */
/*
 * Any bytes in the memory that a live guest shares with takt, changed while takt reads: each step
 * of the input writes somewhere, or has takt look at what there is. Nothing may go wrong but that
 * the trace is given up.
 *
 *	operation (1), ring (1), offset (2), size (2), then so many bytes
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/live/live.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum operation {
	LOOK,
	RING_WRITTEN,
	RING_READ,
	RECORDS,
	DICTIONARY,
	DICTIONARY_WRITTEN,
	DICTIONARY_READ,
	PATHS,
	PATHS_END,
	RINGS_USED,
	HEADER,
	SLOT,
	SLOT_HEADER,
	OPERATIONS
};

struct step {
	uint8_t operation, ring;
	uint16_t offset, size;
	const uint8_t *data;
};

static uint64_t number(const struct step *step)
{
	uint64_t value = 0;

	memcpy(&value, step->data, step->size < sizeof(value) ? step->size : sizeof(value));
	return value;
}

/* Writes the step's bytes from its offset on into an array, as far as they fit. */
static void write_bytes(const struct step *step, void *array, size_t size_bytes, size_t unit)
{
	size_t at = step->offset * unit;

	if (at < size_bytes)
		memcpy((uint8_t *)array + at, step->data,
		       step->size < size_bytes - at ? step->size : size_bytes - at);
}

/* Slots are numbered by the ring's byte in steps of their own header. */
static void take_step(struct feed_area *area, const struct step *step)
{
	struct feed *feed = &area->slots[step->operation / OPERATIONS % 3];
	struct feed_ring *ring = &area->rings[step->ring];

	switch ((enum operation)(step->operation % OPERATIONS)) {
	case RING_WRITTEN:
		atomic_store(&ring->written, number(step));
		break;
	case RING_READ:
		atomic_store(&ring->read, number(step));
		break;
	case RECORDS:
		write_bytes(step, ring->records, sizeof(ring->records), sizeof(uint64_t));
		break;
	case DICTIONARY:
		write_bytes(step, feed->dictionary, sizeof(feed->dictionary), 1);
		break;
	case DICTIONARY_WRITTEN:
		atomic_store(&feed->dictionary_written, number(step));
		break;
	case DICTIONARY_READ:
		atomic_store(&feed->dictionary_read, number(step));
		break;
	case PATHS:
		write_bytes(step, feed->paths, sizeof(feed->paths), 1);
		break;
	case PATHS_END:
		atomic_store(&feed->paths_end, (uint32_t)number(step));
		break;
	case RINGS_USED:
		atomic_store(&feed->rings_used, (uint32_t)number(step));
		break;
	case HEADER:
		write_bytes(step, area, offsetof(struct feed_area, slots), 1);
		break;
	case SLOT:
		write_bytes(step, &area->slots[step->ring % FEED_SLOTS],
			    offsetof(struct feed, dictionary), 1);
		break;
	case SLOT_HEADER:
		write_bytes(step, &area->slots[step->ring % 3], offsetof(struct feed, dictionary),
			    sizeof(uint32_t));
		break;
	case LOOK:
	case OPERATIONS:
		break;
	}
}

static void follow(struct trace_live *live, const uint8_t *data, size_t size)
{
	bool fine = true, any;

	while (fine && size >= 6) {
		struct step step = {data[0], data[1], 0, 0, data + 6};

		memcpy(&step.offset, data + 2, 2);
		memcpy(&step.size, data + 4, 2);
		if (step.size > size - 6)
			step.size = (uint16_t)(size - 6);
		take_step(live->area, &step);
		if (step.operation % OPERATIONS == LOOK)
			fine = takt_trace_live_poll(live, false, &any);
		data += 6 + step.size;
		size -= 6 + (size_t)step.size;
	}
	if (fine && takt_trace_live_poll(live, true, &any))
		takt_trace_live_leave(live);
}

static void free_totals(const struct takt_trace_totals *totals)
{
	for (uint32_t i = 0; i < totals->process_count; i++) {
		free((void *)(uintptr_t)totals->process_list[i].command);
		free((void *)(uintptr_t)totals->process_list[i].lost_path);
		free((void *)(uintptr_t)totals->process_list[i].lost_cause);
	}
	free((void *)(uintptr_t)totals->process_list);
	free((void *)(uintptr_t)totals->thread_processes);
	free((void *)(uintptr_t)totals->threads);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_live *live = calloc(1, sizeof(*live)); /* large */
	struct takt_trace_totals totals = {0};
	struct trace_dictionary dictionary;
	struct trace_sequencer sequencer;
	struct trace_counter counter;
	void *memory = mmap(NULL, sizeof(struct feed_area), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (!live || memory == MAP_FAILED)
		abort();
	takt_trace_counter_init(&counter);
	takt_trace_dictionary_init(&dictionary, takt_trace_guest_find("x86-64", 6));
	takt_trace_sequencer_init(&sequencer, &dictionary, &counter.sink, true);
	live->sequencer = &sequencer;
	live->process = getpid();
	takt_trace_live_init(live, memory);
	live->area->slots[0].process = getpid();
	live->area->slots[0].rings_used = 2;
	live->area->slots[0].rings[0] = 1;
	live->area->slots[0].rings[1] = 2;
	atomic_store(&live->area->slots[0].state, FEED_RUNS);
	follow(live, data, size);
	takt_trace_sequencer_end(&sequencer);
	takt_trace_counter_finish(&counter, &totals);
	live_list_programs(live, &totals);
	takt_trace_totals_sum_processes(&totals);
	takt_trace_sequencer_release(&sequencer);
	takt_trace_dictionary_release(&dictionary);
	free_totals(&totals);
	live_free_programs(live);
	munmap(memory, sizeof(struct feed_area));
	free(live);
	return 0;
}
