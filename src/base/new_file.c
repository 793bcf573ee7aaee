/* SPDX-License-Identifier: MIT */
/* Output files: written beside the old file, which they replace once they are complete. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

/* True if there is no such file, or it can be replaced without loss to other names or users. */
static bool is_replaceable(const char *path)
{
	struct stat info;

	/* "/dev/stdout" leads to a file that other processes continue to write to. */
	if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)
		return false;
	if (stat(path, &info) != 0)
		return errno == ENOENT && lstat(path, &info) != 0 && errno == ENOENT;
	return S_ISREG(info.st_mode) && info.st_nlink == 1 && info.st_uid == geteuid();
}

bool takt_file_can_write(const char *path)
{
	char *directory;
	bool good;

	if (access(path, F_OK) == 0)
		return access(path, W_OK) == 0;
	if (errno != ENOENT)
		return false;
	directory = takt_xstrdup(path);
	good = access(dirname(directory), W_OK | X_OK) == 0;
	free(directory);
	return good;
}

/* Return the mode of the file that is replaced, or else the mode fopen() would give a new one. */
static mode_t mode_of(const char *path)
{
	struct stat info;
	mode_t mask;

	if (stat(path, &info) == 0)
		return info.st_mode & 07777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

/* True if no file may be created in the directory: then the file is written in place. */
static bool is_forbidden(int error)
{
	return error == EACCES || error == EPERM;
}

/* Create the temporary file in the directory of `path`. Returns 0 or an errno. */
static int open_beside(struct takt_new_file *file, const char *path)
{
	/* The target of a symbolic link is replaced, not the link. */
	char *target = realpath(path, NULL);
	struct takt_text name = {0};
	int descriptor, error;

	if (!target && errno == ENOMEM)
		takt_out_of_memory(PATH_MAX);
	file->target = target ? target : takt_xstrdup(path);
	takt_text_printf(&name, "%s.XXXXXX", file->target);
	descriptor = mkostemp(name.data, O_CLOEXEC);
	error = errno;
	if (descriptor < 0) {
		takt_text_release(&name);
		return error;
	}
	file->temporary = name.data;
	takt_partial_file_begin(&file->partial, file->temporary);
	/* Some file systems have no modes. */
	(void)!fchmod(descriptor, mode_of(file->target));
	file->file = fdopen(descriptor, "wb");
	error = errno;
	if (!file->file)
		close(descriptor);
	return file->file ? 0 : error;
}

enum takt_status takt_new_file_open(const char *path, struct takt_diag *diag,
				    struct takt_new_file *file)
{
	int error = EACCES;

	*file = (struct takt_new_file){.path = takt_xstrdup(path)};
	if (is_replaceable(path) && takt_file_can_write(path))
		error = open_beside(file, path);
	if (is_forbidden(error)) {
		file->file = fopen(path, "wbe");
		error = errno;
	}
	if (file->file)
		return TAKT_OK;
	takt_error(diag, "cannot write '%s': %s", path, strerror(error));
	takt_new_file_abandon(file);
	return TAKT_BAD_INPUT;
}

void takt_new_file_abandon(struct takt_new_file *file)
{
	if (file->file)
		fclose(file->file);
	if (file->temporary) {
		unlink(file->temporary);
		takt_partial_file_end(&file->partial);
	}
	free(file->temporary);
	free(file->target);
	free(file->path);
	*file = (struct takt_new_file){0};
}

enum takt_status takt_new_file_close(struct takt_new_file *file, int error, struct takt_diag *diag)
{
	if ((fflush(file->file) != 0 || ferror(file->file)) && !error)
		error = errno ? errno : EIO;
	if (fclose(file->file) != 0 && !error)
		error = errno;
	file->file = NULL;
	if (!error && file->temporary && rename(file->temporary, file->target) != 0)
		error = errno;
	if (error)
		takt_error(diag, "cannot write '%s': %s", file->path, strerror(error));
	else if (file->temporary)
		takt_partial_file_end(&file->partial);
	if (!error) {
		free(file->temporary);
		file->temporary = NULL;
	}
	takt_new_file_abandon(file);
	return error ? TAKT_BAD_INPUT : TAKT_OK;
}

enum takt_status takt_file_write(const char *path, const void *data, size_t size_bytes,
				 struct takt_diag *diag)
{
	struct takt_new_file file;
	enum takt_status status = takt_new_file_open(path, diag, &file);
	int error = 0;

	if (status != TAKT_OK)
		return status;
	if (size_bytes && fwrite(data, 1, size_bytes, file.file) != size_bytes)
		error = errno ? errno : EIO;
	return takt_new_file_close(&file, error, diag);
}
