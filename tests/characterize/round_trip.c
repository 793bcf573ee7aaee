/* SPDX-License-Identifier: MIT */
/*
 * What a survey of a simulated core found, written in all formats and read again: every latency,
 * throughput and use of ports must be the database's.
 *
 *     round-trip CORE STEP SCHEMA [XMLLINT]
 *
 * Every STEP-th form is taken. XML is read by `takt model import`, which leaves out forms whose
 * ports are uncertain, and says how many; its latencies are in whole cycles, and of a range it
 * takes the most. A timing file has the model's own figure where it lies in the range, and for what
 * goes through memory on cores that rename memory.
 */
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "characterize/survey/survey_write.h"
#include "import/import.h"
#include "unit/tap.h"

#define HUNDREDTH 0.00501 /* half of the last of two decimals */

enum reader { FROM_XML, FROM_TIMING };

struct check {
	enum reader reader;
	struct takt_model *model; /* as it was read again */
	struct takt_port_list ports;
	const struct probe_forms *forms;
	size_t rows, left_out, pairs, wrong;
};

static char directory[] = "/tmp/takt-round-trip-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void write_file(const char *name, const struct takt_text *text)
{
	FILE *file = fopen(path_of(name), "w");

	if (!file || fputs(takt_text_data(text), file) < 0 || fclose(file) != 0)
		abort();
}

/* ---- one row -------------------------------------------------------------- */

static bool same_latency(const struct check *check, const struct probe_pair *pair, double read)
{
	/* Files have whole cycles. */
	if (check->reader == FROM_XML)
		return fabs(read - pair->most) <= 0.5;
	return read >= pair->least - 0.5 && read <= pair->most + 0.5;
}

static bool is_renamed(const struct check *check, const struct probe_form *form, uint8_t source,
		       uint8_t destination)
{
	const struct takt_memory *memory = takt_probe_memory(form);

	return check->reader == FROM_TIMING && memory &&
	       takt_model_params(check->model)->store_forward_renamed_cycles &&
	       (source == memory->slot || destination == memory->slot);
}

static void check_latencies(struct check *check, const struct probe_row *row,
			    const struct probe_form *form, const struct takt_timing *timing)
{
	const char *text = row->latencies;
	struct probe_pair pair;

	while (takt_probe_pair_next(&text, &pair)) {
		uint8_t source, destination;
		double read;

		check->pairs++;
		if (!takt_probe_slot_read(pair.source, &source) ||
		    !takt_probe_slot_read(pair.destination, &destination))
			abort();
		read = takt_timing_latency(timing, source, destination);
		if (is_renamed(check, form, source, destination) ||
		    same_latency(check, &pair, read))
			continue;
		check->wrong++;
		printf("# %s: %s>%s %.2f-%.2f, read again %.0f\n", row->form, pair.source,
		       pair.destination, pair.least, pair.most, read);
	}
}

static void check_ports(struct check *check, const struct probe_row *row,
			const struct takt_timing *timing)
{
	struct takt_uops uops[PROBE_UOPS_MAX], read[PROBE_UOPS_MAX];
	int count = takt_probe_ports_read(&check->ports, row->ports, uops);
	unsigned total;
	int read_count = takt_probe_uops_merge(&check->ports, timing->uops, timing->uops_count,
					       read, &total);

	if (takt_probe_uops_same(uops, count, read, read_count))
		return;
	check->wrong++;
	printf("# %s: ports %s are others when read again\n", row->form, row->ports);
}

static void check_row(void *context, const struct probe_row *row)
{
	struct check *check = context;
	struct takt_timing_storage storage;
	struct takt_timing timing;
	const struct probe_form *form;

	if (*row->reason)
		return;
	if (*row->doubt && check->reader == FROM_XML) {
		check->left_out++;
		return;
	}
	form = takt_probe_row_timing(check->model, check->forms, row, &storage, &timing);
	if (!form)
		abort();
	check->rows++;
	check_latencies(check, row, form, &timing);
	if (!*row->doubt)
		check_ports(check, row, &timing);
	if (fabs(timing.rthroughput_hundredths / 100.0 - row->throughput) > HUNDREDTH) {
		check->wrong++;
		printf("# %s: throughput %.4f, read again %.2f\n", row->form, row->throughput,
		       timing.rthroughput_hundredths / 100.0);
	}
}

/* ---- formats -------------------------------------------------------------- */

static void check_store(const char *name, enum reader reader, struct probe_store *store,
			const struct probe_forms *forms, const char *core, struct takt_diag *diag)
{
	struct check check = {.reader = reader, .forms = forms};

	is_int(takt_model_open_timing(core, NULL, path_of("x.timing"), diag, &check.model), TAKT_OK,
	       name);
	takt_model_ports(check.model, &check.ports);
	is_int(takt_probe_store_each(store, check_row, &check, diag), TAKT_OK, name);
	ok(check.rows > 10 && check.pairs > check.rows, "%s: %zu forms, %zu latencies", name,
	   check.rows, check.pairs);
	is_int((long long)check.wrong, 0, name);
	printf("# %s: %zu left out\n", name, check.left_out);
	takt_model_close(check.model);
}

static bool is_valid(const char *xmllint, const char *schema, const char *file)
{
	char *const arguments[] = {(char *)(uintptr_t)xmllint,	   (char *)(uintptr_t) "--noout",
				   (char *)(uintptr_t) "--schema", (char *)(uintptr_t)schema,
				   (char *)(uintptr_t)file,	   NULL};
	int status = -1;
	pid_t pid;

	if (posix_spawnp(&pid, xmllint, NULL, NULL, arguments, (char *[]){NULL}) != 0)
		return false;
	while (waitpid(pid, &status, 0) < 0)
		;
	return status == 0;
}

static void check_schema(const char *xmllint, const char *schema, struct takt_text *text)
{
	const char *wrong = "<root date=\"2024-01-01\" machine=\"x\" memory=\"halves\">"
			    "<extension name=\"all\"><instruction string=\"X\" asm=\"X\">"
			    "<architecture name=\"x\"><measurement>"
			    "<latency start_op=\"1\" target_op=\"1\" cycles=\"2\"/>"
			    "</measurement></architecture></instruction></extension></root>";

	if (!xmllint) {
		tap_skip("the schema", "no xmllint");
		return;
	}
	ok(is_valid(xmllint, schema, path_of("x.xml")), "the schema has all that is written");
	takt_text_clear(text);
	takt_text_add_string(text, wrong);
	write_file("wrong.xml", text);
	ok(!is_valid(xmllint, schema, path_of("wrong.xml")), "no operand 1: not valid");
	unlink(path_of("wrong.xml"));
}

/* Rows of the database by a CSV, whose forms alone have commas. */
static void check_csv_row(void *context, const struct probe_row *row)
{
	struct takt_text line = {0};
	const char *text = *(const char *const *)context, *found;
	double numbers[5];
	const double wanted[] = {row->throughput, row->spread, row->chain, row->uops,
				 row->ports_cycles};

	takt_text_printf(&line, "\n\"%s\",\"%s\",", row->form, row->reason);
	found = strstr(text, takt_text_data(&line));
	if (!found) {
		ok(false, "no row of '%s'", row->form);
		return;
	}
	found += line.size_bytes;
	for (int i = 0; i < 5; i++) {
		char *end;

		numbers[i] = strtod(found, &end);
		if (end == found)
			numbers[i] = NAN;
		found = end + (*end == ',');
		/* Numbers have four digits. */
		if (isnan(wanted[i]) ? !isnan(numbers[i])
				     : !(fabs(numbers[i] - wanted[i]) <= 1e-3 * fabs(wanted[i])))
			ok(false, "'%s': number %d is %g, not %g", row->form, i, numbers[i],
			   wanted[i]);
	}
	takt_text_clear(&line);
	takt_text_printf(&line, "\"%s\",\"%s\",\"%s\"", row->ports, row->doubt, row->latencies);
	if (strncmp(found, takt_text_data(&line), line.size_bytes) != 0)
		ok(false, "'%s': other ports or latencies", row->form);
	takt_text_release(&line);
}

static void write_as(enum takt_survey_format format, const struct takt_model *model,
		     const char *name, struct takt_diag *diag, struct takt_text *text)
{
	char database[256];

	snprintf(database, sizeof(database), "%s", path_of("x.db"));
	takt_text_clear(text);
	is_int(takt_survey_write(database, format, model, diag, text), TAKT_OK, name);
	write_file(name, text);
}

static void check_all(const char *core, const char *schema, const char *xmllint,
		      struct takt_diag *diag)
{
	struct takt_text text = {0};
	struct takt_arena arena = {0};
	struct takt_model *model;
	struct probe_store *store;
	struct probe_forms forms;
	char database[256], source[300];
	const char *csv;

	snprintf(database, sizeof(database), "%s", path_of("x.db"));
	if (takt_model_open(core, NULL, diag, &model) != TAKT_OK ||
	    takt_probe_store_open(database, false, diag, &store) != TAKT_OK)
		abort();
	takt_probe_forms_find(&arena, &forms);
	write_as(TAKT_SURVEY_XML, model, "x.xml", diag, &text);
	takt_text_clear(&text);
	snprintf(source, sizeof(source), "uops.info:%s", path_of("x.xml"));
	is_int(takt_model_import(model, source, diag, &text), TAKT_OK, "XML is imported");
	ok(strstr(takt_text_data(&text), "source i measured"), "as measured");
	write_file("x.timing", &text);
	check_store("XML", FROM_XML, store, &forms, core, diag);
	check_schema(xmllint, schema, &text);
	write_as(TAKT_SURVEY_TIMING, model, "x.timing", diag, &text);
	check_store("timing file", FROM_TIMING, store, &forms, core, diag);
	write_as(TAKT_SURVEY_CSV, NULL, "x.csv", diag, &text);
	csv = takt_text_data(&text);
	is_int(takt_probe_store_each(store, check_csv_row, &csv, diag), TAKT_OK, "CSV");
	takt_probe_store_close(store);
	takt_model_close(model);
	takt_text_release(&text);
	takt_arena_release(&arena);
}

static void survey(const char *core, size_t step, struct takt_diag *diag)
{
	struct takt_survey_options options = {.step = step};
	char machine[32], database[256];
	struct takt_lab_options lab_options = {.machine = machine};
	struct takt_lab *lab;

	snprintf(machine, sizeof(machine), "sim:%s", core);
	snprintf(database, sizeof(database), "%s", path_of("x.db"));
	options.path = database;
	if (takt_lab_open(&lab_options, diag, &lab) != TAKT_OK)
		abort();
	is_int(takt_survey(lab, &options, diag), TAKT_OK, "a survey");
	takt_lab_close(lab);
}

int main(int argc, char **argv)
{
	static const char *const files[] = {"x.db", "x.xml", "x.timing", "x.csv"};
	struct takt_diag *diag = takt_diag_new();

	if (argc < 4 || !mkdtemp(directory))
		return 2;
	survey(argv[1], strtoul(argv[2], NULL, 10), diag);
	check_all(argv[1], argv[3], argc > 4 && *argv[4] ? argv[4] : NULL, diag);
	for (size_t i = 0; i < TAKT_COUNT_OF(files); i++)
		unlink(path_of(files[i]));
	rmdir(directory);
	takt_diag_free(diag);
	return tap_done();
}
