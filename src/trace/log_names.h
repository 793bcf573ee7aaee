/* SPDX-License-Identifier: MIT */
/* log_names: the messages of a log that say where blocks come from. */
#ifndef TAKT_TRACE_LOG_NAMES_H
#define TAKT_TRACE_LOG_NAMES_H

#include "trace/log.h"

/*
 * Read the data of a message into the dictionary. Return NULL, or what is wrong with it.
 */
const char *log_read_files(struct trace_dictionary *dictionary, const uint8_t *data,
			   size_t size_bytes);
const char *log_read_functions(struct trace_dictionary *dictionary, const uint8_t *data,
			       size_t size_bytes);
const char *log_read_lines(struct trace_dictionary *dictionary, const uint8_t *data,
			   size_t size_bytes);

/* Of files, functions and blocks from *next on, as many as fit; *next is set behind them. */
void log_write_files(const struct trace_dictionary *dictionary, uint32_t *next,
		     struct takt_text *text);
void log_write_functions(const struct trace_dictionary *dictionary, uint32_t *next,
			 struct takt_text *text);
void log_write_lines(const struct trace_dictionary *dictionary, uint32_t *next,
		     struct takt_text *text);

#endif
