/* SPDX-License-Identifier: MIT */
/* The child that calls machine code: it maps code and data, locks itself in, and times calls. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "measure/call.h"
#include "measure/child.h"

#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define MEMORY_ADDED_BYTES ((uint64_t)1 << 20) /* after the code and its data are mapped */

static uint8_t *map(size_t size_bytes)
{
	void *memory =
		mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Map the data, and return the address of its begin, which a huge page could have; 0: no memory. */
static uint64_t map_data(const struct takt_code *code)
{
	size_t size_bytes = code->data_bytes + 2 * HUGE_PAGE_BYTES;
	uint8_t *memory = map(size_bytes), *data;

	if (!memory)
		return 0;
	/* A system may have no huge pages: then the advice fails, and the data has small ones. */
	(void)madvise(memory, size_bytes, code->huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	data = memory + (HUGE_PAGE_BYTES - (uintptr_t)memory % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
	for (size_t i = 0; i < code->pointer_count; i++) {
		const uint8_t *target = data + code->pointers[i].target;

		memcpy(data + code->pointers[i].at, &target, sizeof(target));
	}
	return (uint64_t)(uintptr_t)data;
}

/* Return the bytes of this process that are in huge pages; 0 if the system does not say. */
static uint64_t huge_bytes(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	unsigned long long kilobytes = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "AnonHugePages: %llu kB", &kilobytes) == 1)
			break;
	if (file)
		fclose(file);
	return kilobytes * 1024;
}

/* True if nearly all of the data is in huge pages, or need not be. */
static bool has_pages(const struct takt_code *code, uint64_t huge_bytes_before)
{
	uint64_t wanted = code->data_bytes - code->data_bytes / 10;

	return !code->needs_huge_pages || huge_bytes() >= huge_bytes_before + wanted;
}

/* Copy the code to memory of its own, which is then executable and read-only. */
static bool map_code(const struct takt_code *code, takt_call_function *ret_function)
{
	uint8_t *memory = map(code->size_bytes);
	const void *address = memory;

	if (!memory)
		return false;
	memcpy(memory, code->bytes, code->size_bytes);
	__builtin___clear_cache((char *)memory, (char *)memory + code->size_bytes);
	memcpy(ret_function, &address, sizeof(address));
	return mprotect(memory, code->size_bytes, PROT_READ | PROT_EXEC) == 0;
}

static void run_rounds(const struct takt_call_request *request, int clock_fd,
		       takt_call_function function, uint64_t start)
{
	struct takt_call_shared *shared = request->shared;
	uint64_t arguments[TAKT_CALL_ARGUMENTS_MAX] = {start, request->code->turns}, ticks;
	uint32_t number = 0;

	/* A predictor could remember numbers that come again. */
	for (; number <= request->code->warm_up; number++) {
		arguments[2] = takt_hash64(request->code->seed + number);
		ticks = takt_call_time_calls(clock_fd, function, arguments, 1);
	}
	shared->call_count = 1;
	shared->chain_cycles = takt_call_choose_chain(
		takt_call_time_chain(clock_fd, TAKT_CALL_CHAIN_CYCLES), ticks);
	for (uint32_t i = 0; i < request->rounds; i++) {
		for (uint32_t twice = 0; twice < 2; twice++) {
			arguments[1] = request->code->turns << twice;
			arguments[2] = takt_hash64(request->code->seed + number++);
			shared->rounds[i].chain[twice] =
				takt_call_time_chain(clock_fd, shared->chain_cycles << twice);
			shared->rounds[i].calls[twice] =
				takt_call_time_calls(clock_fd, function, arguments, 1);
		}
		shared->round_count = i + 1;
	}
}

void takt_call_code_run(const struct takt_call_request *request, pid_t parent)
{
	struct takt_call_shared *shared = request->shared;
	int clock_fd = request->reads_clock ? takt_clock_open() : -1;
	uint64_t huge_before = request->code->needs_huge_pages ? huge_bytes() : 0, start;
	takt_call_function function;

	if ((request->reads_clock && clock_fd < 0) || !takt_call_child_prepare(request, parent))
		takt_call_child_end(shared, TAKT_CALL_NO_SANDBOX);
	start = map_data(request->code);
	if (!start || !map_code(request->code, &function)) {
		takt_call_say(&shared->error, "no memory for the code and its data");
		takt_call_child_end(shared, TAKT_CALL_LOAD_FAILED);
	}
	if (!has_pages(request->code, huge_before)) {
		takt_call_say(&shared->error, "the system gives too few huge pages");
		takt_call_child_end(shared, TAKT_CALL_LOAD_FAILED);
	}
	if (!takt_call_sandbox_enter(clock_fd, request->namespaces, false, MEMORY_ADDED_BYTES) ||
	    !takt_call_sandbox_close(clock_fd))
		takt_call_child_end(shared, TAKT_CALL_NO_SANDBOX);
	shared->stage = TAKT_CALL_RUNNING;
	run_rounds(request, clock_fd, function, start + request->code->start);
	takt_call_child_end(shared, TAKT_CALL_DONE);
}
