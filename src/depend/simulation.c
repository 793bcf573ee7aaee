/* SPDX-License-Identifier: MIT */
/*
 * Finds dependences when addresses do not move by constant strides: runs enough iterations to
 * fill the window, and counts which load read from which store, how many iterations earlier.
 */
#include "depend/memory.h"

#define NO_FINDING UINT32_MAX
/* Stores recorded of those that one load reads from; any others are ignored. */
#define PARTS_MAX 16u

/* A store of an earlier iteration that a load read from, and how often, by overlap. */
struct finding {
	uint32_t next;	 /* next finding of the same load, or NO_FINDING */
	uint32_t writer; /* index in `sliced` × TAKT_MEMORIES_MAX + touch */
	uint32_t iterations;
	uint32_t counts[TAKT_OVERLAP_COUNT];
};

struct simulation {
	struct takt_finder *finder;
	struct takt_machine machine;
	uint32_t *first; /* first finding of each touch, at sliced × TAKT_MEMORIES_MAX + touch */
	struct finding *findings;
	uint32_t finding_count, finding_capacity;
	uint32_t per_iteration; /* number of writers in each iteration */
};

static struct finding *find_finding(struct simulation *simulation, uint32_t touch, uint32_t writer,
				    uint32_t iterations)
{
	uint32_t f = simulation->first[touch];

	while (f != NO_FINDING && (simulation->findings[f].writer != writer ||
				   simulation->findings[f].iterations != iterations))
		f = simulation->findings[f].next;
	if (f != NO_FINDING)
		return &simulation->findings[f];
	TAKT_GROW_IN(simulation->finder->arena, simulation->findings, simulation->finding_count + 1,
		     simulation->finding_capacity);
	f = simulation->finding_count++;
	simulation->findings[f] = (struct finding){
		.next = simulation->first[touch], .writer = writer, .iterations = iterations};
	simulation->first[touch] = f;
	return &simulation->findings[f];
}

static uint32_t insn_of(const struct simulation *simulation, uint32_t touch)
{
	return simulation->finder->program.sliced[touch / TAKT_MEMORIES_MAX].insn;
}

/* The writers of a load's bytes, without duplicates. */
struct parts {
	uint32_t writers[PARTS_MAX];
	uint32_t count;
	bool gaps; /* some bytes have no writer */
};

static void add_part(struct parts *parts, uint32_t writer)
{
	for (uint32_t i = 0; i < parts->count; i++)
		if (parts->writers[i] == writer)
			return;
	if (parts->count < PARTS_MAX)
		parts->writers[parts->count++] = writer;
}

static struct parts find_parts(const struct simulation *simulation, uint64_t address,
			       unsigned size_bytes)
{
	struct parts parts = {.count = 0};
	uint64_t number = address / TAKT_GRANULE_BYTES;
	unsigned at = address % TAKT_GRANULE_BYTES;

	for (unsigned left = size_bytes; left; at = 0, number = takt_granule_next(number)) {
		const struct takt_granule *granule =
			takt_shadow_find(&simulation->finder->shadow, number);

		for (; left && at < TAKT_GRANULE_BYTES; at++, left--) {
			if (granule && granule->written >> at & 1)
				add_part(&parts, granule->writers[at]);
			else
				parts.gaps = true;
		}
	}
	return parts;
}

/* Remove writers outside the window, and those before the first iteration that counts. */
static void drop_old(const struct simulation *simulation, uint32_t load, uint32_t iteration,
		     struct parts *parts)
{
	const struct takt_finder *finder = simulation->finder;
	uint32_t count = 0;

	for (uint32_t i = 0; i < parts->count; i++) {
		uint32_t when = parts->writers[i] / simulation->per_iteration;
		uint32_t writer = parts->writers[i] % simulation->per_iteration;

		if (when >= finder->first &&
		    takt_finder_distance(finder, insn_of(simulation, writer),
					 insn_of(simulation, load),
					 iteration - when) < finder->window)
			parts->writers[count++] = parts->writers[i];
		else
			parts->gaps = true;
	}
	parts->count = count;
}

static void record_load(struct simulation *simulation, uint32_t load, uint32_t iteration,
			uint64_t address, unsigned size_bytes)
{
	struct parts parts = find_parts(simulation, address, size_bytes);
	enum takt_overlap overlap;

	drop_old(simulation, load, iteration, &parts);
	overlap = parts.count > 1 ? TAKT_OVERLAP_SPLIT
		  : parts.gaps	  ? TAKT_OVERLAP_WIDER
				  : TAKT_OVERLAP_CONTAINED;
	for (uint32_t i = 0; i < parts.count; i++) {
		uint32_t when = parts.writers[i] / simulation->per_iteration;
		uint32_t writer = parts.writers[i] % simulation->per_iteration;

		find_finding(simulation, load, writer, iteration - when)->counts[overlap]++;
	}
}

static void run_iteration(struct simulation *simulation, uint32_t iteration)
{
	const struct takt_program *program = &simulation->finder->program;

	for (uint32_t s = 0; s < program->sliced_count; s++) {
		const struct takt_sliced_insn *sliced = &program->sliced[s];
		uint32_t touch = s * TAKT_MEMORIES_MAX;
		struct takt_value addresses[TAKT_MEMORIES_MAX];
		struct takt_outcome outcome;

		takt_machine_locate(&simulation->machine, sliced, addresses);
		for (unsigned m = 0; m < sliced->touch_count; m++)
			if (sliced->touches[m].read && addresses[m].known)
				record_load(simulation, touch + m, iteration, addresses[m].bits,
					    sliced->touches[m].size_bytes);
		takt_machine_execute(&simulation->machine, sliced, addresses,
				     iteration * simulation->per_iteration + touch, &outcome);
	}
}

/* True if the dependence occurred in at least 80 % of the iterations in which it could. */
static bool is_regular(const struct takt_finder *finder, const struct finding *finding)
{
	uint32_t inside = finder->iterations - finder->first;
	uint32_t count = 0;

	if (finding->iterations >= inside)
		return false;
	inside -= finding->iterations;
	for (unsigned i = 0; i < TAKT_OVERLAP_COUNT; i++)
		count += finding->counts[i];
	return (uint64_t)count * 10 >= (uint64_t)inside * 8;
}

static enum takt_overlap usual_overlap(const struct finding *finding)
{
	enum takt_overlap usual = TAKT_OVERLAP_CONTAINED;

	for (unsigned i = 1; i < TAKT_OVERLAP_COUNT; i++)
		if (finding->counts[i] > finding->counts[usual])
			usual = (enum takt_overlap)i;
	return usual;
}

static struct takt_memory_edge make_edge(const struct simulation *simulation, uint32_t touch,
					 const struct finding *finding)
{
	const struct takt_insn *insns = simulation->finder->block->insns;
	uint32_t store = insn_of(simulation, finding->writer), load = insn_of(simulation, touch);
	uint8_t store_memory = (uint8_t)(finding->writer % TAKT_MEMORIES_MAX);
	uint8_t load_memory = (uint8_t)(touch % TAKT_MEMORIES_MAX);

	return (struct takt_memory_edge){.store = store,
					 .load = load,
					 .iterations = (uint16_t)finding->iterations,
					 .store_memory = store_memory,
					 .load_memory = load_memory,
					 .store_slot = insns[store].memories[store_memory].slot,
					 .load_slot = insns[load].memories[load_memory].slot,
					 .overlap = (uint8_t)usual_overlap(finding)};
}

/* Add an edge for each regular finding of a load, the latest store first. */
static void add_edges(struct simulation *simulation, uint32_t touch)
{
	struct takt_finder *finder = simulation->finder;
	uint32_t begin = finder->edge_count;

	for (uint32_t f = simulation->first[touch]; f != NO_FINDING;
	     f = simulation->findings[f].next) {
		struct takt_memory_edge edge =
			make_edge(simulation, touch, &simulation->findings[f]);
		uint32_t at;

		if (!is_regular(finder, &simulation->findings[f]))
			continue;
		takt_finder_add_edge(finder, &edge);
		for (at = finder->edge_count - 1;
		     at > begin && takt_finder_compare(finder, &edge, &finder->edges[at - 1]) < 0;
		     at--)
			finder->edges[at] = finder->edges[at - 1];
		finder->edges[at] = edge;
	}
}

void takt_simulation_find(struct takt_finder *finder, uint64_t seed)
{
	uint32_t touches = finder->program.sliced_count * TAKT_MEMORIES_MAX;
	struct simulation simulation = {.finder = finder,
					.first = TAKT_NEW_ARRAY(finder->arena, touches, uint32_t),
					.finding_capacity = 32,
					.per_iteration = touches};

	simulation.findings =
		TAKT_NEW_ARRAY(finder->arena, simulation.finding_capacity, struct finding);
	for (uint32_t i = 0; i < touches; i++)
		simulation.first[i] = NO_FINDING;
	takt_finder_start(finder, seed, finder->iterations, &simulation.machine);
	for (uint32_t iteration = 0; iteration < finder->iterations; iteration++)
		run_iteration(&simulation, iteration);
	for (uint32_t touch = 0; touch < touches; touch++)
		add_edges(&simulation, touch);
}
