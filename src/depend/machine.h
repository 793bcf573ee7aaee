/* SPDX-License-Identifier: MIT */
/*
 * machine: registers, flags and memory as a program finds and leaves them. Private to
 * depend.
 */
#ifndef TAKT_DEPEND_MACHINE_H
#define TAKT_DEPEND_MACHINE_H

#include "depend/program.h"
#include "depend/shadow.h"

struct takt_machine {
	struct takt_value registers[TAKT_GPR_COUNT];
	struct takt_flags flags;
	struct takt_shadow *shadow; /* NULL: stores are not kept, loads are not known */
};

/* Random registers, and flags that are not known; memory is left to the caller. */
void takt_machine_reset(struct takt_machine *machine, uint64_t seed,
			const struct takt_entry_value *entry_values, uint32_t entry_value_count);
/* The addresses of the step's touches, in order. */
void takt_machine_locate(const struct takt_machine *machine, const struct takt_program_step *step,
			 struct takt_value ret_addresses[TAKT_MEMORIES_MAX]);

/* What a step was given, and what it made of it. */
struct takt_outcome {
	struct takt_computation computation;
	struct takt_result result;
	struct takt_flags flags; /* before */
};

/* Then executes it; stores are entered as by `writer`, plus the place's index. */
void takt_machine_execute(struct takt_machine *machine, const struct takt_program_step *step,
			  const struct takt_value addresses[TAKT_MEMORIES_MAX], uint32_t writer,
			  struct takt_outcome *ret_outcome);

#endif
