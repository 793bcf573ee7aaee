/* SPDX-License-Identifier: MIT */
/* A member of a team: sets up its memory and processor, and runs its rounds. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "validate/team.h"

#define HUGE_PAGE_BYTES ((uint64_t)2 << 20)
#define STREAM_GAP_BYTES 1088u /* gap that gives streams different offsets in pages */
#define SPINS_MAX 4096u
#define CHAIN_BYTES (UINT64_C(512) * 40) /* 40 trips of 64 additions */
#define CHAIN_REPEATS 8u
#define BOUNCES 20000u

typedef void (*kernel_function)(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t size,
				uint64_t repeats);

struct work {
	const struct team_job *job;
	struct team_shared *shared;
	struct team_member *self;
	uint32_t index, barriers;
	kernel_function kernel, chain;
	uint8_t *memory;
	size_t memory_bytes;
	uint64_t streams[KERNEL_STREAMS_MAX];
	uint64_t offset; /* offset of the current window in the streams */
};

/* End the process, without _exit(), in which sanitizers do more than the sandbox permits. */
__attribute__((noreturn)) static void end(void)
{
	for (;;)
		syscall(SYS_exit_group, 0);
}

__attribute__((noreturn)) static void fail(struct team_shared *shared, enum team_failure failure)
{
	__atomic_store_n(&shared->failed, failure, __ATOMIC_RELEASE);
	end();
}

/* ---- memory ---- */

static uint8_t *map(size_t size_bytes)
{
	void *memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Map the code as executable and read-only. */
static kernel_function map_code(const struct kernel_code *code)
{
	size_t size_bytes = (code->size_bytes + 4095) & ~(size_t)4095;
	uint8_t *memory = map(size_bytes);

	if (!memory)
		return NULL;
	memcpy(memory, code->bytes, code->size_bytes);
	__builtin___clear_cache((char *)memory, (char *)memory + code->size_bytes);
	if (mprotect(memory, size_bytes, PROT_READ | PROT_EXEC) != 0)
		return NULL;
	return (kernel_function)(uintptr_t)memory;
}

/* Link all lines into a ring in an order that no prefetcher predicts (Sattolo's algorithm). */
static void link_lines(uint8_t *memory, uint64_t size_bytes)
{
	uint64_t count = size_bytes / TAKT_LINE_BYTES, random = 88172645463325252u;
	uint64_t *first = (uint64_t *)(void *)memory;
	const size_t step = TAKT_LINE_BYTES / sizeof(*first);

	for (uint64_t i = 0; i < count; i++)
		first[i * step] = (uint64_t)(uintptr_t)&first[i * step];
	for (uint64_t i = count - 1; i > 0; i--) {
		uint64_t other, target = first[i * step];

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		other = random % i;
		first[i * step] = first[other * step];
		first[other * step] = target;
	}
}

static void fill(const struct work *work)
{
	if (work->job->kind == TEAM_CHASE) {
		link_lines(work->memory, work->job->stream_bytes);
		return;
	}
	for (size_t i = 0; i + 8 <= work->memory_bytes; i += 8) {
		const float singles[2] = {1, 1};
		const double one = 1;

		memcpy(work->memory + i, work->job->single ? (const void *)singles : &one, 8);
	}
}

/* Return the share of the memory that is in huge pages, as the system reports it. */
static double read_huge_part(const struct work *work)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	unsigned long start, stop, kib;
	double huge = 0;
	bool ours = false;
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &start, &stop) == 2)
			ours = start < (uintptr_t)work->memory + work->memory_bytes &&
			       stop > (uintptr_t)work->memory;
		else if (ours && sscanf(line, "AnonHugePages: %lu kB", &kib) == 1)
			huge += (double)kib * 1024;
	}
	if (file)
		fclose(file);
	huge /= (double)(work->job->stream_bytes * work->job->stream_count + 1);
	return huge > 1 ? 1 : huge;
}

static void get_memory(struct work *work)
{
	const struct team_job *job = work->job;
	uint64_t pitch = job->stream_bytes + STREAM_GAP_BYTES, start;

	work->memory_bytes = (pitch * job->stream_count + HUGE_PAGE_BYTES) & ~(HUGE_PAGE_BYTES - 1);
	work->memory = map(work->memory_bytes + HUGE_PAGE_BYTES);
	if (!work->memory)
		fail(work->shared, TEAM_NO_MEMORY);
	start = ((uint64_t)(uintptr_t)work->memory + HUGE_PAGE_BYTES - 1) & ~(HUGE_PAGE_BYTES - 1);
	work->memory = (uint8_t *)(uintptr_t)start;
	(void)madvise(work->memory, work->memory_bytes,
		      job->huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	fill(work);
	work->self->huge_part = read_huge_part(work);
	for (uint32_t i = 0; i < KERNEL_STREAMS_MAX; i++)
		work->streams[i] = start + (i < job->stream_count ? i : 0) * pitch;
}

/* ---- rounds ---- */

/* Wait until all members have arrived. */
static void wait_for_all(struct work *work)
{
	uint32_t wanted = ++work->barriers * work->job->cpu_count, spins = 0;

	__atomic_add_fetch(&work->shared->arrived, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&work->shared->arrived, __ATOMIC_ACQUIRE) < wanted) {
		if (__atomic_load_n(&work->shared->failed, __ATOMIC_ACQUIRE))
			end();
		if (++spins % SPINS_MAX == 0)
			sched_yield();
	}
}

static void run_kernel(struct work *work, uint64_t repeats)
{
	uint64_t window = work->job->window_bytes, offset = work->offset;
	const uint64_t *s = work->streams;

	if (!window) {
		work->kernel(s[0], s[1], s[2], s[3], work->job->stream_bytes, repeats);
		return;
	}
	for (; repeats; repeats--) {
		work->kernel(s[0] + offset, s[1] + offset, s[2] + offset, s[3] + offset, window, 1);
		offset += window;
		if (offset + window > work->job->stream_bytes)
			offset = 0;
	}
	work->offset = offset;
}

/* Return the processor's frequency: an addition takes one cycle. */
static double read_hertz(const struct work *work)
{
	double start, least = 1;

	for (int i = 0; i < 2; i++) {
		double seconds;

		start = takt_now_seconds();
		work->chain(0, 0, 0, 0, CHAIN_BYTES, CHAIN_REPEATS);
		seconds = takt_now_seconds() - start;
		if (seconds < least)
			least = seconds;
	}
	return CHAIN_BYTES / 8.0 * CHAIN_REPEATS / least;
}

static uint64_t count_switches(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

static uint64_t choose_repeats(struct work *work)
{
	uint64_t repeats = 1;

	run_kernel(work, 1);
	for (;;) {
		double start = takt_now_seconds(), seconds;

		run_kernel(work, repeats);
		seconds = takt_now_seconds() - start;
		if (seconds >= work->job->round_seconds || repeats > UINT64_MAX / 4)
			return repeats;
		if (seconds * 8 < work->job->round_seconds)
			repeats *= 8;
		else
			repeats = 1 + (uint64_t)((double)repeats * 1.1 * work->job->round_seconds /
						 seconds);
	}
}

/* Bounce the line: member 0 makes it odd, and member 1 even again. */
static void bounce(const struct work *work)
{
	uint64_t *line = &work->shared->line;

	for (uint64_t i = 0; i < BOUNCES; i++) {
		uint64_t base = __atomic_load_n(line, __ATOMIC_ACQUIRE) & ~(uint64_t)1;

		if (work->index == 0) {
			__atomic_store_n(line, base + 1, __ATOMIC_RELEASE);
			while (__atomic_load_n(line, __ATOMIC_ACQUIRE) == base + 1)
				;
		} else {
			while (!(__atomic_load_n(line, __ATOMIC_ACQUIRE) & 1))
				;
			__atomic_store_n(line, __atomic_load_n(line, __ATOMIC_ACQUIRE) + 1,
					 __ATOMIC_RELEASE);
		}
	}
}

static void run_round(struct work *work, struct team_member_round *round)
{
	uint64_t switches = count_switches();
	double before = read_hertz(work), after;

	wait_for_all(work);
	round->start_seconds = takt_now_seconds();
	if (work->job->kind == TEAM_BOUNCE)
		bounce(work);
	else
		run_kernel(work, work->shared->repeats);
	round->end_seconds = takt_now_seconds();
	wait_for_all(work);
	after = read_hertz(work);
	round->hertz = before < after ? before : after;
	round->switches = count_switches() - switches;
}

static bool is_enough(const struct work *work, uint32_t round_count)
{
	uint32_t undisturbed = 0;

	for (uint32_t i = 0; i < round_count; i++) {
		uint64_t switches = 0;

		for (uint32_t k = 0; k < work->job->cpu_count; k++)
			switches += work->shared->members[k].rounds[i].switches;
		undisturbed += switches == 0;
	}
	return undisturbed >= work->job->rounds || round_count == TEAM_ROUNDS_MAX;
}

static void run_rounds(struct work *work)
{
	uint64_t repeats = BOUNCES;

	wait_for_all(work);
	if (work->index == 0) {
		if (work->job->kind != TEAM_BOUNCE)
			repeats = choose_repeats(work);
		work->shared->repeats = repeats;
	}
	wait_for_all(work);
	for (uint32_t i = 0; !work->shared->round_count; i++) {
		run_round(work, &work->self->rounds[i]);
		wait_for_all(work);
		if (work->index == 0 && is_enough(work, i + 1))
			work->shared->round_count = i + 1;
		wait_for_all(work);
	}
}

void takt_team_member_run(const struct team_job *job, const struct kernel_code *chain,
			  struct team_shared *shared, uint32_t index)
{
	struct work work = {
		.job = job, .shared = shared, .self = &shared->members[index], .index = index};

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (!takt_pin(job->cpus[index]))
		fail(shared, TEAM_NO_CPU);
	work.chain = map_code(chain);
	if (job->kind != TEAM_BOUNCE) {
		work.kernel = map_code(job->code);
		get_memory(&work);
		if (!work.kernel)
			fail(shared, TEAM_NO_MEMORY);
	}
	if (!work.chain)
		fail(shared, TEAM_NO_MEMORY);
	if (!takt_team_sandbox_enter())
		fail(shared, TEAM_NO_SANDBOX);
	run_rounds(&work);
	end();
}
