/* SPDX-License-Identifier: MIT */
/*
 * Runs the blocks that write-code wrote, each once: none may be an undefined instruction, or access
 * other memory than that of the experiments. Cross-compiled, and run in qemu-user where this
 * machine is none of AArch64.
 *
 *     run-code FILE
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "unit/tap.h"

#define CODE_BYTES 8192u
#define DATA_BYTES 65536u
#define SHOWN_MAX 20u

static uint8_t *code; /* executable */
static uint64_t data[DATA_BYTES / sizeof(uint64_t)];
static sigjmp_buf back;

static void leave(int signal)
{
	siglongjmp(back, signal);
}

/* Call the code: x13 is 0, and all other registers that it uses are the address of the data. */
static void call(void)
{
	uint64_t middle = (uint64_t)(uintptr_t)(data + DATA_BYTES / sizeof(uint64_t) / 2);

	__asm__ volatile("mov x16, %0\n\tmov x14, %1\n\tmov x13, xzr\n\t"
			 "mov x3, x14\n\tmov x5, x14\n\tmov x6, x14\n\tmov x7, x14\n\t"
			 "mov x8, x14\n\tmov x9, x14\n\tmov x10, x14\n\tmov x11, x14\n\t"
			 "mov x12, x14\n\tmov x15, x14\n\tblr x16"
			 :
			 : "r"(code), "r"(middle)
			 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
			   "x12", "x13", "x14", "x15", "x16", "x17", "x30", "v0", "v1", "v2", "v3",
			   "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
			   "v15", "v16", "v17", "v18", "v19", "cc", "memory");
}

/* Run the block that is in `code`; return the signal that ended it, or 0. */
static int run(size_t size_bytes)
{
	static const uint8_t ret[] = {0xc0, 0x03, 0x5f, 0xd6};
	int signal = sigsetjmp(back, 1);

	if (signal)
		return signal;
	memcpy(code + size_bytes, ret, sizeof(ret));
	__builtin___clear_cache((char *)code, (char *)code + size_bytes + sizeof(ret));
	call();
	return 0;
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = leave};
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	unsigned blocks = 0, failed = 0;
	uint32_t size;

	code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!file || code == MAP_FAILED || sigaction(SIGILL, &action, NULL) != 0 ||
	    sigaction(SIGSEGV, &action, NULL) != 0 || sigaction(SIGBUS, &action, NULL) != 0 ||
	    sigaction(SIGTRAP, &action, NULL) != 0)
		return 1;
	while (fread(&size, sizeof(size), 1, file) == 1 && size < CODE_BYTES - 4 &&
	       fread(code, size, 1, file) == 1) {
		int signal = run(size);
		uint32_t word;

		blocks++;
		failed += signal != 0;
		memcpy(&word, code + size - sizeof(word), sizeof(word));
		if (signal && failed <= SHOWN_MAX)
			printf("# signal %d: a block that ends in %08x\n", signal, (unsigned)word);
	}
	fclose(file);
	if (blocks)
		ok(failed == 0, "%u blocks, of which %u did not run to their end", blocks, failed);
	else
		tap_skip("blocks", "takt-llvm-aarch64.so is not there");
	return tap_done();
}
