/* SPDX-License-Identifier: MIT */
/* runner: what the runners of all instruction sets have in common. */
#ifndef TAKT_MEASURE_RUNNER_H
#define TAKT_MEASURE_RUNNER_H

#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "measure/host.h"

/* clang-format off */
/* Define a constant of C as a symbol of the assembler. */
#define EQUATE(name, value) __asm__ volatile(".equ takt_" #name ", %c0" : : "i"(value))
/* Define the place of a field of CONTROL; the runner says how it finds RESULTS. */
#define CONTROL(field) \
	EQUATE(field, TAKT_CHILD_CONTROL + offsetof(struct takt_child_control, field))

/* The constants that each runner uses. */
#define RUNNER_CONSTANTS() \
	do { \
		CONTROL(command); \
		RESULTS(reply); \
		RESULTS(end); \
		CONTROL(flags); \
		CONTROL(run_count); \
		CONTROL(repeat); \
		RESULTS(page_count); \
		RESULTS(step_count); \
		RESULTS(saved); \
		RESULTS(start_ticks); \
		RESULTS(signal); \
		CONTROL(run_entries); \
		CONTROL(run_restores); \
		RESULTS(pages); \
		RESULTS(ticks); \
		RESULTS(fp_raised); \
		EQUATE(stack_top, TAKT_CHILD_STACK + TAKT_CHILD_STACK_BYTES / 2); \
		EQUATE(template, TAKT_CHILD_TEMPLATE); \
		EQUATE(own_pages, TAKT_CHILD_PAGES); \
		EQUATE(own_page_count, TAKT_CHILD_PAGE_COUNT); \
		EQUATE(page_bytes, TAKT_PAGE_BYTES); \
		EQUATE(pages_max, TAKT_PAGES_MAX); \
		EQUATE(lowest, TAKT_CHILD_LOWEST_ADDRESS); \
		EQUATE(samples_max, TAKT_SAMPLES_MAX); \
		EQUATE(map_flag, TAKT_CHILD_MAP_FAULTS); \
		EQUATE(done, TAKT_CHILD_DONE); \
		EQUATE(signalled, TAKT_CHILD_SIGNAL); \
		EQUATE(futex, SYS_futex); \
		EQUATE(futex_wait, FUTEX_WAIT); \
		EQUATE(futex_wake, FUTEX_WAKE); \
		EQUATE(munmap, SYS_munmap); \
		EQUATE(mmap, SYS_mmap); \
		EQUATE(sigreturn, SYS_rt_sigreturn); \
		EQUATE(read, SYS_read); \
		EQUATE(protection, PROT_READ | PROT_WRITE); \
		EQUATE(map_how, TAKT_CHILD_MAP_HOW); \
		EQUATE(sigsegv, SIGSEGV); \
		EQUATE(maperr, SEGV_MAPERR); \
		EQUATE(code_at, offsetof(siginfo_t, si_code)); \
		EQUATE(address_at, offsetof(siginfo_t, si_addr)); \
	} while (0)

/* A part of a runner: assembly is in a section of its own, in the order of the functions. */
#define RUNNER_PART __attribute__((always_inline)) static inline void
#define RUNNER_ASSEMBLE(text) \
	__asm__ volatile(".pushsection .rodata.takt_runner, \"a\", @progbits\n" text ".popsection\n")

/* Begin a runner, and export its entries. */
#define RUNNER_BEGIN \
	".balign 64\n\t" \
	".globl takt_runner_begin, takt_runner_start, takt_runner_leave, takt_runner_handler\n\t" \
	".globl takt_runner_restorer, takt_runner_read, takt_runner_end\n\t" \
	".hidden takt_runner_begin, takt_runner_start, takt_runner_leave, takt_runner_handler\n\t" \
	".hidden takt_runner_restorer, takt_runner_read, takt_runner_end\n" \
	"takt_runner_begin:\n"
/* clang-format on */

#endif
