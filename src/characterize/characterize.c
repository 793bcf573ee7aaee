/* SPDX-License-Identifier: MIT */
/* Runs all experiments on one form, and fills one record. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/characterize.h"
#include "characterize/survey/survey.h"

#define SIM_PREFIX "sim:"

/* The record that takt_characterize() returns, and the memory of its parts. */
struct result {
	struct takt_characterization record;
	struct takt_arena arena;
};

/* ---- machines ------------------------------------------------------------- */

static enum takt_status open_sim(const struct takt_lab_options *options, struct takt_diag *diag,
				 struct takt_lab *lab, struct probe_machine **ret_machine)
{
	const struct probe_sim_options sim = {
		.counters = !options->time_only, .noise = options->noise, .seed = options->seed};
	enum takt_status status = TAKT_OK;

	if (!options->played)
		status = takt_model_open(options->machine + strlen(SIM_PREFIX), options->model_dir,
					 diag, &lab->own_model);
	if (status != TAKT_OK)
		return status;
	lab->model = options->played ? options->played : lab->own_model;
	if (takt_model_isa(lab->model) != &takt_isa_x86 &&
	    takt_model_isa(lab->model) != &takt_isa_aarch64) {
		takt_error(diag, "core '%s' runs neither x86-64 nor AArch64",
			   takt_model_name(lab->model));
		takt_note(diag, "instructions of other sets cannot be characterised yet");
		takt_model_close(lab->own_model);
		return TAKT_UNAVAILABLE;
	}
	if (!takt_isa_can_decode(takt_model_isa(lab->model), diag)) {
		takt_model_close(lab->own_model);
		return TAKT_UNAVAILABLE;
	}
	*ret_machine = takt_probe_sim_open(lab->model, &sim);
	return TAKT_OK;
}

static enum takt_status read_classes(struct takt_lab *lab, const char *path, struct takt_diag *diag)
{
	struct probe_store *store;
	enum takt_status status = takt_probe_store_open(path, false, diag, &store);

	if (status != TAKT_OK)
		return status;
	lab->classes_known =
		strcmp(takt_probe_store_machine(store), lab->probe->machine->name) == 0 &&
		takt_probe_store_read_classes(store, &lab->probe->forms, &lab->classes);
	takt_probe_store_close(store);
	if (lab->classes_known)
		return TAKT_OK;
	takt_error(diag, "'%s' has no classes of %s", path, lab->probe->machine->name);
	takt_note(diag, "'takt characterize --all --ports --output=FILE' finds them");
	return TAKT_BAD_INPUT;
}

enum takt_status takt_lab_open(const struct takt_lab_options *options, struct takt_diag *diag,
			       struct takt_lab **ret_lab)
{
	struct takt_lab *lab = takt_xcalloc(1, sizeof(*lab));
	enum takt_status status = TAKT_BAD_INPUT;
	struct probe_machine *machine;

	if (options->played || takt_string_starts(options->machine, SIM_PREFIX)) {
		status = open_sim(options, diag, lab, &machine);
	} else if (strcmp(options->machine, "host") == 0) {
		status = takt_probe_host_open(
			&(struct probe_host_options){.counters = !options->time_only}, diag,
			&machine);
	} else {
		takt_error(diag, "no such machine: '%s'", options->machine);
		takt_note(diag,
			  "'host' is this machine, 'sim:CORE' the simulator with a core's model");
	}
	if (status != TAKT_OK) {
		free(lab);
		return status;
	}
	lab->probe = takt_probe_lab_new(machine);
	lab->wants_classes = options->classes;
	lab->without_variants = options->without_variants;
	lab->progress = options->progress;
	lab->context = options->context;
	if (options->classes_from)
		status = read_classes(lab, options->classes_from, diag);
	if (status == TAKT_OK)
		*ret_lab = lab;
	else
		takt_lab_close(lab);
	return status;
}

void takt_lab_close(struct takt_lab *lab)
{
	if (!lab)
		return;
	takt_probe_lab_free(lab->probe);
	takt_model_close(lab->own_model);
	free(lab);
}

/* ---- which form ----------------------------------------------------------- */

/* Return the form of a line of assembly text; 0 if it has none. */
static takt_form_key form_of_assembly(const struct takt_isa *isa, const char *text)
{
	const struct takt_code_options options = {.data = text,
						  .data_size_bytes = strlen(text),
						  .format = TAKT_INPUT_ASSEMBLY,
						  .isa = isa->name,
						  .syntax = TAKT_SYNTAX_INTEL,
						  .whole = true};
	const struct takt_region *region;
	struct takt_code *code;
	struct takt_insn insn;
	takt_form_key form = 0;

	if (takt_code_open(&options, NULL, &code) != TAKT_OK)
		return 0;
	region = takt_code_region(code, 0);
	if (takt_decode(isa, region->bytes, region->size_bytes, 0, &insn) == TAKT_OK &&
	    insn.length_bytes == region->size_bytes)
		form = insn.form;
	takt_code_close(code);
	return form;
}

bool takt_probe_form_read(const struct takt_isa *isa, const char *text, struct takt_diag *diag,
			  takt_form_key *ret_form)
{
	const char *error;
	size_t index;
	takt_form_key key = takt_form_parse(isa, text, strlen(text), &index, &error);
	const struct takt_place place = {.file = "form",
					 .line = 1,
					 .column = (uint32_t)index + 1,
					 .width = 1,
					 .excerpt = text};

	if (!key)
		key = form_of_assembly(isa, text);
	if (!key) {
		takt_error_at(diag, &place, "%s", error);
		takt_note(diag, isa == &takt_isa_x86
					? "write 'add r64, m64', or an instruction such as "
					  "'add rax, [rbx]'"
					: "write 'add x, x, i', or an instruction such as "
					  "'add x0, x1, 8'");
		return false;
	}
	*ret_form = key;
	return true;
}

/* Return why the form of x86-64 is not in scope; NULL if it is, or does not exist. */
static const char *why_no_form(takt_form_key form)
{
	struct takt_arena arena = {0};
	struct takt_insn insn;
	const char *reason = NULL;
	size_t count;
	const struct takt_sample *samples = takt_samples_find(&arena, &count);

	for (size_t i = 0; i < count; i++)
		if (samples[i].form == form &&
		    takt_decode(&takt_isa_x86, samples[i].bytes, samples[i].length_bytes, 0,
				&insn) == TAKT_OK)
			reason = takt_probe_why_no_form(&insn);
	takt_arena_release(&arena);
	return reason;
}

void takt_probe_form_missing(const char *text, takt_form_key form, struct takt_diag *diag)
{
	bool is_foreign = takt_form_unpack(form).is_foreign;
	const char *reason = is_foreign ? NULL : why_no_form(form);

	takt_error(diag, "'%s' is not among the forms that can be characterised here", text);
	if (reason)
		takt_note(diag, "%s", reason);
	else if (is_foreign)
		takt_note(diag, "the machine lacks it, or it is for systems, a branch, an "
				"exclusive store, or "
				"has an address of vectors or one that it writes back");
	else
		takt_note(diag, takt_form_exists(form) ? "the machine lacks it"
						       : "there is no such instruction");
}

static enum takt_status find_form(const struct takt_lab *lab, const char *text,
				  struct takt_diag *diag, const struct probe_form **ret_form)
{
	takt_form_key key;

	if (!takt_probe_form_read(lab->probe->forms.isa, text, diag, &key))
		return TAKT_BAD_INPUT;
	*ret_form = takt_probe_form_of(&lab->probe->forms, key);
	if (*ret_form)
		return TAKT_OK;
	takt_probe_form_missing(text, key, diag);
	return TAKT_NOT_FOUND;
}

/* ---- the record ----------------------------------------------------------- */

static const char *slot_text(const struct probe_form *form, uint8_t slot, struct takt_arena *arena)
{
	struct takt_text text = {0};

	takt_probe_slot_write(form, slot, &text);
	return takt_text_move(&text, arena);
}

static void add_latencies(struct takt_lab *lab, const struct probe_form *form,
			  const struct probe_throughput *throughput, struct result *result)
{
	struct probe_latency found[PROBE_LATENCIES_MAX];
	unsigned count = takt_probe_latencies(lab->probe, form, throughput, found);
	struct takt_pair_latency *latencies =
		TAKT_NEW_ARRAY(&result->arena, count, struct takt_pair_latency);

	for (unsigned i = 0; i < count; i++)
		latencies[i] = (struct takt_pair_latency){
			.source = slot_text(form, found[i].source, &result->arena),
			.destination = slot_text(form, found[i].destination, &result->arena),
			.least = found[i].least,
			.most = found[i].cycles};
	result->record.latencies = latencies;
	result->record.latency_count = count;
	result->record.no_latency_reason =
		count ? "" : takt_probe_why_no_latency(form, throughput->chained);
}

/*
 * True if the form's µops may use ports without counters: where only vectors' ports have counters,
 * these are the ports of memory and general registers.
 */
static bool may_use_uncounted(const struct probe_machine *machine, const struct probe_form *form)
{
	return machine->uncounted_ports &&
	       (form->insn.memory_count || !(form->insn.flags & TAKT_INSN_VECTOR));
}

static void add_ports(struct takt_lab *lab, const struct probe_form *form,
		      const struct probe_throughput *throughput, struct result *result)
{
	struct takt_characterization *record = &result->record;
	struct takt_text text = {0};
	struct probe_ports ports;

	if (!lab->blockers_known)
		takt_probe_find_blockers(lab->probe, &lab->blockers);
	lab->blockers_known = true;
	takt_probe_ports(lab->probe, &lab->blockers, form, throughput, &ports);
	takt_probe_ports_write(lab->probe->machine, ports.uops, ports.count, &text);
	record->uops = throughput->uops;
	record->ports = takt_arena_copy(&result->arena, takt_text_data(&text), text.size_bytes);
	record->ports_cycles = ports.cycles;
	record->ports_certain = !ports.doubt;
	record->ports_doubt = ports.doubt ? ports.doubt : "";
	if (may_use_uncounted(lab->probe->machine, form)) {
		record->ports_certain = false;
		record->ports_doubt = "ports that have no counters";
	}
	takt_text_release(&text);
}

struct search {
	struct probe_progress progress;
	const struct takt_lab *lab;
};

static bool tell_candidate(void *context, const struct probe_form *form, size_t total)
{
	struct search *search = context;

	search->progress.report.total = total;
	return takt_probe_progress_step(&search->progress, search->lab, form);
}

bool takt_lab_find_classes(struct takt_lab *lab)
{
	struct search search = {.lab = lab};
	const struct probe_watch watch = {tell_candidate, &search};

	if (lab->classes_known)
		return true;
	takt_probe_progress_start(&search.progress, "candidates for classes of ports", 0, 0);
	lab->classes_known = takt_probe_find_classes(lab->probe, &watch, &lab->classes);
	return lab->classes_known;
}

static void add_classes(struct takt_lab *lab, const struct probe_form *form,
			const struct probe_throughput *throughput, struct result *result)
{
	struct takt_characterization *record = &result->record;
	const struct probe_classes *classes;
	struct takt_text text = {0};
	struct probe_class_uops uops;

	if (!takt_lab_find_classes(lab)) {
		record->ports_doubt = "classes were not found: stopped";
		return;
	}
	classes = takt_probe_classes_of(&lab->classes, form);
	takt_probe_class_uops(lab->probe, classes, form, throughput, &uops);
	takt_probe_class_uops_write(classes, &uops, &text);
	record->ports = takt_arena_copy(&result->arena, takt_text_data(&text), text.size_bytes);
	record->ports_cycles = takt_probe_class_uops_cycles(classes, &uops);
	record->ports_certain = !uops.doubt;
	record->ports_doubt = uops.doubt ? uops.doubt : "";
	takt_text_release(&text);
}

struct takt_variant takt_probe_variant_record(const struct probe_variant *variant,
					      struct takt_arena *arena)
{
	return (struct takt_variant){.kind = takt_probe_variant_word(variant->kind),
				     .title = takt_probe_variant_title(variant->kind),
				     .detail = takt_arena_string(arena, variant->detail),
				     .figure = variant->figure,
				     .other = variant->other,
				     .other_title = takt_probe_variant_other(variant->kind)};
}

static void add_variants(struct takt_lab *lab, const struct probe_form *form, struct result *result)
{
	struct takt_characterization *record = &result->record;
	const struct probe_known known = {.throughput = record->throughput_cycles,
					  .chained = record->chain_cycles,
					  .latencies = record->latencies,
					  .latency_count = record->latency_count};
	uint64_t runs_before = lab->probe->runs, busy_before = lab->probe->busy_runs;
	struct probe_variants found;
	struct takt_variant *variants;

	takt_probe_variants(lab->probe, form, &known, &found);
	variants = TAKT_NEW_ARRAY(&result->arena, found.count, struct takt_variant);
	for (unsigned i = 0; i < found.count; i++)
		variants[i] = takt_probe_variant_record(&found.list[i], &result->arena);
	record->variants = variants;
	record->variant_count = found.count;
	record->variants_complete = lab->probe->busy_runs == busy_before;
	record->variant_experiment_count = lab->probe->runs - runs_before;
}

static void fill(struct takt_lab *lab, const struct probe_form *form,
		 const struct probe_throughput *throughput, struct result *result)
{
	struct takt_characterization *record = &result->record;

	record->form = takt_arena_string(&result->arena, form->text);
	record->machine = takt_arena_string(&result->arena, lab->probe->machine->name);
	record->throughput_cycles = throughput->cycles;
	record->chain_cycles = throughput->chained;
	record->uops = record->ports_cycles = NAN;
	record->ports = record->ports_doubt = "";
	add_latencies(lab, form, throughput, result);
	if (!lab->probe->log) /* surveys keep no experiments on ports and variants */
		lab->probe->logged = NULL;
	if (lab->probe->machine->has_counters)
		add_ports(lab, form, throughput, result);
	else if (lab->wants_classes)
		add_classes(lab, form, throughput, result);
	if (!lab->without_variants)
		add_variants(lab, form, result);
}

enum takt_status takt_characterize(struct takt_lab *lab, const char *form, bool explain,
				   struct takt_diag *diag,
				   struct takt_characterization **ret_result)
{
	uint64_t runs_before = lab->probe->runs;
	const struct probe_form *found;
	struct probe_throughput throughput;
	struct takt_text log = {0};
	struct probe_runs runs = {0};
	struct result *result;
	const char *reason;
	enum takt_status status = find_form(lab, form, diag, &found);

	if (status != TAKT_OK)
		return status;
	result = takt_xcalloc(1, sizeof(*result));
	runs.arena = &result->arena;
	lab->probe->log = explain ? &log : NULL;
	lab->probe->logged = explain || lab->keeps_experiments ? &runs : NULL;
	if (takt_probe_throughput(lab->probe, found, &throughput, &reason)) {
		fill(lab, found, &throughput, result);
	} else {
		takt_error(diag, "'%s' cannot be measured: %s", found->text, reason);
		status = TAKT_UNAVAILABLE;
	}
	lab->probe->log = NULL;
	lab->probe->logged = NULL;
	result->record.experiments =
		takt_arena_copy(&result->arena, takt_text_data(&log), log.size_bytes);
	result->record.experiment_count = lab->probe->runs - runs_before;
	result->record.runs = runs.list;
	result->record.run_count = runs.count;
	takt_text_release(&log);
	if (status == TAKT_OK)
		*ret_result = &result->record;
	else
		takt_characterization_free(&result->record);
	return status;
}

void takt_characterization_free(struct takt_characterization *record)
{
	TAKT_FREE_OWNER(struct result, record);
}
