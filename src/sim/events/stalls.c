/* SPDX-License-Identifier: MIT */
/*
 * The shares of stall causes in an iteration's cycles: the repeating part of the walked chain,
 * summed.
 */
#include <math.h>
#include <stdlib.h>

#include "sim/events/walk.h"

#define STEPS_MAX (1u << 15)
#define EXACT 1e-6				    /* relative difference that counts as equal */
#define KEYS (SIM_STALL_COUNT + 2 * TAKT_PORTS_MAX) /* causes, and PORT and UNIT by port */

const char *takt_stall_word(enum sim_stall stall)
{
	static const char *const words[] = {
#define X(name, word, text) word,
		SIM_STALL_LIST(X)
#undef X
	};

	return words[stall];
}

const char *takt_stall_text(enum sim_stall stall)
{
	static const char *const texts[] = {
#define X(name, word, text) text,
		SIM_STALL_LIST(X)
#undef X
	};

	return texts[stall];
}

struct summing {
	const struct sim_core *core;
	struct takt_arena *arena;
	struct sim_step *steps;
	uint32_t first, last; /* steps that count, `last` excluded */
	double scale;	      /* factor from cycles of the steps to cycles per iteration */
	uint32_t insn_count;  /* instructions of the block */
	double *rows[KEYS];   /* cycles by instruction, for causes that occur */
	struct sim_stalls *stalls;
};

/* ---- the part that repeats --------------------------------------------------------------- */

static const struct sim_event_slot *slot_of(const struct sim_core *core,
					    const struct sim_step *step)
{
	return sim_event_slot(core->events, step->slot);
}

/* True if the steps are the same event of different iterations. */
static bool is_same(const struct sim_core *core, const struct sim_step *left,
		    const struct sim_step *right)
{
	const struct sim_event_slot *a = slot_of(core, left), *b = slot_of(core, right);

	if (left->kind != right->kind ||
	    (left->kind == SIM_NODE_QUEUED && a->queued - left->time != b->queued - right->time))
		return false;
	if (a->insn != b->insn || a->slot != b->slot || a->inserted != b->inserted ||
	    a->iteration == b->iteration)
		return false;
	return left->kind != SIM_NODE_DISPATCHED ||
	       left->number - a->first_uop == right->number - b->first_uop;
}

static double cycles_between(const struct summing *summing, uint32_t newer, uint32_t older)
{
	uint32_t iterations = slot_of(summing->core, &summing->steps[newer])->iteration -
			      slot_of(summing->core, &summing->steps[older])->iteration;

	return (double)(summing->steps[newer].time - summing->steps[older].time) / iterations;
}

/* Return the oldest step of what was renamed from `cycle` on; before it nothing was steady. */
static uint32_t oldest_from(const struct summing *summing, uint32_t count, uint64_t cycle)
{
	uint32_t oldest = count - 1;

	while (oldest > 0 && slot_of(summing->core, &summing->steps[oldest])->renamed < cycle)
		oldest--;
	return oldest;
}

/*
 * Find, in `count` steps, a part that takes as long as the simulation says; true if there is one.
 */
static bool find_repeat(struct summing *summing, uint32_t count, const struct sim_summary *summary)
{
	uint64_t steady = summary->simulated_cycles -
			  (uint64_t)(summary->cycles * summary->period_iterations);

	if (!summary->period_iterations)
		steady = summary->simulated_cycles / 2;
	summing->last = oldest_from(summing, count, steady);
	for (uint32_t i = summing->last; i-- > 0;)
		if (is_same(summing->core, &summing->steps[i], &summing->steps[summing->last]) &&
		    fabs(cycles_between(summing, i, summing->last) - summary->cycles) <
			    EXACT * summary->cycles) {
			summing->first = i;
			return true;
		}
	/* The newest steps depend on where the record ends. */
	summing->last = count - 1;
	summing->first = count / 4;
	return false;
}

static bool is_buffer(enum sim_stall cause)
{
	return cause == SIM_STALL_ROB || cause == SIM_STALL_SCHEDULER ||
	       cause == SIM_STALL_LOAD_QUEUE || cause == SIM_STALL_STORE_QUEUE ||
	       cause == SIM_STALL_SERIALIZE;
}

static bool is_latency(enum sim_stall cause)
{
	return cause == SIM_STALL_LATENCY || cause == SIM_STALL_LOAD ||
	       cause == SIM_STALL_FORWARD || cause == SIM_STALL_FORWARD_FAIL;
}

/*
 * Charge latencies between a full buffer and the rename of what is in its way to that buffer: they
 * cost cycles only because it cannot hold more. The part of the chain closes on itself; it is gone
 * around twice, so that its beginning knows how it ends.
 */
static void give_to_buffers(struct summing *summing)
{
	enum sim_stall owner = SIM_STALL_NONE;

	for (unsigned lap = 0; lap < 2; lap++)
		for (uint32_t i = summing->first; i < summing->last; i++) {
			struct sim_step *step = &summing->steps[i];
			enum sim_stall cause = (enum sim_stall)step->cause;

			if (step->kind == SIM_NODE_RENAMED)
				owner = is_buffer(cause) ? cause : SIM_STALL_NONE;
			else if (owner != SIM_STALL_NONE && is_latency(cause))
				step->cause = (uint8_t)owner;
		}
}

/* ---- sums -------------------------------------------------------------------------------- */

static uint32_t insn_of(const struct summing *summing, uint32_t slot)
{
	const struct sim_core *core = summing->core;

	return core->program->insns[sim_event_slot(core->events, slot)->insn].insn;
}

static double cycles_of(const struct summing *summing, uint32_t i)
{
	return (summing->steps[i].time - summing->steps[i + 1].time) * summing->scale;
}

static unsigned key_of(const struct sim_step *step)
{
	if (step->cause == SIM_STALL_PORT)
		return SIM_STALL_COUNT + (unsigned)step->port;
	if (step->cause == SIM_STALL_UNIT)
		return SIM_STALL_COUNT + TAKT_PORTS_MAX + (unsigned)step->port;
	return step->cause;
}

static void add_step(struct summing *summing, uint32_t i)
{
	const struct sim_step *step = &summing->steps[i];
	double each = cycles_of(summing, i) / (step->last - step->first + 1);
	unsigned key = key_of(step);

	if (each <= 0)
		return;
	if (!summing->rows[key])
		summing->rows[key] = TAKT_NEW_ARRAY(summing->arena, summing->insn_count, double);
	for (uint32_t slot = step->first; slot <= step->last; slot++)
		summing->rows[key][insn_of(summing, slot)] += each;
}

static int compare_cycles(double left, double right)
{
	return (left < right) - (left > right);
}

struct due {
	uint32_t insn;
	double cycles;
};

TAKT_ORDER(compare_due, struct due, compare_cycles(a->cycles, b->cycles), TAKT_UP(insn));

static struct sim_stall_share make_share(const struct summing *summing, unsigned key)
{
	const double *row = summing->rows[key];
	bool by_port = key >= SIM_STALL_COUNT, unit = key >= SIM_STALL_COUNT + TAKT_PORTS_MAX;
	struct sim_stall_share share = {
		.cause = by_port ? unit ? SIM_STALL_UNIT : SIM_STALL_PORT : (enum sim_stall)key,
		.port = by_port ? (uint8_t)((key - SIM_STALL_COUNT) % TAKT_PORTS_MAX)
				: SIM_PORT_NONE,
	};
	struct due *dues = TAKT_NEW_ARRAY(summing->arena, summing->insn_count, struct due);
	uint32_t *insns;
	double *cycles;

	for (uint32_t i = 0; i < summing->insn_count; i++)
		if (row[i] > 0)
			dues[share.insn_count++] = (struct due){i, row[i]};
	qsort(dues, share.insn_count, sizeof(*dues), compare_due);
	share.insns = insns = TAKT_NEW_ARRAY(summing->arena, share.insn_count, uint32_t);
	share.insn_cycles = cycles = TAKT_NEW_ARRAY(summing->arena, share.insn_count, double);
	for (uint32_t i = 0; i < share.insn_count; i++) {
		insns[i] = dues[i].insn;
		cycles[i] = dues[i].cycles;
		share.cycles += dues[i].cycles;
	}
	return share;
}

TAKT_ORDER(compare_shares, struct sim_stall_share, compare_cycles(a->cycles, b->cycles),
	   TAKT_UP(cause), TAKT_UP(port));

static void make_shares(struct summing *summing)
{
	struct sim_stall_share *shares =
		TAKT_NEW_ARRAY(summing->arena, KEYS, struct sim_stall_share);
	uint32_t count = 0;

	for (unsigned key = 0; key < KEYS; key++)
		if (summing->rows[key])
			shares[count++] = make_share(summing, key);
	qsort(shares, count, sizeof(*shares), compare_shares);
	summing->stalls->shares = shares;
	summing->stalls->share_count = count;
}

/* ---- all of it ------------------------------------------------------------------------------- */

void sim_stalls_find(struct sim_core *core, const struct sim_summary *summary, uint32_t insn_count,
		     struct takt_arena *arena, struct sim_stalls *ret_stalls)
{
	struct summing summing = {
		.core = core, .arena = arena, .insn_count = insn_count, .stalls = ret_stalls};
	uint32_t count, cycles;

	*ret_stalls = (struct sim_stalls){.cycles = summary->cycles};
	summing.steps = TAKT_NEW_ARRAY(arena, STEPS_MAX, struct sim_step);
	count = sim_walk(core, summing.steps, STEPS_MAX);
	if (count < 2)
		return;
	ret_stalls->exact = find_repeat(&summing, count, summary);
	cycles = summing.steps[summing.first].time - summing.steps[summing.last].time;
	if (!cycles)
		return;
	summing.scale = summary->cycles / cycles;
	give_to_buffers(&summing);
	for (uint32_t i = summing.first; i < summing.last; i++)
		add_step(&summing, i);
	make_shares(&summing);
}
