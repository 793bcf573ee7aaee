/* SPDX-License-Identifier: MIT */
/*
 * The guest's child processes. qemu makes them by fork() when the guest calls fork, vfork or clone
 * without CLONE_THREAD; posix_spawn uses one of these. qemu does not implement clone3. The thread
 * that calls is the only one in the child, and still the same virtual processor.
 */
#include <pthread.h>

#include "plugin.h"

#define GUEST_CLONE_THREAD 0x10000

enum call { CALL_CLONE, CALL_FORK, CALL_VFORK, CALL_EXIT_GROUP, CALL_COUNT };

/* Numbers of the calls: those of x86, then of the other instruction sets, which have clone only. */
static const int64_t numbers[2][CALL_COUNT] = {{56, 57, 58, 231}, {220, 220, 220, 94}};

static _Atomic uint32_t thread_count;
/* This thread: its processor; true if its system call makes a process; the slot for that. */
static __thread unsigned own_vcpu;
static __thread bool makes_process;
static __thread uint32_t child_slot = FEED_NO_SLOT;

uint32_t processes_new_thread(void)
{
	return atomic_fetch_add(&thread_count, 1);
}

static bool makes(bool is_x86, int64_t number, uint64_t flags)
{
	if (number == numbers[!is_x86][CALL_CLONE])
		return !(flags & GUEST_CLONE_THREAD);
	return is_x86 && (number == numbers[0][CALL_FORK] || number == numbers[0][CALL_VFORK]);
}

void processes_begin(bool is_x86, unsigned vcpu, int64_t number, uint64_t argument)
{
	if (number == numbers[!is_x86][CALL_EXIT_GROUP])
		atomic_store(&feed->exit_status, 1 + (argument & 255));
	makes_process = makes(is_x86, number, argument);
	if (!makes_process)
		return;
	own_vcpu = vcpu;
	child_slot = slot_reserve(FEED_FORKED);
}

/* The child returns from the call, too, with result 0; only the parent counts the process. */
void processes_end(int64_t result)
{
	if (!makes_process)
		return;
	makes_process = false;
	if (result > 0 && child_slot == FEED_NO_SLOT)
		atomic_fetch_add(&area->processes, 1);
	if (result < 0)
		slot_give_back(child_slot);
	child_slot = FEED_NO_SLOT;
}

static void before_fork(void)
{
	blocks_lock();
	places_lock();
	mappings_lock();
}

static void after_fork(void)
{
	mappings_unlock();
	places_unlock();
	blocks_unlock();
}

static void begin_child(void)
{
	uint32_t known = blocks_count();

	after_fork();
	atomic_store(&thread_count, 1);
	feed_enter(child_slot, own_vcpu, known);
	makes_process = false;
	child_slot = FEED_NO_SLOT;
}

bool processes_init(void)
{
	return pthread_atfork(before_fork, after_fork, begin_child) == 0;
}
