/* SPDX-License-Identifier: MIT */
/* The scheduler that a µop is sent to, of three with four places each, and a queue before two. */
#include "sim/core.h"
#include "unit/tap.h"

#define ALUS 0x07u
#define MEMORY 0x30u

static const struct takt_scheduler schedulers[] = {
	{.ports = 0x11, .entries = 4}, /* 0 and 4 */
	{.ports = 0x22, .entries = 4}, /* 1 and 5 */
	{.ports = 0x04, .entries = 4}, /* 2 */
};

static const struct sim_program program = {
	.schedulers = schedulers,
	.scheduler_count = 3,
	.schedulers_mixed = true,
	.memory_ports = MEMORY,
};
/* The same with ports 4 and 5 elsewhere. */
static const struct sim_program apart = {
	.schedulers = schedulers, .scheduler_count = 3, .memory_ports = 0x100};

static struct sim_core *core_new(void)
{
	struct sim_core *core = takt_xcalloc(1, sizeof(*core));

	core->program = &program;
	return core;
}

static struct sim_uop uop_for(uint32_t ports)
{
	return (struct sim_uop){.ports = ports, .schedulers = sim_schedulers_of(&program, ports)};
}

static uint32_t choose(struct sim_core *core, uint32_t ports)
{
	const struct sim_uop uop = uop_for(ports);
	uint64_t ready = 0;

	return sim_scheduler_choose(core, &uop, &ready);
}

static bool has_room(struct sim_core *core, uint32_t ports)
{
	const struct sim_uop uop = uop_for(ports);

	core->found_for = NULL; /* as in a cycle that begins */
	memset(core->room_until, 0, sizeof(core->room_until));
	return sim_scheduler_has_room(core, &uop);
}

static void check_group(void)
{
	struct takt_core_params params = {.issue_width = 2};
	struct sim_core *core = core_new();

	core->params = &params;
	core->ports.pending_all = 3;
	core->ports.pending[1] = 2;
	ok(sim_schedulers_take_group(core), "two more in each");
	core->ports.pending[5] = 1;
	ok(!sim_schedulers_take_group(core), "one more in one of them");
	free(core);
}

static void check_spread(void)
{
	struct sim_core *core = core_new();

	is_int(choose(core, ALUS), 0x01, "the first");
	is_int(choose(core, ALUS), 0x02, "then the next");
	is_int(choose(core, MEMORY), 0x10, "other µops are counted apart");
	is_int(choose(core, 0x06), 0x04, "of those that can take it");
	is_int(choose(core, ALUS), 0x01, "and round");
	is_int(choose(core, 0x02), 0x02, "or where it must");
	is_int(choose(core, ALUS), 0x04, "which counts too");
	is_int(choose(core, 0x08), 0x08, "a port without a scheduler");
	free(core);
}

/* Half of four places. */
static void check_waiting(void)
{
	struct sim_core *core = core_new();

	core->ports.pending[0] = 1;
	is_int(choose(core, ALUS), 0x01, "one more waits");
	core->ports.pending[0] = 2;
	memset(core->scheduler_uses, 0, sizeof(core->scheduler_uses));
	is_int(choose(core, ALUS), 0x02, "two more wait");
	core->ports.pending[1] = core->ports.pending[2] = 1;
	memset(core->scheduler_uses, 0, sizeof(core->scheduler_uses));
	is_int(choose(core, ALUS), 0x01, "than anywhere else");
	core->ports.pending[4] = 2;
	memset(core->scheduler_uses, 0, sizeof(core->scheduler_uses));
	is_int(choose(core, ALUS), 0x01, "at the ports that it may use");
	free(core);
}

static void check_apart(void)
{
	struct sim_core *core = core_new();

	core->program = &apart;
	core->ports.pending[0] = 1;
	is_int(choose(core, ALUS), 0x02, "where least waits");
	core->ports.pending[1] = 1;
	is_int(choose(core, ALUS), 0x04, "of those not used in the cycle");
	is_int(choose(core, ALUS), 0x01, "if it is the last");
	free(core);
}

static void check_room(void)
{
	struct sim_core *core = core_new();

	core->ports.pending[0] = core->ports.pending[4] = 3;
	ok(has_room(core, 0x01), "a place serves both parts");
	core->ports.pending[0] = 4;
	ok(!has_room(core, 0x01), "four places");
	ok(!has_room(core, 0x10), "for either");
	ok(has_room(core, ALUS), "another has some");
	core->ports.pending[1] = core->ports.pending[2] = 4;
	ok(!has_room(core, ALUS), "none has");
	ok(has_room(core, 0x08), "a port without a scheduler");
	free(core);
}

/*
 * Two schedulers with two places each behind a queue of three places: measured on Zen 4 with 32,
 * 32 and 64, where a chain of multiplications behind 44 waiting additions begins at once, behind
 * 64 of them when they have left, and one of integers is held up by 128.
 */
static const struct takt_scheduler behind_queue[] = {
	{.ports = 0x03, .entries = 2, .queue_entries = 2},
	{.ports = 0x0c, .entries = 2, .queue_entries = 1},
};
static const struct sim_program queued = {
	.schedulers = behind_queue,
	.scheduler_count = 2,
	.schedulers_mixed = true,
	.memory_ports = MEMORY,
	.queued_ports = 0x0f,
	.queued_entries = 4,
	.queued_places = 7,
};

static long long entered(struct sim_core *core)
{
	const struct sim_uop uop = {.ports = 0x0f, .schedulers = 3};
	uint64_t ready = 0;

	sim_scheduler_choose(core, &uop, &ready);
	return (long long)ready;
}

/* Let a µop wait for the port until the cycle. */
static void wait_until(struct sim_core *core, unsigned port, uint64_t cycle)
{
	core->ports.reserved[cycle / 64][port] |= (uint64_t)1 << cycle % 64;
	core->ports.pending[port]++;
	core->ports.pending_all++;
}

static void check_queue(void)
{
	const struct sim_uop uop = {.ports = 0x05, .schedulers = 3};
	struct sim_core *core = core_new();

	core->program = &queued;
	core->cycle = 60;
	wait_until(core, 0, 61);
	wait_until(core, 1, 90);
	wait_until(core, 2, 200);
	is_int(entered(core), 0, "one place is left");
	wait_until(core, 3, 201);
	is_int(entered(core), 62, "the first that leaves makes room");
	wait_until(core, 0, 300);
	is_int(entered(core), 91, "the next has left for the µop before it");
	wait_until(core, 0, 301);
	is_int(entered(core), 201, "two more wait, in other words");
	ok(sim_scheduler_has_room(core, &uop), "the queue has a place");
	wait_until(core, 2, 302);
	ok(!sim_scheduler_has_room(core, &uop), "it has none");
	free(core);
}

static void check_queue_choice(void)
{
	const struct sim_uop uop = {.ports = 0x05, .schedulers = 3};
	struct sim_core *core = core_new();
	uint64_t ready = 5;

	core->program = &queued;
	core->ports.pending[1] = 1;
	core->ports.pending_all = 1;
	is_int(sim_scheduler_choose(core, &uop, &ready), 0x04, "where fewer wait for any port");
	is_int(sim_scheduler_choose(core, &uop, &ready), 0x01, "but first one not used yet");
	is_int((long long)ready, 5, "without a queue no later");
	free(core);
}

int main(void)
{
	check_group();
	check_spread();
	check_waiting();
	check_apart();
	check_room();
	check_queue();
	check_queue_choice();
	return tap_done();
}
