/* SPDX-License-Identifier: MIT */
/* Parameters of hypothetical cores: those of params.def, and the sizes of schedulers. */
#include <string.h>

#include "learn/learn.h"

#define ENTRIES_MAX 1024

static const struct {
	const char *name, *unit;
	size_t offset;
} parameters[] = {
#define X(name, unit, fallback, help) {#name, unit, offsetof(struct takt_core_params, name)},
#include "model/params.def"
#undef X
};

void learn_core_init(struct learn_core *core, const struct takt_model *model)
{
	const struct takt_scheduler *schedulers =
		takt_model_schedulers(model, &core->scheduler_count);

	core->params = *takt_model_params(model);
	core->fusing = NULL;
	for (uint32_t i = 0; i < core->scheduler_count; i++) {
		uint32_t first = 0;

		while (schedulers[first].entries != schedulers[i].entries)
			first++;
		core->schedulers[i] = schedulers[i];
		core->first_of_size[i] = first;
	}
}

struct takt_model *learn_core_model(const struct learn_core *core, const struct takt_model *model)
{
	const struct takt_model_change change = {
		.params = &core->params, .schedulers = core->schedulers, .fusing = core->fusing};

	return takt_model_change(model, &change);
}

/* The digits of loop_buffer_copies, each a parameter of its own. */
static const char *const copies_names[] = {"loop_buffer_copies.1", "loop_buffer_copies.2",
					   "loop_buffer_copies.3", "loop_buffer_copies.4",
					   "loop_buffer_copies.5", "loop_buffer_copies.6",
					   "loop_buffer_copies.7", "loop_buffer_copies.8"};

static bool is_digit(uint32_t parameter)
{
	return parameter >= LEARN_COPIES && parameter < LEARN_COPIES + TAKT_COUNT_OF(copies_names);
}

/* Return the power of ten of such a digit; the first one is that of loops of one slot. */
static int32_t place_of(uint32_t parameter)
{
	int32_t place = 1;

	for (uint32_t i = parameter - LEARN_COPIES + 1; i < TAKT_COUNT_OF(copies_names); i++)
		place *= 10;
	return place;
}

uint32_t learn_parameter_find(const char *name, size_t name_size)
{
	for (uint32_t i = 0; i < TAKT_COUNT_OF(copies_names); i++)
		if (takt_string_is(copies_names[i], name, name_size))
			return LEARN_COPIES + i;
	for (uint32_t i = 0; i < TAKT_COUNT_OF(parameters); i++)
		if (takt_string_is(parameters[i].name, name, name_size))
			return i;
	return LEARN_NO_PARAMETER;
}

const char *learn_parameter_name(uint32_t parameter)
{
	if (is_digit(parameter))
		return copies_names[parameter - LEARN_COPIES];
	return parameter < TAKT_COUNT_OF(parameters) ? parameters[parameter].name : "scheduler";
}

const char *learn_parameter_unit(uint32_t parameter)
{
	if (is_digit(parameter))
		return "copies";
	return parameter < TAKT_COUNT_OF(parameters) ? parameters[parameter].unit : "µops";
}

int32_t learn_core_get(const struct learn_core *core, uint32_t parameter)
{
	int32_t value;

	if (is_digit(parameter))
		return core->params.loop_buffer_copies / place_of(parameter) % 10;
	if (parameter >= LEARN_SCHEDULER)
		return core->schedulers[parameter - LEARN_SCHEDULER].entries;
	memcpy(&value, (const char *)&core->params + parameters[parameter].offset, sizeof(value));
	return value;
}

/* A size and its ways. */
static const struct {
	const char *size, *ways;
	int32_t entries_per_unit; /* of the size; ways count entries */
} associative[] = {{"l1i_kb", "l1i_ways", 16},	     {"l1d_kb", "l1d_ways", 16},
		   {"l2_kb", "l2_ways", 16},	     {"l3_kb", "l3_ways", 16},
		   {"dtlb_entries", "dtlb_ways", 1}, {"stlb_entries", "stlb_ways", 1}};

const char *learn_parameter_ways(const char *name)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(associative); i++)
		if (strcmp(associative[i].size, name) == 0)
			return associative[i].ways;
	return NULL;
}

/* Read and write the value of a parameter of params.def. */
static int32_t *value_of(struct learn_core *core, uint32_t parameter)
{
	return (int32_t *)((char *)&core->params + parameters[parameter].offset);
}

/*
 * A cache of another size keeps its number of sets, if it can, and gets other ways: sets are
 * chosen by bits of the address. Otherwise its ways stay.
 */
static void set_ways(struct learn_core *core, size_t index, int32_t before, int32_t size)
{
	const char *name = associative[index].ways;
	int32_t *ways = value_of(core, learn_parameter_find(name, strlen(name)));
	int32_t unit = associative[index].entries_per_unit, sets;

	if (*ways <= 0 || before <= 0 || before == size)
		return;
	sets = before * unit / *ways;
	if (sets > 0 && size * unit % sets == 0)
		*ways = size * unit / sets;
}

/* With several schedulers, scheduler_entries is what they hold together. */
static void set_schedulers(struct learn_core *core, uint32_t number, int32_t value)
{
	for (uint32_t i = 0; i < core->scheduler_count; i++) {
		if (core->first_of_size[i] != core->first_of_size[number])
			continue;
		core->params.scheduler_entries += value - core->schedulers[i].entries;
		core->schedulers[i].entries = (uint16_t)value;
	}
	if (core->params.scheduler_entries > ENTRIES_MAX)
		core->params.scheduler_entries = ENTRIES_MAX;
}

void learn_core_set(struct learn_core *core, uint32_t parameter, int32_t value)
{
	if (is_digit(parameter)) {
		core->params.loop_buffer_copies +=
			(value - learn_core_get(core, parameter)) * place_of(parameter);
	} else if (parameter >= LEARN_SCHEDULER) {
		set_schedulers(core, parameter - LEARN_SCHEDULER, value);
	} else {
		for (size_t i = 0; i < TAKT_COUNT_OF(associative); i++)
			if (strcmp(associative[i].size, parameters[parameter].name) == 0)
				set_ways(core, i, *value_of(core, parameter), value);
		*value_of(core, parameter) = value;
	}
}

bool learn_core_is_sound(const struct learn_core *core)
{
	return takt_params_check(&core->params, NULL);
}
