/* SPDX-License-Identifier: MIT */
/* takt_trace_replay: from a log to totals. */
#include <stdlib.h>

#include "trace/trace.h"

enum takt_status takt_trace_replay(const char *path, struct takt_diag *diag,
				   struct takt_trace_totals **ret_totals)
{
	struct takt_trace_totals *totals;
	struct trace_counter counter;
	struct takt_file file;
	enum takt_status status = takt_file_open(path, diag, &file);

	if (status != TAKT_OK)
		return status;
	totals = takt_xcalloc(1, sizeof(*totals));
	takt_trace_counter_init(&counter);
	status = takt_trace_log_read(file.data, file.size_bytes, path, &counter.sink, diag, totals);
	takt_file_close(&file);
	if (status == TAKT_OK) {
		takt_trace_counter_finish(&counter, totals);
		*ret_totals = totals;
	} else {
		takt_trace_totals_free(totals);
	}
	takt_trace_counter_release(&counter);
	return status;
}
