/* SPDX-License-Identifier: MIT */
/*
 * host: recognizes the core of this machine. Family and model of CPUID name a core, but
 * hypervisors make them up, so features decide: a feature that is present proves that the
 * processor has it, one that is missing may just be hidden. Where a timing experiment has to
 * decide between cores, it starts from the candidates that takt_host_judge() judged.
 */
#ifndef TAKT_MODEL_HOST_H
#define TAKT_MODEL_HOST_H

#include "isa/cpu.h"
#include "model/draft.h"
#include "model/model.h"

/* A core that the machine might have, and the evidence against it. */
struct takt_host_candidate {
	const char *name, *vendor;
	const struct takt_image_cpuid *cpuids;
	uint32_t cpuid_count;
	struct takt_cpu_features features; /* needed by the core's ISA sets, if it lists any */
	bool features_known;
	uint32_t l1d_kb, l2_kb; /* cache sizes; 0: not known */
	/* Set by takt_host_judge(): */
	bool is_claimed; /* CPUID's family and model are this core's */
	bool is_same_vendor;
	bool has_smaller_l1d;		  /* smaller than CPUID says the processor's is */
	struct takt_cpu_features lacking; /* features that the processor has and the core lacks */
	struct takt_cpu_features missing; /* features that the core has and the processor lacks */
};

/* List the cores for processors of the cpu's kind: the directory's, then the built-in ones. */
size_t takt_host_candidates(struct takt_loader *loader, const struct takt_cpu *cpu,
			    struct takt_host_candidate **ret_candidates);
/* Compare the candidate with what the processor says of itself. */
void takt_host_judge(const struct takt_cpu *cpu, struct takt_host_candidate *candidate);
/* True if the judgement proves that the processor does not have this core. */
bool takt_host_is_ruled_out(const struct takt_host_candidate *candidate);

/*
 * Read what takt_host_timings_keep() wrote for this processor; false if there is nothing. The
 * strings are in the arena.
 */
bool takt_host_timings_read(const struct takt_cpu *cpu, struct takt_arena *arena,
			    struct takt_host_timings *ret_timings);

/*
 * Recognize the processor that gave these CPUID answers. If timings of it are known and its
 * features do not rule out the core that they are nearest to, it is that one. `use_timings` looks
 * them up in the user's cache directory. The strings of the result are in the loader's arena.
 * False, after an error, if the answers say nothing or no core is near.
 */
bool takt_host_recognize(struct takt_loader *loader, const struct takt_cpuid *cpuid,
			 bool use_timings, struct takt_recognition *ret_recognition);
/*
 * Recognize this machine's processor, or the one whose answers are in the file that the
 * environment variable TAKT_CPUID names. A doubtful result is reported as a warning.
 */
bool takt_host_recognize_this(struct takt_loader *loader, struct takt_recognition *ret_recognition);

#endif
