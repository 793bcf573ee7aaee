/* SPDX-License-Identifier: MIT */
/*
 * Checks rows of AArch64 instructions: copies that wait for each other give the latency, those that
 * do not give the throughput. Where the simulator with the core as it is known so far takes another
 * time, the row gets the difference in latency. A throughput that differs is counted, and the row
 * keeps its ports.
 */
#include <math.h>
#include <string.h>

#include "learn/learn.h"

#define AGREEMENT 0.03		  /* relative difference of times that noise explains */
#define THROUGHPUT_AGREEMENT 0.06 /* the same where copies are placed on ports */
#define WHOLE 0.25 /* cycles that a difference of latencies is from a whole number, at most */
#define PAIRS_MAX 24u
#define TAG "here"

/* Registers of code whose copies do not wait for each other. */
#define GENERAL_READ 3u
#define GENERAL_WRITTEN 6u
#define VECTOR_READ 16u
#define VECTOR_WRITTEN 18u
#define POINTER 1u

/* Kinds of instructions: the registers, and what they read beside the fields. */
enum kind {
	GENERAL,
	VECTOR,
	ACCUMULATOR, /* vector registers; the destination is read, too */
	LOAD,	     /* the register that is read is an address */
};

/* Lowest bits of the fields of registers, added up. */
enum { FIRST = 1 << 5, SECOND = 1 << 16, THIRD = 1 << 10 };

static const struct chain {
	const char *text;
	uint32_t code;
	enum kind kind;
	uint32_t fields;
} chains[] = {
#define CHAIN(text, code, kind, fields) {text, code, kind, fields},
#include "learn/chains.def"
#undef CHAIN
};

static uint32_t read_register(const struct chain *chain)
{
	return chain->kind == LOAD ? POINTER : chain->kind == GENERAL ? GENERAL_READ : VECTOR_READ;
}

/* Copies wait for each other by all sources but the second: with two equal ones, some instructions
 * are idioms. */
static uint32_t chained(const struct chain *chain)
{
	if (chain->kind == LOAD)
		return chain->code | POINTER * (chain->fields + 1);
	return chain->code | read_register(chain) * (chain->fields & SECOND);
}

static uint32_t independent(const struct chain *chain, uint32_t index)
{
	bool general = chain->kind == LOAD || chain->kind == GENERAL;

	return chain->code | read_register(chain) * chain->fields |
	       ((general ? GENERAL_WRITTEN : VECTOR_WRITTEN) + index);
}

bool learn_chain_at(size_t index, struct learn_chain *ret_chain)
{
	if (index >= TAKT_COUNT_OF(chains))
		return false;
	ret_chain->text = chains[index].text;
	ret_chain->waiting = chained(&chains[index]);
	for (uint32_t i = 0; i < LEARN_CHAIN_COPIES; i++)
		ret_chain->independent[i] = independent(&chains[index], i);
	return true;
}

/* A chain that is being checked. */
struct checking {
	struct learn *learn;
	struct takt_model *model;
	struct learn_player *player;
	struct takt_port_list ports;
	struct takt_text text; /* the new rows */
};

/* Time the copies on the machine and in the simulator; false if one of both cannot be said. */
static bool time_copies(const struct checking *checking, const struct learn_chain *chain,
			bool waiting, double *ret_machine, double *ret_simulated)
{
	const struct learn_layout layout = {.loop = true};
	struct learn_code code = {.arena = checking->learn->arena};
	struct learn_timing timing;

	for (uint32_t i = 0; i < LEARN_CHAIN_COPIES; i++)
		learn_aarch64_add_insn(&code, waiting ? chain->waiting : chain->independent[i]);
	learn_time(checking->learn, chain->text, waiting, &code, &layout, &timing);
	*ret_machine = timing.cycles / LEARN_CHAIN_COPIES;
	*ret_simulated = learn_player_time(checking->player, &code, &layout) / LEARN_CHAIN_COPIES;
	return *ret_machine > 0 && *ret_simulated > 0;
}

static uint16_t longer(uint16_t cycles, uint16_t simulated, int more)
{
	return cycles != simulated ? cycles : (uint16_t)(cycles + more > 0 ? cycles + more : 0);
}

/* Write the row, whose latencies of `simulated` cycles are `more` cycles longer. */
static void write_row(struct checking *checking, takt_form_key form,
		      const struct takt_timing *known, uint16_t simulated, int more)
{
	struct takt_timing timing = *known;
	struct takt_latency latencies[PAIRS_MAX];

	timing.latency_count = 0;
	for (unsigned i = 0; i < known->latency_count && i < PAIRS_MAX; i++) {
		latencies[i] = known->latencies[i];
		latencies[i].cycles = longer(latencies[i].cycles, simulated, more);
		timing.latency_count++;
	}
	timing.latencies = latencies;
	timing.latency_default = longer(known->latency_default, simulated, more);
	takt_timing_row_write(takt_model_isa(checking->model), form, &timing, &checking->ports, TAG,
			      &checking->text);
}

/* True if the row has a latency that explains the simulated time: that one is corrected. */
static bool has_latency(const struct takt_timing *timing, double simulated)
{
	bool found = fabs(timing->latency_default - simulated) < WHOLE;

	for (unsigned i = 0; i < timing->latency_count; i++)
		found |= fabs(timing->latencies[i].cycles - simulated) < WHOLE;
	return found;
}

/* Check the row of a chain's instruction. */
static void check(struct checking *checking, const struct learn_chain *chain,
		  const struct takt_insn *insn)
{
	struct takt_survey_correction *found = &checking->learn->forms;
	double machine, simulated, copies, simulated_copies, more;
	struct takt_timing_storage storage;
	struct takt_timing timing;
	bool latency_differs;

	if (!time_copies(checking, chain, true, &machine, &simulated))
		return;
	found->compared++;
	more = machine - simulated;
	latency_differs = fabs(more) > AGREEMENT * simulated && fabs(more) > 0.5;
	takt_model_timing(checking->model, insn, &storage, &timing);
	if (latency_differs && fabs(more - round(more)) <= WHOLE &&
	    has_latency(&timing, simulated)) {
		write_row(checking, insn->form, &timing, (uint16_t)lround(simulated),
			  (int)lround(more));
		found->corrected++;
		return;
	}
	/* An accumulator's copies wait for those of the iteration before. */
	if (!latency_differs && (!time_copies(checking, chain, false, &copies, &simulated_copies) ||
				 fabs(copies / simulated_copies - 1) <= THROUGHPUT_AGREEMENT))
		found->agreeing++;
	else
		found->unexplained++;
}

static void check_all(struct checking *checking)
{
	struct learn_chain chain;

	for (size_t i = 0; learn_chain_at(i, &chain); i++) {
		uint8_t bytes[sizeof(uint32_t)];
		struct takt_insn insn;

		for (unsigned k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)(chain.waiting >> 8 * k);
		if (!learn_step(checking->learn, "instructions", i, TAKT_COUNT_OF(chains),
				chain.text))
			return;
		if (takt_decode(takt_model_isa(checking->model), bytes, sizeof(bytes), 0, &insn) ==
			    TAKT_OK &&
		    takt_model_supports(checking->model, &insn))
			check(checking, &chain, &insn);
	}
}

enum takt_status learn_chains(struct learn *learn)
{
	struct checking checking = {.learn = learn,
				    .model = learn_core_model(&learn->core, learn->nearest)};

	checking.player = learn_player_new(checking.model);
	takt_model_ports(checking.model, &checking.ports);
	check_all(&checking);
	learn->rows = takt_arena_printf(learn->arena, "%s", takt_text_data(&checking.text));
	takt_text_release(&checking.text);
	learn_player_free(checking.player);
	takt_model_close(checking.model);
	return TAKT_OK;
}
