/* SPDX-License-Identifier: MIT */
/* ports: finds which ports the µops of an instruction may use. */
#ifndef TAKT_CHARACTERIZE_PORTS_H
#define TAKT_CHARACTERIZE_PORTS_H

#include "characterize/lab.h"

/* µops that may use the same set of ports. */
struct probe_uops {
	uint32_t ports;
	unsigned count;
};

double takt_probe_uops_on(const double port_uops[TAKT_PORTS_MAX], uint32_t ports);

#define PROBE_UOPS_MAX 16

/* A blocking instruction, which keeps ports busy. */
struct probe_blocker {
	const struct probe_form *form;
	uint32_t ports;
	unsigned uops; /* µops of an instance on these ports: 1, except for stores of some cores */
	double cycles; /* its throughput */
	/*
	 * The best blocking instruction without flags, for forms that flags would make wait for
	 * `form`; NULL: there is none.
	 */
	const struct probe_form *flagless;
	double flagless_cycles;
};

#define PROBE_BLOCKERS_MAX 48

/* Blocking instructions, smallest sets of ports first. */
struct probe_blockers {
	struct probe_blocker entries[PROBE_BLOCKERS_MAX];
	unsigned count;
};

/*
 * Find the best blocking instruction for each set of ports that some instruction of one µop uses,
 * and for stores, one for each of their two kinds of µops. If the machine has a choice, none is an
 * SSE instruction and few are wider than 128 bits, so that no other instruction pays for
 * transitions between SSE and AVX.
 */
void takt_probe_find_blockers(struct probe_lab *lab, struct probe_blockers *ret_blockers);

/* A doubt about the ports of a jump. */
#define PROBE_JUMPS_ONLY "it takes longer than these ports: jumps may have only some of them"

struct probe_ports {
	struct probe_uops uops[PROBE_UOPS_MAX];
	unsigned count;
	double cycles;	   /* throughput if nothing but ports limits it */
	const char *doubt; /* what contradicts the result; NULL: all µops are accounted for, and the
			    * throughput allows it */
};

/* True if instances of the form may block ports: it has no chain of its own and nothing unusual. */
bool takt_probe_may_block(const struct probe_lab *lab, const struct probe_form *form);

/*
 * Return a sum that says how bad a blocker it is: 1 if instances write flags, 2 if they merge into
 * their registers, 4 if they are wide, 8 if they wait for flags, 16 if they are of masks.
 */
unsigned takt_probe_penalty(const struct probe_form *form);
#define PROBE_PENALTY_MAX 31u

/* Append "1*p01+1*p23", with the machine's names of ports. */
void takt_probe_ports_write(const struct probe_machine *machine, const struct probe_uops *uops,
			    unsigned count, struct takt_text *text);

/* Find the ports of a form by counters: Algorithm 1 of the uops.info paper. */
void takt_probe_ports(struct probe_lab *lab, const struct probe_blockers *blockers,
		      const struct probe_form *form, const struct probe_throughput *throughput,
		      struct probe_ports *ret_ports);

#endif
