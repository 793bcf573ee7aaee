/* SPDX-License-Identifier: MIT */
/* Files of the wrong kind, and the formats that need no decoder of their own. */
#include <sys/stat.h>

#include "fixture.h"

struct row {
	int line;
	const char *what, *data;
	size_t size;
	enum takt_input_format format;
	const char *error;
};

static const struct row rows[] = {
	{__LINE__, "empty", "", 0, TAKT_INPUT_AUTO, "error: 'x' is empty\n"},
	{__LINE__, "archive", "!<arch>\nfoo", 11, TAKT_INPUT_AUTO,
	 "error: 'x' is an archive\nnote: extract"},
	{__LINE__, "other bytes", "MZ\0\1", 4, TAKT_INPUT_AUTO,
	 "error: 'x' is neither ELF nor text\nnote: for bytes of machine code say --raw\n"},
	{__LINE__, "not ELF", "text", 4, TAKT_INPUT_ELF, "error: 'x' is not an ELF file\n"},
	{__LINE__, "magic alone", "\177ELF", 4, TAKT_INPUT_AUTO, "cut off within the ELF header"},
	{__LINE__, "32-bit", "\177ELF\1\1\1", 7, TAKT_INPUT_AUTO,
	 "is cut off within the ELF header"},
	{__LINE__, "hex", "4g", 2, TAKT_INPUT_HEX, "x:1:2: error: not a hexadecimal digit"},
};

static void test_wrong_data(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct opened opened =
			open_data(rows[i].data, rows[i].size,
				  (struct takt_code_options){.format = rows[i].format});

		tap_ok_at(__FILE__, rows[i].line,
			  opened.status == TAKT_BAD_INPUT && !opened.code &&
				  says(&opened, rows[i].error),
			  "%s", rows[i].what);
		close_opened(&opened);
	}
}

static void check_path(int line, const char *path, const char *error)
{
	struct opened opened = open_with(&(struct takt_code_options){.path = path});

	tap_ok_at(__FILE__, line, opened.status == TAKT_BAD_INPUT && says(&opened, error), "%s",
		  error);
	close_opened(&opened);
}

static void test_wrong_files(void)
{
	char path[] = "/tmp/takt-test-XXXXXX";
	int fd = mkstemp(path);

	check_path(__LINE__, "/", "error: '/' is a directory");
	check_path(__LINE__, "/nowhere/kernel.o", "No such file or directory");
	check_path(__LINE__, path, "is empty");
	if (geteuid() == 0)
		tap_skip("Permission denied", "root may read everything");
	else if (ok(fd >= 0 && fchmod(fd, 0) == 0, "a file that nobody may read"))
		check_path(__LINE__, path, "Permission denied");
	close(fd);
	unlink(path);
}

static void test_bytes(void)
{
	struct opened opened = open_data("\x48\x01\xd8\x75\xfb\xc3", 6,
					 (struct takt_code_options){.format = TAKT_INPUT_RAW});
	const struct takt_region *region = region_at(&opened, 0);

	is_size(opened.count, 1, "raw bytes are one region");
	ok(region->origin == TAKT_REGION_WHOLE && region->size_bytes == 6 && !region->address,
	   "all of them at address 0");
	is_int(region->internal_branches, 1, "a branch inside");
	is_string(region->name, "raw", "name");
	is_string(region->function, "", "no function");
	is_int(takt_code_line(opened.code, 0, 0).line, 0, "no line");
	close_opened(&opened);

	opened = open_data("48 01 d8\n", 9, (struct takt_code_options){.format = TAKT_INPUT_HEX});
	is_size(region_at(&opened, 0)->size_bytes, 3, "hex");
	close_opened(&opened);
	opened = open_data("4801d8", 6,
			   (struct takt_code_options){.format = TAKT_INPUT_HEX, .function = "f"});
	ok(opened.status == TAKT_NOT_FOUND && says(&opened, "no function 'f' in 'x'"),
	   "hex has no functions");
	close_opened(&opened);
	opened = open_data("4801d8", 6,
			   (struct takt_code_options){
				   .format = TAKT_INPUT_HEX, .range_begin = 1, .range_end = 3});
	is_size(region_at(&opened, 0)->size_bytes, 2, "a range of hex");
	close_opened(&opened);
}

static void test_outputs(void)
{
	static char marker;
	struct takt_code *code = (struct takt_code *)(void *)&marker;
	struct takt_code *before = code;
	struct takt_code_options options = {.path = "/nowhere"};

	ok(takt_code_open(&options, NULL, &code) == TAKT_BAD_INPUT && code == before,
	   "an error leaves the output alone, and needs no diagnostics");
	takt_code_close(NULL);
}

int main(void)
{
	test_wrong_data();
	test_wrong_files();
	test_bytes();
	test_outputs();
	return tap_done();
}
