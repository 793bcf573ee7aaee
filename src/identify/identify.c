/* SPDX-License-Identifier: MIT */
/* Measures a fingerprint of timings, and compares it with the simulator's for each known core. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "identify/identify.h"
#include "measure/measure.h"

#define FAR_LOG 0.693 /* ln 2: a probe that is farther off counts no more than this */
/* Fewer than the default: 58 probes have two seconds, and an error of a percent does no harm. */
#define ROUNDS 5
#define BATCHES 1
/* The whole is measured again, and medians are taken: what else runs disturbs some timings. */
#define PASSES 3u
#define PASSES_SECONDS 1.2  /* after so long, there is no other pass */
#define SAME_DISTANCE 0.002 /* repeated measurements of a core differ by that much */
#define PROBES_LEAST 20	    /* fewer measurements identify nothing */

struct identification {
	struct takt_identification result; /* first, since the user has a pointer to it */
	struct takt_arena arena;
};

struct identifying {
	const struct takt_identify_options *options;
	struct takt_diag *diag;
	struct takt_arena *arena;
	const struct identify_code *codes;
	size_t code_count;
	double *cycles; /* by code; NaN: no measurement */
	uint32_t measured_count;
};

/* ---- timings -------------------------------------------------------------------- */

/* Return the simulated cycles of a code, or NaN if the core cannot say. */
static double simulate(struct takt_predictor *predictor, const struct identify_code *code)
{
	double cycles;

	if (takt_predict(predictor, code->bytes, code->size_bytes, &cycles) != TAKT_OK)
		return NAN;
	return cycles;
}

static struct takt_predictor *make_predictor(const struct takt_model *model)
{
	const struct takt_predictor_options options = {.mode = TAKT_MODE_UNROLL,
						       .engine = TAKT_ENGINE_SIM};

	return takt_predictor_new(model, &options);
}

/* Fill the cycles with those of the core that the simulator plays. */
static void play(struct identifying *work)
{
	struct takt_predictor *predictor = make_predictor(work->options->played);
	uint64_t state = work->options->seed;

	for (size_t i = 0; i < work->code_count; i++) {
		double random;

		state = takt_hash64(state + i + 1);
		random = 2 * ((double)(state >> 11) / (double)(1ull << 53)) - 1;
		work->cycles[i] =
			simulate(predictor, &work->codes[i]) * (1 + random * work->options->noise);
	}
	takt_predictor_free(predictor);
}

static double measure(struct takt_measurer *measurer, const struct identify_code *code)
{
	struct takt_measurement measurement;

	takt_measure(measurer, code->bytes, code->size_bytes, &measurement);
	/* An unstable figure is within some percent; a disturbed one may be anything. */
	if (measurement.status != TAKT_MEASURE_OK && measurement.status != TAKT_MEASURE_UNSTABLE &&
	    measurement.status != TAKT_MEASURE_DENORMAL)
		return NAN;
	return measurement.cycles;
}

/* Return the median of the passes that measured a code; NaN if none did. */
static double median_of(const double *cycles, size_t stride, uint32_t passes)
{
	double sorted[PASSES];
	uint32_t count = 0;

	for (uint32_t i = 0; i < passes; i++)
		if (cycles[i * stride] > 0)
			sorted[count++] = cycles[i * stride];
	takt_sort_doubles(sorted, count);
	/* The smaller of two counts, since other load makes code slower, not faster. */
	return count ? sorted[(count - 1) / 2] : NAN;
}

static enum takt_status measure_all(struct identifying *work)
{
	const struct takt_measure_options options = {.rounds = ROUNDS, .batches = BATCHES};
	double *cycles = TAKT_NEW_ARRAY(work->arena, PASSES * (work->code_count + 1), double);
	double start = takt_now_seconds();
	struct takt_measurer *measurer;
	enum takt_status status = takt_measurer_open(&options, work->diag, &measurer);
	uint32_t passes = 0;

	if (status != TAKT_OK)
		return status;
	do {
		for (size_t i = 0; i < work->code_count; i++)
			cycles[passes * work->code_count + i] = measure(measurer, &work->codes[i]);
		passes++;
	} while (passes < PASSES && takt_now_seconds() - start < PASSES_SECONDS);
	takt_measurer_close(measurer);
	for (size_t i = 0; i < work->code_count; i++)
		work->cycles[i] = median_of(cycles + i, work->code_count, passes);
	return TAKT_OK;
}

/* ---- comparison ----------------------------------------------------------------- */

/* Return the distance of a core; fill `cycles`, if not NULL, with what it says of each code. */
static double compare(const struct identifying *work, const struct takt_model *model,
		      double *cycles)
{
	struct takt_predictor *predictor = make_predictor(model);
	uint32_t count = 0;
	double sum = 0;

	for (size_t i = 0; i < work->code_count; i++) {
		double simulated = simulate(predictor, &work->codes[i]);

		if (cycles)
			cycles[i] = simulated;
		if (!(work->cycles[i] > 0))
			continue;
		/* A probe that the core cannot execute counts as the largest distance. */
		sum += simulated > 0 ? fmin(FAR_LOG, fabs(log(work->cycles[i] / simulated)))
				     : FAR_LOG;
		count++;
	}
	takt_predictor_free(predictor);
	return count ? sum / count : NAN;
}

static int by_distance(const void *left, const void *right)
{
	const struct takt_identify_core *a = left, *b = right;
	bool a_out = *a->contradiction, b_out = *b->contradiction;

	if (a_out != b_out)
		return a_out - b_out;
	if (isnan(a->distance))
		return strcmp(a->name, b->name);
	return (a->distance > b->distance) - (a->distance < b->distance);
}

/*
 * Among cores that are as near as the nearest, such as those that share a model, put the expected
 * one first: the one that is played, or that the processor says it has; without timings, the one
 * that `host` is.
 */
static void prefer_expected(const struct identifying *work, struct takt_identify_core *cores,
			    uint32_t count)
{
	const char *expected = "";
	struct takt_model *host = NULL;
	struct takt_diag *diag = takt_diag_new(); /* doubts about the host are no errors here */
	bool timed = count && !isnan(cores[0].distance);

	if (work->options->played)
		expected = takt_model_name(work->options->played);
	else if (takt_model_open("host", work->options->model_dir, diag, &host) == TAKT_OK)
		expected = timed ? takt_model_recognition(host)->claimed
				 : takt_model_recognition(host)->taken;
	for (uint32_t i = 1; i < count && (!timed || !*cores[i].contradiction); i++) {
		struct takt_identify_core core = cores[i];

		if (strcmp(core.name, expected) != 0 ||
		    core.distance > cores[0].distance + SAME_DISTANCE)
			continue;
		memmove(&cores[1], &cores[0], i * sizeof(*cores));
		cores[0] = core;
		break;
	}
	takt_model_close(host);
	takt_diag_free(diag);
}

/* Compare a core, unless it has another instruction set. */
static enum takt_status compare_core(const struct identifying *work, const char *name,
				     const char *isa, struct takt_identify_core *cores,
				     struct takt_identification *result)
{
	struct takt_text contradiction = {0};
	struct takt_model *model;
	enum takt_status status =
		takt_model_open(name, work->options->model_dir, work->diag, &model);

	if (status != TAKT_OK)
		return status;
	if (strcmp(takt_model_isa_name(model), isa) == 0) {
		if (!work->options->played)
			takt_model_write_contradiction(model, &contradiction);
		cores[result->core_count++] = (struct takt_identify_core){
			.name = takt_arena_string(work->arena, takt_model_name(model)),
			.title = takt_arena_string(work->arena, takt_model_title(model)),
			.distance = compare(work, model, NULL),
			.contradiction =
				takt_arena_string(work->arena, takt_text_data(&contradiction))};
	}
	takt_text_release(&contradiction);
	takt_model_close(model);
	return TAKT_OK;
}

/* Compare all known cores of the instruction set. */
static enum takt_status compare_all(const struct identifying *work, const char *isa,
				    struct takt_identification *result)
{
	struct takt_identify_core *cores;
	const char *const *names;
	size_t most;
	enum takt_status status =
		takt_model_names(work->options->model_dir, work->diag, work->arena, &names, &most);

	if (status != TAKT_OK)
		return status;
	cores = TAKT_NEW_ARRAY(work->arena, most, struct takt_identify_core);
	result->cores = cores;
	for (size_t i = 0; i < most && status == TAKT_OK; i++)
		status = compare_core(work, names[i], isa, cores, result);
	if (status != TAKT_OK)
		return status;
	qsort(cores, result->core_count, sizeof(*cores), by_distance);
	prefer_expected(work, cores, result->core_count);
	return TAKT_OK;
}

/* Describe the probes, with what the nearest core says of each. */
static enum takt_status fill_probes(const struct identifying *work,
				    struct takt_identification *result)
{
	struct takt_identify_probe *probes =
		TAKT_NEW_ARRAY(work->arena, work->code_count, struct takt_identify_probe);
	double *nearest = TAKT_NEW_ARRAY(work->arena, work->code_count, double);
	struct takt_model *model;
	enum takt_status status = takt_model_open(result->cores[0].name, work->options->model_dir,
						  work->diag, &model);

	if (status != TAKT_OK)
		return status;
	compare(work, model, nearest);
	takt_model_close(model);
	for (size_t i = 0; i < work->code_count; i++)
		probes[i] = (struct takt_identify_probe){.name = work->codes[i].name,
							 .text = work->codes[i].text,
							 .measured_cycles = work->cycles[i],
							 .nearest_cycles = nearest[i]};
	result->probes = probes;
	result->probe_count = (uint32_t)work->code_count;
	return TAKT_OK;
}

/* ---- all ------------------------------------------------------------------------ */

/* Take the timings; false if there are too few of them, for the reason in `obstacle`. */
static bool take_timings(struct identifying *work, struct takt_identification *result)
{
	double start = takt_now_seconds();

	if (work->options->played) {
		play(work);
	} else if (measure_all(work) != TAKT_OK) {
		result->obstacle = "code cannot be measured on this machine";
		return false;
	} else {
		result->seconds = takt_now_seconds() - start;
	}
	for (size_t i = 0; i < work->code_count; i++)
		result->measured_count += work->cycles[i] > 0;
	if (result->measured_count >= PROBES_LEAST)
		return true;
	result->obstacle = takt_arena_printf(
		work->arena, "only %u of %zu timings could be taken, at least %u are needed",
		result->measured_count, work->code_count, PROBES_LEAST);
	takt_error(work->diag, "%s", result->obstacle);
	takt_note(work->diag, "try again when the machine is less busy");
	return false;
}

static enum takt_status identify(struct identifying *work, const char *isa,
				 struct takt_identification *result)
{
	enum takt_status status;

	result->obstacle = "";
	work->codes = identify_codes(isa, &work->code_count);
	work->cycles = TAKT_NEW_ARRAY(work->arena, work->code_count + 1, double);
	if (!take_timings(work, result)) {
		result->measured_count = 0;
		for (size_t i = 0; i < work->code_count; i++)
			work->cycles[i] = NAN;
	}
	status = compare_all(work, isa, result);
	return status == TAKT_OK ? fill_probes(work, result) : status;
}

enum takt_status takt_identify(const struct takt_identify_options *options, struct takt_diag *diag,
			       struct takt_identification **ret_result)
{
	static const struct takt_identify_options defaults;
	struct identification *own = takt_xcalloc(1, sizeof(*own));
	struct identifying work = {
		.options = options ? options : &defaults, .diag = diag, .arena = &own->arena};
	const struct takt_model *played = work.options->played;
	struct takt_text processor = {0};
	enum takt_status status;

	status =
		identify(&work, played ? takt_model_isa_name(played) : TAKT_HOST_ISA, &own->result);
	if (played)
		takt_text_printf(&processor, "the simulator, playing %s", takt_model_name(played));
	else
		takt_model_write_processor(&processor);
	own->result.processor = takt_arena_string(&own->arena, takt_text_data(&processor));
	takt_text_release(&processor);
	if (status != TAKT_OK)
		takt_identification_free(&own->result);
	else
		*ret_result = &own->result;
	return status;
}

void takt_identification_free(struct takt_identification *result)
{
	TAKT_FREE_OWNER(struct identification, result);
}

static bool is_builtin(const char *name)
{
	for (size_t i = 0; i < takt_model_builtin_count(); i++)
		if (takt_string_equal_nocase(takt_model_builtin_name(i), name))
			return true;
	return false;
}

/*
 * Return the core that is kept as the next one: after a core of a directory, which may not be given
 * again, the nearest built-in one.
 */
static const struct takt_identify_core *next_of(const struct takt_identification *result)
{
	bool any = is_builtin(result->cores[0].name);

	for (uint32_t i = 1; i < result->core_count; i++)
		if (any || is_builtin(result->cores[i].name))
			return &result->cores[i];
	return NULL;
}

enum takt_status takt_identification_keep(const struct takt_identification *result,
					  struct takt_diag *diag, struct takt_text *path)
{
	const struct takt_identify_core *next = next_of(result);
	const struct takt_host_timings timings = {.core = result->cores[0].name,
						  .distance = result->cores[0].distance,
						  .next = next ? next->name : "",
						  .next_distance = next ? next->distance : 0,
						  .count = result->measured_count};

	return takt_host_timings_keep(&timings, diag, path);
}
