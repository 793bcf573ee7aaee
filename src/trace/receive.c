/* SPDX-License-Identifier: MIT */
/* takt_trace_receive: from another takt's log, while it comes, to totals. */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "trace/log_source.h"
#include "trace/remote.h"
#include "trace/sinks.h"

#define GREETINGS_MAX 64 /* that fail, until someone tries to guess */
#define LOG_BYTES_MAX ((uint64_t)1 << 40)

struct receiver {
	struct trace_log_source source; /* first, so that it is one */
	struct takt_new_file copy;
	const struct takt_trace_options *options;
	const struct takt_trace_receive_options *receive;
	struct takt_diag *diag;
	int socket;
	char peer[80];
	uint64_t received;
};

/* ---- waiting ---- */

/* False after an error, which is reported: too late, or stopped by a signal. */
static bool wait_for_data(const struct takt_trace_options *options, int socket, int seconds,
			  struct takt_diag *diag)
{
	struct pollfd wait = {.fd = socket, .events = POLLIN};
	/* A signal may come just before the wait: looked for again. */
	int slices = seconds < 0 ? -1 : 2 * seconds;

	while (slices != 0) {
		int ready;

		if (options->signal && *options->signal) {
			takt_error(diag, "stopped by signal %d", *options->signal);
			return false;
		}
		ready = poll(&wait, 1, 500);
		if (ready > 0)
			return true;
		if (ready < 0 && errno != EINTR) {
			takt_error(diag, "cannot wait for a log: %s", strerror(errno));
			return false;
		}
		slices -= slices > 0;
	}
	takt_error(diag, "nothing came for %d seconds in the middle of a message", seconds);
	return false;
}

static ssize_t read_socket(struct trace_log_source *source, void *data, size_t size_bytes)
{
	struct receiver *receiver = (struct receiver *)source;
	bool within = source->end > source->begin;
	ssize_t got;

	if (!wait_for_data(receiver->options, receiver->socket, within ? REMOTE_STALL_SECONDS : -1,
			   receiver->diag))
		return -1;
	do {
		got = recv(receiver->socket, data, size_bytes, 0);
	} while (got < 0 && errno == EINTR);
	if (got < 0) {
		takt_error(receiver->diag, "'%s': %s", receiver->peer, strerror(errno));
		return -1;
	}
	receiver->received += (uint64_t)got;
	if (receiver->received > LOG_BYTES_MAX) {
		takt_error(receiver->diag, "'%s' sends more than %llu GiB", receiver->peer,
			   (unsigned long long)(LOG_BYTES_MAX >> 30));
		return -1;
	}
	return got;
}

/* ---- listening ---- */

static int open_listener(const struct remote_address *address, int *ret_error)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				       .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
	struct addrinfo *found = NULL;
	static const int on = 1;
	int file = -1;

	*ret_error = EADDRNOTAVAIL;
	if (getaddrinfo(address->host, address->port, &hints, &found) != 0)
		return -1;
	for (const struct addrinfo *next = found; next && file < 0; next = next->ai_next) {
		file = socket(next->ai_family, SOCK_STREAM | SOCK_CLOEXEC, next->ai_protocol);
		if (file < 0)
			continue;
		setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		if (bind(file, next->ai_addr, next->ai_addrlen) == 0 && listen(file, 4) == 0)
			break;
		*ret_error = errno;
		close(file);
		file = -1;
	}
	freeaddrinfo(found);
	return file;
}

/* The first one that has the token; others are sent away. */
static enum takt_status accept_sender(struct receiver *receiver, int listener,
				      const struct remote_token *token)
{
	for (int failed = 0; failed < GREETINGS_MAX; failed++) {
		if (!wait_for_data(receiver->options, listener, -1, receiver->diag))
			return TAKT_UNAVAILABLE;
		receiver->socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (receiver->socket < 0)
			continue;
		takt_remote_set_options(receiver->socket);
		takt_remote_address_write(receiver->socket, true, receiver->peer,
					  sizeof(receiver->peer));
		if (takt_remote_greet_sender(receiver->socket, token))
			return TAKT_OK;
		close(receiver->socket);
	}
	takt_error(receiver->diag, "%d connections came without the token", GREETINGS_MAX);
	return TAKT_UNAVAILABLE;
}

static enum takt_status wait_for_sender(struct receiver *receiver)
{
	const struct takt_trace_receive_options *receive = receiver->receive;
	struct remote_address address;
	struct remote_token token;
	char text[80];
	int listener, error = 0;
	enum takt_status status =
		takt_remote_address_read(receive->listen_on, receiver->diag, &address);

	if (status == TAKT_OK)
		status = takt_remote_token_read(receiver->options->token_path, receiver->diag, &token);
	if (status != TAKT_OK)
		return status;
	listener = open_listener(&address, &error);
	if (listener < 0) {
		takt_error(receiver->diag, "cannot listen on '%s': %s", receive->listen_on,
			   strerror(error));
		status = TAKT_UNAVAILABLE;
	} else {
		takt_remote_address_write(listener, false, text, sizeof(text));
		if (receive->listening)
			receive->listening(receive->context, text);
		status = accept_sender(receiver, listener, &token);
		close(listener);
	}
	takt_remote_token_forget(&token);
	return status;
}

/* ---- receiving ---- */

static enum takt_status open_copy(struct receiver *receiver)
{
	const char *path = receiver->options->log_path;
	enum takt_status status = TAKT_OK;

	if (path)
		status = takt_new_file_open(path, receiver->diag, &receiver->copy);
	receiver->source.copy = receiver->copy.file;
	return status;
}

/* A copy of what is not complete goes. */
static enum takt_status close_copy(struct receiver *receiver, enum takt_status status)
{
	if (!receiver->copy.file)
		return status;
	if (status == TAKT_OK)
		return takt_new_file_close(&receiver->copy, receiver->source.copy_error,
					   receiver->diag);
	takt_new_file_abandon(&receiver->copy);
	return status;
}

static enum takt_status receive_log(struct receiver *receiver, struct takt_trace_totals *totals)
{
	static const uint8_t done = REMOTE_DONE;
	enum takt_status status;

	takt_trace_log_source_init(&receiver->source, NULL, 0);
	status = takt_trace_replay_stream(&receiver->source, receiver->peer, receiver->options,
					  receiver->diag, totals);
	takt_trace_log_source_release(&receiver->source);
	status = close_copy(receiver, status);
	if (status == TAKT_OK)
		send(receiver->socket, &done, 1, MSG_NOSIGNAL);
	return status;
}

enum takt_status takt_trace_receive(const struct takt_trace_options *options,
				    const struct takt_trace_receive_options *receive,
				    struct takt_diag *diag, struct takt_trace_totals **ret_totals)
{
	struct receiver receiver = {
		.source.read = read_socket,
				    .options = options,
				    .receive = receive,
				    .diag = diag,
				    .socket = -1};
	struct takt_trace_totals *totals = takt_xcalloc(1, sizeof(*totals));
	enum takt_status status = open_copy(&receiver);

	if (status == TAKT_OK) {
		status = wait_for_sender(&receiver);
		if (status == TAKT_OK) {
			status = receive_log(&receiver, totals);
			close(receiver.socket);
		} else {
			status = close_copy(&receiver, status);
		}
	}
	if (status == TAKT_OK)
		*ret_totals = totals;
	else
		takt_trace_totals_free(totals);
	return status;
}
