/* SPDX-License-Identifier: MIT */
/* The options of `takt analyze` as requests to the library. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command_docs.h"

#define COLUMNS_LEAST 60
#define COLUMNS_MOST 1000

/* Options that scripts for other tools pass, and what becomes of them. */
static const struct {
	unsigned id;
	bool refused;
	const char *text;
} foreign[] = {
	{OPTION_ANALYZE_IGNORE_UNKNOWN,     false, "unknown forms never stop takt"              },
	{OPTION_ANALYZE_CONSIDER_FLAG_DEPS, false, "dependences through flags always count"     },
	{OPTION_ANALYZE_LCD_TIMEOUT,        false, "the exact method needs no timeout"          },
	{OPTION_ANALYZE_ITERATIONS,         false, "figures are of the steady state"            },
	{OPTION_ANALYZE_MATTR,              false, "a core has the extensions its model says"   },
	{OPTION_ANALYZE_INSTRUCTION_INFO,   false, "this is always shown"                       },
	{OPTION_ANALYZE_YAML_OUT,           true,  "write JSON with '--format=json -o FILE'"    },
	{OPTION_ANALYZE_TIMELINE,           true,  "there is no simulator in this version"      },
};

static bool read_foreign(const struct takt_arguments *arguments)
{
	const char *triple = arguments->values[OPTION_ANALYZE_MTRIPLE];

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		if (!arguments->values[foreign[i].id])
			continue;
		if (foreign[i].refused) {
			takt_say_error("'--%s' is not in this version",
				       arguments->names[foreign[i].id]);
			takt_say_note("%s", foreign[i].text);
			return false;
		}
		takt_say_note("'--%s' changes nothing: %s", arguments->names[foreign[i].id],
			      foreign[i].text);
	}
	if (triple && strncmp(triple, "x86_64", 6) != 0 && strncmp(triple, "x86-64", 6) != 0) {
		takt_say_error("'--mtriple=%s': only x86-64 is in this version", triple);
		return false;
	}
	return true;
}

static bool bad_lines(const char *list)
{
	takt_say_error("'--lines' needs lines such as '1,4-9,12:15', not '%s'", list);
	return false;
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

static bool read_lines(const char *list, struct takt_analyze_request *request)
{
	size_t most = strlen(list) / 2 + 1;
	struct takt_line_range *lines = calloc(most, sizeof(*lines));
	size_t count = 0;

	if (!lines)
		abort();
	request->lines = lines;
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
	request->code.lines = lines;
	request->code.line_count = count;
	return true;
}

static bool read_range(const char *range, struct takt_code_options *code)
{
	char *middle, *end = NULL;

	errno = 0;
	code->range_begin = strtoull(range, &middle, 0);
	if (middle > range && *middle == '-' && middle[1] >= '0' && middle[1] <= '9')
		code->range_end = strtoull(middle + 1, &end, 0);
	if (!end || *end || errno || code->range_end <= code->range_begin) {
		takt_say_error("'--range' needs two rising addresses such as '0x40-0x80', not '%s'",
			       range);
		return false;
	}
	return true;
}

/* Where the code comes from: a file, standard input or the command line. */
static bool read_source(const struct takt_arguments *arguments, struct takt_code_options *code)
{
	const char *hex = arguments->values[OPTION_ANALYZE_HEX];
	bool has_bytes = hex && *hex;

	if (arguments->operand_count > 1) {
		takt_say_error("one file at a time, not '%s' and '%s'", arguments->operands[0],
			       arguments->operands[1]);
		return false;
	}
	if (has_bytes == (arguments->operand_count == 1)) {
		takt_say_error(has_bytes ? "'--hex=BYTES' leaves no place for a file"
					 : "no file to analyze");
		takt_say_note("'takt analyze --help' says how to call it");
		return false;
	}
	if (hex && arguments->values[OPTION_ANALYZE_RAW]) {
		takt_say_error("code is either '--raw' or '--hex'");
		return false;
	}
	if (hex)
		code->format = TAKT_INPUT_HEX;
	else if (arguments->values[OPTION_ANALYZE_RAW])
		code->format = TAKT_INPUT_RAW;
	code->path = has_bytes ? "command line" : arguments->operands[0];
	if (has_bytes) {
		code->data = hex;
		code->data_size_bytes = strlen(hex);
	}
	return true;
}

static bool read_code(const struct takt_arguments *arguments, struct takt_analyze_request *request)
{
	static const enum takt_syntax syntaxes[] = {TAKT_SYNTAX_ATT, TAKT_SYNTAX_INTEL,
						    TAKT_SYNTAX_AUTO};
	const char *const *values = arguments->values;
	struct takt_code_options *code = &request->code;

	code->function = values[OPTION_ANALYZE_FUNCTION];
	code->section = values[OPTION_ANALYZE_SECTION];
	code->whole = values[OPTION_ANALYZE_WHOLE] != NULL;
	if (values[OPTION_ANALYZE_SYNTAX])
		code->syntax = syntaxes[takt_arguments_choice(arguments, OPTION_ANALYZE_SYNTAX)];
	if (values[OPTION_ANALYZE_LINES] && !read_lines(values[OPTION_ANALYZE_LINES], request))
		return false;
	if (values[OPTION_ANALYZE_RANGE] && !read_range(values[OPTION_ANALYZE_RANGE], code))
		return false;
	return read_source(arguments, code);
}

static bool read_analysis(const struct takt_arguments *arguments,
			  struct takt_analyze_request *request)
{
	static const enum takt_mode modes[] = {TAKT_MODE_AUTO, TAKT_MODE_LOOP, TAKT_MODE_UNROLL};
	struct takt_analysis_options *analysis = &request->analysis;

	analysis->mode = modes[takt_arguments_choice(arguments, OPTION_ANALYZE_MODE)];
	analysis->fixed = arguments->values[OPTION_ANALYZE_FIXED] != NULL;
	analysis->no_memory_dependences =
		arguments->values[OPTION_ANALYZE_NO_MEMORY_DEPENDENCES] != NULL;
	analysis->print_syntax = request->code.syntax;
	return takt_arguments_positive(arguments, OPTION_ANALYZE_UNROLL_FACTOR,
				       &analysis->unroll_factor);
}

/* Colour and width follow the terminal, if the result goes to one. */
static bool read_write(const struct takt_arguments *arguments, struct takt_write_options *write)
{
	enum { AUTO, ALWAYS } colour = takt_arguments_choice(arguments, OPTION_ANALYZE_COLOR);
	bool terminal = !arguments->values[OPTION_ANALYZE_OUTPUT] && isatty(STDOUT_FILENO);
	const char *kind = getenv("TERM"), *no_colour = getenv("NO_COLOR");
	struct winsize size;
	long columns = 0;

	write->colour = colour == ALWAYS;
	if (colour == AUTO && terminal)
		write->colour = kind && strcmp(kind, "dumb") != 0 && !(no_colour && *no_colour);
	if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
	    size.ws_col >= COLUMNS_LEAST)
		columns = size.ws_col;
	if (!takt_arguments_integer(arguments, OPTION_ANALYZE_COLUMNS, COLUMNS_LEAST,
				    COLUMNS_MOST, &columns))
		return false;
	write->columns = (uint32_t)columns;
	return true;
}

bool takt_analyze_request_read(const struct takt_arguments *arguments,
			       struct takt_analyze_request *ret_request)
{
	struct takt_analyze_request request = {0};

	if (read_foreign(arguments) && read_code(arguments, &request) &&
	    read_analysis(arguments, &request) && read_write(arguments, &request.write)) {
		*ret_request = request;
		return true;
	}
	takt_analyze_request_release(&request);
	return false;
}

void takt_analyze_request_release(struct takt_analyze_request *request)
{
	free(request->lines);
}
