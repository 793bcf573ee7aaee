/* SPDX-License-Identifier: MIT */
/* Patterns of memory: strided and erratic access, bandwidth, excess volume. */
#include "diagnose/signatures.h"

#define ACCESSES_SHOWN 3u

/* Show the accesses of a place that miss most. */
static void show_misses(struct signature *signature, const struct diagnose_place *place)
{
	const struct diagnose_seen *seen = signature->judge->seen;
	uint64_t last = UINT64_MAX;

	for (uint32_t shown = 0; shown < ACCESSES_SHOWN; shown++) {
		const struct diagnose_access *best = NULL;

		for (uint32_t i = 0; i < seen->access_count; i++) {
			const struct diagnose_access *access = &seen->accesses[i];

			if (&seen->places[access->place] == place && access->counts.misses[0] &&
			    access->counts.misses[0] < last &&
			    (!best || access->counts.misses[0] > best->counts.misses[0]))
				best = access;
		}
		if (!best || (double)best->counts.misses[0] < 0.05 * (double)place->misses[0])
			return;
		last = best->counts.misses[0];
		signature_detail(
			signature,
			"%s: a %s, %.0f %% of the misses; %.0f %% of its strides "
			"repeat and lead to other lines, %.0f %% do not repeat%s",
			source_text(signature->judge, &best->source),
			best->counts.store ? "store" : "load",
			100 * ratio((double)best->counts.misses[0], (double)place->misses[0]),
			100 * ratio((double)best->counts.strides[STRIDE_FAR],
				    (double)best->counts.count),
			100 * ratio((double)best->counts.strides[STRIDE_ERRATIC],
				    (double)best->counts.count),
			allocation_text(signature->judge, &best->allocation));
	}
}

/* Judge lines of which few bytes are used, accessed at strides that repeat or do not. */
static void judge_strides(struct judge *judge, const struct diagnose_place *place)
{
	const struct diagnose_thresholds *limits = judge->limits;
	double far = (double)place->miss_strides[STRIDE_FAR];
	double steady = ratio(far, far + (double)place->miss_strides[STRIDE_ERRATIC]);
	bool strided = steady >= limits->steady;
	struct signature signature =
		signature_begin(judge, strided ? PATTERN_STRIDED : PATTERN_ERRATIC);

	signature_figure(&signature, "misses of the first-level cache per instruction",
			 ratio((double)place->misses[0], (double)place->counts.insns), "",
			 TAKT_MODELLED, "");
	signature_made_of(&signature, "L1_LINES_IN INSTRUCTIONS");
	signature_at_least(&signature, "fill-rate", limits->fill_rate);
	signature_figure(&signature, "bytes accessed per line loaded, of 64", line_use(place), "",
			 TAKT_COUNTED | TAKT_MODELLED, "1: each once");
	signature_made_of(&signature, "LOAD_BYTES STORE_BYTES L1_LINES_IN");
	signature_below(&signature, "line-use", limits->line_use);
	signature_figure(&signature, "share of misses at strides that repeat", steady, "",
			 TAKT_COUNTED | TAKT_MODELLED, "");
	signature_made_of(&signature, "L1_LINES_IN");
	if (strided)
		signature_at_least(&signature, "steady", limits->steady);
	else
		signature_below(&signature, "steady", limits->steady);
	signature_figure(&signature, "share of cycles lost to memory or to loads that miss",
			 memory_share(place), "", TAKT_MODELLED, "");
	signature_made_of(&signature, "L1_LINES_IN L2_LINES_IN L3_LINES_IN");
	signature_at_least(&signature, "memory", limits->memory);
	show_misses(&signature, place);
	signature_end(&signature, place);
	if (signature.holds && signature.distrusted) {
		signature.pattern = strided ? PATTERN_ERRATIC : PATTERN_STRIDED;
		signature_doubt(&signature);
	}
}

/* Judge whether well-used lines arrive at the rate that memory can deliver. */
static void judge_bandwidth(struct judge *judge, const struct diagnose_place *place)
{
	const struct takt_core_params *params = takt_model_params(judge->seen->model);
	struct signature signature = signature_begin(judge, PATTERN_BANDWIDTH);
	double cycles = (double)place->misses[2] * params->memory_line_cycles;

	signature_figure(&signature, "share of the memory bandwidth",
			 ratio(cycles, (double)place->cycles), "", TAKT_MODELLED,
			 takt_arena_printf(&judge->report->arena,
					   "64 bytes each %d cycles: one core of %s",
					   (int)params->memory_line_cycles,
					   takt_model_name(judge->seen->model)));
	signature_made_of(&signature, "L3_LINES_IN");
	signature_at_least(&signature, "saturation", judge->limits->saturation);
	signature_figure(&signature, "bytes accessed per line loaded, of 64", line_use(place), "",
			 TAKT_COUNTED | TAKT_MODELLED, "1: each once");
	signature_made_of(&signature, "LOAD_BYTES STORE_BYTES L1_LINES_IN");
	signature_at_least(&signature, "line-use", judge->limits->line_use);
	show_misses(&signature, place);
	signature_end(&signature, place);
}

void judge_memory_place(struct judge *judge, const struct diagnose_place *place)
{
	judge_strides(judge, place);
	judge_bandwidth(judge, place);
}

/* ---- the program ---- */

/* Judge whether the same lines are fetched repeatedly, and used each time. */
static void judge_volume(struct judge *judge)
{
	const struct oracle_counts *all = &judge->seen->all;
	struct signature signature = signature_begin(judge, PATTERN_VOLUME);

	signature_figure(&signature, "times that each line is loaded into the second-level cache",
			 ratio((double)all->l2_in, (double)all->lines_touched), "",
			 TAKT_COUNTED | TAKT_MODELLED, "1: each once");
	signature_made_of(&signature, "L2_LINES_IN LINES_TOUCHED");
	signature_at_least(&signature, "volume", judge->limits->volume);
	signature_figure(&signature, "lines loaded into the second-level cache per instruction",
			 ratio((double)all->l2_in, (double)all->insns), "", TAKT_MODELLED, "");
	signature_made_of(&signature, "L2_LINES_IN INSTRUCTIONS");
	signature_at_least(&signature, "fill-rate", judge->limits->fill_rate);
	signature_figure(&signature, "bytes accessed per line loaded, of 64",
			 ratio((double)(all->load_bytes + all->store_bytes),
			       (double)all->l1_in * LINE_BYTES),
			 "", TAKT_COUNTED | TAKT_MODELLED, "1: each once");
	signature_made_of(&signature, "LOAD_BYTES STORE_BYTES L1_LINES_IN");
	signature_at_least(&signature, "line-use", judge->limits->line_use);
	for (uint32_t i = 0; i < judge->seen->place_count && i < 2; i++)
		if (ratio((double)judge->seen->places[i].cycles, (double)judge->seen->cycles) >=
		    judge->limits->hot)
			show_misses(&signature, &judge->seen->places[i]);
	signature_end(&signature, NULL);
}

/* Judge the bandwidth of all threads together, by the time of a native run. */
static void judge_timed_bandwidth(struct judge *judge)
{
	struct signature signature = signature_begin(judge, PATTERN_BANDWIDTH);
	const struct diagnose_seen *seen = judge->seen;
	const struct takt_timed_run *run =
		seen->run_count ? &seen->runs[seen->run_count - 1] : NULL;
	double bytes = (double)(seen->all.l3_in + seen->all.l3_out) * LINE_BYTES;

	if (!run || !(judge->options->memory_gbs > 0))
		return;
	signature_figure(&signature, "lines to and from memory, by the time it took natively",
			 bytes / run->seconds * 1e-9, "GB/s", TAKT_MODELLED | TAKT_TIMED,
			 takt_arena_printf(&judge->report->arena, "%.1f GB/s is what memory gives",
					   judge->options->memory_gbs));
	signature_made_of(&signature, "L3_LINES_IN L3_LINES_OUT");
	signature_at_least(&signature, "saturation",
			   judge->limits->saturation * judge->options->memory_gbs);
	signature_end(&signature, NULL);
}

void judge_memory(struct judge *judge)
{
	judge_volume(judge);
	judge_timed_bandwidth(judge);
}
