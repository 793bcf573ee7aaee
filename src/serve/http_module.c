/* SPDX-License-Identifier: MIT */
/* The module for HTTP: libmicrohttpd with a thread for each connection. */
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "serve/http.h"

#define CONNECTIONS_MAX 256
#define WATCH_INTERVAL_MILLISECONDS 500
#define CONNECTION_BYTES (96 << 10) /* of request line and headers, and of buffers */

/* A connection, for the thread that ends slow ones. */
struct connection {
	int socket;
	bool is_used;
	bool is_answered; /* a request is complete and being answered */
	bool is_late;	  /* it was shut down */
	double since;	  /* when the connection began, or the last answer was sent */
	bool is_idle;	  /* nothing of the next request has come */
};

struct http {
	struct http_options options;
	struct MHD_Daemon *daemon;
	pthread_t watch;
	pthread_mutex_t lock;
	bool ends;
	struct connection connections[CONNECTIONS_MAX];
};

/* A request while it arrives. */
struct arriving {
	char *target;
	char *body;
	size_t body_bytes, capacity_bytes;
	unsigned refusal; /* status; 0: none */
	bool is_admitted;
};

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- slow clients ---------------------------------------------------------- */

static int socket_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

static void note_connection(void *context, struct MHD_Connection *connection, void **socket_context,
			    enum MHD_ConnectionNotificationCode code)
{
	struct http *http = context;
	struct connection *place = *socket_context;

	pthread_mutex_lock(&http->lock);
	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (place)
			place->is_used = false;
	} else {
		for (size_t i = 0; i < CONNECTIONS_MAX && !place; i++)
			if (!http->connections[i].is_used)
				place = &http->connections[i];
		if (place)
			*place = (struct connection){.socket = socket_of(connection),
						     .is_used = true,
						     .since = now_seconds()};
		*socket_context = place;
	}
	pthread_mutex_unlock(&http->lock);
}

/* Note what a connection does: a request arrives, is answered, or was answered. */
static void note_state(struct http *http, struct MHD_Connection *connection, bool is_answered,
		       bool is_idle)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct connection *place = info ? info->socket_context : NULL;

	if (!place)
		return;
	pthread_mutex_lock(&http->lock);
	place->is_answered = is_answered;
	place->is_idle = is_idle;
	place->since = now_seconds();
	pthread_mutex_unlock(&http->lock);
}

static void end_late_ones(struct http *http, double now)
{
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *place = &http->connections[i];

		if (!place->is_used || place->is_answered || place->is_late || place->is_idle ||
		    now - place->since < http->options.request_seconds)
			continue;
		place->is_late = true;
		shutdown(place->socket, SHUT_RDWR);
	}
}

/* End connections whose request takes too long to arrive, byte by byte. */
static void *watch(void *context)
{
	static const struct timespec interval = {.tv_nsec = WATCH_INTERVAL_MILLISECONDS * 1000000L};
	struct http *http = context;
	bool ends = false;

	while (!ends) {
		nanosleep(&interval, NULL);
		pthread_mutex_lock(&http->lock);
		end_late_ones(http, now_seconds());
		ends = http->ends;
		pthread_mutex_unlock(&http->lock);
	}
	return NULL;
}

/* ---- requests ----------------------------------------------------------------- */

static void *begin_request(void *context, const char *target, struct MHD_Connection *connection)
{
	struct arriving *arriving = calloc(1, sizeof(*arriving));

	note_state(context, connection, false, false);
	if (arriving)
		arriving->target = strdup(target);
	return arriving;
}

static void end_request(void *context, struct MHD_Connection *connection, void **request,
			enum MHD_RequestTerminationCode code)
{
	struct arriving *arriving = *request;

	(void)code;
	note_state(context, connection, false, true);
	if (arriving) {
		free(arriving->target);
		free(arriving->body);
		free(arriving);
	}
	*request = NULL;
}

static enum MHD_Result send_answer(struct MHD_Connection *connection, struct http_answer *answer)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		answer->size_bytes, answer->data, MHD_RESPMEM_MUST_FREE);
	const char *const headers[][2] = {
		{"Content-Type", answer->type},
		{"Content-Security-Policy", answer->policy},
		{"Cache-Control", "no-store"},
		{"X-Content-Type-Options", "nosniff"},
		{"X-Frame-Options", "DENY"},
		{"Referrer-Policy", "no-referrer"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
	};
	enum MHD_Result result;

	if (!response) {
		free(answer->data);
		return MHD_NO;
	}
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		if (headers[i][1])
			MHD_add_response_header(response, headers[i][0], headers[i][1]);
	result = MHD_queue_response(connection, answer->status, response);
	MHD_destroy_response(response);
	return result;
}

/* Refuse a request in a few words that do not depend on what is here. */
static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status)
{
	static const char page[] = "refused\n";
	struct http_answer answer = {.status = status,
				     .type = "text/plain; charset=utf-8",
				     .policy = "default-src 'none'",
				     .data = strdup(page),
				     .size_bytes = sizeof(page) - 1};

	return answer.data ? send_answer(connection, &answer) : MHD_NO;
}

static struct http_request request_of(struct MHD_Connection *connection, const char *method,
				      const struct arriving *arriving)
{
	return (struct http_request){
		.method = method,
		.target = arriving->target ? arriving->target : "",
		.host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host"),
		.origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin"),
		.fetch_site =
			MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site"),
		.body = arriving->body ? arriving->body : "",
		.body_bytes = arriving->body_bytes,
		.socket = socket_of(connection)};
}

/* Decide by the headers, before any byte of the body is read. */
static unsigned admit(const struct http *http, struct MHD_Connection *connection,
		      const struct http_request *request)
{
	const char *length =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
	unsigned refusal = http->options.admit(http->options.context, request);

	if (!refusal && length && strtoull(length, NULL, 10) > http->options.body_bytes_max)
		refusal = MHD_HTTP_CONTENT_TOO_LARGE;
	return refusal;
}

/* Keep a piece of the body, if it is not too long. */
static void add_piece(const struct http *http, struct arriving *arriving, const char *piece,
		      size_t size_bytes)
{
	size_t wanted = arriving->body_bytes + size_bytes;
	char *grown;

	if (arriving->refusal)
		return;
	if (wanted > http->options.body_bytes_max) {
		arriving->refusal = MHD_HTTP_CONTENT_TOO_LARGE;
		return;
	}
	if (wanted > arriving->capacity_bytes) {
		grown = realloc(arriving->body, wanted * 2);
		if (!grown) {
			arriving->refusal = MHD_HTTP_SERVICE_UNAVAILABLE;
			return;
		}
		arriving->body = grown;
		arriving->capacity_bytes = wanted * 2;
	}
	memcpy(arriving->body + arriving->body_bytes, piece, size_bytes);
	arriving->body_bytes = wanted;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *piece,
			      size_t *piece_bytes, void **request_context)
{
	struct http *http = context;
	struct arriving *arriving = *request_context;
	struct http_request request;
	struct http_answer answer = {.status = MHD_HTTP_INTERNAL_SERVER_ERROR};

	(void)url;
	(void)version;
	if (!arriving)
		return MHD_NO;
	request = request_of(connection, method, arriving);
	if (!arriving->is_admitted) {
		unsigned refusal = admit(http, connection, &request);

		arriving->is_admitted = true;
		return refusal ? refuse(connection, refusal) : MHD_YES;
	}
	if (*piece_bytes) {
		add_piece(http, arriving, piece, *piece_bytes);
		*piece_bytes = 0;
		return MHD_YES;
	}
	if (arriving->refusal)
		return refuse(connection, arriving->refusal);
	note_state(http, connection, true, false);
	http->options.answer(http->options.context, &request, &answer);
	/* Sending may take as long as a request may. */
	note_state(http, connection, false, false);
	return answer.data ? send_answer(connection, &answer) : MHD_NO;
}

/* ---- opening and closing --------------------------------------------------------- */

static struct MHD_Daemon *start(struct http *http)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons(http->options.port),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	return MHD_start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL,
		http->options.port, NULL, NULL, handle, http, MHD_OPTION_SOCK_ADDR, &address,
		MHD_OPTION_CONNECTION_LIMIT, http->options.connections_max,
		MHD_OPTION_CONNECTION_TIMEOUT, http->options.idle_seconds,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
		MHD_OPTION_URI_LOG_CALLBACK, begin_request, http, MHD_OPTION_NOTIFY_COMPLETED,
		end_request, http, MHD_OPTION_NOTIFY_CONNECTION, note_connection, http,
		MHD_OPTION_END);
}

static uint16_t find_port(struct MHD_Daemon *daemon)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);

	return info ? info->port : 0;
}

static void http_close(struct http *http)
{
	pthread_mutex_lock(&http->lock);
	http->ends = true;
	pthread_mutex_unlock(&http->lock);
	MHD_stop_daemon(http->daemon);
	pthread_join(http->watch, NULL);
	pthread_mutex_destroy(&http->lock);
	free(http);
}

static struct http *http_open(const struct http_options *options, uint16_t *ret_port)
{
	struct http *http = calloc(1, sizeof(*http));
	int cause;

	if (!http)
		return NULL;
	http->options = *options;
	pthread_mutex_init(&http->lock, NULL);
	http->daemon = start(http);
	cause = errno;
	if (http->daemon) {
		cause = pthread_create(&http->watch, NULL, watch, http);
		if (cause == 0) {
			*ret_port = find_port(http->daemon);
			return http;
		}
		MHD_stop_daemon(http->daemon);
	}
	pthread_mutex_destroy(&http->lock);
	free(http);
	errno = cause;
	return NULL;
}

const struct http_functions takt_http_functions = {.open = http_open, .close = http_close};
