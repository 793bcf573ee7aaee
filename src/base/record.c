/* SPDX-License-Identifier: MIT */
/* Declared records as JSON and CSV. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/record.h"

#define WHOLE_MOST 9e15 /* doubles below it hold every whole number */

struct writer {
	struct takt_view view;
	struct takt_json *json;
};

static void write_fields(struct writer *writer, const struct takt_record *record, const void *data);

struct takt_value takt_value_string(const char *string)
{
	if (!string)
		return (struct takt_value){.kind = TAKT_VALUE_NULL};
	return (struct takt_value){.kind = TAKT_VALUE_STRING, .string = string};
}

struct takt_value takt_value_integer(int64_t integer)
{
	return (struct takt_value){.kind = TAKT_VALUE_INTEGER, .integer = integer};
}

struct takt_value takt_value_number(double number)
{
	if (!isfinite(number))
		return (struct takt_value){.kind = TAKT_VALUE_NULL};
	return (struct takt_value){.kind = TAKT_VALUE_NUMBER, .number = number};
}

/* ---- values ---- */

static uint64_t load_unsigned(const void *data, size_t size_bytes)
{
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	assert(data);
	switch (size_bytes) {
	case sizeof(u8):
		memcpy(&u8, data, sizeof(u8));
		return u8;
	case sizeof(u16):
		memcpy(&u16, data, sizeof(u16));
		return u16;
	case sizeof(u32):
		memcpy(&u32, data, sizeof(u32));
		return u32;
	default:
		memcpy(&u64, data, sizeof(u64));
		return u64;
	}
}

static struct takt_value address_value(const struct takt_view *view, const void *data)
{
	takt_text_printf(view->scratch, "0x%" PRIx64, load_unsigned(data, sizeof(uint64_t)));
	return takt_value_string(view->scratch->data);
}

/* Return the value at `data`. */
static struct takt_value load(const struct takt_view *view, enum takt_field_type type,
			      const void *data)
{
	const char *string;
	double number;

	switch (type) {
	case TAKT_FIELD_STRING:
		memcpy(&string, data, sizeof(string));
		return takt_value_string(string);
	case TAKT_FIELD_BOOL:
		return (struct takt_value){.kind = TAKT_VALUE_BOOL, .boolean = *(const bool *)data};
	case TAKT_FIELD_DOUBLE:
		memcpy(&number, data, sizeof(number));
		return takt_value_number(number);
	case TAKT_FIELD_ADDRESS:
		return address_value(view, data);
	case TAKT_FIELD_UINT8:
		return takt_value_integer((int64_t)load_unsigned(data, 1));
	case TAKT_FIELD_UINT16:
		return takt_value_integer((int64_t)load_unsigned(data, 2));
	case TAKT_FIELD_UINT32:
		return takt_value_integer((int64_t)load_unsigned(data, 4));
	case TAKT_FIELD_INT32:
		return takt_value_integer((int32_t)load_unsigned(data, 4));
	case TAKT_FIELD_UINT64:
	case TAKT_FIELD_INT64:
	case TAKT_FIELD_BITS:
	case TAKT_FIELD_RECORD:
	case TAKT_FIELD_INLINE:
	case TAKT_FIELD_LIST:
	case TAKT_FIELD_MAP:
		break;
	}
	return takt_value_integer((int64_t)load_unsigned(data, 8));
}

static bool is_zero(const struct takt_value *value)
{
	switch (value->kind) {
	case TAKT_VALUE_STRING:
		return !*value->string;
	case TAKT_VALUE_BOOL:
		return !value->boolean;
	case TAKT_VALUE_INTEGER:
		return !value->integer;
	case TAKT_VALUE_NUMBER:
		return value->number == 0;
	case TAKT_VALUE_NULL:
		break;
	}
	return false;
}

struct takt_value takt_field_value(const struct takt_view *view, const struct takt_field *field,
				   const void *data)
{
	struct takt_value value;

	view->scratch->size_bytes = 0;
	if (field->constant)
		return takt_value_string(field->constant);
	value = field->compute ? field->compute(view, data)
			       : load(view, field->type, (const char *)data + field->offset);
	if (field->word && value.kind == TAKT_VALUE_INTEGER)
		value = takt_value_string(
			field->word(field->flags & TAKT_ONE_BIT
					    ? (uint32_t)__builtin_ctzll((uint64_t)value.integer)
					    : (uint32_t)value.integer));
	if (field->factor != 0 && value.kind == TAKT_VALUE_NUMBER)
		value.number *= field->factor;
	if (field->flags & TAKT_ZERO_NULL && is_zero(&value))
		value.kind = TAKT_VALUE_NULL;
	return value;
}

bool takt_field_is_conditional(const struct takt_field *field)
{
	return field->present || field->if_size_bytes;
}

static bool is_present(const struct takt_view *view, const struct takt_field *field,
		       const void *data)
{
	const char *member = (const char *)data + field->if_offset;

	if (field->if_size_bytes && !load_unsigned(member, field->if_size_bytes))
		return false;
	return !field->present || field->present(view, data);
}

/* ---- JSON ---- */

static void write_number(struct takt_json *json, const char *key, const struct takt_field *field,
			 double number)
{
	struct takt_text digits = {0};
	bool whole =
		field->flags & TAKT_WHOLE && number == floor(number) && fabs(number) < WHOLE_MOST;

	if (!field->format) {
		takt_json_number(json, key, number);
		return;
	}
	takt_text_printf(&digits, whole ? "%.0f" : field->format, number);
	takt_json_raw(json, key, digits.data);
	takt_text_release(&digits);
}

static void write_value(struct takt_json *json, const char *key, const struct takt_field *field,
			const struct takt_value *value)
{
	switch (value->kind) {
	case TAKT_VALUE_NULL:
		takt_json_null(json, key);
		break;
	case TAKT_VALUE_STRING:
		takt_json_string(json, key, value->string);
		break;
	case TAKT_VALUE_BOOL:
		takt_json_bool(json, key, value->boolean);
		break;
	case TAKT_VALUE_INTEGER:
		takt_json_integer(json, key, value->integer);
		break;
	case TAKT_VALUE_NUMBER:
		write_number(json, key, field, value->number);
		break;
	}
}

static uint32_t list_count(const struct takt_view *view, const struct takt_field *field,
			   const void *data)
{
	if (field->count)
		return field->count(view, data);
	if (field->count_size_bytes)
		return (uint32_t)load_unsigned((const char *)data + field->count_offset,
					       field->count_size_bytes);
	return field->fixed_count;
}

static const void *load_pointer(const void *data)
{
	const void *pointer;

	assert(data);
	memcpy(&pointer, data, sizeof(pointer));
	return pointer;
}

static void write_item(struct writer *writer, const struct takt_field *field, const void *item)
{
	struct takt_json *json = writer->json;
	bool compact = json->compact;

	if (field->item == TAKT_FIELD_RECORD) {
		if (field->flags & TAKT_POINTER)
			item = load_pointer(item);
		if (field->filter && !field->filter(&writer->view, item))
			return;
		takt_json_open_object(json, NULL);
		takt_json_compact(json, compact || field->flags & TAKT_ROWS);
		write_fields(writer, field->record, item);
		takt_json_close_object(json);
		takt_json_compact(json, compact);
	} else {
		struct takt_value value;

		writer->view.scratch->size_bytes = 0;
		value = load(&writer->view, field->item, item);
		write_value(json, NULL, field, &value);
	}
}

static void write_entries(struct writer *writer, const struct takt_field *field, const void *data)
{
	const char *key = NULL;
	struct takt_value value;

	for (uint32_t i = 0;; i++) {
		writer->view.scratch->size_bytes = 0;
		if (!field->entry(&writer->view, data, i, &key, &value))
			return;
		if (field->type == TAKT_FIELD_LIST)
			write_value(writer->json, NULL, field, &value);
		else if (key)
			write_value(writer->json, key, field, &value);
	}
}

static void write_bits(struct takt_json *json, const struct takt_field *field, uint32_t bits)
{
	for (uint32_t bit = 0; bit < field->word_count; bit++)
		if (bits >> bit & 1)
			takt_json_string(json, NULL, field->word(bit));
}

static void write_list(struct writer *writer, const struct takt_field *field, const void *data)
{
	const char *items = (const char *)data + field->offset;
	uint32_t count = list_count(&writer->view, field, data);
	struct takt_json *json = writer->json;
	bool compact = json->compact;

	if (!(field->flags & TAKT_EMBEDDED) && !field->entry && field->type == TAKT_FIELD_LIST)
		items = load_pointer(items);
	if (!items) {
		if (field->flags & TAKT_OPTIONAL)
			return;
		if (field->flags & TAKT_NULLABLE) {
			takt_json_null(json, field->key);
			return;
		}
	}
	if (field->type == TAKT_FIELD_MAP)
		takt_json_open_object(json, field->key);
	else
		takt_json_open_array(json, field->key);
	takt_json_compact(json, compact || field->flags & TAKT_ONE_LINE);
	if (field->entry)
		write_entries(writer, field, data);
	else if (field->type == TAKT_FIELD_BITS)
		write_bits(json, field, (uint32_t)load_unsigned(items, sizeof(uint32_t)));
	else
		for (uint32_t i = 0; i < count; i++)
			write_item(writer, field, items + (size_t)i * field->item_size_bytes);
	if (field->type == TAKT_FIELD_MAP)
		takt_json_close_object(json);
	else
		takt_json_close_array(json);
	takt_json_compact(json, compact);
}

/* Return the struct of a RECORD or INLINE field; NULL if there is none. */
static const void *find_nested(const struct takt_view *view, const struct takt_field *field,
			       const void *data, void *buffer)
{
	if (field->resolve)
		return field->resolve(view, data, buffer);
	data = (const char *)data + field->offset;
	return field->flags & TAKT_POINTER ? load_pointer(data) : data;
}

static void write_nested(struct writer *writer, const struct takt_field *field, const void *data)
{
	struct takt_json *json = writer->json;
	bool compact = json->compact;
	max_align_t buffer[TAKT_RESOLVED_BYTES / sizeof(max_align_t)];

	data = find_nested(&writer->view, field, data, buffer);
	if (field->type == TAKT_FIELD_INLINE) {
		write_fields(writer, field->record, data);
	} else if (data) {
		takt_json_open_object(json, field->key);
		takt_json_compact(json, compact || field->flags & TAKT_ONE_LINE);
		write_fields(writer, field->record, data);
		takt_json_close_object(json);
		takt_json_compact(json, compact);
	} else if (!(field->flags & TAKT_OPTIONAL)) {
		takt_json_null(json, field->key);
	}
}

static void write_field(struct writer *writer, const struct takt_field *field, const void *data)
{
	struct takt_value value;

	if (field->flags & TAKT_NO_JSON)
		return;
	if (!is_present(&writer->view, field, data)) {
		if (field->flags & TAKT_ABSENT_NULL)
			takt_json_null(writer->json, field->key);
		return;
	}
	if (field->type == TAKT_FIELD_RECORD || field->type == TAKT_FIELD_INLINE) {
		write_nested(writer, field, data);
	} else if (field->type >= TAKT_FIELD_LIST || field->type == TAKT_FIELD_BITS) {
		write_list(writer, field, data);
	} else {
		value = takt_field_value(&writer->view, field, data);
		if (value.kind != TAKT_VALUE_NULL || !(field->flags & TAKT_OPTIONAL))
			write_value(writer->json, field->key, field, &value);
	}
}

static void write_fields(struct writer *writer, const struct takt_record *record, const void *data)
{
	for (uint32_t i = 0; i < record->field_count; i++)
		write_field(writer, &record->fields[i], data);
}

void takt_record_write_fields(const struct takt_record *record, const void *data, const void *root,
			      struct takt_json *json)
{
	struct takt_text scratch = {0};
	struct writer writer = {.view = {.root = root, .scratch = &scratch}, .json = json};

	write_fields(&writer, record, data);
	takt_text_release(&scratch);
}

void takt_record_write_json(const struct takt_record *record, const void *data,
			    struct takt_text *text)
{
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_record_write_fields(record, data, data, &json);
	takt_json_close_object(&json);
}

/* True if the key is of a field of this one, which is a struct: "loop.cycles" is one of "loop". */
static bool is_inside(const struct takt_field *field, const char *key)
{
	size_t size;

	if (field->type != TAKT_FIELD_RECORD || field->resolve || !field->key)
		return false;
	size = strlen(field->key);
	return strncmp(key, field->key, size) == 0 && key[size] == '.';
}

const struct takt_field *takt_record_find(const struct takt_record *record, const char *key,
					  void *data, void **ret_data)
{
	for (uint32_t i = 0; i < record->field_count; i++) {
		const struct takt_field *field = &record->fields[i];

		if (field->key && strcmp(field->key, key) == 0) {
			*ret_data = data;
			return field;
		}
		if (is_inside(field, key))
			return takt_record_find(
				field->record, key + strlen(field->key) + 1,
				(void *)(uintptr_t)find_nested(NULL, field, data, NULL), ret_data);
		if (field->type == TAKT_FIELD_INLINE && !field->resolve &&
		    !(field->flags & TAKT_POINTER))
			field = takt_record_find(field->record, key, (char *)data + field->offset,
						 ret_data);
		else
			field = NULL;
		if (field)
			return field;
	}
	return NULL;
}

/* ---- CSV ---- */

/* Write a string, on one line: in quotes if it must or shall be, else without what would end it. */
static void write_csv_string(struct takt_text *text, const struct takt_record *record,
			     const struct takt_field *field, const char *string)
{
	bool quotes = !record->no_quotes && (field->flags & TAKT_QUOTED || strpbrk(string, ",\""));

	takt_text_add_string(text, quotes ? "\"" : "");
	for (; *string; string++) {
		if (*string == '"' && quotes)
			takt_text_add_string(text, "\"\"");
		else if (record->no_quotes && (*string == ',' || *string == '\n'))
			takt_text_add_string(text, ";");
		else
			takt_text_add(text, (unsigned char)*string < ' ' ? " " : string, 1);
	}
	takt_text_add_string(text, quotes ? "\"" : "");
}

static void write_csv_field(const struct takt_view *view, const struct takt_record *record,
			    const struct takt_field *field, const void *data,
			    struct takt_text *text)
{
	struct takt_value value;

	if (!is_present(view, field, data))
		return;
	value = takt_field_value(view, field, data);
	switch (value.kind) {
	case TAKT_VALUE_NULL:
		break;
	case TAKT_VALUE_STRING:
		write_csv_string(text, record, field, value.string);
		break;
	case TAKT_VALUE_BOOL:
		takt_text_add_string(text, value.boolean ? "yes" : "no");
		break;
	case TAKT_VALUE_INTEGER:
		takt_text_printf(text, "%" PRId64, value.integer);
		break;
	case TAKT_VALUE_NUMBER:
		takt_text_printf(text, field->csv ? field->csv : "%.6g", value.number);
		break;
	}
}

void takt_record_write_csv_header(const struct takt_record *record, struct takt_text *text)
{
	const char *comma = "";

	for (uint32_t i = 0; i < record->field_count; i++) {
		if (record->fields[i].flags & TAKT_NO_CSV)
			continue;
		takt_text_printf(text, "%s%s", comma, record->fields[i].key);
		comma = ",";
	}
	takt_text_add_string(text, "\n");
}

void takt_record_write_csv(const struct takt_record *record, const void *data, size_t count,
			   size_t size_bytes, const void *root, struct takt_text *text)
{
	struct takt_text scratch = {0};
	struct takt_view view = {.root = root, .scratch = &scratch};

	for (size_t row = 0; row < count; row++) {
		const char *comma = "";

		for (uint32_t i = 0; i < record->field_count; i++) {
			if (record->fields[i].flags & TAKT_NO_CSV)
				continue;
			takt_text_add_string(text, comma);
			write_csv_field(&view, record, &record->fields[i],
					(const char *)data + row * size_bytes, text);
			comma = ",";
		}
		takt_text_add_string(text, "\n");
	}
	takt_text_release(&scratch);
}
