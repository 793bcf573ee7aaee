/* SPDX-License-Identifier: MIT */
/* Macro-fusion: pairs, their restrictions, and where they execute. */
#include "fixture.h"

#define FUSES                                                                                      \
	"fuse test and : o no b ae e ne be a s ns p np l ge le g\nfuse cmp : b nb z nz\n"          \
	"fuse inc : e ne\n"

static const struct {
	int line;
	const char *restriction, *first, *second;
	bool fuses;
	const char *what;
} pairs[] = {
	{__LINE__, "", "4839d8", "7400", true, "cmp rax, rbx; je"},
	{__LINE__, "", "4839d8", "7300", true, "jae, listed as nb"},
	{__LINE__, "", "4839d8", "7000", false, "jo is not listed for cmp"},
	{__LINE__, "", "4885c0", "7000", true, "test rax, rax; jo"},
	{__LINE__, "", "4839d8", "0f8400000000", true, "long je"},
	{__LINE__, "", "4839d8", "eb00", false, "jmp"},
	{__LINE__, "", "4839d8", "e300", false, "jrcxz"},
	{__LINE__, "", "4839d8", "0f94c0", false, "sete"},
	{__LINE__, "", "4839d8", "0f44c3", false, "cmove"},
	{__LINE__, "", "4829d8", "7400", false, "sub is not listed"},
	{__LINE__, "", "48ffc0", "7500", true, "inc rax; jne"},
	{__LINE__, "", "48ff00", "7500", false, "inc [rax] stores"},
	{__LINE__, "", "482103", "7500", false, "and [rbx], rax stores"},
	{__LINE__, "", "833805", "7400", true, "cmp [rax], 5"},
	{__LINE__, "fuse-not mem-imm\n", "833805", "7400", false, "mem-imm"},
	{__LINE__, "fuse-not mem-imm\n", "483b03", "7400", true, "memory without immediate"},
	{__LINE__, "fuse-not mem-imm\n", "4883f805", "7400", true, "immediate without memory"},
	{__LINE__, "fuse-not mem\n", "483b03", "7400", false, "mem"},
	{__LINE__, "fuse-not imm\n", "4883f805", "7400", false, "imm"},
	{__LINE__, "fuse-not rip\n", "483b0500000000", "7400", false, "rip"},
	{__LINE__, "fuse-not rip\n", "483b03", "7400", true, "not rip"},
	{__LINE__, "fuse-not rip-imm\n", "833d0000000005", "7400", false, "rip-imm"},
	{__LINE__, "fuse-not rip-imm\n", "483b0500000000", "7400", true, "rip without immediate"},
	{__LINE__, "fuse-not disp-imm\n", "83780805", "7400", false, "disp-imm"},
	{__LINE__, "fuse-not disp-imm\n", "833805", "7400", true, "no displacement"},
	{__LINE__, "fuse-not disp32-imm32\n", "81b80002000045230100", "7400", false, "both wide"},
	{__LINE__, "fuse-not disp32-imm32\n", "83b80002000005", "7400", true, "imm8"},
	{__LINE__, "fuse-not disp32-imm32\n", "81780845230100", "7400", true, "disp8"},
	{__LINE__, "nops_share yes e\n", "4801d8", "90", true, "add; nop"},
	{__LINE__, "nops_share yes e\n", "660fefc0", "90", false, "pxor; nop"},
	{__LINE__, "nops_share yes e\n", "d9c9", "90", false, "fxch; nop"},
	{__LINE__, "nops_share yes e\n", "7400", "90", false, "je; nop"},
	{__LINE__, "", "4801d8", "90", false, "add; nop where none share"},
};

static const struct {
	int line;
	const char *restriction, *first;
	bool may;
} kinds[] = {
	{__LINE__, "", "4839d8", true},		       /* cmp rax, rbx */
	{__LINE__, "", "4829d8", false},	       /* sub rax, rbx */
	{__LINE__, "fuse-not mem\n", "483b03", false}, /* cmp rax, [rbx] */
	{__LINE__, "", "48ff00", false},	       /* inc [rax] */
};

/* ALUs are p0 and p1, the branch unit is p2, and p0 and p2 have one scheduler. */
#define BRANCH_UNIT                                                                                \
	"default int | 1*p01 | lat=1\ndefault branch | 1*p2 | lat=1\nscheduler 8 p02 e\n"          \
	"scheduler 8 p1 e\n"

static const struct {
	int line;
	const char *lines, *first;
	uint32_t ports;
	const char *what;
} units[] = {
	{__LINE__, "fused_results_by_alu yes e\n", "48ffc0", 0x1, "inc writes a register"},
	{__LINE__, "fused_results_by_alu yes e\n", "4839d8", 0x4, "cmp writes none"},
	{__LINE__, "", "48ffc0", 0x4, "branch units write registers here"},
};

/* Pairs of a copy and an operation on it, and what follows them. */
struct move {
	int line;
	const char *first, *second, *third;
	bool fuses;
	const char *what;
};

/* As measured on Zen 5. */
static const struct move moves[] = {
	{__LINE__, "89ea", "01da", "", true, "mov edx, ebp; add edx, ebx"},
	{__LINE__, "4889ea", "4801da", "", true, "mov rdx, rbp; add rdx, rbx"},
	{__LINE__, "89ea", "01ea", "", true, "the source of the copy again"},
	{__LINE__, "89ea", "83ea05", "", true, "an immediate"},
	{__LINE__, "89ea", "c1e205", "", true, "shl edx, 5"},
	{__LINE__, "89ea", "d3e2", "", true, "shl edx, cl"},
	{__LINE__, "89e9", "d3e1", "", false, "mov ecx, ebp; shl ecx, cl reads the copy twice"},
	{__LINE__, "89ea", "01d2", "", false, "add edx, edx reads it twice"},
	{__LINE__, "4889ea", "01da", "", false, "64 and 32 bits"},
	{__LINE__, "89ea", "4801da", "", false, "32 and 64 bits"},
	{__LINE__, "6689ea", "6601da", "", false, "16 bits"},
	{__LINE__, "89ea", "0313", "", false, "a load"},
	{__LINE__, "89ea", "01d3", "", false, "an operation on another register"},
	{__LINE__, "89ea", "f7da", "", false, "neg is not listed"},
	{__LINE__, "8b13", "01da", "", false, "a load is no copy"},
	{__LINE__, "ba05000000", "01da", "", false, "a constant is no copy"},
	{__LINE__, "4889e2", "4801da", "", false, "the stack pointer"},
	{__LINE__, "89ea", "83ea05", "7500", false, "sub fuses with the jump behind it"},
	{__LINE__, "89ea", "83ea05", "7000", true, "sub does not fuse with jo"},
};

/* The same, as measured on Redwood Cove. */
static const struct move any_moves[] = {
	{__LINE__, "89ea", "01d2", "", true, "add edx, edx reads the copy twice"},
	{__LINE__, "4889e2", "4801da", "", true, "the stack pointer"},
	{__LINE__, "89ea", "29d2", "", false, "a zero idiom"},
	{__LINE__, "89ea", "d3e2", "", false, "shl edx, cl is three µops"},
	{__LINE__, "0f28d5", "0f58d3", "", true, "movaps xmm2, xmm5; addps xmm2, xmm3"},
	{__LINE__, "0f28d5", "f20f58d3", "", true, "movaps and addsd"},
	{__LINE__, "660f6fd5", "0f58d3", "", true, "movdqa and addps"},
	{__LINE__, "0f28d5", "0f58d2", "", true, "addps xmm2, xmm2"},
	{__LINE__, "0f28d5", "0f5813", "", false, "addps from memory"},
	{__LINE__, "0f28d5", "0f58dd", "", false, "addps of another register"},
	{__LINE__, "0f2813", "0f58d3", "", false, "movaps from memory"},
	{__LINE__, "c5f828d5", "c5e858d3", "", false, "VEX: vmovaps and vaddps"},
	{__LINE__, "0f28d5", "01da", "", false, "lists apart: movaps and add"},
	{__LINE__, "89ea", "0f58d3", "", false, "lists apart: mov and addps"},
};

/* Pairs of a load and an operation on what it loads, as measured there. */
static const struct move loads[] = {
	{__LINE__, "488b16", "4801da", "", true, "mov rdx, [rsi]; add rdx, rbx"},
	{__LINE__, "8b5608", "01da", "", true, "mov edx, [rsi+8]; add edx, ebx"},
	{__LINE__, "488b5608", "48f7da", "", true, "neg rdx"},
	{__LINE__, "488b16", "4801f2", "", true, "add rdx, rsi: the address once more"},
	{__LINE__, "488b1500000000", "4801da", "", false, "relative to rip"},
	{__LINE__, "488b143e", "4801da", "", false, "an index"},
	{__LINE__, "488b16", "4883c205", "", false, "an immediate"},
	{__LINE__, "488b16", "4801d2", "", false, "add rdx, rdx"},
	{__LINE__, "488b16", "01da", "", false, "64 and 32 bits"},
	{__LINE__, "668b16", "6601da", "", false, "16 bits"},
	{__LINE__, "488b16", "48ffc2", "", false, "inc is not listed"},
	{__LINE__, "488b16", "4801d3", "", false, "an operation on another register"},
	{__LINE__, "488b16", "480313", "", false, "another load"},
	{__LINE__, "488916", "4801da", "", false, "a store"},
	{__LINE__, "0fb716", "01da", "", false, "movzx is not listed"},
	{__LINE__, "4889ea", "4801da", "", false, "a copy is no load"},
	{__LINE__, "8b16", "29da", "7500", false, "sub fuses with the jump behind it"},
};

#define PAIRS(rows) rows, TAKT_COUNT_OF(rows)

static void test_pairs(struct fixture *fixture, const char *lines, const char *timings,
		       const struct move *rows, size_t count)
{
	struct takt_model *model = fixture_core(fixture, lines, timings);

	for (size_t i = 0; i < count; i++) {
		bool three = *rows[i].third;
		struct takt_insn insns[3] = {fixture_insn(rows[i].first),
					     fixture_insn(rows[i].second)};
		bool load = rows == loads && rows[i].fuses;

		if (three)
			insns[2] = fixture_insn(rows[i].third);
		tap_ok_at(__FILE__, rows[i].line,
			  model &&
				  takt_model_fuses_next(model, insns, 2 + three) == rows[i].fuses &&
				  takt_model_fuses_load(model, insns, 2 + three) == load,
			  "%s: %s", rows[i].what, rows[i].fuses ? "fuses" : "does not fuse");
	}
	takt_model_close(model);
}

static void test_moves(struct fixture *fixture)
{
	test_pairs(fixture, "fuse sub : e ne\nfuse-pair mov : add sub shl\n", "", PAIRS(moves));
	test_pairs(fixture,
		   "fuse_any_move yes e\nfuse-pair mov : add sub shl\n"
		   "fuse-pair movaps movdqa : addps addsd\n",
		   "shl r32, cl | 3*p0 | slots=3 uops=3\nsub r32, r32 [same] | - | zero\n",
		   PAIRS(any_moves));
	test_pairs(fixture, "fuse-load mov : add sub neg\nfuse sub : e ne\n", "", PAIRS(loads));
}

static void test_units(struct fixture *fixture)
{
	struct takt_insn jump = fixture_insn("7500");

	for (size_t i = 0; i < TAKT_COUNT_OF(units); i++) {
		char lines[512];
		struct takt_model *model;
		struct takt_insn first = fixture_insn(units[i].first);
		struct takt_timing_storage storage;
		struct takt_timing timing = {.uops_count = 0};

		snprintf(lines, sizeof(lines), "%s%s", BRANCH_UNIT, units[i].lines);
		model = fixture_core(fixture, lines, "");
		if (model) {
			takt_model_timing(model, &jump, &storage, &timing);
			takt_timing_fuse(model, &first, &storage, &timing);
		}
		tap_ok_at(__FILE__, units[i].line,
			  timing.uops_count == 1 && timing.uops[0].ports == units[i].ports, "%s",
			  units[i].what);
		takt_model_close(model);
	}
}

static struct takt_model *open_core(struct fixture *fixture, const char *restriction)
{
	char lines[256];

	snprintf(lines, sizeof(lines), "%s%s", FUSES, restriction);
	return fixture_core(fixture, lines, "");
}

int main(void)
{
	struct fixture fixture;

	fixture_open(&fixture);
	for (size_t i = 0; i < TAKT_COUNT_OF(pairs); i++) {
		struct takt_model *model = open_core(&fixture, pairs[i].restriction);
		struct takt_insn first = fixture_insn(pairs[i].first);
		struct takt_insn second = fixture_insn(pairs[i].second);

		tap_ok_at(__FILE__, pairs[i].line,
			  model && takt_model_fuses(model, &first, &second) == pairs[i].fuses,
			  "%s: %s", pairs[i].what, pairs[i].fuses ? "fuses" : "does not fuse");
		takt_model_close(model);
	}
	for (size_t i = 0; i < TAKT_COUNT_OF(kinds); i++) {
		struct takt_model *model = open_core(&fixture, kinds[i].restriction);
		struct takt_insn first = fixture_insn(kinds[i].first);

		tap_ok_at(__FILE__, kinds[i].line,
			  model && takt_model_may_fuse(model, &first) == kinds[i].may,
			  "%s %s with some jump", kinds[i].first,
			  kinds[i].may ? "fuses" : "does not fuse");
		takt_model_close(model);
	}
	test_units(&fixture);
	test_moves(&fixture);
	fixture_close(&fixture);
	return tap_done();
}
