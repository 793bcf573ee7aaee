/* SPDX-License-Identifier: MIT */
/*
 * Writes the report of a survey: the number of forms, the failures, and the differences from the
 * core's model, grouped in classes by subject.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/survey/survey_differences.h"

struct report {
	const struct takt_model *model; /* NULL: none to compare with */
	struct takt_port_list ports;
	struct probe_class_ports class_ports;
	const struct probe_forms *forms;
	size_t measured, failed, uncertain, noisy, compared, differing;
	struct probe_reasons failures, no_latencies, doubts;
	struct probe_differences differences;
};

/* ---- differences ---------------------------------------------------------- */

static void note_plain_load(void *context, const struct probe_row *row)
{
	struct report *report = context;
	struct takt_timing_storage storage;
	struct takt_timing timing;
	struct probe_pair pair;
	const char *text = row->latencies;

	if (!takt_probe_is_plain_load(row->form) ||
	    !takt_probe_row_timing(report->model, report->forms, row, &storage, &timing))
		return;
	while (takt_probe_pair_next(&text, &pair))
		if (strcmp(pair.source, "2") == 0 && strcmp(pair.destination, "1") == 0)
			takt_probe_plain_load_note(
				&report->differences, row->form, pair.most,
				takt_timing_latency(&timing, TAKT_SLOT_1 + 1, TAKT_SLOT_1));
}

/* Compare the latencies. Returns true if any differs. */
static bool compare_latencies(struct report *report, const struct probe_row *row,
			      const struct probe_form *form, const struct takt_timing *timing)
{
	struct probe_differences *differences = &report->differences;
	const char *text = row->latencies;
	struct probe_pair pair;
	bool any = false;

	while (takt_probe_pair_next(&text, &pair)) {
		uint8_t source, destination;
		struct takt_text *lines;
		struct probe_pair wanted;

		if (!takt_probe_slot_read(pair.source, &source) ||
		    !takt_probe_slot_read(pair.destination, &destination))
			continue;
		wanted.least = wanted.most = takt_timing_latency(timing, source, destination);
		if (takt_probe_latencies_agree(differences, &pair, &wanted))
			continue;
		any = true;
		lines = takt_probe_difference_add(differences,
						  takt_probe_latency_class(differences, form,
									   source, destination,
									   &pair, &wanted),
						  row->form);
		takt_text_printf(lines, "%s>%s %.2f", pair.source, pair.destination, pair.least);
		if (pair.most > pair.least)
			takt_text_printf(lines, " to %.2f", pair.most);
		takt_text_printf(lines, ", model %.0f\n", wanted.most);
	}
	return any;
}

static bool compare_throughput(struct report *report, const struct probe_row *row,
			       const struct takt_timing *timing)
{
	struct probe_differences *differences = &report->differences;
	double wanted = takt_timing_throughput(report->model, timing);
	struct takt_text *lines;

	if (takt_agreement_throughput(&differences->agreement, row->throughput, wanted))
		return false;
	lines = takt_probe_difference_add(
		differences, row->throughput > wanted ? PROBE_SLOWER : PROBE_FASTER, row->form);
	takt_text_printf(lines, "%.2f, model %.2f\n", row->throughput, wanted);
	return true;
}

/* The model's µops, merged. */
struct wanted {
	struct takt_uops uops[PROBE_UOPS_MAX];
	int count;
	unsigned total;
};

static enum probe_agreement compare_counted(const struct report *report,
					    const struct probe_row *row,
					    const struct wanted *wanted,
					    enum probe_difference *ret_difference)
{
	struct takt_uops read[PROBE_UOPS_MAX], measured[PROBE_UOPS_MAX];
	int count = takt_probe_ports_read(&report->ports, row->ports, read);
	unsigned total;

	if (count < 0)
		return PROBE_NOTHING_KNOWN;
	count = takt_probe_uops_merge(&report->ports, read, (unsigned)count, measured, &total);
	*ret_difference = total == wanted->total ? PROBE_PORTS : PROBE_UOPS;
	return takt_probe_uops_same(measured, count, wanted->uops, wanted->count) ? PROBE_AGREES
										  : PROBE_DIFFERS;
}

/* Compare ports that were inferred from timing. */
static enum probe_agreement compare_inferred(const struct report *report,
					     const struct probe_row *row,
					     const struct probe_form *form,
					     const struct wanted *wanted,
					     enum probe_difference *ret_difference)
{
	unsigned total;
	enum probe_agreement agreement = takt_probe_class_ports_compare(
		&report->class_ports, form, row->ports, wanted->uops, wanted->count, &total);

	*ret_difference = total == wanted->total ? PROBE_PORTS : PROBE_UOPS;
	return agreement;
}

static bool compare_ports(struct report *report, const struct probe_row *row,
			  const struct probe_form *form, const struct takt_timing *timing)
{
	struct wanted wanted;
	enum probe_difference difference;
	enum probe_agreement agreement;
	struct takt_timing of_model = {.uops = wanted.uops};
	struct takt_text *lines;

	if (*row->doubt || isnan(row->ports_cycles))
		return false;
	wanted.count = takt_probe_uops_merge(&report->ports, timing->uops, timing->uops_count,
					     wanted.uops, &wanted.total);
	of_model.uops_count = (uint8_t)wanted.count;
	agreement = isnan(row->uops) ? compare_inferred(report, row, form, &wanted, &difference)
				     : compare_counted(report, row, &wanted, &difference);
	report->differences.port_uses += agreement != PROBE_NOTHING_KNOWN;
	report->differences.port_uses_equal += agreement == PROBE_AGREES;
	if (agreement != PROBE_DIFFERS)
		return false;
	lines = takt_probe_difference_add(&report->differences, difference, row->form);
	takt_text_printf(lines, "%s, model ", *row->ports ? row->ports : "-");
	takt_uops_write(&of_model, &report->ports, lines);
	takt_text_add_string(lines, "\n");
	return true;
}

static void compare(struct report *report, const struct probe_row *row)
{
	struct takt_timing_storage storage;
	struct takt_timing timing;
	const struct probe_form *form =
		takt_probe_row_timing(report->model, report->forms, row, &storage, &timing);
	bool differs;

	if (!form)
		return;
	report->compared++;
	differs = compare_throughput(report, row, &timing);
	differs |= compare_latencies(report, row, form, &timing);
	differs |= compare_ports(report, row, form, &timing);
	report->differing += differs;
}

/* ---- the report ----------------------------------------------------------- */

static void add_row(void *context, const struct probe_row *row)
{
	struct report *report = context;
	const char *without;

	if (*row->reason) {
		report->failed++;
		takt_probe_reasons_add(&report->failures, row->reason, row->form);
		return;
	}
	report->measured++;
	without = takt_probe_row_no_latency(report->forms, row);
	if (*without)
		takt_probe_reasons_add(&report->no_latencies, without, row->form);
	report->uncertain += *row->doubt != '\0';
	report->noisy += row->spread > PROBE_SPREAD_MAX;
	if (*row->doubt)
		takt_probe_reasons_add(&report->doubts, row->doubt, row->form);
	if (report->model)
		compare(report, row);
}

static void write_comparison(const struct report *report, struct takt_text *text)
{
	takt_text_printf(text, "\n%zu of %zu forms differ from the model of %s; agreement:\n",
			 report->differing, report->compared, takt_model_name(report->model));
	takt_probe_differences_write(&report->differences, text);
}

static void write_report(struct report *report, const char *machine, struct takt_text *text)
{
	takt_text_printf(text, "%s: %zu %s measured, %zu failed\n", machine, report->measured,
			 takt_noun(report->measured, "form", "forms"), report->failed);
	takt_text_printf(text, "%zu with ports that are uncertain\n", report->uncertain);
	takt_text_printf(text, "%zu with two throughputs more than %g %% apart\n", report->noisy,
			 100 * PROBE_SPREAD_MAX);
	takt_probe_reasons_write(&report->failures, "failed, by reason:", text);
	takt_probe_reasons_write(&report->no_latencies, "without latencies, by reason:", text);
	takt_probe_reasons_write(&report->doubts, "ports uncertain, by reason:", text);
	takt_probe_class_ports_write(&report->class_ports, &report->ports, text);
	if (report->model)
		write_comparison(report, text);
}

static void release(struct report *report)
{
	takt_probe_reasons_release(&report->failures);
	takt_probe_reasons_release(&report->no_latencies);
	takt_probe_reasons_release(&report->doubts);
	takt_probe_differences_release(&report->differences);
	free(report);
}

enum takt_status takt_probe_report_write(struct probe_store *store, const struct takt_model *model,
					 const struct probe_forms *forms, struct takt_diag *diag,
					 struct takt_text *text)
{
	struct report *report = takt_xcalloc(1, sizeof(*report));
	enum takt_status status = TAKT_OK;

	report->model = model;
	report->forms = forms;
	if (model) {
		takt_model_ports(model, &report->ports);
		status = takt_probe_class_ports_find(store, model, &report->ports, forms, diag,
						     &report->class_ports);
	}
	if (model && status == TAKT_OK) {
		status = takt_probe_store_each(store, note_plain_load, report, diag);
	}
	if (status == TAKT_OK)
		status = takt_probe_store_each(store, add_row, report, diag);
	if (status == TAKT_OK)
		write_report(report, takt_probe_store_machine(store), text);
	release(report);
	return status;
}
