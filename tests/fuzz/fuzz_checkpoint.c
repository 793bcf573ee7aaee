/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a checkpoint, and any bytes instead of the state inside one: behind what says
 * that it belongs here, in a frame whose checksum is right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "trace/checkpoint.h"

#define CONTENT_BYTES_MAX ((size_t)1 << 24)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A replay at its begin, and a place for its checkpoint. */
struct setup {
	char path[32];
	struct trace_dictionary dictionary;
	struct trace_sinks sinks;
	struct trace_stepper stepper;
	struct trace_checkpoint checkpoint;
};

static const uint8_t log_bytes[4096];

static void begin(struct setup *setup, const char *path)
{
	static const struct takt_trace_options options = {.profile = true};
	const struct takt_file log = {.data = log_bytes, .size_bytes = sizeof(log_bytes)};

	*setup = (struct setup){.path = ""};
	strcpy(setup->path, path);
	takt_trace_dictionary_init(&setup->dictionary, takt_trace_guest_find("x86-64", 6));
	takt_trace_sinks_init(&setup->sinks, &options);
	if (takt_trace_sinks_begin(&setup->sinks, &setup->dictionary, NULL) != TAKT_OK)
		abort();
	takt_trace_stepper_init(&setup->stepper, &setup->dictionary, setup->sinks.first, true);
	takt_trace_checkpoint_init(&setup->checkpoint, setup->path, &log, &setup->sinks,
				   &setup->dictionary);
}

static void end(struct setup *setup)
{
	takt_trace_checkpoint_release(&setup->checkpoint);
	takt_trace_stepper_release(&setup->stepper);
	takt_trace_sinks_release(&setup->sinks);
	takt_trace_dictionary_release(&setup->dictionary);
}

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
		abort();
}

/* What is wrong must be said. */
static void read_any(const char *path, const uint8_t *data, size_t size)
{
	struct takt_diag *diag = takt_diag_new();
	enum takt_status status;
	struct setup setup;
	size_t at = 0;

	begin(&setup, path);
	write_file(path, data, size);
	status = takt_trace_checkpoint_find(&setup.checkpoint, diag, &at);
	if (status == TAKT_OK && at)
		status = takt_trace_checkpoint_resume(&setup.checkpoint, &setup.stepper, diag);
	if ((status != TAKT_OK) != (takt_diag_error_count(diag) != 0))
		abort();
	end(&setup);
	takt_diag_free(diag);
}

/* The content of a good one, made once: writing it waits for the disk. */
static size_t good_content(const char *path, uint8_t *ret_content)
{
	static uint8_t content[CONTENT_BYTES_MAX];
	static size_t size;
	struct takt_file file;
	struct setup setup;

	memcpy(ret_content, content, size);
	if (size)
		return size;
	begin(&setup, path);
	if (takt_trace_checkpoint_write(&setup.checkpoint, &setup.stepper, 8, NULL) != TAKT_OK ||
	    takt_file_open(path, NULL, &file) != TAKT_OK)
		abort();
	size = ZSTD_decompress(content, CONTENT_BYTES_MAX, file.data, file.size_bytes);
	takt_file_close(&file);
	end(&setup);
	if (ZSTD_isError(size))
		abort();
	memcpy(ret_content, content, size);
	return size;
}

/* The digest at the content's end, as if takt had written it (FNV-1a). */
static void sign(uint8_t *content, size_t size)
{
	uint64_t digest = 0xcbf29ce484222325u;

	if (size < sizeof(digest))
		return;
	for (size_t i = 0; i < size - sizeof(digest); i++)
		digest = (digest ^ content[i]) * 0x100000001b3u;
	memcpy(content + (size - sizeof(digest)), &digest, sizeof(digest));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *content = malloc(CONTENT_BYTES_MAX), *packed = malloc(CONTENT_BYTES_MAX);
	char path[] = "/tmp/takt-fuzz-XXXXXX";
	int file = mkstemp(path);
	size_t whole, at;

	if (!content || !packed || file < 0)
		abort();
	close(file);
	read_any(path, data, size);
	/* From a place on that the first two bytes tell. */
	whole = good_content(path, content);
	at = size > 2 ? (size_t)(data[0] | data[1] << 8) % whole : whole;
	if (size > 2)
		memcpy(content + at, data + 2, size - 2 < whole - at ? size - 2 : whole - at);
	sign(content, whole);
	read_any(path, packed, ZSTD_compress(packed, CONTENT_BYTES_MAX, content, whole, 1));
	unlink(path);
	free(content);
	free(packed);
	return 0;
}
