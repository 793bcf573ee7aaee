/* SPDX-License-Identifier: MIT */
/* takt predict: predicts the cycles of many blocks, read as lines of CSV. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/predict.h"
#include "cli/command_docs.h"

#define JOBS_MAX 256
/* Middle of a cache line of 64 bytes, where pointers of unknown value point. */
#define LINE_MIDDLE 32
#define PROGRESS_SECONDS 0.5

struct session {
	struct takt_cores cores;
	struct takt_predictor **predictors; /* as takt_blocks_predict() takes them */
	size_t jobs;
	double *cycles; /* of the blocks at hand, on each core */
	size_t cycles_capacity;
	uint64_t *undecoded_counts; /* for each core: blocks that only others can decode */
	bool is_json, is_page;
	struct takt_output output; /* the file of '--output', or standard output */
	uint32_t alignment_bytes, pointer_bytes;
	char *out; /* lines not yet written */
	size_t size, capacity;
	bool shows_progress, progress_shown;
	uint64_t predicted;
	double next_progress_seconds;
};

static void show_progress(struct session *session, bool ends)
{
	double now = session->shows_progress ? takt_clock_seconds() : 0;

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

/* Return room for `size` more bytes of output. */
static char *make_room(struct session *session, size_t size)
{
	if (session->size + size > session->capacity) {
		session->capacity = 2 * (session->size + size);
		session->out = takt_reallocate(session->out, session->capacity, 1);
	}
	return session->out + session->size;
}

static void add_text(struct session *session, const struct takt_text *text)
{
	size_t size = takt_text_size_bytes(text);

	memcpy(make_room(session, size), takt_text_data(text), size);
	session->size += size;
}

/* Cycles in a row of CSV take at most this much: ",%.2f\n" of a number of cycles. */
#define CYCLES_BYTES 32

static void add_csv_row(struct session *session, const struct takt_hex_block *block,
			const double *cycles)
{
	char *end = make_room(session, block->size + session->cores.count * CYCLES_BYTES + 1);

	memcpy(end, block->hex, block->size);
	end += block->size;
	for (size_t c = 0; c < session->cores.count; c++)
		end += block->state == TAKT_BLOCK_GOOD && !isnan(cycles[c])
			       ? snprintf(end, CYCLES_BYTES, ",%.2f", cycles[c])
			       : snprintf(end, CYCLES_BYTES, ",");
	*end++ = '\n';
	session->size = (size_t)(end - session->out);
}

static void add_json_row(struct session *session, const struct takt_hex_block *block,
			 double *cycles, bool is_first, struct takt_text *text)
{
	char *hex = takt_allocate(block->size + 1, 1);

	memcpy(hex, block->hex, block->size);
	for (size_t c = 0; c < session->cores.count; c++)
		cycles[c] = block->state == TAKT_BLOCK_GOOD ? cycles[c] : NAN;
	takt_text_clear(text);
	takt_write_predicted_json(hex, cycles, session->cores.count, is_first, text);
	add_text(session, text);
	free(hex);
}

/* Add what stands before the rows: for several cores, CSV has a line of their names. */
static void add_head(struct session *session, struct takt_text *text)
{
	size_t count = session->cores.count;
	const char **names = takt_allocate(count, sizeof(*names));

	for (size_t c = 0; c < count; c++)
		names[c] = takt_model_name(session->cores.models[c]);
	if (session->is_json) {
		takt_write_predicted_json_begin(names, count, session->cores.left_out, text);
		add_text(session, text);
	} else if (count > 1) {
		session->size += (size_t)sprintf(make_room(session, sizeof("hex")), "hex");
		for (size_t c = 0; c < count; c++)
			session->size += (size_t)sprintf(make_room(session, strlen(names[c]) + 2),
							 ",%s", names[c]);
		*make_room(session, 1) = '\n';
		session->size++;
	}
	free(names);
}

/*
 * Write the rows. Interrupts are blocked until they are out, so that whoever stops takt keeps
 * complete lines.
 */
static bool write_rows_to_stdout(struct session *session)
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

/* Write the rows, and report if that failed; a file's errors are reported when it is closed. */
static bool write_rows(struct session *session)
{
	if (!session->output.path)
		return write_rows_to_stdout(session);
	fwrite(session->out, 1, session->size, session->output.file);
	session->size = 0;
	return true;
}

static void say_bad(struct session *session, struct takt_block_reader *reader,
		    const struct takt_hex_block *block)
{
	if (session->progress_shown)
		fputs("\r\x1b[K", stderr);
	session->progress_shown = false;
	takt_block_say_bad(reader, block, NULL);
}

static void add_rows(struct session *session, struct takt_block_reader *reader,
		     struct takt_text *text)
{
	for (size_t i = 0; i < reader->count; i++) {
		const struct takt_hex_block *block = &reader->blocks[i];
		double *cycles = session->cycles + i * session->cores.count;

		if (block->state != TAKT_BLOCK_GOOD)
			say_bad(session, reader, block);
		for (size_t c = 0; c < session->cores.count; c++)
			session->undecoded_counts[c] +=
				block->state == TAKT_BLOCK_GOOD && isnan(cycles[c]);
		if (session->is_json)
			add_json_row(session, block, cycles, !session->predicted && !i, text);
		else
			add_csv_row(session, block, cycles);
	}
}

/* Put the JSON, which is complete, into a page. */
static void make_page(struct session *session)
{
	struct takt_text *page = takt_text_new();

	*make_room(session, 1) = '\0';
	takt_page_write((struct takt_page){.kind = "predict", .report = session->out}, page);
	session->size = 0;
	add_text(session, page);
	takt_text_free(page);
}

static bool predict_all(struct session *session, struct takt_block_reader *reader,
			struct takt_text *text)
{
	bool failed = false, first = true;

	add_head(session, text);
	/* The first blocks have been read already, to see what code they are. */
	while ((first && reader->count) || takt_block_reader_next(reader, &failed)) {
		size_t cells = reader->count * session->cores.count;

		first = false;
		if (cells > session->cycles_capacity) {
			session->cycles_capacity = 2 * cells;
			session->cycles = takt_reallocate(session->cycles, 2 * cells,
							  sizeof(*session->cycles));
		}
		takt_blocks_predict(session->predictors, session->jobs, session->cores.count,
				    reader->blocks, reader->count, session->cycles);
		add_rows(session, reader, text);
		if (!session->is_page && !write_rows(session))
			return false;
		session->predicted += reader->count;
		show_progress(session, false);
	}
	if (session->is_json) {
		takt_text_clear(text);
		takt_write_predicted_json_end(!session->predicted, text);
		add_text(session, text);
	}
	if (session->is_page)
		make_page(session);
	return write_rows(session) && !failed;
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

/* Note for each core how many of the blocks only others can decode. */
static void note_undecoded(const struct session *session)
{
	for (size_t c = 0; c < session->cores.count; c++)
		if (session->undecoded_counts[c])
			takt_say_note(
				"%s has no cycles of %llu %s that it cannot decode",
				takt_model_name(session->cores.models[c]),
				(unsigned long long)session->undecoded_counts[c],
				takt_say_noun(session->undecoded_counts[c], "block", "blocks"));
}

static enum takt_engine chosen_engine(const struct takt_arguments *arguments)
{
	static const enum takt_engine engines[] = {TAKT_ENGINE_SIM, TAKT_ENGINE_BOUNDS};

	return engines[takt_arguments_choice(arguments, OPTION_PREDICT_ENGINE)];
}

static struct takt_predictor_options read_options(const struct session *session,
						  const struct takt_arguments *arguments)
{
	static const enum takt_mode modes[] = {TAKT_MODE_AUTO, TAKT_MODE_LOOP, TAKT_MODE_UNROLL};

	return (struct takt_predictor_options){
		.mode = modes[takt_arguments_choice(arguments, OPTION_PREDICT_MODE)],
		.engine = chosen_engine(arguments),
		.no_memory_dependences =
			arguments->values[OPTION_PREDICT_NO_MEMORY_DEPENDENCES] != NULL,
		.alignment_bytes = session->alignment_bytes,
		.pointer_shift_bytes = session->pointer_bytes - LINE_MIDDLE,
		.without = arguments->values[OPTION_PREDICT_WITHOUT]
				   ? 1u << takt_arguments_choice(arguments, OPTION_PREDICT_WITHOUT)
				   : 0,
	};
}

static bool predict_blocks(struct session *session, const struct takt_arguments *arguments,
			   struct takt_block_reader *reader)
{
	const struct takt_predictor_options options = read_options(session, arguments);
	size_t count = session->cores.count, predictors = session->jobs * count;
	struct takt_text *text = takt_text_new();
	bool good;

	session->undecoded_counts = takt_allocate(count, sizeof(*session->undecoded_counts));
	session->predictors = takt_allocate(predictors, sizeof(struct takt_predictor *));
	for (size_t i = 0; i < predictors; i++)
		session->predictors[i] =
			takt_predictor_new(session->cores.models[i % count], &options);
	good = predict_all(session, reader, text);
	show_progress(session, true);
	good = good && takt_block_reader_finish(reader);
	note_undecoded(session);
	good &= report_bad_blocks(reader);
	for (size_t i = 0; i < predictors; i++)
		takt_predictor_free(session->predictors[i]);
	free(session->predictors);
	free(session->undecoded_counts);
	takt_text_free(text);
	return good;
}

/* Open the cores, for "all" those of the first blocks' instruction set, which are read. */
static bool open_cores(struct session *session, const struct takt_arguments *arguments,
		       struct takt_block_reader *reader)
{
	const char *arch = arguments->values[OPTION_PREDICT_ARCH];
	const char *model_dir = arguments->values[OPTION_PREDICT_MODEL];
	const char *isa = TAKT_HOST_ISA;
	struct takt_diag *diag = takt_diag_new();
	bool failed = false, good;

	if (takt_cores_are_all(arch)) {
		(void)takt_block_reader_next(reader, &failed);
		isa = takt_blocks_guess_isa(reader);
	}
	good = !failed && takt_cores_open(arch, model_dir, isa, diag, &session->cores);
	takt_say_diag(diag);
	takt_diag_free(diag);
	return good;
}

static bool run(struct session *session, const struct takt_arguments *arguments)
{
	const char *path = arguments->operand_count ? arguments->operands[0] : NULL;
	struct takt_block_reader reader;
	bool good;

	if (!takt_block_reader_open(path, &reader))
		return false;
	reader.refuses_garbage = true;
	good = open_cores(session, arguments, &reader) &&
	       takt_output_open(arguments->values[OPTION_PREDICT_OUTPUT], &session->output);
	if (good) {
		good = predict_blocks(session, arguments, &reader);
		good &= !session->output.path || takt_output_close(&session->output);
	}
	takt_block_reader_close(&reader);
	free(session->out);
	free(session->cycles);
	takt_cores_close(&session->cores);
	return good;
}

/* Refuse options that need `--paths`, or that it has no use for. */
static bool check_paths(const struct takt_arguments *arguments)
{
	static const int with[] = {OPTION_PREDICT_FUNCTION, OPTION_PREDICT_TRIPS,
				   OPTION_PREDICT_ENTRY_VALUES};
	static const int without[] = {OPTION_PREDICT_MODE,  OPTION_PREDICT_ENGINE,
				      OPTION_PREDICT_ALIGN, OPTION_PREDICT_POINTERS,
				      OPTION_PREDICT_JOBS,  OPTION_PREDICT_WITHOUT};
	const char *const *values = arguments->values;
	bool paths = values[OPTION_PREDICT_PATHS] != NULL;

	for (size_t i = 0; i < sizeof(with) / sizeof(*with) && !paths; i++)
		if (values[with[i]])
			return takt_say_error("'%s' needs '--paths'", arguments->typed[with[i]]);
	for (size_t i = 0; i < sizeof(without) / sizeof(*without) && paths; i++)
		if (values[without[i]])
			return takt_say_error("'%s' has no meaning with '--paths'",
					      arguments->typed[without[i]]);
	if (paths && !values[OPTION_PREDICT_FUNCTION]) {
		takt_say_error("'--paths' needs a function");
		return takt_say_note("name it with '--function=NAME'");
	}
	return true;
}

/* Refuse options of the simulator without it. */
static bool check_engine(const struct takt_arguments *arguments)
{
	static const unsigned simulated[] = {OPTION_PREDICT_ALIGN, OPTION_PREDICT_POINTERS,
					     OPTION_PREDICT_WITHOUT};

	if (chosen_engine(arguments) == TAKT_ENGINE_SIM)
		return true;
	for (size_t i = 0; i < TAKT_COUNT_OF(simulated); i++)
		if (arguments->values[simulated[i]])
			return takt_say_error("'%s' is for '--engine=sim'",
					      arguments->typed[simulated[i]]);
	return true;
}

void takt_predict_format(const struct takt_arguments *arguments, bool *ret_is_json,
			 bool *ret_is_page)
{
	*ret_is_page = takt_arguments_html(arguments, OPTION_PREDICT_FORMAT);
	*ret_is_json = takt_arguments_choice(arguments, OPTION_PREDICT_FORMAT) != 0;
}

int takt_predict_main(struct takt_arguments *arguments)
{
	struct session session = {
		.jobs = 1, .pointer_bytes = LINE_MIDDLE, .shows_progress = isatty(STDERR_FILENO)};

	takt_arguments_take_format(arguments, OPTION_PREDICT_FORMAT, OPTION_PREDICT_OUTPUT);
	if (arguments->operand_count > 1) {
		takt_say_error("one file at a time, not '%s' and '%s'", arguments->operands[0],
			       arguments->operands[1]);
		return TAKT_EXIT_USAGE;
	}
	if (!check_paths(arguments))
		return TAKT_EXIT_USAGE;
	if (arguments->values[OPTION_PREDICT_PATHS])
		return takt_predict_paths_run(arguments) ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
	if (!takt_arguments_integer(arguments, OPTION_PREDICT_JOBS, 1, JOBS_MAX, &session.jobs) ||
	    !takt_arguments_integer(arguments, OPTION_PREDICT_ALIGN, 0, 63,
				    &session.alignment_bytes) ||
	    !takt_arguments_integer(arguments, OPTION_PREDICT_POINTERS, 0, 63,
				    &session.pointer_bytes))
		return TAKT_EXIT_USAGE;
	if (!check_engine(arguments))
		return TAKT_EXIT_USAGE;
	takt_predict_format(arguments, &session.is_json, &session.is_page);
	session.next_progress_seconds = takt_clock_seconds() + PROGRESS_SECONDS;
	return run(&session, arguments) ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}
