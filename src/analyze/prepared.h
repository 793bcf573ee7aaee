/* SPDX-License-Identifier: MIT */
/*
 * prepared: what the full analysis and the fast predictor share: decoding bytes to instructions,
 * looking up timings, finding fused pairs and port loads. All memory is the arena's.
 */
#ifndef TAKT_ANALYZE_PREPARED_H
#define TAKT_ANALYZE_PREPARED_H

#include "analyze/analyze.h"

struct takt_prepared {
	const struct takt_model *model;
	struct takt_block block;
	enum takt_mode mode;	     /* LOOP or UNROLL, never AUTO */
	struct takt_timing *timings; /* one for each instruction */
	bool *fused;		     /* for each instruction: it is fused with the one before */
	uint32_t issue_slots;
	struct takt_port_load *loads; /* one for each set of ports that occurs */
	uint32_t load_count;
	/* General registers at entry, from the options; NULL and 0: all are unrelated. */
	struct takt_entry_value *entry_values;
	uint32_t entry_value_count;
	const struct takt_memory_edge *edges; /* memory dependences; NULL until they are found */
	uint32_t edge_count;
};

/*
 * Return the name of what an instruction waits for, as the instruction writes it: "rax", "ymm3",
 * "x0", or "memory". Names in instruction sets that LLVM decodes live as long as the prepared
 * block.
 */
const char *takt_value_name(const struct takt_insn *reader, uint8_t location);
/*
 * Return the name of a stall cause as takt_stall_word() does, except that only x86-64 has a
 * predecoder.
 */
const char *takt_cause_word(const struct takt_isa *isa, enum sim_stall cause);
const char *takt_cause_text(const struct takt_isa *isa, enum sim_stall cause);
/* Decode the code's region into `block`. */
TAKT_MUST_CHECK enum takt_status takt_prepared_decode(struct takt_prepared *prepared,
						      const struct takt_code *code,
						      size_t region_index, struct takt_arena *arena,
						      struct takt_diag *diag);
/* Replace AUTO by LOOP or UNROLL, and remove the branch at the end of an unrolled block. */
void takt_prepared_set_mode(struct takt_prepared *prepared, enum takt_mode mode);
/* Fill all other fields from `model` and `block`. */
void takt_prepared_run(struct takt_prepared *prepared, struct takt_arena *arena);
/* Return the cycles that entry `index` of an instruction's µops puts on its ports, after fusion. */
uint32_t takt_prepared_uop_count(const struct takt_prepared *prepared, uint32_t insn,
				 uint32_t index);
/* Return the index of the load on this set of ports; UINT32_MAX if there is none. */
uint32_t takt_prepared_load_index(const struct takt_prepared *prepared, uint32_t ports);
double takt_prepared_issue_cycles(const struct takt_prepared *prepared);
/* Read `options->entry_values`; `block` must be decoded. */
TAKT_MUST_CHECK enum takt_status
takt_prepared_read_entry_values(struct takt_prepared *prepared,
				const struct takt_analysis_options *options,
				struct takt_arena *arena, struct takt_diag *diag);
void takt_prepared_find_memory(struct takt_prepared *prepared, struct takt_arena *arena);
/* Simulate the block; `options->loop` is set from the block. */
void takt_prepared_simulate(const struct takt_prepared *prepared, const struct sim_options *options,
			    struct takt_arena *arena, struct sim_summary *ret_summary);
/* Return the block as the simulator takes it; it points into `prepared`. */
struct sim_block takt_prepared_block(const struct takt_prepared *prepared);
/* Simulate the block as a loop that is left after `iterations`; `steady` is without an end. */
void takt_prepared_execute(const struct takt_prepared *prepared, const struct sim_options *options,
			   const struct sim_summary *steady, uint64_t iterations,
			   struct takt_arena *arena, struct sim_execution *ret_execution);

#endif
