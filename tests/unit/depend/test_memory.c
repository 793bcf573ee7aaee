/* SPDX-License-Identifier: MIT */
#include "depend/memory.h"
#include "blocks.h"

struct row {
	int line;
	const char *hex;
	uint32_t load;	   /* instruction; edges to others are not looked at */
	const char *edges; /* "store/iterations", latest first; "w" wider, "s" split */
	const char *what;
};

static const struct row x86_rows[] = {
	{__LINE__, "488907488b07", 1, "0/0", "mov [rdi], rax; mov rax, [rdi]"},
	{__LINE__, "488b07488907", 0, "1/1", "from the iteration before"},
	{__LINE__, "48ff07", 0, "0/1", "inc [rdi]"},
	{__LINE__, "4889078b4704", 1, "0/0", "the upper half of what was stored"},
	{__LINE__, "4889078a4707", 1, "0/0", "its last byte"},
	{__LINE__, "488907668b4707", 1, "0/0w", "half beyond it"},
	{__LINE__, "89078b4701", 1, "0/0w", "a dword over its end"},
	{__LINE__, "8907488b07", 1, "0/0w", "more than was stored"},
	{__LINE__, "c5fd11078b471c", 1, "0/0", "the last dword of ymm"},
	{__LINE__, "88074889078a07", 2, "1/0", "the later of two stores"},
	{__LINE__, "4889078807488b07", 2, "1/0s 0/0s", "its low byte stored anew"},
	{__LINE__, "4889078847048a4704", 2, "1/0", "byte 4 after a byte store to it"},
	{__LINE__, "48890748890e488b07", 2, "0/0", "another pointer does not interfere"},
	{__LINE__, "4889074883c708488b47f8", 2, "0/0", "add rdi, 8"},
	{__LINE__, "4889074883ef08488b4708", 2, "0/0", "sub rdi, 8"},
	{__LINE__, "48890748ffc7488b47ff", 2, "0/0", "inc rdi"},
	{__LINE__, "4889074889fe488b06", 2, "0/0", "copied to rsi"},
	{__LINE__, "488907488d7710488b46f0", 2, "0/0", "rsi = rdi + 16"},
	{__LINE__, "488904f74883c601488b44f7f8", 2, "0/0", "index times 8, plus one"},
	{__LINE__, "488904f7488b04b7", 1, "", "another scale"},
	{__LINE__, "48890748c1e701488b07", 2, "", "shl rdi makes it unknown"},
	{__LINE__, "48890783c708488b47f8", 2, "0/0", "32-bit add: once the upper half is clear"},
	{__LINE__, "64488904252800000064488b042528000000", 1, "0/0", "fs:0x28"},
	{__LINE__, "644889042528000000488b042528000000", 1, "", "fs:0x28 is not 0x28"},
	{__LINE__, "48890500010000488b05f9000000", 1, "0/0", "one place from two rips"},
	{__LINE__, "488b07488947084883c708", 0, "1/1", "rdi + 8 is the next rdi"},
	{__LINE__, "488b07488947104883c708", 0, "1/2", "rdi + 16 the one after"},
	{__LINE__, "488b074889074c89c7", 0, "1/1", "rdi = r8 each time: the same again"},
	{__LINE__, "488b0748890f4889c7", 0, "", "a loaded address"},
	{__LINE__, "5058", 1, "0/0", "push; pop"},
	{__LINE__, "5053585b", 2, "1/0", "push, push, pop"},
	{__LINE__, "5053585b", 3, "0/0", "push, push, pop, pop"},
	{__LINE__, "50488b0424", 1, "0/0", "push; mov rax, [rsp]"},
	{__LINE__, "48894424f858", 1, "", "pop reads above the red zone"},
	{__LINE__, "48894424f84883ec0858", 2, "0/0", "until rsp is below"},
	{__LINE__, "488907c5fa6f07", 1, "0/0w", "half of an xmm"},
	{__LINE__, "8907c4e26d90040f", 1, "", "gathers have no single address"},
	{__LINE__, "488b0748034708488947104883c708", 0, "2/2", "Fibonacci, two back"},
	{__LINE__, "488b0748034708488947104883c708", 1, "2/1", "Fibonacci, one back"},
	{__LINE__, "488b07488947504883c708", 0, "1/10", "ten iterations"},
	{__LINE__, "488b07488987a00f00004883c708", 0, "", "500 iterations are out of the window"},
	{__LINE__, "488b074889074887f7", 0, "1/2", "two pointers in turn"},
	{__LINE__, "488904cf488d148f488b1c8a", 2, "0/0", "rdi + 8 rcx in two steps"},
	{__LINE__, "48897c2408488b7c2408488907488b1f", 3, "2/0", "an address that was spilled"},
	{__LINE__, "488b7c2408488907488b5ff84883c70848897c2408", 2, "1/1", "and kept in memory"},
	{__LINE__, "488b3e488307014883c608", 1, "", "an array of pointers"},
	{__LINE__, "0fb60eff048f48ffc6", 1, "", "a histogram"},
	{__LINE__, "4883e107488904cf488b5ccff848ffc1", 2, "1/1", "a ring of eight"},
	{__LINE__, "31c94889040f488b1f", 2, "1/0", "an index of zero"},
	{__LINE__, "4839d1480f42ca488901488b1a", 3, "", "the greater of two is either"},
	{__LINE__, "b80500000083f8064889f1480f42ca488901488b1a", 5, "4/0", "a known condition"},
	{__LINE__, "8907895f04488b0f", 2, "1/0s 0/0s", "two halves"},
	{__LINE__, "488907488b4f044883c708", 1, "0/0w", "the end of one and beyond"},
	{__LINE__, "f30f7e06660fd60424488b0424488908488b10", 2, "1/0", "out of a vector register"},
	{__LINE__, "f30f7e06660fd60424488b0424488908488b10", 4, "", "whose value is unknown"},
	{__LINE__, "480fcf480fcf488907488b1f", 3, "2/0", "bytes swapped and back"},
	{__LINE__, "486bc9184889040f4883e908488b5c0f08", 3, "1/0", "times 24"},
	{__LINE__, "4889074889fa48f7da48f7da488b1a", 4, "0/0", "negated twice"},
	{__LINE__, "488d571048c1e2024889024889f948c1e102488b5940", 5, "2/0",
	 "(rdi + 16) << 2 and (rdi << 2) + 64"},
	{__LINE__, "48ab488b47f8", 1, "0/0", "stosq steps on"},
	{__LINE__, "f348ab488b47f8", 1, "", "but not how far if repeated"},
	{__LINE__, "880748ffc7488b4ff8", 2, "0/0s 0/1s 0/2s 0/3s 0/4s 0/5s 0/6s 0/7s",
	 "the last eight bytes"},
	{__LINE__, "48f7f148890417488b1c17", 2, "", "a remainder is not computed"},
	{__LINE__, "9c58", 1, "0/0", "pushfq; pop"},
	{__LINE__, "c8100000488945f8c9", 2, "", "nor rbp after enter"},
	{__LINE__, "488903e800000000488b0b", 2, "0/0", "across a call, rbx stays"},
	{__LINE__, "488907e800000000488b1f", 2, "", "and rdi does not"},
	{__LINE__, "6748890767488b1f", 1, "0/0", "32-bit addresses"},
	{__LINE__, "554889e548837d1000", 2, "0/2", "push without pop"},
};

static const struct row aarch64_rows[] = {
	{__LINE__, "010000f9020040f9", 1, "0/0", "str x1,[x0]; ldr x2,[x0]"},
	{__LINE__, "010040f921040091010000f9", 0, "2/1", "ldr x1,[x0]; add x1,x1,1; str x1,[x0]"},
	{__LINE__, "020021f8", 0, "0/1", "ldadd x1,x2,[x0]"},
	{__LINE__, "017c5f8821040011017c0388", 0, "2/1",
	 "ldxr w1,[x0]; add w1,w1,1; stxr w3,w1,[x0]"},
	{__LINE__, "01fc5fc802fc03c8", 0, "1/1", "ldaxr x1,[x0]; stlxr w3,x2,[x0]"},
	{__LINE__, "01fc9fc802fcdfc8", 1, "0/0", "stlr x1,[x0]; ldar x2,[x0]"},
	{__LINE__, "02fce1c8", 0, "0/1", "casal x1,x2,[x0]"},
	{__LINE__, "018440f8010400f9", 0, "1/2", "ldr x1,[x0],8; str x1,[x0,8]"},
	{__LINE__, "02400091018440f8418400f8", 1, "2/2",
	 "add x2,x0,16; ldr x1,[x0],8; str x1,[x2],8"},
	{__LINE__, "01805ff8018400f8", 0, "1/1", "ldr x1,[x0,-8]; str x1,[x0],8"},
	{__LINE__, "018c00f8020040f9", 1, "0/0", "str x1,[x0,8]!; ldr x2,[x0]"},
	{__LINE__, "018c00f802805ff8", 1, "0/1", "str x1,[x0,8]!; ldr x2,[x0,-8]"},
	{__LINE__, "0004c13c0004803d", 0, "1/2", "ldr q0,[x0],16; str q0,[x0,16]"},
	{__LINE__, "0078df4c00d4214e0078004c", 0, "2/1",
	 "ld1 {v0.4s},[x0],16; fadd v0.4s,v0.4s,v1.4s; st1 {v0.4s},[x0]"},
	{__LINE__, "e20300aa0070814c4100c03d", 2, "",
	 "mov x2,x0; st1 {v0.16b},[x0],x1; ldr q1,[x2]: steps by registers are not followed"},
	{__LINE__, "010040f9020440f92100028b010800f900200091", 0, "3/2", "Fibonacci, two back"},
	{__LINE__, "010040f9020440f92100028b010800f900200091", 1, "3/1", "Fibonacci, one back"},
	{__LINE__, "010040f9012800f900200091", 0, "1/10",
	 "ldr x1,[x0]; str x1,[x0,80]; add x0,x0,8"},
	{__LINE__, "010800a9030440f9", 1, "0/0", "stp x1,x2,[x0]; ldr x3,[x0,8]"},
	{__LINE__, "010800a9030c40b9", 1, "0/0", "stp x1,x2,[x0]; ldr w3,[x0,12]"},
	{__LINE__, "01080029030040f9", 1, "0/0s 0/0s", "stp w1,w2,[x0]; ldr x3,[x0]"},
	{__LINE__, "010800a9034040f8", 1, "0/0s 0/0s", "stp x1,x2,[x0]; ldr x3,[x0,4]"},
	{__LINE__, "010800a903c040f8", 1, "0/0w", "stp x1,x2,[x0]; ldr x3,[x0,12]"},
	{__LINE__, "010800a9031040a9", 1, "0/0 0/0", "stp x1,x2,[x0]; ldp x3,x4,[x0]"},
	{__LINE__, "010800a9039040a9", 1, "0/0", "stp x1,x2,[x0]; ldp x3,x4,[x0,8]"},
	{__LINE__, "010000f9020c40a9", 1, "0/0", "str x1,[x0]; ldp x2,x3,[x0]"},
	{__LINE__, "010400b9020c4069", 1, "0/0", "str w1,[x0,4]; ldpsw x2,x3,[x0]"},
	{__LINE__, "010000b9028c7fa9", 1, "0/0w", "str w1,[x0]; ldp x2,x3,[x0,-8]"},
	{__LINE__, "010840a92100028b010881a9", 0, "2/1 2/1",
	 "ldp x1,x2,[x0]; add x1,x1,x2; stp x1,x2,[x0,16]!"},
	{__LINE__, "0108c1a8010800a9", 0, "1/1 1/1", "ldp x1,x2,[x0],16; stp x1,x2,[x0]"},
	{__LINE__, "000400ad0204c03d", 1, "0/0", "stp q0,q1,[x0]; ldr q2,[x0,16]"},
	{__LINE__, "0000803d010440f9", 1, "0/0", "str q0,[x0]; ldr x1,[x0,8]"},
	{__LINE__, "010000f90000c03d", 1, "0/0w", "str x1,[x0]; ldr q0,[x0]"},
	{__LINE__, "01000039020040b9", 1, "0/0w", "strb w1,[x0]; ldr w2,[x0]"},
	{__LINE__, "010000390204003903004079", 2, "1/0s 0/0s",
	 "strb w1,[x0]; strb w2,[x0,1]; ldrh w3,[x0]"},
	{__LINE__, "010000b9020cc039", 1, "0/0", "str w1,[x0]; ldrsb w2,[x0,3]"},
	{__LINE__, "0114003802805ff8", 1, "0/0s 0/1s 0/2s 0/3s 0/4s 0/5s 0/6s 0/7s",
	 "strb w1,[x0],1; ldr x2,[x0,-8]"},
	{__LINE__, "010000f90220009143805ff8e00302aa", 2, "0/0",
	 "str x1,[x0]; add x2,x0,8; ldr x3,[x2,-8]; mov x0,x2"},
	{__LINE__, "010000f9002000d1020440f9", 2, "0/0", "str x1,[x0]; sub x0,x0,8; ldr x2,[x0,8]"},
	{__LINE__, "010000f902fc03b1431050f8", 2, "0/0",
	 "str x1,[x0]; adds x2,x0,255; ldur x3,[x2,-255]"},
	{__LINE__, "017822f842040091030c028b64805ff8", 3, "0/0",
	 "str x1,[x0,x2,lsl 3]; add x2,x2,1; add x3,x0,x2,lsl 3; ldr x4,[x3,-8]"},
	{__LINE__, "015822f8e303022a047863f8", 2, "0/0",
	 "str x1,[x0,w2,uxtw 3]; mov w3,w2; ldr x4,[x0,x3,lsl 3]"},
	{__LINE__, "01d822f8437c4093047863f8", 2, "0/0",
	 "str x1,[x0,w2,sxtw 3]; sxtw x3,w2; ldr x4,[x0,x3,lsl 3]"},
	{__LINE__, "01d822f803cc228b640040f9", 2, "0/0",
	 "str x1,[x0,w2,sxtw 3]; add x3,x0,w2,sxtw 3; ldr x4,[x3]"},
	{__LINE__, "01d822f8437c7d93046863f8", 2, "0/0",
	 "str x1,[x0,w2,sxtw 3]; sbfiz x3,x2,3,32; ldr x4,[x0,x3]"},
	{__LINE__, "015822f8437c7dd3046863f8", 2, "0/0",
	 "str x1,[x0,w2,uxtw 3]; ubfiz x3,x2,3,32; ldr x4,[x0,x3]"},
	{__LINE__, "017822f8045862f8", 1, "",
	 "str x1,[x0,x2,lsl 3]; ldr x4,[x0,w2,uxtw 3]: an index of 64 bits is not its lower half"},
	{__LINE__, "017822f8047862b8", 1, "",
	 "str x1,[x0,x2,lsl 3]; ldr w4,[x0,x2,lsl 2]: another scale"},
	{__LINE__, "000000b000400091010000f9030040f9", 3, "2/0",
	 ".inst 0xb0000000; add x0,x0,16; str x1,[x0]; ldr x3,[x0]: adrp, add"},
	{__LINE__, "000000b000400091010000f9020000b0430840f9", 4, "2/0", "adrp twice"},
	{__LINE__, "80000010010000f942000058", 2, "1/0",
	 "adr x0,.+16; str x1,[x0]; ldr x2,.+8: adr and a literal"},
	{__LINE__, "e10f1ff8e20741f8", 1, "0/0", "str x1,[sp,-16]!; ldr x2,[sp],16"},
	{__LINE__, "fd7bbea9fd7bc2a8", 1, "0/0 0/0", "stp x29,x30,[sp,-32]!; ldp x29,x30,[sp],32"},
	{__LINE__, "ff4300d1e10300f9ff430091e2035ff8", 3, "1/0",
	 "sub sp,sp,16; str x1,[sp]; add sp,sp,16; ldr x2,[sp,-16]"},
	{__LINE__, "e10700f9e3230091620040f9", 2, "0/0", "str x1,[sp,8]; add x3,sp,8; ldr x2,[x3]"},
	{__LINE__, "010100f9e20340f9", 1, "", "str x1,[x8]; ldr x2,[sp]"},
	{__LINE__, "610200f901000094620240f9", 2, "0/0",
	 "str x1,[x19]; bl .+4; ldr x2,[x19]: across a call, x19 stays"},
	{__LINE__, "210000f901000094220040f9", 2, "",
	 "str x1,[x1]; bl .+4; ldr x2,[x1]: and x1 does not"},
	{__LINE__, "3f0002eb0280819a430000f9040040f9", 3, "",
	 "cmp x1,x2; csel x2,x0,x1,hi; str x3,[x2]; ldr x4,[x0]: the greater of two is either"},
	{__LINE__, "a50080d2bf1800f10230819a430000f9040040f9", 4, "3/0", "a known condition"},
	{__LINE__, "e50080d2bf1800f10280819a430000f9040040f9", 4, "3/0",
	 "mov x5,7; cmp x5,6; csel x2,x0,x1,hi; str x3,[x2]; ldr x4,[x0]"},
	{__LINE__, "e50080d2bf1c00f1a00848fa02b0819a430000f9040040f9", 5, "4/0",
	 "mov x5,7; cmp x5,7; ccmp x5,8,0,eq; csel x2,x0,x1,lt; str x3,[x2]; ldr x4,[x0]"},
	{__LINE__, "e50080d2bf1800f1a40848fa0200819a430000f9040040f9", 5, "4/0",
	 "mov x5,7; cmp x5,6; ccmp x5,8,4,eq; csel x2,x0,x1,eq; str x3,[x2]; ldr x4,[x0]"},
	{__LINE__, "e00700f9e20740f9430000f9040040f9", 3, "2/0",
	 "str x0,[sp,8]; ldr x2,[sp,8]; str x3,[x2]; ldr x4,[x0]: an address that was spilled"},
	{__LINE__, "e00700a9e20f40a9640000f9250040f9", 3, "2/0",
	 "stp x0,x1,[sp]; ldp x2,x3,[sp]; str x4,[x3]; ldr x5,[x1]: two of them"},
	{__LINE__, "e00740f900200091e00700f9010000f9020040f8", 4, "3/0",
	 "ldr x0,[sp,8]; add x0,x0,8; str x0,[sp,8]; str x1,[x0]; ldur x2,[x0]"},
	{__LINE__, "e00740f900200091e00700f9010000f902805ff8", 4, "3/1", "and kept in memory"},
	{__LINE__, "010040f9020000f9e00301aa", 0, "",
	 "ldr x1,[x0]; str x2,[x0]; mov x0,x1: a loaded address"},
	{__LINE__, "000040f9010000f9020040f9", 2, "1/0", "ldr x0,[x0]; str x1,[x0]; ldr x2,[x0]"},
	{__LINE__, "4500039ba10000f9420400914600039bc60003cbc70040f9", 5, "1/0",
	 "a row of an array"},
	{__LINE__, "457c039b016825f842040091467c039bc60003cb076866f8", 5, "1/0",
	 "mul x5,x2,x3; str x1,[x0,x5]; add x2,x2,1; mul x6,x2,x3; sub x6,x6,x3; ldr x7,[x0,x6]"},
	{__LINE__, "42084092017822f8050c028ba4805ff842040091", 3, "1/1", "a ring of eight"},
	{__LINE__, "420840d3017822f8050c028ba4805ff842040091", 3, "1/1",
	 "ubfx x2,x2,0,3; str x1,[x0,x2,lsl 3]; add x5,x0,x2,lsl 3; ldr x4,[x5,-8]; add x2,x2,1"},
	{__LINE__, "020cc0da420cc0da410000f9030040f9", 3, "2/0",
	 "rev x2,x0; rev x2,x2; str x1,[x2]; ldr x3,[x0]: bytes swapped and back"},
	{__LINE__, "e20320aae20302cb410000f9031040f8", 3, "2/0",
	 "mvn x2,x0; neg x2,x2; str x1,[x2]; ldur x3,[x0,1]: -~x"},
	{__LINE__, "8046a2d200cf8af2010000f982468252423c105342e01911430068f9", 6, "2/0",
	 "constants"},
	{__LINE__, "e2031faa016822f81f2003d5030040f9", 3, "1/0",
	 "mov x2,xzr; str x1,[x0,x2]; nop; ldr x3,[x0]"},
	{__LINE__, "0208c19a430000f942200091440040f9", 3, "",
	 "udiv x2,x0,x1; str x3,[x2]; add x2,x2,8; ldr x4,[x2]"},
	{__LINE__, "0208c19a430000f94220009144805ff8", 3, "1/0",
	 "udiv x2,x0,x1; str x3,[x2]; add x2,x2,8; ldur x4,[x2,-8]"},
	{__LINE__, "018000910040e2a52040e2e5e2e3f004", 1, "2/2", "vectors of 16 bytes are assumed"},
	{__LINE__, "00e0e0e501a0e1a5e0572004", 1, "0/1",
	 "st1d {z0.d},p0,[x0]; ld1d {z1.d},p0/z,[x0,1,mul vl]; addvl x0,x0,-1"},
	{__LINE__, "210c028b030000f920c0c1c5", 2, "",
	 "add x1,x1,x2,lsl 3; str x3,[x0]; ld1d {z0.d},p0/z,[x1,z1.d]: gathers have no single "
	 "address"},
};

/* The edges to `load` in the notation of the rows. */
static const char *describe(const struct takt_memory_dependences *found, uint32_t load,
			    struct takt_arena *arena)
{
	static const char marks[TAKT_OVERLAP_COUNT][2] = {"", "w", "s"};
	const char *text = "";

	for (uint32_t e = 0; e < found->edge_count; e++) {
		const struct takt_memory_edge *edge = &found->edges[e];

		if (edge->load == load)
			text = takt_arena_printf(arena, "%s%s%u/%u%s", text, *text ? " " : "",
						 edge->store, edge->iterations,
						 marks[edge->overlap]);
	}
	return text;
}

static void test_rows(const struct takt_isa *isa, const struct row *rows, size_t count)
{
	struct takt_memory_options options = {.loop = true};
	struct takt_arena arena = {0};

	for (size_t i = 0; i < count; i++) {
		struct takt_block block = make_isa_block(isa, rows[i].hex, &arena);
		struct takt_memory_dependences found;
		const char *got;

		takt_memory_dependences_find(&block, &options, &arena, &found);
		got = describe(&found, rows[i].load, &arena);
		tap_ok_at(__FILE__, rows[i].line, strcmp(got, rows[i].edges) == 0, "%s: got '%s'",
			  rows[i].what, got);
		takt_arena_clear(&arena);
	}
	takt_arena_release(&arena);
}

/* Edges of one run by one of the ways. */
static void run_one_way(struct takt_finder *finder, bool steady, bool *ret_done)
{
	uint32_t count = takt_track_count(&finder->program);
	struct takt_track *tracks = TAKT_NEW_ARRAY(finder->arena, count, struct takt_track);

	finder->edges = NULL;
	finder->edge_count = finder->edge_capacity = 0;
	*ret_done = true;
	if (steady)
		*ret_done = takt_steady_reach(finder, 7, tracks) &&
			    takt_steady_find(finder, tracks, count);
	else
		takt_simulation_find(finder, 7);
}

/* The short way and the long one come to the same. */
/* By members: bytes between them may differ. */
static bool are_same(const struct takt_memory_edge *left, const struct takt_memory_edge *right,
		     uint32_t count)
{
	for (uint32_t i = 0; i < count; i++, left++, right++)
		if (left->store != right->store || left->load != right->load ||
		    left->iterations != right->iterations || left->overlap != right->overlap ||
		    left->latency_cycles != right->latency_cycles ||
		    left->store_memory != right->store_memory ||
		    left->load_memory != right->load_memory ||
		    left->store_slot != right->store_slot || left->load_slot != right->load_slot)
			return false;
	return true;
}

static void test_ways_agree(const struct takt_isa *isa, const struct row *rows, size_t row_count)
{
	struct takt_memory_options options = {.loop = true};
	struct takt_arena arena = {0};
	uint32_t steady_count = 0;

	for (size_t i = 0; i < row_count; i++) {
		struct takt_block block = make_isa_block(isa, rows[i].hex, &arena);
		struct takt_finder finder = {.block = &block,
					     .options = &options,
					     .arena = &arena,
					     .window = 224,
					     .iterations = 2 + 224 / block.count,
					     .first = 1};
		struct takt_memory_edge *edges;
		uint32_t count;
		bool done;

		takt_program_make(&block, TAKT_PROGRAM_LOOP, &arena, &finder.program);
		run_one_way(&finder, true, &done);
		if (!done)
			continue;
		steady_count++;
		edges = finder.edges;
		count = finder.edge_count;
		run_one_way(&finder, false, &done);
		tap_ok_at(__FILE__, rows[i].line,
			  count == finder.edge_count && are_same(edges, finder.edges, count),
			  "%s: both ways", rows[i].what);
		takt_arena_clear(&arena);
	}
	ok(steady_count > row_count * 3 / 4, "most blocks settle");
	takt_arena_release(&arena);
}

static void test_options(void)
{
	static const struct takt_entry_value aliases[] = {
		{TAKT_LOC_GPR + 6, 0x10008}, /* rsi */
		{TAKT_LOC_GPR + 7, 0x10000}, /* rdi */
	};
	struct takt_memory_options options = {.loop = true};
	struct takt_memory_dependences found;
	struct takt_arena arena = {0};
	/* mov rax, [rsi]; mov [rdi], rax; add rsi, 8; add rdi, 8 */
	struct takt_block copy = make_block("488b064889074883c6084883c708", &arena);
	/* mov rax, [rdi]; mov [rdi + 80], rax; add rdi, 8 */
	struct takt_block far = make_block("488b07488947504883c708", &arena);
	struct takt_block one = make_block("488907488b07488907", &arena);

	takt_memory_dependences_find(&copy, &options, &arena, &found);
	is_int(found.edge_count, 0, "pointers are taken to differ");
	options.entry_values = aliases;
	options.entry_value_count = 2;
	takt_memory_dependences_find(&copy, &options, &arena, &found);
	is_int(found.edge_count, 0, "a store behind the loads");
	options.entry_values = (const struct takt_entry_value[]){{TAKT_LOC_GPR + 6, 0x10000},
								 {TAKT_LOC_GPR + 7, 0x10018}};
	takt_memory_dependences_find(&copy, &options, &arena, &found);
	is_string(describe(&found, 0, &arena), "1/3", "a store 24 bytes ahead");
	options = (struct takt_memory_options){.loop = true, .window_instructions = 29};
	takt_memory_dependences_find(&far, &options, &arena, &found);
	is_int(found.edge_count, 0, "29 instructions in flight");
	options.window_instructions = 30;
	takt_memory_dependences_find(&far, &options, &arena, &found);
	is_int(found.edge_count, 1, "30 instructions in flight");
	options = (struct takt_memory_options){.loop = false};
	takt_memory_dependences_find(&one, &options, &arena, &found);
	is_string(describe(&found, 1, &arena), "0/0", "within a block alone");
	takt_memory_dependences_find(&far, &options, &arena, &found);
	is_int(found.edge_count, 0, "which has no iteration before");
	takt_arena_release(&arena);
}

int main(void)
{
	test_rows(&takt_isa_x86, x86_rows, TAKT_COUNT_OF(x86_rows));
	test_rows(&takt_isa_aarch64, aarch64_rows, TAKT_COUNT_OF(aarch64_rows));
	test_ways_agree(&takt_isa_x86, x86_rows, TAKT_COUNT_OF(x86_rows));
	test_ways_agree(&takt_isa_aarch64, aarch64_rows, TAKT_COUNT_OF(aarch64_rows));
	test_options();
	return tap_done();
}
