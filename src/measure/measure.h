/* SPDX-License-Identifier: MIT */
/*
 * measure: the same code on this machine. A sandboxed child copies a block twice with
 * different counts, runs both, and the difference of the times is the block's; the
 * method of BHive (Chen et al., IISWC 2019) and nanoBench (Abel, Reineke, ISPASS 2020).
 * Without a cycle counter, time is told against an interleaved chain of one-cycle
 * additions. The interface is takt.h's.
 */
#ifndef TAKT_MEASURE_H
#define TAKT_MEASURE_H

#include "isa/isa.h"

#endif
