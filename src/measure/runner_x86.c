/* SPDX-License-Identifier: MIT */
/*
 * The runner: all the code that the child has besides what it measures. It uses
 * nothing outside the memfd (child.h) and is copied to the start of it, so it is
 * position-independent; it is assembled into read-only data and never runs in place.
 */
#if defined(__x86_64__)
#include "measure/runner.h"

#define GREG(index) offsetof(ucontext_t, uc_mcontext.gregs[index])

/* clang-format off */
#define RESULTS(field) EQUATE(field, offsetof(struct takt_child_results, field))
/* Operand: a part of the layout, relative to the code itself. */
#define AT(name) "takt_runner_begin+takt_" #name "(%rip)"
/* Operands: a field of RESULTS, and one whose offset is partly in a register. */
#define R(name) "%gs:takt_" #name
#define INDEXED(name, register) "%gs:takt_" #name "(," register ",8)"
/* Load the address of a field of RESULTS: only where no block's code runs afterwards. */
#define ADDRESS_OF(name, register) \
	"mov " R(self) ", " register "\n\t" "add $takt_" #name ", " register "\n\t"
#define CALL(name) "mov $takt_" #name ", %eax\n\t" "syscall\n\t"

/* Unmap what was inherited: pages[] holds pairs, page_count of them. */
RUNNER_PART start(void)
{
	RUNNER_ASSEMBLE(
	RUNNER_BEGIN
"takt_runner_start:\n\t"
	"lea " AT(stack_top) ", %rsp\n\t"
	ADDRESS_OF(pages, "%r12")
	"mov " R(page_count) ", %ebx\n"
"1:	test %ebx, %ebx\n\t"
	"jz 2f\n\t"
	"dec %ebx\n\t"
	"mov (%r12), %rdi\n\t"
	"mov 8(%r12), %rsi\n\t"
	"sub %rdi, %rsi\n\t"
	"add $16, %r12\n\t"
	CALL(munmap)
	"jmp 1b\n"
"2:	movl $0, " R(page_count) "\n");
}

/* Wait for a command that is not answered yet. */
RUNNER_PART wait_for_command(void)
{
	RUNNER_ASSEMBLE(
"takt_runner_wait:\n\t"
	"mov " R(reply) ", %edx\n\t"
	"lea " AT(command) ", %rdi\n\t"
	"cmp %edx, (%rdi)\n\t"
	"jne takt_runner_work\n\t"
	"mov $takt_futex_wait, %esi\n\t"
	"xor %r10d, %r10d\n\t"
	CALL(futex)
	"jmp takt_runner_wait\n");
}

/* Run each of the runs so often as the command says. */
RUNNER_PART run_samples(void)
{
	RUNNER_ASSEMBLE(
"takt_runner_work:\n\t"
	"movl $0, " R(step_count) "\n\t"
	"movq $0, " R(saved) "\n\t"      /* saved[0]: results so far */
	"movq $0, " R(saved + 8) "\n"      /* saved[1]: rounds of all runs so far */

"takt_runner_sample:\n\t"
	"mov " R(saved + 8) ", %rax\n\t"
	"cmp " AT(repeat) ", %eax\n\t"
	"jae takt_runner_done\n\t"
	"incq " R(saved + 8) "\n\t"
	"movq $0, " R(saved + 16) "\n"     /* saved[2]: the current run */
"takt_runner_run:\n\t"
	"mov " R(saved + 16) ", %eax\n\t"
	"cmp " AT(run_count) ", %eax\n\t"
	"jae takt_runner_sample\n\t"
	"lea " AT(run_restores) ", %rdx\n\t"
	"cmpq $0, (%rdx,%rax,8)\n\t"
	"je 1f\n\t"
	/* Fill the block's pages, by the addresses at which it uses them. */
	"mov $takt_own_page_count, %ebx\n\t"
	"cmp %ebx, " R(page_count) "\n\t"
	"cmovb " R(page_count) ", %ebx\n"
"2:	sub $1, %ebx\n\t"
	"jc 1f\n\t"
	"lea takt_page_bytes+" AT(template) ", %rsi\n\t"
	"mov " INDEXED(pages, "%rbx") ", %rdi\n\t"
	"add $takt_page_bytes, %rdi\n\t"
	"mov $-takt_page_bytes, %rcx\n"
	/* This is no rep movs, which may leave the lines outside of the first cache. */
"3:	movaps (%rsi,%rcx), %xmm0\n\t"
	"movaps %xmm0, (%rdi,%rcx)\n\t"
	"add $16, %rcx\n\t"
	"jnz 3b\n\t"
	"jmp 2b\n"
"1:	lea " AT(run_entries) ", %rdx\n\t"
	"mov (%rdx,%rax,8), %rdx\n\t"
	"lea takt_runner_begin(%rip), %rcx\n\t"
	"add %rcx, %rdx\n\t"
	"jmp *%rdx\n");
}

/* Runs return here; only rip and gs have known values. */
RUNNER_PART leave_run(void)
{
	RUNNER_ASSEMBLE(
"takt_runner_leave:\n\t"
	"lea " AT(stack_top) ", %rsp\n\t"
	"push $2\n\t"                    /* no trap, direction or alignment flag */
	"popf\n\t"
	"stmxcsr " R(fp_state) "\n\t"
	"fnstsw %ax\n\t"
	"shl $16, %eax\n\t"
	"or " R(fp_state) ", %eax\n\t"
	"or %eax, " R(fp_raised) "\n\t"
	"mov " R(end_ticks) ", %rax\n\t"
	"sub " R(start_ticks) ", %rax\n\t"
	"mov " R(saved) ", %ecx\n\t"
	"cmp $takt_samples_max, %ecx\n\t"
	"jae takt_runner_done\n\t"
	"mov %rax, " INDEXED(ticks, "%rcx") "\n\t"
	"incq " R(saved) "\n\t"
	"incq " R(saved + 16) "\n\t"
	"jmp takt_runner_run\n");
}

/* Answer the command. */
RUNNER_PART answer(void)
{
	RUNNER_ASSEMBLE(
"takt_runner_done:\n\t"
	"movl $takt_done, " R(end) "\n\t"
	"call takt_runner_answer\n\t"
	"jmp takt_runner_wait\n"

"takt_runner_answer:\n\t"
	"mov " AT(command) ", %eax\n\t"
	"mov %eax, " R(reply) "\n\t"
	ADDRESS_OF(reply, "%rdi")
	"mov $takt_futex_wake, %esi\n\t"
	"mov $1, %edx\n\t"
	CALL(futex)
	"ret\n");
}

/* Call read(1, rsi, 8), and return to r8. */
RUNNER_PART read_descriptor(void)
{
	RUNNER_ASSEMBLE(
"takt_runner_read:\n\t"
	"mov $1, %edi\n\t"
	"mov $8, %edx\n\t"
	CALL(read)
	"jmp *%r8\n");
}

/*
 * Signal handler (signal, siginfo, ucontext): map the page, log a step, or report the
 * signal and wait to be killed. If the block uses gs, gs is set from fs, and r15 holds the
 * value to restore.
 */
RUNNER_PART handle_signal(void)
{
	RUNNER_ASSEMBLE(
"takt_runner_handler:\n\t"
	"testl $takt_gs_flag, " AT(flags) "\n\t"
	"jz 1f\n\t"
	"rdgsbase %r15\n\t"
	"rdfsbase %rax\n\t"
	"wrgsbase %rax\n"
"1:	mov %edi, %r12d\n\t"
	"mov %rsi, %r13\n\t"
	"mov %rdx, %r14\n\t"
	"cmp $takt_sigtrap, %edi\n\t"
	"je takt_runner_step\n\t"
	"cmp $takt_sigsegv, %edi\n\t"
	"jne takt_runner_report\n\t"
	"testl $takt_map_flag, " AT(flags) "\n\t"
	"jz takt_runner_report\n\t"
	"cmpl $takt_maperr, takt_code_at(%rsi)\n\t"
	"jne takt_runner_report\n\t"
	"mov takt_address_at(%rsi), %rdi\n\t"
	"and $-takt_page_bytes, %rdi\n\t"
	"cmp $takt_lowest, %rdi\n\t"
	"jb takt_runner_report\n\t"
	"mov " R(page_count) ", %ebx\n\t"
	"cmp $takt_pages_max, %ebx\n\t"
	"jae takt_runner_report\n\t"
	"mov $takt_page_bytes, %esi\n\t"
	"mov $takt_protection, %edx\n\t"
	"mov $takt_map_how, %r10d\n\t"
	"xor %r8d, %r8d\n\t"           /* the memfd is descriptor 0 */
	"mov $takt_own_page_count - 1, %r9d\n\t"
	"and %ebx, %r9d\n\t"
	"imul $takt_page_bytes, %r9d, %r9d\n\t"
	"add $takt_own_pages, %r9d\n\t"
	CALL(mmap)
	"cmp %rdi, %rax\n\t"
	"jne takt_runner_report\n\t"
	"mov %rdi, " INDEXED(pages, "%rbx") "\n\t"
	"incl " R(page_count) "\n"
"takt_runner_return:\n\t"
	"testl $takt_gs_flag, " AT(flags) "\n\t"
	"jz 1f\n\t"
	"wrgsbase %r15\n"
"1:	ret\n"
"takt_runner_restorer:\n\t"
	CALL(sigreturn));
}

/* Log the state after an instruction, if the block is traced. */
RUNNER_PART log_step(void)
{
	RUNNER_ASSEMBLE(
"takt_runner_step:\n\t"
	"testl $takt_trace_flag, " AT(flags) "\n\t"
	"jz takt_runner_report\n\t"
	"mov " R(step_count) ", %ebx\n\t"
	"cmp $takt_steps_max, %ebx\n\t"
	"jae 1f\n\t"
	"incl " R(step_count) "\n\t"
	"imul $takt_step_bytes, %ebx, %ebx\n\t"
	ADDRESS_OF(steps, "%rdi")
	"add %rbx, %rdi\n\t"
	"lea takt_gregs(%rdx), %rsi\n\t"
	"mov $takt_step_bytes, %ecx\n\t"
	"rep movsb\n\t"
	"jmp takt_runner_return\n"
"1:	andl $~0x100, takt_eflags(%rdx)\n\t" /* seen enough */
	"jmp takt_runner_return\n");
}

/* Report a signal, and wait. */
RUNNER_PART report_signal(void)
{
	RUNNER_ASSEMBLE(
"takt_runner_report:\n\t"
	"mov %r12, " R(signal) "\n\t"
	"movslq takt_code_at(%r13), %rax\n\t"
	"mov %rax, " R(signal_code) "\n\t"
	"mov takt_address_at(%r13), %rax\n\t"
	"mov %rax, " R(fault_address) "\n\t"
	"mov takt_rip(%r14), %rax\n\t"
	"mov %rax, " R(fault_ip) "\n\t"
	"movl $takt_signalled, " R(end) "\n\t"
	"call takt_runner_answer\n"
"1:\n\t"
	ADDRESS_OF(end, "%rdi")         /* until the parent kills us */
	"mov $takt_futex_wait, %esi\n\t"
	"mov $takt_signalled, %edx\n\t"
	"xor %r10d, %r10d\n\t"
	CALL(futex)
	"jmp 1b\n"
"takt_runner_end:\n\t");
}

/* Holds the runner's assembly and is never called: only inside a function can assembly use
 * constants of C. */
__attribute__((used, noinline)) static void assemble(void)
{
	RUNNER_CONSTANTS();
	RESULTS(self);
	RESULTS(end_ticks);
	RESULTS(signal_code);
	RESULTS(fault_address);
	RESULTS(fault_ip);
	RESULTS(steps);
	RESULTS(fp_state);
	EQUATE(steps_max, TAKT_STEPS_MAX);
	EQUATE(step_bytes, sizeof(struct takt_step_state));
	EQUATE(gs_flag, TAKT_CHILD_GS_IN_USE);
	EQUATE(trace_flag, TAKT_CHILD_TRACE);
	EQUATE(sigtrap, SIGTRAP);
	EQUATE(gregs, GREG(0));
	EQUATE(rip, GREG(REG_RIP));
	EQUATE(eflags, GREG(REG_EFL));
	start();
	wait_for_command();
	run_samples();
	leave_run();
	answer();
	read_descriptor();
	handle_signal();
	log_step();
	report_signal();
}
/* clang-format on */

_Static_assert(TAKT_STEP_REGISTERS == REG_EFL + 1, "a step is the first registers of a ucontext");

#else
/* ISO C forbids an empty file. */
struct takt_runner;
#endif
