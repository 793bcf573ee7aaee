/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a checkpoint, and any bytes in places of a good one, whose checksum and digest are
 * then right again: of a replay that counts, and of one in a core with caches and branch
 * prediction. What is resumed goes on for a while.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "takt/takt.h"
#include "trace/checkpoint.h"
#include "trace/blocks/record.h"

#define CONTENT_BYTES_MAX ((size_t)1 << 24)
#define TURNS 40u /* of the loop, before the checkpoint and behind it */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A replay at its begin, and a place for its checkpoint. */
struct setup {
	char path[32];
	struct trace_dictionary dictionary;
	struct trace_sinks sinks;
	struct trace_sequencer sequencer;
	struct trace_checkpoint checkpoint;
};

static const uint8_t log_bytes[4096];

/* ---- what is replayed ------------------------------------------------------------------------ */

struct code {
	uint64_t address;
	uint8_t flags, count, lengths[8], bytes[24];
};

enum { BODY, COPY, CALL, LEAF, TAIL };

static const struct code blocks[] = {
	/* mov rax, [rdi]; imul rax, rbx; mov [rdi+8], rax; mov ah, cl; divsd; mov rdx, rax; jz */
	[BODY] = {0x1000, 0, 7, {3, 4, 4, 2, 4, 3, 2}, {0x48, 0x8b, 0x07, 0x48, 0x0f, 0xaf,
							0xc3, 0x48, 0x89, 0x47, 0x08, 0x88,
							0xcc, 0xf2, 0x0f, 0x5e, 0xc1, 0x48,
							0x89, 0xc2, 0x74, 0xfe}},
	[COPY] = {0x1016, TRACE_BLOCK_REPEATS, 1, {2}, {0xf3, 0xa4}}, /* rep movsb */
	[CALL] = {0x1018, 0, 2, {1, 5}, {0x50, 0xe8, 0x03, 0, 0, 0}}, /* push rax; call */
	[LEAF] = {0x1021, 0, 2, {1, 1}, {0x58, 0xc3}},		      /* pop rax; ret */
	[TAIL] = {0x101e, 0, 1, {2}, {0xeb, 0xe0}},		      /* jmp */
};

static void add_blocks(struct trace_dictionary *dictionary)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(blocks); i++) {
		uint64_t words[16] = {0};
		uint8_t *bytes = (uint8_t *)words;
		struct trace_block_header header = {.address = blocks[i].address,
						    .insn_count = blocks[i].count,
						    .flags = blocks[i].flags};

		for (unsigned j = 0; j < blocks[i].count; j++)
			header.size_bytes += blocks[i].lengths[j];
		memcpy(bytes, &header, sizeof(header));
		memcpy(bytes + sizeof(header), blocks[i].lengths, blocks[i].count);
		memcpy(bytes + sizeof(header) + blocks[i].count, blocks[i].bytes,
		       header.size_bytes);
		if (!takt_trace_dictionary_add(dictionary, bytes, sizeof(words)))
			abort();
	}
}

static uint64_t an_access(unsigned insn, bool store, uint64_t address)
{
	return TRACE_ACCESS | (uint64_t)insn << TRACE_INSN_SHIFT | (store ? TRACE_STORE : 0) |
	       (uint64_t)3 << TRACE_SIZE_SHIFT | address;
}

/* A turn of the loop. Which way branches go, and what is accessed, differs from turn to turn. */
static void feed_turn(struct trace_sequencer *sequencer, unsigned turn)
{
	const uint64_t at = 0x7000 + (uint64_t)turn * turn * 40 % 9000;
	const uint64_t records[] = {
		trace_record(TRACE_KIND_BLOCK, BODY),
		an_access(0, false, at),
		an_access(2, true, at + 8),
		trace_record(TRACE_KIND_BLOCK, COPY),
		an_access(0, false, at),
		an_access(0, true, at + 64),
		trace_record(TRACE_KIND_BLOCK, COPY),
		an_access(0, false, at + 1),
		an_access(0, true, at + 65),
		trace_record(TRACE_KIND_BLOCK, CALL),
		an_access(0, true, 0x8ff8),
		an_access(1, true, 0x8ff0),
		trace_record(TRACE_KIND_BLOCK, LEAF),
		an_access(0, false, 0x8ff0),
		an_access(1, false, 0x8ff8),
		trace_record(TRACE_KIND_BLOCK, TAIL),
	};
	size_t first = turn * 2654435761u >> 20 & 1 ? 3 : 0; /* without the body */

	takt_trace_sequencer_feed(sequencer, 0, records + first, TAKT_COUNT_OF(records) - first);
}

/* ---- replays --------------------------------------------------------------------------------- */

static const struct takt_model *the_model(void *context, const char *isa)
{
	static struct takt_model *model;

	(void)context, (void)isa;
	if (!model && takt_model_open("SKL", NULL, NULL, &model) != TAKT_OK)
		abort();
	return model;
}

/* What is replayed, by the lowest bits of an input's first byte. */
static const struct takt_trace_core cores[] = {
	{.model = the_model, .ideal = TAKT_IDEAL_CACHES},
	{.model = the_model},
	{.model = the_model,
	 .ideal = TAKT_IDEAL_CACHES | TAKT_IDEAL_BRANCHES,
	 .sample = true,
	 .no_memo = true},
};
static const struct takt_trace_options kinds[] = {
	{.profile = true},
	{.profile = true, .core = &cores[0]},
	{.profile = true, .core = &cores[1]},
	{.profile = true, .core = &cores[2]},
};

static void begin(struct setup *setup, unsigned kind, const char *path)
{
	const struct takt_file log = {.data = log_bytes, .size_bytes = sizeof(log_bytes)};

	*setup = (struct setup){.path = ""};
	strcpy(setup->path, path);
	takt_trace_dictionary_init(&setup->dictionary, takt_trace_guest_find("x86-64", 6));
	add_blocks(&setup->dictionary);
	takt_trace_sinks_init(&setup->sinks, &kinds[kind]);
	if (takt_trace_sinks_begin(&setup->sinks, &setup->dictionary, NULL) != TAKT_OK)
		abort();
	takt_trace_sequencer_init(&setup->sequencer, &setup->dictionary, setup->sinks.first, true);
	takt_trace_checkpoint_init(&setup->checkpoint, setup->path, &log, &setup->sinks,
				   &setup->dictionary);
}

/* Go on to the end of the program. */
static void run(struct setup *setup)
{
	struct takt_trace_totals *totals = takt_xcalloc(1, sizeof(*totals));

	for (unsigned turn = 0; turn < TURNS; turn++)
		feed_turn(&setup->sequencer, turn);
	takt_trace_sequencer_end(&setup->sequencer);
	takt_trace_sinks_finish(&setup->sinks, totals);
	takt_trace_totals_free(totals);
}

static void end(struct setup *setup)
{
	takt_trace_checkpoint_release(&setup->checkpoint);
	takt_trace_sequencer_release(&setup->sequencer);
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
static enum takt_status read_any(const char *path, unsigned kind, const uint8_t *data, size_t size)
{
	struct takt_diag *diag = takt_diag_new();
	enum takt_status status;
	struct setup setup;
	size_t at = 0;

	begin(&setup, kind, path);
	write_file(path, data, size);
	status = takt_trace_checkpoint_find(&setup.checkpoint, diag, &at);
	if (status == TAKT_OK && at) {
		status = takt_trace_checkpoint_resume(&setup.checkpoint, &setup.sequencer, diag);
		if (status == TAKT_OK)
			run(&setup);
	}
	if ((status != TAKT_OK) != (takt_diag_error_count(diag) != 0))
		abort();
	end(&setup);
	takt_diag_free(diag);
	return status;
}

struct content {
	uint8_t *bytes;
	size_t size;
};

/* The content of a good one, made once for each kind: writing it waits for the disk. */
static const struct content *good_content(unsigned kind, const char *path)
{
	static struct content contents[TAKT_COUNT_OF(kinds)];
	const uint64_t start = trace_record(TRACE_KIND_START, 0);
	struct content *content = &contents[kind];
	struct takt_file file;
	struct setup setup;

	if (content->bytes)
		return content;
	content->bytes = malloc(CONTENT_BYTES_MAX);
	begin(&setup, kind, path);
	takt_trace_sequencer_feed(&setup.sequencer, 0, &start, 1);
	for (unsigned turn = 0; turn < TURNS; turn++)
		feed_turn(&setup.sequencer, turn);
	if (!content->bytes ||
	    takt_trace_checkpoint_write(&setup.checkpoint, &setup.sequencer, 8, NULL) != TAKT_OK ||
	    takt_file_open(path, NULL, &file) != TAKT_OK)
		abort();
	content->size =
		ZSTD_decompress(content->bytes, CONTENT_BYTES_MAX, file.data, file.size_bytes);
	takt_file_close(&file);
	end(&setup);
	if (ZSTD_isError(content->size))
		abort();
	return content;
}

/* The digest at the content's end, as if takt had written it (FNV-1a). */
static void sign(uint8_t *content, size_t size)
{
	uint64_t digest = 0xcbf29ce484222325u;

	for (size_t i = 0; i < size - sizeof(digest); i++)
		digest = (digest ^ content[i]) * 0x100000001b3u;
	memcpy(content + (size - sizeof(digest)), &digest, sizeof(digest));
}

/*
 * Each patch: a place of three bytes, a byte that tells how many bytes follow, and these. True if
 * there is one.
 */
static bool patch(uint8_t *content, size_t size, const uint8_t *data, size_t data_size)
{
	bool patched = data_size > 4;

	while (data_size > 4) {
		size_t at = (data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16) % size;
		size_t count = 1 + data[3] % 16u;

		data += 4;
		data_size -= 4;
		count = count < data_size ? count : data_size;
		count = count < size - at ? count : size - at;
		memcpy(content + at, data, count);
		data += count;
		data_size -= count;
	}
	return patched;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t *content, *packed;
	char path[] = "/tmp/takt-fuzz-XXXXXX";
	int file = mkstemp(path);
	const struct content *good;
	bool patched;
	unsigned kind = size ? data[0] % TAKT_COUNT_OF(kinds) : 0;

	if (!content)
		content = malloc(CONTENT_BYTES_MAX);
	if (!packed)
		packed = malloc(CONTENT_BYTES_MAX);
	if (!content || !packed || file < 0)
		abort();
	close(file);
	good = good_content(kind, path);
	if (size && data[0] & 0x80) {
		(void)read_any(path, kind, data + 1, size - 1);
	} else {
		memcpy(content, good->bytes, good->size);
		patched = patch(content, good->size, data + (size > 0), size - (size > 0));
		sign(content, good->size);
		if (read_any(path, kind, packed,
			     ZSTD_compress(packed, CONTENT_BYTES_MAX, content, good->size, 1)) !=
			    TAKT_OK &&
		    !patched)
			abort();
	}
	unlink(path);
	return 0;
}
