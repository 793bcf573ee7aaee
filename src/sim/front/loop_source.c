/* SPDX-License-Identifier: MIT */
/* The source of a block repeated without end, as a loop or as copies that follow each other. */
#include "sim/front/front_end.h"

/* Return the next item of instructions that have addresses of their own. */
static void next_placed(struct sim_code_source *source, struct sim_item *ret_item)
{
	struct sim_loop_source *loop = (struct sim_loop_source *)source;
	const uint64_t *addresses = loop->program->addresses;
	uint32_t insn = loop->insn;
	bool last = insn + 1 == loop->program->insn_count;

	*ret_item = (struct sim_item){
		.insn = insn,
		.iteration = loop->iteration,
		.address = addresses[insn],
		.taken = sim_program_leaves(loop->program, insn),
	};
	loop->insn = last ? 0 : insn + 1;
	loop->iteration += last;
}

static void next(struct sim_code_source *source, struct sim_item *ret_item)
{
	struct sim_loop_source *loop = (struct sim_loop_source *)source;
	const struct sim_program *program = loop->program;
	bool last = loop->insn + 1 == program->insn_count;

	*ret_item = (struct sim_item){
		.insn = loop->insn,
		.iteration = loop->iteration,
		.address = loop->address,
		.taken = last && loop->loop,
	};
	loop->address += program->insns[loop->insn].length_bytes;
	loop->insn++;
	if (!last)
		return;
	loop->insn = 0;
	loop->iteration++;
	if (loop->loop)
		loop->address = loop->start;
}

void sim_loop_source_init(struct sim_loop_source *source, const struct sim_program *program,
			  const struct sim_options *options)
{
	*source = (struct sim_loop_source){
		.source = {program->addresses ? next_placed : next},
		.program = program,
		.start = options->alignment_bytes,
		.address = options->alignment_bytes,
		.loop = options->loop,
	};
}
