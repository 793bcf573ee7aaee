/* SPDX-License-Identifier: MIT */
/* Coarse classes of AArch64 instructions, from the mnemonic and the operands. */
#include <string.h>

#include "isa/aarch64.h"

struct rule {
	const char *start;  /* start of the mnemonic, or all of it if it ends in '$' */
	uint8_t insn_class; /* enum takt_insn_class */
};

static bool matches(const char *name, const char *start)
{
	size_t size_bytes;

	if (*name != *start) /* rejects nearly all rules */
		return false;
	size_bytes = strcspn(start, "$");
	return strncmp(name, start, size_bytes) == 0 &&
	       (start[size_bytes] == '\0' || name[size_bytes] == '\0');
}

/* Return the class of the first rule that matches, `otherwise` if none does. */
static enum takt_insn_class look_up(const char *name, const struct rule *rules, size_t count,
				    enum takt_insn_class otherwise)
{
	for (size_t i = 0; i < count; i++)
		if (matches(name, rules[i].start))
			return (enum takt_insn_class)rules[i].insn_class;
	return otherwise;
}

static const struct rule vector_rules[] = {
	{"fmov", TAKT_CLASS_MOVE},	    {"mov", TAKT_CLASS_MOVE},
	{"mvni", TAKT_CLASS_MOVE},	    {"fcvt", TAKT_CLASS_CONVERT},
	{"bfcvt", TAKT_CLASS_CONVERT},	    {"scvtf", TAKT_CLASS_CONVERT},
	{"ucvtf", TAKT_CLASS_CONVERT},	    {"fjcvt", TAKT_CLASS_CONVERT},
	{"frint", TAKT_CLASS_CONVERT},	    {"fdiv", TAKT_CLASS_FP_DIV},
	{"fsqrt", TAKT_CLASS_FP_DIV},	    {"fm", TAKT_CLASS_FP_MUL},
	{"fnm", TAKT_CLASS_FP_MUL},	    {"fcmla", TAKT_CLASS_FP_MUL},
	{"fdot", TAKT_CLASS_FP_MUL},	    {"bf", TAKT_CLASS_FP_MUL},
	{"frecps$", TAKT_CLASS_FP_MUL},	    {"frsqrts$", TAKT_CLASS_FP_MUL},
	{"fcpy", TAKT_CLASS_MOVE},	    {"fdup", TAKT_CLASS_VEC_SHUFFLE},
	{"f", TAKT_CLASS_FP_ADD},	    {"sdiv", TAKT_CLASS_INT_DIV},
	{"udiv", TAKT_CLASS_INT_DIV},	    {"aes", TAKT_CLASS_CRYPTO},
	{"sha1", TAKT_CLASS_CRYPTO},	    {"sha2", TAKT_CLASS_CRYPTO},
	{"sha5", TAKT_CLASS_CRYPTO},	    {"sm3", TAKT_CLASS_CRYPTO},
	{"sm4", TAKT_CLASS_CRYPTO},	    {"pmul", TAKT_CLASS_CRYPTO},
	{"zip", TAKT_CLASS_VEC_SHUFFLE},    {"uzp", TAKT_CLASS_VEC_SHUFFLE},
	{"trn", TAKT_CLASS_VEC_SHUFFLE},    {"tb", TAKT_CLASS_VEC_SHUFFLE},
	{"ext", TAKT_CLASS_VEC_SHUFFLE},    {"rev", TAKT_CLASS_VEC_SHUFFLE},
	{"dup", TAKT_CLASS_VEC_SHUFFLE},    {"ins", TAKT_CLASS_VEC_SHUFFLE},
	{"umov", TAKT_CLASS_VEC_SHUFFLE},   {"smov", TAKT_CLASS_VEC_SHUFFLE},
	{"splice", TAKT_CLASS_VEC_SHUFFLE}, {"compact", TAKT_CLASS_VEC_SHUFFLE},
	{"last", TAKT_CLASS_VEC_SHUFFLE},   {"clast", TAKT_CLASS_VEC_SHUFFLE},
	{"luti", TAKT_CLASS_VEC_SHUFFLE},   {"sunpk", TAKT_CLASS_VEC_SHUFFLE},
	{"uunpk", TAKT_CLASS_VEC_SHUFFLE},
};

static const struct rule integer_rules[] = {
	{"mov", TAKT_CLASS_MOVE},      {"mul", TAKT_CLASS_INT_MUL},   {"madd$", TAKT_CLASS_INT_MUL},
	{"msub$", TAKT_CLASS_INT_MUL}, {"mneg", TAKT_CLASS_INT_MUL},  {"smul", TAKT_CLASS_INT_MUL},
	{"umul", TAKT_CLASS_INT_MUL},  {"smadd", TAKT_CLASS_INT_MUL}, {"umadd", TAKT_CLASS_INT_MUL},
	{"smsub", TAKT_CLASS_INT_MUL}, {"umsub", TAKT_CLASS_INT_MUL}, {"smneg", TAKT_CLASS_INT_MUL},
	{"umneg", TAKT_CLASS_INT_MUL}, {"crc32", TAKT_CLASS_INT_MUL}, {"sdiv", TAKT_CLASS_INT_DIV},
	{"udiv", TAKT_CLASS_INT_DIV},  {"cpy", TAKT_CLASS_STRING},    {"set", TAKT_CLASS_STRING},
	{"mrs", TAKT_CLASS_SYSTEM},    {"msr", TAKT_CLASS_SYSTEM},    {"sys", TAKT_CLASS_SYSTEM},
	{"dmb", TAKT_CLASS_SYSTEM},    {"dsb", TAKT_CLASS_SYSTEM},    {"isb", TAKT_CLASS_SYSTEM},
	{"sb$", TAKT_CLASS_SYSTEM},    {"ic$", TAKT_CLASS_SYSTEM},    {"dc$", TAKT_CLASS_SYSTEM},
	{"at$", TAKT_CLASS_SYSTEM},    {"tlbi", TAKT_CLASS_SYSTEM},   {"svc", TAKT_CLASS_SYSTEM},
	{"hvc", TAKT_CLASS_SYSTEM},    {"smc", TAKT_CLASS_SYSTEM},    {"brk", TAKT_CLASS_SYSTEM},
	{"hlt", TAKT_CLASS_SYSTEM},    {"udf", TAKT_CLASS_SYSTEM},    {"eret", TAKT_CLASS_SYSTEM},
	{"wf", TAKT_CLASS_SYSTEM},     {"clrex", TAKT_CLASS_SYSTEM},  {"smst", TAKT_CLASS_SYSTEM},
	{"cfinv", TAKT_CLASS_INT},
};

/* Return the class of an instruction with a memory operand: plain loads and stores are moves. */
static enum takt_insn_class memory_class(const struct takt_aarch64 *a64,
					 const struct takt_memory *memory)
{
	static const char *const atomics[] = {"ldadd",	"ldclr",  "ldeor",  "ldset",  "ldsmax",
					      "ldsmin", "ldumax", "ldumin", "stadd",  "stclr",
					      "steor",	"stset",  "stsmax", "stsmin", "stumax",
					      "stumin", "swp",	  "cas"};

	if (takt_aarch64_is_vector(memory->base) || takt_aarch64_is_vector(memory->index))
		return memory->address_only && strcmp(a64->name, "adr") == 0 ? TAKT_CLASS_VEC_INT
									     : TAKT_CLASS_GATHER;
	if (takt_string_starts(a64->name, "cpy") || takt_string_starts(a64->name, "set"))
		return TAKT_CLASS_STRING;
	if (takt_string_starts(a64->name, "adr"))
		return TAKT_CLASS_INT;
	for (size_t i = 0; i < TAKT_COUNT_OF(atomics); i++)
		if (takt_string_starts(a64->name, atomics[i]))
			return TAKT_CLASS_INT;
	return TAKT_CLASS_MOVE;
}

/* True if the instruction works on predicates only. */
static bool is_on_masks(const struct takt_insn *insn)
{
	bool has_mask = false;

	for (unsigned i = 0; i < insn->access_count; i++) {
		unsigned location = insn->accesses[i].location;

		if (takt_location_is_vector(location))
			return false;
		has_mask |= takt_location_is_mask(location);
	}
	return has_mask;
}

static bool moves_element(const struct takt_aarch64 *a64)
{
	for (unsigned i = 0; i < a64->operand_count; i++)
		if (a64->operands[i].is_element)
			return true;
	return false;
}

enum takt_insn_class takt_aarch64_class(const struct takt_aarch64 *a64,
					const struct takt_insn *insn)
{
	if (insn->flags & TAKT_INSN_BRANCH)
		return TAKT_CLASS_BRANCH;
	if (insn->flags & TAKT_INSN_NOP)
		return TAKT_CLASS_NOP;
	if (insn->memory_count > 0)
		return memory_class(a64, &insn->memories[0]);
	if (is_on_masks(insn))
		return TAKT_CLASS_MASK;
	if (strcmp(a64->name, "mov") == 0 && moves_element(a64))
		return TAKT_CLASS_VEC_SHUFFLE;
	if (insn->flags & TAKT_INSN_VECTOR)
		return look_up(a64->name, vector_rules, TAKT_COUNT_OF(vector_rules),
			       TAKT_CLASS_VEC_INT);
	return look_up(a64->name, integer_rules, TAKT_COUNT_OF(integer_rules), TAKT_CLASS_INT);
}
