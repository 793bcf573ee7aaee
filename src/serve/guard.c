/* SPDX-License-Identifier: MIT */
/*
 * Decides who may ask. Any page that a browser shows can send requests to a port of this machine,
 * and under a name that its owner points here. So a request needs the token, which only the user
 * has; must be for this host by a name that nobody else can point here; and, where the browser says
 * which page sent it, must come from our own.
 */
#include <string.h>
#include <sys/random.h>

#include "serve/serve.h"

#define NOT_FOUND 404
#define FORBIDDEN 403
#define NO_METHOD 405
#define TOO_LONG 414

bool takt_serve_token_make(char token[SERVE_TOKEN_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[(SERVE_TOKEN_SIZE - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		token[2 * i] = digits[bytes[i] >> 4];
		token[2 * i + 1] = digits[bytes[i] & 15];
	}
	token[SERVE_TOKEN_SIZE - 1] = '\0';
	return true;
}

/* Compare in a time that does not tell how much of it is right. */
static bool has_token(const char *target, const char *token)
{
	unsigned differs = 0;

	if (target[0] != '/' || strnlen(target, SERVE_TOKEN_SIZE + 1) <= SERVE_TOKEN_SIZE)
		return false;
	for (size_t i = 0; i < SERVE_TOKEN_SIZE - 1; i++)
		differs |= (unsigned)(unsigned char)target[1 + i] ^ (unsigned char)token[i];
	return !differs && target[SERVE_TOKEN_SIZE] == '/';
}

static bool is_our_host(const char *host, uint16_t port)
{
	static const char *const names[] = {"127.0.0.1", "localhost"};
	char wanted[32];

	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++) {
		snprintf(wanted, sizeof(wanted), "%s:%u", names[i], port);
		if (strcmp(host, wanted) == 0)
			return true;
	}
	return false;
}

static bool is_our_origin(const char *origin, const char *host)
{
	static const char scheme[] = "http://";

	return takt_string_starts(origin, scheme) && strcmp(origin + strlen(scheme), host) == 0;
}

unsigned takt_serve_guard(const struct serve_client *client, const char *token, uint16_t port,
			  const char **ret_rest)
{
	bool posts = strcmp(client->method, "POST") == 0;

	if (!client->host || !is_our_host(client->host, port))
		return FORBIDDEN;
	if (client->origin && !is_our_origin(client->origin, client->host))
		return FORBIDDEN;
	if (posts && client->fetch_site && strcmp(client->fetch_site, "same-origin") != 0 &&
	    strcmp(client->fetch_site, "none") != 0)
		return FORBIDDEN;
	if (strnlen(client->target, SERVE_TARGET_BYTES_MAX + 1) > SERVE_TARGET_BYTES_MAX)
		return TOO_LONG;
	if (!has_token(client->target, token))
		return NOT_FOUND;
	if (!posts && strcmp(client->method, "GET") != 0)
		return NO_METHOD;
	*ret_rest = client->target + SERVE_TOKEN_SIZE + 1;
	return 0;
}
