/* SPDX-License-Identifier: MIT */
/* Assembly text to an object in memory. */
#include <stdlib.h>
#include <string.h>

#include "input/code.h"

#define SHIM_ENTRY "takt_shim_assemble"
#define REPORTS_MAX 100u
#define SOURCE_SIZE_MAX_BYTES ((size_t)64 << 20)

/* How LLVM is asked for an instruction set. */
struct target {
	const char *triple, *cpu, *features;
};

static const struct target x86_target = {"x86_64-unknown-linux-gnu", "x86-64", ""};
static const struct target aarch64_target = {"aarch64-unknown-linux-gnu", "", "+all"};

/* "llvm:TRIPLE:CPU" */
static struct target open_target(const struct takt_isa *isa, struct takt_arena *arena)
{
	const char *triple = strchr(isa->name, ':') + 1, *end = strchrnul(triple, ':');
	char *name = takt_arena_copy(arena, triple, (size_t)(end - triple));

	return (struct target){
		.triple = strchr(name, '-')
				  ? name
				  : takt_arena_printf(arena, "%s-unknown-linux-gnu", name),
		.cpu = *end ? end + 1 : "",
		.features = "",
	};
}

static struct target find_target(const struct takt_isa *isa, struct takt_arena *arena)
{
	if (isa == &takt_isa_x86)
		return x86_target;
	return isa == &takt_isa_aarch64 ? aarch64_target : open_target(isa, arena);
}

static const char *module_name(const struct takt_isa *isa)
{
	if (isa == &takt_isa_x86)
		return "takt-llvm";
	return isa == &takt_isa_aarch64 ? "takt-llvm-aarch64" : "takt-llvm-any";
}

takt_shim_assemble_function takt_shim_load(const struct takt_isa *isa, const char *file,
					   struct takt_diag *diag)
{
	bool is_own = isa == &takt_isa_x86 || isa == &takt_isa_aarch64;
	union {
		void *address;
		takt_shim_assemble_function function;
	} entry = {.address = takt_module_symbol(module_name(isa), SHIM_ENTRY, diag)};

	if (!entry.address)
		takt_note(diag,
			  "it assembles text such as '%s': install it%s, or give the object file "
			  "instead of the text",
			  file, is_own ? "" : " and LLVM 19 (Debian: libllvm19)");
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

static bool is_x86(const struct takt_code *code)
{
	return takt_encoding_of(code->image.isa) == &takt_isa_x86;
}

static bool try_syntax(struct takt_code *code, takt_shim_assemble_function assemble,
		       const char *text, enum takt_syntax syntax, struct attempt *attempt)
{
	struct target target = find_target(code->image.isa, &code->arena);
	struct takt_shim_request request = {
		.triple = target.triple,
		.cpu = target.cpu,
		.features = target.features,
		.source = text,
		.source_name = code->image.file,
		.label_prefix = TAKT_COMMENT_LABEL,
		.intel_syntax = is_x86(code) && syntax == TAKT_SYNTAX_INTEL,
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

/* Text of another set than the core's gives an error for each line; one says why. */
static bool refuse_other_isa(const struct takt_code *code, const struct attempt *attempt,
			     struct takt_diag *diag)
{
	const struct takt_isa *guess = takt_source_guess_isa(&code->source);
	const struct takt_isa *isa = code->image.isa;

	if (!guess || guess == isa || (isa != &takt_isa_x86 && isa != &takt_isa_aarch64))
		return false;
	takt_error(diag, "'%s' looks like %s text, but the core is for %s", code->image.file,
		   guess->title, isa->title);
	takt_note(diag, "choose a core for %s, such as '--arch=%s'", guess->title,
		  guess == &takt_isa_aarch64 ? "V2" : "SPR");
	if (attempt->report_count)
		takt_note(diag, "read as %s, line %u is the first that is wrong: %s", isa->title,
			  attempt->reports[0].line, attempt->reports[0].message);
	return true;
}

static enum takt_status assemble_text(struct takt_code *code, const char *text,
				      enum takt_syntax wanted, takt_shim_assemble_function assemble,
				      struct takt_diag *diag)
{
	struct attempt *attempts = TAKT_NEW_ARRAY(&code->arena, 2, struct attempt);
	bool guesses = wanted == TAKT_SYNTAX_AUTO && is_x86(code);
	enum takt_syntax syntax = wanted;

	if (guesses)
		syntax = takt_source_guess_syntax(&code->source);
	if (try_syntax(code, assemble, text, syntax, &attempts[0]))
		return TAKT_OK;
	if (guesses && try_syntax(code, assemble, text, other_syntax(syntax), &attempts[1]))
		return TAKT_OK;
	if (refuse_other_isa(code, &attempts[0], diag))
		return TAKT_BAD_INPUT;
	report_all(code, &attempts[0], diag);
	if (guesses)
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
	split_lines(code);
	if (!code->image.isa)
		code->image.isa = takt_source_guess_isa(&code->source);
	if (!code->image.isa)
		code->image.isa = &takt_isa_x86;
	assemble = takt_shim_load(code->image.isa, code->image.file, diag);
	if (!assemble)
		return TAKT_UNAVAILABLE;
	takt_text_init(&text);
	takt_source_prepare(&code->source, takt_encoding_of(code->image.isa), &code->arena, &text);
	status = assemble_text(code, takt_text_data(&text), syntax, assemble, diag);
	takt_labels_sort(code);
	takt_text_release(&text);
	return status;
}
