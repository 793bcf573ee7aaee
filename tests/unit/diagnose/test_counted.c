/* SPDX-License-Identifier: MIT */
/* Counters' figures, made up, to patterns: nothing here is counted. */
#include "../tap.h"

#include "diagnose/counted.h"

enum { METRICS = 8, EVENTS = 2, THREADS = 3 };

static const struct takt_count_metric metrics[METRICS] = {
	{"BRANCH", "CPI", "cycles", "cycles / instructions", TAKT_COUNTED},
	{"BRANCH", "Misprediction ratio", "%", "missed / branches", TAKT_COUNTED},
	{"DIVIDE", "Divider busy", "%", "busy / cycles", TAKT_COUNTED},
	{"FLOPS_DP", "Operations", "GFLOP", "1 FLOP * (scalar + 2 * v128)", TAKT_COUNTED},
	{"FLOPS_DP", "Vectorisation ratio", "%", "v128 / (scalar + v128)", TAKT_COUNTED},
	{"FALSE_SHARE", "HITM loads per second", "1/s", "(local + remote) / time",
	 TAKT_COUNTED | TAKT_TIMED},
	{"MEM", "Memory bandwidth", "MB/s", "64 B * (reads + writes) / time",
	 TAKT_COUNTED | TAKT_TIMED},
	{"NUMA", "Far share", "%", "far / (near + far)", TAKT_COUNTED},
};

static const struct takt_count_event events[EVENTS] = {
	{"CPU_CLK_UNHALTED.THREAD_P", "cycles", "", TAKT_COUNTED},
	{"INST_RETIRED.ANY_P", "", "", TAKT_COUNTED},
};

static const double counts[EVENTS] = {8e8, 1e9};

/* What a row says, and nothing else: of 1e9 instructions in 2 s. */
static const struct {
	int line;
	const char *what;
	double figures[METRICS]; /* as above; NaN: not counted */
	double work[THREADS];	 /* GFLOP */
	const char *pattern;	 /* that is found; NULL: none */
} rows[] = {
	{__LINE__, "all is well", {0.8, 1, 5, 0.4, 90, 1000, 100, 2}, {0, 0.2, 0.2}, NULL},
	{__LINE__,
	 "wrong branches",
	 {0.8, 7, 5, 0.4, 90, 1000, 100, 2},
	 {0, 0.2, 0.2},
	 "control-flow"},
	{__LINE__, "divisions", {0.8, 1, 60, 0.4, 90, 1000, 100, 2}, {0, 0.2, 0.2}, "expensive"},
	{__LINE__,
	 "few floats",
	 {0.8, 1, 5, 0.1, 90, 1000, 100, 2},
	 {0, 0.05, 0.05},
	 "instruction-overhead"},
	{__LINE__, "no vectors", {0.8, 1, 5, 0.4, 10, 1000, 100, 2}, {0, 0.2, 0.2}, "scalar"},
	{__LINE__,
	 "lines of others: 0.006 for an instruction",
	 {0.8, 1, 5, 0.4, 90, 3e6, 100, 2},
	 {0, 0.2, 0.2},
	 "false-sharing"},
	{__LINE__,
	 "17 of 20 GB/s",
	 {0.8, 1, 5, 0.4, 90, 1000, 17000, 2},
	 {0, 0.2, 0.2},
	 "bandwidth"},
	{__LINE__, "far memory", {0.8, 1, 5, 0.4, 90, 1000, 100, 30}, {0, 0.2, 0.2}, "numa"},
	{__LINE__, "uneven work", {0.8, 1, 5, 0.4, 90, 1000, 100, 2}, {0, 0.3, 0.1}, "imbalance"},
	{__LINE__,
	 "nothing but branches",
	 {0.8, 9, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN},
	 {0, 0, 0},
	 "control-flow"},
};

/* In static storage: one at a time. */
static const struct takt_count_result *make(size_t row)
{
	static double thread_metrics[THREADS][METRICS];
	static struct takt_count_part parts[THREADS], sum;
	static struct takt_count_result result;

	for (uint32_t i = 0; i < THREADS; i++) {
		for (uint32_t k = 0; k < METRICS; k++)
			thread_metrics[i][k] = NAN;
		thread_metrics[i][3] = rows[row].work[i];
		parts[i] = (struct takt_count_part){
			.thread = i, .events = counts, .metrics = thread_metrics[i]};
	}
	sum = (struct takt_count_part){.events = counts, .metrics = rows[row].figures};
	result = (struct takt_count_result){
		.backend = "pmu",
		.core = "HSW",
		.family = "haswell-ep",
		.events = events,
		.metrics = metrics,
		.parts = parts,
		.sums = &sum,
		.event_count = EVENTS,
		.metric_count = METRICS,
		.part_count = THREADS,
		.sum_count = 1,
		.thread_count = THREADS,
		.seconds = 2,
	};
	return &result;
}

static const struct takt_pattern *find(const struct diagnose_report *report, const char *pattern)
{
	const struct takt_pattern *found = report->patterns;

	while (strcmp(found->pattern, pattern) != 0)
		found++;
	return found;
}

static void judge(size_t row, const struct takt_trust *table, struct diagnose_report *report)
{
	static const struct takt_diagnose_options options = {.memory_gbs = 20};
	struct diagnose_measure measure = {.nodes = 1, .trust = {.table = table, .core = "HSW"}};
	struct counted counted;

	*report = (struct diagnose_report){.finding_capacity = 0};
	if (takt_diagnose_thresholds_read(NULL, 0, NULL, &measure.thresholds) != TAKT_OK ||
	    takt_diagnose_counted(make(row), &report->arena, NULL, &counted) != TAKT_OK)
		abort();
	takt_diagnose_judge_counted(&counted, &measure, &options, report);
}

static void check_row(size_t row)
{
	struct diagnose_report report;

	judge(row, NULL, &report);
	for (uint32_t i = 0; i < report.diagnosis.pattern_count; i++) {
		const struct takt_pattern *pattern = &report.patterns[i];
		bool expected =
			rows[row].pattern && strcmp(pattern->pattern, rows[row].pattern) == 0;

		tap_ok_at(__FILE__, rows[row].line,
			  (pattern->verdict == TAKT_PATTERN_FOUND) == expected, "%s: %s",
			  rows[row].what, pattern->pattern);
	}
	takt_arena_release(&report.arena);
}

static void check_unseen(void)
{
	static const char *const unseen[] = {"strided",	     "erratic",		"excess-volume",
					     "true-sharing", "synchronisation", "anomaly",
					     "limited-ilp"};
	struct diagnose_report report;

	judge(0, NULL, &report);
	for (size_t i = 0; i < TAKT_COUNT_OF(unseen); i++)
		ok(find(&report, unseen[i])->verdict == TAKT_PATTERN_UNSEEN, "%s is not seen",
		   unseen[i]);
	ok(find(&report, "expensive")->verdict == TAKT_PATTERN_CLEAR, "what was counted is");
	takt_arena_release(&report.arena);
	judge(TAKT_COUNT_OF(rows) - 1, NULL, &report);
	ok(find(&report, "expensive")->verdict == TAKT_PATTERN_UNSEEN, "what was not is not");
	takt_arena_release(&report.arena);
}

static void check_figures(void)
{
	struct takt_arena arena = {0};
	struct counted counted;

	if (takt_diagnose_counted(make(0), &arena, NULL, &counted) != TAKT_OK)
		abort();
	is_near(counted.figures[COUNTED_MISSED], 0.01, "1 %%");
	is_near(counted.figures[COUNTED_MEMORY_BANDWIDTH], 100e6, "100 MB/s");
	is_near(counted.figures[COUNTED_OPERATIONS_DP], 0.4e9, "0.4 GFLOP");
	is_near(counted.insns, 1e9, "instructions");
	is_near(counted.cycles, 8e8, "cycles");
	ok(isnan(counted.figures[COUNTED_STALLS]), "what no group has");
	is_string(counted.events[COUNTED_MISSED],
		  "BR_MISP_RETIRED.ALL_BRANCHES BR_INST_RETIRED.ALL_BRANCHES", "events");
	is_near(counted.operations[2], 0.2e9, "of a thread");
	takt_arena_release(&arena);
}

static void check_trust(void)
{
	static const struct takt_trust_row row = {.event = "BR_MISP_RETIRED.ALL_BRANCHES",
						  .level = "",
						  .least = -0.4,
						  .verdict = TAKT_VERDICT_UNTRUSTED};
	static const struct takt_trust table = {
		.backend = "pmu", .core = "HSW", .isa = "x86-64", .rows = &row, .row_count = 1};
	struct diagnose_report report;
	const struct takt_pattern *pattern;

	judge(1, &table, &report);
	pattern = find(&report, "control-flow");
	ok(pattern->verdict == TAKT_PATTERN_UNSEEN, "an event that is not trusted shows nothing");
	is_string(pattern->distrusted, "BR_MISP_RETIRED.ALL_BRANCHES", "it is named");
	ok(report.diagnosis.finding_count == 1 && !report.findings[0].holds &&
		   report.findings[0].doubted,
	   "a finding in doubt");
	takt_arena_release(&report.arena);
	judge(2, &table, &report);
	ok(find(&report, "expensive")->verdict == TAKT_PATTERN_FOUND, "others are as before");
	takt_arena_release(&report.arena);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check_row(i);
	check_unseen();
	check_figures();
	check_trust();
	return tap_done();
}
