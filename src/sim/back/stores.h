/* SPDX-License-Identifier: MIT */
/* stores: what rename notes of a store, for the loads that read it and for its way to the cache.
 * Private to rename. */
#ifndef TAKT_SIM_STORES_H
#define TAKT_SIM_STORES_H

#include "sim/stream/stream_source.h"

/*
 * Return when all that is older than the store is done, and the `stores_before` that precede it can
 * have been written; 0 if the core has no store_forward_fail_older_cycles.
 */
static inline uint64_t sim_older_done(const struct sim_core *core, uint32_t stores_before)
{
	const struct takt_core_params *params = core->params;
	uint32_t between = stores_before - core->older_stores;
	uint32_t most = (uint32_t)params->store_queue_entries;

	if (!params->store_forward_fail_older_cycles)
		return 0;
	return core->older_done +
	       (between < most ? between : most) / (uint32_t)params->store_commit_lines;
}

/* Note that a slot of the instruction is done in this cycle. */
static inline void sim_note_done(struct sim_core *core, const struct sim_insn *insn, uint64_t done)
{
	if (done > core->done_last)
		core->done_last = done;
	if (core->params->store_forward_fail_older_cycles &&
	    done + insn->late_cycles > core->older_done) {
		core->older_done = done + insn->late_cycles;
		core->older_stores = core->stores_renamed;
	}
}

/* Return the store of a trace with this index in the current instruction. */
static inline struct sim_store *sim_traced_store_at(const struct sim_core *core, uint32_t index)
{
	uint32_t number = sim_dynamic(core->replay, core->context.iteration)->first_store + index;
	struct sim_store *store = &core->stores[number & core->replay->store_mask];

	if (store->number != number)
		*store = (struct sim_store){.number = number,
					    .queued = core->stores_renamed,
					    .older_done =
						    sim_older_done(core, core->stores_renamed)};
	return store;
}

static inline void sim_note_traced_store(struct sim_core *core, const struct sim_fact *fact,
					 uint32_t store)
{
	core->same_piece[store] = fact->flags & SIM_FACT_SAME_PIECE;
	core->other_line[store] = fact->flags & SIM_FACT_OTHER_LINE;
	core->split[store] = fact->flags & SIM_FACT_SPLIT;
	core->replay->commit_cycles[store] = 0;
	core->replay->store_cycles[store] = fact->store_cycles;
	core->replay->store_lines[store] = fact->line_back ? sim_fact_line(fact) : 0;
	core->replay->store_items[store] = core->context.iteration - fact->line_back;
}

/* Note a store of code that is not a trace. */
static inline void sim_note_store(struct sim_core *core, const struct sim_memory *memory,
				  uint32_t number)
{
	struct sim_store *store = sim_store_at(core, memory->store_index, core->context.iteration);

	store->queued = number;
	store->older_done = sim_older_done(core, number);
}

#endif
