/* SPDX-License-Identifier: MIT */
/*
 * A core's structure, learnt from timings alone.
 *
 * A part of the laboratory: the command uses it, the library does not offer it.
 */
#ifndef TAKT_LAB_LEARN_H
#define TAKT_LAB_LEARN_H

#include <takt/model.h>
#include <takt/output.h>

struct takt_learn_progress {
	const char *subject; /* plural noun of what is counted: "experiments", "parameters" */
	size_t done, total;  /* `total` is 0 where it is not known */
	const char *name;    /* the experiment or parameter that comes next */
	double seconds;	     /* time since the start */
};

/* Zero-initialise, then set what is needed. */
struct takt_learn_options {
	/* The simulator plays this core instead of the machine; NULL: measure the machine. */
	const struct takt_model *played;
	const char *model_dir; /* directory of more cores, as for takt_model_open(); or NULL */
	const char *from;      /* core to start from; NULL: the nearest one, by its timings */
	double noise;	       /* with `played`: standard deviation of a round, relative */
	double disturbed;      /* with `played`: share of rounds that take up to a fifth longer */
	uint64_t seed;	       /* seed of the noise */
	const char *directory; /* where the model and the journal of timings go */
	const char *name;      /* name of the learnt core; NULL: "learnt" */
	/*
	 * Parameters to learn, by name, separated by commas or blanks; "forms" for the rows of
	 * instructions. NULL: all.
	 */
	const char *only;
	const char *forms; /* with `full`: check the rows that match, such as "vadd*"; NULL: all */
	bool install;	   /* let --arch=host take the learnt core on this machine from now on */
	bool full; /* decide by programs, too, and check all rows, not only the most frequent */
	/* Called before each experiment and each decision; false ends the run. NULL: none. */
	bool (*progress)(void *context, const struct takt_learn_progress *progress);
	void *context;
};

/* Certainty of a parameter's value. X(enumerator, word, text) */
#define TAKT_LEARNT_LIST(X)                                                                        \
	X(TAKT_LEARNT_MEASURED, "measured", "timings allow this value only, or an interval")       \
	X(TAKT_LEARNT_AT_LEAST, "at-least", "timings rule out smaller values only")                \
	X(TAKT_LEARNT_NOT_IDENTIFIABLE, "not-identifiable", "no experiment depends on it here")    \
	X(TAKT_LEARNT_DOUBTFUL, "doubtful",                                                        \
	  "no value explains the timings of all its experiments")                                  \
	X(TAKT_LEARNT_UNSTABLE, "unstable", "repeats of its experiments disagree")                 \
	X(TAKT_LEARNT_NO_TIMING, "no-timing", "its experiments could not be timed")

enum takt_learnt {
#define X(name, word, text) name,
	TAKT_LEARNT_LIST(X)
#undef X
		TAKT_LEARNT_COUNT
};

const char *takt_learnt_text(enum takt_learnt how);

struct takt_learnt_parameter {
	const char *name, *unit; /* as in core files; "scheduler a012345" is a scheduler's size */
	int32_t nearest;	 /* the value of the core that learning started from */
	int32_t value;		 /* the learnt value; `nearest` if it could not be learnt */
	int32_t least, most;	 /* interval of the values that the timings allow */
	enum takt_learnt how;
	double error;		 /* mean relative error of the simulated times with `value` */
	const char *experiments; /* names, separated by blanks */
};

/* A pair of instructions that may become one µop. */
struct takt_learnt_pair {
	const char *first, *second; /* mnemonics; of a conditional jump, the condition, and the
				     * kind of the first one's operands if that is in question */
	bool loaded;		    /* the first one is a load */
	bool nearest, fuses;	    /* on the core that learning started from, and as learnt */
	enum takt_learnt how;
	/* Time of copies of the pair, relative to the time with another instruction between the
	 * two: the machine's, and what it is if the pair fuses, and if it does not. NaN: unknown.
	 */
	double ratio, fused_ratio, plain_ratio;
};

/* A timing of the machine, and the times that two cores have in the simulator. */
struct takt_learnt_timing {
	int32_t size;		  /* of the experiment: the N of its code */
	uint32_t alignment_bytes; /* offset of the code in its line of 64 bytes */
	/* Cycles per iteration: the machine's, the learnt core's, the nearest core's; NaN: none. */
	double cycles, learnt_cycles, nearest_cycles;
};

/* An experiment: code whose time depends on its size. */
struct takt_learnt_experiment {
	const char *name, *code;
	const struct takt_learnt_timing *timings; /* by size */
	uint32_t timing_count;
};

/* A learnt core. Owns all it points to. */
struct takt_learning {
	const char *machine;		     /* how the processor identifies itself */
	const char *name, *nearest;	     /* the learnt core, and the one it started from */
	const char *core_path, *timing_path; /* the files written */
	const char *installed_path;	     /* directory of the installed model; NULL: none */
	const char *experiments_path;	     /* CSV of all timings, beside the learnt core's */
	double distance; /* of the nearest core, as in struct takt_identify_core;
			  * NaN: it was given */
	const struct takt_learnt_parameter *parameters;
	uint32_t parameter_count;
	const struct takt_learnt_pair *pairs; /* those that were timed */
	uint32_t pair_count;
	const struct takt_learnt_experiment *experiments; /* those that were timed */
	uint32_t experiment_count;
	/* Instructions whose rows were checked, those that agree, and those with a new row. */
	uint32_t forms_checked, forms_agreeing, forms_corrected;
	uint32_t timing_count, resumed_count; /* timings, and those of them from the journal */
	uint32_t disturbed_count; /* timings repeated because other load disturbed them */
	uint32_t failed_count;	  /* timings that could not be taken */
	double seconds;
};

/*
 * Learn a core and write its files to `directory`/cores and `directory`/timing. Each timing is
 * added to `directory`/learn.journal, so that a run that was interrupted can be resumed.
 * TAKT_UNAVAILABLE if this host cannot measure. If `progress` ended the run, the status is TAKT_OK
 * and *ret_learning is NULL.
 */
TAKT_MUST_CHECK enum takt_status takt_learn(const struct takt_learn_options *options,
					    struct takt_diag *diag,
					    struct takt_learning **ret_learning);
void takt_learning_free(struct takt_learning *learning);
void takt_write_learning(const struct takt_learning *learning, enum takt_format format,
			 struct takt_text *text);

#endif
