/* SPDX-License-Identifier: MIT */
/*
 * Placement of memory: a page is on the node of the thread that wrote to it first. Which node that
 * is depends on the machine; threads are assumed to be spread over its nodes in blocks, as with
 * OMP_PROC_BIND=close and one place for each core.
 */
#include "diagnose/signatures.h"

#define THREADS_SHOWN 6u

struct placing {
	uint32_t first, count; /* first of the threads that work, and their number */
	uint32_t nodes;
	uint64_t lines, unplaced, foreign; /* sums over all threads */
	uint64_t remote;		   /* lines in pages first written on another node */
};

/*
 * Return the node of a thread. A first thread that only creates others runs on the node of the
 * first of those.
 */
static uint32_t node_of(const struct placing *placing, uint32_t thread)
{
	uint64_t position = thread < placing->first ? 0 : thread - placing->first;

	return placing->count ? (uint32_t)(position * placing->nodes / placing->count) : 0;
}

static uint32_t known_threads(const struct diagnose_seen *seen)
{
	return seen->thread_count < ORACLE_BLOCK_THREADS ? seen->thread_count
							 : ORACLE_BLOCK_THREADS;
}

static uint64_t remote_lines(const struct diagnose_seen *seen, const struct placing *placing,
			     uint32_t thread)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < ORACLE_BLOCK_THREADS; i++)
		if (node_of(placing, i) != node_of(placing, thread))
			sum += seen->placements[thread].of[i];
	return sum;
}

static struct placing add_up(const struct judge *judge)
{
	const struct diagnose_seen *seen = judge->seen;
	struct placing placing = {.nodes = judge->measure->nodes};
	double most, sum;

	placing.count = judge_workers(seen, &placing.first, &most, &sum);
	for (uint32_t i = 0; i < known_threads(seen); i++) {
		const struct oracle_placement *placement = &seen->placements[i];

		placing.lines += placement->lines;
		placing.unplaced += placement->unplaced;
		placing.remote += remote_lines(seen, &placing, i);
		for (uint32_t j = 0; j < ORACLE_BLOCK_THREADS; j++)
			placing.foreign += j == i ? 0 : placement->of[j];
	}
	return placing;
}

static void show_threads(struct signature *signature, const struct placing *placing)
{
	const struct diagnose_seen *seen = signature->judge->seen;
	uint32_t shown = 0;

	for (uint32_t i = 0; i < known_threads(seen) && shown < THREADS_SHOWN; i++) {
		const struct oracle_placement *placement = &seen->placements[i];
		uint64_t remote = remote_lines(seen, placing, i);

		if (!remote || (double)remote < 0.02 * (double)placing->remote)
			continue;
		shown++;
		signature_detail(signature,
				 "thread %u on node %u: %.0f %% of its %llu %s; used in %s, "
				 "first written in %s",
				 i, node_of(placing, i),
				 100 * ratio((double)remote, (double)placement->lines),
				 (unsigned long long)placement->lines,
				 takt_noun(placement->lines, "line", "lines"),
				 source_text(signature->judge, &seen->users[i]),
				 source_text(signature->judge, &seen->writers[i]));
	}
}

static void judge_nodes(struct judge *judge, const struct placing *placing)
{
	const struct oracle_counts *all = &judge->seen->all;
	struct signature signature = signature_begin(judge, PATTERN_NUMA);

	signature_figure(&signature,
			 "share of the lines of all threads in pages that a thread of another node "
			 "wrote first",
			 ratio((double)placing->remote, (double)placing->lines), "", TAKT_COUNTED,
			 takt_arena_printf(&judge->report->arena,
					   "%u threads on %u nodes, in blocks", placing->count,
					   placing->nodes));
	signature_made_of(&signature, "LINES_TOUCHED");
	signature_at_least(&signature, "placement", judge->limits->placement);
	signature_figure(&signature, "lines from memory per instruction",
			 ratio((double)all->l3_in, (double)all->insns), "", TAKT_MODELLED, "");
	signature_made_of(&signature, "L3_LINES_IN INSTRUCTIONS");
	signature_at_least(&signature, "fill-rate", judge->limits->fill_rate);
	signature_figure(&signature, "share of the lines in pages whose first writer is not known",
			 ratio((double)placing->unplaced, (double)placing->lines), "", TAKT_COUNTED,
			 "");
	if (signature.holds)
		show_threads(&signature, placing);
	signature_end(&signature, NULL);
}

void judge_placement(struct judge *judge)
{
	struct takt_diagnosis *diagnosis = &judge->report->diagnosis;
	struct placing placing;

	diagnosis->foreign_lines = diagnosis->unplaced_lines = NAN;
	judge->report->patterns[PATTERN_NUMA].verdict = TAKT_PATTERN_UNSEEN;
	if (judge->seen->thread_count < 2)
		return;
	placing = add_up(judge);
	diagnosis->foreign_lines = ratio((double)placing.foreign, (double)placing.lines);
	diagnosis->unplaced_lines = ratio((double)placing.unplaced, (double)placing.lines);
	if (placing.nodes < 2 || placing.count < 2)
		return;
	judge->report->patterns[PATTERN_NUMA].verdict = TAKT_PATTERN_CLEAR;
	judge_nodes(judge, &placing);
}
