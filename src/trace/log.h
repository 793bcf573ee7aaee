/* SPDX-License-Identifier: MIT */
/*
 * Logs: Zstandard frames behind each other, each with its content's size and checksum and one
 * message inside (docs/formats.md, "Trace"). Little-endian.
 */
#ifndef TAKT_TRACE_LOG_H
#define TAKT_TRACE_LOG_H

#include "trace/record.h"
#include "trace/trace.h"

#define LOG_MAGIC UINT64_C(0x3165636172744b54) /* "TKtrace1" */
#define LOG_MESSAGE_BYTES_MAX ((size_t)1 << 22)

enum log_kind {
	LOG_KIND_HEADER = 1, /* struct log_header */
	LOG_KIND_BLOCKS,     /* as struct trace_block_header has them */
	LOG_KIND_RECORDS,    /* of one thread, with addresses as differences */
	LOG_KIND_END,	     /* struct log_end: nothing is missing */
};

struct log_message {
	uint32_t kind;	     /* enum log_kind */
	uint32_t thread;     /* of RECORDS, else 0 */
	uint64_t size_bytes; /* of what follows */
};

struct log_header {
	uint64_t magic;
	uint32_t flags; /* 1: with accesses */
	uint32_t reserved;
	char guest[16]; /* "x86-64" and zeros */
};

#define LOG_HAS_ACCESSES 1u

struct log_end {
	int32_t exit_status, signal;
	uint32_t flags; /* 1: the program became another one */
	uint32_t reserved;
	uint64_t insns; /* completed, by all threads */
	uint64_t checked_insns;
};

#define LOG_BECAME_OTHER 1u

/*
 * The address of an access is written as the difference to the one before it in the same slot
 * (modulo 2^48), which for most is a small number. Slots are 0 at each message.
 */
#define LOG_SLOTS 4096u

struct log_predictor {
	uint64_t addresses[LOG_SLOTS];
	uint64_t block; /* that the access belongs to */
};

static inline uint64_t *log_slot(struct log_predictor *predictor, uint64_t record)
{
	return &predictor->addresses[(predictor->block * 61 + (record >> 52)) % LOG_SLOTS];
}

static inline uint64_t log_encode(struct log_predictor *predictor, uint64_t record)
{
	uint64_t *slot, before;

	if (!trace_is_access(record)) {
		predictor->block = trace_value(record);
		return record;
	}
	slot = log_slot(predictor, record);
	before = *slot;
	*slot = trace_value(record);
	return (record & ~TRACE_VALUE_MASK) | ((record - before) & TRACE_VALUE_MASK);
}

static inline uint64_t log_decode(struct log_predictor *predictor, uint64_t word)
{
	uint64_t *slot, record;

	if (!trace_is_access(word)) {
		predictor->block = trace_value(word);
		return word;
	}
	slot = log_slot(predictor, word);
	record = (word & ~TRACE_VALUE_MASK) | ((word + *slot) & TRACE_VALUE_MASK);
	*slot = trace_value(record);
	return record;
}

#endif
