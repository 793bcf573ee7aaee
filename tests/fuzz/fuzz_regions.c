/* SPDX-License-Identifier: MIT */
/* Any bytes as what libtakt-marker wrote, and lines of them as names of events. */
#include <stdlib.h>
#include <string.h>

#include "events/pmu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_regions(const uint8_t *data, size_t size, struct takt_arena *arena)
{
	struct takt_diag *diag = takt_diag_new();
	struct pmu_result result = {0};

	if (takt_pmu_markers_read("fuzz", (struct takt_word){(const char *)data, size}, 3, arena,
				  diag, &result) != TAKT_OK &&
	    takt_diag_error_count(diag) != 1)
		abort();
	takt_diag_free(diag);
}

static void find_events(const uint8_t *data, size_t size, struct takt_arena *arena)
{
	struct takt_lines lines;
	const char *line;
	size_t line_size;

	takt_lines_init(&lines, data, size);
	for (int i = 0; i < 10 && takt_lines_next(&lines, &line, &line_size); i++) {
		char *name = takt_arena_copy(arena, line, line_size);
		struct takt_diag *diag = takt_diag_new();
		struct pmu_event event;

		if (takt_pmu_event_find(name, arena, diag, &event) != TAKT_OK &&
		    takt_diag_error_count(diag) != 1)
			abort();
		takt_diag_free(diag);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct takt_arena arena = {0};

	read_regions(data, size, &arena);
	find_events(data, size, &arena);
	takt_arena_release(&arena);
	return 0;
}
