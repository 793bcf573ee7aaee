/* SPDX-License-Identifier: MIT */
/*
 * Measurement of blocks and functions on the processor of this machine.
 */
#ifndef TAKT_MEASURE_API_H
#define TAKT_MEASURE_API_H

#include <takt/analysis.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Measurement of the same code on the processor of this machine. Measured code runs in a child
 * process that can do nothing but run it: no system calls, no descriptors, no memory of the caller,
 * limited time.
 */

/* Outcome of a measurement: X(enumerator, word in the CSV, text) */
#define TAKT_MEASURE_LIST(X)                                                                       \
	X(TAKT_MEASURE_OK, "ok", "measured")                                                       \
	X(TAKT_MEASURE_UNSTABLE, "unstable", "rounds do not agree")                                \
	X(TAKT_MEASURE_DISTURBED, "disturbed", "the machine was too busy each time")               \
	X(TAKT_MEASURE_DENORMAL, "denormal", "denormal numbers came up, which may need assists")   \
	X(TAKT_MEASURE_UNDECODABLE, "undecodable", "not machine code")                             \
	X(TAKT_MEASURE_CONTROL, "control", "transfers control")                                    \
	X(TAKT_MEASURE_PRIVILEGED, "privileged", "not allowed in user mode, or in a measurement")  \
	X(TAKT_MEASURE_UNSUPPORTED, "unsupported", "this processor lacks an instruction")          \
	X(TAKT_MEASURE_FAULT, "fault", "a fault that mapping a page does not cure")                \
	X(TAKT_MEASURE_CROSSING, "crossing", "an access crosses a line or a page")                 \
	X(TAKT_MEASURE_TIMEOUT, "timeout", "took longer than the time limit")                      \
	X(TAKT_MEASURE_ESCAPED, "escaped",                                                         \
	  "left its code, tried a system call, or reported times that cannot be")                  \
	X(TAKT_MEASURE_TOO_LARGE, "too-large", "too many bytes to copy often enough")

enum takt_measure_status {
#define X(name, word, text) name,
	TAKT_MEASURE_LIST(X)
#undef X
		TAKT_MEASURE_STATUS_COUNT
};

TAKT_API const char *takt_measure_status_word(enum takt_measure_status status);
TAKT_API const char *takt_measure_status_text(enum takt_measure_status status);

/* Methods of measuring cycles, which reports name. X(enumerator, word) */
#define TAKT_CLOCK_LIST(X)                                                                         \
	X(TAKT_CLOCK_AUTO, "auto")	       /* the best one available */                        \
	X(TAKT_CLOCK_PERF_RDPMC, "perf-rdpmc") /* core cycles by perf_event, read in user space */ \
	X(TAKT_CLOCK_PERF_READ, "perf-read")   /* core cycles by perf_event, read by read(2) */    \
	X(TAKT_CLOCK_ADD_CHAIN, "add-chain") /* TSC or generic timer, compared with an interleaved \
					      * chain of additions of one cycle each */

enum takt_clock {
#define X(name, word) name,
	TAKT_CLOCK_LIST(X)
#undef X
		TAKT_CLOCK_COUNT
};

TAKT_API const char *takt_clock_word(enum takt_clock clock);

/* Contents of general and vector registers and of memory before each run. */
enum takt_initial {
	TAKT_INITIAL_DIFF,   /* pointers to different lines; memory holds small positive doubles */
	TAKT_INITIAL_SAME,   /* one constant everywhere, as in BHive: different pointers alias */
	TAKT_INITIAL_RANDOM, /* random contents, from `seed` */
};

/* Zero-initialise, then set what is needed. */
struct takt_measure_options {
	uint64_t seed; /* for TAKT_INITIAL_RANDOM */
	enum takt_clock clock;
	enum takt_mode mode; /* UNROLL (also for AUTO), or LOOP: the block in a dec/jnz loop */
	enum takt_initial initial;
	const struct takt_register_value *registers;
	size_t register_count;
	uint32_t alignment_bytes; /* offset of the code in a 64-byte line */
	uint32_t rounds;	  /* rounds that must agree; 0: 9 */
	uint32_t batches;	  /* least number of batches of rounds, with a pause before each; 0:
				   * 3 */
	double tolerance;	  /* relative difference at which rounds still agree; 0: 0.01 */
	double time_limit_seconds; /* seconds for each block; 0: 2 */
	bool reject_line_crossing, reject_page_crossing;
	bool keep_denormals; /* leave FTZ and DAZ off; then denormal numbers are not an
			      * error */
	bool fills_queues; /* straight code: runs so long that the core's queues are full at the end
			    * of both, for code that moves no pointer far */
	uint32_t cpu;	   /* 1 + the CPU to run on; 0: the current one */
	TAKT_RESERVED;
};

/*
 * Events of floating-point values while a block ran. If its iterations feed each other,
 * values may leave the range of normal numbers. X(enumerator, word, text)
 */
#define TAKT_MEASURE_VALUE_LIST(X)                                                                 \
	X(TAKT_MEASURE_VALUE_DENORMAL, "denormal",                                                 \
	  "became denormal numbers; the processor may have needed assists for them")               \
	X(TAKT_MEASURE_VALUE_FLUSHED, "flushed",                                                   \
	  "became so small that they were taken for zero; a divider may be faster for them")       \
	X(TAKT_MEASURE_VALUE_INFINITE, "infinite",                                                 \
	  "became infinite; a divider may be faster for them")                                     \
	X(TAKT_MEASURE_VALUE_INVALID, "invalid",                                                   \
	  "became no numbers, or did not fit an integer; a divider may be faster for them")        \
	X(TAKT_MEASURE_VALUE_X87_STACK, "x87-stack",                                               \
	  "ran over the x87 stack, or were missing from it; the processor may have needed "        \
	  "assists")

enum takt_measure_value {
#define X(name, word, text) name,
	TAKT_MEASURE_VALUE_LIST(X)
#undef X
		TAKT_MEASURE_VALUE_COUNT
};

TAKT_API const char *takt_measure_value_word(enum takt_measure_value value);
/* Return the end of a sentence whose subject is "values". */
TAKT_API const char *takt_measure_value_text(enum takt_measure_value value);

struct takt_measurement {
	enum takt_measure_status status;
	const char *reason; /* details in one line, or ""; valid until the next measurement of
			     * this bench */
	/*
	 * Per iteration: median of the rounds that agree. NaN unless the status is ok, denormal,
	 * unstable or disturbed (then the best estimate).
	 */
	double cycles;
	double spread;		   /* interquartile range of the rounds / cycles */
	uint32_t rounds, rejected; /* rounds used; rounds discarded because other load disturbed
				    * them */
	uint32_t copies[2];	   /* copies of the block in the two runs of a round */
	uint32_t pages;		   /* pages mapped on a fault */
	uint32_t line_crossings;   /* line-crossing accesses of one iteration; filled if
				    * reject_line_crossing was set */
	uint32_t values;	   /* bit 1 << v for each enum takt_measure_value v that occurred */
};

/*
 * A calibrated sandbox, with a new child process for each block. Only one thread may use it at a
 * time.
 */
struct takt_measurer;

/*
 * Open a sandbox. TAKT_UNAVAILABLE if this host cannot measure (other instruction set, no such
 * clock, sandbox refused).
 */
TAKT_API TAKT_MUST_CHECK enum takt_status
takt_measurer_open(const struct takt_measure_options *options, struct takt_diag *diag,
		   struct takt_measurer **ret_bench);
TAKT_API void takt_measurer_close(struct takt_measurer *measurer);
TAKT_API enum takt_clock takt_measurer_clock(const struct takt_measurer *measurer);
/* Return the processor: "Intel(R) Xeon(R) Processor, family 6 model 207 stepping 2". */
TAKT_API const char *takt_measurer_cpu(const struct takt_measurer *measurer);
/*
 * Measure one block. `ret_measurement` is always filled; the block can neither harm nor end the
 * caller.
 */
TAKT_API void takt_measure(struct takt_measurer *measurer, const uint8_t *bytes, size_t size_bytes,
			   struct takt_measurement *ret_measurement);

/* Memory that an argument of a called function points to. */
struct takt_call_buffer {
	size_t size_bytes; /* 0: the argument is a number */
	uint64_t fill;	   /* value of each eight bytes before the first call */
};

/* A function in an ELF object or shared library, called with up to six integer arguments. */
struct takt_call {
	const char *path, *function;
	const uint64_t *arguments;
	const struct takt_call_buffer *buffers; /* one for each argument; NULL: all arguments are
						 * numbers */
	size_t argument_count;
	double iterations; /* units of work in one call, to divide by; 0: 1 */
	bool is_library;   /* true if the file is a shared library, whose constructors may
			    * run */
	TAKT_RESERVED;
};

/*
 * Measure a function: cycles per call / iterations. Errors of loading and relocating are reported
 * to `diag`. Unlike a block, the function runs in a fork of the caller: it can see the caller's
 * memory, but has no way to pass it on. A process that is already locked in loads the file. The
 * file's type is read from its contents, not from its name. A shared library is loaded only if
 * `is_library` is set; its constructors and those of the libraries it needs can then open files for
 * reading, but can neither write nor send anything.
 */
TAKT_API TAKT_MUST_CHECK enum takt_status
takt_measure_call(struct takt_measurer *measurer, const struct takt_call *call,
		  struct takt_diag *diag, struct takt_measurement *ret_measurement);

#ifdef __cplusplus
}
#endif

#endif
