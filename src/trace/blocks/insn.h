/* SPDX-License-Identifier: MIT */
/* insn: control flow and memory accesses of single instructions, for the sequencer. */
#ifndef TAKT_TRACE_INSN_H
#define TAKT_TRACE_INSN_H

#include "trace/trace.h"

/* Return an instruction's kind of control flow; set *ret_target if it is a direct branch. */
enum trace_flow trace_insn_flow(const struct trace_guest *guest, const uint8_t *bytes,
				size_t size_bytes, uint64_t address, uint64_t *ret_target);
/*
 * True if an instruction may access memory or, if `certainly`, if qemu reports an access whenever
 * the instruction completes. That is not so for vectors of unknown length, gathers and the like,
 * nor where a mask or a count may be zero.
 */
bool trace_insn_accesses(const struct trace_guest *guest, const uint8_t *bytes, size_t size_bytes,
			 uint64_t address, bool certainly);

#endif
