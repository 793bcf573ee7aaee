/* SPDX-License-Identifier: MIT */
/* The report as text, for people: the paper's tables, with its figures beside takt's. */
#include "evaluate/report.h"

#include <math.h>

#include "base/columns.h"

#define BAD_ROWS 30 /* at most, of the benchmarks that all tools predict badly */

/* CesASMe and staticdeps (Bastian, Pompougnac, Dutilleul, Rastello, 2024): %, CPU hours. */
static const char published_title[] =
	"published: CesASMe (Bastian et al. 2024), Xeon Gold 6130, 3500 benchmarks";

/* A row of a table of errors. */
struct error_row {
	const char *name;
	double failed;	  /* share of benchmarks without a prediction; NaN: not known */
	double cpu_hours; /* NaN: not known */
	struct evaluate_errors errors;
};

#define PUBLISHED(points, failed_, mape, median_, q1, q3, tau_, hours)                             \
	.failed = (failed_) / 100., .cpu_hours = hours,                                            \
	.errors = {                                                                                \
		.count = points,                                                                   \
		.mean = (mape) / 100.,                                                             \
		.median = (median_) / 100.,                                                        \
		.quartiles = {(q1) / 100., (q3) / 100.},                                           \
		.tau = tau_,                                                                       \
		.under = NAN,                                                                      \
		.mean_interval = {NAN, NAN},                                                       \
	}

static const struct error_row published_1[] = {
	{"best by block", PUBLISHED(3500, 0, 11.60, 5.81, 1.99, 15.41, NAN, NAN)},
	{"BHive", PUBLISHED(2198, 37.20, 27.95, 7.78, 3.01, 23.01, NAN, NAN)},
};

static const struct error_row published_2[] = {
	{"BHive", PUBLISHED(2198, 37.20, 27.95, 7.78, 3.01, 23.01, 0.81, 1.37)},
	{"llvm-mca", PUBLISHED(3500, 0, 36.71, 27.80, 12.92, 59.80, 0.57, 0.96)},
	{"uiCA", PUBLISHED(3500, 0, 29.59, 18.26, 7.11, 52.99, 0.58, 2.12)},
	{"Ithemal", PUBLISHED(3500, 0, 57.04, 48.70, 22.92, 75.69, 0.39, 0.38)},
	{"IACA", PUBLISHED(3500, 0, 30.23, 18.51, 7.13, 57.18, 0.59, 1.31)},
	{"Gus", PUBLISHED(3500, 0, 20.37, 15.01, 7.82, 30.59, 0.82, 188.04)},
};

static const struct error_row published_full[] = {
	{"uiCA", PUBLISHED(3500, 0, 29.59, 18.26, 7.11, 52.99, 0.58, NAN)},
	{"uiCA + staticdeps", PUBLISHED(3500, 0, 19.15, 14.44, 5.86, 23.96, 0.81, NAN)},
};

static const struct error_row published_pruned[] = {
	{"uiCA", PUBLISHED(2388, 0, 18.42, 11.96, 5.42, 23.32, 0.80, NAN)},
	{"uiCA + staticdeps", PUBLISHED(2388, 0, 18.77, 12.18, 5.31, 23.55, 0.80, NAN)},
};

/* ---- rows of errors ---- */

static struct takt_value interval(const struct takt_view *view, const void *record)
{
	const double *ends = ((const struct error_row *)record)->errors.mean_interval;

	if (!isfinite(ends[0]))
		return takt_value_string(NULL);
	takt_text_printf(view->scratch, "%.2f – %.2f%%", 100 * ends[0], 100 * ends[1]);
	return takt_value_string(view->scratch->data);
}

#define RECORD struct error_row
static const struct takt_field error_fields[] = {
	TAKT_FIELD("name", name, NULL, "Predictor."),
	TAKT_FIELD("failed", failed, "%", "Share of benchmarks without a prediction.",
		   .factor = 100, .flags = TAKT_NULLABLE),
	TAKT_TEXT_FIELD("interval", TAKT_FIELD_STRING, interval),
	TAKT_FIELD("cpu_hours", cpu_hours, "h", "Processor time.", .flags = TAKT_NULLABLE),
	TAKT_INLINE(errors, &report_errors_record),
};
#undef RECORD
static const struct takt_record error_record =
	TAKT_RECORD("row", "A row of a table of errors.", error_fields);

#define PERCENT(head_, key_, width_, digits)                                                       \
	{                                                                                          \
		head_, key_, width_, .gap = 1, .format = "%." digits "f%%", .null = "-"            \
	}
static const struct takt_column error_columns[] = {
	{"", "name", -22, .gap = 2},
	{"points", "points", 6, .gap = 1},
	PERCENT("failed", "failed", 6, "1"),
	PERCENT("MAPE", "mape_percent", 7, "2"),
	{"95 %", "interval", 16, .gap = 1, .null = "-"},
	PERCENT("median", "median_percent", 7, "2"),
	PERCENT("Q1", "q1_percent", 7, "2"),
	PERCENT("Q3", "q3_percent", 7, "2"),
	{"tau", "tau", 6, .gap = 1, .format = "%.3g", .null = "-"},
	PERCENT("under", "under_percent", 6, "1"),
	{"CPU hours", "cpu_hours", 9, .gap = 1, .format = "%.4g"},
};

static void write_head(const char *title, struct takt_text *text)
{
	takt_text_printf(text, "\n%s\n\n", title);
	takt_columns_write_head(error_columns, TAKT_COUNT_OF(error_columns), text);
}

static void write_rows(const struct error_row *rows, size_t count, struct takt_text *text)
{
	for (size_t i = 0; i < count; i++)
		takt_columns_write_row(error_columns, TAKT_COUNT_OF(error_columns), &error_record,
				       &rows[i], text);
}

static void write_row(const char *name, const struct evaluate_errors *errors, double failed,
		      double cpu_hours, struct takt_text *text)
{
	const struct error_row row = {name, failed, cpu_hours, *errors};

	write_rows(&row, 1, text);
}

static void write_published(const struct error_row *rows, size_t count, struct takt_text *text)
{
	takt_text_printf(text, "  %s\n", published_title);
	write_rows(rows, count, text);
}

static void write_tool(const struct report_tool *tool, enum report_set set, struct takt_text *text)
{
	if (!tool || tool->skipped)
		return;
	write_row(tool->predictor->name, &tool->errors[set],
		  tool->asked ? (double)tool->failures / (double)tool->asked : NAN,
		  set == REPORT_FULL ? tool->cpu_seconds / 3600 : NAN, text);
}

/* ---- tables ---- */

static void write_benchmarks(const struct report *report, struct takt_text *text)
{
	const struct report_counts *counts = &report->counts;
	double measured = fmax(1, (double)counts->measured);

	takt_text_printf(text,
			 "%lld benchmarks: distinct ones of %lld that were compiled; %lld failed,"
			 " %lld could not be counted\n",
			 (long long)counts->built, (long long)counts->compiled,
			 (long long)counts->failed, (long long)counts->not_counted);
	takt_text_printf(text, "%lld measured on %s, clock %s; %lld were disturbed or not stable\n",
			 (long long)counts->measured, counts->cpu, counts->clock,
			 (long long)counts->disturbed);
	takt_text_printf(text,
			 "repeatability: the repeats that count agree within 1 %% for %.1f %% of"
			 " them, median spread %.2f %%\n",
			 100.0 * (double)counts->agreeing / measured, 100 * counts->spread);
	takt_text_printf(text,
			 "%zu have their data in the first cache (misses take up to 15 %% of the"
			 " cycles), %zu strictly (1 %%);\n%zu of these are not bound by dependences"
			 " through memory (pruned)\n",
			 report->set_counts[REPORT_FULL], report->set_counts[REPORT_STRICT],
			 report->set_counts[REPORT_PRUNED]);
}

static void write_table_1(const struct report *report, struct takt_text *text)
{
	write_head("Table 1: basic blocks alone, at their best and measured", text);
	write_row("best by block", &report->best, 0, NAN, text);
	write_tool(report_tool(report, "takt measure"), REPORT_FULL, text);
	write_published(published_1, TAKT_COUNT_OF(published_1), text);
}

/* Say why a tool has no row, or why its row lacks benchmarks. */
static void write_missing(const struct report *report, const struct report_tool *tool,
			  struct takt_text *text)
{
	size_t all = report->set_counts[REPORT_FULL];

	if (tool->skipped)
		takt_text_printf(text, "  %-22s skipped: %s\n", tool->predictor->name,
				 tool->skipped);
	else if (tool->asked < all)
		takt_text_printf(text, "  %-22s was asked for %zu of %zu\n", tool->predictor->name,
				 tool->asked, all);
}

static void write_table_2(const struct report *report, struct takt_text *text)
{
	write_head("Table 2: predictors", text);
	for (size_t i = 0; i < report->tool_count; i++)
		write_tool(&report->tools[i], REPORT_FULL, text);
	for (size_t i = 0; i < report->tool_count; i++)
		write_missing(report, &report->tools[i], text);
	write_published(published_2, TAKT_COUNT_OF(published_2), text);
	write_head("Table 2, misses up to 1 %", text);
	for (size_t i = 0; i < report->tool_count; i++)
		write_tool(&report->tools[i], REPORT_STRICT, text);
}

/* ---- Table 3 ---- */

/* Dependences that are found among those of at most an age: with no values on entry, and with. */
struct coverage_row {
	const char *lifetime;
	struct coverage {
		double pairs, found, weighted; /* number; %, by pair and by occurrence */
	} plain, entry;
};

#define COVERAGE(key, member)                                                                      \
	TAKT_FIELD(key "_pairs", member.pairs, NULL, "Pairs that occurred."),                      \
		TAKT_FIELD(key "_found", member.found, "%", "Those found."),                       \
		TAKT_FIELD(key "_weighted", member.weighted, "%", "Those found, by occurrence.")
#define RECORD struct coverage_row
static const struct takt_field coverage_fields[] = {
	TAKT_FIELD("lifetime", lifetime, "instructions", "Greatest age."),
	COVERAGE("plain", plain),
	COVERAGE("entry", entry),
};
#undef RECORD
static const struct takt_record coverage_record =
	TAKT_RECORD("coverage", "Dependences through memory that are found.", coverage_fields);

#define COVERAGE_COLUMNS(key)                                                                      \
	{"pairs", key "_pairs", 8, .gap = 1, .format = "%.0f"},                                    \
		{"unweighted", key "_found", 10, .gap = 1, .format = "%.1f%%", .null = "-"},       \
	{                                                                                          \
		"weighted", key "_weighted", 10, .gap = 1, .format = "%.1f%%", .null = "-"         \
	}

static struct coverage coverage_of(const struct report_coverage *cover)
{
	return (struct coverage){
		.pairs = cover->pairs,
		.found = 100 * cover->found / fmax(1, cover->pairs),
		.weighted = 100 * cover->found_weight / fmax(1, cover->weight),
	};
}

static void write_coverage(const char *title, const struct report_coverage (*covers)[REPORT_AGES],
			   struct takt_text *text)
{
	static const char *const lifetimes[REPORT_AGES] = {"any", "1024", "512", "512, own",
							   "precision"};
	const struct takt_column columns[] = {
		{title, "lifetime", -12, .gap = 2},
		COVERAGE_COLUMNS("plain"),
		COVERAGE_COLUMNS("entry"),
	};
	struct coverage_row rows[REPORT_AGES];

	for (int i = 0; i < REPORT_AGES; i++)
		rows[i] = (struct coverage_row){lifetimes[i], coverage_of(&covers[0][i]),
						coverage_of(&covers[1][i])};
	takt_columns_write(columns, TAKT_COUNT_OF(columns),
			   TAKT_TABLE_ROWS(&coverage_record, rows, REPORT_AGES), text);
}

static void write_table_3(const struct report *report, struct takt_text *text)
{
	takt_text_add_string(text, "\nTable 3: dependences through memory that occurred and that "
				   "takt deps finds, by their age in instructions;\nthe last three "
				   "columns: with the values of registers on entry\n\n");
	write_coverage("blocks", report->coverage[0], text);
	write_coverage("paths", report->coverage[1], text);
	takt_text_printf(text,
			 "  %s\n  any          %8s %9.1f%% %9.1f%%\n"
			 "  1024         %8s %9.1f%% %9.1f%%\n  512          %8s %9.1f%% %9.1f%%\n",
			 published_title, "", 38.1, 44.0, "", 57.6, 58.2, "", 56.4, 63.5);
}

static void write_table_4(const struct report *report, struct takt_text *text)
{
	static const char *const names[] = {"takt sim, no memory", "takt sim",
					    "takt paths, no memory", "takt paths"};

	write_head("Table 4: dependences through memory, full set", text);
	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++)
		write_tool(report_tool(report, names[i]), REPORT_FULL, text);
	write_published(published_full, TAKT_COUNT_OF(published_full), text);
	write_head("Table 4: pruned set", text);
	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++)
		write_tool(report_tool(report, names[i]), REPORT_PRUNED, text);
	write_published(published_pruned, TAKT_COUNT_OF(published_pruned), text);
}

static void write_bad(const struct report *report, struct takt_text *text)
{
	const struct report_tool *paths = report_tool(report, "takt paths");
	size_t column = paths ? (size_t)(paths - report->tools) : 0;

	takt_text_printf(text,
			 "\nAmong the worst %zu of every static tool: %zu, %zu of them predicted"
			 " too low, %zu bound by\ndependences through memory (the paper: 869 of"
			 " 1050, 97.5 %% too low, 85.7 %% memory-carried)\n\n",
			 report->worst_count, report->bad_count, report->bad_under,
			 report->bad_memory_bound);
	for (size_t i = 0; i < report->bad_count && i < BAD_ROWS; i++) {
		const struct report_case *one = &report->cases[report->bad[i]];

		takt_text_printf(text, "  %-58.58s %9.0f × %.2f  %s%s\n", one->name, one->measured,
				 one->predicted[column] / one->measured, one->bottleneck,
				 one->memory_bound ? "; memory-carried" : "");
	}
	if (report->bad_count > BAD_ROWS)
		takt_text_printf(text, "  and %zu more: '--format=json' has all\n",
				 report->bad_count - BAD_ROWS);
}

void report_write_text(const struct report *report, struct takt_text *text)
{
	takt_text_printf(text, "%s%s%s\n", report->core, report->core_choice ? ", " : "",
			 report->core_choice ? report->core_choice : "");
	if (report->core_doubt)
		takt_text_printf(text, "note: %s\n", report->core_doubt);
	write_benchmarks(report, text);
	write_table_1(report, text);
	write_table_2(report, text);
	write_table_3(report, text);
	write_table_4(report, text);
	write_bad(report, text);
}
