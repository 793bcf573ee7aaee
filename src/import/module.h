/* SPDX-License-Identifier: MIT */
/* module: declares the entries of takt-import.so for the module's own sources. */
#ifndef TAKT_IMPORT_MODULE_H
#define TAKT_IMPORT_MODULE_H

#include "import/reader.h"

#define TAKT_MODULE_ENTRY __attribute__((visibility("default")))

TAKT_MODULE_ENTRY bool takt_import_xml(const void *data, size_t size_bytes,
				       const struct takt_xml_events *events);
TAKT_MODULE_ENTRY bool takt_import_yaml(const void *data, size_t size_bytes,
					const struct takt_yaml_events *events);

#endif
