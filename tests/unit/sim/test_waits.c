/* SPDX-License-Identifier: MIT */
/* Kernels with one bottleneck each: the waits must name it, and sum to the cycles. */
#include "kernel.h"

#define BYTES_MAX 1024

struct wanted {
	int line;
	const char *core;
	const char *what;
	enum sim_stall cause;
	const char *port; /* of PORT and UNIT, or "" */
	uint32_t insn;	  /* one that it is due to */
	uint8_t bytes[48];
	uint8_t size;
};

#define ROW(core, what, cause, port, insn, ...)                                                    \
	{                                                                                          \
		__LINE__, core, what, cause, port, insn, {__VA_ARGS__},                            \
			(uint8_t)sizeof((uint8_t[]){__VA_ARGS__})                                  \
	}

static const struct wanted kernels[] = {
	ROW("SKL", "imul rax, rax", SIM_STALL_LATENCY, "", 0, 0x48, 0x0f, 0xaf, 0xc0),
	ROW("SKL", "mov rdi, [rdi]", SIM_STALL_LOAD, "", 0, 0x48, 0x8b, 0x3f),
	ROW("SKL", "two independent pdep", SIM_STALL_PORT, "p1", 1, 0xc4, 0xe2, 0xe3, 0xf5, 0xc1,
	    0xc4, 0xe2, 0xe3, 0xf5, 0xd1),
	ROW("SKL", "vdivpd ymm0, ymm1, ymm2", SIM_STALL_UNIT, "d0", 0, 0xc5, 0xf5, 0x5e, 0xc2),
	ROW("SKL", "five nops", SIM_STALL_RENAME, "", 4, 0x90, 0x90, 0x90, 0x90, 0x90),
	ROW("SKL", "two nops of eight bytes", SIM_STALL_PREDECODE, "", 1, 0x0f, 0x1f, 0x84, 0, 0, 0,
	    0, 0, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0),
	ROW("SKL", "two mulx, first decoder only", SIM_STALL_DECODE, "", 0, 0xc4, 0xe2, 0xe3, 0xf6,
	    0xc1, 0xc4, 0xe2, 0xc3, 0xf6, 0xf1),
	ROW("SKL", "rep movsb", SIM_STALL_MICROCODE, "", 0, 0xf3, 0xa4),
	ROW("SKL", "mov [rsi], rax; mov rax, [rsi]", SIM_STALL_FORWARD, "", 1, 0x48, 0x89, 0x06,
	    0x48, 0x8b, 0x06),
	ROW("SKL", "mov [rsi], eax; mov rax, [rsi]", SIM_STALL_FORWARD_FAIL, "", 1, 0x89, 0x06,
	    0x48, 0x8b, 0x06),
	ROW("SKL", "three stores in a loop", SIM_STALL_PORT, "p4", 2, 0x48, 0x89, 0x06, 0x48, 0x89,
	    0x86, 0, 1, 0, 0, 0x48, 0x89, 0x86, 0, 2, 0, 0, 0xff, 0xc9, 0x75, 0xeb),
	ROW("ICL", "stores to different lines in a loop", SIM_STALL_COMMIT, "", 3, 0x48, 0x89, 0x06,
	    0x48, 0x89, 0x46, 0x40, 0x48, 0x89, 0x86, 0x80, 0, 0, 0, 0x48, 0x89, 0x86, 0xc0, 0, 0,
	    0, 0xff, 0xc9, 0x75, 0xe7),
	ROW("ZEN4", "likewise, with a choice of ports", SIM_STALL_COMMIT, "", 3, 0x48, 0x89, 0x06,
	    0x48, 0x89, 0x46, 0x40, 0x48, 0x89, 0x86, 0x80, 0, 0, 0, 0x48, 0x89, 0x86, 0xc0, 0, 0,
	    0, 0xff, 0xc9, 0x75, 0xe7),
};

static void find(struct sim_kernel *kernel, struct sim_stalls *ret_stalls)
{
	const struct sim_options options = {.loop = kernel->loop, .ret_stalls = ret_stalls};
	struct sim_summary summary;

	takt_simulate(&kernel->block, &options, &kernel->arena, &summary);
	is_near(ret_stalls->cycles, summary.cycles, "cycles");
}

static void check_sums(int line, const struct sim_stalls *stalls)
{
	double shares = 0, of_insns = 0;

	for (uint32_t s = 0; s < stalls->share_count; s++) {
		shares += stalls->shares[s].cycles;
		for (uint32_t i = 0; i < stalls->shares[s].insn_count; i++)
			of_insns += stalls->shares[s].insn_cycles[i];
	}
	tap_is_near(__FILE__, line, shares, stalls->cycles, "shares sum to the cycles");
	tap_is_near(__FILE__, line, of_insns, stalls->cycles, "so do their instructions");
}

static bool has_insn(const struct sim_stall_share *share, uint32_t insn)
{
	for (uint32_t i = 0; i < share->insn_count; i++)
		if (share->insns[i] == insn)
			return true;
	return false;
}

static void check_kernel(const struct wanted *wanted)
{
	struct sim_kernel *kernel = kernel_new(wanted->core, wanted->bytes, wanted->size);
	const struct sim_stall_share *worst;
	struct sim_stalls stalls;

	find(kernel, &stalls);
	worst = stalls.shares;
	check_sums(wanted->line, &stalls);
	/* All of the cycles where this was written; the rest is for rows with a second cause. */
	tap_ok_at(__FILE__, wanted->line,
		  stalls.share_count && worst->cause == wanted->cause &&
			  worst->cycles > .75 * stalls.cycles,
		  "%s: %g of %g cycles wait for %s", wanted->what, worst->cycles, stalls.cycles,
		  takt_stall_word(worst->cause));
	tap_ok_at(__FILE__, wanted->line, has_insn(worst, wanted->insn), "due to %u", wanted->insn);
	if (*wanted->port)
		tap_is_string(__FILE__, wanted->line,
			      takt_model_port_name(kernel->model, worst->port), wanted->port,
			      "port");
	else
		tap_is_int(__FILE__, wanted->line, worst->port, SIM_PORT_NONE, "no port");
	tap_ok_at(__FILE__, wanted->line, stalls.exact, "the path repeats");
	kernel_free(kernel);
}

static size_t append(uint8_t *bytes, size_t size, const void *more, size_t count)
{
	memcpy(bytes + size, more, count);
	return size + count;
}

/*
 * A square root and a chain of products, anew in each iteration, and so many other
 * instructions that no more than two iterations fit in the buffer.
 */
static void check_buffer(enum sim_stall cause, int others, const uint8_t *other, size_t other_size)
{
	static const uint8_t load[] = {0xc5, 0xfd, 0x28, 0x06}, root[] = {0xc5, 0xfd, 0x51, 0xc0};
	static const uint8_t product[] = {0xc5, 0xfd, 0x59, 0xc0};
	uint8_t bytes[BYTES_MAX], end[] = {0xff, 0xc9, 0x0f, 0x85, 0, 0, 0, 0};
	size_t size = append(bytes, 0, load, sizeof(load));
	struct sim_stalls stalls;
	struct sim_kernel *kernel;
	int32_t back;

	size = append(bytes, size, root, sizeof(root));
	for (int i = 0; i < 14; i++)
		size = append(bytes, size, product, sizeof(product));
	for (int i = 0; i < others; i++)
		size = append(bytes, size, other, other_size);
	back = -(int32_t)(size + sizeof(end));
	memcpy(end + 4, &back, sizeof(back));
	size = append(bytes, size, end, sizeof(end));
	kernel = kernel_new("SKL", bytes, size);
	find(kernel, &stalls);
	check_sums(__LINE__, &stalls);
	/* All of them, and 95 % for the load queue, where this was written. */
	ok(stalls.shares->cause == cause && stalls.shares->cycles > .9 * stalls.cycles,
	   "%s: %g of %g cycles wait for %s", takt_stall_word(cause), stalls.shares->cycles,
	   stalls.cycles, takt_stall_word(stalls.shares->cause));
	ok(has_insn(stalls.shares, 1), "due to the square root");
	kernel_free(kernel);
}

int main(void)
{
	static const uint8_t move[] = {0x48, 0xc7, 0xc3, 1, 0, 0, 0}; /* mov rbx, 1 */
	static const uint8_t load[] = {0x48, 0x8b, 0x1e};	      /* mov rbx, [rsi] */

	for (size_t i = 0; i < TAKT_COUNT_OF(kernels); i++)
		check_kernel(&kernels[i]);
	check_buffer(SIM_STALL_ROB, 100, move, sizeof(move));
	check_buffer(SIM_STALL_LOAD_QUEUE, 80, load, sizeof(load));
	return tap_done();
}
