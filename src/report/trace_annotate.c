/* SPDX-License-Identifier: MIT */
/* Makes the annotated code of a trace from its blocks, and writes it as JSON. */
#include <stdlib.h>
#include <string.h>

#include "report/record.h"
#include "report/trace.h"
#include "trace/trace.h"

#define INSNS_MAX 30000u
#define CYCLES_LEAST 0.0005 /* of the program: cheaper functions are left out */

/* An annotation, whose arena holds everything that it points to. */
struct annotation {
	struct takt_annotation annotation; /* first */
	struct takt_arena arena;
};

/* ---- the functions that cost most ---- */

struct ranked {
	uint64_t cost;
	uint32_t function;
	uint32_t first_block, block_count;
};

TAKT_ORDER(compare_costs, struct ranked, TAKT_DOWN(cost), TAKT_UP(function));

static struct ranked *rank_functions(const struct takt_trace_profile *profile, bool timed)
{
	struct ranked *ranks = takt_xcalloc(profile->function_count, sizeof(*ranks));

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct takt_trace_weight *self = &profile->functions[i].self;

		ranks[i] =
			(struct ranked){.cost = timed ? self->cycles : self->insns, .function = i};
	}
	/* Blocks are sorted by function. */
	for (uint32_t i = 0; i < profile->block_count; i++) {
		struct ranked *rank = &ranks[profile->blocks[i].function];

		if (!rank->block_count++)
			rank->first_block = i;
	}
	if (profile->function_count)
		qsort(ranks, profile->function_count, sizeof(*ranks), compare_costs);
	return ranks;
}

/* ---- instructions ---- */

TAKT_ORDER(compare_insns, struct takt_annotated_insn, TAKT_UP(offset), TAKT_DOWN(begins_block));

static uint32_t insn_size(const struct takt_trace_block *block, uint32_t insn)
{
	uint32_t end =
		insn + 1 < block->insn_count ? block->insns[insn + 1].offset : block->size_bytes;

	return end - block->insns[insn].offset;
}

static void write_insn(const struct takt_isa *isa, const uint8_t *bytes, uint32_t size_bytes,
		       uint64_t address, struct takt_text *text)
{
	struct takt_insn insn;

	text->size_bytes = 0;
	if (isa && takt_decode(isa, bytes, size_bytes, address, &insn) == TAKT_OK)
		takt_insn_write(&insn, TAKT_SYNTAX_INTEL, text);
	else
		takt_text_add_string(text, "(bad)");
}

/* Fill one row for each instruction of each block; return their number. */
static uint32_t list_insns(const struct takt_trace_block *blocks, uint32_t count,
			   struct takt_annotated_insn *insns)
{
	uint32_t filled = 0;

	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < blocks[i].insn_count; k++)
			insns[filled++] = (struct takt_annotated_insn){
				.address = blocks[i].address + blocks[i].insns[k].offset,
				.offset = blocks[i].offset + blocks[i].insns[k].offset,
				.executions = blocks[i].executions,
				.cycles = blocks[i].insns[k].cycles,
				/* `text` points to the bytes until the text is written. */
				.text = (const char *)blocks[i].bytes + blocks[i].insns[k].offset,
				.file = blocks[i].insns[k].file,
				.line = blocks[i].insns[k].line,
				.size_bytes = insn_size(&blocks[i], k),
				.begins_block = k == 0,
			};
	return filled;
}

/* Sum the rows of the same instruction, which may be in several blocks; return their number. */
static uint32_t merge_insns(struct takt_annotated_insn *insns, uint32_t count)
{
	uint32_t kept = 0;

	qsort(insns, count, sizeof(*insns), compare_insns);
	for (uint32_t i = 0; i < count; i++) {
		if (!kept || insns[kept - 1].offset != insns[i].offset) {
			insns[kept++] = insns[i];
			continue;
		}
		if (!insns[kept - 1].line) {
			insns[kept - 1].file = insns[i].file;
			insns[kept - 1].line = insns[i].line;
		}
		insns[kept - 1].executions += insns[i].executions;
		insns[kept - 1].cycles += insns[i].cycles;
	}
	return kept;
}

static uint32_t count_insns(const struct takt_trace_block *blocks, uint32_t count)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += blocks[i].insn_count;
	return sum;
}

static void annotate(const struct takt_trace_profile *profile, const struct ranked *rank,
		     const struct takt_isa *isa, struct takt_arena *arena,
		     struct takt_annotated_function *ret_function)
{
	const struct takt_trace_block *blocks = &profile->blocks[rank->first_block];
	uint32_t count = count_insns(blocks, rank->block_count);
	struct takt_annotated_insn *insns =
		TAKT_NEW_ARRAY(arena, count, struct takt_annotated_insn);
	struct takt_text text = {0};

	count = merge_insns(insns, list_insns(blocks, rank->block_count, insns));
	for (uint32_t i = 0; i < count; i++) {
		write_insn(isa, (const uint8_t *)insns[i].text, insns[i].size_bytes,
			   insns[i].address, &text);
		insns[i].text = takt_arena_copy(arena, text.data, text.size_bytes);
	}
	takt_text_release(&text);
	*ret_function = (struct takt_annotated_function){
		.function = rank->function,
		.name = profile->functions[rank->function].name,
		.self = profile->functions[rank->function].self,
		.insns = insns,
		.insn_count = count,
	};
}

/* ---- the whole ---- */

static const struct takt_isa *isa_of(const struct takt_trace_totals *totals)
{
	const struct trace_guest *guest =
		totals->guest ? takt_trace_guest_find(totals->guest, strlen(totals->guest)) : NULL;

	return guest ? takt_trace_guest_isa(guest) : NULL;
}

/* Return how many of the functions, in their order, are annotated. */
static uint32_t count_wanted(const struct takt_trace_totals *totals, const struct ranked *ranks,
			     uint32_t most)
{
	const struct takt_trace_profile *profile = totals->profile;
	uint64_t all = totals->core ? totals->all.cycles : totals->all.insns;
	uint32_t count = 0, insns = 0;

	while (count < profile->function_count && count < most &&
	       (double)ranks[count].cost > CYCLES_LEAST * (double)all) {
		insns += count_insns(&profile->blocks[ranks[count].first_block],
				     ranks[count].block_count);
		if (count && insns > INSNS_MAX)
			break;
		count++;
	}
	return count;
}

struct takt_annotation *takt_annotate(const struct takt_trace_totals *totals,
				      uint32_t functions_max)
{
	const struct takt_trace_profile *profile = totals->profile;
	struct takt_annotated_function *functions;
	struct annotation *made;
	struct ranked *ranks;
	uint32_t count;

	if (!profile || (profile->block_count && !profile->blocks[0].insns))
		return NULL;
	made = takt_xcalloc(1, sizeof(*made));
	ranks = rank_functions(profile, totals->core != NULL);
	count = count_wanted(totals, ranks, functions_max);
	functions = TAKT_NEW_ARRAY(&made->arena, count, struct takt_annotated_function);
	for (uint32_t i = 0; i < count; i++)
		annotate(profile, &ranks[i], isa_of(totals), &made->arena, &functions[i]);
	free(ranks);
	made->annotation = (struct takt_annotation){
		.functions = functions,
		.function_count = count,
		.left_out = profile->function_count - count,
		.timed = totals->core != NULL,
	};
	return &made->annotation;
}

void takt_annotation_free(struct takt_annotation *annotation)
{
	TAKT_FREE_OWNER(struct annotation, annotation);
}

/* ---- JSON ---- */

static bool has_cycles(const struct takt_view *view, const void *record)
{
	const struct takt_annotation *annotation = view->root;

	(void)record;
	return annotation->timed;
}

#define RECORD struct takt_annotated_insn
static const struct takt_field insn_fields[] = {
	TAKT_FIELD("offset", offset, "bytes", "Offset in the function."),
	TAKT_FIELD_AS("address", TAKT_FIELD_ADDRESS, address, NULL, "Address when it first ran."),
	TAKT_FIELD("length", size_bytes, "bytes", "Its size."),
	TAKT_FIELD("text", text, NULL, "The instruction in Intel's syntax."),
	TAKT_FIELD("executions", executions, NULL, "Number of times that its blocks began."),
	TAKT_FIELD("cycles", cycles, "cycles", "Its part of the cycles of its blocks.",
		   .present = has_cycles),
	TAKT_FIELD("begins_block", begins_block, NULL, "True if a block begins here."),
	TAKT_FIELD("file", file, NULL, "Source file.", TAKT_IF(line)),
	TAKT_FIELD("line", line, NULL, "Source line.", TAKT_IF(line)),
};
#undef RECORD
static const struct takt_record insn_record =
	TAKT_RECORD("instruction", "An instruction that ran.", insn_fields);

#define RECORD struct takt_annotated_function
static const struct takt_field function_fields[] = {
	TAKT_FIELD("function", function, NULL, "Index of the function in the report."),
	TAKT_FIELD("name", name, NULL, "Its name."),
	TAKT_RECORDS("instructions", insns, insn_count, &insn_record,
		     "Its instructions that ran, by address.", .flags = TAKT_ROWS),
};
#undef RECORD
static const struct takt_record function_record =
	TAKT_RECORD("function", "A function with its code.", function_fields);

#define RECORD struct takt_annotation
static const struct takt_field annotation_fields[] = {
	TAKT_FIELD("left_out", left_out, NULL, "Functions that ran and are not annotated."),
	TAKT_RECORDS("functions", functions, function_count, &function_record,
		     "Functions that cost most, the most expensive first."),
};
#undef RECORD
static const struct takt_record annotation_record =
	TAKT_RECORD("annotation", "The code that cost most.", annotation_fields);

void takt_write_annotation_json(const struct takt_annotation *annotation, struct takt_text *text)
{
	takt_record_write_json(&annotation_record, annotation, text);
}
