/* SPDX-License-Identifier: MIT */
/* Writes and reads checkpoints; checkpoint.h describes the file. */
#include "trace/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define MAGIC UINT64_C(0x326b636565684354)
#define END UINT64_C(0x646e65)
#define KEY_BYTES_MAX ((uint64_t)1 << 24)
#define DIGEST_WINDOWS 256u
#define DIGEST_BYTES ((size_t)1 << 12)
#define BUFFER_BYTES ((size_t)1 << 17)
#define COMPRESSION_LEVEL 1

/* ---- the key: takt, log and options ---- */

static void add_options(const struct trace_sinks *sinks, struct takt_text *key)
{
	const struct takt_trace_options *options = sinks->options;

	if (options->core) {
		const struct trace_timing_options *core = &sinks->timing.options;
		takt_text_printf(key, "%s %016" PRIx64 " %d %d %d %" PRIu64 " %u",
				 takt_model_name(core->model), takt_model_digest(core->model),
				 core->cache, core->branch, core->sample, core->seed,
				 core->syscall_cycles);
	}
	takt_text_printf(key, " %d", options->profile);
	for (uint32_t i = 0; i < options->region_count; i++)
		takt_text_printf(key, " %zu:%s", strlen(options->regions[i]), options->regions[i]);
}

/*
 * Return a digest of pieces from all over the log. That is enough to identify it: its frames have
 * checksums, which also detect other changes.
 */
static uint64_t digest_log(const struct takt_file *log)
{
	size_t size = log->size_bytes < DIGEST_BYTES ? log->size_bytes : DIGEST_BYTES;
	uint64_t digest = 0;

	for (size_t i = 0; i < DIGEST_WINDOWS; i++) {
		size_t at = (log->size_bytes - size) / (DIGEST_WINDOWS - 1) * i;

		if (i == DIGEST_WINDOWS - 1)
			at = log->size_bytes - size;
		digest = takt_hash64(digest ^ takt_hash_bytes(log->data + at, size));
	}
	return digest;
}

void takt_trace_checkpoint_init(struct trace_checkpoint *checkpoint, const char *path,
				const struct takt_file *log, struct trace_sinks *sinks,
				struct trace_dictionary *dictionary)
{
	*checkpoint = (struct trace_checkpoint){
		.path = path,
		.log_bytes = log->size_bytes,
		.sinks = sinks,
		.dictionary = dictionary,
	};
	takt_text_printf(&checkpoint->key, "takt " TAKT_VERSION "\n");
	takt_text_printf(&checkpoint->key, "%zu %016" PRIx64 "\n", log->size_bytes,
			 digest_log(log));
	add_options(sinks, &checkpoint->key);
}

void takt_trace_checkpoint_release(struct trace_checkpoint *checkpoint)
{
	takt_text_release(&checkpoint->key);
	takt_file_close(&checkpoint->file);
}

/* ---- the state ---- */

/*
 * Return a digest of the functions' names. It ensures that functions have the same numbers as
 * before, although names may come from files that have changed since.
 */
static uint64_t digest_functions(const struct trace_dictionary *dictionary)
{
	uint64_t digest = dictionary->function_count;

	for (uint32_t i = 1; i < dictionary->function_count; i++) {
		const char *name = dictionary->functions[i].name;

		digest = takt_hash64(digest ^ takt_hash_bytes(name, strlen(name)));
	}
	return digest;
}

static void pack_state(struct trace_checkpoint *checkpoint, struct trace_sequencer *sequencer,
		       struct takt_pack *pack)
{
	struct trace_sinks *sinks = checkpoint->sinks;

	takt_pack_same(pack, checkpoint->dictionary->count);
	takt_pack_same(pack, digest_functions(checkpoint->dictionary));
	takt_trace_sequencer_pack(sequencer, pack);
	takt_trace_counter_pack(&sinks->counter, pack);
	if (sinks->options->profile)
		takt_trace_profile_pack(&sinks->profile, pack);
	if (sinks->options->core)
		takt_trace_timing_pack(&sinks->timing, checkpoint->dictionary, pack);
	takt_pack_same(pack, END);
}

/* ---- writing ---- */

#define DIGEST_START UINT64_C(0xcbf29ce484222325)

/* Add data to a digest (FNV-1a). */
static uint64_t digest_more(uint64_t digest, const void *data, size_t size_bytes)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < size_bytes; i++)
		digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
	return digest;
}

struct writer {
	struct takt_pack pack; /* first, so that it is one */
	uint64_t digest;       /* digest of the content so far */
	ZSTD_CCtx *context;
	FILE *file;
	void *packed;
};

static bool write_some(struct writer *writer, const void *data, size_t size_bytes,
		       ZSTD_EndDirective directive)
{
	ZSTD_inBuffer in = {data, size_bytes, 0};
	size_t left;

	do {
		ZSTD_outBuffer out = {writer->packed, BUFFER_BYTES, 0};

		left = ZSTD_compressStream2(writer->context, &out, &in, directive);
		if (ZSTD_isError(left)) {
			errno = ENOMEM;
			return false;
		}
		if (fwrite(writer->packed, 1, out.pos, writer->file) != out.pos)
			return false;
	} while (directive == ZSTD_e_end ? left != 0 : in.pos < in.size);
	return true;
}

static bool write_part(struct takt_pack *pack, void *data, size_t size_bytes)
{
	struct writer *writer = (struct writer *)pack;

	writer->digest = digest_more(writer->digest, data, size_bytes);
	return write_some(writer, data, size_bytes, ZSTD_e_continue);
}

static bool write_all(struct writer *writer, struct trace_checkpoint *checkpoint,
		      struct trace_sequencer *sequencer, size_t at)
{
	uint32_t key_bytes = (uint32_t)checkpoint->key.size_bytes;
	uint64_t begin = at, digest;

	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_checksumFlag, 1);
	takt_pack_same(&writer->pack, MAGIC);
	takt_pack_count(&writer->pack, &key_bytes, KEY_BYTES_MAX);
	takt_pack_bytes(&writer->pack, checkpoint->key.data, key_bytes);
	takt_pack_bytes(&writer->pack, &begin, sizeof(begin));
	pack_state(checkpoint, sequencer, &writer->pack);
	digest = writer->digest;
	return !writer->pack.bad && write_some(writer, &digest, sizeof(digest), ZSTD_e_end) &&
	       fflush(writer->file) == 0 && fsync(fileno(writer->file)) == 0;
}

/*
 * Create the file, after deleting one that a killed takt left. If one is there even then, it
 * belongs to somebody else: it is neither followed, if it is a link, nor written to.
 */
static FILE *create(const char *path)
{
	int descriptor;
	FILE *file;

	unlink(path);
	descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
	if (!file && descriptor >= 0)
		close(descriptor);
	return file;
}

enum takt_status takt_trace_checkpoint_write(struct trace_checkpoint *checkpoint,
					     struct trace_sequencer *sequencer, size_t at,
					     struct takt_diag *diag)
{
	struct writer writer = {
		.pack = {.transfer = write_part},
		.digest = DIGEST_START,
		.context = ZSTD_createCCtx(),
		.packed = takt_xcalloc(BUFFER_BYTES, 1),
	};
	struct takt_text path = {0};
	struct takt_partial_file partial = {0};
	bool fine = false;
	int error;

	takt_text_printf(&path, "%s.new", checkpoint->path);
	errno = ENOMEM;
	writer.file = writer.context ? create(path.data) : NULL;
	if (writer.file) {
		takt_partial_file_begin(&partial, path.data);
		fine = write_all(&writer, checkpoint, sequencer, at);
		error = errno;
		fine = fclose(writer.file) == 0 && fine;
		errno = fine ? errno : error;
	}
	fine = fine && rename(path.data, checkpoint->path) == 0;
	error = errno;
	if (!fine && writer.file)
		unlink(path.data);
	takt_partial_file_end(&partial);
	if (!fine)
		takt_error(diag, "cannot write the checkpoint '%s': %s", path.data,
			   strerror(error));
	ZSTD_freeCCtx(writer.context);
	free(writer.packed);
	takt_text_release(&path);
	return fine ? TAKT_OK : TAKT_UNAVAILABLE;
}

/* ---- reading ---- */

struct reader {
	struct takt_pack pack; /* first, so that it is one */
	ZSTD_DCtx *context;
	ZSTD_inBuffer in;
	bool ended;
};

static bool read_part(struct takt_pack *pack, void *data, size_t size_bytes)
{
	struct reader *reader = (struct reader *)pack;
	ZSTD_outBuffer out = {data, size_bytes, 0};

	while (out.pos < out.size && !reader->ended) {
		size_t before = out.pos + reader->in.pos, left;

		left = ZSTD_decompressStream(reader->context, &out, &reader->in);
		if (ZSTD_isError(left) || out.pos + reader->in.pos == before)
			return false;
		reader->ended = left == 0;
	}
	return out.pos == out.size;
}

static bool begin_reading(const struct trace_checkpoint *checkpoint, struct reader *reader)
{
	*reader = (struct reader){
		.pack = {.transfer = read_part, .reads = true},
		.context = ZSTD_createDCtx(),
		.in = {checkpoint->file.data, checkpoint->file.size_bytes, 0},
	};
	return reader->context != NULL;
}

/*
 * True if the content ends in the digest of everything before it. `content` is a buffer of
 * BUFFER_BYTES.
 */
static bool digest_agrees(struct reader *reader, uint8_t *content)
{
	uint64_t digest = DIGEST_START, there = 0;
	size_t kept = 0; /* bytes at the start of `content` that may be the digest */
	bool fine = true;

	while (fine && !reader->ended) {
		ZSTD_outBuffer out = {content, BUFFER_BYTES, kept};
		size_t before = out.pos + reader->in.pos, left;

		left = ZSTD_decompressStream(reader->context, &out, &reader->in);
		fine = !ZSTD_isError(left) && (left == 0 || out.pos + reader->in.pos != before);
		reader->ended = left == 0;
		if (out.pos <= sizeof(there)) {
			kept = out.pos;
			continue;
		}
		kept = sizeof(there);
		digest = digest_more(digest, content, out.pos - kept);
		memmove(content, content + (out.pos - kept), kept);
	}
	if (!fine || kept != sizeof(there) || reader->in.pos != reader->in.size)
		return false;
	memcpy(&there, content, sizeof(there));
	return there == digest;
}

/* True if the file is exactly one complete frame with a correct digest. */
static bool is_whole(const struct trace_checkpoint *checkpoint)
{
	uint8_t *content = takt_xcalloc(BUFFER_BYTES, 1);
	struct reader reader;
	bool fine = begin_reading(checkpoint, &reader) && digest_agrees(&reader, content);

	ZSTD_freeDCtx(reader.context);
	free(content);
	return fine;
}

/* Read everything before the state: the key, and the offset of the next frame of the log. */
static bool read_head(struct reader *reader, struct takt_text *key, uint64_t *ret_begin)
{
	uint32_t key_bytes = 0;
	char *bytes;

	takt_pack_same(&reader->pack, MAGIC);
	takt_pack_count(&reader->pack, &key_bytes, KEY_BYTES_MAX);
	bytes = takt_xcalloc((size_t)key_bytes + 1, 1);
	takt_pack_bytes(&reader->pack, bytes, key_bytes);
	takt_pack_bytes(&reader->pack, ret_begin, sizeof(*ret_begin));
	takt_text_add(key, bytes, key_bytes);
	free(bytes);
	return !reader->pack.bad;
}

static enum takt_status refuse(const struct trace_checkpoint *checkpoint, struct takt_diag *diag,
			       const char *why)
{
	takt_error(diag, "'%s' is no checkpoint of this replay: %s", checkpoint->path, why);
	takt_note(diag, "remove it to begin anew, or name another file");
	return TAKT_BAD_INPUT;
}

/* Return the reason why the file's key `there` is not `here`, or NULL if they are equal. */
static const char *difference(const char *here, const char *there)
{
	static const char *const lines[] = {"it was written by another version of takt",
					    "it is of another log",
					    "it was made with other options or another core"};

	for (size_t i = 0; i < TAKT_COUNT_OF(lines); i++) {
		size_t size = strcspn(here, "\n") + 1, size_there = strcspn(there, "\n") + 1;
		bool last = i + 1 == TAKT_COUNT_OF(lines);

		if (last)
			return strcmp(here, there) == 0 ? NULL : lines[i];
		if (size != size_there || strncmp(here, there, size) != 0)
			return lines[i];
		here += size;
		there += size;
	}
	return NULL;
}

enum takt_status takt_trace_checkpoint_find(struct trace_checkpoint *checkpoint,
					    struct takt_diag *diag, size_t *ret_begin)
{
	enum takt_status status;
	const char *wrong = NULL;
	struct takt_text key = {0};
	struct reader reader;
	uint64_t begin = 0;

	*ret_begin = 0;
	if (access(checkpoint->path, F_OK) != 0)
		return TAKT_OK;
	status = takt_file_open(checkpoint->path, diag, &checkpoint->file);
	if (status != TAKT_OK)
		return status;
	if (!is_whole(checkpoint))
		return refuse(checkpoint, diag, "it is damaged, or something else");
	if (!begin_reading(checkpoint, &reader) || !read_head(&reader, &key, &begin))
		wrong = "it is something else, or of another version";
	else
		wrong = difference(checkpoint->key.data, key.data ? key.data : "");
	if (!wrong && (begin == 0 || begin >= checkpoint->log_bytes))
		wrong = "the place in the log is invalid";
	ZSTD_freeDCtx(reader.context);
	takt_text_release(&key);
	if (wrong)
		return refuse(checkpoint, diag, wrong);
	*ret_begin = (size_t)begin;
	return TAKT_OK;
}

enum takt_status takt_trace_checkpoint_resume(struct trace_checkpoint *checkpoint,
					      struct trace_sequencer *sequencer,
					      struct takt_diag *diag)
{
	struct takt_text key = {0};
	struct reader reader;
	uint64_t begin;
	bool fine = begin_reading(checkpoint, &reader) && read_head(&reader, &key, &begin);

	if (fine) {
		pack_state(checkpoint, sequencer, &reader.pack);
		fine = !reader.pack.bad;
	}
	ZSTD_freeDCtx(reader.context);
	takt_text_release(&key);
	takt_file_close(&checkpoint->file);
	checkpoint->file = (struct takt_file){0};
	return fine ? TAKT_OK
		    : refuse(checkpoint, diag, "what it says does not fit the log and the core");
}
