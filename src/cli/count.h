/* SPDX-License-Identifier: MIT */
/* count: declarations that the files of `takt count` share. */
#ifndef TAKT_CLI_COUNT_H
#define TAKT_CLI_COUNT_H

#include "cli/trace.h"

/* The request on the command line. Must not be moved once it is read. */
struct takt_count_wanted {
	struct takt_count_options options;
	struct takt_core_request request;
	enum takt_format format;
	const char **names; /* of groups and events; they point into `text` */
	char *text;
};

/* Report errors and return false; release the request in any case. */
bool takt_count_wanted_read(const struct takt_arguments *arguments, struct takt_diag *diag,
			    struct takt_count_wanted *wanted);
void takt_count_wanted_release(struct takt_count_wanted *wanted);

#endif
