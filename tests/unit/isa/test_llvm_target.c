/* SPDX-License-Identifier: MIT */
/* What the LLVM modules say of instructions. Skipped where a module is not built. */
#include <time.h>

#include "../tap.h"
#include "base/base.h"
#include "isa/llvm.h"

#define ADDRESS 0x1000

struct row {
	int line;
	uint32_t encoding;
	const char *text;
	/* "=" written, "/n" tied to operand n, then implicit reads "<" and writes ">". */
	const char *operands;
	uint32_t flags;
};

#define JUMP (TAKT_LLVM_BRANCH | TAKT_LLVM_HAS_TARGET)
#define CONDITIONAL (JUMP | TAKT_LLVM_CONDITIONAL)
#define LOADS TAKT_LLVM_LOADS
#define STORES TAKT_LLVM_STORES
#define LOADS_STORES (LOADS | STORES)
#define SIDE_EFFECTS TAKT_LLVM_SIDE_EFFECTS
/* What LLVM does not want to know more of; nop is among them. */
#define UNKNOWN_EFFECTS (LOADS | STORES | SIDE_EFFECTS)
#define INDIRECT (TAKT_LLVM_BRANCH | TAKT_LLVM_INDIRECT)

static const struct row aarch64_rows[] = {
	{__LINE__, 0x8b020020, "add x0, x1, x2", "=x0 x1 x2 0", 0},
	{__LINE__, 0x8b021420, "add x0, x1, x2, lsl #5", "=x0 x1 x2 5", 0},
	{__LINE__, 0x31001c83, "adds w3, w4, #7", "=x3 x4 7 0 >nzcv", 0},
	{__LINE__, 0xeb1f003f, "cmp x1, xzr", "=zero x1 zero 0 >nzcv", 0},
	{__LINE__, 0xaa1f03e0, "mov x0, xzr", "=x0 zero zero 0", 0},
	{__LINE__, 0x910043ff, "add sp, sp, #16", "=sp sp 16 0", 0},
	{__LINE__, 0xf8408420, "ldr x0, [x1], #8", "=x1 =x0 x1/0 8", LOADS},
	{__LINE__, 0xf8627820, "ldr x0, [x1, x2, lsl #3]", "=x0 x1 x2 0 1", LOADS},
	{__LINE__, 0x3c810c41, "str q1, [x2, #16]!", "=x2 v1 x2/0 16", STORES},
	{__LINE__, 0xa9410440, "ldp x0, x1, [x2, #16]", "=x0 =x1 x2 2", LOADS},
	{__LINE__, 0x6dbf27e8, "stp d8, d9, [sp, #-16]!", "=sp v8 v9 sp/0 -2", STORES},
	{__LINE__, 0xc85ffc83, "ldaxr x3, [x4]", "=x3 x4", UNKNOWN_EFFECTS},
	{__LINE__, 0xc805fc83, "stlxr w5, x3, [x4]", "=x5 x3 x4", UNKNOWN_EFFECTS},
	{__LINE__, 0xf8200041, "ldadd x0, x1, [x2]", "=x1 x0 x2", UNKNOWN_EFFECTS},
	{__LINE__, 0x88e1fc62, "casal w1, w2, [x3]", "=x1 x1/0 x2 x3", UNKNOWN_EFFECTS},
	{__LINE__, 0x4862fcc4, "caspal x2, x3, x4, x5, [x6]", "=x2+x3 x2+x3/0 x4+x5 x6",
	 UNKNOWN_EFFECTS},
	{__LINE__, 0xf820803f, "swp x0, xzr, [x1]", "=zero x0 x1", LOADS_STORES},
	{__LINE__, 0x4e22cc20, "fmla v0.4s, v1.4s, v2.4s", "=v0 v0/0 v1 v2 <fpcr", 0},
	{__LINE__, 0x1f420c20, "fmadd d0, d1, d2, d3", "=v0 v1 v2 v3 <fpcr", 0},
	{__LINE__, 0x4fc29820, "fmul v0.2d, v1.2d, v2.d[1]", "=v0 v1 v2 1 <fpcr", 0},
	{__LINE__, 0x4e0c1c20, "mov v0.s[1], w1", "=v0 v0/0 1 x1", 0},
	{__LINE__, 0x4cdf2c20, "ld1 { v0.2d, v1.2d, v2.2d, v3.2d }, [x1], #64",
	 "=x1 =v0+v1+v2+v3 x1/0 zero", LOADS},
	{__LINE__, 0x4cc2a024, "ld1 { v4.16b, v5.16b }, [x1], x2", "=x1 =v4+v5 x1/0 x2", LOADS},
	{__LINE__, 0x0d409000, "ld1 { v0.s }[1], [x0]", "=v0 v0/0 1 x0", LOADS},
	{__LINE__, 0x4e0223e0, "tbl v0.16b, { v31.16b, v0.16b }, v2.16b", "=v0 v0+v31 v2", 0},
	{__LINE__, 0x4c000800, "st4 { v0.4s, v1.4s, v2.4s, v3.4s }, [x0]", "v0+v1+v2+v3 x0",
	 STORES},
	{__LINE__, 0x1e612000, "fcmp d0, d1", "v0 v1 <fpcr >nzcv", 0},
	{__LINE__, 0x1e621c20, "fcsel d0, d1, d2, ne", "=v0 v1 v2 1 <nzcv", 0},
	{__LINE__, 0xfa430800, "ccmp x0, #3, #0, eq", "x0 3 0 0 <nzcv >nzcv", 0},
	{__LINE__, 0x9b020c20, "madd x0, x1, x2, x3", "=x0 x1 x2 x3", 0},
	{__LINE__, 0x9ba27c20, "umull x0, w1, w2", "=x0 x1 x2 zero", 0},
	{__LINE__, 0x92401c20, "and x0, x1, #0xff", "=x0 x1 4103", 0},
	{__LINE__, 0x65a20420, "fmla z0.s, p1/m, z1.s, z2.s", "=v0 p1 v0/0 v1 v2", 0},
	{__LINE__, 0xa5424021, "ld1w { z1.s }, p0/z, [x1, x2, lsl #2]", "=v1 p0 x1 x2", LOADS},
	{__LINE__, 0xe5e1e863, "st1d { z3.d }, p2, [x3, #1, mul vl]", "v3 p2 x3 1", STORES},
	{__LINE__, 0x25a11c00, "whilelo p0.s, x0, x1", "=p0 x0 x1 >nzcv", 0},
	{__LINE__, 0xa4036440, "ldff1b { z0.b }, p1/z, [x2, x3]", "=v0 p1 x2 x3 <ffr >ffr",
	 LOADS | SIDE_EFFECTS},
	{__LINE__, 0xa5a0e000, "ld2d { z0.d, z1.d }, p0/z, [x0]", "=v0+v1 p0 x0 0", LOADS},
	{__LINE__, 0x04b0e3e0, "incw x0", "=x0 x0/0 31 1", 0},
	{__LINE__, 0x54000041, "b.ne 0x1008", "1 2 <nzcv", CONDITIONAL},
	{__LINE__, 0xb4000040, "cbz x0, 0x1008", "x0 2", CONDITIONAL},
	{__LINE__, 0x360fffe0, "tbz w0, #1, 0xffc", "x0 1 -1", CONDITIONAL},
	{__LINE__, 0x94000010, "bl 0x1040", "16 <sp >x30", JUMP | TAKT_LLVM_CALL},
	{__LINE__, 0x14000010, "b 0x1040", "16", JUMP | TAKT_LLVM_BARRIER},
	{__LINE__, 0xd63f0020, "blr x1", "x1 <sp >x30", INDIRECT | TAKT_LLVM_CALL},
	{__LINE__, 0xd61f0020, "br x1", "x1", INDIRECT | TAKT_LLVM_BARRIER},
	{__LINE__, 0xd65f03c0, "ret", "x30",
	 INDIRECT | TAKT_LLVM_RETURN | TAKT_LLVM_SIDE_EFFECTS | TAKT_LLVM_BARRIER},
	{__LINE__, 0xd503201f, "nop", "0", UNKNOWN_EFFECTS},
	{__LINE__, 0xd5033bbf, "dmb ish", "11", UNKNOWN_EFFECTS},
	{__LINE__, 0xd53bd040, "mrs x0, TPIDR_EL0", "=x0 56962 >nzcv", SIDE_EFFECTS},
	{__LINE__, 0xf2a00020, "movk x0, #1, lsl #16", "=x0 x0/0 1 16", 0},
	{__LINE__, 0x10000080, "adr x0, 0x1010", "=x0 16", 0},
	{__LINE__, 0x80812000, "fmopa za0.s, p0/m, p1/m, z0.s, z1.s", "=za za/0 p0 p1 v0 v1",
	 SIDE_EFFECTS},
	{__LINE__, 0xd4000001, "svc #0", "0", SIDE_EFFECTS},
};

static const struct row riscv_rows[] = {
	{__LINE__, 0x00c58533, "add a0, a1, a2", "=a0 a1 a2", 0},
	{__LINE__, 0x00c58033, "add zero, a1, a2", "=zero a1 a2", 0},
	{__LINE__, 0x00500513, "li a0, 5", "=a0 zero 5", 0},
	{__LINE__, 0x00853583, "ld a1, 8(a0)", "=a1 a0 8", LOADS},
	{__LINE__, 0x00b53423, "sd a1, 8(a0)", "a1 a0 8", STORES},
	{__LINE__, 0x02c5f553, "fadd.d fa0, fa1, fa2", "=fa0 fa1 fa2 7", 0},
	{__LINE__, 0x1820f043, "fmadd.s ft0, ft1, ft2, ft3", "=ft0 ft1 ft2 ft3 7", 0},
	{__LINE__, 0x00c58463, "beq a1, a2, 0x1008", "a1 a2 8", CONDITIONAL},
	{__LINE__, 0x010000ef, "jal 0x1010", "=ra 16", JUMP | TAKT_LLVM_CALL},
	{__LINE__, 0x0100006f, "j 0x1010", "=zero 16", JUMP | TAKT_LLVM_BARRIER},
	{__LINE__, 0x000580e7, "jalr a1", "=ra a1 0", INDIRECT | TAKT_LLVM_CALL},
	{__LINE__, 0x00058067, "jr a1", "=zero a1 0", INDIRECT | TAKT_LLVM_BARRIER},
	{__LINE__, 0x00008067, "ret", "=zero ra 0",
	 INDIRECT | TAKT_LLVM_RETURN | TAKT_LLVM_BARRIER},
	{__LINE__, 0x00b6352f, "amoadd.d a0, a1, (a2)", "=a0 a2 a1", LOADS_STORES},
	{__LINE__, 0x022180d7, "vadd.vv v1, v2, v3", "=v1 v2 v3  <vtype <vl", 0},
	{__LINE__, 0x002180d7, "vadd.vv v1, v2, v3, v0.t", "=v1 v2 v3 v0 <vtype <vl", 0},
	{__LINE__, 0x02057207, "vle64.v v4, (a0)", "=v4 a0  <vtype <vl", LOADS},
	{__LINE__, 0x0d85f557, "vsetvli a0, a1, e64, m1, ta, ma", "=a0 a1 216 >vtype >vl",
	 SIDE_EFFECTS},
	{__LINE__, 0x20c5a533, "sh1add a0, a1, a2", "=a0 a1 a2", 0},
};

static const struct row powerpc_rows[] = {
	{__LINE__, 0x7c642a14, "add r3, r4, r5", "=r3 r4 r5", 0},
	{__LINE__, 0x7c642a15, "add. r3, r4, r5", "=r3 r4 r5 >cr0", 0},
	{__LINE__, 0x38640008, "addi r3, r4, 8", "=r3 r4 8", 0},
	{__LINE__, 0x38600001, "li r3, 1", "=r3 1", 0},
	{__LINE__, 0xe8640008, "ld r3, 8(r4)", "=r3 8 r4", LOADS},
	{__LINE__, 0xe8640009, "ldu r3, 8(r4)", "=r3 =r4 8 r4/1", LOADS},
	{__LINE__, 0xf8640008, "std r3, 8(r4)", "r3 8 r4", STORES},
	{__LINE__, 0xfc2220fa, "fmadd f1, f2, f3, f4", "=f1 f2 f3 f4 <rm", 0},
	{__LINE__, 0xf043230f, "xvmaddadp vs34, vs35, vs36", "=v2 v2/0 v3 v4 <rm", 0},
	{__LINE__, 0x1043200a, "vaddfp v2, v3, v4", "=v2 v3 v4", 0},
	{__LINE__, 0x7c032000, "cmpw r3, r4", "=cr0 r3 r4", 0},
	{__LINE__, 0x48000010, "b 0x1010", "4", JUMP | TAKT_LLVM_BARRIER},
	{__LINE__, 0x48000011, "bl 0x1010", "4 <rm >lr", JUMP | TAKT_LLVM_CALL},
	{__LINE__, 0x4e800020, "blr", " <lr <rm", INDIRECT | TAKT_LLVM_RETURN | TAKT_LLVM_BARRIER},
	{__LINE__, 0x4e800420, "bctr", " <ctr", INDIRECT | TAKT_LLVM_BARRIER},
	{__LINE__, 0x42000010, "bdnz 0x1010", "4 <ctr >ctr", CONDITIONAL},
	{__LINE__, 0x41820010, "bt eq, 0x1010", "12 cr0 4 <ctr <rm >ctr", CONDITIONAL},
};

struct group {
	const char *module, *triple, *cpu, *features;
	const struct row *rows;
	size_t row_count;
	unsigned samples_min; /* of AArch64, 95 % of the opcodes */
};

#define ROWS(rows) (rows), TAKT_COUNT_OF(rows)

static const struct group groups[] = {
	{"takt-llvm-aarch64", "aarch64-unknown-linux-gnu", "neoverse-v2", "+all",
	 ROWS(aarch64_rows), 6450},
	{"takt-llvm-any", "aarch64-unknown-linux-gnu", "neoverse-v2", "+all", ROWS(aarch64_rows),
	 6450},
	{"takt-llvm-any", "riscv64-unknown-linux-gnu", "sifive-p670", "+all", ROWS(riscv_rows),
	 1000},
	{"takt-llvm-riscv", "riscv64-unknown-linux-gnu", "sifive-p670", "+all", ROWS(riscv_rows),
	 1000},
	{"takt-llvm-powerpc", "powerpc64le-unknown-linux-gnu", "pwr9", "", ROWS(powerpc_rows),
	 1400},
	{"takt-llvm-any", "powerpc64le-unknown-linux-gnu", "pwr9", "", ROWS(powerpc_rows), 1400},
};

static void say_error(void *context, const char *message)
{
	int *count = context;

	if (count)
		(*count)++;
	tap_note("%s", message);
}

static const struct takt_llvm_api *load(const char *module)
{
	struct takt_diag *diag = takt_diag_new();
	const struct takt_llvm_api *(*entry)(void) = NULL;
	void *symbol = takt_module_symbol(module, "takt_llvm_entry", diag);

	takt_diag_free(diag);
	if (!symbol) {
		tap_skip(module, "it is not built");
		return NULL;
	}
	memcpy(&entry, &symbol, sizeof(entry));
	return entry();
}

static bool decode(const struct takt_llvm_api *api, struct takt_llvm_target *target,
		   uint32_t encoding, struct takt_llvm_insn *ret_insn)
{
	const uint8_t bytes[4] = {(uint8_t)encoding, (uint8_t)(encoding >> 8),
				  (uint8_t)(encoding >> 16), (uint8_t)(encoding >> 24)};

	return api->decode(target, bytes, sizeof(bytes), ADDRESS, true, ret_insn);
}

/* ---- decoding --------------------------------------------------------- */

static void add_register(const struct takt_llvm_api *api, const struct takt_llvm_target *target,
			 const struct takt_llvm_register *reg, struct takt_text *text)
{
	for (unsigned i = 0; i < reg->part_count; i++)
		takt_text_printf(text, "%s%s", i ? "+" : "",
				 api->location_name(target, reg->parts[i]));
}

static void add_operands(const struct takt_llvm_api *api, const struct takt_llvm_target *target,
			 const struct takt_llvm_insn *insn, struct takt_text *text)
{
	for (unsigned i = 0; i < insn->operand_count; i++) {
		const struct takt_llvm_operand *operand = &insn->operands[i];

		takt_text_printf(text, "%s%s%s", i ? " " : "", operand->is_definition ? "=" : "",
				 operand->type == TAKT_LLVM_REGISTER && !operand->reg.part_count
					 ? "zero"
					 : "");
		if (operand->type == TAKT_LLVM_IMMEDIATE)
			takt_text_printf(text, "%lld", (long long)operand->immediate);
		add_register(api, target, &operand->reg, text);
		if (operand->tied_to >= 0)
			takt_text_printf(text, "/%d", operand->tied_to);
	}
	for (unsigned i = 0; i < insn->implicit_read_count; i++) {
		takt_text_add_string(text, " <");
		add_register(api, target, &insn->implicit_reads[i], text);
	}
	for (unsigned i = 0; i < insn->implicit_write_count; i++) {
		takt_text_add_string(text, " >");
		add_register(api, target, &insn->implicit_writes[i], text);
	}
}

static void test_rows(const struct takt_llvm_api *api, const struct group *group)
{
	struct takt_llvm_target *target =
		api->open(group->triple, group->cpu, group->features, say_error, NULL);

	if (!ok(target != NULL, "%s: %s", group->module, group->triple))
		return;
	for (size_t i = 0; i < group->row_count; i++) {
		const struct row *row = &group->rows[i];
		struct takt_text operands = {0};
		struct takt_llvm_insn insn;

		takt_text_add_string(&operands, "");
		if (!tap_ok_at(__FILE__, row->line, decode(api, target, row->encoding, &insn),
			       "%08x decodes", row->encoding))
			continue;
		add_operands(api, target, &insn, &operands);
		tap_is_string(__FILE__, row->line, insn.text, row->text, "text");
		tap_is_string(__FILE__, row->line, operands.data, row->operands, row->text);
		tap_is_int(__FILE__, row->line, insn.flags, row->flags, "flags");
		takt_text_release(&operands);
	}
}

/* Nothing may crash; what decodes has to fit what was given. */
static void test_garbage(const struct takt_llvm_api *api, const struct group *group)
{
	struct takt_llvm_target *target =
		api->open(group->triple, group->cpu, group->features, say_error, NULL);
	uint64_t state = 88172645463325252u;
	unsigned decoded = 0, wrong = 0;

	for (unsigned i = 0; target && i < 100000; i++) {
		struct takt_llvm_insn insn;
		struct takt_llvm_schedule schedule;
		uint8_t bytes[8];
		size_t size = i % (sizeof(bytes) + 1);

		state = takt_hash64(state + 1);
		memcpy(bytes, &state, sizeof(bytes));
		if (!api->decode(target, bytes, size, state, i % 2, &insn))
			continue;
		decoded++;
		wrong += insn.size_bytes > size || insn.operand_count > TAKT_LLVM_OPERANDS_MAX;
		wrong += strlen(insn.text) >= TAKT_LLVM_TEXT_MAX;
		(void)api->schedule(target, insn.scheduling_class, &schedule);
		wrong += api->schedule(target, (uint32_t)state | 0x80000000u, &schedule);
	}
	ok(decoded > 0 && wrong == 0, "%s: %u of 100000 random words decode, %u wrongly",
	   group->triple, decoded, wrong);
}

/* Samples are of their opcode, and most opcodes have one. */
static void test_samples(const struct takt_llvm_api *api, const struct group *group)
{
	struct takt_llvm_target *target =
		api->open(group->triple, group->cpu, group->features, say_error, NULL);
	unsigned samples = 0, variants = 0, wrong = 0;

	for (uint32_t opcode = 0; target && opcode < api->opcode_count(target); opcode++) {
		struct takt_llvm_insn insn;
		uint8_t bytes[16];
		int size;

		for (uint32_t i = 0; (size = api->sample(target, opcode, i, bytes)) >= 0; i++) {
			if (size == 0)
				continue;
			samples += i == 0;
			variants += i != 0;
			wrong += !api->decode(target, bytes, (size_t)size, 0, false, &insn) ||
				 insn.opcode != opcode;
		}
	}
	ok(samples >= group->samples_min && wrong == 0,
	   "%s: %u opcodes have samples, %u variants, %u wrong", group->triple, samples, variants,
	   wrong);
	is_int(target ? api->sample(target, UINT32_MAX, 0, (uint8_t[16]){0}) : 0, -1, "no opcode");
}

/* ---- schedules -------------------------------------------------------- */

struct figures {
	int line;
	const char *cpu;
	uint32_t encoding;
	unsigned uops, first_write, units; /* units: of its first resource */
	int advance, advance_use;	   /* from its own class */
};

static const struct figures figures[] = {
	/* fmla v0.4s, v1.4s, v2.4s: the sum is wanted late, where LLVM knows */
	{__LINE__, "neoverse-n1", 0x4e22cc20, 1, 4, 2, 0, -1},
	{__LINE__, "neoverse-v2", 0x4e22cc20, 1, 4, 4, 2, 0},
	/* fmla z0.s, p1/m, z1.s, z2.s */
	{__LINE__, "neoverse-v2", 0x65a20420, 1, 4, 4, 2, 1},
	/* madd x0, x1, x2, x3 */
	{__LINE__, "neoverse-v2", 0x9b020c20, 1, 2, 1, 1, 2},
	{__LINE__, "cortex-a57", 0x9b020c20, 1, 5, 1, 2, 2},
	/* add x0, x1, x2, without and with a shift of five */
	{__LINE__, "neoverse-n1", 0x8b020020, 1, 1, 3, 0, -1},
	{__LINE__, "neoverse-n1", 0x8b021420, 1, 2, 1, 0, -1},
	/* ldr x0, [x1], #8: the address first */
	{__LINE__, "neoverse-n1", 0xf8408420, 2, 1, 2, 0, -1},
	/* ldp x0, x1, [x2, #16] */
	{__LINE__, "neoverse-n1", 0xa9410440, 2, 4, 2, 0, -1},
};

static void test_figures(const struct takt_llvm_api *api, const struct figures *want)
{
	struct takt_llvm_target *target =
		api->open("aarch64-unknown-linux-gnu", want->cpu, "+all", say_error, NULL);
	struct takt_llvm_insn insn;
	struct takt_llvm_schedule schedule = {0};
	int advance = 0, use = -1;

	if (!target || !decode(api, target, want->encoding, &insn) ||
	    !api->schedule(target, insn.scheduling_class, &schedule)) {
		tap_ok_at(__FILE__, want->line, false, "%s: no schedule", want->cpu);
		return;
	}
	for (unsigned i = 0; i < schedule.advance_count; i++) {
		if (!schedule.advances[i].from_same_class || schedule.advances[i].cycles == 0)
			continue;
		advance = schedule.advances[i].cycles;
		use = schedule.advances[i].use;
	}
	tap_is_int(__FILE__, want->line, schedule.uops, want->uops, insn.text);
	tap_is_int(__FILE__, want->line, schedule.writes[0].cycles, want->first_write, "latency");
	tap_is_int(__FILE__, want->line, __builtin_popcount(schedule.resources[0].units),
		   want->units, "units of the first µop");
	tap_is_int(__FILE__, want->line, advance, want->advance, "advance");
	tap_is_int(__FILE__, want->line, use, want->advance_use, "operand");
}

/* ---- the rest --------------------------------------------------------- */

static bool count_names(void *context, const char *name)
{
	unsigned *count = context;

	(*count)++;
	return name[0] != '\0';
}

static bool stop_at_once(void *context, const char *name)
{
	(void)name;
	++*(unsigned *)context;
	return false;
}

static void test_names(const struct takt_llvm_api *api)
{
	static const char triple[] = "aarch64-unknown-linux-gnu";
	struct takt_llvm_target *target = api->open(triple, "", "", say_error, NULL);
	unsigned architectures = 0, processors = 0, stopped = 0;
	int errors = 0;

	api->architectures(count_names, &architectures);
	ok(architectures >= 3, "%u architectures", architectures);
	ok(api->processors(triple, count_names, &processors) && processors > 40, "%u processors",
	   processors);
	ok(api->processors(triple, stop_at_once, &stopped) && stopped == 1, "a sink stops it");
	ok(!api->processors("nonsense", count_names, &processors), "no such triple");
	ok(api->open(triple, "", "", say_error, NULL) == target, "one target, opened twice");
	ok(!api->open("nonsense", "", "", say_error, &errors) &&
		   !api->open(triple, "nonsense", "", say_error, &errors) &&
		   !api->open(triple, "", "+nonsense", say_error, &errors) &&
		   !api->open(triple, "", "x", say_error, &errors) && errors == 4,
	   "%d errors for names that do not exist", errors);
	is_string(api->location_name(target, UINT16_MAX), "", "no such location");
	is_string(api->opcode_name(target, UINT32_MAX), "", "no such opcode");
}

/* ---- locations -------------------------------------------------------- */

/* Names, or PREFIX FIRST-LAST, each of which has a location of its own. */
static const struct {
	int line;
	const char *triple, *cpu;
	const char *names;
	struct {
		const char *prefix;
		unsigned count;
	} ranges[4];
} apart[] = {
	{__LINE__,
	 "powerpc64le-unknown-linux-gnu",
	 "pwr9",
	 "lr ctr xer",
	 {{"r", 32}, {"f", 32}, {"v", 32}, {"cr", 8}}},
	{__LINE__,
	 "riscv64-unknown-linux-gnu",
	 "sifive-p670",
	 "ra sp gp tp t0 t6 s0 s11 a0 a7 ft0 ft11 fs0 fs11 vl vtype frm fflags vxrm vxsat",
	 {{"v", 32}, {"fa", 8}}},
	{__LINE__,
	 "armv7-unknown-linux-gnueabihf",
	 "cortex-a57",
	 "sp lr pc apsr_nzcv d16 d31",
	 {{"r", 13}, {"s", 32}}},
	{__LINE__, "s390x-unknown-linux-gnu", "z15", "cc fpc", {{"r", 16}, {"v", 32}}},
	{__LINE__,
	 "loongarch64-unknown-linux-gnu",
	 "la464",
	 "ra tp sp fp",
	 {{"a", 8}, {"t", 9}, {"fa", 8}, {"fcc", 8}}},
	{__LINE__,
	 "mips64-unknown-linux-gnu",
	 "mips64r2",
	 "ra sp gp at hi lo v0 v1",
	 {{"f", 32}, {"a", 4}, {"s", 8}, {"t", 10}}},
	{__LINE__,
	 "hexagon-unknown-linux-gnu",
	 "hexagonv68",
	 "pc",
	 {{"r", 32}, {"p", 4}, {"v", 32}}},
};

static unsigned count_named(const struct takt_llvm_api *api, const struct takt_llvm_target *target,
			    const char *name, size_t size_bytes)
{
	unsigned count = 0;

	for (uint16_t i = 1; i <= api->processor(target)->location_count; i++) {
		const char *own = api->location_name(target, i);

		count += strlen(own) == size_bytes && memcmp(own, name, size_bytes) == 0;
	}
	return count;
}

static void test_locations(const struct takt_llvm_api *api)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(apart); i++) {
		struct takt_llvm_target *target =
			api->open(apart[i].triple, apart[i].cpu, "", say_error, NULL);
		struct takt_text names = {0};
		size_t length;

		takt_text_add_string(&names, apart[i].names);
		for (size_t k = 0; k < TAKT_COUNT_OF(apart[i].ranges); k++)
			for (unsigned n = 0; n < apart[i].ranges[k].count; n++)
				takt_text_printf(&names, " %s%u", apart[i].ranges[k].prefix, n);
		if (!tap_ok_at(__FILE__, apart[i].line, target != NULL, "%s", apart[i].triple))
			continue;
		ok(api->processor(target)->location_count <= TAKT_LLVM_LOCATIONS_MAX,
		   "not too many");
		for (const char *at = names.data; *at; at += length + (at[length] == ' ')) {
			length = strcspn(at, " ");
			tap_ok_at(__FILE__, apart[i].line,
				  count_named(api, target, at, length) == 1, "%s: %.*s",
				  apart[i].triple, (int)length, at);
		}
		takt_text_release(&names);
	}
}

static double seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* For information: no limits, the machine may be busy. */
static void show_speed(const struct takt_llvm_api *api)
{
	const uint8_t bytes[4] = {0x20, 0xcc, 0x22, 0x4e};
	struct takt_llvm_target *target =
		api->open("aarch64-unknown-linux-gnu", "neoverse-v2", "+all", say_error, NULL);
	struct takt_llvm_insn insn;

	for (int with_text = 0; with_text < 2; with_text++) {
		const double start = seconds();

		for (unsigned i = 0; i < 100000; i++)
			(void)api->decode(target, bytes, sizeof(bytes), 0, with_text != 0, &insn);
		tap_note("%.0f ns per instruction %s text", (seconds() - start) * 1e4,
			 with_text ? "with" : "without");
	}
}

int main(void)
{
	const struct takt_llvm_api *api;

	for (size_t i = 0; i < TAKT_COUNT_OF(groups); i++) {
		api = load(groups[i].module);
		if (!api)
			continue;
		test_rows(api, &groups[i]);
		test_garbage(api, &groups[i]);
		test_samples(api, &groups[i]);
	}
	api = load("takt-llvm-aarch64");
	if (api) {
		for (size_t i = 0; i < TAKT_COUNT_OF(figures); i++)
			test_figures(api, &figures[i]);
		test_names(api);
		show_speed(api);
	}
	api = load("takt-llvm-any");
	if (api)
		test_locations(api);
	return tap_done();
}
