/* SPDX-License-Identifier: MIT */
/*
 * Memory accesses of single instructions: strides, misses, and what loads find of recent stores.
 * Successive accesses to one line are merged before they go to the collector of lines.
 */
#include <stdlib.h>

#include "events/oracle.h"

#define LINE_BITS 42 /* of the number of a line, in addresses of 48 bits */

/* State of one instruction's accesses in one thread. */
struct access_state {
	uint64_t last;			/* address of the last access */
	int64_t stride;			/* stride from the access before to the last one */
	uint64_t line, bytes, accesses; /* accesses to one line that are held back */
};

/* The last store to eight bytes at a certain offset in any page. */
struct recent_store {
	uint64_t address;
	uint64_t turn; /* position among the thread's stores; 0: there was none */
	uint64_t when; /* position among the thread's accesses */
	uint32_t size_bytes;
};

#define PAGE_BYTES 4096u
/* Stores that can be in flight in a core, approximately. */
#define RECENT_STORES 48u
/*
 * A load can look like one of only this many last stores; the core has compared earlier ones in
 * full before the load needs it.
 */
#define ALIASED_STORES 16u
#define RECENT_ACCESSES 128u

struct thread_accesses {
	struct access_state *states; /* states by number of the access */
	uint32_t count;
	uint64_t stores, accesses;   /* numbers so far */
	struct recent_store *recent; /* recent stores by offset in the page / 8 */
};

/* Number of the access at an address, since an instruction may be in several blocks. */
struct access_number {
	uint64_t key; /* address << 1 | store */
	uint64_t number;
};

struct oracle_accesses {
	struct oracle_lines *lines; /* collector of lines, or NULL */
	bool strides;
	struct oracle_access *list; /* accesses by number, which begins at 1 */
	uint32_t count, capacity;
	struct thread_accesses *threads;
	uint32_t thread_count;
	struct takt_map numbers;
};

struct oracle_accesses *oracle_accesses_new(struct oracle_lines *lines, bool strides)
{
	struct oracle_accesses *accesses = takt_xcalloc(1, sizeof(*accesses));

	accesses->lines = lines;
	accesses->strides = strides;
	accesses->count = 1;
	takt_map_init(&accesses->numbers, sizeof(struct access_number), SIZE_MAX);
	return accesses;
}

static void free_thread(struct thread_accesses *thread)
{
	free(thread->states);
	free(thread->recent);
	*thread = (struct thread_accesses){0};
}

void oracle_accesses_free(struct oracle_accesses *accesses)
{
	if (!accesses)
		return;
	for (uint32_t i = 0; i < accesses->thread_count; i++)
		free_thread(&accesses->threads[i]);
	free(accesses->threads);
	free(accesses->list);
	takt_map_release(&accesses->numbers);
	free(accesses);
}

/* ---- numbers ---- */

static uint32_t number_of(struct oracle_accesses *accesses, const struct trace_block *block,
			  uint32_t insn, bool store)
{
	struct access_number *number =
		takt_map_get(&accesses->numbers, takt_trace_insn_address(block, insn) << 1 | store);

	if (number->number)
		return (uint32_t)number->number;
	TAKT_GROW(accesses->list, accesses->count + 1, accesses->capacity);
	accesses->list[accesses->count] = (struct oracle_access){
		.block = block->number, .insn = (uint16_t)insn, .store = store};
	number->number = accesses->count;
	return accesses->count++;
}

static struct access_state *state_of(struct thread_accesses *thread, uint32_t number)
{
	TAKT_GROW_ZEROED(thread->states, number + 1, thread->count);
	return &thread->states[number];
}

static struct thread_accesses *thread_of(struct oracle_accesses *accesses, uint32_t number)
{
	TAKT_GROW_ZEROED(accesses->threads, number + 1, accesses->thread_count);
	return &accesses->threads[number];
}

/* ---- accesses ---- */

static void touch(struct oracle_accesses *accesses, uint32_t thread, uint32_t number,
		  const struct access_state *state)
{
	const struct oracle_access *access = &accesses->list[number];

	if (accesses->lines) {
		const struct oracle_touch touch = {
			.line = state->line,
			.bytes = state->bytes,
			.accesses = state->accesses,
			.thread = thread,
			.block = access->block,
			.store = access->store,
		};

		oracle_lines_touch(accesses->lines, &touch);
	}
}

static void touch_line(struct oracle_accesses *accesses, uint32_t thread, uint32_t number,
		       struct access_state *state, uint64_t line, uint64_t bytes)
{
	if (line != state->line || !state->accesses) {
		if (state->accesses)
			touch(accesses, thread, number, state);
		state->line = line;
		state->bytes = 0;
		state->accesses = 0;
	}
	state->bytes |= bytes;
	state->accesses++;
}

/* ---- loads that meet recent stores ---- */

static void note_store(struct thread_accesses *thread, uint64_t address, uint32_t size)
{
	thread->stores++;
	if (!thread->recent)
		thread->recent = takt_xcalloc(PAGE_BYTES / 8, sizeof(*thread->recent));
	for (uint64_t at = address / 8; at <= (address + size - 1) / 8; at++)
		thread->recent[at % (PAGE_BYTES / 8)] =
			(struct recent_store){address, thread->stores, thread->accesses, size};
}

/* Find the newest of the stores that overlap the load in their offsets in the page. */
static const struct recent_store *find_store(const struct thread_accesses *thread, uint64_t address,
					     uint32_t size)
{
	const struct recent_store *newest = NULL;

	for (uint64_t at = address / 8; at <= (address + size - 1) / 8; at++) {
		const struct recent_store *store = &thread->recent[at % (PAGE_BYTES / 8)];
		uint64_t distance = (store->address - address) % PAGE_BYTES;

		if (!store->turn || store->turn + RECENT_STORES <= thread->stores ||
		    store->when + RECENT_ACCESSES <= thread->accesses ||
		    (newest && newest->turn >= store->turn))
			continue;
		if (distance < size || PAGE_BYTES - distance < store->size_bytes)
			newest = store;
	}
	return newest;
}

static bool overlaps(const struct recent_store *store, uint64_t address, uint32_t size)
{
	return store->address < address + size && address < store->address + store->size_bytes;
}

static void check_load(const struct thread_accesses *thread, struct oracle_access *access,
		       uint64_t address, uint32_t size)
{
	const struct recent_store *store =
		thread->recent ? find_store(thread, address, size) : NULL;

	if (!store)
		return;
	if (!overlaps(store, address, size))
		access->aliased += store->turn + ALIASED_STORES > thread->stores;
	else if (address < store->address || address + size > store->address + store->size_bytes)
		access->unforwarded++;
	else
		access->forwarded++;
}

/* ---- strides ---- */

static enum oracle_stride stride_of(const struct access_state *state, int64_t stride,
				    uint32_t size_bytes)
{
	uint64_t distance = (uint64_t)(stride < 0 ? -stride : stride);

	if (distance == 0)
		return STRIDE_NONE;
	if (distance == size_bytes)
		return STRIDE_UNIT;
	if (distance < TAKT_LINE_BYTES)
		return STRIDE_LINE;
	return stride == state->stride ? STRIDE_FAR : STRIDE_ERRATIC;
}

static void model_access(struct cache_hierarchy *cache, const struct oracle_facts *facts,
			 struct oracle_access *access, uint64_t record)
{
	struct cache_result result;

	oracle_model_access(cache, facts, record, &result);
	for (unsigned i = 0; i < result.level; i++)
		access->misses[i]++;
}

static void count_access(struct oracle_accesses *accesses, uint32_t thread, uint32_t number,
			 struct access_state *state, uint64_t record)
{
	struct oracle_access *access = &accesses->list[number];
	uint64_t address = oracle_address(record);
	uint32_t size = trace_size(record), offset = address % TAKT_LINE_BYTES;
	uint64_t line = (address & TRACE_VALUE_MASK) / TAKT_LINE_BYTES;
	uint64_t bytes = size >= 64 ? UINT64_MAX : ((uint64_t)1 << size) - 1;

	access->count++;
	access->bytes += size;
	access->address = address;
	if (state->last) {
		int64_t stride = (int64_t)(address - state->last);

		access->strides[stride_of(state, stride, size)]++;
		state->stride = stride;
	}
	state->last = address;
	touch_line(accesses, thread, number, state, line, bytes << offset);
	access->split += offset + size > TAKT_LINE_BYTES;
	if (offset + size > TAKT_LINE_BYTES)
		touch_line(accesses, thread, number, state,
			   (line + 1) & (((uint64_t)1 << LINE_BITS) - 1),
			   bytes >> (TAKT_LINE_BYTES - offset));
}

/* Examine an access in relation to those before it: its stride and recent stores. */
static void watch_access(struct oracle_accesses *accesses, struct thread_accesses *thread,
			 uint32_t number, uint64_t record)
{
	struct oracle_access *access = &accesses->list[number];
	uint64_t address = oracle_address(record);
	uint32_t size = trace_size(record);

	if (!accesses->strides)
		return;
	thread->accesses++;
	if (access->store)
		note_store(thread, address, size);
	else
		check_load(thread, access, address, size);
}

void oracle_accesses_execute(struct oracle_accesses *accesses, uint32_t number,
			     struct cache_hierarchy *cache, struct oracle_facts *facts,
			     const struct executed_block *executed)
{
	struct thread_accesses *thread = thread_of(accesses, number);

	if (executed->access_count && !facts->accesses)
		facts->accesses =
			takt_xcalloc(2 * (size_t)executed->block->insn_count, sizeof(uint32_t));
	for (uint32_t i = 0; i < executed->access_count; i++) {
		uint64_t record = executed->accesses[i];
		uint32_t insn = trace_insn(record);
		bool store = trace_is_store(record);
		uint32_t *access = &facts->accesses[2 * insn + store];

		if (!*access)
			*access = number_of(accesses, executed->block, insn, store);
		count_access(accesses, number, *access, state_of(thread, *access), record);
		if (cache)
			model_access(cache, facts, &accesses->list[*access], record);
		watch_access(accesses, thread, *access, record);
	}
}

void oracle_accesses_flush(struct oracle_accesses *accesses, uint32_t number)
{
	struct thread_accesses *thread = thread_of(accesses, number);

	for (uint32_t i = 0; i < thread->count; i++) {
		if (thread->states[i].accesses)
			touch(accesses, number, i, &thread->states[i]);
		thread->states[i].accesses = 0;
	}
}

void oracle_accesses_end_thread(struct oracle_accesses *accesses, uint32_t number)
{
	struct thread_accesses *thread = thread_of(accesses, number);

	oracle_accesses_flush(accesses, number);
	free_thread(thread);
}

/* ---- afterwards ---- */

TAKT_ORDER(compare_accesses, struct oracle_access, TAKT_DOWN(count), TAKT_UP(block), TAKT_UP(insn));

void oracle_accesses_finish(struct oracle_accesses *accesses)
{
	if (accesses->count > 2)
		qsort(accesses->list + 1, accesses->count - 1, sizeof(*accesses->list),
		      compare_accesses);
}

const struct oracle_access *oracle_accesses_list(const struct oracle_accesses *accesses,
						 size_t *ret_count)
{
	*ret_count = accesses->count - 1;
	return *ret_count ? accesses->list + 1 : NULL;
}
