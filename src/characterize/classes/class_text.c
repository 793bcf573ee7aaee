/* SPDX-License-Identifier: MIT */
/* Writes and reads an instruction's µops by class as text, and computes their cycles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/classes/classes.h"

#define ANY "any"
#define BETWEEN " & "

/* ---- written -------------------------------------------------------------- */

static void write_uops(unsigned count, const char *first, const char *second,
		       struct takt_text *text)
{
	if (count)
		takt_text_printf(text, "%s%u*{%s%s%s}", text->size_bytes ? "+" : "", count, first,
				 *second ? BETWEEN : "", second);
}

void takt_probe_class_uops_write(const struct probe_classes *classes,
				 const struct probe_class_uops *uops, struct takt_text *text)
{
	const struct probe_shared *shared = &uops->shared;

	for (unsigned i = 0; i < classes->count; i++)
		write_uops(uops->counts[i] - (i == shared->first ? shared->count : 0),
			   classes->entries[i].form->text, "", text);
	if (shared->count)
		write_uops(shared->count, classes->entries[shared->first].form->text,
			   classes->entries[shared->second].form->text, text);
	write_uops(uops->any, ANY, "", text);
}

/* ---- read ----------------------------------------------------------------- */

static unsigned find_class(const struct probe_classes *classes, const char *name, size_t size)
{
	for (unsigned i = 0; i < classes->count; i++)
		if (strncmp(classes->entries[i].form->text, name, size) == 0 &&
		    !classes->entries[i].form->text[size])
			return i;
	return PROBE_NO_CLASS;
}

/* Add µops from the text between braces. */
static bool add_uops(const struct probe_classes *classes, unsigned count, const char *name,
		     size_t size, struct probe_class_uops *uops)
{
	const char *between = memmem(name, size, BETWEEN, strlen(BETWEEN));
	size_t first_size = between ? (size_t)(between - name) : size;
	unsigned first = find_class(classes, name, first_size), second = PROBE_NO_CLASS;

	if (size == strlen(ANY) && strncmp(name, ANY, size) == 0) {
		uops->any += count;
		return true;
	}
	if (between)
		second = find_class(classes, between + strlen(BETWEEN),
				    size - first_size - strlen(BETWEEN));
	if (first == PROBE_NO_CLASS || (between && second == PROBE_NO_CLASS))
		return false;
	uops->counts[first] += count;
	if (between)
		uops->shared = (struct probe_shared){first, second, count};
	return true;
}

bool takt_probe_class_uops_read(const struct probe_classes *classes, const char *text,
				struct probe_class_uops *ret_uops)
{
	*ret_uops = (struct probe_class_uops){.slots = NAN,
					      .shared = {PROBE_NO_CLASS, PROBE_NO_CLASS, 0}};
	while (*text) {
		char *name;
		unsigned long count = strtoul(text, &name, 10);
		const char *end = strchr(text, '}');

		if (!end || name == text || count > PROBE_UOPS_READ_MAX ||
		    strncmp(name, "*{", 2) != 0 ||
		    !add_uops(classes, (unsigned)count, name + 2, (size_t)(end - name - 2),
			      ret_uops))
			return false;
		text = end + 1;
		if (*text == '+' && text[1])
			text++;
	}
	return true;
}

/* ---- cycles --------------------------------------------------------------- */

double takt_probe_class_uops_on(const struct probe_classes *classes,
				const struct probe_class_uops *uops, unsigned index)
{
	unsigned count = uops->counts[index];

	for (unsigned k = 0; k < classes->count; k++)
		if (classes->entries[index].inside >> k & 1)
			count += uops->counts[k];
	return count + (index == uops->shared.second ? uops->shared.count : 0);
}

double takt_probe_class_uops_cycles(const struct probe_classes *classes,
				    const struct probe_class_uops *uops)
{
	double most = 0;

	for (unsigned i = 0; i < classes->count; i++)
		most = fmax(most,
			    takt_probe_class_uops_on(classes, uops, i) / classes->entries[i].width);
	return isnan(uops->slots) ? most : fmax(most, uops->slots / classes->issue_width);
}
