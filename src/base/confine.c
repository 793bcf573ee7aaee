/* SPDX-License-Identifier: MIT */
/*
 * Confinement of processes that handle hostile input. The functions make system calls only, so
 * that they may run after fork().
 */
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"

bool takt_limits_set(const struct takt_limit *limits, size_t count)
{
	bool fine = true;

	for (size_t i = 0; i < count; i++) {
		struct rlimit both = {limits[i].most, limits[i].most};

		fine = syscall(SYS_prlimit64, 0, limits[i].resource, &both, NULL) == 0 && fine;
	}
	return fine;
}

bool takt_pin(uint32_t cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus) == 0;
}

void takt_capabilities_drop(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}};

	(void)!syscall(SYS_capset, &header, none);
}

bool takt_filter_install(struct sock_filter *filter, size_t count)
{
	struct sock_fprog program = {.len = (unsigned short)count, .filter = filter};

	/* Without SPEC_ALLOW, older kernels disable store bypassing, which changes timings. */
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		       &program) == 0;
}
