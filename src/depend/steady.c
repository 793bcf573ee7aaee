/* SPDX-License-Identifier: MIT */
/*
 * The short way, which nearly all loops allow. Once registers change by the same amounts
 * in two iterations running, they will in all: additions and the like carry constant
 * differences over, and of other operations it is asked that their inputs stay the same.
 * Every address is then start + stride × iteration, and who wrote a byte last can be
 * computed instead of tried out.
 */
#include "depend/memory.h"

/* Iterations in which addresses must settle. */
#define PROBES_MAX 7u
#define PAIRS_MAX 16384u

static bool same_value(const struct takt_value *left, const struct takt_value *right)
{
	return left->known == right->known && left->bits == right->bits;
}

uint32_t takt_track_count(const struct takt_program *program)
{
	uint32_t count = 0;

	for (uint32_t s = 0; s < program->step_count; s++)
		count += program->steps[s].touch_count;
	return count;
}

/* ---- until it is steady ----------------------------------------------------------------- */

/* A step in the iteration before. */
struct history {
	struct takt_outcome outcome;
	uint64_t changes[2]; /* of what its sources loaded, from the iteration before that */
};

struct probe {
	struct takt_finder *finder;
	struct takt_machine machine;
	struct history *histories; /* per step */
	struct takt_value registers[TAKT_GPR_COUNT];
	uint64_t changes[TAKT_GPR_COUNT];
	bool steady; /* so far in this iteration */
};

static bool same_inputs(const struct takt_outcome *left, const struct takt_outcome *right)
{
	return same_value(&left->computation.first, &right->computation.first) &&
	       same_value(&left->computation.second, &right->computation.second) &&
	       same_value(&left->computation.third, &right->computation.third) &&
	       left->flags.known == right->flags.known &&
	       ((left->flags.bits ^ right->flags.bits) & right->flags.known) == 0;
}

static bool same_change(uint64_t *before, const struct takt_value *left,
			const struct takt_value *right)
{
	uint64_t change = right->bits - left->bits;
	bool same = change == *before;

	*before = change;
	return same;
}

/* A load goes on if it is from one place, and what it finds there changes by a constant. */
static bool loads_go_on(const struct takt_program_step *step, struct history *history,
			const struct takt_outcome *now, const struct takt_track *tracks)
{
	const struct takt_computation *left = &history->outcome.computation;
	const struct takt_computation *right = &now->computation;
	bool same = true;

	if (step->operation == TAKT_OPERATION_ADDRESS)
		return true;
	if (step->first.type == TAKT_OPERAND_MEMORY)
		same &= same_change(&history->changes[0], &left->first, &right->first) &&
			!tracks[step->first.memory].stride;
	if (step->second.type == TAKT_OPERAND_MEMORY)
		same &= same_change(&history->changes[1], &left->second, &right->second) &&
			!tracks[step->second.memory].stride;
	return same;
}

/* Whether the step goes on as it did: by constant differences, or the same for ever. */
static bool goes_on(const struct takt_program_step *step, struct history *history,
		    const struct takt_outcome *now, const struct takt_track *tracks)
{
	const struct takt_computation *left = &history->outcome.computation;
	const struct takt_computation *right = &now->computation;

	if (!loads_go_on(step, history, now, tracks))
		return false;
	/* Flags that someone reads turn over some time, so they must not move at all. */
	if (!step->bends && !step->flags &&
	    takt_operation_is_linear((enum takt_operation)right->operation,
				     same_value(&left->first, &right->first),
				     same_value(&left->second, &right->second)))
		return left->first.known == right->first.known &&
		       left->second.known == right->second.known &&
		       left->third.known == right->third.known;
	return same_inputs(&history->outcome, now);
}

static void run_step(struct probe *probe, uint32_t s, struct takt_track *tracks)
{
	const struct takt_program_step *step = &probe->finder->program.steps[s];
	struct takt_value addresses[TAKT_MEMORIES_MAX];
	struct takt_outcome outcome;

	takt_machine_locate(&probe->machine, step, addresses);
	for (uint8_t m = 0; m < step->touch_count; m++) {
		probe->steady &= tracks[m].address.known == addresses[m].known;
		tracks[m] =
			(struct takt_track){.step = s,
					    .touch = m,
					    .address = addresses[m],
					    .stride = addresses[m].bits - tracks[m].address.bits};
	}
	takt_machine_execute(&probe->machine, step, addresses, 0, &outcome);
	if (step->operation == TAKT_OPERATION_NONE)
		return;
	probe->steady &= goes_on(step, &probe->histories[s], &outcome, tracks);
	probe->histories[s].outcome = outcome;
}

/* Whether registers changed as in the iteration before. */
static bool compare_registers(struct probe *probe)
{
	bool same = true;

	for (unsigned i = 0; i < TAKT_GPR_COUNT; i++) {
		const struct takt_value *now = &probe->machine.registers[i];
		uint64_t change = now->bits - probe->registers[i].bits;

		same &= now->known == probe->registers[i].known && change == probe->changes[i];
		probe->registers[i] = *now;
		probe->changes[i] = change;
	}
	return same;
}

/* With registers that never change one look is enough. */
static void locate_still(struct probe *probe, uint64_t seed, struct takt_track *tracks)
{
	const struct takt_program *program = &probe->finder->program;

	takt_finder_start(probe->finder, seed, 0, &probe->machine);
	for (uint32_t s = 0; s < program->step_count; s++) {
		struct takt_value addresses[TAKT_MEMORIES_MAX];

		takt_machine_locate(&probe->machine, &program->steps[s], addresses);
		for (uint8_t m = 0; m < program->steps[s].touch_count; m++)
			*tracks++ =
				(struct takt_track){.step = s, .touch = m, .address = addresses[m]};
	}
}

bool takt_steady_reach(struct takt_finder *finder, uint64_t seed, struct takt_track *tracks)
{
	const struct takt_program *program = &finder->program;
	struct probe probe = {.finder = finder};
	/* What passes through memory must be seen to stay once more. */
	unsigned wanted = program->follows_memory ? 2 : 1, seen = 0;

	if (program->is_still) {
		locate_still(&probe, seed, tracks);
		return true;
	}
	probe.histories = TAKT_NEW_ARRAY(finder->arena, program->step_count, struct history);
	takt_finder_start(finder, seed, program->follows_memory ? PROBES_MAX : 0, &probe.machine);
	for (unsigned iteration = 0; iteration < PROBES_MAX && seen < wanted; iteration++) {
		struct takt_track *next = tracks;

		probe.steady = true;
		for (uint32_t s = 0; s < program->step_count; s++) {
			run_step(&probe, s, next);
			next += program->steps[s].touch_count;
		}
		probe.steady &= compare_registers(&probe);
		seen = probe.steady && iteration >= 2 ? seen + 1 : 0;
	}
	return seen == wanted;
}

/* ---- who wrote it ------------------------------------------------------------------------ */

/* A load's bytes as a mask, the first 64 of them. */
#define BYTES_MAX 64u

struct search {
	struct takt_finder *finder;
	const struct takt_track *load;
	uint32_t load_insn;
	uint32_t iterations_max;
	unsigned load_bytes;
};

/* A store of some iteration that touches the load's bytes. */
struct hit {
	uint64_t rank; /* grows with the distance, then by touch; UINT64_MAX: none */
	const struct takt_track *store;
	uint32_t iterations;
	uint64_t bytes; /* of the load that it wrote, as a mask */
};

static const struct takt_touch *touch_of(const struct takt_finder *finder,
					 const struct takt_track *track)
{
	return &finder->program.steps[track->step].touches[track->touch];
}

static uint64_t bytes_between(int64_t begin, int64_t end)
{
	return (end >= 64 ? 0 : (uint64_t)1 << end) - ((uint64_t)1 << begin);
}

/* The bytes of the load that a store `offset` bytes above its start wrote. */
static uint64_t overlap(int64_t offset, int64_t store_bytes, int64_t load_bytes)
{
	int64_t begin = offset > 0 ? offset : 0;
	int64_t end = offset + store_bytes < load_bytes ? offset + store_bytes : load_bytes;

	return begin < end ? bytes_between(begin, end) : 0;
}

/* The latest touch by `store` that ranks behind `after`. */
static struct hit latest_hit(const struct search *search, const struct takt_track *store,
			     int64_t after)
{
	struct hit hit = {.rank = UINT64_MAX, .store = store};
	const struct takt_finder *finder = search->finder;
	uint32_t insn = finder->program.steps[store->step].insn;
	int64_t store_bytes = touch_of(finder, store)->size_bytes;
	uint64_t apart = store->address.bits - search->load->address.bits;
	uint64_t reach = store->stride * search->iterations_max;
	/* Far from it in all iterations: nearly always. */
	uint64_t margin = (reach >> 63 ? 0 - reach : reach) + (uint64_t)store_bytes + BYTES_MAX;

	if (store->stride != search->load->stride || apart + margin > 2 * margin)
		return hit;
	for (uint32_t i = insn >= search->load_insn; i <= search->iterations_max; i++) {
		uint64_t distance = takt_finder_distance(finder, insn, search->load_insn, i);
		uint64_t rank = distance * TAKT_MEMORIES_MAX + store->touch;
		int64_t offset = (int64_t)(apart - store->stride * i);
		uint64_t bytes;

		if ((int64_t)rank <= after || offset >= BYTES_MAX || offset <= -store_bytes)
			continue;
		bytes = overlap(offset, store_bytes, search->load_bytes);
		if (!bytes)
			continue;
		if (distance < finder->window)
			hit = (struct hit){rank, store, i, bytes};
		return hit;
	}
	return hit;
}

static void add_edge(const struct search *search, const struct hit *hit, enum takt_overlap overlap)
{
	const struct takt_finder *finder = search->finder;
	uint32_t store = finder->program.steps[hit->store->step].insn, load = search->load_insn;
	struct takt_memory_edge edge = {
		.store = store,
		.load = load,
		.iterations = (uint16_t)hit->iterations,
		.store_memory = hit->store->touch,
		.load_memory = search->load->touch,
		.store_slot = finder->block->insns[store].memories[hit->store->touch].slot,
		.load_slot = finder->block->insns[load].memories[search->load->touch].slot,
		.overlap = (uint8_t)overlap};

	takt_finder_add_edge(search->finder, &edge);
}

/* From the latest store backwards, until each byte has its writer. */
static void find_writers(struct search *search, const struct takt_track *stores,
			 uint32_t store_count)
{
	uint64_t left = bytes_between(0, search->load_bytes);
	uint32_t first = search->finder->edge_count, count;
	int64_t after = -1;

	while (left) {
		struct hit latest = {.rank = UINT64_MAX};

		for (uint32_t s = 0; s < store_count; s++) {
			struct hit hit = latest_hit(search, &stores[s], after);

			if (hit.rank < latest.rank)
				latest = hit;
		}
		if (latest.rank == UINT64_MAX)
			break;
		after = (int64_t)latest.rank;
		if (latest.bytes & left)
			add_edge(search, &latest, TAKT_OVERLAP_CONTAINED);
		left &= ~latest.bytes;
	}
	count = search->finder->edge_count - first;
	for (uint32_t e = first; e < first + count; e++)
		search->finder->edges[e].overlap = count > 1 ? TAKT_OVERLAP_SPLIT
						   : left    ? TAKT_OVERLAP_WIDER
							     : TAKT_OVERLAP_CONTAINED;
}

bool takt_steady_find(struct takt_finder *finder, const struct takt_track *tracks,
		      uint32_t track_count)
{
	struct takt_track *stores = TAKT_NEW_ARRAY(finder->arena, track_count, struct takt_track);
	uint32_t store_count = 0;

	for (uint32_t t = 0; t < track_count; t++)
		if (touch_of(finder, &tracks[t])->write && tracks[t].address.known)
			stores[store_count++] = tracks[t];
	if ((uint64_t)store_count * track_count > PAIRS_MAX)
		return false;
	for (uint32_t t = 0; t < track_count && store_count; t++) {
		const struct takt_touch *touch = touch_of(finder, &tracks[t]);
		struct search search = {
			.finder = finder,
			.load = &tracks[t],
			.load_insn = finder->program.steps[tracks[t].step].insn,
			.iterations_max = finder->window / finder->program.insn_count + 1,
			.load_bytes =
				touch->size_bytes < BYTES_MAX ? touch->size_bytes : BYTES_MAX};

		if (touch->read && tracks[t].address.known)
			find_writers(&search, stores, store_count);
	}
	return true;
}
