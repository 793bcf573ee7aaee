/* SPDX-License-Identifier: MIT */
/* Makes and reads an opened model: its parameters, ports and sources. */
#include <stdlib.h>
#include <string.h>

#include "model/image.h"

/*
 * Find the row for an operation on memory, or the nearest that the core has: widths from the
 * wanted one down to narrower ones, and within a width the indexed row before the plain one.
 */
static const struct takt_image_timing *
find_compose(const struct takt_image *image, const struct takt_image_core *core, unsigned compose)
{
	unsigned operation = compose & TAKT_COMPOSE_STORE;
	unsigned indexed = compose & TAKT_COMPOSE_INDEXED;

	for (unsigned width = (compose & TAKT_COMPOSE_ZMM) >> 1;; width--) {
		unsigned row = operation | width << 1;
		const struct takt_image_timing *timing = NULL;

		if (indexed)
			timing = takt_image_timing_at(image, core->compose[row | indexed]);
		if (!timing)
			timing = takt_image_timing_at(image, core->compose[row]);
		if (timing || width == 0)
			return timing;
	}
}

struct takt_model *takt_model_from_image(const struct takt_image *image,
					 const struct takt_image_core *core,
					 struct takt_image_bytes owned)
{
	struct takt_model *model = takt_xcalloc(1, sizeof(*model));

	model->isa = takt_isa_of_name(takt_image_string(image, core->isa));
	if (!model->isa)
		model->isa = &takt_isa_x86;
	model->image = *image;
	model->core = core;
	model->column = takt_image_column(image, core);
	model->owned = owned;
	memcpy(&model->params, core->params, sizeof(model->params));
	for (unsigned i = 0; i < TAKT_COMPOSE_COUNT; i++)
		model->compose[i] = find_compose(image, core, i);
	return model;
}

const char *takt_model_timing_name(const struct takt_model *model)
{
	return takt_image_string(&model->image, model->core->timing);
}

const struct takt_scheduler *takt_model_schedulers(const struct takt_model *model,
						   uint32_t *ret_count)
{
	*ret_count = model->core->scheduler_count < TAKT_SCHEDULERS_MAX
			     ? model->core->scheduler_count
			     : TAKT_SCHEDULERS_MAX;
	return model->core->schedulers;
}

void takt_model_close(struct takt_model *model)
{
	if (!model)
		return;
	takt_image_free(model->owned);
	free(model->changed_core);
	free(model->changed_fuses);
	free(model->recognition_text);
	free(model);
}

void takt_model_set_recognition(struct takt_model *model,
				const struct takt_recognition *recognition)
{
	const char *strings[] = {recognition->processor, recognition->claimed, recognition->taken,
				 recognition->reason,	 recognition->by,      recognition->note,
				 recognition->chosen};
	const char **copies[] = {&model->recognition.processor, &model->recognition.claimed,
				 &model->recognition.taken,	&model->recognition.reason,
				 &model->recognition.by,	&model->recognition.note,
				 &model->recognition.chosen};
	size_t size = 0;
	char *at;

	for (size_t i = 0; i < TAKT_COUNT_OF(strings); i++)
		size += strlen(strings[i]) + 1;
	model->recognition_text = at = takt_xcalloc(1, size);
	for (size_t i = 0; i < TAKT_COUNT_OF(strings); i++) {
		size = strlen(strings[i]) + 1;
		memcpy(at, strings[i], size);
		*copies[i] = at;
		at += size;
	}
}

const struct takt_recognition *takt_model_recognition(const struct takt_model *model)
{
	return model->recognition.taken ? &model->recognition : NULL;
}

const char *takt_model_doubt(const struct takt_model *model)
{
	return model->recognition.taken && *model->recognition.note ? model->recognition.note
								    : NULL;
}

const char *takt_model_choice(const struct takt_model *model)
{
	return model->recognition.taken ? model->recognition.chosen : NULL;
}

const char *takt_model_name(const struct takt_model *model)
{
	return takt_image_string(&model->image, model->core->name);
}

const char *takt_model_title(const struct takt_model *model)
{
	return takt_image_string(&model->image, model->core->title);
}

const struct takt_isa *takt_model_isa(const struct takt_model *model)
{
	return model->isa;
}

const char *takt_model_isa_name(const struct takt_model *model)
{
	return takt_model_isa(model)->name;
}

const struct takt_core_params *takt_model_params(const struct takt_model *model)
{
	return &model->params;
}

uint32_t takt_model_port_count(const struct takt_model *model)
{
	uint32_t count = model->core->port_count;

	return count < TAKT_PORTS_MAX ? count : TAKT_PORTS_MAX;
}

const char *takt_model_port_name(const struct takt_model *model, uint32_t port)
{
	const char *name;

	if (port >= takt_model_port_count(model))
		return "";
	name = model->core->ports[port];
	return name[sizeof(model->core->ports[0]) - 1] == '\0' ? name : "";
}

const char *takt_model_port_title(const struct takt_model *model, uint32_t port)
{
	if (port >= takt_model_port_count(model))
		return "";
	return takt_image_string(&model->image, model->core->port_titles[port]);
}

uint32_t takt_model_pseudo_ports(const struct takt_model *model)
{
	return model->core->pseudo_ports;
}

void takt_model_ports(const struct takt_model *model, struct takt_port_list *ret_ports)
{
	*ret_ports = (struct takt_port_list){.count = takt_model_port_count(model),
					     .pseudo = model->core->pseudo_ports};
	for (uint32_t i = 0; i < ret_ports->count; i++)
		memcpy(ret_ports->names[i], model->core->ports[i], 2);
}

const char *takt_model_source(const struct takt_model *model, uint8_t source)
{
	if (source >= model->image.sources_count)
		return "";
	return takt_image_string(&model->image, model->image.sources[source].text);
}

bool takt_model_has_units(const struct takt_model *model)
{
	const struct takt_image_core *core = model->core;

	if ((uint64_t)core->unit_index + core->unit_count > model->image.units_count)
		return false;
	for (uint32_t i = 0; i < core->unit_count; i++) {
		const struct takt_image_unit *unit = &model->image.units[core->unit_index + i];

		if (!strchr(takt_image_string(&model->image, unit->name), ':'))
			return true;
	}
	return false;
}

uint32_t takt_model_unit_ports(const struct takt_model *model, const char *name)
{
	const struct takt_image_core *core = model->core;

	if ((uint64_t)core->unit_index + core->unit_count > model->image.units_count)
		return 0;
	for (uint32_t i = 0; i < core->unit_count; i++) {
		const struct takt_image_unit *unit = &model->image.units[core->unit_index + i];

		if (strcmp(takt_image_string(&model->image, unit->name), name) == 0)
			return unit->ports;
	}
	return 0;
}

bool takt_model_supports(const struct takt_model *model, const struct takt_insn *insn)
{
	/* ISA set 0 means that the set is not known, so no core is said to lack it. */
	if (insn->isa_set == 0 || insn->isa_set >= TAKT_IMAGE_ISA_WORDS * 64)
		return true;
	return model->core->isa_sets[insn->isa_set / 64] >> insn->isa_set % 64 & 1;
}
