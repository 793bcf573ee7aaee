/* SPDX-License-Identifier: MIT */
/* Pointer chase: every load waits for the one before. */
#include <stddef.h>

struct node {
	struct node *next;
	long value;
};

long list_sum(const struct node *node);

long list_sum(const struct node *node)
{
	long sum = 0;

	for (; node; node = node->next)
		sum += node->value;
	return sum;
}
