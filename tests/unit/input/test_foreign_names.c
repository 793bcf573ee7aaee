/* SPDX-License-Identifier: MIT */
/* Names as tools print them for people, as names that LLVM takes. */
#include "fixture.h"
#include "input/listing.h"

struct row {
	int line;
	const char *text, *want; /* NULL: nothing is foreign */
};

static const struct row rows[] = {
	{__LINE__, "dot(double const*, int):", "\"dot(double const*, int)\":"},
	{__LINE__, "ns::F<int>::f() const:   # f", "\"ns::F<int>::f() const\":"},
	{__LINE__, "operator\"\" _x(char):", "\"operator'' _x(char)\":"},
	{__LINE__, "dot(double const*, int): # again", ""}, /* known */
	{__LINE__, "main:", NULL},
	{__LINE__, "jacobi:", NULL}, /* begins as jumps do */
	{__LINE__, "callback: add $1, %eax", NULL},
	{__LINE__, "b:", NULL},
	{__LINE__, "\tjmp\t::f(int)", "\tjmp\t__f_int_"},
	{__LINE__, ".L4:", NULL},
	{__LINE__, "  call operator new(unsigned long)", "  call operator_new_unsigned_long_"},
	{__LINE__, "\tbl\tstd::f(int)", "\tbl\tstd__f_int_"},
	{__LINE__, "\tjmp\tF::~F() # tail", "\tjmp\tF___F__"},
	{__LINE__, "\tcall\tsin@PLT", NULL},
	{__LINE__, "\tcall\t*16(%rax)", NULL},
	{__LINE__, "\tcall\t[QWORD PTR [rax]]", NULL},
	{__LINE__, "\tjne\t.L4", NULL},
	{__LINE__, "\tmov edi, OFFSET FLAT:vtable for F+16",
	 "\tmov edi, OFFSET FLAT:vtable_for_F+16"},
	{__LINE__, "\tmov edi, OFFSET FLAT:.LC0+16", NULL},
	{__LINE__, "\tmovsd xmm0, qword ptr [rip + .LCPI0_0]", NULL},
	{__LINE__, "\tmov eax, dword ptr ns::x[rip + 4]", "\tmov eax, dword ptr ns__x[rip + 4]"},
	{__LINE__, "\tmovsd xmm3, QWORD PTR ns::table[rip+24]",
	 "\tmovsd xmm3, QWORD PTR ns__table[rip+24]"},
	{__LINE__, "\tlea rax, f(int)::x[rip]", "\tlea rax, f_int___x[rip]"},
	{__LINE__, "\tmovsd 24+ns::table(%rip), %xmm3", "\tmovsd _24_ns__table(%rip), %xmm3"},
	{__LINE__, "\tmovsd %xmm3, ns::x(%rip)", "\tmovsd %xmm3, ns__x(%rip)"},
	{__LINE__, "\tmovsd .LC1+8(%rip), %xmm3", NULL},
	{__LINE__, "\tvaddpd (%rsi,%rax,8), %ymm1, %ymm2", NULL},
	{__LINE__, "\t.quad typeinfo name for F", "\t.quad typeinfo_name_for_F"},
	{__LINE__, "\t.quad .L3-.L4", NULL},
	{__LINE__, "größe:", "\"größe\":"},
	{__LINE__, "\t.globl\tgröße", "\t.globl\t\"größe\""},
	{__LINE__, "\t.type\tgröße, @function", "\t.type\t\"größe\", @function"},
	{__LINE__, "\t.size\tgröße, .-größe", "\t.size\t\"größe\", .-\"größe\""},
	{__LINE__, "\t.globl\t\"größe\"", NULL},
	{__LINE__, "\t.string \"größe\"", NULL},
};

int main(void)
{
	struct takt_map labels;

	takt_labels_init(&labels);
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_text text = {0};
		bool found = takt_foreign_names_write(&labels, rows[i].text, strlen(rows[i].text),
						      &text);

		tap_ok_at(__FILE__, rows[i].line,
			  found == (rows[i].want != NULL) &&
				  (!found || strcmp(takt_text_data(&text), rows[i].want) == 0),
			  "'%s' is '%s'", rows[i].text, takt_text_data(&text));
		takt_text_release(&text);
	}
	takt_map_release(&labels);
	return tap_done();
}
