/* SPDX-License-Identifier: MIT */
/* Runs a guest: creates the shared memory, starts the process, and reads until it has ended. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace/live/feed.h"
#include "trace/live/live.h"

#define SLEEP_NANOSECONDS 2000000 /* longest sleep before checking whether the guest has ended */
#define KILL_SECONDS 2.0
#define PAGE_BYTES 4096u
#define BLOCKS_MAX ((size_t)1 << 22) /* blocks that programs can share */
#define INSN_BYTES_MAX 15u
#define BLOCK_RECORD_BYTES_MAX                                                                     \
	(sizeof(struct trace_block_header) + (size_t)17 * TRACE_INSNS_MAX + 8)

/* A block of the dictionary; the key is a hash of its whole entry. */
struct known_block {
	uint64_t key;
	uint32_t number;
};

enum takt_status takt_trace_live_open(struct takt_diag *diag, struct trace_live *live)
{
	void *memory;

	*live = (struct trace_live){
		.descriptor = memfd_create("takt-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
	if (live->descriptor < 0 || ftruncate(live->descriptor, sizeof(struct feed_area)) < 0 ||
	    fcntl(live->descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		goto fail;
	memory = mmap(NULL, sizeof(struct feed_area), PROT_READ | PROT_WRITE, MAP_SHARED,
		      live->descriptor, 0);
	if (memory == MAP_FAILED)
		goto fail;
	takt_trace_live_init(live, memory);
	return TAKT_OK;
fail:
	takt_error(diag, "cannot make shared memory: %s", strerror(errno));
	if (live->descriptor >= 0)
		close(live->descriptor);
	return TAKT_UNAVAILABLE;
}

void takt_trace_live_init(struct trace_live *live, void *memory)
{
	live->area = memory;
	live->area->magic = FEED_MAGIC;
	live->area->takt = getpid();
	live->area->descriptor = live->descriptor;
	live->area->next_number = 1;
	atomic_store(&live->area->slots[0].state, FEED_RESERVED);
	takt_map_init(&live->blocks, sizeof(struct known_block), BLOCKS_MAX);
}

void takt_trace_live_set_launch(struct trace_live *live, char *const *command)
{
	struct feed_area *area = live->area;
	uint32_t at = 0;

	area->follows = live->follows;
	for (size_t i = 0; command[i] && strcmp(command[i], "-0") != 0; i++) {
		const char *last =
			strcmp(command[i + 1], "-0") == 0 ? strstr(command[i], ",feed=") : NULL;
		size_t size = last ? (size_t)(last - command[i]) : strlen(command[i]);

		if (size >= FEED_LAUNCH_BYTES - at) {
			area->follows = false;
			return;
		}
		memcpy(area->launch + at, command[i], size);
		at += (uint32_t)size + 1;
	}
	area->launch_bytes = at;
}

void takt_trace_live_close(struct trace_live *live)
{
	live_free_programs(live);
	munmap(live->area, sizeof(struct feed_area));
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
	struct takt_arena arena = {0};
	int error;

	/* Set the variable that makes libtakt-marker report regions, whatever its value was. */
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
	feed_futex(word, FUTEX_WAKE, INT32_MAX, NULL);
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
	return trace_block_bytes(&header);
}

/* Return the number of a file in the dictionary; it is added if it is new. */
static uint32_t find_file(struct trace_live *live, const char *path)
{
	struct trace_dictionary *dictionary = live->sequencer->dictionary;
	uint8_t build_id[TRACE_BUILD_ID_MAX];

	for (uint32_t i = 1; i < dictionary->file_count; i++)
		if (strcmp(dictionary->files[i].path, path) == 0)
			return i;
	return takt_trace_dictionary_add_file(
		dictionary,
		&(struct trace_file){
			.path = path,
			.build_id = build_id,
			.build_id_bytes = live->places ? takt_trace_build_id(path, build_id) : 0,
		});
}

/* Read the next file of a program; false if there is none. */
static bool read_path(struct trace_live *live, struct trace_program *program)
{
	const struct feed *feed = &live->area->slots[program->slot];
	uint32_t end = atomic_load(&feed->paths_end), size = 0;
	char path[FEED_PATH_BYTES_MAX];

	if (end > FEED_PATHS_BYTES || program->path_at >= end)
		return false;
	while (size < sizeof(path) && program->path_at + size < end) {
		path[size] = feed->paths[program->path_at + size];
		if (path[size++] == '\0')
			break;
	}
	if (path[size - 1] != '\0' || size == 1)
		return false;
	program->path_at += size;
	TAKT_GROW(program->files, program->file_count + 1, program->file_capacity);
	program->files[program->file_count++] = find_file(live, path);
	return true;
}

/* Set the file and function that a block begins in; false if the block's file is unknown. */
static bool name_block(struct trace_live *live, struct trace_program *program, uint8_t *entry)
{
	struct trace_dictionary *dictionary = live->sequencer->dictionary;
	uint32_t first_file = dictionary->file_count, first_function = dictionary->function_count;
	struct trace_block_header header;

	memcpy(&header, entry, sizeof(header));
	while (header.file > program->file_count)
		if (!read_path(live, program))
			return false;
	header.file = header.file ? program->files[header.file - 1] : 0;
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

static bool is_block(const struct trace_block *block, const uint8_t *entry)
{
	struct trace_block_header header;

	memcpy(&header, entry, sizeof(header));
	return block->address == header.address &&
	       block->end == header.address + header.size_bytes &&
	       block->insn_count == header.insn_count && block->file == header.file &&
	       block->file_offset == header.file_offset &&
	       memcmp(block->lengths, entry + sizeof(header),
		      (size_t)header.insn_count + header.size_bytes) == 0;
}

/* Add a block to the dictionary, unless another program has it, and to the program's list. */
static bool add_block(struct trace_live *live, struct trace_program *program, const uint8_t *entry,
		      size_t size)
{
	struct trace_dictionary *dictionary = live->sequencer->dictionary;
	struct known_block *known = takt_map_get(&live->blocks, takt_hash_bytes(entry, size) | 1);
	uint32_t number = dictionary->count;

	TAKT_GROW(program->blocks, program->block_count + 1, program->block_capacity);
	if (known && known->number && is_block(dictionary->blocks[known->number - 1], entry)) {
		program->blocks[program->block_count++] = known->number - 1;
		return true;
	}
	if (takt_trace_dictionary_add(dictionary, entry, size) == 0)
		return false;
	if (known && !known->number)
		known->number = 1 + number;
	if (live->log)
		takt_trace_log_add_blocks(live->log, entry, size);
	program->blocks[program->block_count++] = number;
	return true;
}

/* Once a record is seen, the block that it names is there. */
bool live_read_dictionary(struct trace_live *live, struct trace_program *program)
{
	const struct takt_isa *isa = takt_trace_guest_isa(live->sequencer->dictionary->guest);
	struct feed *feed = &live->area->slots[program->slot];
	uint64_t at = program->dictionary_read, start = at;
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
		if (size == 0 || !name_block(live, program, (uint8_t *)entry))
			return false;
		at += size;
		size = trim_block(isa, (uint8_t *)entry, size);
		if (!add_block(live, program, (uint8_t *)entry, size))
			return false;
	}
	if (at != start) {
		program->dictionary_read = at;
		atomic_store(&feed->dictionary_read, at);
		atomic_fetch_add(&feed->dictionary_turn, 1);
		futex_wake(&feed->dictionary_turn);
	}
	return true;
}

/* Replace the program's numbers of blocks and threads by those of the trace. */
static bool renumber(struct trace_live *live, struct trace_program *program, uint64_t *records,
		     size_t count)
{
	uint32_t thread;

	for (size_t i = 0; i < count; i++) {
		uint64_t value = trace_value(records[i]);

		if (records[i] >> TRACE_SIZE_SHIFT == TRACE_KIND_BLOCK) {
			if (value >= program->block_count)
				return false;
			records[i] = trace_record(TRACE_KIND_BLOCK, program->blocks[value]);
		} else if (records[i] >> TRACE_SIZE_SHIFT == TRACE_KIND_START) {
			if (!live_find_thread(live, program, value, &thread))
				return false;
			records[i] = trace_record(TRACE_KIND_START, thread);
		}
	}
	return true;
}

/*
 * Process consecutive records of a ring. They may belong to several threads, each of which began
 * after the one before had ended.
 */
static bool take_records(struct trace_live *live, struct trace_live_ring *ring,
			 const uint64_t *records, size_t count)
{
	while (count) {
		size_t taken;

		if (records[0] >> TRACE_SIZE_SHIFT == TRACE_KIND_START)
			ring->thread = (uint32_t)trace_value(records[0]);
		if (ring->thread >= TRACE_THREADS_MAX)
			return false;
		taken = takt_trace_sequencer_feed(live->sequencer, ring->thread, records, count);
		if (taken == 0)
			return false;
		if (live->log)
			takt_trace_log_add_records(live->log, ring->thread, records, taken);
		records += taken;
		count -= taken;
	}
	return true;
}

/* Read a ring. Unless `last`, the newest record is left, as it may still grow. */
static bool read_ring(struct trace_live *live, struct trace_program *program,
		      struct trace_live_ring *state, bool last, bool *ret_any)
{
	struct feed_ring *ring = &live->area->rings[state->ring - 1];
	uint64_t at = state->read;
	uint64_t end = atomic_load_explicit(&ring->written, memory_order_acquire);
	bool fine = live_read_dictionary(live, program);

	/*
	 * The guest may have overwritten these words. If both ends of a ring do not agree on how
	 * much was read, one may wait forever for the other, so the trace is given up.
	 */
	if (atomic_load_explicit(&ring->read, memory_order_relaxed) != at || end < state->written ||
	    end - at > FEED_RING_RECORDS)
		return false;
	state->written = end;
	if (!last && end > at)
		end--;
	while (fine && at < end) {
		size_t offset = at % FEED_RING_RECORDS;
		size_t count = FEED_CHUNK_RECORDS - at % FEED_CHUNK_RECORDS;

		if (count > end - at)
			count = (size_t)(end - at);
		memcpy(live->chunk, ring->records + offset, count * sizeof(live->chunk[0]));
		fine = renumber(live, program, live->chunk, count) &&
		       take_records(live, state, live->chunk, count);
		at += count;
		*ret_any = true;
		state->read = at;
		atomic_store(&ring->read, at);
		atomic_fetch_add(&ring->read_turn, 1);
		if (atomic_load(&ring->waits))
			futex_wake(&ring->read_turn);
	}
	return fine;
}

/* Find the ring of a virtual processor, which is the program's alone; false if it is not. */
static bool find_ring(struct trace_live *live, const struct feed *feed, uint32_t vcpu,
		      struct trace_live_ring *state)
{
	uint32_t ring = atomic_load(&feed->rings[vcpu]);

	if (state->ring || !ring)
		return state->ring == ring;
	if (ring > FEED_RINGS || live->ring_owned[ring - 1])
		return false;
	live->ring_owned[ring - 1] = 1;
	state->ring = ring;
	return true;
}

static bool read_program(struct trace_live *live, struct trace_program *program, bool last,
			 bool *ret_any)
{
	const struct feed *feed = &live->area->slots[program->slot];
	uint32_t used = atomic_load(&feed->rings_used);

	if (used > FEED_RINGS)
		return false;
	if (used > program->ring_count) {
		program->rings = takt_xrealloc_zeroed(program->rings, program->ring_count, used,
						      sizeof(*program->rings));
		for (uint32_t i = program->ring_count; i < used; i++)
			program->rings[i].thread = TRACE_THREADS_MAX;
		program->ring_count = used;
	}
	for (uint32_t i = 0; i < program->ring_count; i++)
		if (!find_ring(live, feed, i, &program->rings[i]) ||
		    (program->rings[i].ring &&
		     !read_ring(live, program, &program->rings[i], last, ret_any)))
			return false;
	return true;
}

/* Return why a program could not be traced, or NULL. */
static const char *find_failure(const struct feed *feed)
{
	if (atomic_load(&feed->rings_missing))
		return "the program has more threads than can be traced at once";
	if (atomic_load(&feed->short_of_memory))
		return "out of memory in qemu's plugin";
	if (atomic_load(&feed->places_unknown))
		return "qemu's plugin cannot read which files are mapped (/proc/self/maps)";
	if (atomic_load(&feed->stopped))
		return "qemu's plugin took takt for dead, and gave up the trace";
	return NULL;
}

/* End the threads that were running when the program ended. */
static void end_threads(struct trace_live *live, const struct trace_program *program)
{
	const uint64_t record = trace_record(TRACE_KIND_END, 0);

	for (uint32_t i = 0; i < program->ring_count; i++) {
		uint32_t thread = program->rings[i].thread;

		if (thread < TRACE_THREADS_MAX &&
		    takt_trace_sequencer_feed(live->sequencer, thread, &record, 1) && live->log)
			takt_trace_log_add_records(live->log, thread, &record, 1);
	}
}

/*
 * Read a program, and close it if it has ended. The first process's last program stays open, as
 * how it ended is looked at.
 */
static bool follow_program(struct trace_live *live, struct trace_program *program, bool last,
			   bool *ret_any)
{
	bool any = false, stays = program->process == live->process && !program->replaced;
	bool fine;

	fine = read_program(live, program, false, &any);
	*ret_any |= any;
	if (!live->failure)
		live->failure = find_failure(&live->area->slots[program->slot]);
	if (!fine || live->failure || (any && !last))
		return fine;
	if (!(stays ? last : live_has_ended(program)) || (!last && live_is_awaited(live, program)))
		return true;
	if (!read_program(live, program, true, ret_any))
		return false;
	if (!stays) {
		end_threads(live, program);
		live_close_program(live, program);
	}
	return true;
}

bool takt_trace_live_poll(struct trace_live *live, bool last, bool *ret_any)
{
	*ret_any = false;
	if (!live_meet_programs(live))
		return false;
	for (uint32_t i = 0; i < FEED_SLOTS; i++)
		if (live->by_slot[i] && !follow_program(live, live->by_slot[i], last, ret_any))
			return false;
	return true;
}

static void sleep_until_woken(struct feed_area *feed, uint32_t seen)
{
	static const struct timespec timeout = {.tv_nsec = SLEEP_NANOSECONDS};

	atomic_store(&feed->sleeps, 1);
	feed_futex(&feed->wake, FUTEX_WAIT, seen, &timeout);
	atomic_store(&feed->sleeps, 0);
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
	uint32_t error = atomic_load(&live->area->failed);

	if (error)
		return strerror((int)error);
	if (atomic_load(&live->area->parts_failed) == FEED_PARTS_TOO_MANY)
		return "the functions of '--step' are at more than four places, and a processor "
		       "has four breakpoints";
	if (atomic_load(&live->area->parts_failed))
		return "the system does not grant the processor's breakpoints, which '--step' "
		       "needs";
	if (!atomic_load(&live->area->attached))
		return live->native ? "the program could not be started"
				    : "qemu did not take the plugin";
	if (live->failure)
		return live->failure;
	return fine ? NULL : "the program or qemu overwrote the memory that its trace goes through";
}

void takt_trace_live_leave(struct trace_live *live)
{
	struct trace_dictionary *dictionary = live->sequencer->dictionary;

	atomic_store(&live->area->stopped, 1);
	for (uint32_t i = 0; i < FEED_SLOTS; i++) {
		struct trace_program *program = live->by_slot[i];

		if (!program)
			continue;
		program->running = program->process != live->process;
		live_close_program(live, program);
	}
	dictionary->mappings = (const struct trace_mapping *)takt_arena_copy(
		&dictionary->arena, (const char *)live->mappings,
		live->mapping_count * sizeof(*live->mappings));
	dictionary->mapping_count = live->mapping_count;
}

enum takt_status takt_trace_live_read(struct trace_live *live, volatile int *signal,
				      struct takt_diag *diag, int *ret_wait_status)
{
	struct feed_area *area = live->area;
	const char *failure;
	bool fine = true, any = false;
	int status = 0;

	for (;;) {
		uint32_t seen = atomic_load(&area->wake);
		pid_t ended = waitpid(live->process, &status, WNOHANG);

		if (ended < 0 && errno == EINTR)
			continue;
		if (!ended)
			pass_signal(live, signal, fine);
		if (live->pace)
			trace_pace_tell(live->pace, -1);
		/* Stop the plugins if nothing is read any more, so that nobody waits. */
		if (!fine || live->failure)
			atomic_store(&area->stopped, 1);
		else
			fine = takt_trace_live_poll(live, ended != 0, &any);
		if (ended < 0) {
			takt_error(diag, "cannot wait for qemu: %s", strerror(errno));
			return TAKT_UNAVAILABLE;
		}
		if (ended)
			break;
		if (!fine || !any || live->failure)
			sleep_until_woken(area, seen);
	}
	failure = what_failed(live, fine);
	if (failure) {
		takt_error(diag, live->native ? "cannot step the program natively: %s" : "%s",
			   failure);
		return TAKT_UNAVAILABLE;
	}
	takt_trace_live_leave(live);
	*ret_wait_status = status;
	return TAKT_OK;
}
