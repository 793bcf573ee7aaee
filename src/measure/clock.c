/* SPDX-License-Identifier: MIT */
/* The kernel's cycle counter (perf_event), if there is one, and the choice of a clock. */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/child.h"

int takt_clock_open(void)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.pinned = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* True if user space may read the counter of `fd` with rdpmc, and the counter is running. */
static bool reads_in_user_space(int fd)
{
	const struct perf_event_mmap_page *page;
	bool allowed;

	page = mmap(NULL, TAKT_PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return false;
	allowed = page->cap_user_rdpmc && page->index != 0;
	munmap((void *)(uintptr_t)page, TAKT_PAGE_BYTES);
	return allowed;
}

enum takt_clock takt_clock_choose(enum takt_clock wanted)
{
	enum takt_clock best = TAKT_CLOCK_ADD_CHAIN;
	uint64_t cycles;
	int fd;

	if (wanted == TAKT_CLOCK_ADD_CHAIN)
		return wanted;
	fd = takt_clock_open();
	if (fd >= 0) {
		if (read(fd, &cycles, sizeof(cycles)) == (ssize_t)sizeof(cycles))
			best = reads_in_user_space(fd) ? TAKT_CLOCK_PERF_RDPMC
						       : TAKT_CLOCK_PERF_READ;
		close(fd);
	}
	if (wanted == TAKT_CLOCK_PERF_READ && best == TAKT_CLOCK_PERF_RDPMC)
		return wanted;
	return wanted == TAKT_CLOCK_AUTO || wanted == best ? best : TAKT_CLOCK_AUTO;
}
