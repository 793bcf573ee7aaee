/* SPDX-License-Identifier: MIT */
/*
 * Values of registers and memory before each run. Few pages stand for all of memory, so pointers
 * point to different lines within the page, too, or they would alias.
 *
 * The first cache of AMD's cores predicts the way of a line from eight bits: bit 12 of its address
 * exclusive or bit 27, 13 or 26, 14 or 25, 15 or 20, 16 or 21, 17 or 22, 18 or 23, 19 or 24 (Lipp
 * and others, Take A Way, 2020). Of two lines of a set that agree in these, only one can be there,
 * so pointers differ in them.
 */
#include <string.h>

#include "measure/measurer.h"

/* BHive's constant: as an address, so low that sums and scaled indices remain user addresses. */
#define SAME 0x12345600u

/* x86 flags: no trap, no alignment check, string operations go upwards. */
#define PLAIN_FLAGS 0x202u

#define POINTER_FIRST 0x10000000u
#define POINTER_STEP 0x01010100u /* another page, and four lines on within it */
#define RANDOM_POINTER_MASK 0x3fffffc0u
/*
 * Bit patterns of floating-point numbers a little above 1. Adding, multiplying or dividing them
 * again and again gives ordinary numbers for a long time; denormals would cost assists, and
 * dividers are faster for zeros and infinities. No 64-bit pattern is such a number in every format,
 * so there is one for each format; that of doubles has singles near 1 in its halves, for blocks
 * with both.
 */
struct pattern {
	uint64_t value, step;	     /* lane i holds value + (i mod lanes) * step */
	uint64_t exponent, mantissa; /* for random numbers: bits always set, and bits drawn */
	uint32_t lanes;
};

static const struct pattern patterns[] = {
	[TAKT_FLOAT_DOUBLE] = {0x3ff000013f812345u, 0x0000001000000010u, 0x3ff0000000000000u,
			       0x000fffffffffffffu, 64},
	[TAKT_FLOAT_SINGLE] = {0x3f8001233f800123u, 0x0000001000000010u, 0x3f8000003f800000u,
			       0x007fffff007fffffu, 64},
	[TAKT_FLOAT_HALF] = {0x3c013c013c013c01u, 0x0001000100010001u, 0x3c003c003c003c00u,
			     0x03ff03ff03ff03ffu, 4},
	[TAKT_FLOAT_BRAIN] = {0x3f803f803f803f80u, 0, 0x3f803f803f803f80u, 0x007f007f007f007fu, 1},
};

/* An 80-bit number a little above 1: the mantissa is in the first eight bytes, sign and exponent
 * are in the next two. */
#define EXTENDED_MANTISSA 0x8000000123453f81u
#define EXTENDED_EXPONENT 0x3fffu

/* rdx is less than any divisor, or x86's divisions would overflow; as an address, it differs from
 * all pointers (see above). */
#define DIVIDEND_HIGH 2
#define DIVIDEND_VALUE 0x00250200u

static uint64_t random_number(uint64_t seed, uint64_t index)
{
	return takt_hash64(seed ^ takt_hash64(index + 1));
}

static uint64_t initial_gpr(const struct takt_measure_options *options, uint32_t r)
{
	if (options->initial == TAKT_INITIAL_SAME)
		return SAME;
	if (options->initial == TAKT_INITIAL_RANDOM)
		return POINTER_FIRST + (random_number(options->seed, r) & RANDOM_POINTER_MASK);
	return r == DIVIDEND_HIGH ? DIVIDEND_VALUE : POINTER_FIRST + r * (uint64_t)POINTER_STEP;
}

static uint64_t initial_lane(const struct takt_measure_options *options, enum takt_float floats,
			     uint64_t index)
{
	const struct pattern *pattern = &patterns[floats];

	if (options->initial == TAKT_INITIAL_SAME)
		return SAME;
	if (options->initial == TAKT_INITIAL_RANDOM)
		return pattern->exponent |
		       (random_number(options->seed, index) & pattern->mantissa);
	return pattern->value + index % pattern->lanes * pattern->step;
}

uint64_t takt_initial_vector(const struct takt_measure_options *options, enum takt_float floats,
			     uint32_t number)
{
	return initial_lane(options, floats, TAKT_HOST_GPR_MAX + number);
}

bool takt_initial_registers(const struct takt_measure_options *options,
			    struct takt_host_state *ret_state, size_t *ret_index)
{
	takt_host_state_init(ret_state, options->keep_denormals);
	for (uint32_t r = 0; r < TAKT_HOST_GPR_MAX; r++)
		ret_state->gpr[r] = initial_gpr(options, r);
	for (uint32_t v = 0; v < TAKT_HOST_VECTOR_MAX; v++)
		ret_state->vector[v] = takt_initial_vector(options, TAKT_FLOAT_DOUBLE, v);
	memset(ret_state->mask, 0xff, sizeof(ret_state->mask));
	for (size_t i = 0; i < options->register_count; i++) {
		*ret_index = i;
		if (!takt_host_state_set(ret_state, options->registers[i].name,
					 options->registers[i].value))
			return false;
	}
	return true;
}

/* Return a lane of memory for 80-bit numbers, at multiples of 16 bytes as compilers place them. */
static uint64_t extended_lane(uint64_t index)
{
	return index % 2 ? EXTENDED_EXPONENT : EXTENDED_MANTISSA;
}

void takt_initial_memory(const struct takt_measure_options *options,
			 const struct takt_subject *subject, uint64_t *ret_lanes, size_t lane_count)
{
	bool extended = subject->x87_extended && options->initial != TAKT_INITIAL_SAME;

	for (size_t i = 0; i < lane_count; i++)
		ret_lanes[i] = subject->loads_flags	  ? PLAIN_FLAGS
			       : subject->loads_addresses ? SAME
			       : extended		  ? extended_lane(i)
					  : initial_lane(options, subject->floats, 64 + i);
}
