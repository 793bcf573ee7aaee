/* SPDX-License-Identifier: MIT */
/* Times experiments: each code for several sizes and layouts, and more sizes where times change. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/program.h"

#define LAYOUTS 2u /* places in a line at which the code begins */
#define LAYOUT_BYTES (64u / LAYOUTS)
#define COARSE_SIZES 12u  /* of a range, at first */
#define REFINED_SIZES 18u /* sizes added, at most, where times change most */
#define JUMP_LEAST 0.03	  /* smaller relative changes between sizes are not looked into */
#define NOISE_LEAST 2	  /* changes below this many spreads of the repeats are ignored */
#define SIGMA_LEAST 0.004 /* relative: no measurement, and no model, is better */
#define SPREAD_MOST 0.3	  /* of the repeats of a program whose median means something */

static const struct learn_experiment experiments[] = {
#define EXPERIMENT(name, isa, kind, loop, sizes, text) {name, isa, kind, loop, sizes, text},
#include "learn/experiments.def"
#undef EXPERIMENT
};

const struct learn_experiment *learn_experiments(size_t *ret_count)
{
	*ret_count = TAKT_COUNT_OF(experiments);
	return experiments;
}

/* Return how many experiments the instruction set has. */
static size_t count_of(const char *isa)
{
	size_t count = 0;

	for (size_t i = 0; i < TAKT_COUNT_OF(experiments); i++)
		count += strcmp(experiments[i].isa, isa) == 0;
	return count;
}

static const struct learn_experiment *find(const char *isa, const char *name, size_t name_size)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(experiments); i++)
		if (takt_string_is(experiments[i].name, name, name_size) &&
		    strcmp(experiments[i].isa, isa) == 0)
			return &experiments[i];
	return NULL;
}

/* ---- one size --------------------------------------------------------------------- */

static double sigma_of(const struct learn_timing *timing)
{
	/* From an interquartile range of a few rounds to the deviation of their median. */
	return fmax(SIGMA_LEAST, fmin(timing->spread, 0.05) * 0.4);
}

/* Add the point of a size in one layout. */
static void add_point(struct learn *learn, struct learn_series *series, int32_t size,
		      uint32_t alignment_bytes)
{
	const struct learn_experiment *experiment = series->experiment;
	struct learn_point *point;
	struct learn_timing timing;

	TAKT_GROW_IN(learn->arena, series->points, series->count + 1, series->capacity);
	point = &series->points[series->count++];
	*point = (struct learn_point){
		.code = {.arena = learn->arena},
		.layout = {.loop = experiment->loop, .alignment_bytes = alignment_bytes},
		.size = size,
		.cycles = NAN};
	if (!learn_code_add_text(&point->code, experiment->isa, experiment->text, size)) {
		series->count--;
		return;
	}
	learn_time(learn, experiment->name, size, &point->code, &point->layout, &timing);
	point->cycles = timing.cycles;
	point->spread = timing.spread;
	point->sigma = sigma_of(&timing);
	if (!(timing.cycles > 0))
		series->count--;
}

/* Add the point of a program of this size, if there is such a program. */
static void add_program(struct learn *learn, struct learn_series *series, int32_t size)
{
	struct learn_program *program = TAKT_NEW(learn->arena, struct learn_program);
	struct learn_timing timing;

	if (!learn_program_build(series->experiment->isa, series->experiment->text, size,
				 learn->arena, program))
		return;
	learn_run(learn, series->experiment, size, program, &timing);
	if (!(timing.cycles > 0) || timing.spread > SPREAD_MOST) {
		series->dropped++;
		return;
	}
	TAKT_GROW_IN(learn->arena, series->points, series->count + 1, series->capacity);
	series->points[series->count++] =
		(struct learn_point){.program = program,
				     .size = size,
				     .cycles = timing.cycles,
				     .spread = timing.spread,
				     .sigma = fmax(SIGMA_LEAST, 0.4 * timing.spread)};
}

/* Make one point out of those of all layouts, whose simulation would take too long. */
static void merge_layouts(struct learn_series *series, size_t first)
{
	size_t count = series->count - first;
	double sum = 0, sigmas = 0;

	for (size_t i = first; i < series->count; i++) {
		sum += series->points[i].cycles;
		sigmas += series->points[i].sigma;
	}
	if (!count)
		return;
	series->points[first].cycles = sum / (double)count;
	series->points[first].sigma = sigmas / (double)count;
	series->count = first + 1;
}

static void time_size(struct learn *learn, struct learn_series *series, int32_t size)
{
	size_t first = series->count;

	if (*series->experiment->text == '@') {
		add_program(learn, series, size);
		return;
	}
	for (uint32_t i = 0; i < LAYOUTS; i++)
		add_point(learn, series, size, i * LAYOUT_BYTES);
	if (series->experiment->kind == LEARN_SHAPE)
		merge_layouts(series, first);
}

/* ---- ranges of sizes ---------------------------------------------------------------- */

TAKT_ORDER(by_size, struct learn_point, TAKT_UP(size));

/* Return a size between the two neighbours whose times differ most; 0 if none differ much. */
static int32_t find_gap(const struct learn_series *series)
{
	double most = JUMP_LEAST;
	int32_t found = 0;

	for (size_t i = 0; i + 1 < series->count; i++) {
		const struct learn_point *a = &series->points[i], *b = a + 1;
		/* Growth in proportion to the size is no news. */
		double step = fabs(log(b->cycles / a->cycles));

		if (b->size - a->size < 2 || !(step > most) ||
		    step < NOISE_LEAST * (a->spread + b->spread))
			continue;
		most = step;
		found = a->size + (b->size - a->size) / 2;
	}
	return found;
}

static void time_range(struct learn *learn, struct learn_series *series, int32_t least,
		       int32_t most)
{
	double ratio = pow((double)most / least, 1.0 / (COARSE_SIZES - 1));
	int32_t last = 0;

	for (uint32_t i = 0; i < COARSE_SIZES; i++) {
		int32_t size = (int32_t)lround(least * pow(ratio, i));

		if (size != last)
			time_size(learn, series, size);
		last = size;
	}
	for (uint32_t i = 0; i < REFINED_SIZES; i++) {
		int32_t size = find_gap(series);

		if (!size)
			break;
		time_size(learn, series, size);
		qsort(series->points, series->count, sizeof(*series->points), by_size);
	}
}

static void time_series(struct learn *learn, struct learn_series *series)
{
	const char *sizes = series->experiment->sizes;
	char *end;
	long least = strtol(sizes, &end, 10);

	series->timed = true;
	if (strncmp(end, "..", 2) == 0) {
		time_range(learn, series, (int32_t)least, (int32_t)strtol(end + 2, NULL, 10));
		return;
	}
	for (const char *at = sizes; *at; at = end) {
		long size = strtol(at, &end, 10);

		if (end == at)
			return;
		time_size(learn, series, (int32_t)size);
	}
}

struct learn_series *learn_series_of(struct learn *learn, const char *name, size_t name_size)
{
	const struct learn_experiment *experiment = find(learn->machine->isa, name, name_size);
	struct learn_series *series;

	if (!experiment)
		return NULL;
	series = &learn->series[experiment - experiments];
	if (!series->timed) {
		if (!learn_step(learn, "experiments", learn->experiments_done,
				count_of(experiment->isa), experiment->name))
			return NULL;
		learn->experiments_done++;
		series->experiment = experiment;
		time_series(learn, series);
	}
	return series;
}
