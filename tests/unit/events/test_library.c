/* SPDX-License-Identifier: MIT */
/* The library of families: the built-in ones are fine, and what a directory adds. */
#include <sys/stat.h>
#include <unistd.h>

#include "events/events.h"
#include "../tap.h"

static char folder[64];

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		abort();
}

static void make_folder(void)
{
	char path[128];

	snprintf(folder, sizeof(folder), "/tmp/takt-groups-XXXXXX");
	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/mine", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/arm", folder);
	mkdir(path, 0700);
}

static void remove_folder(void)
{
	static const char *const names[] = {
		"mine.events", "mine/A.group", "mine/B.group", "arm/MY.group", "mine", "arm", "."};
	char path[128];

	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		remove(path);
	}
	rmdir(folder);
}

#define MINE "takt events 1\nfamily mine\ntitle Mine\ncores M1\nlike arm\nsource s x\n"

static void user_files(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct events_library library;
	const struct events_family *family;
	const struct events_group *group;
	struct takt_arena arena = {0};
	struct takt_text text = {0};

	write_file("mine.events", MINE "events\n MY 1 cpu/event=0x77/ s\n"
				       " L1D_CACHE 1 cpu/event=0x78/ s own\n");
	write_file("mine/A.group", "takt group 1\nname A\ntitle A\nevents\n a MY\n c L1D_CACHE\n"
				   "metrics\n X [1] = a / c\n");
	write_file("mine/B.group", "takt group 1\nname B\ntitle B\nevents\n a MYY\n"
				   "metrics\n X [1] = a\n");
	write_file("arm/MY.group", "takt group 1\nname MY\ntitle C\nevents\n a L1D_CACHE\n"
				   "metrics\n X [B] = a\n");
	if (!ok(takt_events_library_open(folder, &arena, diag, &library) == TAKT_OK, "opened"))
		tap_note("why: %s", takt_diag_text(diag));
	family = takt_events_family_find(&library, "mine");
	ok(family && takt_events_family_of_core(&library, "M1") == family, "found by its core");
	ok(family && strcmp(family->isa, "aarch64") == 0, "has the isa of what it is like");
	ok(takt_events_group_open(&library, family, "A", diag, &group) == TAKT_OK, "its group");
	is_string(takt_events_event_find(&library, family, "L1D_CACHE")->what, "own",
		  "its own event before the other family's");
	ok(takt_events_event_find(&library, family, "CPU_CYCLES") != NULL, "the other one's");
	ok(takt_events_group_open(&library, family, "L2", diag, &group) == TAKT_OK,
	   "the other family's group");
	ok(takt_events_group_open(&library, family, "B", diag, &group) == TAKT_BAD_INPUT &&
		   strstr(takt_diag_text(diag), "B.group:5:4: error: mine has no event 'MYY'") &&
		   strstr(takt_diag_text(diag), "did you mean 'MY'"),
	   "an event that is not there");
	takt_diag_clear(diag);
	ok(takt_events_group_open(&library, family, "MY", diag, &group) == TAKT_BAD_INPUT &&
		   strstr(takt_diag_text(diag), "the formula gives 1, the metric is in B"),
	   "a unit that is not the formula's");
	takt_diag_clear(diag);
	ok(takt_count_check(folder, diag, &text) == TAKT_BAD_INPUT &&
		   strstr(takt_text_data(&text), "bad"),
	   "the checker finds both");
	takt_text_release(&text);
	takt_arena_release(&arena);
	takt_diag_free(diag);
}

static void bad_family(const char *events, const char *message)
{
	struct takt_diag *diag = takt_diag_new();
	struct events_library library;
	struct takt_arena arena = {0};

	write_file("mine.events", events);
	ok(takt_events_library_open(folder, &arena, diag, &library) != TAKT_OK &&
		   strstr(takt_diag_text(diag), message),
	   "%s", message);
	takt_arena_release(&arena);
	takt_diag_free(diag);
}

/* Return true if the group has the event. */
static bool counts(const struct events_group *group, const char *event)
{
	for (uint32_t i = 0; i < group->event_count; i++)
		if (strcmp(group->events[i].counter, event) == 0)
			return true;
	return false;
}

/*
 * The events of Table 1 of Röhl, Eitzinger, Hager and Wellein, "Validation of hardware events for
 * successful performance pattern identification in HPC" (arXiv 1710.04094), each in a group.
 */
static void events_of_patterns(void)
{
	static const struct {
		const char *event, *group;
	} rows[] = {
		/* Bandwidth saturation. */
		{"UNC_M_CAS_COUNT.RD", "MEM"},
		{"UNC_M_CAS_COUNT.WR", "MEM"},
		{"UNC_H_IMC_READS.NORMAL", "HA"},
		{"UNC_H_BYPASS_IMC.TAKEN", "HA"},
		{"UNC_H_IMC_WRITES.ALL", "HA"},
		{"L2_LINES_IN.ALL", "L3"},
		{"L2_TRANS.L2_WB", "L3"},
		{"UNC_C_LLC_LOOKUP.DATA_READ", "CBOX"},
		{"UNC_C_LLC_VICTIMS.M_STATE", "CBOX"},
		/* Load imbalance. */
		{"L1D.REPLACEMENT", "L2"},
		{"L2_TRANS.L1D_WB", "L2"},
		{"AVX_INSTS.CALC", "FLOPS_AVX"},
		{"ARITH.DIVIDER_UOPS", "DIVIDE"},
		/* False sharing of cache lines. */
		{"MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_HITM", "FALSE_SHARE"},
		{"MEM_LOAD_UOPS_L3_MISS_RETIRED.REMOTE_HITM", "FALSE_SHARE"},
		{"OFFCORE_RESPONSE_0.DMND_DATA_RD.L3_HIT_HITM", "FALSE_SHARE_OFFCORE"},
		{"OFFCORE_RESPONSE_1.DMND_DATA_RD.L3_MISS_REMOTE_HITM", "FALSE_SHARE_OFFCORE"},
	};
	struct takt_diag *diag = takt_diag_new();
	struct events_library library;
	const struct events_family *family;
	const struct events_group *group;
	struct takt_arena arena = {0};

	ok(takt_events_library_open(NULL, &arena, diag, &library) == TAKT_OK, "the built-in ones");
	family = takt_events_family_find(&library, "haswell-ep");
	for (size_t i = 0; family && i < TAKT_COUNT_OF(rows); i++)
		ok(takt_events_event_find(&library, family, rows[i].event) &&
			   takt_events_group_open(&library, family, rows[i].group, diag, &group) ==
				   TAKT_OK &&
			   counts(group, rows[i].event),
		   "%s in %s", rows[i].event, rows[i].group);
	ok(family != NULL, "Haswell-EP");
	takt_arena_release(&arena);
	takt_diag_free(diag);
}

int main(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_text text = {0};

	if (!ok(takt_count_check(NULL, diag, &text) == TAKT_OK, "all built-in groups are fine"))
		tap_note("why: %s", takt_diag_text(diag));
	events_of_patterns();
	make_folder();
	user_files();
	bad_family("takt events 1\nfamily mine\ntitle M\nlike nobody\n", "like 'nobody'");
	bad_family("takt events 1\nfamily mine\ntitle M\nlike mine\n", "like 'mine'");
	bad_family("takt events 1\nfamily mine\ntitle M\n", "has no 'isa'");
	remove_folder();
	ok(takt_count_check(folder, diag, &text) == TAKT_BAD_INPUT &&
		   strstr(takt_diag_text(diag), "cannot read the directory"),
	   "a directory that is not there");
	takt_text_release(&text);
	takt_diag_free(diag);
	return tap_done();
}
