/* SPDX-License-Identifier: MIT */
/* Lists of names in sentences. */
#include "../tap.h"
#include "base/base.h"

static void is_list(const char *const *names, size_t count, const char *expected)
{
	struct takt_name_list list = {.count = 0};
	struct takt_text text = {0};

	for (size_t i = 0; i < count; i++)
		takt_name_list_add(&list, names[i]);
	takt_text_add_string(&text, "");
	takt_name_list_end(&list, &text);
	is_string(text.data, expected, expected);
	is_int(list.count, 0, "and the list is empty again");
	takt_text_release(&text);
}

int main(void)
{
	is_list(NULL, 0, "");
	is_list((const char *[]){"add"}, 1, "add");
	is_list((const char *[]){"add", "sub", "add"}, 3, "2 add, sub");
	is_list((const char *[]){"add", "sub", "mul", "div", "add", "nop"}, 6,
		"2 add, sub, mul and 2 more");
	return tap_done();
}
