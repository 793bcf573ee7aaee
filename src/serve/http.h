/* SPDX-License-Identifier: MIT */
/*
 * http: interface of the module for HTTP. http_module.c is built into takt-http.so, with
 * libmicrohttpd, and is loaded when a server is opened.
 */
#ifndef TAKT_SERVE_HTTP_H
#define TAKT_SERVE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_request {
	const char *method, *target;		/* the target is not decoded */
	const char *host, *origin, *fetch_site; /* NULL: not sent */
	const char *body;
	size_t body_bytes;
	int socket;
};

struct http_answer {
	unsigned status;
	const char *type;   /* of the contents */
	const char *policy; /* Content-Security-Policy */
	char *data;	    /* allocated; the module frees it */
	size_t size_bytes;
};

struct http_options {
	uint16_t port; /* 0: any free one */
	unsigned connections_max;
	unsigned idle_seconds;	  /* a connection without any byte for so long is closed */
	unsigned request_seconds; /* a request must have arrived completely within this time */
	size_t body_bytes_max;
	/* Decide by all but the body: 0, or the status of the refusal. */
	unsigned (*admit)(void *context, const struct http_request *request);
	/* Answer, in a thread of the connection. */
	void (*answer)(void *context, const struct http_request *request,
		       struct http_answer *ret_answer);
	void *context;
};

struct http;

struct http_functions {
	/* Listen on the loopback interface; NULL, and errno, if that fails. */
	struct http *(*open)(const struct http_options *options, uint16_t *ret_port);
	/* Return when no thread answers any more. */
	void (*close)(struct http *http);
};

#define HTTP_MODULE "takt-http"
#define HTTP_SYMBOL "takt_http_functions"

extern const struct http_functions takt_http_functions;

#endif
