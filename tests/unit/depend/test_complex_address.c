/* SPDX-License-Identifier: MIT */
#include "blocks.h"

/* Loads take 4 cycles, and one more if the address is complex. */
static const struct bound_row rows[] = {
	{__LINE__, "488b00", 4, "mov rax, [rax]"},
	{__LINE__, "488b8000080000", 4, "a base and a displacement"},
	{__LINE__, "488b0401", 4, "a base and an unscaled index"},
	{__LINE__, "488b440108", 5, "a base, an index and a displacement"},
	{__LINE__, "488b0441", 5, "a scaled index"},
	{__LINE__, "488b04c8", 5, "the base beside a scaled index"},
	{__LINE__, "488b04c500001000", 5, "a scaled index alone"},
	{__LINE__, "480344c108", 6, "add rax, [rcx+rax*8+8]: 1 more"},
	{__LINE__, "488d44c108", 1, "lea, which loads nothing"},
	{__LINE__, "488904c8", 0, "a store"},
};

int main(void)
{
	struct fixture fixture;
	struct takt_model *model;

	fixture_open(&fixture);
	model = fixture_core(&fixture,
			     "load_latency_int 4\nload_latency_complex_cycles 1\n"
			     "compose load | 1*p1 | lat=4\ncompose store | 1*p1 | lat=1\n"
			     "default int | 1*p0 | lat=1\ndefault move | 1*p0 | lat=1\n",
			     "");
	check_bounds(model, rows, TAKT_COUNT_OF(rows));
	fixture_end(&fixture, model);
	return tap_done();
}
