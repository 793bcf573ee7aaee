/* SPDX-License-Identifier: MIT */
#include "evaluate/evaluate.h"
#include "unit/tap.h"

static void test_run(void)
{
	static const struct {
		int line;
		const char *command, *input;
		double seconds;
		int status;
		const char *output;
	} rows[] = {
		{__LINE__, "cat; echo also >&2", "given\n", 20, 0, "given\nalso\n"},
		{__LINE__, "cat", NULL, 20, 0, ""},
		{__LINE__, "exit 3", NULL, 20, 3, ""},
		{__LINE__, "kill -9 $$", NULL, 20, -1, ""},
		{__LINE__, "echo before; sleep 100", NULL, 0.3, -1, "before\n"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const char *const argv[] = {"sh", "-c", rows[i].command, NULL};
		struct takt_text output = {0};
		int status;

		status = takt_program_run(argv, rows[i].input, rows[i].seconds, &output);
		tap_ok_at(__FILE__, rows[i].line,
			  status == rows[i].status &&
				  strcmp(takt_text_data(&output), rows[i].output) == 0,
			  "%s", rows[i].command);
		takt_text_release(&output);
	}
}

int main(void)
{
	test_run();
	return tap_done();
}
