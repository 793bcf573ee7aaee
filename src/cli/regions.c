/* SPDX-License-Identifier: MIT */
/* Choosing and listing regions of the code. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define CYCLES_COLUMNS 7 /* of cycles in a list, without the blank before */

/* Count the regions of this name. */
static size_t count_name(const struct takt_code *code, const char *wanted)
{
	size_t count = 0;

	for (size_t i = 0; i < takt_code_region_count(code); i++)
		count += strcmp(takt_code_region(code, i)->name, wanted) == 0;
	return count;
}

/* Return the number of a region, 1 to their count; 0 if `wanted` is no such number. */
static size_t region_number(const struct takt_code *code, const char *wanted)
{
	char *end;
	unsigned long number = strtoul(wanted, &end, 10);

	return *end || *wanted == '-' || number > takt_code_region_count(code) ? 0 : number;
}

static void report_none(const struct takt_code *code, const char *wanted)
{
	size_t count = takt_code_region_count(code);
	const char **names = takt_allocate(count, sizeof(*names));

	takt_say_error("no region '%s' among %zu", wanted, count);
	for (size_t i = 0; i < count; i++)
		names[i] = takt_code_region(code, i)->name;
	takt_say_nearest(wanted, names, count);
	takt_say_note("'--list' prints the regions");
	free(names);
}

/* Report that no region is large enough, and how large the largest is. */
static void report_all_small(const struct takt_code *code, size_t least)
{
	uint32_t most = 0;

	for (size_t i = 0; i < takt_code_region_count(code); i++)
		if (takt_code_region(code, i)->insns > most)
			most = takt_code_region(code, i)->insns;
	takt_say_error("no region has %zu %s", least,
		       takt_say_noun(least, "instruction", "instructions"));
	takt_say_note("the largest has %" PRIu32, most);
}

/* Leave out regions with fewer instructions. False, reported, if none is left. */
static bool leave_out_small(const struct takt_code *code, size_t least,
			    struct takt_region_choice *choice)
{
	choice->least = least;
	choice->count = 0;
	for (size_t i = 0; i < takt_code_region_count(code); i++)
		choice->count += takt_region_chosen(code, choice, i);
	if (!choice->count)
		report_all_small(code, least);
	return choice->count > 0;
}

bool takt_region_choose(const struct takt_code *code, const char *wanted, size_t least,
			struct takt_region_choice *ret_choice)
{
	struct takt_region_choice choice = {.count = takt_code_region_count(code)};

	if (wanted && (choice.count = count_name(code, wanted)) > 0) {
		choice.name = wanted;
	} else if (wanted) {
		choice.number = region_number(code, wanted);
		choice.count = 1;
		if (!choice.number) {
			report_none(code, wanted);
			return false;
		}
	}
	if (least && !leave_out_small(code, least, &choice))
		return false;
	*ret_choice = choice;
	return true;
}

bool takt_region_chosen(const struct takt_code *code, const struct takt_region_choice *choice,
			size_t index)
{
	if (takt_code_region(code, index)->insns < choice->least)
		return false;
	if (choice->name)
		return strcmp(takt_code_region(code, index)->name, choice->name) == 0;
	return !choice->number || choice->number == index + 1;
}

void takt_code_notes_say(const struct takt_code *code)
{
	for (size_t i = 0; i < takt_code_note_count(code); i++)
		takt_say_note("%s", takt_code_note(code, i));
}

void takt_region_list_header(FILE *file, const struct takt_cores *cores)
{
	if (cores->count == 1) {
		fprintf(file, "   #  cycles  insns    line  %-23s  region\n", "limit");
		return;
	}
	fprintf(file, "   #  insns    line");
	for (size_t i = 0; i < cores->count; i++)
		fprintf(file, " %*s", CYCLES_COLUMNS, takt_model_name(cores->models[i]));
	fprintf(file, "  region\n");
}

static void write_name(FILE *file, const char *name)
{
	for (; *name; name++)
		fputc((unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name, file);
}

static void write_line(FILE *file, const struct takt_analysis *analysis)
{
	if (analysis->insns[0].line)
		fprintf(file, " %7" PRIu32, analysis->insns[0].line);
	else
		fprintf(file, " %7s", "");
}

void takt_region_list_row(FILE *file, size_t index, const struct takt_analysis *const *analyses,
			  size_t count)
{
	const struct takt_analysis *first = analyses[0];

	for (size_t i = 0; !first->insn_count && i < count; i++)
		first = analyses[i];
	fprintf(file, "%4zu", index + 1);
	if (count == 1)
		fprintf(file, " %7.2f", first->cycles_per_iteration);
	fprintf(file, " %6" PRIu32, first->insn_count);
	write_line(file, first);
	if (count == 1)
		fprintf(file, "  %-23s", first->limit);
	for (size_t i = 0; count > 1 && i < count; i++) {
		/* The column is as wide as the core's name in the header. */
		int width = (int)strlen(analyses[i]->arch);

		width = width > CYCLES_COLUMNS ? width : CYCLES_COLUMNS;
		if (analyses[i]->insn_count)
			fprintf(file, " %*.2f", width, analyses[i]->cycles_per_iteration);
		else
			fprintf(file, " %*s", width, "-");
	}
	fprintf(file, "  ");
	write_name(file, first->region_name);
	fputc('\n', file);
}
