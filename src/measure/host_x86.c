/* SPDX-License-Identifier: MIT */
/* Machine code for measuring on x86-64; see host.h. */
#if defined(__x86_64__)
#include <asm/prctl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "isa/cpu.h"
#include "measure/host.h"

#define EMIT(emitter, ...)                                                                         \
	takt_emit((emitter), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

#define RESULTS(field) ((uint32_t)offsetof(struct takt_child_results, field)) /* gs offset */

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R11 = 11, GPR_COUNT = 16 };

/* Registers that reading the clock clobbers, and rsp: they are set after the clock was read. */
#define LATE_REGISTERS                                                                             \
	(1u << RAX | 1u << RCX | 1u << RDX | 1u << RSP | 1u << RSI | 1u << RDI | 1u << R8 |        \
	 1u << R11)

#define CHAIN_REGISTER RBX
#define CANARY_TRIPS 10
#define CANARY_COPIES 144
#define SEGMENT_BASE 0x20202000u /* base of fs and gs for a block: an ordinary address */
#define FLAG_TRAP 0x100
#define HWCAP2_FSGSBASE 2u
#define MXCSR_DEFAULT 0x1f80u
#define MXCSR_DAZ 0x0040u
#define MXCSR_FTZ 0x8000u
#define MXCSR_WRITABLE 0xffffu /* setting other bits faults */

static void emit_u32(struct takt_emitter *emitter, uint32_t value)
{
	takt_emit(emitter, &value, sizeof(value));
}

/* Emit the rip-relative displacement, at the end of an instruction, of an offset in the layout. */
static void emit_place(struct takt_emitter *emitter, size_t offset)
{
	emit_u32(emitter, (uint32_t)(offset - (emitter->size_bytes + 4)));
}

void takt_host_emit_load(struct takt_emitter *emitter, uint32_t gpr, uint64_t value)
{
	EMIT(emitter, (uint8_t)(0x48 | gpr >> 3), (uint8_t)(0xb8 | (gpr & 7))); /* mov r, imm64 */
	takt_emit(emitter, &value, sizeof(value));
}

static bool has_avx(const struct takt_host_state *state)
{
	return state->vector_widest_bytes >= 32;
}

/* Emit code that copies rax to each 64-bit lane of vector `v`. */
static void emit_set_vector(struct takt_emitter *emitter, uint32_t v, uint16_t bytes)
{
	uint8_t r = (uint8_t)(v & 7), high = v & 8 ? 0 : 0x80;

	if (bytes == 64 || v >= 16) { /* vpbroadcastq v, rax */
		EMIT(emitter, 0x62, (uint8_t)(0x62 | high | (v & 16 ? 0 : 0x10)), 0xfd,
		     (uint8_t)(0x08 | (bytes >> 5) << 5), 0x7c, (uint8_t)(0xc0 | r << 3));
		return;
	}
	if (bytes == 16) { /* movq xmm, rax; punpcklqdq xmm, xmm */
		EMIT(emitter, 0x66, (uint8_t)(v & 8 ? 0x4c : 0x48), 0x0f, 0x6e,
		     (uint8_t)(0xc0 | r << 3));
		EMIT(emitter, 0x66, (uint8_t)(v & 8 ? 0x45 : 0x40), 0x0f, 0x6c,
		     (uint8_t)(0xc0 | r << 3 | r));
		return;
	}
	/* vmovq xmm, rax; vmovddup xmm, xmm; vinsertf128 ymm, ymm, xmm, 1 */
	EMIT(emitter, 0xc4, (uint8_t)(0x61 | high), 0xf9, 0x6e, (uint8_t)(0xc0 | r << 3));
	EMIT(emitter, 0xc4, (uint8_t)(0x41 | high | high >> 2), 0x7b, 0x12,
	     (uint8_t)(0xc0 | r << 3 | r));
	EMIT(emitter, 0xc4, (uint8_t)(0x43 | high | high >> 2), (uint8_t)(0x05 | (~v & 15) << 3),
	     0x18, (uint8_t)(0xc0 | r << 3 | r), 0x01);
}

static void emit_set_vectors(struct takt_emitter *emitter, const struct takt_host_state *state)
{
	if (has_avx(state))
		EMIT(emitter, 0xc5, 0xf8, 0x77); /* vzeroupper: no dirty uppers from before */
	for (uint32_t v = 0; v < state->vector_count && state->vector_bytes > 0; v++) {
		takt_host_emit_load(emitter, RAX, state->vector[v]);
		emit_set_vector(emitter, v, state->vector_bytes);
	}
	for (uint32_t k = 0; state->masks && k < 8; k++) {
		takt_host_emit_load(emitter, RAX, state->mask[k]);
		EMIT(emitter, 0xc4, 0xe1, 0xfb, 0x92, (uint8_t)(0xc0 | k << 3)); /* kmovq k, rax */
	}
}

/* Emit an instruction with an operand in RESULTS: prefix and opcode, ModRM, SIB, and the offset. */
#define GS 0x65
#define EMIT_RESULTS(emitter, reg, field, ...)                                                     \
	do {                                                                                       \
		EMIT((emitter), GS, __VA_ARGS__, (uint8_t)(0x04 | (reg) << 3), 0x25);              \
		emit_u32((emitter), (field));                                                      \
	} while (0)

/* Emit instructions that end in the 32-bit displacement of `place`. */
#define EMIT_AT(emitter, place, ...)                                                               \
	do {                                                                                       \
		EMIT((emitter), __VA_ARGS__);                                                      \
		emit_place((emitter), (place));                                                    \
	} while (0)

/* Emit code that stores the clock's time in a field of RESULTS. */
static void emit_clock(struct takt_emitter *emitter, enum takt_clock clock, uint32_t field)
{
	struct takt_runner runner;

	EMIT(emitter, 0x0f, 0xae, 0xe8); /* lfence */
	if (clock == TAKT_CLOCK_PERF_READ) {
		takt_host_runner(&runner);
		EMIT_RESULTS(emitter, RSI, RESULTS(self), 0x48, 0x8b); /* mov rsi, [self] */
		EMIT(emitter, 0x48, 0x81, 0xc6);		       /* add rsi */
		emit_u32(emitter, field);
		EMIT_AT(emitter, emitter->size_bytes + 7 + 5, 0x4c, 0x8d, 0x05); /* lea r8 */
		EMIT_AT(emitter, runner.read, 0xe9);				 /* jmp */
		return;
	}
	if (clock == TAKT_CLOCK_PERF_RDPMC) {
		EMIT_AT(emitter, TAKT_CHILD_CLOCK + offsetof(struct perf_event_mmap_page, index),
			0x8b, 0x0d);		       /* mov ecx */
		EMIT(emitter, 0xff, 0xc9, 0x0f, 0x33); /* dec ecx; rdpmc */
	} else {
		EMIT(emitter, 0x0f, 0x31); /* rdtsc */
	}
	EMIT_RESULTS(emitter, RAX, field, 0x89);     /* mov [], eax */
	EMIT_RESULTS(emitter, RDX, field + 4, 0x89); /* mov [], edx */
}

static bool has_fsgsbase(void)
{
	return (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) != 0;
}

bool takt_host_can_lend_gs(void)
{
	return has_fsgsbase();
}

bool takt_host_find_results(uint64_t address)
{
	return syscall(SYS_arch_prctl, ARCH_SET_GS, address) == 0;
}

static void emit_controls(struct takt_emitter *emitter, const struct takt_host_state *state)
{
	EMIT(emitter, 0xdb, 0xe3); /* fninit: x87 empty, so also out of MMX */
	for (unsigned i = 0; i < state->x87_loaded; i++)
		EMIT(emitter, 0xd9, 0xe8); /* fld1: an empty stack costs an assist */
	if (has_fsgsbase()) {
		takt_host_emit_load(emitter, RAX, SEGMENT_BASE);
		EMIT(emitter, 0xf3, 0x48, 0x0f, 0xae, 0xd0); /* wrfsbase rax */
	}
	EMIT(emitter, 0xb8); /* mov eax */
	emit_u32(emitter, state->fp_control);
	EMIT_RESULTS(emitter, RAX, RESULTS(fp_control), 0x89);	   /* mov [], eax */
	EMIT_RESULTS(emitter, 2, RESULTS(fp_control), 0x0f, 0xae); /* ldmxcsr */
}

/* Emit code that keeps the address of RESULTS in fs, and leaves gs to the body. */
static void emit_lend_gs(struct takt_emitter *emitter)
{
	EMIT(emitter, 0xf3, 0x48, 0x0f, 0xae, 0xc8); /* rdgsbase rax */
	EMIT(emitter, 0xf3, 0x48, 0x0f, 0xae, 0xd0); /* wrfsbase rax */
	takt_host_emit_load(emitter, RAX, SEGMENT_BASE);
	EMIT(emitter, 0xf3, 0x48, 0x0f, 0xae, 0xd8); /* wrgsbase rax */
}

static void emit_take_gs(struct takt_emitter *emitter)
{
	EMIT(emitter, 0xf3, 0x48, 0x0f, 0xae, 0xc0); /* rdfsbase rax */
	EMIT(emitter, 0xf3, 0x48, 0x0f, 0xae, 0xd8); /* wrgsbase rax */
}

void takt_host_emit_enter(struct takt_emitter *emitter, enum takt_clock clock,
			  const struct takt_host_state *state)
{
	emit_controls(emitter, state);
	emit_set_vectors(emitter, state);
	for (uint32_t r = 0; r < GPR_COUNT; r++)
		if (!(LATE_REGISTERS >> r & 1))
			takt_host_emit_load(emitter, r, state->gpr[r]);
	emit_clock(emitter, clock, RESULTS(start_ticks));
	if (state->gs)
		emit_lend_gs(emitter);
	if (state->trace) { /* pushf; or dword [rsp], TF; popf */
		EMIT(emitter, 0x9c, 0x81, 0x0c, 0x24);
		emit_u32(emitter, FLAG_TRAP);
		EMIT(emitter, 0x9d);
	}
	for (uint32_t r = 0; r < GPR_COUNT; r++)
		if (LATE_REGISTERS >> r & 1)
			takt_host_emit_load(emitter, r, state->gpr[r]);
	EMIT(emitter, 0x0f, 0xae, 0xe8); /* lfence */
}

/* After fninit, some processors read their op cache again at one taken branch, others at two. */
enum { PASS_JUMPS = 4 };

void takt_host_emit_pass(struct takt_emitter *emitter, const struct takt_host_state *state,
			 uint32_t counter)
{
	if (state->gs)
		emit_take_gs(emitter);
	emit_controls(emitter, state);
	emit_set_vectors(emitter, state);
	if (state->gs)
		emit_lend_gs(emitter);
	for (uint32_t r = 0; r < GPR_COUNT; r++)
		if (r != counter)
			takt_host_emit_load(emitter, r, state->gpr[r]);
	EMIT(emitter, 0x0f, 0xae, 0xe8); /* lfence */
	for (int i = 0; i < PASS_JUMPS; i++) {
		takt_emit_align(emitter, 0);
		EMIT(emitter, 0xeb, TAKT_LINE_BYTES - 2); /* jmp to the next line */
	}
	takt_emit_align(emitter, 0);
}

void takt_host_emit_leave(struct takt_emitter *emitter, enum takt_clock clock,
			  const struct takt_host_state *state)
{
	struct takt_runner runner;

	takt_host_runner(&runner);
	if (state->gs)
		emit_take_gs(emitter);
	emit_clock(emitter, clock, RESULTS(end_ticks));
	EMIT_AT(emitter, runner.leave, 0xe9); /* jmp */
}

void takt_host_emit_add_chain(struct takt_emitter *emitter, uint32_t count)
{
	/* Registers are added, since recent cores execute `add r, imm` at rename. */
	for (uint32_t i = 0; i < count; i++)
		EMIT(emitter, 0x48, 0x01, 0xc0 | CHAIN_REGISTER << 3 | CHAIN_REGISTER);
}

void takt_host_emit_product_chain(struct takt_emitter *emitter, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) /* imul r, r */
		EMIT(emitter, 0x48, 0x0f, 0xaf, 0xc0 | CHAIN_REGISTER << 3 | CHAIN_REGISTER);
}

uint32_t takt_host_emit_dispatch_canary(struct takt_emitter *emitter, uint32_t stretch)
{
	static const uint8_t sums[] = {RAX, RDX, RBX, RSI, RDI, RBP};
	size_t body = takt_emit_loop_begin(emitter, RCX, CANARY_TRIPS * stretch, 0);

	for (uint32_t i = 0; i < CANARY_COPIES; i++) { /* add r, r8; nop */
		EMIT(emitter, 0x4c, 0x01, (uint8_t)(0xc0 | sums[i % TAKT_COUNT_OF(sums)]));
		EMIT(emitter, 0x90);
	}
	takt_host_emit_loop_end(emitter, RCX, body);
	return CANARY_TRIPS * stretch * (2 * CANARY_COPIES + 2);
}

uint32_t takt_host_emit_vector_canary(struct takt_emitter *emitter, uint32_t stretch)
{
	size_t body = takt_emit_loop_begin(emitter, RCX, CANARY_TRIPS * stretch, 0);
	bool avx = takt_host_has("avx");

	/* vpor xmm0…7, xmm9, xmm8, without chains: on cores that choose units early, the time of
	 * chains would vary by chance. */
	for (uint32_t i = 0; i < CANARY_COPIES && avx; i++)
		EMIT(emitter, 0xc4, 0xc1, 0x31, 0xeb, (uint8_t)(0xc0 | (i & 7) << 3));
	for (uint32_t i = 0; i < CANARY_COPIES && !avx; i++) /* por xmm0…7, xmm8 */
		EMIT(emitter, 0x66, 0x41, 0x0f, 0xeb, (uint8_t)(0xc0 | (i & 7) << 3));
	takt_host_emit_loop_end(emitter, RCX, body);
	return CANARY_TRIPS * stretch * (CANARY_COPIES + 2);
}

void takt_host_emit_loop_end(struct takt_emitter *emitter, uint32_t counter, size_t body)
{
	EMIT(emitter, (uint8_t)(0x48 | counter >> 3), 0xff, (uint8_t)(0xc8 | (counter & 7)));
	EMIT_AT(emitter, body, 0x0f, 0x85); /* jnz */
}

void takt_host_emit_nops(struct takt_emitter *emitter, size_t size_bytes)
{
	static const uint8_t nops[][9] = {
		{0x90},
		{0x66, 0x90},
		{0x0f, 0x1f, 0x00},
		{0x0f, 0x1f, 0x40, 0x00},
		{0x0f, 0x1f, 0x44, 0x00, 0x00},
		{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
		{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
		{0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
		{0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
	};

	while (size_bytes > 0) {
		size_t size = size_bytes < TAKT_COUNT_OF(nops) ? size_bytes : TAKT_COUNT_OF(nops);

		takt_emit(emitter, nops[size - 1], size);
		size_bytes -= size;
	}
}

uint64_t takt_host_step_gpr(const struct takt_step_state *step, uint32_t gpr)
{
	static const uint8_t saved[GPR_COUNT] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
		REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};

	return step->registers[saved[gpr]];
}

uint64_t takt_host_step_ip(const struct takt_step_state *step)
{
	return step->registers[REG_RIP];
}

/* Exception flags of MXCSR and of the x87 status word; the latter's are in the upper half. */
#define FP_INVALID 0x01u
#define FP_DENORMAL 0x02u
#define FP_BY_ZERO 0x04u
#define FP_OVERFLOW 0x08u
#define FP_UNDERFLOW 0x10u
#define FP_MXCSR_ALL 0x3fu
#define X87_STACK_FAULT 0x40u
#define X87_SHIFT 16

struct takt_host_fp takt_host_fp_read(uint32_t raised, const struct takt_host_state *state,
				      bool ignores_flush)
{
	uint32_t sse = raised & FP_MXCSR_ALL & ~state->fp_control, x87 = raised >> X87_SHIFT;
	bool flushes = (state->fp_control & MXCSR_FTZ) && !ignores_flush;

	return (struct takt_host_fp){
		/* With DAZ, a denormal operand is read as zero and raises no exception. */
		.denormal = ((sse | x87) & FP_DENORMAL) || (x87 & FP_UNDERFLOW) ||
			    (!flushes && (sse & FP_UNDERFLOW)),
		.flushed = flushes && (sse & FP_UNDERFLOW),
		.infinite = ((sse | x87) & (FP_OVERFLOW | FP_BY_ZERO)) != 0,
		.invalid = (sse & FP_INVALID) || ((x87 & FP_INVALID) && !(x87 & X87_STACK_FAULT)),
		.x87_stack = (x87 & X87_STACK_FAULT) != 0,
	};
}

bool takt_host_has(const char *isa_set)
{
	return takt_cpu_runs(isa_set);
}

/*
 * Instructions that fill all queues: more than a reorder buffer of 320 entries. Five times as many
 * stay in an op cache of 6912, which family 25 has from model 0x10 on, except 0x20 to 0x5f.
 */
#define QUEUES_FULL 512u

static bool keeps_filling_runs(const struct takt_cpu *cpu)
{
	return cpu->family == 25 && cpu->model >= 0x10 &&
	       !(cpu->model >= 0x20 && cpu->model < 0x60);
}

struct takt_host_straight takt_host_straight(void)
{
	static const struct takt_host_straight decoded = {4096, 0, 2, 1};
	struct takt_cpu cpu;

	if (!takt_cpu_read(NULL, &cpu) ||
	    (strcmp(cpu.vendor, "AuthenticAMD") != 0 && strcmp(cpu.vendor, "HygonGenuine") != 0))
		return decoded;
	/* From family 26 on, the store queue has 104 entries and takes in all stores of a shorter
	 * run; the longer run, of about 15 KB, stays in the op cache. */
	if (cpu.family >= 26)
		return (struct takt_host_straight){3072, 0, 4, 16};
	return (struct takt_host_straight){768, keeps_filling_runs(&cpu) ? QUEUES_FULL : 0, 4, 16};
}

void takt_host_cpu(struct takt_text *text)
{
	struct takt_cpu cpu;

	if (takt_cpu_read(NULL, &cpu))
		takt_text_printf(text, "%s%sfamily %u model %u stepping %u", cpu.brand,
				 *cpu.brand ? ", " : "", cpu.family, cpu.model, cpu.stepping);
}

void takt_host_state_init(struct takt_host_state *state, bool keep_denormals)
{
	*state = (struct takt_host_state){
		.fp_control = MXCSR_DEFAULT | (keep_denormals ? 0 : MXCSR_FTZ | MXCSR_DAZ),
		.vector_widest_bytes = 16,
		.vector_count = 16,
	};
	if (takt_host_has("avx"))
		state->vector_widest_bytes = 32;
	if (takt_host_has("avx512f_512"))
		state->vector_widest_bytes = 64;
}

/* Return the number of the register `name` among `prefix`0 … count - 1, or `count`. */
static uint32_t numbered(const char *name, const char *prefix, uint32_t count)
{
	char *end;
	unsigned long number;

	if (!takt_string_starts(name, prefix) || name[strlen(prefix)] < '0' ||
	    name[strlen(prefix)] > '9')
		return count;
	number = strtoul(name + strlen(prefix), &end, 10);
	return *end == 0 && number < count ? (uint32_t)number : count;
}

bool takt_host_state_set(struct takt_host_state *state, const char *name, uint64_t value)
{
	static const char *const vectors[] = {"xmm", "ymm", "zmm", "v"};
	uint32_t number = numbered(name, "k", TAKT_COUNT_OF(state->mask));

	if (strcmp(name, "mxcsr") == 0) {
		state->fp_control = (uint32_t)value;
		return value <= MXCSR_WRITABLE;
	}
	for (uint32_t r = 0; r < GPR_COUNT; r++)
		if (strcmp(name, takt_location_name(&takt_isa_x86, (uint8_t)(TAKT_LOC_GPR + r))) ==
		    0) {
			state->gpr[r] = value;
			return true;
		}
	if (number < TAKT_COUNT_OF(state->mask)) {
		state->mask[number] = value;
		return true;
	}
	for (size_t i = 0; i < TAKT_COUNT_OF(vectors); i++) {
		number = numbered(name, vectors[i], TAKT_HOST_VECTOR_MAX);
		if (number < TAKT_HOST_VECTOR_MAX) {
			state->vector[number] = value;
			state->vectors_set |= 1u << number;
			return true;
		}
	}
	return false;
}
#else
struct takt_host_state; /* ISO C forbids an empty file */
#endif
