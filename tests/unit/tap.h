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

#define TAP_TEXT_BYTES 65536 /* what is longer is cut */

static int tap_count, tap_failures;

/* Prints a text and a newline; each further line of it becomes a TAP comment. */
__attribute__((format(printf, 1, 0), unused)) static void tap_print(const char *format,
								    va_list args)
{
	static char text[TAP_TEXT_BYTES];
	size_t length;

	vsnprintf(text, sizeof(text), format, args);
	length = strlen(text);
	while (length && text[length - 1] == '\n')
		length--;
	for (size_t i = 0; i < length; i++)
		fputs(text[i] == '\n' ? "\n# " : (char[]){text[i], '\0'}, stdout);
	printf("\n");
}

/* Prints a text, which may have several lines, as TAP comments. */
__attribute__((format(printf, 1, 2), unused)) static void tap_note(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	tap_print(format, args);
	va_end(args);
}

__attribute__((format(printf, 4, 5), unused)) static bool
tap_ok_at(const char *file, int line, bool ok, const char *format, ...)
{
	va_list args;

	printf("%sok %d - ", ok ? "" : "not ", ++tap_count);
	va_start(args, format);
	tap_print(format, args);
	va_end(args);
	if (!ok) {
		tap_failures++;
		tap_note("failed at %s:%d", file, line);
	}
	fflush(stdout);
	return ok;
}

/* Reports a test that cannot be made here, with what it needs (the first line of it). */
__attribute__((unused)) static void tap_skip(const char *what, const char *why)
{
	printf("ok %d - %s # SKIP %.*s\n", ++tap_count, what, (int)strcspn(why, "\n"), why);
	fflush(stdout);
}

/* Reports that none of a program's tests can be made here. Returns the exit status. */
__attribute__((unused)) static int tap_skip_all(const char *why)
{
	printf("1..0 # SKIP %.*s\n", (int)strcspn(why, "\n"), why);
	return EXIT_SUCCESS;
}

__attribute__((unused)) static bool tap_is_int(const char *file, int line, long long got,
					       long long want, const char *what)
{
	return tap_ok_at(file, line, got == want, "%s: got %lld, want %lld", what, got, want);
}

/* Equal but for the rounding of sums: what is compared are simple fractions. */
__attribute__((unused)) static bool tap_is_near(const char *file, int line, double got, double want,
						const char *what)
{
	return tap_ok_at(file, line, fabs(got - want) < 1e-6, "%s: got %g, want %g", what, got,
			 want);
}

__attribute__((unused)) static bool tap_is_string(const char *file, int line, const char *got,
						  const char *want, const char *what)
{
	bool equal = strcmp(got, want) == 0;

	tap_ok_at(file, line, equal, "%s", what);
	if (!equal) {
		tap_note("got: %s", got);
		tap_note("want: %s", want);
	}
	return equal;
}

#define ok(condition, ...) tap_ok_at(__FILE__, __LINE__, (condition), __VA_ARGS__)
#define is_int(got, want, what) tap_is_int(__FILE__, __LINE__, (got), (want), (what))
#define is_near(got, want, what) tap_is_near(__FILE__, __LINE__, (got), (want), (what))
#define is_string(got, want, what) tap_is_string(__FILE__, __LINE__, (got), (want), (what))

static inline int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
