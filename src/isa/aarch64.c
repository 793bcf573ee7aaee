/* SPDX-License-Identifier: MIT */
/* AArch64: turns the records of LLVM, in a module loaded on first need, into instructions. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "isa/aarch64.h"
#include "isa/aarch64_operation.h"

/* ---- the module ------------------------------------------------------- */

struct decoder {
	const struct takt_llvm_api *api;
	struct takt_llvm_target *target;
	uint8_t locations[UINT8_MAX + 1]; /* [LLVM's location] enum takt_location */
	struct takt_aarch64_set_cache set_cache;
};

/* Return the location of a register by LLVM's name. */
static uint8_t location_of_name(const char *name)
{
	static const struct {
		char name[5];
		uint8_t location;
	} others[] = {
		{"sp", TAKT_AARCH64_SP},    {"nzcv", TAKT_LOC_SZAP},  {"ffr", TAKT_LOC_FFR},
		{"fpcr", TAKT_LOC_MXCSR},   {"fpsr", TAKT_LOC_MXCSR}, {"za", TAKT_LOC_TILE},
		{"zt0", TAKT_LOC_TILE + 1}, {"vg", TAKT_LOC_NONE}, /* the vector length, which code
								      does not change as it runs */
	};
	unsigned number = name[0] ? (unsigned)atoi(name + 1) % 32 : 0;

	for (size_t i = 0; i < TAKT_COUNT_OF(others); i++)
		if (strcmp(name, others[i].name) == 0)
			return others[i].location;
	switch (name[0]) {
	case 'x':
		return (uint8_t)(TAKT_LOC_GPR + number);
	case 'v':
		return (uint8_t)(TAKT_LOC_VECTOR + number);
	case 'p':
		return (uint8_t)(TAKT_LOC_MASK + number % 16);
	default:
		return TAKT_LOC_SYSTEM;
	}
}

static void ignore(void *context, const char *message)
{
	(void)context, (void)message;
}

static struct decoder *load(struct takt_diag *diag)
{
	void *symbol = takt_module_symbol("takt-llvm-aarch64", "takt_llvm_entry", diag);
	const struct takt_llvm_api *(*entry)(void);
	struct decoder *decoder;
	unsigned count;

	if (!symbol)
		return NULL;
	memcpy(&entry, &symbol, sizeof(entry)); /* ISO C has no cast from data to functions */
	decoder = takt_xcalloc(1, sizeof(*decoder));
	decoder->api = entry();
	decoder->target = decoder->api->open("aarch64-unknown-linux-gnu", "", "+all", ignore, NULL);
	if (!decoder->target) {
		takt_error(diag, "LLVM in the module 'takt-llvm-aarch64.so' has no AArch64");
		free(decoder);
		return NULL;
	}
	count = decoder->api->processor(decoder->target)->location_count;
	for (unsigned i = 1; i <= count && i <= UINT8_MAX; i++)
		decoder->locations[i] =
			location_of_name(decoder->api->location_name(decoder->target, (uint16_t)i));
	return decoder;
}

/*
 * Return the decoder, or NULL, reported, without the module. There is one for the process, like the
 * module: an instruction set has no owner that could hold it. It is set once and never changes.
 */
static struct decoder *decoder_get(struct takt_diag *diag)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static _Atomic(struct decoder *) loaded;
	struct decoder *decoder = atomic_load_explicit(&loaded, memory_order_acquire);

	if (decoder)
		return decoder;
	pthread_mutex_lock(&lock);
	decoder = atomic_load_explicit(&loaded, memory_order_relaxed);
	if (!decoder) {
		decoder = load(diag);
		atomic_store_explicit(&loaded, decoder, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return decoder;
}

/* ---- flags ------------------------------------------------------------ */

static uint32_t branch_flags(uint32_t llvm)
{
	static const struct {
		uint32_t llvm, flag;
	} pairs[] = {
		{TAKT_LLVM_BRANCH, TAKT_INSN_BRANCH},
		{TAKT_LLVM_CONDITIONAL, TAKT_INSN_CONDITIONAL},
		{TAKT_LLVM_CALL, TAKT_INSN_CALL},
		{TAKT_LLVM_RETURN, TAKT_INSN_RETURN},
		{TAKT_LLVM_INDIRECT, TAKT_INSN_INDIRECT},
	};
	uint32_t flags = 0;

	for (size_t i = 0; i < TAKT_COUNT_OF(pairs); i++)
		flags |= llvm & pairs[i].llvm ? pairs[i].flag : 0;
	/* The label of retaasppc is not its target. */
	return flags & TAKT_INSN_RETURN ? flags | TAKT_INSN_INDIRECT : flags;
}

static bool is_named(const struct takt_aarch64 *a64, const char *names)
{
	const char *found = *a64->name ? strstr(names, a64->name) : NULL;

	return found && (found == names || found[-1] == ' ') && found[strlen(a64->name)] == ' ';
}

/* Return flags that follow from the mnemonic. Hints are nops: nothing waits for them. */
static uint32_t name_flags(const struct takt_aarch64 *a64)
{
	if (is_named(a64, "nop hint yield bti csdb dgh psb tsb chkfeat "))
		return TAKT_INSN_NOP;
	return is_named(a64, "isb dsb sb eret eretaa eretab svc hvc smc wfi wfe wfit wfet ")
		       ? TAKT_INSN_SERIALIZING
		       : 0;
}

/* True if all register sources are one register: [same]. A move's destination counts, too. */
static bool is_same(const struct takt_aarch64 *a64, const struct takt_insn *insn)
{
	unsigned wanted = is_named(a64, "mov fmov ") ? TAKT_READ | TAKT_WRITE : TAKT_READ;
	const struct takt_access *first = NULL;
	unsigned count = 0;

	for (unsigned i = 0; i < a64->operand_count; i++)
		if (a64->operands[i].is_address || a64->operands[i].is_element ||
		    a64->operands[i].modifier)
			return false;
	for (unsigned i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];

		if (access->flags & TAKT_HIDDEN || !(access->flags & wanted))
			continue;
		first = first ? first : access;
		if (access->location != first->location || access->size_bytes != first->size_bytes)
			return false;
		count++;
	}
	return count > 1;
}

/* True if the last register source is shifted left by at most 4: [short]. */
static bool is_short(const struct takt_aarch64 *a64)
{
	for (unsigned i = a64->operand_count; i-- > 0;) {
		const struct takt_aarch64_operand *operand = &a64->operands[i];

		if (operand->count == 0 && operand->index == TAKT_LOC_NONE)
			continue;
		return (operand->modifier == TAKT_AARCH64_LSL ||
			operand->modifier == TAKT_AARCH64_SIGNED_EXTEND ||
			operand->modifier == TAKT_AARCH64_ZERO_EXTEND) &&
		       operand->amount <= 4;
	}
	return false;
}

static bool is_zero_move(const struct takt_aarch64 *a64)
{
	const struct takt_aarch64_operand *source = &a64->operands[a64->operand_count - 1];

	return a64->operand_count == 2 && is_named(a64, "mov movi fmov ") &&
	       (source->has_immediate ? source->immediate == 0 : source->is_zero);
}

static void set_flags(const struct takt_aarch64 *a64, struct takt_insn *insn)
{
	insn->flags |= branch_flags(a64->llvm->flags) | name_flags(a64);
	if (a64->operand_count > 0 && is_zero_move(a64))
		insn->flags |= TAKT_INSN_IMM0;
	if (is_same(a64, insn))
		insn->flags |= TAKT_INSN_SAME;
	if (is_short(a64))
		insn->flags |= TAKT_INSN_SHORT;
	for (unsigned i = 0; i < insn->access_count; i++)
		if (takt_aarch64_is_vector(insn->accesses[i].location))
			insn->flags |= TAKT_INSN_VECTOR;
	for (unsigned i = 0; i < a64->operand_count; i++) {
		if (!a64->operands[i].has_immediate)
			continue;
		insn->flags |= TAKT_INSN_HAS_IMM;
		insn->immediate = a64->operands[i].immediate;
	}
}

/* Return the encoded condition or -1. The text of cset and the like has the opposite one. */
static int8_t condition_of(const struct takt_aarch64 *a64, const uint8_t *bytes)
{
	static const char cond[] = "cond";

	if (is_named(a64, "b.cond bc.cond "))
		return bytes[0] & 15;
	for (unsigned i = 0; i < a64->operand_count; i++)
		if (strcmp(takt_kind_text(a64->operands[i].kind), cond) == 0)
			return (int8_t)(bytes[1] >> 4);
	return -1;
}

/* ---- the functions ---------------------------------------------------- */

static bool can_decode(struct takt_diag *diag)
{
	if (decoder_get(diag))
		return true;
	takt_note(diag, "AArch64 code cannot be decoded without this module; "
			"install takt with it");
	return false;
}

static enum takt_status decode(const struct takt_isa *isa, const uint8_t *bytes, size_t size_bytes,
			       uint64_t address, struct takt_insn *ret_insn)
{
	struct decoder *decoder = decoder_get(NULL);
	struct takt_llvm_insn llvm;
	struct takt_aarch64 a64 = {.llvm = &llvm};

	if (!decoder)
		return TAKT_UNAVAILABLE;
	if (size_bytes < 4 ||
	    !decoder->api->decode(decoder->target, bytes, 4, address, true, &llvm))
		return TAKT_BAD_INPUT;
	a64.locations = decoder->locations;
	takt_aarch64_read_text(&a64);
	*ret_insn = (struct takt_insn){
		.isa = isa,
		.address = address,
		.bytes = bytes,
		.form = takt_aarch64_form(&a64),
		.isa_set = takt_aarch64_set(&a64, &decoder->set_cache),
		.condition = condition_of(&a64, bytes),
		.length_bytes = 4,
	};
	takt_aarch64_set_roles(&a64, ret_insn);
	takt_aarch64_set_memories(&a64, ret_insn);
	set_flags(&a64, ret_insn);
	if (llvm.flags & TAKT_LLVM_HAS_TARGET && !(ret_insn->flags & TAKT_INSN_INDIRECT))
		ret_insn->branch_target = llvm.target;
	ret_insn->insn_class = (uint8_t)takt_aarch64_class(&a64, ret_insn);
	return TAKT_OK;
}

static void write(const struct takt_insn *insn, enum takt_syntax syntax, struct takt_text *text)
{
	struct decoder *decoder = decoder_get(NULL);
	struct takt_llvm_insn llvm;

	(void)syntax; /* AArch64 has only one syntax */
	if (decoder && decoder->api->decode(decoder->target, insn->bytes, insn->length_bytes,
					    insn->address, true, &llvm))
		takt_text_add_string(text, llvm.text);
	else
		takt_text_add_string(text, "(bad)");
}

uint32_t takt_aarch64_opcode_count(void)
{
	struct decoder *decoder = decoder_get(NULL);

	return decoder ? decoder->api->opcode_count(decoder->target) : 0;
}

int takt_aarch64_opcode_sample(uint32_t opcode, uint32_t variant, uint8_t ret_bytes[16])
{
	struct decoder *decoder = decoder_get(NULL);

	return decoder->api->sample(decoder->target, opcode, variant, ret_bytes);
}

/* clang-format off */
static const char *const location_names[TAKT_LOC_COUNT] = {
	[TAKT_LOC_NONE] = "none",
	[TAKT_LOC_SZAP] = "nzcv",
	[TAKT_LOC_MXCSR] = "fpcr",
	[TAKT_LOC_SYSTEM] = "system",
	[TAKT_LOC_GPR] = "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7",
	"x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
	"x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
	"x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp",
	[TAKT_LOC_VECTOR] = "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7",
	"v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",
	"v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
	"v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
	[TAKT_LOC_MASK] = "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7",
	"p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15",
	[TAKT_LOC_TILE] = "za", "zt0",
	[TAKT_LOC_FFR] = "ffr",
};
/* clang-format on */

static const char *location_name(const struct takt_isa *isa, uint8_t location)
{
	(void)isa;
	return location < TAKT_LOC_COUNT ? location_names[location] : NULL;
}

const struct takt_isa_functions takt_aarch64_functions = {
	.can_decode = can_decode,
	.decode = decode,
	.step = takt_aarch64_flow,
	.write = write,
	.location_name = location_name,
	.mnemonic_text = takt_aarch64_mnemonic_text,
	.mnemonic_parse = takt_aarch64_mnemonic_parse,
	.operation = takt_aarch64_operation,
	.operands = takt_aarch64_operands,
	.is_affine = takt_aarch64_is_affine,
	.addressing = takt_aarch64_addressing,
	.undecodable_note = "if this is data, choose a range or function without it",
};
