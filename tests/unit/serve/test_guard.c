/* SPDX-License-Identifier: MIT */

#include "../tap.h"
#include "serve/serve.h"

#define TOKEN "0123456789abcdef0123456789abcdef"
#define PORT 8000

static void test_rows(void)
{
	static const struct {
		const char *what;
		struct serve_client client;
		unsigned status;
	} rows[] = {
		{"the page", {"GET", "/" TOKEN "/", "127.0.0.1:8000", NULL, NULL}, 0},
		{"by its name", {"GET", "/" TOKEN "/x", "localhost:8000", NULL, "none"}, 0},
		{"from our page",
		 {"POST", "/" TOKEN "/x", "127.0.0.1:8000", "http://127.0.0.1:8000", "same-origin"},
		 0},
		{"another token",
		 {"GET", "/0123456789abcdef0123456789abcdee/", "127.0.0.1:8000", NULL, NULL},
		 404},
		{"no token", {"GET", "/", "127.0.0.1:8000", NULL, NULL}, 404},
		{"a token without its end", {"GET", "/" TOKEN, "127.0.0.1:8000", NULL, NULL}, 404},
		{"a longer token", {"GET", "/" TOKEN "0/", "127.0.0.1:8000", NULL, NULL}, 404},
		{"an empty target", {"GET", "", "127.0.0.1:8000", NULL, NULL}, 404},
		{"another host", {"GET", "/" TOKEN "/", "evil.example:8000", NULL, NULL}, 403},
		{"another port", {"GET", "/" TOKEN "/", "127.0.0.1:80", NULL, NULL}, 403},
		{"no port", {"GET", "/" TOKEN "/", "127.0.0.1", NULL, NULL}, 403},
		{"no host", {"GET", "/" TOKEN "/", NULL, NULL, NULL}, 403},
		{"another origin",
		 {"POST", "/" TOKEN "/x", "127.0.0.1:8000", "http://evil.example", NULL},
		 403},
		{"our origin by another name",
		 {"POST", "/" TOKEN "/x", "127.0.0.1:8000", "http://localhost:8000", NULL},
		 403},
		{"no origin that can be named",
		 {"POST", "/" TOKEN "/x", "127.0.0.1:8000", "null", NULL},
		 403},
		{"another site",
		 {"POST", "/" TOKEN "/x", "127.0.0.1:8000", NULL, "cross-site"},
		 403},
		{"another method", {"PUT", "/" TOKEN "/x", "127.0.0.1:8000", NULL, NULL}, 405},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const char *rest = NULL;
		unsigned status = takt_serve_guard(&rows[i].client, TOKEN, PORT, &rest);

		ok(status == rows[i].status, "%s: %u, not %u", rows[i].what, status,
		   rows[i].status);
		ok(status ? !rest : rest == strrchr(rows[i].client.target, '/') + 1,
		   "%s: what follows the token", rows[i].what);
	}
}

static void test_token(void)
{
	char token[SERVE_TOKEN_SIZE], other[SERVE_TOKEN_SIZE];

	ok(takt_serve_token_make(token) && takt_serve_token_make(other), "tokens are made");
	ok(strlen(token) == 32 && strspn(token, "0123456789abcdef") == 32, "of 32 digits");
	ok(strcmp(token, other) != 0, "and differ");
}

int main(void)
{
	test_rows();
	test_token();
	return tap_done();
}
