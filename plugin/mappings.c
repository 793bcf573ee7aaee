/* SPDX-License-Identifier: MIT */
/* Memory that the guest gets from the kernel: its heap, and anonymous mappings. */
#include <pthread.h>

#include "plugin.h"

/* Flags of Linux, the same for all instruction sets that takt traces. */
#define GUEST_MAP_ANONYMOUS 0x20
#define GUEST_MAP_STACK 0x20000
#define ERRORS 4095u

enum call { CALL_MMAP, CALL_MREMAP, CALL_BRK, CALL_COUNT };

/* Numbers of the calls: those of x86, then those of the other instruction sets. */
static const int64_t numbers[2][CALL_COUNT] = {{9, 25, 12}, {222, 216, 214}};

/* [thread] Bytes that its current system call maps; 0 for other calls. */
static uint64_t wanted_bytes[FEED_RINGS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_call(bool is_x86, int64_t number, enum call call)
{
	return number == numbers[!is_x86][call];
}

void mappings_begin(bool is_x86, unsigned vcpu, int64_t number, const uint64_t arguments[4])
{
	uint64_t *wanted = &wanted_bytes[vcpu % FEED_RINGS];

	*wanted = 0;
	if (is_call(is_x86, number, CALL_MREMAP))
		*wanted = arguments[2];
	if (is_call(is_x86, number, CALL_MMAP) && arguments[3] & GUEST_MAP_ANONYMOUS &&
	    !(arguments[3] & GUEST_MAP_STACK))
		*wanted = arguments[1];
}

void mappings_end(bool is_x86, unsigned vcpu, int64_t number, int64_t result)
{
	uint64_t begin = (uint64_t)result, size = wanted_bytes[vcpu % FEED_RINGS];
	bool is_break = is_call(is_x86, number, CALL_BRK);

	if ((!is_break && !size) || begin > UINT64_MAX - ERRORS)
		return;
	pthread_mutex_lock(&lock);
	if (is_break)
		feed_move_break(feed, begin);
	else
		feed_add_mapping(feed, begin, begin + size);
	pthread_mutex_unlock(&lock);
	wanted_bytes[vcpu % FEED_RINGS] = 0;
}

void mappings_lock(void)
{
	pthread_mutex_lock(&lock);
}

void mappings_unlock(void)
{
	pthread_mutex_unlock(&lock);
}
