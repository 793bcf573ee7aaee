/* SPDX-License-Identifier: MIT */
/*
 * Two cores run the same random code, of all forms there are, on each built-in core. The second is
 * filled with rubbish again and again, and its state, kept as bytes before, put into it. After
 * each step both cores' bytes must be the same:
 *
 *   - what is missing in the bytes but makes a difference later lets the second core go astray;
 *   - what is in the bytes but makes no difference differs there, because it is rubbish: two
 *     states that are the same would be taken for two, and a remembered piece be called wrong.
 *
 * So nothing of a core's state can be forgotten, and nothing that is no state be compared.
 *
 * Arguments: steps of each run, and runs of each core (600, 3). `make memo-soak` has more.
 */
#include "spoil.h"
#include "unit/tap.h"

#define BLOCKS 12u
#define INSNS_MOST 24u
#define ACCESSES_MAX 256u

/* Rubbish of which no byte is like another's. */
static const uint8_t rubbish[] = {0xa5, 0x00, 0xff, 0x13};

static uint32_t prepared = 600, seeds = 3;
static uint64_t luck_state;

static uint32_t luck(uint32_t below)
{
	luck_state = luck_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((luck_state >> 33) % below);
}

/* ---- code ---------------------------------------------------------------------------------- */

static const uint32_t aarch64_words[] = {
	0xd503201f, 0xd5033bbf, 0xaa0003e0, 0x8b021420, 0xd2800000, 0xf81f0fe0, 0x4e284841,
	0xc8df7c41, 0x1ee60021, 0x4e839441, 0x8b030041, 0x4c000821, 0xf9400020, 0xb8625820,
	0xb9800420, 0x3ca26820, 0x69410440, 0x089ffc20, 0xf8200041, 0x4c407000, 0x4d40cc00,
	0x4c004800, 0x9a020020, 0x53001c20, 0x9ac20820, 0xf8626820, 0x3dc00420, 0x6c400440,
	0x1e202008, 0x4f435420, 0x4e023820, 0x0d409000, 0x92800040, 0x8b000000, 0xf1000420,
	0xf2401c1f, 0xca010020, 0xd3431820, 0x33031820, 0xdac00c20, 0x9b227c20, 0x9ac24c20,
	0xda9f93e0, 0x7a430800, 0xd51b4420, 0x9b020c20, 0x1f420c20, 0x1e621820, 0x1e61c020,
	0xf8408420, 0xf8008420, 0xa9bf7bfd, 0xa8c17bfd, 0xc85ffc20, 0xc800fc41, 0x4e61d400,
};

static struct takt_arena samples_arena;
static const struct takt_sample *samples;
static size_t sample_count;

/* Bytes of an instruction that does not branch, and the instruction. */
static void choose_insn(const struct takt_isa *isa, uint64_t address, struct takt_insn *ret_insn)
{
	static uint8_t words[TAKT_COUNT_OF(aarch64_words)][4];

	for (;;) {
		const uint8_t *bytes;
		size_t size = 4;

		if (isa == &takt_isa_x86) {
			const struct takt_sample *sample = &samples[luck((uint32_t)sample_count)];

			bytes = sample->bytes;
			size = sample->length_bytes;
		} else {
			uint32_t i = luck(TAKT_COUNT_OF(words));

			for (unsigned b = 0; b < 4; b++)
				words[i][b] = (uint8_t)(aarch64_words[i] >> 8 * b);
			bytes = words[i];
		}
		if (takt_decode(isa, bytes, size, address, ret_insn) == TAKT_OK &&
		    !(ret_insn->flags & TAKT_INSN_BRANCH))
			return;
	}
}

struct random_block {
	struct takt_insn insns[INSNS_MOST];
	struct sim_code_block *block;
};

static bool add_blocks(struct sim_code *code, const struct takt_isa *isa,
		       struct random_block blocks[BLOCKS])
{
	for (unsigned b = 0; b < BLOCKS; b++) {
		uint64_t start = 0x10000 + (uint64_t)luck(3) * 4096 + luck(32) * 20u * 4u;
		uint64_t address = start;
		uint32_t count = 1 + luck(INSNS_MOST);

		for (uint32_t i = 0; i < count; i++) {
			/* Much code has the same few instructions again and again. */
			if (i && !luck(3))
				blocks[b].insns[i] = blocks[b].insns[luck(i)];
			else
				choose_insn(isa, address, &blocks[b].insns[i]);
			blocks[b].insns[i].address = address;
			address += blocks[b].insns[i].length_bytes;
		}
		blocks[b].block = takt_sim_code_add(code, start, blocks[b].insns, count);
		if (!blocks[b].block)
			return false;
	}
	return true;
}

/* ---- steps --------------------------------------------------------------------------------- */

/* Let an access prefetch lines that others use. */
static uint8_t choose_prefetches(struct sim_stream_prefetch *prefetches)
{
	uint8_t count = (uint8_t)(1 + luck(SIM_PREFETCHES_MAX));

	for (uint8_t i = 0; i < count; i++)
		prefetches[i] = (struct sim_stream_prefetch){
			0x2000 + luck(4) * 64, (uint8_t)(1 + luck(SIM_LEVELS_MAX - 1))};
	return count;
}

static uint32_t choose_accesses(const struct random_block *block, uint32_t insn_count, bool misses,
				struct sim_stream_access accesses[ACCESSES_MAX],
				struct sim_stream_prefetch *prefetches)
{
	uint32_t count = 0;

	for (uint16_t i = 0; i < insn_count; i++)
		for (unsigned m = 0; m < block->insns[i].memory_count; m++) {
			const struct takt_memory *memory = &block->insns[i].memories[m];
			uint32_t size = memory->size_bytes;
			uint64_t address = 0x2000 + luck(12) * 8 + luck(8) * luck(2);

			if (memory->address_only || count + 2 > ACCESSES_MAX)
				continue;
			size = size > 64 ? 64 : size ? size : 1;
			for (int store = !memory->read; store <= memory->write; store++) {
				accesses[count] =
					(struct sim_stream_access){.address = address,
								   .insn = i,
								   .size_bytes = (uint8_t)size,
								   .store = store,
								   .extra_cycles = !misses     ? 0
										   : !luck(30) ? 150
										   : !luck(10) ? 12
											       : 0};
				if (misses && !luck(12))
					accesses[count].prefetches = choose_prefetches(prefetches);
				prefetches += accesses[count++].prefetches;
			}
		}
	return count;
}

struct twins {
	struct sim_stream *plain, *spoilt;
};

static void step_both(struct twins *twins, const struct random_block *blocks, bool hard)
{
	static struct sim_stream_access accesses[ACCESSES_MAX];
	static struct sim_stream_prefetch prefetches[ACCESSES_MAX * SIM_PREFETCHES_MAX];
	const struct random_block *block = &blocks[luck(3) ? luck(3) : luck(BLOCKS)];
	struct sim_stream_step step = {
		.block = block->block,
		.accesses = accesses,
		.prefetches = prefetches,
		.insn_count = hard && !luck(40) ? luck(block->block->insn_count)
						: block->block->insn_count,
		.taken = luck(3),
		.mispredicted = hard && !luck(12),
		.late_cycles = hard && !luck(15) ? (uint16_t)(1 + luck(9)) : 0,
		.extra_cycles = hard && !luck(60) ? luck(400) : 0,
	};

	step.access_count = choose_accesses(block, step.insn_count, hard, accesses, prefetches);
	takt_sim_stream_step(twins->plain, &step);
	takt_sim_stream_step(twins->spoilt, &step);
	if (hard && !luck(200)) {
		uint32_t cycles = luck(2) * 300;

		takt_sim_stream_rest(twins->plain, cycles, 0);
		takt_sim_stream_rest(twins->spoilt, cycles, 0);
	}
}

/* ---- what is compared -------------------------------------------------------------------------
 */

static bool have_same_bytes(const struct twins *twins, uint8_t bytes[SIM_STATE_BYTES_MAX])
{
	static uint8_t plain[SIM_STATE_BYTES_MAX];
	uint32_t plain_size = spoil_pack(twins->plain, plain);

	return plain_size && plain_size == spoil_pack(twins->spoilt, bytes) &&
	       !memcmp(plain, bytes, plain_size);
}

/* The first step after which they differ; `steps`: none. */
static uint32_t find_difference(struct twins *twins, const struct random_block *blocks, bool hard)
{
	static uint8_t bytes[SIM_STATE_BYTES_MAX];

	for (uint32_t i = 0; i < prepared; i++) {
		step_both(twins, blocks, hard);
		if (!have_same_bytes(twins, bytes))
			return i;
		if (luck(2))
			spoil_pass_through(twins->spoilt, rubbish[luck(TAKT_COUNT_OF(rubbish))],
					   bytes);
	}
	return prepared;
}

static struct takt_model *make_in_order(const struct takt_model *model)
{
	struct takt_core_params params = *takt_model_params(model);
	const struct takt_model_change change = {.params = &params};

	params.scheduler_entries = params.issue_width;
	return takt_model_change(model, &change);
}

static void check_model(const char *name, const struct takt_model *model, uint32_t seed)
{
	static struct random_block blocks[BLOCKS];
	const struct sim_stream_options options = {.misses_max = seed % 2 ? 10 : 0,
						   .memory_cycles = 100,
						   .memory_line_cycles = seed % 2 ? 9 : 0,
						   .level_cycles = {0, 12, 40, 100},
						   .no_memo = true};
	struct sim_code *code = takt_sim_code_new(model);
	struct twins twins = {takt_sim_stream_new(code, &options),
			      takt_sim_stream_new(code, &options)};
	struct sim_stream_totals plain, spoilt;
	uint32_t step;

	luck_state = seed;
	if (!add_blocks(code, takt_model_isa(model), blocks)) {
		printf("Bail out! no room for code\n");
		exit(EXIT_FAILURE);
	}
	step = find_difference(&twins, blocks, seed % 3);
	tap_ok_at(__FILE__, __LINE__, step == prepared,
		  "%s, seed %u: the bytes are all of the state, and nothing else (step %u)", name,
		  seed, step);
	/* A core that has gone astray may go anywhere. */
	if (step == prepared) {
		takt_sim_stream_drain(twins.plain);
		takt_sim_stream_drain(twins.spoilt);
	}
	takt_sim_stream_totals(twins.plain, &plain);
	takt_sim_stream_totals(twins.spoilt, &spoilt);
	tap_ok_at(__FILE__, __LINE__, !memcmp(&plain, &spoilt, sizeof(plain)),
		  "%s, seed %u: %llu cycles, and %llu", name, seed,
		  (unsigned long long)plain.cycles, (unsigned long long)spoilt.cycles);
	takt_sim_stream_free(twins.plain);
	takt_sim_stream_free(twins.spoilt);
	takt_sim_code_free(code);
}

/* ---- cores --------------------------------------------------------------------------------- */

static bool can_decode(const struct takt_isa *isa)
{
	static const uint8_t nop[] = {0x1f, 0x20, 0x03, 0xd5};
	struct takt_insn insn;

	return isa == &takt_isa_x86 || (isa == &takt_isa_aarch64 &&
					takt_decode(isa, nop, sizeof(nop), 0, &insn) == TAKT_OK);
}

static void check_core(const char *name)
{
	struct takt_model *model, *in_order;

	if (takt_model_open(name, NULL, NULL, &model) != TAKT_OK) {
		printf("Bail out! no core %s\n", name);
		exit(EXIT_FAILURE);
	}
	if (can_decode(takt_model_isa(model))) {
		in_order = make_in_order(model);
		for (uint32_t seed = 1; seed <= seeds; seed++)
			check_model(name, model, seed);
		check_model(name, in_order, seeds + 1);
		takt_model_close(in_order);
	} else {
		tap_skip(name, "its instructions cannot be decoded here");
	}
	takt_model_close(model);
}

int main(int argc, char **argv)
{
	if (argc > 2) {
		prepared = (uint32_t)strtoul(argv[1], NULL, 10);
		seeds = (uint32_t)strtoul(argv[2], NULL, 10);
	}
	samples = takt_samples_find(&samples_arena, &sample_count);
	for (size_t i = 0; i < takt_model_builtin_count(); i++)
		check_core(takt_model_builtin_name(i));
	takt_arena_release(&samples_arena);
	return tap_done();
}
