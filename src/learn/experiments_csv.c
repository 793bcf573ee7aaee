/* SPDX-License-Identifier: MIT */
/*
 * Holds all timings against those of the learnt core and of the nearest one, and writes them as
 * CSV, so that a person can check what was learnt.
 */
#include "base/csv.h"
#include "learn/learn.h"

/* A row of the CSV. */
struct comparison {
	const char *experiment, *code;
	struct takt_learnt_timing timing;
};

#define RECORD struct comparison
static const struct takt_field comparison_fields[] = {
	TAKT_FIELD("experiment", experiment, NULL, "Name of the experiment."),
	TAKT_FIELD("size", timing.size, NULL, "Its size, the N of its code."),
	TAKT_FIELD("alignment", timing.alignment_bytes, "bytes", "Offset of the code in its line."),
	TAKT_FIELD("cycles", timing.cycles, "cycles", "Time of the machine."),
	TAKT_FIELD("learnt", timing.learnt_cycles, "cycles", "Simulated time of the learnt core."),
	TAKT_FIELD("nearest", timing.nearest_cycles, "cycles",
		   "Simulated time of the core that learning started from."),
	TAKT_FIELD("code", code, NULL, "The experiment's code.", .flags = TAKT_QUOTED),
};
#undef RECORD
static const struct takt_record comparison_record =
	TAKT_RECORD("comparison", "A timing of the machine and of two cores.", comparison_fields);

static struct takt_learnt_experiment compare_series(const struct learn *learn,
						    const struct learn_series *series,
						    struct learn_player *learnt,
						    struct learn_player *nearest)
{
	struct takt_learnt_timing *timings =
		TAKT_NEW_ARRAY(learn->arena, series->count, struct takt_learnt_timing);

	for (size_t i = 0; i < series->count; i++) {
		const struct learn_point *point = &series->points[i];

		timings[i] = (struct takt_learnt_timing){
			.size = point->size,
			.alignment_bytes = point->layout.alignment_bytes,
			.cycles = point->cycles,
			.learnt_cycles = learn_point_time(learnt, point),
			.nearest_cycles = learn_point_time(nearest, point)};
	}
	return (struct takt_learnt_experiment){.name = series->experiment->name,
					       .code = series->experiment->text,
					       .timings = timings,
					       .timing_count = (uint32_t)series->count};
}

void learn_compare(struct learn *learn)
{
	struct takt_model *model = learn_core_model(&learn->core, learn->nearest);
	struct learn_player *learnt = learn_player_new(model);
	struct learn_player *nearest = learn_player_new(learn->nearest);
	struct takt_learnt_experiment *compared;
	size_t count;

	learn_experiments(&count);
	compared = TAKT_NEW_ARRAY(learn->arena, count, struct takt_learnt_experiment);
	learn->compared_count = 0;
	for (size_t i = 0; i < count; i++)
		if (learn->series[i].count)
			compared[learn->compared_count++] =
				compare_series(learn, &learn->series[i], learnt, nearest);
	learn->compared = compared;
	learn_player_free(nearest);
	learn_player_free(learnt);
	takt_model_close(model);
}

void learn_write_experiments(const struct learn *learn, struct takt_text *text)
{
	takt_record_write_csv_header(&comparison_record, text);
	for (uint32_t i = 0; i < learn->compared_count; i++) {
		const struct takt_learnt_experiment *experiment = &learn->compared[i];

		for (uint32_t k = 0; k < experiment->timing_count; k++) {
			const struct comparison row = {experiment->name, experiment->code,
						       experiment->timings[k]};

			takt_record_write_csv(&comparison_record, &row, 1, sizeof(row), NULL, text);
		}
	}
}
