/* SPDX-License-Identifier: MIT */
/*
 * takt-assembler: the program that runs LLVM's assembler on untrusted text, so that the process
 * that uses takt does not have to. Usage: takt-assembler MODULE, with the socket of wire.h as
 * descriptor 3. Only the library starts it (assembler.c).
 *
 * It loads the module, gives up everything that the work does not need, and then assembles one
 * text after the other until the other side of the socket is gone:
 *  - it has no other descriptors and can open none: files, processes and networks are out of reach;
 *  - a filter of system calls allows it to get memory, use open descriptors and read the clock;
 *  - memory, processor time and the depth of the stack are limited;
 *  - it dumps no core and has no privileges.
 * Without seccomp the limits still forbid new descriptors, files and processes.
 *
 * Failures inside LLVM are handled here: the handlers send the library the cause and the
 * statement, and end the process.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "input/wire.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE 0 /* no filter: the system calls of this architecture are not known here */
#endif

/* Limits of the address space, which is half of the machine's memory; 64 MiB of text take 2 GiB. */
#define ADDRESS_SPACE_MIN_BYTES ((uint64_t)1 << 30)
#define ADDRESS_SPACE_MAX_BYTES ((uint64_t)4 << 30)
#define STACK_MAX_BYTES ((uint64_t)64 << 20)
#define HANDLER_STACK_BYTES ((size_t)1 << 20)
#define RESERVE_BYTES ((size_t)8 << 20) /* memory to find the statement when there is no other */
#define CPU_SECONDS_MAX 3600u		/* hard limit; the process ends itself long before */
#define CPU_SECONDS_SPENT 60.0		/* after this time, a new process replaces this one */
#define LAST_WORDS_SECONDS 30		/* processor time to find the statement */
#define LAST_WORDS_WAIT 300		/* elapsed seconds for that, in case it deadlocks */

static takt_shim_assemble_function assemble;
static takt_shim_place_function find_place;
static volatile sig_atomic_t is_late;
static volatile sig_atomic_t is_working;
static volatile sig_atomic_t is_giving_up;
static struct takt_wire wire = {.socket = TAKT_WIRE_SOCKET};
static struct takt_wire_reply last_words;
static void *reserve; /* RESERVE_BYTES of memory, or NULL */
static uintptr_t stack_begin, stack_size_bytes;

/* ---- the end -------------------------------------------------------------- */

/* Set a timer of elapsed time, if `is_real`, or of this process's processor time. */
static void set_timer(bool is_real, uint32_t milliseconds, uint32_t every_milliseconds)
{
	const struct itimerval timer = {
		.it_interval = {every_milliseconds / 1000, every_milliseconds % 1000 * 1000L},
		.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000L},
	};

	setitimer(is_real ? ITIMER_REAL : ITIMER_PROF, &timer, NULL);
}

/*
 * Send the library the reason for giving up, and end the process. Finding the statement runs
 * LLVM's code in whatever state it is; if that fails in turn, or takes long, the first reason is
 * sent without a place.
 */
static _Noreturn void give_up(enum takt_shim_cause cause, int number)
{
	if (!is_giving_up) {
		last_words = (struct takt_wire_reply){
			.kind = TAKT_WIRE_GAVE_UP,
			.cause = cause,
			.signal = (uint32_t)number,
			.place = TAKT_SHIM_NO_PLACE,
		};
		is_giving_up = 1;
		if (reserve)
			munmap(reserve, RESERVE_BYTES);
		set_timer(false, LAST_WORDS_SECONDS * 1000, 0);
		set_timer(true, LAST_WORDS_WAIT * 1000, 0);
		last_words.place = find_place();
	}
	takt_wire_send(&wire, &last_words, sizeof(last_words));
	_exit(EXIT_FAILURE);
}

static void give_up_in_text(enum takt_shim_cause cause)
{
	give_up(cause, 0);
}

static bool is_end_of_stack(const void *address)
{
	uintptr_t depth = stack_begin - (uintptr_t)address;

	return depth > stack_size_bytes - stack_size_bytes / 8 &&
	       depth < stack_size_bytes + stack_size_bytes / 8;
}

static void on_crash(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (!is_working)
		_exit(EXIT_FAILURE);
	if (number == SIGSEGV && is_end_of_stack(info->si_addr))
		give_up(TAKT_SHIM_STACK, 0);
	give_up(TAKT_SHIM_CRASH, number);
}

/* At the first tick ask the work to stop; at the second, a second later, give up. */
static void on_time(int number)
{
	(void)number;
	if (is_giving_up || (is_working && is_late))
		give_up(TAKT_SHIM_TIME, 0);
	is_late = 1;
}

static void on_alarm(int number)
{
	(void)number;
	give_up(TAKT_SHIM_TIME, 0); /* this sends the cause of the first call */
}

/* Handle a change of the socket: end the process if the other side is gone. */
static void on_socket(int number)
{
	char byte;

	(void)number;
	if (recv(TAKT_WIRE_SOCKET, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
		_exit(EXIT_SUCCESS);
}

static void handle_signals(void)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
	struct sigaction action = {.sa_flags = SA_ONSTACK | SA_NODEFER | SA_RESTART};
	stack_t stack = {.ss_size = HANDLER_STACK_BYTES};

	stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	if (stack.ss_sp != MAP_FAILED)
		sigaltstack(&stack, NULL);
	action.sa_handler = on_time;
	sigaction(SIGPROF, &action, NULL);
	action.sa_handler = on_alarm;
	sigaction(SIGALRM, &action, NULL);
	action.sa_handler = on_socket;
	sigaction(SIGIO, &action, NULL);
	action.sa_flags |= SA_SIGINFO;
	action.sa_sigaction = on_crash;
	for (size_t i = 0; i < TAKT_COUNT_OF(crashes); i++)
		sigaction(crashes[i], &action, NULL);
}

/* ---- confinement ----------------------------------------------------------- */

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define ALLOW RETURN(SECCOMP_RET_ALLOW)
#define REFUSE RETURN(SECCOMP_RET_ERRNO | EPERM)
/* Apply the next filter instruction, or the next `size`, only to this system call. */
#define CASE(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1)
#define CASE_OF(number, size) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, (size))
/* Two instructions each: refuse unless the argument just loaded passes, else continue. */
#define REFUSE_BITS(bits) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), REFUSE
#define REQUIRE_EQUAL(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 1, 0), REFUSE

/*
 * Install the filter of system calls. It allows memory that is not executable, open descriptors,
 * signals to this process, the clock and the end.
 */
static void filter_calls(void)
{
	/* clang-format off */
	struct sock_filter filter[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
		CASE(SYS_read), ALLOW,
		CASE(SYS_write), ALLOW,
		CASE(SYS_recvfrom), ALLOW,
		CASE_OF(SYS_sendto, 4), /* only without a destination address */
		LOAD(args[5]), REQUIRE_EQUAL(0), ALLOW,
		CASE(SYS_brk), ALLOW,
		CASE(SYS_munmap), ALLOW,
		CASE(SYS_mremap), ALLOW,
		CASE(SYS_madvise), ALLOW,
		CASE_OF(SYS_mmap, 4),
		LOAD(args[2]), REFUSE_BITS(PROT_EXEC), ALLOW,
		CASE_OF(SYS_mprotect, 4),
		LOAD(args[2]), REFUSE_BITS(PROT_EXEC), ALLOW,
		CASE(SYS_futex), ALLOW,
		CASE(SYS_rt_sigreturn), ALLOW,
		CASE(SYS_rt_sigprocmask), ALLOW,
		CASE(SYS_setitimer), ALLOW,
		CASE(SYS_clock_gettime), ALLOW,
		CASE(SYS_getrandom), ALLOW,
		CASE(SYS_restart_syscall), ALLOW,
		CASE(SYS_getpid), ALLOW,
		CASE(SYS_gettid), ALLOW,
		CASE_OF(SYS_tgkill, 4), /* for abort() */
		LOAD(args[0]), REQUIRE_EQUAL((uint32_t)getpid()), ALLOW,
		CASE(SYS_exit), ALLOW,
		CASE(SYS_exit_group), ALLOW,
		REFUSE,
	};
	/* clang-format on */

	if (ARCHITECTURE)
		takt_filter_install(filter, TAKT_COUNT_OF(filter));
}

static uint64_t address_space_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	uint64_t half = pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes / 2
						    : ADDRESS_SPACE_MIN_BYTES;

	if (half < ADDRESS_SPACE_MIN_BYTES)
		return ADDRESS_SPACE_MIN_BYTES;
	return half < ADDRESS_SPACE_MAX_BYTES ? half : ADDRESS_SPACE_MAX_BYTES;
}

/* Make this process the first that the kernel kills when the machine runs out of memory. */
static void offer_to_be_killed(void)
{
	int file = open("/proc/self/oom_score_adj", O_WRONLY);

	if (file < 0)
		return;
	(void)!write(file, "1000", 4);
	close(file);
}

/* Confine this process. Measures that the system does not offer are skipped. */
static void confine(void)
{
	const struct takt_limit limits[] = {
		{RLIMIT_CORE, 0},
		{RLIMIT_NPROC, 0},
		{RLIMIT_FSIZE, 0},
		{RLIMIT_NOFILE, 0},
		{RLIMIT_MEMLOCK, 0},
		{RLIMIT_MSGQUEUE, 0},
		{RLIMIT_CPU, CPU_SECONDS_MAX},
		{RLIMIT_STACK, STACK_MAX_BYTES},
		{RLIMIT_AS, address_space_bytes()},
	};
	struct rlimit stack;

	offer_to_be_killed();
	takt_capabilities_drop();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	takt_limits_set(limits, TAKT_COUNT_OF(limits));
	if (getrlimit(RLIMIT_STACK, &stack) == 0)
		stack_size_bytes = stack.rlim_cur;
	filter_calls();
}

/* Close all descriptors but the socket, and discard what LLVM prints. */
static void close_others(void)
{
	int null = open("/dev/null", O_RDWR);

	for (int i = 0; i < TAKT_WIRE_SOCKET; i++)
		if (null < 0 || dup2(null, i) < 0)
			close(i);
	if (syscall(SYS_close_range, TAKT_WIRE_SOCKET + 1, ~0u, 0) != 0)
		for (int i = TAKT_WIRE_SOCKET + 1; i < 65536; i++)
			close(i);
}

/* ---- the work --------------------------------------------------------------- */

/* Reports on one text, in the format in which they are sent. */
struct reports {
	char *data;
	size_t size_bytes, capacity_bytes;
	uint32_t count;
};

static void add(struct reports *reports, const void *data, size_t size_bytes)
{
	if (size_bytes > reports->capacity_bytes - reports->size_bytes) {
		size_t capacity = 2 * (reports->capacity_bytes + size_bytes);
		char *grown = realloc(reports->data, capacity);

		if (!grown)
			give_up(TAKT_SHIM_MEMORY, 0);
		reports->data = grown;
		reports->capacity_bytes = capacity;
	}
	memcpy(reports->data + reports->size_bytes, data, size_bytes);
	reports->size_bytes += size_bytes;
}

static void keep_report(void *context, enum takt_shim_report_kind kind, uint32_t line,
			uint32_t column, const char *message)
{
	struct reports *reports = context;
	struct takt_wire_report report = {
		.kind = kind,
		.line = line,
		.column = column,
		.size_bytes = (uint32_t)strnlen(message, TAKT_WIRE_MESSAGE_MAX_BYTES),
	};

	if (reports->count == TAKT_SHIM_REPORTS_MAX)
		return;
	reports->count++;
	add(reports, &report, sizeof(report));
	add(reports, message, report.size_bytes);
}

static bool send_result(const struct takt_shim_result *result)
{
	const struct takt_wire_reply reply = {
		.kind = TAKT_WIRE_DONE,
		.object_size_bytes = result->object_size_bytes,
		.insn_count = result->insn_count,
		.label_count = result->label_count,
	};

	return takt_wire_send(&wire, &reply, sizeof(reply)) &&
	       takt_wire_send(&wire, result->object, result->object_size_bytes) &&
	       takt_wire_send(&wire, result->insns, result->insn_count * sizeof(*result->insns)) &&
	       takt_wire_send(&wire, result->labels, result->label_count * sizeof(*result->labels));
}

static bool send_reports(enum takt_wire_kind kind, const struct reports *reports)
{
	const struct takt_wire_reply reply = {.kind = kind, .report_count = reports->count};

	return takt_wire_send(&wire, &reply, sizeof(reply)) &&
	       takt_wire_send(&wire, reports->data, reports->size_bytes);
}

/* Receive the strings of a request, one after the other; NULL if the other side is gone. */
static char *receive_strings(const struct takt_wire_request *request,
			     const char *strings[TAKT_WIRE_STRINGS])
{
	size_t size = 0;
	char *data;

	for (int i = 0; i < TAKT_WIRE_STRINGS; i++)
		size += request->string_sizes[i];
	data = malloc(size);
	if (!data || !takt_wire_receive(&wire, data, size)) {
		free(data);
		return NULL;
	}
	size = 0;
	for (int i = 0; i < TAKT_WIRE_STRINGS; i++) {
		strings[i] = data + size;
		size += request->string_sizes[i];
	}
	return data;
}

/* Assemble one text; false if the process must not assemble another one. */
static bool assemble_text(const struct takt_wire_request *header, const char *const *strings)
{
	struct takt_shim_result result = {0};
	struct reports reports = {0};
	static struct takt_shim_request request; /* static: the module keeps a pointer to it */
	bool goes_on;
	int failed;

	request = (struct takt_shim_request){
		.triple = strings[TAKT_WIRE_TRIPLE],
		.cpu = strings[TAKT_WIRE_CPU],
		.features = strings[TAKT_WIRE_FEATURES],
		.label_prefix = strings[TAKT_WIRE_PREFIX],
		.source_name = strings[TAKT_WIRE_NAME],
		.source = strings[TAKT_WIRE_SOURCE],
		.intel_syntax = header->intel_syntax != 0,
		.report = keep_report,
		.context = &reports,
		.is_late = &is_late,
		.give_up = give_up_in_text,
	};
	is_late = 0;
	is_working = 1;
	set_timer(false, header->cpu_milliseconds, 1000);
	failed = assemble(&request, &result);
	set_timer(false, 0, 0);
	is_working = 0;
	goes_on = (failed ? send_reports(TAKT_WIRE_FAILED, &reports) : send_result(&result)) &&
		  failed != TAKT_SHIM_SPENT;
	free(result.object);
	free(result.insns);
	free(result.labels);
	free(reports.data);
	return goes_on;
}

static bool serve(void)
{
	const char *strings[TAKT_WIRE_STRINGS];
	struct takt_wire_request header;
	struct timespec used = {0};
	char *data;
	bool goes_on;

	if (!takt_wire_receive(&wire, &header, sizeof(header)))
		return false;
	data = receive_strings(&header, strings);
	if (!data)
		return false;
	goes_on = assemble_text(&header, strings);
	free(data);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return goes_on && (double)used.tv_sec < CPU_SECONDS_SPENT;
}

static void *find_entry(void *module, const char *name)
{
	struct reports reports = {0};
	void *entry = module ? dlsym(module, name) : NULL;

	if (!entry) {
		keep_report(&reports, TAKT_SHIM_ERROR, 0, 0, dlerror());
		send_reports(TAKT_WIRE_NO_MODULE, &reports);
		exit(EXIT_FAILURE);
	}
	return entry;
}

int main(int argc, char **argv)
{
	union {
		void *address;
		takt_shim_assemble_function assemble;
		takt_shim_place_function place;
	} entry;
	void *module;

	if (argc != 2 || fcntl(TAKT_WIRE_SOCKET, F_SETOWN, getpid()) != 0) {
		fputs("takt-assembler is a part of takt, which starts it when text is to be "
		      "assembled\n",
		      stderr);
		return 2;
	}
	setpgid(0, 0);
	close_others();
	stack_begin = (uintptr_t)&module;
	handle_signals();
	fcntl(TAKT_WIRE_SOCKET, F_SETFL, O_ASYNC);
	module = dlopen(argv[1], RTLD_NOW);
	entry.address = find_entry(module, "takt_shim_assemble");
	assemble = entry.assemble;
	entry.address = find_entry(module, "takt_shim_place");
	find_place = entry.place;
	reserve = mmap(NULL, RESERVE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);
	confine();
	while (serve())
		;
	return EXIT_SUCCESS;
}
