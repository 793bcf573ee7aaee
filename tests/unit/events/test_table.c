/* SPDX-License-Identifier: MIT */
/* Tables of events: what is read, and each error at its place. */
#include "events/table.h"
#include "../tap.h"

#define HEAD "takt events 1\nfamily f\ntitle T\nsource s book\n"

static const struct {
	int line;
	const char *text, *place, *message;
} errors[] = {
	{__LINE__, "", "t: error: ", "empty file"},
	{__LINE__, "takt events 1\nfamily f\n", "t: error: ", "no title"},
	{__LINE__, "takt events 1\ntitle f\n", "t: error: ", "no name"},
	{__LINE__, HEAD "cor A\n", "t:5:1:", "unknown line 'cor'"},
	{__LINE__, HEAD "title U\n", "t:5:1:", "a second 'title'"},
	{__LINE__, HEAD "like\n", "t:5:1:", "what 'like'?"},
	{__LINE__, HEAD "source t\n", "t:5:8:", "a TAG and what it is"},
	{__LINE__, HEAD "events\n A(B) 1 cpu/event=1/ s\n", "t:6:2:", "name of an event"},
	{__LINE__, HEAD "events\n A lines cpu/event=1/ s\n", "t:6:4:", "unknown unit 'lines'"},
	{__LINE__, HEAD "events\n A 1 cpu s\n", "t:6:4:", "'cpu' is no encoding"},
	{__LINE__, HEAD "events\n A 1 cpu/event=x/ s\n", "t:6:4:", "is no encoding"},
	{__LINE__, HEAD "events\n A 1 cpu/event=1/ x\n", "t:6:19:", "no source 'x'"},
	{__LINE__, HEAD "events\n A 1 cpu/event=1/\n", "t:6:", "no source ''"},
	{__LINE__, HEAD "events\n A\n", "t:6:", "unknown unit ''"},
	{__LINE__, HEAD "events\n A 1 cpu/event=1/ s\n A 1 cpu/event=2/ s\n",
	 "t:7:2:", "a second row of 'A'"},
	{__LINE__, HEAD "ports\n p0\n", "t:6:2:", "PORTS and the event"},
	{__LINE__, HEAD "ports\n p0 A B\n", "t:6:2:", "PORTS and the event"},
};

static void refuse(size_t i, struct takt_arena *arena)
{
	struct takt_diag *diag = takt_diag_new();
	struct events_family family = {0};
	const struct events_text file = {"t", errors[i].text, strlen(errors[i].text)};
	enum takt_status status = takt_events_table_parse(&file, arena, diag, &family);
	const char *text = takt_diag_text(diag);

	if (!tap_ok_at(__FILE__, errors[i].line,
		       status == TAKT_BAD_INPUT && !family.name &&
			       strstr(text, errors[i].place) == text &&
			       strstr(text, errors[i].message) && takt_diag_error_count(diag) == 1,
		       "%s", errors[i].message))
		tap_note("got: %s", text);
	takt_diag_free(diag);
}

static void accept(struct takt_arena *arena)
{
	static const char text[] = HEAD "isa x86-64\nlike g\ncores A B\ncores C # more\n\nevents\n"
					"  L1D.M-X:Y  B  cpu/event=0x51,umask=1/  s  what it is\n"
					"  P  J  power/energy-pkg/  s\n"
					"ports\n  p23  L1D.M-X:Y\n  all  P\n";
	const struct events_text file = {"t", text, sizeof(text) - 1};
	struct takt_diag *diag = takt_diag_new();
	struct events_family family;

	if (!ok(takt_events_table_parse(&file, arena, diag, &family) == TAKT_OK, "a table is read"))
		tap_note("why: %s", takt_diag_text(diag));
	is_string(family.name, "f", "family");
	is_int(family.port_count, 2, "ports");
	is_string(family.ports[0].ports, "p23", "two of them");
	is_string(family.ports[0].event, "L1D.M-X:Y", "what counts them");
	is_string(family.like, "g", "like");
	is_string(family.isa, "x86-64", "isa");
	is_int(family.core_count, 3, "cores");
	is_string(family.cores[2], "C", "the last one");
	is_int(family.event_count, 2, "events");
	is_string(family.events[0].name, "L1D.M-X:Y", "name");
	is_string(family.events[0].unit_text, "B", "unit");
	is_string(family.events[0].encoding, "cpu/event=0x51,umask=1/", "encoding");
	is_string(family.events[0].what, "what it is", "what it is");
	is_string(family.events[1].what, "", "or nothing");
	takt_diag_free(diag);
}

int main(void)
{
	struct takt_arena arena = {0};

	for (size_t i = 0; i < TAKT_COUNT_OF(errors); i++)
		refuse(i, &arena);
	accept(&arena);
	takt_arena_release(&arena);
	return tap_done();
}
