/* SPDX-License-Identifier: MIT */
/*
 * Runs the program once under the oracle and the pipeline simulator, and gathers what they observed
 * by block and access.
 */
#include <stdlib.h>
#include <string.h>

#include "diagnose/diagnose.h"

#define LINES_MAX 4096u /* lines that several threads accessed: those with the most accesses */
/* Share of floating-point instructions from which on they count as the program's work. */
#define FLOAT_SHARE 0.05

struct gathering {
	struct diagnose_seen *seen;
	const struct takt_isa *isa;
};

/* ---- source lines ---- */

static struct diagnose_source source_of(struct takt_arena *arena,
					const struct trace_dictionary *dictionary,
					const struct trace_block *block, uint32_t insn)
{
	struct diagnose_source source = {0};
	const struct trace_line *line = NULL;

	for (uint32_t i = 0; i < block->line_count && block->lines[i].insn <= insn; i++)
		line = &block->lines[i];
	if (block->function && block->function < dictionary->function_count)
		source.function =
			takt_arena_string(arena, dictionary->functions[block->function].name);
	if (block->file)
		source.file_offset = block->file_offset +
				     (takt_trace_insn_address(block, insn) - block->address);
	if (line && line->line) {
		source.file = takt_arena_string(arena, line->file);
		source.line = line->line;
	}
	return source;
}

static struct diagnose_source
source_of_call(struct takt_arena *arena, const struct trace_dictionary *dictionary, uint32_t number)
{
	const struct trace_block *block = dictionary->blocks[number];

	return source_of(arena, dictionary, block, block->insn_count - 1u);
}

static struct diagnose_allocation allocation_of(struct takt_arena *arena,
						const struct oracle *oracle,
						const struct trace_dictionary *dictionary,
						uint64_t address)
{
	struct diagnose_allocation allocation = {.known = false};
	struct oracle_allocation found;

	if (!takt_oracle_allocation(oracle, address, &found))
		return allocation;
	allocation.known = true;
	allocation.call = source_of_call(arena, dictionary, found.block);
	if (found.has_caller)
		allocation.caller = source_of_call(arena, dictionary, found.caller);
	return allocation;
}

/* ---- blocks ---- */

static bool is_waiting(const char *function)
{
	static const char *const starts[] = {
#define X(start) start,
#include "diagnose/waiting.def"
#undef X
	};

	for (size_t i = 0; function && i < TAKT_COUNT_OF(starts); i++)
		if (takt_string_starts(function, starts[i]))
			return true;
	return false;
}

/*
 * Return the cycles that an instruction keeps a unit other than the ports busy, or else the
 * measured reciprocal throughput.
 */
static double unit_cycles(const struct takt_model *model, const struct takt_timing *timing)
{
	double cycles = 0;

	for (unsigned i = 0; i < timing->uops_count; i++) {
		const struct takt_uops *uops = &timing->uops[i];
		uint32_t pseudo = uops->ports & takt_model_pseudo_ports(model);

		if (pseudo)
			cycles += (double)uops->count / __builtin_popcount(pseudo);
	}
	return cycles > 0 ? cycles : timing->rthroughput_hundredths / 100.0;
}

/* Return the cycles that unpipelined units are busy with a block. */
static double busy_cycles(const struct gathering *gathering, const struct trace_block *block)
{
	const uint8_t *bytes = block->bytes;
	double cycles = 0;

	for (uint32_t i = 0; i < block->insn_count; bytes += block->lengths[i++]) {
		struct takt_timing_storage storage;
		struct takt_timing timing;
		struct takt_insn insn;

		if (takt_decode(gathering->isa, bytes, block->lengths[i], 0, &insn) != TAKT_OK ||
		    (insn.insn_class != TAKT_CLASS_INT_DIV &&
		     insn.insn_class != TAKT_CLASS_FP_DIV && insn.insn_class != TAKT_CLASS_GATHER))
			continue;
		takt_model_timing(gathering->seen->model, &insn, &storage, &timing);
		cycles += unit_cycles(gathering->seen->model, &timing);
	}
	return cycles;
}

static void add_block(struct gathering *gathering, const struct trace_dictionary *dictionary,
		      const struct trace_block *block, const struct oracle_block *ran)
{
	struct diagnose_seen *seen = gathering->seen;
	struct diagnose_block *made = &seen->blocks[seen->block_count++];

	*made = (struct diagnose_block){
		.address = block->address,
		.end = block->end,
		.source = source_of(&seen->arena, dictionary, block, 0),
		.function = block->function,
		.runs = ran->runs,
		.missed = ran->missed,
		.counts = ran->counts,
		.busy_cycles = busy_cycles(gathering, block),
	};
	memcpy(made->runs_of, ran->runs_of, sizeof(made->runs_of));
	made->runs_of[0] -= ran->alone;
	made->waits = is_waiting(made->source.function);
	if (block->flow == TRACE_FLOW_BRANCH || block->flow == TRACE_FLOW_JUMP)
		made->target = block->target;
}

TAKT_ORDER(compare_blocks, struct diagnose_block, TAKT_UP(address), TAKT_UP(end));

static void gather_blocks(struct gathering *gathering, const struct oracle *oracle,
			  const struct trace_dictionary *dictionary)
{
	struct diagnose_seen *seen = gathering->seen;
	struct oracle_block ran;

	seen->blocks = TAKT_NEW_ARRAY(&seen->arena, dictionary->count, struct diagnose_block);
	for (uint32_t i = 0; i < dictionary->count; i++)
		if (takt_oracle_block(oracle, i, &ran) && ran.runs)
			add_block(gathering, dictionary, dictionary->blocks[i], &ran);
	if (seen->block_count)
		qsort(seen->blocks, seen->block_count, sizeof(*seen->blocks), compare_blocks);
}

/* ---- other results of the oracle ---- */

static void gather_accesses(struct diagnose_seen *seen, const struct oracle *oracle,
			    const struct trace_dictionary *dictionary)
{
	size_t count;
	const struct oracle_access *accesses = takt_oracle_accesses(oracle, &count);

	seen->accesses = TAKT_NEW_ARRAY(&seen->arena, count, struct diagnose_access);
	seen->access_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		const struct trace_block *block = dictionary->blocks[accesses[i].block];

		seen->accesses[i] = (struct diagnose_access){
			.counts = accesses[i],
			.address = takt_trace_insn_address(block, accesses[i].insn),
			.source = source_of(&seen->arena, dictionary, block, accesses[i].insn),
			.place = block->function, /* the function, until there are places */
			.allocation = allocation_of(&seen->arena, oracle, dictionary,
						    accesses[i].address),
		};
	}
}

static uint64_t first_byte(const struct oracle_line_user *user)
{
	uint64_t bytes = user->read | user->written;

	return bytes ? (uint64_t)__builtin_ctzll(bytes) : 0;
}

static void gather_lines(struct diagnose_seen *seen, const struct oracle *oracle,
			 const struct trace_dictionary *dictionary)
{
	size_t count;
	const struct oracle_line *lines = takt_oracle_lines(oracle, &count);

	seen->line_count = (uint32_t)(count < LINES_MAX ? count : LINES_MAX);
	seen->lines = TAKT_NEW_ARRAY(&seen->arena, seen->line_count, struct diagnose_line);
	for (uint32_t i = 0; i < seen->line_count; i++) {
		struct diagnose_line *line = &seen->lines[i];

		line->line = lines[i];
		for (uint32_t j = 0; j < 4 && j < lines[i].threads; j++) {
			line->sources[j] =
				source_of(&seen->arena, dictionary,
					  dictionary->blocks[lines[i].users[j].block], 0);
			line->waits[j] = is_waiting(line->sources[j].function);
			line->allocations[j] =
				allocation_of(&seen->arena, oracle, dictionary,
					      lines[i].address + first_byte(&lines[i].users[j]));
		}
	}
}

static void gather_threads(struct diagnose_seen *seen, const struct oracle *oracle)
{
	uint64_t *sum = (uint64_t *)&seen->all;

	seen->thread_count = takt_oracle_thread_count(oracle);
	for (uint32_t i = 0; i < seen->thread_count; i++) {
		const uint64_t *counts = (const uint64_t *)takt_oracle_thread(oracle, i);

		for (size_t j = 0; j < sizeof(seen->all) / sizeof(*sum); j++)
			sum[j] += counts[j];
	}
}

static void gather_placements(struct diagnose_seen *seen, const struct oracle *oracle,
			      const struct trace_dictionary *dictionary)
{
	struct takt_arena *arena = &seen->arena;

	seen->placements = TAKT_NEW_ARRAY(arena, seen->thread_count, struct oracle_placement);
	seen->users = TAKT_NEW_ARRAY(arena, seen->thread_count, struct diagnose_source);
	seen->writers = TAKT_NEW_ARRAY(arena, seen->thread_count, struct diagnose_source);
	for (uint32_t i = 0; i < seen->thread_count; i++) {
		struct oracle_placement *placement = &seen->placements[i];

		*placement = takt_oracle_placement(oracle, i);
		seen->users[i] =
			source_of(arena, dictionary, dictionary->blocks[placement->user], 0);
		seen->writers[i] =
			source_of(arena, dictionary, dictionary->blocks[placement->writer], 0);
	}
}

static void gather_images(struct diagnose_seen *seen, const struct trace_dictionary *dictionary)
{
	seen->images = TAKT_NEW_ARRAY(&seen->arena, dictionary->file_count, struct diagnose_image);
	for (uint32_t i = 0; i < dictionary->count; i++) {
		const struct trace_block *block = dictionary->blocks[i];
		struct diagnose_image *image;

		if (!block->file || block->file >= dictionary->file_count)
			continue;
		image = &seen->images[block->file];
		if (image->path)
			continue;
		image->path = takt_arena_string(&seen->arena, dictionary->files[block->file].path);
		image->block_address = block->address;
		image->block_offset = block->file_offset;
	}
	seen->image_count = dictionary->file_count;
}

static void look(void *context, const struct oracle *oracle,
		 const struct trace_dictionary *dictionary)
{
	struct gathering *gathering = context;

	gather_threads(gathering->seen, oracle);
	gather_blocks(gathering, oracle, dictionary);
	gather_accesses(gathering->seen, oracle, dictionary);
	gather_lines(gathering->seen, oracle, dictionary);
	gather_placements(gathering->seen, oracle, dictionary);
	gather_images(gathering->seen, dictionary);
	gathering->seen->left_out = takt_oracle_left_out(oracle);
}

/* ---- cycles ---- */

static int compare_profile_blocks(const void *left, const void *right)
{
	const struct takt_trace_block *a = *(const struct takt_trace_block *const *)left;
	const struct takt_trace_block *b = *(const struct takt_trace_block *const *)right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->size_bytes > b->size_bytes) - (a->size_bytes < b->size_bytes);
}

/* Add the profile's cycles to blocks; both are in the order of addresses and sizes. */
static void add_cycles(struct diagnose_seen *seen, const struct takt_trace_profile *profile)
{
	const struct takt_trace_block **order =
		takt_xcalloc(profile->block_count + 1, sizeof(*order));
	uint32_t at = 0;

	for (uint32_t i = 0; i < profile->block_count; i++)
		order[i] = &profile->blocks[i];
	qsort(order, profile->block_count, sizeof(const struct takt_trace_block *),
	      compare_profile_blocks);
	for (uint32_t i = 0; i < seen->block_count; i++) {
		struct diagnose_block *block = &seen->blocks[i];
		uint64_t size = block->end - block->address;

		while (at < profile->block_count &&
		       (order[at]->address < block->address ||
			(order[at]->address == block->address && order[at]->size_bytes < size)))
			at++;
		if (at == profile->block_count || order[at]->address != block->address ||
		    order[at]->size_bytes != size)
			continue;
		block->cycles = order[at]->weight.cycles;
		memcpy(block->losses, order[at]->weight.losses, sizeof(block->losses));
		block->busy_ports = order[at]->weight.busy_ports;
		block->busy_port_cycles = order[at]->weight.busy_port_cycles;
		at++;
	}
	free(order);
}

/* ---- work, and waiting for others ---- */

static uint64_t float_operations(const struct oracle_counts *counts)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < ORACLE_WIDTHS; i++)
		sum += counts->fp32_ops[i] + counts->fp64_ops[i];
	return sum;
}

static void find_work(struct diagnose_seen *seen)
{
	bool floats = (double)seen->all.fp_insns >= FLOAT_SHARE * (double)seen->all.insns;

	seen->useful = TAKT_NEW_ARRAY(&seen->arena, seen->thread_count, uint64_t);
	seen->work = floats ? "floating-point operations" : "instructions that do not wait";
	seen->work_events = floats ? DIAGNOSE_FLOAT_EVENTS : "INSTRUCTIONS";
	for (uint32_t i = 0; i < seen->block_count; i++) {
		struct diagnose_block *block = &seen->blocks[i];
		uint64_t work = floats ? float_operations(&block->counts) : block->counts.insns;
		const struct diagnose_place *place = &seen->places[block->place];

		block->waits |= place->loop && place->counts.pauses > 0;
		if (block->waits) {
			seen->waiting_insns += block->runs * block->counts.insns;
			continue;
		}
		for (uint32_t j = 0; j < seen->thread_count && j < ORACLE_BLOCK_THREADS; j++)
			seen->useful[j] += block->runs_of[j] * work;
	}
}

/* ---- all of it ---- */

enum takt_status takt_diagnose_find_model(char *const *argv,
					  const struct takt_diagnose_options *options,
					  struct diagnose_seen *seen, struct takt_diag *diag)
{
	const char *path;
	enum takt_status status =
		takt_trace_guest_open(argv[0], &seen->arena, diag, &path, &seen->guest);

	if (status != TAKT_OK)
		return status;
	seen->model = options->model(options->context, seen->guest->name);
	return seen->model ? TAKT_OK : TAKT_UNAVAILABLE;
}

static const struct takt_model *give_model(void *context, const char *isa)
{
	const struct diagnose_seen *seen = context;

	(void)isa;
	return seen->model;
}

enum takt_status takt_diagnose_gather(char *const *argv, char *const *variables,
				      const struct takt_diagnose_options *options,
				      struct takt_diag *diag, struct diagnose_seen *seen,
				      struct takt_trace_totals **ret_totals)
{
	enum takt_status status;
	struct gathering gathering = {.seen = seen};
	const struct takt_trace_core core = {
		.model = give_model,
		.context = seen,
		.cache = true,
		.sample = options->sample,
		.seed = 1,
	};
	const struct takt_trace_options trace = {
		.core = &core,
		.profile = true,
		.signal = options->signal,
		.variables = variables,
	};
	struct emulate_options emulate = {
		.oracle = {.lines = true, .strides = true, .heap = true},
		.trace = &trace,
		.look = look,
		.context = &gathering,
	};

	gathering.isa = takt_model_isa(seen->model);
	emulate.oracle.model = seen->model;
	status = takt_emulate(argv, &emulate, diag, ret_totals);
	if (status != TAKT_OK)
		return status;
	seen->cycles = (*ret_totals)->all.cycles;
	memcpy(seen->losses, (*ret_totals)->all.losses, sizeof(seen->losses));
	seen->profile = (*ret_totals)->profile;
	add_cycles(seen, seen->profile);
	takt_diagnose_find_places(seen);
	find_work(seen);
	return TAKT_OK;
}
