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

/* ---- call_code.c: machine code that has its own data ------------------- */

/* A word of the data that holds the address of another place. Both are offsets into the data. */
struct takt_code_pointer {
	uint64_t at, target;
};

/*
 * Machine code of this host, called as a function by the system's calling convention. Its arguments
 * are an address in the data, the number of turns that its loop makes, and a number that differs
 * from call to call.
 */
struct takt_code {
	const uint8_t *bytes; /* copied to the start of a page */
	size_t size_bytes;
	uint64_t data_bytes; /* size of the data, which is zero where no pointer is */
	uint64_t start;	     /* offset into the data of the first argument */
	const struct takt_code_pointer *pointers;
	size_t pointer_count;
	bool huge_pages;       /* ask for huge pages for the data; else forbid them */
	bool needs_huge_pages; /* do not run if the system gives too few */
	uint64_t turns;	       /* turns that are timed */
	uint64_t seed;	       /* the third arguments follow from it */
	uint32_t warm_up;      /* calls that are not timed, before the first that is */
	uint32_t least_rounds; /* rounds that must agree */
};

/*
 * Measure machine code in a sandboxed process of its own: cycles of `turns` turns, as the
 * difference between a call with twice as many and one with as many. `spread`, `rounds` and
 * `status` are those of a block.
 */
void takt_measure_code(struct takt_measurer *measurer, const struct takt_code *code,
		       struct takt_measurement *ret_measurement);

#endif
