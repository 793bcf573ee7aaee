/* SPDX-License-Identifier: MIT */
/* Loads and stores that cross a cache line, on cores where they take two accesses. */
#include "sim/core.h"
#include "unit/sim/kernel.h"

#define READY 100u

static const struct takt_core_params params = {.rename_to_dispatch_cycles = 5};
static const struct sim_program program = {.params = &params};

static struct sim_core *core_new(void)
{
	struct sim_core *core = takt_xcalloc(1, sizeof(*core));

	core->program = &program;
	core->params = &params;
	core->cycle = 1;
	return core;
}

/* Return the cycle in which a load is dispatched that crosses a line. */
static int64_t twice(struct sim_core *core, const struct sim_uop *load, uint64_t ready)
{
	return (int64_t)sim_ports_dispatch_twice(core, load, 0, ready);
}

/* The same for one that does not. */
static int64_t once(struct sim_core *core, const struct sim_uop *load, uint64_t ready)
{
	return (int64_t)sim_ports_dispatch(core, load, 0, ready);
}

/* A load of general registers has a port, here number 0, and nothing else. */
static void check_port(void)
{
	const struct sim_uop load = {.ports = 1, .port_cycles = 1};
	struct sim_core *core = core_new();

	is_int(twice(core, &load, READY), READY, "first access");
	is_int(once(core, &load, READY), READY + 2, "the second took a cycle");
	is_int(core->ports.pending[0], 3, "three µop cycles wait at the port");
	free(core);
}

/* A vector load has one of ports 0 to 2 and one of two load paths, 4 and 5. */
static void check_units(void)
{
	const struct sim_uop load = {
		.ports = 7, .port_cycles = 1, .unit_ports = 0x30, .unit_cycles = 1};
	struct sim_core *core = core_new();

	is_int(twice(core, &load, READY), READY, "both paths are free");
	is_int(once(core, &load, READY), READY + 1, "neither is free any more");
	is_int(twice(core, &load, READY), READY + 2, "one path is not enough");
	is_int(once(core, &load, READY), READY + 3, "no younger load goes before");
	is_int(once(core, &load, READY), READY + 3, "two go together");
	free(core);
}

/* So far ahead, nothing is reserved. */
static void check_far(void)
{
	const struct sim_uop load = {
		.ports = 7, .port_cycles = 1, .unit_ports = 0x30, .unit_cycles = 1};
	struct sim_core *core = core_new();

	is_int(twice(core, &load, SIM_WINDOW_CYCLES), SIM_WINDOW_CYCLES, "a load far ahead");
	is_int((int64_t)core->ports.furthest, 0, "nothing is reserved");
	free(core);
}

/* Cycles measured on a Zen 5; registers point to starts of lines. */
static const struct {
	const char *hex, *what;
	double cycles;
} measured[] = {
	{"c5fc104630c5fc100e", "vector loads of 32 bytes, at 48 and 0", 1.5},
	{"c5fc104630c5fc100ec5fc105640", "at 48, 0 and 64", 2},
	{"488b463c488b567c488b9ebc0000004c8b86fc000000", "four loads of 8 bytes at 60", 2},
	{"488b763c", "a chain of such loads", 6},
	{"0f1146380f114678", "stores of 16 bytes, at 56 and 120", 2},
	{"0f1146380f1106", "at 56 and 0", 1.5},
	{"0f1106", "at 0", .5},
};

static void check_blocks(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(measured); i++) {
		double cycles = kernel_cycles("ZEN5", measured[i].hex);

		/* Without a period it is the slope of a part of the run. */
		is_near(round(cycles * 1000) / 1000, measured[i].cycles, measured[i].what);
	}
}

int main(void)
{
	check_blocks();
	check_port();
	check_units();
	check_far();
	return tap_done();
}
