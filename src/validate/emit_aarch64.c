/* SPDX-License-Identifier: MIT */
/*
 * Emitter for AArch64. x0 to x3 are streams A to D and advance with each trip (there is no address
 * of base, index and offset), x4 is the size, x5 the repetitions, x6 the index; x10 to x13 are the
 * starts of the streams, x9 is the pointer that is chased, x16 the return address.
 */
#include "validate/kernel.h"

enum { X_SIZE = 4, X_REPEATS, X_INDEX, X_FREE, X_NUMBER, X_CHASED, X_STARTS, X_RETURN = 16 };

static void emit(struct kernel_code *code, uint32_t word, const struct kernel_effect *effect)
{
	const uint8_t bytes[] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
				 (uint8_t)(word >> 24)};

	takt_kernel_insn(code, bytes, sizeof(bytes), effect);
}

static void emit_move(struct kernel_code *code, uint32_t to, uint32_t from)
{
	emit(code, 0xaa0003e0u | from << 16 | to, NULL);
}

static void emit_add(struct kernel_code *code, uint32_t to, uint32_t from, uint32_t number)
{
	emit(code, 0x91000000u | number << 10 | from << 5 | to, NULL);
}

static void set_register(struct kernel_code *code, uint32_t reg, uint64_t value)
{
	emit(code, 0xd2800000u | (uint32_t)(value & 0xffff) << 5 | reg, NULL);
	for (uint32_t i = 1; i < 4; i++)
		if (value >> 16 * i & 0xffff)
			emit(code,
			     0xf2800000u | i << 21 | (uint32_t)(value >> 16 * i & 0xffff) << 5 |
				     reg,
			     NULL);
}

/* Return the number of a vector register; v8 to v15 belong to the caller. */
static uint32_t vector(const struct kernel_request *request, uint8_t name, uint8_t copy)
{
	uint32_t number = takt_kernel_register(request, name, copy);

	return number < 8 ? number : number + 8;
}

static void begin(const struct kernel_request *request, struct kernel_code *code)
{
	static const uint64_t ones[] = {0x3ff0000000000000u, 0x3f8000003f800000u};

	emit_move(code, X_RETURN, 30);
	for (uint32_t i = 0; i < KERNEL_STREAMS_MAX; i++)
		if (code->reads[i] || code->writes[i])
			emit_move(code, X_STARTS + i, i);
	emit_move(code, X_CHASED, 0);
	set_register(code, X_FREE, ones[request->single]);
	for (uint32_t i = 0; i < 24; i++)
		if (i < 8 || i >= 16) /* dup v.2d, x7 */
			emit(code, 0x4e080c00u | X_FREE << 5 | i, NULL);
}

static void repeat(const struct kernel_request *request, struct kernel_code *code)
{
	(void)request;
	set_register(code, X_INDEX, 0);
	for (uint32_t i = 0; i < KERNEL_STREAMS_MAX; i++)
		if (code->reads[i] || code->writes[i])
			emit_move(code, i, X_STARTS + i);
}

static void emit_memory(const struct kernel_request *request, bool store, uint32_t reg,
			uint32_t stream, uint32_t offset, struct kernel_code *code)
{
	uint32_t bytes = request->vector_bytes;
	uint32_t opcode = bytes == 16 ? 0x3d800000u : bytes == 8 ? 0xfd000000u : 0xbd000000u;
	const struct kernel_effect effect = {
		.loads = !store, .stores = store, .bytes = (uint8_t)bytes};

	emit(code, opcode | (store ? 0 : 0x400000u) | offset / bytes << 10 | stream << 5 | reg,
	     &effect);
}

struct arithmetic {
	uint32_t vector, scalar; /* opcodes of the vector and scalar instructions, for doubles */
	bool divides;
};

static const struct arithmetic additions = {0x4e60d400, 0x1e602800, false};
static const struct arithmetic multiplications = {0x6e60dc00, 0x1e600800, false};
static const struct arithmetic divisions = {0x6e60fc00, 0x1e601800, true};

static void emit_arithmetic(const struct kernel_request *request, const struct arithmetic *how,
			    const uint32_t registers[3], struct kernel_code *code)
{
	bool scalar = request->vector_bytes <= 8;
	uint32_t opcode = (scalar ? how->scalar : how->vector) & ~(request->single ? 0x400000u : 0);
	const struct kernel_effect effect = {
		.flops = scalar		   ? 1
			 : request->single ? 4
					   : 2,
		.lanes_bytes = scalar ? 0 : 16,
		.single = request->single,
		.divide = how->divides,
	};

	emit(code, opcode | registers[2] << 16 | registers[1] << 5 | registers[0], &effect);
}

/* Emit to += left * right: fmla, or fmadd. */
static void emit_fma(const struct kernel_request *request, const uint32_t registers[3],
		     struct kernel_code *code)
{
	bool scalar = request->vector_bytes <= 8;
	uint32_t opcode = scalar ? 0x1f400000u | registers[0] << 10 : 0x4e60cc00u;
	const struct kernel_effect effect = {
		.flops = scalar		   ? 2
			 : request->single ? 8
					   : 4,
		.lanes_bytes = scalar ? 0 : 16,
		.single = request->single,
	};

	emit(code,
	     (opcode & ~(request->single ? 0x400000u : 0)) | registers[2] << 16 |
		     registers[1] << 5 | registers[0],
	     &effect);
}

static void emit_madd(const struct kernel_request *request, uint32_t to, uint32_t left,
		      uint32_t right, struct kernel_code *code)
{
	if (request->fma) {
		emit_fma(request, (const uint32_t[]){to, left, right}, code);
		return;
	}
	emit_arithmetic(request, &multiplications, (const uint32_t[]){left, left, right}, code);
	emit_arithmetic(request, &additions, (const uint32_t[]){to, to, left}, code);
}

static void emit_peak(const struct kernel_request *request, uint32_t to, uint32_t left,
		      uint32_t one, struct kernel_code *code)
{
	if (request->fma) {
		emit_fma(request, (const uint32_t[]){to, one, one}, code);
		emit_fma(request, (const uint32_t[]){left, one, one}, code);
		return;
	}
	emit_arithmetic(request, &additions, (const uint32_t[]){to, to, one}, code);
	emit_arithmetic(request, &multiplications, (const uint32_t[]){left, left, one}, code);
}

/* Emit a branch to `target` on a condition. */
static void emit_branch(struct kernel_code *code, uint32_t condition, size_t target)
{
	const struct kernel_effect effect = {.conditional = true};
	int64_t words = ((int64_t)target - (int64_t)code->size_bytes) / 4;

	emit(code, 0x54000000u | ((uint32_t)words & 0x7ffff) << 5 | condition, &effect);
}

#define SUPERVISOR_CALL 0xd4000001u
#define SYSCALL_FUTEX 98u
#define SYSCALL_GETPPID 173u

static void emit_system_call(bool futex, struct kernel_code *code)
{
	const struct kernel_effect effect = {.syscall = true, .futex = futex};

	if (futex) {
		emit_move(code, 0, X_STARTS);
		set_register(code, 1, 1); /* FUTEX_WAKE */
		set_register(code, 2, 0);
	}
	set_register(code, X_NUMBER, futex ? SYSCALL_FUTEX : SYSCALL_GETPPID);
	emit(code, SUPERVISOR_CALL, &effect);
}

static void emit_plain(const struct kernel_op *op, uint32_t offset, struct kernel_code *code)
{
	const struct kernel_effect store = {.stores = 1, .bytes = 8};
	const struct kernel_effect load = {.loads = 1, .bytes = 8};
	const struct kernel_effect both = {.loads = 1, .stores = 1, .bytes = 8, .atomic = true};
	const struct kernel_effect pause = {.pause = true};
	const struct kernel_effect jump = {.branch = true};
	const struct kernel_effect call = {.branch = true, .call = true};

	if (op->kind == KERNEL_CHASE) {
		emit(code, 0xf9400000u | X_CHASED << 5 | X_CHASED, &load);
	} else if (op->kind == KERNEL_STORE_INT) {
		emit(code, 0xf9000000u | offset / 8 << 10 | (uint32_t)op->stream << 5 | X_FREE,
		     &store);
	} else if (op->kind == KERNEL_CHAIN) {
		emit(code, 0x8b000000u | X_FREE << 16 | X_FREE << 5 | X_FREE, NULL);
	} else if (op->kind == KERNEL_ATOMIC) {
		emit_add(code, X_NUMBER, op->stream, offset);
		emit(code, 0xf8200000u | X_FREE << 16 | X_NUMBER << 5 | 15, &both); /* ldadd */
	} else if (op->kind == KERNEL_PAUSE) {
		emit(code, 0xd503203fu, &pause); /* yield */
	} else if (op->kind == KERNEL_CALL) {
		emit(code, 0x94000002u, &call); /* bl to the ret below, which returns to b */
		emit(code, 0x14000002u, &jump);
		emit(code, 0xd65f03c0u, &jump);
	} else if (op->kind == KERNEL_SYSCALL || op->kind == KERNEL_FUTEX) {
		emit_system_call(op->kind == KERNEL_FUTEX, code);
	} else {
		emit(code, 0xeb00001fu | X_INDEX << 16 | X_INDEX << 5, NULL); /* cmp */
		emit_branch(code, 1, code->size_bytes + 4);
	}
}

static void op(const struct kernel_request *request, const struct kernel_op *operation,
	       uint8_t copy, uint32_t offset, struct kernel_code *code)
{
	uint32_t to, left, right;

	if (operation->kind >= KERNEL_CHASE) {
		emit_plain(operation, offset, code);
		return;
	}
	to = vector(request, operation->to, copy);
	left = vector(request, operation->left, copy);
	right = vector(request, operation->right, copy);
	if (operation->kind == KERNEL_LOAD)
		emit_memory(request, false, to, operation->stream, offset, code);
	else if (operation->kind == KERNEL_STORE)
		emit_memory(request, true, left, operation->stream, offset, code);
	else if (operation->kind == KERNEL_ADD)
		emit_arithmetic(request, &additions, (const uint32_t[]){to, left, right}, code);
	else if (operation->kind == KERNEL_MULTIPLY)
		emit_arithmetic(request, &multiplications, (const uint32_t[]){to, left, right},
				code);
	else if (operation->kind == KERNEL_DIVIDE)
		emit_arithmetic(request, &divisions, (const uint32_t[]){to, left, right}, code);
	else if (operation->kind == KERNEL_MADD)
		emit_madd(request, to, left, right, code);
	else if (operation->kind == KERNEL_PEAK)
		emit_peak(request, to, left, right, code);
}

static void end_trip(struct kernel_code *code, size_t trip_start)
{
	for (uint32_t i = 0; i < KERNEL_STREAMS_MAX; i++)
		if (code->reads[i] || code->writes[i])
			emit_add(code, i, i, code->trip_bytes);
	emit_add(code, X_INDEX, X_INDEX, code->trip_bytes);
	emit(code, 0xeb00001fu | X_SIZE << 16 | X_INDEX << 5, NULL); /* cmp x6, x4 */
	emit_branch(code, 3, trip_start);			     /* b.lo */
}

/* Advance the starts of A and C. */
static void end_row(const struct kernel_request *request, struct kernel_code *code)
{
	const struct kernel_effect store = {.stores = 1, .bytes = 8};
	uint32_t sum = vector(request, T2, 0);

	emit(code, 0xfd000000u | (X_STARTS + 2) << 5 | sum, &store);
	emit(code, 0x8b000000u | X_SIZE << 16 | X_STARTS << 5 | X_STARTS, NULL);
	emit_add(code, X_STARTS + 2, X_STARTS + 2, 8);
	emit_add(code, X_SIZE, X_SIZE, code->growth_bytes);
}

static void end_repeat(struct kernel_code *code, size_t repeat_start)
{
	emit(code, 0xf1000400u | X_REPEATS << 5 | X_REPEATS, NULL); /* subs x5, x5, 1 */
	emit_branch(code, 1, repeat_start);
}

static void leave(struct kernel_code *code)
{
	emit_move(code, 30, X_RETURN);
	emit(code, 0xd65f03c0u, NULL);
}

static void set_argument(struct kernel_code *code, uint32_t argument, uint64_t value)
{
	set_register(code, argument, value);
}

#define CLONE_FLAGS 0x50f00u /* VM, FS, FILES, SIGHAND, THREAD, SYSVSEM */
#define SYSCALL_CLONE 220u
#define SYSCALL_EXIT 93u

static void clone_thread(struct kernel_code *code, uint64_t stack, uint32_t skip_bytes)
{
	const struct kernel_effect effect = {.conditional = true};

	set_register(code, 0, CLONE_FLAGS);
	set_register(code, 1, stack);
	for (uint32_t i = 2; i < 5; i++)
		set_register(code, i, 0);
	set_register(code, 8, SYSCALL_CLONE);
	emit(code, SUPERVISOR_CALL, NULL);
	emit(code, 0xb5000000u | (skip_bytes / 4 + 1) << 5, &effect); /* cbnz x0 */
}

static void exit_thread(struct kernel_code *code)
{
	set_register(code, 0, 0);
	set_register(code, 8, SYSCALL_EXIT);
	emit(code, SUPERVISOR_CALL, NULL);
}

const struct kernel_emitter takt_kernel_aarch64 = {
	.begin = begin,
	.repeat = repeat,
	.op = op,
	.end_trip = end_trip,
	.end_row = end_row,
	.end_repeat = end_repeat,
	.leave = leave,
	.set_argument = set_argument,
	.clone = clone_thread,
	.exit_thread = exit_thread,
};
