/* SPDX-License-Identifier: MIT */
/*
 * Accesses as text: kind, address in hexadecimal, and bytes if not one: "F400 L1000 S103c+8".
 * P non-temporal stores.
 * What became of them likewise: the level (3: memory), and behind it x: crosses lines,
 * p and a level: prefetched from there, t: translation of the second level, w: page walk.
 */
#ifndef TAKT_TESTS_CACHE_ACCESSES_H
#define TAKT_TESTS_CACHE_ACCESSES_H

#include "base/base.h"
#include "cache/cache.h"
#include "../tap.h"

static const char *access_read(const char *text, enum cache_kind *ret_kind, uint64_t *ret_address,
			       uint32_t *ret_size_bytes)
{
	char *end;

	*ret_kind = *text == 'F' ? CACHE_FETCH : *text == 'L' ? CACHE_LOAD : CACHE_STORE;
	*ret_address = strtoull(text + 1, &end, 16);
	*ret_size_bytes = *end == '+' ? (uint32_t)strtoul(end + 1, &end, 10) : 1;
	return end + strspn(end, " ");
}

static void result_write(const struct cache_result *result, struct takt_text *text)
{
	takt_text_printf(text, "%s%u", takt_text_size_bytes(text) ? " " : "", result->level);
	if (result->lines > 1)
		takt_text_add_string(text, "x");
	if (result->prefetched)
		takt_text_printf(text, "p%u", result->prefetched_from);
	if (result->tlb_miss)
		takt_text_add_string(text, "t");
	if (result->page_walk)
		takt_text_add_string(text, "w");
}

static void accesses_run(struct cache_hierarchy *hierarchy, const char *accesses,
			 struct takt_text *ret_results)
{
	while (*accesses) {
		struct cache_result result;
		enum cache_kind kind;
		bool past = *accesses == 'P';
		uint64_t address;
		uint32_t size_bytes;

		accesses = access_read(accesses, &kind, &address, &size_bytes);
		if (past)
			takt_cache_write_non_temporal(hierarchy, address, size_bytes, &result);
		else
			takt_cache_access(hierarchy, kind, address, size_bytes, &result);
		result_write(&result, ret_results);
	}
}

#endif
