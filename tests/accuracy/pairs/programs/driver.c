/* SPDX-License-Identifier: MIT */
/*
 * Runs a program:
 *
 *	PROGRAM N              N iterations; prints the checksum
 *	PROGRAM --time ROUNDS  an iteration per round, timed; prints a line for each
 *
 * A line holds ticks of the time stamp counter: of the iteration; of a chain of CHAIN_ADDS
 * dependent additions, one cycle each, before and after it, which say how long a cycle is; and
 * of as many additions in four chains, before and after, which take a quarter of that unless
 * another hardware thread of the same core is busy.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define CHAIN_ADDS 65536 /* as many in four chains as in one */
#define WARM_UP 5

static inline uint64_t ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

static uint64_t time_chain(void)
{
	uint64_t a = 0, count = CHAIN_ADDS / 32, start = ticks();

	__asm__ volatile("1:\n"
			 ".rept 32\n"
			 "add %2, %0\n"
			 ".endr\n"
			 "dec %1\n"
			 "jnz 1b\n"
			 : "+r"(a), "+r"(count)
			 : "r"(start));
	return ticks() - start;
}

static uint64_t time_wide(void)
{
	uint64_t a = 0, b = 0, c = 0, d = 0, count = CHAIN_ADDS / 32, start = ticks();

	__asm__ volatile("1:\n"
			 ".rept 8\n"
			 "add %5, %0\n"
			 "add %5, %1\n"
			 "add %5, %2\n"
			 "add %5, %3\n"
			 ".endr\n"
			 "dec %4\n"
			 "jnz 1b\n"
			 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(count)
			 : "r"(start));
	return ticks() - start;
}

static void append(char *text, size_t size, size_t *used, const char *more)
{
	size_t length = strlen(more), left = size - *used;

	if (length > left)
		length = left;
	memcpy(text + *used, more, length);
	*used += length;
}

void program_text(char *text, size_t size)
{
	static const char *const words[] = {
		"connection", "from",	 "accepted", "server",	 "client",   "request", "the",
		"of",	      "timeout", "closed",   "warning:", "error:",   "retry",	"in",
		"handler",    "worker",	 "thread",   "message",	 "received", "sent",	"bytes",
		"to",	      "queue",	 "a",	     "is",	 "full",     "not",	"known",
	};
	uint64_t state = 1;
	size_t used = 0;
	char number[32];

	for (uint32_t line = 0; used < size; line++) {
		snprintf(number, sizeof(number), "[%08u] ", line * 17 + random_next(&state) % 17);
		append(text, size, &used, number);
		for (uint32_t word = 4 + random_next(&state) % 12; word; word--) {
			append(text, size, &used, words[random_next(&state) % ARRAY_COUNT(words)]);
			append(text, size, &used, " ");
		}
		snprintf(number, sizeof(number), "%u\n", random_next(&state) % 10000);
		append(text, size, &used, number);
	}
}

static void must_equal(uint64_t got, uint64_t want)
{
	if (got == want)
		return;
	fprintf(stderr, "error: an iteration gave %016llx, the first one %016llx\n",
		(unsigned long long)got, (unsigned long long)want);
	exit(1);
}

static void time_rounds(unsigned long rounds)
{
	uint64_t checksum = program_work();

	for (int i = 0; i < WARM_UP; i++)
		must_equal(program_work(), checksum);
	while (rounds--) {
		uint64_t chain[2], wide[2], start, end, got;

		chain[0] = time_chain();
		wide[0] = time_wide();
		start = ticks();
		got = program_work();
		end = ticks();
		chain[1] = time_chain();
		wide[1] = time_wide();
		must_equal(got, checksum);
		printf("%llu %llu %llu %llu %llu\n", (unsigned long long)(end - start),
		       (unsigned long long)chain[0], (unsigned long long)chain[1],
		       (unsigned long long)wide[0], (unsigned long long)wide[1]);
	}
}

int main(int argc, char **argv)
{
	uint64_t checksum, iterations;

	if (argc < 2) {
		fprintf(stderr, "usage: %s N, or %s --time ROUNDS\n", argv[0], argv[0]);
		return 2;
	}
	program_setup();
	if (argc > 2) {
		time_rounds(strtoul(argv[2], NULL, 10));
		return 0;
	}
	iterations = strtoul(argv[1], NULL, 10);
	checksum = program_work();
	while (iterations-- > 1)
		must_equal(program_work(), checksum);
	printf("%016llx\n", (unsigned long long)checksum);
	return 0;
}
