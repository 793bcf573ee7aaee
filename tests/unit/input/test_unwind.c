/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#define WORD(value) (value) & 0xff, (value) >> 8 & 0xff, (value) >> 16 & 0xff, (value) >> 24 & 0xff
#define HEAD 1, 0x1b, 0x03, 0x3b, WORD(0)

struct row {
	int line;
	const char *what;
	unsigned char data[32];
	size_t size, count;
};

static const struct row rows[] = {
	{__LINE__, "two functions", {HEAD, WORD(2), WORD(16), WORD(0), WORD(0x20), WORD(0)}, 28, 2},
	{__LINE__, "none", {HEAD, WORD(0)}, 12, 0},
	{__LINE__, "too short", {HEAD}, 8, 0},
	{__LINE__, "empty", {0}, 0, 0},
	{__LINE__,
	 "count beyond the data",
	 {HEAD, WORD(3), WORD(16), WORD(0), WORD(32), WORD(0)},
	 28,
	 0},
	{__LINE__, "huge count", {HEAD, WORD(0xffffffffu), WORD(16), WORD(0)}, 20, 0},
	{__LINE__, "unsorted", {HEAD, WORD(2), WORD(32), WORD(0), WORD(16), WORD(0)}, 28, 0},
	{__LINE__,
	 "another version",
	 {2, 0x1b, 3, 0x3b, WORD(0), WORD(1), WORD(1), WORD(1)},
	 20,
	 0},
	{__LINE__,
	 "another encoding",
	 {1, 0x1b, 3, 0x2b, WORD(0), WORD(1), WORD(1), WORD(1)},
	 20,
	 0},
};

int main(void)
{
	struct takt_arena arena = {0};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_image image = {0};

		takt_unwind_read(rows[i].data, rows[i].size, 0x1000, &arena, &image);
		tap_ok_at(__FILE__, rows[i].line, image.start_count == rows[i].count, "%s",
			  rows[i].what);
		if (image.start_count == 2)
			ok(image.starts[0] == 0x1010 && image.starts[1] == 0x1020, "addresses");
	}
	takt_arena_release(&arena);
	return tap_done();
}
