/* SPDX-License-Identifier: MIT */
/* Two schedulers for memory that take half of a cycle's slots each, and pick two µops a cycle. */
#include <math.h>

#include "sim/core.h"
#include "unit/sim/kernel.h"

/*
 * Cycles measured on a Zen 5, in loops of 96 loads: V of 16 bytes to a vector register, G of 4
 * bytes to a general register. By the ports alone most would take less.
 */
static const struct {
	const char *hex, *what;
	double cycles;
} measured[] = {
	{"0f2803", "V", .50},
	{"448b4340", "G", .25},
	{"448b43400f284b200f2813", "G V V", .99},
	{"448b43400f284b200f28130f285b20", "G V V V", 1.56},
	{"448b43400f284b20448b53400f285b200f2823", "G V G V V", 1.60},
	{"448b43400f284b20", "G V", .57},
	{"448b4340448b4b600f2813", "G G V", .93},
	{"448b4340448b4b60448b53400f285b20", "G G G V", 1.13},
	{"448b4340448b4b600f28130f285b20", "G G V V", 1.41},
	{"448b4340448b4b600f28130f285b200f2823", "G G V V V", 1.88},
	{"448b4340448b4b600f28130f285b200f28230f286b20", "G G V V V V", 2.40},
	{"448b4340448b4b60448b53400f285b200f28230f286b20", "G G G V V V", 2.07},
	{"448b4340448b4b60448b5340448b5b600f28230f286b20", "G G G G V V", 1.84},
	/* The addresses of nops and of lea do not go to memory, so that they may come last. */
	{"0f1f440000", "nop m", .125},
	{"8d85111111118d9d11111111666666666690666666666690666666666690", "lea lea nop nop nop",
	 .628},
};

static void check_blocks(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(measured); i++) {
		double cycles = kernel_cycles("ZEN5", measured[i].hex);

		ok(fabs(cycles / measured[i].cycles - 1) < .03, "%s: got %g, measured %g",
		   measured[i].what, cycles, measured[i].cycles);
	}
}

static const struct takt_core_params params = {.issue_width = 8,
					       .memory_scheduler_swap_entries = 4};
/* An instruction that takes a slot, and one that loads, too. */
static const struct sim_insn insns[] = {
	{.issue_slots = 1, .mite_slots = 1},
	{.issue_slots = 1, .mite_slots = 1, .memory_count = 1, .address_count = 1},
};
static const struct sim_program program = {
	.insns = insns, .half_ports = {0x3, 0xc}, .half_entries = 8};

/* Let the queue have instructions that load (L) and others. */
static void queue(struct sim_core *core, const char *loads)
{
	core->queue.head = core->queue.tail = 0;
	for (; *loads; loads++)
		core->queue.entries[core->queue.tail++] =
			(struct sim_queue_entry){.insn = *loads == 'L'};
}

/* Let so many µops wait in the two schedulers, in a cycle that begins. */
static void begin(struct sim_core *core, uint16_t waiting, uint16_t others)
{
	core->ports.pending[0] = waiting;
	core->ports.pending[2] = others;
	core->cycle++;
}

static void check_choice(void)
{
	struct sim_core *core = takt_xcalloc(1, sizeof(*core));

	core->params = &params;
	core->program = &program;
	begin(core, 3, 0);
	ok(sim_halves_have_room(core, 0), "both have four free places");
	is_int(sim_half_of(core, 0), 0, "the first half goes to one");
	is_int(sim_half_of(core, 3), 0, "all of it");
	is_int(sim_half_of(core, 4), 1, "the second to the other");
	begin(core, 4, 3);
	sim_halves_have_room(core, 0);
	is_int(sim_half_of(core, 0), 1, "four wait, and fewer in the other");
	begin(core, 0, 4);
	sim_halves_have_room(core, 0);
	begin(core, 0, 0);
	sim_halves_have_room(core, 0);
	is_int(sim_half_of(core, 1), 1, "nothing changes by a cycle without loads and stores");
	for (uint32_t slot = 1; slot < 4; slot++)
		sim_half_of(core, slot);
	begin(core, 0, 0);
	sim_halves_have_room(core, 0);
	is_int(sim_half_of(core, 1), 0, "every slot of a first half did");
	free(core);
}

static void check_room(void)
{
	struct sim_core *core = takt_xcalloc(1, sizeof(*core));

	core->params = &params;
	core->program = &program;
	begin(core, 2, 6);
	queue(core, "L...LLL");
	ok(sim_halves_have_room(core, 0), "one has two places, enough for the smaller half");
	is_int(sim_half_of(core, 0), 1, "which goes there");
	begin(core, 6, 5);
	queue(core, "LLLL.LLL");
	ok(!sim_halves_have_room(core, 0), "neither has room for four");
	queue(core, "L...LLL");
	ok(sim_halves_have_room(core, 0), "for one and three they have");
	queue(core, "LL...LLL");
	ok(sim_halves_have_room(core, 0), "nothing loads in the last slot");
	queue(core, "LLLL");
	ok(!sim_halves_have_room(core, 0), "not for four");
	ok(sim_halves_have_room(core, 1), "of which the last is in the second half");
	free(core);
}

int main(void)
{
	check_blocks();
	check_choice();
	check_room();
	return tap_done();
}
