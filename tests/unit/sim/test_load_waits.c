/* SPDX-License-Identifier: MIT */
/* Loads that wait at their port for a store's data. */
#include "sim/back/load_waits.h"
#include "unit/sim/kernel.h"

#define PORTS 14u /* numbers 1 to 3 */

static const struct takt_core_params params = {
	.rename_to_dispatch_cycles = 5,
	.port_choice = 12,
	.load_port_entries = 3,
	.load_port_blocked = 2,
};
static const struct sim_insn insn = {.uop_count = 1, .memory_count = 1};
static const struct sim_memory_edge edge = {0};

struct scene {
	struct sim_uop uop;
	struct sim_memory memory;
	struct sim_program program;
	struct sim_store store;
	struct sim_core core;
};

static struct scene *scene_new(void)
{
	struct scene *scene = takt_xcalloc(1, sizeof(*scene));

	scene->uop = (struct sim_uop){.ports = PORTS, .port_cycles = 1, .kind = SIM_UOP_LOAD};
	scene->memory = (struct sim_memory){.load_cycles = 5, .forward_cycles = 5};
	scene->program = (struct sim_program){
		.params = &params, .uops = &scene->uop, .edges = &edge, .memory_ports = PORTS};
	scene->core.program = &scene->program;
	scene->core.params = &params;
	scene->core.cycle = 1;
	scene->core.stores = &scene->store;
	scene->core.store_ring = 1;
	return scene;
}

/* Let the load read what a store has in cycle `stored`, or nothing that was stored if that is 0. */
static void set_stored(struct scene *scene, uint64_t stored)
{
	scene->memory.edge_count = stored > 0;
	scene->store.value_ready = stored;
}

/* Send a load, of what a store has in cycle `stored` if not 0, to the next port; return when it
 * goes. */
static int64_t load(struct scene *scene, uint64_t stored)
{
	uint64_t ready = 0;
	bool waits;

	set_stored(scene, stored);
	waits = sim_load_wait(&scene->core, &scene->uop, &scene->memory, NULL, &ready);
	ok(waits == (ready > 0), "it waits: %d", waits);
	return (int64_t)sim_ports_dispatch(&scene->core, &scene->uop, 0, ready);
}

/* Each third load comes to the same port: two that wait there keep a third one out. */
static void check_blocked(void)
{
	struct scene *scene = scene_new();

	is_int(load(scene, 0), 6, "a load of nothing that was stored");
	is_int(load(scene, 90), 90, "one that waits for a store");
	is_int(load(scene, 0), 6, "the next port is free");
	is_int(load(scene, 3), 7, "data that is there in time");
	is_int(load(scene, 70), 70, "a second one that waits at the same port");
	is_int(load(scene, 0), 7, "the next port is still free");
	is_int(load(scene, 0), 8, "and so is the one after");
	is_int(load(scene, 0), 71, "a third one cannot go before one has left");
	free(scene);
}

/* The port that is next has three entries; the others do not count. */
static void check_room(void)
{
	struct scene *scene = scene_new();

	for (int i = 0; i < 7; i++)
		load(scene, 50);
	ok(sim_load_ports_have_room(&scene->core, &insn), "two wait at the port that is next");
	load(scene, 50);
	load(scene, 50);
	ok(!sim_load_ports_have_room(&scene->core, &insn), "three wait at each");
	free(scene);
}

/* Loads are changed by what a trace knows of them, and by crossing a line. */
static void check_changed(void)
{
	struct scene *scene = scene_new();
	struct takt_core_params splits = params;
	const struct sim_fact fact = {.banks = 3}, none = {.banks = 0};
	struct sim_uop changed;
	const struct sim_uop *uop = &scene->uop;

	ok(sim_load_uop(&scene->core, uop, &none, true, &changed) == uop, "nothing to change");
	is_int(sim_load_uop(&scene->core, uop, &fact, false, &changed)->banks, 3, "banks");
	splits.split_load_port_cycles = 2;
	scene->core.params = &splits;
	ok(sim_load_uop(&scene->core, uop, NULL, false, &changed) == uop, "a load of one line");
	is_int(sim_load_uop(&scene->core, uop, NULL, true, &changed)->port_cycles, 2, "of two");
	free(scene);
}

/* Dispatch a load, again if its store has the data late; return the cycle of the last dispatch. */
static int64_t load_again(struct scene *scene, uint64_t stored)
{
	uint64_t first = sim_ports_dispatch(&scene->core, &scene->uop, 0, 0);

	set_stored(scene, stored);
	return (int64_t)sim_load_again(&scene->core, &scene->uop, 0, &scene->memory, NULL, first);
}

/* A load whose store has the data late takes the port in two cycles, which others then lack. */
static void check_again(void)
{
	struct scene *scene = scene_new();

	scene->uop.ports = 2;
	is_int(load_again(scene, 0), 6, "a load of nothing that was stored goes once");
	is_int(load_again(scene, 7), 7, "data that is there in time");
	is_int(load_again(scene, 90), 90, "the second time, when the data is there");
	is_int(load_again(scene, 90), 91, "only one can go then");
	is_int(load_again(scene, 0), 10, "both have gone before, too");
	free(scene);
}

int main(void)
{
	check_again();
	check_blocked();
	check_changed();
	check_room();
	return tap_done();
}
