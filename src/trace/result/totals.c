/* SPDX-License-Identifier: MIT */
/* The sink that counts instructions, accesses and branches, and the totals made from it. */
#include <stdlib.h>
#include <string.h>

#include "trace/blocks/record.h"
#include "trace/depend/dependences.h"
#include "trace/timing/what_if.h"
#include "trace/trace.h"

static struct takt_trace_counts *counts_of(struct trace_sink *sink, uint32_t thread)
{
	struct trace_counter *counter = (struct trace_counter *)sink;

	return &counter->threads[thread];
}

static void start_thread(struct trace_sink *sink, uint32_t thread)
{
	struct trace_counter *counter = (struct trace_counter *)sink;

	TAKT_GROW_ZEROED(counter->threads, thread + 1, counter->capacity);
	if (counter->count <= thread)
		counter->count = thread + 1;
}

static void count_accesses(struct takt_trace_counts *counts, const uint64_t *accesses,
			   uint32_t count)
{
	uint64_t stores = 0, bytes = 0, store_bytes = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t store = trace_is_store(accesses[i]), size = trace_size(accesses[i]);

		stores += store;
		bytes += size;
		store_bytes += size & -store;
	}
	counts->stores += stores;
	counts->loads += count - stores;
	counts->store_bytes += store_bytes;
	counts->load_bytes += bytes - store_bytes;
}

static void count_executed(struct trace_sink *sink, uint32_t thread,
			   const struct executed_block *executed)
{
	struct takt_trace_counts *counts = counts_of(sink, thread);
	struct trace_counter *counter = (struct trace_counter *)sink;
	bool repeated = executed->continues && executed->insn_count > 0;

	counts->insns += executed->insn_count - (uint64_t)repeated;
	counts->repeats += repeated;
	counts->interrupted += executed->interrupted;
	counts->blocks += !executed->continues;
	counter->distinct_blocks += executed->first;
	counts->taken += executed->outcome == TRACE_TAKEN;
	counts->not_taken += executed->outcome == TRACE_NOT_TAKEN;
	count_accesses(counts, executed->accesses, executed->access_count);
}

static void count_syscall(struct trace_sink *sink, uint32_t thread, uint64_t number)
{
	(void)number;
	counts_of(sink, thread)->syscalls++;
}

void takt_trace_counter_init(struct trace_counter *counter)
{
	*counter = (struct trace_counter){.sink = {.executed = count_executed,
						   .syscall = count_syscall,
						   .thread_start = start_thread}};
}

void takt_trace_counter_release(struct trace_counter *counter)
{
	free(counter->threads);
}

void takt_trace_counter_pack(struct trace_counter *counter, struct takt_pack *pack)
{
	uint32_t count = counter->count;

	takt_pack_count(pack, &count, TRACE_THREADS_MAX);
	if (count)
		start_thread(&counter->sink, count - 1);
	takt_pack_bytes(pack, counter->threads, count * sizeof(*counter->threads));
	takt_pack_bytes(pack, &counter->distinct_blocks, sizeof(counter->distinct_blocks));
}

static void add_counts(struct takt_trace_counts *sum, const struct takt_trace_counts *counts)
{
	sum->insns += counts->insns;
	sum->repeats += counts->repeats;
	sum->interrupted += counts->interrupted;
	sum->blocks += counts->blocks;
	sum->loads += counts->loads;
	sum->load_bytes += counts->load_bytes;
	sum->stores += counts->stores;
	sum->store_bytes += counts->store_bytes;
	sum->taken += counts->taken;
	sum->not_taken += counts->not_taken;
	sum->syscalls += counts->syscalls;
	sum->uops += counts->uops;
	sum->cycles += counts->cycles;
	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++)
		sum->losses[i] += counts->losses[i];
	for (uint32_t i = 0; i < TAKT_PORTS_MAX; i++)
		sum->port_cycles[i] += counts->port_cycles[i];
}

void takt_trace_counter_finish(struct trace_counter *counter, struct takt_trace_totals *totals)
{
	for (uint32_t i = 0; i < counter->count; i++)
		add_counts(&totals->all, &counter->threads[i]);
	totals->threads = counter->threads;
	totals->thread_count = counter->count;
	totals->distinct_blocks = counter->distinct_blocks;
	counter->threads = NULL;
}

void takt_trace_totals_sum_processes(struct takt_trace_totals *totals)
{
	struct takt_trace_process *list =
		(struct takt_trace_process *)(uintptr_t)totals->process_list;

	for (uint32_t i = 0; totals->process_count && i < totals->thread_count; i++) {
		struct takt_trace_process *process = &list[totals->thread_processes[i]];

		process->thread_count++;
		add_counts(&process->counts, &totals->threads[i]);
	}
}

static void free_processes(const struct takt_trace_totals *totals)
{
	for (uint32_t i = 0; i < totals->process_count; i++) {
		free((void *)(uintptr_t)totals->process_list[i].command);
		free((void *)(uintptr_t)totals->process_list[i].lost_path);
		free((void *)(uintptr_t)totals->process_list[i].lost_cause);
	}
	free((void *)(uintptr_t)totals->process_list);
	free((void *)(uintptr_t)totals->thread_processes);
}

/* Return copies of words: one allocation holds the pointers, then the words that they point to. */
static const char **copy_words(const char *const *words, uint32_t count)
{
	size_t size = 0, at = 0;
	const char **pointers;
	char *bytes;

	for (uint32_t i = 0; i < count; i++)
		size += strlen(words[i]) + 1;
	pointers = takt_xcalloc(1, (count + (size_t)1) * sizeof(*pointers) + size);
	bytes = (char *)(pointers + count + 1);
	for (uint32_t i = 0; i < count; i++) {
		pointers[i] = memcpy(bytes + at, words[i], strlen(words[i]) + 1);
		at += strlen(words[i]) + 1;
	}
	return pointers;
}

void takt_trace_totals_set_command(struct takt_trace_totals *totals, const char *const *words,
				   uint32_t count)
{
	free((void *)(uintptr_t)totals->command);
	totals->command = copy_words(words, count);
	totals->command_count = count;
}

void takt_trace_totals_set_ports(struct takt_trace_totals *totals, const char *const *names,
				 uint32_t count)
{
	free((void *)(uintptr_t)totals->port_names);
	totals->port_names = copy_words(names, count);
	totals->port_count = count;
}

void takt_trace_totals_free(struct takt_trace_totals *totals)
{
	if (!totals)
		return;
	free((void *)(uintptr_t)totals->threads);
	takt_trace_result_free(totals->profile);
	free((void *)(uintptr_t)totals->core);
	free((void *)(uintptr_t)totals->core_doubt);
	free((void *)(uintptr_t)totals->core_choice);
	free((void *)(uintptr_t)totals->native_cause);
	free((void *)(uintptr_t)totals->port_names);
	free((void *)(uintptr_t)totals->unread_path);
	free((void *)(uintptr_t)totals->unread_cause);
	free((void *)(uintptr_t)totals->caches);
	free((void *)(uintptr_t)totals->branches);
	free((void *)(uintptr_t)totals->sample);
	free((void *)(uintptr_t)totals->memo);
	free((void *)(uintptr_t)totals->intervals);
	free((void *)(uintptr_t)totals->seen);
	takt_trace_layouts_totals_free(totals->layouts);
	takt_trace_dependences_free(totals->dependences);
	takt_trace_sensitivity_free(totals->sensitivity);
	takt_trace_fault_free(totals->fault);
	free_processes(totals);
	free((void *)(uintptr_t)totals->command);
	takt_timeline_free(totals->timeline);
	free(totals);
}
