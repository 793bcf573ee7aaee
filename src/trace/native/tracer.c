/* SPDX-License-Identifier: MIT */
/*
 * The tracer: starts the program, and steps each thread of it and of the processes it makes. A
 * stop of ptrace says what happened since the thread was resumed: an instruction ran, a signal
 * came, a thread, process or program began, or the thread ends.
 */
#include <assert.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/native/native.h"

#define OPTIONS                                                                                    \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |     \
	 PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL)
#define SYSCALL_CLONE3 435u
#define CLONE_THREAD_FLAG 0x10000u
#define HANDLER_CODE SIGTRAP /* si_code of the stop before a signal handler's first instruction */
#define REPEATS_STEPPED 4u   /* longer string instructions run up to a breakpoint */

struct tracer {
	const struct native_task *task;
	struct feed_area *area;
	pid_t first; /* the program's process */
	bool begun;  /* the program has begun: its exec succeeded */
	bool ended;
	int status; /* how the first process ended */
	struct native_thread **threads;
	uint32_t thread_count, thread_capacity;
	struct native_program *programs;
	uint64_t random; /* state of the generator that draws the times of windows */
};

static volatile sig_atomic_t window_is_due;
static pid_t signal_target; /* process that gets the signals which takt passes on */

/* ---- threads and programs ---- */

static struct native_thread *find_thread(const struct tracer *tracer, pid_t number)
{
	for (uint32_t i = 0; i < tracer->thread_count; i++)
		if (tracer->threads[i]->thread == number)
			return tracer->threads[i];
	return NULL;
}

static struct native_thread *add_thread(struct tracer *tracer, pid_t number)
{
	struct native_thread *thread = takt_xcalloc(1, sizeof(*thread));

	TAKT_GROW(tracer->threads, tracer->thread_count + 1, tracer->thread_capacity);
	tracer->threads[tracer->thread_count++] = thread;
	thread->thread = number;
	return thread;
}

static void remove_program(struct tracer *tracer, struct native_program *program)
{
	struct native_program **at = &tracer->programs;

	while (*at != program) {
		assert(*at);
		at = &(*at)->next;
	}
	*at = program->next;
	native_program_release(program);
	free(program);
}

/* Forget a thread, and its program with the last one. */
static void remove_thread(struct tracer *tracer, struct native_thread *thread)
{
	struct native_program *program = thread->program;

	for (uint32_t i = 0; i < tracer->thread_count; i++)
		if (tracer->threads[i] == thread)
			tracer->threads[i] = tracer->threads[--tracer->thread_count];
	free(thread);
	if (program && --program->running == 0)
		remove_program(tracer, program);
}

/* Give a thread to a program: a ring, and the record that begins it. */
static bool join(struct native_thread *thread, struct native_program *program)
{
	thread->program = program;
	program->running++;
	thread->is_known = false;
	thread->uncertain = true;
	thread->ring = native_ring_open(program->area, program->feed, &thread->processor);
	if (!thread->ring) {
		atomic_store(&program->feed->rings_missing, 1);
		atomic_store(&program->feed->stopped, 1);
		return false;
	}
	native_ring_add(program->area, program->feed, thread->ring,
			trace_record(TRACE_KIND_START, program->threads++));
	return true;
}

static struct native_program *add_program(struct tracer *tracer, uint32_t slot,
					  enum feed_begin begin, pid_t process)
{
	struct native_program *program = takt_xcalloc(1, sizeof(*program));

	native_program_init(program, tracer->area, slot, process);
	program->feed->process = process;
	program->feed->begin = begin;
	program->next = tracer->programs;
	tracer->programs = program;
	return program;
}

/* Let takt see the program; its first thread has a ring. */
static void show_program(const struct native_program *program)
{
	atomic_store(&program->feed->state, FEED_RUNS);
}

/* ---- resuming ---- */

static void detach(struct tracer *tracer, struct native_thread *thread, int signal)
{
	native_part_disarm(thread);
	ptrace(PTRACE_DETACH, thread->thread, NULL, (void *)(uintptr_t)(unsigned)signal);
	remove_thread(tracer, thread);
}

/*
 * Let a string instruction run to its end: its accesses follow from the registers before and
 * after it. False if the kernel or the processor refuses breakpoints.
 */
static bool run_repeats(struct native_thread *thread)
{
	const struct native_insn *insn = native_step_insn(thread);
	uintptr_t end = thread->registers.rip + insn->length_bytes;
	uintptr_t place = offsetof(struct user, u_debugreg);

	if (thread->uncertain || thread->restarts || thread->signal ||
	    native_insn_count(insn, &thread->prepared) < REPEATS_STEPPED ||
	    !native_breakpoints_work() ||
	    ptrace(PTRACE_POKEUSER, thread->thread, (void *)place, (void *)end) < 0 ||
	    ptrace(PTRACE_POKEUSER, thread->thread, (void *)(place + 7 * sizeof(long)),
		   (void *)(uintptr_t)1) < 0)
		return false;
	thread->whole_rep = ptrace(PTRACE_CONT, thread->thread, NULL, NULL) == 0;
	return thread->whole_rep;
}

static void clear_breakpoint(struct native_thread *thread)
{
	uintptr_t place = offsetof(struct user, u_debugreg) + 7 * sizeof(long);

	ptrace(PTRACE_POKEUSER, thread->thread, (void *)place, (void *)(uintptr_t)0);
	thread->whole_rep = false;
}

/* Let the thread run at full speed up to one of the program's stops. */
static void resume_unseen(struct tracer *tracer, struct native_thread *thread)
{
	int signal = thread->signal;

	if (!native_part_arm(thread) && errno != ESRCH)
		atomic_store(&tracer->area->parts_failed, FEED_PARTS_NO_BREAKPOINTS);
	if (atomic_load(&tracer->area->parts_failed))
		kill(tracer->first, SIGKILL);
	thread->signal = 0;
	ptrace(PTRACE_CONT, thread->thread, NULL, (void *)(uintptr_t)(unsigned)signal);
}

/* Step over the next instruction. */
static void resume(struct tracer *tracer, struct native_thread *thread)
{
	int signal = thread->signal;

	if (feed_has_stopped(tracer->area, thread->program->feed)) {
		detach(tracer, thread, signal);
		return;
	}
	if (thread->unseen) {
		resume_unseen(tracer, thread);
		return;
	}
	if (ptrace(PTRACE_GETREGS, thread->thread, NULL, &thread->registers) < 0)
		return; /* it was killed: its end follows */
	native_step_prepare(thread, tracer->task->has_accesses);
	if (thread->block && native_step_insn(thread)->flags & NATIVE_REPEATS &&
	    run_repeats(thread))
		return;
	ptrace(PTRACE_SINGLESTEP, thread->thread, NULL, (void *)(uintptr_t)(unsigned)signal);
}

/* Go on with what the thread is doing: a system call, in which another stop came. */
static void resume_within(struct native_thread *thread)
{
	ptrace(thread->unseen ? PTRACE_CONT : PTRACE_SINGLESTEP, thread->thread, NULL, NULL);
}

/* ---- parts ---- */

static void note_window(int number)
{
	(void)number;
	window_is_due = 1;
}

/* Let the clock say when the next windows begin: after half to one and a half of the gap's time.
 */
static void await_window(struct tracer *tracer)
{
	uint64_t gap_us = (uint64_t)tracer->task->parts->gap_ms * 1000, us;
	struct itimerval times = {0};

	tracer->random ^= tracer->random << 13;
	tracer->random ^= tracer->random >> 7;
	tracer->random ^= tracer->random << 17;
	us = gap_us / 2 + tracer->random % gap_us;
	times.it_value.tv_sec = (time_t)(us / 1000000);
	times.it_value.tv_usec = (suseconds_t)(us % 1000000);
	/* A signal that comes just before the tracer waits is lost, and the next one is not. */
	times.it_interval.tv_sec = (time_t)(gap_us / 1000000);
	times.it_interval.tv_usec = (suseconds_t)(gap_us % 1000000);
	window_is_due = 0;
	setitimer(ITIMER_REAL, &times, NULL);
}

static bool has_windows(const struct tracer *tracer)
{
	return tracer->task->parts && !tracer->task->parts->function_count;
}

/* Stop all threads that run at full speed, for a window. */
static void stop_for_windows(struct tracer *tracer)
{
	if (!window_is_due)
		return;
	window_is_due = 0;
	for (uint32_t i = 0; i < tracer->thread_count; i++) {
		struct native_thread *thread = tracer->threads[i];

		if (thread->program && thread->unseen && !thread->waits &&
		    native_part_is_running(thread))
			ptrace(PTRACE_INTERRUPT, thread->thread, NULL, NULL);
	}
}

/* Let a thread that has begun run at full speed, if only parts are traced. */
static void begin_unseen(struct tracer *tracer, struct native_thread *thread)
{
	if (tracer->task->parts)
		native_part_leave(thread);
}

/* Prepare a program that has begun by exec. */
static void begin_parts(struct tracer *tracer, struct native_thread *thread)
{
	thread->block = NULL;
	thread->armed = false;
	begin_unseen(tracer, thread);
	if (tracer->task->parts && tracer->task->parts->function_count)
		native_part_await_entry(thread->program);
}

static void leave_part(struct tracer *tracer, struct native_thread *thread)
{
	native_part_leave(thread);
	if (has_windows(tracer))
		await_window(tracer);
}

/* A thread that ran at full speed has stopped with a signal, or at a breakpoint. */
static void on_unseen_stop(struct tracer *tracer, struct native_thread *thread, int signal,
			   const siginfo_t *info)
{
	if (signal != SIGTRAP || info->si_code != TRAP_HWBKPT) {
		thread->signal = signal;
	} else if (!thread->program->stops_known) {
		native_part_disarm(thread);
		native_part_find_functions(thread->program, tracer->task->parts);
	} else if (ptrace(PTRACE_GETREGS, thread->thread, NULL, &thread->registers) == 0) {
		native_part_enter_function(thread);
		thread->uncertain = false;
	}
	resume(tracer, thread);
}

/* ---- new threads, processes and programs ---- */

static bool makes_thread(const struct native_thread *thread)
{
	struct user_regs_struct registers;
	uint64_t flags;
	struct iovec here = {&flags, sizeof(flags)}, there = {NULL, sizeof(flags)};

	if (ptrace(PTRACE_GETREGS, thread->thread, NULL, &registers) < 0)
		return false;
	flags = registers.rdi;
	there.iov_base = (void *)(uintptr_t)flags;
	if (registers.orig_rax == SYSCALL_CLONE3 &&
	    process_vm_readv(thread->thread, &here, 1, &there, 1, 0) != sizeof(flags))
		return false;
	return (flags & CLONE_THREAD_FLAG) != 0;
}

/* Begin a child that has stopped for the first time and whose maker is known. */
static void begin_child(struct tracer *tracer, struct native_thread *child)
{
	child->waits = false;
	if (!child->program || child->program->lost) {
		detach(tracer, child, 0);
		return;
	}
	resume(tracer, child);
}

/* Add the program of a child, which has the code of its maker's. */
static struct native_program *fork_program(struct tracer *tracer,
					   const struct native_program *maker, uint32_t slot,
					   pid_t process)
{
	struct native_program *program = add_program(tracer, slot, FEED_FORKED, process);

	memcpy(program->stops, maker->stops, sizeof(program->stops));
	program->stop_count = maker->stop_count;
	program->stops_known = maker->stops_known;
	return program;
}

static void meet_child(struct tracer *tracer, struct native_thread *maker, bool is_thread)
{
	struct native_program *program = maker->program;
	struct native_thread *child;
	unsigned long number = 0;
	uint32_t slot;

	if (ptrace(PTRACE_GETEVENTMSG, maker->thread, NULL, &number) < 0)
		return;
	child = find_thread(tracer, (pid_t)number);
	if (!child)
		child = add_thread(tracer, (pid_t)number);
	if (is_thread) {
		if (join(child, program))
			begin_unseen(tracer, child);
	} else {
		slot = native_slot_reserve(tracer->area, program->feed);
		if (slot == FEED_NO_SLOT) {
			atomic_fetch_add(&tracer->area->processes, 1);
		} else {
			program = fork_program(tracer, maker->program, slot, child->thread);
			if (join(child, program)) {
				begin_unseen(tracer, child);
				show_program(program);
			}
		}
	}
	if (child->waits)
		begin_child(tracer, child);
	else
		child->waits = true; /* its first stop is to come */
}

/* Return why the file that a process runs is not followed. */
static enum feed_lost look_at_file(pid_t process)
{
	Elf64_Ehdr header = {0};
	char path[32];
	ssize_t size;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)process);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return FEED_LOST_UNKNOWN;
	size = takt_read_all(file, &header, sizeof(header));
	close(file);
	return size == (ssize_t)sizeof(header) && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
			       header.e_ident[EI_CLASS] == ELFCLASS64 &&
			       header.e_machine == EM_X86_64
		       ? FEED_FOLLOWED
		       : FEED_LOST_FOREIGN;
}

static void copy_command(pid_t process, struct feed *feed)
{
	char path[32];
	ssize_t size = -1;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)process);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file >= 0) {
		size = takt_read_all(file, feed->command, FEED_COMMAND_BYTES);
		close(file);
	}
	feed->command_bytes = size > 0 ? (uint32_t)size : 0;
}

static void lose(struct native_program *program, enum feed_lost lost, pid_t process)
{
	char path[32];
	ssize_t size;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)process);
	size = readlink(path, program->feed->lost_path, FEED_LOST_BYTES - 1);
	program->feed->lost_path[size > 0 ? size : 0] = '\0';
	atomic_store(&program->feed->lost, lost);
	program->lost = true;
}

/* Forget the other threads of a process, which an exec has ended. */
static void remove_others(struct tracer *tracer, const struct native_thread *left)
{
	for (uint32_t i = tracer->thread_count; i-- > 0;)
		if (tracer->threads[i] != left && tracer->threads[i]->program == left->program)
			remove_thread(tracer, tracer->threads[i]);
}

static void begin_program(struct tracer *tracer, struct native_thread *thread)
{
	struct native_program *program = add_program(tracer, 0, FEED_STARTED, thread->thread);

	tracer->begun = true;
	if (join(thread, program)) {
		begin_parts(tracer, thread);
		show_program(program);
	}
	if (has_windows(tracer))
		await_window(tracer);
	atomic_store(&tracer->area->attached, 1);
	resume(tracer, thread);
}

/* A thread has become another program, which has the process's number as its own. */
static void on_exec(struct tracer *tracer, struct native_thread *thread)
{
	struct native_program *old = thread->program, *program;
	enum feed_lost lost;
	uint32_t slot;

	if (!tracer->begun) {
		begin_program(tracer, thread);
		return;
	}
	if (native_step_is_syscall(thread))
		native_step_commit(thread);
	remove_others(tracer, thread);
	lost = look_at_file(thread->thread);
	slot = lost ? FEED_NO_SLOT : native_slot_reserve(tracer->area, old->feed);
	if (slot == FEED_NO_SLOT) {
		if (!lost)
			lost = tracer->area->follows ? FEED_LOST_FULL : FEED_LOST_UNWANTED;
		lose(old, lost, thread->thread);
		detach(tracer, thread, 0);
		return;
	}
	program = add_program(tracer, slot, FEED_EXECUTED, thread->thread);
	copy_command(thread->thread, program->feed);
	if (join(thread, program)) {
		begin_parts(tracer, thread);
		show_program(program);
	}
	if (--old->running == 0)
		remove_program(tracer, old);
	resume(tracer, thread);
}

/* ---- stops ---- */

/* Tell takt how a process ends, before it has: takt closes the program once it sees the end. */
static void note_exit(const struct native_thread *thread)
{
	unsigned long status = 0;

	if (!thread->program || thread->thread != thread->program->process ||
	    ptrace(PTRACE_GETEVENTMSG, thread->thread, NULL, &status) < 0)
		return;
	if (WIFEXITED((int)status))
		atomic_store(&thread->program->feed->exit_status,
			     1 + (uint32_t)WEXITSTATUS((int)status));
}

static void on_event(struct tracer *tracer, struct native_thread *thread, int event, int signal)
{
	unsigned long former = 0;
	struct native_thread *other;

	switch (event) {
	case PTRACE_EVENT_CLONE:
		meet_child(tracer, thread, makes_thread(thread));
		resume_within(thread);
		break;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		meet_child(tracer, thread, false);
		resume_within(thread);
		break;
	case PTRACE_EVENT_EXEC:
		ptrace(PTRACE_GETEVENTMSG, thread->thread, NULL, &former);
		other = find_thread(tracer, (pid_t)former);
		if (other && other != thread) {
			remove_thread(tracer, thread);
			other->thread = (pid_t)other->program->process;
			thread = other;
		}
		on_exec(tracer, thread);
		break;
	case PTRACE_EVENT_EXIT:
		if (native_step_is_syscall(thread))
			native_step_commit(thread);
		note_exit(thread);
		if (thread->unseen)
			native_part_count_time(thread);
		ptrace(PTRACE_CONT, thread->thread, NULL, NULL);
		break;
	case PTRACE_EVENT_STOP:
		if (signal != SIGTRAP) {
			ptrace(PTRACE_LISTEN, thread->thread, NULL, NULL); /* job control */
			break;
		}
		if (thread->unseen && has_windows(tracer))
			native_part_enter_window(thread, tracer->task->parts->window_insns);
		thread->uncertain = true;
		resume(tracer, thread);
		break;
	default:
		resume_within(thread);
		break;
	}
}

/* True if the result of a system call says that the kernel may begin it again. */
static bool may_restart(const struct native_thread *thread)
{
	long long result = (long long)thread->registers.rax;

	return native_step_is_syscall(thread) && result <= -512 && result >= -516;
}

/* A thread has stopped after a step. */
static void on_step(struct tracer *tracer, struct native_thread *thread, int code)
{
	uint64_t before = thread->registers.rip;
	bool restarted, ended = false;

	if (ptrace(PTRACE_GETREGS, thread->thread, NULL, &thread->registers) < 0)
		return;
	restarted = thread->restarts && thread->registers.rip == before;
	if (!restarted && code != HANDLER_CODE &&
	    !(thread->uncertain && thread->registers.rip == before)) {
		native_step_hide_trap(thread);
		ended = tracer->task->parts && native_part_advance(thread, false);
		native_step_commit(thread);
		thread->restarts = may_restart(thread);
	} else {
		if (code == HANDLER_CODE && tracer->task->parts)
			ended = native_part_advance(thread, true);
		thread->is_known = false;
		thread->restarts = false;
	}
	thread->uncertain = false;
	thread->signal = 0;
	if (ended)
		leave_part(tracer, thread);
	resume(tracer, thread);
}

static bool is_fault(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
}

/* A signal that is to be delivered to the program; what the thread was about to do did not run. */
static void on_signal(struct tracer *tracer, struct native_thread *thread, int signal,
		      const siginfo_t *info)
{
	if (is_fault(signal) && info->si_code > 0 && !thread->uncertain) {
		if (signal == SIGILL && thread->block)
			thread->block = native_block_single(thread->program, thread->registers.rip);
		if (signal == SIGILL)
			thread->enters = true;
		native_step_fault(thread, signal);
	}
	thread->signal = signal;
	thread->uncertain = true;
	resume(tracer, thread);
}

/* True if the stop with SIGTRAP is the program's signal and not that of the step. */
static bool is_own_trap(const struct native_thread *thread, const siginfo_t *info)
{
	const struct native_insn *insn = native_step_insn(thread);

	if (info->si_code == HANDLER_CODE || info->si_code == TRAP_TRACE ||
	    info->si_code == TRAP_BRKPT || info->si_code == TRAP_HWBKPT)
		return false;
	return info->si_code <= 0 || (insn && insn->flags & NATIVE_TRAPS);
}

/* A string instruction ran up to the breakpoint after it, or up to a signal. */
static void end_repeats(struct native_thread *thread)
{
	clear_breakpoint(thread);
	if (ptrace(PTRACE_GETREGS, thread->thread, NULL, &thread->registers) == 0)
		native_step_commit(thread);
}

static void on_stop(struct tracer *tracer, struct native_thread *thread, int signal)
{
	siginfo_t info = {0};

	if (!thread->program) {
		/* The process that becomes the program has not done so yet. */
		ptrace(PTRACE_CONT, thread->thread, NULL, (void *)(uintptr_t)(unsigned)signal);
		return;
	}
	if (ptrace(PTRACE_GETSIGINFO, thread->thread, NULL, &info) < 0)
		return;
	if (thread->unseen) {
		on_unseen_stop(tracer, thread, signal, &info);
		return;
	}
	if (thread->whole_rep) {
		end_repeats(thread);
		if (signal == SIGTRAP && !is_own_trap(thread, &info)) {
			resume(tracer, thread);
			return;
		}
	} else if (signal == SIGTRAP && !is_own_trap(thread, &info)) {
		on_step(tracer, thread, info.si_code);
		return;
	} else if (signal == SIGTRAP && info.si_code > 0) {
		/* int3 has run, and its trap comes after it. */
		ptrace(PTRACE_GETREGS, thread->thread, NULL, &thread->registers);
		native_step_commit(thread);
	}
	on_signal(tracer, thread, signal, &info);
}

static void on_end(struct tracer *tracer, pid_t number, struct native_thread *thread, int status)
{
	if (number == tracer->first) {
		tracer->ended = true;
		tracer->status = status;
	}
	if (!thread)
		return;
	if (thread->ring)
		native_ring_add(tracer->area, thread->program->feed, thread->ring,
				trace_record(TRACE_KIND_END, 0));
	remove_thread(tracer, thread);
}

static void on_status(struct tracer *tracer, pid_t number, int status)
{
	struct native_thread *thread = find_thread(tracer, number);

	if (WIFEXITED(status) || WIFSIGNALED(status)) {
		on_end(tracer, number, thread, status);
		return;
	}
	if (!WIFSTOPPED(status))
		return;
	if (!thread) {
		/* A child may stop before its maker does, whose event will name it. */
		add_thread(tracer, number)->waits = true;
		return;
	}
	if (thread->waits) {
		begin_child(tracer, thread);
		return;
	}
	if (status >> 16)
		on_event(tracer, thread, status >> 16, WSTOPSIG(status));
	else
		on_stop(tracer, thread, WSTOPSIG(status));
}

/* ---- start and end ---- */

static void pass_on(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code != SI_KERNEL) /* the terminal's reach the program directly */
		kill(signal_target, number);
}

static void pass_signals(pid_t process)
{
	struct sigaction clock = {.sa_handler = note_window};
	static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};

	signal_target = process;
	for (size_t i = 0; i < TAKT_COUNT_OF(numbers); i++)
		sigaction(numbers[i], &action, NULL);
	sigaction(SIGALRM, &clock, NULL);
}

/* Become the program, once the tracer says so. */
static _Noreturn void become(const struct native_task *task, int go)
{
	static const int defaults[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
	char byte;

	for (size_t i = 0; i < TAKT_COUNT_OF(defaults); i++)
		signal(defaults[i], SIG_DFL);
	if (read(go, &byte, 1) == 1)
		execve(task->path, task->argv, task->variables);
	_exit(127);
}

/* Start the program and attach to it before it runs; 0 or an error number. */
static int start(struct tracer *tracer)
{
	int go[2], error = 0;

	if (pipe2(go, O_CLOEXEC) < 0)
		return errno;
	tracer->first = fork();
	if (tracer->first == 0) {
		close(go[1]);
		become(tracer->task, go[0]);
	}
	if (tracer->first < 0 ||
	    ptrace(PTRACE_SEIZE, tracer->first, NULL, (void *)(uintptr_t)OPTIONS) < 0)
		error = errno;
	if (!error) {
		pass_signals(tracer->first);
		add_thread(tracer, tracer->first);
		error = write(go[1], "", 1) == 1 ? 0 : errno;
	}
	close(go[0]);
	close(go[1]);
	return error;
}

/* Leave the processes that outlive the first one: they run on without being traced. */
static void leave(struct tracer *tracer)
{
	int status;

	atomic_store(&tracer->area->stopped, 1);
	for (uint32_t i = 0; i < tracer->thread_count; i++)
		ptrace(PTRACE_INTERRUPT, tracer->threads[i]->thread, NULL, NULL);
	while (tracer->thread_count) {
		pid_t number = waitpid(-1, &status, __WALL);
		struct native_thread *thread = find_thread(tracer, number);

		if (number < 0 && errno != EINTR)
			return;
		if (!thread)
			continue;
		if (WIFSTOPPED(status))
			detach(tracer, thread,
			       status >> 16 || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
		else
			remove_thread(tracer, thread);
	}
}

int native_trace(const struct native_task *task)
{
	struct tracer tracer = {.task = task, .area = task->area, .random = 0x9e3779b97f4a7c15};
	int error = start(&tracer), status;

	if (error) {
		atomic_store(&task->area->failed, (uint32_t)error);
		if (tracer.first > 0)
			kill(tracer.first, SIGKILL);
		return 0;
	}
	while (!tracer.ended) {
		pid_t number;

		stop_for_windows(&tracer);
		number = waitpid(-1, &status, __WALL);

		if (number < 0 && errno == EINTR)
			continue;
		if (number < 0)
			break;
		on_status(&tracer, number, status);
	}
	leave(&tracer);
	free(tracer.threads);
	return tracer.status;
}
