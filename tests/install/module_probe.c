/* SPDX-License-Identifier: MIT */
/* Says where a module would be loaded from, and whether the environment keeps libpfm4 from use. */
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "events/pmu.h"

int main(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_text path = {0};
	bool found = takt_module_find("takt-llvm", diag, &path);

	printf("%s %s\n", getauxval(AT_SECURE) ? "privileged" : "ordinary",
	       found ? takt_text_data(&path) : "none");
	takt_diag_clear(diag);
	found = takt_pmu_has_pfm(diag);
	printf("%s\n",
	       !found && strstr(takt_diag_text(diag), "a variable LIBPFM_") ? "refused" : "asked");
	takt_text_release(&path);
	takt_diag_free(diag);
	return 0;
}
