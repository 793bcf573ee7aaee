/* SPDX-License-Identifier: MIT */
/*
 * Coverage: of the instructions in ELF files, the share whose timing is a row of
 * the core's tables (or composed from rows) rather than a class default. Leaves
 * out instructions of ISA sets the core lacks. Fails below the stated share.
 *
 *   coverage [--worst] [--least=PERCENT] [--arch=CORE] FILE…
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "support/elf_text.h"

#define FORMS_MAX (1u << 16)

struct tally {
	const struct takt_model *model;
	uint64_t rows, composed, defaults, foreign, bytes_skipped;
	takt_form_key *missing_forms; /* open addressing */
	uint64_t *missing_counts;
};

static void count_missing(struct tally *tally, takt_form_key form)
{
	size_t at = takt_hash64(form) % FORMS_MAX;

	while (tally->missing_forms[at] && tally->missing_forms[at] != form)
		at = (at + 1) % FORMS_MAX;
	tally->missing_forms[at] = form;
	tally->missing_counts[at]++;
}

static void count_insn(struct tally *tally, const struct takt_insn *insn)
{
	struct takt_timing_storage storage;
	struct takt_timing timing;

	if (!takt_model_supports(tally->model, insn)) {
		tally->foreign++;
		return;
	}
	takt_model_timing(tally->model, insn, &storage, &timing);
	switch ((enum takt_match)timing.match) {
	case TAKT_MATCH_ROW:
		tally->rows++;
		break;
	case TAKT_MATCH_COMPOSED:
		tally->composed++;
		break;
	case TAKT_MATCH_DEFAULT:
		tally->defaults++;
		count_missing(tally, insn->form);
		break;
	}
}

static void count_section(void *context, const uint8_t *bytes, size_t size_bytes, uint64_t address)
{
	struct tally *tally = context;
	struct takt_insn insn;

	for (size_t at = 0; at < size_bytes;) {
		if (takt_decode(&takt_isa_x86, bytes + at, size_bytes - at, address + at, &insn) == TAKT_OK) {
			count_insn(tally, &insn);
			at += insn.length_bytes;
		} else {
			tally->bytes_skipped++;
			at++;
		}
	}
}

static void print_worst(const struct tally *tally)
{
	struct takt_text text;

	takt_text_init(&text);
	for (unsigned shown = 0; shown < 25; shown++) {
		size_t best = 0;

		for (size_t i = 1; i < FORMS_MAX; i++)
			if (tally->missing_counts[i] > tally->missing_counts[best])
				best = i;
		if (!tally->missing_counts[best])
			break;
		takt_text_clear(&text);
		takt_form_write(&takt_isa_x86, tally->missing_forms[best], &text);
		printf("    %8llu  %s\n", (unsigned long long)tally->missing_counts[best],
		       takt_text_data(&text));
		tally->missing_counts[best] = 0;
	}
	takt_text_release(&text);
}

/* Returns the share that hit a row or a composition, in percent. */
static double cover(const char *core, const char *path, bool worst)
{
	struct takt_diag *diag = takt_diag_new();
	struct tally tally = {0};
	struct takt_model *model;
	uint64_t total;
	double share;

	if (takt_model_open(core, NULL, diag, &model) != TAKT_OK) {
		fputs(takt_diag_text(diag), stderr);
		exit(1);
	}
	takt_diag_free(diag);
	tally.model = model;
	tally.missing_forms = takt_xcalloc(FORMS_MAX, sizeof(*tally.missing_forms));
	tally.missing_counts = takt_xcalloc(FORMS_MAX, sizeof(*tally.missing_counts));
	if (!elf_text_visit(path, count_section, &tally))
		exit(1);
	total = tally.rows + tally.composed + tally.defaults;
	share = total ? 100.0 * (double)(tally.rows + tally.composed) / (double)total : 100.0;
	printf("%-6s %-28s %10llu %9.3f %9.3f %9.4f %9llu\n", core,
	       strrchr(path, '/') ? strrchr(path, '/') + 1 : path, (unsigned long long)total,
	       total ? 100.0 * (double)tally.rows / (double)total : 100.0,
	       total ? 100.0 * (double)tally.composed / (double)total : 0.0, 100.0 - share,
	       (unsigned long long)tally.foreign);
	if (worst)
		print_worst(&tally);
	free(tally.missing_forms);
	free(tally.missing_counts);
	takt_model_close(model);
	return share;
}

int main(int argc, char **argv)
{
	const char *only = NULL;
	double least = 0, share;
	bool worst = false, low = false;

	printf("%-6s %-28s %10s %9s %9s %9s %9s\n", "core", "file", "insns", "row %", "composed %",
	       "default %", "not on it");
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--worst") == 0) {
			worst = true;
			continue;
		}
		if (strncmp(argv[i], "--least=", 8) == 0) {
			least = strtod(argv[i] + 8, NULL);
			continue;
		}
		if (strncmp(argv[i], "--arch=", 7) == 0) {
			only = argv[i] + 7;
			continue;
		}
		for (size_t core = 0; core < takt_model_builtin_count(); core++) {
			if (only && !takt_string_equal_nocase(only, takt_model_builtin_name(core)))
				continue;
			share = cover(takt_model_builtin_name(core), argv[i], worst);
			low = low || share < least;
		}
	}
	if (low)
		fprintf(stderr, "error: coverage below %.2f %%\n", least);
	return low;
}
