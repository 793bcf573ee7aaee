/* SPDX-License-Identifier: MIT */
/*
 * Port pressure. µops with the same port set are one class. For a set S of ports let
 * f(S) be the µops that can go nowhere else; max f(S)/|S| is the bound, and by max-flow
 * min-cut an assignment attains it. If there are few classes, every union of their sets is
 * tried; if there are many, Dinkelbach's iteration solves one small integer max-flow per step.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bounds/bounds.h"

#define UNIONS_MAX 128u
#define DIRECT_CLASSES_MAX 10u
#define STACK_CLASSES_MAX 32u

struct ratio {
	uint64_t over, under; /* under > 0 */
};

static bool ratio_less(struct ratio left, struct ratio right)
{
	return left.over * right.under < right.over * left.under;
}

static uint32_t bits(uint32_t mask)
{
	return (uint32_t)__builtin_popcount(mask);
}

/* Merge loads with equal port sets into `classes`, and return the number of classes. */
static size_t classify(const struct takt_port_load *loads, size_t count,
		       struct takt_port_load *classes)
{
	size_t class_count = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = 0;

		if (!loads[i].ports || !loads[i].count)
			continue;
		while (at < class_count && classes[at].ports != loads[i].ports)
			at++;
		if (at == class_count)
			classes[class_count++] = (struct takt_port_load){loads[i].ports, 0};
		classes[at].count += loads[i].count;
	}
	return class_count;
}

static struct ratio density(const struct takt_port_load *classes, size_t count, uint32_t ports)
{
	struct ratio ratio = {0, bits(ports)};

	for (size_t i = 0; i < count; i++)
		if (classes[i].ports && !(classes[i].ports & ~ports))
			ratio.over += classes[i].count;
	return ratio;
}

/* Add `ports` unless it is in the table; false if the table is full. */
static bool add_union(uint32_t *unions, size_t *count, uint32_t ports)
{
	for (size_t i = 0; i < *count; i++)
		if (unions[i] == ports)
			return true;
	if (*count == UNIONS_MAX)
		return false;
	unions[(*count)++] = ports;
	return true;
}

/* Find the densest union of the classes' sets; false if there are too many to try. */
static bool densest_union(const struct takt_port_load *classes, size_t count,
			  struct ratio *ret_ratio)
{
	uint32_t unions[UNIONS_MAX];
	size_t union_count = 0;

	for (size_t i = 0; i < count; i++) {
		size_t before = union_count;

		if (!classes[i].count)
			continue;
		if (!add_union(unions, &union_count, classes[i].ports))
			return false;
		for (size_t j = 0; j < before; j++)
			if (!add_union(unions, &union_count, unions[j] | classes[i].ports))
				return false;
	}
	*ret_ratio = (struct ratio){0, 1};
	for (size_t i = 0; i < union_count; i++) {
		struct ratio ratio = density(classes, count, unions[i]);

		if (ratio_less(*ret_ratio, ratio))
			*ret_ratio = ratio;
	}
	return true;
}

/* ---- max-flow: classes → ports ------------------------------------------------ */

/*
 * An integer flow: every class supplies count × scale, and every port takes at most `capacity`.
 * An augmenting path alternates class → port (always open) and port → class (where flow can be
 * taken back).
 */
struct flow {
	const struct takt_port_load *classes;
	size_t count;
	uint64_t *amount; /* [class × TAKT_PORTS_MAX + port] */
	uint64_t *left;	  /* supply of each class that is not sent yet */
	uint64_t used[TAKT_PORTS_MAX];
	uint64_t capacity;
};

/* Send as much as possible from classes straight to ports with room. */
static void send_directly(struct flow *flow)
{
	for (size_t c = 0; c < flow->count; c++) {
		for (uint32_t rest = flow->classes[c].ports; rest && flow->left[c];
		     rest &= rest - 1) {
			uint32_t port = (uint32_t)__builtin_ctz(rest);
			uint64_t room = flow->capacity - flow->used[port];
			uint64_t sent = room < flow->left[c] ? room : flow->left[c];

			flow->amount[c * TAKT_PORTS_MAX + port] += sent;
			flow->used[port] += sent;
			flow->left[c] -= sent;
		}
	}
}

/* Search breadth-first from class `start`: fill `via` (class by which a port was reached) and
 * `back` (port by which a class was reached), and return the first port with room, or -1.
 * *ret_reached is the mask of the ports reached. */
static int find_room(const struct flow *flow, size_t start, size_t *via, int *back, size_t *queue,
		     uint32_t *ret_reached)
{
	size_t head = 0, tail = 0;
	uint32_t reached = 0;

	for (size_t c = 0; c < flow->count; c++)
		back[c] = -2;
	back[start] = -1;
	queue[tail++] = start;
	while (head < tail) {
		size_t c = queue[head++];

		for (uint32_t fresh = flow->classes[c].ports & ~reached; fresh;
		     fresh &= fresh - 1) {
			uint32_t port = (uint32_t)__builtin_ctz(fresh);

			reached |= 1u << port;
			via[port] = c;
			if (flow->used[port] < flow->capacity) {
				*ret_reached = reached;
				return (int)port;
			}
			for (size_t d = 0; d < flow->count; d++) {
				if (back[d] != -2 || !flow->amount[d * TAKT_PORTS_MAX + port])
					continue;
				back[d] = (int)port;
				queue[tail++] = d;
			}
		}
	}
	*ret_reached = reached;
	return -1;
}

/* Push flow along the path found to `port`. */
static void augment(struct flow *flow, size_t start, uint32_t port, const size_t *via,
		    const int *back)
{
	uint64_t sent = flow->capacity - flow->used[port];
	uint32_t at = port;

	if (flow->left[start] < sent)
		sent = flow->left[start];
	for (size_t c = via[at]; back[c] >= 0; c = via[at]) {
		uint64_t returned;

		at = (uint32_t)back[c];
		returned = flow->amount[c * TAKT_PORTS_MAX + at];
		if (returned < sent)
			sent = returned;
	}
	flow->used[port] += sent;
	flow->left[start] -= sent;
	for (at = port;;) {
		size_t c = via[at];

		flow->amount[c * TAKT_PORTS_MAX + at] += sent;
		if (back[c] < 0)
			break;
		at = (uint32_t)back[c];
		flow->amount[c * TAKT_PORTS_MAX + at] -= sent;
	}
}

/* Find a maximum flow. Return the ports that unsent supply could reach: 0 if all was sent. */
static uint32_t flow_solve(struct flow *flow)
{
	size_t via[TAKT_PORTS_MAX];
	int *back = takt_xcalloc(flow->count, sizeof(*back));
	size_t *queue = takt_xcalloc(flow->count, sizeof(*queue));
	uint32_t blocked = 0;

	send_directly(flow);
	for (size_t c = 0; c < flow->count; c++) {
		while (flow->left[c]) {
			uint32_t reached;
			int port = find_room(flow, c, via, back, queue, &reached);

			if (port < 0) {
				blocked |= reached;
				break;
			}
			augment(flow, c, (uint32_t)port, via, back);
		}
	}
	free(back);
	free(queue);
	return blocked;
}

static void flow_init(struct flow *flow, const struct takt_port_load *classes, size_t count,
		      uint64_t scale, uint64_t capacity)
{
	*flow = (struct flow){.classes = classes, .count = count, .capacity = capacity};
	flow->amount = takt_xcalloc(count * TAKT_PORTS_MAX, sizeof(*flow->amount));
	flow->left = takt_xcalloc(count, sizeof(*flow->left));
	for (size_t c = 0; c < count; c++)
		flow->left[c] = classes[c].count * scale;
}

static void flow_release(struct flow *flow)
{
	free(flow->amount);
	free(flow->left);
}

/*
 * Find the densest set by Dinkelbach's iteration: if the load does not fit at capacity λ per
 * port, the blocked ports are a denser set, and their density is the next λ. λ strictly
 * increases, so the iteration ends.
 */
static struct ratio densest_by_flow(const struct takt_port_load *classes, size_t count)
{
	struct ratio best = {0, 1};

	for (size_t c = 0; c < count; c++) {
		struct ratio ratio;

		if (!classes[c].count)
			continue;
		ratio = density(classes, count, classes[c].ports);
		if (ratio_less(best, ratio))
			best = ratio;
	}
	for (;;) {
		struct flow flow;
		struct ratio ratio;
		uint32_t blocked;

		flow_init(&flow, classes, count, best.under, best.over);
		blocked = flow_solve(&flow);
		flow_release(&flow);
		if (!blocked)
			return best;
		ratio = density(classes, count, blocked);
		assert(ratio_less(best, ratio));
		best = ratio;
	}
}

static struct ratio densest(const struct takt_port_load *classes, size_t count)
{
	struct ratio ratio;

	if (count <= DIRECT_CLASSES_MAX && densest_union(classes, count, &ratio))
		return ratio;
	return densest_by_flow(classes, count);
}

double takt_ports_bound(const struct takt_port_load *loads, size_t count)
{
	struct takt_port_load local[STACK_CLASSES_MAX];
	struct takt_port_load *classes = local;
	struct ratio ratio;

	if (count > STACK_CLASSES_MAX)
		classes = takt_xcalloc(count, sizeof(*classes));
	ratio = densest(classes, classify(loads, count, classes));
	if (classes != local)
		free(classes);
	return (double)ratio.over / (double)ratio.under;
}

/* ---- assignment ---------------------------------------------------------------- */

/* Return the tight set: full ports from which no class can move load to a port with room. */
static uint32_t tight_ports(const struct flow *flow, uint32_t ports)
{
	uint32_t loose = 0;
	bool grew = true;

	for (uint32_t rest = ports; rest; rest &= rest - 1) {
		uint32_t port = (uint32_t)__builtin_ctz(rest);

		if (flow->used[port] < flow->capacity)
			loose |= 1u << port;
	}
	while (grew) {
		grew = false;
		for (size_t c = 0; c < flow->count; c++) {
			if (!(flow->classes[c].ports & loose))
				continue;
			for (uint32_t rest = flow->classes[c].ports & ~loose; rest;
			     rest &= rest - 1) {
				uint32_t port = (uint32_t)__builtin_ctz(rest);

				if (!flow->amount[c * TAKT_PORTS_MAX + port])
					continue;
				loose |= 1u << port;
				grew = true;
			}
		}
	}
	return ports & ~loose;
}

/*
 * Assign evenly: each port of the densest set gets exactly λ; the remaining classes may only use
 * the other ports, on which the same is done again.
 */
static void assign_classes(struct takt_port_load *classes, size_t count, double *cycles)
{
	uint32_t ports = 0;

	for (size_t c = 0; c < count; c++)
		ports |= classes[c].ports;
	while (ports) {
		struct ratio ratio = densest(classes, count);
		struct flow flow;
		uint32_t tight;

		if (!ratio.over)
			return;
		flow_init(&flow, classes, count, ratio.under, ratio.over);
		flow_solve(&flow);
		tight = tight_ports(&flow, ports);
		assert(tight);
		for (size_t c = 0; c < count; c++) {
			if (!classes[c].count)
				continue;
			if (!(classes[c].ports & ~tight)) {
				for (uint32_t p = 0; p < TAKT_PORTS_MAX; p++)
					cycles[c * TAKT_PORTS_MAX + p] =
						(double)flow.amount[c * TAKT_PORTS_MAX + p] /
						(double)ratio.under;
				classes[c].count = 0;
			}
			classes[c].ports &= ~tight;
		}
		flow_release(&flow);
		ports &= ~tight;
	}
}

void takt_ports_assign(const struct takt_port_load *loads, size_t count, struct takt_arena *arena,
		       double *ret_cycles)
{
	struct takt_port_load *classes = TAKT_NEW_ARRAY(arena, count, struct takt_port_load);
	size_t class_count = classify(loads, count, classes);
	struct takt_port_load *work = TAKT_NEW_ARRAY(arena, class_count, struct takt_port_load);
	double *cycles = TAKT_NEW_ARRAY(arena, class_count * TAKT_PORTS_MAX, double);

	if (class_count)
		memcpy(work, classes, class_count * sizeof(*work));
	assign_classes(work, class_count, cycles);
	for (size_t i = 0; i < count; i++) {
		double *row = ret_cycles + i * TAKT_PORTS_MAX;
		size_t c = 0;

		memset(row, 0, TAKT_PORTS_MAX * sizeof(*row));
		while (c < class_count && classes[c].ports != loads[i].ports)
			c++;
		if (c == class_count)
			continue;
		for (uint32_t p = 0; p < TAKT_PORTS_MAX; p++)
			row[p] = cycles[c * TAKT_PORTS_MAX + p] * loads[i].count / classes[c].count;
	}
}

void takt_ports_split(const struct takt_port_load *loads, size_t count, double *ret_cycles)
{
	for (size_t i = 0; i < count; i++) {
		for (uint32_t p = 0; p < TAKT_PORTS_MAX; p++)
			ret_cycles[i * TAKT_PORTS_MAX + p] =
				loads[i].ports >> p & 1
					? (double)loads[i].count / bits(loads[i].ports)
					: 0;
	}
}
