/* SPDX-License-Identifier: MIT */
/* Any bytes as a command line, a word a line: what is not accepted must be reported. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WORDS_MAX 64

static const struct takt_option options[] = {
	{.name = "arch", .argument = "CORE", .letter = 'a', .id = 0},
	{.name = "format", .argument = "text|json|dot", .id = 1},
	{.name = "fixed", .letter = 'f', .id = 2},
	{.name = "hex", .argument = "BYTES", .optional = true, .id = 3},
	{.name = "columns", .argument = "N", .id = 4},
};
static const struct takt_command_doc doc = {
	.name = "fuzz",
	.summary = "",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *words[WORDS_MAX + 1] = {0};
	char *copy = calloc(size + 1, 1);
	struct takt_arguments arguments;
	long number = 1;
	double positive = 1;
	int count = 0;

	if (!freopen("/dev/null", "w", stderr))
		abort();
	if (size)
		memcpy(copy, data, size);
	for (char *word = strtok(copy, "\n"); word && count < WORDS_MAX; word = strtok(NULL, "\n"))
		words[count++] = word;
	if (takt_arguments_parse(&doc, count, words, &arguments)) {
		if (arguments.operand_count > (size_t)count)
			abort();
		takt_arguments_choice(&arguments, 1);
		takt_arguments_integer(&arguments, 4, 1, 500, &number);
		takt_arguments_positive(&arguments, 4, &positive);
		if (number < 1 || number > 500 || !(positive > 0))
			abort();
		takt_arguments_release(&arguments);
	}
	free(copy);
	return 0;
}
