/* SPDX-License-Identifier: MIT */
/* Choosing the core, and opening code for it. */
#include <string.h>

#include "cli/cli.h"

/* An instruction set, and its core where none is named. */
struct default_core {
	const char *isa, *title, *core;
};

static const struct default_core *find_default(const char *isa)
{
	static const struct default_core defaults[] = {
#define CORE(set, title, core) {set, title, core},
#include "../../data/default_cores.def"
#undef CORE
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(defaults); i++)
		if (strcmp(isa, defaults[i].isa) == 0)
			return &defaults[i];
	return NULL;
}

const char *takt_core_default(const char *isa)
{
	const struct default_core *found = find_default(isa);

	return found ? found->core : NULL;
}

bool takt_core_open(const char *arch, const char *model_dir, struct takt_diag *diag,
		    struct takt_model **ret_model)
{
	bool fine = takt_model_open(arch ? arch : "host", model_dir, diag, ret_model) == TAKT_OK;

	takt_say_diag(diag); /* on success, it may have a note that the core is in doubt */
	if (fine)
		return true;
	if (!arch)
		takt_say_note("name the core with '--arch=CORE'");
	return false;
}

/* Return a default core for code that the host does not execute; NULL if there is none. */
static const char *foreign_core(const char *isa)
{
	const struct default_core *found = find_default(isa);

	if (found) {
		takt_say_note("%s code is analyzed for %s: '--arch=CORE' names another core",
			      found->title, found->core);
		return found->core;
	}
	takt_say_error("code for %s, which this machine does not execute", isa);
	takt_say_note("name the core with '--arch=CORE'");
	return NULL;
}

/* True if LLVM decodes the core's set, "llvm:TRIPLE:CPU", and its triple begins with `isa`. */
static bool is_llvm_set(const char *of_core, const char *isa)
{
	size_t size = strlen(isa);

	return strncmp(of_core, "llvm:", 5) == 0 && strncmp(of_core + 5, isa, size) == 0;
}

/*
 * Return the instruction set of a core as takt names it, in `storage` if it is that of LLVM's
 * tables, "llvm:x86_64:btver2".
 */
static const char *set_name(const struct takt_model *model, char storage[static 32])
{
	const char *of_core = takt_model_isa_name(model);

	if (strncmp(of_core, "llvm:", 5) != 0)
		return of_core;
	snprintf(storage, 32, "%.*s", (int)strcspn(of_core + 5, "-:"), of_core + 5);
	return strcmp(storage, "x86_64") == 0 ? "x86-64" : storage;
}

/* Report a core that does not execute code for `isa`; always false. */
static bool report_set(const struct takt_model *model, const char *isa)
{
	char storage[32];
	const char *of_core = set_name(model, storage);

	if (strcmp(of_core, isa) == 0)
		takt_say_error("%s programs are simulated on takt's own cores only, and '%s' is "
			       "made of LLVM's tables",
			       isa, takt_model_name(model));
	else
		takt_say_error("the program is for %s, the core '%s' is for %s", isa,
			       takt_model_name(model), of_core);
	return takt_say_note("name a core for %s with '--arch=CORE'; 'takt model list' lists them",
			     isa);
}

static bool executes(const struct takt_model *model, const char *isa)
{
	const char *of_core = takt_model_isa_name(model);

	return strcmp(of_core, isa) == 0 || is_llvm_set(of_core, isa);
}

/* Open a core for `isa`: `arch`, or else the host's, or else a default, named in a note. */
static bool open_for_isa(const char *arch, const char *model_dir, const char *isa,
			 struct takt_diag *diag, struct takt_model **ret_model)
{
	if (!arch && strcmp(isa, TAKT_HOST_ISA) != 0) {
		arch = foreign_core(isa);
		if (!arch)
			return false;
	}
	if (!takt_core_open(arch, model_dir, diag, ret_model))
		return false;
	if (executes(*ret_model, isa))
		return true;
	report_set(*ret_model, isa);
	takt_model_close(*ret_model);
	*ret_model = NULL;
	return false;
}

const struct takt_model *takt_core_open_requested(void *context, const char *isa)
{
	struct takt_core_request *request = context;

	/* Asking whether events can be counted opens the core before the run does. */
	if (request->model && executes(request->model, isa))
		return request->model;
	takt_model_close(request->model);
	request->model = NULL;
	return open_for_isa(request->arch, request->model_dir, isa, request->diag, &request->model)
		       ? request->model
		       : NULL;
}

bool takt_core_open_code(const char *arch, const char *model_dir, struct takt_code_options *options,
			 struct takt_diag *diag, struct takt_model **ret_model,
			 struct takt_code **ret_code)
{
	/* Raw bytes do not identify their instruction set, so the core does. */
	bool core_first =
		arch || options->format == TAKT_INPUT_RAW || options->format == TAKT_INPUT_HEX;
	const char *isa;

	if (core_first) {
		/* LLVM takes long to load: the assembler starts while the core is opened. */
		if (arch && strncmp(arch, "llvm:", 5) == 0) {
			options->isa = arch;
			takt_code_prepare(options);
		}
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
