/* SPDX-License-Identifier: MIT */
/*
 * classes: infers ports from timing alone, without their names. Instructions of one µop that
 * compete for the same ports form a class. The time that an instruction takes from a class's
 * instances tells how many of its µops can use no other ports. The method is that of Ritter and
 * Hack, "Explainable port mapping inference with sparse performance counters" (ASPLOS 2024),
 * without the counter.
 *
 * Two limits follow. If a µop kind has as many ports as µops are issued in a cycle, its ports never
 * limit anything, and cannot be told from issue. And µops that no instruction has alone are seen
 * only together with those that accompany them (stores).
 */
#ifndef TAKT_CHARACTERIZE_CLASSES_H
#define TAKT_CHARACTERIZE_CLASSES_H

#include "characterize/inference/ports.h"

#define PROBE_CLASSES_MAX 32

struct probe_class {
	const struct probe_form *form; /* an instruction of the class */
	unsigned width;		       /* number of ports: µops executed in a cycle */
	unsigned pieces;	       /* µops of an instance: 2 if only instances of two µops are
					* known for these ports, else 1 */
	double cycles;	       /* cycles of a µop in a loop of instances: about 1 / width */
	unsigned end_uops;     /* µops of the end of a loop that use the class's ports */
	unsigned breaker_uops; /* µops on the class's ports of the instruction that writes
				* flags anew: 0 or 1 */
	uint32_t inside;       /* classes whose ports are a subset of this one's, as a mask
				* of indices */
	uint32_t across;       /* classes that share some ports with this one but have
				* others, as a mask */
};

/* The classes found, narrowest first. */
struct probe_classes {
	struct probe_class entries[PROBE_CLASSES_MAX];
	unsigned count;
	double issue_width; /* slots issued in a cycle */
	/* Tool without µops: an instruction has as many slots as instances of it that it displaces.
	 * PROBE_TOOL_COUNT: slots cannot be counted. */
	enum probe_tool filler;
};

/*
 * Classes without and with 512-bit instructions. Those may close a port to all vector instructions,
 * so they have classes of their own; forms of general registers and memory are in both.
 */
struct probe_class_sets {
	struct probe_classes narrow, wide;
};

/*
 * A callback for each form that may belong to a class, with their number; returning false ends the
 * search.
 */
struct probe_watch {
	bool (*tell)(void *context, const struct probe_form *form, size_t total);
	void *context;
};

/* Find all classes. False if the search was ended. `watch` may be NULL. */
bool takt_probe_find_classes(struct probe_lab *lab, const struct probe_watch *watch,
			     struct probe_class_sets *ret_sets);
const struct probe_classes *takt_probe_classes_of(const struct probe_class_sets *sets,
						  const struct probe_form *form);

#define PROBE_NO_CLASS PROBE_CLASSES_MAX

/* An instruction's µops by class. */
struct probe_class_uops {
	unsigned counts[PROBE_CLASSES_MAX]; /* µops by class: those whose ports lie in the class,
					     * but not in a class inside it */
	unsigned any; /* slots with none of these: µops that have as many ports as slots are issued
		       * in a cycle, µops that appear only beside others, or no µops */
	double slots; /* estimated number of slots at issue */
	/* µops of the first class's count whose ports it shares with the second class. */
	struct probe_shared {
		unsigned first, second, count; /* indices of classes; PROBE_NO_CLASS: none */
	} shared;
	double surplus[PROBE_CLASSES_MAX]; /* measured number of µops that need the class's ports */
	const char *doubt; /* what contradicts the result; NULL: every figure is near a whole
			    * number, and all slots are explained */
};

void takt_probe_class_uops(struct probe_lab *lab, const struct probe_classes *classes,
			   const struct probe_form *form, const struct probe_throughput *throughput,
			   struct probe_class_uops *ret_uops);
/*
 * True if a form that should have the same µops as another one does have them, as far as few
 * experiments with each class can tell.
 */
bool takt_probe_class_uops_fit(struct probe_lab *lab, const struct probe_classes *classes,
			       const struct probe_form *form,
			       const struct probe_throughput *throughput,
			       const struct probe_class_uops *uops);

/* ---- class_text.c --------------------------------------------------------- */

#define PROBE_UOPS_READ_MAX 1000

/*
 * Append "1*{imul r64, r64}+2*{any}"; for ports that two classes share "1*{imul r64, r64 & cmovb
 * …}".
 */
void takt_probe_class_uops_write(const struct probe_classes *classes,
				 const struct probe_class_uops *uops, struct takt_text *text);
/* Read such a text; slots become NaN. False if it is malformed, or names other classes. */
bool takt_probe_class_uops_read(const struct probe_classes *classes, const char *text,
				struct probe_class_uops *ret_uops);
/* Return the number of µops that have no ports but those of class `index`. */
double takt_probe_class_uops_on(const struct probe_classes *classes,
				const struct probe_class_uops *uops, unsigned index);
/* Return the cycles that ports and slots need. */
double takt_probe_class_uops_cycles(const struct probe_classes *classes,
				    const struct probe_class_uops *uops);

#endif
