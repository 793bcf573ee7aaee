/* SPDX-License-Identifier: MIT */
/* Elements are sorted by the first key that differs. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "../tap.h"

struct item {
	const char *name;
	unsigned group;
	double cycles;
};

TAKT_ORDER(by_name, struct item, TAKT_ALPHABETIC(name));
TAKT_ORDER(by_all, struct item, TAKT_UP(group), TAKT_DOWN(cycles), TAKT_ALPHABETIC(name));
TAKT_ORDER(by_size, struct item, (int)strlen(a->name) - (int)strlen(b->name), TAKT_UP(cycles),
	   TAKT_DOWN(group), TAKT_ALPHABETIC(name));

static void check(int (*compare)(const void *, const void *), const char *wanted)
{
	struct item items[] = {{"bb", 2, .5}, {"a", 4000000000, 1}, {"ccc", 2, .75}, {"d", 2, .5}};
	struct takt_text text = {0};

	qsort(items, TAKT_COUNT_OF(items), sizeof(items[0]), compare);
	for (size_t i = 0; i < TAKT_COUNT_OF(items); i++)
		takt_text_printf(&text, "%s ", items[i].name);
	is_string(takt_text_data(&text), wanted, "in order");
	takt_text_release(&text);
}

int main(void)
{
	const struct item item = {"a", 1, 1};

	check(by_name, "a bb ccc d ");
	check(by_all, "ccc bb d a ");
	check(by_size, "d a bb ccc ");
	is_int(by_all(&item, &item), 0, "equal");
	return tap_done();
}
