/* SPDX-License-Identifier: MIT */
/*
 * lab: a machine, the forms it runs, and the instructions that experiments are put together
 * from, with what was measured of them.
 */
#ifndef TAKT_CHARACTERIZE_LAB_H
#define TAKT_CHARACTERIZE_LAB_H

#include "characterize/backend.h"
#include "characterize/forms.h"

/* X(enumerator, form) */
#define PROBE_TOOL_LIST(X)                               \
	X(PROBE_MOVSX_64, "movsxd r64, r32")             \
	X(PROBE_MOVSX_16, "movsx r64, r16")              \
	X(PROBE_MOVSX_8, "movsx r64, r8")                \
	X(PROBE_XOR, "xor r64, r64")                     \
	X(PROBE_TEST, "test r64, r64")                   \
	X(PROBE_SETB, "setb r8")                         \
	X(PROBE_SETE, "sete r8")                         \
	X(PROBE_SETO, "seto r8")                         \
	X(PROBE_NOP, "nop r64") /* several bytes: op caches hold few µops of one line */ \
	X(PROBE_MOV_IMM, "mov r32, i32")                 \
	X(PROBE_SHUFFLE_SSE, "pshufd xmm, xmm, i8")      \
	X(PROBE_SHUFFLE_AVX, "vpshufd xmm, xmm, i8")     \
	X(PROBE_FLOAT_SSE, "movshdup xmm, xmm")          \
	X(PROBE_FLOAT_AVX, "vpermilpd xmm, xmm, i8")     \
	X(PROBE_FROM_XMM_SSE, "movq r64, xmm")           \
	X(PROBE_TO_XMM_SSE, "movq xmm, r64")             \
	X(PROBE_FROM_XMM_AVX, "vmovq r64, xmm")          \
	X(PROBE_TO_XMM_AVX, "vmovq xmm, r64")            \
	X(PROBE_FROM_MM, "movq r64, mm")                 \
	X(PROBE_TO_MM, "movq mm, r64")                   \
	X(PROBE_FROM_MASK, "kmovw r32, k")               \
	X(PROBE_TO_MASK, "kmovw k, r32")                 \
	X(PROBE_STORE_8, "mov m8, r8")                   \
	X(PROBE_STORE_16, "mov m16, r16")                \
	X(PROBE_STORE_32, "mov m32, r32")                \
	X(PROBE_STORE_64, "mov m64, r64")                \
	X(PROBE_LOAD_8, "movsx r64, m8")                 \
	X(PROBE_LOAD_16, "movsx r64, m16")               \
	X(PROBE_LOAD_32, "mov r32, m32")                 \
	X(PROBE_LOAD_64, "mov r64, m64")                 \
	X(PROBE_STORE_128_SSE, "movups m128, xmm")       \
	X(PROBE_LOAD_128_SSE, "movups xmm, m128")        \
	X(PROBE_STORE_64_SSE, "movlps m64, xmm")         \
	X(PROBE_STORE_32_SSE, "movss m32, xmm")          \
	X(PROBE_LOAD_64_SSE, "movq xmm, m64")            \
	X(PROBE_LOAD_32_SSE, "movss xmm, m32")           \
	X(PROBE_STORE_256_AVX, "vmovups m256, ymm")      \
	X(PROBE_LOAD_256_AVX, "vmovups ymm, m256")       \
	X(PROBE_STORE_128_AVX, "vmovups m128, xmm")      \
	X(PROBE_LOAD_128_AVX, "vmovups xmm, m128")       \
	X(PROBE_STORE_64_AVX, "vmovlps m64, xmm")        \
	X(PROBE_STORE_32_AVX, "vmovss m32, xmm")         \
	X(PROBE_LOAD_64_AVX, "vmovq xmm, m64")           \
	X(PROBE_LOAD_32_AVX, "vmovss xmm, m32")          \
	X(PROBE_HIGH8_TO, "mov r8h, r8")                 \
	X(PROBE_HIGH8_FROM, "movsx r32, r8h")            \
	X(PROBE_MOV_IMM_64, "mov r64, i64")              \
	X(PROBE_AND, "and r64, r64")                     \
	X(PROBE_OR, "or r64, r64")                       \
	X(PROBE_COPY_SSE, "movaps xmm, xmm")             \
	X(PROBE_AND_SSE, "andps xmm, xmm")               \
	X(PROBE_OR_SSE, "orps xmm, xmm")                 \
	X(PROBE_AND_128, "vandps xmm, xmm, xmm")         \
	X(PROBE_OR_128, "vorps xmm, xmm, xmm")           \
	X(PROBE_AND_256, "vandps ymm, ymm, ymm")         \
	X(PROBE_OR_256, "vorps ymm, ymm, ymm")           \
	X(PROBE_AND_512, "vpandd zmm, zmm, zmm")         \
	X(PROBE_OR_512, "vpord zmm, zmm, zmm")           \
	X(PROBE_DOUBLE_SSE, "punpcklqdq xmm, xmm")       \
	X(PROBE_DOUBLE_AVX, "vpunpcklqdq xmm, xmm, xmm") \
	X(PROBE_UPPER_HALF, "vinsertf128 ymm, ymm, xmm, i8") \
	X(PROBE_SPREAD_512, "vpbroadcastq zmm, xmm")     \
	X(PROBE_FLOAT_ADD_SSE, "addps xmm, xmm")         \
	X(PROBE_FLOAT_ADD_AVX, "vaddps xmm, xmm, xmm")   \
	X(PROBE_ADD_SSE, "paddd xmm, xmm")               \
	X(PROBE_ADD_AVX, "vpaddd xmm, xmm, xmm")         \
	X(PROBE_CLEAN_UPPERS, "vzeroupper")

enum probe_tool {
#define X(name, text) name,
	PROBE_TOOL_LIST(X)
#undef X
	PROBE_TOOL_COUNT
};

/* The tools of chains; those from here on are for variants. */
#define PROBE_CHAIN_TOOL_COUNT PROBE_HIGH8_TO

#define PROBE_CONVERTERS_MAX 16
#define PROBE_RESTORES_MAX 5
#define PROBE_UNKNOWN (-1.0)
/* Of what much else rests on. */
#define PROBE_REPEATS 3u

struct probe_lab {
	struct takt_arena arena;
	struct probe_machine *machine;
	struct probe_forms forms; /* that the machine runs */
	const struct probe_form *tools[PROBE_TOOL_COUNT]; /* NULL: the machine lacks it */
	struct takt_text *log;    /* each experiment is written to it; or NULL */
	bool is_noisy;    /* the same experiment was seen to say something else */
	unsigned repeats; /* of each experiment, beyond the first: the least counts */
	uint64_t runs, busy_runs; /* the latter failed as the machine was busy */
	/* Of latency.c; UNKNOWN: not measured yet, NaN: cannot be. */
	double filler_cycles[PROBE_TOOL_COUNT];
	double round_trips[PROBE_CONVERTERS_MAX][2];
	/* Of what variants.h declares; likewise. */
	double nop_cycles, transition_cycles, restore_cycles[PROBE_RESTORES_MAX];
};

/* The machine is the lab's from now on. */
struct probe_lab *takt_probe_lab_new(struct probe_machine *machine);
/* NULL is fine. */
void takt_probe_lab_free(struct probe_lab *lab);

/* Fills `ret_outcome`; false if the code cannot be made or run. `title` is for the log. */
bool takt_probe_run(struct probe_lab *lab, const struct probe_code *code, const char *title,
		    struct probe_outcome *ret_outcome);
/*
 * The same of a chain, which takes whole cycles: where the machine makes errors and says something
 * else, the middle one of three counts.
 */
bool takt_probe_run_chain(struct probe_lab *lab, const struct probe_code *code, const char *title,
			  struct probe_outcome *ret_outcome);
/* The same of the code in a loop, which comes out of the op cache or loop buffer. */
bool takt_probe_run_loop(struct probe_lab *lab, const struct probe_code *code, const char *title,
			 struct probe_outcome *ret_outcome);

/* Adds the tool with these operands; the code has failed if the machine lacks it. */
void takt_probe_add_chosen(const struct probe_lab *lab, struct probe_code *code,
			   enum probe_tool tool, const struct takt_choice *choice);
/* The same of one with registers only. */
void takt_probe_add_tool(const struct probe_lab *lab, struct probe_code *code, enum probe_tool tool,
			 uint8_t first, uint8_t second);
/* The same of a tool with a memory operand; `reg` is the other one. */
void takt_probe_add_access(const struct probe_lab *lab, struct probe_code *code,
			   enum probe_tool tool, uint8_t reg, uint8_t base, int32_t displacement);

/* ---- throughput.c --------------------------------------------------------- */

struct probe_throughput {
	double cycles;      /* of one instance among many that do not depend on each other */
	double chained;     /* of one after the other, all with the same registers */
	double port_uops[TAKT_PORTS_MAX]; /* if the machine counts */
	double uops;        /* their sum */
};

/* False, with a reason, if the machine does not run it. */
bool takt_probe_throughput(struct probe_lab *lab, const struct probe_form *form,
			   struct probe_throughput *ret_throughput, const char **ret_reason);
/* Adds so many instances of the form, starting anew when registers run out. */
void takt_probe_add_instances(struct probe_code *code, const struct probe_form *form,
			      unsigned count);
/*
 * The same of one that keeps ports busy, and of one that is examined beside such: it has the other
 * half of the registers, and waits for no host.
 */
void takt_probe_add_host(struct probe_code *code, const struct probe_form *form, unsigned index);
void takt_probe_add_guest(struct probe_code *code, const struct probe_form *form, unsigned index);
/* Adds instructions that make the implicit operands of the next instance new. */
void takt_probe_add_breakers(const struct probe_lab *lab, struct probe_code *code,
			     const struct probe_form *form);

/* ---- latency.c ------------------------------------------------------------ */

struct probe_latency {
	uint8_t source, destination; /* enum takt_slot */
	bool is_upper_bound;         /* it is between `least` and `cycles` */
	double cycles, least;
};

#define PROBE_LATENCIES_MAX 40

/* What vectors are chained by: shuffles keep one port busy, additions do not. */
enum probe_links {
	PROBE_LINKS_INTEGER,
	PROBE_LINKS_FLOAT,
	PROBE_LINKS_INTEGER_ADD,
	PROBE_LINKS_FLOAT_ADD,
	PROBE_LINKS_COUNT
};

/* One pair of an instance, by one kind of chain. */
struct probe_question {
	const struct takt_choice *choice;
	uint8_t source, destination; /* enum takt_slot */
	enum probe_links links;
	bool is_false;    /* the source is a written operand, which should not be waited for */
	unsigned fillers; /* links of the chain; more than the instruction's own chain has cycles */
	const char *title;
};

/* False if no such chain can be built, or run. Also of ah, bh, ch, dh, as ranges. */
bool takt_probe_pair(struct probe_lab *lab, const struct probe_form *form,
		     const struct probe_question *question, struct probe_latency *ret_latency);
/* As many as hold up a chain that is that slow. */
unsigned takt_probe_fillers(double chained_cycles);
/* Whether both operands are in vector registers, so that there are two kinds of chains. */
bool takt_probe_is_vector_pair(const struct probe_form *form, uint8_t source, uint8_t destination);
/* Whether the form is of AVX or later, by its encoding. */
bool takt_probe_uses_avx(const struct probe_form *form);
bool takt_probe_reads_flags(const struct probe_form *form);

/* Of all pairs that a chain can be built for. Returns how many. */
unsigned takt_probe_latencies(struct probe_lab *lab, const struct probe_form *form,
			      const struct probe_throughput *throughput,
			      struct probe_latency ret_latencies[PROBE_LATENCIES_MAX]);

#endif
