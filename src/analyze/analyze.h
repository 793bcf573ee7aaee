/* SPDX-License-Identifier: MIT */
/*
 * analyze: one region through all engines into one open record, takt_analysis
 * (takt.h). This is where the headline and its limit are decided.
 */
#ifndef TAKT_ANALYZE_H
#define TAKT_ANALYZE_H

#include "bounds/bounds.h"
#include "input/input.h"
#include "sim/sim.h"

#endif
