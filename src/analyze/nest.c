/* SPDX-License-Identifier: MIT */
/* Predicts a function from the paths through its loop nests. */
#include <math.h>
#include <stdlib.h>

#include "analyze/nest.h"

struct owner {
	struct takt_paths paths; /* first, so that pointers can be converted */
	struct takt_arena arena;
};

const char *takt_trips_word(enum takt_trips trips)
{
	static const char *const words[] = {
#define X(name, word) word,
		TAKT_TRIPS_LIST(X)
#undef X
	};

	return trips < TAKT_COUNT_OF(words) ? words[trips] : "";
}

static const char *find_trips(const struct takt_nest_run *run, uint64_t head)
{
	for (uint32_t i = 0; i < run->trip_count; i++)
		if (run->trips[i].head == head)
			return takt_trips_word(run->trips[i].trips);
	return "";
}

struct filling {
	const struct takt_nest_lines *lines;
	const struct takt_nest_function *function;
	const struct takt_nest_run *run;
	const struct takt_nest_loop *loops;
	struct takt_arena *arena;
};

static struct takt_path_loop make_loop(const struct filling *filling, uint32_t index)
{
	const struct takt_nest_loop *loop = &filling->loops[index];
	const struct takt_nest_function *function = filling->function;
	uint64_t offset = filling->run->counts.blocks[loop->head].offset;
	struct takt_source_line line = {.line = 0};
	struct takt_path_loop result = {
		.address = function->address + offset,
		.name = function->name,
		.entries = loop->entries,
		.iterations = (double)loop->iterations / (double)loop->entries,
		.trips = index ? find_trips(filling->run, offset) : "",
		.path_count = loop->path_count,
		.cycles = loop->cycles,
	};

	if (filling->lines)
		line = takt_code_line(filling->lines->code, filling->lines->region_index,
				      function->address + offset);
	result.file = line.file;
	result.line = line.line;
	if (index && offset)
		result.name = takt_arena_printf(filling->arena, "%s+0x%llx", function->name,
						(unsigned long long)offset);
	for (uint32_t at = index; at; at = filling->loops[at].around)
		result.depth++;
	if (!index && !filling->run->complete)
		result.cycles = NAN;
	return result;
}

/* Order loops by address, the function before a loop at its start. */
TAKT_ORDER(compare_loops, struct takt_path_loop, !b->depth - !a->depth, TAKT_UP(address));

static void fill(const struct filling *filling, size_t count, struct takt_paths *paths)
{
	struct takt_path_loop *loops = TAKT_NEW_ARRAY(filling->arena, count, struct takt_path_loop);

	for (uint32_t i = 0; i < count; i++)
		loops[i] = make_loop(filling, i);
	qsort(loops, count, sizeof(*loops), compare_loops);
	paths->function = filling->function->name;
	paths->loops = loops;
	paths->loop_count = (uint32_t)count;
	paths->complete = filling->run->complete;
}

static uint32_t index_of(const struct takt_paths *paths, uint64_t address)
{
	uint32_t i = 1;

	while (i < paths->loop_count && paths->loops[i].address != address)
		i++;
	return i < paths->loop_count ? i : 0;
}

/* Return the index of the loop around each of the sorted loops. */
static uint32_t *find_around(const struct filling *filling, const struct takt_paths *paths)
{
	uint32_t *around = TAKT_NEW_ARRAY(filling->arena, paths->loop_count, uint32_t);
	const struct takt_flow_block *blocks = filling->run->counts.blocks;
	uint64_t base = filling->function->address;

	for (uint32_t i = 1; i < paths->loop_count; i++) {
		const struct takt_nest_loop *loop = &filling->loops[i];
		const struct takt_nest_loop *outer = &filling->loops[loop->around];

		if (loop->around)
			around[index_of(paths, base + blocks[loop->head].offset)] =
				index_of(paths, base + blocks[outer->head].offset);
	}
	return around;
}

enum takt_status takt_nest_paths(const struct takt_nest_function *function,
				 struct takt_arena *arena, struct takt_arena *scratch,
				 struct takt_diag *diag, struct takt_paths *ret_paths,
				 const uint32_t **ret_around)
{
	struct takt_nest_run run;
	struct takt_nest_code nest;
	struct filling filling;
	size_t count;
	enum takt_status status = takt_nest_run(function, scratch, diag, &run);

	if (status != TAKT_OK)
		return status;
	nest = (struct takt_nest_code){.model = function->model,
				       .isa = function->block->isa,
				       .counts = run.counts,
				       .base = function->address,
				       .no_memory_dependences =
					       function->options->no_memory_dependences};
	filling = (struct filling){
		.lines = function->lines,
		.function = function,
		.run = &run,
		.loops = takt_nest_predict(&nest, scratch, &count),
		.arena = arena,
	};
	fill(&filling, count, ret_paths);
	if (ret_around)
		*ret_around = find_around(&filling, ret_paths);
	return TAKT_OK;
}

static enum takt_status predict(const struct takt_model *model, const struct takt_code *code,
				size_t region_index, const struct takt_paths_options *options,
				struct takt_diag *diag, struct owner *owner)
{
	const struct takt_region *region = takt_code_region(code, region_index);
	const struct takt_nest_lines lines = {code, region_index};
	const struct takt_analysis_options entry = {.entry_values = options->entry_values,
						    .entry_value_count =
							    options->entry_value_count};
	struct takt_prepared prepared = {.model = model};
	struct takt_arena scratch = {0};
	struct takt_nest_function function;
	enum takt_status status =
		takt_prepared_decode(&prepared, code, region_index, &scratch, diag);

	if (status == TAKT_OK)
		status = takt_prepared_read_entry_values(&prepared, &entry, &scratch, diag);
	function = (struct takt_nest_function){
		.name = takt_arena_string(&owner->arena, region->name),
		.block = &prepared.block,
		.address = region->address,
		.size_bytes = region->size_bytes,
		.model = model,
		.options = options,
		.lines = &lines,
		.entry_values = prepared.entry_values,
		.entry_value_count = prepared.entry_value_count,
	};
	if (status == TAKT_OK)
		status = takt_nest_paths(&function, &owner->arena, &scratch, diag, &owner->paths,
					 NULL);
	takt_arena_release(&scratch);
	owner->paths.arch = takt_arena_string(&owner->arena, takt_model_name(model));
	return status;
}

enum takt_status takt_predict_paths(const struct takt_model *model, const struct takt_code *code,
				    size_t region_index, const struct takt_paths_options *options,
				    struct takt_diag *diag, struct takt_paths **ret_paths)
{
	struct owner *owner = takt_xcalloc(1, sizeof(*owner));
	enum takt_status status = predict(model, code, region_index, options, diag, owner);

	if (status == TAKT_OK)
		*ret_paths = &owner->paths;
	else
		takt_paths_free(&owner->paths);
	return status;
}

void takt_paths_free(struct takt_paths *paths)
{
	TAKT_FREE_OWNER(struct owner, paths);
}
