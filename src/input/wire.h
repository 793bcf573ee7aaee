/* SPDX-License-Identifier: MIT */
/*
 * wire: the messages between the library and the process that assembles for it
 * (assembler_child.c), over a stream socket. Both are of one build on one machine, so structs
 * are sent as they are. The library trusts nothing that it receives: hostile text may have
 * compromised the process.
 */
#ifndef TAKT_INPUT_WIRE_H
#define TAKT_INPUT_WIRE_H

#include "input/input.h"

#define TAKT_WIRE_SOCKET 3		       /* descriptor of the socket in the child */
#define TAKT_WIRE_MESSAGE_MAX_BYTES 4096u      /* longer messages are cut */
#define TAKT_WIRE_INSNS_MAX ((size_t)32 << 20) /* most instructions, and most labels */

/* The strings that follow a request, in this order, each ended by a NUL. */
enum takt_wire_string {
	TAKT_WIRE_TRIPLE,
	TAKT_WIRE_CPU,
	TAKT_WIRE_FEATURES,
	TAKT_WIRE_PREFIX,
	TAKT_WIRE_NAME,
	TAKT_WIRE_SOURCE,
	TAKT_WIRE_STRINGS
};

struct takt_wire_request {
	uint32_t intel_syntax;
	uint32_t cpu_milliseconds;		  /* limit of processor time */
	uint64_t string_sizes[TAKT_WIRE_STRINGS]; /* in bytes, with the NUL */
};

enum takt_wire_kind {
	TAKT_WIRE_DONE = 1, /* the object, instructions and labels follow */
	TAKT_WIRE_FAILED,   /* reports follow */
	TAKT_WIRE_GAVE_UP,  /* cause, signal and place are set; the process ends */
	TAKT_WIRE_NO_MODULE /* one report follows, the loader's message; the process ends */
};

struct takt_wire_reply {
	uint32_t kind;	 /* enum takt_wire_kind */
	uint32_t cause;	 /* enum takt_shim_cause */
	uint32_t signal; /* the signal of a crash, or 0 */
	uint32_t report_count;
	uint64_t place; /* offset in the source, or TAKT_SHIM_NO_PLACE */
	uint64_t object_size_bytes, insn_count, label_count;
};

/* A report; its message follows, without a NUL. */
struct takt_wire_report {
	uint32_t kind; /* enum takt_shim_report_kind */
	uint32_t line, column, size_bytes;
};

/* A socket with the time, as of takt_now_seconds(), when waiting for it ends; 0: never. */
struct takt_wire {
	int socket;
	double deadline_seconds;
	bool late; /* the deadline has passed */
};

/* Send or receive bytes. False if the other side is gone or the deadline has passed. */
bool takt_wire_send(struct takt_wire *wire, const void *data, size_t size_bytes);
bool takt_wire_receive(struct takt_wire *wire, void *data, size_t size_bytes);

/*
 * True if the header of a reply, and the lengths that it announces, are within the limits.
 * Place and line numbers are not checked here.
 */
bool takt_wire_reply_is_fit(const struct takt_wire_reply *reply);
/* True if instructions are in ascending order, as searches in them require. */
bool takt_wire_insns_are_fit(const struct takt_assembled_insn *insns, size_t count);

#endif
