/* SPDX-License-Identifier: MIT */
/* Writes the results of a survey as JSON, declared: a record for each form. */
#include <string.h>

#include "base/record.h"
#include "characterize/characterize.h"
#include "characterize/survey/survey_write.h"

/* Experiments of one purpose on a form, as points of a plot. */
struct experiment_result {
	const char *title;
	double *x, *cycles;
	uint32_t count;
};

/* A form with all that the database has of it. */
struct form_result {
	struct probe_row row;
	const char *isa_set, *no_latency_reason;
	struct takt_pair_latency *latencies;
	uint32_t latency_count;
	struct takt_variant *variants;
	uint32_t variant_count, variant_capacity;
	struct experiment_result *experiments;
	uint32_t experiment_count, experiment_capacity;
};

#define RECORD struct experiment_result
static const struct takt_field experiment_fields[] = {
	TAKT_FIELD("title", title, NULL, "Their purpose."),
	TAKT_LIST("x", x, count, NULL,
		  "Instances in the code of a throughput, known cycles of the other links of a "
		  "latency's chain.",
		  .flags = TAKT_NULLABLE),
	TAKT_LIST("cycles", cycles, count, "cycles", "Time of an execution of the code.",
		  .flags = TAKT_NULLABLE),
};
#undef RECORD
static const struct takt_record experiment_record =
	TAKT_RECORD("measured", "Experiments of one purpose.", experiment_fields);

#define RECORD struct form_result
static const struct takt_field form_fields[] = {
	TAKT_FIELD("form", row.form, NULL, "The form, as in timing files."),
	TAKT_FIELD("isa_set", isa_set, NULL, "Instruction set extension; empty if unknown."),
	TAKT_FIELD("reason", row.reason, NULL, "Why it could not be measured; empty: it was."),
	TAKT_FIELD("throughput_cycles", row.throughput, "cycles", "Reciprocal throughput.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("spread", row.spread, NULL,
		   "Difference of two measurements of the throughput, relative to it.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("chain_cycles", row.chain, "cycles", "Cycles in a chain with itself.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("uops", row.uops, NULL, "Counted µops; null: unknown.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("ports", row.ports, NULL, "Ports of the µops; may be empty."),
	TAKT_FIELD("ports_cycles", row.ports_cycles, "cycles",
		   "Throughput if only ports limited it.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("ports_doubt", row.doubt, NULL, "Why the ports are uncertain; may be empty."),
	TAKT_FIELD("experiments", row.experiments, NULL, "Number of experiments."),
	TAKT_RECORDS("latencies", latencies, latency_count, &takt_pair_latency_record,
		     "Latencies of operand pairs.", .flags = TAKT_ROWS),
	TAKT_FIELD("no_latency_reason", no_latency_reason, NULL,
		   "Why a measured form has no latencies; empty if it has."),
	TAKT_RECORDS("variants", variants, variant_count, &takt_variant_record, "Special cases.",
		     .flags = TAKT_ROWS),
	TAKT_RECORDS("measured", experiments, experiment_count, &experiment_record,
		     "The experiments on throughput and latencies.", .flags = TAKT_ROWS),
};
#undef RECORD
static const struct takt_record form_record =
	TAKT_RECORD("form", "Results of an instruction form.", form_fields);

struct document {
	const char *machine, *date;
	struct form_result *forms;
	uint32_t form_count, form_capacity;
	/* The fields below are used while the survey is read. */
	struct probe_forms known;
	struct takt_arena arena;
	/* The form that the next variant or experiment may belong to, since all are sorted. */
	uint32_t next;
};

#define RECORD struct document
static const struct takt_field document_fields[] = {
	TAKT_CONSTANT("format", "takt survey 1", "Format of the result."),
	TAKT_FIELD("machine", machine, NULL, "The machine that was measured."),
	TAKT_FIELD("date", date, NULL, "Date of the last result, in UTC."),
	TAKT_RECORDS("forms", forms, form_count, &form_record, "All forms, in their order."),
};
#undef RECORD
const struct takt_record takt_probe_survey_record =
	TAKT_RECORD("survey", "Costs of the instructions of a machine.", document_fields);

static void read_latencies(struct document *document, const char *text, struct form_result *form)
{
	uint32_t capacity = 0;
	struct probe_pair pair;

	while (takt_probe_pair_next(&text, &pair)) {
		TAKT_GROW_IN(&document->arena, form->latencies, form->latency_count + 1, capacity);
		form->latencies[form->latency_count++] = (struct takt_pair_latency){
			.source = takt_arena_string(&document->arena, pair.source),
			.destination = takt_arena_string(&document->arena, pair.destination),
			.least = pair.least,
			.most = pair.most};
	}
}

static void add_row(void *context, const struct probe_row *row)
{
	struct document *document = context;
	const struct probe_form *known = takt_probe_form_named(&document->known, row->form);
	struct form_result *form;

	TAKT_GROW_IN(&document->arena, document->forms, document->form_count + 1,
		     document->form_capacity);
	form = &document->forms[document->form_count++];
	*form = (struct form_result){.row = *row,
				     .isa_set = known ? takt_isa_set_name(known->insn.isa_set) : "",
				     .no_latency_reason =
					     takt_probe_row_no_latency(&document->known, row)};
	form->row.form = takt_arena_string(&document->arena, row->form);
	form->row.reason = takt_arena_string(&document->arena, row->reason);
	form->row.ports = takt_arena_string(&document->arena, row->ports);
	form->row.doubt = takt_arena_string(&document->arena, row->doubt);
	read_latencies(document, row->latencies, form);
}

/* Return the form of this name; names come in order. NULL: the form has no row. */
static struct form_result *next_form(struct document *document, const char *name)
{
	while (document->next < document->form_count &&
	       strcmp(document->forms[document->next].row.form, name) < 0)
		document->next++;
	if (document->next == document->form_count ||
	    strcmp(document->forms[document->next].row.form, name) != 0)
		return NULL;
	return &document->forms[document->next];
}

/* Add a variant to its form; those of the whole machine have none. */
static void add_variant(void *context, const char *name, const struct takt_variant *variant)
{
	struct document *document = context;
	struct form_result *form = next_form(document, name);

	if (!form)
		return;
	TAKT_GROW_IN(&document->arena, form->variants, form->variant_count + 1,
		     form->variant_capacity);
	form->variants[form->variant_count++] = (struct takt_variant){
		.kind = takt_arena_string(&document->arena, variant->kind),
		.detail = takt_arena_string(&document->arena, variant->detail),
		.figure = variant->figure,
		.other = variant->other};
}

static void add_experiment(void *context, const char *name, const char *title, const char *points)
{
	struct document *document = context;
	struct form_result *form = next_form(document, name);
	uint32_t x_capacity = 0, cycles_capacity = 0;
	struct experiment_result *experiment;
	struct probe_point point;

	if (!form)
		return;
	TAKT_GROW_IN(&document->arena, form->experiments, form->experiment_count + 1,
		     form->experiment_capacity);
	experiment = &form->experiments[form->experiment_count++];
	*experiment =
		(struct experiment_result){.title = takt_arena_string(&document->arena, title)};
	while (takt_probe_point_next(&points, &point)) {
		TAKT_GROW_IN(&document->arena, experiment->x, experiment->count + 1, x_capacity);
		TAKT_GROW_IN(&document->arena, experiment->cycles, experiment->count + 1,
			     cycles_capacity);
		experiment->x[experiment->count] = point.x;
		experiment->cycles[experiment->count++] = point.cycles;
	}
}

enum takt_status takt_probe_json_write(struct probe_store *store, struct takt_diag *diag,
				       struct takt_text *text)
{
	struct document document = {.machine = takt_probe_store_machine(store),
				    .date = takt_probe_store_date(store)};
	enum takt_status status;

	takt_arena_init(&document.arena);
	takt_probe_survey_forms_find(store, &document.arena, &document.known);
	status = takt_probe_store_each(store, add_row, &document, diag);
	if (status == TAKT_OK)
		status = takt_probe_store_each_variant(store, NULL, add_variant, &document, diag);
	document.next = 0;
	if (status == TAKT_OK)
		status = takt_probe_store_each_experiment(store, add_experiment, &document, diag);
	if (status == TAKT_OK)
		takt_record_write_json(&takt_probe_survey_record, &document, text);
	takt_arena_release(&document.arena);
	return status;
}
