/* SPDX-License-Identifier: MIT */
/* Errors and rank correlation of predictions against measurements. */
#include <math.h>
#include <stdlib.h>

#include "evaluate/evaluate.h"

#define RESAMPLES 1000

/* Interpolate linearly between the two nearest values, as spreadsheets and NumPy do. */
static double quantile(const double *sorted, size_t count, double part)
{
	double place = part * (double)(count - 1);
	size_t below = (size_t)place;
	double rest = place - (double)below;

	return below + 1 < count ? sorted[below] + rest * (sorted[below + 1] - sorted[below])
				 : sorted[count - 1];
}

static double kendall(const struct evaluate_pair *pairs, size_t count)
{
	double agree = 0, measured = 0, predicted = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++) {
			double a = pairs[i].measured - pairs[j].measured;
			double b = pairs[i].predicted - pairs[j].predicted;

			agree += (double)((a > 0) - (a < 0)) * (double)((b > 0) - (b < 0));
			measured += a > 0 || a < 0;
			predicted += b > 0 || b < 0;
		}
	}
	return agree / sqrt(measured * predicted);
}

/* Bootstrap the 95 % interval of the mean. Draws depend only on `count`, so it is repeatable. */
static void resample(const double *errors, size_t count, double ret_interval[2])
{
	double *means = takt_xcalloc(RESAMPLES, sizeof(*means));
	uint64_t state = count;

	for (size_t i = 0; i < RESAMPLES; i++) {
		for (size_t k = 0; k < count; k++)
			means[i] += errors[takt_hash64(state++) % count];
		means[i] /= (double)count;
	}
	takt_sort_doubles(means, RESAMPLES);
	ret_interval[0] = quantile(means, RESAMPLES, 0.025);
	ret_interval[1] = quantile(means, RESAMPLES, 0.975);
	free(means);
}

struct evaluate_errors takt_statistics_errors(const struct evaluate_pair *pairs, size_t count)
{
	struct evaluate_errors result = {count, NAN, NAN, {NAN, NAN}, NAN, NAN, {NAN, NAN}};
	double *errors;

	if (count == 0)
		return result;
	errors = takt_xcalloc(count, sizeof(*errors));
	result.mean = result.under = 0;
	for (size_t i = 0; i < count; i++) {
		errors[i] = fabs(pairs[i].predicted - pairs[i].measured) / pairs[i].measured;
		result.mean += errors[i] / (double)count;
		result.under += (pairs[i].predicted < pairs[i].measured) / (double)count;
	}
	takt_sort_doubles(errors, count);
	result.median = quantile(errors, count, 0.5);
	result.quartiles[0] = quantile(errors, count, 0.25);
	result.quartiles[1] = quantile(errors, count, 0.75);
	result.tau = kendall(pairs, count);
	resample(errors, count, result.mean_interval);
	free(errors);
	return result;
}

void takt_statistics_box(const struct evaluate_pair *pairs, size_t count, double ret_box[3],
			 double ret_whiskers[2])
{
	double *errors = takt_xcalloc(count + 1, sizeof(*errors));

	for (size_t i = 0; i < count; i++)
		errors[i] = pairs[i].predicted / pairs[i].measured - 1;
	if (count)
		takt_sort_doubles(errors, count);
	for (int i = 0; i < 3; i++)
		ret_box[i] = count ? quantile(errors, count, 0.25 * (i + 1)) : NAN;
	for (int i = 0; i < 2; i++)
		ret_whiskers[i] = count ? quantile(errors, count, i ? 0.95 : 0.05) : NAN;
	free(errors);
}
