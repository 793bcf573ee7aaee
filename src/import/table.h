/* SPDX-License-Identifier: MIT */
/* table: rows on their way from a foreign source into a timing file. */
#ifndef TAKT_IMPORT_TABLE_H
#define TAKT_IMPORT_TABLE_H

#include "import/import.h"

#define TAKT_IMPORT_PAIRS_MAX                                                                      \
	48u			 /* of one row; more are dropped, the first are the explicit ones */
#define TAKT_IMPORT_UOPS_MAX 12u /* kinds of µops in one row; the loader's limit */

/* Measured latencies, one for each (source slot, destination slot). */
struct takt_import_pairs {
	struct takt_latency pairs[TAKT_IMPORT_PAIRS_MAX];
	uint32_t count;
};

/* Of two figures for a pair the larger one counts. */
void takt_import_pair_add(struct takt_import_pairs *pairs, uint8_t source, uint8_t destination,
			  uint32_t cycles);
bool takt_import_pair_find(const struct takt_import_pairs *pairs, uint8_t source,
			   uint8_t destination, uint32_t *ret_cycles);
/*
 * The fewest exceptions to a default that give every pair exactly. Returns how many there
 * are in `exceptions`, which has room for one per pair.
 */
uint32_t takt_import_pairs_compress(const struct takt_import_pairs *pairs,
				    struct takt_latency *exceptions, uint16_t *ret_default);

struct takt_import_row {
	takt_form_key form;
	struct takt_timing timing; /* without latencies: those are `pairs`, or `latencies` */
	struct takt_import_pairs *pairs;
	const char *text; /* the form as written */
	uint32_t rank;	  /* of two rows for a form the lower one is kept */
	uint32_t order;
};

struct takt_import_skip {
	const char *reason, *example;
	uint32_t count;
};

/* What a source's reader fills. */
struct takt_import_table {
	const struct takt_model *model;
	struct takt_diag *diag;
	const char *file; /* for messages */
	const char *machine; /* that takt characterize measured; NULL: somebody else's data */
	struct takt_port_list ports;
	struct takt_arena arena;
	struct takt_import_row *rows;
	size_t row_count, row_capacity;
	struct takt_import_skip skips[24];
	size_t skip_count;
	bool unavailable; /* the module is not installed */
};

void takt_import_table_init(struct takt_import_table *table, const struct takt_model *model,
			    const char *file, struct takt_diag *diag);
void takt_import_table_release(struct takt_import_table *table);

/* Copies the row with its µops, latencies and pairs. */
void takt_import_add(struct takt_import_table *table, const struct takt_import_row *row);
/* `reason` is a literal. The first `example` of each reason is kept. */
void takt_import_skip(struct takt_import_table *table, const char *reason, const char *example);
/* Reports an error at a line of the file; returns false. */
bool takt_import_error(struct takt_import_table *table, uint32_t line, const char *format, ...)
	TAKT_PRINTF(3, 4);

/* The mask of a port by letter and number (10 is 'A'), 0 if the core has none such. */
uint32_t takt_import_port(const struct takt_import_table *table, char letter, unsigned number);
/* The core's divider: its first pseudo port, 0 if it has none. */
uint32_t takt_import_divider(const struct takt_import_table *table);
/*
 * The timing file. `source_class` is published or model; `source` a line about the data.
 * Fails, with an error, if there is no row.
 */
TAKT_MUST_CHECK enum takt_status takt_import_write(struct takt_import_table *table,
						   const char *source_class, const char *source,
						   struct takt_text *text);

/* ---- the readers ------------------------------------------------------- */

/* False if something stopped the reading; it is then reported. */
bool takt_import_uops_info(struct takt_import_table *table, const char *arch, const void *data,
			   size_t size_bytes);
bool takt_import_osaca(struct takt_import_table *table, const void *data, size_t size_bytes);
bool takt_import_llvm(struct takt_import_table *table, const char *cpu); /* x86-64 */
bool takt_import_llvm_isa(struct takt_import_table *table, const char *cpu); /* AArch64 */

#endif
