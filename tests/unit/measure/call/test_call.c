/* SPDX-License-Identifier: MIT */
/*
 * takt_measure_call on functions.c: objects compiled in several ways, and a shared library, as argv
 * has them. Most of it is about what becomes of a call, not how long it takes. Libraries with
 * constructors (constructor.c) come last: one that is harmless, and one that is not, by two names.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../tap.h"
#include "takt/takt.h"

#define ARGUMENTS_MAX 6
#define TRIES 5

static const struct {
	int line;
	const char *function;
	uint64_t arguments[ARGUMENTS_MAX];
	size_t argument_count;
	struct takt_call_buffer buffer; /* of the first argument */
	enum takt_measure_status status;
	const char *reason; /* in it */
} rows[] = {
	{__LINE__,
	 "expect",
	 {1, 2, 0x10, (uint64_t)-4, 5, UINT64_MAX},
	 6,
	 {0, 0},
	 TAKT_MEASURE_OK,
	 ""},
	{__LINE__,
	 "expect",
	 {1, 2, 0x11, (uint64_t)-4, 5, UINT64_MAX},
	 6,
	 {0, 0},
	 TAKT_MEASURE_ESCAPED,
	 "system call"}, /* abort() signals itself */
	{__LINE__, "use_everything", {0}, 1, {64, 0x3ff8000000000000}, TAKT_MEASURE_OK, ""},
	{__LINE__, "make_system_call", {0}, 0, {0, 0}, TAKT_MEASURE_ESCAPED, "system call 1"},
	{__LINE__, "read_nowhere", {0x10}, 1, {0, 0}, TAKT_MEASURE_FAULT, "0x10"},
	{__LINE__, "divide", {1, 0}, 2, {0, 0}, TAKT_MEASURE_FAULT, "signal 8"},
	{__LINE__, "run_forever", {0}, 0, {0, 0}, TAKT_MEASURE_TIMEOUT, "0 of"},
	{__LINE__, "overflow_stack", {0}, 1, {64, 0}, TAKT_MEASURE_FAULT, "0x"},
	{__LINE__, "advise", {0}, 0, {0, 0}, TAKT_MEASURE_OK, ""},
	{__LINE__, "take_memory", {0}, 0, {0, 0}, TAKT_MEASURE_OK, ""},
	{__LINE__, "square", {0}, 1, {64, 0x4008000000000000}, TAKT_MEASURE_OK, "infinite"},
};

static const char witness[] = "takt-escaped"; /* a file that no constructor may create */

static struct takt_measurer *measurer;
static struct takt_diag *diag;

static bool is_library(const char *path)
{
	return strlen(path) > 3 && strcmp(path + strlen(path) - 3, ".so") == 0;
}

/* Busy machines are no fault of ours. */
static bool is_same(enum takt_measure_status got, enum takt_measure_status want)
{
	bool measured = got == TAKT_MEASURE_OK || got == TAKT_MEASURE_UNSTABLE ||
			got == TAKT_MEASURE_DISTURBED;

	return want == TAKT_MEASURE_OK ? measured : got == want;
}

/* A machine that is very busy may not come to what is wanted in the time there is. */
static enum takt_status call_patiently(const struct takt_call *call, enum takt_measure_status want,
				       struct takt_measurement *ret_got)
{
	enum takt_status status = TAKT_OK;

	for (int i = 0; i < TRIES && status == TAKT_OK; i++) {
		status = takt_measure_call(measurer, call, diag, ret_got);
		if (ret_got->status != TAKT_MEASURE_TIMEOUT || want == TAKT_MEASURE_TIMEOUT)
			break;
	}
	return status;
}

static void test_rows(const char *path)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct takt_call_buffer buffers[ARGUMENTS_MAX] = {rows[i].buffer};
		struct takt_call call = {.path = path,
					 .function = rows[i].function,
					 .arguments = rows[i].arguments,
					 .buffers = buffers,
					 .argument_count = rows[i].argument_count,
					 .is_library = is_library(path)};
		struct takt_measurement got = {.reason = ""};
		enum takt_status status = call_patiently(&call, rows[i].status, &got);
		bool good = status == TAKT_OK && is_same(got.status, rows[i].status) &&
			    strstr(got.reason, rows[i].reason);

		tap_ok_at(__FILE__, rows[i].line, good, "%s: %s, %s, %s", path, rows[i].function,
			  takt_measure_status_word(got.status), got.reason);
		if (status != TAKT_OK)
			tap_note("why: %s", takt_diag_text(diag));
		takt_diag_clear(diag);
	}
}

/* Each path of time goes through the same code, so one known answer will do. */
static void test_time(const char *path)
{
	uint64_t trips = 100000;
	struct takt_call call = {.path = path,
				 .function = "multiply",
				 .arguments = &trips,
				 .argument_count = 1,
				 .iterations = (double)trips,
				 .is_library = is_library(path)};
	struct takt_measurement got = {.status = TAKT_MEASURE_DISTURBED};

	/* A neighbour that keeps the core busy all the while, or comes between the function and the
	 * clock, goes unnoticed, and changes the cycles. */
	for (int try = 0; try < 5 && (got.status != TAKT_MEASURE_OK || fabs(got.cycles - 3) >= 0.1);
	     try++)
		if (takt_measure_call(measurer, &call, diag, &got) != TAKT_OK)
			break;
	if (got.status == TAKT_MEASURE_OK)
		ok(fabs(got.cycles - 3) < 0.1, "%s: %.3f cycles a trip", path, got.cycles);
	else
		ok(got.status != TAKT_MEASURE_FAULT, "%s # SKIP %s", path,
		   takt_measure_status_word(got.status));
}

static void test_errors(const char *path)
{
	uint64_t many[7] = {0};
	struct takt_call missing = {
		.path = path, .function = "multipyl", .is_library = is_library(path)};
	struct takt_call seven = {
		.path = path, .function = "multiply", .arguments = many, .argument_count = 7};
	struct takt_measurement got = {.rounds = 12345};

	ok(takt_measure_call(measurer, &missing, diag, &got) == TAKT_BAD_INPUT, "no such function");
	ok(strstr(takt_diag_text(diag), "multipyl") != NULL, "which is named");
	takt_diag_clear(diag);
	ok(takt_measure_call(measurer, &seven, diag, &got) == TAKT_BAD_INPUT, "seven arguments");
	ok(takt_diag_error_count(diag) == 1, "one error");
	takt_diag_clear(diag);
	is_int(got.rounds, 12345, "the result is left alone");
}

/* A broken object is reported, or at worst ends its child. */
static void test_broken(const char *path)
{
	static const char name[] = "broken.tmp.o";
	FILE *file = fopen(path, "rb");
	char *data = malloc(1 << 16);
	size_t size = file && data ? fread(data, 1, 1 << 16, file) : 0;
	struct takt_call call = {.path = name, .function = "run_forever"};
	struct takt_measurement got;
	bool good = size > 0;

	if (file)
		fclose(file);
	for (size_t i = 1; i < 60 && good; i++) {
		size_t cut = size * i / 60;

		file = fopen(name, "wb");
		if (i % 2 && cut < size)
			data[cut] = (char)~data[cut];
		good = file && fwrite(data, 1, i % 2 ? size : cut, file) > 0 && fclose(file) == 0;
		if (takt_measure_call(measurer, &call, diag, &got) != TAKT_OK)
			good &= takt_diag_error_count(diag) == 1;
		takt_diag_clear(diag);
	}
	ok(good, "broken objects");
	remove(name);
	free(data);
}

/* What a file is, its type says: nothing of a library runs unless it may, whatever its name. */
static void test_type(const char *path, bool as_library, const char *message)
{
	struct takt_call call = {
		.path = path, .function = "check_capabilities", .is_library = as_library};
	struct takt_measurement got;

	ok(takt_measure_call(measurer, &call, diag, &got) == TAKT_BAD_INPUT, "%s is not loaded",
	   path);
	ok(strstr(takt_diag_text(diag), message) != NULL, "and why");
	tap_note("what is said: %s", takt_diag_text(diag));
	ok(access(witness, F_OK) != 0, "no file was created");
	remove(witness);
	takt_diag_clear(diag);
}

static void test_constructor(const char *path)
{
	struct takt_call call = {
		.path = path, .function = "check_capabilities", .is_library = true};
	struct takt_measurement got = {.reason = ""};

	ok(takt_measure_call(measurer, &call, diag, &got) == TAKT_OK &&
		   is_same(got.status, TAKT_MEASURE_OK),
	   "a constructor reads files, and has no capabilities: %s", got.reason);
	takt_diag_clear(diag);
}

#define WITH_CONSTRUCTORS 3

int main(int argc, char **argv)
{
	struct takt_measure_options options = {.time_limit_seconds = 0.3};

	diag = takt_diag_new();
	if (takt_measurer_open(&options, diag, &measurer) != TAKT_OK) {
		printf("1..0 # SKIP %s", takt_diag_text(diag));
		takt_diag_free(diag);
		return 0;
	}
	for (int i = 1; i < argc - WITH_CONSTRUCTORS; i++) {
		test_rows(argv[i]);
		test_time(argv[i]);
		test_errors(argv[i]);
	}
	if (argc > WITH_CONSTRUCTORS + 1) {
		test_broken(argv[1]);
		test_type(argv[1], true, "an ELF object");
		test_constructor(argv[argc - 3]);
		test_type(argv[argc - 3], false, "a shared library");
		test_type(argv[argc - 2], false, "a shared library");
		test_type(argv[argc - 2], true, "system call");
		test_type(argv[argc - 1], false, "a shared library");
		test_type(argv[argc - 1], true, "system call");
	}
	takt_measurer_close(measurer);
	takt_diag_free(diag);
	return tap_done();
}
