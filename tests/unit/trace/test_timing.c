/* SPDX-License-Identifier: MIT */
/* Steps to pipelines, where there is little to a step; the sanitizers look on. */
#include "import_fixture.h"
#include "takt/takt.h"

static const struct takt_model *the_model(void *context, const char *isa)
{
	(void)isa;
	return context;
}

/* String instructions, of which nobody says what they access. */
static void test_strings(struct takt_model *model)
{
	static const char text[] = "f3aa\n90\nf3a4\n90\nf3aa\n90\n";
	const struct takt_trace_core core = {.model = the_model, .context = model};
	const struct takt_trace_options options = {.core = &core};
	const struct takt_trace_import_options kind = {.kind = TAKT_TRACE_HEX, .isa = "x86-64"};
	struct fixture_file file = fixture_file(text, sizeof(text) - 1);
	struct takt_trace_totals *totals = NULL;

	ok(takt_trace_import(file.path, &options, &kind, NULL, &totals) == TAKT_OK && totals,
	   "a text with rep");
	if (totals) {
		is_int((long long)totals->all.insns, 6, "instructions");
		ok(totals->all.cycles > 0, "cycles");
		takt_trace_totals_free(totals);
	}
	close(file.descriptor);
}

int main(void)
{
	struct takt_model *model;

	if (takt_model_open("SKL", NULL, NULL, &model) != TAKT_OK) {
		printf("Bail out! no core\n");
		return EXIT_FAILURE;
	}
	test_strings(model);
	takt_model_close(model);
	return tap_done();
}
