/* SPDX-License-Identifier: MIT */
/* A TAP producer. Rows of table tests pass their own line to tap_ok_at(). */
#ifndef TAKT_TESTS_TAP_H
#define TAKT_TESTS_TAP_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_count, tap_failures;

__attribute__((format(printf, 4, 5), unused)) static bool
tap_ok_at(const char *file, int line, bool ok, const char *format, ...)
{
	va_list args;

	printf("%sok %d - ", ok ? "" : "not ", ++tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	if (!ok) {
		tap_failures++;
		printf("# failed at %s:%d\n", file, line);
	}
	fflush(stdout);
	return ok;
}

#define ok(condition, ...) tap_ok_at(__FILE__, __LINE__, (condition), __VA_ARGS__)
#define is_int(got, want, what)                                                                    \
	tap_ok_at(__FILE__, __LINE__, (long long)(got) == (long long)(want),                       \
		  "%s: got %lld, want %lld", what, (long long)(got), (long long)(want))
#define is_near(got, want, what)                                                                   \
	tap_ok_at(__FILE__, __LINE__, fabs((got) - (want)) < 1e-6, "%s: got %g, want %g", what,    \
		  (double)(got), (double)(want))
#define is_string(got, want, what)                                                                 \
	tap_ok_at(__FILE__, __LINE__, strcmp((got), (want)) == 0, "%s: got \"%s\", want \"%s\"",   \
		  what, (got), (want))

static inline int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
