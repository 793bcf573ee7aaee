/* SPDX-License-Identifier: MIT */
/*
 * host: recognizes the core of this machine. Family and model of CPUID name a core, but
 * hypervisors make them up, so features decide: a feature that is present proves that the
 * processor has it, one that is missing may just be hidden. Where a timing experiment has to
 * decide between cores, it starts from judged candidates.
 */
#ifndef TAKT_MODEL_HOST_H
#define TAKT_MODEL_HOST_H

#include "isa/cpu.h"
#include "model/draft.h"
#include "model/model.h"

#define TAKT_HOST_NAME_SIZE 64	 /* of a core's name in the user's files, with the NUL */
#define TAKT_HOST_FILE_SIZE 4096 /* more is not read of a user's file about this machine */

/* A core that the machine might have, and the evidence against it. */
struct takt_host_candidate {
	const char *name, *vendor;
	const struct takt_image_cpuid *cpuids;
	uint32_t cpuid_count;
	const struct takt_image *image;	   /* has the strings of the cpuids' analogies, or NULL: */
	const char *const *analogies;	   /* they are here, one for each cpuid */
	struct takt_cpu_features features; /* needed by the core's ISA sets, if it lists any */
	bool features_known;
	uint32_t l1i_kb, l1d_kb, l2_kb; /* cache sizes; 0: not known */
	/* Results of the judgement: */
	bool is_claimed;     /* CPUID's family and model are this core's */
	const char *analogy; /* how the claiming product's core differs from this one; or "" */
	bool is_same_vendor;
	bool has_smaller_l1d;		  /* smaller than CPUID says the processor's is */
	struct takt_cpu_features lacking; /* features that the processor has and the core lacks */
	struct takt_cpu_features missing; /* features that the core has and the processor lacks */
};

/* ---- the user's files about this machine (user_files.c) ------------------ */

/* Append takt's folder for the user's cache or data; false if the user has none. */
bool takt_user_cache(struct takt_text *path);
bool takt_user_data(struct takt_text *path);
/* Make the directory and those above it that are missing. */
bool takt_make_directories(const char *path, struct takt_diag *diag);
/* Append the first line of a file, and the lines that say for which processor it holds. */
void takt_host_write_key(const char *first_line, const struct takt_cpu *cpu,
			 struct takt_text *text);
/* Return a hash of these lines, by which the file or its folder is named. */
uint64_t takt_host_hash_key(const char *first_line, const struct takt_cpu *cpu);
/* Return what follows these lines in a file's text; NULL if it begins with others. */
const char *takt_host_skip_key(const char *first_line, const struct takt_cpu *cpu, const char *text,
			       size_t size_bytes);
/* Read a file's content; return its size, or 0 if there is no such file. */
size_t takt_host_read(const char *path, char ret_content[TAKT_HOST_FILE_SIZE]);
/* True if the word can be a core's name in these files. */
bool takt_host_name_is_fine(struct takt_word name);

/*
 * Read what takt_host_timings_keep() wrote for this processor; false if there is nothing. The
 * strings are in the arena.
 */
bool takt_host_timings_read(const struct takt_cpu *cpu, struct takt_arena *arena,
			    struct takt_host_timings *ret_timings);
bool takt_host_timings_parse(const struct takt_cpu *cpu, const char *text, size_t size_bytes,
			     struct takt_arena *arena, struct takt_host_timings *ret_timings);
/*
 * Find the model directory and the core that takt_learnt_install() installed for this processor;
 * false if there is none. The strings are in the arena.
 */
bool takt_learnt_find(const struct takt_cpu *cpu, struct takt_arena *arena, const char **ret_dir,
		      const char **ret_core);
/* Read the core's name from the file that says for which processor a model is installed. */
bool takt_learnt_parse(const struct takt_cpu *cpu, const char *text, size_t size_bytes,
		       struct takt_arena *arena, const char **ret_core);

/*
 * Recognize the processor that gave these CPUID answers, by the first of these that there is: a
 * core of the loader's directory with its family and model; an installed model that was learnt on
 * it; the core that its timings are nearest to; the core with its family and model; the nearest by
 * features. Features that contradict rule a core out, but not a learnt model. `use_files` looks up
 * what the user's files say of this processor. The strings of the result are in the loader's arena.
 * False, after an error, if the answers say nothing or no core is near.
 */
bool takt_host_recognize(struct takt_loader *loader, const struct takt_cpuid *cpuid, bool use_files,
			 struct takt_recognition *ret_recognition);
/*
 * Recognize this machine's processor, or the one whose answers are in the file that the
 * environment variable TAKT_CPUID names. A doubtful result is reported as a warning.
 */
bool takt_host_recognize_this(struct takt_loader *loader, struct takt_recognition *ret_recognition);

#endif
