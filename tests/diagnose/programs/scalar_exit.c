/* SPDX-License-Identifier: MIT */
/* pattern: scalar */
/* A loop that may end at each element; mended: the end is found before. */
#include "team.h"

#define COUNT 1024
#define ROUNDS 200

/* Not a multiple of 4 KiB apart. */
static struct {
	_Alignas(64) double from[COUNT], between[160], to[COUNT];
	int8_t more[1600], stops[COUNT];
} data;

#define from data.from
#define to data.to
#define stops data.stops

__attribute__((noinline)) static void add_up_to_stop(void)
{
#ifdef MENDED
	int end = 0;

	while (end < COUNT && !*(const int64_t *)(const void *)&stops[end])
		end += 8;
	for (int i = 0; i < end; i++)
		to[i] = (to[i] * 0.5 + from[i]) * (to[i] - from[i]);
#else
	for (int i = 0; i < COUNT && !stops[i]; i++)
		to[i] = (to[i] * 0.5 + from[i]) * (to[i] - from[i]);
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
