/* SPDX-License-Identifier: MIT */
/* Reads what takt_write_trace_json() wrote: docs/formats/results.md, "Result of a trace". */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/record.h"
#include "trace/result/json_read.h"
#include "trace/trace.h"

#define KEY_SIZE 32u
#define LOSSES_READ_MAX 64u

/* A result. Callers get pointers to totals and profile; everything else is in the arena. */
struct result {
	struct takt_trace_totals totals;
	struct takt_trace_profile profile;
	struct takt_trace_sample sample;
	struct takt_trace_layouts layouts;
	struct takt_arena arena;
};

struct result_reader {
	struct json_reader json;
	struct result *result;
	/* For each loss of the file, its index in takt's losses; TAKT_TRACE_LOSSES: unknown. */
	uint8_t losses[LOSSES_READ_MAX];
	uint32_t loss_count;
	struct takt_trace_function *functions;
	struct takt_trace_block *blocks;
	uint32_t function_count, function_capacity, block_count, block_capacity;
	bool has_schema, has_profile, has_models;
};

/* ---- figures ---- */

/* Skip null, and return true if it was that. */
static bool skip_null(struct json_reader *json)
{
	return json_read_peek(json) == 'n' && json_read_skip(json);
}

static bool read_small(struct json_reader *json, uint32_t *ret_value)
{
	uint64_t value;

	json_read_unsigned(json, &value);
	*ret_value = (uint32_t)value;
	return value <= UINT32_MAX || json_read_fail(json, "this number is too large");
}

static void read_address(struct json_reader *json, uint64_t *ret_address)
{
	const char *text;
	char *end;

	*ret_address = 0;
	if (!json_read_string(json, &text) || !text)
		return;
	*ret_address = strtoull(text, &end, 16);
	if (end == text || *end)
		json_read_fail(json, "an address as \"0x…\" is expected before this");
}

static void read_losses(struct result_reader *reader, uint64_t losses[TAKT_TRACE_LOSSES])
{
	uint64_t value;

	if (skip_null(&reader->json))
		return;
	json_read_begin(&reader->json, '[');
	for (uint32_t i = 0; json_read_element(&reader->json); i++) {
		json_read_unsigned(&reader->json, &value);
		if (i < reader->loss_count && reader->losses[i] < TAKT_TRACE_LOSSES)
			losses[reader->losses[i]] = value;
	}
}

static void read_loss_names(struct result_reader *reader, void *data)
{
	const char *name;

	(void)data;
	json_read_begin(&reader->json, '[');
	while (json_read_element(&reader->json)) {
		uint8_t loss = 0;

		json_read_string(&reader->json, &name);
		if (reader->loss_count == LOSSES_READ_MAX)
			continue;
		while (loss < TAKT_TRACE_LOSSES &&
		       (!name || strcmp(name, takt_trace_loss_name(loss)) != 0))
			loss++;
		reader->losses[reader->loss_count++] = loss;
	}
}

static void read_status(struct json_reader *json, int *ret_value)
{
	int64_t value;

	json_read_signed(json, &value);
	*ret_value = (int)value;
	if (value < INT32_MIN || value > INT32_MAX)
		json_read_fail(json, "this number is too large");
}

/* Read the value of a declared field into its place; skip the value if it has none. */
static void read_value(struct result_reader *reader, const struct takt_field *field, void *place)
{
	struct json_reader *json = &reader->json;

	switch (field->type) {
	case TAKT_FIELD_STRING:
		json_read_string(json, place);
		break;
	case TAKT_FIELD_BOOL:
		json_read_bool(json, place);
		break;
	case TAKT_FIELD_UINT32:
		read_small(json, place);
		break;
	case TAKT_FIELD_UINT64:
		json_read_unsigned(json, place);
		break;
	case TAKT_FIELD_INT32:
		read_status(json, place);
		break;
	case TAKT_FIELD_DOUBLE:
		json_read_real(json, place);
		break;
	case TAKT_FIELD_ADDRESS:
		read_address(json, place);
		break;
	case TAKT_FIELD_UINT8:
	case TAKT_FIELD_UINT16:
	case TAKT_FIELD_INT64:
	case TAKT_FIELD_BITS:
	case TAKT_FIELD_RECORD:
	case TAKT_FIELD_INLINE:
	case TAKT_FIELD_LIST:
	case TAKT_FIELD_MAP:
		json_read_skip(json);
		break;
	}
}

/* Reads the value of a key in another way than its declaration says. */
struct part {
	const char *key;
	void (*read)(struct result_reader *reader, void *data);
};

static void skip_part(struct result_reader *reader, void *data)
{
	(void)data;
	json_read_skip(&reader->json);
}

/* Read the value of `key` into the struct that the record declares. */
static void read_field(struct result_reader *reader, const struct takt_record *record,
		       const char *key, void *data)
{
	void *place;
	const struct takt_field *field = takt_record_find(record, key, data, &place);

	if (!field || field->constant)
		json_read_skip(&reader->json);
	else if (strcmp(key, "losses") == 0)
		read_losses(reader, (uint64_t *)(void *)((char *)place + field->offset));
	else
		read_value(reader, field, (char *)place + field->offset);
}

/* Read an object into the struct that the record declares. */
static void read_record(struct result_reader *reader, const struct takt_record *record,
			const struct part *parts, size_t part_count, void *data)
{
	char key[KEY_SIZE];

	json_read_begin(&reader->json, '{');
	while (json_read_member(&reader->json, key, sizeof(key))) {
		size_t i = 0;

		while (i < part_count && strcmp(parts[i].key, key) != 0)
			i++;
		if (i < part_count)
			parts[i].read(reader, data);
		else
			read_field(reader, record, key, data);
	}
}

/* ---- functions and blocks ---- */

static void read_functions(struct result_reader *reader, void *data)
{
	(void)data;
	reader->has_profile = true;
	json_read_begin(&reader->json, '[');
	while (json_read_element(&reader->json)) {
		struct takt_trace_function *function;

		TAKT_GROW_IN(reader->json.arena, reader->functions, reader->function_count + 1,
			     reader->function_capacity);
		function = &reader->functions[reader->function_count++];
		read_record(reader, &takt_trace_function_record, NULL, 0, function);
		if (!function->name)
			json_read_fail(&reader->json, "the function has no name");
	}
}

/* Read a block's bytes, which overwrite the digits they are read from. */
static void read_bytes(struct result_reader *reader, void *data)
{
	struct takt_trace_block *block = data;
	const char *text;
	uint8_t *bytes;
	size_t digits;

	if (!json_read_string(&reader->json, &text) || !text)
		return;
	digits = strlen(text);
	bytes = (uint8_t *)(uintptr_t)text;
	for (size_t i = 0; i + 1 < digits; i += 2) {
		int high = takt_hex_digit(text[i]), low = takt_hex_digit(text[i + 1]);

		if (high < 0 || low < 0) {
			json_read_fail(&reader->json,
				       "hexadecimal digits are expected before this");
			return;
		}
		bytes[i / 2] = (uint8_t)(high << 4 | low);
	}
	if (digits % 2 || digits / 2 > UINT32_MAX) {
		json_read_fail(&reader->json, "half a byte is missing before this");
		return;
	}
	block->bytes = bytes;
	block->size_bytes = (uint32_t)(digits / 2);
}

static void read_blocks(struct result_reader *reader, void *data)
{
	static const struct part parts[] = {{"bytes", read_bytes}};

	(void)data;
	json_read_begin(&reader->json, '[');
	while (json_read_element(&reader->json)) {
		struct takt_trace_block *block;

		TAKT_GROW_IN(reader->json.arena, reader->blocks, reader->block_count + 1,
			     reader->block_capacity);
		block = &reader->blocks[reader->block_count++];
		block->function = UINT32_MAX;
		read_record(reader, &takt_trace_block_record, parts, TAKT_COUNT_OF(parts), block);
		if (block->function >= reader->function_count)
			json_read_fail(&reader->json, "the block is of no function above");
	}
}

/* ---- the whole ---- */

static void read_schema(struct result_reader *reader, void *data)
{
	const char *schema;

	(void)data;
	if (!json_read_string(&reader->json, &schema))
		return;
	reader->has_schema = schema && strcmp(schema, TAKT_TRACE_RESULT_SCHEMA) == 0;
	if (!reader->has_schema)
		json_read_fail(&reader->json,
			       "the schema before this is not \"" TAKT_TRACE_RESULT_SCHEMA "\"");
}

/* Read a half width. Null means that there were too few units to know it. */
static void read_half_width(struct result_reader *reader, void *data)
{
	struct takt_trace_sample *sample = data;

	if (!skip_null(&reader->json))
		json_read_real(&reader->json, &sample->half_width_cycles);
}

static void read_sample(struct result_reader *reader, void *data)
{
	static const struct part parts[] = {{"half_width_cycles", read_half_width}};
	struct takt_trace_sample *sample = &reader->result->sample;
	struct takt_trace_totals *totals = data;

	if (skip_null(&reader->json))
		return;
	sample->half_width_cycles = HUGE_VAL;
	totals->sample = sample;
	read_record(reader, &takt_trace_sample_record, parts, TAKT_COUNT_OF(parts), sample);
}

static void read_layout_cycles(struct result_reader *reader, void *data)
{
	struct takt_trace_layouts *layouts = data;
	struct json_reader *json = &reader->json;
	uint64_t *cycles = TAKT_NEW_ARRAY(json->arena, TAKT_LAYOUTS_MAX, uint64_t);

	layouts->cycles = cycles;
	layouts->count = 0;
	json_read_begin(json, '[');
	while (json_read_element(json)) {
		if (layouts->count == TAKT_LAYOUTS_MAX) {
			json_read_fail(json, "there are too many layouts");
			return;
		}
		json_read_unsigned(json, &cycles[layouts->count++]);
	}
}

/* Read the layouts; their errors are computed anew when they are compared. */
static void read_layouts(struct result_reader *reader, void *data)
{
	static const struct part parts[] = {{"cycles", read_layout_cycles}};
	struct takt_trace_layouts *layouts = &reader->result->layouts;
	struct takt_trace_totals *totals = data;

	if (skip_null(&reader->json))
		return;
	totals->layouts = layouts;
	read_record(reader, &takt_trace_layouts_record, parts, TAKT_COUNT_OF(parts), layouts);
	if (!layouts->count)
		json_read_fail(&reader->json, "the layouts before this have no cycles");
}

/* Read the command line: an array of words, or null. */
static void read_command(struct result_reader *reader, void *data)
{
	struct takt_trace_totals *totals = data;
	struct json_reader *json = &reader->json;
	const char **words = NULL;
	uint32_t count = 0, capacity = 0;

	if (skip_null(json))
		return;
	json_read_begin(json, '[');
	while (json_read_element(json)) {
		TAKT_GROW_IN(reader->json.arena, words, count + 1, capacity);
		words[count] = NULL;
		if (json_read_string(json, &words[count]) && !words[count])
			json_read_fail(json, "a word is expected before this");
		count++;
	}
	totals->command = words;
	totals->command_count = json->failed ? 0 : count;
}

/* Read what programs did; how they began and ended is not needed. */
static void read_processes(struct result_reader *reader, void *data)
{
	static const struct part parts[] = {
		{"began", skip_part},	  {"ended", skip_part},	     {"exit_status", skip_part},
		{"lost_path", skip_part}, {"lost_cause", skip_part},
	};
	struct takt_trace_totals *totals = data;
	struct takt_trace_process *list = NULL;
	uint32_t count = 0, capacity = 0;

	json_read_begin(&reader->json, '[');
	while (json_read_element(&reader->json)) {
		TAKT_GROW_IN(reader->json.arena, list, count + 1, capacity);
		list[count] = (struct takt_trace_process){.exit_status = -1};
		read_record(reader, &takt_trace_process_record, parts, TAKT_COUNT_OF(parts),
			    &list[count]);
		if (!list[count++].command)
			json_read_fail(&reader->json, "the program has no command");
	}
	totals->process_list = list;
	totals->process_count = reader->json.failed ? 0 : count;
}

/* Read which part of the program the figures cover. */
static void read_seen(struct result_reader *reader, void *data)
{
	struct takt_trace_totals *totals = data;
	struct takt_trace_seen *seen = TAKT_NEW(reader->json.arena, struct takt_trace_seen);

	read_record(reader, &takt_trace_seen_record, NULL, 0, seen);
	totals->seen = seen;
}

/* Read a digest: sixteen hexadecimal digits, or null. */
static void read_digest(struct result_reader *reader, void *data)
{
	struct takt_trace_totals *totals = data;
	const char *text = NULL;
	char *end;

	if (!json_read_string(&reader->json, &text) || !text)
		return;
	totals->core_digest = strtoull(text, &end, 16);
	if (strlen(text) != 16 || *end)
		json_read_fail(&reader->json, "16 hexadecimal digits are expected before this");
}

/* Set what a result of an older version includes, which its options say. */
static void set_models(struct takt_trace_totals *totals)
{
	totals->models_caches = totals->settings && strstr(totals->settings, "--cache");
	totals->models_branches = totals->settings && strstr(totals->settings, "--branch");
}

/* Note that the result says what its models include. */
static void read_models_caches(struct result_reader *reader, void *data)
{
	struct takt_trace_totals *totals = data;

	reader->has_models = true;
	json_read_bool(&reader->json, &totals->models_caches);
}

static void read_result(struct result_reader *reader)
{
	static const struct part parts[] = {
		{"schema", read_schema},
		{"command", read_command},
		{"core_digest", read_digest},
		{"loss_names", read_loss_names},
		{"models_caches", read_models_caches},
		{"sample", read_sample},
		{"processes", read_processes},
		{"layouts", read_layouts},
		{"seen", read_seen},
		{"functions", read_functions},
		{"blocks_run", read_blocks},
	};
	struct takt_trace_totals *totals = &reader->result->totals;

	read_record(reader, &takt_trace_totals_record, parts, TAKT_COUNT_OF(parts), totals);
	if (!reader->has_models)
		set_models(totals);
	json_read_end(&reader->json);
	if (!reader->json.failed && !reader->has_schema)
		json_read_fail(&reader->json, "there is no \"schema\": this is no trace result");
}

enum takt_status takt_trace_result_read(const uint8_t *data, size_t size_bytes, const char *name,
					struct takt_diag *diag,
					struct takt_trace_totals **ret_totals)
{
	struct result *result = takt_xcalloc(1, sizeof(*result));
	struct result_reader reader = {.result = result};

	json_reader_init(&reader.json, data, size_bytes, name, &result->arena, diag);
	read_result(&reader);
	if (reader.json.failed) {
		takt_note(diag, "'takt trace --format=json --report=FILE' writes results");
		takt_arena_release(&result->arena);
		free(result);
		return TAKT_BAD_INPUT;
	}
	result->profile = (struct takt_trace_profile){
		.functions = reader.functions,
		.function_count = reader.function_count,
		.blocks = reader.blocks,
		.block_count = reader.block_count,
	};
	if (reader.has_profile)
		result->totals.profile = &result->profile;
	*ret_totals = &result->totals;
	return TAKT_OK;
}

static bool looks_like_json(const uint8_t *data, size_t size_bytes)
{
	size_t i = 0;

	while (i < size_bytes &&
	       (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r'))
		i++;
	return i < size_bytes && data[i] == '{';
}

bool takt_trace_is_result(const char *path)
{
	struct takt_file file;
	struct stat status;
	bool result;

	/* Standard input and pipes can be read only once. */
	if (strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode)))
		return true;
	if (takt_file_open(path, NULL, &file) != TAKT_OK)
		return false;
	result = looks_like_json(file.data, file.size_bytes);
	takt_file_close(&file);
	return result;
}

enum takt_status takt_trace_result_open(const char *path, struct takt_diag *diag,
					struct takt_trace_totals **ret_totals)
{
	struct takt_file file;
	enum takt_status status = takt_file_open(path, diag, &file);

	if (status != TAKT_OK)
		return status;
	status = takt_trace_result_read(file.data, file.size_bytes, path, diag, ret_totals);
	takt_file_close(&file);
	return status;
}

void takt_trace_result_close(struct takt_trace_totals *totals)
{
	TAKT_FREE_OWNER(struct result, totals);
}
