/* SPDX-License-Identifier: MIT */
/*
 * Finds dependences when addresses move by constant strides, as in nearly all loops. Once
 * registers change by the same amounts in two successive iterations, they will in all later
 * ones: additions and the like pass constant differences on, and all other operations are
 * required to have the same inputs again. Every address is then start + stride × iteration, and
 * the last writer of a byte can be computed instead of tried out.
 */
#include "depend/memory.h"

/* Iterations within which the steady state must be reached. */
#define PROBES_MAX 7u
#define PAIRS_MAX 16384u

static bool same_value(const struct takt_value *left, const struct takt_value *right)
{
	return left->known == right->known && left->bits == right->bits;
}

uint32_t takt_track_count(const struct takt_program *program)
{
	uint32_t count = 0;

	for (uint32_t s = 0; s < program->sliced_count; s++)
		count += program->sliced[s].touch_count;
	return count;
}

/* ---- until it is steady ----------------------------------------------------------------- */

/* The execution of an instruction in the previous iteration. */
struct history {
	struct takt_outcome outcome;
	uint64_t changes[2]; /* by which its two loaded sources had changed in that iteration */
};

struct probe {
	struct takt_finder *finder;
	struct takt_machine machine;
	struct history *histories;		     /* one for each sliced instruction */
	struct takt_value registers[TAKT_GPR_COUNT]; /* after the previous iteration */
	uint64_t changes[TAKT_GPR_COUNT]; /* of the registers in the previous iteration */
	bool steady; /* nothing in this iteration contradicts a steady state so far */
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

/* True if each loaded source has a constant address and its value changes by a constant. */
static bool loads_go_on(const struct takt_sliced_insn *sliced, struct history *history,
			const struct takt_outcome *now, const struct takt_track *tracks)
{
	const struct takt_computation *left = &history->outcome.computation;
	const struct takt_computation *right = &now->computation;
	bool same = true;

	if (sliced->operation == TAKT_OPERATION_ADDRESS)
		return true;
	if (sliced->first.type == TAKT_OPERAND_MEMORY)
		same &= same_change(&history->changes[0], &left->first, &right->first) &&
			!tracks[sliced->first.memory].stride;
	if (sliced->second.type == TAKT_OPERAND_MEMORY)
		same &= same_change(&history->changes[1], &left->second, &right->second) &&
			!tracks[sliced->second.memory].stride;
	return same;
}

/* True if the instruction is steady: results change by a constant, or all inputs stay the same. */
static bool goes_on(const struct takt_sliced_insn *sliced, struct history *history,
		    const struct takt_outcome *now, const struct takt_track *tracks)
{
	const struct takt_computation *left = &history->outcome.computation;
	const struct takt_computation *right = &now->computation;

	if (!loads_go_on(sliced, history, now, tracks))
		return false;
	/* Flags that are read change at some time even if values change by constants, so the inputs
	 * must not change at all. */
	if (!sliced->bends && !sliced->flags &&
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
	const struct takt_sliced_insn *sliced = &probe->finder->program.sliced[s];
	struct takt_value addresses[TAKT_MEMORIES_MAX];
	struct takt_outcome outcome;

	takt_machine_locate(&probe->machine, sliced, addresses);
	for (uint8_t m = 0; m < sliced->touch_count; m++) {
		probe->steady &= tracks[m].address.known == addresses[m].known;
		tracks[m] =
			(struct takt_track){.sliced = s,
					    .touch = m,
					    .address = addresses[m],
					    .stride = addresses[m].bits - tracks[m].address.bits};
	}
	takt_machine_execute(&probe->machine, sliced, addresses, 0, &outcome);
	if (sliced->operation == TAKT_OPERATION_NONE)
		return;
	probe->steady &= goes_on(sliced, &probe->histories[s], &outcome, tracks);
	probe->histories[s].outcome = outcome;
}

/* True if all registers changed by the same amounts as in the previous iteration. */
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

/* Fill `tracks` for a program whose address registers never change: no iteration is needed. */
static void locate_still(struct probe *probe, uint64_t seed, struct takt_track *tracks)
{
	const struct takt_program *program = &probe->finder->program;

	takt_finder_start(probe->finder, seed, 0, &probe->machine);
	for (uint32_t s = 0; s < program->sliced_count; s++) {
		struct takt_value addresses[TAKT_MEMORIES_MAX];

		takt_machine_locate(&probe->machine, &program->sliced[s], addresses);
		for (uint8_t m = 0; m < program->sliced[s].touch_count; m++)
			*tracks++ = (struct takt_track){
				.sliced = s, .touch = m, .address = addresses[m]};
	}
}

bool takt_steady_reach(struct takt_finder *finder, uint64_t seed, struct takt_track *tracks)
{
	const struct takt_program *program = &finder->program;
	struct probe probe = {.finder = finder};
	/* Values that pass through memory must be steady for one more iteration. */
	unsigned wanted = program->follows_memory ? 2 : 1, seen = 0;

	if (program->is_still) {
		locate_still(&probe, seed, tracks);
		return true;
	}
	probe.histories = TAKT_NEW_ARRAY(finder->arena, program->sliced_count, struct history);
	takt_finder_start(finder, seed, program->follows_memory ? PROBES_MAX : 0, &probe.machine);
	for (unsigned iteration = 0; iteration < PROBES_MAX && seen < wanted; iteration++) {
		struct takt_track *next = tracks;

		probe.steady = true;
		for (uint32_t s = 0; s < program->sliced_count; s++) {
			run_step(&probe, s, next);
			next += program->sliced[s].touch_count;
		}
		probe.steady &= compare_registers(&probe);
		seen = probe.steady && iteration >= 2 ? seen + 1 : 0;
	}
	return seen == wanted;
}

/* ---- who wrote it ------------------------------------------------------------------------ */

/* Bytes of a load that a mask has room for; those beyond are ignored. */
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
	uint64_t rank; /* order by distance, then by touch; UINT64_MAX: there is no hit */
	const struct takt_track *store;
	uint32_t iterations; /* number of iterations between the store and the load */
	uint64_t bytes;	     /* mask of the load's bytes that the store wrote */
};

static uint64_t bytes_between(int64_t begin, int64_t end)
{
	return (end >= 64 ? 0 : (uint64_t)1 << end) - ((uint64_t)1 << begin);
}

/* Return the mask of the load's bytes that a store wrote `offset` bytes above the load's start. */
static uint64_t overlap(int64_t offset, int64_t store_bytes, int64_t load_bytes)
{
	int64_t begin = offset > 0 ? offset : 0;
	int64_t end = offset + store_bytes < load_bytes ? offset + store_bytes : load_bytes;

	return begin < end ? bytes_between(begin, end) : 0;
}

/* Find the latest execution of `store` that touches the load and whose rank is above `after`. */
static struct hit latest_hit(const struct search *search, const struct takt_track *store,
			     int64_t after)
{
	struct hit hit = {.rank = UINT64_MAX, .store = store};
	const struct takt_finder *finder = search->finder;
	uint32_t insn = finder->program.sliced[store->sliced].insn;
	int64_t store_bytes = takt_touch_of(finder, store)->size_bytes;
	uint64_t apart = store->address.bits - search->load->address.bits;
	uint64_t reach = store->stride * search->iterations_max;
	/* Nearly always, the store is out of the load's reach in all iterations. */
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
	uint32_t store = finder->program.sliced[hit->store->sliced].insn, load = search->load_insn;
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

/* Add edges from the writers of the load's bytes: go from the latest store backwards until each
 * byte has its writer. */
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
		if (takt_touch_of(finder, &tracks[t])->write && tracks[t].address.known)
			stores[store_count++] = tracks[t];
	if ((uint64_t)store_count * track_count > PAIRS_MAX)
		return false;
	for (uint32_t t = 0; t < track_count && store_count; t++) {
		const struct takt_touch *touch = takt_touch_of(finder, &tracks[t]);
		struct search search = {
			.finder = finder,
			.load = &tracks[t],
			.load_insn = finder->program.sliced[tracks[t].sliced].insn,
			.iterations_max = finder->window / finder->program.insn_count + 1,
			.load_bytes =
				touch->size_bytes < BYTES_MAX ? touch->size_bytes : BYTES_MAX};

		if (touch->read && tracks[t].address.known)
			find_writers(&search, stores, store_count);
	}
	return true;
}
