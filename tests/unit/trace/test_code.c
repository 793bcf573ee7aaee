/* SPDX-License-Identifier: MIT */
/* Blocks of code in this process, which is the program here. */
#include <stdlib.h>
#include <string.h>

#include "native_fixture.h"

#define PAGE_BYTES 4096u

static uint8_t *page;
static struct native_program program;

static const struct native_block *find(size_t at)
{
	return native_block_find(&program, (uint64_t)(uintptr_t)page + at);
}

static void check_blocks(void)
{
	static const uint8_t code[] = {0x90, 0x48, 0x89, 0xc3, 0xeb, 0x00, 0x90,
				       0xf3, 0xa4, 0x90, 0x0f, 0x05, 0x90, 0xc3};
	const struct native_block *block;

	memcpy(page, code, sizeof(code));
	block = find(0);
	ok(block && block->insn_count == 3 && block->size_bytes == 6 && block->changeable,
	   "a block ends at a branch");
	block = find(6);
	ok(block && block->insn_count == 2 && block->repeats, "at a string instruction");
	block = find(9);
	ok(block && block->insn_count == 2 && !block->repeats, "and at a system call");
	ok(find(0) == find(0) && program.block_count == 3, "blocks are kept");
	block = native_block_single(&program, (uint64_t)(uintptr_t)page + 12);
	ok(block && block->insn_count == 1, "one of a single instruction can be had");
	memset(page + PAGE_BYTES - 8, 0x90, 8);
	block = find(PAGE_BYTES - 8);
	ok(block && block->insn_count == 8, "and at the end of the page");
	memset(page + PAGE_BYTES, 0x90, 16);
	page[PAGE_BYTES - 1] = 0x48; /* mov rbx, rax reaches into the next page */
	page[PAGE_BYTES] = 0x89;
	page[PAGE_BYTES + 1] = 0xc3;
	block = find(PAGE_BYTES - 8);
	ok(block && block->insn_count == 7, "before an instruction that reaches into the next one");
	block = find(PAGE_BYTES - 1);
	ok(block && block->insn_count == 1 && block->size_bytes == 3, "which is a block itself");
	ok(!native_block_find(&program, 16), "where nothing can be read, there is no block");
}

static void check_changes(void)
{
	const struct native_block *first = find(0);
	uint64_t address = (uint64_t)(uintptr_t)page;

	ok(native_block_holds(&program, first, address + 1, 1), "the code holds");
	page[3] = 0xc2;
	ok(!native_block_holds(&program, first, address + 1, 1) &&
		   native_block_holds(&program, first, address, 0),
	   "until one of its instructions is changed");
	ok(find(0) != first && find(0)->bytes[3] == 0xc2, "and then it is another block");
	page[3] = 0xc3;
	ok(find(0) == first, "unless it is changed back");
}

int main(void)
{
	struct feed_area *area = new_area();
	struct native_block *unchangeable;

	page = mmap(NULL, (size_t)3 * PAGE_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		abort();
	native_program_init(&program, area, 0, getpid());
	check_blocks();
	check_changes();
	unchangeable = (struct native_block *)(uintptr_t)find(0);
	unchangeable->changeable = false;
	page[3] = 0xc1;
	ok(find(0) == unchangeable, "code that the program cannot write is not looked at");
	program.generation++;
	ok(find(0) != unchangeable, "before its mappings have changed");
	native_program_release(&program);
	return tap_done();
}
