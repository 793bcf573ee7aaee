/* SPDX-License-Identifier: MIT */
/* pattern: erratic */
/* A list whose nodes are anywhere; mended: the same values in an array. */
#include "team.h"

#define COUNT 30000
#define ROUNDS 12

struct node {
	struct node *next;
	char others[112];
	uint64_t value;
};

static struct node nodes[COUNT];
static uint64_t values[COUNT];

/* One ring through all of them, in an order that looks random. */
static void link_nodes(void)
{
	static uint32_t order[COUNT];
	uint32_t state = 1;

	for (uint32_t i = 0; i < COUNT; i++)
		order[i] = i;
	for (uint32_t i = COUNT - 1; i > 0; i--) {
		uint32_t other = next_random(&state) % (i + 1), kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
	for (uint32_t i = 0; i < COUNT; i++)
		nodes[order[i]].next = &nodes[order[(i + 1) % COUNT]];
}

static uint64_t sum(void)
{
	uint64_t total = 0;
#ifdef MENDED
	for (int i = 0; i < COUNT; i++)
		total += values[i];
#else
	const struct node *node = nodes;

	for (int i = 0; i < COUNT; i++, node = node->next)
		total += node->value;
#endif
	return total;
}

int main(void)
{
	uint64_t total = 0;

#ifndef MENDED
	link_nodes();
#endif
	KEEP(values);
	for (int i = 0; i < ROUNDS; i++)
		total += sum();
	sink = (double)total;
	return 0;
}
