/* SPDX-License-Identifier: MIT */
/*
 * order: comparisons for qsort(), by keys of which the first that differs decides.
 *
 *	TAKT_ORDER(compare_edges, struct edge, TAKT_UP(from), TAKT_DOWN(cycles));
 *
 * A key is an expression of the elements `a` and `b`: negative if `a` comes first, 0 if they are
 * equal. It is written twice into the code, so it has no effects.
 */
#ifndef TAKT_BASE_ORDER_H
#define TAKT_BASE_ORDER_H

#include <string.h> /* strcmp() of TAKT_ALPHABETIC() */

/* A member that has < and >: the smaller first, or the larger. */
#define TAKT_UP(member) ((a->member > b->member) - (a->member < b->member))
#define TAKT_DOWN(member) ((a->member < b->member) - (a->member > b->member))
/* A member that is a string. */
#define TAKT_ALPHABETIC(member) strcmp(a->member, b->member)

#define TAKT_KEYS_1(key) (key)
#define TAKT_KEYS_2(key, ...) ((key) ? (key) : TAKT_KEYS_1(__VA_ARGS__))
#define TAKT_KEYS_3(key, ...) ((key) ? (key) : TAKT_KEYS_2(__VA_ARGS__))
#define TAKT_KEYS_4(key, ...) ((key) ? (key) : TAKT_KEYS_3(__VA_ARGS__))
#define TAKT_KEYS_5(key, ...) ((key) ? (key) : TAKT_KEYS_4(__VA_ARGS__))
#define TAKT_KEYS_OF(first, second, third, fourth, fifth, keys, ...) keys
#define TAKT_KEYS(...)                                                                             \
	TAKT_KEYS_OF(__VA_ARGS__, TAKT_KEYS_5, TAKT_KEYS_4, TAKT_KEYS_3, TAKT_KEYS_2, TAKT_KEYS_1, \
		     0)                                                                            \
	(__VA_ARGS__)

/* Define the function; the declaration after it takes the semicolon. */
#define TAKT_ORDER(name, type, ...)                                                                \
	static int name(const void *left, const void *right)                                       \
	{                                                                                          \
		const type *a = left, *b = right;                                                  \
                                                                                                   \
		return TAKT_KEYS(__VA_ARGS__);                                                     \
	}                                                                                          \
	static int name(const void *left, const void *right)

/* The same for an array of pointers to what has the keys. */
#define TAKT_ORDER_POINTERS(name, type, ...)                                                       \
	static int name(const void *left, const void *right)                                       \
	{                                                                                          \
		const type *a = *(const type *const *)left, *b = *(const type *const *)right;      \
                                                                                                   \
		return TAKT_KEYS(__VA_ARGS__);                                                     \
	}                                                                                          \
	static int name(const void *left, const void *right)

#endif
