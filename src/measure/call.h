/* SPDX-License-Identifier: MIT */
/*
 * Measuring calls of a user's function. The function needs what a program has (a C library, a
 * stack, memory of its own), so its child is not that of child.h: it is a fork that gives up all
 * system calls except those needed for loading, loads the function, gives up these, too, times
 * the calls itself, and ends. It leaves its results, which are not trusted, in shared memory.
 */
#ifndef TAKT_MEASURE_CALL_H
#define TAKT_MEASURE_CALL_H

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "measure/measure.h"

#define TAKT_CALL_ARGUMENTS_MAX 6
#define TAKT_CALL_ROUNDS_MAX 4096
#define TAKT_CALL_MESSAGE_BYTES 512

/* The text of an error, and a note on its remedy or "". */
struct takt_call_error {
	char text[TAKT_CALL_MESSAGE_BYTES], note[TAKT_CALL_MESSAGE_BYTES];
};

/* Set the text of an error. */
void takt_call_say(struct takt_call_error *error, const char *format, ...) TAKT_PRINTF(2, 3);

typedef uint64_t (*takt_call_function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

/* The stage that the child has reached, or how it ended. */
enum takt_call_stage {
	TAKT_CALL_LOADING,
	TAKT_CALL_LOAD_FAILED, /* `error` says why */
	TAKT_CALL_NO_SANDBOX,
	TAKT_CALL_RUNNING,
	TAKT_CALL_SIGNAL, /* signal, code, address */
	TAKT_CALL_DONE,
};

/* Ticks of one round; each figure is the least of a few repetitions. */
struct takt_call_round {
	uint64_t chain[2]; /* ticks of chain_cycles additions, and of twice as many */
	uint64_t calls[2]; /* ticks of call_count calls, and of twice as many */
};

#define TAKT_CALL_CHAIN_CYCLES 20000u		/* least length of the chain */
#define TAKT_CALL_COUNT_MAX ((uint64_t)1 << 32) /* calls in the shorter run at most */

struct takt_call_shared {
	uint32_t stage;
	struct takt_call_error error;
	uint32_t was_loading; /* the signal came while the function was being loaded */
	int32_t signal, code;
	uint64_t address; /* address of a fault, or number of a system call */
	uint64_t call_count;
	uint32_t chain_cycles;
	uint32_t round_count;
	uint32_t fp_raised; /* floating-point exceptions of the calls, as in child.h */
	struct takt_call_round rounds[TAKT_CALL_ROUNDS_MAX];
};

struct takt_call_request {
	const struct takt_call *call; /* or NULL: `code` is called */
	const struct takt_file *file; /* contents of call->path */
	const struct takt_code *code;
	const struct takt_measure_options *options;
	uint32_t rounds;       /* number of rounds to run */
	bool reads_clock;      /* core cycles by perf_event, else the time stamp counter */
	const int *namespaces; /* those to join, see child.h */
	struct takt_call_shared *shared;
};

/* Run the child, from fork() to its end (call_child.c). */
__attribute__((noreturn)) void takt_call_child_run(const struct takt_call_request *request,
						   pid_t parent);

/* Run the child that calls machine code, from fork() to its end (call_code.c). */
__attribute__((noreturn)) void takt_call_code_run(const struct takt_call_request *request,
						  pid_t parent);

/* ---- pieces of call_child.c that call_code.c uses, too ------------------- */

/* Return the ticks of a chain of this many additions. `clock_fd` is -1 for the time stamp
 * counter. */
uint64_t takt_call_time_chain(int clock_fd, uint32_t cycles);
/* Return the ticks of `count` calls of the function. */
uint64_t takt_call_time_calls(int clock_fd, takt_call_function function, const uint64_t *arguments,
			      uint64_t count);
/* Return a length of the chain that takes as long as the calls, so that changes of the clock rate
 * affect both alike. */
uint32_t takt_call_choose_chain(uint64_t chain_ticks, uint64_t call_ticks);
/* Pin the process to the measurer's CPU, let it die with its parent, and record its signals. */
bool takt_call_child_prepare(const struct takt_call_request *request, pid_t parent);
/*
 * End the child, without _exit(): sanitizers do more in it than the sandbox allows. They do so
 * before a call that does not return, too, so this is always part of its caller.
 */
__attribute__((always_inline, noreturn)) static inline void
takt_call_child_end(struct takt_call_shared *shared, enum takt_call_stage stage)
{
	shared->stage = stage;
	for (;;)
		syscall(SYS_exit_group, 0);
}

/* ---- call_sandbox.c ------------------------------------------------------ */

/*
 * Forbid all system calls except those for memory, executable code and reading `clock_fd` (-1:
 * none), and for a library also for opening and reading files. `memory_bytes` limits the memory
 * that may be added. True if that worked.
 */
bool takt_call_sandbox_enter(int clock_fd, const int *namespaces, bool is_library,
			     uint64_t memory_bytes);
/* Forbid the system calls that only loading needs. True if that worked. */
bool takt_call_sandbox_close(int clock_fd);

/* A loaded object. */
struct takt_call_object {
	uint64_t entry; /* address of the function */
	void *memory;
	size_t size_bytes;
};

/*
 * Load an x86-64 relocatable object below 2 GiB, and link it with the libraries that this process
 * has loaded. (call_object.c)
 */
bool takt_call_object_load(const struct takt_file *file, const char *function,
			   struct takt_call_error *error, struct takt_call_object *ret_object);
void takt_call_object_unload(struct takt_call_object *object);

/* ---- between call_object.c and call_relocate.c -------------------------- */

#include <elf.h>

/* A linked symbol. */
struct takt_call_symbol {
	const char *name;
	uint64_t address;
	size_t size_bytes; /* size of an external object */
	bool is_external;  /* defined in a library, perhaps out of reach of 32 bits */
	bool is_object;	   /* data, else a function */
	bool is_missing;   /* not found: an error only if it is used */
	bool is_thread_local;
	uint32_t got, near; /* 1 + index of its slot in `got`, and of its jump or copy; 0: none */
};

struct takt_call_image {
	const struct takt_file *file;
	const Elf64_Shdr *sections;
	size_t section_count;
	uint8_t **places; /* where each section is loaded, or NULL if it is not */
	struct takt_call_symbol *symbols;
	size_t symbol_count;
	uint64_t *got;	 /* global offset table, with room for each symbol */
	uint8_t *jumps;	 /* jumps to external functions, TAKT_CALL_NEAR_BYTES each */
	uint8_t *copies; /* copies of external objects, TAKT_CALL_NEAR_BYTES each at most */
	uint32_t got_count, jump_count, copy_count;
};

#define TAKT_CALL_NEAR_BYTES 16

/* Apply relocation section `index`. */
bool takt_call_relocate(struct takt_call_image *image, size_t index, struct takt_call_error *error);

#endif
