/* SPDX-License-Identifier: MIT */
/*
 * Emitter for x86-64. The registers are those in which the System V ABI passes arguments: rdi, rsi,
 * rdx and rcx are streams A to D, r8 is the size, r9 the repetitions; rax is the index in bytes,
 * and r10 and r11 are free.
 */
#include <string.h>

#include "validate/kernel.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 };
enum prefix { P_NONE, P_66, P_F3, P_F2 }; /* with the numbers that VEX gives them */
enum map { MAP_0F = 1, MAP_0F38, MAP_0F3A };

static const uint8_t bases[KERNEL_STREAMS_MAX] = {RDI, RSI, RDX, RCX};

struct insn {
	uint8_t bytes[16];
	size_t size;
};

static void add(struct insn *insn, unsigned byte)
{
	insn->bytes[insn->size++] = (uint8_t)byte;
}

static void add_number(struct insn *insn, uint64_t number, size_t size)
{
	memcpy(insn->bytes + insn->size, &number, size); /* little-endian, like the host */
	insn->size += size;
}

static void done(struct kernel_code *code, const struct insn *insn,
		 const struct kernel_effect *effect)
{
	takt_kernel_insn(code, insn->bytes, insn->size, effect);
}

/* ---- vectors ---- */

/* The last operand of an instruction: a register, or [stream + rax + offset]. */
struct operand {
	bool memory;
	uint8_t number; /* number of the register or the stream */
	uint32_t offset;
};

struct vector_insn {
	enum map map;
	enum prefix prefix;
	uint8_t opcode;
	bool wide;	     /* VEX.W, REX.W */
	uint8_t reg, second; /* ModRM.reg, VEX.vvvv */
	struct operand last;
	int immediate; /* -1: none */
};

static void add_mod_rm(struct insn *insn, const struct vector_insn *v)
{
	unsigned reg = (v->reg & 7u) << 3;

	if (!v->last.memory) {
		add(insn, 0xc0 | reg | (v->last.number & 7u));
	} else {
		add(insn, 0x84 | reg); /* SIB and 32 bits of offset */
		add(insn, RAX << 3 | bases[v->last.number]);
		add_number(insn, v->last.offset, 4);
	}
	if (v->immediate >= 0)
		add(insn, (unsigned)v->immediate);
}

static void add_legacy(struct insn *insn, const struct vector_insn *v)
{
	static const uint8_t prefixes[] = {0, 0x66, 0xf3, 0xf2};
	unsigned high = !v->last.memory && v->last.number >= 8;
	unsigned rex = (unsigned)v->wide << 3 | (v->reg >= 8 ? 4u : 0u) | high;

	if (v->prefix)
		add(insn, prefixes[v->prefix]);
	if (rex)
		add(insn, 0x40 | rex);
	add(insn, 0x0f);
	add(insn, v->opcode);
	add_mod_rm(insn, v);
}

static void add_vex(struct insn *insn, const struct vector_insn *v, uint8_t bytes)
{
	unsigned high = !v->last.memory && v->last.number >= 8;

	add(insn, 0xc4);
	add(insn, (v->reg >= 8 ? 0u : 0x80u) | 0x40u | (high ? 0u : 0x20u) | v->map);
	add(insn, (unsigned)v->wide << 7 | (~(unsigned)v->second & 15u) << 3 |
			  (bytes == 32 ? 4u : 0u) | v->prefix);
	add(insn, v->opcode);
	add_mod_rm(insn, v);
}

/* Add an EVEX prefix for unmasked registers 0 to 15. */
static void add_evex(struct insn *insn, const struct vector_insn *v, uint8_t bytes)
{
	unsigned high = !v->last.memory && v->last.number >= 8;
	unsigned length = bytes == 64 ? 2 : bytes == 32 ? 1 : 0;

	add(insn, 0x62);
	add(insn, (v->reg >= 8 ? 0u : 0x80u) | 0x40u | (high ? 0u : 0x20u) | 0x10u | v->map);
	add(insn, (unsigned)v->wide << 7 | (~(unsigned)v->second & 15u) << 3 | 4u | v->prefix);
	add(insn, length << 5 | 8u);
	add(insn, v->opcode);
	add_mod_rm(insn, v);
}

static void emit(struct kernel_code *code, enum kernel_encoding encoding, uint8_t bytes,
		 const struct vector_insn *v, const struct kernel_effect *effect)
{
	struct insn insn = {.size = 0};

	if (encoding == KERNEL_LEGACY)
		add_legacy(&insn, v);
	else if (encoding == KERNEL_VEX)
		add_vex(&insn, v, bytes);
	else
		add_evex(&insn, v, bytes);
	done(code, &insn, effect);
}

/* Return the prefix that selects ps, pd, ss or sd. */
static enum prefix prefix_of(const struct kernel_request *request)
{
	if (request->vector_bytes <= 8)
		return request->single ? P_F3 : P_F2;
	return request->single ? P_NONE : P_66;
}

static uint8_t lanes(const struct kernel_request *request, uint8_t bytes)
{
	if (request->vector_bytes <= 8)
		return 1;
	return (uint8_t)(bytes >> (request->single ? 2 : 3));
}

/*
 * Emit a move of `bytes`, otherwise as the request says; halves are encoded with VEX even when the
 * request says EVEX.
 */
static void emit_move(const struct kernel_request *request, uint8_t opcode, uint8_t reg,
		      struct operand last, uint8_t bytes, struct kernel_code *code)
{
	bool store = opcode == 0x11 || opcode == 0x29 || opcode == 0x2b;
	struct kernel_effect effect = {.loads = last.memory && !store,
				       .stores = last.memory && store,
				       .bytes = bytes,
				       .non_temporal = opcode == 0x2b};
	struct vector_insn v = {.map = MAP_0F,
				.prefix = prefix_of(request),
				.opcode = opcode,
				.wide = request->encoding == KERNEL_EVEX && !request->single,
				.reg = reg,
				.last = last,
				.immediate = -1};

	emit(code, request->encoding, bytes, &v, &effect);
}

/* Emit to = left op right. In the legacy encoding, to and left must be the same. */
static void emit_arithmetic(const struct kernel_request *request, uint8_t opcode,
			    const uint8_t registers[3], uint8_t bytes, struct kernel_code *code)
{
	struct kernel_effect effect = {.flops = lanes(request, bytes),
				       .lanes_bytes = request->vector_bytes <= 8 ? 0 : bytes,
				       .single = request->single,
				       .divide = opcode == 0x5e};
	struct vector_insn v = {.map = MAP_0F,
				.prefix = prefix_of(request),
				.opcode = opcode,
				.wide = request->encoding == KERNEL_EVEX && !request->single,
				.reg = registers[0],
				.second = registers[1],
				.last = {.number = registers[2]},
				.immediate = -1};

	emit(code, request->encoding, bytes, &v, &effect);
}

/* Emit to += left * right. */
static void emit_fma(const struct kernel_request *request, const uint8_t registers[3],
		     struct kernel_code *code)
{
	uint8_t bytes = request->vector_bytes;
	struct kernel_effect effect = {.flops = (uint8_t)(2 * lanes(request, bytes)),
				       .lanes_bytes = bytes,
				       .single = request->single};
	struct vector_insn v = {.map = MAP_0F38,
				.prefix = P_66,
				.opcode = 0xb8,
				.wide = !request->single,
				.reg = registers[0],
				.second = registers[1],
				.last = {.number = registers[2]},
				.immediate = -1};

	emit(code, request->encoding, bytes, &v, &effect);
}

static void emit_copy(const struct kernel_request *request, uint8_t to, uint8_t from,
		      struct kernel_code *code)
{
	struct vector_insn v = {.map = MAP_0F,
				.prefix = P_66,
				.opcode = 0x28,
				.wide = request->encoding == KERNEL_EVEX,
				.reg = to,
				.last = {.number = from},
				.immediate = -1};

	emit(code, request->encoding, request->vector_bytes, &v, NULL);
}

/* Emit: to's upper half = from's lower half. */
static void emit_insert(const struct kernel_request *request, uint8_t to, uint8_t from,
			struct kernel_code *code)
{
	bool evex = request->encoding == KERNEL_EVEX;
	struct vector_insn v = {.map = MAP_0F3A,
				.prefix = P_66,
				.opcode = evex ? 0x1a : 0x18,
				.wide = evex,
				.reg = to,
				.second = to,
				.last = {.number = from},
				.immediate = 1};

	emit(code, request->encoding, request->vector_bytes, &v, NULL);
}

/* ---- integers ---- */

static void set_register(struct kernel_code *code, uint8_t reg, uint64_t value)
{
	struct insn insn = {.size = 0};

	add(&insn, 0x48 | (reg >= 8));
	add(&insn, 0xb8 | (reg & 7u));
	add_number(&insn, value, 8);
	done(code, &insn, NULL);
}

static void emit_bytes(struct kernel_code *code, const char *bytes, size_t size,
		       const struct kernel_effect *effect)
{
	takt_kernel_insn(code, bytes, size, effect);
}

#define EMIT(code, string, effect) emit_bytes(code, string, sizeof(string) - 1, effect)

/* Emit an access of 8 bytes to [stream + rax + offset], with `prefix` or 0. */
static void emit_integer(struct kernel_code *code, unsigned prefix, uint8_t opcode, uint8_t reg,
			 const struct kernel_op *op, uint32_t offset,
			 const struct kernel_effect *effect)
{
	struct insn insn = {.size = 0};

	if (prefix)
		add(&insn, prefix);
	add(&insn, 0x48 | (reg >= 8 ? 4u : 0u));
	add(&insn, opcode);
	add(&insn, 0x84 | (reg & 7u) << 3);
	add(&insn, RAX << 3 | bases[op->stream]);
	add_number(&insn, offset, 4);
	done(code, &insn, effect);
}

/* Emit a conditional jump to `target`: to the next instruction, or a loop's own. */
static void emit_jump(struct kernel_code *code, unsigned condition, size_t target)
{
	struct insn insn = {.size = 0};
	const struct kernel_effect effect = {.conditional = true};

	add(&insn, 0x0f);
	add(&insn, 0x80 | condition);
	add_number(&insn, (uint32_t)(target - (code->size_bytes + 6)), 4);
	done(code, &insn, &effect);
}

/* ---- the emitter ---- */

static void begin(const struct kernel_request *request, struct kernel_code *code)
{
	static const uint64_t ones[] = {0x3ff0000000000000u, 0x3f8000003f800000u};
	struct vector_insn move = {.map = MAP_0F,
				   .prefix = P_66,
				   .opcode = 0x6e,
				   .wide = true,
				   .reg = 15,
				   .last = {.number = RAX},
				   .immediate = -1};
	struct vector_insn twice = {.map = MAP_0F,
				    .prefix = P_66,
				    .opcode = 0x6c,
				    .reg = 15,
				    .second = 15,
				    .last = {.number = 15},
				    .immediate = -1};
	bool vex = request->encoding != KERNEL_LEGACY;

	if (request->kernel->scalar_only && request->kernel->ops[0].kind != KERNEL_LOAD &&
	    request->kernel->ops[0].kind != KERNEL_STORE)
		return;
	set_register(code, RAX, ones[request->single]);
	emit(code, vex ? KERNEL_VEX : KERNEL_LEGACY, 16, &move, NULL);
	emit(code, vex ? KERNEL_VEX : KERNEL_LEGACY, 16, &twice, NULL);
	if (vex) {
		struct kernel_request half = *request;

		half.encoding = KERNEL_VEX;
		half.vector_bytes = 32;
		emit_insert(&half, 15, 15, code);
	}
	if (request->encoding == KERNEL_EVEX)
		emit_insert(request, 15, 15, code);
	for (uint8_t i = 0; i < 15; i++)
		emit_copy(request, i, 15, code);
}

static void repeat(const struct kernel_request *request, struct kernel_code *code)
{
	(void)request;
	EMIT(code, "\x31\xc0", NULL); /* xor eax, eax */
}

static void emit_madd(const struct kernel_request *request, uint8_t to, uint8_t left, uint8_t right,
		      struct kernel_code *code)
{
	if (request->fma) {
		emit_fma(request, (const uint8_t[]){to, left, right}, code);
		return;
	}
	emit_arithmetic(request, 0x59, (const uint8_t[]){left, left, right}, request->vector_bytes,
			code);
	emit_arithmetic(request, 0x58, (const uint8_t[]){to, to, left}, request->vector_bytes,
			code);
}

/* Emit two chains: one of additions and one of multiplications, or both of FMAs. */
static void emit_peak(const struct kernel_request *request, uint8_t to, uint8_t left,
		      struct kernel_code *code)
{
	if (request->fma) {
		emit_fma(request, (const uint8_t[]){to, 15, 15}, code);
		emit_fma(request, (const uint8_t[]){left, 15, 15}, code);
		return;
	}
	emit_arithmetic(request, 0x58, (const uint8_t[]){to, to, 15}, request->vector_bytes, code);
	emit_arithmetic(request, 0x59, (const uint8_t[]){left, left, 15}, request->vector_bytes,
			code);
}

static void emit_system_call(bool futex, struct kernel_code *code)
{
	const struct kernel_effect effect = {.syscall = true, .futex = futex};

	EMIT(code, "\x49\x89\xc2", NULL); /* mov r10, rax */
	if (futex) {
		EMIT(code, "\xbe\x01\x00\x00\x00", NULL); /* mov esi, FUTEX_WAKE */
		EMIT(code, "\x31\xd2", NULL);		  /* xor edx, edx */
		EMIT(code, "\xb8\xca\x00\x00\x00", NULL); /* mov eax, futex */
	} else {
		EMIT(code, "\xb8\x6e\x00\x00\x00", NULL); /* mov eax, getppid */
	}
	EMIT(code, "\x0f\x05", &effect);
	EMIT(code, "\x4c\x89\xd0", NULL); /* mov rax, r10 */
}

static void emit_gather(struct kernel_code *code)
{
	const struct kernel_effect effect = {.loads = 1, .bytes = 32, .gather = true};

	EMIT(code, "\xc5\xf5\x76\xc9", NULL);		 /* vpcmpeqd ymm1, ymm1, ymm1 */
	EMIT(code, "\xc5\xed\xef\xd2", NULL);		 /* vpxor ymm2, ymm2, ymm2 */
	EMIT(code, "\xc4\xe2\xf5\x93\x04\xd7", &effect); /* vgatherqpd ymm0, [rdi+ymm2*8], ymm1 */
}

static void emit_string(struct kernel_code *code)
{
	const struct kernel_effect effect = {.loads = 8, .stores = 8, .bytes = 8};

	EMIT(code, "\xb9\x08\x00\x00\x00", NULL); /* mov ecx, 8 */
	EMIT(code, "\xf3\x48\xa5", &effect);	  /* rep movsq */
	EMIT(code, "\x48\x83\xef\x40", NULL);	  /* sub rdi, 64 */
	EMIT(code, "\x48\x83\xee\x40", NULL);	  /* sub rsi, 64 */
}

static void emit_plain(const struct kernel_op *op, uint32_t offset, struct kernel_code *code)
{
	const struct kernel_effect store = {.stores = 1, .bytes = 8};
	const struct kernel_effect load = {.loads = 1, .bytes = 8};
	const struct kernel_effect both = {.loads = 1, .stores = 1, .bytes = 8, .atomic = true};
	const struct kernel_effect pause = {.pause = true};
	const struct kernel_effect jump = {.branch = true};
	const struct kernel_effect call = {.stores = 1, .bytes = 8, .branch = true, .call = true};
	const struct kernel_effect leave = {.loads = 1, .bytes = 8, .branch = true};

	if (op->kind == KERNEL_CHASE) {
		EMIT(code, "\x48\x8b\x3f", &load); /* mov rdi, [rdi] */
	} else if (op->kind == KERNEL_STORE_INT) {
		emit_integer(code, 0, 0x89, R10, op, offset, &store);
	} else if (op->kind == KERNEL_CHAIN) {
		EMIT(code, "\x4d\x01\xd2", NULL); /* add r10, r10 */
	} else if (op->kind == KERNEL_ATOMIC) {
		emit_integer(code, 0xf0, 0x01, R10, op, offset, &both);
	} else if (op->kind == KERNEL_PAUSE) {
		EMIT(code, "\xf3\x90", &pause);
	} else if (op->kind == KERNEL_CALL) {
		EMIT(code, "\xe8\x02\x00\x00\x00", &call);
		EMIT(code, "\xeb\x01", &jump);
		EMIT(code, "\xc3", &leave);
	} else if (op->kind == KERNEL_SYSCALL || op->kind == KERNEL_FUTEX) {
		emit_system_call(op->kind == KERNEL_FUTEX, code);
	} else if (op->kind == KERNEL_GATHER) {
		emit_gather(code);
	} else if (op->kind == KERNEL_STRING) {
		emit_string(code);
	} else {
		EMIT(code, "\x4d\x39\xd2", NULL); /* cmp r10, r10 */
		emit_jump(code, 5, code->size_bytes + 6);
	}
}

static void op(const struct kernel_request *request, const struct kernel_op *operation,
	       uint8_t copy, uint32_t offset, struct kernel_code *code)
{
	uint8_t bytes = request->vector_bytes, half = bytes / 2;
	bool scalar = bytes <= 8;
	const struct operand memory = {true, operation->stream, offset};
	uint8_t to, left, right;

	if (operation->kind >= KERNEL_CHASE) {
		emit_plain(operation, offset, code);
		return;
	}
	to = takt_kernel_register(request, operation->to, copy);
	left = takt_kernel_register(request, operation->left, copy);
	right = takt_kernel_register(request, operation->right, copy);
	switch ((int)operation->kind) {
	case KERNEL_LOAD:
		emit_move(request, scalar ? 0x10 : 0x28, to, memory, bytes, code);
		break;
	case KERNEL_LOAD_HALF:
		emit_move(request, 0x28, to, memory, half, code);
		break;
	case KERNEL_STORE:
		emit_move(request,
			  request->non_temporal ? 0x2b
			  : scalar		? 0x11
						: 0x29,
			  left, memory, bytes, code);
		break;
	case KERNEL_ADD:
	case KERNEL_ADD_HALF:
		emit_arithmetic(request, 0x58, (const uint8_t[]){to, left, right},
				operation->kind == KERNEL_ADD ? bytes : half, code);
		break;
	case KERNEL_MULTIPLY:
		emit_arithmetic(request, 0x59, (const uint8_t[]){to, left, right}, bytes, code);
		break;
	case KERNEL_DIVIDE:
		emit_arithmetic(request, 0x5e, (const uint8_t[]){to, left, right}, bytes, code);
		break;
	case KERNEL_MADD:
		emit_madd(request, to, left, right, code);
		break;
	case KERNEL_PEAK:
		emit_peak(request, to, left, code);
		break;
	default: /* KERNEL_INSERT */
		emit_insert(request, to, right, code);
	}
}

static void end_trip(struct kernel_code *code, size_t trip_start)
{
	struct insn insn = {.size = 0};

	add_number(&insn, 0x0548, 2); /* add rax, … */
	add_number(&insn, code->step_bytes, 4);
	done(code, &insn, NULL);
	EMIT(code, "\x4c\x39\xc0", NULL); /* cmp rax, r8 */
	emit_jump(code, 2, trip_start);	  /* jb */
}

static void end_row(const struct kernel_request *request, struct kernel_code *code)
{
	const struct kernel_effect store = {.stores = 1, .bytes = 8};
	struct vector_insn sum = {.map = MAP_0F,
				  .prefix = P_F2,
				  .opcode = 0x11,
				  .reg = takt_kernel_register(request, T2, 0),
				  .last = {true, 2, 0},
				  .immediate = -1};
	struct insn insn = {.size = 0};

	EMIT(code, "\x4c\x01\xc7", NULL); /* add rdi, r8 */
	EMIT(code, "\x31\xc0", NULL);	  /* xor eax, eax */
	emit(code, KERNEL_LEGACY, 16, &sum, &store);
	EMIT(code, "\x48\x83\xc2\x08", NULL); /* add rdx, 8 */
	add(&insn, 0x49);		      /* add r8, … */
	add(&insn, 0x81);
	add(&insn, 0xc0);
	add_number(&insn, code->growth_bytes, 4);
	done(code, &insn, NULL);
}

static void end_repeat(struct kernel_code *code, size_t repeat_start)
{
	EMIT(code, "\x49\xff\xc9", NULL); /* dec r9 */
	emit_jump(code, 5, repeat_start); /* jnz */
}

static void leave(struct kernel_code *code)
{
	EMIT(code, "\xc3", NULL);
}

static void set_argument(struct kernel_code *code, uint32_t argument, uint64_t value)
{
	static const uint8_t registers[] = {RDI, RSI, RDX, RCX, R8, R9};

	set_register(code, registers[argument], value);
}

#define CLONE_FLAGS 0x50f00u /* VM, FS, FILES, SIGHAND, THREAD, SYSVSEM */
#define SYSCALL_CLONE 56u
#define SYSCALL_EXIT 60u

/*
 * Emit the creation of a thread, which continues after this code; its parent skips `skip_bytes`
 * more.
 */
static void clone_thread(struct kernel_code *code, uint64_t stack, uint32_t skip_bytes)
{
	struct insn insn = {.size = 0};
	const struct kernel_effect effect = {.conditional = true};

	set_register(code, RDI, CLONE_FLAGS);
	set_register(code, RSI, stack);
	set_register(code, RDX, 0);
	set_register(code, R10, 0);
	set_register(code, R8, 0);
	set_register(code, RAX, SYSCALL_CLONE);
	EMIT(code, "\x0f\x05", NULL);
	EMIT(code, "\x85\xc0", NULL); /* test eax, eax */
	add_number(&insn, 0x850f, 2); /* jnz */
	add_number(&insn, skip_bytes, 4);
	done(code, &insn, &effect);
}

static void exit_thread(struct kernel_code *code)
{
	set_register(code, RDI, 0);
	set_register(code, RAX, SYSCALL_EXIT);
	EMIT(code, "\x0f\x05", NULL);
}

const struct kernel_emitter takt_kernel_x86 = {
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
