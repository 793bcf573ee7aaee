/* SPDX-License-Identifier: MIT */
/* Coarse classes. */
#include "isa/isa.h"
#include "../tap.h"
#include "hex.h"

static const struct {
	int line;
	const char *hex, *word;
} rows[] = {
	{__LINE__, "4801d8", "int"},		   /* add */
	{__LINE__, "488d03", "int"},		   /* lea */
	{__LINE__, "480f44c3", "int"},		   /* cmove */
	{__LINE__, "48d3e0", "int"},		   /* shl */
	{__LINE__, "f3480fb8c3", "int"},	   /* popcnt */
	{__LINE__, "4898", "int"},		   /* cdqe */
	{__LINE__, "480fafc3", "int-mul"},	   /* imul */
	{__LINE__, "c4e2e3f6c1", "int-mul"},	   /* mulx */
	{__LINE__, "f2480f38f0c3", "int-mul"},	   /* crc32 */
	{__LINE__, "48f7f3", "int-div"},	   /* div */
	{__LINE__, "7400", "branch"},		   /* je */
	{__LINE__, "e800000000", "branch"},	   /* call */
	{__LINE__, "c3", "branch"},		   /* ret */
	{__LINE__, "4889d8", "move"},		   /* mov */
	{__LINE__, "50", "move"},		   /* push */
	{__LINE__, "0f2800", "move"},		   /* movaps */
	{__LINE__, "f20f1000", "move"},		   /* movsd */
	{__LINE__, "660f6ec0", "move"},		   /* movd */
	{__LINE__, "0f1808", "move"},		   /* prefetcht0 */
	{__LINE__, "660fefc1", "vec-int"},	   /* pxor */
	{__LINE__, "c5f574c2", "vec-int"},	   /* vpcmpeqb */
	{__LINE__, "c5f454c2", "vec-int"},	   /* vandps */
	{__LINE__, "c5f877", "vec-int"},	   /* vzeroupper */
	{__LINE__, "0fc6c103", "vec-shuffle"},	   /* shufps */
	{__LINE__, "c4e27d1800", "vec-shuffle"},   /* vbroadcastss */
	{__LINE__, "f20f12c1", "vec-shuffle"},	   /* movddup */
	{__LINE__, "62f275487ec2", "vec-shuffle"}, /* vpermt2d */
	{__LINE__, "c5f458c2", "fp-add"},	   /* vaddps */
	{__LINE__, "660f2ec1", "fp-add"},	   /* ucomisd */
	{__LINE__, "660f3a0bc101", "fp-add"},	   /* roundsd */
	{__LINE__, "c5f459c2", "fp-mul"},	   /* vmulps */
	{__LINE__, "c4e2f5b800", "fp-mul"},	   /* vfmadd231pd */
	{__LINE__, "f30f53c1", "fp-mul"},	   /* rcpss */
	{__LINE__, "f20f5ec1", "fp-div"},	   /* divsd */
	{__LINE__, "f20f51c1", "fp-div"},	   /* sqrtsd */
	{__LINE__, "f2480f2ac0", "convert"},	   /* cvtsi2sd */
	{__LINE__, "c5ec41cb", "mask"},		   /* kandw */
	{__LINE__, "d8c3", "x87"},		   /* fadd */
	{__LINE__, "660f38dcc1", "crypto"},	   /* aesenc */
	{__LINE__, "c4e26d920488", "gather"},	   /* vgatherdps */
	{__LINE__, "f3a4", "string"},		   /* rep movsb */
	{__LINE__, "0f1f00", "nop"},		   /* nop */
	{__LINE__, "f30f1efa", "nop"},		   /* endbr64 */
	{__LINE__, "0fa2", "system"},		   /* cpuid */
	{__LINE__, "0faee8", "system"},		   /* lfence */
	{__LINE__, "0f20c0", "system"},		   /* mov rax, cr0 */
	{__LINE__, "f390", "system"},		   /* pause */
};

int main(void)
{
	for (size_t index = 0; index < TAKT_COUNT_OF(rows); index++) {
		uint8_t bytes[16];
		size_t size_bytes = from_hex(rows[index].hex, bytes, sizeof(bytes));
		struct takt_insn insn = {0};
		bool decoded = takt_decode(&takt_isa_x86, bytes, size_bytes, 0, &insn) == TAKT_OK;
		const char *word = takt_class_word((enum takt_insn_class)insn.insn_class);

		tap_ok_at(__FILE__, rows[index].line,
			  decoded && strcmp(word, rows[index].word) == 0, "%s is %s, want %s",
			  rows[index].hex, word, rows[index].word);
	}
	is_string(takt_class_word(TAKT_CLASS_COUNT), "?", "no class");
	return tap_done();
}
