/* SPDX-License-Identifier: MIT */
/* Lists the processors for which LLVM has scheduling models, by architecture. */
#include <string.h>

#include "isa/llvm.h"
#include "model/image.h"

#define LINE_COLUMNS 96u

struct listing {
	const struct takt_llvm_api *api;
	struct takt_text *text;
	size_t line_start;
	size_t count; /* number of processors */
};

static bool add_processor(void *context, const char *name)
{
	struct listing *listing = context;
	struct takt_text *text = listing->text;

	if (text->size_bytes - listing->line_start + strlen(name) + 1 > LINE_COLUMNS) {
		takt_text_add_string(text, "\n   ");
		listing->line_start = text->size_bytes - 3;
	}
	takt_text_printf(text, " %s", name);
	listing->count++;
	return true;
}

/* Add a line for the architecture if it has processors. */
static bool add_architecture(void *context, const char *name)
{
	struct listing *listing = context;
	size_t start = listing->text->size_bytes, before = listing->count;
	struct takt_text triple = {0};

	listing->line_start = start;
	takt_text_printf(&triple, "%s-unknown-linux-gnu", name);
	takt_text_printf(listing->text, "llvm:%s:", name);
	if (!listing->api->processors(triple.data, add_processor, listing) ||
	    listing->count == before)
		listing->text->size_bytes = start;
	else
		takt_text_add_string(listing->text, "\n");
	takt_text_release(&triple);
	return true;
}

static bool add_name(void *context, const char *name)
{
	takt_text_printf(context, " %s", name);
	return true;
}

/* ---- one processor ------------------------------------------------------------------------ */

struct sought {
	const char *cpu;
	bool found;
};

static bool compare_processor(void *context, const char *name)
{
	struct sought *sought = context;

	sought->found |= takt_string_equal_nocase(name, sought->cpu);
	return !sought->found;
}

bool takt_llvm_find(const char *cpu, struct takt_text *ret_name)
{
	static const char *const architectures[] = {"x86_64", "aarch64", "riscv64"};
	struct takt_diag *diag = takt_diag_new(); /* without its modules, LLVM has no tables */
	union {
		void *address;
		const struct takt_llvm_api *(*entry)(void);
	} symbol = {.address = takt_module_symbol("takt-llvm-any", "takt_llvm_entry", diag)};
	const struct takt_llvm_api *api = symbol.address ? symbol.entry() : NULL;
	struct sought sought = {cpu, false};

	takt_diag_free(diag);
	for (size_t i = 0; api && i < TAKT_COUNT_OF(architectures) && !sought.found; i++) {
		struct takt_text triple = {0};

		takt_text_printf(&triple, "%s-unknown-linux-gnu", architectures[i]);
		api->processors(triple.data, compare_processor, &sought);
		takt_text_release(&triple);
		if (sought.found)
			takt_text_printf(ret_name, "llvm:%s:%s", architectures[i], cpu);
	}
	return sought.found;
}

/* ---- lists -------------------------------------------------------------------------------- */

enum takt_status takt_model_write_llvm_list(const char *architecture, struct takt_diag *diag,
					    struct takt_text *text)
{
	union {
		void *address;
		const struct takt_llvm_api *(*entry)(void);
	} symbol = {.address = takt_module_symbol("takt-llvm-any", "takt_llvm_entry", diag)};
	struct listing listing = {.text = text};
	struct takt_text known = {0};

	if (!symbol.address) {
		takt_note(diag, "install takt with its LLVM modules");
		return TAKT_UNAVAILABLE;
	}
	listing.api = symbol.entry();
	if (architecture)
		add_architecture(&listing, architecture);
	else
		listing.api->architectures(add_architecture, &listing);
	if (listing.count)
		return TAKT_OK;
	listing.api->architectures(add_name, &known);
	takt_error(diag, "LLVM models no processor of '%s'", architecture ? architecture : "any");
	takt_note(diag, "the installed LLVM knows%s", takt_text_data(&known));
	takt_text_release(&known);
	return TAKT_NOT_FOUND;
}
