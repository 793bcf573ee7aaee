/* SPDX-License-Identifier: MIT */
/* The annotated code of a trace as text: source lines, each before its instructions. */
#include <inttypes.h>
#include <string.h>

#include "report/format.h"
#include "report/trace.h"

#define NAME_COLUMNS 160
#define SOURCE_COLUMNS 100
#define SOURCE_INDENT 44

struct code_printer {
	const struct takt_annotation *annotation;
	struct takt_sources sources;
	struct takt_text *text;
};

void takt_trace_print_source(struct takt_sources *sources, const char *file, uint32_t line,
			     uint32_t columns, struct takt_text *text)
{
	struct takt_text copy = {0};
	const char *source;
	size_t size;

	if (!takt_sources_line(sources, file, line, &source, &size))
		return;
	takt_text_add(&copy, source, size);
	source = copy.data ? copy.data + strspn(copy.data, " \t") : "";
	if (*source) {
		takt_text_add_string(text, "  ");
		takt_text_clean(text, source, columns);
	}
	takt_text_release(&copy);
}

static bool is_same_line(const struct takt_annotated_insn *insn,
			 const struct takt_annotated_insn *before)
{
	return before && insn->line == before->line &&
	       (!insn->line || strcmp(insn->file, before->file) == 0);
}

static void write_source(struct code_printer *printer, const struct takt_annotated_insn *insn)
{
	struct takt_text *text = printer->text;

	takt_text_pad(text, ' ', SOURCE_INDENT);
	if (insn->line) {
		takt_text_clean(text, takt_path_name(insn->file), NAME_COLUMNS);
		takt_text_printf(text, ":%" PRIu32, insn->line);
		takt_trace_print_source(&printer->sources, insn->file, insn->line, SOURCE_COLUMNS,
					text);
	} else {
		takt_text_add_string(text, "(no line)");
	}
	takt_text_add_string(text, "\n");
}

static void write_insn(const struct code_printer *printer, const struct takt_annotated_insn *insn,
		       uint64_t cycles)
{
	struct takt_text *text = printer->text;
	char buffer[TAKT_GROUPED_SIZE];

	if (printer->annotation->timed)
		takt_text_printf(text, "%15s  %6.2f", takt_text_grouped(insn->cycles, buffer),
				 cycles ? 100 * (double)insn->cycles / (double)cycles : 0);
	takt_text_printf(text, "  %13s  %6" PRIx64 "  ",
			 takt_text_grouped(insn->executions, buffer), insn->offset);
	takt_text_clean(text, insn->text, SOURCE_COLUMNS);
	takt_text_add_string(text, "\n");
}

static void write_function(struct code_printer *printer,
			   const struct takt_annotated_function *function)
{
	struct takt_text *text = printer->text;
	char buffer[TAKT_GROUPED_SIZE];

	takt_text_add_string(text, "\ncode of ");
	takt_text_clean(text, function->name, NAME_COLUMNS);
	if (printer->annotation->timed)
		takt_text_printf(text, ", %s cycles\n\n%15s  %6s  %13s  %6s  instruction\n",
				 takt_text_grouped(function->self.cycles, buffer), "cycles", "%",
				 "executions", "offset");
	else
		takt_text_printf(text, "\n\n  %13s  %6s  instruction\n", "executions", "offset");
	for (uint32_t i = 0; i < function->insn_count; i++) {
		const struct takt_annotated_insn *insn = &function->insns[i];

		if (!is_same_line(insn, i ? insn - 1 : NULL))
			write_source(printer, insn);
		write_insn(printer, insn, function->self.cycles);
	}
}

void takt_write_annotation_text(const struct takt_annotation *annotation, struct takt_text *text)
{
	struct code_printer printer = {.annotation = annotation, .text = text};

	for (uint32_t i = 0; i < annotation->function_count; i++)
		write_function(&printer, &annotation->functions[i]);
	takt_sources_release(&printer.sources);
}
