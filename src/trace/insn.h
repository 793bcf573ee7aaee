/* SPDX-License-Identifier: MIT */
/* What the stepper must know of single instructions. */
#ifndef TAKT_TRACE_INSN_H
#define TAKT_TRACE_INSN_H

#include "trace/trace.h"

/* Sets *ret_target for those that have one. */
enum trace_flow trace_insn_flow(const struct trace_guest *guest, const uint8_t *bytes,
				size_t size_bytes, uint64_t address, uint64_t *ret_target);
/*
 * Whether it accesses memory. `certainly`: whenever it completes, qemu tells of an access. It
 * does not for vectors of unknown length, gathers and the like, nor where a mask or a count may
 * be zero.
 */
bool trace_insn_accesses(const struct trace_guest *guest, const uint8_t *bytes, size_t size_bytes,
			 uint64_t address, bool certainly);

#endif
