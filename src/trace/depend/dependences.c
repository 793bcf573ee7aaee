/* SPDX-License-Identifier: MIT */
/*
 * Follows the memory of each thread. A word is eight bytes at a multiple of eight; mostly one
 * store has written all of it, and otherwise its bytes are kept apart.
 */
#include "trace/depend/dependences.h"

#include <stdlib.h>

#define PAGE_SHIFT 12
#define WORD_BYTES 8u
#define PAGE_WORDS ((1u << PAGE_SHIFT) / WORD_BYTES)
#define LOAD_BYTES_MAX 64u

/*
 * A store: its instruction's number plus 1, above the time at which it ran, in instructions of the
 * thread. 0: nothing was stored.
 */
#define TIME_BITS 40
#define TIME_MASK (((uint64_t)1 << TIME_BITS) - 1)
#define WORD_IS_SPLIT UINT64_MAX /* the bytes of the word have stores of their own */

struct page {
	uint64_t (*bytes)[WORD_BYTES]; /* NULL: no word is split */
	uint64_t words[PAGE_WORDS];
};

struct page_entry {
	uint64_t key; /* number of the page, plus 1 */
	struct page *page;
};

/* The last times at which an instruction stored; the newest is at (count - 1) % their number. */
struct recent {
	uint64_t key; /* number of the instruction, plus 1 */
	uint64_t count;
	uint64_t times[DEPENDENCES_RECENT];
};

struct dependences_thread {
	struct takt_map pages, recent;
	uint64_t time; /* instructions so far */
	struct page *last_page;
	uint64_t last_key;
};

/* Pairs of a store and a load at a distance. */
struct row {
	uint64_t key; /* store, load and distance, each plus 1 */
	uint64_t count, whole, least_insns, sum_insns;
};

#define ROW_FAR DEPENDENCES_RECENT /* distances that are not known */

/* ---- shadow of memory --------------------------------------------------------------- */

static struct page *find_page(struct trace_dependences *all, struct dependences_thread *thread,
			      uint64_t address, bool make)
{
	uint64_t key = (address >> PAGE_SHIFT) + 1;
	struct page_entry *entry;

	if (thread->last_page && thread->last_key == key)
		return thread->last_page;
	entry = takt_map_find(&thread->pages, key);
	if (!entry && make && all->page_count < all->pages_max) {
		entry = takt_map_get(&thread->pages, key);
		if (entry) {
			entry->page = takt_xcalloc(1, sizeof(*entry->page));
			all->page_count++;
		}
	}
	if (!entry)
		return NULL;
	thread->last_page = entry->page;
	thread->last_key = key;
	return entry->page;
}

static void split_word(struct page *page, uint32_t word)
{
	if (!page->bytes)
		page->bytes = takt_xcalloc(PAGE_WORDS, sizeof(*page->bytes));
	for (uint32_t i = 0; i < WORD_BYTES; i++)
		page->bytes[word][i] = page->words[word];
	page->words[word] = WORD_IS_SPLIT;
}

static void store(struct trace_dependences *all, struct dependences_thread *thread,
		  uint64_t address, uint32_t size_bytes, uint64_t store)
{
	for (uint64_t end = address + size_bytes; address != end;) {
		uint32_t offset = address % WORD_BYTES, word = address / WORD_BYTES % PAGE_WORDS;
		uint32_t part = WORD_BYTES - offset;
		struct page *page = find_page(all, thread, address, true);

		if (part > end - address)
			part = (uint32_t)(end - address);
		address += part;
		if (!page) {
			all->left_out++;
			continue;
		}
		if (part == WORD_BYTES) {
			page->words[word] = store;
			continue;
		}
		if (page->words[word] != WORD_IS_SPLIT)
			split_word(page, word);
		for (uint32_t i = offset; i < offset + part; i++)
			page->bytes[word][i] = store;
	}
}

/* List the different stores that bytes come from, with 0 for none, and return their number. */
static uint32_t find_stores(struct trace_dependences *all, struct dependences_thread *thread,
			    uint64_t address, uint32_t size_bytes, uint64_t stores[LOAD_BYTES_MAX])
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < size_bytes; i++) {
		uint64_t at = address + i, found = 0;
		uint32_t word = at / WORD_BYTES % PAGE_WORDS;
		const struct page *page = find_page(all, thread, at, false);

		if (page)
			found = page->words[word];
		if (page && found == WORD_IS_SPLIT)
			found = page->bytes[word][at % WORD_BYTES];
		else if (at % WORD_BYTES == 0 && size_bytes - i > WORD_BYTES)
			i += WORD_BYTES - 1; /* the whole word is alike */
		if (!count || stores[count - 1] != found)
			stores[count++] = found;
	}
	return count;
}

/* ---- instructions ------------------------------------------------------------------- */

static uint64_t site_address(const struct dependences_site *site)
{
	return takt_trace_insn_address(site->block, site->insn);
}

/*
 * Return the number of an instruction; UINT32_MAX if there are too many. Blocks may overlap, so
 * that an instruction is in several of them.
 */
static uint32_t find_site(struct trace_dependences *all, const struct trace_block *block,
			  uint32_t insn)
{
	struct dependences_site site = {block, insn};
	uint64_t address = site_address(&site);
	uint64_t key = block->file ? (uint64_t)block->file << 40 ^
					     (block->file_offset + (address - block->address) + 1)
				   : (uint64_t)1 << 63 | address;
	struct dependences_entry *entry = takt_map_get(&all->numbers, key);

	if (!entry || (!entry->site && all->site_count >= DEPENDENCES_SITES_MAX))
		return UINT32_MAX;
	if (!entry->site) {
		TAKT_GROW(all->sites, all->site_count + 1, all->site_capacity);
		all->sites[all->site_count++] = site;
		entry->site = all->site_count;
	}
	return (uint32_t)entry->site - 1;
}

/* Return the number of an instruction of a block, which is looked up at its first access only. */
static uint32_t site_of(struct trace_dependences *all, const struct trace_block *block,
			uint32_t insn)
{
	if (block->number >= all->block_capacity)
		TAKT_GROW_ZEROED(all->block_sites, block->number + 1, all->block_capacity);
	if (!all->block_sites[block->number])
		all->block_sites[block->number] =
			takt_xcalloc(block->insn_count, sizeof(**all->block_sites));
	if (!all->block_sites[block->number][insn])
		all->block_sites[block->number][insn] = find_site(all, block, insn) + 1;
	return all->block_sites[block->number][insn] - 1;
}

/* ---- distances ---------------------------------------------------------------------- */

static void note_store(struct dependences_thread *thread, uint32_t site, uint64_t time)
{
	struct recent *recent = takt_map_get(&thread->recent, (uint64_t)site + 1);

	/* An instruction may have several accesses. */
	if (recent &&
	    (!recent->count || recent->times[(recent->count - 1) % DEPENDENCES_RECENT] != time))
		recent->times[recent->count++ % DEPENDENCES_RECENT] = time;
}

/*
 * Return how often the store ran again before the load, and one more if the load is at a lower
 * address or the same: an iteration then has the load before the store. Return ROW_FAR if that is
 * not known, and for different functions, which have no loop in common.
 */
static uint32_t find_distance(const struct trace_dependences *all,
			      struct dependences_thread *thread, uint32_t store_site,
			      uint32_t load_site, uint64_t store_time)
{
	const struct dependences_site *from = &all->sites[store_site], *to = &all->sites[load_site];
	const struct recent *recent = takt_map_find(&thread->recent, (uint64_t)store_site + 1);
	uint32_t distance = 0;

	if (from->block->function != to->block->function ||
	    (!from->block->function && from->block != to->block))
		return ROW_FAR;
	while (recent && distance < DEPENDENCES_RECENT && distance < recent->count &&
	       recent->times[(recent->count - 1 - distance) % DEPENDENCES_RECENT] > store_time)
		distance++;
	if (site_address(to) <= site_address(from))
		distance++;
	return distance < DEPENDENCES_RECENT ? distance : ROW_FAR;
}

static void add(struct trace_dependences *all, struct dependences_thread *thread, uint64_t store,
		uint32_t site, uint64_t time, bool whole)
{
	uint32_t from = (uint32_t)(store >> TIME_BITS) - 1;
	uint32_t distance = find_distance(all, thread, from, site, store & TIME_MASK);
	uint64_t insns = (time - (store & TIME_MASK)) & TIME_MASK;
	struct row *row = takt_map_get(&all->rows, (uint64_t)(from + 1) << 32 |
							   (uint64_t)(site + 1) << 8 | distance);

	if (!row) {
		all->left_out++;
		return;
	}
	if (!row->count || insns < row->least_insns)
		row->least_insns = insns;
	row->count++;
	row->whole += whole;
	row->sum_insns += insns;
}

static void load(struct trace_dependences *all, struct dependences_thread *thread, uint64_t record,
		 uint32_t site, uint64_t time)
{
	uint64_t stores[LOAD_BYTES_MAX];
	uint32_t count = find_stores(all, thread, trace_value(record), trace_size(record), stores);
	bool fed = false;

	for (uint32_t i = 0; i < count; i++) {
		bool again = false;

		for (uint32_t k = 0; k < i; k++)
			again = again || stores[k] == stores[i];
		if (!stores[i] || again)
			continue;
		add(all, thread, stores[i], site, time, count == 1);
		fed = true;
	}
	all->loads++;
	all->fed_loads += fed;
}

/* ---- the sink ----------------------------------------------------------------------- */

static struct dependences_thread *find_thread(struct trace_dependences *all, uint32_t number)
{
	if (number >= all->thread_capacity)
		TAKT_GROW_ZEROED(all->threads, number + 1, all->thread_capacity);
	if (!all->threads[number]) {
		struct dependences_thread *thread = takt_xcalloc(1, sizeof(*thread));

		takt_map_init(&thread->pages, sizeof(struct page_entry), DEPENDENCES_PAGES_MAX);
		takt_map_init(&thread->recent, sizeof(struct recent), DEPENDENCES_SITES_MAX);
		all->threads[number] = thread;
	}
	return all->threads[number];
}

static void executed(struct trace_sink *sink, uint32_t number, const struct executed_block *run)
{
	struct trace_dependences *all = (struct trace_dependences *)sink;
	struct dependences_thread *thread = find_thread(all, number);

	for (uint32_t i = 0; i < run->access_count; i++) {
		uint64_t record = run->accesses[i], time;
		uint32_t insn = trace_insn(record), site;

		if (insn >= run->block->insn_count || !trace_size(record))
			continue;
		site = site_of(all, run->block, insn);
		time = (thread->time + insn) & TIME_MASK;
		if (site == UINT32_MAX) {
			all->left_out++;
		} else if (trace_is_store(record)) {
			store(all, thread, trace_value(record), trace_size(record),
			      (uint64_t)(site + 1) << TIME_BITS | time);
			note_store(thread, site, time);
		} else {
			load(all, thread, record, site, time);
		}
	}
	thread->time += run->insn_count;
	if (all->next->executed)
		all->next->executed(all->next, number, run);
}

static void syscall_made(struct trace_sink *sink, uint32_t thread, uint64_t number)
{
	struct trace_dependences *all = (struct trace_dependences *)sink;

	if (all->next->syscall)
		all->next->syscall(all->next, thread, number);
}

static void thread_start(struct trace_sink *sink, uint32_t thread)
{
	struct trace_dependences *all = (struct trace_dependences *)sink;

	if (all->next->thread_start)
		all->next->thread_start(all->next, thread);
}

static void release_thread(struct trace_dependences *all, uint32_t number)
{
	struct dependences_thread *thread =
		number < all->thread_capacity ? all->threads[number] : NULL;

	if (!thread)
		return;
	for (struct page_entry *entry = NULL; (entry = takt_map_next(&thread->pages, entry));) {
		free(entry->page->bytes);
		free(entry->page);
		all->page_count--;
	}
	takt_map_release(&thread->pages);
	takt_map_release(&thread->recent);
	free(thread);
	all->threads[number] = NULL;
}

static void thread_end(struct trace_sink *sink, uint32_t thread)
{
	struct trace_dependences *all = (struct trace_dependences *)sink;

	release_thread(all, thread);
	if (all->next->thread_end)
		all->next->thread_end(all->next, thread);
}

void takt_trace_dependences_init(struct trace_dependences *dependences, struct trace_sink *next)
{
	*dependences = (struct trace_dependences){
		.sink = {executed, syscall_made, thread_start, thread_end},
		.next = next,
		.pages_max = DEPENDENCES_PAGES_MAX};
	takt_map_init(&dependences->numbers, sizeof(struct dependences_entry),
		      DEPENDENCES_SITES_MAX);
	takt_map_init(&dependences->rows, sizeof(struct row), DEPENDENCES_ROWS_MAX);
}

void takt_trace_dependences_release(struct trace_dependences *dependences)
{
	if (!dependences->next)
		return;
	for (uint32_t i = 0; i < dependences->thread_capacity; i++)
		release_thread(dependences, i);
	free(dependences->threads);
	for (uint32_t i = 0; i < dependences->block_capacity; i++)
		free(dependences->block_sites[i]);
	free(dependences->block_sites);
	takt_map_release(&dependences->numbers);
	free(dependences->sites);
	takt_map_release(&dependences->rows);
}

/* ---- the result --------------------------------------------------------------------- */

struct result {
	struct takt_trace_dependences dependences; /* first, so that it is one */
	struct takt_arena arena;
};

static void fill_place(const struct dependences_site *site,
		       const struct trace_dictionary *dictionary, struct takt_arena *arena,
		       struct takt_trace_place *place)
{
	const struct trace_block *block = site->block;
	const struct trace_function *function = &dictionary->functions[block->function];
	uint64_t address = takt_trace_insn_address(block, site->insn);
	uint64_t file_offset = block->file_offset + (address - block->address);

	*place = (struct takt_trace_place){.address = address, .offset = address};
	if (block->function && block->file == function->file) {
		const char *name = takt_demangle(function->name, arena);

		place->function = takt_arena_string(arena, name);
		place->offset = file_offset - function->file_offset;
	}
	if (block->file) {
		const char *path = dictionary->files[block->file].path;

		place->binary = takt_arena_string(arena, path);
	}
	for (uint32_t i = 0; i < block->line_count && block->lines[i].insn <= site->insn; i++)
		if (i + 1 == block->line_count || block->lines[i + 1].insn > site->insn) {
			place->line = block->lines[i].line;
			place->file = block->lines[i].file
					      ? takt_arena_string(arena, block->lines[i].file)
					      : NULL;
		}
}

TAKT_ORDER(compare, struct takt_trace_dependence, TAKT_DOWN(count), TAKT_UP(store.address),
	   TAKT_UP(load.address), TAKT_UP(iterations));

const struct takt_trace_dependences *
takt_trace_dependences_finish(struct trace_dependences *all,
			      const struct trace_dictionary *dictionary)
{
	struct result *result = takt_xcalloc(1, sizeof(*result));
	struct takt_trace_dependence *rows;
	uint32_t count = 0;

	rows = TAKT_NEW_ARRAY(&result->arena, all->rows.count, struct takt_trace_dependence);
	for (struct row *row = NULL; (row = takt_map_next(&all->rows, row));) {
		struct takt_trace_dependence *made = &rows[count++];
		uint32_t distance = row->key & 0xff;

		fill_place(&all->sites[(row->key >> 32) - 1], dictionary, &result->arena,
			   &made->store);
		fill_place(&all->sites[(row->key >> 8 & 0xffffff) - 1], dictionary, &result->arena,
			   &made->load);
		made->is_loop = distance != ROW_FAR;
		made->iterations = made->is_loop ? distance : 0;
		made->count = row->count;
		made->whole = row->whole;
		made->least_insns = row->least_insns;
		made->mean_insns = (double)row->sum_insns / (double)row->count;
	}
	if (count)
		qsort(rows, count, sizeof(*rows), compare);
	result->dependences = (struct takt_trace_dependences){.rows = rows,
							      .row_count = count,
							      .loads = all->loads,
							      .fed_loads = all->fed_loads,
							      .left_out = all->left_out};
	return &result->dependences;
}

void takt_trace_dependences_free(const struct takt_trace_dependences *dependences)
{
	TAKT_FREE_OWNER(struct result, dependences);
}
