/* SPDX-License-Identifier: MIT */
/* Models out of LLVM's tables: processors of other instruction sets. */
#include "fixture.h"
#include "model/image.h"

static struct takt_model *open_model(const char *name, struct takt_diag *diag)
{
	struct takt_model *model = NULL;

	return takt_model_open(name, NULL, diag, &model) == TAKT_OK ? model : NULL;
}

/* fmadd.d ft0, ft1, ft2, ft3 */
static const uint8_t fmadd[] = {0x43, 0xf0, 0x20, 0x1a};

static void test_riscv(struct takt_diag *diag)
{
	struct takt_model *model = open_model("llvm:riscv64:sifive-p670", diag);
	struct takt_timing_storage storage;
	struct takt_timing timing;
	struct takt_text text = {0};
	struct takt_insn insn;

	ok(model != NULL, "an out-of-order core opens");
	if (!model)
		return;
	ok(takt_params_check(takt_model_params(model), diag), "its parameters are sound");
	is_int(takt_model_params(model)->issue_width, 4, "issue width");
	ok(takt_decode(takt_model_isa(model), fmadd, sizeof(fmadd), 0, &insn) == TAKT_OK,
	   "fmadd.d decodes");
	takt_model_timing(model, &insn, &storage, &timing);
	is_int(timing.match, TAKT_MATCH_ROW, "it has a row");
	is_int(takt_timing_latency(&timing, TAKT_SLOT_1 + 1, TAKT_SLOT_1), 4, "its latency");
	ok(*takt_model_port_title(model, 0) != '\0', "ports bear LLVM's names");
	is_int((long long)takt_model_write_check(model, &text), 0, "check finds nothing");
	takt_text_release(&text);
	takt_model_close(model);
}

static void test_in_order(struct takt_diag *diag)
{
	struct takt_model *model = open_model("llvm:riscv64:sifive-u74", diag);

	ok(model != NULL, "an in-order core opens");
	if (!model)
		return;
	is_int(takt_model_params(model)->scheduler_entries, 2, "with a scheduler of few entries");
	ok(strstr(takt_model_title(model), "in order") != NULL, "the title says so");
	takt_model_close(model);
}

static void test_errors(struct takt_diag *diag)
{
	static const struct {
		int line;
		const char *name, *error;
	} cases[] = {
		{__LINE__, "llvm:riscv64:generic-rv64", "no scheduling model of"},
		{__LINE__, "llvm:riscv64", "no scheduling model of"},
		{__LINE__, "llvm:riscv64:sifive-u47", "sifive-u47"},
		{__LINE__, "llvm:riscv46:x", "riscv46"},
		{__LINE__, "llvm:", "llvm"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(cases); i++) {
		struct takt_model *model;

		takt_diag_clear(diag);
		model = open_model(cases[i].name, diag);
		tap_ok_at(__FILE__, cases[i].line,
			  !model && takt_diag_error_count(diag) == 1 &&
				  strcasestr(takt_diag_text(diag), cases[i].error),
			  "%s", cases[i].name);
		takt_model_close(model);
	}
}

static void test_list(struct takt_diag *diag)
{
	struct takt_text text = {0};

	ok(takt_model_write_llvm_list("riscv64", diag, &text) == TAKT_OK &&
		   strstr(text.data, "llvm:riscv64:") && strstr(text.data, " sifive-u74"),
	   "processors are listed");
	takt_diag_clear(diag);
	ok(takt_model_write_llvm_list("riscv46", diag, &text) == TAKT_NOT_FOUND &&
		   takt_diag_error_count(diag) == 1,
	   "not those of what is none");
	takt_text_release(&text);
}

int main(void)
{
	struct takt_diag *diag = takt_diag_new();
	const struct takt_isa *isa;

	if (takt_isa_find("llvm:riscv64:sifive-u74", diag, &isa) != TAKT_OK) {
		takt_diag_free(diag);
		return tap_skip_all("no module for RISC-V is there");
	}
	test_riscv(diag);
	test_in_order(diag);
	test_errors(diag);
	test_list(diag);
	takt_diag_free(diag);
	return tap_done();
}
