/* SPDX-License-Identifier: MIT */
/* Reads what takt_write_trace_json() wrote: docs/formats.md, "Trace result". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/result/json_read.h"
#include "trace/trace.h"

#define SCHEMA "takt-trace-1"
#define KEY_SIZE 32u
#define LOSSES_READ_MAX 64u

/* A result. Callers get pointers to totals and profile; everything else is in the arena. */
struct result {
	struct takt_trace_totals totals;
	struct takt_trace_profile profile;
	struct takt_trace_sample sample;
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
	bool has_schema, has_profile;
};

/* ---- figures ---- */

struct field {
	const char *key;
	size_t offset;
};

#define COUNT(key, member)                                                                         \
	{                                                                                          \
		key, offsetof(struct takt_trace_counts, member)                                    \
	}
static const struct field count_fields[] = {
	COUNT("instructions", insns),
	COUNT("repeats", repeats),
	COUNT("interrupted", interrupted),
	COUNT("blocks", blocks),
	COUNT("taken", taken),
	COUNT("not_taken", not_taken),
	COUNT("loads", loads),
	COUNT("load_bytes", load_bytes),
	COUNT("stores", stores),
	COUNT("store_bytes", store_bytes),
	COUNT("syscalls", syscalls),
	COUNT("uops", uops),
	COUNT("cycles", cycles),
};

static const struct field weight_fields[] = {
	{"instructions", offsetof(struct takt_trace_weight, insns)},
	{"cycles", offsetof(struct takt_trace_weight, cycles)},
};

static const struct field function_fields[] = {
	{"size_bytes", offsetof(struct takt_trace_function, size_bytes)},
	{"calls", offsetof(struct takt_trace_function, calls)},
	{"total_instructions", offsetof(struct takt_trace_function, total_insns)},
	{"total_cycles", offsetof(struct takt_trace_function, total_cycles)},
};

static const struct field block_fields[] = {
	{"offset", offsetof(struct takt_trace_block, offset)},
	{"executions", offsetof(struct takt_trace_block, executions)},
};

/* Read the value of `key` into the object; false if `key` is not one of the fields. */
static bool read_field(struct json_reader *json, const char *key, const struct field *fields,
		       size_t count, void *object)
{
	uint64_t value;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(key, fields[i].key) != 0)
			continue;
		json_read_unsigned(json, &value);
		memcpy((char *)object + fields[i].offset, &value, sizeof(value));
		return true;
	}
	return false;
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

	if (json_read_peek(&reader->json) == 'n') {
		json_read_skip(&reader->json);
		return;
	}
	json_read_begin(&reader->json, '[');
	for (uint32_t i = 0; json_read_element(&reader->json); i++) {
		json_read_unsigned(&reader->json, &value);
		if (i < reader->loss_count && reader->losses[i] < TAKT_TRACE_LOSSES)
			losses[reader->losses[i]] = value;
	}
}

static void read_loss_names(struct result_reader *reader)
{
	const char *name;

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

/* Read the value of `key` into a weight; false if a weight has no such key. */
static bool read_weight(struct result_reader *reader, const char *key,
			struct takt_trace_weight *weight)
{
	if (strcmp(key, "losses") == 0) {
		read_losses(reader, weight->losses);
		return true;
	}
	return read_field(&reader->json, key, weight_fields, TAKT_COUNT_OF(weight_fields), weight);
}

/* ---- functions and blocks ---- */

static void read_function(struct result_reader *reader, struct takt_trace_function *function)
{
	struct json_reader *json = &reader->json;
	char key[KEY_SIZE];

	json_read_begin(json, '{');
	while (json_read_member(json, key, sizeof(key))) {
		if (strcmp(key, "name") == 0)
			json_read_string(json, &function->name);
		else if (strcmp(key, "symbol") == 0)
			json_read_string(json, &function->symbol);
		else if (strcmp(key, "file") == 0)
			json_read_string(json, &function->file);
		else if (strcmp(key, "address") == 0)
			read_address(json, &function->address);
		else if (!read_weight(reader, key, &function->self) &&
			 !read_field(json, key, function_fields, TAKT_COUNT_OF(function_fields),
				     function))
			json_read_skip(json);
	}
	if (!function->name)
		json_read_fail(json, "the function has no name");
}

static void read_functions(struct result_reader *reader)
{
	reader->has_profile = true;
	json_read_begin(&reader->json, '[');
	while (json_read_element(&reader->json)) {
		TAKT_GROW_IN(reader->json.arena, reader->functions, reader->function_count + 1,
			     reader->function_capacity);
		read_function(reader, &reader->functions[reader->function_count++]);
	}
}

/* Read a block's bytes, which overwrite the digits they are read from. */
static void read_bytes(struct result_reader *reader, struct takt_trace_block *block)
{
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

static void read_block(struct result_reader *reader, struct takt_trace_block *block)
{
	struct json_reader *json = &reader->json;
	char key[KEY_SIZE];

	block->function = UINT32_MAX;
	json_read_begin(json, '{');
	while (json_read_member(json, key, sizeof(key))) {
		if (strcmp(key, "function") == 0)
			read_small(json, &block->function);
		else if (strcmp(key, "length") == 0)
			read_small(json, &block->insn_count);
		else if (strcmp(key, "bytes") == 0)
			read_bytes(reader, block);
		else if (strcmp(key, "address") == 0)
			read_address(json, &block->address);
		else if (!read_weight(reader, key, &block->weight) &&
			 !read_field(json, key, block_fields, TAKT_COUNT_OF(block_fields), block))
			json_read_skip(json);
	}
	if (block->function >= reader->function_count)
		json_read_fail(json, "the block is of no function above");
}

static void read_blocks(struct result_reader *reader)
{
	json_read_begin(&reader->json, '[');
	while (json_read_element(&reader->json)) {
		TAKT_GROW_IN(reader->json.arena, reader->blocks, reader->block_count + 1,
			     reader->block_capacity);
		read_block(reader, &reader->blocks[reader->block_count++]);
	}
}

/* ---- the whole ---- */

static void read_schema(struct result_reader *reader)
{
	const char *schema;

	if (!json_read_string(&reader->json, &schema))
		return;
	reader->has_schema = schema && strcmp(schema, SCHEMA) == 0;
	if (!reader->has_schema)
		json_read_fail(&reader->json, "the schema before this is not \"" SCHEMA "\"");
}

/* Read a sample. A half width of null means that there were too few units to know it. */
static void read_sample(struct result_reader *reader)
{
	struct takt_trace_sample *sample = &reader->result->sample;
	struct json_reader *json = &reader->json;
	char key[KEY_SIZE];

	if (json_read_peek(json) == 'n') {
		json_read_skip(json);
		return;
	}
	sample->half_width_cycles = HUGE_VAL;
	reader->result->totals.sample = sample;
	json_read_begin(json, '{');
	while (json_read_member(json, key, sizeof(key))) {
		if (strcmp(key, "half_width_cycles") == 0 && json_read_peek(json) != 'n')
			json_read_real(json, &sample->half_width_cycles);
		else if (strcmp(key, "units") == 0)
			json_read_unsigned(json, &sample->units);
		else if (strcmp(key, "simulated_instructions") == 0)
			json_read_unsigned(json, &sample->simulated_insns);
		else
			json_read_skip(json);
	}
}

static void read_exit_status(struct json_reader *json, int *ret_value)
{
	int64_t value;

	json_read_signed(json, &value);
	*ret_value = (int)value;
	if (value < INT32_MIN || value > INT32_MAX)
		json_read_fail(json, "this number is too large");
}

/* Read the command line: an array of words, or null. */
static void read_command(struct result_reader *reader)
{
	struct takt_trace_totals *totals = &reader->result->totals;
	struct json_reader *json = &reader->json;
	const char **words = NULL;
	uint32_t count = 0, capacity = 0;

	if (json_read_peek(json) == 'n') {
		json_read_skip(json);
		return;
	}
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

/* Read a digest: sixteen hexadecimal digits, or null. */
static void read_digest(struct json_reader *json, uint64_t *ret_digest)
{
	const char *text = NULL;
	char *end;

	if (!json_read_string(json, &text) || !text)
		return;
	*ret_digest = strtoull(text, &end, 16);
	if (strlen(text) != 16 || *end)
		json_read_fail(json, "16 hexadecimal digits are expected before this");
}

/* Read the value of a key that says how the result was made; false if `key` is none of them. */
static bool read_origin(struct result_reader *reader, const char *key)
{
	struct takt_trace_totals *totals = &reader->result->totals;
	struct json_reader *json = &reader->json;

	if (strcmp(key, "takt") == 0)
		json_read_string(json, &totals->version);
	else if (strcmp(key, "command") == 0)
		read_command(reader);
	else if (strcmp(key, "core_digest") == 0)
		read_digest(json, &totals->core_digest);
	else if (strcmp(key, "blocks_only") == 0)
		json_read_bool(json, &totals->blocks_only);
	else if (strcmp(key, "syscall_cycles") == 0)
		read_small(json, &totals->syscall_cycles);
	else if (strcmp(key, "left_out") == 0)
		json_read_unsigned(json, &totals->left_out);
	else if (strcmp(key, "loss_names") == 0)
		read_loss_names(reader);
	else
		return false;
	return true;
}

/* Read the value of a key that describes the run; false if `key` is none of them. */
static bool read_about(struct result_reader *reader, const char *key)
{
	struct takt_trace_totals *totals = &reader->result->totals;
	struct json_reader *json = &reader->json;

	if (strcmp(key, "schema") == 0)
		read_schema(reader);
	else if (strcmp(key, "guest") == 0)
		json_read_string(json, &totals->guest);
	else if (strcmp(key, "core") == 0)
		json_read_string(json, &totals->core);
	else if (strcmp(key, "unread_path") == 0)
		json_read_string(json, &totals->unread_path);
	else if (strcmp(key, "unread_cause") == 0)
		json_read_string(json, &totals->unread_cause);
	else if (strcmp(key, "core_doubt") == 0)
		json_read_string(json, &totals->core_doubt);
	else if (strcmp(key, "settings") == 0)
		json_read_string(json, &totals->settings);
	else if (strcmp(key, "exit_status") == 0)
		read_exit_status(json, &totals->exit_status);
	else if (strcmp(key, "signal") == 0)
		read_exit_status(json, &totals->signal);
	else if (strcmp(key, "became_other") == 0)
		json_read_bool(json, &totals->became_other);
	else if (strcmp(key, "stopped_by") == 0)
		read_exit_status(json, &totals->stopped_by);
	else if (strcmp(key, "processes_not_followed") == 0)
		read_small(json, &totals->processes);
	else
		return read_origin(reader, key);
	return true;
}

static void read_result(struct result_reader *reader)
{
	struct takt_trace_counts *all = &reader->result->totals.all;
	char key[KEY_SIZE];

	json_read_begin(&reader->json, '{');
	while (json_read_member(&reader->json, key, sizeof(key))) {
		if (read_about(reader, key))
			continue;
		if (strcmp(key, "losses") == 0)
			read_losses(reader, all->losses);
		else if (strcmp(key, "sample") == 0)
			read_sample(reader);
		else if (strcmp(key, "functions") == 0)
			read_functions(reader);
		else if (strcmp(key, "blocks_run") == 0)
			read_blocks(reader);
		else if (!read_field(&reader->json, key, count_fields, TAKT_COUNT_OF(count_fields),
				     all))
			json_read_skip(&reader->json);
	}
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

	takt_arena_init(&result->arena);
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
	bool result;

	/* Standard input can be read only once. */
	if (strcmp(path, "-") == 0)
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
	struct result *result = (struct result *)totals;

	if (!totals)
		return;
	takt_arena_release(&result->arena);
	free(result);
}
