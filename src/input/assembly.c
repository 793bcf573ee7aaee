/* SPDX-License-Identifier: MIT */
/* Assembles text to an object in memory, and reports the errors in it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "input/assembler.h"
#include "input/code.h"
#include "input/listing.h"
#include "isa/llvm.h"

#define SOURCE_SIZE_MAX_BYTES ((size_t)64 << 20)
/* Limits of processor time for a text and for each MiB of it; LLVM needs 0.25 s per MiB. */
#define CPU_SECONDS 20u
#define CPU_SECONDS_PER_MIB 2u
/* Most attempts without the lines that the one before refused; each reports up to 100. */
#define ATTEMPTS_MAX 16u

/* LLVM's names for an instruction set. */
struct target {
	const char *triple, *cpu, *features;
};

static const struct target x86_target = {"x86_64-unknown-linux-gnu", "x86-64", ""};
/* "+all" takes every instruction, but names of SVE's conditions, as in "b.first", need "+sve". */
static const struct target aarch64_target = {"aarch64-unknown-linux-gnu", "", "+all,+sve"};

/* Split the name of one of LLVM's sets: "llvm:TRIPLE:CPU". */
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

/* Return the name of the LLVM module for an instruction set. */
static const char *module_name(const char *isa)
{
	if (takt_string_starts(isa, "llvm:"))
		return takt_llvm_module(isa);
	return strcmp(isa, takt_isa_aarch64.name) == 0 ? "takt-llvm-aarch64" : "takt-llvm";
}

/* True if the input is assembly text, as far as can be told without reading it from a pipe. */
static bool is_text(const struct takt_code_options *options)
{
	char magic[4] = "";
	struct stat info;
	FILE *file;

	/* Only a regular file is looked into, because a pipe can be read only once. */
	if (options->data || options->format != TAKT_INPUT_AUTO ||
	    stat(options->path, &info) != 0 || !S_ISREG(info.st_mode))
		return options->format == TAKT_INPUT_ASSEMBLY;
	file = fopen(options->path, "rbe");
	if (!file)
		return false;
	if (fread(magic, 1, sizeof(magic), file) < sizeof(magic))
		magic[0] = '\0';
	fclose(file);
	return memcmp(magic, "\177ELF", sizeof(magic)) != 0;
}

void takt_code_prepare(const struct takt_code_options *options)
{
	struct takt_assembler *assembler;

	if (!options->isa || !is_text(options))
		return;
	assembler = takt_assembler_take(module_name(options->isa), NULL);
	if (assembler)
		takt_assembler_give_back(assembler);
}

static void note_unavailable(const struct takt_isa *isa, const char *file, struct takt_diag *diag)
{
	bool is_own = isa == &takt_isa_x86 || isa == &takt_isa_aarch64;

	takt_note(diag,
		  "it assembles text such as '%s': install it%s, or give the object file instead "
		  "of the text",
		  file, is_own ? "" : " and LLVM 19 (Debian: libllvm19)");
}

/* Take a process that assembles for an instruction set (assembler.h); NULL after an error. */
static struct takt_assembler *source_assembler(const struct takt_isa *isa, const char *file,
					       struct takt_diag *diag)
{
	struct takt_assembler *assembler = takt_assembler_take(module_name(isa->name), diag);

	if (!assembler)
		note_unavailable(isa, file, diag);
	return assembler;
}

/* The assembler's results in one attempt. */
struct attempt {
	struct takt_arena *arena;
	enum takt_assembler_outcome outcome;
	uint32_t cpu_seconds; /* its limit of processor time */
	struct takt_assembler_end end;
	struct report {
		uint32_t line, column;
		enum takt_shim_report_kind kind;
		const char *message;
	} reports[TAKT_SHIM_REPORTS_MAX];
	size_t report_count;
};

static void split_lines(struct takt_code *code)
{
	struct takt_source *source = &code->source;
	struct takt_lines lines;
	const char *line;
	size_t size, text_size;

	source->text =
		takt_pasted_copy(&code->arena, code->data, code->data_size_bytes, &text_size);
	takt_lines_init(&lines, source->text, text_size);
	while (takt_lines_next(&lines, &line, &size))
		source->line_count++;
	source->lines = TAKT_NEW_ARRAY(&code->arena, source->line_count, const char *);
	takt_lines_init(&lines, source->text, text_size);
	while (takt_lines_next(&lines, &line, &size))
		source->lines[lines.number - 1] = line;
	takt_pasted_strip(source);
}

static void keep_report(void *context, enum takt_shim_report_kind kind, uint32_t line,
			uint32_t column, const char *message)
{
	struct attempt *attempt = context;

	if (attempt->report_count == TAKT_SHIM_REPORTS_MAX)
		return;
	attempt->reports[attempt->report_count++] = (struct report){
		line,
		column,
		kind,
		takt_arena_string(attempt->arena, message),
	};
}

static bool is_x86(const struct takt_code *code)
{
	return takt_encoding_of(code->image.isa) == &takt_isa_x86;
}

/* ---- where and why the assembler gave up ----------------------------------- */

static const char *crash_reason(int number)
{
	switch (number) {
	case SIGFPE:
		return "it divided by zero";
	case SIGSEGV:
	case SIGBUS:
		return "it accessed memory that is not mapped";
	case SIGABRT:
	case SIGILL:
	case SIGTRAP:
		return "it found itself in an impossible state";
	case SIGKILL:
		return "the system ended it";
	default:
		return "it ended without a message";
	}
}

static const char *end_message(const struct attempt *attempt, struct takt_arena *arena)
{
	switch (attempt->end.cause) {
	case TAKT_SHIM_TIME:
		return takt_arena_printf(arena, "LLVM's assembler did not finish this within %u s",
					 attempt->cpu_seconds);
	case TAKT_SHIM_MEMORY:
		return "LLVM's assembler ran out of memory here";
	case TAKT_SHIM_STACK:
		return "this is nested too deeply for LLVM's assembler";
	case TAKT_SHIM_CRASH:
		break;
	}
	return takt_arena_printf(arena, "LLVM's assembler crashed here: %s",
				 crash_reason(attempt->end.signal));
}

/* Add a report that the assembler gave up, at the statement where it did. */
static void keep_end(struct attempt *attempt, const char *text)
{
	uint64_t place = attempt->end.place;
	struct report report = {.message = end_message(attempt, attempt->arena)};

	if (place < strlen(text)) {
		report.line = report.column = 1;
		for (const char *at = text; at < text + place; at++) {
			report.line += *at == '\n';
			report.column = *at == '\n' ? 1 : report.column + 1;
		}
	}
	attempt->reports[0] = report;
	attempt->report_count = 1;
}

/* ---- attempts ---------------------------------------------------------------- */

static bool try_syntax(struct takt_code *code, struct takt_assembler *assembler, const char *text,
		       enum takt_syntax syntax, struct attempt *attempt, struct takt_diag *diag)
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
	attempt->cpu_seconds =
		CPU_SECONDS + (uint32_t)(code->data_size_bytes >> 20) * CPU_SECONDS_PER_MIB;
	attempt->outcome = takt_assembler_run(assembler, &request, attempt->cpu_seconds * 1000,
					      diag, &code->assembled, &attempt->end);
	if (attempt->outcome == TAKT_ASSEMBLER_GAVE_UP)
		keep_end(attempt, text);
	return attempt->outcome == TAKT_ASSEMBLER_DONE;
}

/* Count the columns from `column` to the end of what looks like one token. */
static uint32_t token_width(const char *line, uint32_t column)
{
	size_t length = strcspn(line, "\n");

	if (!column || column > length)
		return 1;
	length = strcspn(line + column - 1, " \t\r\n,()[]:;#");
	return length ? (uint32_t)length : 1;
}

/* Return the kind of the last report; a kind other than LLVM's own errors ended the work. */
static enum takt_shim_report_kind last_kind(const struct attempt *attempt)
{
	return attempt->report_count ? attempt->reports[attempt->report_count - 1].kind
				     : TAKT_SHIM_ERROR;
}

static void note_remedy(const struct attempt *attempt, struct takt_diag *diag)
{
	if (attempt->outcome == TAKT_ASSEMBLER_GAVE_UP)
		takt_note(diag, "write it in another way, or assemble it yourself and give the "
				"object file instead of the text");
	else if (last_kind(attempt) == TAKT_SHIM_READS_FILE)
		takt_note(diag, "put what is in that file into the text, or assemble it yourself "
				"and give the object file instead of the text");
	else if (last_kind(attempt) == TAKT_SHIM_TOO_MUCH)
		takt_note(diag, "give a smaller part, or the object file instead of the text");
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
	note_remedy(attempt, diag);
}

static enum takt_syntax other_syntax(enum takt_syntax syntax)
{
	return syntax == TAKT_SYNTAX_INTEL ? TAKT_SYNTAX_ATT : TAKT_SYNTAX_INTEL;
}

static const char *syntax_name(enum takt_syntax syntax)
{
	return syntax == TAKT_SYNTAX_INTEL ? "Intel" : "AT&T";
}

/* Report text of another instruction set than the core's with one error, not one for each line. */
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
		  takt_isa_example_core(guess->name));
	if (attempt && attempt->report_count)
		takt_note(diag, "read as %s, line %u is the first that is wrong: %s", isa->title,
			  attempt->reports[0].line, attempt->reports[0].message);
	return true;
}

/* True if the text may be valid in the other syntax and has not used up its time. */
static bool may_be_other_syntax(const struct attempt *attempt)
{
	if (attempt->outcome == TAKT_ASSEMBLER_GAVE_UP)
		return attempt->end.cause != TAKT_SHIM_TIME;
	return attempt->outcome == TAKT_ASSEMBLER_FAILED && last_kind(attempt) == TAKT_SHIM_ERROR;
}

/* The two ways to read a text, and the better one of them. */
struct reading {
	struct attempt attempts[2];
	const struct attempt *better;
	enum takt_syntax syntax; /* of the better one */
	bool guesses;
};

/* Copy the reports of an attempt as lines that do not assemble. */
static struct takt_bad_line *list_bad_lines(const struct takt_code *code,
					    const struct attempt *attempt, struct takt_arena *arena)
{
	struct takt_bad_line *lines =
		TAKT_NEW_ARRAY(arena, attempt->report_count, struct takt_bad_line);

	for (size_t i = 0; i < attempt->report_count; i++) {
		const struct report *report = &attempt->reports[i];
		bool known = report->line && report->line <= code->source.line_count;

		lines[i] = (struct takt_bad_line){report->line, report->column, 1, report->message};
		if (known)
			lines[i].width =
				token_width(code->source.lines[report->line - 1], report->column);
	}
	return lines;
}

static bool may_leave_out(const struct attempt *attempt)
{
	return attempt->outcome == TAKT_ASSEMBLER_FAILED && attempt->report_count &&
	       last_kind(attempt) == TAKT_SHIM_ERROR;
}

/* Assemble the text without the lines that do not assemble; false if that does not help. */
static bool assemble_rest(struct takt_code *code, struct takt_text *text,
			  const struct reading *reading, struct takt_assembler *assembler,
			  struct takt_diag *diag)
{
	struct attempt *attempt = TAKT_NEW(&code->arena, struct attempt);

	*attempt = *reading->better;
	for (unsigned i = 0; i < ATTEMPTS_MAX && may_leave_out(attempt); i++) {
		struct takt_bad_line *lines = list_bad_lines(code, attempt, &code->arena);

		if (!takt_bad_lines_leave_out(code, lines, attempt->report_count, text))
			return false;
		attempt->report_count = 0;
		if (try_syntax(code, assembler, takt_text_data(text), reading->syntax, attempt,
			       diag))
			return code->assembled.insn_count > 0;
	}
	return false;
}

/* Try the syntax that is wanted, or both; true if one succeeded. */
static bool try_both(struct takt_code *code, const char *text, enum takt_syntax wanted,
		     struct reading *reading, struct takt_assembler *assembler,
		     struct takt_diag *diag)
{
	struct attempt *attempts = reading->attempts;
	enum takt_syntax other;

	reading->guesses = wanted == TAKT_SYNTAX_AUTO && is_x86(code);
	reading->better = &attempts[0];
	reading->syntax = reading->guesses ? takt_source_guess_syntax(&code->source) : wanted;
	if (try_syntax(code, assembler, text, reading->syntax, &attempts[0], diag))
		return true;
	if (!reading->guesses || !may_be_other_syntax(&attempts[0]))
		return false;
	other = other_syntax(reading->syntax);
	if (try_syntax(code, assembler, text, other, &attempts[1], diag))
		return true;
	if (may_leave_out(&attempts[1]) && attempts[1].report_count < attempts[0].report_count) {
		reading->better = &attempts[1];
		reading->syntax = other;
	}
	return false;
}

static enum takt_status assemble_text(struct takt_code *code, struct takt_text *text,
				      enum takt_syntax wanted, struct takt_assembler *assembler,
				      struct takt_diag *diag)
{
	struct reading *reading = TAKT_NEW(&code->arena, struct reading);
	const struct attempt *better;
	struct takt_bad_line *bad;

	if (try_both(code, takt_text_data(text), wanted, reading, assembler, diag))
		return TAKT_OK;
	better = reading->better;
	if (reading->attempts[0].outcome == TAKT_ASSEMBLER_UNAVAILABLE) {
		note_unavailable(code->image.isa, code->image.file, diag);
		return TAKT_UNAVAILABLE;
	}
	if (refuse_other_isa(code, better, diag))
		return TAKT_BAD_INPUT;
	if (reading->guesses && last_kind(better) == TAKT_SHIM_ERROR &&
	    !takt_source_says_syntax(&code->source))
		code->syntax_note = takt_arena_printf(
			&code->arena, "read as %s syntax; --syntax=%s reads it as %s",
			syntax_name(reading->syntax),
			reading->syntax == TAKT_SYNTAX_INTEL ? "att" : "intel",
			syntax_name(other_syntax(reading->syntax)));
	bad = list_bad_lines(code, better, &code->arena);
	if (may_leave_out(better) &&
	    (takt_bad_lines_refuse_garbage(code, bad, better->report_count, diag)))
		return TAKT_BAD_INPUT;
	if (assemble_rest(code, text, reading, assembler, diag))
		return TAKT_OK;
	report_all(code, better, diag);
	if (code->syntax_note)
		takt_note(diag, "%s", code->syntax_note);
	return TAKT_BAD_INPUT;
}

/* Assemble the prepared text for the image's instruction set. */
static enum takt_status assemble(struct takt_code *code, struct takt_text *text,
				 enum takt_syntax syntax, struct takt_diag *diag)
{
	struct takt_assembler *assembler =
		source_assembler(code->image.isa, code->image.file, diag);
	enum takt_status status;

	if (!assembler)
		return TAKT_UNAVAILABLE;
	status = assemble_text(code, text, syntax, assembler, diag);
	takt_assembler_give_back(assembler);
	if (status == TAKT_OK)
		status = takt_elf_read(code->assembled.object, code->assembled.object_size_bytes,
				       &code->arena, diag, &code->image);
	if (status == TAKT_OK && code->source.listed_count)
		takt_listing_place(code);
	return status == TAKT_OK && !takt_viewer_check(code, diag) ? TAKT_BAD_INPUT : status;
}

/* Take the bytes of a disassembly as they are. */
static enum takt_status take_bytes(struct takt_code *code, struct takt_diag *diag)
{
	if (refuse_other_isa(code, NULL, diag))
		return TAKT_BAD_INPUT;
	takt_listing_image(code);
	return TAKT_OK;
}

enum takt_status takt_source_assemble(struct takt_code *code, enum takt_syntax syntax,
				      struct takt_diag *diag)
{
	enum takt_status status;
	struct takt_text text;

	if (code->data_size_bytes > SOURCE_SIZE_MAX_BYTES) {
		takt_error(diag, "assembly text '%s' is larger than %zu MiB", code->image.file,
			   SOURCE_SIZE_MAX_BYTES >> 20);
		takt_note(diag, "give the object file instead of the text");
		return TAKT_BAD_INPUT;
	}
	split_lines(code);
	takt_viewer_read(&code->source, &code->arena);
	if (takt_listing_refuse(&code->source, code->image.file, diag))
		return TAKT_BAD_INPUT;
	if (!takt_listing_read(&code->source, &code->arena) &&
	    !takt_masm_read(&code->source, &code->arena))
		takt_nasm_read(&code->source, &code->arena);
	if (!code->image.isa)
		code->image.isa = takt_source_guess_isa(&code->source);
	if (!code->image.isa && takt_source_is_riscv(&code->source)) {
		takt_error(diag, "'%s' looks like RISC-V text, which needs a core of LLVM's",
			   code->image.file);
		takt_note(diag, "name one, such as '--arch=%s'", takt_isa_example_core("riscv64"));
		return TAKT_BAD_INPUT;
	}
	if (!code->image.isa)
		code->image.isa = &takt_isa_x86;
	takt_text_init(&text);
	takt_source_prepare(&code->source, takt_encoding_of(code->image.isa), &code->arena, &text);
	status = takt_listing_has_bytes(&code->source) ? take_bytes(code, diag)
						       : assemble(code, &text, syntax, diag);
	takt_labels_sort(code);
	takt_text_release(&text);
	return status;
}
