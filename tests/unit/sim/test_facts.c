/* SPDX-License-Identifier: MIT */
/* Stores and a load behind them: whose bytes it reads. */
#include "sim/stream/facts.h"
#include "unit/tap.h"

struct access {
	uint64_t address;
	uint8_t bytes;
};

struct row {
	int line;
	struct access stores[3], load;
	int store; /* that it reads: 0 to 2; -1: none */
	bool fails;
	const char *what;
};

static const struct row rows[] = {
	{__LINE__, {{0x100, 8}}, {0x100, 8}, 0, false, "all of it"},
	{__LINE__, {{0x100, 8}}, {0x104, 4}, 0, false, "its upper half"},
	{__LINE__, {{0x100, 8}}, {0x108, 8}, -1, false, "what follows"},
	{__LINE__, {{0x100, 4}}, {0x100, 8}, 0, true, "wider than the store"},
	{__LINE__, {{0x100, 4}}, {0x104, 4}, -1, false, "other bytes of the piece"},
	{__LINE__, {{0x100, 4}, {0x104, 4}}, {0x100, 8}, 1, true, "of two stores"},
	{__LINE__, {{0x100, 4}, {0x104, 4}}, {0x100, 4}, 0, false, "of the older one"},
	{__LINE__, {{0x100, 8}, {0x100, 8}}, {0x100, 8}, 1, false, "of the last one"},
	{__LINE__, {{0x100, 8}, {0x103, 1}}, {0x100, 8}, 1, true, "with another byte in it"},
	{__LINE__, {{0x100, 8}, {0x103, 1}}, {0x104, 4}, 0, false, "beside that byte"},
	{__LINE__, {{0x100, 8}, {0x102, 1}, {0x105, 1}}, {0x102, 1}, 1, false, "a byte"},
	{__LINE__,
	 {{0x100, 2}, {0x102, 2}, {0x104, 2}},
	 {0x100, 2},
	 0,
	 false,
	 "the first of three"},
	{__LINE__, {{0x100, 16}}, {0x104, 8}, 0, false, "over two pieces"},
	{__LINE__, {{0x100, 64}}, {0x120, 32}, 0, false, "out of a wide store"},
	{__LINE__, {{0x100, 8}, {0x108, 8}}, {0x100, 16}, 1, true, "two halves"},
	{__LINE__, {{0x13c, 8}}, {0x13e, 4}, 0, false, "over the end of a line"},
	{__LINE__, {{0xfffffffffffffffe, 8}}, {0, 4}, 0, false, "over the end of all"},
};

struct fixture {
	struct takt_core_params params;
	struct sim_memory memory;
	struct sim_insn store, load;
	struct sim_program program;
	struct sim_facts facts;
};

/* A store and a load through one register. */
static struct fixture *fixture_new(void)
{
	struct fixture *fixture = takt_xcalloc(1, sizeof(*fixture));

	fixture->memory = (struct sim_memory){
		.load = true, .store = true, .bytes = 64, .renamed_base = TAKT_LOC_GPR};
	fixture->store = (struct sim_insn){.memory_count = 1, .store_count = 1};
	fixture->load = (struct sim_insn){.memory_count = 1};
	fixture->program =
		(struct sim_program){.params = &fixture->params, .memories = &fixture->memory};
	sim_facts_init(&fixture->facts, &fixture->program);
	return fixture;
}

static struct sim_dynamic run(struct fixture *fixture, struct access access, bool store)
{
	const struct sim_stream_access made = {
		.address = access.address, .size_bytes = access.bytes, .store = store};
	struct sim_dynamic dynamic = {0};

	sim_facts_find(&fixture->facts, store ? &fixture->store : &fixture->load, &made, 1, NULL,
		       &dynamic);
	return dynamic;
}

static void check_row(const struct row *row)
{
	struct fixture *fixture = fixture_new();
	uint32_t numbers[3] = {0};
	struct sim_fact fact;
	bool found;

	for (unsigned i = 0; i < 3 && row->stores[i].bytes; i++)
		numbers[i] = run(fixture, row->stores[i], true).first_store;
	fact = run(fixture, row->load, false).facts[0];
	found = fact.flags & SIM_FACT_STORED;
	tap_ok_at(__FILE__, row->line, found == (row->store >= 0), "%s: found", row->what);
	if (found && row->store >= 0)
		tap_ok_at(__FILE__, row->line,
			  fact.store == numbers[row->store] &&
				  !(fact.flags & SIM_FACT_FAILS) == !row->fails,
			  "%s: store %u, flags %u", row->what, fact.store - numbers[0], fact.flags);
	free(fixture);
}

static void check_age(void)
{
	struct fixture *fixture = fixture_new();

	run(fixture, (struct access){0x100, 8}, true);
	for (uint32_t i = 1; i < SIM_STORES - 1; i++)
		run(fixture, (struct access){0x10000, 8}, true);
	ok(run(fixture, (struct access){0x100, 8}, false).facts[0].flags & SIM_FACT_STORED,
	   "remembered for long");
	for (uint32_t i = 0; i < 2; i++)
		run(fixture, (struct access){0x10000, 8}, true);
	ok(!(run(fixture, (struct access){0x100, 8}, false).facts[0].flags & SIM_FACT_STORED),
	   "but not for ever");
	free(fixture);
}

static uint16_t line_back(struct fixture *fixture, uint64_t address, uint16_t extra_cycles)
{
	const struct sim_stream_access made = {
		.address = address, .size_bytes = 8, .extra_cycles = extra_cycles};
	struct sim_dynamic dynamic = {0};

	sim_facts_find(&fixture->facts, &fixture->load, &made, 1, NULL, &dynamic);
	return dynamic.facts[0].line_back;
}

/* Loads of a line that another load has missed not long ago. */
static void check_misses(void)
{
	struct fixture *fixture = fixture_new();

	is_int(line_back(fixture, 0x1000, 100), 0, "the miss itself");
	is_int(line_back(fixture, 0x1038, 0), 1, "the same line");
	is_int(line_back(fixture, 0x1040, 0), 0, "another one");
	is_int(line_back(fixture, 0x1010, 0), 3, "the same line again");
	is_int(line_back(fixture, 0x1010, 50), 0, "it was evicted, and missed again");
	is_int(line_back(fixture, 0x1000, 0), 1, "that miss counts");
	for (uint32_t i = 0; i < SIM_ROB_MAX; i++)
		line_back(fixture, 0x9040, 0);
	is_int(line_back(fixture, 0x1000, 0), 0, "it came long ago");
	free(fixture);
}

/* A line is on its way from the access on that let it be prefetched; then so many items. */
static void check_prefetches(void)
{
	struct fixture *fixture = fixture_new();
	const struct sim_stream_prefetch lines[] = {{0x5000, 1}, {0x7000, SIM_LEVEL_MEMORY}};
	const struct sim_stream_access access = {
		.address = 0x1000, .size_bytes = 8, .prefetches = 2};
	const struct sim_stream_access use = {.address = 0x7010, .size_bytes = 8};
	struct sim_dynamic dynamic = {0};

	sim_facts_find(&fixture->facts, &fixture->load, &access, 1, lines, &dynamic);
	is_int(dynamic.facts[0].prefetches, SIM_LEVEL_MEMORY << 2 | 1, "from two levels");
	is_int(dynamic.facts[0].line_back, 0, "its own line is there");
	sim_facts_find(&fixture->facts, &fixture->load, &use, 1, NULL, &dynamic);
	is_int(dynamic.facts[0].line_back, 1, "a use of it");
	is_int(sim_fact_line(&dynamic.facts[0]), SIM_LINE_PREFETCH + 1, "the second");
	sim_facts_find(&fixture->facts, &fixture->load, &use, 1, NULL, &dynamic);
	is_int(dynamic.facts[0].line_back, 2, "another use of it");
	for (uint32_t i = 0; i < SIM_PREFETCHED_ITEMS; i++)
		line_back(fixture, 0x9040, 0);
	is_int(line_back(fixture, 0x7000, 0), 0, "it came long ago");
	free(fixture);
}

static void check_lines(void)
{
	struct fixture *fixture = fixture_new();

	fixture->params.store_commit_bytes = 64;
	run(fixture, (struct access){0x100, 8}, true);
	ok(run(fixture, (struct access){0x138, 8}, true).facts[0].flags & SIM_FACT_SAME_PIECE,
	   "the line of the store before");
	fixture->params.store_commit_bytes = 32;
	is_int(run(fixture, (struct access){0x118, 8}, true).facts[0].flags &
		       (SIM_FACT_SAME_PIECE | SIM_FACT_OTHER_LINE),
	       0, "the other half of this line");
	ok(run(fixture, (struct access){0x140, 8}, true).facts[0].flags & SIM_FACT_OTHER_LINE,
	   "another line");
	ok(run(fixture, (struct access){0x140, 8}, false).facts[0].flags & SIM_FACT_RENAMED,
	   "the same register and size");
	ok(!(run(fixture, (struct access){0x140, 4}, false).facts[0].flags & SIM_FACT_FAILS),
	   "a part is forwarded");
	is_int(run(fixture, (struct access){0x144, 8}, false).facts[0].banks, 0, "no banks");
	fixture->params.loads_per_bank = 2;
	is_int(run(fixture, (struct access){0x144, 8}, false).facts[0].banks, 6, "two banks");
	is_int(run(fixture, (struct access){0x17c, 8}, false).facts[0].banks, 0x8001,
	       "the last and the first");
	free(fixture);
}

/* Stores that go to two pieces of 32 bytes, where stores to a piece are collected. */
static void check_pieces(void)
{
	const uint8_t flags = SIM_FACT_SAME_PIECE | SIM_FACT_SPLIT;
	struct fixture *fixture = fixture_new();

	fixture->params.store_commit_bytes = 32;
	fixture->params.store_commit_collects = 1;
	fixture->memory.load = false;
	run(fixture, (struct access){0x100, 8}, true);
	is_int(run(fixture, (struct access){0x11c, 8}, true).facts[0].flags & flags, flags,
	       "from the piece of the store before to the next one");
	is_int(run(fixture, (struct access){0x128, 8}, true).facts[0].flags & flags,
	       SIM_FACT_SAME_PIECE, "that one again");
	is_int(run(fixture, (struct access){0x13c, 8}, true).facts[0].flags & flags, flags,
	       "to another line");
	is_int(run(fixture, (struct access){0x120, 8}, true).facts[0].flags & flags, 0,
	       "and back: the piece that was last is another");
	fixture->memory.load = true;
	is_int(run(fixture, (struct access){0x11c, 8}, true).facts[0].flags & SIM_FACT_SPLIT, 0,
	       "the load of such an instruction crosses no line");
	fixture->params.store_commit_collects = 0;
	is_int(run(fixture, (struct access){0x11c, 8}, true).facts[0].flags & SIM_FACT_SPLIT, 0,
	       "no cost where stores are not collected");
	free(fixture);
}

/* True if a load is renamed that reads what a store wrote, with `others` loads between them. */
static bool is_renamed_after(struct fixture *fixture, unsigned others)
{
	run(fixture, (struct access){0x100, 8}, true);
	while (others--)
		run(fixture, (struct access){0x9000, 8}, false);
	return run(fixture, (struct access){0x100, 8}, false).facts[0].flags & SIM_FACT_RENAMED;
}

/* A core that learns which loads are renamed, and knows at once those whose store is far enough. */
static struct fixture *learner_new(uint32_t registers)
{
	struct fixture *fixture = fixture_new();

	fixture->params.store_forward_renamed_learnt = 3;
	fixture->params.store_forward_renamed_distance = 4;
	fixture->params.store_queue_entries = 64;
	fixture->params.store_bypass_flush_cycles = 40;
	fixture->params.issue_width = 2;
	fixture->params.load_latency_int = 4;
	fixture->memory.bytes = 8;
	fixture->memory.address_registers = registers;
	sim_facts_init(&fixture->facts, &fixture->program);
	return fixture;
}

static void check_renaming(void)
{
	struct fixture *fixture = learner_new(1u << 3);

	ok(!is_renamed_after(fixture, 2), "a near store is not known");
	ok(is_renamed_after(fixture, 3), "one that is further away is");
	fixture->memory.address_registers = 1u << (TAKT_LOC_RSP - TAKT_LOC_GPR);
	ok(is_renamed_after(fixture, 0), "with the stack pointer, a near one is");
	free(fixture);
}

/* Train the load, then let it read what no store wrote. */
static bool is_misrenamed(struct fixture *fixture)
{
	for (unsigned i = 0; i < 5; i++)
		is_renamed_after(fixture, 0);
	return run(fixture, (struct access){0x200, 8}, false).facts[0].misrenamed;
}

static void check_misrenamed(void)
{
	struct fixture *fixture = learner_new(0);

	ok(is_misrenamed(fixture), "a load that was renamed, and reads something else");
	ok(is_misrenamed(fixture), "the same again, ten records later");
	fixture->params.issue_width = 4;
	ok(!is_misrenamed(fixture), "if more are renamed before it is found, it is found with it");
	free(fixture);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check_row(&rows[i]);
	check_age();
	check_misses();
	check_prefetches();
	check_lines();
	check_pieces();
	check_renaming();
	check_misrenamed();
	return tap_done();
}
