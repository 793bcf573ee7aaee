/* SPDX-License-Identifier: MIT */
/* Matches the blocks of a function with those of its other version. */
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

#define ADDRESS_LEAST 0x10000 /* smaller constants in code are not taken for addresses */

/* ---- code without what changes when it or its data moves ---- */

struct word_mask {
	uint32_t mask, bits; /* the row applies to an instruction if word & mask is bits */
	uint32_t keep;	     /* bits of the instruction that do not depend on addresses */
};

static const struct word_mask aarch64_masks[] = {
	{0x7c000000, 0x14000000, 0xfc000000}, /* b, bl */
	{0xfe000000, 0x54000000, 0xff00001f}, /* b.cond */
	{0x7e000000, 0x34000000, 0xff00001f}, /* cbz, cbnz */
	{0x7e000000, 0x36000000, 0xfff8001f}, /* tbz, tbnz */
	{0x1f000000, 0x10000000, 0x9f00001f}, /* adr, adrp */
	{0x3b000000, 0x18000000, 0xff00001f}, /* ldr of a literal */
};

static const struct word_mask riscv_masks[] = {
	{0x7f, 0x6f, 0xfff},	  /* jal */
	{0x7f, 0x63, 0x01fff07f}, /* branches */
	{0x7f, 0x17, 0xfff},	  /* auipc */
};

static const struct word_mask riscv_short_masks[] = {
	{0xe003, 0xa001, 0xe003}, /* c.j */
	{0xc003, 0xc001, 0xe383}, /* c.beqz, c.bnez */
};

static uint32_t keep_word(uint32_t word, const struct word_mask *masks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if ((word & masks[i].mask) == masks[i].bits)
			return word & masks[i].keep;
	return word;
}

static uint64_t add(uint64_t hash, uint64_t value)
{
	return takt_hash64(hash ^ value) + 1;
}

/* Hash instructions of four bytes each, or of two for RISC-V's compressed ones. */
static uint64_t hash_words(const struct takt_trace_block *block, bool is_riscv)
{
	uint64_t hash = 0;
	uint32_t at = 0;

	while (at < block->size_bytes) {
		bool is_short = is_riscv && (block->bytes[at] & 3) != 3;
		uint32_t size = is_short ? 2 : 4, word = 0;

		for (uint32_t i = 0; i < size && at + i < block->size_bytes; i++)
			word |= (uint32_t)block->bytes[at + i] << 8 * i;
		if (is_short)
			word = keep_word(word, riscv_short_masks, TAKT_COUNT_OF(riscv_short_masks));
		else if (is_riscv)
			word = keep_word(word, riscv_masks, TAKT_COUNT_OF(riscv_masks));
		else
			word = keep_word(word, aarch64_masks, TAKT_COUNT_OF(aarch64_masks));
		hash = add(hash, word);
		at += size;
	}
	return hash;
}

static bool may_be_address(int64_t value)
{
	return value >= ADDRESS_LEAST || value <= -ADDRESS_LEAST;
}

/* Clear the displacement if it may be an address; only the immediate comes after it. */
static void hide_displacement(const struct takt_insn *insn, uint8_t *bytes)
{
	uint32_t behind = insn->immediate_size_bytes + 4u;

	for (uint32_t i = 0; i < insn->memory_count; i++) {
		const struct takt_memory *memory = &insn->memories[i];

		if ((memory->rip_relative || may_be_address(memory->displacement)) &&
		    insn->length_bytes > behind) {
			memset(bytes + insn->length_bytes - behind, 0, 4);
			return;
		}
	}
}

static uint64_t hash_x86_insn(uint64_t hash, const struct takt_insn *insn)
{
	uint8_t bytes[16] = {0};

	/* A jump's length depends on its distance: hash what it does, not its bytes. */
	if (insn->flags & TAKT_INSN_BRANCH && insn->branch_target)
		return add(add(hash, insn->flags), (uint64_t)insn->condition);
	memcpy(bytes, insn->bytes, insn->length_bytes < 16 ? insn->length_bytes : 16);
	hide_displacement(insn, bytes);
	if (insn->immediate_size_bytes >= 4 && may_be_address(insn->immediate) &&
	    insn->length_bytes > insn->immediate_size_bytes)
		memset(bytes + insn->length_bytes - insn->immediate_size_bytes, 0,
		       insn->immediate_size_bytes);
	return add(hash, takt_hash_bytes(bytes, insn->length_bytes < 16 ? insn->length_bytes : 16));
}

static uint64_t hash_x86(const struct takt_trace_block *block)
{
	struct takt_insn insn;
	uint64_t hash = 0;

	for (uint32_t at = 0; at < block->size_bytes; at += insn.length_bytes) {
		if (takt_decode(&takt_isa_x86, block->bytes + at, block->size_bytes - at,
				block->address + at, &insn) != TAKT_OK)
			return add(hash,
				   takt_hash_bytes(block->bytes + at, block->size_bytes - at));
		hash = hash_x86_insn(hash, &insn);
	}
	return hash;
}

uint64_t takt_trace_code_hash(const char *guest, const struct takt_trace_block *block)
{
	if (!guest || strcmp(guest, "x86-64") == 0)
		return hash_x86(block);
	return hash_words(block, strcmp(guest, "riscv64") == 0);
}

/* ---- the longest common sequence ---- */

/* Key of a block; blocks with the same code are distinguished by their order. */
struct block_key {
	uint64_t hash;
	uint32_t index; /* index in its list */
	uint32_t nth;	/* number of blocks with the same hash before it in the list */
};

TAKT_ORDER(compare_keys, struct block_key, TAKT_UP(hash), TAKT_UP(index));

static struct block_key *make_keys(const char *guest, const struct trace_block_list *list,
				   struct takt_arena *arena)
{
	struct block_key *keys = TAKT_NEW_ARRAY(arena, list->count, struct block_key);

	for (uint32_t i = 0; i < list->count; i++) {
		keys[i].hash = takt_trace_code_hash(guest, list->blocks[i]);
		keys[i].index = i;
	}
	if (list->count)
		qsort(keys, list->count, sizeof(keys[0]), compare_keys);
	for (uint32_t i = 1; i < list->count; i++)
		if (keys[i].hash == keys[i - 1].hash)
			keys[i].nth = keys[i - 1].nth + 1;
	return keys;
}

/* Match blocks with equal keys, whatever their order. */
static void pair_keys(const struct block_key *before, uint32_t before_count,
		      const struct block_key *after, uint32_t after_count, uint32_t *matches)
{
	uint32_t i = 0, j = 0;

	while (i < before_count && j < after_count) {
		if (before[i].hash == after[j].hash && before[i].nth == after[j].nth)
			matches[before[i++].index] = after[j++].index;
		else if (before[i].hash != after[j].hash ? before[i].hash < after[j].hash
							 : before[i].nth < after[j].nth)
			i++;
		else
			j++;
	}
}

/*
 * Keep the longest increasing sequence of matches only. `tails[n]` is the block of the first list
 * that ends the best sequence of n + 1 matches so far; `previous` links each block to the one
 * before it in its sequence.
 */
static void keep_order(uint32_t count, struct takt_arena *arena, uint32_t *matches)
{
	uint32_t *tails = TAKT_NEW_ARRAY(arena, count, uint32_t), tail_count = 0;
	uint32_t *previous = TAKT_NEW_ARRAY(arena, count, uint32_t);
	bool *kept = TAKT_NEW_ARRAY(arena, count, bool);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at;

		if (matches[i] == TRACE_NO_MATCH)
			continue;
		TAKT_BISECT(at, tail_count, matches[tails[at]] < matches[i]);
		previous[i] = at ? tails[at - 1] : TRACE_NO_MATCH;
		tails[at] = i;
		tail_count += at == tail_count;
	}
	for (uint32_t i = tail_count ? tails[tail_count - 1] : TRACE_NO_MATCH; i != TRACE_NO_MATCH;
	     i = previous[i])
		kept[i] = true;
	for (uint32_t i = 0; i < count; i++)
		if (!kept[i])
			matches[i] = TRACE_NO_MATCH;
}

void takt_trace_blocks_match(const char *const guests[2], const struct trace_block_list lists[2],
			     struct takt_arena *arena, uint32_t *ret_matches)
{
	const struct block_key *before = make_keys(guests[0], &lists[0], arena);
	const struct block_key *after = make_keys(guests[1], &lists[1], arena);

	for (uint32_t i = 0; i < lists[0].count; i++)
		ret_matches[i] = TRACE_NO_MATCH;
	pair_keys(before, lists[0].count, after, lists[1].count, ret_matches);
	keep_order(lists[0].count, arena, ret_matches);
}
