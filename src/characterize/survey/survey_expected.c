/* SPDX-License-Identifier: MIT */
/* Reads the figures that a form is supposed to have from the results of another survey. */
#include <math.h>

#include "characterize/survey/survey_pass.h"
#include "characterize/survey/survey_write.h"

/* Figures being read. */
struct reading {
	struct probe_expected *expected;
	char **ports; /* NULL: not wanted */
	bool found;
};

static void read_row(void *context, const struct probe_row *row)
{
	struct reading *reading = context;
	struct probe_expected *expected = reading->expected;
	const char *text = row->latencies;
	struct probe_pair pair;

	if (*row->reason)
		return;
	reading->found = true;
	expected->throughput = row->throughput;
	expected->count = 0;
	while (expected->count < PROBE_LATENCIES_MAX && takt_probe_pair_next(&text, &pair)) {
		struct probe_latency *latency = &expected->latencies[expected->count];

		*latency = (struct probe_latency){.least = pair.least, .cycles = pair.most};
		expected->count += takt_probe_slot_read(pair.source, &latency->source) &&
				   takt_probe_slot_read(pair.destination, &latency->destination);
	}
	if (reading->ports && !*row->doubt && !isnan(row->ports_cycles))
		*reading->ports = takt_xstrdup(row->ports);
}

bool takt_survey_expected(const struct survey *survey, const struct probe_form *form,
			  struct probe_expected *ret_expected, char **ret_ports)
{
	struct reading reading = {.expected = ret_expected, .ports = ret_ports};

	if (ret_ports)
		*ret_ports = NULL;
	return survey->expected &&
	       takt_probe_store_visit(survey->expected, form->text, read_row, &reading,
				      survey->diag) == TAKT_OK &&
	       reading.found;
}

bool takt_survey_confirms(const struct probe_expected *expected,
			  const struct takt_characterization *record)
{
	bool confirmed = true;

	for (size_t i = 0; i < record->latency_count; i++) {
		const struct takt_pair_latency *pair = &record->latencies[i];
		struct probe_latency latency = {.least = pair->least, .cycles = pair->most};

		confirmed &= takt_probe_slot_read(pair->source, &latency.source) &&
			     takt_probe_slot_read(pair->destination, &latency.destination) &&
			     takt_probe_is_expected(expected, &latency);
	}
	return confirmed;
}
