/* SPDX-License-Identifier: MIT */
/* A pointer chase through packed nodes, which are read and written. */
#include "start.h"

enum { NODES = 8192, STEPS = 40000 };

struct node {
	char tag;
	unsigned next;
	long value;
} __attribute__((packed));

static struct node nodes[NODES];

int program(void)
{
	unsigned at = 0;

	/* A linear congruence with full period visits all nodes. */
	for (unsigned i = 0; i < NODES; i++)
		nodes[i].next = (i * 1229 + 4813) % NODES;
	for (int i = 0; i < STEPS; i++) {
		nodes[at].value += i;
		at = nodes[at].next;
		if (i % 3 == 0)
			nodes[at].tag = 1;
	}
	return at & 1;
}
