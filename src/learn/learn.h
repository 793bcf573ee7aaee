/* SPDX-License-Identifier: MIT */
/*
 * learn: finds the parameters of a core by timing code that depends on them. A machine gives the
 * times: this host, or the simulator playing a core. The simulator is also the hypothesis: a value
 * is right if the simulated times of the experiments agree with the machine's. The interface is in
 * include/takt-lab/learn.h.
 */
#ifndef TAKT_LEARN_H
#define TAKT_LEARN_H

#include "base/record.h"
#include "model/model.h"
#include "takt-lab/characterize.h"
#include "takt-lab/learn.h"
#include "takt-lab/limits.h"

extern const struct takt_schema takt_learn_schema;

/* ---- code.c, code_x86.c, code_aarch64.c: code of experiments -------------------- */

/* Machine code of one iteration. */
struct learn_code {
	struct takt_arena *arena;
	uint8_t *bytes;
	size_t size_bytes, capacity_bytes;
};

/* Order in which copies of the code follow each other. */
struct learn_layout {
	bool loop; /* in a loop that ends in a counter and a jump; else copy after copy */
	uint32_t alignment_bytes; /* offset of the start in its 64-byte line */
};

void learn_code_add(struct learn_code *code, const uint8_t *bytes, size_t size_bytes);
/*
 * Add the instructions that a text names: words separated by blanks, "root*12" twelve times,
 * "nop*N" as often as `size` says, "[…]*N" a group repeated. False if the text is not sound.
 */
bool learn_code_add_text(struct learn_code *code, const char *isa, const char *text, int32_t size);
/* Add the end of a loop around the code: a counter and a jump. False if the set has none. */
bool learn_code_close_loop(struct learn_code *code, const char *isa);
/* Add the instruction of an x86 word; `index` chooses among registers and addresses. */
bool learn_x86_add(struct learn_code *code, const char *word, size_t word_size, uint32_t index);
void learn_x86_close_loop(struct learn_code *code);
/* The same for AArch64. */
bool learn_aarch64_add(struct learn_code *code, const char *word, size_t word_size, uint32_t index);
void learn_aarch64_add_insn(struct learn_code *code, uint32_t insn);
void learn_aarch64_close_loop(struct learn_code *code);

/* ---- machine.c: what gives times ------------------------------------------------ */

enum learn_outcome { LEARN_GOOD, LEARN_DISTURBED, LEARN_FAILED };

struct learn_timing {
	double cycles; /* per iteration; the median of rounds */
	double spread; /* relative interquartile range of the rounds */
	enum learn_outcome outcome;
};

struct learn_program;

struct learn_machine {
	const char *name; /* how the processor identifies itself */
	const char *isa;  /* "x86-64" or "aarch64" */
	/* Time the code, which is not closed as a loop. `key` is the same for the same timing. */
	void (*time)(struct learn_machine *machine, const struct learn_code *code,
		     const struct learn_layout *layout, uint64_t key,
		     struct learn_timing *ret_timing);
	/* Time a program, per item. */
	void (*run)(struct learn_machine *machine, const struct learn_program *program,
		    uint64_t key, struct learn_timing *ret_timing);
	void (*close)(struct learn_machine *machine);
};

TAKT_MUST_CHECK enum takt_status learn_machine_open(const struct takt_learn_options *options,
						    struct takt_diag *diag,
						    struct learn_machine **ret_machine);
void learn_machine_close(struct learn_machine *machine);

/* ---- player.c: the simulator with a hypothetical core ------------------------- */

struct learn_player;

struct learn_player *learn_player_new(const struct takt_model *model);
void learn_player_free(struct learn_player *player);
/* Return the simulated cycles of one iteration; NaN if the core cannot say. */
double learn_player_time(struct learn_player *player, const struct learn_code *code,
			 const struct learn_layout *layout);
/* Return the simulated cycles of one item of a program; NaN if the core cannot say. */
double learn_player_run(struct learn_player *player, const struct learn_program *program);

/* ---- journal.c: timings that outlive an interruption ---------------------------- */

struct learn_journal;

/* Open or begin a journal for this machine; one of another machine is an error. */
TAKT_MUST_CHECK enum takt_status learn_journal_open(const char *path, const char *machine,
						    struct takt_diag *diag,
						    struct learn_journal **ret_journal);
/* Find a timing by its key; false if there is none. */
bool learn_journal_find(const struct learn_journal *journal, uint64_t key,
			struct learn_timing *ret_timing);
/* Append a timing to the file. */
void learn_journal_add(struct learn_journal *journal, uint64_t key, const char *experiment,
		       int32_t size, const struct learn_timing *timing);
/* Close; false, reported, if something could not be written. */
bool learn_journal_close(struct learn_journal *journal, struct takt_diag *diag);

/* ---- experiments.c: timings of code whose size varies --------------------------- */

enum learn_kind {
	LEARN_LEVEL, /* the times themselves are compared */
	LEARN_SHAPE, /* where times change with the size: level and scale may differ */
};

/* A family of codes; experiments.def has all of them. */
struct learn_experiment {
	const char *name, *isa;
	enum learn_kind kind;
	bool loop;
	const char *sizes; /* "8 12 16", or "16..600": geometric, refined where times jump */
	const char *text;  /* for learn_code_add_text(), or "@…" for learn_program_build() */
};

const struct learn_experiment *learn_experiments(size_t *ret_count);

struct learn_point {
	struct learn_code code;
	const struct learn_program *program; /* instead of `code`; NULL: none */
	struct learn_layout layout;
	int32_t size;
	double cycles, sigma; /* of the machine; NaN: no timing. `sigma` is relative */
	double spread;	      /* relative spread of the repeats */
};

/* The timings of an experiment. */
struct learn_series {
	const struct learn_experiment *experiment;
	struct learn_point *points; /* by size */
	size_t count, capacity;
	uint32_t dropped; /* sizes whose repeats disagree, or that could not be timed */
	bool timed;
};

/* ---- core.c: parameters of hypothetical cores ------------------------------------- */

/* Parameters of a core that can be learnt. */
struct learn_core {
	struct takt_core_params params;
	struct takt_scheduler schedulers[TAKT_SCHEDULERS_MAX];
	/* For each scheduler, the first one that had the same size in the core's model: these are
	 * copies of one design, and keep a common size. */
	uint32_t first_of_size[TAKT_SCHEDULERS_MAX];
	uint32_t scheduler_count;
	const struct takt_fusing *fusing; /* NULL: as in the core's model */
};

/*
 * Numbers of schedulers' sizes as parameters begin here; that of the first scheduler of a size
 * stands for all of that size.
 */
#define LEARN_SCHEDULER 1000000u
/* Numbers of the digits of loop_buffer_copies begin here. */
#define LEARN_COPIES 2000000u
#define LEARN_NO_PARAMETER UINT32_MAX

void learn_core_init(struct learn_core *core, const struct takt_model *model);
/* Make a model of the core out of the one it was initialised from. */
struct takt_model *learn_core_model(const struct learn_core *core, const struct takt_model *model);
/* Return a parameter's number by its name in params.def; LEARN_NO_PARAMETER if there is none. */
uint32_t learn_parameter_find(const char *name, size_t name_size);
const char *learn_parameter_name(uint32_t parameter);
const char *learn_parameter_unit(uint32_t parameter);
/* Return the name of the ways that follow from a cache's size; NULL: it is no such size. */
const char *learn_parameter_ways(const char *name);
int32_t learn_core_get(const struct learn_core *core, uint32_t parameter);
void learn_core_set(struct learn_core *core, uint32_t parameter, int32_t value);
/* True if the simulator takes such a core. */
bool learn_core_is_sound(const struct learn_core *core);

/* ---- learn.c: a run ---------------------------------------------------------------- */

struct learn {
	const struct takt_learn_options *options;
	struct takt_diag *diag;
	struct takt_arena *arena;
	struct learn_machine *machine;
	struct learn_journal *journal;
	struct takt_model *nearest;  /* the core that learning starts from */
	struct learn_core core;	     /* what is known so far */
	struct takt_map simulated;   /* simulated cycles by core and point, see decide.c */
	struct learn_series *series; /* one for each experiment */
	size_t experiments_done;
	const struct takt_learnt_experiment *compared; /* by learn_compare() */
	uint32_t compared_count;
	struct takt_learnt_parameter *parameters; /* results */
	uint32_t parameter_count, parameter_capacity;
	const struct takt_learnt_pair *pairs; /* results */
	uint32_t pair_count;
	const char *rows; /* corrected rows, as text of a timing file; NULL: none */
	struct takt_survey_correction forms;
	double start_seconds;
	uint32_t timing_count, resumed_count, disturbed_count, failed_count;
	bool ended; /* the user ended the run */
};

/* Report progress; false if the run is to end. */
bool learn_step(struct learn *learn, const char *subject, size_t done, size_t total,
		const char *name);
/* Time code, or take the timing from the journal. */
void learn_time(struct learn *learn, const char *experiment, int32_t size,
		const struct learn_code *code, const struct learn_layout *layout,
		struct learn_timing *ret_timing);
/* Time a program, or take the timing from the journal. */
void learn_run(struct learn *learn, const struct learn_experiment *experiment, int32_t size,
	       const struct learn_program *program, struct learn_timing *ret_timing);
/* Return the simulated cycles of a point, per iteration or item. */
double learn_point_time(struct learn_player *player, const struct learn_point *point);
/* Return the experiment's series, timed if it was not yet; NULL if the run is to end. */
struct learn_series *learn_series_of(struct learn *learn, const char *name, size_t name_size);
/* True if the word is among those of a list that commas or blanks separate. */
bool learn_has_word(const char *list, const char *word, size_t size);
/* Report a word of `--only` that is none of the parameters that are decided, nor a kind of them. */
TAKT_MUST_CHECK enum takt_status learn_check_only(const char *only, struct takt_diag *diag);
/* Add a result. A parameter that has one already gets the new one. */
void learn_add_result(struct learn *learn, const struct takt_learnt_parameter *result);

/* A part of the run, which decides some parameters, or rows. It returns early if the run ended. */
typedef enum takt_status learn_part(struct learn *learn);

/* decide.c: structures inside the core */
learn_part learn_structures;
/* fusing.c: pairs of instructions that become one µop */
learn_part learn_fusing;
/* memory.c: take parameters from limits of the machine */
void learn_apply_limits(struct learn *learn, const struct takt_machine_limits *limits);
/* memory.c: rate of lines from memory; of this host only */
learn_part learn_memory;
/* rows.c: latencies and ports of instructions */
learn_part learn_rows;
/* chains.c: latencies of AArch64 instructions */
learn_part learn_chains;

#define LEARN_CHAIN_COPIES 8u

/* An instruction that learn_chains() checks. */
struct learn_chain {
	const char *text;
	uint32_t waiting;			  /* its code; copies wait for each other */
	uint32_t independent[LEARN_CHAIN_COPIES]; /* codes of copies that do not */
};

/* Find one of them by its index; false: there is none. */
bool learn_chain_at(size_t index, struct learn_chain *ret_chain);

/* ---- experiments_csv.c ------------------------------------------------------------- */

/*
 * Simulate all timings with the learnt core and with the nearest one: sets `compared` of `learn`,
 * which has the experiments that were timed.
 */
void learn_compare(struct learn *learn);
/* Append what learn_compare() found as CSV. */
void learn_write_experiments(const struct learn *learn, struct takt_text *text);

/* ---- plot.c ------------------------------------------------------------------------- */

/* Append an SVG of an experiment: the machine's times, and those simulated with two cores. */
void learn_plot(const struct takt_learnt_experiment *experiment, const char *name,
		const char *nearest_name, struct takt_text *text);
/* Draw the experiments that were compared into the folder "plots" of the directory. */
TAKT_MUST_CHECK enum takt_status learn_write_plots(struct learn *learn, const char *name);

/* ---- write.c ----------------------------------------------------------------------- */

TAKT_MUST_CHECK enum takt_status learn_write_file(const char *path, const struct takt_text *text,
						  struct takt_diag *diag);
TAKT_MUST_CHECK enum takt_status learn_write_model(struct learn *learn, const char *name,
						   const char *core_path, const char *timing_path,
						   const char *experiments_path);

#endif
