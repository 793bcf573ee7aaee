/* SPDX-License-Identifier: MIT */
/* A run: the nearest core, the journal, the parts that decide parameters, and the files. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "identify/identify.h"
#include "learn/learn.h"

struct learning {
	struct takt_learning result; /* first, since the user has a pointer to it */
	struct takt_arena arena;
};

static learn_part *const parts[] = {learn_structures, learn_fusing, learn_memory, learn_rows};

/* ---- services for the parts ------------------------------------------------------------- */

bool learn_step(struct learn *learn, const char *subject, size_t done, size_t total,
		const char *name)
{
	const struct takt_learn_progress progress = {.subject = subject,
						     .done = done,
						     .total = total,
						     .name = name,
						     .seconds = takt_now_seconds() -
								learn->start_seconds};

	if (learn->options->progress &&
	    !learn->options->progress(learn->options->context, &progress))
		learn->ended = true;
	return !learn->ended;
}

void learn_time(struct learn *learn, const char *experiment, int32_t size,
		const struct learn_code *code, const struct learn_layout *layout,
		struct learn_timing *ret_timing)
{
	uint64_t key = takt_hash_bytes(code->bytes, code->size_bytes) ^
		       takt_hash64(layout->alignment_bytes << 1 | layout->loop);

	learn->timing_count++;
	if (learn_journal_find(learn->journal, key, ret_timing)) {
		learn->resumed_count++;
	} else {
		learn->machine->time(learn->machine, code, layout, key, ret_timing);
		learn_journal_add(learn->journal, key, experiment, size, ret_timing);
	}
	learn->disturbed_count += ret_timing->outcome == LEARN_DISTURBED;
	learn->failed_count += ret_timing->outcome == LEARN_FAILED;
}

void learn_run(struct learn *learn, const struct learn_experiment *experiment, int32_t size,
	       const struct learn_program *program, struct learn_timing *ret_timing)
{
	uint64_t key = takt_hash_bytes(experiment->text, strlen(experiment->text)) ^
		       takt_hash64((uint64_t)(uint32_t)size << 1 | 1);

	learn->timing_count++;
	if (learn_journal_find(learn->journal, key, ret_timing)) {
		learn->resumed_count++;
	} else {
		learn->machine->run(learn->machine, program, key, ret_timing);
		learn_journal_add(learn->journal, key, experiment->name, size, ret_timing);
	}
	learn->disturbed_count += ret_timing->outcome == LEARN_DISTURBED;
	learn->failed_count += ret_timing->outcome == LEARN_FAILED;
}

void learn_add_result(struct learn *learn, const struct takt_learnt_parameter *result)
{
	for (uint32_t i = 0; i < learn->parameter_count; i++)
		if (strcmp(learn->parameters[i].name, result->name) == 0) {
			learn->parameters[i] = *result;
			return;
		}
	TAKT_GROW_IN(learn->arena, learn->parameters, learn->parameter_count + 1,
		     learn->parameter_capacity);
	learn->parameters[learn->parameter_count++] = *result;
}

bool learn_has_word(const char *list, const char *word, size_t size)
{
	for (const char *at = list; *at;) {
		size_t length = strcspn(at, ", ");

		if (length == size && memcmp(at, word, size) == 0)
			return true;
		at += length;
		at += strspn(at, ", ");
	}
	return false;
}

/* ---- beginning ------------------------------------------------------------------------ */

static enum takt_status make_directory(const char *path, struct takt_diag *diag)
{
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return TAKT_OK;
	takt_error(diag, "cannot make the directory '%s': %s", path, strerror(errno));
	return TAKT_BAD_INPUT;
}

static enum takt_status make_directories(struct learn *learn)
{
	const char *directory = learn->options->directory;
	const char *const paths[] = {directory,
				     takt_arena_printf(learn->arena, "%s/cores", directory),
				     takt_arena_printf(learn->arena, "%s/timing", directory)};
	enum takt_status status = TAKT_OK;

	for (size_t i = 0; i < TAKT_COUNT_OF(paths) && status == TAKT_OK; i++)
		status = make_directory(paths[i], learn->diag);
	return status;
}

/* Find the nearest known core by its fingerprint; return its name, from the arena. */
static enum takt_status find_nearest(struct learn *learn, const char **ret_name,
				     double *ret_distance)
{
	const struct takt_learn_options *options = learn->options;
	const struct takt_identify_options identify = {.model_dir = options->model_dir,
						       .played = options->played,
						       .noise = options->noise,
						       .seed = options->seed};
	struct takt_identification *found;
	enum takt_status status;

	*ret_name = options->from;
	*ret_distance = NAN;
	if (options->from)
		return TAKT_OK;
	status = takt_identify(&identify, learn->diag, &found);
	if (status != TAKT_OK)
		return status;
	if (*found->obstacle) { /* it has been reported */
		takt_identification_free(found);
		return TAKT_UNAVAILABLE;
	}
	*ret_name = takt_arena_printf(learn->arena, "%s", found->cores[0].name);
	*ret_distance = found->cores[0].distance;
	takt_identification_free(found);
	return TAKT_OK;
}

static enum takt_status open_nearest(struct learn *learn, double *ret_distance)
{
	const char *name;
	enum takt_status status = find_nearest(learn, &name, ret_distance);

	if (status != TAKT_OK)
		return status;
	status = takt_model_open(name, learn->options->model_dir, learn->diag, &learn->nearest);
	if (status != TAKT_OK)
		return status;
	if (strcmp(takt_model_isa_name(learn->nearest), learn->machine->isa) != 0) {
		takt_error(learn->diag, "the core '%s' does not have the machine's instruction set",
			   name);
		takt_note(learn->diag, "the machine's is %s", learn->machine->isa);
		return TAKT_BAD_INPUT;
	}
	learn_core_init(&learn->core, learn->nearest);
	return TAKT_OK;
}

/* Check that a name can be a core's and a file's. */
static enum takt_status check_name(const char *name, struct takt_diag *diag)
{
	const struct takt_word word = {name, strlen(name)};

	if (takt_word_is_name(word, "-_+.") && *name != '.' && *name != '-')
		return TAKT_OK;
	takt_error(diag, "'%s' cannot be the name of a core", name);
	takt_note(diag, "a name has letters, digits and '-', '_', '+', '.'");
	return TAKT_BAD_INPUT;
}

static enum takt_status begin(struct learn *learn, double *ret_distance)
{
	size_t experiment_count;
	enum takt_status status = make_directories(learn);

	learn_experiments(&experiment_count);
	learn->series = TAKT_NEW_ARRAY(learn->arena, experiment_count, struct learn_series);
	if (status == TAKT_OK)
		status = learn_machine_open(learn->options, learn->diag, &learn->machine);
	if (status == TAKT_OK)
		status = open_nearest(learn, ret_distance);
	if (status == TAKT_OK)
		status = learn_journal_open(takt_arena_printf(learn->arena, "%s/learn.journal",
							      learn->options->directory),
					    learn->machine->name, learn->diag, &learn->journal);
	return status;
}

/* ---- ending ---------------------------------------------------------------------------- */

static void fill_result(const struct learn *learn, struct takt_learning *result)
{
	result->machine = takt_arena_printf(learn->arena, "%s", learn->machine->name);
	result->nearest = takt_arena_printf(learn->arena, "%s", takt_model_name(learn->nearest));
	for (uint32_t i = 0; i < learn->parameter_count; i++)
		learn->parameters[i].name =
			takt_arena_printf(learn->arena, "%s", learn->parameters[i].name);
	result->parameters = learn->parameters;
	result->parameter_count = learn->parameter_count;
	result->pairs = learn->pairs;
	result->pair_count = learn->pair_count;
	result->experiments = learn->compared;
	result->experiment_count = learn->compared_count;
	result->forms_checked = (uint32_t)learn->forms.compared;
	result->forms_agreeing = (uint32_t)learn->forms.agreeing;
	result->forms_corrected = (uint32_t)learn->forms.corrected;
	result->timing_count = learn->timing_count;
	result->resumed_count = learn->resumed_count;
	result->disturbed_count = learn->disturbed_count;
	result->failed_count = learn->failed_count;
	result->seconds = takt_now_seconds() - learn->start_seconds;
}

static enum takt_status install(struct learn *learn, struct takt_learning *result)
{
	struct takt_text path = {0};
	enum takt_status status =
		takt_learnt_install(learn->options->directory, result->name, learn->diag, &path);

	if (status == TAKT_OK)
		result->installed_path =
			takt_arena_printf(learn->arena, "%s", takt_text_data(&path));
	takt_text_release(&path);
	return status;
}

static enum takt_status run(struct learn *learn, struct takt_learning *result)
{
	enum takt_status status = begin(learn, &result->distance);

	for (size_t i = 0; status == TAKT_OK && i < TAKT_COUNT_OF(parts) && !learn->ended; i++)
		status = parts[i](learn);
	if (status == TAKT_OK && !learn->ended)
		status = learn_write_model(learn, result->name, result->core_path,
					   result->timing_path, result->experiments_path);
	if (status == TAKT_OK)
		fill_result(learn, result);
	if (status == TAKT_OK && !learn->ended && learn->options->install)
		status = install(learn, result);
	if (!learn_journal_close(learn->journal, learn->diag) && status == TAKT_OK)
		status = TAKT_BAD_INPUT;
	takt_model_close(learn->nearest);
	learn_machine_close(learn->machine);
	return status;
}

enum takt_status takt_learn(const struct takt_learn_options *options, struct takt_diag *diag,
			    struct takt_learning **ret_learning)
{
	struct learning *own = takt_xcalloc(1, sizeof(*own));
	const char *name = options->name ? options->name : "learnt";
	struct learn learn = {.options = options,
			      .diag = diag,
			      .arena = &own->arena,
			      .start_seconds = takt_now_seconds()};
	enum takt_status status = check_name(name, diag);

	own->result.name = takt_arena_printf(&own->arena, "%s", name);
	own->result.core_path =
		takt_arena_printf(&own->arena, "%s/cores/%s.core", options->directory, name);
	own->result.timing_path =
		takt_arena_printf(&own->arena, "%s/timing/%s.timing", options->directory, name);
	own->result.experiments_path =
		takt_arena_printf(&own->arena, "%s/experiments.csv", options->directory);
	if (status == TAKT_OK)
		status = learn_check_only(options->only, diag);
	if (status == TAKT_OK)
		status = run(&learn, &own->result);
	if (status == TAKT_OK && !learn.ended) {
		*ret_learning = &own->result;
		return TAKT_OK;
	}
	if (status == TAKT_OK)
		*ret_learning = NULL;
	takt_learning_free(&own->result);
	return status;
}

void takt_learning_free(struct takt_learning *learning)
{
	TAKT_FREE_OWNER(struct learning, learning);
}
