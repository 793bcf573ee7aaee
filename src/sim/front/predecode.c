/* SPDX-License-Identifier: MIT */
/*
 * The predecoder: finds where instructions begin and end, in one aligned block of bytes at a time,
 * a limited number in each cycle. An instruction that crosses the block's end comes with the next
 * block; a length-changing prefix stops everything for some cycles.
 */
#include "sim/front/fetch.h"

/* An instruction as the predecoder sees it: a fused pair is two pieces. */
struct piece {
	uint64_t start, end, opcode;
	bool lcp, taken;
};

/*
 * Find the next piece; false if it is not known, or if the op cache has it and continues from
 * there.
 */
static bool find_piece(const struct sim_front_end *fetch, struct piece *ret_piece)
{
	const struct sim_insn *record;
	bool second = fetch->predecoder.second, pair;
	uint64_t start = fetch->next.address;

	if (!sim_fetch_has_next(fetch) || (!second && fetch->entered && fetch->next.cached))
		return false;
	record = &fetch->program->insns[fetch->next.insn];
	pair = record->flags & SIM_INSN_FUSED;
	*ret_piece = (struct piece){
		.start = second ? start + record->first_length_bytes : start,
		.end = start +
		       (pair && !second ? record->first_length_bytes : record->length_bytes),
		.lcp = record->flags & SIM_INSN_LCP && !second,
		.taken = fetch->next.taken && pair == second,
	};
	ret_piece->opcode = ret_piece->start + (second ? record->second_opcode_offset_bytes
						       : record->opcode_offset_bytes);
	return true;
}

static struct sim_predecoded take_piece(struct sim_front_end *fetch)
{
	struct sim_predecoder *predecoder = &fetch->predecoder;
	struct sim_predecoded piece = {fetch->next.insn, fetch->next.iteration, 0};

	if (fetch->program->insns[piece.insn].flags & SIM_INSN_FUSED && !predecoder->second) {
		predecoder->second = true;
	} else {
		predecoder->second = false;
		sim_fetch_advance(fetch);
	}
	return piece;
}

static void stage(struct sim_predecoder *predecoder, struct sim_predecoded piece)
{
	predecoder->queue[predecoder->tail++ % SIM_PREDECODED_MAX] = piece;
	predecoder->staged++;
}

static void hand_over(struct sim_front_end *fetch)
{
	struct sim_predecoder *predecoder = &fetch->predecoder;

	for (; predecoder->staged > 0; predecoder->staged--)
		predecoder->queue[(predecoder->tail - predecoder->staged) % SIM_PREDECODED_MAX]
			.cycle = fetch->cycle;
}

/* Begin a fetch block if none is being worked on; false if there is none. */
static bool begin_block(struct sim_front_end *fetch)
{
	struct sim_predecoder *predecoder = &fetch->predecoder;
	struct piece piece;

	if (predecoder->in_block)
		return true;
	if (predecoder->holds)
		predecoder->block = predecoder->held_block;
	else if (find_piece(fetch, &piece))
		predecoder->block = piece.start >> fetch->limits.fetch_shift;
	else
		return false;
	predecoder->in_block = true;
	predecoder->credit = predecoder->block_cycles > 0 ? predecoder->block_cycles - 1 : 0;
	predecoder->block_cycles = 0;
	return true;
}

/*
 * Keep an instruction that crosses the block's end for the next one; true if it has a
 * length-changing prefix.
 */
static bool hold(struct sim_front_end *fetch, const struct piece *piece)
{
	struct sim_predecoder *predecoder = &fetch->predecoder;

	predecoder->holds = true;
	predecoder->held_block = (piece->end - 1) >> fetch->limits.fetch_shift;
	predecoder->held_taken = piece->taken;
	predecoder->held = take_piece(fetch);
	return piece->lcp;
}

/* Work on the block for a cycle, and return the number of length-changing prefixes met. */
static uint32_t work_on_block(struct sim_front_end *fetch)
{
	struct sim_predecoder *predecoder = &fetch->predecoder;
	uint64_t end = (predecoder->block + 1) << fetch->limits.fetch_shift;
	uint32_t count = 0, prefixes = 0, width = fetch->limits.predecode_width;
	bool taken = false;
	struct piece piece;

	predecoder->block_cycles++;
	if (predecoder->holds) {
		stage(predecoder, predecoder->held);
		predecoder->holds = false;
		taken = predecoder->held_taken;
		count++;
	}
	while (!taken && find_piece(fetch, &piece) && piece.start < end) {
		bool room = predecoder->tail - predecoder->head < predecoder->capacity;

		if (piece.end > end && (count < width || piece.opcode >= end)) {
			prefixes += hold(fetch, &piece);
			break;
		}
		if (count >= width || !room || piece.end > end)
			return prefixes; /* the block is not complete */
		stage(predecoder, take_piece(fetch));
		count++;
		prefixes += piece.lcp;
		taken = piece.taken;
	}
	predecoder->in_block = false;
	return prefixes;
}

void sim_predecode_cycle(struct sim_front_end *fetch)
{
	struct sim_predecoder *predecoder = &fetch->predecoder;
	uint32_t stall;

	if (predecoder->stall > 0) {
		if (--predecoder->stall == 0)
			hand_over(fetch);
		return;
	}
	if (predecoder->capacity - (predecoder->tail - predecoder->head) <
		    fetch->limits.predecode_room ||
	    !begin_block(fetch))
		return;
	stall = work_on_block(fetch) * fetch->limits.length_change_cycles;
	if (stall > 0) {
		predecoder->stall = stall > predecoder->credit ? stall - predecoder->credit : 0;
		predecoder->credit = 0;
	}
	if (predecoder->stall == 0)
		hand_over(fetch);
}

bool sim_predecode_is_drained(const struct sim_predecoder *predecoder)
{
	return predecoder->head == predecoder->tail && !predecoder->holds;
}
