/* SPDX-License-Identifier: MIT */
/* What happens without memory, in forked processes. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap.h"
#include "base/base.h"

#define HANDLED 7

static void end(size_t size_bytes)
{
	_exit(size_bytes == SIZE_MAX ? HANDLED : HANDLED + 1);
}

/* The wait status of a process that asks for more than there can be. */
static int run_out(takt_out_of_memory_handler handler, const char *partial)
{
	struct takt_partial_file file;
	volatile size_t much = SIZE_MAX / 4;
	struct rlimit none = {0, 0};
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		setrlimit(RLIMIT_CORE, &none);
		takt_set_out_of_memory_handler(handler);
		if (partial)
			takt_partial_file_begin(&file, partial);
		takt_xrealloc(NULL, much, 8);
		_exit(0);
	}
	return takt_wait(child, &status) == child ? status : -1;
}

static void test_handlers(void)
{
	int status = run_out(end, NULL);

	ok(WIFEXITED(status) && WEXITSTATUS(status) == HANDLED, "the handler ends the process");
	status = run_out(NULL, NULL);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "without one it is abort()");
}

static void test_partial_files(void)
{
	char first[] = "/tmp/takt-test-XXXXXX", second[] = "/tmp/takt-test-XXXXXX";
	int files[2] = {mkstemp(first), mkstemp(second)};
	struct takt_partial_file parents, ended;

	ok(files[0] >= 0 && files[1] >= 0, "fixture");
	takt_partial_file_begin(&parents, first);
	takt_partial_file_begin(&ended, second);
	takt_partial_file_end(&ended);
	takt_partial_file_end(&ended);
	run_out(end, second);
	ok(access(second, F_OK) != 0, "a partial file goes");
	ok(access(first, F_OK) == 0, "but not that of the parent process");
	takt_partial_file_end(&parents);
	unlink(first);
	close(files[0]);
	close(files[1]);
}

static void test_allocation(void)
{
	char *copy = takt_xstrdup("text");
	unsigned char *zeros = takt_xcalloc(0, 16);

	ok(strcmp(copy, "text") == 0, "a string is copied");
	ok(zeros != NULL, "nothing is something");
	free(copy);
	free(zeros);
}

static void test_growth(void)
{
	struct takt_arena arena = {0};
	uint32_t capacity = 0, zeroed_capacity = 0, in_capacity = 0;
	uint64_t *items = NULL, *zeroed = NULL, *in = NULL;
	bool kept = true;

	for (uint32_t i = 0; i < 1000; i++) {
		TAKT_GROW(items, i + 1, capacity);
		TAKT_GROW_ZEROED(zeroed, i + 1, zeroed_capacity);
		TAKT_GROW_IN(&arena, in, i + 1, in_capacity);
		kept &= zeroed[i] == 0 && in[i] == 0;
		items[i] = zeroed[i] = in[i] = i + 1;
	}
	for (uint32_t i = 0; i < 1000; i++)
		kept &= items[i] == i + 1 && zeroed[i] == i + 1 && in[i] == i + 1;
	ok(kept, "elements are kept, new ones are zero");
	is_int(capacity, 1024, "it doubles");
	TAKT_GROW(items, 5000, capacity);
	is_int(capacity, 5000, "or becomes as large as wanted");
	is_int((long long)takt_capacity(200, 201, UINT8_MAX), UINT8_MAX,
	       "and no larger than can be");
	is_int((long long)takt_capacity(0, 1, SIZE_MAX), 16, "from a few on");
	free(items);
	free(zeroed);
	takt_arena_release(&arena);
}

int main(void)
{
	test_handlers();
	test_growth();
	test_partial_files();
	test_allocation();
	return tap_done();
}
