/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "../tap.h"
#include "serve/serve.h"

static struct takt_arena arena;

static bool read_query(const char *target, struct serve_query *query, const char *wanted)
{
	struct takt_diag *diag = takt_diag_new();
	bool fine = takt_serve_query_read(target, &arena, diag, query);

	if (wanted)
		ok(!fine && strstr(takt_diag_text(diag), wanted), "'%.40s' is refused: %s", target,
		   wanted);
	takt_diag_free(diag);
	return fine;
}

static void test_good(void)
{
	struct serve_query query;

	ok(read_query("analyze?core=SKX&core=llvm%3Ariscv64%3Ax&set=rob_entries%3D512&format=asm"
		      "&syntax=intel&mode=loop&region=3&alignment=0&flags=-O2+-g&compiler=gcc",
		      &query, NULL),
	   "a whole request");
	ok(query.core_count == 2, "its cores");
	is_string(query.cores[1], "llvm:riscv64:x", "a core in percent encoding");
	is_string(query.settings[0].name, "rob_entries", "a parameter's name");
	is_string(query.settings[0].value, "512", "a parameter's value");
	is_string(query.flags, "-O2 -g", "a plus is a blank");
	ok(query.format == TAKT_INPUT_ASSEMBLY && query.syntax == TAKT_SYNTAX_INTEL &&
		   query.mode == TAKT_MODE_LOOP && query.region == 3 && query.alignment == 1,
	   "words and numbers");
	ok(read_query("cores", &query, NULL) && query.kind == SERVE_CORES, "without parameters");
	ok(read_query("analyze?&core=A&", &query, NULL) && query.core_count == 1, "empty pairs");
}

static void test_bad(void)
{
	static const struct {
		const char *target, *wanted;
	} rows[] = {
		{"analyse", "there is no 'analyse' here"},
		{"", "there is no '' here"},
		{"analyze?core", "'core' cannot be ''"},
		{"analyze?nose=1", "a request has no 'nose'"},
		{"analyze?core=%4", "not encoded"},
		{"analyze?core=%", "not encoded"},
		{"analyze?core=%zz", "not encoded"},
		{"analyze?core=%00", "not encoded"},
		{"analyze?core=a%0ab", "not encoded"},
		{"analyze?set=rob", "it has the form"},
		{"analyze?set==4", "it has the form"},
		{"analyze?mode=fast", "the choices are auto, loop, unroll"},
		{"analyze?region=-1", "must be a number"},
		{"analyze?region=99999999999", "must be a number"},
		{"analyze?alignment=64", "must be a number up to 63"},
	};
	struct serve_query query;

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		read_query(rows[i].target, &query, rows[i].wanted);
}

static void test_many(void)
{
	struct takt_text text = {0};
	struct serve_query query;

	takt_text_add_string(&text, "analyze?");
	for (int i = 0; i <= SERVE_CORES_MAX; i++)
		takt_text_add_string(&text, "core=A&");
	read_query(text.data, &query, "more than 32 cores");
	takt_text_clear(&text);
	takt_text_add_string(&text, "analyze?");
	for (int i = 0; i <= SERVE_SETTINGS_MAX; i++)
		takt_text_add_string(&text, "set=a%3D1&");
	read_query(text.data, &query, "more than 64 parameters");
	takt_text_clear(&text);
	takt_text_add_string(&text, "analyze?hex=");
	takt_text_pad(&text, '0', SERVE_TARGET_BYTES_MAX);
	read_query(text.data, &query, "more than 65536 bytes");
	takt_text_release(&text);
}

int main(void)
{
	takt_arena_init(&arena);
	test_good();
	test_bad();
	test_many();
	takt_arena_release(&arena);
	return tap_done();
}
