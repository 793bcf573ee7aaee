/* SPDX-License-Identifier: MIT */
/* Writes the results of a survey as JSON, declared: a record for each form. */
#include <string.h>

#include "base/record.h"
#include "characterize/characterize.h"
#include "characterize/survey/survey_write.h"

/* A form with all that the database has of it. */
struct form_result {
	struct probe_row row;
	const char *isa_set;
	struct takt_pair_latency *latencies;
	uint32_t latency_count;
	struct takt_variant *variants;
	uint32_t variant_count, variant_capacity;
};

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
	TAKT_RECORDS("variants", variants, variant_count, &takt_variant_record, "Special cases.",
		     .flags = TAKT_ROWS),
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
	uint32_t next; /* the form that the next variant may belong to, since both are sorted */
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

static const char *copy(struct document *document, const char *text)
{
	return takt_arena_copy(&document->arena, text, strlen(text));
}

static void read_latencies(struct document *document, const char *text, struct form_result *form)
{
	uint32_t capacity = 0;
	struct probe_pair pair;

	while (takt_probe_pair_next(&text, &pair)) {
		TAKT_GROW_IN(&document->arena, form->latencies, form->latency_count + 1, capacity);
		form->latencies[form->latency_count++] =
			(struct takt_pair_latency){.source = copy(document, pair.source),
						   .destination = copy(document, pair.destination),
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
	*form = (struct form_result){
		.row = *row, .isa_set = known ? takt_isa_set_name(known->insn.isa_set) : ""};
	form->row.form = copy(document, row->form);
	form->row.reason = copy(document, row->reason);
	form->row.ports = copy(document, row->ports);
	form->row.doubt = copy(document, row->doubt);
	read_latencies(document, row->latencies, form);
}

/* Add a variant to its form; those of the whole machine, and of forms without a row, have none. */
static void add_variant(void *context, const char *name, const struct takt_variant *variant)
{
	struct document *document = context;
	struct form_result *form;

	while (document->next < document->form_count &&
	       strcmp(document->forms[document->next].row.form, name) < 0)
		document->next++;
	if (document->next == document->form_count ||
	    strcmp(document->forms[document->next].row.form, name) != 0)
		return;
	form = &document->forms[document->next];
	TAKT_GROW_IN(&document->arena, form->variants, form->variant_count + 1,
		     form->variant_capacity);
	form->variants[form->variant_count++] =
		(struct takt_variant){.kind = copy(document, variant->kind),
				      .detail = copy(document, variant->detail),
				      .figure = variant->figure,
				      .other = variant->other};
}

enum takt_status takt_probe_json_write(struct probe_store *store, struct takt_diag *diag,
				       struct takt_text *text)
{
	struct document document = {.machine = takt_probe_store_machine(store),
				    .date = takt_probe_store_date(store)};
	enum takt_status status;

	takt_arena_init(&document.arena);
	takt_probe_forms_find(&document.arena, &document.known);
	status = takt_probe_store_each(store, add_row, &document, diag);
	if (status == TAKT_OK)
		status = takt_probe_store_each_variant(store, NULL, add_variant, &document, diag);
	if (status == TAKT_OK)
		takt_record_write_json(&takt_probe_survey_record, &document, text);
	takt_arena_release(&document.arena);
	return status;
}
