/* SPDX-License-Identifier: MIT */
/* What a function that is called may still do: compute, and have memory. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/call.h"
#include "measure/lock.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE 0 /* which no system call has */
#endif

#define CPU_SECONDS_MAX 3600u
#define STACK_BYTES_MAX ((rlim_t)64 << 20)

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define ALLOW RETURN(SECCOMP_RET_ALLOW)
#define TRAP RETURN(SECCOMP_RET_TRAP) /* SIGSYS, whose handler reports the number */
/* The next instruction is for this system call. */
#define CASE(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1)
/* Goes on if none of the bits of an argument is set. */
#define REQUIRE_CLEAR(index, bits) \
	LOAD(args[index]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), TRAP
#define REQUIRE_EQUAL(index, value) \
	LOAD(args[index]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 1, 0), TRAP
#define CASE_OF(number, size) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, (size))

/* Memory, but none that is executable; the time; the end. */
static bool filter_calls(int clock_fd)
{
	struct sock_filter filter[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
		CASE(SYS_exit_group), ALLOW,
		CASE(SYS_brk), ALLOW,
		CASE(SYS_munmap), ALLOW,
		CASE(SYS_madvise), ALLOW,
		CASE(SYS_clock_gettime), ALLOW,
		CASE(SYS_rt_sigreturn), ALLOW,
		CASE_OF(SYS_mmap, 3 + 3 + 1),
		REQUIRE_CLEAR(2, PROT_EXEC),
		REQUIRE_EQUAL(4, (uint32_t)-1),
		ALLOW,
		CASE_OF(SYS_mprotect, 3 + 1),
		REQUIRE_CLEAR(2, PROT_EXEC),
		ALLOW,
		CASE_OF(SYS_read, 3 + 1),
		REQUIRE_EQUAL(0, (uint32_t)clock_fd),
		ALLOW,
		TRAP,
	};

	return takt_filter_install(filter, TAKT_COUNT_OF(filter));
}

static bool limit(void)
{
	static const struct takt_limit limits[] = {
		{RLIMIT_CPU, CPU_SECONDS_MAX}, {RLIMIT_NPROC, 0},     {RLIMIT_FSIZE, 0},
		{RLIMIT_CORE, 0},              {RLIMIT_NOFILE, 0},    {RLIMIT_MEMLOCK, 0},
		{RLIMIT_MSGQUEUE, 0},          {RLIMIT_STACK, STACK_BYTES_MAX},
	};

	return takt_limits_set(limits, TAKT_COUNT_OF(limits));
}

static bool close_descriptors(int clock_fd)
{
	unsigned kept = (unsigned)clock_fd;

	if (clock_fd < 0)
		return syscall(SYS_close_range, 0u, ~0u, 0) == 0;
	return (kept == 0 || syscall(SYS_close_range, 0u, kept - 1, 0) == 0) &&
	       syscall(SYS_close_range, kept + 1, ~0u, 0) == 0;
}

bool takt_call_sandbox_enter(int clock_fd)
{
	/* Not everyone may; the filter allows nothing that needs it. */
	(void)!unshare(CLONE_NEWNET | CLONE_NEWIPC);
	return close_descriptors(clock_fd) && limit() &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && filter_calls(clock_fd);
}
