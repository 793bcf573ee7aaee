/* SPDX-License-Identifier: MIT */
/*
 * The AArch64 instructions that experiments consist of. Registers have fixed roles: x1 points to
 * memory; x3, x5, v16, v17 are only read; the long chain goes through v0 and x0, the second one
 * through v1 and x2; x6 to x13 and v2 to v7 are written in turn; x14 counts.
 */

#include "learn/learn.h"

#define GENERAL_FIRST 6u
#define GENERAL_COUNT 8u
#define VECTOR_FIRST 2u
#define VECTOR_COUNT 6u
#define IMMEDIATE_SHIFT 10u /* place of an unsigned displacement, in units of the access's size */

/* Part of the instruction that depends on the index. */
enum turn {
	FIXED,
	GENERAL,     /* general register that is written */
	VECTOR,	     /* vector register that is written */
	WORD,	     /* displacement: one of eight words of a line */
	LINE,	     /* displacement: one of eight lines */
	LOAD,	     /* GENERAL and WORD */
	LOAD_VECTOR, /* VECTOR, and a displacement to one of four vectors of a line */
};

static const struct row {
	const char *word;
	uint32_t code;
	enum turn turn;
} rows[] = {
	/* Fillers. */
	{"nop", 0xd503201f, FIXED},
	{"add", 0x8b030060, GENERAL},	/* add X, x3, x3 */
	{"set", 0xd2822440, GENERAL},	/* mov X, 0x1122 */
	{"vadd", 0x4eb18600, VECTOR},	/* add V.4s, v16.4s, v17.4s */
	{"shift", 0xd37df060, GENERAL}, /* lsl X, x3, 3 */
	{"mov", 0xaa0303e0, GENERAL},	/* mov X, x3 */
	/* Links of chains. */
	{"root", 0x1e61c000, FIXED},	 /* fsqrt d0, d0 */
	{"rootint", 0x9e660000, FIXED},	 /* fmov x0, d0 */
	{"mul", 0x4ea19c21, FIXED},	 /* mul v1.4s, v1.4s, v1.4s */
	{"mulint", 0x9e660022, FIXED},	 /* fmov x2, d1 */
	{"addchain", 0x8b030000, FIXED}, /* add x0, x0, x3 */
	/* Instructions that wait for the ends of chains. */
	{"waitroot", 0x8b030000, GENERAL}, /* add X, x0, x3 */
	{"waitmul", 0x8b030040, GENERAL},  /* add X, x2, x3 */
	{"vwaitroot", 0x4eb18400, VECTOR}, /* add V.4s, v0.4s, v17.4s */
	{"vwaitmul", 0x4eb18420, VECTOR},  /* add V.4s, v1.4s, v17.4s */
	{"clearroot", 0x8a1f0000, FIXED},  /* and x0, x0, xzr */
	{"clearmul", 0x8a1f0042, FIXED},   /* and x2, x2, xzr */
	{"loadroot", 0xf8606820, GENERAL}, /* ldr X, [x1, x0] */
	{"loadmul", 0xf8626820, GENERAL},  /* ldr X, [x1, x2] */
	/* Accesses to memory. */
	{"load", 0xf9400020, LOAD},	    /* ldr X, [x1, D] */
	{"postload", 0xf8400420, GENERAL},  /* ldr X, [x1], 0 */
	{"vload", 0x3dc00020, LOAD_VECTOR}, /* ldr Q, [x1, D] */
	{"store", 0xf9000023, WORD},	    /* str x3, [x1, D] */
	{"linestore", 0xf9000023, LINE},
	{"vstore", 0x3d800030, FIXED},	   /* str q16, [x1] */
	{"chase", 0xf9400021, FIXED},	   /* ldr x1, [x1] */
	{"farchase", 0xf9440021, FIXED},   /* ldr x1, [x1, 2048] */
	{"indexload", 0xf8606820, FIXED},  /* ldr x0, [x1, x0] */
	{"vindexload", 0xfc606820, FIXED}, /* ldr d0, [x1, x0] */
	{"fromvector", 0x9e660000, FIXED}, /* fmov x0, d0 */
	{"put", 0xf9000020, FIXED},	   /* str x0, [x1] */
	{"get", 0xf9400020, FIXED},	   /* ldr x0, [x1] */
	{"putlow", 0xb9000020, FIXED},	   /* str w0, [x1] */
	{"vput", 0x3d800020, FIXED},	   /* str q0, [x1] */
	{"vget", 0x3dc00020, FIXED},	   /* ldr q0, [x1] */
};

/* Return the fields of the instruction that depend on the index. */
static uint32_t fields_of(enum turn turn, uint32_t index)
{
	uint32_t general = GENERAL_FIRST + index % GENERAL_COUNT;
	uint32_t vector = VECTOR_FIRST + index % VECTOR_COUNT;

	switch (turn) {
	case GENERAL:
		return general;
	case VECTOR:
		return vector;
	case WORD:
		return index % 8 << IMMEDIATE_SHIFT;
	case LINE:
		return index % 8 * 8 << IMMEDIATE_SHIFT;
	case LOAD:
		return general | index % 8 << IMMEDIATE_SHIFT;
	case LOAD_VECTOR:
		return vector | index % 4 << IMMEDIATE_SHIFT;
	case FIXED:
		break;
	}
	return 0;
}

void learn_aarch64_add_insn(struct learn_code *code, uint32_t insn)
{
	const uint8_t bytes[] = {(uint8_t)insn, (uint8_t)(insn >> 8), (uint8_t)(insn >> 16),
				 (uint8_t)(insn >> 24)};

	learn_code_add(code, bytes, sizeof(bytes));
}

bool learn_aarch64_add(struct learn_code *code, const char *word, size_t word_size, uint32_t index)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		if (!takt_string_is(rows[i].word, word, word_size))
			continue;
		learn_aarch64_add_insn(code, rows[i].code | fields_of(rows[i].turn, index));
		return true;
	}
	return false;
}

void learn_aarch64_close_loop(struct learn_code *code)
{
	uint32_t words = (uint32_t)(code->size_bytes / sizeof(uint32_t)) + 1;

	learn_aarch64_add_insn(code, 0xd10005ce);			    /* sub x14, x14, 1 */
	learn_aarch64_add_insn(code, 0xb500000e | (-words & 0x7ffff) << 5); /* cbnz x14 */
}
