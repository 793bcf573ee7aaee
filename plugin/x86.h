/* SPDX-License-Identifier: MIT */
/* x86: recognizes the few instructions whose events need special treatment. */
#ifndef TAKT_PLUGIN_X86_H
#define TAKT_PLUGIN_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True for a string instruction with rep: qemu runs it once per element, and once for the end. */
bool x86_repeats(const uint8_t *bytes, size_t size_bytes);
/* True for gathers and cmps, whose accesses are to unrelated addresses. */
bool x86_scatters(const uint8_t *bytes, size_t size_bytes);

#endif
