/* SPDX-License-Identifier: MIT */
/* Families of cores: the files in the user's directory, followed by the built-in ones. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "events/backend.h"
#include "events/table.h"

#define FILES_MAX 4096u
#define FILE_BYTES_MAX ((size_t)1 << 20)
#define TABLE_SUFFIX ".events"
#define GROUP_SUFFIX ".group"

/* ---- files ---- */

struct files {
	struct takt_arena *arena;
	struct takt_diag *diag;
	struct events_text *items;
	uint32_t count, capacity;
};

static void add_file(struct files *files, const struct events_text *text)
{
	TAKT_GROW_IN(files->arena, files->items, files->count + 1, files->capacity);
	files->items[files->count++] = *text;
}

static bool read_file(struct files *files, const char *path)
{
	struct takt_file file;
	bool fine;

	if (takt_file_open(path, files->diag, &file) != TAKT_OK)
		return false;
	fine = file.size_bytes <= FILE_BYTES_MAX && files->count < FILES_MAX;
	if (fine)
		add_file(files, &(struct events_text){path,
						      takt_arena_copy(files->arena,
								      (const char *)file.data,
								      file.size_bytes),
						      file.size_bytes});
	else
		takt_error(files->diag, "%s: too large, or too many files beside it", path);
	takt_file_close(&file);
	return fine;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static bool cannot_read(struct files *files, const char *path)
{
	takt_error(files->diag, "cannot read the directory '%s': %s", path, strerror(errno));
	return false;
}

/* Read a directory: it holds tables, and its subdirectories hold groups. */
static bool read_directory(struct files *files, const char *directory, bool in_family)
{
	struct dirent **entries;
	bool fine = true;
	int count = scandir(directory, &entries, is_visible, alphasort);

	if (count < 0)
		return cannot_read(files, directory);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		char *path = takt_arena_printf(files->arena, "%s/%s", directory, name);
		struct stat status;

		if (fine && takt_string_ends(name, in_family ? GROUP_SUFFIX : TABLE_SUFFIX))
			fine = read_file(files, path);
		else if (fine && !in_family && stat(path, &status) != 0)
			fine = cannot_read(files, path);
		else if (fine && !in_family && S_ISDIR(status.st_mode))
			fine = read_directory(files, path, true);
		free(entries[i]);
	}
	free(entries);
	return fine;
}

/* ---- families ---- */

static struct events_family emulate_family(struct takt_arena *arena)
{
	struct events_family family = {
		.name = "emulate",
		.title = "any program, as qemu runs it",
		.isa = "",
		.path = "emulate" TABLE_SUFFIX,
	};

	family.event_count = takt_events_emulate_events(arena, &family.events);
	return family;
}

/*
 * Return the family that `family` is like: another one, or the built-in one of the same name after
 * the user's own.
 */
static const struct events_family *next_family(const struct events_library *library,
					       const struct events_family *family)
{
	uint32_t first = 0;

	if (!family->like)
		return NULL;
	if (strcmp(family->like, family->name) == 0)
		first = (uint32_t)(family - library->families) + 1;
	for (uint32_t i = first; i < library->family_count; i++)
		if (strcmp(library->families[i].name, family->like) == 0)
			return &library->families[i];
	return NULL;
}

static bool find_isa(const struct events_library *library, struct events_family *family,
		     struct takt_diag *diag)
{
	const struct events_family *other = family;

	for (uint32_t hops = 0; !other->isa && hops < library->family_count; hops++) {
		const struct events_family *next = next_family(library, other);

		if (!next && other->like)
			takt_error(diag, "%s: it is like '%s', which is no family", other->path,
				   other->like);
		if (!next)
			break;
		other = next;
	}
	if (!other->isa) {
		takt_error(diag, "%s: the family '%s' has no 'isa', nor has one that it is like",
			   family->path, family->name);
		return false;
	}
	family->isa = other->isa;
	return true;
}

/* Return the group's name if `path` ends in FAMILY/NAME.group; it is not NUL-terminated. */
static const char *name_in_path(const char *path, const char *family, size_t *ret_size)
{
	const char *slash = strrchr(path, '/');
	size_t size = strlen(family);

	if (!slash || (size_t)(slash - path) < size || memcmp(slash - size, family, size) != 0 ||
	    (slash - size > path && slash[-1 - (ptrdiff_t)size] != '/'))
		return NULL;
	*ret_size = strlen(slash + 1) - strlen(GROUP_SUFFIX);
	return slash + 1;
}

/* Report groups in directories that are not named after a family: they would never be found. */
static bool check_places(const struct events_library *library, struct takt_diag *diag)
{
	for (uint32_t i = 0; i < library->group_count; i++) {
		const char *path = library->groups[i].path;
		bool found = false;
		size_t size;

		for (uint32_t k = 0; k < library->family_count && !found; k++)
			found = name_in_path(path, library->families[k].name, &size) != NULL;
		if (found)
			continue;
		takt_error(diag, "%s: its directory is named as no family of events", path);
		takt_note(diag, "'takt count --list' prints the families; FAMILY.events beside the "
				"directory makes a new one");
		return false;
	}
	return true;
}

enum takt_status takt_events_library_open(const char *directory, struct takt_arena *arena,
					  struct takt_diag *diag,
					  struct events_library *ret_library)
{
	struct files files = {.arena = arena, .diag = diag};
	struct events_library library = {.arena = arena};
	struct events_family *families;
	struct events_text *groups;

	if (directory && !read_directory(&files, directory, false))
		return TAKT_BAD_INPUT;
	for (uint32_t i = 0; i < takt_events_builtin_count; i++)
		add_file(&files, &takt_events_builtin[i]);
	families = TAKT_NEW_ARRAY(arena, files.count + 1, struct events_family);
	groups = TAKT_NEW_ARRAY(arena, files.count, struct events_text);
	library.families = families;
	library.groups = groups;
	for (uint32_t i = 0; i < files.count; i++) {
		if (takt_string_ends(files.items[i].path, GROUP_SUFFIX))
			groups[library.group_count++] = files.items[i];
		else if (takt_events_table_parse(&files.items[i], arena, diag,
						 &families[library.family_count]) != TAKT_OK)
			return TAKT_BAD_INPUT;
		else
			library.family_count++;
	}
	families[library.family_count++] = emulate_family(arena);
	for (uint32_t i = 0; i < library.family_count; i++)
		if (!find_isa(&library, &families[i], diag))
			return TAKT_BAD_INPUT;
	if (!check_places(&library, diag))
		return TAKT_BAD_INPUT;
	*ret_library = library;
	return TAKT_OK;
}

const struct events_family *takt_events_family_find(const struct events_library *library,
						    const char *name)
{
	for (uint32_t i = 0; i < library->family_count; i++)
		if (strcmp(library->families[i].name, name) == 0)
			return &library->families[i];
	return NULL;
}

const struct events_family *takt_events_family_of_core(const struct events_library *library,
						       const char *core)
{
	for (uint32_t i = 0; i < library->family_count; i++)
		if (takt_string_is_one_of(core, library->families[i].cores,
					  library->families[i].core_count))
			return &library->families[i];
	return NULL;
}

const struct events_event *takt_events_event_find(const struct events_library *library,
						  const struct events_family *family,
						  const char *name)
{
	/* The limit ends the search even if families are like each other in a circle. */
	for (uint32_t hops = 0; family && hops < library->family_count; hops++) {
		for (uint32_t i = 0; i < family->event_count; i++)
			if (strcmp(family->events[i].name, name) == 0)
				return &family->events[i];
		family = next_family(library, family);
	}
	return NULL;
}

const struct events_text *takt_events_group_text(const struct events_library *library,
						 const struct events_family *family,
						 const char *name)
{
	for (uint32_t hops = 0; family && hops < library->family_count; hops++) {
		for (uint32_t i = 0; i < library->group_count; i++) {
			size_t size;
			const char *found =
				name_in_path(library->groups[i].path, family->name, &size);

			if (found && takt_string_is(name, found, size))
				return &library->groups[i];
		}
		family = next_family(library, family);
	}
	return NULL;
}

const char *const *takt_events_group_names(const struct events_library *library,
					   const struct events_family *family, uint32_t *ret_count)
{
	const char **names = TAKT_NEW_ARRAY(library->arena, library->group_count, const char *);
	uint32_t count = 0;

	for (uint32_t hops = 0; family && hops < library->family_count; hops++) {
		for (uint32_t i = 0; i < library->group_count; i++) {
			size_t size;
			const char *found = name_in_path(library->groups[i].path, family->name,
							 &size),
				   *name;

			if (!found)
				continue;
			name = takt_arena_copy(library->arena, found, size);
			if (!takt_string_is_one_of(name, names, count))
				names[count++] = name;
		}
		family = next_family(library, family);
	}
	qsort(names, count, sizeof(*names), takt_compare_strings);
	*ret_count = count;
	return names;
}
