/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "base/base.h"
#include "fixture.h"

static const char expected[] = "";

static void test_golden(void)
{
	struct takt_analysis analysis = fixture_analysis();
	struct takt_text *text = takt_text_new();

	takt_write_analysis_text(&analysis, NULL, text);
	is_string(takt_text_data(text), expected, "report");
	takt_text_free(text);
}

int main(void)
{
	test_golden();
	return tap_done();
}
