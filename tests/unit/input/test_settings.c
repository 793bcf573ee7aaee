/* SPDX-License-Identifier: MIT */
/* Comments that set something, and the code before a region. */
#include "fixture.h"

static const char text[] = "	addi	a0, a0, 1\n"
			   "	# LLVM-MCA-RISCV-LMUL M2\n"
			   "	addi	a0, a0, 2\n"
			   "	# OSACA-BEGIN\n"
			   "	addi	a0, a0, 3\n"
			   "	# LLVM-MCA-RISCV-SEW E32\n"
			   "	addi	a0, a0, 4\n"
			   "	# OSACA-END\n";

static struct opened open_riscv(const char *source)
{
	return open_text(source, (struct takt_code_options){.path = "test.s",
							    .isa = "llvm:riscv64:sifive-p670",
							    .format = TAKT_INPUT_ASSEMBLY});
}

static void test_lead(void)
{
	struct opened opened = open_riscv(text);
	struct takt_arena arena = {0};
	struct takt_lead lead;

	if (ok(opened.code && takt_code_region_count(opened.code) == 1, "a region")) {
		const struct takt_region *region = region_at(&opened, 0);

		lead = takt_region_lead(opened.code, 0, &arena);
		is_size(lead.size_bytes, region->address, "all code before it");
		ok(lead.bytes + lead.size_bytes == region->bytes, "right before it");
		if (is_size(lead.setting_count, 2, "settings")) {
			is_string(lead.settings[0].kind, "RISCV-LMUL", "the first");
			is_string(lead.settings[0].data, "M2", "its data");
			ok(lead.settings[0].address < region->address, "before the region");
			ok(lead.settings[1].address > region->address, "inside");
		}
	}
	close_opened(&opened);
	takt_arena_release(&arena);
}

static void test_unknown(void)
{
	struct opened opened = open_riscv("nop\n# LLVM-MCA-RISCV-LMUL\nnop\n");

	ok(!opened.code, "no value");
	ok(says(&opened, "test.s:2:3: error: LLVM knows no setting 'LLVM-MCA-RISCV-LMUL' of "
			 "riscv64"),
	   "place and cause");
	ok(says(&opened, "M1, M2, M4"), "what there is");
	close_opened(&opened);
}

int main(void)
{
	const struct takt_isa *isa;

	if (takt_isa_find("llvm:riscv64", NULL, &isa) == TAKT_OK) {
		test_lead();
		test_unknown();
	} else {
		ok(true, "no LLVM for it");
	}
	return tap_done();
}
