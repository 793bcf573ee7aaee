/* SPDX-License-Identifier: MIT */
/* yaml_node: makes small trees of YAML events, one entry of the file at a time. */
#ifndef TAKT_IMPORT_YAML_NODE_H
#define TAKT_IMPORT_YAML_NODE_H

#include "import/reader.h"
#include "import/table.h"

struct takt_yaml_node {
	enum takt_yaml_event kind; /* SCALAR, LIST or MAP */
	bool quoted;
	uint32_t line;
	const char *key;  /* the node's key if it is in a map, else NULL */
	const char *text; /* the text of a scalar, else NULL */
	struct takt_yaml_node *first, *next;
};

/*
 * Callbacks for a file, which must be a map. entry() gets each value of the map, but each element
 * of the list under `list_key` by itself, so that the list may be long. It returns false to stop.
 * A node lives until entry() returns.
 */
struct takt_yaml_walk {
	struct takt_import_table *table;
	const char *list_key;
	void *context;
	bool (*entry)(void *context, const char *key, const struct takt_yaml_node *node);
};

/* Read the file. False, after an error, if the reading was stopped. */
bool takt_yaml_walk(const struct takt_yaml_walk *walk, const void *data, size_t size_bytes);

/* Return the value of a key of a map, or NULL; `map` may be NULL. */
const struct takt_yaml_node *takt_yaml_get(const struct takt_yaml_node *map, const char *key);
/* Return the text of a scalar; NULL for anything else and for a plain ~ or null. */
const char *takt_yaml_text(const struct takt_yaml_node *node);
/* Read a number; false if the node is not one. */
bool takt_yaml_number(const struct takt_yaml_node *node, double *ret_number);

#endif
