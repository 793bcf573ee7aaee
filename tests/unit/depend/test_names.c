/* SPDX-License-Identifier: MIT */
/* Parts of registers, on cores that rename more or less of them. */
#include "depend/depend.h"
#include "blocks.h"

/* What is renamed; every instruction takes a cycle, loads 4 more. */
#define ALL "merge_upper_false_dependence yes\nhigh8_renamed yes\nstack_engine yes\n"
#define LOW "merge_upper_false_dependence no\nhigh8_renamed yes\nstack_engine yes\n"
#define NO_HIGH "merge_upper_false_dependence yes\nhigh8_renamed no\nstack_engine yes\n"
#define OFFSETS ALL "stack_engine_addresses yes\n"
#define NO_ENGINE "merge_upper_false_dependence yes\nhigh8_renamed yes\nstack_engine no\n"

static const struct {
	int line;
	const char *core, *hex;
	double loop_carried;
	const char *what;
} rows[] = {
	/* movs into al: one chain through rax, or none */
	{__LINE__, ALL, "88d888d8", 2, "mov al, bl twice keeps the rest of rax"},
	{__LINE__, LOW, "88d888d8", 0, "or has a name of its own"},
	{__LINE__, LOW, "00d8", 1, "add al, bl does read al"},
	{__LINE__, LOW, "00d84883c101", 1, "and adds to it"},
	{__LINE__, LOW, "88d84883c001", 1, "rax waits for rax, and for al"},
	{__LINE__, LOW, "00c34801d8", 2, "bl += al; rax += rbx: al to bl to rax"},
	{__LINE__, LOW, "0f94c0", 0, "sete al"},
	{__LINE__, LOW, "660f44c3", 1, "cmove ax, bx keeps ax"},
	/* ah: with its own name two chains of 1, without one of 2 */
	{__LINE__, ALL, "80c4010401", 1, "add ah, 1; add al, 1"},
	{__LINE__, NO_HIGH, "80c4010401", 2, "one after the other"},
	{__LINE__, ALL, "b401b402", 0, "mov ah, 1 twice"},
	{__LINE__, NO_HIGH, "b401b402", 2, "keeps the rest of rax"},
	{__LINE__, ALL, "88e388dc", 2, "bl = ah; ah = bl: each keeps its rest or not"},
	{__LINE__, ALL, "00e088c4", 2, "al += ah; ah = al"},
	{__LINE__, ALL, "b4014801c3", 1, "rax as a whole waits for ah, which waits for nothing"},
	{__LINE__, ALL, "00fc4801c04889c0", 1 + 1 + 1, "ah += bh; rax += rax; mov: all in one"},
	{__LINE__, ALL, "00dc89d8", 0, "a write of eax starts ah anew"},
	{__LINE__, ALL, "00dc6689d8", 1, "mov ax, bx does so too, and keeps rax"},
	/* rsp: free with the engine; else each step takes a cycle and waits for rsp alone */
	{__LINE__, ALL, "505b", 0, "push, pop"},
	{__LINE__, NO_ENGINE, "505b", 2, "push, pop step rsp"},
	{__LINE__, NO_ENGINE, "ff3424", 1, "push [rsp]: the step does not wait for the load"},
	{__LINE__, ALL, "4883c4085b", 2, "add rsp, 8; pop: the engine's offset is added first"},
	{__LINE__, ALL, "4883c408", 1, "add rsp, 8 alone"},
	{__LINE__, OFFSETS, "4883c4085b", 2,
	 "add rsp, 8; pop, on a core that adds it in addresses"},
	{__LINE__, OFFSETS, "488d6424085b", 1, "lea rsp, [rsp + 8]; pop, on it"},
	{__LINE__, ALL, "488d6424085b", 2, "but not on others"},
	{__LINE__, ALL, "5b5b5b4883ec18", 2, "once for three pops"},
	/* strings: the pointer steps by itself, the data may chain */
	{__LINE__, ALL, "ac", 1, "lodsb: rsi + 1; al keeps rax"},
	{__LINE__, ALL, "48ad", 1, "lodsq: rsi + 8, whatever the load takes"},
	{__LINE__, ALL, "48a5", 1, "movsq"},
	/* x87: pushes and pops turn the names */
	{__LINE__, ALL, "d8c1", 1, "fadd st0, st1"},
	{__LINE__, ALL, "d9c0ddd8", 0, "fld st0; fstp st0"},
	{__LINE__, ALL, "dd07dec1", 1, "fld; faddp"},
	{__LINE__, ALL, "d9c0d8c2ddda", 2,
	 "fld st0; fadd st2; fstp st2: down to where it came from"},
	/* Each iteration pushes one: st0 is st1 in the next, and the chain goes on. */
	{__LINE__, ALL, "d9c0d8c1", 2, "fld st0; fadd st1, with a turning stack"},
	{__LINE__, ALL, "0ffec1", 1, "paddd mm0, mm1 does not turn"},
};

int main(void)
{
	struct takt_arena arena = {0};
	struct fixture fixture;

	fixture_open(&fixture);
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_graph_options options = {.loop = true, .no_memory_dependences = true};
		struct takt_text core = {0};
		struct takt_model *model;
		struct takt_block block;
		struct takt_graph graph;
		double got;

		takt_text_printf(&core, "%scompose load | 1*p1 | lat=4\n", rows[i].core);
		takt_text_add_string(&core, "compose store | 1*p2 | lat=1\n");
		takt_text_add_string(&core, "default int | 1*p0 | lat=1\n");
		model = fixture_core(&fixture, core.data, "");
		takt_text_release(&core);
		if (!ok(model != NULL, "the fixture opens"))
			break;
		block = make_block(rows[i].hex, &arena);
		graph = make_graph(model, &block, options, &arena);
		got = takt_loop_carried_bound(&graph, &arena);
		tap_ok_at(__FILE__, rows[i].line, fabs(got - rows[i].loop_carried) < 1e-9,
			  "%s: got %g, want %g", rows[i].what, got, rows[i].loop_carried);
		options.lean = true;
		graph = make_graph(model, &block, options, &arena);
		tap_ok_at(__FILE__, rows[i].line, takt_loop_carried_bound(&graph, &arena) == got,
			  "lean: the same");
		takt_model_close(model);
		takt_arena_clear(&arena);
	}
	takt_arena_release(&arena);
	fixture_close(&fixture);
	return tap_done();
}
