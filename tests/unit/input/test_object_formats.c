/* SPDX-License-Identifier: MIT */
/* Text that clang writes for macOS and Windows. */
#include "fixture.h"
#include "input/listing.h"

enum {
	ELF = TAKT_OBJECT_ELF,
	MACHO = TAKT_OBJECT_MACHO,
	COFF = TAKT_OBJECT_COFF,
};

/* Lines that tell the format, and those that do not. */
static const struct format_row {
	int line;
	const char *text;
	const struct takt_isa *isa;
	int format;
} format_rows[] = {
	{__LINE__, "\t.section\t__TEXT,__text,regular,pure_instructions\n", &takt_isa_x86, MACHO},
	{__LINE__, "f:\n\t.subsections_via_symbols\n", &takt_isa_x86, MACHO},
	{__LINE__, "\tadrp\tx9, _words@PAGE\n", &takt_isa_aarch64, MACHO},
	{__LINE__, "LBB0_9: ; =>This Inner Loop Header: Depth=1\n", &takt_isa_aarch64, MACHO},
	{__LINE__, "\t.def\tdot;\n", &takt_isa_x86, COFF},
	{__LINE__, "\t.section\t.rdata,\"dr\"\n", &takt_isa_x86, COFF},
	{__LINE__, "\t.seh_proc f\n", &takt_isa_aarch64, COFF},
	{__LINE__, "\t.section\t.rodata,\"a\",@progbits\n", &takt_isa_x86, ELF},
	{__LINE__, "\t.section\t.text.f,\"ax\",@progbits\n", &takt_isa_x86, ELF},
	{__LINE__, "\tjmp\t.L3\n", &takt_isa_x86, ELF},
};

static void test_formats(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(format_rows); i++) {
		const struct format_row *row = &format_rows[i];
		struct takt_arena arena = {0};
		struct takt_source source = split(row->text, &arena);

		tap_ok_at(__FILE__, row->line,
			  (int)takt_object_format_find(&source, row->isa) == row->format, "%s",
			  row->text);
		takt_arena_release(&arena);
	}
}

/* Lines and what ELF has for them. */
static const struct line_row {
	int line, format;
	const struct takt_isa *isa;
	const char *text, *want;
} line_rows[] = {
	{__LINE__, MACHO, &takt_isa_x86, "\t.section\t__TEXT,__text,regular,pure_instructions",
	 "\t.text"},
	{__LINE__, MACHO, &takt_isa_x86, "\t.section\t__TEXT,__cstring,cstring_literals",
	 "\t.data"},
	{__LINE__, MACHO, &takt_isa_x86, "\t.section\t__TEXT,__literal8,8byte_literals", "\t.data"},
	{__LINE__, MACHO, &takt_isa_x86, "\t.build_version macos, 11, 0", ""},
	{__LINE__, MACHO, &takt_isa_x86, "\t.align\t4, 0x90", "\t.p2align\t4, 0x90"},
	{__LINE__, MACHO, &takt_isa_x86, "\tjne\tLBB0_9", "\tjne\t.LBB0_9"},
	{__LINE__, MACHO, &takt_isa_x86, ".set L6_0_set_8, LBB6_8-LJTI6_0",
	 ".set .L6_0_set_8, .LBB6_8-.LJTI6_0"},
	{__LINE__, MACHO, &takt_isa_x86, "\tmovq\t_tls@TLVP(%rip), %rdi",
	 "\tmovq\t_tls@GOTPCREL(%rip), %rdi"},
	{__LINE__, MACHO, &takt_isa_x86, "\t.asciz\t\"Loop L1\"", "\t.asciz\t\"Loop L1\""},
	{__LINE__, MACHO, &takt_isa_aarch64, "LBB0_9: ; =>This Inner Loop", ".LBB0_9: "},
	{__LINE__, MACHO, &takt_isa_aarch64, "\t.asciz\t\"a;b\" ; @.str", "\t.asciz\t\"a;b\" "},
	{__LINE__, MACHO, &takt_isa_aarch64, "\tadrp\tx9, _words@PAGE", "\tadrp\tx9, _words"},
	{__LINE__, MACHO, &takt_isa_aarch64, "\tadd\tx9, x9, _words@PAGEOFF",
	 "\tadd\tx9, x9, :lo12:_words"},
	{__LINE__, MACHO, &takt_isa_aarch64, "\tldr\tx21, [x21, _c@GOTPAGEOFF]",
	 "\tldr\tx21, [x21, :got_lo12:_c]"},
	{__LINE__, MACHO, &takt_isa_aarch64, "\tadrp\tx22, LJTI6_0@PAGE", "\tadrp\tx22, .LJTI6_0"},
	{__LINE__, MACHO, &takt_isa_aarch64, "\tldr\tw0, [x9, LCPI0_0@PAGEOFF]",
	 "\tldr\tw0, [x9, :lo12:.LCPI0_0]"},
	{__LINE__, COFF, &takt_isa_x86, "\t.def\t dot;\t.scl\t2;\t.type\t32;\t.endef", ""},
	{__LINE__, COFF, &takt_isa_x86, "\t.type\t32;", ""},
	{__LINE__, COFF, &takt_isa_x86, "\t.seh_pushreg %rsi", ""},
	{__LINE__, COFF, &takt_isa_x86, "\t.section\t.text$f,\"xr\",discard,f",
	 "\t.section\t.text..text_f__xr__discard_f,\"ax\",@progbits"},
	{__LINE__, COFF, &takt_isa_x86, "\t.section\t.text,\"xr\"", "\t.text"},
	{__LINE__, COFF, &takt_isa_x86, "\t.section\t.rdata,\"dr\"", "\t.data"},
	{__LINE__, COFF, &takt_isa_x86, ".set @feat.00, 0", ""},
	{__LINE__, COFF, &takt_isa_x86, "\tmulsd\t__real@3ff8000000000000(%rip), %xmm1",
	 "\tmulsd\t__real_3ff8000000000000(%rip), %xmm1"},
	{__LINE__, COFF, &takt_isa_x86, "\tcallq\t\"?g@@YANN@Z\"", "\tcallq\t\"?g@@YANN@Z\""},
	{__LINE__, COFF, &takt_isa_x86, "\tmovl\ttls@SECREL32(%rax), %r10d",
	 "\tmovl\ttls@TPOFF(%rax), %r10d"},
	{__LINE__, COFF, &takt_isa_aarch64, "\tldr\tw10, [x10, :secrel_lo12:tls]",
	 "\tldr\tw10, [x10, :tprel_lo12_nc:tls]"},
	{__LINE__, COFF, &takt_isa_x86, "\taddsd\t%xmm0, %xmm1", "\taddsd\t%xmm0, %xmm1"},
};

static void test_lines(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(line_rows); i++) {
		const struct line_row *row = &line_rows[i];
		struct takt_text text = {0};

		takt_object_format_write((enum takt_object_format)row->format, row->isa, row->text,
					 strlen(row->text), &text);
		tap_ok_at(__FILE__, row->line, strcmp(takt_text_data(&text), row->want) == 0,
			  "%s: '%s'", row->text, takt_text_data(&text));
		takt_text_release(&text);
	}
}

/* Local labels begin no functions, and a function is found by its name in C. */
static void test_function(void)
{
	static const char text[] = "\t.section\t__TEXT,__text,regular,pure_instructions\n"
				   "\t.globl\t_f\n_f:\n\tmovq\t%rdi, %rax\n"
				   "LBB0_1: ## =>This Inner Loop Header: Depth=1\n"
				   "\tdecq\t%rax\n\tjne\tLBB0_1\n\tretq\n"
				   "\t.subsections_via_symbols\n";
	struct opened opened;

	if (!have_shim())
		return;
	opened = open_text(text, (struct takt_code_options){.function = "f"});
	ok(opened.count == 1 && region_at(&opened, 0)->size_bytes == 5, "the loop of _f");
	if (opened.count)
		is_string(region_at(&opened, 0)->function, "_f", "its function");
	close_opened(&opened);
}

int main(void)
{
	test_formats();
	test_lines();
	test_function();
	return tap_done();
}
