/* SPDX-License-Identifier: MIT */
/*
 * The cycle in which a load has its value: from the cache, from an earlier store, or from further
 * away.
 */
#include "sim/stream/stream_source.h"

/* Return when the store's value is ready if it is forwarded to a load. */
static uint64_t forwarded_ready(const struct sim_memory *memory, const struct sim_store *store)
{
	uint64_t ready = store->value_ready > store->address_ready ? store->value_ready
								   : store->address_ready;

	return ready + memory->forward_cycles;
}

/*
 * Return when a load that cannot be forwarded has its value: later than by forwarding, and after
 * everything older than the store is done, since the store is not written before.
 */
static uint64_t not_forwarded_ready(const struct sim_core *core, const struct sim_memory *memory,
				    const struct sim_store *store)
{
	uint64_t ready =
		forwarded_ready(memory, store) + (uint64_t)core->params->store_forward_fail_cycles;
	int32_t cycles = core->params->store_forward_fail_older_cycles;
	uint64_t behind = store->older_done + (uint64_t)cycles;

	return cycles && behind > ready ? behind : ready;
}

/* Return the most stores that can lie between two loads: a queue of them, and another. */
static int32_t stores_between_max(const struct takt_core_params *params)
{
	return 2 * params->store_queue_entries;
}

int32_t sim_failed_cycles(const struct takt_core_params *params)
{
	return params->store_forward_fail_again_cycles +
	       stores_between_max(params) / params->store_commit_lines;
}

/*
 * True if the last load that failed forwarding can still hold up others. In traces it cannot after
 * a long time, however many stores lie between.
 */
static bool failed_lately(const struct sim_core *core)
{
	return !core->replay ||
	       core->failed_ready + (uint64_t)sim_failed_cycles(core->params) > core->cycle;
}

/*
 * Return when a load has its value that waits until the store has been written to the cache: if the
 * store comes after another such load, it has waited for that one to retire, and for the stores
 * between.
 */
static uint64_t wait_for_cache(struct sim_core *core, uint32_t store, uint32_t stores_before,
			       uint64_t ready)
{
	const struct takt_core_params *params = core->params;
	int32_t between = (int32_t)(store - core->failed_stores);
	uint64_t after = core->failed_ready + (uint64_t)params->store_forward_fail_again_cycles;

	if (between >= 0 && between <= stores_between_max(params) && failed_lately(core)) {
		after += (uint32_t)(between / params->store_commit_lines);
		core->failed_behind |= after > ready;
		ready = after > ready ? after : ready;
	}
	if (ready > core->failed_ready) {
		core->failed_ready = ready;
		core->failed_stores = stores_before;
	}
	return ready;
}

static uint64_t renamed_ready(const struct sim_core *core, const struct sim_store *store)
{
	return store->source_ready - 1 + (uint64_t)core->params->store_forward_renamed_cycles;
}

uint64_t sim_load_ready(struct sim_core *core, const struct sim_memory *memory, uint64_t ready)
{
	const struct sim_memory_edge *edge = core->program->edges + memory->first_edge;

	for (uint32_t e = 0; e < memory->edge_count; e++, edge++) {
		const struct sim_store *store;
		uint64_t forwarded;

		if (edge->iterations > core->context.iteration)
			continue;
		store = sim_store_at(core, edge->store_index,
				     core->context.iteration - edge->iterations);
		if (edge->renamed && memory->edge_count == 1)
			return renamed_ready(core, store);
		if (edge->fails)
			forwarded = wait_for_cache(core, store->queued, core->stores_renamed,
						   not_forwarded_ready(core, memory, store));
		else
			forwarded = forwarded_ready(memory, store);
		ready = forwarded > ready ? forwarded : ready;
	}
	return ready;
}

/* ---- in a trace ---------------------------------------------------------------------------- */

static const struct sim_dynamic *dynamic_of(const struct sim_core *core)
{
	return sim_dynamic(core->replay, core->context.iteration);
}

/*
 * Return when a load that fails has its value: stores are written in order, so it is in the cache
 * once all stores from the oldest on are.
 */
static uint64_t failed_ready(struct sim_core *core, const struct sim_memory *memory,
			     const struct sim_fact *fact)
{
	const struct sim_store *store = sim_replay_store(core, fact->store);
	uint32_t stores_before = dynamic_of(core)->first_store;
	uint64_t ready = 0;

	for (uint32_t back = 0; back <= fact->older_stores; back++) {
		const struct sim_store *older = sim_replay_store(core, fact->store - back);
		uint64_t forwarded = older ? not_forwarded_ready(core, memory, older) : 0;

		ready = forwarded > ready ? forwarded : ready;
	}
	/* A value that is in the cache by now does not wait for another load that failed. */
	return wait_for_cache(core, store ? store->number : core->failed_stores - 1, stores_before,
			      ready);
}

/* Return the level that a line comes from if it arrives `cycles` later than on a hit. */
static enum sim_loss level_of(const struct sim_core *core, uint64_t cycles)
{
	const struct sim_misses *misses = &core->replay->misses;

	if (cycles >= misses->memory_cycles)
		return SIM_LOSS_MEMORY;
	return misses->level_cycles[2] && cycles >= misses->level_cycles[2] ? SIM_LOSS_L3
									    : SIM_LOSS_L2;
}

/* Return when a load that does not hit has its value, which it would have at `hit`. */
static uint64_t missed_ready(struct sim_core *core, const struct sim_fact *fact, uint64_t hit)
{
	uint32_t item = core->context.iteration;
	uint64_t late = 0, coming = 0;

	if (fact->load_cycles)
		late = sim_replay_load_miss(core, hit, fact->load_cycles, item);
	if (fact->line_back)
		coming = sim_replay_coming(core, hit, item - fact->line_back, sim_fact_line(fact));
	if (late || coming)
		core->load_loss = level_of(core, coming > late ? coming : fact->load_cycles);
	return hit + (coming > late ? coming : late);
}

uint64_t sim_load_stored(struct sim_core *core, const struct sim_memory *memory,
			 const struct sim_fact *fact)
{
	const struct sim_memory_edge *edge = core->program->edges + memory->first_edge;
	uint64_t latest = 0;

	if (fact) {
		const struct sim_store *store =
			fact->flags & SIM_FACT_STORED ? sim_replay_store(core, fact->store) : NULL;

		return store && !(fact->flags & (SIM_FACT_RENAMED | SIM_FACT_FAILS))
			       ? forwarded_ready(memory, store)
			       : 0;
	}
	for (uint32_t e = 0; e < memory->edge_count; e++, edge++) {
		uint64_t forwarded;

		if (edge->renamed || edge->fails || edge->iterations > core->context.iteration)
			continue;
		forwarded = forwarded_ready(
			memory, sim_store_at(core, edge->store_index,
					     core->context.iteration - edge->iterations));
		latest = forwarded > latest ? forwarded : latest;
	}
	return latest;
}

uint64_t sim_traced_load_ready(struct sim_core *core, const struct sim_memory *memory,
			       const struct sim_fact *fact, uint64_t ready)
{
	uint64_t hit = ready;

	core->load_loss = SIM_LOSS_LOAD;
	if (fact->flags & SIM_FACT_STORED) {
		const struct sim_store *store = sim_replay_store(core, fact->store);
		bool fails = fact->flags & SIM_FACT_FAILS;
		uint64_t forwarded = 0;

		if (store && fact->flags & SIM_FACT_RENAMED)
			return renamed_ready(core, store);
		if (fails)
			forwarded = failed_ready(core, memory, fact);
		else if (store)
			forwarded = forwarded_ready(memory, store);
		if (forwarded > ready) {
			ready = forwarded;
			core->load_loss = fails ? SIM_LOSS_FORWARD_FAIL : SIM_LOSS_FORWARD;
		}
	}
	if (fact->load_cycles || fact->line_back) {
		enum sim_loss loss = core->load_loss;
		uint64_t missed = missed_ready(core, fact, hit);

		if (missed > ready)
			ready = missed;
		else
			core->load_loss = loss;
	}
	return ready;
}
