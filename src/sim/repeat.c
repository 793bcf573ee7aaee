/* SPDX-License-Identifier: MIT */
/*
 * States that recur. What a block does from one cycle on depends on the core's state alone, so once
 * a state is there for the second time, what came between repeats for ever. States are taken in
 * cycles that lie further and further apart; the current state is compared with the last few of
 * them where its outline is the same. Times are relative to the present, and those too long ago to
 * make a difference count as equal.
 */
#include <stddef.h>
#include <string.h>

#include "sim/front/fetch.h"
#include "sim/repeat.h"

#define FIRST_CYCLE 16u /* cycles until the first state is taken */
/* A state is taken when the cycles since the start have grown by one part in this many. */
#define GROWTH_PARTS 3u

#define LONG_AGO 0x80000000u

struct writer {
	const struct sim_repeat *repeat;
	const struct sim_core *core;
	uint32_t *words;
	uint32_t count;
	const struct sim_repeat_state *other; /* state to compare with, or NULL */
	uint32_t same;			      /* words that were found to be the same */
};

/* Return where to write at most `count` words, or NULL if there is no room. */
static uint32_t *words_for(struct writer *writer, uint32_t count)
{
	return count < SIM_REPEAT_WORDS - 1 - writer->count ? writer->words + writer->count : NULL;
}

/* Write a word; in a state that is full, over the last one: it is not used then. */
static inline void put(struct writer *writer, uint32_t word)
{
	writer->words[writer->count] = word;
	writer->count += writer->count < SIM_REPEAT_WORDS - 1;
}

/* True if the last word is another than in the other state. */
static bool differs_last(const struct writer *writer)
{
	uint32_t last = writer->count - 1;

	return writer->other && writer->words[last] != writer->other->words[last];
}

/* True if what was written fits, and is the same as in the other state. */
static bool agrees(struct writer *writer)
{
	uint32_t begin = writer->same, count = writer->count;

	writer->same = count;
	if (count == SIM_REPEAT_WORDS - 1)
		return false;
	return !writer->other || (count <= writer->other->count &&
				  !memcmp(writer->words + begin, writer->other->words + begin,
					  (count - begin) * sizeof(*writer->words)));
}

/* Write a time relative to the present; all that are `horizon` cycles ago or longer are one. */
static void put_time(struct writer *writer, uint64_t time, uint32_t horizon)
{
	uint64_t now = writer->core->cycle;

	put(writer, time + horizon > now ? (uint32_t)(time - now) : LONG_AGO);
}

/* ---- what can make a difference ------------------------------------------------------------ */

static uint32_t most(uint32_t left, uint32_t right)
{
	return left > right ? left : right;
}

/* Return the most cycles from a source to a µop that waits for it. */
static uint32_t longest_way(const struct sim_program *program, const struct sim_insn *insn)
{
	uint32_t lead = 0, extra = 0;

	for (unsigned g = 0; g < insn->group_count; g++)
		if (insn->lead_cycles[g] != SIM_NO_LATENCY)
			lead = most(lead, insn->lead_cycles[g]);
	for (unsigned s = 0; s < insn->source_count; s++)
		if (program->sources[insn->sources + s].group != SIM_GROUP_UNUSED)
			extra = most(extra, program->sources[insn->sources + s].extra_cycles);
	return lead + extra;
}

/*
 * True if the instruction makes a value that is later than a source by some cycles without a µop:
 * however long ago the source was ready, many of them may come up with the present.
 */
static bool adds_to_old(const struct sim_program *program, const struct sim_insn *insn)
{
	if (!insn->free_groups)
		return false;
	if (insn->flags & SIM_INSN_FORWARDS)
		return true;
	for (unsigned s = 0; s < insn->source_count; s++)
		if (program->sources[insn->sources + s].group != SIM_GROUP_UNUSED &&
		    program->sources[insn->sources + s].extra_cycles)
			return true;
	for (unsigned r = 0; r < insn->result_count; r++)
		for (unsigned g = 0; g < insn->group_count; g++) {
			const struct sim_result *result = &program->results[insn->results + r];
			uint32_t cycles =
				program->used[result->part] ? result->latency_cycles[g] : 0;

			if (insn->free_groups >> g & 1 && cycles && cycles != SIM_NO_LATENCY)
				return true;
		}
	return false;
}

static void find_horizons(struct sim_repeat *repeat, const struct sim_program *program)
{
	const struct takt_core_params *params = program->params;
	uint32_t ways = 0, forward = 0;
	bool later = false;

	for (uint32_t i = 0; i < program->insn_count; i++) {
		const struct sim_insn *insn = &program->insns[i];

		ways = most(ways, longest_way(program, insn));
		later |= adds_to_old(program, insn);
		for (unsigned m = 0; m < insn->memory_count; m++) {
			const struct sim_memory *memory = &program->memories[insn->memories + m];

			forward = most(forward, memory->forward_cycles);
			repeat->forwards |= memory->edge_count > 0;
			for (uint32_t e = 0; e < memory->edge_count; e++)
				repeat->fails |= program->edges[memory->first_edge + e].fails;
		}
		for (unsigned r = 0; r < insn->result_count; r++) {
			uint8_t part = program->results[insn->results + r].part;

			if (part < SIM_PART_LOADED)
				repeat->written[part] = true;
			if (part < TAKT_PART_COUNT && takt_location_is_high8(part))
				repeat->written[part - TAKT_LOC_HIGH8 + TAKT_LOC_GPR] = true;
		}
	}
	repeat->written[TAKT_LOC_RSP] = true;
	repeat->value_horizon = ways + SIM_REPEAT_MARGIN;
	if (later)
		repeat->value_horizon = SIM_REPEAT_WITHIN;
	repeat->store_horizon = repeat->value_horizon + forward +
				(uint32_t)(params->store_forward_fail_cycles +
					   params->store_forward_fail_older_cycles +
					   params->store_forward_renamed_cycles);
	repeat->failed_horizon = (uint32_t)sim_failed_cycles(params) + SIM_REPEAT_MARGIN;
}

void sim_repeat_init(struct sim_repeat *repeat, const struct sim_core *core)
{
	const struct sim_program *program = core->program;

	memset(repeat, 0, offsetof(struct sim_repeat, words));
	repeat->next_cycle = core->cycle + FIRST_CYCLE;
	find_horizons(repeat, program);
	for (unsigned i = 0; i < SIM_REPEAT_STATES; i++)
		repeat->keys[i] = SIM_REPEAT_NO_KEY;
	for (unsigned part = 0; part < SIM_PART_LOADED; part++)
		if (repeat->written[part] && program->used[part])
			repeat->parts[repeat->part_count++] = (uint8_t)part;
}

/* ---- the state ----------------------------------------------------------------------------- */

static void put_value(struct writer *writer, const struct sim_value *value)
{
	put_time(writer, value->ready, writer->repeat->value_horizon);
	put(writer, (uint32_t)value->shared << 4 | (uint32_t)value->waited << 12 |
			    (value->from_load ? 8u : 0u) | (value->dirty ? 4u : 0u) | value->far);
}

/* Write the instruction that rename is in the middle of. */
static void put_context(struct writer *writer)
{
	const struct sim_core *core = writer->core;
	const struct sim_context *context = &core->context;
	const struct sim_insn *insn = context->insn;

	put(writer, core->slots_owed);
	put(writer, core->rsp_shifted);
	put_time(writer, core->serialized, 0);
	if (core->program->in_order) {
		put_time(writer, core->dispatched_last, SIM_REPEAT_MARGIN);
		put(writer, core->slots_early);
	}
	put(writer, insn ? (uint32_t)(insn - core->program->insns) + 1 : 0);
	put(writer, core->iterations_renamed - context->iteration);
	put(writer, context->next_slot);
	if (!insn || context->next_slot >= insn->issue_slots)
		return;
	put(writer, (uint32_t)context->next_uop << 1 | context->eliminated);
	for (unsigned g = 0; g < insn->group_count; g++)
		put_time(writer, context->dispatched[g], SIM_REPEAT_WITHIN);
	for (unsigned m = 0; m < insn->memory_count; m++)
		put_time(writer, core->values[SIM_PART_LOADED + m].ready, SIM_REPEAT_WITHIN);
}

static void put_moves(struct writer *writer, const struct sim_moves *moves)
{
	if (moves->capacity < 0)
		return;
	put(writer, moves->live << 16 | moves->eliminated);
	for (unsigned back = 0; back < SIM_HISTORY; back++) {
		unsigned at = (writer->core->cycle - back) % SIM_HISTORY;

		put(writer, (uint32_t)moves->live_before[at] << 8 | moves->eliminated_before[at]);
	}
	for (unsigned i = 1; moves->live && i < SIM_SHARED_MAX; i++)
		put(writer, moves->references[i]);
}

/* Write the bits of a ring from `first` on; its words lie `stride` words apart. */
static void put_ring(struct writer *writer, const uint64_t *words, unsigned stride, uint64_t first)
{
	uint64_t end = writer->core->ports.furthest;

	for (uint64_t at = first; at < end; at += 64) {
		unsigned shift = at % 64;
		uint64_t bits = words[at / 64 % SIM_WINDOW_WORDS * stride] >> shift;

		if (shift)
			bits |= words[(at / 64 + 1) % SIM_WINDOW_WORDS * stride] << (64 - shift);
		put(writer, (uint32_t)bits);
		put(writer, (uint32_t)(bits >> 32));
	}
}

static bool put_ports(struct writer *writer)
{
	const struct sim_core *core = writer->core;
	const struct sim_ports *ports = &core->ports;

	put_time(writer, ports->furthest, 0);
	put(writer, ports->pending_all);
	put(writer, ports->used);
	for (uint32_t rest = ports->used; rest; rest &= rest - 1) {
		unsigned p = (unsigned)__builtin_ctz(rest);

		put(writer, ports->pending[p]);
		if (core->params->port_choice >= 10)
			put(writer, ports->at_start[p]);
	}
	for (uint32_t rest = core->program->memory_ports; rest; rest &= rest - 1)
		put(writer, ports->last_used[__builtin_ctz(rest)]);
	if (!agrees(writer))
		return false;
	for (uint32_t rest = ports->reserving; rest && !differs_last(writer); rest &= rest - 1)
		put_ring(writer, &ports->reserved[0][__builtin_ctz(rest)], TAKT_PORTS_MAX,
			 core->cycle);
	for (unsigned b = 0; core->params->loads_per_bank && b < 2 * SIM_BANKS; b++)
		put_ring(writer, &ports->banks[b / SIM_BANKS][0][b % SIM_BANKS], SIM_BANKS,
			 core->cycle);
	for (unsigned h = 0; core->program->half_ports[0] && h < SIM_HALVES; h++)
		put_ring(writer, &ports->lost[0][h], SIM_HALVES, core->cycle);
	if (core->program->half_ports[0])
		put(writer, sim_half_next(core));
	/* Slots of a cycle begin anew, unless an instruction has already taken some of the next. */
	for (unsigned i = 0; (core->slots_owed || core->program->in_order) && i < SIM_SLOTS_SEEN;
	     i++) {
		put(writer, (uint32_t)ports->slot_kinds[i]);
		put(writer, (uint32_t)(ports->slot_kinds[i] >> 32));
	}
	return agrees(writer);
}

#define ROB_MEMORY (1u << 31)

/* Write the reorder buffer. A slot retires when it is done and all before it are. */
static bool put_rob(struct writer *writer)
{
	const struct sim_core *core = writer->core;
	uint32_t count = core->rob_tail - core->rob_head, *word = words_for(writer, 2 * count + 1);
	uint64_t done = core->cycle + 1;

	if (!word)
		return false;
	*word++ = count;
	for (uint32_t i = core->rob_head; i != core->rob_tail; i++) {
		const struct sim_rob_slot *slot = &core->rob[i % SIM_ROB_MAX];

		done = slot->done > done ? slot->done : done;
		*word++ = (uint32_t)(done - core->cycle) << 1 | slot->ends_iteration;
		if (slot->loads || slot->stores)
			*word++ = ROB_MEMORY | (uint32_t)slot->loads << 8 | slot->stores;
	}
	writer->count = (uint32_t)(word - writer->words);
	return agrees(writer);
}

/* Write when all is done that is older than a store, of stores renamed and of the next one. */
static void put_older(struct writer *writer)
{
	const struct sim_core *core = writer->core;
	uint32_t horizon = writer->repeat->store_horizon;

	if (!core->params->store_forward_fail_older_cycles)
		return;
	for (uint32_t back = 0; back < core->store_ring; back++)
		for (uint32_t s = 0; s < core->program->store_count; s++)
			put_time(writer,
				 sim_store_at(core, s, core->context.iteration - back)->older_done,
				 horizon);
	put_time(writer, core->older_done, horizon);
	put(writer, core->stores_renamed - core->older_stores);
}

static void put_load_waits(struct writer *writer)
{
	const struct sim_core *core = writer->core;

	for (unsigned p = 0; p < SIM_LOAD_PORTS_MAX; p++)
		for (int32_t i = 0;
		     i < core->params->load_port_blocked && i < (int32_t)SIM_LOAD_WAITS_MAX; i++) {
			put_time(writer, core->load_waits[p][i], 0);
			if (core->load_waits[p][i] <= core->cycle)
				break;
		}
}

static void put_stores(struct writer *writer)
{
	const struct sim_core *core = writer->core;
	const struct sim_program *program = core->program;

	put(writer, core->loads_in_flight << 16 | core->stores_in_flight);
	put(writer, core->stores_retired);
	put_time(writer, core->line_change, 0);
	put_time(writer, core->pieces_written, 0);
	put_time(writer, core->writes_from, 0);
	put_load_waits(writer);
	for (uint32_t i = core->stores_committed; i != core->stores_renamed; i++)
		put(writer, (core->same_piece[i % SIM_ROB_MAX] ? 1u : 0u) |
				    (core->other_line[i % SIM_ROB_MAX] ? 2u : 0u) |
				    (core->narrow[i % SIM_ROB_MAX] ? 4u : 0u) |
				    (core->split[i % SIM_ROB_MAX] ? 8u : 0u));
	if (!writer->repeat->forwards)
		return;
	for (uint32_t back = 0; back < core->store_ring; back++)
		for (uint32_t s = 0; s < program->store_count; s++) {
			const struct sim_store *store =
				sim_store_at(core, s, core->context.iteration - back);

			put_time(writer, store->source_ready, writer->repeat->store_horizon);
			put_time(writer, store->value_ready, writer->repeat->store_horizon);
			put_time(writer, store->address_ready, writer->repeat->store_horizon);
			put(writer, core->stores_renamed - store->queued);
		}
	if (!writer->repeat->fails)
		return;
	put_older(writer);
	put_time(writer, core->failed_ready, writer->repeat->failed_horizon);
	put(writer, core->failed_ready + writer->repeat->failed_horizon > core->cycle
			    ? core->stores_renamed - core->failed_stores
			    : 0);
}

/* Write the queue. Its entries follow each other, so their number and the first are enough. */
static void put_queue(struct writer *writer)
{
	const struct sim_queue *queue = &writer->core->queue;
	const struct sim_queue_entry *entry = &queue->entries[queue->head % SIM_QUEUE_ENTRIES_MAX];

	put(writer, queue->tail - queue->head);
	if (queue->head == queue->tail)
		return;
	put(writer, entry->insn);
	put(writer, entry->slot);
	put(writer, writer->core->context.iteration - entry->iteration);
}

/* Write what is on its way to the decoders. Its entries follow each other, too. */
static void put_predecoder(struct writer *writer)
{
	const struct sim_front_end *fetch = writer->core->front_end;
	const struct sim_predecoder *predecoder = &fetch->predecoder;
	uint64_t block = fetch->next.address >> fetch->limits.fetch_shift;
	uint32_t longest = fetch->limits.predecode_delay;

	put(writer, (predecoder->tail - predecoder->head) << 16 | predecoder->staged);
	put(writer, (predecoder->in_block ? 1u : 0u) | (predecoder->second ? 2u : 0u) |
			    (predecoder->holds ? 4u : 0u));
	put(writer, predecoder->in_block ? (uint32_t)(predecoder->block - block) : 0);
	put(writer, predecoder->stall);
	put(writer, predecoder->block_cycles);
	put(writer, predecoder->credit);
	if (predecoder->holds) {
		put(writer, predecoder->held.insn);
		put(writer,
		    (uint32_t)(predecoder->held_block - block) << 1 | predecoder->held_taken);
	}
	for (uint32_t i = predecoder->head; i != predecoder->tail; i++) {
		const struct sim_predecoded *piece = &predecoder->queue[i % SIM_PREDECODED_MAX];
		uint32_t since = fetch->cycle - piece->cycle;

		if (predecoder->tail - i > predecoder->staged)
			put(writer, since < longest ? since : longest);
	}
}

/* Write the state of the decoders, the op cache and the sequencer, and what they take next. */
static void put_parts(struct writer *writer)
{
	const struct sim_front_end *fetch = writer->core->front_end;
	const struct takt_cache_line *line = &fetch->op_cache.line;
	const struct sim_microcode *microcode = &fetch->microcode;
	uint64_t address = fetch->next.address;

	/* Copies that follow each other differ only by where they lie in fetch blocks and windows.
	 */
	if (!fetch->windows) {
		uint64_t bytes = (uint64_t)1 << fetch->limits.fetch_shift;

		if (sim_reads_windows(fetch) &&
		    bytes < (uint64_t)fetch->params->op_cache_window_bytes)
			bytes = (uint64_t)fetch->params->op_cache_window_bytes;
		address %= bytes;
	}
	put(writer, fetch->next.insn);
	put(writer, (uint32_t)address);
	put(writer, (uint32_t)fetch->path << 3 | (fetch->next.taken ? 4u : 0u) |
			    (fetch->next.cached ? 2u : 0u) | fetch->entered);
	put(writer, writer->core->context.iteration - fetch->next.iteration);
	put(writer, fetch->op_cache.slot << 1 | line->open);
	if (fetch->limits.op_cache_ahead)
		put(writer, fetch->op_cache.ahead);
	if (line->open) {
		if (!fetch->params->op_cache_lines_continue)
			put(writer, (uint32_t)line->window_end);
		put(writer, line->slots << 16 | line->constants);
	}
	if (sim_reads_windows(fetch)) {
		const struct sim_read_window *window = &fetch->op_cache.window;

		put(writer, (uint32_t)(window->end - fetch->next.address));
		put(writer, window->lines << 4 | (uint32_t)window->entered << 3 |
				    (uint32_t)window->beside << 2 | (uint32_t)window->ahead << 1 |
				    window->crossed);
		put(writer, window->waited << 16 | window->entry_lines);
	}
	put(writer, microcode->left);
	put(writer, microcode->stall);
	if (microcode->left) {
		put(writer, microcode->insn);
		put(writer, microcode->slot);
		put(writer, microcode->stall_after);
	}
	if (!fetch->ideal)
		put_predecoder(writer);
}

static void put_front_end(struct writer *writer)
{
	const struct sim_front_end *fetch = writer->core->front_end;

	/* No other part has a turn then, and the item that is next for them stays the first one. */
	if (fetch->path == SIM_PATH_LOOP_BUFFER && !fetch->ideal)
		put(writer, writer->core->context.iteration - fetch->loop_buffer.iteration);
	else
		put_parts(writer);
}

/* Write the state, and compare it if there is another; false if it differs or does not fit. */
static bool put_state(struct writer *writer)
{
	const struct sim_core *core = writer->core;

	put_context(writer);
	if (!put_ports(writer))
		return false;
	for (uint32_t i = 0; i < writer->repeat->part_count; i++)
		put_value(writer, &core->values[writer->repeat->parts[i]]);
	if (!agrees(writer))
		return false;
	put_front_end(writer);
	put_queue(writer);
	if (!agrees(writer) || !put_rob(writer))
		return false;
	put_stores(writer);
	put_moves(writer, &core->moves[0]);
	put_moves(writer, &core->moves[1]);
	return agrees(writer);
}

/* ---- the comparison ------------------------------------------------------------------------ */

/*
 * Return what two equal states have in common, beside their outlines: where rename is, and for how
 * long all that was renamed keeps the core busy.
 */
static uint64_t key_of(const struct sim_core *core, uint32_t outline)
{
	const struct sim_ports *ports = &core->ports;
	uint32_t done =
		core->done_last > core->cycle ? (uint32_t)(core->done_last - core->cycle) : 0;
	uint32_t busy =
		ports->furthest > core->cycle ? (uint32_t)(ports->furthest - core->cycle) : 0;
	uint32_t insn = core->context.insn ? (uint32_t)(core->context.insn - core->program->insns)
					   : UINT32_MAX;

	uint64_t key = (uint64_t)outline << 32 | ((insn * 0x9e3779b1u ^ done) * 0x85ebca6bu ^ busy);

	return key == SIM_REPEAT_NO_KEY ? 0 : key;
}

static bool is_same(struct sim_repeat *repeat, const struct sim_core *core,
		    const struct sim_repeat_state *state)
{
	struct writer writer = {
		.repeat = repeat, .core = core, .words = repeat->words, .other = state};

	return put_state(&writer) && writer.count == state->count;
}

static void take(struct sim_repeat *repeat, const struct sim_core *core, uint64_t key)
{
	uint32_t index = repeat->taken % SIM_REPEAT_STATES;
	struct sim_repeat_state *state = &repeat->states[index];
	struct writer writer = {.repeat = repeat, .core = core, .words = state->words};

	repeat->next_cycle = core->cycle + core->cycle / GROWTH_PARTS;
	repeat->keys[index] = SIM_REPEAT_NO_KEY;
	if (!put_state(&writer))
		return;
	repeat->taken++;
	repeat->keys[index] = key;
	state->count = writer.count;
	state->cycle = core->cycle;
	state->iterations = core->iterations_renamed;
}

/* Return the number of a state that recurs; SIM_REPEAT_STATES if none does. */
static uint32_t find_same(struct sim_repeat *repeat, const struct sim_core *core, uint64_t key)
{
	uint32_t i = 0;

	while (i < SIM_REPEAT_STATES && (repeat->keys[i] != key ||
					 repeat->states[i].iterations == core->iterations_renamed ||
					 !is_same(repeat, core, &repeat->states[i])))
		i++;
	return i;
}

bool sim_repeat_look(struct sim_repeat *repeat, const struct sim_core *core, uint32_t outline,
		     struct sim_period *ret_period)
{
	uint64_t key = key_of(core, outline);
	uint32_t same = find_same(repeat, core, key);

	if (same < SIM_REPEAT_STATES) {
		const struct sim_repeat_state *state = &repeat->states[same];

		ret_period->cycles = (uint32_t)(core->cycle - state->cycle);
		ret_period->iterations = core->iterations_renamed - state->iterations;
		return true;
	}
	/* Loads of the first iterations do not wait for stores before those. */
	if (core->cycle >= repeat->next_cycle &&
	    core->context.iteration >= core->program->max_distance)
		take(repeat, core, key);
	return false;
}
