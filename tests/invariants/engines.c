/* SPDX-License-Identifier: MIT */
/*
 * What must hold for any block (check.h), on all cores of takt and some that LLVM describes.
 * Blocks are those of real binaries and kernels, and random ones put together from their
 * instructions, as copies and as loops; for LLVM's, text that is assembled.
 */
#include <stdio.h>
#include <string.h>

#include "../unit/tap.h"
#include "check.h"
#include "isa/isa.h"
#include "support/elf_text.h"

#define BLOCKS_PER_CORE 120u /* real ones; half as many random ones follow */
#define STRIDE 1499u
#define RELAXED_EVERY 24u
#define POOL_COUNT 2048u
#define POOL_STRIDE 211u
#define NON_TEMPORAL_BLOCKS 16u /* of non-temporal stores */
#define BLOCK_SIZE_MAX 1024u
#define RANDOM_INSNS_MAX 14u
#define JUMP_BYTES_MAX 6u

/* An instruction for random blocks. */
struct pooled {
	uint8_t bytes[15], length_bytes;
};

/* The blocks for one core. */
struct source {
	struct checker checker;
	const struct takt_isa *isa;
	struct pooled pool[POOL_COUNT];
	uint32_t pool_count;
	uint64_t seen, insns_seen, random;
};

/* A conditional jump back over `size` bytes; returns its length. */
static size_t add_jump(const struct takt_isa *isa, uint8_t *end, size_t size)
{
	int32_t back = -(int32_t)(size + JUMP_BYTES_MAX);
	uint32_t word = 0x54000001u | (-(uint32_t)size / 4 & 0x7ffff) << 5;

	if (isa == &takt_isa_aarch64) {
		memcpy(end, &word, sizeof(word));
		return sizeof(word);
	}
	memcpy(end, "\x0f\x85", 2);
	memcpy(end + 2, &back, sizeof(back));
	return JUMP_BYTES_MAX;
}

/* As copies, and as a loop by a jump behind it. */
static void check_both(struct source *source, const uint8_t *bytes, size_t size)
{
	uint8_t loop[BLOCK_SIZE_MAX + JUMP_BYTES_MAX];
	double copies;

	if (size > BLOCK_SIZE_MAX)
		return;
	memcpy(loop, bytes, size);
	copies = check_block(&source->checker, TAKT_MODE_UNROLL, loop, size);
	size += add_jump(source->isa, loop + size, size);
	check_modes(&source->checker, copies,
		    check_block(&source->checker, TAKT_MODE_LOOP, loop, size), loop, size);
	source->checker.checked++;
}

/* ---- machine code ------------------------------------------------------------------ */

static uint32_t draw(struct source *source, uint32_t below)
{
	source->random = source->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((source->random >> 33) % below);
}

/* A block of the `count` instructions at `pool`. */
static void check_random(struct source *source, const struct pooled *pool, uint32_t count)
{
	uint8_t bytes[BLOCK_SIZE_MAX];
	size_t size = 0;

	for (uint32_t left = 1 + draw(source, RANDOM_INSNS_MAX); left; left--) {
		const struct pooled *insn = &pool[draw(source, count)];

		memcpy(bytes + size, insn->bytes, insn->length_bytes);
		size += insn->length_bytes;
	}
	check_both(source, bytes, size);
}

/* What binaries hardly have: non-temporal stores, and loads of what they stored. */
static void check_non_temporal(struct source *source)
{
	static const struct pooled past[] = {
		{"\x48\x0f\xc3\x06", 4}, /* movnti [rsi], rax */
		{"\x0f\xc3\x57\x04", 4}, /* movnti [rdi+4], edx */
		{"\x0f\x2b\x06", 3},	 /* movntps [rsi], xmm0 */
		{"\xc5\xfd\xe7\x0f", 4}, /* vmovntdq [rdi], ymm1 */
		{"\x0f\xf7\xc1", 3},	 /* maskmovq mm0, mm1 */
		{"\x48\x03\x06", 3},	 /* add rax, [rsi] */
		{"\x8b\x57\x04", 3},	 /* mov edx, [rdi+4] */
		{"\x0f\x58\x06", 3},	 /* addps xmm0, [rsi] */
		{"\xc5\xfe\x6f\x0f", 4}, /* vmovdqu ymm1, [rdi] */
		{"\x48\x8b\x36", 3},	 /* mov rsi, [rsi] */
	};

	for (uint32_t i = 0; source->isa == &takt_isa_x86 && i < NON_TEMPORAL_BLOCKS; i++)
		check_random(source, past, TAKT_COUNT_OF(past));
}

static void pool(struct source *source, const uint8_t *bytes, uint8_t length_bytes)
{
	struct pooled *pooled = &source->pool[source->pool_count];

	if (source->insns_seen++ % POOL_STRIDE || source->pool_count == POOL_COUNT)
		return;
	memcpy(pooled->bytes, bytes, length_bytes);
	pooled->length_bytes = length_bytes;
	source->pool_count++;
}

static void visit(void *context, const uint8_t *bytes, size_t size_bytes, uint64_t address)
{
	struct source *source = context;
	size_t start = 0;

	for (size_t at = 0; at < size_bytes && source->checker.checked < BLOCKS_PER_CORE;) {
		struct takt_insn insn;
		bool good = takt_decode(source->isa, bytes + at, size_bytes - at, address, &insn) ==
			    TAKT_OK;

		if (good && !(insn.flags & TAKT_INSN_BRANCH)) {
			pool(source, bytes + at, insn.length_bytes);
			at += insn.length_bytes;
			continue;
		}
		if (good && at > start && source->seen++ % STRIDE == 0)
			check_both(source, bytes + start, at - start);
		at += good ? insn.length_bytes : source->isa->unit_bytes;
		start = at;
	}
}

/* ---- text ----------------------------------------------------------------------------- */

/* The loops in it. */
static void check_kernel(struct source *source, const char *path)
{
	const struct takt_code_options options = {.path = path, .isa = source->isa->name};
	struct takt_diag *diag = takt_diag_new();
	struct takt_code *code;

	if (!ok(takt_code_open(&options, diag, &code) == TAKT_OK, "%s assembles", path)) {
		tap_note("errors: %s", takt_diag_text(diag));
		takt_diag_free(diag);
		return;
	}
	for (size_t i = 0; i < takt_code_region_count(code); i++) {
		const struct takt_region *region = takt_code_region(code, i);

		check_block(&source->checker, TAKT_MODE_LOOP, region->bytes, region->size_bytes);
		source->checker.checked++;
	}
	takt_code_close(code);
	takt_diag_free(diag);
}

/* With `jump` behind it, which may be "", the text is one block. */
static void check_text(struct source *source, enum takt_mode mode, const char *body,
		       const char *jump)
{
	struct takt_code_options options = {.path = "text",
					    .format = TAKT_INPUT_ASSEMBLY,
					    .isa = source->isa->name,
					    .whole = true};
	struct takt_text *text = takt_text_new();
	struct takt_diag *diag = takt_diag_new();
	struct takt_code *code;

	takt_text_printf(text, "1:\n%s\n%s\n", body, jump);
	options.data = takt_text_data(text);
	options.data_size_bytes = takt_text_size_bytes(text);
	if (takt_code_open(&options, diag, &code) == TAKT_OK) {
		const struct takt_region *region = takt_code_region(code, 0);

		check_block(&source->checker, mode, region->bytes, region->size_bytes);
		takt_code_close(code);
	} else {
		ok(false, "%s assembles: %s", takt_diag_text(diag), body);
	}
	takt_diag_free(diag);
	takt_text_free(text);
}

/* ---- cores ----------------------------------------------------------------------------- */

static bool source_open(struct source *source, const char *name, struct takt_model **ret_model)
{
	struct takt_diag *diag = takt_diag_new();
	bool opened = takt_model_open(name, NULL, diag, ret_model) == TAKT_OK;

	if (ok(opened, "%s opens", name)) {
		source->isa = takt_model_isa(*ret_model);
		source->pool_count = 0;
		source->seen = source->insns_seen = 0;
		source->random = 1;
		checker_init(&source->checker, *ret_model);
	} else {
		tap_note("errors: %s", takt_diag_text(diag));
	}
	takt_diag_free(diag);
	return opened;
}

static void source_close(struct source *source, struct takt_model *model)
{
	ok(source->checker.bad == 0 && source->checker.checked > 0, "%s: %u blocks",
	   takt_model_name(model), source->checker.checked);
	checker_release(&source->checker);
	takt_model_close(model);
}

static bool is_text(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && strcmp(dot, ".s") == 0;
}

static void check_core(struct source *source, const char *name, int path_count, char **paths)
{
	struct takt_model *model;
	bool aarch64;

	if (!source_open(source, name, &model))
		return;
	source->checker.relaxed_every = RELAXED_EVERY;
	aarch64 = source->isa == &takt_isa_aarch64;
	for (int i = 0; i < path_count; i++)
		if (!is_text(paths[i]) && elf_text_is_aarch64(paths[i]) == aarch64)
			elf_text_visit(paths[i], visit, source);
	for (uint32_t i = 0; source->pool_count && i < BLOCKS_PER_CORE / 2; i++)
		check_random(source, source->pool, source->pool_count);
	check_non_temporal(source);
	for (int i = 0; i < path_count && aarch64; i++)
		if (is_text(paths[i]))
			check_kernel(source, paths[i]);
	source_close(source, model);
}

/* Of an architecture: what loops do in it, and the jump to "1:". */
struct blocks {
	const char *jump;
	const char *bodies[8];
};

static const struct blocks riscv = {
	"bne a1, a3, 1b",
	{
		"ld a0, 0(a1)\nadd a2, a2, a0\naddi a1, a1, 8",
		"fld fa0, 0(a1)\nfld fa1, 0(a2)\nfmadd.d fa1, fa0, fa2, fa1\nfsd fa1, 0(a2)\n"
		"addi a1, a1, 8\naddi a2, a2, 8",
		"add a4, a5, a6\nadd a7, a5, a6\nxor t0, a5, a6\nor t1, a5, a6\nsub t2, a5, a6",
		"div a4, a4, a5\nmul a6, a6, a5\naddi a1, a1, 1",
		"ld a1, 0(a1)",
		"fdiv.d fa0, fa0, fa1\nfadd.d fa2, fa2, fa3\nfmul.d fa4, fa5, fa6",
		"sd a4, 0(a1)\nsd a5, 8(a1)\nsd a6, 16(a1)\naddi a1, a1, 24",
	},
};
static const struct blocks power = {
	"bdnz 1b",
	{
		"ld 5, 0(3)\nadd 4, 4, 5\naddi 3, 3, 8",
		"lfdu 0, 8(3)\nlfd 1, 8(4)\nfmadd 1, 0, 2, 1\nstfdu 1, 8(4)",
		"add 5, 6, 7\nadd 8, 6, 7\nxor 9, 6, 7\nor 10, 6, 7\nsubf 11, 6, 7",
		"divd 5, 5, 6\nmulld 7, 7, 6",
		"lxvd2x 0, 0, 3\nxvmaddadp 1, 0, 2\naddi 3, 3, 16",
		"ld 3, 0(3)",
	},
};
static const struct blocks aarch64 = {
	"b.ne 1b",
	{
		"ldr x0, [x1], 8\nadd x2, x2, x0\ncmp x1, x3",
		"ldr q0, [x0, x2]\nldr q1, [x1, x2]\nfmla v1.2d, v0.2d, v2.d[0]\nstr q1, [x1, x2]\n"
		"add x2, x2, 16\ncmp x2, x3",
		"add x4, x5, x6\nadd x7, x5, x6\neor x8, x5, x6\norr x9, x5, x6\nsub x10, x5, x6",
		"sdiv x4, x4, x5\nmul x6, x6, x5\nmadd x7, x7, x5, x6",
		"ldp x4, x5, [x1]\nstp x4, x5, [x2]\nadd x1, x1, 16\nadd x2, x2, 16",
		"ldr x1, [x1]",
		"fdiv d0, d0, d1\nfadd d2, d2, d3\nfmul d4, d5, d6",
	},
};
static const struct blocks z = {
	"brctg %r2, 1b",
	{
		"lg %r4, 0(%r3)\nagr %r5, %r4\nla %r3, 8(%r3)",
		"ld %f0, 0(%r3)\nld %f2, 0(%r4)\nmadbr %f2, %f0, %f4\nstd %f2, 0(%r4)\n"
		"aghi %r3, 8\naghi %r4, 8",
		"agrk %r5, %r6, %r7\nxgrk %r8, %r6, %r7\nsgrk %r9, %r6, %r7",
		"dsgr %r4, %r6\nmsgr %r7, %r6",
		"ag %r5, 0(%r3)\nstg %r5, 8(%r3)",
		"lg %r3, 0(%r3)",
	},
};
static const struct blocks mips = {
	"bne $4, $5, 1b\nnop",
	{
		"lw $2, 0($4)\naddu $3, $3, $2\naddiu $4, $4, 4",
		"addu $2, $6, $7\nxor $3, $6, $7\nor $8, $6, $7\nsubu $9, $6, $7",
		"sw $2, 0($4)\nsw $3, 4($4)\naddiu $4, $4, 8",
	},
};

static const struct {
	const char *name;
	const struct blocks *blocks;
} generics[] = {
	{"llvm:riscv64:sifive-u74", &riscv},
	{"llvm:riscv64:sifive-p670", &riscv},
	{"llvm:riscv64:sifive-u54", &riscv},
	{"llvm:riscv64:xiangshan-nanhu", &riscv},
	{"llvm:powerpc64le:pwr9", &power},
	{"llvm:powerpc64le:pwr10", &power},
	{"llvm:aarch64:cortex-a55", &aarch64},
	{"llvm:aarch64:cortex-a510", &aarch64},
	{"llvm:aarch64:neoverse-v2", &aarch64},
	{"llvm:aarch64:oryon-1", &aarch64},
	{"llvm:s390x:z14", &z},
	{"llvm:s390x:z16", &z},
	{"llvm:mips:p5600", &mips},
};

static void check_generic(struct source *source, const char *name, const struct blocks *blocks)
{
	struct takt_model *model;

	if (!source_open(source, name, &model))
		return;
	source->checker.relaxed_every = 1;
	for (size_t i = 0; i < TAKT_COUNT_OF(blocks->bodies) && blocks->bodies[i]; i++) {
		check_text(source, TAKT_MODE_UNROLL, blocks->bodies[i], "");
		check_text(source, TAKT_MODE_LOOP, blocks->bodies[i], blocks->jump);
		source->checker.checked++;
	}
	source_close(source, model);
}

static bool has_module(const char *name)
{
	struct takt_diag *diag = takt_diag_new();
	bool found = takt_module_symbol(name, "takt_llvm_entry", diag) != NULL;

	takt_diag_free(diag);
	return found;
}

int main(int argc, char **argv)
{
	struct source *source = takt_xcalloc(1, sizeof(*source));

	for (size_t core = 0; core < takt_model_builtin_count(); core++)
		check_core(source, takt_model_builtin_name(core), argc - 1, argv + 1);
	if (has_module("takt-llvm-any"))
		for (size_t i = 0; i < TAKT_COUNT_OF(generics); i++)
			check_generic(source, generics[i].name, generics[i].blocks);
	else
		tap_skip("cores made of LLVM's tables", "takt-llvm-any.so is not there");
	free(source);
	return tap_done();
}
