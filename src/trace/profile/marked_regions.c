/* SPDX-License-Identifier: MIT */
/* Regions of libtakt-marker, which a program begins and ends by system calls while it runs. */
#include <stdlib.h>
#include <string.h>

#include "trace/profile/context.h"

static void spell(struct context_told *told, char letter)
{
	if (told->name_bytes + 1 < sizeof(told->name))
		told->name[told->name_bytes++] = letter;
}

static void define(struct regions *regions, struct context_told *told, uint32_t number)
{
	told->name[told->name_bytes] = '\0';
	regions_told(regions, number, told->name);
	told->name_bytes = 0;
}

static uint32_t find(const struct context_told *told, uint32_t region)
{
	uint32_t i = 0;

	while (i < told->count && told->regions[i] != region)
		i++;
	return i;
}

static void start(struct regions *regions, struct context_told *told, uint32_t number)
{
	uint32_t region = regions_told(regions, number, "?"), i = find(told, region);

	if (region == REGION_NONE || i == CONTEXT_TOLD_MAX)
		return;
	if (i == told->count) {
		told->regions[i] = region;
		told->depths[i] = 0;
		told->count++;
		regions->list[region].entries++;
	}
	told->depths[i]++;
	told->node = REGION_NONE;
}

/* End a region. Regions need not be nested, so it need not be the last one that began. */
static void stop(struct regions *regions, struct context_told *told, uint32_t number)
{
	uint32_t region = regions_told(regions, number, "?"), i = find(told, region);

	if (i == told->count || --told->depths[i])
		return;
	told->count--;
	memmove(told->regions + i, told->regions + i + 1,
		(told->count - i) * sizeof(told->regions[0]));
	memmove(told->depths + i, told->depths + i + 1,
		(told->count - i) * sizeof(told->depths[0]));
	told->node = REGION_NONE;
}

void context_tell(struct trace_context *context, struct context_thread *thread, uint64_t syscall)
{
	uint32_t value = (uint32_t)syscall & (MARKER_VALUES - 1);
	struct regions *regions = &context->regions;

	if (!thread->told)
		thread->told = takt_xcalloc(1, sizeof(*thread->told));
	switch ((enum marker_operation)(syscall >> 16 & 3)) {
	case MARKER_NAME:
		spell(thread->told, (char)value);
		break;
	case MARKER_DEFINE:
		define(regions, thread->told, value);
		break;
	case MARKER_START:
		start(regions, thread->told, value);
		break;
	case MARKER_STOP:
		stop(regions, thread->told, value);
		break;
	}
}

uint32_t context_told_node(struct trace_context *context, struct context_told *told, uint32_t node)
{
	if (told->from == node && told->node != REGION_NONE)
		return told->node;
	told->from = node;
	for (uint32_t i = 0; i < told->count; i++)
		node = regions_enter(&context->regions, node, told->regions[i]);
	told->node = node;
	return node;
}
