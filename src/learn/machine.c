/* SPDX-License-Identifier: MIT */
/* Machines whose core is learnt: this host, or the simulator playing a core, with noise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/program.h"
#include "measure/measure.h"

#define ROUNDS 5u
#define ATTEMPTS 4u /* of a timing that other load disturbs */
#define ALIGNMENTS 4u
#define ALIGNMENT_BYTES (64u / ALIGNMENTS)
/* A disturbed round of the simulator takes longer by up to this part. */
#define DISTURBANCE_MAX 0.2

/* ---- the simulator ------------------------------------------------------------- */

struct played_machine {
	struct learn_machine machine;
	struct takt_text name;
	struct learn_player *player;
	double noise, disturbed;
	uint64_t seed;
};

/* Return a random number between 0 and 1, neither included. */
static double random_part(uint64_t *state)
{
	*state = takt_hash64(*state + 1);
	return ((double)(*state >> 11) + 0.5) / (double)(UINT64_C(1) << 53);
}

/* Return a normally distributed random number (Box, Muller 1958). */
static double random_normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(random_part(state)));

	return radius * cos(2 * 3.14159265358979323846 * random_part(state));
}

/* Make a timing of a machine's rounds out of the simulated cycles, with noise. */
static void disturb(const struct played_machine *played, double cycles, uint64_t key,
		    struct learn_timing *ret_timing)
{
	double rounds[ROUNDS];
	uint64_t state = takt_hash64(played->seed) ^ key;

	*ret_timing = (struct learn_timing){.cycles = NAN, .outcome = LEARN_FAILED};
	if (!(cycles > 0))
		return;
	for (unsigned i = 0; i < ROUNDS; i++) {
		rounds[i] = cycles * (1 + played->noise * random_normal(&state));
		if (random_part(&state) < played->disturbed)
			rounds[i] *= 1 + DISTURBANCE_MAX * random_part(&state);
	}
	takt_sort_doubles(rounds, ROUNDS);
	*ret_timing = (struct learn_timing){.cycles = rounds[ROUNDS / 2],
					    .spread = (rounds[3] - rounds[1]) / rounds[2],
					    .outcome = LEARN_GOOD};
}

static void play(struct learn_machine *machine, const struct learn_code *code,
		 const struct learn_layout *layout, uint64_t key, struct learn_timing *ret_timing)
{
	struct played_machine *played = (struct played_machine *)machine;

	disturb(played, learn_player_time(played->player, code, layout), key, ret_timing);
}

static void play_program(struct learn_machine *machine, const struct learn_program *program,
			 uint64_t key, struct learn_timing *ret_timing)
{
	struct played_machine *played = (struct played_machine *)machine;

	disturb(played, learn_player_run(played->player, program), key, ret_timing);
}

static void close_played(struct learn_machine *machine)
{
	struct played_machine *played = (struct played_machine *)machine;

	learn_player_free(played->player);
	takt_text_release(&played->name);
	free(played);
}

static struct learn_machine *open_played(const struct takt_learn_options *options)
{
	struct played_machine *played = takt_xcalloc(1, sizeof(*played));

	takt_text_printf(&played->name,
			 "the simulator, playing %s, noise %g, disturbed %g, seed %llu",
			 takt_model_name(options->played), options->noise, options->disturbed,
			 (unsigned long long)options->seed);
	played->machine = (struct learn_machine){.name = takt_text_data(&played->name),
						 .isa = takt_model_isa_name(options->played),
						 .time = play,
						 .run = play_program,
						 .close = close_played};
	played->player = learn_player_new(options->played);
	played->noise = options->noise;
	played->disturbed = options->disturbed;
	played->seed = options->seed;
	return &played->machine;
}

/* ---- this host -------------------------------------------------------------------- */

struct host_machine {
	struct learn_machine machine;
	struct takt_measurer *measurers[2][ALIGNMENTS]; /* NULL: not opened yet */
};

/* Return the measurer for a layout; NULL if it cannot be opened. */
static struct takt_measurer *measurer_for(struct host_machine *host,
					  const struct learn_layout *layout, struct takt_diag *diag)
{
	unsigned place = layout->alignment_bytes / ALIGNMENT_BYTES % ALIGNMENTS;
	struct takt_measurer **measurer = &host->measurers[layout->loop][place];
	const struct takt_measure_options options = {.mode = layout->loop ? TAKT_MODE_LOOP
									  : TAKT_MODE_UNROLL,
						     .alignment_bytes = layout->alignment_bytes,
						     .rounds = ROUNDS,
						     .batches = 1};

	if (!*measurer && takt_measurer_open(&options, diag, measurer) != TAKT_OK)
		*measurer = NULL;
	return *measurer;
}

static void measure(struct learn_machine *machine, const struct learn_code *code,
		    const struct learn_layout *layout, uint64_t key,
		    struct learn_timing *ret_timing)
{
	struct takt_measurer *measurer = measurer_for((struct host_machine *)machine, layout, NULL);
	struct takt_measurement measurement = {.cycles = NAN};

	(void)key;
	*ret_timing = (struct learn_timing){.cycles = NAN, .outcome = LEARN_FAILED};
	for (unsigned i = 0; measurer && i < ATTEMPTS; i++) {
		takt_measure(measurer, code->bytes, code->size_bytes, &measurement);
		if (measurement.status != TAKT_MEASURE_DISTURBED)
			break;
	}
	if (!measurer || !(measurement.cycles > 0) || measurement.status == TAKT_MEASURE_DENORMAL)
		return;
	*ret_timing = (struct learn_timing){.cycles = measurement.cycles,
					    .spread = measurement.spread,
					    .outcome = measurement.status == TAKT_MEASURE_DISTURBED
							       ? LEARN_DISTURBED
							       : LEARN_GOOD};
}

static void run_program(struct learn_machine *machine, const struct learn_program *program,
			uint64_t key, struct learn_timing *ret_timing)
{
	const struct learn_layout layout = {.loop = true};
	struct takt_measurer *measurer =
		measurer_for((struct host_machine *)machine, &layout, NULL);

	(void)key;
	*ret_timing = (struct learn_timing){.cycles = NAN, .outcome = LEARN_FAILED};
	if (measurer)
		learn_program_measure(measurer, program, ret_timing);
}

static void close_host(struct learn_machine *machine)
{
	struct host_machine *host = (struct host_machine *)machine;

	for (unsigned loop = 0; loop < 2; loop++)
		for (unsigned i = 0; i < ALIGNMENTS; i++)
			takt_measurer_close(host->measurers[loop][i]);
	free(host);
}

static enum takt_status open_host(struct takt_diag *diag, struct learn_machine **ret_machine)
{
	struct host_machine *host = takt_xcalloc(1, sizeof(*host));
	const struct learn_layout layout = {.loop = true};
	struct takt_measurer *measurer;

	host->machine = (struct learn_machine){
		.isa = TAKT_HOST_ISA, .time = measure, .run = run_program, .close = close_host};
	measurer = measurer_for(host, &layout, diag);
	if (!measurer) {
		close_host(&host->machine);
		return TAKT_UNAVAILABLE;
	}
	host->machine.name = takt_measurer_cpu(measurer);
	*ret_machine = &host->machine;
	return TAKT_OK;
}

/* True if there are experiments for the instruction set. */
static bool has_experiments(const char *isa)
{
	size_t count;
	const struct learn_experiment *experiments = learn_experiments(&count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(experiments[i].isa, isa) == 0)
			return true;
	return false;
}

enum takt_status learn_machine_open(const struct takt_learn_options *options,
				    struct takt_diag *diag, struct learn_machine **ret_machine)
{
	if (!options->played && has_experiments(TAKT_HOST_ISA))
		return open_host(diag, ret_machine);
	if (options->played && has_experiments(takt_model_isa_name(options->played))) {
		*ret_machine = open_played(options);
		return TAKT_OK;
	}
	takt_error(diag, "only cores of x86-64 and AArch64 can be learnt");
	takt_note(diag, "'sim:CORE' plays such a core anywhere");
	return TAKT_UNAVAILABLE;
}

void learn_machine_close(struct learn_machine *machine)
{
	if (machine)
		machine->close(machine);
}
