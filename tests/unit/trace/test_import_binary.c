/* SPDX-License-Identifier: MIT */
#include "import_fixture.h"

static enum takt_status open_one(struct import_binaries *binaries, const char *name)
{
	return takt_import_binaries_open(binaries, &name, 1, NULL);
}

static void check_places(void)
{
	static const struct {
		int line;
		uint16_t type;
		const char *at;
		uint64_t address; /* of the code's first byte */
	} rows[] = {
		{__LINE__, ET_EXEC, "", 0x401000},
		{__LINE__, ET_DYN, "", 0x1000},
		{__LINE__, ET_DYN, "@0x7f0000000000", 0x7f0000000000},
		{__LINE__, ET_DYN, "@55550000", 0x55550000},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct import_binaries binaries;
		uint8_t bytes[512];
		size_t size = fixture_program(bytes, EM_X86_64, rows[i].type), left = 0;
		struct fixture_file file = fixture_file(bytes, size);
		const uint8_t *found;
		char name[128];

		snprintf(name, sizeof(name), "%s%s", file.path, rows[i].at);
		ok(open_one(&binaries, name) == TAKT_OK, "row %d: opened", rows[i].line);
		found = takt_import_binaries_find(&binaries, rows[i].address, &left);
		ok(found && found[0] == 0x48 && left == sizeof(FIXTURE_CODE) - 1, "row %d: begin",
		   rows[i].line);
		found = takt_import_binaries_find(
			&binaries, rows[i].address + sizeof(FIXTURE_CODE) - 2, &left);
		ok(found && found[0] == 0x06 && left == 1, "row %d: last byte", rows[i].line);
		ok(!takt_import_binaries_find(&binaries, rows[i].address - 1, &left) &&
			   !takt_import_binaries_find(
				   &binaries, rows[i].address + sizeof(FIXTURE_CODE) - 1, &left),
		   "row %d: nothing around", rows[i].line);
		takt_import_binaries_release(&binaries);
		close(file.descriptor);
	}
}

/* Each byte of the headers set to some values: never a crash, and never bytes outside. */
static void check_damaged(void)
{
	uint8_t bytes[512];
	size_t size = fixture_program(bytes, EM_X86_64, ET_EXEC);
	unsigned refused = 0, opened = 0;

	for (size_t at = 0; at < sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr); at++) {
		for (unsigned value = 0; value < 256; value += 51) {
			struct import_binaries binaries;
			uint8_t old = bytes[at];
			char path[64];
			int file = memfd_create("test", 0);
			size_t left = 0;

			bytes[at] = (uint8_t)value;
			snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
			if (write(file, bytes, size) == (ssize_t)size &&
			    open_one(&binaries, path) == TAKT_OK) {
				takt_import_binaries_find(&binaries, 0x401000, &left);
				opened++;
			} else {
				refused++;
			}
			takt_import_binaries_release(&binaries);
			close(file);
			bytes[at] = old;
		}
	}
	ok(refused > 50 && opened > 50, "%u refused, %u opened", refused, opened);
}

int main(void)
{
	struct import_binaries binaries;
	struct fixture_file text = fixture_file("text", 4);

	check_places();
	check_damaged();
	ok(open_one(&binaries, text.path) == TAKT_BAD_INPUT, "no ELF file");
	takt_import_binaries_release(&binaries);
	ok(open_one(&binaries, "/nonexistent@10") == TAKT_BAD_INPUT, "no file");
	takt_import_binaries_release(&binaries);
	return tap_done();
}
