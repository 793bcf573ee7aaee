/* SPDX-License-Identifier: MIT */
/* The JSON Schema of a declared record. */
#include <assert.h>
#include <string.h>

#include "base/record.h"

#define RECORDS_MAX 64u

struct collection {
	const struct takt_record *records[RECORDS_MAX];
	uint32_t count;
};

static const char *const type_names[] = {
	[TAKT_FIELD_STRING] = "string",	 [TAKT_FIELD_BOOL] = "boolean",
	[TAKT_FIELD_UINT8] = "integer",	 [TAKT_FIELD_UINT16] = "integer",
	[TAKT_FIELD_UINT32] = "integer", [TAKT_FIELD_UINT64] = "integer",
	[TAKT_FIELD_INT32] = "integer",	 [TAKT_FIELD_INT64] = "integer",
	[TAKT_FIELD_DOUBLE] = "number",	 [TAKT_FIELD_ADDRESS] = "string",
	[TAKT_FIELD_BITS] = "array",	 [TAKT_FIELD_RECORD] = "object",
	[TAKT_FIELD_INLINE] = "object",	 [TAKT_FIELD_LIST] = "array",
	[TAKT_FIELD_MAP] = "object",
};

static void collect(struct collection *found, const struct takt_record *record)
{
	for (uint32_t i = 0; i < record->field_count; i++) {
		const struct takt_field *field = &record->fields[i];
		uint32_t k = 0;

		if (!field->record || field->flags & TAKT_NO_JSON)
			continue;
		while (k < found->count && found->records[k] != field->record)
			k++;
		if (k < found->count)
			continue;
		if (field->type != TAKT_FIELD_INLINE) {
			assert(found->count < RECORDS_MAX);
			found->records[found->count++] = field->record;
		}
		collect(found, field->record);
	}
}

/* Records of the same name get a number, so that each has a definition of its own. */
static void write_name(const struct collection *found, const struct takt_record *record,
		       const char *before, struct takt_text *text)
{
	uint32_t same = 0;

	text->size_bytes = 0;
	takt_text_printf(text, "%s%s", before, record->name);
	for (uint32_t i = 0; i < found->count && found->records[i] != record; i++)
		same += strcmp(found->records[i]->name, record->name) == 0;
	if (same)
		takt_text_printf(text, "_%u", same + 1);
}

static void write_reference(const struct collection *found, const struct takt_record *record,
			    struct takt_json *json)
{
	struct takt_text name = {0};

	write_name(found, record, "#/$defs/", &name);
	takt_json_string(json, "$ref", name.data);
	takt_text_release(&name);
}

static void write_words(const struct takt_field *field, bool null, struct takt_json *json)
{
	takt_json_open_array(json, "enum");
	for (uint32_t i = 0; i < field->word_count; i++)
		takt_json_string(json, NULL, field->word(i));
	if (null)
		takt_json_null(json, NULL);
	takt_json_close_array(json);
}

static void write_type(enum takt_field_type type, bool null, struct takt_json *json)
{
	if (null) {
		takt_json_open_array(json, "type");
		takt_json_string(json, NULL, type_names[type]);
		takt_json_string(json, NULL, "null");
		takt_json_close_array(json);
	} else {
		takt_json_string(json, "type", type_names[type]);
	}
	if (type >= TAKT_FIELD_UINT8 && type <= TAKT_FIELD_UINT64)
		takt_json_integer(json, "minimum", 0);
	if (type == TAKT_FIELD_ADDRESS)
		takt_json_string(json, "pattern", "^0x[0-9a-f]+$");
}

static void write_items(const struct collection *found, const struct takt_field *field,
			struct takt_json *json)
{
	takt_json_open_object(json,
			      field->type == TAKT_FIELD_MAP ? "additionalProperties" : "items");
	if (field->type == TAKT_FIELD_BITS) {
		takt_json_string(json, "type", "string");
		write_words(field, false, json);
	} else if (field->item == TAKT_FIELD_RECORD) {
		write_reference(found, field->record, json);
	} else {
		/* A number of a list that is not known is null. */
		write_type(field->item,
			   field->item == TAKT_FIELD_DOUBLE || field->item == TAKT_FIELD_STRING,
			   json);
	}
	takt_json_close_object(json);
}

/* True if the field can be null. */
static bool can_be_null(const struct takt_field *field)
{
	if (takt_field_is_conditional(field) && field->flags & TAKT_ABSENT_NULL)
		return true;
	return !(field->flags & TAKT_OPTIONAL) && (field->flags & (TAKT_NULLABLE | TAKT_ZERO_NULL));
}

static void write_property(const struct collection *found, const struct takt_field *field,
			   struct takt_json *json)
{
	bool null = can_be_null(field);

	takt_json_open_object(json, field->key);
	if (field->text)
		takt_json_string(json, "description", field->text);
	if (field->unit)
		takt_json_string(json, "unit", field->unit);
	if (field->type == TAKT_FIELD_RECORD && null) {
		takt_json_open_array(json, "anyOf");
		takt_json_open_row(json);
		write_reference(found, field->record, json);
		takt_json_close_row(json);
		takt_json_open_row(json);
		takt_json_string(json, "type", "null");
		takt_json_close_row(json);
		takt_json_close_array(json);
	} else if (field->type == TAKT_FIELD_RECORD) {
		write_reference(found, field->record, json);
	} else if (field->constant) {
		takt_json_string(json, "const", field->constant);
	} else if (field->word && field->type != TAKT_FIELD_BITS) {
		write_words(field, null, json);
	} else {
		write_type(field->type, null, json);
		if (field->type >= TAKT_FIELD_LIST || field->type == TAKT_FIELD_BITS)
			write_items(found, field, json);
	}
	takt_json_close_object(json);
}

static void write_properties(const struct collection *found, const struct takt_record *record,
			     struct takt_json *json)
{
	for (uint32_t i = 0; i < record->field_count; i++) {
		const struct takt_field *field = &record->fields[i];

		if (field->type == TAKT_FIELD_INLINE)
			write_properties(found, field->record, json);
		else if (!(field->flags & TAKT_NO_JSON))
			write_property(found, field, json);
	}
}

static void write_required(const struct takt_record *record, struct takt_json *json)
{
	for (uint32_t i = 0; i < record->field_count; i++) {
		const struct takt_field *field = &record->fields[i];
		bool may_lack =
			field->flags & TAKT_OPTIONAL ||
			(takt_field_is_conditional(field) && !(field->flags & TAKT_ABSENT_NULL));

		if (field->type == TAKT_FIELD_INLINE && !takt_field_is_conditional(field))
			write_required(field->record, json);
		else if (field->key && !may_lack && !(field->flags & TAKT_NO_JSON))
			takt_json_string(json, NULL, field->key);
	}
}

static void write_object(const struct collection *found, const struct takt_record *record,
			 struct takt_json *json)
{
	if (record->text)
		takt_json_string(json, "description", record->text);
	takt_json_string(json, "type", "object");
	takt_json_open_object(json, "properties");
	write_properties(found, record, json);
	takt_json_close_object(json);
	takt_json_open_array(json, "required");
	write_required(record, json);
	takt_json_close_array(json);
	takt_json_bool(json, "additionalProperties", false);
}

static unsigned root_count(const struct takt_schema *schema)
{
	unsigned count = 0;

	while (count < TAKT_COUNT_OF(schema->records) && schema->records[count])
		count++;
	return count;
}

static void write_roots(const struct collection *found, const struct takt_schema *schema,
			struct takt_json *json)
{
	if (schema->records[1]) {
		takt_json_open_array(json, "anyOf");
		for (unsigned i = 0; i < root_count(schema); i++) {
			takt_json_open_row(json);
			write_reference(found, schema->records[i], json);
			takt_json_close_row(json);
		}
		takt_json_close_array(json);
	} else {
		write_reference(found, schema->records[0], json);
	}
}

void takt_schema_write(const struct takt_schema *schema, struct takt_text *text)
{
	struct collection found = {0};
	struct takt_text name = {0};
	struct takt_json json;

	for (unsigned i = 0; i < root_count(schema); i++)
		found.records[found.count++] = schema->records[i];
	for (uint32_t i = 0, roots = found.count; i < roots; i++)
		collect(&found, found.records[i]);
	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_json_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
	takt_json_string(&json, "title", schema->title);
	write_roots(&found, schema, &json);
	takt_json_open_object(&json, "$defs");
	for (uint32_t i = 0; i < found.count; i++) {
		write_name(&found, found.records[i], "", &name);
		takt_json_open_object(&json, name.data);
		write_object(&found, found.records[i], &json);
		takt_json_close_object(&json);
	}
	takt_json_close_object(&json);
	takt_json_close_object(&json);
	takt_text_release(&name);
}
