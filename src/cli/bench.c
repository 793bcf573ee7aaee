/* SPDX-License-Identifier: MIT */
/* takt bench: measures the machine limits, bandwidth, FLOP/s and latency. */
#include <string.h>
#include <unistd.h>

#include "cli/command_docs.h"
#include "takt-lab/limits.h"

#define ROUNDS_MAX 64

static const struct {
	const char *word;
	enum takt_limit_kind kind;
} kinds[] = {
	{"bandwidth", TAKT_LIMIT_BANDWIDTH},
	{"flops", TAKT_LIMIT_FLOPS},
	{"latency", TAKT_LIMIT_LATENCY},
	{"transfer", TAKT_LIMIT_TRANSFER},
};

#define KIND_COUNT TAKT_COUNT_OF(kinds)

static bool read_kinds(const char *list, uint32_t *ret_kinds)
{
	while (list && *list) {
		size_t size = strcspn(list, ","), i = 0;

		while (i < KIND_COUNT &&
		       (strlen(kinds[i].word) != size || strncmp(kinds[i].word, list, size) != 0))
			i++;
		if (i == KIND_COUNT) {
			takt_say_error("'--what' knows no '%.*s'", (int)size, list);
			return takt_say_note(
				"the choices are bandwidth, flops, latency and transfer");
		}
		*ret_kinds |= kinds[i].kind;
		list += size + (list[size] == ',');
	}
	return true;
}

/* Refuse options that do not concern what is measured. */
static bool all_have_effect(const struct takt_arguments *arguments, uint32_t wanted)
{
	if (wanted && !(wanted & TAKT_LIMIT_BANDWIDTH) && arguments->values[OPTION_BENCH_KERNELS])
		return takt_say_error("'--kernels' is for '--what=bandwidth'");
	if (wanted && !(wanted & (TAKT_LIMIT_BANDWIDTH | TAKT_LIMIT_LATENCY)) &&
	    arguments->values[OPTION_BENCH_LEVELS])
		return takt_say_error("'--levels' is for '--what=bandwidth' and '--what=latency'");
	return true;
}

static bool read_options(const struct takt_arguments *arguments,
			 struct takt_machine_limits_options *options)
{
	options->levels = arguments->values[OPTION_BENCH_LEVELS];
	options->kernels = arguments->values[OPTION_BENCH_KERNELS];
	options->threads = arguments->values[OPTION_BENCH_THREADS];
	if (!arguments->values[OPTION_BENCH_QUIET] && isatty(STDERR_FILENO))
		options->progress = takt_progress_show;
	if (arguments->operand_count)
		return takt_say_error("'takt bench' has no operands, but there is '%s'",
				      arguments->operands[0]);
	return read_kinds(arguments->values[OPTION_BENCH_WHAT], &options->kinds) &&
	       all_have_effect(arguments, options->kinds) &&
	       takt_arguments_integer(arguments, OPTION_BENCH_ROUNDS, 1, ROUNDS_MAX,
				      &options->rounds) &&
	       takt_arguments_positive(arguments, OPTION_BENCH_ROUND_TIME, &options->round_seconds);
}

static bool write_limits(const struct takt_arguments *arguments,
			 const struct takt_machine_limits *limits)
{
	const char *path = arguments->values[OPTION_BENCH_OUTPUT];
	struct takt_text *text = takt_text_new();
	bool fine;

	takt_write_machine_limits(limits, takt_arguments_format(arguments, OPTION_BENCH_FORMAT),
				  text);
	if (takt_arguments_html(arguments, OPTION_BENCH_FORMAT))
		takt_page_wrap((struct takt_page){.kind = "bench"}, &text);
	fine = takt_output_write(path, text);
	takt_text_free(text);
	return fine;
}

int takt_bench_main(struct takt_arguments *arguments)
{
	struct takt_machine_limits_options options = {.kinds = 0};
	struct takt_machine_limits *limits = NULL;
	struct takt_diag *diag;
	bool fine;

	takt_arguments_take_format(arguments, OPTION_BENCH_FORMAT, OPTION_BENCH_OUTPUT);
	if (!read_options(arguments, &options))
		return TAKT_EXIT_USAGE;
	diag = takt_diag_new();
	fine = takt_machine_limits_measure(&options, diag, &limits) == TAKT_OK;
	if (options.progress)
		takt_progress_show(NULL, "");
	takt_say_diag(diag);
	fine = fine && write_limits(arguments, limits);
	takt_machine_limits_free(limits);
	takt_diag_free(diag);
	return fine ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}
