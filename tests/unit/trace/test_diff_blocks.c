/* SPDX-License-Identifier: MIT */
/* Which code is the same, and which sequence of it. */
#include "trace/trace.h"
#include "../tap.h"

#define BLOCKS_MAX 16

static struct takt_trace_block block_of(const char *bytes, size_t size)
{
	return (struct takt_trace_block){.bytes = (const uint8_t *)bytes,
					 .size_bytes = (uint32_t)size};
}

#define CODE(bytes) (bytes), sizeof(bytes) - 1

static void compare_code(void)
{
	static const struct {
		int line;
		const char *guest;
		const char *left;
		size_t left_size;
		const char *right;
		size_t right_size;
		bool same;
	} rows[] = {
		/* add rax, rbx; add rax, rcx */
		{__LINE__, "x86-64", CODE("\x48\x01\xd8"), CODE("\x48\x01\xd8"), true},
		{__LINE__, "x86-64", CODE("\x48\x01\xd8"), CODE("\x48\x01\xc8"), false},
		/* call, to two places; je near and far; je and jne */
		{__LINE__, "x86-64", CODE("\xe8\1\2\3\4"), CODE("\xe8\5\6\7\0"), true},
		{__LINE__, "x86-64", CODE("\x74\x10"), CODE("\x0f\x84\0\1\0\0"), true},
		{__LINE__, "x86-64", CODE("\x74\x10"), CODE("\x75\x10"), false},
		/* mov eax, [rip + …]; cmp dword ptr [rip + …], 5 and 6 */
		{__LINE__, "x86-64", CODE("\x8b\x05\1\2\0\0"), CODE("\x8b\x05\7\2\0\0"), true},
		{__LINE__, "x86-64", CODE("\x83\x3d\1\2\0\0\5"), CODE("\x83\x3d\7\2\0\0\5"), true},
		{__LINE__, "x86-64", CODE("\x83\x3d\1\2\0\0\5"), CODE("\x83\x3d\1\2\0\0\6"), false},
		/* mov eax, [rdi + …]: a field, or a table; mov edi, of an address or a number */
		{__LINE__, "x86-64", CODE("\x8b\x47\x10"), CODE("\x8b\x47\x18"), false},
		{__LINE__, "x86-64", CODE("\x8b\x87\0\1\x4a\0"), CODE("\x8b\x87\0\2\x4a\0"), true},
		{__LINE__, "x86-64", CODE("\xbf\0\1\x4a\0"), CODE("\xbf\0\2\x4a\0"), true},
		{__LINE__, "x86-64", CODE("\xbf\1\0\0\0"), CODE("\xbf\2\0\0\0"), false},
		/* what cannot be decoded */
		{__LINE__, "x86-64", CODE("\x06\x06"), CODE("\x06\x06"), true},
		{__LINE__, "x86-64", CODE("\x06\x06"), CODE("\x06\x07"), false},
		{__LINE__, "x86-64", CODE(""), CODE("\x90"), false},
		/* add x0, x1, x2; bl; adrp; b.eq and b.ne */
		{__LINE__, "aarch64", CODE("\x20\0\2\x8b"), CODE("\x20\0\3\x8b"), false},
		{__LINE__, "aarch64", CODE("\1\0\0\x94"), CODE("\2\0\0\x94"), true},
		{__LINE__, "aarch64", CODE("\0\0\0\x90"), CODE("\0\1\0\xb0"), true},
		{__LINE__, "aarch64", CODE("\0\0\0\x90"), CODE("\1\0\0\x90"), false},
		{__LINE__, "aarch64", CODE("\x20\0\0\x54"), CODE("\x40\0\0\x54"), true},
		{__LINE__, "aarch64", CODE("\x20\0\0\x54"), CODE("\x21\0\0\x54"), false},
		/* jal ra; beq a0, a1 and a0, a2; c.j; c.beqz a0 and a1; c.add */
		{__LINE__, "riscv64", CODE("\xef\0\x40\0"), CODE("\xef\0\x80\0"), true},
		{__LINE__, "riscv64", CODE("\x63\4\xb5\0"), CODE("\x63\2\xb5\0"), true},
		{__LINE__, "riscv64", CODE("\x63\4\xb5\0"), CODE("\x63\4\xc5\0"), false},
		{__LINE__, "riscv64", CODE("\1\xa0"), CODE("\x11\xa0"), true},
		{__LINE__, "riscv64", CODE("\1\xc1"), CODE("\x11\xc1"), true},
		{__LINE__, "riscv64", CODE("\1\xc1"), CODE("\x81\xc1"), false},
		{__LINE__, "riscv64", CODE("\x2e\x95"), CODE("\x32\x95"), false},
		{__LINE__, "riscv64", CODE("\1"), CODE("\1"), true},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_trace_block left = block_of(rows[i].left, rows[i].left_size);
		struct takt_trace_block right = block_of(rows[i].right, rows[i].right_size);
		bool same = takt_trace_code_hash(rows[i].guest, &left) ==
			    takt_trace_code_hash(rows[i].guest, &right);

		tap_ok_at(__FILE__, rows[i].line, same == rows[i].same, "%s code %zu",
			  rows[i].guest, i);
	}
}

/* Each letter is a block of its own. */
static void match(int line, const char *before, const char *after, const char *want)
{
	static const char *const guests[2] = {"x86-64", "x86-64"};
	const char *texts[2] = {before, after};
	struct takt_trace_block blocks[2][BLOCKS_MAX];
	const struct takt_trace_block *pointers[2][BLOCKS_MAX];
	uint8_t codes[2][BLOCKS_MAX][2];
	struct trace_block_list lists[2];
	uint32_t matches[BLOCKS_MAX];
	struct takt_arena arena = {0};
	char got[BLOCKS_MAX + 1];

	for (int side = 0; side < 2; side++) {
		lists[side].count = (uint32_t)strlen(texts[side]);
		lists[side].blocks = pointers[side];
		for (uint32_t i = 0; i < lists[side].count; i++) {
			codes[side][i][0] = 0xb0; /* mov al, imm8 */
			codes[side][i][1] = (uint8_t)texts[side][i];
			blocks[side][i] =
				(struct takt_trace_block){.bytes = codes[side][i], .size_bytes = 2};
			pointers[side][i] = &blocks[side][i];
		}
	}
	takt_trace_blocks_match(guests, lists, &arena, matches);
	for (uint32_t i = 0; i < lists[0].count; i++)
		got[i] = matches[i] == TRACE_NO_MATCH ? '-' : (char)('0' + matches[i]);
	got[lists[0].count] = '\0';
	tap_ok_at(__FILE__, line, strcmp(got, want) == 0, "%s to %s: %s", before, after, got);
	takt_arena_release(&arena);
}

int main(void)
{
	compare_code();
	match(__LINE__, "", "", "");
	match(__LINE__, "abc", "", "---");
	match(__LINE__, "", "abc", "");
	match(__LINE__, "abc", "abc", "012");
	match(__LINE__, "abc", "axbc", "023");
	match(__LINE__, "axbc", "abc", "0-12");
	match(__LINE__, "abc", "cab", "12-");
	match(__LINE__, "abcd", "dcba", "---0");
	return tap_done();
}
