/* SPDX-License-Identifier: MIT */
/* log_names: the messages of a log that hold the files, functions and source lines of blocks. */
#ifndef TAKT_TRACE_LOG_NAMES_H
#define TAKT_TRACE_LOG_NAMES_H

#include "trace/log/log.h"

/*
 * Read the data of a message into the dictionary. Return NULL, or the error as text.
 */
const char *log_read_files(struct trace_dictionary *dictionary, const uint8_t *data,
			   size_t size_bytes);
const char *log_read_functions(struct trace_dictionary *dictionary, const uint8_t *data,
			       size_t size_bytes);
const char *log_read_lines(struct trace_dictionary *dictionary, const uint8_t *data,
			   size_t size_bytes);

/*
 * Append one message's data: as many files, functions or lines of blocks, from number *next on, as
 * fit. Set *next after them.
 */
void log_write_files(const struct trace_dictionary *dictionary, uint32_t *next,
		     struct takt_text *text);
void log_write_functions(const struct trace_dictionary *dictionary, uint32_t *next,
			 struct takt_text *text);
void log_write_lines(const struct trace_dictionary *dictionary, uint32_t *next,
		     struct takt_text *text);

/* ---- log_processes.c ---- */

/* Append the programs of a message to those of `totals`. Return NULL, or the error as text. */
const char *log_read_processes(struct takt_trace_totals *totals, const uint8_t *data,
			       size_t size_bytes);
/* Read the program of each thread, and how many threads there are. */
const char *log_read_threads(struct takt_trace_totals *totals, const uint8_t *data,
			     size_t size_bytes, uint32_t *ret_count);
/* Append one message's data, as log_write_files() does. */
void log_write_processes(const struct takt_trace_totals *totals, uint32_t *next,
			 struct takt_text *text);

#endif
