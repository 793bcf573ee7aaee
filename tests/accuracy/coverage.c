/* SPDX-License-Identifier: MIT */
/*
 * Coverage: of the instructions in ELF files, the share whose timing is a row of
 * the core's tables (or composed from rows) rather than a class default. Leaves
 * out instructions of ISA sets the core lacks. Fails below the stated share. Files are
 * held against the cores of their instruction set.
 *
 *   coverage [--worst] [--least=PERCENT] [--arch=CORE] FILE…
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "support/elf_text.h"

#define KINDS_MAX (1u << 17)
#define WORST_SHOWN 25u

/* What a lookup depends on besides the form. */
#define LOOKUP_FLAGS (TAKT_INSN_SAME | TAKT_INSN_INDEXED | TAKT_INSN_IMM0 | TAKT_INSN_SHORT)

/* Instructions that look alike to a model, and how many of them the file has. */
struct kind {
	struct takt_insn insn;
	uint64_t count;
};

struct census {
	const struct takt_isa *isa;
	struct kind *kinds; /* open addressing */
	uint64_t bytes_skipped;
};

static struct kind *find_kind(struct census *census, const struct takt_insn *insn)
{
	uint32_t flags = insn->flags & LOOKUP_FLAGS;
	size_t at = takt_hash64(insn->form ^ flags ^ (uint64_t)insn->isa_set << 40) % KINDS_MAX;

	for (;; at = (at + 1) % KINDS_MAX) {
		const struct kind *kind = &census->kinds[at];

		if (!kind->count ||
		    (kind->insn.form == insn->form && kind->insn.isa_set == insn->isa_set &&
		     (kind->insn.flags & LOOKUP_FLAGS) == flags))
			return &census->kinds[at];
	}
}

static void count_section(void *context, const uint8_t *bytes, size_t size_bytes, uint64_t address)
{
	struct census *census = context;

	for (size_t at = 0; at < size_bytes;) {
		struct takt_insn insn;
		struct kind *kind;

		if (takt_decode(census->isa, bytes + at, size_bytes - at, address + at, &insn) !=
		    TAKT_OK) {
			census->bytes_skipped += census->isa->unit_bytes;
			at += census->isa->unit_bytes;
			continue;
		}
		kind = find_kind(census, &insn);
		kind->insn = insn;
		kind->count++;
		at += insn.length_bytes;
	}
}

static bool take_census(const char *path, struct census *ret_census)
{
	*ret_census = (struct census){
		.isa = elf_text_is_aarch64(path) ? &takt_isa_aarch64 : &takt_isa_x86,
		.kinds = takt_xcalloc(KINDS_MAX, sizeof(*ret_census->kinds)),
	};
	return elf_text_visit(path, count_section, ret_census);
}

/* The kinds that take a class's default, most frequent first. */
static void print_worst(const struct census *census, uint64_t *missing)
{
	struct takt_text text = {0};

	for (unsigned shown = 0; shown < WORST_SHOWN; shown++) {
		size_t best = 0;

		for (size_t i = 1; i < KINDS_MAX; i++)
			if (missing[i] > missing[best])
				best = i;
		if (!missing[best])
			break;
		takt_text_clear(&text);
		takt_form_write(census->isa, census->kinds[best].insn.form, &text);
		printf("    %8llu  %s\n", (unsigned long long)missing[best], takt_text_data(&text));
		missing[best] = 0;
	}
	takt_text_release(&text);
}

/* Returns the share that hit a row or a composition, in percent. */
static double cover(const struct takt_model *model, const char *path, const struct census *census,
		    bool worst)
{
	uint64_t matches[TAKT_MATCH_DEFAULT + 1] = {0}, foreign = 0, total;
	uint64_t *missing = takt_xcalloc(KINDS_MAX, sizeof(*missing));

	for (size_t i = 0; i < KINDS_MAX; i++) {
		const struct kind *kind = &census->kinds[i];
		struct takt_timing_storage storage;
		struct takt_timing timing;

		if (!kind->count)
			continue;
		if (!takt_model_supports(model, &kind->insn)) {
			foreign += kind->count;
			continue;
		}
		takt_model_timing(model, &kind->insn, &storage, &timing);
		matches[timing.match] += kind->count;
		if (timing.match == TAKT_MATCH_DEFAULT)
			missing[i] = kind->count;
	}
	total = matches[TAKT_MATCH_ROW] + matches[TAKT_MATCH_COMPOSED] +
		matches[TAKT_MATCH_DEFAULT];
	if (!total)
		total = 1;
	printf("%-6s %-28s %10llu %9.3f %9.3f %9.4f %9llu\n", takt_model_name(model),
	       strrchr(path, '/') ? strrchr(path, '/') + 1 : path, (unsigned long long)total,
	       100.0 * (double)matches[TAKT_MATCH_ROW] / (double)total,
	       100.0 * (double)matches[TAKT_MATCH_COMPOSED] / (double)total,
	       100.0 * (double)matches[TAKT_MATCH_DEFAULT] / (double)total,
	       (unsigned long long)foreign);
	if (worst)
		print_worst(census, missing);
	free(missing);
	return 100.0 - 100.0 * (double)matches[TAKT_MATCH_DEFAULT] / (double)total;
}

/* Against every core of the file's instruction set; the least share. */
static double cover_file(const char *path, const char *only, bool worst)
{
	struct takt_diag *diag = takt_diag_new();
	double least = 100;
	struct census census;

	if (!take_census(path, &census))
		exit(1);
	for (size_t core = 0; core < takt_model_builtin_count(); core++) {
		const char *name = takt_model_builtin_name(core);
		struct takt_model *model;

		if (only && !takt_string_equal_nocase(only, name))
			continue;
		if (takt_model_open(name, NULL, diag, &model) != TAKT_OK) {
			fputs(takt_diag_text(diag), stderr);
			exit(1);
		}
		if (takt_model_isa(model) == census.isa) {
			double share = cover(model, path, &census, worst);

			least = share < least ? share : least;
		}
		takt_model_close(model);
	}
	takt_diag_free(diag);
	free(census.kinds);
	return least;
}

int main(int argc, char **argv)
{
	const char *only = NULL;
	bool worst = false, low = false;
	double least = 0;

	printf("%-6s %-28s %10s %9s %9s %9s %9s\n", "core", "file", "insns", "row %", "composed %",
	       "default %", "not on it");
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--worst") == 0)
			worst = true;
		else if (strncmp(argv[i], "--least=", 8) == 0)
			least = strtod(argv[i] + 8, NULL);
		else if (strncmp(argv[i], "--arch=", 7) == 0)
			only = argv[i] + 7;
		else
			low |= cover_file(argv[i], only, worst) < least;
	}
	if (low)
		fprintf(stderr, "error: coverage below %.2f %%\n", least);
	return low;
}
