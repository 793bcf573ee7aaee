/* SPDX-License-Identifier: MIT */
/* Surveys against each other: of one core, of two that are known to differ, and made-up results. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "characterize/survey/survey.h"
#include "unit/tap.h"

static void has(const struct takt_text *text, const char *wanted)
{
	if (ok(strstr(takt_text_data(text), wanted) != NULL, "has what it should"))
		return;
	tap_note("wanted: %s", wanted);
	tap_note("report: %s", takt_text_data(text));
}

static struct takt_text compare(const char *path, const char *reference)
{
	struct takt_text text = {0};

	is_int(takt_survey_compare(path, reference, NULL, &text), TAKT_OK, "a comparison");
	return text;
}

/* ---- what is said --------------------------------------------------------- */

/* Texts that are not given are empty, and µops not known. Memory is 2 cycles faster in the second
 * one, for plain loads as for others. */
static const struct probe_row left_rows[] = {
	{.form = "mov r64, m64", .throughput = 0.5, .latencies = "2>1:5.00;2b>1:5.00"},
	{.form = "add r64, m64", .throughput = 0.5, .latencies = "2>1:6.00;2b>1:5.00;1>1:1.00"},
	{.form = "sub r64, m64", .throughput = 0.5, .latencies = "2>1:9.00;1>f:1.00"},
	{.form = "imul r64, r64", .throughput = 2, .latencies = "1>1:3.00-4.00;2>1:3.00"},
	{.form = "and r64, r64", .throughput = 1, .uops = 2, .ports = "1*p0+1*p15"},
	{.form = "xor r64, r64", .throughput = 1.05, .uops = 2, .ports = "1*p15+1*p0"},
	{.form = "or r64, r64", .throughput = 1.06, .spread = 0.07, .uops = 1, .ports = "1*p0"},
	{.form = "not r64", .throughput = 1, .uops = 1, .ports = "1*p1", .doubt = "noise"},
	{.form = "div r64", .reason = "fault"},
	{.form = "idiv r64", .reason = "fault"},
	{.form = "neg r64", .throughput = 1},
};

static const struct probe_row right_rows[] = {
	{.form = "mov r64, m64", .throughput = 0.5, .latencies = "2>1:3.00;2b>1:5.00"},
	{.form = "add r64, m64", .throughput = 0.5, .latencies = "2>1:4.00;2b>1:4.00;1>1:3.00"},
	{.form = "sub r64, m64", .throughput = 0.5, .latencies = "2>1:4.00;1>f:2.00"},
	{.form = "imul r64, r64", .throughput = 1, .latencies = "1>1:4.50-9.00;2>1:4.00;2>f:1.00"},
	{.form = "and r64, r64", .throughput = 1, .uops = 1, .ports = "1*p0"},
	{.form = "xor r64, r64", .throughput = 1, .uops = 2, .ports = "1*p0+1*p15"},
	{.form = "or r64, r64", .throughput = 1, .uops = 1, .ports = "1*p15"},
	{.form = "not r64", .throughput = 1, .uops = 1, .ports = "1*p0"},
	{.form = "div r64", .throughput = 7},
	{.form = "idiv r64", .reason = "fault"},
	{.form = "inc r64", .throughput = 1},
};

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static struct probe_row complete(struct probe_row row)
{
	row.reason = or_empty(row.reason);
	row.ports = or_empty(row.ports);
	row.doubt = or_empty(row.doubt);
	row.latencies = or_empty(row.latencies);
	row.uops = row.uops > 0 ? row.uops : NAN;
	return row;
}

static void fill(const char *path, const char *machine, const struct probe_row *rows, size_t count)
{
	struct probe_store *store;

	if (takt_probe_store_open(path, true, NULL, &store) != TAKT_OK ||
	    takt_probe_store_claim(store, machine, NULL) != TAKT_OK)
		abort();
	for (size_t i = 0; i < count; i++) {
		const struct probe_row row = complete(rows[i]);

		if (takt_probe_store_add(store, &row, NULL) != TAKT_OK)
			abort();
	}
	takt_probe_store_close(store);
}

static void test_text(const char *left, const char *right)
{
	struct takt_text text;

	fill(left, "one", left_rows, TAKT_COUNT_OF(left_rows));
	fill(right, "two", right_rows, TAKT_COUNT_OF(right_rows));
	text = compare(left, right);
	has(&text, "one against two: 6 of 8 forms differ; agreement:\n");
	has(&text, "within 0.5 cycles        2 of      9   22.2 %\n");
	has(&text, "within 5 %                              6 of      8   75.0 %\n");
	has(&text, "their ports                                1 of      3   33.3 %\n");
	has(&text,
	    "       2  throughput: takes longer\n       0  throughput: takes less\n"
	    "       2  latency: only by how fast stored values are loaded, as plain loads do\n"
	    "       1  latency: through memory, otherwise\n       1  latency: from an address\n"
	    "       1  latency: from or to flags\n       1  latency: of a register to itself\n"
	    "       1  latency: between registers\n       1  ports: another number of µops\n"
	    "       1  ports: as many µops, but elsewhere\n");
	has(&text, "      or r64, r64                              1.06, against 1.00; "
		   "measured twice, 7 % apart\n");
	has(&text, "      imul r64, r64                            2.00, against 1.00\n");
	has(&text, "2>1 9.00, against 4.00\n");
	has(&text, "1*p0+1*p15, against 1*p0\n");
	has(&text, "1*p0, against 1*p15\n");
	has(&text, "\nnot compared:\n"
		   "       1  failed on both\n            idiv r64\n"
		   "       1  failed on one: fault\n            div r64\n"
		   "       1  only in the survey of one\n            neg r64\n"
		   "       1  only in the survey of two\n            inc r64\n"
		   "       1  operand pairs with a latency only on two\n"
		   "            imul r64, r64 2>f\n");
	takt_text_release(&text);
	is_int(takt_survey_compare(left, "/nowhere/at/all", NULL, &text), TAKT_BAD_INPUT,
	       "no such file");
}

/* ---- cores ---------------------------------------------------------------- */

/* Two forms. On SKL 4 cycles on p01, on HSW 3 cycles on p1. */
static void survey(const char *path, const char *machine)
{
	const struct takt_lab_options lab_options = {.machine = machine};
	const struct takt_survey_options options = {.path = path, .forms = "vaddpd xmm, xmm, *"};
	struct takt_lab *lab;

	unlink(path);
	is_int(takt_lab_open(&lab_options, NULL, &lab), TAKT_OK, "a lab");
	is_int(takt_survey(lab, &options, NULL), TAKT_OK, "a survey");
	takt_lab_close(lab);
}

static void test_cores(const char *left, const char *right)
{
	struct takt_text text;

	survey(left, "sim:SKL");
	survey(right, "sim:SKL");
	text = compare(left, right);
	has(&text, "SKL against SKL: 0 of 2 forms differ; agreement:\n");
	has(&text, "within 0.5 cycles        5 of      5  100.0 %\n");
	has(&text, "within 5 %                              2 of      2  100.0 %\n");
	has(&text, "their ports                                2 of      2  100.0 %\n");
	ok(!strstr(takt_text_data(&text), "against 0"), "nothing is listed");
	ok(!strstr(takt_text_data(&text), "not compared"), "nothing is left out");
	takt_text_release(&text);
	survey(right, "sim:HSW");
	text = compare(left, right);
	has(&text, "SKL against HSW: 2 of 2 forms differ; agreement:\n");
	has(&text, "within 5 %                              0 of      2    0.0 %\n");
	has(&text, "      vaddpd xmm, xmm, xmm                     2>1 4.00, against 3.00\n");
	has(&text, "      vaddpd xmm, xmm, xmm                     0.50, against 1.00\n");
	has(&text, "      vaddpd xmm, xmm, xmm                     1*p01, against 1*p1\n");
	takt_text_release(&text);
}

int main(void)
{
	char left[] = "/tmp/takt-left-XXXXXX", right[] = "/tmp/takt-right-XXXXXX";

	close(mkstemp(left));
	close(mkstemp(right));
	test_text(left, right);
	test_cores(left, right);
	unlink(left);
	unlink(right);
	return tap_done();
}
