/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#define REGIONS_MAX 3

struct region {
	const char *name;
	uint64_t address;
	size_t size;
};

struct row {
	int line;
	const char *text;
	struct region regions[REGIONS_MAX];
	const char *error;
};

static const struct row rows[] = {
	{__LINE__, "nop\n# OSACA-BEGIN\nincl %eax\n# OSACA-END\nret", {{"marker 1", 1, 2}}, NULL},
	{__LINE__,
	 "nop\n# OSACA-BEGIN\n.p2align 4\n"
	 "1: incl %eax\njne 1b\n.p2align 4\n# OSACA-END\nret",
	 {{"marker 1", 16, 4}},
	 NULL},
	{__LINE__,
	 "// OSACA-BEGIN a\nnop\n// OSACA-END\n"
	 "/* OSACA-BEGIN b */\nincl %eax\n/* OSACA-END */",
	 {{"a", 0, 1}, {"b", 1, 2}},
	 NULL},
	{__LINE__,
	 "# LLVM-MCA-BEGIN a\nnop\n# LLVM-MCA-BEGIN b\nincl %eax\n# LLVM-MCA-END a\nnop\n"
	 "# LLVM-MCA-END b\n",
	 {{"a", 0, 3}, {"b", 1, 3}},
	 NULL},
	{__LINE__, "# LLVM-MCA-BEGIN a\nnop\n# LLVM-MCA-END\n", {{"a", 0, 1}}, NULL},
	{__LINE__,
	 "# LLVM-MCA-BEGIN\n.rept 3\nnop\n.endr\n# LLVM-MCA-END\n",
	 {{"marker 1", 0, 3}},
	 NULL},
	{__LINE__,
	 "# LLVM-MCA-BEGIN a\nnop\n# OSACA-BEGIN\nnop\n"
	 "# LLVM-MCA-END a\nnop\n# OSACA-END\n",
	 {{"a", 0, 2}, {"marker 2", 1, 2}},
	 NULL},
	{__LINE__, "nop # OSACA-BEGIN\nincl %eax # OSACA-END\nret", {{"marker 1", 1, 2}}, NULL},
	/* IACA bytes in text */
	{__LINE__,
	 "movl $111, %ebx\n.byte 100, 103, 144\nincl %eax\nmovl $222, %ebx\n"
	 ".byte 100, 103, 144\n",
	 {{"marker 1", 8, 2}},
	 NULL},
	{__LINE__,
	 "nop\n # OSACA-BEGIN\nnop\n",
	 {{0}},
	 "x:2:4: error: OSACA-BEGIN without OSACA-END after it\n    2 |  # OSACA-BEGIN\n"
	 "      |    ^~~~~~~~~~~\n"
	 "note: put the comment '# OSACA-END' after the code to analyze\n"},
	{__LINE__, "nop\n# OSACA-END\n", {{0}}, "x:2:3: error: OSACA-END without OSACA-BEGIN"},
	{__LINE__,
	 "# OSACA-BEGIN\nnop\n# OSACA-BEGIN\nnop\n# OSACA-END\n",
	 {{0}},
	 "x:1:3: error: OSACA-BEGIN without OSACA-END"},
	{__LINE__,
	 "# LLVM-MCA-BEGIN a\nnop\n# LLVM-MCA-END b\n",
	 {{0}},
	 "x:3:3: error: LLVM-MCA-END b without LLVM-MCA-BEGIN b before it"},
	{__LINE__,
	 "# OSACA-BEGIN\n# OSACA-END\nnop",
	 {{0}},
	 "x:1:3: error: no instruction between this and line 2"},
	{__LINE__,
	 "# OSACA-BEGIN\nnop\n.section .text.b,\"ax\"\nnop\n# OSACA-END\n",
	 {{0}},
	 "x:1:3: error: the region continues in another section at line 5\n"},
};

static void check(const struct row *row)
{
	struct opened opened = open_text(row->text, (struct takt_code_options){0});
	size_t want = 0;

	while (want < REGIONS_MAX && row->regions[want].name)
		want++;
	if (row->error) {
		tap_ok_at(__FILE__, row->line,
			  opened.status == TAKT_BAD_INPUT && says(&opened, row->error), "error");
	} else if (tap_ok_at(__FILE__, row->line, opened.count == want && says(&opened, ""),
			     "%zu regions", want)) {
		for (size_t i = 0; i < want; i++) {
			const struct takt_region *region = region_at(&opened, i);

			tap_ok_at(__FILE__, row->line,
				  region->origin == TAKT_REGION_MARKER &&
					  strcmp(region->name, row->regions[i].name) == 0 &&
					  region->address == row->regions[i].address &&
					  region->size_bytes == row->regions[i].size,
				  "%s at %llu, %zu bytes", region->name,
				  (unsigned long long)region->address, region->size_bytes);
		}
	}
	close_opened(&opened);
}

static void test_function(void)
{
	static const char text[] = ".globl f, g\nf: nop\n# OSACA-BEGIN a\nnop\n# OSACA-END\n"
				   "g: nop\n# OSACA-BEGIN b\nnop\n# OSACA-END\n";
	struct opened opened = open_text(text, (struct takt_code_options){.function = "g"});

	is_size(opened.count, 1, "only the regions of the function");
	is_string(region_at(&opened, 0)->name, "b", "name");
	close_opened(&opened);
}

/* Regions within regions: as many as there may be, and one more. */
static void test_nested(void)
{
	struct takt_text text = {0};
	struct opened opened;

	for (int more = 0; more < 2; more++) {
		takt_text_clear(&text);
		for (int i = 0; i < 64 + more; i++)
			takt_text_printf(&text, "# LLVM-MCA-BEGIN r%d\n", i);
		takt_text_add_string(&text, "nop\n");
		for (int i = 0; i < 64 + more; i++)
			takt_text_printf(&text, "# LLVM-MCA-END r%d\n", i);
		opened = open_text(text.data, (struct takt_code_options){0});
		if (more)
			ok(opened.status == TAKT_BAD_INPUT &&
				   says(&opened,
					"x:65:3: error: more than 64 regions are open here\n"
					"   65 | # LLVM-MCA-BEGIN r64\n"),
			   "one region more is refused");
		else
			is_size(opened.count, 64, "regions within each other");
		close_opened(&opened);
	}
	takt_text_release(&text);
}

int main(void)
{
	if (!have_shim())
		return tap_done();
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check(&rows[i]);
	test_function();
	test_nested();
	return tap_done();
}
