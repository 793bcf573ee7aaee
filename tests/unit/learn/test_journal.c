/* SPDX-License-Identifier: MIT */
/* A journal gives its timings back, also when it was cut short, and belongs to one machine. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "learn/learn.h"
#include "unit/tap.h"

static char path[64];

static struct learn_journal *open_journal(const char *machine, struct takt_diag *diag)
{
	struct learn_journal *journal = NULL;

	if (learn_journal_open(path, machine, diag, &journal) != TAKT_OK)
		return NULL;
	return journal;
}

static void add(struct learn_journal *journal, uint64_t key, double cycles)
{
	const struct learn_timing timing = {
		.cycles = cycles, .spread = 0.01, .outcome = LEARN_GOOD};

	learn_journal_add(journal, key, "nops", 3, &timing);
}

static double find(const struct learn_journal *journal, uint64_t key)
{
	struct learn_timing timing;

	return learn_journal_find(journal, key, &timing) ? timing.cycles : 0;
}

static void test_cut(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct learn_journal *journal = open_journal("a machine", diag);
	FILE *file;

	add(journal, 0x1234, 12.5);
	add(journal, 0x5678, 7.25);
	ok(learn_journal_close(journal, diag), "a journal is written");
	file = fopen(path, "r+");
	fseek(file, -4, SEEK_END);
	if (ftruncate(fileno(file), ftell(file)) != 0)
		ok(false, "the file is cut short");
	fclose(file);
	journal = open_journal("a machine", diag);
	ok(journal && find(journal, 0x1234) == 12.5 && find(journal, 0x5678) == 0,
	   "a line that was cut short is missing, the others are there");
	add(journal, 0x5678, 7.25);
	learn_journal_close(journal, diag);
	journal = open_journal("a machine", diag);
	ok(journal && find(journal, 0x1234) == 12.5 && find(journal, 0x5678) == 7.25,
	   "and can be added again");
	learn_journal_close(journal, diag);
	takt_diag_free(diag);
}

static void test_other(void)
{
	struct takt_diag *diag = takt_diag_new();

	ok(!open_journal("another machine", diag) &&
		   strstr(takt_diag_text(diag), "not a journal of this machine"),
	   "another machine's journal is refused");
	takt_diag_free(diag);
}

int main(void)
{
	char directory[] = "/tmp/takt-journal-XXXXXX";

	if (!mkdtemp(directory))
		return 1;
	snprintf(path, sizeof(path), "%s/journal", directory);
	test_cut();
	test_other();
	unlink(path);
	rmdir(directory);
	return tap_done();
}
