/* SPDX-License-Identifier: MIT */
/* The report as JSON, for programs: all figures, and all benchmarks. */
#include "evaluate/report.h"

#include <math.h>

static const char *const set_names[] = {"full", "pruned", "strict"};

static void write_errors(struct takt_json *json, const char *key,
			 const struct evaluate_errors *errors)
{
	takt_json_open_object(json, key);
	takt_json_integer(json, "points", (int64_t)errors->count);
	takt_json_number(json, "mape_percent", 100 * errors->mean);
	takt_json_number(json, "mape_low_percent", 100 * errors->mean_interval[0]);
	takt_json_number(json, "mape_high_percent", 100 * errors->mean_interval[1]);
	takt_json_number(json, "median_percent", 100 * errors->median);
	takt_json_number(json, "q1_percent", 100 * errors->quartiles[0]);
	takt_json_number(json, "q3_percent", 100 * errors->quartiles[1]);
	takt_json_number(json, "tau", errors->tau);
	takt_json_number(json, "under_percent", 100 * errors->under);
	takt_json_close_object(json);
}

static void write_tool(struct takt_json *json, const struct report_tool *tool)
{
	takt_json_open_object(json, NULL);
	takt_json_string(json, "predictor", tool->predictor->name);
	if (tool->skipped) {
		takt_json_string(json, "skipped", tool->skipped);
		takt_json_close_object(json);
		return;
	}
	takt_json_integer(json, "asked", (int64_t)tool->asked);
	takt_json_integer(json, "failures", (int64_t)tool->failures);
	takt_json_number(json, "cpu_seconds", tool->cpu_seconds);
	for (size_t set = 0; set < REPORT_SET_COUNT; set++)
		write_errors(json, set_names[set], &tool->errors[set]);
	takt_json_close_object(json);
}

static void write_counts(struct takt_json *json, const struct report *report)
{
	const struct report_counts *counts = &report->counts;

	takt_json_string(json, "core", report->core);
	if (report->core_doubt)
		takt_json_string(json, "core_doubt", report->core_doubt);
	takt_json_string(json, "cpu", counts->cpu);
	takt_json_string(json, "clock", counts->clock);
	takt_json_integer(json, "compiled", counts->compiled);
	takt_json_integer(json, "distinct", counts->built);
	takt_json_integer(json, "failed", counts->failed);
	takt_json_integer(json, "not_counted", counts->not_counted);
	takt_json_integer(json, "measured", counts->measured);
	takt_json_integer(json, "disturbed", counts->disturbed);
	takt_json_integer(json, "agree_within_1_percent", counts->agreeing);
	takt_json_number(json, "median_spread_percent", 100 * counts->spread);
	takt_json_integer(json, "instructions", counts->insns);
	for (size_t set = 0; set < REPORT_SET_COUNT; set++)
		takt_json_integer(json, set_names[set], (int64_t)report->set_counts[set]);
}

static void write_coverage(struct takt_json *json, const struct report *report)
{
	static const char *const lifetimes[] = {"any", "1024", "512", "own", "precision"};

	takt_json_open_array(json, "coverage");
	for (int i = 0; i < 4 * (EVALUATE_LIFETIMES + 1); i++) {
		int paths = i / 2 / (EVALUATE_LIFETIMES + 1);
		int entries = i / (EVALUATE_LIFETIMES + 1) % 2, age = i % (EVALUATE_LIFETIMES + 1);
		const struct report_coverage *cover = &report->coverage[paths][entries][age];

		takt_json_open_object(json, NULL);
		takt_json_string(json, "of", paths ? "paths" : "blocks");
		takt_json_bool(json, "entry_values", entries);
		takt_json_string(json, "age", lifetimes[age]);
		takt_json_number(json, "pairs", cover->pairs);
		takt_json_number(json, "unweighted_percent", 100 * cover->found / cover->pairs);
		takt_json_number(json, "weighted_percent",
				 100 * cover->found_weight / cover->weight);
		takt_json_close_object(json);
	}
	takt_json_close_array(json);
}

static void write_case(struct takt_json *json, const struct report *report, uint32_t index)
{
	const struct report_case *one = &report->cases[index];
	bool bad = false;

	for (size_t i = 0; i < report->bad_count; i++)
		bad |= report->bad[i] == index;
	takt_json_open_object(json, NULL);
	takt_json_string(json, "name", one->name);
	takt_json_number(json, "measured_cycles", one->measured);
	takt_json_number(json, "miss_percent", 100 * one->miss_share);
	takt_json_bool(json, "memory_bound", one->memory_bound);
	takt_json_bool(json, "jointly_bad", bad);
	takt_json_string(json, "bottleneck", one->bottleneck);
	takt_json_open_object(json, "predicted_cycles");
	for (size_t i = 0; i < report->tool_count; i++)
		if (!isnan(one->predicted[i]))
			takt_json_number(json, report->tools[i].predictor->name, one->predicted[i]);
	takt_json_close_object(json);
	takt_json_close_object(json);
}

void report_write_json(const struct report *report, struct takt_text *text)
{
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	write_counts(&json, report);
	write_errors(&json, "best_by_block", &report->best);
	takt_json_open_array(&json, "predictors");
	for (size_t i = 0; i < report->tool_count; i++)
		write_tool(&json, &report->tools[i]);
	takt_json_close_array(&json);
	write_coverage(&json, report);
	takt_json_open_array(&json, "benchmarks");
	for (uint32_t i = 0; i < report->case_count; i++)
		write_case(&json, report, i);
	takt_json_close_array(&json);
	takt_json_close_object(&json);
}
