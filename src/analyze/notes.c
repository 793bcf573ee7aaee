/* SPDX-License-Identifier: MIT */
/* Notes: what the reader must know to trust the figures. */

#include "analyze/work.h"

#define NAMED_FORMS_MAX 4u

static void write_unknown(const struct takt_work *work, struct takt_text *text)
{
	const struct takt_insn *insns = work->prepared.block.insns;
	takt_form_key named[NAMED_FORMS_MAX];
	uint32_t count = 0, names = 0, known;

	for (uint32_t i = 0; i < work->record->insn_count; i++)
		count += work->insns[i].unknown;
	if (!count)
		return;
	takt_text_printf(
		text, "%u of %u %s class defaults (estimated):", count, work->record->insn_count,
		takt_noun(work->record->insn_count, "instruction uses", "instructions use"));
	for (uint32_t i = 0; i < work->record->insn_count; i++) {
		if (!work->insns[i].unknown)
			continue;
		for (known = 0; known < names && named[known] != insns[i].form;)
			known++;
		if (known < names)
			continue;
		if (names == NAMED_FORMS_MAX) {
			takt_text_add_string(text, ", …");
			return;
		}
		takt_text_printf(text, "%s '%s'", names ? "," : "", work->insns[i].form);
		named[names++] = insns[i].form;
	}
}

static void write_unsupported(const struct takt_work *work, struct takt_text *text)
{
	uint32_t count = 0, first = 0;

	for (uint32_t i = work->record->insn_count; i-- > 0;)
		if (!takt_model_supports(work->prepared.model, &work->prepared.block.insns[i])) {
			first = i;
			count++;
		}
	work->record->lacking_count = count;
	if (!count)
		return;
	takt_text_printf(text, "%s lacks the ISA extension of %u %s, first ", work->record->arch,
			 count, takt_noun(count, "instruction", "instructions"));
	takt_work_write_insn(work, first, text);
}

/* Say that loads are not seen to read what stores wrote, if there are both. */
static void write_unfollowed(const struct takt_work *work, struct takt_text *text)
{
	const struct takt_block *block = &work->prepared.block;
	uint32_t flags = 0;

	if (takt_isa_has_operations(block->isa))
		return;
	for (uint32_t i = 0; i < block->count; i++)
		flags |= block->insns[i].flags;
	if (flags & TAKT_INSN_LOADS && flags & TAKT_INSN_STORES)
		takt_text_add_string(text, "addresses are not known on cores of LLVM's: no load is "
					   "taken to read what a store wrote");
}

static void write_branches(const struct takt_work *work, struct takt_text *text)
{
	uint32_t count = work->region->internal_branches;

	if (count)
		takt_text_printf(text, "%u %s taken as not taken", count,
				 takt_noun(count, "branch inside is", "branches inside are"));
}

static void write_calls(const struct takt_work *work, struct takt_text *text)
{
	if (work->region->calls)
		takt_text_printf(text, "%u %s inside: called functions are not counted",
				 work->region->calls,
				 takt_noun(work->region->calls, "call", "calls"));
}

static void write_outer(const struct takt_work *work, struct takt_text *text)
{
	if (work->region->outer)
		takt_text_printf(text,
				 "only this loop was analyzed, not the one around it, at %s; "
				 "--nested analyzes both",
				 work->region->outer);
}

static void write_inner(const struct takt_work *work, struct takt_text *text)
{
	if (work->region->inner_count)
		takt_text_add_string(text, "cycles of the loops inside are added to those of the "
					   "code around them, as if nothing of either ran at the "
					   "same time");
}

static void write_mode(const struct takt_work *work, struct takt_text *text)
{
	if (work->branch_dropped)
		takt_text_add_string(text, "mode unroll: the branch at the end is left out");
}

/* Say why a loop passes the decoders each time although the core has an op cache. */
static void write_uncached(const struct takt_work *work, struct takt_text *text)
{
	static const char *const reasons[] = {
		[TAKT_UNCACHED_BRANCH] =
			"touches the end of 32 bytes, and the op cache keeps no code "
			"with such a branch (Intel's JCC erratum); gcc and clang "
			"avoid it with -Wa,-mbranches-within-32B-boundaries",
		[TAKT_UNCACHED_LENGTH] =
			"begins code whose length-changing prefixes keep it out of "
			"the op cache",
		[TAKT_UNCACHED_LINES] =
			"begins code that needs more lines of the op cache than one "
			"window may have",
	};

	if (work->uncached == TAKT_UNCACHED_NOT)
		return;
	takt_text_add_string(text, "the loop is decoded anew each time: ");
	takt_work_write_insn(work, work->uncached_insn, text);
	takt_text_printf(text, " %s", reasons[work->uncached]);
}

static void write_truncated(const struct takt_work *work, struct takt_text *text)
{
	if (work->record->recurrences_truncated)
		takt_text_printf(
			text, "more recurrences than the %u listed are within %.0f %% of the worst",
			work->record->recurrence_count, 100 * TAKT_NEAR_LIMIT);
}

/* Add the notes on what could not be found in the code. */
static void add_code_notes(struct takt_work *work, struct takt_sentences *notes,
			   struct takt_text *text)
{
	for (size_t i = 0; i < takt_code_note_count(work->code); i++) {
		takt_text_clear(text);
		takt_text_add_string(text, takt_code_note(work->code, i));
		takt_work_add_sentence(work, notes, text);
	}
}

/* Add one note for each source of figures, in order of first use. */
static void add_sources(struct takt_work *work, struct takt_sentences *notes,
			struct takt_text *text)
{
	uint32_t counts[UINT8_MAX + 1] = {0};
	const struct takt_prepared *prepared = &work->prepared;

	for (uint32_t i = 0; i < prepared->block.count; i++)
		counts[prepared->timings[i].source]++;
	for (uint32_t i = 0; i < prepared->block.count; i++) {
		uint8_t source = prepared->timings[i].source;
		const char *name = takt_model_source(prepared->model, source);

		if (counts[source] && *name) {
			takt_text_clear(text);
			takt_text_printf(text, "figures of %u %s: %s", counts[source],
					 takt_noun(counts[source], "instruction", "instructions"),
					 name);
			takt_work_add_sentence(work, notes, text);
		}
		counts[source] = 0;
	}
}

static void write_doubt(const struct takt_work *work, struct takt_text *text)
{
	if (work->record->arch_doubt)
		takt_text_add_string(text, work->record->arch_doubt);
}

void takt_work_fill_notes(struct takt_work *work)
{
	static void (*const writers[])(const struct takt_work *, struct takt_text *) = {
		write_doubt,	write_unknown,	write_unsupported, write_unfollowed,
		write_branches, write_calls,	write_outer,	   write_inner,
		write_mode,	write_uncached, write_truncated,
	};
	struct takt_sentences notes = {0};
	struct takt_text text = {0};

	for (size_t i = 0; i < TAKT_COUNT_OF(writers); i++) {
		takt_text_clear(&text);
		writers[i](work, &text);
		if (text.size_bytes)
			takt_work_add_sentence(work, &notes, &text);
	}
	add_code_notes(work, &notes, &text);
	add_sources(work, &notes, &text);
	takt_text_release(&text);
	work->record->notes = notes.items;
	work->record->note_count = notes.count;
}
