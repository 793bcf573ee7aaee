/* SPDX-License-Identifier: MIT */
/*
 * cli: the command, a thin client of takt.h and takt-lab, and of nothing else.
 *
 * CONTRIBUTING.md says how to add a command.
 */
#ifndef TAKT_CLI_H
#define TAKT_CLI_H

#include <pthread.h>
#include <stdio.h>

#include "takt/takt.h"

enum takt_exit { TAKT_EXIT_FINE = 0, TAKT_EXIT_BAD = 1, TAKT_EXIT_USAGE = 2 };

/* Exit status of a program ended by a signal, minus the signal's number, as in shells. */
#define TAKT_EXIT_SIGNALLED 128

/* The same as in base/base.h, which is no interface of the command. */
#define TAKT_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The instruction set of the machine that takt runs on. */
#if defined(__aarch64__)
#define TAKT_HOST_ISA "aarch64"
#else
#define TAKT_HOST_ISA "x86-64"
#endif

/* ---- options.c: command lines, read by the tables that tools/gen_docs.py makes ---- */

struct takt_option {
	const char *name; /* long name, without dashes */
	/* Allowed values "a|b|c", or the argument's name in --help; NULL: no argument. */
	const char *argument;
	char letter;   /* short name, or 0 */
	bool optional; /* the argument may be left out */
	unsigned id;   /* value shared by the names of one option */
	bool repeats;  /* each of several values counts */
};

struct takt_command_doc {
	const char *name, *summary;
	const char *const *help; /* lines of --help, ended by NULL */
	const struct takt_option *options;
	size_t option_count;
};

#define TAKT_OPTION_IDS_MAX 96
#define TAKT_GIVEN_MAX 128
#define TAKT_TYPED_MAX_BYTES 40

/* An option as given on the command line. */
struct takt_given {
	unsigned id;
	const char *value;
};

struct takt_arguments {
	const struct takt_command_doc *doc;
	/*
	 * Arguments by id; NULL: option not given; "": given without argument. If it is given
	 * several times, a LIST has all of them, and of others the last counts.
	 */
	const char *values[TAKT_OPTION_IDS_MAX];
	const char *names[TAKT_OPTION_IDS_MAX]; /* by id: the long name that was used */
	/* By id: what was typed, "-o" or "--output", for messages. */
	char typed[TAKT_OPTION_IDS_MAX][TAKT_TYPED_MAX_BYTES];
	struct takt_given given[TAKT_GIVEN_MAX]; /* all options in order, for those that repeat */
	size_t given_count;
	char *lists[TAKT_OPTION_IDS_MAX]; /* by id: the text of a list given several times */
	char **operands;
	size_t operand_count;
	size_t operands_before; /* those before "--"; all if there is none */
	char **program;		/* words after "--" of commands that run one; NULL: none */
};

/*
 * Parse `argv` (without the command's name), which is reordered. Report errors and return
 * false. Options that repeat have all their values in `given`, lists are joined, and of others the
 * last counts, and a note says so. Long options may have one dash. The caller releases the result.
 */
bool takt_arguments_parse(const struct takt_command_doc *doc, int argc, char **argv,
			  struct takt_arguments *ret_arguments);
void takt_arguments_release(struct takt_arguments *arguments);
/* Return "program" or "script" if a file is one, and NULL otherwise. A pipe is not read. */
const char *takt_program_kind(const char *path);
/*
 * Return false, reported, if the first operand, a trace, does not exist or is a program: most
 * likely the user wants to run it, and left out "--".
 */
bool takt_arguments_file_is_trace(const struct takt_arguments *arguments);
/* True if the option of that name is given. */
bool takt_arguments_have(const struct takt_arguments *arguments, const char *name);
/* Return false, reported, if the option is given together with one of the others. */
bool takt_arguments_exclude(const struct takt_arguments *arguments, unsigned id,
			    const unsigned *others, size_t count);
/* Return false, reported, if the option is given, but none of those without which it does nothing.
 */
bool takt_arguments_need(const struct takt_arguments *arguments, unsigned id,
			 const unsigned *others, size_t count);
/*
 * Return false, reported, if any option is given that is not in `used`: the command in this mode,
 * "takt count --list", would ignore it. '--quiet' is for all modes.
 */
bool takt_arguments_only(const struct takt_arguments *arguments, const char *mode,
			 const unsigned *used, size_t count);
/* Return false, reported, if the command in this mode is given operands. */
bool takt_arguments_no_operands(const struct takt_arguments *arguments, const char *mode);
/* Return the index of the alternative that an option was given; 0 if it was not given. */
unsigned takt_arguments_choice(const struct takt_arguments *arguments, unsigned id);
/* Return false, reported, if the option is given together with a format other than text. */
bool takt_arguments_text_only(const struct takt_arguments *arguments, unsigned id,
			      unsigned format_id);
/* Return false, reported, if the option is given with a format other than text and JSON. */
bool takt_arguments_text_or_json(const struct takt_arguments *arguments, unsigned id,
				 unsigned format_id);
/* List the values of an option that may be given several times, and return their number. */
size_t takt_arguments_all(const struct takt_arguments *arguments, unsigned id,
			  const char **ret_values);
/*
 * Parse a number, and store it in an integer of any type that has room for `most`; that is
 * unchanged if the option was not given. Report errors and return false.
 */
#define takt_arguments_integer(arguments, id, least, most, ret_number)                             \
	takt_arguments_read_integer(arguments, id, least, most, ret_number, sizeof(*(ret_number)))
bool takt_arguments_read_integer(const struct takt_arguments *arguments, unsigned id, long least,
				 long most, void *ret_number, size_t size_bytes);
bool takt_arguments_positive(const struct takt_arguments *arguments, unsigned id,
			     double *ret_number);

/* True if the extension of a file's name is one of the formats; false for no name. */
bool takt_arguments_is_report(const struct takt_arguments *arguments, unsigned format_id,
			      const char *path);
/* Take the format from the extension of the output's name, unless a format is given. */
void takt_arguments_take_format(struct takt_arguments *arguments, unsigned format_id,
				unsigned output_id);
/* True if the format is HTML. */
bool takt_arguments_html(const struct takt_arguments *arguments, unsigned format_id);
/*
 * Return the format, text if there is none, of a command whose formats are "text|csv|json|html".
 * For HTML it is JSON, which takt_page_write() puts into a page.
 */
enum takt_format takt_arguments_format(const struct takt_arguments *arguments, unsigned format_id);

/* ---- out_of_memory.c: results are never NULL, and are freed with free() ---- */

/* Report that memory is exhausted and exit. The library calls it, too. */
_Noreturn void takt_end_without_memory(size_t size_bytes);
/* From now on, end with an error where a mapped file is cut short while it is read. */
void takt_handle_bus_errors(void);
/* Allocate zeroed memory. */
void *takt_allocate(size_t count, size_t size_bytes);
void *takt_reallocate(void *old, size_t count, size_t size_bytes);
char *takt_copy_string(const char *text);
/* Like open_memstream(): *data and *size_bytes are set when the stream is closed. */
FILE *takt_memory_stream_open(char **data, size_t *size_bytes);
void takt_memory_stream_close(FILE *file);

/* ---- output.c: messages to standard error, results to standard output or a file ---- */

/* Both return false, for functions that report and fail. */
bool takt_say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool takt_say_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Return the noun that goes with `count` things: `one` for 1, else `many`. */
const char *takt_say_noun(uint64_t count, const char *one, const char *many);
/* Print the messages in `diag`, and clear it. */
void takt_say_diag(struct takt_diag *diag);
/* Print "note: did you mean 'a' or 'b'?", if any name is close to `wanted`. */
void takt_say_nearest(const char *wanted, const char *const *names, size_t count);

struct takt_output {
	FILE *file;
	const char *path; /* NULL: standard output */
	bool in_memory;	  /* an ordinary file; its contents are in `data` until it is closed */
	char *data;
	size_t size_bytes;
};

/*
 * Open and close the output; report errors and return false. An ordinary file is written on
 * closing, next to the old one, which it replaces only when complete: after any error the old
 * file is unchanged. A struct must not be moved between opening and closing.
 */
bool takt_output_open(const char *path, struct takt_output *ret_output);
/* Return false, reported, if a file of this name cannot be written; it is not opened. */
bool takt_output_is_possible(const char *path);
/* Report that standard output cannot be written; if it is a closed pipe, end by SIGPIPE instead. */
void takt_say_stdout_failed(int cause);
bool takt_output_close(struct takt_output *output);
/* Write a text to a file, or with `path` NULL to standard output; false, reported, if it fails. */
bool takt_output_write(const char *path, const struct takt_text *text);
/* Check at the end of the command that all output was written; false, reported, if it was not. */
bool takt_output_finish(void);
/*
 * Write a report to `path`; without a path to standard output, or, if a program `ran` that
 * standard output belongs to, to standard error.
 */
bool takt_output_report(const char *path, bool ran, const struct takt_text *text);

int takt_help_print(const struct takt_command_doc *doc);

/* ---- page.c: reports for a browser ---- */

/* Set the command line that reports show. */
void takt_page_set_command(int argc, char **argv);
/* Append a page with the command line to `text`. */
void takt_page_write(struct takt_page page, struct takt_text *text);
/* Replace the JSON in `text` by a page that shows it, with the other members of `page`. */
void takt_page_wrap(struct takt_page page, struct takt_text **text);

/* ---- regions.c: choosing and listing regions of the code ---- */

struct takt_cores;

/* The regions selected by --region and --min-instructions. */
struct takt_region_choice {
	const char *name; /* of the regions; NULL: by number */
	size_t number;	  /* from 1; 0: selected by name, or all */
	size_t least;	  /* instructions of the smallest region */
	size_t count;	  /* regions selected */
};

/*
 * Select regions by `wanted`: a name, a number, or NULL for all, and of these the ones that have
 * `least` instructions. False, reported, if none matches.
 */
bool takt_region_choose(const struct takt_code *code, const char *wanted, size_t least,
			struct takt_region_choice *ret_choice);
bool takt_region_chosen(const struct takt_code *code, const struct takt_region_choice *choice,
			size_t index);
/* Print what takt could not find in the code, as notes. */
void takt_code_notes_say(const struct takt_code *code);
/* Lists of regions: the limit on one core, or else the cycles on each of `count` cores. */
void takt_region_list_header(FILE *file, const struct takt_cores *cores);
void takt_region_list_row(FILE *file, size_t index, const struct takt_analysis *const *analyses,
			  size_t count);

/* ---- analyze_batch.c: analyses of several regions at once ---- */

struct takt_batch_item {
	size_t region;
	struct takt_analysis **analyses; /* one for each core; NULL where it failed */
	struct takt_diag **diags;	 /* one for each core */
	bool good;     /* the region was analyzed on a core at least; others cannot decode it */
	bool is_ready; /* the region is analyzed */
};

/* Regions that are being analyzed; the caller sets what stands before `items`. */
struct takt_batch {
	const struct takt_code *code;
	const struct takt_cores *cores;
	const struct takt_analysis_options *options;
	const size_t *regions;
	size_t region_count;
	struct takt_batch_item *items; /* region number i of `regions` is in item i % capacity */
	size_t capacity;
	size_t taken;	   /* regions that are analyzed, or being analyzed */
	size_t given_back; /* regions of which the results are freed */
	bool stops;
	pthread_t *threads;
	size_t thread_count;
	pthread_mutex_t lock; /* of all below `items`, but for what one thread has taken */
	pthread_cond_t ready; /* an item became ready */
	pthread_cond_t room;  /* an item became free, or work ends */
};

/* Begin to analyze, on `thread_count` threads, of which the caller's is one. */
void takt_batch_begin(struct takt_batch *batch, size_t thread_count);
/* Return the results of the first region that was not given back; there must be one. */
const struct takt_batch_item *takt_batch_next(struct takt_batch *batch);
/* Free the results that takt_batch_next() returned. */
void takt_batch_give_back(struct takt_batch *batch);
/* End the work, also if not all regions are analyzed, and free everything. */
void takt_batch_end(struct takt_batch *batch);

/* ---- code_options.c: the options that select the code to analyze ---- */

/* The numbers of these options in a command's table. */
struct takt_code_option_ids {
	unsigned function, section, range, lines, whole, raw, hex, syntax;
};

/*
 * Read these options and the operand. Report errors and return false. The caller frees the array
 * that code.lines points to, by *ret_lines.
 */
bool takt_code_options_read(const struct takt_arguments *arguments,
			    const struct takt_code_option_ids *ids,
			    struct takt_code_options *ret_code, struct takt_line_range **ret_lines);

/* ---- compile.c: source files that a compiler makes into code ---- */

struct takt_compiled {
	char *data; /* the object file's bytes */
	size_t size_bytes;
};

/*
 * Compile `source` by a command such as "gcc -O3", to which "-g -c -o OBJECT SOURCE" is added.
 * Report errors and return false. The caller frees `data`.
 */
bool takt_compile(const char *source, char *const *command, size_t word_count,
		  struct takt_compiled *ret_compiled);

/* ---- progress.c: progress of long work, and interrupting it ---- */

/* Note the next SIGINT instead of ending; a second one ends takt. */
void takt_interrupt_handle(void);
/* True if SIGINT came since takt_interrupt_handle(). */
bool takt_interrupt_came(void);
/* Show a text on a line of standard error, which the next call overwrites. Returns true. */
bool takt_progress_show(void *context, const char *text);

/* Return the seconds of a monotonic clock. */
double takt_clock_seconds(void);

struct takt_progress {
	const char *subject; /* plural, such as "loops" */
	size_t done, total;
	bool shows, shown;
	double start_seconds, next_seconds;
};

/*
 * Begin; no progress is shown if `output`, the file of the results, is a terminal: they show it.
 * NULL: no results are written meanwhile.
 */
void takt_progress_begin(struct takt_progress *progress, const char *subject, size_t total,
			 FILE *output);
/* Call before each region; returns false if the user has interrupted. */
bool takt_progress_step(struct takt_progress *progress);
/* Remove the line; report, and return false, if the user interrupted before all was done. */
bool takt_progress_end(const struct takt_progress *progress);

/* ---- trace_progress.c ---- */

/* Show a trace's progress on standard error, if that is a terminal, until _progress_end(). */
void takt_trace_progress_begin(struct takt_trace_options *options);
void takt_trace_progress_end(const struct takt_trace_options *options);

/* ---- model_learn.c ---- */

/*
 * Learn a core as the options of 'takt model' say, and append the report. False, reported, after an
 * error; *ret_misused says that the command line is wrong.
 */
bool takt_model_learn(const struct takt_arguments *arguments, struct takt_diag *diag,
		      struct takt_text *text, bool *ret_misused);

/* ---- core.c: choosing the core ---- */

/* Open the core of `--arch` (NULL: the host's) and `--model`. Report errors and return false. */
bool takt_core_open(const char *arch, const char *model_dir, struct takt_diag *diag,
		    struct takt_model **ret_model);
/* Return the core of an instruction set where none is named; NULL if there is none. */
const char *takt_core_default(const char *isa);
/* A request for takt_core_open_requested(), the callback of struct takt_trace_core. */
struct takt_core_request {
	const char *arch, *model_dir;
	struct takt_diag *diag;
	struct takt_model *model; /* NULL until opened; the owner of the request closes it */
};

/* Open the core for `isa`. `context` is a struct takt_core_request. */
const struct takt_model *takt_core_open_requested(void *context, const char *isa);
/*
 * Open the core and its code. Without `arch` the code decides: the host's core if it executes
 * the code, or else a default core that is named in a note. Errors are in `diag` or already
 * reported; the caller closes what was opened, on failure too.
 */
bool takt_core_open_code(const char *arch, const char *model_dir, struct takt_code_options *options,
			 struct takt_diag *diag, struct takt_model **ret_model,
			 struct takt_code **ret_code);

/* ---- cores.c: several cores at once ---- */

struct takt_cores {
	struct takt_model **models; /* with the parameters that were set */
	struct takt_model **plain;  /* without them; the same as in `models` if none was set */
	size_t count;
	size_t left_out; /* with "all": cores of other instruction sets */
	char *input;	 /* code from a pipe, which can be read only once */
};

/* True for "--arch=all". */
bool takt_cores_are_all(const char *arch);
/*
 * Open the core or cores of `--arch`, for blocks of bytes: "all" are the cores of the instruction
 * set `isa`. Report errors and return false. The caller closes what was opened, on failure too.
 */
bool takt_cores_open(const char *arch, const char *model_dir, const char *isa,
		     struct takt_diag *diag, struct takt_cores *ret_cores);
/*
 * The same with code, as takt_core_open_code() does for one core: "all" are the cores of the
 * code's instruction set.
 */
bool takt_cores_open_code(const char *arch, const char *model_dir,
			  struct takt_code_options *options, struct takt_diag *diag,
			  struct takt_cores *ret_cores, struct takt_code **ret_code);
/* Change parameters of all cores. Errors are in `diag`. */
bool takt_cores_set(struct takt_cores *cores, const struct takt_setting *settings,
		    size_t setting_count, struct takt_diag *diag);
void takt_cores_close(struct takt_cores *cores);

/* ---- ideal.c: what is not modelled ---- */

/*
 * Read the value of `--ideal` (NULL: not given), which must not contradict `--cache` and
 * `--branch`. Report errors and return false.
 */
bool takt_ideal_read(const char *value, bool cache, bool branch, uint64_t *ret_ideal);

/* ---- entry_values.c: register values at the entry of a loop ---- */

struct takt_entry_values {
	struct takt_register_value *items;
	size_t count;
	char *names; /* text that the items point into */
};

/* Add the values of "rdi=0x1000,rsi=64"; call it once only. Report errors and return false. */
bool takt_entry_values_read(const char *list, struct takt_entry_values *values);
void takt_entry_values_release(struct takt_entry_values *values);

/* ---- timeline.c ---- */

enum takt_timeline_format {
	TAKT_TIMELINE_TEXT,
	TAKT_TIMELINE_PERFETTO,
	TAKT_TIMELINE_KONATA,
	TAKT_TIMELINE_JSON,
};

struct takt_timeline_request {
	uint32_t iterations;		  /* 0: no timeline */
	enum takt_timeline_format format; /* other formats than TEXT replace the report */
};

/* Report errors and return false. */
bool takt_timeline_request_read(const struct takt_arguments *arguments,
				struct takt_timeline_request *ret_request);

/* ---- analyze_options.c ---- */

/* Initial contents of registers without a given value. */
enum takt_entry_initial { TAKT_ENTRY_DIFF, TAKT_ENTRY_SAME, TAKT_ENTRY_STACK };

/* The value of `--trips`: iterations of all loops (0: none given), and of those at addresses. */
struct takt_trips_list {
	uint64_t iterations;
	struct takt_loop_trips *loops;
	bool *found; /* for each loop, false at first: the caller's mark */
	size_t loop_count;
};

/* trips.c: report errors and return false. */
bool takt_trips_read(const char *list, struct takt_trips_list *ret_trips);
/* Release the list; needed after a failed takt_trips_read(), too. */
void takt_trips_release(struct takt_trips_list *trips);

struct takt_analyze_request {
	const char *arch; /* name of the core, or NULL */
	char *arch_text;  /* text that `arch` may point to */
	enum takt_entry_initial initial;
	const char *initial_option; /* the option that says it, for messages */
	struct takt_code_options code;
	struct takt_analysis_options analysis;
	struct takt_write_options write;
	struct takt_line_range *lines;		      /* owns code.lines */
	struct takt_entry_values entry;		      /* owns analysis.entry_values */
	struct takt_trips_list trips;		      /* owns paths.loops */
	struct takt_paths_options paths;	      /* those of --trips */
	struct takt_setting settings[TAKT_GIVEN_MAX]; /* parameters of the core */
	size_t setting_count;
	char *setting_texts; /* text that the settings point into */
	struct takt_timeline_request timeline;
	size_t least_instructions; /* of a region; 0: any number */
	size_t top;		   /* regions to keep of those with the most cycles; 0: all */
	size_t jobs;		   /* threads */
};

/* Replace "false" of options that are on or off by NULL, and "true" by "". */
bool takt_analyze_switches_read(struct takt_arguments *arguments);
/* Report errors and return false. */
bool takt_analyze_request_read(const struct takt_arguments *arguments,
			       struct takt_analyze_request *ret_request);
/* Apply `initial` to an instruction set's registers. Report errors and return false. */
bool takt_analyze_request_set_initial(struct takt_analyze_request *request, const char *isa);
void takt_analyze_request_release(struct takt_analyze_request *request);

/* timeline.c: append a region's timeline; false if there is none. */
bool takt_timeline_write(const struct takt_analyze_request *request, const struct takt_model *model,
			 const struct takt_code *code, size_t region_index, struct takt_diag *diag,
			 struct takt_text *text);
struct takt_page_region;
/* Append the JSON of a region's analysis with its timeline; false if there is none. */
bool takt_timeline_write_in_json(const struct takt_page_region *region, struct takt_text *text);

/* ---- analyze_page.c: analyses for a browser ---- */

struct takt_analyze_page {
	bool is_wanted; /* false: nothing else is set */
	struct takt_text *text;
	FILE *json;		   /* the command's JSON is written here */
	FILE *timelines, *figures; /* JSON arrays, of the regions in their order */
	char *json_data, *timelines_data, *figures_data;
	size_t json_bytes, timelines_bytes, figures_bytes;
	struct takt_source_place *places;
	size_t place_count;
	char **files; /* names that the places point to */
	size_t file_count;
	uint32_t region_count, insn_count; /* instructions in timelines, of all iterations */
};

/* A region to add, and what its timeline is made of. */
struct takt_page_region {
	const struct takt_analysis *analysis;
	const struct takt_analyze_request *request;
	const struct takt_model *model;
	const struct takt_code *code;
	size_t index;
	struct takt_diag *diag;
};

void takt_analyze_page_begin(struct takt_analyze_page *page);
void takt_analyze_page_add(struct takt_analyze_page *page, const struct takt_page_region *region);
/* Write the page; afterwards only release it. */
void takt_analyze_page_end(struct takt_analyze_page *page, FILE *file);
void takt_analyze_page_release(struct takt_analyze_page *page);

/* ---- commands ---- */

int takt_analyze_main(struct takt_arguments *arguments);
int takt_predict_main(struct takt_arguments *arguments);
int takt_characterize_main(struct takt_arguments *arguments);
int takt_diagnose_main(struct takt_arguments *arguments);
int takt_deps_main(struct takt_arguments *arguments);
int takt_measure_main(struct takt_arguments *arguments);
int takt_model_main(struct takt_arguments *arguments);
int takt_trace_main(struct takt_arguments *arguments);
int takt_diff_main(struct takt_arguments *arguments);
int takt_evaluate_main(struct takt_arguments *arguments);
int takt_count_main(struct takt_arguments *arguments);
int takt_bench_main(struct takt_arguments *arguments);
int takt_validate_main(struct takt_arguments *arguments);
int takt_serve_main(struct takt_arguments *arguments);

#endif
