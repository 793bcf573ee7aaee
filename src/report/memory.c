/* SPDX-License-Identifier: MIT */
/* Dependences through memory, from the record of an analysis, as text, JSON and CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/columns.h"
#include "report/format.h"
#include "report/record.h"

#define COLUMNS_DEFAULT 100
#define ADDRESS_COLUMNS_MAX 40u
#define TEXT_COLUMNS_LEAST 20u

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

/* ---- rows of CSV and of the text's tables ---------------------------------------------------- */

/* A row of any kind; NaN and NULL: the kind has no such column. */
struct row {
	const char *kind, *region, *store_address, *load_address, *overlap;
	double store, load, iterations, cycles, size, stride, alignment, offset, line_crossing;
	/* Used by the text alone; a stream has a place, whatever it does there. */
	const char *place, *load_place, *operand, *access, *stride_text, *aligned, *latency, *insn;
};

struct rows {
	struct row *items;
	uint32_t count, capacity;
	const struct takt_analysis *analysis;
	bool has_lines; /* an instruction has a source line: lines are shown, not addresses */
	struct takt_arena arena;
};

/* Return the instruction's source line, or else its address. */
static const char *place(struct rows *rows, uint32_t index)
{
	const struct takt_analysis_insn *insn = &rows->analysis->insns[index];

	if (!rows->has_lines)
		return takt_arena_printf(&rows->arena, "0x%" PRIx64, insn->address);
	return insn->line ? takt_arena_printf(&rows->arena, "%u", insn->line) : "?";
}

static struct row *add_row(struct rows *rows, const char *kind)
{
	TAKT_GROW(rows->items, rows->count + 1, rows->capacity);
	rows->items[rows->count] = (struct row){
		.kind = kind,
		.region = rows->analysis->region_name,
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
	return &rows->items[rows->count++];
}

/* An access to memory: the instruction, and its address as text. */
struct accessor {
	uint32_t insn;
	const char *address;
};

static struct row *add_pair(struct rows *rows, const char *kind, struct accessor store,
			    struct accessor load, uint32_t iterations)
{
	struct row *row = add_row(rows, kind);

	row->store = store.insn;
	row->store_address = store.address;
	row->place = place(rows, store.insn);
	row->load = load.insn;
	row->load_address = load.address;
	row->load_place = place(rows, load.insn);
	row->iterations = iterations;
	return row;
}

static void add_dependence(struct rows *rows, const struct takt_memory_dependence *dependence)
{
	char cycles[TAKT_FIGURE_SIZE];
	struct accessor store = {dependence->from, dependence->from_address};
	struct accessor load = {dependence->to, dependence->to_address};
	struct row *row = add_pair(rows, "dependence", store, load, dependence->iterations);

	row->overlap = dependence->overlap;
	row->cycles = dependence->latency_cycles;
	takt_format_short(cycles, row->cycles);
	row->latency = *cycles ? takt_arena_string(&rows->arena, cycles) : "0";
}

static void add_overwrite(struct rows *rows, const struct takt_overwrite *overwrite)
{
	const char *to = overwrite->to_address, *from = overwrite->from_address;
	struct accessor store = {overwrite->to, to ? to : overwrite->location};
	struct accessor load = {overwrite->from, from ? from : overwrite->location};

	add_pair(rows, overwrite->kind, store, load, overwrite->iterations);
}

static void add_stream(struct rows *rows, const struct takt_memory_stream *stream)
{
	struct row *row = add_row(rows, "stream");

	if (stream->stores) {
		row->store = stream->insn;
		row->store_address = stream->address;
	}
	if (stream->loads) {
		row->load = stream->insn;
		row->load_address = stream->address;
	}
	row->size = stream->size_bytes;
	row->stride = stream->strided ? (double)stream->stride_bytes : NAN;
	row->alignment = stream->alignment_bytes;
	row->offset = stream->offset_bytes;
	row->line_crossing = stream->known ? stream->line_crossing_share : NAN;
	row->place = place(rows, stream->insn);
	row->operand = stream->address;
	row->access = !stream->stores ? "load" : stream->loads ? "both" : "store";
	row->stride_text = !stream->known     ? "unknown"
			   : !stream->strided ? "varies"
					      : takt_arena_printf(&rows->arena, "%" PRId64,
								  stream->stride_bytes);
	if (stream->known && stream->offset_bytes)
		row->aligned = takt_arena_printf(&rows->arena, "%u mod %u", stream->offset_bytes,
						 stream->alignment_bytes);
	else if (stream->alignment_bytes > 1)
		row->aligned = takt_arena_printf(&rows->arena, "%u", stream->alignment_bytes);
	row->insn = rows->analysis->insns[stream->insn].text;
}

/* Make the rows of an analysis: those of dependences, aliases, overwrites and streams. */
static struct rows make_rows(const struct takt_analysis *analysis)
{
	struct rows rows = {.analysis = analysis};

	for (uint32_t i = 0; i < analysis->insn_count; i++)
		rows.has_lines |= analysis->insns[i].line != 0;
	for (uint32_t i = 0; i < analysis->memory_dependence_count; i++)
		add_dependence(&rows, &analysis->memory_dependences[i]);
	for (uint32_t i = 0; i < analysis->page_alias_count; i++) {
		const struct takt_page_alias *alias = &analysis->page_aliases[i];

		add_pair(&rows, "alias", (struct accessor){alias->from, alias->from_address},
			 (struct accessor){alias->to, alias->to_address}, alias->iterations);
	}
	for (uint32_t i = 0; i < analysis->overwrite_count; i++)
		add_overwrite(&rows, &analysis->overwrites[i]);
	for (uint32_t i = 0; i < analysis->memory_stream_count; i++)
		add_stream(&rows, &analysis->memory_streams[i]);
	return rows;
}

static void release_rows(struct rows *rows)
{
	free(rows->items);
	takt_arena_release(&rows->arena);
}

#define TEXT_ONLY(key, member)                                                                     \
	TAKT_FIELD(key, member, NULL, NULL, .flags = TAKT_NO_JSON | TAKT_NO_CSV)
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
	TEXT_ONLY("place", place),
	TEXT_ONLY("load_place", load_place),
	TEXT_ONLY("operand", operand),
	TEXT_ONLY("access", access),
	TEXT_ONLY("stride_text", stride_text),
	TEXT_ONLY("aligned", aligned),
	TEXT_ONLY("latency", latency),
	TEXT_ONLY("insn", insn),
	TAKT_FIELD("crossing", line_crossing, NULL, "In percent.", .factor = 100,
		   .flags = TAKT_NO_JSON | TAKT_NO_CSV | TAKT_NULLABLE),
};
#undef RECORD
#undef TEXT_ONLY
static const struct takt_record row_record =
	TAKT_RECORD("row", "A dependence, a page alias or a stream.", row_fields);

void takt_write_memory_csv(const struct takt_analysis *analysis, struct takt_text *text)
{
	struct rows rows = make_rows(analysis);

	takt_record_write_csv_header(&row_record, text);
	takt_record_write_csv(&row_record, rows.items, rows.count, sizeof(*rows.items), NULL, text);
	release_rows(&rows);
}

/* ---- text ------------------------------------------------------------------------------ */

struct printer {
	const struct row *rows; /* the next ones */
	struct takt_text *text;
	int address_columns; /* width of the widest address */
	bool colour;
};

static int address_columns(const struct rows *rows)
{
	uint32_t widest = takt_text_width("operand");

	for (uint32_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->items[i];
		uint32_t store = row->store_address ? takt_text_width(row->store_address) : 0;
		uint32_t load = row->load_address ? takt_text_width(row->load_address) : 0;

		widest = store > widest ? store : widest;
		widest = load > widest ? load : widest;
	}
	return (int)(widest < ADDRESS_COLUMNS_MAX ? widest : ADDRESS_COLUMNS_MAX);
}

static void write_title(const struct printer *printer, const char *title)
{
	takt_text_add_string(printer->text, "\n");
	takt_format_style(printer->text, TAKT_STYLE_BOLD, printer->colour);
	takt_text_add_string(printer->text, title);
	takt_format_style(printer->text, TAKT_STYLE_PLAIN, printer->colour);
	takt_text_add_string(printer->text, "\n");
}

/* Write a table of the next `row_count` rows; nothing if there are none. */
static void write_table(struct printer *printer, const char *title,
			const struct takt_column *columns, size_t column_count, uint32_t row_count)
{
	if (!row_count)
		return;
	write_title(printer, title);
	takt_columns_write(columns, column_count,
			   TAKT_TABLE_ROWS(&row_record, printer->rows, row_count), printer->text);
	printer->rows += row_count;
}

/* Say that no load reads what a store wrote, as far as addresses are known. */
static void write_none(struct printer *printer, const struct takt_analysis *analysis)
{
	uint32_t unknown = 0;

	for (uint32_t i = 0; i < analysis->memory_stream_count; i++)
		unknown += !analysis->memory_streams[i].known;
	takt_text_add_string(printer->text, "  none");
	if (unknown)
		takt_text_printf(
			printer->text, " found: %" PRIu32 " of %" PRIu32 " %s not known", unknown,
			analysis->memory_stream_count,
			takt_noun(analysis->memory_stream_count, "address is", "addresses are"));
	takt_text_add_string(printer->text, "\n");
}

static void write_pairs(struct printer *printer, const struct takt_analysis *analysis,
			const char *place_head)
{
	int width = printer->address_columns;
	uint32_t most = (uint32_t)width;
	const struct takt_column pairs[] = {
		{place_head, "place", 8, .gap = 0},
		{"store", "store_address", -width, .gap = 2, .most = most},
		{place_head, "load_place", 8, .gap = 0},
		{"load", "load_address", -width, .gap = 2, .most = most},
		{"apart", "iterations", 5, .gap = 2, .format = "%.0f"},
		{"overlap", "overlap", -9, .gap = 2},
		{"cycles", "latency", 6, .gap = 2},
	};
	const struct takt_column overwrites[] = {
		{"kind", "kind", 8, .gap = 0},
		{place_head, "load_place", 8, .gap = 2},
		{"before", "load_address", -width, .gap = 2, .most = most},
		{place_head, "place", 8, .gap = 0},
		{"after", "store_address", -width, .gap = 2, .most = most},
		{"apart", "iterations", 5, .gap = 2, .format = "%.0f"},
	};
	const char *title = "loads that read stored values, by distance in iterations";

	write_table(printer, title, pairs, TAKT_COUNT_OF(pairs), analysis->memory_dependence_count);
	if (!analysis->memory_dependence_count) {
		write_title(printer, title);
		write_none(printer, analysis);
	}
	/* An alias has neither of the last two columns. */
	write_table(printer, "loads whose low 12 address bits equal those of a store elsewhere",
		    pairs, TAKT_COUNT_OF(pairs) - 2, analysis->page_alias_count);
	write_table(printer,
		    "what is overwritten, by the first that does so (WAR: what was read; WAW: "
		    "what was written)",
		    overwrites, TAKT_COUNT_OF(overwrites), analysis->overwrite_count);
}

static void write_streams(struct printer *printer, const struct takt_analysis *analysis,
			  const char *place_head, uint32_t report_columns)
{
	uint32_t width = (uint32_t)printer->address_columns;
	uint32_t used = 8 + 2 + width + 2 + 6 + 2 + 5 + 2 + 9 + 2 + 9 + 2 + 8 + 2;
	uint32_t rest = report_columns > used + TEXT_COLUMNS_LEAST ? report_columns - used
								   : TEXT_COLUMNS_LEAST;
	const struct takt_column columns[] = {
		{place_head, "place", 8, .gap = 0},
		{"operand", "operand", -(int)width, .gap = 2, .most = width},
		{"access", "access", -6, .gap = 2},
		{"size", "size", 5, .gap = 2, .format = "%.0f"},
		{"stride", "stride_text", 9, .gap = 2},
		{"aligned", "aligned", 9, .gap = 2, .null = "?"},
		{"crosses", "crossing", 8, .gap = 2, .format = "%.0f %%", .null = "?"},
		{"instruction", "insn", 0, .gap = 2, .most = rest},
	};

	write_table(printer, "addresses, in bytes", columns, TAKT_COUNT_OF(columns),
		    analysis->memory_stream_count);
}

void takt_write_memory_text(const struct takt_analysis *analysis,
			    const struct takt_write_options *options, struct takt_text *text)
{
	uint32_t columns = options && options->columns ? options->columns : COLUMNS_DEFAULT;
	struct rows rows = make_rows(analysis);
	const char *place_head = rows.has_lines ? "line" : "address";
	struct printer printer = {.rows = rows.items,
				  .text = text,
				  .address_columns = address_columns(&rows),
				  .colour = options && options->colour};

	takt_text_clean(text, analysis->region_name, columns);
	takt_text_printf(text, " on %s (%s)%s%s\n", analysis->arch, analysis->arch_title,
			 analysis->arch_choice ? ", " : "",
			 analysis->arch_choice ? analysis->arch_choice : "");
	if (analysis->arch_doubt)
		takt_text_printf(text, "note: %s\n", analysis->arch_doubt);
	write_pairs(&printer, analysis, place_head);
	write_streams(&printer, analysis, place_head, columns);
	release_rows(&rows);
}
