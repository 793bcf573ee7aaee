/* SPDX-License-Identifier: MIT */
/* The front end: selects in each cycle the decoders, op cache, loop buffer, or microcode. */
#include <assert.h>
#include <string.h>

#include "sim/front/fetch.h"

#define FETCH_BYTES_MIN 16 /* no instruction is longer: it crosses one boundary at most */

/* ---- setting up --------------------------------------------------------- */

static uint32_t clamp(int32_t value, uint32_t least, uint32_t most)
{
	if (value < 0 || (uint32_t)value < least)
		return least;
	return (uint32_t)value > most ? most : (uint32_t)value;
}

static uint32_t shift_of(uint32_t value)
{
	uint32_t shift = 0;

	while (value >> (shift + 1))
		shift++;
	return shift;
}

static void set_limits(const struct takt_core_params *params, struct sim_fetch_limits *limits,
		       uint32_t *ret_capacity)
{
	uint32_t capacity = clamp(params->instruction_queue_entries, 2, SIM_PREDECODED_MAX / 2);
	uint32_t width = clamp(params->predecode_width, 0, capacity);
	uint32_t queue = clamp(params->queue_entries, 1, SIM_QUEUE_ENTRIES_MAX);

	*limits = (struct sim_fetch_limits){
		.fetch_shift = shift_of(clamp(params->fetch_bytes, FETCH_BYTES_MIN, 1024)),
		.predecode_width = width ? width : UINT32_MAX,
		.predecode_room = width ? width : 1,
		.predecode_delay = clamp(params->predecode_delay_cycles, 0, 1000),
		.length_change_cycles = clamp(params->length_change_cycles, 0, 1000),
		.decode_width = clamp(params->decode_width, 1, queue),
		.op_cache_width = clamp(params->op_cache_width, 0, queue),
		.op_cache_lines = clamp(params->op_cache_lines_per_cycle, 1, UINT32_MAX),
		.op_cache_ahead = clamp(params->op_cache_windows_ahead, 0, 1000),
		.microcode_width = clamp(params->microcode_width, 1, queue),
		.sequencer = params->microcode_width > 0,
		.microcode_switch = clamp(params->microcode_switch_cycles, 0, 1000),
		.microcode_decode = clamp(params->microcode_decode_cycles, 0, 1000),
	};
	limits->queue_room = limits->op_cache_width ? limits->op_cache_width : limits->decode_width;
	*ret_capacity = capacity;
}

struct takt_code_item sim_code_item(const struct takt_core_params *params,
				    const struct sim_insn *insn)
{
	const uint32_t waits = SIM_INSN_LCP | SIM_INSN_MAY_FUSE;
	bool extra = params->op_cache_wide_immediates && insn->flags & SIM_INSN_EXTRA_SLOT;
	bool sequencer = params->microcode_width > 0;
	unsigned slots = insn->mite_slots + (sequencer ? 0u : insn->microcode_slots);

	return (struct takt_code_item){
		.length_bytes = insn->length_bytes,
		.slots = (uint16_t)(params->op_cache_counts_instructions ? 1 : slots + extra),
		.constants = insn->constant_count,
		.microcode = insn->microcode_slots > 0 && sequencer,
		.branch = insn->flags & SIM_INSN_BRANCH,
		.waits_for_next = (insn->flags & waits) == waits,
	};
}

static const struct takt_code_item *make_items(const struct sim_program *program,
					       struct takt_arena *arena)
{
	struct takt_code_item *items =
		TAKT_NEW_ARRAY(arena, program->insn_count, struct takt_code_item);

	for (uint32_t i = 0; i < program->insn_count; i++)
		items[i] = sim_code_item(program->params, &program->insns[i]);
	return items;
}

/* Return the number of records from `first` on that lie directly after each other. */
static uint32_t count_run(const struct sim_program *program, uint32_t first)
{
	uint32_t end = first + 1;

	while (!sim_program_leaves(program, end - 1))
		end++;
	return end - first;
}

/* Find what is cached of records with addresses of their own: each run is entered by a branch. */
static void find_placed_cached(const struct sim_front_end *fetch, bool *cached)
{
	const struct sim_program *program = fetch->program;

	for (uint32_t first = 0, count; first < program->insn_count; first += count) {
		count = count_run(program, first);
		takt_code_find_cached(fetch->params, fetch->items + first, count,
				      program->addresses[first], cached + first);
	}
}

/*
 * True if straight code comes out of the op cache: its windows, on average, have no more slots than
 * a window's lines may hold.
 */
static bool is_straight_cached(const struct sim_front_end *fetch)
{
	const struct takt_core_params *params = fetch->params;
	uint64_t slots = 0, bytes = 0;

	if (!params->op_cache_straight || fetch->limits.op_cache_width == 0)
		return false;
	if (params->op_cache_straight_lines <= 0)
		return true;
	for (uint32_t i = 0; i < fetch->program->insn_count; i++) {
		slots += fetch->items[i].slots;
		bytes += fetch->items[i].length_bytes;
	}
	return slots * (uint64_t)clamp(params->op_cache_window_bytes, 1, INT32_MAX) <=
	       bytes * (uint64_t)params->op_cache_straight_lines *
		       (uint64_t)clamp(params->op_cache_line_slots, 1, INT32_MAX);
}

static const bool *find_cached(const struct sim_front_end *fetch, const struct sim_options *options,
			       struct takt_arena *arena)
{
	uint32_t count = fetch->program->insn_count;
	bool *cached = TAKT_NEW_ARRAY(arena, count, bool);

	if (fetch->program->addresses)
		find_placed_cached(fetch, cached);
	else if (options->loop)
		takt_code_find_cached(fetch->params, fetch->items, count, options->alignment_bytes,
				      cached);
	else if (is_straight_cached(fetch))
		memset(cached, true, count);
	return cached;
}

static struct sim_front_end *new_fetch(const struct sim_program *program,
				       struct sim_code_source *source, struct takt_arena *arena)
{
	struct sim_front_end *fetch = TAKT_NEW(arena, struct sim_front_end);

	fetch->program = program;
	fetch->params = program->params;
	fetch->source = source;
	set_limits(program->params, &fetch->limits, &fetch->predecoder.capacity);
	return fetch;
}

struct sim_front_end *sim_front_end_new(const struct sim_program *program,
					const struct sim_options *options,
					struct sim_code_source *source, struct takt_arena *arena)
{
	struct sim_front_end *fetch = new_fetch(program, source, arena);

	assert(program->insn_count > 0);
	fetch->windows = options->loop;
	fetch->ideal = options->ideal_front_end;
	fetch->items = make_items(program, arena);
	fetch->cached = find_cached(fetch, options, arena);
	if (options->loop && (!program->addresses || count_run(program, 0) == program->insn_count))
		fetch->loop_buffer.copies = sim_loop_buffer_copies(program, fetch->cached);
	return fetch;
}

struct sim_front_end *sim_front_end_new_trace(const struct sim_program *program,
					      const struct takt_code_item *items,
					      struct sim_code_source *source,
					      struct takt_arena *arena)
{
	struct sim_front_end *fetch = new_fetch(program, source, arena);

	fetch->windows = true;
	fetch->items = items;
	return fetch;
}

static void start(struct sim_front_end *fetch)
{
	sim_fetch_ask(fetch);
	fetch->started = fetch->entered = true;
	if (fetch->loop_buffer.copies > 0)
		fetch->path = SIM_PATH_LOOP_BUFFER;
	else if (sim_fetch_has_next(fetch) && fetch->next.cached)
		fetch->path = SIM_PATH_OP_CACHE;
	else
		fetch->path = SIM_PATH_DECODERS;
}

/* ---- running ------------------------------------------------------------ */

static void decoders_cycle(struct sim_front_end *fetch, struct sim_queue *queue)
{
	sim_decode_cycle(fetch, queue);
	if (fetch->entered && sim_fetch_has_next(fetch) && fetch->next.cached &&
	    !fetch->predecoder.second && sim_predecode_is_drained(&fetch->predecoder)) {
		fetch->path = SIM_PATH_OP_CACHE;
		fetch->op_cache.line.open = false;
	}
}

/* Run a cycle without limits: push whole instructions as long as they fit. */
static void ideal_cycle(struct sim_front_end *fetch, struct sim_queue *queue)
{
	for (;;) {
		struct sim_item item = fetch->next;
		const struct sim_insn *record = &fetch->program->insns[item.insn];
		uint32_t slots = (uint32_t)record->mite_slots + record->microcode_slots;
		uint32_t waiting = queue->tail - queue->head;

		if (slots > SIM_QUEUE_ENTRIES_MAX)
			slots = SIM_QUEUE_ENTRIES_MAX;
		if (waiting > 0 && waiting + slots > queue->capacity)
			return;
		for (uint32_t slot = 0; slot < slots; slot++)
			sim_queue_push(queue, item.insn, item.iteration, slot);
		sim_fetch_advance(fetch);
	}
}

void sim_front_end_cycle(struct sim_front_end *fetch, struct sim_queue *queue)
{
	if (!fetch->started)
		start(fetch);
	else if (!sim_fetch_has_next(fetch))
		sim_fetch_ask(fetch);
	fetch->cycle++;
	if (fetch->ideal) {
		ideal_cycle(fetch, queue);
		return;
	}
	if (fetch->path == SIM_PATH_DECODERS)
		sim_predecode_cycle(fetch);
	if (sim_queue_room(queue) < fetch->limits.queue_room)
		return;
	fetch->microcode_was_last = sim_microcode_is_busy(&fetch->microcode);
	if (fetch->microcode_was_last)
		sim_microcode_cycle(fetch, queue);
	else if (fetch->path == SIM_PATH_OP_CACHE)
		sim_op_cache_cycle(fetch, queue);
	else if (fetch->path == SIM_PATH_LOOP_BUFFER)
		sim_loop_buffer_cycle(fetch, queue);
	else
		decoders_cycle(fetch, queue);
}

/* ---- fed by a trace ----------------------------------------------------- */

uint32_t sim_front_end_lookahead(const struct sim_front_end *fetch)
{
	const struct sim_fetch_limits *limits = &fetch->limits;
	uint32_t decoded = fetch->predecoder.capacity, read = limits->op_cache_width;

	if (limits->predecode_width < decoded)
		decoded = limits->predecode_width;
	/* Window by window, the lines that are read in a cycle are as many again at a branch. */
	if (sim_reads_windows(fetch))
		read = 2 * limits->op_cache_lines * (uint32_t)fetch->params->op_cache_line_slots;
	/* Beside these, one item can cross the block's end, and one is in `next`. */
	return (decoded > read ? decoded : read) + 2;
}

void sim_front_end_set_ended(struct sim_front_end *fetch, bool ended)
{
	fetch->ended = ended;
}

static bool predecoder_is_idle(const struct sim_front_end *fetch)
{
	const struct sim_predecoder *predecoder = &fetch->predecoder;
	uint32_t room = predecoder->capacity - (predecoder->tail - predecoder->head);

	if (predecoder->stall > 0)
		return false;
	return room < fetch->limits.predecode_room ||
	       (!sim_fetch_has_next(fetch) && !predecoder->in_block && !predecoder->holds);
}

bool sim_front_end_is_idle(const struct sim_front_end *fetch, const struct sim_queue *queue)
{
	bool full = sim_queue_room(queue) < fetch->limits.queue_room;

	if (fetch->path == SIM_PATH_DECODERS) {
		if (!predecoder_is_idle(fetch))
			return false;
		return full || (!sim_microcode_is_busy(&fetch->microcode) &&
				fetch->predecoder.head == fetch->predecoder.tail &&
				!sim_fetch_has_next(fetch));
	}
	return full || (!sim_microcode_is_busy(&fetch->microcode) && !sim_fetch_has_next(fetch));
}

bool sim_front_end_has_next(const struct sim_front_end *fetch)
{
	return sim_fetch_has_next(fetch);
}

void sim_front_end_skip(struct sim_front_end *fetch, uint64_t cycles)
{
	fetch->cycle += (uint32_t)cycles;
}
