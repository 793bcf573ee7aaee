/* SPDX-License-Identifier: MIT */
/* The report as JSON, for programs, declared: all figures, and all benchmarks. */
#include <math.h>

#include "base/record.h"
#include "evaluate/report.h"

static const struct report *report_of(const struct takt_view *view)
{
	return view->root;
}

#define RECORD struct evaluate_errors
#define ERROR_FIELD(key, member, text)                                                             \
	TAKT_FIELD(key, member, "%", text, .factor = 100, .flags = TAKT_NULLABLE)
static const struct takt_field errors_fields[] = {
	TAKT_FIELD("points", count, NULL, "Number of benchmarks with a prediction."),
	ERROR_FIELD("mape_percent", mean, "Mean absolute error."),
	ERROR_FIELD("mape_low_percent", mean_interval[0], "Lower end of its 95 % interval."),
	ERROR_FIELD("mape_high_percent", mean_interval[1], "Upper end of its 95 % interval."),
	ERROR_FIELD("median_percent", median, "Median error."),
	ERROR_FIELD("q1_percent", quartiles[0], "First quartile."),
	ERROR_FIELD("q3_percent", quartiles[1], "Third quartile."),
	TAKT_FIELD("tau", tau, NULL, "Kendall's rank correlation.", .flags = TAKT_NULLABLE),
	ERROR_FIELD("under_percent", under, "Share of benchmarks predicted too fast."),
};
#undef RECORD
const struct takt_record report_errors_record =
	TAKT_RECORD("errors", "Errors of predictions.", errors_fields);

static bool was_run(const struct takt_view *view, const void *record)
{
	(void)view;
	return !((const struct report_tool *)record)->skipped;
}

static struct takt_value predictor_name(const struct takt_view *view, const void *record)
{
	(void)view;
	return takt_value_string(((const struct report_tool *)record)->predictor->name);
}

#define RECORD struct report_tool
static const struct takt_field run_fields[] = {
	TAKT_FIELD("asked", asked, NULL, "Benchmarks of the full set it was run on."),
	TAKT_FIELD("failures", failures, NULL, "Those of them without a prediction."),
	TAKT_FIELD("cpu_seconds", cpu_seconds, "s", "CPU time.", .flags = TAKT_NULLABLE),
	TAKT_NESTED("full", errors[REPORT_FULL], &report_errors_record,
		    "Benchmarks whose data fit the first-level cache."),
	TAKT_NESTED("pruned", errors[REPORT_PRUNED], &report_errors_record,
		    "Those of them that memory dependences do not bound."),
	TAKT_NESTED("strict", errors[REPORT_STRICT], &report_errors_record,
		    "Benchmarks that hardly miss the cache."),
};
static const struct takt_record run_record =
	TAKT_RECORD("run", "Results of a predictor.", run_fields);
static const struct takt_field tool_fields[] = {
	TAKT_COMPUTED("predictor", TAKT_FIELD_STRING, predictor_name, NULL, "Its name."),
	TAKT_FIELD("skipped", skipped, NULL, "Why it was not run.", .flags = TAKT_OPTIONAL),
	{.type = TAKT_FIELD_INLINE, .record = &run_record, .present = was_run},
};
#undef RECORD
static const struct takt_record tool_record = TAKT_RECORD("predictor", "A predictor.", tool_fields);

/* ---- coverage ---- */

/* The indices of a coverage in the report, from its address. */
static size_t coverage_index(const struct takt_view *view, const void *record)
{
	return (size_t)((const struct report_coverage *)record -
			&report_of(view)->coverage[0][0][0]);
}

static struct takt_value coverage_of(const struct takt_view *view, const void *record)
{
	bool paths = coverage_index(view, record) / REPORT_AGES / 2;

	return takt_value_string(paths ? "paths" : "blocks");
}

static struct takt_value coverage_entries(const struct takt_view *view, const void *record)
{
	bool entries = coverage_index(view, record) / REPORT_AGES % 2;

	return (struct takt_value){.kind = TAKT_VALUE_BOOL, .boolean = entries};
}

static struct takt_value coverage_age(const struct takt_view *view, const void *record)
{
	static const char *const lifetimes[] = {"any", "1024", "512", "own", "precision"};

	return takt_value_string(lifetimes[coverage_index(view, record) % REPORT_AGES]);
}

static struct takt_value coverage_share(const struct takt_view *view, const void *record)
{
	const struct report_coverage *cover = record;

	(void)view;
	return takt_value_number(100 * cover->found / cover->pairs);
}

static struct takt_value coverage_weighted(const struct takt_view *view, const void *record)
{
	const struct report_coverage *cover = record;

	(void)view;
	return takt_value_number(100 * cover->found_weight / cover->weight);
}

#define RECORD struct report_coverage
static const struct takt_field coverage_fields[] = {
	TAKT_COMPUTED("of", TAKT_FIELD_STRING, coverage_of, NULL, "\"paths\" or \"blocks\"."),
	TAKT_COMPUTED("entry_values", TAKT_FIELD_BOOL, coverage_entries, NULL,
		      "True if values of registers on entry were given."),
	TAKT_COMPUTED("age", TAKT_FIELD_STRING, coverage_age, NULL,
		      "Limit of the age of what is looked for, or \"precision\"."),
	TAKT_FIELD("pairs", pairs, NULL, "Pairs of a store and a load."),
	TAKT_COMPUTED("unweighted_percent", TAKT_FIELD_DOUBLE, coverage_share, "%",
		      "Share of the pairs that were found.", .flags = TAKT_NULLABLE),
	TAKT_COMPUTED("weighted_percent", TAKT_FIELD_DOUBLE, coverage_weighted, "%",
		      "The same, weighted by executions.", .flags = TAKT_NULLABLE),
};
#undef RECORD
static const struct takt_record coverage_record =
	TAKT_RECORD("coverage", "Memory dependences that were found.", coverage_fields);

/* ---- benchmarks ---- */

static struct takt_value case_is_bad(const struct takt_view *view, const void *record)
{
	const struct report *report = report_of(view);
	uint32_t index = (uint32_t)((const struct report_case *)record - report->cases);
	bool bad = false;

	for (size_t i = 0; i < report->bad_count; i++)
		bad |= report->bad[i] == index;
	return (struct takt_value){.kind = TAKT_VALUE_BOOL, .boolean = bad};
}

static bool prediction_entry(const struct takt_view *view, const void *record, uint32_t index,
			     const char **ret_key, struct takt_value *ret_value)
{
	const struct report_case *one = record;

	if (index == report_of(view)->tool_count)
		return false;
	*ret_key =
		isnan(one->predicted[index]) ? NULL : report_of(view)->tools[index].predictor->name;
	*ret_value = takt_value_number(one->predicted[index]);
	return true;
}

#define RECORD struct report_case
static const struct takt_field case_fields[] = {
	TAKT_FIELD("name", name, NULL, "Its name, from the four parts that follow."),
	TAKT_FIELD("kernel", kernel, NULL, "The kernel, by the name of its file."),
	TAKT_FIELD("compiler", compiler, NULL, "The compiler."),
	TAKT_FIELD("strategy", strategy, NULL, "The set of compiler options."),
	TAKT_FIELD("options", options, NULL, "Macros of the variant; may be empty."),
	TAKT_FIELD("file", file, NULL, "Its shared library, below the directory of results."),
	TAKT_FIELD("measured_cycles", measured, "cycles", "Cycles of a call."),
	TAKT_FIELD("miss_percent", miss_share, "%", "Share of them that cache misses would take.",
		   .factor = 100, .flags = TAKT_NULLABLE),
	TAKT_FIELD("memory_bound", memory_bound, NULL,
		   "True if it is predicted much faster without dependences through memory."),
	TAKT_COMPUTED("jointly_bad", TAKT_FIELD_BOOL, case_is_bad, NULL,
		      "True if it is among the worst of every static predictor."),
	TAKT_FIELD("bottleneck", bottleneck, NULL, "Largest stall causes of the whole run."),
	TAKT_MAP("predicted_cycles", TAKT_FIELD_DOUBLE, prediction_entry, "cycles",
		 "Cycles by predictor."),
};
#undef RECORD
static const struct takt_record case_record =
	TAKT_RECORD("benchmark", "A benchmark that was measured.", case_fields);

/* ---- the whole ---- */

#define RECORD struct report
static const struct takt_field report_fields[] = {
	TAKT_FIELD("directory", directory, NULL, "Directory of the results, as it was given."),
	TAKT_FIELD("core", core, NULL, "The core."),
	TAKT_FIELD("core_choice", core_choice, NULL,
		   "By what the core was chosen, if this machine's was asked for.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("core_doubt", core_doubt, NULL,
		   "Why the core may be another one than this machine's.", .flags = TAKT_OPTIONAL),
	TAKT_FIELD("cpu", counts.cpu, NULL, "The processor.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("clock", counts.clock, NULL, "The clock.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("compiled", counts.compiled, NULL, "Benchmarks compiled."),
	TAKT_FIELD("distinct", counts.built, NULL, "Those of them with different code."),
	TAKT_FIELD("failed", counts.failed, NULL, "Benchmarks that failed."),
	TAKT_FIELD("not_counted", counts.not_counted, NULL,
		   "Benchmarks whose executions could not be counted."),
	TAKT_FIELD("measured", counts.measured, NULL, "Benchmarks measured."),
	TAKT_FIELD("disturbed", counts.disturbed, NULL, "Benchmarks that other load disturbed."),
	TAKT_FIELD("agree_within_1_percent", counts.agreeing, NULL,
		   "Benchmarks whose repeats that count agree within 1 %."),
	TAKT_FIELD("median_spread_percent", counts.spread, "%",
		   "Median spread of the repeats that count.", .factor = 100,
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("instructions", counts.insns, NULL, "Instructions of all benchmarks."),
	TAKT_FIELD("full", set_counts[REPORT_FULL], NULL, "Size of the full set."),
	TAKT_FIELD("pruned", set_counts[REPORT_PRUNED], NULL, "Size of the pruned set."),
	TAKT_FIELD("strict", set_counts[REPORT_STRICT], NULL, "Size of the strict set."),
	TAKT_NESTED("best_by_block", best, &report_errors_record,
		    "Errors if the nearest by-block predictor were taken for each."),
	{.key = "predictors",
	 .type = TAKT_FIELD_LIST,
	 .offset = offsetof(RECORD, tools),
	 .item = TAKT_FIELD_RECORD,
	 .item_size_bytes = sizeof(struct report_tool),
	 .count_offset = offsetof(RECORD, tool_count),
	 .count_size_bytes = sizeof(size_t),
	 .record = &tool_record,
	 .text = "All predictors.",
	 .flags = TAKT_EMBEDDED},
	{.key = "coverage",
	 .type = TAKT_FIELD_LIST,
	 .offset = offsetof(RECORD, coverage),
	 .item = TAKT_FIELD_RECORD,
	 .item_size_bytes = sizeof(struct report_coverage),
	 .fixed_count = 4 * REPORT_AGES,
	 .record = &coverage_record,
	 .text = "Memory dependences that were found.",
	 .flags = TAKT_EMBEDDED},
	TAKT_RECORDS("benchmarks", cases, case_count, &case_record, "All benchmarks."),
};
#undef RECORD
static const struct takt_record report_record =
	TAKT_RECORD("evaluation", "How far predictors are from measurements.", report_fields);

const struct takt_schema takt_evaluate_schema = {
	.name = "evaluate",
	.title = "takt evaluate --format=json",
	.records = {&report_record},
};

void report_write_json(const struct report *report, struct takt_text *text)
{
	takt_record_write_json(&report_record, report, text);
}
