/* SPDX-License-Identifier: MIT */
/* Says where a module would be loaded from. */
#include <stdio.h>
#include <sys/auxv.h>

#include "base/base.h"

int main(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_text path = {0};
	bool found = takt_module_find("takt-llvm", diag, &path);

	printf("%s %s\n", getauxval(AT_SECURE) ? "privileged" : "ordinary",
	       found ? takt_text_data(&path) : "none");
	takt_text_release(&path);
	takt_diag_free(diag);
	return 0;
}
