/* SPDX-License-Identifier: MIT */
/* Reads logs, which are not trusted: each message is checked before it is used. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "trace/log/log_names.h"
#include "trace/log/log_source.h"

struct reader {
	struct trace_log_source *source; /* stream that delivers the frames, or NULL */
	uint64_t before;		 /* bytes of the log before `data` */
	const uint8_t *data;
	size_t size_bytes, at; /* size of `data`; offset of the frame that is being read */
	const char *name;
	struct takt_diag *diag;
	ZSTD_DCtx *context;
	uint8_t *message;
	struct log_message header;
	uint8_t *body;
	struct trace_log_target *target;
	struct trace_places *places; /* NULL: functions and lines are not looked up */
	struct trace_fault fault;
	bool has_fault;
	uint32_t thread_owners; /* threads of which the log says whose they are */
	bool named;		/* the log has names: they are not looked up */
	struct trace_sequencer sequencer;
	struct log_predictor *predictor;
	uint64_t *records;
};

static enum takt_status complain(const struct reader *reader, const char *what)
{
	const struct takt_bytes_place place = {
		.file = reader->name,
		.offset = reader->before + reader->at,
		.row = reader->data + reader->at,
		.row_size_bytes =
			reader->size_bytes - reader->at < 16 ? reader->size_bytes - reader->at : 16,
	};

	takt_error_in_bytes(reader->diag, &place, "%s", what);
	return TAKT_BAD_INPUT;
}

static enum takt_status next_frame(struct reader *reader)
{
	size_t taken = reader->at;

	if (!reader->source)
		return TAKT_OK;
	reader->before += taken;
	reader->at = 0;
	return takt_trace_log_source_next(reader->source, taken, &reader->data,
					  &reader->size_bytes);
}

#define FRAME_HEADER_BYTES_MAX 18 /* RFC 8878, 3.1.1 */

/* True if the data may be the start of a frame's header that is cut off. */
static bool is_cut_header(const uint8_t *frame, size_t left)
{
	static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};

	return left < FRAME_HEADER_BYTES_MAX &&
	       memcmp(frame, magic, left < sizeof(magic) ? left : sizeof(magic)) == 0;
}

/* Decompress the message at reader->at, and set the size of its frame. */
static enum takt_status read_message(struct reader *reader, size_t *ret_frame_size)
{
	enum takt_status status = next_frame(reader);
	const uint8_t *frame = reader->data + reader->at;
	size_t left = reader->size_bytes - reader->at, size;
	unsigned long long content;

	if (status != TAKT_OK)
		return status;
	if (left == 0)
		return complain(reader, "the log ends too early: it was not written to its end");
	content = ZSTD_getFrameContentSize(frame, left);
	if (content == ZSTD_CONTENTSIZE_ERROR && is_cut_header(frame, left))
		return complain(reader, "the log ends in the middle of a frame");
	if (content == ZSTD_CONTENTSIZE_ERROR || content == ZSTD_CONTENTSIZE_UNKNOWN ||
	    content < sizeof(reader->header) || content > LOG_MESSAGE_BYTES_MAX)
		return complain(reader, "here should be a Zstandard frame of a trace");
	*ret_frame_size = ZSTD_findFrameCompressedSize(frame, left);
	if (ZSTD_isError(*ret_frame_size))
		return complain(reader, "the log ends in the middle of a frame");
	size = ZSTD_decompressDCtx(reader->context, reader->message, LOG_MESSAGE_BYTES_MAX, frame,
				   *ret_frame_size);
	if (ZSTD_isError(size))
		return complain(reader, ZSTD_getErrorName(size));
	if (size < sizeof(reader->header))
		return complain(reader, "the message is too short");
	memcpy(&reader->header, reader->message, sizeof(reader->header));
	reader->body = reader->message + sizeof(reader->header);
	if (reader->header.size_bytes != size - sizeof(reader->header))
		return complain(reader, "the message's size is not its frame's");
	return TAKT_OK;
}

static enum takt_status read_header(struct reader *reader, struct takt_trace_totals *totals)
{
	struct trace_dictionary *dictionary = reader->target->dictionary;
	const struct trace_guest *guest;
	struct log_header header;

	if (reader->header.kind != LOG_KIND_HEADER || reader->header.size_bytes != sizeof(header))
		return complain(reader, "this is no log of a trace");
	memcpy(&header, reader->body, sizeof(header));
	if (header.magic != LOG_MAGIC)
		return complain(reader, "this is no log of a trace, or of another version");
	guest = takt_trace_guest_find(header.guest, strnlen(header.guest, sizeof(header.guest)));
	if (!guest)
		return complain(reader, "the program's instruction set is not known");
	totals->guest = guest->name;
	totals->blocks_only = !(header.flags & LOG_HAS_ACCESSES);
	takt_trace_dictionary_init(dictionary, guest);
	if (reader->target->begin) {
		enum takt_status status = reader->target->begin(reader->target, reader->diag);

		if (status != TAKT_OK)
			return status;
	}
	takt_trace_sequencer_init(&reader->sequencer, dictionary, reader->target->sink,
				  !totals->blocks_only);
	if (reader->target->names)
		reader->places = takt_trace_places_new(dictionary, NULL);
	return TAKT_OK;
}

/* Look up the function of a block if the log's writer did not. */
static void name_block(struct reader *reader, uint8_t *data)
{
	struct trace_block_header header;

	memcpy(&header, data, sizeof(header));
	if (header.function || !header.file ||
	    header.file >= reader->target->dictionary->file_count)
		return;
	header.function =
		takt_trace_places_function(reader->places, header.file, header.file_offset);
	memcpy(data, &header, sizeof(header));
}

static enum takt_status read_blocks(struct reader *reader)
{
	uint8_t *next = reader->body;
	size_t left = (size_t)reader->header.size_bytes;

	while (left) {
		size_t size = takt_trace_block_size(next, left);

		if (size && reader->places && !reader->named)
			name_block(reader, next);
		size = takt_trace_dictionary_add(reader->target->dictionary, next, left);

		if (size == 0)
			return complain(reader, "a block in this frame is invalid");
		next += size;
		left -= size;
	}
	return TAKT_OK;
}

static enum takt_status read_records(struct reader *reader)
{
	size_t count = (size_t)reader->header.size_bytes / sizeof(uint64_t), taken = 0;

	if (reader->header.size_bytes % sizeof(uint64_t) ||
	    reader->header.thread >= TRACE_THREADS_MAX)
		return complain(reader, "the message's size or thread is invalid");
	*reader->predictor = (struct log_predictor){0};
	memcpy(reader->records, reader->body, count * sizeof(uint64_t));
	for (size_t i = 0; i < count; i++)
		reader->records[i] = log_decode(reader->predictor, reader->records[i]);
	taken = takt_trace_sequencer_feed(&reader->sequencer, reader->header.thread,
					  reader->records, count);
	return taken == count ? TAKT_OK : complain(reader, "a record in this frame is invalid");
}

static enum takt_status read_names(struct reader *reader)
{
	struct trace_dictionary *dictionary = reader->target->dictionary;
	size_t size = (size_t)reader->header.size_bytes;
	const char *wrong;

	reader->named |= reader->header.kind != LOG_KIND_FILES;
	if (reader->header.kind == LOG_KIND_FILES)
		wrong = log_read_files(dictionary, reader->body, size);
	else if (reader->header.kind == LOG_KIND_FUNCTIONS)
		wrong = log_read_functions(dictionary, reader->body, size);
	else
		wrong = log_read_lines(dictionary, reader->body, size);
	return wrong ? complain(reader, wrong) : TAKT_OK;
}

static enum takt_status read_command(struct reader *reader, struct takt_trace_totals *totals)
{
	size_t size = (size_t)reader->header.size_bytes, count = 0;
	const char *next = (const char *)reader->body, **words;

	if (size == 0 || size > LOG_COMMAND_BYTES_MAX || next[size - 1] != '\0')
		return complain(reader, "the command line in this frame is invalid");
	for (size_t i = 0; i < size; i++)
		count += next[i] == '\0';
	words = takt_xcalloc(count, sizeof(*words));
	for (size_t i = 0; i < count; i++, next += strlen(next) + 1)
		words[i] = next;
	takt_trace_totals_set_command(totals, words, (uint32_t)count);
	free(words);
	return TAKT_OK;
}

static enum takt_status read_fault(struct reader *reader)
{
	if (reader->header.size_bytes != sizeof(reader->fault))
		return complain(reader, "the message's size is invalid");
	memcpy(&reader->fault, reader->body, sizeof(reader->fault));
	if (!takt_trace_fault_is_valid(reader->target->dictionary, &reader->fault))
		return complain(reader, "the fault in this frame is at no instruction");
	reader->has_fault = true;
	return TAKT_OK;
}

static enum takt_status read_processes(struct reader *reader, struct takt_trace_totals *totals)
{
	size_t size = (size_t)reader->header.size_bytes;
	const char *wrong =
		reader->header.kind == LOG_KIND_PROCESSES
			? log_read_processes(totals, reader->body, size)
			: log_read_threads(totals, reader->body, size, &reader->thread_owners);

	return wrong ? complain(reader, wrong) : TAKT_OK;
}

static enum takt_status read_end(struct reader *reader, struct takt_trace_totals *totals)
{
	struct log_end end;

	if (reader->header.size_bytes != sizeof(end))
		return complain(reader, "the last message has the wrong size");
	memcpy(&end, reader->body, sizeof(end));
	if (totals->process_count && reader->thread_owners < reader->sequencer.thread_count)
		return complain(reader, "a thread is of no program");
	totals->exit_status = end.exit_status;
	totals->signal = end.signal;
	totals->became_other = (end.flags & LOG_BECAME_OTHER) != 0;
	totals->processes = end.processes;
	totals->checked_insns = end.checked_insns;
	return TAKT_OK;
}

static enum takt_status read_by_kind(struct reader *reader, bool skips,
				     struct takt_trace_totals *totals)
{
	switch (reader->header.kind) {
	case LOG_KIND_BLOCKS:
		return read_blocks(reader);
	case LOG_KIND_RECORDS:
		return skips ? TAKT_OK : read_records(reader);
	case LOG_KIND_FILES:
	case LOG_KIND_FUNCTIONS:
	case LOG_KIND_LINES:
		return read_names(reader);
	case LOG_KIND_COMMAND:
		return read_command(reader, totals);
	case LOG_KIND_FAULT:
		return read_fault(reader);
	case LOG_KIND_PROCESSES:
	case LOG_KIND_THREADS:
		return read_processes(reader, totals);
	case LOG_KIND_END:
		return read_end(reader, totals);
	default:
		return complain(reader, "the message is of no known kind");
	}
}

/* Read the blocks and names of the frames before the one that the replay begins with. */
static enum takt_status skip(struct reader *reader, struct takt_trace_totals *totals)
{
	struct trace_log_watch *watch = reader->target->watch;
	enum takt_status status = TAKT_OK;
	size_t frame_size = 0;

	if (!watch || !watch->begin)
		return TAKT_OK;
	while (status == TAKT_OK && reader->at < watch->begin) {
		status = read_message(reader, &frame_size);
		if (status == TAKT_OK)
			status = read_by_kind(reader, true, totals);
		reader->at += frame_size;
	}
	if (status == TAKT_OK && reader->at != watch->begin)
		return complain(reader, "the checkpoint is of no place in this log");
	return status == TAKT_OK ? watch->resume(watch, &reader->sequencer) : status;
}

static enum takt_status read_body(struct reader *reader, struct takt_trace_totals *totals)
{
	struct trace_log_watch *watch = reader->target->watch;
	enum takt_status status = skip(reader, totals);
	size_t frame_size = 0;

	while (status == TAKT_OK) {
		status = read_message(reader, &frame_size);
		if (status == TAKT_OK)
			status = read_by_kind(reader, false, totals);
		if (status != TAKT_OK)
			break;
		reader->at += frame_size;
		if (reader->header.kind == LOG_KIND_END)
			return reader->at == reader->size_bytes
				       ? TAKT_OK
				       : complain(reader, "data follow the end of the trace");
		if (reader->header.kind == LOG_KIND_RECORDS && watch &&
		    !watch->goes_on(watch, &reader->sequencer, reader->at))
			break;
	}
	return status;
}

static enum takt_status read_log(struct reader *reader, struct takt_trace_totals *totals)
{
	size_t frame_size;
	enum takt_status status = read_message(reader, &frame_size);

	if (status == TAKT_OK)
		status = read_header(reader, totals);
	if (status != TAKT_OK)
		return status;
	reader->at += frame_size;
	status = read_body(reader, totals);
	if (status == TAKT_OK)
		takt_trace_sequencer_end(&reader->sequencer);
	if (status == TAKT_OK && reader->places && !reader->named)
		takt_trace_places_find_lines(reader->places);
	if (status == TAKT_OK && reader->has_fault && totals->signal)
		totals->fault =
			takt_trace_fault_describe(reader->target->dictionary, &reader->fault);
	takt_trace_sequencer_release(&reader->sequencer);
	takt_trace_places_free(reader->places);
	return status;
}

static enum takt_status read_with(struct reader *reader, struct takt_trace_totals *totals)
{
	enum takt_status status = TAKT_UNAVAILABLE;

	reader->context = ZSTD_createDCtx();
	reader->message = takt_xcalloc(LOG_MESSAGE_BYTES_MAX, 1);
	reader->records = takt_xcalloc(LOG_MESSAGE_BYTES_MAX, 1);
	reader->predictor = takt_xcalloc(1, sizeof(struct log_predictor));
	if (reader->context)
		status = read_log(reader, totals);
	else
		takt_error(reader->diag, "zstd: no memory");
	ZSTD_freeDCtx(reader->context);
	free(reader->message);
	free(reader->records);
	free(reader->predictor);
	return status;
}

enum takt_status takt_trace_log_read(const uint8_t *data, size_t size_bytes, const char *name,
				     struct trace_log_target *target, struct takt_diag *diag,
				     struct takt_trace_totals *totals)
{
	struct reader reader = {
		.data = data,
		.size_bytes = size_bytes,
		.name = name,
		.target = target,
		.diag = diag,
	};

	return read_with(&reader, totals);
}

enum takt_status takt_trace_log_read_stream(struct trace_log_source *source, const char *name,
					    struct trace_log_target *target, struct takt_diag *diag,
					    struct takt_trace_totals *totals)
{
	struct reader reader = {.source = source, .name = name, .target = target, .diag = diag};
	enum takt_status status = read_with(&reader, totals);
	const uint8_t *rest;
	size_t size;

	/* Consume the last frame, too, without reading on after it. */
	source->at_end = true;
	return status == TAKT_OK ? takt_trace_log_source_next(source, reader.at, &rest, &size)
				 : status;
}
