/* SPDX-License-Identifier: MIT */
/* The code of all experiments decodes, leaves the loop's counter alone, and has the wanted length.
 */
#include <string.h>

#include "learn/learn.h"
#include "unit/tap.h"

static void test_experiment(const struct learn_experiment *experiment)
{
	struct takt_arena arena = {0};
	struct learn_code code = {.arena = &arena};
	struct takt_block block;
	bool sound, has_counter = false;

	if (*experiment->text == '@') /* a program: test_program.c */
		return;
	takt_arena_init(&arena);
	sound = learn_code_add_text(&code, experiment->isa, experiment->text, 8) &&
		takt_decode_block(
			&takt_isa_x86,
			&(struct takt_code_bytes){code.bytes, code.size_bytes, 0, "", NULL}, &arena,
			NULL, &block) == TAKT_OK;
	for (uint32_t i = 0; sound && i < block.count; i++)
		for (unsigned a = 0; a < block.insns[i].access_count; a++)
			has_counter |= block.insns[i].accesses[a].location == TAKT_LOC_GPR + 15;
	ok(sound && block.count > 0 && !has_counter, "%s is code", experiment->name);
	takt_arena_release(&arena);
}

static void test_text(const char *text, const char *wanted)
{
	struct takt_arena arena = {0};
	struct learn_code code = {.arena = &arena};
	struct takt_text found = {0};
	struct takt_insn insn;

	takt_arena_init(&arena);
	if (!learn_code_add_text(&code, "x86-64", text, 2))
		takt_text_add_string(&found, "refused");
	for (size_t at = 0; at < code.size_bytes; at += insn.length_bytes) {
		if (takt_decode(&takt_isa_x86, code.bytes + at, code.size_bytes - at, 0, &insn) !=
		    TAKT_OK)
			break;
		takt_text_add_string(&found, at ? "; " : "");
		takt_insn_write(&insn, TAKT_SYNTAX_INTEL, &found);
	}
	ok(strcmp(found.data, wanted) == 0, "'%s' is %s, wanted %s", text, found.data, wanted);
	takt_text_release(&found);
	takt_arena_release(&arena);
}

int main(void)
{
	size_t count;
	const struct learn_experiment *experiments = learn_experiments(&count);

	for (size_t i = 0; i < count; i++)
		test_experiment(&experiments[i]);
	test_text("add*3", "add rdx, rbx; add rdi, rbx; add r8, rbx");
	test_text("zero*N", "xor edx, edx; xor edi, edi");
	test_text("[alias own]*N", "mov rdx, rax; inc rdx; mov rdi, rax; inc rdi");
	test_text("load*2", "mov rdx, qword ptr [rsi]; mov rdi, qword ptr [rsi+0x8]");
	test_text("vwaitmul", "vpaddd xmm2, xmm1, xmm9");
	test_text("loadroot", "mov rdx, qword ptr [rsi+rax*1]");
	test_text("addimm16", "add dx, 0x1122");
	test_text("linestore*5", "mov qword ptr [rsi], rbx; mov qword ptr [rsi+0x40], rbx; "
				 "mov qword ptr [rsi+0x80], rbx; mov qword ptr [rsi+0xc0], rbx; "
				 "mov qword ptr [rsi+0x100], rbx");
	test_text("nonsense", "refused");
	test_text("[nop", "refused");
	return tap_done();
}
