/* SPDX-License-Identifier: MIT */
/*
 * variants: how a form behaves with other registers, values or neighbours than those of the plain
 * experiments: idioms, eliminated moves, slow divisions, ah … dh, bypasses, false dependences,
 * fused jumps, decoders, dirty upper halves. The method is that of the uops.info paper,
 * sections 3.1, 5.2.5 and 5.3.1. Behaviour that equals that of the plain experiments is not
 * reported.
 */
#ifndef TAKT_CHARACTERIZE_VARIANTS_H
#define TAKT_CHARACTERIZE_VARIANTS_H

#include "characterize/lab.h"

/* X(enumerator, word in results, title, title of `other`); docs/formats/instructions.md explains
 * each */
#define PROBE_VARIANT_LIST(X)                                                                      \
	X(PROBE_SAME_THROUGHPUT, "throughput_same_reg", "throughput with all registers the same",  \
	  "else")                                                                                  \
	X(PROBE_SAME_LATENCY, "latency_same_reg", "latency with all registers the same", "else")   \
	X(PROBE_ZERO_IDIOM, "zero_idiom", "throughput as a zero idiom", "else")                    \
	X(PROBE_ONES_IDIOM, "ones_idiom", "throughput as a ones idiom", "else")                    \
	X(PROBE_BREAKS, "breaks_dependence",                                                       \
	  "throughput where it does not wait for its only register", "else")                       \
	X(PROBE_ELIMINATED, "eliminated", "of the moves take no time, at best", "cycles each:")    \
	X(PROBE_ELIMINATED_CHAIN, "eliminated_in_chain",                                           \
	  "of the moves take no time, one after the other", "cycles each:")                        \
	X(PROBE_DIVISION_THROUGHPUT, "division_throughput", "throughput with fast values",         \
	  "slow ones")                                                                             \
	X(PROBE_DIVISION_LATENCY, "division_latency", "latency with fast values", "slow ones")     \
	X(PROBE_HIGH8_THROUGHPUT, "high8_throughput", "throughput with ah … dh", "al … dl")        \
	X(PROBE_HIGH8_LATENCY, "high8_latency", "latency with ah … dh", "at least")                \
	X(PROBE_BYPASS, "bypass", "latency between floating-point shuffles", "integer ones")       \
	X(PROBE_FALSE, "false_dependence", "latency from what it only writes", "")                 \
	X(PROBE_MERGE, "merge_dependence", "latency from the part that it keeps", "")              \
	X(PROBE_FUSED_JUMP, "fused_jump", "in a group with a conditional jump right after it",     \
	  "with another between them")                                                             \
	X(PROBE_COMPLEX, "complex_decoder", "in straight code with nops, as one decoder takes it", \
	  "in a loop")                                                                             \
	X(PROBE_MICROCODE, "microcode", "in straight code with nops, as it comes from microcode",  \
	  "in a loop")                                                                             \
	X(PROBE_DIRTY_UPPERS, "dirty_uppers", "in a chain with itself, upper halves dirty",        \
	  "clean")                                                                                 \
	X(PROBE_TRANSITION, "sse_transition",                                                      \
	  "more for an SSE instruction after 256-bit ones without vzeroupper", "")

enum probe_variant_kind {
#define X(name, word, title, other) name,
	PROBE_VARIANT_LIST(X)
#undef X
		PROBE_VARIANT_COUNT
};

const char *takt_probe_variant_word(enum probe_variant_kind kind);
const char *takt_probe_variant_title(enum probe_variant_kind kind);
const char *takt_probe_variant_other(enum probe_variant_kind kind);
/* Find a kind by its word; PROBE_VARIANT_COUNT if there is none. */
enum probe_variant_kind takt_probe_variant_kind(const char *word);

struct probe_variant {
	enum probe_variant_kind kind;
	char detail[24];
	double figure, other; /* in cycles, or a fraction; `other` is the figure it is compared
			       * with, or NaN */
};

#define PROBE_VARIANTS_MAX 24

/* Details of idioms: the instruction is executed, or timing alone cannot tell whether it is. */
#define PROBE_EXECUTED "executed"
#define PROBE_PERHAPS "perhaps not executed"

struct probe_variants {
	struct probe_variant list[PROBE_VARIANTS_MAX];
	unsigned count;
};

/* Results of the plain experiments on a form. */
struct probe_known {
	double throughput, chained;
	const struct takt_pair_latency *latencies;
	size_t latency_count;
};

/* Find all variants that apply to the form. */
void takt_probe_variants(struct probe_lab *lab, const struct probe_form *form,
			 const struct probe_known *known, struct probe_variants *ret_variants);
/*
 * Find the variant of the machine rather than of a form. False if it has no AVX, or it cannot be
 * measured.
 */
bool takt_probe_transition(struct probe_lab *lab, struct probe_variant *ret_variant);

/* ---- variants_model.c ------------------------------------------------------ */

/* Execution of instances whose registers are all the same. */
enum probe_idiom {
	PROBE_IDIOM_NONE,   /* they wait for that register, or no such instance exists */
	PROBE_IDIOM_BREAKS, /* they do not wait for it */
	PROBE_IDIOM_ZERO,   /* they neither wait for it nor are executed */
	PROBE_IDIOM_UNSURE, /* one of the latter two */
};

enum probe_idiom takt_probe_model_idiom(const struct takt_model *model,
					const struct probe_form *form);
/* True if the form copies one register to another of its bank, possibly extended. */
bool takt_probe_is_move(const struct probe_form *form);
/* True if all or some of such moves take no time on the core. */
bool takt_probe_model_eliminates(const struct takt_model *model, const struct probe_form *form);
/* Return the idiom that a measured variant shows; PROBE_IDIOM_NONE for variants of other kinds. */
enum probe_idiom takt_probe_variant_idiom(enum probe_variant_kind kind, const char *detail);
bool takt_probe_idioms_agree(enum probe_idiom left, enum probe_idiom right);

/* ---- between the files of variants ---------------------------------------- */

/* Add a variant; it is dropped if there are too many. */
void takt_probe_variant_add(struct probe_variants *variants, enum probe_variant_kind kind,
			    const char *detail, double figure, double other);
/* True if two throughputs, or times of chains, differ by more than the errors of measurement. */
bool takt_probe_cycles_differ(double left, double right);
/* Return the latency between two operands, named as in timing files; NULL if unknown. */
const struct takt_pair_latency *takt_probe_known_latency(const struct probe_known *known,
							 const char *source,
							 const char *destination);
/* Count the explicit register operands with all of `flags` and none of `without`. */
unsigned takt_probe_count_registers(const struct probe_form *form, unsigned flags,
				    unsigned without);
/* Return the mnemonic without the v of AVX. */
const char *takt_probe_base_mnemonic(const struct probe_form *form);

void takt_probe_same_registers(struct probe_lab *lab, const struct probe_form *form,
			       const struct probe_known *known, struct probe_variants *variants);
void takt_probe_moves(struct probe_lab *lab, const struct probe_form *form,
		      const struct probe_known *known, struct probe_variants *variants);
void takt_probe_divisions(struct probe_lab *lab, const struct probe_form *form,
			  struct probe_variants *variants);
void takt_probe_high8(struct probe_lab *lab, const struct probe_form *form,
		      const struct probe_known *known, struct probe_variants *variants);
void takt_probe_bypass(struct probe_lab *lab, const struct probe_form *form,
		       const struct probe_known *known, struct probe_variants *variants);
void takt_probe_false_waits(struct probe_lab *lab, const struct probe_form *form,
			    const struct probe_known *known, struct probe_variants *variants);
void takt_probe_fused_jumps(struct probe_lab *lab, const struct probe_form *form,
			    struct probe_variants *variants);
void takt_probe_decoders(struct probe_lab *lab, const struct probe_form *form,
			 struct probe_variants *variants);
void takt_probe_uppers(struct probe_lab *lab, const struct probe_form *form,
		       struct probe_variants *variants);

#endif
