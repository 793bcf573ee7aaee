/* SPDX-License-Identifier: MIT */
/* What the test and the runner, which is a program of AArch64, tell each other. */
#ifndef TAKT_TESTS_DEPEND_AARCH64_CASES_H
#define TAKT_TESTS_DEPEND_AARCH64_CASES_H

#include <stdint.h>

#define REGISTERS 32u /* the last is sp */
#define BUFFER_BYTES 256u
#define BUFFER_ADDRESS UINT64_C(0x200000000)
/* Where the instruction is run. */
#define CODE_ADDRESS UINT64_C(0x300000000)
#define SLOT_OFFSET 0x200

/* In: before the instruction. Out: after it. */
struct aarch64_case {
	uint32_t word;
	uint32_t fault; /* out: a signal's number */
	uint64_t registers[REGISTERS];
	uint64_t flags; /* nzcv, in bits 31 … 28 */
	uint8_t buffer[BUFFER_BYTES];
};

#endif
