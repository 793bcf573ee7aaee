/* SPDX-License-Identifier: MIT */
#include "evaluate/evaluate.h"
#include "unit/tap.h"

static void test_errors(void)
{
	/* Errors of 10 %, 0, 50 % and 20 %, two of them too low. */
	static const struct evaluate_pair pairs[] = {{100, 90}, {10, 10}, {20, 30}, {50, 40}};
	struct evaluate_errors errors = takt_statistics_errors(pairs, TAKT_COUNT_OF(pairs));

	is_int((long long)errors.count, 4, "points");
	is_near(errors.mean, 0.2, "mean");
	is_near(errors.median, 0.15, "median");
	is_near(errors.quartiles[0], 0.075, "first quartile");
	is_near(errors.quartiles[1], 0.275, "third quartile");
	is_near(errors.under, 0.5, "share too low");
	is_near(errors.tau, 1, "the order is right");
	/* Means of resamples are around the mean, between the least and the greatest error. */
	ok(errors.mean_interval[0] >= 0 && errors.mean_interval[0] < 0.2 &&
		   errors.mean_interval[1] > 0.2 && errors.mean_interval[1] <= 0.5,
	   "interval of the mean");
}

static void test_tau(void)
{
	/* 4 of 6 pairs in order, 2 not; then one tie among the predictions: 3 against 2. */
	static const struct evaluate_pair swapped[] = {{1, 2}, {2, 1}, {3, 4}, {4, 3}};
	static const struct evaluate_pair tied[] = {{1, 2}, {2, 2}, {3, 4}, {4, 3}};

	is_near(takt_statistics_errors(swapped, 4).tau, 1.0 / 3, "two pairs swapped");
	is_near(takt_statistics_errors(tied, 4).tau, 3 / sqrt(6 * 5), "a tie counts for neither");
}

static void test_none(void)
{
	struct evaluate_errors errors = takt_statistics_errors(NULL, 0);

	ok(errors.count == 0 && isnan(errors.mean) && isnan(errors.tau), "of nothing, nothing");
}

int main(void)
{
	test_errors();
	test_tau();
	test_none();
	return tap_done();
}
