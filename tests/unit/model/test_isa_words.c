/* SPDX-License-Identifier: MIT */
/* Cores of another instruction set: files, fusion, lookup, and what is written of them. */
#include "fixture.h"
#include "model/image.h"

#define ARM_HEAD "isa aarch64\n"
#define ARM_ROWS                                                                                   \
	"isa aarch64\n"                                                                            \
	"add x, x, x lsl         | 2*p01 | lat=2\n"                                                \
	"add x, x, x lsl [short] | 1*p01 | lat=1\n"                                                \
	"ldr x, [x], i           | 1*p2  | lat=4,*>2b:1\n"

static takt_form_key parse(const struct takt_isa *isa, const char *text)
{
	const char *error;
	size_t at;

	return takt_form_parse(isa, text, strlen(text), &at, &error);
}

static void test_words(void)
{
	uint16_t conditions = 0;

	is_string(takt_condition_word(&takt_isa_aarch64, 1), "ne", "ne");
	is_string(takt_condition_word(&takt_isa_x86, 1), "no", "no");
	ok(takt_condition_parse(&takt_isa_aarch64, "cs", 2, &conditions) && conditions == 1 << 2,
	   "cs is hs");
	ok(!takt_condition_parse(&takt_isa_aarch64, "nae", 3, &conditions), "nae is none there");
	ok(takt_condition_parse(&takt_isa_x86, "*", 1, &conditions) && conditions == UINT16_MAX,
	   "all of them");
	is_int(takt_form_address_operand(parse(&takt_isa_aarch64, "ldp x, x, [x], i")), 3,
	       "the third operand is an address");
	is_int(takt_form_address_operand(parse(&takt_isa_aarch64, "add x, x, x")), 0, "none is");
	is_int(takt_form_address_operand(parse(&takt_isa_x86, "lea r64, [b+i]")), 2, "of lea");
	ok(takt_isa_of_name("aarch64") == &takt_isa_aarch64 && !takt_isa_of_name("llvm:riscv64:"),
	   "sets by name");
}

static const struct takt_image_timing *row(const struct takt_model *model, const char *form)
{
	return takt_model_row(model, parse(&takt_isa_aarch64, form));
}

static void test_rows(struct fixture *fixture)
{
	struct takt_model *model = fixture_core(fixture, ARM_HEAD, ARM_ROWS);
	struct takt_timing timing;
	struct takt_text text = {0};

	ok(model && takt_model_isa(model) == &takt_isa_aarch64, "it opens");
	if (!model)
		return;
	is_int(row(model, "add x, x, x lsl [short]")->latency_default, 1, "a qualified row");
	is_int(row(model, "add x, x, x lsl")->latency_default, 2, "the plain one");
	takt_timing_from_image(&model->image, row(model, "ldr x, [x], i"), TAKT_MATCH_ROW, &timing);
	is_int(takt_timing_latency(&timing, TAKT_SLOT_BASE, TAKT_SLOT_BASE), 1, "write-back");
	is_int(takt_timing_latency(&timing, TAKT_SLOT_BASE, TAKT_SLOT_1), 4, "the load");
	takt_model_write_show(model, "ldr*", &text);
	ok(strstr(text.data, "isa         aarch64\n") && strstr(text.data, "lat=4,*>2b:1 "),
	   "rows are written as they are read");
	takt_text_release(&text);
	takt_model_close(model);
}

static void test_units(struct fixture *fixture)
{
	struct takt_model *model = fixture_core(
		fixture, ARM_HEAD "unit UnitI p01\nunit UnitL p2\nfuse-pair aese : aesmc\n", "");
	struct takt_text text = {0};

	ok(model != NULL, "it opens");
	if (!model)
		return;
	is_int(takt_model_unit_ports(model, "UnitI"), 3, "two ports of one name");
	is_int(takt_model_unit_ports(model, "UnitX"), 0, "an unknown name");
	takt_model_write_show(model, NULL, &text);
	ok(strstr(text.data, "unit        UnitI p0p1\n") != NULL, "units are shown");
	ok(strstr(text.data, "fuse-pair   aese : aesmc\n") != NULL, "pairs are shown");
	takt_text_release(&text);
	takt_model_close(model);
}

/* An instruction as far as fusion looks at it. */
static struct takt_insn insn_of(const char *form, uint32_t flags, int8_t condition)
{
	return (struct takt_insn){.isa = &takt_isa_aarch64,
				  .form = parse(&takt_isa_aarch64, form),
				  .flags = flags,
				  .condition = condition};
}

static void test_fusion(struct fixture *fixture)
{
	const uint32_t branch = TAKT_INSN_BRANCH | TAKT_INSN_CONDITIONAL;
	struct takt_insn cmp = insn_of("cmp x, x", 0, -1), add = insn_of("add x, x, x", 0, -1);
	struct takt_insn ne = insn_of("b.cond label", branch, 1);
	struct takt_insn al = insn_of("b.cond label", branch, 14);
	struct takt_insn cbz = insn_of("cbz x, label", branch, -1);
	struct takt_insn aese = insn_of("aese v.16b, v.16b", 0, -1);
	struct takt_insn aesmc = insn_of("aesmc v.16b, v.16b", 0, -1);
	struct takt_model *model = fixture_core(
		fixture, ARM_HEAD "fuse cmp : eq ne\nfuse adds : *\nfuse-pair aese : aesmc\n", "");

	ok(model != NULL, "it opens");
	if (!model)
		return;
	ok(takt_model_fuses(model, &cmp, &ne), "cmp and b.ne");
	ok(!takt_model_fuses(model, &cmp, &al), "not b.al");
	ok(!takt_model_fuses(model, &cmp, &cbz), "not cbz");
	ok(!takt_model_fuses(model, &add, &ne), "add does not write flags");
	ok(takt_model_fuses(model, &aese, &aesmc), "two of AES");
	ok(!takt_model_fuses(model, &aesmc, &aese), "in this order");
	ok(takt_model_may_fuse(model, &cmp) && !takt_model_may_fuse(model, &aese),
	   "decoders look out for branches");
	takt_model_close(model);
}

static void test_errors(struct fixture *fixture)
{
	static const struct {
		int line;
		const char *core, *rows, *error;
	} cases[] = {
		{__LINE__, "isa arm64\n", "", "unknown instruction set 'arm64'"},
		{__LINE__, ARM_HEAD "fuse cmp : e\n", "", "unknown condition 'e'"},
		{__LINE__, ARM_HEAD "fuse-pair aese\n", "", "fuse-pair needs mnemonics"},
		{__LINE__, ARM_HEAD "fuse-pair aese : aesmc bogus\n", "",
		 "unknown mnemonic 'bogus'"},
		{__LINE__, ARM_HEAD "unit U\n", "", "ports expected"},
		{__LINE__, ARM_HEAD, "isa aarch64\nadd r64, r64 | 1*p0 |\n",
		 "unknown operand kind 'r64'"},
		{__LINE__, ARM_HEAD, "isa aarch64\nadd x, x, x | 1*p0 | lat=1,1b>1:2\n",
		 "operand 1 has no address"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(cases); i++) {
		struct takt_model *model = fixture_core(fixture, cases[i].core, cases[i].rows);
		bool good = !model && strstr(takt_diag_text(fixture->diag), cases[i].error);

		tap_ok_at(__FILE__, cases[i].line, good, "%s", cases[i].error);
		takt_model_close(model);
	}
}

int main(void)
{
	struct fixture fixture;

	fixture_open(&fixture);
	test_words();
	test_rows(&fixture);
	test_units(&fixture);
	test_fusion(&fixture);
	test_errors(&fixture);
	fixture_close(&fixture);
	return tap_done();
}
