/* SPDX-License-Identifier: MIT */
/* Measures the machine's limits: chooses the kernels to run, and interprets their times. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/limits.h"

#define ROUNDS 7u
#define ROUND_SECONDS 0.001
/*
 * Each repetition over large data processes only the next window of it: the shorter a repetition,
 * the more rarely the system interrupts one.
 */
#define STREAM_WINDOWS 32u
#define CHASE_WINDOW_BYTES (UINT64_C(1) << 20)
#define TRANSFER_PAIRS_MAX 64u
#define PEAK_BYTES UINT64_C(65536) /* range of the index of a kernel without data */
#define SIZE_STEP 4096u
#define WINDOW_STEP 12288u /* a multiple of all kernels' steps */

/* ---- the list ---- */

struct limit_list *takt_limit_list_new(void)
{
	return takt_xcalloc(1, sizeof(struct limit_list));
}

void takt_machine_limits_free(struct takt_machine_limits *limits)
{
	TAKT_FREE_OWNER(struct limit_list, limits);
}

struct takt_machine_limit *takt_limit_list_add(struct limit_list *list)
{
	struct takt_machine_limit *item;

	TAKT_GROW_IN(&list->arena, list->items, list->result.count + 1, list->capacity);
	list->result.items = list->items;
	item = &list->items[list->result.count++];
	item->kernel = item->level = item->pages = item->cpus = item->unit = "";
	item->traffic = 1;
	return item;
}

void takt_limit_list_note(struct limit_list *list, const char *text)
{
	takt_notes_add(&list->arena, text, &list->notes, &list->result.note_count,
		       &list->note_capacity);
	list->result.notes = list->notes;
}

const char *takt_limit_kind_word(enum takt_limit_kind kind)
{
	switch (kind) {
	case TAKT_LIMIT_BANDWIDTH:
		return "bandwidth";
	case TAKT_LIMIT_FLOPS:
		return "flops";
	case TAKT_LIMIT_LATENCY:
		return "latency";
	case TAKT_LIMIT_TRANSFER:
		return "transfer";
	}
	return "";
}

/* A line that is written but not read is also fetched first, unless the store is non-temporal. */
double takt_limit_traffic(const struct kernel_code *code, bool non_temporal)
{
	int touched = 0, allocated = 0;

	for (unsigned i = 0; i < KERNEL_STREAMS_MAX; i++) {
		touched += code->reads[i] + code->writes[i];
		allocated += code->writes[i] && !code->reads[i] && !non_temporal;
	}
	return touched ? (double)(touched + allocated) / touched : 1;
}

/* ---- one limit ---- */

/* The code to time, and the amount of work in a repetition. */
struct trial {
	struct team_job job;
	double operations; /* floating-point operations of one thread, which are a limit of their
			    * own; 0: not wanted */
	double amount;	   /* bytes or operations of one thread; 1 for latency */
	double scale; /* factor from amount per second, or for latency from seconds, to the unit */
	bool is_time;
};

/* Fill in a limit from the times of the rounds. */
static void judge(const struct trial *trial, const struct team_result *result,
		  struct takt_machine_limit *item)
{
	double values[TEAM_ROUNDS_MAX], best_hertz = 0, least = 0;
	uint32_t count = 0, disturbed = 0;

	for (uint32_t i = 0; i < result->round_count; i++)
		disturbed += result->rounds[i].disturbed;
	for (uint32_t i = 0; i < result->round_count; i++) {
		const struct team_round *round = &result->rounds[i];

		if (round->disturbed && disturbed < result->round_count)
			continue;
		if (count == 0 || round->seconds < least) {
			least = round->seconds;
			best_hertz = round->hertz;
		}
		values[count++] = round->seconds;
	}
	takt_sort_doubles(values, count);
	least /= (double)result->repeats;
	item->rounds = result->round_count;
	item->disturbed = disturbed;
	if (trial->is_time) {
		item->value = least / trial->amount * trial->scale;
		item->median =
			values[count / 2] / (double)result->repeats / trial->amount * trial->scale;
		item->per_cycle = least / trial->amount * best_hertz;
	} else {
		double all = trial->amount * trial->job.cpu_count;

		item->value = all / least * trial->scale;
		item->median = all / (values[count / 2] / (double)result->repeats) * trial->scale;
		item->per_cycle = trial->amount / least / best_hertz;
	}
}

static const char *list_cpus(const struct team_job *job, struct takt_arena *arena)
{
	struct takt_text text = {0};

	for (uint32_t i = 0; i < job->cpu_count; i++)
		takt_text_printf(&text, "%s%u", i ? " " : "", job->cpus[i]);
	return takt_text_move(&text, arena);
}

static const char *pages_word(const struct team_job *job, const struct team_result *result)
{
	if (job->kind == TEAM_BOUNCE || !job->stream_count)
		return "";
	return result->huge_part > 0.95 ? "huge" : result->huge_part < 0.05 ? "small" : "mixed";
}

/* Add the rate of operations beside the bandwidth of the same rounds, which is left out if 0. */
static void add_operations(const struct trial *trial, const struct team_result *result,
			   struct takt_machine_limit *item, struct limit_list *list)
{
	struct takt_machine_limit copy = *item;
	struct trial operations = *trial;

	operations.amount = trial->operations;
	copy.kind = TAKT_LIMIT_FLOPS;
	copy.unit = "GFLOP/s";
	copy.traffic = 1;
	if (trial->amount > 0)
		item = takt_limit_list_add(list);
	*item = copy;
	judge(&operations, result, item);
}

/*
 * Time a trial and add its limit; `base` has the fields that are known before. Returns false if
 * the measurement must end.
 */
static bool time_trial(struct limit_plan *plan, struct trial *trial,
		       const struct takt_machine_limit *base)
{
	const struct takt_machine_limits_options *options = plan->options;
	struct limit_list *list = plan->list;
	struct team_result result;
	struct takt_machine_limit *item;
	char what[128];

	snprintf(what, sizeof(what), "%s %s %s, %u %s", takt_limit_kind_word(base->kind),
		 base->kernel, base->level, trial->job.cpu_count,
		 takt_noun(trial->job.cpu_count, "thread", "threads"));
	if (options->progress && !options->progress(options->context, what)) {
		plan->stopped = true;
		return false;
	}
	trial->job.rounds = options->rounds ? options->rounds : ROUNDS;
	trial->job.round_seconds =
		options->round_seconds > 0 ? options->round_seconds : ROUND_SECONDS;
	if (takt_team_run(&trial->job, plan->diag, &result) != TAKT_OK)
		return false;
	item = takt_limit_list_add(list);
	*item = *base;
	item->kernel = takt_arena_string(&list->arena, base->kernel);
	item->threads = trial->job.cpu_count;
	item->cpus = list_cpus(&trial->job, &list->arena);
	item->pages = pages_word(&trial->job, &result);
	item->size_bytes = trial->job.stream_bytes * trial->job.stream_count * trial->job.cpu_count;
	judge(trial, &result, item);
	if (trial->operations > 0)
		add_operations(trial, &result, item, list);
	return true;
}

/* ---- choice of what to time ---- */

static uint32_t count_streams(const struct kernel_code *code)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < KERNEL_STREAMS_MAX; i++)
		if (code->reads[i] || code->writes[i])
			count = i + 1;
	return count;
}

static void make_code(const struct kernel_request *request, struct kernel_code *code)
{
	if (request->file) {
		*code = request->file->code;
		return;
	}
	memset(code, 0, sizeof(*code));
	takt_kernel_emit(request, code);
	takt_kernel_emit_return(code);
}

/*
 * Return the step of windows: all are whole trips, and each begins at a multiple of what vectors
 * have to be aligned to.
 */
static uint64_t window_step(const struct kernel_code *code)
{
	uint64_t step = WINDOW_STEP;

	while (step % code->trip_bytes)
		step += WINDOW_STEP;
	return step;
}

/* Return the size of data in `level`; 0, with a note, if there are none. */
static uint64_t level_bytes(struct limit_plan *plan, enum kernel_level level, uint32_t threads)
{
	const char *reason;
	uint64_t bytes = takt_kernel_level_bytes(&plan->caches, level, threads, &reason);
	char note[160];

	if (bytes)
		return bytes;
	snprintf(note, sizeof(note), "%s was left out with %u %s: %s",
		 takt_kernel_level_names[level], threads, takt_noun(threads, "thread", "threads"),
		 reason);
	takt_limit_list_note(plan->list, note);
	return 0;
}

static bool time_stream(struct limit_plan *plan, const struct kernel_request *request,
			enum kernel_level level, uint32_t threads)
{
	struct kernel_code code;
	struct oracle_counts counts;
	struct trial trial = {.scale = 1e-9};
	struct takt_machine_limit base = {.kind = TAKT_LIMIT_BANDWIDTH, .unit = "GB/s"};
	char name[KERNEL_NAME_MAX];
	uint64_t bytes = level_bytes(plan, level, threads), step;

	if (!bytes)
		return true;
	make_code(request, &code);
	step = window_step(&code);
	takt_kernel_name(request, name);
	trial.job = (struct team_job){.kind = TEAM_STREAMS,
				      .code = &code,
				      .stream_count = count_streams(&code),
				      .huge_pages = true,
				      .single = request->single,
				      .cpus = plan->cpus,
				      .cpu_count = threads};
	if (!trial.job.stream_count)
		return true;
	trial.job.stream_bytes = bytes / trial.job.stream_count / code.trip_bytes * code.trip_bytes;
	if (level == KERNEL_MEM)
		trial.job.window_bytes = trial.job.stream_bytes / STREAM_WINDOWS / step * step;
	takt_kernel_expect(&code,
			   trial.job.window_bytes ? trial.job.window_bytes : trial.job.stream_bytes,
			   1, &counts);
	trial.amount = (double)(counts.load_bytes + counts.store_bytes);
	trial.operations = request->file ? (double)counts.fp64_ops[0] : 0;
	base.kernel = name;
	base.level = takt_kernel_level_names[level];
	base.traffic = level == KERNEL_L1 ? 1 : takt_limit_traffic(&code, request->non_temporal);
	return time_trial(plan, &trial, &base);
}

/*
 * Time all variants with one thread. More threads run the fastest one with temporal and the fastest
 * one with non-temporal stores.
 */
static bool time_variants(struct limit_plan *plan, const struct kernel_request *variants,
			  uint32_t count, enum kernel_level level)
{
	const struct takt_machine_limits *result = &plan->list->result;
	uint32_t best[2] = {UINT32_MAX, UINT32_MAX};
	double best_values[2] = {0, 0};

	for (uint32_t i = 0; i < count; i++) {
		bool non_temporal = variants[i].non_temporal;
		uint32_t before = result->count;

		if (non_temporal && level != KERNEL_MEM && count > 1)
			continue; /* lines of non-temporal stores are in no cache level */
		if (!time_stream(plan, &variants[i], level, 1))
			return false;
		if (result->count > before &&
		    result->items[before].value > best_values[non_temporal]) {
			best_values[non_temporal] = result->items[before].value;
			best[non_temporal] = i;
		}
	}
	for (uint32_t k = 0; k < plan->thread_count; k++)
		for (unsigned non_temporal = 0; non_temporal < 2; non_temporal++)
			if (plan->threads[k] > 1 && best[non_temporal] != UINT32_MAX &&
			    !time_stream(plan, &variants[best[non_temporal]], level,
					 plan->threads[k]))
				return false;
	return true;
}

static bool time_bandwidths(struct limit_plan *plan)
{
	struct kernel_request variants[LIMIT_VARIANTS_MAX];
	bool end = false;

	for (unsigned level = 0; level < KERNEL_LEVELS; level++)
		for (size_t i = 0; plan->levels[level]; i++) {
			uint32_t count = takt_limit_variants(plan, i, variants, &end);

			if (end)
				break;
			if (!time_variants(plan, variants, count, (enum kernel_level)level))
				return false;
		}
	return true;
}

static bool time_peak(struct limit_plan *plan, const struct kernel_request *request,
		      uint32_t threads)
{
	struct kernel_code code;
	struct oracle_counts counts;
	struct trial trial = {.scale = 1e-9};
	struct takt_machine_limit base = {
		.kind = TAKT_LIMIT_FLOPS, .unit = "GFLOP/s", .traffic = 1, .level = ""};
	char name[KERNEL_NAME_MAX];

	make_code(request, &code);
	takt_kernel_name(request, name);
	trial.job =
		(struct team_job){.kind = TEAM_STREAMS,
				  .code = &code,
				  .stream_bytes = PEAK_BYTES / code.trip_bytes * code.trip_bytes,
				  .cpus = plan->cpus,
				  .cpu_count = threads};
	takt_kernel_expect(&code, trial.job.stream_bytes, 1, &counts);
	for (unsigned i = 0; i < ORACLE_WIDTHS; i++)
		trial.amount += (double)(counts.fp64_ops[i] + counts.fp32_ops[i]);
	base.kernel = name;
	return time_trial(plan, &trial, &base);
}

static bool time_flops(struct limit_plan *plan)
{
	struct kernel_request request;
	const struct kernel *kernel = NULL;

	for (size_t i = 0; i < takt_kernel_count; i++)
		if (strcmp(takt_kernels[i].name, "peakflops") == 0)
			kernel = &takt_kernels[i];
	for (size_t i = 0; kernel && takt_kernel_variant(kernel, KERNEL_HOST, i, &request); i++)
		for (uint32_t k = 0; takt_kernel_runs_here(&request) && k < plan->thread_count; k++)
			if (!time_peak(plan, &request, plan->threads[k]))
				return false;
	return true;
}

static bool time_latency(struct limit_plan *plan, enum kernel_level level, bool huge)
{
	struct kernel_request request;
	struct kernel_code code;
	struct trial trial = {.scale = 1e9, .is_time = true};
	struct takt_machine_limit base = {.kind = TAKT_LIMIT_LATENCY,
					  .unit = "ns",
					  .traffic = 1,
					  .level = takt_kernel_level_names[level],
					  .kernel = "chase"};
	uint64_t bytes = level_bytes(plan, level, 1);

	if (!bytes)
		return true;
	if (takt_kernel_request("chase", KERNEL_HOST, plan->diag, &request) != TAKT_OK)
		return false;
	make_code(&request, &code);
	trial.job = (struct team_job){.kind = TEAM_CHASE,
				      .code = &code,
				      .stream_bytes = bytes / SIZE_STEP * SIZE_STEP,
				      .stream_count = 1,
				      .huge_pages = huge,
				      .cpus = plan->cpus,
				      .cpu_count = 1};
	if (trial.job.stream_bytes > 2 * CHASE_WINDOW_BYTES)
		trial.job.window_bytes = CHASE_WINDOW_BYTES;
	trial.amount =
		(double)(trial.job.window_bytes ? trial.job.window_bytes : trial.job.stream_bytes) /
		TAKT_LINE_BYTES;
	return time_trial(plan, &trial, &base);
}

static bool time_latencies(struct limit_plan *plan)
{
	for (unsigned level = 0; level < KERNEL_LEVELS; level++)
		for (int huge = 1; huge >= 0 && plan->levels[level]; huge--)
			if (!time_latency(plan, (enum kernel_level)level, huge))
				return false;
	return true;
}

/* Time transfers from the first processor to each other one, and from each to the next. */
static bool time_transfers(struct limit_plan *plan)
{
	uint32_t pairs = 0;

	if (plan->cpu_count < 2)
		takt_limit_list_note(plan->list,
				     "no transfers: this process may use one processor only");
	for (uint32_t i = 1; i < plan->cpu_count; i++)
		for (uint32_t from = 0; from<i; from += i> 1 ? i - 1 : 1) {
			uint32_t pair[2] = {plan->cpus[from], plan->cpus[i]};
			struct trial trial = {.scale = 1e9, .is_time = true, .amount = 2};
			struct takt_machine_limit base = {.kind = TAKT_LIMIT_TRANSFER,
							  .unit = "ns",
							  .traffic = 1,
							  .level = "",
							  .kernel = "bounce"};

			if (pairs++ == TRANSFER_PAIRS_MAX) {
				takt_limit_list_note(plan->list,
						     "not all pairs of processors were timed");
				return true;
			}
			trial.job = (struct team_job){
				.kind = TEAM_BOUNCE, .cpus = pair, .cpu_count = 2};
			if (!time_trial(plan, &trial, &base))
				return false;
		}
	return true;
}

/*
 * Note the machine's processor; false, with an error, if the system does not permit reading that.
 */
static bool note_machine(struct limit_plan *plan)
{
	struct limit_list *list = plan->list;
	char line[256];
	FILE *file = fopen("/proc/cpuinfo", "re");
	bool virtual = false, named = false;
	int error = file ? 0 : errno;

	list->result.cpu = "";
	while (file && fgets(line, sizeof(line), file)) {
		const char *value = strchr(line, ':');

		if (value && value[1] == ' ' && !named && strncmp(line, "model name", 10) == 0) {
			list->result.cpu =
				takt_arena_copy(&list->arena, value + 2, strcspn(value + 2, "\n"));
			named = true;
		}
		virtual = virtual || strstr(line, " hypervisor");
	}
	if (file && ferror(file))
		error = errno;
	if (file)
		fclose(file);
	if (error && error != ENOENT && error != EACCES) {
		takt_error(plan->diag, "cannot read '/proc/cpuinfo': %s", strerror(error));
		return false;
	}
	if (virtual)
		takt_limit_list_note(list, "this is a virtual machine: others may have a part of "
					   "its caches and its memory's bandwidth, and the sizes "
					   "of caches may not be true");
	if (!plan->caches.known)
		takt_limit_list_note(list, "the system does not say how large caches are");
	return true;
}

enum takt_status takt_machine_limits_measure(const struct takt_machine_limits_options *options,
					     struct takt_diag *diag,
					     struct takt_machine_limits **ret_limits)
{
	static bool (*const timers[])(struct limit_plan *) = {time_bandwidths, time_flops,
							      time_latencies, time_transfers};
	struct limit_list *list = takt_limit_list_new();
	struct limit_plan *plan = takt_xcalloc(1, sizeof(*plan));
	enum takt_status status = takt_limit_plan_init(options, list, diag, plan);

	if (status == TAKT_OK && !note_machine(plan))
		status = TAKT_UNAVAILABLE;
	for (unsigned i = 0; status == TAKT_OK && !plan->stopped && i < TAKT_COUNT_OF(timers); i++)
		if ((!options->kinds || options->kinds & 1u << i) && !timers[i](plan) &&
		    !plan->stopped)
			status = TAKT_UNAVAILABLE;
	if (plan->stopped)
		takt_limit_list_note(list, "stopped before all was timed");
	free(plan);
	if (status == TAKT_OK)
		*ret_limits = &list->result;
	else
		takt_machine_limits_free(&list->result);
	return status;
}
