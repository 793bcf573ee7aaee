/* SPDX-License-Identifier: MIT */
/* Decides which blocks may be run, and what they need. */
#include <string.h>

#include "measure/measurer.h"

#define X87_EXTENDED_BYTES 10
#define X87_REGISTERS 8

/* Instructions that user mode forbids, or that change or read segments, traps or other state of the
 * process that a block must leave alone. */
static const char *const forbidden[] = {
	"hlt",	    "in",	"insb",	   "insw",     "insd",	   "out",      "outsb",
	"outsw",    "outsd",	"syscall", "sysret",   "sysenter", "sysexit",  "int",
	"int1",	    "int3",	"into",	   "iret",     "iretd",	   "iretq",    "cli",
	"sti",	    "clts",	"invd",	   "wbinvd",   "wbnoinvd", "invlpg",   "invpcid",
	"lgdt",	    "lidt",	"lldt",	   "ltr",      "lmsw",	   "smsw",     "sgdt",
	"sidt",	    "sldt",	"str",	   "lar",      "lsl",	   "verr",     "verw",
	"rdmsr",    "wrmsr",	"rdpmc",   "rdpru",    "rdfsbase", "rdgsbase", "wrfsbase",
	"wrgsbase", "swapgs",	"xbegin",  "xend",     "xabort",   "xtest",    "wrpkru",
	"rdpkru",   "monitor",	"mwait",   "monitorx", "mwaitx",   "umonitor", "umwait",
	"tpause",   "xsetbv",	"vmcall",  "vmmcall",  "ud0",	   "ud1",      "ud2",
	"lfs",	    "lgs",	"lss",	   "lds",      "les",	   "bound",    "enqcmd",
	"enqcmds",  "senduipi", "clui",	   "stui",     "rsm",	   "getsec",   "ptwrite",
};

/* ISA sets for operating systems, or with state that the harness does not reset. */
static const char *const forbidden_sets[] = {
	"vtx",	  "svm",     "smx",	 "sgx",	      "sgx_enclv",
	"snp",	  "tdx",     "uintr",	 "keylocker", "keylocker_wide",
	"xsave",  "xsavec",  "xsaveopt", "xsaves",    "mcommit",
	"hreset", "pconfig", "pt",	 "lwp",	      "enqcmd",
	"vmfunc", "smap",    "amx_bf16", "amx_int8",  "amx_tile",
};

static bool is_named(const struct takt_form *form, const char *const *names, size_t count)
{
	return takt_string_is_one_of(takt_mnemonic_text(&takt_isa_x86, form->mnemonic), names,
				     count);
}

/* True for instructions that a processor without the feature executes as a nop. */
static bool is_hint(const struct takt_form *form)
{
	return is_named(form, (const char *const[]){"endbr64", "endbr32", "prefetchw"}, 3);
}

static bool loads_system_register(const struct takt_form *form)
{
	for (int i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
		if (form->kinds[i] == TAKT_KIND_CR || form->kinds[i] == TAKT_KIND_DR)
			return true;
	return form->kinds[0] == TAKT_KIND_SREG &&
	       is_named(form, (const char *const[]){"mov", "pop"}, 2);
}

/* True for a conditional jump to the next instruction, which comes next in any case. */
static bool is_neutral_jump(const struct takt_insn *insn)
{
	return insn->flags & TAKT_INSN_CONDITIONAL && insn->condition >= 0 &&
	       insn->branch_target == insn->address + insn->length_bytes;
}

static enum takt_measure_status check_insn(const struct takt_insn *insn)
{
	struct takt_form form = takt_form_unpack(insn->form);
	const char *set = takt_isa_set_name(insn->isa_set);

	if (is_named(&form, forbidden, TAKT_COUNT_OF(forbidden)) ||
	    takt_string_is_one_of(set, forbidden_sets, TAKT_COUNT_OF(forbidden_sets)) ||
	    loads_system_register(&form))
		return TAKT_MEASURE_PRIVILEGED;
	if (insn->flags & TAKT_INSN_BRANCH && !is_neutral_jump(insn))
		return TAKT_MEASURE_CONTROL;
	if (!takt_host_has(set) && !is_hint(&form))
		return TAKT_MEASURE_UNSUPPORTED;
	return TAKT_MEASURE_OK;
}

/* Return the bit of a general register; ah, ch, dh and bh count as the whole register. */
static uint32_t gpr_bit(uint8_t location)
{
	if (takt_location_is_gpr(location))
		return 1u << (location - TAKT_LOC_GPR);
	if (takt_location_is_high8(location))
		return 1u << (location - TAKT_LOC_HIGH8);
	return 0;
}

static bool loads_flags(const struct takt_insn *insn)
{
	struct takt_form form = takt_form_unpack(insn->form);

	return is_named(&form, (const char *const[]){"popf", "popfd", "popfq"}, 3);
}

/* Record segment overrides. They stand among the prefixes, in any order; a REX byte before them is
 * ignored. */
static void note_segments(struct takt_subject *subject, const struct takt_insn *insn)
{
	static const uint8_t prefixes[] = {0xf0, 0xf2, 0xf3, 0x2e, 0x36, 0x3e,
					   0x26, 0x64, 0x65, 0x66, 0x67};

	for (uint32_t i = 0; i < insn->length_bytes; i++) {
		uint8_t byte = insn->bytes[i];

		if ((byte & 0xf0) != 0x40 && !memchr(prefixes, byte, sizeof(prefixes)))
			return;
		subject->fs |= byte == 0x64;
		subject->gs |= byte == 0x65;
	}
}

/* Find the format of the block's floating-point operations, by mnemonics and ISA sets. */
static enum takt_float find_floats(const struct takt_subject *subject)
{
	bool half = false, brain = false, single_precision = false, double_precision = false;

	for (uint32_t i = 0; i < subject->insn_count; i++) {
		struct takt_form form = takt_form_unpack(subject->insns[i].form);
		const char *name = takt_mnemonic_text(&takt_isa_x86, form.mnemonic);
		const char *set = takt_isa_set_name(subject->insns[i].isa_set);

		half |= strstr(set, "fp16") != NULL;
		brain |= strstr(set, "bf16") != NULL;
		single_precision |= takt_string_ends(name, "ps") || takt_string_ends(name, "ss");
		double_precision |= takt_string_ends(name, "pd") || takt_string_ends(name, "sd");
	}
	return half				       ? TAKT_FLOAT_HALF
	       : brain				       ? TAKT_FLOAT_BRAIN
	       : single_precision && !double_precision ? TAKT_FLOAT_SINGLE
						       : TAKT_FLOAT_DOUBLE;
}

static void note_needs(struct takt_subject *subject, const struct takt_insn *insn)
{
	note_segments(subject, insn);
	for (int i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];

		subject->gpr_used |= gpr_bit(access->location);
		if (takt_location_is_mask(access->location))
			subject->masks = true;
		if (!takt_location_is_vector(access->location))
			continue;
		if (access->location >= TAKT_LOC_VECTOR + 16)
			subject->high_vectors = true;
		if (access->size_bytes > subject->vector_bytes)
			subject->vector_bytes = access->size_bytes;
	}
	for (int i = 0; insn->flags & TAKT_INSN_X87 && i < insn->memory_count; i++)
		subject->x87_extended |= insn->memories[i].read &&
					 insn->memories[i].size_bytes == X87_EXTENDED_BYTES;
	if (loads_flags(insn))
		subject->loads_flags = true;
}

/*
 * Return how many registers of the x87 stack to fill: as many as leave room for what the block
 * pushes, since an empty register costs an assist, and so does a stack that overflows.
 */
static uint8_t count_x87_loaded(const struct takt_subject *subject)
{
	int depth = 0, deepest = 1;
	bool used = false;

	for (uint32_t i = 0; i < subject->insn_count; i++) {
		used |= subject->insns[i].flags & TAKT_INSN_X87;
		depth -= subject->insns[i].x87_top_delta;
		if (depth > deepest)
			deepest = depth;
	}
	return used && deepest < X87_REGISTERS ? (uint8_t)(X87_REGISTERS - deepest) : 0;
}

/*
 * Follow values loaded into general registers; true if one of them is part of an address.
 * `loaded` is the mask of the registers that hold such values.
 */
static bool uses_loaded_address(const struct takt_insn *insn, uint32_t *loaded)
{
	uint32_t read = 0, written = 0;
	bool from_memory = false;

	for (int i = 0; i < insn->memory_count; i++) {
		const struct takt_memory *memory = &insn->memories[i];

		if (!memory->address_only &&
		    ((gpr_bit(memory->base) | gpr_bit(memory->index)) & *loaded))
			return true;
		from_memory |= memory->read && !memory->address_only;
	}
	for (int i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];

		if (access->flags & TAKT_STACK_ENGINE)
			continue;
		if (access->flags & TAKT_READ)
			read |= gpr_bit(access->location);
		if (access->flags & TAKT_WRITE)
			written |= gpr_bit(access->location);
	}
	if (from_memory || (read & *loaded))
		*loaded |= written;
	else
		*loaded &= ~written;
	return false;
}

static bool loads_addresses(const struct takt_subject *subject)
{
	uint32_t loaded = 0;

	for (int pass = 0; pass < 2; pass++) /* the second pass is the next iteration */
		for (uint32_t i = 0; i < subject->insn_count; i++)
			if (uses_loaded_address(&subject->insns[i], &loaded))
				return true;
	return false;
}

static void explain(struct takt_text *reason, const struct takt_insn *insn, size_t offset,
		    enum takt_measure_status status)
{
	takt_text_printf(reason, "offset %zu: ", offset);
	takt_insn_write(insn, TAKT_SYNTAX_INTEL, reason);
	if (status == TAKT_MEASURE_UNSUPPORTED)
		takt_text_printf(reason, " (%s)", takt_isa_set_name(insn->isa_set));
}

/* Check that the block's segments can be used: while a block uses gs, fs keeps the address of
 * RESULTS; see child.h. */
static enum takt_measure_status check_segments(const struct takt_subject *subject,
					       struct takt_text *reason)
{
	if (!subject->gs || (!subject->fs && takt_host_can_lend_gs()))
		return TAKT_MEASURE_OK;
	takt_text_add_string(reason, subject->fs ? "uses both segments fs and gs"
						 : "uses segment gs, which cannot be set here");
	return TAKT_MEASURE_UNSUPPORTED;
}

enum takt_measure_status takt_subject_init(const uint8_t *bytes, size_t size_bytes,
					   struct takt_arena *arena, struct takt_text *reason,
					   struct takt_subject *ret_subject)
{
	struct takt_subject *subject = ret_subject;
	enum takt_measure_status status = TAKT_MEASURE_OK;
	size_t offset = 0;

	*subject = (struct takt_subject){.bytes = bytes, .size_bytes = size_bytes};
	subject->insns = TAKT_NEW_ARRAY(arena, size_bytes, struct takt_insn);
	if (size_bytes == 0) {
		takt_text_add_string(reason, "no instructions");
		return TAKT_MEASURE_UNDECODABLE;
	}
	if (!TAKT_HOST_DECODES) {
		subject->gpr_used = UINT32_MAX;
		subject->vector_bytes = 16;
		return TAKT_MEASURE_OK;
	}
	while (offset < size_bytes) {
		struct takt_insn *insn = &subject->insns[subject->insn_count];

		if (takt_decode(&takt_isa_x86, bytes + offset, size_bytes - offset, offset, insn) !=
		    TAKT_OK) {
			if (status == TAKT_MEASURE_OK)
				takt_text_printf(reason, "offset %zu: byte 0x%02x", offset,
						 bytes[offset]);
			return status == TAKT_MEASURE_OK ? TAKT_MEASURE_UNDECODABLE : status;
		}
		subject->insn_count++;
		note_needs(subject, insn);
		if (status == TAKT_MEASURE_OK) {
			status = check_insn(insn);
			if (status != TAKT_MEASURE_OK)
				explain(reason, insn, offset, status);
		}
		offset += insn->length_bytes;
	}
	subject->loads_addresses = loads_addresses(subject);
	subject->floats = find_floats(subject);
	subject->x87_loaded = count_x87_loaded(subject);
	return status == TAKT_MEASURE_OK ? check_segments(subject, reason) : status;
}
