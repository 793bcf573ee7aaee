/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tap.h"
#include "base/base.h"

static char folder[] = "/tmp/takt-test-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static bool holds(const char *name, const char *wanted)
{
	struct takt_file file;
	bool same = false;

	if (takt_file_open(path_of(name), NULL, &file) == TAKT_OK) {
		same = file.size_bytes == strlen(wanted) &&
		       memcmp(file.data, wanted, file.size_bytes) == 0;
		takt_file_close(&file);
	}
	return same;
}

static bool write_text(const char *name, const char *text)
{
	return takt_file_write(path_of(name), text, strlen(text), NULL) == TAKT_OK;
}

static mode_t mode_of(const char *name)
{
	struct stat info = {0};

	return lstat(path_of(name), &info) == 0 ? info.st_mode : 0;
}

static void test_write(void)
{
	mode_t before = umask(027);

	ok(write_text("new", "one") && holds("new", "one"), "a new file");
	ok((mode_of("new") & 0777) == 0640, "has the mode that the mask leaves");
	umask(before);
	ok(chmod(path_of("new"), 0604) == 0 && write_text("new", "three") && holds("new", "three"),
	   "an old one gets new contents");
	ok((mode_of("new") & 0777) == 0604, "and keeps its mode");
	ok(write_text("new", "") && holds("new", ""), "also none");
	ok(write_text("new", "three"), "fixture");
}

static void test_links(void)
{
	char other[64];

	ok(symlink("new", path_of("link")) == 0 && write_text("link", "by link") &&
		   S_ISLNK(mode_of("link")) && holds("new", "by link"),
	   "a symbolic link stays one, and leads to the new contents");
	snprintf(other, sizeof(other), "%s", path_of("new"));
	ok(link(other, path_of("hard")) == 0 && write_text("hard", "both") && holds("new", "both"),
	   "a file of two names stays one file");
	unlink(path_of("hard"));
	unlink(path_of("link"));
}

static void test_failures(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_new_file file;

	ok(takt_new_file_open(path_of("new"), diag, &file) == TAKT_OK &&
		   fputs("half", file.file) >= 0 && fflush(file.file) == 0 && holds("new", "both"),
	   "until it is closed the old one is there");
	takt_new_file_abandon(&file);
	ok(holds("new", "both"), "and afterwards, if it is abandoned");
	ok(takt_new_file_open(path_of("new"), diag, &file) == TAKT_OK &&
		   takt_new_file_close(&file, ENOSPC, diag) == TAKT_BAD_INPUT &&
		   holds("new", "both"),
	   "or could not be written");
	ok(strstr(takt_diag_text(diag), "/new': No space left on device") != NULL, "which is said");
	takt_diag_clear(diag);
	ok(takt_file_write("/dev/full", "x", 1, diag) == TAKT_BAD_INPUT &&
		   strstr(takt_diag_text(diag), "cannot write '/dev/full': No space") != NULL,
	   "devices are written as they are");
	takt_diag_clear(diag);
	ok(takt_file_write(path_of("none/new"), "x", 1, diag) == TAKT_BAD_INPUT &&
		   strstr(takt_diag_text(diag), "No such file") != NULL,
	   "no such folder");
	ok(!takt_file_can_write(path_of("none/new")) && errno == ENOENT, "is known before");
	ok(!takt_file_can_write("/proc/self/comm/new") && errno == ENOTDIR,
	   "a file is no directory, and is not said to be a forbidden one");
	ok(takt_file_can_write(path_of("new")) && takt_file_can_write(path_of("newer")),
	   "so is that it can be done");
	unlink(path_of("new"));
	ok(rmdir(folder) == 0, "nothing else is left in the folder");
	takt_diag_free(diag);
}

int main(void)
{
	ok(mkdtemp(folder) != NULL, "fixture");
	test_write();
	test_links();
	test_failures();
	return tap_done();
}
