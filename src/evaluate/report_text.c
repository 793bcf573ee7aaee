/* SPDX-License-Identifier: MIT */
/* The report as text, for people: the paper's tables, with its figures beside takt's. */
#include "evaluate/report.h"

#include <math.h>

#define BAD_ROWS 30 /* at most, of the benchmarks that all tools predict badly */

/* CesASMe and staticdeps (Bastian, Pompougnac, Dutilleul, Rastello, 2024): %, CPU hours. */
static const char published_title[] =
	"published: CesASMe (Bastian et al. 2024), Xeon Gold 6130, 3500 benchmarks";

struct published {
	const char *name;
	unsigned points;
	double failed, mape, median, q1, q3, tau, cpu_hours; /* NaN: not published */
};

static const struct published published_1[] = {
	{"best by block", 3500, 0, 11.60, 5.81, 1.99, 15.41, NAN, NAN},
	{"BHive", 2198, 37.20, 27.95, 7.78, 3.01, 23.01, NAN, NAN},
};

static const struct published published_2[] = {
	{"BHive", 2198, 37.20, 27.95, 7.78, 3.01, 23.01, 0.81, 1.37},
	{"llvm-mca", 3500, 0, 36.71, 27.80, 12.92, 59.80, 0.57, 0.96},
	{"uiCA", 3500, 0, 29.59, 18.26, 7.11, 52.99, 0.58, 2.12},
	{"Ithemal", 3500, 0, 57.04, 48.70, 22.92, 75.69, 0.39, 0.38},
	{"IACA", 3500, 0, 30.23, 18.51, 7.13, 57.18, 0.59, 1.31},
	{"Gus", 3500, 0, 20.37, 15.01, 7.82, 30.59, 0.82, 188.04},
};

static const struct published published_full[] = {
	{"uiCA", 3500, 0, 29.59, 18.26, 7.11, 52.99, 0.58, NAN},
	{"uiCA + staticdeps", 3500, 0, 19.15, 14.44, 5.86, 23.96, 0.81, NAN},
};

static const struct published published_pruned[] = {
	{"uiCA", 2388, 0, 18.42, 11.96, 5.42, 23.32, 0.80, NAN},
	{"uiCA + staticdeps", 2388, 0, 18.77, 12.18, 5.31, 23.55, 0.80, NAN},
};

/* ---- rows ---- */

static void write_head(const char *title, struct takt_text *text)
{
	takt_text_printf(text, "\n%s\n\n  %-22s %6s %6s %7s %14s %7s %7s %7s %6s %6s %9s\n", title,
			 "", "points", "failed", "MAPE", "95 %", "median", "Q1", "Q3", "tau",
			 "under", "CPU hours");
}

static void write_figure(double value, int width, int digits, struct takt_text *text)
{
	if (isnan(value))
		takt_text_printf(text, " %*s", width, "");
	else
		takt_text_printf(text, " %*.*f", width, digits, value);
}

/* Append a figure, or a dash of the same width if it is not finite. */
static void write_share(double value, const char *before, int width, struct takt_text *text)
{
	if (isfinite(value))
		takt_text_printf(text, "%s%*.*f%%", before, width, width < 6 ? 1 : 2, 100 * value);
	else
		takt_text_printf(text, "%s%*s", before, width + 1, "-");
}

static void write_row(const char *name, const struct evaluate_errors *errors, double failed,
		      double cpu_hours, struct takt_text *text)
{
	takt_text_printf(text, "  %-22s %6zu", name, errors->count);
	write_share(failed, " ", 5, text);
	write_share(errors->mean, " ", 6, text);
	if (isfinite(errors->mean_interval[0]))
		takt_text_printf(text, " %6.2f – %5.2f%%", 100 * errors->mean_interval[0],
				 100 * errors->mean_interval[1]);
	else
		takt_text_printf(text, " %15s", "-");
	write_share(errors->median, " ", 6, text);
	write_share(errors->quartiles[0], " ", 6, text);
	write_share(errors->quartiles[1], " ", 6, text);
	if (isfinite(errors->tau))
		takt_text_printf(text, " %6.3f", errors->tau);
	else
		takt_text_printf(text, " %6s", "-");
	write_share(errors->under, " ", 5, text);
	write_figure(cpu_hours, 9, 5, text);
	takt_text_add_string(text, "\n");
}

static void write_published(const struct published *rows, size_t count, struct takt_text *text)
{
	takt_text_printf(text, "  %s\n", published_title);
	for (size_t i = 0; i < count; i++) {
		takt_text_printf(text, "  %-22s %6u %5.1f%% %6.2f%% %14s %6.2f%% %6.2f%% %6.2f%%",
				 rows[i].name, rows[i].points, rows[i].failed, rows[i].mape, "",
				 rows[i].median, rows[i].q1, rows[i].q3);
		write_figure(rows[i].tau, 6, 2, text);
		takt_text_printf(text, " %6s", "");
		write_figure(rows[i].cpu_hours, 9, 2, text);
		takt_text_add_string(text, "\n");
	}
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

static void write_cover(const struct report_coverage *cover, struct takt_text *text)
{
	takt_text_printf(text, " %8.0f %9.1f%% %9.1f%%", cover->pairs,
			 100 * cover->found / fmax(1, cover->pairs),
			 100 * cover->found_weight / fmax(1, cover->weight));
}

static void write_table_3(const struct report *report, struct takt_text *text)
{
	static const char *const lifetimes[] = {"any", "1024", "512", "512, own", "precision"};
	static const char *const titles[2][2] = {{"blocks", "blocks, entry values"},
						 {"paths", "paths, entry values"}};

	takt_text_add_string(text, "\nTable 3: dependences through memory that occurred and that "
				   "takt deps finds, by their age in instructions\n\n");
	for (int paths = 0; paths < 2; paths++) {
		takt_text_printf(text, "  %-12s %8s %10s %10s %8s %10s %10s   %s\n",
				 titles[paths][0], "pairs", "unweighted", "weighted", "pairs",
				 "unweighted", "weighted", "(the latter: with entry values)");
		for (int i = 0; i <= EVALUATE_LIFETIMES; i++) {
			takt_text_printf(text, "  %-12s", lifetimes[i]);
			write_cover(&report->coverage[paths][0][i], text);
			write_cover(&report->coverage[paths][1][i], text);
			takt_text_add_string(text, "\n");
		}
	}
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
