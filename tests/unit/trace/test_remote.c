/* SPDX-License-Identifier: MIT */
/* Tokens, addresses, and both ends of a greeting; remote.c. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "import_fixture.h"

#include "trace/remote.h"

static void check_addresses(void)
{
	static const struct {
		int line;
		const char *text, *host, *port; /* host NULL: refused */
	} rows[] = {
		{__LINE__, "7000", "127.0.0.1", "7000"},
		{__LINE__, ":7000", "127.0.0.1", "7000"},
		{__LINE__, "0", "127.0.0.1", "0"},
		{__LINE__, "example:1", "example", "1"},
		{__LINE__, "[::1]:7000", "::1", "7000"},
		{__LINE__, "::1", NULL, NULL},
		{__LINE__, "[::1]", NULL, NULL},
		{__LINE__, "", NULL, NULL},
		{__LINE__, "host", NULL, NULL},
		{__LINE__, "host:", NULL, NULL},
		{__LINE__, "host:65536", NULL, NULL},
		{__LINE__, "host:99999999999999999999999999999999999", NULL, NULL},
		{__LINE__, "host:-1", NULL, NULL},
		{__LINE__, "host:1x", NULL, NULL},
	};
	char text[400];
	struct remote_address address;

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		enum takt_status status = takt_remote_address_read(rows[i].text, NULL, &address);

		ok(rows[i].host ? status == TAKT_OK && strcmp(address.host, rows[i].host) == 0 &&
					  strcmp(address.port, rows[i].port) == 0
				: status == TAKT_BAD_INPUT,
		   "row %d: %s", rows[i].line, rows[i].text);
	}
	memset(text, 'h', 300);
	strcpy(text + 300, ":1");
	ok(takt_remote_address_read(text, NULL, &address) == TAKT_BAD_INPUT, "a long name");
}

static void check_token(const char *text, size_t size, mode_t mode, long long wanted)
{
	static struct remote_token token;
	char path[] = "/tmp/takt-token-XXXXXX";
	int file = mkstemp(path);
	enum takt_status status;

	ok(file >= 0 && write(file, text, size) == (ssize_t)size && fchmod(file, mode) == 0,
	   "file");
	status = takt_remote_token_read(path, NULL, &token);
	is_int(status == TAKT_OK ? (long long)token.size_bytes : -1, wanted, "token's size");
	close(file);
	unlink(path);
}

struct end {
	int socket;
	struct remote_token token;
	bool greeted;
};

static void *greet_sender(void *argument)
{
	struct end *end = argument;

	end->greeted = takt_remote_greet_sender(end->socket, &end->token);
	shutdown(end->socket, SHUT_RDWR);
	return NULL;
}

static void check_greeting(const char *receivers, const char *senders, bool fine)
{
	static struct end receiver, sender;
	int sockets[2];
	pthread_t thread;

	if (!ok(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "sockets"))
		return;
	receiver = (struct end){.socket = sockets[0], .token.size_bytes = strlen(receivers)};
	sender = (struct end){.socket = sockets[1], .token.size_bytes = strlen(senders)};
	memcpy(receiver.token.bytes, receivers, strlen(receivers));
	memcpy(sender.token.bytes, senders, strlen(senders));
	ok(pthread_create(&thread, NULL, greet_sender, &receiver) == 0, "a thread");
	sender.greeted = takt_remote_greet_receiver(sender.socket, &sender.token);
	shutdown(sender.socket, SHUT_RDWR);
	pthread_join(thread, NULL);
	ok(receiver.greeted == fine && sender.greeted == fine, "'%s' and '%s'", receivers, senders);
	close(sockets[0]);
	close(sockets[1]);
}

/* What one end said cannot be said again by one that has no token. */
static void check_replayed(void)
{
	static struct end receiver = {.token = {"0123456789abcdef", 16}};
	uint8_t greeting[40];
	int sockets[2];
	pthread_t thread;

	if (!ok(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "sockets"))
		return;
	receiver.socket = sockets[0];
	ok(pthread_create(&thread, NULL, greet_sender, &receiver) == 0, "a thread");
	ok(recv(sockets[1], greeting, 40, MSG_WAITALL) == 40, "its greeting");
	ok(send(sockets[1], greeting, 40, 0) == 40 && send(sockets[1], greeting, 32, 0) == 32,
	   "the same again");
	pthread_join(thread, NULL);
	ok(!receiver.greeted && recv(sockets[1], greeting, 1, 0) == 0, "is sent away, unanswered");
	close(sockets[0]);
	close(sockets[1]);
}

int main(void)
{
	static char large[5000];

	memset(large, 'x', sizeof(large));
	check_addresses();
	check_token("0123456789abcdef\n", 17, 0600, 16);
	check_token("0123456789abcdef\r\n", 18, 0400, 16);
	check_token("0123456789abcde\n", 16, 0600, -1);
	check_token("0123456789abcdef\n", 17, 0640, -1);
	check_token("0123456789abcdef\n", 17, 0604, -1);
	check_token(large, 4096, 0600, 4096);
	check_token(large, 4097, 0600, -1);
	check_token(large, 5000, 0600, -1);
	check_greeting("0123456789abcdef", "0123456789abcdef", true);
	check_greeting("0123456789abcdef", "0123456789abcdeg", false);
	check_greeting("0123456789abcdef", "0123456789abcdef0", false);
	check_replayed();
	return tap_done();
}
