/* SPDX-License-Identifier: MIT */
/* Group files: what is read, and each error at its place. */
#include "events/events.h"
#include "../tap.h"

#define HEAD "takt group 1\nname N\ntitle T\n"
#define EVENTS HEAD "events\n a A.B\n b C\n"

static const struct {
	int line;
	const char *text, *place, *message;
} errors[] = {
	{__LINE__, "", "g: error: ", "empty file"},
	{__LINE__, "takt group 2\n", "g:1:12:", "unknown format version '2'"},
	{__LINE__, "takt events 1\n", "g:1:1:", "not of the format 'takt group'"},
	{__LINE__, HEAD, "g: error: ", "no events"},
	{__LINE__, EVENTS, "g: error: ", "no metrics"},
	{__LINE__, "takt group 1\nname N\nevents\n a A\nmetrics\n x [1] = a\n",
	 "g: error: ", "no title"},
	{__LINE__, HEAD "nme X\n", "g:4:1:", "unknown line 'nme'"},
	{__LINE__, HEAD "name\n", "g:4:1:", "what 'name'?"},
	{__LINE__, HEAD "name M\n", "g:4:1:", "a second name"},
	{__LINE__, HEAD "events\n 1a A\n", "g:5:2:", "cannot be a name"},
	{__LINE__, HEAD "events\n a-b A\n", "g:5:2:", "cannot be a name"},
	{__LINE__, HEAD "events\n min A\n", "g:5:2:", "is taken"},
	{__LINE__, HEAD "events\n time A\n", "g:5:2:", "is taken"},
	{__LINE__, HEAD "events\n line A\n", "g:5:2:", "is taken"},
	{__LINE__, EVENTS " a X\n", "g:7:2:", "is taken"},
	{__LINE__, HEAD "events\n a\n", "g:5:2:", "a NAME and a COUNTER"},
	{__LINE__, HEAD "events\n a A B\n", "g:5:6:", "a NAME and a COUNTER"},
	{__LINE__, EVENTS "metrics\n x = a\n", "g:8:2:", "not a metric"},
	{__LINE__, EVENTS "metrics\n x [1] a\n", "g:8:2:", "not a metric"},
	{__LINE__, EVENTS "metrics\n [1] = a\n", "g:8:2:", "cannot be the name"},
	{__LINE__, EVENTS "metrics\n a(b) [1] = a\n", "g:8:2:", "cannot be the name"},
	{__LINE__, EVENTS "metrics\n x [MiB] = a\n", "g:8:5:", "unknown unit 'MiB'"},
	{__LINE__, EVENTS "metrics\n x [1] = a + c\n", "g:8:14:", "neither an event"},
	{__LINE__, EVENTS "metrics\n x [1] = y\n y [1] = a\n", "g:8:10:", "neither an event"},
	{__LINE__, EVENTS "metrics\n x [1] =\n", "g:8:9:", "is missing"},
	{__LINE__, EVENTS "metrics\n a [1] = b\n", "g:8:2:", "is taken"},
	{__LINE__, EVENTS "metrics\n x y [1] = b\n x_y [1] = b\n", "g:9:2:", "is taken"},
};

static void refuse(size_t i, struct takt_arena *arena)
{
	struct takt_diag *diag = takt_diag_new();
	const struct events_group *group = NULL;
	enum takt_status status = takt_events_group_parse(
		"g", errors[i].text, strlen(errors[i].text), arena, diag, &group);
	const char *text = takt_diag_text(diag);

	if (!tap_ok_at(__FILE__, errors[i].line,
		       status == TAKT_BAD_INPUT && !group &&
			       strstr(text, errors[i].place) == text &&
			       strstr(text, errors[i].message) && takt_diag_error_count(diag) == 1,
		       "%s", errors[i].message))
		tap_note("got: %s", text);
	takt_diag_free(diag);
}

static void accept(struct takt_arena *arena)
{
	static const char text[] =
		"takt group 1 # a comment\n\nname\tN\ntitle Some title\r\nevents\n"
		"\ta  A.B:C  # why\n    other D\n"
		"metrics\n  Some rate [MB/s] = line * a / time\n"
		"  More [%] = Some_rate / (1 MB / 1 s) * other\n\n"
		"text\n  First line # kept\n\n\tthird\n\n";
	struct takt_diag *diag = takt_diag_new();
	const struct events_group *group;
	const double values[] = {1e6, 3, 2, 64, 32e6};

	if (!ok(takt_events_group_parse("g", text, sizeof(text) - 1, arena, diag, &group) ==
			TAKT_OK,
		"a group is read")) {
		tap_note("why: %s", takt_diag_text(diag));
		takt_diag_free(diag);
		return;
	}
	is_string(group->name, "N", "name");
	is_string(group->title, "Some title", "title");
	is_int(group->event_count, 2, "events");
	is_string(group->events[0].name, "a", "name in formulas");
	is_string(group->events[0].counter, "A.B:C", "counter");
	is_int(group->events[1].line, 7, "line");
	is_int(group->events[1].column, 11, "column");
	is_int(group->metric_count, 2, "metrics");
	is_string(group->metrics[0].name, "Some rate", "name of a metric");
	is_string(group->metrics[0].unit_text, "MB/s", "unit");
	is_string(group->metrics[0].text, "line * a / time", "formula");
	is_near(takt_events_formula_value(group->metrics[0].formula, values), 32e6, "its value");
	is_near(takt_events_formula_value(group->metrics[1].formula, values), 96, "of a metric");
	is_string(group->prose, "First line # kept\n\nthird", "prose");
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
