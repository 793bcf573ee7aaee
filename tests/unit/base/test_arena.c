/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "base/base.h"

int main(void)
{
	struct takt_arena arena = {0};
	char *first, *copy;
	int *numbers;
	bool zeroed = true;

	first = takt_arena_alloc(&arena, 0, 1);
	ok(first != NULL, "an empty allocation is a valid pointer");
	for (size_t i = 1; i < 3000; i += 7) {
		char *bytes = takt_arena_alloc(&arena, i, 3);

		for (size_t j = 0; j < 3 * i; j++)
			zeroed = zeroed && bytes[j] == 0;
		memset(bytes, 0xff, 3 * i);
		zeroed = zeroed && (uintptr_t)bytes % 16 == 0;
	}
	ok(zeroed, "memory is zeroed and aligned");
	takt_arena_clear(&arena);
	numbers = TAKT_NEW_ARRAY(&arena, 1000, int);
	for (int i = 0; i < 1000; i++)
		zeroed = zeroed && numbers[i] == 0;
	ok(zeroed, "memory reused after clear is zeroed again");
	numbers[999] = 7;
	numbers = takt_arena_grow(&arena, numbers, 1000, 2000, sizeof(int));
	ok(numbers[999] == 7 && numbers[1999] == 0, "grow keeps the old and zeroes the new");
	copy = takt_arena_printf(&arena, "%s-%d", "p", 5);
	is_string(copy, "p-5", "printf");
	first = takt_arena_alloc_unset(&arena, 100, 3);
	memset(first, 0xff, 300);
	ok((uintptr_t)first % 16 == 0 && !strcmp(copy, "p-5"), "memory of its own, not cleared");
	takt_arena_release(&arena);
	takt_arena_release(&arena);
	ok(arena.chunks == NULL, "release twice");
	return tap_done();
}
