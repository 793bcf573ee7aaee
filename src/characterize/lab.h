/* SPDX-License-Identifier: MIT */
/*
 * lab: a machine, the forms it runs, and the instructions that experiments are built from, with
 * their measured figures.
 */
#ifndef TAKT_CHARACTERIZE_LAB_H
#define TAKT_CHARACTERIZE_LAB_H

#include "characterize/machine/backend.h"
#include "characterize/forms.h"
#include "takt-lab/characterize.h"

/* X(enumerator, x86-64 form, AArch64 form or NULL); nops of x86-64 have several bytes, as op caches
 * hold few µops of one line. */
#define PROBE_TOOL_LIST(X)                                                                         \
	X(PROBE_MOVSX_64, "movsxd r64, r32", "and x, x, x")                                        \
	X(PROBE_MOVSX_16, "movsx r64, r16", NULL)                                                  \
	X(PROBE_MOVSX_8, "movsx r64, r8", NULL)                                                    \
	X(PROBE_XOR, "xor r64, r64", "eor x, x, x")                                                \
	X(PROBE_TEST, "test r64, r64", "tst x, x")                                                 \
	X(PROBE_SETB, "setb r8", NULL)                                                             \
	X(PROBE_SETE, "sete r8", "cset x, cond")                                                   \
	X(PROBE_SETO, "seto r8", NULL)                                                             \
	X(PROBE_NOP, "nop r64", "nop")                                                             \
	X(PROBE_NOP_SHORT, "nop", "nop")                                                           \
	X(PROBE_MOV_IMM, "mov r32, i32", "mov x, i")                                               \
	X(PROBE_SHUFFLE_SSE, "pshufd xmm, xmm, i8", "and v.16b, v.16b, v.16b")                     \
	X(PROBE_SHUFFLE_AVX, "vpshufd xmm, xmm, i8", NULL)                                         \
	X(PROBE_FLOAT_SSE, "movshdup xmm, xmm", "fmax v.2d, v.2d, v.2d")                           \
	X(PROBE_FLOAT_AVX, "vpermilpd xmm, xmm, i8", NULL)                                         \
	X(PROBE_FROM_XMM_SSE, "movq r64, xmm", "fmov x, d")                                        \
	X(PROBE_TO_XMM_SSE, "movq xmm, r64", "fmov d, x")                                          \
	X(PROBE_FROM_XMM_AVX, "vmovq r64, xmm", NULL)                                              \
	X(PROBE_TO_XMM_AVX, "vmovq xmm, r64", NULL)                                                \
	X(PROBE_FROM_MM, "movq r64, mm", NULL)                                                     \
	X(PROBE_TO_MM, "movq mm, r64", NULL)                                                       \
	X(PROBE_FROM_MASK, "kmovw r32, k", NULL)                                                   \
	X(PROBE_TO_MASK, "kmovw k, r32", NULL)                                                     \
	X(PROBE_STORE_8, "mov m8, r8", "strb w, [x, i]")                                           \
	X(PROBE_STORE_16, "mov m16, r16", "strh w, [x, i]")                                        \
	X(PROBE_STORE_32, "mov m32, r32", "str w, [x, i]")                                         \
	X(PROBE_STORE_64, "mov m64, r64", "str x, [x, i]")                                         \
	X(PROBE_LOAD_8, "movsx r64, m8", "ldrb w, [x, i]")                                         \
	X(PROBE_LOAD_16, "movsx r64, m16", "ldrh w, [x, i]")                                       \
	X(PROBE_LOAD_32, "mov r32, m32", "ldr w, [x, i]")                                          \
	X(PROBE_LOAD_64, "mov r64, m64", "ldr x, [x, i]")                                          \
	X(PROBE_STORE_128_SSE, "movups m128, xmm", "str q, [x, i]")                                \
	X(PROBE_LOAD_128_SSE, "movups xmm, m128", "ldr q, [x, i]")                                 \
	X(PROBE_STORE_64_SSE, "movlps m64, xmm", "str d, [x, i]")                                  \
	X(PROBE_STORE_32_SSE, "movss m32, xmm", "str s, [x, i]")                                   \
	X(PROBE_LOAD_64_SSE, "movq xmm, m64", "ldr d, [x, i]")                                     \
	X(PROBE_LOAD_32_SSE, "movss xmm, m32", "ldr s, [x, i]")                                    \
	X(PROBE_STORE_256_AVX, "vmovups m256, ymm", NULL)                                          \
	X(PROBE_LOAD_256_AVX, "vmovups ymm, m256", NULL)                                           \
	X(PROBE_STORE_128_AVX, "vmovups m128, xmm", "str q, [x, i]")                               \
	X(PROBE_LOAD_128_AVX, "vmovups xmm, m128", "ldr q, [x, i]")                                \
	X(PROBE_STORE_64_AVX, "vmovlps m64, xmm", NULL)                                            \
	X(PROBE_STORE_32_AVX, "vmovss m32, xmm", NULL)                                             \
	X(PROBE_LOAD_64_AVX, "vmovq xmm, m64", NULL)                                               \
	X(PROBE_LOAD_32_AVX, "vmovss xmm, m32", NULL)                                              \
	X(PROBE_X87_ADD, "fadd st0, st", NULL)                                                     \
	X(PROBE_X87_ADD_TO, "fadd st, st0", NULL)                                                  \
	X(PROBE_X87_PUSH, "fld st", NULL)                                                          \
	X(PROBE_X87_POP, "fstp st", NULL)                                                          \
	X(PROBE_X87_COMPARE, "fcomi st0, st", NULL)                                                \
	X(PROBE_X87_MOVE_BELOW, "fcmovb st0, st", NULL)                                            \
	X(PROBE_X87_MOVE_EQUAL, "fcmove st0, st", NULL)                                            \
	X(PROBE_X87_STORE_16, "fist m16", NULL)                                                    \
	X(PROBE_X87_STORE_32, "fst m32", NULL)                                                     \
	X(PROBE_X87_STORE_64, "fst m64", NULL)                                                     \
	X(PROBE_X87_STORE_INT, "fist m32", NULL)                                                   \
	X(PROBE_X87_ADD_INT, "fiadd m32", NULL)                                                    \
	X(PROBE_X87_ADD_16, "fiadd m16", NULL)                                                     \
	X(PROBE_X87_ADD_32, "fadd m32", NULL)                                                      \
	X(PROBE_X87_ADD_64, "fadd m64", NULL)                                                      \
	X(PROBE_HIGH8_TO, "mov r8h, r8", NULL)                                                     \
	X(PROBE_HIGH8_FROM, "movsx r32, r8h", NULL)                                                \
	X(PROBE_MOV_IMM_64, "mov r64, i64", NULL)                                                  \
	X(PROBE_AND, "and r64, r64", "and x, x, x")                                                \
	X(PROBE_OR, "or r64, r64", "orr x, x, x")                                                  \
	X(PROBE_ONES_AVX, "vpcmpeqd ymm, ymm, ymm", NULL)                                          \
	X(PROBE_ONES_MASK, "kxnorw k, k, k", NULL)                                                 \
	X(PROBE_COPY_SSE, "movaps xmm, xmm", NULL)                                                 \
	X(PROBE_AND_SSE, "andps xmm, xmm", NULL)                                                   \
	X(PROBE_OR_SSE, "orps xmm, xmm", "orr v.16b, v.16b, v.16b")                                \
	X(PROBE_AND_128, "vandps xmm, xmm, xmm", NULL)                                             \
	X(PROBE_OR_128, "vorps xmm, xmm, xmm", NULL)                                               \
	X(PROBE_AND_256, "vandps ymm, ymm, ymm", NULL)                                             \
	X(PROBE_OR_256, "vorps ymm, ymm, ymm", NULL)                                               \
	X(PROBE_AND_512, "vpandd zmm, zmm, zmm", NULL)                                             \
	X(PROBE_OR_512, "vpord zmm, zmm, zmm", NULL)                                               \
	X(PROBE_DOUBLE_SSE, "punpcklqdq xmm, xmm", "zip1 v.2d, v.2d, v.2d")                        \
	X(PROBE_DOUBLE_AVX, "vpunpcklqdq xmm, xmm, xmm", NULL)                                     \
	X(PROBE_UPPER_HALF, "vinsertf128 ymm, ymm, xmm, i8", NULL)                                 \
	X(PROBE_SPREAD_512, "vpbroadcastq zmm, xmm", NULL)                                         \
	X(PROBE_FLOAT_ADD_SSE, "addps xmm, xmm", "fadd v.4s, v.4s, v.4s")                          \
	X(PROBE_FLOAT_ADD_AVX, "vaddps xmm, xmm, xmm", NULL)                                       \
	X(PROBE_ADD_SSE, "paddd xmm, xmm", "add v.4s, v.4s, v.4s")                                 \
	X(PROBE_ADD_AVX, "vpaddd xmm, xmm, xmm", NULL)                                             \
	X(PROBE_CLEAN_UPPERS, "vzeroupper", NULL)

enum probe_tool {
#define X(name, text, aarch64) name,
	PROBE_TOOL_LIST(X)
#undef X
		PROBE_TOOL_COUNT
};

/* Number of tools for chains; those from here on are for variants. */
#define PROBE_CHAIN_TOOL_COUNT PROBE_HIGH8_TO

#define PROBE_CONVERTERS_MAX 24
#define PROBE_RESTORES_MAX 5
#define PROBE_UNKNOWN (-1.0)
/* Repetitions of each experiment whose figure many others rest on. */
#define PROBE_REPEATS 3u

/* Experiments on a form, as they are run; their texts live in the arena. */
struct probe_runs {
	struct takt_arena *arena;
	struct takt_lab_experiment *list;
	uint32_t count, capacity;
};

/* A latency between two operands. */
struct probe_latency {
	uint8_t source, destination; /* enum takt_slot */
	bool is_upper_bound;	     /* the latency is between `least` and `cycles` */
	double cycles, least;
};

#define PROBE_LATENCIES_MAX 40

/* Figures that a form is supposed to have. */
struct probe_expected {
	double throughput; /* NaN: unknown */
	struct probe_latency latencies[PROBE_LATENCIES_MAX];
	unsigned count;
};

struct probe_class_sets;

struct probe_lab {
	struct takt_arena arena;
	struct probe_machine *machine;
	struct probe_forms forms;			  /* the forms that the machine runs */
	const struct probe_form *tools[PROBE_TOOL_COUNT]; /* NULL: the machine lacks the
							   * instruction */
	struct takt_text *log;	   /* text that each experiment is written to; or NULL */
	struct probe_runs *logged; /* where each experiment is added, with its code if there is a
				    * `log`; or NULL */
	double x;		   /* `x` of the experiments that are run; NaN: they have none */
	/* Supposed figures of the form: one experiment that finds a figure is enough, others
	 * are left out. NULL: none. */
	const struct probe_expected *expected;
	bool certain_only; /* ports that are in doubt are of no use: no more experiments on them */
	const struct probe_class_sets *supposed; /* classes that the machine is supposed to have;
						  * NULL: none */
	bool is_noisy;		  /* true once an experiment gave another figure when repeated */
	unsigned repeats;	  /* repetitions of each experiment; the least figure counts */
	uint64_t runs, busy_runs; /* runs so far, and those that failed because the machine was
				   * busy */
	/* Figures of latency.c; PROBE_UNKNOWN: not measured yet, NaN: cannot be measured. */
	double filler_cycles[PROBE_TOOL_COUNT];
	double round_trips[PROBE_CONVERTERS_MAX][2];
	/* Figures of the files of variants.h, likewise. */
	double nop_cycles, decoded_per_cycle, length_change_cycles, transition_cycles,
		restore_cycles[PROBE_RESTORES_MAX];
};

/* Make a lab, which then owns the machine. */
struct probe_lab *takt_probe_lab_new(struct probe_machine *machine);
/* Free a lab; NULL is allowed. */
void takt_probe_lab_free(struct probe_lab *lab);

/*
 * Run an experiment and fill `ret_outcome`; false if the code cannot be made or run. `title` is for
 * the log.
 */
bool takt_probe_run(struct probe_lab *lab, const struct probe_code *code, const char *title,
		    struct probe_outcome *ret_outcome);
/*
 * Run a chain, which takes a whole number of cycles: if a noisy machine gives another figure, the
 * median of three counts.
 */
bool takt_probe_run_chain(struct probe_lab *lab, const struct probe_code *code, const char *title,
			  struct probe_outcome *ret_outcome);
/* Run the code in a loop, so that it comes out of the op cache or loop buffer. */
bool takt_probe_run_loop(struct probe_lab *lab, const struct probe_code *code, const char *title,
			 struct probe_outcome *ret_outcome);

/* Add the tool with these operands; marks the code as failed if the machine lacks the tool. */
void takt_probe_add_chosen(const struct probe_lab *lab, struct probe_code *code,
			   enum probe_tool tool, const struct takt_choice *choice);
/* Add a tool whose operands are all registers. One of AArch64 with three reads `first`, too. */
void takt_probe_add_tool(const struct probe_lab *lab, struct probe_code *code, enum probe_tool tool,
			 uint8_t first, uint8_t second);
/*
 * Clear the flags that jumps depend on, so that they are not taken. A nop keeps the jump behind it
 * from fusing with that instruction.
 */
void takt_probe_add_direction(const struct probe_lab *lab, struct probe_code *code);
/* Add a tool that has at most one operand besides st(0): the register st(i) at `location`. */
void takt_probe_add_x87(const struct probe_lab *lab, struct probe_code *code, enum probe_tool tool,
			uint8_t location);
/* Add a tool with a memory operand; `reg` is the other operand. */
void takt_probe_add_access(const struct probe_lab *lab, struct probe_code *code,
			   enum probe_tool tool, uint8_t reg, uint8_t base, int32_t displacement);

/* ---- throughput.c --------------------------------------------------------- */

struct probe_throughput {
	double cycles;	/* cycles of one instance among many that do not depend on each other */
	double chained; /* cycles of one instance in a chain, all on the same registers */
	double port_uops[TAKT_PORTS_MAX]; /* µops on each port, if the machine counts */
	double uops;			  /* sum of `port_uops` */
};

/* True if two throughputs differ by less than a row could say. */
bool takt_probe_throughputs_agree(double left, double right);
/* Measure a form's throughput. False, with a reason, if the machine cannot run it. */
bool takt_probe_throughput(struct probe_lab *lab, const struct probe_form *form,
			   struct probe_throughput *ret_throughput, const char **ret_reason);
/* Add `count` instances of the form; registers are reused once all have been taken. */
void takt_probe_add_instances(struct probe_code *code, const struct probe_form *form,
			      unsigned count);
/*
 * Add a host, which keeps ports busy, or a guest, which is examined beside hosts. A guest has the
 * other half of the registers, so that it waits for no host.
 */
void takt_probe_add_host(struct probe_code *code, const struct probe_form *form, unsigned index);
void takt_probe_add_guest(struct probe_code *code, const struct probe_form *form, unsigned index);
/*
 * Add instructions that renew the implicit operands of the next instance, which breaks the
 * dependence on the one before.
 */
void takt_probe_add_breakers(const struct probe_lab *lab, struct probe_code *code,
			     const struct probe_form *form);

/* ---- latency.c ------------------------------------------------------------ */

/* Instructions that chain vectors: shuffles keep one port busy, additions do not. */
enum probe_links {
	PROBE_LINKS_INTEGER,
	PROBE_LINKS_FLOAT,
	PROBE_LINKS_INTEGER_ADD,
	PROBE_LINKS_FLOAT_ADD,
	PROBE_LINKS_COUNT
};

/* A latency to measure: one operand pair of an instance, by one kind of chain. */
struct probe_question {
	const struct takt_choice *choice;
	uint8_t source, destination; /* enum takt_slot */
	enum probe_links links;
	bool is_false;	  /* the source is an operand that is only written, which should not be
			   * waited for */
	unsigned fillers; /* links of the chain; they must take longer than the instruction's own
			   * chain */
	const char *title;
};

/*
 * Measure one pair. False if no such chain can be built or run. Pairs of ah, bh, ch, dh give
 * ranges.
 */
bool takt_probe_pair(struct probe_lab *lab, const struct probe_form *form,
		     const struct probe_question *question, struct probe_latency *ret_latency);
/* Return how many links delay an instruction whose own chain is that slow. */
unsigned takt_probe_fillers(double chained_cycles);
/* True if both operands are in vector registers, so that there are two kinds of chains. */
bool takt_probe_is_vector_pair(const struct probe_form *form, uint8_t source, uint8_t destination);
/* True if the form's encoding is that of AVX or later. */
bool takt_probe_uses_avx(const struct probe_form *form);
/*
 * Append a slot as timing files write it: registers of an address with the number of the operand
 * that they belong to, as "3b".
 */
void takt_probe_slot_write(const struct probe_form *form, uint8_t slot, struct takt_text *text);

/* True if the latency is within half a cycle of the supposed one. */
bool takt_probe_is_expected(const struct probe_expected *expected,
			    const struct probe_latency *latency);
/* Measure all pairs that a chain can be built for. Return their number. */
unsigned takt_probe_latencies(struct probe_lab *lab, const struct probe_form *form,
			      const struct probe_throughput *throughput,
			      struct probe_latency ret_latencies[PROBE_LATENCIES_MAX]);
/*
 * Explain why a form has no latencies, if takt_probe_latencies() found none. `chained` is the time
 * of the form in a chain with itself, in cycles; NaN: unknown.
 */
const char *takt_probe_why_no_latency(const struct probe_form *form, double chained);

#endif
