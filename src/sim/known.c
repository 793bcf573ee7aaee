/* SPDX-License-Identifier: MIT */
/*
 * A store of what blocks took that were simulated before. Compilers make the same few instructions
 * again and again, with other registers and constants, and all that the pipeline sees of them is
 * the same. The simulation depends on nothing else, so the figures of the first one hold for all.
 */
#include <stdlib.h>

#include "sim/known.h"

#define ENTRIES 16384u /* a power of two */

struct entry {
	struct sim_signature signature; /* both words 0: there is none */
	struct sim_summary summary;
};

/* A later program takes the place of an earlier one with the same index. */
struct sim_known {
	struct entry entries[ENTRIES];
};

struct sim_known *takt_sim_known_new(void)
{
	return takt_xcalloc(1, sizeof(struct sim_known));
}

void takt_sim_known_free(struct sim_known *known)
{
	free(known);
}

bool sim_known_find(const struct sim_known *known, const struct sim_signature *signature,
		    struct sim_summary *ret_summary)
{
	const struct entry *entry = &known->entries[signature->words[0] % ENTRIES];

	if (entry->signature.words[0] != signature->words[0] ||
	    entry->signature.words[1] != signature->words[1])
		return false;
	*ret_summary = entry->summary;
	return true;
}

void sim_known_add(struct sim_known *known, const struct sim_signature *signature,
		   const struct sim_summary *summary)
{
	known->entries[signature->words[0] % ENTRIES] = (struct entry){*signature, *summary};
}
