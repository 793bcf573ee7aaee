/* SPDX-License-Identifier: MIT */
/*
 * takt: how many cycles code takes on a given core, why, and what would change it.
 *
 * This is the whole public interface. Records whose fields are written out here are open: read
 * them directly. Names with only a `struct x;` line are opaque. The library writes to no stream,
 * does not change the environment and never exits; it reports into a `struct takt_diag`. The one
 * exception is takt_set_out_of_memory_handler(). Everything is thread-safe as long as each object
 * is used by one thread at a time; an opened model may be shared by all threads.
 */
#ifndef TAKT_H
#define TAKT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_VERSION "0.1.0"

#if defined(__GNUC__)
#define TAKT_MUST_CHECK __attribute__((warn_unused_result))
#else
#define TAKT_MUST_CHECK
#endif

/* X(enumerator, text) */
#define TAKT_STATUS_LIST(X)                                                                        \
	X(TAKT_OK, "fine")                                                                         \
	X(TAKT_BAD_INPUT, "bad input; the diagnostics say where and why")                          \
	X(TAKT_NOT_FOUND, "no such core, function or region")                                      \
	X(TAKT_UNAVAILABLE, "a component this needs is not installed")

enum takt_status {
#define X(name, text) name,
	TAKT_STATUS_LIST(X)
#undef X
		TAKT_STATUS_COUNT
};

const char *takt_status_text(enum takt_status status);

/* ---- memory ----------------------------------------------------------- */

/*
 * A handler for memory exhaustion: called when the system has no memory for `size_bytes` more, in
 * any thread, and possibly in a process that the library forked. It must not return.
 */
typedef void (*takt_out_of_memory_handler)(size_t size_bytes);

/*
 * Set the handler that ends the process when there is no memory. NULL, which is also the default,
 * stands for abort() without a message. Functions of the library have no status for this case.
 * Files that the library was writing are removed before the handler is called. A handler may use
 * only functions that are safe in signal handlers, such as write() and _exit(). If it leaves by
 * longjmp(), the objects of the library that the thread was using may be neither used nor freed.
 * Sizes that come from input are checked against limits first, and are reported as ordinary errors
 * if they exceed them.
 */
void takt_set_out_of_memory_handler(takt_out_of_memory_handler handler);

/* ---- diagnostics ------------------------------------------------------ */

/* Collects messages `place: error: text` with an excerpt, a caret and notes. */
struct takt_diag;

struct takt_diag *takt_diag_new(void);
void takt_diag_free(struct takt_diag *diag);
/*
 * Return all messages so far as text to print, or "". The text belongs to `diag` and is valid until
 * the next call on it.
 */
const char *takt_diag_text(struct takt_diag *diag);
size_t takt_diag_error_count(const struct takt_diag *diag);
void takt_diag_clear(struct takt_diag *diag);

/* ---- output ----------------------------------------------------------- */

/* A growable, always NUL-terminated text buffer that results are written to. */
struct takt_text;

struct takt_text *takt_text_new(void);
void takt_text_free(struct takt_text *text);
const char *takt_text_data(const struct takt_text *text);
size_t takt_text_size_bytes(const struct takt_text *text);
void takt_text_clear(struct takt_text *text);

/*
 * Write a file completely, or leave it as it was. The data is written to a new file that then
 * replaces the old one. Only if that is impossible (devices, pipes, files with several names,
 * directories in which no file can be created) is the old file overwritten in place.
 */
TAKT_MUST_CHECK enum takt_status takt_file_write(const char *path, const void *data,
						 size_t size_bytes, struct takt_diag *diag);
/*
 * True if takt_file_write() can succeed, asked before there is data to write; if not, errno says
 * why.
 */
bool takt_file_can_write(const char *path);

/*
 * Append the names closest to `wanted` to `text`, at most `most` of them (edit distance at most a
 * third of its length, or a common prefix), best first: "'a', 'b' or 'c'". Return how many there
 * are. `names` need not be sorted.
 */
size_t takt_nearest_names(const char *wanted, const char *const *names, size_t name_count,
			  size_t most, struct takt_text *text);

/* ---- machine models --------------------------------------------------- */

/* A core and the timings of its instructions. Immutable once opened. */
struct takt_model;

/*
 * Open a core by name or alias ("SKX", "milan"). "host" and "native" mean this machine's core:
 * takt_model_recognition() then says how it was recognized; doubts are reported as a warning, and
 * the status is TAKT_OK nevertheless. `model_dir` may name a directory with cores/ and timing/
 * sub-directories whose files are read before the built-in ones; NULL: only the built-in ones. For
 * an unknown name, the nearest known names are reported.
 */
TAKT_MUST_CHECK enum takt_status takt_model_open(const char *name, const char *model_dir,
						 struct takt_diag *diag,
						 struct takt_model **ret_model);
/*
 * Open the same core with the rows of a timing file ("skl.timing", by its path) instead of its own
 * rows, or on top of them if the file names them as its `base`. The file's name must be that of the
 * core's timing.
 */
TAKT_MUST_CHECK enum takt_status takt_model_open_timing(const char *name, const char *model_dir,
							const char *timing_file,
							struct takt_diag *diag,
							struct takt_model **ret_model);
void takt_model_close(struct takt_model *model);
/* Return the canonical upper-case name, e.g. "SKX". */
const char *takt_model_name(const struct takt_model *model);
/* Return a title of one line, e.g. "Intel Skylake-SP". */
const char *takt_model_title(const struct takt_model *model);
/* Return the name of the core's instruction set: "x86-64", "aarch64", "llvm:riscv64:sifive-u74". */
const char *takt_model_isa_name(const struct takt_model *model);

/*
 * How this machine's core was recognized. CPUID's family and model name a core. If the features
 * contradict it, or no core has that family and model, the core with the nearest features is used.
 */
struct takt_recognition {
	const char *processor; /* how the processor identifies itself: "GenuineIntel family 6 model
				* 85 stepping 7 (…)" */
	const char *claimed;   /* the core with that family and model; "" if there is none */
	const char *taken;     /* the core that is used */
	const char *reason;    /* why `taken` is another core than `claimed`, as a sentence; "" if
				* it is not */
	const char *note;      /* the other fields as one sentence for reports; "" if there is no
				* doubt */
};

/*
 * Return how the core was recognized; NULL if it was opened by its own name. The model owns the
 * record.
 */
const struct takt_recognition *takt_model_recognition(const struct takt_model *model);
/*
 * Return the note of the recognition; NULL if there is none, or the core was opened by its own
 * name.
 */
const char *takt_model_doubt(const struct takt_model *model);

/* A core parameter as core files have it: "rob_entries" and "512", "yes" or "no". */
struct takt_setting {
	const char *name, *value;
};

/* Make a core that differs from `model` in these parameters. `model` must outlive it. */
TAKT_MUST_CHECK enum takt_status takt_model_set(const struct takt_model *model,
						const struct takt_setting *settings,
						size_t setting_count, struct takt_diag *diag,
						struct takt_model **ret_model);

/* The cores inside the library, in alphabetical order. */
size_t takt_model_builtin_count(void);
const char *takt_model_builtin_name(size_t index);

/* Writers of `takt model …`; each appends to `text`. `forms` is a glob, or NULL for all forms. */
void takt_model_write_list(struct takt_text *text);
/* List the processors that LLVM models, of one architecture ("riscv64") or of all (NULL). */
TAKT_MUST_CHECK enum takt_status takt_model_write_llvm_list(const char *architecture,
							    struct takt_diag *diag,
							    struct takt_text *text);
void takt_model_write_show(const struct takt_model *model, const char *forms,
			   struct takt_text *text);
/* Check the model's data. Return the number of findings. */
size_t takt_model_write_check(const struct takt_model *model, struct takt_text *text);
/* Compare two models. Return the number of differences. */
size_t takt_model_write_diff(const struct takt_model *left, const struct takt_model *right,
			     const char *forms, struct takt_text *text);

/*
 * Convert machine data of another project to a timing file in takt's format, written to `text`.
 * `source` is "uops.info:FILE.xml", "osaca:FILE.yml" or "llvm:CPU"; `model` is the core whose ports
 * the rows use (for uops.info it also selects the architecture in the file). A comment at the end
 * says how many entries have no counterpart.
 */
TAKT_MUST_CHECK enum takt_status takt_model_import(const struct takt_model *model,
						   const char *source, struct takt_diag *diag,
						   struct takt_text *text);

/* ---- code ------------------------------------------------------------- */

enum takt_input_format {
	TAKT_INPUT_AUTO, /* ELF if the file starts with its magic number, otherwise assembly text */
	TAKT_INPUT_ELF,
	TAKT_INPUT_ASSEMBLY,
	TAKT_INPUT_RAW, /* machine code bytes */
	TAKT_INPUT_HEX, /* machine code as hexadecimal digits */
};

enum takt_syntax { TAKT_SYNTAX_AUTO, TAKT_SYNTAX_ATT, TAKT_SYNTAX_INTEL };

struct takt_line_range {
	uint32_t first, last; /* 1-based, inclusive */
};

/* The code to load, and the part of it to use. Zero-initialise, then set what is needed. */
struct takt_code_options {
	const char *path; /* file; "-" reads standard input */
	const void *data; /* instead of a file: bytes in memory, which must outlive the
			   * takt_code; `path` is then a label for messages, or NULL */
	size_t data_size_bytes;
	enum takt_input_format format;
	/*
	 * Name of the instruction set, as from takt_model_isa_name(). NULL: an ELF file names its
	 * own, text is guessed to be x86-64 or AArch64, and bytes are x86-64.
	 */
	const char *isa;
	enum takt_syntax syntax;	     /* syntax of x86-64 assembly text */
	const char *function;		     /* load only this function */
	const char *section;		     /* load only this section, e.g. ".text" */
	uint64_t range_begin, range_end;     /* load only [begin, end), if end > begin */
	const struct takt_line_range *lines; /* load only these source lines */
	size_t line_count;
	bool whole; /* take the whole selection as one block; do not look for
		     * loops */
};

enum takt_region_origin {
	TAKT_REGION_MARKER, /* a region between IACA's byte markers, or OSACA's or llvm-mca's
			     * comments */
	TAKT_REGION_LINES,
	TAKT_REGION_RANGE,
	TAKT_REGION_LOOP, /* an innermost loop that takt found */
	TAKT_REGION_WHOLE,
};

/* A piece of straight-line code to analyze. Owned by the takt_code. */
struct takt_region {
	const char *name;     /* marker name, or "function+0x1c" */
	const char *function; /* enclosing symbol or "" */
	const char *isa;      /* name of the instruction set */
	enum takt_region_origin origin;
	const uint8_t *bytes;
	size_t size_bytes;
	uint64_t address;	    /* address of the first byte: virtual address, section offset or
				     * 0 */
	uint32_t internal_branches; /* conditional branches inside the region, assumed to be not
				     * taken */
	uint32_t calls;		    /* number of calls inside the region */
};

struct takt_code;

/*
 * Load code and find its regions. Assembly text may come from anywhere: LLVM's assembler crashes,
 * hangs or reads files if the text wants it to, so it runs in a process of its own (takt-assembler,
 * beside the modules), which can reach no file and has limits of time and memory. That process is a
 * child of the caller's and waits for more text until the caller ends; each thread that assembles
 * has its own. Errors in the text, including those that LLVM dies of, are TAKT_BAD_INPUT with a
 * message at the line.
 */
TAKT_MUST_CHECK enum takt_status takt_code_open(const struct takt_code_options *options,
						struct takt_diag *diag,
						struct takt_code **ret_code);
/*
 * Start the assembler process if `path` or `data` is text of the instruction set `options->isa`.
 * This is optional: the process then starts up while the caller does something else, such as
 * opening a model. Nothing is reported.
 */
void takt_code_prepare(const struct takt_code_options *options);
void takt_code_close(struct takt_code *code);
size_t takt_code_region_count(const struct takt_code *code);
const struct takt_region *takt_code_region(const struct takt_code *code, size_t index);
/*
 * Notes on parts of the code that takt could not find, and why: loops, if a function is too large
 * to be searched completely, and source lines, if the debug information is damaged. They are
 * sentences for the user and belong to the code. Notes about lines appear once takt_analyze() has
 * asked for lines; its record repeats all notes among its own.
 */
size_t takt_code_note_count(const struct takt_code *code);
const char *takt_code_note(const struct takt_code *code, size_t index);

/* ---- analysis --------------------------------------------------------- */

enum takt_mode {
	TAKT_MODE_AUTO, /* loop if the region ends in a branch back to its start, else unroll */
	TAKT_MODE_LOOP,
	TAKT_MODE_UNROLL, /* copies of the block follow each other, without a final branch */
};

/* The set of relaxations (struct takt_relaxation) that is simulated. */
enum takt_sensitivity {
	TAKT_SENSITIVITY_SHORT, /* the most promising ones, within a budget */
	TAKT_SENSITIVITY_FULL,	/* all of them */
	TAKT_SENSITIVITY_NONE,
};

/* The value of a register. */
struct takt_register_value {
	const char *name; /* "rax", "xmm3", "mxcsr" */
	uint64_t value;	  /* value of each 64-bit lane */
};

struct takt_analysis_options {
	enum takt_mode mode;
	bool bounds_only;	 /* no simulation: the headline is the largest bound */
	uint32_t alignment;	 /* 1 + the block's offset in a 64-byte line; 0: as its address
				  * says */
	bool all_alignments;	 /* simulate all 64 offsets and fill aligned_cycles */
	uint32_t iterations_max; /* iterations after which the search for a steady state ends; 0:
				  * the default */
	enum takt_sensitivity sensitivity;
	/*
	 * Source iterations per execution of the block, for unrolled loops; 0 means 1. Only the
	 * headline is divided by it: all other figures are per block execution, and the writers
	 * show both.
	 */
	double unroll_factor;
	bool fixed; /* split µops equally over their ports instead of optimally */
	bool no_memory_dependences;
	bool memory_streams; /* fill memory_streams and page_aliases of the record */
	/*
	 * Values of general registers on entry of the loop, if known. All other registers are
	 * assumed to be unrelated to each other.
	 */
	const struct takt_register_value *entry_values;
	size_t entry_value_count;
	enum takt_syntax print_syntax; /* syntax of x86-64 instruction texts; AUTO means Intel */
};

/* Origins of figures; reports show the word beside a figure. X(enumerator, word, text) */
#define TAKT_ORIGIN_LIST(X)                                                                        \
	X(TAKT_ORIGIN_NONE, "none", "no figure")                                                   \
	X(TAKT_ORIGIN_MEASURED, "measured", "measured by takt, where the source says")             \
	X(TAKT_ORIGIN_PUBLISHED, "published", "published measurement")                             \
	X(TAKT_ORIGIN_VENDOR, "vendor", "vendor documentation")                                    \
	X(TAKT_ORIGIN_MODEL, "model", "a compiler's scheduling model")                             \
	X(TAKT_ORIGIN_INFERRED, "inferred", "composed from other forms")                           \
	X(TAKT_ORIGIN_SIMULATED, "simulated", "simulated")                                         \
	X(TAKT_ORIGIN_ESTIMATED, "estimated", "class default or estimate")

enum takt_origin {
#define X(name, word, text) name,
	TAKT_ORIGIN_LIST(X)
#undef X
		TAKT_ORIGIN_COUNT
};

const char *takt_origin_word(enum takt_origin origin);

#define TAKT_PORTS_MAX 32

/* One instruction of the analysed block. Cycles are per block execution. */
struct takt_analysis_insn {
	uint64_t address;
	uint8_t length_bytes;
	uint32_t line;	  /* source line; 0: unknown */
	const char *file; /* source file; NULL: unknown */
	const char *text; /* the user's own line if the input is text and the line has at
			   * most 200 bytes, else the disassembly */
	const char *form;
	const char *note;      /* "fused with next", "zero idiom", … or "" */
	uint16_t uops;	       /* µops on ports; the second instruction of a fused pair has those
				* of both */
	uint16_t slots;	       /* issue slots; 0 if fused with the instruction before */
	double latency_cycles; /* largest latency of all operand pairs that occur, including the
				* load's */
	double lcd_cycles;     /* its part of loop_carried_cycles; 0 if it is not on the worst
				* recurrence */
	double cp_cycles;      /* its part of the critical path */
	double wait_cycles;    /* its part of simulated_cycles */
	bool on_loop_carried, on_critical_path;
	double port_cycles[TAKT_PORTS_MAX];
	enum takt_origin origin;
	bool unknown; /* true if the default of its class is used */
};

struct takt_bounds {
	double ports_cycles;	    /* exact optimum of all assignments of µops to ports */
	double fixed_ports_cycles;  /* with µops split equally, as in the tables of the OSACA
				     * paper */
	double front_end_cycles;    /* bound of the slowest part before rename */
	const char *front_end_part; /* that slowest part: "predecoder", "decoders", "op cache",
				     * … */
	double issue_cycles;
	double loop_carried_cycles; /* maximum cycle ratio of the dependence graph; 0 without a
				     * recurrence */
	double critical_path_cycles;
	/*
	 * The critical path as published tables define it: each result waits for all operands read.
	 */
	double instruction_path_cycles;
};

/* One recurrence: a closed chain of dependences. Its latencies add up to cycles × iterations. */
struct takt_cycle {
	double cycles_per_iteration; /* per block execution */
	uint32_t iterations;	     /* iterations that the recurrence spans */
	const char *location;	 /* location that carries it to the next iteration: "rax", "ymm0",
				  * "memory" */
	const uint32_t *members; /* instruction indices in order */
	const double *latencies_cycles; /* latency of each member */
	uint32_t member_count;
};

/* A dependence: `to` waits for `from`. */
struct takt_dependence {
	uint32_t from, to;     /* instruction indices */
	uint32_t iterations;   /* distance in iterations: 0 or 1; any number through memory */
	const char *location;  /* register, flag or "memory" */
	double latency_cycles; /* latency of `to` from this operand */
	bool on_loop_carried, on_critical_path;
};

/* A dependence through memory: the load reads what the store wrote. */
struct takt_memory_dependence {
	uint32_t from, to;   /* instruction indices: store, load */
	uint32_t iterations; /* distance in iterations */
	double latency_cycles;
	/*
	 * "contained": can be forwarded; "wider": the load reads more than the store wrote;
	 * "split": the load reads from several stores.
	 */
	const char *overlap;
	const char *from_address, *to_address; /* "[rdi+8*rcx+16]" */
};

/* The change of a memory operand's address from iteration to iteration. */
struct takt_memory_stream {
	uint32_t insn;
	const char *address; /* "[rdi+8*rcx+16]" */
	uint32_t size_bytes;
	bool loads, stores;
	bool known;   /* true if integer instructions alone compute the address; if
		       * not, all fields below are 0 */
	bool strided; /* true if each iteration adds the same distance, stride_bytes */
	int64_t stride_bytes;
	uint32_t alignment_bytes; /* power of two up to 64 such that each address is offset_bytes
				   * above a multiple of it; 1: unknown */
	uint32_t offset_bytes;
	double line_crossing_share; /* share of iterations in which it crosses a 64-byte line; NaN
				     * if that depends on the registers at entry */
};

/* A load that may wait for an earlier store to another address with the same low 12 bits. */
struct takt_page_alias {
	uint32_t from, to;   /* instruction indices: store, load */
	uint32_t iterations; /* distance in iterations */
	const char *from_address, *to_address;
};

/* One stall cause: what simulated cycles are lost to. */
struct takt_wait {
	const char *cause; /* "port", "latency", "reorder buffer", … */
	const char *text;  /* "a port that others use" */
	const char *port;  /* name of the port, or "" */
	double cycles;
	const uint32_t *insns;	   /* indices of the instructions that the cycles are lost to, most
				    * cycles first */
	const double *insn_cycles; /* cycles lost to each of them */
	uint32_t insn_count;
};

/*
 * What the simulation says if one thing were better and all else the same. Cycles are per block
 * execution, and never more than the analysis's own.
 */
struct takt_relaxation {
	const char *what;   /* "one more port like p5" */
	const char *advice; /* change to the code that may have the same effect, or "" */
	double cycles;
	const uint32_t *insns; /* indices of the instructions concerned, the most important
				* first */
	uint32_t insn_count;
};

struct takt_analysis {
	const char *arch, *arch_title;
	const char *arch_doubt; /* why the core may be another one, as from takt_model_doubt();
				 * or NULL */
	const char *isa;	/* "x86-64", "aarch64", "llvm:…" */
	const char *region_name;
	enum takt_mode mode; /* the mode used: LOOP or UNROLL */
	double unroll_factor;
	double cycles_per_iteration; /* the headline, per source iteration: simulated or, with
				      * bounds_only, the largest bound except the critical path */
	const char *limit;	     /* "ports", "issue", "loop-carried dependence", … */
	struct takt_bounds bounds;   /* per block execution, as all figures below */
	bool fixed;		     /* port_cycles and the headline assume that µops are split
				      * equally */
	uint32_t issue_slots, issue_width;
	double simulated_cycles;   /* NaN with bounds_only */
	uint32_t simulated_period; /* iterations after which the steady state repeats; 0: none was
				    * found, and the cycles are a mean */
	uint32_t alignment_bytes;  /* offset of the block in a 64-byte line */
	const struct takt_wait *waits; /* worst first; their cycles sum to simulated_cycles */
	uint32_t wait_count;
	const double *aligned_cycles; /* cycles at each of the 64 offsets in a line; NULL unless
				       * asked for */
	const struct takt_relaxation *relaxations; /* fewest cycles first */
	uint32_t relaxation_count;
	bool relaxations_complete; /* false: only the most promising were simulated */
	uint32_t port_count;
	const char *port_names[TAKT_PORTS_MAX];
	bool port_pseudo[TAKT_PORTS_MAX];
	double port_cycles[TAKT_PORTS_MAX];
	const struct takt_analysis_insn *insns;
	uint32_t insn_count;
	const struct takt_cycle *cycles; /* recurrences within 5 % of the worst, worst first */
	uint32_t cycle_count;
	bool cycles_truncated;
	const struct takt_dependence *dependences; /* sorted by `to`, then by `from` */
	uint32_t dependence_count;
	const struct takt_memory_dependence *memory_dependences;
	uint32_t memory_dependence_count;
	const struct takt_memory_stream *memory_streams; /* filled only if asked for */
	uint32_t memory_stream_count;
	const struct takt_page_alias *page_aliases;
	uint32_t page_alias_count;
	const char *const *bottlenecks; /* sentences, most important first */
	uint32_t bottleneck_count;
	const char *const *notes;
	uint32_t note_count;
};

TAKT_MUST_CHECK enum takt_status takt_analyze(const struct takt_model *model,
					      const struct takt_code *code, size_t region_index,
					      const struct takt_analysis_options *options,
					      struct takt_diag *diag,
					      struct takt_analysis **ret_analysis);
void takt_analysis_free(struct takt_analysis *analysis);

/* ---- timeline --------------------------------------------------------- */

/* The simulated pipeline in the first iterations. Times are in cycles, from 0 on. */

#define TAKT_NO_PORT 255
#define TAKT_NO_INDEX UINT32_MAX

struct takt_timeline_uop {
	const char *kind;    /* "compute", "load", "store address", "store data", "merge" */
	uint32_t slot;	     /* index into the timeline's slots */
	uint8_t port, unit;  /* indices into the analysis's port_names, or TAKT_NO_PORT */
	uint32_t ready;	     /* cycle in which the operands are ready and the µop is in the
			      * scheduler */
	uint32_t dispatched; /* cycle in which it goes to its port */
	uint32_t done;
	uint32_t source;      /* index of the µop whose value it waited for; TAKT_NO_INDEX:
			       * none */
	const char *location; /* location of that value: "rax", "ymm0", "flags", "memory" */
	uint32_t store;	      /* of a load: index of the µop of the store whose value it waits
			       * for; TAKT_NO_INDEX: none */
};

/* An issue slot of an instruction, or one that rename inserts before it. */
struct takt_timeline_slot {
	uint32_t insn; /* index into the analysis's insns */
	uint32_t iteration;
	uint32_t first_uop, uop_count;
	uint32_t queued, renamed, done, retired;
	bool inserted;
};

struct takt_timeline_cycle {
	const char *stop;      /* why rename accepted no more µops */
	const char *front_end; /* why the front end delivered no more µops */
};

struct takt_timeline {
	const struct takt_analysis *analysis; /* names, instructions and bounds; without simulated
					       * figures */
	uint32_t iterations; /* complete iterations; fewer than requested if they are too
			      * long */
	bool is_part;	     /* the instructions are part of a program's run, with earlier ones
			      * still in flight */
	const struct takt_timeline_slot *slots; /* in program order, as are the µops */
	uint32_t slot_count;
	const struct takt_timeline_uop *uops;
	uint32_t uop_count;
	const struct takt_timeline_cycle *cycles;
	uint32_t cycle_count;
};

TAKT_MUST_CHECK enum takt_status
takt_timeline_new(const struct takt_model *model, const struct takt_code *code, size_t region_index,
		  const struct takt_analysis_options *options, uint32_t iterations,
		  struct takt_diag *diag, struct takt_timeline **ret_timeline);
void takt_timeline_free(struct takt_timeline *timeline);

/* Methods of computing cycles. X(enumerator, word) */
#define TAKT_ENGINE_LIST(X)                                                                        \
	X(TAKT_ENGINE_BOUNDS, "bounds") /* the largest bound: ports, front end, loop-carried */    \
	X(TAKT_ENGINE_SIM, "sim")	/* simulation of the pipeline, cycle by cycle */

enum takt_engine {
#define X(name, word) name,
	TAKT_ENGINE_LIST(X)
#undef X
		TAKT_ENGINE_COUNT
};

/*
 * Parts of the simulator that can be switched off, to see what each contributes. X(enumerator,
 * word)
 */
#define TAKT_WITHOUT_LIST(X)                                                                       \
	X(TAKT_WITHOUT_FRONT_END, "front-end") /* it delivers all that rename accepts */           \
	X(TAKT_WITHOUT_PORT_RULE, "port-rule") /* a µop's port is chosen when it executes */      \
	X(TAKT_WITHOUT_FUSION, "fusion")       /* neither micro- nor macro-fusion */               \
	X(TAKT_WITHOUT_MOVES, "moves")	       /* no move is eliminated */                         \
	X(TAKT_WITHOUT_MEMORY, "memory")       /* loads do not wait for stores */

enum takt_without {
#define X(name, word) name,
	TAKT_WITHOUT_LIST(X)
#undef X
		TAKT_WITHOUT_COUNT
};

/* Zero-initialise, then set what is needed. */
struct takt_predictor_options {
	uint32_t without; /* bit 1 << w for each enum takt_without w; for SIM */
	enum takt_mode mode;
	enum takt_engine engine;
	bool no_memory_dependences;
	uint32_t alignment_bytes; /* offset of the block's start in a 64-byte line; for SIM */
	/*
	 * For SIM: distance of all pointers in registers from the middle of a line; wraps around.
	 */
	uint32_t pointer_shift_bytes;
};

/*
 * A predictor of the cycles per iteration of single blocks of machine code, without a record: the
 * fast path of `takt predict`. It reuses its memory from block to block.
 */
struct takt_predictor;

struct takt_predictor *takt_predictor_new(const struct takt_model *model,
					  const struct takt_predictor_options *options);
void takt_predictor_free(struct takt_predictor *predictor);
/* Predict one block. Returns TAKT_BAD_INPUT, without a message, for bytes that do not decode. */
TAKT_MUST_CHECK enum takt_status takt_predict(struct takt_predictor *predictor,
					      const uint8_t *bytes, size_t size_bytes,
					      double *ret_cycles);

/* ---- measurement on this machine -------------------------------------- */

/*
 * Measurement of the same code on the processor of this machine. Measured code runs in a child
 * process that can do nothing but run it: no system calls, no descriptors, no memory of the caller,
 * limited time.
 */

/* Outcome of a measurement: X(enumerator, word in the CSV, text) */
#define TAKT_MEASURE_LIST(X)                                                                       \
	X(TAKT_MEASURE_OK, "ok", "measured")                                                       \
	X(TAKT_MEASURE_UNSTABLE, "unstable", "rounds do not agree")                                \
	X(TAKT_MEASURE_DISTURBED, "disturbed", "the machine was too busy each time")               \
	X(TAKT_MEASURE_DENORMAL, "denormal", "denormal numbers came up, which may need assists")   \
	X(TAKT_MEASURE_UNDECODABLE, "undecodable", "not machine code")                             \
	X(TAKT_MEASURE_CONTROL, "control", "transfers control")                                    \
	X(TAKT_MEASURE_PRIVILEGED, "privileged", "not allowed in user mode, or in a measurement")  \
	X(TAKT_MEASURE_UNSUPPORTED, "unsupported", "this processor lacks an instruction")          \
	X(TAKT_MEASURE_FAULT, "fault", "a fault that mapping a page does not cure")                \
	X(TAKT_MEASURE_CROSSING, "crossing", "an access crosses a line or a page")                 \
	X(TAKT_MEASURE_TIMEOUT, "timeout", "took longer than the time limit")                      \
	X(TAKT_MEASURE_ESCAPED, "escaped",                                                         \
	  "left its code, tried a system call, or reported times that cannot be")                  \
	X(TAKT_MEASURE_TOO_LARGE, "too-large", "too many bytes to copy often enough")

enum takt_measure_status {
#define X(name, word, text) name,
	TAKT_MEASURE_LIST(X)
#undef X
		TAKT_MEASURE_STATUS_COUNT
};

const char *takt_measure_status_word(enum takt_measure_status status);
const char *takt_measure_status_text(enum takt_measure_status status);

/* Methods of measuring cycles, which reports name. X(enumerator, word) */
#define TAKT_CLOCK_LIST(X)                                                                         \
	X(TAKT_CLOCK_AUTO, "auto")	       /* the best one available */                        \
	X(TAKT_CLOCK_PERF_RDPMC, "perf-rdpmc") /* core cycles by perf_event, read in user space */ \
	X(TAKT_CLOCK_PERF_READ, "perf-read")   /* core cycles by perf_event, read by read(2) */    \
	X(TAKT_CLOCK_ADD_CHAIN, "add-chain") /* TSC or generic timer, compared with an interleaved \
					      * chain of additions of one cycle each */

enum takt_clock {
#define X(name, word) name,
	TAKT_CLOCK_LIST(X)
#undef X
		TAKT_CLOCK_COUNT
};

const char *takt_clock_word(enum takt_clock clock);

/* Contents of general and vector registers and of memory before each run. */
enum takt_initial {
	TAKT_INITIAL_DIFF,   /* pointers to different lines; memory holds small positive doubles */
	TAKT_INITIAL_SAME,   /* one constant everywhere, as in BHive: different pointers alias */
	TAKT_INITIAL_RANDOM, /* random contents, from `seed` */
};

/* Zero-initialise, then set what is needed. */
struct takt_measure_options {
	enum takt_mode mode; /* UNROLL (also for AUTO), or LOOP: the block in a dec/jnz loop */
	enum takt_clock clock;
	enum takt_initial initial;
	uint64_t seed;
	const struct takt_register_value *registers;
	size_t register_count;
	uint32_t alignment_bytes; /* offset of the code in a 64-byte line */
	uint32_t rounds;	  /* rounds that must agree; 0: 9 */
	uint32_t batches;	  /* least number of batches of rounds, with a pause before each; 0:
				   * 3 */
	double tolerance;	  /* relative difference at which rounds still agree; 0: 0.01 */
	double time_limit_seconds; /* seconds for each block; 0: 2 */
	bool reject_line_crossing, reject_page_crossing;
	bool keep_denormals; /* leave FTZ and DAZ off; then denormal numbers are not an
			      * error */
	uint32_t cpu;	     /* 1 + the CPU to run on; 0: the current one */
};

/*
 * What happened to floating-point values while a block ran. If its iterations feed each other,
 * values may leave the range of normal numbers. X(enumerator, word, text)
 */
#define TAKT_MEASURE_VALUE_LIST(X)                                                                 \
	X(TAKT_MEASURE_VALUE_DENORMAL, "denormal",                                                 \
	  "became denormal numbers; the processor may have needed assists for them")               \
	X(TAKT_MEASURE_VALUE_FLUSHED, "flushed",                                                   \
	  "became so small that they were taken for zero; a divider may be faster for them")       \
	X(TAKT_MEASURE_VALUE_INFINITE, "infinite",                                                 \
	  "became infinite; a divider may be faster for them")                                     \
	X(TAKT_MEASURE_VALUE_INVALID, "invalid",                                                   \
	  "became no numbers, or did not fit an integer; a divider may be faster for them")        \
	X(TAKT_MEASURE_VALUE_X87_STACK, "x87-stack",                                               \
	  "ran over the x87 stack, or were missing from it; the processor may have needed "        \
	  "assists")

enum takt_measure_value {
#define X(name, word, text) name,
	TAKT_MEASURE_VALUE_LIST(X)
#undef X
		TAKT_MEASURE_VALUE_COUNT
};

const char *takt_measure_value_word(enum takt_measure_value value);
/* Return the end of a sentence whose subject is "values". */
const char *takt_measure_value_text(enum takt_measure_value value);

struct takt_measurement {
	enum takt_measure_status status;
	const char *reason; /* details in one line, or ""; valid until the next measurement of
			     * this bench */
	/*
	 * Per iteration: median of the rounds that agree. NaN unless the status is ok, denormal,
	 * unstable or disturbed (then the best estimate).
	 */
	double cycles;
	double spread;		   /* interquartile range of the rounds / cycles */
	uint32_t rounds, rejected; /* rounds used; rounds discarded because other load disturbed
				    * them */
	uint32_t copies[2];	   /* copies of the block in the two runs of a round */
	uint32_t pages;		   /* pages mapped on a fault */
	uint32_t line_crossings;   /* line-crossing accesses of one iteration; filled if
				    * reject_line_crossing was set */
	uint32_t values;	   /* bit 1 << v for each enum takt_measure_value v that occurred */
};

/*
 * A calibrated sandbox, with a new child process for each block. Only one thread may use it at a
 * time.
 */
struct takt_bench;

/*
 * Open a sandbox. TAKT_UNAVAILABLE if this host cannot measure (other instruction set, no such
 * clock, sandbox refused).
 */
TAKT_MUST_CHECK enum takt_status takt_bench_open(const struct takt_measure_options *options,
						 struct takt_diag *diag,
						 struct takt_bench **ret_bench);
void takt_bench_close(struct takt_bench *bench);
enum takt_clock takt_bench_clock(const struct takt_bench *bench);
/* Return the processor: "Intel(R) Xeon(R) Processor, family 6 model 207 stepping 2". */
const char *takt_bench_cpu(const struct takt_bench *bench);
/*
 * Measure one block. `ret_measurement` is always filled; the block can neither harm nor end the
 * caller.
 */
void takt_measure(struct takt_bench *bench, const uint8_t *bytes, size_t size_bytes,
		  struct takt_measurement *ret_measurement);

/* Memory that an argument of a called function points to. */
struct takt_call_buffer {
	size_t size_bytes; /* 0: the argument is a number */
	uint64_t fill;	   /* value of each eight bytes before the first call */
};

/* A function in an ELF object or shared library, called with up to six integer arguments. */
struct takt_call {
	const char *path, *function;
	const uint64_t *arguments;
	const struct takt_call_buffer *buffers; /* one for each argument; NULL: all arguments are
						 * numbers */
	size_t argument_count;
	double iterations; /* units of work in one call, to divide by; 0: 1 */
	bool is_library;   /* true if the file is a shared library, whose constructors may
			    * run */
};

/*
 * Measure a function: cycles per call / iterations. Errors of loading and relocating are reported
 * to `diag`. Unlike a block, the function runs in a fork of the caller: it can see the caller's
 * memory, but has no way to pass it on. A process that is already locked in loads the file. The
 * file's type is read from its contents, not from its name. A shared library is loaded only if
 * `is_library` is set; its constructors and those of the libraries it needs can then open files for
 * reading, but can neither write nor send anything.
 */
TAKT_MUST_CHECK enum takt_status takt_measure_call(struct takt_bench *bench,
						   const struct takt_call *call,
						   struct takt_diag *diag,
						   struct takt_measurement *ret_measurement);

/* ---- traces: whole programs ------------------------------------------- */

/* The core that executes the program, and how much of it is simulated. */
struct takt_trace_core {
	/*
	 * Called once the program's instruction set is known: "x86-64", "aarch64" or "riscv64".
	 * Returns the core, which the caller keeps, or NULL to give up.
	 */
	const struct takt_model *(*model)(void *context, const char *isa);
	void *context;
	bool cache;		 /* simulate caches; false: every access hits the first cache */
	bool branch;		 /* simulate branch prediction; false: every branch is predicted
				  * correctly */
	bool sample;		 /* simulate only samples, and report the confidence interval */
	uint64_t seed;		 /* selects the samples */
	uint32_t syscall_cycles; /* cycles of each system call; 0: 300 */
	/*
	 * Simulate every piece of the program again. By default, the effect of a piece on the core
	 * is remembered and reused when the same piece meets the core in the same state, which
	 * changes no cycle count. Samples are always simulated without this memo.
	 */
	bool no_memo;
	uint32_t memo_check; /* one of this many remembered pieces is simulated nevertheless
			      * and compared; 0: 1000 */
};

/* A range of one thread's instructions, counted from its start. */
struct takt_trace_window {
	uint32_t thread, count;
	uint64_t from;
};

/* Progress of a run or a replay. */
struct takt_trace_progress {
	double seconds;	    /* seconds since it began */
	double share;	    /* share of the log that was read; negative: unknown, since it is
			     * a run */
	double first_share; /* share at which it began: above 0 after a checkpoint */
	uint64_t insns, first_insns; /* instructions so far, and when it began */
};

struct takt_trace_options {
	const struct takt_trace_core *core; /* NULL: nothing is timed */
	bool blocks_only; /* trace no memory accesses: faster, and loads and stores are
			   * 0 */
	bool check;	  /* let qemu count the instructions one by one as well; slow */
	/*
	 * File to write a log of the run to; NULL: none. "-" is standard output: the program's
	 * standard output then is the caller's standard error.
	 */
	const char *log_path;
	bool profile; /* fill totals.profile: cycles and instructions by place in the
		       * program */
	/*
	 * Read symbols and lines only from files with this name, which is faster; NULL: from all
	 * files.
	 */
	const char *named_file;
	/*
	 * Regions to be summed separately, each "WHAT" or "NAME=WHAT": a function's symbol, an
	 * address range "0xSTART-0xEND", or "markers" for the code between IACA's byte markers.
	 */
	const char *const *regions;
	uint32_t region_count;
	/*
	 * The program gets the signal whose number is stored here, perhaps by a signal handler.
	 * NULL if not wanted. Waiting ends with any signal that the caller handles. A replay ends
	 * at the signal and sets totals.stopped_by.
	 */
	volatile int *signal;
	/* Environment of the program, "NAME=VALUE", ended by NULL; NULL: that of this process. */
	char *const *variables;
	/*
	 * For replays: the file that keeps their state. It is written every 30 s (or every
	 * checkpoint_insns instructions, if that is not 0) and before a signal ends the replay. If
	 * the file exists, the replay is resumed from it; at the end it is removed. NULL: none.
	 */
	const char *checkpoint_path;
	uint64_t checkpoint_insns;
	/*
	 * Instructions to record in totals.timeline, at most 4096; only if all is simulated. NULL:
	 * none.
	 */
	const struct takt_trace_window *window;
	/* Called five times a second with the progress; NULL: not called. */
	void (*progress)(void *context, const struct takt_trace_progress *progress);
	void *progress_context;
};

/*
 * Number of categories that a program's cycles are divided into: "retiring", "front end", "branch",
 * "ports", "dependences", "memory", "system". docs/commands/trace.md explains each.
 */
#define TAKT_TRACE_LOSSES 7u

const char *takt_trace_loss_name(uint32_t loss);
/* Return a signal's name: "SIGSEGV"; "signal 70" for one without a name. */
const char *takt_signal_name(int signal);

/* Counts of one thread, or of all. */
struct takt_trace_counts {
	uint64_t insns;	      /* completed instructions; a string instruction with rep counts
			       * once */
	uint64_t repeats;     /* elements of string instructions beyond the first, and their
			       * final check of the count */
	uint64_t interrupted; /* instructions that began and faulted; not included in
			       * `insns` */
	uint64_t blocks;      /* blocks executed, except those that only repeat a string
			       * instruction */
	uint64_t loads, load_bytes, stores, store_bytes; /* an access to a vector counts once */
	uint64_t taken, not_taken;			 /* conditional branches */
	uint64_t syscalls;
	/* On a core; 0 without one. */
	uint64_t uops, cycles;
	uint64_t losses[TAKT_TRACE_LOSSES]; /* cycles by category; they add up to `cycles` */
};

/*
 * Cost of a part of the program. A cycle in which nothing retires is charged to the oldest
 * instruction that has not retired; instructions that retire in the same cycle share it. All 0
 * without a core.
 */
struct takt_trace_weight {
	uint64_t insns; /* completed instructions */
	uint64_t cycles;
	uint64_t losses[TAKT_TRACE_LOSSES]; /* cycles by category; they add up to `cycles` except
					     * for rounding */
};

/* A function that ran. Sorted by name and file, those without a name last. */
struct takt_trace_function {
	const char *name;    /* demangled; "FILE+0x1234" for one without symbol */
	const char *symbol;  /* symbol as in the file; NULL: none */
	const char *file;    /* the executable or library; NULL: code generated at run time */
	uint64_t address;    /* address at which it first ran */
	uint64_t size_bytes; /* 0: unknown */
	uint64_t calls;	     /* number of times it was entered, by calls and by jumps to its
			      * start */
	struct takt_trace_weight self;
	uint64_t total_insns, total_cycles; /* including all functions that it called */
};

/* A basic block that ran. Sorted by function, offset and size. Blocks may overlap. */
struct takt_trace_block {
	uint64_t address;
	uint64_t offset;   /* offset in the function; the address if there is no function */
	uint32_t function; /* index of the function */
	uint32_t insn_count, size_bytes;
	const uint8_t *bytes;
	uint64_t executions; /* a repeating string instruction counts once */
	struct takt_trace_weight weight;
};

/* An edge: block `to` followed block `from` in the same call of a function. Sorted by both. */
struct takt_trace_edge {
	uint32_t from, to; /* indices of blocks */
	uint64_t count;
};

/* A source line. Sorted by file and number. The lines of a block share the block's cycles. */
struct takt_trace_line {
	const char *file;
	uint32_t line;
	struct takt_trace_weight weight;
};

/* A loop in a function, without the functions it calls. Sorted by function and offset. */
struct takt_trace_loop {
	uint32_t function;	  /* index of the function */
	uint32_t depth;		  /* nesting depth; 1: inside no other loop */
	uint64_t address, offset; /* of its first instruction: address, and offset in the
				   * function */
	const char *file;	  /* source file; NULL: unknown */
	uint32_t line;
	uint64_t entries;		 /* number of times the loop was entered from outside */
	uint64_t iterations;		 /* number of times the first instruction ran */
	struct takt_trace_weight weight; /* including the loops inside it */
};

/*
 * A region, including all functions called inside it. In the order of the options; markers last, in
 * the order in which they first ran.
 */
struct takt_trace_region {
	const char *name;
	uint64_t entries; /* of a function's symbol: recursive calls count too */
	struct takt_trace_weight weight;
};

/* A node of the call tree: a function as called from one particular stack of callers. */
struct takt_trace_node {
	uint32_t parent;	/* index of the caller's node, less than its own; node 0 is the
				 * root */
	const char *name;	/* name of the function; "(other)": all beyond the nodes that are
				 * kept apart */
	uint64_t insns, cycles; /* without the functions it calls */
};

struct takt_trace_profile {
	const struct takt_trace_function *functions;
	const struct takt_trace_block *blocks;
	const struct takt_trace_edge *edges; /* empty in a result that was read from a file */
	const struct takt_trace_line *lines;
	const struct takt_trace_loop *loops;
	const struct takt_trace_region *regions;
	const struct takt_trace_node *nodes;
	uint32_t function_count, block_count, edge_count;
	uint32_t line_count, loop_count, region_count, node_count;
	struct takt_trace_weight no_line; /* cost of code whose source line is unknown */
};

/* Counts of the models of caches and TLBs, summed over all threads. */
struct takt_trace_caches {
	uint64_t accesses[3];	 /* accesses by kind: fetches of lines, loads, stores */
	uint64_t misses[3][3];	 /* misses by kind of access, in L1, L2 and L3 */
	uint64_t write_backs[3]; /* lines written back from each level */
	uint64_t lines_past;	 /* lines written to memory by non-temporal stores */
	uint64_t prefetches, useful_prefetches;
	uint64_t tlb_misses[3]; /* translations that miss the first level, by kind: fetches,
				 * loads, stores */
	uint64_t page_walks[3]; /* translations that miss both levels, by kind */
};

/* Kinds of branch: conditional branches, jumps, calls, indirect jumps, indirect calls, returns. */
#define TAKT_TRACE_BRANCHES 6u

struct takt_trace_branches {
	uint64_t executed[TAKT_TRACE_BRANCHES], missed[TAKT_TRACE_BRANCHES];
	uint64_t late; /* branches predicted correctly, but too late */
};

/* The part of the program that was simulated, and the uncertainty that follows. */
struct takt_trace_sample {
	double half_width_cycles; /* half width of the 95 % confidence interval of all cycles */
	uint64_t units;		  /* sampling units that were measured */
	uint64_t simulated_insns;
};

/* Work that was reused from the memo instead of simulated. */
struct takt_trace_memo {
	uint64_t insns;
	uint64_t pieces, hits;	 /* pieces of the program; those of them that were found in the
				  * memo */
	uint64_t checked, wrong; /* hits that were checked; those that differed, which is an error
				  * in takt: cycles may be off */
};

/* The instruction at which SIGILL ended a program. */
struct takt_trace_fault {
	const char *insn;      /* text of the instruction; NULL: takt cannot decode it */
	const char *extension; /* extension that it belongs to: "avx512f_512"; NULL: unknown */
	const char *bytes;     /* its bytes in hexadecimal, as far as they are known */
	const char *place;     /* location: "work+0x12, work.c:34 (program+0x1162)" */
	uint64_t address;
	bool lacking; /* true: the emulator lacks an instruction that processors have;
		       * false: no processor executes it, or takt does not know it */
};

struct takt_trace_totals {
	/*
	 * What makes figures comparable: the program and its arguments, in the order of the command
	 * line; the version of takt that computed the figures; a digest of the core's data. NULL or
	 * 0: unknown, as in results and logs of older versions.
	 */
	const char *const *command;
	uint32_t command_count;
	const char *version;
	uint64_t core_digest;
	const char *guest; /* "x86-64", "aarch64" or "riscv64" */
	bool blocks_only;
	struct takt_trace_counts all;
	const struct takt_trace_counts *threads; /* in the order of their creation */
	uint32_t thread_count;
	uint64_t distinct_blocks; /* number of different blocks executed, by address and bytes */
	int exit_status;	  /* exit status of the program; -1 if a signal ended it */
	int signal;		  /* signal that ended the program, or 0 */
	const struct takt_trace_fault *fault; /* the faulting instruction, after SIGILL; NULL:
					       * unknown */
	bool became_other;	/* true if the program called exec: what the new program did is
				 * not counted */
	uint32_t processes;	/* processes that the program and its children created: they are
				 * not followed, and nothing they did is counted */
	int stopped_by;		/* signal that ended the replay, so that all figures cover only a
				 * part; 0: none */
	uint64_t checked_insns; /* instructions begun, as counted by qemu: insns + repeats +
				 * interrupted; 0 unless asked for */
	const char *core;	/* the core that was simulated; NULL: none, and cycles are 0 */
	/* Path and cause of the first file whose names could not be read, though it exists; NULL:
	 * none. */
	const char *unread_path, *unread_cause;
	const char *core_doubt; /* why the core may be another one, as from takt_model_doubt();
				 * or NULL */
	const struct takt_trace_caches *caches;	    /* NULL: caches were not simulated */
	const struct takt_trace_branches *branches; /* NULL: branch prediction was not simulated */
	const struct takt_trace_sample *sample;	    /* NULL: everything was simulated */
	const struct takt_trace_memo *memo;	    /* NULL: no memo was used */
	/*
	 * Timed instructions that takt cannot decode, which are timed as nops; and those that have
	 * no row in the core's timing file, which are timed as the default of their class.
	 */
	uint64_t unknown_insns, default_insns;
	/*
	 * RISC-V: timed vector instructions whose LMUL and SEW are unknown because vsetvl read them
	 * from a register. They take as long as LLVM says for unknown LMUL and SEW.
	 */
	uint64_t unsettled_insns;
	uint32_t syscall_cycles; /* cycles charged for each system call */
	const char *settings;	 /* options that affect the cycles, such as "--cache"; or "" */
	double clock_ghz;	 /* clock of the core, to convert cycles to time; 0: unknown */
	const struct takt_trace_profile *profile; /* NULL: not asked for */
	uint64_t left_out; /* of an import: instructions, or runs between branches, whose
			    * code is in no binary */
	struct takt_timeline *timeline; /* NULL: not asked for, or the run ended before the
					 * window */
};

/*
 * Run `argv[0]`, found in PATH as by a shell, with the arguments that follow it, ended by NULL,
 * under qemu's user mode, and count what it does. It has the caller's standard streams; it gets
 * signals as it would without takt, with SIGINT, SIGQUIT and SIGPIPE at their defaults. What
 * children made by fork do is not counted.
 */
TAKT_MUST_CHECK enum takt_status takt_trace_run(char *const *argv,
						const struct takt_trace_options *options,
						struct takt_diag *diag,
						struct takt_trace_totals **ret_totals);
enum takt_trace_kind {
	TAKT_TRACE_AUTO,    /* detect the kind from the content */
	TAKT_TRACE_LOG,	    /* a log that takt wrote */
	TAKT_TRACE_LISTING, /* assembly text */
	TAKT_TRACE_HEX,	    /* bytes of instructions, one instruction per line */
	TAKT_TRACE_LACKEY,  /* output of valgrind --tool=lackey --trace-mem=yes */
	TAKT_TRACE_PERF,    /* output of perf script -F brstack */
};

struct takt_trace_import_options {
	enum takt_trace_kind kind;
	const char *isa;	     /* instruction set of listings and bytes; NULL: that of a
				      * binary, or x86-64 */
	enum takt_syntax syntax;     /* syntax of x86-64 listings */
	const char *const *binaries; /* ELF files of the program: "FILE" or "FILE@HEX_ADDRESS" */
	size_t binary_count;
};

/*
 * Compute the same totals from a log, or from another tool's record of a run (docs/formats.md,
 * "Traces of others"). `path` "-" is standard input. Either of the options may be NULL.
 */
TAKT_MUST_CHECK enum takt_status takt_trace_import(const char *path,
						   const struct takt_trace_options *options,
						   const struct takt_trace_import_options *others,
						   struct takt_diag *diag,
						   struct takt_trace_totals **ret_totals);

void takt_trace_totals_free(struct takt_trace_totals *totals);
/*
 * Append how a signal killed the program, as part of a sentence: "killed by SIGILL at work+0x12
 * (program+0x1162): …"; nothing if no signal did.
 */
void takt_trace_write_killed(const struct takt_trace_totals *totals, struct takt_text *text);
/*
 * Append which parts of the program the figures lack, one sentence per line; nothing if they lack
 * none.
 */
void takt_trace_write_missing(const struct takt_trace_totals *totals, struct takt_text *text);

/*
 * Read totals from a file that takt_write_trace_json() wrote: of the profile, only functions and
 * blocks. Close them by takt_trace_result_close().
 */
TAKT_MUST_CHECK enum takt_status takt_trace_result_open(const char *path, struct takt_diag *diag,
							struct takt_trace_totals **ret_totals);
void takt_trace_result_close(struct takt_trace_totals *totals);
/*
 * True if the file looks like a result; false if it cannot be read. True for "-", standard input.
 */
bool takt_trace_is_result(const char *path);

/* ---- what changed from one trace to another ---------------------------- */

/* Figures that a comparison is made of. X(enumerator, word) */
#define TAKT_DIFF_BY_LIST(X)                                                                       \
	X(TAKT_DIFF_CYCLES, "cycles")                                                              \
	X(TAKT_DIFF_INSNS, "instructions")

enum takt_diff_by {
#define X(name, word) name,
	TAKT_DIFF_BY_LIST(X)
#undef X
		TAKT_DIFF_BY_COUNT
};

/* Reasons other than the program's code that make two traces differ. X(enumerator, word) */
#define TAKT_DIFFERENCE_LIST(X)                                                                    \
	X(TAKT_DIFFERS_ISA, "isa")                                                                 \
	X(TAKT_DIFFERS_PROGRAM, "program")                                                         \
	X(TAKT_DIFFERS_ARGUMENTS, "arguments")                                                     \
	X(TAKT_DIFFERS_CORE, "core")                                                               \
	X(TAKT_DIFFERS_OPTIONS, "options")                                                         \
	X(TAKT_DIFFERS_VERSION, "version")                                                         \
	X(TAKT_DIFFERS_KILLED, "killed")                                                           \
	X(TAKT_DIFFERS_STATUS, "status")                                                           \
	X(TAKT_DIFFERS_PARTIAL, "partial")

enum takt_difference {
#define X(name, word) name,
	TAKT_DIFFERENCE_LIST(X)
#undef X
		TAKT_DIFFERENCE_COUNT
};

const char *takt_difference_word(enum takt_difference difference);
/*
 * True if two traces differ in this; a part of a sentence that names the difference is then
 * appended to `text`. What one of them does not know counts as equal: takt_diff_not_known() appends
 * what that is.
 */
bool takt_diff_differs(const struct takt_trace_totals *before,
		       const struct takt_trace_totals *after, enum takt_diff_by by,
		       enum takt_difference difference, struct takt_text *text);
bool takt_diff_not_known(const struct takt_trace_totals *totals, enum takt_diff_by by,
			 struct takt_text *text);

/*
 * Blocks at the same place of a function before and after: either one block with equal code, or all
 * blocks between two such.
 */
struct takt_diff_part {
	bool same; /* true if the code is equal except for addresses in it */
	const struct takt_trace_block *const *before, *const *after;
	uint32_t before_count, after_count;
	struct takt_trace_weight before_weight, after_weight;
};

/*
 * A function of either trace. Functions are matched by name and file, else by name, else by name
 * without GCC's suffixes.
 */
struct takt_diff_function {
	const struct takt_trace_function *before, *after; /* NULL: it did not run, or does not
							   * exist */
	const struct takt_diff_part *parts; /* the parts that changed, largest change first */
	uint32_t part_count;
};

struct takt_diff {
	const struct takt_trace_totals *before, *after;
	enum takt_diff_by by; /* what is compared; INSNS if the traces have no cycles */
	/*
	 * Half width of the 95 % confidence interval of the change in cycles, if either trace is a
	 * sample; else 0.
	 */
	double half_width_cycles;
	const struct takt_diff_function *functions; /* the functions that changed, largest change
						     * first */
	uint32_t function_count;
};

/* Compare two traces, which must outlive the result. Fails if only one of them has cycles. */
TAKT_MUST_CHECK enum takt_status takt_diff_new(const struct takt_trace_totals *before,
					       const struct takt_trace_totals *after,
					       enum takt_diff_by by, struct takt_diag *diag,
					       struct takt_diff **ret_diff);
void takt_diff_free(struct takt_diff *diff);
/* Return the figure that is compared: cycles or instructions. */
uint64_t takt_diff_figure(const struct takt_diff *diff, const struct takt_trace_weight *weight);
uint64_t takt_diff_total(const struct takt_diff *diff, const struct takt_trace_totals *totals);

/* ---- events: what a program did, counted -------------------------------- */

/* Origins of a figure; for a metric, the union of its events' origins. */
enum takt_count_origin {
	TAKT_COUNTED = 1 << 0,	/* each one was seen */
	TAKT_MODELLED = 1 << 1, /* taken from a model of caches or branch prediction */
	TAKT_TIMED = 1 << 2,	/* measured by a clock */
};

enum takt_count_backend { TAKT_COUNT_PMU, TAKT_COUNT_EMULATE };

struct takt_count_result;

/* Zero-initialise, then set what is needed. */
struct takt_count_options {
	enum takt_count_backend backend;
	const char *const *groups; /* names of metric groups or of events; at least one */
	uint32_t group_count;
	const char *group_dir; /* directory of the user's groups; NULL: the built-in ones */
	const struct takt_model *model; /* selects the caches to model, and the family of groups */
	/*
	 * If `model` is NULL: called with the instruction set when a core is needed, as in struct
	 * takt_trace_core. NULL: no core.
	 */
	const struct takt_model *(*open_model)(void *context, const char *isa);
	void *model_context;
	const char *log_path;	 /* emulate: a log of `takt trace` to read instead of running a
				  * program; or NULL */
	bool timed;		 /* emulate: run the program once more, natively, to measure its
				  * time */
	const char *cpus;	 /* "0,2-3": pin threads to these CPUs, in this order; pmu with
				  * `per_cpu`: count on these CPUs */
	bool per_cpu;		 /* pmu: count on CPUs, whatever runs there, instead of in the
				  * program */
	int attach_pid;		 /* pmu: process to attach to; 0: run a program */
	double interval_seconds; /* length of each interval of the timeline; 0: no timeline */
	/* Called after each interval with what was counted in it. */
	void (*timeline)(void *context, const struct takt_count_result *result);
	void *timeline_context;
	volatile int *signal;	/* as in struct takt_trace_options */
	char *const *variables; /* the program's environment, as in struct takt_trace_options */
};

struct takt_count_event {
	const char *name, *unit;
	const char *description;
	uint32_t origins; /* bits of enum takt_count_origin */
};

struct takt_count_metric {
	const char *group, *name, *unit;
	const char *formula;
	uint32_t origins;
};

/* Counts of a thread (or CPU), in total or in one region. */
struct takt_count_part {
	const char *region;    /* NULL: the total */
	uint32_t thread;       /* number of the thread, in order of creation; with `per_cpu`,
				* the CPU */
	uint64_t entries;      /* number of times the region was entered */
	double seconds;	       /* NaN if no clock was read, as under emulation */
	const double *events;  /* by index of the event; NaN: not counted */
	const double *shares;  /* share of the time in which each event was counted; below 1 it
				* was multiplexed, and its figure is scaled up */
	const double *metrics; /* by index of the metric, in its unit; NaN: unknown */
};

struct takt_count_result {
	const char *backend; /* "pmu", "emulate" */
	const char *core;    /* core whose caches are modelled or whose counters are read;
			      * NULL: none */
	const char *family;  /* family of the groups */
	const struct takt_count_event *events;
	const struct takt_count_metric *metrics;
	/* First the totals of all threads, then the parts of each region, by thread. */
	const struct takt_count_part *parts;
	/*
	 * Sums over all threads: first of the totals, then of each region. Metrics are computed
	 * from summed events.
	 */
	const struct takt_count_part *sums;
	uint32_t event_count, metric_count, part_count, sum_count, thread_count;
	const char *const *notes; /* what a reader has to know: multiplexing, what is missing */
	uint32_t note_count;
	bool per_cpu;		 /* true: parts are CPUs, not threads */
	double seconds;		 /* time that the program ran; NaN: unknown */
	int exit_status, signal; /* of the program, as in takt_trace_totals */
};

/*
 * Run `argv` (or attach) and count. TAKT_UNAVAILABLE, with a message that says what would work, if
 * there are no counters.
 */
TAKT_MUST_CHECK enum takt_status takt_count(char *const *argv,
					    const struct takt_count_options *options,
					    struct takt_diag *diag,
					    struct takt_count_result **ret_result);
void takt_count_result_free(struct takt_count_result *result);

enum takt_count_format { TAKT_COUNT_TEXT, TAKT_COUNT_CSV, TAKT_COUNT_JSON };

void takt_write_count(const struct takt_count_result *result, enum takt_count_format format,
		      struct takt_text *text);
/*
 * List the groups of a family (NULL: of all), with events and formulas if `name` is one of the
 * groups.
 */
TAKT_MUST_CHECK enum takt_status takt_count_list(const char *family, const char *name,
						 const char *group_dir, struct takt_diag *diag,
						 struct takt_text *text);
/*
 * Check that all groups can be read, that their events exist, and that their formulas have the
 * units of their metrics. Appends how many there are.
 */
TAKT_MUST_CHECK enum takt_status takt_count_check(const char *group_dir, struct takt_diag *diag,
						  struct takt_text *text);

/* ---- kernels with known counts: is what counts true, what are the machine's limits ---- */

enum takt_ceiling_kind {
	TAKT_CEILING_BANDWIDTH = 1 << 0, /* of each level of caches: bytes that the program reads
					  * and writes */
	TAKT_CEILING_FLOPS = 1 << 1,
	TAKT_CEILING_LATENCY = 1 << 2,	/* of a load in each level, by pointer chasing */
	TAKT_CEILING_TRANSFER = 1 << 3, /* of a line from one processor to another */
};

/* Zero-initialise, then set what is needed. */
struct takt_ceiling_options {
	uint32_t kinds;	      /* bits of enum takt_ceiling_kind; 0: all */
	const char *levels;   /* "L1,MEM"; NULL: all */
	const char *kernels;  /* kernels for bandwidth: "load,triad", or variants of them,
			       * like "triad_avx_fma"; NULL: the default ones */
	const char *threads;  /* numbers of threads, "1,2,8"; NULL: 1 and the number of
			       * processors */
	uint32_t rounds;      /* rounds of each measurement, undisturbed if possible; 0: 7;
			       * at most 64 */
	double round_seconds; /* least duration of a round; 0: 1 ms */
	/*
	 * Called before each measurement with its name; returning false ends the whole run. NULL if
	 * not wanted.
	 */
	bool (*progress)(void *context, const char *what);
	void *context;
};

/* A measured limit of the machine. */
struct takt_ceiling {
	enum takt_ceiling_kind kind;
	const char *kernel; /* the kernel with its variant: "triad_avx512_fma" */
	const char *level;  /* level of the data: "L1" … "MEM"; "" if it has no data */
	const char *pages;  /* kind of pages obtained: "huge", "mixed" or "small"; or "" */
	const char *cpus;   /* CPUs that the threads ran on: "0 1" */
	uint32_t threads;
	uint64_t size_bytes;	    /* size of all data of all threads */
	double value;		    /* figure of the best undisturbed round */
	const char *unit;	    /* "GB/s", "GFLOP/s", "ns" */
	double per_cycle;	    /* figure of one thread: bytes or operations per cycle, or
				     * cycles */
	double median;		    /* median of the undisturbed rounds */
	double traffic;		    /* bytes that caches move, write-allocates included, per byte
				     * that the program reads or writes; 1 for L1 */
	uint32_t rounds, disturbed; /* `disturbed` were disturbed by other load; if all were, the
				     * value is theirs */
};

struct takt_ceilings {
	const char *cpu;
	const struct takt_ceiling *items;
	uint32_t count;
	const char *const *notes; /* what a reader has to know */
	uint32_t note_count;
};

/* Measure the limits of this machine, which takes minutes at most. */
TAKT_MUST_CHECK enum takt_status takt_ceilings_measure(const struct takt_ceiling_options *options,
						       struct takt_diag *diag,
						       struct takt_ceilings **ret_ceilings);
/* Read limits from a CSV file that takt_write_ceilings() wrote. */
TAKT_MUST_CHECK enum takt_status takt_ceilings_read(const char *path, struct takt_diag *diag,
						    struct takt_ceilings **ret_ceilings);
void takt_ceilings_free(struct takt_ceilings *ceilings);
void takt_write_ceilings(const struct takt_ceilings *ceilings, enum takt_count_format format,
			 struct takt_text *text);

enum takt_verdict {
	TAKT_EXACT,	/* no error at all */
	TAKT_GOOD,	/* errors up to 2 %, 1 % on average */
	TAKT_BIASED,	/* larger errors, but within 5 % of their average */
	TAKT_ORDERED,	/* errors of any size, but larger true counts give larger counts */
	TAKT_UNTRUSTED, /* do not use it */
	TAKT_UNTESTED,	/* no kernel causes any of these events */
	TAKT_VERDICT_COUNT
};

const char *takt_verdict_word(enum takt_verdict verdict);

/* Zero-initialise, then set what is needed. */
struct takt_validation_options {
	enum takt_count_backend backend;
	/*
	 * emulate: selects the instruction set and the caches to model; NULL: this machine's
	 * instruction set, and no caches.
	 */
	const struct takt_model *model;
	char *const *argv;   /* pmu: run this program under both backends instead of the
			      * kernels; or NULL */
	const char *kernels; /* "triad_avx_fma,ddot": these; "small": one variant of each;
			      * NULL: all that can run */
	const char *levels;  /* "L1,MEM"; "": none; NULL: all */
	/* Called before each run; returning false ends the validation. NULL if not wanted. */
	bool (*progress)(void *context, const char *what);
	void *context;
};

/* Result for one event: all cases with data in one level. */
struct takt_trust_row {
	const char *event;
	const char *level;	     /* level of the data; "" if that does not matter */
	uint32_t cases, nonzero;     /* all cases; those in which the expected count is not 0 */
	double average, least, most; /* error: (counted - expected) / expected */
	const char *worst;	     /* kernel with the largest error; "" if there is none */
	double order;		     /* Spearman's rank correlation of counted and known rates; NaN:
				      * none */
	enum takt_verdict verdict;
};

/* One event's count in one run. */
struct takt_trust_case {
	const char *event, *kernel, *level;
	uint32_t thread;
	double expected, counted;
	double scale; /* the error is relative to this */
};

struct takt_trust {
	const char *backend, *core, *isa; /* core: "" if there is none */
	const struct takt_trust_row *rows;
	const struct takt_trust_case *cases; /* not stored in files */
	uint32_t row_count, case_count;
	const char *const *notes;
	uint32_t note_count;
};

/* Run kernels with known counts as programs, and compare the counts. */
TAKT_MUST_CHECK enum takt_status takt_validate(const struct takt_validation_options *options,
					       struct takt_diag *diag,
					       struct takt_trust **ret_trust);
/* Read a trust table from a CSV file that takt_write_trust() wrote. */
TAKT_MUST_CHECK enum takt_status takt_trust_read(const char *path, struct takt_diag *diag,
						 struct takt_trust **ret_trust);
void takt_trust_free(struct takt_trust *trust);
/* Return the worst verdict on an event; TAKT_UNTESTED if it is not in the table. */
enum takt_verdict takt_trust_verdict(const struct takt_trust *trust, const char *event);
/* Write a trust table; with `cases`, text and JSON contain each case. */
void takt_write_trust(const struct takt_trust *trust, enum takt_count_format format, bool cases,
		      struct takt_text *text);
/*
 * Write the events of the groups of a family of cores ("zen4"), and what the kernels expect of
 * each.
 */
TAKT_MUST_CHECK enum takt_status takt_write_meanings(const char *family, struct takt_diag *diag,
						     struct takt_text *text);
/* List all kernels, with what each does. */
void takt_write_kernels(const char *isa, struct takt_text *text);
/*
 * Write a kernel as a program of its own: `isa` "x86-64", `name` "triad_avx", bytes of each stream,
 * and number of repetitions.
 */
TAKT_MUST_CHECK enum takt_status takt_kernel_write(const char *isa, const char *name,
						   uint64_t stream_bytes, uint64_t repeats,
						   const char *path, struct takt_diag *diag);

/* ---- diagnosis: which performance patterns a program shows ------------- */

/* AUTO: PMU if there are counters and the machine can run the program, else EMULATE. */
enum takt_diagnose_backend {
	TAKT_DIAGNOSE_EMULATE,
	TAKT_DIAGNOSE_PMU,
	TAKT_DIAGNOSE_AUTO,
};

/* Zero-initialise, then set what is needed. */
struct takt_diagnose_options {
	enum takt_diagnose_backend backend;
	/*
	 * As in struct takt_trace_core: the core whose caches, predictor and pipeline are modelled.
	 */
	const struct takt_model *(*model)(void *context, const char *isa);
	void *context;
	const char *threads; /* "1,2,4": run it with these numbers of threads; NULL: run it as
			      * it is */
	/*
	 * Environment variable that sets the number of threads; NULL: "OMP_NUM_THREADS".
	 * "{threads}" in the arguments is replaced by the number, too.
	 */
	const char *threads_variable;
	const char *const *thresholds; /* "NAME=VALUE": replaces a default threshold */
	uint32_t threshold_count;
	double memory_gbs; /* memory bandwidth of all cores together, in GB/s; 0: unknown */
	/*
	 * Events that this table does not trust are no evidence. NULL: all are trusted. A table of
	 * another backend or instruction set is bad input.
	 */
	const struct takt_trust *trust;
	uint32_t numa_nodes;  /* NUMA nodes that threads are spread over in blocks; 0: as many
			       * as this machine has */
	bool no_timing;	      /* do not also run the program natively */
	uint32_t rounds;      /* rounds of each timed run; 0: 3 */
	bool sample;	      /* simulate only samples */
	bool all_figures;     /* include the figures of signatures that do not hold */
	volatile int *signal; /* as in struct takt_trace_options */
};

/* A figure that supports a pattern or speaks against it. */
struct takt_evidence {
	const char *what, *unit;
	double value;
	uint32_t origins;      /* bits of enum takt_count_origin */
	const char *threshold; /* name of the threshold; NULL: the figure decides nothing */
	double limit;
	bool below;		/* true: figures below the limit support the pattern; false:
				 * figures from the limit on */
	const char *reference;	/* what the figure is compared with; "" if nothing */
	const char *events;	/* events it is computed from, separated by blanks; "": none that
				 * is validated */
	double error;		/* largest relative error of those events in the trust table;
				 * NaN: unknown */
	const char *distrusted; /* one of the events that is not trusted, so that the figure
				 * decides nothing; NULL: none */
};

enum takt_pattern_state { TAKT_PATTERN_CLEAR, TAKT_PATTERN_FOUND, TAKT_PATTERN_UNSEEN };

/* A pattern at a place, or of the whole program. */
struct takt_finding {
	const char *pattern; /* "false-sharing" */
	const char *title;
	bool holds;	   /* false only if all figures were asked for, or if it is
			    * doubted */
	bool doubted;	   /* the only evidence against it is from events that are not
			    * trusted */
	const char *place; /* "function, file:line"; "": the whole program */
	double share;	   /* share of the modelled cycles of the program; NaN: unknown */
	const struct takt_evidence *evidence;
	uint32_t evidence_count;
	const char *const *details; /* source lines, variables */
	uint32_t detail_count;
	const char *suggestion;
};

/* The verdict on one pattern. The record has all patterns, whether found or not. */
struct takt_pattern {
	const char *pattern, *title;
	enum takt_pattern_state verdict;
	const char *unseen;	/* what this run cannot show of the pattern; "" if nothing */
	const char *distrusted; /* the verdict is UNSEEN because this event is not trusted; NULL:
				 * for no such reason */
};

/*
 * What takt_analyze() says of the hot path through a loop, taken alone: all data in the first
 * cache, all branches predicted correctly. Cycles are per iteration.
 */
struct takt_loop_figures {
	uint64_t iterations; /* number of times that an iteration began */
	double run_cycles;   /* cycles in the run, with misses and mispredicted branches;
			      * modelled */
	double way_share;    /* share of the loop's instructions that are on the hot path */
	uint32_t calls;	     /* calls on the hot path, which are left out of the analysis */
	double cycles;	     /* simulated */
	double ports_cycles, front_end_cycles, issue_cycles, carried_cycles; /* bounds */
	const char *limit;	/* as in struct takt_analysis */
	const char *bottleneck; /* the most important sentence of it; "" if there is none */
	const char *relaxed;	/* the most effective relaxation: "one more port like p5"; or
				 * "" */
	const char *advice;	/* change to the code that may have the same effect, or "" */
	double relaxed_cycles;	/* cycles with that relaxation; NaN: none helps */
};

/* A loop without its inner loops, or the part of a function outside all loops. */
struct takt_place_figures {
	const char *place;
	double share; /* share of the program's cycles */
	uint64_t insns, cycles;
	uint64_t losses[TAKT_TRACE_LOSSES]; /* cycles by category */
	uint64_t misses[3];		    /* misses of its accesses, in each level of caches */
	double line_use; /* share of the bytes of each fetched line that are accessed;
			  * NaN: no lines */
	uint64_t float_insns, float_operations, scalar_operations;
	const struct takt_loop_figures *loop; /* NULL: it is not a loop, or was not analyzed */
};

/* The program run natively on this machine. */
struct takt_timed_run {
	uint32_t threads;      /* number of threads asked for; 0: none */
	double seconds;	       /* time of the shortest round */
	double cpu_seconds;    /* CPU time of all its threads in that round */
	uint32_t most_threads; /* largest number of threads that existed at once */
};

struct takt_diagnosis {
	const char *backend;		    /* "emulate", "pmu" */
	const char *program, *guest, *core; /* core: "" if the counters' core is unknown */
	uint64_t insns, cycles; /* of all threads; modelled cycles, or counted ones with pmu */
	uint32_t thread_count;
	/*
	 * Shares of the distinct lines of all threads: those in pages that another thread was the
	 * first to write, and those in pages of which the first writer is unknown. NaN: one thread.
	 */
	double foreign_lines, unplaced_lines;
	const struct takt_finding *findings; /* most cycles first */
	const struct takt_pattern *patterns;
	const struct takt_place_figures *places; /* the places that were examined, most cycles
						  * first */
	const struct takt_timed_run *runs;
	const char *const *notes; /* what a reader has to know */
	uint32_t finding_count, pattern_count, place_count, run_count, note_count;
	int exit_status, signal; /* of the program, as in takt_trace_totals */
	const char *killed;	 /* text of takt_trace_write_killed(); "" if no signal killed
				  * it */
};

TAKT_MUST_CHECK enum takt_status takt_diagnose(char *const *argv,
					       const struct takt_diagnose_options *options,
					       struct takt_diag *diag,
					       struct takt_diagnosis **ret_diagnosis);
void takt_diagnosis_free(struct takt_diagnosis *diagnosis);
void takt_write_diagnosis(const struct takt_diagnosis *diagnosis, enum takt_count_format format,
			  struct takt_text *text);
/*
 * True if numbers of threads and thresholds are valid; errors are reported. takt_diagnose() checks
 * them as well.
 */
TAKT_MUST_CHECK enum takt_status
takt_diagnose_options_check(const struct takt_diagnose_options *options, struct takt_diag *diag);
/* Write all thresholds: name, default value, meaning. */
void takt_write_thresholds(struct takt_text *text);

/* ---- instructions: what they cost, found by experiments ---------------- */

struct takt_lab_progress {
	const char *subject;	    /* kind of the current pass over the forms: "forms", "plain
				     * forms' ports" */
	size_t done, failed, total; /* forms of the pass, including those done in an earlier run */
	double seconds_left;	    /* NaN: not known yet */
	const char *form;	    /* the last form done */
};

/* Zero-initialise, then set what is needed. */
struct takt_lab_options {
	const char *machine;   /* "host", or "sim:CORE": the simulator plays that core */
	const char *model_dir; /* directory of the core's files, as for takt_model_open() */
	bool time_only;	       /* sim: do not count µops by port */
	/*
	 * If µops are not counted, first find out which instructions compete for ports, by some
	 * thousands of experiments.
	 */
	bool classes;
	const char *classes_from; /* results of a survey that has found the classes; NULL: find
				   * them */
	double noise;		  /* sim: times are longer by up to this fraction, at random */
	uint64_t seed;		  /* seed of the noise */
	/*
	 * Called after each form of a survey and, while classes are being found, after each form
	 * that may belong to one; returning false ends the run. NULL: none.
	 */
	bool (*progress)(void *context, const struct takt_lab_progress *progress);
	void *context;
};

/*
 * A machine ready for experiments, and what is known of it so far. Only one thread may use it at a
 * time.
 */
struct takt_lab;

TAKT_MUST_CHECK enum takt_status takt_lab_open(const struct takt_lab_options *options,
					       struct takt_diag *diag, struct takt_lab **ret_lab);
void takt_lab_close(struct takt_lab *lab);
/* The forms in scope that the machine can run. */
size_t takt_lab_form_count(const struct takt_lab *lab);
const char *takt_lab_form(const struct takt_lab *lab, size_t index);

/*
 * Latency from the operand `source` to the operand `destination`: between `least` and `most`
 * cycles.
 */
struct takt_pair_latency {
	const char *source, *destination; /* operands as in timing files: "2", "2b", "f", "rax" */
	double least, most;
};

/*
 * How an instruction behaves with particular registers, values or neighbours, if that differs from
 * its usual behaviour. `figure` is in cycles or a fraction of 1, depending on `kind`;
 * docs/formats.md lists them.
 */
struct takt_variant {
	const char *kind;     /* "zero_idiom" */
	const char *title;    /* the kind in words */
	const char *detail;   /* the operands concerned, such as "2>1"; "" for all */
	double figure, other; /* the figure, and the one it is compared with; NaN: none */
	const char *other_title;
};

/* Measured properties of a form. Owns all it points to. */
struct takt_characterization {
	const char *form, *machine;
	double throughput_cycles; /* of one instance among independent ones */
	double chain_cycles;	  /* of one instance in a chain of instances on the same
				   * registers */
	double uops;		  /* µops on ports; NaN if the machine does not count */
	/*
	 * µops by ports: "1*p01+1*p23"; without counters "1*{imul r32, r32, i32}": one µop with the
	 * same ports as that instruction; "" if unknown.
	 */
	const char *ports;
	double ports_cycles;	 /* throughput if nothing but ports limited it; NaN if unknown */
	bool ports_certain;	 /* all µops are accounted for */
	const char *ports_doubt; /* what contradicts `ports`; "" if certain or unknown */
	const struct takt_pair_latency *latencies;
	size_t latency_count;
	const struct takt_variant *variants;
	size_t variant_count;
	bool variants_complete;	 /* false: some variants are missing because the machine was too
				  * busy */
	const char *experiments; /* all experiments with code and figure; "" unless asked for */
	uint64_t experiment_count;
	uint64_t variant_experiment_count; /* number of those experiments that were made for
					    * variants */
};

/*
 * Characterize one form, written as in timing files ("add r64, m64") or as one instruction of
 * assembly text. With `explain`, `experiments` is filled.
 */
TAKT_MUST_CHECK enum takt_status takt_characterize(struct takt_lab *lab, const char *form,
						   bool explain, struct takt_diag *diag,
						   struct takt_characterization **ret_result);
void takt_characterization_free(struct takt_characterization *result);

struct takt_survey_options {
	const char *path;  /* SQLite database of the results; created if missing */
	const char *forms; /* "vadd*": only matching forms; NULL: all */
	size_t step;	   /* take every `step`-th form; 0: all */
};

/*
 * Characterize all forms that the database does not have yet. Each form is stored as soon as it is
 * finished, so a survey that was killed can be resumed.
 */
TAKT_MUST_CHECK enum takt_status takt_survey(struct takt_lab *lab,
					     const struct takt_survey_options *options,
					     struct takt_diag *diag);

enum takt_survey_format {
	TAKT_SURVEY_REPORT, /* number of forms, failures with reasons, differences from the model */
	TAKT_SURVEY_CSV,
	TAKT_SURVEY_XML,    /* in the format of uops.info's instructions.xml */
	TAKT_SURVEY_TIMING, /* a timing file on top of the model's own */
};

/* Append the results of a survey. `model` is the core's; it may be NULL for CSV. */
TAKT_MUST_CHECK enum takt_status takt_survey_write(const char *path, enum takt_survey_format format,
						   const struct takt_model *model,
						   struct takt_diag *diag, struct takt_text *text);

/*
 * Append how far the results of two surveys agree, such as those of a core and of the simulator
 * playing that core: shares that agree, differences by subject, and forms that only one of them
 * has. Both paths are databases of takt_survey().
 */
TAKT_MUST_CHECK enum takt_status takt_survey_compare(const char *path, const char *reference,
						     struct takt_diag *diag,
						     struct takt_text *text);

/* ---- predictors against measurement, on whole kernels ------------------- */

/* Zero-initialise, then set what is needed. */
struct takt_evaluation_options {
	const char *directory;	     /* directory of all results; each phase is resumed where it
				      * stopped */
	const char *kernels;	     /* directory of the kernels' sources; needed only to build */
	bool small;		     /* build one benchmark of each kernel */
	uint32_t shard, shard_count; /* do only part `shard`, from 1 on, of this many; 0: all */
	const char *predictor;	     /* name of the only predictor to run; NULL: all that are
				      * installed */
	bool again;		     /* repeat predictions that exist, as after a change of a
				      * model */
	/* Called for each benchmark with a line on what was done; NULL if not wanted. */
	void (*progress)(void *context, const char *line);
	void *context;
};

struct takt_evaluation;

TAKT_MUST_CHECK enum takt_status takt_evaluation_open(const struct takt_evaluation_options *options,
						      struct takt_diag *diag,
						      struct takt_evaluation **ret_evaluation);
void takt_evaluation_close(struct takt_evaluation *evaluation);
/* Compile and check all variants, and keep those whose code differs from all others'. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_build(struct takt_evaluation *evaluation,
						       struct takt_diag *diag);
/* Run each benchmark under qemu to find which blocks ran, and how often. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_count(struct takt_evaluation *evaluation,
						       struct takt_diag *diag);
/* Measure the benchmarks on this machine. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_measure(struct takt_evaluation *evaluation,
							 struct takt_diag *diag);
/* Predict the benchmarks with all installed predictors. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_predict(struct takt_evaluation *evaluation,
							 const struct takt_model *model,
							 struct takt_diag *diag);
/* Import the results of another directory, such as a shard's, without its compiled benchmarks. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_merge(struct takt_evaluation *evaluation,
						       const char *directory,
						       struct takt_diag *diag);

enum takt_evaluation_format {
	TAKT_EVALUATION_TEXT, /* the tables of the CesASMe paper, with its figures */
	TAKT_EVALUATION_JSON, /* the same, and each benchmark */
	TAKT_EVALUATION_SVG,  /* box plots */
};

/* Write the results of the evaluation, for one core. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_write(const struct takt_evaluation *evaluation,
						       const struct takt_model *model,
						       enum takt_evaluation_format format,
						       struct takt_diag *diag,
						       struct takt_text *text);

struct takt_write_options {
	bool colour;	  /* ANSI colour */
	uint32_t columns; /* width of the output; 0 means 100 */
};

/* Writers; each appends to `text`. */
void takt_write_analysis_text(const struct takt_analysis *analysis,
			      const struct takt_write_options *options, struct takt_text *text);
void takt_write_analysis_json(const struct takt_analysis *analysis, struct takt_text *text);
void takt_write_analysis_dot(const struct takt_analysis *analysis, struct takt_text *text);
/* Write one row for each µop and one column for each cycle. */
void takt_write_timeline_text(const struct takt_timeline *timeline,
			      const struct takt_write_options *options, struct takt_text *text);
/* Write trace events in JSON, for Perfetto and Chrome; a cycle is shown as a microsecond. */
void takt_write_timeline_perfetto(const struct takt_timeline *timeline, struct takt_text *text);
/* Write the Kanata log, version 4, for Konata. */
void takt_write_timeline_konata(const struct takt_timeline *timeline, struct takt_text *text);
/* Write the part of the same record that concerns memory: dependences, streams, page aliases. */
void takt_write_memory_text(const struct takt_analysis *analysis,
			    const struct takt_write_options *options, struct takt_text *text);
void takt_write_memory_json(const struct takt_analysis *analysis, struct takt_text *text);
void takt_write_memory_csv(const struct takt_analysis *analysis, struct takt_text *text);

enum takt_trace_by { TAKT_TRACE_FUNCTION, TAKT_TRACE_LINE, TAKT_TRACE_LOOP, TAKT_TRACE_BLOCK };

struct takt_trace_write_options {
	bool threads;	       /* write a row for each thread */
	enum takt_trace_by by; /* order of the profile, if there is one */
	uint32_t top;	       /* rows of the profile; 0: none */
};

void takt_write_trace_text(const struct takt_trace_totals *totals,
			   const struct takt_trace_write_options *options, struct takt_text *text);
void takt_write_trace_json(const struct takt_trace_totals *totals, struct takt_text *text);
void takt_write_characterization_text(const struct takt_characterization *result,
				      struct takt_text *text);
void takt_write_characterization_json(const struct takt_characterization *result,
				      struct takt_text *text);

struct takt_diff_write_options {
	uint32_t functions, parts; /* most functions to write, and most parts of each */
	bool code;		   /* include the instructions of parts that changed */
};

void takt_write_diff_text(const struct takt_diff *diff,
			  const struct takt_diff_write_options *options, struct takt_text *text);
/* Write all functions and parts as JSON. */
void takt_write_diff_json(const struct takt_diff *diff, struct takt_text *text);
/* Write folded stacks, "a;b;c 12", of cycles, or of instructions if there was no core. */
void takt_write_trace_folded(const struct takt_trace_profile *profile, struct takt_text *text);

#ifdef __cplusplus
}
#endif
#endif
