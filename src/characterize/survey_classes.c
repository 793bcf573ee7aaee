/* SPDX-License-Identifier: MIT */
/*
 * Ports that were told by time, held against a model: they have no names, but instructions of which
 * the model says where they go stand for them.
 */
#include "characterize/survey_write.h"

/* The set of ports that limits an instruction; 0: none. */
static uint32_t limiting_ports(const struct takt_uops *uops, int count)
{
	uint32_t ports = 0;
	double worst = 0;

	for (int i = 0; i < count; i++) {
		double load = (double)uops[i].count / __builtin_popcount(uops[i].ports);

		if (load > worst)
			ports = uops[i].ports;
		worst = load > worst ? load : worst;
	}
	return ports;
}

static void find_ports(const struct takt_model *model, const struct takt_port_list *ports,
		       const struct probe_classes *classes, uint32_t found[PROBE_CLASSES_MAX])
{
	for (unsigned i = 0; i < classes->count; i++) {
		struct takt_uops uops[PROBE_UOPS_MAX];
		struct takt_timing_storage storage;
		struct takt_timing timing;
		unsigned total;
		int count;

		takt_model_timing(model, &classes->entries[i].form->insn, &storage, &timing);
		count = takt_probe_uops_merge(ports, timing.uops, timing.uops_count, uops, &total);
		found[i] = limiting_ports(uops, count);
	}
}

void takt_probe_class_ports_find(struct probe_store *store, const struct takt_model *model,
				 const struct takt_port_list *ports,
				 const struct probe_forms *forms,
				 struct probe_class_ports *ret_ports)
{
	ret_ports->are_known = takt_probe_store_read_classes(store, forms, &ret_ports->sets);
	if (!ret_ports->are_known)
		return;
	find_ports(model, ports, &ret_ports->sets.narrow, ret_ports->narrow);
	find_ports(model, ports, &ret_ports->sets.wide, ret_ports->wide);
}

/* µops that have no other ports. */
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
						    const struct takt_uops *wanted, int wanted_count)
{
	const struct probe_classes *classes = takt_probe_classes_of(&ports->sets, form);
	const uint32_t *of_class = classes == &ports->sets.wide ? ports->wide : ports->narrow;
	enum probe_agreement agreement = PROBE_AGREES;
	struct probe_class_uops uops;

	if (!ports->are_known || !takt_probe_class_uops_read(classes, text, &uops))
		return PROBE_NOTHING_KNOWN;
	for (unsigned i = 0; i < classes->count; i++) {
		unsigned model = uops_on(wanted, wanted_count, of_class[i]);

		if (of_class[i] && model != takt_probe_class_uops_on(classes, &uops, i))
			agreement = PROBE_DIFFERS;
	}
	return agreement;
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
	takt_text_add_string(text, "\nports by time: how many, an instruction of one µop that uses "
				   "them, and its µop in the model:\n");
	write_set(&class_ports->sets.narrow, class_ports->narrow, ports, text);
	if (class_ports->sets.wide.count)
		takt_text_add_string(text, "while 512-bit instructions are executed:\n");
	write_set(&class_ports->sets.wide, class_ports->wide, ports, text);
}
