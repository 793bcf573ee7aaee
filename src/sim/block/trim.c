/* SPDX-License-Identifier: MIT */
/*
 * Operands of a repeated block that make no difference: sources that no instruction of the block
 * writes, which are ready from the start, and results that none reads. Rename would look at them in
 * each iteration.
 */
#include "sim/block/block.h"

struct uses {
	bool read[SIM_PART_COUNT], written[SIM_PART_COUNT];
	bool shared[SIM_PART_COUNT]; /* moves may let others share its register */
};

static bool is_used(const struct sim_source *source)
{
	return source->group != SIM_GROUP_UNUSED || source->merges;
}

static void note_sources(const struct sim_insn *insn, const struct sim_source *sources,
			 struct uses *uses)
{
	bool moves = insn->flags & SIM_INSN_MOVE;

	for (unsigned s = 0; s < insn->source_count; s++) {
		uses->read[sources[s].part] |= moves || is_used(&sources[s]);
		uses->shared[sources[s].part] |= moves;
	}
}

static void note_results(const struct sim_insn *insn, const struct sim_result *results,
			 struct uses *uses)
{
	for (unsigned r = 0; r < insn->result_count; r++) {
		uint8_t part = results[r].part;

		uses->written[part] = true;
		/* A high byte that was written apart is merged into its register. */
		if (part < TAKT_PART_COUNT && takt_location_is_high8(part))
			uses->written[part - TAKT_LOC_HIGH8 + TAKT_LOC_GPR] = true;
	}
	if (insn->flags & SIM_INSN_MOVE && insn->result_count)
		uses->shared[results[0].part] = true;
}

static void find_uses(const struct sim_tables *tables, struct uses *ret_uses)
{
	*ret_uses = (struct uses){.read = {false}};
	for (uint32_t i = 0; i < tables->insn_count; i++) {
		const struct sim_insn *insn = &tables->insns[i];

		note_sources(insn, &tables->sources[insn->sources], ret_uses);
		note_results(insn, &tables->results[insn->results], ret_uses);
	}
	/* The stack engine's µops read and write it. */
	ret_uses->read[TAKT_LOC_RSP] = ret_uses->written[TAKT_LOC_RSP] = true;
	for (unsigned part = TAKT_PART_COUNT; part < SIM_PART_COUNT; part++)
		ret_uses->read[part] = ret_uses->written[part] = true;
}

/* True if a source before it, from `first` on, is the same. */
static bool is_repeated(const struct sim_source *first, const struct sim_source *source)
{
	for (; first < source; first++)
		if (first->part == source->part && first->group == source->group &&
		    first->extra_cycles == source->extra_cycles &&
		    first->merges == source->merges && first->is_byte == source->is_byte)
			return true;
	return false;
}

static bool is_needed(const struct uses *uses, const struct sim_source *first,
		      const struct sim_source *source)
{
	if (!is_used(source) || is_repeated(first, source))
		return false;
	return uses->written[source->part] || source->extra_cycles || source->is_byte;
}

/*
 * Let the µops and groups of an instruction have the sources that stay; `before`: how many of those
 * are in front of each.
 */
static void renumber(const struct sim_tables *tables, struct sim_insn *insn, const uint8_t *before)
{
	for (unsigned g = 0; g < insn->group_count; g++)
		insn->group_ends[g] = before[insn->group_ends[g]];
	for (unsigned u = 0; u < insn->uop_count; u++) {
		struct sim_uop *uop = &tables->uops[insn->uops + u];
		unsigned first = uop->first_source;

		/* The base of an address comes first; it does not come from a load. */
		if (uop->kind == SIM_UOP_LOAD && uop->source_count &&
		    before[first] == before[first + 1])
			tables->memories[insn->memories + uop->memory].fast = false;
		uop->source_count = (uint8_t)(before[first + uop->source_count] - before[first]);
		uop->first_source = before[first];
	}
	insn->source_count = before[insn->source_count];
}

static void trim_sources(const struct sim_tables *tables, struct sim_insn *insn,
			 const struct uses *uses)
{
	struct sim_source *sources = &tables->sources[insn->sources];
	uint8_t before[TAKT_ACCESSES_MAX * TAKT_PARTS_MAX + 1];
	uint8_t kept = 0;

	for (unsigned s = 0; s < insn->source_count; s++) {
		before[s] = kept;
		kept += is_needed(uses, sources, &sources[s]);
	}
	before[insn->source_count] = kept;
	for (unsigned s = 0; s < insn->source_count; s++)
		if (before[s + 1] > before[s])
			sources[before[s]] = sources[s];
	renumber(tables, insn, before);
}

static void trim_results(const struct sim_tables *tables, struct sim_insn *insn,
			 const struct uses *uses)
{
	struct sim_result *results = &tables->results[insn->results];
	uint8_t kept = 0;

	for (unsigned r = 0; r < insn->result_count; r++)
		if (uses->read[results[r].part] || uses->shared[results[r].part])
			results[kept++] = results[r];
	insn->result_count = kept;
}

void sim_tables_trim(const struct sim_tables *tables, bool only_looks,
		     bool ret_used[SIM_PART_COUNT])
{
	struct uses uses;

	find_uses(tables, &uses);
	for (unsigned part = 0; part < SIM_PART_COUNT; part++)
		ret_used[part] = uses.read[part] || uses.shared[part];
	for (uint32_t i = 0; i < tables->insn_count && !only_looks; i++) {
		struct sim_insn *insn = &tables->insns[i];

		/* A move copies its sources to its results, however these are used. */
		if (insn->flags & SIM_INSN_MOVE)
			continue;
		trim_sources(tables, insn, &uses);
		trim_results(tables, insn, &uses);
	}
}
