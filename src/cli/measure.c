/* SPDX-License-Identifier: MIT */
/* takt measure: measures the cycles that code takes on this machine. */
#include <ctype.h>
#include <string.h>

#include "cli/command_docs.h"
#include "cli/measure.h"

/* The state of one run of the command, on blocks of a file or of the command line. */
struct session {
	const struct takt_arguments *arguments;
	const struct takt_measure_request *request;
	struct takt_measurers measurers;
	struct takt_loop_finder *finder;
	struct takt_code *code;
	struct takt_region_choice choice;
	struct takt_output output;
	struct takt_text *text;
	size_t written;
	bool failed;
};

/* Write what was appended to the session's text. */
static void write_text(struct session *session)
{
	fwrite(takt_text_data(session->text), 1, takt_text_size_bytes(session->text),
	       session->output.file);
	takt_text_clear(session->text);
}

static void write_row(struct session *session, const struct takt_measured *row)
{
	switch (session->request->format) {
	case TAKT_MEASURE_TEXT:
		if (session->written)
			fputc('\n', session->output.file);
		takt_write_measured_text(row, session->text);
		break;
	case TAKT_MEASURE_JSON:
		takt_write_measured_json(row, !session->written, session->text);
		break;
	case TAKT_MEASURE_CSV:
		takt_write_measured_csv(row, session->text);
		break;
	}
	write_text(session);
	session->failed |= row->result.status != TAKT_MEASURE_OK;
	session->written++;
}

static struct takt_measured new_row(struct takt_measurer *measurer)
{
	return (struct takt_measured){.clock = takt_clock_word(takt_measurer_clock(measurer)),
				      .cpu = takt_measurer_cpu(measurer)};
}

static void measure_region(struct session *session, const struct takt_region *region,
			   const struct takt_loop_body *body, bool is_loop)
{
	size_t size = is_loop ? body->loop_size_bytes : body->unroll_size_bytes;
	struct takt_measurer *measurer = takt_measurers_of(&session->measurers, is_loop);
	struct takt_measured row;

	if (!measurer) {
		session->failed = true;
		return;
	}
	row = new_row(measurer);
	row.name = region->name;
	row.bytes = region->bytes;
	row.size_bytes = region->size_bytes;
	row.mode = is_loop ? "loop" : "unroll";
	row.replaced_bytes = is_loop ? region->size_bytes - size : 0;
	takt_measure(measurer, region->bytes, size, &row.result);
	write_row(session, &row);
}

static void measure_regions(struct session *session)
{
	enum takt_measure_mode mode = session->request->mode;

	for (size_t i = 0; i < takt_code_region_count(session->code); i++) {
		const struct takt_region *region = takt_code_region(session->code, i);
		struct takt_loop_body body;
		bool loops;

		if (!takt_region_chosen(session->code, &session->choice, i))
			continue;
		body = takt_loop_body_find(session->finder, region->bytes, region->size_bytes);
		loops = mode == TAKT_MEASURE_LOOP || mode == TAKT_MEASURE_BOTH ||
			(mode == TAKT_MEASURE_AUTO && body.is_loop);
		if (!loops || mode == TAKT_MEASURE_BOTH)
			measure_region(session, region, &body, false);
		if (loops)
			measure_region(session, region, &body, true);
	}
}

static void measure_call(struct session *session)
{
	const struct takt_call *call = &session->request->call;
	struct takt_measurer *measurer = takt_measurers_any(&session->measurers);
	struct takt_measured row;

	session->failed |= !measurer;
	if (!measurer)
		return;
	row = new_row(measurer);
	row.name = call->function;
	row.mode = "call";
	row.iterations = call->iterations;
	if (takt_measure_call(measurer, call, session->measurers.diag, &row.result) == TAKT_OK)
		write_row(session, &row);
	else
		session->failed = true;
}

static bool open_code(struct session *session)
{
	const char *isa;

	if (takt_code_open(&session->request->code, session->measurers.diag, &session->code) !=
	    TAKT_OK)
		return false;
	isa = takt_code_region(session->code, 0)->isa;
	if (strcmp(isa, TAKT_HOST_ISA) != 0) {
		takt_say_error("code for %s cannot be measured on a machine that executes %s", isa,
			       TAKT_HOST_ISA);
		return takt_say_note("'takt analyze' predicts its cycles");
	}
	takt_code_notes_say(session->code);
	return takt_region_choose(session->code, session->arguments->values[OPTION_MEASURE_REGION],
				  0, &session->choice);
}

static void run(struct session *session)
{
	enum takt_measure_format format = session->request->format;
	bool is_call = session->request->call.function != NULL;
	struct takt_measurer *measurer;

	session->failed = true;
	if (!is_call && !open_code(session))
		return;
	takt_say_diag(session->measurers.diag);
	measurer = takt_measurers_any(&session->measurers);
	if (!measurer ||
	    !takt_output_open(session->arguments->values[OPTION_MEASURE_OUTPUT], &session->output))
		return;
	session->failed = false;
	if (format == TAKT_MEASURE_JSON)
		takt_write_measured_json_begin(takt_measurer_cpu(measurer),
					       takt_clock_word(takt_measurer_clock(measurer)),
					       session->text);
	if (format == TAKT_MEASURE_CSV)
		takt_write_measured_csv_header(session->text);
	write_text(session);
	if (is_call)
		measure_call(session);
	else
		measure_regions(session);
	if (format == TAKT_MEASURE_JSON)
		takt_write_measured_json_end(!session->written, session->text);
	write_text(session);
	session->failed |= !takt_output_close(&session->output);
}

static bool run_session(const struct takt_arguments *arguments,
			const struct takt_measure_request *request)
{
	struct session session = {
		.arguments = arguments,
		.request = request,
		.measurers = {.options = request->options, .diag = takt_diag_new()},
		.finder = takt_loop_finder_new(),
		.text = takt_text_new(),
	};

	run(&session);
	takt_say_diag(session.measurers.diag);
	takt_code_close(session.code);
	takt_measurers_close(&session.measurers);
	takt_loop_finder_free(session.finder);
	takt_text_free(session.text);
	takt_diag_free(session.measurers.diag);
	return !session.failed;
}

static bool is_date(const char *text)
{
	const char *like = "dddd-dd-dd";

	for (; *like && *text; like++, text++)
		if (*like == 'd' ? !isdigit((unsigned char)*text) : *text != '-')
			return false;
	return !*like && !*text;
}

int takt_measure_main(struct takt_arguments *arguments)
{
	struct takt_measure_request request;
	const char *date;
	bool good;

	takt_arguments_take_format(arguments, OPTION_MEASURE_FORMAT, OPTION_MEASURE_OUTPUT);
	date = arguments->values[OPTION_MEASURE_DATE];
	if (date && !is_date(date)) {
		takt_say_error("'--date' needs a date such as '2025-03-31', not '%s'", date);
		return TAKT_EXIT_USAGE;
	}
	if (!takt_measure_request_read(arguments, &request))
		return TAKT_EXIT_USAGE;
	good = request.is_batch ? takt_measure_batch(arguments, &request)
				: run_session(arguments, &request);
	takt_measure_request_release(&request);
	return good ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}
