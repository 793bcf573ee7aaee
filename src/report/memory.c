/* SPDX-License-Identifier: MIT */
/* Dependences through memory, from the record of an analysis, as text, JSON and CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/format.h"
#include "report/record.h"

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
	for (uint32_t i = 0; i < analysis->overwrite_count; i++)
		if (analysis->overwrites[i].from_address) {
			widen(printer, analysis->overwrites[i].from_address);
			widen(printer, analysis->overwrites[i].to_address);
		}
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

static void write_overwrites(const struct printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;
	const char *place = printer->has_lines ? "line" : "address";
	int columns = (int)printer->address_columns;

	if (!analysis->overwrite_count)
		return;
	write_title(printer,
		    "what is overwritten, by the first that does so (WAR: what was read; WAW: "
		    "what was written)");
	takt_text_printf(printer->text, "    kind  %8s  %-*s%8s  %-*s  %5s\n", place, columns,
			 "before", place, columns, "after", "apart");
	for (uint32_t i = 0; i < analysis->overwrite_count; i++) {
		const struct takt_overwrite *overwrite = &analysis->overwrites[i];

		takt_text_printf(printer->text, "%8s  ", overwrite->kind);
		write_pair(printer, overwrite->from,
			   overwrite->from_address ? overwrite->from_address : overwrite->location,
			   overwrite->to,
			   overwrite->to_address ? overwrite->to_address : overwrite->location,
			   overwrite->iterations);
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
	takt_text_printf(text, " on %s (%s)%s%s\n", analysis->arch, analysis->arch_title,
			 analysis->arch_choice ? ", " : "",
			 analysis->arch_choice ? analysis->arch_choice : "");
	if (analysis->arch_doubt)
		takt_text_printf(text, "note: %s\n", analysis->arch_doubt);
	write_dependences(&printer);
	write_aliases(&printer);
	write_overwrites(&printer);
	write_streams(&printer);
}

/* ---- JSON -------------------------------------------------------------------------------- */

#define RECORD struct takt_analysis_insn
static const struct takt_field insn_fields[] = {
	TAKT_FIELD("address", address, NULL, "Address of its first byte."),
	TAKT_FIELD("line", line, NULL, "Source line, if known.",
		   .flags = TAKT_ZERO_NULL | TAKT_OPTIONAL),
	TAKT_FIELD("text", text, NULL, "The user's own line, or disassembly."),
};
#undef RECORD
static const struct takt_record insn_record =
	TAKT_RECORD("instruction", "An instruction of the block.", insn_fields);

/* The fields of struct takt_memory_dependence and struct takt_page_alias that name a pair. */
#define PAIR_FIELDS                                                                                \
	TAKT_FIELD("from", from, NULL, "Index of the store."),                                     \
		TAKT_FIELD("from_address", from_address, NULL, "Address operand of the store."),   \
		TAKT_FIELD("to", to, NULL, "Index of the load."),                                  \
		TAKT_FIELD("to_address", to_address, NULL, "Address operand of the load."),        \
		TAKT_FIELD("iterations", iterations, "iterations", "Distance.")

#define RECORD struct takt_memory_dependence
static const struct takt_field dependence_fields[] = {
	PAIR_FIELDS,
	TAKT_FIELD(
		"overlap", overlap, NULL,
		"\"contained\": the load's bytes are all of the store; \"wider\": they go beyond "
		"it; \"split\": they are of several stores."),
	TAKT_FIELD("latency", latency_cycles, "cycles",
		   "Latency from the store's data to the load's result."),
};
#undef RECORD
static const struct takt_record dependence_record = TAKT_RECORD(
	"memory_dependence", "A load that reads what a store wrote.", dependence_fields);

#define RECORD struct takt_page_alias
static const struct takt_field alias_fields[] = {PAIR_FIELDS};
#undef RECORD
static const struct takt_record alias_record = TAKT_RECORD(
	"page_alias",
	"A load that may wait for a store to another address with the same low 12 bits.",
	alias_fields);

#define RECORD struct takt_overwrite
static const struct takt_field overwrite_fields[] = {
	TAKT_FIELD("kind", kind, NULL,
		   "\"WAR\": `to` overwrites what `from` reads; \"WAW\": what `from` writes."),
	TAKT_FIELD("from", from, NULL, "Index of the earlier instruction."),
	TAKT_FIELD("to", to, NULL, "Index of the first instruction that overwrites it."),
	TAKT_FIELD("location", location, NULL, "The register, or \"memory\"."),
	TAKT_FIELD("from_address", from_address, NULL, "Address operand of `from`, in memory.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("to_address", to_address, NULL, "Address operand of `to`, in memory.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("iterations", iterations, "iterations", "Distance."),
};
#undef RECORD
static const struct takt_record overwrite_record =
	TAKT_RECORD("overwrite", "A name dependence: what an instruction uses is overwritten.",
		    overwrite_fields);

#define RECORD struct takt_memory_stream
static const struct takt_field stream_fields[] = {
	TAKT_FIELD("instruction", insn, NULL, "Index of the instruction."),
	TAKT_FIELD("address", address, NULL, "Address operand."),
	TAKT_FIELD("loads", loads, NULL, "True if it is read."),
	TAKT_FIELD("stores", stores, NULL, "True if it is written."),
	TAKT_FIELD("size", size_bytes, "bytes", "Size of the access."),
	TAKT_FIELD("known", known, NULL,
		   "True if integer instructions alone compute the address; otherwise the figures "
		   "below are 0 or null."),
	TAKT_FIELD("stride", stride_bytes, "bytes",
		   "Distance from iteration to iteration; null if it varies.", TAKT_IF(strided),
		   .flags = TAKT_ABSENT_NULL),
	TAKT_FIELD("alignment", alignment_bytes, "bytes",
		   "Power of two such that each address is `offset` above a multiple of it; 1: "
		   "unknown."),
	TAKT_FIELD("offset", offset_bytes, "bytes", "Offset from a multiple of `alignment`."),
	TAKT_FIELD("line_crossing", line_crossing_share, NULL,
		   "Share of iterations in which it crosses a 64-byte line; null if unknown.",
		   TAKT_IF(known), .flags = TAKT_ABSENT_NULL | TAKT_NULLABLE),
};
#undef RECORD
static const struct takt_record stream_record =
	TAKT_RECORD("stream", "The addresses of a memory operand.", stream_fields);

#define RECORD struct takt_analysis
static const struct takt_field memory_fields[] = {
	TAKT_VERSION_FIELD,
	TAKT_FIELD("arch", arch, NULL, "The core, by its canonical name."),
	TAKT_FIELD("arch_choice", arch_choice, NULL,
		   "By what the core was chosen, if this machine's was asked for.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("arch_doubt", arch_doubt, NULL,
		   "Why the core may be another one than this machine's.", .flags = TAKT_OPTIONAL),
	TAKT_FIELD("isa", isa, NULL, "The instruction set."),
	TAKT_FIELD("region", region_name, NULL, "Name of the region."),
	TAKT_RECORDS("instructions", insns, insn_count, &insn_record, "In program order.",
		     .flags = TAKT_ROWS),
	TAKT_RECORDS("memory_dependences", memory_dependences, memory_dependence_count,
		     &dependence_record, "Loads that read what a store wrote.", .flags = TAKT_ROWS),
	TAKT_RECORDS("page_aliases", page_aliases, page_alias_count, &alias_record,
		     "Loads that may wait for a store to another page.", .flags = TAKT_ROWS),
	TAKT_RECORDS("overwrites", overwrites, overwrite_count, &overwrite_record,
		     "Name dependences, if asked for.", .flags = TAKT_ROWS),
	TAKT_RECORDS("streams", memory_streams, memory_stream_count, &stream_record,
		     "Addresses of memory operands.", .flags = TAKT_ROWS),
};
#undef RECORD
static const struct takt_record memory_record =
	TAKT_RECORD("memory", "Dependences of a region through memory.", memory_fields);

const struct takt_schema takt_report_deps_schema = {
	.name = "deps",
	.title = "takt deps --format=json",
	.records = {&memory_record},
};

void takt_write_memory_json(const struct takt_analysis *analysis, struct takt_text *text)
{
	takt_record_write_json(&memory_record, analysis, text);
}

/* ---- CSV ----------------------------------------------------------------------------------- */

/* A row of any kind; NaN and NULL: the kind has no such column. */
struct row {
	const char *kind, *region, *store_address, *load_address, *overlap;
	double store, load, iterations, cycles, size, stride, alignment, offset, line_crossing;
};

#define RECORD struct row
static const struct takt_field row_fields[] = {
	TAKT_FIELD("kind", kind, NULL,
		   "\"dependence\", \"alias\", \"WAR\", \"WAW\" or \"stream\"."),
	TAKT_FIELD("region", region, NULL, "Name of the region.", .flags = TAKT_QUOTED),
	TAKT_FIELD("store", store, NULL, "Index of the store, or of what overwrites.",
		   .csv = "%.0f"),
	TAKT_FIELD("store_address", store_address, NULL,
		   "Address operand of the store, or the register."),
	TAKT_FIELD("load", load, NULL, "Index of the load, or of what is overwritten.",
		   .csv = "%.0f"),
	TAKT_FIELD("load_address", load_address, NULL,
		   "Address operand of the load, or the register."),
	TAKT_FIELD("iterations", iterations, "iterations", "Distance.", .csv = "%.0f"),
	TAKT_FIELD("overlap", overlap, NULL, "As in the JSON."),
	TAKT_FIELD("cycles", cycles, "cycles", "Latency.", .csv = "%.0f"),
	TAKT_FIELD("size", size, "bytes", "Size of the access.", .csv = "%.0f"),
	TAKT_FIELD("stride", stride, "bytes", "As in the JSON.", .csv = "%.0f"),
	TAKT_FIELD("alignment", alignment, "bytes", "As in the JSON.", .csv = "%.0f"),
	TAKT_FIELD("offset", offset, "bytes", "As in the JSON.", .csv = "%.0f"),
	TAKT_FIELD("line_crossing", line_crossing, NULL, "As in the JSON.", .csv = "%.3f"),
};
#undef RECORD
static const struct takt_record row_record =
	TAKT_RECORD("row", "A dependence, a page alias or a stream.", row_fields);

static struct row new_row(const struct takt_analysis *analysis, const char *kind)
{
	return (struct row){
		.kind = kind,
		.region = analysis->region_name,
		.store = NAN,
		.load = NAN,
		.iterations = NAN,
		.cycles = NAN,
		.size = NAN,
		.stride = NAN,
		.alignment = NAN,
		.offset = NAN,
		.line_crossing = NAN,
	};
}

static void write_row(const struct row *row, struct takt_text *text)
{
	takt_record_write_csv(&row_record, row, 1, sizeof(*row), NULL, text);
}

static void write_csv_dependence(const struct takt_analysis *analysis,
				 const struct takt_memory_dependence *dependence,
				 struct takt_text *text)
{
	struct row row = new_row(analysis, "dependence");

	row.store = dependence->from;
	row.store_address = dependence->from_address;
	row.load = dependence->to;
	row.load_address = dependence->to_address;
	row.iterations = dependence->iterations;
	row.overlap = dependence->overlap;
	row.cycles = dependence->latency_cycles;
	write_row(&row, text);
}

static void write_csv_alias(const struct takt_analysis *analysis,
			    const struct takt_page_alias *alias, struct takt_text *text)
{
	struct row row = new_row(analysis, "alias");

	row.store = alias->from;
	row.store_address = alias->from_address;
	row.load = alias->to;
	row.load_address = alias->to_address;
	row.iterations = alias->iterations;
	write_row(&row, text);
}

static void write_csv_overwrite(const struct takt_analysis *analysis,
				const struct takt_overwrite *overwrite, struct takt_text *text)
{
	struct row row = new_row(analysis, overwrite->kind);

	row.store = overwrite->to;
	row.store_address = overwrite->to_address ? overwrite->to_address : overwrite->location;
	row.load = overwrite->from;
	row.load_address = overwrite->from_address ? overwrite->from_address : overwrite->location;
	row.iterations = overwrite->iterations;
	write_row(&row, text);
}

static void write_csv_stream(const struct takt_analysis *analysis,
			     const struct takt_memory_stream *stream, struct takt_text *text)
{
	struct row row = new_row(analysis, "stream");

	if (stream->stores) {
		row.store = stream->insn;
		row.store_address = stream->address;
	}
	if (stream->loads) {
		row.load = stream->insn;
		row.load_address = stream->address;
	}
	row.size = stream->size_bytes;
	row.stride = stream->strided ? (double)stream->stride_bytes : NAN;
	row.alignment = stream->alignment_bytes;
	row.offset = stream->offset_bytes;
	row.line_crossing = stream->known ? stream->line_crossing_share : NAN;
	write_row(&row, text);
}

void takt_write_memory_csv(const struct takt_analysis *analysis, struct takt_text *text)
{
	takt_record_write_csv_header(&row_record, text);
	for (uint32_t i = 0; i < analysis->memory_dependence_count; i++)
		write_csv_dependence(analysis, &analysis->memory_dependences[i], text);
	for (uint32_t i = 0; i < analysis->page_alias_count; i++)
		write_csv_alias(analysis, &analysis->page_aliases[i], text);
	for (uint32_t i = 0; i < analysis->overwrite_count; i++)
		write_csv_overwrite(analysis, &analysis->overwrites[i], text);
	for (uint32_t i = 0; i < analysis->memory_stream_count; i++)
		write_csv_stream(analysis, &analysis->memory_streams[i], text);
}
