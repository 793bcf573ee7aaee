/* SPDX-License-Identifier: MIT */
/*
 * Runs other programs for a request: compilers, and other predictors. They are started without a
 * shell and without the user's environment, with limits of memory, and of what this process is
 * limited to. Their files are in a folder of the request.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "serve/serve.h"

#define MEMORY_BYTES_MAX ((rlim_t)2 << 30)
#define FOLDERS_OPEN_MAX 16
#define NOT_STARTED 127 /* exit status of a child that did not become the program */

/* ---- files ---- */

bool takt_serve_file_write(const char *path, const void *data, size_t size_bytes)
{
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool fine = file >= 0;

	while (fine && size_bytes) {
		ssize_t size = write(file, data, size_bytes);

		fine = size > 0;
		if (fine) {
			data = (const char *)data + size;
			size_bytes -= (size_t)size;
		}
	}
	if (file >= 0)
		fine = close(file) == 0 && fine;
	return fine;
}

bool takt_serve_file_read(const char *path, size_t most, char **ret_data, size_t *ret_size)
{
	struct takt_file file;
	struct stat info;

	if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || (size_t)info.st_size > most ||
	    takt_file_open(path, NULL, &file) != TAKT_OK)
		return false;
	*ret_data = takt_xcalloc(file.size_bytes + 1, 1);
	*ret_size = file.size_bytes;
	memcpy(*ret_data, file.data, file.size_bytes);
	takt_file_close(&file);
	return true;
}

bool takt_serve_folder_make(char *ret_path, size_t size_bytes)
{
	const char *parent = secure_getenv("TMPDIR");
	char *path;
	struct takt_text template = {0};
	bool fine;

	takt_text_printf(&template, "%s/takt-XXXXXX", parent && *parent ? parent : "/tmp");
	path = mkdtemp(template.data);
	fine = path && strlen(path) < size_bytes;
	if (fine)
		memcpy(ret_path, path, strlen(path) + 1);
	else if (path)
		rmdir(path);
	takt_text_release(&template);
	return fine;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
	(void)info;
	(void)kind;
	(void)place;
	(void)remove(path);
	return 0;
}

void takt_serve_remove_folder(const char *path)
{
	if (*path)
		(void)nftw(path, remove_entry, FOLDERS_OPEN_MAX, FTW_DEPTH | FTW_PHYS);
}

/* ---- the run ---- */

/* Become the program, with less memory than this process may have; never returns. */
static void become(const struct serve_program *program, char *const *environment)
{
	const char *from = program->input ? program->input : "/dev/null";
	int input = open(from, O_RDONLY), output = open(program->output, O_WRONLY | O_CREAT, 0600);
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) != 0)
		_exit(NOT_STARTED);
	if (limit.rlim_cur > MEMORY_BYTES_MAX)
		limit.rlim_cur = MEMORY_BYTES_MAX;
	if (setrlimit(RLIMIT_AS, &limit) != 0 || dup2(input, STDIN_FILENO) < 0 ||
	    dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
		_exit(NOT_STARTED);
	execvpe(program->words[0], program->words, environment);
	_exit(NOT_STARTED);
}

int takt_serve_program_run(const struct serve_program *program)
{
	const char *path = secure_getenv("PATH");
	struct takt_text path_setting = {0}, folder_setting = {0}, home_setting = {0};
	int status = -1;
	pid_t child;
	char *environment[5] = {NULL, NULL, NULL, NULL, NULL}, locale[] = "LC_ALL=C";

	takt_text_printf(&path_setting, "PATH=%s", path ? path : "/usr/bin:/bin");
	takt_text_printf(&folder_setting, "TMPDIR=%s", program->folder);
	takt_text_printf(&home_setting, "HOME=%s", program->folder);
	environment[0] = path_setting.data;
	environment[1] = folder_setting.data;
	environment[2] = home_setting.data;
	environment[3] = locale;
	child = fork();
	if (child == 0)
		become(program, environment);
	if (child > 0)
		takt_wait(child, &status);
	takt_text_release(&path_setting);
	takt_text_release(&folder_setting);
	takt_text_release(&home_setting);
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) != NOT_STARTED
		       ? WEXITSTATUS(status)
		       : -1;
}
