/* SPDX-License-Identifier: MIT */
/*
 * Runs a process that answers a request: takt itself with other arguments. It is ended, with all
 * that it started, when it takes too long, writes too much, or its client is gone.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "serve/serve.h"

#define POLL_MILLISECONDS 100 /* after which it is noticed that the server ends */
#define END_SECONDS 2.0	      /* for a process that has closed its output */
#define PIECE_BYTES 65536
#define WORDS_MAX 32

extern char **environ;

/* The process and our ends of its pipes. */
struct worker {
	const struct serve_work *work;
	struct takt_text *output;
	pid_t process;
	int input, from; /* -1: closed */
	size_t written;
	double deadline;
	enum serve_end end;
};

static void close_end(int *descriptor)
{
	if (*descriptor >= 0)
		close(*descriptor);
	*descriptor = -1;
}

/* ---- starting ---------------------------------------------------------------- */

/* Start it in a process group of its own. Its messages go nowhere: answers contain errors. */
static bool spawn(const struct serve_work *work, int input, int output, pid_t *ret_process)
{
	struct takt_arena arena = {0};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	struct takt_text setting = {0};
	const char *settings[1];
	char name[] = "takt", *words[WORDS_MAX] = {name};
	sigset_t none;
	int cause;

	for (size_t i = 0; work->words[i] && i + 2 < WORDS_MAX; i++)
		words[i + 1] = takt_arena_string(&arena, work->words[i]);
	takt_text_printf(&setting, "TMPDIR=%s", work->folder);
	settings[0] = setting.data;
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &none);
	cause = posix_spawn(ret_process, "/proc/self/exe", &actions, &attributes, words,
			    takt_environment_make(environ, settings, 1, &arena));
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	takt_text_release(&setting);
	takt_arena_release(&arena);
	return cause == 0;
}

static bool start(struct worker *worker)
{
	int in[2], out[2];
	bool fine;

	if (pipe2(in, O_CLOEXEC) != 0)
		return false;
	if (pipe2(out, O_CLOEXEC) != 0) {
		close(in[0]);
		close(in[1]);
		return false;
	}
	fine = spawn(worker->work, in[0], out[1], &worker->process);
	close(in[0]);
	close(out[1]);
	worker->input = in[1];
	worker->from = out[0];
	if (fine)
		fine = fcntl(worker->input, F_SETFL, O_NONBLOCK) == 0;
	return fine;
}

/* ---- talking ------------------------------------------------------------------ */

static void write_piece(struct worker *worker)
{
	const struct serve_work *work = worker->work;
	size_t left = work->input_bytes - worker->written;
	ssize_t size =
		left ? write(worker->input, (const char *)work->input + worker->written, left) : 0;

	if (size > 0)
		worker->written += (size_t)size;
	/* If it does not read to the end, that is its own affair. */
	if ((size < 0 && errno != EAGAIN && errno != EINTR) || worker->written == work->input_bytes)
		close_end(&worker->input);
}

static void read_piece(struct worker *worker)
{
	char piece[PIECE_BYTES];
	ssize_t size = read(worker->from, piece, sizeof(piece));

	if (size > 0)
		takt_text_add(worker->output, piece, (size_t)size);
	else if (size == 0 || errno != EINTR)
		close_end(&worker->from);
	if (worker->output->size_bytes > SERVE_ANSWER_BYTES_MAX)
		worker->end = SERVE_TOO_LARGE;
}

/* Wait for input, output, or the client's end. */
static void serve_pipes(struct worker *worker)
{
	struct pollfd ends[] = {{.fd = worker->from, .events = POLLIN},
				{.fd = worker->input, .events = POLLOUT},
				{.fd = worker->work->client, .events = POLLRDHUP}};

	if (poll(ends, TAKT_COUNT_OF(ends), POLL_MILLISECONDS) < 0)
		return;
	if (ends[2].revents) {
		worker->end = SERVE_ABANDONED;
		return;
	}
	if (ends[1].revents)
		write_piece(worker);
	if (ends[0].revents)
		read_piece(worker);
}

static void talk(struct worker *worker)
{
	while (worker->end == SERVE_FINISHED && worker->from >= 0) {
		if (*worker->work->stops)
			worker->end = SERVE_ABANDONED;
		else if (takt_now_seconds() > worker->deadline)
			worker->end = SERVE_TOO_LONG;
		else
			serve_pipes(worker);
	}
}

/* Wait until the process has ended, but leave it a zombie, so that its number stays its own. */
static bool has_ended(pid_t process, double deadline)
{
	static const struct timespec interval = {.tv_nsec = 1000000};
	siginfo_t info = {.si_pid = 0};

	for (;;) {
		if (waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) < 0 &&
		    errno != EINTR)
			return false;
		if (info.si_pid == process)
			return true;
		if (takt_now_seconds() > deadline)
			return false;
		nanosleep(&interval, NULL);
	}
}

/* End what is left of it: its children, and itself if it does not end by itself. */
static void finish(struct worker *worker)
{
	int status = 0;
	pid_t got;

	close_end(&worker->input);
	close_end(&worker->from);
	if (worker->end == SERVE_FINISHED &&
	    !has_ended(worker->process, takt_now_seconds() + END_SECONDS))
		worker->end = SERVE_TOO_LONG;
	kill(-worker->process, SIGKILL);
	got = takt_wait(worker->process, &status);
	if (worker->end == SERVE_FINISHED && got > 0 && WIFSIGNALED(status))
		worker->end = SERVE_CRASHED;
}

enum serve_end takt_serve_work(const struct serve_work *work, struct takt_text *output)
{
	struct worker worker = {.work = work,
				.output = output,
				.process = -1,
				.input = -1,
				.from = -1,
				.deadline = takt_now_seconds() + work->time_seconds,
				.end = SERVE_FINISHED};

	if (start(&worker)) {
		talk(&worker);
		finish(&worker);
		return worker.end;
	}
	if (worker.process > 0) {
		worker.end = SERVE_NOT_STARTED;
		finish(&worker);
	}
	close_end(&worker.input);
	close_end(&worker.from);
	return SERVE_NOT_STARTED;
}
