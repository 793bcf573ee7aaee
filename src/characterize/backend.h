/* SPDX-License-Identifier: MIT */
/*
 * Machines to be characterised: the processor at hand, or the simulator with a core's model
 * playing an unknown one. Both take code and say how long it takes; some count µops by port.
 */
#ifndef TAKT_CHARACTERIZE_BACKEND_H
#define TAKT_CHARACTERIZE_BACKEND_H

#include "model/model.h"

/* A reason that says nothing about the code. */
#define PROBE_BUSY "the machine was too busy"

struct probe_outcome {
	double cycles;                /* per execution of the block */
	double spread;                /* by which part of it another run may say otherwise */
	double port_uops[TAKT_PORTS_MAX]; /* if the machine counts */
	const char *reason;           /* why there is no figure; until the next run */
};

struct probe_machine {
	const char *name;
	bool has_counters;
	uint32_t port_count;
	/*
	 * Ports whose µops counters of their own sum up: of the addresses and of the data of
	 * general and of vector stores; 0 if there are none. Both are used together, always, so
	 * no experiment tells them apart where each has several ports.
	 */
	struct probe_store_ports {
		uint32_t address, data;
	} general_stores, vector_stores;
	/*
	 * Copies of the block follow each other, or, in a loop, it runs again and again, with a
	 * counter and a jump behind it. False if it cannot be measured.
	 */
	bool (*run)(struct probe_machine *machine, const uint8_t *bytes, size_t size_bytes,
		    bool loop, struct probe_outcome *ret_outcome);
	/* Whether the instruction can be run at all. */
	bool (*supports)(const struct probe_machine *machine, const struct takt_insn *insn);
	/* NULL without counters. */
	const char *(*port_name)(const struct probe_machine *machine, uint32_t port);
	void (*close)(struct probe_machine *machine);
};

struct probe_sim_options {
	bool counters;
	double noise;  /* times are longer by up to this part of them, at random */
	double outliers; /* this part of the times is longer by far more */
	uint64_t seed;
};

/* `model` must outlive it. */
struct probe_machine *takt_probe_sim_open(const struct takt_model *model,
					  const struct probe_sim_options *options);
/* TAKT_UNAVAILABLE where nothing can be measured. */
TAKT_MUST_CHECK enum takt_status takt_probe_host_open(struct takt_diag *diag,
						      struct probe_machine **ret_machine);
/* NULL is fine. */
void takt_probe_machine_close(struct probe_machine *machine);

#endif
