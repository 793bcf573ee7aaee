/* SPDX-License-Identifier: MIT */
/* The simulator in the role of a machine whose internals are unknown. */
#include <stdlib.h>
#include <string.h>

#include "bounds/bounds.h"
#include "characterize/machine/backend.h"
#include "sim/sim.h"

/* µops are counted in the second half of this many instructions, or iterations. */
#define COUNTED_INSNS 1200u
#define COUNTED_ITERATIONS_MIN 16u
/* Spread of cycles that are a slope, as no steady state was found. */
#define SLOPE_SPREAD 0.01

struct sim_machine {
	struct probe_machine machine;
	const struct takt_model *model;
	struct probe_sim_options options;
	struct takt_arena arena;
	uint64_t runs;
};

static void prepare(struct sim_machine *sim, struct takt_block *block, struct sim_block *ret_block)
{
	const struct takt_memory_options memory = {
		.loop = true,
		.window_instructions = (uint32_t)takt_model_params(sim->model)->rob_entries};
	struct takt_memory_dependences dependences;
	struct takt_timing *timings = TAKT_NEW_ARRAY(&sim->arena, block->count, struct takt_timing);
	bool *fused = TAKT_NEW_ARRAY(&sim->arena, block->count, bool);

	takt_block_timings(sim->model, block, &sim->arena, timings, fused);
	takt_memory_dependences_find(block, &memory, &sim->arena, &dependences);
	*ret_block = (struct sim_block){
		sim->model, block, timings, fused, dependences.edges, dependences.edge_count,
		NULL,	    0};
}

/* Count µops in the steady state, from each simulated µop. */
static void count_uops(struct sim_machine *sim, const struct sim_block *block,
		       const struct sim_options *options, double ret_uops[TAKT_PORTS_MAX])
{
	uint32_t iterations = COUNTED_INSNS / block->block->count;
	struct sim_trace trace;
	uint32_t first;

	if (iterations < COUNTED_ITERATIONS_MIN)
		iterations = COUNTED_ITERATIONS_MIN;
	takt_simulate_trace(block, options, iterations, &sim->arena, &trace);
	first = trace.iterations / 2;
	for (uint32_t i = 0; i < trace.slot_count; i++) {
		const struct sim_trace_slot *slot = &trace.slots[i];

		if (slot->iteration < first || slot->iteration >= trace.iterations)
			continue;
		for (uint32_t k = slot->first_uop; k < slot->first_uop + slot->uop_count; k++)
			if (trace.uops[k].port < TAKT_PORTS_MAX)
				ret_uops[trace.uops[k].port] += 1.0 / (trace.iterations - first);
	}
}

/* Return a random number from 0 to below 1. */
static double random_part(struct sim_machine *sim)
{
	uint64_t number = takt_hash64(sim->options.seed ^ takt_hash64(++sim->runs));

	return (double)(number >> 11) / (double)(UINT64_C(1) << 53);
}

/* Fraction by which a disturbed run takes longer, at most. */
#define OUTLIER_MAX 0.2

static double noise(struct sim_machine *sim)
{
	double part = sim->options.noise * random_part(sim);

	return random_part(sim) < sim->options.outliers ? part + OUTLIER_MAX * random_part(sim)
							: part;
}

/* ---- loops ---------------------------------------------------------------- */

#define LOOP_END_BYTES 9
#define LOOP_END_AARCH64_BYTES 8

/* Return the highest general register that the block does not use; rsp if there is none. */
static unsigned free_register(const struct takt_block *block)
{
	uint32_t used = 1u << (TAKT_LOC_RSP - TAKT_LOC_GPR);

	for (uint32_t i = 0; i < block->count; i++)
		for (unsigned a = 0; a < block->insns[i].access_count; a++) {
			unsigned number = block->insns[i].accesses[a].location - TAKT_LOC_GPR;

			if (number < 16)
				used |= 1u << number;
		}
	for (unsigned number = 16; number-- > 0;)
		if (!(used >> number & 1))
			return number;
	return TAKT_LOC_RSP - TAKT_LOC_GPR;
}

static void put_word(uint8_t *bytes, uint32_t word)
{
	for (unsigned i = 0; i < sizeof(word); i++)
		bytes[i] = (uint8_t)(word >> 8 * i);
}

/* Return the block followed by `sub reg, reg, 1; cbnz reg` back to its start. */
static const uint8_t *make_aarch64_loop(struct sim_machine *sim, const struct takt_block *block,
					const uint8_t *bytes, size_t size_bytes)
{
	unsigned reg = free_register(block);
	uint32_t words = (uint32_t)(size_bytes / sizeof(uint32_t)) + 1;
	uint8_t *loop = TAKT_NEW_ARRAY(&sim->arena, size_bytes + LOOP_END_AARCH64_BYTES, uint8_t);

	memcpy(loop, bytes, size_bytes);
	put_word(loop + size_bytes, UINT32_C(0xd1000400) | reg << 5 | reg);
	put_word(loop + size_bytes + sizeof(uint32_t),
		 UINT32_C(0xb5000000) | (-words & 0x7ffff) << 5 | reg);
	return loop;
}

/* Return the block followed by `dec reg; jne` back to its start. */
static const uint8_t *make_loop(struct sim_machine *sim, const struct takt_block *block,
				const uint8_t *bytes, size_t size_bytes)
{
	unsigned reg = free_register(block);
	int32_t back = -(int32_t)(size_bytes + LOOP_END_BYTES);
	const uint8_t end[] = {(uint8_t)(0x48 | reg >> 3), 0xff, (uint8_t)(0xc8 | (reg & 7)), 0x0f,
			       0x85};
	uint8_t *loop = TAKT_NEW_ARRAY(&sim->arena, size_bytes + LOOP_END_BYTES, uint8_t);

	memcpy(loop, bytes, size_bytes);
	memcpy(loop + size_bytes, end, sizeof(end));
	memcpy(loop + size_bytes + sizeof(end), &back, sizeof(back));
	return loop;
}

static bool decode(struct sim_machine *sim, const uint8_t *bytes, size_t size_bytes,
		   struct takt_block *ret_block)
{
	return takt_decode_block(sim->machine.isa,
				 &(struct takt_code_bytes){bytes, size_bytes, 0, "", NULL},
				 &sim->arena, NULL, ret_block) == TAKT_OK &&
	       ret_block->count;
}

/* Decode the block with the end of a loop. */
static bool close_loop(struct sim_machine *sim, const uint8_t *bytes, size_t size_bytes,
		       struct takt_block *block)
{
	if (sim->machine.isa == &takt_isa_aarch64)
		return decode(sim, make_aarch64_loop(sim, block, bytes, size_bytes),
			      size_bytes + LOOP_END_AARCH64_BYTES, block);
	return decode(sim, make_loop(sim, block, bytes, size_bytes), size_bytes + LOOP_END_BYTES,
		      block);
}

static bool run(struct probe_machine *machine, const uint8_t *bytes, size_t size_bytes, bool loop,
		struct probe_outcome *ret_outcome)
{
	struct sim_machine *sim = (struct sim_machine *)machine;
	const struct sim_options options = {.loop = loop};
	struct sim_summary summary;
	struct takt_block block;
	struct sim_block prepared;

	*ret_outcome = (struct probe_outcome){.reason = "not machine code"};
	takt_arena_clear(&sim->arena);
	if (!decode(sim, bytes, size_bytes, &block))
		return false;
	if (loop && !close_loop(sim, bytes, size_bytes, &block))
		return false;
	prepare(sim, &block, &prepared);
	takt_simulate(&prepared, &options, &sim->arena, &summary);
	if (machine->has_counters)
		count_uops(sim, &prepared, &options, ret_outcome->port_uops);
	ret_outcome->cycles = summary.cycles * (1 + noise(sim));
	ret_outcome->spread = sim->options.noise + (summary.period_iterations ? 0 : SLOPE_SPREAD);
	ret_outcome->reason = "";
	return true;
}

static bool supports(const struct probe_machine *machine, const struct takt_insn *insn)
{
	return takt_model_supports(((const struct sim_machine *)machine)->model, insn);
}

static const char *port_name(const struct probe_machine *machine, uint32_t port)
{
	return takt_model_port_name(((const struct sim_machine *)machine)->model, port);
}

static void close_sim(struct probe_machine *machine)
{
	struct sim_machine *sim = (struct sim_machine *)machine;

	takt_arena_release(&sim->arena);
	free(sim);
}

struct probe_store_ports takt_probe_store_ports(const struct takt_model *model, bool vector)
{
	struct takt_access_ports ports;

	takt_model_access_ports(model, vector, vector ? 16 : 8, false, &ports);
	return (struct probe_store_ports){ports.store_address, ports.store_data};
}

struct probe_machine *takt_probe_sim_open(const struct takt_model *model,
					  const struct probe_sim_options *options)
{
	struct sim_machine *sim = takt_xcalloc(1, sizeof(*sim));

	sim->machine =
		(struct probe_machine){.name = takt_model_name(model),
				       .isa = takt_model_isa(model),
				       .has_counters = options->counters,
				       .port_count = takt_model_port_count(model),
				       .general_stores = takt_probe_store_ports(model, false),
				       .vector_stores = takt_probe_store_ports(model, true),
				       .run = run,
				       .supports = supports,
				       .port_name = port_name,
				       .close = close_sim};
	sim->model = model;
	sim->options = *options;
	return &sim->machine;
}

void takt_probe_machine_close(struct probe_machine *machine)
{
	if (machine)
		machine->close(machine);
}
