/* SPDX-License-Identifier: MIT */
/* Repeated measurements, with and without load that makes some of them slower. */
#include "evaluate/evaluate.h"
#include "unit/tap.h"

static const struct row {
	const char *what;
	double cycles[EVALUATE_REPEATS_MAX + 1];
	uint32_t count;
	bool agree;
	double spread;
} rows[] = {
	{"two are too few", {100, 100}, 2, false, 0},
	{"three alike", {101, 100, 100.5}, 3, true, 0.01},
	{"one under load", {187, 100, 101.5}, 3, true, 0.015},
	{"two under load", {187, 152, 100}, 3, false, 0},
	{"the load has gone before the third", {187, 186, 100}, 3, false, 0},
	{"and the fourth confirms it", {187, 186, 100, 101}, 4, true, 0.01},
	{"just within the tolerance", {100, 101.9, 110}, 3, true, 0.019},
	{"just outside it", {100, 102.1, 110}, 3, false, 0},
	{"always under another load", {100, 103, 107, 112, 118, 125, 133, 142, 152}, 9, false, 0},
	{"more than fit", {187, 186, 185, 150, 145, 140, 130, 120, 100, 100}, 10, false, 0},
};

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const struct row *row = &rows[i];
		struct evaluate_repeats repeats = {.count = 0};
		double spread = 0;

		for (uint32_t c = 0; c < row->count; c++)
			takt_repeats_add(&repeats, row->cycles[c]);
		is_int(takt_repeats_agree(&repeats, &spread), row->agree, row->what);
		is_near(spread, row->spread, "its spread");
	}
	return tap_done();
}
