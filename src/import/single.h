/* SPDX-License-Identifier: MIT */
/*
 * single: makes rows from sources that give one latency for a whole instruction, including its
 * load, and count µops before micro-fusion (OSACA, LLVM).
 */
#ifndef TAKT_IMPORT_SINGLE_H
#define TAKT_IMPORT_SINGLE_H

#include "import/table.h"

/* Use that an instruction makes of its explicit memory operand. */
enum takt_import_use {
	TAKT_USE_NONE,
	TAKT_USE_LOAD, /* a plain load */
	TAKT_USE_LOAD_OP,
	TAKT_USE_STORE,
	TAKT_USE_MODIFY,
};

/* Find the use by the form alone, with a rule that is wrong only for rare instructions. */
enum takt_import_use takt_import_use_of_form(takt_form_key form);

#define TAKT_ADVANCE_UNKNOWN UINT32_MAX

/*
 * Set the row's latencies by operand. `advance` is the number of cycles that a register may come
 * later than the address.
 */
void takt_import_single_latency(struct takt_import_table *table, struct takt_import_row *row,
				enum takt_import_use use, uint32_t latency, uint32_t advance);
/* Set the row's issue slots; loads and stores fuse as they do in the core's own rows. */
void takt_import_fused_slots(const struct takt_import_table *table, struct takt_import_row *row,
			     enum takt_import_use use);
/*
 * Correct port numbers, which projects do not agree on above nine: if `theirs`, the ports of loads
 * in the source, and the ports of the core's loads differ in one port, exchange these two ports in
 * all rows.
 */
void takt_import_match_loads(struct takt_import_table *table, uint32_t theirs);

#endif
