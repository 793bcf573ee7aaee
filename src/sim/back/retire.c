/* SPDX-License-Identifier: MIT */
/* Retirement in program order, and the writing of retired stores to the cache. */
#include "sim/stream/stream_source.h"

/*
 * True if a store finds room where stores to one piece of a line are collected: it continues the
 * piece of the store before, or begins another. A piece is written per cycle, and one may wait. A
 * store that goes to two pieces is collected alone.
 */
static bool collect(struct sim_core *core, uint32_t store, bool first)
{
	uint64_t from = core->cycle > core->pieces_written ? core->cycle : core->pieces_written;
	unsigned pieces = (core->same_piece[store] ? 0 : 1u) + (core->split[store] ? 1u : 0);

	if (core->split[store] && !first)
		return false;
	if (!pieces)
		return true;
	if (from > core->cycle + 1)
		return false;
	core->pieces_written = from + pieces;
	return true;
}

/*
 * Write retired stores to the cache. Several are written in a cycle if they go to one piece of a
 * line, or to as many pieces as the core writes to. On some cores a store of a byte or two delays
 * the next one that goes to another line.
 */
static void commit_stores(struct sim_core *core)
{
	int32_t pieces = core->params->store_commit_lines, most = core->params->store_commits;
	bool collects = core->params->store_commit_collects;

	if (core->cycle < core->writes_from)
		return;
	if (!collects && core->pieces_written == core->cycle)
		most -= core->params->split_store_commits - 1;
	for (int32_t left = most; left > 0 && core->stores_retired; left--) {
		uint32_t store = core->stores_committed % SIM_ROB_MAX;
		bool first = left == most;

		if (!collects && !core->same_piece[store] && !first && --pieces <= 0)
			return;
		if (core->other_line[store] && core->cycle < core->line_change)
			return;
		if (core->replay && core->cycle < core->replay->commit_cycles[store])
			return;
		if (collects && !collect(core, store, first))
			return;
		if (core->narrow[store])
			core->line_change =
				core->cycle + (uint64_t)core->params->narrow_store_cycles;
		core->stores_committed++;
		core->stores_retired--;
		core->stores_in_flight--;
		if (core->split[store] && core->params->split_store_commits > 1) {
			left -= core->params->split_store_commits - 1;
			core->pieces_written = core->cycle + (left < 1);
		} else if (core->split[store]) {
			if (!collects)
				core->writes_from = core->cycle + 1 +
						    (uint64_t)core->params->split_store_cycles;
			return;
		}
	}
}

/* Let a retired store wait for its line, if that is still on its way. */
static void wait_for_prefetch(struct sim_core *core, uint32_t store)
{
	struct sim_replay *replay = core->replay;
	uint64_t coming =
		core->cycle + sim_replay_coming(core, core->cycle, replay->store_items[store],
						replay->store_lines[store]);

	if (coming > replay->commit_cycles[store])
		replay->commit_cycles[store] = coming;
}

/* Request the lines of stores, as soon as they are retired. */
static void request_lines(struct sim_core *core, unsigned count)
{
	struct sim_replay *replay = core->replay;

	for (unsigned i = 0; i < count; i++) {
		uint32_t store = (core->stores_committed + core->stores_retired + i) % SIM_ROB_MAX;

		if (replay->store_cycles[store])
			replay->commit_cycles[store] =
				core->cycle + sim_replay_store_miss(core, core->cycle,
								    replay->store_cycles[store]);
		if (replay->store_lines[store])
			wait_for_prefetch(core, store);
	}
}

void sim_retire(struct sim_core *core)
{
	int32_t left = core->params->retire_width;

	commit_stores(core);
	for (; left > 0 && core->rob_head != core->rob_tail; left--) {
		const struct sim_rob_slot *slot = &core->rob[core->rob_head % SIM_ROB_MAX];

		if (slot->done > core->cycle)
			break;
		core->loads_in_flight -= slot->loads;
		if (core->replay && slot->stores)
			request_lines(core, slot->stores);
		core->stores_retired += slot->stores;
		if (slot->ends_iteration) {
			core->iterations_retired++;
			core->last_retired = core->cycle;
		}
		core->rob_head++;
	}
}

void sim_commit_all(struct sim_core *core)
{
	core->stores_committed += core->stores_retired;
	core->stores_in_flight -= core->stores_retired;
	core->stores_retired = 0;
}
