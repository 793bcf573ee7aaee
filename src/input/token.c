/* SPDX-License-Identifier: MIT */
#include "input/token.h"

#include <string.h>

#include "base/base.h"

bool takt_is_name_char(char c)
{
	return takt_is_alnum(c) || c == '_' || c == '.' || c == '$' || c == '-';
}

struct takt_token takt_token_next(const char **line, size_t *size_bytes)
{
	struct takt_token word;

	while (*size_bytes && takt_is_blank(**line)) {
		++*line;
		--*size_bytes;
	}
	word.text = *line;
	while (*size_bytes && takt_is_name_char(**line)) {
		++*line;
		--*size_bytes;
	}
	word.size_bytes = (size_t)(*line - word.text);
	return word;
}

bool takt_token_is(struct takt_token word, const char *text)
{
	return word.size_bytes == strlen(text) &&
	       takt_compare_nocase(word.text, text, word.size_bytes) == 0;
}

bool takt_token_starts(struct takt_token word, const char *text)
{
	return word.size_bytes >= strlen(text) && memcmp(word.text, text, strlen(text)) == 0;
}

bool takt_token_is_one_of(struct takt_token word, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (takt_token_is(word, names[i]))
			return true;
	return false;
}

bool takt_token_is_quad(struct takt_token word)
{
	static const char *const names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
					    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

	return takt_token_is_one_of(word, names, TAKT_COUNT_OF(names));
}

bool takt_token_is_double(struct takt_token word)
{
	static const char *const names[] = {"eax",  "ebx",  "ecx",  "edx",  "esi",  "edi",
					    "ebp",  "esp",  "r8d",  "r9d",  "r10d", "r11d",
					    "r12d", "r13d", "r14d", "r15d", "dword"};

	return takt_token_is_one_of(word, names, TAKT_COUNT_OF(names));
}
