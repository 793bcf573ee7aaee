/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "../tap.h"
#include "trust/trust.h"

/* Up to four figures that were to be 1000. */
static const struct {
	int line;
	double counted[4];
	enum takt_verdict verdict;
} rows[] = {
	{__LINE__, {1000, 1000, 1000, 1000}, TAKT_VERDICT_EXACT},
	{__LINE__, {1000, 1000, 1000, 1001}, TAKT_VERDICT_GOOD},
	{__LINE__, {1000, 980, 1020, 1000}, TAKT_VERDICT_GOOD},
	{__LINE__, {1015, 1015, 1015, 1015}, TAKT_VERDICT_BIASED}, /* 1.5 % on average */
	{__LINE__, {1000, 1000, 1000, 1021}, TAKT_VERDICT_BIASED},
	{__LINE__, {1500, 1520, 1480, 1500}, TAKT_VERDICT_BIASED},
	{__LINE__, {0, 0, 0, 0}, TAKT_VERDICT_UNTRUSTED},
	{__LINE__, {1000, 1000, 1000, 1200}, TAKT_VERDICT_UNTRUSTED},
	{__LINE__, {0, 0, 0, 1000}, TAKT_VERDICT_UNTRUSTED},
};

static void add(struct trust_list *list, const char *event, const char *level, double expected,
		double counted)
{
	const struct takt_trust_case one = {.event = event,
					    .kernel = "k",
					    .level = level,
					    .expected = expected,
					    .counted = counted,
					    .scale = 1000};

	takt_trust_list_case(list, &one);
}

static void check_verdicts(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct trust_list *list = takt_trust_list_new();

		for (unsigned k = 0; k < 4; k++)
			add(list, "E", "", 1000, rows[i].counted[k]);
		takt_trust_list_judge(list);
		tap_is_string(__FILE__, rows[i].line,
			      takt_verdict_word(takt_trust_verdict(&list->result, "E")),
			      takt_verdict_word(rows[i].verdict), "verdict");
		takt_trust_free(&list->result);
	}
}

/* What was counted at rates 0, 1, 2 and 4. */
static const struct {
	int line;
	double counted[4];
	const char *order;
	enum takt_verdict verdict;
} orders[] = {
	{__LINE__, {0, 5, 6, 1000}, "1.000", TAKT_VERDICT_ORDERED},
	{__LINE__, {9, 7, 5, 3}, "-1.000", TAKT_VERDICT_UNTRUSTED},
	{__LINE__, {5, 0, 6, 7}, "0.800", TAKT_VERDICT_UNTRUSTED},
	{__LINE__, {0, 0, 6, 7}, "0.949", TAKT_VERDICT_ORDERED}, /* 0.5 0.5 2 3 of 0 1 2 3 */
	{__LINE__, {1, 2, 2, 1}, "0.000", TAKT_VERDICT_UNTRUSTED},
	{__LINE__, {3, 3, 3, 3}, "nan", TAKT_VERDICT_UNTESTED},
};

static void check_orders(void)
{
	static const double rates[4] = {0, 1, 2, 4};

	for (size_t i = 0; i < TAKT_COUNT_OF(orders); i++) {
		struct trust_list *list = takt_trust_list_new();
		char order[16];

		for (unsigned k = 0; k < 4; k++)
			takt_trust_list_sample(list, "E", rates[k], orders[i].counted[k]);
		takt_trust_list_judge(list);
		snprintf(order, sizeof(order), "%.3f",
			 fabs(list->rows[0].order) < 1e-9 ? 0.0 : list->rows[0].order);
		tap_is_string(__FILE__, orders[i].line, order, orders[i].order, "order");
		tap_is_string(__FILE__, orders[i].line,
			      takt_verdict_word(takt_trust_verdict(&list->result, "E")),
			      takt_verdict_word(orders[i].verdict), "verdict");
		takt_trust_free(&list->result);
	}
}

/* Errors are judged first. */
static void check_order_beside_errors(void)
{
	struct trust_list *list = takt_trust_list_new();

	for (unsigned k = 1; k < 4; k++) {
		add(list, "EXACT", "", k, k);
		add(list, "MORE", "", k, k * k);
		takt_trust_list_sample(list, "MORE", k, k * k);
	}
	takt_trust_list_sample(list, "EXACT", 1, 2);
	takt_trust_list_sample(list, "EXACT", 2, 1);
	takt_trust_list_judge(list);
	is_int(takt_trust_verdict(&list->result, "EXACT"), TAKT_VERDICT_EXACT, "exact figures");
	is_int(takt_trust_verdict(&list->result, "MORE"), TAKT_VERDICT_ORDERED, "only ordered");
	takt_trust_free(&list->result);
}

static struct trust_list *make_table(void)
{
	struct trust_list *list = takt_trust_list_new();

	list->result.backend = "emulate";
	list->result.isa = "x86-64";
	add(list, "GOOD", "", 1000, 1001);
	add(list, "NEVER", "", 0, 0);
	add(list, "LINES", "L1", 0, 0);
	add(list, "LINES", "L2", 1000, 1000);
	add(list, "LINES", "L3", 1000, 3000);
	add(list, "PHANTOM", "", 0, 500);
	takt_trust_list_sample(list, "GROWS", 1, 20);
	takt_trust_list_sample(list, "GROWS", 2, 90);
	takt_trust_list_note(list, "a note, said");
	takt_trust_list_note(list, "a note, said");
	takt_trust_list_judge(list);
	return list;
}

static void check_table(void)
{
	struct trust_list *list = make_table();
	const struct takt_trust *trust = &list->result;

	is_int(takt_trust_verdict(trust, "GOOD"), TAKT_VERDICT_GOOD, "good");
	is_int(takt_trust_verdict(trust, "NEVER"), TAKT_VERDICT_UNTESTED, "untested");
	is_int(takt_trust_verdict(trust, "NOBODY"), TAKT_VERDICT_UNTESTED, "not there");
	is_int(trust->rows[2].verdict, TAKT_VERDICT_EXACT, "nothing where nothing is to be");
	is_int(takt_trust_verdict(trust, "LINES"), TAKT_VERDICT_BIASED, "the worst level");
	is_int(takt_trust_verdict(trust, "PHANTOM"), TAKT_VERDICT_BIASED,
	       "counted what is not there");
	is_int(trust->note_count, 1, "notes");
	takt_trust_free(&list->result);
}

static void check_file(void)
{
	static const char file[] =
		"# takt trust 1\n# backend: emulate\n# core: \n# isa: x86-64\n# "
		"note: a note, said\n"
		"event,level,cases,nonzero,average,least,most,worst,order,verdict\n"
		"GOOD,,1,1,0.001,0.001,0.001,k,,good\n"
		"NEVER,,1,0,0,0,0,,,untested\n"
		"LINES,L1,1,0,0,0,0,,,exact\n"
		"LINES,L2,1,1,0,0,0,,,exact\n"
		"LINES,L3,1,1,2,2,2,k,,biased\n"
		"PHANTOM,,1,0,0.5,0.5,0.5,k,,biased\n"
		"GROWS,,0,0,0,0,0,,1,ordered\n";
	struct trust_list *list = make_table();
	struct takt_trust *again;
	struct takt_text *text = takt_text_new();

	takt_write_trust(&list->result, TAKT_FORMAT_CSV, false, text);
	is_string(takt_text_data(text), file, "as CSV");
	if (ok(takt_trust_parse(file, sizeof(file) - 1, "t", NULL, &again) == TAKT_OK, "read")) {
		takt_text_clear(text);
		takt_write_trust(again, TAKT_FORMAT_CSV, false, text);
		is_string(takt_text_data(text), file, "and written again");
		takt_trust_free(again);
	}
	takt_text_free(text);
	takt_trust_free(&list->result);
}

static void check_cases(void)
{
	struct trust_list *list = make_table();
	struct takt_text *text = takt_text_new();

	takt_write_trust(&list->result, TAKT_FORMAT_TEXT, true, text);
	ok(strstr(takt_text_data(text),
		  "\nGOOD                          k                           0           1000    "
		  "       1001    +0.10%\n") != NULL,
	   "a case has its counts and the error");
	ok(strstr(takt_text_data(text),
		  "\nPHANTOM                       k                           0              0    "
		  "        500   +50.00%\n") != NULL,
	   "a count of what is not there, by what the kernel does");
	takt_text_free(text);
	takt_trust_free(&list->result);
}

static void check_missing(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_trust *trust;

	ok(takt_trust_read("/nonexistent/trust.csv", diag, &trust) == TAKT_BAD_INPUT &&
		   strstr(takt_diag_text(diag), "'/nonexistent/trust.csv'") != NULL,
	   "a file that is not there is named");
	takt_diag_free(diag);
}

#define HEAD "# takt trust 1\nevent,level,cases,nonzero,average,least,most,worst,order,verdict\n"
#define NOTE "note: 'takt validate --format=csv -o FILE' makes such files\n"

static const struct {
	int line;
	const char *file, *text;
} errors[] = {
	{__LINE__, "", "t: error: the first line is not '# takt trust 1'\n" NOTE},
	{__LINE__, "# takt bench 1\n",
	 "t:1:1: error: the first line is not '# takt trust 1'\n    1 | # takt bench 1\n"
	 "      | ^\n" NOTE},
	{__LINE__, HEAD "E,,1,1,0,0,0,,,fine\n",
	 "t:3:16: error: not a word that is allowed here\n    3 | E,,1,1,0,0,0,,,fine\n      |     "
	 "           ^~~~\n" NOTE},
	{__LINE__, HEAD "E,,1,1,0,0,0,,some,fine\n",
	 "t:3:15: error: not a number\n    3 | E,,1,1,0,0,0,,some,fine\n"
	 "      |               ^~~~\n" NOTE},
	{__LINE__, HEAD "E,,1,2,0,0,0,,,exact\n",
	 "t:3:6: error: not an integer in the range allowed here\n    3 | E,,1,2,0,0,0,,,exact\n   "
	 "   |      ^\n" NOTE},
	{__LINE__, HEAD "E,,1,1,0,nan,0,,,exact\n",
	 "t:3:10: error: not a number\n    3 | E,,1,1,0,nan,0,,,exact\n      |          "
	 "^~~\n" NOTE},
	{__LINE__, HEAD "E,,1\n",
	 "t:3:1: error: the number of fields in the row is not the number of columns\n    3 | "
	 "E,,1\n      | ^\n" NOTE},
	{__LINE__, HEAD ",,1,1,0,0,0,,,exact\n",
	 "t:3:1: error: an event without a name\n    3 | ,,1,1,0,0,0,,,exact\n      | ^\n" NOTE},
};

static void check_errors(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(errors); i++) {
		struct takt_diag *diag = takt_diag_new();
		struct takt_trust *trust;

		tap_ok_at(__FILE__, errors[i].line,
			  takt_trust_parse(errors[i].file, strlen(errors[i].file), "t", diag,
					   &trust) == TAKT_BAD_INPUT,
			  "refused");
		tap_is_string(__FILE__, errors[i].line, takt_diag_text(diag), errors[i].text,
			      "message");
		takt_diag_free(diag);
	}
}

int main(void)
{
	check_verdicts();
	check_orders();
	check_order_beside_errors();
	check_table();
	check_file();
	check_cases();
	check_missing();
	check_errors();
	return tap_done();
}
