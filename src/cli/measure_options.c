/* SPDX-License-Identifier: MIT */
/* The options of `takt measure` as requests to the library. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command_docs.h"
#include "cli/measure.h"

#define ALIGN_MOST 63
#define ROUNDS_MOST 10000
#define CPU_MOST 65534
#define CALL_ARGUMENTS_MAX 6
#define CALL_BUFFER_BYTES_MAX ((uint64_t)1 << 30)

static const struct takt_code_option_ids code_ids = {
	.function = OPTION_MEASURE_FUNCTION,
	.section = OPTION_MEASURE_SECTION,
	.range = OPTION_MEASURE_RANGE,
	.lines = OPTION_MEASURE_LINES,
	.whole = OPTION_MEASURE_WHOLE,
	.raw = OPTION_MEASURE_RAW,
	.hex = OPTION_MEASURE_HEX,
	.syntax = OPTION_MEASURE_SYNTAX,
};

/* Read an integer, or a double if there is a point, as 64 bits; *ret_end is after it. */
static bool read_lane(const char *text, const char **ret_end, uint64_t *ret_value)
{
	bool is_hex = text[0] == '0' && (text[1] | 0x20) == 'x';
	const char *digits = text + (*text == '-');
	size_t size = strcspn(text, ",=");
	uint64_t value;
	char *end;

	if (!isdigit((unsigned char)*digits))
		return false;
	errno = 0;
	if (!is_hex && (memchr(text, '.', size) || memchr(text, 'e', size))) {
		double number = strtod(text, &end);

		memcpy(&value, &number, sizeof(value));
	} else {
		/* A number with a leading zero is decimal: octal would surprise. */
		value = strtoull(text, &end, is_hex ? 16 : 10);
	}
	if (end == text || errno)
		return false;
	*ret_end = end;
	*ret_value = value;
	return true;
}

static bool read_register(const char *text, char *name, struct takt_register_value *ret_value)
{
	size_t size = strcspn(text, "=");
	const char *end;
	uint64_t value;

	if (!size || !text[size] || !read_lane(text + size + 1, &end, &value) || *end)
		return takt_say_error("'--set' needs a register and a number such as 'rcx=0x10' or "
				      "'xmm0=1.5', not '%s'",
				      text);
	for (size_t i = 0; i < size; i++)
		name[i] = (char)tolower((unsigned char)text[i]);
	name[size] = 0;
	*ret_value = (struct takt_register_value){.name = name, .value = value};
	return true;
}

static bool read_registers(const struct takt_arguments *arguments,
			   struct takt_measure_request *request)
{
	size_t count = 0, size = 0;
	char *name;

	for (size_t i = 0; i < arguments->given_count; i++)
		if (arguments->given[i].id == OPTION_MEASURE_SET)
			size += strlen(arguments->given[i].value) + 1;
	request->registers = takt_allocate(arguments->given_count, sizeof(*request->registers));
	request->names = name = takt_allocate(size, 1);
	for (size_t i = 0; i < arguments->given_count; i++) {
		const struct takt_given *given = &arguments->given[i];

		if (given->id != OPTION_MEASURE_SET)
			continue;
		if (!read_register(given->value, name, &request->registers[count++]))
			return false;
		name += strlen(name) + 1;
	}
	request->options.registers = request->registers;
	request->options.register_count = count;
	return true;
}

static bool read_initial(const struct takt_arguments *arguments,
			 struct takt_measure_options *options)
{
	const char *kind = arguments->values[OPTION_MEASURE_INIT];
	char *end;

	if (!kind || strcmp(kind, "diff") == 0)
		return true;
	if (strcmp(kind, "same") == 0) {
		options->initial = TAKT_INITIAL_SAME;
		return true;
	}
	if (strncmp(kind, "random:", 7) == 0 && isdigit((unsigned char)kind[7])) {
		errno = 0;
		options->initial = TAKT_INITIAL_RANDOM;
		options->seed = strtoull(kind + 7, &end, 0);
		if (!*end && !errno)
			return true;
	}
	return takt_say_error("'--init' is 'diff', 'same' or 'random:SEED', not '%s'", kind);
}

static bool read_reject(const struct takt_arguments *arguments,
			struct takt_measure_request *request)
{
	const char *list = arguments->values[OPTION_MEASURE_REJECT];

	for (const char *next = list; next; next = *next ? next + 1 : NULL) {
		size_t size = strcspn(next, ",");

		if (size == 4 && memcmp(next, "line", 4) == 0)
			request->options.reject_line_crossing = true;
		else if (size == 4 && memcmp(next, "page", 4) == 0)
			request->options.reject_page_crossing = true;
		else
			return takt_say_error("'--reject' is 'line', 'page' or both, not '%s'",
					      list);
		next += size;
		if (!*next)
			break;
	}
	return true;
}

static bool read_options(const struct takt_arguments *arguments,
			 struct takt_measure_request *request)
{
	/* perf: the measurer tries both ways of reading the counter. */
	static const enum takt_clock clocks[] = {TAKT_CLOCK_AUTO, TAKT_CLOCK_PERF_RDPMC,
						 TAKT_CLOCK_ADD_CHAIN};
	struct takt_measure_options *options = &request->options;
	int32_t cpu = -1;
	double percent = 0;

	options->clock = clocks[takt_arguments_choice(arguments, OPTION_MEASURE_CLOCK)];
	options->keep_denormals = arguments->values[OPTION_MEASURE_KEEP_DENORMALS] != NULL;
	if (!read_initial(arguments, options) || !read_registers(arguments, request) ||
	    !read_reject(arguments, request) ||
	    !takt_arguments_integer(arguments, OPTION_MEASURE_ALIGN, 0, ALIGN_MOST,
				    &options->alignment_bytes) ||
	    !takt_arguments_integer(arguments, OPTION_MEASURE_ROUNDS, 1, ROUNDS_MOST,
				    &options->rounds) ||
	    !takt_arguments_integer(arguments, OPTION_MEASURE_CPU, 0, CPU_MOST, &cpu) ||
	    !takt_arguments_positive(arguments, OPTION_MEASURE_TOLERANCE, &percent) ||
	    !takt_arguments_positive(arguments, OPTION_MEASURE_TIME_LIMIT,
				     &options->time_limit_seconds))
		return false;
	options->cpu = (uint32_t)(cpu + 1);
	options->tolerance = percent / 100;
	return true;
}

/* Read a buffer: `@BYTES` or `@BYTES=VALUE`. */
static bool read_buffer(const char *text, const char **ret_end, struct takt_call_buffer *buffer)
{
	uint64_t size;

	if (!read_lane(text + 1, &text, &size) || !size || size > CALL_BUFFER_BYTES_MAX)
		return false;
	buffer->size_bytes = (size_t)size;
	*ret_end = text;
	return *text != '=' || read_lane(text + 1, ret_end, &buffer->fill);
}

static bool read_call_arguments(const char *list, struct takt_measure_request *request)
{
	struct takt_call *call = &request->call;
	const char *next = list;

	request->arguments = takt_allocate(CALL_ARGUMENTS_MAX, sizeof(*request->arguments));
	request->buffers = takt_allocate(CALL_ARGUMENTS_MAX, sizeof(*request->buffers));
	call->arguments = request->arguments;
	call->buffers = request->buffers;
	while (list && *list) {
		size_t i = call->argument_count++;

		if (i == CALL_ARGUMENTS_MAX)
			return takt_say_error("'--args' takes up to %d arguments",
					      CALL_ARGUMENTS_MAX);
		if (!(*next == '@' ? read_buffer(next, &next, &request->buffers[i])
				   : read_lane(next, &next, &request->arguments[i])) ||
		    (*next && *next != ','))
			return takt_say_error("'--args' needs numbers and buffers such as "
					      "'1,0x10,@4096,@4096=1.0', not '%s'",
					      list);
		if (!*next++)
			break;
	}
	return true;
}

static bool read_call(const struct takt_arguments *arguments, struct takt_measure_request *request)
{
	if (arguments->operand_count != 1)
		return takt_say_error("'--call' needs one file, an object or a shared library");
	request->call.path = arguments->operands[0];
	request->call.function = arguments->values[OPTION_MEASURE_CALL];
	request->call.is_library = arguments->values[OPTION_MEASURE_LIBRARY] != NULL;
	return read_call_arguments(arguments->values[OPTION_MEASURE_ARGS], request) &&
	       takt_arguments_positive(arguments, OPTION_MEASURE_ITERATIONS,
				       &request->call.iterations);
}

static bool read_batch(const struct takt_arguments *arguments, struct takt_measure_request *request)
{
	const char *path = arguments->values[OPTION_MEASURE_BATCH];

	request->is_batch = true;
	request->batch_path = *path ? path : arguments->operands[0];
	if (arguments->operand_count > (*path ? 0 : 1))
		return takt_say_error("one file at a time, not '%s' as well",
				      arguments->operands[*path ? 0 : 1]);
	if (!arguments->operand_count && !*path)
		request->batch_path = NULL;
	if (arguments->values[OPTION_MEASURE_FORMAT] && request->format != TAKT_MEASURE_CSV)
		return takt_say_error("the result of '--batch' is CSV");
	if (arguments->values[OPTION_MEASURE_RESUME] && !arguments->values[OPTION_MEASURE_OUTPUT])
		return takt_say_error("'--resume' needs '--output=FILE', the file to continue");
	return true;
}

/* Report options that do not apply to the kind of input given; false if there are any. */
static bool check_combination(const struct takt_arguments *arguments)
{
	enum { HEX = 1, BATCH = 2, CALL = 4, FILE_ = 8 };
	static const struct {
		unsigned id, with;
		const char *text;
	} rows[] = {
		{OPTION_MEASURE_HEX, HEX, "a block or a file"},
		{OPTION_MEASURE_RESUME, BATCH, "'--batch'"},
		{OPTION_MEASURE_DATE, BATCH, "'--batch'"},
		{OPTION_MEASURE_ARGS, CALL, "'--call'"},
		{OPTION_MEASURE_ITERATIONS, CALL, "'--call'"},
		{OPTION_MEASURE_LIBRARY, CALL, "'--call'"},
		{OPTION_MEASURE_FUNCTION, FILE_, "code of a file"},
		{OPTION_MEASURE_SECTION, FILE_, "code of a file"},
		{OPTION_MEASURE_RANGE, FILE_ | HEX, "code of a file"},
		{OPTION_MEASURE_LINES, FILE_, "code of a file"},
		{OPTION_MEASURE_REGION, FILE_ | HEX, "code of a file"},
		{OPTION_MEASURE_RAW, FILE_ | HEX, "code of a file"},
		{OPTION_MEASURE_MODE, FILE_ | HEX | BATCH, "blocks"},
	};
	const char *const *values = arguments->values;
	unsigned kind = values[OPTION_MEASURE_BATCH]  ? BATCH
			: values[OPTION_MEASURE_CALL] ? CALL
			: values[OPTION_MEASURE_HEX]  ? HEX
						      : FILE_;

	if (values[OPTION_MEASURE_BATCH] && values[OPTION_MEASURE_CALL])
		return takt_say_error("'--batch' is of blocks, '--call' of a function");
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		if (!values[rows[i].id] || (rows[i].with & kind))
			continue;
		return takt_say_error("'%s' goes with %s", arguments->typed[rows[i].id],
				      rows[i].text);
	}
	return true;
}

bool takt_measure_request_read(const struct takt_arguments *arguments,
			       struct takt_measure_request *ret_request)
{
	const char *const *values = arguments->values;
	struct takt_measure_request request = {
		.format = takt_arguments_choice(arguments, OPTION_MEASURE_FORMAT),
		.mode = takt_arguments_choice(arguments, OPTION_MEASURE_MODE),
	};
	bool good = check_combination(arguments) && read_options(arguments, &request);

	if (good && values[OPTION_MEASURE_BATCH])
		good = read_batch(arguments, &request);
	else if (good && values[OPTION_MEASURE_CALL])
		good = read_call(arguments, &request);
	else if (good)
		good = takt_code_options_read(arguments, &code_ids, &request.code, &request.lines);
	if (request.code.format == TAKT_INPUT_RAW || request.code.format == TAKT_INPUT_HEX)
		request.code.isa = TAKT_HOST_ISA;
	if (good)
		*ret_request = request;
	else
		takt_measure_request_release(&request);
	return good;
}

void takt_measure_request_release(struct takt_measure_request *request)
{
	free(request->lines);
	free(request->registers);
	free(request->names);
	free(request->arguments);
	free(request->buffers);
}
