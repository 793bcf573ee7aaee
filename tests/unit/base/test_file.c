/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <unistd.h>

#include "../tap.h"
#include "base/base.h"

static void test_lines(void)
{
	static const char data[] = "a\r\n\nlast";
	struct takt_lines lines;
	const char *line;
	size_t size;

	takt_lines_init(&lines, data, strlen(data));
	ok(takt_lines_next(&lines, &line, &size) && size == 1 && *line == 'a', "CR LF is cut");
	ok(takt_lines_next(&lines, &line, &size) && size == 0, "empty line");
	ok(takt_lines_next(&lines, &line, &size) && size == 4 && lines.number == 3,
	   "last line without newline");
	ok(!takt_lines_next(&lines, &line, &size), "end");
	takt_lines_init(&lines, NULL, 0);
	ok(!takt_lines_next(&lines, &line, &size), "no data, no lines");
}

static void test_files(void)
{
	struct takt_diag *diag = takt_diag_new();
	char path[] = "/tmp/takt-test-XXXXXX";
	struct takt_file file;
	int fd = mkstemp(path);

	ok(fd >= 0 && write(fd, "hello", 5) == 5, "fixture");
	ok(takt_file_open(path, diag, &file) == TAKT_OK && file.size_bytes == 5 &&
		   memcmp(file.data, "hello", 5) == 0,
	   "open");
	takt_file_close(&file);
	ok(ftruncate(fd, 0) == 0 && takt_file_open(path, diag, &file) == TAKT_OK &&
		   file.size_bytes == 0,
	   "an empty file opens");
	takt_file_close(&file);
	close(fd);
	unlink(path);
	ok(takt_file_open(path, diag, &file) == TAKT_BAD_INPUT, "missing file");
	ok(strstr(takt_diag_text(diag), "No such file") != NULL, "the system's reason is given");
	takt_diag_clear(diag);
	ok(takt_file_open("/", diag, &file) == TAKT_BAD_INPUT, "directory");
	ok(strstr(takt_diag_text(diag), "is a directory") != NULL, "is said");
	takt_diag_free(diag);
}

/* What is cut short while it is open, and was not mapped, keeps its bytes. */
static void test_cut(void)
{
	struct takt_diag *diag = takt_diag_new();
	char path[] = "/tmp/takt-test-XXXXXX";
	struct takt_file file;
	size_t size = (size_t)1 << 20;
	int fd = mkstemp(path);

	ok(fd >= 0 && ftruncate(fd, (off_t)size) == 0 &&
		   pwrite(fd, "end", 3, (off_t)size - 3) == 3 &&
		   takt_file_open_scratch(path, diag, &file) == TAKT_OK && file.size_bytes == size,
	   "fixture of 1 MiB");
	ok(ftruncate(fd, 0) == 0 && memcmp(file.data + size - 3, "end", 3) == 0,
	   "a file that is cut short keeps its bytes");
	takt_file_close(&file);
	close(fd);
	unlink(path);
	takt_diag_free(diag);
}

static void test_scratch(void)
{
	struct takt_diag *diag = takt_diag_new();
	char path[] = "/tmp/takt-test-XXXXXX", back[5] = "";
	struct takt_file file;
	int fd = mkstemp(path);

	ok(fd >= 0 && write(fd, "hello", 5) == 5 && ftruncate(fd, (off_t)40 << 20) == 0,
	   "fixture of 40 MiB");
	ok(takt_file_open_scratch(path, diag, &file) == TAKT_OK && file.scratch &&
		   memcmp(file.scratch, "hello", 5) == 0,
	   "the same bytes to write to");
	file.scratch[0] = 'j';
	ok(file.data[0] == 'h' && pread(fd, back, 5, 0) == 5 && back[0] == 'h',
	   "which changes neither the bytes to read nor the file");
	takt_file_close(&file);
	/* More than fits into memory: nothing is read before it is looked at. */
	ok(ftruncate(fd, (off_t)1 << 40) == 0 &&
		   takt_file_open_scratch(path, diag, &file) == TAKT_OK &&
		   file.size_bytes == (size_t)1 << 40 && file.data[file.size_bytes - 1] == 0,
	   "a file of 1 TiB");
	takt_file_close(&file);
	ok(takt_file_open(path, diag, &file) == TAKT_BAD_INPUT &&
		   strstr(takt_diag_text(diag), "is larger than 1024 MiB"),
	   "too large for what is read as a whole");
	close(fd);
	unlink(path);
	takt_diag_free(diag);
}

static void test_first_line(void)
{
	char path[] = "/tmp/takt-test-XXXXXX", line[8];
	int fd = mkstemp(path);

	is_int(takt_first_line(line, sizeof(line), "%s", path), ENODATA, "an empty file");
	is_string(line, "", "has no line");
	ok(fd >= 0 && write(fd, "0-3\n4\n", 6) == 6, "fixture");
	is_int(takt_first_line(line, sizeof(line), "%s", path), 0, "a first line");
	is_string(line, "0-3", "without its end");
	is_int(takt_first_line(line, 3, "%s", path), 0, "a line that is too long");
	is_string(line, "0-", "is cut");
	close(fd);
	unlink(path);
	is_int(takt_first_line(line, sizeof(line), "%s", path), ENOENT, "no file");
	is_string(line, "", "has no line either");
}

int main(void)
{
	test_first_line();
	test_lines();
	test_files();
	test_cut();
	test_scratch();
	return tap_done();
}
