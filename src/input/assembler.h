/* SPDX-License-Identifier: MIT */
/*
 * assembler: the library's side of the processes that assemble text (assembler_child.c). Text can
 * make LLVM's assembler crash, hang or read files, so it never runs in a process that uses takt.
 * One process serves many texts, one at a time. Between texts it waits in a list of idle ones; it
 * ends when the process that started it does, when it crashes or takes too long, and when it has
 * used a minute of processor time.
 *
 * Thread-safe: each thread takes a process of its own. After a fork() they belong to the parent.
 */
#ifndef TAKT_INPUT_ASSEMBLER_H
#define TAKT_INPUT_ASSEMBLER_H

#include "input/wire.h"

struct takt_assembler;

/* Outcome of an attempt. */
enum takt_assembler_outcome {
	TAKT_ASSEMBLER_DONE,
	TAKT_ASSEMBLER_FAILED,	   /* errors were reported */
	TAKT_ASSEMBLER_GAVE_UP,	   /* the process ended over this text */
	TAKT_ASSEMBLER_UNAVAILABLE /* an error is in `diag` */
};

/* The reason that a process gave for giving up. */
struct takt_assembler_end {
	enum takt_shim_cause cause;
	int signal;	/* the signal of a crash; 0 if not known */
	uint64_t place; /* offset in the source, or TAKT_SHIM_NO_PLACE */
};

/*
 * Take an idle process with the LLVM module `module` ("takt-llvm"), or start one, which loads the
 * module while the caller goes on. NULL after an error: the module or takt-assembler is missing.
 */
struct takt_assembler *takt_assembler_take(const char *module, struct takt_diag *diag);
void takt_assembler_give_back(struct takt_assembler *assembler);

/*
 * Assemble one text. Of the request `report`, `context` and the strings are used; the process has
 * its own values for the rest. `cpu_milliseconds` limits the processor time; elapsed time is
 * limited to sixty times as much. After GAVE_UP the next text gets a new process.
 */
enum takt_assembler_outcome takt_assembler_run(struct takt_assembler *assembler,
					       const struct takt_shim_request *request,
					       uint32_t cpu_milliseconds, struct takt_diag *diag,
					       struct takt_shim_result *ret_result,
					       struct takt_assembler_end *ret_end);

/* Read a reply to the end. Public for tests, as a process may reply with anything. */
enum takt_assembler_outcome takt_assembler_read_reply(struct takt_wire *wire,
						      const struct takt_shim_request *request,
						      struct takt_diag *diag, const char *module,
						      struct takt_shim_result *ret_result,
						      struct takt_assembler_end *ret_end);

#endif
