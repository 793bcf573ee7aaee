/* SPDX-License-Identifier: MIT */
/* Text tables of declared records: alignment, numbers, and values that are null. */
#include "../tap.h"
#include "base/columns.h"

struct row {
	const char *name, *comment;
	double share;
	uint32_t count;
	bool fine;
};

static struct takt_value twice(const struct takt_view *view, const void *record)
{
	takt_text_printf(view->scratch, "%u of", 2 * ((const struct row *)record)->count);
	return takt_value_string(view->scratch->data);
}

#define RECORD struct row
static const struct takt_field fields[] = {
	TAKT_FIELD("name", name, NULL, "A name."),
	TAKT_FIELD("percent", share, "%", "A share.", .factor = 100, .flags = TAKT_NULLABLE),
	TAKT_FIELD("count", count, NULL, "A count."),
	{.key = "twice", .type = TAKT_FIELD_STRING, .compute = twice, .text = "A text."},
	TAKT_FIELD("fine", fine, NULL, "True if fine."),
	TAKT_FIELD("comment", comment, NULL, "A comment.", .flags = TAKT_NULLABLE),
};
#undef RECORD
static const struct takt_record record = TAKT_RECORD("row", "A row.", fields);

static const struct takt_column columns[] = {
	{"name", "name", -6, .gap = 0},
	{"share", "percent", 8, .gap = 1, .format = "%+.1f %%", .zero = "none", .null = "-"},
	{"twice", "twice", 6, .gap = 0},
	{"n", "count", 3, .gap = 0},
	{"of", "count", 6, .gap = 0, .grouped = true},
	{"fine", "fine", -5, .gap = 2},
	{"comment", "comment", 0, .gap = 1, .most = 7},
};

int main(void)
{
	const struct row rows[] = {
		{"one", "first", 0.125, 7, true},
		{"a…b", NULL, 0, 12, false},
		{"longer than 6", "\ttoo\x1blong", __builtin_nan(""), 1234, true},
	};
	struct takt_text text = {0};

	takt_columns_write(columns, TAKT_COUNT_OF(columns), &record, rows, TAKT_COUNT_OF(rows),
			   sizeof(rows[0]), &text);
	is_string(takt_text_data(&text),
		  "name      share twice  n    of  fine  comment\n"
		  "one     +12.5 % 14 of  7     7  yes   first\n"
		  "a…b        none 24 of 12    12  no\n"
		  "longer than 6        -2468 of1234 1,234  yes    too?l…\n",
		  "a table");
	takt_text_release(&text);
	return tap_done();
}
