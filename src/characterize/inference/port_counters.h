/* SPDX-License-Identifier: MIT */
/*
 * port_counters: which event of this machine (data/events) counts which ports, and how counts
 * become µops by port.
 */
#ifndef TAKT_CHARACTERIZE_PORT_COUNTERS_H
#define TAKT_CHARACTERIZE_PORT_COUNTERS_H

#include "characterize/machine/backend.h"
#include "events/events.h"
#include "measure/measure.h"

#define PROBE_COUNTERS_MAX 32u

struct probe_port_counter {
	const struct events_event *event;
	uint32_t ports; /* mask of ports; 0: it counts the µops of all ports, and more */
};

/* The counters of a core, in the order of its table. */
struct probe_port_counters {
	struct probe_port_counter counters[PROBE_COUNTERS_MAX];
	uint32_t count;
	uint32_t ports; /* ports that some counter covers */
};

/*
 * Find the table of the core's family. TAKT_NOT_FOUND, with a report, if there is none. The events
 * belong to the library.
 */
TAKT_MUST_CHECK enum takt_status
takt_probe_port_counters_find(const struct events_library *library, const struct takt_model *model,
			      struct takt_diag *diag, struct probe_port_counters *ret_counters);
/*
 * Convert counts of events to µops by port: a counter of several ports is split evenly. `ret_uops`
 * is the sum over ports, or more if an event counts more.
 */
void takt_probe_port_counters_spread(const struct probe_port_counters *counters,
				     const double *counts, double ret_port_uops[TAKT_PORTS_MAX],
				     double *ret_uops);

/* ---- on this machine ------------------------------------------------------ */

struct probe_host_counters;

/*
 * Open the counters of this machine's ports, by the model of its core, which is opened as well. If
 * there are none, a note in `diag` says why, and NULL is returned.
 */
struct probe_host_counters *takt_probe_host_counters_open(struct takt_diag *diag);
/* Close the counters; NULL is allowed. */
void takt_probe_host_counters_close(struct probe_host_counters *counters);
const struct takt_model *takt_probe_host_counters_model(const struct probe_host_counters *counters);
const struct probe_port_counters *
takt_probe_host_counters_table(const struct probe_host_counters *counters);
/*
 * Return the counters for one bench, as each bench has processes of its own. They live as long as
 * `counters`; NULL: no more benches are possible.
 */
const struct takt_counters *takt_probe_host_counters_for(struct probe_host_counters *counters,
							 unsigned measurer);

#endif
