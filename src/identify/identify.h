/* SPDX-License-Identifier: MIT */
/*
 * identify: finds the known core whose simulated timings are nearest to those measured on this
 * machine. Hypervisors make up what CPUID says; a core's latencies and widths they cannot. The
 * public interface is in takt/identify.h.
 */
#ifndef TAKT_IDENTIFY_H
#define TAKT_IDENTIFY_H

#include "analyze/analyze.h"

/* Code of a fingerprint. */
struct identify_code {
	const char *name, *text;
	const uint8_t *bytes;
	size_t size_bytes;
};

/* Return the fingerprint of an instruction set, "x86-64" or "aarch64"; no codes for others. */
const struct identify_code *identify_codes(const char *isa, size_t *ret_count);

#endif
