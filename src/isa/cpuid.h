/* SPDX-License-Identifier: MIT */
/* CPUID inside the room: answers by leaf, and what their bits mean. */
#ifndef TAKT_ISA_CPUID_H
#define TAKT_ISA_CPUID_H

#include "isa/cpu.h"

/* The answer for a leaf, stored or this processor's; false if there is none. */
bool takt_cpuid_ask(const struct takt_cpuid *cpuid, uint32_t leaf, uint32_t subleaf,
		    uint32_t registers[4]);
/* False if this processor does not know the leaf. */
bool takt_cpuid_ask_processor(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);
struct takt_cpu_features takt_cpuid_features(const struct takt_cpuid *cpuid);

#endif
