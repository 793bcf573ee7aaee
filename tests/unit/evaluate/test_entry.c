/* SPDX-License-Identifier: MIT */
#include "evaluate/evaluate.h"
#include "unit/tap.h"

enum { RAX = TAKT_LOC_GPR, RCX, RDX, RSI = TAKT_LOC_GPR + 6, RDI };

/* UINT64_MAX: not known. */
static uint64_t value_of(const struct takt_entry_value *values, uint32_t count, uint8_t location)
{
	for (uint32_t i = 0; i < count; i++)
		if (values[i].location == location)
			return values[i].value;
	return UINT64_MAX;
}

/* mov eax, [rdi+8*rsi+16]; add rsi, 1; mov [rdx+8*rsi], eax */
static void test_sums(void)
{
	static const uint8_t code[] = {0x8b, 0x44, 0xf7, 0x10, 0x48, 0x83,
				       0xc6, 0x01, 0x89, 0x04, 0xf2};
	const struct takt_flow_block block = {
		.offset = 0x40, .bytes = code, .size_bytes = sizeof(code)};
	const struct evaluate_sample sample = {{{0x1010, 0x40, false}, {0x2008, 0x48, true}}, 2};
	struct takt_entry_value values[EVALUATE_ENTRY_VALUES];
	uint32_t count = takt_entry_values_find(&block, &sample, values);

	ok(value_of(values, count, RSI) == 0, "an index of which only sums are known is 0");
	ok(value_of(values, count, RDI) == 0x1000, "its base is what is left");
	ok(value_of(values, count, RDX) == 0x2000, "what was added since then is taken off");
	ok(value_of(values, count, RAX) == UINT64_MAX, "what makes no address is not known");
}

/* mov rax, [rcx]; mov rax, [rdi+8*rcx] */
static void test_solved(void)
{
	static const uint8_t code[] = {0x48, 0x8b, 0x01, 0x48, 0x8b, 0x04, 0xcf};
	const struct takt_flow_block block = {.bytes = code, .size_bytes = sizeof(code)};
	const struct evaluate_sample sample = {{{0x300, 0, false}, {0x5800, 3, false}}, 2};
	struct takt_entry_value values[EVALUATE_ENTRY_VALUES];
	uint32_t count = takt_entry_values_find(&block, &sample, values);

	ok(value_of(values, count, RCX) == 0x300, "one unknown");
	ok(value_of(values, count, RDI) == 0x5800 - 8 * 0x300, "one more, once that is known");
}

/* mov rcx, [rcx]; mov rax, [rcx]; mov [rip], rax */
static void test_unknown(void)
{
	static const uint8_t code[] = {0x48, 0x8b, 0x09, 0x48, 0x8b, 0x01, 0x48,
				       0x89, 0x05, 0,	 0,    0,    0};
	const struct takt_flow_block block = {.bytes = code, .size_bytes = sizeof(code)};
	const struct evaluate_sample sample = {
		{{0x300, 0, false}, {0x700, 3, false}, {0x900, 6, true}}, 3};
	struct takt_entry_value values[EVALUATE_ENTRY_VALUES];
	uint32_t count = takt_entry_values_find(&block, &sample, values);

	is_int(count, 1, "what was loaded says nothing of before");
	ok(value_of(values, count, RCX) == 0x300, "the pointer itself");
}

int main(void)
{
	test_sums();
	test_solved();
	test_unknown();
	return tap_done();
}
