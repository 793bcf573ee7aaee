/* SPDX-License-Identifier: MIT */
/*
 * decode → print → assemble → decode gives the same instruction: for one instruction
 * of every form in a real binary, in both syntaxes. Branches and rip-relative operands
 * are left out, since their text is an absolute address.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/tap.h"
#include "input/input.h"
#include "support/elf_text.h"

#define FORMS_MAX (1u << 15)
#define SAMPLES_MAX 6000u

struct samples {
	takt_form_key seen[FORMS_MAX];
	struct takt_insn insns[SAMPLES_MAX];
	uint8_t bytes[SAMPLES_MAX][16];
	uint32_t count;
};

static bool is_new(struct samples *samples, takt_form_key form)
{
	size_t at = takt_hash64(form) % FORMS_MAX;

	while (samples->seen[at] && samples->seen[at] != form)
		at = (at + 1) % FORMS_MAX;
	if (samples->seen[at])
		return false;
	samples->seen[at] = form;
	return true;
}

/* True for instructions whose text says all there is to say. */
static bool is_printable(const struct takt_insn *insn)
{
	if (insn->flags & (TAKT_INSN_BRANCH | TAKT_INSN_LCP) ||
	    takt_form_unpack(insn->form).kinds[0] == TAKT_KIND_REL)
		return false;
	for (unsigned i = 0; i < insn->memory_count; i++)
		if (insn->memories[i].rip_relative || insn->memories[i].segment)
			return false;
	return true;
}

static void collect(void *context, const uint8_t *bytes, size_t size_bytes, uint64_t address)
{
	struct samples *samples = context;

	for (size_t at = 0; at < size_bytes;) {
		struct takt_insn insn;

		if (takt_decode(&takt_isa_x86, bytes + at, size_bytes - at, address + at, &insn) != TAKT_OK) {
			at++;
			continue;
		}
		if (is_printable(&insn) && samples->count < SAMPLES_MAX &&
		    is_new(samples, insn.form)) {
			memcpy(samples->bytes[samples->count], insn.bytes, insn.length_bytes);
			insn.bytes = samples->bytes[samples->count];
			samples->insns[samples->count++] = insn;
		}
		at += insn.length_bytes;
	}
}

/* Assembles one text of `count` lines and compares form by form; returns how many differ. */
static uint32_t compare(const struct takt_region *region, const struct samples *samples,
			struct takt_text *text)
{
	uint32_t wrong = 0, index = 0;
	size_t at = 0;

	for (; at < region->size_bytes && index < samples->count; index++) {
		struct takt_insn insn;

		if (takt_decode(&takt_isa_x86, region->bytes + at, region->size_bytes - at, at, &insn) != TAKT_OK)
			return samples->count;
		at += insn.length_bytes;
		if (insn.form == samples->insns[index].form)
			continue;
		if (++wrong > 10)
			continue;
		takt_text_clear(text);
		takt_insn_write(&samples->insns[index], TAKT_SYNTAX_INTEL, text);
		takt_text_add_string(text, "  was ");
		takt_form_write(&takt_isa_x86, samples->insns[index].form, text);
		takt_text_add_string(text, "  is ");
		takt_form_write(&takt_isa_x86, insn.form, text);
		printf("# %s\n", takt_text_data(text));
	}
	return wrong + (index != samples->count);
}

static void check(const struct samples *samples, enum takt_syntax syntax, const char *name)
{
	struct takt_code_options options = {
		.path = "printed.s", .format = TAKT_INPUT_ASSEMBLY, .syntax = syntax, .whole = true};
	struct takt_diag *diag = takt_diag_new();
	struct takt_text text = {0}, scratch = {0};
	struct takt_code *code;
	uint32_t wrong;

	for (uint32_t i = 0; i < samples->count; i++) {
		takt_insn_write(&samples->insns[i], syntax, &text);
		takt_text_add_string(&text, "\n");
	}
	options.data = takt_text_data(&text);
	options.data_size_bytes = takt_text_size_bytes(&text);
	if (ok(takt_code_open(&options, diag, &code) == TAKT_OK, "%s: %u forms assemble", name,
	       samples->count)) {
		wrong = compare(takt_code_region(code, 0), samples, &scratch);
		/* A few encodings have shorter twins that assemblers prefer. */
		ok(wrong * 200 <= samples->count, "%s: %u of %u forms differ, at most 0.5 %%", name,
		   wrong, samples->count);
		takt_code_close(code);
	} else {
		tap_show("errors", takt_diag_text(diag));
	}
	takt_text_release(&text);
	takt_text_release(&scratch);
	takt_diag_free(diag);
}

int main(int argc, char **argv)
{
	struct samples *samples = takt_xcalloc(1, sizeof(*samples));

	for (int i = 1; i < argc; i++)
		elf_text_visit(argv[i], collect, samples);
	ok(samples->count > 100, "%u forms found", samples->count);
	check(samples, TAKT_SYNTAX_INTEL, "Intel syntax");
	check(samples, TAKT_SYNTAX_ATT, "AT&T syntax");
	free(samples);
	return tap_done();
}
