/* SPDX-License-Identifier: MIT */
/* unit: units of figures, so that a formula's unit can be compared with that of its metric. */
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

/* A unit as powers of the dimensions; if all are 0, it is a plain number. */
struct events_unit {
	double scale; /* size in base units: 1e6 for MB, whose base unit is B */
	int8_t powers[EVENTS_DIMENSIONS];
	bool any; /* true for the number zero, which fits every unit */
};

#define EVENTS_UNIT_NONE ((struct events_unit){.scale = 1})

/*
 * Parse a unit: "MB/s", "1", "%", "cycles", "GFLOP/s", or "" for 1. Returns false if it is not a
 * unit.
 */
bool takt_events_unit_parse(const char *text, size_t size_bytes, struct events_unit *ret_unit);
/* Parse a single factor of a unit, such as "MB". */
bool takt_events_unit_parse_factor(const char *text, size_t size_bytes,
				   struct events_unit *ret_unit);
/* True if both units have the same dimensions, whatever their scales. */
bool takt_events_unit_same(const struct events_unit *left, const struct events_unit *right);
/*
 * Set *left to left · right, or to left / right if `power` is -1. Returns false if a power is out
 * of range.
 */
bool takt_events_unit_multiply(struct events_unit *left, const struct events_unit *right,
			       int power);
/* Write a unit in base units: "B/s". */
void takt_events_unit_write(const struct events_unit *unit, struct takt_text *text);

#endif
