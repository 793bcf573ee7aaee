/* SPDX-License-Identifier: MIT */
/*
 * Costs of each instruction of a machine, found by experiments.
 *
 * A part of the laboratory: the command uses it, the library does not offer it.
 */
#ifndef TAKT_LAB_CHARACTERIZE_H
#define TAKT_LAB_CHARACTERIZE_H

#include <takt/model.h>

struct takt_lab_progress {
	const char *subject; /* kind of the current pass over the forms: "forms", "plain
			      * forms' ports" */
	size_t done, total;  /* forms of the pass, including those done in an earlier run */
	double seconds_left; /* NaN: not known yet */
	const char *form;    /* the last form done */
};

/* Zero-initialise, then set what is needed. */
struct takt_lab_options {
	const char *machine;		 /* "host", or "sim:CORE": the simulator plays that core */
	const struct takt_model *played; /* the simulator plays this core, which must outlive the
					  * lab, and `machine` is not used; NULL: none */
	bool without_variants; /* do not look for variants, which take most of the experiments */
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

/*
 * Latency from the operand `source` to the operand `destination`: between `least` and `most`
 * cycles.
 */
struct takt_pair_latency {
	const char *source, *destination; /* operands as in timing files: "2", "2b", "f", "rax" */
	double least, most;
};

/*
 * Behaviour of an instruction with particular registers, values or neighbours, if it differs from
 * its usual behaviour. `figure` is in cycles or a fraction of 1, depending on `kind`;
 * docs/formats/instructions.md lists them.
 */
struct takt_variant {
	const char *kind;     /* "zero_idiom" */
	const char *title;    /* the kind in words */
	const char *detail;   /* the operands concerned, such as "2>1"; "" for all */
	double figure, other; /* the figure, and the one it is compared with; NaN: none */
	const char *other_title;
};

/* An experiment on a form. */
struct takt_lab_experiment {
	const char *title, *code; /* its purpose; instructions, those that repeat with a count */
	const char *reason;	  /* why it has no figure; "" if it has */
	double cycles;		  /* of an execution of the code; NaN: no figure */
	/*
	 * The size that experiments of one purpose differ in: for a throughput, the number of
	 * instances in the code; for a latency, the known cycles of the chain's other links. NaN:
	 * none.
	 */
	double x;
	uint32_t instructions; /* number of instructions in the code */
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
	const char *no_latency_reason; /* why there are no latencies; "" if there are */
	const struct takt_variant *variants;
	size_t variant_count;
	bool variants_complete;	 /* false: some variants are missing because the machine was too
				  * busy */
	const char *experiments; /* all experiments with code and figure; "" unless asked for */
	const struct takt_lab_experiment *runs; /* the same, without conclusions; none unless
						 * asked for */
	uint32_t run_count;
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
	const char *path;	  /* SQLite database of the results; created if missing */
	const char *forms;	  /* "vadd*": only matching forms; NULL: all */
	size_t step;		  /* take every `step`-th form; 0: all */
	const char *const *names; /* take these forms only, sorted by strcmp(); NULL: all */
	size_t name_count;
	bool plain; /* leave out forms that use the µops of another one, such as masked ones */
	/*
	 * Results of another survey: figures that the forms are supposed to have. One experiment
	 * that finds such a figure confirms it, and the others on it are left out. NULL: none.
	 */
	const char *expected;
	/*
	 * The core that the simulator played in `expected`. Ports are inferred only of forms whose
	 * ports that survey found to be this core's, as takt_survey_correct() uses no others. NULL:
	 * of all forms.
	 */
	const struct takt_model *expected_of;
	bool certain_only; /* end the experiments on a form's ports once they are in doubt */
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
	TAKT_SURVEY_JSON,   /* all forms, for programs and for reports in a browser */
};

/*
 * Append the results of a survey. `model` is the core's; it may be NULL for a report, CSV and JSON.
 */
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

/* Differences of a survey of a machine from one of the simulator that plays the supposed core. */
struct takt_survey_correction {
	size_t compared;    /* forms that both surveys have figures of */
	size_t agreeing;    /* forms whose latencies and throughput agree */
	size_t corrected;   /* forms with a new row */
	size_t ports;	    /* forms with other ports, inferred from mixes, in new rows */
	size_t throughputs; /* forms with other ports or another occupancy, in new rows, by their
			     * throughput alone */
	size_t unexplained; /* forms whose throughput differs for a reason that is not known */
	size_t unstable;    /* forms whose throughput could not be measured twice alike */
};

/* Surveys of a machine and of the simulator that plays `model`: databases of takt_survey(). */
struct takt_survey_pair {
	const char *measured, *simulated;
	const struct takt_model *model;
	const char *tag; /* the source of the rows that are corrected */
};

/*
 * Append rows of a timing file for the forms whose figures differ between the two surveys. A row
 * is the model's, with the differences added.
 */
TAKT_MUST_CHECK enum takt_status takt_survey_correct(const struct takt_survey_pair *surveys,
						     struct takt_diag *diag, struct takt_text *text,
						     struct takt_survey_correction *ret_correction);

/* Options of takt_ibench_write(). Zero-initialise, then set what is needed. */
struct takt_ibench_options {
	const char *directory; /* of the files; created if it is missing */
	const char *form;  /* the form as in timing files; NULL: all forms that `forms` matches */
	const char *forms; /* "vadd*": only matching forms; NULL: all */
	const struct takt_model *model; /* only forms that this core has; NULL: all */
};

/* Forms without a benchmark, by the reason, a phrase that lives for the whole run. */
struct takt_ibench_reason {
	const char *reason;
	size_t count;
};

#define TAKT_IBENCH_REASONS_MAX 16

struct takt_ibench_result {
	size_t file_count;
	struct takt_ibench_reason reasons[TAKT_IBENCH_REASONS_MAX];
	size_t reason_count;
};

/*
 * Write benchmarks for ibench, two assembly files for each x86-64 form: NAME-TP.S for the
 * reciprocal throughput, and NAME-LT.S for the latency. A form that cannot have one of them has
 * only the other, and forms that can have none are counted in `ret_result`. Errors: unknown forms,
 * and files that cannot be written.
 */
TAKT_MUST_CHECK enum takt_status takt_ibench_write(const struct takt_ibench_options *options,
						   struct takt_diag *diag,
						   struct takt_ibench_result *ret_result);

void takt_write_characterization_text(const struct takt_characterization *result,
				      struct takt_text *text);
void takt_write_characterization_json(const struct takt_characterization *result,
				      struct takt_text *text);

#endif
