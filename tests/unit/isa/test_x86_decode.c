/* SPDX-License-Identifier: MIT */
/*
 * Decoding: properties of single instructions, blocks and their errors, and what
 * must hold for any bytes: random ones, and the code of this very program.
 */
#include <elf.h>

#include "isa/isa.h"
#include "../tap.h"
#include "hex.h"

/* ---- properties ------------------------------------------------------- */

#define BRANCH TAKT_INSN_BRANCH
#define CONDITIONAL (TAKT_INSN_BRANCH | TAKT_INSN_CONDITIONAL)
#define CALL (TAKT_INSN_BRANCH | TAKT_INSN_CALL)
#define RETURN (TAKT_INSN_BRANCH | TAKT_INSN_RETURN | TAKT_INSN_INDIRECT | TAKT_INSN_LOADS)
#define INDIRECT TAKT_INSN_INDIRECT
#define NOP TAKT_INSN_NOP
#define SAME TAKT_INSN_SAME
#define INDEXED TAKT_INSN_INDEXED
#define IMM0 (TAKT_INSN_IMM0 | TAKT_INSN_HAS_IMM)
#define IMM TAKT_INSN_HAS_IMM
#define LCP TAKT_INSN_LCP
#define SERIALIZING TAKT_INSN_SERIALIZING
#define LOADS TAKT_INSN_LOADS
#define STORES TAKT_INSN_STORES
#define VECTOR TAKT_INSN_VECTOR
#define X87 TAKT_INSN_X87

static const struct {
	int line;
	const char *hex;
	uint32_t flags;
	int condition;
} flag_rows[] = {
	{__LINE__, "7400", CONDITIONAL, 4},			/* je */
	{__LINE__, "0f8f00000000", CONDITIONAL, 15},		/* jg */
	{__LINE__, "e300", CONDITIONAL, -1},			/* jrcxz */
	{__LINE__, "e200", CONDITIONAL, -1},			/* loop */
	{__LINE__, "eb00", BRANCH, -1},				/* jmp */
	{__LINE__, "ffe0", BRANCH | INDIRECT, -1},		/* jmp rax */
	{__LINE__, "ff20", BRANCH | INDIRECT | LOADS, -1},	/* jmp [rax] */
	{__LINE__, "e800000000", CALL | STORES, -1},		/* call */
	{__LINE__, "ffd0", CALL | INDIRECT | STORES, -1},	/* call rax */
	{__LINE__, "c3", RETURN, -1},				/* ret */
	{__LINE__, "f3c3", RETURN, -1},				/* rep ret */
	{__LINE__, "480f4dc3", 0, 13},				/* cmovge */
	{__LINE__, "0f92c0", 0, 2},				/* setb */
	{__LINE__, "dac1", X87, -1},				/* fcmovb */
	{__LINE__, "90", NOP, -1},				/* nop */
	{__LINE__, "0f1f440000", NOP | INDEXED, -1},		/* nop [rax+rax] */
	{__LINE__, "f30f1efa", NOP, -1},			/* endbr64 */
	{__LINE__, "f390", 0, -1},				/* pause */
	{__LINE__, "0fa2", SERIALIZING, -1},			/* cpuid */
	{__LINE__, "0faee8", SERIALIZING, -1},			/* lfence */
	{__LINE__, "48cf", RETURN | SERIALIZING, -1},		/* iretq */
	{__LINE__, "0f22c0", SERIALIZING, -1},			/* mov cr0, rax */
	{__LINE__, "0f20c0", 0, -1},				/* mov rax, cr0 */
	{__LINE__, "66b83412", IMM | LCP, -1},			/* mov ax, 0x1234 */
	{__LINE__, "6681c03412", IMM | LCP, -1},		/* add ax, 0x1234 */
	{__LINE__, "6683c012", IMM, -1},			/* add ax, 0x12 */
	{__LINE__, "c23412", RETURN | IMM, -1},			/* ret 0x1234 */
	{__LINE__, "67a178563412", LOADS | LCP, -1},		/* mov eax, [moffs32] */
	{__LINE__, "83c000", IMM0, -1},				/* add eax, 0 */
	{__LINE__, "c1e000", IMM0, -1},				/* shl eax, 0 */
	{__LINE__, "d1e0", 0, -1},				/* shl eax, 1 */
	{__LINE__, "31c0", SAME, -1},				/* xor eax, eax */
	{__LINE__, "30c0", SAME, -1},				/* xor al, al */
	{__LINE__, "30e0", 0, -1},				/* xor al, ah */
	{__LINE__, "31c8", 0, -1},				/* xor eax, ecx */
	{__LINE__, "3300", LOADS, -1},				/* xor eax, [rax] */
	{__LINE__, "89c0", SAME, -1},				/* mov eax, eax */
	{__LINE__, "0fb6c0", TAKT_INSN_SAME, -1},		/* movzx eax, al */
	{__LINE__, "488d00", 0, -1},				/* lea rax, [rax] */
	{__LINE__, "0fa4c003", SAME | IMM, -1},			/* shld eax, eax, 3 */
	{__LINE__, "0fafc0", SAME, -1},				/* imul eax, eax */
	{__LINE__, "6bc003", IMM, -1},				/* imul eax, eax, 3 */
	{__LINE__, "0fbcc0", 0, -1},				/* bsf eax, eax: one source */
	{__LINE__, "d3e1", 0, -1},				/* shl ecx, cl: widths differ */
	{__LINE__, "660fefc0", SAME | VECTOR, -1},		/* pxor xmm0, xmm0 */
	{__LINE__, "0f28c0", SAME | VECTOR, -1},		/* movaps xmm0, xmm0 */
	{__LINE__, "f20f51c0", VECTOR, -1},			/* sqrtsd xmm0, xmm0: one source */
	{__LINE__, "c5f1efc1", SAME | VECTOR, -1},		/* vpxor xmm0, xmm1, xmm1 */
	{__LINE__, "c5f1efc0", VECTOR, -1},			/* vpxor xmm0, xmm1, xmm0 */
	{__LINE__, "c4e2f5b8c1", VECTOR, -1},			/* vfmadd231pd ymm0, ymm1, ymm1 */
	{__LINE__, "62f37d4825c0ff", SAME | VECTOR | IMM, -1},	/* vpternlogd zmm0 × 3, 255 */
	{__LINE__, "c5f446c9", SAME | VECTOR, -1},		/* kxnorw k1, k1, k1 */
	{__LINE__, "48014cd810", LOADS | STORES | INDEXED, -1}, /* add [rax+rbx*8+16], rcx */
	{__LINE__, "488d0408", INDEXED, -1},			/* lea rax, [rax+rcx] */
	{__LINE__, "0f1808", 0, -1},				/* prefetcht0 */
	{__LINE__, "a4", LOADS | STORES, -1},			/* movsb */
	{__LINE__, "dd00", LOADS | X87, -1},			/* fld */
	{__LINE__, "d9e8", X87, -1},				/* fld1 */
	{__LINE__, "0ffcc1", VECTOR, -1},			/* paddb mm */
	{__LINE__, "0fae20", LOADS | STORES | TAKT_INSN_ACCESSES_CUT, -1}, /* xsave [rax] */
	{__LINE__, "0faf", 0, -2},					   /* cut off */
};

static void check_flags(void)
{
	for (size_t index = 0; index < TAKT_COUNT_OF(flag_rows); index++) {
		uint8_t bytes[16];
		size_t size_bytes = from_hex(flag_rows[index].hex, bytes, sizeof(bytes));
		struct takt_insn insn = {.condition = -2};
		enum takt_status status = takt_decode(&takt_isa_x86, bytes, size_bytes, 0, &insn);

		tap_ok_at(__FILE__, flag_rows[index].line,
			  (status == TAKT_OK) == (flag_rows[index].condition != -2) &&
				  insn.flags == flag_rows[index].flags &&
				  insn.condition == flag_rows[index].condition,
			  "%s: flags 0x%x, want 0x%x; condition %d", flag_rows[index].hex,
			  insn.flags, flag_rows[index].flags, insn.condition);
	}
}

static const struct {
	int line;
	const char *hex;
	int64_t immediate;
	int size_bytes;
	uint64_t target;
} immediate_rows[] = {
	{__LINE__, "83c0ff", -1, 1, 0},				      /* add eax, -1 */
	{__LINE__, "81c078563412", 0x12345678, 4, 0},		      /* add eax, i32 */
	{__LINE__, "48b88877665544332211", 0x1122334455667788, 8, 0}, /* mov rax, i64 */
	{__LINE__, "c8100002", 2, 1, 0},			      /* enter 16, 2 */
	{__LINE__, "d1e0", 1, 0, 0},				      /* shl eax, 1 */
	{__LINE__, "74fe", 0, 0, 0x1000},			      /* je to itself */
	{__LINE__, "e8fbffffff", 0, 0, 0x1000},			      /* call itself */
	{__LINE__, "eb10", 0, 0, 0x1012},			      /* jmp */
};

/* What the front end's rules ask for. */
static const struct {
	int line;
	const char *hex;
	unsigned opcode_offset, constants;
	bool wide;
	unsigned narrow;
} layout_rows[] = {
	{__LINE__, "90", 0, 0, false, 0},		    /* nop */
	{__LINE__, "4801d8", 1, 0, false, 0},		    /* add rax, rbx */
	{__LINE__, "480fafc3", 2, 0, false, 0},		    /* imul rax, rbx */
	{__LINE__, "660f3810c1", 3, 0, false, 0},	    /* pblendvb xmm0, xmm1 */
	{__LINE__, "c5f9efc1", 2, 0, false, 0},		    /* vpxor, two-byte prefix */
	{__LINE__, "c4e2f5b8c1", 3, 0, false, 0},	    /* vfmadd231pd, three-byte prefix */
	{__LINE__, "62f37d4825c0ff", 4, 1, false, 1},	    /* vpternlogd */
	{__LINE__, "6681c03412", 1, 1, false, 0},	    /* add ax, i16 */
	{__LINE__, "b878563412", 0, 1, false, 0},	    /* mov eax, i32 */
	{__LINE__, "48b88877665544332211", 1, 2, true, 0},  /* mov rax, i64 */
	{__LINE__, "48b80100000000000000", 1, 2, false, 0}, /* a small one, written wide */
	{__LINE__, "c7401078563412", 0, 2, true, 1},	    /* mov dword [rax+16], i32 */
	{__LINE__, "c7401034120000", 0, 2, false, 1},	    /* mov dword [rax+16], 0x1234 */
	{__LINE__, "48a18877665544332211", 1, 2, false, 0}, /* mov rax, [moffs64] */
	{__LINE__, "7400", 0, 1, false, 1},		    /* je */
	{__LINE__, "0f8400000000", 1, 1, false, 0},	    /* je, far */
	{__LINE__, "0f1f8000000000", 1, 0, false, 0},	    /* nop [rax+disp32] */
};

static void check_layout(void)
{
	for (size_t index = 0; index < TAKT_COUNT_OF(layout_rows); index++) {
		uint8_t bytes[16];
		size_t size_bytes = from_hex(layout_rows[index].hex, bytes, sizeof(bytes));
		struct takt_insn insn = {0};
		enum takt_status status = takt_decode(&takt_isa_x86, bytes, size_bytes, 0, &insn);

		tap_ok_at(__FILE__, layout_rows[index].line,
			  status == TAKT_OK &&
				  insn.opcode_offset_bytes == layout_rows[index].opcode_offset &&
				  insn.constant_count == layout_rows[index].constants &&
				  insn.narrow_constant_count == layout_rows[index].narrow &&
				  takt_insn_has_wide_immediate(&insn) == layout_rows[index].wide,
			  "%s: opcode at %u, %u constants, %u of 8 bits", layout_rows[index].hex,
			  insn.opcode_offset_bytes, insn.constant_count,
			  insn.narrow_constant_count);
	}
}

static void check_immediates(void)
{
	for (size_t index = 0; index < TAKT_COUNT_OF(immediate_rows); index++) {
		uint8_t bytes[16];
		size_t size_bytes = from_hex(immediate_rows[index].hex, bytes, sizeof(bytes));
		struct takt_insn insn = {0};

		tap_ok_at(__FILE__, immediate_rows[index].line,
			  takt_decode(&takt_isa_x86, bytes, size_bytes, 0x1000, &insn) == TAKT_OK &&
				  insn.immediate == immediate_rows[index].immediate &&
				  insn.immediate_size_bytes == immediate_rows[index].size_bytes &&
				  insn.branch_target == immediate_rows[index].target,
			  "%s: immediate %lld of %d bytes, target 0x%llx",
			  immediate_rows[index].hex, (long long)insn.immediate,
			  insn.immediate_size_bytes, (unsigned long long)insn.branch_target);
	}
}

/* ---- what always holds ------------------------------------------------ */

/* Zero for a sound instruction, or the number of the rule it breaks. */
static int broken_rule(const struct takt_insn *insn, struct takt_text *text)
{
	size_t error_index;
	const char *error;

	if (insn->length_bytes == 0 || insn->length_bytes > 15)
		return 1;
	if (insn->access_count > TAKT_ACCESSES_MAX || insn->memory_count > TAKT_MEMORIES_MAX)
		return 2;
	for (unsigned index = 0; index < insn->access_count; index++) {
		const struct takt_access *access = &insn->accesses[index];

		if (access->location >= TAKT_LOC_COUNT || access->slot >= TAKT_SLOT_COUNT ||
		    access->size_bytes > 64 || !(access->flags & (TAKT_READ | TAKT_WRITE)))
			return 3;
		if (access->flags & TAKT_MERGE &&
		    (access->flags & (TAKT_READ | TAKT_WRITE)) != (TAKT_READ | TAKT_WRITE))
			return 4;
		if (access->slot > TAKT_SLOT_IMPLICIT &&
		    access->slot - TAKT_SLOT_IMPLICIT != access->location)
			return 5;
		for (unsigned other = 0; other < index; other++) {
			if (insn->accesses[other].location == access->location &&
			    insn->accesses[other].slot == access->slot)
				return 6;
		}
	}
	for (unsigned index = 0; index < insn->memory_count; index++) {
		const struct takt_memory *memory = &insn->memories[index];

		if (memory->slot > TAKT_SLOT_5 && memory->slot != TAKT_SLOT_STACK)
			return 7;
		if ((memory->index == TAKT_LOC_NONE) != (memory->scale == 0) ||
		    memory->base >= TAKT_LOC_HIGH8 || memory->index >= TAKT_LOC_MASK)
			return 8;
		if (memory->address_only == (memory->read || memory->write))
			return 9;
	}
	if (insn->insn_class >= TAKT_CLASS_COUNT || insn->isa_set >= takt_isa_set_count())
		return 10;
	takt_text_clear(text);
	takt_form_write(&takt_isa_x86, insn->form, text);
	if (takt_form_parse(&takt_isa_x86, text->data, text->size_bytes, &error_index, &error) !=
	    insn->form)
		return 11;
	return 0;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void check_random(void)
{
	/* Openings that lead into the rarer tables. */
	static const uint8_t openings[][2] = {
		{0x0f, 0x38}, {0x0f, 0x3a}, {0xc4, 0xe2}, {0xc4, 0xe3}, {0x62, 0xf1}, {0x62, 0xf2},
		{0x62, 0xf3}, {0x8f, 0xe9}, {0x66, 0x0f}, {0xf3, 0x0f}, {0xf2, 0x0f}, {0xd9, 0xe0}};
	const unsigned kinds = 2 * TAKT_COUNT_OF(openings);
	uint64_t state = 0x9e3779b97f4a7c15;
	unsigned decoded = 0, broken = 0;
	struct takt_text text = {0};

	for (unsigned round = 0; round < 400000; round++) {
		uint64_t bytes[2] = {next_random(&state), next_random(&state)};
		unsigned kind = (unsigned)(next_random(&state) % kinds);
		struct takt_insn insn;
		int rule;

		if (kind < TAKT_COUNT_OF(openings))
			memcpy(bytes, openings[kind], 2);
		if (takt_decode(&takt_isa_x86, (const uint8_t *)bytes, sizeof(bytes), state,
				&insn) != TAKT_OK)
			continue;
		decoded++;
		rule = broken_rule(&insn, &text);
		if (rule && broken++ < 10)
			tap_note("rule %d: %016llx %016llx %s", rule, (unsigned long long)bytes[0],
				 (unsigned long long)bytes[1], text.data ? text.data : "");
	}
	ok(decoded > 100000, "%u random instructions", decoded);
	is_int(broken, 0, "of them unsound");
	takt_text_release(&text);
}

/* A cut instruction never decodes as itself, and no byte after it is read. */
static void check_cut(void)
{
	uint64_t state = 1;
	unsigned wrong = 0;

	for (unsigned round = 0; round < 20000; round++) {
		uint64_t bytes[2] = {next_random(&state), next_random(&state)};
		struct takt_insn insn, cut;

		if (takt_decode(&takt_isa_x86, (const uint8_t *)bytes, sizeof(bytes), 0, &insn) !=
		    TAKT_OK)
			continue;
		for (size_t size_bytes = 0; size_bytes < insn.length_bytes; size_bytes++) {
			uint8_t *copy = malloc(size_bytes ? size_bytes : 1);

			memcpy(copy, bytes, size_bytes);
			wrong += takt_decode(&takt_isa_x86, copy, size_bytes, 0, &cut) == TAKT_OK;
			free(copy);
		}
	}
	is_int(wrong, 0, "instructions that decode without their end");
}

/* ---- blocks ----------------------------------------------------------- */

static const uint8_t *own_code(const struct takt_file *file, size_t *ret_size_bytes)
{
	Elf64_Ehdr header;
	Elf64_Shdr section, names;

	memcpy(&header, file->data, sizeof(header));
	memcpy(&names, file->data + header.e_shoff + header.e_shstrndx * sizeof(names),
	       sizeof(names));
	for (unsigned index = 0; index < header.e_shnum; index++) {
		memcpy(&section, file->data + header.e_shoff + index * sizeof(section),
		       sizeof(section));
		if (strcmp((const char *)file->data + names.sh_offset + section.sh_name, ".text") ==
		    0) {
			*ret_size_bytes = section.sh_size;
			return file->data + section.sh_offset;
		}
	}
	return NULL;
}

static void check_own_code(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_arena arena = {0};
	struct takt_block block = {0};
	struct takt_text text = {0};
	struct takt_file file;
	const uint8_t *code;
	size_t size_bytes = 0, sum_bytes = 0;
	unsigned broken = 0;

	if (takt_file_open("/proc/self/exe", diag, &file) != TAKT_OK) {
		tap_skip("own code", "no /proc");
		goto out;
	}
	code = own_code(&file, &size_bytes);
	ok(code && takt_decode_block(
			   &takt_isa_x86,
			   &(struct takt_code_bytes){code, size_bytes, 0x1000, "self", ".text"},
			   &arena, diag, &block) == TAKT_OK,
	   "own .text decodes as a block");
	for (uint32_t index = 0; index < block.count; index++) {
		const struct takt_insn *insn = &block.insns[index];

		broken += broken_rule(insn, &text) != 0;
		broken += insn->address != 0x1000 + sum_bytes || insn->bytes != code + sum_bytes;
		sum_bytes += insn->length_bytes;
	}
	is_int(broken, 0, "unsound instructions in it");
	ok(sum_bytes == size_bytes && block.count > 1000, "%u instructions", block.count);
	takt_file_close(&file);
out:
	takt_text_release(&text);
	takt_arena_release(&arena);
	takt_diag_free(diag);
}

static void check_block_error(const char *hex, const char *const *wanted)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_arena arena = {0};
	struct takt_block block = {.count = 77};
	uint8_t bytes[64];
	size_t size_bytes = from_hex(hex, bytes, sizeof(bytes));

	ok(takt_decode_block(&takt_isa_x86,
			     &(struct takt_code_bytes){bytes, size_bytes, 0x40, "a.o", ".text"},
			     &arena, diag, &block) == TAKT_BAD_INPUT,
	   "%s is refused", hex);
	is_int(block.count, 77, "the output is untouched");
	is_int((int)takt_diag_error_count(diag), 1, "errors");
	for (; *wanted; wanted++)
		ok(strstr(takt_diag_text(diag), *wanted) != NULL, "the message has \"%s\"",
		   *wanted);
	takt_arena_release(&arena);
	takt_diag_free(diag);
}

static void check_blocks(void)
{
	static const char *const unknown[] = {"a.o:.text+0x43", "byte 0x06", "note: ", NULL};
	static const char *const cut[] = {"a.o:.text+0x4f", "ends inside", "note: ", NULL};
	struct takt_arena arena = {0};
	struct takt_block block;

	check_block_error("4801d8069090", unknown);
	check_block_error("4801d84801d84801d84801d84801d848", cut);
	ok(takt_decode_block(&takt_isa_x86, &(struct takt_code_bytes){NULL, 0, 0, "a.o", NULL},
			     &arena, NULL, &block) == TAKT_OK &&
		   block.count == 0,
	   "no bytes are no instructions");
	takt_arena_release(&arena);
}

int main(void)
{
	check_flags();
	check_immediates();
	check_layout();
	check_random();
	check_cut();
	check_own_code();
	check_blocks();
	return tap_done();
}
