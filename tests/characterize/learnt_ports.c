/* SPDX-License-Identifier: MIT */
/*
 * What learning finds of ports, in the closed loop: the simulator plays a core in which some
 * instructions have other ports than in a known one, and the known core's rows are corrected from
 * the two surveys. A row is right if it has the played core's µops.
 *
 *     learnt-ports BASE STEP NOISE [seed=N] [whole]
 *
 * One form in STEP is taken, by its text, so that other forms do not change the choice; times are
 * longer by up to NOISE percent. One in OTHER_ONE_IN of the
 * forms with a single set of ports gets another set that the core has. With `whole`, the survey is
 * made a second time without leaving out experiments whose result could not be used: it must take
 * more of them, and lead to no better rows.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "characterize/survey/survey_write.h"
#include "unit/tap.h"

#define OTHER_ONE_IN 8
#define SETS_MAX 32
#define STEP_MAX 1000 /* a step divides it, or is no more than a tenth of it */
#define TAG "x"

static char directory[24];
static uint64_t seed = 1;

static const char *path_of(const char *name)
{
	static char paths[4][96];
	static unsigned next;
	char *path = paths[next++ % TAKT_COUNT_OF(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", directory, name);
	return path;
}

static FILE *open_file(const char *name)
{
	FILE *file = fopen(path_of(name), "w");

	if (!file)
		exit(1);
	return file;
}

/* ---- cores ---------------------------------------------------------------- */

struct sets {
	uint32_t ports[SETS_MAX];
	unsigned count;
};

/* Return the only set of ports that the form uses, all of them by one µop; 0 for other forms. */
static uint32_t only_set(const struct takt_model *model, const struct probe_form *form)
{
	struct takt_timing_storage storage;
	struct takt_timing timing;

	takt_model_timing(model, &form->insn, &storage, &timing);
	return timing.uops_count == 1 && timing.uops[0].count == 1 &&
			       !(timing.uops[0].ports & takt_model_pseudo_ports(model))
		       ? timing.uops[0].ports
		       : 0;
}

static void find_sets(const struct takt_model *model, const struct probe_forms *forms,
		      struct sets *ret_sets)
{
	for (size_t i = 0; i < forms->count; i++) {
		uint32_t ports = only_set(model, &forms->forms[i]);
		unsigned at = 0;

		while (at < ret_sets->count && ret_sets->ports[at] != ports)
			at++;
		if (ports && at == ret_sets->count && at < SETS_MAX)
			ret_sets->ports[ret_sets->count++] = ports;
	}
}

/* Write a core of the known one with the rows in `text`. */
static void write_core(const char *name, const char *base, const char *timing, const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "cores/%s.core", name);
	file = open_file(path);
	fprintf(file,
		"takt core 1\nname %s\ntitle a test's\nbase %s\ntiming %s\n"
		"source t estimated for a test\n",
		name, base, name);
	fclose(file);
	snprintf(path, sizeof(path), "timing/%s.timing", name);
	file = open_file(path);
	fprintf(file,
		"takt timing 1\nname %s\nbase %s\nsource %s estimated for a test\n"
		"default-source %s\n%s",
		name, timing, TAG, TAG, text);
	fclose(file);
}

/* Return a random number that depends on the text and the seed alone. */
static uint64_t number_of(const char *text)
{
	return takt_hash64(seed ^ takt_hash_bytes(text, strlen(text)));
}

/* Append rows of forms that get other ports, those of simple forms with registers only. */
static void change_rows(const struct takt_model *model, const struct probe_forms *forms,
			struct takt_text *text)
{
	struct sets sets = {.count = 0};
	struct takt_port_list ports;

	takt_model_ports(model, &ports);
	find_sets(model, forms, &sets);
	for (size_t i = 0; i < forms->count; i++) {
		const struct probe_form *form = &forms->forms[i];
		uint32_t other = only_set(model, form);
		uint64_t number = number_of(form->text) / STEP_MAX;
		struct takt_timing_storage storage;
		struct takt_timing timing;
		struct takt_uops uops;

		if (!other || form->insn.memory_count || number % OTHER_ONE_IN)
			continue;
		takt_model_timing(model, &form->insn, &storage, &timing);
		uops = timing.uops[0];
		uops.ports = sets.ports[(number >> 32) % sets.count];
		timing.uops = &uops;
		takt_timing_row_write(takt_probe_isa(form), form->sample.form, &timing, &ports, TAG,
				      text);
	}
}

/* ---- surveys -------------------------------------------------------------- */

static void count_experiments(void *context, const struct probe_row *row)
{
	uint64_t *sum = context;

	*sum += row->experiments;
}

/* Forms by name, sorted. */
struct names {
	const char **list;
	size_t count;
};

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void choose_forms(const struct probe_forms *forms, size_t step, struct takt_arena *arena,
			 struct names *ret_names)
{
	ret_names->list = TAKT_NEW_ARRAY(arena, forms->count, const char *);
	ret_names->count = 0;
	for (size_t i = 0; i < forms->count; i++)
		if (number_of(forms->forms[i].text) % STEP_MAX % step == 0)
			ret_names->list[ret_names->count++] = forms->forms[i].text;
	qsort(ret_names->list, ret_names->count, sizeof(*ret_names->list), by_text);
}

static uint64_t survey(const char *name, const struct takt_model *played,
		       const struct takt_model *known, const struct names *names, double noise,
		       bool whole)
{
	const struct takt_lab_options lab_options = {.played = played,
						     .time_only = true,
						     .classes = true,
						     .without_variants = true,
						     .noise = known ? noise : 0,
						     .seed = seed};
	char path[96];
	const struct takt_survey_options options = {.path = path,
						    .names = names->list,
						    .name_count = names->count,
						    .plain = true,
						    .expected = known ? path_of("known") : NULL,
						    .expected_of = whole ? NULL : known,
						    .certain_only = !whole};
	struct probe_store *store;
	struct takt_lab *lab;
	uint64_t experiments = 0;

	strcpy(path, path_of(name));
	unlink(path);
	is_int(takt_lab_open(&lab_options, NULL, &lab), TAKT_OK, "a lab");
	is_int(takt_survey(lab, &options, NULL), TAKT_OK, name);
	takt_lab_close(lab);
	is_int(takt_probe_store_open(path, false, NULL, &store), TAKT_OK, "its results");
	is_int(takt_probe_store_each(store, count_experiments, &experiments, NULL), TAKT_OK,
	       "its experiments");
	takt_probe_store_close(store);
	return experiments;
}

/* ---- rows ----------------------------------------------------------------- */

struct tally {
	const struct takt_model *played, *known, *learnt;
	const struct probe_forms *forms;
	unsigned forms_compared, changed, found, missed, wrong, spoiled;
};

static int uops_of(const struct takt_model *model, const struct probe_form *form,
		   struct takt_uops uops[PROBE_UOPS_MAX])
{
	struct takt_timing_storage storage;
	struct takt_timing timing;
	struct takt_port_list ports;
	unsigned total;

	takt_model_ports(model, &ports);
	takt_model_timing(model, &form->insn, &storage, &timing);
	return takt_probe_uops_merge(&ports, timing.uops, timing.uops_count, uops, &total);
}

static void judge_row(void *context, const struct probe_row *row)
{
	struct tally *tally = context;
	const struct probe_form *form = takt_probe_form_named(tally->forms, row->form);
	struct takt_uops played[PROBE_UOPS_MAX], known[PROBE_UOPS_MAX], learnt[PROBE_UOPS_MAX];
	int of_played, of_known, of_learnt;
	bool is_changed, is_right, is_kept;

	if (!form || *row->reason)
		return;
	of_played = uops_of(tally->played, form, played);
	of_known = uops_of(tally->known, form, known);
	of_learnt = uops_of(tally->learnt, form, learnt);
	is_changed = !takt_probe_uops_same(played, of_played, known, of_known);
	is_right = takt_probe_uops_same(played, of_played, learnt, of_learnt);
	is_kept = takt_probe_uops_same(known, of_known, learnt, of_learnt);
	tally->forms_compared++;
	tally->changed += is_changed;
	tally->found += is_changed && is_right;
	tally->missed += is_changed && !is_right && is_kept;
	tally->wrong += is_changed && !is_right && !is_kept;
	tally->spoiled += !is_changed && !is_right;
	if (!is_right && !is_kept)
		printf("# wrong: %s, inferred %s%s%s\n", row->form, row->ports,
		       *row->doubt ? ", in doubt: " : "", row->doubt);
}

/* Correct the known core by the survey of the played one, and judge all rows of forms in it. */
static void judge(const char *base, const char *timing, const char *name, struct tally *tally)
{
	struct takt_survey_correction correction = {0};
	struct takt_text text = {0};
	struct takt_model *learnt;
	struct probe_store *store;
	char measured[96];

	strcpy(measured, path_of(name));
	is_int(takt_survey_correct(
		       &(struct takt_survey_pair){measured, path_of("known"), tally->known, TAG},
		       NULL, &text, &correction),
	       TAKT_OK, "a correction");
	write_core("learnt", base, timing, takt_text_data(&text));
	takt_text_release(&text);
	if (takt_model_open("learnt", directory, NULL, &learnt) != TAKT_OK ||
	    takt_probe_store_open(measured, false, NULL, &store) != TAKT_OK)
		exit(1);
	tally->learnt = learnt;
	is_int(takt_probe_store_each(store, judge_row, tally, NULL), TAKT_OK, "its rows");
	takt_probe_store_close(store);
	takt_model_close(learnt);
	printf("# %s: %u forms, %u with other ports: %u found, %u missed, %u wrong; %u others "
	       "spoiled; %zu rows by mixes, %zu by throughput\n",
	       name, tally->forms_compared, tally->changed, tally->found, tally->missed,
	       tally->wrong, tally->spoiled, correction.ports, correction.throughputs);
}

/* --------------------------------------------------------------------------- */

static void remove_all(void)
{
	static const char *const names[] = {"cores/played.core",
					    "timing/played.timing",
					    "cores/learnt.core",
					    "timing/learnt.timing",
					    "known",
					    "whole",
					    "short"};

	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++)
		unlink(path_of(names[i]));
	rmdir(path_of("cores"));
	rmdir(path_of("timing"));
	rmdir(directory);
}

static void make_directory(void)
{
	strcpy(directory, "/tmp/takt-learnt-XXXXXX");
	if (!mkdtemp(directory) || mkdir(path_of("cores"), 0700) != 0 ||
	    mkdir(path_of("timing"), 0700) != 0)
		exit(1);
}

static void test_core(const char *base, size_t step, double noise, bool whole)
{
	struct tally cut = {0}, all = {0};
	struct takt_model *known, *played;
	struct takt_arena arena = {0};
	struct takt_text text = {0};
	struct probe_forms forms;
	struct names names;
	uint64_t cut_runs, all_runs;
	const char *timing;

	make_directory();
	if (takt_model_open(base, NULL, NULL, &known) != TAKT_OK)
		exit(1);
	timing = takt_model_timing_name(known);
	takt_probe_isa_forms_find(takt_model_isa(known), &arena, &forms);
	choose_forms(&forms, step, &arena, &names);
	change_rows(known, &forms, &text);
	write_core("played", base, timing, takt_text_data(&text));
	if (takt_model_open("played", directory, NULL, &played) != TAKT_OK)
		exit(1);
	survey("known", known, NULL, &names, noise, false);
	cut_runs = survey("short", played, known, &names, noise, false);
	cut.played = all.played = played;
	cut.known = all.known = known;
	cut.forms = all.forms = &forms;
	judge(base, timing, "short", &cut);
	printf("# %llu experiments\n", (unsigned long long)cut_runs);
	ok(cut.found > 0, "%u of %u rows are found", cut.found, cut.changed);
	if (whole) {
		all_runs = survey("whole", played, known, &names, noise, true);
		judge(base, timing, "whole", &all);
		printf("# %llu experiments\n", (unsigned long long)all_runs);
		ok(cut_runs < all_runs, "fewer experiments");
		ok(cut.wrong <= all.wrong && cut.spoiled <= all.spoiled, "no more wrong rows");
		ok(cut.found >= all.found, "no fewer rows found");
	}
	takt_text_release(&text);
	takt_arena_release(&arena);
	takt_model_close(played);
	takt_model_close(known);
	remove_all();
}

int main(int argc, char **argv)
{
	bool whole = false;

	if (argc < 4)
		return EXIT_FAILURE;
	for (int i = 4; i < argc; i++) {
		whole |= strcmp(argv[i], "whole") == 0;
		if (strncmp(argv[i], "seed=", 5) == 0)
			seed = strtoull(argv[i] + 5, NULL, 10);
	}
	test_core(argv[1], strtoul(argv[2], NULL, 10), strtod(argv[3], NULL) / 100, whole);
	return tap_done();
}
