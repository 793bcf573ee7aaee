/* SPDX-License-Identifier: MIT */
/* Emits a kernel as two nested loops, and counts what their parts do. */
#include <assert.h>
#include <string.h>

#include "validate/kernel.h"

static void count_flops(const struct kernel_effect *effect, struct oracle_counts *counts)
{
	uint64_t *ops = effect->single ? counts->fp32_ops : counts->fp64_ops;
	unsigned width = effect->lanes_bytes == 64   ? 3
			 : effect->lanes_bytes == 32 ? 2
			 : effect->lanes_bytes == 16 ? 1
						     : 0;

	ops[width] += effect->flops;
	counts->fp_insns += effect->flops != 0;
}

static void count(const struct kernel_effect *effect, struct oracle_counts *counts)
{
	counts->insns++;
	counts->loads += effect->loads;
	counts->load_bytes += (uint64_t)effect->loads * effect->bytes;
	counts->stores += effect->stores;
	counts->store_bytes += (uint64_t)effect->stores * effect->bytes;
	counts->nt_stores += effect->non_temporal ? effect->stores : 0;
	counts->nt_store_bytes +=
		effect->non_temporal ? (uint64_t)effect->stores * effect->bytes : 0;
	counts->branches += effect->branch || effect->conditional;
	counts->conditional += effect->conditional;
	counts->calls += effect->call;
	counts->atomics += effect->atomic;
	counts->pauses += effect->pause;
	counts->divides += effect->divide;
	counts->syscalls += effect->syscall;
	counts->futexes += effect->futex;
	counts->gathers += effect->gather;
	if (effect->flops)
		count_flops(effect, counts);
}

void takt_kernel_insn(struct kernel_code *code, const void *bytes, size_t size_bytes,
		      const struct kernel_effect *effect)
{
	static const struct kernel_effect nothing;

	if (size_bytes > sizeof(code->bytes) - code->size_bytes) {
		code->full = true;
		return;
	}
	memcpy(code->bytes + code->size_bytes, bytes, size_bytes);
	code->size_bytes += size_bytes;
	count(effect ? effect : &nothing, &code->counts[code->part]);
}

uint8_t takt_kernel_register(const struct kernel_request *request, uint8_t name, uint8_t copy)
{
	unsigned number = name * (unsigned)request->kernel->copies + copy;

	if (name == ONE)
		return 15;
	assert(number < 15);
	return (uint8_t)number;
}

const struct kernel_emitter *takt_kernel_emitter(enum kernel_isa isa)
{
	return isa == KERNEL_AARCH64 ? &takt_kernel_aarch64 : &takt_kernel_x86;
}

static void note_stream(const struct kernel_op *op, struct kernel_code *code)
{
	switch (op->kind) {
	case KERNEL_ATOMIC:
		code->writes[op->stream] = true; /* fall through */
	case KERNEL_LOAD:
	case KERNEL_LOAD_HALF:
	case KERNEL_CHASE:
		code->reads[op->stream] = true;
		break;
	case KERNEL_STORE:
	case KERNEL_STORE_INT:
		code->writes[op->stream] = true;
		break;
	case KERNEL_ADD:
	case KERNEL_MULTIPLY:
	case KERNEL_DIVIDE:
	case KERNEL_MADD:
	case KERNEL_PEAK:
	case KERNEL_INSERT:
	case KERNEL_ADD_HALF:
	case KERNEL_CHAIN:
	case KERNEL_PAUSE:
	case KERNEL_CALL:
	case KERNEL_SKIP:
	case KERNEL_SYSCALL:
	case KERNEL_FUTEX:
	case KERNEL_GATHER:
	case KERNEL_STRING:
		break;
	}
}

static void emit_trip(const struct kernel_request *request, struct kernel_code *code)
{
	const struct kernel *kernel = request->kernel;
	const struct kernel_emitter *emitter = takt_kernel_emitter(request->isa);
	uint32_t stride = kernel->by_line ? TAKT_LINE_BYTES : request->vector_bytes;

	for (size_t i = 0; i < kernel->op_count; i++)
		for (uint8_t copy = 0; copy < kernel->copies; copy++)
			emitter->op(request, &kernel->ops[i], copy, copy * stride, code);
}

void takt_kernel_emit(const struct kernel_request *request, struct kernel_code *code)
{
	const struct kernel *kernel = request->kernel;
	const struct kernel_emitter *emitter = takt_kernel_emitter(request->isa);
	size_t repeat, trip;

	code->isa = request->isa;
	code->non_temporal = request->non_temporal;
	code->trip_bytes =
		kernel->copies * (kernel->by_line ? TAKT_LINE_BYTES : request->vector_bytes);
	for (size_t i = 0; i < kernel->op_count; i++)
		note_stream(&kernel->ops[i], code);
	code->writes[2] = code->writes[2] || kernel->triangular;
	code->growth_bytes = kernel->triangular ? code->trip_bytes : 0;
	code->part = KERNEL_ONCE;
	emitter->begin(request, code);
	repeat = code->size_bytes;
	code->part = KERNEL_REPEATED;
	emitter->repeat(request, code);
	trip = code->size_bytes;
	code->part = KERNEL_TRIP;
	emit_trip(request, code);
	emitter->end_trip(code, trip);
	code->counts[KERNEL_TRIP].taken++;
	code->part = KERNEL_REPEATED;
	if (kernel->triangular)
		emitter->end_row(request, code);
	emitter->end_repeat(code, repeat);
	/*
	 * A repetition has two branches: the outer loop's is taken, and the inner loop's last
	 * one is not.
	 */
	code->part = KERNEL_ONCE;
	assert(!code->full);
}

void takt_kernel_emit_return(struct kernel_code *code)
{
	takt_kernel_emitter(code->isa)->leave(code);
}

void takt_kernel_expect(const struct kernel_code *code, uint64_t size_bytes, uint64_t repeats,
			struct oracle_counts *ret_counts)
{
	/* Trips in all repetitions, each of which may be longer than the one before. */
	uint64_t trips = (repeats * size_bytes + repeats * (repeats - 1) / 2 * code->growth_bytes) /
			 code->trip_bytes;
	const struct oracle_counts *repeated = &code->counts[KERNEL_REPEATED];
	const struct oracle_counts *trip = &code->counts[KERNEL_TRIP];

	memset(ret_counts, 0, sizeof(*ret_counts));
#define X(field, ...) ret_counts->field = repeats * repeated->field + trips * trip->field;
	ORACLE_EVENT_LIST(X)
#undef X
}
