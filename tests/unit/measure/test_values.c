/* SPDX-License-Identifier: MIT */
/*
 * Floating-point values: blocks start with ordinary numbers in the format they work on, and what
 * the values become is read from the exceptions that the processor notes.
 */

#include "../tap.h"
#include "measure/measurer.h"

#define CODE_MAX_BYTES 16
#define PAGE_LANES (TAKT_PAGE_BYTES / sizeof(uint64_t))
#define SEEDS 200
#define NOT_RUN TAKT_MEASURE_STATUS_COUNT

/* ---- what there is to begin with ------------------------------------------ */

struct format {
	uint8_t bits, exponent_bits;
};

static const struct format formats[] = {
	[TAKT_FLOAT_DOUBLE] = {64, 11},
	[TAKT_FLOAT_SINGLE] = {32, 8},
	[TAKT_FLOAT_HALF] = {16, 5},
	[TAKT_FLOAT_BRAIN] = {16, 8},
};

/* True if all numbers of this format in the lane are at least 1 and less than 2. */
static bool is_ordinary(uint64_t lane, enum takt_float floats)
{
	struct format format = formats[floats];
	uint32_t mantissa_bits = format.bits - 1u - format.exponent_bits;
	uint64_t one = ((uint64_t)1 << (format.exponent_bits - 1)) - 1;

	for (uint32_t at = 0; at < 64; at += format.bits) {
		uint64_t number = lane >> at;

		if (format.bits < 64)
			number &= ((uint64_t)1 << format.bits) - 1;
		if (number >> mantissa_bits != one)
			return false;
	}
	return true;
}

#if defined(__x86_64__)
struct block {
	int line;
	const char *name;
	enum takt_float floats;
	uint8_t size_bytes;
	uint8_t code[CODE_MAX_BYTES];
};

/* clang-format off */
static const struct block blocks[] = {
	{__LINE__, "vmulph zmm", TAKT_FLOAT_HALF, 6, {0x62, 0xf5, 0x74, 0x48, 0x59, 0xc2}},
	{__LINE__, "vfmadd231sh and mulsd", TAKT_FLOAT_HALF, 10,
	 {0x62, 0xf6, 0x75, 0x08, 0xb9, 0xc2, 0xf2, 0x0f, 0x59, 0xc1}},
	{__LINE__, "vdpbf16ps", TAKT_FLOAT_BRAIN, 6, {0x62, 0xf2, 0x76, 0x48, 0x52, 0xc2}},
	{__LINE__, "mulps", TAKT_FLOAT_SINGLE, 3, {0x0f, 0x59, 0xc1}},
	{__LINE__, "divss", TAKT_FLOAT_SINGLE, 4, {0xf3, 0x0f, 0x5e, 0xc1}},
	{__LINE__, "mulpd", TAKT_FLOAT_DOUBLE, 4, {0x66, 0x0f, 0x59, 0xc1}},
	{__LINE__, "xorps, addsd", TAKT_FLOAT_DOUBLE, 7,
	 {0x0f, 0x57, 0xd2, 0xf2, 0x0f, 0x58, 0xc1}},
	{__LINE__, "fadd m64", TAKT_FLOAT_DOUBLE, 2, {0xdc, 0x00}},
	{__LINE__, "no floating point", TAKT_FLOAT_DOUBLE, 3, {0x48, 0x01, 0xd8}},
};
/* clang-format on */

static struct takt_subject subject_of(const uint8_t *code, size_t size_bytes,
				      struct takt_arena *arena)
{
	struct takt_subject subject;
	struct takt_text reason = {0};

	takt_subject_init(code, size_bytes, arena, &reason, &subject);
	takt_text_release(&reason);
	return subject;
}

static bool all_ordinary(const struct takt_subject *subject,
			 const struct takt_measure_options *options, enum takt_float floats)
{
	uint64_t lanes[PAGE_LANES];
	bool fine = true;

	takt_initial_memory(options, subject, lanes, PAGE_LANES);
	for (size_t i = 0; i < PAGE_LANES; i++)
		fine = fine && is_ordinary(lanes[i], floats);
	for (uint32_t v = 0; v < TAKT_HOST_VECTOR_MAX; v++)
		fine = fine &&
		       is_ordinary(takt_initial_vector(options, subject->floats, v), floats);
	return fine;
}

static void check_blocks(void)
{
	struct takt_measure_options options = {.initial = TAKT_INITIAL_DIFF};
	struct takt_arena arena = {0};

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		const struct block *block = &blocks[i];
		struct takt_subject subject = subject_of(block->code, block->size_bytes, &arena);
		bool fine = true;

		options.initial = TAKT_INITIAL_DIFF;
		tap_ok_at(__FILE__, block->line, all_ordinary(&subject, &options, block->floats),
			  "%s starts with ordinary numbers", block->name);
		options.initial = TAKT_INITIAL_RANDOM;
		for (options.seed = 0; options.seed < SEEDS; options.seed++)
			fine = fine && all_ordinary(&subject, &options, block->floats);
		tap_ok_at(__FILE__, block->line, fine, "%s: and with random ones", block->name);
	}
	takt_arena_release(&arena);
}

/* fld m80: a number whose integer bit is missing is an invalid operand. */
static void check_extended(void)
{
	static const uint8_t code[] = {0xdb, 0x28};
	const struct takt_measure_options options = {.initial = TAKT_INITIAL_DIFF};
	struct takt_arena arena = {0};
	struct takt_subject subject = subject_of(code, sizeof(code), &arena);
	uint64_t lanes[PAGE_LANES];
	bool fine = true;

	takt_initial_memory(&options, &subject, lanes, PAGE_LANES);
	for (size_t i = 0; i < PAGE_LANES; i += 2)
		fine = fine && lanes[i] >> 63 && (lanes[i + 1] & 0xffff) == 0x3fff;
	ok(fine, "numbers of 80 bits are ordinary ones");
	takt_arena_release(&arena);
}

/* ---- what they become ----------------------------------------------------- */

#define X87 16
#define FLUSH 0x9fc0u
#define DEFAULT 0x1f80u

static void check_read(void)
{
	static const struct {
		int line;
		uint32_t raised, control;
		bool ignores_flush;
		const char *words; /* the first letters of what came up */
	} cases[] = {
		{__LINE__, 0, DEFAULT, false, ""},
		{__LINE__, 0x20, DEFAULT, false, ""}, /* inexact */
		{__LINE__, 0x02, DEFAULT, false, "d"},
		{__LINE__, 0x02, FLUSH, false, "d"}, /* half floats, which are not flushed */
		{__LINE__, 0x30, DEFAULT, false, "d"},
		{__LINE__, 0x30, FLUSH, false, "f"},
		{__LINE__, 0x30, FLUSH, true, "d"},
		{__LINE__, 0x28, FLUSH, false, "i"},
		{__LINE__, 0x04, FLUSH, false, "i"},
		{__LINE__, 0x01, FLUSH, false, "n"},
		{__LINE__, 0x02 << X87, FLUSH, false, "d"},
		{__LINE__, 0x30 << X87, FLUSH, false, "d"},
		{__LINE__, 0x08 << X87, FLUSH, false, "i"},
		{__LINE__, 0x01 << X87, FLUSH, false, "n"},
		{__LINE__, 0x41 << X87, FLUSH, false, "x"},
		{__LINE__, 0x09, FLUSH | 0x09, false, ""}, /* told by '--set=mxcsr=' */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct takt_host_state state = {.fp_control = cases[i].control};
		struct takt_host_fp fp =
			takt_host_fp_read(cases[i].raised, &state, cases[i].ignores_flush);
		char words[8] = "";

		snprintf(words, sizeof(words), "%s%s%s%s%s", fp.denormal ? "d" : "",
			 fp.flushed ? "f" : "", fp.infinite ? "i" : "", fp.invalid ? "n" : "",
			 fp.x87_stack ? "x" : "");
		tap_ok_at(__FILE__, cases[i].line, strcmp(words, cases[i].words) == 0,
			  "exceptions 0x%x with 0x%x: '%s', want '%s'", cases[i].raised,
			  cases[i].control, words, cases[i].words);
	}
}

#define BIT(value) (1u << TAKT_MEASURE_VALUE_##value)

struct run {
	int line;
	const char *name;
	bool keep_denormals;
	const char *name_set; /* a register, or NULL */
	uint64_t value_set;
	uint32_t values;
	enum takt_measure_status status; /* where the machine is quiet */
	uint8_t size_bytes;
	uint8_t code[CODE_MAX_BYTES];
};

#define HALF 0x3fe0000000000000u
#define DENORMAL 0x0000000000100000u

/* clang-format off */
static const struct run runs[] = {
	{__LINE__, "addsd", false, NULL, 0, 0, TAKT_MEASURE_OK, 4, {0xf2, 0x0f, 0x58, 0xc1}},
	{__LINE__, "mulss, by another", false, NULL, 0, 0, TAKT_MEASURE_OK, 4,
	 {0xf3, 0x0f, 0x59, 0xc1}},
	{__LINE__, "divss, by another", false, NULL, 0, 0, TAKT_MEASURE_OK, 4,
	 {0xf3, 0x0f, 0x5e, 0xc1}},
	{__LINE__, "divsd, by another", false, NULL, 0, 0, TAKT_MEASURE_OK, 4,
	 {0xf2, 0x0f, 0x5e, 0xc1}},
	{__LINE__, "squares above 1", false, NULL, 0, BIT(INFINITE), TAKT_MEASURE_OK, 4,
	 {0xf2, 0x0f, 0x59, 0xc0}},
	{__LINE__, "squares below 1", false, "xmm0", HALF, BIT(FLUSHED), TAKT_MEASURE_OK, 4,
	 {0xf2, 0x0f, 0x59, 0xc0}},
	{__LINE__, "squares below 1, kept", true, "xmm0", HALF, BIT(DENORMAL), TAKT_MEASURE_OK, 4,
	 {0xf2, 0x0f, 0x59, 0xc0}},
	{__LINE__, "squares, with MXCSR set", false, "mxcsr", DEFAULT, BIT(INFINITE),
	 TAKT_MEASURE_OK, 4, {0xf2, 0x0f, 0x59, 0xc0}},
	{__LINE__, "a denormal operand, taken for zero", false, "xmm1", DENORMAL, 0,
	 TAKT_MEASURE_OK, 4, {0xf2, 0x0f, 0x58, 0xc1}},
	{__LINE__, "a denormal operand, kept", true, "xmm1", DENORMAL, BIT(DENORMAL),
	 TAKT_MEASURE_OK, 4, {0xf2, 0x0f, 0x58, 0xc1}},
	{__LINE__, "a denormal operand of the x87", false, NULL, 0, BIT(DENORMAL),
	 TAKT_MEASURE_DENORMAL, 10,
	 {0xc7, 0x00, 0x01, 0x00, 0x00, 0x00, 0xd8, 0x00, 0x90, 0x90}},
	{__LINE__, "a difference of infinities", false, "xmm1", 0x7ff0000000000000,
	 BIT(INVALID), TAKT_MEASURE_OK, 8, {0xf2, 0x0f, 0x58, 0xc1, 0xf2, 0x0f, 0x5c, 0xc1}},
	{__LINE__, "x87 stack overflow", false, NULL, 0, BIT(X87_STACK), TAKT_MEASURE_OK, 2,
	 {0xd9, 0xe8}},
};
/* clang-format on */

/* What a busy machine does to the figure is not the point here. */
static bool is_busy(enum takt_measure_status status)
{
	return status == TAKT_MEASURE_DISTURBED || status == TAKT_MEASURE_UNSTABLE;
}

static void check_run(const struct run *run, struct takt_diag *diag)
{
	const struct takt_register_value set = {run->name_set, run->value_set};
	const struct takt_measure_options options = {.keep_denormals = run->keep_denormals,
						     .registers = &set,
						     .register_count = run->name_set ? 1 : 0};
	struct takt_measurement result;
	struct takt_measurer *measurer;

	if (takt_measurer_open(&options, diag, &measurer) != TAKT_OK) {
		tap_ok_at(__FILE__, run->line, true, "%s # SKIP cannot measure here", run->name);
		return;
	}
	takt_measure(measurer, run->code, run->size_bytes, &result);
	tap_ok_at(__FILE__, run->line, result.values == run->values, "%s: values 0x%x, want 0x%x",
		  run->name, result.values, run->values);
	tap_ok_at(__FILE__, run->line, result.status == run->status || is_busy(result.status),
		  "%s: %s, want %s", run->name, takt_measure_status_word(result.status),
		  takt_measure_status_word(run->status));
	tap_ok_at(__FILE__, run->line,
		  (*result.reason != 0) == (run->values != 0) || is_busy(result.status), "%s: '%s'",
		  run->name, result.reason);
	takt_measurer_close(measurer);
}
#endif

int main(void)
{
	struct takt_diag *diag = takt_diag_new();

	ok(is_ordinary(0x3c003c003c013fff, TAKT_FLOAT_HALF), "four half floats from 1 to 2");
	ok(!is_ordinary(0x3c003c0023453c00, TAKT_FLOAT_HALF), "three, and a small one");
	ok(!is_ordinary(0x3ff123453f812345, TAKT_FLOAT_HALF), "a double, which is no half floats");
#if defined(__x86_64__)
	check_blocks();
	check_extended();
	check_read();
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		check_run(&runs[i], diag);
#endif
	takt_diag_free(diag);
	return tap_done();
}
