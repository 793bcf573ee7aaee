/* SPDX-License-Identifier: MIT */
/* The library's side of the processes that assemble text; see assembler.h. */
#include "input/assembler.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM "takt-assembler"
#define IDLE_MAX 4
#define WAIT_PER_CPU 60 /* elapsed per processor time: a busy machine is not the text's fault */
#define END_SECONDS 2.0 /* patience for a process to end after it has closed its socket */

extern char **environ;

struct takt_assembler {
	const char *module;
	pid_t owner; /* the process that started it */
	pid_t pid;   /* 0: none is running */
	int socket;
	bool has_served;
};

/*
 * Idle processes. The thread that exchanges a slot's content for NULL owns the process; a lock
 * would not do, because fork() could copy it in its locked state.
 */
static _Atomic(struct takt_assembler *) idle[IDLE_MAX];

/* ---- starting --------------------------------------------------------------- */

/* Find the module and the program beside it, which is trusted as the module is. False: an error. */
static bool find_paths(const char *name, struct takt_diag *diag, struct takt_text *module,
		       struct takt_text *program)
{
	const struct takt_module_trust trust = takt_module_trust_of_process();
	const char *slash, *why;

	if (!takt_module_find(name, diag, module))
		return false;
	slash = strrchr(module->data, '/');
	takt_text_add(program, module->data, (size_t)(slash + 1 - module->data));
	takt_text_add_string(program, PROGRAM);
	why = takt_module_distrust(&trust, program->data);
	if (why)
		takt_error(diag, "cannot start '%s': %s", program->data, why);
	return !why;
}

/* Copy the environment variables that the loader needs; others may be secret. */
static char **loader_environment(void)
{
	size_t count = 0, kept = 0;
	char **variables;

	while (environ && environ[count])
		count++;
	variables = takt_xcalloc(count + 1, sizeof(*variables));
	for (size_t i = 0; i < count; i++)
		if (takt_string_starts(environ[i], "LD_"))
			variables[kept++] = environ[i];
	return variables;
}

/* Start the program with no signal blocked or ignored. Return 0 or an error number. */
static int spawn(char *program, char *module, int socket, pid_t *ret_pid)
{
	char *arguments[] = {program, module, NULL};
	char **variables = loader_environment();
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t all, none;
	int error;

	sigfillset(&all);
	sigemptyset(&none);
	error = posix_spawn_file_actions_init(&actions);
	if (error) {
		free(variables);
		return error;
	}
	error = posix_spawn_file_actions_adddup2(&actions, socket, TAKT_WIRE_SOCKET);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setsigmask(&attributes, &none);
	if (!error)
		error = posix_spawn(ret_pid, program, &actions, &attributes, arguments, variables);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	free(variables);
	return error;
}

static bool start_program(struct takt_assembler *assembler, char *program, char *module,
			  struct takt_diag *diag)
{
	int pair[2], error;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
		takt_error(diag, "no socket for the assembling process: %s", strerror(errno));
		return false;
	}
	error = spawn(program, module, pair[1], &assembler->pid);
	close(pair[1]);
	if (error) {
		assembler->pid = 0;
		close(pair[0]);
		takt_error(diag, "cannot start '%s': %s", program, strerror(error));
		return false;
	}
	assembler->socket = pair[0];
	assembler->owner = getpid();
	assembler->has_served = false;
	return true;
}

static bool start(struct takt_assembler *assembler, struct takt_diag *diag)
{
	struct takt_text module = {0}, program = {0};
	bool started = find_paths(assembler->module, diag, &module, &program) &&
		       start_program(assembler, program.data, module.data, diag);

	takt_text_release(&module);
	takt_text_release(&program);
	return started;
}

/* ---- ending ------------------------------------------------------------------ */

/* End the process, unless it ends by itself. Return the signal that ended it, or 0. */
static int end(struct takt_assembler *assembler, double patience_seconds)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	double deadline = takt_now_seconds() + patience_seconds;
	int status = 0;
	pid_t pid;

	close(assembler->socket);
	do {
		pid = waitpid(assembler->pid, &status, WNOHANG);
		if (pid == 0 && takt_now_seconds() < deadline)
			nanosleep(&nap, NULL);
	} while (pid == 0 && takt_now_seconds() < deadline);
	if (pid == 0) { /* still a child of this process, so no other has its number */
		kill(assembler->pid, SIGKILL);
		takt_wait(assembler->pid, NULL);
	}
	assembler->pid = 0;
	return pid > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* ---- one text ------------------------------------------------------------------ */

static bool send_request(struct takt_wire *wire, const struct takt_shim_request *request,
			 uint32_t cpu_milliseconds)
{
	const char *strings[TAKT_WIRE_STRINGS] = {
		[TAKT_WIRE_TRIPLE] = request->triple,
		[TAKT_WIRE_CPU] = request->cpu,
		[TAKT_WIRE_FEATURES] = request->features,
		[TAKT_WIRE_PREFIX] = request->label_prefix,
		[TAKT_WIRE_NAME] = request->source_name,
		[TAKT_WIRE_SOURCE] = request->source,
	};
	struct takt_wire_request header = {
		.intel_syntax = request->intel_syntax != 0,
		.cpu_milliseconds = cpu_milliseconds,
	};

	for (int i = 0; i < TAKT_WIRE_STRINGS; i++)
		header.string_sizes[i] = strlen(strings[i]) + 1;
	if (!takt_wire_send(wire, &header, sizeof(header)))
		return false;
	for (int i = 0; i < TAKT_WIRE_STRINGS; i++)
		if (!takt_wire_send(wire, strings[i], header.string_sizes[i]))
			return false;
	return true;
}

static bool read_reports(struct takt_wire *wire, uint32_t count,
			 const struct takt_shim_request *request)
{
	char message[TAKT_WIRE_MESSAGE_MAX_BYTES + 1];
	struct takt_wire_report report;

	for (uint32_t i = 0; i < count; i++) {
		if (!takt_wire_receive(wire, &report, sizeof(report)) ||
		    report.size_bytes > TAKT_WIRE_MESSAGE_MAX_BYTES ||
		    report.kind > TAKT_SHIM_TOO_MUCH ||
		    !takt_wire_receive(wire, message, report.size_bytes))
			return false;
		message[report.size_bytes] = '\0';
		request->report(request->context, (enum takt_shim_report_kind)report.kind,
				report.line, report.column, message);
	}
	return true;
}

/* Receive an array, which the caller frees. NULL if it does not arrive. */
static void *read_array(struct takt_wire *wire, uint64_t count, size_t size_bytes)
{
	void *data = takt_xcalloc(count ? (size_t)count : 1, size_bytes);

	if (takt_wire_receive(wire, data, (size_t)count * size_bytes))
		return data;
	free(data);
	return NULL;
}

static bool read_result(struct takt_wire *wire, const struct takt_wire_reply *reply,
			struct takt_shim_result *ret_result)
{
	struct takt_shim_result result = {
		.object_size_bytes = (size_t)reply->object_size_bytes,
		.insn_count = (size_t)reply->insn_count,
		.label_count = (size_t)reply->label_count,
	};

	result.object = read_array(wire, reply->object_size_bytes, 1);
	if (result.object)
		result.insns = read_array(wire, reply->insn_count, sizeof(*result.insns));
	if (result.insns)
		result.labels = read_array(wire, reply->label_count, sizeof(*result.labels));
	if (result.labels && takt_wire_insns_are_fit(result.insns, result.insn_count)) {
		*ret_result = result;
		return true;
	}
	free(result.object);
	free(result.insns);
	free(result.labels);
	return false;
}

/* Report the loader's message. */
static bool read_refusal(struct takt_wire *wire, const char *module, struct takt_diag *diag)
{
	char why[TAKT_WIRE_MESSAGE_MAX_BYTES + 1] = "";
	struct takt_wire_report report;

	if (!takt_wire_receive(wire, &report, sizeof(report)) ||
	    report.size_bytes > TAKT_WIRE_MESSAGE_MAX_BYTES ||
	    !takt_wire_receive(wire, why, report.size_bytes))
		return false;
	takt_error(diag, "cannot load the module '%s.so': %s", module, why);
	return true;
}

enum takt_assembler_outcome takt_assembler_read_reply(struct takt_wire *wire,
						      const struct takt_shim_request *request,
						      struct takt_diag *diag, const char *module,
						      struct takt_shim_result *ret_result,
						      struct takt_assembler_end *ret_end)
{
	struct takt_wire_reply reply;

	*ret_end = (struct takt_assembler_end){TAKT_SHIM_CRASH, 0, TAKT_SHIM_NO_PLACE};
	if (!takt_wire_receive(wire, &reply, sizeof(reply)) || !takt_wire_reply_is_fit(&reply))
		return TAKT_ASSEMBLER_GAVE_UP;
	switch ((enum takt_wire_kind)reply.kind) {
	case TAKT_WIRE_DONE:
		return read_result(wire, &reply, ret_result) ? TAKT_ASSEMBLER_DONE
							     : TAKT_ASSEMBLER_GAVE_UP;
	case TAKT_WIRE_FAILED:
		return read_reports(wire, reply.report_count, request) ? TAKT_ASSEMBLER_FAILED
								       : TAKT_ASSEMBLER_GAVE_UP;
	case TAKT_WIRE_NO_MODULE:
		return read_refusal(wire, module, diag) ? TAKT_ASSEMBLER_UNAVAILABLE
							: TAKT_ASSEMBLER_GAVE_UP;
	case TAKT_WIRE_GAVE_UP:
		break;
	}
	ret_end->cause = (enum takt_shim_cause)reply.cause;
	ret_end->signal = reply.signal < 64 ? (int)reply.signal : 0;
	ret_end->place = reply.place;
	return TAKT_ASSEMBLER_GAVE_UP;
}

/* Send the request to the running process and read its reply. */
static enum takt_assembler_outcome ask(struct takt_assembler *assembler,
				       const struct takt_shim_request *request,
				       uint32_t cpu_milliseconds, struct takt_diag *diag,
				       struct takt_shim_result *ret_result,
				       struct takt_assembler_end *ret_end)
{
	struct takt_wire wire = {
		.socket = assembler->socket,
		.deadline_seconds =
			takt_now_seconds() + (double)cpu_milliseconds / 1000 * WAIT_PER_CPU,
	};
	enum takt_assembler_outcome outcome;
	int number;

	if (!send_request(&wire, request, cpu_milliseconds)) {
		/* The process may be gone and have sent the reason; if not, it must not wait. */
		shutdown(assembler->socket, SHUT_WR);
		wire.deadline_seconds = takt_now_seconds() + END_SECONDS;
	}
	outcome = takt_assembler_read_reply(&wire, request, diag, assembler->module, ret_result,
					    ret_end);
	assembler->has_served = true;
	if (outcome == TAKT_ASSEMBLER_DONE || outcome == TAKT_ASSEMBLER_FAILED)
		return outcome;
	number = end(assembler, wire.late ? 0 : END_SECONDS);
	if (wire.late)
		ret_end->cause = TAKT_SHIM_TIME;
	else if (!ret_end->signal && ret_end->cause == TAKT_SHIM_CRASH)
		ret_end->signal = number;
	return outcome;
}

enum takt_assembler_outcome takt_assembler_run(struct takt_assembler *assembler,
					       const struct takt_shim_request *request,
					       uint32_t cpu_milliseconds, struct takt_diag *diag,
					       struct takt_shim_result *ret_result,
					       struct takt_assembler_end *ret_end)
{
	bool was_idle = assembler->pid && assembler->has_served;
	enum takt_assembler_outcome outcome;

	if (!assembler->pid && !start(assembler, diag))
		return TAKT_ASSEMBLER_UNAVAILABLE;
	outcome = ask(assembler, request, cpu_milliseconds, diag, ret_result, ret_end);
	/* It ended without a message, perhaps before it got this text; try a new process. */
	if (outcome == TAKT_ASSEMBLER_GAVE_UP && was_idle && ret_end->cause == TAKT_SHIM_CRASH &&
	    ret_end->place == TAKT_SHIM_NO_PLACE && start(assembler, diag))
		outcome = ask(assembler, request, cpu_milliseconds, diag, ret_result, ret_end);
	return outcome;
}

/* ---- taking and giving back ------------------------------------------------------ */

/* Free the record without ending the process, which belongs to another process. */
static void forget(struct takt_assembler *assembler)
{
	close(assembler->socket);
	free(assembler);
}

struct takt_assembler *takt_assembler_take(const char *module, struct takt_diag *diag)
{
	struct takt_assembler *assembler;

	for (size_t i = 0; i < IDLE_MAX; i++) {
		assembler = atomic_exchange(&idle[i], NULL);
		if (!assembler)
			continue;
		if (assembler->owner != getpid()) {
			forget(assembler);
			continue;
		}
		if (strcmp(assembler->module, module) == 0)
			return assembler;
		takt_assembler_give_back(assembler);
	}
	assembler = takt_xcalloc(1, sizeof(*assembler));
	assembler->module = module;
	if (start(assembler, diag))
		return assembler;
	free(assembler);
	return NULL;
}

void takt_assembler_give_back(struct takt_assembler *assembler)
{
	if (assembler->pid)
		for (size_t i = IDLE_MAX; i-- > 0;) {
			struct takt_assembler *none = NULL;

			if (atomic_compare_exchange_strong(&idle[i], &none, assembler))
				return;
		}
	if (assembler->pid)
		end(assembler, 0);
	free(assembler);
}
