/* SPDX-License-Identifier: MIT */
/* With a memo all comes out as without; every hit is simulated as well, and compared. */
#include "feed.h"

#define STEPS 2000u

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
	{__LINE__, "488b06480107480fafd848891e4885c075ec", 100, true, true, false, 0},
	{__LINE__, "488b06480107480fafd848891e4885c075ec", 91, true, true, false, 0},
	/* div rcx; mov rax, rbx; xor edx, edx; inc rcx; dec r8; jne */
	{__LINE__, "48f7f14889d831d248ffc149ffc875ef", 1, false, false, false, 0},
	/* mov ah, bl; add eax, ecx; push rax; pop rdx; cpuid; dec r8; jne */
	{__LINE__, "88dc01c8505a0fa249ffc875f3", 1, false, false, false, 0},
	{__LINE__, "88dc01c8505a49ffc875f5", 3, false, true, false, 0},
	/* movaps xmm1, xmm0; mulps xmm0, xmm1; mov rax, rcx; mov rcx, rax; dec r8; jne */
	{__LINE__, "0f28c80f59c14889c84889c149ffc875ef", 1, false, false, false, 0},
	/* movzx eax, word [rsi] with 66 prefixes: add ax, 0x1234; dec r8; jne */
	{__LINE__, "0fb706660534126605341249ffc875f0", 5, true, true, false, 0},
};

struct outcome {
	struct sim_stream_totals totals;
	uint64_t step_cycles, step_losses[SIM_LOSS_COUNT], insn_cycles[16];
	bool in_order;
};

static uint32_t make_accesses(const struct feed *feed, const struct program *program, uint32_t i,
			      struct sim_stream_access accesses[16])
{
	uint32_t luck = i % program->period * 2654435761u >> 20, count = 0;

	for (uint16_t k = 0; k < feed->block->insn_count && count < 14; k++) {
		const struct takt_insn *insn = &feed->kernel->steps.block.insns[k];

		for (unsigned m = 0; m < insn->memory_count; m++) {
			if (insn->memories[m].read)
				accesses[count++] = (struct sim_stream_access){
					.address = 0x2000 + luck % 5 * 8 + k * 32u,
					.insn = k,
					.size_bytes = 8,
					.extra_cycles = !program->misses  ? 0
							: luck % 50 == 7  ? 150
							: luck % 13 == 0 ? 12
									 : 0};
			if (insn->memories[m].write)
				accesses[count++] = (struct sim_stream_access){
					.address = 0x2000 + luck % 3 * 8 + k / 2 * 64u,
					.insn = k,
					.size_bytes = 8,
					.store = true,
					.extra_cycles = program->misses && luck % 31 == 3 ? 150 : 0};
		}
	}
	return count;
}

static struct outcome run(const char *core, const struct program *program, bool no_memo,
			  uint32_t check_every, struct sim_memo_counts *ret_counts)
{
	const struct sim_stream_options options = {.misses_max = 10,
						   .memory_cycles = 100,
						   .memory_line_cycles = 9,
						   .no_memo = no_memo,
						   .check_every = check_every};
	struct feed *feed = feed_new(core, program->hex, &options);
	struct outcome outcome = {0};

	for (uint32_t i = 0; i < STEPS; i++) {
		struct sim_stream_access accesses[16];
		uint32_t luck = i % program->period * 2654435761u >> 19;
		struct sim_stream_step step = {
			.block = feed->block,
			.accesses = accesses,
			.access_count = make_accesses(feed, program, i, accesses),
			.insn_count = feed->block->insn_count,
			.taken = true,
			.mispredicted = program->mispredicts && luck % 17 == 3,
			.late_cycles = program->mispredicts && luck % 19 == 4 ? 5 : 0,
			.extra_cycles = program->rests && luck % 23 == 1 ? 3000 : 0,
			.cookie = feed->fed++};

		takt_sim_stream_step(feed->stream, &step);
		if (program->rests && i % 1000 == 999)
			takt_sim_stream_rest(feed->stream, 500, feed->fed++);
	}
	takt_sim_stream_drain(feed->stream);
	takt_sim_stream_totals(feed->stream, &outcome.totals);
	outcome.step_cycles = feed->cycles;
	outcome.in_order = feed->in_order;
	memcpy(outcome.step_losses, feed->losses, sizeof(outcome.step_losses));
	memcpy(outcome.insn_cycles, feed->block->insn_cycles,
	       feed->block->insn_count * sizeof(uint64_t));
	if (feed->stream->memo)
		*ret_counts = *sim_memo_counts(feed->stream->memo);
	feed_free(feed);
	return outcome;
}

static void check_program(const char *core, const struct program *program)
{
	struct sim_memo_counts counts, checked;
	struct outcome plain = run(core, program, true, 0, NULL);
	struct outcome memo = run(core, program, false, 0, &counts);
	struct outcome twice = run(core, program, false, 1, &checked);
	struct outcome mixed = run(core, program, false, 3, &(struct sim_memo_counts){0});

	tap_ok_at(__FILE__, program->line, !memcmp(&plain, &memo, sizeof(plain)) && plain.in_order,
		  "%s: all as without: %llu, %llu cycles", core,
		  (unsigned long long)plain.totals.cycles, (unsigned long long)memo.totals.cycles);
	tap_ok_at(__FILE__, program->line,
		  !memcmp(&plain, &twice, sizeof(plain)) && !memcmp(&plain, &mixed, sizeof(plain)),
		  "%s: simulated again or not", core);
	tap_ok_at(__FILE__, program->line, checked.checked == checked.hits && !checked.wrong,
		  "%s: %llu hits, %llu wrong", core, (unsigned long long)checked.hits,
		  (unsigned long long)checked.wrong);
	tap_ok_at(__FILE__, program->line,
		  counts.hits * 100 >= counts.looked_up * program->hits_least,
		  "%s: %llu hits of %llu", core, (unsigned long long)counts.hits,
		  (unsigned long long)counts.looked_up);
}

int main(void)
{
	static const char *const cores[] = {"SNB", "SKL", "SPR", "ZEN2", "ZEN4"};

	for (size_t c = 0; c < TAKT_COUNT_OF(cores); c++)
		for (size_t p = 0; p < TAKT_COUNT_OF(programs); p++)
			check_program(cores[c], &programs[p]);
	return tap_done();
}
