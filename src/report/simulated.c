/* SPDX-License-Identifier: MIT */
/* The simulation in the text report: stall causes, possible gains, effect of alignment. */
#include <inttypes.h>
#include <string.h>

#include "report/printer.h"

#define WAITS_SHOWN_MAX 6u
#define SHARE_LEAST 0.005 /* of the cycles: smaller shares get no line */
#define GAIN_LEAST 0.005
#define RELAXATIONS_SHORT 3u
#define ALIGNMENTS 64u
#define SAME_CYCLES 1e-6

/* Find the mnemonic in a form: "lock add m64, r64" has "add". */
static const char *find_mnemonic(const char *form, size_t *ret_size)
{
	static const char *const prefixes[] = {"lock ", "rep ", "repne "};

	for (size_t i = 0; i < TAKT_COUNT_OF(prefixes); i++)
		if (takt_string_starts(form, prefixes[i]))
			form += strlen(prefixes[i]);
	*ret_size = strcspn(form, " ");
	return form;
}

static void write_insn(const struct takt_analysis_insn *insn, struct takt_text *text)
{
	size_t size;
	const char *mnemonic = find_mnemonic(insn->form, &size);

	takt_text_add(text, mnemonic, size);
	if (insn->line)
		takt_text_printf(text, " at line %u", insn->line);
	else
		takt_text_printf(text, " at 0x%" PRIx64, insn->address);
}

static void write_insns(const struct takt_analysis *analysis, const uint32_t *insns, uint32_t count,
			struct takt_text *text)
{
	struct takt_name_list names = {.count = 0};
	struct takt_text name = {0};

	for (uint32_t i = 0; i < count; i++) {
		takt_text_clear(&name);
		write_insn(&analysis->insns[insns[i]], &name);
		takt_name_list_add(&names, name.data);
	}
	takt_text_release(&name);
	takt_name_list_end(&names, text);
}

static void write_title(struct takt_printer *printer, const char *title)
{
	const char *unit = printer->analysis->unroll_factor == 1 ? "" : ", per block execution";

	takt_text_printf(printer->text, "\n%s%s\n", title, unit);
}

/* ---- stall causes ------------------------------------------------------------------- */

static void write_wait(struct takt_printer *printer, const struct takt_stall *wait)
{
	const struct takt_analysis *analysis = printer->analysis;
	struct takt_text line = {0};

	if (*wait->port)
		takt_text_printf(&line, "%s %s", wait->cause, wait->port);
	else
		takt_text_add_string(&line, wait->text);
	if (wait->insn_count) {
		takt_text_add_string(&line, ": ");
		write_insns(analysis, wait->insns, wait->insn_count, &line);
	}
	takt_text_printf(printer->text, "  %7.2f %3.0f %%  ", wait->cycles,
			 100 * wait->cycles / analysis->simulated_cycles);
	takt_format_wrap(printer->text, takt_text_data(&line), 16, printer->columns);
	takt_text_release(&line);
}

void takt_print_waits(struct takt_printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;

	if (!analysis->stall_count || !(analysis->simulated_cycles > 0))
		return;
	write_title(printer, "cycles by stall cause");
	for (uint32_t i = 0; i < analysis->stall_count && i < WAITS_SHOWN_MAX; i++)
		if (analysis->stalls[i].cycles >= SHARE_LEAST * analysis->simulated_cycles)
			write_wait(printer, &analysis->stalls[i]);
}

/* ---- possible gains -------------------------------------------------------------------- */

static double gain(const struct takt_analysis *analysis, const struct takt_relaxation *relaxation)
{
	return 1 - relaxation->cycles / analysis->simulated_cycles;
}

static void write_change(struct takt_printer *printer, const struct takt_code_change *change)
{
	const struct takt_analysis *analysis = printer->analysis;
	struct takt_text line = {0};

	takt_text_printf(&line, "code: %s: %.2f cycles (−%.0f %%)", change->what, change->cycles,
			 100 * (1 - change->cycles / analysis->simulated_cycles));
	if (change->insn_count) {
		takt_text_add_string(&line, ", for ");
		write_insns(analysis, change->insns, change->insn_count, &line);
	}
	takt_text_printf(&line, "; %s", change->how);
	takt_text_add_string(printer->text, "  - ");
	takt_format_wrap(printer->text, takt_text_data(&line), 4, printer->columns);
	takt_text_release(&line);
}

/* Return the number of changes that help enough to be shown. */
static uint32_t helpful_changes(const struct takt_analysis *analysis)
{
	uint32_t count = 0;

	while (count < analysis->change_count &&
	       analysis->changes[count].cycles <= (1 - GAIN_LEAST) * analysis->simulated_cycles)
		count++;
	return count;
}

static void write_relaxation(struct takt_printer *printer, const struct takt_relaxation *relaxation)
{
	const struct takt_analysis *analysis = printer->analysis;
	struct takt_text line = {0};

	takt_text_printf(&line, "with %s: %.2f cycles (−%.0f %%)", relaxation->what,
			 relaxation->cycles, 100 * gain(analysis, relaxation));
	if (relaxation->insn_count) {
		takt_text_add_string(&line, ", for ");
		write_insns(analysis, relaxation->insns, relaxation->insn_count, &line);
	}
	if (*relaxation->advice)
		takt_text_printf(&line, "; %s", relaxation->advice);
	takt_text_add_string(printer->text, "  - ");
	takt_format_wrap(printer->text, takt_text_data(&line), 4, printer->columns);
	takt_text_release(&line);
}

/* Write the relaxations that had no effect, in one line. */
static void write_useless(struct takt_printer *printer, uint32_t first)
{
	const struct takt_analysis *analysis = printer->analysis;
	struct takt_text line = {0};

	if (first == analysis->relaxation_count || !analysis->relaxations_complete)
		return;
	takt_text_add_string(&line, "no gain with ");
	for (uint32_t i = first; i < analysis->relaxation_count; i++)
		takt_text_printf(&line, "%s%s", i > first ? "; " : "",
				 analysis->relaxations[i].what);
	takt_text_add_string(printer->text, "  - ");
	takt_format_wrap(printer->text, takt_text_data(&line), 4, printer->columns);
	takt_text_release(&line);
}

void takt_print_relaxations(struct takt_printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;
	uint32_t helpful = 0, most, changes = helpful_changes(analysis);

	while (helpful < analysis->relaxation_count &&
	       gain(analysis, &analysis->relaxations[helpful]) >= GAIN_LEAST)
		helpful++;
	if (!changes &&
	    (!analysis->relaxation_count || (!helpful && !analysis->relaxations_complete)))
		return;
	write_title(printer, "what would help");
	for (uint32_t i = 0; i < changes; i++)
		write_change(printer, &analysis->changes[i]);
	most = analysis->relaxations_complete ? helpful : RELAXATIONS_SHORT;
	for (uint32_t i = 0; i < helpful && i < most; i++)
		write_relaxation(printer, &analysis->relaxations[i]);
	write_useless(printer, helpful);
}

/* ---- alignments ------------------------------------------------------------------------- */

/* Write the offsets whose cycles are `wanted` as ranges: "0-31, 40". */
static void write_offsets(const double *cycles, double wanted, struct takt_text *text)
{
	const char *separator = "";

	for (uint32_t first = 0, last; first < ALIGNMENTS; first = last + 1) {
		last = first;
		if (cycles[first] > wanted + SAME_CYCLES || cycles[first] < wanted - SAME_CYCLES)
			continue;
		while (last + 1 < ALIGNMENTS && cycles[last + 1] <= wanted + SAME_CYCLES &&
		       cycles[last + 1] >= wanted - SAME_CYCLES)
			last++;
		takt_text_printf(text, "%s%u", separator, first);
		if (last > first)
			takt_text_printf(text, "-%u", last);
		separator = ", ";
	}
}

static void write_alignment(struct takt_printer *printer, const char *name, double cycles)
{
	struct takt_text offsets = {0};

	write_offsets(printer->analysis->aligned_cycles, cycles, &offsets);
	takt_text_printf(printer->text, "  %-5s %7.2f  at ", name, cycles);
	takt_format_wrap(printer->text, takt_text_data(&offsets), 19, printer->columns);
	takt_text_release(&offsets);
}

void takt_print_alignments(struct takt_printer *printer)
{
	const double *cycles = printer->analysis->aligned_cycles;
	double least, most, sum = 0;

	if (!cycles)
		return;
	least = most = cycles[0];
	for (uint32_t at = 0; at < ALIGNMENTS; at++) {
		least = cycles[at] < least ? cycles[at] : least;
		most = cycles[at] > most ? cycles[at] : most;
		sum += cycles[at];
	}
	write_title(printer, "cycles by the block's offset in a 64-byte line");
	write_alignment(printer, "least", least);
	takt_text_printf(printer->text, "  %-5s %7.2f\n", "mean", sum / ALIGNMENTS);
	write_alignment(printer, "most", most);
}
