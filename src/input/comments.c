/* SPDX-License-Identifier: MIT */
/*
 * Finds regions between comments: OSACA-BEGIN … OSACA-END, which do not overlap, and
 * LLVM-MCA-BEGIN [name] … LLVM-MCA-END [name], which may overlap if they have names.
 */
#include <stdlib.h>
#include <string.h>

#include "input/code.h"

struct takt_place takt_comment_place(const struct takt_code *code,
				     const struct takt_comment *comment)
{
	return (struct takt_place){
		.file = code->image.file,
		.line = comment->line,
		.column = comment->column,
		.width = (uint32_t)strlen(comment->keyword),
		.excerpt = code->source.lines[comment->line - 1],
	};
}

static const char *counterpart(const struct takt_comment *comment)
{
	if (comment->mca)
		return comment->begins ? "LLVM-MCA-END" : "LLVM-MCA-BEGIN";
	return comment->begins ? "OSACA-END" : "OSACA-BEGIN";
}

static enum takt_status report_lonely(const struct takt_code *code,
				      const struct takt_comment *comment, struct takt_diag *diag)
{
	struct takt_place place = takt_comment_place(code, comment);
	const char *space = comment->mca && *comment->name ? " " : "";
	const char *name = comment->mca ? comment->name : "";

	takt_error_at(diag, &place, "%s%s%s without %s%s%s %s it", comment->keyword, space, name,
		      counterpart(comment), space, name, comment->begins ? "after" : "before");
	takt_note(diag, "put the comment '# %s%s%s' %s the code to analyze", counterpart(comment),
		  space, name, comment->begins ? "after" : "before");
	return TAKT_BAD_INPUT;
}

/* Most regions that may overlap. Each contains the code of those within, so the work multiplies. */
#define OPEN_MAX 64u

/* Indices of comments that are not closed yet. */
struct open_list {
	size_t *indices;
	size_t count;
};

static enum takt_status report_too_many(const struct takt_code *code,
					const struct takt_comment *comment, struct takt_diag *diag)
{
	struct takt_place place = takt_comment_place(code, comment);

	takt_error_at(diag, &place, "more than %u regions are open here", OPEN_MAX);
	takt_note(diag, "end some of them with '# %s' before", counterpart(comment));
	return TAKT_BAD_INPUT;
}

static bool same_region(const struct takt_comment *left, const struct takt_comment *right)
{
	return left->mca == right->mca && (!left->mca || strcmp(left->name, right->name) == 0);
}

/* Find the position in the list of the begin that `end` closes; the list's count if none. */
static size_t find_begin(const struct open_list *open, const struct takt_comment *comments,
			 const struct takt_comment *end)
{
	size_t only = open->count, found = 0;

	for (size_t i = 0; i < open->count; i++) {
		const struct takt_comment *begin = &comments[open->indices[i]];

		if (same_region(begin, end))
			return i;
		if (begin->mca == end->mca) {
			only = i;
			found++;
		}
	}
	/* An end without a name closes the only open region, as in llvm-mca. */
	return found == 1 && !*end->name ? only : open->count;
}

TAKT_ORDER(compare_lines, struct takt_assembled_insn, TAKT_UP(line));

void takt_labels_sort(struct takt_code *code)
{
	if (code->assembled.label_count)
		qsort(code->assembled.labels, code->assembled.label_count,
		      sizeof(*code->assembled.labels), compare_lines);
}

const struct takt_assembled_insn *takt_label_at(const struct takt_code *code, uint32_t line)
{
	struct takt_assembled_insn key = {.line = line};

	if (!code->assembled.label_count)
		return NULL;
	return bsearch(&key, code->assembled.labels, code->assembled.label_count, sizeof(key),
		       compare_lines);
}

/* Find the index of the first instruction at or after a place. */
static size_t insn_after(const struct takt_code *code, const struct takt_assembled_insn *place)
{
	const struct takt_assembled_insn *insns = code->assembled.insns;
	size_t at;

	TAKT_BISECT(at, code->assembled.insn_count,
		    insns[at].section < place->section || (insns[at].section == place->section &&
							   insns[at].offset < place->offset));
	return at;
}

/*
 * Find the span from the first instruction after `begin` to the last before `end`; alignment
 * between a comment and the loop is not part of it.
 */
static bool find_span(const struct takt_code *code, uint32_t section,
		      const struct takt_assembled_insn *begin,
		      const struct takt_assembled_insn *end, struct takt_span *ret_span)
{
	const struct takt_section *home = &code->image.sections[section];
	size_t first = insn_after(code, begin), behind = insn_after(code, end);
	struct takt_insn_flow step;
	uint32_t last;

	if (first >= behind)
		return false;
	last = code->assembled.insns[behind - 1].offset;
	if (last >= home->size_bytes || !takt_insn_flow_decode(code->image.isa, home->bytes + last,
							       home->size_bytes - last, &step))
		return false;
	*ret_span = (struct takt_span){home->address + code->assembled.insns[first].offset,
				       home->address + last + step.length_bytes};
	return true;
}

static bool is_selected(const struct takt_part *parts, size_t part_count, uint32_t section,
			const struct takt_span *span)
{
	for (size_t i = takt_parts_find(parts, part_count, section);
	     i < part_count && parts[i].section == section; i++)
		if (span->begin >= parts[i].span.begin && span->begin < parts[i].span.end)
			return true;
	return false;
}

static enum takt_status add_region(struct takt_code *code, const struct takt_comment *from,
				   const struct takt_comment *to, const struct takt_part *parts,
				   size_t part_count, struct takt_diag *diag)
{
	const struct takt_assembled_insn *begin = takt_label_at(code, from->line);
	const struct takt_assembled_insn *end = takt_label_at(code, to->line);
	struct takt_place place = takt_comment_place(code, from);
	struct takt_region_request request = {.origin = TAKT_REGION_MARKER, .span_count = 1};
	struct takt_span span;

	if (begin && end && begin->section != end->section) {
		takt_error_at(diag, &place, "the region continues in another section at line %u",
			      to->line);
		takt_note(diag, "put both comments into one section");
		return TAKT_BAD_INPUT;
	}
	request.section = begin ? takt_section_find(&code->image, begin->section) : 0;
	if (!begin || !end || request.section == code->image.section_count ||
	    !find_span(code, request.section, begin, end, &span)) {
		takt_error_at(diag, &place, "no instruction between this and line %u", to->line);
		return TAKT_BAD_INPUT;
	}
	if (!is_selected(parts, part_count, request.section, &span))
		return TAKT_OK;
	request.name =
		*from->name ? from->name
			    : takt_arena_printf(&code->arena, "marker %zu", code->entry_count + 1);
	request.spans = &span;
	return takt_region_add(code, &request, diag);
}

/* Pair each begin with its end; partner[i] is the index of the other comment. */
static enum takt_status pair_comments(const struct takt_code *code, struct open_list *open,
				      size_t *partner, struct takt_diag *diag)
{
	const struct takt_comment *comments = code->source.comments;

	for (size_t i = 0; i < code->source.comment_count; i++) {
		size_t at = find_begin(open, comments, &comments[i]);

		if (comments[i].begins) {
			/* OSACA regions, and those of one name, do not overlap. */
			if (at < open->count &&
			    same_region(&comments[open->indices[at]], &comments[i]))
				return report_lonely(code, &comments[open->indices[at]], diag);
			if (open->count == OPEN_MAX)
				return report_too_many(code, &comments[i], diag);
			open->indices[open->count++] = i;
			continue;
		}
		if (at == open->count)
			return report_lonely(code, &comments[i], diag);
		partner[open->indices[at]] = i;
		open->indices[at] = open->indices[--open->count];
	}
	if (open->count)
		return report_lonely(code, &comments[open->indices[0]], diag);
	return TAKT_OK;
}

enum takt_status takt_comments_add(struct takt_code *code, const struct takt_part *parts,
				   size_t part_count, struct takt_diag *diag)
{
	const struct takt_comment *comments = code->source.comments;
	size_t count = code->source.comment_count;
	size_t *partner = takt_xcalloc(count, sizeof(*partner));
	struct open_list open = {.indices = takt_xcalloc(count, sizeof(size_t))};
	enum takt_status status = pair_comments(code, &open, partner, diag);

	for (size_t i = 0; i < count && !status; i++)
		if (comments[i].begins)
			status = add_region(code, &comments[i], &comments[partner[i]], parts,
					    part_count, diag);
	free(open.indices);
	free(partner);
	return status;
}
