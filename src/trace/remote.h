/* SPDX-License-Identifier: MIT */
/*
 * Logs from one takt to another over TCP (docs/formats.md, "Traces over a network"). Each end
 * proves to the other that it has the token; what follows is neither secret nor signed.
 */
#ifndef TAKT_TRACE_REMOTE_H
#define TAKT_TRACE_REMOTE_H

#include <stdio.h>

#include "trace/trace.h"

#define REMOTE_TOKEN_BYTES_MIN 16u
#define REMOTE_TOKEN_BYTES_MAX 4096u
#define REMOTE_NONCE_BYTES 32u
#define REMOTE_MAC_BYTES 32u
#define REMOTE_GREETING_SECONDS 5  /* that the receiver waits, while others wait for it */
#define REMOTE_PATIENCE_SECONDS 20 /* that the sender waits */
#define REMOTE_STALL_SECONDS 30	   /* without a byte, where some must come */
#define REMOTE_DONE 0x06	   /* the receiver has all of the log */

struct remote_token {
	uint8_t bytes[REMOTE_TOKEN_BYTES_MAX + 1];
	size_t size_bytes;
};

/* remote.c */
TAKT_MUST_CHECK enum takt_status takt_remote_token_read(const char *path, struct takt_diag *diag,
							struct remote_token *token);
void takt_remote_token_forget(struct remote_token *token);

/* "ADDRESS:PORT", "[ADDRESS]:PORT", ":PORT" or "PORT". */
struct remote_address {
	char host[256], port[32];
};

TAKT_MUST_CHECK enum takt_status takt_remote_address_read(const char *text, struct takt_diag *diag,
							  struct remote_address *ret_address);
/* Of a socket: ours, or the peer's; at least 80 bytes. */
void takt_remote_address_write(int socket, bool peer, char *text, size_t size_bytes);

/* Whether a dead peer is noticed, and small messages go at once. */
void takt_remote_set_options(int socket);
/* False if the other end is not a takt that has the token, or does not answer in time. */
bool takt_remote_greet_sender(int socket, const struct remote_token *token);
bool takt_remote_greet_receiver(int socket, const struct remote_token *token);

/* A stream to a receiver. Closing it waits until that has got all; it fails if it has not. */
TAKT_MUST_CHECK enum takt_status takt_remote_connect(const char *address, const char *token_path,
						     struct takt_diag *diag, FILE **ret_stream);

#endif
