/* SPDX-License-Identifier: MIT */
/*
 * Decides parameters by likelihood: the experiments are simulated on cores that differ in the
 * parameter, and the value is taken whose times are nearest to the machine's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/learn.h"

#define VALUES_MAX 1024u
#define PARAMETERS_MAX 6u
#define EXPERIMENTS_MAX 10u
#define ROUND_VALUES 12u /* values tried in each round of a search */
/* After more trials, values that differ by less than a COARSE_PART-th are not told apart. */
#define TRIALS_MANY 48u
#define COARSE_PART 64
/*
 * Decisions depend on each other, and are made again. In the first passes, a value is taken even if
 * it explains the times badly, since other parameters may be wrong still.
 */
#define PASSES 4u
#define PROVISIONAL_PASSES 2u
/*
 * Twice the difference of logarithms of likelihoods from which a value is ruled out: two standard
 * deviations. The value of the nearest core stays unless it is ruled out.
 */
#define RULED_OUT 4.0
/* A point that is this many deviations off counts less than its square: a wrong row must not decide
 * alone. */
#define ROBUST 5.0
/* A trial is given up when its loss is this many times that from which it is ruled out. */
#define GIVEN_UP 1.5
#define SIMULATED_MAX ((size_t)1 << 20)
#define NEAR_STEPS 4	     /* values tried on either side of the present one, if in percent */
#define KEPT 16u	     /* weight of each value kept; more than the place in the table */
#define SAME_LOSS 1e-6	     /* losses so near mean that the parameter makes no difference */
#define UNSTABLE_SPREAD 0.15 /* mean relative spread of repeats from which nothing is decided */
#define DOUBT_ERROR 0.05     /* mean relative error from which no value explains the times */

static const struct decision {
	const char *isa, *parameters, *values, *experiments;
} decisions[] = {
#define DECISION(isa, parameters, values, experiments) {isa, parameters, values, experiments},
#include "learn/decisions.def"
#undef DECISION
};

/*
 * True if the decision tries values near the present ones only. It moves what other decisions have
 * decided, and what it finds is not reported.
 */
static bool is_near(const struct decision *decision)
{
	return *decision->values == '~';
}

/* Simulated cycles of a point on a core. */
struct simulated {
	uint64_t key;
	double cycles;
	bool known;
};

/* A decision being made. */
struct deciding {
	struct learn *learn;
	const struct decision *decision;
	struct learn_series *series[EXPERIMENTS_MAX];
	uint32_t series_count, point_count;
	uint32_t parameters[PARAMETERS_MAX], parameter_count;
	int32_t *values[PARAMETERS_MAX]; /* candidates, ascending or as in the table */
	uint32_t value_counts[PARAMETERS_MAX];
	bool provisional;   /* take a value even if it is doubtful */
	bool contradictory; /* the experiments contradict each other */
	bool is_doubtful;   /* a doubtful value was taken */
};

/* A combination of values, and how far its times are from the machine's. */
struct trial {
	int32_t values[PARAMETERS_MAX];
	double loss;			/* sum of squares in units of variance */
	double error;			/* mean relative error */
	double errors[EXPERIMENTS_MAX]; /* the same of each experiment, if the trial is whole */
};

/* ---- losses ------------------------------------------------------------------------- */

/* Return the factor and, with three points or more, the summand that fit the simulated times. */
static void fit_shape(const struct learn_series *series, const double *simulated,
		      double *ret_factor, double *ret_summand)
{
	double n = 0, x = 0, y = 0, xx = 0, xy = 0, variance;

	for (size_t i = 0; i < series->count; i++) {
		double weight = 1 / (series->points[i].cycles * series->points[i].cycles);

		n += weight;
		x += weight * simulated[i];
		y += weight * series->points[i].cycles;
		xx += weight * simulated[i] * simulated[i];
		xy += weight * simulated[i] * series->points[i].cycles;
	}
	variance = xx - x * x / n;
	*ret_factor = 1;
	if (series->count > 3 && variance > 1e-6 * xx)
		*ret_factor = fmin(2, fmax(0.5, (xy - x * y / n) / variance));
	*ret_summand = (y - *ret_factor * x) / n;
}

/* A hypothetical core that is being simulated. */
struct hypothesis {
	struct learn_player *player;
	uint64_t hash; /* of its parameters */
	double limit;  /* loss from which the trial is given up */
	struct takt_arena arena;
};

static uint64_t hash_core(const struct learn_core *core)
{
	return takt_hash_bytes(&core->params, sizeof(core->params)) ^
	       takt_hash64(takt_hash_bytes(core->schedulers,
					   core->scheduler_count * sizeof(*core->schedulers)));
}

/* Return the simulated cycles of a point. Decisions and passes ask for the same ones again. */
static double simulate(const struct deciding *deciding, const struct hypothesis *hypothesis,
		       const struct learn_series *series, size_t index)
{
	uint64_t point =
		takt_hash_bytes(series->experiment->name, strlen(series->experiment->name));
	struct simulated *simulated =
		takt_map_get(&deciding->learn->simulated,
			     takt_hash64(hypothesis->hash ^ takt_hash64(point + index)));

	if (!simulated)
		return learn_point_time(hypothesis->player, &series->points[index]);
	if (!simulated->known) {
		simulated->cycles = learn_point_time(hypothesis->player, &series->points[index]);
		simulated->known = true;
	}
	return simulated->cycles;
}

static void add_point_loss(const struct learn_point *point, double cycles, struct trial *trial)
{
	double ratio = cycles / point->cycles, off = ratio > 0 ? fabs(log(ratio)) : 1;
	double deviations = off / point->sigma / ROBUST;

	trial->loss += ROBUST * ROBUST * log1p(deviations * deviations);
	trial->error += off;
}

/* Add the loss of one series; false if the trial is given up, which only a series does whose times
 * themselves are compared. */
static bool add_loss(const struct deciding *deciding, struct hypothesis *hypothesis,
		     const struct learn_series *series, struct trial *trial)
{
	double *cycles = TAKT_NEW_ARRAY(&hypothesis->arena, series->count + 1, double);
	bool is_shape = series->experiment->kind == LEARN_SHAPE;
	double factor = 1, summand = 0;

	for (size_t i = 0; i < series->count; i++) {
		cycles[i] = simulate(deciding, hypothesis, series, i);
		if (is_shape)
			continue;
		add_point_loss(&series->points[i], cycles[i], trial);
		if (trial->loss > hypothesis->limit)
			return false;
	}
	if (!is_shape || !series->count)
		return true;
	fit_shape(series, cycles, &factor, &summand);
	for (size_t i = 0; i < series->count; i++)
		add_point_loss(&series->points[i], factor * cycles[i] + summand, trial);
	return true;
}

/*
 * Fill a trial's loss, at least as far as it is above the limit; a core that the simulator does not
 * take has an infinite one.
 */
static void try_values(const struct deciding *deciding, double limit, struct trial *trial)
{
	struct learn_core core = deciding->learn->core;
	struct hypothesis hypothesis = {.limit = limit};
	struct takt_model *model;
	bool whole = true;

	for (uint32_t i = 0; i < deciding->parameter_count; i++)
		learn_core_set(&core, deciding->parameters[i], trial->values[i]);
	trial->loss = trial->error = INFINITY;
	if (!learn_core_is_sound(&core))
		return;
	trial->loss = trial->error = 0;
	takt_arena_init(&hypothesis.arena);
	model = learn_core_model(&core, deciding->learn->nearest);
	hypothesis.hash = hash_core(&core);
	hypothesis.player = learn_player_new(model);
	for (uint32_t i = 0; i < deciding->series_count && whole; i++) {
		double before = trial->error;

		whole = add_loss(deciding, &hypothesis, deciding->series[i], trial);
		trial->errors[i] = (trial->error - before) / (double)deciding->series[i]->count;
	}
	trial->error = whole ? trial->error / deciding->point_count : INFINITY;
	learn_player_free(hypothesis.player);
	takt_model_close(model);
	takt_arena_release(&hypothesis.arena);
}

/* ---- trials ------------------------------------------------------------------------- */

/* All trials of a decision. */
struct trials {
	struct trial *items;
	uint32_t count, capacity;
};

static const struct trial *best_of(const struct trials *trials)
{
	const struct trial *best = &trials->items[0];

	for (uint32_t i = 1; i < trials->count; i++)
		if (trials->items[i].loss < best->loss)
			best = &trials->items[i];
	return best;
}

/*
 * Return the loss from which a trial is ruled out. Where the best one is farther off than noise
 * explains, the model is wrong somewhere, and differences count less by as much.
 */
static double limit_of(const struct deciding *deciding, const struct trials *trials)
{
	double best = best_of(trials)->loss;

	return best + RULED_OUT * fmax(1, best / deciding->point_count);
}

static struct trial *find_trial(const struct trials *trials, const int32_t *values, uint32_t count)
{
	for (uint32_t i = 0; i < trials->count; i++)
		if (memcmp(trials->items[i].values, values, count * sizeof(*values)) == 0)
			return &trials->items[i];
	return NULL;
}

static void add_trial(const struct deciding *deciding, struct trials *trials, const int32_t *values)
{
	struct trial trial = {.loss = 0};

	if (find_trial(trials, values, deciding->parameter_count))
		return;
	memcpy(trial.values, values, deciding->parameter_count * sizeof(*values));
	try_values(deciding, trials->count ? GIVEN_UP * limit_of(deciding, trials) : INFINITY,
		   &trial);
	TAKT_GROW_IN(deciding->learn->arena, trials->items, trials->count + 1, trials->capacity);
	trials->items[trials->count++] = trial;
}

/* Try all combinations of values from the parameter `at` on. */
static void try_grid(const struct deciding *deciding, struct trials *trials, uint32_t at,
		     int32_t *values)
{
	if (at == deciding->parameter_count || at == PARAMETERS_MAX) {
		add_trial(deciding, trials, values);
		return;
	}
	for (uint32_t i = 0; i < deciding->value_counts[at]; i++) {
		values[at] = deciding->values[at][i];
		try_grid(deciding, trials, at + 1, values);
	}
}

TAKT_ORDER(by_first_value, struct trial, TAKT_UP(values[0]));

/* Return the index of the trial with the least mean error: it leads where all losses are large. */
static uint32_t least_error(const struct trials *trials)
{
	uint32_t least = 0;

	for (uint32_t i = 1; i < trials->count; i++)
		if (trials->items[i].error < trials->items[least].error)
			least = i;
	return least;
}

/* Try values around the best ones, and at the edges of those not ruled out. Return how many. */
static uint32_t narrow(const struct deciding *deciding, struct trials *trials)
{
	uint32_t before = trials->count, wanted_count = 0, least;
	double limit = limit_of(deciding, trials);
	int32_t *wanted = TAKT_NEW_ARRAY(deciding->learn->arena, (size_t)before * 4, int32_t);

	qsort(trials->items, before, sizeof(*trials->items), by_first_value);
	least = least_error(trials);
	for (uint32_t i = 0; i + 1 < before; i++) {
		const struct trial *a = &trials->items[i], *b = a + 1;
		int32_t gap = b->values[0] - a->values[0];
		bool at_edge = (a->loss <= limit) != (b->loss <= limit);
		bool differs = a->loss <= limit && fabs(a->loss - b->loss) > SAME_LOSS;

		if (gap < 2 || (before > TRIALS_MANY && gap <= a->values[0] / COARSE_PART) ||
		    !(at_edge || differs || i == least || i + 1 == least))
			continue;
		for (int32_t k = 1; k <= 3 && k < gap; k++)
			wanted[wanted_count++] = a->values[0] + gap * k / (gap < 4 ? gap : 4);
	}
	for (uint32_t i = 0; i < wanted_count; i++)
		add_trial(deciding, trials, &wanted[i]);
	return trials->count - before;
}

/* Search the values of one parameter, from coarse to fine. */
static void search(const struct deciding *deciding, struct trials *trials)
{
	const int32_t *values = deciding->values[0];
	int32_t least = values[0], most = values[deciding->value_counts[0] - 1];
	double ratio = pow((double)most / least, 1.0 / (ROUND_VALUES - 1));

	for (uint32_t i = 0; i < ROUND_VALUES; i++) {
		int32_t value = (int32_t)lround(least * pow(ratio, i));

		add_trial(deciding, trials, &value);
	}
	while (narrow(deciding, trials))
		;
}

/* ---- results ------------------------------------------------------------------------ */

/*
 * Return the trial to take: of those that are not ruled out, the one that keeps most of the nearest
 * core's values; of several, one that changes what the table names first.
 */
static const struct trial *choose(const struct deciding *deciding, const struct trials *trials)
{
	const struct trial *chosen = best_of(trials);
	double limit = limit_of(deciding, trials);
	struct learn_core nearest;
	uint32_t most_kept = 0;

	learn_core_init(&nearest, deciding->learn->nearest);
	for (uint32_t i = 0; i < trials->count; i++) {
		const struct trial *trial = &trials->items[i];
		uint32_t kept = 0;

		if (trial->loss > limit)
			continue;
		for (uint32_t k = 0; k < deciding->parameter_count; k++)
			if (trial->values[k] == learn_core_get(&nearest, deciding->parameters[k]))
				kept += KEPT + k;
		if (kept < most_kept || (kept == most_kept && trial->loss >= chosen->loss))
			continue;
		most_kept = kept;
		chosen = trial;
	}
	return chosen;
}

/* Return the trial of the nearest core's values, which stay where no value explains the times. */
static const struct trial *find_nearest_trial(const struct deciding *deciding,
					      const struct trials *trials,
					      const struct trial *otherwise)
{
	int32_t values[PARAMETERS_MAX] = {0};
	struct learn_core nearest;
	const struct trial *found;

	learn_core_init(&nearest, deciding->learn->nearest);
	for (uint32_t i = 0; i < deciding->parameter_count; i++)
		values[i] = learn_core_get(&nearest, deciding->parameters[i]);
	found = find_trial(trials, values, deciding->parameter_count);
	return found ? found : otherwise;
}

/*
 * True if the experiments contradict each other: one that the nearest core explains is not
 * explained by the chosen values any more. Then a structure is at work that the simulator does not
 * know.
 */
static bool is_contradictory(const struct deciding *deciding, const struct trial *chosen)
{
	struct learn_core nearest;
	struct trial whole = *chosen, kept = {.loss = 0};
	bool contradictory = false;

	learn_core_init(&nearest, deciding->learn->nearest);
	for (uint32_t i = 0; i < deciding->parameter_count; i++)
		kept.values[i] = learn_core_get(&nearest, deciding->parameters[i]);
	if (memcmp(kept.values, whole.values, sizeof(kept.values)) == 0)
		return false;
	try_values(deciding, INFINITY, &whole);
	try_values(deciding, INFINITY, &kept);
	for (uint32_t i = 0; i < deciding->series_count; i++)
		contradictory |= isfinite(kept.error) && kept.errors[i] <= DOUBT_ERROR &&
				 whole.errors[i] > DOUBT_ERROR;
	return contradictory;
}

static const char *name_of(const struct deciding *deciding, uint32_t parameter)
{
	struct takt_port_list ports;
	struct takt_text text = {0};
	const struct learn_core *core = &deciding->learn->core;
	uint32_t mask = 0;
	const char *name;
	char letter = 0;

	if (parameter < LEARN_SCHEDULER || parameter >= LEARN_COPIES)
		return learn_parameter_name(parameter);
	takt_model_ports(deciding->learn->nearest, &ports);
	for (uint32_t i = 0; i < core->scheduler_count; i++)
		if (core->first_of_size[i] == parameter - LEARN_SCHEDULER)
			mask |= core->schedulers[i].ports;
	takt_text_add_string(&text, "scheduler ");
	for (uint32_t i = 0; i < ports.count; i++) {
		if (!(mask >> i & 1))
			continue;
		if (ports.names[i][0] != letter)
			takt_text_add(&text, ports.names[i], 1);
		letter = ports.names[i][0];
		takt_text_add(&text, ports.names[i] + 1, 1);
	}
	name = takt_arena_printf(deciding->learn->arena, "%s", takt_text_data(&text));
	takt_text_release(&text);
	return name;
}

/* True if repeats of the decision's experiments disagree so much that their medians mean little. */
static bool is_unstable(const struct deciding *deciding)
{
	double sum = 0;
	uint32_t count = deciding->point_count;

	for (uint32_t i = 0; i < deciding->series_count; i++) {
		sum += deciding->series[i]->dropped;
		count += deciding->series[i]->dropped;
		for (size_t k = 0; k < deciding->series[i]->count; k++)
			sum += deciding->series[i]->points[k].spread;
	}
	return sum > UNSTABLE_SPREAD * count;
}

/* Add the result of one parameter, with the interval of the values that are not ruled out. */
static void add_result(const struct deciding *deciding, const struct trials *trials,
		       const struct trial *chosen, uint32_t index)
{
	double limit = limit_of(deciding, trials), worst = 0;
	uint32_t parameter = deciding->parameters[index];
	struct learn_core nearest;
	struct takt_learnt_parameter result;
	int32_t highest = INT32_MIN, lowest = INT32_MAX;

	learn_core_init(&nearest, deciding->learn->nearest);
	result = (struct takt_learnt_parameter){.name = name_of(deciding, parameter),
						.unit = learn_parameter_unit(parameter),
						.nearest = learn_core_get(&nearest, parameter),
						.value = chosen->values[index],
						.least = chosen->values[index],
						.most = chosen->values[index],
						.error = chosen->error,
						.experiments = deciding->decision->experiments};
	for (uint32_t i = 0; i < trials->count; i++) {
		const struct trial *trial = &trials->items[i];

		if (isinf(trial->loss))
			continue;
		highest = trial->values[index] > highest ? trial->values[index] : highest;
		lowest = trial->values[index] < lowest ? trial->values[index] : lowest;
		worst = fmax(worst, trial->loss);
		if (trial->loss > limit)
			continue;
		if (trial->values[index] < result.least)
			result.least = trial->values[index];
		if (trial->values[index] > result.most)
			result.most = trial->values[index];
	}
	result.how = is_unstable(deciding) ? TAKT_LEARNT_UNSTABLE
		     : worst <= limit || (result.value == result.nearest &&
					  result.least == lowest && result.most == highest)
			     ? TAKT_LEARNT_NOT_IDENTIFIABLE
		     : deciding->contradictory || best_of(trials)->error > DOUBT_ERROR
			     ? TAKT_LEARNT_DOUBTFUL
		     : result.most == highest && result.least < highest &&
				     strcmp(result.unit, "yes/no") != 0
			     ? TAKT_LEARNT_AT_LEAST
			     : TAKT_LEARNT_MEASURED;
	learn_add_result(deciding->learn, &result);
}

/* Say of all parameters of the decision that there was nothing to decide them by. */
static void add_no_timing(const struct deciding *deciding)
{
	for (uint32_t i = 0; i < deciding->parameter_count; i++) {
		int32_t value = learn_core_get(&deciding->learn->core, deciding->parameters[i]);
		const struct takt_learnt_parameter result = {
			.name = name_of(deciding, deciding->parameters[i]),
			.unit = learn_parameter_unit(deciding->parameters[i]),
			.nearest = value,
			.value = value,
			.least = value,
			.most = value,
			.how = TAKT_LEARNT_NO_TIMING,
			.error = NAN,
			.experiments = deciding->decision->experiments};

		learn_add_result(deciding->learn, &result);
	}
}

/* ---- decisions ------------------------------------------------------------------------ */

/* Return the next word, and move on; size 0 at the end. */
static const char *next_word(const char **at, size_t *ret_size)
{
	const char *word = *at + strspn(*at, " ");

	*ret_size = strcspn(word, " ");
	*at = word + *ret_size;
	return word;
}

static bool add_series(struct deciding *deciding)
{
	const char *at = deciding->decision->experiments, *word;
	size_t size;

	for (word = next_word(&at, &size); size; word = next_word(&at, &size)) {
		struct learn_series *series = learn_series_of(deciding->learn, word, size);

		if (deciding->learn->ended)
			return false;
		if (!series || !series->count || deciding->series_count == EXPERIMENTS_MAX)
			continue;
		deciding->series[deciding->series_count++] = series;
		deciding->point_count += (uint32_t)series->count;
	}
	return true;
}

/*
 * Fill in the values near the present one that a word such as "~8%" or "~4" names, move on behind
 * the word, and return how many they are.
 */
static uint32_t add_near(int32_t present, int32_t *values, const char **at)
{
	char *end;
	int32_t most = (int32_t)strtol(*at + 1, &end, 10), step = 1;
	uint32_t count = 0;

	if (*end == '%') {
		step = present * most / 100 / NEAR_STEPS;
		step = step > 1 ? step : 1;
		most = NEAR_STEPS * step;
		end++;
	}
	*at = end;
	for (int32_t off = -most; off <= most && count + 1 < VALUES_MAX; off += step)
		if (present + off > 0)
			values[count++] = present + off;
	return count;
}

/* Read the values of a parameter, up to the next semicolon; its present value is one of them. */
static void read_values(struct deciding *deciding, uint32_t parameter, const char **at)
{
	int32_t present = learn_core_get(&deciding->learn->core, parameter);
	int32_t *values = TAKT_NEW_ARRAY(deciding->learn->arena, VALUES_MAX, int32_t);
	uint32_t count = 0;
	bool has_present = false;
	char *end;

	if (is_near(deciding->decision)) {
		count = add_near(present, values, at);
		has_present = present > 0;
	}
	for (; **at && **at != ';'; *at += strspn(*at, " ")) {
		long first = strtol(*at, &end, 10), last = first;

		if (end == *at)
			break;
		if (strncmp(end, "..", 2) == 0)
			last = strtol(end + 2, &end, 10);
		*at = end;
		for (long value = first; value <= last && count + 1 < VALUES_MAX; value++) {
			values[count++] = (int32_t)value;
			has_present |= value == present;
		}
	}
	if (**at == ';')
		++*at;
	*at += strspn(*at, " ");
	if (!has_present)
		values[count++] = present;
	deciding->values[deciding->parameter_count] = values;
	deciding->value_counts[deciding->parameter_count] = count;
	deciding->parameters[deciding->parameter_count++] = parameter;
}

static void read_parameters(struct deciding *deciding)
{
	const char *at = deciding->decision->parameters, *values = deciding->decision->values,
		   *word;
	size_t size;

	for (word = next_word(&at, &size); size && deciding->parameter_count < PARAMETERS_MAX;
	     word = next_word(&at, &size))
		read_values(deciding, learn_parameter_find(word, size), &values);
}

/* Decide parameters that are already in `deciding`. */
static void decide(struct deciding *deciding)
{
	struct trials trials = {0};
	uint64_t combinations = 1;
	const struct trial *chosen;
	int32_t values[PARAMETERS_MAX] = {0};
	bool is_doubtful;

	for (uint32_t i = 0; i < deciding->parameter_count; i++)
		combinations *= deciding->value_counts[i];
	if (!deciding->point_count) {
		if (!is_near(deciding->decision))
			add_no_timing(deciding);
		return;
	}
	for (uint32_t i = 0; i < deciding->parameter_count; i++)
		values[i] = learn_core_get(&deciding->learn->core, deciding->parameters[i]);
	add_trial(deciding, &trials, values);
	if (deciding->parameter_count == 1 && combinations > 40)
		search(deciding, &trials);
	else
		try_grid(deciding, &trials, 0, values);
	chosen = choose(deciding, &trials);
	deciding->contradictory = is_contradictory(deciding, chosen);
	is_doubtful = deciding->contradictory || chosen->error > DOUBT_ERROR;
	deciding->is_doubtful |= deciding->provisional && is_doubtful;
	if ((is_doubtful && !deciding->provisional) || is_unstable(deciding))
		chosen = find_nearest_trial(deciding, &trials, chosen);
	for (uint32_t i = 0; i < deciding->parameter_count; i++) {
		/* Decisions about its digits follow, and say more of it. */
		if (!is_near(deciding->decision) &&
		    strcmp(learn_parameter_name(deciding->parameters[i]), "loop_buffer_copies") !=
			    0)
			add_result(deciding, &trials, chosen, i);
		learn_core_set(&deciding->learn->core, deciding->parameters[i], chosen->values[i]);
	}
}

/* Decide the sizes of schedulers: those of one size together. */
static void decide_schedulers(struct deciding *deciding)
{
	struct learn *learn = deciding->learn;
	uint32_t count = learn->core.scheduler_count;

	for (uint32_t i = 0; i < (count ? count : 1); i++) {
		const char *values = deciding->decision->values;

		if (count && learn->core.first_of_size[i] != i)
			continue;
		deciding->parameter_count = 0;
		read_values(deciding,
			    count ? LEARN_SCHEDULER + i
				  : learn_parameter_find("scheduler_entries",
							 strlen("scheduler_entries")),
			    &values);
		decide(deciding);
	}
}

/* Make a decision; false if the run is to end. `ret_again` is set if it must be made again. */
static bool make_decision(struct learn *learn, const struct decision *decision, bool provisional,
			  bool *ret_again)
{
	struct deciding deciding = {
		.learn = learn, .decision = decision, .provisional = provisional};

	if (!add_series(&deciding))
		return false;
	if (strcmp(decision->parameters, "scheduler") == 0) {
		decide_schedulers(&deciding);
	} else {
		read_parameters(&deciding);
		decide(&deciding);
	}
	*ret_again = deciding.is_doubtful;
	return true;
}

/* True if the experiments that decide are programs, not blocks of instructions. */
static bool is_by_programs(const struct decision *decision)
{
	size_t count, size = strcspn(decision->experiments, " ");
	const struct learn_experiment *experiments = learn_experiments(&count);

	for (size_t i = 0; i < count; i++)
		if (takt_string_is(experiments[i].name, decision->experiments, size))
			return *experiments[i].text == '@';
	return false;
}

/* True if the decision is of this machine's instruction set and one of its parameters is wanted. */
static bool is_wanted(const struct learn *learn, const struct decision *decision)
{
	const char *only = learn->options->only, *at = decision->parameters, *word;
	size_t size;

	if (strcmp(decision->isa, learn->machine->isa) != 0)
		return false;
	if (!only)
		return learn->options->full || !is_by_programs(decision);
	if (is_by_programs(decision) ? learn_has_word(only, "programs", strlen("programs"))
				     : learn_has_word(only, "blocks", strlen("blocks")))
		return true;
	for (word = next_word(&at, &size); size; word = next_word(&at, &size))
		if (learn_has_word(only, word, size) ||
		    (size == 9 && memcmp(word, "scheduler", size) == 0 &&
		     learn_has_word(only, "scheduler_entries", strlen("scheduler_entries"))))
			return true;
	return false;
}

/* True if the word names one of the parameters that are decided, or a kind of them. */
static bool is_learnable(const char *wanted, size_t wanted_size)
{
	static const char kinds[] = "forms fusing blocks programs memory scheduler_entries";
	size_t size;

	if (learn_has_word(kinds, wanted, wanted_size))
		return true;
	for (size_t i = 0; i < TAKT_COUNT_OF(decisions); i++) {
		const char *at = decisions[i].parameters;

		for (const char *word = next_word(&at, &size); size; word = next_word(&at, &size))
			if (size == wanted_size && memcmp(word, wanted, size) == 0)
				return true;
	}
	return false;
}

enum takt_status learn_check_only(const char *only, struct takt_diag *diag)
{
	while (only && *only) {
		size_t size = strcspn(only, ", ");

		if (!is_learnable(only, size)) {
			takt_error(diag, "'--only' knows no '%.*s'", (int)size, only);
			takt_note(diag,
				  "it takes 'forms', 'fusing', 'blocks', 'programs', 'memory' and "
				  "parameters such as 'rob_entries'");
			return TAKT_BAD_INPUT;
		}
		only += size;
		only += strspn(only, ", ");
	}
	return TAKT_OK;
}

/* Make all decisions, pass by pass. */
static void make_decisions(struct learn *learn)
{
	/* Hashes of the core when each decision was last made: with the same core, it would be the
	 * same again. */
	uint64_t hashes[TAKT_COUNT_OF(decisions)] = {0};
	bool again[TAKT_COUNT_OF(decisions)] = {false};

	for (uint32_t pass = 0; pass < PASSES; pass++)
		for (size_t i = 0; i < TAKT_COUNT_OF(decisions); i++) {
			if (!is_wanted(learn, &decisions[i]) || (!pass && is_near(&decisions[i])) ||
			    (pass && !again[i] && hashes[i] == hash_core(&learn->core)))
				continue;
			if (!learn_step(learn, "decisions", pass * TAKT_COUNT_OF(decisions) + i,
					PASSES * TAKT_COUNT_OF(decisions),
					decisions[i].parameters) ||
			    !make_decision(learn, &decisions[i], pass < PROVISIONAL_PASSES,
					   &again[i]))
				return;
			hashes[i] = hash_core(&learn->core);
		}
}

enum takt_status learn_structures(struct learn *learn)
{
	takt_map_init(&learn->simulated, sizeof(struct simulated), SIMULATED_MAX);
	make_decisions(learn);
	takt_map_release(&learn->simulated);
	return TAKT_OK;
}
