/* SPDX-License-Identifier: MIT */
/*
 * The runner in A64; see runner_x86.c. It differs in two points: instruction and data caches are
 * not coherent, so that code the parent wrote is made visible before it runs, and there is no
 * single-stepping from user space. It runs in qemu-user; it has not been run on hardware yet.
 */
#if defined(__aarch64__)
#include "measure/runner.h"

/* clang-format off */
#define RESULTS(field) \
	EQUATE(field, TAKT_CHILD_RESULTS + offsetof(struct takt_child_results, field))
/* Load the address of a field of CONTROL or RESULTS, or of another part of the layout. */
#define ADDRESS(register, name) "adr " register ", takt_runner_base+takt_" #name "\n\t"
#define CALL(name) "mov x8, #takt_" #name "\n\t" "svc #0\n\t"
#define CONSTANT(register, name)                            \
	"movz " register ", #(takt_" #name " & 0xffff)\n\t"  \
	"movk " register ", #(takt_" #name " >> 16), lsl #16\n\t"

/* Unmap what was inherited: pages[] holds pairs, page_count of them. */
RUNNER_PART start(void)
{
	RUNNER_ASSEMBLE(
	RUNNER_BEGIN
"takt_runner_base:\n" /* local: distances from it are known without a linker */
"takt_runner_start:\n\t"
	ADDRESS("x9", stack_top)
	"mov sp, x9\n\t"
	ADDRESS("x19", pages)
	ADDRESS("x9", page_count)
	"ldr w20, [x9]\n"
"1:	cbz w20, 2f\n\t"
	"sub w20, w20, #1\n\t"
	"ldp x0, x1, [x19], #16\n\t"
	"sub x1, x1, x0\n\t"
	CALL(munmap)
	"b 1b\n"
"2:\n\t"
	ADDRESS("x9", page_count)
	"str wzr, [x9]\n");
}

/* Wait for a command that is not answered yet. */
RUNNER_PART wait_for_command(void)
{
	RUNNER_ASSEMBLE(
"takt_runner_wait:\n\t"
	ADDRESS("x9", reply)
	"ldr w2, [x9]\n\t"
	ADDRESS("x0", command)
	"ldar w3, [x0]\n\t"
	"cmp w3, w2\n\t"
	"b.ne takt_runner_work\n\t"
	"mov x1, #takt_futex_wait\n\t"
	"mov x3, #0\n\t"
	CALL(futex)
	"b takt_runner_wait\n");
}

/* Make new code visible: clean the data cache and invalidate the instruction cache. */
RUNNER_PART synchronize_caches(void)
{
	RUNNER_ASSEMBLE(
"takt_runner_work:\n\t"
	"mrs x3, ctr_el0\n\t"
	"mov x4, #4\n\t"
	"ubfx x5, x3, #16, #4\n\t"
	"lsl x5, x4, x5\n\t"          /* bytes of a data line */
	"and x6, x3, #15\n\t"
	"lsl x6, x4, x6\n\t"          /* bytes of an instruction line */
	"adr x0, takt_runner_base\n\t"
	CONSTANT("x1", code_bytes)
	"add x1, x0, x1\n\t"
	"mov x2, x0\n"
"1:	dc cvau, x2\n\t"
	"add x2, x2, x5\n\t"
	"cmp x2, x1\n\t"
	"b.lo 1b\n\t"
	"dsb ish\n\t"
	"mov x2, x0\n"
"1:	ic ivau, x2\n\t"
	"add x2, x2, x6\n\t"
	"cmp x2, x1\n\t"
	"b.lo 1b\n\t"
	"dsb ish\n\t"
	"isb\n\t");
}

/* Run each of the runs so often as the command says. */
RUNNER_PART run_samples(void)
{
	RUNNER_ASSEMBLE(
	ADDRESS("x9", step_count)
	"str wzr, [x9]\n\t"
	ADDRESS("x9", saved)
	"stp xzr, xzr, [x9]\n"        /* results so far; rounds of all runs so far */

"takt_runner_sample:\n\t"
	ADDRESS("x9", saved)
	ADDRESS("x10", repeat)
	"ldr x11, [x9, #8]\n\t"
	"ldr w12, [x10]\n\t"
	"cmp x11, x12\n\t"
	"b.hs takt_runner_done\n\t"
	"add x11, x11, #1\n\t"
	"stp x11, xzr, [x9, #8]\n"    /* and saved[2]: the current run */
"takt_runner_run:\n\t"
	ADDRESS("x9", saved)
	ADDRESS("x10", run_count)
	"ldr x11, [x9, #16]\n\t"
	"ldr w12, [x10]\n\t"
	"cmp x11, x12\n\t"
	"b.hs takt_runner_sample\n\t"
	ADDRESS("x9", run_restores)
	"ldr x12, [x9, x11, lsl #3]\n\t"
	"cbz x12, 2f\n\t"
	/* Fill the block's pages, by the addresses at which it uses them. */
	ADDRESS("x9", page_count)
	"ldr w5, [x9]\n\t"
	"mov w6, #takt_own_page_count\n\t"
	"cmp w5, w6\n\t"
	"csel w5, w5, w6, lo\n\t"
	ADDRESS("x9", pages)
"1:	subs w5, w5, #1\n\t"
	"b.lo 2f\n\t"
	ADDRESS("x0", template)
	"ldr x1, [x9, x5, lsl #3]\n\t"
	"mov x2, #takt_page_bytes\n"
"3:	ldp x3, x4, [x0], #16\n\t"
	"stp x3, x4, [x1], #16\n\t"
	"subs x2, x2, #16\n\t"
	"b.ne 3b\n\t"
	"b 1b\n"
"2:\n\t"
	ADDRESS("x9", run_entries)
	"ldr x12, [x9, x11, lsl #3]\n\t"
	"adr x13, takt_runner_base\n\t"
	"add x12, x12, x13\n\t"
	"br x12\n");
}

/* Runs return here; only pc has a known value. */
RUNNER_PART leave_run(void)
{
	RUNNER_ASSEMBLE(
"takt_runner_leave:\n\t"
	ADDRESS("x9", stack_top)
	"mov sp, x9\n\t"
	ADDRESS("x9", start_ticks)
	"ldp x10, x11, [x9]\n\t"      /* and end_ticks */
	"sub x10, x11, x10\n\t"
	ADDRESS("x12", saved)
	ADDRESS("x9", fp_raised)
	"mrs x13, fpsr\n\t"
	"ldr w14, [x9]\n\t"
	"orr w14, w14, w13\n\t"
	"str w14, [x9]\n\t"
	ADDRESS("x9", ticks)
	"ldr x11, [x12]\n\t"
	"cmp x11, #takt_samples_max\n\t"
	"b.hs takt_runner_done\n\t"
	"str x10, [x9, x11, lsl #3]\n\t"
	"add x11, x11, #1\n\t"
	"str x11, [x12]\n\t"
	"ldr x11, [x12, #16]\n\t"
	"add x11, x11, #1\n\t"
	"str x11, [x12, #16]\n\t"
	"b takt_runner_run\n");
}

/* Answer the command. */
RUNNER_PART answer(void)
{
	RUNNER_ASSEMBLE(
"takt_runner_done:\n\t"
	ADDRESS("x9", end)
	"mov w10, #takt_done\n\t"
	"str w10, [x9]\n\t"
	"bl takt_runner_answer\n\t"
	"b takt_runner_wait\n"

"takt_runner_answer:\n\t"
	ADDRESS("x9", command)
	ADDRESS("x0", reply)
	"ldr w10, [x9]\n\t"
	"stlr w10, [x0]\n\t"
	"mov x1, #takt_futex_wake\n\t"
	"mov x2, #1\n\t"
	CALL(futex)
	"ret\n");
}

/* Call read(1, x1, 8), and return to x9. */
RUNNER_PART read_descriptor(void)
{
	RUNNER_ASSEMBLE(
"takt_runner_read:\n\t"
	"mov x0, #1\n\t"
	"mov x2, #8\n\t"
	CALL(read)
	"br x9\n");
}

/* Signal handler (signal, siginfo, ucontext): map the page and return, or report the signal
 * and wait to be killed. */
RUNNER_PART handle_signal(void)
{
	RUNNER_ASSEMBLE(
"takt_runner_handler:\n\t"
	"mov w19, w0\n\t"
	"mov x20, x1\n\t"
	"mov x21, x2\n\t"
	"cmp w0, #takt_sigsegv\n\t"
	"b.ne takt_runner_report\n\t"
	ADDRESS("x9", flags)
	"ldr w10, [x9]\n\t"
	"tst w10, #takt_map_flag\n\t"
	"b.eq takt_runner_report\n\t"
	"ldr w10, [x1, #takt_code_at]\n\t"
	"cmp w10, #takt_maperr\n\t"
	"b.ne takt_runner_report\n\t"
	"ldr x22, [x1, #takt_address_at]\n\t"
	"and x22, x22, #-takt_page_bytes\n\t"
	CONSTANT("x10", lowest)
	"cmp x22, x10\n\t"
	"b.lo takt_runner_report\n\t"
	ADDRESS("x23", page_count)
	"ldr w24, [x23]\n\t"
	"cmp w24, #takt_pages_max\n\t"
	"b.hs takt_runner_report\n\t"
	"mov x0, x22\n\t"
	"mov x1, #takt_page_bytes\n\t"
	"mov x2, #takt_protection\n\t"
	CONSTANT("x3", map_how)
	"mov x4, #0\n\t"              /* the memfd is descriptor 0 */
	"and w6, w24, #takt_own_page_count - 1\n\t"
	CONSTANT("x5", own_pages)
	"add x5, x5, x6, lsl #12\n\t"
	CALL(mmap)
	"cmp x0, x22\n\t"
	"b.ne takt_runner_report\n\t"
	ADDRESS("x9", pages)
	"str x22, [x9, x24, lsl #3]\n\t"
	"add w24, w24, #1\n\t"
	"str w24, [x23]\n\t"
	"ret\n"
"takt_runner_restorer:\n\t"
	CALL(sigreturn));
}

/* Report a signal, and wait. */
RUNNER_PART report_signal(void)
{
	RUNNER_ASSEMBLE(
"takt_runner_report:\n\t"
	ADDRESS("x9", signal)
	"ldrsw x10, [x20, #takt_code_at]\n\t"
	"ldr x11, [x20, #takt_address_at]\n\t"
	"ldr x12, [x21, #takt_pc]\n\t"
	"mov w13, w19\n\t"
	"stp x13, x10, [x9]\n\t"      /* and signal_code, fault_address, fault_ip */
	"stp x11, x12, [x9, #16]\n\t"
	ADDRESS("x9", end)
	"mov w10, #takt_signalled\n\t"
	"str w10, [x9]\n\t"
	"bl takt_runner_answer\n"
"1:\n\t"
	ADDRESS("x0", end)            /* until the parent kills us */
	"mov x1, #takt_futex_wait\n\t"
	"mov x2, #takt_signalled\n\t"
	"mov x3, #0\n\t"
	CALL(futex)
	"b 1b\n"
"takt_runner_end:\n\t");
}

/* Holds the runner's assembly and is never called: only inside a function can assembly use
 * constants of C. */
__attribute__((used, noinline)) static void assemble(void)
{
	RUNNER_CONSTANTS();
	EQUATE(code_bytes, TAKT_CHILD_CODE_BYTES);
	EQUATE(pc, offsetof(ucontext_t, uc_mcontext.pc));
	start();
	wait_for_command();
	synchronize_caches();
	run_samples();
	leave_run();
	answer();
	read_descriptor();
	handle_signal();
	report_signal();
}
/* clang-format on */

#define FOLLOWS(second, first)                                                                     \
	_Static_assert(offsetof(struct takt_child_results, second) ==                              \
			       offsetof(struct takt_child_results, first) + 8,                     \
		       "stored as a pair")
FOLLOWS(end_ticks, start_ticks);
FOLLOWS(signal_code, signal);
FOLLOWS(fault_address, signal_code);
FOLLOWS(fault_ip, fault_address);

#else
/* ISO C forbids an empty file. */
struct takt_runner;
#endif
