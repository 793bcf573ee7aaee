/* SPDX-License-Identifier: MIT */
/*
 * mixes: loops that keep a class's ports busy, with guests between the instances. How much longer
 * they take tells how many of a guest's µops have no other ports.
 */
#ifndef TAKT_CHARACTERIZE_MIXES_H
#define TAKT_CHARACTERIZE_MIXES_H

#include "characterize/classes.h"

/* Fewer µops than these are none. */
#define PROBE_NO_UOPS_MAX 0.3
/* Cycles that a loop of instances takes, at least; longer for what takes long itself. */
#define PROBE_FULL_CYCLES 16u

/*
 * An instruction, or, if `form` is NULL, so many instances of each class; those that access memory
 * or are two µops are left out.
 */
struct probe_guest {
	const struct probe_form *form;
	const struct probe_classes *classes;
	const unsigned *counts;
	double cycles, chained; /* throughput, and of one after the other */
};

/* A number of µops: what errors of measurement leave room for. */
struct probe_figure {
	double low, high;
};

/* Cycles of a loop of this code; NaN if it cannot be measured. */
double takt_probe_loop_cycles(struct probe_lab *lab, const struct probe_code *code,
			      const char *title);
/* Slots issued in a cycle. */
double takt_probe_issue_width(struct probe_lab *lab);
/*
 * That the form takes, which executes in so many cycles, as a first experiment says: some cores
 * take more as they issue in groups, none takes fewer.
 */
double takt_probe_slots_at_most(struct probe_lab *lab, double issue_width,
				const struct probe_form *form, double cycles);
/* About as many as it takes, from several. */
double takt_probe_slots(struct probe_lab *lab, double issue_width, const struct probe_form *form,
			double cycles);

/* Of instances that execute in so many cycles, if nothing is between them. */
double takt_probe_alone(struct probe_lab *lab, const struct probe_class *class, unsigned cycles);
/* µops of the guest on the class's ports, from one experiment. */
struct probe_figure takt_probe_surplus(struct probe_lab *lab, const struct probe_class *class,
				       const struct probe_guest *guest, unsigned cycles,
				       unsigned copies);
/*
 * The same from several. Whatever else disturbs an experiment makes it longer, so the fewest µops
 * that any of them allows are the best guess; `most` if there cannot be more.
 */
struct probe_figure takt_probe_fewest(struct probe_lab *lab, const struct probe_class *class,
				      const struct probe_guest *guest, unsigned cycles, double most,
				      double least);
/* Whether it is so many, but for the error of a few experiments. */
bool takt_probe_has_uops(struct probe_lab *lab, const struct probe_class *class,
			 const struct probe_guest *guest, unsigned cycles, double uops);
/* Ports of both classes together; 0 if they cannot be kept busy, so that none can tell. */
unsigned takt_probe_width_of_both(struct probe_lab *lab, const struct probe_class *left,
				  const struct probe_class *right);
/* µops of the guest on these, of which there are `width`. */
struct probe_figure takt_probe_fewest_of_both(struct probe_lab *lab, const struct probe_class *left,
					      const struct probe_class *right, unsigned width,
					      const struct probe_guest *guest, unsigned cycles);

#endif
