/* SPDX-License-Identifier: MIT */
/* Makes trees of events, with limits that no machine model comes near. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/yaml_node.h"

#define DEPTH_MAX 24u
#define NODES_MAX 50000u /* most nodes of one entry */

struct level {
	struct takt_yaml_node *node;
	struct takt_yaml_node **end; /* the pointer that the next child is linked to */
	const char *key;	     /* a key whose value has not been read yet, or NULL */
};

struct building {
	const struct takt_yaml_walk *walk;
	struct takt_arena arena; /* holds the entry under construction */
	struct level levels[DEPTH_MAX];
	unsigned depth;
	uint32_t node_count;
	char *top_key; /* key of the entry under construction; owned */
	bool in_list;  /* inside the list whose elements are entries */
	bool begun;
};

static bool fail(struct building *building, uint32_t line, const char *what, const char *remedy)
{
	takt_import_error(building->walk->table, line, "%s", what);
	takt_note(building->walk->table->diag, "%s", remedy);
	return false;
}

static bool hand_over(struct building *building, const struct takt_yaml_node *node)
{
	bool more = building->walk->entry(building->walk->context, building->top_key, node);

	takt_arena_clear(&building->arena);
	building->node_count = 0;
	return more;
}

/* Link a node to its parent; in a map keys and values alternate. */
static bool add_node(struct building *building, struct takt_yaml_node *node)
{
	struct level *level = &building->levels[building->depth - 1];

	if (level->node->kind == TAKT_YAML_MAP && !level->key) {
		if (node->kind != TAKT_YAML_SCALAR)
			return fail(building, node->line, "a list or map as key",
				    "keys are words, as in 'latency: 4'");
		level->key = node->text;
		return true;
	}
	node->key = level->key;
	level->key = NULL;
	*level->end = node;
	level->end = &node->next;
	return true;
}

static bool push(struct building *building, struct takt_yaml_node *node)
{
	if (building->depth == DEPTH_MAX)
		return fail(building, node->line, "lists and maps are nested too deeply",
			    "OSACA's models need six levels");
	building->levels[building->depth++] = (struct level){.node = node, .end = &node->first};
	return true;
}

static struct takt_yaml_node *new_node(struct building *building, uint32_t line,
				       enum takt_yaml_event kind, const char *text, bool quoted)
{
	struct takt_yaml_node *node;

	if (++building->node_count > NODES_MAX) {
		fail(building, line, "one entry has too many values",
		     "is this a machine model of OSACA?");
		return NULL;
	}
	node = TAKT_NEW(&building->arena, struct takt_yaml_node);
	node->kind = kind;
	node->line = line;
	node->quoted = quoted;
	node->text = text ? takt_arena_string(&building->arena, text) : NULL;
	return node;
}

/* Handle a node directly in the file's map: a key, or its value. */
static bool on_top(struct building *building, uint32_t line, enum takt_yaml_event kind,
		   const char *text, bool quoted)
{
	struct takt_yaml_node *node;

	if (!building->top_key) {
		if (kind != TAKT_YAML_SCALAR)
			return fail(building, line, "a list or map as key",
				    "keys are words, as in 'isa: x86'");
		building->top_key = takt_xstrdup(text);
		return true;
	}
	if (kind == TAKT_YAML_LIST && strcmp(building->top_key, building->walk->list_key) == 0) {
		building->in_list = true;
		return true;
	}
	node = new_node(building, line, kind, text, quoted);
	if (!node)
		return false;
	if (kind != TAKT_YAML_SCALAR)
		return push(building, node);
	if (!hand_over(building, node))
		return false;
	free(building->top_key);
	building->top_key = NULL;
	return true;
}

static bool on_element(struct building *building, uint32_t line, enum takt_yaml_event kind,
		       const char *text, bool quoted)
{
	struct takt_yaml_node *node = new_node(building, line, kind, text, quoted);

	if (!node)
		return false;
	return kind == TAKT_YAML_SCALAR ? hand_over(building, node) : push(building, node);
}

static bool on_end(struct building *building)
{
	if (building->depth == 0) {
		if (!building->in_list)
			return true; /* the end of the file's map */
		building->in_list = false;
	} else {
		building->depth--;
		if (building->depth > 0)
			return true;
		if (!hand_over(building, building->levels[0].node))
			return false;
		if (building->in_list)
			return true;
	}
	free(building->top_key);
	building->top_key = NULL;
	return true;
}

static bool on_event(void *context, uint32_t line, enum takt_yaml_event event, const char *text,
		     bool quoted)
{
	struct building *building = context;
	struct takt_yaml_node *node;

	if (!building->begun) {
		building->begun = true;
		return event == TAKT_YAML_MAP ||
		       fail(building, line, "the file is not a map",
			    "OSACA's models begin with lines such as 'isa: x86'");
	}
	if (event == TAKT_YAML_END)
		return on_end(building);
	if (building->depth == 0)
		return building->in_list ? on_element(building, line, event, text, quoted)
					 : on_top(building, line, event, text, quoted);
	node = new_node(building, line, event, text, quoted);
	if (!node || !add_node(building, node))
		return false;
	return event == TAKT_YAML_SCALAR || push(building, node);
}

static void report(void *context, uint32_t line, const char *what, const char *remedy)
{
	struct building *building = context;

	takt_import_error(building->walk->table, line, "%s", what);
	if (remedy)
		takt_note(building->walk->table->diag, "%s", remedy);
}

bool takt_yaml_walk(const struct takt_yaml_walk *walk, const void *data, size_t size_bytes)
{
	union {
		void *address;
		takt_yaml_reader read;
	} entry = {.address = takt_module_symbol("takt-import", "takt_import_yaml",
						 walk->table->diag)};
	struct building building = {.walk = walk};
	struct takt_yaml_events events = {.context = &building, .event = on_event, .error = report};
	bool whole;

	if (!entry.address) {
		takt_note(walk->table->diag,
			  "install takt with its import module (libxml2, libyaml)");
		walk->table->unavailable = true;
		return false;
	}
	takt_arena_init(&building.arena);
	whole = entry.read(data, size_bytes, &events);
	free(building.top_key);
	takt_arena_release(&building.arena);
	return whole;
}

/* ---- reading nodes --------------------------------------------------------- */

const struct takt_yaml_node *takt_yaml_get(const struct takt_yaml_node *map, const char *key)
{
	if (!map || map->kind != TAKT_YAML_MAP)
		return NULL;
	for (const struct takt_yaml_node *node = map->first; node; node = node->next)
		if (node->key && strcmp(node->key, key) == 0)
			return node;
	return NULL;
}

const char *takt_yaml_text(const struct takt_yaml_node *node)
{
	if (!node || node->kind != TAKT_YAML_SCALAR)
		return NULL;
	if (!node->quoted && (strcmp(node->text, "~") == 0 || strcmp(node->text, "") == 0 ||
			      takt_compare_nocase(node->text, "null", SIZE_MAX) == 0))
		return NULL;
	return node->text;
}

bool takt_yaml_number(const struct takt_yaml_node *node, double *ret_number)
{
	const char *text = takt_yaml_text(node);
	char *end;
	double number = text ? takt_strtod(text, &end) : 0;

	if (!text || end == text || *end || !isfinite(number))
		return false;
	*ret_number = number;
	return true;
}
