/* SPDX-License-Identifier: MIT */
/* Makes an image of the bytes in a disassembly: sections, functions, and places of instructions. */
#include <string.h>

#include "input/listing.h"

/* An image being made of the bytes of a listing. */
struct building {
	struct takt_code *code;
	uint8_t *bytes;	  /* of all lines, one after the other */
	size_t used;	  /* bytes */
	uint64_t address; /* after the last one */
	uint32_t run;	  /* of the last line */
	struct takt_symbol *symbols;
	const char *section_name;
	size_t comment; /* index of the next comment to place */
};

static void open_section(struct building *b, const struct takt_listed *listed)
{
	struct takt_image *image = &b->code->image;
	struct takt_section *section = &image->sections[image->section_count++];

	if (listed->section || listed->run != b->run)
		b->section_name = listed->section ? listed->section : ".text";
	*section = (struct takt_section){
		.name = b->section_name,
		.bytes = b->bytes + b->used,
		.copy = b->bytes + b->used,
		.address = listed->address,
		.elf_index = image->section_count,
	};
}

static void add_symbol(struct building *b, const char *name)
{
	struct takt_image *image = &b->code->image;
	const struct takt_section *section = &image->sections[image->section_count - 1];

	b->symbols[image->symbol_count++] = (struct takt_symbol){
		.name = name,
		.address = section->address + section->size_bytes,
		.section = image->section_count - 1,
		.is_function = true,
		.is_global = true,
	};
}

/* Place the comments before a line that begin regions, or those that end them, at the end so far.
 */
static void add_labels(struct building *b, uint32_t line, bool begins)
{
	const struct takt_source *source = &b->code->source;
	const struct takt_image *image = &b->code->image;
	const struct takt_section *section;

	if (!image->section_count)
		return;
	section = &image->sections[image->section_count - 1];
	for (size_t i = b->comment; i < source->comment_count; i++) {
		struct takt_shim_result *assembled = &b->code->assembled;

		if (source->comments[i].line > line)
			break;
		if (source->comments[i].begins == begins)
			assembled->labels[assembled->label_count++] = (struct takt_assembled_insn){
				section->elf_index, (uint32_t)section->size_bytes,
				source->comments[i].line};
		b->comment = begins ? i + 1 : b->comment;
	}
}

static void add_bytes(struct building *b, const struct takt_listed *listed)
{
	struct takt_image *image = &b->code->image;
	struct takt_shim_result *assembled = &b->code->assembled;
	struct takt_section *section;

	add_labels(b, listed->line, false);
	if (!image->section_count || listed->run != b->run || listed->address != b->address)
		open_section(b, listed);
	add_labels(b, listed->line, true);
	section = &image->sections[image->section_count - 1];
	b->run = listed->run;
	b->address = listed->address + listed->size_bytes;
	if (listed->function)
		add_symbol(b, listed->function);
	if (listed->kind == TAKT_LISTED_INSN)
		assembled->insns[assembled->insn_count++] = (struct takt_assembled_insn){
			section->elf_index, (uint32_t)section->size_bytes, listed->line + 1};
	memcpy(b->bytes + b->used, listed->bytes, listed->size_bytes);
	b->used += listed->size_bytes;
	section->size_bytes += listed->size_bytes;
}

/* A function extends to the next one or to the end of its section. */
static void settle_sizes(struct takt_symbol *symbols, const struct takt_image *image)
{
	for (size_t i = 0; i < image->symbol_count; i++) {
		const struct takt_section *section = &image->sections[symbols[i].section];
		bool same =
			i + 1 < image->symbol_count && symbols[i + 1].section == symbols[i].section;

		symbols[i].size_bytes =
			(same ? symbols[i + 1].address : section->address + section->size_bytes) -
			symbols[i].address;
	}
}

void takt_listing_image(struct takt_code *code)
{
	const struct takt_source *source = &code->source;
	struct building b = {.code = code};
	size_t count = source->listed_count;

	code->image.sections = TAKT_NEW_ARRAY(&code->arena, count, struct takt_section);
	code->image.section_count = 0;
	code->image.symbol_count = 0;
	b.symbols = TAKT_NEW_ARRAY(&code->arena, count, struct takt_symbol);
	b.bytes = TAKT_NEW_ARRAY(&code->arena, count * INSN_BYTES_MAX, uint8_t);
	code->assembled.insns = takt_xcalloc(count, sizeof(*code->assembled.insns));
	code->assembled.labels =
		takt_xcalloc(2 * source->comment_count, sizeof(*code->assembled.labels));
	for (size_t i = 0; i < count; i++)
		add_bytes(&b, &source->listed[i]);
	add_labels(&b, UINT32_MAX, false);
	add_labels(&b, UINT32_MAX, true);
	settle_sizes(b.symbols, &code->image);
	code->image.symbols = b.symbols;
	code->image.relocatable = true;
	takt_listing_relocate(code);
}
