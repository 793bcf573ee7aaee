/* SPDX-License-Identifier: MIT */
/*
 * Analyses over HTTP, for a browser on the same machine.
 *
 * The command uses it, the library does not offer it.
 */
#ifndef TAKT_LAB_SERVE_H
#define TAKT_LAB_SERVE_H

#include <takt/common.h>

/* Zero-initialise, then set what is needed. */
struct takt_serve_options {
	uint16_t port;	     /* 0: any free one */
	bool can_measure;    /* code may be measured on this machine */
	bool can_compile;    /* source code may be compiled, if there is a compiler */
	double time_seconds; /* seconds after which work on a request ends */
};

struct takt_server;

/*
 * Listen on the loopback interface, and answer in threads until the server is closed. Each request
 * is worked on by a process of its own, "takt serve --answer=…", the same program again.
 * TAKT_UNAVAILABLE if there is no module for HTTP.
 */
TAKT_MUST_CHECK enum takt_status takt_server_open(const struct takt_serve_options *options,
						  struct takt_diag *diag,
						  struct takt_server **ret_server);
/* Return the address for the browser, with the token that requests must have. */
const char *takt_server_address(const struct takt_server *server);
/*
 * Show the address in the user's browser, by xdg-open, without naming the token in a command line,
 * which all users of the machine can read: the browser gets a file that leads to the address.
 */
TAKT_MUST_CHECK enum takt_status takt_server_show(struct takt_server *server,
						  struct takt_diag *diag);
/* End all requests and the processes that work on them, and remove all files. */
void takt_server_close(struct takt_server *server);

/*
 * Answer one request in this process: `target` is what follows the token in its address,
 * "analyze?core=…", and `body` what was sent. Append the answer, JSON, to `text`. Errors in the
 * request are part of the answer, and false is returned.
 */
bool takt_serve_answer(const char *target, const void *body, size_t size_bytes,
		       struct takt_text *text);
/* Set limits of memory, time and files for a process that answers; call it before any thread. */
void takt_serve_confine(double time_seconds);

#endif
