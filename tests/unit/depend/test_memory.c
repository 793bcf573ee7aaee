/* SPDX-License-Identifier: MIT */
#include "depend/memory.h"
#include "blocks.h"

#define NONE UINT32_MAX

static const struct {
	int line;
	const char *hex;
	uint32_t load, store, iterations; /* what the first operand of insn `load` reads */
	const char *what;
} rows[] = {
	{__LINE__, "488907488b07", 1, 0, 0, "mov [rdi], rax; mov rax, [rdi]"},
	{__LINE__, "488b07488907", 0, 1, 1, "from the iteration before"},
	{__LINE__, "48ff07", 0, 0, 1, "inc [rdi]"},
	{__LINE__, "4889078b4704", 1, 0, 0, "the upper half of what was stored"},
	{__LINE__, "4889078a4707", 1, 0, 0, "its last byte"},
	{__LINE__, "488907668b4707", 1, NONE, 0, "half beyond it"},
	{__LINE__, "89078b4701", 1, NONE, 0, "a dword over its end"},
	{__LINE__, "8907488b07", 1, NONE, 0, "more than was stored"},
	{__LINE__, "c5fd11078b471c", 1, 0, 0, "the last dword of ymm"},
	{__LINE__, "88074889078a07", 2, 1, 0, "the later of two stores"},
	{__LINE__, "4889078807488b07", 2, NONE, 0, "its low byte stored anew"},
	{__LINE__, "4889078847048a4704", 2, 1, 0, "byte 4 after a byte store to it"},
	{__LINE__, "48890748890e488b07", 2, 0, 0, "another pointer does not interfere"},
	{__LINE__, "4889074883c708488b47f8", 2, 0, 0, "add rdi, 8"},
	{__LINE__, "4889074883ef08488b4708", 2, 0, 0, "sub rdi, 8"},
	{__LINE__, "48890748ffc7488b47ff", 2, 0, 0, "inc rdi"},
	{__LINE__, "4889074889fe488b06", 2, 0, 0, "copied to rsi"},
	{__LINE__, "488907488d7710488b46f0", 2, 0, 0, "rsi = rdi + 16"},
	{__LINE__, "488904f74883c601488b44f7f8", 2, 0, 0, "index times 8, plus one"},
	{__LINE__, "488904f7488b04b7", 1, NONE, 0, "another scale"},
	{__LINE__, "48890748c1e701488b07", 2, NONE, 0, "shl rdi makes it unknown"},
	{__LINE__, "48890783c708488b47f8", 2, NONE, 0, "32-bit add clears the upper half"},
	{__LINE__, "64488904252800000064488b042528000000", 1, 0, 0, "fs:0x28"},
	{__LINE__, "644889042528000000488b042528000000", 1, NONE, 0, "fs:0x28 is not 0x28"},
	{__LINE__, "48890500010000488b05f9000000", 1, 0, 0, "one place from two rips"},
	{__LINE__, "488b07488947084883c708", 0, 1, 1, "rdi + 8 is the next rdi"},
	{__LINE__, "488b07488947104883c708", 0, NONE, 0, "rdi + 16 only the one after"},
	{__LINE__, "488b074889074c89c7", 0, 1, 1, "rdi = r8 each time: the same again"},
	{__LINE__, "488b0748890f4889c7", 0, NONE, 0, "a loaded address"},
	{__LINE__, "5058", 1, 0, 0, "push; pop"},
	{__LINE__, "5053585b", 2, 1, 0, "push, push, pop"},
	{__LINE__, "5053585b", 3, 0, 0, "push, push, pop, pop"},
	{__LINE__, "50488b0424", 1, 0, 0, "push; mov rax, [rsp]"},
	{__LINE__, "48894424f858", 1, NONE, 0, "pop reads above the red zone"},
	{__LINE__, "48894424f84883ec0858", 2, 0, 0, "until rsp is below"},
	{__LINE__, "488907c5fa6f07", 1, NONE, 0, "half of an xmm"},
	{__LINE__, "8907c4e26d90040f", 1, NONE, 0, "gathers have no single address"},
};

int main(void)
{
	struct takt_arena arena = {0};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_block block;
		const struct takt_forward *forwards, *forward;

		block = make_block(rows[i].hex, &arena);
		forwards = takt_forwards_find(&block, true, &arena);
		if (!forwards) {
			tap_ok_at(__FILE__, rows[i].line, rows[i].store == NONE, "%s",
				  rows[i].what);
			continue;
		}
		forward = &forwards[rows[i].load * TAKT_MEMORIES_MAX];
		tap_ok_at(__FILE__, rows[i].line,
			  forward->store_insn == rows[i].store &&
				  (rows[i].store == NONE ||
				   forward->iterations == rows[i].iterations),
			  "%s: store %d, %u iterations ago", rows[i].what, (int)forward->store_insn,
			  forward->iterations);
		/* Without a loop only what is within the block. */
		forward = takt_forwards_find(&block, false, &arena) +
			  (ptrdiff_t)rows[i].load * TAKT_MEMORIES_MAX;
		tap_ok_at(__FILE__, rows[i].line,
			  forward->store_insn == (rows[i].iterations ? NONE : rows[i].store),
			  "%s: in the block alone", rows[i].what);
		takt_arena_clear(&arena);
	}
	takt_arena_release(&arena);
	return tap_done();
}
