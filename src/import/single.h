/* SPDX-License-Identifier: MIT */
/*
 * single: rows of sources that give one latency for a whole instruction, its load
 * included, and count µops before micro-fusion (OSACA, LLVM).
 */
#ifndef TAKT_IMPORT_SINGLE_H
#define TAKT_IMPORT_SINGLE_H

#include "import/table.h"

/* What an instruction does with its explicit memory operand. */
enum takt_import_use {
	TAKT_USE_NONE,
	TAKT_USE_LOAD, /* a plain load */
	TAKT_USE_LOAD_OP,
	TAKT_USE_STORE,
	TAKT_USE_MODIFY,
};

/* By the form alone: a rule that holds but for rare instructions. */
enum takt_import_use takt_import_use_of_form(takt_form_key form);

#define TAKT_ADVANCE_UNKNOWN UINT32_MAX

/*
 * Gives the row latencies by operand. `advance` is how much later than the address a
 * register may come.
 */
void takt_import_single_latency(struct takt_import_table *table, struct takt_import_row *row,
				enum takt_import_use use, uint32_t latency, uint32_t advance);
/* Gives the row its issue slots: loads and stores fuse as they do in the core's own rows. */
void takt_import_fused_slots(const struct takt_import_table *table, struct takt_import_row *row,
			     enum takt_import_use use);
/*
 * Ports above nine have no agreed number: if `theirs`, which loads use in the source, and
 * the ports of the core's loads differ in one port, these two trade places in all rows.
 */
void takt_import_match_loads(struct takt_import_table *table, uint32_t theirs);

#endif
