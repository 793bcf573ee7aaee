/* SPDX-License-Identifier: MIT */
/* Formulas: what they give, of what unit, and what is wrong with them. */
#include "events/events.h"
#include "../tap.h"

/* a = 6 cycles, b = 2, bytes = 300 B, time = 0.5 s, none = 0. */
static const char *const names[] = {"a", "b", "bytes", "time", "none"};
static const double values[] = {6, 2, 300, 0.5, 0};
static const uint32_t origins[] = {TAKT_COUNTED, TAKT_MODELLED, TAKT_COUNTED, TAKT_TIMED,
				   TAKT_COUNTED};

static int find(const void *context, const char *name, size_t size_bytes)
{
	(void)context;
	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++)
		if (strlen(names[i]) == size_bytes && memcmp(names[i], name, size_bytes) == 0)
			return (int)i;
	return -1;
}

static const struct {
	int line;
	const char *text;
	double value;
	const char *unit; /* NULL: units do not agree */
	uint32_t origins;
} good[] = {
	{__LINE__, "b", 2, "1", TAKT_MODELLED},
	{__LINE__, "1 + 2 * 3", 7, "1", 0},
	{__LINE__, "(1 + 2) * 3", 9, "1", 0},
	{__LINE__, "10 - 3 - 2", 5, "1", 0},
	{__LINE__, "16 / 4 / 2", 2, "1", 0},
	{__LINE__, "-b * -b", 4, "1", TAKT_MODELLED},
	{__LINE__, "- (b - 5)", 3, "1", TAKT_MODELLED},
	{__LINE__, "a / b", 3, "cycles", TAKT_COUNTED | TAKT_MODELLED},
	{__LINE__, "64 B * b", 128, "B", TAKT_MODELLED},
	{__LINE__, "2 kB * b / time", 8000, "B/s", TAKT_MODELLED | TAKT_TIMED},
	{__LINE__, "1.5e-1", 0.15, "1", 0},
	{__LINE__, ".5 * b", 1, "1", TAKT_MODELLED},
	{__LINE__, "min(a, 2 cycles, 4 cycles)", 2, "cycles", TAKT_COUNTED},
	{__LINE__, "max(a, a - 1 cycles)", 6, "cycles", TAKT_COUNTED},
	{__LINE__, "max(0, a - 7 cycles)", 0, "cycles", TAKT_COUNTED},
	{__LINE__, "a / none", NAN, "cycles", TAKT_COUNTED},
	{__LINE__, "min(a / none, 1 cycles)", NAN, "cycles", TAKT_COUNTED},
	{__LINE__, "\ta\t/a ", 1, "1", TAKT_COUNTED},
	{__LINE__, "a + b", 8, NULL, TAKT_COUNTED | TAKT_MODELLED},
	{__LINE__, "max(bytes, time)", 300, NULL, TAKT_COUNTED | TAKT_TIMED},
	{__LINE__, "bytes * bytes * bytes * bytes * bytes * bytes * bytes * bytes * bytes",
	 1.9683e22, NULL, TAKT_COUNTED},
};

static const struct {
	int line;
	const char *text;
	size_t at;
	const char *what;
} bad[] = {
	{__LINE__, "", 0, "missing"},
	{__LINE__, "a +", 3, "missing"},
	{__LINE__, "a b", 2, "an operator is missing"},
	{__LINE__, "(a", 2, "')' is missing"},
	{__LINE__, "a)", 1, "an operator is missing"},
	{__LINE__, "a + c", 4, "neither an event"},
	{__LINE__, "2 lines * a", 2, "no unit"},
	{__LINE__, "2 a", 2, "no unit"},
	{__LINE__, "min(a)", 0, "two values"},
	{__LINE__, "min a", 4, "'(' is missing"},
	{__LINE__, "max(a, b", 8, "')' is missing"},
	{__LINE__, "1e999", 0, "not a number"},
	{__LINE__, ".", 0, "not a number"},
	{__LINE__, "a $ b", 2, "an operator is missing"},
	{__LINE__,
	 "((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))", 16,
	 "parentheses"},
	{__LINE__, "--------------------------------------------------------1", 31, "parentheses"},
};

static void try_good(size_t i, struct takt_arena *arena)
{
	const struct events_names known = {find, NULL};
	const struct events_unit units[] = {{.scale = 1, .powers[EVENTS_CYCLES] = 1},
					    EVENTS_UNIT_NONE,
					    {.scale = 1, .powers[EVENTS_BYTES] = 1},
					    {.scale = 1, .powers[EVENTS_SECONDS] = 1},
					    EVENTS_UNIT_NONE};
	struct events_problem problem;
	struct events_unit unit;
	struct takt_text text = {0};
	const struct events_formula *formula = takt_events_formula_parse(
		good[i].text, strlen(good[i].text), &known, arena, &problem);
	double value = formula ? takt_events_formula_value(formula, values) : NAN;
	bool fine;

	if (!tap_ok_at(__FILE__, good[i].line, formula != NULL, "'%s' is a formula", good[i].text))
		return;
	tap_ok_at(__FILE__, good[i].line,
		  isnan(good[i].value) ? isnan(value)
				       : fabs(value - good[i].value) <= 1e-9 * fabs(value),
		  "of %g", good[i].value);
	fine = takt_events_formula_unit(formula, units, &unit, &problem);
	if (fine)
		takt_events_unit_write(&unit, &text);
	tap_ok_at(__FILE__, good[i].line,
		  good[i].unit ? fine && strcmp(takt_text_data(&text), good[i].unit) == 0 : !fine,
		  "in %s", good[i].unit ? good[i].unit : "no unit");
	tap_ok_at(__FILE__, good[i].line,
		  takt_events_formula_origins(formula, origins) == good[i].origins, "origins");
	takt_text_release(&text);
}

int main(void)
{
	const struct events_names known = {find, NULL};
	struct events_problem problem;
	struct takt_arena arena = {0};
	struct takt_text longest = {0};

	for (size_t i = 0; i < TAKT_COUNT_OF(good); i++)
		try_good(i, &arena);
	for (size_t i = 0; i < TAKT_COUNT_OF(bad); i++) {
		bool refused = !takt_events_formula_parse(bad[i].text, strlen(bad[i].text), &known,
							  &arena, &problem);

		tap_ok_at(__FILE__, bad[i].line,
			  refused && problem.at == bad[i].at && strstr(problem.what, bad[i].what),
			  "'%s': %s at %zu", bad[i].text, refused ? problem.what : "fine",
			  refused ? problem.at : 0);
	}
	for (size_t i = 0; i < 300; i++)
		takt_text_add_string(&longest, i ? "+a" : "a");
	ok(!takt_events_formula_parse(longest.data, longest.size_bytes, &known, &arena, &problem) &&
		   strstr(problem.what, "too long"),
	   "a formula may be too long");
	takt_text_release(&longest);
	takt_arena_release(&arena);
	return tap_done();
}
