/* SPDX-License-Identifier: MIT */
/*
 * takt: how many cycles code takes on a given core, why, and what would change it.
 *
 * The whole public interface. Records whose fields are written out here are
 * open: read them directly. Names with only a `struct x;` line are opaque.
 * The library writes to no stream and never exits; it reports into a
 * `struct takt_diag`. There is one exception: takt_set_out_of_memory_handler().
 * It does not change the environment. Everything is thread-safe as long as each object is used
 * by one thread at a time; an opened model may be shared by all threads.
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
#define TAKT_STATUS_LIST(X)                                            \
	X(TAKT_OK, "fine")                                             \
	X(TAKT_BAD_INPUT, "bad input; the diagnostics say where and why") \
	X(TAKT_NOT_FOUND, "no such core, function or region")          \
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
 * Is called in any thread, and possibly in a process that the library forked, when the
 * system has no memory for `size_bytes` more. It must not return.
 */
typedef void (*takt_out_of_memory_handler)(size_t size_bytes);

/*
 * Sets what ends the process when there is no memory; NULL, and the default, is abort(), without
 * a message. Functions of the library have no status for this case. Files that the library
 * was writing are removed before the handler is called. A handler may use
 * only functions that are safe in signal handlers, such as write() and _exit(). If it
 * leaves by longjmp(), all objects of the library that the thread was using may be
 * neither used nor freed. Sizes that come from input are checked against limits first, and
 * are errors like others if they exceed them.
 */
void takt_set_out_of_memory_handler(takt_out_of_memory_handler handler);

/* ---- diagnostics ------------------------------------------------------ */

/* Collects messages `place: error: text` with an excerpt, a caret and notes. */
struct takt_diag;

struct takt_diag *takt_diag_new(void);
void takt_diag_free(struct takt_diag *diag);
/* Every message so far as text to print, or "" ; owned by diag, valid until the next call on it. */
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
 * Writes a file: all of it, or the file is as it was. It is written beside the old one, whose place it
 * takes once it is complete; only where that cannot be (devices, pipes, files of several
 * names, folders in which nothing can be made) is it written in place.
 */
TAKT_MUST_CHECK enum takt_status takt_file_write(const char *path, const void *data,
						 size_t size_bytes, struct takt_diag *diag);
/* Whether that can succeed, before there is anything to write; if not, errno says why. */
bool takt_file_can_write(const char *path);

/*
 * Appends to `text` the up to `most` names closest to `wanted` (edit distance at
 * most a third of its length, or a common prefix), best first: "'a', 'b' or 'c'".
 * Returns how many. `names` need not be sorted.
 */
size_t takt_nearest_names(const char *wanted, const char *const *names, size_t name_count,
			  size_t most, struct takt_text *text);

/* ---- machine models --------------------------------------------------- */

/* A core and the timings of its instructions. Immutable once opened. */
struct takt_model;

/*
 * Opens a core by name or alias ("SKX", "milan"). "host" and "native" mean this machine's:
 * takt_model_recognition() then says how it was recognized, and what is doubtful is reported as a
 * warning though the status is TAKT_OK. `model_dir` may name a directory with cores/ and timing/
 * sub-directories whose files are read before the built-in ones; NULL for built-in only. Unknown
 * names report the nearest.
 */
TAKT_MUST_CHECK enum takt_status takt_model_open(const char *name, const char *model_dir,
						 struct takt_diag *diag,
						 struct takt_model **ret_model);
/*
 * The same core with the rows of a timing file ("skl.timing", by its path) in place of its own, or
 * over them, if the file has them as `base`. The file's name must be that of the core's timing.
 */
TAKT_MUST_CHECK enum takt_status takt_model_open_timing(const char *name, const char *model_dir,
							const char *timing_file,
							struct takt_diag *diag,
							struct takt_model **ret_model);
void takt_model_close(struct takt_model *model);
/* Canonical upper-case name, e.g. "SKX". */
const char *takt_model_name(const struct takt_model *model);
/* One line, e.g. "Intel Skylake-SP". */
const char *takt_model_title(const struct takt_model *model);
/* Of its instruction set: "x86-64", "aarch64", "llvm:riscv64:sifive-u74". */
const char *takt_model_isa_name(const struct takt_model *model);

/*
 * How this machine's core was recognized. Family and model of CPUID name a core; where features
 * contradict it, or no core has that family and model, the nearest core by features is taken.
 */
struct takt_recognition {
	const char *processor; /* what it says of itself: "GenuineIntel family 6 model 85 stepping 7 (…)" */
	const char *claimed;   /* the core of that family and model; "" if there is none */
	const char *taken;     /* the core that is used */
	const char *reason;    /* why that is another one, as a sentence; "" if it is not */
	const char *note;      /* all of this as one sentence, for reports; "" if there is no doubt */
};

/* NULL if the core was opened by its own name. Belongs to the model. */
const struct takt_recognition *takt_model_recognition(const struct takt_model *model);
/* The note of its recognition; NULL if there is none, or the core was opened by its own name. */
const char *takt_model_doubt(const struct takt_model *model);

/* A parameter of cores, as core files have them: "rob_entries" and "512", "yes" or "no". */
struct takt_setting {
	const char *name, *value;
};

/* A core that differs from `model`, which must outlive it, in these parameters. */
TAKT_MUST_CHECK enum takt_status takt_model_set(const struct takt_model *model,
						const struct takt_setting *settings,
						size_t setting_count, struct takt_diag *diag,
						struct takt_model **ret_model);

/* The cores inside the library, in alphabetical order. */
size_t takt_model_builtin_count(void);
const char *takt_model_builtin_name(size_t index);

/* Writers behind `takt model …`; each appends to `text`. `forms` is a glob or NULL for all. */
void takt_model_write_list(struct takt_text *text);
/* Processors that LLVM models, of one architecture ("riscv64") or of all (NULL). */
TAKT_MUST_CHECK enum takt_status takt_model_write_llvm_list(const char *architecture,
							    struct takt_diag *diag,
							    struct takt_text *text);
void takt_model_write_show(const struct takt_model *model, const char *forms,
			   struct takt_text *text);
/* Returns the number of findings. */
size_t takt_model_write_check(const struct takt_model *model, struct takt_text *text);
/* Returns the number of differences. */
size_t takt_model_write_diff(const struct takt_model *left, const struct takt_model *right,
			     const char *forms, struct takt_text *text);

/*
 * Turns foreign machine data into a timing file in takt's format, written to `text`.
 * `source` is "uops.info:FILE.xml", "osaca:FILE.yml" or "llvm:CPU"; `model` is the core
 * whose ports the rows use (for uops.info also which architecture of the file is
 * taken). What has no counterpart is counted in a comment at the end.
 */
TAKT_MUST_CHECK enum takt_status takt_model_import(const struct takt_model *model,
						   const char *source, struct takt_diag *diag,
						   struct takt_text *text);

/* ---- code ------------------------------------------------------------- */

enum takt_input_format {
	TAKT_INPUT_AUTO, /* ELF by its magic, otherwise assembly text */
	TAKT_INPUT_ELF,
	TAKT_INPUT_ASSEMBLY,
	TAKT_INPUT_RAW, /* machine code bytes */
	TAKT_INPUT_HEX, /* machine code as hexadecimal digits */
};

enum takt_syntax { TAKT_SYNTAX_AUTO, TAKT_SYNTAX_ATT, TAKT_SYNTAX_INTEL };

struct takt_line_range {
	uint32_t first, last; /* 1-based, inclusive */
};

/* What to load and which part of it. Zero-initialise, then set what is needed. */
struct takt_code_options {
	const char *path;             /* file; "-" reads standard input */
	const void *data;             /* or bytes in memory, which must outlive the takt_code;
				       * path is then a label for messages, or NULL */
	size_t data_size_bytes;
	enum takt_input_format format;
	/*
	 * Instruction set by name, as takt_model_isa_name() has it. NULL: an ELF file says it
	 * itself, text is guessed to be x86-64 or AArch64, bytes are x86-64.
	 */
	const char *isa;
	enum takt_syntax syntax;      /* of x86-64 assembly text */
	const char *function;         /* only this function */
	const char *section;          /* only this section, e.g. ".text" */
	uint64_t range_begin, range_end; /* only [begin, end), if end > begin */
	const struct takt_line_range *lines; /* only these source lines */
	size_t line_count;
	bool whole;                   /* the whole selection as one block; find no loops */
};

enum takt_region_origin {
	TAKT_REGION_MARKER, /* IACA bytes, OSACA or LLVM-MCA comments */
	TAKT_REGION_LINES,
	TAKT_REGION_RANGE,
	TAKT_REGION_LOOP,   /* an innermost loop that takt found */
	TAKT_REGION_WHOLE,
};

/* A piece of straight-line code to analyze. Owned by the takt_code. */
struct takt_region {
	const char *name;        /* marker name, or "function+0x1c" */
	const char *function;    /* enclosing symbol or "" */
	const char *isa;         /* name of the instruction set */
	enum takt_region_origin origin;
	const uint8_t *bytes;
	size_t size_bytes;
	uint64_t address;        /* of the first byte: virtual address, section offset or 0 */
	uint32_t internal_branches; /* conditional branches inside that the analysis takes as not taken */
	uint32_t calls;          /* calls inside */
};

struct takt_code;

/*
 * Assembly text from anywhere may be given: LLVM's assembler crashes, hangs and reads files if
 * the text wants it to, so it runs in a process of its own (takt-assembler, beside the
 * modules), which reaches no file and has limits of time and memory. That process is a child of
 * the caller's, which waits for more text until the caller ends; each thread that assembles has
 * its own. What is wrong with the text, including what LLVM dies of, is TAKT_BAD_INPUT with a
 * message at its line.
 */
TAKT_MUST_CHECK enum takt_status takt_code_open(const struct takt_code_options *options,
						struct takt_diag *diag,
						struct takt_code **ret_code);
/*
 * Optional: starts the process that assembles, if `path` or `data` is text of the set
 * `options->isa`, so that it starts up while the caller does something else, such as opening
 * a model. Reports nothing.
 */
void takt_code_prepare(const struct takt_code_options *options);
void takt_code_close(struct takt_code *code);
size_t takt_code_region_count(const struct takt_code *code);
const struct takt_region *takt_code_region(const struct takt_code *code, size_t index);
/*
 * What takt could not find in the code, and why: loops, if a function is too large to search all
 * of it, and source lines, if the debug information is damaged. Sentences to be shown to the
 * user, owned by the code. Those about lines appear when lines are first asked for, by
 * takt_analyze(), whose record has all of them among its own notes.
 */
size_t takt_code_note_count(const struct takt_code *code);
const char *takt_code_note(const struct takt_code *code, size_t index);

/* ---- analysis --------------------------------------------------------- */

enum takt_mode {
	TAKT_MODE_AUTO,   /* loop if the region ends in a branch back to its start, else unroll */
	TAKT_MODE_LOOP,
	TAKT_MODE_UNROLL, /* copies of the block follow each other; a final branch is not there */
};

/* Which relaxations are simulated. */
enum takt_sensitivity {
	TAKT_SENSITIVITY_SHORT, /* the likeliest, within a budget */
	TAKT_SENSITIVITY_FULL,  /* all */
	TAKT_SENSITIVITY_NONE,
};

/* A register and what it holds. */
struct takt_register_value {
	const char *name; /* "rax", "xmm3", "mxcsr" */
	uint64_t value;   /* of each 64-bit lane */
};

struct takt_analysis_options {
	enum takt_mode mode;
	bool bounds_only;       /* no simulation: the headline is the largest bound */
	uint32_t alignment;     /* 1 + where in a 64-byte line the block starts; 0: by its address */
	bool all_alignments;    /* simulate each; fills aligned_cycles */
	uint32_t iterations_max; /* give up looking for a steady state; 0: what is usual */
	enum takt_sensitivity sensitivity;
	/*
	 * Source iterations per execution of the block, for unrolled loops; 0 means 1.
	 * Divides the headline alone: all other figures are per block execution, and the
	 * writers show both.
	 */
	double unroll_factor;
	bool fixed;             /* equal split over eligible ports instead of the optimum */
	bool no_memory_dependences;
	bool memory_streams;    /* fill those of the record, and the page aliases */
	/* General registers when the loop is entered, where they are known; others are taken
	 * to be unrelated to each other. */
	const struct takt_register_value *entry_values;
	size_t entry_value_count;
	enum takt_syntax print_syntax; /* of x86-64 instruction texts; AUTO means Intel */
};

/* Where a figure comes from; shown beside it. */
#define TAKT_ORIGIN_LIST(X)                                          \
	X(TAKT_ORIGIN_NONE, "none", "no figure")                     \
	X(TAKT_ORIGIN_MEASURED, "measured", "measured by takt, where the source says") \
	X(TAKT_ORIGIN_PUBLISHED, "published", "published measurement")  \
	X(TAKT_ORIGIN_VENDOR, "vendor", "vendor documentation")      \
	X(TAKT_ORIGIN_MODEL, "model", "a compiler's scheduling model") \
	X(TAKT_ORIGIN_INFERRED, "inferred", "composed from other forms") \
	X(TAKT_ORIGIN_SIMULATED, "simulated", "simulated")           \
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
	uint32_t line;           /* source line, 0 if not known */
	const char *file;        /* source file or NULL */
	const char *text;        /* the user's own line for text input of at most 200 bytes,
				  * else disassembly */
	const char *form;
	const char *note;        /* "fused with next", "zero idiom", … or "" */
	uint16_t uops;           /* µops on ports; those of a fused pair are the second's */
	uint16_t slots;          /* issue slots; 0 if fused with the one before */
	double latency_cycles;   /* largest over operand pairs that occur, load part included */
	double lcd_cycles;       /* its part of loop_carried_cycles, 0 if not on the worst cycle */
	double cp_cycles;        /* its part of the critical path */
	double wait_cycles;      /* its part of simulated_cycles */
	bool on_loop_carried, on_critical_path;
	double port_cycles[TAKT_PORTS_MAX];
	enum takt_origin origin;
	bool unknown;            /* class default used */
};

struct takt_bounds {
	double ports_cycles;         /* exact optimum over port assignments */
	double fixed_ports_cycles;   /* equal split, as the OSACA paper's tables */
	double front_end_cycles;     /* of its slowest part before rename */
	const char *front_end_part;  /* which that is: "predecoder", "decoders", "op cache", … */
	double issue_cycles;
	double loop_carried_cycles;  /* maximum cycle ratio; 0 in the absence of a cycle */
	double critical_path_cycles;
	/* The same as published tables have it: what is written waits for all that is read. */
	double instruction_path_cycles;
};

/* One loop-carried dependence cycle. Its latencies sum to cycles × iterations. */
struct takt_cycle {
	double cycles_per_iteration; /* per block execution */
	uint32_t iterations;       /* that the cycle spans */
	const char *location;      /* through which it enters the next: "rax", "ymm0", "memory" */
	const uint32_t *members;   /* instruction indices in order */
	const double *latencies_cycles; /* one for each member */
	uint32_t member_count;
};

/* `to` waits for `from`. */
struct takt_dependence {
	uint32_t from, to;         /* instruction indices */
	uint32_t iterations;       /* apart: 0 or 1, through memory any number */
	const char *location;      /* register, flag or "memory" */
	double latency_cycles;     /* of `to` from this operand */
	bool on_loop_carried, on_critical_path;
};

/* The load reads what the store wrote. */
struct takt_memory_dependence {
	uint32_t from, to;         /* instruction indices: store, load */
	uint32_t iterations;       /* apart */
	double latency_cycles;
	const char *overlap;       /* "contained": can be forwarded; "wider": the load reads more
				    * than was stored; "split": of several stores */
	const char *from_address, *to_address; /* "[rdi+8*rcx+16]" */
};

/* How the address of one memory operand moves. */
struct takt_memory_stream {
	uint32_t insn;
	const char *address;       /* "[rdi+8*rcx+16]" */
	uint32_t size_bytes;
	bool loads, stores;
	bool known;                /* made by integer instructions alone; all that follows is
				    * 0 otherwise */
	bool strided;              /* by the same distance in each iteration: stride_bytes */
	int64_t stride_bytes;
	uint32_t alignment_bytes;  /* up to 64: always offset_bytes above a multiple; 1 if not
				    * known */
	uint32_t offset_bytes;
	double line_crossing_share; /* of iterations in which it crosses a 64-byte line; NaN if
				     * that depends on the registers at entry */
};

/* A load with the low 12 address bits of an earlier store elsewhere, for which it may wait. */
struct takt_page_alias {
	uint32_t from, to;         /* instruction indices: store, load */
	uint32_t iterations;       /* apart */
	const char *from_address, *to_address;
};

/* What simulated cycles are spent waiting for: one cause. */
struct takt_wait {
	const char *cause;         /* "port", "latency", "reorder buffer", … */
	const char *text;          /* "a port that others use" */
	const char *port;          /* which, or "" */
	double cycles;
	const uint32_t *insns;     /* indices of those it is due to, most cycles first */
	const double *insn_cycles; /* for each of them */
	uint32_t insn_count;
};

/*
 * What the simulation says if one thing were better and all else the same. Cycles are per
 * block execution; more than the analysis's are cut to them.
 */
struct takt_relaxation {
	const char *what;          /* "one more port like p5" */
	const char *advice;        /* what in the code may have the same effect, or "" */
	double cycles;
	const uint32_t *insns;     /* indices of those concerned, most so first */
	uint32_t insn_count;
};

struct takt_analysis {
	const char *arch, *arch_title;
	const char *arch_doubt;    /* why the core may be another one, as takt_model_doubt(); or NULL */
	const char *isa;           /* "x86-64", "aarch64", "llvm:…" */
	const char *region_name;
	enum takt_mode mode;       /* LOOP or UNROLL as used */
	double unroll_factor;
	double cycles_per_iteration; /* the headline: per source iteration; simulated, or, with
				    * bounds_only, the largest bound but the critical path */
	const char *limit;         /* "ports", "issue", "loop-carried dependence", … */
	struct takt_bounds bounds; /* per block execution, as all that follows */
	bool fixed;                /* port_cycles and the headline are of the equal split */
	uint32_t issue_slots, issue_width;
	double simulated_cycles;   /* NaN with bounds_only */
	uint32_t simulated_period; /* iterations after which the steady state comes again; 0: it
				    * was not seen to, and the cycles are a mean */
	uint32_t alignment_bytes;  /* where in a 64-byte line the block starts */
	const struct takt_wait *waits; /* worst first; their cycles sum to simulated_cycles */
	uint32_t wait_count;
	const double *aligned_cycles; /* for each of the 64 alignments, if asked for; else NULL */
	const struct takt_relaxation *relaxations; /* fewest cycles first */
	uint32_t relaxation_count;
	bool relaxations_complete; /* false: only the likeliest were tried */
	uint32_t port_count;
	const char *port_names[TAKT_PORTS_MAX];
	bool port_pseudo[TAKT_PORTS_MAX];
	double port_cycles[TAKT_PORTS_MAX];
	const struct takt_analysis_insn *insns;
	uint32_t insn_count;
	const struct takt_cycle *cycles; /* within 5 % of the worst, worst first */
	uint32_t cycle_count;
	bool cycles_truncated;
	const struct takt_dependence *dependences; /* by `to`, then `from` */
	uint32_t dependence_count;
	const struct takt_memory_dependence *memory_dependences;
	uint32_t memory_dependence_count;
	const struct takt_memory_stream *memory_streams; /* if asked for */
	uint32_t memory_stream_count;
	const struct takt_page_alias *page_aliases;
	uint32_t page_alias_count;
	const char *const *bottlenecks;  /* sentences, most important first */
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

/* What the simulated pipeline does in the first iterations. Times are cycles from 0 on. */

#define TAKT_NO_PORT 255
#define TAKT_NO_INDEX UINT32_MAX

struct takt_timeline_uop {
	const char *kind;        /* "compute", "load", "store address", "store data", "merge" */
	uint32_t slot;           /* index in slots */
	uint8_t port, unit;      /* indices in the analysis's port_names, or TAKT_NO_PORT */
	uint32_t ready;          /* operands there, and the µop in the scheduler */
	uint32_t dispatched;     /* to its port */
	uint32_t done;
	uint32_t source;         /* index of the µop whose value it waited for; TAKT_NO_INDEX */
	const char *location;    /* through which: "rax", "ymm0", "flags", "memory" */
	uint32_t store;          /* of loads: µop of the store whose value they wait for, or not */
};

/* An issue slot of an instruction, or one that rename puts in before it. */
struct takt_timeline_slot {
	uint32_t insn;           /* index in the analysis's insns */
	uint32_t iteration;
	uint32_t first_uop, uop_count;
	uint32_t queued, renamed, done, retired;
	bool inserted;
};

struct takt_timeline_cycle {
	const char *stop;        /* why rename took no more µops */
	const char *front_end;   /* what kept the front end from bringing more */
};

struct takt_timeline {
	const struct takt_analysis *analysis; /* bounds only: names and instructions */
	uint32_t iterations;     /* complete; fewer than wanted if they are too long */
	bool is_part;            /* of a program's run, in which things were under way before */
	const struct takt_timeline_slot *slots; /* in program order, as the µops */
	uint32_t slot_count;
	const struct takt_timeline_uop *uops;
	uint32_t uop_count;
	const struct takt_timeline_cycle *cycles;
	uint32_t cycle_count;
};

TAKT_MUST_CHECK enum takt_status takt_timeline_new(const struct takt_model *model,
						   const struct takt_code *code,
						   size_t region_index,
						   const struct takt_analysis_options *options,
						   uint32_t iterations, struct takt_diag *diag,
						   struct takt_timeline **ret_timeline);
void takt_timeline_free(struct takt_timeline *timeline);

/* How cycles are found. X(enumerator, word) */
#define TAKT_ENGINE_LIST(X)                                                             \
	X(TAKT_ENGINE_BOUNDS, "bounds") /* the largest: ports, front end, loop-carried */ \
	X(TAKT_ENGINE_SIM, "sim")       /* the pipeline, cycle by cycle */

enum takt_engine {
#define X(name, word) name,
	TAKT_ENGINE_LIST(X)
#undef X
	TAKT_ENGINE_COUNT
};

/* Parts of the simulator that can be left out, to see what they are good for: X(…, word) */
#define TAKT_WITHOUT_LIST(X)                                                            \
	X(TAKT_WITHOUT_FRONT_END, "front-end") /* it brings whatever rename can take */ \
	X(TAKT_WITHOUT_PORT_RULE, "port-rule") /* ports are chosen when a µop executes */ \
	X(TAKT_WITHOUT_FUSION, "fusion")       /* neither micro- nor macro-fusion */    \
	X(TAKT_WITHOUT_MOVES, "moves")         /* no move is eliminated */              \
	X(TAKT_WITHOUT_MEMORY, "memory")       /* loads wait for no store */

enum takt_without {
#define X(name, word) name,
	TAKT_WITHOUT_LIST(X)
#undef X
	TAKT_WITHOUT_COUNT
};

/* Zero-initialise, then set what is needed. */
struct takt_predictor_options {
	uint32_t without;         /* bits 1 << enum takt_without; for SIM */
	enum takt_mode mode;
	enum takt_engine engine;
	bool no_memory_dependences;
	uint32_t alignment_bytes; /* of the block's start in a 64-byte line; for SIM */
	/* For SIM: registers point so far behind the middle of a line; wraps around. */
	uint32_t pointer_shift_bytes;
};

/*
 * Cycles per iteration of one block of machine code after the other, without a record: the
 * fast path of `takt predict`. A predictor keeps its memory from block to block.
 */
struct takt_predictor;

struct takt_predictor *takt_predictor_new(const struct takt_model *model,
					  const struct takt_predictor_options *options);
void takt_predictor_free(struct takt_predictor *predictor);
/* Returns TAKT_BAD_INPUT, reporting nothing, for bytes that do not decode. */
TAKT_MUST_CHECK enum takt_status takt_predict(struct takt_predictor *predictor,
					      const uint8_t *bytes, size_t size_bytes,
					      double *ret_cycles);

/* ---- measurement on this machine -------------------------------------- */

/*
 * The same code on the processor at hand. Code that is measured runs in a child
 * process that can do nothing but run it: no system calls, no descriptors, no
 * memory of the caller, limited time.
 */

/* What became of a block: X(enumerator, word in the CSV, text) */
#define TAKT_MEASURE_LIST(X)                                                              \
	X(TAKT_MEASURE_OK, "ok", "measured")                                              \
	X(TAKT_MEASURE_UNSTABLE, "unstable", "rounds do not agree")                       \
	X(TAKT_MEASURE_DISTURBED, "disturbed", "the machine was too busy each time")      \
	X(TAKT_MEASURE_DENORMAL, "denormal", "denormal numbers came up, which may need assists") \
	X(TAKT_MEASURE_UNDECODABLE, "undecodable", "not machine code")                    \
	X(TAKT_MEASURE_CONTROL, "control", "transfers control")                           \
	X(TAKT_MEASURE_PRIVILEGED, "privileged", "not allowed in user mode, or in a measurement") \
	X(TAKT_MEASURE_UNSUPPORTED, "unsupported", "this processor lacks an instruction") \
	X(TAKT_MEASURE_FAULT, "fault", "a fault that mapping a page does not cure")       \
	X(TAKT_MEASURE_CROSSING, "crossing", "an access crosses a line or a page")        \
	X(TAKT_MEASURE_TIMEOUT, "timeout", "took longer than the time limit")             \
	X(TAKT_MEASURE_ESCAPED, "escaped",                                                \
	  "left its code, tried a system call, or reported times that cannot be")         \
	X(TAKT_MEASURE_TOO_LARGE, "too-large", "too many bytes to copy often enough")

enum takt_measure_status {
#define X(name, word, text) name,
	TAKT_MEASURE_LIST(X)
#undef X
	TAKT_MEASURE_STATUS_COUNT
};

const char *takt_measure_status_word(enum takt_measure_status status);
const char *takt_measure_status_text(enum takt_measure_status status);

/* X(enumerator, word): how time is told; the report names it. */
#define TAKT_CLOCK_LIST(X)                                                                \
	X(TAKT_CLOCK_AUTO, "auto") /* the best there is */                                \
	X(TAKT_CLOCK_PERF_RDPMC, "perf-rdpmc") /* core cycles by perf_event, read in user space */ \
	X(TAKT_CLOCK_PERF_READ, "perf-read")   /* the same by read(2) */                  \
	X(TAKT_CLOCK_ADD_CHAIN, "add-chain")   /* TSC or generic timer, against a chain of
						* additions of one cycle each, interleaved */

enum takt_clock {
#define X(name, word) name,
	TAKT_CLOCK_LIST(X)
#undef X
	TAKT_CLOCK_COUNT
};

const char *takt_clock_word(enum takt_clock clock);

/* General and vector registers and the bytes of memory before each run. */
enum takt_initial {
	TAKT_INITIAL_DIFF,   /* pointers to different lines; memory small positive doubles */
	TAKT_INITIAL_SAME,   /* one constant everywhere, as BHive: different pointers alias */
	TAKT_INITIAL_RANDOM, /* from `seed` */
};

/* Zero-initialise, then set what is needed. */
struct takt_measure_options {
	enum takt_mode mode;      /* UNROLL (AUTO means that) or LOOP: the block in a dec/jnz loop */
	enum takt_clock clock;
	enum takt_initial initial;
	uint64_t seed;
	const struct takt_register_value *registers;
	size_t register_count;
	uint32_t alignment_bytes; /* the code starts at this offset within a 64-byte line */
	uint32_t rounds;          /* that must agree; 0: 9 */
	uint32_t batches;         /* of rounds, at least, each after a pause; 0: 3 */
	double tolerance;         /* of agreement, relative; 0: 0.01 */
	double time_limit_seconds; /* for each block; 0: 2 */
	bool reject_line_crossing, reject_page_crossing;
	bool keep_denormals;      /* leave FTZ and DAZ off; denormal numbers are no failure then */
	uint32_t cpu;             /* 1 + the CPU to be pinned to; 0: the one we are on */
};

/*
 * X(enumerator, word, text): what became of floating-point values while a block ran. A block whose
 * iterations feed each other may lead out of the range of ordinary numbers.
 */
#define TAKT_MEASURE_VALUE_LIST(X)                                                        \
	X(TAKT_MEASURE_VALUE_DENORMAL, "denormal",                                        \
	  "became denormal numbers; the processor may have needed assists for them")      \
	X(TAKT_MEASURE_VALUE_FLUSHED, "flushed",                                          \
	  "became so small that they were taken for zero; a divider may be faster for them") \
	X(TAKT_MEASURE_VALUE_INFINITE, "infinite",                                        \
	  "became infinite; a divider may be faster for them")                            \
	X(TAKT_MEASURE_VALUE_INVALID, "invalid",                                          \
	  "became no numbers, or did not fit an integer; a divider may be faster for them") \
	X(TAKT_MEASURE_VALUE_X87_STACK, "x87-stack",                                      \
	  "ran over the x87 stack, or were missing from it; the processor may have needed assists")

enum takt_measure_value {
#define X(name, word, text) name,
	TAKT_MEASURE_VALUE_LIST(X)
#undef X
	TAKT_MEASURE_VALUE_COUNT
};

const char *takt_measure_value_word(enum takt_measure_value value);
/* A sentence's end, whose subject is "values". */
const char *takt_measure_value_text(enum takt_measure_value value);

struct takt_measurement {
	enum takt_measure_status status;
	const char *reason;       /* one line with the particulars, "" if there are none; valid
				   * until the next measurement of this bench */
	double cycles;            /* per iteration: median of the rounds that agree; NaN unless
				   * ok, denormal, unstable or disturbed (then the best known) */
	double spread;            /* interquartile range of the rounds / cycles */
	uint32_t rounds, rejected; /* kept; thrown away because something interfered */
	uint32_t copies[2];       /* of the block in the two runs of a round */
	uint32_t pages;           /* mapped on fault */
	uint32_t line_crossings;  /* accesses of one iteration; filled if it was asked for */
	uint32_t values;          /* bit 1 << v for each enum takt_measure_value that came up */
};

/* A calibrated sandbox, with a new child process for each block. One thread at a time. */
struct takt_bench;

/* TAKT_UNAVAILABLE if this host cannot (other ISA, no such clock, sandbox refused). */
TAKT_MUST_CHECK enum takt_status takt_bench_open(const struct takt_measure_options *options,
						 struct takt_diag *diag,
						 struct takt_bench **ret_bench);
void takt_bench_close(struct takt_bench *bench);
enum takt_clock takt_bench_clock(const struct takt_bench *bench);
/* "Intel(R) Xeon(R) Processor, family 6 model 207 stepping 2" */
const char *takt_bench_cpu(const struct takt_bench *bench);
/* Always fills `ret_measurement`; the block can neither harm nor end the caller. */
void takt_measure(struct takt_bench *bench, const uint8_t *bytes, size_t size_bytes,
		  struct takt_measurement *ret_measurement);

/* Memory that an argument of a call points to. */
struct takt_call_buffer {
	size_t size_bytes; /* 0: the argument is a number */
	uint64_t fill;     /* of each eight bytes before the first call */
};

/* A function in an ELF object or shared library, called with up to six integer arguments. */
struct takt_call {
	const char *path, *function;
	const uint64_t *arguments;
	const struct takt_call_buffer *buffers; /* one for each argument, or NULL for none */
	size_t argument_count;
	double iterations;        /* the work of one call, to divide by; 0: 1 */
	bool is_library;          /* the file is a shared library, whose constructors may run */
};

/*
 * Cycles per call / iterations; loading and relocating errors go to `diag`. Unlike a block,
 * the function runs in a fork of the caller: it may see the caller's memory, but has no way to
 * pass it on. The file is loaded by a process that is locked in already. What the file is, its
 * type says and not its name: a shared library is loaded only if `is_library` says so, and what
 * runs then, the constructors of the library and of those it needs, can open files to read them,
 * but neither write nor send anything.
 */
TAKT_MUST_CHECK enum takt_status takt_measure_call(struct takt_bench *bench,
						   const struct takt_call *call,
						   struct takt_diag *diag,
						   struct takt_measurement *ret_measurement);

/* ---- traces: whole programs ------------------------------------------- */

/* Which core is to execute it, and how much of that is simulated. */
struct takt_trace_core {
	/*
	 * Called once it is known for which instruction set the program is: "x86-64", "aarch64" or
	 * "riscv64". Returns the core, which stays the caller's, or NULL to give up.
	 */
	const struct takt_model *(*model)(void *context, const char *isa);
	void *context;
	bool cache;                /* else every access finds its line in the first cache */
	bool branch;               /* else every branch is foreseen */
	bool sample;               /* simulate parts only, and say how sure that is */
	uint64_t seed;             /* that chooses the parts */
	uint32_t syscall_cycles;   /* of each system call; 0: 300 */
	/*
	 * What a piece of the program did to the core is remembered, and not simulated again where
	 * the same piece meets the core in the same state: cycles are the same to the last. Samples
	 * are simulated without.
	 */
	bool no_memo;
	uint32_t memo_check;       /* of what was remembered, one in so many pieces is simulated
				    * nevertheless, and compared; 0: 1000 */
};

/* Instructions of a thread, from its start on. */
struct takt_trace_window {
	uint32_t thread, count;
	uint64_t from;
};

/* How far a run or a replay is. */
struct takt_trace_progress {
	double seconds;            /* since it began */
	double share;              /* of the log that was read; negative: not known, it is a run */
	double first_share;        /* where it began: at a checkpoint, perhaps */
	uint64_t insns, first_insns; /* so far; when it began */
};

struct takt_trace_options {
	const struct takt_trace_core *core; /* NULL: nothing is timed */
	bool blocks_only;          /* no accesses to memory: faster, and loads and stores are 0 */
	bool check;                /* have qemu count instructions one by one too; slow */
	/*
	 * Write a log of what happens to this file; NULL: none. "-" is standard output: the
	 * program's standard output then is the caller's standard error.
	 */
	const char *log_path;
	bool profile;              /* where in the program: totals.profile */
	/* Look for symbols and lines in files of this name only, which is faster; NULL: in all. */
	const char *named_file;
	/*
	 * What to add up apart, each "WHAT" or "NAME=WHAT": a function's symbol, an address range
	 * "0xSTART-0xEND", or "markers" for what stands between IACA's byte markers.
	 */
	const char *const *regions;
	uint32_t region_count;
	/*
	 * Set to a signal's number, by a signal handler perhaps: the program gets that signal.
	 * NULL if not wanted. Waiting ends with any signal that the caller handles. A replay ends
	 * there: totals.stopped_by.
	 */
	volatile int *signal;
	/* The program's environment, "NAME=VALUE", ended by NULL; NULL: this process'. */
	char *const *variables;
	/*
	 * Replays: the file that keeps their state, written every 30 s (or so many instructions,
	 * if that is not 0) and before a signal ends them. If it is there, the replay goes on from
	 * it; once all is done, it is removed. NULL: none.
	 */
	const char *checkpoint_path;
	uint64_t checkpoint_insns;
	/* Of a core that simulates all: totals.timeline; at most 4096 instructions. NULL: none. */
	const struct takt_trace_window *window;
	/* Told five times a second how far it is, if not NULL. */
	void (*progress)(void *context, const struct takt_trace_progress *progress);
	void *progress_context;
};

/* What cycles of a program go to: "retiring", "front end", "branch", "ports", "dependences",
 * "memory", "system"; docs/commands/trace.md says what each means. */
#define TAKT_TRACE_LOSSES 7u

const char *takt_trace_loss_name(uint32_t loss);
/* "SIGSEGV"; "signal 70" for one without a name. */
const char *takt_signal_name(int signal);

/* What a thread did, or all. */
struct takt_trace_counts {
	uint64_t insns;            /* completed; a string instruction with rep is one */
	uint64_t repeats;          /* elements of those beyond the first, and their last look */
	uint64_t interrupted;      /* began and faulted; not among `insns` */
	uint64_t blocks;           /* executed, without those that only repeat */
	uint64_t loads, load_bytes, stores, store_bytes; /* a vector is one */
	uint64_t taken, not_taken; /* conditional branches */
	uint64_t syscalls;
	/* On a core; 0 if there was none. */
	uint64_t uops, cycles;
	uint64_t losses[TAKT_TRACE_LOSSES]; /* cycles; sum up to `cycles` */
};

/* What a part of the program took. A cycle in which nothing retires is that of the oldest instruction
 * not yet retired; those that retire in the same cycle share it. All 0 if there was no core. */
struct takt_trace_weight {
	uint64_t insns;            /* completed */
	uint64_t cycles;
	uint64_t losses[TAKT_TRACE_LOSSES]; /* cycles; sum up to `cycles` but for rounding */
};

/* By name and file; those without a name last. */
struct takt_trace_function {
	const char *name;          /* demangled; "FILE+0x1234" for one without symbol */
	const char *symbol;        /* as the file has it; NULL: none */
	const char *file;          /* the executable or library; NULL: code made at run time */
	uint64_t address;          /* when it ran first */
	uint64_t size_bytes;       /* 0: not known */
	uint64_t calls;            /* how often it was entered, by calls and jumps to its start */
	struct takt_trace_weight self;
	uint64_t total_insns, total_cycles; /* with all that it called */
};

/* A block that ran, by function, offset, number of its bytes. Blocks may overlap. */
struct takt_trace_block {
	uint64_t address;
	uint64_t offset;           /* in the function, or address if there is none */
	uint32_t function;         /* index */
	uint32_t insn_count, size_bytes;
	const uint8_t *bytes;
	uint64_t executions;       /* a string instruction that repeats counts once */
	struct takt_trace_weight weight;
};

/* How often one block followed another in the same call of a function; by both. */
struct takt_trace_edge {
	uint32_t from, to;         /* indices of blocks */
	uint64_t count;
};

/* A line of source, by file and number. Of each block, its lines get their share of cycles. */
struct takt_trace_line {
	const char *file;
	uint32_t line;
	struct takt_trace_weight weight;
};

/* A loop in a function, without what it calls; by function and offset. */
struct takt_trace_loop {
	uint32_t function;         /* index */
	uint32_t depth;            /* 1: in no other loop */
	uint64_t address, offset;  /* of its first instruction; in the function */
	const char *file;          /* of the source, or NULL */
	uint32_t line;
	uint64_t entries;          /* from outside */
	uint64_t iterations;       /* times that the first instruction ran */
	struct takt_trace_weight weight; /* with the loops in it */
};

/* With all that was called inside; in the order of the options, markers last, as they came. */
struct takt_trace_region {
	const char *name;
	uint64_t entries;          /* of symbols the recursive ones too */
	struct takt_trace_weight weight;
};

/* A function as it was called from a certain stack of others: a node of a tree. */
struct takt_trace_node {
	uint32_t parent;           /* index of the caller, less than its own; 0 is the root */
	const char *name;          /* of the function; "(other)": of more than are told apart */
	uint64_t insns, cycles;    /* without what it calls */
};

struct takt_trace_profile {
	const struct takt_trace_function *functions;
	const struct takt_trace_block *blocks;
	const struct takt_trace_edge *edges; /* not in a result that was read from a file */
	const struct takt_trace_line *lines;
	const struct takt_trace_loop *loops;
	const struct takt_trace_region *regions;
	const struct takt_trace_node *nodes;
	uint32_t function_count, block_count, edge_count;
	uint32_t line_count, loop_count, region_count, node_count;
	struct takt_trace_weight no_line; /* what is of no known source line */
};

/* What the models of caches and branch prediction counted, of all threads. */
struct takt_trace_caches {
	uint64_t accesses[3];      /* fetches of lines, loads, stores */
	uint64_t misses[3][3];     /* of those, in L1, L2, L3 */
	uint64_t write_backs[3];   /* out of each level */
	uint64_t lines_past;       /* written to memory past the caches (non-temporal stores) */
	uint64_t prefetches, useful_prefetches;
	uint64_t tlb_misses[3];    /* of fetches, loads, stores: in the first level only */
	uint64_t page_walks[3];    /* in both */
};

/* Conditional branches, jumps, calls, indirect jumps, indirect calls, returns. */
#define TAKT_TRACE_BRANCHES 6u

struct takt_trace_branches {
	uint64_t executed[TAKT_TRACE_BRANCHES], missed[TAKT_TRACE_BRANCHES];
	uint64_t late;             /* foreseen, but not in time */
};

/* How much was simulated, and what follows. */
struct takt_trace_sample {
	double half_width_cycles;  /* the cycles of all are so near with a confidence of 95 % */
	uint64_t units;            /* measured */
	uint64_t simulated_insns;
};

/* What was remembered and not simulated. */
struct takt_trace_memo {
	uint64_t insns;
	uint64_t pieces, hits;     /* of the program; of those, remembered */
	uint64_t checked, wrong;   /* of the hits; wrong: an error of takt's, cycles may be off */
};

/* The instruction that SIGILL ended a program at. */
struct takt_trace_fault {
	const char *insn;          /* its text; NULL: takt cannot decode it */
	const char *extension;     /* that it belongs to: "avx512f_512"; NULL: not known */
	const char *bytes;         /* hexadecimal; what is known of them */
	const char *place;         /* "work+0x12, work.c:34 (program+0x1162)" */
	uint64_t address;
	bool lacking;              /* processors have it and the emulator does not; else it is one
				    * that no processor executes, or takt does not know */
};

struct takt_trace_totals {
	/*
	 * What makes figures comparable: the program that ran with its arguments, in the order of the
	 * command line; takt's version that made the figures; a digest of the core's data. NULL or 0:
	 * not known, as in results and logs that older versions wrote.
	 */
	const char *const *command;
	uint32_t command_count;
	const char *version;
	uint64_t core_digest;
	const char *guest;         /* "x86-64", "aarch64" or "riscv64" */
	bool blocks_only;
	struct takt_trace_counts all;
	const struct takt_trace_counts *threads; /* in the order of their creation */
	uint32_t thread_count;
	uint64_t distinct_blocks;  /* that were executed, by address and bytes */
	int exit_status;           /* of the program; -1 if a signal ended it */
	int signal;                /* that one, or 0 */
	const struct takt_trace_fault *fault; /* of signal SIGILL; NULL: not known which */
	bool became_other;         /* by exec: what the other program did is not counted */
	uint32_t processes;        /* that the program and its children made: not followed, and
				    * nothing of what they did is counted */
	int stopped_by;            /* signal that ended the replay: all figures are of a part only;
				    * 0: none */
	uint64_t checked_insns;    /* begun, as qemu counts: insns + repeats + interrupted; 0 if
				    * that was not asked for */
	const char *core;          /* whose cycles they are; NULL: none, cycles are 0 */
	const char *core_doubt;    /* why it may be another one, as takt_model_doubt(); or NULL */
	const struct takt_trace_caches *caches;     /* NULL: were not asked for */
	const struct takt_trace_branches *branches; /* NULL: likewise */
	const struct takt_trace_sample *sample;     /* NULL: all was simulated */
	const struct takt_trace_memo *memo;         /* NULL: there was none */
	/* Timed instructions that takt cannot decode, taken for nops; that the core's file has
	 * no row for, taken for others of their class. */
	uint64_t unknown_insns, default_insns;
	/* Of RISC-V: timed vector instructions whose LMUL and SEW are not known, as vsetvl took them
	 * from a register; they take as long as LLVM says without. */
	uint64_t unsettled_insns;
	uint32_t syscall_cycles;   /* that each system call was taken to cost */
	const char *settings;      /* options that matter for the cycles: "--cache", or "" */
	double clock_ghz;          /* the core's, to say times; 0: not known */
	const struct takt_trace_profile *profile; /* NULL: not asked for */
	uint64_t left_out;         /* of an import: instructions, or runs between branches, whose
				    * code is in no binary */
	struct takt_timeline *timeline; /* NULL: not asked for, or it did not come to that */
};

/*
 * Runs `argv[0]`, found as a shell does, with the arguments behind it, ended by NULL, in
 * qemu's user mode, and counts what it does. Its standard streams are the caller's; it gets
 * signals as it would without takt, SIGINT, SIGQUIT and SIGPIPE at their defaults. What
 * the program's children by fork do is not counted.
 */
TAKT_MUST_CHECK enum takt_status takt_trace_run(char *const *argv,
						const struct takt_trace_options *options,
						struct takt_diag *diag,
						struct takt_trace_totals **ret_totals);
enum takt_trace_kind {
	TAKT_TRACE_AUTO,    /* as the content looks */
	TAKT_TRACE_LOG,     /* what takt writes */
	TAKT_TRACE_LISTING, /* assembly text */
	TAKT_TRACE_HEX,     /* bytes of instructions, a line each */
	TAKT_TRACE_LACKEY,  /* of valgrind --tool=lackey --trace-mem=yes */
	TAKT_TRACE_PERF,    /* of perf script -F brstack */
};

struct takt_trace_import_options {
	enum takt_trace_kind kind;
	const char *isa;             /* of listings and bytes; NULL: a binary's, or x86-64 */
	enum takt_syntax syntax;     /* of x86-64 listings */
	const char *const *binaries; /* ELF files that ran: "FILE" or "FILE@HEX_ADDRESS" */
	size_t binary_count;
};

/*
 * The same totals from a log, or from a file that says in another way what ran (docs/formats.md,
 * "Traces of others"). `path` "-" is standard input. Either of the options may be NULL.
 */
TAKT_MUST_CHECK enum takt_status takt_trace_import(const char *path,
						   const struct takt_trace_options *options,
						   const struct takt_trace_import_options *others,
						   struct takt_diag *diag,
						   struct takt_trace_totals **ret_totals);

void takt_trace_totals_free(struct takt_trace_totals *totals);
/*
 * How a program that a signal killed came to its end, as a part of a sentence: "killed by SIGILL at
 * work+0x12 (program+0x1162): …"; nothing if none killed it.
 */
void takt_trace_write_killed(const struct takt_trace_totals *totals, struct takt_text *text);
/* What of the program is not in the figures, a sentence on each line; nothing if all of it is. */
void takt_trace_write_missing(const struct takt_trace_totals *totals, struct takt_text *text);

/*
 * Totals as takt_write_trace_json() wrote them to a file, with functions and blocks of the
 * profile, and nothing else of it; closed by takt_trace_result_close().
 */
TAKT_MUST_CHECK enum takt_status takt_trace_result_open(const char *path, struct takt_diag *diag,
							struct takt_trace_totals **ret_totals);
void takt_trace_result_close(struct takt_trace_totals *totals);
/* Whether a file looks like one; false if it cannot be read. "-", standard input, does. */
bool takt_trace_is_result(const char *path);

/* ---- what changed from one trace to another ---------------------------- */

/* What is compared. X(enumerator, word) */
#define TAKT_DIFF_BY_LIST(X)             \
	X(TAKT_DIFF_CYCLES, "cycles")    \
	X(TAKT_DIFF_INSNS, "instructions")

enum takt_diff_by {
#define X(name, word) name,
	TAKT_DIFF_BY_LIST(X)
#undef X
	TAKT_DIFF_BY_COUNT
};

/* What makes a comparison say something else than what the program's code changed. X(…, word) */
#define TAKT_DIFFERENCE_LIST(X)                \
	X(TAKT_DIFFERS_ISA, "isa")             \
	X(TAKT_DIFFERS_PROGRAM, "program")     \
	X(TAKT_DIFFERS_ARGUMENTS, "arguments") \
	X(TAKT_DIFFERS_CORE, "core")           \
	X(TAKT_DIFFERS_OPTIONS, "options")     \
	X(TAKT_DIFFERS_VERSION, "version")     \
	X(TAKT_DIFFERS_KILLED, "killed")       \
	X(TAKT_DIFFERS_STATUS, "status")       \
	X(TAKT_DIFFERS_PARTIAL, "partial")

enum takt_difference {
#define X(name, word) name,
	TAKT_DIFFERENCE_LIST(X)
#undef X
	TAKT_DIFFERENCE_COUNT
};

const char *takt_difference_word(enum takt_difference difference);
/*
 * True, with a part of a sentence that names it added to `text`, if two traces differ in this. What
 * one of them does not know is taken to be the same: takt_diff_not_known() adds what that is.
 */
bool takt_diff_differs(const struct takt_trace_totals *before,
		       const struct takt_trace_totals *after, enum takt_diff_by by,
		       enum takt_difference difference, struct takt_text *text);
bool takt_diff_not_known(const struct takt_trace_totals *totals, enum takt_diff_by by,
			 struct takt_text *text);

/* Blocks at the same place of a function: one with the same code, or all between two such. */
struct takt_diff_part {
	bool same;                 /* the code is the same but for addresses in it */
	const struct takt_trace_block *const *before, *const *after;
	uint32_t before_count, after_count;
	struct takt_trace_weight before_weight, after_weight;
};

/* A function of either. Matched by name and file, else by name, else without GCC's suffixes. */
struct takt_diff_function {
	const struct takt_trace_function *before, *after; /* NULL: did not run, or is not there */
	const struct takt_diff_part *parts; /* that changed, most first */
	uint32_t part_count;
};

struct takt_diff {
	const struct takt_trace_totals *before, *after;
	enum takt_diff_by by;      /* CYCLES if both have a core */
	/* The change in cycles is so near with a confidence of 95 %, if either is a sample; 0. */
	double half_width_cycles;
	const struct takt_diff_function *functions; /* that changed, most first */
	uint32_t function_count;
};

/* Both have to outlive the result. Fails if one has cycles and the other does not. */
TAKT_MUST_CHECK enum takt_status takt_diff_new(const struct takt_trace_totals *before,
					       const struct takt_trace_totals *after,
					       enum takt_diff_by by, struct takt_diag *diag,
					       struct takt_diff **ret_diff);
void takt_diff_free(struct takt_diff *diff);
/* Of what is compared. */
uint64_t takt_diff_figure(const struct takt_diff *diff, const struct takt_trace_weight *weight);
uint64_t takt_diff_total(const struct takt_diff *diff, const struct takt_trace_totals *totals);

/* ---- events: what a program did, counted -------------------------------- */

/* Where a figure comes from; of a metric, all that it is made of. */
enum takt_count_origin {
	TAKT_COUNTED = 1 << 0,  /* each one was seen */
	TAKT_MODELLED = 1 << 1, /* a model of caches or branch prediction says so */
	TAKT_TIMED = 1 << 2,    /* by a clock */
};

enum takt_count_backend { TAKT_COUNT_PMU, TAKT_COUNT_EMULATE };

struct takt_count_result;

/* Zero-initialise, then set what is needed. */
struct takt_count_options {
	enum takt_count_backend backend;
	const char *const *groups; /* names of metric groups, or of events: at least one */
	uint32_t group_count;
	const char *group_dir;     /* groups of the user's own; NULL: the built-in ones */
	const struct takt_model *model; /* whose caches are modelled, whose groups are meant */
	/* If `model` is NULL: asked for one, as struct takt_trace_core has it, with the
	 * instruction set, if there is need of one. NULL: no core. */
	const struct takt_model *(*open_model)(void *context, const char *isa);
	void *model_context;
	const char *log_path;      /* emulate: a log of takt trace instead of a program; or NULL */
	bool timed;                /* emulate: run the program again, natively, for its time */
	const char *cpus;          /* "0,2-3": pin threads to these, in their order; pmu counts
				    * on them if `per_cpu` */
	bool per_cpu;              /* pmu: count on the CPUs whoever runs, not the program */
	int attach_pid;            /* pmu: count what runs already; 0: run a program */
	double interval_seconds;   /* of the timeline; 0: none */
	/* Told once an interval what was counted in it. */
	void (*timeline)(void *context, const struct takt_count_result *result);
	void *timeline_context;
	volatile int *signal;      /* as for traces */
	char *const *variables;    /* as for traces: the program's environment */
};

struct takt_count_event {
	const char *name, *unit;
	const char *description;
	uint32_t origins;          /* enum takt_count_origin */
};

struct takt_count_metric {
	const char *group, *name, *unit;
	const char *formula;
	uint32_t origins;
};

/* What a thread (or CPU) did, in all or in a region. */
struct takt_count_part {
	const char *region;        /* NULL: all of it */
	uint32_t thread;           /* by creation; of `per_cpu` the CPU */
	uint64_t entries;          /* of the region */
	double seconds;            /* NaN if no clock was looked at: under emulation */
	const double *events;      /* by index; NaN: was not counted */
	const double *shares;      /* of the time that each was counted: below 1 it was
				    * multiplexed, and its figure scaled up */
	const double *metrics;     /* in their units; NaN: not known */
};

struct takt_count_result {
	const char *backend;       /* "pmu", "emulate" */
	const char *core;          /* whose caches are modelled, or whose counters; NULL: none */
	const char *family;        /* of the groups */
	const struct takt_count_event *events;
	const struct takt_count_metric *metrics;
	/* All threads of all, then those of each region, by thread. */
	const struct takt_count_part *parts;
	/* Of all threads: of all, then of each region. Metrics are those of the added events. */
	const struct takt_count_part *sums;
	uint32_t event_count, metric_count, part_count, sum_count, thread_count;
	const char *const *notes;  /* what a reader has to know: multiplexing, what was left out */
	uint32_t note_count;
	bool per_cpu;              /* parts are of CPUs, not of threads */
	double seconds;            /* that the program ran, by a clock; NaN: not known */
	int exit_status, signal;   /* of the program, as in takt_trace_totals */
};

/*
 * Runs `argv` (or attaches) and counts. UNAVAILABLE, with what would work, where there are no
 * counters.
 */
TAKT_MUST_CHECK enum takt_status takt_count(char *const *argv,
					    const struct takt_count_options *options,
					    struct takt_diag *diag,
					    struct takt_count_result **ret_result);
void takt_count_result_free(struct takt_count_result *result);

enum takt_count_format { TAKT_COUNT_TEXT, TAKT_COUNT_CSV, TAKT_COUNT_JSON };

void takt_write_count(const struct takt_count_result *result, enum takt_count_format format,
		      struct takt_text *text);
/* Groups of a family (all if NULL), with their events and formulas if `name` is one of them. */
TAKT_MUST_CHECK enum takt_status takt_count_list(const char *family, const char *name,
						 const char *group_dir, struct takt_diag *diag,
						 struct takt_text *text);
/*
 * Whether all groups can be read, their events are there, and their formulas have the units of
 * their metrics; says how many there are.
 */
TAKT_MUST_CHECK enum takt_status takt_count_check(const char *group_dir, struct takt_diag *diag,
						  struct takt_text *text);

/* ---- kernels with known counts: is what counts true, what are the machine's limits ---- */

enum takt_ceiling_kind {
	TAKT_CEILING_BANDWIDTH = 1 << 0, /* of each level: bytes the program reads and writes */
	TAKT_CEILING_FLOPS = 1 << 1,
	TAKT_CEILING_LATENCY = 1 << 2,   /* of a load in each level, by following pointers */
	TAKT_CEILING_TRANSFER = 1 << 3,  /* of a line from one processor to another */
};

/* Zero-initialise, then set what is needed. */
struct takt_ceiling_options {
	uint32_t kinds;              /* enum takt_ceiling_kind; 0: all */
	const char *levels;          /* "L1,MEM"; NULL: all */
	const char *kernels;         /* of bandwidth: "load,triad", or variants of them like
				      * "triad_avx_fma"; NULL: the usual ones */
	const char *threads;         /* "1,2,8"; NULL: 1, and as many as there are processors */
	uint32_t rounds;             /* of each, undisturbed if possible; 0: 7; 64 at most */
	double round_seconds;        /* each at least; 0: 1 ms */
	/* Called before each with what it is; false ends it all. NULL if not wanted. */
	bool (*progress)(void *context, const char *what);
	void *context;
};

/* A limit of the machine, timed. */
struct takt_ceiling {
	enum takt_ceiling_kind kind;
	const char *kernel;          /* with its variant: "triad_avx512_fma" */
	const char *level;           /* "L1" … "MEM"; "" if it has no data */
	const char *pages;           /* "huge", "mixed" or "small", as they were got; or "" */
	const char *cpus;            /* "0 1": where the threads were */
	uint32_t threads;
	uint64_t size_bytes;         /* of all data of all threads */
	double value;                /* the best undisturbed round */
	const char *unit;            /* "GB/s", "GFLOP/s", "ns" */
	double per_cycle;            /* of one thread: bytes or operations per cycle, or cycles */
	double median;               /* of the undisturbed rounds */
	double traffic;              /* what caches move, write-allocates included, by what the
				      * program reads and writes; 1 of L1 */
	uint32_t rounds, disturbed;  /* if all were disturbed, the value is of them */
};

struct takt_ceilings {
	const char *cpu;
	const struct takt_ceiling *items;
	uint32_t count;
	const char *const *notes;    /* what a reader has to know */
	uint32_t note_count;
};

/* Times them here, minutes at most. */
TAKT_MUST_CHECK enum takt_status takt_ceilings_measure(const struct takt_ceiling_options *options,
						       struct takt_diag *diag,
						       struct takt_ceilings **ret_ceilings);
/* From a file that takt_write_ceilings() made as CSV. */
TAKT_MUST_CHECK enum takt_status takt_ceilings_read(const char *path, struct takt_diag *diag,
						    struct takt_ceilings **ret_ceilings);
void takt_ceilings_free(struct takt_ceilings *ceilings);
void takt_write_ceilings(const struct takt_ceilings *ceilings, enum takt_count_format format,
			 struct takt_text *text);

enum takt_verdict {
	TAKT_EXACT,     /* no error at all */
	TAKT_GOOD,      /* errors up to 2 %, 1 % on average */
	TAKT_BIASED,    /* larger, but within 5 % of their average */
	TAKT_ORDERED,   /* whatever the errors, what is more is counted as more */
	TAKT_UNTRUSTED, /* not to be used */
	TAKT_UNTESTED,  /* no kernel has any of what it counts */
	TAKT_VERDICT_COUNT
};

const char *takt_verdict_word(enum takt_verdict verdict);

/* Zero-initialise, then set what is needed. */
struct takt_validation_options {
	enum takt_count_backend backend;
	const struct takt_model *model; /* of emulate: whose instruction set, whose caches are
					 * modelled; NULL: this machine's set, and no caches */
	char *const *argv;           /* pmu: this program under both backends instead of kernels;
				      * or NULL */
	const char *kernels;         /* "triad_avx_fma,ddot": these; "small": one variant of
				      * each; NULL: all that can run */
	const char *levels;          /* "L1,MEM"; "": none; NULL: all */
	/* Called before each run; false ends it all. NULL if not wanted. */
	bool (*progress)(void *context, const char *what);
	void *context;
};

/* What was found of an event, by all cases with data in one level. */
struct takt_trust_row {
	const char *event;
	const char *level;           /* of the data; "" if that does not matter */
	uint32_t cases, nonzero;     /* those where something was to be counted */
	double average, least, most; /* error: (counted - expected) / expected */
	const char *worst;           /* the kernel with the largest error; "" if there is none */
	double order;                /* Spearman's rank correlation with known rates; NaN: none */
	enum takt_verdict verdict;
};

/* One figure of one run. */
struct takt_trust_case {
	const char *event, *kernel, *level;
	uint32_t thread;
	double expected, counted;
	double scale;                /* what the error is relative to */
};

struct takt_trust {
	const char *backend, *core, *isa; /* core: "" if none */
	const struct takt_trust_row *rows;
	const struct takt_trust_case *cases; /* not kept in files */
	uint32_t row_count, case_count;
	const char *const *notes;
	uint32_t note_count;
};

/* Runs kernels with known counts as programs, and compares. */
TAKT_MUST_CHECK enum takt_status takt_validate(const struct takt_validation_options *options,
					       struct takt_diag *diag,
					       struct takt_trust **ret_trust);
/* From a file that takt_write_trust() made as CSV. */
TAKT_MUST_CHECK enum takt_status takt_trust_read(const char *path, struct takt_diag *diag,
						 struct takt_trust **ret_trust);
void takt_trust_free(struct takt_trust *trust);
/* The worst verdict on an event; UNTESTED if it is not in the table. */
enum takt_verdict takt_trust_verdict(const struct takt_trust *trust, const char *event);
/* `cases`: text and JSON with each figure. */
void takt_write_trust(const struct takt_trust *trust, enum takt_count_format format, bool cases,
		      struct takt_text *text);
/* Events of the groups of a family of cores ("zen4"), and what kernels let expect of them. */
TAKT_MUST_CHECK enum takt_status takt_write_meanings(const char *family, struct takt_diag *diag,
						     struct takt_text *text);
/* All kernels, with what each does. */
void takt_write_kernels(const char *isa, struct takt_text *text);
/* A kernel as a program of its own: "x86-64", "triad_avx", bytes of each stream, repetitions. */
TAKT_MUST_CHECK enum takt_status takt_kernel_write(const char *isa, const char *name,
						   uint64_t stream_bytes, uint64_t repeats,
						   const char *path, struct takt_diag *diag);

/* ---- diagnosis: which performance patterns a program shows ------------- */

/* AUTO: PMU where there are counters and the machine can run the program, else EMULATE. */
enum takt_diagnose_backend {
	TAKT_DIAGNOSE_EMULATE,
	TAKT_DIAGNOSE_PMU,
	TAKT_DIAGNOSE_AUTO,
};

/* Zero-initialise, then set what is needed. */
struct takt_diagnose_options {
	enum takt_diagnose_backend backend;
	/* As of struct takt_trace_core: whose caches, predictor and pipeline are modelled. */
	const struct takt_model *(*model)(void *context, const char *isa);
	void *context;
	const char *threads;       /* "1,2,4": run it with so many; NULL: as it is */
	const char *threads_variable; /* that tells it how many; NULL: "OMP_NUM_THREADS". And
				    * "{threads}" in its arguments becomes the number */
	const char *const *thresholds; /* "NAME=VALUE": instead of the usual ones */
	uint32_t threshold_count;
	double memory_gbs;         /* what all cores together get from memory; 0: not known */
	/* Events that it does not trust are no evidence. NULL: all are believed. Of another
	 * backend or instruction set it is bad input. */
	const struct takt_trust *trust;
	uint32_t numa_nodes;       /* that threads are on, in blocks; 0: those of this machine */
	bool no_timing;            /* do not run it natively as well */
	uint32_t rounds;           /* of each timed run; 0: 3 */
	bool sample;               /* simulate parts only */
	bool all_figures;          /* also of signatures that do not hold */
	volatile int *signal;      /* as for traces */
};

/* A figure that speaks for or against. */
struct takt_evidence {
	const char *what, *unit;
	double value;
	uint32_t origins;          /* enum takt_count_origin */
	const char *threshold;     /* its name; NULL: the figure decides nothing */
	double limit;
	bool below;                /* it speaks for the pattern below the limit, else from there on */
	const char *reference;     /* what it is compared with; "" if nothing */
	const char *events;        /* it is made of, between blanks; "" none that is validated */
	double error;              /* relative: the largest that the trust table has of those; NaN:
				    * not known */
	const char *distrusted;    /* one of them that is not to be used: the figure decides
				    * nothing; NULL: none */
};

enum takt_pattern_state { TAKT_PATTERN_CLEAR, TAKT_PATTERN_FOUND, TAKT_PATTERN_UNSEEN };

/* A pattern at a place, or of the whole program. */
struct takt_finding {
	const char *pattern;       /* "false-sharing" */
	const char *title;
	bool holds;                /* false only if all figures were asked for, or if doubted */
	bool doubted;              /* all that speaks against it is that events are not trusted */
	const char *place;         /* "function, file:line"; "" the program */
	double share;              /* of the program's cycles in the model; NaN: not known */
	const struct takt_evidence *evidence;
	uint32_t evidence_count;
	const char *const *details; /* source lines, variables */
	uint32_t detail_count;
	const char *suggestion;
};

/* All patterns, whether found or not. */
struct takt_pattern {
	const char *pattern, *title;
	enum takt_pattern_state verdict;
	const char *unseen;        /* what this run cannot show of it; "" if nothing */
	const char *distrusted;    /* UNSEEN because of this event; NULL: not because of any */
};

/*
 * What takt_analyze() says of the commonest way through a loop, by itself: its data in the first
 * cache, its branches foreseen. Cycles are per iteration.
 */
struct takt_loop_figures {
	uint64_t iterations;       /* times that it began */
	double run_cycles;         /* of the run, with misses and wrong branches: modelled */
	double way_share;          /* of the loop's instructions, those on this way */
	uint32_t calls;            /* on it: left out */
	double cycles;             /* simulated */
	double ports_cycles, front_end_cycles, issue_cycles, carried_cycles; /* bounds */
	const char *limit;         /* as in struct takt_analysis */
	const char *bottleneck;    /* the most important sentence of it; "" if there is none */
	const char *relaxed;       /* what would help most: "one more port like p5"; or "" */
	const char *advice;        /* what in the code may have the same effect, or "" */
	double relaxed_cycles;     /* with that; NaN: nothing helps */
};

/* A loop without the loops in it, or what of a function is in no loop. */
struct takt_place_figures {
	const char *place;
	double share;              /* of the program's cycles */
	uint64_t insns, cycles;
	uint64_t losses[TAKT_TRACE_LOSSES]; /* cycles */
	uint64_t misses[3];        /* of its accesses, in each level of caches */
	double line_use;           /* bytes accessed of each line that came, of its size; NaN: none */
	uint64_t float_insns, float_operations, scalar_operations;
	const struct takt_loop_figures *loop; /* NULL: it is none, or was not analyzed */
};

/* The program by itself, on this machine. */
struct takt_timed_run {
	uint32_t threads;          /* that were asked for; 0: none were */
	double seconds;            /* the shortest round */
	double cpu_seconds;        /* of all its threads, in that round */
	uint32_t most_threads;     /* that were there at once */
};

struct takt_diagnosis {
	const char *backend;       /* "emulate", "pmu" */
	const char *program, *guest, *core; /* core: "" if counters are of one that is not known */
	uint64_t insns, cycles;    /* of all threads; cycles are modelled, or by pmu counted */
	uint32_t thread_count;
	/* Of the distinct lines of each thread, in all: those in pages that another thread was
	 * the first to write, and those in pages of which that is not known. NaN: one thread. */
	double foreign_lines, unplaced_lines;
	const struct takt_finding *findings; /* most cycles first */
	const struct takt_pattern *patterns;
	const struct takt_place_figures *places; /* those that were looked at, most cycles first */
	const struct takt_timed_run *runs;
	const char *const *notes;  /* what a reader has to know */
	uint32_t finding_count, pattern_count, place_count, run_count, note_count;
	int exit_status, signal;   /* of the program, as in takt_trace_totals */
	const char *killed;        /* as takt_trace_write_killed() has it; "" if it was not */
};

TAKT_MUST_CHECK enum takt_status takt_diagnose(char *const *argv,
					       const struct takt_diagnose_options *options,
					       struct takt_diag *diag,
					       struct takt_diagnosis **ret_diagnosis);
void takt_diagnosis_free(struct takt_diagnosis *diagnosis);
void takt_write_diagnosis(const struct takt_diagnosis *diagnosis, enum takt_count_format format,
			  struct takt_text *text);
/* Whether numbers of threads and thresholds can be read; reported. takt_diagnose() asks, too. */
TAKT_MUST_CHECK enum takt_status
takt_diagnose_options_check(const struct takt_diagnose_options *options, struct takt_diag *diag);
/* The thresholds: name, usual value, meaning. */
void takt_write_thresholds(struct takt_text *text);

/* ---- instructions: what they cost, found by experiments ---------------- */

struct takt_lab_progress {
	const char *subject;        /* of this pass over the forms: "forms", "plain forms' ports" */
	size_t done, failed, total; /* of them; those done earlier are among them */
	double seconds_left;        /* NaN: not known yet */
	const char *form;           /* the last one */
};

/* Zero-initialise, then set what is needed. */
struct takt_lab_options {
	const char *machine;   /* "host", or "sim:CORE": the simulator plays that core */
	const char *model_dir; /* of the core, as for takt_model_open() */
	bool time_only;        /* of sim: do not count µops by port */
	/*
	 * Where µops are not counted, find out first which instructions compete for ports, by some
	 * thousands of experiments.
	 */
	bool classes;
	const char *classes_from; /* results of a survey that has found them; NULL: find them */
	double noise;          /* of sim: times are longer by up to this part of them, at random */
	uint64_t seed;         /* of the noise */
	/*
	 * Called after each form of a survey, and after each that may be of a class while these are
	 * found; false ends that. NULL: none.
	 */
	bool (*progress)(void *context, const struct takt_lab_progress *progress);
	void *context;
};

/* A machine ready for experiments, and what is known of it so far. One thread at a time. */
struct takt_lab;

TAKT_MUST_CHECK enum takt_status takt_lab_open(const struct takt_lab_options *options,
					       struct takt_diag *diag, struct takt_lab **ret_lab);
void takt_lab_close(struct takt_lab *lab);
/* The forms in scope that the machine runs. */
size_t takt_lab_form_count(const struct takt_lab *lab);
const char *takt_lab_form(const struct takt_lab *lab, size_t index);

/* From the operand `source` to the operand `destination`: between `least` and `most` cycles. */
struct takt_pair_latency {
	const char *source, *destination; /* as in timing files: "2", "2b", "f", "rax" */
	double least, most;
};

/*
 * What an instruction does with other registers, values or neighbours, if it is not what it does
 * anyway. `figure` is in cycles or a part of 1, by kind; docs/formats.md lists them.
 */
struct takt_variant {
	const char *kind;   /* "zero_idiom" */
	const char *title;  /* the same for people */
	const char *detail; /* "2>1": for which operands, or the like; "" for all */
	double figure, other; /* the latter, what it is held against; NaN: nothing */
	const char *other_title;
};

/* Owns all it points to. */
struct takt_characterization {
	const char *form, *machine;
	double throughput_cycles;  /* of one instance among independent ones */
	double chain_cycles;       /* of one after the other, on the same registers */
	double uops;               /* on ports; NaN if the machine does not count */
	/* "1*p01+1*p23"; without counters "1*{imul r32, r32, i32}": with ports like that of this
	 * one; "" if not known. */
	const char *ports;
	double ports_cycles;       /* throughput, if nothing but ports limited it; NaN if not known */
	bool ports_certain;        /* all µops are accounted for */
	const char *ports_doubt;   /* what does not fit; "" if certain, or not known */
	const struct takt_pair_latency *latencies;
	size_t latency_count;
	const struct takt_variant *variants;
	size_t variant_count;
	bool variants_complete; /* false: the machine was too busy for some */
	const char *experiments;   /* each with its code and figure; "" unless asked for */
	uint64_t experiment_count;
	uint64_t variant_experiment_count; /* of these, for the variants */
};

/*
 * `form` as in timing files ("add r64, m64"), or one instruction of assembly text. With
 * `explain`, fills `experiments`.
 */
TAKT_MUST_CHECK enum takt_status takt_characterize(struct takt_lab *lab, const char *form,
						   bool explain, struct takt_diag *diag,
						   struct takt_characterization **ret_result);
void takt_characterization_free(struct takt_characterization *result);

struct takt_survey_options {
	const char *path;   /* of the results, an SQLite database; made if there is none */
	const char *forms;  /* "vadd*": only forms like this; NULL: all */
	size_t step;        /* every so many forms; 0: each */
};

/*
 * Characterises all forms that the database does not have yet. Each is in it as soon as it is
 * finished, so a survey that was killed goes on where it was.
 */
TAKT_MUST_CHECK enum takt_status takt_survey(struct takt_lab *lab,
					     const struct takt_survey_options *options,
					     struct takt_diag *diag);

enum takt_survey_format {
	TAKT_SURVEY_REPORT, /* how many, which failed and why, where the model says otherwise */
	TAKT_SURVEY_CSV,
	TAKT_SURVEY_XML,    /* as uops.info's instructions.xml */
	TAKT_SURVEY_TIMING, /* a timing file over the model's own */
};

/* Appends what a survey found. `model` is the core's; NULL is fine for CSV. */
TAKT_MUST_CHECK enum takt_status takt_survey_write(const char *path, enum takt_survey_format format,
						   const struct takt_model *model,
						   struct takt_diag *diag, struct takt_text *text);

/*
 * Appends how far one survey's results agree with those of another, such as of the same core played
 * by the simulator: shares that agree, each difference by what it has to do with, and what only one
 * of them has. Both are files of takt_survey().
 */
TAKT_MUST_CHECK enum takt_status takt_survey_compare(const char *path, const char *reference,
						     struct takt_diag *diag,
						     struct takt_text *text);

/* ---- predictors against measurement, on whole kernels ------------------- */

/* Zero-initialise, then set what is needed. */
struct takt_evaluation_options {
	const char *directory;      /* of all that is made; each step goes on where it stopped */
	const char *kernels;        /* directory of their sources; only to build */
	bool small;                 /* build one benchmark of each kernel */
	uint32_t shard, shard_count; /* only part `shard`, from 1 on, of so many; 0: all */
	const char *predictor;       /* only the one of this name; NULL: all that are there */
	bool again;                  /* predict anew what is predicted, as after a change of a model */
	/* Called for each benchmark with what is done; NULL if not wanted. */
	void (*progress)(void *context, const char *line);
	void *context;
};

struct takt_evaluation;

TAKT_MUST_CHECK enum takt_status takt_evaluation_open(const struct takt_evaluation_options *options,
						      struct takt_diag *diag,
						      struct takt_evaluation **ret_evaluation);
void takt_evaluation_close(struct takt_evaluation *evaluation);
/* Compiles and checks all variants, and keeps those whose code is like no other's. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_build(struct takt_evaluation *evaluation,
						       struct takt_diag *diag);
/* Runs each under qemu: which blocks, and how often. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_count(struct takt_evaluation *evaluation,
						       struct takt_diag *diag);
/* On this machine. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_measure(struct takt_evaluation *evaluation,
							 struct takt_diag *diag);
/* By all predictors that are installed. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_predict(struct takt_evaluation *evaluation,
							 const struct takt_model *model,
							 struct takt_diag *diag);
/* Takes over the results of another directory: of a shard. Not its compiled benchmarks. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_merge(struct takt_evaluation *evaluation,
						       const char *directory,
						       struct takt_diag *diag);

enum takt_evaluation_format {
	TAKT_EVALUATION_TEXT, /* the tables of the CesASMe paper, with its figures */
	TAKT_EVALUATION_JSON, /* and each benchmark */
	TAKT_EVALUATION_SVG,  /* box plots */
};

/* What came of it, for one core. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_write(const struct takt_evaluation *evaluation,
						       const struct takt_model *model,
						       enum takt_evaluation_format format,
						       struct takt_diag *diag,
						       struct takt_text *text);

struct takt_write_options {
	bool colour;       /* ANSI colour */
	uint32_t columns;  /* width to keep to; 0 means 100 */
};

/* Writers append to `text`. */
void takt_write_analysis_text(const struct takt_analysis *analysis,
			      const struct takt_write_options *options, struct takt_text *text);
void takt_write_analysis_json(const struct takt_analysis *analysis, struct takt_text *text);
void takt_write_analysis_dot(const struct takt_analysis *analysis, struct takt_text *text);
/* One row for each µop, one column for each cycle. */
void takt_write_timeline_text(const struct takt_timeline *timeline,
			      const struct takt_write_options *options, struct takt_text *text);
/* Trace events in JSON, for Perfetto and Chrome; a cycle is shown as a microsecond. */
void takt_write_timeline_perfetto(const struct takt_timeline *timeline, struct takt_text *text);
/* The Kanata log, version 4, for Konata. */
void takt_write_timeline_konata(const struct takt_timeline *timeline, struct takt_text *text);
/* Of the same record what passes through memory: dependences, streams, page aliases. */
void takt_write_memory_text(const struct takt_analysis *analysis,
			    const struct takt_write_options *options, struct takt_text *text);
void takt_write_memory_json(const struct takt_analysis *analysis, struct takt_text *text);
void takt_write_memory_csv(const struct takt_analysis *analysis, struct takt_text *text);

enum takt_trace_by { TAKT_TRACE_FUNCTION, TAKT_TRACE_LINE, TAKT_TRACE_LOOP, TAKT_TRACE_BLOCK };

struct takt_trace_write_options {
	bool threads;              /* a row for each */
	enum takt_trace_by by;     /* of the profile, if there is one */
	uint32_t top;              /* rows of it; 0: none */
};

void takt_write_trace_text(const struct takt_trace_totals *totals,
			   const struct takt_trace_write_options *options, struct takt_text *text);
void takt_write_trace_json(const struct takt_trace_totals *totals, struct takt_text *text);
void takt_write_characterization_text(const struct takt_characterization *result,
				      struct takt_text *text);
void takt_write_characterization_json(const struct takt_characterization *result,
				      struct takt_text *text);

struct takt_diff_write_options {
	uint32_t functions, parts; /* at most so many of each, and of the parts of one */
	bool code;                 /* with the instructions of parts that changed */
};

void takt_write_diff_text(const struct takt_diff *diff,
			  const struct takt_diff_write_options *options, struct takt_text *text);
/* All functions and parts. */
void takt_write_diff_json(const struct takt_diff *diff, struct takt_text *text);
/* Folded stacks, "a;b;c 12", of cycles, or of instructions if there was no core. */
void takt_write_trace_folded(const struct takt_trace_profile *profile, struct takt_text *text);

#ifdef __cplusplus
}
#endif
#endif
