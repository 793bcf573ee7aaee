/* SPDX-License-Identifier: MIT */
/* Which core is meant: by name, by the processor at hand, from a user's directory. */
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "model/draft.h"

#define FAMILY_EXTENDED 15u /* families from here on add the extended field */
#define FAMILY_WITH_EXTENDED_MODEL 6u

static const struct takt_image *builtin_image(struct takt_image *storage)
{
	const char *error;

	return takt_image_open(takt_image_builtin(), storage, &error) ? storage : NULL;
}

size_t takt_model_builtin_count(void)
{
	struct takt_image storage;
	const struct takt_image *image = builtin_image(&storage);

	return image ? image->cores_count : 0;
}

const char *takt_model_builtin_name(size_t index)
{
	struct takt_image storage;
	const struct takt_image *image = builtin_image(&storage);

	if (!image || index >= image->cores_count)
		return "";
	return takt_image_string(image, image->cores[index].name);
}

/* ---- the processor at hand -------------------------------------------------- */

/* What a `cpuid` line has: on AArch64 implementer and part of the register MIDR_EL1. */
struct host {
	char vendor[13]; /* "" if the family alone says it */
	uint32_t family, model, stepping;
};

#if defined(__x86_64__) || defined(__i386__)
static bool identify_host(struct host *ret_host)
{
	unsigned eax, ebx, ecx, edx;
	struct host host = {{0}, 0, 0, 0};

	if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
		return false;
	memcpy(host.vendor, &ebx, 4);
	memcpy(host.vendor + 4, &edx, 4);
	memcpy(host.vendor + 8, &ecx, 4);
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return false;
	host.stepping = eax & 15;
	host.model = eax >> 4 & 15;
	host.family = eax >> 8 & 15;
	if (host.family == FAMILY_WITH_EXTENDED_MODEL || host.family == FAMILY_EXTENDED)
		host.model |= eax >> 12 & 0xf0;
	if (host.family == FAMILY_EXTENDED)
		host.family += eax >> 20 & 0xff;
	*ret_host = host;
	return true;
}
#else
static bool identify_host(struct host *ret_host)
{
	FILE *file = fopen("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "r");
	unsigned long long midr = 0;
	bool read = file && fscanf(file, "%llx", &midr) == 1;

	if (file)
		fclose(file);
	*ret_host = (struct host){.family = midr >> 24 & 0xff,
				  .model = midr >> 4 & 0xfff,
				  .stepping = midr >> 20 & 15};
	return read;
}
#endif

static bool is_host(const struct host *host, const char *vendor,
		    const struct takt_image_cpuid *cpuids, size_t count)
{
	if (*host->vendor && (!vendor || strcmp(vendor, host->vendor) != 0))
		return false;
	for (size_t i = 0; i < count; i++)
		if (host->family == cpuids[i].family && host->model >= cpuids[i].model_first &&
		    host->model <= cpuids[i].model_last &&
		    host->stepping >= cpuids[i].stepping_first &&
		    host->stepping <= cpuids[i].stepping_last)
			return true;
	return false;
}

static const char *host_in_image(const struct takt_image *image, const struct host *host)
{
	for (uint32_t i = 0; image && i < image->cores_count; i++) {
		const struct takt_image_core *core = &image->cores[i];

		if ((uint64_t)core->cpuid_index + core->cpuid_count > image->cpuids_count)
			continue;
		if (is_host(host, takt_image_string(image, core->vendor),
			    image->cpuids + core->cpuid_index, core->cpuid_count))
			return takt_image_string(image, core->name);
	}
	return NULL;
}

/* Name of the core takt runs on; NULL, reported, if no core claims it. */
static const char *host_name(const struct takt_loader *loader, struct takt_diag *diag)
{
	struct host host;
	const char *name = NULL;

	if (!identify_host(&host)) {
		takt_error(diag, "this processor does not say what it is");
		takt_note(diag, "name the core: --arch=NAME; 'takt model list' lists the names");
		return NULL;
	}
	for (size_t i = 0; i < loader->core_count && !name; i++)
		if (is_host(&host, loader->cores[i]->vendor, loader->cores[i]->cpuids,
			    loader->cores[i]->cpuid_count))
			name = loader->cores[i]->name;
	if (!name)
		name = host_in_image(loader->builtin, &host);
	if (!name) {
		takt_error(diag, "no model of this processor: %s family %u model %u stepping %u",
			   host.vendor, host.family, host.model, host.stepping);
		takt_note(diag, "name the nearest core: --arch=NAME; 'takt model list' lists the "
				"names");
	}
	return name;
}

/* ---- by name ----------------------------------------------------------------- */

#define NAMES_MAX 2048u

/* Splits aliases into `names`; returns the new count. */
static size_t add_names(struct takt_arena *arena, const char *words, const char **names,
			size_t count)
{
	while (words && *words && count < NAMES_MAX) {
		size_t size = strcspn(words, " ");

		if (size)
			names[count++] = takt_arena_copy(arena, words, size);
		words += size + (words[size] == ' ');
	}
	return count;
}

static void report_unknown(const struct takt_loader *loader, const char *name,
			   struct takt_diag *diag)
{
	const char **names = TAKT_NEW_ARRAY(loader->arena, NAMES_MAX, const char *);
	const struct takt_image *image = loader->builtin;
	struct takt_text nearest = {0};
	size_t count = 0;

	for (size_t i = 0; i < loader->core_count; i++) {
		count = add_names(loader->arena, loader->cores[i]->name, names, count);
		count = add_names(loader->arena, loader->cores[i]->aliases, names, count);
	}
	for (uint32_t i = 0; image && i < image->cores_count; i++) {
		const struct takt_image_core *core = &image->cores[i];

		count = add_names(loader->arena, takt_image_string(image, core->name), names,
				  count);
		count = add_names(loader->arena, takt_image_string(image, core->aliases), names,
				  count);
	}
	takt_error(diag, "unknown core '%s'", name);
	if (takt_nearest_names(name, names, count, 3, &nearest))
		takt_note(diag, "did you mean %s? 'takt model list' lists all",
			  takt_text_data(&nearest));
	else
		takt_note(diag, "'takt model list' lists the cores; 'host' is this machine's");
	takt_text_release(&nearest);
}

/* Compiles one core of a user's directory into an image of its own. */
static enum takt_status open_loaded(struct takt_loader *loader, const struct takt_core_draft *core,
				    struct takt_diag *diag, struct takt_model **ret_model)
{
	struct takt_loaded_core loaded;
	struct takt_image_bytes bytes;
	struct takt_image image;
	struct takt_model *model;
	const char *error;

	if (!takt_loader_load(loader, core, &loaded) ||
	    !takt_image_write(&loaded, 1, loader->arena, diag, &bytes))
		return TAKT_BAD_INPUT;
	if (!takt_image_open(bytes, &image, &error)) {
		takt_error(diag, "model of '%s': %s", core->name, error);
		takt_image_free(bytes);
		return TAKT_BAD_INPUT;
	}
	model = takt_model_from_image(&image, image.cores, bytes);
	if (!takt_params_check(&model->params, diag)) {
		takt_note(diag, "in the core file of '%s'", takt_model_name(model));
		takt_model_close(model);
		return TAKT_BAD_INPUT;
	}
	*ret_model = model;
	return TAKT_OK;
}

static enum takt_status open_named(struct takt_loader *loader, const char *name,
				   struct takt_diag *diag, struct takt_model **ret_model)
{
	const struct takt_image_bytes none = {NULL, 0};
	const struct takt_core_draft *draft;
	const struct takt_image_core *core = NULL;

	if (takt_string_equal_nocase(name, "host"))
		name = host_name(loader, diag);
	if (!name)
		return TAKT_NOT_FOUND;
	draft = takt_loader_find(loader, name);
	if (draft) {
		loader->timing_name = draft->timing;
		return open_loaded(loader, draft, diag, ret_model);
	}
	if (loader->builtin)
		core = takt_image_find_core(loader->builtin, name);
	if (!core) {
		report_unknown(loader, name, diag);
		return TAKT_NOT_FOUND;
	}
	loader->timing_name = takt_image_string(loader->builtin, core->timing);
	/* A directory may replace just the timings of a built-in core. */
	if (takt_loader_has_timing(loader, takt_image_string(loader->builtin, core->timing)))
		return open_loaded(loader,
				   takt_core_from_image(loader->builtin, core, loader->arena), diag,
				   ret_model);
	*ret_model = takt_model_from_image(loader->builtin, core, none);
	return TAKT_OK;
}

enum takt_status takt_model_open(const char *name, const char *model_dir, struct takt_diag *diag,
				 struct takt_model **ret_model)
{
	return takt_model_open_timing(name, model_dir, NULL, diag, ret_model);
}

/* LLVM's cores have no timing files. */
static enum takt_status open_llvm(const char *name, const char *timing_file, struct takt_diag *diag,
				  struct takt_model **ret_model)
{
	if (!timing_file)
		return takt_llvm_model_open(name, diag, ret_model);
	takt_error(diag, "'%s' cannot have other timings: it is made of LLVM's tables", name);
	takt_note(diag, "name a core of 'takt model list'");
	return TAKT_BAD_INPUT;
}

enum takt_status takt_model_open_timing(const char *name, const char *model_dir,
					const char *timing_file, struct takt_diag *diag,
					struct takt_model **ret_model)
{
	struct takt_arena arena = {0};
	struct takt_image storage;
	struct takt_loader loader = {.arena = &arena, .diag = diag, .dir = model_dir,
				     .timing_file = timing_file};
	const char *error = "";
	enum takt_status status = TAKT_BAD_INPUT;

	if (takt_is_llvm_name(name))
		return open_llvm(name, timing_file, diag, ret_model);
	if (takt_image_open(takt_image_builtin(), &storage, &error))
		loader.builtin = &storage;
	else if (!model_dir)
		takt_error(diag, "the built-in models cannot be used: %s", error);
	if ((loader.builtin || model_dir) && (!model_dir || takt_loader_open(&loader)))
		status = open_named(&loader, name, diag, ret_model);
	takt_arena_release(&arena);
	return status;
}
