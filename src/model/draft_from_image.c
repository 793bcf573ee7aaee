/* SPDX-License-Identifier: MIT */
/* Makes drafts of an image's cores, so that users' files can inherit from built-in ones. */
#include <string.h>

#include "model/draft.h"

static const struct takt_source_draft *source_at(const struct takt_image *image, uint32_t index,
						 struct takt_arena *arena)
{
	struct takt_source_draft *source = TAKT_NEW(arena, struct takt_source_draft);
	const char *text;

	*source = (struct takt_source_draft){"?", "", TAKT_ORIGIN_NONE};
	if (index < image->sources_count && image->sources[index].origin < TAKT_ORIGIN_COUNT) {
		source->tag = takt_image_string(image, image->sources[index].tag);
		source->origin = (enum takt_origin)image->sources[index].origin;
		/* The stored text begins with "origin: ". */
		text = strstr(takt_image_string(image, image->sources[index].text), ": ");
		source->text = text ? text + 2 : "";
	}
	return source;
}

/* Copy all sources of the image at once, so that rows share them. */
static const struct takt_source_draft **copy_sources(const struct takt_image *image,
						     struct takt_arena *arena)
{
	const struct takt_source_draft **sources =
		TAKT_NEW_ARRAY(arena, UINT8_MAX + 1, const struct takt_source_draft *);

	for (uint32_t i = 0; i <= UINT8_MAX; i++)
		sources[i] = source_at(image, i, arena);
	return sources;
}

static struct takt_row make_row(const struct takt_image *image,
				const struct takt_image_timing *stored, takt_form_key form,
				const struct takt_source_draft *const *sources,
				const struct takt_model_text *text)
{
	struct takt_row row = {.form = form, .text = text, .source = sources[stored->source]};

	takt_timing_from_image(image, stored, TAKT_MATCH_ROW, &row.timing);
	return row;
}

static void copy_ports(const struct takt_image_core *core, struct takt_port_list *ports)
{
	ports->count = core->port_count < TAKT_PORTS_MAX ? core->port_count : TAKT_PORTS_MAX;
	memcpy(ports->names, core->ports, sizeof(ports->names));
	ports->pseudo = core->pseudo_ports;
}

static struct takt_model_text *make_text(const struct takt_image *image,
					 const struct takt_image_core *core,
					 struct takt_arena *arena)
{
	struct takt_model_text *text = TAKT_NEW(arena, struct takt_model_text);

	copy_ports(core, &text->ports);
	text->isa = takt_isa_of_name(takt_image_string(image, core->isa));
	if (!text->isa)
		text->isa = &takt_isa_x86;
	return text;
}

static const struct takt_row *named_row(const struct takt_image *image, uint32_t number,
					const struct takt_source_draft *const *sources,
					const struct takt_model_text *text,
					struct takt_arena *arena)
{
	const struct takt_image_timing *stored = takt_image_timing_at(image, number);
	struct takt_row *row;

	if (!stored)
		return NULL;
	row = TAKT_NEW(arena, struct takt_row);
	*row = make_row(image, stored, 0, sources, text);
	return row;
}

static void add_fuse(struct takt_core_draft *draft, const struct takt_fuse *fuse)
{
	draft->fuses[draft->fuse_count++] = *fuse;
	if (fuse->set > draft->fuse_sets)
		draft->fuse_sets = fuse->set;
}

static void copy_fusion(const struct takt_image *image, const struct takt_image_core *core,
			struct takt_core_draft *draft)
{
	draft->fuses_given = true;
	draft->fuse_not = core->fuse_not;
	for (uint32_t i = 0; i < core->fuse_count && i < TAKT_FUSES_MAX; i++)
		if ((uint64_t)core->fuse_index + i < image->fuses_count)
			add_fuse(draft, &image->fuses[core->fuse_index + i]);
	for (uint32_t i = 0; i < core->cpuid_count && i < TAKT_CPUIDS_MAX; i++)
		if ((uint64_t)core->cpuid_index + i < image->cpuids_count) {
			const struct takt_image_cpuid *cpuid =
				&image->cpuids[core->cpuid_index + i];

			draft->cpuid_analogies[i] = takt_image_string(image, cpuid->analogy);
			draft->cpuids[draft->cpuid_count++] = *cpuid;
		}
}

struct takt_core_draft *takt_core_from_image(const struct takt_image *image,
					     const struct takt_image_core *core,
					     struct takt_arena *arena)
{
	struct takt_core_draft *draft = TAKT_NEW(arena, struct takt_core_draft);
	const struct takt_source_draft **sources = copy_sources(image, arena);

	draft->name = takt_image_string(image, core->name);
	draft->title = takt_image_string(image, core->title);
	draft->aliases = takt_image_string(image, core->aliases);
	draft->analogies = takt_image_string(image, core->analogies);
	draft->vendor = takt_image_string(image, core->vendor);
	draft->isa = takt_image_string(image, core->isa);
	draft->timing = takt_image_string(image, core->timing);
	draft->text = make_text(image, core, arena);
	draft->scheduler_text = draft->unit_text = draft->text;
	copy_ports(core, &draft->ports);
	draft->scheduler_count = core->scheduler_count < TAKT_SCHEDULERS_MAX ? core->scheduler_count
									     : TAKT_SCHEDULERS_MAX;
	memcpy(draft->schedulers, core->schedulers, sizeof(draft->schedulers));
	for (uint32_t i = 0; i < draft->scheduler_count; i++)
		draft->scheduler_sources[i] = sources[core->schedulers[i].source];
	for (uint32_t i = 0; i < draft->ports.count; i++)
		draft->port_titles[i] = takt_image_string(image, core->port_titles[i]);
	for (size_t i = 0; i < TAKT_PARAM_COUNT; i++) {
		draft->params[i] = core->params[i];
		if (core->param_sources[i])
			draft->param_sources[i] = sources[core->param_sources[i] - 1];
	}
	for (uint32_t i = 0; i < core->unit_count && i < TAKT_UNITS_MAX; i++) {
		if ((uint64_t)core->unit_index + i >= image->units_count)
			break;
		draft->units[i] = image->units[core->unit_index + i];
		draft->unit_names[i] = takt_image_string(image, draft->units[i].name);
		draft->unit_count++;
	}
	draft->isa_sets_given = true;
	memcpy(draft->isa_sets, core->isa_sets, sizeof(draft->isa_sets));
	copy_fusion(image, core, draft);
	for (size_t i = 0; i < TAKT_COMPOSE_COUNT; i++)
		draft->compose[i] = named_row(image, core->compose[i], sources, draft->text, arena);
	for (size_t i = 0; i < TAKT_CLASS_COUNT; i++)
		draft->defaults[i] =
			named_row(image, core->defaults[i], sources, draft->text, arena);
	return draft;
}

struct takt_timing_draft *takt_timing_draft_from_image(const struct takt_image *image,
						       const struct takt_image_core *core,
						       struct takt_arena *arena)
{
	struct takt_timing_draft *draft = TAKT_NEW(arena, struct takt_timing_draft);
	const struct takt_source_draft **sources = copy_sources(image, arena);
	const uint32_t *column = takt_image_column(image, core);

	draft->name = takt_image_string(image, core->timing);
	draft->text = make_text(image, core, arena);
	draft->rows = TAKT_NEW_ARRAY(arena, image->forms_count, struct takt_row);
	for (uint32_t slot = 0; slot < image->forms_count; slot++) {
		const struct takt_image_timing *stored = takt_image_timing_at(image, column[slot]);

		if (stored)
			draft->rows[draft->row_count++] =
				make_row(image, stored, image->forms[slot], sources, draft->text);
	}
	return draft;
}
