/* SPDX-License-Identifier: MIT */
/*
 * Writes models as text. takt_model_write_show() writes a core file or, with a glob, a timing
 * file; both can be read back.
 */
#include <string.h>

#include "model/image.h"

/* ---- sources ------------------------------------------------------------------ */

/*
 * New tags for the sources of a model. Each file has its own tags, so merged files may use one tag
 * for two sources.
 */
struct tags {
	bool used[UINT8_MAX + 1];
	char names[UINT8_MAX + 1][12];
};

static bool is_taken(const struct tags *tags, const char *name)
{
	for (unsigned i = 0; i <= UINT8_MAX; i++)
		if (tags->used[i] && strcmp(tags->names[i], name) == 0)
			return true;
	return false;
}

/* Give the source its own tag, with a number after it if another source has that tag too. */
static void use_source(const struct takt_image *image, uint8_t source, struct tags *tags)
{
	char name[sizeof(tags->names[0])] = "";
	struct takt_text text = {0};

	if (tags->used[source] || source >= image->sources_count)
		return;
	for (unsigned number = 1; !*name || is_taken(tags, name); number++) {
		takt_text_clear(&text);
		takt_text_printf(&text, "%.*s", number > 1 ? 5 : 8,
				 takt_image_string(image, image->sources[source].tag));
		if (number > 1)
			takt_text_printf(&text, "%u", number);
		memcpy(name, text.data, text.size_bytes + 1);
	}
	memcpy(tags->names[source], name, sizeof(name));
	tags->used[source] = true;
	takt_text_release(&text);
}

static void write_sources(const struct takt_image *image, const struct tags *tags,
			  struct takt_text *text)
{
	for (uint8_t i = 0; i < UINT8_MAX; i++) {
		const struct takt_image_source *source = &image->sources[i];
		const char *words;

		if (!tags->used[i])
			continue;
		words = strstr(takt_image_string(image, source->text), ": ");
		takt_text_printf(text, "source %s %s  %s\n", tags->names[i],
				 takt_origin_word((enum takt_origin)source->origin),
				 words ? words + 2 : "");
	}
	takt_text_add_string(text, "\n");
}

/* ---- a core ---------------------------------------------------------------------- */

static void write_line(struct takt_text *text, const char *name, const char *value)
{
	if (*value)
		takt_text_printf(text, "%-11s %s\n", name, value);
}

static void write_cpuids(const struct takt_model *model, struct takt_text *text)
{
	const struct takt_image_core *core = model->core;

	for (uint32_t i = 0; i < core->cpuid_count; i++) {
		const struct takt_image_cpuid *cpuid;

		if ((uint64_t)core->cpuid_index + i >= model->image.cpuids_count)
			return;
		cpuid = &model->image.cpuids[core->cpuid_index + i];
		takt_text_printf(text, "cpuid       %u %u", cpuid->family, cpuid->model_first);
		if (cpuid->model_last != cpuid->model_first)
			takt_text_printf(text, "-%u", cpuid->model_last);
		if (cpuid->stepping_first != 0 || cpuid->stepping_last != UINT16_MAX)
			takt_text_printf(text, " %u-%u", cpuid->stepping_first,
					 cpuid->stepping_last);
		if (cpuid->analogy)
			takt_text_printf(text, " by-analogy %s",
					 takt_image_string(&model->image, cpuid->analogy));
		takt_text_add_string(text, "\n");
	}
}

static void write_extensions(const struct takt_image_core *core, struct takt_text *text)
{
	size_t start = text->size_bytes;

	for (uint16_t i = 0; i < takt_isa_set_count() && i < TAKT_IMAGE_ISA_WORDS * 64; i++) {
		if (!(core->isa_sets[i / 64] >> i % 64 & 1))
			continue;
		if (text->size_bytes == start || text->size_bytes - start > 80) {
			if (text->size_bytes != start)
				takt_text_add_string(text, "\n");
			start = text->size_bytes;
			takt_text_add_string(text, "extensions ");
		}
		takt_text_printf(text, " %s", takt_isa_set_name(i));
	}
	takt_text_add_string(text, "\n");
}

static void write_port_mask(const struct takt_model *model, uint32_t ports, struct takt_text *text)
{
	for (; ports; ports &= ports - 1)
		takt_text_add_string(text,
				     takt_model_port_name(model, (uint32_t)__builtin_ctz(ports)));
}

static void write_schedulers(const struct takt_model *model, const struct tags *tags,
			     struct takt_text *text)
{
	uint32_t count;
	const struct takt_scheduler *schedulers = takt_model_schedulers(model, &count);

	for (uint32_t i = 0; i < count; i++) {
		takt_text_printf(text, "scheduler   %u", schedulers[i].entries);
		if (schedulers[i].queue_entries)
			takt_text_printf(text, "+%u", schedulers[i].queue_entries);
		takt_text_add_string(text, " ");
		write_port_mask(model, schedulers[i].ports, text);
		takt_text_printf(text, "  %s\n", tags->names[schedulers[i].source]);
	}
}

static void write_units(const struct takt_model *model, struct takt_text *text)
{
	const struct takt_image_core *core = model->core;

	for (uint32_t i = 0; i < core->unit_count; i++) {
		const struct takt_image_unit *unit;

		if ((uint64_t)core->unit_index + i >= model->image.units_count)
			return;
		unit = &model->image.units[core->unit_index + i];
		takt_text_printf(text, "unit        %s ",
				 takt_image_string(&model->image, unit->name));
		write_port_mask(model, unit->ports, text);
		takt_text_add_string(text, "\n");
	}
}

static void write_ports(const struct takt_model *model, const struct tags *tags,
			struct takt_text *text)
{
	uint32_t pseudo = takt_model_pseudo_ports(model), count = takt_model_port_count(model);

	if (count == 0)
		return;
	takt_text_add_string(text, "ports      ");
	for (uint32_t i = 0; i < count; i++)
		takt_text_printf(text, " %s", takt_model_port_name(model, i));
	takt_text_add_string(text, "\n");
	for (uint32_t i = 0; i < count; i++)
		if (pseudo >> i & 1)
			takt_text_printf(
				text, "pseudo      %s %s\n", takt_model_port_name(model, i),
				takt_image_string(&model->image, model->core->port_titles[i]));
	write_schedulers(model, tags, text);
	write_units(model, text);
	takt_text_add_string(text, "\n");
}

/* Column at which the comment after a parameter begins. */
#define HELP_COLUMN 44

/* Write all parameters; those that the core does not set are comments with their defaults. */
static void write_params(const struct takt_model *model, const struct tags *tags,
			 struct takt_text *text)
{
	for (size_t i = 0; i < TAKT_PARAM_COUNT; i++) {
		const struct takt_param_text *param = &takt_param_texts[i];
		bool yes_no = strcmp(param->unit, "yes/no") == 0;
		uint8_t source = model->core->param_sources[i];
		size_t start = text->size_bytes;

		takt_text_printf(text, "%s%-30s ", source ? "" : "# ", param->name);
		if (yes_no)
			takt_text_add_string(text, model->core->params[i] ? "yes" : "no");
		else
			takt_text_printf(text, "%d", model->core->params[i]);
		if (source)
			takt_text_printf(text, "  %s", tags->names[source - 1]);
		if (text->size_bytes - start < HELP_COLUMN)
			takt_text_pad(text, ' ', HELP_COLUMN - (text->size_bytes - start));
		takt_text_printf(text, "# %s", param->help);
		if (!yes_no)
			takt_text_printf(text, " [%s]", param->unit);
		takt_text_add_string(text, source ? "\n" : " (not set)\n");
	}
	takt_text_add_string(text, "\n");
}

static void write_fuses(const struct takt_model *model, struct takt_text *text)
{
	struct takt_fusing fusing = takt_model_fusing(model);

	takt_fusing_write(model->isa, &fusing, text);
	if (fusing.count || fusing.restrictions)
		takt_text_add_string(text, "\n");
}

/* A row such as `compose NAME | …` or `default NAME | …`. */
struct named_row {
	const char *kind, *name;
	uint32_t number;
	unsigned slots; /* of a compose row that does not set them */
};

/* Write a row. Unset fields of compose rows are left out. */
static void write_named_row(const struct takt_model *model, const struct named_row *row,
			    const struct tags *tags, struct takt_text *text)
{
	const struct takt_image_timing *stored = takt_image_timing_at(&model->image, row->number);
	struct takt_port_list ports;
	struct takt_timing timing;

	if (!stored)
		return;
	takt_model_ports(model, &ports);
	takt_timing_from_image(&model->image, stored, TAKT_MATCH_ROW, &timing);
	takt_text_printf(text, "%-7s %-20s | ", row->kind, row->name);
	takt_uops_write(&timing, &ports, text);
	takt_text_add_string(text, " |");
	if (strcmp(row->kind, "compose") != 0) {
		takt_text_add_string(text, " ");
		takt_attributes_write(model->isa, 0, &timing, &ports, tags->names[timing.source],
				      text);
	} else {
		if (timing.latency_default != UINT16_MAX)
			takt_text_printf(text, " lat=%u", timing.latency_default);
		if (timing.slots != row->slots)
			takt_text_printf(text, " slots=%u", timing.slots);
		if (timing.mite != timing.slots)
			takt_text_printf(text, " mite=%u", timing.mite);
		if (timing.flags & TAKT_TIMING_COMPLEX)
			takt_text_add_string(text, " complex");
		takt_text_printf(text, " src=%s", tags->names[timing.source]);
	}
	takt_text_add_string(text, "\n");
}

static void use_row_source(const struct takt_model *model, uint32_t number, struct tags *tags)
{
	const struct takt_image_timing *timing = takt_image_timing_at(&model->image, number);

	if (timing)
		use_source(&model->image, timing->source, tags);
}

static void write_core(const struct takt_model *model, struct takt_text *text)
{
	const struct takt_image_core *core = model->core;
	const struct takt_image *image = &model->image;
	struct tags tags = {0};

	for (size_t i = 0; i < TAKT_PARAM_COUNT; i++)
		if (core->param_sources[i])
			use_source(image, (uint8_t)(core->param_sources[i] - 1), &tags);
	for (uint32_t i = 0; i < core->scheduler_count && i < TAKT_SCHEDULERS_MAX; i++)
		use_source(image, core->schedulers[i].source, &tags);
	for (unsigned i = 0; i < TAKT_COMPOSE_COUNT; i++)
		use_row_source(model, core->compose[i], &tags);
	for (unsigned i = 0; i < TAKT_CLASS_COUNT; i++)
		use_row_source(model, core->defaults[i], &tags);
	takt_text_add_string(text, "takt core 1\n");
	write_line(text, "name", takt_model_name(model));
	write_line(text, "title", takt_model_title(model));
	write_line(text, "aliases", takt_image_string(image, core->aliases));
	write_line(text, "analogies", takt_image_string(image, core->analogies));
	write_line(text, "vendor", takt_image_string(image, core->vendor));
	write_cpuids(model, text);
	write_line(text, "isa", takt_image_string(image, core->isa));
	write_line(text, "timing", takt_image_string(image, core->timing));
	write_extensions(core, text);
	takt_text_add_string(text, "\n");
	write_sources(image, &tags, text);
	write_ports(model, &tags, text);
	write_params(model, &tags, text);
	write_fuses(model, text);
	for (unsigned i = 0; i < TAKT_COMPOSE_COUNT; i++)
		write_named_row(model,
				&(struct named_row){"compose", takt_compose_name(i),
						    core->compose[i],
						    i & TAKT_COMPOSE_STORE ? 1 : 0},
				&tags, text);
	takt_text_add_string(text, "\n");
	for (unsigned i = 0; i < TAKT_CLASS_COUNT; i++)
		write_named_row(model,
				&(struct named_row){"default",
						    takt_class_word((enum takt_insn_class)i),
						    core->defaults[i], 0},
				&tags, text);
}

/* ---- rows ------------------------------------------------------------------------ */

static void write_rows(const struct takt_model *model, const char *glob, struct takt_text *text)
{
	const struct takt_image *image = &model->image;
	struct takt_arena arena = {0};
	struct takt_form_entry *forms;
	size_t count = takt_model_forms(model, glob, &arena, &forms);
	struct takt_port_list ports;
	struct tags tags = {0};

	takt_model_ports(model, &ports);
	for (size_t i = 0; i < count; i++)
		use_source(image, forms[i].timing->source, &tags);
	takt_text_add_string(text, "takt timing 1\n");
	write_line(text, "name", takt_image_string(image, model->core->timing));
	if (model->isa != &takt_isa_x86)
		write_line(text, "isa", model->isa->name);
	write_sources(image, &tags, text);
	for (size_t i = 0; i < count; i++) {
		struct takt_timing timing;

		takt_timing_from_image(image, forms[i].timing, TAKT_MATCH_ROW, &timing);
		takt_timing_row_write(model->isa, forms[i].form, &timing, &ports,
				      tags.names[timing.source], text);
	}
	if (!count)
		takt_text_printf(text, "# no form matches '%s'\n", glob);
	takt_arena_release(&arena);
}

void takt_model_write_show(const struct takt_model *model, const char *forms,
			   struct takt_text *text)
{
	if (forms)
		write_rows(model, forms, text);
	else
		write_core(model, text);
}
