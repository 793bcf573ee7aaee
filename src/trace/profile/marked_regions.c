/* SPDX-License-Identifier: MIT */
/* Regions of libtakt-marker, which a program begins and ends by system calls while it runs. */
#include <string.h>

#include "trace/profile/context.h"

static void spell(struct context_announced *announced, char letter)
{
	if (announced->name_bytes + 1 < sizeof(announced->name))
		announced->name[announced->name_bytes++] = letter;
}

static void define(struct regions *regions, struct context_announced *announced, uint32_t number)
{
	announced->name[announced->name_bytes] = '\0';
	regions_announced(regions, number, announced->name);
	announced->name_bytes = 0;
}

static uint32_t find(const struct context_announced *announced, uint32_t region)
{
	uint32_t i = 0;

	while (i < announced->count && announced->regions[i] != region)
		i++;
	return i;
}

static void start(struct regions *regions, struct context_announced *announced, uint32_t number)
{
	uint32_t region = regions_announced(regions, number, "?"), i = find(announced, region);

	if (region == REGION_NONE || i == CONTEXT_ANNOUNCED_MAX)
		return;
	if (i == announced->count) {
		announced->regions[i] = region;
		announced->depths[i] = 0;
		announced->count++;
		regions->list[region].entries++;
	}
	announced->depths[i]++;
	announced->node = REGION_NONE;
}

/* End a region. Regions need not be nested, so it need not be the last one that began. */
static void stop(struct regions *regions, struct context_announced *announced, uint32_t number)
{
	uint32_t region = regions_announced(regions, number, "?"), i = find(announced, region);

	if (i == announced->count || --announced->depths[i])
		return;
	announced->count--;
	memmove(announced->regions + i, announced->regions + i + 1,
		(announced->count - i) * sizeof(announced->regions[0]));
	memmove(announced->depths + i, announced->depths + i + 1,
		(announced->count - i) * sizeof(announced->depths[0]));
	announced->node = REGION_NONE;
}

void context_announce(struct trace_context *context, struct context_thread *thread,
		      uint64_t syscall)
{
	uint32_t value = (uint32_t)syscall & (MARKER_VALUES - 1);
	struct regions *regions = &context->regions;

	if (!thread->announced)
		thread->announced = takt_xcalloc(1, sizeof(*thread->announced));
	switch ((enum marker_operation)(syscall >> 16 & 3)) {
	case MARKER_NAME:
		spell(thread->announced, (char)value);
		break;
	case MARKER_DEFINE:
		define(regions, thread->announced, value);
		break;
	case MARKER_START:
		start(regions, thread->announced, value);
		break;
	case MARKER_STOP:
		stop(regions, thread->announced, value);
		break;
	}
}

uint32_t context_announced_node(struct trace_context *context, struct context_announced *announced,
				uint32_t node)
{
	if (announced->from == node && announced->node != REGION_NONE)
		return announced->node;
	announced->from = node;
	for (uint32_t i = 0; i < announced->count; i++)
		node = regions_enter(&context->regions, node, announced->regions[i]);
	announced->node = node;
	return node;
}
