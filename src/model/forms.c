/* SPDX-License-Identifier: MIT */
/* Lists the rows of a core in the order of their text. */
#include <stdlib.h>

#include "model/image.h"

bool takt_glob_match(const char *glob, const char *text)
{
	const char *star = NULL, *resume = NULL;

	while (*text) {
		if (*glob == '*') {
			star = ++glob;
			resume = text;
		} else if (*glob == '?' || *glob == *text) {
			glob++;
			text++;
		} else if (star) {
			glob = star;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return *glob == '\0';
}

TAKT_ORDER(compare_entries, struct takt_form_entry, TAKT_ALPHABETIC(text));

size_t takt_model_forms(const struct takt_model *model, const char *glob, struct takt_arena *arena,
			struct takt_form_entry **ret_forms)
{
	const struct takt_image *image = &model->image;
	struct takt_form_entry *forms =
		TAKT_NEW_ARRAY(arena, image->forms_count, struct takt_form_entry);
	struct takt_text text = {0};
	size_t count = 0;

	for (uint32_t slot = 0; slot < image->forms_count; slot++) {
		const struct takt_image_timing *timing =
			takt_image_timing_at(image, model->column[slot]);
		takt_form_key form = image->forms[slot];

		if (!timing || !form)
			continue;
		takt_text_clear(&text);
		takt_form_write(model->isa, form, &text);
		if (glob && !takt_glob_match(glob, text.data))
			continue;
		forms[count++] = (struct takt_form_entry){
			takt_arena_copy(arena, text.data, text.size_bytes), form, timing};
	}
	takt_text_release(&text);
	qsort(forms, count, sizeof(*forms), compare_entries);
	*ret_forms = forms;
	return count;
}
