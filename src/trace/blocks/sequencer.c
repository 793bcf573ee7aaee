/* SPDX-License-Identifier: MIT */
/*
 * Turns records into executed blocks. An execution is complete when the thread's next block
 * begins.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/blocks/record.h"
#include "trace/trace.h"

#define STEP_ACCESSES_MAX 65536u

struct trace_thread {
	struct trace_block *block; /* the block that is running, or NULL */
	int last_access;	   /* the last of its instructions that accessed memory, or -1 */
	bool continues, running;
	bool foreign; /* accesses that come now do not belong to the block; see belongs() */
	/* Address of the rep string instruction that the last block ended in; else 0. */
	uint64_t repeat_address;
	/* Accesses of the block that came in earlier calls of takt_trace_sequencer_feed(). */
	uint64_t *held;
	size_t held_count, held_capacity;
};

void takt_trace_sequencer_init(struct trace_sequencer *sequencer,
			       struct trace_dictionary *dictionary, struct trace_sink *sink,
			       bool has_accesses)
{
	*sequencer = (struct trace_sequencer){
		.dictionary = dictionary, .sink = sink, .has_accesses = has_accesses};
}

void takt_trace_sequencer_release(struct trace_sequencer *sequencer)
{
	for (uint32_t i = 0; i < sequencer->thread_count; i++) {
		free(sequencer->threads[i]->held);
		free(sequencer->threads[i]);
	}
	free(sequencer->threads);
}

static struct trace_thread *find_thread(struct trace_sequencer *sequencer, uint32_t number)
{
	TAKT_GROW(sequencer->threads, number + 1, sequencer->thread_capacity);
	while (sequencer->thread_count <= number) {
		struct trace_thread *thread = takt_xcalloc(1, sizeof(*thread));

		sequencer->threads[sequencer->thread_count++] = thread;
	}
	return sequencer->threads[number];
}

static void hold(struct trace_thread *thread, const uint64_t *accesses, size_t count)
{
	if (count == 0)
		return;
	TAKT_GROW(thread->held, thread->held_count + count, thread->held_capacity);
	memcpy(thread->held + thread->held_count, accesses, count * sizeof(uint64_t));
	thread->held_count += count;
}

/* ---- the end of a block ---- */

/* Return the index of the instruction that begins at `address`, or insn_count. */
static uint32_t insn_at(const struct trace_block *block, uint64_t address)
{
	uint64_t at = block->address;
	uint32_t i;

	for (i = 0; i < block->insn_count && at != address; i++)
		at += block->lengths[i];
	return i;
}

/*
 * Return how many instructions of a block that does not lead to `next` completed. The block may
 * have been left by a fault, or be restarted at an instruction that qemu could not execute in
 * place, or a signal came after it. The accesses say which: that of a faulting instruction is
 * missing.
 */
static uint32_t completed(const struct trace_sequencer *sequencer,
			  const struct trace_thread *thread, uint64_t next)
{
	const struct trace_block *block = thread->block;

	if (next >= block->address && next < block->end) {
		uint32_t insn = insn_at(block, next);

		if ((int)insn >= thread->last_access)
			return insn;
	}
	if (!sequencer->has_accesses)
		return block->insn_count;
	return takt_trace_block_next_access(sequencer->dictionary, block, thread->last_access);
}

static bool leads_to(const struct trace_sequencer *sequencer, const struct trace_thread *thread,
		     uint64_t next)
{
	const struct trace_block *block = thread->block;

	switch ((enum trace_flow)block->flow) {
	case TRACE_FLOW_NEXT:
		return next == block->end || (block->repeats && next == thread->repeat_address);
	case TRACE_FLOW_BRANCH:
		return next == block->end || next == block->target;
	case TRACE_FLOW_JUMP:
	case TRACE_FLOW_CALL:
		return next == block->target;
	case TRACE_FLOW_INDIRECT:
	case TRACE_FLOW_INDIRECT_CALL:
	case TRACE_FLOW_RETURN:
		break;
	}
	return next != 0 && (!sequencer->has_accesses ||
			     takt_trace_block_last_access(sequencer->dictionary, thread->block) <=
				     thread->last_access);
}

/* Emit the running block. `next`: address that runs next; 0: the thread ends. */
static void finish_block(struct trace_sequencer *sequencer, uint32_t number,
			 struct trace_thread *thread, const uint64_t *accesses, size_t count,
			 uint64_t next)
{
	struct trace_block *block = thread->block;
	struct executed_block executed = {
		.block = block,
		.accesses = accesses,
		.access_count = (uint32_t)count,
		.insn_count = block->insn_count,
		.first = !block->ran,
		.continues = thread->continues,
		.next_address = next,
	};

	if (thread->held_count) {
		hold(thread, accesses, count);
		executed.accesses = thread->held;
		executed.access_count = (uint32_t)thread->held_count;
	}
	if (!leads_to(sequencer, thread, next)) {
		executed.insn_count = (uint16_t)completed(sequencer, thread, next);
		executed.interrupted = executed.insn_count < block->insn_count;
		executed.diverted = true;
	} else if (block->flow == TRACE_FLOW_BRANCH) {
		executed.outcome = next == block->end ? TRACE_NOT_TAKEN : TRACE_TAKEN;
	}
	block->ran = true;
	if (sequencer->sink->executed)
		sequencer->sink->executed(sequencer->sink, number, &executed);
	thread->block = NULL;
	thread->held_count = 0;
}

/* ---- records ---- */

static bool begin_block(struct trace_sequencer *sequencer, uint32_t number,
			struct trace_thread *thread, uint64_t value, const uint64_t *accesses,
			size_t count)
{
	struct trace_block *block;
	bool continues;

	if (value >= sequencer->dictionary->count)
		return false;
	block = sequencer->dictionary->blocks[value];
	continues = thread->block && block->address == thread->repeat_address;
	if (thread->block)
		finish_block(sequencer, number, thread, accesses, count, block->address);
	thread->block = block;
	thread->continues = continues;
	thread->last_access = -1;
	thread->foreign = false;
	thread->repeat_address =
		block->repeats ? block->end - block->lengths[block->insn_count - 1] : 0;
	return true;
}

/* Process a record that is neither a block nor an access; false if it is invalid. */
static bool take_other(struct trace_sequencer *sequencer, uint32_t number,
		       struct trace_thread *thread, uint64_t record, const uint64_t *accesses,
		       size_t count)
{
	struct trace_sink *sink = sequencer->sink;
	enum trace_kind kind = (enum trace_kind)(record >> TRACE_SIZE_SHIFT);

	switch (kind) {
	case TRACE_KIND_SYSCALL:
		if (thread->block)
			finish_block(sequencer, number, thread, accesses, count,
				     thread->block->end);
		if (sink->syscall)
			sink->syscall(sink, number, trace_value(record));
		return true;
	case TRACE_KIND_START:
		if (thread->running || trace_value(record) != number)
			return false;
		thread->running = true;
		if (sink->thread_start)
			sink->thread_start(sink, number);
		return true;
	case TRACE_KIND_END:
		if (thread->block)
			finish_block(sequencer, number, thread, accesses, count, 0);
		thread->running = false;
		if (sink->thread_end)
			sink->thread_end(sink, number);
		return true;
	case TRACE_KIND_BREAK:
		if (thread->block)
			finish_block(sequencer, number, thread, accesses, count,
				     (uint64_t)((int64_t)(record << 16) >> 16));
		thread->repeat_address = 0;
		return true;
	case TRACE_KIND_NONE:
	case TRACE_KIND_BLOCK:
	case TRACE_KIND_COUNT:
		break;
	}
	return false;
}

static bool access_is_valid(const struct trace_thread *thread, uint64_t record, size_t count)
{
	return trace_is_access(record) && thread->block && trace_size(record) &&
	       thread->held_count + count < STEP_ACCESSES_MAX;
}

/*
 * True if an access belongs to the running block. When qemu 7.2 saves the vector registers for a
 * signal handler, it reports that as accesses of some earlier instruction.
 */
static bool belongs(const struct trace_thread *thread, uint64_t record)
{
	return (int)trace_insn(record) >= thread->last_access &&
	       trace_insn(record) < thread->block->insn_count;
}

size_t takt_trace_sequencer_feed(struct trace_sequencer *sequencer, uint32_t number,
				 const uint64_t *records, size_t count)
{
	struct trace_thread *thread = find_thread(sequencer, number);
	size_t first = 0, i; /* the block's first access among these records */

	for (i = 0; i < count; i++) {
		uint64_t record = records[i];
		enum trace_kind kind = (enum trace_kind)(record >> TRACE_SIZE_SHIFT & 15);

		if (record >> 62) {
			if (!access_is_valid(thread, record, i - first))
				break;
			if (!thread->foreign && belongs(thread, record)) {
				thread->last_access = (int)trace_insn(record);
				continue;
			}
			if (!thread->foreign)
				hold(thread, records + first, i - first);
			thread->foreign = true;
			first = i + 1;
			continue;
		}
		if (!thread->running && kind != TRACE_KIND_START)
			break;
		if (record >> TRACE_SIZE_SHIFT == TRACE_KIND_BLOCK
			    ? !begin_block(sequencer, number, thread, trace_value(record),
					   records + first, i - first)
			    : !take_other(sequencer, number, thread, record, records + first,
					  i - first))
			break;
		first = i + 1;
		if (kind == TRACE_KIND_END)
			return first;
	}
	if (thread->block && i > first)
		hold(thread, records + first, i - first);
	return i;
}

void takt_trace_sequencer_end(struct trace_sequencer *sequencer)
{
	for (uint32_t i = 0; i < sequencer->thread_count; i++) {
		struct trace_thread *thread = sequencer->threads[i];

		if (thread->block)
			finish_block(sequencer, i, thread, NULL, 0, 0);
		if (thread->running && sequencer->sink->thread_end)
			sequencer->sink->thread_end(sequencer->sink, i);
		thread->running = false;
	}
}

const struct trace_block *takt_trace_sequencer_block(const struct trace_sequencer *sequencer,
						     uint32_t thread)
{
	return thread < sequencer->thread_count ? sequencer->threads[thread]->block : NULL;
}

static void pack_block(const struct trace_sequencer *sequencer, struct takt_pack *pack,
		       struct trace_block **block)
{
	uint32_t number = *block ? 1 + (*block)->number : 0;

	takt_pack_count(pack, &number, sequencer->dictionary->count);
	*block = number ? sequencer->dictionary->blocks[number - 1] : NULL;
}

/* True if the thread, which was loaded, could have come so far in its block. */
static bool thread_fits(const struct trace_thread *thread)
{
	const struct trace_block *block = thread->block;

	if (!takt_are_bools(&thread->continues, 1, 1) || !takt_are_bools(&thread->running, 1, 1) ||
	    !takt_are_bools(&thread->foreign, 1, 1) || (thread->block && !thread->running) ||
	    (block && (thread->last_access < -1 || thread->last_access >= block->insn_count)))
		return false;
	for (size_t i = 0; i < thread->held_count; i++)
		if (!block || !trace_is_access(thread->held[i]) || !trace_size(thread->held[i]) ||
		    trace_insn(thread->held[i]) >= block->insn_count)
			return false;
	return true;
}

void takt_trace_sequencer_pack(struct trace_sequencer *sequencer, struct takt_pack *pack)
{
	static const struct takt_pack_hole holes[] = {
		TAKT_PACK_HOLE(struct trace_thread, block),
		TAKT_PACK_HOLE(struct trace_thread, held),
		TAKT_PACK_HOLE(struct trace_thread, held_count),
		TAKT_PACK_HOLE(struct trace_thread, held_capacity),
	};
	uint32_t count = sequencer->thread_count;

	for (uint32_t i = 0; i < sequencer->dictionary->count; i++)
		takt_pack_bool(pack, &sequencer->dictionary->blocks[i]->ran);
	takt_pack_count(pack, &count, TRACE_THREADS_MAX);
	for (uint32_t i = 0; i < count && !pack->bad; i++) {
		struct trace_thread *thread = find_thread(sequencer, i);
		uint32_t held = (uint32_t)thread->held_count;

		takt_pack_around(pack, thread, sizeof(*thread), holes, TAKT_COUNT_OF(holes));
		pack_block(sequencer, pack, &thread->block);
		takt_pack_count(pack, &held, UINT64_C(2) * STEP_ACCESSES_MAX);
		TAKT_GROW(thread->held, held, thread->held_capacity);
		thread->held_count = held;
		takt_pack_bytes(pack, thread->held, held * sizeof(uint64_t));
		if (pack->reads && !pack->bad && !thread_fits(thread))
			pack->bad = true;
	}
}
