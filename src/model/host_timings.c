/* SPDX-License-Identifier: MIT */
/*
 * The core that `takt model identify` found for this machine, kept in the user's cache directory.
 * The file counts only for the processor that it names, with all its features:
 *
 *	takt-host 1
 *	processor AuthenticAMD family 25 model 17 stepping 1
 *	features 00000003f7ff1c8b 0000000000000000
 *	core NAME 384	(the distance, in ten-thousandths)
 *	next NAME 1345
 *	timings 58
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/host.h"

#define FILE_NAME "host"
#define FIRST_LINE "takt-host 1"
#define NAME_SIZE 64
#define FILE_SIZE_MAX 4096

/* Append the cache directory of takt; false if the user has none. */
static bool write_directory(struct takt_text *path)
{
	const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");

	if (cache && *cache == '/')
		takt_text_printf(path, "%s/takt", cache);
	else if (home && *home == '/')
		takt_text_printf(path, "%s/.cache/takt", home);
	else
		return false;
	return true;
}

/* Append the lines that say for which processor the rest holds. */
static void write_key(const struct takt_cpu *cpu, struct takt_text *text)
{
	takt_text_add_string(text, FIRST_LINE "\nprocessor ");
	takt_cpu_write(cpu, text);
	takt_text_add_string(text, "\nfeatures");
	for (unsigned i = 0; i < TAKT_CPU_FEATURE_WORDS; i++)
		takt_text_printf(text, " %016" PRIx64, cpu->features.words[i]);
	takt_text_add_string(text, "\n");
}

/* ---- writing -------------------------------------------------------------------- */

/* Make the directory, and its parent if that is missing. */
static bool make_directory(char *path)
{
	char *slash = strrchr(path, '/');

	*slash = '\0';
	mkdir(path, 0700); /* it may be there: the next call says what is wrong */
	*slash = '/';
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

enum takt_status takt_host_timings_keep(const struct takt_host_timings *timings,
					struct takt_diag *diag, struct takt_text *path)
{
	const struct takt_cpuid this_processor = {NULL, 0};
	struct takt_text directory = {0}, text = {0};
	struct takt_cpu cpu;
	enum takt_status status = TAKT_BAD_INPUT;

	if (!takt_cpu_read(&this_processor, &cpu) || !write_directory(&directory)) {
		takt_error(diag, "no place to keep the core: neither XDG_CACHE_HOME nor HOME is "
				 "an absolute path");
		takt_text_release(&directory);
		return TAKT_BAD_INPUT;
	}
	if (!make_directory(directory.data)) {
		takt_error(diag, "cannot make the directory '%s': %s", directory.data,
			   strerror(errno));
	} else {
		size_t start = path->size_bytes;

		takt_text_printf(path, "%s/" FILE_NAME, directory.data);
		write_key(&cpu, &text);
		takt_text_add_string(&text, "core ");
		takt_text_printf(&text, "%s %d\n", timings->core, (int)(timings->distance * 1e4));
		takt_text_printf(&text, "next %s %d\n", *timings->next ? timings->next : "-",
				 (int)(timings->next_distance * 1e4));
		takt_text_printf(&text, "timings %u\n", timings->count);
		status = takt_file_write(path->data + start, text.data, text.size_bytes, diag);
	}
	takt_text_release(&directory);
	takt_text_release(&text);
	return status;
}

/* ---- reading -------------------------------------------------------------------- */

/* Parse what follows the key; false if it is not what takt_host_timings_keep() writes. */
static bool parse(const char *text, struct takt_arena *arena, struct takt_host_timings *ret_timings)
{
	char core[NAME_SIZE], next[NAME_SIZE];
	int distance, next_distance;
	unsigned count;

	if (sscanf(text, "core %63s %d\nnext %63s %d\ntimings %u\n", core, &distance, next,
		   &next_distance, &count) != 5 ||
	    distance < 0 || next_distance < 0)
		return false;
	*ret_timings = (struct takt_host_timings){
		.core = takt_arena_printf(arena, "%s", core),
		.distance = distance / 1e4,
		.next = strcmp(next, "-") == 0 ? "" : takt_arena_printf(arena, "%s", next),
		.next_distance = next_distance / 1e4,
		.count = count};
	return true;
}

bool takt_host_timings_read(const struct takt_cpu *cpu, struct takt_arena *arena,
			    struct takt_host_timings *ret_timings)
{
	struct takt_text path = {0}, key = {0};
	char content[FILE_SIZE_MAX + 1];
	bool good = false;
	FILE *file = NULL;

	if (write_directory(&path)) {
		takt_text_add_string(&path, "/" FILE_NAME);
		file = fopen(path.data, "re");
	}
	if (file) {
		content[fread(content, 1, FILE_SIZE_MAX, file)] = '\0';
		fclose(file);
		write_key(cpu, &key);
		good = strncmp(content, key.data, key.size_bytes) == 0 &&
		       parse(content + key.size_bytes, arena, ret_timings);
	}
	takt_text_release(&path);
	takt_text_release(&key);
	return good;
}
