/* SPDX-License-Identifier: MIT */
/* Known answers, of the uops.info paper's section 7.3 and others, on cores that are played. */
#include "characterize/characterize.h"
#include "unit/isa/aarch64_rows.h"

struct known {
	int line;
	const char *machine, *form, *ports;
	double throughput_cycles;
	struct takt_pair_latency latencies[4];
};

static const struct known rows[] = {
	{__LINE__, "sim:SNB", "aesdec xmm, xmm", "1*p5+1*p015", 1, {{"1", "1", 8, 8}}},
	{__LINE__, "sim:HSW", "aesdec xmm, xmm", "1*p5", 1, {{"1", "1", 7, 7}, {"2", "1", 7, 7}}},
	{__LINE__, "sim:SKL", "shld r64, r64, i8", "1*p1", 1, {{"1", "1", 3, 3}, {"2", "1", 3, 3}}},
	{__LINE__, "sim:SKL", "movq2dq xmm, mm", "1*p0+1*p015", 1, {{0}}},
	{__LINE__, "sim:HSW", "movdq2q mm, xmm", "1*p5+1*p015", 1, {{0}}},
	{__LINE__,
	 "sim:HSW",
	 "adc r64, r64",
	 "1*p06+1*p0156",
	 0.76,
	 {{"1", "1", 2, 2}, {"2", "1", 2, 2}}},
	{__LINE__, "sim:SKL", "bswap r32", "1*p15", 0.5, {{"1", "1", 1, 1}}},
	{__LINE__, "sim:SKL", "bswap r64", "1*p15+1*p06", 1, {{"1", "1", 2, 2}}},
	{__LINE__, "sim:SKL", "cmc", "1*p0156", 0.5, {{"f", "f", 1, 1}}},
	{__LINE__,
	 "sim:SKL",
	 "mul r64",
	 "1*p1+1*p5",
	 1,
	 {{"1", "rax", 3, 3}, {"1", "rdx", 4, 4}, {"rax", "rdx", 4, 4}}},
	{__LINE__, "sim:SKL", "mov r64, m64", "1*p23", 0.5, {{"2b", "1", 5, 5}, {"2", "1", 3, 3}}},
	{__LINE__, "sim:SKL", "mov m64, r64", "1*p4+1*p237", 1, {{"2", "1", 1, 1}}},
	/* The value is added to st(0) at once, or stored, loaded as 8 bytes, and added. */
	{__LINE__, "sim:SKL", "fadd st, st0", "1*p5", 1, {{"1", "1", 3, 3}, {"2", "1", 3, 3}}},
	{__LINE__, "sim:SKL", "fmul st, st0", "1*p0", 1, {{"1", "1", 5, 5}}},
	{__LINE__, "sim:SKL", "fst m64", "1*p4+1*p237", 1, {{"st0", "1", 1, 1}}},
	{__LINE__, "sim:SKL", "vhaddps xmm, xmm, xmm", "2*p5+1*p01", 2, {{"2", "1", 6, 6}}},
	{__LINE__, "sim:ZEN3", "vfmadd231ps xmm, xmm, xmm", "1*f01", 0.5, {{"2", "1", 4, 4}}},
	/* Not taken, and only pairs of a flag and nothing: there is no latency. */
	{__LINE__, "sim:ICL", "je rel", "1*p06", 0.5, {{0}}},
	{__LINE__, "sim:ZEN5", "jl rel", "1*a345", 0.33, {{0}}},
	/* As on any machine: an instruction, not a form. */
	{__LINE__, "sim:SKL", "imul rax, rbx", "1*p1", 1, {{"1", "1", 3, 3}, {"2", "f", 3, 3}}},
};

/* Of Arm's guide to the core, and of its model. */
static const struct known aarch64_rows[] = {
	{__LINE__, "sim:N1", "add x, x, x lsl", "1*m0", 1, {{"2", "1", 2, 2}, {"3", "1", 2, 2}}},
	{__LINE__, "sim:N1", "csel x, x, x, cond", "1*s01m0", 0.33, {{"f", "1", 1, 1}}},
	{__LINE__,
	 "sim:N1",
	 "fmla v.4s, v.4s, v.4s",
	 "1*v01",
	 0.5,
	 {{"1", "1", 2, 2}, {"2", "1", 4, 4}}},
	{__LINE__, "sim:N1", "ldr x, [x, i]", "1*l01", 0.5, {{"2b", "1", 4, 4}}},
	{__LINE__, "sim:N1", "ldaxr w, [x]", "1*l01", 0.5, {{"2b", "1", 4, 4}}},
	{__LINE__, "sim:N1", "ldxp x, x, [x]", "2*l01", 1, {{"3b", "1", 4, 4}}},
	{__LINE__, "sim:N1", "adds x, x, x", "1*s01m0", 0.33, {{"2", "f", 1, 1}}},
	{__LINE__, "sim:N1", "mul w9, w10, w11", "1*m0", 1, {{"2", "1", 2, 2}}},
};

static const struct takt_pair_latency *find_latency(const struct takt_characterization *result,
						    const struct takt_pair_latency *wanted)
{
	for (size_t i = 0; i < result->latency_count; i++)
		if (strcmp(result->latencies[i].source, wanted->source) == 0 &&
		    strcmp(result->latencies[i].destination, wanted->destination) == 0)
			return &result->latencies[i];
	return NULL;
}

static void check(const struct known *known, const struct takt_characterization *result)
{
	tap_is_string(__FILE__, known->line, result->ports, known->ports, known->form);
	/* A loop of copies has its counter, too. */
	tap_ok_at(__FILE__, known->line,
		  fabs(result->throughput_cycles - known->throughput_cycles) < 0.05,
		  "throughput %.2f, want %.2f", result->throughput_cycles,
		  known->throughput_cycles);
	for (size_t i = 0; i < TAKT_COUNT_OF(known->latencies); i++) {
		const struct takt_pair_latency *want = &known->latencies[i], *got;

		if (!want->source)
			break;
		got = find_latency(result, want);
		/* Whole cycles, as the paper and the tables have them. */
		tap_ok_at(__FILE__, known->line,
			  got && fabs(got->least - want->least) < 0.3 &&
				  fabs(got->most - want->most) < 0.3,
			  "latency %s to %s: %.2f to %.2f", want->source, want->destination,
			  got ? got->least : NAN, got ? got->most : NAN);
	}
}

static void test_known_answers(const struct known *known, size_t count)
{
	struct takt_lab *lab = NULL;
	const char *machine = "";

	for (size_t i = 0; i < count; i++) {
		struct takt_lab_options options = {.machine = known[i].machine};
		struct takt_characterization *result;

		/* One lab for neighbours in the table. */
		if (strcmp(machine, known[i].machine) != 0) {
			takt_lab_close(lab);
			lab = NULL;
			machine = known[i].machine;
			if (takt_lab_open(&options, NULL, &lab) != TAKT_OK)
				break;
		}
		if (!tap_ok_at(__FILE__, known[i].line,
			       takt_characterize(lab, known[i].form, true, NULL, &result) ==
				       TAKT_OK,
			       "'%s' on %s", known[i].form, known[i].machine))
			continue;
		check(&known[i], result);
		ok(strstr(result->experiments, "throughput") != NULL, "experiments are told");
		takt_characterization_free(result);
	}
	ok(lab != NULL, "all labs opened");
	takt_lab_close(lab);
}

static void test_refusals(void)
{
	static const struct {
		int line;
		const char *machine, *form, *message;
	} refusals[] = {
		{__LINE__, "sim:NOWHERE", "", "NOWHERE"},
		{__LINE__, "sim:llvm:riscv64:sifive-u74", "", "runs neither x86-64 nor AArch64"},
		{__LINE__, "sim:N1", "b label", "not among the forms"},
		{__LINE__, "sim:N1", "ldr x, [x], i", "one that it writes back"},
		{__LINE__, "sim:N1", "add r64, r64", "write 'add x, x, i'"},
		{__LINE__, "moon", "", "no such machine"},
		{__LINE__, "sim:SKL", "faddp st, st0", "not among the forms"},
		{__LINE__, "sim:SKL", "jne rel", "not among the forms"},
		{__LINE__, "sim:SKL", "vpaddd zmm, zmm, zmm", "the machine lacks it"},
		{__LINE__, "sim:SKL", "kaddb r16, r16, r16", "there is no such instruction"},
		{__LINE__, "sim:SKL", "frobnicate r64", "unknown mnemonic"},
		{__LINE__, "sim:SKL", "", "mnemonic expected"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(refusals); i++) {
		const struct takt_lab_options options = {.machine = refusals[i].machine};
		struct takt_characterization *result;
		struct takt_diag *diag = takt_diag_new();
		struct takt_lab *lab = NULL;
		enum takt_status status = takt_lab_open(&options, diag, &lab);

		if (strcmp(refusals[i].machine, "sim:N1") == 0 && !can_decode()) {
			tap_skip(refusals[i].form, AARCH64_MODULE);
			takt_diag_free(diag);
			continue;
		}

		if (status == TAKT_OK)
			status = takt_characterize(lab, refusals[i].form, false, diag, &result);
		tap_ok_at(__FILE__, refusals[i].line,
			  status != TAKT_OK &&
				  strstr(takt_diag_text(diag), refusals[i].message) != NULL,
			  "'%s' on %s is refused", refusals[i].form, refusals[i].machine);
		takt_lab_close(lab);
		takt_diag_free(diag);
	}
}

/*
 * Gathers and scatters clear their masks: between instances whose throughput counts, all elements
 * are let through again.
 */
static void test_masks(void)
{
	static const struct {
		int line;
		const char *form, *renewal, *instance;
	} masked[] = {
		{__LINE__, "vpgatherdd xmm, m[xmm], xmm", "vpcmpeqd ymm2, ymm15, ymm15; vpgatherdd",
		 ", xmm2"},
		{__LINE__, "vgatherqpd ymm, m[ymm], ymm", "vpcmpeqd ymm2, ymm15, ymm15; vgatherqpd",
		 ", ymm2"},
		{__LINE__, "vgatherdps zmm{k}, m[zmm]", "kxnorw k1, k7, k7; vgatherdps", "{k1}"},
		{__LINE__, "vpscatterdd m[ymm]{k}, ymm", "kxnorw k1, k7, k7; vpscatterdd", "{k1}"},
	};
	const struct takt_lab_options options = {.machine = "sim:SKX", .time_only = true};
	struct takt_lab *lab;

	if (takt_lab_open(&options, NULL, &lab) != TAKT_OK)
		exit(1);
	for (size_t i = 0; i < TAKT_COUNT_OF(masked); i++) {
		struct takt_characterization *result;
		unsigned loops = 0, renewed = 0;

		if (takt_characterize(lab, masked[i].form, true, NULL, &result) != TAKT_OK)
			exit(1);
		for (uint32_t r = 0; r < result->run_count; r++) {
			const char *code = result->runs[r].code;
			const char *found = strstr(code, masked[i].renewal);

			if (strncmp(result->runs[r].title, "throughput in a loop", 20) != 0)
				continue;
			loops++;
			renewed += found && strstr(found, masked[i].instance);
		}
		tap_ok_at(__FILE__, masked[i].line, loops && renewed == loops,
			  "%s: masks are renewed in %u of %u loops", masked[i].form, renewed,
			  loops);
		takt_characterization_free(result);
	}
	takt_lab_close(lab);
}

int main(void)
{
	test_known_answers(rows, TAKT_COUNT_OF(rows));
	if (can_decode())
		test_known_answers(aarch64_rows, TAKT_COUNT_OF(aarch64_rows));
	else
		tap_skip("AArch64", AARCH64_MODULE);
	test_masks();
	test_refusals();
	return tap_done();
}
