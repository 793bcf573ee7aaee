/* SPDX-License-Identifier: MIT */
/* The options that select the code, for all commands that have them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

static bool bad_lines(const char *list)
{
	return takt_say_error("'--lines' needs lines such as '1,4-9,12:15', not '%s'", list);
}

static bool read_line_number(const char **text, uint32_t *ret_line)
{
	char *end;
	unsigned long line;

	errno = 0;
	line = strtoul(*text, &end, 10);
	if (end == *text || **text < '0' || **text > '9' || errno || !line || line > UINT32_MAX)
		return false;
	*text = end;
	*ret_line = (uint32_t)line;
	return true;
}

/* Read a list of lines. *ret_lines is set on failure too. */
static bool read_lines(const char *list, struct takt_code_options *code,
		       struct takt_line_range **ret_lines)
{
	size_t most = strlen(list) / 2 + 1;
	struct takt_line_range *lines = takt_allocate(most, sizeof(*lines));
	size_t count = 0;

	*ret_lines = lines;
	code->lines = lines;
	for (const char *next = list;; next++) {
		struct takt_line_range *range = &lines[count++];

		if (!read_line_number(&next, &range->first))
			return bad_lines(list);
		range->last = range->first;
		if (*next == '-' || *next == ':') {
			next++;
			if (!read_line_number(&next, &range->last) || range->last < range->first)
				return bad_lines(list);
		}
		if (!*next)
			break;
		if (*next != ',')
			return bad_lines(list);
	}
	code->line_count = count;
	return true;
}

static bool read_range(const char *range, struct takt_code_options *code)
{
	char *middle, *end = NULL;

	errno = 0;
	code->range_begin = strtoull(range, &middle, 0);
	if (middle > range && *middle == '-' && middle[1] >= '0' && middle[1] <= '9')
		code->range_end = strtoull(middle + 1, &end, 0);
	if (!end || *end || errno || code->range_end <= code->range_begin)
		return takt_say_error(
			"'--range' needs two rising addresses such as '0x40-0x80', not '%s'",
			range);
	return true;
}

/* True if standard input is a pipe or a file: not a terminal, and not /dev/null. */
static bool has_standard_input(void)
{
	struct stat info;

	return fstat(STDIN_FILENO, &info) == 0 &&
	       (S_ISFIFO(info.st_mode) || S_ISREG(info.st_mode) || S_ISSOCK(info.st_mode));
}

/* Find the source of the code: a file, standard input or the command line. */
static bool read_source(const struct takt_arguments *arguments,
			const struct takt_code_option_ids *ids, struct takt_code_options *code)
{
	const char *hex = arguments->values[ids->hex];
	bool has_bytes = hex && *hex, has_operand = arguments->operand_count == 1;

	if (arguments->operand_count > 1)
		return takt_say_error("one file at a time, not '%s' and '%s'",
				      arguments->operands[0], arguments->operands[1]);
	if (has_bytes == has_operand && (has_bytes || !has_standard_input())) {
		if (has_bytes)
			takt_say_error("'--hex=BYTES' leaves no place for a file");
		else
			takt_say_error("'takt %s' needs a file", arguments->doc->name);
		return takt_say_note("'takt %s --help' says how to call it", arguments->doc->name);
	}
	if (hex && arguments->values[ids->raw])
		return takt_say_error("code is either '--raw' or '--hex'");
	if (hex)
		code->format = TAKT_INPUT_HEX;
	else if (arguments->values[ids->raw])
		code->format = TAKT_INPUT_RAW;
	code->path = has_bytes ? "command line" : has_operand ? arguments->operands[0] : "-";
	if (has_bytes) {
		code->data = hex;
		code->data_size_bytes = strlen(hex);
	}
	return true;
}

bool takt_code_options_read(const struct takt_arguments *arguments,
			    const struct takt_code_option_ids *ids,
			    struct takt_code_options *ret_code, struct takt_line_range **ret_lines)
{
	static const enum takt_syntax syntaxes[] = {TAKT_SYNTAX_ATT, TAKT_SYNTAX_INTEL,
						    TAKT_SYNTAX_AUTO};
	const char *const *values = arguments->values;
	struct takt_line_range *lines = NULL;
	struct takt_code_options code = {
		.function = values[ids->function],
		.section = values[ids->section],
		.whole = values[ids->whole] != NULL,
	};

	if (values[ids->syntax])
		code.syntax = syntaxes[takt_arguments_choice(arguments, ids->syntax)];
	if ((values[ids->lines] && !read_lines(values[ids->lines], &code, &lines)) ||
	    (values[ids->range] && !read_range(values[ids->range], &code)) ||
	    !read_source(arguments, ids, &code)) {
		free(lines);
		return false;
	}
	*ret_code = code;
	*ret_lines = lines;
	return true;
}
