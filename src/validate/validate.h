/* SPDX-License-Identifier: MIT */
/*
 * validate: kernels whose counts are known, and two uses of them. Run as programs, they show
 * whether a backend counts events correctly; timed on this machine, they give its limits.
 *
 * The interface is in takt-lab/limits.h and takt-lab/validate.h.
 */
#ifndef TAKT_VALIDATE_H
#define TAKT_VALIDATE_H

#include "trust/trust.h"

#include "takt-lab/limits.h"
#include "takt-lab/validate.h"

/* Do what takt_machine_limits_read() does, from memory; `name` is for messages. */
TAKT_MUST_CHECK enum takt_status takt_machine_limits_parse(const void *data, size_t size_bytes,
							   const char *name, struct takt_diag *diag,
							   struct takt_machine_limits **ret_limits);

/* Forms of the JSON (base/record.h). */
extern const struct takt_schema takt_machine_limits_schema, takt_validate_schema;

#endif
