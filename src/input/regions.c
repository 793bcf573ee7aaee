/* SPDX-License-Identifier: MIT */
/*
 * Makes regions of spans of code. A region is consecutive bytes; if there are gaps between spans,
 * their bytes are copied together and relative references are adjusted, so that each still leads
 * to its target.
 */
#include <inttypes.h>
#include <string.h>

#include "input/code.h"

const char *takt_place_name(struct takt_code *code, uint32_t section, uint64_t address)
{
	const struct takt_section *home = &code->image.sections[section];
	const struct takt_symbol *symbol = takt_symbol_around(&code->image, section, address);
	const char *name = symbol ? symbol->name : home->name;
	uint64_t offset = address - (symbol ? symbol->address : home->address);

	if (symbol && !offset)
		return name;
	return takt_arena_printf(&code->arena, "%s+0x%" PRIx64, name, offset);
}

/* A copy of a request's bytes while it is made. */
struct copy {
	const struct takt_region_request *request;
	const struct takt_isa *isa;
	const struct takt_section *section;
	struct takt_piece *pieces; /* one for each span */
	uint8_t *bytes;
};

/* Map an address of the section to an offset in the region; false if it is not in the region. */
static bool find_offset(const struct copy *copy, uint64_t address, size_t *ret_offset)
{
	const struct takt_region_request *request = copy->request;
	size_t at;

	TAKT_BISECT(at, request->span_count, request->spans[at].end <= address);
	if (at == request->span_count)
		return false;
	if (address >= request->spans[at].begin)
		address -= request->spans[at].begin;
	else if (request->skips_markers && address >= request->head)
		address = 0;
	else
		return false;
	*ret_offset = copy->pieces[at].offset + address;
	return true;
}

/* Adjust the reference of the instruction copied from `address` to `offset`. */
static void mend_insn(const struct copy *copy, uint64_t address, size_t offset,
		      const struct takt_insn_flow *step)
{
	uint64_t base = copy->request->spans[0].begin;
	uint8_t *insn = copy->bytes + offset;
	struct takt_reference reference;
	size_t landing;

	if (!takt_reference_read(copy->isa, insn, address, step, &reference))
		return;
	if (reference.is_branch && find_offset(copy, reference.target, &landing))
		reference.target = base + landing;
	/* A target out of reach is not adjusted; it is outside the region in any case. */
	(void)takt_reference_write(copy->isa, insn, base + offset, step, reference.target);
}

static const uint8_t *bytes_at(const struct takt_section *section, uint64_t address)
{
	return section->bytes + (address - section->address);
}

static void copy_span(const struct copy *copy, size_t index)
{
	struct takt_span span = copy->request->spans[index];
	size_t offset = copy->pieces[index].offset;
	struct takt_insn_flow step;

	memcpy(copy->bytes + offset, bytes_at(copy->section, span.begin), span.end - span.begin);
	for (uint64_t at = span.begin; at < span.end; at += step.length_bytes) {
		if (!takt_insn_flow_decode(copy->isa, bytes_at(copy->section, at), span.end - at,
					   &step))
			return;
		mend_insn(copy, at, offset + (at - span.begin), &step);
	}
}

static void copy_spans(struct takt_code *code, const struct takt_region_request *request,
		       struct takt_region_entry *entry)
{
	struct copy copy = {.request = request,
			    .isa = takt_encoding_of(code->image.isa),
			    .section = &code->image.sections[request->section]};

	copy.pieces = TAKT_NEW_ARRAY(&code->arena, request->span_count, struct takt_piece);
	copy.bytes = TAKT_NEW_ARRAY(&code->arena, entry->region.size_bytes, uint8_t);
	for (size_t i = 0, offset = 0; i < request->span_count; i++) {
		copy.pieces[i] = (struct takt_piece){offset, request->spans[i].begin};
		offset += request->spans[i].end - request->spans[i].begin;
	}
	for (size_t i = 0; i < request->span_count; i++)
		copy_span(&copy, i);
	entry->region.bytes = copy.bytes;
	entry->pieces = copy.pieces;
	entry->piece_count = (uint32_t)request->span_count;
}

/* Result of one pass over the instructions of a request. */
struct survey {
	uint32_t insns, branches, calls;
	bool to_marker; /* a branch leads to a marker before the region */
	bool closed;	/* every byte decodes, and the last instruction is a direct branch */
};

static struct survey survey_spans(const struct takt_code *code,
				  const struct takt_region_request *request)
{
	const struct takt_section *section = &code->image.sections[request->section];
	const struct takt_isa *isa = takt_encoding_of(code->image.isa);
	struct survey survey = {0};
	struct takt_insn_flow step = {0};

	for (size_t i = 0; i < request->span_count; i++) {
		struct takt_span span = request->spans[i];

		for (uint64_t at = span.begin; at < span.end; at += step.length_bytes) {
			uint64_t target;

			if (!takt_insn_flow_decode(isa, bytes_at(section, at), span.end - at,
						   &step) ||
			    ++survey.insns > TAKT_REGION_INSNS_MAX)
				return survey;
			survey.branches += step.flow == TAKT_FLOW_BRANCH;
			survey.calls += step.flow == TAKT_FLOW_CALL;
			if (step.flow != TAKT_FLOW_BRANCH && step.flow != TAKT_FLOW_JUMP)
				continue;
			target = at + step.length_bytes + (uint64_t)(int64_t)step.target;
			if (request->skips_markers && target >= request->head &&
			    target < request->spans[0].begin)
				survey.to_marker = true;
		}
	}
	/* The branch that ends the block is not counted, because it closes the loop. */
	survey.branches -= step.flow == TAKT_FLOW_BRANCH;
	survey.closed = step.flow == TAKT_FLOW_BRANCH || step.flow == TAKT_FLOW_JUMP;
	return survey;
}

size_t takt_entry_span_count(const struct takt_region_entry *entry)
{
	return entry->piece_count ? entry->piece_count : 1;
}

struct takt_span takt_entry_span(const struct takt_region_entry *entry, size_t index)
{
	size_t end = entry->region.size_bytes;
	const struct takt_piece *piece;

	if (!entry->piece_count)
		return (struct takt_span){entry->region.address, entry->region.address + end};
	piece = &entry->pieces[index];
	if (index + 1 < entry->piece_count)
		end = piece[1].offset;
	return (struct takt_span){piece->address, piece->address + (end - piece->offset)};
}

static struct takt_region_entry *new_entry(struct takt_code *code)
{
	TAKT_GROW(code->entries, code->entry_count + 1, code->entry_capacity);
	return &code->entries[code->entry_count++];
}

enum takt_status takt_region_add(struct takt_code *code, const struct takt_region_request *request,
				 struct takt_diag *diag)
{
	uint64_t begin = request->spans[0].begin;
	const struct takt_symbol *symbol =
		takt_symbol_around(&code->image, request->section, begin);
	struct survey survey = survey_spans(code, request);
	struct takt_region_entry *entry;
	size_t size = 0;

	if ((request->origin == TAKT_REGION_LOOP || request->origin == TAKT_REGION_NEST) &&
	    !survey.closed)
		return TAKT_OK;
	if (survey.insns > TAKT_REGION_INSNS_MAX) {
		takt_error(diag, "more than %u instructions in one block of '%s'",
			   TAKT_REGION_INSNS_MAX, code->image.file);
		takt_note(diag, "choose less with --function, --range or --lines");
		return TAKT_BAD_INPUT;
	}
	for (size_t i = 0; i < request->span_count; i++)
		size += request->spans[i].end - request->spans[i].begin;
	entry = new_entry(code);
	*entry = (struct takt_region_entry){.section = request->section, .outer = TAKT_NO_REGION};
	entry->region = (struct takt_region){
		.name = request->name ? request->name
				      : takt_place_name(code, request->section, begin),
		.function = symbol ? symbol->name : "",
		.isa = code->image.isa->name,
		.origin = request->origin,
		.bytes = bytes_at(&code->image.sections[request->section], begin),
		.size_bytes = size,
		.address = begin,
		.internal_branches = survey.branches,
		.calls = survey.calls,
		.insns = survey.insns,
	};
	if (request->span_count > 1 || survey.to_marker)
		copy_spans(code, request, entry);
	return TAKT_OK;
}
