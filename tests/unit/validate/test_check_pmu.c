/* SPDX-License-Identifier: MIT */
/*
 * The way through a processor's counters, where takt_count() is this test's own: counts are those
 * under qemu, with interrupts made up. Skipped without qemu.
 */
#include <sched.h>
#include <unistd.h>

#include "../tap.h"
#include "validate/validate.h"

/* The counts of the program that was run last: it is run again and again. */
static struct oracle_counts known;
static uint64_t known_hash, interrupts;
static bool no_emulator, with_kernel;

static void look(void *context, const struct oracle *oracle,
		 const struct trace_dictionary *dictionary)
{
	(void)dictionary;
	*(struct oracle_counts *)context = *takt_oracle_thread(oracle, 0);
}

static double all_operations(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < ORACLE_WIDTHS; i++)
		sum += known.fp32_ops[i] + known.fp64_ops[i];
	return (double)sum;
}

static bool learn(char *const *argv, struct takt_diag *diag)
{
	static const struct takt_trace_options trace;
	const struct emulate_options options = {
		.oracle = {.lines = true}, .trace = &trace, .look = look, .context = &known};
	struct takt_trace_totals *totals;
	struct takt_file file;
	uint64_t hash;

	if (takt_file_open(argv[0], diag, &file) != TAKT_OK)
		return false;
	hash = takt_hash_bytes(file.data, file.size_bytes);
	takt_file_close(&file);
	if (hash == known_hash)
		return true;
	no_emulator = takt_emulate(argv, &options, diag, &totals) != TAKT_OK;
	if (no_emulator)
		return false;
	takt_trace_totals_free(totals);
	known_hash = hash;
	return true;
}

static struct {
	struct takt_count_result result;
	struct takt_count_part sum;
	double value;
} counted;

enum takt_status takt_count(char *const *argv, const struct takt_count_options *options,
			    struct takt_diag *diag, struct takt_count_result **ret_result)
{
	char event[80];

	snprintf(event, sizeof(event), "%s", options->groups[0]);
	if (strcmp(event + strlen(event) - 2, ":u") != 0) {
		with_kernel = true;
		return TAKT_UNAVAILABLE;
	}
	event[strlen(event) - 2] = '\0';
	if (options->backend != TAKT_COUNT_PMU || options->group_count != 1 || !learn(argv, diag))
		return TAKT_UNAVAILABLE;
	if (strcmp(event, "INST_RETIRED.ANY_P") == 0)
		counted.value = (double)(known.insns + ++interrupts % 7);
	else if (strcmp(event, "MEM_INST_RETIRED.ALL_LOADS") == 0)
		counted.value = (double)known.loads;
	else if (strcmp(event, "MEM_INST_RETIRED.ALL_STORES") == 0)
		counted.value = (double)(2 * known.stores);
	else if (strcmp(event, "fp_ret_sse_avx_ops.all") == 0)
		counted.value = all_operations();
	else if (strcmp(event, "MEM_LOAD_L3_HIT_RETIRED.XSNP_FWD") == 0) /* anything that grows */
		counted.value =
			(double)(100 * known.shared_lines * known.shared_lines + ++interrupts % 7);
	else if (strcmp(event, "MEM_LOAD_L3_MISS_RETIRED.REMOTE_HITM") == 0)
		counted.value = 3;
	else if (strcmp(event, "FP_ARITH_INST_RETIRED.128B_PACKED_DOUBLE") == 0)
		counted.value = (double)known.fp64_ops[1] / 2;
	else
		return TAKT_UNAVAILABLE;
	counted.sum.events = &counted.value;
	counted.result =
		(struct takt_count_result){.sums = &counted.sum, .sum_count = 1, .event_count = 1};
	*ret_result = &counted.result;
	return TAKT_OK;
}

void takt_count_result_free(struct takt_count_result *result)
{
	(void)result;
}

/* What is not so of any program, and what wants two processors. */
static void check_kernels_only(const struct takt_trust *trust, bool is_program)
{
	cpu_set_t set;
	bool pairs = sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 1;

	is_int(takt_trust_verdict(trust, "fp_ret_sse_avx_ops.all"),
	       is_program ? TAKT_VERDICT_UNTESTED : TAKT_VERDICT_EXACT,
	       "a sum of the oracle's events");
	is_int(takt_trust_verdict(trust, "MEM_LOAD_L3_HIT_RETIRED.XSNP_FWD"),
	       is_program || !pairs ? TAKT_VERDICT_UNTESTED : TAKT_VERDICT_ORDERED,
	       "grows with shared lines");
	is_int(takt_trust_verdict(trust, "MEM_LOAD_L3_MISS_RETIRED.REMOTE_HITM"),
	       TAKT_VERDICT_UNTESTED, "always the same");
	ok(is_program || pairs || (trust->note_count && strstr(trust->notes[0], "one processor")),
	   "one processor only: said");
}

static void check(char *const *argv, const char *kernels)
{
	const struct takt_validation_options options = {
		.backend = TAKT_COUNT_PMU, .argv = argv, .kernels = kernels, .levels = ""};
	struct takt_diag *diag = takt_diag_new();
	struct takt_trust *trust = NULL;

	if (takt_validate(&options, diag, &trust) != TAKT_OK && no_emulator) {
		tap_skip("counters", takt_diag_text(diag));
	} else if (ok(trust != NULL, "validated")) {
		is_string(trust->backend, "pmu", "backend");
		is_int(takt_trust_verdict(trust, "INST_RETIRED.ANY_P"), TAKT_VERDICT_GOOD,
		       "instructions");
		is_int(takt_trust_verdict(trust, "MEM_INST_RETIRED.ALL_LOADS"), TAKT_VERDICT_EXACT,
		       "loads");
		is_int(takt_trust_verdict(trust, "MEM_INST_RETIRED.ALL_STORES"),
		       TAKT_VERDICT_BIASED, "stores");
		is_int(takt_trust_verdict(trust, "FP_ARITH_INST_RETIRED.128B_PACKED_DOUBLE"),
		       TAKT_VERDICT_EXACT, "operations");
		check_kernels_only(trust, argv != NULL);
		ok(!with_kernel, "nothing is counted that the kernel does");
		ok(trust->case_count && trust->cases[0].expected > 0, "figures");
		takt_trust_free(trust);
	}
	takt_diag_free(diag);
}

int main(void)
{
#if defined(__x86_64__)
	char path[] = "/tmp/takt-test-kernel-XXXXXX";
	int descriptor = mkstemp(path);

	check(NULL, "daxpy_sse");
	if (descriptor >= 0) {
		char *const argv[] = {path, NULL};

		close(descriptor);
		if (ok(takt_kernel_write(NULL, "daxpy_sse", 4096, 5000, path, NULL) == TAKT_OK,
		       "a kernel as a program"))
			check(argv, NULL);
		unlink(path);
	}
#else
	(void)check;
	tap_skip("counters", "its kernels are x86-64's");
#endif
	return tap_done();
}
