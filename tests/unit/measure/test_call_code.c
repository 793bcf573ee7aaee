/* SPDX-License-Identifier: MIT */
/* takt_measure_code on x86-64 code: loops of known length, data, and code that the sandbox ends. */
#include <math.h>

#include "measure/measure.h"
#include "unit/tap.h"

#define TRIES 5
#define TURNS 20000u
#define DATA_BYTES 8192u

/* Each loop counts down in rsi, and returns. */
static const struct {
	int line;
	const char *name;
	uint8_t bytes[24];
	enum takt_measure_status status;
	double least_cycles, most_cycles; /* of a turn */
} rows[] = {
	/* A turn has four dependent additions. A core may join some, and needs no more than eight
	 * cycles. */
	{__LINE__,
	 "additions",
	 {0x48, 0x01, 0xd2, 0x48, 0x01, 0xd2, 0x48, 0x01, 0xd2, 0x48, 0x01, 0xd2, 0x48, 0xff, 0xce,
	  0x75, 0xef, 0xc3},
	 TAKT_MEASURE_OK,
	 3.6,
	 8},
	/* mov rdi, [rdi]: a load takes from 2 cycles to 10 if it hits. */
	{__LINE__,
	 "pointers",
	 {0x48, 0x8b, 0x3f, 0x48, 0xff, 0xce, 0x75, 0xf8, 0xc3},
	 TAKT_MEASURE_OK,
	 2,
	 10},
	{__LINE__, "a system call", {0x0f, 0x05, 0xc3}, TAKT_MEASURE_ESCAPED, 0, 0},
	{__LINE__, "no instruction", {0x0f, 0x0b}, TAKT_MEASURE_UNSUPPORTED, 0, 0},
	{__LINE__, "a null pointer", {0x31, 0xff, 0x8b, 0x07, 0xc3}, TAKT_MEASURE_FAULT, 0, 0},
	/* mov byte [rip - 7], 0 */
	{__LINE__,
	 "writing to the code",
	 {0xc6, 0x05, 0xf9, 0xff, 0xff, 0xff, 0x00, 0xc3},
	 TAKT_MEASURE_FAULT,
	 0,
	 0},
	{__LINE__, "an endless loop", {0xeb, 0xfe}, TAKT_MEASURE_TIMEOUT, 0, 0},
};

#define FAR_OFF 1.25 /* where the clock's rate changes, and the rounds do not agree */

/* True if a measurement ended as wanted. Other load may leave rounds that do not agree, but no
 * figure that is far off. */
static bool ended_as(enum takt_measure_status status, enum takt_measure_status wanted)
{
	return status == wanted ||
	       (wanted == TAKT_MEASURE_OK &&
		(status == TAKT_MEASURE_UNSTABLE || status == TAKT_MEASURE_DISTURBED));
}

int main(void)
{
	/* Two places of the data that point to each other, in pages of their own. */
	static const struct takt_code_pointer pointers[] = {{8, 4104}, {4104, 8}};
	const struct takt_measure_options options = {.time_limit_seconds = 1};
	struct takt_measurer *measurer;

#if !defined(__x86_64__)
	return tap_skip_all("the code is x86-64");
#endif
	if (takt_measurer_open(&options, NULL, &measurer) != TAKT_OK)
		return tap_skip_all("nothing can be measured here");
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const struct takt_code code = {.bytes = rows[i].bytes,
					       .size_bytes = sizeof(rows[i].bytes),
					       .data_bytes = DATA_BYTES,
					       .start = 8,
					       .pointers = pointers,
					       .pointer_count = TAKT_COUNT_OF(pointers),
					       .turns = TURNS,
					       .least_rounds = 5};
		struct takt_measurement result;
		double cycles, apart;

		for (int k = 0; k < TRIES; k++) {
			takt_measure_code(measurer, &code, &result);
			if (result.status == rows[i].status)
				break;
		}
		cycles = result.cycles / TURNS;
		apart = result.status == TAKT_MEASURE_OK ? 1 : FAR_OFF;
		ok(ended_as(result.status, rows[i].status), "line %d: %s: %s (%s)", rows[i].line,
		   rows[i].name, takt_measure_status_text(result.status), result.reason);
		if (rows[i].status == TAKT_MEASURE_OK)
			ok(cycles >= rows[i].least_cycles / apart &&
				   cycles <= rows[i].most_cycles * apart,
			   "%s: %.2f cycles", rows[i].name, cycles);
		else
			ok(isnan(result.cycles), "%s: no figure", rows[i].name);
	}
	takt_measurer_close(measurer);
	return tap_done();
}
