/* SPDX-License-Identifier: MIT */
/*
 * Lines: the bytes of each line that each thread read and wrote. These are sets, independent of the
 * order of accesses, except that what the first thread did before there was another one is not
 * sharing.
 */
#include <stdlib.h>

#include "events/oracle.h"

#define USES_MAX ((size_t)1 << 23) /* pairs of a line and a thread: at most half a GB */
#define THREAD_BITS 19
#define KEY_SET ((uint64_t)1 << 63)
#define PAGE_LINES 64u
/* Pseudo-thread: the first thread while it was alone; the others are 1 + number. */
#define SERIAL 0u

/* Accesses of a thread to a line. */
struct line_use {
	uint64_t key; /* KEY_SET | line << THREAD_BITS | thread */
	uint64_t read, written;
	uint64_t accesses, stores;
	uint32_t block, votes; /* the block with the majority of the accesses, if there is one */
};

/* Lines in other threads' pages that a thread uses, with the majority votes of blocks. */
struct placing {
	struct oracle_placement result;
	uint32_t user_votes, writer_votes;
};

struct oracle_lines {
	struct takt_map uses;
	bool sharing;
	uint64_t left_out;
	struct oracle_line *shared;
	size_t shared_count, shared_capacity;
	struct placing *placings; /* placements by thread */
	uint32_t placing_count, placing_capacity;
};

struct oracle_lines *oracle_lines_new(void)
{
	struct oracle_lines *lines = takt_xcalloc(1, sizeof(*lines));

	takt_map_init(&lines->uses, sizeof(struct line_use), USES_MAX);
	return lines;
}

void oracle_lines_free(struct oracle_lines *lines)
{
	if (!lines)
		return;
	takt_map_release(&lines->uses);
	free(lines->shared);
	free(lines->placings);
	free(lines);
}

void oracle_lines_begin_sharing(struct oracle_lines *lines)
{
	lines->sharing = true;
}

static uint32_t thread_of(const struct line_use *use)
{
	return (uint32_t)(use->key & ((1u << THREAD_BITS) - 1));
}

static uint64_t line_of(const struct line_use *use)
{
	return (use->key & ~KEY_SET) >> THREAD_BITS;
}

/*
 * Cast a vote. After all votes, the leader is the block with the majority, if there is one (Boyer
 * and Moore's algorithm).
 */
static void vote(uint32_t block, uint32_t *leader, uint32_t *votes)
{
	if (*votes && *leader == block) {
		(*votes)++;
	} else if (!*votes) {
		*leader = block;
		*votes = 1;
	} else {
		(*votes)--;
	}
}

void oracle_lines_touch(struct oracle_lines *lines, const struct oracle_touch *touch)
{
	uint32_t thread = touch->thread || lines->sharing ? 1 + touch->thread : SERIAL;
	struct line_use *use =
		takt_map_get(&lines->uses, KEY_SET | touch->line << THREAD_BITS | thread);

	if (!use) {
		lines->left_out += touch->accesses;
		return;
	}
	use->accesses += touch->accesses;
	if (touch->store) {
		use->written |= touch->bytes;
		use->stores += touch->accesses;
	} else {
		use->read |= touch->bytes;
	}
	vote(touch->block, &use->block, &use->votes);
}

/* ---- afterwards ---- */

/*
 * True if two threads share the line, and one of them writes; *ret_byte: if they share a byte that
 * one writes.
 */
static bool share(const struct line_use *left, const struct line_use *right, bool *ret_byte)
{
	*ret_byte = left->written & (right->read | right->written) || right->written & left->read;
	return left->written || right->written;
}

/* Return the rank among the four threads with the most accesses, or 4. */
static unsigned rank_of(const struct oracle_line *line, uint64_t accesses)
{
	unsigned rank = 4;

	while (rank > 0 && line->users[rank - 1].accesses < accesses)
		rank--;
	return rank;
}

static void add_user(struct oracle_line *line, const struct line_use *use)
{
	unsigned rank = rank_of(line, use->accesses);

	line->threads++;
	line->writers += use->written != 0;
	line->accesses += use->accesses;
	line->stores += use->stores;
	if (rank == 4)
		return;
	memmove(&line->users[rank + 1], &line->users[rank], (3 - rank) * sizeof(*line->users));
	line->users[rank] = (struct oracle_line_user){
		.thread = thread_of(use) - 1,
		.block = use->block,
		.accesses = use->accesses,
		.stores = use->stores,
		.read = use->read,
		.written = use->written,
	};
}

static struct oracle_line *new_line(struct oracle_lines *lines, uint64_t line)
{
	TAKT_GROW(lines->shared, lines->shared_count + 1, lines->shared_capacity);
	lines->shared[lines->shared_count] =
		(struct oracle_line){.address = (uint64_t)((int64_t)(line << 22) >> 16)};
	return &lines->shared[lines->shared_count++];
}

/* Complete one line from its uses by threads that ran at the same time. */
static void finish_shared(struct oracle_lines *lines, const struct line_use *uses, size_t count,
			  struct oracle_counts **counts)
{
	struct oracle_line *line;
	bool written = false;

	for (size_t i = 0; i < count; i++)
		written |= uses[i].written != 0;
	if (count < 2 || !written)
		return;
	line = new_line(lines, line_of(uses));
	for (size_t i = 0; i < count; i++) {
		bool any = false, truly = false, falsely = false;

		for (size_t j = 0; j < count && !(truly && falsely); j++) {
			bool byte;

			if (i == j || !share(&uses[i], &uses[j], &byte))
				continue;
			any = true;
			truly |= byte;
			falsely |= !byte;
		}
		line->truly |= truly;
		line->falsely |= falsely;
		counts[thread_of(&uses[i]) - 1]->shared_lines += any;
		counts[thread_of(&uses[i]) - 1]->falsely_shared_lines += falsely;
		add_user(line, &uses[i]);
	}
}

/*
 * Count each thread's lines. Those that the first thread used while it was alone are its own, too.
 */
static void count_lines(const struct line_use *uses, size_t count, struct oracle_counts **counts)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t thread = thread_of(&uses[i]) == SERIAL ? 0 : thread_of(&uses[i]) - 1;
		uint64_t bytes = uses[i].read | uses[i].written;

		if (i == 1 && thread == 0 && thread_of(&uses[0]) == SERIAL)
			bytes &= ~(uses[0].read | uses[0].written);
		else
			counts[thread]->lines_touched++;
		counts[thread]->line_bytes_used += (uint64_t)__builtin_popcountll(bytes);
	}
}

/* ---- owners of pages ---- */

static struct placing *placing_of(struct oracle_lines *lines, uint32_t thread)
{
	TAKT_GROW_ZEROED(lines->placings, thread + 1, lines->placing_capacity);
	if (lines->placing_count <= thread)
		lines->placing_count = thread + 1;
	return &lines->placings[thread];
}

/* Find the first use that makes its thread the owner of the page; NULL: no owner, or unknown. */
static const struct line_use *find_owner(const struct line_use *uses, size_t count,
					 bool *ret_written)
{
	const struct line_use *owner = NULL;
	bool contested = false;

	*ret_written = false;
	for (size_t i = 0; i < count; i++) {
		if (!uses[i].written)
			continue;
		*ret_written = true;
		if (owner && thread_of(owner) == SERIAL)
			return owner;
		if (!owner || thread_of(&uses[i]) == SERIAL)
			owner = &uses[i];
		contested |= thread_of(owner) != thread_of(&uses[i]);
	}
	return owner && thread_of(owner) != SERIAL && contested ? NULL : owner;
}

static void place_use(struct oracle_lines *lines, const struct line_use *use,
		      const struct line_use *owner)
{
	uint32_t thread = thread_of(use) - 1, first;
	struct placing *placing = placing_of(lines, thread);

	placing->result.lines++;
	first = !owner ? UINT32_MAX : thread_of(owner) == SERIAL ? 0 : thread_of(owner) - 1;
	if (first >= ORACLE_BLOCK_THREADS) {
		placing->result.unplaced++;
		return;
	}
	placing->result.of[first]++;
	if (first == thread)
		return;
	vote(use->block, &placing->result.user, &placing->user_votes);
	vote(owner->block, &placing->result.writer, &placing->writer_votes);
}

/* Attribute all uses of one page. */
static void place_page(struct oracle_lines *lines, const struct line_use *uses, size_t count)
{
	bool written;
	const struct line_use *owner = find_owner(uses, count, &written);

	for (size_t i = 0; written && i < count; i++)
		if (thread_of(&uses[i]) != SERIAL)
			place_use(lines, &uses[i], owner);
}

static void place_pages(struct oracle_lines *lines, const struct line_use *uses, size_t count)
{
	size_t end;

	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (line_of(&uses[end]) / PAGE_LINES != line_of(&uses[i]) / PAGE_LINES)
				break;
		place_page(lines, uses + i, end - i);
	}
}

const struct oracle_placement *oracle_lines_placement(const struct oracle_lines *lines,
						      uint32_t thread)
{
	return thread < lines->placing_count ? &lines->placings[thread].result : NULL;
}

/* ---- all of it ---- */

TAKT_ORDER(compare_lines, struct oracle_line, TAKT_DOWN(accesses), TAKT_UP(address));

void oracle_lines_finish(struct oracle_lines *lines, struct oracle_counts **counts)
{
	const struct line_use *uses = takt_map_sort(&lines->uses);
	size_t end;

	for (size_t i = 0; i < lines->uses.count; i = end) {
		bool serial = thread_of(&uses[i]) == SERIAL;

		for (end = i + 1; end < lines->uses.count; end++)
			if (line_of(&uses[end]) != line_of(&uses[i]))
				break;
		count_lines(uses + i, end - i, counts);
		finish_shared(lines, uses + i + serial, end - i - serial, counts);
	}
	place_pages(lines, uses, lines->uses.count);
	takt_map_release(&lines->uses);
	if (lines->shared_count)
		qsort(lines->shared, lines->shared_count, sizeof(*lines->shared), compare_lines);
}

const struct oracle_line *oracle_lines_list(const struct oracle_lines *lines, size_t *ret_count)
{
	*ret_count = lines->shared_count;
	return lines->shared;
}

uint64_t oracle_lines_left_out(const struct oracle_lines *lines)
{
	return lines->left_out;
}
