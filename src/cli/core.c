/* SPDX-License-Identifier: MIT */
/* Which core, and code for it. */
#include <string.h>

#include "cli/cli.h"

#define AARCH64_DEFAULT "V2" /* what OSACA takes, too */

bool takt_core_open(const char *arch, const char *model_dir, struct takt_diag *diag,
		    struct takt_model **ret_model)
{
	if (takt_model_open(arch ? arch : "host", model_dir, diag, ret_model) == TAKT_OK)
		return true;
	takt_say_diag(diag);
	if (!arch)
		takt_say_note("name the core with '--arch=CORE'");
	return false;
}

/* A core for code that the host does not execute; NULL if nobody can say. */
static const char *foreign_core(const char *isa)
{
	if (strcmp(isa, "aarch64") != 0) {
		takt_say_error("code for %s, which this machine does not execute", isa);
		takt_say_note("name the core with '--arch=CORE'");
		return NULL;
	}
	takt_say_note("AArch64 code is analyzed for %s: '--arch=CORE' names another core",
		      AARCH64_DEFAULT);
	return AARCH64_DEFAULT;
}

bool takt_core_open_code(const char *arch, const char *model_dir, struct takt_code_options *options,
			 struct takt_diag *diag, struct takt_model **ret_model,
			 struct takt_code **ret_code)
{
	/* Bytes do not tell what they are. */
	bool core_first =
		arch || options->format == TAKT_INPUT_RAW || options->format == TAKT_INPUT_HEX;
	const char *isa;

	if (core_first) {
		if (!takt_core_open(arch, model_dir, diag, ret_model))
			return false;
		options->isa = takt_model_isa_name(*ret_model);
	}
	if (takt_code_open(options, diag, ret_code) != TAKT_OK)
		return false;
	takt_say_diag(diag);
	if (core_first)
		return true;
	isa = takt_code_region(*ret_code, 0)->isa;
	if (strcmp(isa, TAKT_HOST_ISA) != 0) {
		arch = foreign_core(isa);
		if (!arch)
			return false;
	}
	return takt_core_open(arch, model_dir, diag, ret_model);
}
