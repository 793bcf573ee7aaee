/* SPDX-License-Identifier: MIT */
/* Event counts of the instructions of a block, found by decoding them. */
#include <stdlib.h>

#include "events/oracle.h"

#define NAME_BYTES_MAX 24

struct fp_row {
	const char *name;
	uint8_t operations;
};

struct kind_row {
	const char *start;
	uint16_t field; /* index of a count in struct oracle_counts */
};

static const struct fp_row x86_rows[] = {
#define FP_X86(name, operations) {name, operations},
#define FP_OTHER(name, operations)
#define KIND(field, start)
#include "events/oracle_insns.def"
};

static const struct fp_row other_rows[] = {
#define FP_X86(name, operations)
#define FP_OTHER(name, operations) {name, operations},
#define KIND(field, start)
#include "events/oracle_insns.def"
};

static const struct kind_row kind_rows[] = {
#define FP_X86(name, operations)
#define FP_OTHER(name, operations)
#define KIND(field, start) {start, offsetof(struct oracle_counts, field) / sizeof(uint64_t)},
#include "events/oracle_insns.def"
};

/* An instruction's name as oracle_insns.def has it. */
struct named {
	char name[NAME_BYTES_MAX]; /* the mnemonic, without the v of VEX */
	char stem[NAME_BYTES_MAX]; /* the same without width and precision */
	unsigned element_bytes;	   /* 4, 8; 0: not a float or a double */
	unsigned width_bytes;	   /* bytes of the vector; 0: one element */
};

/* ---- x86-64 ---- */

static unsigned x86_vector_bytes(takt_form_key key)
{
	struct takt_form form = takt_form_unpack(key);
	unsigned bytes = 16;

	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++) {
		if (form.kinds[i] == TAKT_KIND_YMM && bytes < 32)
			bytes = 32;
		if (form.kinds[i] == TAKT_KIND_ZMM)
			bytes = 64;
	}
	return bytes;
}

/*
 * Split names such as addps and vfmadd231sd: the stem is what precedes the digits and the last two
 * letters.
 */
static void name_x86(const struct takt_insn *insn, struct named *named)
{
	const char *name = takt_mnemonic_text(insn->isa, takt_form_unpack(insn->form).mnemonic);
	size_t size;

	snprintf(named->name, sizeof(named->name), "%s", name + (name[0] == 'v'));
	memcpy(named->stem, named->name, sizeof(named->stem));
	size = strlen(named->stem);
	if (insn->flags & TAKT_INSN_X87) {
		named->element_bytes = 8;
		return;
	}
	if (!(insn->flags & TAKT_INSN_VECTOR) || size < 4)
		return;
	if (named->stem[size - 1] == 's')
		named->element_bytes = 4;
	else if (named->stem[size - 1] == 'd')
		named->element_bytes = 8;
	if (named->stem[size - 2] == 'p')
		named->width_bytes = x86_vector_bytes(insn->form);
	else if (named->stem[size - 2] != 's')
		named->element_bytes = 0;
	named->stem[size - 2] = '\0';
	if (size > 5 && strchr("123", named->stem[size - 3]) &&
	    strchr("13", named->stem[size - 4]) && strchr("12", named->stem[size - 5]))
		named->stem[size - 5] = '\0';
}

/* ---- AArch64 ---- */

static unsigned element_bytes(char letter)
{
	return letter == 's' ? 4 : letter == 'd' ? 8 : 0;
}

/*
 * Find the width and precision, which the first operand gives ("fmla v.4s, …", "fadd d, d, d"),
 * except in compares into masks.
 */
static void name_aarch64(const struct takt_insn *insn, struct named *named)
{
	const char *operand;
	struct takt_text text = {0};

	takt_form_write(insn->isa, insn->form, &text);
	operand = text.data + strcspn(text.data, " ");
	snprintf(named->name, sizeof(named->name), "%.*s", (int)(operand - text.data), text.data);
	memcpy(named->stem, named->name, sizeof(named->stem));
	operand += *operand == ' ';
	if (strncmp(operand, "p.", 2) == 0 || strncmp(operand, "z.", 2) == 0) {
		/* SVE vectors are 512 bits long, as in qemu by default. */
		named->element_bytes = element_bytes(operand[2]);
		named->width_bytes = 64;
	} else if (strncmp(operand, "v.", 2) == 0) {
		size_t digits = strspn(operand + 2, "0123456789");

		named->element_bytes = element_bytes(operand[2 + digits]);
		named->width_bytes = named->element_bytes * (unsigned)atoi(operand + 2);
	} else {
		named->element_bytes = element_bytes(operand[0]);
	}
	takt_text_release(&text);
}

/* ---- others: LLVM's text, "fmadd.d fa0, …" ---- */

static void name_other(const struct takt_insn *insn, struct named *named)
{
	const char *at;
	struct takt_text text = {0};
	size_t size;

	takt_insn_write(insn, TAKT_SYNTAX_INTEL, &text);
	at = text.data + strspn(text.data, " \t");
	size = strcspn(at, " \t");
	snprintf(named->name, sizeof(named->name), "%.*s", (int)size, at);
	takt_text_release(&text);
	memcpy(named->stem, named->name, sizeof(named->stem));
	size = strlen(named->stem);
	if (size > 2 && named->stem[size - 2] == '.') {
		named->element_bytes = element_bytes(named->stem[size - 1]);
		named->stem[size - 2] = '\0';
	}
}

/* ---- both ---- */

static void name_insn(const struct takt_insn *insn, struct named *named)
{
	*named = (struct named){0};
	if (insn->isa == &takt_isa_x86)
		name_x86(insn, named);
	else if (insn->isa == &takt_isa_aarch64)
		name_aarch64(insn, named);
	else
		name_other(insn, named);
}

static bool begins_with(const char *name, const char *start)
{
	size_t size = strcspn(start, "$");

	return strncmp(name, start, size) == 0 && (start[size] == '\0' || name[size] == '\0');
}

/* Return the floating-point operations per element; 0 for other instructions. */
static unsigned operations_of(const struct takt_insn *insn, const struct named *named)
{
	bool x86 = insn->isa == &takt_isa_x86;
	const struct fp_row *rows = x86 ? x86_rows : other_rows;
	size_t count = x86 ? TAKT_COUNT_OF(x86_rows) : TAKT_COUNT_OF(other_rows);

	for (size_t i = 0; named->element_bytes && i < count; i++)
		if (strcmp(named->stem, rows[i].name) == 0)
			return rows[i].operations;
	return 0;
}

static void add_operations(const struct named *named, unsigned operations,
			   struct oracle_counts *counts)
{
	unsigned elements = named->width_bytes ? named->width_bytes / named->element_bytes : 1;
	unsigned width = named->width_bytes == 0    ? 0
			 : named->width_bytes <= 16 ? 1
			 : named->width_bytes <= 32 ? 2
						    : 3;
	uint64_t *ops = named->element_bytes == 4 ? counts->fp32_ops : counts->fp64_ops;

	ops[width] += (uint64_t)operations * elements;
	counts->fp_insns++;
}

static uint32_t stored_bytes(const struct takt_insn *insn)
{
	uint32_t bytes = 0;

	for (unsigned i = 0; i < insn->memory_count; i++)
		bytes += insn->memories[i].write ? insn->memories[i].size_bytes : 0u;
	return bytes;
}

static void add_kind(const struct takt_insn *insn, const struct named *named,
		     struct oracle_counts *counts)
{
	size_t nt_stores = offsetof(struct oracle_counts, nt_stores) / sizeof(uint64_t);

	for (size_t i = 0; i < TAKT_COUNT_OF(kind_rows); i++) {
		if (!begins_with(named->name, kind_rows[i].start))
			continue;
		if (kind_rows[i].field == nt_stores && !(insn->flags & TAKT_INSN_STORES))
			continue; /* movntdqa is a load */
		((uint64_t *)counts)[kind_rows[i].field]++;
		if (kind_rows[i].field == nt_stores)
			counts->nt_store_bytes += stored_bytes(insn);
		return;
	}
}

static void add_memory(const struct takt_insn *insn, struct oracle_counts *counts)
{
	if (insn->isa != &takt_isa_x86) { /* the two halves of ldp are one access */
		counts->loads += (insn->flags & TAKT_INSN_LOADS) != 0;
		counts->stores += (insn->flags & TAKT_INSN_STORES) != 0;
		return;
	}
	for (unsigned i = 0; i < insn->memory_count; i++) {
		const struct takt_memory *memory = &insn->memories[i];

		if (memory->address_only)
			continue;
		counts->loads += memory->read;
		counts->stores += memory->write;
	}
}

static void add_insn(const struct takt_insn *insn, struct oracle_counts *counts)
{
	struct named named;
	unsigned operations;

	name_insn(insn, &named);
	operations = operations_of(insn, &named);
	counts->branches += (insn->flags & TAKT_INSN_BRANCH) != 0;
	counts->conditional += (insn->flags & TAKT_INSN_CONDITIONAL) != 0;
	counts->calls += (insn->flags & TAKT_INSN_CALL) != 0;
	counts->gathers += insn->insn_class == TAKT_CLASS_GATHER;
	counts->atomics += (insn->flags & TAKT_INSN_LOCKED) != 0;
	if (operations)
		add_operations(&named, operations, counts);
	add_kind(insn, &named, counts);
}

uint32_t oracle_facts_add(const struct takt_isa *isa, const struct trace_block *block,
			  uint32_t first, uint32_t end, struct oracle_counts *counts)
{
	const uint8_t *bytes = block->bytes;
	uint32_t undecoded = 0;

	for (uint32_t i = 0; i < end; bytes += block->lengths[i++]) {
		struct takt_insn insn;

		if (i < first)
			continue;
		counts->insns++;
		if (!isa || takt_decode(isa, bytes, block->lengths[i],
					block->address + (uint64_t)(bytes - block->bytes),
					&insn) != TAKT_OK) {
			undecoded++;
			continue;
		}
		add_insn(&insn, counts);
		if (!block->repeats || i + 1u < block->insn_count)
			add_memory(&insn, counts);
	}
	return undecoded;
}

/*
 * Return the bytes that a vector instruction really reads, or 0 if any size may be right. qemu 7.2
 * reads a whole vector where fma needs one element, and where the count of a shift is in memory.
 */
static uint8_t least_size(const struct takt_insn *insn)
{
	const struct takt_memory *memory = &insn->memories[0];

	if (insn->isa != &takt_isa_x86 || !(insn->flags & TAKT_INSN_VECTOR) ||
	    insn->memory_count != 1 || insn->insn_class == TAKT_CLASS_GATHER ||
	    memory->size_bytes > 16 || (memory->size_bytes & (memory->size_bytes - 1)))
		return 0;
	return (uint8_t)memory->size_bytes;
}

/* Fill the facts about single instructions of x86: sizes of accesses and non-temporal stores. */
static void look_at_accesses(const struct takt_isa *isa, const struct trace_block *block,
			     struct oracle_facts *facts)
{
	const uint8_t *bytes = block->bytes;

	for (uint32_t i = 0; i < block->insn_count; bytes += block->lengths[i++]) {
		struct takt_insn insn;

		if (isa != &takt_isa_x86 ||
		    takt_decode(isa, bytes, block->lengths[i], 0, &insn) != TAKT_OK)
			continue;
		if (!facts->sizes && least_size(&insn))
			facts->sizes = takt_xcalloc(block->insn_count, 1);
		if (facts->sizes)
			facts->sizes[i] = least_size(&insn);
		if (!facts->non_temporal && insn.flags & TAKT_INSN_NON_TEMPORAL)
			facts->non_temporal =
				takt_xcalloc(block->insn_count, sizeof(*facts->non_temporal));
		if (facts->non_temporal)
			facts->non_temporal[i] = insn.flags & TAKT_INSN_NON_TEMPORAL;
	}
}

static enum branch_kind kind_of(enum trace_flow flow)
{
	switch (flow) {
	case TRACE_FLOW_NEXT:
	case TRACE_FLOW_JUMP:
		break;
	case TRACE_FLOW_BRANCH:
		return BRANCH_CONDITIONAL;
	case TRACE_FLOW_CALL:
		return BRANCH_CALL;
	case TRACE_FLOW_INDIRECT:
		return BRANCH_INDIRECT;
	case TRACE_FLOW_INDIRECT_CALL:
		return BRANCH_INDIRECT_CALL;
	case TRACE_FLOW_RETURN:
		return BRANCH_RETURN;
	}
	return BRANCH_JUMP;
}

void oracle_facts_make(const struct takt_isa *isa, const struct trace_block *block,
		       struct oracle_facts *facts)
{
	*facts = (struct oracle_facts){
		.branches = block->flow != TRACE_FLOW_NEXT,
		.branch_kind = kind_of((enum trace_flow)block->flow),
	};
	look_at_accesses(isa, block, facts);
	facts->undecoded =
		(uint16_t)oracle_facts_add(isa, block, 0, block->insn_count, &facts->counts);
}
