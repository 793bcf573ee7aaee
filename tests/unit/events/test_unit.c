/* SPDX-License-Identifier: MIT */
/* Units: what is one, what they are multiplied. */
#include "events/unit.h"
#include "../tap.h"

static const struct {
	int line;
	const char *text;
	const char *base; /* NULL: not a unit */
	double scale;
} units[] = {
	{__LINE__, "", "1", 1},
	{__LINE__, "1", "1", 1},
	{__LINE__, "%", "1", 0.01},
	{__LINE__, "B", "B", 1},
	{__LINE__, "MB", "B", 1e6},
	{__LINE__, "MB/s", "B/s", 1e6},
	{__LINE__, "B/ms", "B/s", 1e3},
	{__LINE__, "1/s", "1/s", 1},
	{__LINE__, "GFLOP/s", "FLOP/s", 1e9},
	{__LINE__, "FLOP/B", "FLOP/B", 1},
	{__LINE__, "GHz", "cycles/s", 1e9},
	{__LINE__, "mW", "J/s", 1e-3},
	{__LINE__, "W/s", "J/s/s", 1},
	{__LINE__, "nJ", "J", 1e-9},
	{__LINE__, "Mcycles", "cycles", 1e6},
	{__LINE__, "flop", NULL, 0},
	{__LINE__, "/s", NULL, 0},
	{__LINE__, "B/", NULL, 0},
	{__LINE__, "MM", NULL, 0},
	{__LINE__, "M1", NULL, 0},
	{__LINE__, "k%", NULL, 0},
	{__LINE__, "MB s", NULL, 0},
	{__LINE__, "1/s/s/s/s/s/s/s/s/s", NULL, 0},
};

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(units); i++) {
		struct takt_text text = {0};
		struct events_unit unit;
		bool fine = takt_events_unit_parse(units[i].text, strlen(units[i].text), &unit);

		if (fine)
			takt_events_unit_write(&unit, &text);
		tap_ok_at(__FILE__, units[i].line,
			  units[i].base
				  ? fine && strcmp(takt_text_data(&text), units[i].base) == 0 &&
					    fabs(unit.scale / units[i].scale - 1) < 1e-12
				  : !fine,
			  "'%s' is %s", units[i].text, units[i].base ? units[i].base : "none");
		takt_text_release(&text);
	}
	return tap_done();
}
