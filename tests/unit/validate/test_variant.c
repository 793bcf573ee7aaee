/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "validate/kernel.h"

static const struct {
	int line;
	enum kernel_isa isa;
	const char *name;
	bool is_there;
} rows[] = {
	{__LINE__, KERNEL_X86, "load", true},
	{__LINE__, KERNEL_X86, "triad_avx512_fma_sp_nt", true},
	{__LINE__, KERNEL_X86, "triad_sse_fma", false},
	{__LINE__, KERNEL_X86, "copy_nt", false},
	{__LINE__, KERNEL_X86, "load_sse_nt", false},
	{__LINE__, KERNEL_X86, "copy_avx_fma", false},
	{__LINE__, KERNEL_X86, "chase_sse", false},
	{__LINE__, KERNEL_X86, "insert_sse", false},
	{__LINE__, KERNEL_X86, "insert_avx", true},
	{__LINE__, KERNEL_X86, "copy_neon", false},
	{__LINE__, KERNEL_AARCH64, "ddot_neon_fma_sp", true},
	{__LINE__, KERNEL_AARCH64, "triad_fma", true},
	{__LINE__, KERNEL_AARCH64, "gather", false},
	{__LINE__, KERNEL_AARCH64, "copy_neon_nt", false},
	{__LINE__, KERNEL_X86, "", false},
};

static void check_round_trip(enum kernel_isa isa)
{
	for (size_t i = 0; i < takt_kernel_count; i++) {
		struct kernel_request request, again;
		char name[KERNEL_NAME_MAX];

		for (size_t k = 0; takt_kernel_variant(&takt_kernels[i], isa, k, &request); k++) {
			takt_kernel_name(&request, name);
			ok(takt_kernel_request(name, isa, NULL, &again) == TAKT_OK &&
				   again.kernel == request.kernel &&
				   again.vector_bytes == request.vector_bytes &&
				   again.single == request.single && again.fma == request.fma &&
				   again.non_temporal == request.non_temporal,
			   "%s", name);
		}
	}
}

int main(void)
{
	struct takt_diag *diag = takt_diag_new();

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct kernel_request request;

		tap_ok_at(__FILE__, rows[i].line,
			  (takt_kernel_request(rows[i].name, rows[i].isa, diag, &request) ==
			   TAKT_OK) == rows[i].is_there,
			  "'%s'", rows[i].name);
		is_int((long long)takt_diag_error_count(diag), !rows[i].is_there, "errors");
		takt_diag_clear(diag);
	}
	check_round_trip(KERNEL_X86);
	check_round_trip(KERNEL_AARCH64);
	takt_diag_free(diag);
	return tap_done();
}
