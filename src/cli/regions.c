/* SPDX-License-Identifier: MIT */
/* Which regions of the code, and the list of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static bool is_name(const struct takt_code *code, const char *wanted)
{
	for (size_t i = 0; i < takt_code_region_count(code); i++)
		if (strcmp(takt_code_region(code, i)->name, wanted) == 0)
			return true;
	return false;
}

/* 1 … count, or 0 if it is no such number. */
static size_t region_number(const struct takt_code *code, const char *wanted)
{
	char *end;
	unsigned long number = strtoul(wanted, &end, 10);

	return *end || *wanted == '-' || number > takt_code_region_count(code) ? 0 : number;
}

bool takt_region_wanted(const struct takt_code *code, const char *wanted, size_t index)
{
	if (!wanted || strcmp(takt_code_region(code, index)->name, wanted) == 0)
		return true;
	return !is_name(code, wanted) && region_number(code, wanted) == index + 1;
}

bool takt_region_check(const struct takt_code *code, const char *wanted)
{
	size_t count = takt_code_region_count(code);
	const char **names;

	if (!wanted || is_name(code, wanted) || region_number(code, wanted))
		return true;
	takt_say_error("no region '%s' among %zu", wanted, count);
	names = calloc(count ? count : 1, sizeof(*names));
	if (!names)
		abort();
	for (size_t i = 0; i < count; i++)
		names[i] = takt_code_region(code, i)->name;
	takt_say_nearest(wanted, names, count);
	takt_say_note("'--list' prints the regions");
	free(names);
	return false;
}

void takt_region_list_header(FILE *file)
{
	fprintf(file, "   #  cycles  insns    line  %-23s  region\n", "limit");
}

static void write_name(FILE *file, const char *name)
{
	for (; *name; name++)
		fputc((unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name, file);
}

void takt_region_list_row(FILE *file, size_t index, const struct takt_analysis *analysis)
{
	fprintf(file, "%4zu %7.2f %6" PRIu32, index + 1, analysis->cycles_per_iteration,
		analysis->insn_count);
	if (analysis->insns[0].line)
		fprintf(file, " %7" PRIu32, analysis->insns[0].line);
	else
		fprintf(file, " %7s", "");
	fprintf(file, "  %-23s  ", analysis->limit);
	write_name(file, analysis->region_name);
	fputc('\n', file);
}
