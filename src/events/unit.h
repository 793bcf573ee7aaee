/* SPDX-License-Identifier: MIT */
/* unit: what figures are measured in, so that a formula can be held against its metric. */
#ifndef TAKT_EVENTS_UNIT_H
#define TAKT_EVENTS_UNIT_H

#include "base/base.h"

enum events_dimension {
	EVENTS_BYTES,
	EVENTS_SECONDS,
	EVENTS_CYCLES,
	EVENTS_FLOPS,
	EVENTS_JOULES,
	EVENTS_DIMENSIONS
};

/* Powers of the dimensions; all 0 is a plain number. */
struct events_unit {
	double scale; /* how many of the base unit: MB is 1e6 B */
	int8_t powers[EVENTS_DIMENSIONS];
	bool any; /* a zero, which is of every unit */
};

#define EVENTS_UNIT_NONE ((struct events_unit){.scale = 1})

/* "MB/s", "1", "%", "cycles", "GFLOP/s", "" for 1; false if it is none. */
bool takt_events_unit_parse(const char *text, size_t size_bytes, struct events_unit *ret_unit);
/* One factor of the above: "MB". */
bool takt_events_unit_parse_factor(const char *text, size_t size_bytes,
				   struct events_unit *ret_unit);
/* Without regard to scales. */
bool takt_events_unit_same(const struct events_unit *left, const struct events_unit *right);
/* left · right, or left / right if `power` is -1; false if a power leaves its bounds. */
bool takt_events_unit_multiply(struct events_unit *left, const struct events_unit *right,
			       int power);
/* In base units: "B/s". */
void takt_events_unit_write(const struct events_unit *unit, struct takt_text *text);

#endif
