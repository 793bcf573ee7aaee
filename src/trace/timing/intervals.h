/* SPDX-License-Identifier: MIT */
/*
 * intervals: the course of a run: the cycles, and what they are lost to, of successive parts of it
 * with the same number of instructions. Threads are one after the other as the trace has them.
 * When there are too many parts, each two become one, so that the memory is bounded however long
 * the run is.
 */
#ifndef TAKT_TRACE_INTERVALS_H
#define TAKT_TRACE_INTERVALS_H

#include "base/base.h"
#include "sim/sim.h"
#include "trace/trace.h"

#define TRACE_INTERVALS_MAX 200u
#define TRACE_INTERVAL_INSNS 1000u /* instructions of an interval of a short run */

struct trace_interval {
	uint64_t insns;			 /* instructions that were executed */
	uint64_t simulated;		 /* those of them whose cycles are counted */
	uint64_t system_cycles;		 /* of system calls, if not in `losses` */
	uint64_t losses[SIM_LOSS_COUNT]; /* in parts of cycles, as the simulator counts them */
};

struct trace_intervals {
	struct trace_interval list[TRACE_INTERVALS_MAX];
	uint32_t count;	 /* at least 1; the last one is not complete */
	uint64_t length; /* instructions of an interval that is complete */
};

void trace_intervals_init(struct trace_intervals *intervals);
/* Count executed instructions in the current interval. True if that is complete now. */
bool trace_intervals_execute(struct trace_intervals *intervals, uint64_t insns);
/* Add what was simulated between two totals of a stream to the current interval. */
void trace_intervals_add(struct trace_intervals *intervals, const struct sim_stream_totals *before,
			 const struct sim_stream_totals *now);
void trace_intervals_add_system(struct trace_intervals *intervals, uint64_t cycles);
/* Begin the next interval. */
void trace_intervals_next(struct trace_intervals *intervals);
void trace_intervals_pack(struct trace_intervals *intervals, struct takt_pack *pack);
/*
 * Return the intervals with whole cycles, in memory to be freed. With `is_sample`, cycles are those
 * of the simulated instructions, scaled to all that were executed; each has some that were
 * simulated.
 */
struct takt_trace_interval *trace_intervals_finish(struct trace_intervals *intervals,
						   bool is_sample, uint32_t *ret_count);

#endif
