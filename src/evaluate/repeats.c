/* SPDX-License-Identifier: MIT */
/*
 * Decides whether repeated measurements of a kernel can be believed. Other load makes a measurement
 * slower and never faster, and may do so for seconds, so the least counts, and only if others that
 * were made at other times came as low.
 */
#include <math.h>

#include "evaluate/evaluate.h"

#define REPEATS_LEAST 3u /* good measurements without which nothing is decided */
#define AGREE_LEAST 2u	 /* of them, those that must come as low as the least, itself included */
#define TOLERANCE 0.02	 /* between these: branch prediction makes them differ */

void takt_repeats_add(struct evaluate_repeats *repeats, double cycles)
{
	if (repeats->count < EVALUATE_REPEATS_MAX)
		repeats->cycles[repeats->count++] = cycles;
}

bool takt_repeats_agree(const struct evaluate_repeats *repeats, double *ret_spread)
{
	double least = INFINITY, most = 0;
	uint32_t agree = 0;

	for (uint32_t i = 0; i < repeats->count; i++)
		least = fmin(least, repeats->cycles[i]);
	for (uint32_t i = 0; i < repeats->count; i++) {
		if (repeats->cycles[i] > least * (1 + TOLERANCE))
			continue;
		most = fmax(most, repeats->cycles[i]);
		agree++;
	}
	if (repeats->count < REPEATS_LEAST || agree < AGREE_LEAST)
		return false;
	*ret_spread = most / least - 1;
	return true;
}
