/* SPDX-License-Identifier: MIT */
/* known: what blocks took that were simulated before, by the signatures of their programs. */
#ifndef TAKT_SIM_KNOWN_H
#define TAKT_SIM_KNOWN_H

#include "sim/block/block.h"

/* Copy what the program took, if that is known; false if it is not. */
bool sim_known_find(const struct sim_known *known, const struct sim_signature *signature,
		    struct sim_summary *ret_summary);
void sim_known_add(struct sim_known *known, const struct sim_signature *signature,
		   const struct sim_summary *summary);

#endif
