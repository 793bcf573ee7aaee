/* SPDX-License-Identifier: MIT */
/* Assembly text to an object in memory. */
#include <stdlib.h>
#include <string.h>

#include "input/code.h"

#define TRIPLE "x86_64-unknown-linux-gnu"
#define SHIM_MODULE "takt-llvm"
#define SHIM_ENTRY "takt_shim_assemble"
#define REPORTS_MAX 100u
#define SOURCE_SIZE_MAX_BYTES ((size_t)64 << 20)

takt_shim_assemble_function takt_shim_load(const char *file, struct takt_diag *diag)
{
	union {
		void *address;
		takt_shim_assemble_function function;
	} entry = {.address = takt_module_symbol(SHIM_MODULE, SHIM_ENTRY, diag)};

	if (!entry.address)
		takt_note(diag,
			  "it assembles text such as '%s': install it and LLVM 19 (Debian: "
			  "libllvm19), or give the object file instead of the text",
			  file);
	return entry.function;
}

/* What the assembler said in one attempt. */
struct attempt {
	struct takt_arena *arena;
	struct report {
		uint32_t line, column;
		const char *message;
	} reports[REPORTS_MAX];
	size_t report_count;
};

static void split_lines(struct takt_code *code)
{
	struct takt_source *source = &code->source;
	struct takt_lines lines;
	const char *line;
	size_t size;

	source->text =
		takt_arena_copy(&code->arena, (const char *)code->data, code->data_size_bytes);
	takt_lines_init(&lines, source->text, code->data_size_bytes);
	while (takt_lines_next(&lines, &line, &size))
		source->line_count++;
	source->lines = TAKT_NEW_ARRAY(&code->arena, source->line_count, const char *);
	takt_lines_init(&lines, source->text, code->data_size_bytes);
	while (takt_lines_next(&lines, &line, &size))
		source->lines[lines.number - 1] = line;
}

static void keep_report(void *context, bool is_error, uint32_t line, uint32_t column,
			const char *message)
{
	struct attempt *attempt = context;
	const struct report *last =
		attempt->report_count ? &attempt->reports[attempt->report_count - 1] : NULL;

	if (!is_error || attempt->report_count == REPORTS_MAX)
		return;
	if (last && last->line == line && last->column == column &&
	    strcmp(last->message, message) == 0)
		return; /* the assembler lays out sections more than once */
	attempt->reports[attempt->report_count++] = (struct report){
		line,
		column,
		takt_arena_copy(attempt->arena, message, strlen(message)),
	};
}

static bool try_syntax(struct takt_code *code, takt_shim_assemble_function assemble,
		       const char *text, enum takt_syntax syntax, struct attempt *attempt)
{
	struct takt_shim_request request = {
		.triple = TRIPLE,
		.cpu = "x86-64",
		.features = "",
		.source = text,
		.source_name = code->image.file,
		.label_prefix = TAKT_COMMENT_LABEL,
		.intel_syntax = syntax == TAKT_SYNTAX_INTEL,
		.report = keep_report,
		.context = attempt,
	};

	attempt->arena = &code->arena;
	return assemble(&request, &code->assembled) == 0;
}

/* Columns from `column` to the end of what looks like one token. */
static uint32_t token_width(const char *line, uint32_t column)
{
	size_t length = strcspn(line, "\n");

	if (!column || column > length)
		return 1;
	length = strcspn(line + column - 1, " \t\r\n,()[]:;#");
	return length ? (uint32_t)length : 1;
}

static void report_all(const struct takt_code *code, const struct attempt *attempt,
		       struct takt_diag *diag)
{
	for (size_t i = 0; i < attempt->report_count; i++) {
		const struct report *report = &attempt->reports[i];
		struct takt_place place = {.file = code->image.file};

		if (report->line && report->line <= code->source.line_count) {
			place.line = report->line;
			place.column = report->column;
			place.excerpt = code->source.lines[report->line - 1];
			place.width = token_width(place.excerpt, report->column);
		}
		takt_error_at(diag, &place, "%s", report->message);
	}
	if (!attempt->report_count)
		takt_error(diag, "cannot assemble '%s'", code->image.file);
}

static enum takt_syntax other_syntax(enum takt_syntax syntax)
{
	return syntax == TAKT_SYNTAX_INTEL ? TAKT_SYNTAX_ATT : TAKT_SYNTAX_INTEL;
}

static const char *syntax_name(enum takt_syntax syntax)
{
	return syntax == TAKT_SYNTAX_INTEL ? "Intel" : "AT&T";
}

static enum takt_status assemble_text(struct takt_code *code, const char *text,
				      enum takt_syntax wanted, takt_shim_assemble_function assemble,
				      struct takt_diag *diag)
{
	struct attempt *attempts = TAKT_NEW_ARRAY(&code->arena, 2, struct attempt);
	enum takt_syntax syntax = wanted;

	if (wanted == TAKT_SYNTAX_AUTO)
		syntax = takt_source_guess(&code->source);
	if (try_syntax(code, assemble, text, syntax, &attempts[0]))
		return TAKT_OK;
	if (wanted == TAKT_SYNTAX_AUTO &&
	    try_syntax(code, assemble, text, other_syntax(syntax), &attempts[1]))
		return TAKT_OK;
	report_all(code, &attempts[0], diag);
	if (wanted == TAKT_SYNTAX_AUTO)
		takt_note(diag, "read as %s syntax; --syntax=%s reads it as %s",
			  syntax_name(syntax), syntax == TAKT_SYNTAX_INTEL ? "att" : "intel",
			  syntax_name(other_syntax(syntax)));
	return TAKT_BAD_INPUT;
}

enum takt_status takt_source_assemble(struct takt_code *code, enum takt_syntax syntax,
				      struct takt_diag *diag)
{
	takt_shim_assemble_function assemble;
	enum takt_status status;
	struct takt_text text;

	if (code->data_size_bytes > SOURCE_SIZE_MAX_BYTES) {
		takt_error(diag, "assembly text '%s' is larger than %zu MiB", code->image.file,
			   SOURCE_SIZE_MAX_BYTES >> 20);
		takt_note(diag, "give the object file instead of the text");
		return TAKT_BAD_INPUT;
	}
	assemble = takt_shim_load(code->image.file, diag);
	if (!assemble)
		return TAKT_UNAVAILABLE;
	split_lines(code);
	takt_text_init(&text);
	takt_source_prepare(&code->source, &code->arena, &text);
	status = assemble_text(code, takt_text_data(&text), syntax, assemble, diag);
	takt_text_release(&text);
	return status;
}
