/* SPDX-License-Identifier: MIT */
/*
 * A program with nothing in it but its own code, and a stack of its own: whatever else is in its
 * environment, its addresses are the same in every run.
 */
static char stack[65536] __attribute__((aligned(4096), used));

int program(void);

#if defined(__x86_64__)
__asm__(".globl _start\n"
	"_start: lea stack+65536(%rip), %rsp\n"
	"call program\n"
	"mov %eax, %edi\n"
	"mov $60, %eax\n"
	"syscall\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n"
	"_start: adrp x0, stack+65536\n"
	"mov sp, x0\n"
	"bl program\n"
	"mov x8, #93\n"
	"svc #0\n");
#else
#error "no start for this processor"
#endif
