/* SPDX-License-Identifier: MIT */
/*
 * import: converts other projects' machine data to takt timing files, so that users can bring
 * their own: uops.info XML, OSACA YAML, figures of ibench and asmbench, LLVM scheduling tables. The
 * parsers are in separate modules (takt-import.so with libxml2 and libyaml, takt-llvm.so with
 * LLVM), loaded on first need; this module interprets the data.
 *
 * The public entry is takt_model_import() of takt.h.
 */
#ifndef TAKT_IMPORT_H
#define TAKT_IMPORT_H

#include "model/model.h"

enum takt_import_format {
	TAKT_IMPORT_UOPS_INFO,
	TAKT_IMPORT_OSACA,
	TAKT_IMPORT_IBENCH, /* and asmbench */
};

/* A file of another project, or text, to import. */
struct takt_import_source {
	enum takt_import_format format;
	const char *label; /* for messages */
	const char *arch;  /* the architecture in a uops.info file; NULL: the model's own name */
	const void *data;
	size_t size_bytes;
};

/* Import bytes in memory, as takt_model_import() does with files. */
TAKT_MUST_CHECK enum takt_status takt_import_bytes(const struct takt_model *model,
						   const struct takt_import_source *source,
						   struct takt_diag *diag, struct takt_text *text);

#endif
