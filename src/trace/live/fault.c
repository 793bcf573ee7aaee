/* SPDX-License-Identifier: MIT */
/*
 * Finds the instruction that ended a program by SIGILL. qemu does not report it to the plugin, but
 * it is the last one of the block that its thread was executing, since qemu ends a block at an
 * instruction that it does not know.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/trace.h"

#define PAGE_BYTES 4096u

/* ---- finding it ---- */

static uint32_t insn_offset(const struct trace_block *block, uint32_t insn)
{
	uint32_t offset = 0;

	for (uint32_t i = 0; i < insn; i++)
		offset += block->lengths[i];
	return offset;
}

/*
 * Read the bytes of an instruction from its file: qemu has read only as many of them as it needed
 * to reject it.
 */
static uint32_t read_bytes(const char *path, uint64_t offset, uint8_t *bytes)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	ssize_t got = 0;

	if (file < 0)
		return 0;
	if (offset <= INT64_MAX && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
		got = pread(file, bytes, TRACE_FAULT_BYTES_MAX, (off_t)offset);
	close(file);
	return got > 0 ? (uint32_t)got : 0;
}

static void fill(const struct trace_dictionary *dictionary, const struct trace_block *block,
		 struct trace_fault *fault)
{
	uint32_t insn = block->insn_count - 1u, at = insn_offset(block, insn), size = 0;
	uint8_t bytes[TRACE_FAULT_BYTES_MAX];

	*fault = (struct trace_fault){block->number, insn, block->lengths[insn], {0}};
	memcpy(fault->bytes, block->bytes + at, fault->size_bytes);
	if (block->file)
		size = read_bytes(dictionary->files[block->file].path, block->file_offset + at,
				  bytes);
	if (size > fault->size_bytes && memcmp(bytes, fault->bytes, fault->size_bytes) == 0) {
		memcpy(fault->bytes, bytes, size);
		fault->size_bytes = size;
	}
}

/*
 * True if qemu may have ended a block for another reason than its last instruction: it has the
 * greatest number of instructions, ends in a rep string instruction, or reaches the end of a page.
 */
static bool ends_by_itself(const struct trace_block *block)
{
	return block->insn_count == TRACE_INSNS_MAX || block->repeats ||
	       (block->end + TRACE_FAULT_BYTES_MAX) / PAGE_BYTES != (block->end - 1) / PAGE_BYTES;
}

/* True for x86's ud0, ud1 and ud2. */
static bool is_undefined(const uint8_t *bytes, uint32_t size_bytes)
{
	return size_bytes >= 2 && bytes[0] == 0x0f &&
	       (bytes[1] == 0x0b || bytes[1] == 0xb9 || bytes[1] == 0xff);
}

/*
 * True if qemu may have ended the block because it does not know the last instruction: qemu has
 * read only a part of it, or it is an instruction that does not end a block otherwise. If SIGILL
 * was sent to the program by something else, there is no such instruction.
 */
static bool may_be_unknown(const struct trace_dictionary *dictionary,
			   const struct trace_block *block)
{
	const struct takt_isa *isa = takt_trace_guest_isa(dictionary->guest);
	uint32_t insn = block->insn_count - 1u;
	const uint8_t *bytes = block->bytes + insn_offset(block, insn);
	struct takt_insn_flow executed;

	return isa != &takt_isa_x86 ||
	       !takt_insn_flow_decode(isa, bytes, block->lengths[insn], &executed) ||
	       is_undefined(bytes, block->lengths[insn]) ||
	       (executed.flow == TAKT_FLOW_NEXT && !ends_by_itself(block));
}

bool takt_trace_fault_find(const struct trace_sequencer *sequencer, struct trace_fault *ret_fault)
{
	const struct trace_block *found = NULL;

	for (uint32_t i = 0; i < sequencer->thread_count; i++) {
		const struct trace_block *block = takt_trace_sequencer_block(sequencer, i);

		if (block && may_be_unknown(sequencer->dictionary, block)) {
			found = block;
			break;
		}
	}
	if (found)
		fill(sequencer->dictionary, found, ret_fault);
	return found != NULL;
}

bool takt_trace_fault_is_valid(const struct trace_dictionary *dictionary,
			       const struct trace_fault *fault)
{
	return fault->block < dictionary->count &&
	       fault->insn < dictionary->blocks[fault->block]->insn_count &&
	       fault->size_bytes <= TRACE_FAULT_BYTES_MAX;
}

/* ---- describing it ---- */

static char *take_text(struct takt_text *text)
{
	char *taken = text->data;

	*text = (struct takt_text){0};
	return taken;
}

static char *describe_bytes(const struct trace_fault *fault, uint32_t size_bytes)
{
	struct takt_text text = {0};

	for (uint32_t i = 0; i < size_bytes; i++)
		takt_text_printf(&text, "%s%02x", i ? " " : "", fault->bytes[i]);
	return take_text(&text);
}

static const struct trace_line *find_line(const struct trace_block *block, uint32_t insn)
{
	const struct trace_line *line = NULL;

	for (uint32_t i = 0; block->lines && i < block->line_count; i++)
		if (block->lines[i].insn <= insn && block->lines[i].line)
			line = &block->lines[i];
	return line;
}

static char *describe_place(const struct trace_dictionary *dictionary,
			    const struct trace_block *block, uint32_t insn)
{
	uint64_t offset = block->file_offset + insn_offset(block, insn);
	const struct trace_line *line = find_line(block, insn);
	struct takt_text text = {0};

	if (block->function && !dictionary->functions[block->function].made_up) {
		const struct trace_function *function = &dictionary->functions[block->function];

		takt_text_printf(&text, "%s+0x%" PRIx64, function->name,
				 offset - function->file_offset);
		if (line)
			takt_text_printf(&text, ", %s:%" PRIu32, takt_path_name(line->file),
					 line->line);
		takt_text_add_string(&text, " (");
	}
	if (block->file)
		takt_text_printf(&text, "%s+0x%" PRIx64,
				 takt_path_name(dictionary->files[block->file].path), offset);
	else
		takt_text_printf(&text, "0x%" PRIx64 ", code made at run time",
				 takt_trace_insn_address(block, insn));
	if (block->function && !dictionary->functions[block->function].made_up)
		takt_text_add_string(&text, ")");
	return take_text(&text);
}

/* True for instructions that are meant to fault: ud2 and its like, udf, privileged ones. */
static bool is_made_to_fault(const char *text)
{
	static const char *const words[] = {"ud0", "ud1", "ud2", "udf", "udb", "hlt", "unimp"};
	size_t size = strcspn(text, " ");

	for (size_t i = 0; i < TAKT_COUNT_OF(words); i++)
		if (takt_string_is(words[i], text, size))
			return true;
	return false;
}

const struct takt_trace_fault *takt_trace_fault_describe(const struct trace_dictionary *dictionary,
							 const struct trace_fault *fault)
{
	const struct takt_isa *isa = takt_trace_guest_isa(dictionary->guest);
	const struct trace_block *block = dictionary->blocks[fault->block];
	struct takt_trace_fault *made = takt_xcalloc(1, sizeof(*made));
	uint32_t size = fault->size_bytes;
	struct takt_text text = {0};
	struct takt_insn insn;

	made->address = takt_trace_insn_address(block, fault->insn);
	made->place = describe_place(dictionary, block, fault->insn);
	if (isa && takt_decode(isa, fault->bytes, size, made->address, &insn) == TAKT_OK) {
		takt_insn_write(&insn, TAKT_SYNTAX_INTEL, &text);
		made->insn = take_text(&text);
		takt_text_add_string(&text, takt_isa_set_name(insn.isa_set));
		made->extension = take_text(&text);
		made->lacking = !is_made_to_fault(made->insn);
		size = insn.length_bytes;
	}
	made->bytes = describe_bytes(fault, size);
	return made;
}

/* ---- how a program ended ---- */

static void write_fault(const struct takt_trace_fault *fault, struct takt_text *text)
{
	takt_text_printf(text, " at %s: ", fault->place);
	if (fault->insn && fault->lacking)
		takt_text_printf(text,
				 "qemu cannot execute '%s' (%s), though there are processors "
				 "that can",
				 fault->insn, fault->extension);
	else if (fault->insn)
		takt_text_printf(text, "'%s' is there to fault", fault->insn);
	else
		takt_text_printf(text,
				 "qemu cannot execute the instruction that begins with bytes "
				 "%s, and takt does not know it",
				 fault->bytes);
}

void takt_trace_write_killed(const struct takt_trace_totals *totals, struct takt_text *text)
{
	if (!totals->signal)
		return;
	takt_text_printf(text, "killed by %s", takt_signal_name(totals->signal));
	if (totals->fault)
		write_fault(totals->fault, text);
}

/* Write which programs took the place of others (exec) and were not followed. */
static void write_lost(const struct takt_trace_totals *totals, struct takt_text *text)
{
	bool named = false;

	for (uint32_t i = 0; i < totals->process_count; i++) {
		const struct takt_trace_process *process = &totals->process_list[i];

		if (process->end != TAKT_TRACE_END_LOST || !process->lost_path)
			continue;
		takt_text_printf(text,
				 "'%s' replaced itself by '%s' (exec), which is not counted: %s\n",
				 process->command, process->lost_path, process->lost_cause);
		named = true;
	}
	if (totals->became_other && !named)
		takt_text_add_string(text, "the program replaced itself by another one (exec), "
					   "which is not counted\n");
}

/* Write how many programs outlived the first process. */
static void write_running(const struct takt_trace_totals *totals, struct takt_text *text)
{
	uint32_t running = 0;

	for (uint32_t i = 0; i < totals->process_count; i++)
		running += totals->process_list[i].end == TAKT_TRACE_END_RUNNING;
	if (running)
		takt_text_printf(text,
				 "%" PRIu32 " %s still ran when the first process had ended: what "
				 "%s did from then on is not counted\n",
				 running, running == 1 ? "process" : "processes",
				 running == 1 ? "it" : "they");
}

void takt_trace_write_missing(const struct takt_trace_totals *totals, struct takt_text *text)
{
	write_lost(totals, text);
	if (totals->processes)
		takt_text_printf(text,
				 "%" PRIu32 " %s that it made (fork, vfork, posix_spawn) %s not "
				 "followed: nothing of what they did is counted\n",
				 totals->processes,
				 totals->processes == 1 ? "process" : "processes",
				 totals->processes == 1 ? "was" : "were");
	write_running(totals, text);
	if (totals->unread_path)
		takt_text_printf(text, "no names of '%s': %s\n", totals->unread_path,
				 totals->unread_cause);
}

void takt_trace_fault_free(const struct takt_trace_fault *fault)
{
	if (!fault)
		return;
	free((void *)(uintptr_t)fault->insn);
	free((void *)(uintptr_t)fault->extension);
	free((void *)(uintptr_t)fault->bytes);
	free((void *)(uintptr_t)fault->place);
	free((void *)(uintptr_t)fault);
}
