/* SPDX-License-Identifier: MIT */
#include "../model/fixture.h"
#include "bounds/bounds.h"

static const struct {
	int line;
	const char *insns[5];
	uint32_t slots;
	const char *fused; /* one digit per instruction */
	const char *what;
} rows[] = {
	{__LINE__, {"4801d8", "4839d8", "7500"}, 2, "001", "add; cmp, jne"},
	{__LINE__, {"4839d8", "4801d8", "7500"}, 3, "000", "cmp and jne apart"},
	{__LINE__, {"7500", "7500"}, 2, "00", "two branches"},
	{__LINE__, {"4839d8", "7500", "7500"}, 2, "010", "a pair does not fuse on"},
	{__LINE__, {"48f7f3", "48ffc8", "7500"}, 11, "001", "div of ten slots; dec, jne"},
	{__LINE__, {"480103", "7500"}, 3, "00", "a store does not fuse"},
	{__LINE__, {0}, 0, "", "nothing"},
};

int main(void)
{
	struct fixture fixture;
	struct takt_model *model;

	fixture_open(&fixture);
	model = fixture_core(&fixture,
			     "fuse cmp dec : e ne\ncompose store | 1*p2 | lat=1\n"
			     "compose load | 1*p1 | lat=4\ndefault branch | 1*p0 | lat=1\n",
			     "add r64, r64 | 1*p01 | lat=1\ncmp r64, r64 | 1*p01 | lat=1\n"
			     "dec r64 | 1*p01 | lat=1\njne rel | 1*p0 | lat=1\n"
			     "add m64, r64 | 1*p0+1*p1+1*p2 | slots=2 lat=6\n"
			     "div r64 | 10*p0 | lat=30\n");
	for (size_t i = 0; model && i < TAKT_COUNT_OF(rows); i++) {
		struct takt_timing_storage storage[5];
		struct takt_timing timings[5];
		struct takt_insn insns[5];
		struct takt_block block = {.insns = insns};
		bool fused[5] = {0}, as_wanted = true;
		uint32_t slots;

		for (; block.count < 5 && rows[i].insns[block.count]; block.count++) {
			insns[block.count] = fixture_insn(rows[i].insns[block.count]);
			takt_model_timing(model, &insns[block.count], &storage[block.count],
					  &timings[block.count]);
		}
		slots = takt_issue_slots(model, &block, timings, fused);
		tap_ok_at(__FILE__, rows[i].line, slots == rows[i].slots, "%s: %u slots, want %u",
			  rows[i].what, slots, rows[i].slots);
		for (uint32_t n = 0; n < block.count; n++)
			as_wanted &= fused[n] == (rows[i].fused[n] == '1');
		tap_ok_at(__FILE__, rows[i].line, as_wanted, "%s: pairs", rows[i].what);
		tap_ok_at(__FILE__, rows[i].line,
			  takt_issue_slots(model, &block, timings, NULL) == slots,
			  "the same when the pairs are not asked for");
	}
	fixture_end(&fixture, model);
	return tap_done();
}
