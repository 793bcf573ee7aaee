/* SPDX-License-Identifier: MIT */
/* The record of one instruction or fused pair. */
#include <string.h>

#include "sim/block/block.h"

/* ---- flags ---------------------------------------------------------------------------- */

/* True if an access to rsp has one of the flags, which is part of what push and pop do, or not. */
static bool touches_rsp(const struct takt_insn *insn, unsigned flags, bool stack_engine)
{
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];

		if (access->location == TAKT_LOC_RSP && access->flags & flags &&
		    !(access->flags & TAKT_STACK_ENGINE) == !stack_engine)
			return true;
	}
	return false;
}

static bool syncs_rsp(const struct takt_core_params *params, const struct takt_insn *insn)
{
	for (unsigned a = 0; a < insn->access_count; a++)
		if (takt_access_syncs_rsp(params->stack_engine_addresses, insn, &insn->accesses[a]))
			return true;
	return false;
}

/* True for a pop whose encoding has the bits that otherwise announce an index byte. */
static bool pops_index_register(const struct takt_insn *insn)
{
	if (insn->rsp_delta <= 0 || !(insn->flags & TAKT_INSN_LOADS))
		return false;
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];

		if (access->slot == TAKT_SLOT_1 && access->flags & TAKT_WRITE &&
		    (access->location == TAKT_LOC_RSP || access->location == TAKT_LOC_RSP + 8))
			return true;
	}
	return false;
}

static uint32_t insn_flags(const struct takt_model *model, const struct takt_insn *insn,
			   const struct takt_timing *timing)
{
	const struct takt_core_params *params = takt_model_params(model);
	bool alone = params->branch_indirect_alone;
	bool pops_index = params->pop_index_complex && pops_index_register(insn);
	const struct {
		bool holds;
		uint32_t flag;
	} table[] = {
		{insn->flags & TAKT_INSN_BRANCH, SIM_INSN_BRANCH},
		{takt_model_may_fuse(model, insn), SIM_INSN_MAY_FUSE},
		{insn->flags & TAKT_INSN_LCP, SIM_INSN_LCP},
		{timing->flags & TAKT_TIMING_COMPLEX || pops_index, SIM_INSN_COMPLEX},
		{pops_index && params->pop_index_ends_group, SIM_INSN_ENDS_GROUP},
		{timing->ms > 0, SIM_INSN_MICROCODE},
		{touches_rsp(insn, TAKT_READ | TAKT_WRITE, true), SIM_INSN_RSP_IMPLICIT},
		/* An addition to rsp that is done at rename goes into the stack engine's offset. */
		{syncs_rsp(params, insn) && !takt_is_renamed_addition(params, insn),
		 SIM_INSN_RSP_EXPLICIT},
		{params->stack_engine_addresses && touches_rsp(insn, TAKT_WRITE, false),
		 SIM_INSN_RSP_SET},
		{takt_insn_writes_high8(insn), SIM_INSN_HIGH8_WRITE},
		{alone && insn->flags & TAKT_INSN_RETURN, SIM_INSN_TARGET_FIRST},
		{alone && insn->flags & (TAKT_INSN_RETURN | TAKT_INSN_INDIRECT),
		 SIM_INSN_TARGET_LAST},
		{takt_insn_has_wide_immediate(insn), SIM_INSN_EXTRA_SLOT},
		{timing->flags & TAKT_TIMING_ZERO, SIM_INSN_ZERO},
		{timing->flags & TAKT_TIMING_ELIM, SIM_INSN_MOVE},
		{insn->flags & TAKT_INSN_SERIALIZING, SIM_INSN_SERIALIZING},
		{timing->flags & TAKT_TIMING_ELIM && insn->flags & TAKT_INSN_VECTOR,
		 SIM_INSN_VECTOR_MOVE},
		{timing->flags & TAKT_TIMING_ELIM && insn->accesses[0].size_bytes == 8,
		 SIM_INSN_WIDE_MOVE},
	};
	uint32_t flags = 0;

	for (size_t i = 0; i < TAKT_COUNT_OF(table); i++)
		if (table[i].holds)
			flags |= table[i].flag;
	return flags;
}

/* ---- one instruction ------------------------------------------------------------------- */

static void set_decoding(const struct takt_core_params *params, struct sim_insn *made,
			 const struct takt_insn *insn, const struct takt_insn *second,
			 const struct takt_timing *timing)
{
	unsigned decoded = takt_timing_decoded_slots(timing);

	made->mite_slots = (uint8_t)(decoded < UINT8_MAX ? decoded : UINT8_MAX);
	made->microcode_slots = (uint16_t)takt_timing_microcode_slots(timing);
	made->constant_count = (uint8_t)(takt_cache_constants(params, insn) +
					 (second ? takt_cache_constants(params, second) : 0));
	made->issue_slots = timing->slots ? timing->slots : 1;
	if (insn->flags & TAKT_INSN_SERIALIZING)
		made->serial_cycles = (uint16_t)((timing->rthroughput_hundredths + 50u) / 100u);
	made->simple_decoders = timing->simple_decoders;
	made->first_length_bytes = insn->length_bytes;
	made->length_bytes = insn->length_bytes;
	made->opcode_offset_bytes = insn->opcode_offset_bytes;
	if (second) {
		made->length_bytes = (uint8_t)(insn->length_bytes + second->length_bytes);
		made->second_opcode_offset_bytes = second->opcode_offset_bytes;
	}
}

/* Return the ports of a move that rename could not eliminate: those of the row for one register. */
static uint32_t move_ports(const struct takt_model *model, const struct takt_insn *insn)
{
	struct takt_insn same = *insn;
	struct takt_timing_storage storage;
	struct takt_timing timing;

	same.flags |= TAKT_INSN_SAME;
	takt_model_timing(model, &same, &storage, &timing);
	return timing.uops_count ? timing.uops[0].ports
				 : takt_model_class_ports(model, TAKT_CLASS_INT);
}

/* Return a slot for every µop that takes a port. */
static uint16_t unfused_slots(const struct sim_insn *made, const struct sim_uops *uops)
{
	unsigned count = 0;

	for (unsigned i = 0; i < uops->count; i++)
		count += uops->uops[i].ports != 0;
	return (uint16_t)(count > made->issue_slots ? count : made->issue_slots);
}

/* Sort the sources by group. */
static void sort_sources(struct sim_flow *flow)
{
	for (unsigned end = 1; end < flow->source_count; end++) {
		struct sim_source source = flow->sources[end];
		unsigned at = end;

		for (; at && flow->sources[at - 1].group > source.group; at--)
			flow->sources[at] = flow->sources[at - 1];
		flow->sources[at] = source;
	}
}

/* Return the number of sources in groups below this one. */
static unsigned sources_below(const struct sim_flow *flow, unsigned group)
{
	unsigned count = 0;

	while (count < flow->source_count && flow->sources[count].group < group)
		count++;
	return count;
}

uint16_t sim_schedulers_of(const struct sim_program *program, uint32_t ports)
{
	unsigned mask = 0;

	for (uint32_t i = 0; i < program->scheduler_count; i++)
		if (program->schedulers[i].ports & ports)
			mask |= 1u << i;
	return (uint16_t)mask;
}

static enum sim_choice choice_of(const struct sim_program *program, const struct sim_uop *uop)
{
	uint32_t but_one = uop->ports & (uop->ports - 1), but_two = but_one & (but_one - 1);
	int32_t rule = program->params->port_choice;

	if (!uop->ports || uop->port_cycles != 1 || uop->unit_ports || program->in_order ||
	    uop->ports & (program->half_ports[0] | program->half_ports[1]))
		return SIM_CHOICE_OTHER;
	if (!rule)
		return SIM_CHOICE_LATE;
	if (uop->schedulers)
		return SIM_CHOICE_OTHER;
	if (!but_one)
		return SIM_CHOICE_ONE;
	if (!(uop->ports & ~program->memory_ports) && (!but_two || rule >= 10))
		return SIM_CHOICE_TURN;
	return SIM_CHOICE_RULE;
}

static void complete_uops(const struct sim_program *program, const struct sim_flow *flow,
			  bool branch, struct sim_uops *uops)
{
	for (unsigned i = 0; i < uops->count; i++) {
		struct sim_uop *uop = &uops->uops[i];
		unsigned group = uop->group, end = group + 1u;

		if (uop->kind != SIM_UOP_COMPUTE) {
			group = SIM_GROUP_ADDRESS + uop->memory;
			end = group + 1u;
		} else if (uop->group == SIM_GROUP_ALL) {
			group = 0;
			end = SIM_GROUP_ADDRESS;
		}
		uop->schedulers = sim_schedulers_of(program, uop->ports);
		uop->choice = (uint8_t)choice_of(program, uop);
		uop->branch = branch;
		uop->first_source = (uint16_t)sources_below(flow, group);
		uop->source_count = (uint8_t)(sources_below(flow, end) - uop->first_source);
	}
}

static bool writes_general(const struct sim_flow *flow)
{
	for (unsigned r = 0; r < flow->result_count; r++)
		if (flow->results[r].part < TAKT_LOC_VECTOR)
			return true;
	return false;
}

static uint8_t free_groups(const struct sim_flow *flow, const struct sim_uops *uops)
{
	unsigned groups = (1u << flow->group_count) - 1;

	for (unsigned i = 0; i < uops->count; i++)
		if (uops->uops[i].kind == SIM_UOP_COMPUTE && uops->uops[i].group < SIM_GROUPS_MAX)
			groups &= ~(1u << uops->uops[i].group);
	return (uint8_t)groups;
}

static bool is_branch(const struct takt_insn *second)
{
	return second && second->flags & TAKT_INSN_BRANCH;
}

/*
 * Return the timing of a jump, with a single port if the core has one for jumps backwards. Storage
 * is what the changed timing needs.
 */
static const struct takt_timing *jump_timing(const struct sim_program *program,
					     const struct takt_insn *jump,
					     const struct takt_timing *timing,
					     struct takt_timing *storage, struct takt_uops *uop)
{
	int32_t port = program->params->backward_jump_port;

	if (port < 0 || port >= (int32_t)TAKT_PORTS_MAX || timing->uops_count != 1 ||
	    !(timing->uops[0].ports >> port & 1) || !(jump->flags & TAKT_INSN_CONDITIONAL) ||
	    (int64_t)(jump->branch_target - jump->address) > 0)
		return timing;
	*uop = timing->uops[0];
	uop->ports = 1u << port;
	*storage = *timing;
	storage->uops = uop;
	return storage;
}

/*
 * Return the memory operands whose address goes to a port for addresses: those of loads, stores and
 * prefetches. An ALU computes the address of lea, and nobody computes that of a nop.
 */
static unsigned count_addresses(const struct sim_program *program, const struct sim_flow *flow,
				const struct sim_uops *uops)
{
	unsigned count = 0;

	for (unsigned m = 0; m < flow->memory_count; m++)
		count += flow->memories[m].load || flow->memories[m].store;
	if (!count && uops->count && uops->uops[0].ports & ~program->alu_ports)
		count = flow->memory_count;
	return count;
}

static void find_flow(const struct sim_program *program, const struct sim_record_source *source,
		      const struct takt_writers *names, struct sim_record *record)
{
	struct sim_insn *made = &record->insn;
	struct sim_uops *uops = &record->uops;
	struct sim_flow *flow = &record->flow;
	const struct takt_timing *timing = source->timing, *branch = NULL;
	struct takt_timing changed;
	struct takt_uops uop;
	uint32_t stores = 0;

	if (is_branch(source->second))
		branch =
			jump_timing(program, source->second, source->second_timing, &changed, &uop);
	else if (source->insn->flags & TAKT_INSN_BRANCH)
		timing = jump_timing(program, source->insn, timing, &changed, &uop);
	sim_uops_find(program->model, source->insn, timing, branch, uops);
	sim_flow_find(program->model, source->insn, source->timing, names, uops->compute_count,
		      flow);
	if (source->no_micro_fusion)
		made->issue_slots = unfused_slots(made, uops);
	sim_uops_arrange(uops, flow, made->issue_slots);
	sort_sources(flow);
	complete_uops(program, flow, made->flags & SIM_INSN_BRANCH, uops);
	made->uop_count = (uint16_t)uops->count;
	made->source_count = (uint8_t)flow->source_count;
	made->result_count = (uint8_t)flow->result_count;
	made->group_count = (uint8_t)flow->group_count;
	for (unsigned g = 0; g < flow->group_count; g++) {
		made->group_ends[g] = (uint8_t)sources_below(flow, g + 1);
		made->lead_cycles[g] = flow->lead_cycles[g];
		made->done_cycles[g] = flow->done_cycles[g];
	}
	made->free_groups = free_groups(flow, uops);
	for (unsigned m = 0; m < flow->memory_count; m++)
		if (flow->memories[m].store)
			flow->memories[m].store_index = stores++;
	made->memory_count = (uint8_t)flow->memory_count;
	made->store_count = (uint8_t)stores;
	made->address_count = (uint8_t)count_addresses(program, flow, uops);
}

/* Return the first computing µop of an instruction that has one at most; NULL: it has more. */
static const struct sim_uop *only_compute(const struct sim_record *record)
{
	const struct sim_uops *uops = &record->uops;

	return uops->compute_count == 1 && record->flow.result_count
		       ? &uops->uops[uops->count > 1 && uops->uops[0].kind == SIM_UOP_LOAD]
		       : NULL;
}

/* True for instructions for AES and GF(2^8) on the multipliers' ports. */
static bool is_crypto(const struct sim_program *program, const struct takt_insn *insn,
		      const struct sim_record *record)
{
	const struct sim_uop *uop = only_compute(record);

	return program->params->crypto_leave_cycles > 0 && insn->insn_class == TAKT_CLASS_CRYPTO &&
	       uop && uop->ports == takt_model_class_ports(program->model, TAKT_CLASS_FP_MUL);
}

/* True for the adders' own operations, which take as long as from one addition to the next. */
static bool is_addition(const struct sim_program *program, const struct takt_insn *insn,
			const struct sim_record *record)
{
	const struct sim_uop *uop = only_compute(record);

	return program->params->fp_add_forward_cycles && insn->insn_class == TAKT_CLASS_FP_ADD &&
	       uop && uop->ports == takt_model_class_ports(program->model, TAKT_CLASS_FP_ADD) &&
	       record->flow.results[0].latency_cycles[0] == program->params->fp_add_forward_cycles;
}

static enum sim_forwards forwards(const struct sim_program *program, const struct takt_insn *insn,
				  const struct sim_record *record)
{
	if (is_addition(program, insn, record))
		return SIM_FORWARDS_ADDITION;
	return is_crypto(program, insn, record) ? SIM_FORWARDS_CRYPTO : SIM_FORWARDS_NONE;
}

/* Return what cycles are charged to in which an instruction of the class executes. */
static enum sim_loss latency_loss(uint8_t insn_class)
{
	static const uint8_t losses[TAKT_CLASS_COUNT] = {
		[TAKT_CLASS_INT_MUL] = SIM_LOSS_MULTIPLY,  [TAKT_CLASS_INT_DIV] = SIM_LOSS_DIVIDE,
		[TAKT_CLASS_FP_DIV] = SIM_LOSS_DIVIDE,	   [TAKT_CLASS_VEC_INT] = SIM_LOSS_FLOAT,
		[TAKT_CLASS_VEC_SHUFFLE] = SIM_LOSS_FLOAT, [TAKT_CLASS_FP_ADD] = SIM_LOSS_FLOAT,
		[TAKT_CLASS_FP_MUL] = SIM_LOSS_FLOAT,	   [TAKT_CLASS_CONVERT] = SIM_LOSS_FLOAT,
		[TAKT_CLASS_MASK] = SIM_LOSS_FLOAT,	   [TAKT_CLASS_X87] = SIM_LOSS_FLOAT,
		[TAKT_CLASS_CRYPTO] = SIM_LOSS_FLOAT,	   [TAKT_CLASS_GATHER] = SIM_LOSS_LOAD,
	};

	return losses[insn_class] ? (enum sim_loss)losses[insn_class] : SIM_LOSS_INTEGER;
}

static bool computes_vector(const struct sim_record *record)
{
	const struct sim_flow *flow = &record->flow;

	return record->uops.compute_count && flow->result_count &&
	       takt_location_is_vector(flow->results[0].part);
}

/* True if rename need not do anything special for the instruction, unless it is a move. */
static bool is_simple(const struct sim_insn *insn, const struct sim_flow *flow)
{
	const uint32_t special = SIM_INSN_FORWARDS | SIM_INSN_SERIALIZING | SIM_INSN_HIGH8_WRITE;

	for (unsigned r = 0; r < flow->result_count; r++)
		if (flow->results[r].latency_cycles[0] == SIM_NO_LATENCY)
			return false;
	return !(insn->flags & special) && insn->issue_slots == 1 && insn->group_count == 1 &&
	       insn->mite_slots + insn->microcode_slots == 1;
}

static bool merges(const struct sim_flow *flow)
{
	for (unsigned s = 0; s < flow->source_count; s++)
		if (flow->sources[s].merges)
			return true;
	return false;
}

/* Return the part that the instruction copies; SIM_PART_COUNT if it copies more than one (xchg). */
static uint8_t copied_part(const struct sim_flow *flow)
{
	const struct sim_source *sources = flow->sources;

	if (!flow->source_count)
		return SIM_PART_COUNT;
	for (unsigned s = 1; s < flow->source_count; s++)
		if (sources[s].part != sources[0].part - TAKT_LOC_GPR + TAKT_LOC_HIGH8)
			return SIM_PART_COUNT;
	return sources[0].part;
}

/*
 * Make one instruction of a copy of a register and the operation on the copy: the operation, which
 * reads the other register instead.
 */
static void merge_move(const struct takt_insn *move, const struct takt_insn *operation,
		       struct takt_insn *ret_merged)
{
	const struct takt_access *to = &move->accesses[0], *from = &move->accesses[1];

	*ret_merged = *operation;
	for (unsigned i = 0; i < operation->access_count; i++) {
		struct takt_access *access = &ret_merged->accesses[i];
		uint8_t slot = access->slot;

		if (access->location != to->location)
			continue;
		if (!(access->flags & TAKT_WRITE)) {
			access->location = from->location;
			continue;
		}
		access->flags &= (uint8_t)~TAKT_READ;
		ret_merged->accesses[ret_merged->access_count] = *from;
		ret_merged->accesses[ret_merged->access_count++].slot = slot;
	}
}

/*
 * Make one instruction of a load and the operation on what it loads: the operation, whose first
 * operand is read from memory and written to the register.
 */
static void merge_load(const struct takt_insn *load, const struct takt_insn *operation,
		       struct takt_insn *ret_merged)
{
	struct takt_form form = takt_form_unpack(operation->form);

	*ret_merged = *operation;
	form.kinds[TAKT_SLOT_1] = load->memories[0].size_bytes == 8 ? TAKT_KIND_M64 : TAKT_KIND_M32;
	ret_merged->form = takt_form_pack(&form);
	ret_merged->flags |= TAKT_INSN_LOADS;
	ret_merged->memories[0] = load->memories[0];
	ret_merged->memories[0].slot = TAKT_SLOT_1;
	ret_merged->memory_count = 1;
	for (unsigned i = 0; i < operation->access_count; i++)
		if (ret_merged->accesses[i].location == load->accesses[0].location)
			ret_merged->accesses[i].flags &= (uint8_t)~TAKT_READ;
	for (unsigned i = 1; i < load->access_count; i++) {
		struct takt_access *access = &ret_merged->accesses[ret_merged->access_count++];

		*access = load->accesses[i];
		if (access->location == TAKT_LOC_NONE)
			access->slot = TAKT_SLOT_1;
	}
}

static void make(const struct sim_program *program, const struct sim_record_source *source,
		 const struct takt_writers *names, struct sim_record *ret_record)
{
	struct sim_insn *made = &ret_record->insn;
	bool simple;

	memset(made, 0, sizeof(*made));
	made->flags = insn_flags(program->model, source->insn, source->timing);
	made->latency_loss = (uint8_t)latency_loss(source->insn->insn_class);
	if (source->second)
		made->flags |= SIM_INSN_FUSED;
	if (is_branch(source->second))
		made->flags |= SIM_INSN_BRANCH;
	set_decoding(program->params, made, source->insn, source->second, source->timing);
	if (made->flags & SIM_INSN_MOVE)
		made->idle_ports = move_ports(program->model, source->insn);
	find_flow(program, source, names, ret_record);
	made->forwards = (uint8_t)forwards(program, source->insn, ret_record);
	if (made->forwards)
		made->flags |= SIM_INSN_FORWARDS;
	if (!made->uop_count && !made->idle_ports && writes_general(&ret_record->flow))
		made->idle_ports = program->alu_ports;
	if (computes_vector(ret_record))
		made->late_cycles =
			(uint8_t)program->params->store_forward_fail_older_vector_cycles;
	simple = is_simple(made, &ret_record->flow);
	made->plain = simple && !(made->flags & SIM_INSN_MOVE);
	made->copied = copied_part(&ret_record->flow);
	made->copies = simple && made->flags & SIM_INSN_MOVE && !made->uop_count &&
		       !made->memory_count && made->result_count &&
		       !(program->params->stack_engine_addresses && made->copied == TAKT_LOC_RSP);
	made->merges = merges(&ret_record->flow);
}

void sim_record_make(const struct sim_program *program, const struct sim_record_source *source,
		     const struct takt_writers *names, struct sim_record *ret_record)
{
	const struct takt_insn *second = source->second;
	struct sim_record_source merged = *source;
	struct takt_timing_storage storage;
	struct takt_insn operation;
	struct takt_timing timing;

	if (!second || second->flags & (TAKT_INSN_BRANCH | TAKT_INSN_NOP)) {
		make(program, source, names, ret_record);
		return;
	}
	merged.insn = &operation;
	merged.timing = source->second_timing;
	if (source->insn->flags & TAKT_INSN_LOADS) {
		merge_load(source->insn, second, &operation);
		takt_model_timing_loaded(program->model, &operation, &storage, &timing);
		merged.timing = &timing;
	} else {
		merge_move(source->insn, second, &operation);
	}
	operation.length_bytes = source->insn->length_bytes;
	operation.opcode_offset_bytes = source->insn->opcode_offset_bytes;
	operation.constant_count = source->insn->constant_count;
	operation.narrow_constant_count = source->insn->narrow_constant_count;
	make(program, &merged, names, ret_record);
}
