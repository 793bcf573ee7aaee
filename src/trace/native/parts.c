/* SPDX-License-Identifier: MIT */
/*
 * Parts of a program that are traced: functions, or windows. Between them, a thread runs at full
 * speed. Breakpoints of the processor, which each thread has for itself, stop it at a function's
 * first instruction; they change no code. The tracer's clock stops it for a window.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/names/place_file.h"
#include "trace/native/native.h"

#define SYSCALL_RT_SIGRETURN 15u
#define CONTROL 7u /* number of the debug register that enables breakpoints */
#define AUXILIARY_MAX 64u

/* ---- breakpoints ---- */

static bool set_debug_register(pid_t thread, unsigned number, uint64_t value)
{
	uintptr_t place = offsetof(struct user, u_debugreg) + number * sizeof(long);

	return ptrace(PTRACE_POKEUSER, thread, (void *)place, (void *)(uintptr_t)value) == 0;
}

/* This function does nothing. The probe puts a breakpoint at its start, and then calls it. */
__attribute__((noinline)) static void pass(void)
{
	__asm__ volatile("");
}

static bool wait_for(pid_t process, int *ret_status)
{
	pid_t got;

	do
		got = waitpid(process, ret_status, WUNTRACED);
	while (got < 0 && errno == EINTR);
	return got == process;
}

/* Start a process that runs into a breakpoint; return true if it stops there. */
static bool probe_breakpoints(void)
{
	pid_t process = fork();
	int status;
	bool works;

	if (process == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		pass();
		_exit(0);
	}
	if (process < 0 || !wait_for(process, &status))
		return false;
	works = set_debug_register(process, 0, (uint64_t)(uintptr_t)pass) &&
		set_debug_register(process, CONTROL, 1) &&
		ptrace(PTRACE_CONT, process, NULL, NULL) == 0 && wait_for(process, &status) &&
		WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
	if (WIFSTOPPED(status)) {
		kill(process, SIGKILL);
		wait_for(process, &status);
	}
	return works;
}

/* Some virtual machines take the addresses of breakpoints, and stop at none. */
bool native_breakpoints_work(void)
{
	static enum { UNKNOWN, WORK, FAIL } found;

	if (found == UNKNOWN)
		found = probe_breakpoints() ? WORK : FAIL;
	return found == WORK;
}

void native_part_disarm(struct native_thread *thread)
{
	if (thread->armed)
		set_debug_register(thread->thread, CONTROL, 0);
	thread->armed = false;
}

bool native_part_arm(struct native_thread *thread)
{
	const struct native_program *program = thread->program;
	uint64_t enabled = 0;

	if (thread->armed)
		return true;
	if (program->stop_count && !native_breakpoints_work()) {
		errno = ENOTSUP;
		return false;
	}
	for (uint32_t i = 0; i < program->stop_count; i++) {
		if (!set_debug_register(thread->thread, i, program->stops[i]))
			return false;
		enabled |= (uint64_t)1 << 2 * i;
	}
	thread->armed = true;
	return set_debug_register(thread->thread, CONTROL, enabled);
}

/* ---- the thread's time ---- */

/* Read a file of /proc about the thread, with a zero after it; false if that is not possible. */
static bool read_about(const struct native_thread *thread, const char *name, char *ret_text,
		       size_t size_bytes)
{
	char path[64];
	ssize_t size;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)thread->program->process,
		 (int)thread->thread, name);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	size = takt_read_all(file, ret_text, size_bytes - 1);
	close(file);
	ret_text[size > 0 ? size : 0] = '\0';
	return size > 0;
}

/* Return the nanoseconds that the thread has had a processor, or 0. */
static uint64_t thread_time(const struct native_thread *thread)
{
	uint64_t nanoseconds;
	char text[64];

	return read_about(thread, "schedstat", text, sizeof(text)) &&
			       sscanf(text, "%" SCNu64, &nanoseconds) == 1
		       ? nanoseconds
		       : 0;
}

void native_part_count_time(struct native_thread *thread)
{
	uint64_t now = thread_time(thread);

	if (now > thread->unseen_since_ns)
		atomic_fetch_add(&thread->program->area->unseen_ns, now - thread->unseen_since_ns);
	thread->unseen_since_ns = now;
}

bool native_part_is_running(const struct native_thread *thread)
{
	char text[512], *name_end;

	if (!read_about(thread, "stat", text, sizeof(text)))
		return false;
	name_end = strrchr(text, ')');
	return name_end && strncmp(name_end, ") R", 3) == 0;
}

/* ---- begin and end of a part ---- */

/* Let the tracer see the thread. Its program may have changed its code in the meantime. */
static void enter(struct native_thread *thread)
{
	struct native_program *program = thread->program;

	native_part_count_time(thread);
	native_part_disarm(thread);
	atomic_fetch_add(&program->area->part_count, 1);
	program->mappings.stale = true;
	program->generation++;
	thread->unseen = false;
	thread->is_known = false;
	thread->handlers = 0;
	thread->window_left = 0;
}

void native_part_enter_function(struct native_thread *thread)
{
	void *place = (void *)(uintptr_t)thread->registers.rsp;

	enter(thread);
	thread->part_stack = thread->registers.rsp;
	thread->part_return = (uint64_t)ptrace(PTRACE_PEEKDATA, thread->thread, place, NULL);
}

void native_part_enter_window(struct native_thread *thread, uint32_t insns)
{
	enter(thread);
	thread->window_left = insns;
}

void native_part_leave(struct native_thread *thread)
{
	struct native_program *program = thread->program;

	if (thread->block)
		native_ring_add(program->area, program->feed, thread->ring,
				trace_record(TRACE_KIND_BREAK, thread->registers.rip));
	thread->unseen_since_ns = thread_time(thread);
	thread->unseen = true;
	thread->block = NULL;
	thread->is_known = false;
	thread->restarts = false;
	thread->window_left = 0;
}

bool native_part_advance(struct native_thread *thread, bool begins_handler)
{
	if (thread->window_left) {
		/* A window ends with a block, so that no block seems to be interrupted. */
		if (thread->window_left == 1)
			return thread->block && thread->insn + 1u == thread->block->insn_count;
		thread->window_left--;
		return false;
	}
	if (begins_handler)
		thread->handlers++;
	else if (thread->handlers && native_step_is_syscall(thread) &&
		 thread->prepared.general[0] == SYSCALL_RT_SIGRETURN)
		thread->handlers--;
	/* A handler may have a stack of its own, anywhere. */
	return thread->registers.rsp > thread->part_stack &&
	       (!thread->handlers || thread->registers.rip == thread->part_return);
}

/* ---- where functions are ---- */

void native_part_await_entry(struct native_program *program)
{
	Elf64_auxv_t entries[AUXILIARY_MAX];
	char path[32];
	ssize_t size = -1;
	int file;

	program->stop_count = 0;
	program->stops_known = false;
	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)program->process);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file >= 0) {
		size = takt_read_all(file, entries, sizeof(entries));
		close(file);
	}
	for (size_t i = 0; size > 0 && i < (size_t)size / sizeof(entries[0]); i++)
		if (entries[i].a_type == AT_ENTRY) {
			program->stops[0] = entries[i].a_un.a_val;
			program->stop_count = 1;
		}
}

static void add_stop(struct native_program *program, uint64_t address)
{
	for (uint32_t i = 0; i < program->stop_count; i++)
		if (program->stops[i] == address)
			return;
	if (program->stop_count == NATIVE_STOPS_MAX)
		atomic_store(&program->area->parts_failed, FEED_PARTS_TOO_MANY);
	else
		program->stops[program->stop_count++] = address;
}

/* Add the functions of a file, as far as this mapping has them. */
static void find_in_file(struct native_program *program, const struct native_mapping *mapping,
			 const struct place_file *file, const struct takt_trace_parts *parts)
{
	struct takt_arena arena = {0};

	for (size_t i = 0; i < file->symbol_count; i++) {
		const struct place_symbol *symbol = &file->symbols[i];
		uint64_t offset;

		if (!symbol->name || !place_file_offset(file, symbol->address, &offset) ||
		    offset < mapping->offset ||
		    offset - mapping->offset >= mapping->end - mapping->begin)
			continue;
		for (uint32_t k = 0; k < parts->function_count; k++) {
			if (!takt_symbol_is_called(symbol->name, parts->functions[k], &arena))
				continue;
			atomic_fetch_or(&program->area->functions_found, 1u << k);
			add_stop(program, mapping->begin + offset - mapping->offset);
		}
	}
	takt_arena_release(&arena);
}

void native_part_find_functions(struct native_program *program,
				const struct takt_trace_parts *parts)
{
	program->mappings.stale = true;
	native_mappings_update(&program->mappings, program->process, program->feed);
	program->stop_count = 0;
	program->stops_known = true;
	for (uint32_t i = 0; i < program->mappings.count; i++) {
		const struct native_mapping *mapping = &program->mappings.items[i];
		const char *path = feed_file_path(program->feed, mapping->file);
		struct place_file file;

		if (!path || !place_file_open(&file, path, NULL, 0))
			continue;
		place_symbols_read(&file);
		find_in_file(program, mapping, &file, parts);
		place_file_close(&file);
	}
}
