/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the two files of a batch, which a NUL separates: lines of blocks, and what
 * is left of a result to be resumed.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/measure.h"
#include "cli/predict.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEADER "# takt\n# date: 2025-03-31\nhex,mode\n"

static void require(bool condition)
{
	if (!condition)
		abort();
}

static int new_file(const void *data, size_t size)
{
	int descriptor = memfd_create("fuzz", MFD_CLOEXEC);

	require(descriptor >= 0);
	require(size == 0 || write(descriptor, data, size) == (ssize_t)size);
	require(lseek(descriptor, 0, SEEK_SET) == 0);
	return descriptor;
}

static void check_block(const struct takt_hex_block *block)
{
	require(!memchr(block->hex, '\n', block->size) && !memchr(block->hex, ',', block->size));
	if (block->state != TAKT_BLOCK_GOOD)
		return;
	require(block->size > 0 && block->size % 2 == 0);
	for (size_t i = 0; i < block->size; i++)
		require(isxdigit((unsigned char)block->hex[i]));
}

/* Each row is taken once, and rows of other blocks never. */
static void read_all(int input, struct takt_resume *resume)
{
	struct takt_block_reader reader;
	bool failed = false, other = false;
	uint64_t line = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", input);
	require(takt_block_reader_open(path, &reader));
	while (takt_block_reader_next(&reader, &failed))
		for (size_t i = 0; i < reader.count; i++) {
			const struct takt_hex_block *block = &reader.blocks[i];
			const char *before = resume->next;
			enum takt_resumed resumed = TAKT_RESUMED_OTHER;

			check_block(block);
			if (block->state != TAKT_BLOCK_GOOD)
				takt_block_say_bad(&reader, block, NULL);
			require(block->line > line);
			line = block->line;
			if (!other)
				resumed = takt_resume_take(resume, block->hex, block->size, "");
			other = resumed == TAKT_RESUMED_OTHER;
			require(resume->next >= before && resume->next <= resume->end);
			require((resume->next > before) ==
				(resumed == TAKT_RESUMED_OK || resumed == TAKT_RESUMED_REJECTED));
		}
	require(takt_block_reader_finish(&reader) == (line > 0));
	takt_block_reader_close(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *split = size ? memchr(data, 0, size) : NULL;
	size_t first = split ? (size_t)(split - data) : size;
	size_t second = split ? size - first - 1 : 0;
	int input = new_file(data, first), output = new_file(data + size - second, second);
	struct takt_resume resume = {0};
	struct stat info;

	if (!freopen("/dev/null", "w", stderr))
		abort();
	if (takt_resume_open(output, "fuzz", HEADER, &resume)) {
		require(fstat(output, &info) == 0 && (size_t)info.st_size == resume.size_bytes);
		require(!info.st_size || resume.data[info.st_size - 1] == '\n');
	} else {
		require(fstat(output, &info) == 0 && (size_t)info.st_size == second);
	}
	read_all(input, &resume);
	takt_resume_close(&resume);
	close(input);
	close(output);
	return 0;
}
