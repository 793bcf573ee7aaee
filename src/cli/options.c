/* SPDX-License-Identifier: MIT */
/* Parsing of command lines by tables of options. */
#include <assert.h>
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/cli.h"

#define NAMES_MAX 160
#define WORD_SIZE 40

/* Find the option with this long name; `size` excludes "=VALUE". */
static const struct takt_option *find_long(const struct takt_command_doc *doc, const char *name,
					   size_t size)
{
	for (size_t i = 0; i < doc->option_count; i++)
		if (strlen(doc->options[i].name) == size &&
		    memcmp(doc->options[i].name, name, size) == 0)
			return &doc->options[i];
	return NULL;
}

static const struct takt_option *find_letter(const struct takt_command_doc *doc, char letter)
{
	for (size_t i = 0; i < doc->option_count; i++)
		if (doc->options[i].letter == letter)
			return &doc->options[i];
	return NULL;
}

static bool unknown_option(const struct takt_command_doc *doc, const char *word, size_t size)
{
	bool is_tool = strcmp(doc->name, "takt") == 0;
	char wanted[WORD_SIZE], dashed[NAMES_MAX][WORD_SIZE];
	const char *names[NAMES_MAX];
	size_t count = 0;

	for (; count < doc->option_count && count < NAMES_MAX; count++) {
		snprintf(dashed[count], WORD_SIZE, "--%s", doc->options[count].name);
		names[count] = dashed[count];
	}
	takt_say_error("unknown option '%.*s'", (int)size, word);
	snprintf(wanted, sizeof(wanted), "--%.*s", (int)(size - strspn(word, "-")),
		 word + strspn(word, "-"));
	takt_say_nearest(wanted, names, count);
	return takt_say_note("'takt %s%s--help' lists the options", is_tool ? "" : doc->name,
			     is_tool ? "" : " ");
}

/* Return the size of the alternative at `*list` and advance past it; 0 at the end. */
static size_t next_alternative(const char **list, const char **ret_start)
{
	size_t size = strcspn(*list, "|");

	*ret_start = *list;
	*list += size + ((*list)[size] == '|');
	return size;
}

static bool is_choice(const struct takt_option *option)
{
	return option->argument && strchr(option->argument, '|') &&
	       (islower((unsigned char)*option->argument) ||
		isdigit((unsigned char)*option->argument));
}

/* Return the index of `value` among the alternatives, or -1. */
static int choice_index(const char *alternatives, const char *value)
{
	const char *start;
	size_t size;

	for (int i = 0; (size = next_alternative(&alternatives, &start)) > 0; i++)
		if (strlen(value) == size && strncasecmp(start, value, size) == 0)
			return i;
	return -1;
}

/* Return a list that was given before and what is added to it, as one. */
static const char *join(struct takt_arguments *arguments, unsigned id, const char *value)
{
	const char *before = arguments->values[id];
	size_t size = strlen(before) + strlen(value) + 2;
	char *list = takt_allocate(size, 1);

	snprintf(list, size, "%s,%s", before, value);
	free(arguments->lists[id]);
	return arguments->lists[id] = list;
}

/*
 * Return what counts of an option that may have been given before: all of a list, and the last of
 * others, as in llvm-mca. A note says what no longer counts.
 */
static const char *combine(struct takt_arguments *arguments, const struct takt_option *option,
			   const char *value)
{
	const char *before = arguments->values[option->id];

	if (!before || option->repeats || strcmp(before, value) == 0)
		return value;
	if (option->argument && strcmp(option->argument, "LIST") == 0)
		return join(arguments, option->id, value);
	takt_say_note("'%s' is given twice: '%s' counts, not '%s'", arguments->typed[option->id],
		      value, before);
	return value;
}

static bool store(struct takt_arguments *arguments, const struct takt_option *option,
		  bool by_letter, const char *value)
{
	assert(option->id < TAKT_OPTION_IDS_MAX);
	if (is_choice(option) && choice_index(option->argument, value) < 0)
		return takt_say_error("'--%s' is one of '%s', not '%s'", option->name,
				      option->argument, value);
	if (arguments->given_count == TAKT_GIVEN_MAX)
		return takt_say_error("more than %d options", TAKT_GIVEN_MAX);
	arguments->given[arguments->given_count++] = (struct takt_given){option->id, value};
	arguments->names[option->id] = option->name;
	if (by_letter)
		snprintf(arguments->typed[option->id], TAKT_TYPED_MAX_BYTES, "-%c", option->letter);
	else
		snprintf(arguments->typed[option->id], TAKT_TYPED_MAX_BYTES, "--%s", option->name);
	arguments->values[option->id] = combine(arguments, option, value);
	return true;
}

/*
 * True for options of llvm-mca, where one dash is enough. Those that a command does not have must
 * not be read as a letter with its value: "-output-asm-variant=1" is no "-o utput-asm-variant=1".
 */
static bool is_of_llvm_mca(const char *name, size_t size)
{
	static const char *const names[] = {
		"all-stats",
		"all-views",
		"bottleneck-analysis",
		"call-latency",
		"color",
		"decoder-throughput",
		"disable-cb",
		"disable-im",
		"dispatch",
		"dispatch-stats",
		"instruction-info",
		"instruction-tables",
		"iterations",
		"json",
		"lqueue",
		"march",
		"mattr",
		"mcpu",
		"micro-op-queue-size",
		"mtriple",
		"noalias",
		"output-asm-variant",
		"print-imm-hex",
		"register-file-size",
		"register-file-stats",
		"resource-pressure",
		"retire-stats",
		"scheduler-stats",
		"show-barriers",
		"show-encoding",
		"skip-unsupported-instructions",
		"squeue",
		"summary-view",
		"timeline",
		"timeline-max-cycles",
		"timeline-max-iterations",
		"x86-asm-syntax",
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++)
		if (strlen(names[i]) == size && memcmp(names[i], name, size) == 0)
			return true;
	return false;
}

/* Store an option. `attached`: value in the same word, or NULL; `next`: next word, or NULL. */
static bool take(struct takt_arguments *arguments, const struct takt_option *option, bool by_letter,
		 const char *attached, const char *next, bool *ret_next_used)
{
	const char *value;

	*ret_next_used = false;
	if (!option->argument) {
		if (attached)
			return takt_say_error("option '--%s' takes no value", option->name);
		return store(arguments, option, by_letter, "");
	}
	if (!attached && option->optional)
		return store(arguments, option, by_letter, "");
	if (!attached)
		*ret_next_used = next != NULL;
	value = attached ? attached : next;
	/* An empty list would mean all. Scripts for llvm-mca give empty values of its options. */
	if (!value ||
	    (!*value && !option->optional && !is_of_llvm_mca(option->name, strlen(option->name))))
		return takt_say_error("option '--%s' needs a value: %s", option->name,
				      option->argument);
	return store(arguments, option, by_letter, value);
}

/* True if the word is a long option with one dash, "-word=", and not a letter with its value. */
static bool is_long_spelling(const char *name, size_t size)
{
	if (is_of_llvm_mca(name, size))
		return true;
	if (name[size] != '=' || size < 2)
		return false;
	for (size_t i = 0; i < size; i++)
		if (!islower((unsigned char)name[i]) && name[i] != '-')
			return false;
	return true;
}

/* Parse one word that begins with a dash. */
static bool parse_option(struct takt_arguments *arguments, const char *word, const char *next,
			 bool *ret_next_used)
{
	const struct takt_command_doc *doc = arguments->doc;
	const char *name = word + (word[1] == '-' ? 2 : 1);
	size_t size = strcspn(name, "=");
	const struct takt_option *option = find_long(doc, name, size);
	const char *attached = name[size] == '=' ? name + size + 1 : NULL;
	bool by_letter = false;

	if (!option && word[1] == '-' && size == 1) { /* llvm-mca takes "--o=FILE", too */
		option = find_letter(doc, *name);
		by_letter = option != NULL;
	} else if (!option && word[1] != '-' && !is_long_spelling(name, size)) {
		option = find_letter(doc, word[1]);
		by_letter = true;
		attached = word[2] ? word + 2 : NULL;
		if (option && attached && !option->argument) {
			/* "-vv" is -v twice; "-fixd" is a misspelt word, not -f with a value */
			if (strspn(attached, (char[]){word[1], '\0'}) != strlen(attached))
				option = NULL;
			attached = NULL;
		}
	}
	if (!option)
		return unknown_option(doc, word, size + (size_t)(name - word));
	return take(arguments, option, by_letter, attached, next, ret_next_used);
}

bool takt_arguments_parse(const struct takt_command_doc *doc, int argc, char **argv,
			  struct takt_arguments *ret_arguments)
{
	struct takt_arguments arguments = {.doc = doc, .operands = argv};
	bool options_end = false, next_used = false;

	for (int i = 0; i < argc; i++) {
		if (options_end || argv[i][0] != '-' || !argv[i][1]) {
			argv[arguments.operand_count++] = argv[i];
		} else if (strcmp(argv[i], "--") == 0) {
			options_end = true;
			arguments.operands_before = arguments.operand_count;
		} else {
			const char *next = i + 1 < argc ? argv[i + 1] : NULL;

			if (!parse_option(&arguments, argv[i], next, &next_used)) {
				takt_arguments_release(&arguments);
				return false;
			}
			i += next_used;
		}
	}
	if (!options_end)
		arguments.operands_before = arguments.operand_count;
	*ret_arguments = arguments;
	return true;
}

void takt_arguments_release(struct takt_arguments *arguments)
{
	for (size_t id = 0; id < TAKT_OPTION_IDS_MAX; id++)
		free(arguments->lists[id]);
}

static const struct takt_option *find_option(const struct takt_arguments *arguments, unsigned id)
{
	const struct takt_option *option = arguments->doc->options;

	while (option->id != id)
		option++;
	return option;
}

const char *takt_program_kind(const char *path)
{
	char magic[SELFMAG] = "";
	struct stat status;
	FILE *file;

	/* A pipe could not be read again. */
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return NULL;
	file = fopen(path, "re");
	if (!file)
		return NULL;
	if (fread(magic, 1, SELFMAG, file) != SELFMAG)
		magic[0] = '\0';
	fclose(file);
	if (memcmp(magic, ELFMAG, SELFMAG) == 0)
		return "program";
	return memcmp(magic, "#!", 2) == 0 ? "script" : NULL;
}

bool takt_arguments_file_is_trace(const struct takt_arguments *arguments)
{
	const char *path = arguments->operands[0], *kind = takt_program_kind(path);
	struct stat status;

	if (kind)
		takt_say_error("'%s' is a %s, not a trace", path, kind);
	else if (strcmp(path, "-") != 0 && stat(path, &status) != 0)
		takt_say_error("cannot open '%s': %s", path, strerror(errno));
	else
		return true;
	return takt_say_note("a program follows '--': takt %s -- %s", arguments->doc->name, path);
}

unsigned takt_arguments_choice(const struct takt_arguments *arguments, unsigned id)
{
	const char *value = arguments->values[id];
	int index = value ? choice_index(find_option(arguments, id)->argument, value) : 0;

	assert(index >= 0); /* checked when it was stored */
	return (unsigned)index;
}

bool takt_arguments_have(const struct takt_arguments *arguments, const char *name)
{
	/* Options have other spellings, such as "--help-hidden", with the same number. */
	const struct takt_option *option = find_long(arguments->doc, name, strlen(name));

	for (size_t i = 0; option && i < arguments->given_count; i++)
		if (arguments->given[i].id == option->id)
			return true;
	return false;
}

bool takt_arguments_exclude(const struct takt_arguments *arguments, unsigned id,
			    const unsigned *others, size_t count)
{
	for (size_t i = 0; i < count && arguments->values[id]; i++)
		if (arguments->values[others[i]])
			return takt_say_error("'%s' and '%s' exclude each other",
					      arguments->typed[id], arguments->typed[others[i]]);
	return true;
}

/* Return the first long name of an option. */
static const char *long_name(const struct takt_arguments *arguments, unsigned id)
{
	size_t i = 0;

	while (arguments->doc->options[i].id != id)
		i++;
	return arguments->doc->options[i].name;
}

bool takt_arguments_need(const struct takt_arguments *arguments, unsigned id,
			 const unsigned *others, size_t count)
{
	bool fine = !arguments->values[id];

	for (size_t i = 0; i < count; i++)
		fine |= arguments->values[others[i]] != NULL;
	if (fine)
		return true;
	if (count == 1)
		return takt_say_error("'%s' needs '--%s'", arguments->typed[id],
				      long_name(arguments, others[0]));
	return takt_say_error("'%s' needs '--%s' or '--%s'", arguments->typed[id],
			      long_name(arguments, others[0]), long_name(arguments, others[1]));
}

bool takt_arguments_only(const struct takt_arguments *arguments, const char *mode,
			 const unsigned *used, size_t count)
{
	for (size_t i = 0; i < arguments->given_count; i++) {
		unsigned id = arguments->given[i].id;
		bool fine = strcmp(long_name(arguments, id), "quiet") == 0;

		for (size_t j = 0; j < count; j++)
			fine |= used[j] == id;
		if (fine)
			continue;
		takt_say_error("'%s' has no use for '%s'", mode, arguments->typed[id]);
		return takt_say_note("leave out '%s'", arguments->typed[id]);
	}
	return true;
}

bool takt_arguments_no_operands(const struct takt_arguments *arguments, const char *mode)
{
	const char *word = arguments->operand_count ? arguments->operands[0]
			   : arguments->program	    ? arguments->program[0]
						    : NULL;

	return !word || takt_say_error("'%s' has no operands, but there is '%s'", mode, word);
}

bool takt_arguments_text_only(const struct takt_arguments *arguments, unsigned id,
			      unsigned format_id)
{
	const char *format = arguments->values[format_id];

	if (!arguments->values[id] || !format || strcasecmp(format, "text") == 0)
		return true;
	takt_say_error("'%s' prints text only, not '%s'", arguments->typed[id], format);
	return takt_say_note("leave out '%s'", arguments->typed[format_id]);
}

bool takt_arguments_text_or_json(const struct takt_arguments *arguments, unsigned id,
				 unsigned format_id)
{
	const char *format = arguments->values[format_id];

	if (!arguments->values[id] || !format || strcasecmp(format, "text") == 0 ||
	    strcasecmp(format, "json") == 0)
		return true;
	takt_say_error("'%s' prints text or JSON only, not '%s'", arguments->typed[id], format);
	return takt_say_note("leave out '%s', or give '--format=json'",
			     arguments->typed[format_id]);
}

size_t takt_arguments_all(const struct takt_arguments *arguments, unsigned id,
			  const char **ret_values)
{
	size_t count = 0;

	for (size_t i = 0; i < arguments->given_count; i++)
		if (arguments->given[i].id == id)
			ret_values[count++] = arguments->given[i].value;
	return count;
}

static void store_integer(long number, void *ret_number, size_t size_bytes)
{
	const uint16_t of_16 = (uint16_t)number;
	const uint32_t of_32 = (uint32_t)number;
	const uint64_t of_64 = (uint64_t)number;
	const void *const values[] = {[2] = &of_16, [4] = &of_32, [8] = &of_64};

	memcpy(ret_number, values[size_bytes], size_bytes);
}

bool takt_arguments_read_integer(const struct takt_arguments *arguments, unsigned id, long least,
				 long most, void *ret_number, size_t size_bytes)
{
	const char *value = arguments->values[id];
	char *end;
	long number;

	if (!value)
		return true;
	errno = 0;
	number = strtol(value, &end, 10);
	if (end == value || *end || errno || number < least || number > most)
		return takt_say_error("'%s' needs a whole number from %ld to %ld, not '%s'",
				      arguments->typed[id], least, most, value);
	store_integer(number, ret_number, size_bytes);
	return true;
}

bool takt_arguments_positive(const struct takt_arguments *arguments, unsigned id,
			     double *ret_number)
{
	const char *value = arguments->values[id];
	char *end;
	double number;

	if (!value)
		return true;
	number = strtod(value, &end);
	if (end == value || *end || !isfinite(number) || number <= 0)
		return takt_say_error("'%s' needs a number above 0, not '%s'", arguments->typed[id],
				      value);
	*ret_number = number;
	return true;
}

/* Return what follows the last dot of a file's name; NULL if nothing does. */
static const char *extension(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;

	return dot && dot > path && dot[1] && !strchr(dot, '/') ? dot + 1 : NULL;
}

bool takt_arguments_is_report(const struct takt_arguments *arguments, unsigned format_id,
			      const char *path)
{
	const char *end = extension(path);

	return end && choice_index(find_option(arguments, format_id)->argument, end) >= 0;
}

void takt_arguments_take_format(struct takt_arguments *arguments, unsigned format_id,
				unsigned output_id)
{
	const char *path = arguments->values[output_id];

	if (arguments->values[format_id] || !takt_arguments_is_report(arguments, format_id, path))
		return;
	arguments->values[format_id] = extension(path);
	arguments->names[format_id] = arguments->names[output_id];
	memcpy(arguments->typed[format_id], arguments->typed[output_id], TAKT_TYPED_MAX_BYTES);
}

bool takt_arguments_html(const struct takt_arguments *arguments, unsigned format_id)
{
	return arguments->values[format_id] &&
	       strcasecmp(arguments->values[format_id], "html") == 0;
}

enum takt_format takt_arguments_format(const struct takt_arguments *arguments, unsigned format_id)
{
	return takt_arguments_html(arguments, format_id)
		       ? TAKT_FORMAT_JSON
		       : (enum takt_format)takt_arguments_choice(arguments, format_id);
}
