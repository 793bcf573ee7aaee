/* SPDX-License-Identifier: MIT */
/* The child that calls a function: it loads the function, locks itself in, and times calls. */
#include <dlfcn.h>
#include <elf.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "measure/call.h"
#include "measure/child.h"

#define BUFFER_ALIGNMENT 64u
#define BUFFER_STAGGER 320u /* five lines: with equal offsets in a page, buffers would alias */
#define CALLS_MAX TAKT_CALL_COUNT_MAX
#define MEMORY_BYTES_MAX ((uint64_t)2 << 30)
#define BUFFER_STAGGER_MAX 65536u
#define SIGNAL_STACK_BYTES 65536u
#define REPEATS 3
#define CHAIN_RATIO_MAX 500u
#define REPEATED_CHAIN_MAX (250 * TAKT_CALL_CHAIN_CYCLES) /* longer chains run once a round */

struct timed {
	takt_call_function function;
	uint64_t arguments[TAKT_CALL_ARGUMENTS_MAX];
	int clock_fd;
};

void takt_call_say(struct takt_call_error *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
}

/* ---- time -------------------------------------------------------------- */

static inline uint64_t read_ticks(int clock_fd)
{
	uint64_t ticks = 0;

	if (clock_fd >= 0) {
		(void)!read(clock_fd, &ticks, sizeof(ticks));
		return ticks;
	}
#if defined(__x86_64__)
	_mm_lfence();
	ticks = __builtin_ia32_rdtsc();
	_mm_lfence();
#elif defined(__aarch64__)
	__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
#endif
	return ticks;
}

/* Dependent additions in one trip of the chain's loop. */
#define ADDITIONS_PER_TRIP 100u

static inline void add_chain(uint32_t cycles)
{
	uint64_t sum = 1;

	for (uint32_t trips = cycles / ADDITIONS_PER_TRIP; trips; trips--)
#if defined(__x86_64__)
		__asm__ volatile(".rept 100\n\tadd %0, %0\n\t.endr" : "+r"(sum)::"cc");
#elif defined(__aarch64__)
		__asm__ volatile(".rept 100\n\tadd %0, %0, %0\n\t.endr" : "+r"(sum));
#endif
}

__attribute__((noinline)) uint64_t takt_call_time_chain(int clock_fd, uint32_t cycles)
{
	uint64_t start = read_ticks(clock_fd);

	add_chain(cycles);
	return read_ticks(clock_fd) - start;
}

__attribute__((noinline)) uint64_t takt_call_time_calls(int clock_fd, takt_call_function function,
							const uint64_t *a, uint64_t count)
{
	uint64_t start = read_ticks(clock_fd);

	for (uint64_t i = 0; i < count; i++)
		function(a[0], a[1], a[2], a[3], a[4], a[5]);
	return read_ticks(clock_fd) - start;
}

static uint64_t time_chain(const struct timed *timed, uint32_t cycles)
{
	return takt_call_time_chain(timed->clock_fd, cycles);
}

static uint64_t time_calls(const struct timed *timed, uint64_t count)
{
	return takt_call_time_calls(timed->clock_fd, timed->function, timed->arguments, count);
}

/* Return the number of calls that takes about as long as the chain. */
static uint64_t choose_count(const struct timed *timed)
{
	uint64_t enough = time_chain(timed, TAKT_CALL_CHAIN_CYCLES), count = 1;

	while (count < CALLS_MAX && time_calls(timed, count) < enough)
		count *= 2;
	return count;
}

static uint64_t least(uint64_t left, uint64_t right)
{
	return left < right ? left : right;
}

uint32_t takt_call_choose_chain(uint64_t chain_ticks, uint64_t call_ticks)
{
	uint64_t ratio = call_ticks / (chain_ticks + 1);

	if (ratio < 1)
		ratio = 1;
	return TAKT_CALL_CHAIN_CYCLES * (uint32_t)least(ratio, CHAIN_RATIO_MAX);
}

static void run_rounds(const struct timed *timed, const struct takt_call_request *request)
{
	struct takt_call_shared *shared = request->shared;
	uint64_t short_ticks = time_chain(timed, TAKT_CALL_CHAIN_CYCLES);
	uint64_t count = choose_count(timed), call_ticks = time_calls(timed, count);
	uint32_t chain = takt_call_choose_chain(short_ticks, call_ticks);
	int repeats = chain > REPEATED_CHAIN_MAX ? 1 : REPEATS;

	shared->call_count = count;
	shared->chain_cycles = chain;
	for (uint32_t i = 0; i < request->rounds; i++) {
		struct takt_call_round round = {{UINT64_MAX, UINT64_MAX}, {UINT64_MAX, UINT64_MAX}};

		for (int k = 0; k < repeats; k++)
			for (uint32_t twice = 0; twice < 2; twice++) {
				round.chain[twice] = least(round.chain[twice],
							   time_chain(timed, chain << twice));
				round.calls[twice] = least(round.calls[twice],
							   time_calls(timed, count << twice));
			}
		shared->rounds[i] = round;
		__atomic_store_n(&shared->round_count, i + 1, __ATOMIC_RELEASE);
	}
}

/* ---- signals ----------------------------------------------------------- */

/* Record the signal and end the child. The lower end of the handler's stack holds the pointer to
 * the shared memory. */
static void handle(int number, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	struct takt_call_shared *shared = *(struct takt_call_shared **)interrupted->uc_stack.ss_sp;

	shared->was_loading = shared->stage == TAKT_CALL_LOADING;
	shared->signal = number;
	shared->code = info->si_code;
	shared->address =
		number == SIGSYS ? (uint64_t)info->si_syscall : (uint64_t)(uintptr_t)info->si_addr;
	takt_call_child_end(shared, TAKT_CALL_SIGNAL);
}

static bool handle_signals(struct takt_call_shared *shared)
{
	static const int handled[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t stack = {.ss_sp = takt_xcalloc(1, SIGNAL_STACK_BYTES),
			 .ss_size = SIGNAL_STACK_BYTES};
	sigset_t none;

	*(struct takt_call_shared **)stack.ss_sp = shared;
	if (sigaltstack(&stack, NULL) != 0)
		return false;
	for (size_t i = 0; i < TAKT_COUNT_OF(handled); i++)
		if (sigaction(handled[i], &action, NULL) != 0)
			return false;
	sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL) == 0;
}

/* ---- loading ----------------------------------------------------------- */

static bool load_library(const struct takt_call *call, const char *path,
			 struct takt_call_error *error, uint64_t *ret_entry)
{
	void *library = dlopen(path ? path : call->path, RTLD_NOW | RTLD_LOCAL);
	void *entry = library ? dlsym(library, call->function) : NULL;

	if (!entry)
		takt_call_say(error, "%s", library ? "no such function" : dlerror());
	*ret_entry = (uint64_t)(uintptr_t)entry;
	return entry != NULL;
}

/* Check that the file's contents, not its name, are of the expected type: a library runs code while
 * it is loaded. */
static bool check_type(const struct takt_call_request *request, struct takt_call_error *error)
{
	const struct takt_file *file = request->file;
	const Elf64_Ehdr *header = (const void *)file->data;
	bool is_elf =
		file->size_bytes >= sizeof(*header) && memcmp(file->data, ELFMAG, SELFMAG) == 0;

	if (!is_elf || (header->e_type != ET_REL && header->e_type != ET_DYN)) {
		takt_call_say(error, "neither an ELF object nor a shared library");
		return false;
	}
	if ((header->e_type == ET_DYN) == request->call->is_library)
		return true;
	if (request->call->is_library) {
		takt_call_say(error, "an ELF object, not a shared library");
	} else {
		takt_call_say(error, "a shared library, whose constructors run when it is loaded");
		snprintf(error->note, sizeof(error->note),
			 "with '--library' they may, with files to read but none to write");
	}
	return false;
}

static bool load_function(const struct takt_call_request *request, const char *path,
			  struct takt_call_error *error, uint64_t *ret_entry)
{
	struct takt_call_object object;

	if (request->call->is_library)
		return load_library(request->call, path, error, ret_entry);
	if (!takt_call_object_load(request->file, request->call->function, error, &object))
		return false;
	*ret_entry = object.entry;
	return true;
}

/* Make the arguments of the call; a buffer is passed by its address. */
static bool make_arguments(const struct takt_call *call, struct takt_call_error *error,
			   uint64_t *arguments)
{
	for (size_t i = 0; i < call->argument_count; i++) {
		const struct takt_call_buffer *buffer = call->buffers ? &call->buffers[i] : NULL;
		size_t offset = (i + 1) * BUFFER_STAGGER;
		uint8_t *memory;

		arguments[i] = call->arguments[i];
		if (!buffer || !buffer->size_bytes)
			continue;
		_Static_assert(BUFFER_STAGGER % BUFFER_ALIGNMENT == 0, "buffers begin on a line");
		memory = mmap(NULL, buffer->size_bytes + offset + sizeof(buffer->fill),
			      PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
			      -1, 0);
		if (memory == MAP_FAILED) {
			takt_call_say(error, "no memory for a buffer of %zu bytes",
				      buffer->size_bytes);
			return false;
		}
		for (size_t at = 0; at < buffer->size_bytes; at += sizeof(buffer->fill))
			memcpy(memory + offset + at, &buffer->fill, sizeof(buffer->fill));
		arguments[i] = (uint64_t)(uintptr_t)(memory + offset);
	}
	return true;
}

#if defined(__x86_64__)
#define MXCSR_EXCEPTIONS 0x3fu
#define MXCSR_FTZ_DAZ 0x8040u

static void set_controls(const struct takt_measure_options *options)
{
	uint32_t controls = _mm_getcsr() & ~MXCSR_EXCEPTIONS;

	__asm__ volatile("fnclex");
	_mm_setcsr(options->keep_denormals ? controls : controls | MXCSR_FTZ_DAZ);
}

static uint32_t read_exceptions(void)
{
	uint16_t x87;

	__asm__ volatile("fnstsw %0" : "=a"(x87));
	return (_mm_getcsr() & MXCSR_EXCEPTIONS) | (uint32_t)x87 << 16;
}
#else
static void set_controls(const struct takt_measure_options *options)
{
	(void)options;
}

static uint32_t read_exceptions(void)
{
	return 0;
}
#endif

bool takt_call_child_prepare(const struct takt_call_request *request, pid_t parent)
{
	int cpu = request->options->cpu ? (int)request->options->cpu - 1 : sched_getcpu();

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	return takt_pin((uint32_t)cpu) && getppid() == parent && handle_signals(request->shared);
}

/* Return the memory that loading and calling may add, including all of the buffers. */
static uint64_t memory_needed(const struct takt_call *call)
{
	uint64_t bytes = MEMORY_BYTES_MAX;

	for (size_t i = 0; call->buffers && i < call->argument_count; i++)
		bytes += call->buffers[i].size_bytes + BUFFER_STAGGER_MAX;
	return bytes;
}

void takt_call_child_run(const struct takt_call_request *request, pid_t parent)
{
	struct takt_call_shared *shared = request->shared;
	const struct takt_call *call = request->call;
	struct timed timed = {.clock_fd = -1};
	char *path = realpath(call->path, NULL); /* dlopen() would search for a bare name */
	uint64_t entry;

	if (!check_type(request, &shared->error))
		takt_call_child_end(shared, TAKT_CALL_LOAD_FAILED);
	if (request->reads_clock)
		timed.clock_fd = takt_clock_open();
	if (!call->is_library)
		(void)!dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
	if ((request->reads_clock && timed.clock_fd < 0) ||
	    !takt_call_child_prepare(request, parent) ||
	    !takt_call_sandbox_enter(timed.clock_fd, request->namespaces, call->is_library,
				     memory_needed(call)))
		takt_call_child_end(shared, TAKT_CALL_NO_SANDBOX);
	if (!load_function(request, path, &shared->error, &entry) ||
	    !make_arguments(call, &shared->error, timed.arguments))
		takt_call_child_end(shared, TAKT_CALL_LOAD_FAILED);
	timed.function = (takt_call_function)(uintptr_t)entry;
	if (!takt_call_sandbox_close(timed.clock_fd))
		takt_call_child_end(shared, TAKT_CALL_NO_SANDBOX);
	shared->stage = TAKT_CALL_RUNNING;
	set_controls(request->options);
	run_rounds(&timed, request);
	shared->fp_raised = read_exceptions();
	takt_call_child_end(shared, TAKT_CALL_DONE);
}
