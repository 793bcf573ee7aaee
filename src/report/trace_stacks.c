/* SPDX-License-Identifier: MIT */
/* Call stacks of a traced program: folded for flame graphs, and as a tree in JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/record.h"
#include "report/trace.h"

/* ---- folded stacks ---- */

static bool has_cycles(const struct takt_trace_profile *profile)
{
	for (uint32_t i = 0; i < profile->node_count; i++)
		if (profile->nodes[i].cycles)
			return true;
	return false;
}

/* Write a stack's names, the outermost first; separators within names are replaced. */
static void write_stack(const struct takt_trace_node *nodes, uint32_t node, struct takt_text *text)
{
	if (nodes[node].parent)
		write_stack(nodes, nodes[node].parent, text);
	if (text->size_bytes)
		takt_text_add_string(text, ";");
	for (const char *c = nodes[node].name; *c; c++)
		takt_text_add(text, *c == ';' || *c == '\n' ? "," : c, 1);
}

struct stack {
	char *names;
	uint64_t value;
};

TAKT_ORDER(compare_stacks, struct stack, TAKT_ALPHABETIC(names));

static void write_stacks(struct stack *stacks, uint32_t count, struct takt_text *text)
{
	if (count)
		qsort(stacks, count, sizeof(*stacks), compare_stacks);
	for (uint32_t i = 0; i < count; i++) {
		/* Functions in several files may have the same name: their stacks are added up. */
		if (i + 1 < count && compare_stacks(&stacks[i], &stacks[i + 1]) == 0)
			stacks[i + 1].value += stacks[i].value;
		else
			takt_text_printf(text, "%s %" PRIu64 "\n", stacks[i].names,
					 stacks[i].value);
		free(stacks[i].names);
	}
}

void takt_write_trace_folded(const struct takt_trace_profile *profile, struct takt_text *text)
{
	struct stack *stacks = takt_xcalloc(profile->node_count, sizeof(*stacks));
	bool timed = has_cycles(profile);
	uint32_t count = 0;
	for (uint32_t i = 1; i < profile->node_count; i++) {
		uint64_t value = timed ? profile->nodes[i].cycles : profile->nodes[i].insns;
		struct takt_text names = {0};

		if (value == 0)
			continue;
		write_stack(profile->nodes, i, &names);
		stacks[count++] = (struct stack){names.data, value};
	}
	write_stacks(stacks, count, text);
	free(stacks);
}

/* ---- the tree ---- */

struct stack_tree {
	const struct takt_trace_profile *profile;
	uint32_t timed;	     /* 1: costs are cycles; 0: instructions */
	uint32_t *functions; /* for each node, the index of its name in `names` */
	const char **names;
	uint32_t name_count;
};

static const char *unit_word(uint32_t timed)
{
	return timed ? "cycles" : "instructions";
}

static uint64_t cost_of(const struct stack_tree *tree, const struct takt_trace_node *node)
{
	return tree->timed ? node->cycles : node->insns;
}

/* Give one value of each node, an index or a cost. */
#define NODE_ENTRY(name, node_value)                                                               \
	static bool name##_entry(const struct takt_view *view, const void *record, uint32_t index, \
				 const char **ret_key, struct takt_value *ret_value)               \
	{                                                                                          \
		const struct stack_tree *tree = record;                                            \
                                                                                                   \
		(void)view;                                                                        \
		(void)ret_key;                                                                     \
		if (index == tree->profile->node_count)                                            \
			return false;                                                              \
		*ret_value = takt_value_integer((int64_t)(node_value));                            \
		return true;                                                                       \
	}

NODE_ENTRY(parent, tree->profile->nodes[index].parent)
NODE_ENTRY(function, tree->functions[index])
NODE_ENTRY(cost, cost_of(tree, &tree->profile->nodes[index]))

#define RECORD struct stack_tree
static const struct takt_field tree_fields[] = {
	TAKT_ENUM("unit", timed, unit_word, 2, "What `costs` count."),
	TAKT_LIST("names", names, name_count, NULL, "Names of functions."),
	TAKT_ENTRIES("parents", TAKT_FIELD_UINT32, parent_entry, NULL,
		     "For each stack, the index of its caller's, which is less than its own; stack "
		     "0 is the root.",
		     .flags = TAKT_ONE_LINE),
	TAKT_ENTRIES("functions", TAKT_FIELD_UINT32, function_entry, NULL,
		     "For each stack, the index of the name of its innermost function.",
		     .flags = TAKT_ONE_LINE),
	TAKT_ENTRIES("costs", TAKT_FIELD_UINT64, cost_entry, NULL,
		     "For each stack, what it costs without the functions that it calls.",
		     .flags = TAKT_ONE_LINE),
};
#undef RECORD
static const struct takt_record tree_record =
	TAKT_RECORD("stacks", "The tree of calls.", tree_fields);

struct numbered {
	uint64_t name; /* address of the string, which the nodes of a function share */
	uint64_t number;
};

static void number_names(struct stack_tree *tree)
{
	const struct takt_trace_profile *profile = tree->profile;
	struct takt_map map;

	takt_map_init(&map, sizeof(struct numbered), profile->node_count);
	for (uint32_t i = 0; i < profile->node_count; i++) {
		const char *name = profile->nodes[i].name;
		struct numbered *entry = takt_map_get(&map, (uint64_t)(uintptr_t)name);

		if (map.count > tree->name_count) {
			entry->number = tree->name_count;
			tree->names[tree->name_count++] = name;
		}
		tree->functions[i] = (uint32_t)entry->number;
	}
	takt_map_release(&map);
}

void takt_write_trace_stacks_json(const struct takt_trace_profile *profile, struct takt_text *text)
{
	struct stack_tree tree = {.profile = profile, .timed = has_cycles(profile)};

	tree.functions = takt_xcalloc(profile->node_count, sizeof(*tree.functions));
	tree.names = takt_xcalloc(profile->node_count, sizeof(*tree.names));
	number_names(&tree);
	takt_record_write_json(&tree_record, &tree, text);
	free(tree.names);
	free(tree.functions);
}
