/* SPDX-License-Identifier: MIT */
/* What a traced program did: text, JSON. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "report/report.h"

#define GROUPED_SIZE 32

/* Digits in groups of three. */
static const char *grouped(uint64_t number, char buffer[GROUPED_SIZE])
{
	char *next = buffer + GROUPED_SIZE - 1;
	unsigned digits = 0;

	*next = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--next = ',';
		*--next = (char)('0' + number % 10);
		number /= 10;
		digits++;
	} while (number);
	return next;
}

/* All figures, in the order in which they are shown. */
static const struct {
	const char *name, *key;
	size_t offset;
	bool of_accesses;
} figures[] = {
	{"instructions", "instructions", offsetof(struct takt_trace_counts, insns), false},
	{"string repeats", "repeats", offsetof(struct takt_trace_counts, repeats), false},
	{"interrupted", "interrupted", offsetof(struct takt_trace_counts, interrupted), false},
	{"blocks", "blocks", offsetof(struct takt_trace_counts, blocks), false},
	{"branches taken", "taken", offsetof(struct takt_trace_counts, taken), false},
	{"branches not taken", "not_taken", offsetof(struct takt_trace_counts, not_taken), false},
	{"loads", "loads", offsetof(struct takt_trace_counts, loads), true},
	{"bytes loaded", "load_bytes", offsetof(struct takt_trace_counts, load_bytes), true},
	{"stores", "stores", offsetof(struct takt_trace_counts, stores), true},
	{"bytes stored", "store_bytes", offsetof(struct takt_trace_counts, store_bytes), true},
	{"system calls", "syscalls", offsetof(struct takt_trace_counts, syscalls), false},
};

static uint64_t figure(const struct takt_trace_counts *counts, size_t index)
{
	uint64_t value;

	memcpy(&value, (const char *)counts + figures[index].offset, sizeof(value));
	return value;
}

/* ---- text ---- */

static void write_row(struct takt_text *text, uint64_t value, const char *name)
{
	char buffer[GROUPED_SIZE];

	takt_text_printf(text, "%20s  %s\n", grouped(value, buffer), name);
}

static void write_end(const struct takt_trace_totals *totals, struct takt_text *text)
{
	if (totals->signal)
		takt_text_printf(text, "\nended by signal %d\n", totals->signal);
	else if (totals->exit_status)
		takt_text_printf(text, "\nended with exit status %d\n", totals->exit_status);
	if (totals->became_other)
		takt_text_add_string(text, "\nthe program ran another one in its place, which is "
					   "not counted\n");
}

static void write_threads(const struct takt_trace_totals *totals, struct takt_text *text)
{
	static const size_t shown[] = {0, 3, 6, 8, 10};

	takt_text_printf(text, "\n%6s", "thread");
	for (size_t i = 0; i < TAKT_COUNT_OF(shown); i++)
		takt_text_printf(text, "  %17s", figures[shown[i]].name);
	takt_text_add_string(text, "\n");
	for (uint32_t thread = 0; thread < totals->thread_count; thread++) {
		takt_text_printf(text, "%6u", thread);
		for (size_t i = 0; i < TAKT_COUNT_OF(shown); i++) {
			char buffer[GROUPED_SIZE];

			if (totals->blocks_only && figures[shown[i]].of_accesses)
				takt_text_printf(text, "  %17s", "-");
			else
				takt_text_printf(text, "  %17s",
						 grouped(figure(&totals->threads[thread], shown[i]),
							 buffer));
		}
		takt_text_add_string(text, "\n");
	}
}

void takt_write_trace_text(const struct takt_trace_totals *totals, bool threads,
			   struct takt_text *text)
{
	takt_text_printf(text, "%s program\n\n", totals->guest);
	for (size_t i = 0; i < TAKT_COUNT_OF(figures); i++)
		if (!totals->blocks_only || !figures[i].of_accesses)
			write_row(text, figure(&totals->all, i), figures[i].name);
	write_row(text, totals->distinct_blocks, "different blocks");
	write_row(text, totals->thread_count, totals->thread_count == 1 ? "thread" : "threads");
	if (totals->checked_insns) {
		uint64_t begun = totals->all.insns + totals->all.repeats + totals->all.interrupted;

		write_row(text, totals->checked_insns,
			  begun == totals->checked_insns ? "begun as qemu counts: the same"
							 : "begun as qemu counts: NOT the same");
	}
	write_end(totals, text);
	if (threads)
		write_threads(totals, text);
}

/* ---- JSON ---- */

static void write_counts(const struct takt_trace_totals *totals,
			 const struct takt_trace_counts *counts, struct takt_json *json)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(figures); i++) {
		if (totals->blocks_only && figures[i].of_accesses)
			takt_json_null(json, figures[i].key);
		else
			takt_json_integer(json, figures[i].key, (int64_t)figure(counts, i));
	}
}

void takt_write_trace_json(const struct takt_trace_totals *totals, struct takt_text *text)
{
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_json_string(&json, "guest", totals->guest);
	write_counts(totals, &totals->all, &json);
	takt_json_integer(&json, "distinct_blocks", (int64_t)totals->distinct_blocks);
	if (totals->checked_insns)
		takt_json_integer(&json, "checked_instructions", (int64_t)totals->checked_insns);
	else
		takt_json_null(&json, "checked_instructions");
	takt_json_integer(&json, "exit_status", totals->exit_status);
	takt_json_integer(&json, "signal", totals->signal);
	takt_json_bool(&json, "became_other", totals->became_other);
	takt_json_open_array(&json, "threads");
	for (uint32_t i = 0; i < totals->thread_count; i++) {
		takt_json_open_row(&json);
		write_counts(totals, &totals->threads[i], &json);
		takt_json_close_row(&json);
	}
	takt_json_close_array(&json);
	takt_json_close_object(&json);
}
