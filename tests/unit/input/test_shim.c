/* SPDX-License-Identifier: MIT */
#include "fixture.h"

static void check(int line, const char *path, const char *error)
{
	struct opened opened;

	setenv("TAKT_LLVM_SHIM", path, 1);
	opened = open_text("nop\n", (struct takt_code_options){0});
	tap_ok_at(__FILE__, line, opened.status == TAKT_UNAVAILABLE && says(&opened, error), "%s",
		  path);
	tap_ok_at(__FILE__, line, says(&opened, "note: install"), "remedy");
	close_opened(&opened);
}

int main(void)
{
	const char *given = getenv("TAKT_LLVM_SHIM");
	char *shim = given ? strdup(given) : NULL;
	struct opened opened;

	check(__LINE__, "/nowhere/takt-llvm.so",
	      "error: cannot load '/nowhere/takt-llvm.so', which assembles 'x': ");
	check(__LINE__, "/dev/null", "error: cannot load '/dev/null'");
	check(__LINE__, "libm.so.6", "undefined symbol");

	if (shim) {
		setenv("TAKT_LLVM_SHIM", shim, 1);
		opened = open_text("nop\n", (struct takt_code_options){0});
		is_int(opened.status, TAKT_OK, "the one that is given");
		close_opened(&opened);
	}
	free(shim);
	return tap_done();
}
