/* SPDX-License-Identifier: MIT */
/* Writes the built-in cores as a table. */
#include <string.h>

#include "model/image.h"

/* Write the share of each origin, largest first, such as "97 % published, 3 % estimated". */
static void write_origins(const struct takt_image *image, const struct takt_image_core *core,
			  struct takt_text *text)
{
	const uint32_t *column = takt_image_column(image, core);
	uint32_t counts[TAKT_ORIGIN_COUNT] = {0}, total = 0;
	const char *before = "";

	for (uint32_t slot = 0; slot < image->forms_count; slot++) {
		const struct takt_image_timing *stored = takt_image_timing_at(image, column[slot]);
		struct takt_timing timing;

		if (!stored)
			continue;
		takt_timing_from_image(image, stored, TAKT_MATCH_ROW, &timing);
		if (timing.origin < TAKT_ORIGIN_COUNT)
			counts[timing.origin]++;
		total++;
	}
	for (;;) {
		unsigned most = 0;

		for (unsigned i = 0; i < TAKT_ORIGIN_COUNT; i++)
			if (counts[i] > counts[most])
				most = i;
		if (counts[most] == 0)
			return;
		takt_text_printf(text, "%s%.1f %% %s", before, 100.0 * counts[most] / total,
				 takt_origin_word((enum takt_origin)most));
		counts[most] = 0;
		before = ", ";
	}
}

static void write_core(const struct takt_image *image, const struct takt_image_core *core,
		       int width, struct takt_text *text)
{
	uint32_t units = (uint32_t)__builtin_popcount(core->pseudo_ports);

	takt_text_printf(text, "%-*s  %5u  %5u  ", width, takt_image_string(image, core->name),
			 core->port_count - units, core->form_count);
	write_origins(image, core, text);
	takt_text_printf(text, "\n%-*s  %s\n", width, "", takt_image_string(image, core->title));
	takt_text_printf(text, "%-*s  also: %s\n", width, "",
			 takt_image_string(image, core->aliases));
}

void takt_model_write_list(struct takt_text *text)
{
	struct takt_image image;
	const char *error;
	int width = 4;

	if (!takt_image_open(takt_image_builtin(), &image, &error))
		return;
	for (uint32_t i = 0; i < image.cores_count; i++) {
		int length = (int)strlen(takt_image_string(&image, image.cores[i].name));

		width = length > width ? length : width;
	}
	takt_text_printf(text, "%-*s  ports  forms  figures\n", width, "name");
	for (uint32_t i = 0; i < image.cores_count; i++)
		write_core(&image, &image.cores[i], width, text);
	takt_text_add_string(text, "\nBesides these, every processor that LLVM models, as in "
				   "llvm:riscv64:sifive-u74;\n"
				   "takt model list --llvm lists them.\n");
}
