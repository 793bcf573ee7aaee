/* SPDX-License-Identifier: MIT */
/*
 * report: a takt_analysis as text, JSON or a dot graph (writers declared in
 * takt.h). Reads the open record only; computes no figure that is not in it.
 */
#ifndef TAKT_REPORT_H
#define TAKT_REPORT_H

#include "base/base.h"

#endif
