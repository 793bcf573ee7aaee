/* SPDX-License-Identifier: MIT */
/* Programs that make a stream's core do everything that it can. */
#ifndef TAKT_TESTS_SIM_PROGRAMS_H
#define TAKT_TESTS_SIM_PROGRAMS_H

#include "feed.h"

#define PROGRAM_STEPS 2000u

static const char *const program_cores[] = {"SNB",  "SKL",   "SPR", "ZEN2",
					    "ZEN4", "ADL-P", "ICL", "ZEN5"};

struct program {
	int line;
	const char *hex;
	uint32_t period; /* of what its steps access, and how they end */
	bool misses, mispredicts, rests;
	uint32_t hits_least; /* in 100 chunks that were looked up */
};

static const struct program programs[] = {
	/* mov rax, [rsi]; add [rdi], rax; imul rbx, rax; mov [rsi], rbx; test rax, rax; jne */
	{__LINE__, "488b06480107480fafd848891e4885c075ec", 1, false, false, false, 0},
	{__LINE__, "488b06480107480fafd848891e4885c075ec", 7, false, true, false, 0},
	{__LINE__, "488b06480107480fafd848891e4885c075ec", 100, true, true, true, 0},
	{__LINE__, "488b06480107480fafd848891e4885c075ec", 91, true, true, false, 0},
	/* add rax, [rsi]; movnti [rsi], rax; dec r8; jne */
	{__LINE__, "480306480fc30649ffc875f4", 7, false, true, false, 0},
	{__LINE__, "480306480fc30649ffc875f4", 91, true, false, false, 0},
	/* div rcx; mov rax, rbx; xor edx, edx; inc rcx; dec r8; jne */
	{__LINE__, "48f7f14889d831d248ffc149ffc875ef", 1, false, false, false, 0},
	/* mov ah, bl; add eax, ecx; push rax; pop rdx; cpuid; dec r8; jne */
	{__LINE__, "88dc01c8505a0fa249ffc875f3", 1, false, false, false, 0},
	{__LINE__, "88dc01c8505a49ffc875f5", 3, false, true, false, 0},
	/* movaps xmm1, xmm0; mulps xmm0, xmm1; mov rax, rcx; mov rcx, rax; dec r8; jne */
	{__LINE__, "0f28c80f59c14889c84889c149ffc875ef", 1, false, false, false, 0},
	/* movzx eax, word [rsi] with 66 prefixes: add ax, 0x1234; dec r8; jne */
	{__LINE__, "0fb706660534126605341249ffc875f0", 5, true, true, true, 0},
	/* Additions enough to wait for ALUs, of which rsp is one; push, add rcx, rsp, pop; dec; jne
	 */
	{__LINE__,
	 "4801d84801da4901d94901da4901db4901dc4901dd4801dc534801e15b4829dc4901de4901df49ffc875d5",
	 7, false, true, false, 0},
	/* add rcx, rsp, after an offset of the stack engine and a branch; additions; push; dec; jne
	 */
	{__LINE__, "4801e14801da4901d94901da4901db4901dc4901dd5049ffc875e5", 7, false, true, false,
	 0},
	/* mov rax, [rsi]; imul rbx, rbx; then ror by 3 of eight registers, each twice; dec r8; jne:
	 * losses that several ports have in common */
	{__LINE__,
	 "488b06480fafdb"
	 "48c1c90348c1ca0348c1cd0348c1cf0349c1c90349c1ca0349c1cb0349c1cc03"
	 "49c1cd0349c1ce0349c1cf03"
	 "49ffc875cc",
	 7, false, true, false, 0},
};

struct outcome {
	struct sim_stream_totals totals;
	uint64_t step_cycles, step_losses[SIM_LOSS_COUNT], insn_cycles[20];
	bool in_order;
};

__attribute__((unused)) static uint32_t make_accesses(const struct feed *feed,
						      const struct program *program, uint32_t i,
						      struct sim_stream_access accesses[16])
{
	uint32_t luck = i % program->period * 2654435761u >> 20, count = 0;

	for (uint16_t k = 0; k < feed->block->insn_count && count < 14; k++) {
		const struct takt_insn *insn = &feed->kernel->prepared.block.insns[k];

		for (unsigned m = 0; m < insn->memory_count; m++) {
			if (insn->memories[m].read)
				accesses[count++] = (struct sim_stream_access){
					.address = 0x2000 + luck % 5 * 8 + k * 32u,
					.insn = k,
					.size_bytes = 8,
					.extra_cycles = !program->misses ? 0
							: luck % 50 == 7 ? 150
							: luck % 13 == 0 ? 12
									 : 0};
			if (insn->memories[m].write)
				accesses[count++] = (struct sim_stream_access){
					.address = 0x2000 + luck % 3 * 8 + k / 2 * 64u,
					.insn = k,
					.size_bytes = 8,
					.store = true,
					.extra_cycles =
						program->misses && luck % 31 == 3 ? 150 : 0};
		}
	}
	return count;
}

__attribute__((unused)) static struct feed *
program_new(const char *core, const struct program *program, bool no_memo, uint32_t check_every)
{
	const struct sim_stream_options options = {.misses_max = program->misses ? 10 : 0,
						   .memory_cycles = 100,
						   .memory_line_cycles = program->misses ? 9 : 0,
						   .no_memo = no_memo,
						   .check_every = check_every};

	return feed_new(core, program->hex, &options);
}

__attribute__((unused)) static void program_step(struct feed *feed, const struct program *program,
						 uint32_t i)
{
	struct sim_stream_access accesses[16];
	uint32_t luck = i % program->period * 2654435761u >> 19;
	struct sim_stream_step step = {.block = feed->block,
				       .accesses = accesses,
				       .access_count = make_accesses(feed, program, i, accesses),
				       .insn_count = feed->block->insn_count,
				       .taken = true,
				       .mispredicted = program->mispredicts && luck % 17 == 3,
				       .late_cycles =
					       program->mispredicts && luck % 19 == 4 ? 5 : 0,
				       .extra_cycles = program->rests && luck % 23 == 1 ? 3000 : 0,
				       .cookie = feed->fed++};

	takt_sim_stream_step(feed->stream, &step);
	if (program->rests && i % 1000 == 999)
		takt_sim_stream_rest(feed->stream, 500, feed->fed++);
}

/* Frees it. */
__attribute__((unused)) static void program_end(struct feed *feed, struct outcome *ret_outcome)
{
	takt_sim_stream_drain(feed->stream);
	takt_sim_stream_totals(feed->stream, &ret_outcome->totals);
	ret_outcome->step_cycles = feed->cycles;
	ret_outcome->in_order = feed->in_order;
	memcpy(ret_outcome->step_losses, feed->losses, sizeof(ret_outcome->step_losses));
	memcpy(ret_outcome->insn_cycles, feed->block->insn_parts,
	       feed->block->insn_count * sizeof(uint64_t));
	feed_free(feed);
}

#endif
