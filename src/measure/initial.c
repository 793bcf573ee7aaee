/* SPDX-License-Identifier: MIT */
/*
 * Registers and memory before each run. One page stands for all of memory, so pointers
 * differ in their lines within a page too, or they would alias.
 */
#include <string.h>

#include "measure/bench.h"

/* BHive's constant: as an address, low enough that sums and scaled indices stay user addresses. */
#define SAME 0x12345600u

/* Of x86: no trap, no alignment check, strings go up. */
#define PLAIN_FLAGS 0x202u

#define POINTER_FIRST 0x10000000u
#define POINTER_STEP 0x01010100u /* another page, and four lines on within it */
#define RANDOM_POINTER_MASK 0x3fffffc0u
/* Of doubles near 1, whose halves are floats near 1 and quarters half floats. */
#define DOUBLE_PATTERN 0x3ff123453f812345u
#define DOUBLE_EXPONENT 0x3ff0000000000000u
#define DOUBLE_MANTISSA 0x000fffffffffffffu

/* The x86 divisions want rdx to be less than any divisor. */
#define DIVIDEND_HIGH 2
#define DIVIDEND_VALUE 0x00210200u

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

static uint64_t initial_lane(const struct takt_measure_options *options, uint64_t index)
{
	if (options->initial == TAKT_INITIAL_SAME)
		return SAME;
	if (options->initial == TAKT_INITIAL_RANDOM)
		return DOUBLE_EXPONENT | (random_number(options->seed, index) & DOUBLE_MANTISSA);
	return DOUBLE_PATTERN + (index & 63) * 0x0000001000000010u;
}

bool takt_initial_registers(const struct takt_measure_options *options,
			    struct takt_host_state *ret_state, size_t *ret_index)
{
	takt_host_state_init(ret_state, options->keep_denormals);
	for (uint32_t r = 0; r < TAKT_HOST_GPR_MAX; r++)
		ret_state->gpr[r] = initial_gpr(options, r);
	for (uint32_t v = 0; v < TAKT_HOST_VECTOR_MAX; v++)
		ret_state->vector[v] = initial_lane(options, TAKT_HOST_GPR_MAX + v);
	memset(ret_state->mask, 0xff, sizeof(ret_state->mask));
	for (size_t i = 0; i < options->register_count; i++) {
		*ret_index = i;
		if (!takt_host_state_set(ret_state, options->registers[i].name,
					 options->registers[i].value))
			return false;
	}
	return true;
}

void takt_initial_memory(const struct takt_measure_options *options,
			 const struct takt_subject *subject, uint64_t *ret_lanes, size_t lane_count)
{
	for (size_t i = 0; i < lane_count; i++)
		ret_lanes[i] = subject->loads_flags	  ? PLAIN_FLAGS
			       : subject->loads_addresses ? SAME
							  : initial_lane(options, 64 + i);
}
