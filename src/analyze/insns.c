/* SPDX-License-Identifier: MIT */
/* Fills the record's instructions: texts, µops, ports, origins. */
#include <inttypes.h>
#include <string.h>

#include "analyze/work.h"

static const char *keep(struct takt_work *work, const struct takt_text *text)
{
	return takt_arena_copy(work->arena, takt_text_data(text), text->size_bytes);
}

/* Fill the cycles that an instruction's share of each load puts on the ports. */
static void fill_ports(const struct takt_work *work, uint32_t index,
		       struct takt_analysis_insn *ret_insn)
{
	const struct takt_prepared *prepared = &work->prepared;
	const struct takt_timing *timing = &prepared->timings[index];
	uint32_t uops = timing->uop_total;

	for (uint32_t k = 0; k < timing->uops_count; k++) {
		uint32_t count = takt_prepared_uop_count(prepared, index, k);
		uint32_t load = takt_prepared_load_index(prepared, timing->uops[k].ports);
		double part;

		uops -= timing->uops[k].count - count;
		if (!count || load == UINT32_MAX)
			continue;
		part = count / (double)prepared->loads[load].count;
		for (uint32_t port = 0; port < TAKT_PORTS_MAX; port++)
			ret_insn->port_cycles[port] +=
				part * work->shares[load * TAKT_PORTS_MAX + port];
	}
	ret_insn->uops = (uint16_t)uops;
}

static void add_remark(struct takt_text *text, bool holds, const char *remark)
{
	if (holds)
		takt_text_printf(text, "%s%s", text->size_bytes ? ", " : "", remark);
}

static const char *remarks(struct takt_work *work, uint32_t index, struct takt_text *text)
{
	const struct takt_prepared *prepared = &work->prepared;
	const struct takt_insn *insn = &prepared->block.insns[index];
	const struct takt_timing *timing = &prepared->timings[index];
	bool last = index + 1 == prepared->block.count;

	takt_text_clear(text);
	add_remark(text, !last && prepared->fused[index + 1], "fused with next");
	add_remark(text, prepared->fused[index], "fused with previous");
	add_remark(text, timing->flags & TAKT_TIMING_ZERO, "zero idiom");
	add_remark(text, timing->flags & TAKT_TIMING_BREAKS, "waits for no source");
	add_remark(text, timing->flags & TAKT_TIMING_ELIM, "done at rename");
	add_remark(text, timing->ms > 0, "microcoded");
	add_remark(text, insn->flags & TAKT_INSN_CALL, "callee not counted");
	add_remark(text, !last && insn->flags & TAKT_INSN_CONDITIONAL, "taken as not taken");
	add_remark(text, !takt_model_supports(prepared->model, insn), "not on this core");
	return text->size_bytes ? keep(work, text) : "";
}

/* Append the user's line, with each run of blanks as one. */
static void add_line(struct takt_text *text, const char *line)
{
	while (*line) {
		size_t word = strcspn(line, " \t"), gap = strspn(line + word, " \t");

		takt_text_add(text, line, word);
		if (gap)
			takt_text_add(text, " ", 1);
		line += word + gap;
	}
}

static void fill_texts(struct takt_work *work, uint32_t index, struct takt_text *text,
		       struct takt_analysis_insn *ret_insn)
{
	const struct takt_insn *insn = &work->prepared.block.insns[index];
	struct takt_source_line line =
		takt_code_line(work->code, work->region_index, insn->address);
	const char *last_file = index ? ret_insn[-1].file : NULL;

	ret_insn->line = line.line;
	if (line.file && last_file && strcmp(line.file, last_file) == 0)
		ret_insn->file = last_file;
	else if (line.file)
		ret_insn->file = takt_arena_string(work->arena, line.file);
	takt_text_clear(text);
	if (line.text)
		add_line(text, line.text);
	else
		takt_insn_write(insn, work->options->print_syntax, text);
	ret_insn->text = keep(work, text);
	takt_text_clear(text);
	takt_form_write(insn->isa, insn->form, text);
	ret_insn->form = keep(work, text);
	ret_insn->note = remarks(work, index, text);
}

/* Copy the bytes of all instructions. */
static void fill_bytes(struct takt_work *work)
{
	const struct takt_block *block = &work->prepared.block;
	size_t size = 0;
	uint8_t *at;

	for (uint32_t i = 0; i < block->count; i++)
		size += block->insns[i].length_bytes;
	work->record->bytes = at = TAKT_NEW_ARRAY(work->arena, size, uint8_t);
	for (uint32_t i = 0; i < block->count; i++) {
		memcpy(at, block->insns[i].bytes, block->insns[i].length_bytes);
		at += block->insns[i].length_bytes;
	}
}

void takt_work_fill_insns(struct takt_work *work)
{
	const struct takt_prepared *prepared = &work->prepared;
	struct takt_analysis *record = work->record;
	struct takt_text text = {0};

	record->insn_count = prepared->block.count;
	work->insns = TAKT_NEW_ARRAY(work->arena, record->insn_count, struct takt_analysis_insn);
	record->insns = work->insns;
	fill_bytes(work);
	for (uint32_t i = 0; i < record->insn_count; i++) {
		const struct takt_timing *timing = &prepared->timings[i];
		struct takt_analysis_insn *insn = &work->insns[i];

		insn->address = prepared->block.insns[i].address;
		insn->length_bytes = prepared->block.insns[i].length_bytes;
		insn->slots = prepared->fused[i] ? 0 : timing->slots;
		insn->origin = (enum takt_origin)timing->origin;
		insn->unknown = timing->match == TAKT_MATCH_DEFAULT;
		fill_ports(work, i, insn);
		fill_texts(work, i, &text, insn);
	}
	takt_text_release(&text);
}

static void write_mnemonic(const struct takt_insn *insn, struct takt_text *text)
{
	struct takt_text whole = {0};

	if (insn->isa == &takt_isa_x86 || insn->isa == &takt_isa_aarch64) {
		takt_text_add_string(
			text, takt_mnemonic_text(insn->isa, takt_form_unpack(insn->form).mnemonic));
		return;
	}
	/*
	 * For other sets the mnemonic is the first word of the text: nobody writes LLVM's opcodes.
	 */
	takt_insn_write(insn, TAKT_SYNTAX_AUTO, &whole);
	takt_text_add(text, takt_text_data(&whole), strcspn(takt_text_data(&whole), " \t"));
	takt_text_release(&whole);
}

void takt_work_write_insn(const struct takt_work *work, uint32_t index, struct takt_text *text)
{
	const struct takt_insn *insn = &work->prepared.block.insns[index];
	uint32_t line = work->insns[index].line;

	write_mnemonic(insn, text);
	if (line)
		takt_text_printf(text, " at line %u", line);
	else
		takt_text_printf(text, " at 0x%" PRIx64, insn->address);
}
