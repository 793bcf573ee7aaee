/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "../tap.h"
#include "validate/limits.h"

/* Bodies of files, the error of each, and for a fine one what its assembly has. */
static const struct {
	int line;
	const char *body;
	const char *message; /* part of the message; NULL: it is fine */
	const char *assembly;
} rows[] = {
	{__LINE__, "LOOP 4\nmovsd FPR1, [STR0+GPR1*8]\n", NULL, "movsd xmm0, [rsi+rax*8]"},
	{__LINE__, "LOOP 4\nmovsd [STR1 + GPR14*8 - 8], FPR16\n", NULL,
	 "movsd [rdx + r15*8 - 8], xmm15"},
	{__LINE__, "vmovaps ymm7, [rip+SCALAR]\nLOOP 8\nnop\n", NULL, "vmovaps ymm7, [rbp-128]"},
	{__LINE__, "vmovaps ymm7, [rip + SCALAR]\nLOOP 8\nnop\n", NULL, "vmovaps ymm7, [rbp-128]"},
	{__LINE__, "movaps FPR7, [SCALAR]\nLOOP 8\nnop\n", NULL, "movaps xmm6, [rbp-128]"},
	{__LINE__, "movss FPR7, [rip+SSCALAR]\nLOOP 8\nnop\n", NULL, "movss xmm6, [rbp-64]"},
	{__LINE__, "movss FPR7, [rip+XSCALAR]\nLOOP 8\nnop\n", NULL, "[rip+XSCALAR]"},
	{__LINE__, "LOOP 8\nnop\n", NULL, "add rax, 8; cmp rax, rdi; jl .Ltakt_trip"},
	{__LINE__, "INC 8\nmov GPR2, ARG1\n1:\nsub GPR2, 8\njg 1b\n", NULL, "mov rbx, rdi\n1:\n"},
	{__LINE__, "LOOP 4\nmovsd FPR1, [STR2+GPR1*8]\n", "7:14: error: there is no 'STR2'", NULL},
	{__LINE__, "LOOP 4\nmovsd FPR17, [STR0]\n", "there is no 'FPR17'", NULL},
	{__LINE__, "LOOP 4\nmov GPR0, GPR15\n", "there is no 'GPR0'", NULL},
	{__LINE__, "LOOP 4\nmov ARG4, 1\n", "there is no 'ARG4'", NULL},
	{__LINE__, "LOOP 0\nnop\n", "expected a number from 1 to 4096", NULL},
	{__LINE__, "LOOP 8 8\nnop\n", "expected the end of the line", NULL},
	{__LINE__, "LOOP 4\nINC 4\n", "a second LOOP or INC", NULL},
	{__LINE__, "nop\n", "has no LOOP", NULL},
	{__LINE__, "STREAMS 5\n", "expected a number from 1 to 4", NULL},
	{__LINE__, "TYPE HALF\n", "expected SINGLE, DOUBLE or INT", NULL},
};

static const char head[] = "STREAMS 2\nTYPE DOUBLE\nFLOPS 2\nBYTES 24\nDESC y = a * x + y\n";

static void check_rows(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_diag *diag = takt_diag_new();
		struct takt_ptt ptt;
		char text[256];
		bool fine;

		takt_snprintf(text, sizeof(text), "%s%s", head, rows[i].body);
		fine = takt_ptt_read(text, strlen(text), "f.ptt", diag, &ptt) == TAKT_OK;
		ok(fine == !rows[i].message, "line %d: %s", rows[i].line,
		   fine ? "read" : "refused");
		if (fine)
			ok(strstr(takt_text_data(&ptt.assembly), rows[i].assembly) != NULL,
			   "line %d: assembly", rows[i].line);
		else if (rows[i].message)
			ok(strstr(takt_diag_text(diag), rows[i].message) != NULL, "line %d: '%s'",
			   rows[i].line, rows[i].message);
		if (fine)
			takt_ptt_release(&ptt);
		takt_diag_free(diag);
	}
}

static void check_header(void)
{
	static const char text[] = "STREAMS 1\nTYPE SINGLE\nFLOPS 3\nBYTES 4\nUOPS 7\n"
				   "vmovntps [STR0], ymm0 # a comment\nLOOP 16\nnop\n";
	static const char *const lacking[] = {"STREAMS", "TYPE", "BYTES"};
	struct takt_ptt ptt;

	if (!ok(takt_ptt_read(text, sizeof(text) - 1, "f", NULL, &ptt) == TAKT_OK, "a header"))
		return;
	is_int(ptt.streams, 1, "streams");
	is_int(ptt.element_bytes, 4, "bytes of an element");
	is_int(ptt.flops, 3, "operations");
	is_int(ptt.bytes, 4, "bytes");
	is_int(ptt.increment, 16, "elements of a trip");
	ok(ptt.single && ptt.non_temporal, "single precision, and a non-temporal store");
	takt_ptt_release(&ptt);
	for (size_t i = 0; i < TAKT_COUNT_OF(lacking); i++) {
		struct takt_diag *diag = takt_diag_new();
		char copy[sizeof(text)], *at;

		memcpy(copy, text, sizeof(text));
		at = strstr(copy, lacking[i]);
		memcpy(at, "UOPS   ", strlen(lacking[i]));
		/* A stream that is used is missing before STREAMS as a whole is. */
		ok(takt_ptt_read(copy, sizeof(copy) - 1, "f", diag, &ptt) == TAKT_BAD_INPUT &&
			   takt_diag_error_count(diag) == 1,
		   "no %s", lacking[i]);
		takt_diag_free(diag);
	}
}

int main(void)
{
	check_rows();
	check_header();
	return tap_done();
}
