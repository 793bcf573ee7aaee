/* SPDX-License-Identifier: MIT */
/*
 * Checks compressed sections: SHF_COMPRESSED with a header of their own (System V ABI), and GNU's
 * older kind, whose names begin with ".zdebug_". libdw decompresses them itself, into memory of
 * the size that a header states; so sizes are checked before libdw reads the file.
 */
#include <gelf.h>
#include <inttypes.h>
#include <string.h>

#include "input/image.h"

/* Most bytes of all sections of a file together, decompressed. */
#define DECOMPRESSED_MAX_BYTES ((uint64_t)4 << 30)
/* Deflated bytes grow by at most this factor (https://zlib.net/zlib_tech.html). */
#define DEFLATE_RATIO_MAX 1032u
#define GNU_HEADER_BYTES 12u /* "ZLIB" and the size, big-endian */

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

#define MEND_TEXT "'objcopy --decompress-debug-sections' makes a file without compression"

/* The sizes that a compressed section's header states, and the size of its data. */
struct packed {
	const char *name;
	uint64_t packed_bytes, size_bytes, alignment;
	uint32_t kind;
	bool valid; /* the section has a header */
};

static uint64_t big_endian(const uint8_t *bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++)
		value = value << 8 | bytes[i];
	return value;
}

static bool is_gnu_name(const char *name)
{
	return takt_string_starts(name, ".zdebug_");
}

static void read_gnu_header(Elf_Scn *section, struct packed *packed)
{
	const Elf_Data *data = elf_rawdata(section, NULL);

	packed->kind = ELFCOMPRESS_ZLIB;
	if (!data || !data->d_buf || data->d_size < GNU_HEADER_BYTES ||
	    memcmp(data->d_buf, "ZLIB", 4) != 0)
		return;
	packed->size_bytes = big_endian((const uint8_t *)data->d_buf + 4);
	packed->valid = true;
}

static void read_header(Elf_Scn *section, struct packed *packed)
{
	GElf_Chdr header;

	if (!gelf_getchdr(section, &header))
		return;
	packed->kind = header.ch_type;
	packed->size_bytes = header.ch_size;
	packed->alignment = header.ch_addralign;
	packed->valid = true;
}

/* True if the section is compressed. */
static bool read_section(Elf *elf, size_t index, size_t names_index, struct packed *ret_packed)
{
	Elf_Scn *section = elf_getscn(elf, index);
	GElf_Shdr header;
	const char *name;

	if (!section || !gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
		return false;
	name = elf_strptr(elf, names_index, header.sh_name);
	*ret_packed = (struct packed){.name = name ? name : "", .packed_bytes = header.sh_size};
	if (header.sh_flags & SHF_COMPRESSED)
		read_header(section, ret_packed);
	else if (is_gnu_name(ret_packed->name))
		read_gnu_header(section, ret_packed);
	else
		return false;
	return true;
}

static bool is_sound(const struct packed *packed)
{
	if (!packed->valid || (packed->alignment & (packed->alignment - 1)) != 0)
		return false;
	if (packed->kind == ELFCOMPRESS_ZLIB)
		return packed->size_bytes / DEFLATE_RATIO_MAX <= packed->packed_bytes;
	return packed->kind == ELFCOMPRESS_ZSTD;
}

const char *takt_compression_fault(Elf *elf, size_t section_count, size_t names_index,
				   struct takt_arena *arena)
{
	uint64_t total_bytes = 0;

	for (size_t i = 1; i < section_count; i++) {
		struct packed packed;

		if (!read_section(elf, i, names_index, &packed))
			continue;
		if (!is_sound(&packed))
			return takt_arena_printf(
				arena, "the header of the compressed section '%s' is damaged",
				packed.name);
		if (packed.size_bytes > DECOMPRESSED_MAX_BYTES - total_bytes)
			return takt_arena_printf(
				arena,
				"decompressed, its sections up to '%s' exceed %" PRIu64
				" MiB; " MEND_TEXT,
				packed.name, DECOMPRESSED_MAX_BYTES >> 20);
		total_bytes += packed.size_bytes;
	}
	return NULL;
}

/* True for the sections from which line numbers are read. */
static bool is_needed(const char *name)
{
	static const char *const names[] = {"info", "abbrev",	   "line",
					    "str",  "line_str",	   "rnglists",
					    "addr", "str_offsets", "ranges"};

	const char *start = is_gnu_name(name) ? ".zdebug_" : ".debug_";

	return takt_string_starts(name, start) &&
	       takt_string_is_one_of(name + strlen(start), names, TAKT_COUNT_OF(names));
}

const char *takt_compressed_section(Elf *elf)
{
	size_t count, names_index;

	if (elf_getshdrnum(elf, &count) != 0 || elf_getshdrstrndx(elf, &names_index) != 0)
		return NULL;
	for (size_t i = 1; i < count; i++) {
		struct packed packed;

		/* Once decompressed, a section of GNU's kind keeps its name but has no header. */
		if (read_section(elf, i, names_index, &packed) && is_needed(packed.name) &&
		    (packed.valid || !is_gnu_name(packed.name)))
			return packed.name;
	}
	return NULL;
}
