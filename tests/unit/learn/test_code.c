/* SPDX-License-Identifier: MIT */
/* The code of all experiments decodes, leaves the loop's counter alone, and has the wanted length.
 */
#include <string.h>

#include "learn/learn.h"
#include "unit/isa/aarch64_rows.h"
#include "unit/tap.h"

static void test_experiment(const struct learn_experiment *experiment)
{
	struct takt_arena arena = {0};
	struct learn_code code = {.arena = &arena};
	struct takt_block block;
	bool is_x86 = strcmp(experiment->isa, "x86-64") == 0, sound, has_counter = false;
	const struct takt_isa *isa = is_x86 ? &takt_isa_x86 : &takt_isa_aarch64;
	uint32_t counter = TAKT_LOC_GPR + (is_x86 ? 15 : 14);

	if (*experiment->text == '@') /* a program: test_program.c */
		return;
	takt_arena_init(&arena);
	sound = learn_code_add_text(&code, experiment->isa, experiment->text, 8) &&
		takt_decode_block(
			isa, &(struct takt_code_bytes){code.bytes, code.size_bytes, 0, "", NULL},
			&arena, NULL, &block) == TAKT_OK;
	for (uint32_t i = 0; sound && i < block.count; i++)
		for (unsigned a = 0; a < block.insns[i].access_count; a++)
			has_counter |= block.insns[i].accesses[a].location == counter;
	ok(sound && block.count > 0 && !has_counter, "%s: %s is code", experiment->isa,
	   experiment->name);
	takt_arena_release(&arena);
}

static void test_text(const char *isa_name, const char *text, const char *wanted)
{
	const struct takt_isa *isa =
		strcmp(isa_name, "x86-64") == 0 ? &takt_isa_x86 : &takt_isa_aarch64;
	struct takt_arena arena = {0};
	struct learn_code code = {.arena = &arena};
	struct takt_text found = {0};
	struct takt_insn insn;

	takt_arena_init(&arena);
	if (!learn_code_add_text(&code, isa_name, text, 2))
		takt_text_add_string(&found, "refused");
	for (size_t at = 0; at < code.size_bytes; at += insn.length_bytes) {
		if (takt_decode(isa, code.bytes + at, code.size_bytes - at, 0, &insn) != TAKT_OK)
			break;
		takt_text_add_string(&found, at ? "; " : "");
		takt_insn_write(&insn, TAKT_SYNTAX_INTEL, &found);
	}
	ok(strcmp(found.data, wanted) == 0, "'%s' is %s, wanted %s", text, found.data, wanted);
	takt_text_release(&found);
	takt_arena_release(&arena);
}

/* The instructions whose rows are checked are what they say, and only copies of one kind wait. */
static void test_chains(void)
{
	struct learn_chain chain;

	for (size_t i = 0; learn_chain_at(i, &chain); i++) {
		const uint32_t words[] = {chain.waiting, chain.independent[0]};
		struct takt_text found = {0};
		struct takt_insn insns[2];
		uint8_t bytes[2][4];
		bool sound = true;

		for (unsigned k = 0; k < 2; k++) {
			for (unsigned byte = 0; byte < 4; byte++)
				bytes[k][byte] = (uint8_t)(words[k] >> 8 * byte);
			sound &= takt_decode(&takt_isa_aarch64, bytes[k], 4, 0, &insns[k]) ==
				 TAKT_OK;
		}
		if (sound)
			takt_insn_write(&insns[0], TAKT_SYNTAX_INTEL, &found);
		ok(sound && insns[0].form == insns[1].form &&
			   strcmp(takt_text_data(&found), chain.text) == 0,
		   "%s: %s", chain.text, takt_text_data(&found));
		takt_text_release(&found);
	}
}

static void test_aarch64_texts(void)
{
	test_text("aarch64", "add*2 set", "add x6, x3, x3; add x7, x3, x3; mov x6, #4386");
	test_text("aarch64", "[load store]*N",
		  "ldr x6, [x1]; str x3, [x1]; ldr x7, [x1, #8]; str x3, [x1, #8]");
	test_text("aarch64", "vload*5",
		  "ldr q2, [x1]; ldr q3, [x1, #16]; ldr q4, [x1, #32]; ldr q5, [x1, #48]; "
		  "ldr q6, [x1]");
	test_text("aarch64", "vwaitmul loadroot", "add v2.4s, v1.4s, v17.4s; ldr x6, [x1, x0]");
	test_text("aarch64", "linestore*2", "str x3, [x1]; str x3, [x1, #64]");
	test_text("aarch64", "addimm16", "refused");
}

int main(void)
{
	bool has_aarch64 = can_decode();
	size_t count;
	const struct learn_experiment *experiments = learn_experiments(&count);

	for (size_t i = 0; i < count; i++)
		if (has_aarch64 || strcmp(experiments[i].isa, "aarch64") != 0)
			test_experiment(&experiments[i]);
	if (has_aarch64) {
		test_aarch64_texts();
		test_chains();
	} else {
		tap_skip("AArch64", AARCH64_MODULE);
	}
	test_text("x86-64", "add*3", "add rdx, rbx; add rdi, rbx; add r8, rbx");
	test_text("x86-64", "zero*N", "xor edx, edx; xor edi, edi");
	test_text("x86-64", "[alias own]*N", "mov rdx, rax; inc rdx; mov rdi, rax; inc rdi");
	test_text("x86-64", "load*2", "mov rdx, qword ptr [rsi]; mov rdi, qword ptr [rsi+0x8]");
	test_text("x86-64", "vwaitmul", "vpaddd xmm2, xmm1, xmm9");
	test_text("x86-64", "loadroot", "mov rdx, qword ptr [rsi+rax*1]");
	test_text("x86-64", "addimm16", "add dx, 0x1122");
	test_text("x86-64", "linestore*5",
		  "mov qword ptr [rsi], rbx; mov qword ptr [rsi+0x40], rbx; "
		  "mov qword ptr [rsi+0x80], rbx; mov qword ptr [rsi+0xc0], rbx; "
		  "mov qword ptr [rsi+0x100], rbx");
	test_text("x86-64", "nonsense", "refused");
	test_text("x86-64", "[nop", "refused");
	test_text("riscv64", "nop", "refused");
	return tap_done();
}
