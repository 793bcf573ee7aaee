/* SPDX-License-Identifier: MIT */
/*
 * Calls of all kinds, in known numbers. With an argument, that library's function `work` is called
 * ten times too.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>

#define NOINLINE __attribute__((noinline, noclone))

static jmp_buf place;
static volatile long sum;

NOINLINE static void leaf(int count)
{
	for (int i = 0; i < count; i++)
		sum += i;
}

NOINLINE static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

NOINLINE static void jump_back(int depth)
{
	if (depth == 0)
		longjmp(place, 1);
	jump_back(depth - 1);
	sum++;
}

NOINLINE static void nested(int rows, int columns)
{
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			sum += i ^ j;
}

static void handler(int number)
{
	(void)number;
	leaf(10);
}

int main(int argc, char **argv)
{
	signal(SIGUSR1, handler);
	for (volatile int i = 0; i < 20; i++) {
		if (!setjmp(place))
			jump_back(5);
		leaf(100);
	}
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	nested(100, 50);
	sum += fibonacci(15);
	if (argc > 1) {
		void *library = dlopen(argv[1], RTLD_NOW);
		int (*work)(int) = library ? (int (*)(int))dlsym(library, "work") : 0;

		for (int i = 0; work && i < 10; i++)
			sum += work(i);
	}
	return 0;
}
