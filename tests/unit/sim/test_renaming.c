/* SPDX-License-Identifier: MIT */
#include "sim/back/memory_renaming.h"
#include "unit/tap.h"

#define LEAST 3u

static struct sim_renaming renaming;

/* The store runs as `number`, then the load reads what store `from` left. */
static bool turn(uint32_t store, uint32_t number, uint32_t load, uint32_t from)
{
	sim_renaming_store(&renaming, store, number);
	return sim_renaming_load(&renaming, load, store, from, LEAST);
}

int main(void)
{
	const uint32_t load = sim_renaming_place(0x1000, 0), store = sim_renaming_place(0x1010, 0);
	uint32_t number = 1;

	for (unsigned i = 0; i < LEAST + 1; i++, number++)
		ok(!turn(store, number, load, number), "learns, %u", i);
	ok(turn(store, number, load, number), "learnt");
	number++;
	ok(!turn(store, number, load, number - 1), "not the latest");
	number++;
	ok(!turn(store, number, load, number), "learns anew");
	for (unsigned i = 0; i < LEAST; i++, number++)
		(void)turn(store, number, load, number);
	ok(turn(store, number, load, number), "and has");
	sim_renaming_other(&renaming, load, number + 10, 5);
	ok(turn(store, number + 1, load, number + 1), "a store long ago does no harm");
	sim_renaming_other(&renaming, load, number + 2, 5);
	ok(!turn(store, number + 3, load, number + 3), "a recent one does");
	return tap_done();
}
