/* SPDX-License-Identifier: MIT */
/*
 * A hash of all that decides what the core does from here on, with times relative to now
 * and iterations relative to the one being renamed. When it comes again, everything does.
 */
#include "sim/core.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* What lies in the past is all the same. */
static uint64_t relative(const struct sim_core *core, uint64_t time)
{
	return time > core->cycle ? time - core->cycle : 0;
}

static uint64_t add_values(const struct sim_core *core, uint64_t hash)
{
	for (unsigned part = 0; part < SIM_PART_COUNT; part++) {
		const struct sim_value *value = &core->values[part];

		hash = mix(hash, relative(core, value->ready) << 4 | (uint64_t)value->dirty << 1 |
					 value->from_load | (uint64_t)(value->shared != 0) << 2);
	}
	return mix(hash, core->rsp_shifted);
}

static uint64_t add_moves(const struct sim_core *core, uint64_t hash)
{
	for (unsigned c = 0; c < 2; c++) {
		const struct sim_moves *moves = &core->moves[c];

		hash = mix(hash, moves->live);
		for (unsigned back = 0; back < SIM_HISTORY && moves->capacity > 0; back++)
			hash = mix(hash, (uint64_t)moves->live_before[(core->cycle - back) %
								      SIM_HISTORY]
							 << 8 |
						 moves->eliminated_before[(core->cycle - back) %
									  SIM_HISTORY]);
	}
	return hash;
}

static uint64_t add_ports(const struct sim_core *core, uint64_t hash)
{
	const struct sim_ports *ports = &core->ports;
	uint64_t first = core->cycle - 1, shift = first % 64;

	for (unsigned p = 0; p < core->program->port_count; p++) {
		hash = mix(hash, (uint64_t)ports->pending[p] << 48 |
					 (uint64_t)ports->at_start[p] << 32 | (uint64_t)ports->before[p] << 16 |
					 ports->last_used[p]);
		for (uint64_t c = first; c <= ports->furthest; c += 64) {
			uint64_t word = ports->reserved[p][c / 64 % SIM_WINDOW_WORDS] >> shift;

			if (shift)
				word |= ports->reserved[p][(c / 64 + 1) % SIM_WINDOW_WORDS]
					<< (64 - shift);
			hash = mix(hash, word);
		}
	}
	return hash;
}

static uint64_t add_stores(const struct sim_core *core, uint64_t hash)
{
	for (uint32_t s = 0; s < core->program->store_count; s++)
		for (uint32_t back = 0; back < core->store_ring; back++) {
			const struct sim_store *store =
				&core->stores[(size_t)s * core->store_ring +
					      (core->iterations_renamed - back) % core->store_ring];

			hash = mix(hash, relative(core, store->value_ready) << 32 ^
						 relative(core, store->address_ready));
		}
	return hash;
}

static uint64_t add_buffers(const struct sim_core *core, uint64_t hash)
{
	for (uint32_t i = core->rob_head; i != core->rob_tail; i++) {
		const struct sim_rob_slot *slot = &core->rob[i % SIM_ROB_MAX];

		hash = mix(hash, relative(core, slot->done) << 8 | slot->ends_iteration);
	}
	for (uint32_t i = core->queue.head; i != core->queue.tail; i++) {
		const struct sim_queue_entry *entry =
			&core->queue.entries[i % SIM_QUEUE_ENTRIES_MAX];

		hash = mix(hash, (uint64_t)(entry->iteration - core->iterations_renamed) << 40 ^
					 (uint64_t)entry->insn << 17 ^
					 (uint64_t)entry->break_after << 16 ^ entry->slot);
	}
	hash = mix(hash, relative(core, core->line_change));
	return mix(hash, (uint64_t)core->loads_in_flight << 40 |
				 (uint64_t)core->stores_in_flight << 20 | core->stores_retired);
}

uint64_t sim_core_state(const struct sim_core *core)
{
	uint64_t hash = sim_front_end_state(core->front_end);

	hash = add_values(core, hash);
	hash = add_moves(core, hash);
	hash = add_ports(core, hash);
	hash = add_stores(core, hash);
	hash = add_buffers(core, hash);
	return mix(hash, core->context.next_slot);
}
