/* SPDX-License-Identifier: MIT */
/* Instruction lengths and control flow of x86-64, from the opcode maps of the manuals. */
#include <string.h>

#include "input/scan.h"

#define INSN_LENGTH_MAX 15u

/* What follows an opcode. */
enum layout {
	X = 0,      /* no such instruction in 64-bit mode */
	N = 1,      /* nothing */
	M = 2,      /* ModRM */
	B = 3,      /* 8-bit immediate */
	W = 4,      /* 16-bit immediate */
	Z = 5,      /* 16-bit immediate with a 66 prefix, otherwise 32 */
	MB = 6,     /* ModRM and 8-bit immediate */
	MZ = 7,     /* ModRM and Z */
	V = 8,      /* Z, or 64-bit with REX.W */
	A = 9,      /* 64-bit address, 32-bit with a 67 prefix */
	E = 10,     /* enter: 16 and 8 bits */
	R1 = 11,    /* 8-bit relative target */
	R4 = 12,    /* 32-bit relative target */
	T = 13,     /* group 3: immediate only for /0 and /1 */
	P = 14,     /* prefix or escape to another map, handled before the table */
	MW = 15,    /* ModRM, register forms only (control and debug registers) */
};

static const uint8_t one_byte_map[256] = {
	/* 0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f */
	M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, P,       /* 0 */
	M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X,       /* 1 */
	M, M, M, M, B, Z, P, X, M, M, M, M, B, Z, P, X,       /* 2 */
	M, M, M, M, B, Z, P, X, M, M, M, M, B, Z, P, X,       /* 3 */
	P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P,       /* 4: REX */
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,       /* 5 */
	X, X, P, M, P, P, P, P, Z, MZ, B, MB, N, N, N, N,     /* 6 */
	R1, R1, R1, R1, R1, R1, R1, R1, R1, R1, R1, R1, R1, R1, R1, R1, /* 7 */
	MB, MZ, X, MB, M, M, M, M, M, M, M, M, M, M, M, M,    /* 8 */
	N, N, N, N, N, N, N, N, N, N, X, N, N, N, N, N,       /* 9 */
	A, A, A, A, N, N, N, N, B, Z, N, N, N, N, N, N,       /* a */
	B, B, B, B, B, B, B, B, V, V, V, V, V, V, V, V,       /* b */
	MB, MB, W, N, P, P, MB, MZ, E, N, W, N, N, B, X, N,   /* c */
	M, M, M, M, X, X, X, N, M, M, M, M, M, M, M, M,       /* d */
	R1, R1, R1, R1, B, B, B, B, R4, R4, X, R1, N, N, N, N, /* e */
	P, N, P, P, N, N, T, T, N, N, N, N, N, N, M, M,       /* f */
};

static const uint8_t two_byte_map[256] = {
	/* 0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f */
	M, M, M, M, X, N, N, N, N, N, X, N, X, M, N, MB,      /* 0 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,       /* 1 */
	MW, MW, MW, MW, X, X, X, X, M, M, M, M, M, M, M, M,   /* 2 */
	N, N, N, N, N, N, X, N, P, X, P, X, X, X, X, X,       /* 3 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,       /* 4 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,       /* 5 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,       /* 6 */
	MB, MB, MB, MB, M, M, M, N, M, M, X, X, M, M, M, M,   /* 7 */
	R4, R4, R4, R4, R4, R4, R4, R4, R4, R4, R4, R4, R4, R4, R4, R4, /* 8 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,       /* 9 */
	N, N, N, M, MB, M, M, M, N, N, N, M, MB, M, M, M,     /* a */
	M, M, M, M, M, M, M, M, M, M, MB, M, M, M, M, M,      /* b */
	M, M, MB, M, MB, MB, MB, M, N, N, N, N, N, N, N, N,   /* c */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,       /* d */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,       /* e */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,       /* f */
};

struct cursor {
	const uint8_t *bytes;
	size_t size_bytes; /* that may be read */
	size_t at;
	uint8_t map;       /* 0 one-byte; 1 0f; 2 0f38; 3 0f3a; as VEX and EVEX number them */
	uint8_t opcode, modrm;
	bool wide, operand16, address32, vector, repne;
	uint8_t rip_index;
};

/* Legacy prefixes and REX; REX counts only directly before the opcode. */
static bool skip_prefixes(struct cursor *c)
{
	for (; c->at < c->size_bytes; c->at++) {
		uint8_t byte = c->bytes[c->at];

		switch (byte) {
		case 0x66:
			c->operand16 = true;
			break;
		case 0x67:
			c->address32 = true;
			break;
		case 0xf2:
			c->repne = true;
			break;
		case 0xf0: case 0xf3: case 0x2e: case 0x36: case 0x3e: case 0x26: case 0x64:
		case 0x65:
			break;
		default:
			if ((byte & 0xf0) != 0x40)
				return true;
			c->wide = (byte & 8) != 0;
			continue;
		}
		c->wide = false;
	}
	return false;
}

/* The VEX, EVEX or XOP prefix of `size_bytes`, then the opcode; the map is in the prefix. */
static enum layout vector_layout(struct cursor *c, size_t size_bytes, uint8_t map)
{
	if (c->size_bytes - c->at <= size_bytes)
		return X;
	c->at += size_bytes;
	c->opcode = c->bytes[c->at++];
	c->map = map;
	c->vector = true;
	switch (map) {
	case 1:
		if (c->opcode == 0x77)
			return N;
		return two_byte_map[c->opcode] == MB ? MB : M;
	case 3:
	case 8:
		return MB;
	case 10:
		c->operand16 = false;
		return MZ;
	default:
		return M;
	}
}

static enum layout escape_layout(struct cursor *c)
{
	if (c->at == c->size_bytes)
		return X;
	c->map = 1;
	c->opcode = c->bytes[c->at++];
	if (c->opcode == 0x38 || c->opcode == 0x3a) {
		c->map = c->opcode == 0x38 ? 2 : 3;
		if (c->at == c->size_bytes)
			return X;
		c->opcode = c->bytes[c->at++];
		return c->map == 2 ? M : MB;
	}
	if (c->opcode == 0x78 && (c->operand16 || c->repne))
		return MW; /* extrq, insertq: two immediates, see immediate_size() */
	return two_byte_map[c->opcode];
}

/* Reads the opcode with its escapes. */
static enum layout opcode_layout(struct cursor *c)
{
	const uint8_t *next = c->bytes + c->at;
	size_t left = c->size_bytes - c->at;
	uint8_t map;

	if (left >= 2 && *next == 0xc5)
		return vector_layout(c, 2, 1);
	if (left >= 2 && *next == 0xc4) {
		map = next[1] & 0x1f;
		return map >= 1 && map <= 3 ? vector_layout(c, 3, map) : X;
	}
	if (left >= 2 && *next == 0x62) {
		map = next[1] & 7;
		return map && map != 4 && map != 7 ? vector_layout(c, 4, map) : X;
	}
	if (left >= 2 && *next == 0x8f && (next[1] & 0x1f) >= 8) {
		map = next[1] & 0x1f;
		return map <= 10 ? vector_layout(c, 3, map) : X;
	}
	c->opcode = c->bytes[c->at++];
	return c->opcode == 0x0f ? escape_layout(c) : one_byte_map[c->opcode];
}

/* ModRM, SIB and displacement. */
static bool skip_modrm(struct cursor *c, bool registers_only)
{
	uint8_t mod, rm;

	if (c->at == c->size_bytes)
		return false;
	c->modrm = c->bytes[c->at++];
	mod = c->modrm >> 6;
	rm = c->modrm & 7;
	if (mod == 3 || registers_only)
		return true;
	if (rm == 4) {
		if (c->at == c->size_bytes)
			return false;
		if (mod == 0 && (c->bytes[c->at] & 7) == 5)
			mod = 2;
		c->at++;
	} else if (mod == 0 && rm == 5) {
		c->rip_index = (uint8_t)c->at;
		mod = 2;
	}
	c->at += mod == 1 ? 1 : mod == 2 ? 4 : 0;
	return c->at <= c->size_bytes;
}

static size_t immediate_size(const struct cursor *c, enum layout layout)
{
	size_t z = c->operand16 && !c->wide ? 2 : 4;

	switch (layout) {
	case B: case MB: case R1:
		return 1;
	case W:
		return 2;
	case Z: case MZ:
		return z;
	case V:
		return c->wide ? 8 : z;
	case A:
		return c->address32 ? 4 : 8;
	case E:
		return 3;
	case R4:
		return 4;
	case T:
		if (c->modrm >> 3 & 6)
			return 0;
		return c->opcode == 0xf6 ? 1 : z;
	case MW:
		return c->opcode == 0x78 ? 2 : 0;
	case X: case N: case M: case P:
		break;
	}
	return 0;
}

static enum takt_flow one_byte_flow(uint8_t opcode, uint8_t modrm)
{
	if ((opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0)
		return TAKT_FLOW_BRANCH;
	switch (opcode) {
	case 0xe8:
		return TAKT_FLOW_CALL;
	case 0xe9: case 0xeb:
		return TAKT_FLOW_JUMP;
	case 0xc2: case 0xc3: case 0xca: case 0xcb: case 0xcc: case 0xcf: case 0xf4:
		return TAKT_FLOW_STOP;
	case 0xff:
		if ((modrm >> 3 & 6) == 2)
			return TAKT_FLOW_CALL;
		return (modrm >> 3 & 6) == 4 ? TAKT_FLOW_STOP : TAKT_FLOW_NEXT;
	default:
		return TAKT_FLOW_NEXT;
	}
}

static enum takt_flow flow_of(const struct cursor *c)
{
	if (c->vector || c->map > 1)
		return TAKT_FLOW_NEXT;
	if (c->map == 0)
		return one_byte_flow(c->opcode, c->modrm);
	if ((c->opcode & 0xf0) == 0x80)
		return TAKT_FLOW_BRANCH;
	return c->opcode == 0x0b || c->opcode == 0xb9 || c->opcode == 0xff ? TAKT_FLOW_STOP
									   : TAKT_FLOW_NEXT;
}

static int32_t read_target(const uint8_t *bytes, size_t size_bytes)
{
	int32_t wide;

	if (size_bytes == 1)
		return (int8_t)*bytes;
	memcpy(&wide, bytes, sizeof(wide));
	return wide;
}

bool takt_scan_step(const uint8_t *bytes, size_t size_bytes, struct takt_step *ret_step)
{
	struct cursor c = {.bytes = bytes, .size_bytes = size_bytes};
	enum layout layout;
	size_t target_size = 0;

	if (c.size_bytes > INSN_LENGTH_MAX)
		c.size_bytes = INSN_LENGTH_MAX;
	if (!skip_prefixes(&c))
		return false;
	layout = opcode_layout(&c);
	if (layout == X || layout == P)
		return false;
	if (layout == M || layout == MB || layout == MZ || layout == T || layout == MW) {
		if (!skip_modrm(&c, layout == MW))
			return false;
	}
	c.at += immediate_size(&c, layout);
	if (c.at > c.size_bytes)
		return false;
	if (layout == R1 || layout == R4)
		target_size = layout == R1 ? 1 : 4;
	*ret_step = (struct takt_step){
		.length_bytes = (uint8_t)c.at,
		.flow = (uint8_t)flow_of(&c),
		.target_size_bytes = (uint8_t)target_size,
		.rip_index = c.rip_index,
		.target = target_size ? read_target(bytes + c.at - target_size, target_size) : 0,
	};
	return true;
}
