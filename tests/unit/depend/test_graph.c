/* SPDX-License-Identifier: MIT */
/*
 * Graphs of real blocks, judged by their loop-carried limit on a shipped core. The
 * comment of a row derives it from the latencies in the core's timing file.
 */
#include "blocks.h"

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
	{__LINE__, "SKX", "488b074801d8488947104883c708", 2.5, 1, "the same in two iterations"},
	/* 4, and 10 because the load must wait for the cache */
	{__LINE__, "SKX", "8907488b07", 14, 1, "a store narrower than the load"},
	{__LINE__, "SKX", "4889078b07", 4, 1, "a load within the store"},
	/* non-temporal: 932 to memory, and 4 of the load; what is not read back waits for none
	 */
	{__LINE__, "SKX", "0f2b060f2806", 936, 1, "movntps [rsi], xmm0; movaps xmm0, [rsi]"},
	{__LINE__, "SKX", "0f28060f2b07", 0, 0, "movaps xmm0, [rsi]; movntps [rdi], xmm0"},
	/* push and pop rename rsp away; the value goes 1 + 3 */
	{__LINE__, "SKX", "5058", 4, 1, "push rax; pop rax"},
	{__LINE__, "SKX", "4889e550488b45f8", 4, 1, "push seen through rbp = rsp"},
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
	{__LINE__, "SKX", "4811d8", 1, 0, "adc rax, rbx: carry and register"},
	{__LINE__, "SKX", "480f45c3", 1, 0, "cmovne rax, rbx keeps rax"},
	/* the load's address does not join the sum: rbx 1, rdi 1 */
	{__LINE__, "SKX", "488b074801c34883c708", 1, 0, "rbx += [rdi]; rdi += 8"},
	{__LINE__, "SKX", "488b3f4801fb", 4, 0, "rdi = [rdi]; rbx += rdi"},
	{__LINE__, "SKX", "480fafc331c0", 0, 0, "imul rax, rbx; xor eax, eax cuts"},
	/* rdx to rdx 1; flags pass shr by, which takes 0: the load's 4 are on no cycle */
	{__LINE__, "SKX", "d3eaf6445101ff", 1, 0, "shr edx, cl; test byte ptr [rcx+rdx*2+1], 255"},
	{__LINE__, "SKX", "4889c34883c3014889d8", 1, 0, "rbx = rax; rbx += 1; rax = rbx"},
	/* small constants are added at rename on this core */
	{__LINE__, "SPR", "4883c001", 0, 0, "add rax, 1"},
	{__LINE__, "SPR", "4881c000100000", 1, 0, "add rax, 4096"},
	/* load 4, add 1, store 1, mul 4. What a base steps on by waits for nothing else. */
	{__LINE__, "N1", "010040f921040091010000f9", 6, 1, "ldr x1,[x0]; add x1,x1,1; str x1,[x0]"},
	{__LINE__, "N1", "018440f8010400f9", 2.5, 1, "ldr x1,[x0],8; str x1,[x0,8]"},
	{__LINE__, "N1", "0004c13c2004813c", 1, 0, "ldr q0,[x0],16; str q0,[x1],16"},
	{__LINE__, "N1", "0078df4c", 1, 0, "ld1 {v0.4s},[x0],16"},
	{__LINE__, "N1", "0004c1ac200481ac", 1, 0, "ldp q0,q1,[x0],32; stp q0,q1,[x1],32"},
	{__LINE__, "N1", "000040f9", 4, 0, "ldr x0,[x0]"},
	{__LINE__, "N1", "010840a9417c039b010800a9", 5, 2,
	 "ldp x1,x2,[x0]; mul x1,x2,x3; stp x1,x2,[x0]"},
	{__LINE__, "N1", "010840a9427c039b010800a9", 9, 2,
	 "ldp x1,x2,[x0]; mul x2,x2,x3; stp x1,x2,[x0]"},
	{__LINE__, "N1", "427c039b010800a9020440f9", 9, 1,
	 "mul x2,x2,x3; stp x1,x2,[x0]; ldr x2,[x0,8]"},
	{__LINE__, "N1", "227c039b010800a9020040f9", 0, 1,
	 "mul x2,x1,x3; stp x1,x2,[x0]; ldr x2,[x0]"},
	{__LINE__, "N1", "fd7bbfa9fd7bc1a8", 5, 2, "stp x29,x30,[sp,-16]!; ldp x29,x30,[sp],16"},
};

static void check(const struct row *row, struct takt_diag *diag)
{
	struct takt_graph_options options = {.loop = true};
	struct takt_arena arena = {0};
	struct takt_model *model;
	struct takt_block block;
	struct takt_graph graph;
	double got;

	if (!ok(takt_model_open(row->core, NULL, diag, &model) == TAKT_OK, "%s: %s", row->core,
		row->what))
		return;
	block = make_isa_block(takt_model_isa(model), row->hex, &arena);
	graph = make_graph(model, &block, options, &arena);
	got = takt_loop_carried_bound(&graph, &arena);
	tap_ok_at(__FILE__, row->line, fabs(got - row->loop_carried) < 1e-9,
		  "loop-carried %g, want %g", got, row->loop_carried);
	tap_ok_at(__FILE__, row->line, graph.memory_edge_count == row->memory_edges,
		  "memory edges %u, want %u", graph.memory_edge_count, row->memory_edges);
	options.lean = true;
	graph = make_graph(model, &block, options, &arena);
	tap_ok_at(__FILE__, row->line, takt_loop_carried_bound(&graph, &arena) == got,
		  "lean: the same");
	options = (struct takt_graph_options){.loop = true, .no_memory_dependences = true};
	graph = make_graph(model, &block, options, &arena);
	tap_ok_at(__FILE__, row->line, graph.memory_edge_count == 0, "none when not wanted");
	takt_model_close(model);
	takt_arena_release(&arena);
}

/* Once through, on a core of round figures: work 1, load 4 in front, store 1 behind. */
static const struct {
	int line;
	const char *hex;
	double critical_path;
	const char *what;
} once[] = {
	{__LINE__, "4801d8", 1, "add rax, rbx"},
	{__LINE__, "4801d84801c3", 2, "add rax, rbx; add rbx, rax"},
	{__LINE__, "b805000000", 1, "mov eax, 5 takes its time too"},
	{__LINE__, "b8050000004801d8", 2, "and what adds to it"},
	{__LINE__, "31c04801d8", 1, "xor eax, eax takes none"},
	{__LINE__, "480307", 5, "add rax, [rdi]"},
	{__LINE__, "48030510000000", 5, "add rax, [rip + 16] from no register"},
	{__LINE__, "48ff0510000000", 6, "inc [rip + 16]"},
	{__LINE__, "4839d875fb", 1, "cmp; jne: nothing waits for a branch"},
	{__LINE__, "488907488b07", 4, "store and load back: 1 + 3"},
	{__LINE__, "480fc307", 1, "movnti [rdi], rax takes as long as mov"},
	{__LINE__, "480fc307488b07", 303, "and 300 if it is loaded back: and 3"},
	{__LINE__, "0ff7c1", 9, "maskmovq: its own time"},
	{__LINE__, "90", 0, "nop"},
};

static void check_once(void)
{
	struct takt_arena arena = {0};
	struct fixture fixture;
	struct takt_model *model;

	fixture_open(&fixture);
	model = fixture_core(&fixture,
			     "store_forward_cycles 4\nload_latency_int 4\n"
			     "compose load | 1*p1 | lat=4\ncompose store | 1*p2 | lat=1\n"
			     "default int | 1*p0 | lat=1\n",
			     "xor r32, r32 [same] | - | lat=0 slots=1 zero\n"
			     "movnti m64, r64 | 1*p2 | lat=300,a>1:301\n"
			     "maskmovq mm, mm | 1*p2 | lat=9\n");
	for (size_t i = 0; model && i < TAKT_COUNT_OF(once); i++) {
		struct takt_graph_options options = {0};
		struct takt_block block = make_block(once[i].hex, &arena);
		struct takt_graph graph = make_graph(model, &block, options, &arena);
		struct takt_path path;

		takt_critical_path(&graph, &arena, &path);
		tap_ok_at(__FILE__, once[i].line, path.cycles == once[i].critical_path,
			  "%s: critical path %g, want %g", once[i].what, path.cycles,
			  once[i].critical_path);
		tap_ok_at(__FILE__, once[i].line, takt_loop_carried_bound(&graph, &arena) == 0,
			  "%s: nothing is carried outside a loop", once[i].what);
		takt_arena_clear(&arena);
	}
	fixture_end(&fixture, model);
	takt_arena_release(&arena);
}

int main(void)
{
	struct takt_diag *diag = takt_diag_new();

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check(&rows[i], diag);
	takt_diag_free(diag);
	check_once();
	return tap_done();
}
