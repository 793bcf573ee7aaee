/* SPDX-License-Identifier: MIT */
/*
 * What is written is read; what is cut off is refused. Both halves: log_write.c, log_read.c,
 * log_names.c.
 */
#include <unistd.h>

#include "fixture.h"

/* What the log gets of names: the blocks begin in `f`, and the first one's lines are known. */
static void make_dictionary(struct trace_dictionary *dictionary, uint8_t *blocks, size_t size)
{
	static const struct trace_line lines[] = {{0, 7, "a.c"}, {1, 0, NULL}};

	takt_trace_dictionary_init(dictionary, fixture_guest("x86-64"));
	takt_trace_dictionary_add_file(
		dictionary, &(struct trace_file){"/bin/a", (const uint8_t *)"\1\2\3", 3});
	takt_trace_dictionary_add_function(dictionary,
					   &(struct trace_function){"f", 0x1000, 10, 1, false});
	takt_trace_dictionary_add_function(dictionary,
					   &(struct trace_function){"a+0x9", 0x1009, 0, 1, true});
	for (size_t at = 0; at < size;) {
		struct trace_block_header header;

		memcpy(&header, blocks + at, sizeof(header));
		header.file = 1;
		header.file_offset = header.address;
		header.function = header.address < 0x1009 ? 1 : 2;
		memcpy(blocks + at, &header, sizeof(header));
		at += takt_trace_dictionary_add(dictionary, blocks + at, size - at);
	}
	dictionary->blocks[0]->lines = lines;
	dictionary->blocks[0]->line_count = 2;
}

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
	struct trace_dictionary dictionary;
	struct trace_log_writer *writer;
	uint8_t blocks[512];
	size_t size = fixture_blocks(blocks);

	make_dictionary(&dictionary, blocks, size);
	ok(takt_trace_log_create(path, &header, NULL, &writer) == TAKT_OK, "created");
	takt_trace_log_add_names(writer, &dictionary, 1, 1);
	takt_trace_log_add_blocks(writer, blocks, size);
	takt_trace_log_add_records(writer, 0, first, TAKT_COUNT_OF(first));
	takt_trace_log_add_records(writer, 1, second, TAKT_COUNT_OF(second));
	takt_trace_log_add_records(writer, 0, rest, TAKT_COUNT_OF(rest));
	takt_trace_log_add_lines(writer, &dictionary);
	ok(takt_trace_log_close(writer, &totals, NULL) == TAKT_OK, "closed");
	takt_trace_dictionary_release(&dictionary);
}

static void check_names(const struct trace_dictionary *dictionary)
{
	const struct trace_block *block = dictionary->blocks[0];

	is_int(dictionary->file_count, 2, "a file");
	is_string(dictionary->files[1].path, "/bin/a", "its path");
	ok(dictionary->files[1].build_id_bytes == 3 &&
		   memcmp(dictionary->files[1].build_id, "\1\2\3", 3) == 0,
	   "its build-id");
	is_int(dictionary->function_count, 3, "two functions");
	is_string(dictionary->functions[1].name, "f", "a name");
	ok(dictionary->functions[1].size_bytes == 10 && !dictionary->functions[1].made_up &&
		   dictionary->functions[2].made_up,
	   "what is known of them");
	ok(block->function == 1 && block->entry && !dictionary->blocks[1]->entry &&
		   dictionary->blocks[3]->entry,
	   "which blocks they begin with");
	is_int(block->line_count, 2, "lines of a block");
	ok(block->lines[0].line == 7 && block->lines[1].line == 0 && block->lines[1].insn == 1,
	   "their numbers");
	is_string(block->lines[0].file, "a.c", "their source");
}

static enum takt_status read_any(const struct takt_file *file, size_t size,
				 struct fixture_sink *sink, struct trace_dictionary *dictionary,
				 struct takt_trace_totals *totals)
{
	struct trace_log_target target = {.dictionary = dictionary, .sink = &sink->sink};

	*dictionary = (struct trace_dictionary){0};
	return takt_trace_log_read(file->data, size, "log", &target, NULL, totals);
}

static void read_log(const struct takt_file *file)
{
	struct fixture_sink sink = FIXTURE_SINK;
	struct takt_trace_totals totals = {0};
	struct trace_dictionary dictionary;
	unsigned refused = 0;

	ok(read_any(file, file->size_bytes, &sink, &dictionary, &totals) == TAKT_OK, "read");
	check_names(&dictionary);
	takt_trace_dictionary_release(&dictionary);
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

		refused += read_any(file, size, &again, &dictionary, &totals) == TAKT_BAD_INPUT;
		takt_trace_dictionary_release(&dictionary);
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
