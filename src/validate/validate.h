/* SPDX-License-Identifier: MIT */
/*
 * validate: kernels whose counts are known, and two uses of them. Run as programs, they show
 * whether a backend of events counts truly; run on this machine, they are its limits.
 *
 *	kernels.c, variant.c       the kernels as data; names → kernels
 *	emit*.c                    a kernel → machine code, and what each part of it counts
 *	program.c                  a kernel → an ELF program of nothing else
 *	sizes.c                    data that fit one level of the caches
 *	check*.c                   kernels under a backend, compared
 *	meanings.c                 what processors' events count, in the oracle's words
 *	trust*.c, order.c          the result: which events may be believed; its file
 *	ceiling*.c, team*.c        the machine's limits, timed; their file; who runs kernels
 *	csv.c                      how those files are read
 *
 * The interface is takt.h's.
 */
#ifndef TAKT_VALIDATE_H
#define TAKT_VALIDATE_H

#include "events/events.h"

/* As takt_trust_read() and takt_ceilings_read(), from memory; `name` is for messages. */
TAKT_MUST_CHECK enum takt_status takt_trust_parse(const void *data, size_t size_bytes,
						  const char *name, struct takt_diag *diag,
						  struct takt_trust **ret_trust);
TAKT_MUST_CHECK enum takt_status takt_ceilings_parse(const void *data, size_t size_bytes,
						     const char *name, struct takt_diag *diag,
						     struct takt_ceilings **ret_ceilings);

#endif
