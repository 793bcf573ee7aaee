/* SPDX-License-Identifier: MIT */
/*
 * Known answers: what holds on every x86-64 processor, whatever core it says it is. A dependent
 * addition takes a cycle; a chain of one integer instruction takes a whole number of cycles; and
 * chains take what published measurements of any core have, from the fastest to the slowest.
 */
#include <math.h>
#include <unistd.h>

#include "../tap.h"
#include "measure/measurer.h"

#define TRIES 10
#define TOLERANCE 0.02
#define PAUSE_MICROSECONDS 200000
#define VARIES 1.02 /* from try to try */
#define CODE_MAX_BYTES 64

struct row {
	int line;
	const char *name;
	double low, high; /* cycles */
	bool whole;	  /* a whole number of them */
	uint8_t size_bytes;
	uint8_t code[CODE_MAX_BYTES];
};

/* clang-format off */
static const struct row rows[] = {
	{__LINE__, "add chain", 1, 1, true, 3, {0x48, 0x01, 0xd8}},
	{__LINE__, "two dependent adds", 2, 2, true, 6, {0x48, 0x01, 0xd8, 0x48, 0x01, 0xd8}},
	{__LINE__, "xor chain", 1, 1, true, 3, {0x48, 0x31, 0xd8}},
	{__LINE__, "not chain", 1, 1, true, 3, {0x48, 0xf7, 0xd0}},
	{__LINE__, "imul chain", 3, 6, true, 4, {0x48, 0x0f, 0xaf, 0xc3}},
	{__LINE__, "popcnt chain", 1, 4, true, 5, {0xf3, 0x48, 0x0f, 0xb8, 0xc0}},
	{__LINE__, "load chain", 3, 6, false, 3, {0x48, 0x8b, 0x00}},
	{__LINE__, "addsd chain", 2, 6, false, 4, {0xf2, 0x0f, 0x58, 0xc1}},
	{__LINE__, "mulps chain", 3, 6, false, 3, {0x0f, 0x59, 0xc1}},
	{__LINE__, "fma chain", 3, 6, false, 5, {0xc4, 0xe2, 0xf5, 0xb8, 0xc2}},
	{__LINE__, "aesenc chain", 3, 8, false, 5, {0x66, 0x0f, 0x38, 0xdc, 0xc1}},
	{__LINE__, "vaddpd throughput", 1, 8, false, 16,
	 {0xc5, 0xfd, 0x58, 0xd1, 0xc5, 0xfd, 0x58, 0xd9,
	  0xc5, 0xfd, 0x58, 0xe1, 0xc5, 0xfd, 0x58, 0xe9}},
	{__LINE__, "pshufb chain", 1, 5, false, 5, {0x66, 0x0f, 0x38, 0x00, 0xc1}},
	{__LINE__, "32-bit division", 5, 45, false, 4, {0x31, 0xd2, 0xf7, 0xf1}},
	{__LINE__, "64-bit division", 9, 100, false, 5, {0x31, 0xd2, 0x48, 0xf7, 0xf1}},
	{__LINE__, "divsd chain", 11, 39, false, 4, {0xf2, 0x0f, 0x5e, 0xc1}},
	{__LINE__, "sqrtsd chain", 11, 71, false, 4, {0xf2, 0x0f, 0x51, 0xc0}},
	{__LINE__, "through memory", 0.9, 12, false, 3, {0x48, 0x01, 0x07}},
	{__LINE__, "store throughput", 0.5, 1, false, 4, {0x48, 0x89, 0x47, 0x40}},
	{__LINE__, "rip-relative load", 0.25, 1, false, 7,
	 {0x48, 0x8b, 0x05, 0x00, 0x10, 0x00, 0x00}},
};
/* clang-format on */

static bool is_right(const struct row *row, double cycles)
{
	return cycles > row->low * (1 - TOLERANCE) && cycles < row->high * (1 + TOLERANCE) &&
	       (!row->whole || fabs(cycles - round(cycles)) < TOLERANCE * cycles);
}

/*
 * A busy machine gets more tries, not more tolerance; one that is never quiet, or says something
 * else each time, tells nothing.
 */
static double check(struct takt_measurer *measurer, const struct row *row)
{
	struct takt_measurement result;
	double least = INFINITY, most = 0;
	bool fine = false;

	for (int i = 0; i < TRIES && !fine; i++) {
		takt_measure(measurer, row->code, row->size_bytes, &result);
		fine = result.status == TAKT_MEASURE_OK && is_right(row, result.cycles);
		if (result.status == TAKT_MEASURE_UNSUPPORTED)
			break;
		least = fmin(least, result.cycles);
		most = fmax(most, result.cycles);
		if (!fine)
			usleep(PAUSE_MICROSECONDS);
	}
	if (result.status == TAKT_MEASURE_UNSUPPORTED)
		tap_ok_at(__FILE__, row->line, true, "%s # SKIP this processor has it not",
			  row->name);
	else if (!fine && (result.status == TAKT_MEASURE_DISTURBED || most > least * VARIES))
		tap_ok_at(__FILE__, row->line, true, "%s # SKIP others disturb this machine",
			  row->name);
	else
		tap_ok_at(__FILE__, row->line, fine, "%s: %.3f cycles (%s), want %g to %g",
			  row->name, result.cycles, takt_measure_status_word(result.status),
			  row->low, row->high);
	return fine ? result.cycles : NAN;
}

/* A loop of one instruction takes a cycle at least, and of a chain what the chain takes. */
static void check_loop(double imul_cycles, struct takt_diag *diag)
{
	const struct takt_measure_options options = {.mode = TAKT_MODE_LOOP};
	struct row row = {__LINE__, "imul chain in a loop",  imul_cycles, imul_cycles, true,
			  4,	    {0x48, 0x0f, 0xaf, 0xc3}};
	struct takt_measurer *measurer;

	if (isnan(imul_cycles) || takt_measurer_open(&options, diag, &measurer) != TAKT_OK)
		return;
	check(measurer, &row);
	takt_measurer_close(measurer);
}

static int skip(struct takt_diag *diag)
{
	const char *text = takt_diag_text(diag);

	printf("1..0 # SKIP %.*s\n", (int)strcspn(text, "\n"), text);
	takt_diag_free(diag);
	return 0;
}

/*
 * Runs that are to fill the core's queues have as many instructions as this host needs for that,
 * other runs have as many bytes as usual.
 */
static void check_filling(bool fills, struct takt_diag *diag)
{
	static const uint8_t shuffle[] = {0x66, 0x0f, 0x70, 0xc1, 0x00}; /* pshufd xmm0, xmm1, 0 */
	const struct takt_measure_options options = {.mode = TAKT_MODE_UNROLL,
						     .fills_queues = fills};
	const struct takt_host_straight straight = takt_host_straight();
	uint32_t usual = straight.bytes / sizeof(shuffle);
	struct takt_measurement result;
	struct takt_measurer *measurer;

	if (takt_measurer_open(&options, diag, &measurer) != TAKT_OK) {
		tap_skip("filling", "no second measurer");
		return;
	}
	takt_measure(measurer, shuffle, sizeof(shuffle), &result);
	if (isnan(result.cycles))
		tap_skip("filling", "the machine is busy");
	else
		is_int(result.copies[0],
		       fills && straight.filling > usual ? straight.filling : usual,
		       fills ? "copies that fill the queues" : "copies as usual");
	takt_measurer_close(measurer);
}

int main(void)
{
	const struct takt_measure_options options = {.mode = TAKT_MODE_UNROLL};
	struct takt_diag *diag = takt_diag_new();
	struct takt_measurer *measurer;
	double imul_cycles = NAN;

	if (takt_measurer_open(&options, diag, &measurer) != TAKT_OK)
		return skip(diag);
	tap_note("%s, clock %s", takt_measurer_cpu(measurer),
		 takt_clock_word(takt_measurer_clock(measurer)));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double cycles = check(measurer, &rows[i]);

		if (strcmp(rows[i].name, "imul chain") == 0)
			imul_cycles = cycles;
	}
	takt_measurer_close(measurer);
	check_loop(imul_cycles, diag);
	check_filling(true, diag);
	check_filling(false, diag);
	takt_diag_free(diag);
	return tap_done();
}
