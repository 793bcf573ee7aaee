/* SPDX-License-Identifier: MIT */
/* Finds the regions that blocks and functions belong to, and builds the tree of open regions. */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/profile/regions.h"

#define SETS_MAX 60000u

/* ---- parsing regions as the user writes them ---- */

uint32_t regions_add(struct regions *regions, const char *name, struct region_rule rule)
{
	TAKT_GROW(regions->list, regions->count + 1, regions->capacity);
	TAKT_GROW(regions->rules, regions->count + 1, regions->rule_capacity);
	regions->list[regions->count] =
		(struct trace_region){.name = takt_arena_string(&regions->arena, name)};
	regions->rules[regions->count] = rule;
	return regions->count++;
}

static bool read_range(const char *text, struct region_rule *rule)
{
	char *end;

	rule->begin = strtoull(text, &end, 16);
	if (*end != '-' || strncmp(end + 1, "0x", 2) != 0)
		return false;
	rule->end = strtoull(end + 1, &end, 16);
	return *end == '\0' && rule->begin < rule->end;
}

/* Add the region that a text of the form WHAT or NAME=WHAT describes. */
static enum takt_status add_text(struct regions *regions, const char *text, struct takt_diag *diag)
{
	const char *equals = strchr(text, '='), *what = equals ? equals + 1 : text;
	struct region_rule rule = {.kind = REGION_SYMBOL};
	const char *name =
		equals ? takt_arena_copy(&regions->arena, text, (size_t)(equals - text)) : text;

	if (*name == '\0' || *what == '\0') {
		takt_error(diag, "'%s' names no region", text);
		takt_note(diag, "SYMBOL, 0xSTART-0xEND or markers, perhaps with NAME= before it");
		return TAKT_BAD_INPUT;
	}
	if (strcmp(what, "markers") == 0) {
		regions->by_marker = regions->by_block = true;
		return TAKT_OK;
	}
	if (strncmp(what, "0x", 2) == 0) {
		rule.kind = REGION_RANGE;
		if (!read_range(what, &rule)) {
			takt_error(diag, "'%s' is no range of addresses", what);
			takt_note(diag, "0xSTART-0xEND, as `--by=block` shows addresses; "
					"the end is not part of it");
			return TAKT_BAD_INPUT;
		}
		regions->by_block = true;
	} else {
		rule.symbol = takt_arena_string(&regions->arena, what);
		regions->by_symbol = true;
	}
	regions_add(regions, name, rule);
	return TAKT_OK;
}

enum takt_status regions_init(struct regions *regions, const struct trace_dictionary *dictionary,
			      const char *const *texts, uint32_t count, struct takt_diag *diag)
{
	*regions = (struct regions){.dictionary = dictionary, .node_count = 1, .set_count = 1};
	takt_arena_init(&regions->arena);
	regions->nodes = takt_xcalloc(TRACE_REGION_NODES_MAX, sizeof(*regions->nodes));
	regions->nodes[0] = (struct trace_region_node){0, REGION_NONE};
	regions->set_capacity = 16;
	regions->sets = takt_xcalloc(regions->set_capacity, sizeof(*regions->sets));
	regions->sets[0] = (struct region_set){.marker = REGION_NONE};
	for (uint32_t i = 0; i < count && i < TRACE_REGIONS_MAX; i++) {
		enum takt_status status = add_text(regions, texts[i], diag);

		if (status != TAKT_OK) {
			regions_release(regions);
			return status;
		}
	}
	return TAKT_OK;
}

void regions_release(struct regions *regions)
{
	free(regions->list);
	free(regions->rules);
	free(regions->nodes);
	free(regions->sets);
	free(regions->set_of_block);
	free(regions->announced);
	takt_arena_release(&regions->arena);
	*regions = (struct regions){0};
}

/* ---- functions ---- */

uint32_t regions_of_function(const struct regions *regions, const struct trace_function *function)
{
	struct takt_arena arena = {0};
	uint32_t found = REGION_NONE;

	if (!regions->by_symbol)
		return REGION_NONE;
	for (uint32_t i = 0; i < regions->count && found == REGION_NONE; i++)
		if (regions->rules[i].kind == REGION_SYMBOL &&
		    takt_symbol_is_called(function->name, regions->rules[i].symbol, &arena))
			found = i;
	takt_arena_release(&arena);
	return found;
}

/* ---- blocks: ranges and markers ---- */

static uint32_t marker_region(struct regions *regions, const struct trace_block *block,
			      uint64_t address)
{
	const struct trace_dictionary *dictionary = regions->dictionary;
	const struct trace_function *function =
		block->function ? &dictionary->functions[block->function] : NULL;
	const char *name;

	for (uint32_t i = 0; i < regions->count; i++)
		if (regions->rules[i].kind == REGION_MARKER && regions->rules[i].begin == address)
			return i;
	if (regions->count >= TRACE_REGIONS_MAX)
		return REGION_NONE;
	if (function)
		name = takt_arena_printf(&regions->arena, "marker %s+0x%" PRIx64, function->name,
					 block->file_offset - function->file_offset + address -
						 block->address);
	else
		name = takt_arena_printf(&regions->arena, "marker 0x%" PRIx64, address);
	return regions_add(regions, name,
			   (struct region_rule){.kind = REGION_MARKER, .begin = address});
}

uint32_t regions_announced(struct regions *regions, uint32_t number, const char *name)
{
	if (!regions->announced)
		regions->announced = takt_xcalloc(MARKER_VALUES, sizeof(*regions->announced));
	if (regions->announced[number])
		return regions->announced[number] - 1;
	if (regions->count >= TRACE_REGIONS_MAX)
		return REGION_NONE;
	regions->announced[number] =
		1 + regions_add(regions, name,
				(struct region_rule){.kind = REGION_ANNOUNCED, .begin = number});
	return regions->announced[number] - 1;
}

/* Return the number of an IACA marker at the start of `bytes`, or 0. */
static unsigned marker_at(uint16_t machine, const uint8_t *bytes, size_t size_bytes)
{
	static const uint8_t nop[] = {0x64, 0x67, 0x90};
	static const struct {
		uint8_t bytes[3], size_bytes, number_size_bytes;
	} moves[] = {{{0xbb}, 1, 4},
		     {{0xc7, 0xc3}, 2, 4},
		     {{0x48, 0xc7, 0xc3}, 3, 4},
		     {{0x66, 0xbb}, 2, 2}};
	uint32_t number = 0, word[2];

	if (machine == EM_AARCH64) {
		if (size_bytes < 8)
			return 0;
		memcpy(word, bytes, 8);
		if (word[1] != 0x1f2003d5 && word[1] != 0xd503201f)
			return 0;
		return (word[0] & 0x7fe0001f) == 0x52800001 ? word[0] >> 5 & 0xffff : 0;
	}
	for (size_t i = 0; machine == EM_X86_64 && i < TAKT_COUNT_OF(moves); i++) {
		size_t size = (size_t)moves[i].size_bytes + moves[i].number_size_bytes;

		if (size + sizeof(nop) > size_bytes ||
		    memcmp(bytes, moves[i].bytes, moves[i].size_bytes) != 0 ||
		    memcmp(bytes + size, nop, sizeof(nop)) != 0)
			continue;
		memcpy(&number, bytes + moves[i].size_bytes, moves[i].number_size_bytes);
		return number;
	}
	return 0;
}

static void find_markers(struct regions *regions, const struct trace_block *block,
			 struct region_set *set)
{
	size_t size = (size_t)(block->end - block->address), at = 0;

	for (uint32_t i = 0; i < block->insn_count; i++) {
		unsigned number = marker_at(regions->dictionary->guest->machine, block->bytes + at,
					    size - at);

		if (number == 111) {
			set->ends_before = set->ends_after;
			set->ends_after = false;
			set->marker = marker_region(regions, block, block->address + at);
		} else if (number == 222) {
			set->ends_after = true;
		}
		at += block->lengths[i];
	}
}

static bool is_same(const struct region_set *a, const struct region_set *b)
{
	return a->range_count == b->range_count && a->marker == b->marker &&
	       a->ends_before == b->ends_before && a->ends_after == b->ends_after &&
	       (!a->range_count ||
		memcmp(a->ranges, b->ranges, a->range_count * sizeof(a->ranges[0])) == 0);
}

/* Return the index of an equal set, or of a new one. */
static uint32_t keep_set(struct regions *regions, const struct region_set *set)
{
	for (uint32_t i = 0; i < regions->set_count; i++)
		if (is_same(&regions->sets[i], set))
			return i;
	if (regions->set_count == SETS_MAX)
		return 0;
	TAKT_GROW(regions->sets, regions->set_count + 1, regions->set_capacity);
	regions->sets[regions->set_count] = *set;
	return regions->set_count++;
}

static uint32_t find_set(struct regions *regions, const struct trace_block *block)
{
	struct region_set set = {.marker = REGION_NONE};

	for (uint32_t i = 0; i < regions->count && set.range_count < REGION_SET_MAX; i++)
		if (regions->rules[i].kind == REGION_RANGE &&
		    block->address >= regions->rules[i].begin &&
		    block->address < regions->rules[i].end)
			set.ranges[set.range_count++] = i;
	if (regions->by_marker)
		find_markers(regions, block, &set);
	return keep_set(regions, &set);
}

uint32_t regions_of_block(struct regions *regions, const struct trace_block *block)
{
	TAKT_GROW_ZEROED(regions->set_of_block, block->number + 1, regions->block_capacity);
	if (regions->set_of_block[block->number] == 0)
		regions->set_of_block[block->number] = (uint16_t)(1 + find_set(regions, block));
	return regions->set_of_block[block->number] - 1u;
}

/* ---- the tree ---- */

bool regions_has(const struct regions *regions, uint32_t node, uint32_t region)
{
	for (; node; node = regions->nodes[node].parent)
		if (regions->nodes[node].region == region)
			return true;
	return false;
}

uint32_t regions_enter(struct regions *regions, uint32_t parent, uint32_t region)
{
	if (regions_has(regions, parent, region))
		return parent;
	for (uint32_t i = parent + 1; i < regions->node_count; i++)
		if (regions->nodes[i].parent == parent && regions->nodes[i].region == region)
			return i;
	if (regions->node_count == TRACE_REGION_NODES_MAX)
		return parent;
	regions->nodes[regions->node_count] = (struct trace_region_node){parent, region};
	return regions->node_count++;
}

uint32_t regions_leave_marker(const struct regions *regions, uint32_t node, uint32_t base)
{
	for (uint32_t at = node; at != base && at != 0; at = regions->nodes[at].parent)
		if (regions->rules[regions->nodes[at].region].kind == REGION_MARKER)
			return regions->nodes[at].parent;
	return node;
}
