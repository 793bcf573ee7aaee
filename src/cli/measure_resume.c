/* SPDX-License-Identifier: MIT */
/* The rows in the file of an interrupted batch, matched with the blocks of the input. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/measure.h"

#define RESUME_BYTES_MAX ((size_t)4 << 30)
#define SHOWN_MOST 200
#define DATE_START "# date: "

static bool say_system_error(const char *path, const char *action)
{
	return takt_say_error("cannot %s '%s': %s", action, path, strerror(errno));
}

static bool read_all(int descriptor, const char *path, struct takt_resume *resume)
{
	struct stat info;
	size_t size, done = 0;

	if (fstat(descriptor, &info) != 0)
		return say_system_error(path, "read");
	if (!S_ISREG(info.st_mode) || (uint64_t)info.st_size > RESUME_BYTES_MAX)
		return takt_say_error("cannot resume '%s': not a file of an acceptable size", path);
	size = (size_t)info.st_size;
	resume->data = takt_allocate(size, 1);
	while (done < size) {
		ssize_t got = pread(descriptor, resume->data + done, size - done, (off_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			errno = ESTALE; /* the file was shortened while being read */
		if (got <= 0)
			return say_system_error(path, "read");
		done += (size_t)got;
	}
	while (size && resume->data[size - 1] != '\n')
		size--;
	resume->size_bytes = size;
	resume->read_bytes = done;
	return true;
}

/* Return the size of the line at `text`, newline included. */
static size_t line_size(const char *text, const char *end)
{
	const char *newline = memchr(text, '\n', (size_t)(end - text));

	return newline ? (size_t)(newline - text) + 1 : (size_t)(end - text);
}

static bool starts(const char *text, const char *end, const char *with)
{
	size_t size = strlen(with);

	return (size_t)(end - text) >= size && memcmp(text, with, size) == 0;
}

static bool say_other(const char *path, const struct takt_resume *resume, const char *wanted)
{
	const char *newline = memchr(resume->next, '\n', (size_t)(resume->end - resume->next));
	ptrdiff_t size = (newline ? newline : resume->end) - resume->next;

	takt_say_error("cannot resume '%s': line %llu is '%.*s'", path,
		       (unsigned long long)resume->line,
		       (int)(size < SHOWN_MOST ? size : SHOWN_MOST), resume->next);
	takt_say_note("this would be '%.*s'", (int)strcspn(wanted, "\n"), wanted);
	return takt_say_note(
		"resume with the same options on the same machine, or name another file");
}

/* Advance past the part of the header that the file has, in the file and in *header. */
static bool skip_header(const char *path, const char **header, struct takt_resume *resume)
{
	const char *header_end = *header + strlen(*header);

	while (*header < header_end) {
		size_t size = line_size(*header, header_end);
		bool is_date = starts(*header, header_end, DATE_START);

		if (resume->next == resume->end)
			return true;
		if (starts(resume->next, resume->end, DATE_START)) {
			resume->next += line_size(resume->next, resume->end);
			resume->line++;
		} else if (is_date) {
			*header += size;
		} else if (line_size(resume->next, resume->end) == size &&
			   memcmp(resume->next, *header, size) == 0) {
			resume->next += size;
			resume->line++;
			*header += size;
		} else {
			return say_other(path, resume, *header);
		}
	}
	return true;
}

/* Report a file whose torn header is another one: it must not be overwritten. */
static bool check_torn_header(const char *path, const char *header, struct takt_resume *resume)
{
	size_t torn = resume->read_bytes - resume->size_bytes;
	const char *text = resume->data + resume->size_bytes;

	if (strncmp(text, header, torn) == 0 || starts(text, text + torn, DATE_START))
		return true;
	resume->end = text + torn;
	return say_other(path, resume, header);
}

bool takt_resume_open(int descriptor, const char *path, const char *header,
		      struct takt_resume *ret_resume)
{
	struct takt_resume resume = {.line = 1};
	bool whole = false;
	bool good = read_all(descriptor, path, &resume);

	if (good) {
		resume.next = resume.data;
		resume.end = resume.data + resume.size_bytes;
		good = skip_header(path, &header, &resume) &&
		       (!*header || check_torn_header(path, header, &resume));
		whole = !*header;
	}
	if (good && !whole)
		resume.size_bytes = 0;
	if (good && (ftruncate(descriptor, (off_t)resume.size_bytes) != 0 ||
		     lseek(descriptor, (off_t)resume.size_bytes, SEEK_SET) < 0))
		good = say_system_error(path, "write");
	if (!good) {
		free(resume.data);
		return false;
	}
	if (!whole)
		resume.next = resume.end = resume.data;
	*ret_resume = resume;
	return true;
}

void takt_resume_close(struct takt_resume *resume)
{
	free(resume->data);
	*resume = (struct takt_resume){0};
}

/* True if the status is "ok" in a row of hex,mode,cycles,spread,status,… */
static bool is_ok_row(const char *row, const char *end)
{
	for (int column = 0; column < 4 && row; column++) {
		row = memchr(row, ',', (size_t)(end - row));
		if (row)
			row++;
	}
	return row && starts(row, end, "ok,");
}

enum takt_resumed takt_resume_take(struct takt_resume *resume, const char *hex, size_t size,
				   const char *mode)
{
	size_t mode_size = strlen(mode), row_size;
	const char *row = resume->next;

	if (row == resume->end)
		return TAKT_RESUMED_NONE;
	row_size = line_size(row, resume->end);
	if (row_size < size + mode_size + 2 || memcmp(row, hex, size) != 0 || row[size] != ',' ||
	    memcmp(row + size + 1, mode, mode_size) != 0 || row[size + 1 + mode_size] != ',')
		return TAKT_RESUMED_OTHER;
	resume->next += row_size;
	resume->line++;
	return is_ok_row(row, resume->next) ? TAKT_RESUMED_OK : TAKT_RESUMED_REJECTED;
}
