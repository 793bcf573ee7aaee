/* SPDX-License-Identifier: MIT */
/* Each finding, its remedy, and rows that must not be found fault with. */
#include "fixture.h"

static const struct {
	int line;
	const char *row, *finding; /* NULL: none */
} rows[] = {
	{__LINE__, "add r64, r64 | 1*p01 | lat=1\n", NULL},
	{__LINE__, "nop | - | slots=1\n", NULL},
	{__LINE__, "mov r64, r64 | - | lat=1 slots=1 elim\n", NULL},
	{__LINE__, "cpuid | - | lat=100 slots=20 ms=20\n", NULL},
	{__LINE__, "add r64, r64 | - | lat=1 slots=1\n",
	 "add r64, r64: latency 1 without µops; add the µops, or lat=0, 'zero' or 'elim'"},
	{__LINE__, "add r64, r64 | 1*p0 | slots=0\n", "add r64, r64: no issue slots"},
	{__LINE__, "add r64, r64 | 1*p0 | mite=0\n", "add r64, r64: comes from no decoder"},
	{__LINE__, "cpuid | 4*p0 | ms=9\n", "cpuid: 9 slots from microcode, but only 4 in all"},
	{__LINE__, "add r64, r64 | 1*p0 | elim\n", "'zero' or 'elim', but 1 µop executes"},
	/* Two µops for p0 alone and two for p01: 2 cycles on {p0}, 4 / 2 on {p0, p1}. */
	{__LINE__, "add r64, r64 | 2*p0+2*p01 | rtp=2\n", NULL},
	{__LINE__, "add r64, r64 | 2*p0+2*p01 | rtp=1.91\n", NULL},
	{__LINE__, "add r64, r64 | 2*p0+2*p01 | rtp=1.5\n",
	 "add r64, r64: measured 1.50 cycles, but its own µops need 2.00"},
	/* 1*p0+1*p1+4*p01: 6 µops on two ports. */
	{__LINE__, "add r64, r64 | 1*p0+1*p1+4*p01 | rtp=2\n", "need 3.00"},
	{__LINE__, "div r64 | 1*p0+6*d0 | rtp=6\n", NULL},
	{__LINE__, "div r64 | 1*p0+6*d0 | rtp=4\n", "need 6.00"},
	{__LINE__, "add r64, r64 | 1*p0 | lat=1,3>1:2\n",
	 "add r64, r64: a latency names operand '3', which the form lacks"},
	{__LINE__, "add r64, r64 | 1*p0 | lat=1,a>1:2\n", "names operand 'a'"},
	{__LINE__, "add r64, r64 | 1*p0 | lat=1,k>1:2\n", "names operand 'k'"},
	{__LINE__, "vaddps ymm, ymm, ymm | 1*p0 | lat=1,k>1:2\n", NULL},
	{__LINE__, "add r64, m64 | 1*p0 | lat=1,2b>1:2,a>1:3,f>1:2,rax>1:2\n", NULL},
	{__LINE__, "lea r64, [b+d] | 1*p0 | lat=1,2b>1:2\n", NULL},
	{__LINE__, "vaddps zmm, zmm, zmm | 1*p0 |\n",
	 "vaddps zmm, zmm, zmm: needs 'avx512f_512', which T lacks"},
	{__LINE__, "vaddps ymm{k}, ymm, ymm | 1*p0 |\n", "needs 'avx512f_512'"},
	{__LINE__, "kmovw k, k | 1*p0 |\n", "needs 'avx512f_kop'"},
};

#define COMPLETE                                                                                   \
	"extensions avx\ncompose load | 1*p2 |\ncompose store | 1*p1 |\ndefault int | 1*p0 |\n"    \
	"default int-mul | 1*p0 |\ndefault int-div | 1*p0 |\ndefault branch | 1*p0 |\n"            \
	"default move | 1*p0 |\ndefault vec-int | 1*p0 |\ndefault vec-shuffle | 1*p0 |\n"          \
	"default fp-add | 1*p0 |\ndefault fp-mul | 1*p0 |\ndefault fp-div | 1*p0 |\n"              \
	"default convert | 1*p0 |\ndefault mask | 1*p0 |\ndefault x87 | 1*p0 |\n"                  \
	"default crypto | 1*p0 |\ndefault gather | 1*p0 |\ndefault string | 1*p0 |\n"              \
	"default nop | - |\ndefault system | 1*p0 |\n"

int main(void)
{
	struct fixture fixture;
	struct takt_text text = {0};
	struct takt_model *model;

	fixture_open(&fixture);
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		size_t count = 99;
		bool fine;

		takt_text_clear(&text);
		model = fixture_core(&fixture, COMPLETE, rows[i].row);
		if (model)
			count = takt_model_write_check(model, &text);
		fine = rows[i].finding
			       ? count == 1 && strstr(text.data, rows[i].finding) &&
					 strstr(text.data, "form checked, 1 finding\n")
			       : count == 0 && strstr(text.data, "1 form checked, 0 findings\n");
		tap_ok_at(__FILE__, rows[i].line, fine, "%s",
			  rows[i].finding ? rows[i].finding : "nothing to find");
		if (!fine)
			tap_note("%s# got: %s", rows[i].row, takt_text_data(&text));
		takt_model_close(model);
	}
	takt_text_clear(&text);
	model = fixture_core(&fixture, "", "");
	is_int((int)takt_model_write_check(model, &text), 1 + TAKT_CLASS_COUNT,
	       "no compose rows, no defaults");
	ok(strstr(text.data, "no default for class 'fp-div'; add 'default fp-div | … | …'") != NULL,
	   "remedy");
	takt_model_close(model);
	takt_text_release(&text);
	fixture_close(&fixture);
	return tap_done();
}
