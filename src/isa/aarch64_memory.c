/* SPDX-License-Identifier: MIT */
/* Memory operands of AArch64: addresses from the text, directions and sizes from the mnemonic. */
#include <string.h>

#include "isa/aarch64.h"

static bool starts(const struct takt_aarch64 *a64, const char *start)
{
	return takt_string_starts(a64->name, start);
}

/* ---- sizes ------------------------------------------------------------ */

/* Return the size of the data that the name ends in ("b" of ldrb, "sw" of ldrsw), else 0. */
static unsigned named_bytes(const char *name)
{
	size_t size_bytes = strlen(name);
	char last = name[size_bytes - 1];

	if (last == 'b')
		return 1;
	if (last == 'h')
		return 2;
	return last == 'w' && name[size_bytes - 2] == 's' ? 4 : 0;
}

static unsigned letter_bytes(char letter)
{
	static const char letters[] = "bhwdq";
	const char *found = letter ? strchr(letters, letter) : NULL;

	return found ? 1u << (found - letters) : 0;
}

/*
 * Return the bytes accessed by loads and stores of scalable vectors, such as ld1w {z0.d}, ld1rqb,
 * ld3d, st1b, ldnt1w, ldff1sh; 0 for others. The last letter is the size of an element in memory.
 */
static unsigned scalable_bytes(const struct takt_aarch64 *a64)
{
	const struct takt_aarch64_operand *data = &a64->operands[0];
	const char *digit = strpbrk(a64->name, "1234");
	unsigned memory_bytes = digit ? letter_bytes(a64->name[strlen(a64->name) - 1]) : 0;

	if (!memory_bytes || !digit[1] || !data->element_bytes)
		return 0;
	if (strncmp(digit, "1rq", 3) == 0)
		return 16;
	if (strncmp(digit, "1ro", 3) == 0)
		return 32;
	if (digit[1] == 'r')
		return memory_bytes;
	return TAKT_AARCH64_VECTOR_BYTES / data->element_bytes * memory_bytes * data->count;
}

/*
 * Return the bytes accessed by instructions whose name has no size, or a wrong one: `bytes`, or
 * `times` the size of an operand; 0 for others.
 */
static unsigned listed_bytes(const struct takt_aarch64 *a64)
{
	static const struct {
		char start[7]; /* start of the name */
		uint8_t bytes, times, operand;
	} list[] = {
		{"ldpsw", 8, 0, 0},   {"ld64b", 64, 0, 0},  {"st64b", 64, 0, 0}, {"swpp", 16, 0, 0},
		{"ldclrp", 16, 0, 0}, {"ldsetp", 16, 0, 0}, {"ldp", 0, 2, 0},	 {"stp", 0, 2, 0},
		{"ldnp", 0, 2, 0},    {"stnp", 0, 2, 0},    {"ldxp", 0, 2, 0},	 {"ldaxp", 0, 2, 0},
		{"ldiapp", 0, 2, 0},  {"stilp", 0, 2, 0},   {"casp", 0, 2, 0},	 {"stgp", 0, 2, 0},
		{"stxp", 0, 2, 1},    {"stlxp", 0, 2, 1}, /* operand 0 is the status */
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(list); i++)
		if (starts(a64, list[i].start) && a64->operand_count > list[i].operand)
			return list[i].bytes +
			       (unsigned)list[i].times * a64->operands[list[i].operand].size_bytes;
	return 0;
}

/* Return all bytes that the instruction accesses at one address. */
static unsigned total_bytes(const struct takt_aarch64 *a64)
{
	const struct takt_aarch64_operand *data = &a64->operands[0];
	bool is_replicated =
		starts(a64, "ld") && a64->name[2] && strcmp(a64->name + 3, "r") == 0; /* ld1r */
	unsigned size_bytes = scalable_bytes(a64);

	if (size_bytes)
		return size_bytes;
	/* Elements: "ld1r { v0.4s }", "st2 { v0.s, v1.s }[1]". */
	if ((is_replicated || data->is_element) && data->element_bytes)
		return (unsigned)data->element_bytes * data->count;
	size_bytes = listed_bytes(a64);
	size_bytes = size_bytes ? size_bytes : named_bytes(a64->name);
	if (size_bytes)
		return size_bytes;
	/* The first register of an exclusive store is its status. */
	if (starts(a64, "stxr") || starts(a64, "stlxr"))
		data++;
	return (unsigned)data->size_bytes * data->count;
}

/* ---- addresses -------------------------------------------------------- */

static bool is_prefetch(const struct takt_aarch64 *a64)
{
	return starts(a64, "prf") || starts(a64, "rprfm");
}

/* True if the address is computed, but no data is accessed. */
static bool is_address_only(const struct takt_aarch64 *a64)
{
	return is_prefetch(a64) || starts(a64, "adr");
}

static void set_directions(const struct takt_aarch64 *a64, unsigned index,
			   struct takt_memory *memory)
{
	uint32_t flags = a64->llvm->flags;

	memory->address_only = is_address_only(a64);
	memory->read = !memory->address_only && flags & TAKT_LLVM_LOADS;
	memory->write = !memory->address_only && flags & TAKT_LLVM_STORES;
	/* cpyp [x0]!, [x1]!, x2! copies from the second operand to the first. */
	if (starts(a64, "cpy") && a64->operand_count == 3 && a64->operands[1].is_address) {
		memory->write = index == 0;
		memory->read = index == 1;
	}
	/* According to LLVM, exclusive accesses both load and store. */
	if (starts(a64, "stx") || starts(a64, "stlx") || starts(a64, "set"))
		memory->read = false;
	if (starts(a64, "ldx") || starts(a64, "ldax"))
		memory->write = false;
	memory->read |= starts(a64, "ld64b");
	memory->write |= starts(a64, "st64b");
}

static int64_t displacement_of(const struct takt_aarch64 *a64,
			       const struct takt_aarch64_operand *operand, unsigned size_bytes)
{
	const struct takt_aarch64_operand *data = &a64->operands[0];
	bool is_afterwards = takt_kind_text(operand->kind)[0] == '[' &&
			     strstr(takt_kind_text(operand->kind), "],");

	if (!operand->has_immediate || is_afterwards)
		return 0;
	if (operand->modifier == TAKT_AARCH64_VECTOR_LENGTHS)
		return operand->immediate * (int64_t)(data->count ? size_bytes / data->count
								  : TAKT_AARCH64_VECTOR_BYTES);
	return operand->immediate;
}

static struct takt_memory memory_of(const struct takt_aarch64 *a64,
				    const struct takt_aarch64_operand *operand, unsigned slot)
{
	unsigned size_bytes = total_bytes(a64);
	struct takt_memory memory = {.slot = (uint8_t)slot, .address_size_bytes = 8};

	if (!is_address_only(a64) && !starts(a64, "cpy") && !starts(a64, "set"))
		memory.size_bytes = (uint16_t)size_bytes;
	if (operand->is_label) {
		memory.rip_relative = true;
		memory.displacement = operand->immediate;
		return memory;
	}
	memory.base = operand->base;
	memory.displacement = displacement_of(a64, operand, size_bytes);
	/* A post-index increment is not an index. */
	if (operand->index != TAKT_LOC_NONE && !operand->is_updated) {
		memory.index = operand->index;
		memory.scale = (uint8_t)(1u << (operand->amount & 7));
	}
	return memory;
}

/* True if the operands are a pair of registers, each of which cores access separately. */
static bool is_halved(const struct takt_aarch64 *a64, const struct takt_memory *memory)
{
	const struct takt_aarch64_operand *data = &a64->operands[0];

	if (memory->rip_relative || memory->read == memory->write || memory->size_bytes == 0)
		return false;
	if (starts(a64, "ldp") || starts(a64, "stp") || starts(a64, "ldnp") || starts(a64, "stnp"))
		return true;
	return data->count == 2 && !data->is_element &&
	       (starts(a64, "ld1") || starts(a64, "st1")) && a64->name[3] == '\0';
}

static void add_memory(const struct takt_aarch64 *a64, struct takt_memory memory,
		       struct takt_insn *insn)
{
	unsigned flags = (memory.read ? TAKT_READ : 0u) | (memory.write ? TAKT_WRITE : 0u);

	if (insn->memory_count == TAKT_MEMORIES_MAX)
		return;
	if (flags)
		takt_aarch64_add_access(insn, TAKT_LOC_NONE, memory.slot, flags,
					memory.size_bytes < 64 ? memory.size_bytes : 64);
	insn->flags |= memory.read ? TAKT_INSN_LOADS : 0u;
	insn->flags |= memory.write ? TAKT_INSN_STORES : 0u;
	insn->flags |= memory.index != TAKT_LOC_NONE ? TAKT_INSN_INDEXED : 0u;
	if (insn->memory_count == 0 && is_halved(a64, &memory)) {
		memory.size_bytes /= 2;
		insn->memories[insn->memory_count++] = memory;
		memory.displacement += memory.size_bytes;
	}
	insn->memories[insn->memory_count++] = memory;
}

void takt_aarch64_set_memories(const struct takt_aarch64 *a64, struct takt_insn *insn)
{
	for (unsigned i = 0; i < a64->operand_count; i++) {
		const struct takt_aarch64_operand *operand = &a64->operands[i];
		struct takt_memory memory;

		if (!operand->is_address && !operand->is_label)
			continue;
		memory = memory_of(a64, operand, takt_aarch64_slot(i));
		set_directions(a64, i, &memory);
		if (!operand->is_label || memory.read || memory.address_only)
			add_memory(a64, memory, insn);
	}
}
