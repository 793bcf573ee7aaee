/* SPDX-License-Identifier: MIT */
#include "blocks.h"

/* Loads take 5, or 4 where the base was loaded; mov between registers is eliminated. */
static const struct bound_row rows[] = {
	{__LINE__, "488b00", 4, "mov rax, [rax]"},
	{__LINE__, "488b80ff070000", 4, "+ 2047"},
	{__LINE__, "488b8000080000", 5, "+ 2048"},
	{__LINE__, "488b40f8", 5, "- 8"},
	{__LINE__, "488b0408", 5, "with an index"},
	{__LINE__, "4889c3488b03", 4, "through an eliminated move"},
	{__LINE__, "488b034889c3", 4, "that comes after"},
	{__LINE__, "89c3488b03", 5, "not of 32 bits"},
	{__LINE__, "488b004883c001", 6, "add in between: 5 + 1"},
	{__LINE__, "480300", 6, "the loading add is no plain load"},
	{__LINE__, "488b00480318488b03", 14,
	 "mov rax, [rax] 4; add rbx, [rax] 5; mov rax, [rbx] 5"},
};

int main(void)
{
	struct fixture fixture;
	struct takt_model *model;

	fixture_open(&fixture);
	model = fixture_core(&fixture,
			     "load_latency_int 5\nload_latency_fast 4\n"
			     "compose load | 1*p1 | lat=5\ndefault int | 1*p0 | lat=1\n",
			     "mov r64, r64 | - | lat=0 slots=1 elim\n"
			     "mov r32, r32 | - | lat=0 slots=1 elim\n");
	check_bounds(model, rows, TAKT_COUNT_OF(rows));
	fixture_end(&fixture, model);
	return tap_done();
}
