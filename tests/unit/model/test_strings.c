/* SPDX-License-Identifier: MIT */
/* String instructions with rep: their kinds, their cycles, and counts that a block sets. */
#include "fixture.h"

#define INSNS_MAX 8

static uint32_t decode(const char *hex, struct takt_insn *insns)
{
	static uint8_t bytes[64];
	size_t size = 0, at = 0;
	uint32_t count = 0;
	unsigned byte;

	for (; sscanf(hex + 2 * size, "%2x", &byte) == 1; size++)
		bytes[size] = (uint8_t)byte;
	while (at < size && count < INSNS_MAX &&
	       takt_decode(&takt_isa_x86, bytes + at, size - at, at, &insns[count]) == TAKT_OK)
		at += insns[count++].length_bytes;
	return at == size ? count : 0;
}

static const struct {
	int line;
	const char *hex, *text;
	enum takt_string_kind kind;
} kinds[] = {
	{__LINE__, "f3a4", "rep movsb", TAKT_STRING_MOVE},
	{__LINE__, "f348a5", "rep movsq", TAKT_STRING_MOVE},
	{__LINE__, "66f3a5", "rep movsw", TAKT_STRING_MOVE},
	{__LINE__, "f3aa", "rep stosb", TAKT_STRING_FILL},
	{__LINE__, "f348ab", "rep stosq", TAKT_STRING_FILL},
	{__LINE__, "48ab", "stosq", TAKT_STRING_OTHER},
	{__LINE__, "f3a6", "rep cmpsb", TAKT_STRING_OTHER},
	{__LINE__, "f2ae", "repne scasb", TAKT_STRING_OTHER},
	{__LINE__, "f3ac", "rep lodsb", TAKT_STRING_OTHER},
	{__LINE__, "f3c3", "rep ret", TAKT_STRING_OTHER},
	{__LINE__, "4801c8", "add rax, rcx", TAKT_STRING_OTHER},
};

static void test_kinds(void)
{
	struct takt_insn insn;

	for (size_t i = 0; i < TAKT_COUNT_OF(kinds); i++)
		ok(decode(kinds[i].hex, &insn) == 1 &&
			   takt_insn_string_kind(&insn) == kinds[i].kind,
		   "line %d: %s", kinds[i].line, kinds[i].text);
}

static void test_cycles(void)
{
	struct takt_core_params params = {.string_short_bytes = 127,
					  .string_start_cycles = 26,
					  .string_bytes = 64,
					  .string_fill_bytes = 128};
	const struct takt_core_params other = {
		.string_start_cycles = 30, .string_bytes = 0, .string_fill_bytes = 32};

	ok(takt_string_cycles(&params, TAKT_STRING_MOVE, 1, 127) == 0, "a short move");
	ok(takt_string_cycles(&params, TAKT_STRING_MOVE, 4, 32) == 28, "a long one");
	ok(takt_string_cycles(&params, TAKT_STRING_FILL, 8, 160) == 36, "a fill");
	params.string_short_wide_bytes = 256;
	params.string_start_wide_cycles = 5;
	ok(takt_string_cycles(&params, TAKT_STRING_FILL, 4, 64) == 0, "wide elements, short");
	ok(takt_string_cycles(&params, TAKT_STRING_FILL, 8, 64) == 9, "wide elements, long");
	ok(takt_string_cycles(&params, TAKT_STRING_FILL, 1, 256) == 28, "bytes are not wide");
	ok(takt_string_cycles(&other, TAKT_STRING_FILL, 1, 1) == 30, "no length is short");
	ok(takt_string_cycles(&other, TAKT_STRING_MOVE, 1, 5) == 35, "a rate of 0 is one byte");
}

/* The slots that instruction `index` of the block has beyond those of its row. */
static const struct {
	int line;
	const char *core, *hex, *text;
	uint32_t index, slots;
} blocks[] = {
	{__LINE__, "ZEN5", "b905000000f348ab", "mov ecx, 5; rep stosq", 1, 0},
	{__LINE__, "ZEN5", "b940000000f348ab", "mov ecx, 64; rep stosq", 1, 8 * (26 + 4)},
	{__LINE__, "ZEN5", "b940000000f3a4", "mov ecx, 64; rep movsb", 1, 0},
	{__LINE__, "ZEN5", "48c7c140000000f348a5", "mov rcx, 64; rep movsq", 1, 8 * (26 + 8)},
	{__LINE__, "ZEN5", "b94000000031c0f348ab", "with another one between", 2, 8 * (26 + 4)},
	{__LINE__, "ZEN5", "b940000000ffc1f348ab", "mov ecx, 64; inc ecx; rep stosq", 2, 0},
	{__LINE__, "ZEN5", "b94000000089c1f348ab", "mov ecx, 64; mov ecx, eax; rep stosq", 2, 0},
	{__LINE__, "ZEN5", "b940000000b101f348ab", "mov ecx, 64; mov cl, 1; rep stosq", 2, 0},
	{__LINE__, "ZEN5", "ba40000000f348ab", "mov edx, 64; rep stosq", 1, 0},
	{__LINE__, "ZEN5", "b940000000f348abf348ab", "the second of two has no count", 2, 0},
	{__LINE__, "ZEN5", "b9ffffff7ff348ab", "a count that is cut", 1, 16000},
	{__LINE__, "SPR", "b940000000f348ab", "four µops of microcode a cycle", 1, 4 * (5 + 4)},
	{__LINE__, "SKL", "b940000000f348ab", "a core whose rows are for no bytes", 1, 0},
};

static void test_blocks(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(blocks); i++) {
		struct takt_insn insns[INSNS_MAX];
		const struct takt_block block = {.insns = insns,
						 .count = decode(blocks[i].hex, insns)};
		struct takt_timing_storage storage[INSNS_MAX];
		struct takt_timing timings[INSNS_MAX], rows[INSNS_MAX];
		const struct takt_timing *got = &timings[blocks[i].index];
		const struct takt_timing *row = &rows[blocks[i].index];
		struct takt_model *model;

		if (takt_model_open(blocks[i].core, NULL, NULL, &model) != TAKT_OK)
			abort();
		for (uint32_t k = 0; k < block.count; k++) {
			takt_model_timing(model, &insns[k], &storage[k], &rows[k]);
			timings[k] = rows[k];
		}
		takt_timings_count_strings(model, &block, timings);
		ok((uint32_t)(got->slots - row->slots) == blocks[i].slots &&
			   takt_timing_microcode_slots(got) - takt_timing_microcode_slots(row) ==
				   blocks[i].slots,
		   "line %d: %s, %s", blocks[i].line, blocks[i].core, blocks[i].text);
		takt_model_close(model);
	}
}

int main(void)
{
	test_kinds();
	test_cycles();
	test_blocks();
	return tap_done();
}
