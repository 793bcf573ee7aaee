/* SPDX-License-Identifier: MIT */
/* The part that every analysis begins with: decoding, timings, fusion and port loads. */
#include <assert.h>

#include "analyze/steps.h"

#define LOADS_START 16u

static bool branches_to_start(const struct takt_block *block)
{
	const struct takt_insn *last = &block->insns[block->count - 1];
	uint32_t not_loop = TAKT_INSN_CALL | TAKT_INSN_RETURN | TAKT_INSN_INDIRECT;

	return last->flags & TAKT_INSN_BRANCH && !(last->flags & not_loop) &&
	       last->branch_target == block->insns[0].address;
}

enum takt_status takt_steps_decode(struct takt_steps *steps, const struct takt_code *code,
				   size_t region_index, struct takt_arena *arena,
				   struct takt_diag *diag)
{
	const struct takt_region *region = takt_code_region(code, region_index);
	struct takt_lead lead = takt_region_lead(code, region_index, arena);
	enum takt_status status = takt_decode_block(
		takt_code_isa(code), region->bytes, region->size_bytes, region->address,
		takt_code_file(code), takt_region_section(code, region_index), arena, diag,
		&steps->block);

	if (status == TAKT_OK)
		takt_block_set_vectors(&steps->block, &lead);
	return status;
}

void takt_steps_set_mode(struct takt_steps *steps, enum takt_mode mode)
{
	bool loop = branches_to_start(&steps->block);

	if (mode == TAKT_MODE_AUTO)
		mode = loop ? TAKT_MODE_LOOP : TAKT_MODE_UNROLL;
	if (mode == TAKT_MODE_UNROLL && loop && steps->block.count > 1)
		steps->block.count--;
	steps->mode = mode;
}

/*
 * Return the entry of a fused pair's first instruction whose µop the branch's µop absorbs. The
 * branch's µop does the work of both; the first instruction keeps its load. The entry it loses is
 * the one for units that could execute the branch, or else the one with the most units, as loads
 * have few.
 */
static uint32_t absorbed_entry(const struct takt_timing *first, const struct takt_timing *branch,
			       uint32_t pseudo)
{
	uint32_t branch_ports = 0, best = UINT32_MAX;
	int best_score = -1;

	for (uint32_t i = 0; i < branch->uops_count; i++)
		branch_ports |= branch->uops[i].ports;
	for (uint32_t i = 0; i < first->uops_count; i++) {
		uint32_t ports = first->uops[i].ports;
		int score = __builtin_popcount(ports);

		if (ports & pseudo)
			continue;
		if (ports & branch_ports)
			score += TAKT_PORTS_MAX;
		if (score > best_score) {
			best_score = score;
			best = i;
		}
	}
	return best;
}

uint32_t takt_steps_uop_count(const struct takt_steps *steps, uint32_t insn, uint32_t index)
{
	const struct takt_timing *timing = &steps->timings[insn];
	uint32_t count = timing->uops[index].count;
	uint32_t pseudo;

	if (insn + 1 == steps->block.count || !steps->fused[insn + 1] || !count)
		return count;
	pseudo = takt_model_pseudo_ports(steps->model);
	return count - (absorbed_entry(timing, timing + 1, pseudo) == index);
}

uint32_t takt_steps_load_index(const struct takt_steps *steps, uint32_t ports)
{
	for (uint32_t i = 0; i < steps->load_count; i++)
		if (steps->loads[i].ports == ports)
			return i;
	return UINT32_MAX;
}

static void add_load(struct takt_steps *steps, uint32_t ports, uint32_t count, uint32_t *capacity,
		     struct takt_arena *arena)
{
	uint32_t index = takt_steps_load_index(steps, ports);

	if (index != UINT32_MAX) {
		steps->loads[index].count += count;
		return;
	}
	TAKT_GROW_IN(arena, steps->loads, steps->load_count + 1, *capacity);
	steps->loads[steps->load_count++] = (struct takt_port_load){ports, count};
}

static void sum_loads(struct takt_steps *steps, struct takt_arena *arena)
{
	uint32_t capacity = LOADS_START;

	steps->loads = TAKT_NEW_ARRAY(arena, capacity, struct takt_port_load);
	steps->load_count = 0;
	for (uint32_t i = 0; i < steps->block.count; i++) {
		const struct takt_timing *timing = &steps->timings[i];

		for (uint32_t k = 0; k < timing->uops_count; k++) {
			uint32_t count = takt_steps_uop_count(steps, i, k);

			if (count && timing->uops[k].ports)
				add_load(steps, timing->uops[k].ports, count, &capacity, arena);
		}
	}
}

void takt_steps_run(struct takt_steps *steps, struct takt_arena *arena)
{
	uint32_t count = steps->block.count;
	struct takt_timing_storage *storage;

	assert(count);
	storage = TAKT_NEW_ARRAY(arena, count, struct takt_timing_storage);
	steps->timings = TAKT_NEW_ARRAY(arena, count, struct takt_timing);
	steps->fused = TAKT_NEW_ARRAY(arena, count, bool);
	for (uint32_t i = 0; i < count; i++)
		takt_model_timing(steps->model, &steps->block.insns[i], &storage[i],
				  &steps->timings[i]);
	takt_timings_close_port(steps->model, &steps->block, storage, steps->timings);
	steps->issue_slots =
		takt_issue_slots(steps->model, &steps->block, steps->timings, steps->fused);
	sum_loads(steps, arena);
}

double takt_steps_issue_cycles(const struct takt_steps *steps)
{
	int32_t width = takt_model_params(steps->model)->issue_width;

	return width > 0 ? steps->issue_slots / (double)width : 0;
}

void takt_steps_find_memory(struct takt_steps *steps, struct takt_arena *arena)
{
	/* Copies of an unrolled block follow each other like iterations. */
	const struct takt_memory_options options = {
		.loop = true,
		.window_instructions = (uint32_t)takt_model_params(steps->model)->rob_entries,
		.entry_values = steps->entry_values,
		.entry_value_count = steps->entry_value_count,
	};
	struct takt_memory_dependences dependences;

	takt_memory_dependences_find(&steps->block, &options, arena, &dependences);
	steps->edges = dependences.edges;
	steps->edge_count = dependences.edge_count;
}

void takt_steps_simulate(const struct takt_steps *steps, const struct sim_options *options,
			 struct takt_arena *arena, struct sim_summary *ret_summary)
{
	const struct sim_block block = {.model = steps->model,
					.block = &steps->block,
					.timings = steps->timings,
					.fused = steps->fused,
					.edges = steps->edges,
					.edge_count = steps->edge_count};
	struct sim_options simulation = *options;

	simulation.loop = steps->mode == TAKT_MODE_LOOP;
	takt_simulate(&block, &simulation, arena, ret_summary);
}
