/* SPDX-License-Identifier: MIT */
/*
 * Memory operands in order: banks of loads as hexadecimal masks; stores by how their line is to
 * that of the store before: = the same, ! certainly another, ? not known; / marks accesses that
 * cost more because they go to two lines or pieces. Registers point to the middle of a line, byte
 * 32, unless shifted. SKL is a core on which no access costs more.
 */
#include "kernel.h"
#include "sim/block/block.h"

#define TEXT_MAX 64
#define RDI 7 /* number of the register */

struct wanted {
	int line;
	const char *core, *what, *text;
	uint32_t pointer_shift_bytes;
	const char *bytes;
	size_t size_bytes;
	uint64_t rdi; /* its value at entry; 0: not known */
};

#define ON(core, what, text, shift_bytes, bytes)                                                   \
	{                                                                                          \
		__LINE__, core, what, text, shift_bytes, bytes, sizeof(bytes) - 1, 0               \
	}
#define PLACED(core, what, text, rdi, bytes)                                                       \
	{                                                                                          \
		__LINE__, core, what, text, 0, bytes, sizeof(bytes) - 1, rdi                       \
	}
#define SHIFTED(what, text, shift_bytes, bytes) ON("SKL", what, text, shift_bytes, bytes)
#define ROW(what, text, bytes) SHIFTED(what, text, 0, bytes)

static const struct wanted rows[] = {
	ROW("[rdi], [rdi+8]", "= =", "\x48\x89\x07\x48\x89\x47\x08"),
	ROW("[rdi], [rdi+31]", "= =", "\x48\x89\x07\x88\x47\x1f"),
	ROW("[rdi], [rdi+32]", "! !", "\x48\x89\x07\x88\x47\x20"),
	ROW("[rdi-32], [rdi+31]", "= =", "\x48\x89\x47\xe0\x88\x47\x1f"),
	SHIFTED("[rdi], [rdi+8] shifted by 16", "= =", 16, "\x48\x89\x07\x48\x89\x47\x08"),
	SHIFTED("[rdi], [rdi+8] shifted by 24", "! !", 24, "\x48\x89\x07\x48\x89\x47\x08"),
	ROW("[rdi], [rdi], [rdi+64]: the first follows the last", "! = !",
	    "\x48\x89\x07\x48\x89\x07\x48\x89\x47\x40"),
	ROW("[rdi], [rsi]", "! !", "\x48\x89\x07\x48\x89\x06"),
	ROW("[rdi+rsi], [rdi]: index", "? ?", "\x48\x89\x04\x37\x48\x89\x1f"),
	ROW("[rdi+rsi], [rdi+rsi+8]", "= =", "\x48\x89\x04\x37\x48\x89\x5c\x37\x08"),
	ROW("[rdi]; add rdi, 64: the only store", "=", "\x48\x89\x07\x48\x83\xc7\x40"),
	ROW("[rdi]; add rdi, 64; [rdi]", "= !", "\x48\x89\x07\x48\x83\xc7\x40\x48\x89\x07"),
	ROW("mov rsi, rdi; [rdi], [rsi]", "= =", "\x48\x89\xfe\x48\x89\x07\x48\x89\x06"),
	ROW("lea rsi, [rdi+8]; [rdi], [rsi]", "= =", "\x48\x8d\x77\x08\x48\x89\x07\x48\x89\x06"),
	ROW("mov rdi, [rdi]; [rdi], [rsi]: unknown pointer", "10 ? ?",
	    "\x48\x8b\x3f\x48\x89\x07\x48\x89\x06"),
	ROW("push rax; push rbx", "= =", "\x50\x53"),
	ROW("push rax; [rdi]", "! !", "\x50\x48\x89\x1f"),
	ROW("add [rdi], rax", "10=", "\x48\x01\x07"),
	ROW("mov rax, [rdi-32]", "01", "\x48\x8b\x47\xe0"),
	ROW("mov rax, [rdi+24]", "80", "\x48\x8b\x47\x18"),
	ROW("mov rax, [rdi+32]: next line", "01", "\x48\x8b\x47\x20"),
	SHIFTED("mov rax, [rdi] shifted by 8", "20", 8, "\x48\x8b\x07"),
	ROW("mov eax, [rdi+4]", "10", "\x8b\x47\x04"),
	ROW("vmovaps xmm0, [rdi-32]", "03", "\xc5\xf8\x28\x47\xe0"),
	ROW("vmovapd ymm0, [rdi]", "f0", "\xc5\xfd\x28\x07"),
	ROW("mov rax, [rdi+rsi]: the index moves it by whole lines", "10", "\x48\x8b\x04\x37"),
	/* Zen 4 collects stores to pieces of 32 bytes, here from the middle of the line on. */
	ON("ZEN4", "movups [rdi+8]", "=", 0, "\x0f\x11\x47\x08"),
	ON("ZEN4", "movups [rdi+24]", "?/", 0, "\x0f\x11\x47\x18"),
	ON("ZEN4", "movups [rdi+24], [rdi+40]: the piece that it goes to last", "!/ =", 0,
	   "\x0f\x11\x47\x18\x0f\x11\x47\x28"),
	ON("ZEN4", "movups [rdi+24]; add rdi, 24: elsewhere each time", "=", 0,
	   "\x0f\x11\x47\x18\x48\x83\xc7\x18"),
	ON("ZEN4", "movups [rdi+24]; add rdi, 32", "?/", 0, "\x0f\x11\x47\x18\x48\x83\xc7\x20"),
	ON("ZEN4", "movups xmm0, [rdi+56] from the start of a line", "81/", (uint32_t)-32,
	   "\x0f\x10\x47\x38"),
	ON("ZEN4", "movups xmm0, [rdi+24]: the middle stands for any place", "81", 0,
	   "\x0f\x10\x47\x18"),
	ON("ADL-P", "movups [rdi+56] from the start of a line", "!/", (uint32_t)-32,
	   "\x0f\x11\x47\x38"),
	ON("ADL-P", "movups [rdi+24]", "=", 0, "\x0f\x11\x47\x18"),
	/* The value of rdi at entry places what it points to. */
	PLACED("ADL-P", "movups [rdi] at 60", "!/", 4156, "\x0f\x11\x07"),
	PLACED("ADL-P", "movups [rdi+8] at 0", "=", 4096, "\x0f\x11\x47\x08"),
	PLACED("ADL-P", "movups [rdi] at 60; add rdi, 64", "!/", 4156,
	       "\x0f\x11\x07\x48\x83\xc7\x40"),
	PLACED("ADL-P", "movups [rdi] at 60; add rdi, 16: elsewhere each time", "=", 4156,
	       "\x0f\x11\x07\x48\x83\xc7\x10"),
	PLACED("ADL-P", "movups [rsi] of another pointer", "=", 4156, "\x0f\x11\x46\x18"),
	PLACED("ZEN4", "movups xmm0, [rdi] at 56", "81/", 4152, "\x0f\x10\x07"),
};

static void put_memory(char text[TEXT_MAX], const struct sim_memory *memory)
{
	size_t length = strlen(text);
	char store[3] = "";

	if (memory->store)
		*store = memory->same_piece ? '=' : memory->other_line ? '!' : '?';
	if (memory->split_store)
		store[1] = '/';
	snprintf(text + length, TEXT_MAX - length, "%s", length ? " " : "");
	length = strlen(text);
	if (memory->load)
		snprintf(text + length, TEXT_MAX - length, "%02x%s%s", memory->banks,
			 memory->split_load ? "/" : "", store);
	else
		snprintf(text + length, TEXT_MAX - length, "%s", store);
}

static void check(const struct wanted *wanted)
{
	struct sim_kernel *kernel =
		kernel_new(wanted->core, (const uint8_t *)wanted->bytes, wanted->size_bytes);
	const struct sim_options options = {.pointer_shift_bytes = wanted->pointer_shift_bytes};
	const struct takt_entry_value entry = {TAKT_LOC_GPR + RDI, wanted->rdi};
	const struct sim_program *program;
	char text[TEXT_MAX] = "";

	kernel->block.entry_values = &entry;
	kernel->block.entry_value_count = wanted->rdi ? 1 : 0;
	program = sim_program_new(&kernel->block, &options, &kernel->arena);

	for (uint32_t i = 0; i < program->insn_count; i++) {
		const struct sim_insn *insn = &program->insns[i];

		for (unsigned m = 0; m < insn->memory_count; m++)
			if (program->memories[insn->memories + m].load ||
			    program->memories[insn->memories + m].store)
				put_memory(text, &program->memories[insn->memories + m]);
	}
	tap_is_string(__FILE__, wanted->line, text, wanted->text, wanted->what);
	kernel_free(kernel);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check(&rows[i]);
	return tap_done();
}
