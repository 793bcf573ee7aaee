/* SPDX-License-Identifier: MIT */
/*
 * Instruction sets that LLVM alone decodes, and finding a set by name. LLVM's records are used
 * unchanged, except for memory operands: they have little of these, so the text is read.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "isa/functions.h"
#include "isa/llvm.h"

#define NAMES_MAX 4096
#define NEAREST_NAMES_MAX 3

/* ---- decoding --------------------------------------------------------- */

/* Facts that LLVM's tables lack, by the start of the architecture's name. */
static const struct architecture {
	const char *start;
	const char *stack_pointer;
	uint8_t unit_bytes;
} architectures[] = {
	{"riscv", "sp", 2}, {"powerpc", "r1", 4}, {"ppc", "r1", 4},	  {"aarch64", "sp", 4},
	{"mips", "sp", 4},  {"sparc", "sp", 4},	  {"s390x", "r15", 2},	  {"systemz", "r15", 2},
	{"thumb", "sp", 2}, {"arm", "sp", 4},	  {"loongarch", "sp", 4}, {"", "sp", 1},
};

static uint8_t location_of(unsigned llvm_location)
{
	return (uint8_t)(TAKT_LOC_OPEN + llvm_location - 1);
}

_Static_assert(TAKT_LOC_OPEN + TAKT_LLVM_LOCATIONS_MAX < TAKT_LOC_COUNT, "locations fit");

#define REGISTER_BYTES 8u /* assumed for all registers: LLVM does not give their size */

static void add_access(struct takt_insn *insn, unsigned location, unsigned slot, unsigned flags)
{
	takt_insn_add_access(insn, location, slot, flags, REGISTER_BYTES);
}

static void add_register(struct takt_insn *insn, const struct takt_llvm_register *reg,
			 unsigned slot, unsigned flags)
{
	for (unsigned i = 0; i < reg->part_count; i++) {
		unsigned location = location_of(reg->parts[i]);

		if (slot < TAKT_SLOT_IMPLICIT)
			add_access(insn, location, slot, flags);
		else
			add_access(insn, location, TAKT_SLOT_IMPLICIT + location,
				   flags | TAKT_HIDDEN);
	}
}

/* Return the slot of an operand; those beyond the fifth have no slot of their own. */
static unsigned slot_of(unsigned index)
{
	return index < TAKT_FORM_OPERANDS_MAX ? index : TAKT_SLOT_IMPLICIT;
}

static void add_registers(const struct takt_llvm_insn *llvm, struct takt_insn *insn)
{
	for (unsigned i = 0; i < llvm->operand_count; i++) {
		const struct takt_llvm_operand *operand = &llvm->operands[i];
		bool is_tied = !operand->is_definition && operand->tied_to >= 0;

		if (operand->type == TAKT_LLVM_REGISTER)
			add_register(insn, &operand->reg,
				     slot_of(is_tied ? (unsigned)operand->tied_to : i),
				     operand->is_definition ? TAKT_WRITE : TAKT_READ);
	}
	for (unsigned i = 0; i < llvm->implicit_read_count; i++)
		add_register(insn, &llvm->implicit_reads[i], TAKT_SLOT_IMPLICIT, TAKT_READ);
	for (unsigned i = 0; i < llvm->implicit_write_count; i++)
		add_register(insn, &llvm->implicit_writes[i], TAKT_SLOT_IMPLICIT, TAKT_WRITE);
}

/* ---- memory ----------------------------------------------------------- */

/* True if "8(a0)" or "[r1]" in the text names the register at this location. */
static bool is_in_brackets(const struct takt_isa *isa, const struct takt_llvm_insn *llvm,
			   unsigned llvm_location)
{
	const char *name = isa->llvm->location_name(isa->target, (uint16_t)llvm_location);
	const char *open = strpbrk(llvm->text, "([");
	size_t size_bytes = strlen(name);

	if (!open || !*name)
		return false;
	open += strspn(open, "([%$");
	return strncmp(open, name, size_bytes) == 0 && strchr(",)]+- ", open[size_bytes]);
}

/* Return the index of the operand that is the base of the address, or -1. */
static int base_operand(const struct takt_isa *isa, const struct takt_llvm_insn *llvm)
{
	int last = -1, marked = -1;

	for (int i = 0; i < llvm->operand_count; i++) {
		const struct takt_llvm_operand *operand = &llvm->operands[i];

		if (operand->type != TAKT_LLVM_REGISTER || operand->is_definition ||
		    operand->reg.part_count != 1)
			continue;
		if (is_in_brackets(isa, llvm, operand->reg.parts[0]))
			return i;
		if (operand->is_memory && marked < 0)
			marked = i;
		last = i;
	}
	return marked >= 0 ? marked : last;
}

/* Return the bytes that loads and stores of widespread instruction sets access; 0 for others. */
static uint16_t data_bytes(const char *text)
{
	static const struct {
		const char *names;
		uint8_t size_bytes;
	} sizes[] = {
		{" lb lbu sb lbz lbzx lbzu stb stbx stbu ", 1},
		{" lh lhu sh lhz lha lhzx lhax sth sthx sthu flh fsh ", 2},
		{" lw lwu sw flw fsw lwz lwa lwzx lwax lwzu stw stwx stwu lfs lfsx stfs stfsx "
		 "lwsp swsp flwsp fswsp lr.w sc.w ",
		 4},
		{" ld sd fld fsd ldx ldu std stdx stdu lfd lfdx stfd stfdx ldsp sdsp fldsp fsdsp "
		 "lr.d sc.d ",
		 8},
		{" lxv stxv lxvx stxvx lvx stvx lxvd2x stxvd2x ", 16},
	};
	char name[12] = " ";
	size_t length;

	text += takt_string_starts(text, "c.") ? 2 : 0; /* compressed */
	length = strcspn(text, " ");
	if (takt_string_starts(text, "amo")) /* amoadd.w, amoadd.d.aq */
		return strstr(text, ".d") ? 8 : 4;
	if (length > sizeof(name) - 3)
		return 0;
	memcpy(name + 1, text, length);
	name[length + 1] = ' ';
	for (size_t i = 0; i < TAKT_COUNT_OF(sizes); i++)
		if (strstr(sizes[i].names, name))
			return sizes[i].size_bytes;
	return 0;
}

/* True if LLVM does not model the instruction (mtspr, barriers) and assumes all accesses. */
static bool is_unmodeled(const struct takt_llvm_insn *llvm)
{
	const uint32_t all = TAKT_LLVM_LOADS | TAKT_LLVM_STORES | TAKT_LLVM_SIDE_EFFECTS;

	for (unsigned i = 0; i < llvm->operand_count; i++)
		if (llvm->operands[i].is_memory)
			return false;
	return (llvm->flags & all) == all && !strpbrk(llvm->text, "([");
}

static void set_memory(const struct takt_isa *isa, const struct takt_llvm_insn *llvm,
		       struct takt_insn *insn)
{
	int base = base_operand(isa, llvm);
	struct takt_memory memory = {
		.read = llvm->flags & TAKT_LLVM_LOADS,
		.write = llvm->flags & TAKT_LLVM_STORES,
		.address_size_bytes = 8,
		.size_bytes = data_bytes(llvm->text),
	};

	if ((!memory.read && !memory.write) || base < 0 || is_unmodeled(llvm))
		return;
	memory.base = location_of(llvm->operands[base].reg.parts[0]);
	memory.slot = (uint8_t)(base < TAKT_FORM_OPERANDS_MAX ? base : TAKT_SLOT_5);
	for (unsigned i = 0; i < llvm->operand_count; i++) {
		if (llvm->operands[i].type != TAKT_LLVM_IMMEDIATE)
			continue;
		memory.displacement = llvm->operands[i].immediate;
		if (i < TAKT_FORM_OPERANDS_MAX)
			memory.slot = (uint8_t)i;
	}
	add_access(insn, memory.base, slot_of((unsigned)base), TAKT_READ | TAKT_ADDRESS);
	add_access(insn, TAKT_LOC_NONE, memory.slot,
		   (memory.read ? TAKT_READ : 0u) | (memory.write ? TAKT_WRITE : 0u));
	insn->flags |=
		(memory.read ? TAKT_INSN_LOADS : 0u) | (memory.write ? TAKT_INSN_STORES : 0u);
	insn->memories[insn->memory_count++] = memory;
}

/* ---- the functions ---------------------------------------------------- */

static uint32_t flags_of(uint32_t llvm)
{
	return (llvm & TAKT_LLVM_BRANCH ? TAKT_INSN_BRANCH : 0u) |
	       (llvm & TAKT_LLVM_CONDITIONAL ? TAKT_INSN_CONDITIONAL : 0u) |
	       (llvm & TAKT_LLVM_CALL ? TAKT_INSN_CALL : 0u) |
	       (llvm & TAKT_LLVM_RETURN ? TAKT_INSN_RETURN : 0u) |
	       (llvm & TAKT_LLVM_INDIRECT ? TAKT_INSN_INDIRECT : 0u);
}

static bool is_nop(const struct takt_llvm_insn *llvm)
{
	return strcmp(llvm->text, "nop") == 0 || strcmp(llvm->text, "c.nop") == 0;
}

static enum takt_insn_class class_of(const struct takt_llvm_insn *llvm,
				     const struct takt_insn *insn)
{
	if (llvm->flags & TAKT_LLVM_BRANCH)
		return TAKT_CLASS_BRANCH;
	if (insn->memory_count > 0)
		return TAKT_CLASS_MOVE;
	if (insn->flags & TAKT_INSN_NOP)
		return TAKT_CLASS_NOP;
	return llvm->flags & TAKT_LLVM_SIDE_EFFECTS ? TAKT_CLASS_SYSTEM : TAKT_CLASS_INT;
}

static takt_form_key form_of(const struct takt_llvm_insn *llvm)
{
	struct takt_form none = {.is_foreign = true};

	return takt_form_pack(&none) |
	       (uint64_t)(llvm->opcode & 0xffffff) << TAKT_LLVM_OPCODE_SHIFT |
	       (uint64_t)(llvm->scheduling_class & 0xffff) << TAKT_LLVM_CLASS_SHIFT;
}

static enum takt_status decode(const struct takt_isa *isa, const uint8_t *bytes, size_t size_bytes,
			       uint64_t address, struct takt_insn *ret_insn)
{
	struct takt_llvm_insn llvm;

	if (!isa->llvm->decode(isa->target, bytes, size_bytes, address, true, &llvm))
		return TAKT_BAD_INPUT;
	*ret_insn = (struct takt_insn){
		.isa = isa,
		.address = address,
		.bytes = bytes,
		.form = form_of(&llvm),
		.branch_target = llvm.flags & TAKT_LLVM_HAS_TARGET ? llvm.target : 0,
		.flags = flags_of(llvm.flags) | (is_nop(&llvm) ? TAKT_INSN_NOP : 0u),
		.condition = -1,
		.length_bytes = llvm.size_bytes,
	};
	add_registers(&llvm, ret_insn);
	set_memory(isa, &llvm, ret_insn);
	for (unsigned i = 0; i < llvm.operand_count; i++) {
		if (llvm.operands[i].type == TAKT_LLVM_IMMEDIATE) {
			ret_insn->flags |= TAKT_INSN_HAS_IMM;
			ret_insn->immediate = llvm.operands[i].immediate;
		}
	}
	ret_insn->insn_class = (uint8_t)class_of(&llvm, ret_insn);
	return TAKT_OK;
}

static enum takt_flow flow_of(uint32_t flags)
{
	if (!(flags & TAKT_LLVM_BRANCH))
		return flags & TAKT_LLVM_BARRIER ? TAKT_FLOW_STOP : TAKT_FLOW_NEXT;
	if (flags & TAKT_LLVM_CALL)
		return TAKT_FLOW_CALL;
	if (flags & TAKT_LLVM_CONDITIONAL)
		return TAKT_FLOW_BRANCH;
	return flags & TAKT_LLVM_HAS_TARGET ? TAKT_FLOW_JUMP : TAKT_FLOW_STOP;
}

static bool step(const struct takt_isa *isa, const uint8_t *bytes, size_t size_bytes,
		 struct takt_insn_flow *ret_flow)
{
	struct takt_llvm_insn llvm;
	bool has_target;

	if (!isa->llvm->decode(isa->target, bytes, size_bytes, 0, false, &llvm))
		return false;
	has_target = llvm.flags & TAKT_LLVM_HAS_TARGET;
	*ret_flow = (struct takt_insn_flow){
		.length_bytes = llvm.size_bytes,
		.flow = (uint8_t)flow_of(llvm.flags),
		.target = has_target ? (int32_t)(uint32_t)(llvm.target - llvm.size_bytes) : 0,
	};
	return true;
}

static void write(const struct takt_insn *insn, enum takt_syntax syntax, struct takt_text *text)
{
	const struct takt_isa *isa = insn->isa;
	struct takt_llvm_insn llvm;

	(void)syntax; /* always LLVM's syntax */
	takt_text_add_string(text, isa->llvm->decode(isa->target, insn->bytes, insn->length_bytes,
						     insn->address, true, &llvm)
					   ? llvm.text
					   : "(bad)");
}

static const char *location_name(const struct takt_isa *isa, uint8_t location)
{
	const char *name;

	if (location == TAKT_LOC_NONE)
		return "none";
	if (location < TAKT_LOC_OPEN)
		return NULL;
	name = isa->llvm->location_name(isa->target, (uint16_t)(location - TAKT_LOC_OPEN + 1));
	return *name ? name : NULL;
}

static const char *mnemonic_text(uint16_t mnemonic)
{
	(void)mnemonic;
	return NULL;
}

static uint16_t mnemonic_parse(const char *text, size_t size_bytes)
{
	(void)text, (void)size_bytes;
	return 0;
}

static const struct takt_isa_functions llvm_functions = {
	.decode = decode,
	.step = step,
	.write = write,
	.location_name = location_name,
	.mnemonic_text = mnemonic_text,
	.mnemonic_parse = mnemonic_parse,
	.undecodable_note = "if this is data, choose a range or function without it",
};

/* ---- finding ---------------------------------------------------------- */

/* An instruction set that was opened; it lives as long as the process. */
struct opened {
	struct opened *next;
	struct takt_isa isa;
};

struct names {
	struct takt_arena arena;
	const char *list[NAMES_MAX];
	size_t count;
};

static bool add_name(void *context, const char *name)
{
	struct names *names = context;

	if (names->count == NAMES_MAX)
		return false;
	names->list[names->count++] = takt_arena_string(&names->arena, name);
	return true;
}

static void keep_message(void *context, const char *message)
{
	takt_text_add_string(context, message);
}

/* An instruction set that was asked for, and the parts of its name. */
struct asked {
	const char *name, *architecture, *triple, *cpu;
};

/* Report an unknown architecture or processor, with a note of what may have been meant. */
static void report_unknown(const struct takt_llvm_api *api, const struct asked *asked,
			   const char *message, struct takt_diag *diag)
{
	struct names *names = takt_xcalloc(1, sizeof(*names));
	bool is_known = api->processors(asked->triple, add_name, names);
	struct takt_text nearest = {0};

	if (!is_known)
		api->architectures(add_name, names);
	takt_error(diag, "%s: %s", asked->name, message);
	if (takt_nearest_names(is_known ? asked->cpu : asked->architecture, names->list,
			       names->count, NEAREST_NAMES_MAX, &nearest))
		takt_note(diag, "did you mean %s?", takt_text_data(&nearest));
	else
		takt_note(diag, "'takt model list --llvm%s%s' lists what there is",
			  is_known ? "=" : "", is_known ? asked->architecture : "");
	takt_text_release(&nearest);
	takt_arena_release(&names->arena);
	free(names);
}

static uint8_t stack_location(const struct takt_isa *isa, const char *name)
{
	unsigned count = isa->llvm->processor(isa->target)->location_count;

	for (unsigned i = 1; i <= count; i++)
		if (strcmp(isa->llvm->location_name(isa->target, (uint16_t)i), name) == 0)
			return location_of(i);
	return TAKT_LOC_NONE;
}

static struct opened *make_set(const char *name, const char *title, const struct takt_llvm_api *api,
			       struct takt_llvm_target *target)
{
	struct opened *opened = takt_xcalloc(1, sizeof(*opened));
	const struct architecture *known = architectures;

	while (!takt_string_starts(title, known->start))
		known++;
	opened->isa = (struct takt_isa){
		.name = takt_xstrdup(name),
		.title = takt_xstrdup(title),
		.unit_bytes = known->unit_bytes,
		.functions = &llvm_functions,
		.llvm = api,
		.target = target,
	};
	opened->isa.stack_location = stack_location(&opened->isa, known->stack_pointer);
	return opened;
}

/* True if the list, of words between blanks, has this word. */
static bool has_word(const char *list, const char *word, size_t size_bytes)
{
	for (const char *at = strstr(list, " "); at; at = strstr(at + 1, " "))
		if (strncmp(at + 1, word, size_bytes) == 0 && at[1 + size_bytes] == ' ')
			return true;
	return false;
}

const char *takt_llvm_module(const char *name)
{
	static const struct {
		const char *module, *architectures;
	} modules[] = {
		{"takt-llvm-aarch64", " aarch64 aarch64_be arm64 "},
		{"takt-llvm-arm", " arm armeb thumb thumbeb "},
		{"takt-llvm-mips", " mips mipsel mips64 mips64el "},
		{"takt-llvm-powerpc", " powerpc powerpcle powerpc64 powerpc64le "
				      "ppc ppcle ppc32 ppc32le ppc64 ppc64le "},
		{"takt-llvm-riscv", " riscv32 riscv64 "},
		{"takt-llvm-systemz", " s390x systemz "},
	};
	const char *architecture = name + strlen("llvm:");
	size_t size_bytes = strcspn(architecture, "-:");
	struct takt_text path = {0};
	bool found;

	for (size_t i = 0; i < TAKT_COUNT_OF(modules) && size_bytes; i++) {
		if (!has_word(modules[i].architectures, architecture, size_bytes))
			continue;
		/* An LLVM that was built without this target has no such module. */
		found = takt_module_find(modules[i].module, NULL, &path);
		takt_text_release(&path);
		return found ? modules[i].module : "takt-llvm-any";
	}
	return "takt-llvm-any";
}

/* Open the set `name`, "llvm:TRIPLE:CPU"; the triple may be an architecture alone. */
static enum takt_status open_set(const char *name, struct takt_diag *diag,
				 struct opened **ret_opened)
{
	void *symbol = takt_module_symbol(takt_llvm_module(name), "takt_llvm_entry", diag);
	const struct takt_llvm_api *(*entry)(void);
	const struct takt_llvm_api *api;
	struct takt_llvm_target *target;
	struct takt_arena arena = {0};
	struct takt_text message = {0};
	const char *given = name + strlen("llvm:"), *colon = strchr(given, ':');
	const char *cpu = colon ? colon + 1 : "", *triple, *title;

	if (!symbol) {
		takt_note(diag,
			  "install takt with its LLVM modules, and LLVM 19 (Debian: libllvm19)");
		return TAKT_UNAVAILABLE;
	}
	memcpy(&entry, &symbol, sizeof(entry)); /* ISO C has no cast from data to functions */
	api = entry();
	triple = takt_arena_copy(&arena, given, colon ? (size_t)(colon - given) : strlen(given));
	title = takt_arena_copy(&arena, triple, strcspn(triple, "-"));
	if (!strchr(triple, '-'))
		triple = takt_arena_printf(&arena, "%s-unknown-linux-gnu", triple);
	target = api->open(triple, cpu, "", keep_message, &message);
	if (target)
		*ret_opened = make_set(name, title, api, target);
	else
		report_unknown(api, &(const struct asked){name, title, triple, cpu},
			       takt_text_data(&message), diag);
	takt_text_release(&message);
	takt_arena_release(&arena);
	return target ? TAKT_OK : TAKT_NOT_FOUND;
}

/*
 * Find or open a set. Sets are compared by address, so each name has one object, which lives as
 * long as the process: the list of them only grows, like that of LLVM's targets.
 */
static enum takt_status find_set(const char *name, struct takt_diag *diag,
				 const struct takt_isa **ret_isa)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct opened *first;
	enum takt_status status = TAKT_OK;
	struct opened *opened;

	pthread_mutex_lock(&lock);
	for (opened = first; opened && strcmp(opened->isa.name, name) != 0;)
		opened = opened->next;
	if (!opened) {
		status = open_set(name, diag, &opened);
		if (status == TAKT_OK) {
			opened->next = first;
			first = opened;
		}
	}
	pthread_mutex_unlock(&lock);
	if (status == TAKT_OK)
		*ret_isa = &opened->isa;
	return status;
}

enum takt_status takt_isa_find(const char *name, struct takt_diag *diag,
			       const struct takt_isa **ret_isa)
{
	static const struct takt_isa *const sets[] = {&takt_isa_x86, &takt_isa_aarch64};

	for (size_t i = 0; i < TAKT_COUNT_OF(sets); i++) {
		if (strcmp(name, sets[i]->name) == 0) {
			*ret_isa = sets[i];
			return TAKT_OK;
		}
	}
	if (takt_string_starts(name, "llvm:"))
		return find_set(name, diag, ret_isa);
	takt_error(diag, "unknown instruction set '%s'", name);
	takt_note(diag, "there are 'x86-64', 'aarch64' and 'llvm:TRIPLE:CPU'");
	return TAKT_NOT_FOUND;
}

bool takt_isa_is_kin(const struct takt_isa *isa, const struct takt_isa *other)
{
	return isa == other ||
	       (isa->llvm && isa->llvm == other->llvm && strcmp(isa->title, other->title) == 0);
}
