/* SPDX-License-Identifier: MIT */
/*
 * Hostile machine code: straight-line code that passes the check, and code that is run without the
 * check that would reject it. Whatever it does, the caller lives, nothing outside the child
 * changes, and the next honest block is measured as before, in a process of its own.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap.h"
#include "measure/measurer.h"

#define TIME_LIMIT_SECONDS 0.3
#define TRIES 20
#define RIGHT_ELSEWHERE 3	  /* of these tries: then the machine is not too busy */
#define PAUSE_MICROSECONDS 100000 /* others may be done by then */
#define PATIENCE_SECONDS 60.0	  /* for all tries that failed; then the machine is too busy */
#define TOLERANCE 0.03
#define FORGETTING_MAX 1.001 /* of what is known of the canaries, from block to block */
#define CODE_MAX_BYTES 256

#define MAY(status) (1u << TAKT_MEASURE_##status)
#define STOPPED (MAY(ESCAPED) | MAY(FAULT) | MAY(TIMEOUT) | MAY(UNSUPPORTED))
#define MEASURED (MAY(OK) | MAY(UNSTABLE) | MAY(DISTURBED) | MAY(DENORMAL))
/* The code uses segment gs. Where programs cannot set gs, it must be called unsupported. */
#define BY_GS (1u << 31)
/* Lies about itself, or does no harm. */
#define ANYTHING (STOPPED | MEASURED)

static const char witness[] = "takt-escaped"; /* a file that nobody may create */

static const uint8_t honest[] = {0x48, 0x0f, 0xaf, 0xc3}; /* imul rax, rbx */

struct row {
	int line;
	const char *name;
	uint32_t may; /* statuses, as bits */
	const char *hex;
};

#if defined(__x86_64__)
/* Where the layout of child.h starts, in rdi: copies.c has the operand point 512 MiB behind. */
#define LAYOUT "488d3d00000000 4881ef00000020 "

/*
 * Straight-line code that the check lets pass. None of it may change its own figure either, so it
 * is measured or stopped, but does not get away with another process's times.
 */
static const struct row checked_rows[] = {
	{__LINE__, "write the command", MAY(FAULT), LAYOUT "c7870000040001000000"},
	{__LINE__, "write entries of runs", MAY(FAULT), LAYOUT "48c7871800040000100000"},
	{__LINE__, "write code", MAY(FAULT), LAYOUT "c7870010000090909090"},
	{__LINE__, "write the template", MAY(FAULT), LAYOUT "c60700 c68700100700ff"},
	{__LINE__, "find the code by fxsave64, write the command", MAY(FAULT) | MEASURED,
	 "d9e8 480fae07 488b5f08 4881e3000000ff c7830000040001000000"},
	{__LINE__, "find the code by fnstenv", MEASURED | MAY(FAULT), "d9e8 d937 8b5f0c c60301"},
	{__LINE__, "zero the runner's stacks", MEASURED,
	 LAYOUT "4881c700100600 b900000100 31c0 f3aa"},
	{__LINE__, "fill the runner's stacks with its own address", MEASURED,
	 LAYOUT "4889f8 4881c700100600 b900200000 f348ab"},
	{__LINE__, "write where the results are in the memfd", MEASURED,
	 LAYOUT "4881c700100400 b900800000 b0ff f3aa"},
	{__LINE__, "write results by gs", MEASURED | MAY(FAULT) | BY_GS,
	 "6548c7042528000000ffffffff 6548c704253000000000000000"},
	{__LINE__, "count results by gs", MEASURED | MAY(FAULT) | BY_GS, "6548ff042538000000"},
	{__LINE__, "segments gs and fs", MAY(UNSUPPORTED), "658b0425000000 00 648b042500000000"},
	{__LINE__, "read what fs holds while gs is lent", MAY(UNSUPPORTED), "65488b07 64488b0f"},
	{__LINE__, "gs behind a REX byte that does not count", MAY(UNSUPPORTED), "48658b07 648b0f"},
	{__LINE__, "trap flag", STOPPED, "6800010000 9d"},
	{__LINE__, "all flags", ANYTHING, "4883c8ff 50 9d"},
	{__LINE__, "alignment flag, odd load", ANYTHING, "6800000400 9d 8b4701"},
	{__LINE__, "direction flag, down over everything", ANYTHING, "fd b9ffffff7f f3aa"},
	{__LINE__, "stack pointer onto the signal stack", ANYTHING,
	 LAYOUT "488da700100700 50 31c0 8b00"},
	{__LINE__, "stack pointer to nowhere", STOPPED, "48bcf0debc9a78563412 50"},
	{__LINE__, "unmask floating-point exceptions", STOPPED,
	 "6a00 0fae1424 660fefc0 f30f5ec0 f30f5ec0 58"},
	{__LINE__, "unmask x87 exceptions", STOPPED | MEASURED, "6a00 d92c24 d9ee d9e8 def1 9b 58"},
	{__LINE__, "a page at every 16 MiB", STOPPED | MEASURED, "c60000 480500000001"},
	{__LINE__, "a reading that takes forever", STOPPED | MEASURED, "4883c9ff f3ac"},
};

/*
 * "e800000000 58" is the address of what follows, in rax; the layout of child.h starts at its
 * 16 MiB. PPPPPPPP stands for our process, SSSSSSSS for the offset of a system call in the
 * runner.
 */
static const struct row rows[] = {
	{__LINE__, "write to standard output", MAY(ESCAPED),
	 "b801000000 bf01000000 e800000000 5e ba04000000 0f05"},
	{__LINE__, "write to the memfd", MAY(ESCAPED),
	 "b801000000 31ff e800000000 5e ba04000000 0f05"},
	{__LINE__, "execve", MAY(ESCAPED),
	 "48b82f62696e2f736800 50 4889e7 31f6 31d2 b83b000000 0f05"},
	{__LINE__, "kill the parent", MAY(ESCAPED), "bfPPPPPPPP be09000000 b83e000000 0f05"},
	{__LINE__, "ptrace the parent", MAY(ESCAPED),
	 "b865000000 bf10000000 bePPPPPPPP 31d2 4d31d2 0f05"},
	{__LINE__, "create a file", MAY(ESCAPED),
	 "6a00 48b82d65736361706564 50 48b80000000074616b74 50 488d7c2404 bec0010000 "
	 "b855000000 0f05"},
	{__LINE__, "socket", MAY(ESCAPED), "b829000000 bf02000000 be01000000 31d2 0f05"},
	{__LINE__, "fork", MAY(ESCAPED), "b839000000 0f05"},
	{__LINE__, "unmap everything", MAY(ESCAPED), "31ff 48be0000000000700000 b80b000000 0f05"},
	{__LINE__, "make code writable", MAY(ESCAPED),
	 "e800000000 5f 4881e700f0ffff be00100000 ba07000000 b80a000000 0f05"},
	/* A kernel without system calls of 32-bit programs answers with a fault. */
	{__LINE__, "int 0x80", MAY(ESCAPED) | MAY(FAULT), "b801000000 31db cd80"},
	{__LINE__, "sysenter", STOPPED, "b801000000 0f34"},
	{__LINE__, "vsyscall", MAY(ESCAPED), "48c7c0000060ff ffd0"},
	{__LINE__, "x32 system call", MAY(ESCAPED), "b801000040 0f05"},
	{__LINE__, "execve by the runner's instruction", MAY(ESCAPED),
	 "e800000000 58 4825000000ff 4805SSSSSSSS 4989c4 b83b000000 41ffe4"},
	{__LINE__, "writable code by the runner's instruction", MAY(ESCAPED),
	 "e800000000 58 4825000000ff 4805SSSSSSSS 4989c4 bf00002000 be00100000 ba07000000 "
	 "41ba22000000 4983c8ff 4d31c9 b809000000 41ffe4"},
	{__LINE__, "more of the memfd by the runner's instruction", MAY(ESCAPED),
	 "e800000000 58 4825000000ff 4805SSSSSSSS 4989c4 bf00002000 be00100000 ba03000000 "
	 "41ba01801000 4d31c0 4d31c9 b809000000 41ffe4"},
	{__LINE__, "unmap the runner by the runner's instruction", STOPPED,
	 "e800000000 58 4825000000ff 4889c7 4805SSSSSSSS 4989c4 be00200700 b80b000000 41ffe4"},
	{__LINE__, "sigreturn from garbage", STOPPED,
	 "e800000000 58 4825000000ff 4805SSSSSSSS 4989c4 b80f000000 41ffe4"},
	{__LINE__, "jump to data", MAY(ESCAPED), "ffe0"},
	{__LINE__, "call data", MAY(ESCAPED), "ffd3"},
	{__LINE__, "return", MAY(ESCAPED) | MAY(FAULT), "c3"},
	{__LINE__, "jump far forward", MAY(ESCAPED), "e900000010"},
	{__LINE__, "jump to nowhere", STOPPED, "48b80000000000800000 ffe0"},
	{__LINE__, "null stack pointer", STOPPED, "31e4 50"},
	{__LINE__, "stack pointer to nowhere", STOPPED, "48bcf0debc9a78563412 50"},
	{__LINE__, "endless pushing", STOPPED, "50 ebfd"},
	{__LINE__, "endless pushing onto the code", STOPPED, "e800000000 5c 50 ebfd"},
	{__LINE__, "stack into the signal stack, fault", STOPPED,
	 "e800000000 58 4825000000ff 488da000f00600 31c0 8b00"},
	{__LINE__, "overwrite itself", MAY(FAULT), "e800000000 58 c60090"},
	{__LINE__, "endless loop", MAY(TIMEOUT), "ebfe"},
	{__LINE__, "endless faults", STOPPED, "8800 480500100000 ebf6"},
	{__LINE__, "zero the results", ANYTHING, "f3480faecf b900000200 31c0 f3aa"},
	{__LINE__, "zero all ticks", ANYTHING, "f3480faecf 4881c798200000 b900800000 31c0 f3aa"},
	{__LINE__, "ones into the results, then stay", ANYTHING,
	 "f3480faecf b900000200 b0ff f3aa ebfe"},
	{__LINE__, "zero the runner's stacks", ANYTHING,
	 "e800000000 5f 4881e7000000ff 4881c700100600 b900000100 31c0 f3aa"},
	{__LINE__, "say that it is done, then stay", ANYTHING,
	 "e800000000 5f 4881e7000000ff 8b8700000400 658904250800000 0 65c704250c00000001000000 "
	 "ebfe"},
	{__LINE__, "answer every command, ticks of its own choice", ANYTHING,
	 "e800000000 5f 4881e7000000ff f3480faece 31c9 ffc1 898c8e98200000 81f9000f0000 75f1 "
	 "8b8700000400 894608 c7460c01000000 ebee"},
	{__LINE__, "another base for gs, then fault", ANYTHING, "31c0 f3480faed8 8b00"},
	{__LINE__, "trap flag", STOPPED, "9c 810c2400010000 9d"},
	{__LINE__, "alignment flag, odd load", STOPPED, "9c 810c2400000400 9d 8b4001"},
	{__LINE__, "direction flag", ANYTHING, "fd"},
	{__LINE__, "thread pointer", ANYTHING, "b8ff0f0000 f3480faed0 f3480faed8"},
	{__LINE__, "protection keys", ANYTHING, "31c0 31c9 31d2 f7d0 0f01ef 8b00"},
	{__LINE__, "unmask floating-point exceptions", STOPPED,
	 "6a00 0fae1424 660fefc0 f30f5ec0 f30f5ec0"},
	{__LINE__, "hlt", STOPPED, "f4"},
	{__LINE__, "in", STOPPED, "ec"},
	{__LINE__, "cli", STOPPED, "fa"},
	{__LINE__, "wrmsr", STOPPED, "0f30"},
	{__LINE__, "ud2", MAY(UNSUPPORTED), "0f0b"},
	{__LINE__, "int3", MAY(ESCAPED), "cc"},
	{__LINE__, "null segment", ANYTHING, "31c0 8ed8 8ec0 8ee0 8ee8"},
	{__LINE__, "null pointer", MAY(FAULT), "31c0 8b00"},
	{__LINE__, "kernel address", MAY(FAULT), "48c7c00000ffff 8b00"},
	{__LINE__, "divide by zero", MAY(FAULT), "31c9 f7f1"},
};

static uint32_t runner_system_call(void)
{
	struct takt_runner runner;
	uint32_t offset = 0;

	takt_host_runner(&runner);
	while (runner.bytes[offset] != 0x0f || runner.bytes[offset + 1] != 0x05)
		offset++;
	return offset;
}
#else
static const struct row checked_rows[] = {
	{__LINE__, "illegal instruction", MAY(UNSUPPORTED), "00000000"}};
static const struct row rows[] = {{__LINE__, "illegal instruction", MAY(UNSUPPORTED), "00000000"}};

static uint32_t runner_system_call(void)
{
	return 0;
}
#endif

static int digit(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

static size_t assemble(const char *hex, uint8_t *code)
{
	size_t size = 0;

	while (*hex) {
		uint32_t value = *hex == 'P' ? (uint32_t)getpid() : runner_system_call();

		if (*hex == ' ') {
			hex++;
		} else if (*hex == 'P' || *hex == 'S') {
			memcpy(code + size, &value, sizeof(value));
			size += sizeof(value);
			hex += 2 * sizeof(value);
		} else {
			code[size++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
			hex += 2;
		}
	}
	return size;
}

static bool is_like(const struct takt_measurement *result, double expected)
{
	return result->status == TAKT_MEASURE_OK && fabs(result->cycles / expected - 1) < TOLERANCE;
}

/* Cycles, or NaN if the machine is too busy. */
static double measure_honest(struct takt_measurer *measurer)
{
	struct takt_measurement result;

	for (int i = 0; i < TRIES; i++) {
		takt_measure(measurer, honest, sizeof(honest), &result);
		if (result.status == TAKT_MEASURE_OK)
			return result.cycles;
		usleep(PAUSE_MICROSECONDS);
	}
	return NAN;
}

enum verdict { AS_BEFORE, CHANGED, BUSY };

/*
 * Measures the honest block after a hostile one until it is right. Other load may disturb some
 * tries; what the hostile block has done would spoil them all. To tell both apart, `reference`,
 * which never runs anything hostile, measures the block after each try that failed, with what was
 * known of the canaries before the hostile block: it is as easily disturbed.
 */
static enum verdict check_honest(struct takt_measurer *measurer, struct takt_measurer *reference,
				 const struct takt_canaries *before, double expected)
{
	static double waited_seconds;
	struct takt_measurement result, other;
	int right_elsewhere = 0;

	for (int i = 0; i < TRIES; i++) {
		double begun_seconds = takt_now_seconds();

		takt_measure(measurer, honest, sizeof(honest), &result);
		if (is_like(&result, expected))
			return AS_BEFORE;
		tap_note("%.3f cycles, %s%s%s", result.cycles,
			 takt_measure_status_word(result.status), *result.reason ? ", " : "",
			 result.reason);
		reference->trusted = *before;
		takt_measure(reference, honest, sizeof(honest), &other);
		right_elsewhere += is_like(&other, expected);
		usleep(PAUSE_MICROSECONDS);
		waited_seconds += takt_now_seconds() - begun_seconds;
		if (waited_seconds > PATIENCE_SECONDS)
			return BUSY;
	}
	return right_elsewhere < RIGHT_ELSEWHERE ? BUSY : CHANGED;
}

static int count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	while (folder && readdir(folder))
		count++;
	if (folder)
		closedir(folder);
	return count;
}

/* True if a canary got no slower than it was, if that was known. */
static bool is_no_slower(double after_cycles, double before_cycles)
{
	return before_cycles == 0 || after_cycles <= before_cycles * FORGETTING_MAX;
}

/*
 * What a block must not change for those behind it, as far as that does not depend on time: what
 * is known of the canaries may get better before it runs, but is not its own doing. On a busy
 * machine, nothing may be known of them yet.
 */
static void check_traces(const struct takt_measurer *measurer, const struct takt_canaries *before,
			 const struct row *row)
{
	const struct takt_canaries *after = &measurer->trusted;

	tap_ok_at(__FILE__, row->line, measurer->child.pid == 0, "%s: its process is gone",
		  row->name);
	tap_ok_at(__FILE__, row->line,
		  (after->dispatch_cycles == 0 ||
		   after->dispatch_cycles >= measurer->dispatch_insns / TAKT_HOST_WIDEST) &&
			  (after->vector_cycles == 0 ||
			   after->vector_cycles >= measurer->vector_insns / TAKT_HOST_WIDEST) &&
			  is_no_slower(after->dispatch_cycles, before->dispatch_cycles) &&
			  is_no_slower(after->vector_cycles, before->vector_cycles),
		  "%s: canaries of %.0f and %.0f cycles, before %.0f and %.0f", row->name,
		  after->dispatch_cycles, after->vector_cycles, before->dispatch_cycles,
		  before->vector_cycles);
}

static uint32_t allowed(const struct row *row)
{
	return row->may & BY_GS && !takt_host_can_lend_gs() ? MAY(UNSUPPORTED) : row->may;
}

static void run_row(struct takt_measurer *measurer, struct takt_measurer *reference,
		    const struct row *row, bool is_checked, double expected)
{
	const struct takt_canaries before = measurer->trusted;
	struct takt_measurement result;
	uint8_t code[CODE_MAX_BYTES];
	size_t size = assemble(row->hex, code);
	enum verdict verdict;

	if (is_checked)
		takt_measure(measurer, code, size, &result);
	else
		takt_measure_unchecked(measurer, code, size, &result);
	tap_ok_at(__FILE__, row->line, allowed(row) >> result.status & 1, "%s: %s%s%s", row->name,
		  takt_measure_status_word(result.status), *result.reason ? ", " : "",
		  result.reason);
	check_traces(measurer, &before, row);
	verdict = check_honest(measurer, reference, &before, expected);
	tap_ok_at(__FILE__, row->line, verdict != CHANGED, "%s: then %.3f cycles again%s",
		  row->name, expected, verdict == BUSY ? " # SKIP the machine is too busy" : "");
}

static void run_rows(struct takt_measurer *measurer, struct takt_measurer *reference)
{
	double expected = measure_honest(reference);
	int descriptors = count_descriptors();

	if (isnan(expected)) {
		ok(true, "hostile blocks # SKIP the machine is too busy to measure");
		return;
	}
	for (size_t i = 0; i < sizeof(checked_rows) / sizeof(checked_rows[0]); i++)
		run_row(measurer, reference, &checked_rows[i], true, expected);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		run_row(measurer, reference, &rows[i], false, expected);
	is_int(access(witness, F_OK), -1, "no file was created");
	is_int(count_descriptors(), descriptors, "descriptors are as before");
}

/* Whether a line of a /proc file of the child says anything but what it may. */
static void check_maps(const struct takt_measurer *measurer)
{
	char path[64], line[512];
	int foreign = 0, writable_code = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)measurer->child.pid);
	file = fopen(path, "re");
	if (!file) {
		ok(true, "the child's mappings # SKIP /proc does not show them to us");
		return;
	}
	while (fgets(line, sizeof(line), file)) {
		if (strstr(line, "[v"))
			continue;
		if (!strstr(line, "memfd:takt-measure") && !strstr(line, "perf_event"))
			foreign++;
		if (strstr(line, "wx"))
			writable_code++;
	}
	fclose(file);
	is_int(foreign, 0, "the child maps nothing of ours");
	is_int(writable_code, 0, "no page is writable and executable");
}

static void check_descriptors(const struct takt_measurer *measurer)
{
	char path[64];
	struct stat status;
	int first = takt_measurer_clock(measurer) == TAKT_CLOCK_ADD_CHAIN ? 1 : 2, count = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd/0", (int)measurer->child.pid);
	if (lstat(path, &status) != 0) {
		ok(true, "the child's descriptors # SKIP /proc does not show them to us");
		return;
	}
	for (int fd = first; fd < 1024; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)measurer->child.pid, fd);
		count += lstat(path, &status) == 0;
	}
	is_int(count, 0, "the child has no descriptors but its own");
}

int main(void)
{
	const struct takt_measure_options options = {.time_limit_seconds = TIME_LIMIT_SECONDS};
	struct takt_diag *diag = takt_diag_new();
	struct takt_measurer *measurer, *reference;
	int open_file =
		open("/dev/null", O_RDONLY); /* not close-on-exec: the child might keep it */

	if (takt_measurer_open(&options, diag, &measurer) != TAKT_OK ||
	    takt_measurer_open(&options, diag, &reference) != TAKT_OK) {
		printf("1..0 # SKIP %s", takt_diag_text(diag));
		takt_diag_free(diag);
		close(open_file);
		return 0;
	}
	check_maps(measurer);
	check_descriptors(measurer);
	run_rows(measurer, reference);
	takt_measurer_close(measurer);
	takt_measurer_close(reference);
	ok(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "no process is left");
	takt_diag_free(diag);
	close(open_file);
	return tap_done();
}
