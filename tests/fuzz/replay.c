/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target over files and folders given as arguments, without a fuzzing
 * engine; each input also cut short and with bytes flipped, so that a corpus of a few
 * good inputs exercises the error paths.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define INPUT_SIZE_MAX_BYTES ((size_t)1 << 20)
#define CUTS 40u
#define FLIPS 200u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long inputs;

/* The target gets its own heap copy, so that ASan sees a read past the end. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = calloc(size ? size : 1, 1);

	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	inputs++;
}

static void run_variants(uint8_t *data, size_t size)
{
	uint64_t state = 0x9e3779b97f4a7c15u;

	run(data, size);
	for (size_t i = 1; i < CUTS && size; i++)
		run(data, size * i / CUTS);
	for (size_t i = 0; i < FLIPS && size; i++) {
		size_t at;
		uint8_t old;

		state = state * 6364136223846793005u + 1442695040888963407u;
		at = (size_t)(state >> 33) % size;
		old = data[at];
		data[at] = (uint8_t)(state >> 24);
		run(data, size);
		data[at] = old;
	}
}

static void run_file(const char *path)
{
	static uint8_t data[INPUT_SIZE_MAX_BYTES];
	FILE *file = fopen(path, "rb");

	if (!file) {
		perror(path);
		exit(1);
	}
	run_variants(data, fread(data, 1, sizeof(data), file));
	fclose(file);
}

static void run_path(const char *path)
{
	struct dirent **entries;
	struct stat info;
	int count;

	if (stat(path, &info) == 0 && !S_ISDIR(info.st_mode)) {
		run_file(path);
		return;
	}
	count = scandir(path, &entries, NULL, alphasort);
	if (count < 0) {
		perror(path);
		exit(1);
	}
	for (int i = 0; i < count; i++) {
		char name[4096];

		snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			run_path(name);
		free(entries[i]);
	}
	free(entries);
}

int main(int argc, char **argv)
{
	run((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++)
		run_path(argv[i]);
	printf("ok 1 - %lu inputs\n1..1\n", inputs);
	return 0;
}
