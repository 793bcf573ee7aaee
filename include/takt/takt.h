/* SPDX-License-Identifier: MIT */
/*
 * takt: how many cycles code takes on a given core, why, and what would change it.
 *
 * This is the whole public interface. Records whose fields are written out here are open: read
 * them directly. Names with only a `struct x;` line are opaque. The library writes to no stream,
 * does not change the environment and never exits; it reports into a `struct takt_diag`. The one
 * exception is takt_set_out_of_memory_handler(). Everything is thread-safe as long as each object
 * is used by one thread at a time; an opened model may be shared by all threads.
 */
#ifndef TAKT_H
#define TAKT_H

#include <takt/common.h>
#include <takt/model.h>
#include <takt/code.h>
#include <takt/dependences.h>
#include <takt/analysis.h>
#include <takt/predict.h>
#include <takt/identify.h>
#include <takt/measure.h>
#include <takt/trace.h>
#include <takt/annotation.h>
#include <takt/diff.h>
#include <takt/count.h>
#include <takt/trust.h>
#include <takt/diagnose.h>
#include <takt/output.h>
#include <takt/page.h>

#endif
