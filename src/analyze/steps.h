/* SPDX-License-Identifier: MIT */
/*
 * steps: what the full analysis and the fast predictor have in common: bytes to
 * instructions, timings, fused pairs and port loads. All memory is the arena's.
 */
#ifndef TAKT_ANALYZE_STEPS_H
#define TAKT_ANALYZE_STEPS_H

#include "analyze/analyze.h"

struct takt_steps {
	const struct takt_model *model;
	struct takt_block block;
	enum takt_mode mode;            /* LOOP or UNROLL */
	struct takt_timing *timings;    /* one for each instruction */
	bool *fused;                    /* the instruction joined the one before */
	uint32_t issue_slots;
	struct takt_port_load *loads;   /* one for each set of ports that occurs */
	uint32_t load_count;
	/* General registers at entry, from the options; NULL, 0: all are unrelated. */
	struct takt_entry_value *entry_values;
	uint32_t entry_value_count;
	const struct takt_memory_edge *edges; /* memory dependences; none until they are found */
	uint32_t edge_count;
};

/*
 * What an instruction waits for, as it writes it: "rax", "ymm3", "x0", or "memory". Names of
 * sets that LLVM decodes live as long as these.
 */
const char *takt_value_name(const struct takt_insn *reader, uint8_t location);
/* Causes of waiting as takt_wait_word() has them, where only x86-64 has a predecoder. */
const char *takt_cause_word(const struct takt_isa *isa, enum sim_wait cause);
const char *takt_cause_text(const struct takt_isa *isa, enum sim_wait cause);
/* From the code's region to `block`. */
TAKT_MUST_CHECK enum takt_status takt_steps_decode(struct takt_steps *steps,
						   const struct takt_code *code,
						   size_t region_index, struct takt_arena *arena,
						   struct takt_diag *diag);
/* Decides AUTO, and takes the branch off the end of an unrolled block. */
void takt_steps_set_mode(struct takt_steps *steps, enum takt_mode mode);
/* From `model`, `block` to everything else. */
void takt_steps_run(struct takt_steps *steps, struct takt_arena *arena);
/* Cycles that entry `index` of an instruction's µops puts on its ports, after fusion. */
uint32_t takt_steps_uop_count(const struct takt_steps *steps, uint32_t insn, uint32_t index);
/* The load that µops with these ports are part of. */
uint32_t takt_steps_load_index(const struct takt_steps *steps, uint32_t ports);
double takt_steps_issue_cycles(const struct takt_steps *steps);
/* Reads `options->entry_values`; `block` is there. */
TAKT_MUST_CHECK enum takt_status
takt_steps_read_entry_values(struct takt_steps *steps, const struct takt_analysis_options *options,
			     struct takt_arena *arena, struct takt_diag *diag);
void takt_steps_find_memory(struct takt_steps *steps, struct takt_arena *arena);
/* `options->loop` is the steps'. */
void takt_steps_simulate(const struct takt_steps *steps, const struct sim_options *options,
			 struct takt_arena *arena, struct sim_summary *ret_summary);

#endif
