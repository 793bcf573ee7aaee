/* SPDX-License-Identifier: MIT */
/* Names of events: the kernel's own, codes, PMUs of the kernel, what is refused. */
#include <linux/perf_event.h>

#include "../tap.h"
#include "events/pmu.h"

static const struct {
	int line;
	const char *name;
	uint32_t type;
	uint64_t config;
	bool user_only;
} known[] = {
	{__LINE__, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false},
	{__LINE__, "CYCLES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
	{__LINE__, "cycles:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true},
	{__LINE__, "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
	{__LINE__, "r5101c4", PERF_TYPE_RAW, 0x5101c4, false},
	{__LINE__, "r11:u", PERF_TYPE_RAW, 0x11, true},
	{__LINE__, "software/config=2/", PERF_TYPE_SOFTWARE, 2, false},
	{__LINE__, "software/config=0x2,config1=5", PERF_TYPE_SOFTWARE, 2, false},
};

static const char *const refused[] = {
	"",
	":u",
	"r",
	"rxyz",
	"r11223344556677889",
	"no-such-thing",
	"/config=1/",
	"../config=1/",
	"software/",
	"software//",
	"software/,/",
	"software/config=x/",
	"software/../type/",
	"software/no-term=1/",
	"no-such-pmu/config=1/",
};

int main(void)
{
	struct takt_arena arena = {0};

	for (size_t i = 0; i < TAKT_COUNT_OF(known); i++) {
		struct pmu_event event;
		struct takt_diag *diag = takt_diag_new();
		bool found = takt_pmu_event_find(known[i].name, &arena, diag, &event) == TAKT_OK;

		if (!tap_ok_at(__FILE__, known[i].line,
			       found && event.type == known[i].type &&
				       event.config == known[i].config &&
				       event.user_only == known[i].user_only,
			       "%s", known[i].name))
			tap_note("got: %s", takt_diag_text(diag));
		takt_diag_free(diag);
	}
	for (size_t i = 0; i < TAKT_COUNT_OF(refused); i++) {
		struct pmu_event event;
		struct takt_diag *diag = takt_diag_new();

		ok(takt_pmu_event_find(refused[i], &arena, diag, &event) == TAKT_NOT_FOUND &&
			   takt_diag_error_count(diag) == 1,
		   "refused: '%s'", refused[i]);
		takt_diag_free(diag);
	}
	takt_arena_release(&arena);
	return tap_done();
}
