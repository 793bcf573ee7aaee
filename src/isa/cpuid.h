/* SPDX-License-Identifier: MIT */
/* CPUID: answers by leaf, and the features that their bits indicate. Private to isa. */
#ifndef TAKT_ISA_CPUID_H
#define TAKT_ISA_CPUID_H

#include "isa/cpu.h"

/* Get the answer for a leaf, stored or this processor's; false if there is none. */
bool takt_cpuid_ask(const struct takt_cpuid *cpuid, uint32_t leaf, uint32_t subleaf,
		    uint32_t registers[4]);
/* Ask this processor; false if it does not know the leaf. */
bool takt_cpuid_ask_processor(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);
struct takt_cpu_features takt_cpuid_features(const struct takt_cpuid *cpuid);

#endif
