/* SPDX-License-Identifier: MIT */
/* Tables of counters by port: that they cover a core's ports, and what counts become. */
#include "characterize/inference/port_counters.h"
#include "unit/tap.h"

static uint32_t issue_ports(const struct takt_model *model)
{
	uint32_t count = takt_model_port_count(model);

	return (count == 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1) &
	       ~takt_model_pseudo_ports(model);
}

static uint32_t port(const struct takt_model *model, const char *name)
{
	for (uint32_t i = 0; i < takt_model_port_count(model); i++)
		if (strcmp(takt_model_port_name(model, i), name) == 0)
			return UINT32_C(1) << i;
	abort();
}

static struct probe_port_counters find(const struct events_library *library, const char *core,
				       struct takt_model **ret_model)
{
	struct takt_diag *diag = takt_diag_new();
	struct probe_port_counters counters = {.count = 0};

	if (takt_model_open(core, NULL, diag, ret_model) != TAKT_OK)
		abort();
	if (!ok(takt_probe_port_counters_find(library, *ret_model, diag, &counters) == TAKT_OK,
		"%s has a table", core))
		tap_note("why: %s", takt_diag_text(diag));
	takt_diag_free(diag);
	return counters;
}

/* Each port once. */
static void check_cores(const struct events_library *library)
{
	static const char *const cores[] = {"SKL", "SKX", "CLX", "HSW", "ICL", "SPR"};

	for (size_t i = 0; i < TAKT_COUNT_OF(cores); i++) {
		struct takt_model *model;
		struct probe_port_counters counters = find(library, cores[i], &model);

		ok(counters.ports == issue_ports(model), "%s: all ports", cores[i]);
		takt_model_close(model);
	}
}

static void check_shared(const struct events_library *library)
{
	struct takt_model *model;
	struct probe_port_counters counters = find(library, "SPR", &model);
	double counts[PROBE_COUNTERS_MAX] = {0}, uops[TAKT_PORTS_MAX], all;
	uint32_t loads = port(model, "p2") | port(model, "p3") | port(model, "pA");
	uint32_t shared = 0;

	for (uint32_t i = 0; i < counters.count; i++) {
		counts[i] = counters.counters[i].ports == loads ? 6 : -0.5;
		shared += counters.counters[i].ports == loads;
	}
	is_int(shared, 1, "one counter for three load ports");
	takt_probe_port_counters_spread(&counters, counts, uops, &all);
	is_near(all, 6, "less than nothing is nothing");
	for (unsigned p = 0; p < TAKT_PORTS_MAX; p++)
		if (uops[p] != (loads >> p & 1 ? 2.0 : 0.0))
			ok(false, "port %u has %g", p, uops[p]);
	takt_model_close(model);
}

/* Ports of vectors alone, and an event for all. */
static void check_partial(const struct events_library *library)
{
	struct takt_model *model;
	struct probe_port_counters counters = find(library, "ZEN2", &model);
	const double counts[] = {1, 0.5, 0, 0.5, 3};
	double uops[TAKT_PORTS_MAX], all;

	is_int(counters.count, 5, "counters");
	ok(counters.ports ==
		   (port(model, "f0") | port(model, "f1") | port(model, "f2") | port(model, "f3")),
	   "ports of vectors");
	takt_probe_port_counters_spread(&counters, counts, uops, &all);
	is_near(all, 3, "all are more than these ports got");
	takt_model_close(model);
}

static void check_refusal(const struct events_library *library)
{
	struct takt_diag *diag = takt_diag_new();
	struct probe_port_counters counters;
	struct probe_host_counters *host;
	struct takt_model *model;

	if (takt_model_open("ZEN5", NULL, diag, &model) != TAKT_OK)
		abort();
	is_int(takt_probe_port_counters_find(library, model, diag, &counters), TAKT_NOT_FOUND,
	       "a core without a table");
	ok(strstr(takt_diag_text(diag), "no table of events") != NULL, "and why");
	takt_model_close(model);
	takt_diag_clear(diag);
	host = takt_probe_host_counters_open(diag);
	if (host)
		tap_skip("a machine without counters", "this one has some");
	else
		ok(strstr(takt_diag_text(diag), "note: no counters here: ") != NULL &&
			   takt_diag_error_count(diag) == 0,
		   "this machine has none, which is no error");
	takt_probe_host_counters_close(host);
	takt_diag_free(diag);
}

int main(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct events_library library;
	struct takt_arena arena = {0};

	if (takt_events_library_open(NULL, &arena, diag, &library) != TAKT_OK)
		abort();
	check_cores(&library);
	check_shared(&library);
	check_partial(&library);
	check_refusal(&library);
	takt_arena_release(&arena);
	takt_diag_free(diag);
	return tap_done();
}
