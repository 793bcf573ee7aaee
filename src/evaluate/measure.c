/* SPDX-License-Identifier: MIT */
/* Measures the cycles of a call of each kernel on this machine. */
#include <math.h>

#include "evaluate/evaluate.h"

#define TOLERANCE 0.02 /* between the rounds of a measurement, of which it is the median */
/*
 * Kernels whose measurements take turns: those of one kernel are then seconds apart, and a load
 * that lasts that long does not make all of them slow.
 */
#define GROUP 16u

struct kernel {
	const char *path;
	struct takt_measurement
		best; /* the good one of fewest cycles, or the last if none is good */
	struct evaluate_repeats repeats;
	bool agrees;
};

static void measure_once(struct takt_measurer *measurer, struct takt_diag *diag,
			 struct kernel *kernel)
{
	const struct takt_call call = {
		.path = kernel->path, .function = "kernel", .is_library = true};
	struct takt_measurement one;
	double spread;

	if (takt_measure_call(measurer, &call, diag, &one) != TAKT_OK) {
		kernel->agrees = true; /* no use in another try: the call cannot be made */
		return;
	}
	if (kernel->best.status != TAKT_MEASURE_OK ||
	    (one.status == TAKT_MEASURE_OK && one.cycles < kernel->best.cycles))
		kernel->best = one;
	if (one.status == TAKT_MEASURE_OK)
		takt_repeats_add(&kernel->repeats, one.cycles);
	if (takt_repeats_agree(&kernel->repeats, &spread)) {
		kernel->best.spread = spread;
		kernel->agrees = true;
	}
}

/* Measure the kernels in turn until the measurements of each agree, or were tried often enough. */
static void measure_group(struct takt_measurer *measurer, struct takt_diag *diag,
			  struct kernel *kernels, size_t count)
{
	for (int i = 0; i < EVALUATE_REPEATS_MAX; i++)
		for (size_t k = 0; k < count; k++)
			if (!kernels[k].agrees)
				measure_once(measurer, diag, &kernels[k]);
	for (size_t k = 0; k < count; k++)
		if (!kernels[k].agrees && kernels[k].best.status == TAKT_MEASURE_OK)
			kernels[k].best.status = TAKT_MEASURE_DISTURBED;
}

static enum takt_status store(struct takt_evaluation *evaluation, struct takt_measurer *measurer,
			      struct takt_diag *diag, int64_t id, const struct kernel *kernel)
{
	const struct takt_measurement *result = &kernel->best;

	return takt_store_run(
		evaluation, diag, "INSERT OR REPLACE INTO measurement VALUES (?, ?, ?, ?, ?, ?, ?)",
		"isddiss", id, takt_measure_status_word(result->status), result->cycles,
		result->spread, (int64_t)kernel->repeats.count,
		takt_clock_word(takt_measurer_clock(measurer)), takt_measurer_cpu(measurer));
}

static enum takt_status measure_all(struct takt_evaluation *evaluation,
				    struct takt_measurer *measurer, struct takt_diag *diag,
				    const int64_t *ids, size_t count)
{
	enum takt_status status = TAKT_OK;

	for (size_t done = 0; status == TAKT_OK && done < count;) {
		size_t size = count - done < GROUP ? count - done : GROUP;
		struct kernel kernels[GROUP] = {0};

		for (size_t k = 0; k < size; k++) {
			kernels[k].path = takt_counts_path(evaluation, diag, ids[done + k],
							   &evaluation->arena);
			kernels[k].best = (struct takt_measurement){
				.status = TAKT_MEASURE_FAULT, .cycles = NAN, .spread = NAN};
			if (!kernels[k].path)
				return TAKT_BAD_INPUT;
		}
		measure_group(measurer, diag, kernels, size);
		for (size_t k = 0; status == TAKT_OK && k < size; k++)
			status = store(evaluation, measurer, diag, ids[done + k], &kernels[k]);
		done += size;
		takt_evaluate_say(evaluation, "measure %zu of %zu", done, count);
	}
	return status;
}

enum takt_status takt_evaluation_measure(struct takt_evaluation *evaluation, struct takt_diag *diag)
{
	const struct takt_measure_options options = {.keep_denormals = true,
						     .tolerance = TOLERANCE};
	/* A disturbed measurement is repeated. */
	sqlite3_stmt *statement = takt_store_query(
		evaluation, diag,
		"SELECT id FROM benchmark WHERE state = 'built' AND (id - 1) % ? = ? AND"
		" id NOT IN (SELECT benchmark FROM measurement WHERE status = 'ok') ORDER BY id",
		"ii", (int64_t)evaluation->shard_count, (int64_t)evaluation->shard - 1);
	struct takt_measurer *measurer;
	enum takt_status status;
	int64_t *ids;
	size_t count;

	status = takt_store_list(evaluation, diag, statement, &ids, &count);
	if (status != TAKT_OK || count == 0)
		return status;
	status = takt_measurer_open(&options, diag, &measurer);
	if (status != TAKT_OK)
		return status;
	status = takt_store_check_cpu(evaluation, diag, takt_measurer_cpu(measurer));
	if (status == TAKT_OK)
		status = measure_all(evaluation, measurer, diag, ids, count);
	takt_measurer_close(measurer);
	return status;
}
