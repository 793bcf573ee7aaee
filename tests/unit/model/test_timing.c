/* SPDX-License-Identifier: MIT */
/* The order of fallback, qualifiers, and the precedence of latencies. */
#include "fixture.h"

/* Rows are told apart by their latency; 0 stands for "no row". */
static const struct {
	int line;
	const char *rows, *hex, *what;
	unsigned latency;
} lookups[] = {
	/* add rax, rbx */
	{__LINE__, "add r64, r64 | 1*p0 | lat=2\n", "4801d8", "the form itself", 2},
	{__LINE__, "add r32, r32 | 1*p0 | lat=2\n", "4801d8", "another width is another form", 0},
	/* xor eax, eax and xor eax, ebx */
	{__LINE__, "xor r32, r32 | 1*p0 | lat=2\nxor r32, r32 [same] | - | lat=3 slots=1 zero\n",
	 "31c0", "[same] holds", 3},
	{__LINE__, "xor r32, r32 | 1*p0 | lat=2\nxor r32, r32 [same] | - | lat=3 slots=1 zero\n",
	 "31d8", "[same] does not hold", 2},
	{__LINE__, "xor r32, r32 [same] | - | lat=3 slots=1 zero\n", "31c0",
	 "[same] without a plain row", 3},
	{__LINE__, "xor r32, r32 [same] | - | lat=3 slots=1 zero\n", "31d8",
	 "a qualified row alone does not serve others", 0},
	{__LINE__, "xor r32, r32 | 1*p0 | lat=2\n", "31c0", "qualifier dropped", 2},
	/* add rax, [rbx+rcx] */
	{__LINE__, "add r64, m64 | 1*p0 | lat=2\nadd r64, m64 [indexed] | 1*p0 | lat=3\n",
	 "4803040b", "[indexed]", 3},
	{__LINE__, "add r64, m64 | 1*p0 | lat=2\nadd r64, m64 [indexed] | 1*p0 | lat=3\n", "480303",
	 "not indexed", 2},
	/* adc rax, 0; add qword [rbx+rcx], 0 has both qualifiers */
	{__LINE__, "adc r64, i8 | 1*p0 | lat=2\nadc r64, i8 [imm0] | 1*p0 | lat=3\n", "4883d000",
	 "[imm0]", 3},
	{__LINE__,
	 "add m64, i8 | 1*p0 | lat=2\nadd m64, i8 [indexed] | 1*p0 | lat=3\n"
	 "add m64, i8 [imm0] | 1*p0 | lat=4\nadd m64, i8 [indexed] [imm0] | 1*p0 | lat=5\n",
	 "4883040b00", "two qualifiers before one", 5},
	{__LINE__,
	 "add m64, i8 | 1*p0 | lat=2\nadd m64, i8 [indexed] | 1*p0 | lat=3\n"
	 "add m64, i8 [imm0] | 1*p0 | lat=4\n",
	 "4883040b00", "of two single ones the last in the list", 4},
	/* vaddps zmm1{k1}{z}, zmm2, [rax]{1to16} */
	{__LINE__,
	 "vaddps zmm{k}{z}, zmm, m32{b} | 1*p0 | lat=2\n"
	 "vaddps zmm{k}, zmm, m32{b} | 1*p0 | lat=3\n",
	 "62f16cd95808", "all of it", 2},
	{__LINE__,
	 "vaddps zmm{k}, zmm, m32{b} | 1*p0 | lat=3\nvaddps zmm, zmm, m32{b} | 1*p0 | lat=4\n",
	 "62f16cd95808", "without {z}", 3},
	{__LINE__, "vaddps zmm, zmm, m32{b} | 1*p0 | lat=4\nvaddps zmm, zmm, m512 | 1*p0 | lat=5\n",
	 "62f16cd95808", "without {k}", 4},
	{__LINE__, "vaddps zmm, zmm, m512 | 1*p0 | lat=5\n", "62f16cd95808", "without {b}", 5},
	{__LINE__, "vaddps zmm{k}, zmm, m512 | 1*p0 | lat=5\n", "62f16cd95808",
	 "{k} is dropped before {b}: not this row", 0},
	/* vcvtps2pd zmm1, [rax]{1to8}: the memory is half as wide as the register */
	{__LINE__, "vcvtps2pd zmm, m256 | 1*p0 | lat=5\n", "62f17c585a08", "{b} to half width", 5},
	/* vaddps zmm1, zmm2, zmm3, {rn-sae} */
	{__LINE__, "vaddps zmm, zmm, zmm | 1*p0 | lat=5\n", "62f16c1858cb", "without {er}", 5},
	/* add eax, imm32; add rax, imm8 */
	{__LINE__, "add eax, i32 | 1*p0 | lat=2\nadd r32, i32 | 1*p0 | lat=3\n", "0578563412",
	 "fixed register", 2},
	{__LINE__, "add r32, i32 | 1*p0 | lat=3\nadd r32, i8 | 1*p0 | lat=4\n", "0578563412",
	 "fixed register to its class", 3},
	{__LINE__, "add r32, i8 | 1*p0 | lat=4\n", "0578563412", "immediate to i8", 4},
	{__LINE__, "add r64, i32 | 1*p0 | lat=4\n", "4883c005", "immediate to i32", 4},
	/* shl rax, 1; shl rax, cl */
	{__LINE__, "shl r64, i8 | 1*p0 | lat=4\n", "48d1e0", "1 to i8", 4},
	{__LINE__, "shl r64, i8 | 1*p0 | lat=4\n", "48d3e0", "cl is no immediate", 0},
	/* add ah, bl; add ah, 5; mov ah, 5 with only an i32 row */
	{__LINE__, "add r8, r8 | 1*p0 | lat=4\n", "00dc", "r8h to r8", 4},
	{__LINE__, "add r8, i8 | 1*p0 | lat=4\n", "80c405", "r8h to r8 beside an immediate", 4},
	{__LINE__, "add r8, i32 | 1*p0 | lat=4\n", "80c405", "r8h, then the immediate", 4},
};

static void test_lookups(struct fixture *fixture)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(lookups); i++) {
		struct takt_model *model = fixture_core(fixture, "", lookups[i].rows);
		struct takt_insn insn = fixture_insn(lookups[i].hex);
		struct takt_timing_storage storage;
		struct takt_timing timing = {0};
		bool fine;

		if (model)
			takt_model_timing(model, &insn, &storage, &timing);
		fine = lookups[i].latency ? timing.match == TAKT_MATCH_ROW &&
						    timing.latency_default == lookups[i].latency
					  : timing.match == TAKT_MATCH_DEFAULT;
		tap_ok_at(__FILE__, lookups[i].line, model && fine, "%s: match %u latency %u",
			  lookups[i].what, timing.match, timing.latency_default);
		takt_model_close(model);
	}
}

/* adc [rbx+rcx], rax: every rule of precedence has a pair it alone decides. */
static void test_latencies(struct fixture *fixture)
{
	struct takt_model *model =
		fixture_core(fixture, "",
			     "adc m64, r64 | 1*p0 | "
			     "lat=1,1b>1:10,1b>*:11,a>1:12,a>*:13,*>f:14,2>*:15,*>rax:16\n");
	struct takt_insn insn = fixture_insn("4811040b");
	static const struct {
		int line;
		uint8_t source, destination;
		unsigned cycles;
		const char *what;
	} pairs[] = {
		{__LINE__, TAKT_SLOT_BASE, TAKT_SLOT_1, 10, "the pair itself"},
		{__LINE__, TAKT_SLOT_BASE, TAKT_SLOT_FLAGS, 11, "base to any before any to flags"},
		{__LINE__, TAKT_SLOT_INDEX, TAKT_SLOT_1, 12, "any address to this"},
		{__LINE__, TAKT_SLOT_INDEX, TAKT_SLOT_FLAGS, 13, "any address to any"},
		{__LINE__, TAKT_SLOT_1, TAKT_SLOT_FLAGS, 14, "any to flags"},
		{__LINE__, TAKT_SLOT_1 + 1, TAKT_SLOT_FLAGS, 15, "this to any before any to flags"},
		{__LINE__, TAKT_SLOT_1, TAKT_SLOT_1, 1, "the default"},
		{__LINE__, TAKT_SLOT_FLAGS, TAKT_SLOT_IMPLICIT + TAKT_LOC_GPR, 16,
		 "implicit register"},
	};
	struct takt_timing_storage storage;
	struct takt_timing timing;

	if (!ok(model != NULL, "opened"))
		return;
	takt_model_timing(model, &insn, &storage, &timing);
	for (size_t i = 0; i < TAKT_COUNT_OF(pairs); i++) {
		unsigned got = takt_timing_latency(&timing, pairs[i].source, pairs[i].destination);

		tap_ok_at(__FILE__, pairs[i].line, got == pairs[i].cycles, "%s: got %u, want %u",
			  pairs[i].what, got, pairs[i].cycles);
	}
	takt_model_close(model);
}

int main(void)
{
	struct fixture fixture;

	fixture_open(&fixture);
	test_lookups(&fixture);
	test_latencies(&fixture);
	fixture_close(&fixture);
	return tap_done();
}
