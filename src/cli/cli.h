/* SPDX-License-Identifier: MIT */
/*
 * cli: the command, a thin client of takt.h and nothing else.
 *
 * To add a command: write docs/commands/NAME.md (its options, help and man page come
 * from there), src/cli/NAME.c with a takt_NAME_main(), and add a row to the table in
 * main.c and the page to meson.build.
 */
#ifndef TAKT_CLI_H
#define TAKT_CLI_H

#include <stdio.h>

#include "takt/takt.h"

enum takt_exit { TAKT_EXIT_FINE = 0, TAKT_EXIT_BAD = 1, TAKT_EXIT_USAGE = 2 };

#define TAKT_EXIT_SIGNALLED 128 /* and the number: what a signal ended, as in shells */

/* What the machine takt runs on executes. */
#if defined(__aarch64__)
#define TAKT_HOST_ISA "aarch64"
#else
#define TAKT_HOST_ISA "x86-64"
#endif

/* ---- options.c: command lines, read by the tables that tools/gen_docs.py makes ---- */

struct takt_option {
	const char *name;     /* long, without dashes */
	const char *argument; /* NULL: none; "a|b|c": one of these; else a word for --help */
	char letter;          /* short name or 0 */
	bool optional;        /* the argument may be left out */
	unsigned id;          /* several names may share one */
};

struct takt_command_doc {
	const char *name, *summary;
	const char *const *help; /* lines, ended by NULL */
	const struct takt_option *options;
	size_t option_count;
};

#define TAKT_OPTION_IDS_MAX 64
#define TAKT_GIVEN_MAX 128

/* An option as it stood on the command line. */
struct takt_given {
	unsigned id;
	const char *value;
};

struct takt_arguments {
	const struct takt_command_doc *doc;
	const char *values[TAKT_OPTION_IDS_MAX]; /* by id; NULL: not given, "" without argument */
	const char *names[TAKT_OPTION_IDS_MAX];  /* by which name, for messages */
	struct takt_given given[TAKT_GIVEN_MAX]; /* all in order, for options that repeat */
	size_t given_count;
	char **operands;
	size_t operand_count;
};

/*
 * Reads `argv` (without the command's name), which it reorders. Reports what is wrong and
 * returns false. The last of repeated options counts; long options may have one dash.
 */
bool takt_arguments_parse(const struct takt_command_doc *doc, int argc, char **argv,
			  struct takt_arguments *ret_arguments);
/* Which of its alternatives an option has; the first one if it was not given. */
unsigned takt_arguments_choice(const struct takt_arguments *arguments, unsigned id);
/* Leave *ret_number alone if the option was not given; report and return false if wrong. */
/* False, reported, if the option is given together with a format other than text. */
bool takt_arguments_text_only(const struct takt_arguments *arguments, unsigned id,
			      unsigned format_id);
bool takt_arguments_integer(const struct takt_arguments *arguments, unsigned id, long least,
			    long most, long *ret_number);
bool takt_arguments_positive(const struct takt_arguments *arguments, unsigned id,
			     double *ret_number);

/* Of figures: as said by '--format', else by how the file's name ends, else text. */
enum takt_count_format takt_arguments_format(const struct takt_arguments *arguments, unsigned format_id,
					  const char *path);

/* ---- memory.c: what these return is never NULL, and is freed with free() ---- */

/* Says that there is no memory and ends the process; the library's handler, too. */
_Noreturn void takt_end_without_memory(size_t size_bytes);
/* Zeroed. */
void *takt_allocate(size_t count, size_t size_bytes);
void *takt_reallocate(void *old, size_t count, size_t size_bytes);
char *takt_copy_string(const char *text);
/* As open_memstream(): *data and *size_bytes are set when it is closed. */
FILE *takt_memory_stream_open(char **data, size_t *size_bytes);
void takt_memory_stream_close(FILE *file);

/* ---- output.c: messages to standard error, results to standard output or a file ---- */

void takt_say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void takt_say_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints what was reported, and forgets it. */
void takt_say_diag(struct takt_diag *diag);
/* "note: did you mean 'a' or 'b'?", if any name is close. */
void takt_say_nearest(const char *wanted, const char *const *names, size_t count);

struct takt_output {
	FILE *file;
	const char *path; /* NULL: standard output */
	bool in_memory;   /* an ordinary file's contents, until it is closed: */
	char *data;
	size_t size_bytes;
};

/*
 * Both report what is wrong and return false. An ordinary file is written when it is closed, beside
 * the old one, whose place it takes once it is complete: whatever goes wrong, the old one is left. What
 * opens must stay where it is until it is closed.
 */
bool takt_output_open(const char *path, struct takt_output *ret_output);
/* Reports that standard output cannot be written; does not return if its reader is gone. */
void takt_say_stdout_failed(int cause);
bool takt_output_close(struct takt_output *output);
/* At the end of the command: false, reported, if what went to standard output is not all there. */
bool takt_output_finish(void);
/*
 * Writes a report to `path`; without one to standard output, or, if a program `ran` that
 * standard output belongs to, to standard error.
 */
bool takt_output_report(const char *path, bool ran, const struct takt_text *text);

int takt_help_print(const struct takt_command_doc *doc);

/* ---- regions.c: which regions of the code, and the list of them ---- */

/* Regions that were chosen by --region. */
struct takt_region_choice {
	const char *name; /* or NULL */
	size_t number;	  /* from 1; 0 with a name, or for all */
	size_t count;	  /* of them */
};

/* `wanted`: a name, a number or NULL for all. Reports and returns false if there is none. */
bool takt_region_choose(const struct takt_code *code, const char *wanted,
			struct takt_region_choice *ret_choice);
bool takt_region_chosen(const struct takt_code *code, const struct takt_region_choice *choice,
			size_t index);
/* Prints what takt could not find in the code, as notes. */
void takt_code_notes_say(const struct takt_code *code);
void takt_region_list_header(FILE *file);
void takt_region_list_row(FILE *file, size_t index, const struct takt_analysis *analysis);
/* The same as an object of JSON; line 0: not known. */
void takt_region_list_json(FILE *file, size_t index, const struct takt_analysis *analysis);

/* ---- code_options.c: the options that say which code is meant ---- */

/* How a command's table numbers them. */
struct takt_code_option_ids {
	unsigned function, section, range, lines, whole, raw, hex, syntax;
};

/*
 * Reads them and the operand. Reports what is wrong and returns false. What code.lines
 * points to is the caller's to free, by *ret_lines.
 */
bool takt_code_options_read(const struct takt_arguments *arguments,
			    const struct takt_code_option_ids *ids,
			    struct takt_code_options *ret_code,
			    struct takt_line_range **ret_lines);

/* ---- progress.c: work on many regions ---- */

struct takt_progress {
	const char *subject; /* "loops" */
	size_t done, total;
	bool shows, shown;
	double start_seconds, next_seconds;
};

/* `output`: what results are written to, which are progress enough on a terminal. */
void takt_progress_begin(struct takt_progress *progress, const char *subject, size_t total,
			 FILE *output);
/* Before each; false if the user has interrupted. */
bool takt_progress_step(struct takt_progress *progress);
/* Says so, and returns false, if the user interrupted before all was done. */
bool takt_progress_end(const struct takt_progress *progress);

/* ---- trace_progress.c ---- */

/* If standard error is a terminal, it says there how far a trace is; the line is cleared in the end. */
void takt_trace_progress_begin(struct takt_trace_options *options);
void takt_trace_progress_end(const struct takt_trace_options *options);

/* ---- core.c: which core ---- */

/* `--arch` and `--model`; without the former, the host. Reports and returns false. */
bool takt_core_open(const char *arch, const char *model_dir, struct takt_diag *diag,
		    struct takt_model **ret_model);
/* A core that executes `isa`; without `--arch` the host, or else one named in a note. */
bool takt_core_open_isa(const char *arch, const char *model_dir, const char *isa,
			struct takt_diag *diag, struct takt_model **ret_model);
/* The same for traces, as struct takt_trace_core wants it. */
struct takt_core_request {
	const char *arch, *model_dir;
	struct takt_diag *diag;
	struct takt_model *model; /* NULL until it is opened; the holder closes it */
};

/* `context`: a struct takt_core_request. */
const struct takt_model *takt_core_open_requested(void *context, const char *isa);
/*
 * The core and its code. Without `--arch` the code decides: the host, if that executes it,
 * or else a core that is named in a note. Reports through `diag` or by itself; what was
 * opened is the caller's to close on failure too.
 */
bool takt_core_open_code(const char *arch, const char *model_dir, struct takt_code_options *options,
			 struct takt_diag *diag, struct takt_model **ret_model,
			 struct takt_code **ret_code);

/* ---- entry_values.c: what registers hold when a loop is entered ---- */

struct takt_entry_values {
	struct takt_register_value *items;
	size_t count;
	char *names; /* that the items point into */
};

/* Adds those of "rdi=0x1000,rsi=64", once. Reports what is wrong and returns false. */
bool takt_entry_values_read(const char *list, struct takt_entry_values *values);
void takt_entry_values_release(struct takt_entry_values *values);

/* ---- timeline.c ---- */

enum takt_timeline_format { TAKT_TIMELINE_TEXT, TAKT_TIMELINE_PERFETTO, TAKT_TIMELINE_KONATA };

struct takt_timeline_request {
	uint32_t iterations; /* 0: no timeline wanted */
	enum takt_timeline_format format; /* if not TEXT: it is all that is wanted */
};

/* Reports what is wrong and returns false. */
bool takt_timeline_request_read(const struct takt_arguments *arguments,
				struct takt_timeline_request *ret_request);

/* ---- analyze_options.c ---- */

/* What registers hold at entry, if nothing is said of each. */
enum takt_entry_initial { TAKT_ENTRY_DIFF, TAKT_ENTRY_SAME, TAKT_ENTRY_STACK };

struct takt_analyze_request {
	const char *arch;                /* the core, or NULL */
	char *arch_text;                 /* that it may point to */
	enum takt_entry_initial initial;
	struct takt_code_options code;
	struct takt_analysis_options analysis;
	struct takt_write_options write;
	struct takt_line_range *lines;   /* owns code.lines */
	struct takt_entry_values entry;  /* owns analysis.entry_values */
	struct takt_setting settings[TAKT_GIVEN_MAX]; /* of the core's parameters */
	size_t setting_count;
	char *setting_texts;             /* that they point into */
	struct takt_timeline_request timeline;
};

/* Reports what is wrong and returns false. */
bool takt_analyze_request_read(const struct takt_arguments *arguments,
			       struct takt_analyze_request *ret_request);
/* `initial` in terms of an instruction set's registers. Reports and returns false. */
bool takt_analyze_request_set_initial(struct takt_analyze_request *request, const char *isa);
void takt_analyze_request_release(struct takt_analyze_request *request);

/* timeline.c: appends the timeline of a region; false if there is none. */
bool takt_timeline_write(const struct takt_analyze_request *request, const struct takt_model *model,
			 const struct takt_code *code, size_t region_index, struct takt_diag *diag,
			 struct takt_text *text);

/* ---- commands ---- */

int takt_analyze_main(int argc, char **argv);
int takt_predict_main(int argc, char **argv);
int takt_characterize_main(int argc, char **argv);
int takt_diagnose_main(int argc, char **argv);
int takt_deps_main(int argc, char **argv);
int takt_measure_main(int argc, char **argv);
int takt_model_main(int argc, char **argv);
int takt_trace_main(int argc, char **argv);
int takt_diff_main(int argc, char **argv);
int takt_evaluate_main(int argc, char **argv);
int takt_count_main(int argc, char **argv);
int takt_bench_main(int argc, char **argv);
int takt_validate_main(int argc, char **argv);

#endif
