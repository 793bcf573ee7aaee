/* SPDX-License-Identifier: MIT */
/* Identification of processors: vendor, family, features, caches. */
#include <stdlib.h>
#include <string.h>

#include "isa/cpu.h"
#include "isa/cpuid.h"

enum cpuid_register { A, B, C, D };

#define FAMILY_EXTENDED 15u /* this family number is extended by another field */
#define FAMILY_WITH_EXTENDED_MODEL 6u
#define LEAF_CACHES 4u
#define LEAF_CACHES_AMD 0x8000001du
#define LEAF_BRAND 0x80000002u
#define CACHES_MAX 8u
#define CACHE_INSTRUCTIONS 2u

bool takt_cpuid_ask(const struct takt_cpuid *cpuid, uint32_t leaf, uint32_t subleaf,
		    uint32_t registers[4])
{
	if (!cpuid->rows)
		return takt_cpuid_ask_processor(leaf, subleaf, registers);
	for (size_t i = 0; i < cpuid->row_count; i++) {
		if (cpuid->rows[i].leaf != leaf || cpuid->rows[i].subleaf != subleaf)
			continue;
		memcpy(registers, cpuid->rows[i].registers, sizeof(cpuid->rows[i].registers));
		return true;
	}
	return false;
}

static void read_signature(uint32_t a, struct takt_cpu *cpu)
{
	cpu->stepping = a & 15;
	cpu->model = a >> 4 & 15;
	cpu->family = a >> 8 & 15;
	if (cpu->family == FAMILY_WITH_EXTENDED_MODEL || cpu->family == FAMILY_EXTENDED)
		cpu->model |= a >> 12 & 0xf0;
	if (cpu->family == FAMILY_EXTENDED)
		cpu->family += a >> 20 & 0xff;
}

/* Replace what a terminal would not show as text: answers may come from anybody's file. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

static void read_brand(const struct takt_cpuid *cpuid, struct takt_cpu *cpu)
{
	uint32_t parts[3][4];
	char brand[sizeof(parts) + 1] = {0};
	size_t start, size;

	for (uint32_t i = 0; i < TAKT_COUNT_OF(parts); i++)
		if (!takt_cpuid_ask(cpuid, LEAF_BRAND + i, 0, parts[i]))
			return;
	memcpy(brand, parts, sizeof(parts));
	start = strspn(brand, " ");
	size = strlen(brand + start);
	while (size > 0 && brand[start + size - 1] == ' ')
		size--;
	memcpy(cpu->brand, brand + start, size);
	make_printable(cpu->brand);
}

/* Read cache sizes. Each subleaf describes one cache, in the same form for both vendors. */
static void read_caches(const struct takt_cpuid *cpuid, uint32_t leaf, struct takt_cpu *cpu)
{
	uint32_t r[4];

	for (uint32_t i = 0; i < CACHES_MAX && takt_cpuid_ask(cpuid, leaf, i, r); i++) {
		uint32_t type = r[A] & 31, level = r[A] >> 5 & 7;
		uint64_t ways = (r[B] >> 22) + 1u, partitions = (r[B] >> 12 & 0x3ff) + 1u;
		uint64_t line = (r[B] & 0xfff) + 1u, sets = (uint64_t)r[C] + 1;
		uint32_t kb = (uint32_t)(ways * partitions * line * sets >> 10);

		if (!type)
			return;
		if (level == 1 && type == CACHE_INSTRUCTIONS)
			cpu->l1i_kb = kb;
		else if (level == 1)
			cpu->l1d_kb = kb;
		else if (level == 2)
			cpu->l2_kb = kb;
	}
}

#if defined(__aarch64__)
#define MIDR "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1"

/* Read the register MIDR_EL1: implementer, part number and variant, as in the files of cores. */
static bool read_midr(struct takt_cpu *ret_cpu)
{
	char line[32];
	bool read = takt_first_line(line, sizeof(line), MIDR) == 0;
	uint64_t midr = strtoull(line, NULL, 16);

	*ret_cpu = (struct takt_cpu){.family = midr >> 24 & 0xff,
				     .model = midr >> 4 & 0xfff,
				     .stepping = midr >> 20 & 15};
	return read;
}
#else
static bool read_midr(struct takt_cpu *ret_cpu)
{
	(void)ret_cpu;
	return false;
}
#endif

bool takt_cpu_read(const struct takt_cpuid *cpuid, struct takt_cpu *ret_cpu)
{
	static const struct takt_cpuid this_processor = {NULL, 0};
	struct takt_cpu cpu = {.family = 0};
	uint32_t r[4];

	if (!cpuid)
		cpuid = &this_processor;
	if (!takt_cpuid_ask(cpuid, 0, 0, r))
		return !cpuid->rows && read_midr(ret_cpu);
	memcpy(cpu.vendor, &r[B], 4);
	memcpy(cpu.vendor + 4, &r[D], 4);
	memcpy(cpu.vendor + 8, &r[C], 4);
	make_printable(cpu.vendor);
	if (!takt_cpuid_ask(cpuid, 1, 0, r))
		return false;
	read_signature(r[A], &cpu);
	read_brand(cpuid, &cpu);
	cpu.features = takt_cpuid_features(cpuid);
	read_caches(cpuid, LEAF_CACHES, &cpu);
	if (!cpu.l1d_kb)
		read_caches(cpuid, LEAF_CACHES_AMD, &cpu);
	*ret_cpu = cpu;
	return true;
}

void takt_cpu_write(const struct takt_cpu *cpu, struct takt_text *text)
{
	takt_text_printf(text, "%s%sfamily %u model %u stepping %u", cpu->vendor,
			 *cpu->vendor ? " " : "", cpu->family, cpu->model, cpu->stepping);
}

/* ---- stored answers -------------------------------------------------------- */

#define NUMBER_MAX_DIGITS 8

/* Read `before` and a number such as "0x1f"; false if the line does not continue with them. */
static bool read_number(const char **at, const char *end, const char *before, uint32_t *ret_number)
{
	static const char digits[] = "0123456789abcdef";
	size_t size = strlen(before);
	const char *next = *at;
	uint32_t number = 0;
	int count = 0;

	while (next < end && *next == ' ')
		next++;
	if ((size_t)(end - next) < size || memcmp(next, before, size) != 0)
		return false;
	for (next += size; next < end && count <= NUMBER_MAX_DIGITS; next++, count++) {
		const char *digit = memchr(digits, *next, sizeof(digits) - 1);

		if (!digit)
			break;
		number = number << 4 | (uint32_t)(digit - digits);
	}
	*at = next;
	*ret_number = number;
	return count > 0 && count <= NUMBER_MAX_DIGITS;
}

static bool read_row(const char *line, size_t size, struct takt_cpuid_row *row)
{
	static const char *const names[] = {": eax=0x", "ebx=0x", "ecx=0x", "edx=0x"};
	const char *end = line + size;

	if (!read_number(&line, end, "0x", &row->leaf) ||
	    !read_number(&line, end, "0x", &row->subleaf))
		return false;
	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++)
		if (!read_number(&line, end, names[i], &row->registers[i]))
			return false;
	return true;
}

static bool has_row(const struct takt_cpuid_row *rows, size_t count, uint32_t leaf)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].leaf == leaf && rows[i].subleaf == 0)
			return true;
	return false;
}

bool takt_cpuid_parse(const char *name, const char *text, size_t size_bytes,
		      struct takt_arena *arena, struct takt_diag *diag,
		      struct takt_cpuid *ret_cpuid)
{
	struct takt_cpuid_row *rows =
		TAKT_NEW_ARRAY(arena, TAKT_CPUID_ROWS_MAX, struct takt_cpuid_row);
	struct takt_lines lines;
	const char *line;
	size_t size, count = 0;
	struct takt_cpuid_row row;

	takt_lines_init(&lines, text, size_bytes);
	while (takt_lines_next(&lines, &line, &size)) {
		if (!read_row(line, size, &row))
			continue;
		if (row.leaf == 0 && has_row(rows, count, 0))
			break; /* the next processor begins */
		if (count == TAKT_CPUID_ROWS_MAX) {
			takt_error(diag, "'%s': more than %u answers of CPUID", name,
				   TAKT_CPUID_ROWS_MAX);
			return false;
		}
		rows[count++] = row;
	}
	if (!has_row(rows, count, 0) || !has_row(rows, count, 1)) {
		takt_error(diag, "'%s' has no answers of CPUID for leaves 0 and 1", name);
		takt_note(diag, "'cpuid -1 -r' prints them");
		return false;
	}
	*ret_cpuid = (struct takt_cpuid){rows, count};
	return true;
}
