/* SPDX-License-Identifier: MIT */
/* pattern: control-flow */
/* Commands in an order that looks random; mended: grouped by their kind. */
#include "team.h"

#define COUNT 1024
#define ROUNDS 100

static uint8_t commands[COUNT];
static volatile uint32_t results[8];

__attribute__((noinline)) static void execute(uint32_t value)
{
	for (int i = 0; i < COUNT; i++) {
		switch (commands[i]) {
		case 0:
			results[0] = value + 1;
			break;
		case 1:
			results[1] = value ^ 5;
			break;
		case 2:
			results[2] = value << 2;
			break;
		case 3:
			results[3] = value - 9;
			break;
		case 4:
			results[4] = value * 3;
			break;
		case 5:
			results[5] = value & 77;
			break;
		case 6:
			results[6] = value | 6;
			break;
		default:
			results[7] = ~value;
			break;
		}
	}
}

int main(void)
{
	uint32_t state = 1;

	for (int i = 0; i < ROUNDS; i++) {
		for (int j = 0; j < COUNT; j++)
#ifdef MENDED
			commands[j] = (uint8_t)(j / (COUNT / 8));
#else
			commands[j] = next_random(&state) % 8;
#endif
		execute(state + (uint32_t)i);
	}
	return 0;
}
