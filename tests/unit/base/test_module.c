/* SPDX-License-Identifier: MIT */
/* Whose modules are loaded, and whose are not. */
#include <sys/stat.h>
#include <unistd.h>

#include "../tap.h"
#include "base/base.h"

#define OTHER_USER 12345u
#define OTHER_GROUP 12346u

struct row {
	int line;
	const char *what;
	bool privileged;
	uint32_t owner, folder_owner; /* 0: root; USER: who runs this; OTHER_USER */
	mode_t mode, folder_mode;
	const char *why; /* a part of the reason, or NULL: it is loaded */
};

#define USER 1u

/* clang-format off */
static const struct row rows[] = {
	{__LINE__, "one's own", false, USER, USER, 0644, 0755, NULL},
	{__LINE__, "root's", false, 0, 0, 0644, 0755, NULL},
	{__LINE__, "for a group, too", false, USER, USER, 0664, 0775, NULL},
	{__LINE__, "for everybody", false, USER, USER, 0666, 0755, "everybody may write to it"},
	{__LINE__, "in a folder for everybody", false, USER, USER, 0644, 0777, "to its folder"},
	{__LINE__, "in one like /tmp", false, USER, USER, 0644, 01777, "to its folder"},
	{__LINE__, "another's", false, OTHER_USER, USER, 0644, 0755, "it belongs to another user"},
	{__LINE__, "in another's folder", false, USER, OTHER_USER, 0644, 0755, "its folder belongs"},
	{__LINE__, "privileged, root's", true, 0, 0, 0644, 0755, NULL},
	{__LINE__, "privileged, one's own", true, USER, 0, 0644, 0755, "does not belong to root"},
	{__LINE__, "privileged, one's own folder", true, 0, USER, 0644, 0755, "folder does not belong"},
	{__LINE__, "privileged, for a group", true, 0, 0, 0664, 0755, "a group may write to it"},
	{__LINE__, "privileged, folder for a group", true, 0, 0, 0644, 0775, "to its folder"},
	{__LINE__, "privileged, for everybody", true, 0, 0, 0646, 0755, "everybody may write to it"},
};
/* clang-format on */

static const char *make(const struct row *row, const char *folder)
{
	static char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/takt-x.so", folder);
	chmod(folder, 0755);
	unlink(path);
	file = fopen(path, "w");
	if (!file)
		abort();
	fclose(file);
	if (chown(path, row->owner, row->privileged ? OTHER_GROUP : (gid_t)-1) != 0 ||
	    chown(folder, row->folder_owner, row->privileged ? OTHER_GROUP : (gid_t)-1) != 0 ||
	    chmod(path, row->mode) != 0 || chmod(folder, row->folder_mode) != 0)
		return NULL;
	return path;
}

static void test_row(const struct row *row, const char *folder)
{
	const struct takt_module_trust trust = {.privileged = row->privileged, .user = USER};
	const char *path = make(row, folder), *why;

	if (!path) {
		tap_skip(row->what, "only root gives files away");
		return;
	}
	why = takt_module_distrust(&trust, path);
	tap_ok_at(__FILE__, row->line, row->why ? why && strstr(why, row->why) : !why, "%s: %s",
		  row->what, why ? why : "loaded");
}

/* The same through the environment, with the trust of this process. */
static void test_environment(const char *folder)
{
	const struct row open_folder = {
		.mode = 0644, .folder_mode = 0777, .owner = geteuid(), .folder_owner = geteuid()};
	struct takt_diag *diag = takt_diag_new();
	struct takt_text path = {0};

	setenv("TAKT_MODULE_DIR", folder, 1);
	if (ok(make(&open_folder, folder) != NULL, "a folder for everybody")) {
		ok(!takt_module_symbol("takt-x", "entry", diag), "from a folder for everybody");
		ok(strstr(takt_diag_text(diag), "cannot load the module 'takt-x.so': everybody may "
						"write to its folder") &&
			   strstr(takt_diag_text(diag), folder),
		   "refused by name, with the place");
		takt_diag_clear(diag);
		ok(chmod(folder, 0755) == 0 && takt_module_find("takt-x", diag, &path), "found");
		ok(!takt_module_symbol("takt-x", "entry", diag) && takt_diag_error_count(diag) == 1,
		   "and the loader says that it is none");
		takt_diag_clear(diag);
	}
	ok(!takt_module_find("takt-absent", diag, &path) &&
		   strstr(takt_diag_text(diag), "it is not installed beside takt"),
	   "one that is not there");
	takt_text_release(&path);
	takt_diag_free(diag);
}

int main(void)
{
	const char *base = getenv("TMPDIR");
	char folder[256], path[300];

	snprintf(folder, sizeof(folder), "%s/takt-module-XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(folder))
		abort();
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		test_row(&rows[i], folder);
	test_environment(folder);
	snprintf(path, sizeof(path), "%s/takt-x.so", folder);
	unlink(path);
	rmdir(folder);
	return tap_done();
}
