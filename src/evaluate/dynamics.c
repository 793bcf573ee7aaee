/* SPDX-License-Identifier: MIT */
/*
 * Finds, in the log of a kernel's run, which instruction read what another wrote and how many
 * instructions before (depsim: CesASMe, section 4), how many accesses a first-level cache misses,
 * and the addresses of one execution of each block.
 */
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "evaluate/evaluate.h"
#include "trace/trace.h"

#define GRANULE_BYTES 8u
/* The smallest first-level cache of today's cores; beyond it, every access is taken to hit. */
#define L1_BYTES 32768u
#define L1_WAYS 8u

/* The eight bytes at a multiple of eight, with the last writer of each byte and its time. */
struct granule {
	uint64_t number; /* 1 + address / 8 */
	uint64_t when[GRANULE_BYTES];
	/* 1 + offset of the instruction that wrote each byte (struct takt_flow_block); 0: none. */
	uint32_t writers[GRANULE_BYTES];
};

struct dependence {
	uint64_t key; /* 1 + writer << 32 + reader */
	struct evaluate_dependence found;
};

struct observer {
	struct trace_sink sink; /* first member, so that the sink can be cast to the observer */
	struct trace_dictionary dictionary;
	const char *file; /* name of the library, without its directory */
	const struct takt_flow_counts *graph;
	const struct takt_nest_loop *loops;
	uint64_t *executions; /* so far, by block */
	uint32_t *nest;	      /* by block: index of the outermost loop around it; 0: none */
	bool *armed;	      /* by loop: true while blocks in it are to be sampled */
	bool *taken;	      /* by block: true if it was sampled */
	uint32_t sampled;     /* block whose accesses are being sampled, or UINT32_MAX */
	uint64_t now;	      /* time, in instructions of the kernel */
	/* Time at which `running` began, or the first of its consecutive executions. */
	uint64_t run_began;
	uint32_t running; /* index of the block that runs */
	struct takt_map granules, dependences;
	struct cache_hierarchy *cache;
	struct evaluate_dynamics *result;
};

/* ---- tables ---- */

static void add_dependence(struct observer *observer, uint32_t writer, uint32_t reader,
			   uint64_t age)
{
	static const uint64_t lifetimes[EVALUATE_LIFETIMES] = {UINT64_MAX, 1024, 512, 512};
	struct dependence *entry =
		takt_map_get(&observer->dependences, 1 + ((uint64_t)writer << 32 | reader));
	struct evaluate_dependence *found = &entry->found;

	found->writer = writer;
	found->reader = reader;
	for (size_t i = 0; i < EVALUATE_LIFETIMES; i++)
		found->counts[i] +=
			age <= lifetimes[i] &&
			(i != EVALUATE_OWN || observer->now - age >= observer->run_began);
}

/* ---- accesses ---- */

static void note_store(struct observer *observer, uint64_t address, uint32_t size, uint32_t insn)
{
	for (uint64_t at = address; at < address + size; at++) {
		struct granule *granule = takt_map_get(&observer->granules, 1 + at / GRANULE_BYTES);

		granule->writers[at % GRANULE_BYTES] = 1 + insn;
		granule->when[at % GRANULE_BYTES] = observer->now;
	}
}

/* Add a dependence on each instruction that last wrote some of the bytes, once for each. */
static void note_load(struct observer *observer, uint64_t address, uint32_t size, uint32_t insn)
{
	uint32_t last = 0;

	for (uint64_t at = address; at < address + size; at++) {
		const struct granule *granule =
			takt_map_find(&observer->granules, 1 + at / GRANULE_BYTES);
		uint32_t writer = granule ? granule->writers[at % GRANULE_BYTES] : 0;

		if (!writer || writer == last)
			continue;
		last = writer;
		add_dependence(observer, writer - 1, insn,
			       observer->now - granule->when[at % GRANULE_BYTES]);
	}
}

/* Access the cache; accesses and misses count only in the last call, when it is warm. */
static void note_line(struct observer *observer, uint64_t address, uint32_t size, bool store)
{
	struct cache_result found;

	takt_cache_access(observer->cache, store ? CACHE_STORE : CACHE_LOAD, address, size, &found);
	if (observer->result->calls < EVALUATE_CALLS)
		return;
	observer->result->accesses++;
	observer->result->misses += found.level > 0;
}

static void note_sample(struct observer *observer, uint64_t address, uint32_t insn, bool store)
{
	struct evaluate_sample *sample = &observer->result->samples[observer->sampled];

	if (sample->access_count == EVALUATE_SAMPLE_ACCESSES)
		return;
	sample->accesses[sample->access_count++] = (struct evaluate_access){address, insn, store};
}

/* ---- executed blocks ---- */

static bool is_kernel(const struct observer *observer, const struct trace_block *block)
{
	const struct trace_dictionary *dictionary = &observer->dictionary;
	const struct trace_function *function;
	const char *path;

	if (!block->function)
		return false;
	function = &dictionary->functions[block->function];
	if (function->made_up || !function->name || strcmp(function->name, "kernel") != 0)
		return false;
	path = dictionary->files[function->file].path;
	return path && strrchr(path, '/') && strcmp(strrchr(path, '/') + 1, observer->file) == 0;
}

/*
 * Start sampling, if this execution of the block is the one to start at. All blocks of a loop nest
 * are sampled in the same iteration of its outermost loop, each when it first runs there, so that
 * their register values belong together. The iteration begins the last quarter of the last call:
 * it is not among the first, nor, if there are many, among the last.
 */
static void arm(struct observer *observer, uint32_t block)
{
	uint64_t all = observer->graph->blocks[block].executions;
	uint32_t nest = observer->nest[block];

	if (observer->executions[block] < all - all / 4 / EVALUATE_CALLS)
		return;
	if (!nest || observer->loops[nest].head == block)
		observer->armed[nest] = true;
}

/* Note that a block begins, if one begins at this instruction. */
static void begin_block(struct observer *observer, uint64_t offset)
{
	const struct takt_flow_counts *graph = observer->graph;
	uint32_t block = takt_graph_block_at(graph, offset);

	if (graph->blocks[block].offset != offset)
		return;
	observer->executions[block]++;
	if (observer->running != block)
		observer->run_began = observer->now;
	observer->running = block;
	arm(observer, block);
	observer->sampled = UINT32_MAX;
	if (!observer->taken[block] && observer->armed[observer->nest[block]]) {
		observer->taken[block] = true;
		observer->sampled = block;
	}
	if (offset == observer->result->entry)
		observer->result->calls++;
}

static void note_access(struct observer *observer, uint64_t record, uint32_t offset)
{
	uint64_t address = (uint64_t)((int64_t)(record << 16) >> 16);
	uint32_t size = trace_size(record);
	bool store = trace_is_store(record);

	if (observer->sampled != UINT32_MAX)
		note_sample(observer, address, offset, store);
	note_line(observer, address, size, store);
	if (store)
		note_store(observer, address, size, offset);
	else
		note_load(observer, address, size, offset);
}

static void on_executed(struct trace_sink *sink, uint32_t thread,
			const struct executed_block *executed)
{
	struct observer *observer = (struct observer *)sink;
	const struct trace_block *block = executed->block;
	uint32_t next = 0, offset;

	(void)thread;
	if (!is_kernel(observer, block))
		return;
	offset = (uint32_t)(block->file_offset -
			    observer->dictionary.functions[block->function].file_offset +
			    observer->result->page_offset);
	for (uint32_t i = 0; i < executed->insn_count; i++) {
		begin_block(observer, offset);
		for (; next < executed->access_count && trace_insn(executed->accesses[next]) == i;
		     next++)
			note_access(observer, executed->accesses[next], offset);
		offset += block->lengths[i];
		observer->now++;
	}
}

/* ---- the run ---- */

static struct cache_hierarchy *new_cache(void)
{
	const struct cache_level level = {L1_BYTES, L1_WAYS, TAKT_LINE_BYTES};
	const struct cache_shape shape = {.l1i = level, .l1d = level, .page_bytes = 4096};

	return takt_cache_new(&shape);
}

static void find_nests(struct observer *observer, struct takt_arena *arena)
{
	size_t count, blocks = observer->graph->block_count;

	observer->loops = takt_nest_find_loops(observer->graph, arena, &count);
	observer->executions = TAKT_NEW_ARRAY(arena, blocks, uint64_t);
	observer->nest = TAKT_NEW_ARRAY(arena, blocks, uint32_t);
	observer->taken = TAKT_NEW_ARRAY(arena, blocks, bool);
	observer->armed = TAKT_NEW_ARRAY(arena, count, bool);
	for (uint32_t i = 1; i < count; i++)
		for (size_t k = 0; k < blocks && observer->loops[i].around == 0; k++)
			if (observer->loops[i].inside[k])
				observer->nest[k] = i;
}

static void take_dependences(struct observer *observer, struct takt_arena *arena)
{
	struct evaluate_dynamics *result = observer->result;
	const struct dependence *sorted = takt_map_sort(&observer->dependences);
	struct evaluate_dependence *list =
		TAKT_NEW_ARRAY(arena, observer->dependences.count, struct evaluate_dependence);

	for (size_t i = 0; i < observer->dependences.count; i++)
		list[result->dependence_count++] = sorted[i].found;
	result->dependences = list;
}

enum takt_status takt_dynamics_read(const char *log, const char *library,
				    const struct takt_flow_counts *graph, struct takt_arena *arena,
				    struct takt_diag *diag, struct evaluate_dynamics *result)
{
	struct observer observer = {
		.sink = {.executed = on_executed},
		.file = strrchr(library, '/') + 1,
		.graph = graph,
		.sampled = UINT32_MAX,
		.running = UINT32_MAX,
		.cache = new_cache(),
		.result = result,
	};
	struct trace_log_target target = {.dictionary = &observer.dictionary,
					  .sink = &observer.sink};
	struct takt_trace_totals totals = {0};
	struct takt_file file;
	enum takt_status status = takt_file_open_large(log, diag, &file);

	takt_map_init(&observer.granules, sizeof(struct granule), SIZE_MAX);
	takt_map_init(&observer.dependences, sizeof(struct dependence), SIZE_MAX);
	find_nests(&observer, arena);
	result->samples = TAKT_NEW_ARRAY(arena, graph->block_count, struct evaluate_sample);
	if (status == TAKT_OK) {
		status = takt_trace_log_read(file.data, file.size_bytes, log, &target, diag,
					     &totals);
		takt_trace_dictionary_release(&observer.dictionary);
		takt_file_close(&file);
	}
	if (status == TAKT_OK)
		take_dependences(&observer, arena);
	takt_map_release(&observer.granules);
	takt_map_release(&observer.dependences);
	free(observer.cache);
	return status;
}
