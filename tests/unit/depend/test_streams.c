/* SPDX-License-Identifier: MIT */
#include "blocks.h"

#define VARIES INT64_MAX
#define UNKNOWN INT64_MIN

static const struct {
	int line;
	const char *hex;
	uint32_t insn;
	uint64_t rdi; /* at entry; 0: not known */
	int64_t stride;
	int alignment, offset;
	double crossing; /* -1: not known */
	const char *what;
} rows[] = {
	{__LINE__, "488b074883c708", 0, 0, 8, 1, 0, -1, "rdi += 8"},
	{__LINE__, "488b074883c708", 0, 0x1000, 8, 8, 0, 0, "from a line's start"},
	{__LINE__, "488b074883c708", 0, 0x1004, 8, 8, 4, 1 / 8.0, "from within"},
	{__LINE__, "488b074883ef40", 0, 0x103c, -64, 64, 60, 1, "over each line's end"},
	{__LINE__, "488b0748c1e701", 0, 0, VARIES, 64, 0, 0, "rdi doubles, soon all zeros below"},
	{__LINE__, "488b3f", 0, 0, VARIES, 1, 0, -1, "a list"},
	{__LINE__, "488b07", 0, 0, 0, 1, 0, -1, "one place"},
	{__LINE__, "4883e7c0c5fd1007", 1, 0, 0, 64, 0, 0, "rdi &= -64"},
	{__LINE__, "4883e7e0c5fd1007", 1, 0, 0, 32, 0, 0, "half a line holds the vector"},
	{__LINE__, "4883e7f0c5fd1007", 1, 0, 0, 16, 0, -1, "and a quarter may not"},
	{__LINE__, "488b0500010000", 0, 0, 0, 64, 7, 0, "relative to rip"},
	{__LINE__, "66480f7ec7488b07", 1, 0, UNKNOWN, 0, 0, -1, "out of a vector register"},
};

static const struct takt_stream *find_stream(const struct takt_memory_dependences *found,
					     uint32_t insn)
{
	for (uint32_t i = 0; i < found->stream_count; i++)
		if (found->streams[i].insn == insn)
			return &found->streams[i];
	return NULL;
}

static void test_row(size_t row, struct takt_arena *arena)
{
	struct takt_entry_value rdi = {TAKT_LOC_GPR + 7, rows[row].rdi};
	struct takt_memory_options options = {.loop = true,
					      .streams = true,
					      .entry_values = &rdi,
					      .entry_value_count = rows[row].rdi != 0};
	struct takt_block block = make_block(rows[row].hex, arena);
	struct takt_memory_dependences found;
	const struct takt_stream *stream;
	bool fine;

	takt_memory_dependences_find(&block, &options, arena, &found);
	stream = find_stream(&found, rows[row].insn);
	fine = stream && stream->known == (rows[row].stride != UNKNOWN);
	if (fine && stream->known)
		fine = stream->strided == (rows[row].stride != VARIES) &&
		       (!stream->strided || stream->stride_bytes == rows[row].stride) &&
		       stream->alignment_bytes == rows[row].alignment &&
		       stream->offset_bytes == rows[row].offset &&
		       stream->crossing_known == (rows[row].crossing >= 0) &&
		       (!stream->crossing_known ||
			fabs(stream->crossing_share - rows[row].crossing) < 1e-9);
	tap_ok_at(__FILE__, rows[row].line, fine, "%s", rows[row].what);
	if (!fine && stream)
		tap_note("%s stride %lld, %u mod %u, crosses %g",
			 stream->strided ? "strided" : "not strided",
			 (long long)stream->stride_bytes, stream->offset_bytes,
			 stream->alignment_bytes,
			 stream->crossing_known ? stream->crossing_share : -1);
}

static void test_aliases(struct takt_arena *arena)
{
	struct takt_memory_options options = {.loop = true, .streams = true};
	struct takt_memory_dependences found;
	/* mov [rdi + 4096], rax; mov rbx, [rdi]; add rdi, 8 */
	struct takt_block page = make_block("48898700100000488b1f4883c708", arena);
	/* mov rbx, [rdi]; mov [rdi + 4104], rax; add rdi, 8 */
	struct takt_block before = make_block("488b1f488987081000004883c708", arena);
	/* mov [rdi], rax; mov rbx, [rdi]; mov rcx, [rsi] */
	struct takt_block none = make_block("488907488b1f488b0e", arena);

	takt_memory_dependences_find(&page, &options, arena, &found);
	ok(found.alias_count == 1 && found.aliases[0].store == 0 && found.aliases[0].load == 1 &&
		   found.aliases[0].iterations == 0,
	   "a page apart");
	takt_memory_dependences_find(&before, &options, arena, &found);
	ok(found.alias_count == 1 && found.aliases[0].store == 1 &&
		   found.aliases[0].iterations == 1,
	   "with the iteration before");
	takt_memory_dependences_find(&none, &options, arena, &found);
	is_int(found.alias_count, 0, "the same place, or one not known");
}

int main(void)
{
	struct takt_arena arena = {0};

	for (size_t row = 0; row < TAKT_COUNT_OF(rows); row++)
		test_row(row, &arena);
	test_aliases(&arena);
	takt_arena_release(&arena);
	return tap_done();
}
