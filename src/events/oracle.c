/* SPDX-License-Identifier: MIT */
/* The trace sink that counts what instructions do. */
#include <stdlib.h>

#include "events/oracle.h"

struct oracle_thread {
	struct oracle_counts counts; /* counts that do not include those of `runs` */
	uint64_t *runs;		     /* complete runs of each block since the last fold */
	uint32_t run_capacity;
	uint32_t *ran; /* blocks whose runs are not 0 */
	uint32_t ran_count, ran_capacity;
	struct cache_hierarchy *cache; /* NULL: not modelled */
	struct branch_predictor *predictor;
};

/* Numbers of the system calls that the oracle knows. */
struct oracle_syscalls {
	const char *guest;
	uint16_t clone, clone3, fork, vfork, futex;
};

static const struct oracle_syscalls syscall_rows[] = {
	{"x86-64", 56, 435, 57, 58, 202},
	{"aarch64", 220, 435, 220, 220, 98},
	{"riscv64", 220, 435, 220, 220, 98},
};

struct oracle {
	struct trace_sink sink;	 /* first, so that a pointer to it is one to the whole */
	struct trace_sink *next; /* sink that gets the trace next, or NULL */
	struct oracle_options options;
	const struct takt_isa *isa;
	const struct oracle_syscalls *syscalls;
	struct cache_shape shape;
	bool caches;
	struct oracle_facts **facts; /* facts by number of the block */
	uint32_t facts_capacity;
	struct oracle_thread **threads;
	struct oracle_counts **results; /* results by thread */
	uint32_t thread_count, thread_capacity, result_capacity;
	struct oracle_regions regions;
	bool shares;			  /* the first thread has created others */
	struct oracle_lines *lines;	  /* NULL: not wanted */
	struct oracle_heap *heap;	  /* NULL: not wanted */
	struct oracle_accesses *accesses; /* NULL: neither lines nor strides are wanted */
	uint64_t undecoded;
	uint64_t *records; /* accesses of a block with corrected sizes */
	uint32_t record_capacity;
};

/* ---- facts about blocks ---- */

static struct oracle_facts *new_facts(struct oracle *oracle, const struct trace_block *block)
{
	TAKT_GROW_ZEROED(oracle->facts, block->number + 1, oracle->facts_capacity);
	oracle->facts[block->number] = takt_xcalloc(1, sizeof(**oracle->facts));
	oracle_facts_make(oracle->isa, block, oracle->facts[block->number]);
	return oracle->facts[block->number];
}

static inline struct oracle_facts *facts_of(struct oracle *oracle, const struct trace_block *block)
{
	if (block->number < oracle->facts_capacity && oracle->facts[block->number])
		return oracle->facts[block->number];
	return new_facts(oracle, block);
}

/* ---- runs of blocks, and counts made of them ---- */

static void note_first_run(struct oracle_thread *thread, uint32_t number)
{
	TAKT_GROW(thread->ran, thread->ran_count + 1, thread->ran_capacity);
	thread->ran[thread->ran_count++] = number;
}

static inline void note_run(struct oracle_thread *thread, uint32_t number)
{
	TAKT_GROW_ZEROED(thread->runs, number + 1, thread->run_capacity);
	if (!thread->runs[number]++)
		note_first_run(thread, number);
}

static uint64_t data_misses(const struct cache_counts *counts, unsigned level)
{
	return counts->misses[CACHE_LOAD][level] + counts->misses[CACHE_STORE][level];
}

static void fold_models(struct oracle_thread *thread)
{
	struct oracle_counts *counts = &thread->counts;
	const struct cache_counts *cache;

	if (!thread->cache)
		return;
	cache = takt_cache_counts(thread->cache);
	counts->l1_in = data_misses(cache, 0);
	counts->l1_out = cache->write_backs[0];
	counts->l2_in = data_misses(cache, 1);
	counts->l2_out = cache->write_backs[1];
	counts->l3_in = data_misses(cache, 2);
	counts->l3_out = cache->write_backs[2] + cache->non_temporal_lines;
	counts->nt_lines = cache->non_temporal_lines;
	counts->tlb_walks = cache->page_walks[CACHE_LOAD] + cache->page_walks[CACHE_STORE];
}

static void fold(struct oracle *oracle, uint32_t number)
{
	struct oracle_thread *thread = oracle->threads[number];

	for (uint32_t i = 0; i < thread->ran_count; i++) {
		struct oracle_facts *facts = oracle->facts[thread->ran[i]];
		uint64_t runs = thread->runs[thread->ran[i]];

		oracle_counts_add(&thread->counts, &facts->counts, runs);
		facts->runs += runs;
		if (number < ORACLE_BLOCK_THREADS)
			facts->runs_of[number] += runs;
		oracle->undecoded += runs * facts->undecoded;
		thread->runs[thread->ran[i]] = 0;
	}
	thread->ran_count = 0;
	fold_models(thread);
}

/* ---- executed blocks ---- */

static void count_bytes(struct oracle_counts *counts, const struct executed_block *executed)
{
	for (uint32_t i = 0; i < executed->access_count; i++) {
		uint64_t store = trace_is_store(executed->accesses[i]);
		uint64_t size = trace_size(executed->accesses[i]);

		counts->store_bytes += size & -store;
		counts->load_bytes += size & (store - 1);
	}
}

/* Count the loads and stores of a string instruction, one per element. */
static void count_elements(struct oracle_counts *counts, const struct executed_block *executed)
{
	uint32_t last = executed->block->insn_count - 1u;

	for (uint32_t i = 0; i < executed->access_count; i++) {
		uint64_t store = trace_is_store(executed->accesses[i]);

		if (trace_insn(executed->accesses[i]) != last)
			continue;
		counts->stores += store;
		counts->loads += 1 - store;
	}
}

static void model_accesses(struct oracle_thread *thread, const struct oracle_facts *facts,
			   const struct executed_block *executed)
{
	struct cache_result result;

	for (uint32_t i = 0; i < executed->access_count; i++)
		oracle_model_access(thread->cache, facts, executed->accesses[i], &result);
}

static void model_branch(struct oracle_thread *thread, struct oracle_facts *facts,
			 const struct executed_block *executed)
{
	const struct trace_block *from = executed->block;
	const struct branch branch = {
		.address = from->end - from->lengths[from->insn_count - 1],
		.end = from->end,
		.next = executed->next_address,
		.kind = facts->branch_kind,
		.taken = executed->next_address != from->end,
	};
	uint32_t late_cycles;

	if (!executed->next_address || executed->diverted ||
	    takt_branch_next(thread->predictor, &branch, &late_cycles) != BRANCH_MISSED)
		return;
	thread->counts.missed++;
	facts->missed++;
}

/*
 * Return the block with the sizes of its accesses corrected to those that the instructions specify.
 */
static struct executed_block with_sizes(struct oracle *oracle, const struct oracle_facts *facts,
					const struct executed_block *executed)
{
	struct executed_block right = *executed;

	TAKT_GROW(oracle->records, executed->access_count, oracle->record_capacity);
	for (uint32_t i = 0; i < executed->access_count; i++) {
		uint64_t record = executed->accesses[i];
		uint32_t size = facts->sizes[trace_insn(record)];

		/* Sizes of 1 to 16 bytes are coded as their binary logarithms. */
		if (size && size < trace_size(record))
			record = (record & ~((uint64_t)15 << TRACE_SIZE_SHIFT)) |
				 (uint64_t)__builtin_ctz(size) << TRACE_SIZE_SHIFT;
		oracle->records[i] = record;
	}
	right.accesses = oracle->records;
	return right;
}

static void count_executed(struct trace_sink *sink, uint32_t number,
			   const struct executed_block *executed)
{
	struct oracle *oracle = (struct oracle *)sink;
	struct oracle_thread *thread = oracle->threads[number];
	const struct trace_block *block = executed->block;
	struct oracle_facts *facts = facts_of(oracle, block);
	struct executed_block right;

	if (oracle->next)
		oracle->next->executed(oracle->next, number, executed);
	if (oracle->heap)
		oracle_heap_execute(oracle->heap, number, executed);
	if (facts->sizes && executed->access_count) {
		right = with_sizes(oracle, facts, executed);
		executed = &right;
	}
	if (executed->insn_count == block->insn_count && !executed->continues)
		note_run(thread, block->number);
	else
		oracle->undecoded += oracle_facts_add(oracle->isa, block, executed->continues,
						      executed->insn_count, &thread->counts);
	thread->counts.taken += executed->outcome == TRACE_TAKEN;
	count_bytes(&thread->counts, executed);
	if (block->repeats)
		count_elements(&thread->counts, executed);
	if (oracle->accesses)
		oracle_accesses_execute(oracle->accesses, number, thread->cache, facts, executed);
	else if (thread->cache)
		model_accesses(thread, facts, executed);
	if (thread->predictor && facts->branches)
		model_branch(thread, facts, executed);
}

static bool makes_thread(const struct oracle_syscalls *syscalls, uint64_t number)
{
	return number == syscalls->clone || number == syscalls->clone3 ||
	       number == syscalls->fork || number == syscalls->vfork;
}

static void begin_sharing(struct oracle *oracle)
{
	oracle->shares = true;
	fold(oracle, 0);
	for (uint32_t i = 0; i < oracle->facts_capacity; i++)
		if (oracle->facts[i])
			oracle->facts[i]->alone = oracle->facts[i]->runs_of[0];
	if (!oracle->lines)
		return;
	oracle_accesses_flush(oracle->accesses, 0);
	oracle_lines_begin_sharing(oracle->lines);
}

static void count_syscall(struct trace_sink *sink, uint32_t number, uint64_t syscall)
{
	struct oracle *oracle = (struct oracle *)sink;
	struct oracle_thread *thread = oracle->threads[number];

	if (oracle->next)
		oracle->next->syscall(oracle->next, number, syscall);
	if (oracle_regions_is_marker(syscall)) {
		fold(oracle, number);
		oracle_regions_mark(&oracle->regions, number, syscall, &thread->counts);
		return;
	}
	thread->counts.syscalls++;
	thread->counts.futexes += syscall == oracle->syscalls->futex;
	if (number == 0 && !oracle->shares && makes_thread(oracle->syscalls, syscall))
		begin_sharing(oracle);
}

/* ---- threads ---- */

static void reserve_threads(struct oracle *oracle, uint32_t number)
{
	TAKT_GROW(oracle->threads, number + 1, oracle->thread_capacity);
	TAKT_GROW(oracle->results, number + 1, oracle->result_capacity);
	for (; oracle->thread_count <= number; oracle->thread_count++) {
		oracle->threads[oracle->thread_count] = NULL;
		oracle->results[oracle->thread_count] = takt_xcalloc(1, sizeof(**oracle->results));
	}
}

static void start_thread(struct trace_sink *sink, uint32_t number)
{
	struct oracle *oracle = (struct oracle *)sink;
	struct oracle_thread *thread = takt_xcalloc(1, sizeof(*thread));

	if (oracle->next)
		oracle->next->thread_start(oracle->next, number);
	reserve_threads(oracle, number);
	oracle->threads[number] = thread;
	if (oracle->caches)
		thread->cache = takt_cache_new(&oracle->shape);
	if (oracle->options.model)
		thread->predictor = takt_branch_new(takt_model_params(oracle->options.model));
}

static void free_thread(struct oracle_thread *thread)
{
	free(thread->runs);
	free(thread->ran);
	free(thread->cache);
	free(thread->predictor);
	free(thread);
}

static void close_thread(struct oracle *oracle, uint32_t number)
{
	struct oracle_thread *thread = oracle->threads[number];

	if (!thread)
		return;
	fold(oracle, number);
	oracle_regions_end_thread(&oracle->regions, number, &thread->counts);
	*oracle->results[number] = thread->counts;
	if (oracle->accesses)
		oracle_accesses_end_thread(oracle->accesses, number);
	free_thread(thread);
	oracle->threads[number] = NULL;
}

static void end_thread(struct trace_sink *sink, uint32_t number)
{
	struct oracle *oracle = (struct oracle *)sink;

	close_thread(oracle, number);
	if (oracle->next && oracle->next->thread_end)
		oracle->next->thread_end(oracle->next, number);
}

/* ---- all of it ---- */

static const struct oracle_syscalls *syscalls_of(const struct trace_guest *guest)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(syscall_rows); i++)
		if (strcmp(syscall_rows[i].guest, guest->name) == 0)
			return &syscall_rows[i];
	return &syscall_rows[0];
}

struct oracle *takt_oracle_new(const struct trace_dictionary *dictionary,
			       const struct takt_isa *isa, const struct oracle_options *options,
			       struct trace_sink *next)
{
	struct oracle *oracle = takt_xcalloc(1, sizeof(*oracle));

	oracle->sink = (struct trace_sink){count_executed, count_syscall, start_thread, end_thread};
	oracle->next = next;
	oracle->options = *options;
	oracle->isa = isa;
	oracle->syscalls = syscalls_of(dictionary->guest);
	oracle->caches = options->model && takt_cache_shape(options->model, &oracle->shape) &&
			 takt_cache_shape_is_possible(&oracle->shape);
	/* Prefetchers change only when lines arrive, which is not counted. */
	oracle->shape.next_line_prefetch = oracle->shape.stride_prefetch = false;
	if (options->lines)
		oracle->lines = oracle_lines_new();
	if (options->heap)
		oracle->heap = oracle_heap_new(dictionary);
	if (options->lines || options->strides)
		oracle->accesses = oracle_accesses_new(oracle->lines, options->strides);
	return oracle;
}

static void free_facts(struct oracle_facts *facts)
{
	free(facts->accesses);
	free(facts->sizes);
	free(facts->non_temporal);
	free(facts);
}

void takt_oracle_free(struct oracle *oracle)
{
	if (!oracle)
		return;
	for (uint32_t i = 0; i < oracle->thread_count; i++) {
		if (oracle->threads[i])
			free_thread(oracle->threads[i]);
		free(oracle->results[i]);
	}
	for (uint32_t i = 0; i < oracle->facts_capacity; i++)
		if (oracle->facts[i])
			free_facts(oracle->facts[i]);
	free(oracle->threads);
	free(oracle->results);
	free(oracle->facts);
	free(oracle->records);
	oracle_regions_release(&oracle->regions);
	oracle_accesses_free(oracle->accesses);
	oracle_lines_free(oracle->lines);
	oracle_heap_free(oracle->heap);
	free(oracle);
}

struct trace_sink *takt_oracle_sink(struct oracle *oracle)
{
	return &oracle->sink;
}

void takt_oracle_finish(struct oracle *oracle)
{
	for (uint32_t i = 0; i < oracle->thread_count; i++)
		close_thread(oracle, i);
	if (oracle->accesses)
		oracle_accesses_finish(oracle->accesses);
	if (oracle->lines)
		oracle_lines_finish(oracle->lines, oracle->results);
	if (oracle->heap)
		oracle_heap_finish(oracle->heap);
}

uint32_t takt_oracle_thread_count(const struct oracle *oracle)
{
	return oracle->thread_count;
}

const struct oracle_counts *takt_oracle_thread(const struct oracle *oracle, uint32_t thread)
{
	return oracle->results[thread];
}

uint32_t takt_oracle_region_count(const struct oracle *oracle)
{
	return oracle->regions.count;
}

const char *takt_oracle_region_name(const struct oracle *oracle, uint32_t region)
{
	return oracle_regions_name(&oracle->regions, region);
}

const struct oracle_counts *takt_oracle_region(const struct oracle *oracle, uint32_t region,
					       uint32_t thread, uint64_t *ret_entries)
{
	return oracle_regions_counts(&oracle->regions, region, thread, ret_entries);
}

const struct oracle_access *takt_oracle_accesses(const struct oracle *oracle, size_t *ret_count)
{
	*ret_count = 0;
	return oracle->options.strides ? oracle_accesses_list(oracle->accesses, ret_count) : NULL;
}

const struct oracle_line *takt_oracle_lines(const struct oracle *oracle, size_t *ret_count)
{
	*ret_count = 0;
	return oracle->lines ? oracle_lines_list(oracle->lines, ret_count) : NULL;
}

bool takt_oracle_allocation(const struct oracle *oracle, uint64_t address,
			    struct oracle_allocation *ret_allocation)
{
	return oracle->heap && oracle_heap_find(oracle->heap, address, ret_allocation);
}

struct oracle_placement takt_oracle_placement(const struct oracle *oracle, uint32_t thread)
{
	const struct oracle_placement *placement =
		oracle->lines ? oracle_lines_placement(oracle->lines, thread) : NULL;

	return placement ? *placement : (struct oracle_placement){0};
}

bool takt_oracle_block(const struct oracle *oracle, uint32_t number, struct oracle_block *ret_block)
{
	const struct oracle_facts *facts =
		number < oracle->facts_capacity ? oracle->facts[number] : NULL;

	if (!facts)
		return false;
	*ret_block = (struct oracle_block){facts->runs_of, facts->alone, facts->runs, facts->missed,
					   facts->counts};
	return true;
}

uint64_t takt_oracle_left_out(const struct oracle *oracle)
{
	return oracle->lines ? oracle_lines_left_out(oracle->lines) : 0;
}

uint64_t takt_oracle_undecoded(const struct oracle *oracle)
{
	return oracle->undecoded;
}
