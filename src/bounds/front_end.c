/* SPDX-License-Identifier: MIT */
/* Analytical limits of the front end, by the rules that the simulator in src/sim follows. */
#include <assert.h>

#include "bounds/bounds.h"

/* An instruction, or a fused pair, as the front end sees it. */
struct record {
	struct takt_code_item item;
	uint32_t insn; /* index in the block; of a fused pair, of the first */
	uint8_t first_length_bytes;
	uint8_t opcode_offset_bytes, second_opcode_offset_bytes;
	uint8_t simple_decoders;
	uint16_t decoded, microcode; /* slots from the decoders and from the sequencer */
	bool fused, complex, lcp, may_fuse;
	bool unfit; /* the loop buffer cannot hold it */
};

struct code {
	const struct takt_core_params *params;
	struct record *records;
	struct takt_code_item *items;
	bool *cached;
	uint32_t count;
	uint32_t length_bytes;
	bool loop;
	uint64_t address;
};

static uint32_t at_least(int32_t value, uint32_t least)
{
	return value < 0 || (uint32_t)value < least ? least : (uint32_t)value;
}

static uint64_t ceil_divide(uint64_t value, uint64_t by)
{
	return (value + by - 1) / by;
}

/* ---- the code ----------------------------------------------------------- */

static bool is_unfit(const struct takt_insn *insn)
{
	for (unsigned i = 0; i < insn->access_count; i++)
		if (insn->accesses[i].flags & TAKT_STACK_ENGINE)
			return true;
	return takt_insn_writes_high8(insn);
}

static struct record make_record(const struct takt_model *model, const struct takt_insn *insn,
				 const struct takt_insn *jump, const struct takt_timing *timing)
{
	const struct takt_core_params *params = takt_model_params(model);
	unsigned extra = params->op_cache_wide_immediates && takt_insn_has_wide_immediate(insn);
	uint32_t decoded = takt_timing_decoded_slots(timing);
	uint32_t microcode = takt_timing_microcode_slots(timing);
	bool sequencer = params->microcode_width > 0;
	struct record record = {
		.first_length_bytes = insn->length_bytes,
		.opcode_offset_bytes = insn->opcode_offset_bytes,
		.second_opcode_offset_bytes = jump ? jump->opcode_offset_bytes : 0,
		.simple_decoders = timing->simple_decoders,
		.decoded = (uint16_t)(decoded + (sequencer ? 0 : microcode)),
		.microcode = (uint16_t)(sequencer ? microcode : 0),
		.fused = jump != NULL,
		.complex = timing->flags & TAKT_TIMING_COMPLEX,
		.lcp = insn->flags & TAKT_INSN_LCP,
		.may_fuse = jump || takt_model_may_fuse(model, insn),
		.unfit = timing->ms || is_unfit(insn),
	};

	record.item = (struct takt_code_item){
		.length_bytes = (uint8_t)(insn->length_bytes + (jump ? jump->length_bytes : 0)),
		.slots = (uint16_t)(record.decoded + extra),
		.constants = (uint8_t)(takt_cache_constants(params, insn) +
				       (jump ? takt_cache_constants(params, jump) : 0)),
		.microcode = record.microcode > 0,
		.branch = (jump ? jump : insn)->flags & TAKT_INSN_BRANCH,
		.waits_for_next = record.lcp && record.may_fuse,
	};
	return record;
}

static struct code make_code(const struct takt_model *model, const struct takt_block *block,
			     const struct takt_timing *timings, const bool *fused,
			     const struct takt_front_end_options *options, struct takt_arena *arena)
{
	struct code code = {
		.params = takt_model_params(model),
		.records = TAKT_NEW_ARRAY(arena, block->count, struct record),
		.items = TAKT_NEW_ARRAY(arena, block->count, struct takt_code_item),
		.cached = TAKT_NEW_ARRAY(arena, block->count, bool),
		.loop = options->loop,
		.address = options->alignment_bytes,
	};

	for (uint32_t i = 0; i < block->count; i++) {
		bool pair = i + 1 < block->count && fused[i + 1];

		if (fused[i])
			continue;
		code.records[code.count] = make_record(
			model, &block->insns[i], pair ? &block->insns[i + 1] : NULL, &timings[i]);
		code.records[code.count].insn = i;
		code.items[code.count] = code.records[code.count].item;
		code.length_bytes += code.items[code.count++].length_bytes;
	}
	if (code.loop)
		takt_code_find_cached(code.params, code.items, code.count, code.address,
				      code.cached);
	return code;
}

/* ---- predecoder ---------------------------------------------------------- */

/* The fetch block that instructions are being added to. */
struct fetch_block {
	uint64_t number;
	uint32_t instructions; /* number that end in it, or have their opcode in it */
	uint32_t prefixes;     /* number of length-changing prefixes */
	uint64_t hidden;       /* cycles of prefixes that the previous block hides */
	uint64_t cycles;       /* cycles of all blocks so far */
};

static void close_block(const struct takt_core_params *params, struct fetch_block *block)
{
	uint64_t cycles = 1, wait = at_least(params->length_change_cycles, 0);

	if (block->instructions == 0 && block->prefixes == 0)
		return;
	if (params->predecode_width > 0 && block->instructions > 0)
		cycles = ceil_divide(block->instructions, (uint64_t)params->predecode_width);
	wait *= block->prefixes;
	block->cycles += cycles + (wait > block->hidden ? wait - block->hidden : 0);
	block->hidden = cycles - 1;
	block->instructions = block->prefixes = 0;
}

static void move_to(const struct takt_core_params *params, struct fetch_block *block,
		    uint64_t number)
{
	if (number != block->number)
		close_block(params, block);
	block->number = number;
}

static void add_instruction(const struct takt_core_params *params, struct fetch_block *block,
			    uint64_t start, uint32_t length, uint32_t opcode, bool lcp)
{
	uint64_t bytes = at_least(params->fetch_bytes, 16);
	uint64_t last = (start + length - 1) / bytes;

	move_to(params, block, start / bytes);
	block->prefixes += lcp;
	if (last != start / bytes) {
		block->instructions += (start + opcode) / bytes == start / bytes;
		move_to(params, block, last);
	}
	block->instructions++;
}

/* Add the instructions of one copy of the code, which begins at `address`. */
static void add_copy(const struct code *code, struct fetch_block *block, uint64_t address)
{
	for (uint32_t i = 0; i < code->count; i++) {
		const struct record *record = &code->records[i];
		uint32_t first = record->first_length_bytes, length = record->item.length_bytes;

		add_instruction(code->params, block, address, first, record->opcode_offset_bytes,
				record->lcp);
		if (record->fused)
			add_instruction(code->params, block, address + first, length - first,
					record->second_opcode_offset_bytes, false);
		address += length;
	}
}

static double predecoder_bound(const struct code *code)
{
	uint64_t bytes = at_least(code->params->fetch_bytes, 16), address = code->address;
	uint64_t copies = bytes / takt_greatest_common_divisor(code->length_bytes, bytes);
	struct fetch_block block = {.number = UINT64_MAX};
	uint64_t before = 0;

	if (code->loop)
		copies = 1;
	/* The first round finds what the last block hides, the second counts. */
	for (unsigned round = 0; round < 2; round++) {
		before = block.cycles;
		for (uint64_t copy = 0; copy < copies; copy++) {
			add_copy(code, &block, address);
			address += code->loop ? 0 : code->length_bytes;
		}
		if (code->loop)
			move_to(code->params, &block, UINT64_MAX);
	}
	return (double)(block.cycles - before) / (double)copies;
}

/* ---- decoders ------------------------------------------------------------ */

static uint64_t microcode_cycles(const struct takt_core_params *params, const struct record *record,
				 uint64_t switch_cycles)
{
	if (!record->microcode)
		return 0;
	return switch_cycles + ceil_divide(record->microcode, at_least(params->microcode_width, 1));
}

/* Take a group of records from `first` on; return their number, and the group's cost. */
typedef uint32_t take_group(const struct code *code, uint32_t first, uint64_t *ret_cost);

/*
 * Return the mean cost of a copy of the code that follows itself, if each group begins where the
 * last one ended: groups repeat once one begins at a record at which another began.
 */
static double mean_cost(const struct code *code, take_group *take, struct takt_arena *arena)
{
	uint64_t *costs_before = TAKT_NEW_ARRAY(arena, code->count, uint64_t);
	uint64_t *records_before = TAKT_NEW_ARRAY(arena, code->count, uint64_t);
	bool *seen = TAKT_NEW_ARRAY(arena, code->count, bool);
	uint64_t costs = 0, records = 0;
	uint32_t first = 0;

	assert(code->count);
	while (!seen[first]) {
		uint64_t cost;

		seen[first] = true;
		costs_before[first] = costs;
		records_before[first] = records;
		records += take(code, first, &cost);
		costs += cost;
		first = (uint32_t)(records % code->count);
	}
	return (double)(costs - costs_before[first]) * code->count /
	       (double)(records - records_before[first]);
}

/* Decode one group from record `first` on; return the number of records, and the cycles taken. */
static uint32_t decode_group(const struct code *code, uint32_t first, uint64_t *ret_cycles)
{
	const struct takt_core_params *params = code->params;
	uint32_t width = at_least(params->decode_width, 1), left = width, count = 0;

	*ret_cycles = 1;
	while (left > 0) {
		const struct record *record = &code->records[(first + count) % code->count];

		if (count > 0 && record->complex)
			break;
		if (count > 0 && count + 1 >= width && record->may_fuse &&
		    !params->fuse_last_decoder)
			break;
		count++;
		left--;
		if (record->complex && record->simple_decoders < left)
			left = record->simple_decoders;
		*ret_cycles += microcode_cycles(
			params, record, 2 * (uint64_t)at_least(params->microcode_decode_cycles, 0));
		if (record->microcode || record->item.branch)
			break;
	}
	return count;
}

/* ---- op cache ------------------------------------------------------------ */

/* Return the cycles that it takes to read the first `count` records and their microcode. */
static double read_cycles(const struct code *code, uint32_t count)
{
	const struct takt_core_params *params = code->params;
	uint64_t slots = 0, waits = 0;

	for (uint32_t i = 0; i < count; i++) {
		slots += code->records[i].decoded;
		waits += microcode_cycles(params, &code->records[i],
					  at_least(params->microcode_switch_cycles, 0));
	}
	return (double)slots / at_least(params->op_cache_width, 1) + (double)waits;
}

/* Count the lines, and the windows, that an iteration reads. */
static uint32_t loop_lines(const struct code *code, uint32_t *ret_windows)
{
	struct takt_cache_line line = {0};
	uint64_t address = code->address;
	uint32_t lines = 0;

	*ret_windows = 0;
	for (uint32_t i = 0; i < code->count; i++) {
		uint64_t window_end = line.window_end;

		lines += !takt_cache_line_add(code->params, &line, &code->items[i], address);
		*ret_windows += line.window_end != window_end;
		address += code->items[i].length_bytes;
	}
	return lines;
}

/*
 * Return the cycles in which the lines of a loop are looked up and read. Where windows are looked
 * up ahead, each takes a cycle for that, and its last line is read with the first of the next one.
 */
static double loop_lines_cycles(const struct code *code)
{
	uint32_t windows, lines = loop_lines(code, &windows);

	if (code->params->op_cache_windows_ahead > 0) {
		lines -= windows - 1;
		lines = lines > windows ? lines : windows;
	}
	return (double)lines / at_least(code->params->op_cache_lines_per_cycle, 1);
}

/* Put records from `first` on into an op cache line; return their number, and 1 for the line. */
static uint32_t fill_line(const struct code *code, uint32_t first, uint64_t *ret_lines)
{
	struct takt_cache_line line = {0};
	uint32_t count = 0;

	*ret_lines = 1;
	takt_cache_line_add(code->params, &line, &code->items[first], 0);
	do
		count++;
	while (line.open && takt_cache_line_add(code->params, &line,
						&code->items[(first + count) % code->count], 0));
	return count;
}

static bool is_in_one_window(const struct code *code)
{
	uint64_t bytes = at_least(code->params->op_cache_window_bytes, 1);
	uint64_t last =
		code->address + code->length_bytes - code->items[code->count - 1].length_bytes;

	return code->address / bytes == last / bytes;
}

static double op_cache_bound(const struct code *code, struct takt_arena *arena)
{
	const struct takt_core_params *params = code->params;
	double cycles = read_cycles(code, code->count);
	double lines = code->loop ? loop_lines_cycles(code)
				  : mean_cost(code, fill_line, arena) /
					    at_least(params->op_cache_lines_per_cycle, 1);

	cycles = lines > cycles ? lines : cycles;
	if (code->loop && !params->op_cache_reread && is_in_one_window(code))
		cycles = (double)(uint64_t)(cycles + 1 - 1e-9);
	return cycles;
}

/* ---- loop buffer --------------------------------------------------------- */

/* Return the loop buffer's bound, or 0 if it does not replay the loop. */
static double loop_buffer_bound(const struct code *code)
{
	uint32_t slots = 0, copies;

	for (uint32_t i = 0; i < code->count; i++) {
		if (!code->cached[i] || code->records[i].unfit)
			return 0;
		slots += code->records[i].decoded;
	}
	copies = takt_loop_buffer_copies(code->params, slots);
	if (!code->loop || copies == 0)
		return 0;
	return (double)ceil_divide((uint64_t)slots * copies,
				   at_least(code->params->issue_width, 1)) /
	       copies;
}

/* ---- together ------------------------------------------------------------ */

/* Set the bound of code whose records up to the first uncached one come from the op cache, and
 * the rest from the decoders. */
static void bound_both(const struct code *code, uint32_t cached_count,
		       struct takt_front_end_bounds *bounds)
{
	uint32_t rest = code->count - cached_count;
	double cycles = read_cycles(code, cached_count);

	bounds->decoders = cycles + (double)rest / at_least(code->params->decode_width, 1);
}

static void find_uncached(const struct code *code, struct takt_front_end_bounds *bounds)
{
	uint32_t item;

	if (!code->loop)
		return;
	bounds->uncached =
		takt_code_uncached(code->params, code->items, code->count, code->address, &item);
	/* In a fused pair, the second instruction is the branch. */
	bounds->uncached_insn = code->records[item].insn + code->records[item].fused;
}

static void bound_fetching(const struct code *code, struct takt_arena *arena,
			   struct takt_front_end_bounds *bounds)
{
	bool straight =
		!code->loop && code->params->op_cache_straight && code->params->op_cache_width > 0;
	uint32_t cached_count = 0;

	while (cached_count < code->count && code->cached[cached_count])
		cached_count++;
	bounds->loop_buffer = loop_buffer_bound(code);
	if (bounds->loop_buffer > 0)
		return;
	if (straight || cached_count == code->count) {
		bounds->op_cache = op_cache_bound(code, arena);
	} else if (cached_count > 0) {
		bound_both(code, cached_count, bounds);
	} else {
		bounds->predecoder = predecoder_bound(code);
		bounds->decoders = mean_cost(code, decode_group, arena);
		find_uncached(code, bounds);
	}
}

static void pick_greatest(struct takt_front_end_bounds *bounds)
{
	const struct {
		double cycles;
		const char *component;
	} parts[] = {
		{bounds->issue, "issue"},
		{bounds->predecoder, "predecoder"},
		{bounds->decoders, "decoders"},
		{bounds->op_cache, "op cache"},
		{bounds->loop_buffer, "loop buffer"},
	};

	bounds->component = parts[0].component;
	for (size_t i = 0; i < TAKT_COUNT_OF(parts); i++) {
		if (parts[i].cycles <= bounds->cycles)
			continue;
		bounds->cycles = parts[i].cycles;
		bounds->component = parts[i].component;
	}
}

void takt_front_end_bound(const struct takt_model *model, const struct takt_block *block,
			  const struct takt_timing *timings,
			  const struct takt_front_end_options *options, struct takt_arena *arena,
			  struct takt_front_end_bounds *ret_bounds)
{
	bool *fused = TAKT_NEW_ARRAY(arena, block->count, bool);
	uint32_t slots = takt_issue_slots(model, block, timings, fused);
	struct code code;

	*ret_bounds = (struct takt_front_end_bounds){.component = "issue"};
	if (block->count == 0)
		return;
	code = make_code(model, block, timings, fused, options, arena);
	ret_bounds->issue = (double)slots / at_least(code.params->issue_width, 1);
	bound_fetching(&code, arena, ret_bounds);
	pick_greatest(ret_bounds);
}
