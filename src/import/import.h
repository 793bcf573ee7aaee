/* SPDX-License-Identifier: MIT */
/*
 * import: other projects' machine data as takt timing files, so that users bring
 * their own: uops.info XML, OSACA YAML, LLVM scheduling tables. The parsers live in
 * modules of their own (takt-import.so with libxml2 and libyaml, takt-llvm.so with
 * LLVM), loaded on first need; what the data means is decided here.
 *
 * The public entry is takt_model_import() of takt.h.
 */
#ifndef TAKT_IMPORT_H
#define TAKT_IMPORT_H

#include "model/model.h"

enum takt_import_format {
	TAKT_IMPORT_UOPS_INFO,
	TAKT_IMPORT_OSACA,
};

/*
 * As takt_model_import() on bytes in memory. `label` names them in messages; `arch` is
 * the architecture to take out of a uops.info file, NULL for the model's own name.
 */
TAKT_MUST_CHECK enum takt_status takt_import_bytes(const struct takt_model *model,
						   enum takt_import_format format,
						   const char *label, const char *arch,
						   const void *data, size_t size_bytes,
						   struct takt_diag *diag, struct takt_text *text);

#endif
