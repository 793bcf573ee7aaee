/* SPDX-License-Identifier: MIT */
/*
 * port_counters: which counter tells of which ports of this machine (data/events), and what
 * counts become then.
 */
#ifndef TAKT_CHARACTERIZE_PORT_COUNTERS_H
#define TAKT_CHARACTERIZE_PORT_COUNTERS_H

#include "characterize/backend.h"
#include "events/events.h"
#include "measure/measure.h"

#define PROBE_COUNTERS_MAX 32u

struct probe_port_counter {
	const struct events_event *event;
	uint32_t ports; /* mask; 0: it counts what all ports get, and more */
};

/* Those of a core, in the order of its table. */
struct probe_port_counters {
	struct probe_port_counter counters[PROBE_COUNTERS_MAX];
	uint32_t count;
	uint32_t ports; /* that some counter counts */
};

/*
 * The table of the family that the core is of. TAKT_NOT_FOUND, with a report, if there is none; its
 * events are the library's.
 */
TAKT_MUST_CHECK enum takt_status
takt_probe_port_counters_find(const struct events_library *library, const struct takt_model *model,
			      struct takt_diag *diag, struct probe_port_counters *ret_counters);
/*
 * Counts of events as µops by port: a counter of several ports is split evenly. `ret_uops` is what
 * all ports got, or more if an event tells of more.
 */
void takt_probe_port_counters_spread(const struct probe_port_counters *counters,
				     const double *counts, double ret_port_uops[TAKT_PORTS_MAX],
				     double *ret_uops);

/* ---- on this machine ------------------------------------------------------ */

struct probe_host_counters;

/*
 * Counters of this machine's ports, by the model of its core, which is opened, too. Where there
 * are none a note in `diag` says why, and nothing is returned.
 */
struct probe_host_counters *takt_probe_host_counters_open(struct takt_diag *diag);
/* NULL is fine. */
void takt_probe_host_counters_close(struct probe_host_counters *counters);
const struct takt_model *takt_probe_host_counters_model(const struct probe_host_counters *counters);
const struct probe_port_counters *
takt_probe_host_counters_table(const struct probe_host_counters *counters);
/* For one bench: each has processes of its own. Lives as long as the counters; NULL: no more. */
const struct takt_counters *takt_probe_host_counters_for(struct probe_host_counters *counters,
							 unsigned bench);

#endif
