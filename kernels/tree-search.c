/* SPDX-License-Identifier: MIT */
/*
 * keys looked for in a binary tree
 * VARIANTS: KEY=int,double,uint64_t BRANCH=0,1
 */
#include "kernel.h"

#define N 255
#define WANTED 256
#ifndef KEY
#define KEY int
#endif
#ifndef BRANCH
#define BRANCH 0
#endif

struct node {
	const struct node *child[2];
	KEY key;
};

DATA struct node nodes[N];
DATA KEY wanted[WANTED];
DATA uint8_t found[WANTED];
static const struct node *root;

static const struct node *build(int first, int last)
{
	int middle = (first + last) / 2;

	if (first > last)
		return NULL;
	nodes[middle].child[0] = build(first, middle - 1);
	nodes[middle].child[1] = build(middle + 1, last);
	return &nodes[middle];
}

INIT
{
	uint32_t seed = 1;

	FOR(i, 0, N)
		nodes[i].key = (KEY)(3 * i);
	FOR(i, 0, WANTED)
		wanted[i] = (KEY)(kernel_random(&seed) % (3 * N));
	root = build(0, N - 1);
}

KERNEL
{
	FOR(i, 0, WANTED) {
		const struct node *node = root;

		while (node && (node->key < wanted[i] || node->key > wanted[i])) {
#if BRANCH
			if (wanted[i] > node->key)
				node = node->child[1];
			else
				node = node->child[0];
#else
			node = node->child[wanted[i] > node->key];
#endif
		}
		found[i] = node != NULL;
	}
}

CHECK
{
	FOR(i, 0, WANTED)
		if (found[i] != ((int)wanted[i] % 3 == 0))
			return false;
	return true;
}
