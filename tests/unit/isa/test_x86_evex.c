/* SPDX-License-Identifier: MIT */
/* The mnemonics of both VEX and EVEX, found anew by decoding everything. */
#include "isa/x86.h"
#include "../tap.h"

struct seen {
	bool vex[ZYDIS_MNEMONIC_MAX_VALUE + 1], evex[ZYDIS_MNEMONIC_MAX_VALUE + 1];
};

/* ModRM: memory at [rax] with each opcode extension; memory with an index; registers. */
static const uint8_t modrm_bytes[] = {0x00, 0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38,
				      0x04, 0xc1, 0xd1, 0xd9, 0xe1, 0xf1, 0xf9};

static void note(const uint8_t *bytes, size_t size_bytes, struct seen *seen)
{
	struct takt_x86 x86;

	if (!ZYAN_SUCCESS(takt_x86_read(bytes, size_bytes, &x86)))
		return;
	if (x86.insn.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX)
		seen->vex[x86.insn.mnemonic] = true;
	else if (x86.insn.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
		seen->evex[x86.insn.mnemonic] = true;
}

/* `bits` has the fields map (3), pp (2), W, length (2), vvvv used, masked. */
static void try_opcodes(unsigned bits, struct seen *seen)
{
	uint8_t map = bits & 7, pp = bits >> 3 & 3, wide = bits >> 5 & 1, length = bits >> 6 & 3;
	uint8_t vvvv = bits >> 8 & 1 ? 0x0d : 0x0f, masked = bits >> 9 & 1;
	uint8_t vex[16] = {0xc4, (uint8_t)(0xe0 | map),
			   (uint8_t)(wide << 7 | vvvv << 3 | (length & 1) << 2 | pp)};
	uint8_t evex[16] = {0x62, (uint8_t)(0xf0 | map), (uint8_t)(wide << 7 | vvvv << 3 | 4 | pp),
			    (uint8_t)(length << 5 | 8 | masked)};

	for (unsigned opcode = 0; opcode < 256; opcode++) {
		for (size_t index = 0; index < TAKT_COUNT_OF(modrm_bytes); index++) {
			vex[3] = evex[4] = (uint8_t)opcode;
			vex[4] = evex[5] = modrm_bytes[index];
			vex[5] = evex[6] = 0x48; /* SIB */
			note(vex, sizeof(vex), seen);
			note(evex, sizeof(evex), seen);
		}
	}
}

int main(void)
{
	struct seen *seen = calloc(1, sizeof(*seen));
	unsigned twins = 0, wrong = 0;

	for (unsigned bits = 0; bits < 1 << 10; bits++)
		try_opcodes(bits, seen);
	for (unsigned mnemonic = 0; mnemonic <= ZYDIS_MNEMONIC_MAX_VALUE; mnemonic++) {
		bool twin = seen->vex[mnemonic] && seen->evex[mnemonic];

		twins += twin;
		if (takt_x86_has_vex_twin((ZydisMnemonic)mnemonic) != twin) {
			wrong++;
			tap_note("%s", takt_mnemonic_text(&takt_isa_x86, (uint16_t)mnemonic));
		}
	}
	ok(twins > 250, "%u mnemonics have both encodings", twins);
	is_int(wrong, 0, "mnemonics that the table has wrong");
	free(seen);
	return tap_done();
}
