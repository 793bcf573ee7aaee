/* SPDX-License-Identifier: MIT */
/*
 * Runs a program under the oracle and writes what it counted as JSON, one line, the last.
 *
 *	oracle [--lines] [--strides] [--core=NAME] -- PROGRAM [ARGUMENT …]
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "events/events.h"

struct report {
	struct takt_text text;
	struct takt_json json;
};

static void write_counts(struct takt_json *json, const struct oracle_counts *counts)
{
#define X(field, name, unit, origin, what) takt_json_integer(json, name, (int64_t)counts->field);
	ORACLE_EVENT_LIST(X)
#undef X
}

static void write_regions(struct takt_json *json, const struct oracle *oracle)
{
	takt_json_open_array(json, "regions");
	for (uint32_t i = 0; i < takt_oracle_region_count(oracle); i++) {
		for (uint32_t j = 0; j < takt_oracle_thread_count(oracle); j++) {
			uint64_t entries;
			const struct oracle_counts *counts =
				takt_oracle_region(oracle, i, j, &entries);

			if (!entries)
				continue;
			takt_json_open_object(json, NULL);
			takt_json_string(json, "name", takt_oracle_region_name(oracle, i));
			takt_json_integer(json, "thread", (int64_t)j);
			takt_json_integer(json, "entries", (int64_t)entries);
			write_counts(json, counts);
			takt_json_close_object(json);
		}
	}
	takt_json_close_array(json);
}

static void write_lines(struct takt_json *json, const struct oracle *oracle)
{
	size_t count;
	const struct oracle_line *lines = takt_oracle_lines(oracle, &count);

	takt_json_open_array(json, "lines");
	for (size_t i = 0; i < count && i < 20; i++) {
		takt_json_open_object(json, NULL);
		takt_json_integer(json, "address", (int64_t)lines[i].address);
		takt_json_integer(json, "truly", (int64_t)lines[i].truly);
		takt_json_integer(json, "falsely", (int64_t)lines[i].falsely);
		takt_json_integer(json, "threads", (int64_t)lines[i].threads);
		takt_json_integer(json, "writers", (int64_t)lines[i].writers);
		takt_json_integer(json, "stores", (int64_t)lines[i].stores);
		takt_json_integer(json, "block", (int64_t)lines[i].users[0].block);
		takt_json_close_object(json);
	}
	takt_json_close_array(json);
}

static void write_accesses(struct takt_json *json, const struct oracle *oracle,
			   const struct trace_dictionary *dictionary)
{
	size_t count;
	const struct oracle_access *accesses = takt_oracle_accesses(oracle, &count);

	takt_json_open_array(json, "accesses");
	for (size_t i = 0; i < count && i < 20; i++) {
		const struct trace_block *block = dictionary->blocks[accesses[i].block];

		takt_json_open_object(json, NULL);
		takt_json_string(json, "function", dictionary->functions[block->function].name);
		takt_json_integer(json, "store", (int64_t)accesses[i].store);
		takt_json_integer(json, "count", (int64_t)accesses[i].count);
		takt_json_integer(json, "bytes", (int64_t)accesses[i].bytes);
		takt_json_integer(json, "misses", (int64_t)accesses[i].misses[0]);
		takt_json_open_array(json, "strides");
		for (unsigned j = 0; j < STRIDE_COUNT; j++)
			takt_json_integer(json, NULL, (int64_t)accesses[i].strides[j]);
		takt_json_close_array(json);
		takt_json_close_object(json);
	}
	takt_json_close_array(json);
}

static void look(void *context, const struct oracle *oracle,
		 const struct trace_dictionary *dictionary)
{
	struct report *report = context;
	struct takt_json *json = &report->json;

	takt_json_open_array(json, "threads");
	for (uint32_t i = 0; i < takt_oracle_thread_count(oracle); i++) {
		takt_json_open_object(json, NULL);
		write_counts(json, takt_oracle_thread(oracle, i));
		takt_json_close_object(json);
	}
	takt_json_close_array(json);
	takt_json_integer(json, "left_out", (int64_t)takt_oracle_left_out(oracle));
	takt_json_integer(json, "undecoded", (int64_t)takt_oracle_undecoded(oracle));
	write_regions(json, oracle);
	write_lines(json, oracle);
	write_accesses(json, oracle, dictionary);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time); /* the program's own is not in it */
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int run(char *const *argv, const struct oracle_options *oracle, struct takt_diag *diag)
{
	struct report report;
	struct emulate_options options = {.oracle = *oracle, .look = look, .context = &report};
	struct takt_trace_totals *totals;
	double begin = now();

	takt_text_init(&report.text);
	takt_json_init(&report.json, &report.text);
	takt_json_compact(&report.json, true);
	takt_json_open_object(&report.json, NULL);
	if (takt_emulate(argv, &options, diag, &totals) != TAKT_OK) {
		fputs(takt_diag_text(diag), stderr);
		takt_text_release(&report.text);
		return 1;
	}
	takt_json_number(&report.json, "seconds", now() - begin);
	takt_json_integer(&report.json, "instructions", (int64_t)totals->all.insns);
	takt_json_integer(&report.json, "loads", (int64_t)totals->all.loads);
	takt_json_integer(&report.json, "load_bytes", (int64_t)totals->all.load_bytes);
	takt_json_integer(&report.json, "stores", (int64_t)totals->all.stores);
	takt_json_close_object(&report.json);
	fputs(report.text.data, stdout);
	takt_trace_totals_free(totals);
	takt_text_release(&report.text);
	return 0;
}

int main(int argc, char **argv)
{
	struct oracle_options oracle = {0};
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model = NULL;
	int at = 1, status = 1;

	for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
		oracle.lines |= strcmp(argv[at], "--lines") == 0;
		oracle.strides |= strcmp(argv[at], "--strides") == 0;
		if (strncmp(argv[at], "--core=", 7) == 0 &&
		    takt_model_open(argv[at] + 7, NULL, diag, &model) != TAKT_OK)
			fputs(takt_diag_text(diag), stderr);
	}
	oracle.model = model;
	if (at + 1 < argc)
		status = run(argv + at + 1, &oracle, diag);
	takt_model_close(model);
	takt_diag_free(diag);
	return status;
}
