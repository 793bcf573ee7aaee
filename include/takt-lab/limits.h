/* SPDX-License-Identifier: MIT */
/*
 * The limits of this machine, measured: bandwidth, operations, latency.
 *
 * A part of the laboratory: the command uses it, the library does not offer it.
 */
#ifndef TAKT_LAB_LIMITS_H
#define TAKT_LAB_LIMITS_H

#include <takt/count.h>

enum takt_limit_kind {
	TAKT_LIMIT_BANDWIDTH = 1 << 0, /* of each level of caches: bytes that the program reads
					* and writes */
	TAKT_LIMIT_FLOPS = 1 << 1,
	TAKT_LIMIT_LATENCY = 1 << 2,  /* of a load in each level, by pointer chasing */
	TAKT_LIMIT_TRANSFER = 1 << 3, /* of a line from one processor to another */
};

/* Zero-initialise, then set what is needed. */
struct takt_machine_limits_options {
	uint32_t kinds;	      /* bits of enum takt_limit_kind; 0: all */
	const char *levels;   /* "L1,MEM"; NULL: all */
	const char *kernels;  /* kernels for bandwidth: "load,triad", or variants of them,
			       * like "triad_avx_fma"; NULL: the default ones */
	const char *threads;  /* numbers of threads, "1,2,8"; NULL: 1 and the number of
			       * processors */
	uint32_t rounds;      /* rounds of each measurement, undisturbed if possible; 0: 7;
			       * at most 64 */
	double round_seconds; /* least duration of a round; 0: 1 ms */
	/*
	 * Called before each measurement with its name; returning false ends the whole run. NULL if
	 * not wanted.
	 */
	bool (*progress)(void *context, const char *what);
	void *context;
};

/* A measured limit of the machine. */
struct takt_machine_limit {
	enum takt_limit_kind kind;
	const char *kernel; /* the kernel with its variant: "triad_avx512_fma" */
	const char *level;  /* level of the data: "L1" … "MEM"; "" if it has no data */
	const char *pages;  /* kind of pages obtained: "huge", "mixed" or "small"; or "" */
	const char *cpus;   /* CPUs that the threads ran on: "0 1" */
	uint32_t threads;
	uint64_t size_bytes;	    /* size of all data of all threads */
	double value;		    /* figure of the best undisturbed round */
	const char *unit;	    /* "GB/s", "GFLOP/s", "ns" */
	double per_cycle;	    /* figure of one thread: bytes or operations per cycle, or
				     * cycles */
	double median;		    /* median of the undisturbed rounds */
	double traffic;		    /* bytes that caches move, write-allocates included, per byte
				     * that the program reads or writes; 1 for L1 */
	uint32_t rounds, disturbed; /* `disturbed` were disturbed by other load; if all were, the
				     * value is theirs */
};

struct takt_machine_limits {
	const char *cpu;
	const struct takt_machine_limit *items;
	uint32_t count;
	const char *const *notes; /* what a reader has to know */
	uint32_t note_count;
};

/* Measure the limits of this machine, which takes minutes at most. */
TAKT_MUST_CHECK enum takt_status
takt_machine_limits_measure(const struct takt_machine_limits_options *options,
			    struct takt_diag *diag, struct takt_machine_limits **ret_limits);
/* Read limits from a CSV file that takt_write_machine_limits() wrote. */
TAKT_MUST_CHECK enum takt_status takt_machine_limits_read(const char *path, struct takt_diag *diag,
							  struct takt_machine_limits **ret_limits);
void takt_machine_limits_free(struct takt_machine_limits *limits);
void takt_write_machine_limits(const struct takt_machine_limits *limits, enum takt_format format,
			       struct takt_text *text);

#endif
