/* SPDX-License-Identifier: MIT */
#include "events/unit.h"

#include <string.h>

#define POWER_MOST 8

static const struct base {
	const char *name;
	bool prefixes; /* may have a prefix: M, G, … */
	struct events_unit unit;
} bases[] = {
	{"1", false, {.scale = 1}},
	{"%", false, {.scale = 0.01}},
	{"B", true, {.scale = 1, .powers[EVENTS_BYTES] = 1}},
	{"s", true, {.scale = 1, .powers[EVENTS_SECONDS] = 1}},
	{"cycles", true, {.scale = 1, .powers[EVENTS_CYCLES] = 1}},
	{"FLOP", true, {.scale = 1, .powers[EVENTS_FLOPS] = 1}},
	{"J", true, {.scale = 1, .powers[EVENTS_JOULES] = 1}},
	{"W", true, {.scale = 1, .powers[EVENTS_JOULES] = 1, .powers[EVENTS_SECONDS] = -1}},
	{"Hz", true, {.scale = 1, .powers[EVENTS_CYCLES] = 1, .powers[EVENTS_SECONDS] = -1}},
};

static const struct {
	char letter;
	double scale;
} prefixes[] = {
	{'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12},
};

static const struct base *find_base(const char *text, size_t size_bytes)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(bases); i++)
		if (takt_string_is(bases[i].name, text, size_bytes))
			return &bases[i];
	return NULL;
}

bool takt_events_unit_parse_factor(const char *text, size_t size_bytes,
				   struct events_unit *ret_unit)
{
	const struct base *base = find_base(text, size_bytes);

	if (base) {
		*ret_unit = base->unit;
		return true;
	}
	if (size_bytes < 2)
		return false;
	base = find_base(text + 1, size_bytes - 1);
	for (size_t i = 0; base && base->prefixes && i < TAKT_COUNT_OF(prefixes); i++) {
		if (prefixes[i].letter != text[0])
			continue;
		*ret_unit = base->unit;
		ret_unit->scale *= prefixes[i].scale;
		return true;
	}
	return false;
}

bool takt_events_unit_parse(const char *text, size_t size_bytes, struct events_unit *ret_unit)
{
	struct events_unit unit = EVENTS_UNIT_NONE, factor;
	size_t at = 0;
	int power = 1;

	while (size_bytes) {
		size_t start = at;

		while (at < size_bytes && text[at] != '/')
			at++;
		if (!takt_events_unit_parse_factor(text + start, at - start, &factor) ||
		    !takt_events_unit_multiply(&unit, &factor, power))
			return false;
		if (at == size_bytes)
			break;
		power = -1;
		at++;
	}
	*ret_unit = unit;
	return true;
}

bool takt_events_unit_same(const struct events_unit *left, const struct events_unit *right)
{
	return left->any || right->any ||
	       memcmp(left->powers, right->powers, sizeof(left->powers)) == 0;
}

bool takt_events_unit_multiply(struct events_unit *left, const struct events_unit *right, int power)
{
	for (size_t i = 0; i < EVENTS_DIMENSIONS; i++) {
		int sum = left->powers[i] + power * right->powers[i];

		if (sum > POWER_MOST || sum < -POWER_MOST)
			return false;
		left->powers[i] = (int8_t)sum;
	}
	left->scale = power > 0 ? left->scale * right->scale : left->scale / right->scale;
	left->any = left->any || (power > 0 && right->any);
	return true;
}

void takt_events_unit_write(const struct events_unit *unit, struct takt_text *text)
{
	static const char *const names[EVENTS_DIMENSIONS] = {
		[EVENTS_BYTES] = "B",	 [EVENTS_SECONDS] = "s", [EVENTS_CYCLES] = "cycles",
		[EVENTS_FLOPS] = "FLOP", [EVENTS_JOULES] = "J",
	};
	bool any = false;

	for (size_t i = 0; i < EVENTS_DIMENSIONS; i++)
		for (int n = 0; n < unit->powers[i]; n++, any = true)
			takt_text_printf(text, "%s%s", any ? "*" : "", names[i]);
	if (!any)
		takt_text_add_string(text, "1");
	for (size_t i = 0; i < EVENTS_DIMENSIONS; i++)
		for (int n = 0; n > unit->powers[i]; n--)
			takt_text_printf(text, "/%s", names[i]);
}
