/* SPDX-License-Identifier: MIT */
#include "evaluate/evaluate.h"
#include "unit/tap.h"

/* mov rax, [rdi+8*rcx-8]; mov [rsi+8*rcx], rax; inc rcx; jnz */
static const uint8_t code[] = {0x48, 0x8b, 0x44, 0xcf, 0xf8, 0x48, 0x89,
			       0x04, 0xce, 0x48, 0xff, 0xc1, 0x75, 0xf2};
static const struct takt_flow_block blocks[] = {
	{.offset = 0, .bytes = code, .size_bytes = sizeof(code), .executions = 100},
	{.offset = 14, .bytes = code + 9, .size_bytes = 3, .executions = 1},
};
static const struct takt_flow_edge edges[] = {{0, 0, 99}, {0, 1, 1}};

static struct evaluate_coverage find(const struct evaluate_entry *entries, size_t count,
				     bool with_entry_values)
{
	/* The second one is of a block that ran too rarely. */
	static const struct evaluate_dependence dependences[] = {{5, 0, {99, 99, 98}},
								 {5, 14, {1, 0, 0}}};
	struct takt_arena arena = {0};
	const struct evaluate_code one = {.graph = {blocks, edges, 2, 2},
					  .dependences = dependences,
					  .dependence_count = 2,
					  .entries = entries,
					  .entry_count = count,
					  .arena = &arena};
	struct evaluate_coverage coverage;

	takt_coverage_find(&one, false, with_entry_values, &coverage);
	takt_arena_release(&arena);
	return coverage;
}

int main(void)
{
	static const struct evaluate_entry same[] = {{0, {TAKT_LOC_GPR + 6, 0x10000}},
						     {0, {TAKT_LOC_GPR + 7, 0x10000}}};
	struct evaluate_coverage coverage = find(NULL, 0, false);
	const size_t last = EVALUATE_LIFETIMES;

	is_int((long long)coverage.pairs[0], 1, "one dependence in a block that matters");
	is_int((long long)coverage.weight[2], 98, "so often within 512 instructions");
	is_int((long long)coverage.found[0], 0, "pointers may be anything");
	coverage = find(same, 2, true);
	is_int((long long)coverage.found[0], 1, "known to be the same");
	is_int((long long)coverage.found_weight[1], 99, "with its weight");
	is_int((long long)coverage.pairs[last], 1, "one is claimed");
	is_int((long long)coverage.found[last], 1, "and true");
	coverage = find(same, 2, false);
	is_int((long long)coverage.found[0], 0, "not looked at");
	return tap_done();
}
