/* SPDX-License-Identifier: MIT */
/* Streams on cores as shipped; cycles are worked out by hand beside each. */
#include "feed.h"

#define TIMES 2000

static double loop_of(const char *core, const char *hex, const struct sim_stream_options *options,
		      struct sim_stream_step step)
{
	struct feed *feed = feed_new(core, hex, options);
	double cycles;

	step.taken = true;
	cycles = feed_loop(feed, step, TIMES);
	feed_free(feed);
	return cycles;
}

/* ---- as loops are ------------------------------------------------------------------------- */

/* Stores go where the loop simulator takes them to go; loads are not told of. */
static uint32_t store_accesses(struct feed *feed, bool loop, uint64_t *line,
			       struct sim_stream_access *accesses, uint32_t most)
{
	const struct sim_options options = {.loop = loop};
	const struct sim_program *program =
		sim_program_new(&feed->kernel->block, &options, &feed->kernel->arena);
	uint32_t count = 0;

	for (uint32_t i = 0; i < program->insn_count; i++)
		for (unsigned m = 0; m < program->insns[i].memory_count; m++) {
			const struct sim_memory *memory =
				&program->memories[program->insns[i].memories + m];

			if (!memory->store || count == most)
				continue;
			*line += memory->same_piece ? 0 : 64;
			accesses[count++] = (struct sim_stream_access){
				.address = *line,
				.insn = (uint16_t)program->insns[i].insn,
				.size_bytes = memory->bytes ? memory->bytes : 1,
				.store = true};
		}
	return count;
}

/* Cycles per copy, loop or straight on. */
static double stream_block(struct feed *feed, bool loop, uint32_t times)
{
	struct sim_stream_access accesses[64];
	struct sim_stream_step step = {
		.block = feed->block,
		.accesses = accesses,
		.insn_count = feed->block->insn_count,
		.taken = loop,
	};
	const struct takt_insn *last =
		&feed->kernel->prepared.block.insns[feed->block->insn_count - 1];
	uint64_t start = feed->block->address, line = 1 << 20;
	uint64_t bytes = last->address + last->length_bytes;

	step.access_count = store_accesses(feed, loop, &line, accesses, 64);
	feed->middle = times / 2;
	for (uint32_t i = 0; i < times; i++) {
		if (!loop)
			feed->block->address = start + i * bytes;
		for (uint32_t a = 0; a < step.access_count; a++)
			accesses[a].address += line - (1 << 20);
		step.cookie = i;
		takt_sim_stream_step(feed->stream, &step);
	}
	takt_sim_stream_drain(feed->stream);
	return (double)(feed->before_parts - feed->middle_parts) / SIM_CYCLE_PARTS /
	       (double)(times - 1 - times / 2);
}

/* Blocks without their own branch get `dec r15; jnz`. */
static void close_loop(char *hex)
{
	size_t bytes = strlen(hex) / 2 + 3;

	sprintf(hex + strlen(hex), bytes + 2 <= 128 ? "49ffcf75%02x" : "49ffcf0f85%02x%02xffff",
		(unsigned)-(bytes + (bytes + 2 <= 128 ? 2 : 6)) & 0xff,
		(unsigned)-(bytes + 6) >> 8 & 0xff);
}

struct tally {
	uint32_t count, differ;
};

static void compare_block(const char *core, const char *hex, bool loop, struct tally *tally)
{
	struct feed *feed = feed_new(core, hex, NULL);
	struct sim_summary summary;
	double cycles;

	feed->kernel->block.edge_count = 0;
	takt_simulate(&feed->kernel->block, &(struct sim_options){.loop = loop},
		      &feed->kernel->arena, &summary);
	cycles = stream_block(feed, loop, 12000 / feed->block->insn_count + 200);
	/* What never comes to a steady state depends on how it begins. */
	if (summary.period_iterations) {
		tally->count++;
		if (fabs(cycles - summary.cycles) > .01 * summary.cycles) {
			tally->differ++;
			tap_note("%s: %s: %g as a loop, %g as a stream", core, hex, summary.cycles,
				 cycles);
		}
	}
	feed_free(feed);
}

/* Every tenth block; those that take two courses may take another one here. */
static void check_corpus(const char *core, bool loop)
{
	char path[4096], line[1 << 14];
	struct tally tally = {0};
	FILE *file;

	snprintf(path, sizeof(path), "%s/../accuracy/host-6-207.csv", getenv("TAKT_TEST_DATA"));
	file = fopen(path, "r");
	if (!file)
		bail_out("no corpus");
	for (uint32_t row = 0; fgets(line, sizeof(line), file); row++) {
		if (row % 10 != 7 || !strchr("0123456789abcdef", line[0]))
			continue;
		line[strcspn(line, ",\n")] = 0;
		if (strlen(line) / 2 > 200)
			continue;
		if (loop)
			close_loop(line);
		compare_block(core, line, loop, &tally);
	}
	fclose(file);
	/* One block of 251 at most differs where this was written: it takes two courses. */
	ok(tally.count > 200 && tally.differ * 100 <= tally.count, "%s, %s: %u of %u differ", core,
	   loop ? "loop" : "straight", tally.differ, tally.count);
}

/* ---- memory -------------------------------------------------------------------------------- */

struct forwarding {
	int line;
	const char *core, *hex;
	uint8_t stored_bytes, loaded_bytes, offset;
	double cycles;
	const char *what;
};

static const struct forwarding forwardings[] = {
	/* mov [rsi], rax; mov rax, [rsi]: store_forward_cycles. */
	{__LINE__, "SKL", "488906488b06", 8, 8, 0, 4, "forwarded"},
	{__LINE__, "HSW", "488906488b06", 8, 8, 0, 5, "forwarded"},
	/* mov [rsi], eax; mov rax, [rsi]: store_forward_fail_cycles more. */
	{__LINE__, "SKL", "8906488b06", 4, 8, 0, 14, "wider than the store"},
	/* mov [rsi], rax; mov eax, [rsi + 4] and [rsi + 6]. */
	{__LINE__, "SKL", "4889068b4604", 8, 4, 4, 4, "out of its middle"},
	{__LINE__, "SKL", "4889068b4606", 8, 4, 6, 14, "not all of it"},
	/* movnti [rsi], eax; mov eax, [rsi]: 336 to memory, 3 of the load. */
	{__LINE__, "SKL", "0fc3068b06", 4, 4, 0, 339, "non-temporal"},
	{__LINE__, "SKL", "0fc3068b06", 4, 4, 64, 1, "non-temporal, not read back"},
	/* No dependence: a store a cycle. */
	{__LINE__, "SKL", "488906488b06", 8, 8, 64, 1, "from elsewhere"},
	/* inc rax; mov [rsi], rax; mov rax, [rsi]: renamed, the inc is left. */
	{__LINE__, "ZEN3", "48ffc0488906488b06", 8, 8, 0, 1, "renamed"},
	{__LINE__, "SKL", "48ffc0488906488b06", 8, 8, 0, 5, "never renamed"},
	/* The same with mov rax, [rdi], with mov eax, [rsi], and with mov eax, [rsi + 4]. */
	{__LINE__, "ZEN5", "48ffc0488906488b07", 8, 8, 0, 1, "through another register"},
	{__LINE__, "ZEN5", "48ffc04889068b06", 8, 4, 0, 1, "the first half"},
	{__LINE__, "ZEN5", "48ffc04889068b4604", 8, 4, 4, 8, "not the second"},
};

static void check_forwarding(const struct forwarding *wanted)
{
	uint32_t count = feed_bytes(wanted->hex, (uint8_t[FEED_BYTES_MAX]){0}) > 6 ? 3 : 2;
	const struct sim_stream_access accesses[] = {
		{.address = 0x2000,
		 .insn = (uint16_t)(count - 2),
		 .size_bytes = wanted->stored_bytes,
		 .store = true},
		{.address = 0x2000u + wanted->offset,
		 .insn = (uint16_t)(count - 1),
		 .size_bytes = wanted->loaded_bytes},
	};
	double cycles = loop_of(wanted->core, wanted->hex, NULL,
				(struct sim_stream_step){.accesses = accesses, .access_count = 2});

	/* Of a slope over many iterations, whose first and last may be cut differently. */
	tap_ok_at(__FILE__, wanted->line, fabs(cycles - wanted->cycles) < .01,
		  "%s: %s: got %g, want %g", wanted->core, wanted->what, cycles, wanted->cycles);
}

/* Cycles of an iteration that adds to one address `run` times, and then to another. */
static double added(const char *hex, uint16_t insn, uint32_t run)
{
	struct feed *feed = feed_new("ZEN4", hex, NULL);
	const uint32_t times = 4096;
	double cycles;

	feed->middle = times / 2;
	for (uint32_t i = 0; i < times; i++) {
		uint64_t address = 0x2000 + i / run % 2 * 64;
		const struct sim_stream_access accesses[] = {
			{.address = 0x8000, .insn = 0, .size_bytes = 8},
			{.address = address, .insn = insn, .size_bytes = 4},
			{.address = address, .insn = insn, .size_bytes = 4, .store = true},
		};
		const struct sim_stream_step step = {.block = feed->block,
						     .insn_count = feed->block->insn_count,
						     .accesses = accesses + !insn,
						     .access_count = 3 - !insn,
						     .cookie = i};

		takt_sim_stream_step(feed->stream, &step);
	}
	takt_sim_stream_drain(feed->stream);
	cycles = (double)(feed->before_parts - feed->middle_parts) / SIM_CYCLE_PARTS /
		 (double)(times / 2 - 1);
	feed_free(feed);
	return cycles;
}

/*
 * add dword [rbx], 1, and the same after mov rcx, [rsi]; lea rbx, [rdi + rcx]: as long as rbx was
 * not written, the register that was stored is used at once; else the core has to have seen that
 * the addresses are the same. If it does not use it, a pair takes the 6 cycles of store forwarding.
 */
static void check_learnt(void)
{
	double kept = added("830301", 0, 4096), same = added("488b0e488d1c0f830301", 2, 4096);
	double alternate = added("488b0e488d1c0f830301", 2, 1);

	ok(kept < 1.5 && same < 1.5, "one address: got %g and %g", kept, same);
	ok(alternate > 2.9 && alternate < 3.2, "two in turn: got %g, want 3", alternate);
	ok(added("830301", 0, 2) < 1.5, "in pairs, rbx not written: got %g", added("830301", 0, 2));
	ok(added("488b0e488d1c0f830301", 2, 8) > 1.5, "eight times each, rbx written: got %g",
	   added("488b0e488d1c0f830301", 2, 8));
}

/*
 * mov rax, [rax + 0]: a chain of loads of 4 cycles, 100 more each; and mov rax, [rsi]: as many as
 * there are taken branches if 72 in the load queue are enough.
 */
static void check_misses(void)
{
	const struct sim_stream_access miss = {
		.address = 0x2000, .size_bytes = 8, .extra_cycles = 100};
	const struct sim_stream_access near = {
		.address = 0x2000, .size_bytes = 8, .extra_cycles = 10};
	const struct sim_stream_step step = {.accesses = &miss, .access_count = 1};
	const struct sim_stream_step few = {.accesses = &near, .access_count = 1};
	const struct sim_stream_options one = {.misses_max = 1}, ten = {.misses_max = 10},
					slow = {.memory_cycles = 100, .memory_line_cycles = 30},
					fast = {.memory_cycles = 11, .memory_line_cycles = 30};

	is_near(loop_of("SKL", "488b8000000000", NULL, step), 104, "a chain");
	is_near(loop_of("SKL", "488b06", NULL, few), 1, "any number at once");
	is_near(loop_of("SKL", "488b06", &one, step), 100, "one at once");
	/* Misses end in groups, so that a slope is off by a part of the last group. */
	ok(fabs(loop_of("SKL", "488b06", &ten, step) - 10) < .1, "ten at once");
	ok(fabs(loop_of("SKL", "488b06", &slow, step) - 30) < .5, "lines from memory, one in 30");
	is_near(loop_of("SKL", "488b06", &fast, few), 1, "not from memory");
}

/*
 * mov rax, [rax + 0]: each load has its value 100 cycles after the load before it began, which let
 * the line be prefetched; so the second load after one begins 100 cycles after it.
 */
static void check_prefetches(void)
{
	const struct sim_stream_prefetch next = {.address = 0x2000, .level = SIM_LEVEL_MEMORY};
	const struct sim_stream_access access = {
		.address = 0x2000, .size_bytes = 8, .prefetches = 1};
	const struct sim_stream_access other = {
		.address = 0x8000, .size_bytes = 8, .prefetches = 1};
	const struct sim_stream_step step = {
		.accesses = &access, .access_count = 1, .prefetches = &next};
	const struct sim_stream_step unused = {
		.accesses = &other, .access_count = 1, .prefetches = &next};
	const struct sim_stream_options far = {.level_cycles = {0, 10, 30, 100}},
					slow = {.level_cycles = {0, 10, 30, 100},
						.memory_cycles = 100,
						.memory_line_cycles = 130};

	ok(fabs(loop_of("SKL", "488b8000000000", &far, step) - 50) < .1, "prefetched just before");
	is_near(loop_of("SKL", "488b8000000000", &far, unused), 4, "what nobody uses");
	ok(loop_of("SKL", "488b06", &slow, step) > 129, "prefetches wait for their turn");
}

/* mov [rsi], rax: retirement goes on until the store queue is full. */
static void check_store_misses(void)
{
	const struct sim_stream_access miss = {
		.address = 0x2000, .size_bytes = 8, .store = true, .extra_cycles = 100};
	const struct sim_stream_step step = {.accesses = &miss, .access_count = 1};
	const struct sim_stream_options one = {.misses_max = 1};
	struct feed *feed = feed_new("SKL", "488906", &one);

	feed_loop(feed, step, 50);
	ok(feed->cycles < 200, "the queue takes them: %llu cycles",
	   (unsigned long long)feed->cycles);
	feed_loop(feed, step, 500);
	ok(feed->cycles > 40000, "until it is full: %llu cycles", (unsigned long long)feed->cycles);
	ok(feed->losses[SIM_LOSS_STORE_MISS] > feed->cycles * 9 / 10, "charged to them");
	feed_free(feed);
}

/* ---- control -------------------------------------------------------------------------------- */

/*
 * xor eax, eax; jmp: the branch executes as soon as it can, so that from one to the next it
 * is the core's misprediction.
 */
static void check_mispredicted(const char *core, double wanted)
{
	double cycles =
		loop_of(core, "31c0ebfc", NULL, (struct sim_stream_step){.mispredicted = true});

	is_near(cycles, wanted, core);
}

static void check_losses(void)
{
	struct feed *feed = feed_new("SKL", "31c0ebfc", NULL);

	feed_loop(feed, (struct sim_stream_step){.taken = true, .mispredicted = true}, TIMES);
	ok(feed->losses[SIM_LOSS_BRANCH] > feed->cycles * 7 / 10, "most of it the branch's");
	feed_free(feed);
}

/* Whatever comes late comes so much later than the cycle that each taken branch needs. */
static void check_late(void)
{
	const struct sim_stream_fetch fetch = {.insn = 1, .cycles = 20};
	double alone = loop_of("SKL", "31c0ebfc", NULL, (struct sim_stream_step){0});

	is_near(alone, 1, "one taken branch a cycle");
	is_near(loop_of("SKL", "31c0ebfc", NULL, (struct sim_stream_step){.late_cycles = 3}), 4,
		"the target comes 3 cycles later than a cycle after the branch");
	is_near(loop_of("SKL", "31c0ebfc", NULL,
			(struct sim_stream_step){.fetches = &fetch, .fetch_count = 1}),
		21, "the fetch of the jump takes 20 more");
	ok(loop_of("SKL", "31c0ebfc", NULL, (struct sim_stream_step){.extra_cycles = 5000}) > 40,
	   "a long instruction fills the reorder buffer");
}

/* Where two targets are predicted in a cycle, an indirect jump's is the last, a return's alone. */
static void check_targets(void)
{
	static const struct {
		int line;
		const char *what, *hex;
		uint16_t late_cycles;
		double cycles;
	} rows[] = {
		{__LINE__, "jmp", "90ebfd", 0, 0.5},   {__LINE__, "jmp, late", "90ebfd", 2, 3},
		{__LINE__, "jmp rax", "90ffe0", 0, 1}, {__LINE__, "jmp rax, late", "90ffe0", 2, 3},
		{__LINE__, "ret", "90c3", 0, 1},       {__LINE__, "ret, late", "90c3", 2, 3},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double cycles =
			loop_of("ZEN5", rows[i].hex, NULL,
				(struct sim_stream_step){.late_cycles = rows[i].late_cycles});

		tap_ok_at(__FILE__, rows[i].line, fabs(cycles - rows[i].cycles) < 0.02,
			  "%s: %.2f cycles, not %.2f", rows[i].what, cycles, rows[i].cycles);
	}
}

/* ---- accounts ------------------------------------------------------------------------------- */

static uint64_t sum(const uint64_t *values, size_t count)
{
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += values[i];
	return total;
}

/* imul rax, rax; add rax, rbx: a chain. */
static void check_accounts(void)
{
	struct feed *feed = feed_new("SKL", "480fafc04801d8", NULL);
	struct sim_stream_totals totals;

	feed_loop(feed, (struct sim_stream_step){.taken = true}, 100);
	takt_sim_stream_rest(feed->stream, 1000, feed->fed++);
	feed_loop(feed, (struct sim_stream_step){.taken = true, .insn_count = 1}, 100);
	takt_sim_stream_totals(feed->stream, &totals);
	is_int((long long)totals.insns, 300, "instructions");
	is_int((long long)totals.uops, 300, "µops");
	is_int((long long)sum(totals.losses, SIM_LOSS_COUNT),
	       (long long)(totals.cycles * SIM_CYCLE_PARTS), "losses sum up to the cycles");
	is_int((long long)feed->cycles, (long long)totals.cycles, "so do those of the steps");
	is_int((long long)(sum(feed->block->insn_parts, 2) / (2 * SIM_CYCLE_PARTS)) + 1000,
	       (long long)totals.cycles, "and of the instructions");
	is_int((long long)totals.losses[SIM_LOSS_SYSTEM], 1000 * SIM_CYCLE_PARTS, "the rest");
	ok(feed->in_order && feed->prepared == 201, "each told once and in order");
	ok(totals.losses[SIM_LOSS_MULTIPLY] > 400 * SIM_CYCLE_PARTS, "a chain waits for results");
	feed_free(feed);
}

/* ---- how it is fed, and how it is run -------------------------------------------------------- */

/*
 * A cycle begins only if as many items are there as it may take; with fewer, the time would depend
 * on how far ahead a trace is fed. Windows of the op cache with twelve short instructions each, of
 * which a branch joins two, let the front end take most.
 */
static void check_lookahead(const char *core)
{
	/* 11 nops of 5 bytes and one of 9; 10 of one; dec r8; jne */
	struct feed *feed =
		feed_new(core,
			 "0f1f4400000f1f4400000f1f4400000f1f4400000f1f4400000f1f440000"
			 "0f1f4400000f1f4400000f1f4400000f1f4400000f1f440000660f1f840000000000"
			 "9090909090909090909049ffc875b1",
			 &(struct sim_stream_options){.no_memo = true});
	struct sim_stream *stream = feed->stream;
	uint32_t most = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		takt_sim_stream_step(
			stream, &(struct sim_stream_step){.block = feed->block,
							  .insn_count = feed->block->insn_count,
							  .taken = true,
							  .cookie = feed->fed++});
		while (stream->replay->tail - stream->replay->next >= stream->lookahead) {
			uint32_t next = stream->replay->next;

			sim_stream_cycle(stream);
			most = stream->replay->next - next > most ? stream->replay->next - next
								  : most;
		}
	}
	tap_ok_at(__FILE__, __LINE__, most < stream->lookahead && feed->in_order,
		  "%s: a cycle takes %u items, and %u are there", core, most, stream->lookahead);
	feed_free(feed);
}

struct walk {
	struct sim_stream_totals totals;
	uint64_t cycles;
};

/* Random loads, stores, misses and mispredictions, the same each time. */
static struct walk walk(const char *core, bool no_skip, bool split)
{
	/* mov rax, [rsi]; add [rdi], rax; imul rbx, rax; mov [rsi], rbx; test rax, rax */
	struct feed *feed =
		feed_new(core, "488b06480107480fafd848891e4885c0",
			 &(struct sim_stream_options){
				 .misses_max = 4, .memory_cycles = 100, .memory_line_cycles = 9});
	uint64_t seed = 1, address = feed->block->address;
	struct sim_code_block *whole = feed->block, *parts[5];
	struct walk walked = {0};

	for (uint32_t i = 0; i < 5; i++) {
		const struct takt_insn *insn = &feed->kernel->prepared.block.insns[i];

		parts[i] = takt_sim_code_add(feed->code, address + insn->address, insn, 1);
	}
	for (uint32_t i = 0; i < 3000; i++) {
		struct sim_stream_access accesses[4] = {{.insn = 0},
							{.insn = 1},
							{.insn = 1, .store = true},
							{.insn = 3, .store = true}};
		struct sim_stream_step step = {.block = whole,
					       .accesses = accesses,
					       .access_count = 4,
					       .insn_count = 5,
					       .taken = true};

		for (unsigned a = 0; a < 4; a++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			accesses[a].address = 0x2000 + (seed >> 40) % 32 * 4;
			accesses[a].size_bytes = 8;
			accesses[a].extra_cycles = seed >> 33 & 15 ? 0 : (uint16_t)(seed >> 52);
		}
		step.mispredicted = (seed >> 20) % 16 == 0;
		step.late_cycles = (seed >> 24) % 8 == 0 ? 3 : 0;
		step.extra_cycles = (seed >> 28) % 64 == 0 ? 20000 : 0;
		feed->stream->no_skip = no_skip;
		if (!split) {
			takt_sim_stream_step(feed->stream, &step);
			continue;
		}
		for (uint16_t insn = 0, a = 0; insn < 5; insn++) {
			struct sim_stream_step part = step;

			part.block = parts[insn];
			part.insn_count = 1;
			part.accesses = &accesses[a];
			for (part.access_count = 0; a < 4 && accesses[a].insn == insn; a++) {
				accesses[a].insn = 0;
				part.access_count++;
			}
			if (insn < 4) {
				part.taken = part.mispredicted = false;
				part.late_cycles = 0;
				part.extra_cycles = 0;
			}
			takt_sim_stream_step(feed->stream, &part);
		}
	}
	takt_sim_stream_drain(feed->stream);
	takt_sim_stream_totals(feed->stream, &walked.totals);
	walked.cycles = feed->cycles;
	feed_free(feed);
	return walked;
}

static void check_walks(const char *core)
{
	struct walk plain = walk(core, false, false), slow = walk(core, true, false);
	struct walk split = walk(core, false, true);

	ok(!memcmp(&plain, &slow, sizeof(plain)), "%s: skipping changes nothing: %llu, %llu", core,
	   (unsigned long long)plain.cycles, (unsigned long long)slow.cycles);
	ok(!memcmp(&plain, &split, sizeof(plain)), "%s: nor how it is cut: %llu", core,
	   (unsigned long long)split.cycles);
	is_int((long long)sum(plain.totals.losses, SIM_LOSS_COUNT),
	       (long long)(plain.cycles * SIM_CYCLE_PARTS), "all cycles have a cause");
}

int main(void)
{
	static const char *const cores[] = {"SNB",  "HSW",  "SKL",  "ICL", "SPR",
					    "ZEN+", "ZEN3", "ZEN4", "ZEN5"};

	for (size_t i = 0; i < TAKT_COUNT_OF(forwardings); i++)
		check_forwarding(&forwardings[i]);
	check_learnt();
	check_misses();
	check_prefetches();
	check_store_misses();
	check_mispredicted("SKL", 14);
	check_mispredicted("ZEN3", 13);
	check_losses();
	check_late();
	check_targets();
	check_accounts();
	for (size_t i = 0; i < TAKT_COUNT_OF(cores); i++)
		check_walks(cores[i]);
	for (size_t i = 0; i < TAKT_COUNT_OF(cores); i++)
		check_lookahead(cores[i]);
	check_corpus("SKL", true);
	check_corpus("SKL", false);
	check_corpus("HSW", false);
	return tap_done();
}
