/* SPDX-License-Identifier: MIT */
/*
 * validate: kernels whose counts are known, and two uses of them. Run as programs, they show
 * whether a backend of events counts truly; run on this machine, they are its limits.
 *
 *	kernels.c, variant.c       the kernels as data; names → kernels
 *	emit*.c                    a kernel → machine code, and what each part of it counts
 *	program.c                  a kernel → an ELF program of nothing else
 *	sizes.c                    data that fit one level of the caches
 *	expect.c                   what a run has to count
 *	check.c, threads.c         kernels under a backend, compared
 *	trust*.c                   the result: which events may be believed; its file
 *	ceiling*.c                 the machine's limits, timed; their file
 *
 * The interface is takt.h's.
 */
#ifndef TAKT_VALIDATE_H
#define TAKT_VALIDATE_H

#include "events/events.h"

#endif
