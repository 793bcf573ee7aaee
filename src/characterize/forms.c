/* SPDX-License-Identifier: MIT */
/* Selects the forms to characterize, and the registers of their instances. */
#include <string.h>

#include "characterize/forms.h"

/* ---- scope ---------------------------------------------------------------- */

/* Extensions for operating systems, or with state that is not reset between experiments. */
static const char *const foreign_sets[] = {
	"rtm",	     "xsave",	 "xsavec",    "xsaveopt",
	"xsaves",    "fxsave",	 "fxsave64",  "amd3dnow",
	"svm",	     "vtx",	 "sgx",	      "smx",
	"cet",	     "mpx",	 "keylocker", "keylocker_wide",
	"uintr",     "lwp",	 "pku",	      "rdrand",
	"rdseed",    "waitpkg",	 "monitor",   "monitorx",
	"rdpid",     "amx_tile", "amx_int8",  "amx_bf16",
	"serialize", "ssemxcsr",
};

/* Instructions that clear registers that experiments must keep. */
static const char *const foreign_mnemonics[] = {"vzeroall"};

/*
 * Instructions that wait for others or for time, or read the clock: user code runs them, though the
 * decoder counts most of them as system or serialising instructions.
 */
static const char *const waiting_mnemonics[] = {"cpuid", "lfence", "mfence", "pause",
						"rdtsc", "rdtscp", "sfence"};

/* x87 instructions that empty registers, or load settings that make later ones fault. */
static const char *const x87_state_mnemonics[] = {
	"emms",	  "femms",  "ffree",   "fldcw",	 "fldenv", "fnclex",
	"fninit", "fnsave", "fnstenv", "frstor", "fwait",
};

static bool is_foreign_kind(unsigned kind)
{
	return kind == TAKT_KIND_SREG || kind == TAKT_KIND_CR || kind == TAKT_KIND_DR ||
	       kind == TAKT_KIND_BND || kind == TAKT_KIND_TMM;
}

static bool is_x87(const struct takt_insn *insn)
{
	return insn->flags & TAKT_INSN_X87 || insn->insn_class == TAKT_CLASS_X87;
}

/*
 * Conditional jumps that are not taken while the flags for zero, sign and overflow are clear. Their
 * targets are the next instruction, so that code goes on there in any case.
 */
static const char *const jumps[] = {"je", "jl", "jle", "jo", "js"};

static const char *why_no_branch(const struct takt_insn *insn, const char *mnemonic)
{
	if (takt_string_is_one_of(mnemonic, jumps, TAKT_COUNT_OF(jumps)))
		return NULL;
	return insn->flags & TAKT_INSN_CONDITIONAL && insn->condition >= 0
		       ? "je, jl, jle, jo and js, which are not taken, stand for all conditional "
			 "jumps"
		       : "it leaves the straight code that experiments consist of";
}

static const char *why_no_x87(const struct takt_insn *insn, const char *mnemonic)
{
	if (insn->x87_top_delta)
		return "it moves the x87 stack, and what moves it back would share its ports";
	return takt_string_is_one_of(mnemonic, x87_state_mnemonics,
				     TAKT_COUNT_OF(x87_state_mnemonics))
		       ? "it changes the state of x87 that experiments rely on"
		       : NULL;
}

const char *takt_probe_why_no_form(const struct takt_insn *insn)
{
	struct takt_form form = takt_form_unpack(insn->form);
	const char *mnemonic = takt_mnemonic_text(&takt_isa_x86, form.mnemonic);

	if (takt_string_is_one_of(mnemonic, waiting_mnemonics, TAKT_COUNT_OF(waiting_mnemonics)))
		return NULL;
	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++)
		if (is_foreign_kind(form.kinds[n]))
			return "it has an operand that experiments do not set: a segment, control, "
			       "debug, bound or tile register";
	if (is_x87(insn))
		return why_no_x87(insn, mnemonic);
	if (takt_string_is_one_of(takt_isa_set_name(insn->isa_set), foreign_sets,
				  TAKT_COUNT_OF(foreign_sets)))
		return "it is for systems, or of an extension whose state is not reset between "
		       "experiments";
	if (insn->flags & TAKT_INSN_BRANCH)
		return why_no_branch(insn, mnemonic);
	if (insn->flags & TAKT_INSN_SERIALIZING || insn->insn_class == TAKT_CLASS_SYSTEM)
		return "it is for systems";
	if (insn->flags & TAKT_INSN_ACCESSES_CUT)
		return "it accesses too many registers";
	return takt_string_is_one_of(mnemonic, foreign_mnemonics, TAKT_COUNT_OF(foreign_mnemonics))
		       ? "it clears registers that experiments keep"
		       : NULL;
}

static bool in_scope(const struct takt_insn *insn)
{
	return !takt_probe_why_no_form(insn);
}

static const char *form_text(takt_form_key key, struct takt_arena *arena)
{
	struct takt_text text = {0};

	takt_form_write(&takt_isa_x86, key, &text);
	return takt_text_move(&text, arena);
}

/* Find all forms for which `is_wanted` holds. */
static void find_forms(bool (*is_wanted)(const struct takt_insn *insn), struct takt_arena *arena,
		       struct probe_forms *ret_forms)
{
	size_t sample_count, count = 0;
	const struct takt_sample *samples = takt_samples_find(arena, &sample_count);
	struct probe_form *forms = TAKT_NEW_ARRAY(arena, sample_count, struct probe_form);

	for (size_t i = 0; i < sample_count; i++) {
		struct probe_form *form = &forms[count];

		form->sample = samples[i];
		if (takt_decode(&takt_isa_x86, form->sample.bytes, form->sample.length_bytes, 0,
				&form->insn) != TAKT_OK ||
		    !is_wanted(&form->insn))
			continue;
		form->text = form_text(form->sample.form, arena);
		count++;
	}
	*ret_forms = (struct probe_forms){&takt_isa_x86, forms, count};
}

void takt_probe_forms_find(struct takt_arena *arena, struct probe_forms *ret_forms)
{
	find_forms(in_scope, arena, ret_forms);
}

static bool moves_x87_stack(const struct takt_insn *insn)
{
	return insn->x87_top_delta != 0;
}

void takt_probe_stack_forms_find(struct takt_arena *arena, struct probe_forms *ret_forms)
{
	find_forms(moves_x87_stack, arena, ret_forms);
}

void takt_probe_isa_forms_find(const struct takt_isa *isa, struct takt_arena *arena,
			       struct probe_forms *ret_forms)
{
	if (isa == &takt_isa_aarch64)
		takt_probe_aarch64_forms_find(arena, ret_forms);
	else
		takt_probe_forms_find(arena, ret_forms);
}

bool takt_probe_is_aarch64(const struct probe_form *form)
{
	return takt_form_unpack(form->sample.form).is_foreign;
}

const struct takt_isa *takt_probe_isa(const struct probe_form *form)
{
	return takt_probe_is_aarch64(form) ? &takt_isa_aarch64 : &takt_isa_x86;
}

const struct probe_form *takt_probe_form_of(const struct probe_forms *forms, takt_form_key key)
{
	for (size_t i = 0; i < forms->count; i++)
		if (forms->forms[i].sample.form == key)
			return &forms->forms[i];
	return NULL;
}

const struct probe_form *takt_probe_form_named(const struct probe_forms *forms, const char *text)
{
	const char *error;
	size_t index;
	takt_form_key key = takt_form_parse(forms->isa, text, strlen(text), &index, &error);

	return key ? takt_probe_form_of(forms, key) : NULL;
}

const struct probe_form *takt_probe_plain_form(const struct probe_forms *forms,
					       const struct probe_form *form)
{
	const unsigned others =
		TAKT_FORM_EVEX | TAKT_FORM_K | TAKT_FORM_Z | TAKT_FORM_ER | TAKT_FORM_SAE;
	struct takt_form unpacked = takt_form_unpack(form->sample.form);

	if (!(unpacked.flags & others))
		return NULL;
	unpacked.flags &= (uint16_t)~others;
	return takt_probe_form_of(forms, takt_form_pack(&unpacked));
}

/* ---- operands ------------------------------------------------------------- */

bool takt_probe_has_kind(const struct probe_form *form, unsigned first, unsigned last)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);

	if (unpacked.is_foreign)
		return false;
	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++)
		if (unpacked.kinds[n] >= first && unpacked.kinds[n] <= last)
			return true;
	return false;
}

const struct takt_access *takt_probe_access(const struct probe_form *form, unsigned slot)
{
	for (unsigned i = 0; i < form->insn.access_count; i++)
		if (form->insn.accesses[i].slot == slot &&
		    form->insn.accesses[i].location != TAKT_LOC_NONE)
			return &form->insn.accesses[i];
	return NULL;
}

bool takt_probe_is_jump(const struct probe_form *form)
{
	return form->insn.flags & TAKT_INSN_BRANCH && !takt_probe_is_aarch64(form);
}

bool takt_probe_accesses_flags(const struct probe_form *form, unsigned how)
{
	const struct takt_access *access = takt_probe_access(form, TAKT_SLOT_FLAGS);

	return access && access->flags & how;
}

const struct takt_memory *takt_probe_memory(const struct probe_form *form)
{
	for (unsigned i = 0; i < form->insn.memory_count; i++)
		if (form->insn.memories[i].slot <= TAKT_SLOT_5 &&
		    !form->insn.memories[i].address_only)
			return &form->insn.memories[i];
	return NULL;
}

/* Registers of a bank, by number. */
struct pool {
	uint8_t first_kind, last_kind;
	uint8_t location; /* location of register number 0 */
	uint8_t written_count, read_count;
	uint8_t written[12], read[3];
};

/*
 * No pool has rax, rcx and rdx, which are implicit operands, or rsp. takt_measure() fills seven
 * registers of the x87 stack, of which st(0) is an operand that encodings fix.
 */
static const struct pool pools[] = {
	{TAKT_KIND_R8, TAKT_KIND_R8, TAKT_LOC_GPR, 8, 2, {6, 7, 8, 9, 10, 11, 12, 15}, {3, 5}},
	{TAKT_KIND_R16, TAKT_KIND_R64, TAKT_LOC_GPR, 8, 2, {6, 7, 8, 9, 10, 11, 12, 15}, {3, 5}},
	{TAKT_KIND_MM, TAKT_KIND_MM, TAKT_LOC_X87, 6, 2, {0, 1, 2, 3, 4, 5}, {6, 7}},
	{TAKT_KIND_ST, TAKT_KIND_ST, TAKT_LOC_X87, 5, 1, {1, 2, 3, 4, 5}, {6}},
	{TAKT_KIND_XMM,
	 TAKT_KIND_ZMM,
	 TAKT_LOC_VECTOR,
	 12,
	 3,
	 {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
	 {13, 14, 15}},
	{TAKT_KIND_K, TAKT_KIND_K, TAKT_LOC_MASK, 4, 2, {2, 3, 4, 5}, {6, 7}},
};

/* Pools for forms with ah … bh, which no register that needs REX may accompany. */
static const struct pool rexless_pools[] = {
	{TAKT_KIND_R8, TAKT_KIND_R8, TAKT_LOC_GPR, 2, 1, {2, 1}, {3}},
	{TAKT_KIND_R8H, TAKT_KIND_R8H, TAKT_LOC_HIGH8, 2, 2, {2, 1}, {3, 0}},
	{TAKT_KIND_R16, TAKT_KIND_R32, TAKT_LOC_GPR, 2, 1, {6, 7}, {3}},
};

#define REXLESS_BASE (TAKT_LOC_GPR + 5)

static bool is_rexless(const struct takt_form *form)
{
	return memchr(form->kinds, TAKT_KIND_R8H, sizeof(form->kinds)) != NULL;
}

/* Return the pool of operand `n`; NULL if it is no register, or the encoding fixes it. */
static const struct pool *pool_of(const struct takt_form *form, unsigned n)
{
	bool rexless = is_rexless(form);
	const struct pool *pool = rexless ? rexless_pools : pools;
	size_t count = rexless ? TAKT_COUNT_OF(rexless_pools) : TAKT_COUNT_OF(pools);

	for (size_t i = 0; i < count; i++)
		if (form->kinds[n] >= pool[i].first_kind && form->kinds[n] <= pool[i].last_kind)
			return &pool[i];
	return NULL;
}

bool takt_probe_is_fixed(const struct probe_form *form, const struct takt_access *access)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);

	if (access->flags & TAKT_STACK_ENGINE || access->location == TAKT_LOC_NONE)
		return false;
	if (access->slot <= TAKT_SLOT_5 && unpacked.is_foreign)
		return form->sample.places[access->slot] == TAKT_SAMPLE_NO_PLACE;
	if (access->slot <= TAKT_SLOT_5)
		return !pool_of(&unpacked, access->slot);
	return access->slot >= TAKT_SLOT_FLAGS;
}

bool takt_probe_is_chained(const struct probe_form *form)
{
	for (unsigned i = 0; i < form->insn.access_count; i++) {
		const struct takt_access *access = &form->insn.accesses[i];

		if (access->flags & TAKT_WRITE && access->flags & TAKT_READ &&
		    takt_probe_is_fixed(form, access))
			return true;
	}
	return false;
}

static bool is_written(const struct probe_form *form, unsigned slot)
{
	const struct takt_access *access = takt_probe_access(form, slot);

	return access && access->flags & TAKT_WRITE;
}

/* Count the operands of this pool before operand `end` that are written, or only read. */
static unsigned operands_before(const struct probe_form *form, const struct takt_form *unpacked,
				const struct pool *pool, bool written, unsigned end)
{
	unsigned count = 0;

	for (unsigned n = 0; n < end; n++)
		count += pool_of(unpacked, n) == pool && is_written(form, n) == written;
	return count;
}

#define INSTANCES_MAX 16u

unsigned takt_probe_instances_max(const struct probe_form *form)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);
	unsigned most = INSTANCES_MAX;

	if (unpacked.is_foreign)
		return takt_probe_aarch64_instances_max(form);
	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++) {
		const struct pool *pool = pool_of(&unpacked, n);
		unsigned own;

		if (!pool || !is_written(form, n))
			continue;
		own = operands_before(form, &unpacked, pool, true, TAKT_FORM_OPERANDS_MAX);
		if (pool->written_count / own < most)
			most = pool->written_count / own;
	}
	return most;
}

static uint8_t register_of(const struct probe_form *form, const struct takt_form *unpacked,
			   unsigned n, unsigned index)
{
	const struct pool *pool = pool_of(unpacked, n);
	bool written = is_written(form, n);
	unsigned before, all;

	if (!pool)
		return TAKT_LOC_NONE;
	before = operands_before(form, unpacked, pool, written, n);
	if (!written)
		return (uint8_t)(pool->location + pool->read[before % pool->read_count]);
	all = operands_before(form, unpacked, pool, true, TAKT_FORM_OPERANDS_MAX);
	return (uint8_t)(pool->location +
			 pool->written[(index * all + before) % pool->written_count]);
}

/* Address for operands without registers, where nothing else is. */
#define ABSOLUTE_BASE 0x10000000

static bool is_absolute(const struct probe_form *form)
{
	const struct takt_memory *memory = takt_probe_memory(form);

	return memory && memory->base == TAKT_LOC_NONE && memory->index == TAKT_LOC_NONE &&
	       !memory->rip_relative;
}

void takt_probe_instance(const struct probe_form *form, unsigned index,
			 struct takt_choice *ret_choice)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);
	bool gathers = memchr(unpacked.kinds, TAKT_KIND_MXMM, sizeof(unpacked.kinds)) ||
		       memchr(unpacked.kinds, TAKT_KIND_MYMM, sizeof(unpacked.kinds)) ||
		       memchr(unpacked.kinds, TAKT_KIND_MZMM, sizeof(unpacked.kinds));

	if (unpacked.is_foreign) {
		takt_probe_aarch64_instance(form, index, ret_choice);
		return;
	}
	*ret_choice = (struct takt_choice){
		.mask = TAKT_LOC_MASK + 1,
		.base = is_rexless(&unpacked) ? REXLESS_BASE : PROBE_BASE,
		.index = gathers ? TAKT_LOC_VECTOR : PROBE_INDEX,
		.displacement = (int32_t)(64 * (1 + index % INSTANCES_MAX)),
	};
	if (is_absolute(form))
		ret_choice->displacement += ABSOLUTE_BASE;
	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++)
		ret_choice->registers[n] = register_of(form, &unpacked, n, index);
}

bool takt_probe_same_instance(const struct probe_form *form, unsigned index,
			      struct takt_choice *ret_choice)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);
	uint8_t bytes[TAKT_X86_LENGTH_MAX];
	struct takt_insn insn;
	size_t size;

	takt_probe_instance(form, index, ret_choice);
	if (unpacked.is_foreign)
		return false;
	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++) {
		const struct pool *pool = pool_of(&unpacked, n);

		if (pool)
			ret_choice->registers[n] =
				(uint8_t)(pool->location +
					  pool->written[index % pool->written_count]);
	}
	size = takt_sample_encode(&form->sample, ret_choice, bytes);
	return size && takt_decode(&takt_isa_x86, bytes, size, 0, &insn) == TAKT_OK &&
	       insn.flags & TAKT_INSN_SAME;
}

/* ---- code ----------------------------------------------------------------- */

/* Code of this size is a line of op caches, of which some hold no line that ends with a jump. */
#define LINE_BYTES 32u
#define NOP 0x90

/*
 * Move the end of the code away from where a jump of two bytes would reach the end of a line. The
 * nops are not counted as instructions of the experiment.
 */
static void avoid_line_end(struct probe_code *code)
{
	while (code->size_bytes % LINE_BYTES >= LINE_BYTES - 2)
		code->bytes[code->size_bytes++] = NOP;
}

void takt_probe_code_add(struct probe_code *code, const struct probe_form *form,
			 const struct takt_choice *choice)
{
	size_t size;

	if (code->failed || PROBE_CODE_MAX - code->size_bytes < TAKT_X86_LENGTH_MAX + 2) {
		code->failed = true;
		return;
	}
	if (takt_probe_is_jump(form))
		avoid_line_end(code);
	size = takt_sample_encode(&form->sample, choice, code->bytes + code->size_bytes);
	code->failed = size == 0;
	code->size_bytes += size;
	if (takt_probe_is_jump(form) && size)
		code->bytes[code->size_bytes - 1] = 0; /* the distance to the next instruction */
	code->insn_count++;
}
