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
	bool lcp, taken, more; /* more: the second piece of a pair follows */
};

/* True if the next piece is known, and does not come out of the op cache. */
static inline bool has_piece(const struct sim_front_end *fetch)
{
	return sim_fetch_has_next(fetch) &&
	       (!fetch->entered || !fetch->next.cached || fetch->predecoder.second);
}

static struct piece piece_of_pair(const struct sim_item *item, const struct sim_insn *record,
				  bool second)
{
	uint64_t start = item->address + (second ? record->first_length_bytes : 0);

	return (struct piece){
		.start = start,
		.end = item->address + (second ? record->length_bytes : record->first_length_bytes),
		.opcode = start + (second ? record->second_opcode_offset_bytes
					  : record->opcode_offset_bytes),
		.lcp = record->flags & SIM_INSN_LCP && !second,
		.taken = item->taken && second,
		.more = !second,
	};
}

/* Return the next piece, of which has_piece() must be true. */
static inline struct piece next_piece(const struct sim_front_end *fetch)
{
	const struct sim_item *item = &fetch->next;
	const struct sim_insn *record = &fetch->program->insns[item->insn];

	if (__builtin_expect(record->flags & SIM_INSN_FUSED, 0))
		return piece_of_pair(item, record, fetch->predecoder.second);
	return (struct piece){
		.start = item->address,
		.end = item->address + record->length_bytes,
		.opcode = item->address + record->opcode_offset_bytes,
		.lcp = record->flags & SIM_INSN_LCP,
		.taken = item->taken,
	};
}

static inline struct sim_predecoded take_piece(struct sim_front_end *fetch,
					       const struct piece *piece)
{
	struct sim_predecoded taken = {fetch->next.insn, fetch->next.iteration, fetch->cycle};

	fetch->predecoder.second = piece->more;
	if (!piece->more)
		sim_fetch_advance(fetch);
	return taken;
}

static inline void stage(struct sim_predecoder *predecoder, struct sim_predecoded piece)
{
	predecoder->queue[predecoder->tail++ % SIM_PREDECODED_MAX] = piece;
	predecoder->staged++;
}

/* Hand over what was staged until a stall has ended: it arrives now. */
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

	if (predecoder->in_block)
		return true;
	if (predecoder->holds)
		predecoder->block = predecoder->held_block;
	else if (has_piece(fetch))
		predecoder->block = next_piece(fetch).start >> fetch->limits.fetch_shift;
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
	predecoder->held = take_piece(fetch, piece);
	return piece->lcp;
}

/* Work on the block for a cycle, and return the number of length-changing prefixes met. */
static uint32_t work_on_block(struct sim_front_end *fetch)
{
	struct sim_predecoder *predecoder = &fetch->predecoder;
	uint64_t end = (predecoder->block + 1) << fetch->limits.fetch_shift;
	uint32_t count = 0, prefixes = 0, width = fetch->limits.predecode_width;
	bool taken = false;

	predecoder->block_cycles++;
	if (predecoder->holds) {
		predecoder->held.cycle = fetch->cycle;
		stage(predecoder, predecoder->held);
		predecoder->holds = false;
		taken = predecoder->held_taken;
		count++;
	}
	while (!taken && has_piece(fetch)) {
		struct piece piece = next_piece(fetch);

		if (piece.start >= end)
			break;
		if (piece.end > end && (count < width || piece.opcode >= end)) {
			prefixes += hold(fetch, &piece);
			break;
		}
		if (count >= width || piece.end > end ||
		    predecoder->tail - predecoder->head >= predecoder->capacity)
			return prefixes; /* the block is not complete */
		stage(predecoder, take_piece(fetch, &piece));
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
		predecoder->staged = 0;
}

bool sim_predecode_is_drained(const struct sim_predecoder *predecoder)
{
	return predecoder->head == predecoder->tail && !predecoder->holds;
}
