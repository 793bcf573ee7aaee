/* SPDX-License-Identifier: MIT */
/* References relative to an instruction: read as assemblers made them, written, read back. */
#include "fixture.h"

#define HERE 0x10f00u

static uint32_t word_of(const uint8_t *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Words as GNU as makes them at HERE, and where they lead. */
static const struct aarch64_row {
	int line;
	const char *text;
	uint32_t word;
	uint64_t target;
	bool is_branch;
	uint64_t farthest; /* ahead; 0: not tried */
} rows[] = {
	{__LINE__, "b .-8", 0x17fffffe, HERE - 8, true, 0x7fffffc},
	{__LINE__, "bl .+4", 0x94000001, HERE + 4, true, 0x7fffffc},
	{__LINE__, "b.ne .-32", 0x54ffff01, HERE - 32, true, 0xffffc},
	{__LINE__, "cbnz x3, .+64", 0xb5000203, HERE + 64, true, 0xffffc},
	{__LINE__, "cbz w0, .-4", 0x34ffffe0, HERE - 4, true, 0xffffc},
	{__LINE__, "tbz x1, #33, .+8", 0xb6080041, HERE + 8, true, 0x7ffc},
	{__LINE__, "tbnz w1, #0, .-4", 0x3707ffe1, HERE - 4, true, 0x7ffc},
	{__LINE__, "ldr x0, .+16", 0x58000080, HERE + 16, false, 0xffffc},
	{__LINE__, "ldr q1, .-16", 0x9cffff81, HERE - 16, false, 0xffffc},
	{__LINE__, "adr x0, .+7", 0x70000020, HERE + 7, false, 0xfffff},
	{__LINE__, "adr x0, .-1", 0x70ffffe0, HERE - 1, false, 0xfffff},
	{__LINE__, "adrp x0, .+4096", 0xb0000000, 0x11000, false, 0},
	{__LINE__, "adrp x5, .-65536", 0x90ffff85, 0, false, 0},
};

static void check_row(const struct aarch64_row *row)
{
	struct takt_reference found = {0};
	uint8_t bytes[4], moved[4];

	memcpy(bytes, &row->word, 4);
	tap_ok_at(__FILE__, row->line,
		  takt_reference_read(&takt_isa_aarch64, bytes, HERE, NULL, &found) &&
			  found.target == row->target && found.is_branch == row->is_branch,
		  "reads %s", row->text);
	memcpy(moved, bytes, 4);
	tap_ok_at(
		__FILE__, row->line,
		takt_reference_write(&takt_isa_aarch64, moved, HERE + 0x3000, NULL, row->target) &&
			takt_reference_read(&takt_isa_aarch64, moved, HERE + 0x3000, NULL,
					    &found) &&
			found.target == row->target && word_of(moved) != word_of(bytes),
		"%s elsewhere", row->text);
	tap_ok_at(__FILE__, row->line,
		  takt_reference_write(&takt_isa_aarch64, moved, HERE, NULL, row->target) &&
			  word_of(moved) == word_of(bytes),
		  "%s and back", row->text);
	if (row->farthest)
		tap_ok_at(
			__FILE__, row->line,
			takt_reference_write(&takt_isa_aarch64, moved, HERE, NULL,
					     HERE + row->farthest) &&
				!takt_reference_write(&takt_isa_aarch64, moved, HERE, NULL,
						      HERE + row->farthest + 4) &&
				takt_reference_read(&takt_isa_aarch64, moved, HERE, NULL, &found) &&
				found.target == HERE + row->farthest,
			"%s reaches so far and no farther", row->text);
}

static void test_none(void)
{
	static const uint32_t words[] = {
		0xd503201f, /* nop */
		0x8b020020, /* add x0, x1, x2 */
		0xf9400021, /* ldr x1, [x1] */
		0xd65f03c0, /* ret */
		0xd61f0000, /* br x0 */
		0x3d800000, /* str q0, [x0] */
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(words); i++) {
		struct takt_reference found;
		uint8_t bytes[4];

		memcpy(bytes, &words[i], 4);
		ok(!takt_reference_read(&takt_isa_aarch64, bytes, HERE, NULL, &found) &&
			   !takt_reference_write(&takt_isa_aarch64, bytes, HERE, NULL, 0) &&
			   word_of(bytes) == words[i],
		   "nothing to change in %08x", words[i]);
	}
	{
		uint8_t branch[4] = {0x01, 0x00, 0x00, 0x14};

		ok(!takt_reference_write(&takt_isa_aarch64, branch, HERE, NULL, HERE + 6),
		   "no branch into the middle of an instruction");
	}
}

static void test_x86(void)
{
	static const struct {
		const char *text;
		uint8_t bytes[8];
		size_t size;
		int64_t distance;
		bool is_branch;
	} insns[] = {
		{"jne", {0x75, 0x10}, 2, 0x12, true},
		{"jmp near", {0xe9, 0xfb, 0xff, 0xff, 0xff}, 5, 0, true},
		{"load", {0x8b, 0x05, 0x08, 0, 0, 0}, 6, 14, false},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(insns); i++) {
		uint64_t target = HERE + (uint64_t)insns[i].distance;
		struct takt_reference found;
		struct takt_insn_flow step;
		uint8_t bytes[8];

		memcpy(bytes, insns[i].bytes, sizeof(bytes));
		ok(takt_insn_flow_decode(&takt_isa_x86, bytes, insns[i].size, &step) &&
			   takt_reference_read(&takt_isa_x86, bytes, HERE, &step, &found) &&
			   found.target == target && found.is_branch == insns[i].is_branch,
		   "reads %s", insns[i].text);
		ok(takt_reference_write(&takt_isa_x86, bytes, HERE + 5, &step, target) &&
			   takt_insn_flow_decode(&takt_isa_x86, bytes, insns[i].size, &step) &&
			   takt_reference_read(&takt_isa_x86, bytes, HERE + 5, &step, &found) &&
			   found.target == target,
		   "%s elsewhere", insns[i].text);
	}
}

/* A processor that LLVM decodes has the bytes that takt knows of its machine. */
static void test_encoding(void)
{
	static const struct {
		const char *name;
		const struct takt_isa *want;
	} sets[] = {
		{"llvm:aarch64:cortex-a55", &takt_isa_aarch64},
		{"llvm:x86_64-unknown-linux-gnu:znver4", &takt_isa_x86},
		{"aarch64", &takt_isa_aarch64},
		{"llvm:riscv64", NULL},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(sets); i++) {
		const struct takt_isa isa = {.name = sets[i].name};

		ok(takt_encoding_of(&isa) == (sets[i].want && strncmp(sets[i].name, "llvm", 4) == 0
						      ? sets[i].want
						      : &isa),
		   "encoding of %s", sets[i].name);
	}
}

int main(void)
{
	test_encoding();
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check_row(&rows[i]);
	test_none();
	test_x86();
	return tap_done();
}
