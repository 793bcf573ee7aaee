/* SPDX-License-Identifier: MIT */
/* Declared records: JSON, CSV and the schema of a record with one of everything, and CSV read back.
 */
#include "../tap.h"
#include "base/csv.h"

struct inner {
	uint32_t small;
	const char *name;
};

struct outer {
	const char *text, *empty, *missing;
	double number, unknown;
	uint64_t address;
	int32_t status;
	bool flag;
	uint32_t kind, bits, inner_count;
	struct inner embedded;
	const struct inner *pointer, *inners;
	uint64_t array[3];
};

static const char *kind_word(uint32_t kind)
{
	static const char *const words[] = {"zero", "one", "two"};

	return words[kind];
}

static bool is_set(const struct takt_view *view, const void *record)
{
	(void)view;
	return ((const struct outer *)record)->flag;
}

static struct takt_value doubled(const struct takt_view *view, const void *record)
{
	takt_text_printf(view->scratch, "%g", 2 * ((const struct outer *)record)->number);
	return takt_value_string(view->scratch->data);
}

static bool entry(const struct takt_view *view, const void *record, uint32_t index,
		  const char **ret_key, struct takt_value *ret_value)
{
	(void)view;
	(void)record;
	*ret_key = index == 1 ? NULL : kind_word(index < 3 ? index : 0);
	*ret_value = takt_value_integer(index);
	return index < 3;
}

#define RECORD struct inner
static const struct takt_field inner_fields[] = {
	TAKT_FIELD("small", small, "bytes", "A small number."),
	TAKT_FIELD("name", name, NULL, "A name.", .flags = TAKT_NULLABLE),
};
#undef RECORD
static const struct takt_record inner_record = TAKT_RECORD("inner", "A part.", inner_fields);

#define RECORD struct outer
static const struct takt_field outer_fields[] = {
	TAKT_CONSTANT("format", "test 1", NULL),
	TAKT_FIELD("text", text, NULL, "A text."),
	TAKT_FIELD("empty", empty, NULL, NULL, .flags = TAKT_ZERO_NULL),
	TAKT_FIELD("missing", missing, NULL, NULL, .flags = TAKT_OPTIONAL),
	TAKT_FIELD("number", number, "cycles", "A number."),
	TAKT_FIELD("percent", number, "%", NULL, .factor = 100, .format = "%.2f"),
	TAKT_FIELD("unknown", unknown, NULL, NULL, .flags = TAKT_NULLABLE),
	TAKT_FIELD_AS("address", TAKT_FIELD_ADDRESS, address, NULL, NULL),
	TAKT_FIELD("status", status, NULL, NULL),
	TAKT_FIELD("flag", flag, NULL, NULL),
	TAKT_FIELD("if_flag", status, NULL, NULL, .present = is_set),
	TAKT_FIELD("null_unless_flag", status, NULL, NULL, .present = is_set,
		   .flags = TAKT_ABSENT_NULL),
	TAKT_ENUM("kind", kind, kind_word, 3, NULL),
	TAKT_COMPUTED("doubled", TAKT_FIELD_STRING, doubled, NULL, NULL),
	{.key = "bits",
	 .type = TAKT_FIELD_BITS,
	 .offset = offsetof(RECORD, bits),
	 .word = kind_word,
	 .word_count = 3,
	 .flags = TAKT_ONE_LINE},
	TAKT_NESTED("embedded", embedded, &inner_record, NULL, .flags = TAKT_ONE_LINE),
	TAKT_NESTED("pointer", pointer, &inner_record, NULL, .flags = TAKT_POINTER | TAKT_NULLABLE),
	TAKT_INLINE(embedded, &inner_record),
	TAKT_RECORDS("inners", inners, inner_count, &inner_record, NULL, .flags = TAKT_ROWS),
	TAKT_ARRAY("array", array, NULL, NULL, TAKT_ONE_LINE),
	TAKT_MAP("map", TAKT_FIELD_UINT32, entry, NULL, NULL, .flags = TAKT_ONE_LINE),
};
#undef RECORD
static const struct takt_record outer_record = TAKT_RECORD("outer", "A whole.", outer_fields);

static const char expected_json[] = "{\n"
				    "  \"format\": \"test 1\",\n"
				    "  \"text\": \"a \\\"b\\\"\",\n"
				    "  \"empty\": null,\n"
				    "  \"number\": 1.25,\n"
				    "  \"percent\": 125.00,\n"
				    "  \"unknown\": null,\n"
				    "  \"address\": \"0x4a\",\n"
				    "  \"status\": -1,\n"
				    "  \"flag\": false,\n"
				    "  \"null_unless_flag\": null,\n"
				    "  \"kind\": \"one\",\n"
				    "  \"doubled\": \"2.5\",\n"
				    "  \"bits\": [\"zero\", \"two\"],\n"
				    "  \"embedded\": {\"small\": 7, \"name\": \"x\"},\n"
				    "  \"pointer\": null,\n"
				    "  \"small\": 7,\n"
				    "  \"name\": \"x\",\n"
				    "  \"inners\": [\n"
				    "    {\"small\": 1, \"name\": \"a\"},\n"
				    "    {\"small\": 2, \"name\": null}\n"
				    "  ],\n"
				    "  \"array\": [4, 5, 6],\n"
				    "  \"map\": {\"zero\": 0, \"two\": 2}\n"
				    "}\n";

static void test_json(void)
{
	static const struct inner inners[] = {{1, "a"}, {2, NULL}};
	const struct outer outer = {
		.text = "a \"b\"",
		.empty = "",
		.number = 1.25,
		.unknown = NAN,
		.address = 0x4a,
		.status = -1,
		.kind = 1,
		.bits = 5,
		.embedded = {7, "x"},
		.inners = inners,
		.inner_count = 2,
		.array = {4, 5, 6},
	};
	struct takt_text text = {0};

	takt_record_write_json(&outer_record, &outer, &text);
	is_string(text.data, expected_json, "one of everything as JSON");
	takt_text_release(&text);
}

static void test_find(void)
{
	struct outer outer;
	void *place = NULL;
	const struct takt_field *field;

	field = takt_record_find(&outer_record, "status", &outer, &place);
	ok(field == &outer_fields[8] && place == &outer, "a field is found by its key");
	field = takt_record_find(&outer_record, "small", &outer, &place);
	ok(field == &inner_fields[0] && place == &outer.embedded,
	   "a field of an inner struct is found with that struct");
	ok(!takt_record_find(&outer_record, "nothing", &outer, &place), "no such field");
}

/* ---- CSV ---- */

struct row {
	const char *name;
	double value;
	uint32_t count, kind;
};

#define RECORD struct row
static const struct takt_field row_fields[] = {
	TAKT_FIELD("name", name, NULL, NULL),
	TAKT_FIELD("value", value, NULL, NULL, .csv = "%.3f", .flags = TAKT_NULLABLE),
	TAKT_FIELD("count", count, NULL, NULL),
	TAKT_FIELD("again", count, NULL, NULL, .flags = TAKT_NO_CSV),
	TAKT_ENUM("kind", kind, kind_word, 3, NULL, .flags = TAKT_ONE_BIT),
};
#undef RECORD
static const struct takt_record row_record = TAKT_RECORD("row", NULL, row_fields);
static const struct takt_record plain_record = {
	.name = "row",
	.fields = row_fields,
	.field_count = TAKT_COUNT_OF(row_fields),
	.no_quotes = true,
};
static const struct row rows[] = {{"a,b \"c\"", 1.5, 3, 4}, {"d", NAN, 4, 1}};

static void test_csv(void)
{
	struct takt_text text = {0};

	takt_record_write_csv_header(&row_record, &text);
	takt_record_write_csv(&row_record, rows, 2, sizeof(rows[0]), NULL, &text);
	is_string(text.data, "name,value,count,kind\n\"a,b \"\"c\"\"\",1.500,3,two\nd,,4,zero\n",
		  "CSV quotes what must be quoted");
	text.size_bytes = 0;
	takt_record_write_csv(&plain_record, rows, 1, sizeof(rows[0]), NULL, &text);
	is_string(text.data, "a;b \"c\",1.500,3,two\n", "CSV without quotes has no commas");
	takt_text_release(&text);
}

static void test_csv_reading(void)
{
	static const char data[] =
		"# test\n# note: x\nname,value,count,kind\nd,2.5,4,one\ne,,1,six\n";
	struct takt_diag *diag = takt_diag_new();
	struct takt_arena arena = {0};
	struct csv_reader reader = {.path = "test", .diag = diag, .arena = &arena};
	struct row row = {0};

	ok(takt_csv_begin(&reader, data, sizeof(data) - 1, "# test", &plain_record),
	   "the columns are the record's");
	ok(takt_csv_next(&reader), "a row");
	takt_csv_read(&reader, &row);
	ok(strcmp(row.name, "d") == 0 && row.value == 2.5 && row.count == 4 && row.kind == 2,
	   "its values");
	ok(takt_csv_next(&reader), "another row");
	takt_csv_read(&reader, &row);
	ok(reader.failed, "no such word");
	takt_arena_release(&arena);
	takt_diag_free(diag);
}

/* ---- schema ---- */

static void test_schema(void)
{
	static const struct takt_schema schema = {
		.name = "test", .title = "A test", .records = {&outer_record}};
	static const char *const parts[] = {
		"\"title\": \"A test\"",
		"\"const\": \"test 1\"",
		("\"description\": \"A number.\",\n          \"unit\": \"cycles\",\n"
		 "          \"type\": \"number\""),
		"\"enum\": [\n            \"zero\",\n            \"one\",\n            \"two\"\n",
		"\"$ref\": \"#/$defs/inner\"",
		"\"pattern\": \"^0x[0-9a-f]+$\"",
		"\"additionalProperties\": false",
	};
	struct takt_text text = {0};

	takt_schema_write(&schema, &text);
	for (size_t i = 0; i < TAKT_COUNT_OF(parts); i++)
		ok(strstr(text.data, parts[i]) != NULL, "part %zu of the schema", i);
	ok(!strstr(strstr(text.data, "\"required\""), "\"if_flag\""),
	   "what may be left out is not required");
	takt_text_release(&text);
}

int main(void)
{
	test_json();
	test_find();
	test_csv();
	test_csv_reading();
	test_schema();
	return tap_done();
}
