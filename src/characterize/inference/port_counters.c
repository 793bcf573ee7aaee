/* SPDX-License-Identifier: MIT */
#include "characterize/inference/port_counters.h"

#include <stdlib.h>
#include <string.h>

#include "characterize/survey/survey_write.h"

/* Events counted at a time: of at least four counters, the kernel's watchdog may use one. */
#define AT_ONCE 3u
#define BENCHES_MAX 4u
#define ALL_PORTS "all"

struct probe_host_counters {
	struct takt_arena arena;
	struct takt_model *model;
	struct events_library library;
	struct probe_port_counters table;
	struct takt_counters counters[BENCHES_MAX];
	struct events_watch *watches[BENCHES_MAX];
};

/* ---- the table ------------------------------------------------------------ */

/* Read port names such as "p23A"; 0 if the core lacks one of them. */
static uint32_t ports_of(const struct takt_port_list *list, const char *names)
{
	struct takt_uops uops[PROBE_UOPS_MAX];
	struct takt_text text = {0};
	int count;

	takt_text_printf(&text, "1*%s", names);
	count = takt_probe_ports_read(list, takt_text_data(&text), uops);
	takt_text_release(&text);
	return count == 1 ? uops[0].ports : 0;
}

static bool add_counter(const struct events_library *library, const struct events_family *family,
			const struct takt_port_list *list, const struct events_port *row,
			struct probe_port_counters *counters)
{
	struct probe_port_counter *counter = &counters->counters[counters->count];

	if (counters->count == PROBE_COUNTERS_MAX)
		return false;
	counter->event = takt_events_event_find(library, family, row->event);
	counter->ports = strcmp(row->ports, ALL_PORTS) == 0 ? 0 : ports_of(list, row->ports);
	if (!counter->event || (!counter->ports && strcmp(row->ports, ALL_PORTS) != 0) ||
	    counter->ports & (list->pseudo | counters->ports))
		return false;
	counters->ports |= counter->ports;
	counters->count++;
	return true;
}

enum takt_status takt_probe_port_counters_find(const struct events_library *library,
					       const struct takt_model *model,
					       struct takt_diag *diag,
					       struct probe_port_counters *ret_counters)
{
	const struct events_family *family =
		takt_events_family_of_core(library, takt_model_name(model));
	struct probe_port_counters counters = {.count = 0};
	struct takt_port_list list;

	if (!family || !family->port_count) {
		takt_error(diag, "no table of events says how µops are counted by port on %s",
			   takt_model_name(model));
		return TAKT_NOT_FOUND;
	}
	takt_model_ports(model, &list);
	for (uint32_t i = 0; i < family->port_count; i++) {
		if (add_counter(library, family, &list, &family->ports[i], &counters))
			continue;
		takt_error(diag, "%s:%u: ports '%s' and event '%s' are not those of %s",
			   family->path, family->ports[i].line, family->ports[i].ports,
			   family->ports[i].event, takt_model_name(model));
		return TAKT_NOT_FOUND;
	}
	*ret_counters = counters;
	return TAKT_OK;
}

void takt_probe_port_counters_spread(const struct probe_port_counters *counters,
				     const double *counts, double ret_port_uops[TAKT_PORTS_MAX],
				     double *ret_uops)
{
	double sum = 0, all = 0;

	for (unsigned p = 0; p < TAKT_PORTS_MAX; p++)
		ret_port_uops[p] = 0;
	for (uint32_t i = 0; i < counters->count; i++) {
		uint32_t ports = counters->counters[i].ports;
		/* Subtracting the share of interrupts may leave a negative count. */
		double count = counts[i] > 0 ? counts[i] : 0;

		if (!ports)
			all = count;
		else
			sum += count;
		for (unsigned p = 0; p < TAKT_PORTS_MAX; p++)
			if (ports >> p & 1)
				ret_port_uops[p] = count / __builtin_popcount(ports);
	}
	*ret_uops = all > sum ? all : sum;
}

/* ---- on this machine ------------------------------------------------------ */

static bool watch_open(void *context, int process)
{
	return takt_events_watch_open(context, process);
}

static bool watch_select(void *context, uint32_t first, uint32_t count)
{
	return takt_events_watch_select(context, first, count);
}

static bool watch_read(void *context, uint32_t first, uint32_t count, double *ret_values)
{
	return takt_events_watch_read(context, first, count, ret_values);
}

static enum takt_status new_watch(const struct probe_port_counters *table, struct takt_diag *diag,
				  struct events_watch **ret_watch)
{
	const struct events_event *events[PROBE_COUNTERS_MAX];

	for (uint32_t i = 0; i < table->count; i++)
		events[i] = table->counters[i].event;
	return takt_events_watch_new(events, table->count, diag, ret_watch);
}

static enum takt_status open_counters(struct probe_host_counters *counters, struct takt_diag *diag)
{
	enum takt_status status = takt_model_open("host", NULL, NULL, &counters->model);

	if (status == TAKT_OK && takt_model_doubt(counters->model)) {
		takt_error(diag, "which events this processor has is not certain: %s",
			   takt_model_doubt(counters->model));
		return TAKT_UNAVAILABLE;
	}
	if (status == TAKT_OK)
		status = takt_events_library_open(NULL, &counters->arena, diag, &counters->library);
	if (status == TAKT_OK)
		status = takt_probe_port_counters_find(&counters->library, counters->model, diag,
						       &counters->table);
	if (status == TAKT_OK)
		status = new_watch(&counters->table, diag, &counters->watches[0]);
	return status;
}

/* Report the first line of the reason as a note, without "error: ". */
static void note_refusal(struct takt_diag *why, struct takt_diag *diag)
{
	const char *text = takt_diag_text(why), *error = strstr(text, "error: ");

	if (error)
		text = error + strlen("error: ");
	takt_note(diag, "no counters here: %.*s; ports can be inferred from timing, with '--ports'",
		  (int)strcspn(text, "\n"), text);
}

struct probe_host_counters *takt_probe_host_counters_open(struct takt_diag *diag)
{
	struct probe_host_counters *counters = takt_xcalloc(1, sizeof(*counters));
	struct takt_diag *why = takt_diag_new();

	if (open_counters(counters, why) != TAKT_OK) {
		note_refusal(why, diag);
		takt_probe_host_counters_close(counters);
		counters = NULL;
	}
	takt_diag_free(why);
	return counters;
}

void takt_probe_host_counters_close(struct probe_host_counters *counters)
{
	if (!counters)
		return;
	for (unsigned i = 0; i < BENCHES_MAX; i++)
		takt_events_watch_free(counters->watches[i]);
	takt_model_close(counters->model);
	takt_arena_release(&counters->arena);
	free(counters);
}

const struct takt_model *takt_probe_host_counters_model(const struct probe_host_counters *counters)
{
	return counters->model;
}

const struct probe_port_counters *
takt_probe_host_counters_table(const struct probe_host_counters *counters)
{
	return &counters->table;
}

const struct takt_counters *takt_probe_host_counters_for(struct probe_host_counters *counters,
							 unsigned measurer)
{
	if (measurer >= BENCHES_MAX ||
	    (!counters->watches[measurer] &&
	     new_watch(&counters->table, NULL, &counters->watches[measurer]) != TAKT_OK))
		return NULL;
	counters->counters[measurer] =
		(struct takt_counters){.context = counters->watches[measurer],
				       .count = counters->table.count,
				       .at_once = AT_ONCE,
				       .open = watch_open,
				       .select = watch_select,
				       .read = watch_read};
	return &counters->counters[measurer];
}
