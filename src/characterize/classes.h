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
	unsigned width;		       /* ports: µops executed in a cycle */
	unsigned pieces;	       /* µops of an instance: 2 if no other form is of one */
	double cycles;		       /* of a µop */
	unsigned end_uops;	       /* on its ports, of the end of a loop */
	unsigned breaker_uops;	       /* of what writes flags anew */
	uint32_t inside;	       /* classes whose ports are some of this one's, by index */
	uint32_t across;	       /* classes that have some of its ports, and others */
};

/* Narrowest first. */
struct probe_classes {
	struct probe_class entries[PROBE_CLASSES_MAX];
	unsigned count;
	double issue_width; /* slots issued in a cycle */
	bool counts_slots;  /* those of an instruction can be told from how many nops it displaces */
};

/*
 * 512-bit instructions may close a port to all vector instructions, so they have classes of
 * their own; general registers and memory are in both.
 */
struct probe_class_sets {
	struct probe_classes narrow, wide;
};

/* Told of each form that may be of a class, and how many there are; false ends the search. */
struct probe_watch {
	bool (*tell)(void *context, const struct probe_form *form, size_t total);
	void *context;
};

/* False if it was ended. `watch`: NULL is fine. */
bool takt_probe_find_classes(struct probe_lab *lab, const struct probe_watch *watch,
			     struct probe_class_sets *ret_sets);
const struct probe_classes *takt_probe_classes_of(const struct probe_class_sets *sets,
						  const struct probe_form *form);

#define PROBE_NO_CLASS PROBE_CLASSES_MAX

/* An instruction's µops by class. */
struct probe_class_uops {
	unsigned counts[PROBE_CLASSES_MAX]; /* with ports of the class and of none inside it */
	unsigned any; /* slots with none of these: µops with as many ports as there are slots in a
		       * cycle, or that only appear beside others, or none */
	double slots; /* that it takes at issue, about */
	/* Of the class's count, those with the ports that it has in common with a second one. */
	struct probe_shared {
		unsigned first, second, count; /* classes; NO_CLASS: there are none */
	} shared;
	double surplus[PROBE_CLASSES_MAX]; /* as measured, with ports of the class at all */
	const char *doubt; /* what does not fit; NULL: every figure is near a whole number, and all
			    * slots are explained */
};

void takt_probe_class_uops(struct probe_lab *lab, const struct probe_classes *classes,
			   const struct probe_form *form, const struct probe_throughput *throughput,
			   struct probe_class_uops *ret_uops);
/*
 * Whether a form that should have the same µops as another one has them, as far as few experiments
 * with each class can tell.
 */
bool takt_probe_class_uops_fit(struct probe_lab *lab, const struct probe_classes *classes,
			       const struct probe_form *form,
			       const struct probe_throughput *throughput,
			       const struct probe_class_uops *uops);

/* ---- class_text.c --------------------------------------------------------- */

#define PROBE_UOPS_READ_MAX 1000

/* "1*{imul r64, r64}+2*{any}"; with ports that two classes share "1*{imul r64, r64 & cmovb …}". */
void takt_probe_class_uops_write(const struct probe_classes *classes,
				 const struct probe_class_uops *uops, struct takt_text *text);
/* The same back; slots are NaN. False if it is none, or of other classes. */
bool takt_probe_class_uops_read(const struct probe_classes *classes, const char *text,
				struct probe_class_uops *ret_uops);
/* Those that have no ports but the class's. */
double takt_probe_class_uops_on(const struct probe_classes *classes,
				const struct probe_class_uops *uops, unsigned index);
/* Cycles by ports and slots. */
double takt_probe_class_uops_cycles(const struct probe_classes *classes,
				    const struct probe_class_uops *uops);

#endif
