/* SPDX-License-Identifier: MIT */
/* Formatting of figures and foreign strings as text. */
#include <string.h>

#include "report/format.h"

void takt_format_cycles(char ret_figure[TAKT_FIGURE_SIZE], double cycles, int decimals)
{
	double rounds_to_zero = decimals > 1 ? 0.005 : 0.05;

	if (cycles >= 1000)
		decimals = 0;
	else if (cycles >= 100 && decimals > 1)
		decimals = 1;
	if (cycles < rounds_to_zero)
		ret_figure[0] = '\0';
	else
		takt_snprintf(ret_figure, TAKT_FIGURE_SIZE, "%.*f", decimals, cycles);
}

void takt_format_short(char ret_figure[TAKT_FIGURE_SIZE], double cycles)
{
	char *end;

	takt_format_cycles(ret_figure, cycles, 2);
	if (!strchr(ret_figure, '.'))
		return;
	end = ret_figure + strlen(ret_figure);
	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		end[-1] = '\0';
}

void takt_format_style(struct takt_text *text, enum takt_style style, bool colour)
{
	static const char *const codes[] = {
		[TAKT_STYLE_PLAIN] = "\x1b[0m",
		[TAKT_STYLE_BOLD] = "\x1b[1m",
		[TAKT_STYLE_HOT] = "\x1b[1;31m",
		[TAKT_STYLE_DIM] = "\x1b[2m",
	};

	if (colour)
		takt_text_add_string(text, codes[style]);
}

void takt_format_right(struct takt_text *text, const char *string, uint32_t width,
		       enum takt_style style, bool colour)
{
	uint32_t used = takt_text_width(string);

	if (used < width)
		takt_text_pad(text, ' ', width - used);
	if (style == TAKT_STYLE_PLAIN || !used) {
		takt_text_add_string(text, string);
		return;
	}
	takt_format_style(text, style, colour);
	takt_text_add_string(text, string);
	takt_format_style(text, TAKT_STYLE_PLAIN, colour);
}

void takt_format_wrap(struct takt_text *text, const char *string, uint32_t indent, uint32_t columns)
{
	uint32_t column = indent;

	while (*string) {
		size_t length = strcspn(string, " ");
		char word[512];
		uint32_t width;

		if (length >= sizeof(word))
			length = sizeof(word) - 1;
		memcpy(word, string, length);
		word[length] = '\0';
		width = takt_text_width(word);
		if (column > indent && column + 1 + width > columns) {
			takt_text_add_string(text, "\n");
			takt_text_pad(text, ' ', indent);
			column = indent;
		}
		if (column > indent) {
			takt_text_add_string(text, " ");
			column++;
		}
		takt_text_clean(text, word, UINT32_MAX);
		column += width;
		string += length;
		string += strspn(string, " ");
	}
	takt_text_add_string(text, "\n");
}
