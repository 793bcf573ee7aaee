/* SPDX-License-Identifier: MIT */
/* Paths of the user's own files about this machine, and the processor that such a file is for. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/host.h"

/* Append the folder that a variable names, or one below HOME; false if neither is absolute. */
static bool write_folder(const char *variable, const char *below_home, struct takt_text *path)
{
	const char *folder = secure_getenv(variable), *home = secure_getenv("HOME");

	if (folder && *folder == '/')
		takt_text_printf(path, "%s/takt", folder);
	else if (home && *home == '/')
		takt_text_printf(path, "%s/%s/takt", home, below_home);
	else
		return false;
	return true;
}

bool takt_user_cache(struct takt_text *path)
{
	return write_folder("XDG_CACHE_HOME", ".cache", path);
}

bool takt_user_data(struct takt_text *path)
{
	return write_folder("XDG_DATA_HOME", ".local/share", path);
}

bool takt_make_directories(const char *path, struct takt_diag *diag)
{
	char *copy = takt_xstrdup(path);
	bool good;

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0700); /* it may be there: the last call says what is wrong */
		*slash = '/';
	}
	good = mkdir(copy, 0700) == 0 || errno == EEXIST;
	if (!good)
		takt_error(diag, "cannot make the directory '%s': %s", path, strerror(errno));
	free(copy);
	return good;
}

void takt_host_write_key(const char *first_line, const struct takt_cpu *cpu, struct takt_text *text)
{
	takt_text_printf(text, "%s\nprocessor ", first_line);
	takt_cpu_write(cpu, text);
	takt_text_add_string(text, "\nfeatures");
	for (unsigned i = 0; i < TAKT_CPU_FEATURE_WORDS; i++)
		takt_text_printf(text, " %016" PRIx64, cpu->features.words[i]);
	takt_text_add_string(text, "\n");
}

uint64_t takt_host_hash_key(const char *first_line, const struct takt_cpu *cpu)
{
	struct takt_text key = {0};
	uint64_t hash;

	takt_host_write_key(first_line, cpu, &key);
	hash = takt_hash_bytes(key.data, key.size_bytes);
	takt_text_release(&key);
	return hash;
}

const char *takt_host_skip_key(const char *first_line, const struct takt_cpu *cpu, const char *text,
			       size_t size_bytes)
{
	struct takt_text key = {0};
	const char *rest = NULL;

	takt_host_write_key(first_line, cpu, &key);
	if (size_bytes > key.size_bytes && memcmp(text, key.data, key.size_bytes) == 0)
		rest = text + key.size_bytes;
	takt_text_release(&key);
	return rest;
}

size_t takt_host_read(const char *path, char ret_content[TAKT_HOST_FILE_SIZE])
{
	FILE *file = fopen(path, "re");
	size_t size = 0;

	if (file) {
		size = fread(ret_content, 1, TAKT_HOST_FILE_SIZE, file);
		fclose(file);
	}
	return size;
}

bool takt_host_name_is_fine(struct takt_word name)
{
	return name.size < TAKT_HOST_NAME_SIZE && takt_word_is_name(name, "+-._");
}
