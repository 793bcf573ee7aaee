/* SPDX-License-Identifier: MIT */
/*
 * Finds the forms of OSACA's entries. OSACA names operands by class: "gpr" whatever its width,
 * memory whatever its size. The classes are expanded to the kinds that the mnemonic allows.
 */
#include <string.h>

#include "import/osaca.h"

enum operand_class {
	CLASS_GPR,
	CLASS_ANY,
	CLASS_KIND,
	CLASS_MEMORY,
	CLASS_IMMEDIATE,
	CLASS_BRANCH
};

struct operand {
	enum operand_class class;
	enum takt_operand_kind kind; /* the kind of a CLASS_KIND operand */
	bool masked;
	const struct takt_yaml_node *node;
};

struct entry {
	char mnemonic[32];
	unsigned suffix_bits; /* the width that an AT&T suffix gives, or 0 */
	struct operand operands[TAKT_FORM_OPERANDS_MAX];
	unsigned count;
	enum takt_operand_kind vector; /* the widest vector register, or NONE */
	bool has_memory, has_gpr;
	takt_form_key *forms;
	size_t form_count;
};

/* ---- mnemonic ------------------------------------------------------------ */

static void use_other_name(char *mnemonic, size_t size_bytes)
{
	static const char *const names[][2] = {
		{"sal", "shl"},	    {"jc", "jb"},	  {"jnc", "jae"},   {"jna", "jbe"},
		{"jnae", "jb"},	    {"jpe", "jp"},	  {"jpo", "jnp"},   {"jng", "jle"},
		{"jnge", "jl"},	    {"cltq", "cdqe"},	  {"cwtl", "cwde"}, {"cbtw", "cbw"},
		{"cqto", "cqo"},    {"cltd", "cdq"},	  {"cwtd", "cwd"},  {"movabs", "mov"},
		{"movabsq", "mov"}, {"movslq", "movsxd"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++)
		if (strcmp(mnemonic, names[i][0]) == 0 && strlen(names[i][1]) < size_bytes)
			strcpy(mnemonic, names[i][1]);
}

static unsigned suffix_bits(char suffix)
{
	switch (suffix) {
	case 'b':
		return 8;
	case 'w':
		return 16;
	case 'l':
		return 32;
	case 'q':
		return 64;
	default:
		return 0;
	}
}

/* Read the mnemonic in lower case, with other spellings and AT&T suffixes replaced. */
static bool read_mnemonic(struct entry *entry, const char *name)
{
	size_t size = strlen(name);
	unsigned bits;

	if (size == 0 || size >= sizeof(entry->mnemonic))
		return false;
	for (size_t i = 0; i <= size; i++)
		entry->mnemonic[i] = takt_to_lower(name[i]);
	use_other_name(entry->mnemonic, sizeof(entry->mnemonic));
	bits = suffix_bits(takt_to_lower(name[size - 1]));
	/* movq with general registers is a mov; with vector registers it is movq. */
	if (strcmp(entry->mnemonic, "movq") == 0 && !entry->vector) {
		strcpy(entry->mnemonic, "mov");
		entry->suffix_bits = 64;
		return true;
	}
	if (takt_import_is_mnemonic(entry->mnemonic))
		return true;
	size = strlen(entry->mnemonic);
	if (!bits || size < 3)
		return false;
	entry->mnemonic[size - 1] = '\0';
	use_other_name(entry->mnemonic, sizeof(entry->mnemonic));
	entry->suffix_bits = bits;
	return takt_import_is_mnemonic(entry->mnemonic);
}

/* ---- operands -------------------------------------------------------------- */

static enum takt_operand_kind vector_kind(const char *name)
{
	static const struct {
		const char *name;
		enum takt_operand_kind kind;
	} kinds[] = {
		{"xmm", TAKT_KIND_XMM}, {"ymm", TAKT_KIND_YMM}, {"zmm", TAKT_KIND_ZMM},
		{"mm", TAKT_KIND_MM},	{"mmx", TAKT_KIND_MM},	{"k", TAKT_KIND_K},
		{"st", TAKT_KIND_ST},
	};
	char stem[8];
	size_t size = strcspn(name, "0123456789(");

	if (size == 0 || size >= sizeof(stem))
		return TAKT_KIND_NONE;
	for (size_t i = 0; i < size; i++)
		stem[i] = takt_to_lower(name[i]);
	stem[size] = '\0';
	for (size_t i = 0; i < TAKT_COUNT_OF(kinds); i++)
		if (strcmp(stem, kinds[i].name) == 0)
			return kinds[i].kind;
	return TAKT_KIND_NONE;
}

/* Find the kind of a general register by its own name: rax, eax, r8d, cl. */
static enum takt_operand_kind general_kind(const char *name)
{
	size_t size = strlen(name);

	if (strcmp(name, "cl") == 0)
		return TAKT_KIND_CL;
	if (name[0] == 'r' && takt_is_digit(name[1]))
		return takt_string_ends(name, "d")   ? TAKT_KIND_R32
		       : takt_string_ends(name, "w") ? TAKT_KIND_R16
		       : takt_string_ends(name, "b") ? TAKT_KIND_R8
						     : TAKT_KIND_R64;
	if (size == 3 && name[0] == 'r')
		return TAKT_KIND_R64;
	if (size == 3 && name[0] == 'e')
		return TAKT_KIND_R32;
	if (size == 2 && strchr("xpi", name[1]))
		return TAKT_KIND_R16;
	return size == 2 && name[1] == 'l' ? TAKT_KIND_R8 : TAKT_KIND_NONE;
}

static bool read_register(struct operand *operand)
{
	const char *name = takt_yaml_text(takt_yaml_get(operand->node, "name"));
	const char *mask = takt_yaml_text(takt_yaml_get(operand->node, "mask"));

	operand->masked = mask && takt_to_lower(*mask) == 't';
	if (!name)
		return false;
	if (strcmp(name, "gpr") == 0) {
		operand->class = CLASS_GPR;
		return true;
	}
	if (strcmp(name, "*") == 0) {
		operand->class = CLASS_ANY;
		return true;
	}
	operand->class = CLASS_KIND;
	operand->kind = vector_kind(name);
	if (operand->kind == TAKT_KIND_NONE)
		operand->kind = general_kind(name);
	return operand->kind != TAKT_KIND_NONE;
}

static bool read_operand(struct operand *operand)
{
	const char *class = takt_yaml_text(takt_yaml_get(operand->node, "class"));

	if (!class)
		return false;
	if (strcmp(class, "register") == 0)
		return read_register(operand);
	if (strcmp(class, "memory") == 0)
		operand->class = CLASS_MEMORY;
	else if (strcmp(class, "immediate") == 0)
		operand->class = CLASS_IMMEDIATE;
	else if (strcmp(class, "identifier") == 0)
		operand->class = CLASS_BRANCH;
	else
		return false;
	return true;
}

static unsigned vector_bits(enum takt_operand_kind kind)
{
	return kind >= TAKT_KIND_XMM && kind <= TAKT_KIND_ZMM ? 8u * takt_kind_size_bytes(kind) : 0;
}

/* Read the operands, reversing AT&T order to Intel order. */
static bool read_operands(struct entry *entry, const struct takt_yaml_node *operands)
{
	for (const struct takt_yaml_node *node = operands ? operands->first : NULL; node;
	     node = node->next)
		entry->count++;
	if (entry->count > TAKT_FORM_OPERANDS_MAX)
		return false;
	for (const struct takt_yaml_node *node = operands ? operands->first : NULL, *next = node;
	     next; next = next->next) {
		static const struct operand empty;
		unsigned index = 0;

		for (const struct takt_yaml_node *after = next->next; after; after = after->next)
			index++;
		entry->operands[index] = empty;
		entry->operands[index].node = next;
		if (!read_operand(&entry->operands[index]))
			return false;
	}
	for (unsigned i = 0; i < entry->count; i++) {
		struct operand *operand = &entry->operands[i];

		entry->has_memory |= operand->class == CLASS_MEMORY;
		entry->has_gpr |= operand->class == CLASS_GPR;
		if (operand->class == CLASS_KIND && operand->kind >= TAKT_KIND_MM &&
		    operand->kind <= TAKT_KIND_K &&
		    (!entry->vector || vector_bits(operand->kind) > vector_bits(entry->vector)))
			entry->vector = operand->kind;
	}
	return true;
}

/* ---- sizes ------------------------------------------------------------------- */

static bool is_shift(const char *mnemonic)
{
	static const char *const names[] = {"shl", "shr", "sar",  "rol", "ror",
					    "rcl", "rcr", "shld", "shrd"};

	return takt_string_is_one_of(mnemonic, names, TAKT_COUNT_OF(names));
}

#define BITS_8 1u
#define BITS_16 2u
#define BITS_32 4u
#define BITS_64 8u

/* Return the set of operand widths that a mnemonic of general registers has. */
static unsigned allowed_widths(const struct entry *entry)
{
	static const char *const wide[] = {"andn", "bextr", "blsi", "blsr",  "blsmsk", "pdep",
					   "pext", "rorx",  "sarx", "shlx",  "shrx",   "mulx",
					   "adcx", "adox",  "bzhi", "bswap", "crc32",  "movbe"};
	static const char *const no_byte[] = {"bsf", "bsr", "lzcnt", "tzcnt", "popcnt", "bt",
					      "btc", "btr", "bts",   "shld",  "shrd",	"lea"};
	static const char *const stack[] = {"push", "pop"};
	static const char *const full[] = {"jmp", "call"};
	const char *mnemonic = entry->mnemonic;

	switch (entry->suffix_bits) {
	case 8:
		return BITS_8;
	case 16:
		return BITS_16;
	case 32:
		return BITS_32;
	case 64:
		return BITS_64;
	default:
		break;
	}
	if (takt_string_starts(mnemonic, "set"))
		return BITS_8;
	if (takt_string_is_one_of(mnemonic, full, TAKT_COUNT_OF(full)))
		return BITS_64;
	if (takt_string_is_one_of(mnemonic, stack, TAKT_COUNT_OF(stack)))
		return BITS_16 | BITS_64;
	if (entry->vector || takt_string_is_one_of(mnemonic, wide, TAKT_COUNT_OF(wide)))
		return BITS_32 | BITS_64;
	if (takt_string_starts(mnemonic, "cmov") ||
	    takt_string_is_one_of(mnemonic, no_byte, TAKT_COUNT_OF(no_byte)) ||
	    (strcmp(mnemonic, "imul") == 0 && entry->count > 1))
		return BITS_16 | BITS_32 | BITS_64;
	return BITS_8 | BITS_16 | BITS_32 | BITS_64;
}

static enum takt_operand_kind memory_of_bits(unsigned bits)
{
	static const struct {
		unsigned bits;
		enum takt_operand_kind kind;
	} kinds[] = {{8, TAKT_KIND_M8},	   {16, TAKT_KIND_M16},	  {32, TAKT_KIND_M32},
		     {64, TAKT_KIND_M64},  {128, TAKT_KIND_M128}, {256, TAKT_KIND_M256},
		     {512, TAKT_KIND_M512}};

	for (size_t i = 0; i < TAKT_COUNT_OF(kinds); i++)
		if (kinds[i].bits == bits)
			return kinds[i].kind;
	return TAKT_KIND_M;
}

static enum takt_operand_kind general_of_bits(unsigned bits)
{
	return bits == 8    ? TAKT_KIND_R8
	       : bits == 16 ? TAKT_KIND_R16
	       : bits == 32 ? TAKT_KIND_R32
			    : TAKT_KIND_R64;
}

/* Return the size of a vector instruction's memory operand if the mnemonic fixes it, else 0. */
static unsigned fixed_memory_bits(const char *name)
{
	static const struct {
		const char *start, *end;
		unsigned bits;
	} sizes[] = {
		{"movlp", "", 64},	 {"movhp", "", 64},	  {"movq", "", 64},
		{"movd", "movd", 32},	 {"insertps", "", 32},	  {"extractps", "", 32},
		{"pinsr", "b", 8},	 {"pinsr", "w", 16},	  {"pinsr", "d", 32},
		{"pinsr", "q", 64},	 {"pextr", "b", 8},	  {"pextr", "w", 16},
		{"pextr", "d", 32},	 {"pextr", "q", 64},	  {"pbroadcast", "b", 8},
		{"pbroadcast", "w", 16}, {"pbroadcast", "d", 32}, {"pbroadcast", "q", 64},
		{"kmov", "b", 8},	 {"kmov", "w", 16},	  {"kmov", "d", 32},
		{"kmov", "q", 64},	 {"", "32x2", 64},	  {"", "128", 128},
		{"", "32x4", 128},	 {"", "64x2", 128},	  {"", "64x4", 256},
		{"", "32x8", 256},	 {"cvtss2", "", 32},	  {"cvtsd2", "", 64},
		{"cvttss2", "", 32},	 {"cvttsd2", "", 64},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(sizes); i++)
		if (takt_string_starts(name, sizes[i].start) &&
		    takt_string_ends(name, sizes[i].end))
			return sizes[i].bits;
	if (*name != 'p' && takt_string_ends(name, "ss"))
		return 32;
	return *name != 'p' && takt_string_ends(name, "sd") ? 64 : 0;
}

/* Return the divisor of memory's size to the widest register's: >1 for conversions of elements. */
static unsigned memory_part(const char *name)
{
	static const struct {
		const char *start, *end;
		unsigned part;
	} parts[] = {
		{"pmovzx", "bw", 2},  {"pmovzx", "wd", 2},  {"pmovzx", "dq", 2},
		{"pmovzx", "bd", 4},  {"pmovzx", "wq", 4},  {"pmovzx", "bq", 8},
		{"pmovsx", "bw", 2},  {"pmovsx", "wd", 2},  {"pmovsx", "dq", 2},
		{"pmovsx", "bd", 4},  {"pmovsx", "wq", 4},  {"pmovsx", "bq", 8},
		{"cvtps2pd", "", 2},  {"cvtdq2pd", "", 2},  {"cvtudq2pd", "", 2},
		{"cvtph2ps", "", 2},  {"cvtps2ph", "", 2},  {"cvtps2qq", "", 2},
		{"cvtps2uqq", "", 2}, {"cvttps2qq", "", 2}, {"cvttps2uqq", "", 2},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(parts); i++)
		if (takt_string_starts(name, parts[i].start) &&
		    takt_string_ends(name, parts[i].end))
			return parts[i].part;
	return 1;
}

static enum takt_operand_kind gather_kind(const struct operand *memory)
{
	const char *index = takt_yaml_text(takt_yaml_get(memory->node, "index"));
	enum takt_operand_kind kind = index ? vector_kind(index) : TAKT_KIND_NONE;

	return kind == TAKT_KIND_XMM   ? TAKT_KIND_MXMM
	       : kind == TAKT_KIND_YMM ? TAKT_KIND_MYMM
	       : kind == TAKT_KIND_ZMM ? TAKT_KIND_MZMM
				       : TAKT_KIND_NONE;
}

static bool is_gather(const char *mnemonic)
{
	return strstr(mnemonic, "gather") || strstr(mnemonic, "scatter");
}

/* Find the kind of the memory operand; NONE if it cannot be known. */
static enum takt_operand_kind memory_kind(const struct entry *entry, const struct operand *memory,
					  unsigned bits)
{
	const char *name = entry->mnemonic;
	unsigned fixed;

	if (is_gather(name))
		return gather_kind(memory);
	if (!entry->vector)
		return memory_of_bits(bits);
	name += *name == 'v';
	fixed = fixed_memory_bits(name);
	if (strcmp(name, "movddup") == 0 && entry->vector == TAKT_KIND_XMM)
		fixed = 64;
	if (fixed)
		return memory_of_bits(fixed);
	if (entry->vector == TAKT_KIND_K)
		return TAKT_KIND_NONE;
	if (entry->vector == TAKT_KIND_MM)
		return TAKT_KIND_M64;
	return memory_of_bits(vector_bits(entry->vector) / memory_part(name));
}

/* ---- forms --------------------------------------------------------------------- */

static void add_form(struct entry *entry, const enum takt_operand_kind *kinds)
{
	const char *error;
	size_t at;
	takt_form_key key = takt_form_parse(&takt_isa_x86, entry->mnemonic, strlen(entry->mnemonic),
					    &at, &error);
	struct takt_form form = takt_form_unpack(key);

	if (!key || entry->form_count == TAKT_OSACA_FORMS_MAX)
		return;
	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++) {
		form.kinds[i] = (uint8_t)kinds[i];
		/* Only a vector instruction's destination is written under a mask. */
		if (i == 0 && entry->operands[0].masked)
			form.flags |= TAKT_FORM_K;
	}
	key = takt_form_pack(&form);
	if (!takt_form_exists(key))
		return;
	for (size_t i = 0; i < entry->form_count; i++)
		if (entry->forms[i] == key)
			return;
	entry->forms[entry->form_count++] = key;
}

/* Say if an entry's address has a part: 1 it has, 2 it has not, 3 either. */
static unsigned part_choice(const struct takt_yaml_node *memory, const char *part)
{
	const char *text = takt_yaml_text(takt_yaml_get(memory, part));

	if (!text)
		return 2;
	if (strcmp(text, "*") == 0)
		return 3;
	if (strcmp(part, "scale") == 0)
		return strcmp(text, "1") == 0 ? 2 : 1;
	return 1;
}

/* Find the kind of an lea address by its parts: base 1, index 2, scale 4, displacement 8. */
static enum takt_operand_kind address_kind(unsigned parts)
{
	static const enum takt_operand_kind kinds[16] = {
		[1] = TAKT_KIND_A_B,	       [1 | 8] = TAKT_KIND_A_BD,
		[1 | 2] = TAKT_KIND_A_BI,      [1 | 2 | 8] = TAKT_KIND_A_BID,
		[2 | 4] = TAKT_KIND_A_ISD,     [2 | 4 | 8] = TAKT_KIND_A_ISD,
		[2] = TAKT_KIND_A_ISD,	       [2 | 8] = TAKT_KIND_A_ISD,
		[1 | 2 | 4] = TAKT_KIND_A_BIS, [1 | 2 | 4 | 8] = TAKT_KIND_A_BISD,
		[8] = TAKT_KIND_A_D,
	};

	return kinds[parts & 15];
}

static void add_addresses(struct entry *entry, enum takt_operand_kind *kinds, unsigned operand)
{
	static const char *const names[] = {"base", "index", "scale", "offset"};
	const struct takt_yaml_node *node = entry->operands[operand].node;
	const char *base = takt_yaml_text(takt_yaml_get(node, "base"));

	if (base && strcmp(base, "rip") == 0) {
		kinds[operand] = TAKT_KIND_A_RIP;
		add_form(entry, kinds);
		return;
	}
	for (unsigned parts = 1; parts < 16; parts++) {
		bool possible = address_kind(parts) != TAKT_KIND_NONE;

		for (unsigned i = 0; possible && i < TAKT_COUNT_OF(names); i++) {
			unsigned choice = part_choice(node, names[i]);

			/* Without an index the scale has no meaning. */
			if (i == 2 && !(parts & 2) && !(parts & 4))
				continue;
			possible = choice & (parts >> i & 1 ? 1 : 2);
		}
		if (!possible)
			continue;
		kinds[operand] = address_kind(parts);
		add_form(entry, kinds);
	}
}

/* Add the forms of movzx and movsx, whose source is narrower than the destination. */
static void add_extensions(struct entry *entry)
{
	static const unsigned pairs[][2] = {{16, 8}, {32, 8}, {64, 8}, {32, 16}, {64, 16}};

	for (size_t i = 0; i < TAKT_COUNT_OF(pairs) && entry->count == 2; i++) {
		enum takt_operand_kind kinds[TAKT_FORM_OPERANDS_MAX] = {
			general_of_bits(pairs[i][0]),
			entry->has_memory ? memory_of_bits(pairs[i][1])
					  : general_of_bits(pairs[i][1]),
		};

		add_form(entry, kinds);
	}
}

static bool add_width(struct entry *entry, unsigned bits)
{
	enum takt_operand_kind kinds[TAKT_FORM_OPERANDS_MAX] = {TAKT_KIND_NONE};
	unsigned address = TAKT_FORM_OPERANDS_MAX;

	for (unsigned i = 0; i < entry->count; i++) {
		const struct operand *operand = &entry->operands[i];

		switch (operand->class) {
		case CLASS_ANY:
			if (entry->vector) {
				kinds[i] = entry->vector;
				break;
			}
			/* fall through */
		case CLASS_GPR:
			kinds[i] = general_of_bits(bits);
			if (i > 0 && i + 1 == entry->count && is_shift(entry->mnemonic))
				kinds[i] = TAKT_KIND_CL;
			break;
		case CLASS_KIND:
			kinds[i] = operand->kind;
			break;
		case CLASS_MEMORY:
			if (strcmp(entry->mnemonic, "lea") == 0)
				address = i;
			else
				kinds[i] = memory_kind(entry, operand, bits);
			if (address != i && kinds[i] == TAKT_KIND_NONE)
				return false;
			break;
		case CLASS_IMMEDIATE:
			kinds[i] = TAKT_KIND_I8; /* other sizes fall back to it */
			break;
		case CLASS_BRANCH:
			kinds[i] = TAKT_KIND_REL;
			break;
		}
	}
	if (entry->count == 1 && is_shift(entry->mnemonic))
		kinds[1] = TAKT_KIND_ONE;
	if (address < TAKT_FORM_OPERANDS_MAX)
		add_addresses(entry, kinds, address);
	else
		add_form(entry, kinds);
	return true;
}

static bool add_widths(struct entry *entry)
{
	unsigned widths = allowed_widths(entry);

	for (unsigned i = 0; i < 4; i++)
		if (widths >> i & 1 && !add_width(entry, 8u << i))
			return false;
	return true;
}

static void use_mask(struct operand *operand)
{
	if (operand->class != CLASS_GPR)
		return;
	operand->class = CLASS_KIND;
	operand->kind = TAKT_KIND_K;
}

/* Add forms with mask registers, which models made from uops.info call gpr: kaddb gpr, gpr, gpr. */
static bool add_with_masks(struct entry entry, size_t *ret_count)
{
	bool known;

	for (unsigned i = 0; i < entry.count; i++)
		use_mask(&entry.operands[i]);
	if (!entry.vector)
		entry.vector = TAKT_KIND_K;
	known = add_widths(&entry);
	*ret_count = entry.form_count;
	return known;
}

/* Add forms with a write mask, which such models have as an operand: vaddpd xmm, gpr, xmm, xmm. */
static bool add_masked(struct entry entry, size_t *ret_count)
{
	bool known;

	if (entry.count < 3 || entry.operands[1].class != CLASS_GPR)
		return true;
	entry.count--;
	memmove(&entry.operands[1], &entry.operands[2],
		(entry.count - 1) * sizeof(entry.operands[0]));
	entry.operands[0].masked = true;
	use_mask(&entry.operands[0]); /* a comparison's destination is a mask register */
	known = add_widths(&entry);
	*ret_count = entry.form_count;
	return known;
}

size_t takt_osaca_forms(const char *mnemonic, const struct takt_yaml_node *operands,
			takt_form_key *ret_forms, const char **ret_reason)
{
	struct entry entry = {.forms = ret_forms};
	bool known;

	*ret_reason = "an operand without a kind in takt";
	if (operands && operands->kind != TAKT_YAML_LIST && takt_yaml_text(operands))
		return 0;
	if (!read_operands(&entry, operands))
		return 0;
	*ret_reason = "an unknown mnemonic";
	if (!read_mnemonic(&entry, mnemonic))
		return 0;
	*ret_reason = "memory of unknown size";
	if (strcmp(entry.mnemonic, "movzx") == 0 || strcmp(entry.mnemonic, "movsx") == 0) {
		add_extensions(&entry);
		*ret_reason = "no such instruction";
		return entry.form_count;
	}
	known = add_widths(&entry);
	if (entry.form_count == 0 && entry.has_gpr && strchr("kv", entry.mnemonic[0])) {
		known |= add_with_masks(entry, &entry.form_count);
		if (entry.form_count == 0)
			known |= add_masked(entry, &entry.form_count);
	}
	if (known)
		*ret_reason = "no such instruction";
	return entry.form_count;
}
