/* SPDX-License-Identifier: MIT */
/* Blocks that are loops, and what of them is measured instead of their own counter and branch. */
#include "../tap.h"
#include "cli/measure.h"

#if defined(__x86_64__)

/* clang-format off */
static const struct {
	int line;
	const char *what;
	bool is_loop;
	size_t unroll_bytes, loop_bytes;
	uint8_t size_bytes;
	uint8_t code[16];
} rows[] = {
	{__LINE__, "no branch", false, 3, 3, 3, {0x48, 0x01, 0xd8}},
	{__LINE__, "add, dec, jne", true, 6, 6, 8, {0x48, 0x01, 0xd8, 0x48, 0xff, 0xc9, 0x75, 0xf8}},
	{__LINE__, "a comparison of registers goes with the branch", true, 6, 3, 8,
	 {0x48, 0x01, 0xd8, 0x48, 0x39, 0xcb, 0x75, 0xf8}},
	{__LINE__, "and so does a test", true, 6, 3, 8,
	 {0x48, 0x01, 0xd8, 0x48, 0x85, 0xc9, 0x75, 0xf8}},
	{__LINE__, "a comparison with memory stays", true, 6, 6, 8,
	 {0x48, 0x01, 0xd8, 0x48, 0x3b, 0x0e, 0x75, 0xf8}},
	{__LINE__, "a comparison alone stays", true, 3, 3, 5, {0x48, 0x39, 0xcb, 0x75, 0xfb}},
	{__LINE__, "a branch of 6 bytes", true, 3, 3, 9,
	 {0x48, 0x01, 0xd8, 0x0f, 0x85, 0xf7, 0xff, 0xff, 0xff}},
	{__LINE__, "a branch to elsewhere", false, 5, 5, 5, {0x48, 0x01, 0xd8, 0x75, 0xfd}},
	{__LINE__, "a branch alone", false, 2, 2, 2, {0x75, 0xfe}},
	{__LINE__, "a number that looks like the distance", false, 4, 4, 4,
	 {0x48, 0x83, 0xc0, 0xfc}},
	{__LINE__, "no instruction", false, 4, 4, 4, {0x48, 0x06, 0x75, 0xfc}},
};
/* clang-format on */

int main(void)
{
	struct takt_loop_finder *finder = takt_loop_finder_new();

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_loop_body body =
			takt_loop_body_find(finder, rows[i].code, rows[i].size_bytes);

		tap_ok_at(__FILE__, rows[i].line,
			  body.is_loop == rows[i].is_loop &&
				  body.unroll_size_bytes == rows[i].unroll_bytes &&
				  body.loop_size_bytes == rows[i].loop_bytes,
			  "%s: %s of %zu bytes, %zu in a loop", rows[i].what,
			  body.is_loop ? "a loop" : "no loop", body.unroll_size_bytes,
			  body.loop_size_bytes);
	}
	takt_loop_finder_free(finder);
	return tap_done();
}
#else
int main(void)
{
	return tap_skip_all("the loops are code for x86-64");
}
#endif
