/* SPDX-License-Identifier: MIT */
/*
 * Machines to be characterized: the processor of this machine, or the simulator with a core's model
 * playing an unknown one. Both take code and say how many cycles it takes; some count µops by port.
 */
#ifndef TAKT_CHARACTERIZE_BACKEND_H
#define TAKT_CHARACTERIZE_BACKEND_H

#include "characterize/characterize.h"

/* The reason given when a measurement failed because of other load, not because of the code. */
#define PROBE_BUSY "the machine was too busy"

struct probe_outcome {
	double cycles;			  /* per execution of the block */
	double spread;			  /* relative difference that another run may show */
	double port_uops[TAKT_PORTS_MAX]; /* µops on each port, if the machine counts */
	double uops; /* µops on all ports; more than their sum if some ports have no counter; or
		      * 0 */
	const char *reason; /* why there is no figure, or NULL; valid until the next
			     * run */
};

struct probe_machine {
	const char *name;
	const struct takt_isa *isa;
	bool has_counters;
	uint32_t port_count;
	uint32_t uncounted_ports; /* number of ports that execute µops but have no counter */
	/*
	 * Ports whose µops have counters of their own: those of store addresses and of store data,
	 * for stores of general and of vector registers; 0 if there are none. Every store uses both
	 * kinds, so no experiment separates them if each has several ports.
	 */
	struct probe_store_ports {
		uint32_t address, data;
	} general_stores, vector_stores;
	/*
	 * Measure a block. Copies of the block follow each other or, with `loop`, it runs in a loop
	 * that ends in a counter and a jump. False if it cannot be measured.
	 */
	bool (*run)(struct probe_machine *machine, const uint8_t *bytes, size_t size_bytes,
		    bool loop, struct probe_outcome *ret_outcome);
	/* True if the machine can run the instruction. */
	bool (*supports)(const struct probe_machine *machine, const struct takt_insn *insn);
	/* Return a port's name. NULL on machines without counters. */
	const char *(*port_name)(const struct probe_machine *machine, uint32_t port);
	void (*close)(struct probe_machine *machine);
};

struct probe_sim_options {
	bool counters;
	double noise;	 /* times are longer by up to this fraction, at random */
	double outliers; /* this fraction of the times is much longer */
	uint64_t seed;
};

/* Open the simulator as a machine. `model` must outlive it. */
struct probe_machine *takt_probe_sim_open(const struct takt_model *model,
					  const struct probe_sim_options *options);
struct probe_host_options {
	bool counters;
	unsigned attempts; /* attempts of a few seconds each, while other load disturbs the core; 0:
			    * many */
};

/*
 * Open the processor of this machine. TAKT_UNAVAILABLE if nothing can be measured. With `counters`,
 * µops are counted by port if the processor can do so; if not, a note says why.
 */
TAKT_MUST_CHECK enum takt_status takt_probe_host_open(const struct probe_host_options *options,
						      struct takt_diag *diag,
						      struct probe_machine **ret_machine);
/* Return the store ports of a core, by its model. */
struct probe_store_ports takt_probe_store_ports(const struct takt_model *model, bool vector);
/* Close a machine; NULL is allowed. */
void takt_probe_machine_close(struct probe_machine *machine);

#endif
