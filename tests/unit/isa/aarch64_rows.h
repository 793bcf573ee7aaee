/* SPDX-License-Identifier: MIT */
/* Rows of AArch64 instructions: decoding them, and leaving out the test without the module. */
#ifndef TAKT_TESTS_ISA_AARCH64_ROWS_H
#define TAKT_TESTS_ISA_AARCH64_ROWS_H

#include "../tap.h"
#include "isa/isa.h"

#define ROW_ADDRESS 0x1000

/* The bytes of a word, which instructions go on pointing to. */
static inline const uint8_t *word_bytes(uint32_t word, uint8_t bytes[4])
{
	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(word >> 8 * i);
	return bytes;
}

/* False if there is no module that decodes AArch64. */
static inline bool can_decode(void)
{
	static const uint8_t nop[] = {0x1f, 0x20, 0x03, 0xd5};
	struct takt_insn insn;

	return takt_decode(&takt_isa_aarch64, nop, sizeof(nop), 0, &insn) != TAKT_UNAVAILABLE;
}

/* Decodes the word of a row. If that fails, it reports so as a failed test, and returns false. */
static inline bool decode_row(int line, uint32_t word, const char *text, uint8_t bytes[4],
			      struct takt_insn *ret_insn)
{
	if (takt_decode(&takt_isa_aarch64, word_bytes(word, bytes), 4, ROW_ADDRESS, ret_insn) ==
	    TAKT_OK)
		return true;
	return tap_ok_at(__BASE_FILE__, line, false, "%s decodes", text);
}

/* What a test that decodes AArch64 needs, for tap_skip(). */
#define AARCH64_MODULE "takt-llvm-aarch64.so is not there"

#endif
