/* SPDX-License-Identifier: MIT */
/*
 * A model learnt on this machine, installed for `host`. Each processor of a user has a folder of
 * its own in the user's data directory, named by a hash of what the processor says of itself. It is
 * a model directory, with one file more that says for which processor and which core it is:
 *
 *	takt-learnt 1
 *	processor AuthenticAMD family 26 model 2 stepping 1
 *	features 00000003f7ff1c8b 0000000000000000
 *	core NAME
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/host.h"

#define FIRST_LINE "takt-learnt 1"
#define RECORD_NAME "host"

/* Append the processor's folder; false if the user has no data directory. */
static bool write_folder(const struct takt_cpu *cpu, struct takt_text *path)
{
	bool good = takt_user_data(path);

	takt_text_printf(path, "/learnt/%016" PRIx64, takt_host_hash_key(FIRST_LINE, cpu));
	return good;
}

/* ---- finding -------------------------------------------------------------------- */

bool takt_learnt_parse(const struct takt_cpu *cpu, const char *text, size_t size_bytes,
		       struct takt_arena *arena, const char **ret_core)
{
	static const char word[] = "core ";
	const char *at = takt_host_skip_key(FIRST_LINE, cpu, text, size_bytes);
	const char *end = at ? memchr(at, '\n', (size_t)(text + size_bytes - at)) : NULL;

	if (!end || (size_t)(end - at) < strlen(word) || memcmp(at, word, strlen(word)) != 0)
		return false;
	at += strlen(word);
	if (!takt_host_name_is_fine((struct takt_word){at, (size_t)(end - at)}))
		return false;
	*ret_core = takt_arena_copy(arena, at, (size_t)(end - at));
	return true;
}

bool takt_learnt_find(const struct takt_cpu *cpu, struct takt_arena *arena, const char **ret_dir,
		      const char **ret_core)
{
	char content[TAKT_HOST_FILE_SIZE];
	struct takt_text path = {0};
	const char *dir = NULL;
	bool good = false;

	if (write_folder(cpu, &path)) {
		dir = takt_arena_string(arena, path.data);
		takt_text_add_string(&path, "/" RECORD_NAME);
		good = takt_learnt_parse(cpu, content, takt_host_read(path.data, content), arena,
					 ret_core);
	}
	if (good)
		*ret_dir = dir;
	takt_text_release(&path);
	return good;
}

/* ---- installing ----------------------------------------------------------------- */

/* Remove the files of a folder, and the folder; nothing if there is none. */
static void remove_folder(const char *path)
{
	DIR *handle = opendir(path);
	struct dirent *entry;

	while (handle && (entry = readdir(handle)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(handle), entry->d_name, 0);
	if (handle)
		closedir(handle);
	rmdir(path);
}

/* Remove an installed model. */
static void remove_model(struct takt_arena *arena, const char *path)
{
	remove_folder(takt_arena_printf(arena, "%s/cores", path));
	remove_folder(takt_arena_printf(arena, "%s/timing", path));
	remove_folder(path);
}

/* Write a file that the loader read into the folder. */
static bool copy(struct takt_loader *loader, const struct takt_model_text *text, const char *folder)
{
	const char *path =
		takt_arena_printf(loader->arena, "%s/%s", folder, takt_path_name(text->path));

	return takt_file_write(path, text->data, text->size_bytes, loader->diag) == TAKT_OK;
}

/* Write the core's file, and those that it inherits from and that are no built-in ones. */
static bool copy_model(struct takt_loader *loader, const struct takt_core_draft *core,
		       const char *folder)
{
	const char *cores = takt_arena_printf(loader->arena, "%s/cores", folder);
	const char *timing = takt_arena_printf(loader->arena, "%s/timing", folder);

	if (!takt_make_directories(cores, loader->diag) ||
	    !takt_make_directories(timing, loader->diag))
		return false;
	for (size_t depth = 0; core && depth < TAKT_BASE_DEPTH_MAX; depth++) {
		const struct takt_core_draft *base =
			core->base ? takt_loader_find(loader, core->base) : NULL;

		if (!copy(loader, core->text, cores))
			return false;
		core = base != core ? base : NULL;
	}
	for (size_t i = 0; i < loader->timing_count; i++)
		if (loader->timings[i]->text->path &&
		    !copy(loader, loader->timings[i]->text, timing))
			return false;
	return true;
}

static bool write_record(const struct takt_cpu *cpu, const char *core, const char *folder,
			 struct takt_loader *loader)
{
	const char *path = takt_arena_printf(loader->arena, "%s/" RECORD_NAME, folder);
	struct takt_text text = {0};
	bool good;

	takt_host_write_key(FIRST_LINE, cpu, &text);
	takt_text_printf(&text, "core %s\n", core);
	good = takt_file_write(path, text.data, text.size_bytes, loader->diag) == TAKT_OK;
	takt_text_release(&text);
	return good;
}

/* Put the new folder in the old one's place. */
static bool replace(struct takt_loader *loader, const char *fresh, const char *folder)
{
	const char *old = takt_arena_printf(loader->arena, "%s.old", folder);

	remove_model(loader->arena, old);
	if ((rename(folder, old) == 0 || errno == ENOENT) && rename(fresh, folder) == 0) {
		remove_model(loader->arena, old);
		return true;
	}
	takt_error(loader->diag, "cannot rename '%s' to '%s': %s", fresh, folder, strerror(errno));
	return false;
}

/* Find the core in the loader's directory and check that it can be opened. */
static const struct takt_core_draft *find_core(struct takt_loader *loader, const char *name)
{
	const struct takt_core_draft *core;
	struct takt_loaded_core loaded;
	struct takt_model *model;

	if (!takt_loader_open(loader))
		return NULL;
	core = takt_loader_find(loader, name);
	if (!core) {
		takt_error(loader->diag, "'%s' has no core '%s'", loader->dir, name);
		return NULL;
	}
	if (!takt_host_name_is_fine((struct takt_word){core->name, strlen(core->name)})) {
		takt_error(loader->diag, "'%s' is no name for a core that is installed",
			   core->name);
		takt_note(loader->diag, "take at most %u letters, digits, '+', '-', '.' and '_'",
			  TAKT_HOST_NAME_SIZE - 1);
		return NULL;
	}
	if (takt_model_open(core->name, loader->dir, loader->diag, &model) != TAKT_OK)
		return NULL;
	takt_model_close(model);
	loader->timing_name = core->timing;
	return takt_loader_load(loader, core, &loaded) ? core : NULL;
}

static bool install(struct takt_loader *loader, const struct takt_core_draft *core,
		    const char *folder)
{
	const char *fresh = takt_arena_printf(loader->arena, "%s.%d", folder, (int)getpid());
	struct takt_cpu cpu;
	bool good = takt_cpu_read(NULL, &cpu) && copy_model(loader, core, fresh) &&
		    write_record(&cpu, core->name, fresh, loader) && replace(loader, fresh, folder);

	if (!good)
		remove_model(loader->arena, fresh);
	return good;
}

enum takt_status takt_learnt_install(const char *model_dir, const char *name,
				     struct takt_diag *diag, struct takt_text *path)
{
	struct takt_arena arena = {0};
	struct takt_image storage;
	struct takt_loader loader = {.arena = &arena, .diag = diag, .dir = model_dir};
	const struct takt_core_draft *core;
	struct takt_text folder = {0};
	const char *error = "";
	struct takt_cpu cpu;
	bool good = false;

	if (takt_image_open(takt_image_builtin(), &storage, &error))
		loader.builtin = &storage;
	core = find_core(&loader, name);
	if (!core) {
		/* The cause has been reported. */
	} else if (!takt_cpu_read(NULL, &cpu) || !write_folder(&cpu, &folder)) {
		takt_error(diag, "no place to install the model: neither XDG_DATA_HOME nor HOME is "
				 "an absolute path");
	} else {
		good = install(&loader, core, folder.data);
	}
	if (good)
		takt_text_add_string(path, folder.data);
	takt_text_release(&folder);
	takt_arena_release(&arena);
	return good ? TAKT_OK : TAKT_BAD_INPUT;
}
