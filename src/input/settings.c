/* SPDX-License-Identifier: MIT */
/*
 * Settings of the vector unit at the beginning of a region: from comments such as
 * LLVM-MCA-RISCV-LMUL M2, which hold for the code after them, and from the code before the region,
 * which may set the unit itself.
 */
#include <string.h>

#include "input/code.h"

#define LEAD_SIZE_MAX_BYTES 16384u

static enum takt_status report_unknown(const struct takt_code *code,
				       const struct takt_comment *comment, struct takt_diag *diag)
{
	struct takt_place place = takt_comment_place(code, comment);

	takt_error_at(diag, &place, "LLVM knows no setting '%s%s%s' of %s", comment->keyword,
		      *comment->name ? " " : "", comment->name, code->image.isa->title);
	takt_note(diag, "there are LLVM-MCA-RISCV-LMUL with M1, M2, M4, M8, MF2, MF4 or MF8, and "
			"LLVM-MCA-RISCV-SEW with E8, E16, E32 or E64");
	return TAKT_BAD_INPUT;
}

enum takt_status takt_settings_find(struct takt_code *code, struct takt_diag *diag)
{
	struct takt_source *source = &code->source;

	code->settings = TAKT_NEW_ARRAY(&code->arena, source->setting_count, struct takt_set_at);
	for (size_t i = 0; i < source->setting_count; i++) {
		const struct takt_comment *comment = &source->settings[i];
		const struct takt_assembled_insn *place = takt_label_at(code, comment->line);
		struct takt_set_at *set = &code->settings[code->setting_count];

		set->setting.kind = comment->keyword + strlen(TAKT_SETTING_KEYWORD);
		set->setting.data = comment->name;
		if (!takt_vector_setting_is_known(code->image.isa, &set->setting))
			return report_unknown(code, comment, diag);
		if (!place)
			continue;
		set->section = takt_section_find(&code->image, place->section);
		if (set->section == code->image.section_count)
			continue;
		set->setting.address = code->image.sections[set->section].address + place->offset;
		code->setting_count++;
	}
	return TAKT_OK;
}

/* Map an address of the section to the region's own addresses. */
static uint64_t region_address(const struct takt_region_entry *entry, uint64_t address)
{
	const struct takt_piece *piece = NULL;

	for (uint32_t i = 0; i < entry->piece_count && entry->pieces[i].address <= address; i++)
		piece = &entry->pieces[i];
	if (!piece)
		return address;
	return entry->region.address + piece->offset + (address - piece->address);
}

struct takt_lead takt_region_lead(const struct takt_code *code, size_t region_index,
				  struct takt_arena *arena)
{
	const struct takt_region_entry *entry = &code->entries[region_index];
	const struct takt_section *section = &code->image.sections[entry->section];
	uint64_t before = entry->region.address - section->address;
	struct takt_vector_setting *settings =
		TAKT_NEW_ARRAY(arena, code->setting_count, struct takt_vector_setting);
	struct takt_lead lead = {.settings = settings};

	if (before > section->size_bytes)
		before = 0;
	lead.size_bytes = before < LEAD_SIZE_MAX_BYTES ? before : LEAD_SIZE_MAX_BYTES;
	lead.bytes = section->bytes + (before - lead.size_bytes);
	for (size_t i = 0; i < code->setting_count; i++) {
		if (code->settings[i].section != entry->section)
			continue;
		settings[lead.setting_count] = code->settings[i].setting;
		settings[lead.setting_count++].address =
			region_address(entry, code->settings[i].setting.address);
	}
	return lead;
}
