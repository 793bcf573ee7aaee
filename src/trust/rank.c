/* SPDX-License-Identifier: MIT */
/*
 * Spearman's rank correlation: the correlation of ranks, where equal figures get the mean of their
 * ranks.
 */
#include <math.h>

#include "trust/trust.h"

/* Return twice the rank of one sample among all; ranks begin at 0. */
static double twice_the_rank(const struct trust_sample *samples, size_t count, size_t which,
			     bool counted)
{
	double one = counted ? samples[which].counted : samples[which].rate, rank = -1;

	for (size_t i = 0; i < count; i++) {
		double other = counted ? samples[i].counted : samples[i].rate;

		rank += (other < one) + (other <= one);
	}
	return rank;
}

double takt_trust_order(const struct trust_sample *samples, size_t count)
{
	double middle = (double)count - 1, both = 0, rates = 0, counts = 0;

	for (size_t i = 0; i < count; i++) {
		double rate = twice_the_rank(samples, count, i, false) - middle;
		double counted = twice_the_rank(samples, count, i, true) - middle;

		both += rate * counted;
		rates += rate * rate;
		counts += counted * counted;
	}
	return rates > 0 && counts > 0 ? both / sqrt(rates * counts) : (double)NAN;
}
