/* SPDX-License-Identifier: MIT */
/*
 * cpu: what a processor says of itself. On x86 that is CPUID, of which there may be two: this
 * processor's own answers, and answers stored in a file (takt_cpuid_parse), with which the
 * choice of a core is tested. A hypervisor may answer whatever it likes: see takt_cpu_feature_kept().
 */
#ifndef TAKT_ISA_CPU_H
#define TAKT_ISA_CPU_H

#include "isa/isa.h"

/* One answer of CPUID. */
struct takt_cpuid_row {
	uint32_t leaf, subleaf;
	uint32_t registers[4]; /* eax, ebx, ecx, edx */
};

/* Stored answers; no rows: this processor is asked. */
struct takt_cpuid {
	const struct takt_cpuid_row *rows;
	size_t row_count;
};

#define TAKT_CPUID_ROWS_MAX 1024u

/*
 * Reads answers as `cpuid -r` prints them, "0x00000007 0x00: eax=0x00000001 ebx=…", of the first
 * processor in the text. Lines of another form are skipped. False, reported, if leaves 0 and 1
 * are not among them or there are more than TAKT_CPUID_ROWS_MAX. The rows belong to the arena.
 */
bool takt_cpuid_parse(const char *name, const char *text, size_t size_bytes,
		      struct takt_arena *arena, struct takt_diag *diag,
		      struct takt_cpuid *ret_cpuid);

#define TAKT_CPU_FEATURE_WORDS 2u

/* Features as a set: bit i % 64 of word i / 64 is feature i. */
struct takt_cpu_features {
	uint64_t words[TAKT_CPU_FEATURE_WORDS];
};

struct takt_cpu {
	char vendor[13]; /* "GenuineIntel"; "" on AArch64, where the family is the implementer */
	char brand[49];  /* "" if it has none */
	uint32_t family, model, stepping;
	bool hypervisor; /* it says that it is a virtual machine's */
	struct takt_cpu_features features; /* that it has, whether or not the system enables them */
	uint32_t l1d_kb, l2_kb; /* sizes of its caches; 0: not told */
};

/* False if there is nothing to ask. */
bool takt_cpu_read(const struct takt_cpuid *cpuid, struct takt_cpu *ret_cpu);
/* "GenuineIntel family 6 model 167 stepping 1" */
void takt_cpu_write(const struct takt_cpu *cpu, struct takt_text *text);

/*
 * Features are bits of CPUID that tell of ISA sets (takt_isa_set_name); several sets may share
 * one, which is written with the first one's name, as in "avx512f", "gfni".
 */
size_t takt_cpu_feature_count(void);
void takt_cpu_feature_write(size_t feature, struct takt_text *text);
/*
 * True for features that no hypervisor hides from its guests and no maker disables in cheaper
 * products, as far as known. The absence of others says little.
 */
bool takt_cpu_feature_kept(size_t feature);
/*
 * The registers that programs use a feature with, as bits of XCR0; 0 if no system needs to know of
 * them. Features that share them come and go together.
 */
uint32_t takt_cpu_feature_state(size_t feature);
/* The features that a core needs whose ISA sets are the bits of `sets`, `set_count` of them. */
struct takt_cpu_features takt_cpu_features_of(const uint64_t *sets, size_t set_count);

/*
 * True if this processor has the ISA set of that name, the system saves its registers, and takt
 * can run it in its sandbox.
 */
bool takt_cpu_runs(const char *isa_set);

#endif
