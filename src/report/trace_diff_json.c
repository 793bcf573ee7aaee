/* SPDX-License-Identifier: MIT */
/* The changes from one trace to another, as JSON (docs/formats.md, "Diff result"). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/report.h"

static void write_figure(struct takt_json *json, const char *key, uint64_t before, uint64_t after)
{
	takt_json_open_object(json, key);
	takt_json_compact(json, true);
	takt_json_integer(json, "before", (int64_t)before);
	takt_json_integer(json, "after", (int64_t)after);
	takt_json_integer(json, "change", (int64_t)(after - before));
	takt_json_close_object(json);
	takt_json_compact(json, false);
}

/* Write the instructions and, where known, the cycles and their causes. */
static void write_weights(const struct takt_diff *diff, struct takt_json *json,
			  const struct takt_trace_weight *before,
			  const struct takt_trace_weight *after)
{
	write_figure(json, "instructions", before->insns, after->insns);
	if (!diff->before->core || !diff->after->core)
		return;
	write_figure(json, "cycles", before->cycles, after->cycles);
	takt_json_open_array(json, "losses_change");
	takt_json_compact(json, true);
	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++)
		takt_json_integer(json, NULL, (int64_t)(after->losses[i] - before->losses[i]));
	takt_json_close_array(json);
	takt_json_compact(json, false);
}

static void write_total(const struct takt_diff *diff, struct takt_json *json)
{
	const struct takt_trace_counts *counts[2] = {&diff->before->all, &diff->after->all};
	struct takt_trace_weight weights[2];

	for (int side = 0; side < 2; side++) {
		weights[side].insns = counts[side]->insns;
		weights[side].cycles = counts[side]->cycles;
		for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++)
			weights[side].losses[i] = counts[side]->losses[i];
	}
	takt_json_open_object(json, "total");
	write_weights(diff, json, &weights[0], &weights[1]);
	takt_json_close_object(json);
}

static void write_blocks(struct takt_json *json, const char *key,
			 const struct takt_trace_block *const *blocks, uint32_t count)
{
	takt_json_open_array(json, key);
	for (uint32_t i = 0; i < count; i++) {
		takt_json_open_row(json);
		takt_json_integer(json, "offset", (int64_t)blocks[i]->offset);
		takt_json_integer(json, "size_bytes", blocks[i]->size_bytes);
		takt_json_integer(json, "executions", (int64_t)blocks[i]->executions);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
}

static void write_part(const struct takt_diff *diff, struct takt_json *json,
		       const struct takt_diff_part *part)
{
	takt_json_open_object(json, NULL);
	takt_json_bool(json, "same_code", part->same);
	write_weights(diff, json, &part->before_weight, &part->after_weight);
	write_blocks(json, "before", part->before, part->before_count);
	write_blocks(json, "after", part->after, part->after_count);
	takt_json_close_object(json);
}

static void write_side(struct takt_json *json, const char *key,
		       const struct takt_trace_function *function)
{
	char address[32];

	if (!function) {
		takt_json_null(json, key);
		return;
	}
	snprintf(address, sizeof(address), "0x%" PRIx64, function->address);
	takt_json_open_object(json, key);
	takt_json_compact(json, true);
	takt_json_string(json, "name", function->name);
	takt_json_string(json, "file", function->file);
	takt_json_string(json, "address", address);
	takt_json_close_object(json);
	takt_json_compact(json, false);
}

static void write_function(const struct takt_diff *diff, struct takt_json *json,
			   const struct takt_diff_function *function)
{
	static const struct takt_trace_weight none;

	takt_json_open_object(json, NULL);
	write_side(json, "before", function->before);
	write_side(json, "after", function->after);
	write_weights(diff, json, function->before ? &function->before->self : &none,
		      function->after ? &function->after->self : &none);
	takt_json_open_array(json, "parts");
	for (uint32_t i = 0; i < function->part_count; i++)
		write_part(diff, json, &function->parts[i]);
	takt_json_close_array(json);
	takt_json_close_object(json);
}

static void write_words(struct takt_json *json, const char *key, const char *before,
			const char *after)
{
	takt_json_open_array(json, key);
	takt_json_compact(json, true);
	takt_json_string(json, NULL, before);
	takt_json_string(json, NULL, after);
	takt_json_close_array(json);
	takt_json_compact(json, false);
}

/* Write the words of the differences that make the two hard to compare. */
static void write_differences(const struct takt_diff *diff, struct takt_json *json)
{
	enum takt_diff_by by =
		diff->before->core && diff->after->core ? TAKT_DIFF_CYCLES : diff->by;
	struct takt_text what = {0};

	takt_json_open_object(json, "differences");
	for (unsigned i = 0; i < TAKT_DIFFERENCE_COUNT; i++) {
		what.size_bytes = 0;
		if (takt_diff_differs(diff->before, diff->after, by, (enum takt_difference)i,
				      &what))
			takt_json_string(json, takt_difference_word((enum takt_difference)i),
					 what.data);
	}
	takt_json_close_object(json);
	takt_json_open_array(json, "not_known");
	for (unsigned side = 0; side < 2; side++) {
		what.size_bytes = 0;
		takt_text_add_string(&what, "");
		takt_diff_write_unknown(side ? diff->after : diff->before, by, &what);
		takt_json_string(json, NULL, what.data);
	}
	takt_json_close_array(json);
	takt_text_release(&what);
}

void takt_write_diff_json(const struct takt_diff *diff, struct takt_text *text)
{
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_json_string(&json, "schema", "takt-diff-1");
	takt_json_string(&json, "by", diff->by == TAKT_DIFF_CYCLES ? "cycles" : "instructions");
	write_words(&json, "guest", diff->before->guest, diff->after->guest);
	write_words(&json, "core", diff->before->core, diff->after->core);
	write_words(&json, "settings", diff->before->settings, diff->after->settings);
	write_differences(diff, &json);
	takt_json_open_array(&json, "loss_names");
	takt_json_compact(&json, true);
	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++)
		takt_json_string(&json, NULL, takt_trace_loss_name(i));
	takt_json_close_array(&json);
	takt_json_compact(&json, false);
	if (isfinite(diff->half_width_cycles))
		takt_json_number(&json, "half_width_cycles", diff->half_width_cycles);
	else
		takt_json_null(&json, "half_width_cycles");
	write_total(diff, &json);
	takt_json_open_array(&json, "functions");
	for (uint32_t i = 0; i < diff->function_count; i++)
		write_function(diff, &json, &diff->functions[i]);
	takt_json_close_array(&json);
	takt_json_close_object(&json);
}
