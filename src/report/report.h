/* SPDX-License-Identifier: MIT */
/*
 * report: writes a takt_analysis as text, JSON or a dot graph (the writers are declared in
 * takt.h). It only reads the open record; it computes no figure that is not in the record.
 */
#ifndef TAKT_REPORT_H
#define TAKT_REPORT_H

#include "base/base.h"

#endif
