/* SPDX-License-Identifier: MIT */
/*
 * Machine code for measuring on AArch64; see host.h. The clock is the generic timer, whose
 * ticks are far longer than a cycle: the chain of additions converts them to cycles.
 * This code runs in qemu-user; it has not been run on hardware yet.
 */
#if defined(__aarch64__)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/host.h"

#define RESULTS(field) (TAKT_CHILD_RESULTS + offsetof(struct takt_child_results, field))

enum { X0, X1, X2, X8 = 8, X9 = 9, CHAIN_REGISTER = 19, SP = 31, GPR_COUNT = 31 };

/* Registers that reading the clock clobbers: they are set after the clock was read. */
#define LATE_REGISTERS (1u << X0 | 1u << X1 | 1u << X2 | 1u << X8 | 1u << X9)

#define NOP 0xd503201fu
#define ISB 0xd5033fdfu
#define FPCR_FLUSH (1u << 24 | 1u << 19) /* FZ, FZ16 */
#define FPCR_WRITABLE 0x07f79f07u
#define MIDR_PATH "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1"

static void emit(struct takt_emitter *emitter, uint32_t instruction)
{
	takt_emit(emitter, &instruction, sizeof(instruction));
}

/* Return the distance, in words, from the instruction emitted next to the offset `place`. */
static uint32_t distance(const struct takt_emitter *emitter, size_t place)
{
	return (uint32_t)(place - emitter->size_bytes) / 4;
}

static void emit_address(struct takt_emitter *emitter, uint32_t gpr, size_t place)
{
	uint32_t bytes = (uint32_t)(place - emitter->size_bytes);

	/* adr reaches a megabyte to either side, which is more than the layout has. */
	emit(emitter, 0x10000000u | (bytes & 3) << 29 | (bytes >> 2 & 0x7ffff) << 5 | gpr);
}

static void emit_branch(struct takt_emitter *emitter, size_t place)
{
	emit(emitter, 0x14000000u | ((place - emitter->size_bytes) >> 2 & 0x3ffffff));
}

void takt_host_emit_load(struct takt_emitter *emitter, uint32_t gpr, uint64_t value)
{
	emit(emitter, 0xd2800000u | (uint32_t)(value & 0xffff) << 5 | gpr); /* movz */
	for (uint32_t i = 1; i < 4; i++)
		if (value >> 16 * i & 0xffff) /* movk */
			emit(emitter, 0xf2800000u | i << 21 |
					      (uint32_t)(value >> 16 * i & 0xffff) << 5 | gpr);
}

static void emit_clock(struct takt_emitter *emitter, enum takt_clock clock, size_t place)
{
	struct takt_runner runner;

	emit(emitter, ISB);
	emit_address(emitter, X1, place);
	if (clock == TAKT_CLOCK_PERF_READ) {
		takt_host_runner(&runner);
		emit_address(emitter, X9, emitter->size_bytes + 8);
		emit_branch(emitter, runner.read);
		return;
	}
	if (clock == TAKT_CLOCK_PERF_RDPMC)
		emit(emitter, 0xd53b9d00u | X0); /* mrs x0, pmccntr_el0 */
	else
		emit(emitter, 0xd53be040u | X0);   /* mrs x0, cntvct_el0 */
	emit(emitter, 0xf9000000u | X1 << 5 | X0); /* str x0, [x1] */
}

static void emit_set_vectors(struct takt_emitter *emitter, const struct takt_host_state *state)
{
	for (uint32_t v = 0; state->vector_bytes && v < state->vector_count; v++) {
		takt_host_emit_load(emitter, X0, state->vector[v]);
		emit(emitter, 0x4e080c00u | X0 << 5 | v); /* dup v.2d, x0 */
	}
}

static void emit_controls(struct takt_emitter *emitter, const struct takt_host_state *state)
{
	takt_host_emit_load(emitter, X0, state->fp_control);
	emit(emitter, 0xd51b4400u | X0); /* msr fpcr, x0 */
	emit(emitter, 0xd51b443fu);	 /* msr fpsr, xzr */
	emit_set_vectors(emitter, state);
	takt_host_emit_load(emitter, X0, state->gpr[SP]);
	emit(emitter, 0x91000000u | X0 << 5 | SP); /* mov sp, x0 */
}

void takt_host_emit_enter(struct takt_emitter *emitter, enum takt_clock clock,
			  const struct takt_host_state *state)
{
	emit_controls(emitter, state);
	for (uint32_t r = 0; r < GPR_COUNT; r++)
		if (!(LATE_REGISTERS >> r & 1))
			takt_host_emit_load(emitter, r, state->gpr[r]);
	emit_clock(emitter, clock, RESULTS(start_ticks));
	for (uint32_t r = 0; r < GPR_COUNT; r++)
		if (LATE_REGISTERS >> r & 1)
			takt_host_emit_load(emitter, r, state->gpr[r]);
	emit(emitter, ISB);
}

void takt_host_emit_pass(struct takt_emitter *emitter, const struct takt_host_state *state,
			 uint32_t counter)
{
	emit_controls(emitter, state);
	for (uint32_t r = 0; r < GPR_COUNT; r++)
		if (r != counter)
			takt_host_emit_load(emitter, r, state->gpr[r]);
	emit(emitter, ISB);
}

bool takt_host_find_results(uint64_t address)
{
	(void)address; /* the code addresses RESULTS relative to itself */
	return true;
}

bool takt_host_can_lend_gs(void)
{
	return true; /* AArch64 has no such register to share */
}

void takt_host_emit_leave(struct takt_emitter *emitter, enum takt_clock clock,
			  const struct takt_host_state *state)
{
	struct takt_runner runner;

	(void)state;
	takt_host_runner(&runner);
	emit_clock(emitter, clock, RESULTS(end_ticks));
	emit_branch(emitter, runner.leave);
}

void takt_host_emit_add_chain(struct takt_emitter *emitter, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) /* add x, x, x */
		emit(emitter,
		     0x8b000000u | CHAIN_REGISTER << 16 | CHAIN_REGISTER << 5 | CHAIN_REGISTER);
}

void takt_host_emit_product_chain(struct takt_emitter *emitter, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) /* mul x, x, x */
		emit(emitter,
		     0x9b007c00u | CHAIN_REGISTER << 16 | CHAIN_REGISTER << 5 | CHAIN_REGISTER);
}

enum { CANARY_INSNS = 48, CANARY_TRIPS = 60 };

uint32_t takt_host_emit_dispatch_canary(struct takt_emitter *emitter, uint32_t stretch)
{
	size_t body = takt_emit_loop_begin(emitter, X8, CANARY_TRIPS * stretch, 0);

	takt_host_emit_nops(emitter, CANARY_INSNS * sizeof(uint32_t));
	takt_host_emit_loop_end(emitter, X8, body);
	return CANARY_TRIPS * stretch * (CANARY_INSNS + 2);
}

uint32_t takt_host_emit_vector_canary(struct takt_emitter *emitter, uint32_t stretch)
{
	size_t body = takt_emit_loop_begin(emitter, X8, CANARY_TRIPS * stretch, 0);

	for (uint32_t i = 0; i < CANARY_INSNS; i++) /* orr v1…8.16b, v0.16b, v0.16b */
		emit(emitter, 0x4ea01c00u | ((i & 7) + 1));
	takt_host_emit_loop_end(emitter, X8, body);
	return CANARY_TRIPS * stretch * (CANARY_INSNS + 2);
}

void takt_host_emit_loop_end(struct takt_emitter *emitter, uint32_t counter, size_t body)
{
	emit(emitter, 0xd1000400u | counter << 5 | counter); /* sub x, x, #1 */
	emit(emitter, 0xb5000000u | (distance(emitter, body) & 0x7ffff) << 5 | counter); /* cbnz */
}

void takt_host_emit_nops(struct takt_emitter *emitter, size_t size_bytes)
{
	for (; size_bytes >= sizeof(uint32_t); size_bytes -= sizeof(uint32_t))
		emit(emitter, NOP);
}

/* Return 0: AArch64 cannot single-step from user space, so no step is ever logged. */
uint64_t takt_host_step_gpr(const struct takt_step_state *step, uint32_t gpr)
{
	(void)step, (void)gpr;
	return 0;
}

uint64_t takt_host_step_ip(const struct takt_step_state *step)
{
	(void)step;
	return 0;
}

/* False for all ISA sets: the decoder names none of AArch64's yet. */
bool takt_host_has(const char *isa_set)
{
	(void)isa_set;
	return false;
}

struct takt_host_straight takt_host_straight(void)
{
	return (struct takt_host_straight){4096, 0, 2, 1};
}

void takt_host_cpu(struct takt_text *text)
{
	char line[32];
	unsigned long id;

	takt_first_line(line, sizeof(line), MIDR_PATH);
	id = strtoul(line, NULL, 16);
	if (id)
		takt_text_printf(
			text, "AArch64, implementer 0x%02lx part 0x%03lx variant %lu revision %lu",
			id >> 24 & 0xff, id >> 4 & 0xfff, id >> 20 & 15, id & 15);
	else
		takt_text_add_string(text, "AArch64");
}

/* Cumulative exceptions in FPSR. */
#define FP_INVALID 0x01u
#define FP_BY_ZERO 0x02u
#define FP_OVERFLOW 0x04u
#define FP_UNDERFLOW 0x08u
#define FPCR_FZ (1u << 24)

/* Interpret the exceptions. A denormal operand raises one only if it is flushed to zero, which
 * costs nothing, so denormal results alone count. */
struct takt_host_fp takt_host_fp_read(uint32_t raised, const struct takt_host_state *state,
				      bool ignores_flush)
{
	(void)ignores_flush;
	return (struct takt_host_fp){
		.denormal = (raised & FP_UNDERFLOW) && !(state->fp_control & FPCR_FZ),
		.flushed = (raised & FP_UNDERFLOW) && (state->fp_control & FPCR_FZ),
		.infinite = (raised & (FP_OVERFLOW | FP_BY_ZERO)) != 0,
		.invalid = (raised & FP_INVALID) != 0,
	};
}

void takt_host_state_init(struct takt_host_state *state, bool keep_denormals)
{
	*state = (struct takt_host_state){
		.fp_control = keep_denormals ? 0 : FPCR_FLUSH,
		.vector_widest_bytes = 16,
		.vector_count = TAKT_HOST_VECTOR_MAX,
	};
}

#define NO_NUMBER UINT32_MAX

/* Return the number of the register `name` among `prefix`0 … count - 1, or NO_NUMBER. */
static uint32_t numbered(const char *name, char prefix, uint32_t count)
{
	char *end;
	unsigned long number;

	if (*name != prefix || name[1] < '0' || name[1] > '9')
		return NO_NUMBER;
	number = strtoul(name + 1, &end, 10);
	return *end == 0 && number < count ? (uint32_t)number : NO_NUMBER;
}

bool takt_host_state_set(struct takt_host_state *state, const char *name, uint64_t value)
{
	uint32_t number = strcmp(name, "sp") == 0 ? SP : numbered(name, 'x', GPR_COUNT);

	if (strcmp(name, "fpcr") == 0) {
		state->fp_control = (uint32_t)value;
		return value <= UINT32_MAX && !((uint32_t)value & ~FPCR_WRITABLE);
	}
	if (number != NO_NUMBER) {
		state->gpr[number] = value;
		return true;
	}
	for (const char *prefix = "vqd"; *prefix; prefix++) {
		number = numbered(name, *prefix, TAKT_HOST_VECTOR_MAX);
		if (number != NO_NUMBER) {
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
