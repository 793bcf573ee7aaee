/* SPDX-License-Identifier: MIT */
/*
 * validate: kernels whose counts are known, and two uses of them. Run as programs, they show
 * whether a backend counts events correctly; timed on this machine, they give its limits.
 *
 *	kernels.c, variant.c       the kernels as data; names → kernels
 *	emit*.c                    a kernel → machine code, and what each part of it counts
 *	kernel_elf.c                  a kernel → an ELF program that contains nothing else
 *	sizes.c                    data that fit one level of the caches
 *	check*.c                   kernels under a backend, compared
 *	meanings.c                 processors' events, expressed in the oracle's events
 *	trust*.c, order.c          the result: which events can be trusted; its file
 *	ceiling*.c, team*.c        the machine's limits: measurement, their file, teams of processes
 *	csv.c                      reader of those files
 *
 * The interface is takt.h's.
 */
#ifndef TAKT_VALIDATE_H
#define TAKT_VALIDATE_H

#include "events/events.h"

/* Do what takt_trust_read() and takt_ceilings_read() do, from memory; `name` is for messages. */
TAKT_MUST_CHECK enum takt_status takt_trust_parse(const void *data, size_t size_bytes,
						  const char *name, struct takt_diag *diag,
						  struct takt_trust **ret_trust);
TAKT_MUST_CHECK enum takt_status takt_ceilings_parse(const void *data, size_t size_bytes,
						     const char *name, struct takt_diag *diag,
						     struct takt_ceilings **ret_ceilings);

#endif
