/* SPDX-License-Identifier: MIT */
#include "blocks.h"

/* Addresses of the code before, in and behind the inner loop. */
enum { BEFORE = 0, INSIDE = 1000, BEHIND = 2000 };

static const struct {
	int line;
	const char *approach; /* NULL: none */
	const char *before, *inner, *behind;
	uint64_t trips;
	const char *what;
} rows[] = {
	/* mov ecx, 5; { dec ecx; jne }; dec rsi; jne */
	{__LINE__, NULL, "b905000000", "ffc975fc", "48ffce75f0", 5, "a constant"},
	/* lea rax, [rdi+128]; { add rdi, 8; cmp rdi, rax; jne } */
	{__LINE__, NULL, "488d8780000000", "4883c7084839c775f7", "48ffce75f0", 16,
	 "the distance of two pointers"},
	/* lea rcx, [rdi+128]; mov rdx, rdi; neg rdx | mov rax, rdx; neg rax;
	 * { add rax, 8; cmp rax, rcx; jne }; sub rdx, 512; add rcx, 512; dec rsi; jne */
	{__LINE__, "488d8f800000004889fa48f7da", "4889d048f7d8", "4883c0084839c875f7",
	 "4881ea000200004881c10002000048ffce75d8", 16, "pointers that were set before both loops"},
	{__LINE__, NULL, "4889d048f7d8", "4883c0084839c875f7",
	 "4881ea000200004881c10002000048ffce75d8", TAKT_TRIPS_UNKNOWN,
	 "pointers of unknown distance"},
	/* mov ecx, [rdi] */
	{__LINE__, NULL, "8b0f", "ffc975fc", "48ffce75f0", TAKT_TRIPS_UNKNOWN,
	 "a number in memory"},
	/* | xor ebx, ebx | inc ebx; mov ecx, ebx: 1, 2 and 3 iterations */
	{__LINE__, "31db", "ffc389d9", "ffc975fc", "48ffce75f0", TAKT_TRIPS_UNKNOWN, "a triangle"},
	/* test esi, esi; je: the loop may be left out */
	{__LINE__, NULL, "85f6b9050000007440", "ffc975fc", "48ffce75f0", 5,
	 "a branch around the loop that random registers never take"},
	/* test esi, 1; mov ecx, 5; je */
	{__LINE__, NULL, "f7c601000000b9050000007440", "ffc975fc", "48ffce75f0", TAKT_TRIPS_UNKNOWN,
	 "a branch around the loop that they sometimes take"},
	/* { test rax, rax; jmp } */
	{__LINE__, NULL, "b905000000", "4885c0ebfb", "48ffce75f0", TAKT_TRIPS_UNKNOWN,
	 "a loop that a jump closes"},
	/* mov ecx, 10000000 */
	{__LINE__, NULL, "b980969800", "ffc975fc", "48ffce75f0", TAKT_TRIPS_UNKNOWN,
	 "more iterations than are tried"},
};

/* Put two blocks together. */
static struct takt_block join(const struct takt_block *first, const struct takt_block *second,
			      struct takt_arena *arena)
{
	struct takt_block block = {.isa = first->isa, .count = first->count + second->count};

	block.insns = TAKT_NEW_ARRAY(arena, block.count, struct takt_insn);
	memcpy(block.insns, first->insns, first->count * sizeof(*block.insns));
	memcpy(block.insns + first->count, second->insns, second->count * sizeof(*block.insns));
	return block;
}

static uint64_t *places_of(uint32_t count, uint64_t begin, struct takt_arena *arena)
{
	uint64_t *places = TAKT_NEW_ARRAY(arena, count, uint64_t);

	for (uint32_t i = 0; i < count; i++)
		places[i] = begin + i;
	return places;
}

static uint64_t find_trips(const struct takt_isa *isa, const char *approach_hex,
			   const char *before_hex, const char *inner_hex, const char *behind_hex,
			   struct takt_arena *arena)
{
	struct takt_block approach = make_isa_block(isa, approach_hex ? approach_hex : "", arena);
	struct takt_block before = make_isa_block(isa, before_hex, arena);
	struct takt_block behind = make_isa_block(isa, behind_hex, arena);
	struct takt_block inside = make_isa_block(isa, inner_hex, arena);
	struct takt_block around = join(&before, &behind, arena);
	struct takt_trip_loop inner = {.block = &inside,
				       .places = places_of(inside.count, INSIDE, arena)};
	struct takt_trip_loop *list[] = {&inner};
	uint64_t *places = places_of(around.count, BEFORE, arena);
	struct takt_trip_loop outer = {
		.block = &around, .places = places, .inner = list, .inner_count = 1};

	for (uint32_t i = before.count; i < around.count; i++)
		places[i] = BEHIND + i;
	takt_trips_find(approach_hex ? &approach : NULL, &outer);
	return inner.trips;
}

/* mov x2, #6; { subs x2, x2, #1; b.ne }; subs x3, x3, #1; b.ne */
static void test_aarch64(struct takt_arena *arena)
{
	static const uint8_t nop[] = {0x1f, 0x20, 0x03, 0xd5};
	struct takt_insn insn;
	uint64_t trips;

	if (takt_decode(&takt_isa_aarch64, nop, sizeof(nop), 0, &insn) == TAKT_UNAVAILABLE) {
		tap_skip("AArch64", "takt-llvm-aarch64.so is not installed");
		return;
	}
	trips = find_trips(&takt_isa_aarch64, NULL, "c20080d2", "420400f1e1ffff54",
			   "630400f181ffff54", arena);
	ok(trips == 6, "AArch64: %llu iterations", (unsigned long long)trips);
}

int main(void)
{
	struct takt_arena arena = {0};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		uint64_t trips = find_trips(&takt_isa_x86, rows[i].approach, rows[i].before,
					    rows[i].inner, rows[i].behind, &arena);

		tap_ok_at(__FILE__, rows[i].line, trips == rows[i].trips, "%s: %llu", rows[i].what,
			  (unsigned long long)trips);
	}
	test_aarch64(&arena);
	takt_arena_release(&arena);
	return tap_done();
}
