/* SPDX-License-Identifier: MIT */
/* context: stacks of calls, and the part of each step that nearly all of them have. */
#ifndef TAKT_TRACE_CONTEXT_H
#define TAKT_TRACE_CONTEXT_H

#include "trace/regions.h"

#define CONTEXT_FRAMES_MAX (1u << 16) /* of a thread; the older half is then forgotten */

/* A call that has not returned. */
struct context_frame {
	uint64_t return_address;	  /* 0: of none, as at a thread's start and a signal */
	const struct trace_block *caller; /* that called, or NULL */
	uint32_t function, node;
	uint32_t region;       /* node of its region */
	uint32_t base, marked; /* of that: what it began with; with markers, without ranges */
	uint32_t set;	       /* of the block that ran last in it */
	bool signal;
};

#define CONTEXT_TOLD_MAX 64u /* regions of libtakt-marker that a thread is in at once */

/* What libtakt-marker has told in a thread. */
struct context_told {
	char name[MARKER_NAME_BYTES_MAX]; /* as far as it is spelled */
	uint32_t name_bytes, count;
	uint32_t regions[CONTEXT_TOLD_MAX]; /* that it is in, in their order */
	uint32_t depths[CONTEXT_TOLD_MAX];  /* starts without their stops */
	uint32_t from, node; /* what context_told_node() last was asked and said */
};

/* How control left the block before. */
enum context_leaving { LEFT_WITHIN, LEFT_CALL, LEFT_JUMP, LEFT_RETURN, LEFT_SIGNAL, LEFT_SYSCALL };

struct context_thread {
	struct context_frame *frames;
	uint32_t depth, capacity;
	const struct trace_block *last; /* that ran last in the top frame, or NULL */
	uint64_t return_address;	/* of LEFT_CALL */
	uint8_t leaving;		/* enum context_leaving */
	struct context_told *told;	/* NULL: nothing was told */
};

struct context_called {
	uint64_t calls;
	uint32_t region; /* its index, or REGION_NONE */
};

struct trace_context {
	const struct trace_dictionary *dictionary;
	struct context_thread *threads;
	uint32_t thread_capacity;
	struct context_called *functions;
	uint32_t function_count;
	struct trace_context_node *nodes;
	uint32_t node_count, node_capacity;
	uint32_t *table; /* nodes by parent and function; 0: free */
	uint32_t table_size;
	struct regions regions;
};

/* Where control left its call: finds the call that it is in now. */
void context_follow(struct trace_context *context, struct context_thread *thread,
		    const struct trace_block *block);
/* How control leaves a block other than to its neighbours. */
enum context_leaving context_leave(struct context_thread *thread, const struct trace_step *step);
/* Regions that the block, or the one before, begins or ends; and those that end with it. */
void context_mark(struct trace_context *context, struct context_frame *frame,
		  const struct trace_block *block);
void context_unmark(struct trace_context *context, struct context_frame *frame);
/* told.c: a system call of libtakt-marker's; the node for what is told within a region's node. */
void context_tell(struct trace_context *context, struct context_thread *thread, uint64_t syscall);
uint32_t context_told_node(struct trace_context *context, struct context_told *told, uint32_t node);
struct context_thread *context_thread_of(struct trace_context *context, uint32_t number);

/* The next step of a thread. */
static inline void context_step(struct trace_context *context, uint32_t number,
				const struct trace_step *step, struct trace_spot *ret_spot)
{
	struct context_thread *thread = number < context->thread_capacity
						? &context->threads[number]
						: context_thread_of(context, number);
	const struct trace_block *block = step->block;
	struct context_frame *frame;

	if (thread->depth == 0 || thread->leaving != LEFT_WITHIN ||
	    thread->frames[thread->depth - 1].function != block->function)
		context_follow(context, thread, block);
	frame = &thread->frames[thread->depth - 1];
	if (context->regions.by_block)
		context_mark(context, frame, block);
	*ret_spot = (struct trace_spot){frame->node, frame->region, thread->last};
	if (thread->told && thread->told->count)
		ret_spot->region = context_told_node(context, thread->told, frame->region);
	if (context->regions.by_marker)
		context_unmark(context, frame);
	thread->last = block;
	thread->leaving = LEFT_WITHIN;
	if (block->flow > TRACE_FLOW_JUMP || step->diverted)
		thread->leaving = (uint8_t)context_leave(thread, step);
}

#endif
