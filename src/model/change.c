/* SPDX-License-Identifier: MIT */
/* Hypothetical cores that differ from a given one in parameters or ports. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/image.h"

/* Name the port that is added: "+p5" if there is room for it, or else "+" and its number. */
static void name_twin(struct takt_image_core *core, uint32_t of, uint32_t port, uint32_t number)
{
	char name[sizeof(core->ports[0])];

	memcpy(name, core->ports[of], sizeof(name));
	if (name[sizeof(name) - 2])
		snprintf(name, sizeof(name), "%u", number % 100);
	core->ports[port][0] = '+';
	memcpy(core->ports[port] + 1, name, sizeof(name) - 1);
}

/* Add a port that may execute all µops of the port with the mask `of`, if there is room. */
static void add_twin(struct takt_model *changed, uint32_t of)
{
	struct takt_image_core *core = changed->changed_core;
	uint32_t port = takt_model_port_count(changed), mask;

	if (port >= TAKT_PORTS_MAX || changed->twin_count == TAKT_TWINS_MAX)
		return;
	mask = (uint32_t)1 << port;
	changed->twins[changed->twin_count].of = of;
	changed->twins[changed->twin_count++].port = mask;
	core->port_count = port + 1;
	name_twin(core, (uint32_t)__builtin_ctz(of), port, changed->twin_count);
	if (core->pseudo_ports & of)
		core->pseudo_ports |= mask;
	for (uint32_t i = 0; i < core->scheduler_count && i < TAKT_SCHEDULERS_MAX; i++)
		if (core->schedulers[i].ports & of)
			core->schedulers[i].ports |= mask;
}

/* Give the model its own copy of the list of pairs. */
static void set_fusing(struct takt_model *model, const struct takt_fusing *fusing)
{
	model->changed_fuses = takt_xcalloc(fusing->count + 1, sizeof(*model->changed_fuses));
	if (fusing->count)
		memcpy(model->changed_fuses, fusing->fuses, fusing->count * sizeof(*fusing->fuses));
	model->image.fuses = model->changed_fuses;
	model->image.fuses_count = fusing->count;
	model->changed_core->fuse_index = 0;
	model->changed_core->fuse_count = fusing->count;
	model->changed_core->fuse_not = fusing->restrictions;
}

struct takt_model *takt_model_change(const struct takt_model *model,
				     const struct takt_model_change *change)
{
	struct takt_model *changed = takt_xcalloc(1, sizeof(*changed));

	*changed = *model;
	changed->owned = (struct takt_image_bytes){NULL, 0};
	changed->recognition_text = NULL;
	changed->changed_fuses = NULL;
	changed->changed_core = takt_xcalloc(1, sizeof(*changed->changed_core));
	*changed->changed_core = *model->core;
	changed->core = changed->changed_core;
	changed->load_cycles_less += change->load_cycles_less;
	if (change->params)
		changed->params = *change->params;
	if (change->schedulers)
		memcpy(changed->changed_core->schedulers, change->schedulers,
		       model->core->scheduler_count * sizeof(*change->schedulers));
	if (change->fusing)
		set_fusing(changed, change->fusing);
	changed->spared_ports |= change->spared_ports;
	if (change->twin_ports)
		add_twin(changed, change->twin_ports);
	return changed;
}

/* ---- settings -------------------------------------------------------------------- */

/* Limits of parameters: far more than any core has, and within what the engines have room for. */
#define ENTRIES_MAX 1024
#define WIDTH_MAX 64
#define CYCLES_MAX 1024
#define MEMORY_QUEUE_LEAST TAKT_MEMORIES_MAX /* fewer, and an instruction could wait for ever */

/* Find a parameter by name. False, after an error, if there is none. */
static bool find_param(const char *name, struct takt_diag *diag, size_t *ret_index)
{
	const char *names[TAKT_PARAM_COUNT];
	struct takt_text near = {0};

	for (size_t i = 0; i < TAKT_PARAM_COUNT; i++) {
		names[i] = takt_param_texts[i].name;
		if (strcmp(names[i], name) != 0)
			continue;
		*ret_index = i;
		return true;
	}
	takt_error(diag, "no parameter '%s'", name);
	if (takt_nearest_names(name, names, TAKT_PARAM_COUNT, 3, &near))
		takt_note(diag, "did you mean %s?", near.data);
	else
		takt_note(diag, "'takt model show CORE' lists them");
	takt_text_release(&near);
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
		RANGE(store_forward_accesses, 1, 2),
		RANGE(store_bypass_flush_cycles, 0, CYCLES_MAX),
		RANGE(store_bypass_wait_executions, 0, UINT8_MAX),
		RANGE(store_bypass_wait_cycles, 0, CYCLES_MAX),
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

/* ---- ports ------------------------------------------------------------------------ */

#define PORT_WORD "port."
#define PORTS_MOST 4

/* Return the mask of the port that a setting such as "port.p5" names; 0 if it names none. */
static uint32_t port_of_setting(const struct takt_model *model, const char *name)
{
	uint32_t count = takt_model_port_count(model);

	if (!takt_string_starts(name, PORT_WORD))
		return 0;
	for (uint32_t port = 0; port < count; port++)
		if (strcmp(takt_model_port_name(model, port), name + strlen(PORT_WORD)) == 0)
			return (uint32_t)1 << port;
	return 0;
}

bool takt_model_has_setting(const struct takt_model *model, const char *name)
{
	return !takt_string_starts(name, PORT_WORD) || port_of_setting(model, name) != 0;
}

/* Note how many of a port the core is to have, in the model whose ports are counted. */
static enum takt_status set_port(struct takt_model *changed, const struct takt_setting *setting,
				 struct takt_diag *diag)
{
	uint32_t port = port_of_setting(changed, setting->name), count;
	uint32_t least = takt_model_pseudo_ports(changed) & port ? 1 : 0;

	if (!port) {
		takt_error(diag, "core '%s' has no port '%s'", takt_model_name(changed),
			   setting->name + strlen(PORT_WORD));
		takt_note(diag, "'takt model show %s' lists its ports", takt_model_name(changed));
		return TAKT_NOT_FOUND;
	}
	if (!takt_word_number((struct takt_word){setting->value, strlen(setting->value)},
			      PORTS_MOST, &count) ||
	    count < least) {
		takt_error(diag, "'%s' is a number from %u to %d, not '%.60s'", setting->name,
			   least, PORTS_MOST, setting->value);
		return TAKT_BAD_INPUT;
	}
	if (!count)
		changed->spared_ports |= port;
	for (; count > 1; count--) {
		if (takt_model_port_count(changed) >= TAKT_PORTS_MAX ||
		    changed->twin_count == TAKT_TWINS_MAX) {
			takt_error(diag, "'%s': no more than %u ports can be added, or %u in all",
				   setting->name, TAKT_TWINS_MAX, TAKT_PORTS_MAX);
			return TAKT_BAD_INPUT;
		}
		add_twin(changed, port);
	}
	return TAKT_OK;
}

static enum takt_status set_ports(struct takt_model *changed, const struct takt_setting *settings,
				  size_t setting_count, struct takt_diag *diag)
{
	for (size_t i = 0; i < setting_count; i++) {
		enum takt_status status = TAKT_OK;

		if (takt_string_starts(settings[i].name, PORT_WORD))
			status = set_port(changed, &settings[i], diag);
		if (status != TAKT_OK)
			return status;
	}
	return TAKT_OK;
}

enum takt_status takt_model_set(const struct takt_model *model, const struct takt_setting *settings,
				size_t setting_count, struct takt_diag *diag,
				struct takt_model **ret_model)
{
	union {
		struct takt_core_params params;
		int32_t values[TAKT_PARAM_COUNT];
	} changes = {.params = model->params};
	struct takt_model *changed;
	enum takt_status status;

	for (size_t i = 0; i < setting_count; i++) {
		size_t index;

		if (takt_string_starts(settings[i].name, PORT_WORD))
			continue;
		if (!find_param(settings[i].name, diag, &index))
			return TAKT_NOT_FOUND;
		if (!read_value(&settings[i], takt_param_texts[index].unit, diag,
				&changes.values[index]))
			return TAKT_BAD_INPUT;
	}
	if (!takt_params_check(&changes.params, diag))
		return TAKT_BAD_INPUT;
	changed = takt_model_change(model, &(struct takt_model_change){.params = &changes.params});
	status = set_ports(changed, settings, setting_count, diag);
	if (status == TAKT_OK)
		*ret_model = changed;
	else
		takt_model_close(changed);
	return status;
}
