/* SPDX-License-Identifier: MIT */
/*
 * measure: timing a block on this machine. A sandboxed child runs two programs with
 * different numbers of copies of the block; the difference of their times is the block's. This is
 * the method of BHive (Chen et al., IISWC 2019) and nanoBench (Abel, Reineke, ISPASS 2020).
 * Without a cycle counter, cycles are found by comparison with an interleaved chain of one-cycle
 * additions. The interface is in takt.h.
 */
#ifndef TAKT_MEASURE_H
#define TAKT_MEASURE_H

#include "isa/isa.h"

/* ---- count.c: events of a block, counted by the caller's counters ---------- */

/*
 * Event counters of the measuring process, which is replaced now and then; the caller implements
 * them. All functions get `context`, and return false if they fail.
 */
struct takt_counters {
	void *context;
	uint32_t count;	  /* number of events */
	uint32_t at_once; /* number of events that can be counted at the same time */
	/* Attach the counters to this process; none counts yet. */
	bool (*open)(void *context, int process);
	/* Let `count` events from `first` on count, and no others. */
	bool (*select)(void *context, uint32_t first, uint32_t count);
	/* Read their counts so far into ret_values[first] and the elements that follow. */
	bool (*read)(void *context, uint32_t first, uint32_t count, double *ret_values);
};

/* Attach counters to the measurer's next and later processes; they must outlive the measurer. */
void takt_measurer_attach(struct takt_measurer *measurer, const struct takt_counters *counters);
/*
 * Count how often each event happens in one execution of the block that was measured last, with
 * this measurement as its result. Kernel and harness do not count: the result is the difference
 * of two runs of different length. False, with the reason, if the events could not be counted.
 */
bool takt_measurer_count(struct takt_measurer *measurer, const struct takt_measurement *measurement,
			 double *ret_counts, const char **ret_reason);

#endif
