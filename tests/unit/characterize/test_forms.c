/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "characterize/lab.h"
#include "model/model.h"
#include "unit/tap.h"

static struct takt_arena arena;
static struct probe_forms forms;

/* Every instance of every form is that form, and written registers differ between instances. */
static void test_instances(void)
{
	size_t bad = 0, shared = 0;

	for (size_t i = 0; i < forms.count; i++) {
		const struct probe_form *form = &forms.forms[i];
		unsigned count = takt_probe_instances_max(form);
		struct probe_code code = {.size_bytes = 0};
		uint32_t seen[TAKT_LOC_COUNT] = {0};

		for (unsigned k = 0; k < count; k++) {
			struct takt_choice choice;

			takt_probe_instance(form, k, &choice);
			takt_probe_code_add(&code, form, &choice);
			for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++) {
				const struct takt_access *access = takt_probe_access(form, n);

				if (access && access->flags & TAKT_WRITE && choice.registers[n])
					shared += seen[choice.registers[n]]++ > 0;
			}
		}
		if (code.failed || code.insn_count != count || count == 0) {
			tap_note("%s: %u of %u", form->text, code.insn_count, count);
			bad++;
		}
	}
	is_int((long long)bad, 0, "forms without all their instances");
	is_int((long long)shared, 0, "registers that two instances write");
}

static size_t supported_count(const char *core)
{
	struct takt_model *model;
	size_t count = 0, sets = 0;
	size_t *by_set = TAKT_NEW_ARRAY(&arena, takt_isa_set_count(), size_t);

	if (takt_model_open(core, NULL, NULL, &model) != TAKT_OK)
		return 0;
	for (size_t i = 0; i < forms.count; i++) {
		if (!takt_model_supports(model, &forms.forms[i].insn))
			continue;
		count++;
		by_set[forms.forms[i].insn.isa_set]++;
	}
	printf("# %s: %zu forms:", core, count);
	for (uint16_t set = 0; set < takt_isa_set_count(); set++)
		if (by_set[set])
			printf("%s %s %zu", sets++ ? "," : "", takt_isa_set_name(set), by_set[set]);
	printf("\n");
	takt_model_close(model);
	return count;
}

static void test_scope(void)
{
	static const char *const out[] = {"fld",    "faddp",   "fldcw", "hlt",
					  "jne",    "call",    "ret",	"enter",
					  "xbegin", "syscall", "wrmsr", "serialize"};
	size_t found = 0;

	for (size_t i = 0; i < forms.count; i++) {
		struct takt_form form = takt_form_unpack(forms.forms[i].sample.form);

		if (takt_string_is_one_of(takt_mnemonic_text(&takt_isa_x86, form.mnemonic), out,
					  TAKT_COUNT_OF(out))) {
			tap_note("%s", forms.forms[i].text);
			found++;
		}
	}
	is_int((long long)found, 0, "forms out of scope");
	ok(supported_count("SKL") > 2500, "forms of a core with AVX2");
	ok(supported_count("SKX") > 8000, "forms of a core with AVX-512");
	ok(supported_count("ZEN3") > 2500, "forms of another core with AVX2");
}

/* Reasons of forms that no chain can be built for, and of forms whose chain takes too long. */
static void test_no_latencies(void)
{
	static const struct {
		const char *form;
		double chained;
		const char *reason;
	} rows[] = {
		{"nop", 0.25, "it reads no register, flag or memory that a chain could write"},
		{"prefetcht0 m8", 1,
		 "it writes no register, flag or memory that a chain could read"},
		{"push r64", 1, "its value is on the stack, at an address that moves"},
		{"rep movsb", 20, "string instructions move their own addresses"},
		{"mov eax, m32", 1, "its address is constant"},
		{"maskmovq mm, mm", 2, "its memory is at an implicit address"},
		{"mov m32, i32", 1, "no instruction leads from what it writes to what it reads"},
		{"add r8h, i8", 1,
		 "only round trips through ah, bh, ch or dh are known, which are variants"},
		{"div r64", 151, "it takes more than 150 cycles in a chain with itself"},
		{"lfence", 4, "it waits for all instructions before it"},
		{"fcom st", 1, "it writes no register, flag or memory that a chain could read"},
		{"cpuid", 100, "it waits for all instructions before it"},
		{"rdtsc", 25, "it reads no register, flag or memory that a chain could write"},
		{"add r64, r64", NAN, "its chains could not be measured"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const struct probe_form *form = takt_probe_form_named(&forms, rows[i].form);

		if (ok(form != NULL, "%s is a form", rows[i].form))
			is_string(takt_probe_why_no_latency(form, rows[i].chained), rows[i].reason,
				  rows[i].form);
	}
}

/* Jumps lead to the next instruction, whatever they depend on. */
static void test_jumps(void)
{
	static const char *const names[] = {"je rel", "jl rel", "jle rel", "jo rel", "js rel"};

	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++) {
		const struct probe_form *form = takt_probe_form_named(&forms, names[i]);
		struct probe_code code = {.size_bytes = 0};
		struct takt_choice choice;
		struct takt_insn insn;

		if (!ok(form && takt_probe_is_jump(form), "%s is a form", names[i]))
			continue;
		takt_probe_instance(form, 0, &choice);
		takt_probe_code_add(&code, form, &choice);
		ok(!code.failed &&
			   takt_decode(&takt_isa_x86, code.bytes, code.size_bytes, 0, &insn) ==
				   TAKT_OK &&
			   insn.branch_target == insn.length_bytes,
		   "it leads to the next instruction");
		is_string(takt_probe_why_no_latency(form, NAN),
			  "it writes no register, flag or memory that a chain could read",
			  "it has no latency");
	}
}

/* Each row of a core's timing file is of a form with experiments, or there is a reason. */
static void test_reasons(void)
{
	static const struct {
		const char *form, *reason;
	} rows[] = {
		{"jne rel", "je, jl, jle, jo and js, which are not taken, stand for all "
			    "conditional jumps"},
		{"jmp rel", "it leaves the straight code that experiments consist of"},
		{"loop rel", "it leaves the straight code that experiments consist of"},
		{"faddp st, st0",
		 "it moves the x87 stack, and what moves it back would share its ports"},
		{"fldcw m16", "it changes the state of x87 that experiments rely on"},
		{"hlt", "it is for systems"},
		{"vzeroall", "it clears registers that experiments keep"},
		{"add r64, r64", NULL},
	};
	size_t count;
	const struct takt_sample *samples = takt_samples_find(&arena, &count);

	for (size_t k = 0; k < TAKT_COUNT_OF(rows); k++) {
		const char *error, *reason = "no such form";
		size_t index;
		takt_form_key key = takt_form_parse(&takt_isa_x86, rows[k].form,
						    strlen(rows[k].form), &index, &error);
		struct takt_insn insn;

		for (size_t i = 0; i < count; i++)
			if (samples[i].form == key &&
			    takt_decode(&takt_isa_x86, samples[i].bytes, samples[i].length_bytes, 0,
					&insn) == TAKT_OK)
				reason = takt_probe_why_no_form(&insn);
		is_string(reason ? reason : "", rows[k].reason ? rows[k].reason : "", rows[k].form);
	}
}

int main(void)
{
	takt_probe_forms_find(&arena, &forms);
	test_jumps();
	test_reasons();
	test_scope();
	test_instances();
	test_no_latencies();
	takt_arena_release(&arena);
	return tap_done();
}
