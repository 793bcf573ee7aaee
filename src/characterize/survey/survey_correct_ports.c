/* SPDX-License-Identifier: MIT */
/*
 * Corrects the ports of a model's rows by those that two surveys inferred from time: of the machine
 * and of the simulator playing the model. What the method gets wrong is in both.
 */
#include <math.h>
#include <string.h>

#include "characterize/survey/survey_write.h"

/* Cycles by which a form may miss the time of its ports, beside the usual part. */
#define PORTS_SLACK_CYCLES 0.03

/* Return the µops that a row says, with the model's ports, merged; -1 if they are not certain. */
static int ports_of(const struct probe_class_ports *class_ports, const struct takt_port_list *ports,
		    const struct probe_form *form, const struct probe_row *row,
		    struct takt_uops ret_uops[PROBE_UOPS_MAX])
{
	struct takt_uops named[PROBE_UOPS_MAX];
	int count = -1;
	unsigned total;

	if (!*row->doubt)
		count = takt_probe_class_ports_uops(class_ports, form, row->ports, named);
	return count <= 0 ? -1
			  : takt_probe_uops_merge(ports, named, (unsigned)count, ret_uops, &total);
}

/* Return true if the list has an entry that is not a port but a divider or the like. */
static bool has_unit(const struct takt_port_list *ports, const struct takt_timing *timing)
{
	for (unsigned i = 0; i < timing->uops_count; i++)
		if (timing->uops[i].ports & ports->pseudo)
			return true;
	return false;
}

/*
 * True if the simulator's survey found the model's own ports, in `simulated`; else the method says
 * nothing of the form.
 */
static bool is_sound(const struct takt_port_list *ports, const struct probe_class_ports *reference,
		     const struct probe_form *form, const struct probe_row *other,
		     const struct takt_timing *timing, struct takt_uops simulated[PROBE_UOPS_MAX],
		     int *ret_count)
{
	struct takt_uops model[PROBE_UOPS_MAX];
	unsigned total;
	int count = takt_probe_uops_merge(ports, timing->uops, timing->uops_count, model, &total);

	*ret_count = ports_of(reference, ports, form, other, simulated);
	return *ret_count > 0 && !has_unit(ports, timing) &&
	       takt_probe_uops_same(simulated, *ret_count, model, count);
}

bool takt_probe_ports_are_sound(const struct takt_port_list *ports,
				const struct probe_class_ports *reference,
				const struct probe_form *form, const struct probe_row *other,
				const struct takt_timing *timing)
{
	struct takt_uops simulated[PROBE_UOPS_MAX];
	int count;

	return is_sound(ports, reference, form, other, timing, simulated, &count);
}

/* True if the µops keep their ports busy for the time that a survey measured, and for no more. */
static bool explain(const struct probe_row *row, const struct takt_uops *uops, int count)
{
	const struct takt_timing timing = {.uops = uops, .uops_count = (uint8_t)count};
	double cycles = takt_timing_ports_cycles(&timing), off = fabs(row->throughput - cycles);

	return off <= PORTS_SLACK_CYCLES || off <= TAKT_AGREEMENT_PART * cycles;
}

int takt_probe_correct_ports(const struct probe_corrector_ports *ports,
			     const struct probe_form *form, const struct probe_row *row,
			     const struct probe_row *other, const struct takt_timing *timing,
			     struct takt_uops ret_uops[PROBE_UOPS_MAX])
{
	struct takt_uops simulated[PROBE_UOPS_MAX];
	int simulated_count, count = ports_of(&ports->machine, &ports->model, form, row, ret_uops);

	if (count <= 0 ||
	    !is_sound(&ports->model, &ports->reference, form, other, timing, simulated,
		      &simulated_count) ||
	    takt_probe_uops_same(simulated, simulated_count, ret_uops, count))
		return 0;
	/*
	 * A form that is as slow as its ports are, and no slower, stays so with other ports. If the
	 * machine takes longer than those that were found, a class of fewer ports was missed.
	 */
	return explain(other, simulated, simulated_count) && !explain(row, ret_uops, count) ? 0
											    : count;
}
