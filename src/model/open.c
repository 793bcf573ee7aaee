/* SPDX-License-Identifier: MIT */
/* Opens a model by a core's name, for this machine's processor, or from a user's directory. */
#include <string.h>

#include "model/host.h"

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

static bool has_name(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (takt_string_equal_nocase(names[i], name))
			return true;
	return false;
}

enum takt_status takt_model_names(const char *model_dir, struct takt_diag *diag,
				  struct takt_arena *arena, const char *const **ret_names,
				  size_t *ret_count)
{
	struct takt_image storage;
	struct takt_loader loader = {
		.arena = arena, .diag = diag, .dir = model_dir, .builtin = builtin_image(&storage)};
	size_t builtin_count = takt_model_builtin_count(), count = 0;
	const char **names, *dir, *learnt;
	struct takt_cpu cpu;

	if (model_dir && !takt_loader_open(&loader))
		return TAKT_BAD_INPUT;
	names = TAKT_NEW_ARRAY(arena, loader.core_count + builtin_count + 1, const char *);
	for (size_t i = 0; i < loader.core_count; i++)
		names[count++] = loader.cores[i]->name;
	for (size_t i = 0; i < builtin_count; i++)
		if (!has_name(names, loader.core_count, takt_model_builtin_name(i)))
			names[count++] = takt_model_builtin_name(i);
	if (takt_cpu_read(NULL, &cpu) && takt_learnt_find(&cpu, arena, &dir, &learnt) &&
	    !has_name(names, count, learnt))
		names[count++] = learnt;
	*ret_names = names;
	*ret_count = count;
	return TAKT_OK;
}

/* ---- by name ----------------------------------------------------------------- */

#define NAMES_MAX 2048u

/* Append the aliases in `words` to `names`; return the new count. */
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
		count = add_names(loader->arena, loader->cores[i]->analogies, names, count);
	}
	for (uint32_t i = 0; image && i < image->cores_count; i++) {
		const struct takt_image_core *core = &image->cores[i];

		count = add_names(loader->arena, takt_image_string(image, core->name), names,
				  count);
		count = add_names(loader->arena, takt_image_string(image, core->aliases), names,
				  count);
		count = add_names(loader->arena, takt_image_string(image, core->analogies), names,
				  count);
	}
	takt_error(diag, "unknown core '%s'", name);
	if (takt_llvm_find(name, &nearest))
		takt_note(diag, "LLVM has tables for it: '%s'", takt_text_data(&nearest));
	else if (takt_nearest_names(name, names, count, 3, &nearest))
		takt_note(diag, "did you mean %s? 'takt model list' lists all",
			  takt_text_data(&nearest));
	else
		takt_note(diag, "'takt model list' lists the cores; 'host' is this machine's");
	takt_text_release(&nearest);
}

/* Compile one core of a user's directory into an image of its own, and open that. */
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

/* Say that a core stands in for one that has no model, if it does. */
static void note_analogy(struct takt_diag *diag, const char *core, const char *analogies,
			 const char *name)
{
	if (analogies && takt_words_have(analogies, name))
		takt_note(diag, "there is no model of '%s': %s stands in for it, by analogy", name,
			  core);
}

static enum takt_status open_named(struct takt_loader *loader, const char *name,
				   struct takt_diag *diag, struct takt_model **ret_model)
{
	const struct takt_image_bytes none = {NULL, 0};
	const struct takt_core_draft *draft;
	const struct takt_image_core *core = NULL;

	draft = takt_loader_find(loader, name);
	if (draft) {
		note_analogy(diag, draft->name, draft->analogies, name);
		loader->timing_name = draft->timing;
		return open_loaded(loader, draft, diag, ret_model);
	}
	if (loader->builtin)
		core = takt_image_find_core(loader->builtin, name);
	if (!core) {
		report_unknown(loader, name, diag);
		return TAKT_NOT_FOUND;
	}
	note_analogy(diag, takt_image_string(loader->builtin, core->name),
		     takt_image_string(loader->builtin, core->analogies), name);
	loader->timing_name = takt_image_string(loader->builtin, core->timing);
	/* A directory may replace only the timings of a built-in core. */
	if (takt_loader_has_timing(loader, takt_image_string(loader->builtin, core->timing)))
		return open_loaded(loader,
				   takt_core_from_image(loader->builtin, core, loader->arena), diag,
				   ret_model);
	*ret_model = takt_model_from_image(loader->builtin, core, none);
	return TAKT_OK;
}

/* Open a core of the directory where takt_learnt_install() put it. */
static enum takt_status open_installed(const struct takt_loader *loader, const char *dir,
				       const char *name, struct takt_model **ret_model)
{
	struct takt_loader installed = {.arena = loader->arena,
					.diag = loader->diag,
					.builtin = loader->builtin,
					.timing_file = loader->timing_file,
					.dir = dir};
	enum takt_status status = TAKT_BAD_INPUT;

	if (takt_loader_open(&installed))
		status = open_named(&installed, name, loader->diag, ret_model);
	if (status != TAKT_OK)
		takt_note(loader->diag,
			  "the model that was learnt on this machine cannot be used; remove "
			  "'%s' to do without",
			  dir);
	return status;
}

/* Open an installed model by its name; TAKT_NOT_FOUND if there is none. */
static enum takt_status open_learnt(struct takt_loader *loader, const char *name,
				    struct takt_model **ret_model)
{
	const char *dir, *core;
	struct takt_cpu cpu;

	if (takt_loader_find(loader, name) ||
	    (loader->builtin && takt_image_find_core(loader->builtin, name)) ||
	    !takt_cpu_read(NULL, &cpu) || !takt_learnt_find(&cpu, loader->arena, &dir, &core) ||
	    !takt_string_equal_nocase(core, name))
		return TAKT_NOT_FOUND;
	return open_installed(loader, dir, core, ret_model);
}

/* Open the core of this machine. */
static enum takt_status open_host(struct takt_loader *loader, struct takt_diag *diag,
				  struct takt_model **ret_model)
{
	struct takt_recognition recognition;
	enum takt_status status;

	if (!takt_host_recognize_this(loader, &recognition))
		return TAKT_NOT_FOUND;
	status = loader->installed_dir ? open_installed(loader, loader->installed_dir,
							recognition.taken, ret_model)
				       : open_named(loader, recognition.taken, diag, ret_model);
	if (status == TAKT_OK)
		takt_model_set_recognition(*ret_model, &recognition);
	return status;
}

static bool is_host_name(const char *name)
{
	return takt_string_equal_nocase(name, "host") || takt_string_equal_nocase(name, "native");
}

enum takt_status takt_model_open(const char *name, const char *model_dir, struct takt_diag *diag,
				 struct takt_model **ret_model)
{
	return takt_model_open_timing(name, model_dir, NULL, diag, ret_model);
}

/* Open one of LLVM's cores, which have no timing files. */
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
	struct takt_loader loader = {
		.arena = &arena, .diag = diag, .dir = model_dir, .timing_file = timing_file};
	const char *error = "";
	enum takt_status status = TAKT_BAD_INPUT;

	if (takt_is_llvm_name(name))
		return open_llvm(name, timing_file, diag, ret_model);
	if (takt_image_open(takt_image_builtin(), &storage, &error))
		loader.builtin = &storage;
	else if (!model_dir)
		takt_error(diag, "the built-in models cannot be used: %s", error);
	if ((loader.builtin || model_dir) && (!model_dir || takt_loader_open(&loader)))
		status = is_host_name(name) ? open_host(&loader, diag, ret_model)
					    : open_learnt(&loader, name, ret_model);
	if (status == TAKT_NOT_FOUND && !is_host_name(name))
		status = open_named(&loader, name, diag, ret_model);
	takt_arena_release(&arena);
	return status;
}
