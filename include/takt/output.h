/* SPDX-License-Identifier: MIT */
/*
 * Results as text, JSON, CSV and other formats. Each function appends to its `text`.
 */
#ifndef TAKT_OUTPUT_API_H
#define TAKT_OUTPUT_API_H

#include <takt/analysis.h>
#include <takt/annotation.h>
#include <takt/diff.h>
#include <takt/measure.h>
#include <takt/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct takt_write_options {
	bool colour;		  /* ANSI colour */
	uint32_t columns;	  /* width of the output; 0 means 100 */
	uint32_t timeline_cycles; /* cycles of a timeline that are shown; 0: all */
	bool encoding;		  /* tables have a column with the bytes of each instruction */
	bool no_ports;		  /* tables have no columns of ports */
	TAKT_RESERVED_LESS(1);
};

TAKT_API void takt_write_analysis_text(const struct takt_analysis *analysis,
				       const struct takt_write_options *options,
				       struct takt_text *text);
TAKT_API void takt_write_analysis_json(const struct takt_analysis *analysis,
				       struct takt_text *text);
/*
 * Write one line of a list of regions as a JSON object, without a newline; `number` counts from 1.
 */
TAKT_API void takt_write_region_json(const struct takt_analysis *analysis, size_t number,
				     struct takt_text *text);
/*
 * Write as a JSON object, without a newline, that the core `arch` cannot decode the region
 * `number`, from 1.
 */
TAKT_API void takt_write_refusal_json(const struct takt_region *region, size_t number,
				      const char *arch, const char *reason, struct takt_text *text);
/*
 * Write a region's analyses for several cores as one table with a column for each core: cycles,
 * what limits them, bounds, and the instructions at which cycles are lost. All analyses are of the
 * same region, with the same options. An analysis without instructions, of which only `arch` is
 * read, stands for a core that cannot decode the region: its column has dashes. At least one has
 * instructions.
 */
TAKT_API void takt_write_comparison_text(const struct takt_analysis *const *analyses, size_t count,
					 const struct takt_write_options *options,
					 struct takt_text *text);
/* Write the line of column names, and a line for the region `number`, from 1, on its core. */
TAKT_API void takt_write_analysis_csv_header(struct takt_text *text);
TAKT_API void takt_write_analysis_csv(const struct takt_analysis *analysis, size_t number,
				      struct takt_text *text);
TAKT_API void takt_write_analysis_dot(const struct takt_analysis *analysis, struct takt_text *text);
/* Write one row for each µop and one column for each cycle. */
TAKT_API void takt_write_timeline_text(const struct takt_timeline *timeline,
				       const struct takt_write_options *options,
				       struct takt_text *text);
/* Write trace events in JSON, for Perfetto and Chrome; a cycle is shown as a microsecond. */
TAKT_API void takt_write_timeline_perfetto(const struct takt_timeline *timeline,
					   struct takt_text *text);
/* Write the Kanata log, version 4, for Konata. */
TAKT_API void takt_write_timeline_konata(const struct takt_timeline *timeline,
					 struct takt_text *text);
TAKT_API void takt_write_timeline_json(const struct takt_timeline *timeline,
				       struct takt_text *text);
/* Write what takt_write_analysis_json() does, with the same region's timeline in it. */
TAKT_API void takt_write_analysis_timeline_json(const struct takt_analysis *analysis,
						const struct takt_timeline *timeline,
						struct takt_text *text);
/*
 * Write what the core's model says of each instruction of the analysis (µops with their ports,
 * latencies by operand, throughput, source of the figures), and the entries of the core's buffers,
 * as a JSON object. The analysis is of this region on this core.
 */
TAKT_API void takt_write_core_json(const struct takt_model *model, const struct takt_region *region,
				   const struct takt_analysis *analysis, struct takt_text *text);
/* Write the part of the same record that concerns memory: dependences, streams, page aliases. */
TAKT_API void takt_write_memory_text(const struct takt_analysis *analysis,
				     const struct takt_write_options *options,
				     struct takt_text *text);
TAKT_API void takt_write_memory_json(const struct takt_analysis *analysis, struct takt_text *text);
TAKT_API void takt_write_memory_csv(const struct takt_analysis *analysis, struct takt_text *text);

enum takt_trace_by { TAKT_TRACE_FUNCTION, TAKT_TRACE_LINE, TAKT_TRACE_LOOP, TAKT_TRACE_BLOCK };

struct takt_trace_write_options {
	bool threads;	       /* write a row for each thread */
	enum takt_trace_by by; /* order of the profile, if there is one */
	uint32_t top;	       /* rows of the profile; 0: none */
	TAKT_RESERVED;
};

TAKT_API void takt_write_trace_text(const struct takt_trace_totals *totals,
				    const struct takt_trace_write_options *options,
				    struct takt_text *text);
TAKT_API void takt_write_trace_json(const struct takt_trace_totals *totals, struct takt_text *text);

struct takt_diff_write_options {
	uint32_t functions, parts; /* most functions to write, and most parts of each */
	bool code;		   /* include the instructions of parts that changed */
	TAKT_RESERVED;
};

TAKT_API void takt_write_diff_text(const struct takt_diff *diff,
				   const struct takt_diff_write_options *options,
				   struct takt_text *text);
/* Write all functions and parts as JSON. */
TAKT_API void takt_write_diff_json(const struct takt_diff *diff, struct takt_text *text);
/* Write folded stacks, "a;b;c 12", of cycles, or of instructions if there was no core. */
TAKT_API void takt_write_trace_folded(const struct takt_trace_profile *profile,
				      struct takt_text *text);
/* Write the tree of calls of a trace as JSON: names, and for each stack its caller and its cost. */
TAKT_API void takt_write_trace_stacks_json(const struct takt_trace_profile *profile,
					   struct takt_text *text);
/* Write the intervals of a run, with their cycles and losses, as JSON. */
TAKT_API void takt_write_trace_course_json(const struct takt_trace_totals *totals,
					   struct takt_text *text);
/*
 * Write the same JSON as takt_write_trace_json(), but of the profile's blocks, lines and loops only
 * the `rows_max` that cost most.
 */
TAKT_API void takt_write_trace_largest_json(const struct takt_trace_totals *totals,
					    uint32_t rows_max, struct takt_text *text);
/* Write each function's instructions, a source line before those that belong to it. */
TAKT_API void takt_write_annotation_text(const struct takt_annotation *annotation,
					 struct takt_text *text);
TAKT_API void takt_write_annotation_json(const struct takt_annotation *annotation,
					 struct takt_text *text);

/*
 * Write predictions as JSON piece by piece: the beginning with the cores, each block with its
 * cycles on each core (NaN: none), the end.
 */
TAKT_API void takt_write_predicted_json_begin(const char *const *cores, size_t core_count,
					      size_t cores_left_out, struct takt_text *text);
TAKT_API void takt_write_predicted_json(const char *hex, const double *cycles, size_t core_count,
					bool is_first, struct takt_text *text);
TAKT_API void takt_write_predicted_json_end(bool is_empty, struct takt_text *text);

/* Append predictions of functions: as one JSON document; or as lines of CSV, with their header. */
TAKT_API void takt_write_paths_json(const struct takt_paths *const *paths, size_t count,
				    struct takt_text *text);
TAKT_API void takt_write_paths_csv(const struct takt_paths *paths, bool header,
				   struct takt_text *text);

/* A measurement, and what was measured. */
struct takt_measured {
	const char *name;     /* name of the region or function; NULL: none */
	const char *mode;     /* "loop", "unroll" or "call"; "" if it was not measured */
	const char *hex;      /* the block in hexadecimal; NULL: that of `bytes` */
	const uint8_t *bytes; /* the block; NULL: none */
	size_t size_bytes;
	size_t replaced_bytes; /* bytes at the end of the block that the measuring loop's counter
				* replaces */
	double iterations;     /* iterations of a call */
	const char *clock, *cpu;
	struct takt_measurement result;
	TAKT_RESERVED;
};

TAKT_API void takt_write_measured_text(const struct takt_measured *row, struct takt_text *text);
/* Write JSON piece by piece: the beginning, each measurement, the end. */
TAKT_API void takt_write_measured_json_begin(const char *cpu, const char *clock,
					     struct takt_text *text);
TAKT_API void takt_write_measured_json(const struct takt_measured *row, bool is_first,
				       struct takt_text *text);
TAKT_API void takt_write_measured_json_end(bool is_empty, struct takt_text *text);
/* Write the line of column names, and a line for each measurement. */
TAKT_API void takt_write_measured_csv_header(struct takt_text *text);
TAKT_API void takt_write_measured_csv(const struct takt_measured *row, struct takt_text *text);

#ifdef __cplusplus
}
#endif

#endif
