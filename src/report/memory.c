/* SPDX-License-Identifier: MIT */
/* Dependences through memory, from the record of an analysis, as text, JSON and CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/format.h"

#define COLUMNS_DEFAULT 100
#define ADDRESS_COLUMNS_MAX 40u
#define TEXT_COLUMNS_LEAST 20u

/* ---- text ------------------------------------------------------------------------------ */

struct printer {
	const struct takt_analysis *analysis;
	struct takt_text *text;
	uint32_t columns;
	uint32_t address_columns; /* width of the widest address */
	bool has_lines;
	bool colour;
};

static void widen(struct printer *printer, const char *address)
{
	uint32_t width = takt_format_width(address);

	if (width > ADDRESS_COLUMNS_MAX)
		width = ADDRESS_COLUMNS_MAX;
	if (width > printer->address_columns)
		printer->address_columns = width;
}

static void measure(struct printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;

	for (uint32_t i = 0; i < analysis->insn_count; i++)
		printer->has_lines |= analysis->insns[i].line != 0;
	for (uint32_t i = 0; i < analysis->memory_stream_count; i++)
		widen(printer, analysis->memory_streams[i].address);
	for (uint32_t i = 0; i < analysis->memory_dependence_count; i++) {
		widen(printer, analysis->memory_dependences[i].from_address);
		widen(printer, analysis->memory_dependences[i].to_address);
	}
}

/* Write the instruction's source line, or else its address. */
static void write_place(const struct printer *printer, uint32_t index)
{
	const struct takt_analysis_insn *insn = &printer->analysis->insns[index];
	char place[TAKT_FIGURE_SIZE];

	if (!printer->has_lines)
		snprintf(place, sizeof(place), "0x%" PRIx64, insn->address);
	else if (insn->line)
		snprintf(place, sizeof(place), "%u", insn->line);
	else
		snprintf(place, sizeof(place), "?");
	takt_text_printf(printer->text, "%8s", place);
}

static void write_address(const struct printer *printer, const char *address)
{
	uint32_t used;

	takt_text_add_string(printer->text, "  ");
	used = takt_format_clean(printer->text, address, printer->address_columns);
	takt_text_pad(printer->text, ' ', printer->address_columns - used);
}

static void write_title(const struct printer *printer, const char *title)
{
	takt_text_add_string(printer->text, "\n");
	takt_format_style(printer->text, TAKT_STYLE_BOLD, printer->colour);
	takt_text_add_string(printer->text, title);
	takt_format_style(printer->text, TAKT_STYLE_PLAIN, printer->colour);
	takt_text_add_string(printer->text, "\n");
}

static void write_pair_header(const struct printer *printer)
{
	const char *place = printer->has_lines ? "line" : "address";
	int columns = (int)printer->address_columns;

	takt_text_printf(printer->text, "%8s  %-*s%8s  %-*s  %5s", place, columns, "store", place,
			 columns, "load", "apart");
}

static void write_pair(const struct printer *printer, uint32_t from, const char *from_address,
		       uint32_t to, const char *to_address, uint32_t iterations)
{
	write_place(printer, from);
	write_address(printer, from_address);
	write_place(printer, to);
	write_address(printer, to_address);
	takt_text_printf(printer->text, "  %5u", iterations);
}

static void write_dependences(const struct printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;

	write_title(printer, "loads that read stored values, by distance in iterations");
	if (!analysis->memory_dependence_count) {
		takt_text_add_string(printer->text, "  none\n");
		return;
	}
	write_pair_header(printer);
	takt_text_add_string(printer->text, "  overlap    cycles\n");
	for (uint32_t i = 0; i < analysis->memory_dependence_count; i++) {
		const struct takt_memory_dependence *dependence = &analysis->memory_dependences[i];
		char cycles[TAKT_FIGURE_SIZE];

		write_pair(printer, dependence->from, dependence->from_address, dependence->to,
			   dependence->to_address, dependence->iterations);
		takt_format_short(cycles, dependence->latency_cycles);
		takt_text_printf(printer->text, "  %-9s  %6s\n", dependence->overlap,
				 *cycles ? cycles : "0");
	}
}

static void write_aliases(const struct printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;

	if (!analysis->page_alias_count)
		return;
	write_title(printer, "loads whose low 12 address bits equal those of a store elsewhere");
	write_pair_header(printer);
	takt_text_add_string(printer->text, "\n");
	for (uint32_t i = 0; i < analysis->page_alias_count; i++) {
		const struct takt_page_alias *alias = &analysis->page_aliases[i];

		write_pair(printer, alias->from, alias->from_address, alias->to, alias->to_address,
			   alias->iterations);
		takt_text_add_string(printer->text, "\n");
	}
}

static const char *access_word(const struct takt_memory_stream *stream)
{
	return !stream->stores ? "load" : stream->loads ? "both" : "store";
}

static void write_stream(const struct printer *printer, const struct takt_memory_stream *stream)
{
	char stride[TAKT_FIGURE_SIZE], crossing[TAKT_FIGURE_SIZE] = "?",
				       lies[TAKT_FIGURE_SIZE] = "?";
	uint32_t used =
		8 + 2 + printer->address_columns + 2 + 6 + 2 + 5 + 2 + 9 + 2 + 9 + 2 + 8 + 2;

	if (!stream->known)
		snprintf(stride, sizeof(stride), "unknown");
	else if (!stream->strided)
		snprintf(stride, sizeof(stride), "varies");
	else
		snprintf(stride, sizeof(stride), "%" PRId64, stream->stride_bytes);
	if (stream->known && stream->offset_bytes)
		snprintf(lies, sizeof(lies), "%u mod %u", stream->offset_bytes,
			 stream->alignment_bytes);
	else if (stream->alignment_bytes > 1)
		snprintf(lies, sizeof(lies), "%u", stream->alignment_bytes);
	if (stream->known && !isnan(stream->line_crossing_share))
		takt_snprintf(crossing, sizeof(crossing), "%.0f %%",
			      100 * stream->line_crossing_share);
	write_place(printer, stream->insn);
	write_address(printer, stream->address);
	takt_text_printf(printer->text, "  %-6s  %5u  %9s  %9s  %8s  ", access_word(stream),
			 stream->size_bytes, stride, lies, crossing);
	takt_format_clean(printer->text, printer->analysis->insns[stream->insn].text,
			  printer->columns > used + TEXT_COLUMNS_LEAST ? printer->columns - used
								       : TEXT_COLUMNS_LEAST);
	takt_text_add_string(printer->text, "\n");
}

static void write_streams(const struct printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;

	if (!analysis->memory_stream_count)
		return;
	write_title(printer, "addresses, in bytes");
	takt_text_printf(printer->text, "%8s  %-*s  %-6s  %5s  %9s  %9s  %8s  %s\n",
			 printer->has_lines ? "line" : "address", (int)printer->address_columns,
			 "operand", "access", "size", "stride", "aligned", "crosses",
			 "instruction");
	for (uint32_t i = 0; i < analysis->memory_stream_count; i++)
		write_stream(printer, &analysis->memory_streams[i]);
}

void takt_write_memory_text(const struct takt_analysis *analysis,
			    const struct takt_write_options *options, struct takt_text *text)
{
	struct printer printer = {.analysis = analysis,
				  .text = text,
				  .columns = options && options->columns ? options->columns
									 : COLUMNS_DEFAULT,
				  .address_columns = takt_format_width("operand"),
				  .colour = options && options->colour};

	measure(&printer);
	takt_format_clean(text, analysis->region_name, printer.columns);
	takt_text_printf(text, " on %s (%s)\n", analysis->arch, analysis->arch_title);
	if (analysis->arch_doubt)
		takt_text_printf(text, "note: %s\n", analysis->arch_doubt);
	write_dependences(&printer);
	write_aliases(&printer);
	write_streams(&printer);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void write_json_pair(struct takt_json *json, uint32_t from, const char *from_address,
			    uint32_t to, const char *to_address, uint32_t iterations)
{
	takt_json_integer(json, "from", from);
	takt_json_string(json, "from_address", from_address);
	takt_json_integer(json, "to", to);
	takt_json_string(json, "to_address", to_address);
	takt_json_integer(json, "iterations", iterations);
}

static void write_json_stream(struct takt_json *json, const struct takt_memory_stream *stream)
{
	takt_json_open_row(json);
	takt_json_integer(json, "instruction", stream->insn);
	takt_json_string(json, "address", stream->address);
	takt_json_bool(json, "loads", stream->loads);
	takt_json_bool(json, "stores", stream->stores);
	takt_json_integer(json, "size", stream->size_bytes);
	takt_json_bool(json, "known", stream->known);
	if (stream->strided)
		takt_json_integer(json, "stride", stream->stride_bytes);
	else
		takt_json_null(json, "stride");
	takt_json_integer(json, "alignment", stream->alignment_bytes);
	takt_json_integer(json, "offset", stream->offset_bytes);
	takt_json_number(json, "line_crossing", stream->known ? stream->line_crossing_share : NAN);
	takt_json_close_row(json);
}

static void write_json_instructions(struct takt_json *json, const struct takt_analysis *analysis)
{
	takt_json_open_array(json, "instructions");
	for (uint32_t i = 0; i < analysis->insn_count; i++) {
		takt_json_open_row(json);
		takt_json_integer(json, "address", (int64_t)analysis->insns[i].address);
		if (analysis->insns[i].line)
			takt_json_integer(json, "line", analysis->insns[i].line);
		takt_json_string(json, "text", analysis->insns[i].text);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
}

void takt_write_memory_json(const struct takt_analysis *analysis, struct takt_text *text)
{
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_json_string(&json, "version", TAKT_VERSION);
	takt_json_string(&json, "arch", analysis->arch);
	if (analysis->arch_doubt)
		takt_json_string(&json, "arch_doubt", analysis->arch_doubt);
	takt_json_string(&json, "isa", analysis->isa);
	takt_json_string(&json, "region", analysis->region_name);
	write_json_instructions(&json, analysis);
	takt_json_open_array(&json, "memory_dependences");
	for (uint32_t i = 0; i < analysis->memory_dependence_count; i++) {
		const struct takt_memory_dependence *dependence = &analysis->memory_dependences[i];

		takt_json_open_row(&json);
		write_json_pair(&json, dependence->from, dependence->from_address, dependence->to,
				dependence->to_address, dependence->iterations);
		takt_json_string(&json, "overlap", dependence->overlap);
		takt_json_number(&json, "latency", dependence->latency_cycles);
		takt_json_close_row(&json);
	}
	takt_json_close_array(&json);
	takt_json_open_array(&json, "page_aliases");
	for (uint32_t i = 0; i < analysis->page_alias_count; i++) {
		const struct takt_page_alias *alias = &analysis->page_aliases[i];

		takt_json_open_row(&json);
		write_json_pair(&json, alias->from, alias->from_address, alias->to,
				alias->to_address, alias->iterations);
		takt_json_close_row(&json);
	}
	takt_json_close_array(&json);
	takt_json_open_array(&json, "streams");
	for (uint32_t i = 0; i < analysis->memory_stream_count; i++)
		write_json_stream(&json, &analysis->memory_streams[i]);
	takt_json_close_array(&json);
	takt_json_close_object(&json);
}

/* ---- CSV ----------------------------------------------------------------------------------- */

/* Write a field in quotes, with the quotes in it doubled. */
static void write_quoted(struct takt_text *text, const char *string)
{
	takt_text_add_string(text, "\"");
	for (; *string; string++)
		takt_text_printf(text, *string == '"' ? "\"\"" : "%c", *string);
	takt_text_add_string(text, "\"");
}

static void open_csv_row(const struct takt_analysis *analysis, const char *kind,
			 struct takt_text *text)
{
	takt_text_printf(text, "%s,", kind);
	write_quoted(text, analysis->region_name);
}

static void write_csv_stream(const struct takt_memory_stream *stream, struct takt_text *text)
{
	if (stream->stores)
		takt_text_printf(text, ",%u,%s", stream->insn, stream->address);
	else
		takt_text_add_string(text, ",,");
	if (stream->loads)
		takt_text_printf(text, ",%u,%s", stream->insn, stream->address);
	else
		takt_text_add_string(text, ",,");
	takt_text_printf(text, ",,,,%u,", stream->size_bytes);
	if (stream->strided)
		takt_text_printf(text, "%" PRId64, stream->stride_bytes);
	takt_text_printf(text, ",%u,%u,", stream->alignment_bytes, stream->offset_bytes);
	if (stream->known && !isnan(stream->line_crossing_share))
		takt_text_printf(text, "%.3f", stream->line_crossing_share);
	takt_text_add_string(text, "\n");
}

void takt_write_memory_csv(const struct takt_analysis *analysis, struct takt_text *text)
{
	takt_text_add_string(text, "kind,region,store,store_address,load,load_address,iterations,"
				   "overlap,cycles,size,stride,alignment,offset,line_crossing\n");
	for (uint32_t i = 0; i < analysis->memory_dependence_count; i++) {
		const struct takt_memory_dependence *dependence = &analysis->memory_dependences[i];

		open_csv_row(analysis, "dependence", text);
		takt_text_printf(text, ",%u,%s,%u,%s,%u,%s,%.0f,,,,,\n", dependence->from,
				 dependence->from_address, dependence->to, dependence->to_address,
				 dependence->iterations, dependence->overlap,
				 dependence->latency_cycles);
	}
	for (uint32_t i = 0; i < analysis->page_alias_count; i++) {
		const struct takt_page_alias *alias = &analysis->page_aliases[i];

		open_csv_row(analysis, "alias", text);
		takt_text_printf(text, ",%u,%s,%u,%s,%u,,,,,,,\n", alias->from, alias->from_address,
				 alias->to, alias->to_address, alias->iterations);
	}
	for (uint32_t i = 0; i < analysis->memory_stream_count; i++) {
		open_csv_row(analysis, "stream", text);
		write_csv_stream(&analysis->memory_streams[i], text);
	}
}
