/* SPDX-License-Identifier: MIT */
/* `--trips`: iterations of all loops, and of those at addresses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define ITERATIONS_MAX 1000000000ull

static bool refuse_trips(const char *list)
{
	takt_say_error("'--trips' needs iterations such as '1000' or '64,0x40=7', not '%s'", list);
	return false;
}

static bool read_number(const char **text, uint64_t *ret_number)
{
	char *end;

	errno = 0;
	if (**text < '0' || **text > '9')
		return false;
	*ret_number = strtoull(*text, &end, 0);
	*text = end;
	return errno == 0;
}

bool takt_trips_read(const char *list, struct takt_trips_list *ret_trips)
{
	ret_trips->loops = takt_allocate(strlen(list) / 2 + 1, sizeof(*ret_trips->loops));
	ret_trips->found = takt_allocate(strlen(list) / 2 + 1, sizeof(*ret_trips->found));
	for (const char *next = list;; next++) {
		struct takt_loop_trips one = {0};

		if (!read_number(&next, &one.iterations))
			return refuse_trips(list);
		if (*next == '=') {
			one.address = one.iterations;
			next++;
			if (!read_number(&next, &one.iterations))
				return refuse_trips(list);
			ret_trips->loops[ret_trips->loop_count++] = one;
		} else {
			ret_trips->iterations = one.iterations;
		}
		if (!one.iterations || one.iterations > ITERATIONS_MAX || (*next && *next != ','))
			return refuse_trips(list);
		if (!*next)
			return true;
	}
}

void takt_trips_release(struct takt_trips_list *trips)
{
	free(trips->loops);
	free(trips->found);
}
