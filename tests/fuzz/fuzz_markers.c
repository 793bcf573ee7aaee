/* SPDX-License-Identifier: MIT */
/*
 * Assembly text: a fixed kernel with the input's bytes as comment lines, so that the
 * marker comments are fuzzed and not LLVM's parser. The first byte says of which set.
 */
#include <string.h>

#include "code_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *isa = take_isa(&data, &size);
	bool x86 = strcmp(isa, "x86-64") == 0;
	struct takt_code_options options = {.format = TAKT_INPUT_ASSEMBLY,
					    .syntax = x86 ? TAKT_SYNTAX_ATT : TAKT_SYNTAX_AUTO,
					    .isa = isa};
	struct takt_lines lines;
	struct takt_text text = {0};
	const char *line;
	size_t length;

	takt_lines_init(&lines, data, size);
	while (takt_lines_next(&lines, &line, &length) && lines.number < 64) {
		takt_text_add_string(&text, x86 ? "# " : "// ");
		for (size_t i = 0; i < length; i++)
			takt_text_add(&text, line[i] >= ' ' && line[i] != '\x7f' ? &line[i] : "?",
				      1);
		takt_text_printf(&text, "\n\t%s\n", x86 ? "addq %rax, %rbx" : "add x0, x0, x1");
	}
	open_and_walk((const uint8_t *)takt_text_data(&text), takt_text_size_bytes(&text),
		      &options);
	takt_text_release(&text);
	return 0;
}
