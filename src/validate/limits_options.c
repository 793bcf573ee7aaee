/* SPDX-License-Identifier: MIT */
/* Parses the options that say what to measure. */
#include <stdlib.h>
#include <string.h>

#include "validate/limits.h"

static const char usual_kernels[] = "load,store,copy,update,stream,triad";

/* Find the next element of a list, without its comma; false at its end. */
static bool next_word(const char **list, const char **ret_word, size_t *ret_size)
{
	size_t size = strcspn(*list, ",");

	if (**list == '\0')
		return false;
	*ret_word = *list;
	*ret_size = size;
	*list += size + ((*list)[size] == ',');
	return true;
}

static enum takt_status read_threads(const char *list, struct takt_diag *diag,
				     struct limit_plan *plan)
{
	const char *word;
	size_t size;

	if (!list) {
		plan->threads[plan->thread_count++] = 1;
		if (plan->cpu_count > 1)
			plan->threads[plan->thread_count++] = plan->cpu_count;
		return TAKT_OK;
	}
	while (next_word(&list, &word, &size)) {
		char *end;
		unsigned long number = strtoul(word, &end, 10);

		if (end != word + size || number < 1 || number > plan->cpu_count) {
			takt_error(diag, "cannot run '%.*s' threads", (int)size, word);
			takt_note(diag, "each has a processor of its own; this process may use %u",
				  plan->cpu_count);
			return TAKT_BAD_INPUT;
		}
		if (plan->thread_count == LIMIT_THREADS_MAX) {
			takt_error(diag, "more than %u numbers of threads", LIMIT_THREADS_MAX);
			return TAKT_BAD_INPUT;
		}
		plan->threads[plan->thread_count++] = (uint32_t)number;
	}
	if (plan->thread_count)
		return TAKT_OK;
	takt_error(diag, "an empty list of numbers of threads");
	return TAKT_BAD_INPUT;
}

enum takt_status takt_limit_plan_init(const struct takt_machine_limits_options *options,
				      struct limit_list *list, struct takt_diag *diag,
				      struct limit_plan *ret_plan)
{
	struct limit_plan plan = {.options = options, .list = list, .diag = diag};
	struct kernel_request variants[LIMIT_VARIANTS_MAX];
	enum takt_status status;
	bool end = false;

	plan.cpu_count = takt_kernel_cpus(plan.cpus);
	if (!plan.cpu_count) {
		takt_error(diag, "cannot find out which processors this process may use");
		return TAKT_UNAVAILABLE;
	}
	if (options->rounds > TEAM_ROUNDS_MAX / 2) {
		takt_error(diag, "more than %u rounds", TEAM_ROUNDS_MAX / 2);
		return TAKT_BAD_INPUT;
	}
	takt_kernel_caches_host(plan.cpus[0], &plan.caches);
	if (plan.caches.error) {
		takt_error(diag, "cannot read what the system says of caches and memory: %s",
			   strerror(plan.caches.error));
		return TAKT_UNAVAILABLE;
	}
	status = read_threads(options->threads, diag, &plan);
	if (status == TAKT_OK)
		status = takt_kernel_levels_read(options->levels, diag, plan.levels);
	for (size_t i = 0; status == TAKT_OK && !end; i++)
		if (!takt_limit_variants(&plan, i, variants, &end) && !end)
			status = TAKT_NOT_FOUND;
	if (status == TAKT_OK)
		*ret_plan = plan;
	return status;
}

/*
 * True for a variant with doubles and with vectors, unless the kernel has none, and with FMA
 * exactly if `fma`, which is so wherever there is FMA.
 */
static bool is_candidate(const struct kernel_request *request, bool fma)
{
	return !request->single && request->fma == fma && takt_kernel_runs_here(request) &&
	       (request->vector_bytes > 8 || request->kernel->scalar_only);
}

static uint32_t all_variants(const struct kernel *kernel,
			     struct kernel_request variants[LIMIT_VARIANTS_MAX])
{
	struct kernel_request request;
	uint32_t count = 0;
	bool fma = false;

	for (size_t i = 0; takt_kernel_variant(kernel, KERNEL_HOST, i, &request); i++)
		fma = fma || is_candidate(&request, true);
	for (size_t i = 0; takt_kernel_variant(kernel, KERNEL_HOST, i, &request); i++) {
		bool vex = request.isa == KERNEL_X86 && request.encoding != KERNEL_LEGACY;

		if (count < LIMIT_VARIANTS_MAX &&
		    is_candidate(&request, fma && (vex || request.isa == KERNEL_AARCH64)))
			variants[count++] = request;
	}
	return count;
}

static bool is_file(const char *word, size_t size)
{
	return size > 4 && memcmp(word + size - 4, ".ptt", 4) == 0;
}

/* Open the file of element `index` of the list, unless it is open; false, with an error. */
static bool open_file(struct limit_plan *plan, size_t index, const char *word, size_t size)
{
	struct kernel_file *file;

	if (index >= LIMIT_FILES_MAX) {
		takt_error(plan->diag, "a file is after the first %u kernels", LIMIT_FILES_MAX);
		return false;
	}
	if (plan->files[index])
		return true;
	file = TAKT_NEW(&plan->list->arena, struct kernel_file);
	if (takt_kernel_file_open(takt_arena_copy(&plan->list->arena, word, size), plan->diag,
				  file) != TAKT_OK)
		return false;
	plan->files[index] = file;
	return true;
}

uint32_t takt_limit_variants(struct limit_plan *plan, size_t index,
			     struct kernel_request variants[LIMIT_VARIANTS_MAX], bool *ret_end)
{
	const char *list = plan->options->kernels ? plan->options->kernels : usual_kernels;
	const char *word = NULL;
	char name[KERNEL_NAME_MAX];
	size_t size = 0;

	for (size_t i = 0; i <= index; i++)
		if (!next_word(&list, &word, &size)) {
			*ret_end = true;
			return 0;
		}
	*ret_end = false;
	if (is_file(word, size)) {
		if (!open_file(plan, index, word, size))
			return 0;
		variants[0] = (struct kernel_request){
			.file = plan->files[index],
			.isa = KERNEL_HOST,
			.single = plan->files[index]->single,
			.non_temporal = plan->files[index]->code.non_temporal};
		return 1;
	}
	for (size_t i = 0; i < takt_kernel_count; i++)
		if (takt_string_is(takt_kernels[i].name, word, size)) {
			uint32_t count = all_variants(&takt_kernels[i], variants);

			if (!count)
				takt_error(plan->diag, "kernel '%s' does not run here",
					   takt_kernels[i].name);
			return count;
		}
	memcpy(name, word, size < sizeof(name) ? size : sizeof(name) - 1);
	name[size < sizeof(name) ? size : sizeof(name) - 1] = '\0';
	if (takt_kernel_request(name, KERNEL_HOST, plan->diag, &variants[0]) != TAKT_OK)
		return 0;
	if (!takt_kernel_runs_here(&variants[0])) {
		takt_error(plan->diag, "this processor has no instructions for kernel '%s'", name);
		return 0;
	}
	return 1;
}
