/* SPDX-License-Identifier: MIT */
/* Some seven million instructions in phases of different speed, some short, some long. */
#include <stdint.h>

static uint32_t cells[4096];

__attribute__((noinline)) static uint32_t chain(uint32_t value, uint32_t turns)
{
	for (uint32_t i = 0; i < turns; i++)
		value = value * 2654435761u + i;
	return value;
}

__attribute__((noinline)) static void stream(uint32_t turns)
{
	for (uint32_t i = 0; i < turns; i++)
		cells[i % 4096] += i;
}

__attribute__((noinline)) static uint32_t divide(uint32_t value, uint32_t turns)
{
	for (uint32_t i = 0; i < turns; i++)
		value = 4000000000u / (value % 1000 + 1);
	return value;
}

int main(void)
{
	uint32_t value = 1;

	for (uint32_t i = 0; i < 600; i++) {
		value = chain(value, value % 3000);
		stream(value % 2000);
		if (value % 4 == 0)
			value = divide(value, 500);
	}
	return value == 0;
}
