/* SPDX-License-Identifier: MIT */
/* Answers one request, in a process of its own. */
#include <sys/prctl.h>
#include <sys/resource.h>
#include <signal.h>

#include "serve/serve.h"

#define FILE_BYTES_MAX ((uint64_t)64 << 20)
#define FILES_MAX 256

void takt_serve_confine(double time_seconds)
{
	/* Processor time of this process; that of its children is limited by the server's clock. */
	const struct takt_limit limits[] = {{RLIMIT_CORE, 0},
					    {RLIMIT_FSIZE, FILE_BYTES_MAX},
					    {RLIMIT_NOFILE, FILES_MAX},
					    {RLIMIT_CPU, (uint64_t)time_seconds + 1}};

	(void)takt_limits_set(limits, TAKT_COUNT_OF(limits));
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	takt_capabilities_drop();
}

static bool write_answer(const struct serve_query *query, const void *body, size_t size_bytes,
			 struct takt_json *json, struct takt_diag *diag)
{
	switch (query->kind) {
	case SERVE_ANALYZE:
		return takt_serve_analyze(query, body, size_bytes, json, diag);
	case SERVE_CORES:
		if (!takt_serve_write_cores(json))
			return false;
		takt_serve_compilers_write(json);
		takt_serve_peers_write(json);
		return true;
	case SERVE_PARAMETERS:
		return takt_serve_write_parameters(query, json, diag);
	case SERVE_PREDICT:
		return takt_serve_predict(query, json, diag);
	case SERVE_MEASURE:
	case SERVE_KIND_COUNT:
		break;
	}
	takt_error(diag, "a measurement is no analysis");
	return false;
}

bool takt_serve_answer(const char *target, const void *body, size_t size_bytes,
		       struct takt_text *text)
{
	struct takt_diag *diag = takt_diag_new();
	struct serve_query query;
	struct takt_arena arena = {0};
	struct takt_json json;
	bool fine;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	fine = takt_serve_query_read(target, &arena, diag, &query) &&
	       write_answer(&query, body, size_bytes, &json, diag);
	/* Notes and warnings, or what is wrong. */
	if (*takt_diag_text(diag) || !fine)
		takt_json_string(&json, fine ? "messages" : "error", takt_diag_text(diag));
	takt_json_close_object(&json);
	takt_arena_release(&arena);
	takt_diag_free(diag);
	return fine;
}
