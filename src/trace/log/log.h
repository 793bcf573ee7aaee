/* SPDX-License-Identifier: MIT */
/*
 * log: the format of logs. A log is a sequence of Zstandard frames, each with its content's size
 * and checksum, and with one message inside (docs/formats/traces.md). Little-endian.
 */
#ifndef TAKT_TRACE_LOG_H
#define TAKT_TRACE_LOG_H

#include "trace/blocks/record.h"
#include "trace/trace.h"

#define LOG_MAGIC UINT64_C(0x3265636172744b54) /* "TKtrace2" */
#define LOG_MESSAGE_BYTES_MAX ((size_t)1 << 22)

enum log_kind {
	LOG_KIND_HEADER = 1, /* struct log_header */
	LOG_KIND_BLOCKS,     /* struct trace_block_header … */
	LOG_KIND_RECORDS,    /* records of one thread, addresses as differences */
	LOG_KIND_END,	     /* struct log_end: the log is complete */
	LOG_KIND_FILES,	     /* struct log_file … */
	LOG_KIND_FUNCTIONS,  /* struct log_function … */
	LOG_KIND_LINES,	     /* struct log_lines */
	LOG_KIND_COMMAND,    /* words of the command line, each ended by a zero */
	LOG_KIND_FAULT,	     /* struct trace_fault (trace.h), if SIGILL ended the program */
	LOG_KIND_PROCESSES,  /* struct log_process …: the programs that ran, if several did */
	LOG_KIND_THREADS,    /* uint32_t …: the program of each thread, after PROCESSES */
};

struct log_message {
	uint32_t kind;	     /* enum log_kind */
	uint32_t thread;     /* thread of RECORDS, else 0 */
	uint64_t size_bytes; /* size of the data that follows */
};

struct log_header {
	uint64_t magic;
	uint32_t flags; /* 1: with accesses */
	uint32_t reserved;
	char guest[16]; /* "x86-64" and zeros */
};

#define LOG_HAS_ACCESSES 1u

/* Followed by path and build-id; padded to 8 bytes. */
struct log_file {
	uint32_t path_bytes, build_id_bytes;
};

#define LOG_PATH_BYTES_MAX 4095u

/* Followed by the name; padded to 8 bytes. */
struct log_function {
	uint64_t file_offset, size_bytes;
	uint32_t file;
	uint16_t name_bytes;
	uint16_t flags; /* 1: the name is made up */
};

#define LOG_MADE_UP 1u

/* Followed by strings, each ended by a zero, then by struct log_line … */
struct log_lines {
	uint32_t string_count, strings_bytes;
};

struct log_line {
	uint32_t block, insn;
	uint32_t file; /* index of the string that names the source file */
	uint32_t line;
};

struct log_end {
	int32_t exit_status, signal;
	uint32_t flags;	    /* 1: the program became another one, by execve */
	uint32_t processes; /* child processes, which were not traced */
	uint64_t insns;	    /* instructions that all threads completed */
	uint64_t checked_insns;
};

#define LOG_BECAME_OTHER 1u

/*
 * Followed by three strings, each with a zero: the command, the path of the program that took its
 * place and was not followed, and why; the latter two may be empty. Padded to 8 bytes.
 */
struct log_process {
	uint32_t parent; /* of an earlier program, or its own */
	int32_t exit_status;
	uint16_t begin, end; /* enum takt_trace_process_begin, enum takt_trace_process_end */
	uint32_t strings_bytes;
};

#define LOG_PROCESSES_MAX 65536u
#define LOG_PROCESS_BYTES_MAX ((size_t)1 << 19) /* of its strings */
#define LOG_COMMAND_BYTES_MAX ((size_t)1 << 21)

/*
 * The address of an access is written as the difference (modulo 2^48) from the previous address in
 * the same slot, which is a small number for most accesses. Slots are 0 at the start of a message.
 */
#define LOG_SLOTS 4096u

struct log_predictor {
	uint64_t addresses[LOG_SLOTS];
	uint64_t block; /* number of the block that the access belongs to */
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
