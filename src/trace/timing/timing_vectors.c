/* SPDX-License-Identifier: MIT */
/* Tracks the settings (LMUL, SEW) of RISC-V vector units from block to block. */
#include <string.h>

#include "trace/timing/timing.h"

#define SETTINGS_MAX 1024u /* far more than the combinations of LMUL and SEW */

static void reserve(struct timing_vectors *vectors, uint32_t count)
{
	TAKT_GROW(vectors->list, count, vectors->capacity);
}

void timing_vectors_init(struct timing_vectors *vectors, const struct takt_isa *isa)
{
	*vectors = (struct timing_vectors){0};
	if (!takt_isa_has_vector_settings(isa))
		return;
	reserve(vectors, 1);
	vectors->list[vectors->count++] = (struct takt_llvm_settings){0};
}

static bool are_same(const struct takt_llvm_settings *left, const struct takt_llvm_settings *right)
{
	if (left->count != right->count)
		return false;
	for (unsigned i = 0; i < left->count; i++)
		if (strcmp(left->list[i].kind, right->list[i].kind) != 0 ||
		    strcmp(left->list[i].data, right->list[i].data) != 0)
			return false;
	return true;
}

static uint32_t number_of(struct timing_vectors *vectors, const struct takt_llvm_settings *settings)
{
	for (uint32_t i = 0; i < vectors->count; i++)
		if (are_same(&vectors->list[i], settings))
			return i;
	if (vectors->count == SETTINGS_MAX)
		return 0;
	reserve(vectors, vectors->count + 1);
	vectors->list[vectors->count] = *settings;
	return vectors->count++;
}

uint32_t timing_vectors_apply(struct trace_timing *timing, struct takt_insn *insns,
			      uint32_t insn_count, uint32_t before, struct takt_vector_use *ret_use)
{
	struct takt_block block = {
		.isa = takt_model_isa(timing->options.model), .insns = insns, .count = insn_count};
	struct takt_llvm_settings settings;

	*ret_use = (struct takt_vector_use){0};
	if (!timing->vectors.count)
		return 0;
	settings = timing->vectors.list[before];
	takt_block_follow_vectors(&block, &settings, ret_use);
	return number_of(&timing->vectors, &settings);
}

/* Return the settings after the part of a block that ran before it was interrupted. */
static uint32_t partly(struct trace_timing *timing, const struct executed_block *executed,
		       uint32_t before)
{
	struct takt_vector_use use;
	struct takt_insn *insns;

	takt_arena_clear(&timing->scratch);
	insns = TAKT_NEW_ARRAY(&timing->scratch, executed->block->insn_count, struct takt_insn);
	timing_decode(takt_model_isa(timing->options.model), executed->block, insns);
	return timing_vectors_apply(timing, insns, executed->insn_count, before, &use);
}

/* Keep the settings of interrupted code; of too many nested handlers, the innermost are kept. */
static void interrupt(struct trace_timing_thread *thread)
{
	if (thread->interrupted_count == TIMING_SIGNALS_MAX)
		memmove(thread->interrupted, thread->interrupted + 1,
			--thread->interrupted_count * sizeof(*thread->interrupted));
	thread->interrupted[thread->interrupted_count++] = thread->vectors;
}

void timing_vectors_execute(struct trace_timing *timing, struct trace_timing_thread *thread,
			    const struct executed_block *executed)
{
	const struct trace_timing_block *block;

	block = timing_block_of(timing, executed->block, thread->vectors);
	if (block->vector_use.sets)
		thread->vectors = executed->insn_count < executed->block->insn_count
					  ? partly(timing, executed, thread->vectors)
					  : block->vectors_behind;
	if (executed->diverted)
		interrupt(thread);
}

void timing_vectors_return(struct trace_timing_thread *thread)
{
	if (thread->interrupted_count)
		thread->vectors = thread->interrupted[--thread->interrupted_count];
}

/* True if the settings, which come from a checkpoint, are valid. */
static bool is_sound(const struct takt_llvm_settings *settings)
{
	if (settings->count > TAKT_LLVM_SETTINGS_MAX)
		return false;
	for (unsigned i = 0; i < settings->count; i++)
		if (!memchr(settings->list[i].kind, 0, sizeof(settings->list[i].kind)) ||
		    !memchr(settings->list[i].data, 0, sizeof(settings->list[i].data)))
			return false;
	return true;
}

void timing_vectors_pack(struct timing_vectors *vectors, struct takt_pack *pack)
{
	bool there = vectors->count > 0;
	uint32_t count = vectors->count;

	takt_pack_count(pack, &count, SETTINGS_MAX);
	if (!pack->bad && there != (count > 0))
		pack->bad = true;
	if (pack->bad || !there)
		return;
	reserve(vectors, count);
	vectors->count = count;
	takt_pack_bytes(pack, vectors->list, count * sizeof(*vectors->list));
	for (uint32_t i = 0; i < count; i++)
		if (!is_sound(&vectors->list[i]))
			vectors->list[i] = (struct takt_llvm_settings){0};
}
