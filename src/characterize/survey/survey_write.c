/* SPDX-License-Identifier: MIT */
/* Writes the results of a survey in all formats; this file has CSV and timing files. */
#include <math.h>
#include <string.h>

#include "characterize/survey/survey_write.h"
#include "depend/depend.h"

#define PAIRS_MAX 64u

/* The context of all writers; each uses a part of it. */
struct writer {
	struct takt_text *text;
	const struct takt_model *model;
	struct probe_store *store;
	struct takt_port_list ports;
	struct probe_class_ports class_ports;
	struct probe_forms forms;
	const char *architecture;
	struct takt_arena arena;
};

/* ---- CSV ------------------------------------------------------------------ */

static void add_number(struct takt_text *text, double number)
{
	if (isnan(number))
		takt_text_add_string(text, ",");
	else
		takt_text_printf(text, ",%.4g", number);
}

/* Forms contain commas, so they are quoted; nothing contains quotation marks. */
static void csv_row(void *context, const struct probe_row *row)
{
	struct probe_store *store = ((struct writer *)context)->store;
	struct takt_text *text = ((struct writer *)context)->text;
	const struct probe_forms *forms = &((struct writer *)context)->forms;

	takt_text_printf(text, "\"%s\",\"%s\"", row->form, row->reason);
	add_number(text, row->throughput);
	add_number(text, row->spread);
	add_number(text, row->chain);
	add_number(text, row->uops);
	add_number(text, row->ports_cycles);
	takt_text_printf(text, ",\"%s\",\"%s\",\"%s\",\"", row->ports, row->doubt, row->latencies);
	takt_probe_variants_csv(store, row->form, text);
	takt_text_printf(text, "\",\"%s\"\n", takt_probe_row_no_latency(forms, row));
}

/* ---- timing file ---------------------------------------------------------- */

/* Return whole cycles: the model's own if the measured range includes them, else its middle. */
static uint16_t whole_cycles(const struct probe_pair *pair, double of_model)
{
	if (of_model >= pair->least - TAKT_AGREEMENT_CYCLES &&
	    of_model <= pair->most + TAKT_AGREEMENT_CYCLES)
		return (uint16_t)of_model;
	return (uint16_t)fmin(fmax(0, floor((pair->least + pair->most) / 2 + 0.5)), UINT16_MAX);
}

/*
 * True if the pair goes through memory on a core with memory renaming: then the measured figure is
 * that of renaming, and not the form's.
 */
static bool is_renamed(const struct writer *writer, const struct probe_form *form,
		       const struct takt_latency *latency)
{
	const struct takt_memory *memory = takt_probe_memory(form);

	return memory &&
	       takt_memory_may_be_renamed(takt_model_params(writer->model), &form->insn, memory) &&
	       (latency->source == memory->slot || latency->destination == memory->slot);
}

/* Merge latencies that differ from the model's default: measured ones, then the model's others. */
static unsigned merge_latencies(const struct writer *writer, const struct probe_row *row,
				const struct probe_form *form, const struct takt_timing *timing,
				struct takt_latency latencies[PAIRS_MAX])
{
	const char *text = row->latencies;
	struct probe_pair pair;
	unsigned count = 0;

	while (count < PAIRS_MAX && takt_probe_pair_next(&text, &pair)) {
		struct takt_latency *latency = &latencies[count];
		double of_model;

		if (!takt_probe_slot_read(pair.source, &latency->source) ||
		    !takt_probe_slot_read(pair.destination, &latency->destination) ||
		    is_renamed(writer, form, latency))
			continue;
		of_model = takt_timing_latency(timing, latency->source, latency->destination);
		latency->cycles = whole_cycles(&pair, of_model);
		count += latency->cycles != (uint16_t)of_model;
	}
	for (unsigned i = 0; i < timing->latency_count && count < PAIRS_MAX; i++) {
		bool known = false;

		for (unsigned k = 0; k < count && !known; k++)
			known = latencies[k].source == timing->latencies[i].source &&
				latencies[k].destination == timing->latencies[i].destination;
		if (!known)
			latencies[count++] = timing->latencies[i];
	}
	return count;
}

enum register_file { NO_FILE, GENERAL, VECTORS, MASKS };

static enum register_file file_of(unsigned kind)
{
	if (kind >= TAKT_KIND_R8 && kind <= TAKT_KIND_R64)
		return GENERAL;
	if (kind >= TAKT_KIND_MM && kind <= TAKT_KIND_ZMM)
		return VECTORS;
	return kind == TAKT_KIND_K ? MASKS : NO_FILE;
}

/*
 * True if all registers are of one file: transfers between files may have ports that no class has.
 */
static bool is_of_one_file(const struct probe_form *form)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);
	enum register_file found = NO_FILE;

	if (unpacked.is_foreign)
		return takt_probe_is_of_one_file(form);
	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++) {
		enum register_file file = file_of(unpacked.kinds[i]);

		if (file && found && file != found)
			return false;
		found = file ? file : found;
	}
	return true;
}

/*
 * Return the ports that were counted, or those inferred from timing, the latter for forms in
 * registers of one kind with as many µops as the model has. -1: none.
 */
static int measured_uops(const struct writer *writer, const struct probe_row *row,
			 const struct probe_form *form, const struct takt_uops *of_model,
			 int model_count, struct takt_uops uops[PROBE_UOPS_MAX])
{
	unsigned wanted = 0, total;
	int count = -1;

	if (*row->doubt || isnan(row->ports_cycles))
		return -1;
	if (!isnan(row->uops))
		return takt_probe_ports_read(&writer->ports, row->ports, uops);
	for (int i = 0; i < model_count; i++)
		wanted += of_model[i].count;
	if (!form->insn.memory_count && is_of_one_file(form) &&
	    takt_probe_class_ports_compare(&writer->class_ports, form, row->ports, of_model,
					   model_count, &total) == PROBE_DIFFERS &&
	    total == wanted)
		count = takt_probe_class_ports_uops(&writer->class_ports, form, row->ports, uops);
	return count;
}

/* Replace the model's µops if they differ, but keep its cycles on pseudo ports. */
static void replace_uops(const struct writer *writer, const struct probe_row *row,
			 const struct probe_form *form, struct takt_uops uops[PROBE_UOPS_MAX],
			 struct takt_timing *timing)
{
	struct takt_uops of_model[PROBE_UOPS_MAX];
	unsigned total;
	int model_count = takt_probe_uops_merge(&writer->ports, timing->uops, timing->uops_count,
						of_model, &total);
	int count = measured_uops(writer, row, form, of_model, model_count, uops);

	if (count < 0 || takt_probe_uops_same(of_model, model_count, uops, count))
		return;
	total = 0;
	for (int i = 0; i < count; i++)
		total += uops[i].count;
	for (unsigned i = 0; i < timing->uops_count && count < PROBE_UOPS_MAX; i++)
		if (timing->uops[i].ports & writer->ports.pseudo)
			uops[count++] = timing->uops[i];
	timing->uops = uops;
	timing->uops_count = (uint8_t)count;
	timing->uop_total = (uint16_t)total;
}

static void timing_row(void *context, const struct probe_row *row)
{
	struct writer *writer = context;
	struct takt_uops uops[PROBE_UOPS_MAX];
	struct takt_latency latencies[PAIRS_MAX];
	struct takt_timing_storage storage;
	struct takt_timing timing;
	const struct probe_form *form;

	if (*row->reason)
		return;
	form = takt_probe_row_timing(writer->model, &writer->forms, row, &storage, &timing);
	if (!form)
		return;
	replace_uops(writer, row, form, uops, &timing);
	timing.latency_count = (uint8_t)merge_latencies(writer, row, form, &timing, latencies);
	timing.latencies = latencies;
	timing.rthroughput_hundredths = (uint16_t)fmin(row->throughput * 100 + 0.5, UINT16_MAX);
	takt_timing_row_write(takt_probe_isa(form), form->sample.form, &timing, &writer->ports, "h",
			      writer->text);
}

static void open_timing(struct writer *writer, const char *machine)
{
	char name[32];
	size_t size = strnlen(takt_model_name(writer->model), sizeof(name) - 1);

	for (size_t i = 0; i < size; i++)
		name[i] = takt_to_lower(takt_model_name(writer->model)[i]);
	name[size] = '\0';
	takt_text_printf(writer->text,
			 "takt timing 1\nname  %s\nbase  %s\n"
			 "source h measured   %s, by takt characterize\n\n",
			 name, name, machine);
}

/* --------------------------------------------------------------------------- */

static void xml_row(void *context, const struct probe_row *row)
{
	struct writer *writer = context;
	struct probe_found found;

	takt_probe_variants_find(writer->store, row->form, &found);
	if (!*row->reason)
		takt_probe_xml_row(&writer->forms, row, &found, writer->architecture, writer->text);
}

static enum takt_status write_rows(struct probe_store *store, enum takt_survey_format format,
				   struct writer *writer, struct takt_diag *diag)
{
	enum takt_status status = TAKT_OK;

	switch (format) {
	case TAKT_SURVEY_REPORT:
		status = takt_probe_report_write(store, writer->model, &writer->forms, diag,
						 writer->text);
		if (status == TAKT_OK)
			status = takt_probe_variants_report(store, writer->model, &writer->forms,
							    diag, writer->text);
		break;
	case TAKT_SURVEY_CSV:
		takt_text_add_string(writer->text,
				     "form,reason,throughput_cycles,spread,chain_cycles,uops,"
				     "ports_cycles,ports,ports_doubt,latencies,variants,"
				     "no_latency_reason\n");
		status = takt_probe_store_each(store, csv_row, writer, diag);
		break;
	case TAKT_SURVEY_TIMING:
		open_timing(writer, takt_probe_store_machine(store));
		status = takt_probe_class_ports_find(store, writer->model, &writer->ports,
						     &writer->forms, diag, &writer->class_ports);
		if (status == TAKT_OK)
			status = takt_probe_store_each(store, timing_row, writer, diag);
		break;
	case TAKT_SURVEY_JSON:
		status = takt_probe_json_write(store, diag, writer->text);
		break;
	case TAKT_SURVEY_XML:
		takt_probe_xml_open(takt_probe_store_machine(store), takt_probe_store_date(store),
				    writer->text);
		status = takt_probe_store_each(store, xml_row, writer, diag);
		takt_probe_xml_close(writer->text);
		break;
	}
	return status;
}

enum takt_status takt_survey_write(const char *path, enum takt_survey_format format,
				   const struct takt_model *model, struct takt_diag *diag,
				   struct takt_text *text)
{
	struct writer writer = {.text = text, .model = model};
	struct probe_store *store;
	enum takt_status status = takt_probe_store_open(path, false, diag, &store);

	if (status != TAKT_OK)
		return status;
	writer.store = store;
	if (!model && (format == TAKT_SURVEY_XML || format == TAKT_SURVEY_TIMING)) {
		takt_probe_store_close(store);
		takt_error(diag, "a core is needed for this format");
		takt_note(diag, "name the one that was measured");
		return TAKT_BAD_INPUT;
	}
	takt_arena_init(&writer.arena);
	takt_probe_survey_forms_find(store, &writer.arena, &writer.forms);
	if (format == TAKT_SURVEY_XML && writer.forms.isa != &takt_isa_x86) {
		takt_probe_store_close(store);
		takt_arena_release(&writer.arena);
		takt_error(diag, "'%s' has no instructions of x86-64", path);
		takt_note(diag, "the XML of uops.info has no others; --export=csv and "
				"--export=timing have");
		return TAKT_BAD_INPUT;
	}
	if (model) {
		takt_model_ports(model, &writer.ports);
		writer.architecture = takt_model_name(model);
	}
	status = write_rows(store, format, &writer, diag);
	takt_probe_store_close(store);
	takt_arena_release(&writer.arena);
	return status;
}
