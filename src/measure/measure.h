/* SPDX-License-Identifier: MIT */
/*
 * measure: the same code on this machine. A sandboxed child copies a block twice with
 * different counts, runs both, and the difference of the times is the block's; the
 * method of BHive (Chen et al., IISWC 2019) and nanoBench (Abel, Reineke, ISPASS 2020).
 * Without a cycle counter, time is told against an interleaved chain of one-cycle
 * additions. The interface is takt.h's.
 */
#ifndef TAKT_MEASURE_H
#define TAKT_MEASURE_H

#include "isa/isa.h"

/* ---- count.c: events of a block, counted by somebody else ------------------ */

/*
 * Counters of the measuring process, which is another one now and then. All return false if it
 * cannot be, and `context` is handed to each. Who implements it is not this room's business.
 */
struct takt_counters {
	void *context;
	uint32_t count;	  /* of events */
	uint32_t at_once; /* so many can count together */
	/* To count this process from now on; nothing counts yet. */
	bool (*open)(void *context, int process);
	/* These count, others do not. */
	bool (*select)(void *context, uint32_t first, uint32_t count);
	/* What those have counted so far, into their places. */
	bool (*read)(void *context, uint32_t first, uint32_t count, double *ret_values);
};

/* Has its processes counted from the next on; the counters must outlive the bench. */
void takt_bench_attach(struct takt_bench *bench, const struct takt_counters *counters);
/*
 * Of the block that was measured last, which gave this measurement: how often each event happens
 * in one execution. Kernel and harness are left out: what two runs of different length differ by
 * counts. False, with why, if it could not be told.
 */
bool takt_bench_count(struct takt_bench *bench, const struct takt_measurement *measurement,
		      double *ret_counts, const char **ret_reason);

#endif
