/* SPDX-License-Identifier: MIT */
#include "sim/back/memory_renaming.h"
#include "unit/tap.h"

#define LEAST 3u

static struct sim_renaming renaming;

/* The store runs as `number`, then the load reads what store `from` left. */
static enum sim_renaming_result turn(uint32_t store, uint32_t number, uint32_t load, uint32_t from)
{
	sim_renaming_store(&renaming, store, number);
	return sim_renaming_load(&renaming, load, store, from, LEAST);
}

int main(void)
{
	const uint32_t load = sim_renaming_place(0x1000, 0), store = sim_renaming_place(0x1010, 0);
	uint32_t number = 1;

	for (unsigned i = 0; i < LEAST + 1; i++, number++)
		ok(turn(store, number, load, number) == SIM_RENAMING_WAITS, "learns, %u", i);
	ok(turn(store, number, load, number) == SIM_RENAMING_SERVES, "learnt");
	number++;
	ok(turn(store, number, load, number - 1) == SIM_RENAMING_WRONG, "not the latest");
	number++;
	ok(turn(store, number, load, number - 1) == SIM_RENAMING_WAITS, "nor was it expected");
	number++;
	ok(turn(store, number, load, number) == SIM_RENAMING_WAITS, "learns anew");
	for (unsigned i = 0; i < LEAST; i++, number++)
		(void)turn(store, number, load, number);
	ok(turn(store, number, load, number) == SIM_RENAMING_SERVES, "and has");
	ok(sim_renaming_other(&renaming, load, number + 10, 5, LEAST) == SIM_RENAMING_WAITS &&
		   turn(store, number + 1, load, number + 1) == SIM_RENAMING_SERVES,
	   "a store long ago does no harm");
	ok(sim_renaming_other(&renaming, load, number + 2, 5, LEAST) == SIM_RENAMING_WRONG,
	   "one that reads something else has taken over a wrong value");
	ok(turn(store, number + 3, load, number + 3) == SIM_RENAMING_WAITS, "and learns anew");
	return tap_done();
}
