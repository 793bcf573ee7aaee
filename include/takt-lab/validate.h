/* SPDX-License-Identifier: MIT */
/*
 * Kernels with known counts, run to find which events count correctly.
 *
 * A part of the laboratory: the command uses it, the library does not offer it.
 */
#ifndef TAKT_LAB_VALIDATE_H
#define TAKT_LAB_VALIDATE_H

#include <takt/trust.h>

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

/* Run kernels with known counts as programs, and compare the counts. */
TAKT_MUST_CHECK enum takt_status takt_validate(const struct takt_validation_options *options,
					       struct takt_diag *diag,
					       struct takt_trust **ret_trust);

/*
 * Write the events of the groups of a family of cores ("zen4"), and what the kernels expect of
 * each.
 */
TAKT_MUST_CHECK enum takt_status takt_write_meanings(const char *family, struct takt_diag *diag,
						     struct takt_text *text);
/*
 * List the kernels of an instruction set ("x86-64"; NULL: this machine's), with what each does and
 * its variants. TAKT_UNAVAILABLE, with an error, if there are none for it.
 */
TAKT_MUST_CHECK enum takt_status takt_write_kernels(const char *isa, struct takt_diag *diag,
						    struct takt_text *text);
TAKT_MUST_CHECK enum takt_status takt_write_kernels_json(const char *isa, struct takt_diag *diag,
							 struct takt_text *text);
/*
 * Write a kernel as a program of its own: `isa` "x86-64", `name` "triad_avx", bytes of each stream,
 * and number of repetitions.
 */
TAKT_MUST_CHECK enum takt_status takt_kernel_write(const char *isa, const char *name,
						   uint64_t stream_bytes, uint64_t repeats,
						   const char *path, struct takt_diag *diag);

#endif
