/* SPDX-License-Identifier: MIT */
/* Implements takt_trace_import(), which turns traces of other tools into totals and a log. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/import/import.h"
#include "trace/log/log_source.h"
#include "trace/sinks.h"

#define ZSTD_MAGIC "\x28\xb5\x2f\xfd"

static const struct takt_trace_import_options no_others;

enum takt_status takt_import_too_much(const struct import *import)
{
	takt_error(import->lines.diag, "'%s' has too much distinct code", import->lines.name);
	takt_note(import->lines.diag, "with addresses before the bytes there is no such limit");
	return TAKT_BAD_INPUT;
}

enum import_found takt_import_find(struct import *import, uint64_t address,
				   struct import_insn *ret_insn)
{
	struct import_insn *cached = &import->cache[address % IMPORT_CACHE_INSNS];
	const uint8_t *bytes;
	size_t size = 0;

	if (cached->length == 0 || cached->address != address) {
		bytes = takt_import_binaries_find(&import->binaries, address, &size);
		if (!bytes)
			return IMPORT_NO_BINARY;
		if (!takt_import_decode(import->builder.guest, bytes, size, address, cached)) {
			cached->length = 0;
			return IMPORT_NO_INSN;
		}
	}
	*ret_insn = *cached;
	return IMPORT_FOUND;
}

/* ---- detecting the format ---- */

static enum takt_status guess_kind(const struct import_lines *lines, enum takt_trace_kind *ret_kind)
{
	struct import_hex_traits traits;
	bool is_log = lines->end >= 4 && memcmp(lines->buffer, ZSTD_MAGIC, 4) == 0;

	if (lines->end >= SELFMAG && memcmp(lines->buffer, ELFMAG, SELFMAG) == 0) {
		takt_error(lines->diag, "'%s' is a program, not a trace", lines->name);
		takt_note(lines->diag, "takt trace -- PROGRAM runs one");
		return TAKT_BAD_INPUT;
	} else if (lines->end >= 2 && memcmp(lines->buffer, "#!", 2) == 0) {
		takt_error(lines->diag, "'%s' is a script, not a trace", lines->name);
		takt_note(lines->diag, "takt trace -- INTERPRETER SCRIPT runs one");
		return TAKT_BAD_INPUT;
	} else if (is_log || lines->end == 0 || memchr(lines->buffer, '\0', lines->end)) {
		*ret_kind = TAKT_TRACE_LOG; /* reading it as a log reports what is wrong */
	} else if (takt_import_is_lackey(lines->buffer, lines->end)) {
		*ret_kind = TAKT_TRACE_LACKEY;
	} else if (takt_import_is_perf(lines->buffer, lines->end)) {
		*ret_kind = TAKT_TRACE_PERF;
	} else if (takt_import_is_hex(lines->buffer, lines->end, &traits)) {
		*ret_kind = TAKT_TRACE_HEX;
	} else {
		*ret_kind = TAKT_TRACE_LISTING;
	}
	return TAKT_OK;
}

/* Report options that would be ignored with a trace of this kind. */
static enum takt_status check_others(const struct import_lines *lines, enum takt_trace_kind kind,
				     const struct takt_trace_import_options *others)
{
	const char *option = NULL;

	if (kind == TAKT_TRACE_LOG)
		option = others->binary_count ? "--binary" : others->isa ? "--isa" : NULL;
	if (!option && others->syntax != TAKT_SYNTAX_AUTO && kind != TAKT_TRACE_LISTING)
		option = "--syntax";
	if (!option)
		return TAKT_OK;
	if (kind == TAKT_TRACE_LOG)
		takt_error(lines->diag, "'%s' is a log, which contains its code", lines->name);
	else
		takt_error(lines->diag, "'%s' is no listing", lines->name);
	takt_note(lines->diag, "leave out '%s', which has no effect then", option);
	return TAKT_BAD_INPUT;
}

/* ---- importing one run ---- */

static enum takt_status find_guest(struct import *import, const char *isa,
				   enum takt_trace_kind kind, const struct trace_guest **ret_guest)
{
	const char *name = isa ? isa : "x86-64";
	struct takt_diag *diag = import->lines.diag;

	if (kind == TAKT_TRACE_LACKEY && import->binaries.count == 0) {
		takt_error(diag, "'%s' gives addresses of instructions, not the instructions",
			   import->lines.name);
		takt_note(diag, "--binary=FILE gives the program that ran; "
				"FILE@ADDRESS, where it was loaded");
		return TAKT_BAD_INPUT;
	}
	*ret_guest = !isa && import->binaries.guest ? import->binaries.guest
						    : takt_trace_guest_find(name, strlen(name));
	if (!*ret_guest) {
		takt_error(diag, "'%s' is no instruction set that is known here", isa);
		takt_note(diag, "there are x86-64, aarch64 and riscv64");
		return TAKT_BAD_INPUT;
	}
	if (import->binaries.guest && import->binaries.guest != *ret_guest) {
		takt_error(diag, "the binary is for %s, not for %s", import->binaries.guest->name,
			   (*ret_guest)->name);
		return TAKT_BAD_INPUT;
	}
	return TAKT_OK;
}

static enum takt_status read_kind(struct import *import, enum takt_trace_kind kind)
{
	switch (kind) {
	case TAKT_TRACE_HEX:
		return takt_import_hex_text(import);
	case TAKT_TRACE_LACKEY:
		return takt_import_lackey(import);
	case TAKT_TRACE_PERF:
		return takt_import_perf(import);
	case TAKT_TRACE_LISTING:
	case TAKT_TRACE_LOG:
	case TAKT_TRACE_AUTO:
		break;
	}
	return takt_import_listing(import);
}

/* Report an error if the trace has no code, or all of it was left out. */
static enum takt_status check_any(const struct import *import)
{
	struct takt_diag *diag = import->lines.diag;

	if (import->builder.dictionary->count)
		return TAKT_OK;
	if (import->left_out) {
		takt_error(diag, "'%s': none of its code is in a binary", import->lines.name);
		takt_note(diag, "--binary=FILE@ADDRESS says where a file was loaded");
	} else {
		takt_error(diag, "'%s' has no instructions", import->lines.name);
	}
	return TAKT_BAD_INPUT;
}

/* Import once the guest and the kind are known, and whether there are addresses and accesses. */
static enum takt_status import_into(struct import *import, const struct trace_guest *guest,
				    enum takt_trace_kind kind, bool without_addresses,
				    const struct takt_trace_options *options,
				    struct takt_trace_totals *totals)
{
	const struct trace_log_header header = {guest->name, import->has_accesses};
	struct takt_diag *diag = import->lines.diag;
	struct trace_log_writer *log = NULL;
	struct trace_dictionary dictionary;
	struct trace_sequencer sequencer;
	struct trace_sinks sinks;
	enum takt_status status;

	takt_trace_dictionary_init(&dictionary, guest);
	takt_trace_sinks_init(&sinks, options);
	status = takt_trace_sinks_begin(&sinks, &dictionary, diag);
	if (status == TAKT_OK && options->log_path)
		status = takt_trace_log_create(options->log_path, &header, diag, &log);
	takt_trace_sequencer_init(&sequencer, &dictionary, sinks.first, import->has_accesses);
	takt_import_builder_init(&import->builder, &sequencer, log, without_addresses);
	if (status == TAKT_OK)
		status = read_kind(import, kind);
	if (status == TAKT_OK && !takt_import_finish(&import->builder))
		status = takt_import_too_much(import);
	if (status == TAKT_OK)
		status = check_any(import);
	if (status == TAKT_OK) {
		takt_trace_sequencer_end(&sequencer);
		totals->guest = guest->name;
		totals->blocks_only = !import->has_accesses;
		totals->left_out = import->left_out;
		totals->stopped_by = import->lines.signal ? *import->lines.signal : 0;
		takt_trace_sinks_finish(&sinks, totals);
	}
	if (log && status == TAKT_OK)
		status = takt_trace_log_close(log, totals, diag);
	else
		takt_trace_log_abandon(log);
	takt_import_builder_release(&import->builder);
	takt_trace_sequencer_release(&sequencer);
	takt_trace_sinks_release(&sinks);
	takt_trace_dictionary_release(&dictionary);
	return status;
}

static enum takt_status import_text(struct import *import, enum takt_trace_kind kind,
				    const struct takt_trace_options *options,
				    const struct takt_trace_import_options *others,
				    struct takt_trace_totals *totals)
{
	const struct trace_guest *guest = NULL;
	struct import_hex_traits traits = {0};
	bool without_addresses = kind == TAKT_TRACE_LISTING;
	enum takt_status status = takt_import_binaries_open(
		&import->binaries, others->binaries, others->binary_count, import->lines.diag);

	if (status == TAKT_OK)
		status = find_guest(import, others->isa, kind, &guest);
	if (status == TAKT_OK) {
		if (kind == TAKT_TRACE_HEX) {
			takt_import_is_hex(import->lines.buffer, import->lines.end, &traits);
			without_addresses = !traits.has_addresses;
		}
		import->blocks_only = options->blocks_only;
		import->syntax = others->syntax;
		import->has_accesses =
			!options->blocks_only && (kind == TAKT_TRACE_LACKEY || traits.has_accesses);
		status = import_into(import, guest, kind, without_addresses, options, totals);
	}
	takt_import_binaries_release(&import->binaries);
	return status;
}

/* ---- logs ---- */

struct log_file {
	struct trace_log_source source; /* first, so that it is one */
	struct import_lines *lines;
};

static ssize_t read_log_file(struct trace_log_source *source, void *data, size_t size_bytes)
{
	struct import_lines *lines = ((struct log_file *)source)->lines;
	ssize_t got = takt_read(lines->descriptor, data, size_bytes);

	if (got < 0)
		takt_error(lines->diag, "cannot read '%s': %s", lines->name, strerror(errno));
	return got;
}

/* Report an error if a file has anything after the log. */
static enum takt_status check_rest(struct log_file *file)
{
	const uint8_t *rest;
	size_t size = 0;
	enum takt_status status;

	file->source.at_end = false;
	status = takt_trace_log_source_next(&file->source, 0, &rest, &size);
	if (status != TAKT_OK || size == 0)
		return status;
	takt_error(file->lines->diag, "'%s': data follow the end of the trace", file->lines->name);
	return TAKT_BAD_INPUT;
}

static enum takt_status import_log(struct import *import, const struct takt_trace_options *options,
				   struct takt_trace_totals *totals)
{
	struct import_lines *lines = &import->lines;
	struct log_file file = {.source.read = read_log_file, .lines = lines};
	struct stat info;
	enum takt_status status;

	if (options->log_path) {
		takt_error(lines->diag, "'%s' is a log already", lines->name);
		takt_note(lines->diag, "--output is for runs and for what others wrote");
		return TAKT_BAD_INPUT;
	}
	if (fstat(lines->descriptor, &info) == 0 && S_ISREG(info.st_mode) &&
	    lines->descriptor != STDIN_FILENO)
		return takt_trace_replay_file(lines->name, options, lines->diag, totals);
	if (options->checkpoint_path) {
		takt_error(lines->diag, "a log that comes through a pipe cannot be resumed");
		takt_note(lines->diag, "leave out '--checkpoint', or keep the log in a file");
		return TAKT_BAD_INPUT;
	}
	takt_trace_log_source_init(&file.source, lines->buffer, lines->end);
	status = takt_trace_replay_stream(&file.source, lines->name, options, lines->diag, totals);
	if (status == TAKT_OK && !totals->stopped_by)
		status = check_rest(&file);
	takt_trace_log_source_release(&file.source);
	return status;
}

enum takt_status takt_trace_import(const char *path, const struct takt_trace_options *options,
				   const struct takt_trace_import_options *others,
				   struct takt_diag *diag, struct takt_trace_totals **ret_totals)
{
	static const struct takt_trace_options none;
	enum takt_trace_kind kind = others ? others->kind : TAKT_TRACE_AUTO;
	struct import *import = takt_xcalloc(1, sizeof(*import)); /* too large for the stack */
	struct takt_trace_totals *totals;
	enum takt_status status = takt_import_lines_open(&import->lines, path, diag);

	if (status != TAKT_OK) {
		free(import);
		return status;
	}
	options = options ? options : &none;
	others = others ? others : &no_others;
	totals = takt_xcalloc(1, sizeof(*totals));
	import->lines.signal = options->signal;
	status = takt_import_lines_peek(&import->lines);
	if (status == TAKT_OK && kind == TAKT_TRACE_AUTO)
		status = guess_kind(&import->lines, &kind);
	if (status == TAKT_OK)
		status = check_others(&import->lines, kind, others);
	if (status == TAKT_OK)
		status = kind == TAKT_TRACE_LOG
				 ? import_log(import, options, totals)
				 : import_text(import, kind, options, others, totals);
	takt_import_lines_close(&import->lines);
	free(import);
	if (status == TAKT_OK)
		*ret_totals = totals;
	else
		takt_trace_totals_free(totals);
	return status;
}
