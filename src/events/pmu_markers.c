/* SPDX-License-Identifier: MIT */
/* Reads the file that libtakt-marker writes (docs/formats/events.md, "Markers"). */
#include <inttypes.h>
#include <string.h>

#include "events/pmu.h"

#define ROWS_MAX (1u << 20)

char *takt_pmu_markers_events(const struct pmu_options *options, bool user_only,
			      struct takt_arena *arena)
{
	struct takt_text text = {0};

	for (uint32_t i = 0; i < options->event_count; i++) {
		const struct pmu_event *event = &options->events[i];

		takt_text_printf(&text, "%s%x:%" PRIx64 ":%" PRIx64 ":%" PRIx64 ":%x", i ? "," : "",
				 event->type, event->config, event->config1, event->config2,
				 user_only || event->user_only);
	}
	return takt_text_move(&text, arena);
}

/* Read a number at *next that `mark` follows, and skip both. */
static bool take(const char **next, const char *end, char mark, uint64_t *ret_value)
{
	uint64_t value = 0;
	const char *digit = *next;

	for (; digit < end && takt_is_digit(*digit); digit++) {
		if (value > (UINT64_MAX - 9) / 10)
			return false;
		value = 10 * value + (uint64_t)(*digit - '0');
	}
	if (digit == *next || digit == end || *digit != mark)
		return false;
	*next = digit + 1;
	*ret_value = value;
	return true;
}

static bool read_row(const char **next, const char *end, uint32_t event_count,
		     struct takt_arena *arena, struct pmu_row *row)
{
	uint64_t thread, nanoseconds;

	*row = (struct pmu_row){.readings = TAKT_NEW_ARRAY(arena, event_count, struct pmu_reading)};
	if (!take(next, end, ' ', &thread) || thread > UINT32_MAX ||
	    !take(next, end, ' ', &row->entries) || !take(next, end, ' ', &nanoseconds))
		return false;
	for (uint32_t i = 0; i < event_count; i++) {
		struct pmu_reading *reading = &row->readings[i];

		if (!take(next, end, ':', &reading->value) ||
		    !take(next, end, ':', &reading->enabled_ns) ||
		    !take(next, end, ' ', &reading->running_ns))
			return false;
	}
	row->number = (uint32_t)thread;
	row->seconds = (double)nanoseconds * 1e-9;
	row->region = takt_arena_copy(arena, *next, (size_t)(end - *next));
	return *next < end;
}

enum takt_status takt_pmu_markers_read(const char *name, struct takt_word text,
				       uint32_t event_count, struct takt_arena *arena,
				       struct takt_diag *diag, struct pmu_result *result)
{
	uint32_t capacity = result->row_count;
	struct takt_lines lines;
	const char *line;
	size_t size;

	takt_lines_init(&lines, text.data, text.size);
	while (takt_lines_next(&lines, &line, &size)) {
		const char *next = line;

		TAKT_GROW_IN(arena, result->rows, result->row_count + 1, capacity);
		if (result->row_count == ROWS_MAX ||
		    !read_row(&next, line + size, event_count, arena,
			      &result->rows[result->row_count])) {
			const struct takt_place place = {
				.file = name,
				.line = lines.number,
				.column = (uint32_t)(next - line) + 1,
				.width = 1,
				.excerpt = takt_arena_copy(arena, line, size),
			};

			takt_error_at(diag, &place, "this is not what libtakt-marker writes");
			takt_note(diag, "the program may have been linked with another version");
			return TAKT_BAD_INPUT;
		}
		result->row_count++;
	}
	return TAKT_OK;
}
