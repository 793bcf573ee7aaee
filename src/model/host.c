/* SPDX-License-Identifier: MIT */
/* Recognizes this machine's core by family and model, or by features if those contradict. */
#include <stdlib.h>
#include <string.h>

#include "model/host.h"

#define NAMED_MAX 4 /* most features that a reason names one by one */

/* ---- candidates --------------------------------------------------------------- */

static size_t set_count(void)
{
	size_t count = takt_isa_set_count(), room = (size_t)TAKT_IMAGE_ISA_WORDS * 64;

	return count < room ? count : room;
}

static void set_features(struct takt_host_candidate *candidate, const uint64_t *isa_sets)
{
	candidate->features = takt_cpu_features_of(isa_sets, set_count());
	for (size_t i = 0; i < TAKT_IMAGE_ISA_WORDS; i++)
		candidate->features_known |= isa_sets[i] != 0;
}

static struct takt_host_candidate from_image(const struct takt_image *image,
					     const struct takt_image_core *core)
{
	struct takt_host_candidate candidate = {
		.name = takt_image_string(image, core->name),
		.vendor = takt_image_string(image, core->vendor),
		.l1i_kb = (uint32_t)core->params[TAKT_PARAM_l1i_kb],
		.l1d_kb = (uint32_t)core->params[TAKT_PARAM_l1d_kb],
		.l2_kb = (uint32_t)core->params[TAKT_PARAM_l2_kb],
	};

	candidate.analogy = "";
	if ((uint64_t)core->cpuid_index + core->cpuid_count <= image->cpuids_count) {
		candidate.image = image;
		candidate.cpuids = image->cpuids + core->cpuid_index;
		candidate.cpuid_count = core->cpuid_count;
	}
	set_features(&candidate, core->isa_sets);
	return candidate;
}

/* Make a candidate of a directory's core. Fields that it inherits are treated as not known. */
static struct takt_host_candidate from_draft(const struct takt_core_draft *core)
{
	struct takt_host_candidate candidate = {
		.name = core->name,
		.vendor = core->vendor,
		.cpuids = core->cpuids,
		.cpuid_count = core->cpuid_count,
		.analogies = core->cpuid_analogies,
		.analogy = "",
	};

	if (core->isa_sets_given)
		set_features(&candidate, core->isa_sets);
	return candidate;
}

/* List the cores for processors of the cpu's kind: the directory's, then the built-in ones. */
static size_t find_candidates(struct takt_loader *loader, const struct takt_cpu *cpu,
			      struct takt_host_candidate **ret_candidates)
{
	const struct takt_image *image = loader->builtin;
	size_t most = loader->core_count + (image ? image->cores_count : 0), count = 0;
	struct takt_host_candidate *list =
		TAKT_NEW_ARRAY(loader->arena, most + 1, struct takt_host_candidate);

	for (size_t i = 0; i < loader->core_count; i++)
		list[count++] = from_draft(loader->cores[i]);
	for (uint32_t i = 0; image && i < image->cores_count; i++) {
		const char *isa = takt_image_string(image, image->cores[i].isa);

		if ((strcmp(isa, "aarch64") == 0) == (*cpu->vendor == 0))
			list[count++] = from_image(image, &image->cores[i]);
	}
	*ret_candidates = list;
	return count;
}

/* ---- judgement ------------------------------------------------------------------ */

static struct takt_cpu_features without(const struct takt_cpu_features *left,
					const struct takt_cpu_features *right)
{
	struct takt_cpu_features result;

	for (size_t i = 0; i < TAKT_CPU_FEATURE_WORDS; i++)
		result.words[i] = left->words[i] & ~right->words[i];
	return result;
}

static bool has(const struct takt_cpu_features *set, size_t feature)
{
	return set->words[feature / 64] >> feature % 64 & 1;
}

static struct takt_cpu_features kept_of(const struct takt_cpu_features *set)
{
	struct takt_cpu_features result = *set;

	for (size_t i = 0; i < takt_cpu_feature_count(); i++)
		if (!takt_cpu_feature_kept(i))
			result.words[i / 64] &= ~((uint64_t)1 << i % 64);
	return result;
}

static unsigned count_of(const struct takt_cpu_features *set)
{
	unsigned count = 0;

	for (size_t i = 0; i < TAKT_CPU_FEATURE_WORDS; i++)
		count += (unsigned)__builtin_popcountll(set->words[i]);
	return count;
}

/* Find the cpuid line of the candidate that the processor's family and model are in; or NULL. */
static const struct takt_image_cpuid *find_claim(const struct takt_cpu *cpu,
						 const struct takt_host_candidate *candidate)
{
	for (size_t i = 0; i < candidate->cpuid_count; i++) {
		const struct takt_image_cpuid *cpuid = &candidate->cpuids[i];

		if (cpu->family == cpuid->family && cpu->model >= cpuid->model_first &&
		    cpu->model <= cpuid->model_last && cpu->stepping >= cpuid->stepping_first &&
		    cpu->stepping <= cpuid->stepping_last)
			return cpuid;
	}
	return NULL;
}

static const char *analogy_of(const struct takt_host_candidate *candidate,
			      const struct takt_image_cpuid *claim)
{
	const char *own =
		candidate->analogies ? candidate->analogies[claim - candidate->cpuids] : NULL;

	if (candidate->image)
		return takt_image_string(candidate->image, claim->analogy);
	return own ? own : "";
}

/* Compare the candidate with what the processor says of itself. */
static void judge(const struct takt_cpu *cpu, struct takt_host_candidate *candidate)
{
	const struct takt_image_cpuid *claim;

	candidate->is_same_vendor =
		!*cpu->vendor || (candidate->vendor && strcmp(candidate->vendor, cpu->vendor) == 0);
	claim = candidate->is_same_vendor ? find_claim(cpu, candidate) : NULL;
	candidate->is_claimed = claim != NULL;
	if (claim)
		candidate->analogy = analogy_of(candidate, claim);
	if (!candidate->features_known)
		return;
	candidate->lacking = without(&cpu->features, &candidate->features);
	candidate->missing = without(&candidate->features, &cpu->features);
	/* Hypervisors that make up a cache size make it small, so a large one is the machine's. */
	candidate->has_smaller_l1d = candidate->l1d_kb && cpu->l1d_kb > candidate->l1d_kb;
}

static unsigned kept_missing(const struct takt_host_candidate *candidate)
{
	struct takt_cpu_features kept = kept_of(&candidate->missing);

	return count_of(&kept);
}

/* True if the judgement proves that the processor does not have this core. */
static bool is_ruled_out(const struct takt_host_candidate *candidate)
{
	return count_of(&candidate->lacking) || candidate->has_smaller_l1d ||
	       kept_missing(candidate);
}

/* ---- the nearest ------------------------------------------------------------------ */

static bool has_state(const struct takt_cpu *cpu, uint32_t state)
{
	for (size_t i = 0; i < takt_cpu_feature_count(); i++)
		if (has(&cpu->features, i) && takt_cpu_feature_state(i) == state)
			return true;
	return false;
}

/*
 * Count the reasons for missing features: a system that hides registers hides all features that
 * use them, which is one reason.
 */
static unsigned count_missing(const struct takt_cpu *cpu,
			      const struct takt_host_candidate *candidate)
{
	uint32_t hidden[4];
	unsigned hidden_count = 0, count = 0;

	for (size_t i = 0; i < takt_cpu_feature_count(); i++) {
		uint32_t state = takt_cpu_feature_state(i);
		unsigned known = 0;

		if (!has(&candidate->missing, i))
			continue;
		if (!state || has_state(cpu, state)) {
			count++;
			continue;
		}
		while (known < hidden_count && hidden[known] != state)
			known++;
		if (known == hidden_count && hidden_count < TAKT_COUNT_OF(hidden))
			hidden[hidden_count++] = state;
	}
	return count + hidden_count;
}

static unsigned cache_differences(const struct takt_cpu *cpu,
				  const struct takt_host_candidate *candidate)
{
	return (unsigned)(cpu->l1i_kb && cpu->l1i_kb != candidate->l1i_kb) +
	       (unsigned)(cpu->l1d_kb && cpu->l1d_kb != candidate->l1d_kb) +
	       (unsigned)(cpu->l2_kb && cpu->l2_kb != candidate->l2_kb);
}

/* True if `left` is nearer than `right`, comparing strong evidence first and weak evidence last. */
static bool is_nearer(const struct takt_cpu *cpu, const struct takt_host_candidate *left,
		      const struct takt_host_candidate *right)
{
	const unsigned weights[][2] = {
		{count_of(&left->lacking), count_of(&right->lacking)},
		{left->has_smaller_l1d, right->has_smaller_l1d},
		{kept_missing(left), kept_missing(right)},
		{!left->is_same_vendor, !right->is_same_vendor},
		{count_missing(cpu, left), count_missing(cpu, right)},
		{cache_differences(cpu, left), cache_differences(cpu, right)},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(weights); i++)
		if (weights[i][0] != weights[i][1])
			return weights[i][0] < weights[i][1];
	return false;
}

static const struct takt_host_candidate *
find_nearest(const struct takt_cpu *cpu, const struct takt_host_candidate *list, size_t count)
{
	const struct takt_host_candidate *nearest = NULL;

	for (size_t i = 0; i < count; i++)
		if (list[i].features_known && (!nearest || is_nearer(cpu, &list[i], nearest)))
			nearest = &list[i];
	return nearest;
}

/* ---- words ---------------------------------------------------------------------- */

/* Write a list of features such as "gfni, sha, vaes and 2 more". */
static void write_features(const struct takt_cpu_features *set, struct takt_text *text)
{
	unsigned total = count_of(set), shown = total > NAMED_MAX ? NAMED_MAX - 1 : total, done = 0;

	/* Later features tell more, because the table begins with those of every processor. */
	for (size_t i = takt_cpu_feature_count(); i-- > 0 && done < shown;) {
		if (!has(set, i))
			continue;
		if (done)
			takt_text_add_string(text, done + 1 == total ? " and " : ", ");
		takt_cpu_feature_write(i, text);
		done++;
	}
	if (total > shown)
		takt_text_printf(text, " and %u more", total - shown);
}

static void write_contradiction(const struct takt_cpu *cpu,
				const struct takt_host_candidate *claimed, struct takt_text *text)
{
	struct takt_cpu_features kept = kept_of(&claimed->missing);

	if (count_of(&claimed->lacking)) {
		takt_text_add_string(text, "the processor has ");
		write_features(&claimed->lacking, text);
		takt_text_printf(text, ", which %s lacks", claimed->name);
	} else if (claimed->has_smaller_l1d) {
		takt_text_printf(text, "its first-level data cache has %u KB, that of %s %u KB",
				 cpu->l1d_kb, claimed->name, claimed->l1d_kb);
	} else {
		takt_text_add_string(text, "the processor lacks ");
		write_features(&kept, text);
		takt_text_printf(text, ", which %s has and hypervisors do not hide", claimed->name);
	}
}

static void write_reason(const struct takt_cpu *cpu, const struct takt_host_candidate *claimed,
			 const struct takt_host_candidate *taken, struct takt_text *text)
{
	if (claimed) {
		takt_text_printf(text, "by family and model it is %s, but ", claimed->name);
		write_contradiction(cpu, claimed, text);
	} else {
		takt_text_add_string(text, "no core has this family and model");
	}
	takt_text_printf(text, "; %s is the nearest by features", taken->name);
	if (count_of(&taken->lacking)) {
		takt_text_add_string(text, ", though it lacks ");
		write_features(&taken->lacking, text);
	}
}

/* ---- recognition ------------------------------------------------------------------ */

static const char *kept_text(struct takt_loader *loader, struct takt_text *text)
{
	const char *copy = takt_arena_copy(loader->arena, takt_text_data(text), text->size_bytes);

	takt_text_release(text);
	return copy;
}

static const char *describe(struct takt_loader *loader, const struct takt_cpu *cpu)
{
	struct takt_text text = {0};

	takt_cpu_write(cpu, &text);
	if (*cpu->brand)
		takt_text_printf(&text, " (%s)", cpu->brand);
	return kept_text(loader, &text);
}

/* Find the first core whose file lists the family and model; NULL if there is none. */
static const struct takt_host_candidate *find_claimed(const struct takt_host_candidate *list,
						      size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].is_claimed)
			return &list[i];
	return NULL;
}

static const struct takt_host_candidate *find_name(const struct takt_host_candidate *list,
						   size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (takt_string_equal_nocase(list[i].name, name))
			return &list[i];
	return NULL;
}

/* A recognition in the making: all candidates, judged, and the one that is taken. */
struct recognizing {
	struct takt_loader *loader;
	struct takt_cpu cpu;
	struct takt_host_candidate *list;
	size_t count;
	const struct takt_host_candidate *claimed, *taken;
	const char *timed; /* core that the timings are nearest to, if it is taken */
	double distance;
	const char *next; /* the next nearest one, or "" */
	double next_distance;
	struct takt_recognition *result;
};

/* A core of the user's directory with this family and model is what the user asks for. */
static bool take_own(struct recognizing *work)
{
	work->taken = find_claimed(work->list, work->loader->core_count);
	if (work->taken && is_ruled_out(work->taken))
		work->taken = NULL;
	work->result->by = "family and model";
	return work->taken != NULL;
}

/* An installed model was learnt on a processor with the same features, so nothing rules it out. */
static bool take_learnt(struct recognizing *work)
{
	struct takt_recognition *result = work->result;

	if (!takt_learnt_find(&work->cpu, work->loader->arena, &work->loader->installed_dir,
			      &result->taken))
		return false;
	result->by = "learnt model";
	result->chosen = "learnt on this machine";
	result->claimed = work->claimed && !is_ruled_out(work->claimed) ? work->claimed->name : "";
	return true;
}

static bool all_are_ruled_out(const struct recognizing *work)
{
	for (size_t i = 0; i < work->count; i++)
		if (!is_ruled_out(&work->list[i]))
			return false;
	return true;
}

/* Take a core by its name, unless it is not there or its features rule it out. */
static bool take_named(struct recognizing *work, const char *name, double distance)
{
	const struct takt_host_candidate *core = find_name(work->list, work->count, name);

	if (!core || (is_ruled_out(core) && !all_are_ruled_out(work)))
		return false;
	work->taken = core;
	work->timed = name;
	work->distance = distance;
	work->result->by = "timings";
	return true;
}

/*
 * Take the core that this processor's timings are nearest to, as far as they are known. If that
 * one is of a directory that is not given now, it is the next one.
 */
static bool take_timed(struct recognizing *work)
{
	struct takt_host_timings timings;

	if (!takt_host_timings_read(&work->cpu, work->loader->arena, &timings))
		return false;
	if (take_named(work, timings.core, timings.distance)) {
		work->next = timings.next;
		work->next_distance = timings.next_distance;
		return true;
	}
	work->next = "";
	return !find_name(work->list, work->count, timings.core) && *timings.next &&
	       take_named(work, timings.next, timings.next_distance);
}

static void take_by_cpuid(struct recognizing *work)
{
	if (work->claimed && !is_ruled_out(work->claimed)) {
		work->taken = work->claimed;
		work->result->by = "family and model";
		return;
	}
	work->taken = find_nearest(&work->cpu, work->list, work->count);
	work->result->by = "features";
}

static void write_timed_reason(const struct recognizing *work, struct takt_text *text)
{
	if (work->claimed)
		takt_text_printf(text, "by family and model it is %s, but ", work->claimed->name);
	else
		takt_text_add_string(text, "no core has this family and model, and ");
	takt_text_printf(text, "its timings are nearest to those of %s (%.1f %% away", work->timed,
			 100 * work->distance);
	if (*work->next)
		takt_text_printf(text, "; next is %s, %.1f %%", work->next,
				 100 * work->next_distance);
	takt_text_add_string(text, "), as 'takt model identify' found");
}

/* Write what a report says after the core's name. */
static void write_choice(const struct recognizing *work, struct takt_text *text)
{
	if (work->timed)
		takt_text_printf(text, "taken by its timings, %.1f %% from this machine's",
				 100 * work->distance);
	else
		takt_text_printf(text, "taken by %s", work->result->by);
	if (*work->taken->analogy)
		takt_text_printf(text, ", by analogy: %s", work->taken->analogy);
}

/* Say why the taken core is another one than family and model name. */
static void explain(struct recognizing *work)
{
	struct takt_recognition *result = work->result;
	struct takt_text reason = {0};

	if (work->timed)
		write_timed_reason(work, &reason);
	else
		write_reason(&work->cpu, work->claimed, work->taken, &reason);
	result->reason = kept_text(work->loader, &reason);
	result->note =
		takt_arena_printf(work->loader->arena,
				  "this processor is treated as %s: it reports that it is %s; %s",
				  work->taken->name, result->processor, result->reason);
}

static bool choose(struct recognizing *work, bool use_files)
{
	struct takt_recognition *result = work->result;
	struct takt_loader *loader = work->loader;
	struct takt_text choice = {0};

	if (!take_own(work)) {
		if (use_files && take_learnt(work))
			return true;
		if (!use_files || !take_timed(work))
			take_by_cpuid(work);
	}
	if (!work->taken || (!work->claimed && !*work->cpu.vendor)) {
		takt_error(loader->diag, "no model of this processor: %s", result->processor);
		takt_note(loader->diag, "name the nearest core: --arch=NAME; 'takt model list' "
					"lists the names");
		return false;
	}
	if (work->taken != work->claimed)
		explain(work);
	write_choice(work, &choice);
	result->chosen = kept_text(loader, &choice);
	result->claimed = work->claimed ? work->claimed->name : "";
	result->taken = work->taken->name;
	return true;
}

bool takt_host_recognize(struct takt_loader *loader, const struct takt_cpuid *cpuid, bool use_files,
			 struct takt_recognition *ret_recognition)
{
	struct takt_recognition result = {.reason = "", .note = ""};
	struct recognizing work = {.loader = loader, .next = "", .result = &result};

	if (!takt_cpu_read(cpuid, &work.cpu)) {
		takt_error(loader->diag, "this processor does not say what it is");
		takt_note(loader->diag,
			  "name the core: --arch=NAME; 'takt model list' lists the names");
		return false;
	}
	work.count = find_candidates(loader, &work.cpu, &work.list);
	for (size_t i = 0; i < work.count; i++)
		judge(&work.cpu, &work.list[i]);
	result.processor = describe(loader, &work.cpu);
	work.claimed = find_claimed(work.list, work.count);
	if (!choose(&work, use_files))
		return false;
	*ret_recognition = result;
	return true;
}

bool takt_host_recognize_this(struct takt_loader *loader, struct takt_recognition *ret_recognition)
{
	const char *path = secure_getenv("TAKT_CPUID");
	struct takt_cpuid cpuid = {NULL, 0};
	struct takt_recognition result;
	struct takt_file file;
	bool fine;

	if (path) {
		if (takt_file_open(path, loader->diag, &file) != TAKT_OK)
			return false;
		fine = takt_cpuid_parse(path, (const char *)file.data, file.size_bytes,
					loader->arena, loader->diag, &cpuid);
		takt_file_close(&file);
		if (!fine)
			return false;
	}
	if (!takt_host_recognize(loader, &cpuid, !path, &result))
		return false;
	if (path)
		result.note = takt_arena_printf(
			loader->arena,
			"the processor is not asked itself, but '%s', as TAKT_CPUID says%s%s", path,
			*result.note ? "; " : "", result.note);
	if (*result.note) {
		takt_warning(loader->diag, "%s", result.note);
		takt_note(loader->diag, path ? "unset TAKT_CPUID to ask the processor itself"
					     : "name another core with '--arch=CORE'");
	}
	*ret_recognition = result;
	return true;
}

/* ---- for identify ----------------------------------------------------------------- */

void takt_model_write_contradiction(const struct takt_model *model, struct takt_text *text)
{
	struct takt_host_candidate candidate = from_image(&model->image, model->core);
	struct takt_cpu cpu;

	if (!takt_cpu_read(NULL, &cpu))
		return;
	judge(&cpu, &candidate);
	if (is_ruled_out(&candidate))
		write_contradiction(&cpu, &candidate, text);
}

void takt_model_write_processor(struct takt_text *text)
{
	struct takt_cpu cpu;

	if (!takt_cpu_read(NULL, &cpu))
		return;
	takt_cpu_write(&cpu, text);
	if (*cpu.brand)
		takt_text_printf(text, " (%s)", cpu.brand);
}
