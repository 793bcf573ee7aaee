/* SPDX-License-Identifier: MIT */
/*
 * Pairs of AArch64 instructions that may fuse: those that set flags, with the jump behind them. The
 * registers have the roles of code_aarch64.c.
 */
#include <string.h>

#include "learn/fusing.h"

#define ALL_CONDITIONS UINT16_MAX
#define JUMP_IF_EQUAL 0x54000020u /* b.eq, to the next instruction */
#define GENERAL_FIRST 6u
#define GENERAL_COUNT 8u

struct row {
	struct learn_pair pair; /* first: a pair leads to its row */
	uint32_t code;		/* which does not set the flag `eq`, as x1 is an address */
	bool writes;		/* a general register, its lowest field */
};

#define FUSE_JUMP(mnemonic, code_, writes_)                                                        \
	{                                                                                          \
		.pair = {.first = mnemonic,                                                        \
			 .second = "all",                                                          \
			 .role = TAKT_FUSE_JUMP,                                                   \
			 .conditions = ALL_CONDITIONS,                                             \
			 .restriction = LEARN_NO_RESTRICTION},                                     \
		.code = code_, .writes = writes_                                                   \
	}
static const struct row rows[] = {
	FUSE_JUMP("cmp", 0xf1001c3f, false), /* cmp x1, 7 */
	FUSE_JUMP("cmn", 0xb1001c3f, false), /* cmn x1, 7 */
	FUSE_JUMP("tst", 0xea01003f, false), /* tst x1, x1 */
	FUSE_JUMP("adds", 0xb1001c20, true), /* adds X, x1, 7 */
	FUSE_JUMP("subs", 0xf1001c20, true), /* subs X, x1, 7 */
	FUSE_JUMP("ands", 0xea010020, true), /* ands X, x1, x1 */
	FUSE_JUMP("bics", 0xea3f0020, true), /* bics X, x1, xzr */
};

const struct learn_pair *learn_aarch64_pair(uint32_t index)
{
	return index < TAKT_COUNT_OF(rows) ? &rows[index].pair : NULL;
}

static struct learn_pair_insn insn(uint32_t code)
{
	return (struct learn_pair_insn){
		{(uint8_t)code, (uint8_t)(code >> 8), (uint8_t)(code >> 16), (uint8_t)(code >> 24)},
		sizeof(code)};
}

bool learn_aarch64_pair_copy(const struct learn_pair *pair, const struct learn_pair *behind,
			     uint32_t index, struct learn_pair_copy *ret_copy)
{
	const struct row *row = (const struct row *)pair;

	(void)behind;
	memset(ret_copy, 0, sizeof(*ret_copy));
	ret_copy->first =
		insn(row->code | (row->writes ? GENERAL_FIRST + index % GENERAL_COUNT : 0));
	ret_copy->second = insn(JUMP_IF_EQUAL);
	return true;
}
