/* SPDX-License-Identifier: MIT */
/* pattern: scalar */
/* A loop that may end at each element; mended: the end is found before. */
#include "team.h"

#define COUNT 1024
#define ROUNDS 200

_Alignas(64) static double from[COUNT], to[COUNT];
_Alignas(64) static int8_t stops[COUNT];

__attribute__((noinline)) static void add_up_to_stop(void)
{
#ifdef MENDED
	int end = 0;

	while (end < COUNT && !*(const int64_t *)(const void *)&stops[end])
		end += 8;
	for (int i = 0; i < end; i++)
		to[i] = to[i] * 0.5 + from[i];
#else
	for (int i = 0; i < COUNT && !stops[i]; i++)
		to[i] = to[i] * 0.5 + from[i];
#endif
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		KEEP(from);
		KEEP(stops);
		add_up_to_stop();
	}
	sink = to[3];
	return 0;
}
