/* SPDX-License-Identifier: MIT */
/* Measures the cycles of a call of each kernel on this machine. */
#include <math.h>

#include "evaluate/evaluate.h"

/* Number of good measurements, of which the least counts; each is a median of rounds. */
#define REPEATS 3
#define TRIES 9	       /* at most, to get these */
#define TOLERANCE 0.02 /* between rounds: branch prediction makes them differ */

/*
 * Return the good measurement of fewest cycles, or the last if none is good; spread is of repeats.
 */
static struct takt_measurement measure(struct takt_measurer *measurer, const char *path,
				       struct takt_diag *diag)
{
	const struct takt_call call = {.path = path, .function = "kernel", .is_library = true};
	struct takt_measurement best = {.status = TAKT_MEASURE_FAULT, .cycles = NAN};
	double most = 0;
	int good = 0;

	for (int i = 0; i < TRIES && good < REPEATS; i++) {
		struct takt_measurement one;

		if (takt_measure_call(measurer, &call, diag, &one) != TAKT_OK)
			return best;
		if (one.status == TAKT_MEASURE_OK) {
			most = fmax(most, one.cycles);
			good++;
		}
		if (best.status != TAKT_MEASURE_OK ||
		    (one.status == TAKT_MEASURE_OK && one.cycles < best.cycles))
			best = one;
	}
	best.spread = good > 0 ? most / best.cycles - 1 : NAN;
	return best;
}

static enum takt_status measure_all(struct takt_evaluation *evaluation,
				    struct takt_measurer *measurer, struct takt_diag *diag,
				    const int64_t *ids, size_t count)
{
	enum takt_status status = TAKT_OK;

	for (size_t i = 0; status == TAKT_OK && i < count; i++) {
		const char *path = takt_counts_path(evaluation, diag, ids[i], &evaluation->arena);
		struct takt_measurement result;

		if (!path)
			return TAKT_BAD_INPUT;
		result = measure(measurer, path, diag);
		status = takt_store_run(
			evaluation, diag,
			"INSERT OR REPLACE INTO measurement VALUES (?, ?, ?, ?, ?, ?, ?)",
			"isddiss", ids[i], takt_measure_status_word(result.status), result.cycles,
			result.spread, (int64_t)REPEATS,
			takt_clock_word(takt_measurer_clock(measurer)),
			takt_measurer_cpu(measurer));
		takt_evaluate_say(evaluation, "measure %zu of %zu", i + 1, count);
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
