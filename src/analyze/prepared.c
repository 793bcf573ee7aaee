/* SPDX-License-Identifier: MIT */
/* The part that every analysis begins with: decoding, timings, fusion and port loads. */
#include <assert.h>

#include "analyze/prepared.h"

#define LOADS_START 16u

static bool branches_to_start(const struct takt_block *block)
{
	const struct takt_insn *last = &block->insns[block->count - 1];
	uint32_t not_loop = TAKT_INSN_CALL | TAKT_INSN_RETURN | TAKT_INSN_INDIRECT;

	return last->flags & TAKT_INSN_BRANCH && !(last->flags & not_loop) &&
	       last->branch_target == block->insns[0].address;
}

enum takt_status takt_prepared_decode(struct takt_prepared *prepared, const struct takt_code *code,
				      size_t region_index, struct takt_arena *arena,
				      struct takt_diag *diag)
{
	const struct takt_region *region = takt_code_region(code, region_index);
	struct takt_lead lead = takt_region_lead(code, region_index, arena);
	/* Each core decodes for itself, since LLVM's scheduling classes are a processor's own. */
	enum takt_status status = takt_decode_block(
		takt_model_isa(prepared->model),
		&(struct takt_code_bytes){region->bytes, region->size_bytes, region->address,
					  takt_code_file(code),
					  takt_region_section(code, region_index)},
		arena, diag, &prepared->block);

	if (status == TAKT_OK)
		takt_block_set_vectors(&prepared->block, &lead);
	else if (takt_model_isa(prepared->model) != takt_code_isa(code))
		takt_note(diag, "%s lacks the ISA extension of the instruction, or it is data",
			  takt_model_name(prepared->model));
	return status;
}

void takt_prepared_set_mode(struct takt_prepared *prepared, enum takt_mode mode)
{
	bool loop = branches_to_start(&prepared->block);

	if (mode == TAKT_MODE_AUTO)
		mode = loop ? TAKT_MODE_LOOP : TAKT_MODE_UNROLL;
	if (mode == TAKT_MODE_UNROLL && loop && prepared->block.count > 1)
		prepared->block.count--;
	prepared->mode = mode;
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

uint32_t takt_prepared_uop_count(const struct takt_prepared *prepared, uint32_t insn,
				 uint32_t index)
{
	const struct takt_timing *timing = &prepared->timings[insn];
	uint32_t count = timing->uops[index].count;
	uint32_t pseudo;

	if (insn + 1 == prepared->block.count || !prepared->fused[insn + 1] || !count)
		return count;
	pseudo = takt_model_pseudo_ports(prepared->model);
	return count - (absorbed_entry(timing, timing + 1, pseudo) == index);
}

uint32_t takt_prepared_load_index(const struct takt_prepared *prepared, uint32_t ports)
{
	for (uint32_t i = 0; i < prepared->load_count; i++)
		if (prepared->loads[i].ports == ports)
			return i;
	return UINT32_MAX;
}

static void add_load(struct takt_prepared *prepared, uint32_t ports, uint32_t count,
		     uint32_t *capacity, struct takt_arena *arena)
{
	uint32_t index = takt_prepared_load_index(prepared, ports);

	if (index != UINT32_MAX) {
		prepared->loads[index].count += count;
		return;
	}
	TAKT_GROW_IN(arena, prepared->loads, prepared->load_count + 1, *capacity);
	prepared->loads[prepared->load_count++] = (struct takt_port_load){ports, count};
}

static void sum_loads(struct takt_prepared *prepared, struct takt_arena *arena)
{
	uint32_t capacity = LOADS_START;

	prepared->loads = TAKT_NEW_ARRAY(arena, capacity, struct takt_port_load);
	prepared->load_count = 0;
	for (uint32_t i = 0; i < prepared->block.count; i++) {
		const struct takt_timing *timing = &prepared->timings[i];

		for (uint32_t k = 0; k < timing->uops_count; k++) {
			uint32_t count = takt_prepared_uop_count(prepared, i, k);

			if (count && timing->uops[k].ports)
				add_load(prepared, timing->uops[k].ports, count, &capacity, arena);
		}
	}
}

void takt_prepared_run(struct takt_prepared *prepared, struct takt_arena *arena)
{
	uint32_t count = prepared->block.count;

	assert(count);
	prepared->timings = TAKT_NEW_ARRAY(arena, count, struct takt_timing);
	prepared->fused = TAKT_NEW_ARRAY(arena, count, bool);
	prepared->issue_slots = takt_block_timings(prepared->model, &prepared->block, arena,
						   prepared->timings, prepared->fused);
	sum_loads(prepared, arena);
}

double takt_prepared_issue_cycles(const struct takt_prepared *prepared)
{
	int32_t width = takt_model_params(prepared->model)->issue_width;

	return width > 0 ? prepared->issue_slots / (double)width : 0;
}

void takt_prepared_find_memory(struct takt_prepared *prepared, struct takt_arena *arena)
{
	/* Copies of an unrolled block follow each other like iterations. */
	const struct takt_memory_options options = {
		.loop = true,
		.window_instructions = (uint32_t)takt_model_params(prepared->model)->rob_entries,
		.entry_values = prepared->entry_values,
		.entry_value_count = prepared->entry_value_count,
	};
	struct takt_memory_dependences dependences;

	takt_memory_dependences_find(&prepared->block, &options, arena, &dependences);
	prepared->edges = dependences.edges;
	prepared->edge_count = dependences.edge_count;
}

struct sim_block takt_prepared_block(const struct takt_prepared *prepared)
{
	return (struct sim_block){.model = prepared->model,
				  .block = &prepared->block,
				  .timings = prepared->timings,
				  .fused = prepared->fused,
				  .edges = prepared->edges,
				  .edge_count = prepared->edge_count,
				  .entry_values = prepared->entry_values,
				  .entry_value_count = prepared->entry_value_count};
}

void takt_prepared_simulate(const struct takt_prepared *prepared, const struct sim_options *options,
			    struct takt_arena *arena, struct sim_summary *ret_summary)
{
	const struct sim_block block = takt_prepared_block(prepared);
	struct sim_options simulation = *options;

	simulation.loop = prepared->mode == TAKT_MODE_LOOP;
	takt_simulate(&block, &simulation, arena, ret_summary);
}

void takt_prepared_execute(const struct takt_prepared *prepared, const struct sim_options *options,
			   const struct sim_summary *steady, uint64_t iterations,
			   struct takt_arena *arena, struct sim_execution *ret_execution)
{
	const struct sim_block block = takt_prepared_block(prepared);
	struct sim_options simulation = *options;

	simulation.loop = prepared->mode == TAKT_MODE_LOOP;
	takt_simulate_execution(&block, &simulation, steady, iterations, arena, ret_execution);
}
