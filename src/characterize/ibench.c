/* SPDX-License-Identifier: MIT */
/*
 * Writes benchmarks for ibench: assembly files, each of which becomes a shared object with a
 * function `double latency(int)`, which runs its loop as often as it is told, and `int ninst`, the
 * number of measured instructions in the loop. NAME-TP.S has independent instances and NAME-LT.S a
 * chain. The names are those that OSACA gives and that `takt model import ibench:FILE` reads: the
 * mnemonic, and a letter for each operand in AT&T order.
 */
#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>

#include "characterize/characterize.h"
#include "characterize/forms.h"

#define NAME_MAX_BYTES 48u /* longer names would not be read back */
#define ROUNDS 4u	   /* of all instances in the loop, so that its end hardly matters */
#define CHAIN_LENGTH 12u

/* ---- scope -------------------------------------------------------------------------- */

static bool is_general(unsigned kind)
{
	return kind >= TAKT_KIND_R8 && kind <= TAKT_KIND_R64 && kind != TAKT_KIND_R8H;
}

/* Return the letter of an operand in ibench's names; NULL if they have none. */
static const char *letter_of(unsigned kind)
{
	if (is_general(kind))
		return "r";
	if (kind >= TAKT_KIND_I8 && kind <= TAKT_KIND_I64)
		return "i";
	if (kind >= TAKT_KIND_M8 && kind <= TAKT_KIND_M512 && kind != TAKT_KIND_M80)
		return "mbo";
	return kind == TAKT_KIND_XMM   ? "x"
	       : kind == TAKT_KIND_YMM ? "y"
	       : kind == TAKT_KIND_ZMM ? "z"
				       : NULL;
}

/* True if the form reads or writes the location, explicitly or not. */
static bool accesses(const struct probe_form *form, uint8_t location)
{
	for (unsigned i = 0; i < form->insn.access_count; i++)
		if (form->insn.accesses[i].location == location)
			return true;
	return false;
}

/* True for instructions of Xeon Phi's first generation, and for one whose result is undefined. */
static bool is_without_assembler(const char *mnemonic, const struct takt_form *form)
{
	static const char *const unknown[] = {"clevict0",     "clevict1",    "vprefetch0",
					      "vprefetch1",   "vprefetch2",  "vprefetche0",
					      "vprefetche1",  "vprefetche2", "vprefetchenta",
					      "vprefetchnta", "delay",	     "spflt"};

	return takt_string_is_one_of(mnemonic, unknown, TAKT_COUNT_OF(unknown)) ||
	       (strcmp(mnemonic, "bswap") == 0 && form->kinds[0] == TAKT_KIND_R16);
}

/* Return why ibench cannot run the form in a loop; NULL if it can. */
static const char *reason_against(const struct probe_form *form)
{
	const unsigned unnamed =
		TAKT_FORM_EVEX | TAKT_FORM_K | TAKT_FORM_Z | TAKT_FORM_ER | TAKT_FORM_SAE;
	struct takt_form unpacked = takt_form_unpack(form->sample.form);
	const char *mnemonic = takt_mnemonic_text(&takt_isa_x86, unpacked.mnemonic);

	if (takt_probe_is_jump(form))
		return "the form is a jump";
	if (unpacked.flags & unnamed)
		return "ibench's names have no masks, roundings and encodings";
	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX && unpacked.kinds[n]; n++)
		if (!letter_of(unpacked.kinds[n]))
			return "ibench's names have no letter for an operand";
	if (!unpacked.kinds[0])
		return "the form has no operands";
	for (unsigned i = 0; i < form->insn.memory_count; i++)
		if (form->insn.memories[i].slot > TAKT_SLOT_5 ||
		    form->insn.memories[i].base == TAKT_LOC_NONE)
			return "the form has an address of its own";
	if (accesses(form, TAKT_LOC_RSP))
		return "the form moves the stack pointer";
	if (strcmp(mnemonic, "div") == 0 || strcmp(mnemonic, "idiv") == 0)
		return "a quotient could become too large";
	if (strcmp(takt_isa_set_name(form->insn.isa_set), "fsgsbase") == 0)
		return "the form moves the thread's own data";
	if (is_without_assembler(mnemonic, &unpacked))
		return "assemblers do not know the form";
	return NULL;
}

/* ---- names -------------------------------------------------------------------------- */

/* Return the AT&T suffix of a form on general registers of one width; "" for all others. */
static const char *suffix_of(const struct takt_form *form)
{
	static const char *const suffixes[] = {[TAKT_KIND_R8] = "b",
					       [TAKT_KIND_R16] = "w",
					       [TAKT_KIND_R32] = "l",
					       [TAKT_KIND_R64] = "q"};
	unsigned width = 0;

	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX && form->kinds[n]; n++) {
		unsigned kind = form->kinds[n];

		kind = kind == TAKT_KIND_M8    ? TAKT_KIND_R8
		       : kind == TAKT_KIND_M16 ? TAKT_KIND_R16
		       : kind == TAKT_KIND_M32 ? TAKT_KIND_R32
		       : kind == TAKT_KIND_M64 ? TAKT_KIND_R64
					       : kind;
		if (letter_of(kind)[0] == 'i')
			continue;
		if (!is_general(kind) || (width && kind != width))
			return "";
		width = kind;
	}
	return width ? suffixes[width] : "";
}

/* Make the name of a form, "addq-i_r"; empty if it is too long. */
static void make_name(const struct probe_form *form, struct takt_text *name)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);
	unsigned count = 0;

	takt_text_clear(name);
	takt_text_printf(name, "%s%s", takt_mnemonic_text(&takt_isa_x86, unpacked.mnemonic),
			 suffix_of(&unpacked));
	while (count < TAKT_FORM_OPERANDS_MAX && unpacked.kinds[count])
		count++;
	for (unsigned n = count; n-- > 0;)
		takt_text_printf(name, "%c%s", n + 1 == count ? '-' : '_',
				 letter_of(unpacked.kinds[n]));
	if (name->size_bytes > NAME_MAX_BYTES)
		takt_text_clear(name);
}

/* ---- code --------------------------------------------------------------------------- */

/* The instances in a loop, as bytes, which the file has as text. */
struct loop {
	const struct probe_form *form;
	struct probe_code code;
};

static bool writes(const struct probe_form *form, unsigned slot)
{
	const struct takt_access *access = takt_probe_access(form, slot);

	return access && access->flags & TAKT_WRITE;
}

static bool reads(const struct probe_form *form, unsigned slot)
{
	const struct takt_access *access = takt_probe_access(form, slot);

	return access && access->flags & TAKT_READ;
}

/* Add independent instances. The last general register is left out: r15 counts the iterations. */
static bool add_instances(struct loop *loop)
{
	unsigned most = takt_probe_instances_max(loop->form);

	if (takt_probe_is_chained(loop->form))
		return false;
	if (most > 1 && takt_probe_has_kind(loop->form, TAKT_KIND_R8, TAKT_KIND_R64))
		most--;
	for (unsigned i = 0; i < ROUNDS * most; i++) {
		struct takt_choice choice;

		takt_probe_instance(loop->form, i % most, &choice);
		takt_probe_code_add(&loop->code, loop->form, &choice);
	}
	return !loop->code.failed;
}

/* Return the register file of an operand: its letter, or 'v' for vectors of all widths. */
static char file_of(unsigned kind)
{
	const char *letter = kind ? letter_of(kind) : NULL;

	return !letter ? '\0' : strchr("xyz", *letter) ? 'v' : *letter;
}

/*
 * Return the operand through which an instance waits for the one before, which writes operand 0:
 * the first that is read, of the same register file. Returns 0 if the form reads what it writes,
 * and -1 if there is none.
 */
static int chained_operand(const struct probe_form *form)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);

	if (takt_probe_is_chained(form) ||
	    (writes(form, 0) && reads(form, 0) && file_of(unpacked.kinds[0]) != 'm'))
		return 0;
	if (!writes(form, 0) || file_of(unpacked.kinds[0]) == 'm')
		return -1;
	for (int n = 1; n < TAKT_FORM_OPERANDS_MAX; n++)
		if (reads(form, (unsigned)n) && unpacked.kinds[n] &&
		    file_of(unpacked.kinds[n]) == file_of(unpacked.kinds[0]))
			return n;
	return -1;
}

/*
 * Add a chain. Two registers take turns, so that no instance is a move to itself, which cores may
 * drop, or an idiom that waits for nothing.
 */
static bool add_chain(struct loop *loop)
{
	int operand = chained_operand(loop->form);
	struct takt_choice choices[2];

	if (operand < 0)
		return false;
	takt_probe_instance(loop->form, 0, &choices[0]);
	choices[1] = choices[0];
	if (operand > 0) {
		takt_probe_instance(loop->form, 1, &choices[1]);
		choices[0].registers[operand] = choices[1].registers[0];
		choices[1].registers[operand] = choices[0].registers[0];
		choices[1].displacement = choices[0].displacement;
	}
	for (unsigned i = 0; i < CHAIN_LENGTH; i++)
		takt_probe_code_add(&loop->code, loop->form, &choices[i % 2]);
	return !loop->code.failed;
}

/* ---- text --------------------------------------------------------------------------- */

/* Write the loop's instructions in Intel's syntax. */
static void write_instructions(const struct loop *loop, struct takt_text *text)
{
	for (size_t at = 0; at < loop->code.size_bytes;) {
		struct takt_insn insn;

		if (takt_decode(&takt_isa_x86, loop->code.bytes + at, loop->code.size_bytes - at, 0,
				&insn) != TAKT_OK)
			return;
		takt_text_add_string(text, "\t");
		takt_insn_write(&insn, TAKT_SYNTAX_INTEL, text);
		takt_text_add_string(text, "\n");
		at += insn.length_bytes;
	}
}

/* Write the comment that names the form, and the number of instructions in the loop. */
static void write_header(const struct loop *loop, bool is_chain, struct takt_text *text)
{
	struct takt_insn first;
	size_t size;

	assert(loop->code.insn_count);
	size = loop->code.size_bytes / loop->code.insn_count;
	if (takt_decode(&takt_isa_x86, loop->code.bytes, loop->code.size_bytes, 0, &first) ==
	    TAKT_OK)
		size = first.length_bytes;
	takt_text_printf(text,
			 "/* %s: %s. Written by takt characterize for ibench; the first\n"
			 " * instruction's bytes are",
			 loop->form->text,
			 is_chain ? "latency, in a chain" : "reciprocal throughput");
	for (size_t i = 0; i < size; i++)
		takt_text_printf(text, " %02x", loop->code.bytes[i]);
	takt_text_printf(text, ". */\n#define NINST %u\n", loop->code.insn_count);
}

/* Return the 64 bits that fill registers and memory: numbers 1.0 of the form's type. */
static const char *one_of(const char *mnemonic)
{
	if (takt_string_ends(mnemonic, "ps") || takt_string_ends(mnemonic, "ss"))
		return "0x3f8000003f800000";
	if (takt_string_ends(mnemonic, "ph") || takt_string_ends(mnemonic, "sh"))
		return "0x3c003c003c003c00";
	return "0x3ff0000000000000";
}

/* Set the vector registers that instances use, in as wide instructions as the form's. */
static void write_vectors(const struct probe_form *form, struct takt_text *text)
{
	bool zmm = takt_probe_has_kind(form, TAKT_KIND_ZMM, TAKT_KIND_ZMM);
	bool ymm = takt_probe_has_kind(form, TAKT_KIND_YMM, TAKT_KIND_YMM);
	const char *mnemonic =
		takt_mnemonic_text(&takt_isa_x86, takt_form_unpack(form->sample.form).mnemonic);

	if (!zmm && !ymm && !takt_probe_has_kind(form, TAKT_KIND_XMM, TAKT_KIND_XMM))
		return;
	for (unsigned i = 0; i < 16; i++)
		takt_text_printf(text, "\t%smovups %cmm%u, [r14]\n", *mnemonic == 'v' ? "v" : "",
				 zmm   ? 'z'
				 : ymm ? 'y'
				       : 'x',
				 i);
}

static void write_prologue(const struct probe_form *form, struct takt_text *text)
{
	static const char *const saved[] = {"rbx", "rbp", "r12", "r13", "r14", "r15"};
	static const char *const ones[] = {"eax", "ebx", "ecx",	 "ebp",	 "esi", "edi",
					   "r8d", "r9d", "r10d", "r11d", "r12d"};
	const char *mnemonic =
		takt_mnemonic_text(&takt_isa_x86, takt_form_unpack(form->sample.form).mnemonic);

	takt_text_printf(
		text,
		"\n\t.intel_syntax noprefix\n\t.globl ninst\n\t.data\n\t.balign 64\nninst:\n"
		"\t.long NINST\n\t.balign 64\n.Lones:\n\t.rept 512\n\t.quad "
		"%s\n\t.endr\n\t.text\n\t.globl latency\n"
		"\t.type latency, @function\n\t.balign 64\nlatency:\n",
		one_of(mnemonic));
	for (size_t i = 0; i < TAKT_COUNT_OF(saved); i++)
		takt_text_printf(text, "\tpush %s\n", saved[i]);
	takt_text_add_string(text, "\tmov r15d, edi\n\tlea r14, [rip + .Lones]\n\txor r13d, r13d\n"
				   "\txor edx, edx\n");
	for (size_t i = 0; i < TAKT_COUNT_OF(ones); i++)
		takt_text_printf(text, "\tmov %s, 1\n", ones[i]);
	write_vectors(form, text);
	takt_text_add_string(text, "\ttest r15d, r15d\n\tjle .Ldone\n\t.balign 64\n.Lloop:\n");
}

static void write_epilogue(const struct probe_form *form, struct takt_text *text)
{
	static const char *const saved[] = {"r15", "r14", "r13", "r12", "rbp", "rbx"};
	bool wide = takt_probe_has_kind(form, TAKT_KIND_YMM, TAKT_KIND_ZMM);

	takt_text_printf(text, "\tsub r15d, 1\n\tjnz .Lloop\n.Ldone:\n%s\tmovq xmm0, [r14]\n",
			 wide ? "\tvzeroupper\n" : "");
	for (size_t i = 0; i < TAKT_COUNT_OF(saved); i++)
		takt_text_printf(text, "\tpop %s\n", saved[i]);
	takt_text_add_string(text, "\tret\n\t.size latency, .-latency\n"
				   "\t.section .note.GNU-stack, \"\", @progbits\n");
}

/* ---- files -------------------------------------------------------------------------- */

struct names {
	const char **list;
	size_t count, capacity;
};

struct writer {
	const struct takt_ibench_options *options;
	struct takt_ibench_result *result;
	struct takt_arena *arena;
	struct names names; /* of the files that exist, without suffix */
	struct takt_diag *diag;
};

static bool is_taken(struct writer *writer, const char *name)
{
	struct names *names = &writer->names;

	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->list[i], name) == 0)
			return true;
	TAKT_GROW_IN(writer->arena, names->list, names->count + 1, names->capacity);
	names->list[names->count++] = takt_arena_string(writer->arena, name);
	return false;
}

static enum takt_status write_file(struct writer *writer, const char *name, bool is_chain,
				   const struct loop *loop)
{
	const char *path =
		takt_arena_printf(writer->arena, "%s/%s-%s.S", writer->options->directory, name,
				  is_chain ? "LT" : "TP");
	struct takt_new_file file;
	struct takt_text text = {0};
	enum takt_status status;

	write_header(loop, is_chain, &text);
	write_prologue(loop->form, &text);
	write_instructions(loop, &text);
	write_epilogue(loop->form, &text);
	status = takt_new_file_open(path, writer->diag, &file);
	if (status == TAKT_OK) {
		errno = 0;
		status = fwrite(text.data, 1, text.size_bytes, file.file) == text.size_bytes
				 ? takt_new_file_close(&file, 0, writer->diag)
				 : takt_new_file_close(&file, errno, writer->diag);
	}
	takt_text_release(&text);
	writer->result->file_count += status == TAKT_OK;
	return status;
}

/* Count a form that has no benchmark by the reason. */
static enum takt_status leave_out(struct writer *writer, const char *reason)
{
	struct takt_ibench_result *result = writer->result;

	for (size_t i = 0; i < result->reason_count; i++)
		if (strcmp(result->reasons[i].reason, reason) == 0) {
			result->reasons[i].count++;
			return TAKT_OK;
		}
	assert(result->reason_count < TAKT_COUNT_OF(result->reasons));
	result->reasons[result->reason_count++] =
		(struct takt_ibench_reason){.reason = reason, .count = 1};
	return TAKT_OK;
}

static enum takt_status write_form(struct writer *writer, const struct probe_form *form)
{
	struct loop instances = {.form = form}, chain = {.form = form};
	const char *reason = reason_against(form);
	enum takt_status status = TAKT_OK;
	bool has_instances, has_chain;
	struct takt_text name = {0};

	if (reason)
		return leave_out(writer, reason);
	has_instances = add_instances(&instances);
	has_chain = add_chain(&chain);
	if (!has_instances && !has_chain)
		return leave_out(writer, "instances neither form a chain nor can be independent");
	make_name(form, &name);
	if (!name.size_bytes) {
		status = leave_out(writer, "the name is too long");
	} else if (is_taken(writer, name.data)) {
		status = leave_out(writer, "another form has the same name");
	} else {
		if (has_instances)
			status = write_file(writer, name.data, false, &instances);
		if (status == TAKT_OK && has_chain)
			status = write_file(writer, name.data, true, &chain);
	}
	takt_text_release(&name);
	return status;
}

static enum takt_status write_one(struct writer *writer, const struct probe_forms *forms)
{
	const struct takt_ibench_options *options = writer->options;
	const struct probe_form *form;
	takt_form_key key;

	if (!takt_probe_form_read(&takt_isa_x86, options->form, writer->diag, &key))
		return TAKT_BAD_INPUT;
	form = takt_probe_form_of(forms, key);
	if (form && (!options->model || takt_model_supports(options->model, &form->insn)))
		return write_form(writer, form);
	takt_probe_form_missing(options->form, key, writer->diag);
	return TAKT_NOT_FOUND;
}

static enum takt_status write_all(struct writer *writer, const struct probe_forms *forms)
{
	const struct takt_ibench_options *options = writer->options;
	size_t wanted = 0;

	for (size_t i = 0; i < forms->count; i++) {
		const struct probe_form *form = &forms->forms[i];
		enum takt_status status;

		if ((options->forms && fnmatch(options->forms, form->text, 0) != 0) ||
		    (options->model && !takt_model_supports(options->model, &form->insn)))
			continue;
		wanted++;
		status = write_form(writer, form);
		if (status != TAKT_OK)
			return status;
	}
	if (wanted)
		return TAKT_OK;
	takt_error(writer->diag, "no form matches '%s'", options->forms ? options->forms : "*");
	takt_note(writer->diag, "forms are written as in timing files: 'vaddpd ymm, ymm, m256'");
	return TAKT_NOT_FOUND;
}

enum takt_status takt_ibench_write(const struct takt_ibench_options *options,
				   struct takt_diag *diag, struct takt_ibench_result *ret_result)
{
	struct takt_ibench_result result = {.file_count = 0};
	struct takt_arena arena;
	struct writer writer = {
		.options = options, .result = &result, .arena = &arena, .diag = diag};
	struct probe_forms forms;
	enum takt_status status;

	if (mkdir(options->directory, 0777) != 0 && errno != EEXIST) {
		takt_error(diag, "cannot make the directory '%s': %s", options->directory,
			   strerror(errno));
		return TAKT_BAD_INPUT;
	}
	takt_arena_init(&arena);
	takt_probe_forms_find(&arena, &forms);
	status = options->form ? write_one(&writer, &forms) : write_all(&writer, &forms);
	takt_arena_release(&arena);
	if (status == TAKT_OK)
		*ret_result = result;
	return status;
}
