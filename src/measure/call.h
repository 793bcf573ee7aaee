/* SPDX-License-Identifier: MIT */
/*
 * Calling a user's function. It needs what a program has (a C library, a stack, memory of
 * its own), so its child is not the one of child.h: a fork that gives up all system calls but
 * those that loading takes, loads the function, gives up these too, times calls by itself, and
 * ends. What it leaves lies in shared memory, and is not trusted.
 */
#ifndef TAKT_MEASURE_CALL_H
#define TAKT_MEASURE_CALL_H

#include <sys/types.h>

#include "measure/measure.h"

#define TAKT_CALL_ARGUMENTS_MAX 6
#define TAKT_CALL_ROUNDS_MAX 4096
#define TAKT_CALL_MESSAGE_BYTES 512

/* The text of an error, and of its remedy or "". */
struct takt_call_error {
	char text[TAKT_CALL_MESSAGE_BYTES], note[TAKT_CALL_MESSAGE_BYTES];
};

void takt_call_say(struct takt_call_error *error, const char *format, ...) TAKT_PRINTF(2, 3);

typedef uint64_t (*takt_call_function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

/* Where the child is, or how it ended. */
enum takt_call_stage {
	TAKT_CALL_LOADING,
	TAKT_CALL_LOAD_FAILED, /* `error` says why */
	TAKT_CALL_NO_SANDBOX,
	TAKT_CALL_RUNNING,
	TAKT_CALL_SIGNAL,      /* signal, code, address */
	TAKT_CALL_DONE,
};

/* Ticks of one round, each the least of a few times. */
struct takt_call_round {
	uint64_t chain[2]; /* of chain_cycles additions and twice that */
	uint64_t calls[2]; /* of call_count calls and twice that */
};

#define TAKT_CALL_CHAIN_CYCLES 20000u /* at least */
#define TAKT_CALL_COUNT_MAX ((uint64_t)1 << 32) /* of calls in a run, doubled by the longer one */

struct takt_call_shared {
	uint32_t stage;
	struct takt_call_error error;
	uint32_t was_loading; /* when the signal came */
	int32_t signal, code;
	uint64_t address; /* of a fault; the number of a system call */
	uint64_t call_count;
	uint32_t chain_cycles;
	uint32_t round_count;
	uint32_t fp_raised; /* floating-point exceptions of the calls, as in child.h */
	struct takt_call_round rounds[TAKT_CALL_ROUNDS_MAX];
};

struct takt_call_request {
	const struct takt_call *call;
	const struct takt_file *file;  /* of call->path */
	const struct takt_measure_options *options;
	uint32_t rounds;        /* to run */
	bool reads_clock;       /* core cycles by perf_event, else the time stamp counter */
	const int *namespaces;  /* to join, see child.h */
	struct takt_call_shared *shared;
};

/* The child's side, from fork() to the end (call_child.c). */
__attribute__((noreturn)) void takt_call_child_run(const struct takt_call_request *request,
						   pid_t parent);

/*
 * Takes away all but memory, code to execute, and reading `clock_fd` (-1: none); for a library
 * also opening and reading files. `memory_bytes` is how much memory may be added. True if that
 * worked. (call_sandbox.c)
 */
bool takt_call_sandbox_enter(int clock_fd, const int *namespaces, bool is_library,
			     uint64_t memory_bytes);
/* Takes away what only loading needs. True if that worked. */
bool takt_call_sandbox_close(int clock_fd);

/* An object as loaded. */
struct takt_call_object {
	uint64_t entry; /* of the function */
	void *memory;
	size_t size_bytes;
};

/*
 * Loads an x86-64 relocatable object below 2 GiB and links it against what this process
 * has loaded. (call_object.c)
 */
bool takt_call_object_load(const struct takt_file *file, const char *function,
			   struct takt_call_error *error, struct takt_call_object *ret_object);
void takt_call_object_unload(struct takt_call_object *object);

/* ---- between call_object.c and call_relocate.c -------------------------- */

#include <elf.h>

/* A symbol as linked. */
struct takt_call_symbol {
	const char *name;
	uint64_t address;
	size_t size_bytes;    /* of an external object */
	bool is_external;     /* perhaps out of the reach of 32 bits */
	bool is_object;       /* data, else a function */
	bool is_missing;      /* an error once it is used */
	bool is_thread_local;
	uint32_t got, near;   /* index + 1 of its slots; 0: none yet */
};

struct takt_call_image {
	const struct takt_file *file;
	const Elf64_Shdr *sections;
	size_t section_count;
	uint8_t **places;     /* of each section, or NULL if it is not loaded */
	struct takt_call_symbol *symbols;
	size_t symbol_count;
	uint64_t *got;        /* room for one of each symbol */
	uint8_t *jumps;       /* jumps to external functions, TAKT_CALL_NEAR_BYTES each */
	uint8_t *copies;      /* of external objects, as large at most */
	uint32_t got_count, jump_count, copy_count;
};

#define TAKT_CALL_NEAR_BYTES 16

/* Applies relocation section `index`. */
bool takt_call_relocate(struct takt_call_image *image, size_t index,
			struct takt_call_error *error);

#endif
