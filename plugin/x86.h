/* SPDX-License-Identifier: MIT */
/* x86: the few instructions whose events need care. */
#ifndef TAKT_PLUGIN_X86_H
#define TAKT_PLUGIN_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A string instruction with rep: qemu runs it once for each element, and once to find the end. */
bool x86_repeats(const uint8_t *bytes, size_t size_bytes);
/* Its accesses are to addresses that have nothing to do with each other: gathers, cmps. */
bool x86_scatters(const uint8_t *bytes, size_t size_bytes);

#endif
