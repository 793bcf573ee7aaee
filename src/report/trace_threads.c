/* SPDX-License-Identifier: MIT */
/* Tables of the programs and threads of a trace. */
#include <assert.h>

#include "report/trace.h"
#include "trace/trace.h"

#define COMMAND_COLUMNS 60
#define COLUMNS_MAX 8

/* A column that only some traces have. */
struct shown_column {
	struct takt_column column;
	bool of_core, of_accesses; /* it needs a core; it needs loads and stores */
};

struct columns {
	struct takt_column items[COLUMNS_MAX];
	size_t count;
};

static struct columns choose_columns(const struct takt_trace_totals *totals,
				     const struct shown_column *shown, size_t count)
{
	struct columns columns = {.count = 0};

	assert(count <= COLUMNS_MAX);
	for (size_t i = 0; i < count; i++)
		if ((totals->core || !shown[i].of_core) &&
		    (!totals->blocks_only || !shown[i].of_accesses))
			columns.items[columns.count++] = shown[i].column;
	return columns;
}

/* ---- threads ---- */

static struct takt_value thread_number(const struct takt_view *view, const void *record)
{
	const struct takt_trace_counts *first = view->root, *counts = record;

	return takt_value_integer(counts - first);
}

static struct takt_value thread_ipc(const struct takt_view *view, const void *record)
{
	const struct takt_trace_counts *counts = record;

	(void)view;
	return takt_value_number(counts->cycles ? (double)counts->insns / (double)counts->cycles
						: 0);
}

static const struct takt_field thread_fields[] = {
	TAKT_TEXT_FIELD("thread", TAKT_FIELD_INT64, thread_number),
	TAKT_TEXT_FIELD("ipc", TAKT_FIELD_DOUBLE, thread_ipc),
	{.type = TAKT_FIELD_INLINE, .record = &takt_trace_counts_record},
};
static const struct takt_record thread_record =
	TAKT_RECORD("thread", "A row of the table of threads.", thread_fields);

static const struct shown_column thread_columns[] = {
	{{"thread", "thread", 6, .gap = 0}, false, false},
	{{"cycles", "cycles", 17, .gap = 2, .grouped = true}, true, false},
	{{"IPC", "ipc", 6, .gap = 2, .format = "%.2f"}, true, false},
	{{"instructions", "instructions", 17, .gap = 2, .grouped = true}, false, false},
	{{"blocks", "blocks", 17, .gap = 2, .grouped = true}, false, false},
	{{"loads", "loads", 17, .gap = 2, .grouped = true}, false, true},
	{{"stores", "stores", 17, .gap = 2, .grouped = true}, false, true},
	{{"system calls", "syscalls", 17, .gap = 2, .grouped = true}, false, false},
};

void takt_trace_print_threads(const struct takt_trace_totals *totals, struct takt_text *text)
{
	struct columns columns =
		choose_columns(totals, thread_columns, TAKT_COUNT_OF(thread_columns));

	takt_text_add_string(text, "\n");
	takt_columns_write(columns.items, columns.count,
			   TAKT_TABLE_ROWS(&thread_record, totals->threads, totals->thread_count),
			   text);
}

/* ---- programs ---- */

static struct takt_value program_number(const struct takt_view *view, const void *record)
{
	const struct takt_trace_process *first = view->root, *process = record;

	return takt_value_integer(process - first);
}

static struct takt_value program_begin(const struct takt_view *view, const void *record)
{
	static const char *const words[] = {"start", "fork of", "exec of"};
	const struct takt_trace_process *process = record;

	takt_text_add_string(view->scratch, words[process->begin]);
	if (process->begin != TAKT_TRACE_BEGIN_START)
		takt_text_printf(view->scratch, " %u", process->parent);
	return takt_value_string(view->scratch->data);
}

/* Return how a program ended, and where it went. */
static struct takt_value program_end(const struct takt_view *view, const void *record)
{
	static const char *const words[] = {"exit", "killed", "exec", "exec", "runs on"};
	const struct takt_trace_process *process = record;

	takt_text_add_string(view->scratch, words[process->end]);
	if (process->end == TAKT_TRACE_END_EXIT)
		takt_text_printf(view->scratch, " %d", process->exit_status);
	return takt_value_string(view->scratch->data);
}

static const struct takt_field program_fields[] = {
	TAKT_TEXT_FIELD("program", TAKT_FIELD_INT64, program_number),
	TAKT_TEXT_FIELD("begin", TAKT_FIELD_STRING, program_begin),
	TAKT_TEXT_FIELD("end", TAKT_FIELD_STRING, program_end),
	{.type = TAKT_FIELD_INLINE, .record = &takt_trace_process_record},
};
static const struct takt_record program_record =
	TAKT_RECORD("program", "A row of the table of programs.", program_fields);

static const struct shown_column program_columns[] = {
	{{"program", "program", 7, .gap = 0}, false, false},
	{{"began by", "begin", -13, .gap = 2}, false, false},
	{{"cycles", "cycles", 17, .gap = 2, .grouped = true}, true, false},
	{{"instructions", "instructions", 17, .gap = 2, .grouped = true}, false, false},
	{{"threads", "thread_count", 7, .gap = 2}, false, false},
	{{"ended", "end", -9, .gap = 2}, false, false},
	{{"command", "command", 0, .gap = 2, .most = COMMAND_COLUMNS}, false, false},
};

void takt_trace_print_programs(const struct takt_trace_totals *totals, struct takt_text *text)
{
	struct columns columns =
		choose_columns(totals, program_columns, TAKT_COUNT_OF(program_columns));

	if (totals->process_count < 2)
		return;
	takt_text_add_string(text, "\n");
	takt_columns_write(
		columns.items, columns.count,
		TAKT_TABLE_ROWS(&program_record, totals->process_list, totals->process_count),
		text);
	takt_text_add_string(text,
			     "all figures but these are sums over all programs, each on a core "
			     "of its own: they may have run at the same time\n");
}
