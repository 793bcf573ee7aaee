/* SPDX-License-Identifier: MIT */
/*
 * Any text as a trace of another program's; the first byte says of which. Or any bytes as the
 * binary that such a text names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../unit/trace/import_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const sets[] = {"x86-64", "aarch64", "riscv64"};

/* A file in memory, and its path. */
static int open_file(const void *data, size_t size, char *path, size_t path_size)
{
	int file = memfd_create("fuzz", MFD_CLOEXEC);

	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	snprintf(path, path_size, "/proc/self/fd/%d", file);
	return file;
}

static void import(const char *path, const struct takt_trace_options *run,
		   const struct takt_trace_import_options *options)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_trace_totals *totals = NULL;

	if (takt_trace_import(path, run, options, diag, &totals) == TAKT_OK) {
		if (takt_diag_error_count(diag) || totals->all.insns + totals->all.interrupted == 0)
			abort();
		takt_trace_totals_free(totals);
	} else if (takt_diag_error_count(diag) == 0) {
		abort();
	}
	takt_diag_free(diag);
}

static void import_text(unsigned choice, const uint8_t *text, size_t size)
{
	static const enum takt_trace_kind kinds[] = {TAKT_TRACE_HEX, TAKT_TRACE_LACKEY,
						     TAKT_TRACE_PERF};
	uint8_t bytes[512];
	char path[64], program_path[64];
	const char *binary = program_path;
	bool has_binary = choice / 3 % 2;
	const struct takt_trace_import_options options = {
		.kind = kinds[choice % 3],
		.isa = has_binary ? NULL : sets[choice / 6 % 3],
		.binaries = &binary,
		.binary_count = has_binary,
	};
	const struct takt_trace_options run = {.log_path = choice / 18 % 2 ? "/dev/null" : NULL};
	int file = open_file(text, size, path, sizeof(path));
	int program = open_file(bytes, fixture_program(bytes, EM_X86_64, ET_EXEC), program_path,
				sizeof(program_path));

	import(path, &run, &options);
	close(file);
	close(program);
}

static void import_binary(const uint8_t *data, size_t size)
{
	static const char text[] = "I  401000,3\nI  401003,4\nI  401007,2\nI  1000,3\n";
	char path[64], program_path[64];
	const char *binary = program_path;
	const struct takt_trace_import_options options = {
		.kind = TAKT_TRACE_LACKEY, .binaries = &binary, .binary_count = 1};
	int file = open_file(text, sizeof(text) - 1, path, sizeof(path));
	int program = open_file(data, size, program_path, sizeof(program_path));

	import(path, NULL, &options);
	close(file);
	close(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import_hex_traits traits;

	if (size == 0)
		return 0;
	takt_import_is_hex((const char *)data, size, &traits);
	takt_import_is_lackey((const char *)data, size);
	takt_import_is_perf((const char *)data, size);
	if (data[0] == ELFMAG[0])
		import_binary(data, size);
	else
		import_text(data[0], data + 1, size - 1);
	return 0;
}
