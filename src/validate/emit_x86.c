/* SPDX-License-Identifier: MIT */
/*
 * Emitter for x86-64. The registers are those in which the System V ABI passes arguments: rdi, rsi,
 * rdx and rcx are streams A to D, r8 is the size, r9 the repetitions; rax is the index in bytes,
 * and r10 and r11 are free.
 */
#include <assert.h>
#include <string.h>

#include "validate/kernel.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 };

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

static struct takt_x86_operand general(uint8_t number)
{
	return (struct takt_x86_operand){.kind = TAKT_KIND_R64,
					 .location = (uint8_t)(TAKT_LOC_GPR + number)};
}

static struct takt_x86_operand vector(uint8_t number, uint8_t bytes)
{
	return (struct takt_x86_operand){.kind = bytes == 64   ? TAKT_KIND_ZMM
						 : bytes == 32 ? TAKT_KIND_YMM
							       : TAKT_KIND_XMM,
					 .location = (uint8_t)(TAKT_LOC_VECTOR + number)};
}

/* Return [stream + rax + offset]. */
static struct takt_x86_operand memory(uint8_t stream, uint32_t offset, uint8_t bytes)
{
	return (struct takt_x86_operand){.location = (uint8_t)(TAKT_LOC_GPR + bases[stream]),
					 .index = TAKT_LOC_GPR + RAX,
					 .size_bytes = bytes,
					 .value = offset};
}

/* Encode an instruction after what `insn` has already. */
static void encode(struct insn *insn, const char *name, bool evex,
		   const struct takt_x86_operand *operands, unsigned count)
{
	uint8_t bytes[TAKT_X86_LENGTH_MAX];
	size_t size = takt_x86_encode(name, evex, operands, count, bytes);

	assert(size && insn->size + size <= sizeof(insn->bytes));
	memcpy(insn->bytes + insn->size, bytes, size);
	insn->size += size;
}

/*
 * Emit a vector instruction by its name in the legacy encoding, which the others prefix with "v".
 * The legacy encoding takes the first of three operands to be the second one, too.
 */
static void emit(struct kernel_code *code, enum kernel_encoding encoding, const char *name,
		 const struct takt_x86_operand *operands, unsigned count,
		 const struct kernel_effect *effect)
{
	struct insn insn = {.size = 0};
	char full[24] = "v";

	memcpy(full + (encoding != KERNEL_LEGACY), name, strlen(name) + 1);
	if (encoding == KERNEL_LEGACY && count == 3) {
		operands++;
		count--;
	}
	encode(&insn, full, encoding == KERNEL_EVEX, operands, count);
	done(code, &insn, effect);
}

static bool is_scalar(const struct kernel_request *request)
{
	return request->vector_bytes <= 8;
}

/* Emit a vector instruction of ps, pd, ss or sd. */
static void emit_typed(const struct kernel_request *request, const char *stem,
		       const struct takt_x86_operand *operands, unsigned count,
		       const struct kernel_effect *effect, struct kernel_code *code)
{
	char name[24];

	takt_snprintf(name, sizeof(name), "%s%c%c", stem, is_scalar(request) ? 's' : 'p',
		      request->single ? 's' : 'd');
	emit(code, request->encoding, name, operands, count, effect);
}

static uint8_t lanes(const struct kernel_request *request, uint8_t bytes)
{
	if (is_scalar(request))
		return 1;
	return (uint8_t)(bytes >> (request->single ? 2 : 3));
}

/* Emit a load or a store of `bytes`, which may be half a vector. */
static void emit_move(const struct kernel_request *request, bool store, uint8_t reg,
		      struct takt_x86_operand place, struct kernel_code *code)
{
	bool past = store && request->non_temporal;
	struct kernel_effect effect = {
		.loads = !store, .stores = store, .bytes = place.size_bytes, .non_temporal = past};
	struct takt_x86_operand other = vector(reg, place.size_bytes);
	struct takt_x86_operand operands[] = {store ? place : other, store ? other : place};

	emit_typed(request,
		   past			? "movnt"
		   : is_scalar(request) ? "mov"
					: "mova",
		   operands, 2, &effect, code);
}

/* Emit to = left op right. In the legacy encoding, to and left must be the same. */
static void emit_arithmetic(const struct kernel_request *request, const char *stem,
			    const uint8_t registers[3], uint8_t bytes, struct kernel_code *code)
{
	struct kernel_effect effect = {.flops = lanes(request, bytes),
				       .lanes_bytes = is_scalar(request) ? 0 : bytes,
				       .single = request->single,
				       .divide = *stem == 'd'};

	emit_typed(request, stem,
		   (struct takt_x86_operand[]){vector(registers[0], bytes),
					       vector(registers[1], bytes),
					       vector(registers[2], bytes)},
		   3, &effect, code);
}

/* Emit to += left * right. */
static void emit_fma(const struct kernel_request *request, const uint8_t registers[3],
		     struct kernel_code *code)
{
	uint8_t bytes = request->vector_bytes;
	struct kernel_effect effect = {.flops = (uint8_t)(2 * lanes(request, bytes)),
				       .lanes_bytes = bytes,
				       .single = request->single};

	emit_typed(request, "fmadd231",
		   (struct takt_x86_operand[]){vector(registers[0], bytes),
					       vector(registers[1], bytes),
					       vector(registers[2], bytes)},
		   3, &effect, code);
}

static void emit_copy(const struct kernel_request *request, uint8_t to, uint8_t from,
		      struct kernel_code *code)
{
	uint8_t bytes = request->vector_bytes;

	emit(code, request->encoding, "movapd",
	     (struct takt_x86_operand[]){vector(to, bytes), vector(from, bytes)}, 2, NULL);
}

/* Emit: to's upper half = from's lower half. */
static void emit_insert(const struct kernel_request *request, uint8_t to, uint8_t from,
			struct kernel_code *code)
{
	uint8_t bytes = request->vector_bytes;

	emit(code, request->encoding,
	     request->encoding == KERNEL_EVEX ? "insertf64x4" : "insertf128",
	     (struct takt_x86_operand[]){
		     vector(to, bytes), vector(to, bytes), vector(from, bytes / 2), {.value = 1}},
	     4, NULL);
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

/* Emit an instruction that writes 8 bytes at [stream + rax + offset] from r10, locked or not. */
static void emit_integer(struct kernel_code *code, const char *name, bool locked,
			 const struct kernel_op *op, uint32_t offset,
			 const struct kernel_effect *effect)
{
	struct insn insn = {.size = 0};

	if (locked)
		add(&insn, 0xf0);
	encode(&insn, name, false,
	       (struct takt_x86_operand[]){memory(op->stream, offset, 8), general(R10)}, 2);
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
	const struct takt_x86_operand one = vector(15, 16);
	bool vex = request->encoding != KERNEL_LEGACY;

	if (request->kernel->scalar_only && request->kernel->ops[0].kind != KERNEL_LOAD &&
	    request->kernel->ops[0].kind != KERNEL_STORE)
		return;
	set_register(code, RAX, ones[request->single]);
	emit(code, vex ? KERNEL_VEX : KERNEL_LEGACY, "movq",
	     (struct takt_x86_operand[]){one, general(RAX)}, 2, NULL);
	emit(code, vex ? KERNEL_VEX : KERNEL_LEGACY, "punpcklqdq",
	     (struct takt_x86_operand[]){one, one, one}, 3, NULL);
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
	emit_arithmetic(request, "mul", (const uint8_t[]){left, left, right}, request->vector_bytes,
			code);
	emit_arithmetic(request, "add", (const uint8_t[]){to, to, left}, request->vector_bytes,
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
	emit_arithmetic(request, "add", (const uint8_t[]){to, to, 15}, request->vector_bytes, code);
	emit_arithmetic(request, "mul", (const uint8_t[]){left, left, 15}, request->vector_bytes,
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
		emit_integer(code, "mov", false, op, offset, &store);
	} else if (op->kind == KERNEL_CHAIN) {
		EMIT(code, "\x4d\x01\xd2", NULL); /* add r10, r10 */
	} else if (op->kind == KERNEL_ATOMIC) {
		emit_integer(code, "add", true, op, offset, &both);
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
	case KERNEL_STORE:
		emit_move(request, operation->kind == KERNEL_STORE,
			  operation->kind == KERNEL_STORE ? left : to,
			  memory(operation->stream, offset, bytes), code);
		break;
	case KERNEL_LOAD_HALF:
		emit_move(request, false, to, memory(operation->stream, offset, half), code);
		break;
	case KERNEL_ADD:
	case KERNEL_ADD_HALF:
		emit_arithmetic(request, "add", (const uint8_t[]){to, left, right},
				operation->kind == KERNEL_ADD ? bytes : half, code);
		break;
	case KERNEL_MULTIPLY:
		emit_arithmetic(request, "mul", (const uint8_t[]){to, left, right}, bytes, code);
		break;
	case KERNEL_DIVIDE:
		emit_arithmetic(request, "div", (const uint8_t[]){to, left, right}, bytes, code);
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
	add_number(&insn, code->trip_bytes, 4);
	done(code, &insn, NULL);
	EMIT(code, "\x4c\x39\xc0", NULL); /* cmp rax, r8 */
	emit_jump(code, 2, trip_start);	  /* jb */
}

static void end_row(const struct kernel_request *request, struct kernel_code *code)
{
	const struct kernel_effect store = {.stores = 1, .bytes = 8};
	struct insn insn = {.size = 0};

	EMIT(code, "\x4c\x01\xc7", NULL); /* add rdi, r8 */
	EMIT(code, "\x31\xc0", NULL);	  /* xor eax, eax */
	emit(code, KERNEL_LEGACY, "movsd",
	     (struct takt_x86_operand[]){memory(2, 0, 8),
					 vector(takt_kernel_register(request, T2, 0), 16)},
	     2, &store);
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
