/* SPDX-License-Identifier: MIT */
/* Takes the child from fork() to the runner: mappings, signals, descriptors, sandbox. */
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

#include "measure/host.h"

#define HANDLER_RESTORER 0x04000000u

static void *pointer_to(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

/* Unregister the rseq area: the kernel writes to it at every context switch, and ends the process
 * if it cannot. */
static bool forget_rseq(void)
{
#if defined(RSEQ_SIG)
	static const unsigned sizes[] = {32, 64, 20, 24, 28};
	char *area = (char *)__builtin_thread_pointer() + __rseq_offset;

	if (__rseq_size == 0 ||
	    syscall(SYS_rseq, area, __rseq_size, RSEQ_FLAG_UNREGISTER, RSEQ_SIG) == 0)
		return true;
	for (size_t i = 0; i < TAKT_COUNT_OF(sizes); i++) /* the registered size is unknown */
		if (syscall(SYS_rseq, area, sizes[i], RSEQ_FLAG_UNREGISTER, RSEQ_SIG) == 0)
			return true;
	return false;
#else
	return true;
#endif
}

static bool map(uint64_t address, size_t size_bytes, int protection, int how, int fd,
		uint64_t offset)
{
	void *wanted = pointer_to(address);

	return mmap(wanted, size_bytes, protection, how | MAP_FIXED_NOREPLACE, fd, (off_t)offset) ==
	       wanted;
}

static bool map_layout(const struct takt_child *child)
{
	const struct {
		uint64_t address;
		uint32_t offset, size_bytes;
		int protection;
	} parts[] = {
		{child->base + TAKT_CHILD_CODE, TAKT_CHILD_CODE, TAKT_CHILD_CODE_BYTES,
		 PROT_READ | PROT_EXEC},
		{child->base + TAKT_CHILD_CONTROL, TAKT_CHILD_CONTROL, TAKT_CHILD_CONTROL_BYTES,
		 PROT_READ},
		{child->results_base, TAKT_CHILD_RESULTS, TAKT_CHILD_RESULTS_BYTES,
		 PROT_READ | PROT_WRITE},
		{child->base + TAKT_CHILD_STACK, TAKT_CHILD_STACK, TAKT_CHILD_STACK_BYTES,
		 PROT_READ | PROT_WRITE},
		{child->base + TAKT_CHILD_TEMPLATE, TAKT_CHILD_TEMPLATE, TAKT_PAGE_BYTES,
		 PROT_READ},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(parts); i++)
		if (!map(parts[i].address, parts[i].size_bytes, parts[i].protection,
			 MAP_SHARED | MAP_POPULATE, child->memfd, parts[i].offset))
			return false;
	return true;
}

/* Let the runner handle faults on a stack of its own; other signals are as in a new process. */
static bool handle_signals(uint64_t base)
{
	static const int handled[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
	struct { /* the kernel's format, since libc insists on its own restorer */
		uint64_t handler, flags, restorer, mask;
	} action = {0, 0, 0, 0};
	stack_t stack = {
		.ss_sp = pointer_to(base + TAKT_CHILD_STACK + TAKT_CHILD_STACK_BYTES / 2),
		.ss_size = TAKT_CHILD_STACK_BYTES / 2,
	};
	struct takt_runner runner;

	takt_host_runner(&runner);
	for (int number = 1; number < NSIG; number++)
		(void)!syscall(SYS_rt_sigaction, number, &action, NULL, sizeof(action.mask));
	action.handler = base + runner.handler;
	action.restorer = base + runner.restorer;
	action.flags = SA_SIGINFO | SA_ONSTACK | HANDLER_RESTORER;
	for (size_t i = 0; i < TAKT_COUNT_OF(handled); i++)
		if (syscall(SYS_rt_sigaction, handled[i], &action, NULL, sizeof(action.mask)) != 0)
			return false;
	return sigaltstack(&stack, NULL) == 0 &&
	       syscall(SYS_rt_sigprocmask, SIG_SETMASK, &action.mask, NULL, sizeof(action.mask)) !=
		       -1;
}

/* Join the namespaces, and keep only the descriptors of the memfd and of perf_event. */
static bool keep_descriptors(const struct takt_child *child)
{
	bool has_clock = child->options.clock != TAKT_CLOCK_ADD_CHAIN;
	int clock_fd = has_clock ? takt_clock_open() : -1;

	if (has_clock && (clock_fd < 0 || !map(child->base + TAKT_CHILD_CLOCK, TAKT_PAGE_BYTES,
					       PROT_READ, MAP_SHARED, clock_fd, 0)))
		return false;
	/* Moving one descriptor to its number must not overwrite the other. */
	if (clock_fd == TAKT_CHILD_MEMFD)
		clock_fd = dup(clock_fd);
	if (child->memfd != TAKT_CHILD_MEMFD && dup2(child->memfd, TAKT_CHILD_MEMFD) < 0)
		return false;
	if (has_clock && clock_fd != TAKT_CHILD_CLOCK_FD && dup2(clock_fd, TAKT_CHILD_CLOCK_FD) < 0)
		return false;
	takt_namespaces_join(child->namespaces); /* the clock is opened outside of them */
	return syscall(SYS_close_range, has_clock ? TAKT_CHILD_CLOCK_FD + 1 : 1, ~0u, 0) == 0;
}

#define HOLD_SLICES 2000u
#define HOLD_SLICE_NANOSECONDS 5000000

/* Wait until the parent has attached its counters; false if it takes too long. */
static bool wait_for_counters(const struct takt_child *child)
{
	static const struct timespec slice = {0, HOLD_SLICE_NANOSECONDS};
	uint32_t *hold = &child->control->hold;

	for (unsigned i = 0; i < HOLD_SLICES; i++) {
		if (!__atomic_load_n(hold, __ATOMIC_ACQUIRE))
			return true;
		syscall(SYS_futex, hold, FUTEX_WAIT, 1, &slice, NULL, 0);
	}
	return false;
}

void takt_child_enter(const struct takt_child *child, pid_t parent)
{
	bool reads_clock = child->options.clock == TAKT_CLOCK_PERF_READ;
	struct takt_runner runner;
	void (*start)(void);

	takt_host_runner(&runner);
	start = (void (*)(void))(uintptr_t)(child->base + runner.start);
	if (!map_layout(child))
		_exit(TAKT_CHILD_EXIT_TAKEN);
	/* The filter comes last: nothing that it forbids may be needed after it. */
	if (!wait_for_counters(child) || !forget_rseq() || !handle_signals(child->base) ||
	    !takt_pin(child->options.cpu) || !keep_descriptors(child) ||
	    !takt_host_find_results(child->results_base) ||
	    !takt_sandbox_enter(child->base, parent, reads_clock))
		_exit(TAKT_CHILD_EXIT_REFUSED);
	start();
	_exit(TAKT_CHILD_EXIT_REFUSED);
}
