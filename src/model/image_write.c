/* SPDX-License-Identifier: MIT */
/* Writes drafts to an image. This is deterministic: equal data gives equal bytes. */
#include <stdlib.h>
#include <string.h>

#include "model/draft.h"
#include "model/pool.h"

#define UNKNOWN_PORT_ERRORS_MAX 20u

struct writer {
	struct takt_arena *arena;
	struct takt_diag *diag;
	const struct takt_loaded_core *cores;
	size_t core_count;
	struct takt_pool pools[TAKT_IMAGE_SECTION_COUNT]; /* for the sections that are pools */
	uint64_t *forms;
	uint16_t *variants;
	uint32_t form_count; /* slots of the hash table */
	uint32_t *columns;
	size_t error_count;
};

static uint32_t add_string(struct writer *writer, const char *string)
{
	if (!string)
		string = "";
	return takt_pool_add(&writer->pools[TAKT_IMAGE_STRINGS], string, strlen(string) + 1);
}

/* Add an array of `count` elements to a pool of such elements and return its index. */
static uint32_t add_array(struct writer *writer, enum takt_image_section section, const void *data,
			  size_t count, size_t element_bytes)
{
	return takt_pool_add(&writer->pools[section], data, count * element_bytes) /
	       (uint32_t)element_bytes;
}

static uint8_t add_source(struct writer *writer, const struct takt_source_draft *source)
{
	struct takt_image_source stored = {
		.tag = add_string(writer, source->tag),
		.text = add_string(writer, takt_arena_printf(writer->arena, "%s: %s",
							     takt_origin_word(source->origin),
							     source->text)),
		.origin = source->origin,
	};
	uint32_t index = add_array(writer, TAKT_IMAGE_SOURCES, &stored, 1, sizeof(stored));

	if (index >= TAKT_SOURCES_MAX) {
		if (writer->error_count++ == 0)
			takt_error(writer->diag, "more than %u different sources",
				   TAKT_SOURCES_MAX);
		return 0;
	}
	return (uint8_t)index;
}

/* ---- timings ------------------------------------------------------------------ */

/* Find a port's column in the row: in port names run together, the digit after its letter. */
static void find_port(struct takt_place *place, const char *name)
{
	const char *at = place->excerpt ? strchr(place->excerpt, '|') : NULL;
	char letter = 0;

	for (; at && *at && !place->column; at++) {
		if (*at >= 'a' && *at <= 'z') {
			letter = *at;
		} else if (letter == name[0] && *at == name[1]) {
			bool beside = at[-1] == letter;

			place->column = (uint32_t)(at - place->excerpt) + (beside ? 0 : 1);
			place->width = beside ? 2 : 1;
		} else if (*at == '*') {
			letter = 0;
		}
	}
}

static void report_port(struct writer *writer, const struct takt_row *row, uint32_t port,
			const struct takt_core_draft *core)
{
	const char *name = row->text->ports.names[port];
	struct takt_place place = takt_text_place(row->text, row->line, NULL, writer->arena);
	struct takt_text known = {0}, form = {0};

	find_port(&place, name);
	if (writer->error_count++ >= UNKNOWN_PORT_ERRORS_MAX)
		return;
	takt_form_write(row->text->isa, row->form, &form);
	takt_error_at(writer->diag, &place, "unknown port '%s'%s%s", name, row->form ? " of " : "",
		      row->form ? takt_text_data(&form) : "");
	for (uint32_t i = 0; i < core->ports.count; i++)
		takt_text_printf(&known, " %s", core->ports.names[i]);
	takt_note(writer->diag, "%s has the ports%s", core->name, takt_text_data(&known));
	takt_text_release(&known);
	takt_text_release(&form);
}

/* Map a row's port mask to the core's numbering of ports. */
static uint32_t map_ports(struct writer *writer, const struct takt_row *row, uint32_t ports,
			  const struct takt_core_draft *core)
{
	uint32_t mapped = 0;

	while (ports) {
		uint32_t port = (uint32_t)__builtin_ctz(ports), i;

		ports &= ports - 1;
		for (i = 0; i < core->ports.count; i++)
			if (memcmp(core->ports.names[i], row->text->ports.names[port], 2) == 0)
				break;
		if (i == core->ports.count)
			report_port(writer, row, port, core);
		else
			mapped |= (uint32_t)1 << i;
	}
	return mapped;
}

static uint16_t cut16(uint32_t value)
{
	return (uint16_t)(value < TAKT_COUNT_MAX ? value : TAKT_COUNT_MAX);
}

/* Fill the counts that a row does not give. `extra`: slots of a compose row, else negative. */
static void fill_counts(struct takt_image_timing *stored, uint32_t executed, int extra)
{
	if (stored->uop_total == TAKT_ROW_UNSET)
		stored->uop_total = cut16(executed);
	if (stored->slots == TAKT_ROW_UNSET)
		stored->slots = extra < 0 ? stored->uop_total : (uint16_t)extra;
	if (stored->mite == TAKT_ROW_UNSET)
		stored->mite = stored->slots;
}

/* Add the row's timing to the pool and return its number. */
static uint32_t add_timing(struct writer *writer, const struct takt_row *row,
			   const struct takt_core_draft *core, int extra)
{
	const struct takt_timing *timing = &row->timing;
	struct takt_uops uops[UINT8_MAX + 1];
	struct takt_image_timing stored = {
		.uops_count = timing->uops_count,
		.latency_count = timing->latency_count,
		.latency_default = timing->latency_default,
		.slots = timing->slots,
		.mite = timing->mite,
		.ms = timing->ms,
		.uop_total = timing->uop_total,
		.rthroughput_hundredths = timing->rthroughput_hundredths,
		.flags = timing->flags,
		.simple_decoders = timing->simple_decoders,
		.source = add_source(writer, row->source),
	};
	uint32_t executed = 0;

	for (size_t i = 0; i < timing->uops_count; i++) {
		uops[i] = (struct takt_uops){
			.ports = map_ports(writer, row, timing->uops[i].ports, core),
			.count = timing->uops[i].count,
		};
		if (!(uops[i].ports & core->ports.pseudo))
			executed += uops[i].count;
	}
	fill_counts(&stored, executed, extra);
	stored.uops_index =
		add_array(writer, TAKT_IMAGE_UOPS, uops, stored.uops_count, sizeof(*uops));
	stored.latency_index = add_array(writer, TAKT_IMAGE_LATENCIES, timing->latencies,
					 stored.latency_count, sizeof(struct takt_latency));
	return add_array(writer, TAKT_IMAGE_TIMINGS, &stored, 1, sizeof(stored)) + 1;
}

/* ---- forms -------------------------------------------------------------------- */

static const uint64_t qualifiers = (uint64_t)(TAKT_QUALIFIER_COMBINATIONS - 1)
				   << TAKT_QUALIFIER_SHIFT;

/* Collect the keys of all rows and of their forms without qualifiers, sorted, each once. */
static size_t collect_keys(struct writer *writer, uint64_t **ret_keys)
{
	size_t total = 0, count = 0, unique = 0;
	uint64_t *keys;

	for (size_t i = 0; i < writer->core_count; i++)
		total += writer->cores[i].row_count;
	keys = takt_xcalloc(2 * total, sizeof(*keys));
	for (size_t i = 0; i < writer->core_count; i++) {
		for (size_t j = 0; j < writer->cores[i].row_count; j++) {
			uint64_t key = writer->cores[i].rows[j]->form;

			keys[count++] = key;
			if (key & qualifiers)
				keys[count++] = key & ~qualifiers;
		}
	}
	qsort(keys, count, sizeof(*keys), takt_compare_keys);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || keys[i] != keys[unique - 1])
			keys[unique++] = keys[i];
	*ret_keys = keys;
	return unique;
}

static uint32_t find_slot(const struct writer *writer, takt_form_key key)
{
	uint32_t slot = takt_image_hash(key, writer->form_count);

	while (writer->forms[slot] && writer->forms[slot] != key)
		slot = slot + 1 == writer->form_count ? 0 : slot + 1;
	return slot;
}

static void build_forms(struct writer *writer)
{
	uint64_t *keys;
	size_t count = collect_keys(writer, &keys);

	writer->form_count = (uint32_t)(count + count / 2 + 1);
	writer->forms = TAKT_NEW_ARRAY(writer->arena, writer->form_count, uint64_t);
	writer->variants = TAKT_NEW_ARRAY(writer->arena, writer->form_count, uint16_t);
	writer->columns =
		TAKT_NEW_ARRAY(writer->arena, writer->core_count * writer->form_count, uint32_t);
	for (size_t i = 0; i < count; i++)
		writer->forms[find_slot(writer, keys[i])] = keys[i];
	for (size_t i = 0; i < count; i++) {
		unsigned combination = (unsigned)((keys[i] & qualifiers) >> TAKT_QUALIFIER_SHIFT);
		uint32_t plain = find_slot(writer, keys[i] & ~qualifiers);

		if (combination)
			writer->variants[plain] |= (uint16_t)(1u << combination);
	}
	free(keys);
}

/* ---- cores -------------------------------------------------------------------- */

static void store_params(struct writer *writer, const struct takt_core_draft *core,
			 struct takt_image_core *stored)
{
	for (size_t i = 0; i < TAKT_PARAM_COUNT; i++) {
		const struct takt_source_draft *source = core->param_sources[i];

		stored->params[i] = source ? core->params[i] : takt_param_texts[i].fallback;
		stored->param_sources[i] =
			source ? (uint8_t)(add_source(writer, source) + 1) : (uint8_t)0;
	}
}

static void store_names(struct writer *writer, const struct takt_core_draft *core,
			struct takt_image_core *stored)
{
	stored->name = add_string(writer, core->name);
	stored->title = add_string(writer, core->title ? core->title : core->name);
	stored->aliases = add_string(writer, core->aliases);
	stored->analogies = add_string(writer, core->analogies);
	stored->vendor = add_string(writer, core->vendor);
	stored->isa = add_string(writer, core->isa);
	stored->timing = add_string(writer, core->timing);
	stored->port_count = core->ports.count;
	stored->pseudo_ports = core->ports.pseudo;
	memcpy(stored->ports, core->ports.names, sizeof(stored->ports));
	stored->scheduler_count = core->scheduler_count;
	memcpy(stored->schedulers, core->schedulers, sizeof(stored->schedulers));
	for (uint32_t i = 0; i < core->scheduler_count; i++)
		stored->schedulers[i].source =
			(uint8_t)add_source(writer, core->scheduler_sources[i]);
	for (uint32_t i = 0; i < core->ports.count; i++)
		stored->port_titles[i] = add_string(writer, core->port_titles[i]);
	memcpy(stored->isa_sets, core->isa_sets, sizeof(stored->isa_sets));
}

/* Store the core's fusing mnemonics, those that fuse with jumps first. */
static void store_fuses(struct writer *writer, const struct takt_core_draft *core,
			struct takt_image_core *stored)
{
	struct takt_fuse fuses[TAKT_FUSES_MAX];
	uint32_t count = 0;

	for (int pairs = 0; pairs < 2; pairs++)
		for (uint32_t i = 0; i < core->fuse_count; i++)
			if ((core->fuses[i].role != TAKT_FUSE_JUMP) == pairs)
				fuses[count++] = core->fuses[i];
	stored->fuse_not = core->fuse_not;
	stored->fuse_count = count;
	stored->fuse_index = add_array(writer, TAKT_IMAGE_FUSES, fuses, count, sizeof(*fuses));
}

/* Store the core's short tables; cores with equal tables share them. */
static void store_tables(struct writer *writer, const struct takt_core_draft *core,
			 struct takt_image_core *stored)
{
	struct takt_image_unit units[TAKT_UNITS_MAX];
	struct takt_image_cpuid cpuids[TAKT_CPUIDS_MAX];

	store_fuses(writer, core, stored);
	stored->unit_count = core->unit_count;
	for (uint32_t i = 0; i < core->unit_count; i++)
		units[i] = (struct takt_image_unit){add_string(writer, core->unit_names[i]),
						    core->units[i].ports};
	stored->unit_index =
		add_array(writer, TAKT_IMAGE_UNITS, units, core->unit_count, sizeof(*units));
	stored->cpuid_count = core->cpuid_count;
	for (uint32_t i = 0; i < core->cpuid_count; i++) {
		cpuids[i] = core->cpuids[i];
		cpuids[i].analogy = add_string(writer, core->cpuid_analogies[i]);
	}
	stored->cpuid_index =
		add_array(writer, TAKT_IMAGE_CPUIDS, cpuids, core->cpuid_count, sizeof(*cpuids));
}

static void add_core(struct writer *writer, size_t index)
{
	const struct takt_loaded_core *loaded = &writer->cores[index];
	const struct takt_core_draft *core = loaded->core;
	uint32_t *column = writer->columns + index * writer->form_count;
	struct takt_image_core stored = {.form_count = (uint32_t)loaded->row_count};

	store_names(writer, core, &stored);
	store_params(writer, core, &stored);
	store_tables(writer, core, &stored);
	for (unsigned i = 0; i < TAKT_COMPOSE_COUNT; i++)
		if (core->compose[i] && !core->compose[i]->removed)
			stored.compose[i] = add_timing(writer, core->compose[i], core,
						       i & TAKT_COMPOSE_STORE ? 1 : 0);
	for (unsigned i = 0; i < TAKT_CLASS_COUNT; i++)
		if (core->defaults[i] && !core->defaults[i]->removed)
			stored.defaults[i] = add_timing(writer, core->defaults[i], core, -1);
	for (size_t i = 0; i < loaded->row_count; i++)
		column[find_slot(writer, loaded->rows[i]->form)] =
			add_timing(writer, loaded->rows[i], core, -1);
	/* Cores are not pooled: each has an entry of its own, even if it equals another. */
	((struct takt_image_core *)(void *)writer->pools[TAKT_IMAGE_CORES].bytes)[index] = stored;
}

static struct takt_image_bytes lay_out(struct writer *writer)
{
	struct takt_image_header header = {
		TAKT_IMAGE_MAGIC, TAKT_IMAGE_VERSION, 0, takt_image_numbering(), {{0}}};
	const struct {
		const void *data;
		size_t count, size_bytes;
	} sections[] = {
#define X(name, type, member)                                                                      \
	[TAKT_IMAGE_##name] = {writer->pools[TAKT_IMAGE_##name].bytes,                             \
			       writer->pools[TAKT_IMAGE_##name].size_bytes / sizeof(type),         \
			       writer->pools[TAKT_IMAGE_##name].size_bytes},
		TAKT_IMAGE_SECTION_LIST(X)
#undef X
	};
	size_t size = sizeof(header);
	char *bytes;

	for (size_t i = 0; i < TAKT_IMAGE_SECTION_COUNT; i++) {
		size = (size + TAKT_IMAGE_ALIGNMENT - 1) & ~(size_t)(TAKT_IMAGE_ALIGNMENT - 1);
		header.sections[i].offset = (uint32_t)size;
		header.sections[i].count = (uint32_t)sections[i].count;
		size += sections[i].size_bytes;
	}
	header.size_bytes = (uint32_t)size;
	bytes = takt_xcalloc(size, 1);
	memcpy(bytes, &header, sizeof(header));
	for (size_t i = 0; i < TAKT_IMAGE_SECTION_COUNT; i++)
		if (sections[i].size_bytes)
			memcpy(bytes + header.sections[i].offset, sections[i].data,
			       sections[i].size_bytes);
	return (struct takt_image_bytes){bytes, size};
}

/* Fill a section that is not a pool with raw bytes. */
static void fill_section(struct writer *writer, enum takt_image_section section, const void *data,
			 size_t size_bytes)
{
	struct takt_pool *pool = &writer->pools[section];

	pool->bytes = takt_xcalloc(size_bytes, 1);
	pool->size_bytes = size_bytes;
	if (data && size_bytes)
		memcpy(pool->bytes, data, size_bytes);
}

bool takt_image_write(const struct takt_loaded_core *cores, size_t count, struct takt_arena *arena,
		      struct takt_diag *diag, struct takt_image_bytes *ret_bytes)
{
	struct writer writer = {.arena = arena, .diag = diag, .cores = cores, .core_count = count};

	add_string(&writer, ""); /* string 0 */
	build_forms(&writer);
	fill_section(&writer, TAKT_IMAGE_CORES, NULL, count * sizeof(struct takt_image_core));
	for (size_t i = 0; i < count; i++)
		add_core(&writer, i);
	fill_section(&writer, TAKT_IMAGE_FORMS, writer.forms,
		     writer.form_count * sizeof(*writer.forms));
	fill_section(&writer, TAKT_IMAGE_VARIANTS, writer.variants,
		     writer.form_count * sizeof(*writer.variants));
	fill_section(&writer, TAKT_IMAGE_COLUMNS, writer.columns,
		     count * writer.form_count * sizeof(*writer.columns));
	if (writer.error_count == 0)
		*ret_bytes = lay_out(&writer);
	for (size_t i = 0; i < TAKT_IMAGE_SECTION_COUNT; i++)
		takt_pool_release(&writer.pools[i]);
	return writer.error_count == 0;
}
