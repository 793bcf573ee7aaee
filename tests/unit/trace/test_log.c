/* SPDX-License-Identifier: MIT */
/* What is written is read; what is cut off is refused. Both halves: log_write.c, log_read.c. */
#include <unistd.h>

#include "fixture.h"

static void write_log(const char *path)
{
	const struct trace_log_header header = {"x86-64", true};
	const struct takt_trace_totals totals = {.exit_status = 3, .became_other = true};
	const uint64_t first[] = {trace_record(TRACE_KIND_START, 0),
				  trace_record(TRACE_KIND_BLOCK, 0), fixture_load(0, 3, 0x7fff0000),
				  trace_record(TRACE_KIND_BLOCK, 0)};
	const uint64_t second[] = {trace_record(TRACE_KIND_START, 1),
				   trace_record(TRACE_KIND_BLOCK, 2),
				   trace_record(TRACE_KIND_END, 0)};
	const uint64_t rest[] = {fixture_load(0, 3, 0x7ffeffff)};
	struct trace_log_writer *writer;
	uint8_t blocks[512];
	size_t size = fixture_blocks(blocks);

	ok(takt_trace_log_create(path, &header, NULL, &writer) == TAKT_OK, "created");
	takt_trace_log_add_blocks(writer, blocks, size);
	takt_trace_log_add_records(writer, 0, first, TAKT_COUNT_OF(first));
	takt_trace_log_add_records(writer, 1, second, TAKT_COUNT_OF(second));
	takt_trace_log_add_records(writer, 0, rest, TAKT_COUNT_OF(rest));
	ok(takt_trace_log_close(writer, &totals, NULL) == TAKT_OK, "closed");
}

static void read_log(const struct takt_file *file)
{
	struct fixture_sink sink = FIXTURE_SINK;
	struct takt_trace_totals totals = {0};
	unsigned refused = 0;

	ok(takt_trace_log_read(file->data, file->size_bytes, "log", &sink.sink, NULL, &totals) ==
		   TAKT_OK,
	   "read");
	/* Thread 1 ended first, and so is written first. */
	is_string(sink.text,
		  "1:start\n1:2/1\n1:end\n0:start\n0:0/2 taken l8@7fff0000\n"
		  "0:0/2 l8@7ffeffff\n0:end\n",
		  "the same steps");
	is_int(totals.exit_status, 3, "exit status");
	ok(totals.became_other && !totals.blocks_only, "flags");
	is_string(totals.guest, "x86-64", "instruction set");
	for (size_t size = 0; size < file->size_bytes; size++) {
		struct fixture_sink again = FIXTURE_SINK;

		refused += takt_trace_log_read(file->data, size, "log", &again.sink, NULL,
					       &totals) == TAKT_BAD_INPUT;
	}
	is_int(refused, (long long)file->size_bytes, "each shorter log is refused");
}

int main(void)
{
	char path[] = "/tmp/takt-log-XXXXXX";
	int descriptor = mkstemp(path);
	struct takt_file file;

	if (!ok(descriptor >= 0, "a file"))
		return tap_done();
	close(descriptor);
	write_log(path);
	if (ok(takt_file_open(path, NULL, &file) == TAKT_OK, "opened")) {
		read_log(&file);
		takt_file_close(&file);
	}
	unlink(path);
	return tap_done();
}
