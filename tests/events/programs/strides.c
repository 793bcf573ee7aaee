/* SPDX-License-Identifier: MIT */
/* Loops over 1 MiB whose strides are known. */
#define COUNT 131072

_Alignas(64) static volatile double values[COUNT];

__attribute__((noinline)) static double unit(double sum)
{
	for (int i = 0; i < COUNT; i++)
		sum += values[i];
	return sum;
}

__attribute__((noinline)) static double far(double sum)
{
	for (int i = 0; i < COUNT; i += 16)
		sum += values[i];
	return sum;
}

__attribute__((noinline)) static double erratic(double sum)
{
	unsigned at = 1;

	for (int i = 0; i < 10000; i++) {
		at = at * 1664525u + 1013904223u;
		sum += values[at >> 15];
	}
	return sum;
}

int main(int argc, char **argv)
{
	(void)argv;
	return unit(argc) + far(argc) + erratic(argc) < 1;
}
