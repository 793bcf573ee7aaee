/* SPDX-License-Identifier: MIT */
/*
 * serve: analyses over HTTP, for a browser on this machine (the functions are declared in
 * takt-lab/serve.h). The server reads and checks requests, and starts a process for each, which
 * answers it: hostile code and objects can end that process, but not the server.
 */
#ifndef TAKT_SERVE_H
#define TAKT_SERVE_H

#include <sys/types.h>

#include "base/base.h"
#include "takt-lab/serve.h"
#include "takt/analysis.h"
#include "takt/measure.h"

#define SERVE_BODY_BYTES_MAX ((size_t)16 << 20)
#define SERVE_ANSWER_BYTES_MAX ((size_t)64 << 20)
#define SERVE_TARGET_BYTES_MAX 65536
#define SERVE_CORES_MAX 32
#define SERVE_SETTINGS_MAX 64

/* ---- query.c: what a request asks for; its bytes are hostile ---- */

/* X(enumerator, word in the address) */
#define SERVE_KIND_LIST(X)                                                                         \
	X(SERVE_ANALYZE, "analyze")                                                                \
	X(SERVE_CORES, "cores")                                                                    \
	X(SERVE_PARAMETERS, "parameters")                                                          \
	X(SERVE_PREDICT, "predict")                                                                \
	X(SERVE_MEASURE, "measure")

enum serve_kind {
#define X(name, word) name,
	SERVE_KIND_LIST(X)
#undef X
		SERVE_KIND_COUNT
};

struct serve_query {
	enum serve_kind kind;
	const char *cores[SERVE_CORES_MAX];
	size_t core_count;
	struct takt_setting settings[SERVE_SETTINGS_MAX]; /* "set=rob_entries=512" */
	size_t setting_count;
	enum takt_input_format format;
	enum takt_syntax syntax;
	enum takt_mode mode;
	enum takt_sensitivity sensitivity;
	bool whole;
	const char *function; /* NULL: all */
	const char *compiler; /* NULL: the body is no source code */
	const char *flags;    /* of the compiler, separated by blanks */
	const char *hex;      /* the code to measure, or to give to other predictors */
	uint32_t region;      /* from 1; 0: the first */
	uint32_t alignment;   /* as in struct takt_analysis_options */
	double unroll_factor;
};

/*
 * Read "analyze?core=…&…", encoded as forms are. Its strings are in the arena. Report errors to
 * `diag` and return false.
 */
bool takt_serve_query_read(const char *target, struct takt_arena *arena, struct takt_diag *diag,
			   struct serve_query *ret_query);

/* ---- program.c: other programs ---- */

/* A program to run, without a shell. */
struct serve_program {
	char *const *words;	    /* its name, to be found in PATH, and its arguments */
	const char *input, *output; /* files for its standard input, NULL: empty; for its output and
				     * messages */
	const char *folder;	    /* its temporary files, and its home */
};

/*
 * Run it in the time and with the limits of this process, with at most 2 GiB. Return its exit
 * status, or -1 if it did not run or did not end by itself.
 */
int takt_serve_program_run(const struct serve_program *program);
/* Write a new file. */
bool takt_serve_file_write(const char *path, const void *data, size_t size_bytes);
/* Read a file whole, or nothing of one that is larger than `most`; the caller frees the data, which
 * a zero follows. */
bool takt_serve_file_read(const char *path, size_t most, char **ret_data, size_t *ret_size);
/* Make a folder of which nobody else knows the name. */
bool takt_serve_folder_make(char *ret_path, size_t size_bytes);
/* Remove a folder and all in it. */
void takt_serve_remove_folder(const char *path);

/* ---- peers.c: other predictors ---- */

/* Names of a core in other predictors; NULL: the tool has none. The table is made of
 * data/peers.txt. */
struct serve_peer_core {
	const char *name, *llvm, *osaca;
};

extern const struct serve_peer_core takt_peer_cores[];
extern const size_t takt_peer_core_count;

/* Write the names of the other predictors of this machine, as an array of a JSON object. */
void takt_serve_peers_write(struct takt_json *json);
/* Write the cycles that each of them gives the code for each core, or why it gives none. */
bool takt_serve_predict(const struct serve_query *query, struct takt_json *json,
			struct takt_diag *diag);

/* ---- compile.c: source code to an object file ---- */

/* A file in memory. */
struct serve_object {
	char *data;
	size_t size_bytes;
	char folder[64]; /* where source and object are; "" if there is none */
};

/* Write the names of the compilers of this machine, as an array of a JSON object. */
void takt_serve_compilers_write(struct takt_json *json);
/*
 * Compile with one of these compilers. The flags that are allowed do not read or write other
 * files. What the compiler says is appended to `messages`. Report errors and return false. The
 * caller releases the object in any case.
 */
bool takt_serve_compile(const char *compiler, const char *flags, struct takt_word source,
			struct takt_diag *diag, struct takt_text *messages,
			struct serve_object *ret_object);
void takt_serve_object_release(struct serve_object *object);
/* True if the word is a flag that is allowed. */
bool takt_serve_flag_allowed(const char *word);

/* ---- analysis.c, cores.c: answers ---- */

bool takt_serve_analyze(const struct serve_query *query, const void *body, size_t size_bytes,
			struct takt_json *json, struct takt_diag *diag);
/* Write all cores, the host's, and the compilers. */
bool takt_serve_write_cores(struct takt_json *json);
bool takt_serve_write_parameters(const struct serve_query *query, struct takt_json *json,
				 struct takt_diag *diag);

/* ---- guard.c: who may ask ---- */

#define SERVE_TOKEN_SIZE 33 /* 128 bits in hexadecimal, and the end */

/* The request line and headers of a client, as sent. */
struct serve_client {
	const char *method, *target;		/* the target as sent: "/TOKEN/analyze?core=…" */
	const char *host, *origin, *fetch_site; /* headers; NULL: not sent */
};

/* Make a token; false if the system has no random numbers. */
bool takt_serve_token_make(char token[SERVE_TOKEN_SIZE]);
/*
 * Return 0 if the request may be answered, and what follows the token in its target; otherwise the
 * status of the refusal.
 */
unsigned takt_serve_guard(const struct serve_client *client, const char *token, uint16_t port,
			  const char **ret_rest);

/* ---- worker.c: a process that answers ---- */

/* Arguments, folder and input of a worker process. */
struct serve_work {
	const char *const *words; /* arguments after the program's name, ended by NULL */
	const char *folder;	  /* its folder for temporary files */
	const void *input;	  /* what it reads from standard input */
	size_t input_bytes;
	int client;	      /* socket of the client: if it is closed, the work ends; -1: none */
	double time_seconds;  /* limit of elapsed time */
	volatile bool *stops; /* set when the server ends */
};

enum serve_end {
	SERVE_FINISHED, /* the process wrote its answer, whatever its status */
	SERVE_NOT_STARTED,
	SERVE_TOO_LONG,
	SERVE_TOO_LARGE,
	SERVE_CRASHED,
	SERVE_ABANDONED, /* the client is gone, or the server ends */
};

/* Run the process, and append what it writes to `output`. It and its children have ended then. */
enum serve_end takt_serve_work(const struct serve_work *work, struct takt_text *output);

/* ---- the page, made at build time of web/ ---- */

extern const unsigned char takt_live_head[], takt_live_foot[];
extern const size_t takt_live_head_bytes, takt_live_foot_bytes;
/* The sources of the page's Content-Security-Policy: "script-src 'sha256-…'; style-src …". */
extern const char takt_live_policy[];

#endif
