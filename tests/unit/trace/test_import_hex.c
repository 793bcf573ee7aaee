/* SPDX-License-Identifier: MIT */
#include "import_fixture.h"

static const struct import_row rows[] = {
	/* Bytes in several forms, and what is skipped. */
	{.line = __LINE__,
	 .text = "48 89 c8\n\n# no\n4889c8\n0x48,0x89,0xc8 # yes\n90;nop\n90  x\n",
	 .insns = 5,
	 .blocks = 1},
	{.line = __LINE__, .text = "90", .insns = 1, .blocks = 1},
	{.line = __LINE__, .text = "90\r\n90\r\n", .insns = 2, .blocks = 1},
	/* Without addresses, equal runs are one place: a branch back to it is taken. */
	{.line = __LINE__,
	 .text = "48ffc9\n75fb\n48ffc9\n75fb\n48ffc9\n75fb\nc3\n",
	 .insns = 7,
	 .blocks = 4,
	 .taken = 2,
	 .not_taken = 1},
	/* The run begins in the middle of the one before. */
	{.line = __LINE__,
	 .text = "90\n48ffc9\n75fb\n48ffc9\n75fb\n90\n",
	 .insns = 6,
	 .blocks = 3,
	 .taken = 1,
	 .not_taken = 1},
	/* Equal runs whose branch does not lead to them, nor to what follows. */
	{.line = __LINE__,
	 .text = "90\n7510\n90\n7510\n90\n7510\n",
	 .insns = 6,
	 .blocks = 3,
	 .not_taken = 1},
	/* Call and return. */
	{.line = __LINE__, .text = "e801000000\nc3\n90\ne801000000\n", .insns = 4, .blocks = 3},
	{.line = __LINE__, .text = "f3aa\nf3aa\nf3aa\n", .insns = 3, .blocks = 3},
	{.line = __LINE__, .text = "0f05\n90\ncd80\n", .insns = 3, .blocks = 2, .syscalls = 2},
	/* With addresses. */
	{.line = __LINE__,
	 .text = "401000: 48ffc9\n401003:75fb\n0x401000: 48ffc9\n401003 <f+3>:\t75 fb\tjnz\n"
		 "401005: 90\n",
	 .insns = 5,
	 .blocks = 3,
	 .taken = 1,
	 .not_taken = 1},
	{.line = __LINE__,
	 .text = "10: f3aa\n10: f3aa\n10: f3aa\n12: 90\n",
	 .insns = 2,
	 .blocks = 2,
	 .repeats = 2},
	/* As objdump has it: headers, and a long instruction on two lines. */
	{.line = __LINE__,
	 .text = "\na.out:     file format elf64-x86-64\n\nDisassembly of section .text:\n\n"
		 "0000000000401000 <f>:\n  401000:\t48 b8 88 77 66 55 44 \tmovabs $1,%rax\n"
		 "  401007:\t33 22 11 \n  40100a:\tc3                   \tret\n\t...\n",
	 .insns = 2,
	 .blocks = 1},
	{.line = __LINE__,
	 .isa = "aarch64",
	 .text = "  400000:\td2800000 \tmov x0, #0\n  400004:\td65f03c0 \tret\n",
	 .insns = 2,
	 .blocks = 1},
	{.line = __LINE__,
	 .isa = "aarch64",
	 .text = "000080d2\nc0035fd6\n",
	 .insns = 2,
	 .blocks = 1},
	{.line = __LINE__,
	 .isa = "riscv64",
	 .text = "  10:\t4501 \tli a0,0\n  12:\tfe051fe3 \tbnez a0,10\n  10:\t4501 \n",
	 .insns = 3,
	 .blocks = 2,
	 .taken = 1},
	/* Accesses. */
	{.line = __LINE__,
	 .text = "488b07\nR 0x7ffe0000 8\n48890f\nW 7ffe0000, 8\nf00106\nM 10 4\n",
	 .insns = 3,
	 .blocks = 1,
	 .loads = 2,
	 .stores = 2},
	{.line = __LINE__,
	 .text = "0fae06\nW 0x1000 512\nd92e\nR 0x1000 28\ndb2e\nR 0x1000 10\n",
	 .insns = 3,
	 .blocks = 1,
	 .loads = 3,
	 .stores = 8},
	{.line = __LINE__,
	 .text = "ff20\nR 0xffff800000000000 8\n90\n",
	 .insns = 2,
	 .blocks = 2,
	 .loads = 1},
	/* Addresses alone. */
	{.line = __LINE__,
	 .text = "=> 0x401007 <f+7>:\tdec ecx\n401009:\n=> 0x401000:\tadd\n"
		 "=> 0x500000:\tjmp\n",
	 .insns = 3,
	 .blocks = 2,
	 .taken = 1,
	 .left_out = 1},

	{.line = __LINE__, .text = "48 89 zz\n", .error = ":1:7: error: here should be bytes"},
	{.line = __LINE__, .text = "48 89 c\n", .error = ":1:7: error: here should be bytes"},
	{.line = __LINE__,
	 .text = "90\n06\n90\n",
	 .error = ":2:1: error: no instruction of x86-64"},
	{.line = __LINE__, .text = "48\n89\nc8\n", .error = ":1:1: error: no instruction"},
	{.line = __LINE__,
	 .text = "401000:\t48 b8 88 77 66 55 44 \n401008: 90\n",
	 .error = ":2:1: error: the instruction before is not complete"},
	{.line = __LINE__,
	 .text = "401000:\t48 b8 88 77 66 55 44 \n",
	 .error = "ends within an instruction"},
	{.line = __LINE__, .text = "90\n10: 90\n", .error = ":2:1: error: an address, and"},
	{.line = __LINE__, .text = "10: 90\n90\n", .error = ":2:1: error: no address, and"},
	{.line = __LINE__,
	 .text = "R 0x10 8\n90\n",
	 .error = ":1:3: error: this access is impossible"},
	{.line = __LINE__, .text = "90\nR 0x10\n", .error = ":2:7: error: here should be the acc"},
	{.line = __LINE__, .text = "90\nR x 8\n", .error = ":2:3: error: here should be an addr"},
	{.line = __LINE__, .text = "90\nR 0x10 0\n", .error = "this access is impossible"},
	{.line = __LINE__, .text = "90\nR 0x10 4097\n", .error = "this access is impossible"},
	{.line = __LINE__,
	 .text = "90\nR 0x800000000000 8\n",
	 .error = "this access is impossible"},
	{.line = __LINE__, .text = "90\nR 0x10 99999999999999999999\n", .error = "size in bytes"},
	{.line = __LINE__, .text = "=> 0x401017:\t(bad)\n", .error = "no instruction of x86-64 is"},
	{.line = __LINE__, .isa = "aarch64", .text = "90\n", .error = "the binary is for x86-64"},
	{.line = __LINE__, .text = "# nothing\n", .error = "has no instructions"},
	{.line = __LINE__, .isa = "mips", .text = "90\n", .error = "no instruction set"},
	{.line = __LINE__, .text = "0x\n", .error = "here should be bytes"},
};

int main(void)
{
	uint8_t bytes[512];
	size_t size = fixture_program(bytes, EM_X86_64, ET_EXEC);
	struct fixture_file program = fixture_file(bytes, size);

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check_row(&rows[i], TAKT_TRACE_HEX,
			  rows[i].isa && !rows[i].error ? NULL : program.path);
	return tap_done();
}
