/* SPDX-License-Identifier: MIT */
/* takt validate: checks counters with kernels whose event counts are known exactly. */
#include <limits.h>
#include <unistd.h>

#include "cli/command_docs.h"
#include "takt-lab/validate.h"

#define STREAM_BYTES 16384
#define REPEATS 1000

static bool write_text(const struct takt_arguments *arguments, const struct takt_text *text)
{
	return takt_output_write(arguments->values[OPTION_VALIDATE_OUTPUT], text);
}

static bool list_kernels(const struct takt_arguments *arguments, const struct takt_model *model,
			 struct takt_diag *diag)
{
	const char *isa = model ? takt_model_isa_name(model) : NULL;
	struct takt_text *text = takt_text_new();
	bool is_json = takt_arguments_format(arguments, OPTION_VALIDATE_FORMAT) == TAKT_FORMAT_JSON;
	enum takt_status status = is_json ? takt_write_kernels_json(isa, diag, text)
					  : takt_write_kernels(isa, diag, text);
	bool fine = status == TAKT_OK && write_text(arguments, text);

	takt_text_free(text);
	return fine;
}

/* The size of the programs that are generated, as the user chose it. */
struct extent {
	long size_bytes, repeats;
};

static bool read_extent(const struct takt_arguments *arguments, struct extent *ret_extent)
{
	*ret_extent = (struct extent){STREAM_BYTES, REPEATS};
	if (arguments->values[OPTION_VALIDATE_WRITE] && !arguments->values[OPTION_VALIDATE_OUTPUT])
		return takt_say_error("'--write' needs a file: '-o PROGRAM'");
	return takt_arguments_integer(arguments, OPTION_VALIDATE_SIZE, 1, LONG_MAX,
				      &ret_extent->size_bytes) &&
	       takt_arguments_integer(arguments, OPTION_VALIDATE_REPEATS, 1, LONG_MAX,
				      &ret_extent->repeats);
}

static bool write_kernel(const struct takt_arguments *arguments, const struct takt_model *model,
			 const struct extent *extent, struct takt_diag *diag)
{
	return takt_kernel_write(model ? takt_model_isa_name(model) : NULL,
				 arguments->values[OPTION_VALIDATE_WRITE],
				 (uint64_t)extent->size_bytes, (uint64_t)extent->repeats,
				 arguments->values[OPTION_VALIDATE_OUTPUT], diag) == TAKT_OK;
}

static bool write_meanings(const struct takt_arguments *arguments, struct takt_diag *diag)
{
	struct takt_text *text = takt_text_new();
	bool fine = takt_write_meanings(arguments->values[OPTION_VALIDATE_EVENTS], diag, text) ==
			    TAKT_OK &&
		    write_text(arguments, text);

	takt_text_free(text);
	return fine;
}

static bool is_fine(const struct takt_trust *trust)
{
	for (uint32_t i = 0; i < trust->row_count; i++)
		if (trust->rows[i].verdict == TAKT_VERDICT_BIASED ||
		    trust->rows[i].verdict == TAKT_VERDICT_UNTRUSTED)
			return false;
	return true;
}

static bool validate(const struct takt_arguments *arguments, const struct takt_model *model,
		     struct takt_diag *diag)
{
	struct takt_validation_options options = {
		.backend = takt_arguments_choice(arguments, OPTION_VALIDATE_BACKEND)
				   ? TAKT_COUNT_PMU
				   : TAKT_COUNT_EMULATE,
		.model = model,
		.argv = arguments->operand_count ? arguments->operands : NULL,
		.kernels = arguments->values[OPTION_VALIDATE_KERNELS],
		.levels = arguments->values[OPTION_VALIDATE_LEVELS],
	};
	enum takt_format format = takt_arguments_format(arguments, OPTION_VALIDATE_FORMAT);
	struct takt_text *text;
	struct takt_trust *trust;
	enum takt_status status;
	bool fine;

	if (!arguments->values[OPTION_VALIDATE_QUIET] && isatty(STDERR_FILENO))
		options.progress = takt_progress_show;
	status = takt_validate(&options, diag, &trust);
	if (options.progress)
		takt_progress_show(NULL, "");
	if (status != TAKT_OK)
		return false;
	text = takt_text_new();
	takt_write_trust(trust, format, arguments->values[OPTION_VALIDATE_CASES] != NULL, text);
	if (takt_arguments_html(arguments, OPTION_VALIDATE_FORMAT))
		takt_page_wrap((struct takt_page){.kind = "validate"}, &text);
	fine = write_text(arguments, text) && is_fine(trust);
	takt_text_free(text);
	takt_trust_free(trust);
	return fine;
}

/* Open the core of '--arch'; without it the host's, if that is known. */
static bool open_model(const struct takt_arguments *arguments, struct takt_diag *diag,
		       struct takt_model **ret_model)
{
	const char *arch = arguments->values[OPTION_VALIDATE_ARCH];

	if (arch)
		return takt_core_open(arch, arguments->values[OPTION_VALIDATE_MODEL], diag,
				      ret_model);
	if (takt_model_open("host", arguments->values[OPTION_VALIDATE_MODEL], diag, ret_model) ==
	    TAKT_OK)
		takt_say_diag(diag);
	else
		takt_diag_clear(diag);
	return true;
}

/* Refuse options and operands that a list, or writing a kernel, would ignore. */
static bool check_mode(const struct takt_arguments *arguments)
{
	static const unsigned listing[] = {OPTION_VALIDATE_LIST, OPTION_VALIDATE_ARCH,
					   OPTION_VALIDATE_MODEL, OPTION_VALIDATE_FORMAT,
					   OPTION_VALIDATE_OUTPUT};
	static const unsigned meanings[] = {OPTION_VALIDATE_EVENTS, OPTION_VALIDATE_ARCH,
					    OPTION_VALIDATE_MODEL, OPTION_VALIDATE_FORMAT,
					    OPTION_VALIDATE_OUTPUT};
	static const unsigned writing[] = {OPTION_VALIDATE_WRITE,   OPTION_VALIDATE_SIZE,
					   OPTION_VALIDATE_REPEATS, OPTION_VALIDATE_ARCH,
					   OPTION_VALIDATE_MODEL,   OPTION_VALIDATE_OUTPUT};
	static const unsigned write_id[] = {OPTION_VALIDATE_WRITE};
	const struct {
		unsigned id;
		const char *mode;
		const unsigned *used;
		size_t count;
	} modes[] = {
		{OPTION_VALIDATE_LIST, "takt validate --list", listing, TAKT_COUNT_OF(listing)},
		{OPTION_VALIDATE_EVENTS, "takt validate --events", meanings,
		 TAKT_COUNT_OF(meanings)},
		{OPTION_VALIDATE_WRITE, "takt validate --write", writing, TAKT_COUNT_OF(writing)},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(modes); i++)
		if (arguments->values[modes[i].id])
			return takt_arguments_only(arguments, modes[i].mode, modes[i].used,
						   modes[i].count) &&
			       takt_arguments_no_operands(arguments, modes[i].mode);
	return takt_arguments_need(arguments, OPTION_VALIDATE_SIZE, write_id,
				   TAKT_COUNT_OF(write_id)) &&
	       takt_arguments_need(arguments, OPTION_VALIDATE_REPEATS, write_id,
				   TAKT_COUNT_OF(write_id));
}

int takt_validate_main(struct takt_arguments *arguments)
{
	struct takt_model *model = NULL;
	struct takt_diag *diag;
	struct extent extent;
	bool fine;

	takt_arguments_take_format(arguments, OPTION_VALIDATE_FORMAT, OPTION_VALIDATE_OUTPUT);
	if (!takt_arguments_text_or_json(arguments, OPTION_VALIDATE_LIST, OPTION_VALIDATE_FORMAT) ||
	    !takt_arguments_text_only(arguments, OPTION_VALIDATE_EVENTS, OPTION_VALIDATE_FORMAT) ||
	    !check_mode(arguments) || !read_extent(arguments, &extent))
		return TAKT_EXIT_USAGE;
	diag = takt_diag_new();
	fine = open_model(arguments, diag, &model);
	if (fine && arguments->values[OPTION_VALIDATE_LIST])
		fine = list_kernels(arguments, model, diag);
	else if (fine && arguments->values[OPTION_VALIDATE_EVENTS])
		fine = write_meanings(arguments, diag);
	else if (fine && arguments->values[OPTION_VALIDATE_WRITE])
		fine = write_kernel(arguments, model, &extent, diag);
	else if (fine)
		fine = validate(arguments, model, diag);
	takt_say_diag(diag);
	takt_model_close(model);
	takt_diag_free(diag);
	return fine ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}
