/* SPDX-License-Identifier: MIT */
/* This machine runs what needs registers or memory to be prepared. Nothing is said of times. */
#include "characterize/lab.h"
#include "unit/tap.h"

/* Absolute addresses, counted strings, pointers of their own, masks, flags from memory. */
static const char *const texts[] = {
	"mov al, m8",	   "mov m64, rax", "rep movsb",
	"repne scasd",	   "leave",	   "xlat",
	"maskmovq mm, mm", "popfq",	   "vmaskmovps xmm, xmm, m128",
};

/* A busy machine is no failure. */
static bool is_noise(const char *reason)
{
	return strcmp(reason, PROBE_BUSY) == 0;
}

static void check_form(struct probe_machine *machine, const struct probe_form *form, bool loop)
{
	struct probe_code code = {.size_bytes = 0};
	struct probe_outcome outcome;
	bool fine;

	takt_probe_add_instances(&code, form, 4);
	fine = machine->run(machine, code.bytes, code.size_bytes, loop, &outcome);
	ok(!code.failed && (fine || is_noise(outcome.reason)), "%s%s: %s", form->text,
	   loop ? " in a loop" : "", outcome.reason);
}

int main(void)
{
	const struct probe_host_options options = {.attempts = 1};
	struct takt_diag *diag = takt_diag_new();
	struct probe_machine *machine;
	struct takt_arena arena = {0};
	struct probe_forms forms;

	if (takt_probe_host_open(&options, diag, &machine) != TAKT_OK) {
		takt_diag_free(diag);
		return tap_skip_all("nothing can be measured here");
	}
	takt_probe_forms_find(&arena, &forms);
	for (size_t i = 0; i < TAKT_COUNT_OF(texts); i++) {
		const char *error;
		size_t index;
		takt_form_key key =
			takt_form_parse(&takt_isa_x86, texts[i], strlen(texts[i]), &index, &error);
		const struct probe_form *form = takt_probe_form_of(&forms, key);

		if (!ok(form != NULL, "%s is in scope", texts[i]) ||
		    !machine->supports(machine, &form->insn))
			continue;
		check_form(machine, form, false);
		if (i == 2)
			check_form(machine, form, true);
	}
	takt_probe_machine_close(machine);
	takt_arena_release(&arena);
	takt_diag_free(diag);
	return tap_done();
}
