/* SPDX-License-Identifier: MIT */
/* yaml_node: YAML events gathered into small trees, one entry of the file at a time. */
#ifndef TAKT_IMPORT_YAML_NODE_H
#define TAKT_IMPORT_YAML_NODE_H

#include "import/reader.h"
#include "import/table.h"

struct takt_yaml_node {
	enum takt_yaml_event kind; /* SCALAR, LIST or MAP */
	bool quoted;
	uint32_t line;
	const char *key;  /* in a map, else NULL */
	const char *text; /* of a scalar */
	struct takt_yaml_node *first, *next;
};

/*
 * The file is a map. `entry` gets each of its values; of the list under `list_key` each
 * element by itself, so that the list may be long. It returns false to stop. A node lives
 * until entry() returns.
 */
struct takt_yaml_walk {
	struct takt_import_table *table;
	const char *list_key;
	void *context;
	bool (*entry)(void *context, const char *key, const struct takt_yaml_node *node);
};

/* False if something stopped the reading; it is then reported. */
bool takt_yaml_walk(const struct takt_yaml_walk *walk, const void *data, size_t size_bytes);

/* The value of a key of a map, or NULL; `map` may be NULL. */
const struct takt_yaml_node *takt_yaml_get(const struct takt_yaml_node *map, const char *key);
/* The text of a scalar, NULL for anything else and for a plain ~ or null. */
const char *takt_yaml_text(const struct takt_yaml_node *node);
/* False if the node is no number. */
bool takt_yaml_number(const struct takt_yaml_node *node, double *ret_number);

#endif
