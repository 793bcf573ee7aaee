/* SPDX-License-Identifier: MIT */
/* Writes all timings beside those of the learnt core, so that a person can check what was learnt.
 */
#include "base/csv.h"
#include "learn/learn.h"

#define RECORD struct learn_comparison
static const struct takt_field comparison_fields[] = {
	TAKT_FIELD("experiment", experiment, NULL, "Name of the experiment."),
	TAKT_FIELD("size", size, NULL, "Its size, the N of its code."),
	TAKT_FIELD("alignment", alignment_bytes, "bytes", "Offset of the code in its line."),
	TAKT_FIELD("cycles", cycles, "cycles", "Time of the machine."),
	TAKT_FIELD("learnt", learnt_cycles, "cycles", "Simulated time of the learnt core."),
	TAKT_FIELD("nearest", nearest_cycles, "cycles",
		   "Simulated time of the core that learning started from."),
	TAKT_FIELD("code", code, NULL, "The experiment's code.", .flags = TAKT_QUOTED),
};
#undef RECORD
static const struct takt_record comparison_record =
	TAKT_RECORD("comparison", "A timing of the machine and of two cores.", comparison_fields);

static void write_series(const struct learn_series *series, struct learn_player *learnt,
			 struct learn_player *nearest, struct takt_text *text)
{
	for (size_t i = 0; i < series->count; i++) {
		const struct learn_point *point = &series->points[i];
		const struct learn_comparison comparison = {
			.experiment = series->experiment->name,
			.code = series->experiment->text,
			.size = point->size,
			.alignment_bytes = point->layout.alignment_bytes,
			.cycles = point->cycles,
			.learnt_cycles = learn_player_time(learnt, &point->code, &point->layout),
			.nearest_cycles = learn_player_time(nearest, &point->code, &point->layout)};

		takt_record_write_csv(&comparison_record, &comparison, 1, sizeof(comparison), NULL,
				      text);
	}
}

void learn_write_experiments(const struct learn *learn, struct takt_text *text)
{
	struct takt_model *model = learn_core_model(&learn->core, learn->nearest);
	struct learn_player *learnt = learn_player_new(model);
	struct learn_player *nearest = learn_player_new(learn->nearest);
	size_t count;

	learn_experiments(&count);
	takt_record_write_csv_header(&comparison_record, text);
	for (size_t i = 0; i < count; i++)
		write_series(&learn->series[i], learnt, nearest, text);
	learn_player_free(nearest);
	learn_player_free(learnt);
	takt_model_close(model);
}
