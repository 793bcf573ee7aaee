/* SPDX-License-Identifier: MIT */
/* Writes the built-in cores as a table, JSON or CSV. */
#include <stdlib.h>
#include <string.h>

#include "base/record.h"
#include "model/image.h"

struct listed_core {
	const char *name, *title, *aliases, *analogies, *isa;
	uint32_t port_count, form_count;
	uint32_t row_count, origin_rows[TAKT_ORIGIN_COUNT];
};

struct core_list {
	struct listed_core *cores;
	uint32_t count;
};

/* Append the share of each origin, largest first, such as "97 % published, 3 % estimated". */
static void write_origins(const struct listed_core *core, struct takt_text *text)
{
	uint32_t counts[TAKT_ORIGIN_COUNT];
	const char *before = "";

	memcpy(counts, core->origin_rows, sizeof(counts));
	for (;;) {
		unsigned most = 0;

		for (unsigned i = 0; i < TAKT_ORIGIN_COUNT; i++)
			if (counts[i] > counts[most])
				most = i;
		if (counts[most] == 0)
			return;
		takt_text_printf(text, "%s%.1f %% %s", before,
				 100.0 * counts[most] / core->row_count,
				 takt_origin_word((enum takt_origin)most));
		counts[most] = 0;
		before = ", ";
	}
}

/* ---- the list as a record --------------------------------------------------------------- */

/* Give one of the words between spaces; false if there are fewer. */
static bool word_entry(const struct takt_view *view, const char *words, uint32_t index,
		       const char **ret_key, struct takt_value *ret_value)
{
	for (; index && *words; index--) {
		words += strcspn(words, " ");
		words += strspn(words, " ");
	}
	if (!*words)
		return false;
	takt_text_add(view->scratch, words, strcspn(words, " "));
	*ret_key = NULL;
	*ret_value = takt_value_string(view->scratch->data);
	return true;
}

static bool alias_entry(const struct takt_view *view, const void *record, uint32_t index,
			const char **ret_key, struct takt_value *ret_value)
{
	const struct listed_core *core = record;

	return word_entry(view, core->aliases, index, ret_key, ret_value);
}

static bool analogy_entry(const struct takt_view *view, const void *record, uint32_t index,
			  const char **ret_key, struct takt_value *ret_value)
{
	const struct listed_core *core = record;

	return word_entry(view, core->analogies, index, ret_key, ret_value);
}

static bool origin_entry(const struct takt_view *view, const void *record, uint32_t index,
			 const char **ret_key, struct takt_value *ret_value)
{
	const struct listed_core *core = record;

	(void)view;
	if (index >= TAKT_ORIGIN_COUNT)
		return false;
	*ret_key = core->origin_rows[index] ? takt_origin_word((enum takt_origin)index) : NULL;
	*ret_value = takt_value_integer(core->origin_rows[index]);
	return true;
}

static struct takt_value figures(const struct takt_view *view, const void *record)
{
	write_origins(record, view->scratch);
	return takt_value_string(view->scratch->data);
}

#define RECORD struct listed_core
static const struct takt_field core_fields[] = {
	TAKT_FIELD("core", name, NULL, "Name of the core."),
	TAKT_FIELD("title", title, NULL, "Name of the core's processors."),
	TAKT_FIELD("isa", isa, NULL, "Instruction set."),
	TAKT_FIELD("ports", port_count, NULL, "Number of ports."),
	TAKT_FIELD("forms", form_count, NULL, "Number of instruction forms with a row."),
	TAKT_ENTRIES("aliases", TAKT_FIELD_STRING, alias_entry, NULL, "Other names of the core.",
		     .flags = TAKT_ONE_LINE | TAKT_NO_CSV),
	TAKT_FIELD("aliases", aliases, NULL, "Other names of the core.", .flags = TAKT_NO_JSON),
	TAKT_ENTRIES("analogies", TAKT_FIELD_STRING, analogy_entry, NULL,
		     "Names of other cores, which have no model: this one stands in for them.",
		     .flags = TAKT_ONE_LINE | TAKT_NO_CSV),
	TAKT_MAP("origins", TAKT_FIELD_UINT32, origin_entry, NULL,
		 "Number of rows by the origin of their figures.",
		 .flags = TAKT_ONE_LINE | TAKT_NO_CSV),
	TAKT_COMPUTED("figures", TAKT_FIELD_STRING, figures, NULL,
		      "Shares of the origins of figures.", .flags = TAKT_NO_JSON),
	TAKT_FIELD("analogies", analogies, NULL, "Names of other cores that it stands in for.",
		   .flags = TAKT_NO_JSON),
};
#undef RECORD
static const struct takt_record core_record =
	TAKT_RECORD("core", "A core that takt knows.", core_fields);

#define RECORD struct core_list
static const struct takt_field list_fields[] = {
	TAKT_CONSTANT("schema", "takt-model-list-1", "Format of the result."),
	TAKT_RECORDS("cores", cores, count, &core_record, "The built-in cores by name."),
};
#undef RECORD
static const struct takt_record list_record =
	TAKT_RECORD("list", "The built-in cores.", list_fields);

const struct takt_schema takt_model_list_schema = {
	.name = "model",
	.title = "takt model list --format=json",
	.records = {&list_record},
};

/* ---- writing ---------------------------------------------------------------------------- */

static void fill_core(const struct takt_image *image, const struct takt_image_core *core,
		      struct listed_core *listed)
{
	const uint32_t *column = takt_image_column(image, core);

	*listed = (struct listed_core){
		.name = takt_image_string(image, core->name),
		.title = takt_image_string(image, core->title),
		.aliases = takt_image_string(image, core->aliases),
		.analogies = takt_image_string(image, core->analogies),
		.isa = takt_image_string(image, core->isa),
		.port_count = core->port_count - (uint32_t)__builtin_popcount(core->pseudo_ports),
		.form_count = core->form_count,
	};
	for (uint32_t slot = 0; slot < image->forms_count; slot++) {
		const struct takt_image_timing *stored = takt_image_timing_at(image, column[slot]);
		struct takt_timing timing;

		if (!stored)
			continue;
		takt_timing_from_image(image, stored, TAKT_MATCH_ROW, &timing);
		if (timing.origin < TAKT_ORIGIN_COUNT)
			listed->origin_rows[timing.origin]++;
		listed->row_count++;
	}
}

static void write_text(const struct core_list *list, struct takt_text *text)
{
	int width = 4;

	for (uint32_t i = 0; i < list->count; i++) {
		int length = (int)strlen(list->cores[i].name);

		width = length > width ? length : width;
	}
	takt_text_printf(text, "%-*s  ports  forms  figures\n", width, "name");
	for (uint32_t i = 0; i < list->count; i++) {
		const struct listed_core *core = &list->cores[i];

		takt_text_printf(text, "%-*s  %5u  %5u  ", width, core->name, core->port_count,
				 core->form_count);
		write_origins(core, text);
		takt_text_printf(text, "\n%-*s  %s\n", width, "", core->title);
		takt_text_printf(text, "%-*s  also: %s\n", width, "", core->aliases);
		if (*core->analogies)
			takt_text_printf(text, "%-*s  by analogy: %s\n", width, "",
					 core->analogies);
	}
	takt_text_add_string(text, "\nBesides these, every processor that LLVM models, as in "
				   "llvm:riscv64:sifive-u74;\n"
				   "takt model list --llvm lists them.\n");
}

void takt_model_write_list_as(enum takt_format format, struct takt_text *text)
{
	struct core_list list = {0};
	struct takt_image image;
	const char *error;

	if (!takt_image_open(takt_image_builtin(), &image, &error))
		return;
	list.count = image.cores_count;
	list.cores = takt_xcalloc(list.count, sizeof(*list.cores));
	for (uint32_t i = 0; i < list.count; i++)
		fill_core(&image, &image.cores[i], &list.cores[i]);
	if (format == TAKT_FORMAT_JSON) {
		takt_record_write_json(&list_record, &list, text);
	} else if (format == TAKT_FORMAT_CSV) {
		takt_record_write_csv_header(&core_record, text);
		takt_record_write_csv(&core_record, list.cores, list.count, sizeof(*list.cores),
				      NULL, text);
	} else {
		write_text(&list, text);
	}
	free(list.cores);
}

void takt_model_write_list(struct takt_text *text)
{
	takt_model_write_list_as(TAKT_FORMAT_TEXT, text);
}
