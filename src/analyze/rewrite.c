/* SPDX-License-Identifier: MIT */
/* Makes a changed block out of copies of a block, and simulates it. */
#include <assert.h>
#include <string.h>

#include "analyze/rewrite.h"

#define INSNS_MAX 2048u
#define X86_VECTORS 16u /* those that all encodings have */
#define X86_RBP (TAKT_LOC_GPR + 5)

/* The new block while it is made. */
struct draft {
	const struct takt_work *work;
	const struct takt_prepared *from;
	const struct takt_rewrite *rewrite;
	struct takt_arena *arena;
	struct takt_insn *insns;
	uint32_t count;
	uint32_t *places; /* new index of instruction i in copy c at c × count + i; UINT32_MAX: it
			   * was left out */
	bool *overhead;	  /* by instruction: only the last copy has it */
	bool used[TAKT_LOC_COUNT];
	uint8_t accumulators[TAKT_CHAINS_MAX][TAKT_LOC_COUNT];
	uint32_t turns[TAKT_CHAINS_MAX]; /* members of each chain so far */
	uint8_t rings[TAKT_KEPT_MAX][TAKT_KEPT_ITERATIONS_MAX + 1];
	uint32_t ring_sizes[TAKT_KEPT_MAX];
};

/* ---- overhead of loops ------------------------------------------------------------------ */

static bool writes_flags_only(const struct takt_insn *insn)
{
	bool writes = false;

	for (unsigned i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];

		if (!(access->flags & TAKT_WRITE))
			continue;
		if (access->location < TAKT_LOC_CF || access->location > TAKT_LOC_SZAP)
			return false;
		writes = true;
	}
	return writes && !insn->memory_count;
}

/* True if only addresses, comparisons and the counter itself use the register. */
static bool only_counts(const struct takt_block *block, uint32_t counter, uint8_t location)
{
	for (uint32_t i = 0; i < block->count; i++) {
		const struct takt_insn *insn = &block->insns[i];

		if (i == counter)
			continue;
		if (takt_insn_writes(insn, location) ||
		    (takt_insn_reads(insn, location) && !writes_flags_only(insn)))
			return false;
	}
	return true;
}

bool takt_insn_is_overhead(const struct takt_prepared *prepared, uint32_t index)
{
	const struct takt_block *block = &prepared->block;
	const struct takt_insn *insn = &block->insns[index];
	uint8_t location;
	int64_t addend;

	if (prepared->mode != TAKT_MODE_LOOP)
		return false;
	if (index + 1 == block->count || insn->flags & TAKT_INSN_NOP)
		return true;
	if (takt_insn_counts(insn, &location, &addend))
		return only_counts(block, index, location);
	/* Flags of the branch at the end; another user of flags would stand between. */
	if (!writes_flags_only(insn))
		return false;
	for (uint32_t i = index + 1; i + 1 < block->count; i++)
		if (takt_insn_reads(&block->insns[i], TAKT_LOC_CF) ||
		    takt_insn_reads(&block->insns[i], TAKT_LOC_SZAP))
			return false;
	return true;
}

/* Return the bytes that counters which are left out would have added to an address. */
static int64_t skipped_bytes(const struct draft *draft, uint8_t location, uint32_t copy,
			     uint32_t index)
{
	const struct takt_block *block = &draft->from->block;
	bool is_last = copy + 1 == draft->rewrite->copies;

	for (uint32_t i = 0; i < block->count; i++) {
		uint8_t counter;
		int64_t addend;

		if (draft->overhead[i] && takt_insn_counts(&block->insns[i], &counter, &addend) &&
		    counter == location)
			return addend * (copy + (i < index && !is_last));
	}
	return 0;
}

static uint8_t displacement_bytes(const struct takt_memory *memory)
{
	bool is_short = memory->displacement >= INT8_MIN && memory->displacement <= INT8_MAX;

	return !memory->displacement && memory->base != X86_RBP ? 0 : is_short ? 1 : 4;
}

static void move_addresses(const struct draft *draft, uint32_t copy, uint32_t index,
			   struct takt_insn *insn)
{
	for (unsigned m = 0; m < insn->memory_count; m++) {
		struct takt_memory *memory = &insn->memories[m];
		uint8_t before = displacement_bytes(memory);

		if (memory->base)
			memory->displacement += skipped_bytes(draft, memory->base, copy, index);
		if (memory->index)
			memory->displacement +=
				memory->scale * skipped_bytes(draft, memory->index, copy, index);
		if (insn->isa == &takt_isa_x86 && memory->slot < TAKT_FORM_OPERANDS_MAX)
			insn->length_bytes =
				(uint8_t)(insn->length_bytes + displacement_bytes(memory) - before);
	}
}

/* ---- registers ------------------------------------------------------------------------- */

static void find_used(struct draft *draft)
{
	const struct takt_block *block = &draft->from->block;

	for (uint32_t i = 0; i < block->count; i++)
		for (unsigned a = 0; a < block->insns[i].access_count; a++)
			draft->used[block->insns[i].accesses[a].location] = true;
}

/* Take a free register of the kind of `like`; TAKT_LOC_NONE if there is none. */
static uint8_t take_register(struct draft *draft, uint8_t like)
{
	bool is_x86 = draft->from->block.isa == &takt_isa_x86;
	bool is_vector = takt_location_is_vector(like);
	uint8_t first = is_vector ? TAKT_LOC_VECTOR : TAKT_LOC_GPR;
	/* Frame, link and stack pointer stay what they are. */
	uint8_t count = is_x86 ? X86_VECTORS : is_vector ? 32 : 29;

	for (uint8_t location = first; location < first + count; location++) {
		if (draft->used[location] ||
		    (is_x86 && (location == TAKT_LOC_RSP || location == X86_RBP)))
			continue;
		draft->used[location] = true;
		return location;
	}
	return TAKT_LOC_NONE;
}

static bool take_accumulators(struct draft *draft)
{
	const struct takt_rewrite *rewrite = draft->rewrite;

	for (uint32_t chain = 0; rewrite->accumulators > 1 && chain < rewrite->chain_count; chain++)
		for (uint32_t i = 0; i < rewrite->accumulators; i++) {
			uint8_t own = rewrite->chains[chain].location;
			uint8_t location = i ? take_register(draft, own) : own;

			if (!location)
				return false;
			draft->accumulators[chain][i] = location;
		}
	return true;
}

/* Take, for each value that is kept, the registers that hold it from its making to its last use. */
static bool take_rings(struct draft *draft)
{
	const struct takt_rewrite *rewrite = draft->rewrite;

	for (uint32_t k = 0; k < rewrite->kept_count; k++) {
		const struct takt_kept *kept = &rewrite->kept[k];
		const struct takt_insn *producer = &draft->from->block.insns[kept->producer];
		uint32_t size = kept->iterations + (kept->load > kept->producer);
		uint8_t like = TAKT_LOC_NONE;

		for (unsigned a = 0; a < producer->access_count; a++)
			if (producer->accesses[a].slot == kept->data_slot &&
			    producer->accesses[a].location)
				like = producer->accesses[a].location;
		/* An accumulator in memory is of the kind that the instruction works on. */
		if (kept->is_accumulator)
			like = producer->flags & TAKT_INSN_VECTOR ? TAKT_LOC_VECTOR : TAKT_LOC_GPR;
		size = kept->is_accumulator ? 1 : size;
		draft->ring_sizes[k] = size;
		for (uint32_t i = 0; i < size; i++)
			if (!(draft->rings[k][i] = take_register(draft, like)))
				return false;
	}
	return true;
}

static void rename_all(struct takt_insn *insn, uint8_t from, uint8_t to)
{
	for (unsigned a = 0; a < insn->access_count; a++)
		if (insn->accesses[a].location == from)
			insn->accesses[a].location = to;
}

static void rename_accumulators(struct draft *draft, uint32_t index, struct takt_insn *insn)
{
	const struct takt_rewrite *rewrite = draft->rewrite;

	for (uint32_t c = 0; rewrite->accumulators > 1 && c < rewrite->chain_count; c++) {
		const struct takt_chain *chain = &rewrite->chains[c];

		for (uint32_t i = 0; i < chain->def_count; i++)
			if (draft->work->graph.defs[chain->defs[i]].insn == index) {
				uint32_t turn = draft->turns[c]++ % rewrite->accumulators;

				rename_all(insn, chain->location, draft->accumulators[c][turn]);
				break;
			}
	}
}

/* ---- values kept in registers ------------------------------------------------------------ */

static uint8_t ring_register(const struct draft *draft, uint32_t k, uint32_t copy,
			     uint32_t iterations)
{
	uint32_t size = draft->ring_sizes[k];

	assert(size);
	return draft->rings[k][(copy + size * iterations - iterations) % size];
}

static void remove_access(struct takt_insn *insn, unsigned access)
{
	insn->access_count--;
	memmove(&insn->accesses[access], &insn->accesses[access + 1],
		(insn->access_count - access) * sizeof(insn->accesses[0]));
}

static uint8_t register_kind(const struct takt_insn *insn, uint8_t kind)
{
	bool is_vector = insn->flags & TAKT_INSN_VECTOR;

	switch (kind) {
	case TAKT_KIND_M8:
		return TAKT_KIND_R8;
	case TAKT_KIND_M16:
		return TAKT_KIND_R16;
	case TAKT_KIND_M32:
		return is_vector ? TAKT_KIND_XMM : TAKT_KIND_R32;
	case TAKT_KIND_M64:
		return is_vector ? TAKT_KIND_XMM : TAKT_KIND_R64;
	case TAKT_KIND_M128:
		return TAKT_KIND_XMM;
	case TAKT_KIND_M256:
		return TAKT_KIND_YMM;
	case TAKT_KIND_M512:
		return TAKT_KIND_ZMM;
	default:
		return kind;
	}
}

/* Replace the memory operand by a register. */
static void use_register(struct takt_insn *insn, uint8_t slot, uint8_t location)
{
	struct takt_form form = takt_form_unpack(insn->form);

	if (slot < TAKT_FORM_OPERANDS_MAX)
		form.kinds[slot] = register_kind(insn, form.kinds[slot]);
	insn->form = takt_form_pack(&form);
	for (unsigned a = insn->access_count; a--;) {
		struct takt_access *access = &insn->accesses[a];

		if (access->slot == slot && access->location == TAKT_LOC_NONE)
			access->location = location;
		else if (access->flags & TAKT_ADDRESS)
			remove_access(insn, a);
	}
	insn->memory_count = 0;
	insn->flags &= ~(uint32_t)(TAKT_INSN_LOADS | TAKT_INSN_STORES | TAKT_INSN_INDEXED);
}

/* Let the instruction also write the register: its result is there instead. */
static bool add_result(struct takt_insn *insn, uint8_t slot, uint8_t location)
{
	for (unsigned a = 0; a < insn->access_count; a++) {
		struct takt_access access = insn->accesses[a];

		if (access.slot != slot || !(access.flags & TAKT_WRITE))
			continue;
		if (insn->access_count == TAKT_ACCESSES_MAX)
			return false;
		access.location = location;
		access.flags = TAKT_WRITE;
		insn->accesses[insn->access_count++] = access;
		return true;
	}
	return false;
}

/* Return the register that a load which only copies would have written. */
static uint8_t loaded_register(const struct takt_insn *load)
{
	for (unsigned a = 0; a < load->access_count; a++)
		if (load->accesses[a].flags & TAKT_WRITE && load->accesses[a].location)
			return load->accesses[a].location;
	return TAKT_LOC_NONE;
}

/* Let what follows a load that is left out read the register that has the value. */
static void read_kept(const struct draft *draft, uint32_t k, uint32_t copy, uint32_t index,
		      struct takt_insn *insn)
{
	const struct takt_kept *kept = &draft->rewrite->kept[k];
	uint8_t old = loaded_register(&draft->from->block.insns[kept->load]);

	if (index <= kept->load)
		return;
	for (uint32_t i = kept->load + 1; i < index; i++)
		if (takt_insn_writes(&draft->from->block.insns[i], old))
			return;
	for (unsigned a = 0; a < insn->access_count; a++) {
		struct takt_access *access = &insn->accesses[a];

		if (access->location != old || !(access->flags & TAKT_READ))
			continue;
		if (access->flags & TAKT_WRITE && insn->access_count < TAKT_ACCESSES_MAX) {
			/* The value is changed in place: read the one, write the other. */
			insn->accesses[insn->access_count] = *access;
			access->flags = TAKT_WRITE;
			access = &insn->accesses[insn->access_count++];
			access->flags = TAKT_READ;
		}
		access->location = ring_register(draft, k, copy, kept->iterations);
	}
}

/* Apply the values that are kept to an instruction; *ret_left_out says that it is not needed. */
static bool keep_values(struct draft *draft, uint32_t copy, uint32_t index, struct takt_insn *insn,
			bool *ret_left_out)
{
	const struct takt_rewrite *rewrite = draft->rewrite;

	*ret_left_out = false;
	for (uint32_t k = 0; k < rewrite->kept_count; k++) {
		const struct takt_kept *kept = &rewrite->kept[k];

		if (kept->is_accumulator) {
			if (kept->load == index)
				use_register(insn, kept->value_slot, draft->rings[k][0]);
			continue;
		}
		if (kept->only_copies)
			read_kept(draft, k, copy, index, insn);
		if (kept->load == index && kept->only_copies)
			*ret_left_out = true;
		else if (kept->load == index)
			use_register(insn, kept->value_slot,
				     ring_register(draft, k, copy, kept->iterations));
		if (kept->store == index && kept->store_is_dropped)
			*ret_left_out = true;
		if (kept->producer == index &&
		    !add_result(insn, kept->data_slot, ring_register(draft, k, copy, 0)))
			return false;
	}
	return true;
}

/* ---- the block ---------------------------------------------------------------------------- */

static void use_form(const struct draft *draft, uint32_t index, struct takt_insn *insn)
{
	const struct takt_rewrite *rewrite = draft->rewrite;

	if (!rewrite->forms || !rewrite->forms[index])
		return;
	insn->form = rewrite->forms[index];
	if (!rewrite->widens)
		return;
	for (unsigned a = 0; a < insn->access_count; a++)
		if (takt_location_is_vector(insn->accesses[a].location) ||
		    (!insn->accesses[a].location && insn->memory_count))
			insn->accesses[a].size_bytes *= 2;
	for (unsigned m = 0; m < insn->memory_count; m++)
		insn->memories[m].size_bytes *= 2;
}

static bool add_copy(struct draft *draft, uint32_t copy)
{
	const struct takt_block *block = &draft->from->block;
	bool is_last = copy + 1 == draft->rewrite->copies;

	for (uint32_t i = 0; i < block->count; i++) {
		struct takt_insn *insn = &draft->insns[draft->count];
		bool left_out;

		draft->places[copy * block->count + i] = UINT32_MAX;
		if (draft->overhead[i] && !is_last)
			continue;
		*insn = block->insns[i];
		use_form(draft, i, insn);
		move_addresses(draft, copy, i, insn);
		rename_accumulators(draft, i, insn);
		if (!keep_values(draft, copy, i, insn, &left_out))
			return false;
		if (left_out)
			continue;
		draft->places[copy * block->count + i] = draft->count++;
	}
	return true;
}

static void set_addresses(struct draft *draft)
{
	uint64_t address = draft->from->block.insns[0].address, start = address;

	for (uint32_t i = 0; i < draft->count; i++) {
		draft->insns[i].address = address;
		address += draft->insns[i].length_bytes;
	}
	if (draft->from->mode == TAKT_MODE_LOOP)
		draft->insns[draft->count - 1].branch_target = start;
}

static bool is_kept(const struct takt_rewrite *rewrite, const struct takt_memory_edge *edge)
{
	for (uint32_t k = 0; k < rewrite->kept_count; k++)
		if (rewrite->kept[k].store == edge->store && rewrite->kept[k].load == edge->load)
			return true;
	return false;
}

/* Give each copy of a load its dependence on the copy of the store that it reads from. */
static void copy_edges(const struct draft *draft, struct takt_prepared *prepared)
{
	uint32_t copies = draft->rewrite->copies, count = draft->from->block.count;
	struct takt_memory_edge *edges = TAKT_NEW_ARRAY(
		draft->arena, (size_t)draft->from->edge_count * copies, struct takt_memory_edge);
	uint32_t edge_count = 0;

	for (uint32_t copy = 0; copy < copies; copy++)
		for (uint32_t i = 0; i < draft->from->edge_count; i++) {
			struct takt_memory_edge edge = draft->from->edges[i];
			uint32_t back = (edge.iterations + copies - 1 - copy) / copies;
			uint32_t of_copy = copy + back * copies - edge.iterations;

			edge.load = draft->places[copy * count + edge.load];
			edge.store = draft->places[of_copy * count + edge.store];
			edge.iterations = (uint16_t)back;
			if (edge.load != UINT32_MAX && edge.store != UINT32_MAX &&
			    !is_kept(draft->rewrite, &draft->from->edges[i]))
				edges[edge_count++] = edge;
		}
	prepared->edges = edges;
	prepared->edge_count = edge_count;
}

static bool make(struct draft *draft)
{
	const struct takt_block *block = &draft->from->block;
	uint32_t copies = draft->rewrite->copies;
	size_t count = (size_t)block->count * copies;

	if (count > INSNS_MAX)
		return false;
	draft->insns = TAKT_NEW_ARRAY(draft->arena, count, struct takt_insn);
	draft->places = TAKT_NEW_ARRAY(draft->arena, count, uint32_t);
	draft->overhead = TAKT_NEW_ARRAY(draft->arena, block->count, bool);
	for (uint32_t i = 0; i < block->count; i++)
		draft->overhead[i] = copies > 1 && takt_insn_is_overhead(draft->from, i);
	find_used(draft);
	if (!take_accumulators(draft) || !take_rings(draft))
		return false;
	for (uint32_t copy = 0; copy < copies; copy++)
		if (!add_copy(draft, copy))
			return false;
	if (!draft->count)
		return false;
	set_addresses(draft);
	return true;
}

bool takt_rewrite_simulate(const struct takt_work *work, const struct takt_rewrite *rewrite,
			   struct takt_arena *arena, double *ret_cycles)
{
	const struct sim_options options = {.alignment_bytes = work->record->alignment_bytes,
					    .iterations_max = work->options->iterations_max};
	struct takt_prepared prepared = work->prepared;
	struct draft *draft = TAKT_NEW(arena, struct draft);
	struct sim_summary summary;

	*draft = (struct draft){
		.work = work, .from = &work->prepared, .rewrite = rewrite, .arena = arena};
	if (!make(draft))
		return false;
	prepared.block.insns = draft->insns;
	prepared.block.count = draft->count;
	takt_prepared_run(&prepared, arena);
	copy_edges(draft, &prepared);
	takt_prepared_simulate(&prepared, &options, arena, &summary);
	*ret_cycles = summary.cycles / (rewrite->copies * (rewrite->widens ? 2.0 : 1.0));
	return true;
}
