/* SPDX-License-Identifier: MIT */
/* What libtakt-marker writes, read. */
#include <math.h>
#include <string.h>

#include "../tap.h"
#include "events/pmu.h"

static enum takt_status read_text(const char *text, struct takt_arena *arena,
				  struct takt_diag *diag, struct pmu_result *result)
{
	*result = (struct pmu_result){0};
	return takt_pmu_markers_read("markers", (struct takt_word){text, strlen(text)}, 2, arena,
				     diag, result);
}

static void test_rows(struct takt_arena *arena)
{
	struct pmu_result result;

	ok(read_text("0 3 1500000000 1:2:3 4:5:6 a b\n1 1 7 0:0:0 8:9:9 c\n", arena, NULL,
		     &result) == TAKT_OK,
	   "read");
	if (!is_int(result.row_count, 2, "rows"))
		return;
	is_string(result.rows[0].region, "a b", "a name with a space");
	is_int((long long)result.rows[0].entries, 3, "entries");
	ok(fabs(result.rows[0].seconds - 1.5) < 1e-12, "seconds");
	is_int((long long)result.rows[0].readings[1].enabled_ns, 5, "time enabled");
	is_int(result.rows[1].number, 1, "thread");
	is_int((long long)result.rows[1].readings[1].value, 8, "value");
	ok(read_text("", arena, NULL, &result) == TAKT_OK && result.row_count == 0, "nothing");
}

static void test_refused(struct takt_arena *arena)
{
	static const char *const texts[] = {
		"x",
		"0",
		"0 1 2 3:4:5 6:7:8",
		"0 1 2 3:4:5 6:7:8 ",
		"0 1 2 3:4 6:7:8 a",
		"0 1 2 3:4:5 a",
		"4294967296 1 2 3:4:5 6:7:8 a",
		"0 99999999999999999999999 2 3:4:5 6:7:8 a",
		"-1 1 2 3:4:5 6:7:8 a",
		"\n",
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(texts); i++) {
		struct takt_diag *diag = takt_diag_new();
		struct pmu_result result;

		ok(read_text(texts[i], arena, diag, &result) == TAKT_BAD_INPUT &&
			   strstr(takt_diag_text(diag), "markers:1:"),
		   "refused: %zu", i);
		takt_diag_free(diag);
	}
}

int main(void)
{
	static const struct pmu_event events[] = {
		{.name = "a", .type = 4, .config = 0x5101c4},
		{.name = "b", .type = 1, .config = 2, .config1 = 3, .user_only = true},
	};
	const struct pmu_options options = {.events = events, .event_count = 2};
	struct takt_arena arena = {0};

	is_string(takt_pmu_markers_events(&options, false, &arena), "4:5101c4:0:0:0,1:2:3:0:1",
		  "what is asked for");
	test_rows(&arena);
	test_refused(&arena);
	takt_arena_release(&arena);
	return tap_done();
}
