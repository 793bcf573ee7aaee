/* SPDX-License-Identifier: MIT */
/* Finds programs, qemu and the plugin, and makes the command line that runs a program in qemu. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/trace.h"

#define PLUGIN "takt-qemu"
#define SCRIPT_LINE_MAX 4095 /* bytes of a script's first line that are read */

static const struct trace_guest guests[] = {
	{"x86-64", EM_X86_64, "qemu-x86_64", "/usr/x86_64-linux-gnu", 15},
	{"aarch64", EM_AARCH64, "qemu-aarch64", "/usr/aarch64-linux-gnu", 139},
	{"riscv64", EM_RISCV, "qemu-riscv64", "/usr/riscv64-linux-gnu", 139},
};

const struct trace_guest *takt_trace_guest_find(const char *name, size_t size_bytes)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(guests); i++)
		if (takt_string_is(guests[i].name, name, size_bytes))
			return &guests[i];
	return NULL;
}

const struct takt_isa *takt_trace_guest_isa(const struct trace_guest *guest)
{
	switch (guest->machine) {
	case EM_X86_64:
		return &takt_isa_x86;
	case EM_AARCH64:
		return &takt_isa_aarch64;
	default:
		return NULL; /* RISC-V: insn.c knows its branches without a decoder */
	}
}

/* ---- finding files ---- */

/* Find the plugin as takt finds its own modules, although qemu loads it. */
static const char *find_plugin(struct takt_arena *arena, struct takt_diag *diag)
{
	struct takt_text path = {0};
	bool found = takt_module_find(PLUGIN, diag, &path);
	const char *kept = found ? takt_arena_copy(arena, path.data, path.size_bytes) : NULL;

	takt_text_release(&path);
	return kept;
}

/* ---- the program ---- */

static bool read_header(const char *path, Elf64_Ehdr *ret_header)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size;
	int error;

	if (file < 0)
		return false;
	*ret_header = (Elf64_Ehdr){0}; /* a shorter file leaves the rest 0 */
	size = takt_read_all(file, ret_header, sizeof(*ret_header));
	error = errno;
	close(file);
	errno = error;
	return size >= 0;
}

/* Return the next word of a script's first line, ended by a zero, and advance after it. */
static const char *next_word(char **line)
{
	char *word = *line + strspn(*line, " \t"), *end = word + strcspn(word, " \t\n");

	*line = end + (*end != '\0');
	*end = '\0';
	return word;
}

/*
 * Name the command that runs a script: the interpreter of its first line, with the argument that
 * stands there. "env" would replace itself by its argument, which is then named instead.
 */
static void advise_script(const char *path, struct takt_arena *arena, struct takt_diag *diag)
{
	char *line = TAKT_NEW_ARRAY(arena, SCRIPT_LINE_MAX + 1, char);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	const char *interpreter, *argument, *name;

	if (file < 0 || takt_read_all(file, line, SCRIPT_LINE_MAX) < 2)
		line[2] = '\0';
	if (file >= 0)
		close(file);
	line[2 + strcspn(line + 2, "\n")] = '\0';
	line += 2;
	interpreter = next_word(&line);
	argument = next_word(&line);
	name = strrchr(interpreter, '/');
	if (name && strcmp(name, "/env") == 0 && *argument && *argument != '-') {
		interpreter = argument;
		argument = next_word(&line);
	}
	if (!*interpreter)
		interpreter = "/bin/sh";
	takt_note(diag, "trace the interpreter of the script: -- %s%s%s %s", interpreter,
		  *argument ? " " : "", argument, path);
}

enum takt_status takt_trace_guest_open(const char *program, struct takt_arena *arena,
				       struct takt_diag *diag, const char **ret_path,
				       const struct trace_guest **ret_guest)
{
	const char *path = takt_program_find(program, arena);
	Elf64_Ehdr header;

	if (!path) {
		takt_error(diag, "no program '%s' in the folders of PATH", program);
		return TAKT_NOT_FOUND;
	}
	if (!read_header(path, &header)) {
		takt_error(diag, "cannot read '%s': %s", path, strerror(errno));
		return TAKT_NOT_FOUND;
	}
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (header.e_type != ET_EXEC && header.e_type != ET_DYN)) {
		takt_error(diag, "'%s' is not a 64-bit ELF executable", path);
		if (memcmp(&header, "#!", 2) == 0)
			advise_script(path, arena, diag);
		return TAKT_BAD_INPUT;
	}
	for (size_t i = 0; i < TAKT_COUNT_OF(guests); i++) {
		if (guests[i].machine != header.e_machine)
			continue;
		*ret_path = path;
		*ret_guest = &guests[i];
		return TAKT_OK;
	}
	takt_error(diag, "'%s' is for ELF machine %u, which cannot be traced", path,
		   header.e_machine);
	takt_note(diag, "x86-64, AArch64 and riscv64 programs can");
	return TAKT_BAD_INPUT;
}

/* Return the value of qemu's option -plugin, in which a comma in a file's name is doubled. */
static const char *plugin_option(const char *plugin, const char *arguments,
				 struct takt_arena *arena)
{
	struct takt_text text = {0};

	takt_text_add_string(&text, "file=");
	for (const char *next = plugin; *next; next++)
		takt_text_add_string(&text, (char[]){*next, *next == ',' ? ',' : '\0', '\0'});
	takt_text_printf(&text, ",%s", arguments);
	return takt_text_move(&text, arena);
}

enum takt_status takt_trace_guest_command(const struct trace_guest_program *program,
					  struct takt_arena *arena, struct takt_diag *diag,
					  char ***ret_argv)
{
	const struct trace_guest *guest = program->guest;
	const char *qemu = takt_program_find(guest->qemu, arena), *plugin, *own[8];
	size_t own_count = 0, count = 0;
	char **command;

	if (!qemu) {
		takt_error(diag, "'%s' is not installed", guest->qemu);
		takt_note(diag, "install the package qemu-user, version 7.2 or a later one that "
				"takes plugins");
		return TAKT_UNAVAILABLE;
	}
	plugin = find_plugin(arena, diag);
	if (!plugin) {
		takt_note(diag, "it is installed with takt; TAKT_MODULE_DIR says where else it is");
		return TAKT_UNAVAILABLE;
	}
	own[own_count++] = qemu;
	if (guest->machine != guests[0].machine && !secure_getenv("QEMU_LD_PREFIX") &&
	    access(guest->libraries, R_OK) == 0) {
		own[own_count++] = "-L";
		own[own_count++] = guest->libraries;
	}
	own[own_count++] = "-plugin";
	own[own_count++] = plugin_option(plugin, program->plugin_arguments, arena);
	own[own_count++] = "-0";
	own[own_count++] = program->argv[0];
	own[own_count++] = program->path;
	while (program->argv[count])
		count++;
	command = TAKT_NEW_ARRAY(arena, own_count + count, char *);
	memcpy(command, own, own_count * sizeof(*own));
	memcpy(command + own_count, program->argv + 1, (count - 1) * sizeof(*command));
	*ret_argv = command;
	return TAKT_OK;
}
