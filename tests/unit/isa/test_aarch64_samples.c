/* SPDX-License-Identifier: MIT */
/* Samples of AArch64 forms, and instructions made of them. */
#include <string.h>

#include "unit/isa/aarch64_rows.h"

static const struct takt_sample *samples;
static size_t count;

static const struct takt_sample *sample_of(const char *text)
{
	const char *error;
	size_t index;
	takt_form_key key = takt_form_parse(&takt_isa_aarch64, text, strlen(text), &index, &error);

	for (size_t i = 0; i < count; i++)
		if (samples[i].form == key)
			return &samples[i];
	return NULL;
}

#define X(n) (TAKT_LOC_GPR + (n))
#define V(n) (TAKT_LOC_VECTOR + (n))
#define P(n) (TAKT_LOC_MASK + (n))

/* Instructions with chosen operands; those without registers of their own keep the sample's. */
static void test_encode(void)
{
	static const struct {
		const char *form;
		struct takt_choice choice;
		const char *want;
	} rows[] = {
		{"add x, x, x", {.registers = {X(9), X(15), X(3)}}, "add x9, x15, x3"},
		{"mul w, w, w", {.registers = {X(9), X(15), X(3)}}, "mul w9, w15, w3"},
		{"cmp x, x", {.registers = {X(9), X(15)}}, "cmp x9, x15"},
		{"mov x, x", {.registers = {X(9), X(15)}}, "mov x9, x15"},
		{"orr v.16b, v.16b, v.16b",
		 {.registers = {V(9), V(15), V(3)}},
		 "orr v9.16b, v15.16b, v3.16b"},
		{"fmadd d, d, d, d",
		 {.registers = {V(9), V(15), V(3), V(12)}},
		 "fmadd d9, d15, d3, d12"},
		{"ldr x, [x, i]",
		 {.registers = {X(9)}, .base = X(14), .displacement = 64},
		 "ldr x9, [x14, #64]"},
		{"ldr x, [x, x]",
		 {.registers = {X(9)}, .base = X(14), .index = X(13)},
		 "ldr x9, [x14, x13]"},
		{"ldur d, [x, i]",
		 {.registers = {V(9)}, .base = X(14), .displacement = 72},
		 "ldur d9, [x14, #72]"},
		{"ldp x, x, [x, i]",
		 {.registers = {X(9), X(10)}, .base = X(14), .displacement = 64},
		 "ldp x9, x10, [x14, #64]"},
		{"ld2 {v.4s*2}, [x]",
		 {.registers = {V(9)}, .base = X(14)},
		 "ld2 { v9.4s, v10.4s }, [x14]"},
		{"add z.d, p/m, z.d, z.d",
		 {.registers = {V(9), P(6), V(9), V(3)}},
		 "add z9.d, p6/m, z9.d, z3.d"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const struct takt_sample *sample = sample_of(rows[i].form);
		uint8_t bytes[TAKT_X86_LENGTH_MAX];
		struct takt_text text = {0};
		struct takt_insn insn;

		if (!ok(sample && takt_sample_encode(sample, &rows[i].choice, bytes) == 4 &&
				takt_decode(&takt_isa_aarch64, bytes, 4, 0, &insn) == TAKT_OK,
			"%s is encoded", rows[i].form))
			continue;
		takt_insn_write(&insn, TAKT_SYNTAX_INTEL, &text);
		is_string(takt_text_data(&text), rows[i].want, rows[i].form);
		takt_text_release(&text);
	}
}

/* Each sample decodes as its form, and no form has two. */
static void test_all(void)
{
	size_t sound = 0, twice = 0;

	for (size_t i = 0; i < count; i++) {
		struct takt_insn insn;

		sound += takt_decode(&takt_isa_aarch64, samples[i].bytes, 4, 0, &insn) == TAKT_OK &&
			 insn.form == samples[i].form && !(insn.flags & TAKT_INSN_BRANCH);
		for (size_t k = 0; k < i; k++)
			twice += samples[i].form == samples[k].form;
	}
	ok(count > 4000, "%zu forms, more than 4,000", count);
	is_int((long long)sound, (long long)count, "samples that decode as their forms");
	is_int((long long)twice, 0, "forms with two samples");
	ok(!sample_of("b label") && !sample_of("ret") && !sample_of("svc i"),
	   "no branches and no calls of the system");
}

int main(void)
{
	struct takt_arena arena;

	if (!can_decode()) {
		tap_skip("AArch64", AARCH64_MODULE);
		return tap_done();
	}
	takt_arena_init(&arena);
	samples = takt_aarch64_samples_find(&arena, &count);
	test_encode();
	test_all();
	takt_arena_release(&arena);
	return tap_done();
}
