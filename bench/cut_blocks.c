/* SPDX-License-Identifier: MIT */
/*
 * Cuts basic blocks out of ELF files: one hex block per line, without its final
 * branch. Usage: cut-blocks COUNT FILE…; takes every k-th block so that about
 * COUNT come out, the same ones every time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "isa/isa.h"
#include "support/elf_text.h"

#define BLOCK_INSNS_MAX 64u

struct cutter {
	uint64_t seen, wanted; /* blocks; 0 wanted means only count */
	uint64_t step, written;
};

static void end_block(struct cutter *cutter, const uint8_t *bytes, size_t size_bytes)
{
	if (!size_bytes)
		return;
	cutter->seen++;
	if (!cutter->wanted || cutter->seen % cutter->step || cutter->written >= cutter->wanted)
		return;
	cutter->written++;
	for (size_t i = 0; i < size_bytes; i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

static void cut(void *context, const uint8_t *bytes, size_t size_bytes, uint64_t address)
{
	struct cutter *cutter = context;
	struct takt_insn insn;
	size_t start = 0, at = 0;
	unsigned count = 0;

	while (at < size_bytes) {
		bool good = takt_decode(&takt_isa_x86, bytes + at, size_bytes - at, address + at,
					&insn) == TAKT_OK;

		if (!good || insn.flags & TAKT_INSN_BRANCH || count >= BLOCK_INSNS_MAX) {
			if (good && count < BLOCK_INSNS_MAX)
				end_block(cutter, bytes + start, at - start);
			at += good ? insn.length_bytes : 1;
			start = at;
			count = 0;
			continue;
		}
		at += insn.length_bytes;
		count++;
	}
}

int main(int argc, char **argv)
{
	struct cutter cutter = {0};

	if (argc < 3) {
		fprintf(stderr, "usage: cut-blocks COUNT FILE...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		if (!elf_text_visit(argv[i], cut, &cutter))
			return 1;
	cutter.wanted = strtoull(argv[1], NULL, 10);
	cutter.step =
		cutter.wanted && cutter.seen > cutter.wanted ? cutter.seen / cutter.wanted : 1;
	cutter.seen = 0;
	for (int i = 2; i < argc; i++)
		elf_text_visit(argv[i], cut, &cutter);
	return 0;
}
