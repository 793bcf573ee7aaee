/* SPDX-License-Identifier: MIT */
/* Instruction sets by name, and those that LLVM alone decodes. */
#include "../tap.h"
#include "isa/isa.h"

static void check_names(void)
{
	static const struct {
		int line;
		const char *name, *message; /* NULL: found */
	} rows[] = {
		{__LINE__, "x86-64", NULL},
		{__LINE__, "aarch64", NULL},
		{__LINE__, "AArch64", "unknown instruction set 'AArch64'"},
		{__LINE__, "", "unknown instruction set ''"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_diag *diag = takt_diag_new();
		const struct takt_isa *isa = NULL;
		enum takt_status status = takt_isa_find(rows[i].name, diag, &isa);

		if (rows[i].message)
			tap_ok_at(__FILE__, rows[i].line,
				  status == TAKT_NOT_FOUND && !isa &&
					  strstr(takt_diag_text(diag), rows[i].message),
				  "'%s' is unknown", rows[i].name);
		else
			tap_ok_at(__FILE__, rows[i].line,
				  status == TAKT_OK && strcmp(isa->name, rows[i].name) == 0, "%s",
				  rows[i].name);
		takt_diag_free(diag);
	}
}

/* What LLVM does not know is reported with what it does know. */
static void check_unknown(void)
{
	static const struct {
		int line;
		const char *name, *message, *note;
	} rows[] = {
		{__LINE__, "llvm:riscv46", "llvm:riscv46: LLVM does not know this instruction set",
		 "did you mean 'riscv64'"},
		{__LINE__, "llvm:riscv64:sifive-u47",
		 "LLVM does not know the processor 'sifive-u47'", "did you mean 'sifive-u74'"},
		{__LINE__, "llvm:riscv64:another-one",
		 "LLVM does not know the processor 'another-one'",
		 "'takt model list --llvm=riscv64' lists"},
		{__LINE__, "llvm:bpfel", "llvm:bpfel: LLVM has no reliable disassembler",
		 "'takt model list --llvm' lists"},
		{__LINE__, "llvm:", "LLVM does not know this instruction set",
		 "'takt model list --llvm' lists"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_diag *diag = takt_diag_new();
		const struct takt_isa *isa = NULL;

		tap_ok_at(__FILE__, rows[i].line,
			  takt_isa_find(rows[i].name, diag, &isa) == TAKT_NOT_FOUND && !isa,
			  "%s is unknown", rows[i].name);
		tap_ok_at(__FILE__, rows[i].line,
			  strstr(takt_diag_text(diag), rows[i].message) &&
				  strstr(takt_diag_text(diag), rows[i].note),
			  "%s: what there is", rows[i].name);
		tap_note("errors: %s", takt_diag_text(diag));
		takt_diag_free(diag);
	}
}

struct row {
	int line;
	const char *isa;
	uint32_t word;
	const char *text, *form, *accesses, *insn_class;
};

/* clang-format off */
static const struct row rows[] = {
	{__LINE__, "llvm:riscv64:sifive-u74", 0x00c58533, "add a0, a1, a2", "ADD",
	 "a0@1:w a1@2:r a2@3:r", "int"},
	{__LINE__, "llvm:riscv64:sifive-u74", 0x0085b503, "ld a0, 8(a1)", "LD",
	 "a0@1:w a1@2:ra m@3:r [a1+8]8", "move"},
	{__LINE__, "llvm:riscv64:sifive-u74", 0x00a5b423, "sd a0, 8(a1)", "SD",
	 "a0@1:r a1@2:ra m@3:w [a1+8]8", "move"},
	{__LINE__, "llvm:riscv64:sifive-u74", 0xfe051ce3, "bnez a0, 0xff8", "BNE", "a0@1:r",
	 "branch"},
	{__LINE__, "llvm:riscv64:sifive-u74", 0x00008067, "ret", "JALR", "ra@2:r", "branch"},
	{__LINE__, "llvm:riscv64:sifive-u74", 0x00c5a52f, "amoadd.w a0, a2, (a1)", "AMOADD_W",
	 "a0@1:w a1@2:ra a2@3:r m@2:rw [a1+0]4", "move"},
	{__LINE__, "llvm:riscv64:sifive-u74", 0x00000013, "nop", "ADDI", "", "nop"},
	{__LINE__, "llvm:powerpc64le:pwr9", 0x7c642a14, "add r3, r4, r5", "ADD4",
	 "r3@1:w r4@2:r r5@3:r", "int"},
	{__LINE__, "llvm:powerpc64le:pwr9", 0x7c642a15, "add. r3, r4, r5", "ADD4_rec",
	 "r3@1:w r4@2:r r5@3:r cr0@cr0:w", "int"},
	{__LINE__, "llvm:powerpc64le:pwr9", 0xe8640008, "ld r3, 8(r4)", "LD",
	 "r3@1:w r4@3:ra m@2:r [r4+8]8", "move"},
	{__LINE__, "llvm:powerpc64le:pwr9", 0xc8040008, "lfd f0, 8(r4)", "LFD",
	 "f0@1:w r4@3:ra m@2:r [r4+8]8", "move"},
	{__LINE__, "llvm:powerpc64le:pwr9", 0xf043230f, "xvmaddadp vs34, vs35, vs36",
	 "XVMADDADP", "v2@1:rw v3@3:r v4@4:r rm@rm:r", "int"},
	{__LINE__, "llvm:powerpc64le:pwr9", 0x4e800020, "blr", "BLR", NULL, "branch"},
	{__LINE__, "llvm:powerpc64le:pwr9", 0x7c0903a6, "mtctr r0", "MTCTR", "r0@1:r ctr@ctr:w",
	 "int"},
	{__LINE__, "llvm:powerpc64le:pwr9", 0x60000000, "nop", "NOP", "", "nop"},
	{__LINE__, "llvm:powerpc64le:pwr9", 0x7c0004ac, "sync", "SYNC", "", "system"},
};
/* clang-format on */

static void write_accesses(const struct takt_insn *insn, struct takt_text *text)
{
	for (unsigned i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];

		takt_text_printf(text, "%s%s@", i ? " " : "",
				 access->location ? takt_location_name(insn->isa, access->location)
						  : "m");
		takt_slot_write(insn->isa, access->slot, text);
		takt_text_printf(text, ":%s%s%s", access->flags & TAKT_READ ? "r" : "",
				 access->flags & TAKT_WRITE ? "w" : "",
				 access->flags & TAKT_ADDRESS ? "a" : "");
	}
	for (unsigned i = 0; i < insn->memory_count; i++)
		takt_text_printf(
			text, " [%s+%lld]%u", takt_location_name(insn->isa, insn->memories[i].base),
			(long long)insn->memories[i].displacement, insn->memories[i].size_bytes);
}

static void check(const struct row *row)
{
	const struct takt_isa *isa;
	struct takt_text text = {0};
	struct takt_insn insn;
	uint8_t bytes[4];

	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(row->word >> 8 * i);
	if (!tap_ok_at(__FILE__, row->line,
		       takt_isa_find(row->isa, NULL, &isa) == TAKT_OK &&
			       takt_decode(isa, bytes, 4, 0x1000, &insn) == TAKT_OK,
		       "%s decodes", row->text))
		return;
	takt_insn_write(&insn, TAKT_SYNTAX_INTEL, &text);
	tap_is_string(__FILE__, row->line, takt_text_data(&text), row->text, row->text);
	takt_text_clear(&text);
	takt_form_write(isa, insn.form, &text);
	tap_is_string(__FILE__, row->line, takt_text_data(&text), row->form, "form");
	takt_text_clear(&text);
	write_accesses(&insn, &text);
	if (row->accesses)
		tap_is_string(__FILE__, row->line, takt_text_data(&text), row->accesses,
			      "accesses");
	tap_is_string(__FILE__, row->line, takt_class_word((enum takt_insn_class)insn.insn_class),
		      row->insn_class, "class");
	takt_text_release(&text);
}

static void check_set(void)
{
	const struct takt_isa *isa = NULL, *again = NULL;
	size_t error_index;
	const char *error = NULL;

	ok(takt_isa_find("llvm:riscv64:sifive-u74", NULL, &isa) == TAKT_OK &&
		   takt_isa_find("llvm:riscv64:sifive-u74", NULL, &again) == TAKT_OK &&
		   isa == again,
	   "one name, one set");
	is_string(isa->title, "riscv64", "title");
	is_int(isa->unit_bytes, 2, "unit");
	is_string(takt_location_name(isa, isa->stack_location), "sp", "stack pointer");
	ok(takt_form_parse(isa, "ADD", 3, &error_index, &error) == 0 && error,
	   "forms cannot be written: %s", error);
	ok(takt_isa_find("llvm:riscv64", NULL, &again) == TAKT_OK && isa != again,
	   "without a processor");
}

static void check_step(void)
{
	static const struct {
		int line;
		uint32_t word;
		uint8_t length_bytes, flow;
		int32_t target;
	} steps[] = {
		{__LINE__, 0x00c58533, 4, TAKT_FLOW_NEXT, 0},
		{__LINE__, 0xfe051ce3, 4, TAKT_FLOW_BRANCH, -12},
		{__LINE__, 0x0000006f, 4, TAKT_FLOW_JUMP, -4},
		{__LINE__, 0x00008067, 4, TAKT_FLOW_STOP, 0},
		{__LINE__, 0x00000001, 2, TAKT_FLOW_NEXT, 0}, /* c.nop */
	};
	const struct takt_isa *isa;

	if (takt_isa_find("llvm:riscv64:sifive-u74", NULL, &isa) != TAKT_OK)
		return;
	for (size_t i = 0; i < TAKT_COUNT_OF(steps); i++) {
		struct takt_insn_flow step = {0};

		tap_ok_at(__FILE__, steps[i].line,
			  takt_insn_flow_decode(isa, (const uint8_t *)&steps[i].word, 4, &step) &&
				  step.length_bytes == steps[i].length_bytes &&
				  step.flow == steps[i].flow && step.target == steps[i].target,
			  "step: length %u, flow %u, target %d", step.length_bytes, step.flow,
			  step.target);
	}
}

int main(void)
{
	struct takt_diag *diag = takt_diag_new();
	const struct takt_isa *isa;
	enum takt_status status = takt_isa_find("llvm:riscv64", diag, &isa);

	check_names();
	if (status == TAKT_OK) {
		check_unknown();
		for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
			check(&rows[i]);
		check_set();
		check_step();
	} else {
		ok(status == TAKT_UNAVAILABLE || status == TAKT_NOT_FOUND, "no LLVM for it");
		tap_note("errors: %s", takt_diag_text(diag));
	}
	takt_diag_free(diag);
	return tap_done();
}
