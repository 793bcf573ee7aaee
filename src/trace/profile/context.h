/* SPDX-License-Identifier: MIT */
/* context: call stacks of threads, and context_execute(), which runs for each executed block. */
#ifndef TAKT_TRACE_CONTEXT_H
#define TAKT_TRACE_CONTEXT_H

#include "trace/profile/regions.h"

#define CONTEXT_FRAMES_MAX (1u << 16) /* frames of a thread; beyond, the older half is dropped */

/* A call that has not returned. */
struct context_frame {
	uint64_t return_address;	  /* 0: none, as at the start of a thread or a signal */
	const struct trace_block *caller; /* the block that called, or NULL */
	uint32_t function, node;
	uint32_t region;       /* its region node now */
	uint32_t base, marked; /* region node at its begin; that with markers, without ranges */
	uint32_t set;	       /* region set of the block that ran last in it */
	bool signal;
};

#define CONTEXT_ANNOUNCED_MAX 64u /* regions of libtakt-marker that a thread can be in at once */

/* Regions that a thread has begun by libtakt-marker, and the name that it is spelling. */
struct context_announced {
	char name[MARKER_NAME_BYTES_MAX]; /* characters that came so far */
	uint32_t name_bytes, count;
	uint32_t regions[CONTEXT_ANNOUNCED_MAX]; /* open regions, in the order of their starts */
	uint32_t depths[CONTEXT_ANNOUNCED_MAX];	 /* starts of each that no stop has matched yet */
	uint32_t from, node; /* last argument and result of context_announced_node() */
};

/* The way by which control left the previous block. */
enum context_leaving { LEFT_WITHIN, LEFT_CALL, LEFT_JUMP, LEFT_RETURN, LEFT_SIGNAL, LEFT_SYSCALL };

struct context_thread {
	struct context_frame *frames;
	uint32_t depth, capacity;
	const struct trace_block *last;	     /* the block that ran last in the top frame, or NULL */
	uint64_t return_address;	     /* return address, if `leaving` is LEFT_CALL */
	uint8_t leaving;		     /* enum context_leaving */
	struct context_announced *announced; /* NULL: no marker of libtakt-marker came */
};

struct context_called {
	uint64_t calls;
	uint32_t region; /* index of the function's region, or REGION_NONE */
};

struct trace_context {
	const struct trace_dictionary *dictionary;
	struct context_thread *threads;
	uint32_t thread_capacity;
	struct context_called *functions;
	uint32_t function_count;
	struct trace_context_node *nodes;
	uint32_t node_count, node_capacity;
	/* Hash table of node indices by parent and function, which a checkpoint saves as it is. */
	uint32_t *table; /* 0: free */
	uint32_t table_size;
	struct regions regions;
};

/* Find or push the frame that runs `block`, after control left the top frame. */
void context_follow(struct trace_context *context, struct context_thread *thread,
		    const struct trace_block *block);
/* Return how control leaves a block that ends in a call or indirect branch, or is diverted. */
enum context_leaving context_leave(struct context_thread *thread,
				   const struct executed_block *executed);
/* Begin and end the regions of ranges and markers at the start of `block`. */
void context_mark(struct trace_context *context, struct context_frame *frame,
		  const struct trace_block *block);
/* End the marker's region that ends with the block. */
void context_unmark(struct trace_context *context, struct context_frame *frame);
/* marked_regions.c: handle a system call of libtakt-marker. */
void context_announce(struct trace_context *context, struct context_thread *thread,
		      uint64_t syscall);
/* Return the region node of a thread's libtakt-marker regions within region node `node`. */
uint32_t context_announced_node(struct trace_context *context, struct context_announced *announced,
				uint32_t node);
struct context_thread *context_thread_of(struct trace_context *context, uint32_t number);

/* Update a thread's call stack and regions for its next block; return the block's place in them. */
static inline void context_execute(struct trace_context *context, uint32_t number,
				   const struct executed_block *executed,
				   struct trace_spot *ret_spot)
{
	struct context_thread *thread = number < context->thread_capacity
						? &context->threads[number]
						: context_thread_of(context, number);
	const struct trace_block *block = executed->block;
	struct context_frame *frame;

	if (thread->depth == 0 || thread->leaving != LEFT_WITHIN ||
	    thread->frames[thread->depth - 1].function != block->function)
		context_follow(context, thread, block);
	frame = &thread->frames[thread->depth - 1];
	if (context->regions.by_block)
		context_mark(context, frame, block);
	*ret_spot = (struct trace_spot){frame->node, frame->region, thread->last};
	if (thread->announced && thread->announced->count)
		ret_spot->region =
			context_announced_node(context, thread->announced, frame->region);
	if (context->regions.by_marker)
		context_unmark(context, frame);
	thread->last = block;
	thread->leaving = LEFT_WITHIN;
	if (block->flow > TRACE_FLOW_JUMP || executed->diverted)
		thread->leaving = (uint8_t)context_leave(thread, executed);
}

#endif
