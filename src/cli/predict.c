/* SPDX-License-Identifier: MIT */
/* takt predict: predicts the cycles of many blocks, read as lines of CSV. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/predict.h"
#include "cli/command_docs.h"

#define JOBS_MAX 256
/* middle of a cache line of 64 bytes: where pointers point if nothing is known */
#define LINE_MIDDLE 32
#define PROGRESS_SECONDS 0.5

struct session {
	struct takt_predictor *predictors[JOBS_MAX];
	size_t jobs;
	uint32_t alignment_bytes, pointer_bytes;
	char *out; /* lines not yet written */
	size_t size, capacity;
	bool shows_progress, progress_shown;
	uint64_t predicted;
	double next_progress_seconds;
};

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void show_progress(struct session *session, bool ends)
{
	double now = session->shows_progress ? now_seconds() : 0;

	if (!session->shows_progress || (now < session->next_progress_seconds && !ends))
		return;
	if (session->progress_shown && ends)
		fputs("\r\x1b[K", stderr);
	if (!ends) {
		fprintf(stderr, "\r%llu %s", (unsigned long long)session->predicted,
			takt_say_noun(session->predicted, "block", "blocks"));
		session->progress_shown = true;
	}
	session->next_progress_seconds = now + PROGRESS_SECONDS;
}

/* A row, `hex,cycles\n`, is longer than the digits by at most this much. */
#define ROW_EXTRA_BYTES 32

static void add_row(struct session *session, const struct takt_hex_block *block)
{
	if (session->size + block->size + ROW_EXTRA_BYTES > session->capacity) {
		session->capacity = 2 * (session->size + block->size + ROW_EXTRA_BYTES);
		session->out = takt_reallocate(session->out, session->capacity, 1);
	}
	memcpy(session->out + session->size, block->hex, block->size);
	session->size += block->size;
	if (block->state == TAKT_BLOCK_GOOD)
		session->size += (size_t)snprintf(session->out + session->size, ROW_EXTRA_BYTES,
						  ",%.2f\n", block->cycles);
	else
		session->size +=
			(size_t)snprintf(session->out + session->size, ROW_EXTRA_BYTES, ",\n");
}

/*
 * Write the rows. Interrupts are blocked until they are out, so that whoever stops takt keeps
 * complete lines.
 */
static bool write_rows(struct session *session)
{
	sigset_t interrupts, before;
	size_t done = 0;
	ssize_t got = 0;

	sigemptyset(&interrupts);
	sigaddset(&interrupts, SIGINT);
	sigaddset(&interrupts, SIGTERM);
	sigprocmask(SIG_BLOCK, &interrupts, &before);
	while (done < session->size && got >= 0) {
		got = write(STDOUT_FILENO, session->out + done, session->size - done);
		if (got < 0 && errno == EINTR)
			got = 0;
		done += got > 0 ? (size_t)got : 0;
	}
	if (got < 0)
		takt_say_stdout_failed(errno);
	sigprocmask(SIG_SETMASK, &before, NULL);
	session->size = 0;
	return got >= 0;
}

static void say_bad(struct session *session, struct takt_block_reader *reader,
		    const struct takt_hex_block *block)
{
	if (session->progress_shown)
		fputs("\r\x1b[K", stderr);
	session->progress_shown = false;
	takt_block_say_bad(reader, block, NULL);
}

static bool predict_all(struct session *session, struct takt_block_reader *reader)
{
	bool failed = false;

	while (takt_block_reader_next(reader, &failed)) {
		takt_blocks_predict(session->predictors, session->jobs, reader->blocks,
				    reader->count);
		for (size_t i = 0; i < reader->count; i++) {
			const struct takt_hex_block *block = &reader->blocks[i];

			if (block->state != TAKT_BLOCK_GOOD)
				say_bad(session, reader, block);
			add_row(session, block);
		}
		if (!write_rows(session))
			return false;
		session->predicted += reader->count;
		show_progress(session, false);
	}
	return !failed;
}

/* Report the number of bad blocks; true if there was none. */
static bool report_bad_blocks(const struct takt_block_reader *reader)
{
	if (reader->bad_count)
		takt_say_error("%llu of %llu %s without cycles",
			       (unsigned long long)reader->bad_count,
			       (unsigned long long)reader->block_count,
			       takt_say_noun(reader->block_count, "block", "blocks"));
	return !reader->bad_count;
}

static bool run(struct session *session, const struct takt_arguments *arguments)
{
	static const enum takt_mode modes[] = {TAKT_MODE_AUTO, TAKT_MODE_LOOP, TAKT_MODE_UNROLL};
	const struct takt_predictor_options options = {
		.mode = modes[takt_arguments_choice(arguments, OPTION_PREDICT_MODE)],
		.engine = (enum takt_engine)takt_arguments_choice(arguments, OPTION_PREDICT_ENGINE),
		.no_memory_dependences =
			arguments->values[OPTION_PREDICT_NO_MEMORY_DEPENDENCES] != NULL,
		.alignment_bytes = session->alignment_bytes,
		.pointer_shift_bytes = session->pointer_bytes - LINE_MIDDLE,
		.without = arguments->values[OPTION_PREDICT_WITHOUT]
				   ? 1u << takt_arguments_choice(arguments, OPTION_PREDICT_WITHOUT)
				   : 0,
	};
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model = NULL;
	struct takt_block_reader reader;
	bool good = false;

	if (!takt_core_open(arguments->values[OPTION_PREDICT_ARCH],
			    arguments->values[OPTION_PREDICT_MODEL], diag, &model))
		goto out;
	takt_say_diag(diag);
	if (!takt_block_reader_open(arguments->operand_count ? arguments->operands[0] : NULL,
				    &reader))
		goto out;
	for (size_t i = 0; i < session->jobs; i++)
		session->predictors[i] = takt_predictor_new(model, &options);
	good = predict_all(session, &reader);
	show_progress(session, true);
	good = good && takt_block_reader_finish(&reader);
	good &= report_bad_blocks(&reader);
	for (size_t i = 0; i < session->jobs; i++)
		takt_predictor_free(session->predictors[i]);
	takt_block_reader_close(&reader);
out:
	free(session->out);
	takt_model_close(model);
	takt_diag_free(diag);
	return good;
}

int takt_predict_main(int argc, char **argv)
{
	struct takt_arguments arguments;
	struct session session = {.shows_progress = isatty(STDERR_FILENO)};
	long jobs = 1, alignment_bytes = 0, pointer_bytes = LINE_MIDDLE;

	if (!takt_arguments_parse(&takt_predict_doc, argc, argv, &arguments))
		return TAKT_EXIT_USAGE;
	if (arguments.values[OPTION_PREDICT_HELP])
		return takt_help_print(&takt_predict_doc);
	if (arguments.operand_count > 1) {
		takt_say_error("one file at a time, not '%s' and '%s'", arguments.operands[0],
			       arguments.operands[1]);
		return TAKT_EXIT_USAGE;
	}
	if (!takt_arguments_integer(&arguments, OPTION_PREDICT_JOBS, 1, JOBS_MAX, &jobs) ||
	    !takt_arguments_integer(&arguments, OPTION_PREDICT_ALIGN, 0, 63, &alignment_bytes) ||
	    !takt_arguments_integer(&arguments, OPTION_PREDICT_POINTERS, 0, 63, &pointer_bytes))
		return TAKT_EXIT_USAGE;
	session.alignment_bytes = (uint32_t)alignment_bytes;
	session.pointer_bytes = (uint32_t)pointer_bytes;
	session.jobs = (size_t)jobs;
	session.next_progress_seconds = now_seconds() + PROGRESS_SECONDS;
	return run(&session, &arguments) ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}
