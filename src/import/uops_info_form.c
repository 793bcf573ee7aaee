/* SPDX-License-Identifier: MIT */
/*
 * Translates uops.info's name of a variant, "VFMADD231PD_Z (ZMM, K, ZMM, M64_1to8)", to a form,
 * and its operands to slots. The name is XED's iclass with suffixes that tell encodings apart.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "import/uops_info.h"

#define NAME_PARTS_MAX 8u

struct naming {
	const char *mnemonic;
	const char *prefix, *ending; /* text before and after the form's operands */
	const char *kinds[TAKT_FORM_OPERANDS_MAX + 2];
	char kind_texts[TAKT_FORM_OPERANDS_MAX + 2][16];
	unsigned kind_count;
	uint32_t rank;
	bool evex, any_prefix;
};

/* ---- mnemonic ------------------------------------------------------------ */

/* Return takt's name for one of XED's that differs, often because XED has a name per size. */
static const char *usual_name(const char *name)
{
	static const char *const names[][2] = {
		{"pcmpestri64", "pcmpestri"},	    {"pcmpestrm64", "pcmpestrm"},
		{"vpcmpestri64", "vpcmpestri"},	    {"vpcmpestrm64", "vpcmpestrm"},
		{"prefetch_exclusive", "prefetch"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++)
		if (strcmp(name, names[i][0]) == 0)
			return names[i][1];
	return NULL;
}

/*
 * Suffixes of the encodings that gas emits, and those that change nothing: the store-form opcodes
 * 01, 89 … for general registers, the load-form opcodes 28, 6F, 7E … for vectors.
 */
static const char *const first_encodings[] = {
	"00", "01", "08",   "09",   "10",   "11",   "18", "19", "20",	"21",	"28",  "29",
	"30", "31", "38",   "39",   "88",   "89",   "r0", "cl", "immb", "immz", "xmm", "near",
	"cr", "dr", "0f10", "0f28", "0f6f", "0f7e", "6f", "7e", "vex",	"z"};
static const char *const other_encodings[] = {"02",   "03", "0a", "0b", "12",	"13",	"1a",
					      "1b",   "22", "23", "2a", "2b",	"32",	"33",
					      "3a",   "3b", "8a", "8b", "0f11", "0f29", "0f7f",
					      "0fd6", "7f", "d6", "r4", "sse4", "c5"};

static bool apply_suffix(struct naming *naming, const char *suffix, const char **ret_reason)
{
	*ret_reason = "a name with an unknown suffix";
	if (strcmp(suffix, "lock") == 0) {
		naming->prefix = "lock ";
	} else if (strcmp(suffix, "repe") == 0) {
		naming->prefix = "rep ";
	} else if (strcmp(suffix, "repne") == 0) {
		*ret_reason = "a prefix without effect";
		naming->prefix = "repne ";
		return naming->any_prefix || takt_string_starts(naming->mnemonic, "cmps") ||
		       takt_string_starts(naming->mnemonic, "scas");
	} else if (strcmp(suffix, "evex") == 0) {
		naming->evex = true;
	} else if (strcmp(suffix, "er") == 0) {
		naming->ending = " {er}";
	} else if (strcmp(suffix, "sae") == 0) {
		naming->ending = " {sae}";
	} else if (takt_string_is_one_of(suffix, other_encodings, TAKT_COUNT_OF(other_encodings))) {
		naming->rank++;
	} else if (!takt_string_is_one_of(suffix, first_encodings,
					  TAKT_COUNT_OF(first_encodings))) {
		if (strcmp(suffix, "w") == 0 || strcmp(suffix, "rex64") == 0)
			*ret_reason = "an operand size that nobody writes";
		return false;
	}
	return true;
}

/*
 * Split a name such as "vaddpd_er_z" into the longest part that is a mnemonic, and suffixes.
 * `name` is changed.
 */
static bool read_name(struct naming *naming, char *name, bool address, const char **ret_reason)
{
	char *ends[NAME_PARTS_MAX], *suffix;
	unsigned count = 0;

	for (char *at = name; *at && count < NAME_PARTS_MAX - 1; at++)
		if (*at == '_')
			ends[count++] = at;
	ends[count] = name + strlen(name);
	*ret_reason = "an unknown mnemonic";
	for (;; count--) {
		char cut = *ends[count];

		*ends[count] = '\0';
		naming->mnemonic = usual_name(name);
		naming->rank += naming->mnemonic != NULL;
		if (!naming->mnemonic && takt_import_is_mnemonic(name))
			naming->mnemonic = name;
		if (naming->mnemonic) {
			suffix = ends[count] + (cut != '\0');
			break;
		}
		*ends[count] = cut;
		if (count == 0)
			return false;
	}
	while (*suffix && !address) {
		char *end = suffix + strcspn(suffix, "_");
		bool more = *end == '_';

		*end = '\0';
		if (!apply_suffix(naming, suffix, ret_reason))
			return false;
		suffix = end + more;
	}
	return true;
}

/* ---- operand kinds ------------------------------------------------------- */

/* The kinds whose names in uops.info are not takt's in capitals. */
static const char *const other_kinds[][2] = {
	{"r8l", "r8"},		{"seg", "sreg"},  {"fs", "sreg"},	  {"gs", "sreg"},
	{"rel8", "rel"},	{"rel32", "rel"}, {"vsib_xmm", "m[xmm]"}, {"vsib_ymm", "m[ymm]"},
	{"vsib_zmm", "m[zmm]"}, {"moffs8", "m8"}, {"moffs16", "m16"},	  {"moffs32", "m32"},
	{"moffs64", "m64"},
};

static bool is_kind(const char *kind)
{
	static const char *const kinds[] = {
#define X(name, text) text,
		TAKT_KIND_LIST(X)
#undef X
	};

	return *kind && takt_string_is_one_of(kind, kinds, TAKT_COUNT_OF(kinds));
}

/* Translate `kind`, of 16 bytes, in place; false if takt has no such kind. */
static bool translate_kind(char *kind, const char *mnemonic)
{
	char *broadcast = strstr(kind, "_1to");

	for (size_t i = 0; i < TAKT_COUNT_OF(other_kinds); i++) {
		if (strcmp(kind, other_kinds[i][0]) == 0) {
			strcpy(kind, other_kinds[i][1]);
			return true;
		}
	}
	if (strcmp(kind, "r") == 0) {
		strcpy(kind, takt_string_starts(mnemonic, "vp2intersect") ? "k" : "r64");
	} else if (broadcast && kind[0] == 'm') {
		strcpy(broadcast, "{b}");
	} else if (strcmp(kind, "m512") == 0 && takt_string_starts(mnemonic, "prefetch")) {
		strcpy(kind, "m8"); /* one byte, according to the encoding */
	} else if (!is_kind(kind) && kind[0] == 'm' && strspn(kind + 1, "0123456789")) {
		strcpy(kind, "m");
	}
	return is_kind(kind);
}

/* Read kinds from "r64, m64"; "0" is an immediate whose size is in the operand element. */
static bool read_kinds(struct naming *naming, const char *list,
		       const struct takt_uops_info_insn *insn)
{
	while (*list) {
		size_t size = strcspn(list, ",");
		char *kind = naming->kind_texts[naming->kind_count];

		if (size == 0 || size >= sizeof(naming->kind_texts[0]) - 4 ||
		    naming->kind_count > TAKT_FORM_OPERANDS_MAX)
			return false;
		memcpy(kind, list, size);
		kind[size] = '\0';
		if (takt_string_starts(kind, "rel8"))
			naming->rank += 2;
		if (strcmp(kind, "0") == 0) {
			unsigned bits = 8;

			for (uint32_t i = 0; i < insn->operand_count; i++)
				if (insn->operands[i].type == TAKT_UOPS_INFO_IMMEDIATE &&
				    insn->operands[i].width_bits)
					bits = insn->operands[i].width_bits;
			snprintf(kind, sizeof(naming->kind_texts[0]), "i%u", bits);
		}
		if (!translate_kind(kind, naming->mnemonic))
			return false;
		naming->kinds[naming->kind_count++] = kind;
		list += size;
		list += strspn(list, ", ");
	}
	return true;
}

/* Read the address kind of lea from uops.info's "agen", whose displacements have sizes. */
static bool read_address(struct naming *naming, const char *agen)
{
	static const struct {
		const char *name, *kind;
	} kinds[] = {
		{"B", "[b]"},	      {"B_D", "[b+d]"},	   {"B_I", "[b+i]"},
		{"B_I_D", "[b+i+d]"}, {"B_IS", "[b+i*s]"}, {"B_IS_D", "[b+i*s+d]"},
		{"I", "[i*s+d]"},     {"IS", "[i*s+d]"},   {"I_D", "[i*s+d]"},
		{"IS_D", "[i*s+d]"},  {"D", "[d]"},	   {"R", "[rip+d]"},
		{"R_D", "[rip+d]"},
	};
	size_t size = strlen(agen);

	naming->rank = takt_string_ends(agen, "D32");
	if (takt_string_ends(agen, "D8") || takt_string_ends(agen, "D32"))
		size = (size_t)(strrchr(agen, 'D') - agen) + 1;
	if (agen[0] == 'I')
		naming->rank += agen[1] == 'S' ? (size == 2) : 2;
	for (size_t i = 0; i < TAKT_COUNT_OF(kinds); i++) {
		if (takt_string_is(kinds[i].name, agen, size)) {
			naming->kinds[naming->kind_count++] = kinds[i].kind;
			return true;
		}
	}
	return false;
}

/* ---- slots of operands --------------------------------------------------- */

static bool writes_xmm0(const char *mnemonic)
{
	/* XED leaves out the xmm0 that assemblers write. */
	static const char *const names[] = {"blendvpd", "blendvps", "pblendvb", "sha256rnds2"};

	return takt_string_is_one_of(mnemonic, names, TAKT_COUNT_OF(names));
}

/* Find the slot of an implicit register: rax for al, ax and eax. */
static uint8_t register_slot(const char *name)
{
	static const char legacy[][3] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
	char lower[8];
	size_t size = 0;
	uint8_t slot;

	for (; name[size] && size < sizeof(lower) - 1; size++)
		lower[size] = takt_to_lower(name[size]);
	lower[size] = '\0';
	for (size_t i = 0; i < TAKT_COUNT_OF(legacy); i++) {
		bool low = size == 2 && lower[1] == 'l' && lower[0] == legacy[i][0] && i < 4;

		if (low || (size >= 2 && size <= 3 && strcmp(lower + size - 2, legacy[i]) == 0)) {
			lower[0] = 'r';
			memcpy(lower + 1, legacy[i], sizeof(legacy[i]));
		}
	}
	return size && takt_slot_parse(&takt_isa_x86, lower, strlen(lower), &slot) &&
			       slot >= TAKT_SLOT_IMPLICIT
		       ? slot
		       : TAKT_NO_SLOT;
}

static bool fits(const struct takt_uops_info_operand *operand, const char *kind)
{
	bool memory = kind[0] == '[' || (kind[0] == 'm' && strcmp(kind, "mm") != 0);
	bool immediate = strcmp(kind, "1") == 0 || (kind[0] == 'i' && isdigit(kind[1]));
	bool branch = strcmp(kind, "rel") == 0;

	switch ((enum takt_uops_info_type)operand->type) {
	case TAKT_UOPS_INFO_MEMORY:
		return memory && kind[0] == 'm';
	case TAKT_UOPS_INFO_ADDRESS: /* nop and prefetch have kinds of memory for it */
		return memory;
	case TAKT_UOPS_INFO_IMMEDIATE:
		return immediate;
	case TAKT_UOPS_INFO_BRANCH:
		return branch;
	case TAKT_UOPS_INFO_REGISTER:
		/* A write mask of k0 is an operand, but does not appear in the name. */
		return !memory && !immediate && !branch &&
		       (strcmp(operand->name, "K0") != 0 || strcmp(kind, "k") == 0);
	case TAKT_UOPS_INFO_FLAGS:
		return false;
	}
	return false;
}

static void set_implicit_slot(const struct naming *naming, struct takt_uops_info_operand *operand)
{
	if (operand->type == TAKT_UOPS_INFO_FLAGS) {
		operand->slot = TAKT_SLOT_FLAGS;
	} else if (operand->type == TAKT_UOPS_INFO_MEMORY) {
		operand->slot = TAKT_SLOT_STACK;
		operand->base_slot = operand->index_slot = register_slot(operand->base);
	} else if (operand->type == TAKT_UOPS_INFO_REGISTER) {
		operand->slot = strcmp(operand->name, "XMM0") == 0 && writes_xmm0(naming->mnemonic)
					? (uint8_t)(naming->kind_count - 1)
					: register_slot(operand->name);
	}
}

/* Set the slots of operands; false if the operand elements do not fit the name. */
static bool set_slots(const struct naming *naming, struct takt_uops_info_insn *insn)
{
	unsigned written = 0, number = 0, count = naming->kind_count;

	if (writes_xmm0(naming->mnemonic))
		count--;
	for (uint32_t i = 0; i < insn->operand_count; i++) {
		struct takt_uops_info_operand *operand = &insn->operands[i];

		operand->slot = operand->base_slot = operand->index_slot = TAKT_NO_SLOT;
		if (operand->suppressed || operand->type == TAKT_UOPS_INFO_FLAGS) {
			set_implicit_slot(naming, operand);
		} else if (written < count && fits(operand, naming->kinds[written])) {
			bool mask = insn->masked && written == 1;

			written++;
			operand->slot = mask ? TAKT_SLOT_MASK : (uint8_t)(TAKT_SLOT_1 + number);
			if (!mask)
				number++;
			if (operand->type == TAKT_UOPS_INFO_MEMORY ||
			    operand->type == TAKT_UOPS_INFO_ADDRESS) {
				operand->base_slot = TAKT_SLOT_BASE;
				operand->index_slot = TAKT_SLOT_INDEX;
			}
		}
	}
	return written == count;
}

/* ---- the form ------------------------------------------------------------ */

/* True for kinds that no VEX encoding has, beside which {evex} is redundant. */
static bool is_evex_only(const char *kind)
{
	return strstr(kind, "{b}") || strcmp(kind, "k") == 0 || takt_string_starts(kind, "zmm") ||
	       strcmp(kind, "m512") == 0;
}

static takt_form_key make_form(const struct naming *naming, const struct takt_uops_info_insn *insn)
{
	struct takt_text text = {0};
	bool evex = naming->evex && !insn->masked, first = true;
	takt_form_key form;
	const char *error;
	size_t at;

	for (unsigned i = 0; i < naming->kind_count; i++)
		evex &= !is_evex_only(naming->kinds[i]);
	takt_text_printf(&text, "%s%s%s", naming->prefix, evex ? "{evex} " : "", naming->mnemonic);
	for (unsigned i = 0; i < naming->kind_count; i++) {
		if (i == 1 && insn->masked)
			continue;
		takt_text_printf(&text, "%s%s", first ? " " : ", ", naming->kinds[i]);
		if (first && insn->masked)
			takt_text_add_string(&text, insn->zeroing ? "{k}{z}" : "{k}");
		first = false;
	}
	takt_text_add_string(&text, naming->ending);
	form = takt_form_parse(&takt_isa_x86, takt_text_data(&text), text.size_bytes, &at, &error);
	takt_text_release(&text);
	return form;
}

/* True for opcodes that assemblers do not choose, by the end of XED's iform. */
static bool is_rare(const char *iform)
{
	static const char *const ends[] = {"_8F",   "_FFr6", "_C0r6", "_C1r6", "_D0r6",
					   "_D1r6", "_D2r6", "_D3r6", "_F6r1", "_F7r1"};
	size_t size = strlen(iform);

	for (size_t i = 0; i < TAKT_COUNT_OF(ends); i++)
		if (takt_string_ends(iform, ends[i]))
			return true;
	return size > 5 && strncmp(iform + size - 5, "_82r", 4) == 0;
}

/* True for a vector move's store opcode: in names, 28 and 10 are loads, 29 and 11 stores. */
static bool is_store_move(const char *name)
{
	return takt_string_starts(name, "vmov") &&
	       (takt_string_ends(name, "_11") || takt_string_ends(name, "_29") ||
		strstr(name, "_11_") || strstr(name, "_29_"));
}

takt_form_key takt_uops_info_form(struct takt_uops_info_insn *insn, uint32_t *ret_rank,
				  const char **ret_reason)
{
	struct naming naming = {.prefix = "", .ending = "", .any_prefix = insn->any_prefix};
	char lower[sizeof(insn->string)], *list, *end;
	takt_form_key form;

	for (size_t i = 0; i < sizeof(lower); i++)
		lower[i] = takt_to_lower(insn->string[i]);
	list = strstr(lower, " (");
	end = list ? strrchr(list, ')') : NULL;
	if (end) {
		*list = *end = '\0';
		list += 2;
	}
	naming.rank = (is_rare(insn->iform) ? 4u : 0u) + (is_store_move(lower) ? 1u : 0u);
	if (!read_name(&naming, lower, insn->agen[0] != '\0', ret_reason))
		return 0;
	*ret_reason = "operands without a kind in takt";
	if (end && !read_kinds(&naming, list, insn))
		return 0;
	if (writes_xmm0(naming.mnemonic))
		naming.kinds[naming.kind_count++] = "xmm0";
	if (insn->agen[0] && !read_address(&naming, insn->agen))
		return 0;
	*ret_reason = "operand elements that do not fit the name";
	if ((insn->masked && naming.kind_count < 2) || !set_slots(&naming, insn))
		return 0;
	*ret_reason = "more operands than a form has";
	form = make_form(&naming, insn);
	*ret_rank = naming.rank;
	return form;
}
