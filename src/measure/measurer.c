/* SPDX-License-Identifier: MIT */
/* Opens and closes a measurer, and gives the words and texts of its results. */
#include <sched.h>
#include <stdlib.h>

#include "measure/measurer.h"

#define ROUNDS_DEFAULT 9u
#define ROUNDS_LIMIT 100u
#define BATCHES_DEFAULT 3u
#define BATCHES_LIMIT 100u
#define TOLERANCE_DEFAULT 0.01
#define TIME_LIMIT_DEFAULT_SECONDS 2.0

const char *takt_measure_status_word(enum takt_measure_status status)
{
	static const char *const words[] = {
#define X(name, word, text) [name] = (word),
		TAKT_MEASURE_LIST(X)
#undef X
	};

	return words[status];
}

const char *takt_measure_status_text(enum takt_measure_status status)
{
	static const char *const texts[] = {
#define X(name, word, text) [name] = (text),
		TAKT_MEASURE_LIST(X)
#undef X
	};

	return texts[status];
}

const char *takt_measure_value_word(enum takt_measure_value value)
{
	static const char *const words[] = {
#define X(name, word, text) [name] = (word),
		TAKT_MEASURE_VALUE_LIST(X)
#undef X
	};

	return words[value];
}

const char *takt_measure_value_text(enum takt_measure_value value)
{
	static const char *const texts[] = {
#define X(name, word, text) [name] = (text),
		TAKT_MEASURE_VALUE_LIST(X)
#undef X
	};

	return texts[value];
}

const char *takt_clock_word(enum takt_clock clock)
{
	static const char *const words[] = {
#define X(name, word) [name] = (word),
		TAKT_CLOCK_LIST(X)
#undef X
	};

	return words[clock];
}

/* ---- opening -------------------------------------------------------------- */

static enum takt_status check_options(const struct takt_measure_options *options,
				      struct takt_diag *diag)
{
	if (options->mode >= TAKT_MODE_AUTO && options->mode <= TAKT_MODE_UNROLL &&
	    options->initial <= TAKT_INITIAL_RANDOM && options->clock < TAKT_CLOCK_COUNT &&
	    options->alignment_bytes < 64 && options->rounds <= ROUNDS_LIMIT &&
	    options->batches <= BATCHES_LIMIT && options->tolerance >= 0 &&
	    options->tolerance < 1 && options->time_limit_seconds >= 0 &&
	    options->cpu <= CPU_SETSIZE)
		return TAKT_OK;
	takt_error(diag, "measuring options are out of range");
	takt_note(diag, "alignment is below 64, rounds at most %u, tolerance below 1",
		  ROUNDS_LIMIT);
	return TAKT_BAD_INPUT;
}

static void set_defaults(struct takt_measure_options *options)
{
	int cpu = sched_getcpu();

	if (options->mode == TAKT_MODE_AUTO)
		options->mode = TAKT_MODE_UNROLL;
	if (options->rounds == 0)
		options->rounds = ROUNDS_DEFAULT;
	if (options->batches == 0)
		options->batches = BATCHES_DEFAULT;
	if (options->tolerance == 0)
		options->tolerance = TOLERANCE_DEFAULT;
	if (options->time_limit_seconds == 0)
		options->time_limit_seconds = TIME_LIMIT_DEFAULT_SECONDS;
	if (options->cpu == 0)
		options->cpu = cpu < 0 ? 1 : (uint32_t)cpu + 1;
}

static enum takt_status choose_clock(struct takt_measurer *measurer, struct takt_diag *diag)
{
	measurer->clock = takt_clock_choose(measurer->options.clock);
	if (measurer->clock != TAKT_CLOCK_AUTO)
		return TAKT_OK;
	takt_error(diag, "this machine does not offer the clock '%s'",
		   takt_clock_word(measurer->options.clock));
	takt_note(diag, "the clock '%s' works everywhere", takt_clock_word(TAKT_CLOCK_ADD_CHAIN));
	return TAKT_UNAVAILABLE;
}

static enum takt_status set_registers(struct takt_measurer *measurer, struct takt_diag *diag)
{
	size_t wrong = 0;

	if (takt_initial_registers(&measurer->options, &measurer->state, &wrong))
		return TAKT_OK;
	takt_error(diag, "there is no register '%s' to set, or not to that value",
		   measurer->options.registers[wrong].name);
	takt_note(diag, "registers are named like 'rax', 'xmm3', 'k1' and 'mxcsr'");
	return TAKT_BAD_INPUT;
}

static enum takt_status start_child(struct takt_measurer *measurer, struct takt_diag *diag)
{
	const struct takt_child_options options = {measurer->options.cpu - 1, measurer->clock};
	enum takt_status status = takt_child_open(&options, diag, &measurer->child);

	if (status != TAKT_OK)
		return status;
	if (takt_rounds_calibrate(measurer))
		return TAKT_OK;
	takt_error(diag, "the measuring process does not work: %s",
		   takt_text_data(&measurer->reason));
	return TAKT_UNAVAILABLE;
}

enum takt_status takt_measurer_open(const struct takt_measure_options *options,
				    struct takt_diag *diag, struct takt_measurer **ret_bench)
{
	enum takt_status status = check_options(options, diag);
	struct takt_measurer *measurer;

	if (status != TAKT_OK)
		return status;
	measurer = takt_xcalloc(1, sizeof(*measurer));
	measurer->options = *options;
	measurer->child = (struct takt_child){.memfd = -1, .namespaces = {-1, -1, -1}};
	takt_text_init(&measurer->cpu);
	takt_text_init(&measurer->reason);
	set_defaults(&measurer->options);
	takt_host_cpu(&measurer->cpu);
	status = choose_clock(measurer, diag);
	if (status == TAKT_OK)
		status = set_registers(measurer, diag);
	if (status == TAKT_OK)
		status = start_child(measurer, diag);
	/* The registers belong to the caller; their values are in the state now. */
	measurer->options.registers = NULL;
	measurer->options.register_count = 0;
	if (status == TAKT_OK)
		*ret_bench = measurer;
	else
		takt_measurer_close(measurer);
	return status;
}

void takt_measurer_close(struct takt_measurer *measurer)
{
	if (!measurer)
		return;
	takt_child_close(&measurer->child);
	takt_arena_release(&measurer->arena);
	takt_text_release(&measurer->cpu);
	takt_text_release(&measurer->reason);
	free(measurer);
}

enum takt_clock takt_measurer_clock(const struct takt_measurer *measurer)
{
	return measurer->clock;
}

const char *takt_measurer_cpu(const struct takt_measurer *measurer)
{
	return takt_text_data(&measurer->cpu);
}
