/* SPDX-License-Identifier: MIT */
/* A list of names in a sentence: the first few, equal ones once with their number. */
#include <string.h>

#include "base/base.h"

void takt_name_list_add(struct takt_name_list *list, const char *name)
{
	uint32_t i = 0;

	while (i < list->count && strcmp(list->names[i].data, name) != 0)
		i++;
	if (i == TAKT_NAMES_SHOWN) {
		list->more++;
		return;
	}
	if (i == list->count) {
		list->count++;
		takt_text_add_string(&list->names[i], name);
	}
	list->counts[i]++;
}

void takt_name_list_end(struct takt_name_list *list, struct takt_text *text)
{
	for (uint32_t i = 0; i < list->count; i++) {
		takt_text_add_string(text, i ? ", " : "");
		if (list->counts[i] > 1)
			takt_text_printf(text, "%u ", list->counts[i]);
		takt_text_add_string(text, list->names[i].data);
		takt_text_release(&list->names[i]);
	}
	if (list->more)
		takt_text_printf(text, " and %u more", list->more);
	*list = (struct takt_name_list){.count = 0};
}
