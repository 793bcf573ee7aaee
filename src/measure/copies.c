/* SPDX-License-Identifier: MIT */
/* Emits the code of a measurer: chains and canaries once, then the runs of each block. */
#include <string.h>

#include "measure/measurer.h"

/* Offset from the base to which rip-relative operands point: unused memory within ±2 GiB. */
#define RIP_WINDOW 0x20000000u
#define RIP_WINDOW_MASK 0x0fffffffu

/* Length of an addition or multiplication of a chain, at most. */
#define CHAIN_INSN_BYTES 4u

static struct takt_emitter emitter_at(struct takt_measurer *measurer, size_t offset)
{
	return (struct takt_emitter){
		.data = measurer->child.view + TAKT_CHILD_CODE,
		.size_bytes = offset,
		.capacity_bytes = TAKT_CHILD_CODE_BYTES,
	};
}

static void begin_run(struct takt_measurer *measurer, struct takt_emitter *emitter,
		      const struct takt_host_state *state, enum takt_run run)
{
	takt_emit_align(emitter, 0);
	measurer->entries[run] = (uint32_t)emitter->size_bytes;
	takt_host_emit_enter(emitter, measurer->clock, state);
}

/*
 * Emit a run of a chain in a loop, in which the chain is as often as the host's straight code
 * allows (takt_host_straight). The loop's counter runs far ahead of the chain, so that the
 * loop costs no time.
 */
static void emit_chain(struct takt_measurer *measurer, struct takt_emitter *emitter,
		       const struct takt_host_state *state, enum takt_run run,
		       void (*emit)(struct takt_emitter *emitter, uint32_t count), uint32_t count)
{
	uint32_t trips = 1;
	size_t body;

	while (count / trips * CHAIN_INSN_BYTES > 2 * takt_host_straight().bytes)
		trips *= 2;
	begin_run(measurer, emitter, state, run);
	body = takt_emit_loop_begin(emitter, TAKT_HOST_COUNTER_LAST, trips * measurer->stretch, 0);
	emit(emitter, count / trips);
	takt_host_emit_loop_end(emitter, TAKT_HOST_COUNTER_LAST, body);
	takt_host_emit_leave(emitter, measurer->clock, state);
}

void takt_program_emit_fixed(struct takt_measurer *measurer)
{
	struct takt_emitter emitter = emitter_at(measurer, TAKT_CHILD_RUNNER_BYTES);
	struct takt_host_state plain = measurer->state;

	begin_run(measurer, &emitter, &plain, TAKT_RUN_DISPATCH_CANARY);
	measurer->dispatch_insns = takt_host_emit_dispatch_canary(&emitter, measurer->stretch);
	takt_host_emit_leave(&emitter, measurer->clock, &plain);
	emit_chain(measurer, &emitter, &plain, TAKT_RUN_CHAIN, takt_host_emit_add_chain,
		   TAKT_CHAIN_CYCLES);
	emit_chain(measurer, &emitter, &plain, TAKT_RUN_LONG_CHAIN, takt_host_emit_add_chain,
		   TAKT_LONG_CHAIN_CYCLES);
	emit_chain(measurer, &emitter, &plain, TAKT_RUN_PRODUCTS, takt_host_emit_product_chain,
		   TAKT_PRODUCTS);
	plain.vector_bytes = 16;
	begin_run(measurer, &emitter, &plain, TAKT_RUN_VECTOR_CANARY);
	measurer->vector_insns = takt_host_emit_vector_canary(&emitter, measurer->stretch);
	takt_host_emit_leave(&emitter, measurer->clock, &plain);
	measurer->fixed_size_bytes = emitter.size_bytes;
}

static struct takt_host_state state_for(const struct takt_measurer *measurer,
					const struct takt_subject *subject)
{
	struct takt_host_state state = measurer->state;

	/* Vectors are not set wider than the block uses them: their upper halves stay clean. */
	state.vector_bytes = subject->vector_bytes > 32	  ? 64
			     : subject->vector_bytes > 16 ? 32
			     : subject->vector_bytes > 0  ? 16
							  : 0;
	if (state.vector_bytes > state.vector_widest_bytes)
		state.vector_bytes = state.vector_widest_bytes;
	state.vector_count = subject->high_vectors && state.vector_widest_bytes == 64 ? 32 : 16;
	state.masks = subject->masks && takt_host_has("avx512bw_kop");
	state.x87_loaded = subject->x87_loaded;
	state.gs = subject->gs;
	for (uint32_t v = 0; v < TAKT_HOST_VECTOR_MAX; v++)
		if (!(state.vectors_set >> v & 1))
			state.vector[v] =
				takt_initial_vector(&measurer->options, subject->floats, v);
	return state;
}

uint64_t takt_program_rip_target(const struct takt_memory *memory)
{
	uint64_t alignment = memory->address_only || memory->size_bytes == 0 ? TAKT_LINE_BYTES : 1;

	while (alignment < memory->size_bytes && alignment < TAKT_LINE_BYTES)
		alignment *= 2;
	return RIP_WINDOW + ((uint64_t)memory->displacement & RIP_WINDOW_MASK & ~(alignment - 1));
}

/*
 * Patch rip-relative displacements so that every copy accesses the same address. That address is
 * aligned to the operand's size, since the block's original address, and so the operand's, is
 * unknown.
 */
static void patch_rip(struct takt_emitter *emitter, const struct takt_subject *subject, size_t at)
{
	size_t offset = at;

	for (uint32_t i = 0; i < subject->insn_count; i++) {
		const struct takt_insn *insn = &subject->insns[i];
		struct takt_insn_flow step;

		offset += insn->length_bytes;
		for (int m = 0; m < insn->memory_count; m++) {
			uint32_t displacement;

			if (!insn->memories[m].rip_relative ||
			    !takt_insn_flow_decode(&takt_isa_x86, insn->bytes, insn->length_bytes,
						   &step) ||
			    step.rip_index == 0)
				continue;
			displacement =
				(uint32_t)(takt_program_rip_target(&insn->memories[m]) - offset);
			memcpy(emitter->data + offset - insn->length_bytes + step.rip_index,
			       &displacement, sizeof(displacement));
		}
	}
}

static bool has_rip_operand(const struct takt_subject *subject)
{
	for (uint32_t i = 0; i < subject->insn_count; i++)
		for (int m = 0; m < subject->insns[i].memory_count; m++)
			if (subject->insns[i].memories[m].rip_relative)
				return true;
	return false;
}

static void emit_copies(struct takt_emitter *emitter, const struct takt_subject *subject,
			uint32_t count)
{
	bool has_rip = has_rip_operand(subject);

	for (uint32_t i = 0; i < count && !emitter->full; i++) {
		size_t at = emitter->size_bytes;

		takt_emit(emitter, subject->bytes, subject->size_bytes);
		if (has_rip && !emitter->full)
			patch_rip(emitter, subject, at);
	}
}

/* Emit the block's copies, or the loop around it, once. */
static void emit_once(struct takt_emitter *emitter, const struct takt_measurer *measurer,
		      const struct takt_subject *subject, uint32_t counter, uint32_t count)
{
	uint32_t alignment = measurer->options.alignment_bytes;
	size_t body;

	if (measurer->options.mode != TAKT_MODE_LOOP) {
		takt_emit_align(emitter, alignment);
		emit_copies(emitter, subject, count);
		return;
	}
	body = takt_emit_loop_begin(emitter, counter, count, alignment);
	emit_copies(emitter, subject, 1);
	takt_host_emit_loop_end(emitter, counter, body);
}

bool takt_program_emit_block(struct takt_measurer *measurer, const struct takt_subject *subject,
			     const uint32_t copies[2], const struct takt_loop_counters *counters)
{
	static const enum takt_run runs[] = {TAKT_RUN_BLOCK, TAKT_RUN_LONG_BLOCK};
	struct takt_emitter emitter = emitter_at(measurer, measurer->fixed_size_bytes);
	struct takt_host_state state = state_for(measurer, subject);
	bool passes = measurer->passes > 1;

	for (int i = 0; i < 2; i++) {
		size_t body = 0;

		begin_run(measurer, &emitter, &state, runs[i]);
		if (passes) {
			body = takt_emit_loop_begin(&emitter, counters->passes, measurer->passes,
						    0);
			takt_host_emit_pass(&emitter, &state, counters->passes);
		}
		emit_once(&emitter, measurer, subject, counters->trips, copies[i]);
		if (passes)
			takt_host_emit_loop_end(&emitter, counters->passes, body);
		takt_host_emit_leave(&emitter, measurer->clock, &state);
	}
	return !emitter.full;
}

uint32_t takt_program_emit_trace(struct takt_measurer *measurer, const struct takt_subject *subject)
{
	struct takt_emitter emitter = emitter_at(measurer, measurer->fixed_size_bytes);
	struct takt_host_state state = state_for(measurer, subject);
	uint32_t start;

	state.trace = true;
	begin_run(measurer, &emitter, &state, TAKT_RUN_TRACE);
	start = (uint32_t)emitter.size_bytes;
	emit_copies(&emitter, subject, 1);
	takt_host_emit_leave(&emitter, measurer->clock, &state);
	return start;
}
