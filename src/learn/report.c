/* SPDX-License-Identifier: MIT */
/* Writes what was learnt of a core as text, CSV and JSON. */
#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "learn/learn.h"

static const char *learnt_word(enum takt_learnt how)
{
	static const char *const words[] = {
#define X(name, word, text) [name] = (word),
		TAKT_LEARNT_LIST(X)
#undef X
	};

	return words[how];
}

const char *takt_learnt_text(enum takt_learnt how)
{
	static const char *const texts[] = {
#define X(name, word, text) [name] = (text),
		TAKT_LEARNT_LIST(X)
#undef X
	};

	return texts[how];
}

static const char *how_word(uint32_t how)
{
	return learnt_word((enum takt_learnt)how);
}

/* ---- fields of the text report alone ---- */

static void add_value(const struct takt_learnt_parameter *parameter, int32_t value,
		      struct takt_text *text)
{
	if (strcmp(parameter->unit, "yes/no") == 0)
		takt_text_add_string(text, value ? "yes" : "no");
	else
		takt_text_printf(text, "%d", value);
}

static struct takt_value nearest_word(const struct takt_view *view, const void *record)
{
	const struct takt_learnt_parameter *parameter = record;

	add_value(parameter, parameter->nearest, view->scratch);
	return takt_value_string(view->scratch->data);
}

static struct takt_value value_word(const struct takt_view *view, const void *record)
{
	const struct takt_learnt_parameter *parameter = record;

	add_value(parameter, parameter->value, view->scratch);
	return takt_value_string(view->scratch->data);
}

/* Return the values that the timings allow; null: all. */
static struct takt_value interval(const struct takt_view *view, const void *record)
{
	const struct takt_learnt_parameter *parameter = record;

	if (parameter->how != TAKT_LEARNT_AT_LEAST && parameter->how != TAKT_LEARNT_MEASURED)
		return takt_value_string(NULL);
	add_value(parameter, parameter->least, view->scratch);
	if (parameter->how == TAKT_LEARNT_AT_LEAST) {
		takt_text_add_string(view->scratch, " …");
	} else if (parameter->least != parameter->most) {
		takt_text_add_string(view->scratch, " … ");
		add_value(parameter, parameter->most, view->scratch);
	}
	return takt_value_string(view->scratch->data);
}

/* Return the error in percent; null: unknown. */
static struct takt_value error_percent(const struct takt_view *view, const void *record)
{
	double error = ((const struct takt_learnt_parameter *)record)->error;

	(void)view;
	return takt_value_number(error >= 0 ? 100 * error : NAN);
}

/* ---- declarations ---- */

#define RECORD struct takt_learnt_parameter
static const struct takt_field parameter_fields[] = {
	TAKT_FIELD("parameter", name, NULL, "Name, as in core files."),
	TAKT_FIELD("unit", unit, NULL, "Unit of the values."),
	TAKT_FIELD("nearest", nearest, NULL, "Value of the core that learning started from."),
	TAKT_FIELD("value", value, NULL, "Learnt value; `nearest` if it could not be learnt."),
	TAKT_FIELD("least", least, NULL, "Least value that the timings allow."),
	TAKT_FIELD("most", most, NULL, "Largest value that the timings allow."),
	TAKT_ENUM("how", how, how_word, TAKT_LEARNT_NO_TIMING + 1, "How the value was found."),
	TAKT_FIELD("error", error, NULL,
		   "Mean relative error of the experiments' times, simulated with `value`.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("experiments", experiments, NULL, "Experiments that depend on the parameter."),
	TAKT_TEXT_FIELD("nearest_word", TAKT_FIELD_STRING, nearest_word),
	TAKT_TEXT_FIELD("value_word", TAKT_FIELD_STRING, value_word),
	TAKT_TEXT_FIELD("interval", TAKT_FIELD_STRING, interval),
	TAKT_TEXT_FIELD("error_percent", TAKT_FIELD_DOUBLE, error_percent),
};
#undef RECORD
static const struct takt_record parameter_record =
	TAKT_RECORD("parameter", "A learnt parameter.", parameter_fields);

#define RECORD struct takt_learnt_pair
static const struct takt_field pair_fields[] = {
	TAKT_FIELD("first", first, NULL, "First instruction."),
	TAKT_FIELD("second", second, NULL,
		   "Second instruction; of a conditional jump, the condition, and what operands "
		   "the first one has if that is in question."),
	TAKT_FIELD("loaded", loaded, NULL, "True if the first one is a load."),
	TAKT_FIELD("nearest", nearest, NULL,
		   "True if the pair becomes one µop on the core that learning started from."),
	TAKT_FIELD("fuses", fuses, NULL, "The same of the learnt core."),
	TAKT_ENUM("how", how, how_word, TAKT_LEARNT_NO_TIMING + 1, "How that was found."),
	TAKT_FIELD("ratio", ratio, NULL,
		   "The machine's time, relative to that with another instruction between the two.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("fused_ratio", fused_ratio, NULL, "Ratio of a core that fuses the pair.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("plain_ratio", plain_ratio, NULL, "Ratio of a core that does not.",
		   .flags = TAKT_NULLABLE),
};
#undef RECORD
static const struct takt_record pair_record =
	TAKT_RECORD("pair", "A pair of instructions that may become one µop.", pair_fields);

#define RECORD struct takt_learnt_timing
static const struct takt_field timing_fields[] = {
	TAKT_FIELD("size", size, NULL, "Size of the experiment, the N of its code."),
	TAKT_FIELD("alignment", alignment_bytes, "bytes", "Offset of the code in its line."),
	TAKT_FIELD("cycles", cycles, "cycles", "Time of an iteration on the machine.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("learnt", learnt_cycles, "cycles", "Simulated time of the learnt core.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("nearest", nearest_cycles, "cycles",
		   "Simulated time of the core that learning started from.",
		   .flags = TAKT_NULLABLE),
};
#undef RECORD
static const struct takt_record timing_record =
	TAKT_RECORD("timing", "A timing of the machine and of two cores.", timing_fields);

#define RECORD struct takt_learnt_experiment
static const struct takt_field experiment_fields[] = {
	TAKT_FIELD("name", name, NULL, "Name, as in `experiments` of a parameter."),
	TAKT_FIELD("code", code, NULL, "Code of an iteration."),
	TAKT_RECORDS("timings", timings, timing_count, &timing_record, "Timings, by size.",
		     .flags = TAKT_ROWS),
};
#undef RECORD
static const struct takt_record experiment_record = TAKT_RECORD(
	"experiment", "Code whose time depends on its size, and its timings.", experiment_fields);

#define RECORD struct takt_learning
static const struct takt_field learning_fields[] = {
	TAKT_CONSTANT("format", "takt learn 1", "Format of the result."),
	TAKT_FIELD("machine", machine, NULL, "The machine whose core was learnt."),
	TAKT_FIELD("name", name, NULL, "Name of the learnt core."),
	TAKT_FIELD("nearest", nearest, NULL, "Core that learning started from."),
	TAKT_FIELD("distance", distance, NULL,
		   "Distance of that core's timings; null: it was given.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("core_file", core_path, NULL, "The core file written."),
	TAKT_FIELD("timing_file", timing_path, NULL, "The timing file written."),
	TAKT_FIELD("experiments_file", experiments_path, NULL,
		   "CSV of all timings, beside those of the learnt core."),
	TAKT_FIELD("forms_checked", forms_checked, NULL,
		   "Instructions whose rows were compared with the machine's times."),
	TAKT_FIELD("forms_agreeing", forms_agreeing, NULL, "Those whose rows agree."),
	TAKT_FIELD("forms_corrected", forms_corrected, NULL, "Those that got a new row."),
	TAKT_FIELD("timings", timing_count, NULL, "Number of timings."),
	TAKT_FIELD("resumed", resumed_count, NULL, "Timings that an earlier run had taken."),
	TAKT_FIELD("disturbed", disturbed_count, NULL, "Timings that other load disturbed."),
	TAKT_FIELD("failed", failed_count, NULL, "Timings that could not be taken."),
	TAKT_FIELD("seconds", seconds, "s", "Time that the run took."),
	TAKT_RECORDS("parameters", parameters, parameter_count, &parameter_record,
		     "The parameters, in the order of their decisions.", .flags = TAKT_ROWS),
	TAKT_RECORDS("pairs", pairs, pair_count, &pair_record,
		     "Pairs of instructions that may become one µop.", .flags = TAKT_ROWS),
	TAKT_RECORDS("experiments", experiments, experiment_count, &experiment_record,
		     "The experiments that were timed."),
};
#undef RECORD
static const struct takt_record learning_record =
	TAKT_RECORD("learning", "A core learnt from timings.", learning_fields);

const struct takt_schema takt_learn_schema = {
	.name = "learn",
	.title = "takt model learn --format=json",
	.records = {&learning_record},
};

static const struct takt_column parameter_columns[] = {
	{"parameter", "parameter", -31, .gap = 0},
	{"", "nearest_word", 8, .gap = 1},
	{"learnt", "value_word", 8, .gap = 1},
	{"interval", "interval", -12, .gap = 2},
	{"error", "error_percent", 8, .gap = 1, .format = "%.1f %%"},
	{"how", "how", 0, .gap = 2},
};

static void write_parameters(const struct takt_learning *learning, struct takt_text *text)
{
	struct takt_column columns[TAKT_COUNT_OF(parameter_columns)];

	memcpy(columns, parameter_columns, sizeof(columns));
	columns[1].head = learning->nearest;
	takt_columns_write(
		columns, TAKT_COUNT_OF(columns),
		TAKT_TABLE_ROWS(&parameter_record, learning->parameters, learning->parameter_count),
		text);
}

/* Write how many pairs were tried, and those of which something else was found. */
static void write_pairs(const struct takt_learning *learning, struct takt_text *text)
{
	uint32_t decided = 0, changed = 0;

	for (uint32_t i = 0; i < learning->pair_count; i++) {
		decided += learning->pairs[i].how == TAKT_LEARNT_MEASURED;
		changed += learning->pairs[i].fuses != learning->pairs[i].nearest;
	}
	if (!learning->pair_count)
		return;
	takt_text_printf(
		text,
		"\n%u pairs of instructions that may become one µop: timings decide of %u, "
		"%u are not as in %s\n",
		learning->pair_count, decided, changed, learning->nearest);
	for (uint32_t i = 0; i < learning->pair_count; i++) {
		const struct takt_learnt_pair *pair = &learning->pairs[i];

		if (pair->fuses != pair->nearest)
			takt_text_printf(text, "  %s %s%s %s\n", pair->first,
					 pair->loaded ? "from memory, " : "", pair->second,
					 pair->fuses ? "fuse" : "do not fuse");
	}
}

static void write_text(const struct takt_learning *learning, struct takt_text *text)
{
	takt_text_printf(text, "%s\nstarted from %s", learning->machine, learning->nearest);
	if (learning->distance >= 0)
		takt_text_printf(text, ", the nearest known core, at %.1f %%",
				 100 * learning->distance);
	takt_text_printf(text, "\n%u timings", learning->timing_count);
	if (learning->resumed_count)
		takt_text_printf(text, ", %u of them from an earlier run", learning->resumed_count);
	if (learning->disturbed_count)
		takt_text_printf(text, ", %u disturbed by other load", learning->disturbed_count);
	if (learning->failed_count)
		takt_text_printf(text, ", %u could not be taken", learning->failed_count);
	takt_text_add_string(text, "\n\n");
	write_parameters(learning, text);
	write_pairs(learning, text);
	if (learning->forms_checked)
		takt_text_printf(text,
				 "\n%u instructions checked: %u agree, %u corrected, "
				 "%u with an unexplained throughput\n",
				 learning->forms_checked, learning->forms_agreeing,
				 learning->forms_corrected,
				 learning->forms_checked - learning->forms_agreeing -
					 learning->forms_corrected);
	takt_text_printf(text, "\nwritten: %s\n         %s\n         %s\n", learning->core_path,
			 learning->timing_path, learning->experiments_path);
	if (learning->installed_path)
		takt_text_printf(text, "--arch=host takes it from now on: %s\n",
				 learning->installed_path);
}

void takt_write_learning(const struct takt_learning *learning, enum takt_format format,
			 struct takt_text *text)
{
	if (format == TAKT_FORMAT_TEXT) {
		write_text(learning, text);
	} else if (format == TAKT_FORMAT_CSV) {
		takt_record_write_csv_header(&parameter_record, text);
		takt_record_write_csv(&parameter_record, learning->parameters,
				      learning->parameter_count, sizeof(learning->parameters[0]),
				      NULL, text);
	} else {
		takt_record_write_json(&learning_record, learning, text);
	}
}
