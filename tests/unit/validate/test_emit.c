/* SPDX-License-Identifier: MIT */
/* What emitters say of an instruction, against what the decoder sees in its bytes. */
#include "../tap.h"
#include "validate/kernel.h"

static bool is_decoder_there(enum kernel_isa isa, const struct takt_isa **ret_isa)
{
	struct takt_diag *diag = takt_diag_new();
	bool found = takt_isa_find(takt_kernel_isa_name(isa), diag, ret_isa) == TAKT_OK;

	takt_diag_free(diag);
	return found;
}

static void add_memory(const struct takt_memory *memory, struct oracle_counts *counts)
{
	if (memory->address_only)
		return;
	counts->loads += memory->read;
	counts->load_bytes += memory->read ? memory->size_bytes : 0;
	counts->stores += memory->write;
	counts->store_bytes += memory->write ? memory->size_bytes : 0;
}

static bool decode(const struct kernel_code *code, const struct takt_isa *isa,
		   struct oracle_counts *counts)
{
	for (size_t at = 0; at < code->size_bytes;) {
		struct takt_insn insn;

		if (takt_decode(isa, code->bytes + at, code->size_bytes - at, at, &insn) != TAKT_OK)
			return false;
		counts->insns++;
		for (unsigned i = 0; i < insn.memory_count; i++)
			add_memory(&insn.memories[i], counts);
		at += insn.length_bytes;
	}
	return true;
}

static void check(const struct kernel_request *request, const struct takt_isa *isa)
{
	struct kernel_code code = {.size_bytes = 0};
	struct oracle_counts got = {.insns = 0}, want = {.insns = 0};
	char name[KERNEL_NAME_MAX];
	bool fine;

	takt_kernel_name(request, name);
	takt_kernel_emit(request, &code);
	for (unsigned i = 0; i < KERNEL_PARTS; i++) {
		want.insns += code.counts[i].insns;
		want.loads += code.counts[i].loads;
		want.load_bytes += code.counts[i].load_bytes;
		want.stores += code.counts[i].stores;
		want.store_bytes += code.counts[i].store_bytes;
	}
	fine = decode(&code, isa, &got);
	ok(fine && memcmp(&got, &want, sizeof(got)) == 0, "%s: %s",
	   takt_kernel_isa_name(request->isa), name);
	if (fine && memcmp(&got, &want, sizeof(got)) != 0)
		tap_note("%llu %llu %llu %llu %llu, not %llu %llu %llu %llu %llu",
			 (unsigned long long)got.insns, (unsigned long long)got.loads,
			 (unsigned long long)got.load_bytes, (unsigned long long)got.stores,
			 (unsigned long long)got.store_bytes, (unsigned long long)want.insns,
			 (unsigned long long)want.loads, (unsigned long long)want.load_bytes,
			 (unsigned long long)want.stores, (unsigned long long)want.store_bytes);
}

/* Elements of these are counted as they run. */
static bool is_plain(const struct kernel *kernel)
{
	return kernel->ops[0].kind != KERNEL_STRING && kernel->ops[0].kind != KERNEL_GATHER;
}

static void check_all(enum kernel_isa which)
{
	const struct takt_isa *isa;

	if (!is_decoder_there(which, &isa)) {
		tap_skip(takt_kernel_isa_name(which), "no decoder for it");
		return;
	}
	for (size_t i = 0; i < takt_kernel_count; i++) {
		struct kernel_request request;

		for (size_t k = 0; is_plain(&takt_kernels[i]) &&
				   takt_kernel_variant(&takt_kernels[i], which, k, &request);
		     k++)
			check(&request, isa);
	}
}

/* A few by hand: 2 trips of 8 copies, 3 times. */
static void check_expected(void)
{
	static const struct {
		int line;
		const char *name;
		uint64_t step, insns, loads, load_bytes, stores, flops, taken;
	} rows[] = {
		{__LINE__, "copy_avx", 256, 3 * (2 * (16 + 3) + 3), 48, 48 * 32, 48, 0, 6},
		{__LINE__, "triad_sse", 64, 3 * (2 * (24 + 3) + 3), 72, 72 * 16, 24, 96, 6},
		{__LINE__, "triad_avx_fma", 128, 3 * (2 * (20 + 3) + 3), 72, 72 * 32, 24, 192, 6},
		{__LINE__, "peakflops_avx512_fma_sp", 384, 3 * (2 * (12 + 3) + 3), 0, 0, 0,
		 3 * 2 * 12 * 32, 6},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct kernel_request request;
		struct kernel_code code = {.size_bytes = 0};
		struct oracle_counts counts;
		uint64_t flops = 0;
		bool found =
			takt_kernel_request(rows[i].name, KERNEL_X86, NULL, &request) == TAKT_OK;

		tap_ok_at(__FILE__, rows[i].line, found, "%s", rows[i].name);
		takt_kernel_emit(&request, &code);
		takt_kernel_expect(&code, 2 * rows[i].step, 3, &counts);
		for (unsigned k = 0; k < ORACLE_WIDTHS; k++)
			flops += counts.fp32_ops[k] + counts.fp64_ops[k];
		tap_is_int(__FILE__, rows[i].line, code.trip_bytes, (long long)rows[i].step,
			   "step");
		tap_is_int(__FILE__, rows[i].line, (long long)counts.insns,
			   (long long)rows[i].insns, "instructions");
		tap_is_int(__FILE__, rows[i].line, (long long)counts.loads,
			   (long long)rows[i].loads, "loads");
		tap_is_int(__FILE__, rows[i].line, (long long)counts.load_bytes,
			   (long long)rows[i].load_bytes, "bytes loaded");
		tap_is_int(__FILE__, rows[i].line, (long long)counts.stores,
			   (long long)rows[i].stores, "stores");
		tap_is_int(__FILE__, rows[i].line, (long long)flops, (long long)rows[i].flops,
			   "operations");
		tap_is_int(__FILE__, rows[i].line, (long long)counts.taken,
			   (long long)rows[i].taken, "taken");
	}
}

int main(void)
{
	check_expected();
	check_all(KERNEL_X86);
	check_all(KERNEL_AARCH64);
	return tap_done();
}
