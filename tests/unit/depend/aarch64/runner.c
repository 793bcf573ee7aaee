/* SPDX-License-Identifier: MIT */
/*
 * Runs single instructions: cases from standard input, with what came out of them, to
 * standard output. The code below is copied to its place, the instruction is put into it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "cases.h"

#define PAGE_BYTES 4096u

/* On the page behind the code: x0 … x30, sp, flags, and the runner's own sp. */
struct state {
	uint64_t registers[REGISTERS];
	uint64_t flags, own_sp;
};

extern const uint8_t code_begin[], code_end[];

__asm__(".pushsection .rodata\n"
	".globl code_begin, code_end\n"
	".balign 4096\n"
	"code_begin:\n"
	"	stp x29, x30, [sp, -96]!\n"
	"	stp x19, x20, [sp, 16]\n"
	"	stp x21, x22, [sp, 32]\n"
	"	stp x23, x24, [sp, 48]\n"
	"	stp x25, x26, [sp, 64]\n"
	"	stp x27, x28, [sp, 80]\n"
	"	adr x0, code_begin + 4096\n"
	"	mov x1, sp\n"
	"	str x1, [x0, 264]\n"
	"	ldp x1, x2, [x0, 248]\n"
	"	mov sp, x1\n"
	"	msr nzcv, x2\n"
	"	.irp n, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28\n"
	"	ldr x\\n, [x0, \\n * 8]\n"
	"	.endr\n"
	"	.irp n, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 30\n"
	"	ldr x\\n, [x0, \\n * 8]\n"
	"	.endr\n"
	"	ldp x0, x1, [x0]\n"
	"	b code_begin + 0x200\n"
	"	.org code_begin + 0x200\n"
	"	nop\n"
	"	fmov d31, x0\n"
	"	adr x0, code_begin + 4096\n"
	"	.irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16\n"
	"	str x\\n, [x0, \\n * 8]\n"
	"	.endr\n"
	"	.irp n, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30\n"
	"	str x\\n, [x0, \\n * 8]\n"
	"	.endr\n"
	"	fmov x1, d31\n"
	"	str x1, [x0]\n"
	"	mov x1, sp\n"
	"	mrs x2, nzcv\n"
	"	stp x1, x2, [x0, 248]\n"
	"	ldr x1, [x0, 264]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp, 16]\n"
	"	ldp x21, x22, [sp, 32]\n"
	"	ldp x23, x24, [sp, 48]\n"
	"	ldp x25, x26, [sp, 64]\n"
	"	ldp x27, x28, [sp, 80]\n"
	"	ldp x29, x30, [sp], 96\n"
	"	ret\n"
	"code_end:\n"
	".popsection\n");

static volatile sig_atomic_t fault;

/* Goes on behind the instruction. */
static void on_signal(int number, siginfo_t *info, void *opaque)
{
	ucontext_t *context = opaque;

	(void)info;
	if (context->uc_mcontext.pc != CODE_ADDRESS + SLOT_OFFSET)
		_Exit(EXIT_FAILURE);
	fault = number;
	context->uc_mcontext.pc += 4;
}

static void catch_signals(void)
{
	static uint8_t stack[1 << 16];
	const stack_t alternative = {.ss_sp = stack, .ss_size = sizeof(stack)};
	const struct sigaction action = {.sa_sigaction = on_signal,
					 .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigaltstack(&alternative, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGILL, &action, NULL);
}

static void *map(uint64_t address, size_t size_bytes, int protection)
{
	void *wanted = (void *)(uintptr_t)address;
	void *got = mmap(wanted, size_bytes, protection,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (got != wanted) {
		perror("mmap");
		exit(EXIT_FAILURE);
	}
	return got;
}

static void put_instruction(uint8_t *code, uint32_t word)
{
	uint8_t *slot = code + SLOT_OFFSET;

	if (memcmp(slot, &word, sizeof(word)) == 0)
		return;
	memcpy(slot, &word, sizeof(word));
	__builtin___clear_cache((char *)slot, (char *)slot + sizeof(word));
}

int main(void)
{
	uint8_t *code = map(CODE_ADDRESS, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC);
	uint8_t *buffer = map(BUFFER_ADDRESS, PAGE_BYTES, PROT_READ | PROT_WRITE);
	struct state *state = (struct state *)(code + PAGE_BYTES);
	struct aarch64_case one;
	void (*run)(void);

	memcpy(code, code_begin, (size_t)(code_end - code_begin));
	memcpy(&run, &code, sizeof(run));
	catch_signals();
	while (fread(&one, sizeof(one), 1, stdin) == 1) {
		put_instruction(code, one.word);
		memcpy(state->registers, one.registers, sizeof(one.registers));
		state->flags = one.flags;
		memcpy(buffer, one.buffer, BUFFER_BYTES);
		fault = 0;
		run();
		one.fault = (uint32_t)fault;
		memcpy(one.registers, state->registers, sizeof(one.registers));
		one.flags = state->flags;
		memcpy(one.buffer, buffer, BUFFER_BYTES);
		if (fwrite(&one, sizeof(one), 1, stdout) != 1)
			return EXIT_FAILURE;
	}
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
