/* SPDX-License-Identifier: MIT */
/* The sandbox of a called function, which may only compute and have memory. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/call.h"
#include "measure/child.h"

#define STACK_BYTES_MAX ((rlim_t)64 << 20)
#define LIBRARY_FILES_MAX 64
#define USED_BYTES_UNKNOWN ((uint64_t)1 << 40)

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define ALLOW RETURN(SECCOMP_RET_ALLOW)
#define TRAP RETURN(SECCOMP_RET_TRAP) /* raise SIGSYS; its handler reports the number */
/* The next instruction is for this system call. */
#define CASE(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1)
/* Continue if none of these bits of an argument is set, else trap. */
#define REQUIRE_CLEAR(index, bits)                                                                 \
	LOAD(args[index]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), TRAP
#define REQUIRE_EQUAL(index, value)                                                                \
	LOAD(args[index]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 1, 0), TRAP
#define CASE_OF(number, size) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, (size))

/* Allow madvise() to give memory back. Other advice fails with EINVAL, which callers can ignore as
 * it is only a hint. */
#define ALLOW_ADVICE                                                                               \
	CASE_OF(SYS_madvise, 4), LOAD(args[2]),                                                    \
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_DONTNEED, 0, 1), ALLOW,                   \
		RETURN(SECCOMP_RET_ERRNO | EINVAL)
/* Allow the process to end, to manage its memory, and to read the time. */
#define ALLOW_ALWAYS                                                                               \
	CASE(SYS_exit_group), ALLOW, CASE(SYS_brk), ALLOW, CASE(SYS_munmap), ALLOW,                \
		CASE(SYS_clock_gettime), ALLOW, CASE(SYS_rt_sigreturn), ALLOW, ALLOW_ADVICE
#define REQUIRE_ARCHITECTURE                                                                       \
	LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TAKT_AUDIT_ARCHITECTURE, 1, 0),            \
		RETURN(SECCOMP_RET_KILL_PROCESS), LOAD(nr)

/* Install the filter for calls: besides what is always allowed, memory that is not executable, and
 * reading the clock. */
static bool filter_calls(int clock_fd)
{
	struct sock_filter filter[] = {
		REQUIRE_ARCHITECTURE,
		ALLOW_ALWAYS,
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

/* Install the filter for loading an object, which only takt's own code does: relocated code must
 * become executable. */
static bool filter_object(int clock_fd)
{
	struct sock_filter filter[] = {
		REQUIRE_ARCHITECTURE,
		ALLOW_ALWAYS,
		CASE(SYS_seccomp),
		ALLOW,
		CASE(SYS_mprotect),
		ALLOW,
		CASE_OF(SYS_mmap, 3 + 3 + 1),
		REQUIRE_CLEAR(2, PROT_EXEC),
		REQUIRE_EQUAL(4, (uint32_t)-1),
		ALLOW,
		CASE_OF(SYS_read, 3 + 1),
		REQUIRE_EQUAL(0, (uint32_t)clock_fd),
		ALLOW,
		TRAP,
	};

	return takt_filter_install(filter, TAKT_COUNT_OF(filter));
}

#define NOT_TO_READ (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))

/* Install the filter for loading a library, while the dynamic loader and constructors run: files
 * may be read, too, and their code executed. */
static bool filter_library(void)
{
	struct sock_filter filter[] = {
		REQUIRE_ARCHITECTURE,
		ALLOW_ALWAYS,
		CASE(SYS_seccomp),
		ALLOW,
		CASE(SYS_mprotect),
		ALLOW,
		CASE(SYS_mmap),
		ALLOW,
		CASE(SYS_read),
		ALLOW,
		CASE(SYS_pread64),
		ALLOW,
		CASE(SYS_lseek),
		ALLOW,
		CASE(SYS_close),
		ALLOW,
		CASE(SYS_fstat),
		ALLOW,
		CASE(SYS_newfstatat),
		ALLOW,
#if defined(SYS_readlink)
		CASE(SYS_readlink),
		ALLOW,
#endif
		CASE(SYS_readlinkat),
		ALLOW,
		CASE(SYS_getrandom),
		ALLOW,
		CASE(SYS_getpid),
		ALLOW,
		CASE(SYS_gettid),
		ALLOW,
		CASE(SYS_uname),
		ALLOW,
		CASE(SYS_sched_getaffinity),
		ALLOW,
		CASE_OF(SYS_openat, 3 + 1),
		REQUIRE_CLEAR(2, NOT_TO_READ),
		ALLOW,
		TRAP,
	};

	return takt_filter_install(filter, TAKT_COUNT_OF(filter));
}

/* Return the bytes of address space in use, which depend on the libraries that takt has loaded. */
static uint64_t used_bytes(void)
{
	char line[128];
	uint64_t pages;

	takt_first_line(line, sizeof(line), "/proc/self/statm");
	pages = strtoull(line, NULL, 10);
	return pages ? pages * (uint64_t)sysconf(_SC_PAGESIZE) : USED_BYTES_UNKNOWN;
}

static bool limit(bool is_library, uint64_t memory_bytes)
{
	const struct takt_limit limits[] = {
		{RLIMIT_CPU, TAKT_CHILD_CPU_SECONDS_MAX},
		{RLIMIT_NPROC, 0},
		{RLIMIT_FSIZE, 0},
		{RLIMIT_CORE, 0},
		{RLIMIT_NOFILE, is_library ? LIBRARY_FILES_MAX : 0},
		{RLIMIT_MEMLOCK, 0},
		{RLIMIT_MSGQUEUE, 0},
		{RLIMIT_SIGPENDING, 16},
		{RLIMIT_STACK, STACK_BYTES_MAX},
		{RLIMIT_AS, used_bytes() + memory_bytes},
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

bool takt_call_sandbox_enter(int clock_fd, const int *namespaces, bool is_library,
			     uint64_t memory_bytes)
{
	/* Setting the limit on memory reads a file, so it comes before files are forbidden. */
	if (!limit(is_library, memory_bytes))
		return false;
	takt_namespaces_join(namespaces);
	takt_capabilities_drop();
	return close_descriptors(clock_fd) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
	       (is_library ? filter_library() : filter_object(clock_fd));
}

bool takt_call_sandbox_close(int clock_fd)
{
	return filter_calls(clock_fd);
}
