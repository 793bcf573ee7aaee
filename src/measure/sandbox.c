/* SPDX-License-Identifier: MIT */
/*
 * Takes rights away from the child before it runs anything. All of it happens after fork() of a
 * process that may have had threads, so it uses only system calls and memory that is there already.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/child.h"

#define ADDRESS_SPACE_MAX_BYTES ((rlim_t)1 << 31) /* it includes a loaded image */

#define LOW_HALF(member) offsetof(struct seccomp_data, member)
#define HIGH_HALF(member) (offsetof(struct seccomp_data, member) + 4)
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REQUIRE(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 1, 0), KILL
#define MASK(bits) BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (bits))
/* Require an argument to be this 32-bit number in all 64 bits; these are six instructions. */
#define REQUIRE_ARGUMENT(index, value)                                                             \
	LOAD(LOW_HALF(args[index])), REQUIRE(value), LOAD(HIGH_HALF(args[index])), REQUIRE(0)
#define ARGUMENT_SIZE 6
/* The next `size` instructions are for this system call. */
#define CASE(number, size) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, (size))

/*
 * Install the filter of system calls. Calls are allowed from the runner's page only, and are
 * restricted so that a block that jumps there gains nothing: it can wait, unmap its own memory, or
 * map one of PAGES somewhere else.
 */
static bool filter_calls(uint64_t base, bool reads_clock)
{
	uint32_t read_call = reads_clock ? SYS_read : UINT32_MAX;
	struct sock_filter filter[] = {
		LOAD(offsetof(struct seccomp_data, arch)),
		REQUIRE(TAKT_AUDIT_ARCHITECTURE),
		LOAD(HIGH_HALF(instruction_pointer)),
		REQUIRE((uint32_t)(base >> 32)),
		LOAD(LOW_HALF(instruction_pointer)),
		MASK(~(TAKT_CHILD_RUNNER_BYTES - 1)),
		REQUIRE((uint32_t)base),
		LOAD(offsetof(struct seccomp_data, nr)),
		CASE(SYS_rt_sigreturn, 1),
		ALLOW,
		CASE(SYS_munmap, 1),
		ALLOW,
		CASE(SYS_futex, 5),
		LOAD(LOW_HALF(args[1])),
		MASK(~(uint32_t)(FUTEX_WAIT | FUTEX_WAKE)),
		REQUIRE(0),
		ALLOW,
		CASE(SYS_mmap, 5 * ARGUMENT_SIZE + 2),
		REQUIRE_ARGUMENT(1, TAKT_PAGE_BYTES),
		REQUIRE_ARGUMENT(2, PROT_READ | PROT_WRITE),
		REQUIRE_ARGUMENT(3, TAKT_CHILD_MAP_HOW),
		REQUIRE_ARGUMENT(4, TAKT_CHILD_MEMFD),
		LOAD(LOW_HALF(args[5])),
		MASK(~((TAKT_CHILD_PAGE_COUNT - 1) * TAKT_PAGE_BYTES)),
		REQUIRE(TAKT_CHILD_PAGES),
		LOAD(HIGH_HALF(args[5])),
		REQUIRE(0),
		ALLOW,
		CASE(read_call, 2 * ARGUMENT_SIZE + 1),
		REQUIRE_ARGUMENT(0, TAKT_CHILD_CLOCK_FD),
		REQUIRE_ARGUMENT(2, sizeof(uint64_t)),
		ALLOW,
		KILL,
	};

	return takt_filter_install(filter, TAKT_COUNT_OF(filter));
}

static bool limit(void)
{
	static const struct takt_limit limits[] = {
		{RLIMIT_CPU, TAKT_CHILD_CPU_SECONDS_MAX},
		{RLIMIT_AS, ADDRESS_SPACE_MAX_BYTES},
		{RLIMIT_NPROC, 0},
		{RLIMIT_FSIZE, 0},
		{RLIMIT_CORE, 0},
		{RLIMIT_NOFILE, 0},
		{RLIMIT_MEMLOCK, 0},
		{RLIMIT_MSGQUEUE, 0},
		{RLIMIT_SIGPENDING, 16},
	};

	return takt_limits_set(limits, TAKT_COUNT_OF(limits));
}

bool takt_sandbox_enter(uint64_t base, pid_t parent, bool reads_clock)
{
	setpgid(0, 0);
	takt_capabilities_drop();
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
	       prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && getppid() == parent && limit() &&
	       filter_calls(base, reads_clock);
}
