/* SPDX-License-Identifier: MIT */
/*
 * assembler: processes that assemble text (assembler_child.c), from this side. LLVM's assembler
 * crashes, hangs and reads files if the text wants it to, so it never runs in a process that
 * uses takt. One process serves many texts, one at a time. Between texts it waits in a list
 * of idle ones; a process ends when this one does, when it crashes or takes too long, and when
 * it has worked for a minute.
 *
 * Thread-safe: each thread takes a process of its own. Processes that fork() leave theirs to
 * the parent.
 */
#ifndef TAKT_INPUT_ASSEMBLER_H
#define TAKT_INPUT_ASSEMBLER_H

#include <sys/types.h>

#include "input/wire.h"

struct takt_assembler;

/* How an attempt ended. */
enum takt_assembler_outcome {
	TAKT_ASSEMBLER_DONE,
	TAKT_ASSEMBLER_FAILED,	   /* errors were reported */
	TAKT_ASSEMBLER_GAVE_UP,	   /* the process ended over this text */
	TAKT_ASSEMBLER_UNAVAILABLE /* an error is in `diag` */
};

/* What a process that gave up said of it. */
struct takt_assembler_end {
	enum takt_shim_cause cause;
	int signal;	/* of a crash; 0 if not known */
	uint64_t place; /* offset in the source, or TAKT_SHIM_NO_PLACE */
};

/*
 * Takes an idle process with the LLVM module `module` ("takt-llvm"), or starts one; it starts
 * up while this one goes on. NULL after an error: the module or takt-assembler is not there.
 */
struct takt_assembler *takt_assembler_take(const char *module, struct takt_diag *diag);
void takt_assembler_give_back(struct takt_assembler *assembler);

/*
 * Assembles one text; `report`, `context` and the strings of the request are used, the rest is
 * the process's. `cpu_milliseconds` limits the processor time; waiting is limited to sixty
 * times as much. After GAVE_UP the next text gets a new process.
 */
enum takt_assembler_outcome takt_assembler_run(struct takt_assembler *assembler,
					       const struct takt_shim_request *request,
					       uint32_t cpu_milliseconds, struct takt_diag *diag,
					       struct takt_shim_result *ret_result,
					       struct takt_assembler_end *ret_end);

/* Reads a reply to the end. For tests: what a process says may be anything. */
enum takt_assembler_outcome takt_assembler_read_reply(struct takt_wire *wire,
						      const struct takt_shim_request *request,
						      struct takt_diag *diag, const char *module,
						      struct takt_shim_result *ret_result,
						      struct takt_assembler_end *ret_end);

/* For tests: the number of processes that this one has started so far; one of them, or 0. */
unsigned takt_assembler_starts(void);
pid_t takt_assembler_pid(const struct takt_assembler *assembler);

#endif
