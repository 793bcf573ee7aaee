/* SPDX-License-Identifier: MIT */
/* live: a guest that runs under qemu with the plugin, as a source of records. */
#ifndef TAKT_TRACE_LIVE_H
#define TAKT_TRACE_LIVE_H

#include <sys/types.h>

#include "trace/live/feed.h"
#include "trace/watch.h"

struct trace_live {
	struct feed *feed;
	int descriptor; /* descriptor of the feed's memory, which the guest inherits */
	pid_t process;
	bool takes_stdout; /* the log goes to standard output, the program's output to stderr */
	double signalled_seconds;	   /* time at which a signal was last passed on, or 0 */
	struct trace_sequencer *sequencer; /* gets all records */
	struct trace_log_writer *log;	   /* gets them, too; or NULL */
	struct trace_pace *pace;	   /* reports progress; or NULL */
	struct trace_places *places;	   /* looks up the functions of blocks; or NULL */
	uint32_t path_at; /* offset in feed->paths of the first path not read yet */
	uint32_t thread_of_ring[FEED_RINGS];
	/*
	 * Records read from each ring, records written when takt last looked, and bytes read from
	 * the dictionary.
	 */
	uint64_t read[FEED_RINGS], written[FEED_RINGS], dictionary_read;
	uint64_t chunk[FEED_CHUNK_RECORDS]; /* copy of records, which the guest cannot change */
};

TAKT_MUST_CHECK enum takt_status takt_trace_live_open(struct takt_diag *diag,
						      struct trace_live *live);
void takt_trace_live_close(struct trace_live *live);
TAKT_MUST_CHECK enum takt_status takt_trace_live_start(struct trace_live *live, char *const *argv,
						       char *const *variables,
						       struct takt_diag *diag);
/*
 * Read what the plugin has written so far. `last` says that the guest has ended, so that nothing
 * will be added. Sets *ret_any if anything was read. False: the contents are invalid.
 */
bool takt_trace_live_poll(struct trace_live *live, bool last, bool *ret_any);
/*
 * Read until the process has ended, even after an error; *ret_wait_status says how it ended, as
 * waitpid() has it.
 */
TAKT_MUST_CHECK enum takt_status takt_trace_live_read(struct trace_live *live, volatile int *signal,
						      struct takt_diag *diag, int *ret_wait_status);

#endif
