/* SPDX-License-Identifier: MIT */
/* Signatures: figures, each with the limit that it has to pass; all have to. */
#ifndef TAKT_DIAGNOSE_SIGNATURES_H
#define TAKT_DIAGNOSE_SIGNATURES_H

#include <math.h>

#include "diagnose/diagnose.h"

#define LINE_BYTES 64u
#define HELPER_SHARE 0.05 /* of the busiest thread's work: with less it only waits for others */

enum pattern {
#define X(enumerator, word, title, unseen, uncounted, suggestion) enumerator,
#include "diagnose/patterns.def"
#undef X
	PATTERN_COUNT
};

struct judge {
	const struct diagnose_seen *seen;
	const struct diagnose_measure *measure;
	const struct diagnose_thresholds *limits; /* the measure's */
	const struct takt_diagnose_options *options;
	struct diagnose_report *report;
};

#define EVIDENCE_MAX 8
#define DETAILS_MAX 8

struct signature {
	struct judge *judge;
	enum pattern pattern;
	bool holds;		/* so far; but for figures that are not trusted */
	const char *distrusted; /* an event that one of those is made of; NULL: there are none */
	struct takt_evidence evidence[EVIDENCE_MAX];
	const char *details[DETAILS_MAX];
	uint32_t evidence_count, detail_count;
};

/* All, none found; by counters not seen either until they are judged. */
void signature_list_patterns(struct diagnose_report *report, bool counters);
/* Findings: those that hold first, then by their share. */
void signature_sort(struct diagnose_report *report);
struct signature signature_begin(struct judge *judge, enum pattern pattern);
/* A figure that decides nothing. */
void signature_figure(struct signature *signature, const char *what, double value, const char *unit,
		      uint32_t origins, const char *reference);
/* The last figure, before it has to be anything, is made of these: "LOADS L1_LINES_IN". */
void signature_made_of(struct signature *signature, const char *events);
/* The last figure has to be so much; `name` is the threshold's. */
void signature_at_least(struct signature *signature, const char *name, double limit);
void signature_below(struct signature *signature, const char *name, double limit);
void signature_detail(struct signature *signature, const char *format, ...) TAKT_PRINTF(2, 3);
/*
 * It becomes a finding, if it holds. If nothing speaks against it but figures that are not
 * trusted, it becomes a doubted one. `place`: NULL: the program. Returns whether it holds.
 */
bool signature_end(struct signature *signature, const struct diagnose_place *place);

/* 0 by 0 is 0. */
static inline double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static inline double loss_share(const struct diagnose_place *place, enum sim_loss loss)
{
	return ratio((double)place->losses[loss], (double)place->cycles);
}

/* Cycles that wait for results of loads that missed: the pipeline calls some of them memory's. */
static inline double memory_share(const struct diagnose_place *place)
{
	uint64_t waits = place->losses[SIM_LOSS_DEPENDENCES];

	if (waits > place->load_wait_cycles)
		waits = place->load_wait_cycles;
	return ratio((double)(place->losses[SIM_LOSS_MEMORY] + waits), (double)place->cycles);
}

/* The rest of those that wait for results. */
static inline double dependence_share(const struct diagnose_place *place)
{
	uint64_t waits = place->losses[SIM_LOSS_DEPENDENCES];

	waits -= waits < place->load_wait_cycles ? waits : place->load_wait_cycles;
	return ratio((double)waits, (double)place->cycles);
}

/* Bytes accessed of each line that came into the first cache, of its size. */
static inline double line_use(const struct diagnose_place *place)
{
	return ratio((double)place->bytes, (double)place->misses[0] * LINE_BYTES);
}

/* The pattern may be there, for all that its distrusted event says. */
void signature_doubt(const struct signature *signature);

/* "function, file:line", in the report's arena. */
const char *source_text(struct judge *judge, const struct diagnose_source *source);

/* "malloc'ed by … (inferred)", in the report's arena; "" if that is not known. */
const char *allocation_text(struct judge *judge, const struct diagnose_allocation *allocation);

/* ---- who looks for what ---- */

/* signatures_memory.c */
void judge_memory_place(struct judge *judge, const struct diagnose_place *place);
void judge_memory(struct judge *judge);
/* signatures_core.c */
void judge_core_place(struct judge *judge, const struct diagnose_place *place);
void judge_core(struct judge *judge);
/* signatures_threads.c; return false if there are too few threads to see anything. */
bool judge_threads(struct judge *judge);
/* Threads that work: all but a first one that does next to nothing; the most and all work. */
uint32_t judge_workers(const struct diagnose_seen *seen, uint32_t *ret_first, double *ret_most,
		       double *ret_sum);
/* signatures_placement.c */
void judge_placement(struct judge *judge);

#endif
