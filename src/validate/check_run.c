/* SPDX-License-Identifier: MIT */
/* takt_validate(): chooses the kernels and their order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "validate/check.h"

static const char small_words[] = "small";

/* ---- choice of kernels ---- */

static void add_request(struct check *check, const struct kernel_request *request)
{
	check->requests =
		takt_xrealloc(check->requests, check->request_count + 1, sizeof(*check->requests));
	check->requests[check->request_count++] = *request;
}

/* True if the kernel's instructions exist: the emulator lacks some, and so may the processor. */
static bool can_run(struct check *check, const struct kernel_request *request)
{
	if (check->options->backend == TAKT_COUNT_PMU)
		return takt_kernel_runs_here(request);
	if (request->isa != KERNEL_X86 || request->encoding != KERNEL_EVEX)
		return true;
	takt_trust_list_note(check->list,
			     "kernels of AVX-512 were left out: the emulator has none");
	return false;
}

/*
 * Add kernels that show what the rest of the small set does not: floats, FMA, non-temporal stores.
 */
static void add_some(struct check *check)
{
	static const char *const names[] = {"copy_sse_nt",   "update_sp",	"triad_sse_sp",
					    "ddot_avx_fma",  "ddot_avx_fma_sp", "triad_neon_sp",
					    "ddot_neon_fma", "ddot_fma_sp"};
	struct kernel_request request;

	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++)
		if (takt_kernel_request(names[i], check->isa, NULL, &request) == TAKT_OK &&
		    can_run(check, &request))
			add_request(check, &request);
}

/* Add all variants, or in the small set only the first variant of each kernel that has vectors. */
static void add_all(struct check *check)
{
	for (size_t i = 0; i < takt_kernel_count; i++) {
		const struct kernel *kernel = &takt_kernels[i];
		struct kernel_request request, chosen = {.kernel = NULL};

		if (kernel->triangular)
			continue; /* it needs two threads */
		for (size_t k = 0; takt_kernel_variant(kernel, check->isa, k, &request); k++) {
			if (!can_run(check, &request))
				continue;
			if (!check->small)
				add_request(check, &request);
			else if (!chosen.kernel ||
				 (chosen.vector_bytes <= 8 && request.vector_bytes > 8))
				chosen = request;
		}
		if (chosen.kernel)
			add_request(check, &chosen);
	}
}

static enum takt_status choose_kernels(struct check *check)
{
	const char *list = check->options->kernels;
	enum takt_status status = TAKT_OK;

	check->small = list && strcmp(list, small_words) == 0;
	if (!list || check->small) {
		add_all(check);
		if (check->small)
			add_some(check);
		return TAKT_OK;
	}
	while (*list && status == TAKT_OK) {
		size_t size = strcspn(list, ",");
		struct kernel_request request;
		char *name = takt_arena_copy(&check->list->arena, list, size);

		status = takt_kernel_request(name, check->isa, check->diag, &request);
		if (status == TAKT_OK && request.kernel->triangular) {
			takt_error(check->diag, "kernel '%s' is one of two threads", name);
			takt_note(check->diag, "it is run whenever no kernels are named");
			status = TAKT_BAD_INPUT;
		}
		if (status == TAKT_OK)
			add_request(check, &request);
		list += size + (list[size] == ',');
	}
	return status;
}

static enum takt_status choose_levels(struct check *check)
{
	enum takt_status status =
		takt_kernel_levels_read(check->options->levels, check->diag, check->levels);

	if (check->options->backend == TAKT_COUNT_PMU)
		takt_kernel_caches_host(0, &check->caches);
	else
		takt_kernel_caches_model(check->options->model, &check->caches);
	if (check->caches.error) {
		takt_error(check->diag, "cannot read what the system says of caches and memory: %s",
			   strerror(check->caches.error));
		return TAKT_UNAVAILABLE;
	}
	if (!check->caches.known) {
		memset(check->levels, 0, sizeof(check->levels));
		takt_trust_list_note(check->list, "no volumes: there is no core whose caches could "
						  "be modelled");
	}
	return status;
}

static enum takt_status choose_isa(struct check *check)
{
	const struct takt_model *model = check->options->model;
	const char *isa = model ? takt_model_isa_name(model) : NULL;

	if (check->options->backend == TAKT_COUNT_PMU)
		isa = NULL;
	return takt_kernel_isa_find(isa, check->diag, &check->isa);
}

/* ---- all of it ---- */

bool takt_check_has_volumes(const struct check *check, const struct kernel_request *request)
{
	static const char *const few[] = {"load", "copy", "triad"};
	static const char *const usual[] = {"load", "store", "copy",   "update", "sum",
					    "ddot", "daxpy", "stream", "triad"};
	const char *name = request->kernel->name;

	if (check->small)
		return takt_string_is_one_of(name, few, TAKT_COUNT_OF(few));
	if (check->options->kernels)
		return takt_string_is_one_of(name, usual, TAKT_COUNT_OF(usual));
	/* One vector width is enough. */
	return takt_string_is_one_of(name, usual, TAKT_COUNT_OF(usual)) &&
	       request->vector_bytes == 16 && !request->single && !request->fma;
}

/*
 * True if the kernel is run with data in `level`. In the small set, only one kernel uses memory,
 * which takes the most time.
 */
static bool is_wanted(const struct check *check, const struct kernel_request *request,
		      unsigned level)
{
	return takt_check_has_volumes(check, request) &&
	       (!check->small || level != KERNEL_MEM ||
		strcmp(request->kernel->name, "triad") == 0);
}

static bool run_all(struct check *check)
{
	bool named = check->options->kernels && !check->small;

	if (check->options->argv)
		return takt_check_program(check);
	if (check->options->backend == TAKT_COUNT_PMU)
		return takt_check_pmu(check);
	for (uint32_t i = 0; i < check->request_count; i++)
		if (!takt_check_counts(check, &check->requests[i]))
			return false;
	if (!named && (!takt_check_sharing(check) || !takt_check_order(check) ||
		       !takt_check_imbalance(check)))
		return false;
	for (unsigned level = 0; level < KERNEL_LEVELS; level++)
		for (uint32_t i = 0; check->levels[level] && i < check->request_count; i++)
			if (is_wanted(check, &check->requests[i], level) &&
			    !takt_check_volumes(check, &check->requests[i],
						(enum kernel_level)level))
				return false;
	return true;
}

static enum takt_status prepare(struct check *check)
{
	const char *directory = secure_getenv("TMPDIR");
	enum takt_status status = choose_isa(check);
	int descriptor;

	if (status == TAKT_OK)
		status = choose_kernels(check);
	if (status == TAKT_OK)
		status = choose_levels(check);
	if (status != TAKT_OK)
		return status;
	snprintf(check->path, sizeof(check->path), "%s/takt-kernel-XXXXXX",
		 directory && *directory ? directory : "/tmp");
	descriptor = mkstemp(check->path);
	if (descriptor < 0) {
		takt_error(check->diag, "cannot make a file '%s': %s", check->path,
			   strerror(errno));
		takt_note(check->diag, "TMPDIR may name another directory");
		return TAKT_BAD_INPUT;
	}
	close(descriptor);
	takt_partial_file_begin(&check->partial, check->path);
	return status;
}

static void describe(struct check *check)
{
	struct trust_list *list = check->list;
	const char *core = check->options->model ? takt_model_name(check->options->model) : "";

	list->result.backend = check->options->backend == TAKT_COUNT_PMU ? "pmu" : "emulate";
	list->result.isa = takt_kernel_isa_name(check->isa);
	list->result.core = takt_arena_string(&list->arena, core);
	if (check->options->model && takt_model_choice(check->options->model))
		takt_trust_list_note(list,
				     takt_arena_printf(&list->arena, "the core %s is %s", core,
						       takt_model_choice(check->options->model)));
	if (check->options->model && takt_model_doubt(check->options->model))
		takt_trust_list_note(list, takt_model_doubt(check->options->model));
}

enum takt_status takt_validate(const struct takt_validation_options *options,
			       struct takt_diag *diag, struct takt_trust **ret_trust)
{
	struct check check = {.options = options, .diag = diag, .list = takt_trust_list_new()};
	enum takt_status status = TAKT_UNAVAILABLE;

	if (options->argv && options->backend != TAKT_COUNT_PMU) {
		takt_error(diag, "a program is validated by running it under both backends");
		takt_note(diag, "'--backend=pmu' does that");
		status = TAKT_BAD_INPUT;
	} else {
		status = prepare(&check);
	}
	if (status == TAKT_OK) {
		describe(&check);
		if (!run_all(&check) && !check.stopped)
			status = TAKT_UNAVAILABLE;
		if (check.stopped)
			takt_trust_list_note(check.list, "stopped before all was validated");
	}
	if (check.path[0])
		unlink(check.path);
	takt_partial_file_end(&check.partial);
	free(check.requests);
	if (status == TAKT_OK) {
		takt_trust_list_judge(check.list);
		*ret_trust = &check.list->result;
	} else {
		takt_trust_free(&check.list->result);
	}
	return status;
}

/* ---- a kernel as a program ---- */

enum takt_status takt_kernel_write(const char *isa, const char *name, uint64_t stream_bytes,
				   uint64_t repeats, const char *path, struct takt_diag *diag)
{
	enum kernel_isa which;
	struct kernel_request request;
	struct kernel_code *code;
	struct program program;
	enum takt_status status;

	status = takt_kernel_isa_find(isa, diag, &which);
	if (status == TAKT_OK)
		status = takt_kernel_request(name, which, diag, &request);
	if (status != TAKT_OK)
		return status;
	code = takt_xcalloc(1, sizeof(*code));
	takt_kernel_emit(&request, code);
	if (repeats == 0 || stream_bytes == 0 || stream_bytes > KERNEL_STREAM_BYTES_MAX) {
		takt_error(diag, "a kernel of %llu bytes and %llu repetitions",
			   (unsigned long long)stream_bytes, (unsigned long long)repeats);
		status = TAKT_BAD_INPUT;
	} else {
		takt_kernel_program_make(&request, code, stream_bytes, repeats, &program);
		status = takt_kernel_program_write(&program, path, diag);
	}
	free(code);
	return status;
}
