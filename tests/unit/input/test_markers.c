/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#define NOP3 0x64, 0x67, 0x90
#define BEGIN 0xbb, 111, 0, 0, 0, NOP3
#define END 0xbb, 222, 0, 0, 0, NOP3
#define INC 0xff, 0xc0
#define RET 0xc3

#define REGIONS_MAX 3

struct region {
	uint64_t address;
	size_t size;
};

struct row {
	int line;
	const char *what;
	unsigned char text[64];
	size_t size;
	struct region regions[REGIONS_MAX]; /* ended by size 0 */
	const char *error;
};

static const struct row rows[] = {
	{__LINE__, "mov ebx", {INC, BEGIN, INC, INC, END, RET}, 23, {{10, 4}}, NULL},
	{__LINE__,
	 "two",
	 {BEGIN, INC, END, BEGIN, INC, INC, END, RET},
	 39,
	 {{8, 2}, {26, 4}},
	 NULL},
	{__LINE__,
	 "long mov",
	 {0xc7, 0xc3, 111, 0, 0, 0, NOP3, INC, 0xc7, 0xc3, 222, 0, 0, 0, NOP3},
	 20,
	 {{9, 2}},
	 NULL},
	{__LINE__,
	 "mov rbx",
	 {0x48, 0xc7, 0xc3, 111, 0, 0, 0, NOP3, INC, 0x48, 0xc7, 0xc3, 222, 0, 0, 0, NOP3},
	 22,
	 {{10, 2}},
	 NULL},
	{__LINE__,
	 "mov bx",
	 {0x66, 0xbb, 111, 0, NOP3, INC, 0x66, 0xbb, 222, 0, NOP3},
	 16,
	 {{7, 2}},
	 NULL},
	{__LINE__,
	 "gs store",
	 {0x65, 0xc6, 0x04, 0x25, 111, 0, 0, 0, 111, INC, 0x65, 0xc6, 0x04, 0x25, 222, 0, 0, 0,
	  222},
	 20,
	 {{9, 2}},
	 NULL},
	{__LINE__,
	 "gs store through al",
	 {0xb0, 111, 0x65, 0x88, 0x04, 0x25, 111, 0, 0, 0, INC,
	  0xb0, 222, 0x65, 0x88, 0x04, 0x25, 222, 0, 0, 0},
	 22,
	 {{10, 2}},
	 NULL},
	{__LINE__,
	 "nested: without the inner markers",
	 {BEGIN, INC, BEGIN, INC, INC, END, INC, END},
	 40,
	 {{8, 8}, {18, 4}},
	 NULL},
	{__LINE__,
	 "no end",
	 {INC, BEGIN, INC, RET},
	 13,
	 {{0}},
	 "x:raw+0x2: error: begin marker without an end marker after it\n"
	 "       0x2 | bb 6f 00 00 00 64 67 90 ff c0 c3\n           | ^~\nnote: put the end "
	 "marker"},
	{__LINE__,
	 "no begin",
	 {INC, END, INC, RET},
	 13,
	 {{0}},
	 "x:raw+0x2: error: end marker without a begin marker before it"},
	{__LINE__, "another number is no marker", {0xbb, 112, 0, 0, 0, NOP3, INC}, 10, {{0}}, NULL},
};

static void check(const struct row *row)
{
	struct opened opened = open_data(row->text, row->size,
					 (struct takt_code_options){.format = TAKT_INPUT_RAW});

	if (row->error) {
		tap_ok_at(__FILE__, row->line,
			  opened.status == TAKT_BAD_INPUT && says(&opened, row->error), "%s",
			  row->what);
	} else if (!row->regions[0].size) {
		tap_ok_at(__FILE__, row->line,
			  opened.count == 1 && region_at(&opened, 0)->origin == TAKT_REGION_WHOLE,
			  "%s", row->what);
	}
	for (size_t i = 0; i < REGIONS_MAX && row->regions[i].size; i++)
		tap_ok_at(__FILE__, row->line,
			  i < opened.count && region_at(&opened, i)->origin == TAKT_REGION_MARKER &&
				  region_at(&opened, i)->address == row->regions[i].address &&
				  region_at(&opened, i)->size_bytes == row->regions[i].size,
			  "%s: region %zu", row->what, i);
	close_opened(&opened);
}

/* A loop around its begin marker: the branch back leads to the marker, which goes. */
static void test_branch_to_marker(void)
{
	static const unsigned char text[] = {BEGIN, INC, 0x75, (unsigned char)-12, END, RET};
	static const unsigned char want[] = {INC, 0x75, (unsigned char)-4};
	struct opened opened =
		open_data(text, sizeof(text), (struct takt_code_options){.format = TAKT_INPUT_RAW});

	ok(opened.count == 1 && region_at(&opened, 0)->size_bytes == sizeof(want) &&
		   memcmp(region_at(&opened, 0)->bytes, want, sizeof(want)) == 0,
	   "a branch to the marker leads to the region");
	is_string(region_at(&opened, 0)->name, "marker 1", "name");
	close_opened(&opened);
}

/* OSACA's markers, and with a true nop; a loop around the first. */
static void test_aarch64(void)
{
	static const uint32_t text[] = {
		0xd503201f, 0xd2800de1, 0x1f2003d5, /* mov x1, #111 */
		0x91000400, 0xf100043f,		    /* add, cmp */
		0x54ffff81,			    /* b.ne to the marker */
		0xd2801bc1, 0x1f2003d5,		    /* mov x1, #222 */
		0x52800de1, 0xd503201f, 0x8b020020, 0x52801bc1, 0xd503201f,
	};
	struct takt_code_options options = {.format = TAKT_INPUT_RAW, .isa = "aarch64"};
	static const uint32_t want[] = {0x91000400, 0xf100043f, 0x54ffffc1};
	struct opened opened = open_data(text, sizeof(text), options);

	is_size(opened.count, 2, "AArch64 markers");
	ok(region_at(&opened, 0)->size_bytes == sizeof(want) &&
		   memcmp(region_at(&opened, 0)->bytes, want, sizeof(want)) == 0,
	   "the branch leads to the region");
	ok(region_at(&opened, 1)->address == 40 && region_at(&opened, 1)->size_bytes == 4,
	   "the second");
	close_opened(&opened);
	opened = open_data(text, 24, options);
	ok(opened.status == TAKT_BAD_INPUT && says(&opened, "mov x1, #222; bytes 213 3 32 31"),
	   "no end");
	close_opened(&opened);
}

static void test_depth(void)
{
	static const unsigned char begin[] = {BEGIN}, end[] = {END};
	unsigned char text[40 * sizeof(begin)];
	struct opened opened;

	for (size_t i = 0; i < 40; i++)
		memcpy(text + i * sizeof(begin), i < 20 ? begin : end, sizeof(begin));
	opened =
		open_data(text, sizeof(text), (struct takt_code_options){.format = TAKT_INPUT_RAW});
	is_int(opened.status, TAKT_BAD_INPUT, "20 deep");
	close_opened(&opened);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check(&rows[i]);
	test_branch_to_marker();
	test_aarch64();
	test_depth();
	return tap_done();
}
