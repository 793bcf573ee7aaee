/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "../tap.h"
#include "base/base.h"

static void test_bisect(void)
{
	static const int sorted[] = {1, 3, 3, 7};
	static const struct {
		int wanted;
		uint32_t before, after; /* index of the first that is not less, and that is more */
	} rows[] = {{0, 0, 0}, {1, 0, 1}, {2, 1, 1}, {3, 1, 3}, {7, 3, 4}, {8, 4, 4}};
	uint32_t at;

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		TAKT_BISECT(at, (uint32_t)TAKT_COUNT_OF(sorted), sorted[at] < rows[i].wanted);
		is_int(at, rows[i].before, "the first that is not less");
		TAKT_BISECT(at, (uint32_t)TAKT_COUNT_OF(sorted), sorted[at] <= rows[i].wanted);
		is_int(at, rows[i].after, "the first that is more");
	}
	TAKT_BISECT(at, 0, sorted[at] < 1);
	is_int(at, 0, "of none");
}

static void test_small(void)
{
	is_int(takt_word_at((const uint8_t[]){1, 2, 3, 4}), 0x04030201, "a number of four bytes");
	ok(takt_string_same(NULL, NULL) && takt_string_same("a", "a"), "equal");
	ok(!takt_string_same("a", NULL) && !takt_string_same("a", "b"), "not equal");
	is_int((long long)takt_greatest_common_divisor(12, 18), 6, "common divisor");
	is_int((long long)takt_greatest_common_divisor(5, 0), 5, "of a number and 0");
	is_int(takt_hex_digit('9'), 9, "a digit");
	is_int(takt_hex_digit('a'), 10, "a small letter");
	is_int(takt_hex_digit('F'), 15, "a capital letter");
	is_int(takt_hex_digit('g'), -1, "no digit");
	is_int(takt_hex_digit('/'), -1, "no digit either");
	is_string(takt_path_name("/lib/libc.so.6"), "libc.so.6", "a path's last part");
	is_string(takt_path_name("kernel.s"), "kernel.s", "a name without a folder");
	ok(!takt_path_name(NULL), "no path");
	ok(takt_string_ends("kernel.s", ".s"), "ends so");
	ok(takt_string_ends(".s", ".s"), "is the end");
	ok(!takt_string_ends("s", ".s"), "is shorter");
	ok(!takt_string_ends("kernel.so", ".s"), "ends otherwise");
}

static void test_texts(void)
{
	ok(takt_string_is("ret", "return", 3), "three characters");
	ok(!takt_string_is("ret", "return", 4), "more than the string has");
	ok(!takt_string_is("ret", "return", 2), "fewer than the string has");
	ok(!takt_string_is("ret", "re\0", 3), "a NUL is not the end");
	is_int(takt_compare_text("ret", "return", 3), 0, "equal");
	ok(takt_compare_text("ret", "return", 6) < 0, "a longer text is behind");
	ok(takt_compare_text("ret", "return", 2) > 0, "a shorter one is before");
	ok(takt_compare_text("ret", "ret\0", 4) < 0, "so is a string before a NUL");
}

static void test_sorting(void)
{
	double values[] = {2, -1, 1e300, 0.5};
	uint64_t keys[][2] = {{UINT64_MAX, 1}, {0, 2}, {1, 3}};

	takt_sort_doubles(values, TAKT_COUNT_OF(values));
	ok(values[0] == -1 && values[1] == 0.5 && values[2] == 2 && values[3] == 1e300, "numbers");
	qsort(keys, TAKT_COUNT_OF(keys), sizeof(*keys), takt_compare_keys);
	ok(keys[0][1] == 2 && keys[1][1] == 3 && keys[2][1] == 1, "what begins with a key");
}

int main(void)
{
	test_bisect();
	test_texts();
	test_sorting();
	test_small();
	return tap_done();
}
