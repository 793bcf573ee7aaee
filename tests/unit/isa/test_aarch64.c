/* SPDX-License-Identifier: MIT */
/* Decoding of AArch64: flags, conditions, targets, immediates, names of locations. */
#include "aarch64_rows.h"

struct row {
	int line;
	uint32_t word;
	const char *text;
	uint32_t flags; /* all of them */
	int condition;	/* -1 for none */
	uint64_t branch_target;
	int64_t immediate;
};

static const struct row rows[] = {
	{__LINE__, 0xd503201f, "nop", TAKT_INSN_NOP, -1, 0, 0},
	{__LINE__, 0xd503245f, "bti c", TAKT_INSN_NOP, -1, 0, 0},
	{__LINE__, 0xd5033fdf, "isb", TAKT_INSN_SERIALIZING, -1, 0, 0},
	{__LINE__, 0xd5033f9f, "dsb sy", TAKT_INSN_SERIALIZING, -1, 0, 0},
	{__LINE__, 0xd5033bbf, "dmb ish", 0, -1, 0, 0},
	{__LINE__, 0x14000002, "b 0x1008", TAKT_INSN_BRANCH, -1, 0x1008, 0},
	{__LINE__, 0x17ffffff, "b 0xffc", TAKT_INSN_BRANCH, -1, 0xffc, 0},
	{__LINE__, 0x54000041, "b.ne 0x1008", TAKT_INSN_BRANCH | TAKT_INSN_CONDITIONAL, 1, 0x1008,
	 0},
	{__LINE__, 0x94000002, "bl 0x1008", TAKT_INSN_BRANCH | TAKT_INSN_CALL, -1, 0x1008, 0},
	{__LINE__, 0xb4000040, "cbz x0, 0x1008", TAKT_INSN_BRANCH | TAKT_INSN_CONDITIONAL, -1,
	 0x1008, 0},
	{__LINE__, 0x37180040, "tbnz w0, #3, 0x1008",
	 TAKT_INSN_BRANCH | TAKT_INSN_CONDITIONAL | TAKT_INSN_HAS_IMM, -1, 0x1008, 3},
	{__LINE__, 0xd61f0000, "br x0", TAKT_INSN_BRANCH | TAKT_INSN_INDIRECT, -1, 0, 0},
	{__LINE__, 0xd63f0000, "blr x0", TAKT_INSN_BRANCH | TAKT_INSN_INDIRECT | TAKT_INSN_CALL, -1,
	 0, 0},
	{__LINE__, 0xd65f03c0, "ret", TAKT_INSN_BRANCH | TAKT_INSN_INDIRECT | TAKT_INSN_RETURN, -1,
	 0, 0},
	{__LINE__, 0x9a821020, "csel x0, x1, x2, ne", 0, 1, 0, 0},
	{__LINE__, 0x1a9f17e0, "cset w0, eq", 0, 1, 0, 0},
	{__LINE__, 0xfa411004, "ccmp x0, x1, #4, ne", TAKT_INSN_HAS_IMM, 1, 0, 4},
	{__LINE__, 0x1e62cc20, "fcsel d0, d1, d2, gt", TAKT_INSN_VECTOR, 12, 0, 0},
	{__LINE__, 0xca010020, "eor x0, x1, x1", TAKT_INSN_SAME, -1, 0, 0},
	{__LINE__, 0xeb01003f, "cmp x1, x1", TAKT_INSN_SAME, -1, 0, 0},
	{__LINE__, 0xaa0003e0, "mov x0, x0", TAKT_INSN_SAME, -1, 0, 0},
	{__LINE__, 0xaa0103e0, "mov x0, x1", 0, -1, 0, 0},
	{__LINE__, 0xcb010820, "sub x0, x1, x1, lsl #2", TAKT_INSN_SHORT, -1, 0, 0},
	{__LINE__, 0x8b021020, "add x0, x1, x2, lsl #4", TAKT_INSN_SHORT, -1, 0, 0},
	{__LINE__, 0x8b021420, "add x0, x1, x2, lsl #5", 0, -1, 0, 0},
	{__LINE__, 0xcb821420, "sub x0, x1, x2, asr #5", 0, -1, 0, 0},
	{__LINE__, 0x8b224820, "add x0, x1, w2, uxtw #2", TAKT_INSN_SHORT, -1, 0, 0},
	{__LINE__, 0xaa1f03e0, "mov x0, xzr", TAKT_INSN_IMM0, -1, 0, 0},
	{__LINE__, 0xd2800000, "mov x0, #0", TAKT_INSN_IMM0 | TAKT_INSN_HAS_IMM, -1, 0, 0},
	{__LINE__, 0x52800020, "mov w0, #1", TAKT_INSN_HAS_IMM, -1, 0, 1},
	{__LINE__, 0x1e2703e0, "fmov s0, wzr", TAKT_INSN_IMM0 | TAKT_INSN_VECTOR, -1, 0, 0},
	{__LINE__, 0xf8627820, "ldr x0, [x1, x2, lsl #3]",
	 TAKT_INSN_LOADS | TAKT_INSN_INDEXED | TAKT_INSN_SHORT, -1, 0, 0},
	{__LINE__, 0xf81f0fe0, "str x0, [sp, #-16]!", TAKT_INSN_STORES | TAKT_INSN_HAS_IMM, -1, 0,
	 -16},
	{__LINE__, 0xf8200041, "ldadd x0, x1, [x2]", TAKT_INSN_LOADS | TAKT_INSN_STORES, -1, 0, 0},
	{__LINE__, 0xf9802000, "prfm pldl1keep, [x0, #64]", TAKT_INSN_HAS_IMM, -1, 0, 64},
};

static void check(const struct row *row)
{
	struct takt_insn insn = {0};
	struct takt_text text = {0};
	uint8_t bytes[4];

	if (!decode_row(row->line, row->word, row->text, bytes, &insn))
		return;
	takt_insn_write(&insn, TAKT_SYNTAX_INTEL, &text);
	tap_is_string(__FILE__, row->line, takt_text_data(&text), row->text, row->text);
	tap_is_int(__FILE__, row->line, insn.flags, row->flags, "flags");
	tap_is_int(__FILE__, row->line, insn.condition, row->condition, "condition");
	tap_is_int(__FILE__, row->line, (long long)insn.branch_target,
		   (long long)row->branch_target, "target");
	tap_is_int(__FILE__, row->line, insn.immediate, row->immediate, "immediate");
	takt_text_release(&text);
}

static void check_names(void)
{
	static const struct {
		int line;
		uint8_t location;
		const char *name;
	} names[] = {
		{__LINE__, TAKT_LOC_GPR, "x0"},	       {__LINE__, TAKT_LOC_GPR + 30, "x30"},
		{__LINE__, TAKT_LOC_GPR + 31, "sp"},   {__LINE__, TAKT_LOC_VECTOR + 31, "v31"},
		{__LINE__, TAKT_LOC_MASK + 15, "p15"}, {__LINE__, TAKT_LOC_SZAP, "nzcv"},
		{__LINE__, TAKT_LOC_FFR, "ffr"},       {__LINE__, TAKT_LOC_CF, "?"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++) {
		const char *name = takt_location_name(&takt_isa_aarch64, names[i].location);
		uint8_t slot = 0;

		tap_is_string(__FILE__, names[i].line, name, names[i].name, names[i].name);
		if (strcmp(name, "?") != 0)
			tap_ok_at(__FILE__, names[i].line,
				  takt_slot_parse(&takt_isa_aarch64, name, strlen(name), &slot) &&
					  slot == TAKT_SLOT_IMPLICIT + names[i].location,
				  "slot %s", name);
	}
}

/* Whatever the word, decoding ends well and forms are read as written. */
static void check_random_words(void)
{
	uint64_t state = 1;
	unsigned wrong = 0, decoded = 0;

	for (unsigned i = 0; i < 50000; i++) {
		struct takt_text text = {0};
		struct takt_insn insn;
		size_t error_index;
		const char *error;
		uint8_t bytes[4];

		state = takt_hash64(state + i);
		if (takt_decode(&takt_isa_aarch64, word_bytes((uint32_t)state, bytes), 4, 0,
				&insn) != TAKT_OK)
			continue;
		decoded++;
		takt_form_write(&takt_isa_aarch64, insn.form, &text);
		wrong += takt_form_parse(&takt_isa_aarch64, takt_text_data(&text),
					 takt_text_size_bytes(&text), &error_index,
					 &error) != insn.form ||
			 strchr(takt_text_data(&text), '?') != NULL;
		takt_text_release(&text);
	}
	ok(decoded > 10000 && wrong == 0, "%u random words decode, %u forms are lost", decoded,
	   wrong);
}

int main(void)
{
	struct takt_insn insn;

	check_names();
	if (!can_decode()) {
		tap_skip("rows, and random words", AARCH64_MODULE);
		return tap_done();
	}
	for (size_t row = 0; row < TAKT_COUNT_OF(rows); row++)
		check(&rows[row]);
	ok(takt_decode(&takt_isa_aarch64, (const uint8_t[]){0x1f, 0x20, 0x03}, 3, 0, &insn) ==
		   TAKT_BAD_INPUT,
	   "three bytes are no instruction");
	ok(takt_decode(&takt_isa_aarch64, (const uint8_t[]){0xff, 0xff, 0xff, 0xff}, 4, 0, &insn) ==
		   TAKT_BAD_INPUT,
	   "ones are no instruction");
	check_random_words();
	return tap_done();
}
