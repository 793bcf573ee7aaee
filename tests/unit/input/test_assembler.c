/* SPDX-License-Identifier: MIT */
/* Texts that LLVM's assembler does not survive, and what is left after them. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "children.h"
#include "fixture.h"
#include "input/assembler.h"

#define PATIENT 60000 /* ms of processor time; nobody waits for it */
#define SHORT 300

/* What an attempt said. */
struct said {
	enum takt_assembler_outcome outcome;
	struct takt_assembler_end end;
	size_t insn_count;
	unsigned count;			 /* reports */
	enum takt_shim_report_kind kind; /* of the last one, as is what follows */
	uint32_t line;
	char message[256];
};

static void keep(void *context, enum takt_shim_report_kind kind, uint32_t line, uint32_t column,
		 const char *message)
{
	struct said *said = context;

	(void)column;
	said->count++;
	said->kind = kind;
	said->line = line;
	snprintf(said->message, sizeof(said->message), "%s", message);
}

static struct said run(struct takt_assembler *assembler, const char *text, bool intel,
		       uint32_t milliseconds)
{
	struct said said = {0};
	const struct takt_shim_request request = {
		.triple = "x86_64-unknown-linux-gnu",
		.cpu = "x86-64",
		.features = "",
		.source = text,
		.source_name = "x",
		.label_prefix = TAKT_COMMENT_LABEL,
		.intel_syntax = intel,
		.report = keep,
		.context = &said,
	};
	struct takt_shim_result result = {0};

	said.outcome =
		takt_assembler_run(assembler, &request, milliseconds, NULL, &result, &said.end);
	said.insn_count = result.insn_count;
	free(result.object);
	free(result.insns);
	free(result.labels);
	return said;
}

/* The line of an offset in the text; 0 for none. */
static uint32_t line_at(const char *text, uint64_t place)
{
	uint32_t line = 1;

	if (place >= strlen(text))
		return 0;
	for (uint64_t i = 0; i < place; i++)
		line += text[i] == '\n';
	return line;
}

static bool still_works(struct takt_assembler *assembler)
{
	struct said said = run(assembler, "1: incl %eax\njne 1b\n", false, PATIENT);

	return said.outcome == TAKT_ASSEMBLER_DONE && said.insn_count == 2;
}

/* ---- refused, with one report ---------------------------------------------------- */

struct refusal {
	int line;
	const char *text;
	enum takt_shim_report_kind kind;
	uint32_t at; /* line */
	const char *message;
};

static const struct refusal refusals[] = {
	{__LINE__, "nop\n.incbin \"/etc/passwd\"\n", TAKT_SHIM_READS_FILE, 2, "'.incbin' reads"},
	{__LINE__, ".include \"/etc/passwd\"", TAKT_SHIM_READS_FILE, 1, "'.include' reads"},
	{__LINE__, "nop\n\nx: .InCbIn \"/etc/passwd\",1,2", TAKT_SHIM_READS_FILE, 3, "'.InCbIn'"},
	{__LINE__, "nop; nop ; .INCLUDE\t\"/etc/passwd\"", TAKT_SHIM_READS_FILE, 1, "'.INCLUDE'"},
	{__LINE__, "nop\n/* c */ .incbin \"/etc/passwd\"", TAKT_SHIM_READS_FILE, 2, "'.incbin'"},
	{__LINE__, ".macro m d\n.\\d \"/etc/passwd\"\n.endm\nnop\nm include\n",
	 TAKT_SHIM_READS_FILE, 5, "'.include'"},
	{__LINE__, "nop\n.irp x,incl,inc\n.\\x\\()ude \"/etc/passwd\"\n.endr\n",
	 TAKT_SHIM_READS_FILE, 2, "'.include'"},
	{__LINE__, ".if 1\n.rept 2\n.incbin \"/etc/passwd\"\n.endr\n.endif", TAKT_SHIM_READS_FILE,
	 2, "'.incbin'"},
	{__LINE__, ".intel_syntax noprefix\nnop\n.incbin \"/etc/passwd\"", TAKT_SHIM_READS_FILE, 3,
	 "'.incbin'"},
	{__LINE__, "nop\n.rept 5000000\nnop\n.endr\n", TAKT_SHIM_TOO_MUCH, 2,
	 "more than 4000000 instructions"},
	{__LINE__, "nop\n.p2align 31\nnop\n", TAKT_SHIM_TOO_MUCH, 2, "more than 64 MiB of fill"},
	{__LINE__, "nop\n.fill 1000000000,8,0\n", TAKT_SHIM_ERROR, 2, "more than 64 MiB of fill"},
	{__LINE__, "nop\n.macro m\nbogus\n.endm\nm\n", TAKT_SHIM_ERROR, 5,
	 "invalid instruction mnemonic 'bogus'"},
	{__LINE__, ".macro a\na\n.endm\n a", TAKT_SHIM_ERROR, 4, "macros cannot be nested"},
};

static void test_refusals(struct takt_assembler *assembler)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(refusals); i++) {
		const struct refusal *row = &refusals[i];
		struct said said = run(assembler, row->text, false, PATIENT);

		tap_ok_at(__FILE__, row->line,
			  said.outcome == TAKT_ASSEMBLER_FAILED && said.count == 1 &&
				  said.kind == row->kind && said.line == row->at &&
				  strstr(said.message, row->message),
			  "line %u: %s", said.line, said.message);
	}
	ok(still_works(assembler), "after them all");
}

/* Names that only look like the directives', and texts about them. */
static void test_harmless(struct takt_assembler *assembler)
{
	static const char *const texts[] = {
		"nop # .incbin \"/etc/passwd\"\n",
		".ascii \".include \\\"x\\\"\"\nnop\n",
		"/*\n.include \"x\"\n*/ nop\n",
		".if 0\n.include \"/etc/passwd\"\n.endif\nnop\n",
		".macro .include\nnop\n.endm\n.include\n",
		"incbin:\n.Linclude: nop\n",
		".print \"to nobody\"\nnop\n",
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(texts); i++) {
		struct said said = run(assembler, texts[i], false, PATIENT);

		ok(said.outcome == TAKT_ASSEMBLER_DONE && said.insn_count == 1, "%zu: %s", i,
		   said.message);
	}
}

/* ---- the end of the process --------------------------------------------------------- */

struct ending {
	int line;
	const char *text;
	bool intel;
	enum takt_shim_cause cause;
	uint32_t at;
};

/* 60 symbols, each the double of the next, and a use of the first in line 62. */
static const char *doublings(struct takt_text *text)
{
	for (int i = 0; i < 60; i++)
		takt_text_printf(text, ".set a%d, a%d+a%d\n", i, i + 1, i + 1);
	takt_text_add_string(text, ".set a60, 1\n.quad a0\nnop\n");
	return takt_text_data(text);
}

static const char *macros(struct takt_text *text)
{
	takt_text_add_string(text, ".macro m0\n.ascii \"\"\n.endm\n");
	for (int i = 1; i < 19; i++)
		takt_text_printf(text, ".macro m%d\n.rept 9\nm%d\n.endr\n.endm\n", i, i - 1);
	takt_text_add_string(text, "nop\nm18\n");
	return takt_text_data(text);
}

/* Nested deeper than any stack. */
static const char *parentheses(struct takt_text *text)
{
	takt_text_add_string(text, "nop\n.quad 1\n.quad ");
	takt_text_pad(text, '(', 2000000);
	takt_text_add_string(text, "\n");
	return takt_text_data(text);
}

static void test_ending(struct takt_assembler *assembler, const struct ending *row,
			uint32_t milliseconds)
{
	struct said said = run(assembler, row->text, row->intel, milliseconds);

	tap_ok_at(__FILE__, row->line,
		  said.outcome == TAKT_ASSEMBLER_GAVE_UP && said.end.cause == row->cause &&
			  line_at(row->text, said.end.place) == row->at,
		  "cause %d at line %u: %s", (int)said.end.cause,
		  line_at(row->text, said.end.place), said.message);
	ok(still_works(assembler), "and the next text");
}

static void test_endings(struct takt_assembler *assembler)
{
	static const struct ending crashes[] = {
		{__LINE__, "nop\nmov eax, [1/0]\n", true, TAKT_SHIM_CRASH, 2},
		{__LINE__, "nop\n\nmov eax, 5 mod 0\n", true, TAKT_SHIM_CRASH, 3},
		{__LINE__, "nop\n.macro m\nmov eax, [1/0]\n.endm\nnop\nm\n", true, TAKT_SHIM_CRASH,
		 6},
	};
	struct takt_text text = {0};

	for (size_t i = 0; i < TAKT_COUNT_OF(crashes); i++)
		test_ending(assembler, &crashes[i], PATIENT);
	test_ending(assembler,
		    &(struct ending){__LINE__, doublings(&text), false, TAKT_SHIM_TIME, 62}, SHORT);
	takt_text_clear(&text);
	test_ending(assembler, &(struct ending){__LINE__, macros(&text), false, TAKT_SHIM_TIME, 95},
		    SHORT);
	takt_text_clear(&text);
	test_ending(assembler,
		    &(struct ending){__LINE__, parentheses(&text), false, TAKT_SHIM_STACK, 3},
		    PATIENT);
	test_ending(assembler,
		    &(struct ending){__LINE__,
				     "nop\n.rept 2147483647\n.ascii \"0123456789\"\n.endr\n", false,
				     TAKT_SHIM_MEMORY, 2},
		    PATIENT);
	takt_text_release(&text);
}

/* Crashes have the signal, for the message. */
static void test_signal(struct takt_assembler *assembler)
{
	struct said said = run(assembler, "mov eax, [1/0]\n", true, PATIENT);

	is_int(said.end.signal, SIGFPE, "a division by zero");
	ok(still_works(assembler), "and the next text");
}

/* An idle process that is gone is replaced, and the text is assembled. */
static void test_killed(struct takt_assembler *assembler)
{
	int killed, other;

	ok(still_works(assembler) && count_assemblers(&killed) == 1, "a process");
	kill(killed, SIGKILL);
	ok(still_works(assembler) && count_assemblers(&other) == 1 && other != killed,
	   "another one after its end");
}

static void test_reuse(struct takt_assembler *assembler)
{
	int before, after;

	still_works(assembler);
	count_assemblers(&before);
	for (int i = 0; i < 20; i++)
		still_works(assembler);
	run(assembler, "bogus\n", false, PATIENT);
	still_works(assembler);
	ok(count_assemblers(&after) == 1 && after == before, "one process serves 22 texts");
	takt_assembler_give_back(assembler);
	ok(takt_assembler_take("takt-llvm", NULL) == assembler, "and the next user");
}

/* ---- confinement -------------------------------------------------------------------- */

/* A line of a file in /proc/PID that begins so; false if there is none. */
static bool find_line(const char *pid, const char *file, const char *start, char line[256])
{
	char path[64];
	FILE *stream;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%s/%s", pid, file);
	stream = fopen(path, "r");
	while (stream && !found && fgets(line, 256, stream))
		found = takt_string_starts(line, start);
	if (stream)
		fclose(stream);
	return found;
}

static void test_confinement(struct takt_assembler *assembler)
{
	char pid[16], line[256];
	int process;

	still_works(assembler);
	count_assemblers(&process);
	snprintf(pid, sizeof(pid), "%d", process);
	if (!find_line(pid, "limits", "Max open files", line)) {
		tap_skip("limits", "nothing in /proc says");
		return;
	}
	ok(strstr(line, " 0 "), "no new descriptors: %.60s", line);
	ok(find_line(pid, "limits", "Max core file size", line) && strstr(line, " 0 "),
	   "no core dump: %.60s", line);
	ok(find_line(pid, "limits", "Max address space", line) && !strstr(line, "unlimited"),
	   "not all memory: %.60s", line);
	if (!find_line("self", "status", "Seccomp:", line))
		tap_skip("filter", "a kernel without seccomp");
	else
		ok(find_line(pid, "status", "Seccomp:", line) && strchr(line, '2'),
		   "a filter of system calls");
}

/* ---- other threads, other processes ------------------------------------------------------ */

static void *work(void *context)
{
	bool *fine = context;

	*fine = true;
	for (int i = 0; i < 10; i++) {
		struct takt_assembler *own = takt_assembler_take("takt-llvm", NULL);

		*fine = *fine && own && still_works(own);
		if (own)
			takt_assembler_give_back(own);
	}
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[4];
	bool fine[4] = {0};

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, &fine[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ok(fine[0] && fine[1] && fine[2] && fine[3], "four threads at once");
}

/* A process that fork() made has the descriptor, but must not use what is its parent's. */
static void test_fork(void)
{
	struct takt_assembler *assembler = takt_assembler_take("takt-llvm", NULL);
	bool fine;
	int status = 1;
	pid_t pid;

	ok(still_works(assembler), "before fork()");
	takt_assembler_give_back(assembler);
	pid = fork();
	if (pid == 0) {
		work(&fine);
		_exit(fine ? 0 : 1);
	}
	work(&fine);
	ok(fine, "the parent");
	waitpid(pid, &status, 0);
	is_int(status, 0, "the child");
}

int main(void)
{
	struct takt_assembler *assembler;

	if (!have_shim())
		return tap_done();
	assembler = takt_assembler_take("takt-llvm", NULL);
	test_refusals(assembler);
	test_harmless(assembler);
	test_endings(assembler);
	test_signal(assembler);
	test_killed(assembler);
	test_reuse(assembler);
	test_confinement(assembler);
	takt_assembler_give_back(assembler);
	test_threads();
	test_fork();
	return tap_done();
}
