/* SPDX-License-Identifier: MIT */
/* Measures one block, and gives the child its commands. */
#include <math.h>
#include <signal.h>
#include <string.h>

#include "measure/measurer.h"

#define COPIES_MAX 65536u
/* Most bytes of a shorter run that is to fill the queues; the longer run is four times as long. */
#define FILLING_BYTES_MAX 4096u
#define PROBE_COPIES 16u
/* Duration of the shorter run: so short that the clock rate does not change and interrupts are
 * rare, but with enough ticks of the timer. */
#define RUN_SECONDS 2.5e-6
#define PASSES_MAX 256u
#define LOOP_TRIPS_MAX (1u << 24)
#define PASS_TRIPS_MIN 24u
#define WARM_UP_SAMPLES 4u
#define BLOCK_BYTES_MAX 65536u
#define RENEWAL_TRIES 3

/* ---- orders --------------------------------------------------------------- */

/* Return the status, and add the reason, for a signal that the runner could not resolve. */
static enum takt_measure_status explain_signal(struct takt_measurer *measurer)
{
	const struct takt_child_results *results = measurer->child.results;
	uint64_t address = results->fault_address, ip = results->fault_ip;
	uint64_t code = measurer->child.base + TAKT_CHILD_CODE;
	struct takt_text *reason = &measurer->reason;

	if (ip < code || ip >= code + TAKT_CHILD_CODE_BYTES) {
		takt_text_printf(reason, "jumped to 0x%llx", (unsigned long long)ip);
		return TAKT_MEASURE_ESCAPED;
	}
	switch ((int)results->signal) {
	case SIGSEGV:
		if (results->signal_code != SEGV_MAPERR && results->signal_code != SEGV_ACCERR)
			takt_text_add_string(reason, "general protection: not an address, or not "
						     "aligned");
		else if (results->signal_code == SEGV_ACCERR)
			takt_text_printf(reason, "it may not access address 0x%llx",
					 (unsigned long long)address);
		else if (results->page_count >= TAKT_PAGES_MAX)
			takt_text_printf(reason, "more than %d pages", TAKT_PAGES_MAX);
		else
			takt_text_printf(reason, "no page at 0x%llx", (unsigned long long)address);
		return TAKT_MEASURE_FAULT;
	case SIGFPE:
		takt_text_add_string(reason, "division or floating-point exception");
		return TAKT_MEASURE_FAULT;
	case SIGBUS:
		takt_text_printf(reason, "bus error at 0x%llx", (unsigned long long)address);
		return TAKT_MEASURE_FAULT;
	case SIGILL:
		takt_text_add_string(reason, "illegal instruction");
		return TAKT_MEASURE_UNSUPPORTED;
	default:
		takt_text_printf(reason, "trap, signal %d", (int)results->signal);
		return TAKT_MEASURE_ESCAPED;
	}
}

static enum takt_measure_status explain_end(struct takt_measurer *measurer, enum takt_child_end end)
{
	switch (end) {
	case TAKT_CHILD_LATE:
		takt_text_printf(&measurer->reason, "more than %g s",
				 measurer->options.time_limit_seconds);
		return TAKT_MEASURE_TIMEOUT;
	case TAKT_CHILD_SIGNAL:
		return explain_signal(measurer);
	case TAKT_CHILD_KILLED:
		takt_text_add_string(&measurer->reason, measurer->child.killed_by == SIGSYS
								? "tried a system call"
								: "broke the measuring process");
		return TAKT_MEASURE_ESCAPED;
	case TAKT_CHILD_RUNNING:
	case TAKT_CHILD_DONE:
		break;
	}
	return TAKT_MEASURE_OK;
}

bool takt_bench_command(struct takt_measurer *measurer, const struct takt_order *order,
			struct takt_measurement *measurement)
{
	struct takt_child_control *control = measurer->child.control;
	double left = measurer->deadline_seconds - takt_now_seconds();
	enum takt_child_end end;

	control->flags = order->flags | measurer->block_flags;
	control->run_count = order->run_count;
	control->repeat = order->repeat;
	for (uint32_t i = 0; i < order->run_count; i++) {
		enum takt_run run = order->first + i;

		control->run_entries[i] = measurer->entries[run];
		control->run_restores[i] = run == TAKT_RUN_BLOCK || run == TAKT_RUN_LONG_BLOCK ||
					   run == TAKT_RUN_TRACE;
	}
	end = takt_child_command(&measurer->child, left > 0 ? left : 0);
	if (end == TAKT_CHILD_DONE)
		return true;
	measurement->status = explain_end(measurer, end);
	return false;
}

/* ---- a block -------------------------------------------------------------- */

/* Find registers to count in: the last that the block does not use, except the stack pointer. */
static struct takt_loop_counters find_counters(const struct takt_subject *subject)
{
	uint32_t found[2] = {TAKT_NO_COUNTER, TAKT_NO_COUNTER}, count = 0;

	for (uint32_t r = TAKT_HOST_COUNTER_LAST + 1; r-- > 0 && count < 2;)
		if (!(subject->gpr_used >> r & 1) && r != TAKT_HOST_STACK_POINTER)
			found[count++] = r;
	return (struct takt_loop_counters){.trips = found[0], .passes = found[1]};
}

/* Find roughly how long a run takes. */
static bool time_run(struct takt_measurer *measurer, enum takt_run run, double *ret_seconds,
		     struct takt_measurement *measurement)
{
	const struct takt_order order = {run, 1, WARM_UP_SAMPLES, TAKT_CHILD_MAP_FAULTS};
	double least = INFINITY;

	if (!takt_bench_command(measurer, &order, measurement))
		return false;
	for (uint32_t i = 0; i < WARM_UP_SAMPLES; i++)
		least = fmin(least, (double)measurer->child.results->ticks[i]);
	*ret_seconds = least * measurer->seconds_per_tick;
	return true;
}

/* Return the copies that fill the queues; long instructions do not in the bytes that are left. */
static size_t copies_that_fill(const struct takt_measurer *measurer,
			       const struct takt_subject *subject)
{
	size_t count =
		(takt_host_straight().filling + subject->insn_count - 1) / subject->insn_count;
	size_t most = FILLING_BYTES_MAX / subject->size_bytes;

	if (!measurer->options.fills_queues)
		return 0;
	return count < most ? count : most;
}

static uint32_t copies_that_fit(const struct takt_measurer *measurer,
				const struct takt_subject *subject)
{
	size_t count = takt_host_straight().bytes / subject->size_bytes;
	size_t filling = copies_that_fill(measurer, subject);

	if (measurer->options.mode == TAKT_MODE_LOOP)
		return LOOP_TRIPS_MAX;
	if (count < filling)
		count = filling;
	return count < 1 ? 1 : count > COPIES_MAX ? COPIES_MAX : (uint32_t)count;
}

static bool emit(struct takt_measurer *measurer, const struct takt_subject *subject,
		 const struct takt_loop_counters *counters, struct takt_measurement *measurement)
{
	if (takt_program_emit_block(measurer, subject, measurement->copies, counters))
		return true;
	measurement->status = TAKT_MEASURE_TOO_LARGE;
	return false;
}

/* Emit passes over the copies or the loop, and time them. */
static bool repeat(struct takt_measurer *measurer, const struct takt_subject *subject,
		   const struct takt_loop_counters *counters, double passes,
		   double *ret_sample_seconds, struct takt_measurement *measurement)
{
	double longer, shorter;

	measurer->passes = (uint32_t)ceil(fmin(passes, PASSES_MAX));
	if (!emit(measurer, subject, counters, measurement) ||
	    !time_run(measurer, TAKT_RUN_LONG_BLOCK, &longer, measurement) ||
	    !time_run(measurer, TAKT_RUN_BLOCK, &shorter, measurement))
		return false;
	*ret_sample_seconds = longer + shorter;
	return true;
}

/* Emit passes over straight code if the clock or the op cache needs them. They need a register. */
static bool repeat_copies(struct takt_measurer *measurer, const struct takt_subject *subject,
			  struct takt_loop_counters counters, double seconds,
			  double *ret_sample_seconds, struct takt_measurement *measurement)
{
	double passes = fmax(takt_rounds_least_seconds(measurer) / fmax(seconds, 1e-9),
			     takt_host_straight().passes);

	if (passes <= 1 || counters.trips == TAKT_NO_COUNTER)
		return true;
	counters.passes = counters.trips;
	return repeat(measurer, subject, &counters, passes, ret_sample_seconds, measurement);
}

/*
 * Emit passes over a loop that walks through more pages than it has, each of so few trips that it
 * stays in them. They need a second register, and trips enough that the end of a pass matters
 * little.
 */
static bool repeat_loop(struct takt_measurer *measurer, const struct takt_subject *subject,
			const struct takt_loop_counters *counters, double *ret_sample_seconds,
			struct takt_measurement *measurement)
{
	uint32_t *copies = measurement->copies, pages = measurer->child.results->page_count;
	uint32_t longer = takt_host_straight().longer, before = copies[0];
	uint64_t trips = (uint64_t)copies[1] * (TAKT_CHILD_PAGE_COUNT - 1) / (pages ? pages : 1);

	if (pages <= TAKT_CHILD_PAGE_COUNT || trips < PASS_TRIPS_MIN ||
	    counters->passes == TAKT_NO_COUNTER)
		return true;
	copies[0] = (uint32_t)trips / longer;
	copies[1] = longer * copies[0];
	return repeat(measurer, subject, counters, (double)before / copies[0], ret_sample_seconds,
		      measurement);
}

/* Choose how many copies make the runs as long as they should be, emit them, and warm them up. */
static bool prepare_runs(struct takt_measurer *measurer, const struct takt_subject *subject,
			 double *ret_sample_seconds, struct takt_measurement *measurement)
{
	uint32_t fit = copies_that_fit(measurer, subject), *copies = measurement->copies;
	uint32_t probe = fit < PROBE_COPIES ? fit : PROBE_COPIES;
	uint32_t longer = takt_host_straight().longer;
	struct takt_loop_counters counters = find_counters(subject);
	double enough = fmax(RUN_SECONDS, takt_rounds_least_seconds(measurer)), seconds;
	bool loop = measurer->options.mode == TAKT_MODE_LOOP;

	measurer->passes = 1;
	if (loop && counters.trips == TAKT_NO_COUNTER) {
		takt_text_add_string(&measurer->reason, "no register is free to count the loop in");
		measurement->status = TAKT_MEASURE_UNSUPPORTED;
		return false;
	}
	copies[0] = copies[1] = probe;
	if (!emit(measurer, subject, &counters, measurement) ||
	    !time_run(measurer, TAKT_RUN_BLOCK, &seconds, measurement))
		return false;
	for (int i = 0; i < 2; i++) { /* twice, since a short probe is mostly overhead */
		double wanted = copies[0] * enough / fmax(seconds, 1e-9);

		copies[0] = wanted < 1 ? 1 : wanted > fit ? fit : (uint32_t)wanted;
		copies[1] = longer * copies[0];
		if (!emit(measurer, subject, &counters, measurement) ||
		    !time_run(measurer, TAKT_RUN_LONG_BLOCK, &seconds, measurement))
			return false;
		*ret_sample_seconds = (1 + 1.0 / longer) * seconds;
		if (seconds > enough || copies[0] == fit)
			break;
		seconds /= longer;
	}
	if (!time_run(measurer, TAKT_RUN_BLOCK, &seconds, measurement))
		return false;
	return loop ? repeat_loop(measurer, subject, &counters, ret_sample_seconds, measurement)
		    : repeat_copies(measurer, subject, counters, seconds, ret_sample_seconds,
				    measurement);
}

void takt_measurer_note_values(struct takt_measurer *measurer, struct takt_host_fp fp,
			       struct takt_measurement *measurement)
{
	const bool came_up[TAKT_MEASURE_VALUE_COUNT] = {
		[TAKT_MEASURE_VALUE_DENORMAL] = fp.denormal,
		[TAKT_MEASURE_VALUE_FLUSHED] = fp.flushed,
		[TAKT_MEASURE_VALUE_INFINITE] = fp.infinite,
		[TAKT_MEASURE_VALUE_INVALID] = fp.invalid,
		[TAKT_MEASURE_VALUE_X87_STACK] = fp.x87_stack,
	};
	bool is_said = takt_text_data(&measurer->reason)[0] != 0;

	for (unsigned v = 0; v < TAKT_MEASURE_VALUE_COUNT; v++) {
		if (!came_up[v])
			continue;
		if (!is_said)
			takt_text_printf(&measurer->reason, "%s %s",
					 measurement->values ? ";" : "values",
					 takt_measure_value_text((enum takt_measure_value)v));
		measurement->values |= 1u << v;
	}
	if (fp.denormal && measurement->status == TAKT_MEASURE_OK &&
	    !measurer->options.keep_denormals)
		measurement->status = TAKT_MEASURE_DENORMAL;
}

/*
 * Start a new process for a new block, so that no block can affect another. If that fails, the
 * machine is the cause, not the block: the status is DISTURBED.
 */
static bool renew_child(struct takt_measurer *measurer, struct takt_measurement *measurement)
{
	if (measurer->child_used)
		takt_child_kill(&measurer->child);
	measurer->child_used = false;
	measurer->block_flags = 0;
	for (int i = 0; i < RENEWAL_TRIES; i++) {
		if (takt_rounds_recalibrate(measurer, measurement))
			return true;
		takt_child_kill(&measurer->child);
	}
	measurement->status = TAKT_MEASURE_DISTURBED;
	takt_text_clear(&measurer->reason);
	takt_text_add_string(&measurer->reason, "no new measuring process could be started");
	return false;
}

/* Fill the template, and the pages, which get its contents again before each run. */
static void fill_memory(struct takt_measurer *measurer, const struct takt_subject *subject)
{
	uint8_t *view = measurer->child.view, *template = view + TAKT_CHILD_TEMPLATE;

	takt_initial_memory(&measurer->options, subject, (uint64_t *)(void *)template,
			    TAKT_PAGE_BYTES / sizeof(uint64_t));
	for (uint32_t i = 0; i < TAKT_CHILD_PAGE_COUNT; i++)
		memcpy(view + TAKT_CHILD_PAGES + (size_t)i * TAKT_PAGE_BYTES, template,
		       TAKT_PAGE_BYTES);
}

static void run_subject(struct takt_measurer *measurer, const struct takt_subject *subject,
			struct takt_measurement *measurement)
{
	double sample_seconds;

	*measurement = (struct takt_measurement){.cycles = NAN, .spread = NAN};
	takt_text_clear(&measurer->reason);
	measurer->deadline_seconds = takt_now_seconds() + measurer->options.time_limit_seconds;
	if (!renew_child(measurer, measurement))
		return;
	measurer->child_used = true;
	measurer->block_flags = subject->gs ? TAKT_CHILD_GS_IN_USE : 0;
	fill_memory(measurer, subject);
	if (!takt_crossings_check(measurer, subject, measurement) ||
	    !prepare_runs(measurer, subject, &sample_seconds, measurement))
		return;
	measurement->pages = (uint32_t)fmin(measurer->child.results->page_count, TAKT_PAGES_MAX);
	takt_rounds_run(measurer,
			(double)(measurement->copies[1] - measurement->copies[0]) *
				measurer->passes,
			sample_seconds, subject->insn_count / TAKT_HOST_WIDEST, measurement);
	takt_measurer_note_values(measurer,
				  takt_host_fp_read(measurer->child.results->fp_raised,
						    &measurer->state,
						    subject->floats == TAKT_FLOAT_HALF),
				  measurement);
}

static void measure_subject(struct takt_measurer *measurer, const struct takt_subject *subject,
			    struct takt_measurement *measurement)
{
	run_subject(measurer, subject, measurement);
	/* Counters are read later, from the same process. */
	if (!measurer->child.counters)
		takt_child_kill(&measurer->child);
}

static void measure(struct takt_measurer *measurer, const uint8_t *bytes, size_t size_bytes,
		    bool unchecked, struct takt_measurement *ret_measurement)
{
	struct takt_measurement measurement = {.cycles = NAN, .spread = NAN};
	struct takt_subject subject;

	takt_text_clear(&measurer->reason);
	takt_arena_clear(&measurer->arena);
	if (size_bytes > BLOCK_BYTES_MAX) {
		measurement.status = TAKT_MEASURE_TOO_LARGE;
	} else {
		measurement.status = takt_subject_init(bytes, size_bytes, &measurer->arena,
						       &measurer->reason, &subject);
		if (measurement.status == TAKT_MEASURE_OK || (unchecked && size_bytes > 0))
			measure_subject(measurer, &subject, &measurement);
	}
	measurement.reason = takt_text_data(&measurer->reason);
	*ret_measurement = measurement;
}

void takt_measure(struct takt_measurer *measurer, const uint8_t *bytes, size_t size_bytes,
		  struct takt_measurement *ret_measurement)
{
	measure(measurer, bytes, size_bytes, false, ret_measurement);
}

void takt_measure_unchecked(struct takt_measurer *measurer, const uint8_t *bytes, size_t size_bytes,
			    struct takt_measurement *ret_measurement)
{
	measure(measurer, bytes, size_bytes, true, ret_measurement);
}
