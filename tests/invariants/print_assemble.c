/* SPDX-License-Identifier: MIT */
/*
 * decode → print → assemble → decode gives the same instruction: for one instruction
 * of every form in real binaries, and for AArch64 in a file of words (after --words), in all
 * syntaxes. Branches and what is relative to the program counter are left out, since their
 * text is an absolute address.
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
	const struct takt_isa *isa;
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

/* Assemblers look at what follows movprfx; "label" is an address. */
static bool is_part(const struct takt_insn *insn)
{
	struct takt_text text = {0};
	bool found;

	takt_form_write(insn->isa, insn->form, &text);
	found = strstr(takt_text_data(&text), "movprfx") || strstr(takt_text_data(&text), "label");
	takt_text_release(&text);
	return found;
}

/* True for instructions whose text says all there is to say. */
static bool is_printable(const struct takt_insn *insn)
{
	if (insn->flags & (TAKT_INSN_BRANCH | TAKT_INSN_LCP) ||
	    takt_form_unpack(insn->form).kinds[0] == TAKT_KIND_REL || is_part(insn))
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

		if (takt_decode(samples->isa, bytes + at, size_bytes - at, address + at, &insn) !=
		    TAKT_OK) {
			at += samples->isa->unit_bytes;
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

		if (takt_decode(samples->isa, region->bytes + at, region->size_bytes - at, at,
				&insn) != TAKT_OK)
			return samples->count;
		at += insn.length_bytes;
		if (insn.form == samples->insns[index].form)
			continue;
		if (++wrong > 10)
			continue;
		takt_text_clear(text);
		takt_insn_write(&samples->insns[index], TAKT_SYNTAX_INTEL, text);
		takt_text_add_string(text, "  was ");
		takt_form_write(samples->isa, samples->insns[index].form, text);
		takt_text_add_string(text, "  is ");
		takt_form_write(samples->isa, insn.form, text);
		printf("# %s\n", takt_text_data(text));
	}
	return wrong + (index != samples->count);
}

static void check(const struct samples *samples, enum takt_syntax syntax, const char *name)
{
	struct takt_code_options options = {.path = "printed.s",
					    .format = TAKT_INPUT_ASSEMBLY,
					    .syntax = syntax,
					    .whole = true,
					    .isa = samples->isa->name};
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
		tap_note("errors: %s", takt_diag_text(diag));
	}
	takt_text_release(&text);
	takt_text_release(&scratch);
	takt_diag_free(diag);
}

static void collect_words(struct samples *samples, const char *path)
{
	struct takt_file file;

	if (!ok(takt_file_open(path, NULL, &file) == TAKT_OK, "%s is read", path))
		return;
	collect(samples, file.data, file.size_bytes, 0);
	takt_file_close(&file);
}

static bool can_decode_aarch64(void)
{
	static const uint8_t nop[] = {0x1f, 0x20, 0x03, 0xd5};
	struct takt_insn insn;

	return takt_decode(&takt_isa_aarch64, nop, sizeof(nop), 0, &insn) == TAKT_OK;
}

int main(int argc, char **argv)
{
	struct samples *x86 = takt_xcalloc(1, sizeof(*x86));
	struct samples *aarch64 = takt_xcalloc(1, sizeof(*aarch64));

	x86->isa = &takt_isa_x86;
	aarch64->isa = &takt_isa_aarch64;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--words") == 0 && i + 1 < argc)
			collect_words(aarch64, argv[++i]);
		else
			elf_text_visit(argv[i], collect,
				       elf_text_is_aarch64(argv[i]) ? aarch64 : x86);
	}
	ok(x86->count > 100, "%u forms of x86-64 found", x86->count);
	check(x86, TAKT_SYNTAX_INTEL, "Intel syntax");
	check(x86, TAKT_SYNTAX_ATT, "AT&T syntax");
	if (can_decode_aarch64()) {
		ok(aarch64->count > 1000, "%u forms of AArch64 found", aarch64->count);
		check(aarch64, TAKT_SYNTAX_AUTO, "AArch64");
	} else {
		tap_skip("AArch64", "takt-llvm-aarch64.so is not there");
	}
	free(x86);
	free(aarch64);
	return tap_done();
}
