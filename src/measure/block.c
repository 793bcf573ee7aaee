/* SPDX-License-Identifier: MIT */
/* Measures one block, and gives the child its commands. */
#include <math.h>
#include <signal.h>

#include "measure/bench.h"

#define BODY_BYTES 4096u /* shorter run at most: both and the chains fit a 32 KiB cache */
#define COPIES_MAX 65536u
#define PROBE_COPIES 16u
/* Duration of the shorter run: so short that the clock rate does not change and interrupts are
 * rare, but with enough ticks of the timer. */
#define RUN_SECONDS 2.5e-6
#define PASSES_MAX 256u
#define LOOP_TRIPS_MAX (1u << 24)
#define WARM_UP_SAMPLES 4u
#define BLOCK_BYTES_MAX 65536u
#define RENEWAL_TRIES 3

/* ---- orders --------------------------------------------------------------- */

/* Return the status, and add the reason, for a signal that the runner could not resolve. */
static enum takt_measure_status explain_signal(struct takt_measurer *bench)
{
	const struct takt_child_results *results = bench->child.results;
	uint64_t address = results->fault_address, ip = results->fault_ip;
	uint64_t code = bench->child.base + TAKT_CHILD_CODE;
	struct takt_text *reason = &bench->reason;

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

static enum takt_measure_status explain_end(struct takt_measurer *bench, enum takt_child_end end)
{
	switch (end) {
	case TAKT_CHILD_LATE:
		takt_text_printf(&bench->reason, "more than %g s",
				 bench->options.time_limit_seconds);
		return TAKT_MEASURE_TIMEOUT;
	case TAKT_CHILD_SIGNAL:
		return explain_signal(bench);
	case TAKT_CHILD_KILLED:
		takt_text_add_string(&bench->reason, bench->child.killed_by == SIGSYS
							     ? "tried a system call"
							     : "broke the measuring process");
		return TAKT_MEASURE_ESCAPED;
	case TAKT_CHILD_RUNNING:
	case TAKT_CHILD_DONE:
		break;
	}
	return TAKT_MEASURE_OK;
}

bool takt_bench_command(struct takt_measurer *bench, const struct takt_order *order,
			struct takt_measurement *measurement)
{
	struct takt_child_control *control = bench->child.control;
	double left = bench->deadline_seconds - takt_now_seconds();
	enum takt_child_end end;

	control->flags = order->flags | bench->block_flags;
	control->run_count = order->run_count;
	control->repeat = order->repeat;
	for (uint32_t i = 0; i < order->run_count; i++) {
		enum takt_run run = order->first + i;

		control->run_entries[i] = bench->entries[run];
		control->run_restores[i] = run == TAKT_RUN_BLOCK || run == TAKT_RUN_LONG_BLOCK ||
					   run == TAKT_RUN_TRACE;
	}
	end = takt_child_command(&bench->child, left > 0 ? left : 0);
	if (end == TAKT_CHILD_DONE)
		return true;
	measurement->status = explain_end(bench, end);
	return false;
}

/* ---- a block -------------------------------------------------------------- */

/* Find a register for the loop to count in: the last that the block does not use, except the stack
 * pointer. */
static bool find_counter(struct takt_measurer *bench, const struct takt_subject *subject,
			 uint32_t *ret_counter)
{
	for (uint32_t r = TAKT_HOST_COUNTER_LAST + 1; r-- > 0;)
		if (!(subject->gpr_used >> r & 1) && r != TAKT_HOST_STACK_POINTER) {
			*ret_counter = r;
			return true;
		}
	takt_text_add_string(&bench->reason, "no register is free to count the loop in");
	return false;
}

/* Find roughly how long a run takes. */
static bool time_run(struct takt_measurer *bench, enum takt_run run, double *ret_seconds,
		     struct takt_measurement *measurement)
{
	const struct takt_order order = {run, 1, WARM_UP_SAMPLES, TAKT_CHILD_MAP_FAULTS};
	double least = INFINITY;

	if (!takt_bench_command(bench, &order, measurement))
		return false;
	for (uint32_t i = 0; i < WARM_UP_SAMPLES; i++)
		least = fmin(least, (double)bench->child.results->ticks[i]);
	*ret_seconds = least * bench->seconds_per_tick;
	return true;
}

static uint32_t copies_that_fit(const struct takt_measurer *bench,
				const struct takt_subject *subject)
{
	size_t count = BODY_BYTES / subject->size_bytes;

	if (bench->options.mode == TAKT_MODE_LOOP)
		return LOOP_TRIPS_MAX;
	return count < 1 ? 1 : count > COPIES_MAX ? COPIES_MAX : (uint32_t)count;
}

/* Emit `passes` passes over the copies, so that a run takes as many times as long, if a register
 * is free to count them. */
static bool repeat_copies(struct takt_measurer *bench, const struct takt_subject *subject,
			  double passes, double *sample_seconds,
			  struct takt_measurement *measurement)
{
	uint32_t counter = 0;
	double seconds;

	if (!find_counter(bench, subject, &counter)) {
		takt_text_clear(&bench->reason);
		return true;
	}
	bench->passes = (uint32_t)ceil(fmin(passes, PASSES_MAX));
	if (!takt_program_emit_block(bench, subject, measurement->copies, counter)) {
		measurement->status = TAKT_MEASURE_TOO_LARGE;
		return false;
	}
	*sample_seconds *= bench->passes;
	return time_run(bench, TAKT_RUN_LONG_BLOCK, &seconds, measurement) &&
	       time_run(bench, TAKT_RUN_BLOCK, &seconds, measurement);
}

/* Choose how many copies make the runs as long as they should be, emit them, and warm them up. */
static bool prepare_runs(struct takt_measurer *bench, const struct takt_subject *subject,
			 double *ret_sample_seconds, struct takt_measurement *measurement)
{
	uint32_t fit = copies_that_fit(bench, subject), *copies = measurement->copies;
	uint32_t probe = fit < PROBE_COPIES ? fit : PROBE_COPIES, counter = 0;
	double least = takt_rounds_least_seconds(bench), enough = fmax(RUN_SECONDS, least), seconds;

	bench->passes = 1;
	if (bench->options.mode == TAKT_MODE_LOOP && !find_counter(bench, subject, &counter)) {
		measurement->status = TAKT_MEASURE_UNSUPPORTED;
		return false;
	}
	copies[0] = copies[1] = probe;
	if (subject->size_bytes > BLOCK_BYTES_MAX ||
	    !takt_program_emit_block(bench, subject, copies, counter)) {
		measurement->status = TAKT_MEASURE_TOO_LARGE;
		return false;
	}
	if (!time_run(bench, TAKT_RUN_BLOCK, &seconds, measurement))
		return false;
	for (int i = 0; i < 2; i++) { /* twice, since a short probe is mostly overhead */
		double wanted = copies[0] * enough / fmax(seconds, 1e-9);

		copies[0] = wanted < 1 ? 1 : wanted > fit ? fit : (uint32_t)wanted;
		copies[1] = 2 * copies[0];
		if (!takt_program_emit_block(bench, subject, copies, counter)) {
			measurement->status = TAKT_MEASURE_TOO_LARGE;
			return false;
		}
		if (!time_run(bench, TAKT_RUN_LONG_BLOCK, &seconds, measurement))
			return false;
		*ret_sample_seconds = 1.5 * seconds;
		if (seconds > enough || copies[0] == fit)
			break;
		seconds /= 2;
	}
	if (!time_run(bench, TAKT_RUN_BLOCK, &seconds, measurement))
		return false;
	return seconds >= least || bench->options.mode == TAKT_MODE_LOOP ||
	       repeat_copies(bench, subject, least / fmax(seconds, 1e-9), ret_sample_seconds,
			     measurement);
}

void takt_bench_note_values(struct takt_measurer *bench, struct takt_host_fp fp,
			    struct takt_measurement *measurement)
{
	const bool came_up[TAKT_MEASURE_VALUE_COUNT] = {
		[TAKT_MEASURE_VALUE_DENORMAL] = fp.denormal,
		[TAKT_MEASURE_VALUE_FLUSHED] = fp.flushed,
		[TAKT_MEASURE_VALUE_INFINITE] = fp.infinite,
		[TAKT_MEASURE_VALUE_INVALID] = fp.invalid,
		[TAKT_MEASURE_VALUE_X87_STACK] = fp.x87_stack,
	};
	bool is_said = takt_text_data(&bench->reason)[0] != 0;

	for (unsigned v = 0; v < TAKT_MEASURE_VALUE_COUNT; v++) {
		if (!came_up[v])
			continue;
		if (!is_said)
			takt_text_printf(&bench->reason, "%s %s",
					 measurement->values ? ";" : "values",
					 takt_measure_value_text((enum takt_measure_value)v));
		measurement->values |= 1u << v;
	}
	if (fp.denormal && measurement->status == TAKT_MEASURE_OK && !bench->options.keep_denormals)
		measurement->status = TAKT_MEASURE_DENORMAL;
}

/*
 * Start a new process for a new block, so that no block can affect another. If that fails, the
 * machine is the cause, not the block: the status is DISTURBED.
 */
static bool renew_child(struct takt_measurer *bench, struct takt_measurement *measurement)
{
	if (bench->child_used)
		takt_child_kill(&bench->child);
	bench->child_used = false;
	bench->block_flags = 0;
	for (int i = 0; i < RENEWAL_TRIES; i++) {
		if (takt_rounds_recalibrate(bench, measurement))
			return true;
		takt_child_kill(&bench->child);
	}
	measurement->status = TAKT_MEASURE_DISTURBED;
	takt_text_clear(&bench->reason);
	takt_text_add_string(&bench->reason, "no new measuring process could be started");
	return false;
}

static void run_subject(struct takt_measurer *bench, const struct takt_subject *subject,
			struct takt_measurement *measurement)
{
	double sample_seconds;

	*measurement = (struct takt_measurement){.cycles = NAN, .spread = NAN};
	takt_text_clear(&bench->reason);
	bench->deadline_seconds = takt_now_seconds() + bench->options.time_limit_seconds;
	if (!renew_child(bench, measurement))
		return;
	bench->child_used = true;
	bench->block_flags = subject->gs ? TAKT_CHILD_GS_IN_USE : 0;
	takt_initial_memory(&bench->options, subject,
			    (uint64_t *)(void *)(bench->child.view + TAKT_CHILD_TEMPLATE),
			    TAKT_PAGE_BYTES / sizeof(uint64_t));
	if (!takt_crossings_check(bench, subject, measurement) ||
	    !prepare_runs(bench, subject, &sample_seconds, measurement))
		return;
	measurement->pages = (uint32_t)fmin(bench->child.results->page_count, TAKT_PAGES_MAX);
	takt_rounds_run(bench,
			(double)(measurement->copies[1] - measurement->copies[0]) * bench->passes,
			sample_seconds, subject->insn_count / TAKT_HOST_WIDEST, measurement);
	takt_bench_note_values(bench,
			       takt_host_fp_read(bench->child.results->fp_raised, &bench->state,
						 subject->floats == TAKT_FLOAT_HALF),
			       measurement);
}

static void measure_subject(struct takt_measurer *bench, const struct takt_subject *subject,
			    struct takt_measurement *measurement)
{
	run_subject(bench, subject, measurement);
	/* Counters are read later, from the same process. */
	if (!bench->child.counters)
		takt_child_kill(&bench->child);
}

static void measure(struct takt_measurer *bench, const uint8_t *bytes, size_t size_bytes,
		    bool unchecked, struct takt_measurement *ret_measurement)
{
	struct takt_measurement measurement = {.cycles = NAN, .spread = NAN};
	struct takt_subject subject;

	takt_text_clear(&bench->reason);
	takt_arena_clear(&bench->arena);
	if (size_bytes > BLOCK_BYTES_MAX) {
		measurement.status = TAKT_MEASURE_TOO_LARGE;
	} else {
		measurement.status = takt_subject_init(bytes, size_bytes, &bench->arena,
						       &bench->reason, &subject);
		if (measurement.status == TAKT_MEASURE_OK || (unchecked && size_bytes > 0))
			measure_subject(bench, &subject, &measurement);
	}
	measurement.reason = takt_text_data(&bench->reason);
	*ret_measurement = measurement;
}

void takt_measure(struct takt_measurer *bench, const uint8_t *bytes, size_t size_bytes,
		  struct takt_measurement *ret_measurement)
{
	measure(bench, bytes, size_bytes, false, ret_measurement);
}

void takt_measure_unchecked(struct takt_measurer *bench, const uint8_t *bytes, size_t size_bytes,
			    struct takt_measurement *ret_measurement)
{
	measure(bench, bytes, size_bytes, true, ret_measurement);
}
