/* SPDX-License-Identifier: MIT */
/* Translates blocks to code for the pipeline and the predictor, when they first run. */
#include <stdlib.h>
#include <string.h>

#include "trace/timing/timing.h"

/* Make a nop, which takes the place of an instruction that cannot be decoded. */
static void decode_nop(const struct takt_isa *isa, struct takt_insn *ret_insn)
{
	static const uint8_t nops[][4] = {{0x90}, {0x1f, 0x20, 0x03, 0xd5}, {0x13, 0, 0, 0}};

	for (size_t i = 0; i < TAKT_COUNT_OF(nops); i++)
		if (takt_decode(isa, nops[i], i ? 4 : 1, 0, ret_insn) == TAKT_OK &&
		    ret_insn->flags & TAKT_INSN_NOP)
			return;
	*ret_insn = (struct takt_insn){.isa = isa};
}

static enum branch_kind branch_kind(const struct takt_insn *insn)
{
	bool indirect = insn->flags & TAKT_INSN_INDIRECT;

	if (insn->flags & TAKT_INSN_CONDITIONAL)
		return BRANCH_CONDITIONAL;
	if (insn->flags & TAKT_INSN_RETURN)
		return BRANCH_RETURN;
	if (insn->flags & TAKT_INSN_CALL)
		return indirect ? BRANCH_INDIRECT_CALL : BRANCH_CALL;
	return indirect ? BRANCH_INDIRECT : BRANCH_JUMP;
}

/* Describe a string instruction with rep, by its opcode, which is its last byte. */
static void describe_string(const struct takt_insn *insn, struct trace_timing_block *block)
{
	uint8_t opcode = insn->bytes[insn->length_bytes - 1];

	block->element_bytes =
		opcode & 1 ? (uint8_t)(insn->memory_count ? insn->memories[0].size_bytes : 4) : 1;
	block->string_kind = (uint8_t)takt_insn_string_kind(insn);
}

static uint16_t count_defaults(const struct takt_model *model, const struct takt_insn *insns,
			       uint32_t count)
{
	struct takt_timing_storage storage;
	struct takt_timing timing;
	uint16_t defaults = 0;

	for (uint32_t i = 0; i < count; i++) {
		takt_model_timing(model, &insns[i], &storage, &timing);
		defaults = (uint16_t)(defaults + (timing.match == TAKT_MATCH_DEFAULT));
	}
	return defaults;
}

uint16_t timing_decode(const struct takt_isa *isa, const struct trace_block *from,
		       struct takt_insn *insns)
{
	uint64_t address = from->address;
	uint16_t unknown = 0;

	for (uint32_t i = 0; i < from->insn_count; i++) {
		const uint8_t *bytes = from->bytes + (address - from->address);

		if (takt_decode(isa, bytes, from->lengths[i], address, &insns[i]) != TAKT_OK) {
			decode_nop(isa, &insns[i]);
			insns[i].bytes = bytes;
			unknown++;
		}
		insns[i].address = address;
		insns[i].length_bytes = from->lengths[i];
		address += from->lengths[i];
	}
	return unknown;
}

/*
 * Return for each instruction whether it is a non-temporal store, or NULL if none is. Freed with
 * free().
 */
static bool *find_non_temporal(const struct takt_insn *insns, uint32_t count)
{
	bool *non_temporal = NULL;

	for (uint32_t i = 0; i < count; i++) {
		if (!(insns[i].flags & TAKT_INSN_NON_TEMPORAL))
			continue;
		if (!non_temporal)
			non_temporal = takt_xcalloc(count, sizeof(*non_temporal));
		non_temporal[i] = true;
	}
	return non_temporal;
}

/* Find the instructions that end in another line of code than the one before them. */
static uint16_t find_fetches(const struct trace_block *from, struct timing_fetch *ret_fetches)
{
	uint64_t end = from->address, line = UINT64_MAX;
	uint16_t count = 0;

	for (uint16_t i = 0; i < from->insn_count; i++) {
		uint64_t address = end;

		end += from->lengths[i];
		if ((end - 1) / TAKT_LINE_BYTES == line)
			continue;
		line = (end - 1) / TAKT_LINE_BYTES;
		ret_fetches[count++] = (struct timing_fetch){i, from->lengths[i],
							     (uint32_t)(address - from->address)};
	}
	return count;
}

/* Note the fetches of a block that is simulated where it ran. */
static void note_fetches(struct trace_timing *timing, const struct trace_block *from,
			 struct trace_timing_block *block)
{
	struct timing_fetch fetches[TRACE_INSNS_MAX], *kept;

	if (timing->options.layouts || !timing->options.cache)
		return;
	block->fetch_count = find_fetches(from, fetches);
	kept = TAKT_NEW_ARRAY(&timing->fetches, block->fetch_count, struct timing_fetch);
	memcpy(kept, fetches, block->fetch_count * sizeof(*kept));
	block->fetches = kept;
}

static void note_translated(struct trace_timing *timing, uint32_t number, uint32_t vectors)
{
	TAKT_GROW(timing->translated, timing->translated_count + 1, timing->translated_capacity);
	timing->translated[timing->translated_count++] =
		(struct timing_translated){number, vectors};
}

/* Note the piece of code that the block is placed with, and return what that adds to addresses. */
static uint64_t place(const struct trace_timing *timing, const struct trace_block *from,
		      struct trace_timing_block *block)
{
	const struct trace_layouts *layouts = timing->options.layouts;

	if (!layouts)
		return 0;
	block->piece = trace_layouts_piece(layouts, from);
	return trace_layouts_shift(layouts, block->piece, timing->options.layout).code;
}

static void translate(struct trace_timing *timing, const struct trace_block *from, uint32_t vectors,
		      struct trace_timing_block *block)
{
	struct takt_insn *insns, *last;

	takt_arena_clear(&timing->scratch);
	insns = TAKT_NEW_ARRAY(&timing->scratch, from->insn_count, struct takt_insn);
	block->unknown = timing_decode(takt_model_isa(timing->options.model), from, insns);
	last = &insns[from->insn_count - 1];
	block->branches = last->flags & TAKT_INSN_BRANCH;
	block->branch_kind = (uint8_t)branch_kind(last);
	block->branch_bytes = from->lengths[from->insn_count - 1];
	if (from->repeats)
		describe_string(last, block);
	block->vectors = vectors;
	block->vectors_behind =
		timing_vectors_apply(timing, insns, from->insn_count, vectors, &block->vector_use);
	block->defaults = count_defaults(timing->options.model, insns, from->insn_count);
	free(block->non_temporal);
	block->non_temporal = find_non_temporal(insns, from->insn_count);
	note_fetches(timing, from, block);
	block->code = takt_sim_code_add(timing->code, from->address + place(timing, from, block),
					insns, from->insn_count);
	if (block->code)
		note_translated(timing, from->number, vectors);
}

/*
 * Translate the block for other vector settings. All translations of a block share the sums of
 * its instructions' cycles.
 */
static struct trace_timing_block *make_other(struct trace_timing *timing,
					     const struct trace_block *from, uint32_t vectors)
{
	struct trace_timing_block *other = takt_xcalloc(1, sizeof(*other));

	translate(timing, from, vectors, other);
	if (other->code)
		other->code->insn_parts = timing->blocks[from->number].code->insn_parts;
	return other;
}

/* All layouts add up an instruction's cycles in one place. */
static void share_parts(const struct trace_timing *timing, uint32_t number,
			struct sim_code_block *code)
{
	const struct trace_timing *first = timing->first;

	if (code && first != timing && first->blocks[number].code)
		code->insn_parts = first->blocks[number].code->insn_parts;
}

/* Translate a block that has no translation, or one for another place of its code. */
static void translate_placed(struct trace_timing *timing, const struct trace_block *from,
			     uint32_t vectors, struct trace_timing_block *block)
{
	uint64_t *parts = block->code ? block->code->insn_parts : NULL;

	translate(timing, from, vectors, block);
	if (parts && block->code)
		block->code->insn_parts = parts;
	share_parts(timing, from->number, block->code);
}

const struct trace_timing_block *
trace_timing_block(struct trace_timing *timing, const struct trace_block *from, uint32_t vectors)
{
	struct trace_timing_block *block;

	TAKT_GROW_ZEROED(timing->blocks, from->number + 1, timing->block_capacity);
	block = &timing->blocks[from->number];
	if (!block->code || (timing->options.layouts &&
			     block->piece != trace_layouts_piece(timing->options.layouts, from)))
		translate_placed(timing, from, vectors, block);
	while (block->code && block->vector_use.depends && block->vectors != vectors) {
		if (!block->other)
			block->other = make_other(timing, from, vectors);
		block = block->other;
	}
	return block;
}

void timing_blocks_free(struct trace_timing *timing)
{
	for (uint32_t i = 0; i < timing->block_capacity; i++) {
		struct trace_timing_block *other = timing->blocks[i].other;

		free(timing->blocks[i].non_temporal);
		while (other) {
			struct trace_timing_block *next = other->other;

			free(other->non_temporal);
			free(other);
			other = next;
		}
	}
	free(timing->blocks);
	free(timing->translated);
	free(timing->vectors.list);
}
