/* SPDX-License-Identifier: MIT */
/* Hypothetical cores that differ from a given one in parameters or by one more port. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/image.h"

struct takt_model *takt_model_change(const struct takt_model *model,
				     const struct takt_model_change *change)
{
	struct takt_model *changed = takt_xcalloc(1, sizeof(*changed));
	uint32_t count = takt_model_port_count(model);

	*changed = *model;
	changed->owned = (struct takt_image_bytes){NULL, 0};
	changed->recognition_text = NULL;
	changed->changed_core = takt_xcalloc(1, sizeof(*changed->changed_core));
	*changed->changed_core = *model->core;
	changed->core = changed->changed_core;
	changed->load_cycles_less += change->load_cycles_less;
	if (change->params)
		changed->params = *change->params;
	if (change->schedulers)
		memcpy(changed->changed_core->schedulers, change->schedulers,
		       model->core->scheduler_count * sizeof(*change->schedulers));
	if (change->twin_ports && count < TAKT_PORTS_MAX) {
		assert(!model->twinned);
		changed->twinned = change->twin_ports;
		changed->twin = (uint32_t)1 << count;
		changed->changed_core->port_count = count + 1;
		if (model->core->pseudo_ports & change->twin_ports)
			changed->changed_core->pseudo_ports |= changed->twin;
	}
	return changed;
}

/* ---- settings -------------------------------------------------------------------- */

/* Limits of parameters: far more than any core has, and within what the engines have room for. */
#define ENTRIES_MAX 1024
#define WIDTH_MAX 64
#define CYCLES_MAX 1024
#define MEMORY_QUEUE_LEAST TAKT_MEMORIES_MAX /* fewer, and an instruction could wait for ever */

static const struct param {
	const char *name, *unit;
} params[] = {
#define X(name, unit, fallback, help) {#name, unit},
#include "model/params.def"
#undef X
};

static int32_t *param_at(struct takt_core_params *values, size_t index)
{
	int32_t *const all[] = {
#define X(name, unit, fallback, help) &values->name,
#include "model/params.def"
#undef X
	};

	return all[index];
}

/* Find a parameter by name. False, after an error, if there is none. */
static bool find_param(const char *name, struct takt_diag *diag, size_t *ret_index)
{
	const char *names[TAKT_COUNT_OF(params)];
	struct takt_text *near;

	for (size_t i = 0; i < TAKT_COUNT_OF(params); i++) {
		names[i] = params[i].name;
		if (strcmp(names[i], name) != 0)
			continue;
		*ret_index = i;
		return true;
	}
	takt_error(diag, "no parameter '%s'", name);
	near = takt_text_new();
	if (takt_nearest_names(name, names, TAKT_COUNT_OF(params), 3, near))
		takt_note(diag, "did you mean %s?", takt_text_data(near));
	else
		takt_note(diag, "'takt model show CORE' lists them");
	takt_text_free(near);
	return false;
}

static bool read_value(const struct takt_setting *setting, const char *unit, struct takt_diag *diag,
		       int32_t *ret_value)
{
	bool yes_no = strcmp(unit, "yes/no") == 0;
	char *end;
	long value;

	if (yes_no && (strcmp(setting->value, "yes") == 0 || strcmp(setting->value, "no") == 0)) {
		*ret_value = setting->value[0] == 'y';
		return true;
	}
	errno = 0;
	value = strtol(setting->value, &end, 10);
	if (!yes_no && end != setting->value && !*end && !errno && value >= -1 &&
	    value <= INT32_MAX) {
		*ret_value = (int32_t)value;
		return true;
	}
	if (yes_no)
		takt_error(diag, "'%s' is 'yes' or 'no', not '%s'", setting->name, setting->value);
	else
		takt_error(diag, "'%s' needs a number of %s, not '%s'", setting->name, unit,
			   setting->value);
	return false;
}

bool takt_params_check(const struct takt_core_params *values, struct takt_diag *diag)
{
	const struct {
		const char *name;
		int32_t value, least, most;
	} ranges[] = {
#define RANGE(name, least, most) {#name, values->name, (least), (most)}
		RANGE(issue_width, 1, WIDTH_MAX),
		RANGE(retire_width, 1, WIDTH_MAX),
		RANGE(decode_width, 1, WIDTH_MAX),
		RANGE(rob_entries, values->issue_width, ENTRIES_MAX),
		RANGE(scheduler_entries, values->issue_width, ENTRIES_MAX),
		RANGE(queue_entries, 1, ENTRIES_MAX),
		RANGE(load_queue_entries, MEMORY_QUEUE_LEAST, ENTRIES_MAX),
		RANGE(store_queue_entries, MEMORY_QUEUE_LEAST, ENTRIES_MAX),
		RANGE(store_commits, 1, WIDTH_MAX),
		RANGE(store_commit_lines, 1, WIDTH_MAX),
		RANGE(store_forward_fail_again_cycles, 0, CYCLES_MAX),
#undef RANGE
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(ranges); i++) {
		if (ranges[i].value >= ranges[i].least && ranges[i].value <= ranges[i].most)
			continue;
		takt_error(diag, "'%s' is from %d to %d, not %d", ranges[i].name, ranges[i].least,
			   ranges[i].most, ranges[i].value);
		return false;
	}
	return true;
}

enum takt_status takt_model_set(const struct takt_model *model, const struct takt_setting *settings,
				size_t setting_count, struct takt_diag *diag,
				struct takt_model **ret_model)
{
	struct takt_core_params values = model->params;

	for (size_t i = 0; i < setting_count; i++) {
		size_t index;

		if (!find_param(settings[i].name, diag, &index))
			return TAKT_NOT_FOUND;
		if (!read_value(&settings[i], params[index].unit, diag, param_at(&values, index)))
			return TAKT_BAD_INPUT;
	}
	if (!takt_params_check(&values, diag))
		return TAKT_BAD_INPUT;
	*ret_model = takt_model_change(model, &(struct takt_model_change){.params = &values});
	return TAKT_OK;
}
