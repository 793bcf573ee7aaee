/* SPDX-License-Identifier: MIT */
/*
 * Which core this machine has. Family and model of CPUID name one, but hypervisors make them up,
 * so features have the last word: a feature that is there proves the processor, one that is
 * missing may just be hidden. Where timing is to decide between cores, it starts from the
 * candidates as takt_host_judge() left them.
 */
#ifndef TAKT_MODEL_HOST_H
#define TAKT_MODEL_HOST_H

#include "isa/cpu.h"
#include "model/draft.h"

/* A core that the machine might have, and what speaks against it. */
struct takt_host_candidate {
	const char *name, *vendor;
	const struct takt_image_cpuid *cpuids;
	uint32_t cpuid_count;
	struct takt_cpu_features features; /* that its ISA sets need; none if it lists none */
	bool features_known;
	uint32_t l1d_kb, l2_kb;            /* 0: not known */
	/* Set by takt_host_judge(): */
	bool is_claimed;                   /* family and model are its own */
	bool is_same_vendor;
	bool has_smaller_l1d;              /* than the processor says it has */
	struct takt_cpu_features lacking;  /* that the processor has and the core lacks */
	struct takt_cpu_features missing;  /* that the core has and the processor lacks */
};

/* Every core of a directory, then those built in, that is for processors of the cpu's kind. */
size_t takt_host_candidates(struct takt_loader *loader, const struct takt_cpu *cpu,
			    struct takt_host_candidate **ret_candidates);
void takt_host_judge(const struct takt_cpu *cpu, struct takt_host_candidate *candidate);
/* True if what was found proves that the processor is not of this core. */
bool takt_host_is_ruled_out(const struct takt_host_candidate *candidate);

/*
 * Recognizes the processor that gave these answers. The strings of the result are in the
 * loader's arena. False, reported, if it says nothing of itself, or no core is near.
 */
bool takt_host_recognize(struct takt_loader *loader, const struct takt_cpuid *cpuid,
			 struct takt_recognition *ret_recognition);
/*
 * The same for this machine, or for the answers in the file that the environment variable
 * TAKT_CPUID names. What is doubtful is reported as a warning.
 */
bool takt_host_recognize_this(struct takt_loader *loader,
			      struct takt_recognition *ret_recognition);

#endif
