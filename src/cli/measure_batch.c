/* SPDX-License-Identifier: MIT */
/* takt measure --batch: reads lines of blocks and writes a line of cycles for each at once. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command_docs.h"
#include "cli/measure.h"
#include "cli/predict.h"

#define PROGRESS_SECONDS 0.5

struct batch {
	const struct takt_arguments *arguments;
	const struct takt_measure_request *request;
	struct takt_measurers measurers;
	struct takt_loop_finder *finder;
	int output;
	const char *output_path; /* NULL: standard output */
	struct takt_resume resume;
	uint8_t *bytes; /* machine code of the block being measured */
	size_t capacity;
	uint64_t total;		   /* blocks of the input; 0: not known */
	uint64_t blocks, measured; /* so far, without the resumed ones */
	uint64_t rows[TAKT_MEASURE_STATUS_COUNT];
	struct takt_block_reader reader;
	uint64_t ok_before, rejected_before; /* resumed rows, with and without a good figure */
	bool shows_progress, interrupted;
	sigset_t signals_before;
	double start_seconds, next_progress_seconds;
};

/* ---- progress ---------------------------------------------------------- */

static void show_progress(struct batch *batch)
{
	double now = batch->shows_progress ? takt_clock_seconds() : 0;
	double seconds = now - batch->start_seconds;
	double rate = (double)batch->measured / (seconds > 0 ? seconds : 1);

	if (!batch->shows_progress || now < batch->next_progress_seconds)
		return;
	batch->next_progress_seconds = now + PROGRESS_SECONDS;
	fprintf(stderr, "\r\x1b[K%llu", (unsigned long long)batch->blocks);
	if (batch->total)
		fprintf(stderr, " of %llu", (unsigned long long)batch->total);
	fprintf(stderr, " %s, %.0f blocks/s",
		takt_say_noun(batch->total ? batch->total : batch->blocks, "block", "blocks"),
		rate);
	if (batch->total > batch->blocks && batch->measured) {
		uint64_t left = (uint64_t)((double)(batch->total - batch->blocks) / rate);

		fprintf(stderr, ", %llu:%02llu left", (unsigned long long)left / 60,
			(unsigned long long)left % 60);
	}
}

static void clear_progress(struct batch *batch)
{
	if (batch->shows_progress)
		fputs("\r\x1b[K", stderr);
	batch->next_progress_seconds = 0;
}

/* Count the blocks in a first pass; 0 if the file cannot be read twice. */
static uint64_t count_blocks(const char *path)
{
	struct takt_block_reader reader;
	struct stat info;
	uint64_t count = 0;
	bool failed = false;

	if (!path || stat(path, &info) != 0 || !S_ISREG(info.st_mode) ||
	    !takt_block_reader_open(path, &reader))
		return 0;
	while (takt_block_reader_next(&reader, &failed))
		count += reader.count;
	takt_block_reader_close(&reader);
	return failed ? 0 : count;
}

/* ---- output ------------------------------------------------------------ */

static bool write_out(struct batch *batch, const char *data, size_t size)
{
	size_t done = 0;
	ssize_t got = 0;

	while (done < size && got >= 0) {
		got = write(batch->output, data + done, size - done);
		if (got < 0 && errno == EINTR)
			got = 0;
		done += got > 0 ? (size_t)got : 0;
	}
	if (got >= 0)
		return true;
	clear_progress(batch);
	if (batch->output_path)
		takt_say_error("cannot write '%s': %s", batch->output_path, strerror(errno));
	else
		takt_say_stdout_failed(errno);
	return false;
}

/* Write the options that change figures: a file must not be resumed with others. */
static void write_options(FILE *file, const struct takt_arguments *arguments)
{
	static const unsigned ids[] = {
		OPTION_MEASURE_MODE,	   OPTION_MEASURE_INIT,	  OPTION_MEASURE_SET,
		OPTION_MEASURE_ALIGN,	   OPTION_MEASURE_ROUNDS, OPTION_MEASURE_TOLERANCE,
		OPTION_MEASURE_TIME_LIMIT, OPTION_MEASURE_REJECT, OPTION_MEASURE_KEEP_DENORMALS,
	};
	bool none = true;

	fputs("# options:", file);
	for (size_t k = 0; k < TAKT_COUNT_OF(ids); k++)
		for (size_t i = 0; i < arguments->given_count; i++) {
			const struct takt_given *given = &arguments->given[i];

			if (given->id != ids[k])
				continue;
			none = false;
			fprintf(file, " --%s%s%s", arguments->names[given->id],
				*given->value ? "=" : "", given->value);
		}
	fputs(none ? " none\n" : "\n", file);
}

/* Return the header of the output, to be freed. */
static char *make_header(struct batch *batch, struct takt_measurer *measurer)
{
	const char *date = batch->arguments->values[OPTION_MEASURE_DATE];
	char *header = NULL;
	size_t size;
	FILE *file = takt_memory_stream_open(&header, &size);
	struct takt_text *columns = takt_text_new();

	fprintf(file, "# takt %s measure\n# cpu: %s\n# clock: %s\n", TAKT_VERSION,
		takt_measurer_cpu(measurer), takt_clock_word(takt_measurer_clock(measurer)));
	write_options(file, batch->arguments);
	if (date)
		fprintf(file, "# date: %s\n", date);
	takt_write_measured_csv_header(columns);
	fputs(takt_text_data(columns), file);
	takt_text_free(columns);
	takt_memory_stream_close(file);
	return header;
}

static bool open_output(struct batch *batch)
{
	const char *path = batch->arguments->values[OPTION_MEASURE_OUTPUT];
	bool resumes = batch->arguments->values[OPTION_MEASURE_RESUME] != NULL;

	batch->output = STDOUT_FILENO;
	if (!path || strcmp(path, "-") == 0)
		return true;
	batch->output_path = path;
	batch->output = open(path, O_RDWR | O_CREAT | O_CLOEXEC | (resumes ? 0 : O_TRUNC), 0666);
	if (batch->output >= 0)
		return true;
	return takt_say_error("cannot write '%s': %s", path, strerror(errno));
}

/* Write the header, or find it in the file to be resumed. */
static bool begin_output(struct batch *batch)
{
	bool is_loop = batch->request->mode == TAKT_MEASURE_LOOP;
	struct takt_measurer *measurer = takt_measurers_of(&batch->measurers, is_loop);
	bool good = measurer && open_output(batch);
	char *header;

	if (!good)
		return false;
	header = make_header(batch, measurer);
	if (batch->arguments->values[OPTION_MEASURE_RESUME])
		good = takt_resume_open(batch->output, batch->output_path, header, &batch->resume);
	if (good && !batch->resume.size_bytes)
		good = write_out(batch, header, strlen(header));
	free(header);
	return good;
}

/* ---- blocks ------------------------------------------------------------ */

/* Measure a block; false if no bench can be opened for it. */
static bool measure(struct batch *batch, const struct takt_hex_block *block, bool is_loop,
		    size_t size_bytes, struct takt_measurement *ret_result)
{
	struct takt_measurer *measurer;

	if (block->state != TAKT_BLOCK_GOOD) {
		*ret_result =
			(struct takt_measurement){.status = TAKT_MEASURE_UNDECODABLE,
						  .reason = takt_block_state_text(block->state),
						  .cycles = NAN,
						  .spread = NAN};
	} else {
		measurer = takt_measurers_of(&batch->measurers, is_loop);
		if (!measurer)
			return false;
		takt_measure(measurer, batch->bytes, size_bytes, ret_result);
	}
	if (ret_result->status == TAKT_MEASURE_UNDECODABLE) {
		clear_progress(batch);
		takt_block_say_bad(&batch->reader, block,
				   *ret_result->reason ? ret_result->reason : NULL);
	}
	return true;
}

static bool write_row(struct batch *batch, const struct takt_hex_block *block, const char *mode,
		      const struct takt_measurement *result)
{
	char *hex = takt_allocate(block->size + 1, 1);
	struct takt_measured row = {.mode = mode, .hex = hex, .result = *result};
	struct takt_text *text = takt_text_new();
	bool good;

	memcpy(hex, block->hex, block->size);
	takt_write_measured_csv(&row, text);
	good = write_out(batch, takt_text_data(text), takt_text_size_bytes(text));
	takt_text_free(text);
	free(hex);
	return good;
}

static bool run_row(struct batch *batch, const struct takt_hex_block *block, bool is_loop,
		    const struct takt_loop_body *body)
{
	bool is_known =
		block->state == TAKT_BLOCK_GOOD || batch->request->mode != TAKT_MEASURE_AUTO;
	const char *mode = !is_known ? "" : is_loop ? "loop" : "unroll";
	struct takt_measurement result;

	switch (takt_resume_take(&batch->resume, block->hex, block->size, mode)) {
	case TAKT_RESUMED_NONE:
		break;
	case TAKT_RESUMED_REJECTED:
		batch->rejected_before++;
		return true;
	case TAKT_RESUMED_OK:
		batch->ok_before++;
		return true;
	case TAKT_RESUMED_OTHER:
		return takt_say_error(
			"cannot resume '%s': line %llu is not of the block in line %llu of "
			"the input",
			batch->output_path, (unsigned long long)batch->resume.line,
			(unsigned long long)block->line);
	}
	if (!measure(batch, block, is_loop,
		     is_loop ? body->loop_size_bytes : body->unroll_size_bytes, &result))
		return false;
	batch->rows[result.status]++;
	batch->measured++;
	return write_row(batch, block, mode, &result);
}

static bool run_block(struct batch *batch, const struct takt_hex_block *block)
{
	enum takt_measure_mode mode = batch->request->mode;
	struct takt_loop_body body = {0};
	bool loops, unrolls;

	if (block->state == TAKT_BLOCK_GOOD) {
		takt_block_bytes(block, &batch->bytes, &batch->capacity);
		body = takt_loop_body_find(batch->finder, batch->bytes, block->size / 2);
	}
	loops = mode == TAKT_MEASURE_LOOP || mode == TAKT_MEASURE_BOTH ||
		(mode == TAKT_MEASURE_AUTO && body.is_loop);
	unrolls = !loops || mode == TAKT_MEASURE_BOTH;
	if ((unrolls && !run_row(batch, block, false, &body)) ||
	    (loops && !run_row(batch, block, true, &body)))
		return false;
	batch->blocks++;
	show_progress(batch);
	return true;
}

static bool is_interrupted(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1;
}

static void say_interrupted(const struct batch *batch)
{
	const char *input = batch->request->batch_path;

	takt_say_note("interrupted after %llu %s; the output ends with a complete line",
		      (unsigned long long)batch->blocks,
		      takt_say_noun(batch->blocks, "block", "blocks"));
	if (batch->output_path)
		takt_say_note("the same command with '--resume' continues '%s'%s",
			      batch->output_path, input ? "" : ", given the same input");
	else
		takt_say_note("only with '--output=FILE' can it be continued");
}

/* Read blocks. While waiting for input, an interrupt may end takt: no line is half written. */
static bool next_blocks(struct batch *batch, struct takt_block_reader *reader, bool *ret_failed)
{
	sigset_t blocked;
	bool good;

	sigprocmask(SIG_SETMASK, &batch->signals_before, &blocked);
	good = takt_block_reader_next(reader, ret_failed);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	return good;
}

static bool run_blocks(struct batch *batch)
{
	struct takt_block_reader *reader = &batch->reader;
	bool good = true, failed = false;

	if (!takt_block_reader_open(batch->request->batch_path, reader))
		return false;
	reader->refuses_garbage = true;
	while (good && !batch->interrupted && next_blocks(batch, reader, &failed)) {
		for (size_t i = 0; i < reader->count && good && !batch->interrupted; i++) {
			good = run_block(batch, &reader->blocks[i]);
			batch->interrupted = is_interrupted();
		}
	}
	takt_block_reader_close(reader);
	clear_progress(batch);
	if (good && !failed && !batch->interrupted)
		good = takt_block_reader_finish(reader);
	if (batch->interrupted)
		say_interrupted(batch);
	else if (good && !failed && batch->resume.next < batch->resume.end) {
		takt_say_error("'%s' has more lines than the input has blocks", batch->output_path);
		good = false;
	}
	return good && !failed;
}

/* Report the number of blocks without a good figure; true if there are none. */
static bool report(const struct batch *batch)
{
	uint64_t bad = batch->rejected_before, all;
	const char *separator = ": ";

	for (unsigned i = TAKT_MEASURE_OK + 1; i < TAKT_MEASURE_STATUS_COUNT; i++)
		bad += batch->rows[i];
	if (!bad)
		return true;
	all = bad + batch->ok_before + batch->rows[TAKT_MEASURE_OK];
	fprintf(stderr, "takt: error: %llu %s of %llu without a good figure",
		(unsigned long long)bad, takt_say_noun(bad, "measurement", "measurements"),
		(unsigned long long)all);
	for (unsigned i = TAKT_MEASURE_OK + 1; i < TAKT_MEASURE_STATUS_COUNT; i++) {
		if (!batch->rows[i])
			continue;
		fprintf(stderr, "%s%llu %s", separator, (unsigned long long)batch->rows[i],
			takt_measure_status_word(i));
		separator = ", ";
	}
	if (batch->rejected_before)
		fprintf(stderr, "%s%llu before", separator,
			(unsigned long long)batch->rejected_before);
	fputc('\n', stderr);
	return false;
}

/*
 * Interrupts are blocked, so that the current line is written completely and the child process,
 * which a terminal would interrupt as well, survives. Unblocked at the end, they end takt.
 */
bool takt_measure_batch(const struct takt_arguments *arguments,
			const struct takt_measure_request *request)
{
	struct batch batch = {
		.arguments = arguments,
		.request = request,
		.measurers = {.options = request->options, .diag = takt_diag_new()},
		.finder = takt_loop_finder_new(),
		.output = -1,
		.shows_progress = isatty(STDERR_FILENO),
	};
	sigset_t interrupts;
	bool good;

	sigemptyset(&interrupts);
	sigaddset(&interrupts, SIGINT);
	sigaddset(&interrupts, SIGTERM);
	sigprocmask(SIG_BLOCK, &interrupts, &batch.signals_before);
	batch.total = batch.shows_progress ? count_blocks(request->batch_path) : 0;
	good = begin_output(&batch);
	batch.start_seconds = takt_clock_seconds();
	good = good && run_blocks(&batch);
	takt_say_diag(batch.measurers.diag);
	good = good && !batch.interrupted && report(&batch);
	if (batch.output_path && batch.output >= 0 && close(batch.output) != 0) {
		takt_say_error("cannot write '%s': %s", batch.output_path, strerror(errno));
		good = false;
	}
	takt_resume_close(&batch.resume);
	takt_measurers_close(&batch.measurers);
	takt_loop_finder_free(batch.finder);
	takt_diag_free(batch.measurers.diag);
	free(batch.bytes);
	sigprocmask(SIG_SETMASK, &batch.signals_before, NULL);
	return good;
}
