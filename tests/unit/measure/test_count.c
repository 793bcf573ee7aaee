/* SPDX-License-Identifier: MIT */
/* Counting a block by counters that are made up: which are asked for when, and what follows. */
#include "../tap.h"
#include "measure/measurer.h"

#define EVENTS 3u

/* What it would count: of each copy, and of whatever else a run does. */
struct fake {
	const struct takt_measurement *measurement;
	double per_copy[EVENTS], overhead, values[EVENTS];
	uint32_t first, count; /* selected */
	uint32_t reads, opened, selected;
	uint32_t disturbed_read; /* too much is counted before it; 0: none */
	int process;
	bool refuses_open, refuses_read;
};

static bool fake_open(void *context, int process)
{
	struct fake *fake = context;

	fake->opened++;
	fake->process = process;
	return !fake->refuses_open;
}

static bool fake_select(void *context, uint32_t first, uint32_t count)
{
	struct fake *fake = context;

	fake->first = first;
	fake->count = count;
	fake->selected++;
	fake->reads = 0;
	return true;
}

/* Rounds read thrice: before the short runs, behind them, behind the long ones. */
static bool fake_read(void *context, uint32_t first, uint32_t count, double *ret_values)
{
	struct fake *fake = context;
	uint32_t copies = fake->reads % 3 ? fake->measurement->copies[fake->reads % 3 - 1] : 0;

	for (uint32_t i = fake->first; i < fake->first + fake->count; i++)
		fake->values[i] += copies ? 64 * (fake->per_copy[i] * copies + fake->overhead) : 7;
	if (fake->disturbed_read && fake->reads == fake->disturbed_read)
		fake->values[fake->first] += 1e6;
	fake->reads++;
	for (uint32_t i = first; i < first + count; i++)
		ret_values[i] = fake->values[i];
	return !fake->refuses_read;
}

static void check_counted(struct takt_measurer *measurer, struct fake *fake)
{
	static const uint8_t add[] = {0x48, 0x01, 0xd8};
	struct takt_measurement measurement;
	double counts[EVENTS];
	const char *reason = "";

	takt_measure(measurer, add, sizeof(add), &measurement);
	fake->measurement = &measurement;
	ok(fake->opened == 1 && fake->process > 0, "opened for the measuring process");
	if (!ok(takt_measurer_count(measurer, &measurement, counts, &reason), "counted"))
		tap_note("why not: %s", reason);
	is_int(fake->selected, 2, "three events, two at once");
	for (uint32_t i = 0; i < EVENTS; i++)
		is_near(counts[i], fake->per_copy[i], "what a copy does");
	fake->disturbed_read = 4;
	ok(takt_measurer_count(measurer, &measurement, counts, &reason), "counted again");
	is_near(counts[0], fake->per_copy[0], "one round of five may be disturbed");
	fake->refuses_read = true;
	ok(!takt_measurer_count(measurer, &measurement, counts, &reason),
	   "a counter that does not count");
	is_string(reason, "another program uses a counter", "and why");
}

static void check_refused(struct takt_measurer *measurer, struct fake *fake)
{
	static const uint8_t add[] = {0x48, 0x01, 0xd8};
	struct takt_measurement measurement;
	double counts[EVENTS];
	const char *reason = "";

	takt_measure(measurer, add, sizeof(add), &measurement);
	ok(measurement.status == TAKT_MEASURE_OK || measurement.copies[0] > 0,
	   "measured all the same");
	ok(!takt_measurer_count(measurer, &measurement, counts, &reason), "not counted");
	is_string(reason, "the process could not be counted", "and why");
	is_int(fake->selected, 0, "nothing was asked for");
}

int main(void)
{
	const struct takt_measure_options options = {.mode = TAKT_MODE_UNROLL};
	struct fake fake = {.per_copy = {1, 0.25, 2}, .overhead = 300},
		    mute = {.refuses_open = true};
	struct takt_counters counters = {.context = &fake,
					 .count = EVENTS,
					 .at_once = 2,
					 .open = fake_open,
					 .select = fake_select,
					 .read = fake_read};
	struct takt_diag *diag = takt_diag_new();
	struct takt_measurer *measurer;

	if (!TAKT_HOST_DECODES || takt_measurer_open(&options, diag, &measurer) != TAKT_OK) {
		printf("1..0 # SKIP nothing can be measured here\n");
		takt_diag_free(diag);
		return 0;
	}
	takt_measurer_attach(measurer, &counters);
	check_counted(measurer, &fake);
	counters.context = &mute;
	takt_measurer_attach(measurer, &counters);
	check_refused(measurer, &mute);
	takt_measurer_close(measurer);
	takt_diag_free(diag);
	return tap_done();
}
