/* SPDX-License-Identifier: MIT */
/* Reads the texts of a row in the database: latencies, ports, and the model's row of the form. */
#include <stdlib.h>
#include <string.h>

#include "characterize/survey/survey_write.h"

bool takt_probe_pair_next(const char **text, struct probe_pair *ret_pair)
{
	size_t source = strcspn(*text, ">;"), destination;
	const char *at = *text + source;
	char *end;

	if (*at != '>' || source >= sizeof(ret_pair->source))
		return false;
	destination = strcspn(at + 1, ":;");
	if (at[1 + destination] != ':' || destination >= sizeof(ret_pair->destination))
		return false;
	memcpy(ret_pair->source, *text, source);
	ret_pair->source[source] = '\0';
	memcpy(ret_pair->destination, at + 1, destination);
	ret_pair->destination[destination] = '\0';
	at += destination + 2;
	ret_pair->least = ret_pair->most = takt_strtod(at, &end);
	if (*end == '-')
		ret_pair->most = takt_strtod(end + 1, &end);
	*text = end + (*end == ';');
	return end != at;
}

bool takt_probe_pair_find(const struct probe_row *row, const struct probe_pair *pair,
			  struct probe_pair *ret_found)
{
	const char *text = row->latencies;

	while (takt_probe_pair_next(&text, ret_found))
		if (strcmp(ret_found->source, pair->source) == 0 &&
		    strcmp(ret_found->destination, pair->destination) == 0)
			return true;
	return false;
}

bool takt_probe_point_next(const char **text, struct probe_point *ret_point)
{
	const char *at = *text;
	char *end;

	ret_point->x = takt_strtod(at, &end);
	if (end == at || *end != ':')
		return false;
	at = end + 1;
	ret_point->cycles = takt_strtod(at, &end);
	if (end == at || (*end && *end != ' '))
		return false;
	*text = end + (*end == ' ');
	return true;
}

static void note_foreign(void *context, const struct probe_row *row)
{
	const char *error;
	size_t index;

	*(bool *)context |=
		!takt_form_parse(&takt_isa_x86, row->form, strlen(row->form), &index, &error);
}

void takt_probe_survey_forms_find(struct probe_store *store, struct takt_arena *arena,
				  struct probe_forms *ret_forms)
{
	bool is_foreign = false;

	/* A store that cannot be read is reported by those who want its rows. */
	if (takt_probe_store_each(store, note_foreign, &is_foreign, NULL) != TAKT_OK)
		is_foreign = false;
	takt_probe_isa_forms_find(is_foreign ? &takt_isa_aarch64 : &takt_isa_x86, arena, ret_forms);
}

bool takt_probe_slot_read(const char *text, uint8_t *ret_slot)
{
	size_t size = strlen(text);

	if (size == 2 && takt_is_digit(text[0]) && (text[1] == 'b' || text[1] == 'i')) {
		*ret_slot = text[1] == 'b' ? TAKT_SLOT_BASE : TAKT_SLOT_INDEX;
		return true;
	}
	return takt_slot_parse(&takt_isa_x86, text, size, ret_slot);
}

const struct probe_form *takt_probe_row_timing(const struct takt_model *model,
					       const struct probe_forms *forms,
					       const struct probe_row *row,
					       struct takt_timing_storage *storage,
					       struct takt_timing *ret_timing)
{
	const struct probe_form *form = takt_probe_form_named(forms, row->form);

	if (form)
		takt_model_timing(model, &form->insn, storage, ret_timing);
	return form;
}

/* ---- ports ---------------------------------------------------------------- */

/*
 * Read one port and advance `*text` past it; a letter may be left out if it is that of the port
 * before.
 */
static uint32_t read_port(const struct takt_port_list *ports, char letter, const char **text)
{
	for (uint32_t i = 0; i < ports->count; i++) {
		const char *name = ports->names[i];
		size_t skipped = *name == letter && !takt_is_lower(**text) ? 1 : 0;
		size_t size = strlen(name + skipped);

		if (size && strncmp(*text, name + skipped, size) == 0) {
			*text += size;
			return UINT32_C(1) << i;
		}
	}
	return 0;
}

int takt_probe_ports_read(const struct takt_port_list *ports, const char *text,
			  struct takt_uops uops[PROBE_UOPS_MAX])
{
	int count = 0;

	while (*text && count < PROBE_UOPS_MAX) {
		char *end, letter;

		uops[count] = (struct takt_uops){.count = (uint16_t)strtoul(text, &end, 10)};
		if (*end != '*')
			return -1;
		text = end + 1;
		letter = '\0';
		while (*text && *text != '+') {
			char next = takt_is_lower(*text) ? *text : letter;
			uint32_t port = read_port(ports, letter, &text);

			if (!port)
				return -1;
			letter = next;
			uops[count].ports |= port;
		}
		if (!uops[count].ports)
			return -1;
		text += *text == '+';
		count++;
	}
	return count;
}

int takt_probe_uops_merge(const struct takt_port_list *ports, const struct takt_uops *from,
			  unsigned count, struct takt_uops to[PROBE_UOPS_MAX], unsigned *ret_total)
{
	int merged = 0;

	*ret_total = 0;
	for (unsigned i = 0; i < count; i++) {
		int k = 0;

		if (from[i].ports & ports->pseudo)
			continue;
		while (k < merged && to[k].ports != from[i].ports)
			k++;
		if (k == PROBE_UOPS_MAX)
			break;
		if (k == merged)
			to[merged++] = (struct takt_uops){.ports = from[i].ports};
		to[k].count = (uint16_t)(to[k].count + from[i].count);
		*ret_total += from[i].count;
	}
	return merged;
}

bool takt_probe_uops_same(const struct takt_uops *left, int left_count,
			  const struct takt_uops *right, int right_count)
{
	int equal = 0;

	for (int i = 0; i < left_count; i++)
		for (int k = 0; k < right_count; k++)
			equal += left[i].ports == right[k].ports && left[i].count == right[k].count;
	return left_count == right_count && equal == left_count;
}

const char *takt_probe_row_no_latency(const struct probe_forms *forms, const struct probe_row *row)
{
	const struct probe_form *form;

	if (*row->reason || *row->latencies)
		return "";
	form = takt_probe_form_named(forms, row->form);
	return form ? takt_probe_why_no_latency(form, row->chain) : "";
}
