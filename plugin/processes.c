/* SPDX-License-Identifier: MIT */
/*
 * Counts the guest's child processes, which are not traced. qemu creates them when the guest calls
 * fork, vfork or clone without CLONE_THREAD; posix_spawn uses one of these. qemu does not implement
 * clone3.
 */
#include "plugin.h"

#define GUEST_CLONE_THREAD 0x10000

enum call { CALL_CLONE, CALL_FORK, CALL_VFORK, CALL_COUNT };

/* Numbers of the calls: those of x86, then of the other instruction sets, which have clone only. */
static const int64_t numbers[2][CALL_COUNT] = {{56, 57, 58}, {220, 220, 220}};

/* [thread] True if its current system call creates a process when it succeeds. */
static bool makes_process[FEED_RINGS];

void processes_begin(bool is_x86, unsigned vcpu, int64_t number, uint64_t flags)
{
	bool makes = false;

	if (number == numbers[!is_x86][CALL_CLONE])
		makes = !(flags & GUEST_CLONE_THREAD);
	else if (is_x86)
		makes = number == numbers[0][CALL_FORK] || number == numbers[0][CALL_VFORK];
	makes_process[vcpu % FEED_RINGS] = makes;
}

/* The child returns from the call, too, with result 0; only the parent counts the process. */
void processes_end(unsigned vcpu, int64_t result)
{
	if (makes_process[vcpu % FEED_RINGS] && result > 0)
		atomic_fetch_add(&feed->processes, 1);
	makes_process[vcpu % FEED_RINGS] = false;
}
