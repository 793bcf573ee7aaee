/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "report/trace.h"

const struct takt_trace_figure takt_trace_figures[TAKT_TRACE_FIGURES] = {
	{"instructions", offsetof(struct takt_trace_counts, insns), false},
	{"string repeats", offsetof(struct takt_trace_counts, repeats), false},
	{"interrupted", offsetof(struct takt_trace_counts, interrupted), false},
	{"blocks", offsetof(struct takt_trace_counts, blocks), false},
	{"branches taken", offsetof(struct takt_trace_counts, taken), false},
	{"branches not taken", offsetof(struct takt_trace_counts, not_taken), false},
	{"loads", offsetof(struct takt_trace_counts, loads), true},
	{"bytes loaded", offsetof(struct takt_trace_counts, load_bytes), true},
	{"stores", offsetof(struct takt_trace_counts, stores), true},
	{"bytes stored", offsetof(struct takt_trace_counts, store_bytes), true},
	{"system calls", offsetof(struct takt_trace_counts, syscalls), false},
};

uint64_t takt_trace_figure(const struct takt_trace_counts *counts, size_t index)
{
	uint64_t value;

	memcpy(&value, (const char *)counts + takt_trace_figures[index].offset, sizeof(value));
	return value;
}
