/* SPDX-License-Identifier: MIT */
/*
 * The fast path: cycles per iteration of many blocks of machine code, without a record.
 */
#ifndef TAKT_PREDICT_API_H
#define TAKT_PREDICT_API_H

#include <takt/analysis.h>
#include <takt/code.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Methods of computing cycles. X(enumerator, word) */
#define TAKT_ENGINE_LIST(X)                                                                        \
	X(TAKT_ENGINE_BOUNDS, "bounds") /* the largest bound: ports, front end, loop-carried */    \
	X(TAKT_ENGINE_SIM, "sim")	/* simulation of the pipeline, cycle by cycle */

enum takt_engine {
#define X(name, word) name,
	TAKT_ENGINE_LIST(X)
#undef X
		TAKT_ENGINE_COUNT
};

/*
 * Parts of the simulator that can be switched off, to see what each contributes. X(enumerator,
 * word)
 */
#define TAKT_WITHOUT_LIST(X)                                                                       \
	X(TAKT_WITHOUT_FRONT_END, "front-end") /* it delivers all that rename accepts */           \
	X(TAKT_WITHOUT_PORT_RULE, "port-rule") /* a µop's port is chosen when it executes */      \
	X(TAKT_WITHOUT_FUSION, "fusion")       /* neither micro- nor macro-fusion */               \
	X(TAKT_WITHOUT_MOVES, "moves")	       /* no move is eliminated */                         \
	X(TAKT_WITHOUT_MEMORY, "memory")       /* loads do not wait for stores */

enum takt_without {
#define X(name, word) name,
	TAKT_WITHOUT_LIST(X)
#undef X
		TAKT_WITHOUT_COUNT
};

/* Zero-initialise, then set what is needed. */
struct takt_predictor_options {
	uint32_t without; /* bit 1 << w for each enum takt_without w; for SIM */
	enum takt_mode mode;
	enum takt_engine engine; /* 0 is BOUNDS; the command and the Python module take SIM */
	bool no_memory_dependences;
	uint32_t alignment_bytes; /* offset of the block's start in a 64-byte line; for SIM */
	/*
	 * For SIM: distance of all pointers in registers from the middle of a line; wraps around.
	 */
	uint32_t pointer_shift_bytes;
	TAKT_RESERVED;
};

/*
 * A predictor of the cycles per iteration of single blocks of machine code, without a record: the
 * fast path of `takt predict`. It reuses its memory from block to block.
 */
struct takt_predictor;

TAKT_API struct takt_predictor *takt_predictor_new(const struct takt_model *model,
						   const struct takt_predictor_options *options);
TAKT_API void takt_predictor_free(struct takt_predictor *predictor);
/* Predict one block. Returns TAKT_BAD_INPUT, without a message, for bytes that do not decode. */
TAKT_API TAKT_MUST_CHECK enum takt_status takt_predict(struct takt_predictor *predictor,
						       const uint8_t *bytes, size_t size_bytes,
						       double *ret_cycles);

/* ---- functions: the paths through their loop nests ------------------------------- */

/* Origins of a loop's number of iterations. X(enumerator, word) */
#define TAKT_TRIPS_LIST(X)                                                                         \
	X(TAKT_TRIPS_ASSUMED, "assumed") /* nothing says it: TAKT_TRIPS_DEFAULT */                 \
	X(TAKT_TRIPS_GIVEN, "given")	 /* the caller's options */                                \
	X(TAKT_TRIPS_CODE, "code")	 /* constants in the code, and values at entry */

enum takt_trips {
#define X(name, word) name,
	TAKT_TRIPS_LIST(X)
#undef X
		TAKT_TRIPS_COUNT
};

TAKT_API const char *takt_trips_word(enum takt_trips trips);

#define TAKT_TRIPS_DEFAULT 100 /* iterations of a loop of which nothing is known */

/* Iterations of the loop that begins at an address. */
struct takt_loop_trips {
	uint64_t address, iterations;
};

/* Zero-initialise, then set what is needed. */
struct takt_paths_options {
	bool no_memory_dependences;
	/* Iterations of loops that the code does not decide; 0: TAKT_TRIPS_DEFAULT. */
	uint64_t iterations;
	const struct takt_loop_trips
		*loops; /* iterations of single loops, whatever the code says */
	size_t loop_count;
	const struct takt_register_value *entry_values; /* at the function's entry */
	size_t entry_value_count;
	TAKT_RESERVED;
};

/* A loop of a function; the first is the function itself. */
struct takt_path_loop {
	uint64_t address;    /* address of its first instruction */
	const char *name;    /* "daxpy+0x20" */
	const char *file;    /* source file of that instruction; NULL: unknown */
	uint32_t line;	     /* source line; 0: unknown */
	uint32_t depth;	     /* number of loops around it, and 1; of the function 0 */
	uint64_t entries;    /* in a call of the function */
	double iterations;   /* per entry, on average */
	const char *trips;   /* word of enum takt_trips; of the function "" */
	uint32_t path_count; /* paths through it, of which the most frequent ones are simulated */
	/*
	 * Cycles of an iteration with all inner loops, as its paths repeat; of the function, of a
	 * call. NaN: of a call that was not followed to its end.
	 */
	double cycles;
};

/* The predicted cycles of a function. */
struct takt_paths {
	const char *arch, *function;
	const struct takt_path_loop *loops; /* in the order of addresses */
	uint32_t loop_count;
	bool complete; /* a call was followed to its end */
};

/*
 * Predict a function from the paths through its loops. Control is followed from the function's
 * entry; `options` and the code decide branches, and what they leave open is assumed. Each path is
 * simulated with its inner loops as it lies in memory. The region must be a whole function:
 * TAKT_BAD_INPUT, reported, if it cannot be decoded or has no such loop as the options name. All
 * branches are predicted correctly, and called functions cost nothing but the call.
 */
TAKT_API TAKT_MUST_CHECK enum takt_status
takt_predict_paths(const struct takt_model *model, const struct takt_code *code,
		   size_t region_index, const struct takt_paths_options *options,
		   struct takt_diag *diag, struct takt_paths **ret_paths);
TAKT_API void takt_paths_free(struct takt_paths *paths);

#ifdef __cplusplus
}
#endif

#endif
