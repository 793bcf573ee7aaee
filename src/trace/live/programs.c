/* SPDX-License-Identifier: MIT */
/*
 * The programs that are followed: when they begin and end, and whose slots they have (feed.h). All
 * words of the feed are a guest's, and are checked.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/live/live.h"

/* A reserved slot whose maker has been dead for this long will not be taken. */
#define RESERVED_SECONDS_MAX 2.0

/* ---- beginning ---- */

static struct trace_program *find_program(const struct trace_live *live, uint32_t number)
{
	for (uint32_t i = live->program_count; i-- > 0;)
		if (live->programs[i]->number == number)
			return live->programs[i];
	return NULL;
}

/* Copy the words of a command line as one text. */
static char *copy_command(const struct feed *feed)
{
	char words[FEED_COMMAND_BYTES + 1];
	uint32_t size = feed->command_bytes;

	if (size > FEED_COMMAND_BYTES)
		size = FEED_COMMAND_BYTES;
	memcpy(words, feed->command, size);
	words[size] = '\0';
	for (uint32_t i = 0; i + 1 < size; i++)
		if (words[i] == '\0')
			words[i] = ' ';
	return takt_xstrdup(words);
}

/* A child of fork has its parent's blocks, as many as there were. */
static bool inherit(struct trace_live *live, struct trace_program *program,
		    struct trace_program *parent, uint32_t count)
{
	if (parent->slot != FEED_NO_SLOT && !live_read_dictionary(live, parent))
		return false;
	if (count > parent->block_count)
		return false;
	TAKT_GROW(program->blocks, count, program->block_capacity);
	if (count)
		memcpy(program->blocks, parent->blocks, count * sizeof(*program->blocks));
	program->block_count = count;
	return true;
}

static bool begin(struct trace_live *live, struct trace_program *program, const struct feed *feed)
{
	struct trace_program *parent = find_program(live, program->parent);

	switch (program->begin) {
	case FEED_STARTED:
		program->command = takt_xstrdup("");
		return live->program_count == 0;
	case FEED_FORKED:
		if (!parent)
			return false;
		program->command = takt_xstrdup(parent->command);
		return inherit(live, program, parent, feed->parent_blocks);
	case FEED_EXECUTED:
		if (!parent || parent->process != program->process)
			return false;
		parent->replaced = true;
		program->command = copy_command(feed);
		return true;
	}
	return false;
}

static void free_program(struct trace_program *program)
{
	if (program->handle >= 0)
		close(program->handle);
	free(program->command);
	free(program->lost_path);
	free(program->blocks);
	free(program->files);
	free(program->threads);
	free(program->rings);
	free(program);
}

/* Descriptors of processes become readable when these end; without them kill() tells. */
static int open_handle(pid_t process)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, process, 0);
#else
	(void)process;
	return -1;
#endif
}

static bool meet(struct trace_live *live, uint32_t slot)
{
	const struct feed *feed = &live->area->slots[slot];
	struct trace_program *program = takt_xcalloc(1, sizeof(*program));

	*program = (struct trace_program){
		.index = live->program_count,
		.number = feed->number,
		.parent = feed->parent,
		.begin = (enum feed_begin)feed->begin,
		.process = feed->process,
		.handle = -1,
		.slot = slot,
		.exit_status = -1,
	};
	if (program->number >= FEED_PROCESSES_MAX || program->process <= 0 ||
	    find_program(live, program->number) || !begin(live, program, feed)) {
		free_program(program);
		return false;
	}
	program->handle = open_handle(program->process);
	TAKT_GROW(live->programs, live->program_count + 1, live->program_capacity);
	live->programs[live->program_count++] = program;
	live->by_slot[slot] = program;
	return true;
}

/* Free a slot: first what its next owner expects to be zero, then the state. */
static void clear_slot(struct feed *feed)
{
	memset((char *)feed + sizeof(feed->state), 0,
	       offsetof(struct feed, dictionary) - sizeof(feed->state));
	atomic_store(&feed->paths_end, 0);
	atomic_store(&feed->heap_begin, 0);
	atomic_store(&feed->heap_end, 0);
	atomic_store(&feed->mapping_count, 0);
	atomic_store(&feed->state, FEED_FREE);
}

static bool is_dead(pid_t process)
{
	return process <= 0 || (kill(process, 0) < 0 && errno == ESRCH);
}

/* Free a slot that was reserved by a process that died meanwhile. */
static void watch_reserved(struct trace_live *live, uint32_t slot)
{
	struct feed *feed = &live->area->slots[slot];
	uint32_t reserved = FEED_RESERVED;
	double now;

	if (atomic_load_explicit(&feed->state, memory_order_relaxed) != FEED_RESERVED) {
		live->reserved_seconds[slot] = 0;
		return;
	}
	now = takt_now_seconds();
	if (live->reserved_seconds[slot] <= 0)
		live->reserved_seconds[slot] = now;
	if (now - live->reserved_seconds[slot] > RESERVED_SECONDS_MAX && is_dead(feed->process))
		atomic_compare_exchange_strong(&feed->state, &reserved, FEED_FREE);
}

bool live_meet_programs(struct trace_live *live)
{
	bool met = true;

	/* A program may have been made by one in a later slot, so look again after each. */
	while (met) {
		met = false;
		for (uint32_t i = 0; i < FEED_SLOTS; i++) {
			const struct feed *feed = &live->area->slots[i];

			watch_reserved(live, i);
			if (live->by_slot[i] || atomic_load(&feed->state) != FEED_RUNS)
				continue;
			if (feed->begin != FEED_STARTED && !find_program(live, feed->parent))
				continue;
			if (!meet(live, i))
				return false;
			met = true;
		}
	}
	return true;
}

/* ---- running ---- */

bool live_find_thread(struct trace_live *live, struct trace_program *program, uint64_t number,
		      uint32_t *ret_thread)
{
	if (number >= TRACE_THREADS_MAX)
		return false;
	TAKT_GROW(program->threads, (uint32_t)number + 1, program->thread_capacity);
	/* All threads up to this one, so that their order is that of their creation. */
	while (program->thread_count <= number) {
		if (live->thread_count >= TRACE_THREADS_MAX)
			return false;
		TAKT_GROW(live->thread_programs, live->thread_count + 1, live->thread_capacity);
		live->thread_programs[live->thread_count] = program->index;
		program->threads[program->thread_count++] = live->thread_count++;
	}
	*ret_thread = program->threads[number];
	return true;
}

/* ---- ending ---- */

bool live_has_ended(const struct trace_program *program)
{
	struct pollfd handle = {.fd = program->handle, .events = POLLIN};

	if (program->replaced)
		return true;
	if (program->handle >= 0)
		return poll(&handle, 1, 0) == 1;
	return is_dead(program->process);
}

bool live_is_awaited(const struct trace_live *live, const struct trace_program *program)
{
	for (uint32_t i = 0; i < FEED_SLOTS; i++) {
		const struct feed *feed = &live->area->slots[i];

		if (!live->by_slot[i] && atomic_load(&feed->state) != FEED_FREE &&
		    feed->parent == program->number)
			return true;
	}
	return false;
}

static void keep_mappings(struct trace_live *live, const struct feed *feed)
{
	uint32_t count = atomic_load(&feed->mapping_count);

	if (count > FEED_MAPPINGS)
		count = FEED_MAPPINGS;
	if (live->mapping_count > FEED_MAPPINGS)
		return;
	TAKT_GROW(live->mappings, live->mapping_count + count + 1, live->mapping_capacity);
	live->mappings[live->mapping_count++] = (struct trace_mapping){
		atomic_load(&feed->heap_begin), atomic_load(&feed->heap_end)};
	for (uint32_t i = 0; i < count; i++)
		live->mappings[live->mapping_count++] =
			(struct trace_mapping){feed->mappings[i].begin, feed->mappings[i].end};
}

/* Keep why the program is no longer followed. */
static void keep_lost(const struct trace_live *live, struct trace_program *program,
		      const struct feed *feed)
{
	uint32_t lost = atomic_load(&feed->lost);
	char path[FEED_LOST_BYTES];

	if (program->replaced || lost == FEED_FOLLOWED || lost >= FEED_LOST_COUNT)
		return;
	/* It ran on when takt had stopped, and made another program take its place. */
	if (lost == FEED_LOST_UNWANTED && live->area->follows) {
		program->running = program->process != live->process;
		return;
	}
	memcpy(path, feed->lost_path, sizeof(path));
	path[sizeof(path) - 1] = '\0';
	program->lost = (enum feed_lost)lost;
	program->lost_path = takt_xstrdup(path);
}

/* Give the program's rings back, for other threads. */
static void free_rings(struct trace_live *live, struct trace_program *program)
{
	for (uint32_t i = 0; i < program->ring_count; i++) {
		uint32_t index = program->rings[i].ring;
		struct feed_ring *ring;

		if (!index)
			continue;
		ring = &live->area->rings[index - 1];
		live->checked_insns += ring->insns_begun;
		ring->insns_begun = 0;
		atomic_store(&ring->written, 0);
		atomic_store(&ring->read, 0);
		atomic_store(&ring->waits, 0);
		live->ring_owned[index - 1] = 0;
		atomic_store(&live->area->ring_taken[index - 1], 0);
	}
	free(program->rings);
	program->rings = NULL;
	program->ring_count = 0;
}

void live_close_program(struct trace_live *live, struct trace_program *program)
{
	struct feed *feed = &live->area->slots[program->slot];
	uint32_t exit_status = atomic_load(&feed->exit_status);

	if (!program->replaced && exit_status && exit_status <= 256)
		program->exit_status = (int)exit_status - 1;
	keep_mappings(live, feed);
	keep_lost(live, program, feed);
	live->by_slot[program->slot] = NULL;
	program->slot = FEED_NO_SLOT;
	free_rings(live, program);
	if (program->handle >= 0)
		close(program->handle);
	program->handle = -1;
	/* Its children are known, and have copies of what they need. */
	free(program->blocks);
	free(program->files);
	free(program->threads);
	program->blocks = program->files = program->threads = NULL;
	program->block_count = program->block_capacity = 0;
	clear_slot(feed);
}

void live_free_programs(struct trace_live *live)
{
	for (uint32_t i = 0; i < live->program_count; i++)
		free_program(live->programs[i]);
	free(live->programs);
	free(live->thread_programs);
	free(live->mappings);
	takt_map_release(&live->blocks);
}

/* ---- the result ---- */

static enum takt_trace_process_end end_of(const struct trace_program *program)
{
	if (program->replaced)
		return TAKT_TRACE_END_EXEC;
	if (program->lost)
		return TAKT_TRACE_END_LOST;
	if (program->running)
		return TAKT_TRACE_END_RUNNING;
	return program->exit_status >= 0 ? TAKT_TRACE_END_EXIT : TAKT_TRACE_END_SIGNAL;
}

/* Say why a program was not followed. */
static const char *cause_of(enum feed_lost lost)
{
	switch (lost) {
	case FEED_LOST_UNWANTED:
		return "only the first program is traced";
	case FEED_LOST_FOREIGN:
		return "it is for another instruction set, or no 64-bit ELF file";
	case FEED_LOST_PRIVILEGED:
		return "it runs as another user or group";
	case FEED_LOST_FULL:
		return "too many programs run at once";
	case FEED_LOST_UNKNOWN:
		return "it cannot be run under qemu";
	case FEED_FOLLOWED:
	case FEED_LOST_COUNT:
		break;
	}
	return "";
}

TAKT_ORDER_POINTERS(compare_programs, struct trace_program, TAKT_UP(number));

static uint32_t index_of(struct trace_program *const *sorted, uint32_t count, uint32_t number)
{
	uint32_t at;

	TAKT_BISECT(at, count, sorted[at]->number < number);
	return at < count ? at : 0;
}

void live_list_programs(const struct trace_live *live, struct takt_trace_totals *totals)
{
	uint32_t count = live->program_count;
	struct trace_program **sorted =
		takt_xcalloc(count + (size_t)1, sizeof(struct trace_program *));
	struct takt_trace_process *list = takt_xcalloc(count + (size_t)1, sizeof(*list));
	uint32_t *threads = takt_xcalloc(live->thread_count + (size_t)1, sizeof(*threads));

	if (count)
		memcpy(sorted, live->programs, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_programs);
	for (uint32_t i = 0; i < count; i++)
		list[i] = (struct takt_trace_process){
			.command = takt_xstrdup(sorted[i]->command),
			.parent = index_of(sorted, count, sorted[i]->parent),
			.begin = (enum takt_trace_process_begin)sorted[i]->begin,
			.end = end_of(sorted[i]),
			.exit_status = sorted[i]->exit_status,
			.lost_path =
				sorted[i]->lost_path ? takt_xstrdup(sorted[i]->lost_path) : NULL,
			.lost_cause =
				sorted[i]->lost ? takt_xstrdup(cause_of(sorted[i]->lost)) : NULL,
		};
	for (uint32_t i = 0; i < live->thread_count; i++)
		threads[i] =
			index_of(sorted, count, live->programs[live->thread_programs[i]]->number);
	free(sorted);
	totals->process_list = list;
	totals->process_count = count;
	totals->thread_processes = threads;
}
