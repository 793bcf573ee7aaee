/* SPDX-License-Identifier: MIT */
/* Results of a trace as JSON (docs/formats.md, "Trace result"). */
#include <inttypes.h>
#include <stdio.h>

#include "report/trace.h"

#define SCHEMA "takt-trace-1"

struct writer {
	const struct takt_trace_totals *totals;
	struct takt_json json;
};

static void write_integer(struct writer *writer, const char *key, uint64_t value)
{
	takt_json_integer(&writer->json, key, (int64_t)value);
}

/* Write cycles; null if no core was simulated. */
static void write_cycles(struct writer *writer, const char *key, uint64_t cycles)
{
	if (writer->totals->core)
		write_integer(writer, key, cycles);
	else
		takt_json_null(&writer->json, key);
}

static void write_losses(struct writer *writer, const uint64_t losses[TAKT_TRACE_LOSSES],
			 bool in_row)
{
	if (!writer->totals->core) {
		takt_json_null(&writer->json, "losses");
		return;
	}
	takt_json_open_array(&writer->json, "losses");
	takt_json_compact(&writer->json, true);
	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++)
		write_integer(writer, NULL, losses[i]);
	takt_json_close_array(&writer->json);
	takt_json_compact(&writer->json, in_row);
}

static void write_address(struct writer *writer, const char *key, uint64_t address)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	takt_json_string(&writer->json, key, text);
}

static void write_weight(struct writer *writer, const struct takt_trace_weight *weight, bool in_row)
{
	write_integer(writer, "instructions", weight->insns);
	write_cycles(writer, "cycles", weight->cycles);
	write_losses(writer, weight->losses, in_row);
}

/* ---- totals ---- */

static void write_counts(struct writer *writer, const struct takt_trace_counts *counts, bool in_row)
{
	for (size_t i = 0; i < TAKT_TRACE_FIGURES; i++) {
		const struct takt_trace_figure *figure = &takt_trace_figures[i];

		if (writer->totals->blocks_only && figure->of_accesses)
			takt_json_null(&writer->json, figure->key);
		else
			write_integer(writer, figure->key, takt_trace_figure(counts, i));
	}
	write_cycles(writer, "uops", counts->uops);
	write_cycles(writer, "cycles", counts->cycles);
	write_losses(writer, counts->losses, in_row);
}

/* Write the program with its arguments; null if it is not known. */
static void write_command(const struct takt_trace_totals *totals, struct takt_json *json)
{
	if (!totals->command) {
		takt_json_null(json, "command");
		return;
	}
	takt_json_open_array(json, "command");
	takt_json_compact(json, true);
	for (uint32_t i = 0; i < totals->command_count; i++)
		takt_json_string(json, NULL, totals->command[i]);
	takt_json_close_array(json);
	takt_json_compact(json, false);
}

/* Write the properties that must be equal for figures to be comparable. */
static void write_origin(const struct takt_trace_totals *totals, struct takt_json *json)
{
	struct takt_text digest = {0};

	takt_json_string(json, "takt", totals->version);
	write_command(totals, json);
	takt_json_string(json, "core", totals->core);
	if (totals->core_doubt)
		takt_json_string(json, "core_doubt", totals->core_doubt);
	takt_text_printf(&digest, "%016" PRIx64, totals->core_digest);
	takt_json_string(json, "core_digest", totals->core_digest ? digest.data : NULL);
	takt_text_release(&digest);
	takt_json_string(json, "settings", totals->settings ? totals->settings : "");
	takt_json_bool(json, "blocks_only", totals->blocks_only);
}

static void write_head(struct writer *writer)
{
	struct takt_json *json = &writer->json;

	takt_json_string(json, "schema", SCHEMA);
	takt_json_string(json, "guest", writer->totals->guest);
	write_origin(writer->totals, json);
	takt_json_open_object(json, "units");
	takt_json_string(json, "cycles", "of the core");
	takt_json_string(json, "losses", "cycles");
	takt_json_string(json, "instructions", "completed");
	takt_json_close_object(json);
	takt_json_open_array(json, "loss_names");
	takt_json_compact(json, true);
	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++)
		takt_json_string(json, NULL, takt_trace_loss_name(i));
	takt_json_close_array(json);
	takt_json_compact(json, false);
}

/* Write the instruction at which the program was killed. */
static void write_fault(const struct takt_trace_fault *fault, struct takt_json *json)
{
	if (!fault) {
		takt_json_null(json, "fault");
		return;
	}
	takt_json_open_object(json, "fault");
	takt_json_string(json, "instruction", fault->insn);
	takt_json_string(json, "extension", fault->extension);
	takt_json_string(json, "bytes", fault->bytes);
	takt_json_string(json, "place", fault->place);
	takt_json_bool(json, "lacking", fault->lacking);
	takt_json_close_object(json);
}

static void write_totals(struct writer *writer)
{
	const struct takt_trace_totals *totals = writer->totals;
	struct takt_json *json = &writer->json;

	write_counts(writer, &totals->all, false);
	write_integer(writer, "distinct_blocks", totals->distinct_blocks);
	if (totals->checked_insns)
		write_integer(writer, "checked_instructions", totals->checked_insns);
	else
		takt_json_null(json, "checked_instructions");
	takt_json_integer(json, "exit_status", totals->exit_status);
	takt_json_integer(json, "signal", totals->signal);
	write_fault(totals->fault, json);
	takt_json_bool(json, "became_other", totals->became_other);
	takt_json_integer(json, "processes_not_followed", totals->processes);
	if (totals->unread_path) {
		takt_json_string(json, "unread_path", totals->unread_path);
		takt_json_string(json, "unread_cause", totals->unread_cause);
	}
	if (totals->left_out)
		write_integer(writer, "left_out", totals->left_out);
	if (totals->stopped_by)
		takt_json_integer(json, "stopped_by", totals->stopped_by);
	takt_trace_json_core(totals, json);
	takt_json_open_array(json, "threads");
	for (uint32_t i = 0; i < totals->thread_count; i++) {
		takt_json_open_row(json);
		write_counts(writer, &totals->threads[i], true);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
}

/* ---- the profile ---- */

static void write_functions(struct writer *writer, const struct takt_trace_profile *profile)
{
	struct takt_json *json = &writer->json;

	takt_json_open_array(json, "functions");
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct takt_trace_function *function = &profile->functions[i];

		takt_json_open_row(json);
		takt_json_string(json, "name", function->name);
		takt_json_string(json, "symbol", function->symbol);
		takt_json_string(json, "file", function->file);
		write_address(writer, "address", function->address);
		if (function->size_bytes)
			write_integer(writer, "size_bytes", function->size_bytes);
		else
			takt_json_null(json, "size_bytes");
		write_integer(writer, "calls", function->calls);
		write_weight(writer, &function->self, true);
		write_integer(writer, "total_instructions", function->total_insns);
		write_cycles(writer, "total_cycles", function->total_cycles);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
}

static void write_bytes(struct writer *writer, const struct takt_trace_block *block)
{
	struct takt_text hex = {0};

	takt_text_add_string(&hex, "");
	for (uint32_t i = 0; i < block->size_bytes; i++)
		takt_text_printf(&hex, "%02x", block->bytes[i]);
	takt_json_string(&writer->json, "bytes", hex.data);
	takt_text_release(&hex);
}

static void write_blocks(struct writer *writer, const struct takt_trace_profile *profile)
{
	struct takt_json *json = &writer->json;

	takt_json_open_array(json, "blocks_run");
	for (uint32_t i = 0; i < profile->block_count; i++) {
		const struct takt_trace_block *block = &profile->blocks[i];

		takt_json_open_row(json);
		write_integer(writer, "function", block->function);
		write_integer(writer, "offset", block->offset);
		write_address(writer, "address", block->address);
		write_integer(writer, "length", block->insn_count);
		write_bytes(writer, block);
		write_integer(writer, "executions", block->executions);
		write_weight(writer, &block->weight, true);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
}

static void write_place(struct writer *writer, const char *file, uint32_t line)
{
	takt_json_string(&writer->json, "file", file);
	if (file)
		write_integer(writer, "line", line);
	else
		takt_json_null(&writer->json, "line");
}

static void write_lines(struct writer *writer, const struct takt_trace_profile *profile)
{
	struct takt_json *json = &writer->json;

	takt_json_open_array(json, "lines");
	for (uint32_t i = 0; i < profile->line_count; i++) {
		takt_json_open_row(json);
		write_place(writer, profile->lines[i].file, profile->lines[i].line);
		write_weight(writer, &profile->lines[i].weight, true);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
	takt_json_open_object(json, "no_line");
	write_weight(writer, &profile->no_line, false);
	takt_json_close_object(json);
}

static void write_loops(struct writer *writer, const struct takt_trace_profile *profile)
{
	struct takt_json *json = &writer->json;

	takt_json_open_array(json, "loops");
	for (uint32_t i = 0; i < profile->loop_count; i++) {
		const struct takt_trace_loop *loop = &profile->loops[i];

		takt_json_open_row(json);
		write_integer(writer, "function", loop->function);
		write_integer(writer, "offset", loop->offset);
		write_address(writer, "address", loop->address);
		write_place(writer, loop->file, loop->line);
		write_integer(writer, "depth", loop->depth);
		write_integer(writer, "entries", loop->entries);
		write_integer(writer, "iterations", loop->iterations);
		write_weight(writer, &loop->weight, true);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
}

static void write_regions(struct writer *writer, const struct takt_trace_profile *profile)
{
	struct takt_json *json = &writer->json;

	takt_json_open_array(json, "regions");
	for (uint32_t i = 0; i < profile->region_count; i++) {
		takt_json_open_row(json);
		takt_json_string(json, "name", profile->regions[i].name);
		write_integer(writer, "entries", profile->regions[i].entries);
		write_weight(writer, &profile->regions[i].weight, true);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
}

void takt_write_trace_json(const struct takt_trace_totals *totals, struct takt_text *text)
{
	struct writer writer = {.totals = totals};

	takt_json_init(&writer.json, text);
	takt_json_open_object(&writer.json, NULL);
	write_head(&writer);
	write_totals(&writer);
	if (totals->profile) {
		write_functions(&writer, totals->profile);
		write_blocks(&writer, totals->profile);
		write_lines(&writer, totals->profile);
		write_loops(&writer, totals->profile);
		write_regions(&writer, totals->profile);
	}
	takt_json_close_object(&writer.json);
}
