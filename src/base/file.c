/* SPDX-License-Identifier: MIT */
/* Files, mapped into memory or read, and the lines of text in memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

#define READ_STEP_BYTES ((size_t)64 << 10)
/*
 * Larger regular files are mapped. Whoever cuts a mapped file short ends takt by SIGBUS, so what
 * is quickly read is read.
 */
#define MAPPED_LEAST_BYTES ((size_t)32 << 20)

int takt_first_line(char *ret_line, size_t size_bytes, const char *format, ...)
{
	char path[512];
	va_list args;
	FILE *file;
	int error = 0;

	va_start(args, format);
	takt_vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	*ret_line = '\0';
	file = fopen(path, "re");
	if (!file)
		return errno;
	if (!fgets(ret_line, (int)size_bytes, file))
		error = ferror(file) ? errno : ENODATA;
	fclose(file);
	ret_line[error ? 0 : strcspn(ret_line, "\n")] = '\0';
	return error;
}

ssize_t takt_read(int file, void *data, size_t size_bytes)
{
	ssize_t got;

	do
		got = read(file, data, size_bytes);
	while (got < 0 && errno == EINTR);
	return got;
}

ssize_t takt_read_all(int file, void *data, size_t size_bytes)
{
	size_t size = 0;
	ssize_t got = 1;

	while (got > 0 && size < size_bytes) {
		got = takt_read(file, (char *)data + size, size_bytes - size);
		size += got > 0 ? (size_t)got : 0;
	}
	return got < 0 ? got : (ssize_t)size;
}

pid_t takt_wait(pid_t process, int *ret_status)
{
	pid_t ended;

	do
		ended = waitpid(process, ret_status, 0);
	while (ended < 0 && errno == EINTR);
	return ended;
}

/* Options for opening a file. */
struct opening {
	size_t size_max_bytes; /* largest regular file that is accepted */
	bool with_scratch;
};

static enum takt_status refuse_size(const char *name, const struct opening *opening,
				    struct takt_diag *diag)
{
	takt_error(diag, "'%s' is larger than %zu MiB", name, TAKT_FILE_SIZE_MAX_BYTES >> 20);
	if (opening->size_max_bytes > TAKT_FILE_SIZE_MAX_BYTES)
		takt_note(diag, "a regular file, given by its name, may have any size");
	return TAKT_BAD_INPUT;
}

/* Read a pipe or terminal to its end. */
static enum takt_status read_all(int fd, const char *name, const struct opening *opening,
				 struct takt_diag *diag, struct takt_file *ret_file)
{
	uint8_t *data = NULL;
	size_t size = 0, capacity = 0;

	for (;;) {
		ssize_t got;

		if (size == capacity) {
			capacity = capacity ? capacity * 2 : READ_STEP_BYTES;
			data = takt_xrealloc(data, capacity, 1);
		}
		got = takt_read(fd, data + size, capacity - size);
		if (got < 0) {
			takt_error(diag, "cannot read '%s': %s", name, strerror(errno));
			free(data);
			return TAKT_BAD_INPUT;
		}
		if (got == 0)
			break;
		size += (size_t)got;
		if (size > TAKT_FILE_SIZE_MAX_BYTES) {
			free(data);
			return refuse_size(name, opening, diag);
		}
	}
	*ret_file = (struct takt_file){.data = data, .size_bytes = size};
	return TAKT_OK;
}

/* Read a regular file, which may have become shorter than `size` by now. */
static enum takt_status read_file(int fd, const char *path, size_t size, struct takt_diag *diag,
				  struct takt_file *ret_file)
{
	void *data = takt_xrealloc(NULL, size, 1);
	ssize_t got = takt_read_all(fd, data, size);

	if (got < 0) {
		takt_error(diag, "cannot read '%s': %s", path, strerror(errno));
		free(data);
		return TAKT_BAD_INPUT;
	}
	*ret_file = (struct takt_file){.data = data, .size_bytes = (size_t)got};
	return TAKT_OK;
}

static enum takt_status map_file(int fd, const char *path, size_t size,
				 const struct opening *opening, struct takt_diag *diag,
				 struct takt_file *ret_file)
{
	void *data, *scratch = NULL;

	if (size > opening->size_max_bytes)
		return refuse_size(path, opening, diag);
	if (size < MAPPED_LEAST_BYTES)
		return read_file(fd, path, size, diag, ret_file);
	data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return read_all(fd, path, opening, diag, ret_file);
	if (opening->with_scratch)
		/* Few of its pages are ever written, so no memory is reserved for them. */
		scratch = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd,
			       0);
	*ret_file = (struct takt_file){.data = data,
				       .size_bytes = size,
				       .mapped = true,
				       .scratch = scratch == MAP_FAILED ? NULL : scratch};
	return TAKT_OK;
}

static enum takt_status open_file(const char *path, const struct opening *opening,
				  struct takt_diag *diag, struct takt_file *ret_file)
{
	enum takt_status status;
	struct stat info;
	int fd;

	if (strcmp(path, "-") == 0)
		return read_all(STDIN_FILENO, "standard input", opening, diag, ret_file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &info) < 0) {
		takt_error(diag, "cannot open '%s': %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return TAKT_BAD_INPUT;
	}
	if (S_ISDIR(info.st_mode)) {
		takt_error(diag, "'%s' is a directory", path);
		status = TAKT_BAD_INPUT;
	} else if (S_ISREG(info.st_mode) && info.st_size > 0) {
		status = map_file(fd, path, (size_t)info.st_size, opening, diag, ret_file);
	} else {
		status = read_all(fd, path, opening, diag, ret_file);
	}
	close(fd);
	return status;
}

enum takt_status takt_file_open(const char *path, struct takt_diag *diag,
				struct takt_file *ret_file)
{
	const struct opening opening = {.size_max_bytes = TAKT_FILE_SIZE_MAX_BYTES};

	return open_file(path, &opening, diag, ret_file);
}

enum takt_status takt_file_open_large(const char *path, struct takt_diag *diag,
				      struct takt_file *ret_file)
{
	const struct opening opening = {.size_max_bytes = SIZE_MAX};

	return open_file(path, &opening, diag, ret_file);
}

enum takt_status takt_file_open_scratch(const char *path, struct takt_diag *diag,
					struct takt_file *ret_file)
{
	const struct opening opening = {.size_max_bytes = SIZE_MAX, .with_scratch = true};

	return open_file(path, &opening, diag, ret_file);
}

void takt_file_close(struct takt_file *file)
{
	union {
		const uint8_t *constant;
		void *memory;
	} data = {.constant = file->data};

	if (file->mapped)
		munmap(data.memory, file->size_bytes);
	else
		free(data.memory);
	if (file->scratch)
		munmap(file->scratch, file->size_bytes);
	*file = (struct takt_file){0};
}

void takt_lines_init(struct takt_lines *lines, const void *data, size_t size_bytes)
{
	lines->next = data;
	lines->end = size_bytes ? lines->next + size_bytes : lines->next;
	lines->number = 0;
}

bool takt_lines_next(struct takt_lines *lines, const char **ret_line, size_t *ret_size_bytes)
{
	const char *newline;
	size_t size;

	if (lines->next == lines->end)
		return false;
	newline = memchr(lines->next, '\n', (size_t)(lines->end - lines->next));
	size = (size_t)((newline ? newline : lines->end) - lines->next);
	*ret_line = lines->next;
	lines->next = newline ? newline + 1 : lines->end;
	lines->number++;
	*ret_size_bytes = size && (*ret_line)[size - 1] == '\r' ? size - 1 : size;
	return true;
}
