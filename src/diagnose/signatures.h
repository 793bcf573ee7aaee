/* SPDX-License-Identifier: MIT */
/* Signatures: a pattern is found if each of its figures passes its limit. */
#ifndef TAKT_DIAGNOSE_SIGNATURES_H
#define TAKT_DIAGNOSE_SIGNATURES_H

#include <math.h>

#include "diagnose/diagnose.h"

#define LINE_BYTES 64u
/* Share of the busiest thread's work; a first thread with less only waits for others. */
#define HELPER_SHARE 0.05

enum pattern {
#define X(enumerator, word, title, unseen, uncounted, suggestion) enumerator,
#include "diagnose/patterns.def"
#undef X
	PATTERN_COUNT
};

struct judge {
	const struct diagnose_seen *seen;
	const struct diagnose_measure *measure;
	const struct diagnose_thresholds *limits; /* the thresholds of `measure` */
	const struct takt_diagnose_options *options;
	struct diagnose_report *report;
};

#define EVIDENCE_MAX 8
#define DETAILS_MAX 8

struct signature {
	struct judge *judge;
	enum pattern pattern;
	bool holds; /* all trusted figures with limits pass so far */
	/* An untrusted event that some figure is computed from; NULL: none. */
	const char *distrusted;
	struct takt_evidence evidence[EVIDENCE_MAX];
	const char *details[DETAILS_MAX];
	uint32_t evidence_count, detail_count;
};

/* List all patterns as not found; with counters, as not judged. */
void signature_list_patterns(struct diagnose_report *report, bool counters);
/* Sort the findings: those that hold first, then by their share. */
void signature_sort(struct diagnose_report *report);
struct signature signature_begin(struct judge *judge, enum pattern pattern);
/* Add a figure, which by itself decides nothing. */
void signature_figure(struct signature *signature, const char *what, double value, const char *unit,
		      uint32_t origins, const char *reference);
/*
 * Name the events that the last figure is computed from: "LOADS L1_LINES_IN". Call it before a
 * limit is set.
 */
void signature_made_of(struct signature *signature, const char *events);
/* Require that the last figure be at least, or below, a limit; `name` is the threshold's. */
void signature_at_least(struct signature *signature, const char *name, double limit);
void signature_below(struct signature *signature, const char *name, double limit);
void signature_detail(struct signature *signature, const char *format, ...) TAKT_PRINTF(2, 3);
/*
 * End a signature. It becomes a finding if all figures pass their limits, or a doubted finding if
 * all trusted ones do, some being untrusted; with the option `all_figures`, it is listed in any
 * case. `place`: NULL: the program. Returns true if it is a finding without doubt.
 */
bool signature_end(struct signature *signature, const struct diagnose_place *place);

/* Return part / whole, or 0 if `whole` is 0. */
static inline double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static inline double loss_share(const struct diagnose_place *place, enum sim_loss loss)
{
	return ratio((double)place->losses[loss], (double)place->cycles);
}

/* Return the cycles that a place loses to a kind of limit. */
static inline uint64_t limit_cycles(const struct diagnose_place *place, enum sim_limit limit)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++)
		if (takt_sim_loss_limit((enum sim_loss)i) == limit)
			sum += place->losses[i];
	return sum;
}

/*
 * Return the share of cycles lost to loads that missed; the pipeline attributes only some of them
 * to memory.
 */
static inline double memory_share(const struct diagnose_place *place)
{
	uint64_t waits = limit_cycles(place, SIM_LIMIT_DEPENDENCES);

	if (waits > place->load_wait_cycles)
		waits = place->load_wait_cycles;
	return ratio((double)(limit_cycles(place, SIM_LIMIT_MEMORY) + waits),
		     (double)place->cycles);
}

/* Return the share of the other cycles lost to dependences. */
static inline double dependence_share(const struct diagnose_place *place)
{
	uint64_t waits = limit_cycles(place, SIM_LIMIT_DEPENDENCES);

	waits -= waits < place->load_wait_cycles ? waits : place->load_wait_cycles;
	return ratio((double)waits, (double)place->cycles);
}

/* Return the share of the bytes of each line brought into the first cache that is accessed. */
static inline double line_use(const struct diagnose_place *place)
{
	return ratio((double)place->bytes, (double)place->misses[0] * LINE_BYTES);
}

/*
 * Set the pattern's verdict to unseen, unless it is found already, because an event that the
 * signature depends on is not trusted.
 */
void signature_doubt(const struct signature *signature);

/* Return "function, file:line", in the report's arena. */
const char *source_text(struct judge *judge, const struct diagnose_source *source);

/* Return "; allocated by … (inferred)", in the report's arena; "" if the allocation is unknown. */
const char *allocation_text(struct judge *judge, const struct diagnose_allocation *allocation);

/* ---- the files that judge patterns ---- */

/* signatures_memory.c */
void judge_memory_place(struct judge *judge, const struct diagnose_place *place);
void judge_memory(struct judge *judge);
/* signatures_core.c */
void judge_core_place(struct judge *judge, const struct diagnose_place *place);
void judge_core(struct judge *judge);
/* signatures_threads.c; returns false if there are too few threads to judge. */
bool judge_threads(struct judge *judge);
/*
 * Return the number of threads that work: all but a first one that does next to nothing. Also
 * returns the work of the busiest thread and the sum of all.
 */
uint32_t judge_workers(const struct diagnose_seen *seen, uint32_t *ret_first, double *ret_most,
		       double *ret_sum);
/* signatures_placement.c */
void judge_placement(struct judge *judge);

#endif
