/* SPDX-License-Identifier: MIT */
/*
 * cpu: identifies a processor. On x86 it uses CPUID: either this processor's answers, or answers
 * stored in a file (takt_cpuid_parse), with which the choice of a core is tested. A hypervisor
 * may give any answer: see takt_cpu_feature_kept().
 */
#ifndef TAKT_ISA_CPU_H
#define TAKT_ISA_CPU_H

#include "isa/isa.h"

/* One answer of CPUID. */
struct takt_cpuid_row {
	uint32_t leaf, subleaf;
	uint32_t registers[4]; /* eax, ebx, ecx, edx */
};

/* Stored answers of CPUID; without rows, this processor is asked. */
struct takt_cpuid {
	const struct takt_cpuid_row *rows;
	size_t row_count;
};

#define TAKT_CPUID_ROWS_MAX 1024u

/*
 * Read the answers of the first processor in a text that `cpuid -r` printed,
 * "0x00000007 0x00: eax=0x00000001 ebx=…". Lines of another form are skipped. False, reported,
 * if leaves 0 and 1 are not among them or there are more than TAKT_CPUID_ROWS_MAX. The rows
 * belong to the arena.
 */
bool takt_cpuid_parse(const char *name, const char *text, size_t size_bytes,
		      struct takt_arena *arena, struct takt_diag *diag,
		      struct takt_cpuid *ret_cpuid);

#define TAKT_CPU_FEATURE_WORDS 2u

/* A set of features: bit i % 64 of word i / 64 is feature i. */
struct takt_cpu_features {
	uint64_t words[TAKT_CPU_FEATURE_WORDS];
};

struct takt_cpu {
	char vendor[13]; /* "GenuineIntel"; "" on AArch64, where the family is the implementer */
	char brand[49];	 /* "" if it has none */
	uint32_t family, model, stepping;
	struct takt_cpu_features features; /* whether or not the system enables them */
	uint32_t l1i_kb, l1d_kb, l2_kb;	   /* cache sizes; 0 if not known */
};

/* Identify a processor (NULL: this one); false if neither CPUID nor MIDR_EL1 can be read. */
bool takt_cpu_read(const struct takt_cpuid *cpuid, struct takt_cpu *ret_cpu);
/* Append, for example, "GenuineIntel family 6 model 167 stepping 1". */
void takt_cpu_write(const struct takt_cpu *cpu, struct takt_text *text);

/*
 * A feature is a bit of CPUID that indicates an ISA set (takt_isa_set_name). If several sets share
 * a feature, it is written with the name of the first, as in "avx512f", "gfni".
 */
size_t takt_cpu_feature_count(void);
void takt_cpu_feature_write(size_t feature, struct takt_text *text);
/*
 * True for features that no hypervisor hides from its guests and no maker disables in cheaper
 * products, as far as known. The absence of others says little.
 */
bool takt_cpu_feature_kept(size_t feature);
/*
 * Return the register state that a feature uses, as bits of XCR0; 0 if the system need not save
 * it. Features that share these bits are enabled and disabled together.
 */
uint32_t takt_cpu_feature_state(size_t feature);
/* Return the features that a core with these ISA sets has; `sets` is a bit set of `set_count`. */
struct takt_cpu_features takt_cpu_features_of(const uint64_t *sets, size_t set_count);

/*
 * True if this processor has the ISA set of that name, the system saves its registers, and takt
 * can run it in its sandbox.
 */
bool takt_cpu_runs(const char *isa_set);

#endif
