/* SPDX-License-Identifier: MIT */
/*
 * replay I1 D1 LL < trace: a trace of addresses as valgrind's lackey writes it, through caches
 * of two levels, each SIZE,WAYS,LINE. Prints the figures of cachegrind in its order:
 * Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"

static struct cache_level level(const char *text)
{
	struct cache_level level = {0};

	if (sscanf(text, "%lu,%u,%u", &level.size_bytes, &level.ways, &level.line_bytes) != 3)
		level.size_bytes = 0;
	return level;
}

/* A read that is written back counts as a read, and is one access. */
static bool kind_of(const char *line, enum cache_kind *ret_kind)
{
	if (line[0] == 'I' && line[1] == ' ')
		*ret_kind = CACHE_FETCH;
	else if (strncmp(line, " L ", 3) == 0 || strncmp(line, " M ", 3) == 0)
		*ret_kind = CACHE_LOAD;
	else if (strncmp(line, " S ", 3) == 0)
		*ret_kind = CACHE_STORE;
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	struct cache_shape shape = {.page_bytes = 4096, .crossing_together = true};
	struct cache_hierarchy *hierarchy;
	const struct cache_counts *counts;
	char line[256];

	if (argc != 4)
		return 2;
	shape.l1i = level(argv[1]);
	shape.l1d = level(argv[2]);
	shape.l3 = level(argv[3]);
	hierarchy = takt_cache_new(&shape);
	if (!hierarchy)
		return 2;
	while (fgets(line, sizeof(line), stdin)) {
		struct cache_result result;
		enum cache_kind kind;
		char *end;
		uint64_t address;

		if (!kind_of(line, &kind))
			continue;
		address = strtoull(line + 3, &end, 16);
		takt_cache_access(hierarchy, kind, address, (uint32_t)atoi(end + 1), &result);
	}
	counts = takt_cache_counts(hierarchy);
	for (int kind = CACHE_FETCH; kind <= CACHE_STORE; kind++)
		printf("%lu %lu %lu ", counts->accesses[kind], counts->misses[kind][0],
		       counts->misses[kind][2]);
	printf("\n");
	free(hierarchy);
	return 0;
}
