/* SPDX-License-Identifier: MIT */
/* The option --ideal: which parts of a core are not modelled. */
#include <string.h>

#include "cli/cli.h"

static bool read_word(const char *word, size_t size, uint64_t *ideal)
{
	static const struct {
		const char *word;
		uint64_t bit;
	} words[] = {{"caches", TAKT_IDEAL_CACHES}, {"branches", TAKT_IDEAL_BRANCHES}};

	for (size_t i = 0; i < TAKT_COUNT_OF(words); i++) {
		if (strlen(words[i].word) != size || memcmp(words[i].word, word, size) != 0)
			continue;
		*ideal |= words[i].bit;
		return true;
	}
	takt_say_error("'--ideal' knows no '%.*s'", (int)size, word);
	return takt_say_note("'--ideal=caches', '--ideal=branches' or '--ideal=caches,branches'");
}

static bool exclude(bool given, bool ideal, const char *option, const char *word)
{
	if (!given || !ideal)
		return true;
	return takt_say_error("'--%s' and '--ideal=%s' exclude each other", option, word);
}

bool takt_ideal_read(const char *value, bool cache, bool branch, uint64_t *ret_ideal)
{
	*ret_ideal = 0;
	while (value) {
		size_t size = strcspn(value, ",");

		if (!read_word(value, size, ret_ideal))
			return false;
		value = value[size] ? value + size + 1 : NULL;
	}
	return exclude(cache, *ret_ideal & TAKT_IDEAL_CACHES, "cache", "caches") &&
	       exclude(branch, *ret_ideal & TAKT_IDEAL_BRANCHES, "branch", "branches");
}
