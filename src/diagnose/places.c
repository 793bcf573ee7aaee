/* SPDX-License-Identifier: MIT */
/*
 * Assigns blocks to places. A backward branch within a function makes a loop of the code between; a
 * block belongs to the smallest loop around it.
 */
#include <stdlib.h>
#include <string.h>

#include "diagnose/diagnose.h"

TAKT_ORDER(compare_ranges, struct diagnose_place, TAKT_UP(begin), TAKT_DOWN(end));

/* Return the block with this address, or NULL. */
static const struct diagnose_block *block_at(const struct diagnose_seen *seen, uint64_t address)
{
	size_t at;

	TAKT_BISECT(at, seen->block_count, seen->blocks[at].address < address);
	return at < seen->block_count && seen->blocks[at].address == address ? &seen->blocks[at]
									     : NULL;
}

static bool closes_loop(const struct diagnose_seen *seen, const struct diagnose_block *block)
{
	const struct diagnose_block *target;

	if (!block->target || block->target >= block->end || !block->function)
		return false;
	target = block_at(seen, block->target);
	return target && target->function == block->function;
}

/* Find the loops, sorted by their start, each once, with the last of its ends. */
static uint32_t find_loops(const struct diagnose_seen *seen, struct diagnose_place *loops)
{
	uint32_t count = 0, kept = 0;

	for (uint32_t i = 0; i < seen->block_count; i++) {
		const struct diagnose_block *block = &seen->blocks[i];

		if (closes_loop(seen, block))
			loops[count++] = (struct diagnose_place){
				.begin = block->target,
				.end = block->end,
				.function = block->function,
				.loop = true,
				.source = block_at(seen, block->target)->source,
			};
	}
	if (count)
		qsort(loops, count, sizeof(*loops), compare_ranges);
	for (uint32_t i = 0; i < count; i++)
		if (!kept || loops[kept - 1].begin != loops[i].begin)
			loops[kept++] = loops[i];
	return kept;
}

/*
 * Return the smallest loop around an address; `count` if there is none. Loops nest in only a few
 * levels.
 */
static uint32_t loop_around(const struct diagnose_place *loops, uint32_t count, uint64_t address)
{
	uint32_t best = count, at;

	TAKT_BISECT(at, count, loops[at].begin <= address);
	for (uint32_t i = at; i-- > 0 && at - i < 1024;)
		if (address < loops[i].end &&
		    (best == count ||
		     loops[i].end - loops[i].begin < loops[best].end - loops[best].begin))
			best = i;
	return best;
}

/* ---- sums ---- */

static void add_block(struct diagnose_place *place, const struct diagnose_block *block)
{
	uint64_t *sum = (uint64_t *)&place->counts;
	const uint64_t *counts = (const uint64_t *)&block->counts;

	for (size_t i = 0; i < sizeof(place->counts) / sizeof(*sum); i++)
		sum[i] += counts[i] * block->runs;
	place->missed += block->missed;
	place->busy_cycles += block->busy_cycles * (double)block->runs;
	place->cycles += block->cycles;
	for (unsigned i = 0; i < TAKT_TRACE_LOSSES; i++)
		place->losses[i] += block->losses[i];
	sim_ports_vote(&place->busy_ports, &place->busy_port_cycles, block->busy_ports,
		       block->busy_port_cycles);
}

static uint64_t positive(int32_t number)
{
	return number > 0 ? (uint64_t)number : 0;
}

/* Return the cycles that the misses of an access take if nothing overlaps them. */
static uint64_t wait_cycles(const struct takt_core_params *params,
			    const struct oracle_access *access)
{
	const uint64_t *misses = access->misses;

	return (misses[0] - misses[1]) * positive(params->l2_extra_cycles) +
	       (misses[1] - misses[2]) * positive(params->l3_extra_cycles) +
	       misses[2] * positive(params->memory_extra_cycles);
}

static void add_access(struct diagnose_place *place, const struct takt_core_params *params,
		       const struct oracle_access *access)
{
	uint64_t strides = 0;

	for (unsigned i = 0; i < STRIDE_COUNT; i++)
		strides += access->strides[i];
	for (unsigned i = 0; i < STRIDE_COUNT; i++) {
		place->strides[i] += access->strides[i];
		/* Only strides from line to line cause misses. */
		if (strides && (i == STRIDE_FAR || i == STRIDE_ERRATIC))
			place->miss_strides[i] += access->misses[0] * access->strides[i] / strides;
	}
	place->accesses += access->count;
	place->bytes += access->bytes;
	for (unsigned i = 0; i < CACHE_LEVELS_MAX; i++)
		place->misses[i] += access->misses[i];
	if (!access->store) {
		place->loads += access->count;
		place->load_wait_cycles += wait_cycles(params, access);
	}
	place->split += access->split;
	place->forwarded += access->forwarded;
	place->unforwarded += access->unforwarded;
	place->aliased += access->aliased;
}

/*
 * Return the cycles between lines from the third level, by Little's law from the lines that may be
 * in flight at once; at most those between lines from memory, which are known.
 */
static double third_level_cycles(const struct takt_core_params *params)
{
	double cycles = params->line_fill_buffers > 0 ? (double)positive(params->l3_extra_cycles) /
								(double)params->line_fill_buffers
						      : 0;

	return cycles < (double)params->memory_line_cycles ? cycles
							   : (double)params->memory_line_cycles;
}

/*
 * Raise a place's cycles to those that memory needs for its lines. For the pipeline simulator,
 * prefetched lines take no time.
 */
static void limit_by_memory(struct diagnose_seen *seen, struct diagnose_place *place)
{
	const struct takt_core_params *params = takt_model_params(seen->model);
	uint64_t cycles = place->misses[2] * positive(params->memory_line_cycles) +
			  (uint64_t)((double)(place->misses[1] - place->misses[2]) *
				     third_level_cycles(params));
	uint64_t more = cycles > place->cycles ? cycles - place->cycles : 0;

	place->cycles += more;
	place->losses[SIM_LOSS_MEMORY] += more;
	seen->cycles += more;
}

static int compare_cycles(const void *left, const void *right)
{
	const struct diagnose_place *a = *(const struct diagnose_place *const *)left;
	const struct diagnose_place *b = *(const struct diagnose_place *const *)right;

	if (a->cycles != b->cycles)
		return a->cycles < b->cycles ? 1 : -1;
	return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Sort places, those with the most cycles first, and adapt the indices in blocks and accesses. */
static void sort_places(struct diagnose_seen *seen, const struct diagnose_place *places,
			uint32_t count)
{
	const struct diagnose_place **order = takt_xcalloc(count ? count : 1, sizeof(*order));
	uint32_t *moved = takt_xcalloc(count ? count : 1, sizeof(*moved));

	for (uint32_t i = 0; i < count; i++)
		order[i] = &places[i];
	qsort(order, count, sizeof(const struct diagnose_place *), compare_cycles);
	seen->places = TAKT_NEW_ARRAY(&seen->arena, count, struct diagnose_place);
	seen->place_count = count;
	for (uint32_t i = 0; i < count; i++) {
		seen->places[i] = *order[i];
		moved[order[i] - places] = i;
	}
	for (uint32_t i = 0; i < seen->block_count; i++)
		seen->blocks[i].place = moved[seen->blocks[i].place];
	for (uint32_t i = 0; i < seen->access_count; i++)
		seen->accesses[i].place = moved[seen->accesses[i].place];
	free(moved);
	free(order);
}

/*
 * Return the place of an address: its loop or, if it is in none, its function; `first` is the place
 * of function 0.
 */
static uint32_t place_of(const struct diagnose_place *loops, uint32_t loop_count, uint64_t address,
			 uint32_t function)
{
	uint32_t loop = loop_around(loops, loop_count, address);

	return loop < loop_count ? loop : loop_count + function;
}

void takt_diagnose_find_places(struct diagnose_seen *seen)
{
	uint32_t functions = 0, loop_count;
	struct diagnose_place *places;

	for (uint32_t i = 0; i < seen->block_count; i++)
		if (seen->blocks[i].function >= functions)
			functions = seen->blocks[i].function + 1;
	places = takt_xcalloc(seen->block_count + (size_t)functions + 1, sizeof(*places));
	loop_count = find_loops(seen, places);
	memset(places + loop_count, 0, (functions + (size_t)1) * sizeof(*places));
	for (uint32_t i = 0; i < seen->block_count; i++) {
		struct diagnose_block *block = &seen->blocks[i];

		block->place = place_of(places, loop_count, block->address, block->function);
		if (!places[block->place].begin) {
			places[block->place].begin = block->address;
			places[block->place].source = block->source;
		}
		if (block->end > places[block->place].end)
			places[block->place].end = block->end;
		places[block->place].function = block->function;
		add_block(&places[block->place], block);
	}
	for (uint32_t i = 0; i < seen->access_count; i++) {
		struct diagnose_access *access = &seen->accesses[i];

		access->place = place_of(places, loop_count, access->address, access->place);
		add_access(&places[access->place], takt_model_params(seen->model), &access->counts);
	}
	for (uint32_t i = 0; i < loop_count + functions; i++)
		limit_by_memory(seen, &places[i]);
	sort_places(seen, places, loop_count + functions);
	free(places);
}
