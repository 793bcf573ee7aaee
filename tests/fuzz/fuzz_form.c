/* SPDX-License-Identifier: MIT */
/* Any text as an instruction form: what parses must write back to an equal form. */
#include <stdlib.h>

#include "isa/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t error_index = 0;
	const char *error = NULL;
	struct takt_text text = {0};
	takt_form_key form =
		takt_form_parse(&takt_isa_x86, (const char *)data, size, &error_index, &error);

	if (!form) {
		if (!error || error_index > size)
			abort();
		return 0;
	}
	takt_form_write(&takt_isa_x86, form, &text);
	if (takt_form_parse(&takt_isa_x86, takt_text_data(&text), takt_text_size_bytes(&text),
			    &error_index, &error) != form)
		abort();
	takt_text_release(&text);
	return 0;
}
