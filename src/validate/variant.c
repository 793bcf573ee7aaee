/* SPDX-License-Identifier: MIT */
/* Parses and writes names of kernels and their variants. */
#include <stdio.h>
#include <string.h>

#include "validate/ptt.h"

/* Encodings of vectors by instruction set; the first of each is scalar. */
static const struct {
	const char *name;
	enum kernel_isa isa;
	enum kernel_encoding encoding;
	uint8_t vector_bytes;
	bool fma; /* the encoding has FMA */
} widths[] = {
	{"", KERNEL_X86, KERNEL_LEGACY, 8, false},
	{"sse", KERNEL_X86, KERNEL_LEGACY, 16, false},
	{"avx", KERNEL_X86, KERNEL_VEX, 32, true},
	{"avx512", KERNEL_X86, KERNEL_EVEX, 64, true},
	{"", KERNEL_AARCH64, KERNEL_LEGACY, 8, true},
	{"neon", KERNEL_AARCH64, KERNEL_LEGACY, 16, true},
};

static const char *const isa_names[KERNEL_ISA_COUNT] = {"x86-64", "aarch64"};

const char *takt_kernel_isa_name(enum kernel_isa isa)
{
	return isa_names[isa];
}

enum takt_status takt_kernel_isa_find(const char *name, struct takt_diag *diag,
				      enum kernel_isa *ret_isa)
{
	*ret_isa = KERNEL_HOST;
	if (!name)
		return TAKT_OK;
	for (unsigned i = 0; i < KERNEL_ISA_COUNT; i++)
		if (strcmp(name, isa_names[i]) == 0) {
			*ret_isa = (enum kernel_isa)i;
			return TAKT_OK;
		}
	takt_error(diag, "there are no kernels for %s", name);
	takt_note(diag, "there are some for x86-64 and aarch64");
	return TAKT_UNAVAILABLE;
}

static bool has_op(const struct kernel *kernel, enum kernel_op_kind kind)
{
	for (size_t i = 0; i < kernel->op_count; i++)
		if (kernel->ops[i].kind == kind)
			return true;
	return false;
}

/* True if the variant exists, and is not the same code as one with a shorter name. */
static bool is_sensible(const struct kernel_request *request, bool has_fma)
{
	const struct kernel *kernel = request->kernel;
	bool scalar = request->vector_bytes <= 8;

	if (!(kernel->isas & 1u << request->isa))
		return false;
	if (kernel->scalar_only)
		return scalar && !request->single && !request->fma && !request->non_temporal;
	if (kernel->wants_halves && request->vector_bytes < 32)
		return false;
	if (request->fma &&
	    !(has_fma && (has_op(kernel, KERNEL_MADD) || has_op(kernel, KERNEL_PEAK))))
		return false;
	return !request->non_temporal ||
	       (request->isa == KERNEL_X86 && !scalar && has_op(kernel, KERNEL_STORE));
}

bool takt_kernel_variant(const struct kernel *kernel, enum kernel_isa isa, size_t index,
			 struct kernel_request *ret_request)
{
	/* There are 8 combinations for each width, most of which make no sense. */
	for (size_t i = 0; i < 8 * TAKT_COUNT_OF(widths); i++) {
		bool single = i & 1;
		struct kernel_request request = {
			.kernel = kernel,
			.isa = widths[i / 8].isa,
			.encoding = widths[i / 8].encoding,
			.vector_bytes = widths[i / 8].vector_bytes,
			.single = single,
			.fma = i & 2,
			.non_temporal = i & 4,
		};

		if (request.isa != isa || !is_sensible(&request, widths[i / 8].fma))
			continue;
		if (single && request.vector_bytes == 8)
			request.vector_bytes = 4;
		if (index-- == 0) {
			*ret_request = request;
			return true;
		}
	}
	return false;
}

void takt_kernel_name(const struct kernel_request *request, char name[KERNEL_NAME_MAX])
{
	uint8_t bytes = request->vector_bytes == 4 ? 8 : request->vector_bytes;
	const char *width = "";

	if (request->file) {
		snprintf(name, KERNEL_NAME_MAX, "%s", request->file->name);
		return;
	}
	for (size_t i = 0; i < TAKT_COUNT_OF(widths); i++)
		if (widths[i].isa == request->isa && widths[i].vector_bytes == bytes &&
		    widths[i].encoding == request->encoding)
			width = widths[i].name;
	snprintf(name, KERNEL_NAME_MAX, "%s%s%s%s%s%s", request->kernel->name, *width ? "_" : "",
		 width, request->fma ? "_fma" : "", request->single ? "_sp" : "",
		 request->non_temporal ? "_nt" : "");
}

static enum takt_status report_unknown(const char *wanted, enum kernel_isa isa,
				       struct takt_diag *diag)
{
	char kernel[KERNEL_NAME_MAX], *end; /* name without the variant */
	const char *names[64];
	struct takt_text nearest = {0};
	size_t count = 0;

	takt_error(diag, "no kernel '%s' for %s", wanted, isa_names[isa]);
	for (size_t i = 0; i < takt_kernel_count && count < TAKT_COUNT_OF(names); i++)
		if (takt_kernels[i].isas & 1u << isa)
			names[count++] = takt_kernels[i].name;
	snprintf(kernel, sizeof(kernel), "%s", wanted);
	end = strchr(kernel + (takt_string_starts(kernel, "cl_") ? 3 : 0), '_');
	if (end)
		*end = '\0';
	if (takt_nearest_names(kernel, names, count, 3, &nearest))
		takt_note(diag, "did you mean %s?", takt_text_data(&nearest));
	takt_note(diag, "names are like 'triad_avx_fma'; 'takt validate --list' has all");
	takt_text_release(&nearest);
	return TAKT_NOT_FOUND;
}

enum takt_status takt_kernel_request(const char *name, enum kernel_isa isa, struct takt_diag *diag,
				     struct kernel_request *ret_request)
{
	char full[KERNEL_NAME_MAX];
	struct kernel_request request;

	for (size_t i = 0; i < takt_kernel_count; i++)
		for (size_t k = 0; takt_kernel_variant(&takt_kernels[i], isa, k, &request); k++) {
			takt_kernel_name(&request, full);
			if (strcmp(name, full) == 0) {
				*ret_request = request;
				return TAKT_OK;
			}
		}
	return report_unknown(name, isa, diag);
}

bool takt_kernel_runs_here(const struct kernel_request *request)
{
	if (request->isa != KERNEL_HOST)
		return false;
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (request->encoding == KERNEL_EVEX)
		return __builtin_cpu_supports("avx512f");
	if (request->encoding == KERNEL_VEX && !__builtin_cpu_supports("avx"))
		return false;
	if (request->kernel->ops[0].kind == KERNEL_GATHER && !__builtin_cpu_supports("avx2"))
		return false;
	return !request->fma || __builtin_cpu_supports("fma");
#else
	return true;
#endif
}
