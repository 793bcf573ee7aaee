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
	for (uint32_t i = 0; i < core->scheduler_count; i++)
		core->schedulers[i] = schedulers[i];
}

struct takt_model *learn_core_model(const struct learn_core *core, const struct takt_model *model)
{
	const struct takt_model_change change = {.params = &core->params,
						 .schedulers = core->schedulers};

	return takt_model_change(model, &change);
}

uint32_t learn_parameter_find(const char *name, size_t name_size)
{
	for (uint32_t i = 0; i < TAKT_COUNT_OF(parameters); i++)
		if (strlen(parameters[i].name) == name_size &&
		    memcmp(parameters[i].name, name, name_size) == 0)
			return i;
	return LEARN_NO_PARAMETER;
}

const char *learn_parameter_name(uint32_t parameter)
{
	return parameter < TAKT_COUNT_OF(parameters) ? parameters[parameter].name : "scheduler";
}

const char *learn_parameter_unit(uint32_t parameter)
{
	return parameter < TAKT_COUNT_OF(parameters) ? parameters[parameter].unit : "µops";
}

int32_t learn_core_get(const struct learn_core *core, uint32_t parameter)
{
	int32_t value;

	if (parameter >= LEARN_SCHEDULER)
		return core->schedulers[parameter - LEARN_SCHEDULER].entries;
	memcpy(&value, (const char *)&core->params + parameters[parameter].offset, sizeof(value));
	return value;
}

/* With several schedulers, scheduler_entries is what they hold together. */
static void set_scheduler(struct learn_core *core, uint32_t number, int32_t value)
{
	core->params.scheduler_entries += value - core->schedulers[number].entries;
	if (core->params.scheduler_entries > ENTRIES_MAX)
		core->params.scheduler_entries = ENTRIES_MAX;
	core->schedulers[number].entries = (uint16_t)value;
}

void learn_core_set(struct learn_core *core, uint32_t parameter, int32_t value)
{
	if (parameter >= LEARN_SCHEDULER)
		set_scheduler(core, parameter - LEARN_SCHEDULER, value);
	else
		memcpy((char *)&core->params + parameters[parameter].offset, &value, sizeof(value));
}

bool learn_core_is_sound(const struct learn_core *core)
{
	return takt_params_check(&core->params, NULL);
}
