/* SPDX-License-Identifier: MIT */
#include "x86.h"

static bool is_string(uint8_t opcode)
{
	return (opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf) ||
	       (opcode >= 0x6c && opcode <= 0x6f);
}

/* Return the index of the opcode after prefixes and REX; `size_bytes` if there is none. */
static size_t skip_prefixes(const uint8_t *bytes, size_t size_bytes, bool *ret_rep)
{
	size_t at = 0;

	*ret_rep = false;
	for (; at < size_bytes; at++) {
		uint8_t byte = bytes[at];

		if (byte == 0xf2 || byte == 0xf3)
			*ret_rep = true;
		else if (byte != 0x66 && byte != 0x67 && byte != 0x26 && byte != 0x2e &&
			 byte != 0x36 && byte != 0x3e && byte != 0x64 && byte != 0x65 &&
			 byte >> 4 != 4)
			break;
	}
	return at;
}

bool x86_repeats(const uint8_t *bytes, size_t size_bytes)
{
	bool rep;
	size_t at = skip_prefixes(bytes, size_bytes, &rep);

	return rep && at < size_bytes && is_string(bytes[at]);
}

bool x86_scatters(const uint8_t *bytes, size_t size_bytes)
{
	bool rep;
	size_t at = skip_prefixes(bytes, size_bytes, &rep);

	if (at < size_bytes && (bytes[at] == 0xa6 || bytes[at] == 0xa7))
		return true;
	/* Gathers have VEX with the map 0f38, opcodes 90 to 93. */
	return at + 3 < size_bytes && bytes[at] == 0xc4 && (bytes[at + 1] & 31) == 2 &&
	       bytes[at + 3] >= 0x90 && bytes[at + 3] <= 0x93;
}
