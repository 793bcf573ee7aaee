/* SPDX-License-Identifier: MIT */
/* Writes logs; log.h describes their format. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "trace/log/log_names.h"

#define RECORDS_PER_MESSAGE 65536u
#define BLOCK_BYTES_PER_MESSAGE ((size_t)1 << 20)
#define COMPRESSION_LEVEL 1

/* Records of a thread that wait until they fill a message. */
struct pending {
	uint64_t *words;
	size_t count;
	struct log_predictor predictor;
};

struct trace_log_writer {
	FILE *file;
	struct takt_new_file *target; /* NULL: the caller opened the stream */
	char *path;
	int error; /* errno of the first error, or 0 */
	ZSTD_CCtx *context;
	uint8_t *message; /* message that is being put together: a header and its data */
	void *packed;
	size_t packed_capacity;
	uint8_t *blocks;
	size_t blocks_size_bytes, blocks_capacity;
	struct pending **threads;
	uint32_t thread_count;
};

static void write_message(struct trace_log_writer *writer, enum log_kind kind, uint32_t thread,
			  const void *data, size_t size_bytes)
{
	const struct log_message header = {kind, thread, size_bytes};
	size_t size;

	memcpy(writer->message, &header, sizeof(header));
	memcpy(writer->message + sizeof(header), data, size_bytes);
	size = ZSTD_compress2(writer->context, writer->packed, writer->packed_capacity,
			      writer->message, sizeof(header) + size_bytes);
	if (ZSTD_isError(size)) {
		writer->error = writer->error ? writer->error : ENOMEM;
		return;
	}
	if (!writer->error && fwrite(writer->packed, 1, size, writer->file) != size)
		writer->error = errno;
}

/* Write a log into a stream, which the writer then owns; `name` is for messages. */
static struct trace_log_writer *start_log(FILE *file, const char *name,
					  const struct trace_log_header *header)
{
	struct log_header start = {.magic = LOG_MAGIC,
				   .flags = header->has_accesses ? LOG_HAS_ACCESSES : 0};
	size_t message_max = sizeof(struct log_message) + 2 * BLOCK_BYTES_PER_MESSAGE;
	struct trace_log_writer *writer = takt_xcalloc(1, sizeof(*writer));

	writer->file = file;
	writer->path = takt_xstrdup(name);
	writer->context = ZSTD_createCCtx();
	writer->message = takt_xcalloc(message_max, 1);
	writer->packed_capacity = ZSTD_compressBound(message_max);
	writer->packed = takt_xcalloc(writer->packed_capacity, 1);
	if (!writer->context)
		takt_out_of_memory(0);
	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_checksumFlag, 1);
	memcpy(start.guest, header->guest, strlen(header->guest));
	write_message(writer, LOG_KIND_HEADER, 0, &start, sizeof(start));
	return writer;
}

/* Write to a copy of standard output's descriptor, so that it can be closed. */
static enum takt_status start_on_stdout(const struct trace_log_header *header,
					struct takt_diag *diag,
					struct trace_log_writer **ret_writer)
{
	int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	FILE *file = copy < 0 ? NULL : fdopen(copy, "wb");

	if (!file) {
		takt_error(diag, "cannot write to standard output: %s", strerror(errno));
		if (copy >= 0)
			close(copy);
		return TAKT_BAD_INPUT;
	}
	*ret_writer = start_log(file, "standard output", header);
	return TAKT_OK;
}

enum takt_status takt_trace_log_create(const char *path, const struct trace_log_header *header,
				       struct takt_diag *diag, struct trace_log_writer **ret_writer)
{
	struct takt_new_file *target;
	enum takt_status status;

	if (strcmp(path, "-") == 0)
		return start_on_stdout(header, diag, ret_writer);
	target = takt_xcalloc(1, sizeof(*target));
	status = takt_new_file_open(path, diag, target);
	if (status != TAKT_OK) {
		free(target);
		return status;
	}
	*ret_writer = start_log(target->file, path, header);
	(*ret_writer)->target = target;
	return TAKT_OK;
}

static void flush_blocks(struct trace_log_writer *writer)
{
	if (writer->blocks_size_bytes)
		write_message(writer, LOG_KIND_BLOCKS, 0, writer->blocks,
			      writer->blocks_size_bytes);
	writer->blocks_size_bytes = 0;
}

/* Write a thread's records, after all new blocks, since the records may be first to name them. */
static void flush_thread(struct trace_log_writer *writer, uint32_t number)
{
	struct pending *thread = writer->threads[number];

	if (!thread || thread->count == 0)
		return;
	flush_blocks(writer);
	write_message(writer, LOG_KIND_RECORDS, number, thread->words,
		      thread->count * sizeof(uint64_t));
	thread->count = 0;
	thread->predictor = (struct log_predictor){0};
}

/* Call `write_some` for one message after the other, until everything from `next` on is written. */
static void write_names(struct trace_log_writer *writer, enum log_kind kind, uint32_t next,
			const struct trace_dictionary *dictionary,
			void (*write_some)(const struct trace_dictionary *dictionary,
					   uint32_t *next, struct takt_text *text))
{
	struct takt_text text = {0};

	do {
		text.size_bytes = 0;
		write_some(dictionary, &next, &text);
		if (text.size_bytes)
			write_message(writer, kind, 0, text.data, text.size_bytes);
	} while (text.size_bytes);
	takt_text_release(&text);
}

void takt_trace_log_add_names(struct trace_log_writer *writer,
			      const struct trace_dictionary *dictionary, uint32_t first_file,
			      uint32_t first_function)
{
	write_names(writer, LOG_KIND_FILES, first_file, dictionary, log_write_files);
	write_names(writer, LOG_KIND_FUNCTIONS, first_function, dictionary, log_write_functions);
}

void takt_trace_log_add_lines(struct trace_log_writer *writer,
			      const struct trace_dictionary *dictionary)
{
	for (uint32_t i = 0; i < writer->thread_count; i++)
		flush_thread(writer, i);
	flush_blocks(writer);
	write_names(writer, LOG_KIND_LINES, 0, dictionary, log_write_lines);
}

void takt_trace_log_add_command(struct trace_log_writer *writer, const char *const *words,
				uint32_t count)
{
	struct takt_text text = {0};

	for (uint32_t i = 0; i < count; i++)
		takt_text_add(&text, words[i], strlen(words[i]) + 1);
	if (text.size_bytes && text.size_bytes <= LOG_COMMAND_BYTES_MAX)
		write_message(writer, LOG_KIND_COMMAND, 0, text.data, text.size_bytes);
	takt_text_release(&text);
}

void takt_trace_log_add_fault(struct trace_log_writer *writer, const struct trace_fault *fault)
{
	for (uint32_t i = 0; i < writer->thread_count; i++)
		flush_thread(writer, i);
	flush_blocks(writer);
	write_message(writer, LOG_KIND_FAULT, 0, fault, sizeof(*fault));
}

void takt_trace_log_add_blocks(struct trace_log_writer *writer, const void *data, size_t size_bytes)
{
	if (writer->blocks_size_bytes + size_bytes > BLOCK_BYTES_PER_MESSAGE)
		flush_blocks(writer);
	TAKT_GROW(writer->blocks, writer->blocks_size_bytes + size_bytes, writer->blocks_capacity);
	memcpy(writer->blocks + writer->blocks_size_bytes, data, size_bytes);
	writer->blocks_size_bytes += size_bytes;
}

static struct pending *find_pending(struct trace_log_writer *writer, uint32_t number)
{
	TAKT_GROW_ZEROED(writer->threads, number + 1, writer->thread_count);
	if (!writer->threads[number]) {
		writer->threads[number] = takt_xcalloc(1, sizeof(struct pending));
		writer->threads[number]->words =
			takt_xcalloc(RECORDS_PER_MESSAGE, sizeof(uint64_t));
	}
	return writer->threads[number];
}

/* Free the buffer of a thread that has ended, as many threads may come and go. */
static void forget_thread(struct trace_log_writer *writer, uint32_t number)
{
	if (number >= writer->thread_count || !writer->threads[number])
		return;
	free(writer->threads[number]->words);
	free(writer->threads[number]);
	writer->threads[number] = NULL;
}

void takt_trace_log_add_records(struct trace_log_writer *writer, uint32_t number,
				const uint64_t *records, size_t count)
{
	struct pending *thread = find_pending(writer, number);
	size_t i;

	for (i = 0; i < count; i++) {
		if (thread->count == RECORDS_PER_MESSAGE)
			flush_thread(writer, number);
		thread->words[thread->count++] = log_encode(&thread->predictor, records[i]);
	}
	if (i && records[i - 1] >> TRACE_SIZE_SHIFT == TRACE_KIND_END) {
		flush_thread(writer, number);
		forget_thread(writer, number);
	}
}

static void free_writer(struct trace_log_writer *writer)
{
	for (uint32_t i = 0; i < writer->thread_count; i++)
		forget_thread(writer, i);
	free(writer->threads);
	free(writer->blocks);
	free(writer->message);
	free(writer->packed);
	free(writer->path);
	free(writer->target);
	ZSTD_freeCCtx(writer->context);
	free(writer);
}

/* Write which programs ran, and whose the threads were. */
static void write_processes(struct trace_log_writer *writer, const struct takt_trace_totals *totals)
{
	struct takt_text text = {0};

	for (uint32_t next = 0; next < totals->process_count;) {
		text.size_bytes = 0;
		log_write_processes(totals, &next, &text);
		write_message(writer, LOG_KIND_PROCESSES, 0, text.data, text.size_bytes);
	}
	if (totals->process_count && totals->thread_count)
		write_message(writer, LOG_KIND_THREADS, 0, totals->thread_processes,
			      totals->thread_count * sizeof(*totals->thread_processes));
	takt_text_release(&text);
}

enum takt_status takt_trace_log_close(struct trace_log_writer *writer,
				      const struct takt_trace_totals *totals,
				      struct takt_diag *diag)
{
	const struct log_end end = {
		.exit_status = totals->exit_status,
		.signal = totals->signal,
		.flags = totals->became_other ? LOG_BECAME_OTHER : 0,
		.processes = totals->processes,
		.insns = totals->all.insns,
		.checked_insns = totals->checked_insns,
	};
	int error;

	for (uint32_t i = 0; i < writer->thread_count; i++)
		flush_thread(writer, i);
	flush_blocks(writer);
	write_processes(writer, totals);
	write_message(writer, LOG_KIND_END, 0, &end, sizeof(end));
	if (writer->target) {
		error = takt_new_file_close(writer->target, writer->error, diag) != TAKT_OK;
	} else {
		if (fclose(writer->file) != 0 && !writer->error)
			writer->error = errno;
		error = writer->error;
		if (error)
			takt_error(diag, "cannot write '%s': %s", writer->path, strerror(error));
	}
	free_writer(writer);
	return error ? TAKT_BAD_INPUT : TAKT_OK;
}

void takt_trace_log_abandon(struct trace_log_writer *writer)
{
	if (!writer)
		return;
	if (writer->target)
		takt_new_file_abandon(writer->target);
	else
		fclose(writer->file);
	free_writer(writer);
}
