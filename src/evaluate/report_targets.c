/* SPDX-License-Identifier: MIT */
/* The targets of the evaluation, and whether they are met. */
#include "evaluate/report.h"

#include <math.h>

#define FULL_SET 3500 /* benchmarks, to which CPU times are scaled */

struct target {
	const char *what;
	double wanted, found; /* NaN: no data */
	bool at_least;
	const char *unit;
};

static void write_target(const struct target *target, struct takt_text *text)
{
	double missed =
		target->at_least ? target->wanted - target->found : target->found - target->wanted;

	if (isnan(target->found) || isnan(target->wanted))
		return;
	takt_text_printf(text, "  %-62s %s %7.3f%-2s %8.3f%-2s  ", target->what,
			 target->at_least ? "≥" : "≤", target->wanted, target->unit, target->found,
			 target->unit);
	if (missed <= 0)
		takt_text_add_string(text, "met\n");
	else
		takt_text_printf(text, "missed by %.3f%s\n", missed, target->unit);
}

static const struct evaluate_errors *errors_of(const struct report *report, const char *name,
					       enum report_set set)
{
	const struct report_tool *tool = report_tool(report, name);

	return tool && !tool->skipped && tool->errors[set].count ? &tool->errors[set] : NULL;
}

static double mape(const struct report *report, const char *name, enum report_set set)
{
	const struct evaluate_errors *errors = errors_of(report, name, set);

	return errors ? 100 * errors->mean : NAN;
}

static double weighted(const struct report *report, int paths, int entry_values, int age)
{
	const struct report_coverage *cover = &report->coverage[paths][entry_values][age];

	return cover->weight > 0 ? 100 * cover->found_weight / cover->weight : NAN;
}

/*
 * Sum the CPU hours of takt's own predictors, of those that simulate whole runs or of the others.
 */
static double hours(const struct report *report, bool whole_runs)
{
	double sum = 0;

	for (size_t i = 0; i < report->tool_count; i++) {
		const struct evaluate_predictor *predictor = report->tools[i].predictor;

		if (!predictor->program && !predictor->host && predictor->whole_run == whole_runs)
			sum += report->tools[i].cpu_seconds / 3600;
	}
	return report->case_count ? sum * FULL_SET / (double)report->case_count : NAN;
}

static void write_targets(const struct report *report, const char *name, struct takt_text *text)
{
	const struct report_tool *tool = report_tool(report, name);
	const struct evaluate_errors *errors = errors_of(report, name, REPORT_FULL);

	if (!errors)
		return;
	takt_text_printf(text, "  %s\n", name);
	write_target(&(struct target){"  mean error", 15, 100 * errors->mean, false, "%"}, text);
	write_target(&(struct target){"  mean error: less than half of llvm-mca-19's",
				      mape(report, "llvm-mca-19", REPORT_FULL) / 2,
				      100 * errors->mean, false, "%"},
		     text);
	write_target(&(struct target){"  tau", 0.85, errors->tau, true, ""}, text);
	write_target(&(struct target){"  failures", 0, (double)tool->failures, false, ""}, text);
}

void report_write_targets(const struct report *report, struct takt_text *text)
{
	takt_text_add_string(
		text, "\nTargets, for the full set on the reference machine; elsewhere they are"
		      " to compare with\n\n");
	write_targets(report, "takt sim", text);
	write_targets(report, "takt paths", text);
	write_target(&(struct target){"  pruned set: not worse than without dependences",
				      mape(report, "takt paths, no memory", REPORT_PRUNED),
				      mape(report, "takt paths", REPORT_PRUNED), false, "%"},
		     text);
	takt_text_add_string(text, "  dependences found, weighted, up to 512 instructions old\n");
	for (int paths = 0; paths < 2; paths++) {
		write_target(&(struct target){paths ? "  of paths" : "  of blocks", 63.5,
					      weighted(report, paths, 0, EVALUATE_RECENT), true,
					      "%"},
			     text);
		write_target(&(struct target){paths ? "  of paths, entry values"
						    : "  of blocks, entry values",
					      80, weighted(report, paths, 1, EVALUATE_RECENT), true,
					      "%"},
			     text);
	}
	if (isfinite(weighted(report, 0, 0, EVALUATE_OWN)))
		takt_text_printf(
			text,
			"    (of what ran while nothing but the block did, blocks have %.1f %%)\n",
			weighted(report, 0, 0, EVALUATE_OWN));
	write_target(&(struct target){"CPU hours for 3500 benchmarks: takt bounds, sim and paths",
				      0.05, hours(report, false), false, ""},
		     text);
	if (isfinite(hours(report, true)))
		takt_text_printf(text, "  takt trace, both of them: %.3f CPU hours, with qemu\n",
				 hours(report, true));
}
