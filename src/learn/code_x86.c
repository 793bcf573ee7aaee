/* SPDX-License-Identifier: MIT */
/*
 * The x86-64 instructions that experiments consist of. Registers have fixed roles: rsi points to
 * memory; rbx, xmm8, xmm9 are only read; the long chain goes through xmm0 and rax, the second one
 * through xmm1 and rcx; rdx, rdi, r8 to r13 and xmm2 to xmm7 are written in turn; r15 counts.
 */
#include <string.h>

#include "learn/learn.h"

#define BYTES_MAX 16u

/* Part of the last bytes that depends on the index. */
enum turn {
	FIXED,
	RM,	     /* general register in modrm.rm, with rex.b */
	BOTH,	     /* general register in both fields */
	OPCODE,	     /* general register in the opcode, with rex.b; `at` is the opcode's place */
	VECTOR,	     /* xmm2 to xmm7 in modrm.reg */
	WORD,	     /* displacement of one byte at the end: one of eight words of a line */
	LINE,	     /* displacement of four bytes at the end: one of eight lines */
	LOAD_REG,    /* general register in modrm.reg, with rex.r, and WORD */
	LOAD_VECTOR, /* VECTOR, and 16 bytes of a line by a displacement of one byte at the end */
};

/* Each row: word, length, bytes, place of modrm (or the opcode), what depends on the index. */
static const struct row {
	const char *word;
	uint8_t size, bytes[11], at;
	enum turn turn;
} rows[] = {
	/* Fillers. */
	{"nop", 1, {0x90}, 0, FIXED},
	{"nop2", 2, {0x66, 0x90}, 0, FIXED},
	{"nop3", 3, {0x0f, 0x1f, 0x00}, 0, FIXED},
	{"nop4", 4, {0x0f, 0x1f, 0x40, 0x00}, 0, FIXED},
	{"nop5", 5, {0x0f, 0x1f, 0x44, 0x00, 0x00}, 0, FIXED},
	{"nop6", 6, {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}, 0, FIXED},
	{"nop7", 7, {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00}, 0, FIXED},
	{"nop8", 8, {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00}, 0, FIXED},
	{"add", 3, {0x48, 0x01, 0xd8}, 2, RM},				  /* add R, rbx */
	{"zero", 3, {0x40, 0x31, 0xc0}, 2, BOTH},			  /* xor R, R */
	{"vzero", 3, {0x0f, 0x57, 0xc9}, 0, FIXED},			  /* xorps xmm1, xmm1 */
	{"set", 6, {0x40, 0xb8, 0x44, 0x33, 0x22, 0x11}, 1, OPCODE},	  /* mov R, 0x11223344 */
	{"vadd", 5, {0xc4, 0xc1, 0x39, 0xfe, 0xc1}, 4, VECTOR},		  /* vpaddd X, xmm8, xmm9 */
	{"shift", 4, {0x48, 0xc1, 0xe0, 0x03}, 2, RM},			  /* shl R, 3 */
	{"addimm", 7, {0x48, 0x81, 0xc0, 0x44, 0x33, 0x22, 0x11}, 2, RM}, /* add R, 0x11223344 */
	{"addimm16", 6, {0x66, 0x40, 0x81, 0xc0, 0x22, 0x11}, 3, RM},	  /* add R16, 0x1122 */
	{"setimm64", 10, {0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8}, 1, OPCODE}, /* mov R, imm64 */
	{"mov", 3, {0x48, 0x89, 0xd8}, 2, RM},				   /* mov R, rbx */
	/* Links of chains. */
	{"root", 4, {0xc5, 0xfb, 0x51, 0xc0}, 0, FIXED},	/* vsqrtsd xmm0, xmm0, xmm0 */
	{"rootint", 4, {0xc5, 0xfb, 0x2c, 0xc0}, 0, FIXED},	/* vcvttsd2si eax, xmm0 */
	{"mul", 4, {0xc5, 0xf1, 0xf4, 0xc9}, 0, FIXED},		/* vpmuludq xmm1, xmm1, xmm1 */
	{"mulint", 4, {0xc5, 0xf9, 0x7e, 0xc9}, 0, FIXED},	/* vmovd ecx, xmm1 */
	{"imul", 4, {0x48, 0x0f, 0xaf, 0xed}, 0, FIXED},	/* imul rbp, rbp */
	{"addchain", 3, {0x48, 0x01, 0xd8}, 0, FIXED},		/* add rax, rbx */
	{"inc", 4, {0x48, 0x83, 0xc0, 0x01}, 0, FIXED},		/* add rax, 1 */
	{"fadd", 5, {0xc4, 0xc1, 0x73, 0x58, 0xc9}, 0, FIXED},	/* vaddsd xmm1, xmm1, xmm9 */
	{"fmax", 5, {0xc4, 0xc1, 0x73, 0x5f, 0xc9}, 0, FIXED},	/* vmaxsd xmm1, xmm1, xmm9 */
	{"fcopy", 5, {0xc4, 0xc1, 0x71, 0x14, 0xc9}, 0, FIXED}, /* vunpcklpd xmm1, xmm1, xmm9 */
	{"byte", 2, {0x00, 0xd8}, 0, FIXED},			/* add al, bl */
	{"setbyte", 2, {0xb0, 0x11}, 0, FIXED},			/* mov al, 0x11 */
	{"high", 2, {0x00, 0xdc}, 0, FIXED},			/* add ah, bl */
	{"sethigh", 2, {0xb4, 0x11}, 0, FIXED},			/* mov ah, 0x11 */
	/* Instructions that wait for the ends of chains. */
	{"waitroot", 2, {0x85, 0xc0}, 0, FIXED},		      /* test eax, eax */
	{"waitmul", 2, {0x85, 0xc9}, 0, FIXED},			      /* test ecx, ecx */
	{"vwaitroot", 5, {0xc4, 0xc1, 0x79, 0xfe, 0xc1}, 4, VECTOR},  /* vpaddd X, xmm0, xmm9 */
	{"vwaitmul", 5, {0xc4, 0xc1, 0x71, 0xfe, 0xc1}, 4, VECTOR},   /* vpaddd X, xmm1, xmm9 */
	{"clearroot", 3, {0x83, 0xe0, 0x00}, 0, FIXED},		      /* and eax, 0 */
	{"clearmul", 3, {0x83, 0xe1, 0x00}, 0, FIXED},		      /* and ecx, 0 */
	{"loadroot", 5, {0x48, 0x8b, 0x44, 0x06, 0x00}, 2, LOAD_REG}, /* mov R, [rsi+rax+D] */
	{"loadmul", 5, {0x48, 0x8b, 0x44, 0x0e, 0x00}, 2, LOAD_REG},  /* mov R, [rsi+rcx+D] */
	/* Accesses to memory. */
	{"load", 4, {0x48, 0x8b, 0x46, 0x00}, 2, LOAD_REG},	      /* mov R, [rsi+D] */
	{"vload", 5, {0xc5, 0xf9, 0x6f, 0x46, 0x00}, 3, LOAD_VECTOR}, /* vmovdqa X, [rsi+D] */
	{"yload", 5, {0xc5, 0xfd, 0x6f, 0x46, 0x00}, 3, VECTOR},      /* vmovdqa Y, [rsi] */
	{"store", 4, {0x48, 0x89, 0x5e, 0x00}, 3, WORD},	      /* mov [rsi+D], rbx */
	{"linestore", 7, {0x48, 0x89, 0x9e, 0, 0, 0, 0}, 3, LINE},
	{"vstore", 6, {0xc4, 0x61, 0x79, 0x7f, 0x46, 0x00}, 0, FIXED},	 /* vmovdqa [rsi], xmm8 */
	{"chase", 3, {0x48, 0x8b, 0x36}, 0, FIXED},			 /* mov rsi, [rsi] */
	{"farchase", 7, {0x48, 0x8b, 0xb6, 0x00, 0x08, 0, 0}, 0, FIXED}, /* mov rsi, [rsi+2048] */
	{"indexload", 4, {0x48, 0x8b, 0x04, 0x06}, 0, FIXED},		 /* mov rax, [rsi+rax] */
	{"vindexload", 5, {0xc5, 0xfa, 0x7e, 0x04, 0x06}, 0, FIXED},	 /* vmovq xmm0, [rsi+rax] */
	{"fromvector", 5, {0xc4, 0xe1, 0xf9, 0x7e, 0xc0}, 0, FIXED},	 /* vmovq rax, xmm0 */
	{"put", 3, {0x48, 0x89, 0x06}, 0, FIXED},			 /* mov [rsi], rax */
	{"get", 3, {0x48, 0x8b, 0x06}, 0, FIXED},			 /* mov rax, [rsi] */
	{"addget", 3, {0x48, 0x03, 0x06}, 0, FIXED},			 /* add rax, [rsi] */
	{"addput", 3, {0x48, 0x01, 0x06}, 0, FIXED},			 /* add [rsi], rax */
	{"putindex", 4, {0x48, 0x89, 0x04, 0x3e}, 0, FIXED},		 /* mov [rsi+rdi], rax */
	{"getindex", 4, {0x48, 0x8b, 0x04, 0x3e}, 0, FIXED},		 /* mov rax, [rsi+rdi] */
	{"putlow", 2, {0x89, 0x06}, 0, FIXED},				 /* mov [rsi], eax */
	{"vput", 4, {0xc5, 0xf9, 0x7f, 0x06}, 0, FIXED},		 /* vmovdqa [rsi], xmm0 */
	{"vget", 4, {0xc5, 0xf9, 0x6f, 0x06}, 0, FIXED},		 /* vmovdqa xmm0, [rsi] */
	{"push", 1, {0x50}, 0, FIXED},					 /* push rax */
	{"pop", 1, {0x58}, 0, FIXED},					 /* pop rax */
	{"readsp", 3, {0x48, 0x89, 0xe2}, 0, FIXED},			 /* mov rdx, rsp */
	/* Moves in a chain. */
	{"there", 3, {0x48, 0x89, 0xc1}, 0, FIXED},	    /* mov rcx, rax */
	{"back", 3, {0x48, 0x89, 0xc8}, 0, FIXED},	    /* mov rax, rcx */
	{"vthere", 4, {0xc5, 0xf8, 0x28, 0xc8}, 0, FIXED},  /* vmovaps xmm1, xmm0 */
	{"vback", 4, {0xc5, 0xf8, 0x28, 0xc1}, 0, FIXED},   /* vmovaps xmm0, xmm1 */
	{"alias", 3, {0x48, 0x89, 0xc0}, 2, RM},	    /* mov R, rax */
	{"valias", 4, {0xc5, 0xf8, 0x28, 0xc0}, 3, VECTOR}, /* vmovaps X, xmm0 */
	{"own", 3, {0x48, 0xff, 0xc0}, 2, RM},		    /* inc R */
	{"vown", 5, {0xc4, 0xc1, 0x39, 0xfe, 0xc1}, 4, VECTOR},
};

static const uint8_t general[] = {2, 7, 8, 9, 10, 11, 12, 13};

/* Put a general register into the field of modrm at `shift`, and its high bit into the rex prefix.
 */
static void put_general(uint8_t *bytes, uint8_t at, unsigned shift, unsigned rex_bit,
			unsigned number)
{
	unsigned rex = bytes[0] == 0x66 ? 1 : 0;

	bytes[at] = (uint8_t)((bytes[at] & ~(7u << shift)) | (number & 7) << shift);
	bytes[rex] = (uint8_t)(bytes[rex] | (number >> 3) << rex_bit);
}

static void take_turn(const struct row *row, uint32_t index, uint8_t *bytes)
{
	unsigned number = general[index % TAKT_COUNT_OF(general)], vector = 2 + index % 6;

	if (row->turn == RM || row->turn == BOTH || row->turn == OPCODE)
		put_general(bytes, row->at, 0, 0, number);
	if (row->turn == BOTH || row->turn == LOAD_REG)
		put_general(bytes, row->at, 3, 2, number);
	if (row->turn == VECTOR || row->turn == LOAD_VECTOR)
		bytes[row->at] = (uint8_t)((bytes[row->at] & 0xc7) | vector << 3);
	if (row->turn == WORD || row->turn == LOAD_REG)
		bytes[row->size - 1] = (uint8_t)(index % 8 * 8);
	if (row->turn == LOAD_VECTOR)
		bytes[row->size - 1] = (uint8_t)(index % 4 * 16);
	if (row->turn == LINE) {
		bytes[row->at] = (uint8_t)(index % 4 * 64);
		bytes[row->at + 1] = (uint8_t)(index / 4 % 2);
	}
}

bool learn_x86_add(struct learn_code *code, const char *word, size_t word_size, uint32_t index)
{
	uint8_t bytes[BYTES_MAX];

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		if (!takt_string_is(rows[i].word, word, word_size))
			continue;
		memcpy(bytes, rows[i].bytes, sizeof(rows[i].bytes));
		take_turn(&rows[i], index, bytes);
		learn_code_add(code, bytes, rows[i].size);
		return true;
	}
	return false;
}

void learn_x86_close_loop(struct learn_code *code)
{
	/* dec r15; jne, as measure writes it: no experiment uses r15. */
	uint8_t end[] = {0x49, 0xff, 0xcf, 0x0f, 0x85, 0, 0, 0, 0};
	int32_t back = -(int32_t)(code->size_bytes + sizeof(end));

	memcpy(end + 5, &back, sizeof(back));
	learn_code_add(code, end, sizeof(end));
}
