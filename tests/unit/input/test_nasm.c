/* SPDX-License-Identifier: MIT */
/* Text in NASM's syntax, as text for LLVM. */
#include "fixture.h"
#include "input/listing.h"

static const char nasm[] = "default rel\n"
			   "section .rodata\n"
			   "scale: dd 1.5 ; a number\n"
			   "ones times 4 dd 1\n"
			   "step equ 32\n"
			   "section .text\n"
			   "global f\n"
			   "align 16\n"
			   "f:\n"
			   "\tmovzx eax, BYTE [rdi+rcx] ; comment; again\n"
			   "; OSACA-BEGIN\n"
			   ".loop:\n"
			   "\tadd dword[rsi-8], eax\n"
			   "\tvmovups yword [rdx], ymm0\n"
			   "\tmovss xmm1, [rel scale]\n"
			   "\tadd rsi, step\n"
			   "\tjnz .loop\n";

static const char *const wanted[] = {
	"",
	"",
	"",
	"",
	"step = 32",
	"",
	"",
	".balign 16",
	"f:",
	"\tmovzx eax, byte ptr [rdi+rcx] ",
	"; OSACA-BEGIN",
	".loop:",
	"\tadd dword ptr[rsi-8], eax",
	"\tvmovups ymmword ptr [rdx], ymm0",
	"\tmovss xmm1, [rip + scale]",
	"\tadd rsi, step",
	"\tjnz .loop",
};

static void is_line(const char *line, const char *expected)
{
	size_t size = strcspn(line, "\n");

	ok(size == strlen(expected) && memcmp(line, expected, size) == 0, "'%.*s'", (int)size,
	   line);
}

static void test_lines(void)
{
	struct takt_arena arena = {0};
	struct takt_source source = split(nasm, &arena);

	ok(takt_nasm_read(&source, &arena), "text of NASM");
	for (size_t i = 0; i < TAKT_COUNT_OF(wanted); i++)
		is_line(source.lines[i], wanted[i]);
	takt_arena_release(&arena);
}

/* Text that other assemblers take stays as it is. */
static void test_others(void)
{
	static const char *const others[] = {
		"default:\n\tmov eax, dword ptr [rbx]; nop\n",
		"\tmovl (%rbx), %eax # dword [rbx]\n",
		"\tmov x0, x1 ; [rel x]\n",
		"rel:\n\tjmp rel\n",
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(others); i++) {
		struct takt_arena arena = {0};
		struct takt_source source = split(others[i], &arena);

		ok(!takt_nasm_read(&source, &arena), "no text of NASM: %s", others[i]);
		takt_arena_release(&arena);
	}
}

int main(void)
{
	test_lines();
	test_others();
	return tap_done();
}
