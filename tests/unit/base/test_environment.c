/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "base/base.h"

static const char *value(char **variables, const char *start)
{
	for (; *variables; variables++)
		if (takt_string_starts(*variables, start))
			return *variables + strlen(start);
	return "";
}

static size_t count(char **variables)
{
	size_t number = 0;

	while (variables[number])
		number++;
	return number;
}

static void test_programs(struct takt_arena *arena)
{
	const char *shell = takt_program_find("sh", arena);

	ok(takt_program_exists("sh") && shell && strstr(shell, "/sh"), "there is a shell");
	ok(!takt_program_exists("no-such-program-of-any-name"), "and not everything");
	ok(strcmp(takt_program_find("./any", arena), "./any") == 0, "a folder is not looked up");
}

int main(void)
{
	static const char *const settings[] = {"A=new", "C=other"};
	char a[] = "A=old", ab[] = "AB=1", b[] = "B=2";
	char *from[] = {a, ab, b, NULL};
	struct takt_arena arena = {0};
	char **made = takt_environment_make(from, settings, 2, &arena);

	ok(count(made) == 4, "one is replaced, one is added");
	ok(strcmp(value(made, "A="), "new") == 0 && strcmp(value(made, "C="), "other") == 0,
	   "as they were given");
	ok(strcmp(value(made, "AB="), "1") == 0 && strcmp(value(made, "B="), "2") == 0,
	   "others stay, also those whose name begins so");
	ok(strcmp(from[0], "A=old") == 0, "what it was made of has not changed");
	made = takt_environment_make(NULL, settings, 1, &arena);
	ok(strcmp(value(made, "A="), "new") == 0 &&
		   (!getenv("PATH") || strcmp(value(made, "PATH="), getenv("PATH")) == 0),
	   "of this process' own");
	ok(!getenv("A") || strcmp(getenv("A"), "new") != 0, "which has not changed");
	test_programs(&arena);
	takt_arena_release(&arena);
	return tap_done();
}
