/* SPDX-License-Identifier: MIT */
/* table: collects rows of a foreign source and writes them as a timing file. */
#ifndef TAKT_IMPORT_TABLE_H
#define TAKT_IMPORT_TABLE_H

#include "import/import.h"

#define TAKT_IMPORT_PAIRS_MAX                                                                      \
	48u			 /* in one row; more are dropped, and the explicit ones are first */
#define TAKT_IMPORT_UOPS_MAX 12u /* kinds of µops in one row; the loader's limit */

/* Measured latencies, one for each (source slot, destination slot). */
struct takt_import_pairs {
	struct takt_latency pairs[TAKT_IMPORT_PAIRS_MAX];
	uint32_t count;
};

/* Add a pair. If the pair is already there, the larger latency is kept. */
void takt_import_pair_add(struct takt_import_pairs *pairs, uint8_t source, uint8_t destination,
			  uint32_t cycles);
bool takt_import_pair_find(const struct takt_import_pairs *pairs, uint8_t source,
			   uint8_t destination, uint32_t *ret_cycles);
/*
 * Find a default latency and the fewest exceptions to it that give every pair exactly. Return the
 * number of `exceptions`, which has room for one per pair.
 */
uint32_t takt_import_pairs_compress(const struct takt_import_pairs *pairs,
				    struct takt_latency *exceptions, uint16_t *ret_default);

struct takt_import_row {
	takt_form_key form;
	struct takt_timing timing; /* its latencies count only if there are no `pairs` */
	struct takt_import_pairs *pairs;
	const char *text; /* the form as text */
	uint32_t rank;	  /* of two rows for a form the one of lower rank is kept */
	uint32_t order;
};

struct takt_import_skip {
	const char *reason, *example;
	uint32_t count;
};

/* The rows of a source, which its reader fills in. */
struct takt_import_table {
	const struct takt_model *model;
	struct takt_diag *diag;
	const char *file;    /* for messages */
	const char *machine; /* the machine that takt characterize measured; NULL: other data */
	struct takt_port_list ports;
	struct takt_arena arena;
	struct takt_import_row *rows;
	size_t row_count, row_capacity;
	struct takt_import_skip skips[24];
	size_t skip_count;
	bool unavailable; /* the module that reads the source is not installed */
};

void takt_import_table_init(struct takt_import_table *table, const struct takt_model *model,
			    const char *file, struct takt_diag *diag);
void takt_import_table_release(struct takt_import_table *table);

/* Add a copy of the row with its µops, latencies and pairs. */
void takt_import_add(struct takt_import_table *table, const struct takt_import_row *row);
/* Count an entry that is not imported. `reason` is a literal; its first `example` is kept. */
void takt_import_skip(struct takt_import_table *table, const char *reason, const char *example);
/* Report an error at a line of the file; always false. */
bool takt_import_error(struct takt_import_table *table, uint32_t line, const char *format, ...)
	TAKT_PRINTF(3, 4);

/* True if x86-64 has an instruction of this name. */
bool takt_import_is_mnemonic(const char *text);
/* Return the mask of a port by letter and number (10 is 'A'); 0 if the core has no such port. */
uint32_t takt_import_port(const struct takt_import_table *table, char letter, unsigned number);
/* Return the mask of the core's divider, its first pseudo port; 0 if it has none. */
uint32_t takt_import_divider(const struct takt_import_table *table);
/*
 * Write the timing file. `source_class` is published or model, `source` a line about the data.
 * A table without rows is an error.
 */
TAKT_MUST_CHECK enum takt_status takt_import_write(struct takt_import_table *table,
						   const char *source_class, const char *source,
						   struct takt_text *text);

/* ---- the readers ------------------------------------------------------- */

/* Read a source into the table. False, after an error, if the reading was stopped. */
bool takt_import_uops_info(struct takt_import_table *table, const char *arch, const void *data,
			   size_t size_bytes);
bool takt_import_osaca(struct takt_import_table *table, const void *data, size_t size_bytes);
bool takt_import_ibench(struct takt_import_table *table, const void *data, size_t size_bytes);
bool takt_import_llvm(struct takt_import_table *table, const char *cpu);     /* x86-64 */
bool takt_import_llvm_isa(struct takt_import_table *table, const char *cpu); /* AArch64 */

#endif
