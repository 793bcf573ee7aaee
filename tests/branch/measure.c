/* SPDX-License-Identifier: MIT */
/*
 * What this machine's branch predictor learns, beside what the model of a core learns of the
 * same branches (docs/branch.md):
 *
 *     branch-measure [CORE [PARAMETER=VALUE ...]]
 *
 * Cycles are the time-stamp counter's against a chain of additions. x86-64 only.
 */
#include "branch/branch.h"
#include "takt/takt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <x86intrin.h>

enum { TRIES = 9, CODE_BYTES = 4 << 20, PATTERN_MAX = 1 << 18 };

struct bench {
	const struct takt_core_params *params;
	uint8_t *pattern;
	uint8_t *code;
	double penalty; /* of a misprediction, as measured */
};

/* ---- the clock ----------------------------------------------------------- */

/* Time-stamp ticks of a million cycles; additions of constants could be free. */
static double million_cycles(void)
{
	uint64_t from = __rdtsc(), count = 10000;

	__asm__ volatile("1:\n\t.rept 100\n\tadd %%rdx, %%rax\n\t.endr\n\tdec %0\n\tjnz 1b"
			 : "+r"(count)
			 :
			 : "rax", "rdx", "cc");
	return (double)(__rdtsc() - from);
}

#define NO_CYCLES 1e30 /* the clock changed each time */

struct work {
	void (*run)(const struct work *work);
	const uint8_t *pattern, *code;
	uint64_t length, rounds; /* of the pattern; runs through it */
	uint64_t count;		 /* what cycles are counted per, in one call */
	uint64_t parameter;
};

/* Least of several tries, each between two looks at the clock that agree. */
static double cycles_per_item(const struct work *work)
{
	double best = NO_CYCLES;

	work->run(work);
	for (int i = 0; i < TRIES; i++) {
		double before = million_cycles(), after, clock, ticks;
		uint64_t from = __rdtsc();

		work->run(work);
		ticks = (double)(__rdtsc() - from);
		after = million_cycles();
		clock = before < after ? before : after;
		/* The clock has changed if two looks at it differ by more than noise, 3 %. */
		if (before > 1.03 * clock || after > 1.03 * clock)
			continue;
		if (ticks / clock * 1e6 / (double)work->count < best)
			best = ticks / clock * 1e6 / (double)work->count;
	}
	return best;
}

/* ---- native code --------------------------------------------------------- */

/* One conditional branch by the bytes of the pattern, and the loop's. */
static void run_pattern(const struct work *work)
{
	uint64_t rounds = work->rounds;

	__asm__ volatile(
		".p2align 6\n"
		"1:\tmov %[pattern], %%rdx\n"
		"2:\tmovzbl (%%rdx), %%eax\n\tinc %%rdx\n\ttest %%eax, %%eax\n\tjnz 3f\n\tnop\n"
		"3:\tcmp %[end], %%rdx\n\tjne 2b\n\tdec %[rounds]\n\tjnz 1b"
		: [rounds] "+r"(rounds)
		: [pattern] "r"(work->pattern), [end] "r"(work->pattern + work->length)
		: "rax", "rdx", "cc", "memory");
}

/* A second branch does what the first one did `parameter` turns before. */
static void run_echo(const struct work *work)
{
	uint64_t rounds = work->rounds;

	__asm__ volatile(
		".p2align 6\n"
		"1:\tmov %[pattern], %%rdx\n"
		"2:\tmovzbl (%%rdx), %%eax\n\tmovzbl (%%rdx, %[distance]), %%ecx\n\tinc %%rdx\n"
		"\ttest %%eax, %%eax\n\tjnz 3f\n\tnop\n3:\ttest %%ecx, %%ecx\n\tjnz 4f\n\tnop\n"
		"4:\tcmp %[end], %%rdx\n\tjne 2b\n\tdec %[rounds]\n\tjnz 1b"
		: [rounds] "+r"(rounds)
		: [pattern] "r"(work->pattern), [end] "r"(work->pattern + work->length),
		  [distance] "r"(-work->parameter)
		: "rax", "rcx", "rdx", "cc", "memory");
}

/* A loop of `parameter` turns, again and again. */
static void run_loop(const struct work *work)
{
	uint64_t rounds = work->rounds;

	__asm__ volatile(".p2align 6\n"
			 "1:\tmov %[trips], %%rdx\n"
			 "2:\tnop\n\tdec %%rdx\n\tjnz 2b\n\tdec %[rounds]\n\tjnz 1b"
			 : [rounds] "+r"(rounds)
			 : [trips] "r"(work->parameter)
			 : "rdx", "cc");
}

/* An indirect jump to one of 64 places by the bytes of the pattern. */
static void run_indirect(const struct work *work)
{
	uint64_t rounds = work->rounds;

	__asm__ volatile(".p2align 6\n"
			 "1:\tmov %[pattern], %%rdx\n"
			 "2:\tmovzbl (%%rdx), %%eax\n\tinc %%rdx\n\tshl $4, %%eax\n"
			 "\tlea 4f(%%rip), %%rcx\n\tadd %%rax, %%rcx\n\tjmp *%%rcx\n"
			 "\t.p2align 6\n4:\t.rept 64\n\t.p2align 4\n\tjmp 3f\n\t.endr\n"
			 "3:\tcmp %[end], %%rdx\n\tjne 2b\n\tdec %[rounds]\n\tjnz 1b"
			 : [rounds] "+r"(rounds)
			 : [pattern] "r"(work->pattern), [end] "r"(work->pattern + work->length)
			 : "rax", "rcx", "rdx", "cc", "memory");
}

/*
 * Each branch asks the sign of x, where x = factor x + 1: between the execution of one that is
 * mispredicted and the next step of x lies nothing but the misprediction.
 */
static void run_chain(const struct work *work)
{
	uint64_t rounds = work->rounds;

	__asm__ volatile("mov $1, %%eax\n\tmov $1, %%ecx\n\t.p2align 6\n"
			 "1:\timul %[factor], %%rax\n\tadd %%rcx, %%rax\n\ttest %%rax, %%rax\n"
			 "\tjs 2f\n\tnop\n2:\tdec %[rounds]\n\tjnz 1b"
			 : [rounds] "+r"(rounds)
			 : [factor] "r"(work->parameter)
			 : "rax", "rcx", "cc");
}

static void run_code(const struct work *work)
{
	void (*code)(uint64_t rounds, const uint8_t *pattern);

	memcpy(&code, &work->code, sizeof(code));
	code(work->rounds, work->pattern);
}

static void run_sites(const struct work *work)
{
	void (*code)(uint64_t rounds, const uint8_t *pattern, const uint8_t *end);

	memcpy(&code, &work->code, sizeof(code));
	code(work->rounds, work->pattern, work->pattern + work->length);
}

static uint8_t *put(uint8_t *at, const char *bytes, size_t length)
{
	memcpy(at, bytes, length);
	return at + length;
}

/* A jump or call (0xe9, 0xe8) over 32 bits. */
static uint8_t *put_branch(uint8_t *at, uint8_t opcode, const uint8_t *target)
{
	int32_t distance = (int32_t)(target - (at + 5));

	*at = opcode;
	memcpy(at + 1, &distance, 4);
	return at + 5;
}

/* dec rdi; jnz start; ret */
static void put_loop_end(uint8_t *at, const uint8_t *start)
{
	int32_t distance = (int32_t)(start - (at + 9));

	at = put(at, "\x48\xff\xcf\x0f\x85", 5);
	memcpy(at, &distance, 4);
	at[4] = 0xc3;
}

/* A conditional jump of 32 bits. */
static uint8_t *put_if_not_equal(uint8_t *at, const uint8_t *target)
{
	int32_t distance = (int32_t)(target - (at + 6));

	memcpy(put(at, "\x0f\x85", 2), &distance, 4);
	return at + 6;
}

enum { SITE_BRANCH = 10, SITES_START = 3 };

/*
 * Return the end of a loop over the pattern in which `sites` branches, so many bytes apart, take
 * its bytes in turn. Each begins with movzx eax, byte [r8 + i]; test eax, eax; jnz over a nop.
 */
static uint8_t *make_sites(uint8_t *code, uint32_t sites, uint32_t spacing)
{
	uint8_t *start = put(code, "\x49\x89\xf0", SITES_START), *at = start; /* mov r8, rsi */

	for (uint32_t i = 0; i < sites; i++) {
		uint8_t *next = at + spacing;

		at = put(put(at, "\x41\x0f\xb6\x80", 4), (const char *)&i, 4);
		at = put(at, "\x85\xc0\x75\x01", 4);
		memset(at, 0x90, (size_t)(next - at));
		at = next;
	}
	at = put(at, "\x49\x83\xc0", 3); /* add r8, sites; cmp r8, rdx; jne */
	*at++ = (uint8_t)sites;
	at = put_if_not_equal(put(at, "\x49\x39\xd0", 3), start);
	put_loop_end(at, code);
	return at;
}

/* Jumps one behind the other, in a loop. */
static void make_jumps(uint8_t *code, uint32_t count, uint32_t spacing)
{
	for (uint32_t i = 0; i < count; i++)
		put_branch(code + (size_t)i * spacing, 0xe9, code + (size_t)(i + 1) * spacing);
	put_loop_end(code + (size_t)count * spacing, code);
}

/*
 * Functions that call each other so deep, in a loop; each from one of two places, by a random
 * bit, so that only a stack knows where to return to.
 */
static void make_calls(uint8_t *code, uint32_t depth)
{
	const uint32_t spacing = 32;
	uint8_t *at = put(code, "\x48\x8b\x06\x48\x83\xc6\x08", 7); /* mov rax, [rsi]; add rsi, 8 */
	uint8_t *function = code + 64;

	put_loop_end(put_branch(at, 0xe8, function), code);
	for (uint32_t i = 0; i < depth; i++, function += spacing) {
		at = put(function, "\x48\xd1\xe8\x72\x06", 5); /* shr rax; jc over call and ret */
		for (int place = 0; place < 2; place++) {
			at = i + 1 < depth ? put_branch(at, 0xe8, function + spacing)
					   : put(at, "\x0f\x1f\x44\x00\x00", 5);
			*at++ = 0xc3;
		}
	}
}

/* ---- the model ----------------------------------------------------------- */

struct seen {
	uint64_t missed, late_cycles;
};

static void see(struct branch_predictor *predictor, struct seen *seen, enum branch_kind kind,
		uint64_t address, uint64_t target, bool taken)
{
	struct branch branch = {address, address + 4, taken ? target : address + 4, kind, taken};
	uint32_t late = 0;
	enum branch_verdict verdict = takt_branch_next(predictor, &branch, &late);

	seen->missed += verdict == BRANCH_MISSED;
	seen->late_cycles += verdict == BRANCH_LATE ? late : 0;
}

/* The branches of the native code of the same name; what the last half of the rounds saw. */
static struct seen model_pattern(const struct bench *bench, const struct work *work, bool indirect)
{
	struct branch_predictor *predictor = takt_branch_new(bench->params);
	struct seen seen = {0};

	for (uint64_t round = 0; round < 2 * work->rounds; round++) {
		if (round == work->rounds)
			seen = (struct seen){0};
		for (uint64_t i = 0; i < work->length; i++) {
			uint64_t target = indirect ? 0x401040 + 16u * work->pattern[i] : 0x40100e;

			if (indirect) {
				see(predictor, &seen, BRANCH_INDIRECT, 0x401018, target, true);
				see(predictor, &seen, BRANCH_JUMP, target, 0x401500, true);
			} else {
				see(predictor, &seen, BRANCH_CONDITIONAL, 0x401008, target,
				    work->pattern[i]);
			}
			see(predictor, &seen, BRANCH_CONDITIONAL, 0x401508, 0x401003,
			    i + 1 < work->length);
		}
		see(predictor, &seen, BRANCH_CONDITIONAL, 0x401510, 0x401000, true);
	}
	free(predictor);
	return seen;
}

/* The branches of make_sites(), whose loop ends at `end`. */
static struct seen model_sites(const struct bench *bench, const struct work *work, uint32_t sites,
			       uint32_t spacing, uint64_t end)
{
	struct branch_predictor *predictor = takt_branch_new(bench->params);
	uint64_t start = (uint64_t)(uintptr_t)work->code;
	struct seen seen = {0};

	for (uint64_t round = 0; round < 2 * work->rounds; round++) {
		if (round == work->rounds)
			seen = (struct seen){0};
		for (uint64_t i = 0; i < work->length; i++) {
			uint64_t at = start + SITES_START + i % sites * spacing + SITE_BRANCH;

			see(predictor, &seen, BRANCH_CONDITIONAL, at, at + 3, work->pattern[i]);
			if (i % sites == sites - 1)
				see(predictor, &seen, BRANCH_CONDITIONAL, end - 6,
				    start + SITES_START, i + 1 < work->length);
		}
		see(predictor, &seen, BRANCH_CONDITIONAL, end + 3, start, true);
	}
	free(predictor);
	return seen;
}

static struct seen model_echo(const struct bench *bench, const struct work *work)
{
	struct branch_predictor *predictor = takt_branch_new(bench->params);
	struct seen seen = {0};

	for (uint64_t i = 0; i < work->length; i++) {
		if (i == work->length / 2)
			seen = (struct seen){0};
		see(predictor, &seen, BRANCH_CONDITIONAL, 0x401008, 0x40100e, work->pattern[i]);
		see(predictor, &seen, BRANCH_CONDITIONAL, 0x40100e, 0x401014,
		    work->pattern[(int64_t)(i - work->parameter)]);
		see(predictor, &seen, BRANCH_CONDITIONAL, 0x401018, 0x401003, true);
	}
	seen.missed *= 2 * work->rounds;
	free(predictor);
	return seen;
}

static struct seen model_loop(const struct bench *bench, const struct work *work)
{
	struct branch_predictor *predictor = takt_branch_new(bench->params);
	struct seen seen = {0};

	for (uint64_t round = 0; round < 2 * work->rounds; round++) {
		if (round == work->rounds)
			seen = (struct seen){0};
		for (uint64_t i = 0; i < work->parameter; i++)
			see(predictor, &seen, BRANCH_CONDITIONAL, 0x401008, 0x401003,
			    i + 1 < work->parameter);
		see(predictor, &seen, BRANCH_CONDITIONAL, 0x401010, 0x401000, true);
	}
	free(predictor);
	return seen;
}

static struct seen model_jumps(const struct bench *bench, uint32_t count, uint32_t spacing)
{
	struct branch_predictor *predictor = takt_branch_new(bench->params);
	struct seen seen = {0};

	for (uint32_t round = 0; round < 10; round++) {
		seen = (struct seen){0};
		for (uint64_t i = 0; i < count; i++)
			see(predictor, &seen, BRANCH_JUMP, 0x400000 + i * spacing,
			    0x400000 + (i + 1) * spacing, true);
		see(predictor, &seen, BRANCH_CONDITIONAL, 0x400000 + (uint64_t)count * spacing,
		    0x400000, true);
	}
	free(predictor);
	return seen;
}

static struct seen model_calls(const struct bench *bench, const struct work *work)
{
	struct branch_predictor *predictor = takt_branch_new(bench->params);
	struct seen seen = {0};
	uint64_t depth = work->parameter;

	for (uint32_t round = 0; round < work->rounds; round++) {
		uint64_t bits;

		memcpy(&bits, work->pattern + 8 * (size_t)round, sizeof(bits));
		see(predictor, &seen, BRANCH_CALL, 0x400000, 0x400040, true);
		for (uint64_t i = 0; i < depth; i++) {
			uint64_t from = 0x400040 + 32 * i, half = (bits >> i & 1) != 0 ? 6 : 0;

			see(predictor, &seen, BRANCH_CONDITIONAL, from + 3, from + 11, half != 0);
			if (i + 1 < depth)
				see(predictor, &seen, BRANCH_CALL, from + 5 + half, from + 32,
				    true);
		}
		for (uint64_t i = depth; i-- > 0;) {
			uint64_t half = (bits >> i & 1) != 0 ? 6 : 0;
			uint64_t over = i > 0 && (bits >> (i - 1) & 1) != 0 ? 6 : 0;
			uint64_t back = i > 0 ? 0x400040 + 32 * (i - 1) + 9 + over : 0x400004;

			see(predictor, &seen, BRANCH_RETURN, 0x40004a + 32 * i + half, back, true);
		}
		see(predictor, &seen, BRANCH_CONDITIONAL, 0x400008, 0x400000, true);
	}
	free(predictor);
	return seen;
}

/* ---- the table ----------------------------------------------------------- */

static uint32_t random_number(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/* Random numbers below `values`, repeated after `period`; the length is a multiple of it. */
static struct work make_pattern(const struct bench *bench, uint64_t period, uint32_t values)
{
	uint64_t times = period < 4096 ? 4096 / period : 1, state = 42;
	struct work work = {
		.run = run_pattern, .pattern = bench->pattern, .length = times * period};

	for (uint64_t i = 0; i < work.length; i++)
		bench->pattern[i] = i < period ? (uint8_t)(random_number(&state) % values)
					       : bench->pattern[i - period];
	work.rounds = 1 + (1 << 20) / work.length;
	work.count = work.rounds * work.length;
	return work;
}

static void print_row(const struct bench *bench, const char *name, uint64_t parameter,
		      double cycles, double base, double count, struct seen seen)
{
	double machine = (cycles - base) / bench->penalty, model = (double)seen.missed / count;

	if (cycles >= NO_CYCLES)
		printf("| %s | %llu | too noisy | | %.2f |\n", name, (unsigned long long)parameter,
		       model);
	else
		printf("| %s | %llu | %.2f | %.2f | %.2f |\n", name, (unsigned long long)parameter,
		       cycles, fmax(machine, 0), model);
	fflush(stdout);
}

/* Least of several times: what ran before can leave the predictor in a bad state. */
static double least_cycles(const struct work *work)
{
	double best = NO_CYCLES;

	for (int i = 0; i < 5; i++) {
		double cycles = cycles_per_item(work);

		best = cycles < best ? cycles : best;
	}
	return best;
}

/* Without mispredictions: never and always taken. Half of the random ones are mispredicted. */
static void measure_penalty(struct bench *bench, double base[2])
{
	struct work work;
	double never, random;

	for (int taken = 0; taken < 2; taken++) {
		work = make_pattern(bench, 4096, 1);
		memset(bench->pattern, taken, work.length);
		base[taken] = least_cycles(&work);
	}
	work = make_pattern(bench, PATTERN_MAX, 2);
	random = least_cycles(&work);
	bench->penalty = 2 * random - base[0] - base[1];
	printf("never taken %.2f, always %.2f, random %.2f cycles: %.1f a misprediction\n", base[0],
	       base[1], random, bench->penalty);
	work = (struct work){.run = run_chain, .rounds = 1 << 20, .count = 1 << 20, .parameter = 1};
	never = least_cycles(&work);
	work.parameter = 6364136223846793005u;
	random = least_cycles(&work);
	printf("in a chain: not taken %.2f, random %.2f: from a mispredicted branch to the next "
	       "instruction %.1f\n",
	       never, random, 2 * (random - never) - 1);
}

static void compare_patterns(struct bench *bench, const double base[2])
{
	for (uint64_t period = 2; period <= 65536; period *= 2) {
		struct work work = make_pattern(bench, period, 2);
		double taken = 0;

		for (uint64_t i = 0; i < work.length; i++)
			taken += work.pattern[i];
		taken /= (double)work.length;
		print_row(bench, "random pattern of period", period, cycles_per_item(&work),
			  taken * base[1] + (1 - taken) * base[0], (double)work.count,
			  model_pattern(bench, &work, false));
	}
}

/* Branches that are nearly always taken, or nearly never: one of `values` is the exception. */
static void compare_biased(struct bench *bench, const double base[2], uint32_t values, bool taken)
{
	char name[64];

	snprintf(name, sizeof(name), "random pattern, one of %u %s, of period", values,
		 taken ? "not taken" : "taken");
	for (uint64_t period = 2048; period <= 131072; period *= 2) {
		struct work work = make_pattern(bench, period, values);
		double ones = 0;

		for (uint64_t i = 0; i < work.length; i++) {
			bench->pattern[i] = (bench->pattern[i] != 0) == taken;
			ones += bench->pattern[i];
		}
		ones /= (double)work.length;
		print_row(bench, name, period, least_cycles(&work),
			  ones * base[1] + (1 - ones) * base[0], (double)work.count,
			  model_pattern(bench, &work, false));
	}
}

/* Random directions of several branches, which take them in turn. */
static void compare_sites(struct bench *bench, uint32_t sites, uint32_t spacing)
{
	char name[64];
	uint64_t end = (uint64_t)(uintptr_t)make_sites(bench->code, sites, spacing);

	snprintf(name, sizeof(name), "%u branches, %u bytes apart, random, of period", sites,
		 spacing);
	for (uint64_t period = 2048; period <= 131072; period *= 2) {
		struct work work = make_pattern(bench, period, 2), same;
		double taken = 0, base[2];

		for (uint64_t i = 0; i < work.length; i++)
			taken += bench->pattern[i];
		taken /= (double)work.length;
		work.run = run_sites;
		work.code = bench->code;
		for (int direction = 0; direction < 2; direction++) {
			static uint8_t constant[4096];

			same = work;
			same.pattern = constant;
			same.length = sizeof(constant);
			same.rounds = (1 << 18) / same.length;
			same.count = same.rounds * same.length;
			memset(constant, direction, sizeof(constant));
			base[direction] = cycles_per_item(&same);
		}
		print_row(bench, name, period, cycles_per_item(&work),
			  taken * base[1] + (1 - taken) * base[0], (double)work.count,
			  model_sites(bench, &work, sites, spacing, end));
	}
}

static void compare_echoes(struct bench *bench)
{
	static const uint8_t distances[] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16};

	for (size_t i = 0; i < sizeof(distances) / sizeof(*distances); i++) {
		struct work work = make_pattern(bench, PATTERN_MAX, 2);

		work.run = run_echo;
		work.pattern += 64;
		work.length -= 64;
		work.count = work.length * work.rounds;
		work.parameter = distances[i];
		print_row(bench, "repeats a random branch so many turns before", distances[i],
			  cycles_per_item(&work), 3, (double)work.count, model_echo(bench, &work));
	}
}

static void compare_loops(struct bench *bench)
{
	static const uint16_t trips[] = {2,   4,   8,	16,  24,  32,  40,  48,	 64,  80,  96,
					 112, 128, 160, 180, 190, 194, 200, 256, 512, 1024};

	for (size_t i = 0; i < sizeof(trips) / sizeof(*trips); i++) {
		struct work work = {.run = run_loop, .parameter = trips[i]};
		double base;

		work.rounds = work.count = 1 + (1u << 20) / trips[i];
		base = trips[i] + 1;
		print_row(bench, "loop of so many turns", trips[i], cycles_per_item(&work), base,
			  (double)work.count, model_loop(bench, &work));
	}
}

static void compare_indirect(struct bench *bench)
{
	static const struct {
		uint32_t targets;
		uint32_t period;
	} rows[] = {{2, 2},    {4, 4},	  {8, 8},      {16, 16},    {64, 64},
		    {4, 16},   {4, 64},	  {4, 256},    {4, 512},    {4, 1024},
		    {4, 2048}, {4, 8192}, {2, 131072}, {4, 131072}, {16, 131072}};
	double base = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct work work = make_pattern(bench, rows[i].period, rows[i].targets);
		char name[64];
		double cycles;

		for (uint64_t k = 0; rows[i].period == rows[i].targets && k < work.length; k++)
			bench->pattern[k] = (uint8_t)(k % rows[i].targets);
		work.run = run_indirect;
		cycles = cycles_per_item(&work);
		if (i == 0)
			base = cycles;
		snprintf(name, sizeof(name), "indirect, %u targets, period", rows[i].targets);
		print_row(bench, name, rows[i].period, cycles, base, (double)work.count,
			  model_pattern(bench, &work, true));
	}
}

static void compare_jumps(struct bench *bench)
{
	static const uint16_t counts[] = {32,	64,   128,  160,   256,	  1024,	 4096,	5120,
					  6144, 7168, 8192, 10240, 12288, 16384, 32768, 65535};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		printf("| %u |", counts[i]);
		for (uint32_t spacing = 8; spacing <= 64; spacing *= 2) {
			struct work work = {.run = run_code, .code = bench->code};

			make_jumps(bench->code, counts[i], spacing);
			work.rounds = 1 + (1u << 19) / counts[i];
			work.count = work.rounds * counts[i];
			printf(" %.2f |", cycles_per_item(&work));
		}
		printf(" %.2f |\n",
		       (double)model_jumps(bench, counts[i], 16).late_cycles / counts[i]);
	}
}

static void compare_calls(struct bench *bench)
{
	static const uint8_t depths[] = {1, 4, 8, 12, 14, 16, 18, 20, 22, 24, 26, 28, 32, 40, 64};
	uint64_t state = 3;

	for (uint32_t i = 0; i < PATTERN_MAX; i++)
		bench->pattern[i] = (uint8_t)(random_number(&state) >> 8);
	for (size_t i = 0; i < sizeof(depths) / sizeof(*depths); i++) {
		struct work work = {
			.run = run_code,
			.code = bench->code,
			.pattern = bench->pattern,
			.rounds = PATTERN_MAX / 8,
			.count = PATTERN_MAX / 8,
			.parameter = depths[i],
		};

		make_calls(bench->code, depths[i]);
		print_row(bench, "calls from random places, nested", depths[i],
			  cycles_per_item(&work), 4.0 * depths[i], (double)work.count,
			  model_calls(bench, &work));
	}
}

/* The core of that name with the settings of the other arguments, NAME=VALUE. */
static const struct takt_core_params *open_core(int argc, char **argv)
{
	struct takt_setting settings[32];
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model = NULL, *changed = NULL;
	size_t count = 0;

	for (int i = 2; i < argc && count < 32; i++) {
		char *value = strchr(argv[i], '=');

		if (value == NULL)
			continue;
		*value = '\0';
		settings[count++] = (struct takt_setting){argv[i], value + 1};
	}
	if (takt_model_open(argc > 1 ? argv[1] : "SPR", NULL, diag, &model) != TAKT_OK ||
	    takt_model_set(model, settings, count, diag, &changed) != TAKT_OK) {
		fputs(takt_diag_text(diag), stderr);
		exit(EXIT_FAILURE);
	}
	return takt_model_params(changed);
}

int main(int argc, char **argv)
{
	static uint8_t pattern[PATTERN_MAX];
	struct bench bench = {.params = open_core(argc, argv), .pattern = pattern};
	double base[2];

	bench.code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (bench.code == MAP_FAILED)
		return EXIT_FAILURE;
	measure_penalty(&bench, base);
	printf("mispredict_cycles of the core: %d\n\n", bench.params->mispredict_cycles);
	printf("| branch | | cycles | missed here | missed by the model |\n"
	       "|---|---|---|---|---|\n");
	compare_patterns(&bench, base);
	compare_biased(&bench, base, 5, true);
	compare_biased(&bench, base, 5, false);
	compare_biased(&bench, base, 20, true);
	compare_sites(&bench, 2, 16);
	compare_sites(&bench, 2, 32);
	compare_sites(&bench, 16, 21);
	compare_sites(&bench, 64, 21);
	compare_echoes(&bench);
	compare_loops(&bench);
	compare_indirect(&bench);
	compare_calls(&bench);
	printf("\n| jumps | 8 bytes apart | 16 | 32 | 64 | model: late by |\n"
	       "|---|---|---|---|---|---|\n");
	compare_jumps(&bench);
	return EXIT_SUCCESS;
}
