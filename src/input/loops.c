/* SPDX-License-Identifier: MIT */
/*
 * Finds innermost loops of machine code. A branch to an address at or before itself closes a loop
 * (is a back edge) if control can come from that address to the branch by forward steps alone; a
 * jump back from a function's cold end into the middle of a loop does not. A loop is innermost if
 * no other lies within it. Its body is the code that the head reaches and that reaches the closing
 * branch, so an exit block or padding that the compiler put in between is left out.
 *
 * natural_loops.c finds the loops of a graph whose blocks and executions are known. Here the code
 * may be anything and of any size, so the work is limited, and there are no blocks before a loop
 * is.
 */
#include <stdlib.h>
#include <string.h>

#include "input/code.h"

#define NOWHERE UINT32_MAX

/*
 * Limits of the work on a function, per byte of it. Real code needs at most 11 steps and 2 copied
 * bytes; thousands of overlapping jumps back would cost their number times their length.
 */
#define STEPS_PER_BYTE 256u
#define STEPS_LEAST 65536u
#define BODY_BYTES_PER_BYTE 16u
#define BODY_BYTES_LEAST 65536u
/* Larger functions are searched piece by piece, because offsets have 32 bits. */
#define UNIT_MAX_BYTES ((uint64_t)1 << 30)

/* Answers to the question if a jump back closes a loop. */
enum closing {
	CLOSES_NOT, /* no jump back, or control cannot come from its target to it */
	CLOSES,
	CLOSES_PERHAPS, /* not found out yet, because there is a loop within */
};

/* Answers to the question if control comes from a jump back's target to it by forward steps. */
enum reached { REACHED_UNKNOWN, REACHED_NOT, REACHED };

/* An instruction after which control may go elsewhere. Offsets count from the unit. */
struct point {
	uint32_t begin, end;
	uint32_t target;       /* offset, or NOWHERE if outside of the unit or none */
	uint32_t target_point; /* first point at or after the target */
	uint32_t run_last;     /* the first point from here on that does not fall through */
	uint32_t farther;      /* the next point that jumps back to the same target, or NOWHERE */
	uint8_t flow;	       /* enum takt_flow */
	uint8_t closing;       /* enum closing */
	uint8_t reached;       /* enum reached */
	bool bad;	       /* undecodable bytes instead of an instruction */
};

/* A jump back that may be a back edge: the offset of its target, and the index of its point. */
struct edge {
	uint32_t head;
	uint32_t point;
};

struct finder {
	struct takt_code *code;
	const struct takt_section *section;
	uint32_t section_index;
	uint64_t unit_address;
	uint64_t steps_left, body_bytes_left; /* what is left of the unit's limits */
	bool cut;			      /* a limit was reached, and something left out */
	struct point *points;
	uint32_t *entered; /* by point: the offset where control enters the code before it */
	bool *closes;	   /* by point: true if control comes from it to the closing branch */
	uint32_t *inner;   /* Fenwick tree by point: 1 + the last head of loops that end there */
	size_t point_count, point_capacity, entered_capacity;
	struct edge *edges;
	size_t edge_count, edge_capacity;
	struct takt_span *spans;
	size_t span_capacity;
	bool nested;		       /* loops around others become regions, too */
	struct takt_found_loop *found; /* loops of the piece */
	size_t found_count, found_capacity;
};

/* Spend steps of the limit; false if none are left. A little more than the limit may be spent. */
static bool spend_steps(struct finder *f, uint64_t steps)
{
	f->code->search.steps += steps;
	if (f->steps_left < steps) {
		f->steps_left = 0;
		f->cut = true;
		return false;
	}
	f->steps_left -= steps;
	return true;
}

static void add_point(struct finder *f, struct point point)
{
	TAKT_GROW(f->points, f->point_count + 1, f->point_capacity);
	f->points[f->point_count++] = point;
}

static void add_edge(struct finder *f, struct edge edge)
{
	TAKT_GROW(f->edges, f->edge_count + 1, f->edge_capacity);
	f->edges[f->edge_count++] = edge;
}

/* Collect the points of a unit and the edges that might close loops. */
static void read_points(struct finder *f, const uint8_t *bytes, uint32_t size)
{
	const struct takt_isa *isa = takt_encoding_of(f->code->image.isa);
	struct takt_insn_flow step;

	f->point_count = f->edge_count = 0;
	for (uint32_t at = 0; at < size; at += step.length_bytes) {
		struct point point = {.begin = at, .target = NOWHERE, .farther = NOWHERE};
		int64_t target;

		if (!takt_insn_flow_decode(isa, bytes + at, size - at, &step)) {
			step = (struct takt_insn_flow){.length_bytes = isa->unit_bytes,
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
	size_t at;

	TAKT_BISECT(at, f->point_count, f->points[at].begin < offset);
	return (uint32_t)at;
}

static bool falls_through(const struct point *point)
{
	return point->flow == TAKT_FLOW_BRANCH;
}

static void resolve_targets(struct finder *f)
{
	uint32_t run_last = 0;

	if (f->entered_capacity < f->point_count) {
		f->entered_capacity = f->point_capacity;
		f->entered = takt_xrealloc(f->entered, f->entered_capacity, sizeof(*f->entered));
		f->closes = takt_xrealloc(f->closes, f->entered_capacity, sizeof(*f->closes));
		f->inner = takt_xrealloc(f->inner, f->entered_capacity, sizeof(*f->inner));
	}
	memset(f->inner, 0, f->point_count * sizeof(*f->inner));
	for (size_t i = f->point_count; i-- > 0;) {
		struct point *point = &f->points[i];

		if (i + 1 == f->point_count || !falls_through(point))
			run_last = (uint32_t)i;
		point->run_last = run_last;
		point->target_point = NOWHERE;
		if (point->target != NOWHERE)
			point->target_point = point_after(f, point->target);
	}
}

/* Range of points that flow_forward() has filled in `entered` so far. */
struct front {
	uint32_t first, furthest;
};

static void advance(struct finder *f, struct front *front, uint32_t to)
{
	while (front->furthest < to)
		f->entered[++front->furthest] = NOWHERE;
}

/*
 * Follow control from `head` by forward steps as far as point `last`, or to where it ends. Fill
 * `entered` from the head's point up to the one that is returned.
 */
static uint32_t flow_forward(struct finder *f, uint32_t head, uint32_t last)
{
	uint32_t i = point_after(f, head);
	struct front front = {i, i};

	f->entered[i] = head;
	for (; i <= last && i <= front.furthest; i++) {
		const struct point *point = &f->points[i];
		uint32_t to = point->target_point;

		if (f->entered[i] == NOWHERE)
			continue;
		if (to != NOWHERE && to <= last && point->target > point->begin) {
			advance(f, &front, to);
			if (point->target < f->entered[to])
				f->entered[to] = point->target;
		}
		if (falls_through(point) && i < last) {
			advance(f, &front, i + 1);
			f->entered[i + 1] = point->end;
		}
	}
	(void)spend_steps(f, i - front.first);
	return front.furthest;
}

/* True if control comes from the target of a jump back to the jump by forward steps. */
static bool is_reached(struct finder *f, uint32_t index)
{
	uint32_t head = f->points[index].target, last = index, furthest;

	if (f->points[index].reached != REACHED_UNKNOWN)
		return f->points[index].reached == REACHED;
	if (f->points[point_after(f, head)].run_last >= index)
		return true;
	/* One pass answers the question for all jumps back to the same target. */
	while (f->points[last].farther != NOWHERE)
		last = f->points[last].farther;
	furthest = flow_forward(f, head, last);
	for (uint32_t i = index; i != NOWHERE; i = f->points[i].farther)
		f->points[i].reached =
			i <= furthest && f->entered[i] != NOWHERE ? REACHED : REACHED_NOT;
	return f->points[index].reached == REACHED;
}

/* Mark the points in the range from which control comes to `last`, or back to the head. */
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

TAKT_ORDER(compare_by_head, struct edge, TAKT_UP(head), TAKT_UP(point));

static void remember_loop(struct finder *f, const struct edge *edge)
{
	for (size_t i = edge->point; i < f->point_count; i |= i + 1)
		if (f->inner[i] < edge->head + 1)
			f->inner[i] = edge->head + 1;
}

/* True if a known loop begins after the head and ends at the point or before it. */
static bool contains_loop(const struct finder *f, uint32_t head, uint32_t point)
{
	uint32_t last_head = 0;

	for (size_t i = (size_t)point + 1; i > 0; i &= i - 1)
		if (f->inner[i - 1] > last_head)
			last_head = f->inner[i - 1];
	return last_head > head + 1;
}

/*
 * Keep the edges that close innermost loops, sorted by head. Short loops are verified first,
 * because they decide which longer ones are not innermost.
 */
static void verify_edges(struct finder *f)
{
	size_t kept = 0;

	qsort(f->edges, f->edge_count, sizeof(*f->edges), compare_by_head);
	for (size_t i = 1; i < f->edge_count; i++)
		if (f->edges[i].head == f->edges[i - 1].head)
			f->points[f->edges[i - 1].point].farther = f->edges[i].point;
	qsort_r(f->edges, f->edge_count, sizeof(*f->edges), compare_by_length, f);
	for (size_t i = 0; i < f->edge_count && f->steps_left; i++) {
		struct edge edge = f->edges[i];

		if (contains_loop(f, edge.head, edge.point)) {
			f->points[edge.point].closing = CLOSES_PERHAPS;
			continue;
		}
		if (!is_reached(f, edge.point))
			continue;
		f->points[edge.point].closing = CLOSES;
		remember_loop(f, &edge);
		f->edges[kept++] = edge;
	}
	f->edge_count = kept;
	if (kept)
		qsort(f->edges, kept, sizeof(*f->edges), compare_by_head);
}

/* True if the point closes a loop, innermost or not. */
static bool closes_any(struct finder *f, uint32_t index)
{
	struct point *point = &f->points[index];

	if (point->closing == CLOSES_PERHAPS)
		point->closing = !f->steps_left || is_reached(f, index) ? CLOSES : CLOSES_NOT;
	return point->closing == CLOSES;
}

/*
 * True if two closing branches belong to one body: a loop with `continue` has several, and control
 * runs from one to the next without leaving the loop.
 */
static bool extends(struct finder *f, const struct edge *from, const struct edge *to)
{
	uint32_t limit = f->points[to->point].begin;

	if (from->head != to->head || f->points[from->point].flow != TAKT_FLOW_BRANCH)
		return false;
	for (uint32_t i = from->point + 1; i < to->point; i++) {
		const struct point *point = &f->points[i];

		if (!spend_steps(f, 1) || point->flow == TAKT_FLOW_STOP || closes_any(f, i) ||
		    (point->flow == TAKT_FLOW_JUMP &&
		     (point->target <= point->begin || point->target > limit)))
			return false;
	}
	return true;
}

static void add_span(struct finder *f, size_t *count, uint32_t begin, uint32_t end)
{
	if (*count && f->spans[*count - 1].end == f->unit_address + begin) {
		f->spans[*count - 1].end = f->unit_address + end;
		return;
	}
	TAKT_GROW(f->spans, *count + 1, f->span_capacity);
	f->spans[(*count)++] = (struct takt_span){f->unit_address + begin, f->unit_address + end};
}

/*
 * Collect the spans of a loop's body in f->spans and return their number; 0 if it has undecodable
 * bytes, or is too long for the limits.
 */
static size_t collect_body(struct finder *f, uint32_t head, uint32_t last)
{
	size_t count = 0;

	if (f->points[last].end - head > f->body_bytes_left) {
		f->cut = true;
		return 0;
	}
	f->body_bytes_left -= f->points[last].end - head;
	if (flow_forward(f, head, last) != last || f->entered[last] == NOWHERE)
		return 0;
	flow_backward(f, head, last);
	for (uint32_t i = point_after(f, head); i <= last; i++) {
		if (f->entered[i] == NOWHERE || !f->closes[i])
			continue;
		if (f->points[i].bad)
			return 0;
		add_span(f, &count, f->entered[i], f->points[i].end);
	}
	return count;
}

static struct takt_found_loop *add_found(struct finder *f, uint32_t head, uint32_t last)
{
	TAKT_GROW(f->found, f->found_count + 1, f->found_capacity);
	f->found[f->found_count] = (struct takt_found_loop){
		.extent = {f->unit_address + head, f->unit_address + f->points[last].end},
		.region = TAKT_NO_REGION,
	};
	return &f->found[f->found_count++];
}

/* Make a region of the body of an innermost loop. */
static void emit_loop(struct finder *f, uint32_t head, uint32_t last)
{
	size_t before = f->code->entry_count, count = collect_body(f, head, last);
	struct takt_region_request request = {
		.origin = TAKT_REGION_LOOP,
		.section = f->section_index,
		.spans = f->spans,
		.span_count = count,
	};

	/* This cannot fail, because loops that are too long for a region are left out. */
	if (count)
		(void)takt_region_add(f->code, &request, NULL);
	if (f->code->entry_count > before)
		add_found(f, head, last)->region = before;
}

/* Most bytes of straight code before a nest that are remembered. */
#define APPROACH_MAX_BYTES 4096u

/*
 * Find the straight code that leads from the unit's start to a head: control comes to the head only
 * by it and by jumps back, and into it not at all.
 */
static struct takt_span find_approach(struct finder *f, uint32_t head)
{
	struct takt_span none = {0, 0};

	if (!head || head > APPROACH_MAX_BYTES || !spend_steps(f, f->point_count))
		return none;
	for (size_t i = 0; i < f->point_count; i++) {
		const struct point *point = &f->points[i];
		bool before = point->begin < head;

		if (before && (point->bad || !falls_through(point)))
			return none;
		if (point->target < head || (before && point->target == head))
			return none;
	}
	return (struct takt_span){f->unit_address, f->unit_address + head};
}

static void add_outer(struct finder *f, uint32_t head, uint32_t last)
{
	struct takt_found_loop *loop = add_found(f, head, last);
	struct takt_span *spans;

	if (!f->nested)
		return;
	loop->span_count = collect_body(f, head, last);
	if (!loop->span_count)
		return;
	spans = TAKT_NEW_ARRAY(&f->code->arena, loop->span_count, struct takt_span);
	memcpy(spans, f->spans, loop->span_count * sizeof(*spans));
	loop->spans = spans;
	loop->approach = find_approach(f, head);
}

/* Add the loops around those that were found. Of several with one head, the longest counts. */
static void find_outer(struct finder *f)
{
	for (uint32_t i = 0; i < f->point_count && f->steps_left; i++) {
		uint32_t last = i;

		if (f->points[i].closing != CLOSES_PERHAPS)
			continue;
		if (!closes_any(f, i))
			continue;
		for (uint32_t next = i; next != NOWHERE; next = f->points[next].farther)
			if (f->points[next].closing == CLOSES_PERHAPS && closes_any(f, next))
				last = next;
		for (uint32_t next = i; next != NOWHERE; next = f->points[next].farther)
			f->points[next].closing = CLOSES_NOT;
		add_outer(f, f->points[last].target, last);
	}
	takt_nests_add(f->code, f->section_index, f->found, f->found_count);
}

static void find_in_piece(struct finder *f, uint64_t begin, uint64_t end)
{
	f->unit_address = begin;
	f->found_count = 0;
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
		if (!contains_loop(f, f->edges[i].head, f->edges[last].point))
			emit_loop(f, f->edges[i].head, f->edges[last].point);
		/* Jumps back to the same head from farther away add nothing. */
		for (next = last;
		     next + 1 < f->edge_count && f->edges[next + 1].head == f->edges[i].head;
		     next++)
			;
		last = next;
	}
	if (f->found_count)
		find_outer(f);
}

/* Find the loops of a unit: a function, or code that belongs to none. */
static void find_in_unit(struct finder *f, uint64_t begin, uint64_t end)
{
	struct takt_loop_search *search = &f->code->search;

	f->steps_left = STEPS_LEAST + STEPS_PER_BYTE * (end - begin);
	f->body_bytes_left = BODY_BYTES_LEAST + BODY_BYTES_PER_BYTE * (end - begin);
	f->cut = end - begin > UNIT_MAX_BYTES;
	/* An address may be so large that the one after its piece is none. */
	for (uint64_t at = begin; at != end;) {
		uint64_t next = end - at > UNIT_MAX_BYTES ? at + UNIT_MAX_BYTES : end;

		find_in_piece(f, at, next);
		at = next;
	}
	if (!f->cut)
		return;
	if (!search->cut_count++) {
		search->section = f->section_index;
		search->span = (struct takt_span){begin, end};
	}
}

/* State of a walk over the addresses of functions. */
struct walk {
	const struct takt_part *part;
	size_t symbol, start;  /* the next symbol and unwind table entry */
	uint64_t function_end; /* largest end of the function symbols so far */
};

/*
 * Find the next function, at which a new unit begins: loops do not cross functions. Symbols
 * inside another function are further entries of it, not functions of their own.
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
	size_t at;

	TAKT_BISECT(at, image->start_count, image->starts[at] <= address);
	return at;
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

void takt_loops_add(struct takt_code *code, const struct takt_part *part, bool nested)
{
	struct finder f = {
		.code = code,
		.section = &code->image.sections[part->section],
		.section_index = part->section,
		.nested = nested,
	};

	if (part->symbol)
		find_in_unit(&f, part->span.begin, part->span.end);
	else
		find_in_section(&f, part);
	free(f.points);
	free(f.entered);
	free(f.closes);
	free(f.inner);
	free(f.edges);
	free(f.spans);
	free(f.found);
}
