/* SPDX-License-Identifier: MIT */
/*
 * mixes: loops of a class's instances, which keep its ports busy, with guests between them. The
 * additional time of the loop tells how many of a guest's µops can use no other ports.
 */
#ifndef TAKT_CHARACTERIZE_MIXES_H
#define TAKT_CHARACTERIZE_MIXES_H

#include "characterize/classes/classes.h"

/* A figure of fewer µops than this counts as none. */
#define PROBE_NO_UOPS_MAX 0.3
/* Least cycles that a loop of instances takes; more for guests that take long themselves. */
#define PROBE_FULL_CYCLES 16u

/*
 * A guest: an instruction or, if `form` is NULL, a number of instances of each class, except
 * classes that access memory or whose instances are two µops.
 */
struct probe_guest {
	const struct probe_form *form;
	const struct probe_classes *classes;
	const unsigned *counts;
	double cycles, chained; /* throughput, and cycles of one instance in a chain */
};

/* A number of µops, as a range that allows for errors of measurement. */
struct probe_figure {
	double low, high;
};

/* Return the cycles of a loop of this code; NaN if it cannot be measured. */
double takt_probe_loop_cycles(struct probe_lab *lab, const struct probe_code *code,
			      const char *title);
/* Return the number of slots issued in a cycle, as instances of a tool without µops show it. */
double takt_probe_issue_width(struct probe_lab *lab, enum probe_tool filler);
/*
 * Return the slots that a first experiment finds for a form that executes in `cycles`. Cores that
 * issue in groups may take more slots than the form has, none takes fewer.
 */
double takt_probe_slots_at_most(struct probe_lab *lab, enum probe_tool filler, double issue_width,
				const struct probe_form *form, double cycles);
/* Estimate the number of slots from several experiments. */
double takt_probe_slots(struct probe_lab *lab, enum probe_tool filler, double issue_width,
			const struct probe_form *form, double cycles);

/* Return the cycles of a loop of instances that execute in `cycles`, with nothing between them. */
double takt_probe_alone(struct probe_lab *lab, const struct probe_class *class, unsigned cycles);
/*
 * Measure the guest's µops on the class's ports in several experiments. Whatever disturbs an
 * experiment makes it longer, so the fewest µops that any experiment allows are the best guess;
 * there cannot be more than `most`. Fewer than `least` end the search.
 */
struct probe_figure takt_probe_fewest(struct probe_lab *lab, const struct probe_class *class,
				      const struct probe_guest *guest, unsigned cycles, double most,
				      double least);
/*
 * True if the guest has `uops` µops on the class's ports, within the errors of a few experiments.
 */
bool takt_probe_has_uops(struct probe_lab *lab, const struct probe_class *class,
			 const struct probe_guest *guest, unsigned cycles, double uops);
/*
 * Return the number of ports of both classes together; 0 if they cannot all be kept busy, so that
 * it cannot be measured.
 */
unsigned takt_probe_width_of_both(struct probe_lab *lab, const struct probe_class *left,
				  const struct probe_class *right);
/* Measure the guest's µops on the ports of both classes, of which there are `width`. */
struct probe_figure takt_probe_fewest_of_both(struct probe_lab *lab, const struct probe_class *left,
					      const struct probe_class *right, unsigned width,
					      const struct probe_guest *guest, unsigned cycles);

#endif
