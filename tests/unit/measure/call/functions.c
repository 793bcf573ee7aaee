/* SPDX-License-Identifier: MIT */
/* What test_call.c calls, compiled in several ways. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

uint64_t multiply(uint64_t trips);
double add_up(const double *values, uint64_t count);
int expect(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f);
int use_everything(double *values);
void make_system_call(void);
void read_nowhere(const volatile int *memory);
int divide(int left, int right);
void run_forever(void);
void overflow_stack(volatile char *memory);
void advise(void);
void take_memory(void);
uint64_t square(double *values);

extern char **environ;

static double table[4] = {1, 2, 3, 4};
static uint64_t calls;
static uint64_t (*const pointer)(uint64_t) = multiply;
uint64_t common_or_bss;

/* Three cycles a trip: a chain of multiplications, on every x86-64 core of the last decade. */
uint64_t multiply(uint64_t trips)
{
	uint64_t value = 3;

	for (uint64_t i = 0; i < trips; i++) {
		value *= value;
		__asm__ volatile("" : "+r"(value));
	}
	return value;
}

double add_up(const double *values, uint64_t count)
{
	double sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += values[i];
	return sum;
}

/* The arguments arrive: any other sequence aborts. */
int expect(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	if (a != 1 || b != 2 || c != 0x10 || d != (uint64_t)-4 || e != 5 || f != UINT64_MAX)
		abort();
	return 0;
}

/* A jump table, as most compilers would have it. */
static int choose(uint64_t which)
{
	switch (which) {
	case 0:
		return 5;
	case 1:
		return 77;
	case 2:
		return 3;
	case 3:
		return 9;
	case 4:
		return 123;
	case 5:
		return 4;
	default:
		return 0;
	}
}

/* Data, constants, pointers, libraries: what relocations are for. */
int use_everything(double *values)
{
	char text[32];
	void *memory = malloc(100);

	memset(text, 0, sizeof(text));
	snprintf(text, sizeof(text), "%d", choose(calls % 7));
	if (values[0] != 1.5 || values[7] != 1.5 || (uintptr_t)values % 64 != 0)
		abort();
	table[calls++ & 3] += exp(values[0]) + (double)strlen(text);
	common_or_bss += pointer(2);
	if (pointer(2) != 3 * 3 * 3 * 3 || !environ || !stdout || isnan(table[0]))
		abort();
	free(memory);
	return (int)table[0];
}

void make_system_call(void)
{
	if (write(1, "escaped\n", 8) < 0)
		calls++;
}

void read_nowhere(const volatile int *memory)
{
	(void)*memory;
}

int divide(int left, int right)
{
	return left / right;
}

void run_forever(void)
{
	for (;;)
		__asm__ volatile("");
}

void overflow_stack(volatile char *memory)
{
	volatile char large[65536];

	large[0] = memory[0];
	if (large[0] != 1)
		overflow_stack(large);
	large[1] = 1;
}

/* Giving memory back is allowed; advice that would harm the machine is not, nor is any other. */
void advise(void)
{
	static char memory[8192] __attribute__((aligned(4096)));

	if (madvise(memory, 4096, MADV_DONTNEED) != 0 ||
	    madvise(memory, 4096, MADV_HWPOISON) == 0 || madvise(memory, 4096, MADV_MERGEABLE) == 0)
		abort();
}

/* More than anybody may have. */
void take_memory(void)
{
	void *memory = mmap(NULL, (size_t)1 << 36, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory != MAP_FAILED)
		abort();
}

/* Called again and again, leaves the range of doubles. */
uint64_t square(double *values)
{
	values[0] = values[0] * values[0];
	return 0;
}
