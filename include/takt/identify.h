/* SPDX-License-Identifier: MIT */
/*
 * Identifies this machine's core among the known ones: a fingerprint of timings is compared with
 * what the simulator says for each core.
 */
#ifndef TAKT_IDENTIFY_API_H
#define TAKT_IDENTIFY_API_H

#include <takt/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero-initialise, then set what is needed. */
struct takt_identify_options {
	const char *model_dir; /* directory of more cores, which are compared, too; or NULL */
	/* The simulator plays this core instead of the machine; NULL: measure the machine. */
	const struct takt_model *played;
	double noise;  /* with `played`: times differ by up to this fraction, at random */
	uint64_t seed; /* seed of the noise */
	TAKT_RESERVED;
};

/* One timing of the fingerprint, in cycles per execution of its code. */
struct takt_identify_probe {
	const char *name, *text; /* "imul chain", "imul rax, rbx" */
	double measured_cycles;	 /* NaN: the processor lacks an instruction, or was too busy */
	double nearest_cycles;	 /* of the nearest core; NaN: unknown */
};

/* A known core, and how far its timings are from those of the machine. */
struct takt_identify_core {
	const char *name, *title;
	/*
	 * Mean of |ln(measured / simulated)| over all probes with a measurement, none of which
	 * counts more than ln 2: 0.03 means that a typical probe is 3 % off. NaN: no timings.
	 */
	double distance;
	const char *contradiction; /* feature that rules the core out, as a sentence; or "" */
};

struct takt_identification {
	const char *processor;			/* how the processor identifies itself */
	const struct takt_identify_core *cores; /* those that are not ruled out first, by
						 * distance */
	uint32_t core_count;
	const struct takt_identify_probe *probes;
	uint32_t probe_count, measured_count; /* `measured_count` have a measurement */
	double seconds;			      /* time that the measurements took; 0: simulated */
	/* Sentence that says why there are no timings, and cores are by their features; "": there
	 * are timings. */
	const char *obstacle;
};

/*
 * Measure the fingerprint, which takes at most about two seconds, and compare it with all known
 * cores of the machine's instruction set: built-in ones, those of `model_dir`, and the one that was
 * learnt on this machine. If the host cannot be measured, the error is reported, the result's
 * `obstacle` has it, too, and its cores are those that the features allow.
 */
TAKT_API TAKT_MUST_CHECK enum takt_status takt_identify(const struct takt_identify_options *options,
							struct takt_diag *diag,
							struct takt_identification **ret_result);
TAKT_API void takt_identification_free(struct takt_identification *result);
/*
 * Keep the nearest core of a result without obstacle in the user's cache directory, where
 * takt_model_open("host") looks it up from then on. The file's path is appended to `path`.
 */
TAKT_API TAKT_MUST_CHECK enum takt_status
takt_identification_keep(const struct takt_identification *result, struct takt_diag *diag,
			 struct takt_text *path);
TAKT_API void takt_write_identification(const struct takt_identification *result,
					enum takt_format format, struct takt_text *text);

#ifdef __cplusplus
}
#endif

#endif
