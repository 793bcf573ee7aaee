/* SPDX-License-Identifier: MIT */
/*
 * Counts of a function's blocks without running it: control is followed from the entry, through
 * branches that constants and values at entry decide. Other branches are assumed: those that leave
 * a loop do so after as many iterations as are given for it, the rest lead to where loops are, or
 * alternate.
 */
#include <string.h>

#include "analyze/nest.h"

#define BLOCKS_MAX 4096u
#define LOOPS_MAX 256u
#define INSNS_RUN_MAX 20000000u /* instructions after which the run is cut */

struct node {
	uint32_t first, count; /* instructions */
	uint32_t next[2];      /* blocks: after it, and the branch's target; NO_BLOCK: none */
	bool conditional;
	uint64_t executions, edges[2];
	uint32_t depth;	   /* loops around it */
	uint32_t worth[2]; /* blocks of inner loops that each successor leads to */
	uint32_t flips;	   /* times that an undecided branch was passed */
};

#define NO_BLOCK UINT32_MAX

struct run_loop {
	uint32_t head, size;
	bool *inside;
	uint64_t iteration, wanted;
	enum takt_trips trips;
	bool decided; /* the code itself decides when it ends */
};

struct run {
	const struct takt_nest_function *function;
	struct takt_arena *arena;
	struct takt_diag *diag;
	struct takt_insn_flow *flows; /* by instruction */
	struct node *nodes;
	uint32_t node_count;
	uint32_t *node_at; /* by offset in bytes: 1 + block that begins there, 0: none */
	struct run_loop *loops;
	uint32_t loop_count;
	struct takt_path_values *values;
};

/* ---- blocks ----------------------------------------------------------------------------- */

static uint64_t offset_of(const struct run *run, uint32_t insn)
{
	return run->function->block->insns[insn].address - run->function->address;
}

static bool target_offset(const struct run *run, uint32_t insn, uint64_t *ret_offset)
{
	const struct takt_insn_flow *flow = &run->flows[insn];
	uint64_t offset;

	if (flow->flow != TAKT_FLOW_BRANCH && flow->flow != TAKT_FLOW_JUMP)
		return false;
	offset = offset_of(run, insn) + flow->length_bytes + (uint64_t)(int64_t)flow->target;
	*ret_offset = offset;
	return offset < run->function->size_bytes;
}

static bool ends_block(const struct run *run, uint32_t insn)
{
	uint8_t flow = run->flows[insn].flow;

	return flow == TAKT_FLOW_BRANCH || flow == TAKT_FLOW_JUMP || flow == TAKT_FLOW_STOP;
}

/* Find how control leaves each instruction, and mark where blocks begin. */
static bool find_starts(struct run *run, bool *starts)
{
	const struct takt_block *block = run->function->block;

	run->flows = TAKT_NEW_ARRAY(run->arena, block->count, struct takt_insn_flow);
	for (uint32_t i = 0; i < block->count; i++)
		if (!takt_insn_flow_decode(run->function->block->isa, block->insns[i].bytes,
					   block->insns[i].length_bytes, &run->flows[i]))
			return false;
	starts[0] = true;
	for (uint32_t i = 0; i < block->count; i++) {
		uint64_t target;

		if (target_offset(run, i, &target))
			starts[target] = true;
		if (ends_block(run, i))
			starts[offset_of(run, i) + run->flows[i].length_bytes] = true;
	}
	return true;
}

static void connect(struct run *run, struct node *node)
{
	uint32_t last = node->first + node->count - 1;
	uint8_t flow = run->flows[last].flow;
	uint64_t offset = offset_of(run, last) + run->flows[last].length_bytes;

	node->next[0] = node->next[1] = NO_BLOCK;
	node->conditional = flow == TAKT_FLOW_BRANCH;
	if (flow != TAKT_FLOW_JUMP && flow != TAKT_FLOW_STOP && run->node_at[offset])
		node->next[0] = run->node_at[offset] - 1;
	if (target_offset(run, last, &offset) && run->node_at[offset])
		node->next[1] = run->node_at[offset] - 1;
}

static bool find_blocks(struct run *run)
{
	const struct takt_block *block = run->function->block;
	size_t size = run->function->size_bytes;
	bool *starts = TAKT_NEW_ARRAY(run->arena, size + 1, bool);

	if (!block->count || !find_starts(run, starts))
		return false;
	run->node_at = TAKT_NEW_ARRAY(run->arena, size + 1, uint32_t);
	run->nodes = TAKT_NEW_ARRAY(run->arena, BLOCKS_MAX, struct node);
	for (uint32_t i = 0; i < block->count; i++) {
		uint64_t offset = offset_of(run, i);

		if (starts[offset]) {
			if (run->node_count == BLOCKS_MAX)
				return false;
			run->nodes[run->node_count].first = i;
			run->node_at[offset] = ++run->node_count;
		}
		run->nodes[run->node_count - 1].count++;
	}
	for (uint32_t i = 0; i < run->node_count; i++)
		connect(run, &run->nodes[i]);
	return true;
}

/* ---- loops ------------------------------------------------------------------------------ */

static void set_trips(const struct run *run, struct run_loop *loop)
{
	const struct takt_paths_options *options = run->function->options;
	uint64_t address = run->function->address + offset_of(run, run->nodes[loop->head].first);

	loop->wanted = options->iterations ? options->iterations : TAKT_TRIPS_DEFAULT;
	loop->trips = options->iterations ? TAKT_TRIPS_GIVEN : TAKT_TRIPS_ASSUMED;
	for (size_t i = 0; i < options->loop_count; i++) {
		if (options->loops[i].address != address)
			continue;
		loop->wanted = options->loops[i].iterations;
		loop->trips = TAKT_TRIPS_GIVEN;
		loop->decided = true;
	}
}

static void find_loops(struct run *run)
{
	uint32_t count = run->node_count, edge_count = 0;
	struct takt_flow_edge *edges =
		TAKT_NEW_ARRAY(run->arena, 2 * (size_t)count, struct takt_flow_edge);
	struct takt_flow_graph flow;

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *next = run->nodes[i].next;
		uint32_t low = next[0] < next[1] ? next[0] : next[1];
		uint32_t high = next[0] < next[1] ? next[1] : next[0];

		if (low != NO_BLOCK)
			edges[edge_count++] = (struct takt_flow_edge){i, low, 1};
		if (high != NO_BLOCK && high != low)
			edges[edge_count++] = (struct takt_flow_edge){i, high, 1};
	}
	takt_flow_init(&flow, count, edges, edge_count, run->arena);
	takt_flow_search(&flow, 0);
	run->loops = TAKT_NEW_ARRAY(run->arena, LOOPS_MAX, struct run_loop);
	for (uint32_t i = 0; i < count && run->loop_count < LOOPS_MAX; i++) {
		struct run_loop *loop = &run->loops[run->loop_count];
		uint64_t back;

		if (!flow.nodes[i].is_head)
			continue;
		*loop = (struct run_loop){.head = i,
					  .inside = TAKT_NEW_ARRAY(run->arena, count, bool)};
		loop->size = takt_flow_find_body(&flow, i, loop->inside, &back);
		set_trips(run, loop);
		for (uint32_t k = 0; k < count; k++)
			run->nodes[k].depth += loop->inside[k];
		run->loop_count++;
	}
}

/* Return the smallest loop around both blocks; NULL: none. */
static struct run_loop *loop_around(const struct run *run, uint32_t block, uint32_t other)
{
	struct run_loop *best = NULL;

	for (uint32_t i = 0; i < run->loop_count; i++)
		if (run->loops[i].inside[block] && run->loops[i].inside[other] &&
		    (!best || run->loops[i].size < best->size))
			best = &run->loops[i];
	return best;
}

/*
 * Count the blocks in deeper loops that a successor leads to before control comes back to the
 * branch or leaves the loop around it.
 */
static uint32_t count_worth(const struct run *run, uint32_t from, uint32_t to, bool *seen,
			    uint32_t *stack)
{
	const struct run_loop *loop = loop_around(run, from, from);
	uint32_t depth = 0, worth = 0;

	memset(seen, 0, run->node_count * sizeof(*seen));
	seen[from] = true;
	if (loop)
		seen[loop->head] = true;
	stack[depth++] = to;
	while (depth) {
		uint32_t at = stack[--depth];

		if (at == NO_BLOCK || seen[at] || (loop && !loop->inside[at]))
			continue;
		seen[at] = true;
		worth += run->nodes[at].depth > run->nodes[from].depth;
		stack[depth++] = run->nodes[at].next[0];
		stack[depth++] = run->nodes[at].next[1];
	}
	return worth;
}

static void find_worths(struct run *run)
{
	bool *seen = TAKT_NEW_ARRAY(run->arena, run->node_count, bool);
	uint32_t *stack = TAKT_NEW_ARRAY(run->arena, 2 * (size_t)run->node_count + 2, uint32_t);

	for (uint32_t i = 0; i < run->node_count; i++)
		for (unsigned way = 0; way < 2 && run->nodes[i].conditional; way++)
			run->nodes[i].worth[way] =
				count_worth(run, i, run->nodes[i].next[way], seen, stack);
}

/* ---- the run ---------------------------------------------------------------------------- */

/* Return the smallest loop that has only one of the block's successors inside; or NULL. */
static struct run_loop *find_left(const struct run *run, uint32_t at, unsigned *ret_stay)
{
	const uint32_t *next = run->nodes[at].next;
	struct run_loop *best = NULL;

	for (uint32_t i = 0; i < run->loop_count; i++) {
		struct run_loop *loop = &run->loops[i];
		bool stays[2];

		if (!loop->inside[at] || (best && loop->size >= best->size))
			continue;
		for (unsigned way = 0; way < 2; way++)
			stays[way] = next[way] != NO_BLOCK && loop->inside[next[way]];
		if (stays[0] == stays[1])
			continue;
		best = loop;
		*ret_stay = stays[1];
	}
	return best;
}

/* Choose the successor of a block that ends in a conditional branch: 1 if the branch is taken. */
static unsigned choose_successor(struct run *run, uint32_t at)
{
	struct node *node = &run->nodes[at];
	int known = takt_path_values_branch(run->values, node->first + node->count - 1);
	unsigned stay = 0;
	struct run_loop *loop = find_left(run, at, &stay);

	if (loop && (known < 0 || loop->decided)) {
		if (!loop->decided && known < 0)
			loop->trips = run->function->options->iterations ? TAKT_TRIPS_GIVEN
									 : TAKT_TRIPS_ASSUMED;
		return loop->iteration < loop->wanted ? stay : 1 - stay;
	}
	if (known >= 0) {
		if (loop)
			loop->trips = TAKT_TRIPS_CODE;
		return (unsigned)known;
	}
	if (node->worth[0] != node->worth[1])
		return node->worth[1] > node->worth[0];
	return node->depth ? node->flips++ & 1 : 0;
}

static void enter(struct run *run, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < run->loop_count; i++) {
		struct run_loop *loop = &run->loops[i];

		if (loop->head == to)
			loop->iteration =
				from != NO_BLOCK && loop->inside[from] ? loop->iteration + 1 : 1;
	}
}

static void execute(struct run *run, const struct node *node)
{
	for (uint32_t i = node->first; i < node->first + node->count; i++) {
		takt_path_values_run(run->values, i);
		if (run->flows[i].flow == TAKT_FLOW_CALL)
			takt_path_values_call(run->values);
	}
}

/* Follow control from the entry to the function's end; false if that takes too long. */
static bool follow(struct run *run)
{
	uint64_t insns = 0;
	uint32_t from = NO_BLOCK, at = 0;

	while (at != NO_BLOCK) {
		struct node *node = &run->nodes[at];
		unsigned way = node->next[0] == NO_BLOCK;

		enter(run, from, at);
		insns += node->count;
		if (insns > INSNS_RUN_MAX)
			return false;
		execute(run, node);
		node->executions++;
		if (node->conditional)
			way = choose_successor(run, at);
		node->edges[way]++;
		from = at;
		at = node->next[way];
	}
	return true;
}

/* ---- the counts ------------------------------------------------------------------------- */

static void fill_counts(const struct run *run, struct takt_nest_run *result)
{
	const struct takt_block *block = run->function->block;
	uint32_t count = run->node_count, blocks = 0, edges = 0;
	uint32_t *index = TAKT_NEW_ARRAY(run->arena, count, uint32_t);
	struct takt_flow_block *list = TAKT_NEW_ARRAY(run->arena, count, struct takt_flow_block);
	struct takt_flow_edge *arcs =
		TAKT_NEW_ARRAY(run->arena, 2 * (size_t)count, struct takt_flow_edge);

	for (uint32_t i = 0; i < count; i++) {
		const struct node *node = &run->nodes[i];
		uint32_t last = node->first + node->count - 1;

		if (!node->executions)
			continue;
		index[i] = blocks;
		list[blocks++] = (struct takt_flow_block){
			.offset = offset_of(run, node->first),
			.bytes = block->insns[node->first].bytes,
			.size_bytes =
				(uint32_t)(offset_of(run, last) + block->insns[last].length_bytes -
					   offset_of(run, node->first)),
			.executions = node->executions};
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct node *node = &run->nodes[i];
		bool swap = node->next[1] < node->next[0];

		for (unsigned k = 0; k < 2; k++) {
			unsigned way = k ^ swap;

			if (node->next[way] != NO_BLOCK && node->edges[way])
				arcs[edges++] = (struct takt_flow_edge){
					index[i], index[node->next[way]], node->edges[way]};
		}
	}
	result->counts = (struct takt_flow_counts){list, arcs, blocks, edges};
}

static void fill_trips(const struct run *run, struct takt_nest_run *result)
{
	struct takt_nest_trips *trips =
		TAKT_NEW_ARRAY(run->arena, run->loop_count, struct takt_nest_trips);

	for (uint32_t i = 0; i < run->loop_count; i++)
		trips[i] = (struct takt_nest_trips){
			offset_of(run, run->nodes[run->loops[i].head].first), run->loops[i].trips};
	result->trips = trips;
	result->trip_count = run->loop_count;
}

/* Report given loops that the function does not have. */
static enum takt_status check_given(const struct run *run)
{
	const struct takt_paths_options *options = run->function->options;

	for (size_t i = 0; i < options->loop_count; i++) {
		bool found = false;

		for (uint32_t k = 0; k < run->loop_count; k++)
			found |= run->function->address +
					 offset_of(run, run->nodes[run->loops[k].head].first) ==
				 options->loops[i].address;
		if (found)
			continue;
		takt_error(run->diag, "no loop begins at 0x%llx in '%s'",
			   (unsigned long long)options->loops[i].address, run->function->name);
		takt_note(run->diag,
			  "left out, it is no error: the loops are then listed with their "
			  "addresses");
		return TAKT_BAD_INPUT;
	}
	return TAKT_OK;
}

enum takt_status takt_nest_run(const struct takt_nest_function *function, struct takt_arena *arena,
			       struct takt_diag *diag, struct takt_nest_run *ret_run)
{
	struct run run = {.function = function, .arena = arena, .diag = diag};
	enum takt_status status;

	if (!find_blocks(&run)) {
		takt_error(diag,
			   "the control flow of '%s' cannot be followed: it has no instructions, "
			   "more than %u basic blocks, or branches of an unknown kind",
			   function->name, BLOCKS_MAX);
		return TAKT_BAD_INPUT;
	}
	find_loops(&run);
	status = check_given(&run);
	if (status != TAKT_OK)
		return status;
	find_worths(&run);
	run.values = takt_path_values_new(function->block, function->entry_values,
					  function->entry_value_count, arena);
	ret_run->complete = follow(&run);
	fill_counts(&run, ret_run);
	fill_trips(&run, ret_run);
	return TAKT_OK;
}
