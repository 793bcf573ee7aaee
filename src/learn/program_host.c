/* SPDX-License-Identifier: MIT */
/* Runs a program on this host, and times it in cycles of a chain of additions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "learn/program.h"

#define REPEATS 7u
#define TRIES_MAX 300u
#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define CLOCK_AGREES 0.03 /* two looks at the clock that differ by more: the frequency changed */
#define CLOCK_ADDITIONS 100000u

#if defined(__x86_64__)

#include <x86intrin.h>

/* Code and data of a program in memory. */
struct loaded {
	uint8_t *code, *data;
	size_t code_bytes, data_bytes;
	uint8_t *start; /* address that rsi gets */
};

/* Return the time-stamp counter's ticks of a cycle: an addition takes one. */
static double ticks_of_cycle(void)
{
	uint64_t from = __rdtsc(), count = CLOCK_ADDITIONS / 100;

	__asm__ volatile("1:\n\t.rept 100\n\tadd %%rdx, %%rax\n\t.endr\n\tdec %0\n\tjnz 1b"
			 : "+r"(count)
			 :
			 : "rax", "rdx", "cc");
	return (double)(__rdtsc() - from) / CLOCK_ADDITIONS;
}

/* Write entry, body and exit. The function takes the start, the count of turns and a
 * random number. */
static void write_code(const struct learn_program *program, uint8_t *code)
{
	static const uint8_t entry[] = {0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41,
					0x56, 0x41, 0x57, 0x49, 0x89, 0xf7, /* mov r15, rsi */
					0x48, 0x89, 0xfe,		    /* mov rsi, rdi */
					0x48, 0x89, 0xd0};		    /* mov rax, rdx */
	static const uint8_t leave[] = {0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d,
					0x41, 0x5c, 0x5d, 0x5b, 0xc3};
	size_t at = TAKT_LINE_BYTES - sizeof(entry);

	/* The body begins at a line, as it does in the simulator. */
	memset(code, 0x90, at);
	memcpy(code + at, entry, sizeof(entry));
	memcpy(code + TAKT_LINE_BYTES, program->code.bytes, program->code.size_bytes);
	memcpy(code + TAKT_LINE_BYTES + program->exit, leave, sizeof(leave));
}

static void unload(struct loaded *loaded)
{
	if (loaded->code)
		munmap(loaded->code, loaded->code_bytes);
	if (loaded->data)
		munmap(loaded->data, loaded->data_bytes);
}

static uint8_t *map(size_t size_bytes)
{
	void *memory =
		mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static bool load(const struct learn_program *program, struct loaded *loaded)
{
	*loaded = (struct loaded){.code_bytes = program->code.size_bytes + 2 * TAKT_LINE_BYTES,
				  .data_bytes = program->data_bytes + 2 * HUGE_PAGE_BYTES};
	loaded->code = map(loaded->code_bytes);
	loaded->data = map(loaded->data_bytes);
	if (!loaded->code || !loaded->data)
		return false;
	write_code(program, loaded->code);
	if (mprotect(loaded->code, loaded->code_bytes, PROT_READ | PROT_EXEC) != 0)
		return false;
	madvise(loaded->data, loaded->data_bytes,
		program->huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	loaded->start = (uint8_t *)(((uintptr_t)loaded->data + HUGE_PAGE_BYTES - 1) &
				    ~(uintptr_t)(HUGE_PAGE_BYTES - 1));
	for (size_t i = 0; i < program->pointer_count; i++) {
		uint8_t *target = loaded->start + program->pointers[i].target;

		memcpy(loaded->start + program->pointers[i].at, &target, sizeof(target));
	}
	loaded->start += program->start;
	return true;
}

/* Run the program, and return the cycles of an item; NaN if the clock changed. */
static double time_once(const struct learn_program *program, const struct loaded *loaded,
			uint64_t number)
{
	uint64_t turns = program->turns * program->rounds;
	void (*enter)(void *start, uint64_t count, uint64_t number);
	const void *address = loaded->code;
	double before = ticks_of_cycle(), ticks, after;
	uint64_t from;

	memcpy(&enter, &address, sizeof(enter));
	from = __rdtsc();
	enter(loaded->start, turns, number);
	ticks = (double)(__rdtsc() - from);
	after = ticks_of_cycle();
	if (fabs(after / before - 1) > CLOCK_AGREES)
		return NAN;
	return ticks * 2 / (before + after) / ((double)program->items * program->rounds);
}

static int by_value(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void time_loaded(const struct learn_program *program, const struct loaded *loaded,
			struct learn_timing *ret_timing)
{
	double times[REPEATS];
	unsigned count = 0;

	for (uint32_t i = 0; i < program->warm_rounds; i += program->rounds)
		(void)time_once(program, loaded, program->seed);
	for (unsigned i = 0; i < TRIES_MAX && count < REPEATS; i++) {
		/* A predictor could remember numbers that come again. */
		times[count] = time_once(program, loaded, takt_hash64(program->seed + i));
		count += times[count] > 0;
	}
	if (count < REPEATS)
		return;
	qsort(times, REPEATS, sizeof(*times), by_value);
	*ret_timing = (struct learn_timing){.cycles = times[REPEATS / 2],
					    .spread = (times[REPEATS - 2] - times[1]) /
						      times[REPEATS / 2],
					    .outcome = LEARN_GOOD};
}

void learn_program_measure(const struct learn_program *program, struct learn_timing *ret_timing)
{
	struct loaded loaded;

	*ret_timing = (struct learn_timing){.cycles = NAN, .outcome = LEARN_FAILED};
	if (load(program, &loaded))
		time_loaded(program, &loaded, ret_timing);
	unload(&loaded);
}

#else

void learn_program_measure(const struct learn_program *program, struct learn_timing *ret_timing)
{
	(void)program;
	*ret_timing = (struct learn_timing){.cycles = NAN, .outcome = LEARN_FAILED};
}

#endif
