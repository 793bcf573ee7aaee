/* SPDX-License-Identifier: MIT */
/* Lists the relaxations that could matter to a block, and the instructions they affect. */
#include <math.h>
#include <stdlib.h>

#include "analyze/relax.h"

struct list {
	const struct takt_work *work;
	struct takt_trial *trials;
	uint32_t count;
};

static void add(struct list *list, struct takt_trial trial)
{
	if (list->count < TAKT_TRIALS_MAX)
		list->trials[list->count++] = trial;
}

/* Return the share of the simulated cycles lost to any of the causes. */
static double waited(const struct takt_work *work, uint32_t causes)
{
	const struct sim_stalls *stalls = &work->stalls;
	double cycles = 0;

	for (uint32_t i = 0; i < stalls->share_count; i++)
		if (causes >> stalls->shares[i].cause & 1)
			cycles += stalls->shares[i].cycles;
	return stalls->cycles > 0 ? cycles / stalls->cycles : 0;
}

static double part_of_cycles(const struct takt_work *work, double cycles)
{
	double all = work->record->simulated_cycles;

	return all > 0 ? fmin(cycles / all, 1) : 0;
}

/* ---- ports ----------------------------------------------------------------------- */

/* Return the ports that every µop of the block may use if and only if it may use this one. */
static uint32_t alike(const struct takt_prepared *prepared, uint32_t port)
{
	uint32_t ports = UINT32_MAX;

	for (uint32_t i = 0; i < prepared->load_count; i++)
		ports &= prepared->loads[i].ports >> port & 1 ? prepared->loads[i].ports
							      : ~prepared->loads[i].ports;
	return ports;
}

static double port_stalls(const struct takt_work *work, uint32_t ports)
{
	const struct sim_stalls *stalls = &work->stalls;
	double cycles = 0;

	for (uint32_t i = 0; i < stalls->share_count; i++)
		if (stalls->shares[i].port < TAKT_PORTS_MAX && ports >> stalls->shares[i].port & 1)
			cycles += stalls->shares[i].cycles;
	return stalls->cycles > 0 ? cycles / stalls->cycles : 0;
}

/* True if a µop occupies any of the units for more than a cycle. */
static bool is_slow_unit(const struct takt_prepared *prepared, uint32_t ports)
{
	for (uint32_t i = 0; i < prepared->block.count; i++)
		for (uint32_t k = 0; k < prepared->timings[i].uops_count; k++)
			if (prepared->timings[i].uops[k].ports & ports &&
			    prepared->timings[i].uops[k].count > 1)
				return true;
	return false;
}

static void list_ports(struct list *list)
{
	const struct takt_prepared *prepared = &list->work->prepared;
	uint32_t pseudo = takt_model_pseudo_ports(prepared->model), used = 0, done = 0;

	for (uint32_t i = 0; i < prepared->load_count; i++)
		used |= prepared->loads[i].ports;
	for (uint32_t port = 0; port < TAKT_PORTS_MAX; port++) {
		uint32_t ports = alike(prepared, port) & used & ~done;
		double load = list->work->record->port_cycles[port];
		struct takt_trial trial = {.ports = ports};

		if (!(used & ~done & (uint32_t)1 << port))
			continue;
		done |= ports;
		trial.promise =
			fmax(part_of_cycles(list->work, load), port_stalls(list->work, ports));
		trial.kind = TAKT_TRIAL_PORT;
		add(list, trial);
		trial.kind = TAKT_TRIAL_PIPELINED;
		if (ports & pseudo && is_slow_unit(prepared, ports))
			add(list, trial);
	}
}

/* ---- latencies -------------------------------------------------------------------- */

uint32_t takt_trial_latency(const struct takt_prepared *prepared, uint32_t index)
{
	const struct takt_insn *insn = &prepared->block.insns[index];
	uint32_t most = 0;

	for (unsigned s = 0; s < insn->access_count; s++) {
		const struct takt_access *source = &insn->accesses[s];

		if (!(source->flags & TAKT_READ) || source->flags & TAKT_ADDRESS ||
		    !source->location)
			continue;
		for (unsigned d = 0; d < insn->access_count; d++) {
			const struct takt_access *destination = &insn->accesses[d];
			uint32_t latency;

			if (!(destination->flags & TAKT_WRITE) || !destination->location)
				continue;
			latency = takt_timing_latency(&prepared->timings[index], source->slot,
						      destination->slot);
			most = latency > most ? latency : most;
		}
	}
	return most;
}

/*
 * Return the share of the cycles that halving the latency may affect: that on the worst recurrence,
 * or an equal part of the stalls for latency.
 */
static double latency_promise(const struct takt_work *work, const struct takt_trial *trial)
{
	double cycles = 0;

	for (uint32_t i = 0; i < work->record->insn_count; i++)
		if (takt_trial_concerns(work, trial, i))
			cycles += work->insns[i].lcd_cycles;
	return fmax(part_of_cycles(work, cycles),
		    waited(work, 1u << SIM_STALL_LATENCY) / TAKT_CLASS_COUNT);
}

static void list_latencies(struct list *list)
{
	const struct takt_work *work = list->work;

	for (unsigned insn_class = 0; insn_class < TAKT_CLASS_COUNT; insn_class++) {
		struct takt_trial trial = {.kind = TAKT_TRIAL_LATENCY,
					   .insn_class = (uint8_t)insn_class};

		for (uint32_t i = 0; i < work->record->insn_count; i++)
			if (takt_trial_concerns(work, &trial, i)) {
				trial.promise = latency_promise(work, &trial);
				add(list, trial);
				break;
			}
	}
}

/* ---- parameters -------------------------------------------------------------------- */

int32_t *takt_trial_param(enum takt_trial_kind kind, struct takt_core_params *params)
{
	switch (kind) {
	case TAKT_TRIAL_ISSUE:
		return &params->issue_width;
	case TAKT_TRIAL_RETIRE:
		return &params->retire_width;
	case TAKT_TRIAL_ROB:
		return &params->rob_entries;
	case TAKT_TRIAL_SCHEDULER:
		return &params->scheduler_entries;
	case TAKT_TRIAL_LOAD_QUEUE:
		return &params->load_queue_entries;
	case TAKT_TRIAL_STORE_QUEUE:
		return &params->store_queue_entries;
	case TAKT_TRIAL_COMMIT:
		return &params->store_commits;
	case TAKT_TRIAL_PORT:
	case TAKT_TRIAL_PIPELINED:
	case TAKT_TRIAL_LATENCY:
	case TAKT_TRIAL_LOAD:
	case TAKT_TRIAL_FRONT_END:
	case TAKT_TRIAL_MEMORY:
	case TAKT_TRIAL_FORWARD:
	case TAKT_TRIAL_MOVES:
	case TAKT_TRIAL_ALIGNMENT:
		break;
	}
	return NULL;
}

static int32_t half_again(int32_t width)
{
	return width > 0 ? width + (width + 1) / 2 : width;
}

static void widen_front_end(struct takt_core_params *params)
{
	params->fetch_bytes *= 2;
	params->predecode_width = half_again(params->predecode_width);
	params->decode_width = half_again(params->decode_width);
	params->op_cache_width = half_again(params->op_cache_width);
	params->op_cache_lines_per_cycle *= 2;
	params->microcode_width = half_again(params->microcode_width);
	params->length_change_cycles = 0;
	params->jcc_erratum = 0;
}

void takt_trial_set_params(const struct takt_trial *trial, struct takt_core_params *params)
{
	int32_t *param = takt_trial_param(trial->kind, params);

	switch (trial->kind) {
	case TAKT_TRIAL_FRONT_END:
		widen_front_end(params);
		break;
	case TAKT_TRIAL_ISSUE:
	case TAKT_TRIAL_RETIRE:
		*param = half_again(*param);
		if (params->retire_width < params->issue_width)
			params->retire_width = params->issue_width;
		break;
	case TAKT_TRIAL_ROB:
	case TAKT_TRIAL_SCHEDULER:
	case TAKT_TRIAL_LOAD_QUEUE:
	case TAKT_TRIAL_STORE_QUEUE:
		*param *= 2;
		break;
	case TAKT_TRIAL_COMMIT:
		*param += 1;
		break;
	case TAKT_TRIAL_MOVES:
		params->move_elimination_int_slots = params->move_elimination_vector_slots = -1;
		break;
	case TAKT_TRIAL_PORT:
	case TAKT_TRIAL_PIPELINED:
	case TAKT_TRIAL_LATENCY:
	case TAKT_TRIAL_LOAD:
	case TAKT_TRIAL_MEMORY:
	case TAKT_TRIAL_FORWARD:
	case TAKT_TRIAL_ALIGNMENT:
		break;
	}
}

/* ---- which instructions ------------------------------------------------------------- */

static bool uses_ports(const struct takt_work *work, uint32_t insn, uint32_t ports)
{
	for (; ports; ports &= ports - 1)
		if (work->insns[insn].port_cycles[__builtin_ctz(ports)] > 0)
			return true;
	return false;
}

static bool loads_stored(const struct takt_prepared *prepared, uint32_t insn, bool failing)
{
	for (uint32_t i = 0; i < prepared->edge_count; i++)
		if (prepared->edges[i].load == insn &&
		    (!failing || prepared->edges[i].overlap != TAKT_OVERLAP_CONTAINED))
			return true;
	return false;
}

bool takt_trial_concerns(const struct takt_work *work, const struct takt_trial *trial,
			 uint32_t index)
{
	const struct takt_prepared *prepared = &work->prepared;
	const struct takt_insn *insn = &prepared->block.insns[index];
	uint8_t flags = prepared->timings[index].flags;

	switch (trial->kind) {
	case TAKT_TRIAL_PORT:
	case TAKT_TRIAL_PIPELINED:
		return uses_ports(work, index, trial->ports);
	case TAKT_TRIAL_LATENCY:
		return insn->insn_class == trial->insn_class &&
		       !(flags & (TAKT_TIMING_ZERO | TAKT_TIMING_ELIM)) &&
		       takt_trial_latency(prepared, index) > 1;
	case TAKT_TRIAL_LOAD:
	case TAKT_TRIAL_LOAD_QUEUE:
		return insn->flags & TAKT_INSN_LOADS;
	case TAKT_TRIAL_STORE_QUEUE:
	case TAKT_TRIAL_COMMIT:
		return insn->flags & TAKT_INSN_STORES;
	case TAKT_TRIAL_MEMORY:
		return loads_stored(prepared, index, false);
	case TAKT_TRIAL_FORWARD:
		return loads_stored(prepared, index, true);
	case TAKT_TRIAL_MOVES:
		return flags & TAKT_TIMING_ELIM;
	case TAKT_TRIAL_FRONT_END:
	case TAKT_TRIAL_ISSUE:
	case TAKT_TRIAL_RETIRE:
	case TAKT_TRIAL_ROB:
	case TAKT_TRIAL_SCHEDULER:
	case TAKT_TRIAL_ALIGNMENT:
		break;
	}
	return false;
}

/* ---- the list ------------------------------------------------------------------------ */

#define CAUSE(name) (1u << SIM_STALL_##name)

/* Kinds that have exactly one trial. */
static const struct single {
	enum takt_trial_kind kind;
	bool needs_insns; /* list it only if it affects any instruction */
	uint32_t causes;  /* mask of stall causes that it may reduce */
} singles[] = {
	{TAKT_TRIAL_FRONT_END, false,
	 CAUSE(PREDECODE) | CAUSE(LENGTH_CHANGE) | CAUSE(DECODE) | CAUSE(OP_CACHE) |
		 CAUSE(LOOP_BUFFER) | CAUSE(MICROCODE)},
	{TAKT_TRIAL_ISSUE, false, CAUSE(RENAME)},
	{TAKT_TRIAL_RETIRE, false, CAUSE(RETIRE)},
	{TAKT_TRIAL_LOAD, true, CAUSE(LOAD)},
	{TAKT_TRIAL_FORWARD, true, CAUSE(FORWARD_FAIL)},
	{TAKT_TRIAL_MEMORY, true, CAUSE(FORWARD) | CAUSE(FORWARD_FAIL)},
	{TAKT_TRIAL_ROB, false, CAUSE(ROB)},
	{TAKT_TRIAL_SCHEDULER, false, CAUSE(SCHEDULER)},
	{TAKT_TRIAL_LOAD_QUEUE, true, CAUSE(LOAD_QUEUE)},
	{TAKT_TRIAL_STORE_QUEUE, true, CAUSE(STORE_QUEUE) | CAUSE(COMMIT)},
	{TAKT_TRIAL_COMMIT, true, CAUSE(STORE_QUEUE) | CAUSE(COMMIT)},
	{TAKT_TRIAL_MOVES, true, 0},
};

static bool concerns_any(const struct takt_work *work, const struct takt_trial *trial)
{
	for (uint32_t i = 0; i < work->record->insn_count; i++)
		if (takt_trial_concerns(work, trial, i))
			return true;
	return false;
}

static double bound_promise(const struct takt_work *work, enum takt_trial_kind kind)
{
	const struct takt_bounds *bounds = &work->record->bounds;

	if (kind == TAKT_TRIAL_FRONT_END)
		return part_of_cycles(work, bounds->front_end_cycles);
	return kind == TAKT_TRIAL_ISSUE ? part_of_cycles(work, bounds->issue_cycles) : 0;
}

static void list_singles(struct list *list)
{
	const struct takt_core_params *params = takt_model_params(list->work->prepared.model);

	for (size_t i = 0; i < TAKT_COUNT_OF(singles); i++) {
		struct takt_trial trial = {.kind = singles[i].kind};

		if (singles[i].needs_insns && !concerns_any(list->work, &trial))
			continue;
		if (trial.kind == TAKT_TRIAL_SCHEDULER && takt_sim_is_in_order(params))
			continue;
		trial.promise = fmax(waited(list->work, singles[i].causes),
				     bound_promise(list->work, trial.kind));
		add(list, trial);
	}
}

/* List block offsets: only starts of 16-byte chunks, or, if `full`, all. */
static void list_alignments(struct list *list, bool full)
{
	uint32_t step = full ? 1 : 16;
	double promise = waited(list->work, singles[0].causes);

	for (uint32_t at = 0; at < TAKT_ALIGNMENTS; at += step)
		if (at != list->work->record->alignment_bytes)
			add(list, (struct takt_trial){.kind = TAKT_TRIAL_ALIGNMENT,
						      .alignment_bytes = at,
						      .promise = promise});
}

static int compare_promises(const void *left, const void *right)
{
	const struct takt_trial *a = left, *b = right;

	if (a->promise != b->promise)
		return a->promise > b->promise ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->ports != b->ports)
		return a->ports < b->ports ? -1 : 1;
	if (a->insn_class != b->insn_class)
		return a->insn_class < b->insn_class ? -1 : 1;
	return a->alignment_bytes < b->alignment_bytes ? -1 : 1;
}

uint32_t takt_trials_list(const struct takt_work *work, bool full,
			  struct takt_trial ret_trials[TAKT_TRIALS_MAX])
{
	struct list list = {.work = work, .trials = ret_trials};

	list_ports(&list);
	list_latencies(&list);
	list_singles(&list);
	list_alignments(&list, full);
	qsort(ret_trials, list.count, sizeof(*ret_trials), compare_promises);
	return list.count;
}
