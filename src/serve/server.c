/* SPDX-License-Identifier: MIT */
/* The server: checks requests, starts a process for each, and sends what that answers. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "serve/http.h"
#include "serve/serve.h"

#define CONNECTIONS_MAX 128
#define IDLE_SECONDS 20
#define REQUEST_SECONDS 30
#define WAITING_MAX 64 /* requests that wait for others to be answered */
#define TIME_SECONDS_USUAL 10.0
#define MEASURE_WORDS_MAX 8
#define TURN_MILLISECONDS 5

extern char **environ;

struct takt_server {
	struct takt_serve_options options;
	const struct http_functions *functions;
	struct http *http;
	char token[SERVE_TOKEN_SIZE];
	uint16_t port;
	struct takt_text address, policy;
	char folder[64];
	volatile bool stops;
	atomic_uint serial;	     /* number of the next worker's folder */
	atomic_int running, waiting; /* workers; requests that wait for one to end */
	int running_max;
};

/* ---- answers -------------------------------------------------------------------- */

static void set_answer(struct takt_server *server, unsigned status, const char *type,
		       struct takt_text *text, struct http_answer *answer)
{
	*answer = (struct http_answer){.status = status,
				       .type = type,
				       .policy = server->policy.data,
				       .data = text->data,
				       .size_bytes = text->size_bytes};
	*text = (struct takt_text){.data = NULL};
}

/* Answer with JSON that has nothing but an error. */
static void set_error(struct takt_server *server, unsigned status, const char *message,
		      struct http_answer *answer)
{
	struct takt_text text = {0};
	struct takt_json json;

	takt_json_init(&json, &text);
	takt_json_open_object(&json, NULL);
	takt_json_string(&json, "error", message);
	takt_json_close_object(&json);
	set_answer(server, status, "application/json", &text, answer);
}

/* Answer with the page, whose data are the facts of this server that it needs. */
static void set_page(struct takt_server *server, struct http_answer *answer)
{
	struct takt_text text = {0}, data = {0};
	struct takt_json json;

	takt_json_init(&json, &data);
	takt_json_open_object(&json, NULL);
	takt_json_string(&json, "version", takt_version());
	takt_json_bool(&json, "can_measure", server->options.can_measure);
	takt_json_bool(&json, "can_compile", server->options.can_compile);
	takt_json_close_object(&json);
	takt_text_add(&text, (const char *)takt_live_head, takt_live_head_bytes);
	takt_text_add(&text, data.data, data.size_bytes);
	takt_text_add(&text, (const char *)takt_live_foot, takt_live_foot_bytes);
	takt_text_release(&data);
	set_answer(server, 200, "text/html; charset=utf-8", &text, answer);
}

/* ---- work ------------------------------------------------------------------------- */

static bool is_gone(int socket)
{
	char byte;
	ssize_t size = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	return size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

/* Wait until fewer processes run than may; false if the client left or too many wait. */
static bool take_turn(struct takt_server *server, int socket, bool *ret_is_full)
{
	static const struct timespec interval = {.tv_nsec = TURN_MILLISECONDS * 1000000L};
	bool has_turn = false;

	*ret_is_full = atomic_fetch_add(&server->waiting, 1) >= WAITING_MAX;
	while (!*ret_is_full && !has_turn) {
		int running = atomic_load(&server->running);

		has_turn = running < server->running_max &&
			   atomic_compare_exchange_strong(&server->running, &running, running + 1);
		if (has_turn || server->stops || is_gone(socket))
			break;
		nanosleep(&interval, NULL);
	}
	atomic_fetch_sub(&server->waiting, 1);
	return has_turn;
}

static void set_work_answer(struct takt_server *server, enum serve_end end, struct takt_text *text,
			    struct http_answer *answer)
{
	char message[120];

	switch (end) {
	case SERVE_FINISHED:
		if (text->size_bytes)
			set_answer(server, 200, "application/json", text, answer);
		else
			set_error(server, 500, "error: the work ended without an answer", answer);
		return;
	case SERVE_TOO_LONG:
		snprintf(message, sizeof(message),
			 "error: this took longer than %.0f s\nnote: shorten the code, or start "
			 "takt serve with '--time-limit'",
			 server->options.time_seconds);
		set_error(server, 503, message, answer);
		return;
	case SERVE_TOO_LARGE:
		set_error(server, 413,
			  "error: the answer has more than 64 MiB\nnote: shorten the code, or "
			  "choose fewer cores",
			  answer);
		return;
	case SERVE_CRASHED:
		set_error(server, 500,
			  "error: the process that analyzed this crashed, or used too much of the "
			  "processor; please report the code",
			  answer);
		return;
	case SERVE_NOT_STARTED:
		set_error(server, 503, "error: no process could be started", answer);
		return;
	case SERVE_ABANDONED:
		break;
	}
	answer->data = NULL; /* nobody is there to read it */
}

/* Make a folder for a worker's temporary files. */
static bool make_folder(struct takt_server *server, char *path, size_t size)
{
	snprintf(path, size, "%s/%u", server->folder, atomic_fetch_add(&server->serial, 1));
	return mkdir(path, 0700) == 0;
}

static void work(struct takt_server *server, const char *const *words,
		 const struct http_request *request, struct http_answer *answer)
{
	struct takt_text text = {0};
	struct serve_work work = {.words = words,
				  .input = request->body,
				  .input_bytes = request->body_bytes,
				  .client = request->socket,
				  .time_seconds = server->options.time_seconds,
				  .stops = &server->stops};
	char folder[96];
	bool is_full;

	if (!take_turn(server, request->socket, &is_full)) {
		if (is_full)
			set_error(server, 503, "error: too many requests wait", answer);
		return;
	}
	if (make_folder(server, folder, sizeof(folder))) {
		work.folder = folder;
		set_work_answer(server, takt_serve_work(&work, &text), &text, answer);
		takt_serve_remove_folder(folder);
	} else {
		set_error(server, 500, "error: no folder for temporary files can be made", answer);
	}
	atomic_fetch_sub(&server->running, 1);
	takt_text_release(&text);
}

static bool is_hex(const char *text)
{
	return text && *text && strlen(text) <= SERVE_TARGET_BYTES_MAX &&
	       !text[strspn(text, "0123456789abcdefABCDEF")];
}

/* Measure by "takt measure", which runs the code in its sandbox. */
static void measure(struct takt_server *server, const struct serve_query *query,
		    const struct http_request *request, struct http_answer *answer)
{
	struct takt_text hex = {0};
	const char *words[MEASURE_WORDS_MAX] = {
		"measure", query->mode == TAKT_MODE_LOOP ? "--mode=loop" : "--mode=unroll",
		"--format=json"};

	if (!server->options.can_measure) {
		set_error(server, 403,
			  "error: measuring is turned off\nnote: start 'takt serve --measure' to "
			  "run code of this page on this machine",
			  answer);
		return;
	}
	if (!is_hex(query->hex)) {
		set_error(server, 400, "error: 'hex' must have the bytes to measure", answer);
		return;
	}
	takt_text_printf(&hex, "--hex=%s", query->hex);
	words[3] = hex.data;
	work(server, words, request, answer);
	takt_text_release(&hex);
}

/* Answer a request whose query is fine so far; its worker reads the query again. */
static void answer_query(struct takt_server *server, const struct serve_query *query,
			 const char *target, const struct http_request *request,
			 struct http_answer *answer)
{
	struct takt_text option = {0}, limit = {0};
	const char *words[] = {"serve", NULL, NULL, NULL};

	if (query->kind == SERVE_MEASURE) {
		measure(server, query, request, answer);
		return;
	}
	if (query->compiler && !server->options.can_compile) {
		set_error(server, 403, "error: compiling is turned off", answer);
		return;
	}
	if (query->kind == SERVE_PREDICT && !server->options.can_compile) {
		set_error(server, 403, "error: other predictors are turned off", answer);
		return;
	}
	takt_text_printf(&option, "--answer=%s", target);
	takt_text_printf(&limit, "--time-limit=%.0f", server->options.time_seconds);
	words[1] = option.data;
	words[2] = limit.data;
	work(server, words, request, answer);
	takt_text_release(&option);
	takt_text_release(&limit);
}

static struct serve_client client_of(const struct http_request *request)
{
	return (struct serve_client){.method = request->method,
				     .target = request->target,
				     .host = request->host,
				     .origin = request->origin,
				     .fetch_site = request->fetch_site};
}

static unsigned admit(void *context, const struct http_request *request)
{
	const struct takt_server *server = context;
	const struct serve_client client = client_of(request);
	const char *rest;

	return takt_serve_guard(&client, server->token, server->port, &rest);
}

static void answer(void *context, const struct http_request *request,
		   struct http_answer *ret_answer)
{
	struct takt_server *server = context;
	const struct serve_client client = client_of(request);
	struct takt_diag *diag;
	struct takt_arena arena = {0};
	struct serve_query query;
	const char *rest = "";

	if (takt_serve_guard(&client, server->token, server->port, &rest) != 0) {
		set_error(server, 403, "error: refused", ret_answer);
		return;
	}
	if (!*rest) {
		set_page(server, ret_answer);
		return;
	}
	diag = takt_diag_new();
	if (takt_serve_query_read(rest, &arena, diag, &query))
		answer_query(server, &query, rest, request, ret_answer);
	else
		set_error(server, 400, takt_diag_text(diag), ret_answer);
	takt_arena_release(&arena);
	takt_diag_free(diag);
}

/* ---- opening and closing ------------------------------------------------------------ */

static bool make_server_folder(struct takt_server *server, struct takt_diag *diag)
{
	const char *parent = secure_getenv("TMPDIR");

	if (snprintf(server->folder, sizeof(server->folder), "%s/takt-serve-XXXXXX",
		     parent && *parent ? parent : "/tmp") < (int)sizeof(server->folder) &&
	    mkdtemp(server->folder))
		return true;
	takt_error(diag, "cannot make a folder for temporary files in '%s': %s",
		   parent && *parent ? parent : "/tmp", strerror(errno));
	server->folder[0] = '\0';
	return false;
}

static bool listen_on(struct takt_server *server, struct takt_diag *diag)
{
	const struct http_options options = {.port = server->options.port,
					     .connections_max = CONNECTIONS_MAX,
					     .idle_seconds = IDLE_SECONDS,
					     .request_seconds = REQUEST_SECONDS,
					     .body_bytes_max = SERVE_BODY_BYTES_MAX,
					     .admit = admit,
					     .answer = answer,
					     .context = server};

	server->http = server->functions->open(&options, &server->port);
	if (server->http)
		return true;
	takt_error(diag, "cannot listen on port %u of 127.0.0.1: %s", server->options.port,
		   strerror(errno));
	takt_note(diag, "choose another with '--port=N', or any free one with '--port=0'");
	return false;
}

static int processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count < 1 ? 1 : count > CONNECTIONS_MAX ? CONNECTIONS_MAX : (int)count;
}

static void set_policy(struct takt_server *server)
{
	takt_text_printf(&server->policy,
			 "default-src 'none'; %s; connect-src 'self'; base-uri 'none'; "
			 "form-action 'none'; frame-ancestors 'none'",
			 takt_live_policy);
}

enum takt_status takt_server_open(const struct takt_serve_options *options, struct takt_diag *diag,
				  struct takt_server **ret_server)
{
	const struct http_functions *functions = takt_module_symbol(HTTP_MODULE, HTTP_SYMBOL, diag);
	struct takt_server *server;

	if (!functions) {
		takt_note(diag, "it is built where libmicrohttpd is installed");
		return TAKT_UNAVAILABLE;
	}
	server = takt_xcalloc(1, sizeof(*server));
	server->options = *options;
	server->functions = functions;
	server->running_max = processors() + 1;
	if (server->options.time_seconds <= 0)
		server->options.time_seconds = TIME_SECONDS_USUAL;
	set_policy(server);
	if (!takt_serve_token_make(server->token))
		takt_error(diag, "the system has no random numbers: %s", strerror(errno));
	else if (make_server_folder(server, diag) && listen_on(server, diag)) {
		takt_text_printf(&server->address, "http://127.0.0.1:%u/%s/", server->port,
				 server->token);
		*ret_server = server;
		return TAKT_OK;
	}
	takt_server_close(server);
	return TAKT_BAD_INPUT;
}

const char *takt_server_address(const struct takt_server *server)
{
	return server->address.data;
}

/* Write a page that leads to the address, and that only this user can read. */
static bool write_lead(const struct takt_server *server, const char *path)
{
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct takt_text text = {0};
	bool fine;

	takt_text_printf(&text,
			 "<!doctype html><meta charset=\"utf-8\"><title>takt</title>"
			 "<meta name=\"referrer\" content=\"no-referrer\">"
			 "<meta http-equiv=\"refresh\" content=\"0; url=%s\">"
			 "<a href=\"%s\">takt</a>\n",
			 server->address.data, server->address.data);
	fine = file >= 0 && write(file, text.data, text.size_bytes) == (ssize_t)text.size_bytes;
	if (file >= 0)
		fine = close(file) == 0 && fine;
	takt_text_release(&text);
	return fine;
}

enum takt_status takt_server_show(struct takt_server *server, struct takt_diag *diag)
{
	struct takt_text path = {0};
	char program[] = "xdg-open";
	char *words[] = {program, NULL, NULL};
	int status = -1, cause = 0;
	pid_t child = -1;

	takt_text_printf(&path, "%s/open.html", server->folder);
	words[1] = path.data;
	errno = 0;
	if (write_lead(server, path.data))
		cause = posix_spawnp(&child, program, NULL, NULL, words, environ);
	else
		cause = errno ? errno : EIO;
	if (cause == 0)
		takt_wait(child, &status);
	takt_text_release(&path);
	if (cause == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return TAKT_OK;
	takt_error(diag, "no browser could be opened by xdg-open%s%s", cause ? ": " : "",
		   cause ? strerror(cause) : "");
	takt_note(diag, "open the address yourself");
	return TAKT_UNAVAILABLE;
}

void takt_server_close(struct takt_server *server)
{
	if (!server)
		return;
	server->stops = true;
	if (server->http)
		server->functions->close(server->http);
	takt_serve_remove_folder(server->folder);
	takt_text_release(&server->address);
	takt_text_release(&server->policy);
	free(server);
}
