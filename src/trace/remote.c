/* SPDX-License-Identifier: MIT */
/* The token, the greeting, and the sender's end. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace/remote.h"

#define MAGIC "TKremot1"
#define MAGIC_BYTES 8u
#define ROLE_BYTES 16u

/* ---- the token ---- */

enum takt_status takt_remote_token_read(const char *path, struct takt_diag *diag,
					struct remote_token *token)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	int error;
	ssize_t got;

	token->size_bytes = 0;
	if (file < 0 || fstat(file, &status) < 0) {
		takt_error(diag, "cannot open '%s': %s", path, strerror(errno));
		if (file >= 0)
			close(file);
		return TAKT_BAD_INPUT;
	}
	got = takt_read_all(file, token->bytes, sizeof(token->bytes));
	error = errno;
	close(file);
	token->size_bytes = got > 0 ? (size_t)got : 0;
	while (token->size_bytes && (token->bytes[token->size_bytes - 1] == '\n' ||
				     token->bytes[token->size_bytes - 1] == '\r'))
		token->size_bytes--;
	if (S_ISREG(status.st_mode) && (status.st_mode & (S_IRWXG | S_IRWXO))) {
		takt_error(diag, "others may read the token in '%s'", path);
		takt_note(diag, "chmod 600 %s, and better make a new one", path);
	} else if (got < 0) {
		takt_error(diag, "cannot read '%s': %s", path, strerror(error));
	} else if (token->size_bytes < REMOTE_TOKEN_BYTES_MIN ||
		   token->size_bytes > REMOTE_TOKEN_BYTES_MAX) {
		takt_error(diag, "the token in '%s' has not %u to %u bytes", path,
			   REMOTE_TOKEN_BYTES_MIN, REMOTE_TOKEN_BYTES_MAX);
		takt_note(diag, "(umask 077; head -c 32 /dev/urandom | base64 > %s) makes one",
			  path);
	} else {
		return TAKT_OK;
	}
	takt_remote_token_forget(token);
	return TAKT_BAD_INPUT;
}

void takt_remote_token_forget(struct remote_token *token)
{
	explicit_bzero(token, sizeof(*token));
}

/* ---- addresses ---- */

enum takt_status takt_remote_address_read(const char *text, struct takt_diag *diag,
					  struct remote_address *ret_address)
{
	const char *colon = strrchr(text, ':'), *host = text, *port = colon ? colon + 1 : text;
	size_t host_size = colon ? (size_t)(colon - text) : 0;

	if (host_size > 1 && host[0] == '[' && host[host_size - 1] == ']') {
		host++;
		host_size -= 2;
	} else if (host_size && memchr(host, ':', host_size)) {
		port = ""; /* of IPv6, and no port to tell from it */
	}
	if (host_size >= sizeof(ret_address->host) || strlen(port) >= sizeof(ret_address->port) ||
	    port[0] == '\0' || strspn(port, "0123456789") != strlen(port) ||
	    strtoul(port, NULL, 10) > UINT16_MAX) {
		takt_error(diag, "'%s' is no address and port", text);
		takt_note(diag, "say 127.0.0.1:7000, [::1]:7000, or 7000 for the loopback");
		return TAKT_BAD_INPUT;
	}
	*ret_address = (struct remote_address){.host = "127.0.0.1"};
	if (host_size) {
		memcpy(ret_address->host, host, host_size);
		ret_address->host[host_size] = '\0';
	}
	memcpy(ret_address->port, port, strlen(port));
	return TAKT_OK;
}

void takt_remote_address_write(int socket, bool peer, char *text, size_t size_bytes)
{
	char host[64] = "?", port[16] = "?";
	struct sockaddr_storage address = {0};
	socklen_t size = sizeof(address);

	if ((peer ? getpeername(socket, (struct sockaddr *)&address, &size)
		  : getsockname(socket, (struct sockaddr *)&address, &size)) == 0)
		getnameinfo((struct sockaddr *)&address, size, host, sizeof(host), port,
			    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(text, size_bytes, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

void takt_remote_set_options(int socket)
{
	static const int on = 1, idle = 15, interval = 5, count = 3;
	static const struct timeval stall = {.tv_sec = REMOTE_STALL_SECONDS};

	setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &stall, sizeof(stall));
}

/* ---- the greeting ---- */

static int64_t now_milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool receive_all(int socket, void *data, size_t size_bytes, int64_t deadline)
{
	size_t have = 0;

	while (have < size_bytes) {
		struct pollfd wait = {.fd = socket, .events = POLLIN};
		int64_t left = deadline - now_milliseconds();
		ssize_t got;

		if (left <= 0 || poll(&wait, 1, (int)left) <= 0)
			return false;
		got = recv(socket, (uint8_t *)data + have, size_bytes - have, 0);
		if (got <= 0)
			return false;
		have += (size_t)got;
	}
	return true;
}

static bool send_all(int socket, const void *data, size_t size_bytes)
{
	const uint8_t *next = data;

	while (size_bytes) {
		ssize_t sent = send(socket, next, size_bytes, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		next += sent;
		size_bytes -= (size_t)sent;
	}
	return true;
}

/* What only one that has the token can say, in this role and this greeting. */
static void sign(const struct remote_token *token, const char *role, const uint8_t *receivers,
		 const uint8_t *senders, uint8_t *mac)
{
	struct hmac_sha256_ctx context;
	uint8_t padded[ROLE_BYTES] = {0};

	memcpy(padded, role, strlen(role));
	hmac_sha256_set_key(&context, token->size_bytes, token->bytes);
	hmac_sha256_update(&context, sizeof(padded), padded);
	hmac_sha256_update(&context, REMOTE_NONCE_BYTES, receivers);
	hmac_sha256_update(&context, REMOTE_NONCE_BYTES, senders);
	hmac_sha256_digest(&context, REMOTE_MAC_BYTES, mac);
	explicit_bzero(&context, sizeof(context));
}

static bool make_nonce(uint8_t *nonce)
{
	return getrandom(nonce, REMOTE_NONCE_BYTES, 0) == REMOTE_NONCE_BYTES;
}

struct greeting {
	uint8_t magic[MAGIC_BYTES], nonce[REMOTE_NONCE_BYTES];
};

bool takt_remote_greet_sender(int socket, const struct remote_token *token)
{
	int64_t deadline = now_milliseconds() + REMOTE_GREETING_SECONDS * 1000;
	uint8_t got[REMOTE_MAC_BYTES], mac[REMOTE_MAC_BYTES];
	struct greeting ours, theirs;

	memcpy(ours.magic, MAGIC, MAGIC_BYTES);
	if (!make_nonce(ours.nonce) || !send_all(socket, &ours, sizeof(ours)) ||
	    !receive_all(socket, &theirs, sizeof(theirs), deadline) ||
	    memcmp(theirs.magic, MAGIC, MAGIC_BYTES) != 0 ||
	    !receive_all(socket, got, sizeof(got), deadline))
		return false;
	sign(token, "sender", ours.nonce, theirs.nonce, mac);
	if (!memeql_sec(got, mac, sizeof(mac)))
		return false;
	sign(token, "receiver", ours.nonce, theirs.nonce, mac);
	return send_all(socket, mac, sizeof(mac));
}

bool takt_remote_greet_receiver(int socket, const struct remote_token *token)
{
	int64_t deadline = now_milliseconds() + REMOTE_PATIENCE_SECONDS * 1000;
	uint8_t got[REMOTE_MAC_BYTES], mac[REMOTE_MAC_BYTES];
	struct greeting ours, theirs;

	memcpy(ours.magic, MAGIC, MAGIC_BYTES);
	if (!receive_all(socket, &theirs, sizeof(theirs), deadline) ||
	    memcmp(theirs.magic, MAGIC, MAGIC_BYTES) != 0 || !make_nonce(ours.nonce))
		return false;
	sign(token, "sender", theirs.nonce, ours.nonce, mac);
	if (!send_all(socket, &ours, sizeof(ours)) || !send_all(socket, mac, sizeof(mac)) ||
	    !receive_all(socket, got, sizeof(got), deadline))
		return false;
	sign(token, "receiver", theirs.nonce, ours.nonce, mac);
	return memeql_sec(got, mac, sizeof(mac));
}

/* ---- sending ---- */

static int connect_socket(const struct remote_address *address, int *ret_error)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	static const struct timeval patience = {.tv_sec = REMOTE_PATIENCE_SECONDS};
	struct addrinfo *found = NULL;
	int file = -1;

	*ret_error = EADDRNOTAVAIL;
	if (getaddrinfo(address->host, address->port, &hints, &found) != 0)
		return -1;
	for (const struct addrinfo *next = found; next && file < 0; next = next->ai_next) {
		file = socket(next->ai_family, SOCK_STREAM | SOCK_CLOEXEC, next->ai_protocol);
		if (file < 0)
			continue;
		/* That limits connect(), too. */
		setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
		if (connect(file, next->ai_addr, next->ai_addrlen) == 0)
			break;
		*ret_error = errno == EINPROGRESS ? ETIMEDOUT : errno;
		close(file);
		file = -1;
	}
	freeaddrinfo(found);
	return file;
}

static ssize_t write_stream(void *cookie, const char *data, size_t size_bytes)
{
	return send_all(*(int *)cookie, data, size_bytes) ? (ssize_t)size_bytes : 0;
}

static int close_stream(void *cookie)
{
	int file = *(int *)cookie;
	int64_t deadline = now_milliseconds() + REMOTE_STALL_SECONDS * 1000;
	uint8_t done = 0;
	bool fine;

	shutdown(file, SHUT_WR);
	fine = receive_all(file, &done, 1, deadline) && done == REMOTE_DONE;
	close(file);
	free(cookie);
	if (!fine)
		errno = ECONNRESET;
	return fine ? 0 : -1;
}

enum takt_status takt_remote_connect(const char *address, const char *token_path,
				     struct takt_diag *diag, FILE **ret_stream)
{
	static const cookie_io_functions_t functions = {.write = write_stream,
							.close = close_stream};
	struct remote_address parts;
	struct remote_token token;
	enum takt_status status = takt_remote_address_read(address, diag, &parts);
	int file, error = 0, *cookie;
	bool greeted;

	if (status == TAKT_OK)
		status = takt_remote_token_read(token_path, diag, &token);
	if (status != TAKT_OK)
		return status;
	file = connect_socket(&parts, &error);
	if (file < 0) {
		takt_remote_token_forget(&token);
		takt_error(diag, "cannot connect to '%s': %s", address, strerror(error));
		takt_note(diag, "'takt trace --listen' must wait there, and takes one sender");
		return TAKT_UNAVAILABLE;
	}
	takt_remote_set_options(file);
	greeted = takt_remote_greet_receiver(file, &token);
	takt_remote_token_forget(&token);
	if (!greeted) {
		close(file);
		takt_error(diag, "'%s' is no 'takt trace --listen' with the same token", address);
		return TAKT_UNAVAILABLE;
	}
	cookie = takt_xcalloc(1, sizeof(*cookie));
	*cookie = file;
	*ret_stream = fopencookie(cookie, "w", functions);
	if (!*ret_stream) {
		takt_error(diag, "cannot connect to '%s': %s", address, strerror(errno));
		close(file);
		free(cookie);
		return TAKT_UNAVAILABLE;
	}
	return TAKT_OK;
}
