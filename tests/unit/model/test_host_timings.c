/* SPDX-License-Identifier: MIT */
/* What `takt model identify` kept decides which core `host` is, unless features contradict it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/host.h"
#include "unit/tap.h"

static char folder[] = "/tmp/takt-host-XXXXXX";

/* Return the core that `host` is, and by what; "" if none is. */
static const char *host_core(char by[64])
{
	static char name[64];
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model;

	*name = *by = '\0';
	if (takt_model_open("host", NULL, diag, &model) == TAKT_OK) {
		snprintf(name, sizeof(name), "%s", takt_model_name(model));
		snprintf(by, 64, "%s", takt_model_recognition(model)->by);
		takt_model_close(model);
	}
	takt_diag_free(diag);
	return name;
}

/* Keep a core as the nearest; return the file's path. */
static char *keep(const char *core)
{
	const struct takt_host_timings timings = {
		.core = core, .next = "", .distance = 0.0384, .count = 58};
	struct takt_diag *diag = takt_diag_new();
	struct takt_text path = {0};
	char *copy;

	ok(takt_host_timings_keep(&timings, diag, &path) == TAKT_OK, "%s is kept%s", core,
	   takt_diag_text(diag));
	copy = strdup(takt_text_data(&path));
	takt_text_release(&path);
	takt_diag_free(diag);
	return copy;
}

/* Find a core of this instruction set that is ruled out or not, but is not `other`. */
static const char *find(bool ruled_out, const char *other)
{
	const char *found = NULL;

	for (size_t i = 0; !found && i < takt_model_builtin_count(); i++) {
		struct takt_diag *diag = takt_diag_new();
		struct takt_text text = {0};
		struct takt_model *model;

		if (takt_model_open(takt_model_builtin_name(i), NULL, diag, &model) == TAKT_OK) {
			takt_model_write_contradiction(model, &text);
			if ((text.size_bytes > 0) == ruled_out &&
			    strcmp(takt_model_isa_name(model), "x86-64") == 0 &&
			    strcmp(takt_model_name(model), other) != 0)
				found = takt_model_builtin_name(i);
			takt_model_close(model);
		}
		takt_text_release(&text);
		takt_diag_free(diag);
	}
	return found;
}

static void damage(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
}

int main(void)
{
	char claimed[64], by[64], claimed_by[64];
	const char *other;
	char *path;

	if (!mkdtemp(folder))
		return 1;
	setenv("XDG_CACHE_HOME", folder, 1);
	unsetenv("TAKT_CPUID");
	snprintf(claimed, sizeof(claimed), "%s", host_core(claimed_by));
	ok(strcmp(claimed_by, "timings") != 0, "without a file, host is '%s' by %s", claimed,
	   claimed_by);
	other = find(false, claimed);
	if (!*claimed || !other) {
		tap_skip("a kept core", "no model of this processor's maker, or no second one");
	} else {
		path = keep(other);
		is_string(host_core(by), other, "host is the core that was kept");
		is_string(by, "timings", "by timings");
		damage(path, "takt-host 1\nprocessor another\ncore SKX 1\n");
		is_string(host_core(by), claimed, "not if the file is another processor's");
		damage(path, "takt-host 1");
		is_string(host_core(by), claimed, "nor if it is cut short");
		damage(path, "");
		is_string(host_core(by), claimed, "nor if it is empty");
		free(path);
	}
	other = find(true, claimed);
	if (!other || !*claimed) {
		tap_skip("a contradicted core", "this processor's features rule out no core");
	} else {
		path = keep(other);
		is_string(host_core(by), claimed, "a core that the features rule out is not taken");
		unlink(path);
		free(path);
	}
	return tap_done();
}
