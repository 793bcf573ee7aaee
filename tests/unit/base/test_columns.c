/* SPDX-License-Identifier: MIT */
/* Text tables of declared records: alignment, numbers, and values that are null. */
#include "../tap.h"
#include "base/columns.h"

struct inner {
	uint32_t depth;
};

struct row {
	const struct inner *inner;
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

/* The rank of a row among all: functions get the first one as root. */
static struct takt_value rank(const struct takt_view *view, const void *record)
{
	return takt_value_integer((const struct row *)record - (const struct row *)view->root + 1);
}

#define RECORD struct inner
static const struct takt_field inner_fields[] = {
	TAKT_FIELD("depth", depth, NULL, "A depth."),
};
#undef RECORD
static const struct takt_record inner_record = TAKT_RECORD("inner", "Inside.", inner_fields);

#define RECORD struct row
static const struct takt_field fields[] = {
	TAKT_FIELD("name", name, NULL, "A name."),
	TAKT_FIELD("percent", share, "%", "A share.", .factor = 100, .flags = TAKT_NULLABLE),
	TAKT_FIELD("count", count, NULL, "A count."),
	{.key = "twice", .type = TAKT_FIELD_STRING, .compute = twice, .text = "A text."},
	TAKT_FIELD("fine", fine, NULL, "True if fine."),
	TAKT_NESTED("inner", inner, &inner_record, "A struct.", .flags = TAKT_POINTER),
	TAKT_TEXT_FIELD("rank", TAKT_FIELD_UINT32, rank),
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
	{"in", "inner.depth", 2, .gap = 0},
	{"#", "rank", 2, .gap = 0},
	{"comment", "comment", 0, .gap = 1, .most = 7},
};

int main(void)
{
	const struct inner inner = {7};
	const struct row rows[] = {
		{&inner, "one", "first", 0.125, 7, true},
		{&inner, "a…b", NULL, 0, 12, false},
		{&inner, "longer than 6", "\ttoo\x1blong", __builtin_nan(""), 1234, true},
	};
	struct takt_text text = {0};

	takt_columns_write(columns, TAKT_COUNT_OF(columns),
			   TAKT_TABLE_ROWS(&record, rows, TAKT_COUNT_OF(rows)), &text);
	is_string(takt_text_data(&text),
		  "name      share twice  n    of  fine in # comment\n"
		  "one     +12.5 % 14 of  7     7  yes   7 1 first\n"
		  "a…b        none 24 of 12    12  no    7 2\n"
		  "longer than 6        -2468 of1234 1,234  yes   7 3  too?l…\n",
		  "a table");
	takt_text_release(&text);
	return tap_done();
}
