/* SPDX-License-Identifier: MIT */
/* Blocks with accesses that cross a line or a page, on registers that point to a line's begin. */
#include <stdio.h>
#include <string.h>

#include "../tap.h"
#include "measure/measurer.h"

#define LAST_OF_PAGE 0xfe, 0x09 /* rsi points 0x600 bytes into a page */

struct row {
	int line;
	const char *name;
	uint32_t lines, pages; /* accesses of an iteration that cross one */
	uint8_t size_bytes;
	uint8_t code[16];
};

/* clang-format off */
static const struct row rows[] = {
	{__LINE__, "no access", 0, 0, 3, {0x48, 0x01, 0xd8}},
	{__LINE__, "a load up to the line's end", 0, 0, 3, {0x8b, 0x46, 0x3c}},
	{__LINE__, "a load beyond it", 1, 0, 3, {0x8b, 0x46, 0x3d}},
	{__LINE__, "a store beyond it", 1, 0, 3, {0x89, 0x46, 0x3d}},
	{__LINE__, "two, and one that does not", 2, 0, 9,
	 {0x8b, 0x46, 0x3d, 0x89, 0x56, 0x3f, 0x8b, 0x46, 0x10}},
	{__LINE__, "of 16 bytes", 1, 0, 4, {0x0f, 0x10, 0x46, 0x38}},
	{__LINE__, "an address that is only computed", 0, 0, 3, {0x8d, 0x46, 0x3d}},
	{__LINE__, "after the register has moved", 1, 0, 7,
	 {0x48, 0x83, 0xc6, 0x01, 0x8b, 0x46, 0x3c}},
	{__LINE__, "with an index that is 1", 1, 0, 9,
	 {0xba, 0x01, 0, 0, 0, 0x8b, 0x44, 0x16, 0x3c}},
	{__LINE__, "relative to rip, where operands are aligned", 0, 0, 6, {0x8b, 0x05, 0x38, 0x10, 0, 0}},
	{__LINE__, "a page, and so a line", 1, 1, 6, {0x8b, 0x86, LAST_OF_PAGE, 0, 0}},
};
/* clang-format on */

static void check(struct takt_measurer *measurer, const struct row *row, bool rejected)
{
	struct takt_measurement got;

	char reason[64] = "";

	if (rejected)
		snprintf(reason, sizeof(reason), "%u %s a line, %u a page", row->lines,
			 row->lines == 1 ? "access crosses" : "accesses cross", row->pages);
	takt_measure(measurer, row->code, row->size_bytes, &got);
	tap_ok_at(__FILE__, row->line,
		  (got.status == TAKT_MEASURE_CROSSING) == rejected &&
			  got.line_crossings == row->lines &&
			  (!rejected || strcmp(got.reason, reason) == 0),
		  "%s: %s (%s)", row->name, takt_measure_status_word(got.status), got.reason);
}

int main(void)
{
	const struct takt_measure_options of_lines = {.reject_line_crossing = true};
	const struct takt_measure_options of_pages = {.reject_page_crossing = true};
	struct takt_diag *diag = takt_diag_new();
	struct takt_measurer *measurer;

	if (takt_measurer_open(&of_lines, diag, &measurer) != TAKT_OK) {
		int status = tap_skip_all(takt_diag_text(diag));

		takt_diag_free(diag);
		return status;
	}
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check(measurer, &rows[i], rows[i].lines > 0);
	takt_measurer_close(measurer);
	if (takt_measurer_open(&of_pages, diag, &measurer) == TAKT_OK) {
		for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
			check(measurer, &rows[i], rows[i].pages > 0);
		takt_measurer_close(measurer);
	}
	takt_diag_free(diag);
	return tap_done();
}
