/* SPDX-License-Identifier: MIT */
/*
 * Composes the timing of memory forms without a row: the register form, with the core's load
 * before it and its store after it. Loads micro-fuse (they have no slot of their own unless the
 * compose row says so); stores take a slot.
 */
#include <string.h>

#include "model/timing.h"

/* The memory access of an instruction, and the core's rows and latencies for it. */
struct access {
	const struct takt_image_timing *load, *store; /* NULL: no such access, or no such row */
	bool reads, writes;
	uint16_t load_latency;	  /* cycles from the address to the value */
	uint16_t forward_latency; /* cycles from a store that is forwarded to the value */
	uint8_t slot;		  /* operand slot of the value in memory, or NO_OPERAND */
};

#define NO_OPERAND TAKT_SLOT_COUNT
#define HELD_IMM0 4u

static const struct takt_memory *explicit_memory(const struct takt_insn *insn,
						 const struct takt_form *form)
{
	for (unsigned i = 0; i < insn->memory_count; i++) {
		const struct takt_memory *memory = &insn->memories[i];

		if (memory->slot <= TAKT_SLOT_5 && !memory->address_only &&
		    (form->is_foreign ||
		     takt_kind_is_memory((enum takt_operand_kind)form->kinds[memory->slot])))
			return memory;
	}
	return NULL;
}

static unsigned width_of(const struct takt_insn *insn, unsigned kind)
{
	if (kind == TAKT_KIND_M512)
		return TAKT_COMPOSE_ZMM;
	if (kind == TAKT_KIND_M256)
		return TAKT_COMPOSE_YMM;
	return insn->flags & (TAKT_INSN_VECTOR | TAKT_INSN_X87) ? TAKT_COMPOSE_VECTOR : 0;
}

static struct access describe_access(const struct takt_model *model, const struct takt_insn *insn,
				     const struct takt_memory *memory, unsigned kind)
{
	unsigned row = width_of(insn, kind) | (insn->flags & TAKT_INSN_INDEXED ? 1u : 0);
	struct access access = {.slot = NO_OPERAND};
	int forward = takt_core_forward_cycles(&model->params, insn) - TAKT_STORE_CYCLES;

	access.forward_latency = (uint16_t)(forward > 0 && forward < UINT16_MAX ? forward : 0);
	access.reads = memory ? memory->read : insn->flags & TAKT_INSN_LOADS;
	access.writes = memory ? memory->write : insn->flags & TAKT_INSN_STORES;
	if (memory)
		access.slot = memory->slot;
	else if (insn->memory_count && insn->memories[0].slot == TAKT_SLOT_STACK)
		access.slot = TAKT_SLOT_STACK;
	if (access.reads)
		access.load = model->compose[row];
	if (access.writes)
		access.store = model->compose[row | TAKT_COMPOSE_STORE];
	access.load_latency = (uint16_t)(width_of(insn, kind) ? model->params.load_latency_vector
							      : model->params.load_latency_int);
	if (access.load && access.load->latency_default != UINT16_MAX)
		access.load_latency = access.load->latency_default;
	return access;
}

/* ---- latencies ------------------------------------------------------------------ */

/* Return the memory form's latency from `source` to `destination`: the register form's + access. */
static uint32_t whole_latency(const struct takt_timing *base, const struct access *access,
			      uint8_t source, uint8_t destination)
{
	uint32_t cycles;

	if (source == TAKT_SLOT_ANY_ADDRESS)
		cycles =
			access->load_latency + takt_timing_latency(base, access->slot, destination);
	else
		cycles = takt_timing_latency(base, source, destination);
	if (access->reads && source == access->slot)
		cycles += access->forward_latency;
	if (access->writes && destination == access->slot)
		cycles += TAKT_STORE_CYCLES;
	return cycles < UINT16_MAX ? cycles : UINT16_MAX;
}

/* Add a pair unless earlier ones already imply it; callers go from less to more specific pairs. */
static void add_latency(const struct takt_timing *base, const struct access *access, uint8_t source,
			uint8_t destination, struct takt_timing_storage *storage,
			struct takt_timing *timing)
{
	uint32_t cycles = whole_latency(base, access, source, destination);
	uint8_t probe = source == TAKT_SLOT_ANY_ADDRESS ? TAKT_SLOT_BASE : source;

	if (timing->latency_count == TAKT_COUNT_OF(storage->latencies) ||
	    takt_timing_latency(timing, probe, destination) == cycles)
		return;
	storage->latencies[timing->latency_count++] =
		(struct takt_latency){source, destination, (uint16_t)cycles};
}

/* Add the pairs from `source` to every destination that the register form or the access names. */
static void add_latencies_from(const struct takt_timing *base, const struct access *access,
			       uint8_t source, struct takt_timing_storage *storage,
			       struct takt_timing *timing)
{
	add_latency(base, access, source, TAKT_SLOT_ANY, storage, timing);
	if (access->writes && access->slot != NO_OPERAND)
		add_latency(base, access, source, access->slot, storage, timing);
	for (unsigned i = 0; i < base->latency_count; i++)
		if (base->latencies[i].destination != TAKT_SLOT_ANY)
			add_latency(base, access, source, base->latencies[i].destination, storage,
				    timing);
}

static void add_latencies(const struct takt_timing *base, const struct access *access,
			  struct takt_timing_storage *storage, struct takt_timing *timing)
{
	add_latencies_from(base, access, TAKT_SLOT_ANY, storage, timing);
	if (access->reads && access->slot != NO_OPERAND) {
		add_latencies_from(base, access, TAKT_SLOT_ANY_ADDRESS, storage, timing);
		add_latencies_from(base, access, access->slot, storage, timing);
	}
	for (unsigned i = 0; i < base->latency_count; i++)
		if (base->latencies[i].source != TAKT_SLOT_ANY)
			add_latencies_from(base, access, base->latencies[i].source, storage,
					   timing);
}

/* ---- µops ----------------------------------------------------------------------- */

static void add_uops(const struct takt_model *model, const struct takt_image_timing *part,
		     struct takt_timing_storage *storage, struct takt_timing *timing)
{
	const struct takt_uops *uops;

	if (!part)
		return;
	uops = model->image.uops + part->uops_index;
	for (unsigned i = 0; i < part->uops_count; i++)
		if (timing->uops_count < TAKT_COUNT_OF(storage->uops))
			storage->uops[timing->uops_count++] = uops[i];
	timing->slots = (uint16_t)(timing->slots + part->slots);
	timing->mite = (uint16_t)(timing->mite + part->mite);
	timing->ms = (uint16_t)(timing->ms + part->ms);
	timing->uop_total = (uint16_t)(timing->uop_total + part->uop_total);
	timing->flags |= part->flags & TAKT_TIMING_COMPLEX;
	if (part->simple_decoders < timing->simple_decoders)
		timing->simple_decoders = part->simple_decoders;
}

/* Add the loads and stores of `access` to the timing `base`. */
static void combine(const struct takt_model *model, const struct takt_timing *base,
		    const struct access *access, struct takt_timing_storage *storage,
		    struct takt_timing *ret_timing)
{
	struct takt_timing timing = *base;

	if (!access->reads && !access->writes) {
		*ret_timing = *base;
		return;
	}
	if (base->uops_count > TAKT_COUNT_OF(storage->uops))
		timing.uops_count = TAKT_COUNT_OF(storage->uops);
	if (timing.uops_count)
		memcpy(storage->uops, base->uops, timing.uops_count * sizeof(*storage->uops));
	timing.uops = storage->uops;
	timing.latencies = storage->latencies;
	timing.latency_count = 0;
	timing.flags &= TAKT_TIMING_COMPLEX;
	timing.rthroughput_hundredths = 0;
	add_latencies(base, access, storage, &timing);
	add_uops(model, access->load, storage, &timing);
	add_uops(model, access->store, storage, &timing);
	if (timing.slots == 0)
		timing.slots = 1;
	if (timing.mite == 0 && timing.ms == 0)
		timing.mite = 1;
	*ret_timing = timing;
}

/* ---- the register form ------------------------------------------------------------- */

static bool has_kind(const struct takt_form *form, unsigned kind)
{
	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
		if (form->kinds[i] == kind)
			return true;
	return false;
}

static unsigned widest_vector(const struct takt_form *form)
{
	unsigned widest = TAKT_KIND_XMM;

	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
		if (form->kinds[i] > widest && form->kinds[i] <= TAKT_KIND_ZMM)
			widest = form->kinds[i];
	return widest;
}

static unsigned vector_of(const struct takt_form *form, unsigned memory)
{
	if (memory == TAKT_KIND_M512)
		return TAKT_KIND_ZMM;
	if (memory == TAKT_KIND_M256)
		return TAKT_KIND_YMM;
	return takt_kind_is_broadcast(memory) ? widest_vector(form) : TAKT_KIND_XMM;
}

static unsigned general_of(unsigned memory)
{
	switch (takt_kind_size_bytes((enum takt_operand_kind)memory)) {
	case 1:
		return TAKT_KIND_R8;
	case 2:
		return TAKT_KIND_R16;
	case 4:
		return TAKT_KIND_R32;
	case 8:
		return TAKT_KIND_R64;
	default:
		return TAKT_KIND_NONE;
	}
}

#define CANDIDATES_MAX 4

/* List the register kinds that may replace the memory operand, likeliest first. */
static unsigned list_candidates(const struct takt_insn *insn, const struct takt_form *form,
				unsigned memory, uint8_t *candidates)
{
	unsigned general = general_of(memory), count = 0;

	if (insn->flags & TAKT_INSN_X87)
		candidates[count++] = TAKT_KIND_ST;
	else if (!(insn->flags & TAKT_INSN_VECTOR))
		candidates[count++] = (uint8_t)general;
	else if (has_kind(form, TAKT_KIND_MM))
		candidates[count++] = TAKT_KIND_MM;
	else if (has_kind(form, TAKT_KIND_K) && general && widest_vector(form) == TAKT_KIND_XMM &&
		 !has_kind(form, TAKT_KIND_XMM))
		candidates[count++] = TAKT_KIND_K;
	else
		candidates[count++] = (uint8_t)vector_of(form, memory);
	/* Vector instructions such as cvtsi2sd and pinsr have a general register there. */
	if (insn->flags & TAKT_INSN_VECTOR && general) {
		candidates[count++] = (uint8_t)general;
		if (general == TAKT_KIND_R8 || general == TAKT_KIND_R16)
			candidates[count++] = TAKT_KIND_R32;
	}
	return count;
}

static const struct takt_image_timing *register_row(const struct takt_model *model,
						    const struct takt_insn *insn,
						    const struct takt_form *memory_form,
						    unsigned operand)
{
	unsigned held = insn->flags & TAKT_INSN_IMM0 ? HELD_IMM0 : 0;
	unsigned memory = memory_form->kinds[operand];
	const struct takt_image_timing *row = NULL;
	struct takt_form form = *memory_form;
	uint8_t candidates[CANDIDATES_MAX];
	unsigned count = list_candidates(insn, &form, memory, candidates);

	form.flags &= (uint16_t)~TAKT_FORM_LOCK;
	for (unsigned i = 0; i < count && !row; i++) {
		form.kinds[operand] = candidates[i];
		if (candidates[i])
			row = takt_model_find(model, takt_form_pack(&form), held);
	}
	return row;
}

/* True for a move from or to memory, which is a bare load or store: nothing else is executed. */
static bool is_plain_move(const struct takt_insn *insn, const struct takt_form *form,
			  const struct takt_memory *memory)
{
	return insn->insn_class == TAKT_CLASS_MOVE && memory->read != memory->write &&
	       !(form->flags & TAKT_FORM_K);
}

bool takt_compose_form(const struct takt_model *model, const struct takt_insn *insn,
		       struct takt_timing_storage *storage, struct takt_timing *ret_timing)
{
	struct takt_form form = takt_form_unpack(insn->form);
	const struct takt_memory *memory = explicit_memory(insn, &form);
	const struct takt_image_timing *row = NULL;
	struct takt_timing base = {.simple_decoders = UINT8_MAX};
	struct access access;

	if (!memory || form.is_foreign)
		return false;
	access = describe_access(model, insn, memory, form.kinds[memory->slot]);
	if (!access.load && !access.store)
		return false;
	if (!is_plain_move(insn, &form, memory)) {
		row = register_row(model, insn, &form, memory->slot);
		if (!row)
			return false;
	}
	/* The memory form of a register move that is eliminated is a bare access too. */
	if (row && !(row->flags & (TAKT_TIMING_ELIM | TAKT_TIMING_ZERO))) {
		takt_timing_from_image(&model->image, row, TAKT_MATCH_COMPOSED, &base);
	} else {
		const struct takt_image_timing *part = access.load ? access.load : access.store;

		base.source = part->source;
	}
	base.origin = TAKT_ORIGIN_INFERRED;
	base.match = TAKT_MATCH_COMPOSED;
	combine(model, &base, &access, storage, ret_timing);
	return true;
}

/* ---- defaults ------------------------------------------------------------------------ */

/* True if the default row of the class includes its loads and stores. */
static bool default_has_memory(unsigned insn_class)
{
	return insn_class == TAKT_CLASS_GATHER || insn_class == TAKT_CLASS_STRING ||
	       insn_class == TAKT_CLASS_SYSTEM || insn_class == TAKT_CLASS_NOP;
}

void takt_compose_default(const struct takt_model *model, const struct takt_insn *insn,
			  struct takt_timing_storage *storage, struct takt_timing *ret_timing)
{
	struct takt_form form = takt_form_unpack(insn->form);
	const struct takt_memory *memory = explicit_memory(insn, &form);
	unsigned kind = memory ? form.kinds[memory->slot] : TAKT_KIND_NONE;
	struct access access = {.slot = NO_OPERAND};
	const struct takt_image_timing *row = NULL;
	/* One slot and one cycle, for a core that has no default row. */
	struct takt_timing base = {.latency_default = 1,
				   .slots = 1,
				   .mite = 1,
				   .uop_total = 1,
				   .simple_decoders = UINT8_MAX};

	if (insn->insn_class < TAKT_CLASS_COUNT)
		row = takt_image_timing_at(&model->image, model->core->defaults[insn->insn_class]);
	if (!row)
		row = takt_image_timing_at(&model->image, model->core->defaults[TAKT_CLASS_INT]);
	if (row)
		takt_timing_from_image(&model->image, row, TAKT_MATCH_DEFAULT, &base);
	base.origin = TAKT_ORIGIN_ESTIMATED;
	base.match = TAKT_MATCH_DEFAULT;
	if (!default_has_memory(insn->insn_class))
		access = describe_access(model, insn, memory, kind);
	combine(model, &base, &access, storage, ret_timing);
}
