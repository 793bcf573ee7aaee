/* SPDX-License-Identifier: MIT */
/*
 * Graphs of real blocks, judged by their loop-carried limit on a shipped core. The
 * comment of a row derives it from the latencies in the core's timing file.
 */
#include "../tap.h"
#include "bounds/bounds.h"

struct row {
	int line;
	const char *core, *hex;
	double loop_carried;
	unsigned memory_edges;
	const char *what;
};

static const struct row rows[] = {
	/* fld pushes, faddp pops: the accumulator is st0 again. fadd 3 */
	{__LINE__, "SKX", "dd00dec1", 3, 0, "fldl (rax); faddp"},
	{__LINE__, "SKX", "d8c1", 3, 0, "fadd st1 to st0"},
	/* fxch is free and swaps: each of two values is added to every other time. 3 / 2 */
	{__LINE__, "SKX", "d9c9d8c2", 1.5, 0, "fxch; fadd st2 to st0"},
	{__LINE__, "SKX", "dd00d8c9dd1b", 0, 0, "fld; fmul by what stays; fstp"},
	{__LINE__, "SKX", "dd00", 0, 0, "fld alone turns the stack"},
	/* bl keeps the rest of rbx: 1; al keeps the rest of rax: 1 */
	{__LINE__, "SKX", "88e30401", 1, 0, "mov bl, ah; add al, 1"},
	/* ah has a name of its own: two chains of 1 */
	{__LINE__, "SKX", "80c4010401", 1, 0, "add ah, 1; add al, 1"},
	/* and here it has none: one chain, with its own cost of touching ah */
	{__LINE__, "ICL", "04010401", 2, 0, "add al, 1 twice"},
	/* store 1 + load from store 3 */
	{__LINE__, "SKX", "488907488b07", 4, 1, "mov [rdi], rax; mov rax, [rdi]"},
	{__LINE__, "SKX", "488947084883c708488b07", 4, 1, "through rdi + 8"},
	/* load 3 + add 1 + store 1, an iteration apart */
	{__LINE__, "SKX", "488b074801d8488947084883c708", 5, 1, "prefix sum"},
	{__LINE__, "SKX", "488b074801d8488947104883c708", 1, 0, "two iterations apart: not here"},
	{__LINE__, "SKX", "8907488b07", 0, 0, "a store narrower than the load"},
	{__LINE__, "SKX", "4889078b07", 4, 1, "a load within the store"},
	/* push and pop rename rsp away; the value goes 1 + 3 */
	{__LINE__, "SKX", "5058", 4, 1, "push rax; pop rax"},
	{__LINE__, "SKX", "4889e550488b45f8", 4 - 3, 1, "push seen through rbp = rsp"},
	/* xchg 1>2 is 1 and 2>1 is 2; +1; over two iterations: 4 / 2 */
	{__LINE__, "SKX", "48934883c001", 2, 0, "xchg rax, rbx; add rax, 1"},
	{__LINE__, "SKX", "48f7e3", 3, 0, "mul rbx: rax to rax"},
	/* low and high halves have their own latency: rdx to rdx 4 */
	{__LINE__, "SKX", "c4e2e3f6d0", 4, 0, "mulx rdx, rbx, rax"},
	{__LINE__, "SKX", "f20f51c1", 13, 0, "sqrtsd merges into its destination"},
	{__LINE__, "SKX", "c5f351c1", 0, 0, "vsqrtsd takes the upper part elsewhere"},
	{__LINE__, "SKX", "62f1ed4958c1", 4, 0, "merge masking keeps the old value"},
	{__LINE__, "SKX", "62f1edc958c1", 0, 0, "zero masking does not"},
	/* adc waits for CF, which inc does not write: rcx 1, CF 1, rax 1 */
	{__LINE__, "SKX", "48ffc04811d9", 1, 0, "inc rax; adc rcx, rbx"},
	{__LINE__, "SKX", "c5f9efc0c5f1fec0", 0, 0, "vpxor same; vpaddd"},
	{__LINE__, "SKX", "4819c0", 1, 0, "sbb rax, rax waits for the carry"},
	{__LINE__, "ZEN3", "4819c0", 1, 0, "sbb rax, rax there too"},
	/* small constants are added at rename on this core */
	{__LINE__, "SPR", "4883c001", 0, 0, "add rax, 1"},
	{__LINE__, "SPR", "4881c000100000", 1, 0, "add rax, 4096"},
};

static size_t read_hex(const char *hex, uint8_t *bytes)
{
	size_t count = strlen(hex) / 2;

	for (size_t i = 0; i < count; i++) {
		unsigned value;

		sscanf(hex + 2 * i, "%2x", &value);
		bytes[i] = (uint8_t)value;
	}
	return count;
}

static void check(const struct row *row, struct takt_diag *diag)
{
	struct takt_graph_options options = {.loop = true};
	struct takt_timing_storage storage[16];
	struct takt_timing timings[16];
	struct takt_arena arena = {0};
	struct takt_graph graph;
	struct takt_model *model;
	struct takt_block block;
	uint8_t bytes[64];
	double got;

	if (!ok(takt_model_open(row->core, NULL, diag, &model) == TAKT_OK &&
			takt_decode_block(bytes, read_hex(row->hex, bytes), 0, "test", NULL, &arena,
					  diag, &block) == TAKT_OK,
		"%s: %s", row->core, row->what))
		return;
	for (uint32_t i = 0; i < block.count; i++)
		takt_model_timing(model, &block.insns[i], &storage[i], &timings[i]);
	takt_graph_build(model, &block, timings, &options, &arena, &graph);
	got = takt_loop_carried_bound(&graph, &arena);
	tap_ok_at(__FILE__, row->line, fabs(got - row->loop_carried) < 1e-9,
		  "loop-carried %g, want %g", got, row->loop_carried);
	tap_ok_at(__FILE__, row->line, graph.memory_edge_count == row->memory_edges,
		  "memory edges %u, want %u", graph.memory_edge_count, row->memory_edges);
	options.no_memory_dependences = true;
	takt_graph_build(model, &block, timings, &options, &arena, &graph);
	tap_ok_at(__FILE__, row->line, graph.memory_edge_count == 0, "none when not wanted");
	takt_model_close(model);
	takt_arena_release(&arena);
}

int main(void)
{
	struct takt_diag *diag = takt_diag_new();

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check(&rows[i], diag);
	takt_diag_free(diag);
	return tap_done();
}
