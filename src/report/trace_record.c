/* SPDX-License-Identifier: MIT */
/* Traces and their differences as JSON: docs/formats/results.md. */
#include <string.h>

#include "report/record.h"
#include "trace/trace.h"

const struct takt_schema takt_report_trace_schema = {
	.name = "trace",
	.title = "takt trace --format=json",
	.records = {&takt_trace_totals_record},
};

void takt_write_trace_json(const struct takt_trace_totals *totals, struct takt_text *text)
{
	takt_record_write_json(&takt_trace_totals_record, totals, text);
}

/* ---- changes of weights ---- */

/* The same part of the program in both traces; NULL: it is not in one of them. */
struct change {
	const struct takt_trace_weight *before, *after;
};

static const struct takt_trace_weight *weight_or_none(const struct takt_trace_weight *weight)
{
	static const struct takt_trace_weight none;

	return weight ? weight : &none;
}

static bool both_have_cores(const struct takt_view *view, const void *record)
{
	const struct takt_diff *diff = view->root;

	(void)record;
	return diff->before->core && diff->after->core;
}

static bool loss_change_entry(const struct takt_view *view, const void *record, uint32_t index,
			      const char **ret_key, struct takt_value *ret_value)
{
	const struct change *change = record;

	(void)view;
	(void)ret_key;
	if (index == TAKT_TRACE_LOSSES)
		return false;
	*ret_value = takt_value_integer((int64_t)(weight_or_none(change->after)->losses[index] -
						  weight_or_none(change->before)->losses[index]));
	return true;
}

static bool category_change_entry(const struct takt_view *view, const void *record, uint32_t index,
				  const char **ret_key, struct takt_value *ret_value)
{
	const struct change *change = record;
	const struct takt_trace_weight *before = weight_or_none(change->before);
	const struct takt_trace_weight *after = weight_or_none(change->after);

	(void)view;
	if (index == TAKT_TRACE_CATEGORIES)
		return false;
	*ret_key = takt_trace_category_name(index);
	*ret_value =
		takt_value_integer((int64_t)(takt_trace_category_cycles(after->losses, index) -
					     takt_trace_category_cycles(before->losses, index)));
	return true;
}

#define RECORD struct takt_diff_figure
struct takt_diff_figure {
	uint64_t before, after;
	int64_t change;
};

static const struct takt_field figure_fields[] = {
	TAKT_FIELD("before", before, NULL, "The figure before."),
	TAKT_FIELD("after", after, NULL, "The figure after."),
	TAKT_FIELD("change", change, NULL, "The difference."),
};
#undef RECORD
static const struct takt_record figure_record =
	TAKT_RECORD("change", "A figure of both traces.", figure_fields);

static const void *make_figure(uint64_t before, uint64_t after, void *buffer)
{
	struct takt_diff_figure figure = {before, after, (int64_t)(after - before)};

	return memcpy(buffer, &figure, sizeof(figure));
}

static const void *resolve_insns(const struct takt_view *view, const void *record, void *buffer)
{
	const struct change *change = record;

	(void)view;
	return make_figure(weight_or_none(change->before)->insns,
			   weight_or_none(change->after)->insns, buffer);
}

static const void *resolve_cycles(const struct takt_view *view, const void *record, void *buffer)
{
	const struct change *change = record;

	(void)view;
	return make_figure(weight_or_none(change->before)->cycles,
			   weight_or_none(change->after)->cycles, buffer);
}

static const struct takt_field change_fields[] = {
	TAKT_SUBRECORD("instructions", &figure_record, "Completed instructions.",
		       .resolve = resolve_insns, .flags = TAKT_ONE_LINE),
	TAKT_SUBRECORD("cycles", &figure_record, "Cycles, if both traces have a core.",
		       .resolve = resolve_cycles, .present = both_have_cores,
		       .flags = TAKT_ONE_LINE),
	TAKT_ENTRIES("losses_change", TAKT_FIELD_INT64, loss_change_entry, "cycles",
		     "Differences by category, in the order of loss_names.",
		     .present = both_have_cores, .flags = TAKT_ONE_LINE),
	TAKT_MAP("top_down_change", TAKT_FIELD_INT64, category_change_entry, "cycles",
		 "The same by the categories of top-down analysis, levels 1 and 2.",
		 .present = both_have_cores, .flags = TAKT_ONE_LINE),
};
static const struct takt_record change_record =
	TAKT_RECORD("weights", "What a part of the program costs in both traces.", change_fields);

/* ---- functions and parts ---- */

#define RECORD struct takt_trace_block
static const struct takt_field block_fields[] = {
	TAKT_FIELD("offset", offset, "bytes", "Offset in the function."),
	TAKT_FIELD("size_bytes", size_bytes, "bytes", "Its size."),
	TAKT_FIELD("executions", executions, NULL, "Number of times that it began."),
};
#undef RECORD
static const struct takt_record block_record =
	TAKT_RECORD("block", "A basic block of one trace.", block_fields);

static const void *resolve_part(const struct takt_view *view, const void *record, void *buffer)
{
	const struct takt_diff_part *part = record;
	struct change change = {&part->before_weight, &part->after_weight};

	(void)view;
	return memcpy(buffer, &change, sizeof(change));
}

#define RECORD struct takt_diff_part
static const struct takt_field part_fields[] = {
	TAKT_FIELD("same_code", same, NULL,
		   "True if it is one block with the same code except for addresses in it."),
	{.type = TAKT_FIELD_INLINE, .record = &change_record, .resolve = resolve_part},
	TAKT_RECORDS("before", before, before_count, &block_record, "Its blocks before.",
		     .flags = TAKT_POINTER | TAKT_ROWS),
	TAKT_RECORDS("after", after, after_count, &block_record, "Its blocks after.",
		     .flags = TAKT_POINTER | TAKT_ROWS),
};
#undef RECORD
static const struct takt_record part_record = TAKT_RECORD(
	"part", "Blocks at the same place of a function before and after.", part_fields);

#define RECORD struct takt_trace_function
static const struct takt_field side_fields[] = {
	TAKT_FIELD("name", name, NULL, "Its name."),
	TAKT_FIELD("file", file, NULL,
		   "The executable or library; null: code generated at run time.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD_AS("address", TAKT_FIELD_ADDRESS, address, NULL,
		      "Address at which it first ran."),
};
#undef RECORD
static const struct takt_record side_record =
	TAKT_RECORD("side", "A function in one of the traces.", side_fields);

static const void *resolve_function(const struct takt_view *view, const void *record, void *buffer)
{
	const struct takt_diff_function *function = record;
	struct change change = {function->before ? &function->before->self : NULL,
				function->after ? &function->after->self : NULL};

	(void)view;
	return memcpy(buffer, &change, sizeof(change));
}

#define RECORD struct takt_diff_function
static const struct takt_field function_fields[] = {
	TAKT_NESTED("before", before, &side_record, "Null: it did not run, or does not exist.",
		    .flags = TAKT_POINTER | TAKT_NULLABLE | TAKT_ONE_LINE),
	TAKT_NESTED("after", after, &side_record, "Null: it did not run, or does not exist.",
		    .flags = TAKT_POINTER | TAKT_NULLABLE | TAKT_ONE_LINE),
	{.type = TAKT_FIELD_INLINE, .record = &change_record, .resolve = resolve_function},
	TAKT_RECORDS("parts", parts, part_count, &part_record,
		     "The parts that changed, largest change first."),
};
#undef RECORD
static const struct takt_record function_record =
	TAKT_RECORD("function", "A function of either trace.", function_fields);

/* ---- the whole ---- */

static struct takt_trace_weight weight_of(const struct takt_trace_counts *counts)
{
	struct takt_trace_weight weight = {.insns = counts->insns, .cycles = counts->cycles};

	memcpy(weight.losses, counts->losses, sizeof(weight.losses));
	return weight;
}

static const void *resolve_total(const struct takt_view *view, const void *record, void *buffer)
{
	struct total {
		struct change change;
		struct takt_trace_weight before, after;
	} *total = buffer;
	const struct takt_diff *diff = record;

	_Static_assert(sizeof(*total) <= TAKT_RESOLVED_BYTES, "the buffer is too small");
	(void)view;
	total->before = weight_of(&diff->before->all);
	total->after = weight_of(&diff->after->all);
	total->change = (struct change){&total->before, &total->after};
	return total;
}

/* Give a string of the trace before, then of the trace after. */
static bool side_entry(const char *before, const char *after, uint32_t index,
		       struct takt_value *ret_value)
{
	*ret_value = takt_value_string(index ? after : before);
	return index < 2;
}

#define SIDE_ENTRY(member)                                                                         \
	static bool member##_entry(const struct takt_view *view, const void *record,               \
				   uint32_t index, const char **ret_key,                           \
				   struct takt_value *ret_value)                                   \
	{                                                                                          \
		const struct takt_diff *diff = record;                                             \
                                                                                                   \
		(void)view;                                                                        \
		(void)ret_key;                                                                     \
		return side_entry(diff->before->member, diff->after->member, index, ret_value);    \
	}

SIDE_ENTRY(guest)
SIDE_ENTRY(core)
SIDE_ENTRY(settings)

/* Give the words of the differences that make the two hard to compare. */
static bool difference_entry(const struct takt_view *view, const void *record, uint32_t index,
			     const char **ret_key, struct takt_value *ret_value)
{
	const struct takt_diff *diff = record;
	enum takt_diff_by by =
		diff->before->core && diff->after->core ? TAKT_DIFF_CYCLES : diff->by;
	enum takt_difference difference = (enum takt_difference)index;

	if (index == TAKT_DIFFERENCE_COUNT)
		return false;
	*ret_key = NULL;
	if (takt_diff_differs(diff->before, diff->after, by, difference, view->scratch))
		*ret_key = takt_difference_word(difference);
	*ret_value = takt_value_string(view->scratch->data);
	return true;
}

static bool unknown_entry(const struct takt_view *view, const void *record, uint32_t index,
			  const char **ret_key, struct takt_value *ret_value)
{
	const struct takt_diff *diff = record;
	enum takt_diff_by by =
		diff->before->core && diff->after->core ? TAKT_DIFF_CYCLES : diff->by;

	(void)ret_key;
	if (index == 2)
		return false;
	takt_text_add_string(view->scratch, "");
	takt_diff_write_unknown(index ? diff->after : diff->before, by, view->scratch);
	*ret_value = takt_value_string(view->scratch->data);
	return true;
}

static const char *by_word(uint32_t by)
{
	return by == TAKT_DIFF_CYCLES ? "cycles" : "instructions";
}

#define RECORD struct takt_diff
#define SIDES(key, entry, text)                                                                    \
	TAKT_ENTRIES(key, TAKT_FIELD_STRING, entry, NULL, text, .flags = TAKT_ONE_LINE)
static const struct takt_field diff_fields[] = {
	TAKT_CONSTANT("schema", "takt-diff-1", "Format of the result."),
	TAKT_ENUM("by", by, by_word, TAKT_DIFF_BY_COUNT, "What changed most by this comes first."),
	SIDES("guest", guest_entry, "Instruction sets before and after."),
	SIDES("core", core_entry, "Cores before and after; null: none."),
	SIDES("settings", settings_entry, "Options that affect the cycles, before and after."),
	TAKT_MAP("differences", TAKT_FIELD_STRING, difference_entry, NULL,
		 "What makes the two hard to compare and was allowed, by the words of --allow."),
	TAKT_ENTRIES("not_known", TAKT_FIELD_STRING, unknown_entry, NULL,
		     "What the result before, and after, does not say of that."),
	TAKT_ENTRIES("loss_names", TAKT_FIELD_STRING, takt_trace_loss_entry, NULL,
		     "Names of the elements of each `losses_change`, in their order.",
		     .flags = TAKT_ONE_LINE),
	TAKT_FIELD("half_width_cycles", half_width_cycles, "cycles",
		   "Half width of the 95 % confidence interval of the change in cycles: 0 unless "
		   "one of the two is a sample, null if that is too small to tell.",
		   .flags = TAKT_NULLABLE),
	TAKT_SUBRECORD("total", &change_record, "The whole program.", .resolve = resolve_total),
	TAKT_RECORDS("functions", functions, function_count, &function_record,
		     "The functions that changed, largest change first."),
};
#undef RECORD
static const struct takt_record diff_record =
	TAKT_RECORD("diff", "What changed from one trace to another.", diff_fields);

const struct takt_schema takt_report_diff_schema = {
	.name = "diff",
	.title = "takt diff --format=json",
	.records = {&diff_record},
};

void takt_write_diff_json(const struct takt_diff *diff, struct takt_text *text)
{
	takt_record_write_json(&diff_record, diff, text);
}

void takt_write_trace_course_json(const struct takt_trace_totals *totals, struct takt_text *text)
{
	takt_record_write_json(&takt_trace_course_record, totals, text);
}
