/* SPDX-License-Identifier: MIT */
/*
 * sum over a linked list whose nodes are in no order
 * VARIANTS: UNROLL=0,2,4 VALUE=int,double,int64_t
 */
#include "kernel.h"

#define N 512
#ifndef VALUE
#define VALUE int
#endif

struct node {
	struct node *next;
	VALUE value;
};

DATA struct node nodes[N];
static VALUE result;

/* 205 and N have no common divisor: all nodes are in the list. */
INIT
{
	FOR(i, 0, N) {
		nodes[i * 205 % N].next = i + 1 < N ? &nodes[(i + 1) * 205 % N] : NULL;
		nodes[i].value = (VALUE)(i % 37);
	}
}

KERNEL
{
	VALUE sum = 0;

	UNROLLED
	for (const struct node *node = nodes; node; node = node->next)
		sum += node->value;
	result = sum;
}

CHECK
{
	VALUE sum = 0;

	FOR(i, 0, N)
		sum += (VALUE)(i % 37);
	return !(result < sum) && !(result > sum);
}
