/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "cli/cli.h"

enum { ARCH, MODE, FIXED, HEX, OUTPUT, JOBS, LINES, SET, COUNT };

static const struct takt_option options[] = {
	{"arch", "CORE", 0, false, ARCH, false},
	{"mcpu", "CORE", 0, false, ARCH, false},
	{"mode", "auto|loop|unroll", 0, false, MODE, false},
	{"fixed", NULL, 'f', false, FIXED, false},
	{"hex", "BYTES", 0, true, HEX, false},
	{"output", "FILE", 'o', false, OUTPUT, false},
	{"jobs", "N", 0, false, JOBS, false},
	{"lines", "LIST", 0, false, LINES, false},
	{"set", "NAME=VALUE", 0, false, SET, true},
};

static const struct takt_command_doc doc = {
	.name = "test", .options = options, .option_count = sizeof(options) / sizeof(options[0])};

#define WORDS_MAX 6

/* `values` in the order of the enumeration; NULL where not given. */
static const struct {
	int line;
	const char *words[WORDS_MAX];
	bool good;
	const char *values[COUNT];
	const char *operand;
} rows[] = {
	{__LINE__, {"file"}, true, {NULL}, "file"},
	{__LINE__, {"--arch=SKX", "file"}, true, {"SKX"}, "file"},
	{__LINE__, {"--arch", "SKX", "file"}, true, {"SKX"}, "file"},
	{__LINE__, {"file", "-arch", "SKX"}, true, {"SKX"}, "file"},
	{__LINE__, {"-mcpu=SKX"}, true, {"SKX"}, NULL},
	{__LINE__, {"--arch=A", "--mcpu=B"}, true, {"B"}, NULL},
	{__LINE__, {"--lines=1", "file", "--lines=3-4"}, true, {[LINES] = "1,3-4"}, "file"},
	{__LINE__, {"--lines=1", "--lines=2", "--lines", "3"}, true, {[LINES] = "1,2,3"}, NULL},
	{__LINE__, {"--lines=1", "--lines=2", "--bad"}, false, {NULL}, NULL},
	{__LINE__, {"--arch="}, false, {NULL}, NULL},
	{__LINE__, {"--mcpu="}, true, {""}, NULL}, /* scripts for llvm-mca give it */
	{__LINE__, {"--mode=LOOP"}, true, {NULL, "LOOP"}, NULL},
	{__LINE__, {"--mode=loo"}, false, {NULL}, NULL},
	{__LINE__, {"--mode="}, false, {NULL}, NULL},
	{__LINE__, {"-f", "-"}, true, {[FIXED] = ""}, "-"},
	{__LINE__, {"--fixed=1"}, false, {NULL}, NULL},
	{__LINE__, {"-fixd"}, false, {NULL}, NULL},
	{__LINE__, {"--hex", "file"}, true, {[HEX] = ""}, "file"},
	{__LINE__, {"--hex=90", "file"}, true, {[HEX] = "90"}, "file"},
	{__LINE__, {"-ofile"}, true, {[OUTPUT] = "file"}, NULL},
	{__LINE__, {"-o", "-x"}, true, {[OUTPUT] = "-x"}, NULL},
	{__LINE__, {"--o=file"}, true, {[OUTPUT] = "file"}, NULL},
	{__LINE__, {"--o", "file"}, true, {[OUTPUT] = "file"}, NULL},
	{__LINE__, {"--x=file"}, false, {NULL}, NULL},
	{__LINE__, {"-o"}, false, {NULL}, NULL},
	{__LINE__, {"--", "--arch"}, true, {NULL}, "--arch"},
	{__LINE__, {"--arhc=SKX"}, false, {NULL}, NULL},
	{__LINE__, {"---arch=SKX"}, false, {NULL}, NULL},
	{__LINE__, {"--=SKX"}, false, {NULL}, NULL},
};

static bool same(const char *left, const char *right)
{
	return left && right ? strcmp(left, right) == 0 : left == right;
}

static void test_words(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct takt_arguments arguments = {0};
		char storage[WORDS_MAX][16], *argv[WORDS_MAX];
		int argc = 0;
		bool good;

		for (; argc < WORDS_MAX && rows[i].words[argc]; argc++) {
			snprintf(storage[argc], sizeof(storage[argc]), "%s", rows[i].words[argc]);
			argv[argc] = storage[argc];
		}
		good = takt_arguments_parse(&doc, argc, argv, &arguments) == rows[i].good;
		for (size_t id = 0; id < COUNT; id++)
			good &= same(arguments.values[id], rows[i].values[id]);
		good &= arguments.operand_count == (rows[i].operand ? 1u : 0u);
		if (good && rows[i].operand)
			good = same(arguments.operands[0], rows[i].operand);
		takt_arguments_release(&arguments);
		tap_ok_at(__FILE__, rows[i].line, good, "%s", rows[i].words[0]);
	}
}

static struct takt_arguments parse_one(char *word)
{
	struct takt_arguments arguments = {0};

	ok(takt_arguments_parse(&doc, 1, &word, &arguments), "%s", word);
	return arguments;
}

static void test_values(void)
{
	char loop[] = "--mode=Loop", many[] = "--jobs=300", none[] = "--jobs=x",
	     some[] = "--jobs=8";
	char half[] = "--jobs=0.5", file[] = "file", infinite[] = "--jobs=inf";
	struct takt_arguments arguments = parse_one(loop);
	double number = 7;
	long jobs = 1;

	is_int(takt_arguments_choice(&arguments, MODE), 1, "second choice");
	arguments = parse_one(file);
	is_int(takt_arguments_choice(&arguments, MODE), 0, "the first by default");
	ok(takt_arguments_integer(&arguments, JOBS, 1, 256, &jobs) && jobs == 1,
	   "kept if not given");
	arguments = parse_one(many);
	ok(!takt_arguments_integer(&arguments, JOBS, 1, 256, &jobs), "too many");
	arguments = parse_one(none);
	ok(!takt_arguments_integer(&arguments, JOBS, 1, 256, &jobs), "no number");
	arguments = parse_one(some);
	ok(takt_arguments_integer(&arguments, JOBS, 1, 256, &jobs) && jobs == 8, "eight");
	arguments = parse_one(half);
	ok(takt_arguments_positive(&arguments, JOBS, &number) && number == 0.5, "a half");
	arguments = parse_one(infinite);
	ok(!takt_arguments_positive(&arguments, JOBS, &number), "infinity");
}

/* The last one counts, but all are there. */
static void test_repeated(void)
{
	char first[] = "--jobs=1", between[] = "-f", second[] = "--jobs", value[] = "2";
	char *argv[] = {first, between, second, value};
	const char *all[4] = {NULL};
	struct takt_arguments arguments = {0};
	struct {
		uint16_t of_16, behind_16;
		uint32_t of_32, behind_32;
		uint64_t of_64;
	} jobs = {0, 7, 0, 8, 0};

	ok(takt_arguments_parse(&doc, 4, argv, &arguments), "repeated");
	is_string(arguments.values[JOBS], "2", "the last");
	is_int((long long)arguments.given_count, 3, "three options");
	ok(arguments.given[0].id == JOBS && arguments.given[1].id == FIXED &&
		   arguments.given[2].id == JOBS,
	   "in order");
	is_string(arguments.given[0].value, "1", "the first value");
	is_string(arguments.given[2].value, "2", "the second value");
	is_int((long long)takt_arguments_all(&arguments, JOBS, all), 2, "both values");
	ok(strcmp(all[0], "1") == 0 && strcmp(all[1], "2") == 0, "in order, too");
	ok(takt_arguments_integer(&arguments, JOBS, 1, 9, &jobs.of_16) &&
		   takt_arguments_integer(&arguments, JOBS, 1, 9, &jobs.of_32) &&
		   takt_arguments_integer(&arguments, JOBS, 1, 9, &jobs.of_64),
	   "integers of all sizes");
	ok(jobs.of_16 == 2 && jobs.of_32 == 2 && jobs.of_64 == 2 && jobs.behind_16 == 7 &&
		   jobs.behind_32 == 8,
	   "have the value, and nothing else changes");
	ok(takt_arguments_have(&arguments, "jobs"), "an option that is given");
	ok(!takt_arguments_have(&arguments, "mode"), "an option that is not given");
}

static void test_too_many(void)
{
	char word[] = "-f", *argv[TAKT_GIVEN_MAX + 1];
	struct takt_arguments arguments = {0};

	for (size_t i = 0; i <= TAKT_GIVEN_MAX; i++)
		argv[i] = word;
	ok(takt_arguments_parse(&doc, TAKT_GIVEN_MAX, argv, &arguments), "as many as may be");
	for (size_t i = 0; i <= TAKT_GIVEN_MAX; i++)
		argv[i] = word;
	ok(!takt_arguments_parse(&doc, TAKT_GIVEN_MAX + 1, argv, &arguments), "one more");
}

int main(void)
{
	test_words();
	test_values();
	test_repeated();
	test_too_many();
	return tap_done();
}
