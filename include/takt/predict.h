/* SPDX-License-Identifier: MIT */
/*
 * The fast path: cycles per iteration of many blocks of machine code, without a record.
 */
#ifndef TAKT_PREDICT_API_H
#define TAKT_PREDICT_API_H

#include <takt/analysis.h>

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
	enum takt_engine engine;
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

#ifdef __cplusplus
}
#endif

#endif
