/* SPDX-License-Identifier: MIT */
/*
 * Cores, and the timings of their instructions.
 */
#ifndef TAKT_MODEL_API_H
#define TAKT_MODEL_API_H

#include <takt/common.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A core and the timings of its instructions. Immutable once opened. */
struct takt_model;

/*
 * Open a core by name or alias ("SKX", "milan"). "host" and "native" mean this machine's core:
 * takt_model_recognition() then says how it was recognized; doubts are reported as a warning, and
 * the status is TAKT_OK nevertheless. `model_dir` may name a directory with cores/ and timing/
 * sub-directories whose files are read before the built-in ones; NULL: only the built-in ones. For
 * an unknown name, the nearest known names are reported.
 */
TAKT_API TAKT_MUST_CHECK enum takt_status takt_model_open(const char *name, const char *model_dir,
							  struct takt_diag *diag,
							  struct takt_model **ret_model);
/*
 * Open the same core with the rows of a timing file ("skl.timing", by its path) instead of its own
 * rows, or on top of them if the file names them as its `base`. The file's name must be that of the
 * core's timing.
 */
TAKT_API TAKT_MUST_CHECK enum takt_status
takt_model_open_timing(const char *name, const char *model_dir, const char *timing_file,
		       struct takt_diag *diag, struct takt_model **ret_model);
TAKT_API void takt_model_close(struct takt_model *model);
/* Return the canonical upper-case name, e.g. "SKX". */
TAKT_API const char *takt_model_name(const struct takt_model *model);
/* Return a title of one line, e.g. "Intel Skylake-SP". */
TAKT_API const char *takt_model_title(const struct takt_model *model);
/* Return the name of the core's instruction set: "x86-64", "aarch64", "llvm:riscv64:sifive-u74". */
TAKT_API const char *takt_model_isa_name(const struct takt_model *model);

/*
 * Evidence for this machine's core, the first of these that exists: a core of the given
 * directory with CPUID's family and model; a model that was learnt on this machine and installed;
 * the core that takt_identification_keep() kept for this processor; the core with CPUID's family
 * and model; the one with the nearest features. Features that contradict a core rule it out, unless
 * it was learnt here, or all cores are ruled out.
 */
struct takt_recognition {
	const char *processor; /* how the processor identifies itself: "GenuineIntel family 6 model
				* 85 stepping 7 (…)" */
	const char *claimed;   /* the core with that family and model; "" if there is none, or
				* the features rule it out and a learnt model is taken */
	const char *taken;     /* the core that is used */
	const char *reason;    /* why `taken` is another core than `claimed`, as a sentence; "" if
				* it is not */
	const char *by;	       /* what decided: "learnt model", that is installed; "timings" that
				* takt_identification_keep() kept; "family and model"; or
				* "features" */
	const char *note;      /* the other fields as one sentence for reports; "" if there is no
				* doubt */
	const char *chosen;    /* `by` in the words of reports, after the core's name: "taken by
				* its timings, 2.9 % from this machine's" */
};

/*
 * Return how the core was recognized; NULL if it was opened by its own name. The model owns the
 * record.
 */
TAKT_API const struct takt_recognition *takt_model_recognition(const struct takt_model *model);
/*
 * Return by what the core was chosen, in words for reports; NULL if it was opened by its own name.
 */
TAKT_API const char *takt_model_choice(const struct takt_model *model);
/*
 * Return the note of the recognition; NULL if there is none, or the core was opened by its own
 * name.
 */
TAKT_API const char *takt_model_doubt(const struct takt_model *model);

/* A core parameter as core files have it: "rob_entries" and "512", "yes" or "no". */
struct takt_setting {
	const char *name, *value;
};

/* Make a core that differs from `model` in these parameters. `model` must outlive it. */
TAKT_API TAKT_MUST_CHECK enum takt_status
takt_model_set(const struct takt_model *model, const struct takt_setting *settings,
	       size_t setting_count, struct takt_diag *diag, struct takt_model **ret_model);

/* The cores inside the library, in alphabetical order. */
TAKT_API size_t takt_model_builtin_count(void);
TAKT_API const char *takt_model_builtin_name(size_t index);

/* Writers of `takt model …`; each appends to `text`. `forms` is a glob, or NULL for all forms. */
TAKT_API void takt_model_write_list(struct takt_text *text);
/* The same in a format: a table of text, CSV, or JSON. */
TAKT_API void takt_model_write_list_as(enum takt_format format, struct takt_text *text);
/* List the processors that LLVM models, of one architecture ("riscv64") or of all (NULL). */
TAKT_API TAKT_MUST_CHECK enum takt_status takt_model_write_llvm_list(const char *architecture,
								     struct takt_diag *diag,
								     struct takt_text *text);
TAKT_API void takt_model_write_show(const struct takt_model *model, const char *forms,
				    struct takt_text *text);
/* Check the model's data. Return the number of findings. */
TAKT_API size_t takt_model_write_check(const struct takt_model *model, struct takt_text *text);
/* Compare two models. Return the number of differences. */
TAKT_API size_t takt_model_write_diff(const struct takt_model *left, const struct takt_model *right,
				      const char *forms, struct takt_text *text);

/*
 * Convert machine data of another project to a timing file in takt's format, written to `text`.
 * `source` is "uops.info:FILE.xml", "osaca:FILE.yml" or "llvm:CPU"; `model` is the core whose ports
 * the rows use (for uops.info it also selects the architecture in the file). A comment at the end
 * says how many entries have no counterpart.
 */
TAKT_API TAKT_MUST_CHECK enum takt_status takt_model_import(const struct takt_model *model,
							    const char *source,
							    struct takt_diag *diag,
							    struct takt_text *text);

#ifdef __cplusplus
}
#endif

#endif
