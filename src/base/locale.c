/* SPDX-License-Identifier: MIT */
/* Text and numbers in the C locale, whatever locale the program around the library has set. */
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

static locale_t c_locale;

static void make_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c_locale)
		takt_out_of_memory(0); /* the only cause: the C locale needs no file */
}

static locale_t the_locale(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_locale);
	return c_locale;
}

void *takt_locale_enter(void)
{
	return uselocale(the_locale());
}

void takt_locale_leave(void *before)
{
	uselocale(before);
}

double takt_strtod(const char *text, char **ret_end)
{
	return strtod_l(text, ret_end, the_locale());
}

int takt_vsnprintf(char *buffer, size_t size_bytes, const char *format, va_list args)
{
	void *before = takt_locale_enter();
	int size = vsnprintf(buffer, size_bytes, format, args);

	takt_locale_leave(before);
	return size;
}

int takt_snprintf(char *buffer, size_t size_bytes, const char *format, ...)
{
	va_list args;
	int size;

	va_start(args, format);
	size = takt_vsnprintf(buffer, size_bytes, format, args);
	va_end(args);
	return size;
}

char takt_to_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

char takt_to_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

bool takt_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

bool takt_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool takt_is_alnum(char c)
{
	return takt_is_lower(takt_to_lower(c)) || takt_is_digit(c);
}

bool takt_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool takt_is_line_blank(char c)
{
	return takt_is_blank(c) || c == '\r';
}

size_t takt_trimmed_size(const char *line, size_t size_bytes)
{
	while (size_bytes && takt_is_line_blank(line[size_bytes - 1]))
		size_bytes--;
	return size_bytes;
}

bool takt_is_print(char c)
{
	return c >= ' ' && c <= '~';
}

int takt_compare_nocase(const char *left, const char *right, size_t size_max_bytes)
{
	for (size_t i = 0; i < size_max_bytes; i++) {
		unsigned char a = (unsigned char)takt_to_lower(left[i]);
		unsigned char b = (unsigned char)takt_to_lower(right[i]);

		if (a != b || !a)
			return a - b;
	}
	return 0;
}
