/* SPDX-License-Identifier: MIT */
#include "depend/shadow.h"
#include "../tap.h"

static struct takt_value known(uint64_t bits)
{
	return (struct takt_value){bits, true};
}

static void test_unwritten(struct takt_shadow *shadow)
{
	struct takt_value word = takt_shadow_load(shadow, 0x1000, 8), other;

	ok(word.known, "unwritten memory is known");
	ok(takt_shadow_load(shadow, 0x1000, 8).bits == word.bits, "and stays the same");
	ok(takt_shadow_load(shadow, 0x1003, 2).bits == (uint16_t)(word.bits >> 24),
	   "a part is a part of the whole");
	takt_shadow_clear(shadow, 2);
	other = takt_shadow_load(shadow, 0x1000, 8);
	ok(other.bits != word.bits, "another seed, other values");
	ok(!takt_shadow_find(shadow, 0x1000 / 8), "and nothing is written");
}

static void test_written(struct takt_shadow *shadow)
{
	const struct takt_granule *granule;
	uint64_t before;

	takt_shadow_clear(shadow, 3);
	takt_shadow_store(shadow, 0x2000, 8, known(0x1122334455667788), 7);
	takt_shadow_store(shadow, 0x2002, 2, known(0xaabb), 8);
	ok(takt_shadow_load(shadow, 0x2000, 8).bits == 0x11223344aabb7788, "stores in order");
	granule = takt_shadow_find(shadow, 0x2000 / 8);
	ok(granule && granule->writers[1] == 7 && granule->writers[2] == 8 &&
		   granule->writers[4] == 7,
	   "each byte has its writer");
	before = takt_shadow_load(shadow, 0x2008, 8).bits;
	takt_shadow_store(shadow, 0x2006, 4, known(0xddccbbaa), 9);
	ok(takt_shadow_load(shadow, 0x2006, 4).bits == 0xddccbbaa, "across two granules");
	ok(takt_shadow_load(shadow, 0x2008, 8).bits == ((before & ~0xffffull) | 0xddcc),
	   "what is beside it stays");
	granule = takt_shadow_find(shadow, 0x2008 / 8);
	ok(granule && granule->written == 3, "and is not written");
	takt_shadow_store(shadow, 0x2001, 1, (struct takt_value){0, false}, 10);
	ok(!takt_shadow_load(shadow, 0x2000, 4).known, "an unknown byte makes all unknown");
	ok(takt_shadow_load(shadow, 0x2002, 4).known, "where it is read");
}

static void test_wide(struct takt_shadow *shadow)
{
	takt_shadow_clear(shadow, 4);
	takt_shadow_store(shadow, 0x3004, 32, known(5), 1);
	ok(takt_shadow_load(shadow, 0x3004, 8).bits == 5, "the first eight bytes of a vector");
	ok(!takt_shadow_load(shadow, 0x300c, 8).known, "are all that is known of it");
	ok(takt_shadow_find(shadow, 0x3020 / 8)->written == 0x0f, "up to its end");
	takt_shadow_store(shadow, UINT64_MAX - 3, 8, known(0x0807060504030201), 2);
	ok(takt_shadow_load(shadow, UINT64_MAX - 3, 8).bits == 0x0807060504030201,
	   "addresses wrap");
	ok(takt_shadow_load(shadow, 0, 4).bits == 0x08070605, "to 0");
}

int main(void)
{
	struct takt_arena arena = {0};
	struct takt_shadow shadow;

	takt_shadow_init(&shadow, 32, &arena);
	takt_shadow_clear(&shadow, 1);
	test_unwritten(&shadow);
	test_written(&shadow);
	test_wide(&shadow);
	takt_arena_release(&arena);
	return tap_done();
}
