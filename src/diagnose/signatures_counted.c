/* SPDX-License-Identifier: MIT */
/*
 * Signatures from the processor's counters, for the whole program, since counters do not
 * distinguish places. A pattern is judged only if the figures that it depends on exist.
 */
#include "diagnose/counted.h"
#include "diagnose/signatures.h"

/* Floating-point operations per instruction below which a program does not calculate. */
#define FLOATS_MIN 0.01
#define WORK_MIN 10000.0

struct counted_judge {
	struct judge judge;
	const struct counted *counted;
};

static bool has(const struct counted_judge *judge, enum counted_figure figure)
{
	return !isnan(judge->counted->figures[figure]);
}

static struct signature begin(struct counted_judge *judge, enum pattern pattern)
{
	judge->judge.report->patterns[pattern].verdict = TAKT_PATTERN_CLEAR;
	return signature_begin(&judge->judge, pattern);
}

/* Add a figure as it was counted. */
static void add(struct signature *signature, const struct counted_judge *judge,
		enum counted_figure figure, const char *what)
{
	signature_figure(signature, what, judge->counted->figures[figure], "",
			 judge->counted->origins[figure], "");
	signature_made_of(signature, judge->counted->events[figure]);
}

/* Add a figure per instruction. */
static void add_rate(struct signature *signature, const struct counted_judge *judge,
		     enum counted_figure figure, const char *what)
{
	const struct counted *counted = judge->counted;

	if (!has(judge, figure) || isnan(counted->insns))
		return;
	signature_figure(signature, what, ratio(counted->figures[figure], counted->insns), "",
			 counted->origins[figure], "");
	signature_made_of(signature, counted->events[figure]);
}

static void judge_branches(struct counted_judge *judge)
{
	const struct diagnose_thresholds *limits = judge->judge.limits;
	struct signature signature;

	if (!has(judge, COUNTED_MISSED))
		return;
	signature = begin(judge, PATTERN_CONTROL);
	add(&signature, judge, COUNTED_MISSED, "share of branches that are mispredicted");
	signature_at_least(&signature, "missed", limits->missed);
	if (has(judge, COUNTED_BAD_SPECULATION)) {
		add(&signature, judge, COUNTED_BAD_SPECULATION,
		    "share of issue slots lost to mispredicted branches");
		signature_at_least(&signature, "branch", limits->branch);
	}
	if (has(judge, COUNTED_BRANCHES))
		add(&signature, judge, COUNTED_BRANCHES, "branches per instruction");
	signature_end(&signature, NULL);
}

static void judge_divider(struct counted_judge *judge)
{
	struct signature signature;

	if (!has(judge, COUNTED_DIVIDER))
		return;
	signature = begin(judge, PATTERN_EXPENSIVE);
	add(&signature, judge, COUNTED_DIVIDER,
	    "share of cycles in which divisions and roots keep their unit busy");
	signature_at_least(&signature, "divider", judge->judge.limits->divider);
	signature_end(&signature, NULL);
}

/* Judge cycles in which nothing executes although no load missed. */
static void judge_stalls(struct counted_judge *judge)
{
	const struct diagnose_thresholds *limits = judge->judge.limits;
	const struct counted *counted = judge->counted;
	struct signature signature;

	if (!has(judge, COUNTED_STALLS) || !has(judge, COUNTED_STALLS_L1))
		return;
	signature = begin(judge, PATTERN_ILP);
	signature_figure(&signature,
			 "share of cycles without dispatch and without a load that misses",
			 counted->figures[COUNTED_STALLS] - counted->figures[COUNTED_STALLS_L1], "",
			 counted->origins[COUNTED_STALLS], "");
	signature_made_of(&signature, counted->events[COUNTED_STALLS]);
	signature_at_least(&signature, "dependences", limits->dependences);
	if (has(judge, COUNTED_BAD_SPECULATION)) {
		add(&signature, judge, COUNTED_BAD_SPECULATION,
		    "share of issue slots lost to mispredicted branches");
		signature_below(&signature, "branch", limits->branch);
	}
	if (has(judge, COUNTED_DIVIDER)) {
		add(&signature, judge, COUNTED_DIVIDER,
		    "share of cycles in which divisions and roots keep their unit busy");
		signature_below(&signature, "divider", limits->divider);
	}
	if (has(judge, COUNTED_CPI))
		add(&signature, judge, COUNTED_CPI, "cycles per instruction");
	signature_end(&signature, NULL);
}

/* ---- memory ---- */

/* Show figures about stalls on memory without a verdict: counters do not show their reason. */
static void show_memory(struct counted_judge *judge)
{
	struct signature signature = signature_begin(&judge->judge, PATTERN_ERRATIC);

	if (has(judge, COUNTED_STALLS_L1)) {
		add(&signature, judge, COUNTED_STALLS_L1,
		    "share of cycles without dispatch while a load misses the first-level cache");
		signature_at_least(&signature, "memory", judge->judge.limits->memory);
	}
	add_rate(&signature, judge, COUNTED_L2_VOLUME,
		 "bytes loaded from the second-level cache per instruction");
	add_rate(&signature, judge, COUNTED_L3_VOLUME,
		 "bytes loaded into the second-level cache per instruction");
	add_rate(&signature, judge, COUNTED_MEMORY_VOLUME,
		 "bytes to and from memory per instruction");
	signature.holds = false;
	if (signature.evidence_count)
		signature_end(&signature, NULL);
}

static void judge_memory_bandwidth(struct counted_judge *judge)
{
	double most = judge->judge.options->memory_gbs;
	struct signature signature;

	if (!has(judge, COUNTED_MEMORY_BANDWIDTH) || !(most > 0))
		return;
	signature = begin(judge, PATTERN_BANDWIDTH);
	signature_figure(&signature, "to and from memory",
			 judge->counted->figures[COUNTED_MEMORY_BANDWIDTH] * 1e-9, "GB/s",
			 judge->counted->origins[COUNTED_MEMORY_BANDWIDTH],
			 takt_arena_printf(&judge->judge.report->arena,
					   "%.1f GB/s is what memory gives", most));
	signature_made_of(&signature, judge->counted->events[COUNTED_MEMORY_BANDWIDTH]);
	signature_at_least(&signature, "saturation", judge->judge.limits->saturation * most);
	signature_end(&signature, NULL);
}

static void judge_far(struct counted_judge *judge)
{
	enum counted_figure figure =
		has(judge, COUNTED_FAR_MEMORY) ? COUNTED_FAR_MEMORY : COUNTED_FAR;
	struct signature signature;

	if (!has(judge, figure))
		return;
	signature = begin(judge, PATTERN_NUMA);
	add(&signature, judge, figure, "share of memory traffic from another node");
	signature_at_least(&signature, "remote", judge->judge.limits->remote);
	if (has(judge, COUNTED_L3_VOLUME) && !isnan(judge->counted->insns)) {
		signature_figure(&signature,
				 "lines loaded into the second-level cache per instruction",
				 ratio(judge->counted->figures[COUNTED_L3_VOLUME] / LINE_BYTES,
				       judge->counted->insns),
				 "", judge->counted->origins[COUNTED_L3_VOLUME], "");
		signature_made_of(&signature, judge->counted->events[COUNTED_L3_VOLUME]);
		signature_at_least(&signature, "fill-rate", judge->judge.limits->fill_rate);
	}
	signature_end(&signature, NULL);
}

/* Judge loads of lines that other cores modified; no event shows whether threads share bytes. */
static void judge_modified(struct counted_judge *judge)
{
	const struct counted *counted = judge->counted;
	struct signature signature;

	if (!has(judge, COUNTED_HITM_RATE) || isnan(counted->insns))
		return;
	signature = begin(judge, PATTERN_FALSE_SHARING);
	signature_figure(
		&signature, "loads of lines that another core had modified, per instruction",
		ratio(counted->figures[COUNTED_HITM_RATE] * counted->seconds, counted->insns), "",
		TAKT_COUNTED, "");
	signature_made_of(&signature, counted->events[COUNTED_HITM_RATE]);
	signature_at_least(&signature, "shared-rate", judge->judge.limits->shared_rate);
	signature_detail(
		&signature,
		"or true sharing, which no event distinguishes from it: '--backend=emulate' does");
	signature_end(&signature, NULL);
}

/* ---- floats ---- */

static double sum_of(const struct counted_judge *judge, enum counted_figure left,
		     enum counted_figure right)
{
	return (has(judge, left) ? judge->counted->figures[left] : 0) +
	       (has(judge, right) ? judge->counted->figures[right] : 0);
}

/* Return all floating-point operations; NaN: no group counts any. */
static double operations(const struct counted_judge *judge)
{
	if (has(judge, COUNTED_OPERATIONS_DP) || has(judge, COUNTED_OPERATIONS_SP))
		return sum_of(judge, COUNTED_OPERATIONS_DP, COUNTED_OPERATIONS_SP);
	if (has(judge, COUNTED_OPERATIONS) || has(judge, COUNTED_OPERATIONS_ALL))
		return sum_of(judge, COUNTED_OPERATIONS, COUNTED_OPERATIONS_ALL);
	return NAN;
}

static const char *operations_events(const struct counted_judge *judge)
{
	const struct counted *counted = judge->counted;

	return takt_arena_printf(
		&judge->judge.report->arena, "%s %s%s%s", counted->events[COUNTED_OPERATIONS_DP],
		counted->events[COUNTED_OPERATIONS_SP], counted->events[COUNTED_OPERATIONS],
		counted->events[COUNTED_OPERATIONS_ALL]);
}

static void judge_overhead(struct counted_judge *judge)
{
	const struct counted *counted = judge->counted;
	double floats = operations(judge);
	struct signature signature;

	if (isnan(floats) || isnan(counted->insns) || !has(judge, COUNTED_CPI) ||
	    floats < FLOATS_MIN * counted->insns)
		return;
	signature = begin(judge, PATTERN_OVERHEAD);
	signature_figure(&signature, "instructions per floating-point operation",
			 ratio(counted->insns, floats), "", TAKT_COUNTED, "");
	signature_made_of(&signature, operations_events(judge));
	signature_at_least(&signature, "overhead", judge->judge.limits->overhead);
	add(&signature, judge, COUNTED_CPI, "cycles per instruction");
	signature_below(&signature, "cpi", judge->judge.limits->cpi);
	signature_end(&signature, NULL);
}

/* Judge vectorisation by the precision with more operations. */
static void judge_vectors(struct counted_judge *judge)
{
	const struct counted *counted = judge->counted;
	bool single =
		has(judge, COUNTED_VECTORS_SP) &&
		(!has(judge, COUNTED_VECTORS_DP) ||
		 counted->figures[COUNTED_OPERATIONS_SP] > counted->figures[COUNTED_OPERATIONS_DP]);
	enum counted_figure figure = single ? COUNTED_VECTORS_SP : COUNTED_VECTORS_DP;
	double floats = operations(judge);
	struct signature signature;

	if (!has(judge, figure) || isnan(floats) || isnan(counted->insns))
		return;
	signature = begin(judge, PATTERN_SCALAR);
	signature_figure(&signature,
			 single ? "share of scalar floating-point instructions, of floats"
				: "share of scalar floating-point instructions, of doubles",
			 1 - counted->figures[figure], "", counted->origins[figure], "");
	signature_made_of(&signature, counted->events[figure]);
	signature_at_least(&signature, "scalar", judge->judge.limits->scalar);
	signature_figure(&signature, "instructions per floating-point operation",
			 floats > 0 ? counted->insns / floats : (double)INFINITY, "", TAKT_COUNTED,
			 "");
	signature_made_of(&signature, operations_events(judge));
	signature_below(&signature, "overhead", judge->judge.limits->overhead);
	signature_end(&signature, NULL);
}

/*
 * Judge the distribution of work by floating-point operations: instructions are no measure, since
 * threads that wait execute many.
 */
static void judge_threads_work(struct counted_judge *judge)
{
	const struct counted *counted = judge->counted;
	struct signature signature;
	double most = 0, sum = 0;
	uint32_t first;

	if (!counted->operations)
		return;
	for (uint32_t i = 0; i < counted->thread_count; i++)
		most = fmax(most, counted->operations[i]);
	if (most < WORK_MIN)
		return;
	first = counted->operations[0] < HELPER_SHARE * most;
	if (counted->thread_count - first < 2)
		return;
	for (uint32_t i = first; i < counted->thread_count; i++)
		sum += counted->operations[i];
	signature = begin(judge, PATTERN_IMBALANCE);
	signature_figure(&signature, "(most - mean) / most of the threads' work",
			 (most - sum / (counted->thread_count - first)) / most, "", TAKT_COUNTED,
			 "floating-point operations");
	signature_made_of(&signature, operations_events(judge));
	signature_at_least(&signature, "imbalance", judge->judge.limits->imbalance);
	for (uint32_t i = first; i < counted->thread_count; i++)
		signature_detail(&signature, "thread %u: %.0f", i, counted->operations[i]);
	signature_end(&signature, NULL);
}

void takt_diagnose_judge_counted(const struct counted *counted,
				 const struct diagnose_measure *measure,
				 const struct takt_diagnose_options *options,
				 struct diagnose_report *report)
{
	struct diagnose_seen nothing = {.run_count = 0};
	struct counted_judge judge = {{&nothing, measure, &measure->thresholds, options, report},
				      counted};

	signature_list_patterns(report, true);
	judge_branches(&judge);
	judge_divider(&judge);
	judge_stalls(&judge);
	show_memory(&judge);
	judge_memory_bandwidth(&judge);
	judge_far(&judge);
	judge_modified(&judge);
	judge_overhead(&judge);
	judge_vectors(&judge);
	judge_threads_work(&judge);
	signature_sort(report);
	takt_arena_release(&nothing.arena);
}
