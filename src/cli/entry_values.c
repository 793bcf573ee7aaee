/* SPDX-License-Identifier: MIT */
/* `--entry-values`: register values at the entry of a loop. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/*
 * Return an upper bound of the number of entries: each has at least two characters with its comma.
 */
static size_t count_most(const char *list)
{
	return strlen(list) / 2 + 1;
}

static bool read_value(char *entry, struct takt_register_value *ret_value)
{
	char *equals = strchr(entry, '='), *end = NULL;

	errno = 0;
	if (equals && equals > entry && equals[1] >= '0' && equals[1] <= '9')
		ret_value->value = strtoull(equals + 1, &end, 0);
	if (!end || *end || errno)
		return takt_say_error("'--entry-values' needs registers with numbers such as "
				      "'rdi=0x1000,rsi=64', not '%s'",
				      entry);
	*equals = '\0';
	ret_value->name = entry;
	return true;
}

bool takt_entry_values_read(const char *list, struct takt_entry_values *values)
{
	size_t most = values->count + count_most(list);
	char *entry, *rest;

	free(values->names);
	values->names = takt_copy_string(list);
	values->items = takt_reallocate(values->items, most, sizeof(*values->items));
	for (entry = strtok_r(values->names, ",", &rest); entry; entry = strtok_r(NULL, ",", &rest))
		if (!read_value(entry, &values->items[values->count++]))
			return false;
	return true;
}

void takt_entry_values_release(struct takt_entry_values *values)
{
	free(values->names);
	free(values->items);
}
