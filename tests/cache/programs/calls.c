/* SPDX-License-Identifier: MIT */
/* More code than small instruction caches hold, entered here and there. */
#include "start.h"

static unsigned values[16];

#define FUNCTION(n)                                                                          \
	__attribute__((noinline)) static unsigned f##n(unsigned x)                            \
	{                                                                                    \
		for (int i = 0; i < (n) % 7; i++)                                             \
			values[(x + (n)) % 16] += x * (n) ^ values[i];                        \
		return x * 31 + (n) * values[(n) % 16];                                       \
	}
#define NAME(n) f##n,
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define ALL(X)                                                                               \
	TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5) TEN(X, 6) TEN(X, 7) TEN(X, 8) TEN(X, 9) \
	TEN(X, 10) TEN(X, 11) TEN(X, 12) TEN(X, 13) TEN(X, 14) TEN(X, 15) TEN(X, 16) TEN(X, 17)

ALL(FUNCTION)

static unsigned (*const functions[])(unsigned) = {ALL(NAME)};

int program(void)
{
	unsigned x = 1;

	for (int i = 0; i < 8000; i++)
		x = functions[x / 64 % (sizeof(functions) / sizeof(functions[0]))](x);
	return x & 1;
}
