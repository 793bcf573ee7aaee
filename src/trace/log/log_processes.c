/* SPDX-License-Identifier: MIT */
/* Reads and writes the messages of a log that say which programs ran, and with which threads. */
#include <string.h>

#include "trace/log/log_names.h"

#define MESSAGE_BYTES ((size_t)1 << 19) /* a message may exceed this by one program */
#define STRINGS 3u			/* of a program: command, path and cause of a lost one */

/* ---- reading ---- */

/* Read one program's strings, each ended by a zero, which may be empty. */
static bool read_strings(const char *data, size_t size_bytes, char *ret_strings[STRINGS])
{
	const char *next = data;

	for (unsigned i = 0; i < STRINGS; i++) {
		const char *zero = memchr(next, '\0', size_bytes - (size_t)(next - data));

		if (!zero)
			return false;
		ret_strings[i] = (char *)(uintptr_t)next;
		next = zero + 1;
	}
	return true;
}

static char *copy_or_none(const char *text)
{
	return *text ? takt_xstrdup(text) : NULL;
}

const char *log_read_processes(struct takt_trace_totals *totals, const uint8_t *data,
			       size_t size_bytes)
{
	struct takt_trace_process *list =
		(struct takt_trace_process *)(uintptr_t)totals->process_list;
	char *strings[STRINGS];
	struct log_process entry;

	for (size_t size; size_bytes; data += size, size_bytes -= size) {
		if (size_bytes < sizeof(entry))
			return "a program in this frame is cut off";
		memcpy(&entry, data, sizeof(entry));
		size = sizeof(entry) + trace_padded(entry.strings_bytes);
		if (entry.strings_bytes > LOG_PROCESS_BYTES_MAX || size > size_bytes)
			return "a program in this frame is cut off";
		if (entry.begin > TAKT_TRACE_BEGIN_EXEC || entry.end > TAKT_TRACE_END_RUNNING ||
		    entry.parent > totals->process_count ||
		    totals->process_count == LOG_PROCESSES_MAX ||
		    !read_strings((const char *)data + sizeof(entry), entry.strings_bytes, strings))
			return "a program in this frame is invalid";
		list = takt_xrealloc(list, totals->process_count + (size_t)1, sizeof(*list));
		list[totals->process_count++] = (struct takt_trace_process){
			.command = takt_xstrdup(strings[0]),
			.parent = entry.parent,
			.begin = (enum takt_trace_process_begin)entry.begin,
			.end = (enum takt_trace_process_end)entry.end,
			.exit_status = entry.exit_status,
			.lost_path = copy_or_none(strings[1]),
			.lost_cause = copy_or_none(strings[2]),
		};
		totals->process_list = list;
	}
	return NULL;
}

const char *log_read_threads(struct takt_trace_totals *totals, const uint8_t *data,
			     size_t size_bytes, uint32_t *ret_count)
{
	uint32_t count = (uint32_t)(size_bytes / sizeof(uint32_t)), *threads;

	if (size_bytes % sizeof(uint32_t) || count > TRACE_THREADS_MAX || totals->thread_processes)
		return "the message's size is invalid, or it comes twice";
	threads = takt_xcalloc(count + (size_t)1, sizeof(*threads));
	totals->thread_processes = threads;
	memcpy(threads, data, size_bytes);
	for (uint32_t i = 0; i < count; i++)
		if (threads[i] >= totals->process_count)
			return "a thread in this frame is of no program";
	*ret_count = count;
	return NULL;
}

/* ---- writing ---- */

static void add_string(struct takt_text *text, const char *string)
{
	takt_text_add(text, string ? string : "", string ? strlen(string) + 1 : 1);
}

static void write_process(const struct takt_trace_process *process, struct takt_text *text)
{
	struct takt_text strings = {0};
	struct log_process entry = {
		.parent = process->parent,
		.exit_status = process->exit_status,
		.begin = (uint16_t)process->begin,
		.end = (uint16_t)process->end,
	};

	add_string(&strings, process->command);
	add_string(&strings, process->lost_path);
	add_string(&strings, process->lost_cause);
	entry.strings_bytes = (uint32_t)strings.size_bytes;
	while (strings.size_bytes % 8)
		takt_text_add(&strings, "", 1);
	takt_text_add(text, (const char *)&entry, sizeof(entry));
	takt_text_add(text, strings.data, strings.size_bytes);
	takt_text_release(&strings);
}

void log_write_processes(const struct takt_trace_totals *totals, uint32_t *next,
			 struct takt_text *text)
{
	while (*next < totals->process_count && text->size_bytes < MESSAGE_BYTES)
		write_process(&totals->process_list[(*next)++], text);
}
