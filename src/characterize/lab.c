/* SPDX-License-Identifier: MIT */
/* Prepares a machine, and runs experiments on it. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/lab.h"

/* Cycles by which a chain may differ from a whole number, absolute and relative. */
#define WHOLE_CYCLES 0.04
#define WHOLE_PART 0.005

static const struct probe_form *find_tool(const struct probe_forms *forms, const char *text)
{
	const char *error;
	size_t index;
	takt_form_key key;

	if (!text)
		return NULL;
	key = takt_form_parse(forms->isa, text, strlen(text), &index, &error);
	assert(key);
	return takt_probe_form_of(forms, key);
}

/* Leave out the forms that the machine lacks. */
static void keep_supported(struct probe_machine *machine, struct takt_arena *arena,
			   struct probe_forms *forms)
{
	struct probe_form *kept = TAKT_NEW_ARRAY(arena, forms->count, struct probe_form);
	size_t count = 0;

	for (size_t i = 0; i < forms->count; i++)
		if (machine->supports(machine, &forms->forms[i].insn))
			kept[count++] = forms->forms[i];
	forms->forms = kept;
	forms->count = count;
}

/* Find the forms that the machine runs, and the tools among them. */
static void find_forms(struct probe_lab *lab)
{
	static const char *const texts[][2] = {
#define X(name, text, aarch64) {text, aarch64},
		PROBE_TOOL_LIST(X)
#undef X
	};
	bool is_aarch64 = lab->machine->isa == &takt_isa_aarch64;
	struct probe_forms stack = {.isa = lab->machine->isa};

	takt_probe_isa_forms_find(lab->machine->isa, &lab->arena, &lab->forms);
	if (!is_aarch64)
		takt_probe_stack_forms_find(&lab->arena, &stack);
	keep_supported(lab->machine, &lab->arena, &lab->forms);
	keep_supported(lab->machine, &lab->arena, &stack);
	for (size_t i = 0; i < PROBE_TOOL_COUNT; i++) {
		lab->tools[i] = find_tool(&lab->forms, texts[i][is_aarch64]);
		if (!lab->tools[i])
			lab->tools[i] = find_tool(&stack, texts[i][is_aarch64]);
	}
}

struct probe_lab *takt_probe_lab_new(struct probe_machine *machine)
{
	struct probe_lab *lab = takt_xcalloc(1, sizeof(*lab));

	lab->machine = machine;
	lab->x = NAN;
	find_forms(lab);
	for (size_t i = 0; i < PROBE_TOOL_COUNT; i++)
		lab->filler_cycles[i] = PROBE_UNKNOWN;
	for (size_t i = 0; i < PROBE_CONVERTERS_MAX; i++)
		lab->round_trips[i][0] = lab->round_trips[i][1] = PROBE_UNKNOWN;
	lab->nop_cycles = lab->decoded_per_cycle = lab->length_change_cycles =
		lab->transition_cycles = PROBE_UNKNOWN;
	for (size_t i = 0; i < PROBE_RESTORES_MAX; i++)
		lab->restore_cycles[i] = PROBE_UNKNOWN;
	return lab;
}

void takt_probe_lab_free(struct probe_lab *lab)
{
	if (!lab)
		return;
	takt_probe_machine_close(lab->machine);
	takt_arena_release(&lab->arena);
	free(lab);
}

/* ---- experiments ---------------------------------------------------------- */

/* Write the instructions; those that repeat the one before are counted. */
static void write_code(const struct probe_lab *lab, const struct probe_code *code,
		       struct takt_text *text)
{
	struct takt_text last = {0}, next = {0};
	unsigned repeats = 0;

	for (size_t at = 0; at < code->size_bytes;) {
		struct takt_insn insn;

		if (takt_decode(lab->machine->isa, code->bytes + at, code->size_bytes - at, at,
				&insn) != TAKT_OK)
			break;
		at += insn.length_bytes;
		takt_text_clear(&next);
		takt_insn_write(&insn, TAKT_SYNTAX_INTEL, &next);
		if (repeats && strcmp(takt_text_data(&next), takt_text_data(&last)) == 0) {
			repeats++;
			continue;
		}
		if (repeats > 1)
			takt_text_printf(text, " ×%u", repeats);
		takt_text_printf(text, "%s%s", repeats ? "; " : "", takt_text_data(&next));
		takt_text_clear(&last);
		takt_text_add_string(&last, takt_text_data(&next));
		repeats = 1;
	}
	if (repeats > 1)
		takt_text_printf(text, " ×%u", repeats);
	takt_text_release(&last);
	takt_text_release(&next);
}

/* Add the experiment to the list of those on the form. */
static void keep_run(const struct probe_lab *lab, const struct probe_code *code, const char *title,
		     const struct probe_outcome *outcome, bool fine)
{
	struct probe_runs *runs = lab->logged;
	struct takt_text text = {0};

	if (lab->log)
		write_code(lab, code, &text);
	TAKT_GROW_IN(runs->arena, runs->list, runs->count + 1, runs->capacity);
	runs->list[runs->count++] = (struct takt_lab_experiment){
		.title = takt_arena_string(runs->arena, title),
		.code = takt_arena_copy(runs->arena, takt_text_data(&text), text.size_bytes),
		.reason = fine ? "" : outcome->reason,
		.cycles = fine ? outcome->cycles : NAN,
		.x = lab->x,
		.instructions = code->insn_count};
	takt_text_release(&text);
}

static void log_run(struct probe_lab *lab, const struct probe_code *code, const char *title,
		    const struct probe_outcome *outcome, bool fine)
{
	if (fine)
		takt_text_printf(lab->log, "%8.2f  %s\n          ", outcome->cycles, title);
	else
		takt_text_printf(lab->log, "       -  %s: %s\n          ", title, outcome->reason);
	write_code(lab, code, lab->log);
	takt_text_add_string(lab->log, "\n");
}

static bool run_once(struct probe_lab *lab, const struct probe_code *code, bool loop,
		     struct probe_outcome *ret_outcome)
{
	lab->runs++;
	return lab->machine->run(lab->machine, code->bytes, code->size_bytes, loop, ret_outcome);
}

/*
 * Repeat an experiment. Other load only adds time, so the least of several different figures is
 * nearest to the truth.
 */
static void repeat(struct probe_lab *lab, const struct probe_code *code, bool loop,
		   struct probe_outcome *outcome)
{
	unsigned different = 1;

	for (unsigned i = 0; i < lab->repeats; i++) {
		struct probe_outcome again;

		if (!run_once(lab, code, loop, &again))
			continue;
		different += again.cycles != outcome->cycles;
		if (again.cycles < outcome->cycles)
			outcome->cycles = again.cycles;
	}
	lab->is_noisy |= different > 1;
	outcome->spread /= different;
}

static bool run(struct probe_lab *lab, const struct probe_code *code, bool loop, const char *title,
		struct probe_outcome *ret_outcome)
{
	bool fine;

	*ret_outcome = (struct probe_outcome){.reason = "no such code"};
	if (code->failed || !code->insn_count)
		return false;
	fine = run_once(lab, code, loop, ret_outcome);
	if (fine && ret_outcome->spread > 0)
		repeat(lab, code, loop, ret_outcome);
	lab->busy_runs += !fine && strcmp(ret_outcome->reason, PROBE_BUSY) == 0;
	if (lab->log)
		log_run(lab, code, title, ret_outcome, fine);
	if (lab->logged)
		keep_run(lab, code, title, ret_outcome, fine);
	return fine;
}

bool takt_probe_run(struct probe_lab *lab, const struct probe_code *code, const char *title,
		    struct probe_outcome *ret_outcome)
{
	return run(lab, code, false, title, ret_outcome);
}

static bool is_whole(double cycles)
{
	return fabs(cycles - round(cycles)) <= fmax(WHOLE_CYCLES, WHOLE_PART * cycles);
}

static double middle(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

bool takt_probe_run_chain(struct probe_lab *lab, const struct probe_code *code, const char *title,
			  struct probe_outcome *ret_outcome)
{
	struct probe_outcome second, third;

	if (!run(lab, code, false, title, ret_outcome))
		return false;
	if (ret_outcome->spread > 0 && !is_whole(ret_outcome->cycles) &&
	    run(lab, code, false, title, &second) && run(lab, code, false, title, &third))
		ret_outcome->cycles = middle(ret_outcome->cycles, second.cycles, third.cycles);
	return true;
}

bool takt_probe_run_loop(struct probe_lab *lab, const struct probe_code *code, const char *title,
			 struct probe_outcome *ret_outcome)
{
	return run(lab, code, true, title, ret_outcome);
}

void takt_probe_add_chosen(const struct probe_lab *lab, struct probe_code *code,
			   enum probe_tool tool, const struct takt_choice *choice)
{
	if (lab->tools[tool])
		takt_probe_code_add(code, lab->tools[tool], choice);
	else
		code->failed = true;
}

void takt_probe_add_tool(const struct probe_lab *lab, struct probe_code *code, enum probe_tool tool,
			 uint8_t first, uint8_t second)
{
	const struct probe_form *form = lab->tools[tool];
	struct takt_choice choice = {.registers = {first, second}};

	/* and x0, x0, x1 */
	if (form && takt_probe_is_aarch64(form) && form->sample.places[2] != TAKT_SAMPLE_NO_PLACE)
		choice = (struct takt_choice){.registers = {first, first, second}};
	takt_probe_add_chosen(lab, code, tool, &choice);
}

void takt_probe_add_direction(const struct probe_lab *lab, struct probe_code *code)
{
	takt_probe_add_tool(lab, code, PROBE_TEST, PROBE_BASE, PROBE_BASE);
	takt_probe_add_tool(lab, code, PROBE_NOP, PROBE_BASE, TAKT_LOC_NONE);
}

void takt_probe_add_x87(const struct probe_lab *lab, struct probe_code *code, enum probe_tool tool,
			uint8_t location)
{
	struct takt_form form;
	struct takt_choice choice = {.registers = {0}};

	if (!lab->tools[tool]) {
		code->failed = true;
		return;
	}
	form = takt_form_unpack(lab->tools[tool]->sample.form);
	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++)
		choice.registers[n] = form.kinds[n] == TAKT_KIND_ST ? location : TAKT_LOC_NONE;
	takt_probe_add_chosen(lab, code, tool, &choice);
}

void takt_probe_add_access(const struct probe_lab *lab, struct probe_code *code,
			   enum probe_tool tool, uint8_t reg, uint8_t base, int32_t displacement)
{
	/* One of the two operands is memory, and uses no register. */
	const struct takt_choice choice = {
		.registers = {reg, reg}, .base = base, .displacement = displacement};

	takt_probe_add_chosen(lab, code, tool, &choice);
}
