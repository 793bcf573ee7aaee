/* SPDX-License-Identifier: MIT */
/* Measures the cycles of a call of a user's function; see call.h. */
#include "measure/call.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/measurer.h"

#define BUFFER_BYTES_MAX ((size_t)1 << 30)
#define ROUNDS_PER_WANTED 3
#define WAIT_SLICE_NANOSECONDS 2000000
#define FREQUENCY_TOLERANCE 0.02 /* relative deviation of a round's chain from the usual time */
#define CHAIN_CYCLES_MAX (1000u * TAKT_CALL_CHAIN_CYCLES)
#define TICKS_PER_SECOND_MAX 1e10 /* no clock of a processor is faster */

/* ---- the child from outside --------------------------------------------- */

/* Wait for the end of the child, and kill it when its time is over. */
static void wait_for(pid_t pid, double seconds)
{
	const struct timespec slice = {.tv_nsec = WAIT_SLICE_NANOSECONDS};
	double deadline = takt_now_seconds() + seconds;
	siginfo_t info;

	do {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
		    info.si_pid)
			return;
		nanosleep(&slice, NULL);
	} while (takt_now_seconds() < deadline);
	kill(pid, SIGKILL);
}

/* Run the child; return the signal that ended it, or 0. */
static int run_child(const struct takt_call_request *request, double seconds)
{
	pid_t parent = getpid(), pid = fork(), got;
	int status = 0;

	if (pid == 0 && request->code)
		takt_call_code_run(request, parent);
	if (pid == 0)
		takt_call_child_run(request, parent);
	if (pid < 0)
		return SIGKILL;
	wait_for(pid, seconds);
	got = takt_wait(pid, &status);
	return got == pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* ---- results ------------------------------------------------------------ */

static double difference(const uint64_t ticks[2])
{
	return (double)ticks[1] - (double)ticks[0];
}

/* Return the median over all rounds of the ticks that chain_cycles additions take. */
static double usual_frequency(const struct takt_call_round *rounds, size_t count, double *scratch)
{
	for (size_t i = 0; i < count; i++)
		scratch[i] = difference(rounds[i].chain);
	takt_sort_doubles(scratch, count);
	return scratch[count / 2];
}

/* Compute the cycles per call, ascending, of the rounds in which the chain took as long as usual;
 * return their number. */
static size_t find_cycles(const struct takt_call_shared *shared, size_t count, double *ret_cycles)
{
	const struct takt_call_round *rounds = shared->rounds;
	double calls = (double)shared->call_count, chain_cycles = shared->chain_cycles;
	double usual = usual_frequency(rounds, count, ret_cycles);
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		double chain = difference(rounds[i].chain), ticks = difference(rounds[i].calls);

		if (!(ticks > 0) || !(fabs(chain - usual) <= FREQUENCY_TOLERANCE * usual))
			continue;
		ret_cycles[kept++] = ticks / calls / (chain / chain_cycles);
	}
	takt_sort_doubles(ret_cycles, kept);
	return kept;
}

static void evaluate(const struct takt_call_shared *shared, size_t round_count, uint32_t rounds,
		     double tolerance, double iterations, struct takt_measurement *result)
{
	double *cycles = takt_xcalloc(round_count + 1, sizeof(*cycles));
	size_t kept = find_cycles(shared, round_count, cycles);
	double middle = kept ? cycles[kept / 2] : NAN;
	size_t agree = 0;

	for (size_t i = 0; i < kept; i++)
		agree += fabs(cycles[i] - middle) <= tolerance * middle;
	result->rounds = (uint32_t)agree;
	result->rejected = (uint32_t)(round_count - agree);
	result->copies[0] = (uint32_t)shared->call_count;
	result->copies[1] = 2 * (uint32_t)shared->call_count;
	result->cycles = middle / iterations;
	if (kept)
		result->spread = (cycles[kept * 3 / 4] - cycles[kept / 4]) / middle;
	if (agree >= rounds)
		result->status = TAKT_MEASURE_OK;
	else
		result->status =
			2 * kept < round_count ? TAKT_MEASURE_DISTURBED : TAKT_MEASURE_UNSTABLE;
	free(cycles);
}

/* Report the signal that the function raised and that the child's handler recorded. */
static void explain_signal(const struct takt_call_shared *shared, struct takt_text *reason,
			   struct takt_measurement *result)
{
	switch (shared->signal) {
	case SIGSYS:
		result->status = TAKT_MEASURE_ESCAPED;
		takt_text_printf(reason, "system call %llu", (unsigned long long)shared->address);
		break;
	case SIGILL:
		result->status = TAKT_MEASURE_UNSUPPORTED;
		takt_text_printf(reason, "illegal instruction at 0x%llx",
				 (unsigned long long)shared->address);
		break;
	case SIGSEGV:
	case SIGBUS:
		result->status = TAKT_MEASURE_FAULT;
		takt_text_printf(reason, "no memory at 0x%llx",
				 (unsigned long long)shared->address);
		break;
	default:
		result->status = TAKT_MEASURE_FAULT;
		takt_text_printf(reason, "signal %d, %s", (int)shared->signal,
				 strsignal(shared->signal));
	}
}

/* Replace control characters in a text of the child, which may be written to a terminal. */
static void clean(char text[TAKT_CALL_MESSAGE_BYTES])
{
	text[TAKT_CALL_MESSAGE_BYTES - 1] = 0;
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

/* Report that the child ended during loading, because of a broken file or a constructor. */
static void report_loading(const struct takt_call *call, const struct takt_call_shared *shared,
			   int killed_by, struct takt_diag *diag)
{
	if (shared->stage == TAKT_CALL_SIGNAL && shared->signal == SIGSYS)
		takt_error(diag, "cannot load '%s' of '%s': it made system call %llu",
			   call->function, call->path, (unsigned long long)shared->address);
	else
		takt_error(diag, "cannot load '%s' of '%s': %s %d", call->function, call->path,
			   "loading it ended by signal",
			   shared->stage == TAKT_CALL_SIGNAL ? (int)shared->signal : killed_by);
	takt_note(diag, "while it is loaded it has memory%s",
		  call->is_library ? ", and files to read" : ", and nothing else");
}

/* True if the child's figures are possible. The child is not trusted: a function may have changed
 * them. */
static bool is_possible(const struct takt_call_shared *shared, size_t count, double seconds)
{
	double ticks = 0;

	if (!shared->call_count || shared->call_count > TAKT_CALL_COUNT_MAX ||
	    shared->chain_cycles < TAKT_CALL_CHAIN_CYCLES ||
	    shared->chain_cycles > CHAIN_CYCLES_MAX)
		return false;
	for (size_t i = 0; i < count; i++)
		for (int twice = 0; twice < 2; twice++)
			ticks += (double)shared->rounds[i].chain[twice] +
				 (double)shared->rounds[i].calls[twice];
	return ticks <= seconds * TICKS_PER_SECOND_MAX;
}

/* Explain how the call ended. False, with an error reported, if it could not begin. */
static bool explain(const struct takt_call_request *request, int killed_by, double seconds,
		    struct takt_text *reason, struct takt_diag *diag,
		    struct takt_measurement *result)
{
	struct takt_call_shared *shared = request->shared;
	uint32_t count = shared->round_count, stage = shared->stage;
	const struct takt_call *call = request->call;

	if (count > request->rounds)
		count = 0;
	clean(shared->error.text);
	clean(shared->error.note);
	if (stage == TAKT_CALL_DONE || (stage == TAKT_CALL_RUNNING && killed_by == SIGKILL &&
					count >= request->options->rounds)) {
		if (!is_possible(shared, count, seconds)) {
			result->status = TAKT_MEASURE_ESCAPED;
			takt_text_add_string(reason, "its times are invalid");
			return true;
		}
		evaluate(shared, count, request->options->rounds, request->options->tolerance,
			 call->iterations > 0 ? call->iterations : 1, result);
	} else if (stage == TAKT_CALL_SIGNAL && !shared->was_loading) {
		explain_signal(shared, reason, result);
	} else if (stage == TAKT_CALL_RUNNING && killed_by == SIGKILL) {
		result->status = TAKT_MEASURE_TIMEOUT;
		takt_text_printf(reason, "%u of %u rounds in %g s", (unsigned)count,
				 (unsigned)request->options->rounds,
				 request->options->time_limit_seconds);
	} else if (stage == TAKT_CALL_RUNNING) {
		result->status = TAKT_MEASURE_FAULT;
		takt_text_printf(reason, "ended by signal %d", killed_by);
	} else if (stage == TAKT_CALL_LOAD_FAILED) {
		takt_error(diag, "cannot load '%s' of '%s': %s", call->function, call->path,
			   shared->error.text);
		if (*shared->error.note)
			takt_note(diag, "%s", shared->error.note);
		return false;
	} else if (stage == TAKT_CALL_NO_SANDBOX) {
		takt_error(diag, "cannot load '%s' of '%s': the sandbox was refused",
			   call->function, call->path);
		return false;
	} else {
		report_loading(call, shared, killed_by, diag);
		return false;
	}
	return true;
}

static bool check(const struct takt_call *call, struct takt_diag *diag)
{
	if (call->argument_count > TAKT_CALL_ARGUMENTS_MAX) {
		takt_error(diag, "a call has at most %d arguments, not %zu",
			   TAKT_CALL_ARGUMENTS_MAX, call->argument_count);
		return false;
	}
	for (size_t i = 0; call->buffers && i < call->argument_count; i++)
		if (call->buffers[i].size_bytes > BUFFER_BYTES_MAX) {
			takt_error(diag, "a buffer of %zu bytes is larger than %zu MiB",
				   call->buffers[i].size_bytes, BUFFER_BYTES_MAX >> 20);
			return false;
		}
	return true;
}

/* Map the memory that the child leaves its results in; NULL if there is none. */
static struct takt_call_shared *map_shared(void)
{
	void *memory = mmap(NULL, sizeof(struct takt_call_shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Say how machine code ended, and compute its cycles. */
static void explain_code(const struct takt_call_request *request, int killed_by, double seconds,
			 struct takt_text *reason, struct takt_measurement *result)
{
	struct takt_call_shared *shared = request->shared;

	clean(shared->error.text);
	result->status = TAKT_MEASURE_FAULT;
	if (shared->stage == TAKT_CALL_NO_SANDBOX)
		takt_text_add_string(reason, "the sandbox was refused");
	else if (shared->stage == TAKT_CALL_LOAD_FAILED)
		takt_text_printf(reason, "%s", shared->error.text);
	else if (shared->stage == TAKT_CALL_SIGNAL)
		explain_signal(shared, reason, result);
	else if (shared->stage == TAKT_CALL_RUNNING && killed_by == SIGKILL) {
		result->status = TAKT_MEASURE_TIMEOUT;
		takt_text_printf(reason, "not done in %g s", request->options->time_limit_seconds);
	} else if (shared->stage != TAKT_CALL_DONE || shared->round_count > request->rounds)
		takt_text_printf(reason, "ended by signal %d", killed_by);
	else if (!is_possible(shared, shared->round_count, seconds))
		result->status = TAKT_MEASURE_ESCAPED;
	else
		evaluate(shared, shared->round_count, request->code->least_rounds,
			 request->options->tolerance, 1, result);
}

void takt_measure_code(struct takt_measurer *measurer, const struct takt_code *code,
		       struct takt_measurement *ret_measurement)
{
	struct takt_call_request request = {
		.code = code,
		.options = &measurer->options,
		.rounds = ROUNDS_PER_WANTED * code->least_rounds,
		.reads_clock = measurer->clock != TAKT_CLOCK_ADD_CHAIN,
		.namespaces = measurer->child.namespaces,
		.shared = map_shared(),
	};
	double seconds = takt_now_seconds();
	int killed_by;

	*ret_measurement = (struct takt_measurement){
		.cycles = NAN, .spread = NAN, .status = TAKT_MEASURE_FAULT};
	takt_text_clear(&measurer->reason);
	if (!request.shared) {
		takt_text_add_string(&measurer->reason, "no memory for a measurement");
	} else {
		killed_by = run_child(&request, measurer->options.time_limit_seconds);
		explain_code(&request, killed_by, takt_now_seconds() - seconds, &measurer->reason,
			     ret_measurement);
		munmap(request.shared, sizeof(*request.shared));
	}
	ret_measurement->reason = takt_text_data(&measurer->reason);
}

enum takt_status takt_measure_call(struct takt_measurer *measurer, const struct takt_call *call,
				   struct takt_diag *diag, struct takt_measurement *ret_measurement)
{
	struct takt_measurement result = {.cycles = NAN, .spread = NAN};
	struct takt_call_request request = {
		.call = call,
		.options = &measurer->options,
		.rounds = ROUNDS_PER_WANTED * measurer->options.rounds,
		.reads_clock = measurer->clock != TAKT_CLOCK_ADD_CHAIN,
		.namespaces = measurer->child.namespaces,
	};
	struct takt_file file;
	double seconds;
	int killed_by;
	bool good;

	if (!check(call, diag) || takt_file_open(call->path, diag, &file) != TAKT_OK)
		return TAKT_BAD_INPUT;
	request.file = &file;
	if (request.rounds > TAKT_CALL_ROUNDS_MAX)
		request.rounds = TAKT_CALL_ROUNDS_MAX;
	request.shared = map_shared();
	if (!request.shared) {
		takt_file_close(&file);
		takt_error(diag, "no memory for a measurement");
		return TAKT_UNAVAILABLE;
	}
	seconds = takt_now_seconds();
	killed_by = run_child(&request, measurer->options.time_limit_seconds);
	seconds = takt_now_seconds() - seconds;
	takt_text_clear(&measurer->reason);
	good = explain(&request, killed_by, seconds, &measurer->reason, diag, &result);
	if (good && !isnan(result.cycles))
		takt_measurer_note_values(
			measurer,
			takt_host_fp_read(request.shared->fp_raised, &measurer->state, false),
			&result);
	munmap(request.shared, sizeof(*request.shared));
	takt_file_close(&file);
	if (!good)
		return TAKT_BAD_INPUT;
	result.reason = takt_text_data(&measurer->reason);
	*ret_measurement = result;
	return TAKT_OK;
}
