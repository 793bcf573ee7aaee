/* SPDX-License-Identifier: MIT */
/*
 * Hostile machine code, run without the check that would reject it. Whatever it does, the
 * caller lives, nothing outside the child changes, and the next honest block is measured
 * as before.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap.h"
#include "measure/bench.h"

#define TIME_LIMIT_SECONDS 0.3
#define TRIES 10
#define PAUSE_MICROSECONDS 100000 /* others may be done by then */
#define TOLERANCE 0.03
#define CODE_MAX_BYTES 256

#define MAY(status) (1u << TAKT_MEASURE_##status)
#define STOPPED (MAY(ESCAPED) | MAY(FAULT) | MAY(TIMEOUT) | MAY(UNSUPPORTED))
/* Lies about itself, or does no harm. */
#define ANYTHING (STOPPED | MAY(OK) | MAY(UNSTABLE) | MAY(DISTURBED))

static const char witness[] = "takt-escaped"; /* a file that nobody may create */

static const uint8_t honest[] = {0x48, 0x0f, 0xaf, 0xc3}; /* imul rax, rbx */

struct row {
	int line;
	const char *name;
	uint32_t may; /* statuses, as bits */
	const char *hex;
};

#if defined(__x86_64__)
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
	{__LINE__, "int 0x80", MAY(ESCAPED), "b801000000 31db cd80"},
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
	{__LINE__, "zero what is shared", ANYTHING,
	 "e800000000 5f 4881e7000000ff 4881c700000400 b900000200 31c0 f3aa"},
	{__LINE__, "ones into what is shared, then stay", ANYTHING,
	 "e800000000 5f 4881e7000000ff 4881c700000400 b900000200 b0ff f3aa ebfe"},
	{__LINE__, "zero the runner's stacks", ANYTHING,
	 "e800000000 5f 4881e7000000ff 4881c700000600 b900000100 31c0 f3aa"},
	{__LINE__, "write the template", MAY(FAULT),
	 "e800000000 5f 4881e7000000ff 4881c700000700 c60700"},
	{__LINE__, "say that it is done, then stay", ANYTHING,
	 "e800000000 5f 4881e7000000ff 4881c700000400 8b07 894704 c7470801000000 ebfe"},
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

/* Cycles; *ret_disturbed: the machine was too busy for a figure each time, but it was tried. */
static double measure_honest(struct takt_bench *bench, bool *ret_disturbed)
{
	struct takt_measurement result = {.cycles = NAN};

	*ret_disturbed = false;
	for (int i = 0; i < TRIES; i++) {
		takt_measure(bench, honest, sizeof(honest), &result);
		if (result.status == TAKT_MEASURE_OK)
			return result.cycles;
		usleep(PAUSE_MICROSECONDS);
	}
	*ret_disturbed = result.status == TAKT_MEASURE_DISTURBED ||
			 result.status == TAKT_MEASURE_UNSTABLE;
	return result.cycles;
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

static void run_rows(struct takt_bench *bench)
{
	bool disturbed;
	double expected = measure_honest(bench, &disturbed);
	int descriptors = count_descriptors();

	if (disturbed) {
		ok(true, "the machine is too busy to measure # SKIP");
		return;
	}
	ok(isfinite(expected), "an honest block measures (%.3f cycles)", expected);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t code[CODE_MAX_BYTES];
		struct takt_measurement result;
		double after;

		takt_measure_unchecked(bench, code, assemble(rows[i].hex, code), &result);
		tap_ok_at(__FILE__, rows[i].line, rows[i].may >> result.status & 1, "%s: %s%s%s",
			  rows[i].name, takt_measure_status_word(result.status),
			  *result.reason ? ", " : "", result.reason);
		after = measure_honest(bench, &disturbed);
		tap_ok_at(__FILE__, rows[i].line,
			  disturbed || fabs(after / expected - 1) < TOLERANCE,
			  "%s: then %.3f cycles again%s", rows[i].name, after,
			  disturbed ? ", the machine being busy" : "");
	}
	is_int(access(witness, F_OK), -1, "no file was created");
	is_int(count_descriptors(), descriptors, "descriptors are as before");
}

/* Whether a line of a /proc file of the child says anything but what it may. */
static void check_maps(const struct takt_bench *bench)
{
	char path[64], line[512];
	int foreign = 0, writable_code = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)bench->child.pid);
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

static void check_descriptors(const struct takt_bench *bench)
{
	char path[64];
	struct stat status;
	int first = takt_bench_clock(bench) == TAKT_CLOCK_ADD_CHAIN ? 1 : 2, count = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd/0", (int)bench->child.pid);
	if (lstat(path, &status) != 0) {
		ok(true, "the child's descriptors # SKIP /proc does not show them to us");
		return;
	}
	for (int fd = first; fd < 1024; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)bench->child.pid, fd);
		count += lstat(path, &status) == 0;
	}
	is_int(count, 0, "the child has no descriptors but its own");
}

int main(void)
{
	const struct takt_measure_options options = {.time_limit_seconds = TIME_LIMIT_SECONDS};
	struct takt_diag *diag = takt_diag_new();
	struct takt_bench *bench;
	int open_file = open("/dev/null", O_RDONLY); /* not close-on-exec: the child might keep it */

	if (takt_bench_open(&options, diag, &bench) != TAKT_OK) {
		printf("1..0 # SKIP %s", takt_diag_text(diag));
		takt_diag_free(diag);
		close(open_file);
		return 0;
	}
	check_maps(bench);
	check_descriptors(bench);
	run_rows(bench);
	check_maps(bench);
	takt_bench_close(bench);
	ok(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "no process is left");
	takt_diag_free(diag);
	close(open_file);
	return tap_done();
}
