/* SPDX-License-Identifier: MIT */
/* Runs a guest: creates the shared memory, starts the process, and reads until it has ended. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace/live/feed.h"
#include "trace/live/live.h"

#define SLEEP_NANOSECONDS 2000000 /* longest sleep before checking whether the guest has ended */
#define KILL_SECONDS 2.0
#define PAGE_BYTES 4096u
#define INSN_BYTES_MAX 15u
#define BLOCK_RECORD_BYTES_MAX                                                                     \
	(sizeof(struct trace_block_header) + (size_t)17 * TRACE_INSNS_MAX + 8)

enum takt_status takt_trace_live_open(struct takt_diag *diag, struct trace_live *live)
{
	void *memory;

	*live = (struct trace_live){
		.descriptor = memfd_create("takt-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
	if (live->descriptor < 0 || ftruncate(live->descriptor, sizeof(struct feed)) < 0 ||
	    fcntl(live->descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		goto fail;
	memory = mmap(NULL, sizeof(struct feed), PROT_READ | PROT_WRITE, MAP_SHARED,
		      live->descriptor, 0);
	if (memory == MAP_FAILED)
		goto fail;
	live->feed = memory;
	live->feed->magic = FEED_MAGIC;
	return TAKT_OK;
fail:
	takt_error(diag, "cannot make shared memory: %s", strerror(errno));
	if (live->descriptor >= 0)
		close(live->descriptor);
	return TAKT_UNAVAILABLE;
}

void takt_trace_live_close(struct trace_live *live)
{
	munmap(live->feed, sizeof(struct feed));
	close(live->descriptor);
}

enum takt_status takt_trace_live_start(struct trace_live *live, char *const *argv,
				       char *const *variables, struct takt_diag *diag)
{
	static const char *const settings[] = {"TAKT_MARKER=emulate"};
	const struct trace_spawn_file files[] = {
		{.descriptor = live->descriptor},
		{.descriptor = STDOUT_FILENO, .flags = 1 + STDERR_FILENO},
	};
	struct takt_arena arena;
	int error;

	/* Set the variable that makes libtakt-marker report regions, whatever its value was. */
	takt_arena_init(&arena);
	error = takt_trace_spawn(argv, takt_environment_make(variables, settings, 1, &arena), files,
				 live->takes_stdout ? 2 : 1, &live->process);
	takt_arena_release(&arena);
	if (error) {
		takt_error(diag, "cannot run '%s': %s", argv[0], strerror(error));
		return TAKT_UNAVAILABLE;
	}
	return TAKT_OK;
}

/* ---- reading ---- */

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/*
 * Cut the last instruction off an x86 block if it is incomplete, and return the new size. qemu
 * ends a block before an instruction that reaches into the next page, but by then qemu 7.2 has
 * reported to the plugin the part that it had read.
 */
static size_t trim_block(const struct takt_isa *isa, uint8_t *entry, size_t size_bytes)
{
	struct trace_block_header header;
	uint8_t *lengths = entry + sizeof(header), *bytes;
	struct takt_insn_flow executed;
	size_t length;

	memcpy(&header, entry, sizeof(header));
	length = header.insn_count > 1 ? lengths[header.insn_count - 1] : 0;
	if (isa != &takt_isa_x86 || length == 0 ||
	    (header.address + header.size_bytes + INSN_BYTES_MAX) / PAGE_BYTES ==
		    (header.address + header.size_bytes - 1) / PAGE_BYTES)
		return size_bytes;
	bytes = lengths + header.insn_count;
	if (takt_insn_flow_decode(isa, bytes + header.size_bytes - length, length, &executed))
		return size_bytes;
	header.insn_count--;
	header.size_bytes -= (uint32_t)length;
	memcpy(entry, &header, sizeof(header));
	memmove(bytes - 1, bytes, header.size_bytes);
	return sizeof(header) + (header.insn_count + (size_t)header.size_bytes + 7) / 8 * 8;
}

/* Add the next file of the feed to the dictionary; false if there is none. */
static bool read_path(struct trace_live *live)
{
	uint32_t end = atomic_load(&live->feed->paths_end), size = 0;
	uint8_t build_id[TRACE_BUILD_ID_MAX];
	char path[FEED_PATH_BYTES_MAX];

	if (end > FEED_PATHS_BYTES || live->path_at >= end)
		return false;
	while (size < sizeof(path) && live->path_at + size < end) {
		path[size] = live->feed->paths[live->path_at + size];
		if (path[size++] == '\0')
			break;
	}
	if (path[size - 1] != '\0' || size == 1)
		return false;
	live->path_at += size;
	takt_trace_dictionary_add_file(
		live->sequencer->dictionary,
		&(struct trace_file){
			.path = path,
			.build_id = build_id,
			.build_id_bytes = live->places ? takt_trace_build_id(path, build_id) : 0,
		});
	return true;
}

/* Set the function that a block begins in; false if the block's file is unknown. */
static bool name_block(struct trace_live *live, uint8_t *entry)
{
	struct trace_dictionary *dictionary = live->sequencer->dictionary;
	uint32_t first_file = dictionary->file_count, first_function = dictionary->function_count;
	struct trace_block_header header;

	memcpy(&header, entry, sizeof(header));
	while (header.file >= dictionary->file_count)
		if (!read_path(live))
			return false;
	header.function =
		header.file && live->places
			? takt_trace_places_function(live->places, header.file, header.file_offset)
			: 0;
	memcpy(entry, &header, sizeof(header));
	if (live->log &&
	    (first_file != dictionary->file_count || first_function != dictionary->function_count))
		takt_trace_log_add_names(live->log, dictionary, first_file, first_function);
	return true;
}

/*
 * Read the blocks that are in the feed now. Once a record is seen, the block that it names is
 * there.
 */
static bool read_dictionary(struct trace_live *live)
{
	struct trace_dictionary *dictionary = live->sequencer->dictionary;
	struct feed *feed = live->feed;
	uint64_t at = live->dictionary_read, start = at;
	uint64_t end = atomic_load(&feed->dictionary_written);
	/* Copy of an entry, which may wrap around the end of the feed's dictionary. */
	uint64_t entry[BLOCK_RECORD_BYTES_MAX / sizeof(uint64_t)];

	if (atomic_load(&feed->dictionary_read) != at || end < at ||
	    end - at > FEED_DICTIONARY_BYTES)
		return false;
	while (at < end) {
		size_t offset = at % FEED_DICTIONARY_BYTES, size = sizeof(entry), first;

		if (size > end - at)
			size = end - at;
		first = FEED_DICTIONARY_BYTES - offset < size ? FEED_DICTIONARY_BYTES - offset
							      : size;
		memcpy(entry, feed->dictionary + offset, first);
		memcpy((uint8_t *)entry + first, feed->dictionary, size - first);
		size = takt_trace_block_size((uint8_t *)entry, size);
		if (size == 0 || !name_block(live, (uint8_t *)entry))
			return false;
		at += size;
		size = trim_block(takt_trace_guest_isa(dictionary->guest), (uint8_t *)entry, size);
		if (takt_trace_dictionary_add(dictionary, (uint8_t *)entry, size) == 0)
			return false;
		if (live->log)
			takt_trace_log_add_blocks(live->log, entry, size);
	}
	if (at != start) {
		live->dictionary_read = at;
		atomic_store(&feed->dictionary_read, at);
		atomic_fetch_add(&feed->dictionary_turn, 1);
		futex_wake(&feed->dictionary_turn);
	}
	return true;
}

/*
 * Process consecutive records of a ring. They may belong to several threads, each of which began
 * after the one before had ended.
 */
static bool take_records(struct trace_live *live, uint32_t index, const uint64_t *records,
			 size_t count)
{
	while (count) {
		size_t taken;

		if (records[0] >> TRACE_SIZE_SHIFT == TRACE_KIND_START)
			live->thread_of_ring[index] = (uint32_t)trace_value(records[0]);
		if (live->thread_of_ring[index] >= TRACE_THREADS_MAX)
			return false;
		taken = takt_trace_sequencer_feed(live->sequencer, live->thread_of_ring[index],
						  records, count);
		if (taken == 0)
			return false;
		if (live->log)
			takt_trace_log_add_records(live->log, live->thread_of_ring[index], records,
						   taken);
		records += taken;
		count -= taken;
	}
	return true;
}

/* Read a ring. Unless `last`, the newest record is left, as it may still grow. */
static bool read_ring(struct trace_live *live, uint32_t index, bool last, bool *ret_any)
{
	struct feed_ring *ring = &live->feed->rings[index];
	uint64_t at = live->read[index];
	uint64_t end = atomic_load_explicit(&ring->written, memory_order_acquire);
	bool fine = read_dictionary(live);

	/*
	 * The guest may have overwritten these words. If both ends of a ring do not agree on how
	 * much was read, one may wait forever for the other, so the trace is given up.
	 */
	if (atomic_load_explicit(&ring->read, memory_order_relaxed) != at ||
	    end < live->written[index] || end - at > FEED_RING_RECORDS)
		return false;
	live->written[index] = end;
	if (!last && end > at)
		end--;
	while (fine && at < end) {
		size_t offset = at % FEED_RING_RECORDS;
		size_t count = FEED_CHUNK_RECORDS - at % FEED_CHUNK_RECORDS;

		if (count > end - at)
			count = (size_t)(end - at);
		memcpy(live->chunk, ring->records + offset, count * sizeof(live->chunk[0]));
		fine = take_records(live, index, live->chunk, count);
		at += count;
		*ret_any = true;
		live->read[index] = at;
		atomic_store(&ring->read, at);
		atomic_fetch_add(&live->feed->heartbeat, 1);
		atomic_fetch_add(&ring->read_turn, 1);
		if (atomic_load(&ring->waits))
			futex_wake(&ring->read_turn);
	}
	return fine;
}

bool takt_trace_live_poll(struct trace_live *live, bool last, bool *ret_any)
{
	uint32_t used = atomic_load(&live->feed->rings_used);

	*ret_any = false;
	for (uint32_t i = 0; i < used && i < FEED_RINGS; i++)
		if (!read_ring(live, i, last, ret_any))
			return false;
	return true;
}

static void sleep_until_woken(struct feed *feed, uint32_t seen)
{
	static const struct timespec timeout = {.tv_nsec = SLEEP_NANOSECONDS};

	atomic_store(&feed->sleeps, 1);
	syscall(SYS_futex, &feed->wake, FUTEX_WAIT, seen, &timeout, NULL, 0);
	atomic_store(&feed->sleeps, 0);
	atomic_fetch_add(&feed->heartbeat, 1);
}

/*
 * Pass on a signal that takt got. The program is killed at the second signal, or if it does not
 * end within some seconds after it has broken its trace, so that takt can always be stopped.
 */
static void pass_signal(struct trace_live *live, volatile int *signal, bool fine)
{
	if (signal && *signal) {
		kill(live->process, live->signalled_seconds > 0 ? SIGKILL : *signal);
		live->signalled_seconds = takt_now_seconds();
		*signal = 0;
	}
	if (!fine && live->signalled_seconds > 0 &&
	    takt_now_seconds() - live->signalled_seconds > KILL_SECONDS)
		kill(live->process, SIGKILL);
}

/* Return the reason why the trace is invalid, or NULL if it is valid. */
static const char *what_failed(const struct trace_live *live, bool fine)
{
	if (!atomic_load(&live->feed->attached))
		return "qemu did not take the plugin";
	if (atomic_load(&live->feed->rings_missing))
		return "the program has more threads than can be traced at once";
	if (atomic_load(&live->feed->short_of_memory))
		return "out of memory in qemu's plugin";
	if (atomic_load(&live->feed->places_unknown))
		return "qemu's plugin cannot read which files are mapped (/proc/self/maps)";
	if (atomic_load(&live->feed->stopped))
		return "the trace was not read for so long that it was given up";
	return fine ? NULL : "the program or qemu overwrote the memory that its trace goes through";
}

static void keep_mappings(const struct feed *feed, struct trace_dictionary *dictionary)
{
	uint32_t count = atomic_load(&feed->mapping_count);
	struct trace_mapping *mappings;

	if (count > FEED_MAPPINGS)
		count = FEED_MAPPINGS;
	mappings = TAKT_NEW_ARRAY(&dictionary->arena, count + 1, struct trace_mapping);
	mappings[0] = (struct trace_mapping){atomic_load(&feed->heap_begin),
					     atomic_load(&feed->heap_end)};
	for (uint32_t i = 0; i < count; i++)
		mappings[i + 1] =
			(struct trace_mapping){feed->mappings[i].begin, feed->mappings[i].end};
	dictionary->mappings = mappings;
	dictionary->mapping_count = count + 1;
}

enum takt_status takt_trace_live_read(struct trace_live *live, volatile int *signal,
				      struct takt_diag *diag, int *ret_wait_status)
{
	const char *failure;
	bool fine = true, any = false;
	int status = 0;

	for (;;) {
		uint32_t seen = atomic_load(&live->feed->wake);
		pid_t ended = waitpid(live->process, &status, WNOHANG);

		if (ended < 0 && errno == EINTR)
			continue;
		if (!ended)
			pass_signal(live, signal, fine);
		if (live->pace)
			trace_pace_tell(live->pace, -1);
		/* Stop the plugin if nothing is read any more, so that the guest does not wait. */
		if (!fine || atomic_load(&live->feed->rings_missing))
			atomic_store(&live->feed->stopped, 1);
		else if (!atomic_load(&live->feed->stopped))
			fine = takt_trace_live_poll(live, ended != 0, &any);
		if (ended < 0) {
			takt_error(diag, "cannot wait for qemu: %s", strerror(errno));
			return TAKT_UNAVAILABLE;
		}
		if (ended)
			break;
		if (!fine || !any || atomic_load(&live->feed->stopped))
			sleep_until_woken(live->feed, seen);
	}
	failure = what_failed(live, fine);
	if (failure) {
		takt_error(diag, "%s", failure);
		return TAKT_UNAVAILABLE;
	}
	keep_mappings(live->feed, live->sequencer->dictionary);
	*ret_wait_status = status;
	return TAKT_OK;
}
