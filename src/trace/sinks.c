/* SPDX-License-Identifier: MIT */
/* Chains the sinks: executed blocks go to the timing, or to the profile without it, and to the
 * counter. */
#include "trace/sinks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SYSCALL_CYCLES 300u
#define MEMO_CHECK 1000u

/* Time all layouts but the first one, which gets the executed blocks before them. */
static enum takt_status begin_layouts(struct trace_sinks *sinks, struct takt_diag *diag)
{
	uint32_t count = (uint32_t)sinks->options->core->layouts;
	enum takt_status status = TAKT_OK;

	sinks->timings = takt_xcalloc(count, sizeof(struct trace_timing *));
	sinks->timings[0] = &sinks->timing;
	for (uint32_t i = 1; i < count && status == TAKT_OK; i++) {
		struct trace_timing_options options = sinks->timing.options;

		options.layout = i;
		sinks->timings[i] = takt_xcalloc(1, sizeof(*sinks->timings[i]));
		status = takt_trace_timing_init(sinks->timings[i], &options, sinks->first,
						sinks->options->profile ? &sinks->profile : NULL,
						diag);
		sinks->first = &sinks->timings[i]->sink;
	}
	return status;
}

static enum takt_status check_layouts(const struct trace_sinks *sinks, struct takt_diag *diag)
{
	const struct takt_trace_options *options = sinks->options;

	if (options->core->layouts <= TAKT_LAYOUTS_MAX && !options->core->sample &&
	    !options->window && !options->checkpoint_path)
		return TAKT_OK;
	takt_error(diag,
		   "layouts cannot be simulated with a sample, a timeline or a checkpoint, "
		   "nor more than %d of them",
		   TAKT_LAYOUTS_MAX);
	return TAKT_BAD_INPUT;
}

static enum takt_status begin_what_ifs(struct trace_sinks *sinks, struct takt_diag *diag)
{
	if (sinks->options->checkpoint_path || sinks->layouts || sinks->options->window) {
		takt_error(diag, "the sensitivity of a program cannot be found with layouts, a "
				 "timeline or a checkpoint");
		return TAKT_BAD_INPUT;
	}
	return takt_trace_what_ifs_init(&sinks->what_ifs, &sinks->timing.options, sinks->first,
					diag, &sinks->first);
}

static enum takt_status begin_timing(struct trace_sinks *sinks,
				     const struct trace_dictionary *dictionary,
				     struct takt_diag *diag)
{
	enum takt_status status;
	const struct takt_trace_core *core = sinks->options->core;
	struct trace_timing_options options = {
		.model = core->model(core->context, dictionary->guest->name),
		.cache = !(core->ideal & TAKT_IDEAL_CACHES),
		.branch = !(core->ideal & TAKT_IDEAL_BRANCHES),
		.needs_cache = core->cache,
		.sample = core->sample,
		.seed = core->seed,
		.syscall_cycles = core->syscall_cycles ? core->syscall_cycles : SYSCALL_CYCLES,
		.no_memo = core->no_memo || core->sample,
		.syscall_sigreturn = dictionary->guest->syscall_sigreturn,
		.memo_check = core->memo_check ? core->memo_check : MEMO_CHECK,
	};

	if (!options.model)
		return TAKT_UNAVAILABLE;
	if (core->layouts) {
		status = check_layouts(sinks, diag);
		if (status != TAKT_OK)
			return status;
		sinks->layouts = trace_layouts_new(dictionary, (uint32_t)core->layouts, core->seed);
		options.layouts = sinks->layouts;
	}
	sinks->first = &sinks->timing.sink;
	sinks->core = takt_model_name(options.model);
	sinks->core_doubt = takt_model_doubt(options.model);
	status = takt_trace_timing_init(&sinks->timing, &options, &sinks->counter.sink,
					sinks->options->profile ? &sinks->profile : NULL, diag);
	if (sinks->options->window && !core->sample)
		sinks->timing.window.wanted = *sinks->options->window;
	sinks->timing.window.dictionary = dictionary;
	if (status == TAKT_OK && sinks->options->sensitivity)
		status = begin_what_ifs(sinks, diag);
	return status == TAKT_OK && sinks->layouts ? begin_layouts(sinks, diag) : status;
}

void takt_trace_sinks_init(struct trace_sinks *sinks, const struct takt_trace_options *options)
{
	static const struct takt_trace_options none;

	*sinks = (struct trace_sinks){.options = options ? options : &none};
	takt_trace_counter_init(&sinks->counter);
	sinks->first = &sinks->counter.sink;
}

static enum takt_status begin_observer(struct trace_sinks *sinks, struct takt_diag *diag)
{
	struct trace_sink *first =
		sinks->observer->begin(sinks->observer, sinks->dictionary, sinks->first, diag);

	if (!first)
		return TAKT_UNAVAILABLE;
	sinks->first = first;
	return TAKT_OK;
}

static enum takt_status begin_dependences(struct trace_sinks *sinks, struct takt_diag *diag)
{
	if (sinks->options->checkpoint_path || sinks->options->blocks_only) {
		takt_error(diag, "dependences through memory need all accesses, and no checkpoint");
		return TAKT_BAD_INPUT;
	}
	takt_trace_dependences_init(&sinks->dependences, sinks->first);
	sinks->first = &sinks->dependences.sink;
	return TAKT_OK;
}

enum takt_status takt_trace_sinks_begin(struct trace_sinks *sinks,
					struct trace_dictionary *dictionary, struct takt_diag *diag)
{
	enum takt_status status = TAKT_OK;

	sinks->dictionary = dictionary;
	if (sinks->options->profile) {
		status = takt_trace_profile_init(&sinks->profile, dictionary, sinks->options, diag);
		if (status != TAKT_OK)
			return status;
		sinks->profile.next = &sinks->counter.sink;
		sinks->first = &sinks->profile.sink;
	}
	if (sinks->options->core)
		status = begin_timing(sinks, dictionary, diag);
	if (status == TAKT_OK && sinks->options->dependences)
		status = begin_dependences(sinks, diag);
	return status == TAKT_OK && sinks->observer ? begin_observer(sinks, diag) : status;
}

void takt_trace_sinks_release(struct trace_sinks *sinks)
{
	for (uint32_t i = sinks->timings ? (uint32_t)sinks->options->core->layouts : 1; i-- > 1;) {
		if (sinks->timings[i] && sinks->timings[i]->code)
			takt_trace_timing_release(sinks->timings[i]);
		free(sinks->timings[i]);
	}
	free(sinks->timings);
	takt_trace_what_ifs_release(&sinks->what_ifs);
	if (sinks->timing.code)
		takt_trace_timing_release(&sinks->timing);
	trace_layouts_free(sinks->layouts);
	takt_trace_dependences_release(&sinks->dependences);
	takt_trace_profile_release(&sinks->profile);
	takt_trace_counter_release(&sinks->counter);
}

/* ---- results ---- */

static const struct takt_trace_caches *caches(const struct cache_counts *counts)
{
	struct takt_trace_caches *made = takt_xcalloc(1, sizeof(*made));

	memcpy(made->accesses, counts->accesses, sizeof(made->accesses));
	memcpy(made->misses, counts->misses, sizeof(made->misses));
	memcpy(made->write_backs, counts->write_backs, sizeof(made->write_backs));
	made->non_temporal_lines = counts->non_temporal_lines;
	made->prefetches = counts->prefetches;
	made->useful_prefetches = counts->useful_prefetches;
	memcpy(made->tlb_misses, counts->tlb_misses, sizeof(made->tlb_misses));
	memcpy(made->page_walks, counts->page_walks, sizeof(made->page_walks));
	return made;
}

static const struct takt_trace_branches *branches(const struct branch_counts *counts)
{
	struct takt_trace_branches *made = takt_xcalloc(1, sizeof(*made));

	memcpy(made->executed, counts->branches, sizeof(made->executed));
	memcpy(made->missed, counts->missed, sizeof(made->missed));
	made->late = counts->late;
	return made;
}

/* Sum the estimates of all threads; their errors are independent, so their variances add. */
static const struct takt_trace_sample *sample(struct trace_sinks *sinks)
{
	struct takt_trace_sample *made = takt_xcalloc(1, sizeof(*made));
	double variance = 0, cycles = 0, measured = 0;

	for (uint32_t i = 0; i < sinks->timing.thread_count; i++) {
		const struct trace_timing_result *result = &sinks->timing.results[i];

		variance += result->half_width * result->half_width;
		cycles += (double)result->totals.cycles;
		measured += (double)result->measured_cycles;
		made->units += result->units;
	}
	made->half_width_cycles = sqrt(variance);
	made->simulated_insns = sinks->timing.simulated_insns;
	if (sinks->options->profile && measured > 0)
		takt_trace_profile_scale(&sinks->profile, cycles / measured);
	return made;
}

static const struct takt_trace_memo *memo(const struct sim_memo_counts *counts)
{
	struct takt_trace_memo *made = takt_xcalloc(1, sizeof(*made));

	*made = (struct takt_trace_memo){
		.insns = counts->insns_hit,
		.pieces = counts->chunks,
		.hits = counts->hits,
		.checked = counts->checked,
		.wrong = counts->wrong,
	};
	return made;
}

static const char *ideal_settings(uint64_t ideal)
{
	static const char *const words[] = {"", "--ideal=caches", "--ideal=branches",
					    "--ideal=caches,branches"};

	return words[ideal & (TAKT_IDEAL_CACHES | TAKT_IDEAL_BRANCHES)];
}

/* Return the reason for this core as a phrase, which is allocated. */
static char *choice_of(const struct takt_model *model)
{
	const char *choice = takt_model_choice(model);
	struct takt_text text = {0};
	char *copy;

	if (!choice)
		return takt_xstrdup("chosen by its name");
	takt_text_printf(&text, "this machine's processor, %s", choice);
	copy = takt_xstrdup(text.data);
	takt_text_release(&text);
	return copy;
}

/* Make means of all layouts; the profile has the sum of them. */
static void finish_layouts(struct trace_sinks *sinks, struct takt_trace_totals *totals)
{
	uint32_t count = (uint32_t)sinks->options->core->layouts;

	totals->layouts = trace_layouts_finish(sinks->timings, count, sinks->counter.threads,
					       sinks->counter.count);
	if (sinks->options->profile)
		takt_trace_profile_scale(&sinks->profile, 1.0 / count);
}

static void set_ports(struct takt_trace_totals *totals, const struct takt_model *model)
{
	const char *names[TAKT_PORTS_MAX];
	uint32_t count = takt_model_port_count(model);

	for (uint32_t i = 0; i < count; i++)
		names[i] = takt_model_port_name(model, i);
	takt_trace_totals_set_ports(totals, names, count);
}

static void finish_timing(struct trace_sinks *sinks, struct takt_trace_totals *totals)
{
	const struct takt_trace_core *core = sinks->options->core;

	if (sinks->timings)
		finish_layouts(sinks, totals);
	else
		takt_trace_timing_finish(&sinks->timing, sinks->counter.threads);
	totals->core = takt_xstrdup(sinks->core);
	set_ports(totals, sinks->timing.options.model);
	if (sinks->core_doubt)
		totals->core_doubt = takt_xstrdup(sinks->core_doubt);
	totals->core_digest = takt_model_digest(sinks->timing.options.model);
	totals->settings = ideal_settings(core->ideal);
	totals->models_caches = sinks->timing.options.cache;
	totals->models_branches = sinks->timing.options.branch;
	totals->core_choice = choice_of(sinks->timing.options.model);
	totals->syscall_cycles = sinks->timing.options.syscall_cycles;
	totals->unknown_insns = sinks->timing.unknown_insns;
	totals->default_insns = sinks->timing.default_insns;
	totals->unsettled_insns = sinks->timing.unsettled_insns;
	totals->timeline = sinks->timing.window.timeline;
	sinks->timing.window.timeline = NULL;
	if (totals->models_caches)
		totals->caches = caches(&sinks->timing.cache_counts);
	if (totals->models_branches)
		totals->branches = branches(&sinks->timing.branch_counts);
	if (core->sample)
		totals->sample = sample(sinks);
	if (sinks->options->sensitivity)
		totals->sensitivity =
			takt_trace_what_ifs_finish(&sinks->what_ifs, sinks->counter.count);
	if (!sinks->timings)
		totals->intervals = trace_intervals_finish(&sinks->timing.intervals, core->sample,
							   &totals->interval_count);
	if (!sinks->timing.options.no_memo)
		totals->memo = memo(&sinks->timing.memo_counts);
}

void takt_trace_sinks_finish(struct trace_sinks *sinks, struct takt_trace_totals *totals)
{
	totals->version = TAKT_VERSION;
	if (sinks->observer)
		sinks->observer->end(sinks->observer, sinks->dictionary);
	if (sinks->options->core)
		finish_timing(sinks, totals);
	takt_trace_counter_finish(&sinks->counter, totals);
	if (sinks->dependences.next)
		totals->dependences =
			takt_trace_dependences_finish(&sinks->dependences, sinks->dictionary);
	if (sinks->options->profile)
		totals->profile = takt_trace_profile_finish(
			&sinks->profile, sinks->options->core ? &sinks->timing.shares : NULL,
			sinks->options->core ? totals->all.losses : NULL);
	if (sinks->dictionary->unread_path) {
		totals->unread_path = takt_xstrdup(sinks->dictionary->unread_path);
		totals->unread_cause = takt_xstrdup(sinks->dictionary->unread_cause);
	}
}
