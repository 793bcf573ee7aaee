/* SPDX-License-Identifier: MIT */
#include "../tap.h"

#include "diagnose/diagnose.h"

static const struct {
	int line;
	const char *setting;
	double hot; /* that is set; NaN: an error */
	const char *error;
} rows[] = {
	{__LINE__, "hot=0.25", 0.25, ""},
	{__LINE__, "hot=0", 0, ""},
	{__LINE__, "line-use=0.3", 0.1, ""},
	{__LINE__, "hot", (double)NAN, "'hot' sets no threshold"},
	{__LINE__, "hotter=1", (double)NAN, "'hotter=1' sets no threshold"},
	{__LINE__, "hot=", (double)NAN, "'' is no number from 0 on"},
	{__LINE__, "hot=1x", (double)NAN, "'1x' is no number from 0 on"},
	{__LINE__, "hot=-1", (double)NAN, "'-1' is no number from 0 on"},
	{__LINE__, "hot=inf", (double)NAN, "'inf' is no number from 0 on"},
};

static void check_threads(void)
{
	struct takt_diag *diag = takt_diag_new();
	uint32_t counts[16];

	ok(takt_diagnose_thread_counts("1,2,8", diag, counts) == 3 && counts[2] == 8, "a list");
	ok(takt_diagnose_thread_counts("", diag, counts) == 0, "an empty list");
	ok(takt_diagnose_thread_counts("1,", diag, counts) == 0, "an end without a number");
	ok(takt_diagnose_thread_counts("0", diag, counts) == 0, "no threads");
	ok(takt_diagnose_thread_counts("1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", diag, counts) == 0,
	   "too many");
	ok(takt_diag_error_count(diag) == 4, "each is told of");
	takt_diag_free(diag);
}

static void check_arguments(void)
{
	static char program[] = "program", jobs[] = "-j{threads}", plain[] = "x";
	char *const argv[] = {program, jobs, plain, NULL};
	struct takt_arena arena = {0};
	char **made;

	made = takt_diagnose_arguments(argv, 4, &arena);
	ok(strcmp(made[1], "-j4") == 0 && strcmp(made[2], "x") == 0 && !made[3], "a number");
	made = takt_diagnose_arguments(argv, 0, &arena);
	ok(strcmp(made[1], "-j{threads}") == 0, "no number");
	takt_arena_release(&arena);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_diag *diag = takt_diag_new();
		struct diagnose_thresholds thresholds;
		enum takt_status status =
			takt_diagnose_thresholds_read(&rows[i].setting, 1, diag, &thresholds);

		tap_ok_at(__FILE__, rows[i].line, (status == TAKT_OK) == !isnan(rows[i].hot), "%s",
			  rows[i].setting);
		if (status == TAKT_OK)
			tap_is_near(__FILE__, rows[i].line, thresholds.hot, rows[i].hot, "hot");
		else
			tap_ok_at(__FILE__, rows[i].line,
				  strstr(takt_diag_text(diag), rows[i].error) != NULL, "says %s",
				  rows[i].error);
		takt_diag_free(diag);
	}
	check_threads();
	check_arguments();
	return tap_done();
}
