/* SPDX-License-Identifier: MIT */
/* Records are kept once; blocks are lists of their numbers. */
#include "feed.h"

static struct sim_code_block *add(struct feed *feed, uint64_t address)
{
	return takt_sim_code_add(feed->code, address, feed->kernel->prepared.block.insns,
				 feed->kernel->prepared.block.count);
}

/* add rax, rbx; add rax, rcx; add rax, rbx */
static void check_interning(void)
{
	struct feed *feed = feed_new("SKL", "4801d84801c84801d8", NULL);
	struct sim_code_block *again = add(feed, 0x5000);

	is_int(feed->block->record_count, 3, "a record for each");
	ok(feed->block->records[0] == feed->block->records[2], "equal ones are one");
	ok(feed->block->records[0] != feed->block->records[1], "other registers are another");
	ok(!memcmp(again->records, feed->block->records, 3 * sizeof(uint32_t)),
	   "the same elsewhere is the same");
	is_int((long long)feed->code->insns.count, 2, "records in all");
	is_int((long long)feed->code->uops.count, 2, "and their µops");
	is_int((long long)again->address, 0x5000, "at its address");
	feed_free(feed);
}

/* cmp eax, ebx; jne: fused, but not if the jump begins a line and the core minds. */
static void check_pairs(void)
{
	struct feed *feed = feed_new("ICL", "39d875fc", NULL);

	is_int(feed->block->record_count, 1, "a pair is one record");
	is_int(feed->block->insn_count, 2, "of two instructions");
	is_int(add(feed, 0x103e)->record_count, 2, "the jump begins a line");
	feed_free(feed);
}

static void check_limits(void)
{
	struct feed *feed = feed_new("SKL", "4801d8", NULL);
	struct takt_insn *insn = feed->kernel->prepared.block.insns;

	ok(!takt_sim_code_add(feed->code, 0, insn, 0), "no instructions are no block");
	ok(!takt_sim_code_add(feed->code, 0, insn, 70000), "nor are too many");
	feed->code->insns.capacity = feed->code->insns.count;
	ok(add(feed, 0x2000) != NULL, "full, but what is there still serves");
	feed_free(feed);
	feed = feed_new("SKL", "4801d84801c8", NULL);
	feed->code->uops.capacity = feed->code->uops.count;
	ok(takt_sim_code_add(feed->code, 0x2000, feed->kernel->prepared.block.insns, 1) != NULL,
	   "nothing new");
	feed->kernel->prepared.block.insns[0].length_bytes++;
	ok(!takt_sim_code_add(feed->code, 0x2000, feed->kernel->prepared.block.insns, 1),
	   "new, and no room");
	feed_free(feed);
}

/* Many records: arrays grow where they are. */
static void check_growth(void)
{
	struct feed *feed = feed_new("SKL", "4801d8", NULL);
	struct takt_insn insn = feed->kernel->prepared.block.insns[0];
	const struct sim_insn *first = feed->code->program.insns;
	uint32_t count = 0;

	for (unsigned a = TAKT_LOC_GPR; a < TAKT_LOC_GPR + 16; a++)
		for (unsigned b = TAKT_LOC_GPR; b < TAKT_LOC_GPR + 16; b++)
			for (uint8_t length = 1; length < 16; length++) {
				insn.accesses[0].location = (uint8_t)a;
				insn.accesses[1].location = (uint8_t)b;
				insn.length_bytes = length;
				count += takt_sim_code_add(feed->code, 0, &insn, 1) != NULL;
			}
	is_int(count, 16 * 16 * 15, "blocks");
	ok(feed->code->insns.count > 3000, "%zu records", feed->code->insns.count);
	ok(feed->code->program.insns == first, "have not moved");
	feed_free(feed);
}

int main(void)
{
	check_interning();
	check_pairs();
	check_limits();
	check_growth();
	return tap_done();
}
