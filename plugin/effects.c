/* SPDX-License-Identifier: MIT */
/*
 * System calls of x86-64 that others may see: what the program writes, sends, makes or takes from
 * its standard input. As long as there was none, it can be begun again and nobody notices.
 */
#include <fcntl.h>
#include <unistd.h>

#include "plugin.h"

enum call {
	CALL_READ = 0,
	CALL_OPEN = 2,
	CALL_IOCTL = 16,
	CALL_READV = 19,
	CALL_CLONE = 56,
	CALL_OPENAT = 257
};

#define TERMINAL_SETTINGS 0x5401u /* TCGETS: asks what the terminal is */
#define TERMINAL_SIZE 0x5413u	  /* TIOCGWINSZ */
#define THREAD_FLAG 0x10000u	  /* CLONE_THREAD */

/* Calls that change at most the process itself, whatever their arguments are; ascending. */
static const uint16_t harmless[] = {
	3,   4,	  5,   6,   8,	 9,   10,  11,	12,  13,  14,  17,  21,	 24,  25,  27,	28,
	32,  33,  35,  39,  60,	 63,  72,  79,	89,  96,  97,  98,  99,	 100, 102, 104, 107,
	108, 110, 111, 121, 124, 131, 137, 138, 157, 158, 186, 191, 201, 202, 203, 204, 217,
	218, 228, 229, 230, 231, 262, 267, 269, 273, 302, 309, 318, 332, 334, 435, 439,
};

static bool is_harmless(int64_t number)
{
	for (unsigned i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (harmless[i] == number)
			return true;
	return false;
}

static bool only_reads(uint64_t flags)
{
	return (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY;
}

/* True if reading standard input again gives the same: it is a file, whose offset can be reset. */
static bool input_can_be_reset(void)
{
	return lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0;
}

void effects_note(bool is_x86, int64_t number, const uint64_t arguments[4])
{
	bool unseen;

	if (!is_x86 || atomic_load_explicit(&area->acted, memory_order_relaxed))
		return;
	switch (number) {
	case CALL_READ:
	case CALL_READV:
		unseen = arguments[0] != STDIN_FILENO || input_can_be_reset();
		break;
	case CALL_OPEN:
		unseen = only_reads(arguments[1]);
		break;
	case CALL_OPENAT:
		unseen = only_reads(arguments[2]);
		break;
	case CALL_IOCTL:
		unseen = arguments[1] == TERMINAL_SETTINGS || arguments[1] == TERMINAL_SIZE;
		break;
	case CALL_CLONE:
		unseen = (arguments[0] & THREAD_FLAG) != 0;
		break;
	default:
		unseen = is_harmless(number);
		break;
	}
	if (!unseen)
		atomic_store(&area->acted, 1);
}
