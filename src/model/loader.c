/* SPDX-License-Identifier: MIT */
/* Finds the files of a model directory and merges them with those they inherit from. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/draft.h"

/* ---- files ---------------------------------------------------------------- */

static struct takt_model_text *read_text(struct takt_loader *loader, const char *path)
{
	struct takt_model_text *text = NULL;
	struct takt_file file;

	if (takt_file_open(path, loader->diag, &file) != TAKT_OK)
		return NULL;
	if (file.size_bytes > TAKT_MODEL_FILE_MAX_BYTES) {
		takt_error(loader->diag, "'%s' is larger than %zu MiB", path,
			   TAKT_MODEL_FILE_MAX_BYTES >> 20);
	} else {
		text = TAKT_NEW(loader->arena, struct takt_model_text);
		text->path = takt_arena_string(loader->arena, path);
		text->data =
			takt_arena_copy(loader->arena, (const char *)file.data, file.size_bytes);
		text->size_bytes = file.size_bytes;
		if (loader->depfile)
			takt_text_printf(loader->depfile, " \\\n %s", path);
	}
	takt_file_close(&file);
	return text;
}

/* List the sorted names of the directory's core files; false if it cannot be read. */
static bool list_cores(struct takt_loader *loader, const char *dir, const char ***ret_names,
		       size_t *ret_count)
{
	const char **names = TAKT_NEW_ARRAY(loader->arena, TAKT_MODEL_DIR_FILES_MAX, const char *);
	DIR *handle = opendir(dir);
	struct dirent *entry;
	size_t count = 0;
	int error;

	if (!handle)
		return false;
	for (errno = 0; count < TAKT_MODEL_DIR_FILES_MAX && (entry = readdir(handle)); errno = 0)
		if (*entry->d_name != '.' && takt_string_ends(entry->d_name, ".core"))
			names[count++] = takt_arena_string(loader->arena, entry->d_name);
	error = errno;
	closedir(handle);
	errno = error;
	if (error)
		return false;
	qsort(names, count, sizeof(*names), takt_compare_strings);
	*ret_names = names;
	*ret_count = count;
	return true;
}

static bool has_own_file(const struct takt_loader *loader, const char *name)
{
	return loader->timing_file && loader->timing_name && strcmp(loader->timing_name, name) == 0;
}

static const char *timing_path(const struct takt_loader *loader, const char *name)
{
	if (has_own_file(loader, name))
		return loader->timing_file;
	return takt_arena_printf(loader->arena, "%s/timing/%s.timing", loader->dir, name);
}

bool takt_loader_has_timing(const struct takt_loader *loader, const char *name)
{
	if (has_own_file(loader, name))
		return true;
	return loader->dir && *name && !strchr(name, '/') &&
	       access(timing_path(loader, name), F_OK) == 0;
}

bool takt_loader_open(struct takt_loader *loader)
{
	char *dir = takt_arena_printf(loader->arena, "%s/cores", loader->dir);
	const char **names;
	size_t count;
	bool fine = true;

	if (!list_cores(loader, dir, &names, &count)) {
		int error = errno;
		char *timing = takt_arena_printf(loader->arena, "%s/timing", loader->dir);

		if (error != ENOENT && error != ENOTDIR) {
			takt_error(loader->diag, "cannot read '%s': %s", dir, strerror(error));
			return false;
		}
		if (access(timing, F_OK) == 0)
			return true;
		takt_error(loader->diag, "'%s' is no model directory", loader->dir);
		takt_note(loader->diag, "it must have a sub-directory cores/ or timing/ with files "
					"NAME.core or NAME.timing");
		return false;
	}
	if (count == TAKT_MODEL_DIR_FILES_MAX) {
		takt_error(loader->diag, "'%s' has %u files or more", dir,
			   TAKT_MODEL_DIR_FILES_MAX);
		return false;
	}
	loader->cores = TAKT_NEW_ARRAY(loader->arena, count, struct takt_core_draft *);
	for (size_t i = 0; i < count; i++) {
		char *path = takt_arena_printf(loader->arena, "%s/%s", dir, names[i]);
		struct takt_model_text *text = read_text(loader, path);

		if (text && takt_core_read(text, loader->arena, loader->diag,
					   &loader->cores[loader->core_count]))
			loader->core_count++;
		else
			fine = false;
	}
	return fine;
}

const struct takt_core_draft *takt_loader_find(const struct takt_loader *loader, const char *name)
{
	for (size_t i = 0; i < loader->core_count; i++)
		if (takt_words_have(loader->cores[i]->name, name))
			return loader->cores[i];
	for (size_t i = 0; i < loader->core_count; i++)
		if ((loader->cores[i]->aliases &&
		     takt_words_have(loader->cores[i]->aliases, name)) ||
		    (loader->cores[i]->analogies &&
		     takt_words_have(loader->cores[i]->analogies, name)))
			return loader->cores[i];
	return NULL;
}

/* ---- cores ------------------------------------------------------------------ */

/* Report an error about a base at the line that names it; always false. */
static bool report_base(struct takt_loader *loader, const struct takt_model_text *text,
			uint32_t line, const char *base, const char *message)
{
	struct takt_place place = takt_text_place(text, line, base, loader->arena);

	takt_error_at(loader->diag, &place, message, base);
	return false;
}

static void inherit_core(struct takt_core_draft *core, const struct takt_core_draft *base)
{
	if (!core->vendor)
		core->vendor = base->vendor;
	if (!core->isa)
		core->isa = base->isa;
	if (!core->timing) {
		core->timing = base->timing;
		core->timing_line = 0;
	}
	if (core->ports.count == 0) {
		core->ports = base->ports;
		memcpy(core->port_titles, base->port_titles, sizeof(core->port_titles));
		if (core->unit_count == 0) {
			memcpy(core->units, base->units, sizeof(core->units));
			memcpy(core->unit_names, base->unit_names, sizeof(core->unit_names));
			core->unit_count = base->unit_count;
			core->unit_text = base->unit_text;
		}
		if (core->scheduler_count == 0) {
			memcpy(core->schedulers, base->schedulers, sizeof(core->schedulers));
			memcpy(core->scheduler_sources, base->scheduler_sources,
			       sizeof(core->scheduler_sources));
			core->scheduler_count = base->scheduler_count;
			core->scheduler_text = base->scheduler_text;
		}
	}
	for (size_t i = 0; i < TAKT_PARAM_COUNT; i++) {
		if (core->param_sources[i])
			continue;
		core->params[i] = base->params[i];
		core->param_sources[i] = base->param_sources[i];
	}
	if (!core->isa_sets_given) {
		memcpy(core->isa_sets, base->isa_sets, sizeof(core->isa_sets));
		core->isa_sets_given = base->isa_sets_given;
	}
	if (!core->fuses_given) {
		memcpy(core->fuses, base->fuses, sizeof(core->fuses));
		core->fuse_count = base->fuse_count;
		core->fuse_sets = base->fuse_sets;
		core->fuse_not = base->fuse_not;
		core->fuses_given = base->fuses_given;
	}
	for (size_t i = 0; i < TAKT_COMPOSE_COUNT; i++)
		if (!core->compose[i])
			core->compose[i] = base->compose[i];
	for (size_t i = 0; i < TAKT_CLASS_COUNT; i++)
		if (!core->defaults[i])
			core->defaults[i] = base->defaults[i];
}

/* Find the core's base: the directory's, unless that is the core itself, or the built-in one. */
static const struct takt_core_draft *find_base(struct takt_loader *loader,
					       const struct takt_core_draft *core)
{
	const struct takt_core_draft *base = takt_loader_find(loader, core->base);
	const struct takt_image_core *stored = NULL;

	if (base && base != core)
		return base;
	if (loader->builtin)
		stored = takt_image_find_core(loader->builtin, core->base);
	return stored ? takt_core_from_image(loader->builtin, stored, loader->arena) : NULL;
}

/*
 * Renumber a mask by the core's ports. A file numbers ports in the order in which it names them,
 * and a core that inherits its ports, or names some in a line before `ports`, has them in another
 * order.
 */
static bool renumber(struct takt_loader *loader, const struct takt_core_draft *core,
		     const struct takt_model_text *text, const char *line, uint32_t *mask)
{
	uint32_t renumbered = 0;

	for (uint32_t left = *mask; left; left &= left - 1) {
		const char *name = text->ports.names[__builtin_ctz(left)];
		uint32_t i = 0;

		while (i < core->ports.count && memcmp(core->ports.names[i], name, 2) != 0)
			i++;
		if (i == core->ports.count) {
			takt_error(loader->diag, "unknown port '%.2s' in a line '%s' of %s", name,
				   line, core->name);
			return false;
		}
		renumbered |= (uint32_t)1 << i;
	}
	*mask = renumbered;
	return true;
}

static bool renumber_core(struct takt_loader *loader, struct takt_core_draft *core)
{
	for (uint32_t i = 0; i < core->scheduler_count; i++)
		if (!renumber(loader, core, core->scheduler_text, "scheduler",
			      &core->schedulers[i].ports))
			return false;
	for (uint32_t i = 0; i < core->unit_count; i++)
		if (!renumber(loader, core, core->unit_text, "unit", &core->units[i].ports))
			return false;
	return true;
}

/*
 * False, after an error, if a core has lines of fusing mnemonics, which were read as x86-64's
 * because no line names the instruction set, but takes another instruction set from its base.
 */
static bool check_isa(struct takt_loader *loader, const struct takt_core_draft *core,
		      const char *isa)
{
	if (core->isa || !core->fuses_given || !isa || strcmp(isa, takt_isa_x86.name) == 0)
		return true;
	report_base(loader, core->text, core->base_line, core->base,
		    "base '%s' has another instruction set than x86-64");
	takt_note(loader->diag, "write 'isa %s' before the lines that begin with 'fuse'", isa);
	return false;
}

static bool resolve_core(struct takt_loader *loader, const struct takt_core_draft *core,
			 struct takt_core_draft **ret_core)
{
	struct takt_core_draft *whole = TAKT_NEW(loader->arena, struct takt_core_draft);
	const struct takt_core_draft *chain[TAKT_BASE_DEPTH_MAX];
	size_t depth = 0;

	*whole = *core;
	while (core->base) {
		const struct takt_core_draft *base = find_base(loader, core);

		if (!base) {
			report_base(loader, core->text, core->base_line, core->base,
				    "unknown base '%s'");
			takt_note(loader->diag, "a base is a core of this directory or a "
						"built-in one; 'takt model list' lists those");
			return false;
		}
		chain[depth++] = core;
		for (size_t i = 0; i < depth; i++)
			if (chain[i] == base)
				return report_base(loader, core->text, core->base_line, core->base,
						   "base '%s' leads back to this core");
		if (depth == TAKT_BASE_DEPTH_MAX)
			return report_base(loader, core->text, core->base_line, core->base,
					   "too many bases in a row, up to '%s'");
		inherit_core(whole, base);
		core = base;
	}
	for (size_t i = 0; i < depth; i++)
		if (!check_isa(loader, chain[i], whole->isa))
			return false;
	if (!renumber_core(loader, whole))
		return false;
	*ret_core = whole;
	return true;
}

/* ---- timings ------------------------------------------------------------------ */

static struct takt_timing_draft *remember(struct takt_loader *loader,
					  struct takt_timing_draft *timing)
{
	loader->timings =
		takt_arena_grow(loader->arena, loader->timings, loader->timing_count,
				loader->timing_count + 1, sizeof(struct takt_timing_draft *));
	loader->timings[loader->timing_count++] = timing;
	return timing;
}

static struct takt_timing_draft *read_timing(struct takt_loader *loader, const char *name)
{
	struct takt_model_text *text = read_text(loader, timing_path(loader, name));
	struct takt_timing_draft *timing;

	if (!text || !takt_timing_read(text, loader->arena, loader->diag, &timing))
		return NULL;
	if (strcmp(timing->name, name) != 0) {
		takt_error(loader->diag, "%s: names itself '%s'", text->path, timing->name);
		takt_note(loader->diag, "the 'name' line must agree with the file's name");
		return NULL;
	}
	return remember(loader, timing);
}

/* Make a draft of the rows of a built-in core that uses the timing; NULL if none does. */
static struct takt_timing_draft *builtin_timing(struct takt_loader *loader, const char *name)
{
	const struct takt_image *image = loader->builtin;

	for (uint32_t i = 0; image && i < image->cores_count; i++) {
		const struct takt_image_core *core = &image->cores[i];

		if (strcmp(takt_image_string(image, core->timing), name) == 0)
			return remember(loader,
					takt_timing_draft_from_image(image, core, loader->arena));
	}
	return NULL;
}

/*
 * Find a timing by name; each is read once. `not_this` is the draft whose base is looked for: a
 * file with its own name as base means the built-in timing. If NULL is returned, *ret_reported
 * says whether the error has been reported.
 */
static const struct takt_timing_draft *find_timing(struct takt_loader *loader, const char *name,
						   const struct takt_timing_draft *not_this,
						   bool *ret_reported)
{
	bool in_dir = takt_loader_has_timing(loader, name) &&
		      !(not_this && not_this->text->path && strcmp(not_this->name, name) == 0);

	*ret_reported = in_dir;
	for (size_t i = 0; i < loader->timing_count; i++)
		if (strcmp(loader->timings[i]->name, name) == 0 &&
		    (loader->timings[i]->text->path != NULL) == in_dir)
			return loader->timings[i];
	return in_dir ? read_timing(loader, name) : builtin_timing(loader, name);
}

/* Collect the core's timing and its bases, most specific first. */
static bool timing_chain(struct takt_loader *loader, const struct takt_core_draft *core,
			 const struct takt_timing_draft **chain, size_t *ret_depth)
{
	const struct takt_model_text *text = core->text;
	const char *name = core->timing;
	uint32_t line = core->timing_line;
	size_t depth = 0;

	while (name) {
		bool reported;
		const struct takt_timing_draft *timing =
			find_timing(loader, name, depth ? chain[depth - 1] : NULL, &reported);

		if (!timing && reported)
			return false;
		if (!timing) {
			report_base(loader, text, line, name, "unknown timing '%s'");
			takt_note(loader->diag, "it would be read from timing/%s.timing", name);
			return false;
		}
		for (size_t i = 0; i < depth; i++)
			if (chain[i] == timing)
				return report_base(loader, text, line, name,
						   "base '%s' leads back to this file");
		if (depth == TAKT_BASE_DEPTH_MAX)
			return report_base(loader, text, line, name,
					   "too many bases in a row, up to '%s'");
		chain[depth++] = timing;
		text = timing->text;
		name = timing->base;
		line = timing->base_line;
	}
	*ret_depth = depth;
	return true;
}

/* Merge rows by form in an open-addressing table; `none` rows remove inherited ones. */
static void merge_rows(struct takt_loader *loader, const struct takt_timing_draft *const *chain,
		       size_t depth, struct takt_loaded_core *ret_core)
{
	size_t total = 0, capacity = 16, count = 0;
	const struct takt_row **table;

	for (size_t i = 0; i < depth; i++)
		total += chain[i]->row_count;
	while (capacity < 2 * total)
		capacity *= 2;
	table = TAKT_NEW_ARRAY(loader->arena, capacity, const struct takt_row *);
	for (size_t i = depth; i-- > 0;) {
		for (size_t j = 0; j < chain[i]->row_count; j++) {
			const struct takt_row *row = &chain[i]->rows[j];
			size_t slot = (size_t)takt_hash64(row->form) & (capacity - 1);

			while (table[slot] && table[slot]->form != row->form)
				slot = (slot + 1) & (capacity - 1);
			table[slot] = row;
		}
	}
	for (size_t slot = 0; slot < capacity; slot++)
		if (table[slot] && !table[slot]->removed)
			table[count++] = table[slot];
	ret_core->rows = table;
	ret_core->row_count = count;
}

bool takt_loader_load(struct takt_loader *loader, const struct takt_core_draft *core,
		      struct takt_loaded_core *ret_core)
{
	const struct takt_timing_draft *chain[TAKT_BASE_DEPTH_MAX];
	struct takt_loaded_core loaded = {0};
	struct takt_core_draft *whole;
	size_t depth;

	if (!resolve_core(loader, core, &whole) || !timing_chain(loader, whole, chain, &depth))
		return false;
	merge_rows(loader, chain, depth, &loaded);
	loaded.core = whole;
	*ret_core = loaded;
	return true;
}
