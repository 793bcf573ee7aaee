/* SPDX-License-Identifier: MIT */
/*
 * import: other projects' machine data as takt timing files, so that users bring
 * their own: uops.info XML, OSACA YAML, LLVM scheduling tables. The readers live in
 * modules of their own (takt-import.so with libxml2 and libyaml, takt-llvm.so with
 * LLVM), loaded on first need.
 */
#ifndef TAKT_IMPORT_H
#define TAKT_IMPORT_H

#include "model/model.h"

/* One form from a foreign source, in takt's terms; strings are the reader's. */
struct takt_import_row {
	takt_form_key form;
	struct takt_timing timing;   /* ports as bits of the target core */
};

#endif
