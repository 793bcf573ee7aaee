/* SPDX-License-Identifier: MIT */
/* A guest that runs under qemu with the plugin, as a source of records. */
#ifndef TAKT_TRACE_LIVE_H
#define TAKT_TRACE_LIVE_H

#include <sys/types.h>

#include "trace/feed.h"
#include "trace/watch.h"

struct trace_live {
	struct feed *feed;
	int descriptor; /* of the memory behind it, for the guest to inherit */
	pid_t process;
	bool takes_stdout; /* standard output is the log's: the program's goes to standard error */
	double signalled_seconds; /* when a signal was last passed on, or 0 */
	struct trace_stepper *stepper; /* gets all records */
	struct trace_log_writer *log;  /* and so does this, unless NULL */
	struct trace_pace *pace;       /* is to be told, unless NULL */
	struct trace_places *places;   /* names what it reads, unless NULL */
	uint32_t path_at;	       /* in feed->paths, of the first file that is not known yet */
	uint32_t thread_of_ring[FEED_RINGS];
	/* How far the rings and the dictionary are read and, when last looked at, written. */
	uint64_t read[FEED_RINGS], written[FEED_RINGS], dictionary_read;
	uint64_t chunk[FEED_CHUNK_RECORDS]; /* a copy, which the guest cannot change */
};

TAKT_MUST_CHECK enum takt_status takt_trace_live_open(struct takt_diag *diag,
						      struct trace_live *live);
void takt_trace_live_close(struct trace_live *live);
TAKT_MUST_CHECK enum takt_status takt_trace_live_start(struct trace_live *live, char *const *argv,
						       char *const *variables,
						       struct takt_diag *diag);
/*
 * Reads what there is now; `last`: the guest has ended, nothing will be added. False if what is
 * there makes no sense. Sets *ret_any if something was read.
 */
bool takt_trace_live_poll(struct trace_live *live, bool last, bool *ret_any);
/* Until the process has ended, as `ret_wait_status` says (waitpid), whatever went wrong. */
TAKT_MUST_CHECK enum takt_status takt_trace_live_read(struct trace_live *live, volatile int *signal,
						      struct takt_diag *diag, int *ret_wait_status);

#endif
