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

static enum takt_status measure_all(struct identifying *work)
{
	const struct takt_measure_options options = {.rounds = ROUNDS, .batches = BATCHES};
	struct takt_measurer *measurer;
	enum takt_status status = takt_measurer_open(&options, work->diag, &measurer);

	if (status != TAKT_OK)
		return status;
	for (size_t i = 0; i < work->code_count; i++)
		work->cycles[i] = measure(measurer, &work->codes[i]);
	takt_measurer_close(measurer);
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
	return (a->distance > b->distance) - (a->distance < b->distance);
}

/*
 * Of cores that are as near as the nearest, such as those that share a model, put the expected one
 * first: the one that is played, or that the processor says it has.
 */
static void prefer_expected(const struct identifying *work, struct takt_identify_core *cores,
			    uint32_t count)
{
	const char *expected = "";
	struct takt_model *host = NULL;
	struct takt_diag *diag = takt_diag_new(); /* doubts about the host are no errors here */

	if (work->options->played)
		expected = takt_model_name(work->options->played);
	else if (takt_model_open("host", work->options->model_dir, diag, &host) == TAKT_OK)
		expected = takt_model_recognition(host)->claimed;
	for (uint32_t i = 1; i < count && !*cores[i].contradiction; i++) {
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

/* Compare all known cores of the instruction set. */
static enum takt_status compare_all(const struct identifying *work, const char *isa,
				    struct takt_identification *result)
{
	size_t most = takt_model_builtin_count();
	struct takt_identify_core *cores =
		TAKT_NEW_ARRAY(work->arena, most, struct takt_identify_core);

	result->cores = cores;
	for (size_t i = 0; i < most; i++) {
		struct takt_identify_core *core = &cores[result->core_count];
		struct takt_text contradiction = {0};
		struct takt_model *model;
		enum takt_status status = takt_model_open(
			takt_model_builtin_name(i), work->options->model_dir, work->diag, &model);

		if (status != TAKT_OK)
			return status;
		if (strcmp(takt_model_isa_name(model), isa) == 0) {
			if (!work->options->played)
				takt_model_write_contradiction(model, &contradiction);
			*core = (struct takt_identify_core){
				.name = takt_arena_printf(work->arena, "%s",
							  takt_model_name(model)),
				.title = takt_arena_printf(work->arena, "%s",
							   takt_model_title(model)),
				.distance = compare(work, model, NULL),
				.contradiction = takt_arena_printf(work->arena, "%s",
								   takt_text_data(&contradiction))};
			result->core_count++;
		}
		takt_text_release(&contradiction);
		takt_model_close(model);
	}
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

static const char *host_isa(void)
{
#if defined(__aarch64__)
	return "aarch64";
#else
	return "x86-64";
#endif
}

static enum takt_status identify(struct identifying *work, const char *isa,
				 struct takt_identification *result)
{
	double start = takt_now_seconds();
	enum takt_status status = TAKT_OK;

	work->codes = identify_codes(isa, &work->code_count);
	work->cycles = TAKT_NEW_ARRAY(work->arena, work->code_count + 1, double);
	if (work->options->played)
		play(work);
	else
		status = measure_all(work);
	if (status != TAKT_OK)
		return status;
	if (!work->options->played)
		result->seconds = takt_now_seconds() - start;
	for (size_t i = 0; i < work->code_count; i++)
		result->measured_count += work->cycles[i] > 0;
	if (result->measured_count < PROBES_LEAST) {
		takt_error(work->diag,
			   "only %u of %zu timings could be taken, at least %u are needed",
			   result->measured_count, work->code_count, PROBES_LEAST);
		takt_note(work->diag, "try again when the machine is less busy");
		return TAKT_UNAVAILABLE;
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

	takt_arena_init(&own->arena);
	status = identify(&work, played ? takt_model_isa_name(played) : host_isa(), &own->result);
	if (played)
		takt_text_printf(&processor, "the simulator, playing %s", takt_model_name(played));
	else
		takt_model_write_processor(&processor);
	own->result.processor = takt_arena_printf(&own->arena, "%s", takt_text_data(&processor));
	takt_text_release(&processor);
	if (status != TAKT_OK)
		takt_identification_free(&own->result);
	else
		*ret_result = &own->result;
	return status;
}

void takt_identification_free(struct takt_identification *result)
{
	struct identification *own = (struct identification *)result;

	if (!own)
		return;
	takt_arena_release(&own->arena);
	free(own);
}

enum takt_status takt_identification_keep(const struct takt_identification *result,
					  struct takt_diag *diag, struct takt_text *path)
{
	const struct takt_identify_core *next = result->core_count > 1 ? &result->cores[1] : NULL;
	const struct takt_host_timings timings = {.core = result->cores[0].name,
						  .distance = result->cores[0].distance,
						  .next = next ? next->name : "",
						  .next_distance = next ? next->distance : 0,
						  .count = result->measured_count};

	return takt_host_timings_keep(&timings, diag, path);
}
