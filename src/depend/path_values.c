/* SPDX-License-Identifier: MIT */
/*
 * Values along a path of control: registers and flags after the instructions that ran, as far as
 * constants and the values at entry determine them. Memory is unknown.
 */
#include "depend/interpreter.h"

struct takt_path_values {
	struct takt_machine machine;
	struct takt_program program; /* all instructions of the block */
	uint32_t kept;		     /* mask of the registers that a called function preserves */
};

/* Registers that called functions preserve: rbx, rsp, rbp, r12 to r15; x19 to x29 and sp. */
#define KEPT_X86 0x0000f038u
#define KEPT_AARCH64 0xbff80000u

struct takt_path_values *takt_path_values_new(const struct takt_block *block,
					      const struct takt_entry_value *entry_values,
					      uint32_t entry_value_count, struct takt_arena *arena)
{
	struct takt_path_values *values = TAKT_NEW(arena, struct takt_path_values);

	takt_program_make(block, TAKT_PROGRAM_WHOLE, arena, &values->program);
	values->kept = block->isa == &takt_isa_x86 ? KEPT_X86 : KEPT_AARCH64;
	for (uint32_t i = 0; i < entry_value_count; i++) {
		unsigned number = (unsigned)entry_values[i].location - TAKT_LOC_GPR;

		if (number < TAKT_GPR_COUNT)
			values->machine.registers[number] =
				(struct takt_value){entry_values[i].value, true};
	}
	return values;
}

void takt_path_values_run(struct takt_path_values *values, uint32_t insn)
{
	const struct takt_sliced_insn *sliced = &values->program.sliced[insn];
	struct takt_value addresses[TAKT_MEMORIES_MAX];
	struct takt_outcome outcome;

	takt_machine_locate(&values->machine, sliced, addresses);
	takt_machine_execute(&values->machine, sliced, addresses, 0, &outcome);
}

void takt_path_values_call(struct takt_path_values *values)
{
	for (unsigned i = 0; i < TAKT_GPR_COUNT; i++)
		if (!(values->kept >> i & 1))
			values->machine.registers[i] = (struct takt_value){.known = false};
	values->machine.flags = (struct takt_flags){0};
}

int takt_path_values_branch(const struct takt_path_values *values, uint32_t insn)
{
	const struct takt_sliced_insn *sliced = &values->program.sliced[insn];
	struct takt_value holds = takt_condition_test(sliced->condition, &values->machine.flags);

	return holds.known ? (int)holds.bits : -1;
}
