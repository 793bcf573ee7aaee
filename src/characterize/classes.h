/* SPDX-License-Identifier: MIT */
/*
 * classes: ports by time alone, up to their names. Instructions of one µop that compete for the
 * same ports are a class; what an instruction takes away from a class's instances tells how many
 * of its µops have no other ports. This follows Ritter and Hack, "Explainable port mapping
 * inference with sparse performance counters" (ASPLOS 2024), but for the counter.
 *
 * Ports that are as many as µops are issued in a cycle never limit anything: what uses them
 * cannot be told from what is issued. And µops of a kind that no instruction has alone are seen
 * only with those that go with them (stores).
 */
#ifndef TAKT_CHARACTERIZE_CLASSES_H
#define TAKT_CHARACTERIZE_CLASSES_H

#include "characterize/ports.h"

#define PROBE_CLASSES_MAX 32

struct probe_class {
	const struct probe_form *form; /* an instruction of the class */
	unsigned width;                /* ports: instances executed in a cycle */
	double cycles;                 /* of an instance */
	double full_cycles;            /* of a loop of instances, beside which others are put */
	uint32_t inside;               /* classes whose ports are some of this one's, by index */
};

/* Narrowest first. */
struct probe_classes {
	struct probe_class entries[PROBE_CLASSES_MAX];
	unsigned count;
	double issue_width; /* slots issued in a cycle */
};

void takt_probe_find_classes(struct probe_lab *lab, struct probe_classes *ret_classes);

/* An instruction's µops by class. */
struct probe_class_uops {
	unsigned counts[PROBE_CLASSES_MAX]; /* with ports of the class and of none inside it */
	double slots;    /* that it takes at issue, about */
	bool is_certain; /* every figure is near a whole number, and all slots are explained */
};

void takt_probe_class_uops(struct probe_lab *lab, const struct probe_classes *classes,
			   const struct probe_form *form,
			   const struct probe_throughput *throughput,
			   struct probe_class_uops *ret_uops);

#endif
