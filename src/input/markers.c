/* SPDX-License-Identifier: MIT */
/*
 * Finds IACA byte markers, as iacaMarks.h and the tools that adopted them emit them:
 *
 *   mov ebx, 111 (begin) or 222 (end); 64 67 90 (a nop with prefixes)
 *   mov byte gs:[111], 111 or gs:[222], 222, the form for MSVC, also with al as the source
 *
 * and those that OSACA has for AArch64:
 *
 *   mov x1, #111 or #222; the bytes 213 3 32 31, which are a nop in the wrong byte order
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/code.h"

#define BEGIN_NUMBER 111u
#define END_NUMBER 222u
#define ROW_BYTES 16u
#define DEPTH_MAX 16u

struct marker {
	struct takt_span span; /* the marker's own bytes */
	bool begins;
};

struct markers {
	struct marker *list;
	size_t count, capacity;
};

struct prefix {
	uint8_t bytes[4];
	uint8_t size_bytes, number_size_bytes;
};

/* Encodings of the move before the nop. */
static const struct prefix moves[] = {
	{{0x48, 0xc7, 0xc3}, 3, 4}, /* mov rbx, imm32 */
	{{0xc7, 0xc3}, 2, 4},	    /* mov ebx, imm32, long form */
	{{0x66, 0xbb}, 2, 2},	    /* mov bx, imm16 */
	{{0xbb}, 1, 4},		    /* mov ebx, imm32 */
};

static const uint8_t nop[] = {0x64, 0x67, 0x90};

static uint32_t read_number(const uint8_t *bytes, size_t size_bytes)
{
	uint32_t number = 0;

	memcpy(&number, bytes, size_bytes);
	return number;
}

static void add_marker(struct markers *markers, uint64_t begin, uint64_t end, uint32_t number)
{
	TAKT_GROW(markers->list, markers->count + 1, markers->capacity);
	markers->list[markers->count++] = (struct marker){{begin, end}, number == BEGIN_NUMBER};
}

/* Add a marker if a move that ends at `at` loads a marker's number. */
static void match_move(struct markers *markers, const uint8_t *bytes, size_t at)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(moves); i++) {
		const struct prefix *move = &moves[i];
		size_t size = (size_t)move->size_bytes + move->number_size_bytes;
		uint32_t number;

		if (at < size || memcmp(bytes + at - size, move->bytes, move->size_bytes) != 0)
			continue;
		number = read_number(bytes + at - move->number_size_bytes, move->number_size_bytes);
		if (number != BEGIN_NUMBER && number != END_NUMBER)
			continue;
		add_marker(markers, at - size, at + sizeof(nop), number);
		return;
	}
}

/* Add a marker if 65 (c6|88) 04 25 NUMBER [NUMBER] begins here; with 88, al was loaded before. */
static void match_gs_store(struct markers *markers, const uint8_t *bytes, size_t size_bytes,
			   size_t at)
{
	bool immediate = size_bytes - at >= 2 && bytes[at + 1] == 0xc6;
	size_t begin = at, end = at + (immediate ? 9 : 8);
	uint32_t number;

	if (end > size_bytes || (!immediate && bytes[at + 1] != 0x88))
		return;
	number = read_number(bytes + at + 4, 4);
	if ((number != BEGIN_NUMBER && number != END_NUMBER) ||
	    (immediate && bytes[at + 8] != number))
		return;
	if (!immediate && at >= 2 && bytes[at - 2] == 0xb0 && bytes[at - 1] == number)
		begin -= 2;
	add_marker(markers, begin, end, number);
}

TAKT_ORDER(compare_markers, struct marker, TAKT_UP(span.begin));

static void find_x86(struct markers *markers, const uint8_t *bytes, size_t size_bytes)
{
	static const uint8_t gs_address[] = {0x04, 0x25};
	const uint8_t *end = bytes + size_bytes, *hit = bytes;

	while ((hit = memmem(hit, (size_t)(end - hit), nop, sizeof(nop)))) {
		match_move(markers, bytes, (size_t)(hit - bytes));
		hit++;
	}
	hit = bytes;
	while ((hit = memmem(hit, (size_t)(end - hit), gs_address, sizeof(gs_address)))) {
		if (hit - bytes >= 2 && hit[-2] == 0x65)
			match_gs_store(markers, bytes, size_bytes, (size_t)(hit - bytes) - 2);
		hit++;
	}
}

static void find_aarch64(struct markers *markers, const uint8_t *bytes, size_t size_bytes)
{
	static const uint32_t numbers[] = {BEGIN_NUMBER, END_NUMBER};
	const uint32_t wide = 0xd2800001, narrow = 0x52800001; /* mov x1 and w1, #0 */

	for (size_t at = 0; at + 8 <= size_bytes; at += 4) {
		if (takt_word_at(bytes + at + 4) != 0x1f2003d5 &&
		    takt_word_at(bytes + at + 4) != 0xd503201f)
			continue;
		for (size_t i = 0; i < TAKT_COUNT_OF(numbers); i++)
			if (takt_word_at(bytes + at) == (wide | numbers[i] << 5) ||
			    takt_word_at(bytes + at) == (narrow | numbers[i] << 5))
				add_marker(markers, at, at + 8, numbers[i]);
	}
}

/* Find all markers in `bytes`, in order, as offsets. */
static void find_markers(const struct takt_isa *isa, struct markers *markers, const uint8_t *bytes,
			 size_t size_bytes)
{
	if (isa == &takt_isa_x86)
		find_x86(markers, bytes, size_bytes);
	else if (isa == &takt_isa_aarch64)
		find_aarch64(markers, bytes, size_bytes);
	if (markers->count)
		qsort(markers->list, markers->count, sizeof(*markers->list), compare_markers);
}

static const char *marker_text(const struct takt_isa *isa, unsigned number, char *text,
			       size_t size_bytes)
{
	if (isa == &takt_isa_x86)
		snprintf(text, size_bytes, "mov ebx, %u; bytes 0x64 0x67 0x90", number);
	else
		snprintf(text, size_bytes, "mov x1, #%u; bytes 213 3 32 31", number);
	return text;
}

static enum takt_status report_lonely(const struct takt_code *code, const struct takt_part *part,
				      const struct marker *marker, struct takt_diag *diag)
{
	const struct takt_section *section = &code->image.sections[part->section];
	size_t offset = marker->span.begin - section->address;
	size_t left = section->size_bytes - offset;
	struct takt_bytes_place place = {
		.file = code->image.file,
		.section = section->name,
		.offset = offset,
		.row = section->bytes + offset,
		.row_size_bytes = left < ROW_BYTES ? left : ROW_BYTES,
	};
	const struct takt_isa *isa = takt_encoding_of(code->image.isa);
	char text[64];

	if (marker->begins) {
		takt_error_in_bytes(diag, &place, "begin marker without an end marker after it");
		takt_note(diag, "put the end marker (%s) after the code to analyze",
			  marker_text(isa, END_NUMBER, text, sizeof(text)));
	} else {
		takt_error_in_bytes(diag, &place, "end marker without a begin marker before it");
		takt_note(diag, "put the begin marker (%s) before the code to analyze",
			  marker_text(isa, BEGIN_NUMBER, text, sizeof(text)));
	}
	return TAKT_BAD_INPUT;
}

/* Add the region between list[first] and list[last], without the markers between them. */
static enum takt_status add_region(struct takt_code *code, const struct takt_part *part,
				   const struct markers *markers, size_t first, size_t last,
				   struct takt_diag *diag)
{
	enum takt_status status = TAKT_OK;
	struct takt_span *spans = takt_xcalloc(last - first, sizeof(*spans));
	struct takt_region_request request = {
		.name = takt_arena_printf(&code->arena, "marker %zu", code->entry_count + 1),
		.origin = TAKT_REGION_MARKER,
		.section = part->section,
		.spans = spans,
		.skips_markers = true,
		.head = markers->list[first].span.begin,
	};

	for (size_t i = first; i < last; i++) {
		struct takt_span span = {markers->list[i].span.end,
					 markers->list[i + 1].span.begin};

		if (span.begin < span.end)
			spans[request.span_count++] = span;
	}
	if (request.span_count)
		status = takt_region_add(code, &request, diag);
	free(spans);
	return status;
}

/* Pair markers like brackets; partner[i] is the end of the begin marker i. */
static enum takt_status pair_markers(const struct takt_code *code, const struct takt_part *part,
				     const struct markers *markers, size_t *partner,
				     struct takt_diag *diag)
{
	enum takt_status status = TAKT_OK;
	size_t open[DEPTH_MAX], depth = 0;

	for (size_t i = 0; i < markers->count && !status; i++) {
		bool begins = markers->list[i].begins;

		if (depth == (begins ? DEPTH_MAX : 0))
			status = report_lonely(code, part, &markers->list[i], diag);
		else if (begins)
			open[depth++] = i;
		else
			partner[open[--depth]] = i;
	}
	if (!status && depth)
		status = report_lonely(code, part, &markers->list[open[depth - 1]], diag);
	return status;
}

enum takt_status takt_markers_add(struct takt_code *code, const struct takt_part *part,
				  struct takt_diag *diag)
{
	const struct takt_section *section = &code->image.sections[part->section];
	struct markers markers = {0};
	enum takt_status status = TAKT_OK;
	size_t *partner;

	find_markers(takt_encoding_of(code->image.isa), &markers,
		     section->bytes + (part->span.begin - section->address),
		     part->span.end - part->span.begin);
	if (!markers.count)
		return TAKT_OK;
	for (size_t i = 0; i < markers.count; i++) {
		markers.list[i].span.begin += part->span.begin;
		markers.list[i].span.end += part->span.begin;
	}
	partner = takt_xcalloc(markers.count, sizeof(*partner));
	status = pair_markers(code, part, &markers, partner, diag);
	for (size_t i = 0; i < markers.count && !status; i++)
		if (markers.list[i].begins)
			status = add_region(code, part, &markers, i, partner[i], diag);
	free(partner);
	free(markers.list);
	return status;
}
