/* SPDX-License-Identifier: MIT */
/*
 * The rate of lines from memory, from the machine's limits as `takt bench` measures them. Latencies
 * and sizes of caches are decided by programs.
 */
#include <math.h>
#include <string.h>

#include "learn/learn.h"
#include "takt-lab/limits.h"

#define LINE_BYTES 64.0
#define ROUNDS 15u
/* Factor between the best round and the median beyond which other load decides the figure. */
#define SPREAD_MAX 1.5

static bool tell(void *context, const char *what)
{
	return learn_step(context, "limits", 0, 0, what);
}

/* Return the limit of a level; one in huge pages, if there is one. NULL: none. */
static const struct takt_machine_limit *find(const struct takt_machine_limits *limits,
					     enum takt_limit_kind kind, const char *level)
{
	const struct takt_machine_limit *found = NULL;

	for (uint32_t i = 0; i < limits->count; i++) {
		const struct takt_machine_limit *limit = &limits->items[i];

		if (limit->kind == kind && strcmp(limit->level, level) == 0 &&
		    limit->per_cycle > 0 && (!found || strcmp(limit->pages, "huge") == 0))
			found = limit;
	}
	return found;
}

/* Add a result whose interval is between the best round and the median one. */
static void add(struct learn *learn, const char *name, double best, double usual, const char *what)
{
	uint32_t parameter = learn_parameter_find(name, strlen(name));
	int32_t nearest = learn_core_get(&learn->core, parameter);
	int32_t least = (int32_t)lround(fmax(0, fmin(best, usual)));
	int32_t most = (int32_t)lround(fmax(0, fmax(best, usual)));
	bool doubtful = most > SPREAD_MAX * least;
	const struct takt_learnt_parameter result = {
		.name = name,
		.unit = learn_parameter_unit(parameter),
		.nearest = nearest,
		.value = doubtful || (nearest >= least && nearest <= most) ? nearest : least,
		.least = least,
		.most = most,
		.how = doubtful ? TAKT_LEARNT_UNSTABLE : TAKT_LEARNT_MEASURED,
		.error = NAN,
		.experiments = what};

	learn_add_result(learn, &result);
	learn_core_set(&learn->core, parameter, result.value);
}

/* Return the median in the unit of `per_cycle`, which is the best round's. */
static double usual(const struct takt_machine_limit *limit)
{
	return limit->per_cycle * limit->median / limit->value;
}

void learn_apply_limits(struct learn *learn, const struct takt_machine_limits *limits)
{
	const struct takt_machine_limit *stream = find(limits, TAKT_LIMIT_BANDWIDTH, "MEM");

	if (stream)
		add(learn, "memory_line_cycles", LINE_BYTES / stream->per_cycle,
		    LINE_BYTES / usual(stream), "load");
}

enum takt_status learn_memory(struct learn *learn)
{
	const struct takt_machine_limits_options options = {.kinds = TAKT_LIMIT_BANDWIDTH,
							    .kernels = "load",
							    .threads = "1",
							    .rounds = ROUNDS,
							    .progress = tell,
							    .context = learn};
	struct takt_machine_limits *limits = NULL;
	enum takt_status status;

	if (learn->options->played ||
	    (learn->options->only && !learn_has_word(learn->options->only, "memory", 6)))
		return TAKT_OK;
	status = takt_machine_limits_measure(&options, learn->diag, &limits);
	if (status == TAKT_OK && limits && !learn->ended)
		learn_apply_limits(learn, limits);
	takt_machine_limits_free(limits);
	return status == TAKT_UNAVAILABLE ? TAKT_OK : status;
}
