/* SPDX-License-Identifier: MIT */
/* pattern: strided */
/* One member of each of many records; mended: that member apart. */
#include "team.h"

#define COUNT 40000
#define ROUNDS 10

struct record {
	float price, others[35];
};

static struct record records[COUNT];
static float prices[COUNT];

__attribute__((noinline)) static void raise_prices(void)
{
	for (int i = 0; i < COUNT; i++)
#ifdef MENDED
		prices[i] += 1;
#else
		records[i].price += 1;
#endif
}

int main(void)
{
	KEEP(records);
	KEEP(prices);
	for (int i = 0; i < ROUNDS; i++)
		raise_prices();
	sink = records[3].price + prices[3];
	return 0;
}
