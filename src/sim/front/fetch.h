/* SPDX-License-Identifier: MIT */
/*
 * fetch: the front end's parts and their state. Each part has a file of its own and a function for
 * one cycle; front_end.c says whose turn it is. Private to the front end.
 */
#ifndef TAKT_SIM_FETCH_H
#define TAKT_SIM_FETCH_H

#include "sim/front/front_end.h"

/* The core's parameters, clamped: nothing here is negative or too large. */
struct sim_fetch_limits {
	uint32_t fetch_shift;			  /* fetch blocks have 1 << fetch_shift bytes */
	uint32_t predecode_width, predecode_room; /* predecode_room: free entries needed to start */
	uint32_t predecode_delay, length_change_cycles;
	uint32_t decode_width;
	uint32_t op_cache_width, op_cache_lines, op_cache_ahead;
	uint32_t microcode_width, microcode_switch, microcode_decode;
	bool sequencer;	     /* if not, µops of microcode come as all others do */
	uint32_t queue_room; /* free entries of the µop queue that are needed to do anything */
};

/* ---- predecoder, and the instruction queue behind it ------------------------ */

/* An instruction on its way to the decoders; a fused pair is two until it is decoded. */
struct sim_predecoded {
	uint32_t insn, iteration;
	uint32_t cycle; /* cycle in which it entered the queue */
};

#define SIM_PREDECODED_MAX 256u /* a power of two, above any instruction queue */

struct sim_predecoder {
	struct sim_predecoded queue[SIM_PREDECODED_MAX];
	uint32_t head, tail; /* numbers of the first and after the last entry; never reset */
	uint32_t staged;     /* how many of the newest are still with the predecoder */
	uint32_t capacity;
	uint64_t block; /* number of the current fetch block */
	bool in_block;
	bool second; /* the second instruction of the pair comes next */
	bool holds;  /* `held` crosses into the next block, and comes first there */
	struct sim_predecoded held;
	uint64_t held_block; /* fetch block in which it ends */
	bool held_taken;
	uint32_t block_cycles; /* cycles spent on the current block */
	uint32_t stall;	       /* cycles left to wait for length-changing prefixes */
	uint32_t credit;       /* cycles of such waits that are hidden behind the block before */
};

static inline const struct sim_predecoded *
sim_predecoded_first(const struct sim_predecoder *predecoder)
{
	return &predecoder->queue[predecoder->head % SIM_PREDECODED_MAX];
}

/* ---- op cache, loop buffer, microcode ---------------------------------------- */

/* The window of the op cache that is read, where windows are read one by one. */
struct sim_read_window {
	uint64_t end;	      /* its end */
	uint32_t lines;	      /* lines that began in it */
	uint32_t entry_lines; /* lines that began in the last window that a taken branch led into */
	uint32_t waited;      /* cycles for which its next line was waited for */
	bool entered;	      /* a taken branch led into it */
	bool beside;	      /* it was begun beside another one, so its further lines come later */
	bool ahead;	      /* reading waited in a window after that of the last entry */
	bool crossed;	      /* a taken branch ended here that had begun in the window before */
};

struct sim_op_cache {
	struct takt_cache_line line;
	struct sim_read_window window; /* of cores that read window by window */
	uint32_t slot;		       /* slot of the next item that comes next */
	/* Windows looked up that were not begun yet; see op_cache_windows_ahead. */
	uint32_t ahead;
};

/* Progress of reading the op cache in a cycle. */
struct sim_reading {
	uint32_t left, lines;
	uint32_t given; /* µops read from the first line */
	bool fresh;	/* that line was begun in this cycle */
	/* State of cores that read window by window: */
	uint32_t lines_left; /* lines that may still be begun */
	bool visited;	     /* a window or a line was begun */
	bool joined;	     /* a second window was begun beside the first: there is no third */
};

struct sim_loop_buffer {
	uint32_t copies; /* copies of the loop in one pass; 0: not in use */
	uint32_t iteration;
};

struct sim_microcode {
	uint32_t insn, iteration;
	uint32_t slot, left; /* next slot of the instruction, and how many follow from there */
	uint32_t stall, stall_after;
};

/* ---- all of it -------------------------------------------------------------- */

enum sim_path {
	SIM_PATH_DECODERS,
	SIM_PATH_OP_CACHE,
	SIM_PATH_LOOP_BUFFER,
};

struct sim_front_end {
	const struct sim_program *program;
	const struct takt_core_params *params;
	struct sim_fetch_limits limits;
	struct sim_code_source *source;
	const struct takt_code_item *items; /* cache items of program->insns */
	const bool *cached;		    /* whether each of program->insns is cached; NULL: the
					     * source's items say it */
	struct sim_item next;		    /* item that no part has taken yet */
	bool entered;			    /* `next` is the target of a taken branch */
	bool started;
	bool ended;   /* no code follows for now */
	bool ideal;   /* without limits */
	bool windows; /* lines of the op cache end with their windows */
	bool microcode_was_last;
	enum sim_path path;
	uint32_t cycle;
	struct sim_predecoder predecoder;
	struct sim_op_cache op_cache;
	struct sim_loop_buffer loop_buffer;
	struct sim_microcode microcode;
};

static inline void sim_fetch_ask(struct sim_front_end *fetch)
{
	fetch->source->next(fetch->source, &fetch->next);
	if (fetch->cached)
		fetch->next.cached = fetch->cached[fetch->next.insn];
}

/* Take `next`, and ask the source for what follows. */
static inline void sim_fetch_advance(struct sim_front_end *fetch)
{
	fetch->entered = fetch->next.taken;
	sim_fetch_ask(fetch);
}

static inline bool sim_fetch_has_next(const struct sim_front_end *fetch)
{
	return fetch->next.insn != SIM_ITEM_NONE;
}

/* Return the number of slots that come before those of the microcode sequencer. */
static inline uint32_t sim_fetch_slots(const struct sim_front_end *fetch,
				       const struct sim_insn *record)
{
	return (uint32_t)record->mite_slots +
	       (fetch->limits.sequencer ? 0 : record->microcode_slots);
}

void sim_predecode_cycle(struct sim_front_end *fetch);
/* True if nothing is on the way to the decoders. */
bool sim_predecode_is_drained(const struct sim_predecoder *predecoder);

void sim_decode_cycle(struct sim_front_end *fetch, struct sim_queue *queue);

void sim_op_cache_cycle(struct sim_front_end *fetch, struct sim_queue *queue);

/* ---- reading window by window (window_reads.c) -------------------------------------- */

static inline bool sim_reads_windows(const struct sim_front_end *fetch)
{
	return fetch->params->op_cache_more_lines_cycles > 0;
}

/* Begin a cycle. */
void sim_read_window_begin(struct sim_front_end *fetch, struct sim_reading *reading);

/* Find the line of the next item; false if it cannot be read in this cycle. */
bool sim_read_window_find_line(struct sim_front_end *fetch, struct sim_reading *reading);

/*
 * Return how many copies of the loop one pass of the loop buffer replays, 0 if it cannot hold the
 * loop; `cached` says which instructions are in the op cache.
 */
uint32_t sim_loop_buffer_copies(const struct sim_program *program, const bool *cached);
void sim_loop_buffer_cycle(struct sim_front_end *fetch, struct sim_queue *queue);

/* Let the sequencer deliver the instruction's slots from `slot` on, after `stall` cycles. */
void sim_microcode_start(struct sim_front_end *fetch, uint32_t insn, uint32_t iteration,
			 uint32_t slot, uint32_t stall, uint32_t stall_after);
void sim_microcode_cycle(struct sim_front_end *fetch, struct sim_queue *queue);

static inline bool sim_microcode_is_busy(const struct sim_microcode *microcode)
{
	return microcode->left > 0 || microcode->stall > 0;
}

#endif
