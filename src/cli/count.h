/* SPDX-License-Identifier: MIT */
/* takt count: what its files share. */
#ifndef TAKT_CLI_COUNT_H
#define TAKT_CLI_COUNT_H

#include "cli/trace.h"

/* Not to be moved once it is read. */
struct takt_count_wanted {
	struct takt_count_options options;
	struct takt_core_request request;
	enum takt_count_format format;
	const char **names; /* of groups and events, in `text` */
	char *text;
};

/* Reports and returns false if something is wrong; to be released in any case. */
bool takt_count_wanted_read(const struct takt_arguments *arguments, struct takt_diag *diag,
			    struct takt_count_wanted *wanted);
void takt_count_wanted_release(struct takt_count_wanted *wanted);

#endif
