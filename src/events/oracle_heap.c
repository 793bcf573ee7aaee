/* SPDX-License-Identifier: MIT */
/*
 * Finds which code allocated which memory on the heap. Arguments and results of functions are not
 * visible, but what an allocator writes is: when it returns a piece of memory, it writes the size
 * right before it. So memory is attributed to the call that wrote last to the nearest lower address
 * in the same mapping. That holds for pieces that are newly cut or mapped; a piece that was free
 * before may have been returned without a write, and is then attributed to its neighbour's or its
 * last owner's call.
 */
#include <stdlib.h>

#include "events/oracle.h"

#define FRAMES_MAX 256u /* frames kept of a thread's stack; the outermost are dropped */
#define DEPTH_MAX 64u	/* most frames that one return may leave */
/*
 * Most stores of an allocator's call that are looked at. Later ones fill the memory, and the first
 * call of all, which sets up lists, makes many.
 */
#define STORES_MAX 512u
#define SIZE_BYTES 8u /* bytes of the size that an allocator writes before the memory */
#define PLACES_MAX ((size_t)1 << 22)
#define KEY_SET ((uint64_t)1 << 63)

struct frame {
	uint64_t back;	/* return address */
	uint32_t block; /* number of the calling block */
};

struct heap_thread {
	struct frame frames[FRAMES_MAX];
	uint32_t depth;
	uint32_t inside; /* depth of the stack when an allocator was called; 0: none is running */
	uint32_t stores; /* stores of that call so far */
	bool returned;	 /* the last block ended in a return */
};

/* An address that an allocator wrote to. */
struct heap_place {
	uint64_t key; /* KEY_SET | address */
	uint32_t block, caller;
	bool has_caller;
};

enum { NOT_KNOWN, NO_ALLOCATOR, ALLOCATOR };

struct oracle_heap {
	const struct trace_dictionary *dictionary;
	struct heap_thread **threads;
	uint32_t thread_count;
	uint8_t *functions; /* by number of the function: which of the above it is */
	uint32_t function_count;
	struct takt_map places;
	struct heap_place *sorted; /* sorted by address, once the run has ended */
};

struct oracle_heap *oracle_heap_new(const struct trace_dictionary *dictionary)
{
	struct oracle_heap *heap = takt_xcalloc(1, sizeof(*heap));

	heap->dictionary = dictionary;
	takt_map_init(&heap->places, sizeof(struct heap_place), PLACES_MAX);
	return heap;
}

void oracle_heap_free(struct oracle_heap *heap)
{
	if (!heap)
		return;
	for (uint32_t i = 0; i < heap->thread_count; i++)
		free(heap->threads[i]);
	free(heap->threads);
	free(heap->functions);
	takt_map_release(&heap->places);
	free(heap);
}

/* ---- allocators ---- */

static bool is_allocator_name(const char *name)
{
	static const char *const names[] = {
#define X(name) name,
#include "events/allocators.def"
#undef X
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool is_allocator(struct oracle_heap *heap, uint32_t function)
{
	if (function >= heap->function_count) {
		uint32_t wanted = function < 512 ? 1024 : 2 * function;

		heap->functions = takt_xrealloc(heap->functions, wanted, 1);
		memset(heap->functions + heap->function_count, NOT_KNOWN,
		       wanted - heap->function_count);
		heap->function_count = wanted;
	}
	if (heap->functions[function] == NOT_KNOWN)
		heap->functions[function] =
			is_allocator_name(heap->dictionary->functions[function].name)
				? ALLOCATOR
				: NO_ALLOCATOR;
	return heap->functions[function] == ALLOCATOR;
}

/* ---- calls ---- */

static struct heap_thread *thread_of(struct oracle_heap *heap, uint32_t number)
{
	TAKT_GROW_ZEROED(heap->threads, number + 1, heap->thread_count);
	if (!heap->threads[number])
		heap->threads[number] = takt_xcalloc(1, sizeof(**heap->threads));
	return heap->threads[number];
}

static void push(struct heap_thread *thread, const struct trace_block *block)
{
	if (thread->depth == FRAMES_MAX) {
		uint32_t kept = FRAMES_MAX / 2;

		memmove(thread->frames, thread->frames + kept, kept * sizeof(*thread->frames));
		thread->depth = kept;
		thread->inside = thread->inside > kept ? thread->inside - kept : 0;
	}
	thread->frames[thread->depth++] = (struct frame){block->end, block->number};
}

/*
 * Leave frames up to the one that returns to `address`. A return may skip frames, as longjmp does,
 * or match none that is known.
 */
static void pop(struct heap_thread *thread, uint64_t address)
{
	for (uint32_t i = thread->depth; i > 0 && thread->depth - i < DEPTH_MAX; i--)
		if (thread->frames[i - 1].back == address) {
			thread->depth = i - 1;
			break;
		}
	if (thread->depth < thread->inside)
		thread->inside = 0;
}

/* ---- stores of allocators ---- */

static void note_store(struct oracle_heap *heap, struct heap_thread *thread, uint64_t record)
{
	const struct frame *frame = &thread->frames[thread->inside - 1];
	struct heap_place *place;

	if (thread->stores == STORES_MAX)
		return;
	thread->stores++;
	place = takt_map_get(&heap->places, KEY_SET | trace_value(record));
	if (!place)
		return;
	place->block = frame->block;
	place->has_caller = thread->inside > 1;
	place->caller = place->has_caller ? frame[-1].block : 0;
}

void oracle_heap_execute(struct oracle_heap *heap, uint32_t number,
			 const struct executed_block *executed)
{
	struct heap_thread *thread = thread_of(heap, number);
	const struct trace_block *block = executed->block;

	if (thread->returned)
		pop(thread, block->address);
	if (!thread->inside && block->entry && thread->depth &&
	    is_allocator(heap, block->function)) {
		thread->inside = thread->depth;
		thread->stores = 0;
	}
	for (uint32_t i = 0; thread->inside && i < executed->access_count; i++)
		if (trace_is_store(executed->accesses[i]) &&
		    trace_size(executed->accesses[i]) == SIZE_BYTES)
			note_store(heap, thread, executed->accesses[i]);
	thread->returned = block->flow == TRACE_FLOW_RETURN;
	if ((block->flow == TRACE_FLOW_CALL || block->flow == TRACE_FLOW_INDIRECT_CALL) &&
	    executed->insn_count == block->insn_count)
		push(thread, block);
}

/* ---- afterwards ---- */

void oracle_heap_finish(struct oracle_heap *heap)
{
	heap->sorted = takt_map_sort(&heap->places);
}

/* Find the latest mapping that contains the address; NULL: none. */
static const struct trace_mapping *find_mapping(const struct trace_dictionary *dictionary,
						uint64_t address)
{
	for (uint32_t i = dictionary->mapping_count; i-- > 0;)
		if (address >= dictionary->mappings[i].begin &&
		    address < dictionary->mappings[i].end)
			return &dictionary->mappings[i];
	return NULL;
}

bool oracle_heap_find(const struct oracle_heap *heap, uint64_t address,
		      struct oracle_allocation *ret_allocation)
{
	const struct trace_mapping *mapping = find_mapping(heap->dictionary, address);
	uint64_t key = KEY_SET | (address & TRACE_VALUE_MASK);
	size_t at;
	const struct heap_place *place;

	TAKT_BISECT(at, heap->places.count, heap->sorted[at].key <= key);
	if (!mapping || !at)
		return false;
	place = &heap->sorted[at - 1];
	if ((place->key & ~KEY_SET) < (mapping->begin & TRACE_VALUE_MASK))
		return false;
	*ret_allocation = (struct oracle_allocation){
		.block = place->block, .caller = place->caller, .has_caller = place->has_caller};
	return true;
}
