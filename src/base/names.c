/* SPDX-License-Identifier: MIT */
/* Suggestions for a mistyped name; string and hash helpers. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define NAME_LENGTH_MAX 64u

struct candidate {
	const char *name;
	unsigned distance;
};

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;

	return least < c ? least : c;
}

/*
 * Return the edit distance without regard to case; a swap of neighbours is one edit. Inputs are
 * cut to NAME_LENGTH_MAX. Three rows of the table are kept.
 */
static unsigned edit_distance(const char *left, const char *right)
{
	unsigned rows[3][NAME_LENGTH_MAX + 1];
	size_t left_length = strnlen(left, NAME_LENGTH_MAX);
	size_t right_length = strnlen(right, NAME_LENGTH_MAX);

	for (size_t j = 0; j <= right_length; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= left_length; i++) {
		const unsigned *before = rows[(i - 1) % 3], *earlier = rows[(i + 1) % 3];
		unsigned *row = rows[i % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= right_length; j++) {
			char a = takt_to_lower(left[i - 1]), b = takt_to_lower(right[j - 1]);

			row[j] = min3(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b));
			if (i > 1 && j > 1 && a == takt_to_lower(right[j - 2]) &&
			    takt_to_lower(left[i - 2]) == b && earlier[j - 2] + 1 < row[j])
				row[j] = earlier[j - 2] + 1;
		}
	}
	return rows[left_length % 3][right_length];
}

TAKT_ORDER(compare_candidates, struct candidate, TAKT_UP(distance), TAKT_ALPHABETIC(name));

/* Return the edit distance of a name close enough to be meant, or UINT32_MAX. */
static unsigned closeness(const char *wanted, const char *name)
{
	size_t length = strlen(wanted);
	unsigned distance = edit_distance(wanted, name);

	if (distance <= (length + 2) / 3)
		return distance;
	if (length >= 3 && takt_compare_nocase(wanted, name, length) == 0)
		return distance;
	return UINT32_MAX;
}

size_t takt_nearest_names(const char *wanted, const char *const *names, size_t name_count,
			  size_t most, struct takt_text *text)
{
	struct candidate *found = takt_xcalloc(name_count, sizeof(*found));
	size_t count = 0;

	for (size_t i = 0; i < name_count; i++) {
		unsigned distance = closeness(wanted, names[i]);

		if (distance != UINT32_MAX)
			found[count++] = (struct candidate){names[i], distance};
	}
	qsort(found, count, sizeof(*found), compare_candidates);
	if (count > most)
		count = most;
	for (size_t i = 0; i < count; i++) {
		const char *before = i == 0 ? "" : i + 1 == count ? " or " : ", ";

		takt_text_printf(text, "%s'%s'", before, found[i].name);
	}
	free(found);
	return count;
}

uint64_t takt_hash64(uint64_t value)
{
	value ^= value >> 32;
	value *= 0x9e3779b97f4a7c15u;
	value ^= value >> 29;
	value *= 0xbf58476d1ce4e5b9u;
	return value ^ value >> 32;
}

uint64_t takt_hash_bytes(const void *data, size_t size_bytes)
{
	const uint8_t *bytes = data;
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < size_bytes; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return takt_hash64(hash);
}

int takt_compare_strings(const void *left, const void *right)
{
	const char *const *a = left;
	const char *const *b = right;

	return strcmp(*a, *b);
}

int takt_compare_keys(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

void takt_sort_doubles(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
}

bool takt_string_same(const char *left, const char *right)
{
	return left && right ? strcmp(left, right) == 0 : left == right;
}

bool takt_string_equal_nocase(const char *left, const char *right)
{
	return takt_compare_nocase(left, right, SIZE_MAX) == 0;
}

int takt_compare_text(const char *string, const char *text, size_t size_bytes)
{
	int order = strncmp(string, text, size_bytes);

	if (order)
		return order;
	/* The text may hold NULs, at which strncmp() stops. */
	return strnlen(string, size_bytes) < size_bytes ? -1 : string[size_bytes] != '\0';
}

bool takt_string_is(const char *string, const char *text, size_t size_bytes)
{
	return strlen(string) == size_bytes && memcmp(string, text, size_bytes) == 0;
}

bool takt_string_starts(const char *string, const char *start)
{
	return strncmp(string, start, strlen(start)) == 0;
}

bool takt_string_ends(const char *string, const char *end)
{
	size_t size = strlen(string), end_size = strlen(end);

	return size >= end_size && strcmp(string + size - end_size, end) == 0;
}

uint64_t takt_greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

const char *takt_path_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

int takt_hex_digit(char c)
{
	c = takt_to_lower(c);
	return takt_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool takt_string_is_one_of(const char *string, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(string, words[i]) == 0)
			return true;
	return false;
}
