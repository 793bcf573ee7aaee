/* SPDX-License-Identifier: MIT */
/* Fills what concerns memory in the record: dependences, streams and page aliases. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/work.h"

/* ---- registers at entry -------------------------------------------------------------- */

static uint8_t find_register(const struct takt_isa *isa, const char *name)
{
	bool is_open = isa != &takt_isa_x86 && isa != &takt_isa_aarch64;
	unsigned first = is_open ? TAKT_LOC_OPEN : TAKT_LOC_GPR;
	unsigned end = is_open ? TAKT_LOC_COUNT : TAKT_LOC_HIGH8;

	for (unsigned location = first; location < end; location++)
		if (strcmp(takt_location_name(isa, (uint8_t)location), name) == 0)
			return (uint8_t)location;
	return TAKT_LOC_NONE;
}

static const char *register_examples(const struct takt_isa *isa)
{
	if (isa == &takt_isa_x86)
		return "'rax', 'rdi', 'r8'";
	return isa == &takt_isa_aarch64 ? "'x0', 'x19', 'sp'" : "as 'takt deps' shows them";
}

enum takt_status takt_prepared_read_entry_values(struct takt_prepared *prepared,
						 const struct takt_analysis_options *options,
						 struct takt_arena *arena, struct takt_diag *diag)
{
	const struct takt_isa *isa = prepared->block.isa;

	prepared->entry_value_count = (uint32_t)options->entry_value_count;
	prepared->entry_values =
		TAKT_NEW_ARRAY(arena, options->entry_value_count, struct takt_entry_value);
	for (size_t i = 0; i < options->entry_value_count; i++) {
		const struct takt_register_value *given = &options->entry_values[i];

		prepared->entry_values[i] =
			(struct takt_entry_value){find_register(isa, given->name), given->value};
		if (prepared->entry_values[i].location)
			continue;
		takt_error(diag, "no general register '%s' to have a value at entry", given->name);
		takt_note(diag, "name 64-bit registers: %s", register_examples(isa));
		return TAKT_BAD_INPUT;
	}
	return TAKT_OK;
}

/* ---- the record ------------------------------------------------------------------------ */

static void add_displacement(const struct takt_memory *memory, bool is_first,
			     struct takt_text *text)
{
	int64_t displacement = memory->displacement;

	if (is_first)
		takt_text_printf(text, "0x%" PRIx64, (uint64_t)displacement);
	else if (displacement)
		takt_text_printf(text, "%c%" PRIu64, displacement < 0 ? '-' : '+',
				 displacement < 0 ? 0 - (uint64_t)displacement
						  : (uint64_t)displacement);
}

/* Append an index register. AArch64 writes a lower half that is widened as w1. */
static void add_index(const struct takt_insn *insn, uint8_t location, struct takt_text *text)
{
	const char *name = takt_location_name(insn->isa, location);

	if (takt_insn_addressing(insn).index_size_bytes == sizeof(uint32_t) && name[0] == 'x')
		takt_text_printf(text, "w%s", name + 1);
	else
		takt_text_add_string(text, name);
}

/* Write an address by the registers' values before the instruction: push writes [rsp-8]. */
static const char *write_address(struct takt_work *work, uint32_t insn, uint8_t index)
{
	const struct takt_memory *memory = &work->prepared.block.insns[insn].memories[index];
	const struct takt_isa *isa = work->prepared.block.isa;
	struct takt_text text = {0};

	if (memory->segment)
		takt_text_printf(&text, "%cs:", memory->segment);
	takt_text_add_string(&text, "[");
	if (memory->base)
		takt_text_add_string(&text, takt_location_name(isa, memory->base));
	if (memory->index) {
		takt_text_add_string(&text, memory->base ? "+" : "");
		if (memory->scale > 1)
			takt_text_printf(&text, "%u*", memory->scale);
		add_index(&work->prepared.block.insns[insn], memory->index, &text);
	}
	add_displacement(memory, !memory->base && !memory->index, &text);
	takt_text_add_string(&text, "]");
	return takt_text_move(&text, work->arena);
}

static void fill_dependences(struct takt_work *work)
{
	const struct takt_graph *graph = &work->graph;
	struct takt_memory_dependence *all = TAKT_NEW_ARRAY(work->arena, graph->memory_edge_count,
							    struct takt_memory_dependence);

	for (uint32_t i = 0; i < graph->memory_edge_count; i++) {
		const struct takt_memory_edge *edge = &graph->memory_edges[i];

		all[i] = (struct takt_memory_dependence){
			.from = edge->store,
			.to = edge->load,
			.iterations = edge->iterations,
			.latency_cycles = edge->latency_cycles,
			.overlap = takt_overlap_word((enum takt_overlap)edge->overlap),
			.from_address = write_address(work, edge->store, edge->store_memory),
			.to_address = write_address(work, edge->load, edge->load_memory)};
	}
	work->record->memory_dependences = all;
	work->record->memory_dependence_count = graph->memory_edge_count;
}

static void fill_streams(struct takt_work *work)
{
	const struct takt_memory_dependences *found = &work->graph.memory;
	struct takt_memory_stream *all =
		TAKT_NEW_ARRAY(work->arena, found->stream_count, struct takt_memory_stream);

	for (uint32_t i = 0; i < found->stream_count; i++) {
		const struct takt_stream *stream = &found->streams[i];
		const struct takt_memory *memory =
			&work->prepared.block.insns[stream->insn].memories[stream->memory];

		all[i] = (struct takt_memory_stream){
			.insn = stream->insn,
			.address = write_address(work, stream->insn, stream->memory),
			.size_bytes = memory->size_bytes,
			.loads = memory->read,
			.stores = memory->write,
			.known = stream->known,
			.strided = stream->strided,
			.stride_bytes = stream->stride_bytes,
			.alignment_bytes = stream->alignment_bytes,
			.offset_bytes = stream->offset_bytes,
			.line_crossing_share =
				stream->crossing_known ? stream->crossing_share : NAN};
	}
	work->record->memory_streams = all;
	work->record->memory_stream_count = found->stream_count;
}

static void fill_aliases(struct takt_work *work)
{
	const struct takt_memory_dependences *found = &work->graph.memory;
	struct takt_page_alias *all =
		TAKT_NEW_ARRAY(work->arena, found->alias_count, struct takt_page_alias);

	for (uint32_t i = 0; i < found->alias_count; i++) {
		const struct takt_alias *alias = &found->aliases[i];

		all[i] = (struct takt_page_alias){
			.from = alias->store,
			.to = alias->load,
			.iterations = alias->iterations,
			.from_address = write_address(work, alias->store, alias->store_memory),
			.to_address = write_address(work, alias->load, alias->load_memory)};
	}
	work->record->page_aliases = all;
	work->record->page_alias_count = found->alias_count;
}

static void fill_overwrites(struct takt_work *work)
{
	const struct takt_prepared *prepared = &work->prepared;
	const struct takt_memory_options options = {
		.loop = true, /* in both modes one execution of the block follows another */
		.window_instructions = (uint32_t)takt_model_params(prepared->model)->rob_entries,
		.entry_values = prepared->entry_values,
		.entry_value_count = prepared->entry_value_count,
	};
	struct takt_name_dependences found;
	struct takt_overwrite *all;

	takt_name_dependences_find(&prepared->block, &options, work->scratch, &found);
	all = TAKT_NEW_ARRAY(work->arena, found.count, struct takt_overwrite);
	for (uint32_t i = 0; i < found.count; i++) {
		const struct takt_name_dependence *item = &found.items[i];

		all[i] = (struct takt_overwrite){
			.from = item->from,
			.to = item->to,
			.iterations = item->iterations,
			.kind = item->output ? "WAW" : "WAR",
			.location = item->location ? takt_location_name(prepared->block.isa,
									item->location)
						   : "memory"};
		if (item->location)
			continue;
		all[i].from_address = write_address(work, item->from, item->from_memory);
		all[i].to_address = write_address(work, item->to, item->to_memory);
	}
	work->record->overwrites = all;
	work->record->overwrite_count = found.count;
}

void takt_work_fill_memory(struct takt_work *work)
{
	fill_dependences(work);
	fill_streams(work);
	fill_aliases(work);
	if (work->options->overwrites)
		fill_overwrites(work);
}
