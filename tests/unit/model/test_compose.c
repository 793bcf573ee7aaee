/* SPDX-License-Identifier: MIT */
/*
 * Memory forms made from register forms. Worked by hand for this core: a load is one
 * µop on p2 with 5 (vector 6, ymm 7) cycles from its address and no slot; an indexed
 * one takes a slot. A store is 1*p0+1*p1 in one slot, with an index 1*p1+1*p1. A store
 * forwards in 5 cycles: 1 to memory, 4 from there.
 */
#include "fixture.h"

#define COMPOSE                                                                                    \
	"load_latency_int 5 e\nload_latency_vector 6 e\nstore_forward_cycles 5 e\n"                \
	"compose load | 1*p2 | lat=5\ncompose load-indexed | 1*p2 | lat=5 slots=1 mite=0\n"        \
	"compose load-vector | 1*p2 |\ncompose load-ymm | 1*p2 | lat=7\n"                          \
	"compose store | 1*p0+1*p1 |\ncompose store-indexed | 1*p1+1*p1 | slots=2 mite=1 "         \
	"complex\n"                                                                                \
	"default int | 1*p012 | lat=2\ndefault move | 1*p0 | lat=1\n"                              \
	"default branch | 1*p0 |\ndefault string | 7*p0 | lat=9\n"

#define ROWS                                                                                       \
	"add r64, r64 | 1*p01 | lat=1,2>f:3\n"                                                     \
	"imul r64, r64 | 1*p1 | lat=3,2>1:4,*>f:9 complex\n"                                       \
	"addsd xmm, xmm | 1*p01 | lat=4\n"                                                         \
	"vaddpd ymm, ymm, ymm | 1*p01 | lat=4,3>1:5\n"                                             \
	"cvtsi2sd xmm, r64 | 1*p01+1*p1 | lat=4\n"                                                 \
	"movzx r32, r8 | - | lat=0 slots=1 elim\n"

static const struct {
	int line;
	const char *hex, *what;
	unsigned uops_count;
	struct takt_uops uops[4];
	unsigned slots, mite, uop_total;
} forms[] = {
	/* add rax, [rbx] = 1*p01 + load; one slot, the load micro-fuses. */
	{__LINE__, "480303", "load-op", 2, {{3, 1, 0}, {4, 1, 0}}, 1, 1, 2},
	/* add rax, [rbx+rcx]: un-laminated after decoding. */
	{__LINE__, "4803040b", "load-op, indexed", 2, {{3, 1, 0}, {4, 1, 0}}, 2, 1, 2},
	/* add [rbx], rax = 1*p01 + load + store; the store takes a slot. */
	{__LINE__,
	 "480103",
	 "read-modify-write",
	 4,
	 {{3, 1, 0}, {4, 1, 0}, {1, 1, 0}, {2, 1, 0}},
	 2,
	 2,
	 4},
	/* with index: 1 + 1 (load) + 2 (store) slots, 1 + 0 + 1 from the decoders. */
	{__LINE__,
	 "4801040b",
	 "read-modify-write, indexed",
	 4,
	 {{3, 1, 0}, {4, 1, 0}, {2, 1, 0}, {2, 1, 0}},
	 4,
	 2,
	 4},
	/* mov rax, [rbx] is the load alone, mov [rbx], rax the store alone. */
	{__LINE__, "488b03", "move from memory", 1, {{4, 1, 0}}, 1, 1, 1},
	{__LINE__, "488903", "move to memory", 2, {{1, 1, 0}, {2, 1, 0}}, 1, 1, 2},
	/* movzx eax, byte [rbx]: the register form is eliminated, so the load alone. */
	{__LINE__, "0fb603", "load whose register form is eliminated", 1, {{4, 1, 0}}, 1, 1, 1},
	{__LINE__, "f20f5803", "scalar floating point", 2, {{3, 1, 0}, {4, 1, 0}}, 1, 1, 2},
	/* cvtsi2sd xmm0, qword [rax]: the register is a general one. */
	{__LINE__,
	 "f2480f2a00",
	 "vector form with a general register",
	 3,
	 {{3, 1, 0}, {2, 1, 0}, {4, 1, 0}},
	 2,
	 2,
	 3},
	{__LINE__, "c5ed5803", "ymm", 2, {{3, 1, 0}, {4, 1, 0}}, 1, 1, 2},
	/* lock add [rbx], rax: as without lock. */
	{__LINE__, "f0480103", "lock", 4, {{3, 1, 0}, {4, 1, 0}, {1, 1, 0}, {2, 1, 0}}, 2, 2, 4},
};

static void test_uops(const struct takt_model *model)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(forms); i++) {
		struct takt_insn insn = fixture_insn(forms[i].hex);
		struct takt_timing_storage storage;
		struct takt_timing timing;
		bool fine;

		takt_model_timing(model, &insn, &storage, &timing);
		fine = timing.match == TAKT_MATCH_COMPOSED &&
		       timing.origin == TAKT_ORIGIN_INFERRED &&
		       timing.uops_count == forms[i].uops_count && timing.slots == forms[i].slots &&
		       timing.mite == forms[i].mite && timing.uop_total == forms[i].uop_total;
		for (unsigned j = 0; fine && j < timing.uops_count; j++)
			fine = timing.uops[j].ports == forms[i].uops[j].ports &&
			       timing.uops[j].count == forms[i].uops[j].count;
		tap_ok_at(__FILE__, forms[i].line, fine,
			  "%s: match %u, %u µops in %u kinds, slots %u, mite %u", forms[i].what,
			  timing.match, timing.uop_total, timing.uops_count, timing.slots,
			  timing.mite);
	}
}

static const struct {
	int line;
	const char *hex, *what;
	uint8_t source, destination;
	unsigned cycles;
} latencies[] = {
	/* add rax, [rbx]: register form → sum 1, → flags 3; address 5 more. */
	{__LINE__, "480303", "value to result: 4 + 1", 1, 0, 5},
	{__LINE__, "480303", "value to flags: 4 + 3", 1, TAKT_SLOT_FLAGS, 7},
	{__LINE__, "480303", "register to result", 0, 0, 1},
	{__LINE__, "480303", "base to result: 5 + 1", TAKT_SLOT_BASE, 0, 6},
	{__LINE__, "480303", "base to flags: 5 + 3", TAKT_SLOT_BASE, TAKT_SLOT_FLAGS, 8},
	{__LINE__, "4803040b", "index to result: 5 + 1", TAKT_SLOT_INDEX, 0, 6},
	/* imul rax, [rbx]: exact pair, and `*` to flags. */
	{__LINE__, "480faf03", "base to product: 5 + 4", TAKT_SLOT_BASE, 0, 9},
	{__LINE__, "480faf03", "base to flags: 5 + 9", TAKT_SLOT_BASE, TAKT_SLOT_FLAGS, 14},
	{__LINE__, "480faf03", "register to flags", 0, TAKT_SLOT_FLAGS, 9},
	/* The parameter stands in where the compose row has no latency. */
	{__LINE__, "f20f5803", "addsd: 6 + 4", TAKT_SLOT_BASE, 0, 10},
	{__LINE__, "c5ed5803", "vaddpd ymm: 7 + 5", TAKT_SLOT_BASE, 0, 12},
	{__LINE__, "c5ed5803", "vaddpd ymm, value: 4 + 5", 2, 0, 9},
	/* add [rbx], rax: memory is operand 1. */
	{__LINE__, "480103", "old value to new: 4 + 1 + 1", 0, 0, 6},
	{__LINE__, "480103", "register to memory: 1 + 1", 1, 0, 2},
	{__LINE__, "480103", "register to flags", 1, TAKT_SLOT_FLAGS, 3},
	{__LINE__, "480103", "base to flags: 5 + 1", TAKT_SLOT_BASE, TAKT_SLOT_FLAGS, 6},
	{__LINE__, "480103", "base to memory: 5 + 1 + 1", TAKT_SLOT_BASE, 0, 7},
	{__LINE__, "488b03", "mov: value: 4", 1, 0, 4},
	{__LINE__, "488b03", "mov: base", TAKT_SLOT_BASE, 0, 5},
	{__LINE__, "488903", "mov: to memory: 1", 1, 0, 1},
};

static void test_latencies(const struct takt_model *model)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(latencies); i++) {
		struct takt_insn insn = fixture_insn(latencies[i].hex);
		struct takt_timing_storage storage;
		struct takt_timing timing;
		unsigned got;

		takt_model_timing(model, &insn, &storage, &timing);
		got = takt_timing_latency(&timing, latencies[i].source, latencies[i].destination);
		tap_ok_at(__FILE__, latencies[i].line, got == latencies[i].cycles,
			  "%s: got %u, want %u", latencies[i].what, got, latencies[i].cycles);
	}
}

static void test_defaults(const struct takt_model *model)
{
	struct takt_insn sub = fixture_insn("482b03"), call = fixture_insn("e800000000");
	struct takt_insn movs = fixture_insn("a4"), inverted = fixture_insn("48f7d0");
	struct takt_timing_storage storage;
	struct takt_timing timing;

	takt_model_timing(model, &sub, &storage, &timing);
	is_int(timing.match, TAKT_MATCH_DEFAULT, "no register form: class default");
	is_int(timing.origin, TAKT_ORIGIN_ESTIMATED, "estimated");
	is_int(timing.uop_total, 2, "default and load");
	is_int(takt_timing_latency(&timing, TAKT_SLOT_BASE, 0), 7, "5 + 2");
	takt_model_timing(model, &inverted, &storage, &timing);
	is_int(timing.uop_total, 1, "default alone");
	takt_model_timing(model, &call, &storage, &timing);
	is_int(timing.uop_total, 3, "implicit store is composed");
	takt_model_timing(model, &movs, &storage, &timing);
	is_int(timing.uop_total, 7, "string defaults include their memory");
}

/* A core that says nothing at all still gives an answer for everything. */
static void test_empty(struct fixture *fixture)
{
	struct takt_model *model;
	const char *const codes[] = {"480303", "488903", "4801d8", "a4",
				     "c3",     "90",	 "0fa2",   "62f16cd95808"};

	fixture_clear(fixture);
	fixture_write(fixture, "cores/e.core", "takt core 1\nname E\n");
	model = fixture_model(fixture, "E");
	if (!ok(model != NULL, "a core without ports, rows, timings"))
		return;
	for (size_t i = 0; i < TAKT_COUNT_OF(codes); i++) {
		struct takt_insn insn = fixture_insn(codes[i]);
		struct takt_timing_storage storage;
		struct takt_timing timing;

		takt_model_timing(model, &insn, &storage, &timing);
		ok(timing.match == TAKT_MATCH_DEFAULT && timing.slots == 1 &&
			   timing.uops_count == 0 && timing.origin == TAKT_ORIGIN_ESTIMATED,
		   "%s has a default", codes[i]);
	}
	takt_model_close(model);
}

int main(void)
{
	struct fixture fixture;
	struct takt_model *model;

	fixture_open(&fixture);
	model = fixture_core(&fixture, COMPOSE, ROWS);
	if (ok(model != NULL, "opened")) {
		test_uops(model);
		test_latencies(model);
		test_defaults(model);
		takt_model_close(model);
	}
	test_empty(&fixture);
	fixture_close(&fixture);
	return tap_done();
}
