/* SPDX-License-Identifier: MIT */
/* Lists what could be better about a core for a program, and times the program with each. */
#include "trace/timing/what_if.h"

#include <stdlib.h>

#include "analyze/analyze.h"

/* ---- what could be better ----------------------------------------------------------- */

struct beginner {
	struct trace_what_ifs *what_ifs;
	const struct trace_timing_options *options;
	struct trace_sink *first;
	struct takt_diag *diag;
	enum takt_status status;
};

/* Add a timing by other options, which owns the model, unless that is NULL. */
static void add(struct beginner *beginner, struct takt_model *model,
		const struct trace_timing_options *changed, const char *what)
{
	struct trace_what_if *what_if = takt_xcalloc(1, sizeof(*what_if));
	struct trace_what_ifs *all = beginner->what_ifs;
	struct trace_timing_options options = *changed;

	what_if->what = takt_xstrdup(what);
	what_if->model = model;
	if (model)
		options.model = model;
	TAKT_GROW(all->list, all->count + 1, all->capacity);
	all->list[all->count++] = what_if;
	if (beginner->status == TAKT_OK)
		beginner->status = takt_trace_timing_init(&what_if->timing, &options,
							  beginner->first, NULL, beginner->diag);
	beginner->first = &what_if->timing.sink;
}

static void add_params(struct beginner *beginner, const struct takt_core_params *params,
		       const char *what)
{
	const struct takt_model_change change = {.params = params};

	add(beginner, takt_model_change(beginner->options->model, &change), beginner->options,
	    what);
}

/* Add a cache of twice the size, by twice the ways, so that its sets stay the same. */
static void add_cache(struct beginner *beginner, const char *name, size_t kb_offset,
		      size_t ways_offset)
{
	struct takt_core_params params = *takt_model_params(beginner->options->model);
	int32_t *kb = (int32_t *)((char *)&params + kb_offset);
	int32_t *ways = (int32_t *)((char *)&params + ways_offset);
	char what[96];

	if (*kb <= 0 || *ways <= 0 || *kb > INT32_MAX / 2 || *ways > INT32_MAX / 2)
		return;
	takt_snprintf(what, sizeof(what), "%s of %d KiB instead of %d", name, *kb * 2, *kb);
	*kb *= 2;
	*ways *= 2;
	add_params(beginner, &params, what);
}

#define ADD_CACHE(beginner, name, field)                                                           \
	add_cache(beginner, name, offsetof(struct takt_core_params, field##_kb),                   \
		  offsetof(struct takt_core_params, field##_ways))

static void add_memory(struct beginner *beginner)
{
	struct trace_timing_options options = *beginner->options;
	struct takt_core_params params = *takt_model_params(options.model);

	if (!options.cache)
		return;
	options.cache = false;
	add(beginner, NULL, &options, "every access a hit in the first-level caches and TLBs");
	if (params.memory_extra_cycles > 1) {
		params.memory_extra_cycles /= 2;
		params.memory_line_cycles = (params.memory_line_cycles + 1) / 2;
		add_params(beginner, &params, "memory of half the latency and twice the bandwidth");
	}
	ADD_CACHE(beginner, "an instruction cache", l1i);
	ADD_CACHE(beginner, "a data cache", l1d);
	ADD_CACHE(beginner, "a second-level cache", l2);
	ADD_CACHE(beginner, "a third-level cache", l3);
}

enum takt_status takt_trace_what_ifs_init(struct trace_what_ifs *what_ifs,
					  const struct trace_timing_options *options,
					  struct trace_sink *next, struct takt_diag *diag,
					  struct trace_sink **ret_first)
{
	struct beginner beginner = {.what_ifs = what_ifs,
				    .options = options,
				    .first = next,
				    .diag = diag,
				    .status = TAKT_OK};
	struct trace_timing_options ideal = *options;
	struct takt_text what;

	ideal.branch = false;
	if (options->branch)
		add(&beginner, NULL, &ideal, "every branch predicted correctly");
	add_memory(&beginner);
	for (uint32_t i = 0; i < TAKT_CORE_RELAXATIONS; i++) {
		struct takt_model *model;

		takt_text_init(&what);
		model = takt_core_relax(options->model, i, &what);
		if (model)
			add(&beginner, model, options, takt_text_data(&what));
		takt_text_release(&what);
	}
	*ret_first = beginner.first;
	return beginner.status;
}

void takt_trace_what_ifs_release(struct trace_what_ifs *what_ifs)
{
	for (uint32_t i = 0; i < what_ifs->count; i++) {
		struct trace_what_if *what_if = what_ifs->list[i];

		if (what_if->timing.code)
			takt_trace_timing_release(&what_if->timing);
		takt_model_close(what_if->model);
		free(what_if->what);
		free(what_if);
	}
	free(what_ifs->list);
	*what_ifs = (struct trace_what_ifs){.list = NULL};
}

/* ---- the result --------------------------------------------------------------------- */

TAKT_ORDER(compare, struct takt_trace_what_if, TAKT_UP(cycles), TAKT_ALPHABETIC(what));

const struct takt_trace_sensitivity *takt_trace_what_ifs_finish(struct trace_what_ifs *what_ifs,
								uint32_t thread_count)
{
	struct takt_trace_sensitivity *made = takt_xcalloc(1, sizeof(*made));
	struct takt_trace_what_if *rows = takt_xcalloc(what_ifs->count, sizeof(*rows));

	for (uint32_t i = 0; i < what_ifs->count; i++) {
		struct takt_trace_counts *own = takt_xcalloc(thread_count, sizeof(*own));

		takt_trace_timing_finish(&what_ifs->list[i]->timing, own);
		for (uint32_t t = 0; t < thread_count; t++)
			rows[i].cycles += own[t].cycles;
		rows[i].what = what_ifs->list[i]->what;
		what_ifs->list[i]->what = NULL;
		free(own);
	}
	if (what_ifs->count)
		qsort(rows, what_ifs->count, sizeof(*rows), compare);
	*made = (struct takt_trace_sensitivity){.rows = rows, .row_count = what_ifs->count};
	return made;
}

void takt_trace_sensitivity_free(const struct takt_trace_sensitivity *sensitivity)
{
	if (!sensitivity)
		return;
	for (uint32_t i = 0; i < sensitivity->row_count; i++)
		free((void *)(uintptr_t)sensitivity->rows[i].what);
	free((void *)(uintptr_t)sensitivity->rows);
	free((void *)(uintptr_t)sensitivity);
}
