/* SPDX-License-Identifier: MIT */
/*
 * Programs that the guest's processes become (exec). qemu leaves them to the kernel, which would
 * run them natively, or not at all. So the call is made here, before qemu gets to it, with qemu as
 * the program. Whatever speaks against that leaves the call to qemu: a path that does not exist,
 * so that it fails as it would; a program of another instruction set, or one that runs as another
 * user, so that it works as it would.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "plugin.h"

#define WORDS_MAX ((size_t)1 << 21)
#define SCRIPT_LINE_BYTES 256u
#define SCRIPT_DEPTH_MAX 4u
#define PAGE_BYTES 4096u
#define MARKER_VARIABLE "TAKT_MARKER="

/* [not x86] Numbers of execve and execveat. */
static const int64_t numbers[2][2] = {{59, 322}, {221, 281}};

static uint64_t guest_base;
static uint16_t guest_machine;

void programs_set_base(uint64_t base)
{
	guest_base = base;
}

void programs_set_machine(uint16_t machine)
{
	guest_machine = machine;
}

/* ---- the guest's memory, by the kernel: a wrong address is an error and no crash ---- */

static bool read_guest(uint64_t address, void *buffer, size_t size_bytes)
{
	struct iovec to = {buffer, size_bytes};
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	struct iovec from = {(void *)(uintptr_t)(guest_base + address), size_bytes};

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)size_bytes;
}

/* Read a string, up to `size_bytes` with its zero; false if it is longer or not there. */
static bool read_string(uint64_t address, char *buffer, size_t size_bytes)
{
	size_t at = 0;

	while (at < size_bytes) {
		size_t size = PAGE_BYTES - (size_t)((guest_base + address + at) % PAGE_BYTES);

		if (size > size_bytes - at)
			size = size_bytes - at;
		if (!read_guest(address + at, buffer + at, size))
			return false;
		if (memchr(buffer + at, '\0', size))
			return true;
		at += size;
	}
	return false;
}

/* Pointers of qemu's memory to the strings of a guest's list. */
struct words {
	char **list;
	size_t count, capacity;
};

static bool add_word(struct words *words, const char *word)
{
	if (words->count + 1 >= words->capacity) {
		size_t capacity = words->capacity ? 2 * words->capacity : 64;
		char **list = capacity <= WORDS_MAX ? realloc(words->list, capacity * sizeof(*list))
						    : NULL;

		if (!list)
			return false;
		words->list = list;
		words->capacity = capacity;
	}
	words->list[words->count++] = (char *)(uintptr_t)word;
	words->list[words->count] = NULL;
	return true;
}

static bool add_list(struct words *words, uint64_t address, size_t skipped)
{
	uint64_t word = 1;

	for (size_t i = 0; address && word; i++, address += sizeof(word)) {
		if (!read_guest(address, &word, sizeof(word)))
			return false;
		/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
		if (word && i >= skipped &&
		    !add_word(words, (char *)(uintptr_t)(guest_base + word)))
			return false;
	}
	return true;
}

/* ---- which program ---- */

/* A program and what comes before the words that the guest gives it. */
struct program {
	char path[PATH_MAX];			 /* the file that qemu is to load */
	char script[SCRIPT_DEPTH_MAX][PATH_MAX]; /* scripts, the last of which it interprets */
	char argument[SCRIPT_DEPTH_MAX][SCRIPT_LINE_BYTES]; /* "": none */
	unsigned depth;					    /* scripts that lead to it */
};

static bool find_path(const struct program_call *call, bool empty_path, char path[PATH_MAX])
{
	char folder[64], given[PATH_MAX], base[PATH_MAX];
	ssize_t size;

	if (!read_string(call->path, given, sizeof(given)))
		return false;
	if (given[0] == '/' || (call->folder == AT_FDCWD && given[0]))
		return snprintf(path, PATH_MAX, "%s", given) < PATH_MAX;
	if (!given[0] && !empty_path)
		return false;
	snprintf(folder, sizeof(folder), "/proc/self/fd/%d", call->folder);
	size = readlink(folder, base, sizeof(base) - 1);
	if (size <= 0)
		return false;
	base[size] = '\0';
	return snprintf(path, PATH_MAX, "%s%s%s", base, given[0] ? "/" : "", given) < PATH_MAX;
}

static size_t read_start(const char *path, void *buffer, size_t size_bytes)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t size;

	if (file < 0)
		return 0;
	size = pread(file, buffer, size_bytes, 0);
	close(file);
	return size > 0 ? (size_t)size : 0;
}

/* Go from a script to its interpreter, as the kernel does; false if the line names none. */
static bool enter_script(struct program *program, char *line)
{
	unsigned depth = program->depth;
	char *name = line + 2 + strspn(line + 2, " \t"), *rest;

	name[strcspn(name, "\n")] = '\0';
	rest = name + strcspn(name, " \t");
	if (rest == name || depth == SCRIPT_DEPTH_MAX)
		return false;
	if (*rest)
		*rest++ = '\0';
	rest += strspn(rest, " \t");
	for (size_t size = strlen(rest); size && strchr(" \t", rest[size - 1]); size--)
		rest[size - 1] = '\0';
	memcpy(program->script[depth], program->path, sizeof(program->path));
	snprintf(program->argument[depth], SCRIPT_LINE_BYTES, "%s", rest);
	snprintf(program->path, sizeof(program->path), "%s", name);
	program->depth++;
	return true;
}

/* True if the kernel would give the program another user or group. */
static bool is_privileged(const struct stat *status)
{
	return ((status->st_mode & S_ISUID) && status->st_uid != geteuid()) ||
	       ((status->st_mode & S_ISGID) && (status->st_mode & S_IXGRP) &&
		status->st_gid != getegid());
}

static bool is_ours(const Elf64_Ehdr *header, size_t size_bytes)
{
	return size_bytes == sizeof(*header) && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       header->e_machine == guest_machine &&
	       (header->e_type == ET_EXEC || header->e_type == ET_DYN);
}

/* Find the file to load. False, with the cause, or FEED_FOLLOWED if the call will fail anyway. */
static bool find_program(struct program *program, enum feed_lost *ret_cause)
{
	for (;;) {
		union {
			Elf64_Ehdr elf;
			char line[SCRIPT_LINE_BYTES + 1];
		} start = {.line = ""};
		struct stat status;
		size_t size;

		*ret_cause = FEED_FOLLOWED;
		if (access(program->path, X_OK) < 0 || stat(program->path, &status) < 0 ||
		    !S_ISREG(status.st_mode))
			return false;
		size = read_start(program->path, start.line, SCRIPT_LINE_BYTES);
		*ret_cause = is_privileged(&status) ? FEED_LOST_PRIVILEGED : FEED_LOST_UNKNOWN;
		if (is_privileged(&status) || size == 0)
			return false;
		*ret_cause = FEED_LOST_FOREIGN;
		if (memcmp(start.line, "#!", 2) != 0)
			return is_ours(&start.elf,
				       size < sizeof(Elf64_Ehdr) ? size : sizeof(Elf64_Ehdr));
		if (!enter_script(program, start.line))
			return false;
	}
}

/* ---- the call ---- */

/* Write the words from the name on, but for the path after it, which is qemu's. */
static void write_command(struct feed *slot, const struct words *words, size_t name)
{
	uint32_t at = 0;

	for (size_t i = name; i < words->count; i += i == name ? 2 : 1) {
		/* The guest's words may not be where it says, or change meanwhile. */
		uint64_t address = (uint64_t)(uintptr_t)words->list[i] - guest_base;

		if (!read_string(address, slot->command + at, FEED_COMMAND_BYTES - at))
			break;
		at += (uint32_t)strnlen(slot->command + at, FEED_COMMAND_BYTES - 1 - at) + 1;
		if (at >= FEED_COMMAND_BYTES)
			break;
	}
	slot->command_bytes = at;
}

/* Add the words that run qemu with the plugin; `option` is the last one. */
static bool add_launch(struct words *words, char *option, size_t option_bytes, int descriptor,
		       uint32_t slot)
{
	const char *word = area->launch, *end = area->launch + area->launch_bytes, *last = NULL;

	for (; word < end; word += strlen(word) + 1) {
		if (last && !add_word(words, last))
			return false;
		last = word;
	}
	return last &&
	       snprintf(option, option_bytes, "%s,feed=%d,slot=%u", last, descriptor,
			(unsigned)slot) < (int)option_bytes &&
	       add_word(words, option);
}

static bool add_program(struct words *words, const struct program *program, uint64_t list)
{
	uint64_t first = 0;
	bool fine;

	if (list && !read_guest(list, &first, sizeof(first)))
		return false;
	fine = add_word(words, "-0") &&
	       /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	       add_word(words, program->depth || !first
				       ? program->path
				       : (char *)(uintptr_t)(guest_base + first)) &&
	       add_word(words, program->path);
	for (unsigned i = program->depth; fine && i-- > 0;)
		fine = (!program->argument[i][0] || add_word(words, program->argument[i])) &&
		       add_word(words, program->script[i]);
	return fine && add_list(words, list, 1);
}

static bool add_variables(struct words *words, uint64_t list)
{
	char start[sizeof(MARKER_VARIABLE)];

	if (!add_list(words, list, 0))
		return false;
	for (size_t i = 0; i < words->count; i++) {
		uint64_t address = (uint64_t)(uintptr_t)words->list[i] - guest_base;

		if (read_guest(address, start, sizeof(start) - 1) &&
		    memcmp(start, MARKER_VARIABLE, sizeof(start) - 1) == 0)
			return true;
	}
	return add_word(words, MARKER_VARIABLE "emulate");
}

/* Make the call; returns if it fails. */
static void become(const struct program *program, const struct program_call *call, uint32_t slot)
{
	char place[64], option[FEED_LAUNCH_BYTES];
	struct words words = {0}, variables = {0};
	int descriptor;

	snprintf(place, sizeof(place), "/proc/%d/fd/%d", (int)area->takt, area->descriptor);
	descriptor = open(place, O_RDWR); /* inherited by the new program, which closes it */
	if (descriptor < 0)
		return;
	if (add_launch(&words, option, sizeof(option), descriptor, slot)) {
		size_t first = words.count + 1;

		if (add_program(&words, program, call->words) &&
		    add_variables(&variables, call->variables)) {
			struct feed *reserved = &area->slots[slot];

			write_command(reserved, &words, first);
			execve(words.list[0], words.list, variables.list);
		}
	}
	free(words.list);
	free(variables.list);
	close(descriptor);
}

static void lose(enum feed_lost cause, const char *path)
{
	size_t size = strnlen(path, sizeof(feed->lost_path) - 1);

	memcpy(feed->lost_path, path, size);
	feed->lost_path[size] = '\0';
	atomic_store(&feed->lost, cause);
}

static void follow(const struct program_call *call, bool empty_path)
{
	static __thread struct program program; /* too large for a thread's stack */
	enum feed_lost cause = FEED_LOST_UNWANTED;
	uint32_t slot;

	program.depth = 0;
	if (!find_path(call, empty_path, program.path)) {
		lose(FEED_LOST_UNKNOWN, "");
		return;
	}
	if (feed_follows() && find_program(&program, &cause)) {
		slot = slot_reserve(FEED_EXECUTED);
		if (slot != FEED_NO_SLOT)
			become(&program, call, slot);
		slot_give_back(slot);
		cause = slot == FEED_NO_SLOT ? FEED_LOST_FULL : FEED_LOST_UNKNOWN;
	}
	lose(cause, program.depth ? program.script[0] : program.path);
}

static bool is_exec(bool is_x86, int64_t number)
{
	return number == numbers[!is_x86][0] || number == numbers[!is_x86][1];
}

void programs_begin(bool is_x86, int64_t number, const uint64_t arguments[4])
{
	bool at = number == numbers[!is_x86][1];
	struct program_call call = {.folder = at ? (int)arguments[0] : AT_FDCWD,
				    .path = arguments[at],
				    .words = arguments[1 + at],
				    .variables = arguments[2 + at]};

	if (is_exec(is_x86, number))
		follow(&call, at);
}

void programs_end(bool is_x86, int64_t number)
{
	if (is_exec(is_x86, number))
		atomic_store(&feed->lost, FEED_FOLLOWED);
}
