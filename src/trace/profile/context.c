/* SPDX-License-Identifier: MIT */
/*
 * Call stacks. The stack of a thread is inferred from its control flow: calls push a frame,
 * returns pop frames down to the one they return to, and a jump to another function replaces the
 * function of the top frame. Where control turns up in another function (longjmp, exceptions,
 * signals, stacks switched by hand), a frame of that function is searched for further down; if
 * there is none, the function replaces that of the top frame.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/profile/context.h"

#define SEARCH_MAX 1024u /* frames that are searched from the top */
#define DEPTH_MAX 512u	 /* depth of the call tree */

enum takt_status takt_trace_context_new(const struct trace_dictionary *dictionary,
					const char *const *regions, uint32_t region_count,
					struct takt_diag *diag, struct trace_context **ret_context)
{
	struct trace_context *context = takt_xcalloc(1, sizeof(*context));
	enum takt_status status =
		regions_init(&context->regions, dictionary, regions, region_count, diag);

	if (status != TAKT_OK) {
		free(context);
		return status;
	}
	context->dictionary = dictionary;
	context->node_capacity = context->table_size = 1024;
	context->nodes = takt_xcalloc(context->node_capacity, sizeof(*context->nodes));
	context->table = takt_xcalloc(context->table_size, sizeof(*context->table));
	context->node_count = 2; /* TRACE_NODE_ROOT, TRACE_NODE_OTHER */
	*ret_context = context;
	return TAKT_OK;
}

void takt_trace_context_free(struct trace_context *context)
{
	if (!context)
		return;
	for (uint32_t i = 0; i < context->thread_capacity; i++) {
		free(context->threads[i].frames);
		free(context->threads[i].announced);
	}
	free(context->threads);
	free(context->functions);
	free(context->nodes);
	free(context->table);
	regions_release(&context->regions);
	free(context);
}

/* ---- the call tree ---- */

static uint32_t slot_of(const struct trace_context *context, uint32_t parent, uint32_t function)
{
	uint32_t mask = context->table_size - 1;
	uint32_t at = (parent * 0x9e3779b1u ^ function * 0x85ebca6bu) >> 8 & mask;

	while (context->table[at] && (context->nodes[context->table[at]].parent != parent ||
				      context->nodes[context->table[at]].function != function))
		at = (at + 1) & mask;
	return at;
}

static void grow_nodes(struct trace_context *context)
{
	context->node_capacity *= 2;
	context->nodes =
		takt_xrealloc(context->nodes, context->node_capacity, sizeof(*context->nodes));
	free(context->table);
	context->table_size = 2 * context->node_capacity;
	context->table = takt_xcalloc(context->table_size, sizeof(*context->table));
	for (uint32_t i = 2; i < context->node_count; i++)
		context->table[slot_of(context, context->nodes[i].parent,
				       context->nodes[i].function)] = i;
}

static uint32_t child(struct trace_context *context, uint32_t parent, uint32_t function)
{
	uint32_t at, depth = context->nodes[parent].depth + 1;

	if (parent == TRACE_NODE_OTHER || depth > DEPTH_MAX)
		return TRACE_NODE_OTHER;
	at = slot_of(context, parent, function);
	if (context->table[at])
		return context->table[at];
	if (context->node_count == TRACE_NODES_MAX)
		return TRACE_NODE_OTHER;
	if (context->node_count == context->node_capacity) {
		grow_nodes(context);
		at = slot_of(context, parent, function);
	}
	context->nodes[context->node_count] = (struct trace_context_node){parent, function, depth};
	context->table[at] = context->node_count;
	return context->node_count++;
}

/* ---- calls ---- */

static struct context_called *called(struct trace_context *context, uint32_t function)
{
	for (; context->function_count <= function; context->function_count++) {
		uint32_t number = context->function_count;

		if ((number & (number - 1)) == 0)
			context->functions =
				takt_xrealloc(context->functions, number ? (size_t)2 * number : 1,
					      sizeof(*context->functions));
		context->functions[number] = (struct context_called){
			.region = number ? regions_of_function(
						   &context->regions,
						   &context->dictionary->functions[number])
					 : REGION_NONE,
		};
	}
	return &context->functions[function];
}

/* Count a call of the top frame's function, which begins by a call or jump; enter its region. */
static void begin_function(struct trace_context *context, struct context_frame *frame)
{
	struct context_called *function = called(context, frame->function);
	struct regions *regions = &context->regions;

	function->calls++;
	if (function->region == REGION_NONE)
		return;
	regions->list[function->region].entries++;
	frame->base = frame->marked = frame->region =
		regions_enter(regions, frame->region, function->region);
	frame->set = 0;
}

static struct context_frame *push(struct context_thread *thread, uint64_t return_address)
{
	const struct context_frame *caller;
	struct context_frame *frame;

	if (thread->depth == CONTEXT_FRAMES_MAX) {
		memmove(thread->frames, thread->frames + CONTEXT_FRAMES_MAX / 2,
			CONTEXT_FRAMES_MAX / 2 * sizeof(*thread->frames));
		thread->depth = CONTEXT_FRAMES_MAX / 2;
	}
	TAKT_GROW(thread->frames, thread->depth + 1, thread->capacity);
	frame = &thread->frames[thread->depth++];
	*frame = (struct context_frame){.return_address = return_address, .caller = thread->last};
	if (thread->depth > 1) {
		caller = frame - 1;
		frame->base = frame->marked = frame->region = caller->region;
	}
	return frame;
}

static uint32_t parent_node(const struct context_thread *thread)
{
	return thread->depth > 1 ? thread->frames[thread->depth - 2].node : TRACE_NODE_ROOT;
}

static void enter(struct trace_context *context, struct context_thread *thread,
		  uint64_t return_address, const struct trace_block *block)
{
	struct context_frame *frame = push(thread, return_address);

	frame->function = block->function;
	frame->node = child(context, parent_node(thread), block->function);
	thread->last = NULL;
	begin_function(context, frame);
}

static void enter_handler(struct trace_context *context, struct context_thread *thread,
			  const struct trace_block *block)
{
	enter(context, thread, 0, block);
	thread->frames[thread->depth - 1].signal = true;
}

/* Pop all frames but the lowest `depth`; the caller of the last one popped continues. */
static void leave(struct context_thread *thread, uint32_t depth)
{
	thread->last = depth < thread->depth ? thread->frames[depth].caller : thread->last;
	thread->depth = depth;
}

/* ---- finding the frame that control is in ---- */

static uint32_t search_limit(const struct context_thread *thread)
{
	return thread->depth > SEARCH_MAX ? thread->depth - SEARCH_MAX : 0;
}

/* Return to the caller whose call returns to this address; false if there is none. */
static bool go_back(struct context_thread *thread, uint64_t address)
{
	uint32_t limit = search_limit(thread);

	for (uint32_t i = thread->depth; i-- > limit && i > 0;) {
		if (thread->frames[i].return_address != address)
			continue;
		leave(thread, i);
		return true;
	}
	return false;
}

/* Handle control in another function than that of the top frame. */
static void go_elsewhere(struct trace_context *context, struct context_thread *thread,
			 const struct trace_block *block)
{
	struct context_frame *top = &thread->frames[thread->depth - 1];
	uint32_t limit = search_limit(thread);

	if (!block->entry && thread->leaving != LEFT_WITHIN)
		for (uint32_t i = thread->depth; i-- > limit;) {
			if (thread->frames[i].function != block->function)
				continue;
			leave(thread, i + 1);
			thread->last = NULL; /* control did not come from the calling block */
			return;
		}
	top->function = block->function;
	top->node = child(context, parent_node(thread), block->function);
	thread->last = NULL;
	if (block->entry)
		begin_function(context, top);
}

void context_follow(struct trace_context *context, struct context_thread *thread,
		    const struct trace_block *block)
{
	if (thread->depth == 0) {
		enter(context, thread, 0, block);
		return;
	}
	switch ((enum context_leaving)thread->leaving) {
	case LEFT_CALL:
		enter(context, thread, thread->return_address, block);
		return;
	case LEFT_SYSCALL:
		/* The system call ended, or is restarted. */
		if (thread->last && block->address >= thread->last->address &&
		    block->address <= thread->last->end)
			return;
		enter_handler(context, thread, block);
		return;
	case LEFT_SIGNAL:
		enter_handler(context, thread, block);
		return;
	case LEFT_RETURN:
		if (go_back(thread, block->address) &&
		    thread->frames[thread->depth - 1].function == block->function)
			return;
		if (block->entry && thread->frames[thread->depth - 1].function == block->function) {
			thread->last = NULL;
			begin_function(context, &thread->frames[thread->depth - 1]);
			return;
		}
		break;
	case LEFT_WITHIN:
	case LEFT_JUMP:
		break;
	}
	if (thread->frames[thread->depth - 1].function != block->function)
		go_elsewhere(context, thread, block);
}

enum context_leaving context_leave(struct context_thread *thread,
				   const struct executed_block *executed)
{
	const struct trace_block *block = executed->block;
	uint64_t next = executed->next_address;

	if (executed->diverted) /* a signal, unless the block only begins again */
		return next >= block->address && next < block->end ? LEFT_WITHIN : LEFT_SIGNAL;
	switch ((enum trace_flow)block->flow) {
	case TRACE_FLOW_CALL:
	case TRACE_FLOW_INDIRECT_CALL: /* a call of the next instruction only reads the pc */
		thread->return_address = block->end;
		return next == block->end ? LEFT_WITHIN : LEFT_CALL;
	case TRACE_FLOW_RETURN:
		return LEFT_RETURN;
	case TRACE_FLOW_INDIRECT:
		return LEFT_JUMP;
	case TRACE_FLOW_NEXT:
	case TRACE_FLOW_BRANCH:
	case TRACE_FLOW_JUMP:
		break;
	}
	return LEFT_WITHIN;
}

/* ---- regions ---- */

void context_mark(struct trace_context *context, struct context_frame *frame,
		  const struct trace_block *block)
{
	struct regions *regions = &context->regions;
	uint32_t index = regions_of_block(regions, block), before = frame->region;
	const struct region_set *set = &regions->sets[index];

	if (index == frame->set && !regions->by_marker)
		return;
	if (set->ends_before)
		frame->marked = regions_leave_marker(regions, frame->marked, frame->base);
	if (set->marker != REGION_NONE) {
		frame->marked = regions_enter(regions, frame->marked, set->marker);
		regions->list[set->marker].entries++;
	}
	frame->region = frame->marked;
	for (uint32_t i = 0; i < set->range_count; i++) {
		regions->list[set->ranges[i]].entries +=
			!regions_has(regions, before, set->ranges[i]);
		frame->region = regions_enter(regions, frame->region, set->ranges[i]);
	}
	frame->set = index;
}

void context_unmark(struct trace_context *context, struct context_frame *frame)
{
	struct regions *regions = &context->regions;
	const struct region_set *set = &regions->sets[frame->set];

	if (!set->ends_after)
		return;
	frame->marked = regions_leave_marker(regions, frame->marked, frame->base);
	frame->region = frame->marked;
	for (uint32_t i = 0; i < set->range_count; i++)
		frame->region = regions_enter(regions, frame->region, set->ranges[i]);
}

/* ---- threads ---- */

struct context_thread *context_thread_of(struct trace_context *context, uint32_t number)
{
	TAKT_GROW_ZEROED(context->threads, number + 1, context->thread_capacity);
	return &context->threads[number];
}

void takt_trace_context_syscall(struct trace_context *context, uint32_t number, uint64_t syscall)
{
	struct context_thread *thread = context_thread_of(context, number);
	uint32_t limit = search_limit(thread);

	if (trace_is_marker(syscall))
		context_announce(context, thread, syscall);
	if (syscall != context->dictionary->guest->syscall_sigreturn) {
		thread->leaving = LEFT_SYSCALL;
		return;
	}
	for (uint32_t i = thread->depth; i-- > limit && i > 0;) {
		if (!thread->frames[i].signal)
			continue;
		leave(thread, i);
		thread->last = NULL; /* the interrupted block may continue in its middle */
		return;
	}
}

void takt_trace_context_thread_end(struct trace_context *context, uint32_t number)
{
	struct context_thread *thread = context_thread_of(context, number);

	free(thread->frames);
	free(thread->announced);
	*thread = (struct context_thread){0};
}

/* ---- access to nodes and regions ---- */

const struct trace_context_node *takt_trace_context_nodes(const struct trace_context *context,
							  uint32_t *ret_count)
{
	*ret_count = context->node_count;
	return context->nodes;
}

const struct trace_region_node *takt_trace_context_region_nodes(const struct trace_context *context,
								uint32_t *ret_count)
{
	*ret_count = context->regions.node_count;
	return context->regions.nodes;
}

const struct trace_region *takt_trace_context_regions(const struct trace_context *context,
						      uint32_t *ret_count)
{
	*ret_count = context->regions.count;
	return context->regions.list;
}

uint64_t takt_trace_context_calls(const struct trace_context *context, uint32_t function)
{
	return function < context->function_count ? context->functions[function].calls : 0;
}
