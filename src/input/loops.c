/* SPDX-License-Identifier: MIT */
/*
 * Innermost loops of machine code. A branch to an address at or before itself
 * closes a loop if control can come from that address to the branch by forward
 * steps alone; a jump back from a function's cold end into the middle of a loop
 * does not. A loop is innermost if no other lies within it. Its body is what the
 * head reaches and what reaches the closing branch, so an exit block or padding
 * that the compiler put in between is left out.
 */
#include <stdlib.h>
#include <string.h>

#include "input/code.h"

#define NOWHERE UINT32_MAX

/* An instruction after which control may go elsewhere. Offsets count from the unit. */
struct point {
	uint32_t begin, end;
	uint32_t target;       /* offset, or NOWHERE if outside of the unit or none */
	uint32_t target_point; /* first point at or after the target */
	uint8_t flow;	       /* enum takt_flow */
	bool bad;	       /* no instruction but undecodable bytes */
	bool closes;	       /* the target comes before, and leads here */
};

/* A closing branch. */
struct edge {
	uint32_t head;
	uint32_t point;
};

struct finder {
	struct takt_code *code;
	const struct takt_section *section;
	uint32_t section_index;
	uint64_t unit_address;
	struct point *points;
	uint32_t *entered; /* for each point: where control enters the code before it */
	bool *closes;	   /* for each point: control comes from it to the closing branch */
	size_t point_count, point_capacity, entered_capacity;
	struct edge *edges;
	size_t edge_count, edge_capacity;
	struct takt_span *spans;
	size_t span_capacity;
};

/* Overlapping loops cost their product; code made for that gets no more than this. */
static bool spend_steps(struct finder *f, uint64_t steps)
{
	if (steps > f->code->steps_left)
		steps = f->code->steps_left;
	f->code->steps_left -= steps;
	return f->code->steps_left > 0;
}

static void add_point(struct finder *f, struct point point)
{
	if (f->point_count == f->point_capacity) {
		f->point_capacity = f->point_capacity ? 2 * f->point_capacity : 256;
		f->points = takt_xrealloc(f->points, f->point_capacity, sizeof(*f->points));
	}
	f->points[f->point_count++] = point;
}

static void add_edge(struct finder *f, struct edge edge)
{
	if (f->edge_count == f->edge_capacity) {
		f->edge_capacity = f->edge_capacity ? 2 * f->edge_capacity : 64;
		f->edges = takt_xrealloc(f->edges, f->edge_capacity, sizeof(*f->edges));
	}
	f->edges[f->edge_count++] = edge;
}

/* Collects the points of a unit and the edges that might close loops. */
static void read_points(struct finder *f, const uint8_t *bytes, uint32_t size)
{
	const struct takt_isa *isa = takt_encoding_of(f->code->image.isa);
	struct takt_step step;

	f->point_count = f->edge_count = 0;
	for (uint32_t at = 0; at < size; at += step.length_bytes) {
		struct point point = {.begin = at, .target = NOWHERE};
		int64_t target;

		if (!takt_step_decode(isa, bytes + at, size - at, &step)) {
			step = (struct takt_step){.length_bytes = isa->unit_bytes,
						  .flow = TAKT_FLOW_STOP};
			point.bad = true;
		}
		if (step.flow == TAKT_FLOW_NEXT || step.flow == TAKT_FLOW_CALL)
			continue;
		point.end = at + step.length_bytes;
		point.flow = step.flow;
		target = (int64_t)point.end + step.target;
		if (step.flow != TAKT_FLOW_STOP && target >= 0 && target < size)
			point.target = (uint32_t)target;
		if (point.target <= at)
			add_edge(f, (struct edge){point.target, (uint32_t)f->point_count});
		add_point(f, point);
	}
}

static uint32_t point_after(const struct finder *f, uint32_t offset)
{
	size_t low = 0, high = f->point_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->points[middle].begin < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

static void resolve_targets(struct finder *f)
{
	if (f->entered_capacity < f->point_count) {
		f->entered_capacity = f->point_capacity;
		f->entered = takt_xrealloc(f->entered, f->entered_capacity, sizeof(*f->entered));
		f->closes = takt_xrealloc(f->closes, f->entered_capacity, sizeof(*f->closes));
	}
	for (size_t i = 0; i < f->point_count; i++) {
		struct point *point = &f->points[i];

		point->target_point = NOWHERE;
		if (point->target != NOWHERE)
			point->target_point = point_after(f, point->target);
	}
}

static bool falls_through(const struct point *point)
{
	return point->flow == TAKT_FLOW_BRANCH;
}

/*
 * Follows control from `head` by forward steps as far as point `last`; fills
 * `entered`. True if it comes to `last`.
 */
static bool flow_forward(struct finder *f, uint32_t head, uint32_t last)
{
	uint32_t first = point_after(f, head);
	bool falls = true;

	for (uint32_t i = first; i <= last; i++)
		f->entered[i] = NOWHERE;
	for (uint32_t i = first; i <= last; i++) {
		const struct point *point = &f->points[i];
		uint32_t to = point->target_point;

		if (falls)
			f->entered[i] = i == first ? head : f->points[i - 1].end;
		falls = false;
		if (f->entered[i] == NOWHERE)
			continue;
		falls = falls_through(point);
		if (to != NOWHERE && point->target > point->begin && to <= last &&
		    point->target < f->entered[to])
			f->entered[to] = point->target;
	}
	return f->entered[last] != NOWHERE;
}

/* Which points in the range lead to `last`, by forward steps. */
static void flow_backward(struct finder *f, uint32_t head, uint32_t last)
{
	uint32_t first = point_after(f, head);

	f->closes[last] = true;
	for (uint32_t i = last; i-- > first;) {
		const struct point *point = &f->points[i];
		uint32_t to = point->target_point;

		f->closes[i] = (falls_through(point) && f->closes[i + 1]) ||
			       (to != NOWHERE && to <= last && point->target > point->begin &&
				f->closes[to]) ||
			       point->target == head;
	}
}

static int compare_by_length(const void *left, const void *right, void *context)
{
	const struct finder *f = context;
	const struct edge *a = left, *b = right;
	uint32_t a_length = f->points[a->point].begin - a->head;
	uint32_t b_length = f->points[b->point].begin - b->head;

	if (a_length != b_length)
		return a_length < b_length ? -1 : 1;
	return a->head < b->head ? -1 : a->head > b->head;
}

static int compare_by_head(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->head != b->head)
		return a->head < b->head ? -1 : 1;
	return a->point < b->point ? -1 : a->point > b->point;
}

/* Keeps the edges that close loops, by head. Short ones first: they matter most. */
static void verify_edges(struct finder *f)
{
	size_t kept = 0;

	qsort_r(f->edges, f->edge_count, sizeof(*f->edges), compare_by_length, f);
	for (size_t i = 0; i < f->edge_count; i++) {
		struct edge edge = f->edges[i];

		if (!spend_steps(f, edge.point - point_after(f, edge.head) + 1))
			break;
		if (!flow_forward(f, edge.head, edge.point))
			continue;
		f->points[edge.point].closes = true;
		f->edges[kept++] = edge;
	}
	f->edge_count = kept;
	qsort(f->edges, kept, sizeof(*f->edges), compare_by_head);
}

/*
 * A loop with `continue` has several closing branches. The next one belongs to the
 * same body if control runs from one to the other without leaving the loop.
 */
static bool extends(const struct finder *f, const struct edge *from, const struct edge *to)
{
	uint32_t limit = f->points[to->point].begin;

	if (from->head != to->head || f->points[from->point].flow != TAKT_FLOW_BRANCH)
		return false;
	for (uint32_t i = from->point + 1; i < to->point; i++) {
		const struct point *point = &f->points[i];

		if (point->flow == TAKT_FLOW_STOP || point->closes ||
		    (point->flow == TAKT_FLOW_JUMP &&
		     (point->target <= point->begin || point->target > limit)))
			return false;
	}
	return true;
}

/* True if another loop lies within edges[first … last], which share their head. */
static bool contains_loop(struct finder *f, size_t first, size_t last)
{
	uint32_t head = f->edges[first].head, point = f->edges[last].point;
	uint32_t end = f->points[point].begin;

	for (size_t i = last + 1; i < f->edge_count && f->edges[i].head <= end; i++) {
		if (f->edges[i].head > head && f->edges[i].point <= point)
			return true;
		if (!spend_steps(f, 1))
			return true;
	}
	return false;
}

static void add_span(struct finder *f, size_t *count, uint32_t begin, uint32_t end)
{
	if (*count && f->spans[*count - 1].end == f->unit_address + begin) {
		f->spans[*count - 1].end = f->unit_address + end;
		return;
	}
	if (*count == f->span_capacity) {
		f->span_capacity = f->span_capacity ? 2 * f->span_capacity : 16;
		f->spans = takt_xrealloc(f->spans, f->span_capacity, sizeof(*f->spans));
	}
	f->spans[(*count)++] = (struct takt_span){f->unit_address + begin, f->unit_address + end};
}

/* Makes a region of the loop's body, unless it has undecodable bytes. */
static void emit_loop(struct finder *f, uint32_t head, uint32_t last)
{
	struct takt_region_request request = {
		.origin = TAKT_REGION_LOOP,
		.section = f->section_index,
	};

	if (!spend_steps(f, f->points[last].end - head) || !flow_forward(f, head, last))
		return;
	flow_backward(f, head, last);
	for (uint32_t i = point_after(f, head); i <= last; i++) {
		if (f->entered[i] == NOWHERE || !f->closes[i])
			continue;
		if (f->points[i].bad)
			return;
		add_span(f, &request.span_count, f->entered[i], f->points[i].end);
	}
	request.spans = f->spans;
	/* It does not fail: loops are shorter than what a region may be, or left out. */
	(void)takt_region_add(f->code, &request, NULL);
}

static void find_in_unit(struct finder *f, uint64_t begin, uint64_t end)
{
	f->unit_address = begin;
	read_points(f, f->section->bytes + (begin - f->section->address), (uint32_t)(end - begin));
	if (!f->edge_count)
		return;
	resolve_targets(f);
	verify_edges(f);
	for (size_t i = 0, last; i < f->edge_count; i = last + 1) {
		size_t next;

		last = i;
		while (last + 1 < f->edge_count && extends(f, &f->edges[last], &f->edges[last + 1]))
			last++;
		if (!contains_loop(f, i, last))
			emit_loop(f, f->edges[i].head, f->edges[last].point);
		/* What jumps back to the same head from farther away adds nothing. */
		for (next = last;
		     next + 1 < f->edge_count && f->edges[next + 1].head == f->edges[i].head;
		     next++)
			;
		last = next;
	}
}

/* A walk over the places where functions begin. */
struct walk {
	const struct takt_part *part;
	size_t symbol, start;  /* next ones to look at */
	uint64_t function_end; /* of the function symbols so far */
};

/*
 * Functions divide a section into units that loops do not cross. Symbols inside
 * of another function are further entries of it, not functions of their own.
 */
static uint64_t next_start(const struct takt_image *image, struct walk *walk, uint64_t after)
{
	uint64_t next = walk->part->span.end;

	for (; walk->symbol < image->symbol_count; walk->symbol++) {
		const struct takt_symbol *symbol = &image->symbols[walk->symbol];

		if (symbol->section != walk->part->section || symbol->address >= next)
			break;
		if (!symbol->is_function)
			continue;
		if (symbol->address > after && symbol->address >= walk->function_end) {
			next = symbol->address;
			break;
		}
		if (symbol->address + symbol->size_bytes > walk->function_end)
			walk->function_end = symbol->address + symbol->size_bytes;
	}
	while (walk->start < image->start_count && image->starts[walk->start] <= after)
		walk->start++;
	if (walk->start < image->start_count && image->starts[walk->start] < next)
		next = image->starts[walk->start];
	return next;
}

static size_t start_after(const struct takt_image *image, uint64_t address)
{
	size_t low = 0, high = image->start_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (image->starts[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void find_in_section(struct finder *f, const struct takt_part *part)
{
	const struct takt_image *image = &f->code->image;
	uint64_t begin = part->span.begin;
	struct walk walk = {
		.part = part,
		.symbol = takt_symbol_after(image, part->section, begin),
		.start = start_after(image, begin),
	};

	while (begin < part->span.end) {
		uint64_t end = next_start(image, &walk, begin);

		find_in_unit(f, begin, end);
		begin = end;
	}
}

void takt_loops_add(struct takt_code *code, const struct takt_part *part)
{
	struct finder f = {
		.code = code,
		.section = &code->image.sections[part->section],
		.section_index = part->section,
	};

	if (part->symbol)
		find_in_unit(&f, part->span.begin, part->span.end);
	else
		find_in_section(&f, part);
	free(f.points);
	free(f.entered);
	free(f.closes);
	free(f.edges);
	free(f.spans);
}
