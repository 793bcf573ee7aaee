/* SPDX-License-Identifier: MIT */
/* Intel syntax as only GNU's tools write it; the results are what llvm-objdump prints. */
#include "fixture.h"
#include "input/listing.h"

static const struct row {
	int line;
	const char *text, *want; /* NULL: unchanged */
} rows[] = {
	{__LINE__, "vaddps zmm1,zmm2,DWORD BCST [rax]", "vaddps zmm1,zmm2,DWORD PTR [rax]{1to16}"},
	{__LINE__, "vaddpd xmm1,xmm2,QWORD BCST [rax+8]",
	 "vaddpd xmm1,xmm2,QWORD PTR [rax+8]{1to2}"},
	{__LINE__, "vaddph ymm1,ymm2,WORD BCST [rax]", "vaddph ymm1,ymm2,WORD PTR [rax]{1to16}"},
	{__LINE__, "vcvtps2pd ymm0,DWORD BCST [rax]", "vcvtps2pd ymm0,DWORD PTR [rax]{1to4}"},
	{__LINE__, "vcvtpd2ps ymm0,QWORD BCST [rax]", "vcvtpd2ps ymm0,QWORD PTR [rax]{1to8}"},
	{__LINE__, "vcvtpd2ps xmm0,QWORD BCST [rax]{1to4}", "vcvtpd2ps xmm0,QWORD PTR [rax]{1to4}"},
	{__LINE__, "vgatherdpd ymm3{k1},QWORD PTR [rdi+xmm1*8]",
	 "vgatherdpd ymm3{k1},[rdi+xmm1*8]"},
	{__LINE__, "vscatterdpd QWORD PTR [rdi+xmm23*8]{k4},ymm0",
	 "vscatterdpd [rdi+xmm23*8]{k4},ymm0"},
	{__LINE__, "vgatherdpd ymm3,QWORD PTR [rdi+xmm1*8],ymm4",
	 "vgatherdpd ymm3,[rdi+xmm1*8],ymm4"},
	{__LINE__, "vpgatherdd ymm0,DWORD PTR [rax+ymm1*4],ymm2",
	 "vpgatherdd ymm0,[rax+ymm1*4],ymm2"},
	{__LINE__, "vgatherdpd ymm3,YMMWORD PTR [rdi+xmm1*8],ymm4", NULL},
	{__LINE__, "vpgatherdd zmm1{k2},ZMMWORD PTR [rax+zmm3*4]", NULL},
	{__LINE__, "mov eax,DWORD PTR [rax]", NULL},
};

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_text text = {0};
		bool changed;

		changed = takt_gnu_intel_write(rows[i].text, strlen(rows[i].text), &text);
		tap_ok_at(__FILE__, rows[i].line,
			  changed == (rows[i].want != NULL) &&
				  (!changed || strcmp(takt_text_data(&text), rows[i].want) == 0),
			  rows[i].text);
		if (changed && strcmp(takt_text_data(&text), rows[i].want) != 0)
			tap_note("got: %s", takt_text_data(&text));
		takt_text_release(&text);
	}
	return tap_done();
}
