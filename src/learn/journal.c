/* SPDX-License-Identifier: MIT */
/*
 * Timings that outlive an interruption: a file that each timing is appended to as a line. A last
 * line that was cut short is ignored and written anew.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "learn/learn.h"

#define TIMINGS_MAX 1000000u

struct entry {
	uint64_t key;
	struct learn_timing timing;
};

struct learn_journal {
	FILE *file;
	char *path;
	struct takt_map timings;
	bool failed;
};

static const char header[] = "takt learn-journal 1\n";

static void keep(struct learn_journal *journal, uint64_t key, const struct learn_timing *timing)
{
	struct entry *entry = takt_map_get(&journal->timings, key | 1);

	if (entry)
		entry->timing = *timing;
}

static const struct learn_timing *find(const struct learn_journal *journal, uint64_t key)
{
	const struct entry *entry = takt_map_find(&journal->timings, key | 1);

	return entry ? &entry->timing : NULL;
}

/* Read a line "KEY OUTCOME CYCLES SPREAD EXPERIMENT SIZE"; others are ignored. */
static void read_line(struct learn_journal *journal, const char *line)
{
	struct learn_timing timing;
	char *end;
	uint64_t key = strtoull(line, &end, 16);

	if (end == line)
		return;
	timing.outcome = (enum learn_outcome)strtoul(end, &end, 10);
	timing.cycles = takt_strtod(end, &end);
	timing.spread = takt_strtod(end, &end);
	if (timing.outcome > LEARN_FAILED ||
	    (timing.outcome != LEARN_FAILED && !(timing.cycles > 0)))
		return;
	if (timing.outcome == LEARN_FAILED)
		timing.cycles = NAN;
	keep(journal, key, &timing);
}

/* Read what was written for this machine; false, reported, if the file is another one's. */
static bool read_all(struct learn_journal *journal, const char *first, const char *data,
		     size_t size_bytes, struct takt_diag *diag, size_t *ret_whole_bytes)
{
	size_t first_bytes = strlen(first);

	*ret_whole_bytes = 0;
	if (size_bytes < first_bytes && memcmp(data, first, size_bytes) == 0)
		return true; /* killed while it was begun */
	if (size_bytes < first_bytes || memcmp(data, first, first_bytes) != 0) {
		takt_error(diag, "'%s' is not a journal of this machine's timings", journal->path);
		takt_note(diag, "choose another directory, or remove the file to begin anew");
		return false;
	}
	*ret_whole_bytes = first_bytes;
	for (size_t at = first_bytes; at < size_bytes;) {
		const char *end = memchr(data + at, '\n', size_bytes - at);
		char *line;

		if (!end)
			break;
		line = takt_xcalloc(1, (size_t)(end - data) - at + 1);
		memcpy(line, data + at, (size_t)(end - data) - at);
		read_line(journal, line);
		free(line);
		at = (size_t)(end - data) + 1;
		*ret_whole_bytes = at;
	}
	return true;
}

static bool open_file(struct learn_journal *journal, const char *first, size_t whole_bytes,
		      struct takt_diag *diag)
{
	int file = open(journal->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	if (file >= 0 && ftruncate(file, (off_t)whole_bytes) == 0 &&
	    lseek(file, 0, SEEK_END) >= 0) {
		journal->file = fdopen(file, "w");
		if (journal->file && !whole_bytes)
			fputs(first, journal->file);
		if (journal->file && fflush(journal->file) == 0)
			return true;
	}
	takt_error(diag, "cannot write '%s': %s", journal->path, strerror(errno));
	if (file >= 0 && !journal->file)
		close(file);
	return false;
}

enum takt_status learn_journal_open(const char *path, const char *machine, struct takt_diag *diag,
				    struct learn_journal **ret_journal)
{
	struct learn_journal *journal = takt_xcalloc(1, sizeof(*journal));
	struct takt_file file = {0};
	struct takt_text first = {0};
	size_t whole_bytes = 0;
	bool good = true;

	journal->path = takt_xstrdup(path);
	takt_map_init(&journal->timings, sizeof(struct entry), TIMINGS_MAX);
	takt_text_printf(&first, "%smachine %s\n", header, machine);
	if (access(path, F_OK) == 0) {
		good = takt_file_open(path, diag, &file) == TAKT_OK;
		if (good)
			good = read_all(journal, takt_text_data(&first), (const char *)file.data,
					file.size_bytes, diag, &whole_bytes);
		takt_file_close(&file);
	}
	good = good && open_file(journal, takt_text_data(&first), whole_bytes, diag);
	takt_text_release(&first);
	if (good) {
		*ret_journal = journal;
		return TAKT_OK;
	}
	learn_journal_close(journal, NULL);
	return TAKT_BAD_INPUT;
}

bool learn_journal_find(const struct learn_journal *journal, uint64_t key,
			struct learn_timing *ret_timing)
{
	const struct learn_timing *timing = find(journal, key);

	if (timing)
		*ret_timing = *timing;
	return timing != NULL;
}

void learn_journal_add(struct learn_journal *journal, uint64_t key, const char *experiment,
		       int32_t size, const struct learn_timing *timing)
{
	struct takt_text line = {0};

	keep(journal, key, timing);
	takt_text_printf(&line, "%016llx %d %.6f %.5f %s %d\n", (unsigned long long)key,
			 (int)timing->outcome, timing->cycles > 0 ? timing->cycles : 0,
			 timing->spread, experiment, size);
	if (fputs(takt_text_data(&line), journal->file) < 0 || fflush(journal->file) != 0)
		journal->failed = true;
	takt_text_release(&line);
}

bool learn_journal_close(struct learn_journal *journal, struct takt_diag *diag)
{
	bool good;

	if (!journal)
		return true;
	if (journal->file && fclose(journal->file) != 0)
		journal->failed = true;
	good = !journal->failed;
	if (!good)
		takt_error(diag, "cannot write '%s'", journal->path);
	takt_map_release(&journal->timings);
	free(journal->path);
	free(journal);
	return good;
}
