/* SPDX-License-Identifier: MIT */
/* Figures of ibench and asmbench: those measured replace the core's own, whose ports remain. */
#include "fixture.h"

static const char ibench[] =
	"Using frequency 2.50GHz.\n"
	"vaddpd-x_x_x-TP: 0.501 (clock cycles)    [DEBUG - result: 0.007813]\n"
	"vaddpd-x_x_x-LT:    7.013 (clock cycles)    [DEBUG - result: 1.000000]\n"
	"add-i_r-LT: 2.010 (clock cycles)\n"
	"vmovapd-mb_y-TP: 0.667 (clock cycles)\n"
	"nosuch-x_x-TP: 1.000 (clock cycles)\n"
	"vaddpd-q_x-TP: 1.000 (clock cycles)\n";
static const char asmbench[] = "fadd-vd_vd_vd\nLatency: 8.013 cy\nThroughput: 0.501 cy\n\n"
			       "ldr-d_mbop\nThroughput: 0.500 cy\n\nfmul-d_d_d\n\n";

struct row_case {
	int line;
	const char *what, *row;
};

static void test_ibench(void)
{
	static const struct row_case rows[] = {
		{__LINE__, "latency and throughput; the core's ports",
		 "vaddpd xmm, xmm, xmm | 1*p01 | lat=7 rtp=0.5"},
		{__LINE__, "every width of a general register", "add r64, i8 | 1*p0156 | lat=2"},
	};
	struct import_run run = import_bytes("SKL", TAKT_IMPORT_IBENCH, ibench, sizeof(ibench) - 1);

	is_int(run.status, TAKT_OK, "ibench");
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		tap_ok_at(__FILE__, rows[i].line, import_has_row(&run, rows[i].row), "%s",
			  rows[i].what);
	ok(strstr(import_text(&run), "vmovapd ymm, m256") != NULL, "a load");
	ok(strstr(import_text(&run), "rtp=0.67") != NULL, "its throughput");
	ok(strstr(import_text(&run), "an unknown mnemonic, such as nosuch") != NULL,
	   "an unknown instruction is counted");
	ok(strstr(import_text(&run), "operands of unknown letters, such as vaddpd-q_x") != NULL,
	   "and so are unknown operands");
	ok(strstr(import_text(&run), "measured") != NULL, "the source is a measurement");
	ok(import_loads(&run, "SKL", "skl"), "it opens as the timing of its core");
	import_end(&run);
}

static void test_asmbench(void)
{
	struct import_run run =
		import_bytes("TX2", TAKT_IMPORT_IBENCH, asmbench, sizeof(asmbench) - 1);

	is_int(run.status, TAKT_OK, "asmbench");
	ok(import_has_row(&run, "fadd v.2d, v.2d, v.2d | 1*p01 | lat=8 rtp=0.5"), "a vector");
	ok(import_has_row(&run, "ldr d, [x], i | 1*p34 | lat=5,*>2b:1 rtp=0.5"),
	   "no latency: the core's own");
	ok(strstr(import_text(&run), "no figures, such as fmul-d_d_d") != NULL, "no figures");
	import_end(&run);
}

static void test_bad(void)
{
	static const struct {
		int line;
		const char *text, *message;
	} cases[] = {
		{__LINE__, "Latency: 3 cy\n", "1:1: error: figures without an instruction"},
		{__LINE__, "add-r_r\nLatency: fast\n", "2:10: error: expected a number of cycles"},
		{__LINE__, "add-r_r-LT: 1e9 (clock cycles)\n", "from 0 to 60000"},
		{__LINE__, "add-r_r-TP: nan\n", "from 0 to 650"},
		{__LINE__, "add-r_r-TP:\n", "expected a number of cycles"},
		{__LINE__, "<html>\n", "neither ibench nor asmbench prints such a line"},
		{__LINE__, "nosuch-r-TP: 1\n", "no row for SKL"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(cases); i++) {
		struct import_run run = import_bytes("SKL", TAKT_IMPORT_IBENCH, cases[i].text,
						     strlen(cases[i].text));

		tap_ok_at(__FILE__, cases[i].line,
			  run.status == TAKT_BAD_INPUT &&
				  strstr(takt_diag_text(run.diag), cases[i].message) &&
				  !takt_text_size_bytes(run.text),
			  "%s", cases[i].message);
		import_end(&run);
	}
}

int main(void)
{
	test_ibench();
	test_asmbench();
	test_bad();
	return tap_done();
}
