/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "bounds/bounds.h"

static uint32_t random_state = 12345;

static uint32_t next_random(uint32_t limit)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (random_state >> 8) % limit;
}

/* The definition, over all subsets of the first `ports` ports. */
static double brute_force(const struct takt_port_load *loads, size_t count, uint32_t ports)
{
	double best = 0;

	for (uint32_t set = 1; set < 1u << ports; set++) {
		double inside = 0;

		for (size_t i = 0; i < count; i++)
			if (!(loads[i].ports & ~set))
				inside += loads[i].count;
		if (inside / __builtin_popcount(set) > best)
			best = inside / __builtin_popcount(set);
	}
	return best;
}

static void test_hand_worked(void)
{
	static const struct {
		int line;
		struct takt_port_load loads[4];
		size_t count;
		double bound;
	} rows[] = {
		{__LINE__, {{1, 3}}, 1, 3},
		{__LINE__, {{3, 3}}, 1, 1.5},
		/* p0 has one of its own: (1 + 3) / 2 */
		{__LINE__, {{1, 1}, {3, 3}}, 2, 2},
		/* 4 on p0 alone outweigh (4 + 1) / 2 */
		{__LINE__, {{1, 4}, {3, 1}}, 2, 4},
		/* p01 and p12 share p1: (2 + 2) / 3 is less than each alone is not: 4 / 3 */
		{__LINE__, {{3, 2}, {6, 2}}, 2, 4.0 / 3},
		{__LINE__, {{0, 5}}, 1, 0},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		double got = takt_ports_bound(rows[i].loads, rows[i].count);

		tap_ok_at(__FILE__, rows[i].line, fabs(got - rows[i].bound) < 1e-12,
			  "bound %g, want %g", got, rows[i].bound);
	}
}

/* An assignment stays on its ports, sums up, attains the bound. */
static bool assignment_holds(const struct takt_port_load *loads, size_t count, double bound,
			     const double *cycles)
{
	double ports[TAKT_PORTS_MAX] = {0}, most = 0;

	for (size_t i = 0; i < count; i++) {
		double sum = 0;

		for (uint32_t p = 0; p < TAKT_PORTS_MAX; p++) {
			double part = cycles[i * TAKT_PORTS_MAX + p];

			if (part < 0 || (part > 0 && !(loads[i].ports >> p & 1)))
				return false;
			sum += part;
			ports[p] += part;
		}
		if (fabs(sum - (loads[i].ports ? loads[i].count : 0)) > 1e-9)
			return false;
	}
	for (uint32_t p = 0; p < TAKT_PORTS_MAX; p++)
		most = ports[p] > most ? ports[p] : most;
	return fabs(most - bound) < 1e-9;
}

static void test_random(void)
{
	struct takt_arena arena = {0};
	bool bounds_agree = true, assignments_hold = true, split_above = true;

	for (int round = 0; round < 3000; round++) {
		struct takt_port_load loads[24];
		uint32_t ports = 2 + next_random(8);
		size_t count = 1 + next_random(round % 3 ? 6 : 24);
		double *cycles, bound, split[24 * TAKT_PORTS_MAX], most = 0;

		for (size_t i = 0; i < count; i++)
			loads[i] = (struct takt_port_load){1 + next_random((1u << ports) - 1),
							   next_random(6)};
		bound = takt_ports_bound(loads, count);
		bounds_agree &= fabs(bound - brute_force(loads, count, ports)) < 1e-9;
		cycles = TAKT_NEW_ARRAY(&arena, count * TAKT_PORTS_MAX, double);
		takt_ports_assign(loads, count, &arena, cycles);
		assignments_hold &= assignment_holds(loads, count, bound, cycles);
		takt_ports_split(loads, count, split);
		for (uint32_t p = 0; p < TAKT_PORTS_MAX; p++) {
			double sum = 0;

			for (size_t i = 0; i < count; i++)
				sum += split[i * TAKT_PORTS_MAX + p];
			most = sum > most ? sum : most;
		}
		split_above &= most > bound - 1e-9;
		takt_arena_clear(&arena);
	}
	ok(bounds_agree, "the bound is the maximum over all port sets");
	ok(assignments_hold, "the assignment attains the bound");
	ok(split_above, "the equal split is not below the bound");
	takt_arena_release(&arena);
}

/* Below the tight set the rest is spread evenly too. */
static void test_even(void)
{
	static const struct takt_port_load loads[] = {{1, 6}, {15, 3}};
	struct takt_arena arena = {0};
	double cycles[2 * TAKT_PORTS_MAX];

	takt_ports_assign(loads, 2, &arena, cycles);
	is_near(cycles[TAKT_PORTS_MAX], 0, "p0 is full with its own");
	is_near(cycles[TAKT_PORTS_MAX + 1], 1, "the three others");
	is_near(cycles[TAKT_PORTS_MAX + 3], 1, "share what is left");
	takt_arena_release(&arena);
}

int main(void)
{
	test_hand_worked();
	test_random();
	test_even();
	return tap_done();
}
