/* SPDX-License-Identifier: MIT */
/*
 * Compares ports that were inferred from timing with a model. They have no names; but a model that
 * is worth comparing with has the right ports for most instructions of a class, so these are taken
 * as the class's ports.
 */
#include <math.h>

#include "characterize/survey/survey_write.h"

/* ---- which ports a class has ---------------------------------------------- */

#define SETS_MAX 16

/* For each set of ports, the number of instructions of a class that the model gives this set. */
struct votes {
	struct {
		uint32_t ports;
		unsigned count;
	} sets[SETS_MAX];
	unsigned set_count;
};

struct election {
	const struct takt_model *model;
	const struct takt_port_list *ports;
	const struct probe_forms *forms;
	struct probe_class_ports *class_ports;
	struct votes narrow[PROBE_CLASSES_MAX], wide[PROBE_CLASSES_MAX];
};

static void vote(struct votes *votes, uint32_t ports)
{
	unsigned i = 0;

	while (i < votes->set_count && votes->sets[i].ports != ports)
		i++;
	if (i == SETS_MAX)
		return;
	if (i == votes->set_count)
		votes->set_count++;
	votes->sets[i].ports = ports;
	votes->sets[i].count++;
}

/* Return the class of a result that is exactly one µop; PROBE_NO_CLASS for other results. */
static unsigned only_class(const struct probe_classes *classes, const struct probe_class_uops *uops)
{
	unsigned found = PROBE_NO_CLASS, sum = uops->any + uops->shared.count;

	for (unsigned i = 0; i < classes->count; i++) {
		sum += uops->counts[i];
		if (uops->counts[i])
			found = i;
	}
	return sum == 1 ? found : PROBE_NO_CLASS;
}

static void vote_by_row(void *context, const struct probe_row *row)
{
	struct election *election = context;
	const struct probe_class_sets *sets = &election->class_ports->sets;
	const struct probe_classes *classes;
	struct takt_timing_storage storage;
	struct takt_timing timing;
	struct takt_uops uops[PROBE_UOPS_MAX];
	struct probe_class_uops measured;
	const struct probe_form *form =
		takt_probe_row_timing(election->model, election->forms, row, &storage, &timing);
	unsigned class, total;

	if (!form || *row->doubt || isnan(row->ports_cycles))
		return;
	classes = takt_probe_classes_of(sets, form);
	if (!takt_probe_class_uops_read(classes, row->ports, &measured))
		return;
	class = only_class(classes, &measured);
	if (class != PROBE_NO_CLASS &&
	    takt_probe_uops_merge(election->ports, timing.uops, timing.uops_count, uops, &total) ==
		    1 &&
	    total == 1)
		vote(classes == &sets->wide ? &election->wide[class] : &election->narrow[class],
		     uops[0].ports);
}

/* Return the most frequent set of ports of the measured width; 0 if no instruction has one. */
static uint32_t most_votes(const struct votes *votes, unsigned width)
{
	unsigned most = 0;
	uint32_t ports = 0;

	for (unsigned i = 0; i < votes->set_count; i++) {
		if (votes->sets[i].count <= most ||
		    (unsigned)__builtin_popcount(votes->sets[i].ports) != width)
			continue;
		most = votes->sets[i].count;
		ports = votes->sets[i].ports;
	}
	return ports;
}

enum takt_status
takt_probe_class_ports_find(struct probe_store *store, const struct takt_model *model,
			    const struct takt_port_list *ports, const struct probe_forms *forms,
			    struct takt_diag *diag, struct probe_class_ports *ret_ports)
{
	struct election election = {
		.model = model, .ports = ports, .forms = forms, .class_ports = ret_ports};
	const struct probe_class_sets *sets = &ret_ports->sets;
	enum takt_status status;

	ret_ports->are_known = takt_probe_store_read_classes(store, forms, &ret_ports->sets);
	if (!ret_ports->are_known)
		return TAKT_OK;
	status = takt_probe_store_each(store, vote_by_row, &election, diag);
	for (unsigned i = 0; i < sets->narrow.count; i++)
		ret_ports->narrow[i] =
			most_votes(&election.narrow[i], sets->narrow.entries[i].width);
	for (unsigned i = 0; i < sets->wide.count; i++)
		ret_ports->wide[i] = most_votes(&election.wide[i], sets->wide.entries[i].width);
	return status;
}

/* Count the µops that may use only these ports. */
static unsigned uops_on(const struct takt_uops *uops, int count, uint32_t ports)
{
	unsigned sum = 0;

	for (int i = 0; i < count; i++)
		if (!(uops[i].ports & ~ports))
			sum += uops[i].count;
	return sum;
}

enum probe_agreement takt_probe_class_ports_compare(const struct probe_class_ports *ports,
						    const struct probe_form *form, const char *text,
						    const struct takt_uops *wanted,
						    int wanted_count, unsigned *ret_total)
{
	const struct probe_classes *classes = takt_probe_classes_of(&ports->sets, form);
	const uint32_t *of_class = classes == &ports->sets.wide ? ports->wide : ports->narrow;
	enum probe_agreement agreement = PROBE_AGREES;
	struct probe_class_uops uops;

	*ret_total = 0;
	if (!ports->are_known || !takt_probe_class_uops_read(classes, text, &uops))
		return PROBE_NOTHING_KNOWN;
	*ret_total = uops.any;
	for (unsigned i = 0; i < classes->count; i++) {
		unsigned model = uops_on(wanted, wanted_count, of_class[i]);

		*ret_total += uops.counts[i];
		if (of_class[i] && model != takt_probe_class_uops_on(classes, &uops, i))
			agreement = PROBE_DIFFERS;
	}
	return agreement;
}

int takt_probe_class_ports_uops(const struct probe_class_ports *ports,
				const struct probe_form *form, const char *text,
				struct takt_uops ret_uops[PROBE_UOPS_MAX])
{
	const struct probe_classes *classes = takt_probe_classes_of(&ports->sets, form);
	const uint32_t *of_class = classes == &ports->sets.wide ? ports->wide : ports->narrow;
	struct probe_class_uops uops;
	int count = 0;

	if (!ports->are_known || !takt_probe_class_uops_read(classes, text, &uops) || uops.any ||
	    uops.shared.count)
		return -1;
	for (unsigned i = 0; i < classes->count; i++) {
		if (!uops.counts[i])
			continue;
		if (!of_class[i] || count == PROBE_UOPS_MAX)
			return -1;
		ret_uops[count++] =
			(struct takt_uops){.ports = of_class[i], .count = (uint16_t)uops.counts[i]};
	}
	return count;
}

static void write_set(const struct probe_classes *classes,
		      const uint32_t of_class[PROBE_CLASSES_MAX],
		      const struct takt_port_list *ports, struct takt_text *text)
{
	for (unsigned i = 0; i < classes->count; i++) {
		const struct probe_class *class = &classes->entries[i];
		struct takt_uops uops = {.ports = of_class[i], .count = 1};
		const struct takt_timing timing = {.uops = &uops, .uops_count = 1};

		takt_text_printf(text, "  %6u  %-40s ", class->width, class->form->text);
		if (of_class[i])
			takt_uops_write(&timing, ports, text);
		takt_text_add_string(text, "\n");
	}
}

void takt_probe_class_ports_write(const struct probe_class_ports *class_ports,
				  const struct takt_port_list *ports, struct takt_text *text)
{
	if (!class_ports->are_known)
		return;
	takt_text_add_string(
		text, "\nport classes inferred from timing: number of ports, a one-µop instruction "
		      "that uses them,\nand the ports of most such instructions in the model:\n");
	write_set(&class_ports->sets.narrow, class_ports->narrow, ports, text);
	if (class_ports->sets.wide.count)
		takt_text_add_string(text, "while 512-bit instructions are executed:\n");
	write_set(&class_ports->sets.wide, class_ports->wide, ports, text);
}
